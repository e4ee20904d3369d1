# SPDX-License-Identifier: BSL-1.0
"""The side of a program that speaks with a simulation while it runs. It needs nothing but Python.

    from live_client import LiveConnection

    live = LiveConnection(receive=["cell_*"], send=["injector"])
    live.on_events("cell_*", lambda label, time, atoms: print(label, time, atoms))
    live.on_start(lambda: live.send("injector", [3, 5]))
    live.run(until=live.has_paused)

A simulation tells of its database (execution/notification.hpp), which names vertices, keys and ports; then events go both ways as EIEIO.
"""

import collections
import fnmatch
import os
import pathlib
import select
import socket
import sqlite3
import struct
import time as clock

NOTIFICATION_PORT = 19999
DATABASE, PAUSED, STARTED = 0x4001, 0x400A, 0x400B  # commands
MOST_BYTES = 256  # of a message
MOST_AT_ONCE = 10000  # datagrams of a port, as others wait, too

Event = collections.namedtuple("Event", "key payload")  # payload: a number, or None
Output = collections.namedtuple("Output", "host port strips_header board tag")
Input = collections.namedtuple("Input", "board port")


class Database:
    """Which keys are whose. Raises sqlite3.Error where the file is none."""

    def __init__(self, path):
        self._file = sqlite3.connect(pathlib.Path(path).absolute().as_uri() + "?mode=ro", uri=True)
        self.labels()

    def labels(self):
        return [label for label, in self._file.execute("SELECT vertex_label FROM Application_vertices ORDER BY vertex_id")]

    def keys_of(self, label):
        """A list: (atom, key)."""
        return self._file.execute("SELECT atom, event FROM label_event_atom_view WHERE label = ? ORDER BY atom, event",
                                  (label,)).fetchall()

    def outputs_of(self, label):
        """Where its packets are sent."""
        rows = self._file.execute("SELECT ip_address, port, strip_sdp, board_address, tag FROM app_output_tag_view "
                                  "WHERE pre_vertex_label = ?", (label,))
        return [Output(host, port, bool(strips), board, tag) for host, port, strips, board, tag in rows]

    def inputs_of(self, label):
        """Where a host sends what it is to send."""
        rows = self._file.execute("SELECT board_address, port FROM app_input_tag_view WHERE application_label = ?", (label,))
        return [Input(*row) for row in rows]

    def close(self):
        self._file.close()


def events_of(message):
    """Those of an EIEIO message; ValueError where it is none."""
    if len(message) < 2 or message[1] & 0xC0 == 0x40:
        raise ValueError("it is no message of events")
    count, flags = message[0], message[1]
    is_wide, has_payloads = flags & 8, flags & 4
    at, key_prefix, payload_prefix = 2, 0, None
    width = "I" if is_wide else "H"
    try:
        if flags & 0x80:
            key_prefix = struct.unpack_from("<H", message, at)[0] << (16 if flags & 0x40 else 0)
            at += 2
        if flags & 0x20:
            payload_prefix = struct.unpack_from("<" + width, message, at)[0]
            at += struct.calcsize(width)
        words = struct.unpack_from(f"<{count * (2 if has_payloads else 1)}{width}", message, at)
    except struct.error:
        raise ValueError("it is cut off") from None
    if at + struct.calcsize(width) * len(words) != len(message):
        raise ValueError("it is longer than its events")
    if has_payloads:
        return [Event(key | key_prefix, payload | (payload_prefix or 0)) for key, payload in zip(words[::2], words[1::2])]
    return [Event(key | key_prefix, payload_prefix) for key in words]


def messages_of(keys, payloads=None):
    """The messages that hold these events."""
    each = (MOST_BYTES - 2) // (4 if payloads is None else 8)
    for begin in range(0, len(keys), each):
        some = keys[begin:begin + each]
        words = some if payloads is None else [word for pair in zip(some, payloads[begin:begin + each]) for word in pair]
        yield struct.pack(f"<BB{len(words)}I", len(some), 8 if payloads is None else 12, *words)


class LiveConnection:
    """Hears of a simulation, sends events as atoms of labels, and calls who waits for theirs. What is received are patterns of labels,
    as of file names."""

    def __init__(self, receive=(), send=(), notification_port=NOTIFICATION_PORT):
        self._receive, self._send = list(receive), list(send)
        self._news = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._news.bind(("", notification_port))
        self.notification_port = self._news.getsockname()[1]
        self._inputs, self._outputs, self._keys, self._ports, self._atoms = {}, {}, {}, {}, {}
        self._called = {"database": [], "start": [], "pause": []}
        self._patterns, self._called_for = [], {}
        self._paused = False
        self.malformed = 0  # datagrams that were none of events
        self.strange = 0  # events with keys of nobody that is received
        self.news_not_known = 0

    # --- what is called ---

    def on_database(self, call):
        """call(database): before the simulation is told that it may start. May send nothing yet."""
        self._called["database"].append(call)

    def on_start(self, call):
        self._called["start"].append(call)

    def on_pause(self, call):
        self._called["pause"].append(call)

    def on_events(self, pattern, call):
        """call(label, time, atoms); time: the payload that all events of a message share, or None."""
        self._patterns.append((pattern, call))

    def has_paused(self):
        return self._paused

    # --- what is done ---

    def send(self, label, atoms, payloads=None):
        """Raises KeyError where the label is none that is sent, or has no such atom."""
        keys = self._keys[label]
        where = self._inputs[label]
        for message in messages_of([keys[atom] for atom in atoms], payloads):
            self._sender.sendto(message, where)

    def poll(self, seconds=0.0):
        """Takes what has come within this time. Whether anything has. Raises LookupError where the simulation's database is none, or has
        no such labels, and OSError where a port of events is taken."""
        ready = select.select([self._news, *self._outputs], [], [], seconds)[0]
        has_news = self._news in ready
        for one, strips_header in list(self._outputs.items()):  # events that were sent before the news are of before it
            if has_news or one in ready:
                self._take_waiting(one, strips_header)
        if has_news:
            self._take_news(*self._news.recvfrom(65536))
        return bool(ready)

    def run(self, until, patience=60.0):
        """Polls until a call of `until` is true; TimeoutError where nothing has come for so many seconds."""
        last = clock.monotonic()
        while not until():
            if self.poll(0.05):
                last = clock.monotonic()
            elif clock.monotonic() - last > patience:
                raise TimeoutError(f"nothing has come for {patience:g} s")

    def close(self):
        self._forget()
        self._news.close()

    # --- within ---

    def _forget(self):
        for one in (*self._outputs, *([self._sender] if self._inputs else [])):
            one.close()
        self._inputs, self._outputs, self._keys, self._ports, self._atoms, self._called_for = {}, {}, {}, {}, {}, {}

    def _take_waiting(self, one, strips_header):
        for _ in range(MOST_AT_ONCE):
            try:
                message = one.recv(65536)
            except BlockingIOError:
                return
            self._take_events(message, strips_header)

    def _take_news(self, message, sender):
        command = struct.unpack_from("<H", message)[0] if len(message) >= 2 else 0
        if command == DATABASE:
            path, database = os.fsdecode(message[2:]), None
            try:
                database = Database(path)
                self._open(database)
            except (sqlite3.Error, ValueError) as error:  # no path has a zero in it
                raise LookupError(f"the simulation's database {path!r} cannot be read: {error}") from None
            else:
                for call in self._called["database"]:
                    call(database)
            finally:
                if database:
                    database.close()
            self._news.sendto(struct.pack("<H", DATABASE), sender)
        elif command in (STARTED, PAUSED):
            self._paused = command == PAUSED
            for call in self._called["pause" if self._paused else "start"]:
                call()
        else:
            self.news_not_known += 1

    def _open(self, database):
        """What a database says takes the place of what the one before said, once all of it is known."""
        inputs, keys, ports, atoms, called_for = {}, {}, {}, {}, {}
        for label in self._send:
            places = database.inputs_of(label)
            if not places:
                raise LookupError(f"the simulation has no input '{label}'")
            inputs[label] = tuple(places[0])
            keys[label] = dict(reversed(database.keys_of(label)))  # of its first partition
        labels = database.labels()
        for label in (label for pattern in self._receive for label in self._named(pattern, labels)):
            outputs = database.outputs_of(label)
            if not outputs:
                raise LookupError(f"the simulation sends no packets of '{label}'")
            for output in outputs:
                ports[output.port] = output.strips_header
            for atom, key in database.keys_of(label):
                atoms[key] = (label, atom)
            called_for[label] = [call for pattern, call in self._patterns if fnmatch.fnmatchcase(label, pattern)]
        if (inputs, keys, ports, atoms) == (self._inputs, self._keys, self._ports, self._atoms):
            return  # told again, perhaps late: events may be on their way to these sockets
        self._forget()
        self._inputs, self._keys, self._ports, self._atoms, self._called_for = inputs, keys, ports, atoms, called_for
        if inputs:
            self._sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for port, strips_header in ports.items():
            one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            try:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
                one.bind(("", port))
            except OSError as error:
                one.close()
                self._forget()
                raise OSError(error.errno, f"port {port}, to which events come: {error.strerror}") from None
            one.setblocking(False)
            self._outputs[one] = strips_header

    @staticmethod
    def _named(pattern, labels):
        found = fnmatch.filter(labels, pattern)
        if not found:
            raise LookupError(f"the simulation has no vertex '{pattern}'")
        return found

    def _take_events(self, message, strips_header):
        try:
            events = events_of(message if strips_header else message[10:])
        except ValueError:
            self.malformed += 1
            return
        by_label = collections.defaultdict(list)
        for event in events:
            label, atom = self._atoms.get(event.key, (None, None))
            if label is None:
                self.strange += 1
            else:
                by_label[label].append((atom, event.payload))
        for label, some in by_label.items():
            for call in self._called_for[label]:
                call(label, some[0][1], [atom for atom, _ in some])
