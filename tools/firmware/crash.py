# SPDX-License-Identifier: BSL-1.0
"""Reports of include/neuromorph/firmware/crash.hpp: collected from records, and explained with the program's ELF."""

import bisect
import os
import re
import shutil
import struct
import subprocess
import zlib
from typing import NamedTuple

from .elf import ARM, Elf
from .log import Decoder, NoLog
from .mailbox import Record
from .unwind import LR, PC, SP, NoWay, Tables, unwound

MAGIC, VERSION, KIND = 0x48535243, 2, 1
REGISTERS, FAULTS, STACK_PLACE, STACK_WORDS, LOG_PLACE, LOG_WORDS, STACK = 6, 23, 27, 28, 29, 30, 31
MOST_CALLS = 100
CAUSES = {1: "fault", 2: "undefined instruction", 3: "prefetch abort", 4: "data abort", 5: "assertion",
          6: "stack overflow", 7: "watchdog"}
NAMES = [f"r{number}" for number in range(13)] + ["sp", "lr", "pc", "status"]
# Of CFSR: ARMv7-M Architecture Reference Manual, B3.2.15.
CFSR = {0: "fetch where no execution is allowed", 1: "data access violation", 4: "fault while entering an exception",
        8: "fetch from an address without memory", 9: "data access to an address without memory",
        10: "data access to an address without memory, some time before", 12: "bus fault while entering an exception",
        16: "undefined instruction", 17: "no Thumb state", 18: "wrong return from an exception", 19: "no coprocessor",
        24: "unaligned access", 25: "division by zero"}


class NoReport(Exception):
    """The sentence that says why there is no report to be read."""


class Report(NamedTuple):
    image: int
    cause: int
    argument: int
    registers: tuple  # r0 to r15, status
    faults: tuple
    stack_place: int
    stack: tuple
    stack_room: int  # words that it could have
    log: tuple  # words of the newest records of the log

    @property
    def says(self):
        """The cause in words."""
        text = CAUSES.get(self.cause, f"cause {self.cause}")
        if self.cause == 1:
            text = ", ".join(words for bit, words in CFSR.items() if self.faults[0] >> bit & 1) or "hard fault"
            if self.faults[0] >> 7 & 1:
                text += f" (0x{self.faults[2]:08x})"
            elif self.faults[0] >> 15 & 1:
                text += f" (0x{self.faults[3]:08x})"
        return f"{text} ({self.argument})" if self.cause in (5, 6) else text


def report_of(words):
    """Of all its words; NoReport says what is wrong with them."""
    if len(words) <= STACK or words[0] != MAGIC:
        raise NoReport("there is no crash report at this place")
    if words[1] != VERSION:
        raise NoReport(f"the crash report has layout version {words[1]}, this program knows version {VERSION}")
    if words[2] != len(words):
        raise NoReport(f"the crash report has {words[2]} words, {len(words)} of them are here")
    if zlib.crc32(struct.pack(f"<{len(words) - 1}I", *words[:-1])) != words[-1]:
        raise NoReport("the crash report is damaged: its CRC is another")
    stack, log = words[STACK:STACK + words[STACK_WORDS]], words[words[LOG_PLACE]:words[LOG_PLACE] + words[LOG_WORDS]]
    if words[STACK_WORDS] != len(stack) or words[LOG_WORDS] != len(log) or STACK + len(stack) > words[LOG_PLACE]:
        raise NoReport("the crash report is damaged: it has more of the stack or of the log than fits")
    return Report(words[3], words[4], words[5], tuple(words[REGISTERS:FAULTS]), tuple(words[FAULTS:STACK_PLACE]),
                  words[STACK_PLACE], tuple(stack), words[LOG_PLACE] - STACK, tuple(log))


class Collector:
    """Reports out of the records of a channel, which carry 15 words of one each."""

    def __init__(self):
        self._words = []

    def take(self, record):
        """A report's words when the record is its last, else None."""
        if record.kind != KIND:
            return None
        if record.token != len(self._words):  # another has begun, or something is missing
            self._words = []
        if record.token == len(self._words):
            self._words += record.words
        if len(self._words) > 2 and len(self._words) >= self._words[2]:
            words, self._words = self._words, []
            return words
        return None


GUESSED, INTERRUPTED = "perhaps", "interrupted"
EXCEPTION = 0xFFFFFF00  # from here on a Cortex-M returns from an exception


class Frame(NamedTuple):
    """A function that has not come to its end."""
    address: int  # where it is: of a caller, its call
    found: str  # how: "", or one of these


class Program:
    """What an ELF knows: functions, code, places in the source."""

    def __init__(self, path):
        self.elf, self.path = Elf(path), path
        if self.elf.machine != ARM:
            raise NoReport(f"{path} is no program for ARM")
        self.tables = Tables(self.elf)
        self._functions = []
        symbols = self.elf.sections[".symtab"].data if ".symtab" in self.elf.sections else b""
        names = self.elf.sections[".strtab"].data if ".strtab" in self.elf.sections else b""
        for at in range(0, len(symbols) - 15, 16):
            name, value, size, info, _, _ = struct.unpack_from(self.elf.order + "IIIBBH", symbols, at)
            if info & 15 == 2:
                end = names.find(b"\0", name)
                self._functions.append((value & ~1, size, names[name:end].decode("latin-1"), value & 1))
        self._functions.sort()

    def check(self, report):
        """Whether the report is of this program, or NoReport; 0 says nothing."""
        if report.image not in (0, self.elf.image):
            raise NoReport(f"{self.path} is another program (0x{self.elf.image:x}) than the one that has crashed "
                           f"(0x{report.image:x})")

    def function(self, address):
        """(begin, size, name, is Thumb) of the one that has this address, or None."""
        at = bisect.bisect_right(self._functions, (address, 1 << 40)) - 1
        if at < 0:
            return None
        begin, size, _, _ = found = self._functions[at]
        return found if address < begin + size else None

    def _halves(self, address, count):
        data = self.elf.memory(address, 2 * count)
        return struct.unpack(f"{self.elf.order}{count}H", data) if data else (0,) * count

    def call_before(self, word):
        """Where the call is that this word returns behind, or None."""
        address = word & ~1
        function = self.function(address - 2)
        if function is not None and function[3] != word & 1:
            return None
        if word & 1:
            first, second = self._halves(address - 4, 2)
            if first >> 11 == 0x1E and second & 0xD000 == 0xD000:  # BL
                return address - 4
            return address - 2 if second & 0xFF87 == 0x4780 else None  # BLX of a register
        data = self.elf.memory(address - 4, 4) if address % 4 == 0 else b""
        if not data:
            return None
        word, = struct.unpack(self.elf.order + "I", data)
        is_call = word & 0x0F000000 == 0x0B000000 or word & 0x0FFFFFF0 == 0x012FFF30 or word >> 25 == 0x7D
        return address - 4 if is_call else None

    def saves(self, address):
        """Where the function there saves what it returns to, if that is among its first instructions; or None."""
        function = self.function(address)
        if function is None:
            return None
        begin, size, _, thumb = function
        at, end = begin, begin + min(size, 32)
        while at < end:
            first, second = self._halves(at, 2)
            if not thumb:
                word = first | second << 16
                if word & 0xFFFFC000 == 0xE92D4000 or word == 0xE52DE004:  # STMDB sp!, {.. lr}; STR lr, [sp, #-4]!
                    return at
                at += 4
            else:
                if first >> 8 == 0xB5 or first == 0xE92D and second >> 14 & 1 or (first, second) == (0xF84D, 0xED04):
                    return at
                at += 4 if first >> 11 in (0x1D, 0x1E, 0x1F) else 2
        return None

    def backtrace(self, report):
        """Frames, innermost first.

        By the tables as far as they lead. Where they do not, or the ELF has none, the next word of the stack that returns
        behind a call is taken for the caller: that may be one of a call that is over.
        """
        walk = Walk(self, report)
        frames = [Frame(report.registers[PC] & ~1, "")]
        while len(frames) < MOST_CALLS and (frame := walk.next(frames[-1])) is not None:
            frames.append(frame)
        return frames

    def place(self, address):
        """The function, and file:line where addr2line is installed."""
        function = self.function(address)
        tool = shutil.which("arm-none-eabi-addr2line") or shutil.which("addr2line")
        line = ""
        if tool:
            line = near(subprocess.run([tool, "-e", str(self.path), hex(address)], capture_output=True, text=True,
                                       check=False).stdout.strip())
        name = readable(demangled(function[2])) if function else "?"
        return f"0x{address:08x} {name}" + (f" {line}" if line and not line.startswith("??") else "")


class Walk:
    """From a function to its caller, over the stack that a report has."""

    def __init__(self, program, report):
        self._program, self._report = program, report
        self._registers = [*report.registers[:SP], report.stack_place, *report.registers[LR:PC + 1]]
        self._is_stopped = True  # at an instruction, not in a call: the link register may be the caller's
        self._told = None  # by the link register, which the stack may hold once more

    def next(self, frame):
        """The frame of the caller, or None."""
        found = self._caller(frame.address)
        if found is None:
            return None
        self._registers, how = found
        self._is_stopped = how == INTERRUPTED
        place = self._registers[PC] & ~1 if self._is_stopped else self._program.call_before(self._registers[PC])
        return Frame(place, how)

    def _load(self, address):
        at = address - self._report.stack_place
        if at % 4 or not 0 <= at < 4 * len(self._report.stack):
            raise NoWay(f"the report has nothing of the stack at {address:#x}")
        return self._report.stack[at // 4]

    def _caller(self, address):
        """Its registers, and how they were found; or None."""
        registers, push = self._registers, self._program.saves(address)
        by_link = [*registers[:PC], registers[LR]]
        has_link = self._is_stopped and self._is_return(registers[LR])
        if has_link and (not self._program.elf.memory(address, 2) or push is not None and address <= push):
            return self._entered(by_link, "")  # nothing of this function has run that could have changed it
        try:
            found = unwound(self._program.tables.opcodes(address), registers, self._load)
            if self._is_return(found[PC]) and found[SP] >= registers[SP] + (0 if self._is_stopped else 4):
                return self._entered(found, "")
        except NoWay:
            pass
        if has_link and push is None:
            self._told = registers[LR]
            return self._entered(by_link, GUESSED)
        return self._scanned()

    def _scanned(self):
        """By the next word that returns; nothing is known of the caller's other registers."""
        registers, stack = self._registers, self._report.stack
        for at in range((registers[SP] - self._report.stack_place) // 4, len(stack)):
            if stack[at] == self._told:
                self._told = None
            elif self._is_return(stack[at]):
                found = self._entered([*registers[:SP], self._report.stack_place + 4 * (at + 1), stack[at], stack[at]], GUESSED)
                if found is not None:
                    return found
        return None

    def _is_return(self, word):
        return word >= EXCEPTION or self._program.call_before(word) is not None

    def _entered(self, registers, how):
        """The caller; or what was interrupted, whose registers a Cortex-M has stored on the main stack, if they are there."""
        kind, place = registers[PC], registers[SP]
        if kind < EXCEPTION:
            return registers, how
        try:
            words = [self._load(place + 4 * at) for at in range(8)]
        except NoWay:
            return None
        function = self._program.function(words[6])
        if kind & 7 not in (0, 1) or not words[7] >> 24 & 1 or function is None or not function[3]:
            return None  # the process stack's, or no exception
        place += (32 if kind >> 4 & 1 else 104) + (4 if words[7] >> 9 & 1 else 0)
        return [*words[:4], *registers[4:12], words[4], place, words[5], words[6]], INTERRUPTED


def demangled(name):
    """Without parameters and what is returned."""
    tool = shutil.which("c++filt") or shutil.which("arm-none-eabi-c++filt")
    return subprocess.run([tool, "-p", name], capture_output=True, text=True, check=False).stdout.strip() if tool else name


def readable(name):
    """Without the arguments of templates, which are longer than a screen, and the name of the library's ABI."""
    operators = r"operator *(?:<=>|<<=?|>>=?|->\*?|<=?|>=?)"
    text, depth = "", 0
    for part in re.findall(rf"{operators}|[<>]|[^<>o]+|o", name):
        if part == "<":
            text += "<" * (depth == 0)
            depth += 1
        elif part == ">" and depth:
            depth -= 1
            text += ">" * (depth == 0)
        elif depth == 0:
            text += part
    text = re.sub(r"\bneuromorph::v\d+_\d+_\d+_\w+::", "neuromorph::", text)
    return text if depth == 0 else name


def near(place):
    """A file's path from where the user stands, if it is below that; else the whole of it."""
    path, _, rest = place.rpartition(":")
    path = os.path.normpath(path) if path else path
    inside = os.path.relpath(path) if os.path.isabs(path) else path
    return f"{path if inside.startswith('..') else inside}:{rest}" if path else place


def lines_of(report, program, ticks_per_second=0):
    yield f"the program has ended: {report.says}"
    for at in range(0, 17, 4):
        yield "  " + "  ".join(f"{name:>6} {value:08x}" for name, value in zip(NAMES[at:at + 4], report.registers[at:at + 4]))
    for number, frame in enumerate(program.backtrace(report)):
        yield f"#{number:<2} {program.place(frame.address)}" + (f" ({frame.found})" if frame.found else "")
    if report.stack and len(report.stack) == report.stack_room:
        yield f"-- the report has {report.stack_room} words of the stack, which had more"
    if report.log:
        yield "the last lines of its log:"
        yield from log_lines(report, program, ticks_per_second)


def log_lines(report, program, ticks_per_second):
    """The lines of a log, as tools/log prints them; of what is none, why."""
    try:
        decoder = Decoder(program.elf)
    except NoLog as error:
        yield f"-- {error}"
        return
    words = list(report.log)
    while words:
        count = (words[0] >> 8 & 0xFF) + 1
        record, words = words[:count], words[count:]
        try:
            line = decoder.line(Record.of(record))
        except NoLog as error:
            yield f"-- {error}"
            continue
        when = "" if line.ticks is None else \
            f"{f'{line.ticks / ticks_per_second:.6f}' if ticks_per_second else line.ticks:>14} "
        text = f"{when}{line.level:<7} {line.file}:{line.line} {line.text}"
        yield "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
