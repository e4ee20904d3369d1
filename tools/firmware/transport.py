# SPDX-License-Identifier: BSL-1.0
"""How to reach a mailbox: a file that an emulator has as its memory, a UART that it has as a socket, TCP, a recording."""

import mmap
import os
import socket

from .frames import LineMailbox
from .mailbox import Closed, MemoryMailbox, Misfit
from .record import RecordedMailbox

FORMS = "memory:FILE[@OFFSET], unix:SOCKET, tcp:HOST:PORT, record:FILE"


class WindowMailbox(MemoryMailbox):
    """In a file that is mapped, from an offset to its end."""

    def __init__(self, path, offset=0):
        with open(path, "r+b") as file:
            size = os.fstat(file.fileno()).st_size
            if offset % 4 or offset >= size:
                raise Misfit(f"{path} has {size} bytes: no mailbox begins at {offset:#x}")
            first = offset // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
            length = min(size - first, 1 << 30)
            self._map = mmap.mmap(file.fileno(), length, offset=first)
        self._window = memoryview(self._map)[offset - first:]
        super().__init__(self._window)

    def close(self):
        super().close()
        self._window.release()
        try:
            self._map.close()
        except BufferError:  # somebody still looks at it; it goes with the last one
            pass


class Line:
    """A stream of bytes over a socket."""

    def __init__(self, connected):
        self._socket = connected
        self._socket.setblocking(False)
        self._out = b""

    def receive(self):
        self._push()
        try:
            data = self._socket.recv(65536)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            raise Closed("the other end of the line has closed it")
        return data

    def send(self, data):
        self._out += data
        self._push()

    def _push(self):
        while self._out:
            try:
                self._out = self._out[self._socket.send(self._out):]
            except BlockingIOError:
                return
            except OSError:  # it is closed; what has come before can still be received
                self._out = b""

    def close(self):
        self._socket.close()


def connect(place, patience_s=5.0):
    """The mailbox at a place, one of FORMS; a Misfit says in a sentence why there is none.

    patience_s  how long to wait for an answer over a line
    """
    kind, _, rest = place.partition(":")
    try:
        if kind == "memory" and rest:
            path, _, offset = rest.rpartition("@") if "@" in rest else (rest, "", "0")
            return WindowMailbox(path, number_of(offset, place))
        if kind == "unix" and rest:
            line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            line.connect(rest)
            return LineMailbox(Line(line), patience_s)
        if kind == "tcp" and ":" in rest:
            host, _, port = rest.rpartition(":")
            line = socket.create_connection((host, number_of(port, place)), timeout=patience_s)
            return LineMailbox(Line(line), patience_s)
        if kind == "record" and rest:
            return RecordedMailbox(rest)
    except OSError as error:
        raise Misfit(f"cannot reach {place}: {error.strerror or error}") from error
    raise Misfit(f"'{place}' is no place of a mailbox; there are {FORMS}")


def number_of(text, place):
    try:
        return int(text, 0)
    except ValueError:
        raise Misfit(f"'{text}' in '{place}' is no number") from None
