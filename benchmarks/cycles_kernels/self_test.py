# SPDX-License-Identifier: BSL-1.0
"""The checks of the cycle table notice what they are there to notice."""

import copy
import json
import re
import sys
import tempfile
import unittest
from pathlib import Path

import run

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))
import cycle_table as table  # noqa: E402
import realtime  # noqa: E402

EXPECTED = json.loads((Path(__file__).parent / "expected.json").read_text())


def with_cycles(name, factor):
    changed = copy.deepcopy(EXPECTED)
    for entry in changed["benchmarks"]:
        if entry["name"] == name:
            entry["cycles"] *= factor
    return changed


class Compare(unittest.TestCase):
    NAME = "cycles/arm968/neuron/compact_lif1/32"

    def found(self, entries, text):
        self.assertEqual(len(entries), 1)
        self.assertIn(f"{self.NAME} {text}", entries[0])

    def test_accepts_the_same_and_less_than_one_percent(self):
        self.assertEqual(run.compare(EXPECTED["benchmarks"], EXPECTED), [])
        for factor in (0.993, 1.007):
            self.assertEqual(run.compare(with_cycles(self.NAME, factor)["benchmarks"], EXPECTED), [])

    def test_notices_a_loss_and_a_gain(self):
        self.found(run.compare(with_cycles(self.NAME, 1.02)["benchmarks"], EXPECTED), "grew")
        self.found(run.compare(with_cycles(self.NAME, 0.98)["benchmarks"], EXPECTED), "shrank")

    def test_notices_a_key_that_is_new_or_gone(self):
        less = {**EXPECTED, "benchmarks": [entry for entry in EXPECTED["benchmarks"] if entry["name"] != self.NAME]}
        self.found(run.compare(EXPECTED["benchmarks"], less), "is new")
        self.found(run.compare(less["benchmarks"], EXPECTED), "is gone")

    def test_notices_other_pauses_of_the_same_mean(self):
        changed = copy.deepcopy(EXPECTED)
        (entry,) = (entry for entry in changed["benchmarks"] if entry["name"] == "cycles/arm968/gc/fifo/pauses")
        entry["quantiles"]["0.999"] *= 2
        (sentence,) = run.compare(changed["benchmarks"], EXPECTED)
        self.assertIn("cycles/arm968/gc/fifo/pauses, 0.999 grew", sentence)

    def test_reads_labels(self):
        self.assertEqual(run.name_of("poisson.1..6.word"), "poisson/1.6/word")


class Tables(unittest.TestCase):
    def test_says_that_a_goal_is_missed(self):
        figures = table.Figures.__new__(table.Figures)
        figures.entries, figures.cycles = [], {"arm968/neuron/compact_lif1/32": 12.01}
        (row,) = (row for row in table.ROWS if row.key == "neuron/compact_lif1/32")
        self.assertIn("MISSED", table.verdict(figures, row))
        figures.cycles["arm968/neuron/compact_lif1/32"] = 12.0
        self.assertIn("met", table.verdict(figures, row))

    def test_refuses_a_row_whose_key_is_not_measured(self):
        figures = table.Figures.__new__(table.Figures)
        figures.entries, figures.cycles = [], {"arm968/lif/another": 1.0}
        with self.assertRaises(SystemExit):
            list(figures.rows())

    def test_leaves_out_rows_of_a_program_that_is_not_there(self):
        figures = table.Figures.__new__(table.Figures)
        figures.entries, figures.cycles = [], {"arm968/copy/block/68_bytes": 42.0}
        self.assertEqual([row.key for row in figures.rows()], ["copy/block/68_bytes"])

    def test_refuses_a_page_without_marks(self):
        with self.assertRaises(ValueError):
            table.with_table("text", "short", "| a |", table.WRITER)


def figures_of(cycles):
    figures = table.Figures.__new__(table.Figures)
    figures.entries, figures.cycles = [], cycles
    return figures


class BySize(unittest.TestCase):
    """Tables of calls of several sizes say what the figures say."""
    FIGURES = table.Figures(Path(__file__).parent / "expected.json")

    def test_each_cell_is_a_figure(self):
        for core in ("arm968", "cortex_m4"):
            head, *rows = table.by_size(core)(self.FIGURES)
            self.assertEqual([int(size) for size in head[2:]], list(table.SIZES))
            at, cases = {entry["name"]: entry["cycles"] for entry in EXPECTED["benchmarks"]}, 0
            for _, key, *cells in rows:
                key, _, case = key.strip("`").partition("/<n>")
                cases += bool(case)
                for size, cell in zip(table.SIZES, cells):
                    found = at.get(f"cycles/{core}/{key}/{size}{case}")
                    if found is None and size == 1000 and not case:
                        found = at[f"cycles/{core}/{key}"]
                    self.assertEqual(found is not None, bool(cell), (key, size, case))
                    if cell:
                        self.assertAlmostEqual(float(cell), found, delta=0.006)
            self.assertGreaterEqual(cases, 12)

    def test_worst_is_no_better_than_the_mean(self):
        for core in ("arm968", "cortex_m4"):
            for sized in table.BY_SIZE:
                for size in table.SIZES:
                    mean, firing, worst = (table.at_size(self.FIGURES, core, sized, size, case)
                                           for case in ("", "/all_fire", "/worst"))
                    self.assertGreaterEqual(worst or mean, 0.99 * (firing or mean), (core, sized.key, size))
                    self.assertGreaterEqual(firing or mean, 0.99 * mean, (core, sized.key, size))

    def test_refuses_a_size_that_is_not_measured(self):
        cycles = dict(self.FIGURES.cycles)
        del cycles["arm968/population/lif2/32"]
        with self.assertRaises(SystemExit):
            list(table.by_size("arm968")(figures_of(cycles)))

    def test_readme_has_one_row_a_call_with_its_worst(self):
        rows = {row[0]: row for row in table.short(self.FIGURES)}
        at = {name.removeprefix("cycles/"): cycles for name, cycles in
              ((entry["name"], entry["cycles"]) for entry in EXPECTED["benchmarks"])}
        neuron = rows["`Lif<2>` neuron, all of its step"]
        self.assertEqual(neuron[1], "256")
        self.assertEqual(neuron[3], f"{at['arm968/population/lif2/256']:.2f}")
        for column, core in ((4, "arm968"), (6, "cortex_m4")):
            for case in ("all_fire", "worst"):
                self.assertIn(table.number(at[f"{core}/population/lif2/256/{case}"]), neuron[column])
        event = rows["synaptic event of a row, 16-bit ring, saturating"]
        self.assertEqual(event[3:], [table.number(at[f"{core}/synapse/ring16sat/wrap/100{case}"])
                                     for core in ("arm968", "cortex_m4") for case in ("", "/worst")])
        self.assertLessEqual(len(rows), 16)

    def test_finds_where_rowlets_begin_to_pay(self):
        cycles = {}
        for core in ("arm968", "cortex_m4"):
            for ring in ("32", "16"):
                for size, row, rowlets in ((10, 7, 9), (20, 6.5, 6.4), (30, 6.3, 6.31), (40, 6.2, 6.2), (50, 6.1, 5.9)):
                    cycles[f"{core}/rows/ring{ring}/row/{size}"] = row
                    cycles[f"{core}/rows/ring{ring}/rowlets/{size}"] = rowlets
                    cycles[f"{core}/rows/ring{ring}/mixed/{size}"] = 1.02 * min(row, rowlets)
        rows = list(table.rowlets(figures_of(cycles)))
        self.assertEqual(rows[0][1:-1], ["10", "20", "30", "40", "50"])
        self.assertEqual([row[-1] for row in rows[1:]], ["", "30 events a delay", "mixed loses 2.0 % at most"] * 4)
        cycles["cortex_m4/rows/ring16/mixed/40"] *= 1.04
        with self.assertRaises(SystemExit):
            list(table.rowlets(figures_of(cycles)))
        cycles["cortex_m4/rows/ring16/mixed/40"] /= 1.04
        cycles["cortex_m4/rows/ring16/row/50"], cycles["cortex_m4/rows/ring16/mixed/50"] = 1, 1
        self.assertEqual(list(table.rowlets(figures_of(cycles)))[-2][-1], "50 events a delay")
        for size in (20, 40):
            cycles[f"cortex_m4/rows/ring16/row/{size}"] = 1
        with self.assertRaises(SystemExit):
            list(table.rowlets(figures_of(cycles)))


class Pairs(unittest.TestCase):
    def test_compares_each_key_of_wide_time_with_its_own(self):
        cycles = {"arm968/sched/timer/fires": 34.0, "arm968/sched/timer/wide/fires": 42.0, "arm968/sched/wide/only": 5.0,
                  "cortex_m4/sched/timer/fires": 40.0, "cortex_m4/sched/timer/wide/fires": 30.0,
                  "arm968/sched/loop/4/runs": 100.5, "arm968/sched/loop/wide/4/runs": 110.55}
        head, *rows = table.wide_time(figures_of(cycles))
        self.assertEqual(rows, [["`sched/loop/4/runs`", "100.50", "110.55", "10%"],
                                ["`sched/timer/fires`", "34.00", "42", "24%", "40", "30.00", "-25%"]])

    def test_sorts_queues_by_size(self):
        calls = ("push", "push/earliest", "push/latest", "pop")
        cycles = {f"arm968/sched/list/{size}/{call}": float(size + at) for size in (128, 4, 16) for at, call in enumerate(calls)}
        cycles["arm968/sched/heap/16/pop"] = 7.25
        head, *rows = table.queues(figures_of(cycles))
        self.assertEqual([row[0] for row in rows], ["4", "16", "128"])
        self.assertEqual(rows[1], ["16", "16.00", "17.00", "18.00", "19.00", "", "", "", "7.25"])
        self.assertEqual(head[1:], [f"{kind}: {call.replace('/', ', ')}" for kind in ("list", "heap") for call in calls])


class Pages(unittest.TestCase):
    def test_every_table_notices_another_figure(self):
        """One cell of each table changed by hand is written back."""
        figures = BySize.FIGURES
        for page, names in table.PAGES.items():
            text = (table.ROOT / page).read_text(encoding="utf-8")
            for name in names:
                begin = text.index(f"<!-- {name}: written by")
                end = text.index(f"<!-- end of {name} -->")
                at = next(at for at in range(text.index("---", begin), end) if text[at].isdigit())
                changed = f"{text[:at]}{9 - int(text[at])}{text[at + 1:]}"
                rows = table.markdown(list(table.TABLES[name](figures)))
                self.assertNotEqual(table.with_table(changed, name, rows, table.WRITER), changed, (page, name))
                self.assertEqual(table.with_table(changed, name, rows, table.WRITER), text, (page, name))

    def test_every_table_is_on_a_page(self):
        self.assertEqual(sorted(table.TABLES), sorted(name for names in table.PAGES.values() for name in names))


class Kept(unittest.TestCase):
    """expected.json is compared and written by core and key."""

    def test_has_no_key_that_no_test_compares(self):
        script = (Path(__file__).parent / "CMakeLists.txt").read_text()
        cores = re.search(r"set\(cores ([\w ]+)\)", script)[1].split()
        self.assertEqual({entry["name"].split("/")[1] for entry in EXPECTED["benchmarks"]}, set(cores))
        self.assertIn("cycles.kernels.${core}", script)

    def test_splits_by_core_and_text(self):
        entries = EXPECTED["benchmarks"]
        chosen, others = run.split(entries, {"arm968"}, "/random/")
        self.assertEqual(len(chosen) + len(others), len(entries))
        self.assertTrue(chosen)
        self.assertTrue(all(entry["name"].startswith("cycles/arm968/random/") for entry in chosen))
        self.assertFalse(any(entry["name"].startswith("cycles/arm968/random/") for entry in others))

    def test_writing_some_keys_leaves_the_others(self):
        entries = EXPECTED["benchmarks"]
        chosen, others = run.split(entries, {"arm968"}, "/random/")
        less = [{**entry, "iterations": entry.get("iterations", 1), "cycles": 1.5} for entry in chosen[1:]]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "expected.json"
            run.update(less, others, EXPECTED["compiler"], path)
            written = json.loads(path.read_text())
            self.assertEqual(run.split(written["benchmarks"], {"arm968"}, "/random/")[1], others)
            self.assertEqual([entry["cycles"] for entry in run.split(written["benchmarks"], {"arm968"}, "/random/")[0]],
                             [1.5] * len(less))
            # All of it is written as it was.
            run.update([{**entry, "iterations": entry.get("iterations", 1)} for entry in chosen], others,
                       EXPECTED["compiler"], path)
            self.assertEqual(path.read_text(), (Path(__file__).parent / "expected.json").read_text())


class Papers(unittest.TestCase):
    """Where the papers on trace collectors contradict themselves, the table has what they mean."""

    def test_a_copy_of_68_bytes_is_counted_by_their_formula(self):
        # With the 68 mod 4 of one equation for the 68 mod 16 of the one before it would be 25, not their 29.
        groups, rest = divmod(68, 16)
        (row,) = (row for row in table.ROWS if row.key == "copy/block/68_bytes")
        self.assertEqual(row.paper, f"{4 * (groups + -(-rest // 4)) + 9} instructions")

    def test_slow_sdram_waits_as_their_compaction_does(self):
        # 255 buffers of 16 bytes in 0.4 ms, of 32 in 0.95 ms, at 200 MHz: not the 20 cycles a word of their 100 ns.
        a_word = [ms * 200_000 / (255 * size / 4) for ms, size in ((0.4, 16), (0.95, 32))]
        for wait in run.SLOW_SDRAM[-1].split(",")[-3:]:
            self.assertGreaterEqual(int(wait), min(a_word))
            self.assertLessEqual(int(wait), max(a_word))


class RealTime(unittest.TestCase):
    def test_refuses_a_cost_that_is_not_linear(self):
        list(realtime.check_table(EXPECTED["benchmarks"]))
        bent = with_cycles("cycles/arm968/core/busy250/step_1ms/total", 1.03)
        with self.assertRaises(SystemExit):
            list(realtime.check_table(bent["benchmarks"]))

    def test_nothing_is_held_that_memory_does_not_hold(self):
        for cost in realtime.places(EXPECTED["benchmarks"]):
            room = realtime.DATA_BYTES[cost.measured.core]
            self.assertLessEqual(realtime.bytes_of(cost.most, cost.memory), room)
            self.assertGreater(realtime.bytes_of(cost.most + 1, cost.memory), room)
            self.assertLess(room, 1024 * realtime.MEMORY_KB[cost.measured.core])
            for rate in (0.1, 1, 10, 100):
                self.assertLessEqual(cost.held(rate), cost.most)
                self.assertLessEqual(cost.held(rate), cost.neurons(rate))

    def test_memory_is_the_linker_scripts(self):
        for core, size in realtime.DATA_BYTES.items():
            script = (Path(__file__).parent / f"{core}.ld").read_text()
            self.assertIn(f"LENGTH = {size // 1024}K", script.split("DATA (rw)")[1].split("\n")[0])

    def test_a_ring_is_for_a_power_of_two(self):
        for neurons in (1, 2, 128, 256, 1024):
            self.assertEqual(realtime.bytes_of(neurons + 1, "/sdram") - realtime.bytes_of(neurons, "/sdram"), 32 * neurons + 12)
        self.assertEqual(realtime.events_per_s(100, 10), 80000)

    def test_counts_bytes(self):
        # 250 neurons: a ring for 256, state, 4001 addresses, spikes, and 20 000 synapses or 64 words.
        self.assertEqual(realtime.bytes_of(250, ""), 8192 + 3000 + 16004 + 2048 + 80000)
        self.assertEqual(realtime.bytes_of(250, "/sdram"), 8192 + 3000 + 16004 + 2048 + 256)

    def test_draws_nothing_above_what_is_held(self):
        """Read back from the picture: its upper panel has the first of each two curves."""
        entries = EXPECTED["benchmarks"]
        curves = re.findall(r'<path d="M([^"]*)" fill="none"', realtime.picture(entries))
        costs = list(realtime.places(entries))
        self.assertEqual(len(curves), 2 * len(costs))
        for cost, curve in zip(costs, curves[::2]):
            points = [tuple(map(float, point.split())) for point in curve.split("L")]
            self.assertEqual(len(points), 121)
            for x, y in points:
                rate = 0.1 * 1000 ** ((x - 100) / 700)
                neurons = 2000 * (50 / 2000) ** ((y - 84) / 250)
                self.assertLess(neurons, 1.002 * cost.most)
                self.assertAlmostEqual(neurons / cost.held(rate), 1, delta=0.01)

    def test_refuses_a_curve_that_leaves_its_panel(self):
        panel = realtime.Panel(0, 100, 10, 100, "neurons")
        panel.curve([(0.1, 10), (100, 100)], "#000", "")
        for value in (9.9, 101):
            with self.assertRaises(SystemExit):
                panel.curve([(0.1, value)], "#000", "")

    def test_fills_the_step(self):
        for cost in realtime.places(EXPECTED["benchmarks"]):
            neurons = cost.neurons(10)
            each = 10 * cost.dt / 1000
            rows = realtime.SOURCES * each
            self.assertAlmostEqual(cost.cycles(neurons, neurons * each, rows, 0.02 * neurons * rows) / cost.available(), 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
