# SPDX-License-Identifier: BSL-1.0
"""Networks by chance for nir.py: drawn of all nodes, stepped in double, in integers of Python, compiled, by the engine, on cores of a simulated
machine, and written to files and back.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/nir"))

import numpy  # noqa: E402

import description  # noqa: E402
import graph  # noqa: E402
import header  # noqa: E402
import options  # noqa: E402
import plan  # noqa: E402
import report  # noqa: E402
import rules  # noqa: E402
from graph import Graph, Node, Wrong  # noqa: E402


def fail(why):
    print(why)
    sys.exit(1)


def demand(holds, why):
    if not holds:
        fail(why)


def array(*values, kind=numpy.float32):
    return numpy.array(values, kind)


# --- networks by chance ------------------------------------------------------------------------------------------------


class Drawn:
    """A network over all nodes and options, in which something happens; or one of spikes alone between neurons."""

    def __init__(self, seed, only_spikes=False):
        self.only_spikes = only_spikes
        self.draw = numpy.random.default_rng(seed)
        self.dt = float(self.choose([1e-3, 1e-4, 1.0]))
        self.rule = rules.Rule(
            integrator=self.choose(["euler", "exponential"]), gain=self.choose(["same", "same", "euler"]), order=self.choose(["with", "before"]),
            reset=self.choose(["value", "subtract", "subtract_twice", "subtract_late"]), integrate="step",
            decayed=bool(self.draw.random() < 0.2), cycle=self.choose(["feedback", "every"]))
        self.nodes, self.edges, self.at = {}, [], 0
        shape = self.choose([(12,), (3, 14), (2, 8, 7), (1, 9, 10)])
        self.add("Input", {"shape": numpy.array(shape)}, [], shape)
        last = "Input0"
        for more in reversed(range(int(self.draw.integers(1, 5)))):
            last = self.stage(last, reads=not only_spikes or more == 0)
        flat = [one for one, node in self.nodes.items() if node.type in graph.SPIKING and len(node.shape) == 1
                and not any(self.nodes[a].type.startswith("Conv") for a, b in self.edges if b == one)]
        if len(flat) > 1 and self.draw.random() < 0.6:  # and from one layer to one before it
            shape = (graph.size(self.nodes[flat[0]].shape),)
            count = graph.size(self.nodes[flat[-1]].shape)
            back = self.add("Linear", {"weight": self.weight(shape[0], count, fan_in=count) * numpy.float32(0.5)}, [flat[-1]], shape)
            self.edges.append((back, flat[0]))
        self.add("Output", {"shape": numpy.array(self.nodes[last].shape)}, [last], self.nodes[last].shape)
        self.graph = Graph(self.nodes, self.edges)

    def choose(self, of):
        return of[int(self.draw.integers(len(of)))]

    def add(self, kind, fields, sources, shape):
        name = f"{kind}{self.at}"
        self.at += 1
        self.nodes[name] = Node(kind, {key: numpy.asarray(value) if not isinstance(value, str) else value for key, value in fields.items()}, tuple(shape))
        self.edges += [(one, name) for one in sources]
        return name

    def weight(self, *shape, fan_in):
        made = self.draw.normal(0.12, 1.0, shape) * 1.2 / numpy.sqrt(fan_in)
        if self.draw.random() < 0.3:
            made[self.draw.random(shape) < 0.7] = 0
        made.reshape(-1)[0] = 1.0  # one at least
        return made.astype(numpy.float32)

    def bias(self, count):
        return (self.draw.normal(0.02, 0.05, count) * (self.draw.random() < 0.5)).astype(numpy.float32)

    def linear(self, last):
        shape = self.nodes[last].shape
        kinds = ["Affine", "Linear", "Scale"] if len(shape) == 1 else ["Conv1d", "Scale"] if len(shape) == 2 else ["Conv2d", "Conv2d", "SumPool2d", "AvgPool2d"]
        kind, count = self.choose(kinds), graph.size(shape)
        if kind in ("Affine", "Linear"):
            outs = int(self.draw.integers(1, 15))
            fields = {"weight": self.weight(outs, count, fan_in=count)}
            if kind == "Affine":
                fields["bias"] = self.bias(outs)
            return self.add(kind, fields, [last], (outs,))
        if kind == "Scale":
            return self.add(kind, {"scale": self.draw.normal(0.8, 0.4, shape).astype(numpy.float32)}, [last], shape)
        if kind.endswith("Pool2d"):
            node = Node(kind, {"kernel_size": numpy.array(self.draw.integers(1, 4, 2)), "stride": numpy.array(self.draw.integers(1, 3, 2)),
                               "padding": numpy.array(self.draw.integers(0, 2, 2))})
        else:
            groups = self.choose([1, shape[0]])
            outs, kernel = groups * int(self.draw.integers(1, 4)), self.draw.integers(1, 4, len(shape) - 1)
            weight = self.weight(outs, shape[0] // groups, *kernel, fan_in=shape[0] // groups * kernel.prod())
            pair = (lambda low, high: numpy.array(self.draw.integers(low, high, len(shape) - 1)))
            node = Node(kind, {"weight": weight, "bias": self.bias(outs), "stride": pair(1, 3), "padding": pair(0, 3), "dilation": pair(1, 3),
                               "groups": numpy.array(groups)})
            if kind == "Conv2d" and self.draw.random() < 0.3:
                node.fields["stride"] = numpy.array(1)
                node.fields["padding"] = self.choose(["valid", "same"]) if (weight.shape[2] % 2 and weight.shape[3] % 2) else "valid"
                node.fields["dilation"] = numpy.array(1)
            if self.draw.random() < 0.5:
                node.fields["input_shape"] = numpy.array(shape[1:])
        try:
            made = graph.out_shape("", node, shape)
        except Wrong:
            return last  # too small for it
        return self.add(kind, node.fields, [last], made)

    def parameter(self, shape, low, high, varies=0.3):
        if self.draw.random() < varies:
            return self.draw.uniform(low, high, shape)
        return numpy.full(shape, self.draw.uniform(low, high))

    def neuron(self, sources, shape, reads):
        kind = self.choose(["IF", "LIF", "LIF", "CubaLIF", "CubaLIF"] + ["Threshold", "LI", "CubaLI", "I"][self.only_spikes:] * reads)
        if kind == "Threshold":
            return self.add(kind, {"threshold": self.parameter(shape, 0.2, 0.9)}, sources, shape)
        # Parameters that differ within a channel go with no convolution.
        over = any(self.nodes[one].type.startswith("Conv") for one in sources)
        shape_ = (shape[0],) + (1,) * (len(shape) - 1) if over else shape
        gain = 1 / self.dt if self.rule.gain == "euler" or self.draw.random() < 0.5 else None
        tau = {"tau": self.parameter(shape_, 2 * self.dt, 20 * self.dt)}
        fields = {}
        if kind in ("LI", "LIF"):
            fields = {**tau, "v_leak": self.parameter(shape_, -0.1, 0.3), "r": numpy.full(shape_, float(tau["tau"].mean() / self.dt) if gain else 4.0)}
        elif kind in ("CubaLI", "CubaLIF"):
            fields = {"tau_mem": tau["tau"], "tau_syn": self.parameter(shape_, 1.5 * self.dt, 8 * self.dt), "v_leak": self.parameter(shape_, -0.1, 0.3) * (not self.only_spikes or self.draw.random() < 0.05),
                      "r": numpy.full(shape_, float(tau["tau"].mean() / self.dt)), "w_in": numpy.full(shape_, self.draw.uniform(0.5, 3.0))}
            if self.draw.random() < 0.3:
                del fields["w_in"]
        else:
            fields = {"r": self.parameter(shape_, 0.3, 1.0, varies=0.2)}
        if kind in graph.SPIKING:
            if over or self.draw.random() < 0.7:
                threshold = numpy.full(shape_, self.draw.uniform(0.3, 1.5))
            else:
                threshold = self.draw.uniform(0.3, 1.5, shape_)
            fields["v_threshold"] = threshold
            if self.draw.random() < 0.5:
                fields["v_reset"] = threshold * self.draw.uniform(-0.5, 0.3)
        fields = {key: numpy.broadcast_to(value, shape).astype(self.choose([numpy.float32, numpy.float64])) for key, value in fields.items()}
        return self.add(kind, fields, sources, shape)

    def flat(self, name):
        shape = self.nodes[name].shape
        if len(shape) == 1:
            return name
        return self.add("Flatten", {"input_type": numpy.array(shape), "start_dim": numpy.array(0), "end_dim": numpy.array(-1)}, [name], (graph.size(shape),))

    def stage(self, last, reads):
        name = last
        for _ in range(int(self.draw.integers(0, 3))):
            name = self.linear(name)
            if self.only_spikes and self.draw.random() < 0.4:
                name = self.flat(name)
        if self.draw.random() < 0.25:
            shape = self.nodes[name].shape
            steps = self.draw.integers(0, 5, shape)
            name = self.add("Delay", {"delay": steps * self.dt}, [name], shape)
        if len(self.nodes[name].shape) > 1 and self.draw.random() < 0.4:
            name = self.flat(name)
        shape = self.nodes[name].shape
        kind = self.nodes[name].type
        neuron = self.neuron([name], shape, reads)
        if self.draw.random() < 0.4 and len(shape) == 1 and self.nodes[neuron].type in graph.SPIKING and kind not in ("Conv1d", "Conv2d"):
            count = graph.size(shape)
            late = self.add("Delay", {"delay": self.draw.integers(1, 4, shape) * self.dt}, [neuron], shape) if self.draw.random() < 0.3 else neuron
            back = self.add("Linear", {"weight": self.weight(count, count, fan_in=count) * numpy.float32(0.4)}, [late], shape)
            self.edges.append((back, neuron))
        same = [one for one, node in self.nodes.items() if node.shape == shape and one != neuron and node.type in graph.SPIKING + ("Threshold",)]
        if same and self.draw.random() < 0.3:
            self.edges.append((self.choose(same), neuron))
            self.edges = list(dict.fromkeys(self.edges))
        return neuron

    def options(self, precise):
        kind = self.choose(["spikes", "spikes", "counts", "values"])
        return plan.Options(self.dt, kind, weights=32 if precise else self.choose([0, 0, 4, 8, 16, 32]), state_bits=18 if precise else self.choose([0, 15]),
                            input_most={"spikes": 0, "counts": 6, "values": 4.0}[kind], budget=1e-3)

    def given(self, options, steps=40):
        shape = (steps, graph.size(self.nodes["Input0"].shape))
        on = self.draw.random(shape) < 0.35
        if options.input == "spikes":
            return on.astype(float)
        if options.input == "counts":
            return on * self.draw.integers(0, 7, shape).astype(float)
        return numpy.floor(self.draw.normal(0.2, 0.8, shape).clip(-4, 4) * 32768) / 32768


def drawn(seed, only_spikes=False):
    made = Drawn(seed, only_spikes)
    graph.check(made.graph, "drawn")
    for node in made.nodes.values():
        node.shape = node.in_shape = None
    graph.infer_shapes(made.graph)
    return made


def beside_double(seed, made, options, given):
    """Until a membrane stands as near to its threshold as rounding reaches, spikes of double are those of integers."""
    fixed, real = plan.Fixed(plan.Plan(made.graph, made.rule, options)), rules.Float(made.graph, made.rule, made.dt)
    compared, fired = 0, 0
    for step, x in enumerate(given):
        fixed.step(plan.nearest(x / fixed.plan.signals[fixed.plan.input].unit)), real.step(x)
        if any(fixed.held.values()):  # and counted: from here on it is another network
            return compared, fired
        for name in made.graph.nodes:
            of, signal = fixed.plan.signal(name) if name in fixed.plan.signals or name in fixed.plan.alias else (None, None)
            if of is None or of not in real.out or of not in fixed.now:
                continue
            value = fixed.now[of] * signal.unit
            if signal.kind == "spikes":
                differs = value != real.out[of]
                fired += int(value.sum())
                if differs.any():
                    node = made.graph.nodes[of]
                    margin = real.margin[of][differs]
                    demand((margin < 3e-3).all(), f"seed {seed}, step {step}, node {of} ({node.type}): spikes differ, {margin.max():g} from the threshold")
                    return compared, fired
            else:
                off = numpy.abs(value - real.out[of])
                demand((off < 5e-3 + 1e-3 * numpy.abs(real.out[of])).all(), f"seed {seed}, step {step}, node {of}: {off.max():g} off")
            compared += 1
    return compared, fired


PROGRAM = """
template <class Network>
void run(const char* path) {
  std::FILE* const file = std::fopen(path, "rb");
  static Network network;
  std::vector<std::int32_t> values(Network::inputs);
  for (int round = 0; round < 2; ++round) { // a sample, and once more after a reset
    std::rewind(file);
    while (std::fread(values.data(), 4, values.size(), file) == values.size()) {
      std::vector<std::uint32_t> spikes;
      for (std::uint32_t at = 0; at < values.size(); ++at)
        if (values[at] != 0) spikes.push_back(at);
      if constexpr (requires { network.step(std::span<const std::uint32_t>(spikes)); })
        for (const auto one : network.step(std::span<const std::uint32_t>(spikes))) std::printf("%lld ", static_cast<long long>(one));
      else
        for (const auto one : network.step(std::span<const std::int32_t, Network::inputs>(values))) std::printf("%lld ", static_cast<long long>(one));
      std::puts("");
    }
    std::printf("held %u\\n", network.saturations());
    network.reset();
  }
  std::fclose(file);
}
"""


def compiled(cases, cxx, include, flags=("-O1",)):
    """cases: (namespace, plan, given integers). What each prints, by the same bits as plan.Fixed."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        text = "#include <cstdint>\n#include <cstdio>\n#include <span>\n#include <vector>\n"
        main = "int main() {\n"
        for name, made, given in cases:
            (folder / f"{name}.hpp").write_text(header.write(made, name, "A network of a test."))
            numpy.asarray(given, "<i4").tofile(folder / f"{name}.bin")
            text += f'#include "{name}.hpp"\n'
            main += f'  std::puts("{name}"), run<{name}::Network>("{folder / name}.bin");\n'
        (folder / "main.cpp").write_text(text + PROGRAM + main + "}\n")
        made = subprocess.run([cxx, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wsign-conversion", "-Wshadow", *flags, f"-I{include}", f"-I{folder}",
                               str(folder / "main.cpp"), "-o", str(folder / "main")], capture_output=True, text=True)
        demand(made.returncode == 0, f"what was written does not compile: {made.stderr[:3000]}")
        printed = subprocess.run([str(folder / "main")], capture_output=True, text=True, check=True).stdout.split("\n")
    at = 0
    for name, made, given in cases:
        demand(printed[at] == name, f"{name} is not printed")
        at += 1
        fixed, held = plan.Fixed(made), 0
        out, signal = made.signal(made.output)
        for round_ in range(2):
            fixed.reset()
            for step, x in enumerate(given):
                fixed.step(x)
                right = numpy.nonzero(fixed.now[out])[0] if signal.kind == "spikes" else fixed.now[out]
                got = [int(one) for one in printed[at].split()]
                demand(got == right.tolist(), f"{name}, round {round_}, step {step}: compiled {got}, in Python {right.tolist()}")
                at += 1
            held += sum(fixed.held.values())
            demand(printed[at] == f"held {held}", f"{name}: compiled it has {printed[at]}, in Python {held}")
            at += 1


def random(cxx, include, seeds):
    seen, refused, compared, fired, unheld, cases = set(), 0, 0, 0, 0, []
    for seed in range(seeds):
        try:
            made = drawn(seed)
            options = made.options(precise=True)
            given = made.given(options)
            more, spikes = beside_double(seed, made, options, given)
            compared, fired = compared + more, fired + spikes
            options = made.options(precise=False)
            whole = plan.Plan(made.graph, made.rule, options)
            ints = [plan.nearest(x / whole.signals[whole.input].unit) for x in made.given(options)]
        except Wrong as wrong:
            refused += 1
            demand("within a channel" in str(wrong) or "--state-bits" in str(wrong) or "one unit" in str(wrong) or "closes a cycle" in str(wrong) or "delay in a cycle" in str(wrong)
                   or "time constants" in str(wrong), f"seed {seed}: {wrong}")
            continue
        seen |= {node.type for node in made.nodes.values()}
        never = [name for name in whole.layers if report.saturation(whole, name) == "never"]
        fixed, signal = plan.Fixed(whole), whole.signals[whole.input]
        for step in range(120):  # as much as can come, and by chance
            fixed.step(numpy.floor(signal.most * (numpy.ones(signal.count) if step < 60 else made.draw.random(signal.count).round())).astype(int))
        demand(not any(fixed.held[name] for name in never), f"seed {seed}: one of {never} was held, and the report says never")
        unheld += len(never)
        if len(cases) < 24:
            cases.append((f"n{seed}", whole, ints))
        with tempfile.TemporaryDirectory() as folder:  # there and back
            path = f"{folder}/net.nir"
            graph.write(made.graph, path)
            again = graph.read(path)
            graph.infer_shapes(again)
            demand(again.edges == made.graph.edges, f"seed {seed}: edges come back as others")
            for name, node in made.graph.nodes.items():
                demand(again.nodes[name].shape == node.shape and again.nodes[name].type == node.type, f"seed {seed}: '{name}' comes back as another")
                for field, value in node.fields.items():
                    demand(numpy.array_equal(numpy.asarray(value), numpy.asarray(again.nodes[name].fields[field])), f"seed {seed}: '{name}' {field}")
    demand(seen == set(graph.ARRAYS), f"no network has {set(graph.ARRAYS) - seen}")
    demand(unheld > seeds / 2, f"{unheld} layers never saturate")
    demand(refused < seeds / 2, f"{refused} of {seeds} networks were refused")
    demand(fired > 20 * seeds, f"{fired} spikes in all: nothing happens")
    compiled(cases, cxx, include)
    print(f"{seeds} networks, {refused} refused, {compared} outputs of nodes beside double, {fired} spikes, {len(cases)} compiled")


# --- for the host's description of networks ------------------------------------------------------------------------------

ENGINE = """
/// What fired, [layer][spike] of {neuron, step of the file's network}, and all membranes at the end.
template <class Describe>
void run(const char* path, std::uint32_t inputs, std::uint64_t steps, unsigned threads, Describe describe) {
  network::Network net({.dt_ms = 0.5, .seed = 1});
  std::vector<network::SpikeTime> times;
  std::FILE* const file = std::fopen(path, "rb");
  std::vector<std::int32_t> values(inputs);
  for (int step = 1; std::fread(values.data(), 4, inputs, file) == inputs; ++step)
    for (std::uint32_t at = 0; at < inputs; ++at)
      if (values[at] != 0) times.push_back({at, step * 0.5});
  std::fclose(file);
  const auto layers = describe(net, net.add_spikes("input", inputs, times));
  auto engine = network::Engine::make(net, {.threads = threads});
  if (!engine) return void(std::puts(engine.sentence().c_str()));
  auto recorder = network::MemoryRecorder::make(net, network::all_spikes(net)).value();
  for (const auto& refused : {engine.value().record(recorder), engine.value().run(steps), engine.value().finish()})
    if (!refused) return void(std::puts(refused.sentence().c_str()));
  for (const auto& [id, lag] : layers) {
    for (const auto& one : recorder.recording().populations)
      if (one.name == net[id].name)
        one.spikes.each([&](std::uint64_t step, std::uint32_t neuron) { std::printf("%u:%lld ", neuron, static_cast<long long>(step) - 1 - lag); });
    std::puts("");
    for (std::uint32_t neuron = 0; neuron < net[id].count; ++neuron) std::printf("%d ", engine.value().word(id, 0, neuron));
    std::puts("");
  }
  std::printf("held %llu\\n", static_cast<unsigned long long>(engine.value().counts().saturations));
}
"""


def on_engine(cases, cxx, include, flags=("-O1",)):
    """cases: (namespace, description, given spikes). The engine's spikes and membranes are those of plan.Fixed, each layer's lag later."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        text = "".join(f"#include <{one}>\n" for one in ("cstdint", "cstdio", "vector", "neuromorph/network/engine.hpp", "neuromorph/network/recording.hpp"))
        main = "int main() {\n"
        for at, (name, made, given) in enumerate(cases):
            (folder / f"{name}.hpp").write_text(description.write(made, name, "A network of a test."))
            numpy.asarray(given, "<i4").tofile(folder / f"{name}.bin")
            text += f'#include "{name}.hpp"\n'
            writer = description.DescriptionWriter(made, name, "")
            layers = ", ".join(f"made.{writer.names(layer)}" for layer in made.layers)
            main += (f'  std::puts("{name}"), run("{folder / name}.bin", {name}::inputs, {len(given)}, {1 + at % 2}, [](network::Network& net, network::PopulationId input) {{\n'
                     f"    const auto made = {name}::describe(net, input);\n    return std::vector{{{layers}}};\n  }});\n")
        (folder / "main.cpp").write_text(text + "using namespace neuromorph;\n" + ENGINE + main + "}\n")
        made = subprocess.run([cxx, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wsign-conversion", "-Wshadow", *flags, f"-I{include}", f"-I{folder}",
                               str(folder / "main.cpp"), "-o", str(folder / "main"), "-pthread"], capture_output=True, text=True)
        demand(made.returncode == 0, f"what was written does not compile: {made.stderr[:3000]}")
        printed = subprocess.run([str(folder / "main")], capture_output=True, text=True, check=True).stdout.split("\n")
    fired = 0
    for name, made, given in cases:
        demand(printed.pop(0) == name, f"{name} is not printed")
        fixed = plan.Fixed(made)
        membranes, spikes = {layer: [fixed.v[layer]] for layer in made.layers}, {layer: [] for layer in made.layers}
        for step, x in enumerate(given):
            fixed.step(x)
            for layer in made.layers:
                membranes[layer].append(fixed.v[layer])
                if made.signals[layer].kind == "spikes" and step < len(given) - made.lags[layer]:
                    spikes[layer] += [(int(one), step) for one in numpy.nonzero(fixed.now[layer])[0]]
        for layer in made.layers:
            got = sorted((int(step), int(neuron)) for neuron, step in (one.split(":") for one in printed.pop(0).split()))
            demand(got == sorted((step, neuron) for neuron, step in spikes[layer]), f"{name}, layer {layer}: the engine's spikes are others: {got[:8]}, {spikes[layer][:8]}")
            fired += len(got)
            words, right = [int(one) for one in printed.pop(0).split()], membranes[layer][max(0, len(given) - made.lags[layer])].tolist()
            demand(words == right, f"{name}, layer {layer}: the engine's membranes are others: {words[:8]}, {right[:8]}")
        held = int(printed.pop(0).split()[1])
        demand(held == 0 or any(fixed.held.values()), f"{name}: the engine held {held}, Python none")
    return fired


MACHINE = """
#include <cstdio>
#include <neuromorph/execution/adapter/network.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/mapping/boards.hpp>
#include "net.hpp"
using namespace neuromorph;
using OnCores = execution::NetworkOnCores<{models}>;
int main() {{
  network::Network net({{.dt_ms = 1.0, .seed = 1}});
  const auto layers = net::describe(net, net.add_spikes("input", net::inputs, {{{times}}}));
  const auto board = mapping::machine_of_boards(1);
  machine::Programs programs;
  OnCores::add_to(programs);
  machine::Monitors monitors(board.value(), {{}});
  machine::Applications applications(monitors, programs);
  execution::InProcessLink link(monitors, applications);
  execution::Simulation simulation(link);
  const auto cores = OnCores::make(simulation, net, board.value());
  if (!cores) return std::puts(cores.sentence().c_str()), 1;
  if (const auto refusal = simulation.run({steps}); !refusal) return std::puts(refusal.sentence().c_str()), 1;
  for (const auto& one : cores.value().recording().populations)
    one.spikes.each([&](std::uint64_t step, std::uint32_t neuron) {{
      if (one.name != "input") std::printf("%s:%u:%llu\\n", one.name.c_str(), neuron, static_cast<unsigned long long>(step));
    }});
  return std::size_t(layers.input) == 0 ? 0 : 1;
}}
"""


def on_machine(made, given, cxx, include):
    """The cores of a simulated machine fire as plan.Fixed does, each layer's lag later."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "net.hpp").write_text(description.write(made, "net", "A network of a test."))
        writer = description.DescriptionWriter(made, "net", "")
        times = ", ".join(f"{{{neuron}, {step + 1}.0}}" for step, x in enumerate(given) for neuron in numpy.nonzero(x)[0])
        (folder / "main.cpp").write_text(MACHINE.format(models=", ".join(f"net::tables::{writer.names(layer)}_model" for layer in made.layers), times=times, steps=len(given)))
        built = subprocess.run([cxx, "-std=c++20", "-O1", f"-I{include}", f"-I{folder}", str(folder / "main.cpp"), "-o", str(folder / "main"), "-pthread"], capture_output=True, text=True)
        demand(built.returncode == 0, f"what was written does not compile for the machine: {built.stderr[:3000]}")
        done = subprocess.run([str(folder / "main")], capture_output=True, text=True)
        demand(done.returncode == 0, f"the machine: {done.stdout[:300]}")
    fixed, right = plan.Fixed(made), []
    for step, x in enumerate(given):
        fixed.step(x)
        for layer in made.layers:
            if made.signals[layer].kind == "spikes" and step + made.lags[layer] < len(given):
                right += [f"{layer}:{neuron}:{step + 1 + made.lags[layer]}" for neuron in numpy.nonzero(fixed.now[layer])[0]]
    demand(sorted(done.stdout.split()) == sorted(right), f"cores of the machine fire {len(done.stdout.split())} times, in Python there are {len(right)} spikes")


def there_and_back(cases, cxx, include):
    """Descriptions become files of NIR again, and these descriptions, whose layers do the same as many steps later as the first ones are late."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        text, main = "#include <cstdio>\n#include <neuromorph/network/adapter/nir_graph.hpp>\n", "int main() {\n"
        for name, made, _ in cases:
            (folder / f"{name}.hpp").write_text(description.write(made, name, "A network of a test."))
            text += f'#include "{name}.hpp"\n'
            writer = description.DescriptionWriter(made, name, "")
            models = ", ".join(f"{name}::tables::{writer.names(layer)}_model" for layer in made.layers)
            main += (f'  {{\n    network::Network net({{.dt_ms = 0.25, .seed = 1}});\n    const auto made = {name}::describe(net, net.add_source("in.put/", {name}::inputs));\n'
                     f'    write(network::nir_graph<{models}>(net, made.input, made.outputs[0].id), "{folder / name}.json");\n  }}\n')
        (folder / "main.cpp").write_text(text + """using namespace neuromorph;
void write(const Answer<std::string>& graph, const char* path) {
  if (!graph) return void(std::puts(graph.sentence().c_str()));
  std::FILE* const file = std::fopen(path, "w");
  std::fputs(graph.value().c_str(), file);
  std::fclose(file);
}
""" + main + "}\n")
        made = subprocess.run([cxx, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-O0", f"-I{include}", f"-I{folder}",
                               str(folder / "main.cpp"), "-o", str(folder / "main"), "-pthread"], capture_output=True, text=True)
        demand(made.returncode == 0, f"what was written does not compile: {made.stderr[:3000]}")
        said = subprocess.run([str(folder / "main")], capture_output=True, text=True, check=True).stdout
        demand(said == "", said)
        fired = 0
        for name, first, given in cases:
            told = subprocess.run([sys.executable, "-B", str(ROOT / "tools/nir_export"), f"{folder / name}.json", f"{folder / name}.nir"], capture_output=True, text=True)
            demand(told.returncode == 0, f"{name}: {told.stderr}")
            parser = argparse.ArgumentParser()
            options.add(parser)
            words = told.stdout.removeprefix("read it with:").split()
            if "--reset" not in words:  # nothing fires
                words += ["--reset", "value"]
            bits = next(iter(first.layers.values())).bits
            again, _ = options.network(parser.parse_args([f"{folder / name}.nir", *words, "--state-bits", str(bits)]), description.Description)
            demand(again.input == "in_put_" and again.layers.keys() == first.layers.keys(), f"{name}: nodes come back as others")
            runs, past = (plan.Fixed(first), plan.Fixed(again)), {layer: [] for layer in first.layers}
            for step, x in enumerate(given):
                for run in runs:
                    run.step(x)
                for layer in first.layers:
                    past[layer].append((runs[0].v[layer], runs[0].now[layer]))
                    if step < first.lags[layer]:
                        continue
                    v, fires = past[layer][step - first.lags[layer]]
                    demand((runs[1].v[layer] == v).all() and (runs[1].now[layer] == fires).all(), f"{name}, layer {layer}, step {step}: it came back as another")
                    fired += int((fires != 0).sum()) if first.signals[layer].kind == "spikes" else 0
    return fired


def features_of(made):
    """What of a description a case shows, besides its layers."""
    features = {f"{len(made.lags)} populations"} if len(made.lags) < 4 else set()
    for origin, name, tables, steps, late in made.edges:
        features |= {" ".join(rows.form for rows in tables)} | ({"delays that differ"} if numpy.ptp(steps) else set())
        features |= {"late"} if late else set()
        features |= {"late, over layers"} if late and origin != name else set()
        features |= {"several steps"} if made.lags[name] - made.lags[origin] + late > 1 else set()
        features |= {"doubled"} if any(rows.up for rows in tables) else set()
    features |= {f"bias {min(2, made.lags[name])} steps late" for name in made.biases}
    features |= {"folded"} if any(name not in made.graph.nodes for name in made.original.nodes) else set()
    features |= {"own constants"} if any(numpy.ptp(layer.kept) for layer in made.layers.values()) else set()
    return features


def described(cxx, include, seeds):
    cases, refused, shown, compared = [], {}, {}, 0
    for seed in range(seeds):
        made = drawn(seed, only_spikes=True)
        try:
            one = description.Description(made.graph, made.rule, plan.Options(made.dt, state_bits=16 + seed % 4))
        except Wrong as wrong:
            why = next((part for part in ("spikes alone", "spikes of neurons", "weights lead to neurons", "delays spikes", "rests at 0", "takes fewer steps",
                                          "within a channel", "one unit", "--state-bits", "closes a cycle", "delay in a cycle") if part in str(wrong)), None)
            demand(why is not None, f"seed {seed}: {wrong}")
            refused[why] = refused.get(why, 0) + 1
            continue
        one.original = made.graph
        given = made.given(plan.Options(made.dt), steps=60)
        real, fixed = rules.Float(made.graph, made.rule, made.dt), plan.Fixed(one)
        for x in given:  # what is folded means what the graph means
            fixed.step(x), real.step(x)
            wrong = [name for name in real.order if name in one.layers and one.signals[name].kind == "spikes" and (fixed.now[name] != real.out[name]).any()]
            for name in wrong[:1]:  # those after it hear of it
                margin = real.margin[name][fixed.now[name] != real.out[name]]
                demand((margin < 3e-3 * max(1.0, numpy.abs(real.v[name]).max())).all(), f"seed {seed}, {name}: spikes differ, {margin.max():g} from the threshold")
            if wrong:
                break
            compared += 1
        features = features_of(one)
        if any(shown.get(feature, 0) < 2 for feature in features) and len(cases) < 40:
            cases.append((f"n{seed}", one, given))
            for feature in features:
                shown[feature] = shown.get(feature, 0) + 1
    for feature in ("Dense", "Sparse", "Diagonal", "Convolution", "Pooling Dense", "Pooling Convolution", "Pooling Diagonal", "delays that differ", "late",
                    "late, over layers", "several steps", "doubled", "folded", "own constants", "bias 1 steps late", "bias 2 steps late"):
        demand(feature in shown, f"no case has {feature}: {shown}")
    fired = on_engine(cases, cxx, include)
    demand(fired > 20 * len(cases), f"{fired} spikes in all: nothing happens")
    back = [case for case in cases if not case[1].biases and len(case[1].outputs) == 1]
    demand(len(back) > 4 and there_and_back(back, cxx, include) > 20 * len(back), f"{len(back)} descriptions become files again, and nothing happens")
    print(f"{sum(refused.values())} of {seeds} networks refused: {refused}; {compared} steps beside double; {len(cases)} networks on the engine, {fired} spikes, {len(back)} there and back, with {shown}")


# --- refusals ----------------------------------------------------------------------------------------------------------
