# SPDX-License-Identifier: BSL-1.0
"""The host's part of a debugger in two parts: gdb's remote serial protocol on one side, the records of
include/neuromorph/firmware/gdb/probe.hpp on the other. docs/debugging.md has both."""

import random
import struct
import time
import zlib
from typing import NamedTuple

from .gdb_steps import arm_next, loop_next, power_next, thumb_next

REFUSED, HELLO, REGION, READ, WRITE, GO, STEP, STOP, UNIT = range(1, 10)
VERSION = 1
CONTROL_C, TRAP = 2, 5
READ_ONLY, WRITABLE = 0, 1
PACKET_BYTES = 0x1000
SUPPORTED = (f"PacketSize={PACKET_BYTES:x};QStartNoAckMode+;vContSupported+;qXfer:features:read+;"
             "qXfer:memory-map:read+")
ASK_AGAIN_S, LONGEST_PAUSE_S = 1.0, 10.0
PATIENCE_S, PATIENCE_AT_FIRST_S = 15.0, 30.0
OK, ERROR, UNKNOWN, LOST = "OK", "E01", "", "E02"
SOFTWARE_BREAK, HARDWARE_BREAK, WATCH_WRITE, WATCH_READ, WATCH_ACCESS = range(5)


class NoTarget(Exception):
    """The sentence that says why a program cannot be debugged."""


class Refused(Exception):
    """It cannot be done, and nothing was."""


class Unanswered(Exception):
    """The target has said nothing."""


# --- machines -----------------------------------------------------------------------------------------------------

class Feature(NamedTuple):
    """Registers of a kind, as the machine's header has them."""
    name: str
    registers: str
    bits: int
    type: str = ""
    types: str = ""
    group: str = ""


class Machine:
    """What the target's machine policy knows, and does not say of itself."""

    architecture, features, order, pc_at = "arm", (), "little", 15

    def __init__(self):
        texts = [self.architecture]
        for feature in self.features:
            texts += [feature.name, feature.registers, str(feature.bits), *feature[3:]]
        self.code = zlib.crc32("".join(f"{text}\0" for text in texts).encode())
        self.places = []  # of each register: offset and bytes
        self.bytes = 0
        for feature in self.features:
            for _ in feature.registers.split():
                self.places.append((self.bytes, feature.bits // 8))
                self.bytes += feature.bits // 8

    def description(self):
        text, is_open = f"<target><architecture>{self.architecture}</architecture><osabi>none</osabi>", False
        for feature in self.features:
            if feature.name:
                text += "</feature>" * is_open + f'<feature name="{feature.name}">'
                is_open = True
            text += feature.types
            more = "".join(f' {what}="{value}"' for what, value in (("type", feature.type), ("group", feature.group)) if value)
            text += "".join(f'<reg name="{name}" bitsize="{feature.bits}"{more}/>' for name in feature.registers.split())
        return text + "</feature></target>"

    def words(self, registers):
        return struct.unpack_from(("<" if self.order == "little" else ">") + f"{len(registers) // 4}I", registers)

    def pc(self, registers):
        return self.words(registers)[self.pc_at]

    def set_pc(self, registers, address):
        registers[4 * self.pc_at:4 * self.pc_at + 4] = address.to_bytes(4, self.order)

    def kind(self, registers):
        """gdb's number of the instruction set."""
        return 2

    def break_instruction(self, kind):
        """Its value and bytes; None where there is no such kind."""
        return 0xBE00, 2

    def next(self, registers, read):
        """Where a step leads, and its kind."""
        raise NotImplementedError


class Armv5te(Machine):
    features = (Feature("org.gnu.gdb.arm.core", "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 sp lr pc cpsr", 32),)

    def kind(self, registers):
        return 2 if self.words(registers)[16] & 0x20 else 4

    def break_instruction(self, kind):
        return (0xBE00, 2) if kind in (2, 3) else (0xE1200070, 4) if kind == 4 else None

    def next(self, registers, read):
        general = self.words(registers)
        if self.kind(registers) == 2:
            address, _ = thumb_next(general, general[16], 0, read)
        else:
            address = arm_next(general, general[16], read)
        return (address & ~1, 2) if address & 1 else (address & ~3, 4)


class CortexM(Machine):
    features = (Feature("org.gnu.gdb.arm.m-profile", "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 sp lr pc xpsr", 32),)

    def next(self, registers, read):
        general = self.words(registers)
        status = general[16]
        address, below = thumb_next(general, status, status >> 8 & 0xFC | status >> 25 & 3, read)
        if address >> 24 == 0xFF:  # the end of an interrupt: back to what it interrupted, if that was on the main stack
            if address & 4:
                raise Refused
            address = read((below or general[13]) + 24 & 0xFFFFFFFF, 4)
        return address & ~1, 2


class CortexM55(CortexM):
    features = (CortexM.features[0],
                Feature("org.gnu.gdb.arm.vfp", " ".join(f"d{number}" for number in range(16)), 64, "ieee_double"),
                Feature("", "fpscr", 32, "int"),
                Feature("org.gnu.gdb.arm.m-profile-mve", "vpr", 32, "int"))

    def next(self, registers, read):
        words = self.words(registers)
        address = loop_next(words, words[49], read)
        return super().next(registers, read) if address is None else (address & ~1, 2)


class S2pp(Machine):
    architecture, order, pc_at = "powerpc:common", "big", 32
    features = (Feature("org.gnu.gdb.power.core", " ".join(f"r{number}" for number in range(32)) + " pc msr cr lr ctr xer", 32),
                Feature("neuromorph.s2pp", " ".join(f"kv{number}" for number in range(32)), 128, "kv",
                        '<vector id="i8" type="int8" count="16"/><vector id="u8" type="uint8" count="16"/>'
                        '<vector id="i16" type="int16" count="8"/><vector id="u16" type="uint16" count="8"/>'
                        '<union id="kv"><field name="v16_int8" type="i8"/><field name="v16_uint8" type="u8"/>'
                        '<field name="v8_int16" type="i16"/><field name="v8_uint16" type="u16"/></union>', "vector"))

    def kind(self, registers):
        return 4

    def break_instruction(self, kind):
        return (0x7FE00008, 4) if kind == 4 else None

    def next(self, registers, read):
        words = self.words(registers)
        address = power_next(words[32], words[34], words[35], words[36], read(words[32], 4))
        if address is None:
            raise Refused
        return address, 4


MACHINES = {machine.code: machine for machine in (Armv5te(), CortexM(), CortexM55(), S2pp())}


# --- records ------------------------------------------------------------------------------------------------------

class FramedLine:
    """Records over bytes, as include/neuromorph/firmware/gdb/framed_line.hpp has them: each followed by its CRC.

    line  has `receive()`, bytes that have come, b"" if none have, and `send(data)`
    """

    is_lossy = True

    def __init__(self, line):
        self._line, self._data = line, b""
        self.damaged = 0

    def read(self):
        self._data += self._line.receive()
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


# --- gdb ----------------------------------------------------------------------------------------------------------

def framed(text):
    data = text if isinstance(text, bytes) else text.encode("latin-1")
    return b"$" + data + b"#%02x" % (sum(data) & 0xFF)


def number(text):
    """A hexadecimal number of 32 bits, of gdb's."""
    if not text or len(text) > 16 or any(letter not in "0123456789abcdefABCDEF" for letter in text) or int(text, 16) >> 32:
        raise Refused
    return int(text, 16)


def numbers(text, separator=","):
    first, found, second = text.partition(separator)
    if not found:
        raise Refused
    return number(first), number(second)


def unescaped(data):
    """Binary data of X."""
    result, at = bytearray(), 0
    while at < len(data):
        if data[at] == 0x7D:
            at += 1
            if at == len(data):
                raise Refused
            result.append(data[at] ^ 0x20)
        else:
            result.append(data[at])
        at += 1
    return bytes(result)


def from_hex(text):
    if len(text) % 2 or any(letter not in "0123456789abcdefABCDEF" for letter in text):
        raise Refused
    return bytes.fromhex(text)


class Session:
    """One gdb. Bytes of its go in by `take`, and out by `send`; nothing that it says is an exception.

    target  a Target
    send    takes bytes
    """

    def __init__(self, target, send):
        self._target, self._send_bytes = target, send
        self._data, self._last, self._acknowledges = b"", b"", True
        self.has_left = False  # the debugger, with a word
        self.damaged = self.unknown = self.refused = 0
        self._breaks, self._watches = {}, {}  # address: kind; (address, bytes): contents
        self._registers, self._is_changed = None, False
        self._signal, self._changed = TRAP, None
        self._asked_to_stop = False
        self._places = {}  # of the breakpoints with which the program was let go
        self._moves = None  # what the program is taken through by steps: "watch", or a range

    def begin(self):
        """Stops the program, and learns what it is. NoTarget, Unanswered."""
        self._target.hello()
        self._registers = None
        self._signal = TRAP if self._at_break() else self._target.signal
        if self._target.machine is None:
            raise NoTarget("the target has not said what it is")

    # Frames.
    def take(self, data):
        self._data += data
        while self._data:
            begin = self._data[:1]
            if begin == b"$":
                end = self._data.find(b"#")
                if end < 0 or len(self._data) < end + 3:
                    if len(self._data) > 4 * PACKET_BYTES:
                        self.damaged += 1
                        self._data = b""
                    return
                text, sum_of = self._data[1:end], self._data[end + 1:end + 3]
                if b"$" in text:  # torn, and begun anew
                    self.damaged += 1
                    self._data = self._data[1 + text.rindex(b"$"):]
                    continue
                frame, self._data = self._data[:end + 3], self._data[end + 3:]
                is_right = sum_of.lower() == b"%02x" % (sum(text) & 0xFF)
                if self._acknowledges:
                    self._send_bytes(b"+" if is_right else b"-")
                if is_right and self._acknowledges and self._data.startswith(frame):
                    continue  # sent once more, as no answer had come in time
                if is_right:
                    self._packet(text)
                else:
                    self.damaged += 1
            else:
                self._data = self._data[1:]
                if begin == b"\x03" and self._target.is_running:
                    self._asked_to_stop = True
                    self._target.stop()
                elif begin == b"-" and self._acknowledges and self._last:
                    self._send_bytes(self._last)

    def poll(self):
        """Looks whether the program has stopped; whether it has."""
        try:
            if not self._target.poll():
                return False
            self._has_stopped()
        except Refused:
            self._moves = None
            self._say(ERROR)
        except Unanswered:
            self._moves = None
            self._say(LOST)
        return True

    def _say(self, text):
        self._last = framed(text)
        self._send_bytes(self._last)

    def _packet(self, data):
        if self._target.is_running:
            return  # a debugger waits for the program to stop
        try:
            text = self._answer(data)
        except Refused:
            self.refused += 1
            text = ERROR
        except Unanswered:
            text = LOST
        if text == UNKNOWN:
            self.unknown += 1
        if text is not None and not self.has_left:
            self._say(text)

    def _answer(self, data):
        """What is said to a packet; None where it is said later."""
        text = data.decode("latin-1")
        command, rest = text[:1], text[1:]
        simple = {"?": self._why, "g": lambda: self._all().hex(), "D": self._detach, "k": self._kill}
        if command in simple and (command in "D" or not rest):
            return simple[command]()
        if command in "GpPmMZzcCsS" and command:
            return {"G": self._set_all, "p": self._one, "P": self._set_one, "m": self._read, "M": self._write,
                    "Z": lambda words: self._stop_at(words, True), "z": lambda words: self._stop_at(words, False),
                    "c": lambda words: self._resume("c", words), "C": lambda words: self._resume("c", ""),
                    "s": lambda words: self._resume("s", words), "S": lambda words: self._resume("s", "")}[command](rest)
        if command == "X":
            head, found, body = data[1:].partition(b":")
            return self._write_bytes(head.decode("latin-1"), unescaped(body)) if found else ERROR
        if command == "v":
            return self._v(rest)
        if command in "qQ" and command:
            return self._query(text)
        return UNKNOWN

    # Registers, kept from a stop to the next.
    def _all(self):
        if self._registers is None:
            self._registers, self._is_changed = self._target.registers(), False
        return self._registers

    def _set_all(self, rest):
        data = from_hex(rest)
        if len(data) != self._target.machine.bytes:
            raise Refused
        self._registers, self._is_changed = bytearray(data), True
        return OK

    def _place_of(self, text):
        places = self._target.machine.places
        which = number(text)
        if which >= len(places):
            raise Refused
        return places[which]

    def _one(self, rest):
        offset, size = self._place_of(rest)
        return self._all()[offset:offset + size].hex()

    def _set_one(self, rest):
        which, _, value = rest.partition("=")
        (offset, size), data = self._place_of(which), from_hex(value)
        if len(data) != size:
            raise Refused
        self._all()[offset:offset + size] = data
        self._is_changed = True
        return OK

    # Memory.
    def _read(self, rest):
        address, count = numbers(rest)
        if not self._target.may(address, count):
            raise Refused
        return self._target.read(address, min(count, PACKET_BYTES // 2)).hex()

    def _write(self, rest):
        head, found, body = rest.partition(":")
        return self._write_bytes(head, from_hex(body)) if found else ERROR

    def _write_bytes(self, head, data):
        address, count = numbers(head)
        if count != len(data):
            raise Refused
        self._target.write(address, data)
        return OK

    # Breakpoints.
    def _stop_at(self, rest, insert):
        which, _, rest = rest.partition(",")
        kind, (address, size) = number(which), numbers(rest)
        if kind > WATCH_ACCESS:
            return UNKNOWN
        if kind != SOFTWARE_BREAK and self._target.stop_unit(kind, address, size, insert):
            return OK
        if kind == WATCH_WRITE:
            return self._watch(address, size, insert)
        if kind > HARDWARE_BREAK:
            return UNKNOWN
        if not insert:
            self._breaks.pop(address, None)
            return OK
        if address not in self._breaks:
            if len(self._breaks) >= self._target.breakpoints - 1:
                raise Refused
            self._breakable(address, size)
            self._breaks[address] = size
        return OK

    def _breakable(self, address, kind):
        instruction = self._target.machine.break_instruction(kind)
        if instruction is None or address % instruction[1] or not self._target.may(address, instruction[1], writes=True):
            raise Refused

    def _watch(self, address, size, insert):
        if not insert:
            self._watches.pop((address, size), None)
        elif (address, size) not in self._watches:
            if not 0 < size <= 64 or len(self._watches) >= 16:
                raise Refused
            self._watches[address, size] = self._target.read(address, size)
        return OK

    def _forget(self):
        self._breaks, self._watches, self._moves = {}, {}, None

    # Going on.
    def _at_break(self, leave=False):
        """Whether the program stands at a break instruction of its own; behind it, if wanted."""
        machine, registers = self._target.machine, self._all()
        value, size = machine.break_instruction(machine.kind(registers))
        pc = machine.pc(registers)
        try:
            if self._target.unit(pc, size) != value:
                return False
        except Refused:
            return False
        if leave:
            machine.set_pc(registers, pc + size & 0xFFFFFFFF)
            self._is_changed = True
        return True

    def _resume(self, action, rest):
        if rest:  # another address than that of the registers
            self._target.machine.set_pc(self._all(), number(rest))
            self._is_changed = True
        return self._go(action == "s")

    def _go(self, step):
        if self._at_break(leave=True) and step:  # which was the step
            self._signal = TRAP
            return self._why()
        if not step and self._watches:
            self._moves = "watch"
        return self._run(step or self._moves is not None)

    def _run(self, step):
        target, registers = self._target, self._all()
        places = dict(self._breaks)
        if step and not target.has_hardware_step:
            address, kind = target.machine.next(registers, target.unit)
            self._breakable(address, kind)
            places.setdefault(address, kind)
        if self._is_changed:
            target.set_registers(registers)
        self._registers, self._is_changed, self._asked_to_stop = None, False, False
        self._places = places
        target.go(list(places.items()), step=step and target.has_hardware_step)
        return None

    def _has_stopped(self):
        target = self._target
        self._registers = None
        is_at_break = target.machine.pc(self._all()) in self._places or self._at_break()
        self._signal = TRAP if is_at_break else target.signal  # whatever exception that is there
        self._changed = None
        for place, contents in self._watches.items():
            now = target.read(*place)
            if now != contents:
                self._changed = place[0]
            self._watches[place] = now
        moves, self._moves = self._moves, None
        pc = target.machine.pc(self._all())
        if (moves is not None and self._signal == TRAP and self._changed is None and not self._asked_to_stop
                and pc not in self._breaks and (moves == "watch" or pc in moves) and not self._at_break()):
            self._moves = moves
            try:
                self._run(True)
                return
            except Refused:  # there is no next step: it has stopped here
                self._moves = None
        if self._asked_to_stop and self._signal == TRAP:
            self._signal = CONTROL_C
        self._say(self._why())

    def _why(self):
        text = f"T{self._signal:02x}"
        return text if self._changed is None else text + f"watch:{self._changed:08x};"

    def _v(self, rest):
        if rest == "Cont?":
            return "vCont;c;C;s;S;r"
        if not rest.startswith("Cont;"):
            return UNKNOWN
        action = rest[5:].partition(";")[0].partition(":")[0]
        if action[:1] == "r":
            first, last = numbers(action[1:])
            self._moves = range(first, last)
            try:
                return self._go(True)
            except Refused:
                self._moves = None
                raise
        if action[:1] in "cC" and action:
            return self._go(False)
        return self._go(True) if action[:1] in "sS" and action else UNKNOWN

    def _detach(self):
        self._say(OK)
        return self._kill()

    def _kill(self):
        self._forget()
        self.has_left = True
        self._go(False)
        return None

    # Questions.
    def _query(self, text):
        if text.startswith("qSupported"):
            self._forget()
            self._acknowledges = True
            return SUPPORTED
        if text == "QStartNoAckMode":
            self._say(OK)
            self._acknowledges = False
            return None
        for what, content in (("features:read:target.xml:", self._target.machine.description),
                              ("memory-map:read::", self._memory_map)):
            if text.startswith("qXfer:" + what):
                begin, size = numbers(text[len("qXfer:" + what):])
                whole = content()
                size = min(size, PACKET_BYTES - 1)
                return ("m" if begin + size < len(whole) else "l") + whole[begin:begin + size]
        if text == "qAttached":
            return "1"
        if text.startswith("qRcmd,"):
            return (self._command(from_hex(text[6:]).decode("latin-1").strip()) + "\n").encode("latin-1").hex()
        return UNKNOWN

    def _memory_map(self):
        return "<memory-map>" + "".join(
            f'<memory type="{"ram" if region.is_writable else "rom"}" start="{region.begin:#x}" length="{region.bytes:#x}"/>'
            for region in self._target.regions) + "</memory-map>"

    def _command(self, text):
        """Of gdb's `monitor`."""
        target = self._target
        if text == "regions":
            return "\n".join(f"{region.begin:08x} to {region.begin + region.bytes - 1:08x}, "
                             f"{'written and read' if region.is_writable else 'read'}" for region in target.regions)
        if text == "counts":
            return (f"of gdb: {self.damaged} damaged packets, {self.unknown} unknown ones, {self.refused} refused\n"
                    f"of the target: {target.damaged} damaged records, {target.malformed} malformed ones, "
                    f"{target.asked_again} requests sent once more")
        return "monitor regions: what the debugger may touch\nmonitor counts: what was damaged on either side"
