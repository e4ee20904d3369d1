# SPDX-License-Identifier: BSL-1.0
"""A core of a network that was not trained, by its numbers: bytes of its parts, and cycles of a step from what the cycle counter has measured.

Neurons are PackedLif; benchmarks/cycles_kernels/core.cpp is the program whose figures, in expected.json, give the coefficients.
"""

import dataclasses
import json

from realtime import Cost, Measured


@dataclasses.dataclass(frozen=True)
class Core:
    neurons: int
    sources: int  # whose spikes may come
    synapses: float  # of a neuron
    rate: float  # Hz, of neurons and sources
    dt_ms: float = 1.0  # 0.1 or 1
    slots: int = 8  # of delay, a power of two
    receptors: int = 2
    rows: str = "memory"  # or sdram: copied when a spike comes

    def parts(self):
        """Bytes that change or are read by rows."""
        ring = 2 * self.slots * self.receptors * (1 << max(self.neurons - 1, 0).bit_length())
        rows = 4 * 64 if self.rows == "sdram" else round(4 * self.synapses * self.neurons)
        return {"ring of delays": ring, "neurons": 12 * self.neurons, "rows": rows, "addresses of rows": 4 * (self.sources + 1),
                "spikes that came": 4 * max(64, 1 << round(self.sources * self.rate * self.dt_ms / 1000 * 1.28).bit_length())}

    def per_step(self):
        """Spikes of its own, rows and synaptic events."""
        each = self.rate * self.dt_ms / 1000
        return self.neurons * each, self.sources * each, self.neurons * self.synapses * each

    def cycles(self, entries, core):
        """Of a step in the mean."""
        memory = "/sdram" if self.rows == "sdram" else ""
        if memory and core != "arm968":
            return None
        spikes, rows, events = self.per_step()
        return Cost(Measured(entries, core), f"{self.dt_ms:g}", memory).cycles(self.neurons, spikes, rows, events)


def entries_of(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["benchmarks"]


def changes(of):
    """What could be otherwise, in words, and the core that it would be."""
    if of.rows == "memory":
        yield "rows in memory outside, copied when a spike comes", dataclasses.replace(of, rows="sdram")
    if of.slots > 2:
        yield f"{of.slots // 2} slots of delay", dataclasses.replace(of, slots=of.slots // 2)
    if of.neurons > 1:
        yield f"{of.neurons // 2} neurons on each of twice the cores", dataclasses.replace(of, neurons=of.neurons // 2)
    power = 1 << max(of.neurons - 1, 0).bit_length()
    if power // 2 < of.neurons < power and power > 2:
        yield f"{power // 2} neurons, of which a ring has a power of two", dataclasses.replace(of, neurons=power // 2)
    if of.dt_ms == 0.1:
        yield "steps of 1 ms", dataclasses.replace(of, dt_ms=1.0)
