# SPDX-License-Identifier: BSL-1.0
"""examples.board_in_ci: a project that finds the installed library, with images and a host program of its own, against a machine in a
process; and what it says where its firmware or its board is wrong.

usage: board_in_ci.py LIBRARY_BUILD_FOLDER MACHINE_SERVER
"""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from common import ROOT

BUILD = MACHINE = None


class Board(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.work = Path(cls.folder.name)
        shutil.copytree(ROOT / "examples/board_in_ci", cls.work / "project")  # it needs nothing of where it stands
        for command in (["--install", BUILD, "--prefix", cls.work / "prefix"],
                        ["-S", cls.work / "project", "-B", cls.work / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={cls.work / 'prefix'}"],
                        ["--build", cls.work / "build"]):
            done = subprocess.run(["cmake", *map(str, command)], capture_output=True, text=True)
            if done.returncode != 0:
                raise AssertionError(done.stdout + done.stderr)

    def run_host(self, *options, player="player.aplx", filter_image="filter.aplx"):
        process = subprocess.Popen([MACHINE, "--port", "0", "--boot-port", "0", *options], stdout=subprocess.PIPE, text=True)
        try:
            port = re.search(r"port (\d+)", process.stdout.readline())[1]
            return subprocess.run([self.work / "build/host", "127.0.0.2", port, self.work / "build" / player,
                                   self.work / "build" / filter_image], capture_output=True, text=True, timeout=60)
        finally:
            process.terminate()
            process.communicate()

    def test_is_right(self):
        for profile in ("3.4", "4.0"):
            done = self.run_host("--profile", profile)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, rf"^500 samples on SC&MP/SpiNNaker {profile}\S*: at most 0\.0\d\d from a filter in double\n$")

    def test_another_image(self):
        done = self.run_host(filter_image="player.aplx")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^host: .*: vertex 1, filter, on core \d+ of chip 0, 0 does not wait for its signal: run-time error, "
                                      r"code 19; its log ends with 'region = 0: a region was written with a struct that has another layout'\n$")

    def test_no_image(self):
        done = self.run_host(player="nothing.aplx")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("vertex 0, player", done.stderr)

    def test_a_board_that_is_not_there(self):
        done = subprocess.run([self.work / "build/host", "127.0.0.9", "9", "x", "y"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no monitor answers", done.stderr)


if __name__ == "__main__":
    BUILD, MACHINE = map(Path, sys.argv[1:])
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Board)
    sys.exit(0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1)
