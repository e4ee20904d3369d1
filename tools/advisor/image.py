# SPDX-License-Identifier: BSL-1.0
"""A firmware as it was linked: bytes by kind, and how deep its stack can be, from its instructions."""

import bisect
import collections
import re
import struct
import subprocess

from components import components_of

ARM = 40
TOOLS = "arm-none-eabi-"
BRANCH = r"b(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?|cbn?z"
CALL = r"bl(x|eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?"
RETURNS = re.compile(r"^(bx\s+lr|pop\s.*pc|ldmia(\.w)?\s+sp!,.*pc|ldm(fd|ia)?\s+sp!?,.*pc|ldr(\.w)?\s+pc, \[sp\]|b(\.w|\.n)?\s|mov\s+pc, lr|rfe|movs\s+pc|subs\s+pc)")


class Wrong(Exception):
    """Why a firmware cannot be read, in a sentence."""


def count_of(registers):
    """Registers of a list such as {r4, r6-r8, lr}."""
    total = 0
    for one in registers.strip("{} ").split(","):
        ends = re.findall(r"[rsd](\d+)", one)
        total += int(ends[1]) - int(ends[0]) + 1 if len(ends) == 2 and "-" in one else 1
    return total


def pushed(mnemonic, operands):
    """Bytes that an instruction takes of the stack: below 0 where it gives some back; none where it cannot be read."""
    base = mnemonic.split(".")[0]
    if base == "push" or (base in ("stmdb", "stmfd", "stm") and operands.startswith("sp!")):
        return 4 * count_of(operands[operands.index("{"):])
    if base == "vpush" or (base == "vstmdb" and operands.startswith("sp!")):
        return (8 if "d" in operands[operands.index("{"):] else 4) * count_of(operands[operands.index("{"):])
    if base == "pop" or (base in ("ldmia", "ldmfd", "ldm") and operands.startswith("sp!")):
        return -4 * count_of(operands[operands.index("{"):])
    if base in ("vpop", "vldmia") and ("sp!" in operands or base == "vpop"):
        return -(8 if "d" in operands[operands.index("{"):] else 4) * count_of(operands[operands.index("{"):])
    found = re.match(r"(?:\w+, )?\[sp, #(-?\d+)\]!", operands) or re.match(r"\w+(?:, \w+)?, \[sp, #(-?\d+)\]!", operands)
    if base in ("str", "strd") and found:
        return -int(found[1])
    found = re.match(r"\w+(?:, \w+)?, \[sp\], #(\d+)", operands)
    if base in ("ldr", "ldrd") and found:
        return -int(found[1])
    if base in ("sub", "subw", "add", "addw", "subs", "adds") and re.match(r"sp\b", operands):
        found = re.match(r"sp, (?:sp, )?#(\d+)", operands)
        if found:
            return int(found[1]) if base.startswith("sub") else -int(found[1])
        return None if base.startswith("sub") and "#" not in operands.split("ls")[0] else 0  # 0: from where a frame pointer is
    if base == "mov" and operands.startswith("sp, ") and operands[4:] not in ("r7", "fp", "r11"):
        return None
    return 0


class Function:
    def __init__(self, name):
        self.name, self.frame, self.calls, self.unknown, self.is_variable, self.calls_itself = name, 0, set(), 0, False, False


class Image:
    """Bytes of `code`, `tables` (constants), `data` (with first values), `zeros`, and of what is `reserved` for stack and heap; functions."""

    def __init__(self, path):
        try:
            with open(path, "rb") as file:
                self.bytes = file.read()
        except OSError as error:
            raise Wrong(f"{path}: it cannot be read: {error.strerror}") from None
        self.path = str(path)
        try:
            self.read_headers()
        except (struct.error, IndexError, ValueError) as error:
            raise Wrong(f"{path}: it is cut off or broken: {error}") from None

    def read_headers(self):
        raw = self.bytes
        if raw[:4] != b"\x7fELF":
            raise Wrong(f"{self.path}: it is no ELF file")
        if raw[4] != 1 or raw[5] != 1:
            raise Wrong(f"{self.path}: firmware is of 32 bits and little endian, and this is not")
        kind, self.machine = struct.unpack_from("<HH", raw, 16)
        if kind != 2:
            raise Wrong(f"{self.path}: it is not linked")
        begin, = struct.unpack_from("<I", raw, 32)
        size, count, names_at = struct.unpack_from("<HHH", raw, 46)
        headers = [struct.unpack_from("<10I", raw, begin + size * at) for at in range(count)]
        if not headers:
            raise Wrong(f"{self.path}: it has no sections, so nothing is known of it")
        names = headers[names_at]

        def text(table, at):
            start = table[4] + at
            return raw[start:raw.index(b"\0", start)].decode()

        self.sections = [(text(names, one[0]), one) for one in headers]
        self.code = self.tables = self.data = self.zeros = self.reserved = 0
        for name, (_, type_, flags, _, _, length, *_) in self.sections:
            if not flags & 2:
                continue
            if re.search("stack|heap", name):
                self.reserved += length
            elif flags & 4:
                self.code += length
            elif not flags & 1:
                self.tables += length
            elif type_ == 8:
                self.zeros += length
            else:
                self.data += length
        self.symbols = []  # (name, address, bytes, is a function, section)
        for _, (_, type_, _, _, at, length, link, *_) in self.sections:
            if type_ != 2:
                continue
            for place in range(at, at + length, 16):
                name, value, bytes_, info, _, section = struct.unpack_from("<IIIBBH", raw, place)
                if info & 15 in (1, 2) and section < len(self.sections):
                    self.symbols.append((text(headers[link], name), value, bytes_, info & 15 == 2, section))
        places = {}
        for name, value, bytes_, is_function, _ in self.symbols:
            if is_function and bytes_:
                places.setdefault(value & ~1, (value & ~1, bytes_, name))
        self.places = sorted(places.values())
        self.starts = [one[0] for one in self.places]
        for section in range(len(self.sections)):  # constants beside code
            if self.sections[section][1][2] & 6 == 6:
                places = {(value, bytes_) for _, value, bytes_, is_function, of in self.symbols if of == section and not is_function}
                inside = sum(bytes_ for _, bytes_ in places)
                self.code -= inside
                self.tables += inside

    def bytes_of(self, section):
        return sum(one[5] for name, one in self.sections if name == section)

    def largest(self, most=5):
        """(bytes, name) of what takes most of memory, and of what takes most of constants."""
        state, constant = [], []
        for name, _, bytes_, is_function, section in self.symbols:
            flags = self.sections[section][1][2]
            if not is_function and bytes_ and flags & 2 and not re.search("stack|heap", self.sections[section][0]):
                (state if flags & 1 else constant).append((bytes_, name))
        return [sorted(set(of), reverse=True)[:most] for of in (state, constant)]

    def readable(self, names):
        """Names as C++ has them, without the namespace of this library's options."""
        names = list(names)
        try:  # names are those of any machine
            lines = subprocess.run([TOOLS + "c++filt"], input="\n".join(names) + "\n", capture_output=True, text=True).stdout.splitlines()
        except OSError:
            lines = []
        lines = lines if names and len(lines) == len(names) else names
        return {name: re.sub(r"neuromorph::(v\d\w*::)?", "", line) for name, line in zip(names, lines)}

    # --- the stack

    def run(self, tool, *words):
        try:
            done = subprocess.run([TOOLS + tool, *words], capture_output=True, text=True)
        except OSError:
            raise Wrong(f"{TOOLS}{tool} is not there: install binutils-arm-none-eabi") from None
        if done.returncode != 0:
            raise Wrong(f"{self.path}: {done.stderr.strip()[:300]}")
        return done.stdout

    def within(self, address, name):
        """The function that an address is in: labels in one are no functions, and what is behind one without a symbol is another."""
        at = bisect.bisect_right(self.starts, address) - 1
        if at >= 0:
            start, bytes_, found = self.places[at]
            if start <= address < start + bytes_:
                return found
            if name == found:
                return f"code behind {name}"
        return name

    def functions(self):
        """By name, from a disassembly: its frame, whom it calls, and how many calls lead to who knows where."""
        made, now, depth, most = {}, None, 0, 0
        for line in self.run("objdump", "-d", "--no-show-raw-insn", self.path).splitlines():
            head = re.match(r"^([0-9a-f]+) <(.*)>:$", line)
            if head:
                name = self.within(int(head[1], 16), head[2])
                if now is None or name != now.name:
                    now = made.setdefault(name, Function(name))
                    depth = most = 0
                continue
            found = re.match(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*?)(?:\s*[;@].*)?$", line)
            if not found or now is None or found[2].startswith("."):
                continue
            name = self.within(int(found[1], 16), now.name)
            if name != now.name:
                now, depth, most = made.setdefault(name, Function(name)), 0, 0
            mnemonic, operands = found[2], found[3]
            taken = pushed(mnemonic, operands)
            if taken is None:
                now.is_variable, taken = True, 0
            depth += taken
            most = max(most, depth)
            now.frame = max(now.frame, most)
            target = re.search(r"<([^>+]+)(\+0x[0-9a-f]+)?>", operands)
            base = mnemonic.split(".")[0]
            is_call = bool(re.fullmatch(CALL, base))
            if is_call and not target or base == "bx" and operands.strip() != "lr":
                now.unknown += 1
            elif target and (is_call or re.fullmatch(BRANCH, base)):
                to = self.within(int(operands.split()[0].rstrip(","), 16), target[1]) if re.match(r"[0-9a-f]+ ", operands) else target[1]
                if to == now.name:
                    now.calls_itself = now.calls_itself or (is_call and target[1] == now.name and not target[2])
                elif is_call or not target[2]:
                    now.calls.add(to)
            if RETURNS.match(f"{mnemonic} {operands}"):
                depth = most  # what comes next is reached from before: as deep as it was at most
        return made

    def stack(self, more_calls=()):
        """(bytes, path, notes) of each function that nobody calls, deepest first. more_calls: (from, to) by pointers."""
        if self.machine != ARM:
            raise Wrong(f"{self.path}: the stack is told of ARM's instructions alone")
        functions = self.functions()
        for caller, called in more_calls:
            for one in (caller, called):
                if one not in functions:
                    raise Wrong(f"{self.path}: it has no function '{one}'")
            functions[caller].calls.add(called)
            functions[caller].unknown = max(0, functions[caller].unknown - 1)
        component = components_of(functions, lambda name: sorted(one for one in functions[name].calls if one in functions))
        members = collections.defaultdict(list)
        for name, of in component.items():
            members[of].append(name)
        deepest = {}

        def depth(name):
            """Of all that call each other at once, each once."""
            at = component[name]
            if at in deepest:
                return deepest[at]
            best, notes = (0, []), set()
            for member in members[at]:
                of = functions[member]
                for one in sorted(of.calls):
                    if one in functions and component[one] != at:
                        bytes_, path, more = depth(one)
                        notes |= more
                        if bytes_ > best[0]:
                            best = (bytes_, path)
                if of.unknown:
                    notes.add((member, f"calls {of.unknown} time{'s' if of.unknown > 1 else ''} by pointer"))
                if of.is_variable:
                    notes.add((member, "has a frame of no fixed size"))
                if len(members[at]) > 1 or member in of.calls or of.calls_itself:
                    notes.add((member, "may call itself, and counts once"))
            deepest[at] = (sum(functions[one].frame for one in members[at]) + best[0], [name] + best[1], notes)
            return deepest[at]

        called = collections.Counter(one for of in functions.values() for one in of.calls if one != of.name)
        roots = [name for name in functions if not called[name]]
        return sorted(((*depth(name), name) for name in roots), key=lambda one: -one[0])
