# SPDX-License-Identifier: BSL-1.0
"""gdb.session.<board>: stock gdb debugs firmware with the stub, on an emulated board.

usage: gdb.py FIRMWARE EMULATOR WORD...

Starts the emulator with the stub's UART on a socket, and another one that steps by itself, to compare; then gdb, in which
tests/gdb/session.py goes through the commands.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import ROOT, Failure, main

SESSION = ROOT / "tests/gdb/session.py"
SECONDS = 400


def emulator(words, firmware, *more):
    return subprocess.Popen([*words, *more, "-kernel", firmware], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def wait_for(path, process):
    for _ in range(200):
        if path.exists():
            return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise Failure(f"the emulator has not begun: {process.stdout.read().decode() if process.poll() is not None else path}")


def check(firmware, *words):
    with tempfile.TemporaryDirectory() as folder:
        stub, oracle = Path(folder) / "stub", Path(folder) / "oracle"
        processes = []
        try:
            processes.append(emulator(words, firmware, "-serial", f"unix:{stub},server=on,wait=off"))
            processes.append(emulator(words, firmware, "-serial", "null", "-S",
                                      "-chardev", f"socket,id=oracle,path={oracle},server=on,wait=off",
                                      "-gdb", "chardev:oracle"))
            wait_for(stub, processes[0])
            wait_for(oracle, processes[1])
            result = subprocess.run(["gdb-multiarch", "-nx", "-batch", "-x", str(SESSION), firmware], text=True,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                                    env={**os.environ, "GDB_STUB": str(stub), "GDB_ORACLE": str(oracle)})
        except subprocess.TimeoutExpired as expired:
            raise Failure(f"gdb has not come to its end:\n{(expired.stdout or b'').decode()}") from None
        finally:
            for process in processes:
                process.kill()
                process.wait()
        if result.returncode or "session: all of it" not in result.stdout:
            raise Failure(f"gdb ended with {result.returncode}:\n{result.stdout}")
        return re.findall(r"^[\w ,]+: .* s$|^\d+ steps as .*$", result.stdout, re.MULTILINE)


if __name__ == "__main__":
    main(check, *sys.argv[1:])
