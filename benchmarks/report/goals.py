#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The goals as ratios of entries of one run, and the figures of hosts on docs/performance.md.

usage: goals.py RESULTS.json                prints the goals and every figure once; Google Benchmark's JSON
       goals.py RESULTS.json --record NAME  keeps the run as benchmarks/host_runs/NAME.json, and writes the page from all that
                                            were kept
       goals.py --write                     writes the page again
       goals.py --check                     says whether it is written from them

A ratio compares the best repetitions; the ratio of the medians is printed beside it. The status is 0 whether goals are met
or not, because figures of a host depend on what else runs there; it is 2 when the file cannot be read."""
import json
import statistics
import sys
from pathlib import Path

from tables import aligned, markdown, with_table

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / "benchmarks" / "host_runs"
PAGE = ROOT / "docs" / "performance.md"

# what, the faster, the slower, least ratio or None for "at most", bound, what bounds it
GOALS = [
    ("LIF step against a plain scalar double loop, times as fast",
     "lif/shared/native/4000", "lif/shared/plain_double/4000", "least", 5,
     "traffic between L1 and L2, then 28 vector operations per 16 neurons on two ports"),
    ("packed LIF step against the same loop, times as fast",
     "lif/packed/native/4000", "lif/shared/plain_double/4000", "least", 5,
     "about 20 vector operations per 16 neurons on two ports"),
    ("LIF step against reading and writing its arrays, times as long",
     "lif/shared/read_write/4000", "lif/shared/native/4000", "most", 1.3,
     "28 vector operations per 16 neurons on two ports, beside the same traffic"),
    *((f"{what}, composed against the class that it replaced, times as long",
       f"lif/{variant}/frozen/4000", f"lif/{variant}/native/4000", "most", 1.02, "the same operations")
      for what, variant in (("LIF step with two time constants", "shared"), ("with one", "one_time_constant"),
                            ("with 16-bit psps", "packed"), ("with the drive in the psp", "compact"),
                            ("the same with two time constants", "compact_two"))),
    ("Izhikevich's step to nearest against a LIF step, AVX-512, times as long",
     "neuron/lif2/avx512/4000", "neuron/izhikevich/avx512/4000", "most", 4,
     "85 vector operations per 16 neurons, a LIF step has 28"),
    ("the same with stochastic rounding",
     "neuron/lif2/avx512/4000", "neuron/izhikevich_stochastic/avx512/4000", "most", 8,
     "222 vector operations: ten words are drawn for each neuron"),
    ("Izhikevich's step to nearest against a plain scalar double loop, AVX-512, times as fast",
     "neuron/izhikevich/avx512/4000", "neuron/izhikevich/plain_double/4000", "least", 3,
     "products of 32 by 32 bits, half as many at once, and sums that are held"),
    ("CUBA network against the double-precision reference, times as fast",
     "cuba/fixed/native/4000", "cuba/double/reference/4000", "least", 6,
     "the LIF step, most of the time"),
    ("synaptic events against streaming the rows, times as long",
     "synapse/stream_rows/plain/10000x1000", "synapse/ring32/native/10000x1000", "most", 3,
     "instructions: 8 issue slots per event, 6 per cycle"),
    ("the same with four delays, no goal",
     "synapse/stream_rows/plain/10000x1000", "synapse/ring32_four_delays/native/10000x1000", "most", None,
     "the same, and the ends of row pieces"),
    ("Poisson values at 1.2 against std::poisson_distribution, times as fast",
     "poisson/1.2/native", "poisson/1.2/std_mt19937", "least", 10,
     "one load and one store per value, a quarter of a random word, mispredicted escapes"),
    ("Poisson values at 1.6 against std::poisson_distribution, times as fast",
     "poisson/1.6/native", "poisson/1.6/std_mt19937", "least", 10,
     "the same"),
    ("the same by pairs, no goal",
     "poisson/1.6/native/pairs", "poisson/1.6/std_mt19937", "least", None,
     "half a load per value, a sixth of a random word, more escapes"),
    ("Poisson values at 1.2 by an alias table in vectors against byte tables, times as fast",
     "poisson/1.2/lanes/native", "poisson/1.2/native", "least", 5,
     "9 vector operations for 32 values of generators, 6 of lookups"),
    ("plastic pair update, history in the caches, against the same in double precision, times as fast",
     "stdp/pair/native", "stdp/pair/double", "least", 5,
     "branches that nobody foresees: an event or none; and for one synapse of four the search for its events"),
    ("the same with one event in each window, no goal",
     "stdp/pair/native/regular", "stdp/pair/double/regular", "least", None,
     "about 40 scalar operations a synapse, two loads that depend on others"),
    ("plastic pair update against a static event, both in networks that leave the caches, times as long",
     "synapse/ring32/native/10000x1000", "stdp/pair/network/native/10000x1000", "most", 2.5,
     "the same; a static event is one vector operation of 16 and an addition"),
    ("the same with one event in each window, no goal",
     "synapse/ring32/native/10000x1000", "stdp/pair/network/native/regular/10000x1000", "most", None,
     "the same"),
    ("arithmetic of a plasticity rule in Generic against AVX2, times as long",
     "vector/weight_update/uint8/avx2", "vector/weight_update/uint8/generic", "most", 3,
     "one vector at once instead of two; no saturating instructions"),
    ("the same against AVX-512",
     "vector/weight_update/uint8/avx512", "vector/weight_update/uint8/generic", "most", 3,
     "one vector at once instead of four"),
    ("constant rule, all lanes of a mask against no mask, AVX2, times as long",
     "mask/constant/avx2/unmasked", "mask/constant/avx2/full", "most", 1.03,
     "stores; once per run the search for stretches of addresses"),
    ("the same, generic",
     "mask/constant/generic/unmasked", "mask/constant/generic/full", "most", 1.03,
     "the same"),
    ("constant rule, some lanes of each vector against no mask, AVX2, no goal",
     "mask/constant/avx2/unmasked", "mask/constant/avx2/partial", "most", None,
     "two loads and a selection more than a store"),
    ("STDP rule, all lanes of a mask against no mask, AVX2, times as long",
     "mask/stdp/avx2/unmasked", "mask/stdp/avx2/full", "most", 1.03,
     "22 vector operations per two vectors on three ports"),
    ("the same, generic",
     "mask/stdp/generic/unmasked", "mask/stdp/generic/full", "most", 1.03,
     "the same"),
    ("STDP rule, some lanes of each vector against no mask, AVX2, times as long",
     "mask/stdp/avx2/unmasked", "mask/stdp/avx2/partial", "most", 1.15,
     "three vector operations more: a selection, two and-nots"),
    ("the same, generic",
     "mask/stdp/generic/unmasked", "mask/stdp/generic/partial", "most", 1.15,
     "the same"),
    ("STDP rule by tags against no mask, AVX2, times as long",
     "mask/stdp/avx2/unmasked", "mask/stdp/avx2/tagged", "most", 1.3,
     "a comparison, half a test and its branch more than with a mask"),
    ("the same, generic",
     "mask/stdp/generic/unmasked", "mask/stdp/generic/tagged", "most", 1.3,
     "the same, the test in ten instructions"),
    ("STDP rule, generic against AVX-512, times as long",
     "mask/stdp/avx512/unmasked", "mask/stdp/generic/unmasked", "most", 3,
     "what GCC makes of products of bytes"),
    ("the umbrella header read by GCC against the core header of {fmt}, times as long",
     "parse/fmt_core", "parse/umbrella", "most", 1,
     "standard headers, a third of it; 25 000 lines"),
]


# Figures with a goal of their own, of a 2.5 GHz core with AVX-512: what, the key, "least" or "most", bound, what bounds it.
# Those of networks are of a thread's time, but where threads are two.
VALUE_GOALS = [
    ("network A, CUBA of 4000 neurons, 10 s, in seconds",
     "network/A/seconds", "most", 0.17, "the LIF step; blocks are left after two steps, which is the delay"),
    ("network D, 10 000 of its neurons without synapses, 1 s, in seconds",
     "network/D/seconds", "most", 0.036, "the LIF step"),
    ("network P, 10 000 neurons with Poisson input of their own, 1 s, in seconds",
     "network/P/seconds", "most", 0.075, "the LIF step and the draws"),
    ("network B, P with 10 million synapses that have a weight each, 1 s, in seconds",
     "network/B/seconds", "most", 0.25, "additions in memory, an event at a time"),
    ("the same with one weight for all of a kind, in seconds",
     "network/B_one_weight/seconds", "most", 0.13, "the LIF step and the draws, then counting rows of bits"),
    ("network B on two threads against one, times as fast",
     "network/B/two_threads", "least", 1.7, "the slower of both cores, each time that threads meet"),
    ("network C, B with pair STDP between excitatory neurons, 1 s, in seconds",
     "network/C/seconds", "most", 0.75, "events that learn"),
    ("network M, the cortical microcircuit, whole, 1 s, in seconds",
     "network/M/seconds", "most", 2.3, "events, in short runs of one delay"),
    ("the same on two threads, on the wall, in seconds",
     "network/M_two/seconds", "most", 1.3, "the same"),
    ("network MC, M with pair STDP between excitatory neurons, 1 s, in seconds",
     "network/MC/seconds", "most", 5, "events that learn, in short runs of one delay"),
    ("299 million synapses built on two threads, in seconds",
     "network/build/seconds", "most", 10, "drawing synapses, twice"),
    ("bytes of each, at rest", "network/build/bytes_per_synapse", "most", 4.5, "a target and a weight of 16 bits"),
    ("bytes of each while they are built", "network/build/bytes_while_building", "most", 6, "the same, and what is counted"),
    ("the same on one thread, at rest",
     "network/build_one_thread/bytes_per_synapse", "most", 4.5, "a target and a weight of 16 bits"),
    ("while they are built",
     "network/build_one_thread/bytes_while_building", "most", 6, "the same, and what is counted"),
    ("Conway's life of 50 x 50 cells mapped, but for the proof, in seconds",
     "map/conway50/seconds", "most", 0.002, "routes and tables, a chip at a time"),
    ("entries of all its tables", "map/conway50/entries", "most", 5900, "cells that share a chip"),
    ("the same placed without positions", "map/conway50_plain/seconds", "most", 0.003, "the same"),
    ("entries of all its tables", "map/conway50_plain/entries", "most", 13700, "cells that share a chip"),
    ("life on 979 200 cores mapped, but for the proof, in seconds",
     "map/million/seconds", "most", 0.5, "routes and tables, a chip at a time"),
    ("entries of all its tables", "map/million/entries", "most", 2100000, "cells that share a chip"),
    ("entries of the longest", "map/million/worst", "most", 1023, "cells that share a chip"),
    ("its tables proved, in seconds", "map/million/proof_seconds", "most", 2, "a look at a table for each chip of a tree"),
    ("the same graph in random order, mapped, in seconds",
     "map/million_shuffled/seconds", "most", 3, "memory: neighbours are nowhere near"),
    ("the cortical microcircuit mapped, but for the proof, in seconds",
     "map/microcircuit/seconds", "most", 1, "placement"),
    ("144 tables of Gaussian connectivity compressed, entries", "map/gaussian/entries", "most", 130150, "how entries overlap"),
    ("the same, in seconds", "map/gaussian/seconds", "most", 0.1, "looks at entries that a merge would cover"),
    ("a cortical netlist placed in levels: wire, at most annealing's mean",
     "map/netlist_cortical/cost", "most", 562128, "nets of clusters, nearly as many as those of their items"),
    ("a parser-like netlist", "map/netlist_parser/cost", "most", 104613, "moves"),
    ("Conway's life of 50 x 50 cells", "map/netlist_conway/cost", "most", 5796, "moves"),
    ("a million vertices on as many chips: wire over the manual one",
     "map/place_million/cost", "most", 1.3, "folds of the plane that local moves cannot undo"),
    ("the same, in seconds", "map/place_million/seconds", "most", 30, "the same"),
    ("memory of a simulated machine by SCP over loopback, 8 requests under way, Mb/s",
     "machine/scp_mbit", "least", 200, "two system calls for each datagram"),
    ("Conway's life of 50 x 50 cells on native cores, 1 000 ticks, in seconds",
     "machine/conway50_native", "most", 2, "a call for each packet"),
    ("the same on emulated ARM968E-S cores, in seconds",
     "machine/conway50_emulated", "most", 180, "80 ns for each store of the emulated core"),
    ("the runtime of a core of SpiNNaker, bytes of code",
     "bytes/runtime/code", "most", 4096, "messages to and from the monitor"),
    ("the same, bytes of data",
     "bytes/runtime/data", "most", 1024, "the ring of packets"),
    ("Conway's life of 50 x 50 cells from the description until it waits for its signal, in the process, in seconds",
     "execution/table1_50", "most", 1, "a program for each core, made by itself"),
    ("the microcircuit at full size, 1 210 native cores, from its description until the first step is recorded, in seconds",
     "execution/microcircuit_start", "most", 20, "memory: 1.4 GB of synapses are touched for the first time four times"),
    ("events a millisecond by UDP into a machine and back, none lost",
     "execution/live_events_per_ms", "least", 5000, "datagrams of at most 256 bytes, each a call of the system"),
    ("a million cells on native cores, two threads, ticks a second",
     "machine/million_ticks_per_s", "least", 8, "memory: states of cells, lists of targets"),
]


# Counters beside a `value`: the integrator's error, deviations of one neuron and of one in double.
BESIDE_VALUES = ("integrator", "deviation", "of_reference")


class Run:
    """The machine, and by name of a benchmark the nanoseconds of an item: in the best repetition, and in the median; or what
    it found that is no time."""

    def __init__(self, machine, best, median, counters, values=None):
        self.machine, self.best, self.median, self.counters, self.values = machine, best, median, counters, values or {}

    @classmethod
    def of_results(cls, path):
        results = json.loads(Path(path).read_text(encoding="utf-8"))
        all_of, counters, values = {}, {}, {}
        for entry in results["benchmarks"]:
            if "ratio" in entry and str(entry["run_name"]).startswith("network/"):
                values[entry["run_name"]] = entry["ratio"]
            if "value" in entry:
                values[entry["run_name"]] = entry["value"]
                values |= {f"{entry['run_name']} {counter}": entry[counter] for counter in BESIDE_VALUES if counter in entry}
            if entry.get("run_type") != "iteration" or "items_per_second" not in entry:
                continue
            all_of.setdefault(entry["run_name"], []).append(1e9 / entry["items_per_second"])
            for counter in ("ns_per_event", "ns_per_update"):
                if counter in entry:
                    counters.setdefault(f"{entry['run_name']} {counter}", []).append(entry[counter])
        context = results["context"]
        machine = {key: context.get(key, "unknown") for key in ("cpu", "compiler", "backend")}
        return cls(machine, {name: min(ns) for name, ns in all_of.items()},
                   {name: statistics.median(ns) for name, ns in all_of.items()},
                   {name: min(each) for name, each in counters.items()}, values)

    @classmethod
    def kept(cls, path):
        kept = json.loads(path.read_text(encoding="utf-8"))
        ns = {entry["name"]: entry["ns"] for entry in kept["benchmarks"]}
        return cls(kept["machine"], ns, {}, kept["counters"], kept.get("values"))

    def keep(self, path):
        """One line per entry, for differences that can be read."""
        lines = [json.dumps({"name": name, "ns": float(f"{self.best[name]:.4g}")}) for name in sorted(self.best)]
        counters, values = ({name: float(f"{value:.4g}") for name, value in sorted(all_of.items())}
                            for all_of in (self.counters, self.values))
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'{{"machine": {json.dumps(self.machine)}, "counters": {json.dumps(counters)},\n'
                        + (f'"values": {json.dumps(values)},\n' if values else "") + '"benchmarks": [\n'
                        + ",\n".join(lines) + "\n]}\n", encoding="utf-8")

    def name(self):
        return f"{self.machine['cpu']}, {self.machine['compiler']}, `target::{self.machine['backend']}`"

    def ratio(self, goal, ns=None):
        """None where one of both was not measured."""
        ns = self.best if ns is None else ns
        _, faster, slower, _, _, _ = goal
        if faster not in ns or slower not in ns:
            return None
        return ns[slower] / ns[faster]


def digits(ns):
    """Three of them."""
    return "not measured" if ns is None else f"{ns:.3f}" if ns < 1 else f"{ns:.2f}" if ns < 10 else f"{ns:.1f}"


def verdict(goal, ratio):
    *_, sense, bound, _ = goal
    if ratio is None or bound is None:
        return ""
    return "met" if (ratio >= bound if sense == "least" else ratio <= bound) else "MISSED"


def those_with(runs, has):
    """The runs that have measured what a table is of; all where none has."""
    return [run for run in runs if has(run)] or runs


def goals_table(runs):
    runs = those_with(runs, lambda run: any(run.ratio(goal) is not None for goal in GOALS))
    yield ["goal", "slower, faster", "bound", *(run.name() for run in runs)]
    for goal in GOALS:
        what, faster, slower, sense, bound, _ = goal
        cells = []
        for run in runs:
            ratio = run.ratio(goal)
            cells.append("not measured" if ratio is None else f"{ratio:.2f} {verdict(goal, ratio)}".strip())
        yield [what, f"`{slower}`, `{faster}`", "" if bound is None else f"at {sense} {bound}", *cells]


def networks_table(runs):
    runs = those_with(runs, lambda run: any(goal[1] in run.values for goal in VALUE_GOALS))
    yield ["goal", "key", "bound", *(run.name() for run in runs)]
    for goal in VALUE_GOALS:
        what, key, sense, bound, _ = goal
        found = [run.values.get(key) for run in runs]
        yield [what, f"`{key}`", f"at {sense} {bound}",
               *("not measured" if value is None else f"{value:.3g} {verdict(goal, value)}" for value in found)]


FIGURES = [f"{variant}/4000" for variant in (
    "lif/shared/native", "lif/shared/generic", "lif/packed/native", "lif/packed/generic", "lif/shared/plain_double",
    "lif/shared/read_write", "lif/shared/frozen", "lif/one_time_constant/frozen", "lif/packed/frozen", "lif/compact/native",
    "lif/compact/generic", "lif/compact/frozen", "lif/compact_two/native", "lif/compact_two/generic",
    "lif/compact_two/frozen", "lif/per_neuron/native", "lif/per_neuron/generic", "lif/one_time_constant/native",
    "lif/one_time_constant/generic", "lif/nearest/native", "lif/nearest/generic")]
FIGURES += [f"synapse/{variant}/10000x1000" for variant in (
    "ring32/native", "ring32_row_by_row/native", "ring32/plain", "ring16/native", "ring32_four_delays/native",
    "ring32_four_delays_unordered/native", "ring32_four_delays_row_by_row/native", "ring32_four_delays/plain",
    "ring16_four_delays/native", "stream_rows/plain")]
FIGURES += [f"poisson/{variant}" for variant in (
    "1.2/native", "1.2/lanes/native", "1.2/lanes/native/with_input", "1.2/lanes/native/with_input/int32", "1.2/lanes/avx2",
    "1.2/lanes/avx2/with_input", "1.2/lanes/generic", "1.2/lanes/generic/with_input", "5/native", "5/lanes/native")]
FIGURES += ["cuba/fixed/native/4000", "cuba/double/reference/4000"]
ALIASES = ("lif1", "lif2", "packed_lif", "compact_lif1", "compact_lif2", "if_curr_exp", "if_curr_alpha", "if_curr_delta",
           "if_cond_exp", "if_cond_alpha", "izhikevich", "izhikevich_stochastic", "izhikevich_delta",
           "eif_cond_exp_isfa_ista", "eif_cond_alpha_isfa_ista", "lif", "cubalif", "li", "cubali", "if", "i")
TRACES = [f"traces/{variant}/255" for variant in (
    "fifo/native", "pool/native", "sliding/native", "baker/native", "generational/native", "deque/plain")]


def figures_table(names):
    def rows(runs):
        runs = those_with(runs, lambda run: any(name in run.best for name in names))
        yield ["benchmark, ns each", *(run.name() for run in runs)]
        for name in names:
            cells = []
            for run in runs:
                of_events = run.counters.get(f"{name} ns_per_event")
                cells.append(digits(run.best.get(name)) + (f" ({of_events:.1f} per synaptic event)" if of_events else ""))
            yield [f"`{name}`", *cells]
    return rows


def scheduler_table(runs):
    """Of the first run; the benchmarks stand in the first column."""
    ns = runs[0].best
    yield ["ns each", "benchmark", "32-bit time", "64-bit", "standard library"]
    rows = [(f"an event pushed and one popped, {queued} queued", f"sched/queue{queued}", "/wide", "/std", "")
            for queued in (4, 16, 64, 256)]
    rows += [("timer asked, nothing due", "sched/timer", "/wide", "/std", "/nothing_due"),
             ("timer asked, fires", "sched/timer", "/wide", "/std", "/fires")]
    for what, end in (("nothing due", "/nothing_due"), ("a service runs", "/runs")):
        rows += [(f"turn, {what}, {timers} timer{'s' * (timers > 1)}", "sched/loop", "/wide", "/std", f"/{timers}{end}")
                 for timers in (1, 4, 16, 64)]
    for what, key, wide, standard, end in rows:
        yield [what, f"`{key}[{wide},{standard}]{end}`",
               *(digits(ns[name]) if (name := f"{key}{how}{end}") in ns else "" for how in ("", wide, standard))]


def with_neurons(runs):
    """The last run that has timed compositions, or the first of all."""
    return next((run for run in reversed(runs) if any(name.startswith("neuron/") for name in run.best)), runs[0])


def neurons_table(runs):
    run = with_neurons(runs)
    backends = ("generic", "sse41", "avx2", "avx512")
    yield [f"`<alias>`; {run.name()}", *(f"`neuron/<alias>/{backend}/4000`" for backend in backends),
           *(f"`accuracy/<alias>/{dt}`{counter}" for counter in ("", ", `integrator`") for dt in ("0.1", "1"))]
    for alias in ALIASES:
        yield [f"`{alias}`",
               *("" if (ns := run.best.get(f"neuron/{alias}/{backend}/4000")) is None else digits(ns) for backend in backends),
               *("" if (off := run.values.get(f"accuracy/{alias}/{dt}{counter}")) is None else f"{off:.1e}"
                 for counter in ("", " integrator") for dt in ("0.1", "1"))]


def lags_table(runs):
    values = with_neurons(runs).values
    ways = ("nearest", "stochastic")
    yield ["`lag/izhikevich/<cell>/<rounding>`, ms", *(f"`{way}`" for way in ways),
           *(f"`deviation`, `{way}`" for way in ways), "`of_reference`"]
    for cell in ("rs", "fs"):
        keys = [f"lag/izhikevich/{cell}/{way}" for way in ways]
        keys += [f"{key} deviation" for key in keys] + [f"{keys[0]} of_reference"]
        yield [f"`{cell}`", *("" if (ms := values.get(key)) is None else f"{ms:.2f}" for key in keys)]


def masks_table(runs):
    ns = runs[0].best
    ways = ("unmasked", "full", "partial", "tagged", "tagged_cached")
    yield ["ns per vector", *(f"`{way}`" for way in ways)]
    rows = [(f"mask/{rule}/{backend}", "") for rule in ("constant", "stdp")
            for backend in ("generic", "sse41", "avx2", "avx512")]
    for key, size in rows + [("mask/constant/avx2", "/64"), ("mask/stdp/avx2", "/64")]:
        yield [f"`{key}{'/...' if size else ''}{size}`",
               *("" if f"{key}/{way}{size}" not in ns else f"{ns[f'{key}/{way}{size}']:.3f}" for way in ways)]


def vectors_table(runs):
    ns = runs[0].best
    ways = ("plain", "generic", "sse41", "generic_2", "avx2", "generic_4", "avx512")
    yield ["ns per vector", *(f"`{way}`" for way in ways)]
    for operation in sorted({name.rsplit("/", 1)[0] for name in ns if name.startswith("vector/")}):
        yield [f"`{operation}`",
               *("" if f"{operation}/{way}" not in ns else f"{ns[f'{operation}/{way}']:.2f}" for way in ways)]


TABLES = {"goals": goals_table, "networks": networks_table, "figures": figures_table(FIGURES), "neurons": neurons_table, "lags": lags_table,
          "traces": figures_table(TRACES),
          "scheduler": scheduler_table, "host_masks": masks_table, "host_vectors": vectors_table}


def kept_runs():
    return [Run.kept(path) for path in sorted(RUNS.glob("*.json"))]


def page(text, runs):
    for name, table in TABLES.items():
        text = with_table(text, name, markdown(list(table(runs))), "benchmarks/report/goals.py")
    return text


def show(run):
    print(aligned([["benchmark", "million/s", "ns each", "median"]]
                  + [[name, f"{1e3 / run.best[name]:.0f}", f"{run.best[name]:.3f}", f"{run.median[name]:.3f}"]
                     for name in sorted(run.best)]
                  + [[name, "", f"{value:.3f}", ""] for name, value in sorted(run.counters.items())]
                  + [[name, "", f"{value:.3g}", ""] for name, value in sorted(run.values.items())]))
    rows = [["goal", "best", "median", "", "bound by"]]
    for goal in GOALS:
        best, median = run.ratio(goal), run.ratio(goal, run.median)
        if best is not None:
            sign = {"least": ">=", "most": "<="}[goal[3]]
            rows.append([goal[0], f"{best:.2f}", f"{median:.2f}",
                         "" if goal[4] is None else f"{sign} {goal[4]} {verdict(goal, best)}", goal[5]])
    for goal in VALUE_GOALS:
        what, key, sense, bound, bound_by = goal
        if (value := run.values.get(key)) is not None:
            rows.append([what, f"{value:.3g}", "", f"{'>=' if sense == 'least' else '<='} {bound} {verdict(goal, value)}", bound_by])
    print(f"\n{aligned(rows)}\n\nmeasured on: {run.name()}")


def main():
    arguments = sys.argv[1:]
    if arguments == ["--check"]:
        text = PAGE.read_text(encoding="utf-8")
        if page(text, kept_runs()) == text:
            return 0
        print("docs/performance.md is not what benchmarks/host_runs gives: run 'python3 benchmarks/report/goals.py --write'.",
              file=sys.stderr)
        return 1
    if arguments == ["--write"]:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), kept_runs()), encoding="utf-8")
        return 0
    try:
        run = Run.of_results(arguments[0])
    except (IndexError, OSError, ValueError, KeyError) as error:
        print(f"goals.py: no results to read: {error}", file=sys.stderr)
        return 2
    show(run)
    if len(arguments) == 3 and arguments[1] == "--record":
        run.keep(RUNS / f"{arguments[2]}.json")
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), kept_runs()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
