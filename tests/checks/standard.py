# SPDX-License-Identifier: BSL-1.0
"""standard.<target>: each header, compiled for an older standard of C++, is refused in one sentence, and no more follows.

usage: standard.py SETTINGS TARGET [SINGLE_HEADER | --umbrella]      --umbrella: of the headers this one alone
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common import Failure, Markers, Settings, compile_text, headers, main, spelled

SENTENCE = "neuromorph needs C++20: compile with -std=c++20"
MOST_LINES = 10
OLDER = ("c++98", "c++11", "c++14", "c++17")


def refuses(command, include, standard):
    """Compiles with `-std=standard`, or with the compiler's own standard if that is None, which may be new enough."""
    flags = [f"-std={standard}"] if standard else []
    succeeded, output = compile_text([*command, *flags], f"#include <{include}>\n", ["-fsyntax-only"])
    if succeeded and standard:
        raise Failure(f"{include} compiles with -std={standard}")
    lines = output.splitlines()
    first = next((line for line in lines if "error:" in line), "")
    if not succeeded and (SENTENCE not in first or len(lines) > MOST_LINES):
        raise Failure(f"{include} as {standard or 'usual'} must say first, in at most {MOST_LINES} lines,\n  {SENTENCE}\n"
                      f"but the compiler says in {len(lines)} lines\n" + "\n".join(lines[:30]))


def check(settings, target, single=None, parts=True):
    command = [word for word in settings.command(target) if not word.startswith("-std=")]
    cases = [("neuromorph/neuromorph.hpp", standard) for standard in (*OLDER, None)]
    for header in headers() if parts else ():
        markers = Markers(header)
        if markers.uses(target) and not markers.requires:
            cases += [(spelled(header), "c++17")]
    if single:
        command += [f"-I{single.parent}"]
        cases += [(single.name, standard) for standard in (*OLDER, None)]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda case: refuses(command, *case), cases))
    return [f"{len(cases)} refusals"]


if __name__ == "__main__":
    settings, target, *more = sys.argv[1:]
    single = Path(more[0]).resolve() if more and more[0] != "--umbrella" else None
    main(check, Settings(settings), target, single, more != ["--umbrella"])
