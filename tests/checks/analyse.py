# SPDX-License-Identifier: BSL-1.0
"""analyse.<program>: clang-tidy (.clang-tidy) and cppcheck (checks/cppcheck.txt) have nothing to say.

usage: analyse.py clang-tidy PROGRAM FILE...
       analyse.py cppcheck PROGRAM [HEADER...]     all portable headers, without a name
"""

import re
import sys
import tempfile
from pathlib import Path

import common
from common import Failure, INCLUDE, ROOT, Markers

SUPPRESSIONS = ROOT / "tests" / "checks" / "cppcheck.txt"


def clang_tidy(program, paths, configuration=ROOT / ".clang-tidy"):
    for path in paths:
        done = common.run([program, "--quiet", f"--config-file={configuration}", path, "--", "-x", "c++", "-std=c++20",
                           f"-I{INCLUDE}", f"-I{ROOT}"], cwd=ROOT)
        if done.returncode:
            raise Failure(re.sub(r"^\d+ warnings generated\.\n|^Suppressed .*\n|^Use -header-filter.*\n", "", done.stdout,
                                 flags=re.MULTILINE).strip())
    return [f"{path}: nothing" for path in paths]


def is_portable(path):
    """Whether the header is for every machine: those for one begin with an #error here, which is their test."""
    markers = Markers(path)
    return not markers.requires and markers.uses("host")


def cppcheck(program, headers=(), suppressions=SUPPRESSIONS):
    """Reads copies without attributes, which cppcheck 2.10 does not know before a loop; lines stay where they are."""
    headers = [Path(path).resolve() for path in headers] or list(filter(is_portable, common.headers()))
    with tempfile.TemporaryDirectory() as folder:
        copies = []
        for header in headers:
            name = header.relative_to(INCLUDE) if header.is_relative_to(INCLUDE) else Path("neuromorph") / header.name
            copies.append(Path(folder) / name)
            copies[-1].parent.mkdir(parents=True, exist_ok=True)
            copies[-1].write_text(re.sub(r"\[\[[^][]*\]\]", "", header.read_text()))
        done = common.run([program, "--std=c++20", "--language=c++", "--enable=warning,performance,portability",
                           "--inline-suppr", "-D__cplusplus=202002L", "-D__x86_64__=1", "--quiet", "--error-exitcode=1",
                           f"--suppressions-list={suppressions}", "--suppress=toomanyconfigs", "--suppress=missingInclude",
                           "--template={file}:{line}: {severity}: {message} [{id}]", *copies])
        if done.returncode:
            raise Failure(done.stdout.replace(f"{folder}/", "include/").strip())
    return [f"{len(headers)} headers: nothing"]


if __name__ == "__main__":
    common.main(cppcheck if sys.argv[1] == "cppcheck" else clang_tidy, *sys.argv[2:3], sys.argv[3:])
