# SPDX-License-Identifier: BSL-1.0
"""gdb.session*.<board>: stock gdb debugs firmware on an emulated board.

usage: gdb.py stub|probe|mailbox FIRMWARE EMULATOR WORD...

Starts the emulator with the line of the stub or of the probe on a socket, or its mailbox in a file; for a probe tools/gdb;
and another emulator that steps by itself, to compare. Then gdb, in which tests/gdb/session.py goes through the commands.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from common import ROOT, Failure, main
from listening import wait_for

SESSION = ROOT / "tests/gdb/session.py"
SECONDS = 400
# Memory that the emulator takes from a file, and where in it the window of tests/firmware/window.hpp is.
MEMORY = {"versatilepb": ("128M", 0x06000000), "mps2-an386": ("16M", 0x800000), "mps3-an547": ("2G", 0x800000)}


def emulator(words, firmware, *more):
    return subprocess.Popen([*words, *more, "-kernel", firmware], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def with_memory(words, path):
    """The emulator with the memory of its mailbox in a file, and where in the file that is."""
    size, offset = MEMORY[words[words.index("-M") + 1]]
    path.write_bytes(b"")
    os.truncate(path, int(size[:-1]) << {"M": 20, "G": 30}[size[-1]])
    words = list(words)
    words[words.index("-M") + 1] += ",memory-backend=shared"
    return [*words, "-object", f"memory-backend-file,id=shared,size={size},mem-path={path},share=on", "-m", size], offset


def tool(processes, *words):
    """Starts tools/gdb; where gdb finds it."""
    process = subprocess.Popen([sys.executable, "-B", str(ROOT / "tools/gdb"), *words, "--listen", "0"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    processes.append(process)
    line = process.stdout.readline()
    found = re.fullmatch(r"gdb: in gdb: target remote (127\.0\.0\.1:\d+)\n", line)
    if not found:
        raise Failure(f"tools/gdb does not begin: {line}{process.communicate()[0] if process.poll() is not None else ''}")
    return found[1]


def check(kind, firmware, *words):
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        stub, oracle, memory = (Path(folder) / name for name in ("stub", "oracle", "memory"))
        processes = []
        try:
            if kind == "mailbox":
                shared, offset = with_memory(words, memory)
                processes.append(emulator(shared, firmware))
                place = tool(processes, f"memory:{memory}@{offset}")
            else:
                processes.append(emulator(words, firmware, "-serial", f"unix:{stub},server=on,wait=off"))
                wait_for(f"unix:{stub}", processes[0])
                place = str(stub) if kind == "stub" else tool(processes, f"unix:{stub}", "--alone")
            processes.append(emulator(words, firmware, "-serial", "null", "-S",
                                      "-chardev", f"socket,id=oracle,path={oracle},server=on,wait=off",
                                      "-gdb", "chardev:oracle"))
            wait_for(f"unix:{oracle}", processes[-1])
            result = subprocess.run(["gdb-multiarch", "-nx", "-batch", "-x", str(SESSION), firmware], text=True,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                                    env={**os.environ, "GDB_STUB": place, "GDB_ORACLE": str(oracle)})
        except subprocess.TimeoutExpired as expired:
            raise Failure(f"gdb has not come to its end:\n{(expired.stdout or b'').decode()}") from None
        finally:
            for process in processes:
                process.kill()
            said = [process.communicate()[0] for process in processes]
        if result.returncode or "session: all of it" not in result.stdout:
            raise Failure(f"gdb ended with {result.returncode}:\n{result.stdout}{said if kind != 'stub' else ''}")
        return re.findall(r"^[\w ,]+: .* s$|^\d+ steps as .*$", result.stdout, re.MULTILINE)


if __name__ == "__main__":
    main(check, *sys.argv[1:])
