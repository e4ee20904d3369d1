# SPDX-License-Identifier: BSL-1.0
"""firmware.mailbox*: the mailbox from the host's side, in Python, with firmware in C++ at the other end.

usage: mailbox.py host ECHO CHIP                                          programs of this host, over a file
       mailbox.py board memory|uart|tcp|chip PROGRAM --emulator WORD...   an emulated board
       mailbox.py swapped PROGRAM --emulator WORD...                      a Linux program of the other byte order
       mailbox.py measure FILE PROGRAM --emulator WORD...                 figures of it, in Google Benchmark's form
"""

import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from firmware import Misfit, Record, connect  # noqa: E402
from firmware import frames, mailbox  # noqa: E402

ECHO, BURST, STOP, RESTART, ANSWER, REFUSED = range(1, 7)  # of tests/firmware/echo.cpp
WINDOW = 1 << 16
# Memory that the emulator takes from a file, and where in it the window of tests/firmware/window.hpp is.
MEMORY = {"versatilepb": ("128M", 0x06000000), "mps2-an386": ("16M", 0x800000), "mps3-an547": ("2G", 0x800000)}
PATIENCE_S = 60
programs = {}


class Case(unittest.TestCase):
    def setUp(self):
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        folder = tempfile.TemporaryDirectory(dir=base, prefix="neuromorph-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.processes = []
        self.addCleanup(self.end)

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def begin(self, *command):
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, text=True)
        self.processes.append(process)
        return process

    def file(self, size=WINDOW, contents=b""):
        path = self.folder / "memory"
        path.write_bytes(contents)
        os.truncate(path, size)
        return path

    def reached(self, place):
        """The mailbox there, as soon as its firmware has started."""
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                box = connect(place)
                self.addCleanup(box.close)
                return box
            except Misfit as misfit:
                if time.monotonic() > until:
                    raise
                self.last_misfit = misfit
            for process in self.processes:
                if process.poll() is not None:
                    self.fail(f"the firmware has ended: {process.communicate()[0]}")
            time.sleep(0.01)

    def next_of(self, box, channel):
        until = time.monotonic() + PATIENCE_S
        while (record := box[channel].read()) is None:
            if time.monotonic() > until:
                self.fail(f"nothing comes on channel {channel}")
            os.sched_yield()
        return record

    def write(self, box, channel, record):
        until = time.monotonic() + PATIENCE_S
        while not box[channel].write(record):
            if time.monotonic() > until:
                self.fail(f"no room on channel {channel}")
            os.sched_yield()

    def stop(self, box, status=7):
        """Tells the firmware to end, with a status that it gives back."""
        self.write(box, "in< ", Record(STOP, 0, (status,)))
        self.assertEqual(self.processes[0].wait(PATIENCE_S), status)

    def check_echo(self, box, rounds, seed=1):
        draw = random.Random(seed)
        waiting, answers = [], 0
        for _ in range(rounds):
            for _ in range(draw.randrange(6)):  # several before any answer is looked at
                words = tuple(draw.getrandbits(32) if draw.random() < 0.5 else 0 for _ in range(draw.randrange(32)))
                waiting.append(Record(ECHO, draw.getrandbits(16), words))
                self.write(box, "in< ", waiting[-1])
            for _ in range(draw.randrange(len(waiting) + 1)):
                sent = waiting.pop(0)
                self.assertEqual(self.next_of(box, "out>"), Record(ANSWER, sent.token, sent.words))
                answers += 1
        for sent in waiting:
            self.assertEqual(self.next_of(box, "out>"), Record(ANSWER, sent.token, sent.words))
        return answers + len(waiting)

    def check_burst(self, box, records, patient):
        """All of a burst in order; where it does not wait, what is missing is what was refused."""
        before = box["out>"].missed
        self.write(box, "in< ", Record(BURST, 0, (records, int(patient))))
        got, last = 0, -1
        while (record := self.next_of(box, "out>")).kind == ANSWER:
            number = record.words[0]
            self.assertGreater(number, last)
            self.assertEqual(record, Record(ANSWER, number & 0xFFFF, (number, ~number & 0xFFFFFFFF,
                                                                      number * number & 0xFFFFFFFF)))
            got, last = got + 1, number
        self.assertEqual(record.kind, REFUSED)
        if isinstance(box["out>"], mailbox.MemoryChannel):
            self.assertEqual(got + box["out>"].missed - before, records)
            self.assertEqual(box["out>"].damaged, 0)
        if patient:
            self.assertEqual(got, records)
        return got


class Host(Case):
    """The C++ of the firmware and the Python of the tools agree, here over a file that both map."""

    def echo(self):
        path = self.file()
        self.begin(programs["echo"], "memory", path)
        return path, self.reached(f"memory:{path}")

    def test_echo(self):
        _, box = self.echo()
        self.assertEqual((box.starts, box.ticks_per_second, box.image), (1, 1_000_000, 0xEC40))
        self.assertEqual([channel.name for channel in box.channels], ["in< ", "out>", "last"])
        self.check_echo(box, 300)
        self.check_burst(box, 2000, patient=True)
        self.check_burst(box, 3000, patient=False)
        self.stop(box)

    def test_oldest_gives_way(self):
        _, box = self.echo()
        for number in range(50):
            self.write(box, "in< ", Record(ECHO, number, (number,) * 3))
            self.next_of(box, "out>")
        last = list(box["last"].records())
        self.assertEqual([record.token for record in last], list(range(34, 50)))  # 16 of 4 words
        self.assertEqual(box["last"].missed, 34)
        self.write(box, "in< ", Record(ECHO, 99, ()))
        self.next_of(box, "out>")
        self.assertEqual([record.token for record in box["last"].records()], [99])
        self.assertEqual((box["last"].missed, box["last"].damaged), (34, 0))
        self.stop(box)

    def test_reader_comes_late_and_again(self):
        path, box = self.echo()
        for number in range(20):
            self.write(box, "in< ", Record(ECHO, number, ()))
        for number in range(5):
            self.assertEqual(self.next_of(box, "out>").token, number)
        box.close()
        with connect(f"memory:{path}") as again:
            for number in range(5, 20):
                self.assertEqual(self.next_of(again, "out>").token, number)
            self.stop(again)

    def test_restart(self):
        _, box = self.echo()
        self.write(box, "in< ", Record(ECHO, 5, (1, 2, 3)))
        self.write(box, "in< ", Record(RESTART, 0, (0xBEEF,)))
        until = time.monotonic() + PATIENCE_S
        while not box.has_restarted and time.monotonic() < until:
            os.sched_yield()
        while True:
            try:
                box.attach()
                break
            except Misfit as misfit:
                self.assertIn("is not ready", str(misfit))
        self.assertEqual((box.starts, box.image), (2, 0xBEEF))
        self.assertEqual(self.next_of(box, "out>"), Record(ANSWER, 5, (1, 2, 3)))  # waited through it
        self.stop(box)

    def test_misuse(self):
        _, box = self.echo()
        for wrong, sentence in ((lambda: box["none"], "the mailbox has no channel 'none'; it has 'in< ', 'out>', 'last'"),
                                (lambda: box["in< "].read(), "channel 'in< ' is to the target"),
                                (lambda: box["out>"].write(Record(1, 1, ())), "channel 'out>' is to the host"),
                                (lambda: box["in< "].write(Record(1, 1, (0,) * 32)),
                                 "a record of channel 'in< ' has at most 31 words, not 32")):
            with self.assertRaises((ValueError, KeyError)) as caught:
                wrong()
            self.assertEqual(caught.exception.args[0], sentence)
        self.stop(box)

    # Each sentence as tests/unit/firmware/mailbox.cpp has it: both sides say the same.
    def test_sentences(self):
        _, box = self.echo()
        self.stop(box, 0)
        box.close()
        path = self.folder / "memory"
        good, fits = path.read_bytes(), "the mailbox is not ready: the firmware has not started it yet"
        size = int.from_bytes(good[8:12], "little")
        said = set()
        for at, value, sentence in (
                (0, 0, fits), (7, 0, fits),
                (0, 77, "there is no mailbox at this place: its first word is another"),
                (1, 2, "the mailbox has layout version 2, this program knows version 1"),
                (2, WINDOW + 4, f"the mailbox has {WINDOW + 4} bytes, the window that shows it {WINDOW}"),
                (2, 773, f"the mailbox has 773 bytes, the window that shows it {WINDOW}"),
                (3, 65, "the mailbox says that it has 65 channels, and has room for 64"),
                (17, 2, "channel 1: its direction is 2, not 0 or 1"),
                (20, 9, "channel 1: what it does when it is full is 9, not 0 or 1"),
                (27, 48, "channel 2: its ring has 48 words, which is no power of two"),
                (29, 64, "channel 2: its longest record has 64 words behind its head, more than 63"),
                (10, 31, "channel 0: it begins at word 31, in what is not its own or outside of the mailbox"),
                (26, 0xFFFFFFF0, "channel 2: it begins at word 4294967280, in what is not its own or outside of the mailbox"),
                (24, int.from_bytes(b"in< ", "little"), "channel 2: it has the name of channel 0")):
            path.write_bytes(good[:at * 4] + value.to_bytes(4, "little") + good[at * 4 + 4:])
            with self.assertRaises(Misfit) as caught:
                connect(f"memory:{path}")
            self.assertEqual(str(caught.exception), sentence)
            said.add(re.sub(r"\d+", "#", sentence))
        path.write_bytes(good[:20])
        with self.assertRaisesRegex(Misfit, "^a window of 5 words cannot hold a mailbox, whose head has 8$"):
            connect(f"memory:{path}")
        path.write_bytes(good)
        with self.assertRaisesRegex(Misfit, f"^{path} has {WINDOW} bytes: no mailbox begins at 0x10000$"):
            connect(f"memory:{path}@{WINDOW}")
        self.assertLess(size, WINDOW)
        test = re.sub(r"\d+", "#", (ROOT / "tests/unit/firmware/mailbox.cpp").read_text())
        for sentence in said:
            self.assertIn(f'"{sentence}"', test)

    def test_places(self):
        for place, sentence in (("memory:", "'memory:' is no place of a mailbox; there are memory:FILE[@OFFSET], "
                                            "unix:SOCKET, tcp:HOST:PORT, record:FILE"),
                                ("memory:/dev/null@x", "'x' in 'memory:/dev/null@x' is no number"),
                                ("memory:/nowhere/at/all", "cannot reach memory:/nowhere/at/all: No such file or directory"),
                                ("unix:/nowhere", "cannot reach unix:/nowhere: No such file or directory")):
            with self.assertRaises(Misfit) as caught:
                connect(place)
            self.assertEqual(str(caught.exception), sentence)

    def test_other_byte_order(self):
        _, box = self.echo()
        self.write(box, "in< ", Record(ECHO, 3, (1, 2)))
        while box["out>"].waiting == 0:
            os.sched_yield()
        self.stop(box, 0)
        box.close()
        path = self.folder / "memory"
        words = path.read_bytes()
        path.write_bytes(b"".join(words[at:at + 4][::-1] for at in range(0, len(words), 4)))
        with connect(f"memory:{path}") as swapped:
            self.assertEqual(swapped["out>"].read(), Record(ANSWER, 3, (1, 2)))
            self.assertTrue(swapped["in< "].write(Record(ECHO, 4, (7,))))
        self.assertIn(bytes([0, 4, 1, ECHO, 0, 0, 0, 7]), path.read_bytes())

    def test_nothing_in_a_ring_leads_outside(self):
        _, box = self.echo()
        self.stop(box, 0)
        box.close()
        path, draw = self.folder / "memory", random.Random(3)
        good = path.read_bytes()
        for _ in range(2000):
            data = bytearray(good)
            for _ in range(draw.randrange(1, 5)):
                at = draw.randrange(8 + 24, int.from_bytes(good[8:12], "little") // 4) if draw.random() < 0.3 else \
                    draw.choice([32, 32 + 8 + 256 + 31, 32 + 2 * (8 + 31) + 256 + 1024]) + draw.randrange(9)
                data[at * 4:at * 4 + 4] = draw.getrandbits(32 if draw.random() < 0.5 else 8).to_bytes(4, "little")
            path.write_bytes(data)
            with connect(f"memory:{path}") as mad:
                for channel in ("out>", "last"):
                    for record, _ in zip(mad[channel].records(), range(3000)):
                        self.assertLessEqual(len(record.words), 31)
                mad["in< "].write(Record(1, 1, (1,) * 31))
            # Nothing but the ring of the channel to the target and words of channels has changed.
            after = path.read_bytes()
            self.assertEqual(after[:128], bytes(data[:128]))
            self.assertEqual(after[32 * 4 + (8 + 256 + 31 + 8) * 4:][:(1024 + 31) * 4],
                             bytes(data[32 * 4 + (8 + 256 + 31 + 8) * 4:][:(1024 + 31) * 4]))

    def test_chip(self):
        check_chip(self, [[programs["chip"], number, self.file(2 * WINDOW)] for number in (0, 1)])


class Frames(unittest.TestCase):
    """Frames in Python, against what is known of them."""

    def test_bytes(self):
        # Of tests/unit/firmware/frames.cpp's plain encoder, by hand: a head of zeros, no words, its CRC.
        self.assertEqual(frames.frame_of(0, 0, 0, []), bytes([1, 1, 1, 1, 5, 0x1C, 0xDF, 0x44, 0x21, 0]))
        for length in (0, 1, 253, 254, 255, 508, 509, 600):
            for data in (b"\1" * length, b"\0" * length, bytes(range(256)) * 3):
                coded = frames.stuff(data[:length])
                self.assertNotIn(0, coded)
                self.assertEqual(frames.unstuff(coded), data[:length])

    def test_damage(self):
        draw = random.Random(2)
        good = frames.frame_of(3, 4, 5, [draw.getrandbits(32) & 0xFF00FFFF for _ in range(20)])
        self.assertEqual([frame[:2] for frame in frames.FrameReader().take(good)], [(3, 4)])
        for bit in range((len(good) - 1) * 8):
            bad = bytearray(good)
            bad[bit // 8] ^= 1 << bit % 8
            self.assertEqual(list(frames.FrameReader().take(bytes(bad))), [])

    def test_resynchronises(self):
        draw = random.Random(4)
        for _ in range(200):
            reader, got, expected, damaged = frames.FrameReader(), [], [], 0
            stream, first = b"", None
            for number in range(30):
                frame = frames.frame_of(1, 0, number + 65520, [number])
                hurt = draw.random()
                if hurt < 0.2:
                    frame = frame[:2] + b"\x99" + frame[2:]
                    damaged += 1 if stream else 0
                elif hurt < 0.3:
                    frame = b""
                else:
                    expected.append(number)
                    first = number if first is None else first
                stream += frame
            while stream:
                part = draw.randrange(1, 40)
                got += [words[0] for _, _, words in reader.take(stream[:part])]
                stream = stream[part:]
            self.assertEqual(got, expected)
            self.assertEqual(reader.damaged, damaged)
            self.assertEqual(reader.lost, expected[-1] - first + 1 - len(expected))

    def test_begins_anew(self):
        """A firmware that is reset counts frames and what is missed from 0; nothing of it is taken for lost."""
        layout = [mailbox.MAGIC, 1, 4 * (16 + 8 + 16 + 3), 1, 1, 1000, 5, mailbox.MAGIC,
                  int.from_bytes(b"log ", "little"), 0, 16, 16, 0, 3, 0, 0]

        class Line:
            come = b""

            def receive(self):
                data, self.come = self.come, b""
                return data

            def send(self, data):
                pass

            def close(self):
                pass

        line = Line()
        record = Record(1, 2, (3,))
        # What comes before the layout is kept for it; 2 were missed until the first of these.
        line.come = b"\0" + frames.frame_of(0, 2, 7, record.packed()) + frames.frame_of(255, 0, 8, layout)
        box = frames.LineMailbox(line)
        self.assertEqual((list(box["log "].records()), box["log "].missed, box.lost), ([record], 2, 0))
        line.come = frames.frame_of(0, 6, 10, record.packed())
        self.assertEqual((list(box["log "].records()), box["log "].missed, box.lost), ([record], 6, 1))
        again = list(layout)
        again[4] = 2
        line.come = frames.frame_of(255, 0, 0, again) + frames.frame_of(0, 3, 1, record.packed())
        self.assertEqual((list(box["log "].records()), box["log "].missed, box.lost), ([record], 9, 1))
        self.assertTrue(box.has_restarted)
        box.attach()
        self.assertFalse(box.has_restarted)

    def test_no_answer(self):
        ours, theirs = socket.socketpair()
        from firmware.transport import Line
        with self.assertRaisesRegex(Misfit, "^no mailbox has answered on the line within 0.3 s$"):
            frames.LineMailbox(Line(ours), patience_s=0.3)
        theirs.close()


def check_chip(case, commands):
    """Two cores say the digests that one process says."""
    wanted = subprocess.run([programs["chip"]], capture_output=True, text=True, check=True).stdout if \
        programs.get("chip") and not programs.get("emulator") else CHIP
    case.assertEqual(wanted, CHIP)
    cores = [case.begin(*command) for command in commands]
    said = "".join(core.communicate(timeout=PATIENCE_S)[0] for core in cores)
    case.assertEqual(said, wanted)
    case.assertEqual([core.returncode for core in cores], [0, 0])


# Of `chip` in one process on a host, without mailboxes.
CHIP = """core 0: 4295 spikes, digest b49af09095176277
core 1: 3091 spikes, digest 1de349ee211d1b47
"""


class Board(Case):
    def board(self, line=None, *words, program=None):
        """An emulator's command with the memory in a file, and how the host reaches the mailbox."""
        emulator = programs["emulator"]
        machine = emulator[emulator.index("-M") + 1]
        size, self.offset = MEMORY[machine]
        path = self.folder / "memory"
        program = program or programs["board"]
        command = list(emulator)
        command[command.index("-M") + 1] += ",memory-backend=shared"
        config = command.index("-semihosting-config") + 1
        command[config] += "," + ",".join(f"arg={word}" for word in (Path(program).stem, *words))
        command += ["-object", f"memory-backend-file,id=shared,size={size},mem-path={path},share=on", "-m", size]
        if line:
            none = command.index("-serial")
            command[none + 1] = line
        return [*command, "-kernel", str(program)]

    def test_memory(self):
        self.begin(*self.board(None, "memory"))
        box = self.reached(f"memory:{self.folder / 'memory'}@{self.offset}")
        self.assertEqual((box.starts, box.ticks_per_second, box.image), (1, 1_000_000, 0xEC40))
        self.check_echo(box, 200)
        self.check_burst(box, 5000, patient=True)
        self.check_burst(box, 5000, patient=False)
        self.stop(box)

    def check_line(self, box):
        self.assertEqual((box.starts, box.ticks_per_second, box.image), (1, 1_000_000, 0xEC40))
        self.check_echo(box, 40)
        self.check_burst(box, 500, patient=True)
        self.write(box, "in< ", Record(ECHO, 5, (1, 2, 3)))
        self.write(box, "in< ", Record(RESTART, 0, (0xBEEF,)))
        self.assertEqual(self.next_of(box, "out>"), Record(ANSWER, 5, (1, 2, 3)))
        until = time.monotonic() + PATIENCE_S
        while box.starts == 1 and time.monotonic() < until:
            box.poll()
        self.assertEqual((box.starts, box.image), (2, 0xBEEF))
        self.check_echo(box, 5)
        self.assertEqual(box.lost, 0)
        self.stop(box)

    def test_uart(self):
        path = self.folder / "uart"
        self.begin(*self.board(f"unix:{path},server=on,wait=off", "uart"))
        self.check_line(self.reached(f"unix:{path}"))

    def test_tcp(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.begin(*self.board(f"tcp:127.0.0.1:{port},server=on,wait=off", "uart"))
        box = self.reached(f"tcp:127.0.0.1:{port}")
        # Noise, then half a frame: the next one is found. (Frames that are lost are counted, so no check_line.)
        box._line.send(b"noise\0\0" + frames.frame_of(0, 0, 9, [1, 2, 3])[:7])
        box._line.send(b"\0")
        self.check_echo(box, 20)
        self.stop(box)

    def test_chip(self):
        check_chip(self, [self.board(None, number) for number in (0, 1)])

    def test_measure(self):
        """Round trips of 16 words each way, and records of 4 words in a row, none refused."""
        emulator, entries = programs["emulator"], []
        machine = emulator[emulator.index("-M") + 1]
        for transport, trips, records in (("memory", 5000, 50000), ("uart", 300, 2000)):
            self.end()
            self.processes.clear()
            path = self.folder / "uart"
            over_line = transport == "uart"
            self.begin(*self.board(f"unix:{path},server=on,wait=off" if over_line else None, transport))
            box = self.reached(f"unix:{path}" if over_line else f"memory:{self.folder / 'memory'}@{self.offset}")
            times = []
            for number in range(trips):
                begin = time.perf_counter()
                self.write(box, "in< ", Record(ECHO, number & 0xFFFF, (number,) * 15))
                self.next_of(box, "out>")
                times.append((time.perf_counter() - begin) * 1e6)
            begin = time.perf_counter()
            self.check_burst(box, records, patient=True)
            rate = records * 16 / (time.perf_counter() - begin) / 1e3
            times.sort()
            for name, unit, value in (("round_trip/median", "us", statistics.median(times)),
                                      ("round_trip/90_percent", "us", times[len(times) * 9 // 10]),
                                      ("records_of_16_bytes", "kB/s", rate)):
                entries.append({"name": f"mailbox/{machine}/{transport}/{name}", "value": round(value, 1), "unit": unit})
                print(f"{entries[-1]['name']:60} {value:10.1f} {unit}")
            self.stop(box)
        Path(programs["json"]).write_text(json.dumps({"benchmarks": entries}, indent=1) + "\n")


class Linux(Board):
    """A program of this host or of another Linux, over a file and over frames on a socket."""

    def begin_echo(self, *words):
        self.begin(*programs.get("emulator", []), programs["echo"], *words)

    def test_linux_memory(self):
        path = self.file()
        self.begin_echo("memory", path)
        box = self.reached(f"memory:{path}")
        self.assertEqual(box._words.swapped, "emulator" in programs)
        self.check_echo(box, 100)
        self.check_burst(box, 1000, patient=True)
        self.check_burst(box, 2000, patient=False)
        self.stop(box)

    def test_linux_line(self):
        line = self.folder / "line"
        self.begin_echo("uart", self.file(), line)
        self.check_line(self.reached(f"unix:{line}"))


def main():
    kind, *rest = sys.argv[1:]
    if kind == "host":
        programs.update(echo=rest[0], chip=rest[1])
        suites = [unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in (Host, Frames)]
        suites.append(Linux("test_linux_line"))
    elif kind == "swapped":
        programs.update(echo=rest[0], emulator=rest[2:])
        suites = [Linux("test_linux_memory"), Linux("test_linux_line")]
    else:
        names, program, _, *emulator = rest
        if kind == "measure":
            programs["json"], names = names, kind
        programs.update(board=program, emulator=" ".join(emulator).split())
        suites = [unittest.TestSuite([Board(f"test_{names}")])]
    result = unittest.TextTestRunner(verbosity=1).run(unittest.TestSuite(suites))
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    main()
