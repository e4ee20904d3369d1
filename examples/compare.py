#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs one example on this host and elsewhere and compares the digests of its state.

The first digests that differ are narrowed down to the first step and the first item (a neuron, a synapse, a history, a
run of a service) that differ. Of an example without digests each line is compared. The host alone writes files.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

STEP = re.compile(r"^step +(\d+) +([\d.]+) s +digest ([0-9a-f]{16})", re.M)
STATE = re.compile(r"^state (\d+) (-?\d+) (-?\d+) (-?\d+)$", re.M)
CORE = re.compile(r"^second +(\d+) core (\d+) spikes ([0-9a-f]{16}) weights ([0-9a-f]{16})", re.M)
ITEMS = {  # by --item: the words of its state, and where else a difference may be
    "cell": (("membrane", "second word", "third word"), "in a later word or a counter"),
    "neuron": (("membrane", "excitatory psp", "inhibitory psp"), "in the ring buffer or a counter"),
    "run": (("service", "start", "finish"), "in a release or a deadline"),
    "synapse": (("weight", "causal count", "acausal count"), "in a rate or a tag"),
    "history": (("number of events", "oldest event", "trace"), "in what a collector did"),
}


def show(command):
    """Standard output of the host's only run, which is shown line by line as it comes."""
    # A program draws its progress on the other stream, which may be the same terminal.
    clear = "\r\033[K" if sys.stdout.isatty() and sys.stderr.isatty() else ""
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(clear + line, end="", flush=True)
            lines.append(line)
    if process.returncode != 0:
        sys.exit(process.returncode if process.returncode in (1, 2) else 1)
    return "".join(lines)


def run(command):
    """Standard output of a command that must succeed; otherwise its complaint, and its exit status is ours."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stderr or done.stdout)
        print(f"compare: '{command[0]}' ended with status {done.returncode}", file=sys.stderr)
        sys.exit(done.returncode if done.returncode in (1, 2) else 1)
    return done.stdout


def without_output(arguments):
    """The arguments without --output and its folder."""
    kept, words = [], iter(arguments)
    for word in words:
        if word == "--output":
            next(words, None)
        else:
            kept.append(word)
    return kept


def lines_of(output):
    return dict(enumerate(output.splitlines(), 1))


def digests(output):
    return {int(step): digest for step, _, digest in STEP.findall(output)}


def core_digests(output):
    """Of each core after each second: spikes, weights."""
    return {(int(second), int(core)): digests for second, core, *digests in CORE.findall(output)}


def first_difference(ours, theirs):
    """Smallest step whose digests differ or are not in both; None if all agree."""
    for step in sorted(ours.keys() | theirs.keys()):
        if ours.get(step) != theirs.get(step):
            return step
    return None


def locate(name, host, other, ours, step, item):
    """One sentence: the first step and item at which two runs differ."""
    words, elsewhere = ITEMS[item]
    agreed = max((s for s in ours if s < step), default=0)
    window = ["--digest-every", "1", "--digest-from", str(agreed + 1)]
    exact = first_difference(digests(run(host + window)), digests(run(other + window)))
    if exact is None:
        return f"{name} differs from the host at step {step}, but not when it is run again: it is not deterministic"
    dump = ["--dump", str(exact)]
    here, there = STATE.findall(run(host + dump)), STATE.findall(run(other + dump))
    for mine, its in zip(here, there):
        for word, value, other_value in zip(words, mine[1:], its[1:]):
            if value != other_value:
                return (f"{name} differs from the host: first at step {exact}, {item} {mine[0]}, "
                        f"{word} {other_value} instead of {value}")
    return f"{name} differs from the host: first at step {exact}, {elsewhere}, in no {item}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", required=True, help="program to compare with")
    parser.add_argument("--output", help="folder for the host's files")
    parser.add_argument("--other", action="append", default=[], metavar="NAME=PROGRAM")
    parser.add_argument("--fault", metavar="STEP:ITEM", help="flip a bit in the others' runs, to see it found")
    parser.add_argument("--item", choices=[*ITEMS, "line"], default="neuron",
                        help="what the state consists of; line: there is none, all that is printed is compared")
    parser.add_argument("--cores", type=int, metavar="N", help="the others run each of N cores alone, from the file of "
                        "spikes that the host writes, and for ten seconds at most")
    parser.add_argument("arguments", nargs="*", help="after --: for all programs")
    options = parser.parse_args()

    arguments = without_output(options.arguments)
    host = [options.host] + arguments
    folder = [] if arguments != options.arguments or not options.output else ["--output", options.output]
    if options.cores:
        file = os.path.join(options.output, "spikes")
        os.makedirs(options.output, exist_ok=True)
        folder += [] if "--spikes" in arguments else ["--spikes", file]
    shown = show([options.host] + options.arguments + folder)
    if "--help" in arguments or "-h" in arguments:
        sys.exit(0)
    print(flush=True)
    is_text = options.item == "line"
    what, points_of = ("lines", lines_of) if is_text else ("digests", digests)
    ours = points_of(shown)

    if options.cores:
        points_of, what, ours = core_digests, "digests", core_digests(shown)
        seconds = min(10, max(second for second, _ in ours))
        ours = {point: digests for point, digests in ours.items() if point[0] <= seconds}

    def compare_cores(entry):
        name, program = entry.split("=", 1)
        path = arguments[arguments.index("--spikes") + 1] if "--spikes" in arguments else file
        start, theirs = time.monotonic(), {}
        for core in range(options.cores):
            theirs |= core_digests(run([program, "--spikes", path, "--duration", str(seconds), "--core", str(core)]))
        point = first_difference(ours, theirs)
        if point is None:
            return True, (f"{name}: {options.cores} cores alone, all {len(theirs)} digests of spikes and weights are those "
                          f"of the host ({time.monotonic() - start:.1f} s)")
        return False, f"{name} differs from the host: first in second {point[0]}, on core {point[1]}"

    def compare(entry):
        if options.cores:
            return compare_cores(entry)
        name, program = entry.split("=", 1)
        other = [program] + arguments + (["--flip", options.fault] if options.fault else [])
        start = time.monotonic()
        theirs = points_of(run(other))
        point = first_difference(ours, theirs)
        seconds = time.monotonic() - start
        if point is None:
            return True, f"{name}: all {len(theirs)} {what} are those of the host ({seconds:.1f} s)"
        if is_text:
            return False, (f"{name} differs from the host: first in line {point}, '{theirs.get(point, '')}' "
                           f"instead of '{ours.get(point, '')}'")
        return False, locate(name, host, other, ours, point, options.item)

    if not ours:
        print(f"compare: the host printed no {what}", file=sys.stderr)
        sys.exit(1)
    same = True
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for agrees, sentence in pool.map(compare, options.other):
            print(sentence, file=sys.stdout if agrees else sys.stderr, flush=True)
            same = same and agrees
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left to be written would fail again
        sys.exit(f"compare: {error}")
