#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Expands the umbrella header into one file that can be copied, or fetched by Compiler Explorer.

Each header is expanded once, where it is first included, with its guard. Headers that are chosen by #if
(target/native.hpp) stand before the choice, each below the condition of all branches that need it, so that none stands
there twice. Standard headers that every build needs stand at the top, once, after config.hpp, which refuses an old
standard before they do; those of a branch stay in it. The output depends on nothing but the headers.

usage: single_header.py [--include DIR] [--output FILE] [--part NAME]
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

UMBRELLA = "neuromorph/neuromorph.hpp"
CONFIG = "neuromorph/config.hpp"
DIRECTIVE = re.compile(r"^\s*#\s*(\w+)\s*(.*?)\s*(?://.*)?$")
# What a part has: its folders, without headers that only some machines compile.
PARTS = {
    "neurons": ["kernels/neurons"],
    "plasticity": ["kernels/plasticity"],
    "gc": ["gc"],
    "sched": ["sched"],
    "firmware": ["firmware"],
}
LICENCE = "// SPDX-License-Identifier: BSL-1.0"


class Expander:
    def __init__(self, include):
        self.include = Path(include)
        self.std = set()  # unconditional standard headers
        self.done = set()  # own headers that stand there, whatever the flags
        self.chosen = None  # while a branch is looked at: its headers in order, {name: lines}
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
        if name in self.done or (self.chosen is not None and name in self.chosen):
            return []
        self.path.append(name)
        lines = self.source(name).splitlines()
        guard = next((m[2] for m in map(DIRECTIVE.match, lines) if m and m[1] == "ifndef"), None)
        if guard is None:
            raise SystemExit(f"single_header: {name} has no include guard")
        out = [f"// ---- <{name}> ----"]
        choice = []  # of the outermost #if: (condition, own headers of the branch)
        begins = depth = 0  # where it begins in `out`; depth of #if in this file, the guard not counted
        seen_guard = False
        for line in lines:
            match = DIRECTIVE.match(line)
            word, rest = (match[1], match[2]) if match else ("", "")
            if line == LICENCE or line.strip() == "/// \\file":
                continue
            if word == "include":
                out += self.included(line, rest, name, choice[-1][1] if depth else None)
                continue
            out.append(line)
            if word in ("if", "ifdef", "ifndef"):
                if word == "ifndef" and rest == guard and not seen_guard:
                    seen_guard = True
                    continue
                depth += 1
                if depth == 1:
                    begins = len(out) - 1
                    choice = [({"if": rest, "ifdef": f"defined({rest})", "ifndef": f"!defined({rest})"}[word], {})]
            elif word in ("elif", "else") and depth == 1:
                choice.append((rest if word == "elif" else "1", {}))
            elif word == "endif" and depth:
                depth -= 1
                if depth == 0:
                    out[begins:begins] = before_choice(choice)
        self.path.pop()
        if self.chosen is None:
            self.done.add(name)
        else:
            self.chosen[name] = squeezed(out)
        return squeezed(out)

    def of_branch(self, name, headers):
        """Adds a header and all that it needs to those of a branch."""
        if self.chosen is not None:
            raise SystemExit(f"single_header: {' -> '.join(self.path + [name])}: a choice within a choice")
        self.chosen = headers
        self.expand(name)
        self.chosen = None

    def included(self, line, rest, name, branch):
        match = re.fullmatch(r"<([^>]+)>", rest)
        if not match:
            raise SystemExit(f"single_header: {name}: cannot expand '{line.strip()}'; write <neuromorph/...>")
        if match[1].startswith("neuromorph/"):
            if branch is not None:
                self.of_branch(match[1], branch)
                return []
            lines = self.expand(match[1])
            return lines if self.chosen is None else []
        if branch is not None or self.chosen is not None or match[1].endswith(".h"):
            return [line]
        self.std.add(match[1])
        return []


def before_choice(choice):
    """The headers of all branches, each once, below a condition that holds where one of its branches is taken, in an order
    that is that of every branch."""
    orders, needed = [list(headers) for _, headers in choice], {}
    for at, order in enumerate(orders):
        for name in order:
            needed.setdefault(name, set()).add(at)
    out, last = [], None
    while any(orders):
        ready = [order[0] for order in orders if order and not any(order[0] in other[1:] for other in orders)]
        if not ready:
            raise SystemExit(f"single_header: branches need headers in different orders: {[order[:1] for order in orders]}")
        name = next((name for name in ready if needed[name] == last), ready[0])
        if needed[name] != last:
            out += ["#endif"] * (last is not None) + wrapped(f"#if {condition(choice, needed[name])}")
            last = needed[name]
        out += next(headers[name] for _, headers in choice if name in headers)
        for order in orders:
            if name in order:
                order.remove(name)
    return out + ["#endif"] * (last is not None)


def condition(choice, branches):
    """That one of these branches of a choice is taken: it holds, and none before it that is not one of them."""
    return " || ".join(" && ".join([f"({choice[at][0]})", *(f"!({choice[before][0]})" for before in range(at)
                                                              if before not in branches)])
                       for at in sorted(branches))


def wrapped(directive):
    *lines, last = textwrap.wrap(directive, 116, subsequent_indent="    ", break_on_hyphens=False)
    return [*(f"{line} \\" for line in lines), last]


def squeezed(lines):
    """No more than one empty line in a row."""
    return [line for number, line in enumerate(lines) if line or number == 0 or lines[number - 1]]


def version(text):
    parts = [re.search(rf"NEUROMORPH_VERSION_{part} (\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
    if not all(parts):
        raise SystemExit("single_header: neuromorph/config.hpp does not define the version")
    return ".".join(part[1] for part in parts)


def headers_of(include, part):
    """Of its folders, those that every machine compiles."""
    for folder in PARTS[part]:
        for path in sorted((Path(include) / "neuromorph" / folder).rglob("*.hpp")):
            marks = path.read_text().splitlines()[:15]
            if "detail" not in path.parts and not any(line.startswith(("// requires:", "// host-only", "// arm-only")) for line in marks):
                yield path.relative_to(include).as_posix()


def single_header(include, part=None):
    expander = Expander(include)
    number = version(expander.source(CONFIG))
    config = expander.expand(CONFIG)
    body = [line for name in ([UMBRELLA] if part is None else headers_of(include, part)) for line in expander.expand(name)]
    what = "all portable headers in one file" if part is None else f"the part {part} in one file"
    head = [LICENCE, f"// neuromorph {number}, {what}. Made by tools/single_header.py; do not edit.",
            "", *config, "", *(f"#include <{name}>" for name in sorted(expander.std)), ""]
    return "\n".join(squeezed(head + body)) + "\n"


def main():
    root = Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", default=root / "include", help="the folder that holds neuromorph/")
    parser.add_argument("--part", choices=sorted(PARTS), help="instead of all")
    parser.add_argument("--output", type=Path, help="without it build/single/neuromorph.hpp, or neuromorph_<part>.hpp")
    options = parser.parse_args()
    options.output = options.output or root / "build/single" / (f"neuromorph_{options.part}.hpp" if options.part else "neuromorph.hpp")
    text = single_header(options.include, options.part)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text)


if __name__ == "__main__":
    sys.exit(main())
