# SPDX-License-Identifier: BSL-1.0
"""tools.sonata: spikes that the library has written come back from a SONATA file as they were; wrong files are a sentence.

usage: sonata.py SPIKE_FILES     the built tests/network/spike_files.cpp; with a python3 that has h5py
"""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy

ROOT = Path(__file__).resolve().parents[2]
program = None


def loaded(path):
    """A program without an ending as a module: to import h5py takes longer than all the rest of a run."""
    loader = importlib.machinery.SourceFileLoader(path.name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(path.name, loader))
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
tool = loaded(ROOT / "tools/sonata")


class Sonata(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.h5 = self.folder / "spikes.h5"

    def run_here(self, *command, status=0, **more):
        done = subprocess.run([str(word) for word in command], cwd=self.folder, capture_output=True, text=True, timeout=60, **more)
        self.assertEqual(done.returncode, status, f"{command}: {done.stdout}{done.stderr}")
        return done

    def sonata(self, *words, status=0):
        """What it prints."""
        shown, here = io.StringIO(), os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
                tool.main([str(word) for word in words])
            ended = 0
        except tool.Wrong as wrong:
            shown.write(str(wrong))
            ended = 1
        except SystemExit as exit:
            ended = exit.code
        finally:
            os.chdir(here)
        self.assertEqual(ended, status, shown.getvalue())
        return shown.getvalue()

    def refused(self, *words):
        sentence = self.sonata(*words, status=1)
        self.assertNotIn("\n", sentence)
        return sentence

    def written(self, form):
        folder = self.folder / form
        folder.mkdir()
        self.run_here(program, "write", form, folder)
        return [folder / f"{name}.{'txt' if form == 'text' else 'npy'}" for name in ("exc", "inh")]

    def read(self, path):
        return self.run_here(program, "read", path).stdout.splitlines()

    def plain(self, population):
        return [(step, neuron) for step in range(1, 3001) for neuron in range(50 if population == 0 else 9)
                if (step * 2654435761 + neuron * 40503 % 2**32 + population) % 97 == 0]

    def test_numpy_reads_what_the_library_writes(self):
        for number, path in enumerate(self.written("npy")):
            table = numpy.load(path)
            self.assertEqual(table.dtype.names, ("time_ms", "neuron"))
            self.assertEqual([(round(time / 0.1), neuron) for time, neuron in table.tolist()], self.plain(number))
        for number, path in enumerate(self.written("text")):
            table = numpy.loadtxt(path)
            self.assertEqual([(round(time / 0.1), neuron) for time, neuron in table.tolist()], self.plain(number))

    def test_there_and_back(self):
        for form in ("text", "npy"):
            paths = self.written(form)
            self.sonata("--to", self.h5, "--replace", *paths)
            with h5py.File(self.h5) as file:  # the layout, by its names
                self.assertEqual(file.attrs["magic"], 0x0A7A)
                self.assertEqual(list(file.attrs["version"]), [0, 1])
                self.assertEqual(list(file["spikes"]), ["exc", "inh"])
                for number, name in enumerate(("exc", "inh")):
                    group = file["spikes"][name]
                    self.assertEqual(group["timestamps"].attrs["units"], "ms")
                    self.assertEqual(h5py.check_enum_dtype(group.attrs.get_id("sorting").dtype),
                                     {"none": 0, "by_id": 1, "by_time": 2})
                    self.assertEqual(group.attrs["sorting"], 2)
                    self.assertEqual(group["node_ids"].dtype, "u8")
                    self.assertEqual(group["timestamps"].dtype, "f8")
                    pairs = zip(group["timestamps"][()].tolist(), group["node_ids"][()].tolist())
                    self.assertEqual([(round(time / 0.1), neuron) for time, neuron in pairs], self.plain(number))
            shown = self.sonata("--check", self.h5).splitlines()
            self.assertEqual(len(shown), 2)
            self.assertTrue(shown[0].startswith(f"exc: {len(self.plain(0))} spikes of neurons 0 to 49, from "), shown)
            back = self.folder / f"back_{form}"
            back.mkdir()
            self.sonata("--from", self.h5, "--folder", back, "--format", form)
            for path in paths:
                if form == "text":
                    self.assertEqual((back / path.name).read_bytes(), path.read_bytes())
                self.assertEqual(self.read(back / path.name), self.read(path))

    def test_what_others_write_is_read(self):
        with h5py.File(self.h5, "w") as file:  # no magic, the sorting by its name, 32 bits, out of order
            group = file.create_group("spikes/L4 e/i".replace("/i", "_i"))
            group.attrs["sorting"] = "by_id"
            group["node_ids"] = numpy.array([1, 1, 7], "u4")
            group["timestamps"] = numpy.array([2.5, 0.5, 1.0], "f4")
        self.assertEqual(self.sonata("--check", self.h5), "L4 e_i: 3 spikes of neurons 1 to 7, from 0.5 to 2.5 ms, sorted by_id\n")
        self.sonata("--from", self.h5, "--format", "text")
        self.assertEqual((self.folder / "L4_e_i.txt").read_text(), "0.5 1\n1 7\n2.5 1\n")
        self.sonata("--from", self.h5)
        self.assertEqual(self.read(self.folder / "L4_e_i.npy"), ["1 at 5", "7 at 10", "1 at 25"])

    def test_a_file_that_is_wrong_is_a_sentence(self):
        def file_of(**changes):
            with h5py.File(self.h5, "w") as file:
                group = file.create_group("spikes/p")
                columns = {"node_ids": [1, 2], "timestamps": [0.5, 1.5], **changes}
                for name in ("node_ids", "timestamps"):
                    if columns[name] is not None:
                        group[name] = columns[name]
                if "units" in changes:
                    group["timestamps"].attrs["units"] = changes["units"]
                if "sorting" in changes:
                    group.attrs["sorting"] = changes["sorting"]
                if "magic" in changes:
                    file.attrs["magic"] = changes["magic"]
            return self.refused("--check", self.h5)

        self.assertIn("has no node_ids", file_of(node_ids=None))
        self.assertIn("has no timestamps", file_of(timestamps=None))
        self.assertIn("has 3 node_ids and 2 timestamps", file_of(node_ids=[1, 2, 3]))
        self.assertIn("are not whole numbers in one row", file_of(node_ids=[0.5, 1.5]))
        self.assertIn("are not real numbers in one row", file_of(timestamps=[[0.5], [1.5]]))
        self.assertIn("below 0, or no number", file_of(timestamps=[0.5, float("nan")]))
        self.assertIn("below 0, or no number", file_of(timestamps=[-0.5, 1.0]))
        self.assertIn("a number below 0", file_of(node_ids=[-1, 2]))
        self.assertIn("is in 's'", file_of(units="s"))
        self.assertIn("sorted 'by_weight'", file_of(sorting="by_weight"))
        self.assertIn("sorted '9'", file_of(sorting=9))
        self.assertIn("said to be sorted by_time, and is not", file_of(sorting="by_time", timestamps=[1.5, 0.5]))
        self.assertIn("said to be sorted by_id, and is not", file_of(sorting=1, node_ids=[2, 1]))
        self.assertIn("'magic' is 5", file_of(magic=5))
        with h5py.File(self.h5, "w") as file:
            file["spikes/timestamps"] = [1.0]
        self.assertIn("is no group", self.refused("--check", self.h5))
        with h5py.File(self.h5, "w"):
            pass
        self.assertIn("has no group /spikes", self.refused("--check", self.h5))
        self.assertIn("cannot be read as an HDF5 file", self.refused("--check", self.folder / "none.h5"))

    def test_a_file_that_is_cut_off_is_a_sentence(self):
        (path, _) = self.written("npy")
        self.sonata("--to", self.h5, path)
        whole = self.h5.read_bytes()
        for length in (0, 1, 8, 100, len(whole) // 2, len(whole) - 1):
            self.h5.write_bytes(whole[:length])
            self.refused("--check", self.h5)
        for form in ("text", "npy"):
            path = self.written(form)[0] if form == "text" else path
            whole = path.read_bytes()
            for length in (0, 1, 5, 60, 127, 128, 130, len(whole) // 2, len(whole) - 1):
                path.write_bytes(whole[:length])
                self.assertIn(str(path), self.refused("--to", self.folder / "new.h5", path))
            self.assertFalse((self.folder / "new.h5").exists())

    def test_a_run_that_stopped_and_text_that_is_none(self):
        (path, _) = self.written("npy")
        shape = f"({len(self.plain(0))},), }}".encode()
        self.assertIn(shape, path.read_bytes())
        path.write_bytes(path.read_bytes().replace(shape, b"None, }".ljust(len(shape))))  # as it is until its end
        self.assertIn("it was not ended", self.refused("--to", self.h5, path))
        text = self.folder / "a.txt"
        for wrong in ("x\n", "0.3\n", "0.3 x\n", "0.3 -1\n", "0.3 1 2\n"):
            text.write_text("0.1 1\n" + wrong)
            self.assertIn("line 2", self.refused("--to", self.h5, text))
        text.write_bytes(b"\xff\xfe\n")
        self.assertIn("no text", self.refused("--to", self.h5, text))
        text.write_text("# a: 3 neurons, 0.1 ms a step\n0.1 1\n# 5 steps, 2 spikes\n")
        self.assertIn("has 1 spikes, and its last line says 2", self.refused("--to", self.h5, text))

    def test_leaves_what_is_there(self):
        text = self.folder / "a.txt"
        text.write_text("0.1 1\n")
        self.h5.write_text("precious")
        self.assertIn("--replace", self.refused("--to", self.h5, text))
        self.assertEqual(self.h5.read_text(), "precious")
        self.assertIn("two populations are named a", self.refused("--to", self.h5, text, text))
        self.assertIn("No such file", self.refused("--to", self.folder / "none/a.h5", text))
        self.sonata("--to", self.h5, text, "--replace")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.txt", "spikes.h5"])
        self.assertIn("--replace", self.refused("--from", self.h5, "--format", "text"))
        self.sonata(status=2)
        self.sonata("--to", self.h5, status=2)
        self.sonata("--check", self.h5, text, status=2)

    def test_ends_as_a_program_does(self):
        command = [sys.executable, "-B", ROOT / "tools/sonata"]
        (path, _) = self.written("text")
        self.assertEqual(self.run_here(*command, "--to", self.h5, path).stdout, "")
        done = self.run_here(*command, "--check", path, status=1)
        self.assertTrue(done.stderr.startswith(f"tools/sonata: {path}: it cannot be read as an HDF5 file"), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_says_where_h5py_is_lacking(self):
        done = self.run_here(sys.executable, "-S", "-B", ROOT / "tools/sonata", "--check", self.h5, status=1,
                             env={"PATH": os.environ["PATH"]})
        self.assertIn("install Debian's python3-h5py", done.stderr)


if __name__ == "__main__":
    program = Path(sys.argv.pop(1)).resolve()
    unittest.main()
