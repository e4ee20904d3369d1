# SPDX-License-Identifier: BSL-1.0
"""firmware.log*: a log from the firmware's call to the line that tools/log prints.

usage: log.py host LINES NO_ID                        a program of this host, over a file
       log.py board LINES NO_ID --emulator WORD...    an emulated board, over its memory
       log.py decoder LINES                           the decoder alone, with entries and records that are made here
"""

import decimal
import itertools
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from firmware import Record, connect  # noqa: E402
from firmware.elf import Elf, NoElf  # noqa: E402
from firmware.log import (LINE as LINE_KIND, LOST, MAGIC, SECTION, TIME, VERSION, Argument, Decoder, Early, Line, Lines, Lost,  # noqa: E402
                          NoLog, fixed_written, written)

TOOL = ROOT / "tools/log"
WINDOW = 1 << 16
# As tests/firmware/window.hpp has it: the machine's memory file, its size, and where the mailbox lies in it.
BOARDS = {"versatilepb": (128 << 20, 0x600_0000), "mps2-an386": (16 << 20, 0x80_0000), "mps3-an547": (2 << 30, 0x80_0000)}
LINE = re.compile(r"(?: *(?P<time>[\d.]+) )?(?P<level>\w+) +\S*tests/firmware/log_lines\.cpp:(?P<line>\d+) (?P<text>.*)")
PATIENCE_S = 60
LINES = NO_ID = ""  # a program, and the same without a build id
EMULATOR = []


def tool(*words):
    return subprocess.run([sys.executable, "-B", TOOL, *map(str, words)], text=True, capture_output=True, timeout=PATIENCE_S)


def with_size(data, name, size):
    """An ELF of which a section is cut to a size."""
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    at, = struct.unpack_from(order + ("Q" if wide else "I"), data, 40 if wide else 32)
    step, count, names = struct.unpack_from(order + "3H", data, 58 if wide else 46)
    texts, = struct.unpack_from(order + ("Q" if wide else "I"), data, at + names * step + (24 if wide else 16))
    data = bytearray(data)
    for header in range(at, at + count * step, step):
        text, = struct.unpack_from(order + "I", data, header)
        if data[texts + text:].startswith(name.encode() + b"\0"):
            struct.pack_into(order + ("Q" if wide else "I"), data, header + (32 if wide else 20), size)
    return bytes(data)


class Firmware(unittest.TestCase):
    """What the firmware printed and what the tool decodes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.memory = Path(folder.name) / "memory"

    def run_firmware(self, rounds, seed, program=None):
        """Its output, and the place of its mailbox."""
        program = program or LINES
        if EMULATOR:
            machine = EMULATOR[EMULATOR.index("-M") + 1]
            size, offset = BOARDS[machine]
            self.memory.touch()
            with open(self.memory, "r+b") as file:
                file.truncate(size)
            command = [word if word != machine else f"{machine},memory-backend=shared" for word in EMULATOR]
            words = ",".join(f"arg={word}" for word in ("log_lines", "-", rounds, seed))
            index = command.index("-semihosting-config")
            command[index + 1] += "," + words
            command += ["-object", f"memory-backend-file,id=shared,size={size},mem-path={self.memory},share=on", "-m",
                        f"{size >> 20}M", "-kernel", program]
        else:
            offset = 0
            self.memory.write_bytes(bytes(WINDOW))
            command = [program, self.memory, str(rounds), str(seed)]
        result = subprocess.run(command, text=True, capture_output=True, timeout=PATIENCE_S, stdin=subprocess.DEVNULL)
        return result, f"memory:{self.memory}@{offset:#x}"

    def test_lines(self):
        for seed in (1, 2, 3) if not EMULATOR else (4,):
            result, place = self.run_firmware(30, seed)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            shown = tool(LINES, place, "--once")
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            said, decoded = result.stdout.splitlines(), shown.stdout.splitlines()
            self.assertEqual(len(said), 30 * 20)
            for expected, line in zip(said, decoded, strict=True):
                found = LINE.fullmatch(line)
                self.assertIsNotNone(found, line)
                start = ""
                if found["time"]:  # of a clock of 1000 ticks, since the start
                    start = f"{int(decimal.Decimal(found['time']) * 1000)} "
                self.assertEqual(f"{start}{found['level']} {found['line']} {found['text']}", expected)
            self.assertEqual(tool(LINES, place, "--once").stdout, "")

    def test_lost(self):
        result, place = self.run_firmware(200, 9)
        self.assertEqual(result.returncode, 1)
        shown = tool(LINES, place, "--once").stdout.splitlines()
        said = result.stdout.splitlines()
        lost = [int(found[1]) for line in shown if (found := re.fullmatch(r"-- (\d+) lines? lost", line))]
        self.assertEqual(len(shown) - len(lost) + sum(lost), len(said))
        self.assertEqual(shown[-1], f"-- {lost[-1]} lines lost")  # a short line may have found room after a longer one
        self.assertTrue(shown[0].endswith("nothing but this"))

    def test_lost_in_the_stream(self):
        """What is lost stands where it was lost. The reader comes between some rounds, and reads a part."""
        if EMULATOR:
            return
        draw, items = random.Random(7), []
        lines = Lines(Decoder(LINES))
        self.memory.write_bytes(bytes(WINDOW))
        with open(self.memory.with_name("said"), "w+b") as said:
            process = subprocess.Popen([LINES, self.memory, "3000", "5", "7"], stdout=said, stdin=subprocess.PIPE,
                                       stderr=subprocess.PIPE, bufsize=0)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            self.addCleanup(process.stdin.close)
            self.addCleanup(process.stderr.close)
            self.assertEqual(process.stderr.read(1), b".")
            mailbox = connect(f"memory:{self.memory}")
            while True:
                items += lines.take(list(itertools.islice(mailbox["log "].records(), draw.randrange(260))))
                process.stdin.write(b".")
                if process.stderr.read(1) != b".":  # it has ended
                    break
            items += lines.take(list(mailbox["log "].records()))
            self.assertIsNone(lines.untold(mailbox["log "].missed))
            mailbox.close()
            said.seek(0)
            written = said.read().decode().splitlines()
        at, gaps = 0, 0
        for _, what in items:
            if isinstance(what, Lost):
                at, gaps = at + what.count, gaps + 1
                continue
            self.assertRegex(written[at], rf"^(\d+ )?{what.level} {what.line} ")
            self.assertTrue(written[at].endswith(what.text))
            at += 1
        self.assertEqual(at, len(written))
        self.assertGreater(gaps, 0)

    def test_no_memory_has_texts(self):
        elf, path = Elf(LINES), b"tests/firmware/log_lines.cpp"
        self.assertEqual(elf.sections[SECTION].flags & 2, 0)  # not allocated
        self.assertIn(path, elf.sections[SECTION].data)
        self.assertIn(b"nothing but {{this}}\0", elf.sections[SECTION].data)
        self.assertNotIn(b"this is left out", elf.sections[SECTION].data)  # of a level that is
        is_sanitized = b"__ubsan" in Path(LINES).read_bytes()  # sanitizers name files, too
        for name, section in elf.sections.items():
            if section.flags & 2:
                self.assertFalse((path in section.data and not is_sanitized) or b"this is left out" in section.data, name)

    def test_identity(self):
        """A program of the same sizes is another by its build id; without one its sizes are what is compared."""
        for program in (LINES, NO_ID):
            elf = Elf(program)
            self.assertEqual(len(elf.build_id), 20 if program == LINES else 0)
            _, place = self.run_firmware(1, 1, program)
            with connect(place) as box:
                self.assertEqual(box.image, elf.image)
            if program == LINES:
                other = self.memory.with_name("other")
                at = (data := Path(LINES).read_bytes()).index(elf.build_id)
                other.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
                self.assertRegex(tool(other, place, "--once").stderr,
                                 f"^log: the firmware runs another program than {other}: it says that it is {elf.image:#x}, the "
                                 "file is 0x[0-9a-f]+\n$")
            shown = tool(program, place, "--once")
            self.assertEqual((shown.returncode, len(shown.stdout.splitlines())), (0, 20))
        self.assertEqual(Elf(NO_ID).image, (Elf(NO_ID).size(SECTION) * 65599 + Elf(NO_ID).size(".text") * 31
                                            + Elf(NO_ID).size(".data")) & 0x3FFFFFFF)

    def test_level_and_colour(self):
        _, place = self.run_firmware(2, 1)
        shown = tool(LINES, place, "--once", "--level", "warning", "--colour", "always").stdout.splitlines()
        self.assertEqual(len(shown), 2 * 4)
        self.assertTrue(all(line.startswith(("\033[31m", "\033[33m")) and line.endswith("\033[0m") for line in shown))

    def test_follows(self):
        if EMULATOR:
            return
        self.memory.write_bytes(bytes(WINDOW))
        follower = subprocess.Popen([sys.executable, "-B", TOOL, LINES, f"memory:{self.memory}"], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)  # before the firmware starts
        self.addCleanup(follower.communicate)
        self.addCleanup(follower.kill)
        for rounds in (1, 2):
            time.sleep(0.3)
            subprocess.run([LINES, self.memory, str(rounds), "5"], stdout=subprocess.DEVNULL, check=True)
            lines = []
            while len(lines) < 20 * rounds:
                line = follower.stdout.readline()
                self.assertNotEqual(line, "")
                if not line.startswith("-- the firmware has started again"):
                    lines.append(line)
            self.assertTrue(all(LINE.fullmatch(line.rstrip("\n")) for line in lines))

    def test_other_program(self):
        _, place = self.run_firmware(1, 1)
        with tempfile.TemporaryDirectory() as folder:
            other = Path(folder) / "other"
            data = bytearray(Path(LINES).read_bytes())
            at = data.index(struct.pack("<I", MAGIC) if Elf(LINES).order == "<" else struct.pack(">I", MAGIC))
            data[at + 3] ^= 1
            other.write_bytes(data)
            bare = Path(folder) / "bare"
            bare.write_bytes(with_size(Path(LINES).read_bytes(), SECTION, 4))
            for elf, sentence in ((other, f"section {SECTION} of {other} is not what neuromorph_log.ld makes"),
                                  (bare, f"section {SECTION} of {bare} is empty: it has no log, or its linker script includes "
                                   "neuromorph_log.ld behind what takes .rodata"),
                                  (__file__, f"{__file__} is no ELF file"),
                                  ("/bin/true", f"/bin/true has no section {SECTION}: it was linked without neuromorph_log.ld, or "
                                   "has no log"),
                                  (folder, f"{folder} cannot be read: Is a directory")):
                shown = tool(elf, place, "--once")
                self.assertEqual((shown.returncode, shown.stdout, shown.stderr), (1, "", f"log: {sentence}\n"))
        with connect(place) as box:
            box.image ^= 4
            with self.assertRaisesRegex(NoLog, "^the firmware runs another program than "):
                Decoder(LINES).check(box.image)
        self.assertEqual(tool(LINES, place, "--once", "--channel", "none").stderr,
                         "log: the mailbox has no channel 'none'; it has 'log '\n")


class FakeElf:
    """An ELF with entries that are made here."""
    order, path, image = "<", Path("made"), 7

    def __init__(self):
        self.data = bytearray(struct.pack("<I", MAGIC))
        self.sections = {}

    def add(self, level, has_time, file, line, text, arguments, version=VERSION):
        token = len(self.data) // 4
        self.data += struct.pack("<I4BI", 0, version, level, has_time, len(arguments), line)
        for kind, size, fraction_bits in arguments:
            self.data += bytes([ord(kind), size, fraction_bits + 64])
        self.data += file.encode() + b"\0" + text.encode() + b"\0"
        self.data += bytes(-len(self.data) % 4)
        return token

    def decoder(self):
        from firmware.elf import Section
        self.sections[SECTION] = Section(1, 0, 0, bytes(self.data), len(self.data))
        return Decoder(self)


class Random:
    """A random argument: what it is, the bits that the firmware would have, its place, and Python's own rendering."""

    def __init__(self, draw):
        self.kind = draw.choice("iuifqbcps")
        self.size = {"b": 1, "c": 1, "s": 0, "p": draw.choice((4, 8))}.get(self.kind) or draw.choice((1, 2, 4, 8))
        self.fraction_bits, self.text = 0, None
        width = draw.choice((0, 0, draw.randrange(1, 40)))
        if self.kind == "s":
            self.size = 0
            self.text = "".join(draw.choice("abc {}xyz") for _ in range(draw.randrange(20)))
            self.place, self.shown = f"{{:{width or ''}}}", format(self.text, f"{width or ''}")
            return
        self.bits = draw.choice((0, 1, (1 << 8 * self.size) - 1, 1 << 8 * self.size - 1,
                                 draw.getrandbits(8 * self.size), draw.getrandbits(8 * self.size) >> draw.randrange(8 * self.size)))
        if self.kind == "b":
            self.bits &= 1
            self.place, self.shown = f"{{:{width or ''}}}", format(str(bool(self.bits)).lower(), f"{width or ''}")
            return
        if self.kind == "c":
            self.bits = 32 + self.bits % 95
            self.place, self.shown = f"{{:{width or ''}}}", format(chr(self.bits), f"{width or ''}")
            return
        zeros = "0" if draw.random() < 0.3 else ""
        option = f"{zeros}{width or ''}"
        if self.kind == "p":
            self.place, self.shown = f"{{:{option}}}", format(self.bits, f"#{option}x")
        elif draw.random() < 0.3:
            self.place, self.shown = f"{{:{option}x}}", format(self.bits, f"{option}x")
        else:
            number = self.bits
            if self.kind in "if" and number >> 8 * self.size - 1:
                number -= 1 << 8 * self.size
            if self.kind in "iu":
                self.place, self.shown = f"{{:{option}}}", format(number, f"{option}d")
                return
            self.fraction_bits = draw.randrange(-20, 129) if draw.random() < 0.3 else draw.randrange(8 * self.size + 1)
            with decimal.localcontext(prec=400):
                value = decimal.Decimal(number) * decimal.Decimal(2) ** -self.fraction_bits
                digits = draw.choice((None, draw.randrange(65)))
                if digits is None:
                    plain = format(value, "f")
                    plain = plain.rstrip("0") if "." in plain else plain + ".0"
                    plain += "0" * plain.endswith(".")
                else:
                    rounded = value.quantize(decimal.Decimal(1).scaleb(-digits), decimal.ROUND_HALF_EVEN)
                    plain = format(rounded, "f")
                sign = "-" * plain.startswith("-")
                plain = plain.removeprefix("-")
                self.shown = (sign + plain.rjust(width - len(sign), "0")) if zeros else (sign + plain).rjust(width)
            self.place = f"{{:{option}{'' if digits is None else f'.{digits}'}}}"


def packed(arguments):
    """The words of a record, by first fit rather than as the decoder finds them."""
    words, free, texts = [], [], []
    for argument in arguments:
        if argument.kind == "s":
            data = bytes([len(argument.text)]) + argument.text.encode()
            data += bytes(-len(data) % 4)
            texts += struct.unpack(f"<{len(data) // 4}I", data)
        elif argument.size >= 4:
            words += [argument.bits & 0xFFFFFFFF] + [argument.bits >> 32] * (argument.size == 8)
        else:
            # the newest word that short values share, behind what is in it
            if free and -(-free[-1][1] // argument.size) * argument.size + argument.size <= 4:
                word, used = free[-1]
                used = -(-used // argument.size) * argument.size
            else:
                word, used = len(words), 0
                words.append(0)
            words[word] |= argument.bits << 8 * used
            free.append((word, used + argument.size))
    return words + texts


class TimedDecoder:
    """Each token is the line of that number."""

    def line(self, record):
        return Line("info", record.words[0], "a.cpp", record.token, "text")


class TheDecoder(unittest.TestCase):
    def test_random(self):
        draw = random.Random(1)
        elf, cases = FakeElf(), []
        for number in range(4000):
            arguments = [Random(draw) for _ in range(draw.randrange(7))]
            pieces = ["".join(draw.choice(("a", "-", " ", "{{", "}}", "%", "é")) for _ in range(draw.randrange(4)))
                      for _ in range(len(arguments) + 1)]
            text = pieces[0] + "".join(argument.place + piece for argument, piece in zip(arguments, pieces[1:]))
            plain = [piece.replace("{{", "{").replace("}}", "}") for piece in pieces]
            shown = plain[0] + "".join(argument.shown + piece for argument, piece in zip(arguments, plain[1:]))
            level, has_time = draw.randrange(5), draw.random() < 0.5
            token = elf.add(level, has_time, f"file{number}.cpp", number, text,
                            [(argument.kind, argument.size, argument.fraction_bits) for argument in arguments])
            cases.append((Record(0, token, (*([number] if has_time else []), *packed(arguments))), level, has_time, number, shown))
        decoder = elf.decoder()
        for record, level, has_time, number, shown in cases:
            line = decoder.line(record)
            self.assertEqual(line, ("trace debug info warning error".split()[level], number if has_time else None,
                                    f"file{number}.cpp", number, shown))

    def test_rounding(self):
        for fraction_bits in range(9):
            for raw in range(512):
                for digits in range(10):
                    self.assertEqual(fixed_written(raw, fraction_bits, digits), f"{raw / (1 << fraction_bits):.{digits}f}")

    def test_damage(self):
        """Whatever a record or an entry says, there is a line or a sentence."""
        draw = random.Random(3)
        elf = FakeElf()
        tokens = [elf.add(2, 1, "a.cpp", 5, "{} {:x} {}", [("u", 4, 0), ("i", 1, 0), ("s", 0, 0)]),
                  elf.add(1, 0, "b.cpp", 6, "{:.3}", [("f", 4, 15)])]
        whole, right = elf.data, 0
        for _ in range(20000):
            elf.data = bytearray(whole)
            for _ in range(draw.randrange(3)):
                elf.data[draw.randrange(4, len(whole))] = draw.getrandbits(8)
            if draw.random() < 0.2:
                del elf.data[draw.randrange(5, len(elf.data)):]
            token = draw.choice((*tokens, draw.getrandbits(5), draw.getrandbits(16)))
            words = tuple(draw.choice((0, 1, 5, draw.getrandbits(32))) for _ in range(draw.randrange(8)))
            try:
                elf.decoder().line(Record(draw.choice((0, 0, 0, 1)), token, words))
                right += 1
            except NoLog as error:
                self.assertRegex(str(error), r"^(a record is no line of made: .*; is it the program that runs\?|"
                                             r"made has a log of version \d+, this program knows version 1)$")
        self.assertGreater(right, 300)

    def test_stream(self):
        """Lines with times that wrap, times that are told, losses: against the plain list of them, however it is read."""
        draw = random.Random(11)
        for _ in range(300):
            now, records, wanted, told = draw.randrange(1 << 34), [], [], False
            for number in range(draw.randrange(1, 60)):
                kind = draw.random()
                now += 0 if 0.05 <= kind < 0.15 else draw.randrange(1 << draw.choice((4, 20, 32)))
                if kind < 0.05:
                    records.append(Record(TIME, 0, (now & 0xFFFFFFFF, now >> 32)))
                    told = True
                elif kind < 0.15:
                    records.append(Record(LOST, 0, (number + 1,)))
                    wanted.append(Lost(number + 1))
                else:
                    records.append(Record(LINE_KIND, number, (now & 0xFFFFFFFF,)))
                    wanted.append((now, number))
            lines, found, early, at = Lines(TimedDecoder()), [], 0, 0
            while at < len(records):
                more = draw.randrange(1, 30)
                for ticks, what in lines.take(records[at:at + more]):
                    if isinstance(what, Early):
                        found = [(entry if isinstance(entry, Lost) else (entry[0] + what.ticks, entry[1])) for entry in found]
                        early += 1
                    else:
                        found.append(what if isinstance(what, Lost) else (ticks, what.line))
                at += more
            self.assertLessEqual(early, 1)
            if not told:  # of the first, the low 32 bits
                first = next((entry[0] for entry in wanted if not isinstance(entry, Lost)), 0)
                wanted = [entry if isinstance(entry, Lost) else (entry[0] - (first >> 32 << 32), entry[1]) for entry in wanted]
            self.assertEqual(found, wanted)

    def test_untold(self):
        """What a line of bytes says is missed before the record of it comes is told once."""
        lines = Lines(TimedDecoder())
        self.assertEqual(list(lines.take([Record(LOST, 0, (3,))])), [(None, Lost(3))])
        self.assertEqual((lines.untold(3), lines.untold(8), lines.untold(8)), (None, Lost(5), None))
        self.assertEqual(list(lines.take([Record(LOST, 0, (4,)), Record(LOST, 0, (4,))])), [(None, Lost(3))])
        self.assertEqual((lines.untold(11), lines.untold(12)), (None, Lost(1)))

    def test_version(self):
        elf = FakeElf()
        token = elf.add(1, 0, "a.cpp", 1, "text", [], version=VERSION + 1)
        with self.assertRaisesRegex(NoLog, "^made has a log of version 2, this program knows version 1$"):
            elf.decoder().line(Record(0, token, ()))

    def test_cut_elf(self):
        draw = random.Random(5)
        data = Path(LINES).read_bytes()
        with tempfile.TemporaryDirectory() as folder:
            cut = Path(folder) / "cut"
            for size in (0, 3, 4, 20, 51, 63, 100, *(draw.randrange(len(data)) for _ in range(60))):
                cut.write_bytes(data[:size])
                with self.assertRaisesRegex(NoElf, f"^{cut} is (no ELF file|an ELF file that is damaged)$"):
                    Elf(cut)

    def test_text_without_values(self):
        self.assertEqual(written("{} and {:x}", (), []), "{} and {:x}")
        self.assertEqual(written("{:5}|", (Argument("u", 4, 0),), [7]), "    7|")


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] not in (["host"], ["board"], ["decoder"]) or len(words) < 2:
        sys.exit(__doc__)
    LINES, NO_ID = words[1], words[2] if len(words) > 2 else ""
    if "--emulator" in words:
        EMULATOR = " ".join(words[words.index("--emulator") + 1:]).split()
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(TheDecoder if words[0] == "decoder" else Firmware)
    sys.exit(not unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful())
