# SPDX-License-Identifier: BSL-1.0
"""What a node means in steps of dt: a graph alone does not say it. Presets are the rules of the tools that files come from."""

import dataclasses

import numpy

from components import components_of
from graph import LINEAR, NEURONS, READING, SPIKING, Wrong, of_shape, size, window_of


@dataclasses.dataclass(frozen=True)
class Rule:
    integrator: str = "euler"  # what a step keeps: 1 - dt/tau (euler), e^(-dt/tau) (exponential)
    gain: str = "same"  # what a step adds: dt/tau (euler), 1 - what it keeps (same)
    order: str = "with"  # the membrane takes the current with what arrives in this step (with), or without it (before)
    reset: str = "value"  # value, subtract, subtract_twice (tested twice), subtract_late (a step later)
    input: str = "current"  # what comes to a neuron in a step is a current (current), or a pulse of area 1 (spike)
    integrate: str = "dt"  # I and IF add r dt times what comes (dt), or r times it (step)
    decayed: bool = False  # what arrives in a step fades in the same step (of CubaLIF and CubaLI)
    cycle: str = "feedback"  # a step passes where an edge closes a cycle (feedback), or at each neuron of a cycle (every)


CHOICES = {
    "integrator": ("euler", "exponential"),
    "gain": ("same", "euler"),
    "order": ("with", "before"),
    "reset": ("value", "subtract", "subtract_twice", "subtract_late"),
    "input": ("current", "spike"),
    "integrate": ("dt", "step"),
    "cycle": ("feedback", "every"),
}

PRESETS = {
    # I = a I + x; v = b v + I; the spike that is due is taken off before the threshold is asked (reset_delay = False).
    "snntorch": Rule(reset="subtract_twice"),
    # Euler, a current with what arrives, a membrane that is put to v_reset.
    "norse": Rule(),
    # alpha = e^(-dt/tau), v = alpha v + (1 - alpha) x; IF adds what comes; a spike takes the threshold off.
    "sinabs": Rule(integrator="exponential", reset="subtract", integrate="step"),
    # I = (I + x) e^(-dt/tau_syn), v = v e^(-dt/tau_mem) + I: gains as Euler's; a spike takes the threshold off.
    "rockpool": Rule(integrator="exponential", gain="euler", reset="subtract", decayed=True),
    # u = u (1 - du) + x, v = v (1 - dv) + u; a membrane that is put to 0.
    "lava": Rule(),
    # FORWARD of its conversion: Euler, put to v_reset.
    "spinnaker2": Rule(),
}


def steps_of(delay, dt, name):
    """Whole steps of a delay in seconds."""
    steps = numpy.rint(numpy.asarray(delay, float) / dt)
    if (numpy.abs(numpy.asarray(delay, float) - steps * dt) > 1e-6 * dt + 1e-9 * numpy.abs(delay)).any():
        raise Wrong(f"node '{name}', field 'delay': it has delays that are no whole steps of {dt:g}")
    if (steps < 0).any() or (steps > 65535).any():
        raise Wrong(f"node '{name}', field 'delay': delays are 0 to 65535 steps")
    return steps.astype(int)


@dataclasses.dataclass
class Neuron:
    """Numbers of a node's recurrence, of each element: psp = psp_kept psp + gain x; v = kept v + drift + psp."""

    kept: numpy.ndarray
    drift: numpy.ndarray
    gain: numpy.ndarray  # of what comes
    psp_kept: numpy.ndarray = None  # none where it has no current
    threshold: numpy.ndarray = None  # none where it never fires
    reset: numpy.ndarray = None


def neuron_of(name, node, rule, dt):
    fields, shape = node.fields, node.shape

    def of(field, default=None):
        return of_shape(name, field, fields.get(field, default), shape)

    def kept(field):
        tau = of(field)
        if (tau <= dt).any() if rule.integrator == "euler" else (tau <= 0).any():
            raise Wrong(f"node '{name}', field '{field}': time constants are longer than a step of {dt:g}, and the shortest is {tau.min():g}; "
                        "units are seconds, as --dt")
        return (1 - dt / tau if rule.integrator == "euler" else numpy.exp(-dt / tau)), tau

    def gain(keeps, tau):
        if rule.input == "spike" and node.type in ("LI", "LIF"):
            return 1 / tau
        return 1 - keeps if rule.gain == "same" else dt / tau

    made = None
    if node.type in ("I", "IF"):
        factor = 1.0 if rule.integrate == "step" or rule.input == "spike" else dt
        made = Neuron(numpy.ones(size(shape)), numpy.zeros(size(shape)), of("r") * factor)
    elif node.type in ("LI", "LIF"):
        keeps, tau = kept("tau")
        by = gain(keeps, tau)
        made = Neuron(keeps, of("v_leak") * (1 - keeps if rule.gain == "same" else dt / tau), of("r") * by)
    else:
        keeps, tau = kept("tau_mem")
        psp_keeps, psp_tau = kept("tau_syn")
        psp_gain = 1 / psp_tau if rule.input == "spike" else (1 - psp_keeps if rule.gain == "same" else dt / psp_tau)
        if rule.decayed:
            psp_gain = psp_gain * psp_keeps
        by = 1 - keeps if rule.gain == "same" else dt / tau
        made = Neuron(keeps, of("v_leak") * by, of("w_in", 1.0) * psp_gain * of("r") * by, psp_keeps)
    if node.type in SPIKING:
        made.threshold, made.reset = of("v_threshold"), of("v_reset", 0.0)
        if (made.reset >= made.threshold).any():
            raise Wrong(f"node '{name}', field 'v_reset': it is below v_threshold for each neuron, and here it is not")
        if (made.threshold <= 0).any():
            raise Wrong(f"node '{name}', field 'v_threshold': membranes begin at 0, below their thresholds, and here one is {made.threshold.min():g}")
    return made


def order_of(graph, rule, delays):
    """Nodes in the order of a step, the edges by which they take what was there in the last step, and the delays that take so: each waits a
    step less by itself. delays: steps of each Delay."""
    whole = components_of(graph.nodes, graph.targets)
    early = {name for name, steps in delays.items() if steps.min() >= 1 and any(whole[one] == whole[name] for one in graph.sources(name))}
    late = {(a, b) for a, b in graph.edges if b in early}  # such a cycle has its step

    def targets(name):
        return [one for one in graph.targets(name) if one not in early]

    component = components_of(graph.nodes, targets)
    is_state = {name: node.type in NEURONS + ("Delay",) for name, node in graph.nodes.items()}
    if rule.cycle == "every":
        late |= {(a, b) for a, b in graph.edges if (a, b) not in late and component[a] == component[b] and is_state[a]}
    else:
        late |= closing_edges(graph, component, is_state, targets)
    order, left = [], {name: sum((one, name) not in late for one in graph.sources(name)) for name in graph.nodes}
    ready = [name for name in graph.nodes if left[name] == 0]
    while ready:
        name = ready.pop(0)
        order.append(name)
        for one in graph.targets(name):
            if (name, one) not in late:
                left[one] -= 1
                if left[one] == 0:
                    ready.append(one)
    if len(order) != len(graph.nodes):
        stuck = next(name for name in graph.nodes if name not in order)
        raise Wrong(f"node '{stuck}': it is in a cycle without a neuron or a delay, which no step breaks")
    return order, late, early


def closing_edges(graph, component, is_state, targets):
    """Edges that close a cycle, as they are met from the Input on; the step is where the last state before one is."""
    late = set()
    start = next(name for name, node in graph.nodes.items() if node.type == "Input")
    colour, back = {}, []
    for begin in [start, *graph.nodes]:  # what is behind delays alone is met later
        if begin in colour:
            continue
        colour[begin] = 1
        todo = [(begin, iter(targets(begin)))]
        while todo:
            name, rest = todo[-1]
            for one in rest:
                if colour.get(one) == 1:
                    back.append((name, one))
                elif one not in colour:
                    colour[one] = 1
                    todo.append((one, iter(targets(one))))
                    break
            else:
                colour[name] = 2
                todo.pop()
    for a, b in back:
        reach, edges = [(a, b)], []
        while reach:
            edge = reach.pop()
            if is_state[edge[0]]:
                edges.append(edge)
            else:
                others = [one for one in targets(edge[0]) if one != edge[1]]
                if others:
                    raise Wrong(f"node '{edge[0]}': it closes a cycle, and leads to '{others[0]}' besides, which would have its input a step late; "
                                "--cycle every takes a step at each neuron of a cycle")
                reach += [(one, edge[0]) for one in graph.sources(edge[0]) if component[one] == component[a]]
                if any(component[one] != component[a] for one in graph.sources(edge[0])):
                    raise Wrong(f"node '{edge[0]}': it closes a cycle, and takes from '{graph.sources(edge[0])[0]}', which is not of it")
        late.update(edges)
    return late


def delays_of(graph, dt):
    """Steps of each Delay, by element."""
    return {name: steps_of(of_shape(name, "delay", node.fields["delay"], node.shape), dt, name) for name, node in graph.nodes.items() if node.type == "Delay"}


def weights_of(name, node):
    """The weights of a linear node as numbers: [out][in], [out][in of the group][y][x], [element], or none of a pool."""
    if node.type == "Scale":
        return of_shape(name, "scale", node.fields["scale"], node.shape)
    if node.type.endswith("Pool2d"):
        return None
    weight = node.fields["weight"].astype(float)
    return weight[:, :, None, :] if node.type == "Conv1d" else weight


def apply(name, node, weight, x):
    """What a linear node makes of an array with these weights, and no bias; pools sum. In the type of the array."""
    if node.type in ("Affine", "Linear"):
        return weight @ x.reshape(-1)
    if node.type == "Scale":
        return weight * x.reshape(-1)
    image = shape_of_image(node)
    window = window_of(name, node, image)
    x = x.reshape(image)
    height, width = window.out()
    (py, px), (sy, sx), (dy, dx) = window.padding, window.stride, window.dilation
    padded = numpy.zeros((image[0], image[1] + 2 * py, image[2] + 2 * px), x.dtype)
    padded[:, py:py + image[1], px:px + image[2]] = x

    def piece(part, ky, kx):
        return part[:, dy * ky:dy * ky + sy * (height - 1) + 1:sy, dx * kx:dx * kx + sx * (width - 1) + 1:sx]

    if weight is None:
        return sum(piece(padded, ky, kx) for ky in range(window.height) for kx in range(window.width)).reshape(-1)
    groups = int(node.fields["groups"].reshape(-1)[0])
    outs, ins = weight.shape[0] // groups, weight.shape[1]
    out = numpy.zeros((weight.shape[0], height, width), x.dtype)
    for group in range(groups):
        part = padded[group * ins:(group + 1) * ins]
        mine = slice(group * outs, (group + 1) * outs)
        for ky in range(window.height):
            for kx in range(window.width):
                out[mine] += numpy.tensordot(weight[mine, :, ky, kx], piece(part, ky, kx), axes=1)
    return out.reshape(-1)


def shape_of_image(node):
    """Channels, height and width of what comes to a convolution or a pool."""
    fields, shape = node.fields, node.in_shape
    if node.type in ("Conv1d", "Conv2d"):
        channels = fields["weight"].shape[1] * int(fields["groups"].reshape(-1)[0])
        if "input_shape" in fields and not isinstance(fields["input_shape"], str) and fields["input_shape"].size:
            shape = (channels,) + tuple(int(one) for one in fields["input_shape"].reshape(-1))
        return shape if node.type == "Conv2d" else (shape[0], 1, shape[1])
    return shape


def area_of(name, node):
    """Of the window of a pool."""
    window = window_of(name, node, shape_of_image(node))
    return window.height * window.width


def bias_of(node):
    """Of each element that a node puts out, or none."""
    if "bias" not in node.fields:
        return None
    bias = node.fields["bias"].astype(float).reshape(-1)
    channels = node.shape[0]
    return numpy.repeat(numpy.broadcast_to(bias, channels), size(node.shape) // channels)


class Float:
    """The graph in double, a step at a time: what the integers are compared with."""

    def __init__(self, graph, rule, dt):
        self.graph, self.rule, self.dt = graph, rule, dt
        steps = delays_of(graph, dt)
        self.order, self.late, early = order_of(graph, rule, steps)
        self.neurons = {name: neuron_of(name, node, rule, dt) for name, node in graph.nodes.items() if node.type in NEURONS}
        self.delays = {name: of - (name in early) for name, of in steps.items()}
        self.reset()

    def reset(self):
        self.v = {name: numpy.zeros(of.kept.size) for name, of in self.neurons.items()}
        self.psp = {name: numpy.zeros(of.kept.size) for name, of in self.neurons.items()}
        self.past = {name: [numpy.zeros(steps.size) for _ in range(steps.max() + 1)] for name, steps in self.delays.items()}
        self.out = {name: numpy.zeros(size(node.shape)) for name, node in self.graph.nodes.items()}
        self.margin = {}  # how far from its threshold what was asked about was

    def step(self, given):
        """given: [element of the Input]. What each node puts out is in self.out."""
        before = self.out
        self.out = {}
        for name in self.order:
            node = self.graph.nodes[name]
            x = given if node.type == "Input" else sum(
                (before if (one, name) in self.late else self.out)[one] for one in self.graph.sources(name))
            self.out[name] = numpy.asarray(self.node(name, node, numpy.asarray(x, float).reshape(-1)), float)
        return self.out[next(name for name, node in self.graph.nodes.items() if node.type == "Output")]

    def node(self, name, node, x):
        if node.type in ("Input", "Output", "Flatten"):
            return x
        if node.type in LINEAR:
            made, bias = apply(name, node, weights_of(name, node), x), bias_of(node)
            if node.type == "AvgPool2d":
                made = made / area_of(name, node)
            return made if bias is None else made + bias
        if node.type == "Delay":
            past, steps = self.past[name], self.delays[name]
            past.insert(0, x), past.pop()
            return numpy.array([past[step][at] for at, step in enumerate(steps)])
        if node.type == "Threshold":
            threshold = of_shape(name, "threshold", node.fields["threshold"], node.shape)
            self.margin[name] = numpy.abs(x - threshold)
            return (x > threshold).astype(float)
        of = self.neurons[name]
        before, v = self.v[name], self.v[name] * of.kept + of.drift
        if of.psp_kept is None:
            v = v + of.gain * x
        else:
            if self.rule.order == "before":
                v = v + self.psp[name]
            self.psp[name] = of.psp_kept * self.psp[name] + of.gain * x
            if self.rule.order == "with":
                v = v + self.psp[name]
        if node.type in READING:
            self.v[name] = v
            return v
        by = of.threshold - of.reset
        if self.rule.reset == "subtract_late":
            v = v - numpy.where(before > of.threshold, by, 0.0)
        tested = v - numpy.where(before > of.threshold, by, 0.0) if self.rule.reset == "subtract_twice" else v
        self.margin[name] = numpy.abs(tested - of.threshold)
        if self.rule.reset in ("subtract_twice", "subtract_late"):  # it is asked about the membrane before, too
            self.margin[name] = numpy.minimum(self.margin[name], numpy.abs(before - of.threshold))
        z = tested > of.threshold
        if self.rule.reset == "value":
            v = numpy.where(z, of.reset, v)
        elif self.rule.reset in ("subtract", "subtract_twice"):
            v = numpy.where(z, v - by, v)
        self.v[name] = v
        return z.astype(float)
