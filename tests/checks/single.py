# SPDX-License-Identifier: BSL-1.0
"""single.<target>: the single header compiles, and is to the compiler what the umbrella header is.
single.reproducible: made twice, from different places, it is the same to the byte.

usage: single.py compiles SETTINGS HEADER TARGET
       single.py reproducible SETTINGS HEADER
"""

import os
import re
import sys
import tempfile
from pathlib import Path

from common import INCLUDE, ROOT, Failure, Settings, main, must_compile, run

TARGETS = {"host": ("host", None), "host-avx2": ("host", ["-mavx2"]), "arm968": ("arm926", None),
           "cortex-m4": ("cortex-m4", None)}


def own_tokens(command, include, folder):
    """What the compiler sees of the files in a folder, without white space."""
    result = run([*command, "-E", "-x", "c++", "-"], input=f"#include <{include}>\n")
    if result.returncode:
        raise Failure(f"{include} cannot be preprocessed:\n{result.stdout}")
    ours, text = False, []
    for line in result.stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = marker[1].startswith(str(folder))
        elif ours:
            text += line.split()
    return text


def compiles(settings, header, name):
    target, machine = TARGETS[name]
    command = settings.command(target, machine)
    without_umbrella = [word for word in command if word != f"-I{INCLUDE}"]
    must_compile([*without_umbrella, f"-I{header.parent}"], "#include <neuromorph.hpp>\n" * 2, f"{header} for {name}")
    single = own_tokens([*without_umbrella, f"-I{header.parent}"], "neuromorph.hpp", header.parent)
    parts = own_tokens(command, "neuromorph/neuromorph.hpp", INCLUDE)
    if not parts:
        raise Failure("the umbrella header is empty")
    if single != parts:
        place = next((n for n, (a, b) in enumerate(zip(single, parts)) if a != b), min(len(single), len(parts)))
        raise Failure(f"for {name} the single header differs from the umbrella at\n  single:   "
                      f"{' '.join(single[place:place + 12])}\n  umbrella: {' '.join(parts[place:place + 12])}")
    return [f"{len(single)} words, the same as the umbrella's"]


def reproducible(settings, header):
    texts = []
    for seed in ("0", "1"):
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "neuromorph.hpp"
            result = run([sys.executable, "-B", ROOT / "tools/single_header.py", "--output", output], cwd=folder,
                         env={**os.environ, "PYTHONHASHSEED": seed})
            if result.returncode:
                raise Failure(result.stdout)
            texts.append(output.read_bytes())
    if not texts[0] == texts[1] == header.read_bytes():
        raise Failure("the single header is not the same each time; is the build up to date?")


if __name__ == "__main__":
    mode, settings, header, *names = sys.argv[1:]
    settings, header = Settings(settings), Path(header).resolve()
    if mode == "compiles":
        main(compiles, settings, header, names[0])
    else:
        main(reproducible, settings, header)
