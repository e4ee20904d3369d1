# SPDX-License-Identifier: BSL-1.0
"""goals.py says what a run says, and notices a page that says something else; papers_profile.py prints the paper's example
from scopes that have its statistics."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

import goals
import papers_profile
from firmware.mailbox import Record
from firmware.profile import NAME, SCOPE, STEP

GOAL = goals.GOALS[0]  # LIF step against a plain loop, at least 5 times as fast
_, FASTER, SLOWER, _, BOUND, _ = GOAL


def results(repetitions, context=None):
    """Google Benchmark's form: nanoseconds of each repetition by name, and entries that are to be passed over."""
    entries = [{"run_name": name, "run_type": "iteration", "items_per_second": 1e9 / ns, "ns_per_event": 3 * ns}
               for name, all_ns in repetitions.items() for ns in all_ns]
    entries += [{"run_name": FASTER, "run_type": "aggregate", "items_per_second": 1e12},
                {"run_name": "accuracy/lif1/0.1", "run_type": "iteration", "value": 2.75123e-5},
                {"run_name": "accuracy/if_cond_exp/1", "run_type": "iteration", "value": 2e-5, "integrator": 1.6e-4},
                {"run_name": "network/A/seconds", "run_type": "iteration", "value": 0.16},
                {"run_name": "network/B/two_threads", "run_type": "iteration", "ratio": 1.5},
                {"name": "cycles/arm968/copy/words", "run_type": "iteration", "cycles": 2.1}]
    return {"context": context or {"cpu": "A", "compiler": "B", "backend": "C", "mhz_per_cpu": 1}, "benchmarks": entries}


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_of(self, *arguments):
        path = Path(self.folder.name) / "results.json"
        path.write_text(json.dumps(results(*arguments)))
        return goals.Run.of_results(path)


class Ratios(WithFolder):
    def test_best_and_median(self):
        run = self.run_of({FASTER: [2.0, 1.0, 4.0], SLOWER: [6.0, 9.0, 7.0]})
        self.assertAlmostEqual(run.ratio(GOAL), 6)
        self.assertAlmostEqual(run.ratio(GOAL, run.median), 3.5)
        self.assertAlmostEqual(run.counters[f"{FASTER} ns_per_event"], 3)

    def test_verdicts(self):
        for ratio, words in ((BOUND, "met"), (BOUND + 0.01, "met"), (BOUND - 0.001, "MISSED")):
            self.assertEqual(goals.verdict(GOAL, ratio), words)
        most = next(goal for goal in goals.GOALS if goal[3] == "most" and goal[4] == 3)
        for ratio, words in ((3, "met"), (2.9, "met"), (3.001, "MISSED")):
            self.assertEqual(goals.verdict(most, ratio), words)
        without = next(goal for goal in goals.GOALS if goal[4] is None)
        self.assertEqual(goals.verdict(without, 1), "")

    def test_figures_with_a_goal_of_their_own(self):
        run = self.run_of({FASTER: [1.0]})
        rows = {row[1].strip("`"): row for row in goals.networks_table([run])}
        self.assertEqual(rows["network/A/seconds"][2:], ["at most 0.17", "0.16 met"])
        self.assertEqual(rows["network/B/two_threads"][2:], ["at least 1.7", "1.5 MISSED"])
        self.assertEqual(rows["network/D/seconds"][3], "not measured")

    def test_says_what_was_not_measured(self):
        run = self.run_of({FASTER: [1.0]})
        self.assertIsNone(run.ratio(GOAL))
        self.assertEqual(list(goals.goals_table([run]))[1][-1], "not measured")


class Kept(WithFolder):
    def test_a_kept_run_is_the_run(self):
        run = self.run_of({FASTER: [1.2345678], SLOWER: [7.5]})
        path = Path(self.folder.name) / "a.json"
        run.keep(path)
        again = goals.Run.kept(path)
        self.assertEqual(again.best, {FASTER: 1.235, SLOWER: 7.5})
        self.assertEqual(again.name(), "A, B, `target::C`")
        self.assertEqual(again.counters, {f"{FASTER} ns_per_event": 3.704, f"{SLOWER} ns_per_event": 22.5})
        self.assertEqual(again.values, {"accuracy/lif1/0.1": 2.751e-5, "accuracy/if_cond_exp/1": 2e-5,
                                        "accuracy/if_cond_exp/1 integrator": 1.6e-4, "network/A/seconds": 0.16, "network/B/two_threads": 1.5})
        self.assertIn("2.8e-05", next(row for row in goals.neurons_table([again]) if row[0] == "`lif1`"))

    def test_every_kept_run_says_whose_it_is(self):
        self.assertTrue(goals.kept_runs())
        for run in goals.kept_runs():
            for key in ("cpu", "compiler", "backend"):
                self.assertNotIn(run.machine[key], ("", "unknown"))

    def test_a_run_of_an_old_program_has_no_machine(self):
        self.assertEqual(self.run_of({FASTER: [1.0]}, {"mhz_per_cpu": 1}).machine["cpu"], "unknown")


class Page(unittest.TestCase):
    def test_notices_another_figure_in_each_table(self):
        text = goals.PAGE.read_text(encoding="utf-8")
        self.assertEqual(goals.page(text, goals.kept_runs()), text)
        for name in goals.TABLES:
            begin = text.index(f"<!-- {name}: written by benchmarks/report/goals.py -->")
            at = next(at for at in range(begin, len(text)) if text[at] == "." and text[at + 1].isdigit())
            changed = f"{text[:at + 1]}{9 - int(text[at + 1])}{text[at + 2:]}"
            self.assertEqual(goals.page(changed, goals.kept_runs()), text)
            self.assertLess(at, text.index(f"<!-- end of {name} -->"))

    def test_a_machine_is_a_column_where_it_has_measured(self):
        ratios, values = (goals.Run({"cpu": cpu, "compiler": "B", "backend": "C"}, *found)
                          for cpu, *found in (("R", {FASTER: 1.0, SLOWER: 2.0}, {}, {}),
                                              ("V", {}, {}, {}, {"network/A/seconds": 0.1})))
        for table, run in ((goals.goals_table, ratios), (goals.networks_table, values),
                           (goals.figures_table([FASTER]), ratios)):
            self.assertEqual(list(table([ratios, values])), list(table([run])))

    def test_a_second_machine_is_a_column(self):
        run = goals.kept_runs()[0]
        slow = goals.Run({**run.machine, "cpu": "Slow"}, {name: 3 * ns for name, ns in run.best.items()}, {}, {})
        for table in (goals.goals_table, goals.figures_table(goals.FIGURES)):
            for one, two in zip(table([run]), table([run, slow])):
                self.assertEqual(one, two[:-1])
        self.assertEqual([row[-1] for row in goals.goals_table([run, slow])][1:],
                         [row[-2] for row in goals.goals_table([run, slow])][1:])


class PapersProfile(unittest.TestCase):
    def profile(self, ticks):
        """Ten scopes in 902 steps, of each tag."""
        profile, now = papers_profile.Profile(200_000_000), 0
        for number, tag in enumerate(("Compactor", "Scanner", "Extender", "Record")):
            packed = tag.encode() + bytes(-len(tag) % 4)
            words = tuple(int.from_bytes(packed[at:at + 4], "little") for at in range(0, len(packed), 4))
            profile.feed([("prof", Record(NAME, number, words))])
        profile.feed([("prof", Record(STEP, 0, (1, now)))])
        for each in ticks:
            now += 1_000_000
            profile.feed([("prof", Record(STEP, 0, (902, now)))])
            profile.feed([("prof", Record(SCOPE, tag, (now + tag * 200_000, now + tag * 200_000 + each))) for tag in range(4)])
        return profile

    def test_paper(self):
        """The statistics of Appendix A come out of ten scopes that have them."""
        profile = self.profile(5 * [22293] + 4 * [84753] + [84751])
        self.assertEqual(papers_profile.cells(profile, "Compactor"), papers_profile.PAPER)

    def test_columns(self):
        profiles = {run: self.profile([1000 * (at + 1)] * 10) for at, run in enumerate(papers_profile.RUNS)}
        rows = list(papers_profile.table(profiles))
        self.assertEqual({len(row) for row in rows}, {10})
        self.assertEqual(rows[1][1:], ["0.267614 ms", "0.005000 ms", "0.010000 ms", *3 * ["0.005000 ms"], *3 * ["0.015000 ms"]])


if __name__ == "__main__":
    sys.exit(unittest.main())
