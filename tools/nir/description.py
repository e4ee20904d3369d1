# SPDX-License-Identifier: BSL-1.0
"""A graph for the host's description of networks: populations, and synapses with weights of 16 bits and whole steps of delay.

There a spike takes a step at least, so each layer is some steps behind the graph: `lags` has how many. What is linear between
spikes and neurons becomes one table of weights (`folded`); what is added in each step comes from a neuron that fires in each.
"""

import math

import numpy

from graph import LINEAR, Graph, Node, Wrong, size, window_of
from header import Writer, numbers, table
from plan import Operation, Plan, Rows, nearest
from rules import apply, area_of, bias_of, delays_of, order_of, shape_of_image, weights_of

BITS = 16
MOST = (1 << (BITS - 1)) - 1
MOST_DELAY = 4095


def is_pool(node):
    return node.type.endswith("Pool2d")


def chains_of(graph, name):
    """Ways from spikes, delays or values to a node, over linear nodes alone: the first is where it begins."""
    if graph.nodes[name].type not in LINEAR + ("Flatten",):
        return [[name]]
    return [way + [name] for one in graph.sources(name) for way in chains_of(graph, one)]


def through(graph, linear, x):
    """What linear nodes one after the other make of numbers, without their biases."""
    for name in linear:
        node = graph.nodes[name]
        x = apply(name, node, weights_of(name, node), x) / (area_of(name, node) if node.type == "AvgPool2d" else 1.0)
    return x


def folded(graph):
    """The graph with one table between spikes and neurons: pools, and after them one node with weights; else a matrix."""
    made = Graph(dict(graph.nodes), [], graph.version, list(graph.notes))
    for name, node in graph.nodes.items():
        if node.type in LINEAR + ("Flatten",):
            continue
        ways = [way[:1] + [one for one in way[1:] if graph.nodes[one].type != "Flatten"]  # numbers of elements stay
                for source in graph.sources(name) for way in chains_of(graph, source)]
        kept = [way for way in ways if all(is_pool(graph.nodes[one]) for one in way[1:-1])]
        made.edges += [edge for way in kept for edge in zip(way, way[1:] + [name])]
        told = {tuple(way[-1:]) for way in kept}  # ways behind a node whose bias is there: ways that meet share it
        for way in ways:
            linear = way[1:]
            if way in kept:
                continue
            inputs = size(graph.nodes[linear[0]].in_shape)
            if inputs * size(node.shape) > 1 << 24:
                raise Wrong(f"node '{linear[-1]}': with the linear nodes before it it would be a matrix of {inputs} x {size(node.shape)} weights; "
                            "a description takes pools and then one node with weights, or up to 16777216")
            one = "_".join([*linear, name])
            made.edges += [(way[0], one), (one, name)]
            if one in made.nodes:
                continue
            bias = numpy.zeros(size(graph.nodes[linear[-1]].shape))
            for at, of in enumerate(linear):
                own = bias_of(graph.nodes[of])
                if own is not None and tuple(linear[at:]) not in told:
                    told.add(tuple(linear[at:]))
                    bias = bias + through(graph, linear[at + 1:], own)
            weight = numpy.stack([through(graph, linear, column) for column in numpy.eye(inputs)]).T
            made.nodes[one] = Node("Affine", {"weight": weight, "bias": bias}, (weight.shape[0],), graph.nodes[linear[0]].in_shape)
    made.edges = list(dict.fromkeys(made.edges))
    used = {one for edge in made.edges for one in edge}
    made.nodes = {name: node for name, node in made.nodes.items() if name in used}
    return made


def doubled(values, most):
    """Integers of at most `most`, and how often they are doubled, of integers that may be larger."""
    up, largest = 0, float(numpy.abs(values).max(initial=0))
    while nearest(math.ldexp(largest, -up)) > most:
        up += 1
    return nearest(numpy.ldexp(values, -up)), up


class Description(Plan):
    """A plan whose weights have 16 bits, doubled so often, and nothing that finishes sums."""

    def __init__(self, graph, rule, options):
        if options.input != "spikes":
            raise Wrong("--input: the sources of a description fire once a step at most: its input is spikes")
        if options.weights not in (0, BITS):
            raise Wrong(f"--weights: those of a description have {BITS} bits, times a power of two of each projection's own")
        order_of(graph, rule, delays_of(graph, options.dt))  # refuses what has no order, which is not to be folded
        super().__init__(folded(graph), rule, options)
        self.edges = [edge for name in self.layers for edge in self.edges_into(name)]
        self.biases = {one.to: numpy.array([bias for _, bias in one.channels]) for one in self.operations if one.do == "finish"}
        self.outputs = [self.spiking(one) for one in self.graph.sources(self.output)]
        self.lags = self.lags_of()

    # --- as Plan, but

    def layer(self, name, node):
        made = super().layer(name, node)
        made.from_leak, made.drift = made.drift, numpy.zeros_like(made.drift)  # with the bias: not before the first step of the graph
        if made.psp_kept is not None and made.from_leak.any():
            raise Wrong(f"node '{name}', field 'v_leak': in a description a neuron with a current rests at 0, as what is added in each step comes to its current")
        return made

    def materialise(self, name, node, sources):
        super().materialise(name, node, sources)
        if self.signals[name].kind == "values" and node.type != "Output":
            raise Wrong(f"node '{name}', of type {node.type}: a description has spikes alone between populations, and here are values")

    def make(self, name, node):
        if node.type == "Threshold":
            raise Wrong(f"node '{name}', of type Threshold: a description has spikes of neurons and of sources alone")
        super().make(name, node)

    def project(self, name, count, shape, bits, projections, bias, scale):
        if name not in self.layers:
            to = next(iter(self.graph.targets(name)), self.output)  # of a node, or of a sum before one
            raise Wrong(f"node '{name}': in a description weights lead to neurons, and these to '{to}', of type {self.graph.nodes[to].type}")
        total = 0.0
        for node_name, source, late, weight in projections:
            of, signal = self.signal(source)
            if signal.kind == "values":
                raise Wrong(f"node '{name}': membranes of '{of}' come to it, and a description has spikes alone between populations")
            node = self.graph.nodes[node_name] if node_name else None
            real = weight * signal.unit
            values = numpy.ldexp(real, bits)
            ints, up = doubled(values, max(1, MOST // self.multiplicity(of)))
            if (values != 0).any() and not ints.any():
                raise Wrong(f"node '{node_name or name}': all its weights vanish with {bits} fraction bits; say --state-bits")
            form = self.row_form(node_name, node, ints)
            rows = self.add_rows(Rows(f"{node_name or name}_{of}", "Diagonal" if form == "Identity" else form, node_name or "", BITS,
                                      signal.count, count, ints, real, numpy.array([math.ldexp(1.0, up - bits)]), up))
            self.operations.append(Operation("add", name, rows, of, late))
            total += math.ldexp(self.reach(node, ints.astype(float)) * signal.most, up)
        bias, up = doubled(bias + self.layers[name].from_leak, MOST)
        self.check_sums(name, total + math.ldexp(float(numpy.abs(bias).max(initial=0)), up))
        if bias.any():
            self.operations.append(Operation("finish", name, channels=[(1, int(one) << up) for one in bias]))

    def multiplicity(self, name):
        """How many ways there are at most from one element to one of what pools of it lead to."""
        if name in self.layers or name == self.input or name in self.delays:
            return 1
        node, times = self.graph.nodes.get(name), 1
        if node is not None and is_pool(node):
            window = window_of(name, node, shape_of_image(node))
            times = math.prod(-(-of // by) for of, by in zip((window.height, window.width), window.stride))
        return times * max(self.multiplicity(one.source) for one in self.operations if one.do == "add" and one.to == name)

    # --- what a description is made of

    def edges_into(self, name):
        """(population, layer, tables one after the other, steps of delay by source, steps late) of all that is added to a layer."""
        return [(origin, name, tables + [one.rows], steps, late + one.late) for one in self.operations if one.do == "add" and one.to == name
                for origin, tables, steps, late in self.ways_to(one.source)]

    def ways_to(self, name):
        if name in self.layers or name == self.input:
            return [(name, [], numpy.zeros(self.signals[name].count, int), 0)]
        if name in self.delays:
            one = next(one for one in self.operations if one.do == "delay" and one.to == name)
            if self.signals[one.source].kind != "spikes":
                raise Wrong(f"node '{name}', of type Delay: a description delays spikes, and here are sums of them")
            (origin, tables, steps, late), = self.ways_to(one.source)
            return [(origin, tables, steps + self.delays[name], late + one.late)]
        return [(origin, tables + [one.rows], steps, late + one.late) for one in self.operations if one.do == "add" and one.to == name
                for origin, tables, steps, late in self.ways_to(one.source)]

    def spiking(self, name):
        while name in self.alias:
            name = self.alias[name]
        if name not in self.layers:
            raise Wrong(f"node '{self.output}': a description ends in neurons, and '{name}' is of type {self.graph.nodes[name].type}")
        return name

    def lags_of(self):
        """The fewest steps that each layer is behind the graph, with which each spike has a step at least on its way."""
        lags = {self.input: 0, **{name: 1 for name in self.layers}}
        for _ in range(len(lags) + 1):
            changed = False
            for origin, name, _, steps, late in self.edges:
                least = lags[origin] + 1 - late - int(steps.min())
                if lags[name] < least:
                    lags[name], changed, last = least, True, (origin, name)
            if not changed:
                break
        else:
            raise Wrong(f"edge from '{last[0]}' to '{last[1]}': it is in a cycle that takes fewer steps than it has populations, and in a description "
                        "each takes one; --cycle every gives each neuron of a cycle a step")
        for origin, name, _, steps, late in self.edges:
            most = lags[name] - lags[origin] + late + int(steps.max())
            if most > MOST_DELAY:
                raise Wrong(f"edge from '{origin}' to '{name}': it takes {most} steps, and a description has at most {MOST_DELAY}")
        return lags


class DescriptionWriter(Writer):
    """A description as a C++ header."""

    def text(self):
        plan, names = self.plan, self.names
        layers = {name: names(name) for name in plan.layers}
        lines = ["// SPDX-License-Identifier: BSL-1.0", "/// \\file", f"/// {self.origin}", "///",
                 "///     network::Network net({.dt_ms = 1.0});",
                 f"///     const auto made = {self.namespace}::describe(net, net.add_spikes(\"input\", {self.namespace}::inputs, times));",
                 "// made by tools/nir_import: not to be changed by hand", "#pragma once", "",
                 "#include <array>", "#include <cstddef>", "#include <cstdint>", "#include <string>", "",
                 "#include <neuromorph/kernels/layers/rows.hpp>", "#include <neuromorph/kernels/neurons/models/trained.hpp>",
                 "#include <neuromorph/network/adapter/listed_rows.hpp>", "#include <neuromorph/network/network.hpp>", "",
                 f"namespace {self.namespace} {{", "using namespace neuromorph;", "", "namespace tables {"]
        lines += [table(rows, plan, self.rows[rows.name]) for rows in plan.rows]
        steps = {}
        for at, (origin, name, _, delays, _) in enumerate(plan.edges):
            if numpy.ptp(delays):
                steps[at] = names(f"steps {origin} {name} {at}")
                lines.append(f"inline constexpr std::array<std::uint16_t, {delays.size}> {steps[at]}{{\n{numbers(delays - delays.min())}}};")
        biases = {}
        for name, bias in plan.biases.items():
            biases[name] = names("bias " + name)
            ints, up = doubled(bias, MOST)
            unit = math.ldexp(1.0, up - plan.layers[name].bits)
            lines.append(f"inline constexpr layers::Dense<16, 1, {bias.size}> {biases[name]}{{{{{{\n{numbers(ints)}{',0' * (bias.size % 2)}}}}}}}; // in {unit!r}")
        for name, layer in plan.layers.items():
            lines.append(f"using {layers[name]}_model = {self.model(layer)};")
            for field, kept, of in (("kept", layer.kept, 0), ("psp_kept", layer.psp_kept, 1)):
                if self.is_columns(layer)[of]:
                    values = ", ".join(repr(float(one)) for one in kept)
                    lines.append(f"inline constexpr std::array<double, {layer.count}> {layers[name]}_{field}{{{values}}};")
        lines += ["} // namespace tables", ""]
        return "\n".join(lines + self.describe(layers, steps, biases) + ["", f"}} // namespace {self.namespace}", ""])

    def describe(self, layers, steps, biases):
        plan = self.plan
        lines = [f"inline constexpr std::uint32_t inputs = {plan.signals[plan.input].count};", "",
                 "/// Populations of the network. What a layer does in a step of the file's network, it does `lag` steps later here.", "struct Populations {",
                 "  struct Layer {", "    network::PopulationId id;", "    std::uint32_t lag; ///< steps", "  };", "  network::PopulationId input;"]
        lines += [f"  Layer {layers[name]};" for name in plan.layers]
        lines += [f"  std::array<Layer, {len(plan.outputs)}> outputs; ///< of those above", "};", "",
                  "/// Adds populations and projections to `net`, whose steps are as long as it says.",
                  "/// \\param input  a population of `inputs`: what fires in a step is what the file's network takes in it",
                  "[[nodiscard]] inline Populations describe(network::Network& net, network::PopulationId input) {",
                  "  const double dt = net.settings().dt_ms;", "  Populations made{.input = input,"]
        for name, layer in plan.layers.items():
            own = layers[name]
            each = [f"own.{part}.kept = tables::{own}_{field}[neuron];" for part, field, of in (("membrane", "kept", 0), ("synapses", "psp_kept", 1))
                    if self.is_columns(layer)[of]]
            changes = f", [](std::uint32_t neuron, network::NeuronDraws&, auto& own) {{ {' '.join(each)} }}" if each else ""
            lines.append(f"    .{own} = {{net.add<tables::{own}_model>({quoted(name)}, {layer.count}, {self.made(layer)}{changes}), {plan.lags[name]}}},")
        lines += ["    .outputs = {}};", f"  made.outputs = {{{', '.join('made.' + layers[one] for one in plan.outputs)}}};"]
        for at, (origin, name, tables, delays, late) in enumerate(plan.edges):
            source = "input" if origin == plan.input else f"made.{layers[origin]}.id"
            unit = math.ldexp(1.0, sum(rows.up for rows in tables) - plan.layers[name].bits)
            least = plan.lags[name] - plan.lags[origin] + late + int(delays.min())
            delay = f"network::StepsOf{{dt, {least}, tables::{steps[at]}}}" if at in steps else f"{least} * dt"
            rows = ", ".join(f"tables::{self.rows[rows.name]}" for rows in tables)
            lines.append(f"  net.connect({source}, made.{layers[name]}.id, network::listed({unit!r}, {delay}, {rows}));")
        if biases:
            lines += ["  // What is added in each step comes from a neuron that fires in each: none comes before the layer's first step.",
                      "  using Always = trained::Neuron<synapse::Sums, reset::ToValue>;",
                      f"  const auto always = net.add<Always>(\"{self.namespace}, always\", 1, {{.membrane = {{.kept = 0.0, .drift_mv = 2.0}}, .synapses = {{}}, "
                      ".threshold = {.v_mv = 1.0}, .reset = {.v_mv = 0.0}});"]
        for name, own in biases.items():
            _, up = doubled(plan.biases[name], MOST)
            unit = math.ldexp(1.0, up - plan.layers[name].bits)
            lines.append(f"  net.connect(always, made.{layers[name]}.id, network::listed({unit!r}, {plan.lags[name]} * dt, tables::{own}));")
        return lines + ["  return made;", "}"]


def quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write(plan, namespace, origin):
    return DescriptionWriter(plan, namespace, origin).text()
