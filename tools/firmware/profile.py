# SPDX-License-Identifier: BSL-1.0
"""What a profiler of include/neuromorph/firmware/profiler.hpp has written: scopes, statistics of tags, and traces of them.

    profile = Profile(mailbox.ticks_per_second)
    profile.poll(mailbox)
    print(profile.table())
"""

import json
import math
import re
from typing import NamedTuple

from .log import Early, Line
from .program import taken

SCOPE, STEP, NAME, COSTS, SUMMARY, COUNTER = range(1, 7)  # ProfileKind
MOST_UNADOPTED = 100_000  # scopes of which a longer one may still come


def signed(word):
    word &= 0xFFFFFFFF
    return word - (1 << 32) if word >> 31 else word


class Scope(NamedTuple):
    lane: str
    tag: int
    began: int  # ticks, which do not wrap
    ended: int
    contained: int  # scopes in it, of interrupts, too


class Value(NamedTuple):
    lane: str
    tag: int
    when: int
    value: int


class Statistics:
    """Of a tag, in ticks, without what the profiler costs."""

    def __init__(self):
        self.count = self.sum = self.squares = 0
        self.shortest = self.longest = self.last_step = None  # of none there are none

    def note(self, ticks, step):
        self.count += 1
        self.sum += ticks
        self.squares += ticks * ticks
        self.shortest = ticks if self.shortest is None else min(self.shortest, ticks)
        self.longest = ticks if self.longest is None else max(self.longest, ticks)
        self.last_step = step

    @classmethod
    def of_summary(cls, words, inside):
        """From the words of a ProfileSummary, of which each scope has `inside` ticks that are not its own."""
        made = cls()
        count, total, squares = words[0], words[1] | words[2] << 32, words[3] | words[4] << 32 | words[5] << 64
        made.count = count
        made.sum = total - count * inside
        made.squares = squares - 2 * inside * total + count * inside * inside
        if count:
            made.shortest, made.longest, made.last_step = words[6] - inside, words[7] - inside, words[8]
        return made

    @property
    def mean(self):
        return self.sum / self.count if self.count else 0.0

    @property
    def deviation(self):
        """The standard deviation of these scopes, of which the differences are exact."""
        if not self.count:
            return 0.0
        return math.sqrt(max(0, self.count * self.squares - self.sum * self.sum)) / self.count

    @property
    def error(self):
        return self.deviation / math.sqrt(self.count) if self.count else 0.0


class Profile:
    """What all channels "prof", "pro1", "pro2", ... of a mailbox say; the first is the core's, the others are interrupts'.

    keep  whether scopes and counters are kept for a trace
    """

    def __init__(self, ticks_per_second=0, keep=False):
        self.ticks_per_second, self.keep = ticks_per_second, keep
        self.names, self.costs = {}, {}  # by lane
        self.statistics = {}  # by name
        self.scopes, self.values = [], []
        self.lines = []  # (when, Line) of a log
        self._unsaid, self._ahead = [], None  # lines before the first record; ticks of a log's clock before the core's
        self.first_step = self.last_step = None
        self.missed = 0
        self._newest, self._middle = {}, None  # of each lane, ticks that do not wrap; of the records read last
        self._unadopted, self._sums = [], {}

    @staticmethod
    def lanes(mailbox):
        return sorted((channel.name for channel in mailbox.channels if channel.name.startswith("pro")
                       and not channel.description.to_target), key=lambda name: (name != "prof", name))

    def poll(self, mailbox):
        """Takes what is there; how many records, or raises the Misfit that ends all. What an interrupt wrote in a scope is there when
        that is."""
        lanes = self.lanes(mailbox)
        records, ended = taken(mailbox, lanes)
        self.missed = sum(mailbox[lane].missed for lane in lanes)
        self.feed(records)
        if ended:
            raise ended
        return len(records)

    def feed(self, records):
        """Pairs of lane and record, those of a lane in their order, the core's before those of interrupts."""
        timed = []
        for order, (lane, record) in enumerate(records):
            words = record.words
            if record.kind == NAME:
                self.names.setdefault(lane, {})[record.token] = b"".join(
                    word.to_bytes(4, "little") for word in words).rstrip(b"\0").decode("latin-1")
            elif record.kind == COSTS and len(words) == 2:
                self.costs[lane] = (record.token, *words)
                for name in [name for name in self.statistics if (found := re.fullmatch(rf"tag (\d+) of {lane}", name))
                             and int(found[1]) >= record.token]:
                    del self.statistics[name]  # what it measured came before
            elif record.kind in (SCOPE, STEP) and len(words) == 2:
                timed.append((self._time(lane, words[1]), order, lane, record))
            elif record.kind == COUNTER and len(words) == 2:
                timed.append((self._time(lane, words[0]), order, lane, record))
            elif record.kind == SUMMARY and len(words) == 9:
                self._sums[lane, record.token] = words
        if timed:
            self._middle = (min(entry[0] for entry in timed) + max(entry[0] for entry in timed)) // 2
        for when, _, lane, record in sorted(timed, key=lambda entry: entry[:2]):
            if record.kind == STEP:
                self._step(record.words[0], record.token == 1)
            elif record.kind == COUNTER:
                if self.keep:
                    self.values.append(Value(lane, record.token, when, record.words[1]))
            else:
                self._scope(lane, record.token, when, record.words[1] - record.words[0] & 0xFFFFFFFF)
        for (lane, tag), words in self._sums.items():
            self.statistics[self.name(lane, tag)] = Statistics.of_summary(words, self.costs.get(lane, (0, 0, 0))[1])

    def say(self, items):
        """(ticks, Line) of a log, as firmware.log.Lines gives them, or (None, Early). Its clock is the profiler's."""
        self._unsaid += items
        if self._middle is None:
            return
        for ticks, what in self._unsaid:
            if isinstance(what, Early):
                self._ahead = None if self._ahead is None else self._ahead + what.ticks
            elif isinstance(what, Line) and ticks is not None and self.keep:
                if self._ahead is None:  # by wraps; it is within half of one of what was read with it
                    self._ahead = ticks - self._middle - signed(ticks - self._middle)
                self.lines.append((ticks - self._ahead, what))
        self._unsaid = []

    def _time(self, lane, stamp):
        """Without wraps: the lane of the core goes on, others are within half a wrap of it."""
        if not self._newest:
            when = stamp
        elif lane == next(iter(self._newest)):
            newest = self._newest[lane]
            when = newest + (stamp - newest & 0xFFFFFFFF)
        else:
            newest = next(iter(self._newest.values()))
            when = newest + signed(stamp - newest)
        self._newest[lane] = when
        return when

    def _step(self, number, is_first):
        if self.first_step is None or is_first:
            self.first_step = number
        self.last_step = number

    def _scope(self, lane, tag, ended, ticks):
        if lane in self.costs and tag >= self.costs[lane][0]:
            return  # the profiler's own
        began = ended - ticks
        contained = cost = 0
        while self._unadopted and self._unadopted[-1][0] >= began:
            _, inner, inner_cost = self._unadopted.pop()
            contained, cost = contained + inner + 1, cost + inner_cost
        _, inside, whole = self.costs.get(lane, (0, 0, 0))
        self._unadopted.append((began, contained, cost + whole))
        del self._unadopted[:-MOST_UNADOPTED]
        name = self.name(lane, tag)
        self.statistics.setdefault(name, Statistics()).note(ticks - inside - cost, self.last_step)
        if self.keep:
            self.scopes.append(Scope(lane, tag, began, ended, contained))

    def name(self, lane, tag):
        return self.names.get(lane, {}).get(tag, f"tag {tag} of {lane}")

    @property
    def steps(self):
        return 0 if self.first_step is None else (self.last_step - self.first_step & 0xFFFFFFFF) + 1

    def table(self, timestep_ms=1.0):
        """Of each tag, as Appendix A of the paper prints it, then count, shortest and longest."""
        text = []
        scale, unit = (1e3 / self.ticks_per_second, "ms") if self.ticks_per_second else (1.0, " ticks")
        for name, of in self.statistics.items():
            text += [f"Tag: {name}", "", f"Mean time:{of.mean * scale:.6f}{unit}",
                     f"With standard deviation {of.deviation * scale:.6f}{unit}",
                     f"Standard error:{of.error * scale:.6f}{unit}"]
            if self.steps:
                last = "none" if of.last_step is None else f"{of.last_step * timestep_ms:.6f}ms"
                text += [f"Mean samples per timestep:{of.count / self.steps:.6f}", f"Last sample time: {last}",
                         f"Mean time per timestep:{of.sum * scale / self.steps:.6f}{unit}"]
            shortest, longest = (0 if end is None else end * scale for end in (of.shortest, of.longest))
            text += [f"Samples:{of.count}", f"Shortest:{shortest:.6f}{unit}", f"Longest:{longest:.6f}{unit}", ""]
        if self.missed:
            text += [f"{self.missed} records found no room and are missing here.", ""]
        return "\n".join(text)

    def nested(self, lane):
        """(time, scope, whether it begins) of a lane, in time. What was left before and began no earlier is inside."""
        roots = []
        for scope in self.scopes:
            if scope.lane == lane:
                first = len(roots)
                while first and roots[first - 1][0].began >= scope.began:
                    first -= 1
                roots[first:] = [(scope, roots[first:])]
        waiting = [(entry, True) for entry in reversed(roots)]
        while waiting:
            (scope, inner), begins = waiting.pop()
            yield scope.began if begins else scope.ended, scope, begins
            if begins:
                waiting.append(((scope, ()), False))
                waiting += [(entry, True) for entry in reversed(inner)]

    def nanoseconds(self, ticks):
        return ticks * 1_000_000_000 // self.ticks_per_second if self.ticks_per_second else ticks

    def shown_lanes(self):
        """Of what was kept, each with what it is called."""
        lanes = dict.fromkeys([scope.lane for scope in self.scopes])
        return {lane: "core" if lane == "prof" else f"interrupt {lane[3:]}" for lane in lanes}

    def perfetto(self):
        """The bytes of a trace in Perfetto's protocol: a track for each lane and each counter."""
        packets, uuid = [descriptor(1, name="firmware")], 1
        events = []
        for lane, shown in self.shown_lanes().items():
            uuid += 1
            packets.append(descriptor(uuid, name=shown, parent=1))
            for at, (when, scope, begins) in enumerate(self.nested(lane)):
                name = field(23, self.name(lane, scope.tag).encode()) if begins else b""
                events.append((when, uuid, at, field(9, 1 if begins else 2) + field(11, uuid) + name))
        for lane, tag in dict.fromkeys((value.lane, value.tag) for value in self.values):
            uuid += 1
            packets.append(descriptor(uuid, name=self.name(lane, tag), parent=1, counter=True))
            events += [(value.when, uuid, at, field(9, 4) + field(11, uuid) + field(30, value.value))
                       for at, value in enumerate(self.values) if (value.lane, value.tag) == (lane, tag)]
        if self.lines:
            uuid += 1
            packets.append(descriptor(uuid, name="log", parent=1))
            events += [(when, uuid, at, field(9, 3) + field(11, uuid) + field(22, line.level.encode())
                        + field(23, line.text.encode())) for at, (when, line) in enumerate(self.lines)]
        origin = min((event[0] for event in events), default=0)
        for when, _, _, event in sorted(events, key=lambda entry: entry[:3]):
            packets.append(field(8, self.nanoseconds(when - origin)) + field(10, 1) + field(11, event))
        return b"".join(field(1, packet) for packet in packets)

    def json(self):
        """The older form of traces, in microseconds."""
        lanes = self.shown_lanes()
        origin = min([scope.began for scope in self.scopes] + [value.when for value in self.values]
                     + [when for when, _ in self.lines], default=0)

        def us(ticks):
            return self.nanoseconds(ticks) / 1000

        events = [{"ph": "M", "name": "thread_name", "pid": 1, "tid": at, "args": {"name": shown}}
                  for at, shown in enumerate(lanes.values())]
        events += [{"ph": "X", "name": self.name(scope.lane, scope.tag), "pid": 1, "tid": list(lanes).index(scope.lane),
                    "ts": us(scope.began - origin), "dur": us(scope.ended - scope.began)} for scope in self.scopes]
        events += [{"ph": "C", "name": self.name(value.lane, value.tag), "pid": 1, "ts": us(value.when - origin),
                    "args": {"value": value.value}} for value in self.values]
        if self.lines:
            events.append({"ph": "M", "name": "thread_name", "pid": 1, "tid": len(lanes), "args": {"name": "log"}})
            events += [{"ph": "i", "s": "t", "name": line.text, "cat": line.level, "pid": 1, "tid": len(lanes),
                        "ts": us(when - origin), "args": {"at": f"{line.file}:{line.line}"}} for when, line in self.lines]
        return json.dumps({"traceEvents": events})


def varint(number):
    text = bytearray()
    while number > 0x7F:
        text.append(number & 0x7F | 0x80)
        number >>= 7
    text.append(number)
    return bytes(text)


def field(number, value):
    """Of a message of protobuf: bytes, or a whole number from 0 on."""
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    return varint(number << 3) + varint(value)


def descriptor(uuid, name, parent=None, counter=False):
    """A TracePacket with a TrackDescriptor; the first clears what went before."""
    track = field(1, uuid) + field(2, name.encode())
    track += field(5, parent) if parent is not None else b""
    track += field(8, b"") if counter else b""
    return field(10, 1) + (field(13, 1) if parent is None else b"") + field(60, track)
