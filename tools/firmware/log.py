# SPDX-License-Identifier: BSL-1.0
"""Lines of a log from records and the ELF that has their texts; include/neuromorph/firmware/log.hpp writes them."""

import functools
import re
import struct
from pathlib import Path
from typing import NamedTuple

from .elf import Elf

SECTION = ".neuromorph.log"
MAGIC = 0x474F4C4E
VERSION = 1
HAS_TIME = 1
LINE, LOST, TIME = range(3)  # kinds of records
LEVELS = ("trace", "debug", "info", "warning", "error")
PLACE = re.compile(r"\{\{|\}\}|\{(?::(?P<zeros>0?)(?P<width>\d*)(?:\.(?P<digits>\d+))?(?P<bits>x?))?\}")


class NoLog(Exception):
    """The sentence that says why an ELF has no texts for a record."""


class Argument(NamedTuple):
    kind: str  # as ArgumentKind of format.hpp
    bytes: int
    fraction_bits: int


class Entry(NamedTuple):
    """What the ELF has of a call."""
    level: int
    has_time: bool
    file: str
    line: int
    text: str
    arguments: tuple


class Line(NamedTuple):
    level: str
    ticks: int | None  # as the firmware's clock counts, of 32 bits
    file: str
    line: int
    text: str


class Lost(NamedTuple):
    """Lines that found no room, where they would stand."""
    count: int


class Time(NamedTuple):
    """Since the start of the firmware, which tells it now and then."""
    ticks: int


class Early(NamedTuple):
    """The times of all lines so far are too early by so many ticks, as is known now."""
    ticks: int


class Decoder:
    def __init__(self, elf):
        self.elf = Elf(elf) if isinstance(elf, (str, Path)) else elf
        section = self.elf.sections.get(SECTION)
        if section is None:
            raise NoLog(f"{self.elf.path} has no section {SECTION}: it was linked without neuromorph_log.ld, or has no log")
        self._data = section.data
        if len(self._data) < 4 or self._word(0) != MAGIC:
            raise NoLog(f"section {SECTION} of {self.elf.path} is not what neuromorph_log.ld makes")
        if len(self._data) == 4:
            raise NoLog(f"section {SECTION} of {self.elf.path} is empty: it has no log, or its linker script includes "
                        "neuromorph_log.ld behind what takes .rodata")
        self.entry = functools.cache(self._entry)

    def check(self, image):
        """Whether the firmware that says so of itself is this program; 0 says nothing."""
        if image not in (0, self.elf.image):
            raise NoLog(f"the firmware runs another program than {self.elf.path}: it says that it is {image:#x}, "
                        f"the file is {self.elf.image:#x}")

    def line(self, record):
        """The line of a record."""
        if record.kind != LINE:
            raise self._stranger(f"its kind is {record.kind}")
        entry = self.entry(record.token)
        words = list(record.words)
        if len(words) < entry.has_time:
            raise self._stranger("it has no time")
        ticks = words.pop(0) if entry.has_time else None
        return Line(LEVELS[entry.level], ticks, entry.file, entry.line,
                    written(entry.text, entry.arguments, self._values(entry.arguments, words)))

    def _stranger(self, why):
        return NoLog(f"a record is no line of {self.elf.path}: {why}; is it the program that runs?")

    def _word(self, at):
        return struct.unpack_from(self.elf.order + "I", self._data, at)[0]

    def _entry(self, token):
        at = token * 4
        if at < 4 or at + 12 > len(self._data):
            raise self._stranger(f"there is no text {token}")
        # behind the word that the linker looks at
        version, level, flags, count = self._data[at + 4:at + 8]
        if version != VERSION:
            if version > 16 or level >= len(LEVELS):
                raise self._stranger(f"no text begins at {token}")
            raise NoLog(f"{self.elf.path} has a log of version {version}, this program knows version {VERSION}")
        line = self._word(at + 8)
        kinds = at + 12
        texts = self._data[kinds + 3 * count:].split(b"\0", 2)
        if level >= len(LEVELS) or flags > HAS_TIME or len(texts) < 3 or kinds + 3 * count > len(self._data):
            raise self._stranger(f"no text begins at {token}")
        arguments = tuple(Argument(chr(self._data[kinds + 3 * number]), self._data[kinds + 3 * number + 1],
                                   self._data[kinds + 3 * number + 2] - 64) for number in range(count))
        if any(argument.kind not in "bcuipsqf" or argument.bytes not in ((0,) if argument.kind == "s" else (1, 2, 4, 8))
               for argument in arguments):
            raise self._stranger(f"no text begins at {token}")
        return Entry(level, bool(flags & HAS_TIME), texts[0].decode(errors="replace"), line,
                     texts[1].decode(errors="replace"), arguments)

    def _values(self, arguments, words):
        """What was packed, as log_layout::Packing has it: bits as integers, texts."""
        places, count, shared, used = [], 0, 0, 32
        for argument in arguments:
            bits = 8 * argument.bytes
            if argument.kind == "s":
                places.append(None)
            elif bits >= 32:
                places.append((count, 0))
                count += bits // 32
            else:
                used = -(-used // bits) * bits
                if used + bits > 32:
                    shared, used, count = count, 0, count + 1
                places.append((shared, used))
                used += bits
        texts, values = count, []
        if count > len(words):
            raise self._stranger(f"it has {len(words)} words of values, and its text wants {count}")
        for argument, place in zip(arguments, places):
            if place is None:
                if texts >= len(words):
                    raise self._stranger("it has fewer texts than its text wants")
                length = words[texts] & 0xFF
                held = length // 4 + 1
                data = b"".join(word.to_bytes(4, "little") for word in words[texts:texts + held])
                if len(data) < length + 1:
                    raise self._stranger("one of its texts is longer than it")
                values.append(data[1:length + 1].decode(errors="replace"))
                texts += held
            else:
                word, bit = place
                value = words[word] >> bit
                if argument.bytes == 8:
                    value |= words[word + 1] << 32
                values.append(value & (1 << 8 * argument.bytes) - 1)
        if texts != len(words):
            raise self._stranger(f"it has {len(words)} words of values, and its text wants {texts}")
        return values


class Lines:
    """What the records of a channel say, in their order.

    missed  of the channel, before the first record
    """

    def __init__(self, decoder, missed=0):
        self._decoder, self._told, self._guessed = decoder, missed, 0
        self._ticks, self._is_absolute = None, False

    def take(self, records):
        """(ticks, what) of records that were read together; `what` is a Line, Lost, Early, or the NoLog of a record that is
        none. Ticks do not wrap: they count from the start where the firmware tells the time, else from when 2^32 of them
        wrapped before the first line; None where there is no time.
        """
        items = [self._item(record) for record in records]
        if not self._is_absolute:
            yield from self._find_start(items)
        for what in items:
            ticks = None
            if isinstance(what, Time):
                self._ticks = what.ticks
                continue
            if isinstance(what, Lost):
                self._told += what.count
                guessed = min(what.count, self._guessed)
                self._guessed -= guessed
                self._told -= guessed
                if what.count == guessed:
                    continue
                what = Lost(what.count - guessed)
            elif isinstance(what, Line) and what.ticks is not None:
                ticks = what.ticks if self._ticks is None else self._ticks + (what.ticks - self._ticks & 0xFFFFFFFF)
                self._ticks = ticks
            yield ticks, what

    def untold(self, missed):
        """Lines lost of which no record tells, as the oldest gave way or a line of bytes lost them, or None.

        missed  of the channel, when all that it had was read
        """
        if missed <= self._told:
            return None
        count = missed - self._told
        self._told, self._guessed = missed, self._guessed + count
        return Lost(count)

    def _item(self, record):
        if record.kind == LOST and len(record.words) == 1:
            return Lost(record.words[0])
        if record.kind == TIME and len(record.words) == 2:
            return Time(record.words[0] | record.words[1] << 32)
        try:
            return self._decoder.line(record)
        except NoLog as error:
            return error

    def _find_start(self, items):
        """Of the first time that is told: from it back to the first line that was read with it."""
        at = next((at for at, what in enumerate(items) if isinstance(what, Time)), None)
        if at is None:
            return
        start = items[at].ticks
        for what in reversed(items[:at]):
            if isinstance(what, Line) and what.ticks is not None:
                start -= start - what.ticks & 0xFFFFFFFF
        if self._ticks is not None and start != (goes_on := self._ticks + (start - self._ticks & 0xFFFFFFFF)):
            yield None, Early(start - goes_on)
        self._ticks, self._is_absolute = start, True


def written(text, arguments, values):
    """The text with the values in its places, as `firmware::print` writes it."""
    left = iter(zip(arguments, values))

    def place(match):
        if match[0] in ("{{", "}}"):
            return match[0][0]
        argument, value = next(left, (None, None))
        if argument is None:
            return match[0]
        return value_written(argument, value, int(match["width"] or 0), match["zeros"] == "0",
                             None if match["digits"] is None else int(match["digits"]), match["bits"] == "x")

    return PLACE.sub(place, text)


def value_written(argument, value, width, has_zeros, digits, is_hexadecimal):
    kind = argument.kind
    if kind == "s":
        return value.ljust(width)
    if kind == "b":
        return ("true" if value else "false").ljust(width)
    if kind == "c":
        return bytes([value & 0xFF]).decode("latin-1").ljust(width)
    mark = ""
    if kind == "p":
        mark, shown = "0x", f"{value:x}"
    elif is_hexadecimal:
        shown = f"{value:x}"
    else:
        if kind in "if" and value >> 8 * argument.bytes - 1:
            mark, value = "-", (1 << 8 * argument.bytes) - value
        shown = fixed_written(value, argument.fraction_bits, digits) if kind in "qf" else str(value)
    if has_zeros:
        return mark + shown.rjust(width - len(mark), "0")
    return (mark + shown).rjust(width)


def fixed_written(magnitude, fraction_bits, digits):
    """magnitude * 2^-fraction_bits: all digits, one behind the point at least, or so many, ties to even."""
    if fraction_bits < 0:
        magnitude, fraction_bits = magnitude << -fraction_bits, 0
    count = fraction_bits if digits is None else digits
    scaled = magnitude * 10 ** count
    whole, rest = scaled >> fraction_bits, scaled & (1 << fraction_bits) - 1
    half = 1 << fraction_bits >> 1
    if rest > half or (rest == half and half and whole & 1):
        whole += 1
    shown = str(whole).rjust(count + 1, "0")
    if digits == 0:
        return shown
    before, behind = (shown[:-count], shown[-count:]) if count else (shown, "")
    return f"{before}.{behind if digits is not None else behind.rstrip('0') or '0'}"
