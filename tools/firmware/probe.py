# SPDX-License-Identifier: BSL-1.0
"""The host's end of include/neuromorph/firmware/gdb/probe.hpp: records over a line of bytes or over channels, and the program
at the other end of them. docs/debugging.md has the records."""

import random
import struct
import time
import zlib
from typing import NamedTuple

from .gdb_machines import MACHINES

REFUSED, HELLO, REGION, READ, WRITE, GO, STEP, STOP, UNIT = range(1, 10)
VERSION = 1
READ_ONLY, WRITABLE = 0, 1
TRAP = 5
ASK_AGAIN_S, LONGEST_PAUSE_S = 1.0, 10.0
PATIENCE_S, PATIENCE_AT_FIRST_S = 15.0, 30.0


class NoTarget(Exception):
    """The sentence that says why a program cannot be debugged."""


class Refused(Exception):
    """It cannot be done, and nothing was."""


class Unanswered(Exception):
    """The target has said nothing."""


class FramedLine:
    """Records over bytes, as include/neuromorph/firmware/gdb/framed_line.hpp has them: each followed by its CRC.

    line  has `receive()`, bytes that have come, b"" if none have, and `send(data)`
    """

    is_lossy = True

    def __init__(self, line):
        self._line, self._data = line, b""
        self.damaged = 0

    def read(self):
        if (words := self._whole()) is None:  # what came with another is there, whether or not the line still is
            self._data += self._line.receive()
            words = self._whole()
        return words

    def _whole(self):
        while True:
            data = self._data.lstrip(b"\0")
            size = 4 * (data[1] + 2) if len(data) > 1 else 8
            if len(data) < size:
                self._data = data
                return None
            *words, crc = struct.unpack(f"<{size // 4}I", data[:size])
            if crc == zlib.crc32(data[:size - 4]):
                self._data = data[size:]
                return words
            self.damaged += 1
            self._data = data[1:]  # a record may begin at any byte of what was none

    def write(self, words, again=False):
        data = struct.pack(f"<{len(words)}I", *words)
        zeros = b""
        if again:  # whatever either side is in the middle of ends with this
            self._data, zeros = self._data[1:], bytes(4 * 257)
        self._line.send(zeros + data + struct.pack("<I", zlib.crc32(data)))

    def close(self):
        self._line.close()


class ChannelLine:
    """Records over two channels of a mailbox."""

    def __init__(self, mailbox, asked="gdb<", answered="gdb>"):
        from .frames import LineMailbox
        self._mailbox, self._asked, self._answered = mailbox, mailbox[asked], mailbox[answered]
        self.is_lossy = isinstance(mailbox, LineMailbox)

    @property
    def damaged(self):
        return self._answered.damaged

    def read(self):
        from .mailbox import Record
        record = self._answered.read()
        return None if record is None else Record.packed(record)

    def write(self, words, again=False):
        from .mailbox import Record
        record = Record.of(words)
        if len(record.words) <= self._asked.description.longest:
            self._asked.write(record)

    def close(self):
        self._mailbox.close()


class Region(NamedTuple):
    begin: int
    bytes: int
    is_writable: bool

    def holds(self, address, count):
        return self.begin <= address < self.begin + self.bytes and address + count <= self.begin + self.bytes


class Target:
    """The program at the other end of a line of records.

    line  has `read()`, the words of a record or None, `write(words, again)`, `is_lossy`, `close()`
    """

    def __init__(self, line, patience_s=PATIENCE_S, patience_at_first_s=PATIENCE_AT_FIRST_S):
        self._line, self._patience_s, self._patience_at_first_s = line, patience_s, patience_at_first_s
        self._token = random.randrange(1, 0x10000)
        self._awaited = []  # tokens of which the answer says that the program has stopped
        self._asked, self._ask_again_at, self._pause_s = None, 0.0, ASK_AGAIN_S
        self.machine, self.regions, self.longest, self.breakpoints = None, [], 0, 0
        self.has_units = self.has_hardware_step = False
        self.signal, self._place = TRAP, 0
        self.is_running = False
        self.malformed = self.asked_again = 0

    @property
    def damaged(self):
        return self._line.damaged

    def close(self):
        self._line.close()

    def hello(self):
        """Stops the program if it runs, and learns what it is."""
        signal, place, about, code, regions = self._ask(HELLO, (), 5, self._patience_at_first_s)
        if about & 0xFF != VERSION:
            raise NoTarget(f"the target speaks version {about & 0xFF} of this protocol, this program version {VERSION}")
        self.machine = MACHINES.get(code)
        if self.machine is None:
            raise NoTarget(f"the target is a machine that this program does not know: the code of its registers is {code:08x}")
        self.longest, self.breakpoints = about >> 8 & 0xFF, about >> 16 & 0xFF
        self.has_units, self.has_hardware_step = bool(about >> 24 & 1), bool(about >> 25 & 1)
        self.signal, self._place = signal & 0xFF, place
        self.regions = []
        for number in range(min(regions, 256)):
            begin, size, access = self._ask(REGION, (number,), 3)
            self.regions.append(Region(begin, size, access & 0xFF == WRITABLE))
        self._awaited, self.is_running = [], False

    def may(self, address, count, writes=False):
        return any(region.holds(address, count) and (region.is_writable or not writes) for region in self.regions)

    def read(self, address, count):
        """In as wide accesses as the addresses allow."""
        if not self.may(address, count):
            raise Refused
        return b"".join(value.to_bytes(width, self.machine.order)
                        for place, width, units in self._pieces(address, count, self.longest)
                        for value in self._units(place, width, units))

    def write(self, address, data):
        if not self.may(address, len(data), writes=True):
            raise Refused
        for place, width, units in self._pieces(address, len(data), self.longest - 2):
            piece = data[place - address:place - address + width * units]
            self._ask(WRITE, (place, width, *(int.from_bytes(piece[at:at + width], self.machine.order)
                                              for at in range(0, len(piece), width))), 0)

    def unit(self, address, width):
        """As one access."""
        if address % width or not self.may(address, width):
            raise Refused
        return self._units(address, width, 1)[0]

    def registers(self):
        values = []
        for at in range(0, self.machine.bytes // 4, self.longest):
            values += self._units(self._place + 4 * at, 4, min(self.longest, self.machine.bytes // 4 - at))
        return bytearray(b"".join(value.to_bytes(4, self.machine.order) for value in values))

    def set_registers(self, registers):
        values = self.machine.words(registers)
        for at in range(0, len(values), self.longest - 2):
            self._ask(WRITE, (self._place + 4 * at, 4, *values[at:at + self.longest - 2]), 0)

    def stop_unit(self, kind, address, count, insert):
        """Whether a unit of the machine stops the program there."""
        if not self.has_units:
            return False
        try:
            self._ask(UNIT, (kind, address, count, int(insert)), 0)
        except Refused:
            return False
        return True

    def go(self, places, step=False):
        """Lets the program run, with breakpoints at these places; `poll` tells when it has stopped."""
        words = [word for place in places for word in place]
        self._send(STEP if step else GO, words)
        self._awaited = [self._token]
        self.is_running = True

    def stop(self):
        if self.is_running:
            self._send(STOP, ())
            self._awaited.append(self._token)

    def poll(self):
        """Whether the program has stopped since it was let go. Refused: it does not run at all."""
        if not self.is_running:
            return False
        found = self._answer(self._awaited)
        if found is None:
            return False
        kind, words = found
        self.is_running = False
        if kind == REFUSED:
            raise Refused
        if len(words) == 2:
            self.signal, self._place = words[0] & 0xFF, words[1]
        else:
            self.malformed += 1
        return True

    def _pieces(self, address, count, most):
        end = address + count
        while address != end:
            width = 4 if address % 4 == 0 and end - address >= 4 else 2 if address % 2 == 0 and end - address >= 2 else 1
            limit = end - address if width == 4 else width  # what is not aligned at either end goes in one access each
            units = min(limit // width, most)
            yield address, width, units
            address += width * units

    def _units(self, address, width, count):
        words = self._ask(READ, (address, width, count), count)
        return [word & (1 << 8 * width) - 1 for word in words]

    def _send(self, kind, words):
        self._token = self._token % 0xFFFF + 1
        self._asked = [kind | len(words) << 8 | self._token << 16, *words]
        self._line.write(self._asked)
        self._pause_s = ASK_AGAIN_S
        self._ask_again_at = time.monotonic() + self._pause_s

    def _answer(self, tokens):
        """The kind and the words of the answer to one of these requests, if it has come. Asks once more now and then."""
        while (record := self._line.read()) is not None:
            if not record or len(record) != (record[0] >> 8 & 0xFF) + 1:
                self.malformed += 1
            elif record[0] >> 16 in tokens:
                return record[0] & 0xFF, list(record[1:])
        if self._line.is_lossy and time.monotonic() > self._ask_again_at:  # the longer it takes, the more seldom
            self._line.write(self._asked, again=True)
            self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)
            self._ask_again_at = time.monotonic() + self._pause_s
            self.asked_again += 1
        return None

    def _ask(self, kind, words, answers, patience_s=None):
        """The words of the answer, of which there are so many."""
        self._send(kind, words)
        until, turns = time.monotonic() + (self._patience_s if patience_s is None else patience_s), 0
        while time.monotonic() < until:
            found = self._answer([self._token])
            if found is None:
                turns += 1
                time.sleep(0 if turns < 200 else 0.0005)
                continue
            if found[0] == REFUSED:
                raise Refused
            if found[0] == kind and len(found[1]) == answers:
                return found[1]
            self.malformed += 1
        raise Unanswered
