#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Trains the network of examples/trained: which way does a bar move over 8 x 8 pixels that fire? Writes bars.nir beside it.

    /usr/bin/python3 examples/trained/train.py [--iterations N]

A surrogate gradient through time, in NumPy, from seed 1: the same file each time on one machine, in a minute. 48 neurons with currents, which hear
each other, and four membranes that read out. Steps are 1 ms; the rule is Euler's, as Norse has it.
"""

import argparse
import pathlib
import sys

import numpy

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools/nir"))

SIDE, STEPS, HIDDEN, CLASSES = 8, 24, 48, 4
DT = 1e-3


def bars(draw, count):
    """Spikes, [step][sample][pixel], and directions: right, left, down, up. main.cpp draws in the same way."""
    directions = draw.integers(0, 4, count)
    begin, speed = draw.integers(0, 8 * 256, count), draw.integers(64, 103, count)
    spikes = numpy.zeros((STEPS, count, SIDE, SIDE), bool)
    for step in range(STEPS):
        moved = speed * step
        place = numpy.where(directions % 2 == 0, begin + moved, begin + 65536 - moved) // 256 % 8
        for at in range(count):
            line = draw.random(SIDE) < 0.5
            if directions[at] < 2:
                spikes[step, at, :, place[at]] = line
            else:
                spikes[step, at, place[at], :] = line
    spikes |= draw.random(spikes.shape) < 0.02
    return spikes.reshape(STEPS, count, SIDE * SIDE).astype(numpy.float32), directions


class Network:
    def __init__(self, draw):
        self.alpha = (1 - 1 / draw.uniform(2, 10, HIDDEN)).astype(numpy.float32)  # what currents keep
        self.beta = (1 - 1 / draw.uniform(3, 14, HIDDEN)).astype(numpy.float32)  # what membranes keep
        self.gamma = numpy.float32(1 - 1 / 12)  # of those that read out
        self.weights = {
            "fc": draw.normal(0, 0.6 / numpy.sqrt(6), (HIDDEN, SIDE * SIDE)).astype(numpy.float32),
            "bias": numpy.zeros(HIDDEN, numpy.float32),
            "back": draw.normal(0, 0.3 / numpy.sqrt(HIDDEN), (HIDDEN, HIDDEN)).astype(numpy.float32),
            "read": draw.normal(0, 1 / numpy.sqrt(HIDDEN), (CLASSES, HIDDEN)).astype(numpy.float32),
        }

    def forward(self, x):
        w, count = self.weights, x.shape[1]
        current, v = numpy.zeros((count, HIDDEN), numpy.float32), numpy.zeros((count, HIDDEN), numpy.float32)
        z, out = numpy.zeros((count, HIDDEN), numpy.float32), numpy.zeros((count, CLASSES), numpy.float32)
        past = []
        for step in range(STEPS):
            before = z
            current = self.alpha * current + (1 - self.alpha) * (x[step] @ w["fc"].T + w["bias"] + z @ w["back"].T)
            v = self.beta * v + (1 - self.beta) * GAIN * current
            asked = v
            z = (v > 1).astype(numpy.float32)
            v = v * (1 - z)
            out = self.gamma * out + (1 - self.gamma) * GAIN * (z @ w["read"].T)
            past.append((before, asked, z))
        return out, past

    def gradients(self, x, wanted):
        out, past = self.forward(x)
        shifted = numpy.exp(out - out.max(axis=1, keepdims=True))
        likely = shifted / shifted.sum(axis=1, keepdims=True)
        loss = -numpy.log(likely[numpy.arange(len(wanted)), wanted] + 1e-9).mean()
        of_out = likely
        of_out[numpy.arange(len(wanted)), wanted] -= 1
        of_out /= len(wanted)
        w = self.weights
        made = {name: numpy.zeros_like(value) for name, value in w.items()}
        of_v = of_current = of_z_late = numpy.zeros((x.shape[1], HIDDEN), numpy.float32)
        for step in reversed(range(STEPS)):
            before, asked, z = past[step]
            read = (1 - self.gamma) * GAIN * of_out
            made["read"] += read.T @ z
            of_z = read @ w["read"] + of_z_late - of_v * asked
            of_asked = of_v * (1 - z) + of_z / (1 + 4 * numpy.abs(asked - 1)) ** 2
            of_current = of_current + of_asked * (1 - self.beta) * GAIN
            arrived = of_current * (1 - self.alpha)
            made["fc"] += arrived.T @ x[step]
            made["bias"] += arrived.sum(axis=0)
            made["back"] += arrived.T @ before
            of_z_late = arrived @ w["back"]
            of_current, of_v, of_out = of_current * self.alpha, of_asked * self.beta, of_out * self.gamma
        return loss, (out.argmax(axis=1) == wanted).mean(), made


GAIN = numpy.float32(4.0)


def train(iterations):
    draw = numpy.random.default_rng(1)
    network = Network(draw)
    first = {name: numpy.zeros_like(value) for name, value in network.weights.items()}
    second = {name: numpy.zeros_like(value) for name, value in network.weights.items()}
    for at in range(1, iterations + 1):
        x, wanted = bars(draw, 64)
        loss, right, made = network.gradients(x, wanted)
        rate = 3e-3 * (1 - at / (iterations + 1))
        for name, value in network.weights.items():
            first[name] = 0.9 * first[name] + 0.1 * made[name]
            second[name] = 0.999 * second[name] + 0.001 * made[name] ** 2
            value -= rate * (first[name] / (1 - 0.9 ** at)) / (numpy.sqrt(second[name] / (1 - 0.999 ** at)) + 1e-8)
        if at % 200 == 0:
            print(f"{at:5d}  loss {loss:.3f}  right {right:.2f}", flush=True)
    return network


def main():
    import graph
    from graph import Graph, Node

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--samples", metavar="FILE.npy", help="write twenty bars, [bar][step][pixel], and train nothing")
    given = parser.parse_args()
    if given.samples:
        numpy.save(given.samples, bars(numpy.random.default_rng(4), 20)[0].transpose(1, 0, 2))
        return
    network = train(given.iterations)
    x, wanted = bars(numpy.random.default_rng(2), 1000)
    out, past = network.forward(x)
    print(f"of 1000 others {(out.argmax(axis=1) == wanted).mean():.1%} right, {sum(z.sum() for _, _, z in past) / 1000:.1f} spikes each")
    w = network.weights
    nodes = {
        "input": Node("Input", {"shape": numpy.array([SIDE * SIDE])}),
        "fc": Node("Affine", {"weight": w["fc"], "bias": w["bias"]}),
        "hidden": Node("CubaLIF", {"tau_syn": DT / (1 - network.alpha), "tau_mem": DT / (1 - network.beta), "r": numpy.full(HIDDEN, GAIN),
                                   "v_leak": numpy.zeros(HIDDEN, numpy.float32), "v_threshold": numpy.ones(HIDDEN, numpy.float32),
                                   "v_reset": numpy.zeros(HIDDEN, numpy.float32), "w_in": numpy.ones(HIDDEN, numpy.float32)}),
        "back": Node("Linear", {"weight": w["back"]}),
        "read": Node("Linear", {"weight": w["read"]}),
        "out": Node("LI", {"tau": numpy.full(CLASSES, DT / (1 - network.gamma), numpy.float32), "r": numpy.full(CLASSES, GAIN),
                           "v_leak": numpy.zeros(CLASSES, numpy.float32)}),
        "output": Node("Output", {"shape": numpy.array([CLASSES])}),
    }
    edges = [("input", "fc"), ("fc", "hidden"), ("hidden", "back"), ("back", "hidden"), ("hidden", "read"), ("read", "out"), ("out", "output")]
    graph.write(Graph(nodes, edges, "1.0"), str(HERE / "bars.nir"))


if __name__ == "__main__":
    main()
