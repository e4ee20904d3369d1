# SPDX-License-Identifier: BSL-1.0
"""Appendix A of the paper on trace collection: what its profiler printed of the compactor, and what ours does, of the paper's
collector and of gc::Baker, on the emulated ARM968E-S.

usage: papers_profile.py COUNTER ELF                     prints the profiles as the paper does
       papers_profile.py COUNTER ELF --write             writes the table into docs/traces_papers.md
       papers_profile.py COUNTER ELF --check COMPILER    says whether it is that; no error if COMPILER is another one than the
                                                         cycle table's

COUNTER is neuromorph-cycles, ELF is benchmarks/papers_profile. The time of a scan, which the counter knows, too, is compared."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tables import markdown, with_table

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from firmware.mailbox import MemoryMailbox  # noqa: E402
from firmware.profile import Profile  # noqa: E402

PAGE = ROOT / "docs/traces_papers.md"
WRITER = "benchmarks/report/papers_profile.py"
EXPECTED = ROOT / "benchmarks/cycles_kernels/expected.json"
# What SDRAM waits to be read, to be written and to be fetched from, as docs/traces_papers.md has it.
SDRAM = {20: "20,10,20", 80: "80,80,80"}
RUNS = (("papers", 20), ("papers", 80), ("baker", 20))
PAPER = {"Mean time": "0.267614 ms", "With standard deviation": "0.156149 ms", "Standard error": "0.049379 ms",
         "Mean samples per timestep": "0.011086", "Last sample time": "902 ms", "Mean time per timestep": "0.002967 ms"}
MOST_CYCLES_APART = 12  # a call, its arguments, and the label's place


def profile_of(counter, elf, collector, speed):
    with tempfile.TemporaryDirectory() as folder:
        regions = Path(folder) / "regions.json"
        result = subprocess.run([counter, "--quiet", "--json", regions, "--cmdline", collector,
                                 "--region", f"sdram,0x60000000,0x1000000,{SDRAM[speed]}", elf], capture_output=True)
        if result.returncode == 1:
            sys.exit(f"papers_profile.py: {elf.name} {collector}: a history was wrong, an event refused, or a mark lost")
        if result.returncode:
            sys.exit(f"papers_profile.py: {elf.name}: {result.stderr.decode().strip()}")
        measures = json.loads(regions.read_text())["measures"]
    memory = bytearray(result.stdout)
    mailbox = MemoryMailbox(memory)
    profile = Profile(mailbox.ticks_per_second)
    profile.poll(mailbox)
    mailbox.close()
    counted = next((measure for measure in measures if measure["name"] == "papers_profile.scanner"), None)
    if counted and counted["count"]:
        scanner = profile.statistics["Scanner"]
        if scanner.count != counted["count"] or abs(scanner.mean - counted["mean"]) > MOST_CYCLES_APART:
            sys.exit(f"papers_profile.py: by the profiler {scanner.count} scans take {scanner.mean:.1f} cycles, by the counter "
                     f"{counted['count']} take {counted['mean']:.1f}")
    return profile


def cells(profile, tag):
    of, ms = profile.statistics[tag], 1e3 / profile.ticks_per_second
    return {"Mean time": f"{of.mean * ms:.6f} ms", "With standard deviation": f"{of.deviation * ms:.6f} ms",
            "Standard error": f"{of.error * ms:.6f} ms", "Mean samples per timestep": f"{of.count / profile.steps:.6f}",
            "Last sample time": f"{of.last_step} ms", "Mean time per timestep": f"{of.sum * ms / profile.steps:.6f} ms"}


def table(profiles):
    """A column for each tag: the paper's, then ours."""
    columns = [("Compactor: paper", PAPER)]
    columns += [(f"Compactor: SDRAM {speed}", cells(profiles["papers", speed], "Compactor")) for speed in SDRAM]
    columns += [(tag, cells(profiles["papers", 20], tag)) for tag in ("Scanner", "Extender", "Record")]
    columns += [(f"`gc::Baker`: {tag}", cells(profiles["baker", 20], tag)) for tag in ("Compactor", "Scanner", "Record")]
    yield ["", *(name for name, _ in columns)]
    for row in PAPER:
        yield [row, *(column[row] for _, column in columns)]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    counter, elf, *action = sys.argv[1:]
    profiles = {(collector, speed): profile_of(counter, Path(elf), collector, speed) for collector, speed in RUNS}
    if not action:
        for (collector, speed), profile in profiles.items():
            print(f"--- {collector}, SDRAM {speed}\n\n{profile.table()}")
        return 0
    before = PAGE.read_text(encoding="utf-8")
    try:
        after = with_table(before, "papers_profile", markdown(list(table(profiles))), WRITER)
    except ValueError as error:
        sys.exit(f"{PAGE.name} {error}")
    if action == ["--write"]:
        PAGE.write_text(after, encoding="utf-8")
    elif after != before:
        version = subprocess.run([action[1], "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
        known = json.loads(EXPECTED.read_text())["compiler"]
        print(f"{PAGE.name} has another table; 'cmake --build <build folder> --target update_cycles' writes:\n"
              + markdown(list(table(profiles))), file=sys.stderr)
        if f"GCC {version}" == known:
            return 1
        print(f"No error: it is of {known}, this is GCC {version}.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
