# SPDX-License-Identifier: BSL-1.0
"""A graph in integers: which rows, layers and lines there are, what a step does with them in which order, and a run of it to the last bit."""

import dataclasses
import math

import numpy

from graph import LINEAR, NEURONS, READING, SPIKING, Wrong, of_shape, size, window_of
from rules import apply, area_of, bias_of, delays_of, neuron_of, order_of, shape_of_image, weights_of

INT32 = (-(1 << 31), (1 << 31) - 1)


@dataclasses.dataclass
class Options:
    dt: float
    input: str = "spikes"  # what comes from outside: spikes (0 or 1), counts (whole numbers), values
    input_bits: int = 15  # fraction bits of values
    input_most: float = 0.0  # largest magnitude of a count or value; 0: 1 of a spike, 255 of a count, 2^(31 - input_bits) of a value
    weights: int = 0  # bits of each weight; 0: as few as the budget lets
    budget: float = 2.0 ** -14  # largest error of a weight, in thresholds of what it leads to
    state_bits: int = 0  # fraction bits of states; 0: 15 of a threshold


@dataclasses.dataclass
class Signal:
    """What a node puts out."""

    kind: str  # spikes, counts, values
    count: int
    unit: float = 1.0  # what 1 is worth
    most: float = 1.0  # largest magnitude of an integer


@dataclasses.dataclass
class Rows:
    name: str
    form: str  # Dense, Sparse, Convolution, Pooling, Diagonal, Identity
    node: str  # whose weights they are
    bits: int
    sources: int
    targets: int
    ints: numpy.ndarray = None  # as `apply` takes them
    real: numpy.ndarray = None  # what they stand for, in the same shape
    unit: numpy.ndarray = None  # what an integer is worth, by target or channel
    up: int = 0  # how often what it adds is doubled

    def bytes(self):
        if self.ints is None:
            return 0
        if self.form == "Sparse":
            count = int(numpy.count_nonzero(self.ints))
            return (count * self.bits + 7) // 8 + 2 * count + 4 * (self.sources + 1)
        if self.form == "Dense":
            return self.sources * ((self.targets * self.bits + 31) // 32 * 4)
        return (self.ints.size * self.bits + 7) // 8


@dataclasses.dataclass
class Operation:
    do: str  # keep, clear, add, finish, step, delay, threshold
    to: str = ""  # a node
    rows: Rows = None
    source: str = ""  # a node, whose signal is taken
    late: bool = False  # as it was in the last step
    shift: int = 0
    channels: list = None  # of finish: (factor, bias); their shift is `shift`


@dataclasses.dataclass
class Layer:
    """Neurons in integers."""

    name: str
    type: str
    count: int
    bits: int  # fraction bits
    kept: numpy.ndarray = None  # real, of each neuron
    psp_kept: numpy.ndarray = None
    drift: numpy.ndarray = None  # integers, of v itself
    level: int = 0  # the threshold, and a unit
    reset: int = 0  # of v itself
    by: int = 0
    norm: float = 1.0


def kept_of(kept):
    """As detail::kept_of has it: whether a word itself counts, and a factor of 32 fraction bits."""
    itself = kept >= 0.5
    factor = numpy.floor(numpy.ldexp(numpy.where(itself, kept - 1.0, kept), 32) + 0.5)
    return numpy.where(itself, -1, 0).astype(numpy.int64), numpy.minimum(factor, INT32[1]).astype(numpy.int64)


def rounded(value, shift):
    return value if shift == 0 else ((value >> (shift - 1)) + 1) >> 1


def nearest(value):
    return numpy.floor(numpy.asarray(value, float) + 0.5).astype(numpy.int64)


def factors_of(values):
    """Factors below 2^31, and their shift."""
    largest = float(numpy.abs(values).max(initial=0))
    shift = min(62, 30 - math.frexp(largest or 1.0)[1])
    if shift < 0:
        raise Wrong(f"a channel's weights are worth {largest:g}, which is too much for a word")
    return [int(one) for one in nearest(numpy.ldexp(values, shift))], shift


class Plan:
    def __init__(self, graph, rule, options):
        self.graph, self.rule, self.options = graph, rule, options
        self.steps = delays_of(graph, options.dt)
        self.order, self.late, early = order_of(graph, rule, self.steps)
        self.steps = {name: steps - (name in early) for name, steps in self.steps.items()}
        self.signals, self.layers, self.rows, self.notes = {}, {}, [], list(graph.notes)
        self.operations = []
        self.alias = {}  # node to the node whose signal it is
        self.delays, self.thresholds = {}, {}
        self.reaches = {}  # the largest sum of weights that can come to a node at once
        self.input = next(name for name, node in graph.nodes.items() if node.type == "Input")
        self.output = next(name for name, node in graph.nodes.items() if node.type == "Output")
        for name, node in graph.nodes.items():  # those that another may look at before it is made
            if node.type in NEURONS:
                self.layers[name] = self.layer(name, node)
                self.signals[name] = self.signal_of(name)
        for name in self.order:
            self.make(name, graph.nodes[name])
        self.keep_late()

    # --- what is what

    def signal(self, name):
        while name in self.alias:
            name = self.alias[name]
        if name not in self.signals:  # of the last step, of a node that is made later: a delay in a cycle
            self.signals[name] = self.signal_of_delay(name)
        return name, self.signals[name]

    def signal_of_delay(self, name):
        sources = self.graph.sources(name)
        of = self.signals.get(sources[0]) if len(sources) == 1 else None
        if of is None:
            raise Wrong(f"node '{name}': it is a delay in a cycle, and takes from '{sources[0]}'; there it takes from one node of neurons")
        return Signal(of.kind, of.count, of.unit, of.most)

    def is_fused(self, name):
        node = self.graph.nodes[name]
        return node.type in LINEAR and not node.type.endswith("Pool2d") and all(
            self.graph.nodes[one].type in NEURONS for one in self.graph.targets(name))

    def sources(self, name):
        return [(one, (one, name) in self.late) for one in self.graph.sources(name)]

    def signal_of(self, name):
        layer = self.layers[name]
        if layer.type in SPIKING:
            return Signal("spikes", layer.count)
        return Signal("values", layer.count, math.ldexp(layer.norm, -layer.bits), float(INT32[1]))

    def make(self, name, node):
        options = self.options
        if node.type == "Input":
            most = options.input_most or {"spikes": 1, "counts": 255, "values": math.ldexp(1.0, 31 - options.input_bits) - 1}[options.input]
            unit = math.ldexp(1.0, -options.input_bits) if options.input == "values" else 1.0
            self.signals[name] = Signal(options.input, size(node.shape), unit, most / unit)
        elif node.type in NEURONS:
            self.feed(name, node)
            self.operations.append(Operation("step", name))
        elif node.type in LINEAR:
            if not self.is_fused(name):
                self.materialise(name, node, [(one, late, name) for one, late in self.sources(name)])
        elif node.type in ("Output", "Flatten") and len(self.sources(name)) == 1 and not self.sources(name)[0][1]:
            self.alias[name] = self.sources(name)[0][0]
        elif node.type in ("Output", "Flatten"):
            self.materialise(name, node, [(one, late, None) for one, late in self.sources(name)])
        else:
            sources = self.sources(name)
            if len(sources) != 1 or (node.type == "Threshold" and self.signal(sources[0][0])[1].kind == "spikes"):
                self.materialise(name + ".sum", node, [(one, late, None) for one, late in sources])
                sources = [(name + ".sum", False)]
            source, late = sources[0]
            of, signal = self.signal(source)
            if node.type == "Delay":
                self.delays[name] = self.steps[name]
                self.signals[name] = Signal(signal.kind, signal.count, signal.unit, signal.most)
                self.operations.append(Operation("delay", name, source=of, late=late))
            else:
                threshold = of_shape(name, "threshold", node.fields["threshold"], node.shape)
                self.thresholds[name] = numpy.clip(numpy.floor(threshold / signal.unit), *INT32).astype(numpy.int64)
                self.signals[name] = Signal("spikes", signal.count)
                self.operations.append(Operation("threshold", name, source=of, late=late))

    def layer(self, name, node):
        of = neuron_of(name, node, self.rule, self.options.dt)
        made = Layer(name, node.type, of.kept.size, 0, of.kept, of.psp_kept)
        if node.type in SPIKING:
            span = of.threshold - of.reset
            if numpy.ptp(of.threshold) or numpy.ptp(of.reset):
                if numpy.ptp(of.reset / of.threshold) > 1e-6:
                    raise Wrong(f"node '{name}', fields 'v_threshold' and 'v_reset': their ratio is the same for all neurons of a layer, and here it is not")
                made.norm = of.threshold  # each membrane counts in thresholds of its own
            threshold, reset = float((of.threshold / made.norm)[0]), float((of.reset / made.norm)[0])
            made.bits = self.options.state_bits or min(24, max(8, 15 - math.frexp(float((span / made.norm)[0]))[1] + 1))
            made.level = int(nearest(math.ldexp(threshold, made.bits))) + 1
            made.reset = int(nearest(math.ldexp(reset, made.bits)))
            made.by = int(nearest(math.ldexp(threshold - reset, made.bits)))
            if made.by == 0 or abs(made.level) >= 1 << 29:
                raise Wrong(f"node '{name}', field 'v_threshold': with {made.bits} fraction bits it vanishes or leaves its word; say --state-bits")
        else:
            made.bits = self.options.state_bits or 15
        made.gain = of.gain / made.norm
        made.drift = nearest(numpy.ldexp(of.drift / made.norm, made.bits))
        return made

    # --- rows

    def row_form(self, name, node, real):
        """The form of rows with these weights, and which of their targets share a channel: what is worth the same."""
        if node is None:
            return "Identity"
        if node.type == "Scale":
            return "Diagonal"
        if node.type.startswith("Conv"):
            return "Convolution"
        if node.type.endswith("Pool2d"):
            return "Pooling"
        return "Sparse" if numpy.count_nonzero(real) < 0.4 * real.size and real.shape[0] <= 65536 else "Dense"

    def projections(self, name, layer):
        """What comes to a layer: (linear node or none, source, late, weights as they act on the membrane)."""
        made = []
        for source, late in self.sources(name):
            gain = layer.gain
            if source in self.graph.nodes and self.is_fused(source):
                node = self.graph.nodes[source]
                for inner, inner_late in self.sources(source):
                    made.append((source, inner, late or inner_late, self.weighted(source, node, gain, name)))
            else:
                made.append((None, source, late, gain.copy()))
        return made

    def weighted(self, name, node, gain, target):
        weight = weights_of(name, node)
        if node.type == "Scale":
            return weight * gain
        if node.type in ("Affine", "Linear"):
            return weight * gain[:, None]
        by_channel = gain.reshape(weight.shape[0], -1)
        if numpy.ptp(by_channel, axis=1).max() > 1e-6 * numpy.abs(by_channel).max():
            raise Wrong(f"node '{target}': its neurons have parameters that differ within a channel of the convolution '{name}', whose weights stand once")
        return weight * by_channel[:, :1, None, None]

    def feed(self, name, node):
        """Rows into a layer of neurons, in the unit of its membranes, and what finishes their sums."""
        layer = self.layers[name]
        projections = self.projections(name, layer)
        bias = numpy.zeros(layer.count)
        for source in self.graph.sources(name):
            if source in self.graph.nodes and self.is_fused(source):
                own = bias_of(self.graph.nodes[source])
                if own is not None:
                    bias += own * layer.gain
        scale = float(layer.by) * math.ldexp(1.0, -layer.bits) if layer.type in SPIKING else None
        self.project(name, layer.count, node.shape, layer.bits, projections, nearest(numpy.ldexp(bias, layer.bits)), scale)

    def materialise(self, name, node, sources):
        """A node whose numbers stand in memory: sources are (node, late, the linear node whose rows lead there or none)."""
        signals = [self.signal(one)[1] for one, _, _ in sources]
        count = size(node.shape)
        linear = node if node.type in LINEAR else None
        self.operations.append(Operation("clear", name))
        weight = weights_of(name, linear) if linear is not None else None
        if weight is None:  # sums, or a pool: exact where all are in one unit
            units = {one.unit for one in signals}
            area = area_of(name, linear) if linear is not None else 1
            if len(units) == 1:
                unit = signals[0].unit / (area if linear is not None and linear.type == "AvgPool2d" else 1)
                most = sum(one.most for one in signals) * area
                kind = "values" if any(one.kind == "values" for one in signals) else "counts"
                self.signals[name] = Signal(kind, count, unit, most)
                form = self.row_form(name, linear, None)
                for one, late, _ in sources:
                    of, signal = self.signal(one)
                    rows = self.add_rows(Rows(f"{name}_{of}", form, name if linear is not None else "", 32, signal.count, count))
                    self.operations.append(Operation("add", name, rows, of, late))
                return
            if linear is not None:
                raise Wrong(f"node '{name}': what comes to a pool is in one unit, and here it is not")
            weight = numpy.ones(count)
        bias = bias_of(linear) if linear is not None else None
        projections = [(name if linear is not None else None, one, late, weight) for one, late, _ in sources]
        bound = sum(self.bound(name, linear, weight, signal) for signal in signals) + (0 if bias is None else numpy.abs(bias).max())
        bits = min(24, max(0, 30 - math.frexp(float(bound) or 1.0)[1]))
        self.signals[name] = Signal("values", count, math.ldexp(1.0, -bits), math.ldexp(float(bound), bits) + count)
        self.project(name, count, node.shape, bits, projections,
                     nearest(numpy.ldexp(bias if bias is not None else numpy.zeros(count), bits)), None)

    @staticmethod
    def reach(node, weight):
        """The largest sum of magnitudes that leads to one target."""
        magnitude = numpy.abs(weight)
        if node is None or node.type == "Scale":
            return float(magnitude.max(initial=0))
        return float(magnitude.reshape(magnitude.shape[0], -1).sum(axis=1).max(initial=0))

    def bound(self, name, node, weight, signal):
        return self.reach(node, weight) * signal.most * signal.unit

    def project(self, name, count, shape, bits, projections, bias, scale):
        """Rows of all that comes, in sums of `bits` fraction bits; what finishes them."""
        options = self.options
        channels = shape[0] if len(shape) > 1 and all(
            one[0] is not None and self.graph.nodes[one[0]].type.startswith("Conv") for one in projections) else count
        all_spike = all(self.signal(one[1])[1].kind != "values" for one in projections)
        width = options.weights
        if not all_spike or not projections:
            width = 32
        for trial in [width] if width else (4, 8, 16, 32):
            made, worst = [], 0.0
            if trial == 32:
                break
            units = numpy.zeros(channels)
            for node_name, source, _, weight in projections:
                real = numpy.abs(weight * self.signal(source)[1].unit)
                units = numpy.maximum(units, self.by_channel(node_name, real, channels))
            units = numpy.where(units == 0, 1.0, units) / ((1 << (trial - 1)) - 1)
            for node_name, source, _, weight in projections:
                per = self.spread(node_name, units, weight)
                real = weight * self.signal(source)[1].unit
                ints = nearest(real / per)
                made.append((ints, real))
                worst = max(worst, float(numpy.abs(ints * per - real).max(initial=0)))
            limit = scale if scale is not None else max(float(numpy.abs(real).max(initial=0)) for _, real in made) or 1.0
            if width or worst <= options.budget * limit:
                break
        if trial == 32:
            self.plain(name, count, bits, projections, bias)
            return
        total = 0.0
        for (node_name, source, late, weight), (ints, real) in zip(projections, made):
            of, signal = self.signal(source)
            node = self.graph.nodes[node_name] if node_name else None
            form = self.row_form(node_name, node, ints)
            rows = self.add_rows(Rows(f"{node_name or name}_{of}", "Diagonal" if form == "Identity" else form, node_name or "", trial,
                                      signal.count, count, ints, real, units))
            self.operations.append(Operation("add", name, rows, of, late))
            total += self.reach(node, ints.astype(float)) * signal.most
        self.check_sums(name, total)
        factors, shift = factors_of(numpy.ldexp(units, bits))
        offsets = bias.reshape(channels, -1)
        self.operations.append(Operation("finish", name, shift=shift, channels=[(one, int(offsets[at][0])) for at, one in enumerate(factors)]))

    def by_channel(self, node_name, real, channels):
        """The largest magnitude by channel, or by target."""
        if node_name is None or self.graph.nodes[node_name].type == "Scale":
            return real.reshape(channels, -1).max(axis=1)
        largest = real.reshape(real.shape[0], -1).max(axis=1)
        return largest if largest.size == channels else numpy.repeat(largest, channels // largest.size)

    def spread(self, node_name, units, weight):
        """What an integer is worth, in the shape of weights."""
        if node_name is None or self.graph.nodes[node_name].type == "Scale":
            return units if units.size == weight.size else numpy.repeat(units, weight.size // units.size)
        per = units if units.size == weight.shape[0] else units.reshape(weight.shape[0], -1).max(axis=1)
        return per.reshape((-1,) + (1,) * (weight.ndim - 1))

    def plain(self, name, count, bits, projections, bias):
        """Weights of as many fraction bits as sums have, or of values of as many as a word holds."""
        total = 0.0
        for node_name, source, late, weight in projections:
            of, signal = self.signal(source)
            node = self.graph.nodes[node_name] if node_name else None
            real = weight * (1.0 if signal.kind == "values" else signal.unit)
            fraction, shift = bits, 0
            if signal.kind == "values":
                room = 31 if self.options.weights in (0, 32) else self.options.weights - 1
                value_bits = -math.log2(signal.unit)
                if value_bits != int(value_bits):  # a pool's mean: into the weights
                    real, value_bits = weight * signal.unit * math.ldexp(1.0, 15), 15
                fraction = min(40, room - 1 - math.frexp(float(numpy.abs(real).max(initial=0)) or 1.0)[1])
                shift = fraction + int(value_bits) - bits
                if shift < 0:
                    fraction, shift = fraction - shift, 0
            width = 32 if signal.kind != "values" or self.options.weights == 0 else self.options.weights
            ints = nearest(numpy.ldexp(real, fraction))
            if numpy.abs(ints).max(initial=0) > INT32[1] or numpy.abs(ints).max(initial=0) >= 1 << (width - 1):
                raise Wrong(f"node '{node_name or name}': a weight of {float(numpy.abs(real).max()):g} saturates with {fraction} fraction bits; say --state-bits")
            form = self.row_form(node_name, node, ints)
            if form == "Identity":
                form = "Diagonal"
            rows = self.add_rows(Rows(f"{node_name or name}_{of}", form, node_name or "", width, signal.count, count, ints, real,
                                      numpy.array([math.ldexp(1.0, -fraction)])))
            self.operations.append(Operation("add", name, rows, of, late, shift))
            if signal.kind != "values":
                total += self.reach(node, ints.astype(float)) * signal.most
            vanish = numpy.count_nonzero((ints == 0) & (weight != 0))
            if vanish and vanish == numpy.count_nonzero(weight):
                raise Wrong(f"node '{node_name or name}': all its weights vanish with {fraction} fraction bits; say --state-bits")
        self.check_sums(name, total)
        if bias.any():
            self.operations.append(Operation("finish", name, channels=[(1, int(one)) for one in bias]))

    def check_sums(self, name, total):
        """total: the largest sum of what comes at once, of spikes and counts."""
        self.reaches[name] = total
        if total >= 1 << 30:
            raise Wrong(f"node '{name}': weights that come to it at once add up to more than a word holds; say fewer --state-bits")

    def add_rows(self, rows):
        known = {one.name for one in self.rows}
        name, at = rows.name, 2
        while rows.name in known:
            rows.name, at = f"{name}_{at}", at + 1
        self.rows.append(rows)
        return rows

    def keep_late(self):
        """What is taken as it was in the last step, and has changed by then, is kept."""
        done, kept = set(), []
        for one in self.operations:
            if one.late and one.source in done and one.source not in kept:
                kept.append(one.source)
            if one.do in ("step", "delay", "threshold", "finish", "add"):
                if not (one.do == "add" and one.to in self.layers):
                    done.add(one.to)
        self.kept = kept
        self.operations = [Operation("keep", one) for one in kept] + self.operations

    def bytes(self):
        tables = sum(one.bytes() for one in self.rows)
        tables += sum(8 * len(one.channels) for one in self.operations if one.do == "finish")
        return tables


class Fixed:
    """A run of a plan in integers: the bits of the header."""

    def __init__(self, plan):
        self.plan = plan
        self.factors = {name: (kept_of(layer.kept), kept_of(layer.psp_kept) if layer.psp_kept is not None else None)
                        for name, layer in plan.layers.items()}
        self.matrices = {}
        self.reset()

    def reset(self):
        plan = self.plan
        self.now = {name: numpy.zeros(signal.count, numpy.int64) for name, signal in plan.signals.items()}
        self.sums = {name: numpy.zeros(layer.count, numpy.int64) for name, layer in plan.layers.items()}
        self.v = {name: numpy.full(layer.count, -layer.level, numpy.int64) for name, layer in plan.layers.items()}
        self.psp = {name: numpy.zeros(layer.count, numpy.int64) for name, layer in plan.layers.items()}
        self.past = {name: [numpy.zeros(steps.size, numpy.int64) for _ in range(steps.max() + 1)] for name, steps in plan.delays.items()}
        self.held, self.operations = {name: 0 for name in plan.signals}, 0

    def hold(self, name, value):
        outside = (value < INT32[0]) | (value > INT32[1])
        self.held[name] += int(outside.sum())
        return numpy.clip(value, *INT32)

    def step(self, given):
        """given: integers of the Input."""
        plan = self.plan
        last = {name: value.copy() for name, value in self.now.items()}
        self.now[plan.input] = numpy.asarray(given, numpy.int64).reshape(-1)
        for one in plan.operations:
            to = self.sums if one.to in self.sums and one.do in ("add", "finish") else self.now
            source = (last if one.late else self.now)[one.source] if one.source else None
            if one.do == "clear":
                self.now[one.to] = numpy.zeros_like(self.now[one.to])
            elif one.do == "add":
                made = self.product(one.rows, source, plan.signals[one.source].kind) << one.rows.up
                if plan.signals[one.source].kind == "values":
                    to[one.to] = self.hold(one.to, to[one.to] + rounded(made, one.shift))
                else:
                    to[one.to] = to[one.to] + made
            elif one.do == "finish":
                per = to[one.to].size // len(one.channels)
                made = [rounded(int(value) * factor, one.shift) + bias
                        for value, (factor, bias) in zip(to[one.to], [channel for channel in one.channels for _ in range(per)])]
                to[one.to] = self.hold(one.to, numpy.array(made, dtype=object)).astype(numpy.int64)
            elif one.do == "step":
                self.neurons(one.to, plan.layers[one.to])
            elif one.do == "delay":
                past, steps = self.past[one.to], plan.delays[one.to]
                past.insert(0, source), past.pop()
                self.now[one.to] = numpy.array([past[step][at] for at, step in enumerate(steps)], numpy.int64)
            elif one.do == "threshold":
                self.now[one.to] = (source > plan.thresholds[one.to]).astype(numpy.int64)
        return self.now[plan.signal(plan.output)[0]]

    def product(self, rows, x, kind):
        node = self.plan.graph.nodes.get(rows.node)
        if rows.form == "Identity":
            return x
        if node is None:
            return rows.ints * x
        if kind == "values" or rows.ints is None:
            return apply(rows.node, node, rows.ints, x)
        if rows.name not in self.matrices:  # exact in double, whose products are fast
            self.matrices[rows.name] = rows.ints.astype(float)
        return apply(rows.node, node, self.matrices[rows.name], x.astype(float)).astype(numpy.int64)

    def neurons(self, name, layer):
        (itself, factor), psp = self.factors[name]
        half = 1 << 31

        def kept(word, of):
            return numpy.where(of[0] < 0, word, 0) + ((word * of[1] + half) >> 32)

        drift = layer.drift + kept(numpy.full(layer.count, layer.level, numpy.int64), (itself, factor)) - layer.level
        before, arriving = self.v[name], self.sums[name]
        v = self.hold(name, kept(before, (itself, factor)) + drift)
        if psp is None:
            v = self.hold(name, v + arriving)
        else:
            if self.plan.rule.order == "before":
                v = self.hold(name, v + self.psp[name])
            self.psp[name] = self.hold(name, kept(self.psp[name], psp) + arriving)
            if self.plan.rule.order == "with":
                v = self.hold(name, v + self.psp[name])
        self.sums[name] = numpy.zeros(layer.count, numpy.int64)
        if layer.type in READING:
            self.v[name] = self.now[name] = v
            return
        reset = self.plan.rule.reset
        if reset == "subtract_late":
            v = self.hold(name, v - numpy.where(before >= 0, layer.by, 0))
        tested = numpy.maximum(v - layer.by, INT32[0]) if reset == "subtract_twice" else v
        z = numpy.where((before >= 0) & (reset == "subtract_twice"), tested, v) >= 0
        if reset == "value":
            v = numpy.where(z, layer.reset - layer.level, v)
        elif reset in ("subtract", "subtract_twice"):
            v = numpy.where(z, v - layer.by, v)
        self.v[name], self.now[name] = v, z.astype(numpy.int64)
