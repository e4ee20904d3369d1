# SPDX-License-Identifier: BSL-1.0
"""firmware.monitor*: what tools/monitor, tools/trace and tools/log say of one firmware is what it counted itself; over memory,
UART, TCP, and from a recording.

usage: monitor.py host MONITORED                               tests/firmware/monitored.cpp on this host
       monitor.py board MONITORED --emulator WORD...           on an emulated board
"""

import json
import os
import pty
import random
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mailbox as board  # noqa: E402
from listening import wait_for  # noqa: E402
from mailbox import PATIENCE_S, ROOT, WINDOW  # noqa: E402
from firmware import Misfit, Record, connect  # noqa: E402
from firmware import crash, frames, log, mailbox, monitor, profile, program, record  # noqa: E402

SAID = re.compile(r"(\w+): (\d+) runs, (\d+) misses, busy (\d+), late (-?\d+), worst (-?\d+), longest (\d+)")
CLOSED = "the other end of the line has closed it"


class Case(board.Case):
    command = board.Board.board
    is_board = False

    def tool(self, name, *words, status=0, **more):
        result = subprocess.run([sys.executable, "-B", str(ROOT / "tools" / name), *map(str, words)], capture_output=True, text=True,
                                timeout=PATIENCE_S, check=False, stdin=subprocess.DEVNULL, **more)
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        return result.stdout if status == 0 else result.stderr

    def run_to_the_end(self):
        """What the firmware said, and its place: the memory that it left."""
        if "emulator" in board.programs:
            process, place = self.begin(*self.command(None, "memory")), self.folder / "memory"
            place = lambda: f"memory:{self.folder / 'memory'}@{self.offset:#x}"
        else:
            path = self.file()
            process, place = self.begin(board.programs["board"], "memory", path), lambda: f"memory:{path}"
        said, _ = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 7, said)
        return said, place()

    def check_block(self, block, said):
        """The counters of a block, line by line."""
        for name, *numbers in SAID.findall(said):
            runs, misses, busy, late, worst, longest = map(int, numbers)
            found = re.search(rf"^{name} +(\d+) +([\d.]+) % +(-?[\d.]+) ms +(-?[\d.]+) ms +(\d+) +([\d.]+) ms$", block, re.MULTILINE)
            self.assertTrue(found, f"{name} in\n{block}")
            self.assertEqual((int(found[1]), found[3], found[4], int(found[5]), found[6]),
                             (runs, f"{late / runs / 1000:.3f}", f"{worst / 1000:.3f}", misses, f"{longest / 1000:.3f}"))
            self.assertGreater(busy, 0)
        counted = dict((name, int(count)) for count, name in re.findall(r"(\d+) (excitatory|inhibitory)", said))
        self.assertEqual(len(counted), 2)
        for name, count in counted.items():
            self.assertTrue(re.search(rf"^{name} +{count} +[\d.]+ +[\d.]+  [▁▂▃▄▅▆▇█ ]*$", block, re.MULTILINE), block)
        self.assertIn(f"spikes_sent {sum(counted.values())},", block)
        self.assertIn("steps 500,", block)
        self.assertRegex(block, r"(?m)^  keys_unknown \d+: spikes had a key that is not in the table \(the last: 0xbad[\da-f]{2}\)|keys_unknown.*0xbae")
        self.assertRegex(block, r"(?m)^rows +500 ")
        self.assertRegex(block, r"(?m)^packet +500 ")
        self.assertIn("the program before has ended: assertion (4711), pc 0x00001234", block)
        self.assertRegex(block, r"monitored\.cpp:\d+ step 450, \d+ steps late")
        self.assertIn(r"this is a \x1b[31mwarning", block)  # harmless
        self.assertNotIn("\x1b[31m", block)
        for channel in ("log ", "prof", "pro1", "mon ", "crsh"):
            self.assertRegex(block, rf"(?m)^{channel} +\d+ +(\d+ %|-) +0 +0$")

    def total(self, block, channel):
        """Records and missed ones."""
        return sum(map(int, re.search(rf"(?m)^{channel} +(\d+) +(?:\d+ %|-) +(\d+) ", block).groups()))

    def check_tools(self, place, recording):
        """A block, its recording, and what the other tools make of that."""
        elf = board.programs["board"]
        block = self.tool("monitor", place, "--elf", elf, "--once", "--record", recording, env=UTF8)
        again = self.tool("monitor", "--replay", recording, "--elf", elf, "--once", env=UTF8)
        self.assertEqual(block.split(":", 2)[2].partition(" start")[2], again.split(":", 2)[2].partition(" start")[2])
        self.assertEqual(again, self.tool("monitor", f"record:{recording}", "--elf", elf, "--once", env=UTF8))
        return block


UTF8 = {**os.environ, "PYTHONIOENCODING": "utf-8"}


class Everywhere(Case):
    """On the host and on boards."""

    def test_block_and_recording(self):
        said, place = self.run_to_the_end()
        recording = self.folder / "recording"
        block = self.check_tools(place, recording)
        self.check_block(block, said)
        self.assertEqual(self.total(block, "full"), 500)
        lines = self.tool("log", board.programs["board"], f"record:{recording}").splitlines()
        self.assertEqual(len(lines), 14)
        # The clock began 0.7 s before it wrapped, which the host has not seen.
        times = [float(line.split()[0]) for line in lines]
        self.assertEqual(times, sorted(times))
        self.assertAlmostEqual(times[0], 4294.267296, places=6)
        trace, chart = self.folder / "trace", self.folder / "chart"
        table = self.tool("trace", f"record:{recording}", "--perfetto", trace, "--json", chart, "--elf", board.programs["board"])
        for name in ("rows", "neurons", "packet"):
            self.assertRegex(table, rf"Tag: {name}\n(.*\n)*?Samples:500\n")
        self.check_trace(json.loads(chart.read_text()), lines)

    def check_trace(self, trace, lines):
        """Scopes, interrupts and lines are on one time line: a line of a step is behind its scope of neurons and before the next."""
        events = trace["traceEvents"]
        lanes = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
        self.assertEqual(sorted(lanes.values()), ["core", "interrupt 1", "log"])
        said = [event for event in events if event["ph"] == "i"]
        self.assertEqual([event["name"].replace("\x1b", "\\x1b") for event in said], [line.split(None, 3)[3] for line in lines])
        neurons = sorted(event["ts"] + event["dur"] for event in events if event["name"] == "neurons")
        rows = sorted(event["ts"] for event in events if event["name"] == "rows")
        packets = sorted(event["ts"] for event in events if event["name"] == "packet")
        self.assertEqual((len(neurons), len(rows), len(packets)), (500, 500, 500))
        for packet, row, neuron in zip(packets, rows, neurons):
            self.assertTrue(packet <= row < neuron)
        for event in said:
            if step := re.match(r"step (\d+),", event["name"]):
                number = int(step[1])
                self.assertGreaterEqual(event["ts"], neurons[number])
                self.assertLess(event["ts"], rows[number + 1])


class Boards(Case):
    def place_of_line(self, kind):
        if kind == "uart":
            path = self.folder / "uart"
            return f"unix:{path},server=on,wait=off", f"unix:{path}"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        return f"tcp:127.0.0.1:{port},server=on,wait=off", f"tcp:127.0.0.1:{port}"

    def over_line(self, kind, name, *words, **more):
        """What a tool says over a line, and what the firmware does, which begins when the tool asks."""
        line, place = self.place_of_line(kind)
        process = self.begin(*self.command(line, "uart"))
        wait_for(place, process)
        out = self.tool(name, *(place if word == "PLACE" else word for word in words), **more)
        said, _ = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, 7, said)
        return out, said

    def test_monitor_over_uart(self):
        recording, elf = self.folder / "recording", board.programs["board"]
        block, said = self.over_line("uart", "monitor", "PLACE", "--elf", elf, "--interval", "100", "--record", recording, env=UTF8)
        self.check_block(block, said)
        again = self.tool("monitor", "--replay", recording, "--elf", elf, "--once", env=UTF8)
        self.assertEqual(block.partition(" start")[2], again.partition(" start")[2])

    def test_monitor_over_tcp(self):
        block, said = self.over_line("tcp", "monitor", "PLACE", "--elf", board.programs["board"], "--interval", "100", env=UTF8)
        self.check_block(block, said)

    def test_log_over_uart(self):
        out, _ = self.over_line("uart", "log", board.programs["board"], "PLACE")
        self.assertEqual(len(out.splitlines()), 15)
        self.assertEqual(out.splitlines()[-1], f"-- {CLOSED}")
        self.assertRegex(out.splitlines()[0], r"^ +4294\.267296 error +\S*monitored\.cpp:\d+ has begun, 100 neurons$")

    def test_trace_over_lines(self):
        for kind in ("uart", "tcp"):
            chart = self.folder / "chart"
            out, _ = self.over_line(kind, "trace", "PLACE", "--seconds", "50", "--json", chart, "--elf", board.programs["board"])
            self.assertEqual(len(re.findall("(?m)^Samples:500$", out)), 3)
            events = json.loads(chart.read_text())["traceEvents"]
            self.assertEqual(sum(event["ph"] == "i" for event in events), 14)


class Host(Case):
    """What needs no board."""

    def lines_of_terminal(self, *words, rows=40, columns=100, until=b"channel ", act=lambda terminal: None, then=b""):
        """What a tool writes to a pseudo terminal until Ctrl-C, which comes after `until`, the act and `then`; its status."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        set_size(slave, rows, columns)
        process = subprocess.Popen([sys.executable, "-B", *map(str, words)], stdin=slave, stdout=slave, stderr=slave, env=UTF8,
                                   start_new_session=True, preexec_fn=lambda: __import__("fcntl").ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.processes.append(process)
        seen, acted_at, is_over, give_up = b"", None, False, time.monotonic() + PATIENCE_S
        while time.monotonic() < give_up:
            if select.select([master], [], [], 0.1)[0]:
                try:
                    data = os.read(master, 65536)
                except OSError:
                    break
                seen += data
            if acted_at is None and until in seen:
                acted_at = len(seen)
                act(master)
            if acted_at is not None and not is_over and then in seen[acted_at:]:
                is_over = True
                os.write(master, b"\x03")
            if process.poll() is not None and not select.select([master], [], [], 0)[0]:
                break
        return seen.decode(), process.wait(PATIENCE_S)

    def test_terminal(self):
        _, place = self.run_to_the_end()
        elf = board.programs["board"]
        seen, status = self.lines_of_terminal(ROOT / "tools/monitor", place, "--elf", elf, "--interval", "0.1",
                                              act=lambda terminal: set_size(terminal, 10, 30), then=b"lines more")
        self.assertEqual(status, 0)
        self.assertNotIn("Traceback", seen)
        self.assertIn("\033[33m", seen)  # coloured
        self.assertTrue(seen.rstrip().endswith("\033[J"), seen[-200:])
        self.assertGreater(seen.rfind("\033[?25h"), seen.rfind("\033[?25l"))  # the cursor is there again
        pictures = seen.split("\033[H")[1:]
        self.assertRegex(pictures[-2], r"\.\.\. \d+ lines more")
        for line in pictures[-2].split("\r\n")[:-1]:
            self.assertLessEqual(len(re.sub(r"\033\[[\d;?]*[A-Za-z]", "", line).strip("\r^C")), 30)
        self.assertLessEqual(pictures[-2].count("\n"), 10)

    def test_follow_on_a_terminal(self):
        _, place = self.run_to_the_end()
        seen, status = self.lines_of_terminal(ROOT / "tools/trace", place, "--follow", until=b"Tag: neurons")
        self.assertEqual(status, 0)
        self.assertNotIn("Traceback", seen)
        self.assertIn("\033[H\033[J", seen)
        self.assertEqual(len(re.findall("Samples:500", seen.split("\033[J")[-1].split("^C")[-1])), 3)

    def test_follow_elsewhere(self):
        _, place = self.run_to_the_end()
        out = self.tool("trace", place, "--follow", "--seconds", "1.2")
        self.assertNotIn("\033", out)
        self.assertGreater(out.count("Tag: rows"), 2)

    def test_nobody_reads_on(self):
        """`tool | head` ends without a word."""
        _, place = self.run_to_the_end()
        recording, elf = self.folder / "recording", board.programs["board"]
        self.tool("monitor", place, "--elf", elf, "--once", "--record", recording)
        for words in (["log", elf, f"record:{recording}"], ["trace", f"record:{recording}"], ["trace", place, "--follow"],
                      ["monitor", place, "--elf", elf, "--interval", "0.05"], ["monitor", "--replay", recording, "--once"],
                      ["monitor", "--help"], ["log", "--help"], ["crash", "--help"], ["trace", "--help"]):
            with self.subTest(words=words):
                process = subprocess.Popen([sys.executable, "-B", str(ROOT / "tools" / words[0]), *map(str, words[1:])],
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.processes.append(process)
                process.stdout.close()
                process.stdout = None
                self.assertEqual(process.communicate(timeout=PATIENCE_S)[1], "")
                self.assertEqual(process.returncode, 0)

    def test_blocks(self):
        """Without a terminal a block for each interval; Ctrl-C ends it well."""
        _, place = self.run_to_the_end()
        process = subprocess.Popen([sys.executable, "-B", str(ROOT / "tools/monitor"), place, "--interval", "0.2"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=UTF8)
        self.processes.append(process)
        seen = ""
        while seen.count("\n\nmemory:") < 4:
            seen += (line := process.stdout.readline())
            self.assertNotEqual(line, "")
        process.send_signal(signal.SIGINT)
        out = seen + process.stdout.read()  # communicate() would lose what readline() has read ahead
        self.assertEqual((process.wait(PATIENCE_S), process.stderr.read()), (0, ""))
        self.assertNotIn("\033", out)
        blocks = out.split("\n\n")
        self.assertGreater(len(blocks), 3)
        for block in blocks:
            self.assertTrue(block.startswith("memory:"), out)
        self.assertIn("18 records of log: --elf FILE prints its lines", blocks[-1])

    def test_speed(self):
        """A replay takes as long as the recording, divided by the speed, and shows a block for each interval of it."""
        recording = self.folder / "recording"
        _, place = self.run_to_the_end()
        with connect(place) as box:
            recorder = record.Recorder(box, recording)
            for number in range(21):
                recorder.take(3, Record(monitor.REPORT, number, (number * 1000, 0)))
                recorder.note(number / 10)
            recorder.close()
        began = time.monotonic()
        out = self.tool("monitor", "--replay", recording, "--interval", "0.5", "--speed", "2", env=UTF8)
        self.assertTrue(0.95 < time.monotonic() - began < 10)
        heads = re.findall(r"image 0x[\da-f]+, ([\d.]+) s", out)
        self.assertEqual([float(head) for head in heads], [0.005, 0.01, 0.015, 0.02])

    def test_recordings(self):
        """One that is cut anywhere, one of which a byte is another, and what is none: a sentence."""
        _, place = self.run_to_the_end()
        recording, cut = self.folder / "recording", self.folder / "cut"
        with connect(place) as box:
            recorder = record.Recorder(box, recording)
            for name in ("log ", "mon "):
                for number, one in enumerate(list(box[name].records())[:40]):
                    recorder.take(0 if name == "log " else 3, one)
                    if number % 9 == 0:
                        recorder.note(number / 100)
            recorder.note(2)
            recorder.close()
        whole = recording.read_bytes()
        draw = random.Random(1)

        def read(data):
            cut.write_bytes(data)
            count = 0
            with connect(f"record:{cut}") as box:
                while box.poll():
                    count += sum(len(list(channel.records())) for channel in box.channels)
            return count

        self.assertEqual(read(whole), 58)
        for size in range(len(whole)):
            with self.assertRaises(Misfit) as caught:
                read(whole[:size])
            self.assertRegex(str(caught.exception), f"^{cut} (is no recording of a mailbox|is cut off: it (has no end|ends before the "
                                                    "layout of its mailbox))$")
        for at in draw.sample(range(len(record.HEAD), len(whole)), 500):
            data = bytearray(whole)
            data[at] ^= 1 << draw.randrange(8)
            with self.assertRaises(Misfit) as caught:
                read(data)
            self.assertRegex(str(caught.exception), f"^{cut} is (damaged: it is not what was recorded|cut off: .*)$")
        for foreign in (b"", b"text\n", b"\0" * 100, Path(__file__).read_bytes()):
            with self.assertRaisesRegex(Misfit, f"^{cut} is no recording of a mailbox$"):
                read(foreign)
        cut.write_bytes(whole[:-20])
        for words, said in ((["monitor", "--replay", cut, "--once"], "monitor: "), (["log", board.programs["board"], f"record:{cut}"], "log: "),
                            (["trace", f"record:{cut}"], "trace: ")):
            self.assertEqual(self.tool(*words, status=1), f"{said}{cut} is cut off: it has no end\n")
        for words, said in ((["monitor", "--replay", self.folder / "none"], "cannot reach record:.*No such file"),
                            (["monitor", place, "--record", self.folder], "Is a directory"),
                            (["monitor", place, "--elf", __file__], "is no ELF file"), (["monitor", place, "--elf", "/bin/true"], "neuromorph.log")):
            self.assertRegex(self.tool(*words, status=1), f"^monitor: .*{said}.*\n$")
        self.assertIn("a place or --replay FILE is wanted", self.tool("monitor", status=2))
        self.assertIn("is not from 0.01 to 1e6", self.tool("monitor", place, "--speed", "nan", status=2))

    def test_names_of_counters(self):
        """The tool's names are the members of Provenance, in their order."""
        text = (ROOT / "include/neuromorph/core/provenance.hpp").read_text()
        body = re.sub(r"///.*", "", text[text.index("struct Provenance {"):text.index("friend")])
        members = []
        for declaration in re.findall(r"(?:std::uint32_t|std::array<std::uint32_t, 8>)\s+([^;]+);", body):
            for name in re.findall(r"(\w+)\s*(?:=|\{)", declaration):
                members += [f"{name} {task}" for task in range(8)] if name == "over_budget" else [name]
        self.assertEqual(list(monitor.PROVENANCE), members)
        text = (ROOT / "include/neuromorph/sched/executive_tasks.hpp").read_text()
        body = re.sub(r"///.*", "", text[text.index("enum class ExecutiveTask"):])
        self.assertEqual(monitor.TASKS, tuple(re.findall(r"\w+", body[body.index("{"):body.index("}")])))

    def test_firmware_that_starts_again(self):
        """A view goes on with the program that has started, and says so."""
        path = self.file()
        self.begin(board.programs["board"], "memory", path).communicate(timeout=PATIENCE_S)
        with connect(f"memory:{path}") as box:
            view = monitor.View(box)
            self.assertGreater(view.poll(), 1000)
            self.begin(board.programs["board"], "memory", path).communicate(timeout=PATIENCE_S)
            self.assertGreater(view.poll(), 1000)
            lines = [line for _, line in view.lines()]
            self.assertIn("start 2 of", lines[0])
            self.assertEqual(lines[1], "the firmware has started again 1 time")

    def test_executive(self):
        """Of an executive: what a report has is shown, shares are those between two reports."""
        box = FakeBox(1000)
        view = monitor.View(box)
        for number in range(2):
            box.put(Record(monitor.EXECUTIVE, 0, (10 + number, 2, 1, 3, 0)))
            for task in range(8):
                box.put(Record(monitor.TASK, task, (5 * (task != 1), task, 7, 9, 100 * number * task, 0)))
            box.put(Record(monitor.CORE, 0, tuple(range(15))))
            box.put(Record(monitor.CORE, 36, (0, 4, 17)))
            box.put(Record(monitor.REPORT, number, (1000 + 1000 * number, 1)))
        view.poll()
        text = "\n".join(line for _, line in view.lines())
        self.assertIn("executive   steps 11, overruns 2, left_out 1, furthest_behind 3, due 0", text)
        self.assertRegex(text, r"(?m)^write_back +5 +30.0 % +7.000 ms +9.000 ms +3$")
        self.assertNotRegex(text, "(?m)^feed_dma")
        self.assertIn(f"over_budget {7} 4: steps in which task {7} was over its budget", text)
        self.assertIn("counter 38 17", text)
        self.assertIn("spikes_dropped 9: spikes found the queue full", text)


class FakeBox(mailbox.Mailbox):
    """A mailbox whose one channel gives what is put into it."""

    def __init__(self, ticks_per_second, name="mon "):
        super().__init__()
        self.ticks_per_second = ticks_per_second
        self.channels = [frames.LineChannel(self, 0, mailbox.Description(name, False, 16, 64, False, 15))]

    def put(self, one):
        self.channels[0].come.append(one)


class Ends(unittest.TestCase):
    """A line that is closed: everything that came before is there, whichever channel was read when it came."""

    NAMES = ("log ", "prof", "pro1", "mon ")

    def test_nothing_is_lost(self):
        draw = random.Random(3)
        head, size = frames.HEAD_WORDS + 8 * len(self.NAMES), 8 + 64 + 15
        layout = [mailbox.MAGIC, 1, 4 * (head + len(self.NAMES) * size), len(self.NAMES), 1, 1000, 0, mailbox.MAGIC]
        for number, name in enumerate(self.NAMES):
            layout += [int.from_bytes(name.encode(), "little"), 0, head + number * size, 64, 0, 15, 0, 0]
        for _ in range(300):
            sent = [(draw.randrange(len(self.NAMES)), Record(1, 0, (index,))) for index in range(draw.randrange(60))]
            stream = b"\0" + frames.frame_of(255, 0, 0, layout) + b"".join(
                frames.frame_of(channel, 0, index + 1, one.packed()) for index, (channel, one) in enumerate(sent))
            names, found, ended = draw.sample(self.NAMES, len(self.NAMES)), [], None
            with frames.LineMailbox(FakeLine(stream, draw, closes=True)) as box:
                while not ended:
                    records, ended = program.taken(box, names)
                    found += records
            self.assertIsInstance(ended, mailbox.Closed)
            for channel, name in enumerate(self.NAMES):
                self.assertEqual([one for of, one in found if of == name], [one for of, one in sent if of == channel])

    def test_profile(self):
        """Each lane's scopes count, also those that came with the end."""
        box, profiled = FakeBox(1000, "prof"), profile.Profile(1000)
        box.channels.append(frames.LineChannel(box, 1, mailbox.Description("pro1", False, 16, 64, False, 15)))
        for channel in box.channels:
            channel.come.append(Record(profile.SCOPE, 0, (3, 10)))

        def close():
            raise mailbox.Closed(CLOSED)
        box.poll = close
        with self.assertRaises(mailbox.Closed):
            profiled.poll(box)
        self.assertEqual([of.count for of in profiled.statistics.values()], [1, 1])


class Battery(unittest.TestCase):
    """Random and changed bytes and records, as whoever writes into the memory or the line may leave them: nothing but Misfit comes."""

    def setUp(self):
        self.draw = random.Random(17)
        description = [int.from_bytes(b"log ", "little"), 0, 24, 64, 0, 15, 0, 0]
        other = [int.from_bytes(b"mon ", "little"), 0, 24 + 8 + 64 + 15, 64, 1, 15, 0, 0]
        size = 24 + 2 * (8 + 64 + 15)
        self.words = [mailbox.MAGIC, 1, size * 4, 2, 1, 1000, 0, mailbox.MAGIC, *description, *other] + [0] * (size - 24)

    def any_record(self):
        count = self.draw.randrange(16)
        words = tuple(self.draw.choice((0, 1, 0xFFFFFFFF, self.draw.getrandbits(32))) for _ in range(count))
        return Record(self.draw.randrange(12) if self.draw.random() < 0.9 else self.draw.getrandbits(8),
                      self.draw.choice((0, 1, 2, self.draw.getrandbits(16))), words)

    def use(self, box):
        view = monitor.View(box, TextDecoder())
        for _ in range(3):
            try:
                view.poll()
            finally:
                view.lines()

    def test_memory(self):
        right = 0
        for _ in range(3000):
            words = list(self.words)
            for place in (24, 24 + 8 + 64 + 15):
                begin, waiting = self.draw.getrandbits(32), self.draw.randrange(64)
                words[place], words[place + 4], words[place + 1] = begin + waiting & 0xFFFFFFFF, begin, begin
                for at in range(64 + 15):
                    words[place + 8 + at] = self.draw.choice((0x201, 0x904, 0, self.draw.getrandbits(16), self.draw.getrandbits(32)))
            for _ in range(self.draw.randrange(3)):
                words[self.draw.randrange(len(words))] = self.draw.choice((0, 1, self.draw.getrandbits(8), self.draw.getrandbits(32)))
            data = bytearray(struct.pack(f"<{len(words)}I", *words))
            del data[self.draw.choice((len(data), len(data), self.draw.randrange(len(data)))):]
            try:
                with mailbox.MemoryMailbox(data) as box:
                    self.use(box)
                right += 1
            except Misfit:
                pass
        self.assertGreater(right, 500)

    def test_line(self):
        right = 0
        for _ in range(600):
            stream = bytearray(b"\0")
            layout = list(self.words[:24])
            if self.draw.random() < 0.3:
                layout[self.draw.randrange(24)] = self.draw.getrandbits(self.draw.choice((4, 32)))
            if self.draw.random() < 0.2:
                del layout[self.draw.randrange(24):]
            for number in range(20):
                words = layout if number == 0 else self.any_record().packed()
                if self.draw.random() < 0.1:
                    words = [self.draw.getrandbits(32) for _ in range(self.draw.randrange(40))]
                stream += frames.frame_of(255 if number == 0 or self.draw.random() < 0.05 else self.draw.randrange(3),
                                          self.draw.getrandbits(8), number, words)
            for _ in range(self.draw.choice((0, 0, 1, 5))):
                stream[self.draw.randrange(len(stream))] = self.draw.getrandbits(8)
            try:
                self.use(frames.LineMailbox(FakeLine(bytes(stream), self.draw), patience_s=0.01))
                right += 1
            except Misfit:
                pass
        self.assertGreater(right, 100)

    def test_records(self):
        """Of each decoder, with records of its kinds and any words."""
        for _ in range(300):
            lane = profile.Profile(self.draw.choice((0, 1000)), keep=True)
            collector = crash.Collector()
            box = FakeBox(self.draw.choice((0, 1, 1000000)))
            for _ in range(40):
                one = self.any_record()
                lane.feed([(self.draw.choice(("prof", "pro1")), one)])
                box.put(one)
                words = collector.take(one)
                if words is not None:
                    with self.assertRaises(crash.NoReport):
                        crash.report_of(words)
            lane.table(), lane.perfetto(), lane.json()
            self.use(box)

    def test_reports_of_crashes(self):
        """Words that pass the CRC, with anything in them, are a report or a sentence."""
        for _ in range(2000):
            count = self.draw.randrange(28, 60)
            words = [self.draw.choice((0, 1, 5, self.draw.getrandbits(32))) for _ in range(count)]
            words[:3] = crash.MAGIC, crash.VERSION, count
            words[-1] = frames.zlib.crc32(struct.pack(f"<{count - 1}I", *words[:-1]))
            try:
                crash.report_of(words).says
            except crash.NoReport:
                pass


class TextDecoder:
    """A program that has a text for even tokens."""

    def check(self, image):
        pass

    def line(self, one):
        if one.kind != log.LINE or one.token % 2 or not one.words:
            raise log.NoLog("a record is no line")
        return log.Line("info", one.words[0], "a.cpp", 1, "text\0\n\u2028")


class FakeLine:
    def __init__(self, data, draw, closes=False):
        self._data, self._draw, self._closes = data, draw, closes

    def receive(self):
        if self._closes and not self._data:
            raise mailbox.Closed(CLOSED)
        size = self._draw.randrange(1, 200) if not self._closes or self._draw.randrange(2) else 0
        data, self._data = self._data[:size], self._data[size:]
        return data

    def send(self, data):
        pass

    def close(self):
        pass


def set_size(terminal, rows, columns):
    __import__("fcntl").ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))


def main():
    kind, program, *rest = sys.argv[1:]
    board.programs["board"] = program
    if kind == "board":
        board.programs["emulator"] = " ".join(rest[1:]).split()
    cases = (Everywhere, Boards) if kind == "board" else (Everywhere, Host, Ends, Battery)
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in cases)
    sys.exit(not unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful())


if __name__ == "__main__":
    main()
