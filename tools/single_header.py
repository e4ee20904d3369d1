#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Expands the umbrella header into one file that can be copied, or fetched by Compiler Explorer.

Each header is expanded once, where it is first included, with its guard. Headers that are chosen by #if
(target/native.hpp) are expanded inside their branch, together with all that they need and that no earlier
unconditional text has brought: another branch may need the same file again, and its guard keeps it single for the
compiler. Standard headers that every build needs stand at the top, once, after config.hpp, which refuses an old
standard before they do; those of a branch stay in it. The output depends on nothing but the headers.

usage: single_header.py [--include DIR] [--output FILE]
"""

import argparse
import re
import sys
from pathlib import Path

UMBRELLA = "neuromorph/neuromorph.hpp"
CONFIG = "neuromorph/config.hpp"
DIRECTIVE = re.compile(r"^\s*#\s*(\w+)\s*(.*?)\s*(?://.*)?$")
LICENCE = "// SPDX-License-Identifier: BSL-1.0"


class Expander:
    def __init__(self, include):
        self.include = Path(include)
        self.std = set()  # unconditional standard headers
        self.done = [set()]  # own headers already expanded: one set per open branch, the first is unconditional
        self.path = []

    def source(self, name):
        file = self.include / name
        if not file.is_file():
            raise SystemExit(f"single_header: {' -> '.join(self.path + [name])}: there is no such header")
        return file.read_text()

    def expand(self, name):
        """The lines of a header with its includes expanded; none when it is already there."""
        if name in self.path:
            raise SystemExit(f"single_header: headers include each other: {' -> '.join(self.path + [name])}")
        if any(name in names for names in self.done):
            return []
        self.path.append(name)
        lines = self.source(name).splitlines()
        guard = next((m[2] for m in map(DIRECTIVE.match, lines) if m and m[1] == "ifndef"), None)
        if guard is None:
            raise SystemExit(f"single_header: {name} has no include guard")
        out = [f"// ---- <{name}> ----"]
        depth = 0  # of #if in this file, the guard not counted
        seen_guard = False
        for line in lines:
            match = DIRECTIVE.match(line)
            word, rest = (match[1], match[2]) if match else ("", "")
            if line == LICENCE or line.strip() == "/// \\file":
                continue
            if word == "include":
                out += self.included(line, rest, name)
                continue
            out.append(line)
            if word in ("if", "ifdef", "ifndef"):
                if word == "ifndef" and rest == guard and not seen_guard:
                    seen_guard = True
                    continue
                depth += 1
                self.done.append(set())
            elif word in ("elif", "else") and depth:
                self.done[-1] = set()
            elif word == "endif" and depth:
                depth -= 1
                self.done.pop()
        self.path.pop()
        self.done[-1].add(name)
        return squeezed(out)

    def included(self, line, rest, name):
        match = re.fullmatch(r"<([^>]+)>", rest)
        if not match:
            raise SystemExit(f"single_header: {name}: cannot expand '{line.strip()}'; write <neuromorph/...>")
        if match[1].startswith("neuromorph/"):
            return self.expand(match[1])
        if len(self.done) > 1 or match[1].endswith(".h"):
            return [line]
        self.std.add(match[1])
        return []


def squeezed(lines):
    """No more than one empty line in a row."""
    return [line for number, line in enumerate(lines) if line or number == 0 or lines[number - 1]]


def version(text):
    parts = [re.search(rf"NEUROMORPH_VERSION_{part} (\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
    if not all(parts):
        raise SystemExit("single_header: neuromorph/config.hpp does not define the version")
    return ".".join(part[1] for part in parts)


def single_header(include):
    expander = Expander(include)
    number = version(expander.source(CONFIG))
    config = expander.expand(CONFIG)
    body = expander.expand(UMBRELLA)
    head = [LICENCE, f"// neuromorph {number}, all portable headers in one file. Made by tools/single_header.py; do not edit.",
            "", *config, "", *(f"#include <{name}>" for name in sorted(expander.std)), ""]
    return "\n".join(squeezed(head + body)) + "\n"


def main():
    root = Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", default=root / "include", help="the folder that holds neuromorph/")
    parser.add_argument("--output", default=root / "build/single/neuromorph.hpp", type=Path)
    options = parser.parse_args()
    text = single_header(options.include)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text)


if __name__ == "__main__":
    sys.exit(main())
