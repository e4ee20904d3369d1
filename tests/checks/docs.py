# SPDX-License-Identifier: BSL-1.0
"""Takes the programs out of the documentation, so that CMake can build and run them as docs.<page>_<n>.

A ```cpp block with `int main` is a program, which runs on the host and on boards; one that needs an operating system is
marked ```cpp host-only. <n> counts the programs of a page from 1. The compiler's messages name the page and line. A
program's file is only touched when its text has changed.

usage: docs.py host|board OUTPUT_FOLDER PAGE...     prints one program's name per line
"""

import re
import sys
from pathlib import Path

BLOCK = re.compile(r"^```cpp([ \t]+host-only)?[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


def programs(page, machine):
    """(name, source) of each program of a page that runs there."""
    text = Path(page).read_text()
    number = 0
    for match in BLOCK.finditer(text):
        if re.search(r"\bint main\b", match[2]):
            number += 1
            if match[1] and machine != "host":
                continue
            line = text.count("\n", 0, match.start(2)) + 1
            yield f"{Path(page).stem}_{number}", f'#line {line} "{Path(page).name}"\n{match[2]}'


def extract(machine, output, pages):
    output.mkdir(parents=True, exist_ok=True)
    names = []
    for page in pages:
        for name, source in programs(page, machine):
            names.append(name)
            file = output / f"{name}.cpp"
            if not file.exists() or file.read_text() != source:
                file.write_text(source)
    return names


if __name__ == "__main__":
    for program in extract(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]):
        print(program)
