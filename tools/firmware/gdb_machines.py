# SPDX-License-Identifier: BSL-1.0
"""Machines as debuggers see them: registers, break instructions, where a step leads.
include/neuromorph/firmware/gdb/machine.hpp has the same for the target."""

import struct
import zlib
from typing import NamedTuple

from .gdb_steps import arm_next, loop_next, power_next, thumb_next


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
        """Where a step leads, and its kind; None where that cannot be known."""
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
                return None
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
        return None if address is None else (address, 4)


MACHINES = {machine.code: machine for machine in (Armv5te(), CortexM(), CortexM55(), S2pp())}
