# SPDX-License-Identifier: BSL-1.0
"""The host's part of a debugger in two parts: gdb's remote serial protocol on one side, the target of probe.py on the other.
docs/debugging.md has both."""

from .probe import TRAP, NoTarget, Refused, Unanswered

CONTROL_C = 2
PACKET_BYTES = 0x1000
SUPPORTED = (f"PacketSize={PACKET_BYTES:x};QStartNoAckMode+;vContSupported+;qXfer:features:read+;"
             "qXfer:memory-map:read+")
OK, ERROR, UNKNOWN, LOST = "OK", "E01", "", "E02"
SOFTWARE_BREAK, HARDWARE_BREAK, WATCH_WRITE, WATCH_READ, WATCH_ACCESS = range(5)


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
            where = target.machine.next(registers, target.unit)
            if where is None:
                raise Refused
            address, kind = where
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
