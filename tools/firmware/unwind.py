# SPDX-License-Identifier: BSL-1.0
"""From a stopped ARM function to its caller, by the tables in .ARM.exidx and .ARM.extab, which -funwind-tables makes.

The form is that of the Exception Handling ABI for the Arm Architecture, IHI 0038, sections 6 and 10.
"""

import bisect
import struct

SP, LR, PC = 13, 14, 15
INDEX = ".ARM.exidx"


class NoWay(Exception):
    """Why a table does not lead to a caller."""


class Tables:
    """The entries of an ELF, by address."""

    def __init__(self, elf):
        self._elf = elf
        self._entries = []  # (where the function begins, where its entry is)
        section = elf.sections.get(INDEX)
        if section is not None:
            for at in range(0, len(section.data) - 7, 8):
                place = section.address + at
                self._entries.append((self._pointer(place), place + 4))
        self._entries.sort()

    def _word(self, address):
        data = self._elf.memory(address, 4)
        if len(data) != 4:
            raise NoWay(f"a table is at {address:#x}, where the ELF has nothing")
        return struct.unpack(self._elf.order + "I", data)[0]

    def _pointer(self, place):
        """31 bits, from where they stand on."""
        offset = self._word(place) & 0x7FFFFFFF
        return place + offset - (offset << 1 & 1 << 31) & 0xFFFFFFFF

    def opcodes(self, address):
        """The instructions of the function there, or NoWay."""
        at = bisect.bisect_right(self._entries, (address, 1 << 40)) - 1
        if at < 0 or not self._elf.memory(address, 2):
            raise NoWay(f"there is no table for {address:#x}")
        place = self._entries[at][1]
        word = self._word(place)
        if word == 1:
            raise NoWay(f"the table of {address:#x} says that it cannot be unwound")
        if not word >> 31:
            place = self._pointer(place)
            word = self._word(place)
        if word >> 31:
            model = word >> 24 & 15
            if model == 0:
                return bytes(word >> shift & 0xFF for shift in (16, 8, 0))
            if model > 2:
                raise NoWay(f"the table of {address:#x} is of model {model}, which nobody knows")
            more, first = word >> 16 & 0xFF, (8, 0)
        else:  # a routine of its own, as C++ has, in front of instructions in the same form
            place += 4
            word = self._word(place)
            more, first = word >> 24, (16, 8, 0)
        words = [self._word(place + 4 * (number + 1)) for number in range(more)]
        return bytes(word >> shift & 0xFF for shift in first) + b"".join(struct.pack(">I", word) for word in words)


def unwound(opcodes, registers, load):
    """The caller's r0 to r15, of r0 to r15 of a function behind its prologue. What it did not save stays.

    load  gives the word at an address, or raises NoWay
    """
    registers = list(registers)
    place = registers[SP]
    codes = iter(opcodes)
    has_pc = False

    def pop(numbers):
        nonlocal place, has_pc
        pointer = None
        for number in numbers:
            word = load(place)
            place = place + 4 & 0xFFFFFFFF
            if number == SP:
                pointer = word
            else:
                registers[number] = word
            has_pc |= number == PC
        if pointer is not None:
            place = pointer

    def following():
        code = next(codes, None)
        if code is None:
            raise NoWay("a table ends within an instruction")
        return code

    def of_mask(mask, first):
        return [first + bit for bit in range(16) if mask >> bit & 1]

    for code in codes:
        if code < 0x40:
            place += (code << 2) + 4
        elif code < 0x80:
            place -= (code - 0x40 << 2) + 4
        elif code < 0x90:
            mask = (code & 15) << 8 | following()
            if mask == 0:
                raise NoWay("a table refuses to be unwound")
            pop(of_mask(mask, 4))
        elif code < 0xA0:
            if code & 15 in (SP, PC):
                raise NoWay(f"a table has the reserved instruction {code:#x}")
            place = registers[code & 15]
        elif code < 0xB0:
            pop([*range(4, 5 + (code & 7)), *([LR] if code & 8 else [])])
        elif code == 0xB0:
            break
        elif code == 0xB1:
            mask = following()
            if mask == 0 or mask > 15:
                raise NoWay(f"a table has the spare instruction 0xb1 {mask:#x}")
            pop(of_mask(mask, 0))
        elif code == 0xB2:
            number = shift = 0
            while True:
                byte = following()
                number |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
            place += 0x204 + (number << 2)
        elif code == 0xB4:  # the code that authenticates the return address
            place += 4
        elif code == 0xB3:
            place += 8 * ((following() & 15) + 1) + 4
        elif 0xB8 <= code < 0xC0:
            place += 8 * ((code & 7) + 1) + 4
        elif code in (0xC6, 0xC8, 0xC9):
            place += 8 * ((following() & 15) + 1)
        elif code == 0xC7:
            mask = following()
            if mask == 0 or mask > 15:
                raise NoWay(f"a table has the spare instruction 0xc7 {mask:#x}")
            place += 4 * mask.bit_count()
        elif 0xC0 <= code < 0xC6 or 0xD0 <= code < 0xD8:
            place += 8 * ((code & 7) + 1)
        else:
            raise NoWay(f"a table has the spare instruction {code:#x}")
        place &= 0xFFFFFFFF
    if not has_pc:
        registers[PC] = registers[LR]
    registers[SP] = place
    return registers
