# SPDX-License-Identifier: BSL-1.0
"""programs.<what>: the examples, compare.py and the run scripts do what a user asks, and say what they cannot.

usage: programs.py PROGRAMS examples|compare|scripts      PROGRAMS is the folder of the built examples
"""

import math
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
programs = None

# A short run of each that has options, and what it writes.
SHORT = {"balanced_plastic": ["--duration", "0.02"], "cuba": ["--duration", "0.02", "--neurons", "200"], "deadlines": ["--steps", "25"],
         "network": ["--duration", "0.02", "--scale", "0.01"], "neurons": [], "trace_heap": ["--duration", "0.1"], "two_rules": ["--steps", "1"]}
FILES = {"balanced_plastic": ["raster.svg", "rates.svg", "weights.svg"], "cuba": ["membrane.svg", "raster.svg", "spikes.txt"], "deadlines": ["gantt.svg"],
         "network": ["cuba.svg", "layers.svg"], "neurons": ["responses.svg"], "trace_heap": ["occupancy.svg", "reclaimed.svg", "table.txt", "work.svg"], "two_rules": ["weights.svg"]}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def file(self, name, contents=b""):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
        return path

    def script(self, name, text):
        path = self.file(name, "#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def run_here(self, *command, **more):
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("cwd", self.folder)
        return subprocess.run([str(word) for word in command], stderr=subprocess.PIPE, text=True, timeout=100, **more)

    def on_terminal(self, *command, **more):
        """As run_here, with all that it shows on a terminal as its output."""
        ours, theirs = pty.openpty()
        shown = []

        def read():
            try:
                while part := os.read(ours, 4096):
                    shown.append(part)
            except OSError:  # nobody holds the other end any more
                pass

        reader = threading.Thread(target=read)
        reader.start()
        done = self.run_here(*command, stdout=theirs, **more)
        os.close(theirs)
        reader.join(10)
        os.close(ours)
        done.stdout = b"".join(shown).decode()
        return done

    def assertSentence(self, done, *words, status=None):
        """One line of complaint with these words, and a status that is not 0."""
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for word in words:
            self.assertIn(str(word), done.stderr)
        self.assertNotEqual(done.returncode, 0, done.stderr)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr)


class Examples(Case):
    def each(self):
        return [(name, [programs / name, *arguments]) for name, arguments in SHORT.items()]

    def test_makes_the_folder_with_its_parents_and_writes_only_its_files(self):
        for name, command in self.each():
            done = self.run_here(*command, "--output", f"{name}/new/folder/")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(os.listdir(self.folder / name / "new/folder")), FILES[name])
            help_text = self.run_here(programs / name, "--help").stdout
            for file in FILES[name]:
                self.assertIn(file, help_text)
            for file in FILES[name]:
                self.assertGreater((self.folder / name / "new/folder" / file).stat().st_size, 100)

    def test_refuses_a_folder_that_cannot_be_before_it_runs(self):
        self.file("a_file")
        for name, command in self.each():
            for wrong in ("a_file", "a_file/folder", "/proc/none/such", ""):
                done = self.run_here(*command, "--output", wrong)
                self.assertSentence(done, f"{name}: ", wrong, status=2)
                self.assertEqual(done.stdout, "")

    def test_refuses_each_file_that_cannot_be_before_it_runs(self):
        for name, command in self.each():
            for file in FILES[name]:
                (self.folder / name / file / file).mkdir(parents=True)
                done = self.run_here(*command, "--output", f"{name}/{file}")
                self.assertSentence(done, f"{name}/{file}/{file}: ", status=2)
                self.assertEqual(done.stdout, "")

    def test_leaves_what_was_written_before_when_it_is_refused(self):
        self.file("cuba/spikes.txt", "precious")
        (self.folder / "cuba/raster.svg").mkdir()
        self.assertSentence(self.run_here(programs / "cuba", *SHORT["cuba"], "--output", "cuba"), "raster.svg")
        self.assertEqual((self.folder / "cuba/spikes.txt").read_text(), "precious")

    def test_says_which_file_the_disk_has_no_room_for(self):
        for name, command in self.each():
            for file in FILES[name]:
                folder = self.folder / name / Path(file).stem
                folder.mkdir(parents=True)
                (folder / file).symlink_to("/dev/full")
                done = self.run_here(*command, "--output", folder)
                self.assertSentence(done, f"{name}: ", f"{folder}/{file}: ", "cannot write all of ", ": No space left")

    def test_says_that_its_output_has_no_room(self):
        with open("/dev/full", "w") as full:
            for name, command in self.each():
                self.assertSentence(self.run_here(*command, stdout=full), f"{name}: ", "the standard output: No space left")
                self.assertSentence(self.run_here(programs / name, "--help", stdout=full), "the standard output")
            self.assertNotEqual(self.run_here(programs / "minimal", stdout=full).returncode, 0)

    def test_refuses_wrong_words_beside_help(self):
        for name in SHORT:
            for words in (["nonsense"], ["--nonsense"], ["--seed"], ["--seed", "x"], ["--help", "nonsense"]):
                for command in (["--help", *words], ["-h", *words], [*words, "--help"]):
                    if words == ["--seed"] and command[0] == "--seed":
                        continue  # takes it for its value
                    done = self.run_here(programs / name, *command)
                    self.assertSentence(done, f"{name}: ", status=2)
                    self.assertEqual(done.stdout, "")

    def test_takes_decimal_numbers_alone(self):
        for value in ("inf", "nan", "0x1", "+1", " 1", "1e", "1 ", ""):
            self.assertSentence(self.run_here(programs / "cuba", "--duration", value), "--duration takes seconds")
        self.assertEqual(self.run_here(programs / "cuba", "--neurons", "50", "--duration", "1e-2").returncode, 0)

    def refuses(self, option, path, *words):
        done = self.run_here(programs / "cuba", "--neurons", "50", option, path)
        self.assertSentence(done, "cuba: ", path, *words, status=2)
        self.assertEqual(done.stdout, "")

    def test_refuses_what_is_no_file_of_connections(self):
        (self.folder / "folder").mkdir()
        self.refuses("--connections", "folder", "Is a directory")
        self.refuses("--connections", "none", "No such file")
        self.refuses("--connections", "", "takes a file")
        self.refuses("--connections", self.file("empty"), "is empty: it holds no synapse")
        self.refuses("--connections", "/proc/self/mem", "cannot read")  # opens, but cannot be read
        self.refuses("--initial", "folder", "Is a directory")
        self.refuses("--initial", self.file("none"), "has 0 initial values for 50 neurons")

    def test_refuses_a_pipe_of_connections(self):
        reader, writer = os.pipe()
        os.write(writer, struct.pack("<IIf", 0, 1, 16.2))
        os.close(writer)
        done = self.run_here(programs / "cuba", "--connections", f"/dev/fd/{reader}", pass_fds=[reader])
        os.close(reader)
        self.assertSentence(done, "cannot read", "seek", status=2)

    def test_refuses_each_wrong_record_with_its_number(self):
        good = struct.pack("<IIf", 0, 1, 16.2)
        for cut in range(1, 12):
            self.refuses("--connections", self.file("cut", good * 3000 + good[:cut]), "middle of a record", "record 3000")
        for pre, post, weight, words in ((0, 1, math.nan, "a weight of nan pA is not finite"),
                                         (0, 1, -math.nan, "nan pA is not finite"),
                                         (0, 1, math.inf, "a weight of inf pA is not finite"),
                                         (0, 1, -math.inf, "a weight of -inf pA is not finite"),
                                         (0, 1, 3.4e38, "a weight of 3.4e+38 pA: a weight does not fit"),
                                         (0, 1, -3.4e38, "a weight of -3.4e+38 pA: a weight does not fit"),
                                         (0, 1, 1e6, "a weight of 1e+06 pA: a weight does not fit"),
                                         (0, 1, 1e-40, "would become zero"),
                                         (50, 1, 16.2, "pre-synaptic neuron"),
                                         (0xFFFFFFFF, 1, 16.2, "pre-synaptic neuron"),
                                         (0, 50, 16.2, "outside the population (50)"),
                                         (0, 0xFFFFFFFF, 16.2, "outside the population")):
            for before in (0, 1, 1023, 1024, 5000):  # within a buffer of the reader and at its ends
                bad = self.file("bad", good * before + struct.pack("<IIf", pre, post, weight) + good)
                self.refuses("--connections", bad, f"record {before + 1}:", words)


class Compare(Case):
    """With programs that note how they were called."""
    DIGESTS = "echo 'step        1   0.1 s   digest 0123456789abcdef'\n"

    def setUp(self):
        super().setUp()
        self.script("host", f'echo "$@" >> {self.folder}/host.calls; ' + self.DIGESTS)
        self.script("board", f'echo "$@" >> {self.folder}/board.calls; ' + self.DIGESTS)

    def command(self, *arguments, item="neuron"):
        return [sys.executable, "-B", ROOT / "examples/compare.py", "--host", self.folder / "host", "--output", "default",
                "--other", f"board={self.folder}/board", "--item", item, "--", *arguments]

    def calls(self, name):
        return (self.folder / f"{name}.calls").read_text().splitlines()

    def test_runs_the_host_once_also_on_a_terminal(self):
        self.assertEqual(self.run_here(*self.command()).returncode, 0)
        self.assertEqual(len(self.calls("host")), 1)
        done = self.on_terminal(*self.command())
        shown = done.stdout
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.calls("host")), 2)
        self.assertEqual(shown.count("digest 0123456789abcdef"), 1)
        self.assertIn("board: all 1 digests are those of the host", shown)

    def test_the_host_alone_writes_files(self):
        self.run_here(*self.command("--seed", "7"))
        self.run_here(*self.command("--output", "mine", "--seed", "7"))
        self.run_here(*self.command("--seed", "7", "--output", "mine"))
        self.assertEqual(self.calls("host"),
                         ["--seed 7 --output default", "--output mine --seed 7", "--seed 7 --output mine"])
        self.assertEqual(self.calls("board"), ["--seed 7"] * 3)

    def test_compares_lines_where_there_are_no_digests(self):
        for program in ("host", "board"):
            self.script(program, "echo one; echo two")
        done = self.run_here(*self.command(item="line"))
        self.assertIn("all 2 lines are those of the host", done.stdout)
        self.script("board", "echo one; echo three")
        self.assertSentence(self.run_here(*self.command(item="line")), "first in line 2, 'three' instead of 'two'")
        self.script("board", "echo one; echo two; echo more")
        self.assertSentence(self.run_here(*self.command(item="line")), "first in line 3, 'more' instead of ''")

    def test_ends_as_the_host_does(self):
        for status, ours in ((1, 1), (2, 2), (3, 1)):
            self.script("host", f"echo no >&2; exit {status}")
            self.assertSentence(self.run_here(*self.command()), "no", status=ours)
            self.assertFalse((self.folder / "board.calls").exists())

    def test_says_that_its_output_has_no_room(self):
        with open("/dev/full", "w") as full:
            self.assertSentence(self.run_here(*self.command(), stdout=full), "compare: ", "No space left")


class Scripts(Case):
    """The run scripts without network and packages: what they would install or build is a mark."""

    def setUp(self):
        super().setUp()
        self.calls = self.folder / "calls"
        for tool in ("apt-get", "cmake", "sudo", "python3", "ctest", "g++"):
            self.script(f"stubs/{tool}", f'echo "{tool} $*" >> "{self.calls}"; exit 1\n')
        self.script("stubs/dpkg-query", "exit 1\n")

    def stubbed(self, *command, **more):
        done = self.run_here(*command, env={**os.environ, "PATH": f"{self.folder}/stubs:{os.environ['PATH']}"}, **more)
        self.assertFalse(self.calls.exists() and self.calls.read_text(), "it touched packages or built")
        return done

    def test_help_and_wrong_words_need_nothing(self):
        for script in ("examples/run", "tests/run", "benchmarks/run"):
            done = self.stubbed(ROOT / script, "--help")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"usage: {script}", done.stdout)
            self.assertSentence(self.stubbed(ROOT / script, "nonsense"), "'nonsense'", status=2)
            self.assertSentence(self.stubbed(ROOT / script, "--nonsense"), "'--nonsense'", status=2)
            for wrong in ("nonsense", "--nonsense", "--benchmark_nonsense=1"):
                for words in (["--help", wrong], [wrong, "--help"], ["-h", wrong]):
                    done = self.stubbed(ROOT / script, *words)
                    self.assertSentence(done, f"'{wrong}'", status=2)
                    self.assertEqual(done.stdout, "")

    def test_help_of_the_tools_for_developers(self):
        for tool in ("tests/mutants", "tests/coverage"):
            done = self.run_here(ROOT / tool, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"usage: {tool}", done.stdout)

    def test_benchmarks_take_the_options_that_they_list(self):
        listed = self.stubbed(ROOT / "benchmarks/run", "--help").stdout
        options = re.findall(r"(?m)^  (--benchmark_\w+)=", listed)
        self.assertEqual(len(options), 9)
        right = {"repetitions": "3", "min_time": "0.5", "min_warmup_time": "1", "time_unit": "us", "color": "no", "filter": "lif|x"}
        for option in options:
            value = right.get(option.removeprefix("--benchmark_"), "true")
            self.assertEqual(self.stubbed(ROOT / "benchmarks/run", f"{option}={value}", "--help").stdout, listed)
            wrong = [option, f"{option}="]
            if "filter" not in option:
                wrong += [f"{option}=1x", f"{option}=x", f"{option}=-1"]
            for word in wrong:
                self.assertSentence(self.stubbed(ROOT / "benchmarks/run", word), f"'{word}'", option, status=2)
        for word in ("--benchmark_nosuch=1x", "--benchmark_out=here", "--benchmark_list_tests", "--benchmark_"):
            self.assertSentence(self.stubbed(ROOT / "benchmarks/run", word), f"'{word}'", status=2)

    def test_tests_take_presets_and_modes(self):
        for words in (["quick", "arm926"], ["arm926", "quick"], ["long", "--minutes"], ["long", "--minutes", "0"],
                      ["long", "--seed", "x"], ["--minutes", "5"], ["quick", "--seed", "5"], ["arm926", "arm"]):
            self.assertSentence(self.stubbed(ROOT / "tests/run", *words), "tests/run: ", status=2)

    def test_every_example_is_listed(self):
        listed = self.stubbed(ROOT / "examples/run", "--help").stdout
        for main in (*ROOT.glob("examples/*/main.cpp"), *ROOT.glob("examples/*/walkthrough")):
            self.assertRegex(listed, rf"(?m)^  {main.parent.name} +[A-Z].*\.$")

    def test_a_walkthrough_refuses_before_it_builds(self):
        for script in ([ROOT / "examples/run", "debug_me"], [ROOT / "examples/debug_me/walkthrough"]):
            self.assertIn("usage: debug_me [OPTION...]", self.stubbed(*script, "--help", "--board", "arm926").stdout)
            for words, sentence in ((["nonsense"], "no option 'nonsense'"), (["--help", "--nonsense"], "no option '--nonsense'"),
                                    (["--board"], "not ''"), (["--board", "x86"], "not 'x86'"),
                                    (["--board", "arm926", "--write"], "not on arm926")):
                done = self.stubbed(*script, *words)
                self.assertSentence(done, "examples/debug_me/walkthrough: ", sentence, status=2)
                self.assertEqual(done.stdout, "")

    def test_help_of_an_example_is_that_of_the_program(self):
        for name in SHORT:
            ours = self.stubbed(ROOT / "examples/run", name, "--help").stdout
            self.assertEqual(ours, self.run_here(programs / name, "--help").stdout)

    def test_help_of_the_example_without_options_says_so(self):
        shown = self.stubbed(ROOT / "examples/run", "minimal", "--help").stdout
        self.assertRegex(shown, r"^A pulse .*\n\nusage: minimal\n  --help +this text\n$")
        for words in (["nonsense"], ["--steps", "3"], ["--help", "3"], ["3", "--help"]):
            self.assertSentence(self.stubbed(ROOT / "examples/run", "minimal", *words), "minimal has no option", status=2)

    def test_agrees_with_the_program_about_each_value(self):
        self.file("file", b"x")
        compared = 0
        for name in SHORT:
            for line in self.run_here(programs / name, "--help").stdout.splitlines():
                found = re.match(r"  (--[a-z-]+) +([A-Z:]+) +(.*)", line)
                if not found:
                    continue
                option, kind, meaning = found.groups()
                limits = re.search(r"([\d.]+) to ([\d.]+)", meaning)
                wrong, right = ["x", "-1", "", "1x"], ["1"]
                if kind in ("FOLDER", "PATH"):
                    wrong, right = [""], ["folder"]
                elif kind == "FILE":
                    wrong, right = [""], ["file"]  # one that there is; what is in it is for the program
                elif kind.startswith("STEP:"):
                    wrong, right = ["5", "0:1", "1:", ":1", "1:2:3", "a:b"], ["1:0", "100:4"]
                elif limits:
                    least, most = limits.groups()
                    right = [least, most]
                    wrong += [str(float(most) + 1) if "." in least else str(int(most) + 1),
                              str(float(least) / 2) if "." in least else str(int(least) - 1)]
                elif kind in ("N", "STEP"):
                    wrong += ["0"]
                else:
                    self.assertEqual((option, kind), ("--seed", "NUMBER"), "its range is in no help text")
                for value in wrong + right:
                    first = self.stubbed(ROOT / "examples/run", name, "--help", option, value)
                    self.assertEqual(first.returncode, 2 if value in wrong else 0, f"{name} --help {option} '{value}'")
                    at_once = self.stubbed(ROOT / "examples/run", name, option, value, "--help")
                    program = self.run_here(programs / name, option, value, "--help")
                    self.assertEqual(at_once.returncode, 2 if value in wrong else 0, f"{name} {option} '{value}'")
                    self.assertEqual(program.returncode, at_once.returncode, f"{name} {option} '{value}'")
                    compared += 1
                self.assertSentence(self.stubbed(ROOT / "examples/run", name, option), "needs a value", status=2)
        self.assertGreater(compared, 100)

    def test_a_file_is_looked_for_where_the_user_stands(self):
        self.file("elsewhere/there", b"x")
        words = ROOT / "examples/run", "--initial", "there", "--help"
        self.assertEqual(self.stubbed(*words, cwd=self.folder / "elsewhere").returncode, 0)
        self.assertSentence(self.stubbed(*words), "there", status=2)
        self.file("a space", b"x")
        self.assertSentence(self.stubbed(ROOT / "examples/run", "--initial", "a space"), "a space", status=2)

    def checkout(self, name):
        """A checkout with the real scripts and a project that compiles nothing; each preset has two tests."""
        top = self.folder / name
        (top / "tools").mkdir(parents=True)
        (top / "tests").mkdir()
        shutil.copy(ROOT / "tools/steps.sh", top / "tools")
        shutil.copy(ROOT / "tests/run", top / "tests")
        presets = ["arm926", "aarch64", "powerpc", "long-gcc", "long-asan-ubsan"]
        listed = ", ".join(f'{{"name": "{p}", "configurePreset": "{p}"}}' for p in presets)
        (top / "CMakePresets.json").write_text(
            '{"version": 6, "configurePresets": [' +
            ", ".join(f'{{"name": "{p}", "generator": "Ninja", "binaryDir": "${{sourceDir}}/build/{p}"}}' for p in presets) +
            f'], "buildPresets": [{listed}], "testPresets": [{listed}]}}')
        (top / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(sample NONE)\nenable_testing()\n"
            "add_custom_command(OUTPUT where COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/source where\n"
            "  DEPENDS ${CMAKE_SOURCE_DIR}/source)\n"
            "add_custom_target(sample ALL DEPENDS where)\nadd_custom_target(single DEPENDS where)\n"
            "add_test(NAME fine COMMAND test -e where)\nadd_test(NAME second COMMAND test ! -e ${CMAKE_SOURCE_DIR}/wrong)\n")
        (top / "source").write_text(name)
        return top

    def run_tests(self, top, *words, status=0):
        self.script("installed/dpkg-query", "echo 'install ok installed'\n")
        done = self.run_here(top / "tests/run", *words,
                             env={**os.environ, "PATH": f"{self.folder}/installed:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def last_line(self, *arguments, **more):
        return self.run_tests(*arguments, **more).stdout.splitlines()[-1]

    def test_runs_the_presets_that_are_named(self):
        top = self.checkout("one")
        self.assertEqual(self.last_line(top, "arm926"), "2 passed, 0 failed")
        self.assertEqual(sorted(os.listdir(top / "build")), ["arm926", "log"])
        self.assertEqual(self.last_line(top, "powerpc", "aarch64"), "4 passed, 0 failed")

    def test_the_last_line_counts_what_failed_and_what_was_not_run(self):
        top = self.checkout("one")
        (top / "wrong").write_text("")
        with open(top / "CMakeLists.txt", "a") as file:
            file.write("add_test(NAME third COMMAND sh -c \"! pwd | grep arm926\")\n")
        done = self.run_tests(top, "arm926", "powerpc", status=1)
        self.assertEqual(done.stdout.splitlines()[-3:], ["failed to test arm926: second third", "failed to test powerpc: second",
                                                         "3 passed, 3 failed"])
        self.assertIn("failed to test arm926 (the whole", done.stderr)
        self.assertIn("failed to test powerpc (the whole", done.stderr)
        (top / "wrong").unlink()
        done = self.run_tests(top, "powerpc", "arm926", "aarch64", status=1)
        self.assertEqual(done.stdout.splitlines()[-2:], ["failed to test arm926: third", "8 passed, 1 failed"])

    def test_a_build_that_fails_is_a_failure(self):
        top = self.checkout("one")
        with open(top / "CMakeLists.txt", "a") as file:
            file.write("if(CMAKE_BINARY_DIR MATCHES arm926)\n  add_custom_target(broken ALL COMMAND false)\nendif()\n")
        done = self.run_tests(top, "powerpc", "arm926", "aarch64", status=1)
        self.assertEqual(done.stdout.splitlines()[-3:], ["failed to build arm926", "not run: arm926", "4 passed, 1 failed"])
        self.assertIn("failed to build arm926", done.stderr)
        (top / "source").unlink()
        (top / "build/powerpc/where").unlink()
        done = self.run_tests(top, "powerpc", "arm926", status=1)
        self.assertEqual(done.stdout.splitlines()[-2:], ["not run: powerpc arm926", "0 passed, 2 failed"])

    def test_what_is_ended_says_what_was_not_run(self):
        top = self.checkout("one")
        with open(top / "CMakeLists.txt", "a") as file:
            file.write("add_test(NAME slow COMMAND sh -c \"kill -INT \\`cat ${CMAKE_SOURCE_DIR}/pid\\`; sleep 5\")\n")
        self.script("installed/dpkg-query", "echo 'install ok installed'\n")
        done = self.run_here("sh", "-c", f"echo $$ >{top}/pid && exec {top}/tests/run arm926 aarch64",
                             env={**os.environ, "PATH": f"{self.folder}/installed:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 130, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"\nnot run: .*the rest of a.*\n0 passed, 1 failed\n$")

    def test_a_copied_or_moved_checkout_is_made_anew(self):
        top = self.checkout("one")
        self.last_line(top, "arm926")
        shutil.copytree(top, self.folder / "two", symlinks=True)
        (self.folder / "two/source").write_text("two")
        done = self.run_tests(self.folder / "two", "arm926")
        self.assertIn(f"build/arm926 was made for the sources in {top}, so it is made anew\n", done.stdout)
        self.assertEqual((self.folder / "two/build/arm926/where").read_text(), "two")
        self.assertEqual((top / "build/arm926/where").read_text(), "one")
        (self.folder / "two").rename(self.folder / "three")
        (self.folder / "three/source").write_text("three")
        done = self.run_tests(self.folder / "three", "arm926")
        self.assertIn(f"was made for the sources in {self.folder}/two", done.stdout)
        self.assertEqual((self.folder / "three/build/arm926/where").read_text(), "three")
        self.assertNotIn("anew", self.run_tests(self.folder / "three", "arm926").stdout)
        (self.folder / "link").symlink_to("three")
        self.assertNotIn("anew", self.run_tests(self.folder / "link", "arm926").stdout)

    def test_a_changed_preset_is_configured_again(self):
        top = self.checkout("one")
        self.last_line(top, "arm926")
        presets = top / "CMakePresets.json"
        presets.write_text(presets.read_text().replace('"generator"', '"cacheVariables": {"SAMPLE": "new"}, "generator"'))
        self.last_line(top, "arm926")
        self.assertIn("SAMPLE:UNINITIALIZED=new", (top / "build/arm926/CMakeCache.txt").read_text())

    def test_a_terminal_shows_the_count(self):
        top = self.checkout("one")
        with open(top / "CMakeLists.txt", "a") as file:
            file.write("add_test(NAME slow COMMAND sh -c \"test -e ${CMAKE_SOURCE_DIR}/fast || sleep 5\")\n")
        self.script("installed/dpkg-query", "echo 'install ok installed'\n")
        done = self.on_terminal(top / "tests/run", "arm926",
                                env={**os.environ, "PATH": f"{self.folder}/installed:{os.environ['PATH']}"})
        shown = done.stdout
        self.assertEqual(done.returncode, 0, shown)
        self.assertIn("test arm926 ... 2/3", shown)
        self.assertRegex(shown, r"test arm926 \.\.\. \d+\.\d s\r\n3 passed, 0 failed")
        (top / "fast").write_text("")
        self.assertNotIn("\r", self.run_tests(top, "arm926").stdout)

    def test_the_first_line_says_how_much_is_downloaded(self):
        top = self.checkout("one")
        self.script("stubs/apt-get", f'echo "apt-get $*" >> {self.calls}\ncase "$*" in\n*--print-uris*)\n'
                    "echo \"'http://somewhere/a.deb' a.deb 300000000 SHA256:0\"\n"
                    "echo \"'http://somewhere/b.deb' b.deb 230000000 SHA256:0\" ;;\n*) exit 1 ;;\nesac\n")
        self.script("stubs/sudo", 'exec "$@"\n')
        path = {**os.environ, "PATH": f"{self.folder}/stubs:{os.environ['PATH']}"}
        done = self.run_here(top / "tests/run", "aarch64", env=path)
        self.assertEqual(done.stdout.splitlines()[0], "Debian packages that are missing: 6, 530 MB to download")
        self.assertEqual(done.stdout.splitlines()[-1], "0 passed, 1 failed")
        # Without package lists nobody knows before they are read.
        self.script("stubs/apt-get", f'echo "apt-get $*" >> {self.calls}\ncase "$*" in *update*) : ;; *) exit 1 ;; esac\n')
        done = self.run_here(top / "tests/run", "aarch64", env=path)
        self.assertIn("how much to download is known when the package lists are read", done.stdout.splitlines()[0])

    def test_long_begins_with_its_presets(self):
        top = self.checkout("one")
        (top / "tests/unit").mkdir()
        (top / "tests/fuzz").mkdir()
        (top / "wrong").write_text("")
        done = self.run_tests(top, "long", "--minutes", "1", status=1)
        self.assertIn("failed to test long-gcc", done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 1 failed")

    def test_long_runs_batteries_from_seed_to_seed(self):
        top = self.checkout("one")
        (top / "CMakePresets.json").write_text((top / "CMakePresets.json").read_text().replace("arm926", "host-gcc"))
        for folder in ("tests/unit/part", "tests/fuzz"):
            (top / folder).mkdir(parents=True)
        (top / "tests/unit/part/c.cpp").write_text('#include "tests/support/seeds.hpp"\n')
        (top / "tests/unit/part/d.cpp").write_text("// draws nothing\n")
        battery = self.script("battery", f"echo $NEUROMORPH_SEED >> {self.folder}/c.calls\n"
                              "[ $NEUROMORPH_SEED -lt 200000 ]\n")
        with open(top / "CMakeLists.txt", "a") as file:
            file.write(f"add_custom_target(unit.part.c COMMAND ${{CMAKE_COMMAND}} -E copy {battery} "
                       "${CMAKE_BINARY_DIR}/tests/unit.part.c)\n")
        done = self.run_tests(top, "long", "--minutes", "1", "--seed", "42", status=1)
        self.assertEqual((self.folder / "c.calls").read_text().split(), ["42", "100042", "200042"])
        self.assertIn("run unit.part.c for 1 minutes from seed 42 on", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "4 passed, 1 failed")

    def test_long_steps_later_compositions_on_all_backends(self):
        top = self.checkout("one")
        (top / "CMakePresets.json").write_text((top / "CMakePresets.json").read_text().replace("arm926", "host-gcc"))
        for folder in ("tests/target", "tests/fuzz"):
            (top / folder).mkdir()
        (top / "tests/fuzz/replay.cpp").write_text("")
        for number in (2, 3, 4):
            (top / f"tests/target/compositions_{number}.cpp").write_text("")
        with open(top / "CMakeLists.txt", "a") as file:
            for number, status in ((3, 0), (4, 1)):
                program = self.script(f"p{number}", f"touch {self.folder}/{number}.calls; exit {status}\n")
                file.write(f"add_custom_target(backends.compositions_{number} COMMAND ${{CMAKE_COMMAND}} -E copy {program} "
                           f"${{CMAKE_BINARY_DIR}}/tests/backends.compositions_{number})\n")
        done = self.run_tests(top, "long", "--minutes", "1", status=1)
        self.assertEqual([(self.folder / f"{number}.calls").exists() for number in (3, 4)], [True, True])
        self.assertEqual(done.stdout.splitlines()[-2:], ["not run: backends.compositions_4 mutants", "5 passed, 1 failed"])

    def test_long_runs_every_fuzzer(self):
        top = self.checkout("one")
        (top / "CMakePresets.json").write_text((top / "CMakePresets.json").read_text().replace("arm926", "host-clang"))
        (top / "tests/fuzz").mkdir()
        self.script("one/tests/mutants", f"echo 91 percent; touch {self.folder}/mutants.calls\n")
        for name in ("a", "b", "replay"):
            (top / f"tests/fuzz/{name}.cpp").write_text("")
        with open(top / "CMakeLists.txt", "a") as file:
            for name in ("a", "b"):
                fuzzer = self.script(name, f'echo "$@" > {self.folder}/{name}.calls\n')
                file.write(f"add_custom_target(fuzzer.{name} COMMAND ${{CMAKE_COMMAND}} -E copy {fuzzer} "
                           f"${{CMAKE_BINARY_DIR}}/tests/fuzzer.{name})\n")
        self.assertEqual(self.last_line(top, "long", "--minutes", "1", "--seed", "42"), "7 passed, 0 failed")
        self.assertTrue((self.folder / "mutants.calls").exists())
        for name in ("a", "b"):
            called = (self.folder / f"{name}.calls").read_text()
            self.assertIn("-max_total_time=60 -seed=42", called)
            self.assertTrue(called.strip().endswith(f"tests/fuzz/{name}"))
        self.script("b", "echo found; exit 77\n")
        done = self.run_tests(top, "long", "--minutes", "1", status=1)
        self.assertEqual(done.stdout.splitlines()[-2:], ["not run: b mutants", "5 passed, 1 failed"])


if __name__ == "__main__":
    programs = Path(sys.argv[1]).resolve()
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(globals()[sys.argv[2].title()])
    sys.exit(0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1)
