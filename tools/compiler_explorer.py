#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Links that open programs of the docs in Compiler Explorer, with the single header by its address.

    tools/compiler_explorer.py            # writes them into docs/packages.md
    tools/compiler_explorer.py --check    # fails where they would be others
    tools/compiler_explorer.py --address https://host/neuromorph.hpp

A link is its own state: a program, a compiler and its flags, as JSON in base64. The address is that of a release's header, which must be
one from which other sites may read.
"""

import argparse
import base64
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/packages.md"
ADDRESS = "https://neuromorph.example/neuromorph.hpp"
BEGIN, END = "<!-- links: written by tools/compiler_explorer.py -->", "<!-- end of links -->"
# Title, where the program is, and its (compiler, flags): GCC 11.2 for hosts, ARM's GCC for a Cortex-M4.
HOST, ARM = ("g112", "-std=c++20 -O2 -march=haswell"), ("arm1121", "-std=c++20 -O2 -mcpu=cortex-m4 -mthumb")
PROGRAMS = [
    ("a hundred neurons, on a host and on a Cortex-M4", "README.md", [HOST, ARM]),
    ("a ring of neurons with synapses", "examples/minimal/main.cpp", [HOST]),
    ("a plasticity rule of one's own", "examples/own_rule/main.cpp", [HOST]),
]


def program(place):
    text = (ROOT / place).read_text()
    if place.endswith(".md"):  # the first program of a page with the umbrella alone
        text = next(body for body in re.findall(r"^```cpp[^\n]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL) if "int main" in body and "<neuromorph/neuromorph.hpp>" in body)
    return text


def source(place, address):
    """The program with the library by its address."""
    text = re.sub(r'#include "([^"]+)"\n', lambda found: (ROOT / place).parent.joinpath(found[1]).read_text(), program(place))
    text = re.sub(r"#include <neuromorph/[^>]*>\n", "", text)
    last = max((found.end() for found in re.finditer(r"^#include <[^>]*>\n", text, re.MULTILINE)), default=0)
    return text[:last] + f"#include <{address}>\n" + text[last:]


def link(place, compilers, address):
    state = {"sessions": [{"id": 1, "language": "c++", "source": source(place, address), "compilers": [{"id": name, "options": flags} for name, flags in compilers]}]}
    packed = base64.urlsafe_b64encode(json.dumps(state, separators=(",", ":")).encode()).decode()
    return f"https://godbolt.org/clientstate/{packed}"


def links(address):
    return "".join(f"* [{title}]({link(place, compilers, address)})\n" for title, place, compilers in PROGRAMS)


def state_of(address):
    """Source, and (compiler, flags), of a link."""
    packed = address.rsplit("/", 1)[1]
    session = json.loads(base64.urlsafe_b64decode(packed))["sessions"][0]
    return session["source"], [(one["id"], one["options"]) for one in session["compilers"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--address", default=ADDRESS)
    given = parser.parse_args()
    text = PAGE.read_text()
    if BEGIN not in text or END not in text:
        print(f"{PAGE.name} has no '{BEGIN}' and '{END}'", file=sys.stderr)
        return 1
    head, rest = text.split(BEGIN, 1)
    made = head + BEGIN + "\n\n" + links(given.address) + "\n" + END + rest.split(END, 1)[1]
    if given.check and made != text:
        print(f"the links of {PAGE.name} are not those of the programs: run tools/compiler_explorer.py")
        return 1
    if not given.check:
        PAGE.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
