# SPDX-License-Identifier: BSL-1.0
"""Takes the programs out of the documentation, so that CMake can build and run them as docs.<page>_<n>.

A ```cpp block with `int main` is a program, which runs on the host and on boards; one that needs an operating system is
marked ```cpp host-only. <n> counts the programs of a page from 1. The compiler's messages name the page and line. A
program's file is only touched when its text has changed.

usage: docs.py host|board OUTPUT_FOLDER PAGE...     prints one program's name per line
       docs.py merge OUTPUT PROGRAM.cpp...          writes one program of them all, that runs the one whose name it is given
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


def write(file, text):
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def extract(machine, output, pages):
    output.mkdir(parents=True, exist_ok=True)
    names = []
    for page in pages:
        for name, source in programs(page, machine):
            names.append(name)
            write(output / f"{name}.cpp", source)
    return names


def merge(output, files):
    """What all of them include is read once; then each is in a namespace of its own."""
    includes, bodies, cases = [], [], []
    for file in files:
        lines = file.read_text().splitlines()
        includes += [line for line in lines if line.startswith("#include") and line not in includes]
        # an included line stays as an empty one: the compiler's messages tell the page's lines
        body = ["" if line.startswith("#include") else line for line in lines]
        bodies.append(f"namespace {file.stem} {{\n" + "\n".join(body) + "\n}\n")
        cases.append(f'  if (name == "{file.stem}") return {file.stem}::main();')
    write(output, "\n".join(
        ["#include <string_view>", *includes, "", *bodies, f'#line 1 "{output.name}"', "int main(int count, char** words) {",
         '  const std::string_view name = count > 1 ? words[1] : "";', *cases, "  return 2;", "}", ""]))


if __name__ == "__main__":
    if sys.argv[1] == "merge":
        merge(Path(sys.argv[2]), [Path(name) for name in sys.argv[3:]])
        sys.exit()
    for program in extract(sys.argv[1], Path(sys.argv[2]), sys.argv[3:]):
        print(program)
