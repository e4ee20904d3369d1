# SPDX-License-Identifier: BSL-1.0
"""All that a mailbox tells of a firmware, as lines of text: include/neuromorph/firmware/monitor.hpp writes its counters.

    view = View(mailbox)
    view.poll()
    print("\\n".join(view.lines()))
"""

import collections
from typing import NamedTuple

from .crash import CAUSES, Collector, NoReport, report_of
from .log import LEVELS, Early, Lines, Lost, NoLog
from .mailbox import Misfit
from .profile import Profile
from .program import taken

REPORT, SERVICE_NAME, POPULATION_NAME, CORE, SCHEDULER, SERVICE, EXECUTIVE, TASK, SPIKES = range(1, 10)  # MonitorKind
# Of Provenance, in its order; what is lost, late or held has its reason.
PROVENANCE = {
    "steps": None, "spikes_received": None, "spikes_sent": None, "rows_processed": None, "rows_empty": None,
    "write_backs": None, "flushes": None, "held_up": None, "most_waiting": None,
    "spikes_dropped": "spikes found the queue full",
    "keys_unknown": "spikes had a key that is not in the table", "last_unknown_key": None,
    "rows_not_found": "spikes had no row in their population", "last_key_not_found": None,
    "rows_too_long": "rows did not fit into a buffer", "rows_wrong": "plastic rows were no whole ones",
    "late_spikes": "spikes came too late for their step, which waited", "greatest_lateness": None,
    "ring_saturations": "sums of weights did not fit into the ring", "neuron_saturations": "words of neurons were held at their ends",
    "weights_held_at_highest": "weights were held at the highest", "weights_held_at_lowest": "weights were held at the lowest",
    "traces_held": "traces were held at their ends",
    "history_truncated": "synapses may lack events that the history had given up",
    "history_refused": "events found no room in the history", "history_expired_unread": "events left the history unread",
    "recording_lost": "steps were not recorded, as the memory was full",
    "overruns": "steps were not done when the next should have begun", "steps_left_out": "steps were left out",
    "furthest_behind": None, **{f"over_budget {task}": f"steps in which task {task} was over its budget" for task in range(8)}}
TASKS = ("receive_spikes", "feed_dma", "synaptic_rows", "write_back", "neurons", "prefetch", "random_numbers", "idle")
COUNTS = {SCHEDULER: ("run", "unknown", "dropped_at_exit", "sleeps"),
          EXECUTIVE: ("steps", "overruns", "left_out", "furthest_behind", "due")}
BARS = {True: " ▁▂▃▄▅▆▇█", False: " .:-=+*%#"}
HISTORY = 24
COLOURS = {"warning": "\033[33m", "error": "\033[31m", "trace": "\033[2m", "debug": "\033[2m", "title": "\033[1m"}


def signed(word):
    return word - (1 << 32) if word >> 31 else word


def signed_long(low, high):
    word = low | high << 32
    return word - (1 << 64) if word >> 63 else word


class Service(NamedTuple):
    runs: int = 0
    misses: int = 0
    least: int = 0
    greatest: int = 0
    lateness: int = 0
    longest: int = 0
    busy: int = 0

    @classmethod
    def of(cls, words):
        return cls(words[0], words[1], signed(words[2]), signed(words[3]), signed_long(words[4], words[5]), words[6],
                   words[7] | words[8] << 32)


class Task(NamedTuple):
    chunks: int
    over_budget: int
    longest_chunk: int
    longest_step: int
    total: int

    @classmethod
    def of(cls, words):
        return cls(*words[:4], words[4] | words[5] << 32)


class Report:
    """What a report says, and the one before it where rates are asked for."""

    def __init__(self):
        self.ticks = None
        self.core, self.counts, self.services, self.tasks, self.spikes = {}, {}, {}, {}, {}

    def copy(self):
        other = Report()
        for name, value in vars(self).items():
            setattr(other, name, dict(value) if isinstance(value, dict) else value)
        return other

    def take(self, record):
        """Whether it completes the report."""
        kind, token, words = record
        if kind == REPORT and len(words) == 2:
            self.ticks = words[0] | words[1] << 32
            return True
        if kind == CORE:
            names = list(PROVENANCE)
            for at, word in enumerate(words, token):
                self.core[names[at] if at < len(names) else f"counter {at}"] = word
        elif kind in COUNTS and len(words) == len(COUNTS[kind]):
            self.counts[kind] = dict(zip(COUNTS[kind], words))
        elif kind == SERVICE and len(words) == 9:
            self.services[token] = Service.of(words)
        elif kind == TASK and len(words) == 6:
            self.tasks[token] = Task.of(words)
        elif kind == SPIKES and len(words) == 1:
            self.spikes[token] = words[0]
        return False


class View:
    """Reads all channels, and shows what they have said.

    decoder   of the log, or None: then lines are only counted
    recorder  a Recorder, or None
    """

    def __init__(self, mailbox, decoder=None, recorder=None, log_lines=8):
        self.mailbox, self.decoder, self.recorder = mailbox, decoder, recorder
        self.restarts, self.problem = 0, None
        self._last_lines = collections.deque(maxlen=log_lines)
        self._begin()

    def _begin(self):
        """Anew, with the program that runs now."""
        if self.decoder:
            self.decoder.check(self.mailbox.image)
        self._profile = Profile(self.mailbox.ticks_per_second)
        self._lanes = Profile.lanes(self.mailbox)
        self._service_names, self._population_names = {}, {}
        self._open, self._now, self._before, self._first = Report(), None, None, None
        self._history = {}
        logs = [channel.name for channel in self.mailbox.channels if channel.name == "log " and not channel.description.to_target]
        self._logs = {name: Lines(self.decoder) if self.decoder else None for name in logs}
        self._collector, self._crashes = Collector(), []
        self._records, self._most_waiting = collections.Counter(), collections.Counter()

    def poll(self, seconds=0.0):
        """Takes what is there; how many records, or raises the Misfit that ends all.

        seconds  since the beginning, for the recorder
        """
        if self.mailbox.has_restarted:
            self.mailbox.attach()
            self.restarts += 1
            if self.recorder:
                self.recorder.layout()
            self._begin()
        channels = {channel.name: (number, channel) for number, channel in enumerate(self.mailbox.channels)}
        waiting = [channel.waiting for channel in self.mailbox.channels]
        records, ended = taken(self.mailbox, [name for name, (_, channel) in channels.items() if not channel.description.to_target])
        if self.mailbox.is_recorded:
            waiting = [channel.waiting for channel in self.mailbox.channels]
        for channel, words in zip(self.mailbox.channels, waiting):
            self._most_waiting[channel.name] = max(self._most_waiting[channel.name], words or 0)
        if self.recorder:
            for name, record in records:
                self.recorder.take(channels[name][0], record)
            if records:
                self.recorder.note(seconds, waiting)
        self._feed(records)
        if ended:
            raise ended
        return len(records)

    def _feed(self, records):
        by_channel = {}
        for name, record in records:
            by_channel.setdefault(name, []).append(record)
            self._records[name] += 1
        self._profile.feed([(lane, record) for lane in self._lanes for record in by_channel.get(lane, ())])
        self._profile.missed = sum(self.mailbox[lane].missed for lane in self._lanes)
        for record in by_channel.get("mon ", ()):
            self._note(record)
        for name, lines in self._logs.items():
            if lines:
                self._log(lines, by_channel.get(name, ()), self.mailbox[name].missed)
        for record in by_channel.get("crsh", ()):
            words = self._collector.take(record)
            if words is not None:
                try:
                    self._crashes.append(report_of(words))
                except NoReport as error:
                    self._crashes.append(str(error))

    def _note(self, record):
        if record.kind in (SERVICE_NAME, POPULATION_NAME):
            text = b"".join(word.to_bytes(4, "little") for word in record.words).rstrip(b"\0").decode("latin-1")
            (self._service_names if record.kind == SERVICE_NAME else self._population_names)[record.token] = text
        elif self._open.take(record):
            self._before, self._now = self._now, self._open.copy()
            self._first = self._first or self._now
            if self._before:
                for population in self._now.spikes:
                    self._history.setdefault(population, collections.deque(maxlen=HISTORY)).append(
                        self._rate(self._now.spikes, self._before.spikes, population, self._before) or 0)

    def _rate(self, now, before, key, since):
        """Of a counter, a second; None where nobody can tell."""
        ticks = self._now.ticks - since.ticks
        if ticks <= 0 or not self.mailbox.ticks_per_second or key not in before:
            return None
        return (now[key] - before[key] & 0xFFFFFFFF) * self.mailbox.ticks_per_second / ticks

    def _share(self, ticks, before):
        """Of the processor, between the last two reports."""
        if before is None or self._now.ticks <= self._before.ticks:
            return "-"
        return f"{100 * (ticks - before) / (self._now.ticks - self._before.ticks):.1f} %"

    def _log(self, lines, records, missed):
        for ticks, what in lines.take(records):
            if isinstance(what, Lost):
                self._last_lines.append(("warning", f"-- {what.count} line{'s' * (what.count != 1)} lost"))
            elif isinstance(what, Early):
                self._last_lines.append(("warning", f"-- the times above are too early by {self._seconds(what.ticks)}"))
            elif isinstance(what, NoLog):
                self._last_lines.append(("error", f"-- {what}"))
            else:
                when = "" if ticks is None else f"{self._seconds(ticks):>14} "
                self._last_lines.append((what.level, f"{when}{what.level:<7} {what.file}:{what.line} {what.text}"))
        if (lost := lines.untold(missed) if not records else None):
            self._last_lines.append(("warning", f"-- {lost.count} line{'s' * (lost.count != 1)} lost"))

    def _seconds(self, ticks):
        per_second = self.mailbox.ticks_per_second
        return f"{ticks / per_second:.6f}" if per_second else str(ticks)

    def _ms(self, ticks):
        per_second = self.mailbox.ticks_per_second
        return f"{ticks * 1e3 / per_second:.3f} ms" if per_second else f"{ticks:.0f}"

    # What follows makes pairs of colour and line.

    def lines(self, place="", has_blocks=True):
        """Everything, as pairs of a colour's name and a line; characters of no width are shown as escapes."""
        text = [*self._head(place), *self._of_core(), *self._of_services(), *self._of_executive(), *self._of_spikes(has_blocks),
                *self._of_profile(), *self._of_crashes(), *self._of_log(), *self._of_channels()]
        return [(colour, "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in line))
                for colour, line in text]

    def _head(self, place):
        box = self.mailbox
        when = f", {self._seconds(self._now.ticks)} s" if self._now and box.ticks_per_second else ""
        yield "title", f"{place}: start {box.starts} of image {box.image:#x}{when}"
        if self.restarts:
            yield "warning", f"the firmware has started again {self.restarts} time{'s' * (self.restarts != 1)}"

    def _of_core(self):
        if not self._now:
            if "mon " in self.mailbox:
                yield None, "no report has come yet"
            return
        for kind, title in ((None, "core"), (SCHEDULER, "scheduler")):
            counts = self._now.core if kind is None else self._now.counts.get(kind)
            if counts:
                done = [f"{name} {value}" for name, value in counts.items() if kind or not self._is_fault(name)]
                yield from wrapped(title, done)
        for name, value in self._now.core.items():
            if PROVENANCE.get(name) and value:
                since = (value - self._before.core.get(name, 0) & 0xFFFFFFFF) if self._before else 0
                yield "warning", f"  {name} {value}: {PROVENANCE[name]}{self._detail(name)}" + (f", {since} since the last report" if since else "")

    def _is_fault(self, name):
        return bool(PROVENANCE.get(name)) or name in ("last_unknown_key", "last_key_not_found", "greatest_lateness", "furthest_behind")

    def _detail(self, name):
        core = self._now.core
        if name in ("keys_unknown", "rows_not_found"):
            return f" (the last: {core.get('last_unknown_key' if name == 'keys_unknown' else 'last_key_not_found', 0):#x})"
        if name == "late_spikes":
            return f" (by at most {core.get('greatest_lateness', 0)} steps)"
        if name == "overruns":
            return f" (by at most {core.get('furthest_behind', 0)} steps)"
        return ""

    def _of_services(self):
        if not self._now or not (self._now.services or self._service_names):
            return
        yield "title", f"{'service':<20}{'runs':>10}{'used':>8}{'late: mean':>14}{'worst':>14}{'misses':>8}{'longest':>14}"
        for position in sorted({*self._now.services, *self._service_names}):
            of = self._now.services.get(position, Service())
            before = self._before.services.get(position) if self._before else None
            share = self._share(of.busy, before and before.busy)
            name = self._service_names.get(position, f"service {position}")
            mean = self._ms(of.lateness / of.runs) if of.runs else "-"
            yield ("warning" if of.misses else None,
                   f"{name:<20}{of.runs:>10}{share:>8}{mean:>14}{self._ms(of.greatest):>14}{of.misses:>8}{self._ms(of.longest):>14}")

    def _of_executive(self):
        counts = self._now.counts.get(EXECUTIVE) if self._now else None
        if counts:
            yield from wrapped("executive", [f"{name} {value}" for name, value in counts.items()])
            yield "title", f"{'task':<20}{'chunks':>10}{'used':>8}{'longest chunk':>16}{'longest step':>14}{'over budget':>13}"
        for number, of in sorted(self._now.tasks.items()) if self._now else ():
            before = self._before.tasks.get(number) if self._before else None
            share = self._share(of.total, before and before.total)
            name = TASKS[number] if number < len(TASKS) else f"task {number}"
            if of.chunks:
                yield ("warning" if of.over_budget else None,
                       f"{name:<20}{of.chunks:>10}{share:>8}{self._ms(of.longest_chunk):>16}{self._ms(of.longest_step):>14}{of.over_budget:>13}")

    def _of_spikes(self, has_blocks):
        if not self._now or not self._now.spikes:
            return
        yield "title", f"{'spikes':<20}{'all':>10}{'a second':>12}{'mean':>12}  history"
        for population, count in sorted(self._now.spikes.items()):
            history = self._history.get(population, ())
            most, bars = max(history, default=0), BARS[has_blocks]
            shown = "".join(bars[-(-int(8 * rate) // int(most)) if int(most) else 0] if rate else bars[0] for rate in history)
            name = self._population_names.get(population, f"population {population}")
            mean = self._rate(self._now.spikes, self._first.spikes, population, self._first)
            yield (None, f"{name:<20}{count:>10}{history[-1] if history else 0:>12.1f}"
                         f"{0 if mean is None else mean:>12.1f}  {shown}")

    def _of_profile(self):
        if not self._profile.statistics:
            return
        yield "title", f"{'profile':<20}{'count':>10}{'mean':>14}{'shortest':>14}{'longest':>14}"
        for name, of in self._profile.statistics.items():
            yield (None, f"{name:<20}{of.count:>10}{self._ms(of.mean):>14}{self._ms(of.shortest or 0):>14}"
                         f"{self._ms(of.longest or 0):>14}")

    def _of_crashes(self):
        for report in self._crashes:
            yield "error", report if isinstance(report, str) else f"the program before has ended: {report.says}, pc {report.registers[15]:#010x}"

    def _of_log(self):
        for name, lines in self._logs.items():
            if not lines and self._records[name]:
                yield None, f"{self._records[name]} records of log: --elf FILE prints its lines"
        yield from self._last_lines

    def _of_channels(self):
        yield "title", f"{'channel':<20}{'records':>10}{'most waiting':>14}{'missed':>10}{'damaged':>10}"
        for channel in self.mailbox.channels:
            most = "-" if channel.waiting is None else f"{100 * self._most_waiting[channel.name] / channel.description.capacity:.0f} %"
            records = "to target" if channel.description.to_target else self._records[channel.name]
            missed = channel.missed
            yield ("warning" if missed or channel.damaged else None,
                   f"{channel.name:<20}{records:>10}{most:>14}{missed:>10}{channel.damaged:>10}")
        if self.mailbox.lost:
            yield "warning", f"{self.mailbox.lost} frames of the line are missing or were damaged"


def wrapped(title, entries, width=100):
    """A title and entries behind it, on as many lines as they need."""
    line = f"{title:<12}"
    for at, entry in enumerate(entries):
        comma = "," if at + 1 < len(entries) else ""
        if len(line) + len(entry) > width:
            yield None, line.rstrip()
            line = " " * 12
        line += f"{entry}{comma} "
    yield None, line.rstrip()
