# SPDX-License-Identifier: BSL-1.0
"""fail.<entity>_<reason>: a wrong program is refused, in the words it promises.

The file compiles as it is. With NEUROMORPH_KO defined it does not, and each `// expect: <text>` in it is among the
first 40 lines of the compiler's answer (`// lines: <n>` changes the limit). With `// whole: <n>` the answer has so many
lines at most. Lines that only quote the source are left out of it, so a sentence cannot match itself in the file.

Clang has the umbrella precompiled, which takes a sixth of the time; GCC sees what the file includes.

usage: fail.py SETTINGS FILE
"""

import re
import sys
from pathlib import Path

from common import ROOT, Failure, Settings, main, run

DEFAULT_LINES = 40


def check(settings, source):
    text = Path(source).read_text()
    expected = re.findall(r"^// expect: (.*\S)\s*$", text, re.MULTILINE)
    if not expected:
        raise Failure(f"{source}: there is no line '// expect: <text>'")
    lines = re.search(r"^// lines: (\d+)\s*$", text, re.MULTILINE)
    limit = int(lines[1]) if lines else DEFAULT_LINES

    command = [*settings.command("host"), *settings.with_umbrella, f"-I{ROOT}", *settings.without_source_lines,
               "-fsyntax-only", source]
    good = run(command)
    if good.returncode:
        raise Failure(f"{source} must compile without NEUROMORPH_KO, but:\n{good.stdout}")
    wrong = run([*command, "-DNEUROMORPH_KO"])
    if wrong.returncode == 0:
        raise Failure(f"{source} must not compile with NEUROMORPH_KO, but it does")
    answer = wrong.stdout.splitlines()
    for sentence in expected:
        if not any(sentence in line for line in answer[:limit]):
            raise Failure(f"{source}: the first {limit} lines of {len(answer)} do not say\n  {sentence}\n"
                          f"but\n{wrong.stdout}")
    whole = re.search(r"^// whole: (\d+)\s*$", text, re.MULTILINE)
    if whole and len(answer) > int(whole[1]) + (10 if settings.is_older else 0):
        raise Failure(f"{source}: the answer has {len(answer)} lines, more than {whole[1]}:\n{wrong.stdout}")
    return [f"refused as promised, in {len(answer)} lines"]


if __name__ == "__main__":
    main(check, Settings(sys.argv[1]), sys.argv[2])
