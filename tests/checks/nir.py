# SPDX-License-Identifier: BSL-1.0
"""tools/nir_import: what it refuses, broken files, random networks in double, in integers and compiled, and golden runs.

    nir.py refusals | files [long] | random CXX INCLUDE [SEEDS] | described CXX INCLUDE [SEEDS] | golden CXX INCLUDE | budget ARM_CXX | program FILE.cpp

Golden runs take files of NIR's paper from the folder NEUROMORPH_NIR_SAMPLES.
"""

import dataclasses
import os
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
import plan  # noqa: E402
import report  # noqa: E402
import rules  # noqa: E402
from graph import Graph, Node, Wrong  # noqa: E402
from nir_networks import array, compiled, demand, described, drawn, on_engine, on_machine, random  # noqa: E402


def small(**changes):
    """Input, Affine, LIF, Output; changes replace fields, as Node__field, or take them away, as None."""
    nodes = {
        "in": Node("Input", {"shape": numpy.array([3])}),
        "fc": Node("Affine", {"weight": numpy.array([[0.5, -0.25, 1.0], [0.1, 0.2, 0.3]]), "bias": numpy.array([0.0, 0.1])}),
        "lif": Node("LIF", {"tau": array(0.01, 0.01), "r": array(1.0, 1.0), "v_leak": array(0.0, 0.0), "v_threshold": array(1.0, 1.0)}),
        "out": Node("Output", {"shape": numpy.array([2])}),
    }
    edges = [("in", "fc"), ("fc", "lif"), ("lif", "out")]
    for key, value in changes.items():
        if key == "edges":
            edges = value
            continue
        name, field = key.split("__")
        if field == "type":
            nodes[name].type = value
        elif value is None:
            del nodes[name].fields[field]
        else:
            nodes[name].fields[field] = value if isinstance(value, str) else numpy.asarray(value)
    return Graph(nodes, edges)


def refusal_of(made, options=None, rule=None, kind=plan.Plan):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/net.nir"
        graph.write(made, path)
        try:
            read = graph.read(path)
            graph.infer_shapes(read)
            kind(read, rule or rules.PRESETS["norse"], options or plan.Options(1e-3))
        except Wrong as wrong:
            return str(wrong)
    return ""


def refusals():
    demand(refusal_of(small()) == "", "what is right is refused: " + refusal_of(small()))
    cases = [
        (small(fc__type="Affinity"), ["node 'fc'", "no node of type 'Affinity'", "Affine"]),
        (small(fc__weight=None), ["node 'fc'", "no field 'weight'"]),
        (small(lif__v_threshold=None), ["node 'lif'", "no field 'v_threshold'"]),
        (small(fc__bias=[0.0, 0.1, 0.2]), ["node 'fc'", "'bias'", "3 elements"]),
        (small(fc__weight=numpy.zeros((2, 4))), ["node 'fc'", "'weight'", "4 elements", "(3,)"]),
        (small(fc__weight=numpy.ones(3)), ["node 'fc'", "'weight'", "two dimensions"]),
        (small(lif__tau=[0.01, 0.01, 0.01]), ["node 'lif'", "'tau'", "(3,)", "2 elements"]),
        (small(out__shape=[5]), ["node 'out'", "'shape'", "(5,)", "(2,)"]),
        (small(fc__weight=[[0.5, numpy.nan, 1], [0, 0, 0]]), ["node 'fc'", "'weight'", "not finite"]),
        (small(lif__tau=[0.01, 1e-3]), ["node 'lif'", "'tau'", "longer than a step", "0.001"]),
        (small(lif__v_reset=[1.0, 0.0]), ["node 'lif'", "'v_reset'", "below v_threshold"]),
        (small(lif__v_threshold=[1.0, -1.0]), ["node 'lif'", "v_threshold"]),
        (small(edges=[("in", "fc"), ("fc", "lif"), ("lif", "out"), ("lif", "away")]), ["edge 'lif' -> 'away'", "no node 'away'", "fc, in, lif, out"]),
        (small(edges=[("in", "fc"), ("fc", "lif")]), ["node 'lif'", "ends in its Output"]),
        (small(edges=[("in", "fc"), ("fc", "out")]), ["node 'lif'"]),
        (small(edges=[("in", "fc"), ("fc", "lif"), ("lif", "out"), ("out", "fc")]), ["node 'out'", "leads to nothing"]),
        (small(edges=[("in", "fc"), ("fc", "lif"), ("lif", "in"), ("lif", "out")]), ["node 'in'", "nothing leads to an Input"]),
        (small(in__type="Output"), ["one Input and one Output", "0 and 2"]),
        (small(in__shape=[0]), ["node 'in'", "'shape'"]),
        (small(fc__weight="text"), ["node 'fc'"]),
        (small(fc__weight=[[1e6, 0, 0], [0, 0, 0]]), ["node 'fc'", "--state-bits"], plan.Options(1e-3, weights=32)),
        (small(fc__weight=numpy.full((2, 3), 1e-7), fc__bias=[0, 0]), ["node 'fc'", "vanish"], plan.Options(1e-3, weights=32)),
    ]
    many = small(in__shape=[100], fc__weight=numpy.full((2, 100), 200.0))
    cases.append((many, ["node 'lif'", "add up"], plan.Options(1e-3, weights=32, state_bits=20)))
    cases.append((small(lif__v_threshold=[1e-4, 1e-4]), ["node 'lif'", "'v_threshold'", "vanishes"], plan.Options(1e-3, state_bits=8)))
    delayed = small()
    delayed.nodes["wait"] = Node("Delay", {"delay": numpy.array([0.0015, 0.001])})
    delayed.edges = [("in", "fc"), ("fc", "lif"), ("lif", "wait"), ("wait", "out")]
    cases.append((delayed, ["node 'wait'", "'delay'", "no whole steps"]))
    circle = small()
    circle.nodes["back"] = Node("Linear", {"weight": numpy.ones((2, 2))})
    circle.edges = [("in", "fc"), ("fc", "back"), ("back", "back"), ("back", "lif"), ("lif", "out")]
    cases.append((circle, ["'back'"]))
    image = Graph({"in": Node("Input", {"shape": numpy.array([2, 5, 5])}),
                   "conv": Node("Conv2d", {"weight": numpy.ones((4, 2, 3, 3)), "bias": numpy.zeros(4), "stride": numpy.array(1), "padding": numpy.array(0),
                                           "dilation": numpy.array(1), "groups": numpy.array(1)}),
                   "if": Node("IF", {"r": numpy.ones((4, 3, 3)), "v_threshold": numpy.ones((4, 3, 3))}),
                   "out": Node("Output", {"shape": numpy.array([4, 3, 3])})}, [("in", "conv"), ("conv", "if"), ("if", "out")])
    demand(refusal_of(image) == "", "an image is refused: " + refusal_of(image))
    for field, value, words in [("groups", 3, "'groups'"), ("stride", 0, "'stride'"), ("padding", "half", "'half'"), ("dilation", 3, "larger"), ("padding", -1, "'padding'"),
                                ("weight", numpy.ones((4, 3, 3, 3)), "3 channels"), ("weight", numpy.ones((4, 2, 3)), "4 dimensions"), ("bias", numpy.ones(3), "'bias'"),
                                ("input_shape", [5, 6], "'input_shape'")]:
        node = image.nodes["conv"]
        changed = Graph(dict(image.nodes, conv=Node("Conv2d", {**node.fields, field: value if isinstance(value, str) else numpy.asarray(value)})), image.edges)
        cases.append((changed, ["node 'conv'", words]))
    uneven = Graph(dict(image.nodes, **{"if": Node("IF", {"r": numpy.ones((4, 3, 3)), "v_threshold": numpy.arange(1, 37).reshape(4, 3, 3) / 10.0})}), image.edges)
    cases.append((uneven, ["node 'if'", "within a channel", "'conv'"]))
    for made, words, *options in cases:
        said = refusal_of(made, *options)
        for word in words:
            demand(word in said, f"'{word}' is not in: {said or 'nothing: it was not refused'}")
    print(f"{len(cases)} refused, each by its node and field, and {refusals_of_descriptions()} of descriptions")
    nested()
    namespaces()
    presets()


def refusals_of_descriptions():
    def described_(made, options=None, rule=None):
        return refusal_of(made, options, rule, description.Description)

    def through(*way, **nodes):
        """Input, the way, and its Output: of `small`, with more nodes."""
        made = small()
        made.nodes |= nodes
        made.edges = list(zip(("in",) + way, way + ("out",)))
        made.nodes = {name: node for name, node in made.nodes.items() if any(name in edge for edge in made.edges)}
        return made

    def circle():
        made = through("fc", "lif", "fc2", "lif2", fc2=Node("Linear", {"weight": numpy.eye(2)}), lif2=small().nodes["lif"])
        made.nodes["back"] = Node("Linear", {"weight": numpy.eye(2)})
        made.edges += [("lif2", "back"), ("back", "lif")]
        return made

    # Ways that meet have the bias behind that once; what has no order is refused, and not followed for ever.
    draw, meets = numpy.random.default_rng(5), through("fc", "fc2", "lif", fc2=Node("Affine", {"weight": numpy.array([[0.9, 0.3], [-0.2, 0.8]]), "bias": numpy.array([0.21, 0.17])}))
    meets.nodes["fc"] = Node("Affine", {"weight": draw.normal(0.5, 0.5, (2, 3)), "bias": numpy.array([0.11, -0.07])})
    meets.nodes["lif"].fields["r"] = numpy.full(2, 6.0)
    meets.edges.append(("lif", "fc2"))
    graph.infer_shapes(meets)
    real, fixed, fired = rules.Float(meets, rules.PRESETS["norse"], 1e-3), plan.Fixed(description.Description(meets, rules.PRESETS["norse"], plan.Options(1e-3))), 0
    for _ in range(60):
        x = (draw.random(3) < 0.5).astype(int)
        fixed.step(x), real.step(x)
        fired += int(fixed.now["lif"].sum())
        demand((fixed.now["lif"] == real.out["lif"]).all() and numpy.abs((fixed.v["lif"] + fixed.plan.layers["lif"].level) / 32768 - real.v["lif"]).max() < 2e-3,
               "a bias that two ways share is not there once")
    demand(fired > 10, "where two ways meet nothing fires")
    loop = through("fc", "fc2", "lif", fc2=Node("Linear", {"weight": numpy.eye(2)}))
    loop.edges.append(("fc2", "fc2"))
    demand("cycle" in described_(loop), f"a cycle of linear nodes: '{described_(loop)}'")

    demand(described_(small()) == "", "what is right is refused: " + described_(small()))
    demand(described_(circle(), rule=dataclasses.replace(rules.PRESETS["norse"], cycle="every")) == "", "a cycle of which each neuron takes a step is refused")
    two = numpy.ones((2, 2))
    cuba = Node("CubaLIF", {"tau_syn": numpy.full(2, 0.01), "tau_mem": numpy.full(2, 0.01), "r": numpy.ones(2), "v_leak": numpy.array([0, 0.1]), "v_threshold": numpy.ones(2)})
    leaky = Node("LI", {"tau": numpy.full(2, 0.01), "r": numpy.ones(2), "v_leak": numpy.zeros(2)})
    cases = [
        (small(), ["--input", "spikes"], plan.Options(1e-3, "values")),
        (small(), ["--weights", "16 bits"], plan.Options(1e-3, weights=8)),
        (through("fc", "cuba", cuba=cuba), ["node 'cuba'", "'v_leak'", "rests at 0"]),
        (through("fc", "lif", "fc2", fc2=Node("Linear", {"weight": two})), ["'fc2'", "to 'out'", "neurons"]),
        (through("fc", "li", "lif", li=leaky), ["node 'lif'", "'li'", "spikes alone"]),
        (through("fc", "lif", "over", over=Node("Threshold", {"threshold": numpy.array(0.5)})), ["node 'over'", "Threshold"]),
        (through("fc", "late", "lif", late=Node("Delay", {"delay": numpy.array([1e-3, 2e-3])})), ["'late'", "Delay", "weights lead to neurons"]),
        (through("fc", "lif", "late", "fc2", "lif2", late=Node("Delay", {"delay": numpy.array([1e-3, 4.2])}), fc2=Node("Linear", {"weight": two}),
                 lif2=small().nodes["lif"]), ["'lif'", "'lif2'", "4200 steps", "4095"]),
        (circle(), ["'lif", "cycle", "--cycle every"]),
        (small(fc__weight=numpy.full((2, 3), 1e-12), fc__bias=[0, 0]), ["node 'fc'", "vanish"]),
        (small(in__shape=[100], fc__weight=numpy.full((2, 100), 2e4)), ["node 'lif'", "add up"]),
    ]
    for made, parts, *options in cases:
        said = described_(made, *options)
        demand(said and all(part in said for part in parts), f"a description: '{said}' lacks one of {parts}")
    return len(cases)


def nested():
    """A graph in a graph is the same as all of it in one."""
    flat = small()
    flat.nodes = {{"lif": "part.lif", "fc": "part.fc"}.get(name, name): node for name, node in flat.nodes.items()}
    flat.edges = [("in", "part.fc"), ("part.fc", "part.lif"), ("part.lif", "out")]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/nested.nir"
        with graph.h5py().File(path, "w") as file:
            def put(group, nodes, edges):
                group["type"] = b"NIRGraph"
                group.create_dataset("edges", data=numpy.array(edges, dtype=object), dtype=graph.h5py().string_dtype("utf-8"))
                for name, node in nodes.items():
                    one = group.create_group(f"nodes/{name}")
                    if isinstance(node, tuple):
                        put(one, *node)
                        continue
                    one["type"] = node.type.encode()
                    for field, value in node.fields.items():
                        one[field] = value
            whole = small().nodes
            inner = ({"first": Node("Input", {"shape": numpy.array([3])}), "fc": whole["fc"], "lif": whole["lif"], "last": Node("Output", {"shape": numpy.array([2])})},
                     [("first", "fc"), ("fc", "lif"), ("lif", "last")])
            put(file.create_group("node"), {"in": whole["in"], "part": inner, "out": whole["out"]}, [("in", "part"), ("part", "out")])
        read = graph.read(path)
        graph.infer_shapes(read)
        demand(sorted(read.edges) == sorted(flat.edges) and set(read.nodes) == set(flat.nodes), f"a graph in a graph becomes {read.edges}")


def namespaces():
    """A name that what is written uses is refused before anything is written."""
    with tempfile.TemporaryDirectory() as folder:
        for words, told in ((["--namespace", "network"], "say another"), (["--namespace", "3x"], "no name"), ([], "say another")):
            for kind in ("--header", "--description"):
                done = subprocess.run([sys.executable, "-B", str(ROOT / "tools/nir_import"), str(ROOT / "examples/trained/bars.nir"), "--dt", "1e-3", "--like", "norse", kind,
                                       f"{folder}/network.hpp", *words], capture_output=True, text=True)
                demand(done.returncode == 2 and told in done.stderr and not os.path.exists(f"{folder}/network.hpp"), f"{words}: {done.stderr}")


def presets():
    """Each preset against its rule as docs/trained.md has it, written down once more."""
    dt, draw = 1e-3, numpy.random.default_rng(4)
    tau_syn, tau_mem, x = 4e-3, 9e-3, draw.random((60, 1)) < 0.4
    for like, a, b, take in [("snntorch", 1 - dt / tau_syn, 1 - dt / tau_mem, "twice"), ("norse", 1 - dt / tau_syn, 1 - dt / tau_mem, "value"),
                             ("lava", 1 - dt / tau_syn, 1 - dt / tau_mem, "value"), ("spinnaker2", 1 - dt / tau_syn, 1 - dt / tau_mem, "value"),
                             ("rockpool", numpy.exp(-dt / tau_syn), numpy.exp(-dt / tau_mem), "subtract")]:
        made = Graph({"in": Node("Input", {"shape": numpy.array([1])}),
                      "n": Node("CubaLIF", {"tau_syn": array(tau_syn, kind=float), "tau_mem": array(tau_mem, kind=float), "r": array(tau_mem / dt, kind=float),
                                            "w_in": array(tau_syn / dt, kind=float), "v_leak": array(0.0), "v_threshold": array(2.5), "v_reset": array(0.0)}),
                      "out": Node("Output", {"shape": numpy.array([1])})}, [("in", "n"), ("n", "out")])
        graph.infer_shapes(made)
        real, current, v, fired = rules.Float(made, rules.PRESETS[like], dt), 0.0, 0.0, 0
        for one in x[:, 0]:
            before = v
            current = (current + one) * a if like == "rockpool" else a * current + one
            v = b * v + current
            spikes = (v - 2.5 if take == "twice" and before > 2.5 else v) > 2.5
            v = v if not spikes else 0.0 if take == "value" else v - 2.5
            demand(bool(real.step(numpy.array([float(one)]))[0]) == spikes, f"{like} is not its rule")
            fired += spikes
        demand(fired > 5, f"{like} is silent")
    # sinabs: LIF with 1 - alpha, IF that adds.
    made = Graph({"in": Node("Input", {"shape": numpy.array([1])}),
                  "n": Node("LIF", {"tau": array(tau_mem, kind=float), "r": array(3.0), "v_leak": array(0.0), "v_threshold": array(0.5)}),
                  "i": Node("IF", {"r": array(0.4), "v_threshold": array(1.0)}), "out": Node("Output", {"shape": numpy.array([1])})},
                 [("in", "n"), ("n", "i"), ("i", "out")])
    graph.infer_shapes(made)
    real, v, w, alpha = rules.Float(made, rules.PRESETS["sinabs"], dt), 0.0, 0.0, numpy.exp(-dt / tau_mem)
    for one in x[:, 0]:
        v = alpha * v + (1 - alpha) * 3.0 * one
        first = v > 0.5
        v -= 0.5 * first
        w += 0.4 * first
        second = w > 1.0
        w -= second
        demand(bool(real.step(numpy.array([float(one)]))[0]) == second, "sinabs is not its rule")
    # A delay in a cycle is the cycle's time, by whichever rule.
    for steps in (1, 2, 5):
        for cycle in ("feedback", "every"):
            made = Graph({"in": Node("Input", {"shape": numpy.array([1])}), "n": Node("IF", {"r": array(1.0), "v_threshold": array(1.0)}),
                          "late": Node("Delay", {"delay": array(steps * dt, kind=float)}), "back": Node("Linear", {"weight": array([2.0])}),
                          "out": Node("Output", {"shape": numpy.array([1])})}, [("in", "n"), ("n", "late"), ("late", "back"), ("back", "n"), ("n", "out")])
            graph.infer_shapes(made)
            rule = dataclasses.replace(rules.PRESETS["norse"], integrate="step", cycle=cycle)
            runs = [rules.Float(made, rule, dt)] + [plan.Fixed(kind(made, rule, plan.Options(dt))) for kind in (plan.Plan, description.Description)]
            for run in runs:
                fired = [step for step in range(20) if run.step(numpy.array([2 * (step == 0)]))[0]]
                demand(fired == list(range(0, 20, steps)), f"a cycle of {steps} steps, {cycle}: spikes at {fired}")
    print("presets are their rules")


def files(is_long):
    """A file that was cut, or has other bytes, is refused or read; nothing else happens."""
    with tempfile.TemporaryDirectory() as folder:
        whole = pathlib.Path(folder) / "whole.nir"
        graph.write(drawn(3).graph, whole)
        bytes_, path, refused, read = whole.read_bytes(), f"{folder}/cut.nir", 0, 0
        draw = numpy.random.default_rng(1)
        cuts = list(range(len(bytes_))) if is_long else list(range(0, len(bytes_), len(bytes_) // 60)) + list(range(0, 200, 9))
        changes = 5000 if is_long else 150
        for end in cuts:
            pathlib.Path(path).write_bytes(bytes_[:end])
            refused += is_refused(path)
        demand(refused == len(cuts), f"{len(cuts) - refused} files that were cut are read")
        for _ in range(changes):
            other = bytearray(bytes_)
            for at in draw.integers(0, len(other), int(draw.integers(1, 6))):
                other[at] = int(draw.integers(256))
            pathlib.Path(path).write_bytes(other)
            read += not is_refused(path)
        demand(0 < read < changes, f"{read} of {changes} files with other bytes are read")
        demand(is_refused(folder) and is_refused(f"{folder}/none.nir"), "no file is read")
    print(f"{len(cuts)} cut files refused, of {changes} changed ones {changes - read}")


def is_refused(path):
    try:
        graph.infer_shapes(graph.read(path))
    except Wrong as wrong:
        demand("\n" not in str(wrong) and len(str(wrong)) < 2000, f"no sentence: {wrong}")
        return True
    return False


# --- golden runs -------------------------------------------------------------------------------------------------------


def braille_sample(folder):
    rows = [line.strip() for line in (folder / "braille_sample0.txt").read_text().split("\n") if line and not line.startswith("#")][:12]
    return numpy.array([[int(bit) for bit in bin(int(row, 16))[2:].zfill(256)] for row in rows]).T


def network(path, rule, dt, **options):
    read = graph.read(str(path))
    graph.infer_shapes(read)
    return plan.Plan(read, rule, plan.Options(dt, **options))


def golden(cxx, include):
    folder = os.environ.get("NEUROMORPH_NIR_SAMPLES")
    if not folder:
        print("left out: NEUROMORPH_NIR_SAMPLES names no folder with the files of NIR's paper")
        return
    folder = pathlib.Path(folder)
    cases = []
    made = network(folder / "braille_noDelay_noBias_subtract.nir", rules.PRESETS["snntorch"], 1e-4)
    activity = numpy.load(folder / "snntorch_activity_noDelay_noBias_subtract.npy").reshape(256, 40)
    fixed, counts, given = plan.Fixed(made), 0, braille_sample(folder)
    demand(given.sum() == 539, "the sample has 539 spikes")
    wrong = 0
    for x, right in zip(given, activity):
        counts = counts + fixed.step(x)
        wrong += int((fixed.now["lif1.lif"] != right).sum())
    demand(wrong == 0, f"Braille: {wrong} of {activity.size} spikes are not those that were published")
    demand(counts.tolist() == [0, 51, 21, 18, 3, 17, 22], f"Braille: the output counts {counts.tolist()}")
    cases.append(("braille", made, given))

    pulses = [60, 220, 270, 310, 320, 350, 370, 400, 410, 430, 440, 450, 460, 470, 480, 490, 500, 510, 520, 530, 670, 680, 690, 700, 710, 720, 730, 740,
              750, 760, 770, 780, 840, 850]
    given = numpy.array([[int(step in pulses)] for step in range(1000)])
    for tool, right in [("norse", [460, 510, 710, 760]), ("snntorch", [460, 510, 710, 760]), ("spinnaker2", [460, 510, 710, 760]), ("rockpool", [450, 500, 710, 760])]:
        made = network(folder / "lif_norse.nir", rules.PRESETS[tool], 1e-4)
        fixed = plan.Fixed(made)
        steps = [step for step, x in enumerate(given) if fixed.step(x)[0]]
        demand(steps == right, f"LIF by {tool}: spikes at {steps}")
        cases.append((f"lif_{tool}", made, given))

    made = network(folder / "cnn_sinabs.nir", rules.PRESETS["sinabs"], 1e-3, weights=32, state_bits=20)
    given = (numpy.random.default_rng(1).random((60, 2 * 34 * 34)) < 0.02).astype(int)
    measured = report.Measured(made, given[None])
    demand(not any(measured.wrong.values()), report.verdict(made, measured))
    demand(sum(measured.spikes.values()) > 9000, "the convolutional network is silent")
    cases.append(("cnn", made, given))
    compiled(cases, cxx, include, ("-O2",))

    described_ = []
    for name, file, like, dt, x, options in (("braille", "braille_noDelay_noBias_subtract", "snntorch", 1e-4, braille_sample(folder), {}),
                                             ("cnn", "cnn_sinabs", "sinabs", 1e-3, given, {"state_bits": 20})):
        read = network(folder / f"{file}.nir", rules.PRESETS[like], dt).graph
        described_.append((name, description.Description(read, rules.PRESETS[like], plan.Options(dt, **options)), x))
    fixed, counts = plan.Fixed(described_[0][1]), 0
    for x, right in zip(described_[0][2], activity):
        counts = counts + fixed.step(x)
        demand((fixed.now["lif1.lif"] == right).all(), "Braille: a spike of the description is not as it was published")
    demand(counts.tolist() == [0, 51, 21, 18, 3, 17, 22], f"Braille: the description's output counts {counts.tolist()}")
    measured = report.Measured(described_[1][1], given[None])
    demand(sum(measured.wrong.values()) < 200, report.verdict(described_[1][1], measured))
    on_engine(described_, cxx, include, ("-O2",))
    on_machine(described_[0][1], described_[0][2], cxx, include)
    for name in ("braille_noDelay_noBias_subtract_subgraph.nir",):
        demand(is_refused(str(folder / name)), f"{name} has an edge to a node that is not there, and is read")
    print("Braille, LIF by four rules, and the convolutional network: every spike; Braille and the convolutional network on the engine, Braille on a machine")


# --- what it takes of a chip ---------------------------------------------------------------------------------------------


def budget(compiler):
    """tools/budget says what a compiler says, and ends with 1 where a chip is too small."""
    def told(*words):
        done = subprocess.run([sys.executable, "-B", str(ROOT / "tools/budget"), *words, "--compiler", compiler], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    bars = [str(ROOT / "examples/trained/bars.nir"), "--dt", "1e-3", "--like", "norse"]
    status, shown, _ = told(*bars, "--weights", "8", "--chip", "nrf52840", "--chip", "spinnaker")
    demand(status == 0 and "first limit" in shown and shown.count("first limit") == 2, f"budget ends with {status}: {shown}")
    made = network(ROOT / "examples/trained/bars.nir", rules.PRESETS["norse"], 1e-3, weights=8)
    tables = next(int(line.split()[2]) for line in shown.splitlines() if line.startswith("cortex_m4"))
    demand(abs(tables - made.bytes()) <= 64, f"the compiler has {tables} bytes of tables, the plan {made.bytes()}")
    data = next(int(line.split()[3]) + int(line.split()[4]) for line in shown.splitlines() if line.startswith("cortex_m4"))
    demand(0 <= data - report.state_bytes(made) <= 600, f"the compiler has {data} bytes of state, the plan {report.state_bytes(made)}")
    with tempfile.TemporaryDirectory() as folder:
        large = Graph({"in": Node("Input", {"shape": numpy.array([200])}),
                       "fc": Node("Linear", {"weight": numpy.random.default_rng(1).normal(0, 1, (400, 200)).astype(numpy.float32)}),
                       "lif": Node("LIF", {"tau": numpy.full(400, 0.01), "r": numpy.full(400, 1.0), "v_leak": numpy.zeros(400), "v_threshold": numpy.ones(400)}),
                       "out": Node("Output", {"shape": numpy.array([400])})}, [("in", "fc"), ("fc", "lif"), ("lif", "out")])
        graph.write(large, f"{folder}/large.nir")
        status, shown, _ = told(f"{folder}/large.nir", "--dt", "1e-3", "--like", "norse", "--chip", "spinnaker")
        demand(status == 1 and "too small: memory" in shown, f"80 000 weights fit 64 KB: {shown}")
    status, _, said = told(*bars, "--counter", "/nowhere")
    demand(status == 2 and "/nowhere" in said and said.count("\n") == 1, f"no sentence: {said}")
    status, _, said = told(*bars[:3])
    demand(status == 2 and "--like" in said, f"no sentence: {said}")
    print("sizes are those of the compiler, and what is too small is told")


# --- for boards --------------------------------------------------------------------------------------------------------


MASK = (1 << 64) - 1


def mixed(digest, word):
    return ((digest ^ (int(word) & 0xFFFFFFFF)) * 0x100000001B3) & MASK


def digest_of(made, given):
    """Of what comes out of each step, and of all membranes after the last."""
    fixed, digest = plan.Fixed(made), 0xCBF29CE484222325
    out, signal = made.signal(made.output)
    for x in given:
        fixed.step(x)
        for one in numpy.nonzero(fixed.now[out])[0] if signal.kind == "spikes" else fixed.now[out]:
            digest = mixed(digest, one)
        digest = mixed(digest, 0xFFFFFFFF)
    for name in made.layers:
        for one in fixed.v[name]:
            digest = mixed(digest, one)
    return digest, sum(fixed.held.values())


BOARD_PROGRAM = """
namespace {
constexpr std::uint64_t start = 0xCBF29CE484222325;
void mix(std::uint64_t& digest, std::uint32_t word) { digest = (digest ^ word) * 0x100000001B3; }
template <class Network, class Membranes>
bool run(const char* name, const std::int32_t* data, std::size_t words, std::uint64_t right, std::uint32_t held, Membranes membranes) {
  static Network network;
  std::uint64_t digest = start;
  std::uint32_t lists[4096];
  for (std::size_t at = 0; at < words;) {
    if constexpr (requires { network.step(std::span<const std::uint32_t>(lists, 1)); }) {
      const auto count = static_cast<std::size_t>(data[at++]);
      for (std::size_t one = 0; one < count; ++one) lists[one] = static_cast<std::uint32_t>(data[at++]);
      for (const auto one : network.step(std::span<const std::uint32_t>(lists, count))) mix(digest, static_cast<std::uint32_t>(one));
    } else {
      for (const auto one : network.step(std::span<const std::int32_t, Network::inputs>(data + at, Network::inputs)))
        mix(digest, static_cast<std::uint32_t>(one));
      at += Network::inputs;
    }
    mix(digest, 0xFFFFFFFF);
  }
  membranes(network, digest);
  const bool is_right = digest == right && network.saturations() == held;
  std::printf("%s %08lx%08lx %s\\n", name, static_cast<unsigned long>(digest >> 32), static_cast<unsigned long>(digest & 0xFFFFFFFF),
              is_right ? "as in Python" : "WRONG");
  return is_right;
}
template <class Layer>
void mix_all(std::uint64_t& digest, Layer& layer) {
  for (const std::int32_t one : layer.membranes()) mix(digest, static_cast<std::uint32_t>(one));
}
} // namespace
""".replace("\\\\n", "\\n")


def program(path):
    """A program whose networks have the digests of Python on any machine: random ones, and golden ones where their files are."""
    cases, seed = [], 0
    while len(cases) < 8:
        seed += 1
        try:
            made = drawn(seed)
            options = made.options(precise=False)
            whole = plan.Plan(made.graph, made.rule, options)
        except Wrong:
            continue
        cases.append((f"n{seed}", whole, [plan.nearest(x / whole.signals[whole.input].unit) for x in made.given(options, steps=25)]))
    folder = os.environ.get("NEUROMORPH_NIR_SAMPLES")
    if folder:
        folder = pathlib.Path(folder)
        cases.append(("braille", network(folder / "braille_noDelay_noBias_subtract.nir", rules.PRESETS["snntorch"], 1e-4), braille_sample(folder)))
        cases.append(("lif", network(folder / "lif_norse.nir", rules.PRESETS["norse"], 1e-4),
                      numpy.array([[int(step % 37 in (0, 5, 9, 10, 11, 12))] for step in range(300)])))
        cases.append(("cnn", network(folder / "cnn_sinabs.nir", rules.PRESETS["sinabs"], 1e-3),
                      (numpy.random.default_rng(1).random((12, 2 * 34 * 34)) < 0.02).astype(int)))
    path = pathlib.Path(path)
    text = ["#include <cstddef>", "#include <cstdint>", "#include <cstdio>", "#include <span>", ""]
    main = ["int main() {", "  bool is_right = true;"]
    for name, made, given in cases:
        text.append(header.write(made, name, "A network of a test.").replace("#pragma once\n", ""))
        data = []
        for x in given:
            if made.signals[made.input].kind == "spikes":
                on = numpy.nonzero(x)[0]
                data += [len(on), *on]
            else:
                data += list(x)
        text.append(f"static const std::int32_t {name}_data[] = {{\n{header.numbers(data)}}};")
        digest, held = digest_of(made, given)
        writer = header.Writer(made, name, "")
        membranes = " ".join(f"mix_all(digest, network.{writer.names(layer)});" for layer in made.layers)
        main.append(f'  is_right = run<{name}::Network>("{name}", {name}_data, {len(data)}, {digest:#x}, {held}, '
                    f"[](auto& network, std::uint64_t& digest) {{ {membranes or 'static_cast<void>(network), static_cast<void>(digest);'} }}) && is_right;")
    path.write_text("\n".join(text) + BOARD_PROGRAM + "\n".join(main + ["  return is_right ? 0 : 1;", "}", ""]))


if __name__ == "__main__":
    {"refusals": refusals, "files": lambda: files("long" in sys.argv),
     "random": lambda: random(sys.argv[2], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 60),
     "described": lambda: described(sys.argv[2], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 60),
     "budget": lambda: budget(sys.argv[2]),
     "program": lambda: program(sys.argv[2]),
     "golden": lambda: golden(sys.argv[2], sys.argv[3])}[sys.argv[1]]()
