# SPDX-License-Identifier: BSL-1.0
"""What one core holds in real time, from the cycles of its parts (core.cpp).

usage: realtime.py RESULTS.json [PICTURE.svg]

The cost of a step is linear: so many cycles, and so many for each neuron, each spike of its own, each row and each event.
The coefficients are solved from some of the programs' figures; the others show how well that holds. cycle_table.py puts all of
this into the pages.
"""

import json
import math
import sys
from pathlib import Path

from drawing import line, text
from tables import aligned

SOURCES = 4000  # neurons whose spikes may reach a core
PROBABILITY = 0.02  # that one of them has a synapse on one of the core's neurons: 80 synapses per neuron
# Bytes of data memory, as core.cpp has them and checks: a ring buffer for a power of two of neurons, state and list of
# spikes, the address of each row, incoming spikes, a row that was copied. Incoming are those of a step, with 100 Hz and
# 1 ms 400 in the mean.
RING_BYTES, STATE_BYTES, SYNAPSE_BYTES = 32, 12, 4
ADDRESSES_BYTES = 4 * (SOURCES + 1)
INCOMING_BYTES = 4 * 512
FETCHED_BYTES = 4 * 64
DATA_BYTES = {"arm968": 60 * 1024, "cortex_m4": 248 * 1024}  # without the stack: arm968.ld, cortex_m4.ld
MEMORY_KB = {"arm968": 64, "cortex_m4": 256}
CLOCK_MHZ = {"arm968": 200, "cortex_m4": 168}
CORES = {"arm968": "ARM968E-S", "cortex_m4": "Cortex-M4"}
STEPS = {"0.1": "step_0.1ms", "1": "step_1ms"}
CHECKS = ["busy250", "cuba500"]  # not used for the coefficients
TOLERANCE = 0.02


def bytes_of(neurons, memory):
    """What a core's data memory holds, with the rows of all sources, or with rows that are elsewhere."""
    ring = RING_BYTES * (1 << max(neurons - 1, 0).bit_length())
    rows = FETCHED_BYTES if memory else SYNAPSE_BYTES * PROBABILITY * SOURCES * neurons
    return ring + STATE_BYTES * neurons + rows + ADDRESSES_BYTES + INCOMING_BYTES


def neurons_in_memory(core, memory):
    """The most for which there is room."""
    neurons = 0
    while bytes_of(neurons + 1, memory) <= DATA_BYTES[core]:
        neurons += 1
    return neurons


class Measured:
    """One core's entries of results.json or expected.json."""

    def __init__(self, entries, core):
        prefix = f"cycles/{core}/core/"
        self.core = core
        self.entries = {entry["name"].removeprefix(prefix): entry for entry in entries
                        if entry["name"].startswith(prefix)}

    def has(self, key):
        return key in self.entries

    def of(self, key):
        """Cycles per step."""
        return self.entries[key]["cycles"] * self.items(key)

    def items(self, key):
        return self.entries[key]["items"]

    def spikes(self, place):
        """Of the core's own neurons, per step."""
        if not self.has(f"{place}/spikes"):
            return 0.0
        return self.entries[f"{place}/spikes"]["iterations"] / self.entries[f"{place}/neurons"]["iterations"]


class Cost:
    """Cycles of a step of `dt` ms as a function of what happens in it."""

    def __init__(self, measured, dt, memory=""):
        self.measured, self.step, self.dt, self.memory = measured, STEPS[dt], float(dt), memory
        self.most = neurons_in_memory(measured.core, memory)
        of, step = measured.of, self.step
        whole, half = of(f"quiet250/{step}/neurons"), of(f"quiet126/{step}/neurons")
        self.neuron = (whole - half) / 124
        self.fixed = half - 126 * self.neuron
        firing = f"firing250/{step}"
        self.spike = (of(f"{firing}/neurons") - whole) / measured.spikes(firing) + of(f"{firing}/spikes")
        few, many, longer = (f"{place}{memory}" for place in
                             ("cuba250/step_0.1ms", "cuba250/step_1ms", "rows_of_20/step_0.1ms"))
        rows = {place: measured.items(f"{place}/rows") for place in (few, many, longer)}
        events = {place: measured.items(f"{place}/events") for place in (few, many, longer)}
        self.event = (of(f"{longer}/rows") - of(f"{few}/rows")) / (events[longer] - events[few])
        self.row = ((of(f"{many}/rows") - of(f"{few}/rows") - (events[many] - events[few]) * self.event)
                    / (rows[many] - rows[few]))
        self.fixed += of(f"{few}/rows") - rows[few] * self.row - events[few] * self.event

    def cycles(self, neurons, spikes, rows, events):
        return (self.fixed + neurons * self.neuron + spikes * self.spike + rows * self.row + events * self.event)

    def available(self):
        return CLOCK_MHZ[self.measured.core] * 1000 * self.dt

    def neurons(self, rate_hz):
        """How many fit into a step when every neuron and every source fires at a rate."""
        each = rate_hz * self.dt / 1000
        rows = SOURCES * each
        per_neuron = self.neuron + each * self.spike + PROBABILITY * rows * self.event
        return max(0.0, (self.available() - self.fixed - rows * self.row) / per_neuron)

    def held(self, rate_hz):
        """How many fit into the step and into data memory."""
        return min(self.neurons(rate_hz), self.most)

    def checks(self):
        """(place, measured, by the linear cost) of the steps that the coefficients do not come from."""
        for name in CHECKS:
            place = f"{name}/{self.step}{self.memory}"
            if not self.measured.has(f"{place}/total"):
                continue
            neurons, rows, events = (self.measured.items(f"{place}/{what}") for what in ("neurons", "rows", "events"))
            yield (place, self.measured.of(f"{place}/total"),
                   self.cycles(neurons, self.measured.spikes(place), rows, events))


def events_per_s(neurons, rate_hz):
    return neurons * PROBABILITY * SOURCES * rate_hz


def places(entries):
    """Core, time step and where the rows are, of all that was measured."""
    for core in CORES:
        measured = Measured(entries, core)
        for memory in ("", "/sdram"):
            if measured.has(f"cuba250/step_1ms{memory}/total"):
                for dt in STEPS:
                    yield Cost(measured, dt, memory)


def title(cost):
    rows = "rows copied from SDRAM" if cost.memory else "rows in data memory"
    return f"{CORES[cost.measured.core]} at {CLOCK_MHZ[cost.measured.core]} MHz, {rows}"


def steps_table(entries):
    yield ["a core of the CUBA network: 250 neurons, 4000 sources at 10 Hz", "dt", "cycles per step", "of the time",
           "neurons", "each", "rows", "each, of 5 events"]
    for cost in places(entries):
        place = f"cuba250/{cost.step}{cost.memory}"
        total, neurons, rows = (cost.measured.of(f"{place}/{what}") for what in ("total", "neurons", "rows"))
        yield [title(cost), f"{cost.dt:g} ms", f"{total:.0f}", f"{total / cost.available():.1%}", f"{neurons:.0f}",
               f"{neurons / 250:.1f}", f"{rows:.0f}", f"{rows / cost.measured.items(f'{place}/rows'):.1f}"]


def cost_table(entries):
    yield ["cycles", "dt", "each step", "each neuron", "each spike of its own with the refractory period", "each row", "each event"]
    for cost in places(entries):
        yield [title(cost), f"{cost.dt:g} ms", f"{cost.fixed:.0f}", f"{cost.neuron:.2f}", f"{cost.spike:.0f}",
               f"{cost.row:.1f}", f"{cost.event:.2f}"]


def check_table(entries):
    yield ["step", "core", "measured", "by these coefficients", "difference"]
    for cost in places(entries):
        for place, measured, predicted in cost.checks():
            if abs(predicted / measured - 1) > TOLERANCE:
                sys.exit(f"realtime.py: the cost of {place} on {cost.measured.core} is not linear: {measured:.0f} cycles, "
                         f"not {predicted:.0f}; the curves of docs/images/realtime.svg would be wrong")
            yield [f"`core/{place}/total`", CORES[cost.measured.core], f"{measured:.0f}", f"{predicted:.0f}",
                   f"{predicted / measured - 1:+.2%}"]


def capacity_table(entries):
    rates = (0.1, 1, 10, 100)
    yield ["neurons per core, synaptic events per second", "dt"] + [f"{rate:g} Hz" for rate in rates]
    for cost in places(entries):
        cells = []
        for rate in rates:
            neurons = int(cost.held(rate))
            full = " (memory)" if neurons < int(cost.neurons(rate)) else ""
            cells.append(f"{neurons}{full}, {events_per_s(neurons, rate) / 1e6:.2g} million")
        yield [title(cost), f"{cost.dt:g} ms"] + cells


class Panel:
    """A part of the page with logarithmic axes."""

    def __init__(self, top, height, low, high, label):
        self.left, self.width, self.top, self.height = 100, 700, top, height
        self.low, self.high, self.label = low, high, label

    def x(self, rate):
        return self.left + math.log10(rate / 0.1) / 3 * self.width

    def y(self, value):
        return self.top + self.height * (1 - math.log10(value / self.low) / math.log10(self.high / self.low))

    def axes(self, last):
        for decade in range(-1, 2):
            for digit in range(1, 10):
                yield line(self.x(digit * 10.0**decade), self.top, self.x(digit * 10.0**decade),
                           self.top + self.height, "#ccc" if digit == 1 else "#eee")
        for rate in (0.1, 1, 10, 100):
            if last:
                yield text(self.x(rate), self.top + self.height + 20, "middle", f"{rate:g}")
        decade = math.floor(math.log10(self.low))
        while 10.0**decade <= self.high:
            for digit in range(1, 10):
                value = digit * 10.0**decade
                if self.low <= value <= self.high:
                    yield line(self.left, self.y(value), self.left + self.width, self.y(value),
                               "#ccc" if digit == 1 else "#eee")
                    if digit in (1, 2, 5) and self.high / self.low < 1000 or digit == 1:
                        yield text(self.left - 8, self.y(value) + 4, "end", count(value))
            decade += 1
        yield line(self.left, self.top, self.left, self.top + self.height, "#333")
        yield line(self.left, self.top + self.height, self.left + self.width, self.top + self.height, "#333")
        yield (f'<text transform="translate({self.left - 70} {self.top + self.height / 2:.1f}) rotate(-90)" '
               f'text-anchor="middle">{self.label}</text>')

    def curve(self, points, colour, dashes, width=2.0):
        if any(not self.low <= value <= self.high for _, value in points):
            sys.exit(f"realtime.py: a curve of {self.label} leaves {self.low:g} to {self.high:g}; give its panel other ends")
        path = "L".join(f"{self.x(rate):.1f} {self.y(value):.1f}" for rate, value in points)
        return (f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{width:g}"'
                f'{f" stroke-dasharray={chr(34)}{dashes}{chr(34)}" if dashes else ""}/>')


def count(value):
    return f"{value / 1e6:g} million" if value >= 1e6 else f"{value:g}" if value < 1e4 else f"{value / 1e3:g} 000"


COLOURS = {0.1: "#1f5fa8", 1.0: "#c8442c"}
STYLES = {("arm968", ""): ("", 2.2), ("arm968", "/sdram"): ("7 4", 1.6), ("cortex_m4", ""): ("1.5 3", 1.6)}


def picture(entries):
    """The SVG file: neurons and synaptic events over the firing rate."""
    costs = list(places(entries))
    rates = [10 ** (step / 40 - 1) for step in range(121)]
    above = Panel(84, 250, 50, 2000, "neurons per core")
    below = Panel(372, 250, 5e2, 1e7, "synaptic events per second")
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 840 740" width="840" height="740" '
             'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#333">',
             '<rect width="100%" height="100%" fill="#fff"/>',
             text(100, 30, "start", "What one core holds in real time", ' font-size="17" font-weight="bold"'),
             text(100, 50, "start", "PackedLif neurons with 80 synapses each, from 4000 neurons that fire at the same rate",
                  ' fill="#777"')]
    parts += list(above.axes(False)) + list(below.axes(True))
    for cost in costs:
        dashes, width = STYLES[cost.measured.core, cost.memory]
        colour = COLOURS[cost.dt]
        parts.append(above.curve([(rate, cost.held(rate)) for rate in rates], colour, dashes, width))
        parts.append(below.curve([(rate, events_per_s(cost.held(rate), rate)) for rate in rates], colour, dashes, width))
    parts.append(text(450, 664, "middle", "firing rate / Hz"))
    for at, (dt, colour) in enumerate(COLOURS.items()):
        parts.append(line(100, 688 + 20 * at, 130, 688 + 20 * at, colour, ' stroke-width="4"'))
        parts.append(text(138, 692 + 20 * at, "start", f"steps of {dt:g} ms"))
    for at, cost in enumerate(cost for cost in costs if cost.dt == 1.0):
        dashes, width = STYLES[cost.measured.core, cost.memory]
        more = f' stroke-width="{width:g}"' + (f' stroke-dasharray="{dashes}"' if dashes else "")
        parts.append(line(270, 684 + 18 * at, 310, 684 + 18 * at, "#333", more))
        parts.append(text(318, 688 + 18 * at, "start", f"{title(cost)}; {cost.most} neurons fill {MEMORY_KB[cost.measured.core]} KB"))
    return "\n".join(parts + ["</svg>\n"])


def main():
    path, *out = sys.argv[1:] or sys.exit(__doc__)
    entries = json.loads(Path(path).read_text())["benchmarks"]
    for table in (steps_table, cost_table, check_table, capacity_table):
        print(f"\n{aligned(list(table(entries)))}")
    if out:
        Path(out[0]).write_text(picture(entries), encoding="utf-8")
        print(f"\nwritten: {out[0]}")


if __name__ == "__main__":
    main()
