# SPDX-License-Identifier: BSL-1.0
"""The checks of the cycle table notice what they are there to notice."""

import copy
import json
import re
import sys
import unittest
from pathlib import Path

import realtime
import run
import table

EXPECTED = json.loads((Path(__file__).parent / "expected.json").read_text())


def with_cycles(name, factor):
    changed = copy.deepcopy(EXPECTED)
    for entry in changed["benchmarks"]:
        if entry["name"] == name:
            entry["cycles"] *= factor
    return changed


class Compare(unittest.TestCase):
    NAME = "cycles/arm968/lif/shared/mean"

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
        (entry,) = (entry for entry in changed["benchmarks"] if entry["name"] == "cycles/arm968/gc/log/pauses")
        entry["quantiles"]["0.999"] *= 2
        (sentence,) = run.compare(changed["benchmarks"], EXPECTED)
        self.assertIn("cycles/arm968/gc/log/pauses, 0.999 grew", sentence)

    def test_reads_labels(self):
        self.assertEqual(run.name_of("poisson.1..6.word"), "poisson/1.6/word")


class Tables(unittest.TestCase):
    def test_says_that_a_goal_is_missed(self):
        figures = table.Figures.__new__(table.Figures)
        figures.entries, figures.cycles = [], {"arm968/lif/shared/mean": 10.01}
        (row,) = (row for row in table.ROWS if row.key == "lif/shared/mean")
        self.assertIn("MISSED", table.verdict(figures, row))
        figures.cycles["arm968/lif/shared/mean"] = 10.0
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
            table.with_table("text", "short", "| a |")


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
