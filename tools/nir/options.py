# SPDX-License-Identifier: BSL-1.0
"""What a command line says of a network: its file, its rule, and how it comes to integers."""

import dataclasses
import math

import graph
import plan
import rules
from graph import Wrong


def add(parser):
    parser.add_argument("file", help="of NIR")
    parser.add_argument("--dt", type=float, required=True, help="length of a step, in the unit of the file's time constants: seconds")
    parser.add_argument("--like", choices=sorted(rules.PRESETS), help="the rule of the tool that the file is from")
    for name, choices in rules.CHOICES.items():
        if name != "input":
            parser.add_argument(f"--{name}", choices=choices, help="of the rule; docs/trained.md says what it means")
    parser.add_argument("--pulses", action="store_true", help="what comes to a neuron is a pulse of area 1, not a current over a step")
    parser.add_argument("--input", choices=("spikes", "counts", "values"), default="spikes", help="what comes from outside in a step")
    parser.add_argument("--input-bits", type=int, default=15, help="fraction bits of values (15)")
    parser.add_argument("--input-most", type=float, default=0.0, help="largest magnitude of what comes from outside")
    parser.add_argument("--weights", type=int, choices=(4, 8, 16, 32), default=0, help="bits of each; without it as few as the budget lets")
    parser.add_argument("--budget", type=float, default=2.0 ** -14, help="largest error of a weight, in thresholds (6e-5)")
    parser.add_argument("--state-bits", type=int, default=0, help="fraction bits of states; without it 15 of a threshold")


def network(given, kind=plan.Plan):
    """The plan of what was given, and its rule in words."""
    if not (given.dt > 0 and math.isfinite(given.dt)):
        raise Wrong("--dt is a length of time above 0")
    if not 0 <= given.input_bits <= 30 or not 0 <= given.state_bits <= 29:
        raise Wrong("--input-bits are 0 to 30, --state-bits 1 to 29")
    if not given.budget > 0 or not given.input_most >= 0:
        raise Wrong("--budget is above 0, and --input-most not below")
    changes = {name: getattr(given, name) for name in rules.CHOICES if name != "input" and getattr(given, name) is not None}
    if given.pulses:
        changes["input"] = "spike"
    if given.like is None and not {"integrator", "reset"} <= set(changes):
        raise Wrong("say whose rule it is, --like " + ", ".join(sorted(rules.PRESETS)) + ", or --integrator and --reset: a file of NIR does not say it")
    rule = dataclasses.replace(rules.PRESETS[given.like] if given.like else rules.Rule(), **changes)
    read = graph.read(given.file)
    graph.infer_shapes(read)
    made = kind(read, rule, plan.Options(given.dt, given.input, given.input_bits, given.input_most, given.weights, given.budget, given.state_bits))
    return made, "by the rule of " + given.like if given.like else "by " + ", ".join(f"{key} {value}" for key, value in changes.items())
