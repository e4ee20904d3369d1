# SPDX-License-Identifier: BSL-1.0
"""s2pp.gdb_*: stock gdb debugs a program with a model of S2PP: tests/s2pp/session.py on s2pp/debugged.cpp.

usage: gdb_s2pp.py stub|probe PROGRAM EMULATOR WORD...
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from common import ROOT, Failure, main
from gdb import tool
from listening import wait_for

SECONDS = 150


def check(kind, program, *words):
    with tempfile.TemporaryDirectory() as folder:
        stub = Path(folder) / "stub"
        processes = []
        process = subprocess.Popen([*words, program, str(stub)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        try:
            wait_for(f"unix:{stub}", process)
            processes.append(process)
            place = str(stub) if kind == "stub" else tool(processes, f"unix:{stub}", "--alone", "--once")
            result = subprocess.run(["gdb-multiarch", "-nx", "-batch", "-x", str(ROOT / "tests/s2pp/session.py"), program], text=True,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                                    env={**os.environ, "GDB_STUB": place})
        except subprocess.TimeoutExpired as expired:
            raise Failure(f"gdb has not come to its end:\n{(expired.stdout or b'').decode()}") from None
        finally:
            for one in processes or [process]:
                one.kill()
            said = "".join(one.communicate()[0] for one in processes or [process])
        if result.returncode or "session: all of it" not in result.stdout:
            raise Failure(f"gdb ended with {result.returncode}:\n{result.stdout}{said}")
        return [line for line in result.stdout.splitlines() if line.startswith("session:")]


if __name__ == "__main__":
    main(check, *sys.argv[1:])
