# SPDX-License-Identifier: BSL-1.0
"""What a plan costs and how exact it is, in words; and runs of it beside the graph in double."""

import math

import numpy

from graph import SPIKING, Wrong
from plan import Fixed, nearest
from rules import Float


def samples_of(path, plan):
    """[sample][step][element] from a .npy file of two or three dimensions."""
    try:
        data = numpy.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise Wrong(f"{path}: it cannot be read as an array of NumPy: {' '.join(str(error).split())[:200]}") from None
    if not isinstance(data, numpy.ndarray) or data.dtype.kind not in "biuf":
        raise Wrong(f"{path}: it has no array of numbers")
    count = plan.signals[plan.input].count
    shape = plan.graph.nodes[plan.input].shape
    if data.ndim >= 1 + len(shape) and tuple(data.shape[data.ndim - len(shape):]) == tuple(shape):
        data = data.reshape(data.shape[:data.ndim - len(shape)] + (count,))
    if data.ndim == 2:
        data = data[None]
    if data.ndim != 3 or data.shape[2] != count or 0 in data.shape:
        raise Wrong(f"{path}: its shape is [step][element] or [sample][step][element] with {count} elements, and not {data.shape}")
    if not numpy.isfinite(data).all():
        raise Wrong(f"{path}: it has numbers that are not finite")
    signal = plan.signals[plan.input]
    if signal.kind == "spikes" and not numpy.isin(data, (0, 1)).all():
        raise Wrong(f"{path}: the input is spikes, 0 and 1, and it has others; say --input counts or values")
    if signal.kind == "counts" and (data != numpy.floor(data)).any():
        raise Wrong(f"{path}: the input is counts, and it has numbers that are not whole; say --input values")
    if numpy.abs(data / signal.unit).max() > signal.most:
        raise Wrong(f"{path}: its largest magnitude is {numpy.abs(data).max():g}, and the input's {signal.most * signal.unit:g}; say --input-most")
    return data


class Measured:
    """Of a run of samples, in integers and in double."""

    def __init__(self, plan, data):
        fixed, real = Fixed(plan), Float(plan.graph, plan.rule, plan.options.dt)
        names = [name for name in plan.order if name in plan.layers]
        self.steps, self.samples = data.shape[0] * data.shape[1], data.shape[0]
        self.first, self.wrong = {}, dict.fromkeys(names, 0)
        self.spikes, self.largest = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0)
        self.error = dict.fromkeys(names, 0.0)
        self.held, self.operations, self.outputs = dict.fromkeys(plan.signals, 0), 0, []
        out, signal = plan.signal(plan.output)
        fan_out = [(one, self.fan_out(plan, one.rows)) for one in plan.operations if one.do == "add"]
        for sample, steps in enumerate(data):
            fixed.reset(), real.reset()
            total = numpy.zeros(signal.count)
            for step, x in enumerate(steps):
                last = {name: value for name, value in fixed.now.items()}
                total += fixed.step(nearest(numpy.asarray(x, float) / plan.signals[plan.input].unit)) * (signal.unit if signal.kind != "spikes" else 1)
                real.step(x)
                for one, fan in fan_out:
                    source = (last if one.late else fixed.now)[one.source]
                    self.operations += int(fan[source != 0].sum())
                for name in names:
                    layer, unit = plan.layers[name], plan.signals[name].unit
                    self.largest[name] = max(self.largest[name], float(numpy.abs(fixed.v[name] + layer.level).max()))
                    if layer.type in SPIKING:
                        differs = fixed.now[name] != real.out[name]
                        self.spikes[name] += int(fixed.now[name].sum())
                    else:
                        off = numpy.abs(fixed.now[name] * unit - real.out[name])
                        self.error[name] = max(self.error[name], float(off.max()))
                        differs = off > 1e-2 * max(1.0, float(numpy.abs(real.out[name]).max()))
                    self.wrong[name] += int(differs.sum())
                    if differs.any() and name not in self.first:
                        self.first[name] = (sample, step, int(numpy.argmax(differs)))
            for name, count in fixed.held.items():
                self.held[name] += count
            self.outputs.append(total)

    @staticmethod
    def fan_out(plan, rows):
        """Synapses of each source."""
        if rows.form in ("Identity", "Diagonal"):
            return numpy.ones(rows.sources, int) if rows.ints is None else (rows.ints.reshape(-1) != 0).astype(int)
        if rows.form in ("Dense", "Sparse"):
            return numpy.count_nonzero(rows.ints, axis=0)
        return numpy.array([0 if rows.sources == 0 else round(synapses(plan, rows) / rows.sources)] * rows.sources)


def synapses(plan, rows):
    """That are not zero."""
    if rows.form in ("Identity", "Pooling"):
        return rows.targets if rows.form == "Identity" else rows.sources
    if rows.form == "Convolution":
        area = rows.targets // rows.ints.shape[0]
        return int(numpy.count_nonzero(rows.ints)) * area
    return int(numpy.count_nonzero(rows.ints))


def possible(plan, rows):
    if rows.form in ("Identity", "Diagonal"):
        return rows.targets
    if rows.form == "Pooling":
        return rows.sources
    return rows.ints.size * (rows.targets // rows.ints.shape[0] if rows.form == "Convolution" else 1)


def state_bytes(plan):
    """Memory that changes: words, sums and spikes of layers, and what stands between them."""
    total = 0
    for name, layer in plan.layers.items():
        words = 1 + (layer.psp_kept is not None) + 2  # with sums, and a list of spikes
        own = 3 * bool(numpy.ptp(layer.kept) or numpy.ptp(layer.drift)) + 3 * (layer.psp_kept is not None and bool(numpy.ptp(layer.psp_kept)))
        total += 4 * (words + own) * layer.count
    for name, signal in plan.signals.items():
        if name not in plan.layers and name != plan.input:
            total += 8 if signal.kind == "spikes" else 4 * signal.count
    for name, steps in plan.delays.items():
        longest = int(steps.max()) + 1
        spikes = plan.signals[name].kind == "spikes"
        total += 2 * steps.size + (longest * ((steps.size + 31) // 32) * 4 + 4 * steps.size if spikes else 4 * steps.size * (longest + 1))
    total += sum(4 * value.size for value in plan.thresholds.values())
    total += sum(4 * plan.signals[name].count for name in plan.kept)
    return total


def saturation(plan, name):
    """Whether a membrane can be held at the end of its word, whatever spikes come."""
    layer = plan.layers[name]
    if any(one.do == "add" and one.to == name and plan.signals[one.source].kind == "values" for one in plan.operations):
        return "by values"
    keeps = [layer.kept] + ([layer.psp_kept] if layer.psp_kept is not None else [])
    if any((kept >= 1).any() for kept in keeps):
        return "in time"  # what comes is never forgotten
    bias = max((abs(bias) for one in plan.operations if one.do == "finish" and one.to == name for _, bias in one.channels), default=0)
    most = plan.reaches.get(name, 0) + bias
    for kept in reversed(keeps):
        most = float((most / (1 - kept)).max())
    most += float(numpy.abs(layer.drift / (1 - layer.kept)).max()) + abs(layer.level) + abs(layer.by)
    return "never" if most < 2 ** 31 else f"above {most / 2 ** 31:.2g}"


def text(plan, measured=None, code=None):
    lines = [f"{len(plan.layers)} layers, {sum(layer.count for layer in plan.layers.values())} neurons, "
             f"{sum(synapses(plan, rows) for rows in plan.rows)} synapses, dt {plan.options.dt:g} s", ""]
    for note in plan.notes:
        lines.append(f"note: {note}")
    lines.append(f"{'rows':<28} {'form':<12} {'bits':>4} {'bytes':>9} {'smallest':>11} {'largest':>11} {'worst error':>12} {'zeros':>7}")
    for rows in plan.rows:
        if rows.ints is None:
            lines.append(f"{rows.name:<28} {rows.form:<12} {'-':>4} {0:>9}")
            continue
        error = quantisation_error(rows)
        zeros = 1 - synapses(plan, rows) / max(1, possible(plan, rows))
        lines.append(f"{rows.name:<28} {rows.form:<12} {rows.bits:>4} {rows.bytes():>9} {rows.real.min():>11.4g} {rows.real.max():>11.4g} {error:>12.3g} {zeros:>6.1%}")
    lines += ["", f"{'layer':<20} {'type':<8} {'neurons':>7} {'fraction':>8} {'range':>10} {'saturates':>10}" +
              (f" {'largest':>10} {'held':>6} {'spikes':>9} {'differ':>7}" if measured else "")]
    for name in plan.order:
        if name not in plan.layers:
            continue
        layer = plan.layers[name]
        line = f"{name:<20} {layer.type:<8} {layer.count:>7} {layer.bits:>8} {math.ldexp(1.0, 31 - layer.bits):>10.6g} {saturation(plan, name):>10}"
        if measured:
            line += (f" {math.ldexp(measured.largest[name], -layer.bits):>10.4g} {measured.held[name]:>6} {measured.spikes[name]:>9} {measured.wrong[name]:>7}")
        lines.append(line)
    tables, states = plan.bytes(), state_bytes(plan)
    lines += ["", f"bytes: {tables} of tables, {states} of state" + "".join(f"; {name}: {bytes_} of code" for name, bytes_ in (code or {}).items())]
    have, can = sum(synapses(plan, rows) for rows in plan.rows), sum(possible(plan, rows) for rows in plan.rows)
    lines.append(f"connection sparsity {1 - have / max(1, can):.3f}")
    if measured:
        neurons = sum(layer.count for layer in plan.layers.values() if layer.type in SPIKING)
        spikes = sum(measured.spikes.values())
        lines.append(f"activation sparsity {1 - spikes / max(1, neurons * measured.steps):.4f}, {measured.operations / measured.steps:.1f} synaptic operations per step")
    return "\n".join(lines) + "\n"


def quantisation_error(rows):
    if rows.unit.size == 1:
        per = rows.unit.reshape((1,) * rows.ints.ndim)
    elif rows.form == "Diagonal":
        per = rows.unit if rows.unit.size == rows.ints.size else numpy.repeat(rows.unit, rows.ints.size // rows.unit.size)
    else:
        units = rows.unit if rows.unit.size == rows.ints.shape[0] else rows.unit.reshape(rows.ints.shape[0], -1).max(axis=1)
        per = units.reshape((-1,) + (1,) * (rows.ints.ndim - 1))
    return float(numpy.abs(rows.ints * per - rows.real).max(initial=0))


def verdict(plan, measured):
    """The first difference of each layer, and of all."""
    lines = []
    for name in plan.order:
        if name in measured.first:
            sample, step, neuron = measured.first[name]
            lines.append(f"layer '{name}': {measured.wrong[name]} differ from double, first sample {sample}, step {step}, neuron {neuron}")
    if not lines:
        reads = [f"'{name}' {measured.error[name]:.3g}" for name in plan.layers if plan.layers[name].type not in SPIKING]
        lines.append(f"every spike of {measured.samples} samples, {measured.steps} steps, is that of double" +
                     (f"; membranes that are read differ by at most {', '.join(reads)}" if reads else ""))
    return "\n".join(lines) + "\n"
