#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints the goals as ratios of entries of results.json (Google Benchmark's JSON), and every figure once.

A ratio compares the best repetitions; the ratio of the medians is printed beside it. Exit status is 0 whether goals
are met or not, because figures of a host depend on what else runs there; it is 2 when the file cannot be read."""
import json
import statistics
import sys

# what, the faster, the slower, least ratio or None for "at most", bound, what bounds it
GOALS = [
    ("LIF step against a plain scalar double loop, times as fast",
     "lif/shared/native/4000", "lif/shared/plain_double/4000", "least", 5,
     "traffic between L1 and L2, then 35 vector operations per 16 neurons on two ports"),
    ("packed LIF step against the same loop, times as fast",
     "lif/packed/native/4000", "lif/shared/plain_double/4000", "least", 5,
     "about 20 vector operations per 16 neurons on two ports"),
    ("LIF step against reading and writing its arrays, times as long",
     "lif/shared/read_write/4000", "lif/shared/native/4000", "most", 4,
     "the same traffic"),
    ("CUBA network against the double-precision reference, times as fast",
     "cuba/fixed/native/4000", "cuba/double/reference/4000", "least", 6,
     "the LIF step, most of the time"),
    ("synaptic events against streaming the rows, times as long",
     "synapse/stream_rows/plain/10000x1000", "synapse/ring32/native/10000x1000", "most", 3,
     "instructions: 8 issue slots per event, 6 per cycle"),
    ("the same with four delays, no goal",
     "synapse/stream_rows/plain/10000x1000", "synapse/ring32_four_delays/native/10000x1000", "most", None,
     "the same, and the ends of row pieces"),
    ("Poisson values at 1.2 against std::poisson_distribution, times as fast",
     "poisson/1.2/native", "poisson/1.2/std_mt19937", "least", 10,
     "one load and one store per value, a quarter of a random word, mispredicted escapes"),
    ("Poisson values at 1.6 against std::poisson_distribution, times as fast",
     "poisson/1.6/native", "poisson/1.6/std_mt19937", "least", 10,
     "the same"),
    ("the same by pairs, no goal",
     "poisson/1.6/native/pairs", "poisson/1.6/std_mt19937", "least", None,
     "half a load per value, a sixth of a random word, more escapes"),
    ("arithmetic of a plasticity rule in Generic against AVX2, times as long",
     "vector/weight_update/uint8/avx2", "vector/weight_update/uint8/generic", "most", 3,
     "one vector at once instead of two; no saturating instructions"),
    ("the same against AVX-512",
     "vector/weight_update/uint8/avx512", "vector/weight_update/uint8/generic", "most", 3,
     "one vector at once instead of four"),
    ("constant rule, all lanes of a mask against no mask, AVX2, times as long",
     "mask/constant/avx2/unmasked", "mask/constant/avx2/full", "most", 1.03,
     "stores; once per run the search for stretches of addresses"),
    ("the same, generic",
     "mask/constant/generic/unmasked", "mask/constant/generic/full", "most", 1.03,
     "the same"),
    ("constant rule, some lanes of each vector against no mask, AVX2, no goal",
     "mask/constant/avx2/unmasked", "mask/constant/avx2/partial", "most", None,
     "two loads and a selection more than a store"),
    ("STDP rule, all lanes of a mask against no mask, AVX2, times as long",
     "mask/stdp/avx2/unmasked", "mask/stdp/avx2/full", "most", 1.03,
     "22 vector operations per two vectors on three ports"),
    ("the same, generic",
     "mask/stdp/generic/unmasked", "mask/stdp/generic/full", "most", 1.03,
     "the same"),
    ("STDP rule, some lanes of each vector against no mask, AVX2, times as long",
     "mask/stdp/avx2/unmasked", "mask/stdp/avx2/partial", "most", 1.15,
     "three vector operations more: a selection, two and-nots"),
    ("the same, generic",
     "mask/stdp/generic/unmasked", "mask/stdp/generic/partial", "most", 1.15,
     "the same"),
    ("STDP rule by tags against no mask, AVX2, times as long",
     "mask/stdp/avx2/unmasked", "mask/stdp/avx2/tagged", "most", 1.3,
     "a comparison, half a test and its branch more than with a mask"),
    ("the same, generic",
     "mask/stdp/generic/unmasked", "mask/stdp/generic/tagged", "most", 1.3,
     "the same, the test in ten instructions"),
    ("STDP rule, generic against AVX-512, times as long",
     "mask/stdp/avx512/unmasked", "mask/stdp/generic/unmasked", "most", 3,
     "what GCC makes of products of bytes"),
]


def read(path):
    """Items per second of every repetition by name, and other counters of the last one."""
    with open(path, encoding="utf-8") as file:
        entries = json.load(file)["benchmarks"]
    rates, counters = {}, {}
    for entry in entries:
        if entry.get("run_type") != "iteration" or "items_per_second" not in entry:
            continue
        name = entry["run_name"]
        rates.setdefault(name, []).append(entry["items_per_second"])
        for counter in ("ns_per_event", "ns_per_update"):
            if counter in entry:
                counters.setdefault((name, counter), []).append(entry[counter])
    return rates, counters


def main():
    try:
        rates, counters = read(sys.argv[1])
    except (IndexError, OSError, ValueError, KeyError) as error:
        print(f"goals.py: no results to read: {error}", file=sys.stderr)
        return 2
    print(f"{'benchmark':<58}{'million/s':>10}{'ns each':>9}{'median':>8}")
    for name, all_rates in sorted(rates.items()):
        best, median = max(all_rates), statistics.median(all_rates)
        print(f"{name:<58}{best / 1e6:>10.0f}{1e9 / best:>9.3f}{1e9 / median:>8.3f}")
    for (name, counter), values in sorted(counters.items()):
        print(f"{name + ' ' + counter:<58}{'':>10}{min(values):>9.3f}{statistics.median(values):>8.3f}")
    print(f"\n{'goal':<70}{'best':>6}{'median':>8}  {'':<12}bound by")
    for what, faster, slower, sense, bound, reason in GOALS:
        if faster not in rates or slower not in rates:
            continue
        best = max(rates[faster]) / max(rates[slower])
        median = statistics.median(rates[faster]) / statistics.median(rates[slower])
        if bound is None:
            verdict = ""
        else:
            met = best >= bound if sense == "least" else best <= bound
            verdict = f"{'>=' if sense == 'least' else '<='} {bound} {'met' if met else 'MISSED'}"
        print(f"{what:<70}{best:>6.2f}{median:>8.2f}  {verdict:<12}{reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
