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

from .elf import Elf

MAGIC, VERSION, KIND = 0x48535243, 1, 1
REGISTERS, FAULTS, STACK_PLACE, STACK_WORDS, STACK = 6, 23, 27, 28, 29
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
    if words[STACK_WORDS] > len(words) - STACK - 1:
        raise NoReport("the crash report is damaged: it has more of the stack than fits")
    return Report(words[3], words[4], words[5], tuple(words[REGISTERS:FAULTS]), tuple(words[FAULTS:STACK_PLACE]),
                  words[STACK_PLACE], tuple(words[STACK:STACK + words[STACK_WORDS]]))


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


class Program:
    """What an ELF knows: functions, code, places in the source."""

    def __init__(self, path):
        self.elf, self.path = Elf(path), path
        symbols = self.elf.sections[".symtab"].data if ".symtab" in self.elf.sections else b""
        names = self.elf.sections[".strtab"].data if symbols else b""
        self._functions, self.image = [], None
        for at in range(0, len(symbols) - 15, 16):
            name, value, size, info, _, section = struct.unpack_from(self.elf.order + "IIIBBH", symbols, at)
            text = names[name:names.index(b"\0", name)].decode("latin-1")
            if info & 15 == 2:
                self._functions.append((value & ~1, size, text))
            elif text == "neuromorph_image":
                self.image = value
        self._functions.sort()

    def check(self, report):
        """Whether the report is of this program, or NoReport."""
        if self.image is None:
            raise NoReport(f"{self.path} does not say which program it is: it lacks the symbol neuromorph_image")
        if self.image != report.image:
            raise NoReport(f"{self.path} is another program (0x{self.image:x}) than the one that has crashed "
                           f"(0x{report.image:x})")

    def function(self, address):
        at = bisect.bisect_right(self._functions, (address, 1 << 40)) - 1
        if at < 0:
            return None
        begin, size, name = self._functions[at]
        return (name, address - begin) if address < begin + size else None

    def code(self, address, count):
        for section in self.elf.sections.values():
            if section.flags & 4 and section.address <= address and address + count <= section.address + len(section.data):
                return section.data[address - section.address:address - section.address + count]
        return b""

    def is_return(self, address, thumb):
        """Whether the instruction before is a call."""
        if thumb:
            if not address & 1:
                return False
            address &= ~1
            wide, narrow = self.code(address - 4, 4), self.code(address - 2, 2)
            if len(wide) == 4:
                first, second = struct.unpack("<HH", wide)
                if first >> 11 == 0x1E and second & 0xD000 == 0xD000:
                    return True
            return len(narrow) == 2 and struct.unpack("<H", narrow)[0] & 0xFF87 == 0x4780
        word = self.code(address - 4, 4) if address % 4 == 0 else b""
        if len(word) != 4:
            return False
        word, = struct.unpack("<I", word)
        return word & 0x0F000000 == 0x0B000000 or word & 0x0FFFFFF0 == 0x012FFF30 or word >> 25 == 0x7D

    def backtrace(self, report):
        """Addresses, innermost first. After pc and lr, words of the stack behind calls: some may be of calls that are over."""
        registers = report.registers
        thumb = bool(registers[16] >> 5 & 1 or registers[16] >> 24 & 1 and registers[16] & 0x1F == 0 or
                     registers[16] >> 24 & 1 and not registers[16] & 0x10)
        found = [registers[15]]
        for word in (registers[14], *report.stack):
            if self.is_return(word, thumb) and (place := (word & ~1) - (2 if thumb else 4)) != found[-1]:
                found.append(place)
        return found

    def place(self, address):
        """The function, and file:line where addr2line is installed."""
        function = self.function(address)
        tool = shutil.which("arm-none-eabi-addr2line") or shutil.which("addr2line")
        line = ""
        if tool:
            line = near(subprocess.run([tool, "-e", str(self.path), hex(address)], capture_output=True, text=True,
                                       check=False).stdout.strip())
        name = readable(demangled(function[0])) if function else "?"
        return f"0x{address:08x} {name}" + (f" {line}" if line and not line.startswith("??") else "")


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


def lines_of(report, program):
    yield f"the program has ended: {report.says}"
    for at in range(0, 17, 4):
        yield "  " + "  ".join(f"{name:>6} {value:08x}" for name, value in zip(NAMES[at:at + 4], report.registers[at:at + 4]))
    for number, address in enumerate(program.backtrace(report)):
        yield f"#{number:<2} {program.place(address)}"
