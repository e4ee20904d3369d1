# SPDX-License-Identifier: BSL-1.0
"""How to reach a mailbox: a file that an emulator has as its memory, a UART that it has as a socket, TCP, a recording."""

import mmap
import os
import socket
import time

from .frames import LineMailbox
from .mailbox import Closed, MemoryMailbox, Misfit, NotReady
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


def reach(place, patience_s=5.0):
    """The line of bytes at a place, unix:SOCKET or tcp:HOST:PORT; a Misfit says in a sentence why there is none."""
    kind, _, rest = place.partition(":")
    try:
        if kind == "unix" and rest:
            line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            line.connect(rest)
            return Line(line)
        if kind == "tcp" and ":" in rest:
            host, _, port = rest.rpartition(":")
            return Line(socket.create_connection((host, number_of(port, place)), timeout=patience_s))
    except OSError as error:
        raise Misfit(f"cannot reach {place}: {error.strerror or error}") from error
    raise Misfit(f"'{place}' is no line of bytes; there are unix:SOCKET, tcp:HOST:PORT")


def connect(place, patience_s=5.0):
    """The mailbox at a place, one of FORMS; a Misfit says in a sentence why there is none.

    patience_s  how long to wait for an answer over a line
    """
    kind, _, rest = place.partition(":")
    if (kind == "unix" and rest) or (kind == "tcp" and ":" in rest):
        return LineMailbox(reach(place, patience_s), patience_s)
    if kind not in ("memory", "record") or not rest:
        raise Misfit(f"'{place}' is no place of a mailbox; there are {FORMS}")
    try:
        if kind == "record":
            return RecordedMailbox(rest)
        path, _, offset = rest.rpartition("@") if "@" in rest else (rest, "", "0")
        return WindowMailbox(path, number_of(offset, place))
    except OSError as error:
        raise Misfit(f"cannot reach {place}: {error.strerror or error}") from error


def when_ready(attempt, patience_s=10.0):
    """What an attempt to attach to a mailbox gives, made again until its firmware has started, or patience is over."""
    until = time.monotonic() + patience_s
    while True:
        try:
            return attempt()
        except NotReady:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


def number_of(text, place):
    try:
        return int(text, 0)
    except ValueError:
        raise Misfit(f"'{text}' in '{place}' is no number") from None
