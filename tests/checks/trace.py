# SPDX-License-Identifier: BSL-1.0
"""firmware.trace*: what tools/trace makes of a profiler's records: statistics, nesting, traces.

usage: trace.py host PROFILED                               tests/firmware/profiled.cpp on this host
       trace.py board PROFILED --emulator WORD...           on an emulated board
"""

import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))

from firmware import Record, connect  # noqa: E402
from firmware.log import Early, Line  # noqa: E402
from firmware.profile import COSTS, COUNTER, NAME, SCOPE, STEP, SUMMARY, Profile  # noqa: E402

WINDOW = 1 << 16
# As checks/mailbox.py has them.
MEMORY = {"versatilepb": ("128M", 0x06000000), "mps2-an386": ("16M", 0x800000), "mps3-an547": ("2G", 0x800000)}
WRAP = 1 << 32
program, emulator = None, None


def name_record(tag, name):
    return Record.of_bytes(name.encode())._replace(kind=NAME, token=tag)


def deviation(ticks):
    mean = sum(ticks) / len(ticks)
    return math.sqrt(sum((value - mean) ** 2 for value in ticks) / len(ticks))


class Plan:
    """Scopes that a core and an interrupt have had, drawn at random, and their records in the order of their ends."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.now = self.draw.randrange(WRAP)
        self.records, self.scopes = [], []  # (lane, record); (lane, tag, began, ended, descendants)
        for _ in range(self.draw.randrange(1, 12)):
            self.scope("prof", 3)
            self.now += self.draw.randrange(1 << 28)

    def scope(self, lane, depth):
        self.now += self.draw.randrange(1, 1000)
        began, before, tag = self.now, len(self.scopes), self.draw.randrange(3)
        for _ in range(self.draw.randrange(4) if depth else 0):
            self.scope(lane if self.draw.random() < 0.7 else "pro1", depth - 1 if lane == "prof" else 0)
        self.now += self.draw.randrange(1, 1 << self.draw.randrange(1, 28))
        self.records.append((lane, Record(SCOPE, tag, (began % WRAP, self.now % WRAP))))
        self.scopes.append((lane, tag, began, self.now, len(self.scopes) - before))
        self.now += 1


class Trace(unittest.TestCase):
    def decoded(self, profile):
        """(time, event) of what protoc reads in a trace, and the names of tracks."""
        protoc = shutil.which("protoc")
        if not protoc:
            self.skipTest("no protoc")
        result = subprocess.run([protoc, f"--proto_path={ROOT / 'tests/checks'}", "--decode=Trace", "trace.proto"],
                                input=profile.perfetto(), capture_output=True, check=True)
        text = result.stdout.decode()
        self.assertNotRegex(text, r"(?m)^\s*\d+[:{ ]")  # no field without a name
        events, tracks = [], {}
        for packet in re.findall(r"^packet \{\n(.*?)^\}", text, re.DOTALL | re.MULTILINE):
            found = dict(re.findall(r"^\s+(\w+): (.*)$", packet, re.MULTILINE))
            self.assertEqual(found["trusted_packet_sequence_id"], "1")
            if "track_descriptor" in packet:
                tracks[found["uuid"]] = found["name"].strip('"')
            else:
                events.append((int(found["timestamp"]), found))
        self.assertEqual([when for when, _ in events], sorted(when for when, _ in events))
        return events, tracks

    def check_slices(self, profile, scopes):
        """Each track's slices are well nested, and are these: [(track, name, began, ended)], by their duration."""
        for lane in profile.shown_lanes():
            times = [when for when, _, _ in profile.nested(lane)]
            self.assertEqual(times, sorted(times))
        events, tracks = self.decoded(profile)
        open_slices, found = {}, []
        for when, event in events:
            stack = open_slices.setdefault(event["track_uuid"], [])
            if event["type"] == "SLICE_BEGIN":
                stack.append((event["name"].strip('"'), when))
            elif event["type"] == "SLICE_END":
                name, began = stack.pop()
                found.append((tracks[event["track_uuid"]], name, began, when))
        self.assertFalse(any(open_slices.values()))
        self.assertEqual(sorted(found), sorted(scopes))
        return events, tracks

    def test_random_plans(self):
        for seed in range(40):
            plan = Plan(seed)
            inside, whole = plan.draw.randrange(5), plan.draw.randrange(5, 20)
            names = ["rows", "neurons", "a tag with a long name"]
            profile = Profile(1_000_000_000, keep=True)
            for lane in ("prof", "pro1"):
                profile.feed([(lane, Record(COSTS, 3, (inside, whole)))] +
                             [(lane, name_record(tag, f"{name} {lane}")) for tag, name in enumerate(names)])
            at = 0
            while at < len(plan.records):  # batches, as polls see them: the core's first, what is in a scope with it
                until = min(at + plan.draw.randrange(1, 40), len(plan.records))
                while until < len(plan.records) and plan.records[until - 1][0] != "prof":
                    until += 1
                batch = plan.records[at:until]
                profile.feed([entry for entry in batch if entry[0] == "prof"] +
                             [entry for entry in batch if entry[0] != "prof"])
                at = until
            with self.subTest(seed=seed):
                wanted = {}
                for lane, tag, began, ended, contained in plan.scopes:
                    wanted.setdefault(f"{names[tag]} {lane}", []).append(ended - began - inside - whole * contained)
                self.assertEqual(set(profile.statistics), set(wanted))
                for name, ticks in wanted.items():
                    of = profile.statistics[name]
                    self.assertEqual((of.count, of.sum, of.shortest, of.longest),
                                     (len(ticks), sum(ticks), min(ticks), max(ticks)))
                    self.assertAlmostEqual(of.deviation, deviation(ticks), delta=1e-6 * max(ticks) + 1e-6)
                if seed < 10:
                    origin = min(began for _, _, began, _, _ in plan.scopes)
                    self.check_slices(profile, [("core" if lane == "prof" else "interrupt 1", f"{names[tag]} {lane}",
                                                 began - origin, ended - origin)
                                                for lane, tag, began, ended, _ in plan.scopes])

    def test_paper(self):
        """The example of the paper's Appendix A: ten scopes in 902 steps of 1 ms at 200 MHz that have its mean and deviation."""
        profile = Profile(200_000_000)
        profile.feed([("prof", name_record(0, "Compactor")), ("prof", Record(STEP, 0, (1, 0)))])
        now = 200_000
        for ticks in 5 * [22293] + 4 * [84753] + [84751]:
            profile.feed([("prof", Record(STEP, 0, (902, now))), ("prof", Record(SCOPE, 0, (now, now + ticks)))])
            now += 100_000
        self.assertEqual(profile.table().splitlines()[:8], [
            "Tag: Compactor", "", "Mean time:0.267614ms", "With standard deviation 0.156149ms",
            "Standard error:0.049379ms", "Mean samples per timestep:0.011086", "Last sample time: 902.000000ms",
            "Mean time per timestep:0.002967ms"])

    def test_summaries(self):
        """The words of a summary, of sums wider than 64 bits, with costs taken off."""
        draw = random.Random(3)
        ticks = [draw.randrange(WRAP - 1000, WRAP) for _ in range(1000)] + [11]
        total, squares = sum(ticks), sum(value * value for value in ticks)
        words = (len(ticks), total % WRAP, total >> 32, squares % WRAP, squares >> 32 & WRAP - 1, squares >> 64, 11,
                 max(ticks), 77)
        self.assertGreater(words[5], 0)
        profile = Profile()
        profile.feed([("prof", Record(SUMMARY, 2, words)), ("prof", Record(COSTS, 3, (7, 9)))])
        of = profile.statistics["tag 2 of prof"]
        self.assertEqual((of.count, of.sum, of.shortest, of.longest, of.last_step),
                         (1001, total - 7007, 4, max(ticks) - 7, 77))
        self.assertAlmostEqual(of.deviation, deviation(ticks), delta=1)

    def test_coarse_clock(self):
        """Scopes of no ticks that touch: what was left first is the inner, and slices still nest."""
        profile = Profile(1_000_000_000, keep=True)
        profile.feed([("prof", Record(SCOPE, tag, times)) for tag, times in
                      ((0, (5, 5)), (1, (5, 5)), (2, (3, 5)), (0, (5, 5)), (1, (5, 6)), (0, (6, 6)))])
        self.assertEqual([scope.contained for scope in profile.scopes], [0, 1, 2, 0, 1, 0])
        self.assertEqual([(profile.scopes.index(scope), begins) for _, scope, begins in profile.nested("prof") if scope.tag == 1],
                         [(1, True), (1, False), (4, True), (4, False)])
        self.assertEqual([scope.tag for _, scope, _ in profile.nested("prof")], [2, 1, 0, 0, 1, 2, 1, 0, 0, 1, 0, 0])
        tag = "tag {} of prof".format
        self.check_slices(profile, [("core", tag(number), began - 3, ended - 3) for number, began, ended in
                                    ((0, 5, 5), (1, 5, 5), (2, 3, 5), (0, 5, 5), (1, 5, 6), (0, 6, 6))])

    def test_lines_of_a_log(self):
        """Lines stand where they were written, however many wraps came between, and before the host when it comes late."""
        draw = random.Random(23)
        for _ in range(60):
            now, profile, lines, wanted, early = draw.randrange(3 * WRAP), Profile(1_000_000_000, keep=True), [], [], 0
            origin = None
            for number in range(40):
                batch, items = [], []
                for _ in range(draw.randrange(1, 4)):
                    now += draw.randrange(1 << 28)
                    if draw.random() < 0.5 or not batch:  # something once in a wrap
                        batch.append(("prof", Record(SCOPE, 0, (now % WRAP, now % WRAP))))
                    else:
                        items.append((now - early, Line("warning", now % WRAP, "a.cpp", number, f"line {len(wanted)}")))
                        wanted.append((now - origin, f"line {len(wanted)}"))
                    origin = now if origin is None else origin
                if number == 20:  # from here on the log knows how often the clock has wrapped
                    early = -2 * WRAP
                    items.append((None, Early(2 * WRAP)))
                if draw.random() < 0.3:
                    now += draw.randrange(1 << 31)
                profile.feed(batch)
                profile.say(items)
            events, tracks = self.decoded(profile)
            said = [(when, event["name"].strip('"')) for when, event in events if event["type"] == "INSTANT"]
            self.assertEqual(said, wanted)
            self.assertIn("log", tracks.values())
            self.assertTrue(all(event["categories"] == '"warning"' for _, event in events if event["type"] == "INSTANT"))

    def test_answers(self):
        """What is wrong is a sentence and a status that is not 0."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "memory"
            for words, said in (([f"memory:{path}"], "No such file"), (["nowhere"], "is no place of a mailbox")):
                result = subprocess.run([sys.executable, "-B", ROOT / "tools/trace", *words], capture_output=True, text=True)
                self.assertEqual((result.returncode, result.stdout), (1, ""))
                self.assertRegex(result.stderr, f"^trace: .*{said}")
                self.assertEqual(len(result.stderr.splitlines()), 1)

    def test_wrong_records(self):
        """Records of unknown kinds and lengths are passed over."""
        profile = Profile()
        profile.feed([("prof", Record(kind, 0, tuple(range(words)))) for kind in range(256) for words in (0, 1, 3, 8, 10)])
        self.assertEqual((profile.statistics, profile.steps), ({}, 0))

    def test_firmware(self):
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        with tempfile.TemporaryDirectory(dir=base, prefix="neuromorph-") as folder:
            path, offset = Path(folder) / "memory", 0
            command = [program, "memory", path]
            size = 2 * WINDOW
            if emulator:
                machine = emulator[emulator.index("-M") + 1].split(",")[0]
                size, offset = MEMORY[machine]
                words = [f"{machine},memory-backend=shared" if word.split(",")[0] == machine else word for word in emulator]
                words[words.index("-semihosting-config") + 1] += f",arg={Path(program).stem},arg=memory"
                command = [*words, "-object", f"memory-backend-file,id=shared,size={size},mem-path={path},share=on", "-m", size,
                           "-kernel", program]
            path.touch()
            if not emulator:
                os.truncate(path, size)
            result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=100,
                                    stdin=subprocess.DEVNULL)
            self.assertEqual(result.returncode, 7, result.stdout + result.stderr)
            with connect(f"memory:{path}@{offset:#x}") as mailbox:
                self.assertEqual(Profile.lanes(mailbox), ["prof", "pro1"])
                streamed = Profile(mailbox.ticks_per_second, keep=True)
                streamed.poll(mailbox)
            with connect(f"memory:{path}@{offset + WINDOW:#x}") as mailbox:
                summed = Profile(mailbox.ticks_per_second)
                summed.poll(mailbox)
            tool = subprocess.run([sys.executable, "-B", ROOT / "tools/trace", f"memory:{path}@{offset + WINDOW:#x}"],
                                  capture_output=True, text=True)
            self.assertEqual((tool.returncode, tool.stderr), (0, ""))
        self.assertEqual(streamed.missed, 0)
        self.assertEqual((streamed.costs, summed.costs), ({"prof": (4, 1, 2), "pro1": (1, 1, 2)},) * 2)
        self.assertEqual((streamed.steps, summed.steps), (150, 150))
        self.assertEqual((set(streamed.statistics), {name for name, of in summed.statistics.items() if of.count}),
                         ({"step", "rows", "neurons", "packet"},) * 2)
        self.assertEqual(streamed.statistics["step"].count, 150)
        # What only records tell, how many scopes are in a scope, is taken off by them alone: 2 ticks for each.
        for name, of in streamed.statistics.items():
            scopes = [scope for scope in streamed.scopes if streamed.name(scope.lane, scope.tag) == name]
            self.assertEqual((of.count, of.last_step), (summed.statistics[name].count, summed.statistics[name].last_step))
            self.assertEqual(of.sum + 2 * sum(scope.contained for scope in scopes), summed.statistics[name].sum)
            self.assertEqual(sum((scope.ended - scope.began - 1) ** 2 for scope in scopes), summed.statistics[name].squares)
        origin = min(scope.began for scope in streamed.scopes)
        self.assertGreater(max(scope.ended for scope in streamed.scopes), WRAP)  # the clock has wrapped
        names = {"prof": "core", "pro1": "interrupt 1"}
        events, tracks = self.check_slices(streamed, [
            (names[scope.lane], streamed.name(scope.lane, scope.tag), 1000 * (scope.began - origin),
             1000 * (scope.ended - origin)) for scope in streamed.scopes])
        self.assertEqual([int(event["counter_value"]) for _, event in events if event["type"] == "COUNTER"],
                         [3 * step for step in range(100, 250)])
        self.assertEqual(sorted(tracks.values()), ["core", "firmware", "interrupt 1", "queue"])
        traced = json.loads(streamed.json())["traceEvents"]
        self.assertEqual(sum(event.get("dur", 0) for event in traced if event["name"] == "rows"),
                         sum(scope.ended - scope.began for scope in streamed.scopes if scope.lane == "prof" and scope.tag == 1))


if __name__ == "__main__":
    program = sys.argv[2]
    if "--emulator" in sys.argv:
        emulator = " ".join(sys.argv[sys.argv.index("--emulator") + 1:]).split()
    unittest.main(argv=[sys.argv[0]])
