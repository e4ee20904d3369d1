# SPDX-License-Identifier: BSL-1.0
"""firmware.crash.<board>: a firmware ends in every way, is reset, and tells of it; tools/crash explains that.

usage: crash.py PROGRAM TABLES EMULATOR WORD...

TABLES is the same program compiled with -funwind-tables: of it the calls are those of gdb's own backtrace at the same stop.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import mailbox as board  # noqa: E402  checks/mailbox.py: how a board is started and reached
from firmware import connect  # noqa: E402
from firmware.crash import NoReport, Program, near, readable, report_of  # noqa: E402
from firmware.record import Recorder  # noqa: E402
from listening import wait_for  # noqa: E402


class Crash(board.Case):
    command = board.Board.board

    def setUp(self):
        super().setUp()
        self.program = board.programs["board"]
        self.is_m = "versatilepb" not in board.programs["emulator"]

    def end_by(self, what):
        (self.folder / "memory").unlink(missing_ok=True)
        process = self.begin(*self.command(None, what, program=self.program))
        out, _ = process.communicate(timeout=board.PATIENCE_S)
        place = f"memory:{self.folder / 'memory'}@{self.offset}"
        with connect(place) as box:
            self.assertEqual(box.starts, 2, out)
        return process.returncode, place

    def explained(self, place, status=0):
        tool = subprocess.run([sys.executable, "-B", str(board.ROOT / "tools/crash"), self.program, place],
                              capture_output=True, text=True, check=False)
        self.assertEqual(tool.returncode, status, tool.stderr)
        return tool.stdout + tool.stderr

    def check(self, what, status, cause, calls):
        is_m = self.is_m
        ended, place = self.end_by(what)
        self.assertEqual(ended, status[is_m], what)
        text = self.explained(place)
        self.assertRegex(text.splitlines()[0], "^the program has ended: " + cause[is_m] + "$")
        # The calls in their order, each with its line.
        at = 0
        for name in (*calls, "inner", "outer", "main"):
            found = re.compile(rf"^#\d+ +0x[0-9a-f]{{8}} .*\b{name}\b.*\.[ch]pp:\d+", re.MULTILINE).search(text, at)
            self.assertTrue(found, f"{what}: no {name} in\n{text}")
            at = found.end()
        self.has_log(text, what)
        return text

    def has_log(self, text, what):
        """The lines before the end, to the last, without a gap, and none of those that came behind the reset."""
        lines = text.split("the last lines of its log:\n")[1].splitlines()
        self.assertRegex(lines[-1], rf"^ +0\.101000 warning \S*tests/firmware/crash\.cpp:\d+ ends by {what}$")
        for number, line in enumerate(reversed(lines[:-1])):
            self.assertRegex(line, rf"^ +0\.{100 - number:03}000 info    \S*tests/firmware/crash\.cpp:\d+ "
                             rf"line {99 - number} of those before the end$")
        words = 2 + (len(what) + 4) // 4  # of the last line, of the others 3
        self.assertEqual(len(lines), 1 + (64 - words) // 3)

    def test_undefined(self):
        text = self.check("undefined", (2, 1), ("undefined instruction",) * 2, ["provoke_undefined"])
        for number in (5, 6, 8):
            self.assertRegex(text, rf"\br{number} 5a5a000{number}\b")

    def test_data(self):
        self.check("data", (4, 1), ("data abort", "data access to an address without memory.*"), ["provoke_data"])

    def test_fetch(self):
        self.check("fetch", (3, 1), ("prefetch abort", "(fetch from an address without memory|fetch where no.*).*"),
                   ["provoke_fetch"])

    def test_assertion(self):
        self.check("assertion", (5, 5), (r"assertion \(4711\)",) * 2, ["provoke_assertion"])

    def test_overflow(self):
        ended, place = self.end_by("overflow")
        self.assertEqual(ended, 6)
        text = self.explained(place)
        self.assertRegex(text, r"^the program has ended: stack overflow \(\d+\)\n")
        self.assertGreater(len(re.findall(r"\bdig\b", text)), 1)
        self.assertIn("-- the report has 128 words of the stack, which had more\n", text)
        self.has_log(text, "overflow")

    def test_watchdog(self):
        self.check("watchdog", (7, 7), ("watchdog",) * 2, ["wait_for_watchdog"])

    def test_handler(self):
        if self.is_m:
            self.check("handler", (2, 1), ("undefined instruction",) * 2,
                       ["provoke_undefined", "interrupt_handler", "wait_for_handler"])

    def test_nested(self):
        self.check("nested", (2, 1), ("undefined instruction",) * 2, ["provoke_undefined"])

    def test_damaged(self):
        ended, place = self.end_by("damaged")
        self.assertEqual(ended, 9)
        self.assertEqual(self.explained(place, 1), "crash: no report has come\n")

    def test_recorded(self):
        """A recording tells the same, in however many pieces it came; cut off, what is before that, and that it is."""
        _, place = self.end_by("data")
        path = self.folder / "recording"
        with connect(place) as box:
            recorder, number = Recorder(box, path), [channel.name for channel in box.channels].index("crsh")
            for second, one in enumerate(box["crsh"].records()):
                recorder.take(number, one)
                recorder.note(second)
            recorder.close()
        self.assertGreater(second, 1)
        _, place = self.end_by("data")
        self.assertEqual(self.explained(f"record:{path}"), self.explained(place))
        path.write_bytes(path.read_bytes()[:-4])
        self.assertRegex(self.explained(f"record:{path}", 1), r"^the program has ended: [^$]*\ncrash: .* is cut off: it has no end\n$")

    def test_names(self):
        """Of templates the names alone; operators are no brackets."""
        for name, shown in (("neuromorph::v0_1_0_arm_dsp::Services<neuromorph::v0_1_0_arm_dsp::Service<(unsigned char)0, a<b> > >"
                             "::call<1u>", "neuromorph::Services<>::call<>"),
                            ("void run<x<y>>::operator()<>", "void run<>::operator()<>"), ("a::operator<< <int>", "a::operator<< <>"),
                            ("operator<", "operator<"), ("a<b>::operator->", "a<>::operator->"), ("operator<=>", "operator<=>"),
                            ("foo<1>::{lambda()#2}::operator()", "foo<>::{lambda()#2}::operator()"), ("c_name", "c_name")):
            self.assertEqual(readable(name), shown)
        here = Path.cwd()
        for place, shown in ((f"{here}/build/../source/a.cpp:5", "source/a.cpp:5"), (f"{here.parent}/b.hpp:3", f"{here.parent}/b.hpp:3"),
                             ("../c.cpp:9", "../c.cpp:9"), ("??:0", "??:0"), ("", "")):
            self.assertEqual(near(place), shown)

    def test_refused(self):
        """Every word of a report that is another, fewer words, another program."""
        ended, place = self.end_by("undefined")
        with connect(place) as box:
            records = list(box["crsh"].records())
        words = [word for record in records for word in record.words]
        report = report_of(words)
        Program(self.program).check(report)
        draw = random.Random(1)
        for at in range(len(words)):
            with self.assertRaises(NoReport):
                report_of([*words[:at], words[at] ^ 1 << draw.randrange(32), *words[at + 1:]])
            with self.assertRaises(NoReport):
                report_of(words[:at])
        self.assertRaisesRegex(NoReport, "^.* is another program .0x[0-9a-f]+. than the one that has crashed .0xc4a6.$",
                               Program(self.program).check, report._replace(image=0xC4A6))


class CrashWithTables(Crash):
    """The same with tables: no call is guessed, and gdb sees the same ones."""

    def setUp(self):
        super().setUp()
        self.program = board.programs["tables"]

    def check(self, what, status, cause, calls):
        text = super().check(what, status, cause, calls)
        frames = self.reported(what)
        functions = [self.explainer.function(frame.address) for frame in frames]
        at_main = [function and function[2] for function in functions].index("main")
        self.assertNotIn("perhaps", [frame.found for frame in frames[:at_main + 1]], text)
        self.assertEqual([frame.address for frame in frames[:at_main + 1]], self.seen_by_gdb(what, frames[0].address), text)
        return text

    def reported(self, what):
        _, place = self.end_by(what)
        with connect(place) as box:
            words = [word for record in box["crsh"].records() for word in record.words]
        self.explainer = Program(self.program)
        return self.explainer.backtrace(report_of(words))

    def seen_by_gdb(self, what, stop):
        """Where gdb's frames are at the same stop of another run, in their calls as ours."""
        path = self.folder / "gdb"
        (self.folder / "memory").unlink()
        process = self.begin(*self.command(None, what, program=self.program), "-S", "-chardev",
                             f"socket,id=gdb,path={path},server=on,wait=off", "-gdb", "chardev:gdb")
        wait_for(f"unix:{path}", process)
        seen = subprocess.run(["gdb-multiarch", "-nx", "-batch", "-x", str(board.ROOT / "tests/gdb/backtrace.py"), self.program],
                              capture_output=True, text=True, check=False, timeout=board.PATIENCE_S, stdin=subprocess.DEVNULL,
                              env={**os.environ, "GDB_PLACE": str(path), "GDB_STOP": hex(stop)})
        process.kill()
        places = re.findall(r"^(at|call) (0x[0-9a-f]+)$", seen.stdout, re.MULTILINE)
        self.assertGreater(len(places), 3, seen.stdout + seen.stderr)
        return [int(place, 16) if kind == "at" else self.explainer.call_before(int(place, 16) | self.is_m)
                for kind, place in places]


if __name__ == "__main__":
    program, tables, *emulator = sys.argv[1:]
    board.programs.update(board=program, tables=tables, emulator=" ".join(emulator).split())
    cases = [Crash, CrashWithTables] if shutil.which("gdb-multiarch") else [Crash]
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in cases)
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    sys.exit(0 if result.wasSuccessful() else 1)
