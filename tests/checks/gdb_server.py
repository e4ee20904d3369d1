# SPDX-License-Identifier: BSL-1.0
"""gdb.server, gdb.server_steps: the host's part of a debugger in two parts, tools/firmware/{gdb,probe}.py.

usage: gdb_server.py server          sessions of packets with a model of the target, right and wrong ones on either side
       gdb_server.py steps PROGRAM   where its decoders say an instruction goes, gdb.steps has gone, with an emulator
"""

import random
import re
import socket
import struct
import subprocess
import sys
import unittest
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from firmware import Closed, gdb, gdb_machines, gdb_steps, probe  # noqa: E402

RAM, RAM_BYTES, ROM, ROM_BYTES, OWN = 0x20000000, 0x400, 0x08000000, 0x100, 0x3000FF00
REGIONS = ((ROM, ROM_BYTES, 0), (RAM, RAM_BYTES, 1))
NOP, BKPT = b"\x00\xbf", b"\x00\xbe"


class Probe:
    """What probe.hpp does, as the plainest program that could; notes each access outside of its regions."""

    is_lossy, damaged = False, 0

    def __init__(self, machine=None, units=False):
        self.machine = machine or gdb_machines.CortexM()
        self.memory = {RAM + at: NOP[at % 2] for at in range(RAM_BYTES)}
        self.memory.update((ROM + at, at & 0xFF) for at in range(ROM_BYTES))
        self.registers = bytearray(self.machine.bytes)
        self.machine.set_pc(self.registers, RAM)
        self.wrong, self.answers, self.breaks = [], [], []
        self.is_running, self.go_token, self.units = False, 0, units
        self.unit_stops = set()
        self.mangle = lambda record: [record]
        self.stops_after = None  # what the program does when it goes on; else nothing
        self.requests = 0

    # The line.
    def read(self):
        return self.answers.pop(0) if self.answers else None

    def write(self, record, again=False):
        self.requests += 1
        words = record[1:]
        assert len(words) == record[0] >> 8 & 0xFF and len(words) <= 31, record
        answer = self.execute(record[0] & 0xFF, words, record[0] >> 16)
        if answer is not None:
            self.say(*answer, record[0] >> 16)

    def close(self):
        pass

    def say(self, kind, words, token):
        self.answers += self.mangle([kind | len(words) << 8 | token << 16, *words])

    # The program.
    def stop(self, signal=5):
        for address, was in reversed(self.breaks):
            self.memory.update(zip(range(address, address + len(was)), was))
        self.breaks, self.is_running = [], False
        self.say(probe.GO, [signal, OWN], self.go_token)

    def run(self):
        """Until a breakpoint; only nops, branches to themselves and what `stops_after` does."""
        for _ in range(10000):
            pc = self.machine.pc(self.registers)
            code = bytes(self.memory.get(pc + at, 0) for at in range(2))
            if code == BKPT:
                self.stop()
                return
            if self.stops_after is not None:
                self.stops_after(pc)
            self.machine.set_pc(self.registers, pc + 2)
        raise AssertionError("the program runs on and on")

    def execute(self, kind, words, token):
        if self.is_running and kind not in (probe.HELLO, probe.STOP):
            self.wrong.append(f"request {kind} while the program runs")
        if kind == probe.HELLO:
            if self.is_running:
                self.stop()
            return kind, [5, OWN, 1 | 31 << 8 | 9 << 16 | self.units << 24, self.machine.code, len(REGIONS)]
        if kind == probe.REGION:
            return (kind, REGIONS[words[0]]) if words[0] < len(REGIONS) else (probe.REFUSED, [])
        if kind in (probe.READ, probe.WRITE):
            return self.transfer(kind, *words[:2], words[2:])
        if kind == probe.GO:
            for at in range(0, len(words), 2):
                address, size = words[at], len(BKPT)
                if address % 2 or not all(RAM <= place < RAM + RAM_BYTES for place in (address, address + 1)):
                    self.wrong.append(f"a breakpoint at {address:08x}")
                    return probe.REFUSED, []
                self.breaks.append((address, bytes(self.memory[address + byte] for byte in range(size))))
                self.memory.update(zip((address, address + 1), BKPT))
            self.is_running, self.go_token = True, token
            return None
        if kind == probe.STOP:
            if self.is_running:
                self.stop(5)
            return kind, [5, OWN]
        if kind == probe.UNIT and self.units:
            key = tuple(words[:3])
            if key[1] % 4:
                return probe.REFUSED, []
            (self.unit_stops.add if words[3] else self.unit_stops.discard)(key)
            return kind, []
        return probe.REFUSED, []

    def transfer(self, kind, address, width, rest):
        count = len(rest) if kind == probe.WRITE else rest[0]
        if width not in (1, 2, 4) or address % width or count > 31:
            self.wrong.append(f"{count} units of {width} at {address:08x}")
            return probe.REFUSED, []
        places = range(address, address + width * count)
        is_own = OWN <= address and places.stop <= OWN + len(self.registers)
        if not is_own and not all(place in self.memory and (kind == probe.READ or place >= RAM) for place in places):
            self.wrong.append(f"access of {len(places)} bytes at {address:08x}")
            return probe.REFUSED, []
        values = []
        for at in range(count):
            place = address + width * at
            if kind == probe.WRITE:
                data = rest[at].to_bytes(4, "little")[:width]
                if is_own:
                    self.registers[place - OWN:place - OWN + width] = data
                else:
                    self.memory.update(zip(range(place, place + width), data))
            else:
                data = self.registers[place - OWN:place - OWN + width] if is_own else \
                    bytes(self.memory[place + byte] for byte in range(width))
                values.append(int.from_bytes(data, "little"))
        return kind, values


def packet(text):
    return gdb.framed(text)


class Case(unittest.TestCase):
    def begin(self, model=None, **options):
        self.probe = model or Probe(**options)
        self.target = probe.Target(self.probe, patience_s=0.2, patience_at_first_s=0.2)
        self.out = b""
        self.session = gdb.Session(self.target, self.sent)
        self.session.begin()
        self.session.take(packet("QStartNoAckMode"))
        self.out = b""

    def sent(self, data):
        self.out += data

    def ask(self, text):
        """The texts of what is said to a packet, once the program, if it was let go, has stopped."""
        self.out = b""
        self.session.take(packet(text))
        for _ in range(2000):
            if not self.target.is_running:
                break
            if self.probe.is_running:
                self.probe.run()
            self.session.poll()
        texts = re.findall(rb"\$([^#]*)#(..)", self.out)
        self.assertEqual(b"".join(b"$" + text + b"#" + digits for text, digits in texts), self.out)
        for text, digits in texts:
            self.assertEqual(int(digits, 16), sum(text) & 0xFF)
        return [text.decode("latin-1") for text, _ in texts]

    def one(self, text):
        answers = self.ask(text)
        self.assertEqual(len(answers), 1, answers)
        return answers[0]


class Server(Case):
    def test_registers_and_memory(self):
        self.begin()
        self.assertEqual(self.one("?"), "T05")
        self.assertEqual(self.one("g"), bytes(self.probe.registers).hex())
        self.assertEqual(self.one("P3=78563412"), "OK")
        self.assertEqual(self.one("p3"), "78563412")
        self.assertEqual(self.probe.registers[12:16], bytes(4))  # not before the program goes on
        self.assertEqual(self.one("s"), "T05")
        self.assertEqual(self.probe.registers[12:16].hex(), "78563412")
        self.assertEqual(self.one("p11"), "E01")
        self.assertEqual(self.one("P3=7856"), "E01")
        self.assertEqual(self.one("G" + "00" * 67), "E01")
        self.assertEqual(self.one("G" + "00" * 60 + "00000020" + "00000001"), "OK")
        self.assertEqual(self.one("pf"), "00000020")
        self.assertEqual(self.one(f"M{RAM + 0x21:x},7:01020304050607"), "OK")
        for begin in range(8):
            for count in range(12):
                wanted = bytes(self.probe.memory[RAM + 0x20 + begin + at] for at in range(count)).hex()
                self.assertEqual(self.one(f"m{RAM + 0x20 + begin:x},{count:x}"), wanted)
        self.session.take(packet(b"X%x,3:" % (RAM + 0x40) + b"}\x03}\x04a"))
        self.assertEqual(self.one(f"m{RAM + 0x40:x},3"), "232461")
        for wrong in ("m200003ff,2", "m1fffffff,2", "m0,1", "m20000000,ffffffff", "mffffffff,2", "m", "m1", "m,", "mx,1", "m20000000,",
                      "M8000000,1:00", "M20000000,2:00", "M20000000,1:0", "M20000000,1:0x", "M20000000,1", "X20000000,2:a",
                      "X20000000,1:}", "X8000000,1:a", "m120000000,1", "m-1,1", "m20000000,1,1", "m2000 0000,1"):
            self.assertEqual(self.one(wrong), "E01", wrong)
        self.assertEqual(self.one("m80000ff,1"), "ff")
        self.assertEqual(self.probe.wrong, [])

    def test_breakpoints_and_steps(self):
        self.begin()
        before = dict(self.probe.memory)
        self.assertEqual(self.one("Z0,20000010,2"), "OK")
        self.assertEqual(self.one("Z0,20000010,2"), "OK")
        self.assertEqual(self.one("Z1,20000020,2"), "OK")  # in memory, as there is no unit
        self.assertEqual(self.probe.memory, before)
        self.assertEqual(self.one("vCont;c"), "T05")
        self.assertEqual(self.one("pf"), "10000020")
        self.assertEqual(self.probe.memory, before)
        self.assertEqual(self.one("z0,20000010,2"), "OK")
        self.assertEqual(self.one("vCont;s:1;c"), "T05")
        self.assertEqual(self.one("pf"), "12000020")
        self.assertEqual(self.one("c"), "T05")
        self.assertEqual(self.one("pf"), "20000020")
        for wrong in ("Z0,8000000,2", "Z0,200003ff,2", "Z0,20000400,2", "Z0,", "Z0", "Z", "Z0,20000000", "z,1,1", "Z1,8000000,2"):
            self.assertEqual(self.one(wrong), "E01", wrong)
        for unknown in ("Z3,20000000,4", "Z4,20000000,4", "Z5,20000000,4", "vCont;", "vCont;t", "vMustReplyEmpty", "qC", "", "!"):
            self.assertEqual(self.one(unknown), "", unknown)
        for at in range(7):
            self.assertEqual(self.one(f"Z0,{RAM + 0x80 + 2 * at:x},2"), "OK")
        self.assertEqual(self.one("Z0,20000100,2"), "E01")  # the ninth; the tenth place is the step's
        self.assertEqual(self.one("z1,20000020,2"), "OK")
        self.probe.memory.update({RAM + 0x30: 0, RAM + 0x31: 0xBE})  # of the program
        self.assertEqual(self.one("vCont;r20000020,20000030"), "T05")
        self.assertEqual(self.one("pf"), "30000020")
        self.assertEqual(self.one("s"), "T05")  # which only leaves it behind
        self.assertEqual(self.one("pf"), "32000020")
        self.assertEqual(self.one(f"s{ROM:x}"), "E01")  # leads to where nothing can be written
        self.assertEqual(self.one("c20000032"), "T05")
        self.assertEqual(self.one("pf"), "80000020")
        self.out = b""
        self.session.take(packet("D"))
        self.assertEqual(self.out, packet("OK"))
        self.assertTrue(self.session.has_left and self.probe.is_running and not self.probe.breaks)
        self.assertEqual(self.probe.wrong, [])

    def test_watchpoints(self):
        self.begin()
        self.assertEqual(self.one("Z2,20000203,1"), "OK")
        self.assertEqual(self.one("Z2,20000300,8"), "OK")
        self.assertEqual(self.one("Z2,20000400,1"), "E01")
        changes = {RAM + 0x10: RAM + 0x202, RAM + 0x20: RAM + 0x203, RAM + 0x24: RAM + 0x308, RAM + 0x28: RAM + 0x307}

        def change(pc):
            if pc in changes:
                self.probe.memory[changes[pc]] ^= 0x55

        self.probe.stops_after = change
        self.assertEqual(self.one("c"), "T05watch:20000203;")
        self.assertEqual(self.one("pf"), "22000020")
        self.assertEqual(self.one("c"), "T05watch:20000300;")
        self.assertEqual(self.one("pf"), "2a000020")
        self.assertEqual(self.one("z2,20000203,1"), "OK")
        self.assertEqual(self.one("z2,20000300,8"), "OK")
        self.assertEqual(self.one("Z0,20000040,2"), "OK")
        self.assertEqual(self.one("c"), "T05")
        self.assertEqual(self.one("pf"), "40000020")

    def test_units(self):
        self.begin(units=True)
        self.assertEqual(self.one("Z1,8000010,2"), "OK")
        self.assertEqual(self.one("Z3,20000010,4"), "OK")
        self.assertEqual(self.probe.unit_stops, {(1, ROM + 16, 2), (3, RAM + 16, 4)})
        self.assertEqual(self.one("z3,20000010,4"), "OK")
        self.assertEqual(self.one("Z3,20000011,4"), "")
        self.assertEqual(self.one("Z2,20000011,1"), "OK")  # by steps
        self.assertEqual(self.probe.unit_stops, {(1, ROM + 16, 2)})

    def test_what_it_says_of_itself(self):
        self.begin()
        self.assertEqual(self.one("qSupported:multiprocess+"), gdb.SUPPORTED)
        self.session.take(packet("QStartNoAckMode"))
        text, piece = "", "m"
        while piece[0] == "m":
            piece = self.one(f"qXfer:features:read:target.xml:{len(text):x},33")
            text += piece[1:]
        self.assertEqual(text, "<target><architecture>arm</architecture><osabi>none</osabi><feature name=\"org.gnu.gdb.arm.m-profile\">"
                         + "".join(f'<reg name="{name}" bitsize="32"/>' for name in
                                   "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 sp lr pc xpsr".split()) + "</feature></target>")
        self.assertEqual(self.one("qXfer:memory-map:read::0,200"),
                         'l<memory-map><memory type="rom" start="0x8000000" length="0x100"/>'
                         '<memory type="ram" start="0x20000000" length="0x400"/></memory-map>')
        self.assertEqual(self.one("qXfer:features:read:other.xml:0,100"), "")
        self.assertEqual(self.one("qXfer:features:read:target.xml:x,100"), "E01")
        self.assertEqual(self.one("vCont?"), "vCont;c;C;s;S;r")
        self.assertEqual(self.one("qAttached"), "1")
        said = bytes.fromhex(self.one("qRcmd," + b"regions".hex())).decode()
        self.assertEqual(said, "08000000 to 080000ff, read\n20000000 to 200003ff, written and read\n")
        self.assertIn("1 refused", bytes.fromhex(self.one("qRcmd," + b"counts".hex())).decode())
        self.assertIn("monitor regions", bytes.fromhex(self.one("qRcmd,00")).decode())
        self.assertEqual(self.one("qRcmd,0"), "E01")

    def test_frames(self):
        self.begin()
        self.session.take(packet("qSupported"))

        def stream(data):
            self.out = b""
            for at in range(len(data)):  # byte by byte
                self.session.take(data[at:at + 1])
            return self.out

        self.assertEqual(stream(b"$?#3f"), b"+$T05#b9")
        self.assertEqual(stream(b"$?#3F"), b"+$T05#b9")
        self.assertEqual(stream(b"-"), b"$T05#b9")
        self.assertEqual(stream(b"noise+$?#3e"), b"-")
        self.assertEqual(stream(b"$?$?#3f"), b"+$T05#b9")
        self.assertEqual(stream(b"$?#zz"), b"-")
        self.out = b""
        self.session.take(b"$?#3f$?#3f")  # sent once more
        self.assertEqual(self.out, b"++$T05#b9")
        self.assertEqual(stream(b"\x03"), b"")  # the program is stopped
        self.assertEqual(stream(b"$" + b"a" * 20000), b"")
        self.assertEqual(stream(b"$?#3f"), b"+$T05#b9")

    def test_control_c(self):
        self.begin()
        self.session.take(packet("c"))
        self.assertTrue(self.probe.is_running)
        self.session.take(packet("g"))  # nobody answers while it runs
        self.assertFalse(self.session.poll())
        self.session.take(b"\x03")
        self.session.poll()
        self.assertEqual(self.out, packet("T02"))
        self.assertEqual(self.one("?"), "T02")
        self.probe.stops_after = lambda pc: self.probe.machine.set_pc(self.probe.registers, pc)
        self.session.take(packet("c"))
        self.out = b""
        self.probe.stop(11)  # by itself
        self.session.take(b"\x03")  # too late
        self.session.poll()
        self.assertEqual(self.out, packet("T0b"))
        self.assertEqual(self.one("g"), bytes(self.probe.registers).hex())

    def test_another_debugger(self):
        self.begin()
        before = dict(self.probe.memory)
        self.assertEqual(self.one("Z0,20000010,2"), "OK")
        self.session.take(packet("c"))
        self.assertNotEqual(self.probe.memory, before)
        self.out = b""
        self.session = gdb.Session(self.target, self.sent)  # the first has gone without a word
        self.session.begin()
        self.assertFalse(self.probe.is_running)
        self.assertEqual(self.probe.memory, before)
        self.session.take(packet("QStartNoAckMode"))
        self.assertEqual(self.one("?"), "T05")
        self.session.take(packet("c"))
        self.assertEqual(self.probe.breaks, [])
        self.assertEqual(self.probe.wrong, [])

    def test_targets_that_do_not_fit(self):
        for change, sentence in ((lambda words: [*words[:3], words[3] + 1, *words[4:]], "speaks version 2 of this protocol"),
                                 (lambda words: [*words[:4], 0x1234, words[5]], "the code of its registers is 00001234")):
            model = Probe()
            model.mangle = lambda record: [change(record)] if record[0] & 0xFF == probe.HELLO else [record]
            with self.assertRaisesRegex(probe.NoTarget, sentence):
                self.begin(model)
        model = Probe()
        model.mangle = lambda record: []
        with self.assertRaises(probe.Unanswered):
            self.begin(model)


class Wrong(Case):
    """Whatever either side sends: an answer or none, a count, no exception; and nothing outside of the regions."""

    def text(self, draw):
        numbers = ["20000000", "200003fe", "20000010", "8000000", "80000ff", "0", "1", "2", "4", "ffffffff", "200003ff", "7", "40", "x", ""]
        part = lambda: draw.choice(numbers)
        return draw.choice([
            lambda: f"m{part()},{part()}", lambda: f"M{part()},{part()}:{draw.choice(['', '00', '0102', '01020304', '0', 'zz'])}",
            lambda: f"X{part()},{part()}:" + "".join(chr(draw.randrange(256)) for _ in range(draw.randrange(5))),
            lambda: f"{draw.choice('Zz')}{draw.choice('0123459x')},{part()},{part()}", lambda: f"p{part()}",
            lambda: f"P{part()}={draw.choice(['00000000', '10000020', '0', 'x'])}", lambda: "g", lambda: "?", lambda: "G" + "00" * draw.choice([67, 68]),
            lambda: draw.choice(["c", "s", "vCont;c", "vCont;s:1;c", "vCont?", "vCont;r20000010,20000020", "vCont;rx,y", "vCont;r", "vCont;c:p1.-1",
                                 f"c{part()}", f"s{part()}", "C05", "S05;20000000", "vKill;1", "H", "T1", "R", "!"]),
            lambda: draw.choice(["qSupported", "QStartNoAckMode", "qRcmd,", "qRcmd,7", "qRcmd,72", "qXfer:features:read:target.xml:0,10", "qAttached",
                                 "qXfer:memory-map:read::" + part() + "," + part(), "qXfer:features:read:target.xml:"]),
            lambda: "".join(chr(draw.randrange(256)) for _ in range(draw.randrange(12))),
        ])()

    def test_packets(self):
        for seed in range(30):
            with self.subTest(seed=seed):
                draw = random.Random(seed)
                self.begin(units=draw.random() < 0.3)
                rom = {place: byte for place, byte in self.probe.memory.items() if place < RAM}
                for turn in range(150):
                    data = packet(self.text(draw).encode("latin-1"))
                    if draw.random() < 0.1:
                        data = bytes(byte ^ (draw.randrange(256) if draw.random() < 0.2 else 0) for byte in data)
                    self.out = b""
                    self.session.take(data)
                    if self.target.is_running:
                        self.session.take(b"\x03")
                        self.session.poll()
                    while self.target.is_running:
                        self.session.take(b"\x03")
                        self.session.poll()
                    self.assertFalse(self.probe.breaks)
                self.assertEqual(self.probe.wrong, [])
                self.assertEqual({place: byte for place, byte in self.probe.memory.items() if place < RAM}, rom)

    def test_answers(self):
        for seed in range(30):
            with self.subTest(seed=seed):
                draw = random.Random(1000 + seed)
                self.begin()
                self.target._patience_s = self.target._patience_at_first_s = 0.002

                def mangled(record):
                    what = draw.randrange(12)
                    if what == 0:
                        return []
                    if what == 1:
                        return [record, record]
                    if what == 2:
                        return [record[:-1]]
                    if what == 3:
                        return [[]]
                    if what == 4:
                        return [[record[0] ^ 1 << draw.randrange(32), *record[1:]]]
                    if what == 5:
                        return [[draw.getrandbits(32) for _ in range(draw.randrange(33))], record]
                    if what == 6:
                        return [[record[0], *(draw.getrandbits(32) for _ in record[1:])]]
                    return [record]

                self.probe.mangle = mangled
                for turn in range(60):
                    self.session.take(packet(self.text(draw).encode("latin-1")))
                    for _ in range(6):
                        self.session.take(b"\x03")
                        self.session.poll()
                    if self.target.is_running:  # the answer was lost for good
                        try:
                            self.session = gdb.Session(self.target, self.sent)
                            self.session.begin()
                        except (probe.NoTarget, probe.Unanswered, probe.Refused):
                            pass

    def test_line(self):
        """Frames of a line of its own: what is damaged is not delivered, and the next one is."""
        draw = random.Random(7)

        class Ends:
            come, gone = b"", b""

            def receive(self):
                size = draw.randrange(1, 60)
                data, self.come = self.come[:size], self.come[size:]
                return data

            def send(self, data):
                self.gone += data

        ends = Ends()
        line = probe.FramedLine(ends)
        for turn in range(2000):
            words = [draw.randrange(1, 10) | (count := draw.randrange(32)) << 8 | draw.getrandbits(16) << 16,
                     *(draw.getrandbits(32) * (draw.random() < 0.7) for _ in range(count))]
            line.write(words)
            data, ends.gone = ends.gone, b""
            self.assertEqual(data, struct.pack(f"<{count + 1}I", *words) + struct.pack("<I", zlib.crc32(data[:-4])))
            harm = draw.randrange(5)
            if harm == 0:
                at = draw.randrange(len(data))
                data = data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1:]
            elif harm == 1:
                data = data[draw.randrange(1, len(data)):]
            elif harm == 2:
                data = bytes(draw.randrange(256) for _ in range(draw.randrange(40))) + bytes(1028) + data
            ends.come += data
            found = []
            for _ in range(200):
                if (record := line.read()) is not None:
                    found.append(record)
            if harm > 1:
                self.assertEqual(found[-1:], [words])
            else:
                self.assertEqual(found, [])
                ends.come += bytes(1028)  # as if asked once more
                while ends.come:
                    self.assertIsNone(line.read())
                line._data = b""

    def test_line_that_is_closed(self):
        """All records that came before are there."""
        class Ends:
            come = b""

            def receive(self):
                if not self.come:
                    raise Closed("it is closed")
                data, self.come = self.come, b""
                return data

            def send(self, data):
                self.come += data

        line = probe.FramedLine(Ends())
        records = [[number | number << 8, *range(number)] for number in range(1, 5)]
        for words in records:
            line.write(words)
        self.assertEqual([line.read() for _ in records], records)
        with self.assertRaises(Closed):
            line.read()

    def test_words(self):
        """What the program says to words that do not fit."""
        for words, sentence in ((["nothing:1"], "gdb: 'nothing:1' is no place of a mailbox"),
                                (["memory:/nowhere/at/all"], "gdb: cannot reach memory:/nowhere/at/all"),
                                (["unix:/nowhere", "--alone"], "gdb: cannot reach unix:/nowhere: No such file or directory"),
                                (["memory:x", "--alone"], "gdb: 'memory:x' is no line of bytes"),
                                (["unix:/nowhere", "--listen", "99999"], "'99999' is no [ADDRESS:]PORT"),
                                (["unix:/nowhere", "--listen", "here:1"], "'here:1' is no [ADDRESS:]PORT")):
            result = subprocess.run([sys.executable, "-B", str(ROOT / "tools/gdb"), *words], capture_output=True, text=True, timeout=60)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(sentence, result.stderr)
            self.assertNotIn("Traceback", result.stderr)

    def test_listening(self):
        """On this machine alone, unless told otherwise, and then with a warning; a line that ends ends it."""
        for listen, address, warns in ((["--listen", "0"], "127.0.0.1", False), (["--listen", "0.0.0.0:0"], "0.0.0.0", True)):
            board = socket.socket()
            board.bind(("127.0.0.1", 0))
            board.listen(1)
            tool = subprocess.Popen([sys.executable, "-B", str(ROOT / "tools/gdb"), f"tcp:127.0.0.1:{board.getsockname()[1]}", "--alone",
                                     *listen], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                line, _ = board.accept()
                said = tool.stdout.readline()
                self.assertRegex(said, rf"^gdb: in gdb: target remote {re.escape(address)}:\d+\n$")
                port = int(said.rpartition(":")[2])
                with socket.create_connection(("127.0.0.1", port)):
                    line.recv(1)  # it asks
                    line.close()
                    _, errors = tool.communicate(timeout=60)
            finally:
                tool.kill()
                tool.wait()
                board.close()
            self.assertEqual("asks for no password" in errors, warns)
            self.assertIn("gdb: the other end of the line has closed it", errors)
            self.assertNotIn("Traceback", errors)


def steps(program):
    """Of each case of an emulator, where it went."""
    result = subprocess.run([program, "3", "1500", "1", "print"], capture_output=True, text=True)
    if result.returncode:
        sys.exit(result.stdout[-2000:])
    count = {"arm": 0, "thumb": 0}
    for line in result.stdout.splitlines():
        if not line.startswith("case "):
            continue
        _, core, status, it, wanted, *rest = line.split()
        general = [int(word, 16) for word in rest[:16]]
        memory = {}
        for word in rest[16:]:
            address, size, value = word.split(":")
            memory[int(address, 16), int(size)] = int(value, 16)

        def read(address, size):
            return memory[address, size]

        try:
            if core == "arm":
                went = gdb_steps.arm_next(general, int(status, 16), read)
            else:
                went, _ = gdb_steps.thumb_next(general, int(status, 16), int(it, 16), read)
        except KeyError as error:
            sys.exit(f"reads what the library's decoder does not: {error}\n{line}")
        if went != int(wanted, 16):
            sys.exit(f"goes to {went:08x}, not to {wanted}\n{line}")
        count[core] += 1
    print(", ".join(f"{core}: {number} cases" for core, number in count.items()))
    if min(count.values()) < 2000:
        sys.exit("too few cases")


if __name__ == "__main__":
    if sys.argv[1] == "steps":
        steps(sys.argv[2])
    else:
        suites = [unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in (Server, Wrong)]
        sys.exit(0 if unittest.TextTestRunner(verbosity=1).run(unittest.TestSuite(suites)).wasSuccessful() else 1)
