# SPDX-License-Identifier: BSL-1.0
"""The cycles of the kernels beside what the paper has, what plain C++ takes, the goals and the lower bounds.

usage: cycle_table.py EXPECTED.json          prints the tables; also for the file that run.py writes with --json
       cycle_table.py EXPECTED.json --write  writes them into the pages, and the pictures of realtime.py, pauses.py and papers.py
       cycle_table.py EXPECTED.json --check  says which page or picture is another one

ROWS is the one place where a kernel's paper figure, goal and bound stand.
"""

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import papers
import pauses
import realtime
from tables import aligned, markdown, with_table

ROOT = Path(__file__).resolve().parents[2]
WRITER = "benchmarks/report/cycle_table.py"
UPDATE = "cmake --build <build folder> --target update_cycles"


@dataclass(frozen=True)
class Row:
    key: str  # after cycles/<core>/; in cycles per item
    what: str
    paper: str = ""  # D. R. Lester et al., "Streamlining SpiNNaker", for the ARM968E-S; sched: P. Spilger, for the PPU
    goal: float = None  # at most this, ARM968E-S
    bound: float = None  # what no program for the ARM968E-S can be below, and why
    why: str = ""
    m4_bound: float = None
    m4_why: str = ""
    generic: str = None  # key of the plain C++; by default, `key` with /generic
    short: bool = False  # whether the README has it
    less: str = ""  # key of what is part of the measurement and not of the kernel: taken off


# A program that is not written yet may have its rows here; they appear with its first key in expected.json. Items are as
# many as suit the kernel, 32 neurons of a loop, 250 or 1000.
ROWS = [
    Row("neuron/compact_lif1/32", "`CompactLif<1>` neuron, `Population::step`, 32 at once", "12.98", 12.0, 10,
        "3 loads, 3 stores, 2 products, 2 additions", generic=""),
    Row("neuron/compact_lif1/100", "the same, 100 at once", "", 10.8, 10, "the same", generic=""),
    Row("neuron/compact_lif1/256", "the same, 256 at once", "", 10.5, 10, "the same", generic=""),
    Row("neuron/compact_lif2/32", "`CompactLif<2>` neuron, `Population::step`, 32 at once", "", 22.5, 17,
        "5 loads, 5 stores, 3 products, 4 additions", generic=""),
    Row("neuron/compact_lif2/100", "the same, 100 at once", "", 19, 17, "the same", generic=""),
    Row("neuron/compact_lif2/256", "the same, 256 at once", "", 18, 17, "the same", generic=""),
    Row("lif/packed", "`PackedLif` neuron, all of its step", "", None, 16,
        "6 accesses, 5 products, 3 sums, signed halves, one word of two", 14.5, "the same, one product and one half less"),
    Row("lif/two/shared/250", "`Lif<2>` neuron, all of its step, 250 at once", "", None, 18,
        "10 accesses, 5 products, 3 sums", generic="lif/two/shared/generic"),
    Row("lif/two/shared", "the same, 32 at once", bound=18, why="the same", generic=""),
    Row("lif/one/shared/250", "`Lif<1>` neuron, all of its step, 250 at once", "", None, 14,
        "8 accesses, 3 products, 3 sums", generic="lif/one/shared/generic"),
    Row("lif/one/shared", "the same, 32 at once", bound=14, why="the same", generic=""),
    Row("lif/two/per_neuron/250", "`Lif<2>` neuron, constants of its own", "", None, 25,
        "4 loads and 3 sums more", generic="lif/two/per_neuron/generic"),
    Row("lif/one/per_neuron/250", "`Lif<1>` neuron, constants of its own", "", None, 19,
        "3 loads and 2 sums more", generic="lif/one/per_neuron/generic"),
    Row("synapse/ring32/wrap", "synaptic event, 32-bit ring", "states 5, takes 7", 6.1, 6,
        "3 accesses, address, mask, addition", 7, "loads 3, store, addition, 2 for the address"),
    Row("synapse/ring32/rowlet", "the same, rowlet", "", 5.1, 5, "no mask", 6, "one for the address"),
    Row("synapse/ring32/packed", "rowlet, two events in two words", "", 4.6, 4.5, "half a load of a weight less"),
    Row("synapse/ring32/uniform", "rowlet, one weight for all", "", None, 4, "3 accesses, addition", 6, "as a rowlet"),
    Row("synapse/ring32/dense", "rowlet, consecutive targets", "", 3.8, 3.5, "2.5 accesses, addition", 3.5,
        "the same"),
    Row("synapse/ring16sat/wrap", "synaptic event, 16-bit, saturating", "6.5", 6.2, 6, "as with 32 bits"),
    Row("synapse/ring16sat/rowlet", "the same, rowlet", "", 5.2, 5, "no mask"),
    Row("synapse/key_table/64", "key to entry, 64 entries", "", 30, generic=""),
    Row("synapse/key_table/64/worst", "the same, longest", "", 30, generic=""),
    Row("synapse/key_table/64/unknown", "key of no entry, counted, 64 entries", generic=""),
    Row("synapse/row_table/64", "key to synaptic row, 64 populations", generic=""),
    Row("synapse/delay_stage/put", "row put into the stage of delays", generic=""),
    Row("synapse/delay_stage/take", "row taken in its step", generic=""),
    Row("synapse/delay_stage/take_none", "no row left in a step", generic=""),
    Row("random/jkiss64", "random word, Jkiss64", "21", 12.2, 12, "products 3 + 2, xorshift 3, sums 2, a zero, the store"),
    Row("random/small", "random word, Sfc32", "", 8.0, 6.33, "19 instructions for three, stores included"),
    Row("random/kiss32", "random word, Kiss32"),
    Row("random/philox", "random word, Philox"),
    Row("poisson/1.6/word", "Poisson value at 1.6, a word each", "37.87", 24.0, 13.25,
        "a word 11, an index or a comparison, an outcome, a quarter of a store"),
    Row("poisson/1.6/bytes", "the same from byte tables", "13.89", 7.3, 5.95,
        "a word 11, 4 indices, 4 loads, 4 to merge and store; 18 for an escape, 3 of 256"),
    Row("poisson/1.6/pairs", "the same in pairs", "", 4.9, 3.55,
        "a word 11, 3 indices, 3 loads, 3 to merge and store; 18 for an escape, 29 of 1024"),
    Row("gc/fifo/record_reclaim", "trace event, recorded and reclaimed", "296 for one extension", 80.0, generic="",
        less="gc/none/record_reclaim", short=True),
    Row("gc/fifo/record", "the same, record as a function", generic=""),
    Row("gc/fifo/advance", "collector's advance as a function, mean", "1290 a scan, 78 000 to 190 000 a compaction", generic=""),
    Row("gc/fifo/query", "a neuron's whole window looked through", generic=""),
    Row("gc/fifo/worst", "collector's worst pause", "none given", 1000.0, generic="", short=True),
    Row("stdp/pair/rows_of_100", "plastic synapse, pair, one event in the window, ring and all", "", 100, generic=""),
    Row("stdp/pair/poisson/rows_of_100", "the same, events at random, one in the mean", generic=""),
    Row("stdp/triplet/rows_of_100", "plastic synapse, triplet, one event in the window, ring and all", "", 150, generic=""),
    Row("ring/take", "ring buffer element read and cleared", "", None, 3, "3 accesses", 3, "3 accesses"),
    Row("sched/queue16/push", "event pushed into its place, 15 of 16 queued", "90 on a PPU, without its place", 60, generic=""),
    Row("sched/queue16/pop", "event popped", "85", 60, generic=""),
    Row("sched/queue16/wide/push", "pushed, 64-bit time", "90 without its place", generic=""),
    Row("sched/queue16/wide/pop", "popped, 64-bit time", "85", generic=""),
    Row("sched/timer/nothing_due", "timer asked, nothing due", "118 to 150", 25, generic=""),
    Row("sched/timer/fires", "timer asked, fires", "118 to 150", 40, generic=""),
    Row("sched/timer/one_missed", "timer asked a period too late", "118 to 150", generic=""),
    Row("sched/timer/wide/nothing_due", "timer asked, nothing due, 64-bit time", "166 to 264", generic=""),
    Row("sched/timer/wide/fires", "timer asked, fires, 64-bit time", "166 to 264", generic=""),
    Row("sched/loop/1/nothing_due", "turn of the scheduler, nothing due, 1 timer", "", 68, generic=""),
    Row("sched/loop/16/nothing_due", "turn of the scheduler, nothing due, 16 timers", "", 188, generic=""),
    Row("sched/loop/64/nothing_due", "turn of the scheduler, nothing due, 64 timers", "", 572, generic=""),
    Row("sched/loop/wide/16/nothing_due", "turn of the scheduler, nothing due, 16 timers, 64-bit time", generic=""),
    Row("sched/loop/1/runs", "turn of the scheduler that runs a service, 1 timer", short=True, generic=""),
    Row("sched/loop/16/runs", "turn of the scheduler that runs a service, 16 timers", generic=""),
    Row("core/static/rows_of_10", "static event all in on a composed core, rows of 10", "", 25, generic=""),
    Row("core/static/rows_of_10/indexed", "the same, found by an index in SDRAM", generic=""),
    Row("core/static/rows_of_30", "static event all in, rows of 30", "", 14.3, generic=""),
    Row("core/static/rows_of_100", "static event all in, rows of 100", "", 8.3, generic=""),
    Row("core/static_of_learner/rows_of_10", "on a core with rules, rows of 10", generic=""),
    Row("core/static_of_learner/rows_of_30", "on a core with rules, rows of 30", generic=""),
    Row("core/static_of_learner/rows_of_100", "on a core with rules, rows of 100", generic=""),
    Row("core/flush/step_of_10000", "ages of 10 000 plastic rows looked after, a step", generic=""),
    Row("sched/executive/chunk", "what the executive adds to a chunk of neurons", generic=""),
    Row("sched/row/feed", "spike taken, its row requested", generic=""),
    Row("sched/row/process", "row that has arrived handed over", generic=""),
    Row("sched/row/write_back", "buffer freed, changed row returned", generic=""),
    Row("sched/spike/put", "spike put by the interrupt", generic=""),
    Row("copy/block/68_bytes", "copy of 68 bytes", "29 instructions", 45.0, 40, "34 accesses, call and return"),
]


SIZES = (10, 32, 100, 256, 1000)


@dataclass(frozen=True)
class Sized:
    """A call that a user makes, with `key`/<size> for each size, and `key`/<size>/worst where there is a worse case."""
    key: str
    what: str
    readme: int = None  # the size with which the README has it
    paper: str = ""  # for that size, and in the same units
    name: str = ""  # in the README, if another


BY_SIZE = [
    Sized("population/lif2", "neuron, `Population<Lif<2>, n>::step`", 256, name="`Lif<2>` neuron, all of its step"),
    Sized("population/lif1", "neuron, `Population<Lif<1>, n>::step`"),
    Sized("population/packed", "neuron, `Population<PackedLif, n>::step`"),
    Sized("population/compact", "neuron, `Population<CompactLif<>, n>::step`", 32, "12.98",
          "`CompactLif<>` neuron, all of its step"),
    Sized("synapse/ring32/wrap", "synaptic event, `add_row`, 32-bit ring", 100, "7 (it states 5), without loop and call",
          "synaptic event of a row, 32-bit ring"),
    Sized("synapse/ring16sat/wrap", "synaptic event, `add_row`, 16-bit ring, saturating", 100, "6.5, without loop and call",
          "synaptic event of a row, 16-bit ring, saturating"),
    Sized("rows/ring32/signed", "synaptic event, `add_row`, weights with a sign, 32-bit ring"),
    Sized("rows/ring16/signed", "the same, 16-bit ring, saturating, no loop of its own"),
    Sized("rows/ring32/add_rows", "synaptic event, `add_rows` of four rows, 32-bit ring"),
    Sized("rows/ring32/rowlets", "synaptic event, `add_rowlets` of four, `layout::Single`"),
    Sized("rows/ring32/pairs", "the same, `layout::Pairs`"),
    Sized("rows/ring32/uniform", "the same, `layout::Uniform`"),
    Sized("rows/ring32/dense", "the same, `layout::Dense`"),
    Sized("rows/ring16/rowlets", "the same, `layout::Saturating`, 16-bit ring"),
    Sized("random/small", "random word, `Sfc32::fill`"),
    Sized("random/jkiss64", "random word, `Jkiss64::fill`", paper="21"),
    Sized("random/kiss32", "random word, `Kiss32::fill`"),
    Sized("random/philox", "random word, `Philox::fill`"),
    Sized("poisson/1.6/word", "Poisson value, `word_table`, `Jkiss64`"),
    Sized("poisson/1.6/bytes", "Poisson value, `byte_table`, `Jkiss64`", 256, "13.89", "Poisson value of rate 1.6, by bytes"),
    Sized("poisson/1.6/pairs", "Poisson value, `pair_table`, `Jkiss64`"),
    Sized("copy/words", "word, `target::CopyBlock<>::start`"),
]


class Figures:
    """The cycles of a file by core and key."""

    def __init__(self, path):
        self.entries = json.loads(Path(path).read_text())["benchmarks"]
        self.cycles = {entry["name"].removeprefix("cycles/"): entry["cycles"] for entry in self.entries
                       if entry["name"].startswith("cycles/")}
        self.instructions = {entry["name"].removeprefix("cycles/"): entry["instructions"] for entry in self.entries
                             if "instructions" in entry}
        self.longest = {entry["name"].removeprefix("cycles/"): entry["max_cycles"] for entry in self.entries
                        if "max_cycles" in entry}

    def rows(self):
        groups = {key.split("/")[1] for key in self.cycles}
        for row in ROWS:
            if row.key.split("/")[0] not in groups:
                continue
            if f"arm968/{row.key}" not in self.cycles:
                sys.exit(f"cycle_table.py: no cycles/arm968/{row.key} in the figures; mend ROWS or the program")
            yield row

    def of(self, core, key):
        return self.cycles.get(f"{core}/{key}")

    def backend(self, core, row):
        cycles = self.of(core, row.key)
        return cycles - self.of(core, row.less) if row.less and cycles is not None else cycles

    def generic(self, core, row):
        return self.of(core, f"{row.key}/generic" if row.generic is None else row.generic)


def number(value):
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 40 and value == round(value) else f"{value:.2f}"


def three_digits(value):
    return "" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def plain(value):
    return "" if value is None else f"{value:g}"


def verdict(figures, row):
    if row.goal is None:
        return ""
    return f"{plain(row.goal)} {'met' if figures.backend('arm968', row) <= row.goal else 'MISSED'}"


def reason(bound, why):
    return plain(bound) + (f": {why}" if why else "")


def arm968(figures):
    yield ["kernel", "key", "paper", "plain C++", "backend", "goal", "lower bound"]
    for row in figures.rows():
        yield [row.what, f"`{row.key}`", row.paper, number(figures.generic("arm968", row)),
               number(figures.backend("arm968", row)), verdict(figures, row), reason(row.bound, row.why)]


def cortex_m4(figures):
    yield ["kernel", "key", "plain C++", "backend", "lower bound"]
    for row in figures.rows():
        if figures.of("cortex_m4", row.key) is not None:
            yield [row.what, f"`{row.key}`", number(figures.generic("cortex_m4", row)),
                   number(figures.backend("cortex_m4", row)), reason(row.m4_bound, row.m4_why)]


def at_size(figures, core, sized, size, case=""):
    """A key without a size is that of 1000."""
    cycles = figures.of(core, f"{sized.key}/{size}{case}")
    return figures.of(core, sized.key) if cycles is None and size == 1000 and not case else cycles


def by_size(core):
    def rows(figures):
        yield ["cycles per item", "key", *(str(size) for size in SIZES)]
        for sized in BY_SIZE:
            cells = [at_size(figures, core, sized, size) for size in SIZES]
            if None in cells:
                sys.exit(f"cycle_table.py: no cycles/{core}/{sized.key} of all sizes in the figures; mend BY_SIZE or the program")
            yield [sized.what, f"`{sized.key}`", *map(number, cells)]
            for case, words in (("/all_fire", "all fire in one step"), ("/worst", "at worst")):
                cells = [at_size(figures, core, sized, size, case) for size in SIZES]
                if any(cell is not None for cell in cells):
                    yield [words, f"`{sized.key}/<n>{case}`", *map(number, cells)]
    return rows


def at_worst(figures, core, sized):
    firing, worst = (at_size(figures, core, sized, sized.readme, case) for case in ("/all_fire", "/worst"))
    both = firing is not None and firing < worst
    return f"{number(worst)}; {number(firing)} if all fire" if both else number(worst)


def short(figures):
    yield ["cycles per item", "items in a call", "paper", "ARM968E-S", "at worst", "Cortex-M4", "at worst"]
    for sized in BY_SIZE:
        if sized.readme is not None:
            yield [sized.name, str(sized.readme), sized.paper,
                   *(cell for core in ("arm968", "cortex_m4")
                     for cell in (number(at_size(figures, core, sized, sized.readme)), at_worst(figures, core, sized)))]
    for row in figures.rows():
        if row.short:
            yield [row.what, "", row.paper,
                   *(cell for core in ("arm968", "cortex_m4") for cell in (number(figures.backend(core, row)), ""))]


def rowlets(figures):
    """By how many events there are of each of four delays."""
    sizes = sorted({int(key.split("/")[4]) for key in figures.cycles if key.startswith("arm968/rows/ring32/row/")})
    yield ["cycles per event", *(str(size) for size in sizes), "rowlets are slower up to"]
    for core, core_name in (("arm968", "ARM968E-S"), ("cortex_m4", "Cortex-M4")):
        for ring in ("32", "16"):
            row, lets = ([figures.of(core, f"rows/ring{ring}/{what}/{size}") for size in sizes] for what in ("row", "rowlets"))
            slower = [size for size, of_row, of_rowlets in zip(sizes, row, lets) if of_rowlets > of_row]
            if slower == sizes:
                sys.exit(f"cycle_table.py: rowlets never pay on {core} with {ring} bits; measure longer ones")
            yield [f"{core_name}, {ring}-bit ring: row", *map(number, row), ""]
            yield ["rowlets", *map(number, lets), f"{max(slower, default=0)} events a delay"]
            mixed = [figures.of(core, f"rows/ring{ring}/mixed/{size}") for size in sizes]
            loss = max(of_mixed / min(of_row, of_rowlets) for of_mixed, of_row, of_rowlets in zip(mixed, row, lets)) - 1
            if loss > 0.055:
                sys.exit(f"cycle_table.py: mixed rows lose {loss:.1%} on {core} with {ring} bits; look at their RowCosts")
            yield ["mixed row", *map(number, mixed), f"mixed loses {100 * loss:.1f} % at most"]


def plastic(figures):
    """A synapse of a row of 100, for each timing rule."""
    keys = ("update", "rows_of_100", "rows_of_100/worst", "eight_delays", "poisson/rows_of_100", "poisson/rows_of_100/worst",
            "poisson/eight_delays")
    yield ["cycles per synapse", *(f"`{key}`" for key in keys)]
    rules = sorted({key.split("/")[2] for key in figures.cycles if key.startswith("arm968/stdp/")})
    for rule in rules:
        for core, core_name in (("arm968", "ARM968E-S"), ("cortex_m4", "Cortex-M4")):
            yield [f"`stdp/{rule}`, {core_name}", *(number(figures.of(core, f"stdp/{rule}/{key}")) for key in keys)]


def queues(figures):
    """A list and a heap of so many events, on the ARM968E-S."""
    calls = ("push", "push/earliest", "push/latest", "pop")
    sizes = sorted({int(key.split("/")[3]) for key in figures.cycles if key.startswith("arm968/sched/list/")})
    yield ["events", *(f"{kind}: {call.replace('/', ', ')}" for kind in ("list", "heap") for call in calls)]
    for size in sizes:
        yield [str(size), *(number(figures.of("arm968", f"sched/{kind}/{size}/{call}")) for kind in ("list", "heap")
                            for call in calls)]


def mailbox(figures):
    """Records into a mailbox and out of it."""
    yield ["key, without `cycles/<core>/`", "what", "ARM968E-S", "Cortex-M4"]
    for key, what in (("write0", "a head alone, inlined in a loop"), ("write1", "and a word"), ("write2", "and two"),
                      ("write4", "and four"), ("begin_end2", "and two, written by the caller between `begin` and `end`"),
                      ("write2/call", "and two, as a function that is called"),
                      ("write2/refused", "and two, no room: counted"),
                      ("write2/oldest_gives_way", "and two, the oldest gives way"),
                      ("read2", "a head and two words read, as a function that is called"),
                      ("read/none", "nothing there"), ("crc", "CRC of a frame, per word")):
        yield [f"`mailbox/{key}`", what, *(number(figures.of(core, f"mailbox/{key}")) for core in ("arm968", "cortex_m4"))]


def log(figures):
    """A line of a log into a mailbox."""
    yield ["key, without `cycles/<core>/`", "what", "bytes in the ring", "ARM968E-S", "Cortex-M4"]
    for key, what, size in (
            *((f"arguments_{count}", f"{count} arguments of 32 bits, no time", 4 + 4 * count) for count in range(5)),
            *((f"timed/arguments_{count}", f"{count}, and the time", 8 + 4 * count) for count in range(5)),
            ("timed/arguments_2/call", "in a function that is called", 16), ("bytes_4", "4 arguments of 8 bits", 8),
            ("text", "a text of 6 characters", 12), ("arguments_2/refused", "no room: counted", 0)):
        yield [f"`log/{key}`", what, str(size), *(number(figures.of(core, f"log/{key}")) for core in ("arm968", "cortex_m4"))]


PRINTED = (("text", "14 characters"), ("number", "an integer of 32 bits"), ("bits", "`{:08x}`"),
           ("string", "a text, 8 characters in the mean"), ("fixed", "an s16.15, `{:.3}`"), ("line", "all of these, 50 characters"))
# Ways to print of newlib, and their keys.
NEWLIB = (("printf", "printf/"), ("iprintf", "iprintf/"), ("snprintf", "newlib_float/"), ("sniprintf", "newlib/"))


def printing(figures):
    """Cycles of a text with values into a buffer, and newlib's of the same."""
    yield ["key, without `cycles/<core>/`", "what", "ARM968E-S", "`iprintf`", "`sniprintf`", "Cortex-M4",
           *(f"`{name}`" for name, _ in NEWLIB)]
    for key, what in (*PRINTED, ("fixed_exact", "an s16.15, all digits"), ("wide", "an integer of 64 bits")):
        yield [f"`print/{key}`", what, *(number(figures.of(core, f"print/{way}{key}")) for core, ways in
                                         (("arm968", ("", "iprintf/", "newlib/")), ("cortex_m4", ("", *dict(NEWLIB).values())))
                                         for way in ways)]


def printing_instructions(figures):
    """Of a call, and how many times as many newlib takes."""
    def cells(core, key, ways):
        ours = figures.instructions[f"{core}/print/{key}"]
        yield f"{ours:.0f}"
        for way in ways:
            theirs = figures.instructions.get(f"{core}/print/{way}{key}")
            yield f"{theirs:.0f}, {theirs / ours:.1f}" if theirs else ""
    yield ["instructions", "ARM968E-S", "`iprintf`, times", "`sniprintf`, times", "Cortex-M4", *(f"`{name}`, times" for name, _ in NEWLIB)]
    for key, what in PRINTED:
        yield [what, *cells("arm968", key, ("iprintf/", "newlib/")), *cells("cortex_m4", key, dict(NEWLIB).values())]


def profile(figures):
    """Scopes of a profiler."""
    yield ["key, without `cycles/<core>/`", "what", "ARM968E-S", "Cortex-M4"]
    for key, what in (("scope", "a scope as a record, both ends, inlined in a loop"),
                      ("scope/call", "as a function that is called"),
                      ("scope_summarised", "a scope in a summary, both ends, inlined in a loop"),
                      ("scope_summarised/call", "as a function that is called"),
                      ("scope/traces", "a scope of a trace store as a record, inlined in a loop"),
                      ("scope_summarised/traces", "in a summary"),
                      ("step", "a step as a record"), ("announce", "four names, and the costs measured"),
                      ("report", "four summaries")):
        yield [f"`profile/{key}`", what, *(number(figures.of(core, f"profile/{key}")) for core in ("arm968", "cortex_m4"))]


def monitor(figures):
    """Reports of a monitor."""
    yield ["key, without `cycles/<core>/`", "what", "ARM968E-S", "Cortex-M4"]
    for key, what in (("note", "a spike that is counted for one of two populations"),
                      ("announce", "names of four services and two populations"),
                      ("report/nothing", "a report of nothing: the time"), ("report/core", "of a core's counters"),
                      ("report/scheduler", "of a scheduler with four services"),
                      ("report/executive", "of an executive's tasks"), ("report/spikes", "of two populations"),
                      ("report/all", "of all of these")):
        yield [f"`monitor/{key}`", what, *(number(figures.of(core, f"monitor/{key}")) for core in ("arm968", "cortex_m4"))]


def wide_time(figures):
    """Every key that was measured with both widths of time."""
    yield ["key", "ARM968E-S: 32 bits", "64 bits", "more", "Cortex-M4: 32 bits", "64 bits", "more"]
    for wide in sorted(key.removeprefix("arm968/") for key in figures.cycles
                       if key.startswith("arm968/sched/") and "/wide/" in key):
        narrow = wide.replace("/wide/", "/")
        cells = []
        for core in ("arm968", "cortex_m4"):
            both = figures.of(core, narrow), figures.of(core, wide)
            if None not in both:
                cells += [number(both[0]), number(both[1]), f"{both[1] / both[0] - 1:.0%}"]
        if cells:
            yield [f"`{narrow}`", *cells]


def masks(figures):
    """64 vectors of a 32 by 32 array."""
    ways = ("unmasked/generic", "unmasked", "full", "partial", "partial_bits", "tagged", "tagged_cached")
    yield ["key, without `cycles/`", *(f"`{way}`" for way in ways)]
    for core in ("arm968", "cortex_m4"):
        for rule in ("constant", "stdp"):
            yield [f"`{core}/mask/{rule}`",
                   *(three_digits(figures.of(core, f"mask/{rule}/{way}")) for way in ways)]


def mask_storage(figures):
    """The three ways to store a partial vector of table 2.1 of the paper on masks."""
    yield ["key, without `cycles/`", "`partial`: 16 aligned bytes", "`partial_unaligned`: 16 bytes", "`partial_bits`: 2 bytes"]
    for core in ("arm968", "cortex_m4"):
        for rule in ("constant", "stdp"):
            yield [f"`{core}/mask/{rule}`", *(three_digits(figures.of(core, f"mask/{rule}/{way}"))
                                             for way in ("partial", "partial_unaligned", "partial_bits"))]


def vectors(figures):
    yield ["key", *(f"{core}: {how}" if how == "lane by lane" else how for core in ("ARM968E-S", "Cortex-M4")
                    for how in ("lane by lane", "words", "backend"))]
    operations = sorted({key.removeprefix("arm968/vector/").removesuffix("/generic") for key in figures.cycles
                         if key.startswith("arm968/vector/") and key.endswith("/generic")})
    for operation in operations:
        yield [f"`{operation}`", *(f"{figures.of(core, f'vector/{operation}{how}'):.1f}" for core in ("arm968", "cortex_m4")
                                   for how in ("/generic", "/words", ""))]


def draws(figures):
    """Values of rate 1.6; whole blocks."""
    yield ["", "ARM968E-S, `Jkiss64`", "plain C++", "published", "`Sfc32`", "Cortex-M4, `Jkiss64`", "plain C++", "`Sfc32`"]
    for name, key, published in (("word_table", "word", "37.87"), ("byte_table", "bytes", "13.89"), ("pair_table", "pairs", "")):
        arm, m4 = ([three_digits(figures.of(core, f"poisson/1.6/{key}{how}")) for how in ("", "/generic", "/small")]
                   for core in ("arm968", "cortex_m4"))
        yield [f"`{name}`", *arm[:2], published, arm[2], *m4]


def collectors(figures):
    """The default first, then by name."""
    found = {key.split("/")[2] for key in figures.cycles if key.startswith("arm968/gc/")} - {"none"}
    return sorted(found, key=lambda name: (name != "fifo", name))


def named(collector):
    return f"`gc::{collector.capitalize()}`"


def trace_goals(figures):
    """255 neurons at 10 Hz."""
    yield ["", "record and reclamation, per event", "a record", "an advance", "worst pause", "query of a whole window"]
    for collector in collectors(figures):
        cycles = [figures.of("arm968", f"gc/{collector}/{what}") for what in ("record_reclaim", "record", "advance", "worst", "query")]
        yield [named(collector), f"{cycles[0] - figures.of('arm968', 'gc/none/record_reclaim'):.1f}",
               *(f"{each:.0f}" for each in cycles[1:])]


def lookup(figures, core, collector, kind="lookup"):
    """Of one synapse; None if there is none."""
    whole = figures.of(core, f"gc/{collector}/{kind}")
    return None if whole is None else whole - figures.of(core, f"gc/none/{kind}")


def trace_lookups(figures):
    """What a row asks of one neuron, with each collector."""
    kinds = [(name + what, core, kind) for what, kind in (("", "lookup"), (", with `IfNone`", "lookup_if_none"))
             for name, core in (("ARM968E-S", "arm968"), ("Cortex-M4", "cortex_m4"))]
    asked = [name for name in collectors(figures) if lookup(figures, "arm968", name) is not None]
    yield ["", *(f"`gc::{name.capitalize()}`" for name in asked)]
    for what, core, kind in kinds:
        cycles = [lookup(figures, core, name, kind) for name in asked]
        yield [what, *("" if each is None else f"{each:.1f}" for each in cycles)]


def trace_apart(figures):
    """With ticks so far apart; memory fills and dies at once."""
    distances = (1, 4, 16, 100, 600)
    yield ["worst pause, ticks apart", *(str(ticks) for ticks in distances)]
    for core, name in (("arm968", "ARM968E-S"), ("cortex_m4", "Cortex-M4")):
        for collector in ("fifo", "baker", "generational"):
            yield [f"{named(collector)}, {name}",
                   *(f"{figures.of(core, f'gc/{collector}/' + (f'apart{ticks}/' if ticks > 1 else '') + 'worst'):.0f}"
                     for ticks in distances)]


def longest_call(figures, collector):
    """Of the stream and of what is to be hard, at any distance of ticks: a key and its cycles."""
    cycles = {f"gc/{collector}/pauses": figures.longest[f"arm968/gc/{collector}/pauses"]}
    cycles.update({key.removeprefix("arm968/"): value for key, value in figures.cycles.items()
                   if key.startswith(f"arm968/gc/{collector}/") and key.endswith("/worst")
                   and (key.count("/") == 3 or "/apart" in key)})
    return max(cycles.items(), key=lambda item: item[1])


def trace_targets(figures):
    """Of the default, with the worst of all distances of ticks."""
    worst = max((key for key in figures.cycles if key.startswith("arm968/gc/fifo/") and key.endswith("/worst")
                 and (key.count("/") == 3 or "/apart" in key)), key=figures.cycles.get)
    each = figures.of("arm968", "gc/fifo/record_reclaim") - figures.of("arm968", "gc/none/record_reclaim")
    yield ["goal, with 255 neurons at 10 Hz", "by", "is", ""]
    yield ["longest pause of the default at most 1 000 cycles, at any distance of ticks", f"`{worst.removeprefix('arm968/')}`",
           f"{figures.cycles[worst]:.0f}", "met" if figures.cycles[worst] <= 1000 else "MISSED"]
    yield ["record and reclamation at most 80 cycles an event", "`gc/fifo/record_reclaim` less `gc/none/record_reclaim`",
           f"{each:.1f}", "met" if each <= 80 else "MISSED"]
    for collector in ("baker", "generational"):
        key, cycles = longest_call(figures, collector)
        yield [f"longest pause of {named(collector)} at most 1 000 cycles, at any distance of ticks", f"`{key}`", f"{cycles:.0f}",
               "met" if cycles <= 1000 else "MISSED"]
    asked = lookup(figures, "arm968", "fifo")
    yield ["what a row of 100 asks of a neuron, with the event before, at most 60 cycles", "`gc/fifo/lookup` less `gc/none/lookup`",
           f"{asked:.1f}", "met" if asked <= 60 else "MISSED"]


def trace_grid(figures):
    """40 and 255 neurons, with memory for so many events of each."""
    calls = ("record", "advance", "query", "worst")
    yield ["collector", "neurons", "events each", *calls, *(f"M4: {call}" for call in calls)]
    for collector in collectors(figures):
        for neurons in (40, 255):
            for events in (2, 4, 16):
                of = [figures.of(core, f"gc/{collector}/{neurons}x{events}/{call}") for core in ("arm968", "cortex_m4")
                      for call in calls]
                if of[0] is not None:
                    yield [named(collector), str(neurons), str(events), *(f"{each:.0f}" for each in of)]


# A transfer of the DMA controller, which is not emulated, as the papers have it: instructions to prepare it, a cycle each,
# and 15 ns a word at 200 MHz.
DMA_START, DMA_WORD, MHZ = 78, 3, 200
SPEEDS = (20, 80)


def papers_compaction(figures):
    """Table I: milliseconds of a whole compaction."""
    ways = (("block", "block copy"), ("words", "memcpy"), ("dma", "DMA"), ("bytes", "byte by byte"))
    published = {(40, 32): ("0.039", "0.044", "0.064", "0.146"), (255, 16): ("0.40", "0.66", "0.91", "1.70"),
                 (255, 32): ("0.95", "1.06", "1.07", "3.87")}
    yield ["neurons, bytes each", "", *(name for _, name in ways)]
    for (neurons, size), of_paper in published.items():
        yield [f"{neurons}, {size}", "papers", *of_paper]
        for speed in SPEEDS:
            of = {way: figures.of("arm968", f"papers/sdram{speed}/compact/{neurons}x{size}/{way}") for way in ("block", "words", "bytes", "none")}
            of["dma"] = of["none"] + neurons * (DMA_START + DMA_WORD * size / 4)
            back = DMA_START + DMA_WORD * neurons * size / 4
            yield ["", f"SDRAM {speed}", *(f"{(of[way] + back) / MHZ / 1000:.3f}" for way, _ in ways)]


def papers_extension(figures):
    """Table II: nanoseconds."""
    yield ["events, bytes", "block copy: papers", "here", "byte by byte: papers", "here"]
    for events, name, block, each in ((2, "4, 16", 1481, 1831), (4, "4, 32", 1598, 1918), (7, "12, 56", 2084, 2518)):
        here = [f"{figures.of('arm968', f'papers/extend/{events}/{way}') * 1000 / MHZ:.0f}" for way in ("block", "bytes")]
        yield [name, str(block), here[0], str(each), here[1]]


def papers_scans(figures):
    """Tables III and IV: nanoseconds."""
    yield ["neurons, events, bytes", "all: papers", "here", "by age: papers", "here"]
    for key, name, every, by_age in (("40x8", "40, 16, 64", "3870", "3086"), ("40x16", "40, 16, 128", "3913", "3049"),
                                     ("255x3", "255, 3, 24", "", "8624"), ("255x4", "255, 4, 32", "43171", "")):
        here = [f"{figures.of('arm968', f'papers/scan/{key}/{way}') * 1000 / MHZ:.0f}" for way in ("all", "by_age")]
        yield [name, every, here[0], by_age, here[1]]


def transfer(size):
    """Cycles of the DMA controller for so many bytes."""
    return DMA_START + DMA_WORD * size / 4


def copies(figures):
    """Figure 14: sizes, and cycles by wait, way and size."""
    sizes = sorted({int(key.split("/")[-1]) for key in figures.cycles if key.startswith("arm968/papers/sdram20/copy/")})
    return sizes, {(speed, way): {size: figures.of("arm968", f"papers/sdram{speed}/copy/{way}/{size}") for size in sizes}
                   for speed in SPEEDS for way, _ in papers.WAYS}


def crossing(of):
    """Bytes from which a transfer takes less than a copy with these cycles by size."""
    first, last = min(of), max(of)
    slope = (of[last] - of[first]) / (last - first)
    return (DMA_START - (of[first] - slope * first)) / (slope - DMA_WORD / 4)


def papers_copies(figures):
    sizes, cycles = copies(figures)
    yield ["bytes", *(str(size) for size in sizes), "DMA pays from"]
    yield ["DMA, computed", *(f"{transfer(size):.0f}" for size in sizes), ""]
    for speed in SPEEDS:
        for way, name in papers.WAYS:
            of = cycles[speed, way]
            yield [f"{name}, SDRAM {speed}", *(f"{of[size]:.0f}" for size in sizes),
                   f"{max(4, math.ceil(crossing(of) / 4) * 4)} bytes"]


def fragments(figures):
    """Figure 15: by wait and fragments, microseconds of the longest call, with 255 buffers of 32 bytes copied as blocks, and
    one transfer back."""
    parts = sorted({int(key.split("/")[4]) for key in figures.cycles if key.startswith("arm968/papers/sdram20/fragments/")})
    return {speed: {part: (figures.of("arm968", f"papers/sdram{speed}/fragments/{part}/worst") + transfer(8160 / part)) / MHZ
                    for part in parts} for speed in SPEEDS}


def papers_fragments(figures):
    calls = fragments(figures)
    yield ["fragments", *(str(part) for part in calls[SPEEDS[0]])]
    for speed, of in calls.items():
        yield [f"longest call, SDRAM {speed}", *(f"{longest:.0f}" for longest in of.values())]


def papers_ticks(figures):
    """A millisecond of 255 neurons and a row of 100 synapses at 10 Hz: V-F3."""
    each, ticks = 5156, 2000
    yield ["", "records and reclamation", "a row of 100 asked", "together", "of 200 000 cycles"]
    for collector in collectors(figures):
        asked = lookup(figures, "arm968", collector)
        if asked is None:
            continue
        records = (figures.of("arm968", f"gc/{collector}/record_reclaim") - figures.of("arm968", "gc/none/record_reclaim")) * each / ticks
        yield [named(collector), f"{records:.0f}", f"{100 * asked:.0f}", f"{records + 100 * asked:.0f}",
               f"{(records + 100 * asked) / 2000:.1f} %"]


TABLES = {"arm968": arm968, "trace_goals": trace_goals, "trace_apart": trace_apart, "trace_lookups": trace_lookups,
          "trace_targets": trace_targets, "trace_grid": trace_grid, "papers_compaction": papers_compaction,
          "papers_extension": papers_extension, "papers_scans": papers_scans, "papers_copies": papers_copies,
          "papers_fragments": papers_fragments, "papers_ticks": papers_ticks, "cortex_m4": cortex_m4, "short": short,
          "sizes_arm968": by_size("arm968"), "sizes_cortex_m4": by_size("cortex_m4"), "rowlets": rowlets, "masks": masks,
          "mask_storage": mask_storage,
          "plastic": plastic, "queues": queues, "wide_time": wide_time, "mailbox": mailbox, "log": log, "printing": printing, "printing_instructions": printing_instructions,
          "profile": profile, "monitor": monitor,
          "vectors": vectors, "draws": draws,
          "steps": lambda figures: realtime.steps_table(figures.entries),
          "cost": lambda figures: realtime.cost_table(figures.entries),
          "check": lambda figures: realtime.check_table(figures.entries),
          "capacity": lambda figures: realtime.capacity_table(figures.entries)}
PAGES = {"README.md": ["short"],
         "docs/traces.md": ["trace_lookups", "trace_goals", "trace_apart", "trace_targets"],
         "docs/traces_papers.md": ["papers_compaction", "papers_extension", "papers_scans", "papers_copies", "papers_fragments",
                                   "papers_ticks"],
         "docs/log.md": ["log", "printing_instructions", "printing"],
         "docs/mailbox.md": ["mailbox"],
         "docs/profiling.md": ["profile"],
         "docs/monitor.md": ["monitor"],
         "docs/sources.md": ["draws"],
         "docs/plasticity.md": ["plastic"],
         "docs/rules.md": ["mask_storage"],
         "docs/performance.md": ["trace_grid", "sizes_arm968", "sizes_cortex_m4", "rowlets", "arm968", "cortex_m4", "queues",
                                 "wide_time", "steps",
                                 "cost", "check", "capacity", "masks", "vectors"]}
PICTURES = {"docs/images/realtime.svg": lambda figures: realtime.picture(figures.entries),
            "docs/images/traces_pauses.svg": lambda figures: pauses.picture(
                figures.entries, [(named(collector), collector) for collector in collectors(figures)]),
            "docs/images/papers_copies.svg": lambda figures: papers.copies(*copies(figures), transfer, crossing),
            "docs/images/papers_fragments.svg": lambda figures: papers.fragments(fragments(figures))}


def main():
    path, *action = sys.argv[1:] or sys.exit(__doc__)
    figures = Figures(path)
    if not action:
        for title, name in (("ARM968E-S, cycles per item", "arm968"), ("Cortex-M4, cycles per item", "cortex_m4")):
            print(f"\n{title}\n{aligned(list(TABLES[name](figures)))}")
        return 0
    wanted = {name: picture(figures) for name, picture in PICTURES.items()}
    for page, names in PAGES.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        for name in names:
            try:
                text = with_table(text, name, markdown(list(TABLES[name](figures))), WRITER)
            except ValueError as error:
                sys.exit(f"{page} {error}")
        wanted[page] = text
    wrong = False
    for name, text in wanted.items():
        file = ROOT / name
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        if action == ["--write"]:
            file.write_text(text, encoding="utf-8")
        else:
            print(f"{name} is not what {path} gives: run '{UPDATE}'.", file=sys.stderr)
            wrong = True
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
