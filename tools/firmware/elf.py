# SPDX-License-Identifier: BSL-1.0
"""Sections of an ELF file of 32 or 64 bits, in either byte order."""

import struct
from pathlib import Path
from typing import NamedTuple

ARM = 40  # of machines
NOBITS = 8
ALLOC = 2  # of flags: a part of the program
BUILD_ID = ".note.gnu.build-id"


class NoElf(Exception):
    """The sentence that says why a file is of no use."""


class Section(NamedTuple):
    kind: int
    flags: int
    address: int
    data: bytes  # empty where the file has none of it
    size: int


class Elf:
    def __init__(self, path):
        self.path = Path(path)
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise NoElf(f"{path} cannot be read: {error.strerror}") from None
        if data[:4] != b"\x7fELF":
            raise NoElf(f"{path} is no ELF file")
        try:
            self.order = {1: "<", 2: ">"}[data[5]]
            wide = {1: False, 2: True}[data[4]]
            self.machine, = struct.unpack_from(self.order + "H", data, 18)
            self.sections = dict(self._sections(data, wide))
        except (KeyError, IndexError, struct.error, ValueError):
            raise NoElf(f"{path} is an ELF file that is damaged") from None

    def _sections(self, data, wide):
        at, = struct.unpack_from(self.order + ("Q" if wide else "I"), data, 40 if wide else 32)
        size, count, names = struct.unpack_from(self.order + "3H", data, 58 if wide else 46)
        form = self.order + ("IIQQQQ" if wide else "6I")
        headers = [struct.unpack_from(form, data, at + number * size) for number in range(count)]
        if not headers:
            return
        _, _, _, _, texts, length = headers[names]
        texts = data[texts:texts + length]
        for name, kind, flags, address, offset, length in headers:
            end = texts.index(b"\0", name)
            content = b"" if kind == NOBITS else data[offset:offset + length]
            if kind != NOBITS and len(content) != length:
                raise ValueError
            yield texts[name:end].decode("latin-1"), Section(kind, flags, address, content, length)

    def size(self, name):
        return self.sections[name].size if name in self.sections else 0

    def memory(self, address, count):
        """So many bytes of what is loaded there, or none."""
        for section in self.sections.values():
            if section.flags & ALLOC and section.address <= address and address + count <= section.address + len(section.data):
                return section.data[address - section.address:address - section.address + count]
        return b""

    @property
    def build_id(self):
        """What the linker calls the program (--build-id), or no bytes."""
        note = self.sections[BUILD_ID].data if BUILD_ID in self.sections else b""
        return note[16:] if note[12:16] == b"GNU\0" else b""

    @property
    def image(self):
        """What `firmware::image()` is in this program; cmake/firmware/neuromorph_log.ld says where it is."""
        if len(self.build_id) >= 4:
            return struct.unpack_from(self.order + "I", self.build_id)[0]
        return (self.size(".neuromorph.log") * 65599 + self.size(".text") * 31 + self.size(".data")) & 0x3FFFFFFF
