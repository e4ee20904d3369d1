# SPDX-License-Identifier: BSL-1.0
"""A plan as a C++ header: constant tables, layers, and a class whose `step` does what the plan does. Nothing is interpreted."""

import math
import re

import numpy

from graph import READING, window_of
from plan import kept_of
from rules import shape_of_image

WORDS = {8: "std::int8_t", 16: "std::int16_t", 32: "std::int32_t", 4: "std::uint8_t"}
RESERVED = set("""alignas alignof and asm auto bool break case catch char class concept const consteval constexpr constinit continue decltype default
delete do double else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not nullptr operator or
private protected public register requires return short signed sizeof static struct switch template this throw true try typedef typeid typename union
unsigned using virtual void volatile while xor input output step reset saturations tables inputs outputs layers neuromorph""".split())
NAMESPACES = ("neuromorph", "std", "layers", "network", "synapse", "membrane", "threshold", "reset", "rounding", "trained")


class Names:
    """Names of nodes as those of C++, each its own."""

    def __init__(self):
        self.known, self.taken = {}, set(RESERVED)

    def __call__(self, name):
        if name not in self.known:
            made = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", name)).strip("_").lower() or "node"
            if made[0].isdigit():
                made = "n" + made
            unique, at = made, 2
            while unique in self.taken:
                unique, at = f"{made}_{at}", at + 1
            self.taken.add(unique)
            self.known[name] = unique
        return self.known[name]


def numbers(values, width=118):
    lines, line = [], ""
    for one in values:
        text = f"{int(one)},"
        if len(line) + len(text) + 1 > width:
            lines.append(line)
            line = ""
        line += (" " if line else "") + text
    return "\n".join(lines + [line]).rstrip(",")


def packed(ints, bits):
    ints = [int(one) for one in ints]
    if bits != 4:
        return ints
    ints += [0] * (len(ints) % 2)
    return [(a & 15) | (b & 15) << 4 for a, b in zip(ints[::2], ints[1::2])]


def window_text(window):
    pairs = [("in_height", window.in_height), ("in_width", window.in_width), ("height", window.height), ("width", window.width),
             ("stride_y", window.stride[0]), ("stride_x", window.stride[1]), ("padding_y", window.padding[0]), ("padding_x", window.padding[1]),
             ("dilation_y", window.dilation[0]), ("dilation_x", window.dilation[1])]
    return "layers::Window{" + ", ".join(f".{name} = {value}" for name, value in pairs) + "}"


def table(rows, plan, name):
    """Type and numbers of rows."""
    node = plan.graph.nodes.get(rows.node)
    if rows.form == "Identity":
        return f"inline constexpr layers::Identity<{rows.targets}> {name}{{}};"
    if rows.form == "Diagonal":
        return f"inline constexpr layers::Diagonal<{rows.bits}, {rows.targets}> {name}{{{{{{\n{numbers(packed(rows.ints.reshape(-1), rows.bits))}}}}}}};"
    if rows.form == "Dense":
        stride = (rows.targets * rows.bits + 31) // 32 * 32 // rows.bits  # whole words
        padded = numpy.zeros((rows.sources, stride), numpy.int64)
        padded[:, :rows.targets] = rows.ints.T
        ints = packed(padded.reshape(-1), rows.bits)
        return f"inline constexpr layers::Dense<{rows.bits}, {rows.sources}, {rows.targets}> {name}{{{{{{\n{numbers(ints)}}}}}}};"
    if rows.form == "Sparse":
        source, target = numpy.nonzero(rows.ints.T)
        first = numpy.searchsorted(source, numpy.arange(rows.sources + 1))
        ints = packed(rows.ints.T[source, target], rows.bits)
        return (f"inline constexpr layers::Sparse<{rows.bits}, {rows.sources}, {rows.targets}, {max(1, len(target))}> {name}{{\n{{{numbers(first)}}},\n"
                f"{{{numbers(target if len(target) else [0])}}},\n{{{{{numbers(ints if len(ints) else [0])}}}}}}};")
    window = window_text(window_of(rows.node, node, shape_of_image(node)))
    if rows.form == "Pooling":
        return f"inline constexpr layers::Pooling<{shape_of_image(node)[0]}, {window}> {name}{{}};"
    groups = int(node.fields["groups"].reshape(-1)[0])
    outs = rows.ints.shape[0] // groups  # [in][y][x][out of the group]
    ints = numpy.concatenate([rows.ints[group * outs:(group + 1) * outs].transpose(1, 2, 3, 0).reshape(-1) for group in range(groups)])
    ints = packed(ints, rows.bits)
    return (f"inline constexpr layers::Convolution<{rows.bits}, {shape_of_image(node)[0]}, {rows.ints.shape[0]}, {window}, {groups}> "
            f"{name}{{{{{{\n{numbers(ints)}}}}}}};")


def number(value):
    return repr(float(value))


class Writer:
    def __init__(self, plan, namespace, origin):
        self.plan, self.namespace, self.origin, self.names = plan, namespace, origin, Names()
        self.rows = {rows.name: self.names("rows " + rows.name) for rows in plan.rows}

    def is_columns(self, layer):
        membrane = bool(numpy.ptp(layer.kept) or numpy.ptp(layer.drift))
        return membrane, layer.psp_kept is not None and bool(numpy.ptp(layer.psp_kept))

    def model(self, layer):
        rule = self.plan.rule
        acts = "before_arrivals" if rule.order == "before" else "with_arrivals"
        synapses = "synapse::Sums" if layer.psp_kept is None else f"synapse::Recurrence<synapse::Acts::{acts}>"
        membrane_columns, psp_columns = self.is_columns(layer)
        membrane = "membrane::Recurrence"
        if membrane_columns:
            membrane = f"PerNeuron<{membrane}>"
        if psp_columns:
            synapses = f"PerNeuron<{synapses}>"
        if layer.type in READING:
            return f"neuromorph::Neuron<{membrane}, {synapses}, threshold::None, reset::None, rounding::Nearest>"
        reset = {"value": "ToValue", "subtract": "Subtraction", "subtract_twice": "TwiceTestedSubtraction",
                 "subtract_late": "LateSubtraction"}[rule.reset]
        return f"neuromorph::Neuron<{membrane}, {synapses}, threshold::Fixed, reset::{reset}, rounding::Nearest>"

    def made(self, layer):
        unit = math.ldexp(1.0, -layer.bits)
        parts = [f".membrane = {{.kept = {number(layer.kept[0])}, .drift_mv = {number(layer.drift[0] * unit)}, .v_initial_mv = 0.0, "
                 f".fraction_bits = {layer.bits}}}"]
        if layer.psp_kept is None:
            parts.append(f".synapses = {{.fraction_bits = {layer.bits}}}")
        else:
            parts.append(f".synapses = {{.kept = {number(layer.psp_kept[0])}, .drift_mv = 0.0, .fraction_bits = {layer.bits}}}")
        if layer.type not in READING:
            parts.append(f".threshold = {{.v_mv = {number(layer.level * unit)}}}")
            if self.plan.rule.reset == "value":
                parts.append(f".reset = {{.v_mv = {number(layer.reset * unit)}}}")
            else:
                parts.append(f".reset = {{.by_mv = {number(layer.by * unit)}}}")
        return "{" + ",\n                 ".join(parts) + "}"

    def columns(self, layer):
        membrane_columns, psp_columns = self.is_columns(layer)
        made = []
        if membrane_columns:
            itself, factor = kept_of(layer.kept)
            level = numpy.full(layer.count, layer.level, numpy.int64)
            kept = numpy.where(itself < 0, level, 0) + ((level * factor + (1 << 31)) >> 32)
            made += [itself, factor, layer.drift + kept - level]
        if psp_columns:
            made += [*kept_of(layer.psp_kept), numpy.zeros(layer.count, int)]
        return made

    def text(self):
        plan, names = self.plan, self.names
        layers = {name: names(name) for name in plan.layers}
        lines = ["// SPDX-License-Identifier: BSL-1.0", "/// \\file", f"/// {self.origin}", "///",
                 f"///     static {self.namespace}::Network network;",
                 f"///     const auto out = network.step({'spikes' if plan.signals[plan.input].kind == 'spikes' else 'values'});",
                 "// made by tools/nir_import: not to be changed by hand", "#pragma once", "",
                 "#include <array>", "#include <cstddef>", "#include <cstdint>", "#include <span>", "",
                 "#include <neuromorph/kernels/layers/layer.hpp>", "#include <neuromorph/kernels/layers/lines.hpp>",
                 "#include <neuromorph/kernels/layers/rows.hpp>", "#include <neuromorph/kernels/neurons/models/trained.hpp>", "",
                 f"namespace {self.namespace} {{", "using namespace neuromorph;", "", "namespace tables {"]
        for rows in plan.rows:
            lines.append(table(rows, plan, self.rows[rows.name]))
        finish = {}
        for at, one in enumerate(plan.operations):
            if one.do == "finish":
                finish[at] = names(f"channels {one.to} {at}")
                entries = ",\n".join(f"{{{factor}, {bias}}}" for factor, bias in one.channels)
                lines.append(f"inline constexpr std::array<layers::Channel, {len(one.channels)}> {finish[at]}{{{{\n{entries}}}}};")
        for name, thresholds in plan.thresholds.items():
            lines.append(f"inline constexpr std::array<std::int32_t, {thresholds.size}> {names('thresholds ' + name)}{{\n{numbers(thresholds)}}};")
        for name, steps in plan.delays.items():
            lines.append(f"inline constexpr std::array<std::uint16_t, {steps.size}> {names('delays ' + name)}{{\n{numbers(steps)}}};")
        for name, layer in plan.layers.items():
            own = layers[name]
            lines += [f"using {own}_model = {self.model(layer)};",
                      f"inline constexpr auto {own}_made = {own}_model::make({self.made(layer)}, 1.0);",
                      f'static_assert({own}_made.ok(), "{self.namespace}: the layer {own} cannot be");']
            columns = self.columns(layer)
            if columns:
                body = ",\n".join("{" + numbers(one) + "}" for one in columns)
                lines.append(f"inline constexpr layers::Layer<{own}_model, {layer.count}>::Columns {own}_columns{{{{\n{body}}}}};")
        lines.append("} // namespace tables")
        lines += self.network(layers, finish)
        lines += ["", f"}} // namespace {self.namespace}", ""]
        return "\n".join(lines)

    def is_list(self, name):
        return self.plan.signals[name].kind == "spikes"

    def now(self, name, layers, late=False):
        """What holds a signal."""
        plan = self.plan
        if late and name in plan.kept:
            kept = self.names("kept " + name)
            return f"std::span<const std::uint32_t>({kept}_).first({kept}_count_)" if self.is_list(name) else f"{kept}_"
        if name == plan.input:
            return "input"
        if name in layers:
            return f"{layers[name]}.fired()" if self.is_list(name) else f"{layers[name]}.membranes()"
        return f"{self.names(name)}_"

    def network(self, layers, finish):
        plan, names = self.plan, self.names
        out, signal = plan.signal(plan.output)
        given = plan.signals[plan.input]
        takes = "std::span<const std::uint32_t> input" if given.kind == "spikes" else f"std::span<const std::int32_t, {given.count}> input"
        gives = "std::span<const std::uint32_t>" if signal.kind == "spikes" else f"std::span<const std::int32_t, {signal.count}>"
        lines = ["", "/// A step a call; between samples `reset`.", "class Network {", "public:",
                 f"  static constexpr std::size_t inputs = {given.count}, outputs = {signal.count};",
                 f"  static constexpr std::size_t table_bytes = {' + '.join(self.table_names(layers, finish)) or '0'};",
                 f"  /// \\param input  {self.about(given, 'fire')}", f"  /// \\return {self.about(signal, 'fired')}, until the next step",
                 f"  {gives} step({takes}) noexcept {{"]
        body = []
        for name in plan.kept:
            kept, of = names("kept " + name), self.now(name, layers)
            if self.is_list(name):
                body += [f"{kept}_count_ = 0;", f"for (const std::uint32_t one : {of}) {kept}_[{kept}_count_++] = one;"]
            else:
                body.append(f"for (std::size_t at = 0; at < {kept}_.size(); ++at) {kept}_[at] = {of}[at];")
        for at, one in enumerate(plan.operations):
            source = self.now(one.source, layers, one.late) if one.source else ""
            to = f"{layers[one.to]}.sums()" if one.to in layers else f"std::span<std::int32_t, {plan.signals[one.to].count}>({names(one.to)}_)"
            if one.do == "clear":
                body.append(f"{names(one.to)}_.fill(0);")
            elif one.do == "add":
                rows = f"tables::{self.rows[one.rows.name]}"
                kind = plan.signals[one.source].kind
                whole = source if one.source in layers or one.source == plan.input else f"std::span<const std::int32_t, {one.rows.sources}>({source})"
                if kind == "spikes":
                    body.append(f"layers::add({rows}, {source}, {to});")
                elif kind == "counts":
                    body.append(f"layers::add_counts({rows}, {whole}, {to});")
                else:
                    body.append(f"layers::add({rows}, {whole}, {one.shift}, {to}, saturations_);")
            elif one.do == "finish":
                body.append(f"layers::finish<{one.shift}>({to}, tables::{finish[at]}, saturations_);")
            elif one.do == "step":
                body.append(f"{layers[one.to]}.step();")
            elif one.do == "delay":
                if self.is_list(one.to):
                    body.append(f"{names(one.to)}_ = {names('line ' + one.to)}_.step({source});")
                else:
                    count = plan.signals[one.to].count
                    body.append(f"for (std::size_t at = 0; const std::int32_t value : {names('line ' + one.to)}_.step(std::span<const std::int32_t, {count}>({source})))")
                    body.append(f"  {names(one.to)}_[at++] = value;")
            elif one.do == "threshold":
                count = plan.signals[one.to].count
                body.append(f"{names(one.to)}_ = layers::above(std::span<const std::int32_t, {count}>({source}), tables::{names('thresholds ' + one.to)}, {names('list ' + one.to)}_);")
        lines += ["    " + one for one in body] + [f"    return {self.now(out, layers)};", "  }", "  /// As before the first step; counts go on.", "  void reset() noexcept {"]
        undo = [f"{own}.reset();" for own in layers.values()]
        members = []
        for name in plan.signals:
            if name in layers or name == plan.input:
                continue
            own, count = names(name), plan.signals[name].count
            if self.is_list(name):
                members.append(f"  std::span<const std::uint32_t> {own}_{{}};")
                undo.append(f"{own}_ = {{}};")
            else:
                members.append(f"  std::array<std::int32_t, {count}> {own}_{{}};")
                undo.append(f"{own}_.fill(0);")
        for name in plan.delays:
            kind = "SpikeDelay" if self.is_list(name) else "ValueDelay"
            steps = plan.delays[name]
            members.append(f"  layers::{kind}<{steps.size}, {int(steps.max())}> {names('line ' + name)}_{{tables::{names('delays ' + name)}}};")
            undo.append(f"{names('line ' + name)}_.reset();")
        for name in plan.thresholds:
            members.append(f"  std::array<std::uint32_t, {plan.thresholds[name].size}> {names('list ' + name)}_{{}};")
        for name in plan.kept:
            kept, count = names("kept " + name), plan.signals[name].count
            members.append(f"  std::array<{'std::uint32_t' if self.is_list(name) else 'std::int32_t'}, {count}> {kept}_{{}};")
            if self.is_list(name):
                members.append(f"  std::size_t {kept}_count_ = 0;")
        lines += ["    " + one for one in undo] + ["  }", "  /// Sums that were held at the end of their word, since the start.",
                  "  [[nodiscard]] std::uint32_t saturations() const noexcept {",
                  "    return saturations_" + "".join(f" + {own}.saturations()" for own in layers.values()) + ";", "  }", ""]
        for name, layer in plan.layers.items():
            own = layers[name]
            columns = f", tables::{own}_columns" if self.columns(layer) else ""
            lines.append(f"  layers::Layer<tables::{own}_model, {layer.count}> {own}{{tables::{own}_made.value(){columns}}};")
        return lines + ["", "private:"] + members + ["  std::uint32_t saturations_ = 0;", "};"]

    def table_names(self, layers, finish):
        """What stands in constant memory."""
        names = [self.rows[rows.name] for rows in self.plan.rows if rows.ints is not None] + list(finish.values())
        names += [self.names("thresholds " + name) for name in self.plan.thresholds] + [self.names("delays " + name) for name in self.plan.delays]
        names += [f"{layers[name]}_columns" for name, layer in self.plan.layers.items() if self.columns(layer)]
        return [f"sizeof tables::{name}" for name in names]

    @staticmethod
    def about(signal, fire):
        if signal.kind == "spikes":
            return f"elements that {fire}, ascending, of {signal.count}"
        if signal.unit == 1.0:
            return f"a number of each of {signal.count} elements"
        return f"a value of each of {signal.count} elements; 1 is worth {signal.unit!r}"


def write(plan, namespace, origin):
    return Writer(plan, namespace, origin).text()
