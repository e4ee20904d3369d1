#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""How long a compiler takes to read a header: what each program that includes it pays.

usage: parse.py OUTPUT.json [REPETITIONS]      in the form of Google Benchmark: parse/<header>, nanoseconds

Processor time of `g++ -std=c++20 -fsyntax-only`, user and system. All headers take turns, so that a noisy minute is
everybody's. parse/fmt_core is the yardstick: the core header of Debian's {fmt}.
"""

import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path

INCLUDE = Path(__file__).resolve().parents[1] / "include"
HEADERS = {
    "umbrella": "neuromorph/neuromorph.hpp",
    "fmt_core": "fmt/core.h",
    "population": "neuromorph/kernels/neurons/population.hpp",
    "lif": "neuromorph/kernels/neurons/models/lif.hpp",
    "synaptic_row": "neuromorph/kernels/synapses/synaptic_row.hpp",
    "mask_wrapper": "neuromorph/kernels/plasticity/mask_wrapper.hpp",
    "trace_store": "neuromorph/gc/trace_store.hpp",
    "scheduler": "neuromorph/sched/scheduler.hpp",
}


def seconds(header):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["g++", "-std=c++20", "-fsyntax-only", f"-I{INCLUDE}", "-x", "c++", "-"],
                   input=f"#include <{header}>\n", text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    output, *more = sys.argv[1:] or sys.exit(__doc__)
    times = {name: [] for name in HEADERS}
    for _ in range(int(more[0]) if more else 11):
        for name, header in HEADERS.items():
            times[name].append(seconds(header))
    entries = [{"name": f"parse/{name}", "run_name": f"parse/{name}", "run_type": "iteration", "iterations": 1,
                "real_time": 1e9 * taken, "cpu_time": 1e9 * taken, "time_unit": "ns", "items_per_second": 1 / taken}
               for name, all_of in times.items() for taken in all_of]
    Path(output).write_text(json.dumps({"benchmarks": entries}, indent=1) + "\n")
    for name, all_of in times.items():
        print(f"parse/{name}: median {1e3 * statistics.median(all_of):.0f} ms, best {1e3 * min(all_of):.0f} ms")


if __name__ == "__main__":
    main()
