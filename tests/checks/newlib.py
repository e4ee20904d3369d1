# SPDX-License-Identifier: BSL-1.0
"""firmware.newlib.<board>: the C library's calls on an emulated board, its console and its status, from the host's side.

usage: newlib.py PROGRAM EMULATOR WORD...
"""

import os
import socket
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import mailbox as board  # noqa: E402  checks/mailbox.py: how a board is started and reached
from firmware import Record  # noqa: E402
from listening import wait_for  # noqa: E402

BYTES, EXIT = 1, 2  # kinds of a console's records


class Newlib(board.Case):
    command = board.Board.board

    def run_over_mailbox(self, what, answers=None):
        """What the console says and how it ends. answers: {line of it: what is typed then}."""
        process = self.begin(*self.command(None, "memory", what))
        box = self.reached(f"memory:{self.folder / 'memory'}@{self.offset}")
        self.assertEqual(box.image, 0x11B)
        said, until = b"", time.monotonic() + board.PATIENCE_S
        answers = dict(answers or {})
        while True:
            record = box["cons"].read()
            if record is None:
                self.assertLess(time.monotonic(), until, f"no end after {said}")
                self.assertTrue(process.poll() is None or box["cons"].waiting, f"ended without a record after {said}")
                time.sleep(0.001)
            elif record.kind == EXIT:
                status, = record.words
                break
            else:
                self.assertEqual(record.kind, BYTES)
                said += record.bytes()
                for line in [line for line in answers if line in said]:
                    self.assertTrue(box["cns<"].write(Record.of_bytes(answers.pop(line))))
        self.assertEqual(process.wait(board.PATIENCE_S), status)
        return said.decode(), status

    def test_calls(self):
        self.assertEqual(self.run_over_mailbox("calls", {b"who is there?\n": b"granule 1.5\n"}),
                         ("who is there?\ngranule has 3.000\n0 wrong\n", 7))

    def test_abort(self):
        self.assertEqual(self.run_over_mailbox("abort")[1], 128 + 6)

    def test_overflow(self):
        self.assertEqual(self.run_over_mailbox("overflow"), ("", 0))

    def test_uart(self):
        path = self.folder / "uart"
        process = self.begin(*self.command(f"unix:{path},server=on,wait=on", "uart", "exit"))
        wait_for(f"unix:{path}", process)
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(board.PATIENCE_S)
            line.connect(str(path))
            said = b""
            while not said.endswith(b"who is there?\n"):
                said += line.recv(1) or self.fail(said)
            line.sendall(b"basket -0.25\n")
            while more := line.recv(100):
                said += more
        self.assertEqual(said, b"who is there?\nbasket has -0.500\n0 wrong\n")
        self.assertEqual(process.wait(board.PATIENCE_S), 7)

    def run_over_semihosting(self, what, typed):
        result = subprocess.run([str(word) for word in self.command(None, "semihosting", what)], input=typed, text=True,
                                capture_output=True, timeout=board.PATIENCE_S)
        return result.stdout, result.returncode

    def test_semihosting(self):
        self.assertEqual(self.run_over_semihosting("calls", "mica 2.25\n"),
                         ("who is there?\nmica has 4.500\n0 wrong\n", 7))
        self.assertEqual(self.run_over_semihosting("abort", ""), ("before\n", 128 + 6))

    def test_semihosting_end_of_input(self):
        self.assertEqual(self.run_over_semihosting("exit", ""),
                         ("who is there?\nwrong: scanf\n has 0.000\n1 wrong\n", 1))


if __name__ == "__main__":
    program, *emulator = sys.argv[1:]
    board.programs.update(board=program, emulator=" ".join(emulator).split())
    result = unittest.TextTestRunner(verbosity=1).run(unittest.defaultTestLoader.loadTestsFromTestCase(Newlib))
    sys.exit(0 if result.wasSuccessful() else 1)
