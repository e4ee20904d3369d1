# SPDX-License-Identifier: BSL-1.0
"""firmware.unwind.<board>: how tools/crash finds callers by .ARM.exidx, and that no bytes are too strange for it.

usage: unwind.py PROGRAM COMPILER FLAG...

The assembler makes the tables of functions that are drawn here, as it does for the compiler; a model runs their prologues
forwards. PROGRAM is one of an emulated board.
"""

import random
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from firmware import crash  # noqa: E402
from firmware.crash import NoReport, Program, Report, lines_of, report_of  # noqa: E402
from firmware.elf import Elf, NoElf  # noqa: E402
from firmware.unwind import LR, PC, SP, NoWay, Tables, unwound  # noqa: E402

PROGRAM = ""
COMPILE = []
NAMES = [*(f"r{number}" for number in range(13)), "sp", "lr", "pc"]
FUNCTIONS = 400
STACK = 0x2000_8000


class Drawn:
    """A function: the directives that describe its prologue, and what that does to registers and memory."""

    def __init__(self, draw):
        self.lines, self.cannot = [".fnstart", "nop"], draw.random() < 0.05
        self.before = [draw.getrandbits(32) & ~3 for _ in range(16)]
        self.before[SP] = STACK
        self.now, self.memory = list(self.before), {}
        if self.cannot:
            self.lines += [".cantunwind", ".fnend"]
            return
        for _ in range(draw.randrange(1, 6)):
            draw.choice((self._save, self._save, self._pad, self._vectors))(draw)
        if draw.random() < 0.4:
            frame, offset = draw.choice((7, 11)), 4 * draw.randrange(20)
            self._line(f".setfp {NAMES[frame]}, sp, #{offset}")
            self.now[frame] = self.now[SP] + offset
            self.now[SP] -= 4 * draw.randrange(50)  # alloca, of which tables know nothing
        else:
            frame = None
        for number in (*range(13), LR):  # the body changes what it has saved, but for its frame
            if number != frame and number in self.saved:
                self.now[number] = draw.getrandbits(32)
        if draw.random() < 0.15:
            self.lines.append(".personality no_personality")
        self.lines += [".handlerdata", ".word 0"] if self.lines[-1].startswith(".pers") else []
        self.lines.append(".fnend")
        # Nothing is known of what was changed and not saved; where it returns to is the link register.
        self.after = [self.before[number] if number in self.saved or number == SP else self.now[number] for number in range(15)]
        self.after.append(self.before[LR] if LR in self.saved else self.now[LR])

    saved = frozenset()

    def _line(self, text):
        self.lines.append(text)

    def _store(self, value):
        self.now[SP] -= 4
        self.memory[self.now[SP]] = value

    def _save(self, draw):
        left = [number for number in (*range(13), LR) if number not in self.saved]
        kind = draw.randrange(4)
        if kind == 0:
            chosen = [number for number in range(4, 4 + draw.randrange(1, 9)) if number in left]
        elif kind == 1:
            chosen = [number for number in (0, 1, 2, 3) if draw.random() < 0.5 and number in left]
        else:
            chosen = [number for number in left if number >= 4 and draw.random() < 0.4]
        if draw.random() < 0.5 and LR in left and LR not in chosen and chosen:
            chosen.append(LR)
        if not chosen:
            return
        self._line(f".save {{{', '.join(NAMES[number] for number in chosen)}}}")
        for number in reversed(chosen):
            self._store(self.before[number])
        self.saved |= set(chosen)

    def _pad(self, draw):
        size = 4 * draw.choice((1, 2, 64, 65, 127, 128, 129, draw.randrange(1, 4000), draw.randrange(1, 100)))
        self._line(f".pad #{size}")
        self.now[SP] -= size

    def _vectors(self, draw):
        first = draw.choice((8, draw.randrange(16), 16))  # of those above, binutils 2.40 knows no others
        last = draw.randrange(first, 16 if first < 16 else 32)
        registers = f"{{d{first}-d{last}}}" if last > first else f"{{d{first}}}"
        if last < 16 and draw.random() < 0.4:
            self._line(f".save {registers}")  # FSTMX: a word more
            self.now[SP] -= 4
        else:
            self._line(f".vsave {registers}")
        self.now[SP] -= 8 * (last - first + 1)


class Unwinding(unittest.TestCase):
    def test_assembled(self):
        """Functions whose tables GNU's assembler made lead back to where they were entered."""
        draw = random.Random(1)
        drawn = [Drawn(draw) for _ in range(FUNCTIONS)]
        text = [".syntax unified", ".thumb" if "-mthumb" in COMPILE else ".arm", ".fpu neon", ".text", ".globl no_personality",
                ".type no_personality, %function", "no_personality: nop"]
        for number, function in enumerate(drawn):
            text += [f".section .text.f{number}, \"ax\", %progbits", f".globl f{number}", f".type f{number}, %function",
                     f"f{number}:", *function.lines, f".size f{number}, . - f{number}"]
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder) / "drawn.S", Path(folder) / "drawn.elf"
            source.write_text("\n".join(text) + "\n")
            subprocess.run([*COMPILE, "-nostdlib", "-Wl,-Ttext=0x8000", "-Wl,--entry=f0",
                            *(f"-Wl,--defsym=__aeabi_unwind_cpp_pr{model}=0" for model in range(3)), source, "-o", program],
                           check=True)
            elf = Elf(program)
            known = Program(program)
        tables = Tables(elf)
        places = {name: address for address, _, name, _ in known._functions}  # noqa: SLF001
        kinds = set()
        for number, function in enumerate(drawn):
            if function.cannot:
                self.assertRaisesRegex(NoWay, "cannot be unwound$", tables.opcodes, places[f"f{number}"])
                continue
            codes = tables.opcodes(places[f"f{number}"])
            kinds |= {code & 0xF8 if code >= 0x80 else code & 0xC0 for code in codes}

            def load(address, memory=function.memory):
                return memory[address]
            found = unwound(codes, function.now, load)
            self.assertEqual(found, function.after, (number, codes.hex(" "), function.lines))
        self.assertGreaterEqual(len(kinds), 9, [hex(kind) for kind in sorted(kinds)])

    def test_spare(self):
        """What IHI 0038 calls spare or reserved, and tables that end too early."""
        for codes in (b"\x80\x00", b"\x9d", b"\x9f", b"\xb1\x00", b"\xb1\x10", b"\xb1\xff", b"\xb5", b"\xb7", b"\xc7\x00", b"\xc7\x10",
                      b"\xca", b"\xcf", b"\xd8", b"\xff", b"\x84", b"\xb1", b"\xb2", b"\xb2\x80", b"\xb3", b"\xc6", b"\xc9"):
            self.assertRaises(NoWay, unwound, codes, [0] * 16, lambda _: 0)

    def test_by_hand(self):
        """Instructions that no compiler of today makes: Intel's WMMX, and sums that wrap."""
        def stack(codes, registers=(0,) * 13 + (STACK, 0x55, 0)):
            return unwound(codes, registers, lambda address: address)
        for codes, moved in ((b"\x00", 4), (b"\x3f", 0x100), (b"\x40", -4), (b"\x7f", -0x100), (b"\xb2\x00", 0x204),
                             (b"\xb2\x81\x02", 0x204 + (0x101 << 2)), (b"\xb3\x83", 8 * 4 + 4), (b"\xb4", 4), (b"\xb8", 12), (b"\xbf", 68),
                             (b"\xc0", 8), (b"\xc5", 48), (b"\xc6\xa2", 24), (b"\xc7\x0b", 12), (b"\xc8\x0f", 128), (b"\xc9\x80", 8),
                             (b"\xd0", 8), (b"\xd7", 64), (b"\xb0\x3f", 0), (b"", 0)):
            found = stack(codes)
            self.assertEqual((found[SP], found[PC]), (STACK + moved, 0x55), codes.hex())
        self.assertEqual(stack(b"\x9b", (0,) * 11 + (77, 0, STACK, 1, 0))[SP], 77)
        popped = stack(b"\x88\x00")  # pc alone
        self.assertEqual((popped[PC], popped[SP]), (STACK, STACK + 4))
        popped = stack(b"\x82\x01")  # r4 and sp
        self.assertEqual((popped[4], popped[SP]), (STACK, STACK + 4))
        self.assertEqual(stack(b"\x00", (0,) * 13 + (0xFFFF_FFFE, 0, 0))[SP], 2)

    def test_random_instructions(self):
        draw, ways = random.Random(2), 0
        for _ in range(20000):
            codes = bytes(draw.getrandbits(8) for _ in range(draw.randrange(12)))
            try:
                found = unwound(codes, [draw.getrandbits(32) for _ in range(16)], lambda address: address * 3 & 0xFFFFFFFF)
                self.assertTrue(all(0 <= word < 1 << 32 for word in found), codes.hex())
                ways += 1
            except NoWay:
                pass
        self.assertGreater(ways, 3000)


class Anything(unittest.TestCase):
    """Reports and programs of any contents: lines, or a sentence."""

    def setUp(self):
        self.place = Program.place
        Program.place = lambda program, address: f"{address:#x} {program.function(address)}"  # no tool for each
        self.addCleanup(setattr, Program, "place", self.place)

    def report(self, draw, program):
        """Words that are a whole report: what is in it is as drawn, with addresses of the program among it."""
        code = program.elf.sections[".text"]

        def word():
            return draw.choice((draw.getrandbits(32), code.address + draw.randrange(code.size), STACK + draw.randrange(400),
                                0xFFFFFF00 + draw.getrandbits(8), draw.getrandbits(8)))
        room, log = draw.randrange(120), draw.randrange(40)
        count = draw.randrange(room + 1)
        words = [crash.MAGIC, crash.VERSION, crash.STACK + room + log + 1, program.elf.image, draw.randrange(10), word(),
                 *(word() for _ in range(17)), *(word() for _ in range(4)), STACK, count, crash.STACK + room, draw.randrange(log + 1),
                 *(word() for _ in range(room + log))]
        for _ in range(draw.choice((0, 0, 1, 3))):
            words[draw.randrange(3, len(words))] = word()
        return [*words, zlib.crc32(struct.pack(f"<{len(words)}I", *words))]

    def test_reports(self):
        program, draw, shown = Program(PROGRAM), random.Random(3), 0
        for _ in range(3000):
            words = self.report(draw, program)
            try:
                lines = list(lines_of(report_of(words), program, draw.choice((0, 1000))))
            except NoReport as error:
                self.assertRegex(str(error), "^the crash report is damaged: it has more of the stack or of the log than fits$")
                continue
            self.assertTrue(all(line.isprintable() for line in lines))
            self.assertLessEqual(len(lines), 7 + crash.MOST_CALLS + 160)
            shown += 1
        self.assertGreater(shown, 1000)

    def test_programs(self):
        """An ELF of which bytes are others, or that ends early."""
        draw, data = random.Random(4), Path(PROGRAM).read_bytes()
        words = self.report(random.Random(5), Program(PROGRAM))
        shown = 0
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "program.elf"
            for _ in range(150):
                other = bytearray(data)
                sections, = struct.unpack_from("<I", data, 32)
                for _ in range(draw.randrange(1, 30)):
                    at = draw.choice((draw.randrange(len(data)), draw.randrange(4, 52), draw.randrange(sections, len(data))))
                    other[at] = draw.getrandbits(8)
                path.write_bytes(other if draw.random() < 0.9 else other[:draw.randrange(len(other))])
                try:
                    list(lines_of(report_of(words), Program(path)))
                    shown += 1
                except (NoElf, NoReport) as error:
                    self.assertRegex(str(error), f"^{path} is (no ELF file|an ELF file that is damaged|no program for ARM)$")
        self.assertGreater(shown, 10)

    def test_no_arm(self):
        with self.assertRaisesRegex(NoReport, f"^{sys.executable} is no program for ARM$"):
            Program(sys.executable)

    def test_recursion(self):
        """A stack that leads round in circles ends."""
        program = Program(PROGRAM)
        main = next(function for function in program._functions if function[2] == "main")  # noqa: SLF001
        registers = [main[0]] * 17
        registers[SP] = STACK
        report = Report(0, 1, 0, tuple(registers), (0,) * 4, STACK, (main[0] | main[3],) * 500, 600, ())
        self.assertLessEqual(len(program.backtrace(report)), crash.MOST_CALLS)


if __name__ == "__main__":
    PROGRAM, *COMPILE = sys.argv[1:]
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case) for case in (Unwinding, Anything))
    sys.exit(not unittest.TextTestRunner(verbosity=1).run(suite).wasSuccessful())
