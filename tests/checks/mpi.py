# SPDX-License-Identifier: BSL-1.0
"""network.mpi: the microcircuit under mpiexec, against itself alone; and ranks that differ, or are killed. machine.mpi: a machine whose
chips are in several processes.

usage: mpi.py MPIEXEC MICROCIRCUIT
       mpi.py MPIEXEC LIFE strips
"""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from common import Failure, main

SMALL = ["--scale", "0.02", "--duration", "0.2"]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def run(command, seconds=100):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env=ENVIRONMENT, timeout=seconds)
    return result.returncode, result.stdout


def digest(command):
    status, output = run(command)
    found = re.findall(r"^digest ([0-9a-f]{16})$", output, re.MULTILINE)
    if status != 0 or len(found) != 1:
        raise Failure(f"{' '.join(map(str, command))}\nended with {status}, and printed\n{output}")
    return found[0]


def same_digests(mpiexec, program):
    expected = digest([program, *SMALL, "--threads", "1"])
    for ranks in (1, 2, 3, 4, 8):
        for threads in (1, 2):
            words = [*SMALL, "--threads", threads]
            for command in ([mpiexec, "-n", ranks, program, *words], [program, *words, "--ranks", ranks]):
                if digest(command) != expected:
                    raise Failure(f"{' '.join(map(str, command))}: another digest than {expected}, that of one process")
    yield f"digest {expected} for 1, 2, 3, 4 and 8 ranks of 1 and 2 threads, under mpiexec and in shared memory"


def refused(mpiexec, program):
    status, output = run([mpiexec, "-n", 1, program, *SMALL, ":", "-n", 2, program, *SMALL, "--seed", "2"])
    said = "rank 1: it runs another network: its seed is another one"
    if status == 0 or said not in output:
        raise Failure(f"networks that differ: status {status}; '{said}' is not in\n{output}")
    yield said


def rank_of(process):
    try:
        words = (Path("/proc") / process / "environ").read_bytes().split(b"\0")
    except OSError:
        return None
    return next((int(word.split(b"=")[1]) for word in words if word.startswith(b"OMPI_COMM_WORLD_RANK=")), None)


def killed(mpiexec, program):
    with subprocess.Popen([mpiexec, "-n", "3", program, "--scale", "0.02", "--duration", "1000", "--threads", "1"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT) as runner:
        for line in runner.stdout:  # until they run
            if line.startswith("seed 1:"):
                break
        time.sleep(0.2)
        mine = [process for process in os.listdir("/proc") if process.isdigit() and rank_of(process) == 1
                and os.path.samefile(f"/proc/{process}/exe", program)]
        if len(mine) != 1:
            runner.kill()
            raise Failure(f"rank 1 is not one process, but {mine}")
        os.kill(int(mine[0]), signal.SIGKILL)
        output, _ = runner.communicate(timeout=60)
        if runner.returncode == 0 or not re.search(r"rank 1\b", output):
            raise Failure(f"rank 1 was killed: status {runner.returncode}, and it is not named in\n{output}")
    yield "rank 1 was killed, all ended, and it was named"


def strips(mpiexec, program):
    """Cells alone, and then tiles of them through the whole tool chain, whose host is in one of the processes."""
    for words in (["--width", "60", "--height", "50"], ["--width", "64", "--height", "60", "--tile", "4"]):
        yield same_life(mpiexec, [program, *words, "--ticks", "100"])


def same_life(mpiexec, words):
    def of(command):
        status, output = run(command)
        found = re.findall(r"((?:\d+ packets, \d+ deliveries, none lost|\d+ entries in tables); digest [0-9a-f]{16})\n"
                           r"\d+ cells live\nall ticks are those of the plain life\n$", output)
        if status != 0 or len(found) != 1:
            raise Failure(f"{' '.join(map(str, command))}\nended with {status}, and printed\n{output}")
        return found[0]

    expected = of(words)
    for command in ([mpiexec, "-n", 2, *words], [mpiexec, "-n", 4, *words], [*words, "--ranks", 1],
                    [*words, "--ranks", 3, "--threads", "2"], [*words, "--ranks", 4]):
        if of(command) != expected:
            raise Failure(f"{' '.join(map(str, command))}: not {expected}, as in one process")
    return f"{expected} for 1 to 4 ranks, under mpiexec and in shared memory"


def check(mpiexec, program, what=None):
    if what == "strips":
        yield from strips(mpiexec, program)
        return
    for part in (same_digests, refused, killed):
        yield from part(mpiexec, program)


if __name__ == "__main__":
    main(check, *sys.argv[1:])
