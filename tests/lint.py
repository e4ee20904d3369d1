#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""The rules of docs/CONTRIBUTING.md that can be read off the text of the files.

usage: lint.py [--root DIR] [--cxx COMPILER] [--clang-format PROGRAM] [RULE...]
       lint.py --list | --self-test

Each rule is a function whose first sentence says what it demands; it yields "file:line: what is wrong".
"""

import argparse
import functools
import itertools
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

STD_HEADERS = set("concepts cstddef cstdint type_traits bit utility array span".split())
NO_HEADER = ("include/neuromorph/config.hpp", "neuromorph_needs_cxx20")  # which stops an older standard
FOR_HOSTS = ("host", "network", "mapping", "machine", "execution")  # folders of headers that run on hosts alone, with all of the standard library
LINES_PER_HEADER = 17_200
LINES_OF_UMBRELLA = 28_500
LINES_OF_CORE = 20_500
UMBRELLA = "include/neuromorph/neuromorph.hpp"
SOURCES = (".hpp", ".cpp", ".h", ".c")
TEXTS = SOURCES + (".py", ".md", ".txt", ".cmake", ".json", ".ld", ".S", ".sh", ".yml")
MARKER_LINES = 15
STATUS = "include/neuromorph/status.hpp"
LINES_OF_HEAD = 5
WORDS_OF_SENTENCE = 30


class Tree:
    """The files that belong to the project below a root."""

    def __init__(self, root, cxx="g++", clang_format="clang-format"):
        self.root, self.cxx, self.clang_format = Path(root).resolve(), cxx, clang_format

    def files(self, *endings):
        """Tracked and not ignored files, or all files where there is no git."""
        listed = subprocess.run(["git", "-C", self.root, "ls-files", "-co", "--exclude-standard", "-z"],
                                capture_output=True, text=True)
        if listed.returncode == 0 and (self.root / ".git").exists():
            names = [name for name in listed.stdout.split("\0") if name]
        else:
            builds = {cache.parent for cache in self.root.rglob("CMakeCache.txt")} | {self.root / "build"}
            names = [path.relative_to(self.root).as_posix() for path in self.root.rglob("*")
                     if path.is_file() and not builds & set(path.parents)]
        return sorted(name for name in names if name.endswith(endings) and (self.root / name).exists())

    def headers(self):
        return [name for name in self.files(".hpp") if name.startswith("include/neuromorph/")]

    def text(self, name):
        return (self.root / name).read_text(errors="replace")

    def lines(self, name):
        return self.text(name).splitlines()

    def markers(self, name):
        return [line for line in self.lines(name)[:MARKER_LINES] if line.startswith("// ")]

    def portable(self, name):
        return not any(line.startswith(("// requires:", "// host-only", "// arm-only", "// not in the umbrella"))
                       for line in self.markers(name))


def code_only(text):
    """The text with comments and literals blanked, every line in its place."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def guard_of(name):
    return re.sub(r"[^A-Z0-9]", "_", name.removeprefix("include/").upper())


def directives(tree, name):
    """(line number, directive, rest), the include guard left out, with the depth of #if around it."""
    guard, depth, found, guarded = guard_of(name), 0, [], False
    for number, line in enumerate(code_only_but_names(tree.text(name)), 1):
        match = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
        if not match:
            continue
        word, rest = match[1], match[2].strip()
        if word == "ifndef" and rest == guard and not guarded:
            guarded = True
            continue
        if word == "define" and rest == guard:
            continue
        if word == "endif":
            if depth == 0:
                continue  # closes the guard
            depth -= 1
        found.append((number, word, rest, depth))
        if word in ("if", "ifdef", "ifndef"):
            depth += 1
    return found


def code_only_but_names(text):
    """Lines without comments; the names in #include <...> stay."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.DOTALL).split("\n")


# --- rules ------------------------------------------------------------------------------------------------


def spdx(tree):
    """The first line of every source, script and CMake file names the licence (after a #! line)."""
    wanted = "SPDX-License-Identifier: BSL-1.0"
    for name in tree.files(*SOURCES, ".py", ".cmake", "CMakeLists.txt", ".S", ".ld", ".sh"):
        lines = tree.lines(name)
        first = lines[1:2] if lines and lines[0].startswith("#!") else lines[:1]
        if not first or wanted not in first[0]:
            yield f"{name}:1: the first line must hold '{wanted}'"


def guard(tree):
    """A header's include guard is its path in capitals."""
    for name in tree.headers():
        text, word = tree.text(name), guard_of(name)
        if "#pragma once" in text:
            yield f"{name}: use an include guard, not '#pragma once'"
        if not re.search(rf"^#ifndef {word}\n#define {word}$", text, re.MULTILINE) or not text.endswith("#endif\n"):
            yield f"{name}: wants '#ifndef {word}', '#define {word}' and '#endif' as its last line"


def purpose(tree):
    """A header begins with `/// \\file` and a sentence that says what it is for."""
    for name in tree.headers():
        lines = tree.lines(name)
        if len(lines) < 3 or lines[1] != "/// \\file" or not re.match(r"/// \S", lines[2]):
            yield f"{name}:2: wants '/// \\file' and, on the next line, '/// <purpose>'"


def std_includes(tree):
    """Headers include only the standard headers that are cheap and freestanding."""
    for name in tree.headers():
        markers = tree.markers(name)
        free = any(line.startswith(("// host-only", "// arm-only", "// requires:")) for line in markers)
        for number, word, rest, _ in directives(tree, name):
            match = re.match(r"<([^>]+)>", rest) if word == "include" else None
            if not match or match[1].startswith("neuromorph/") or (name, match[1]) == NO_HEADER:
                continue
            if match[1] in STD_HEADERS or (free and match[1].endswith(".h")):
                continue
            if any(line.startswith("// host-only") for line in markers):
                continue
            yield f"{name}:{number}: <{match[1]}> is not among the allowed headers"


def own_includes(tree):
    """Headers of ours are included as <neuromorph/...>, outside #if (except in target/native.hpp), and exist."""
    for name in tree.headers():
        for number, word, rest, depth in directives(tree, name):
            if word != "include":
                continue
            if rest.startswith('"'):
                yield f"{name}:{number}: write #include <neuromorph/...>"
            elif rest.startswith("<neuromorph/"):
                if depth and name != "include/neuromorph/target/native.hpp":
                    yield f"{name}:{number}: only target/native.hpp chooses headers with #if"
                if not (tree.root / "include" / rest.strip("<>")).exists():
                    yield f"{name}:{number}: there is no {rest}"


# What a folder's headers may include, besides its own and its detail/. "" is the vocabulary. A new folder gets a line.
VOCABULARY = ""
KNOWS = {
    VOCABULARY: set(),
    "target": {VOCABULARY},
    "target/arm": {"target", VOCABULARY},
    "target/x86": {"target", VOCABULARY},
    "target/power": {"target", VOCABULARY},
    "target/device": {"target", VOCABULARY},
    "kernels/random": {"target", VOCABULARY},
    "kernels/synapses": {"target", VOCABULARY},
    "kernels/neurons": {"kernels/synapses", "target", VOCABULARY},
    "kernels/layers": {"kernels/neurons", "target", VOCABULARY},
    **{f"kernels/neurons/{role}": {"kernels/neurons", "target", VOCABULARY}
       for role in ("membranes", "synapse_types", "inputs", "thresholds", "resets", "refractory", "adaptation",
                    "currents")},
    "kernels/neurons/models": {"kernels/neurons", "kernels/neurons/membranes", "kernels/neurons/synapse_types",
                               "kernels/neurons/inputs", "kernels/neurons/thresholds", "kernels/neurons/resets",
                               "kernels/neurons/refractory", VOCABULARY},
    "kernels/plasticity": {"kernels/synapses", "target", VOCABULARY},
    **{f"kernels/plasticity/{rules}": {"kernels/plasticity", "target", VOCABULARY}
       for rules in ("rules", "timing_rules", "weight_rules")},
    "gc": {"target", "target/device", VOCABULARY},
    "sched": {"target", VOCABULARY},
    "runtime": {"protocols", "target/device", VOCABULARY},
    "protocols": {VOCABULARY},
    "core": {"kernels/synapses", "kernels/neurons", "kernels/plasticity", "gc", "sched", "target", VOCABULARY},
    "host": {"target", VOCABULARY},
    "network": {"host", "kernels/random", "kernels/synapses", "kernels/neurons", "kernels/plasticity",
                "kernels/plasticity/weight_rules", "target", VOCABULARY},
    "network/transport": {"network", "host", VOCABULARY},
    "network/adapter": {"network", "kernels/layers", "kernels/neurons", "kernels/neurons/membranes", "kernels/neurons/models", "host", VOCABULARY},
    "mapping": {"mapping/proof", "host", VOCABULARY},
    "mapping/proof": {"host", VOCABULARY},  # judges tables of anybody, so it knows nothing of how ours are made
    "mapping/adapter": {"mapping", "network", "host", VOCABULARY},
    "machine": {"mapping", "runtime", "protocols", "target/device", "host", VOCABULARY},
    "execution": {"machine", "mapping", "runtime", "protocols", "host", VOCABULARY},
    "execution/adapter": {"execution", "network", "kernels/neurons", "machine", "mapping", "runtime", "protocols", "host", VOCABULARY},
    "firmware": {"core", "gc", "sched", "target", "target/arm", "target/device", VOCABULARY},
    "firmware/gdb": {"firmware", "target", "target/arm", "target/power", "target/device", VOCABULARY},
}
# The arrows up: docs/design.md says why.
ARROWS_UP = {("vec.hpp", "target"), ("target/native.hpp", "target/arm"), ("target/native.hpp", "target/x86"),
             ("target/native.hpp", "target/power")}


def folder_of(name):
    """The folder of a header below include/neuromorph; detail/ belongs to the folder it is in."""
    return "/".join(part for part in Path(name).parent.parts if part not in ("detail", "."))


def layers(tree):
    """A header includes its own folder, and those that KNOWS lists for it; a detail/ is for the folder it is in. One of a
    folder for hosts says so."""
    for path in tree.headers():
        name = path.removeprefix("include/neuromorph/")
        if path == UMBRELLA:
            continue
        folder = folder_of(name)
        if folder not in KNOWS:
            yield f"{path}: is in a new folder; say in KNOWS of tests/lint.py what it may include"
            continue
        if folder in FOR_HOSTS and "// host-only" not in tree.markers(path):
            yield f"{path}:1: {folder}/ is for hosts; say '// host-only'"
        for number, word, rest, _ in directives(tree, path):
            match = re.match(r"<neuromorph/(.*)>", rest) if word == "include" else None
            if not match:
                continue
            other = folder_of(match[1])
            if other != folder and other not in KNOWS[folder] and (name, other) not in ARROWS_UP:
                yield f"{path}:{number}: {folder or 'the vocabulary'} must not know {other or 'the vocabulary'}"
            if "/detail/" in match[1] and not f"{folder}/".startswith(f"{other}/"):
                yield f"{path}:{number}: {other}/detail/ is for {other}/ alone"


def branches(tree):
    """Only target/ holds asm, and only target/ and config.hpp hold #if: what differs between machines is there."""
    for name in tree.headers():
        if name.startswith("include/neuromorph/target/") or name == "include/neuromorph/config.hpp":
            continue
        for number, word, _, _ in directives(tree, name):
            if word in ("if", "ifdef", "ifndef", "elif", "else"):
                yield f"{name}:{number}: no #{word} here; put the difference into a backend"
        for number, line in enumerate(code_only(tree.text(name)).splitlines(), 1):
            if re.search(r"\b(asm|__asm|__asm__)\b", line):
                yield f"{name}:{number}: no asm here; put it into a backend"


def tests(tree):
    """A unit test stands in the folder of the header that it is about, and includes one of it."""
    for name in tree.files(".cpp"):
        if not name.startswith("tests/unit/"):
            continue
        folder = Path(name).parent.relative_to("tests/unit").as_posix()
        if folder in (".", "examples", "support"):
            continue
        inside = r"(?:detail/)?" if folder == "vocabulary" else rf"{folder}/(?:detail/)?"
        read, files = set(), {name}  # with what it includes of tests/
        while files:
            read |= files
            files = {file for known in files for file in re.findall(r'#include [<"](tests/[^>"]*)[>"]', tree.text(known))
                     if (tree.root / file).exists()} - read
        if not any(re.search(rf"#include <neuromorph/{inside}\w+\.hpp>", tree.text(file)) for file in read):
            yield f"{name}: includes no header of {'the vocabulary' if folder == 'vocabulary' else folder + '/'}"


def macros(tree):
    """Only config.hpp defines macros, and they begin with NEUROMORPH_."""
    for name in tree.headers():
        for number, word, rest, _ in directives(tree, name):
            if word == "undef" or (word == "define" and name != "include/neuromorph/config.hpp"):
                yield f"{name}:{number}: only config.hpp defines macros"
            elif word == "define" and not rest.startswith("NEUROMORPH_"):
                yield f"{name}:{number}: a macro's name begins with NEUROMORPH_"


def split_at_top(text, separator=","):
    parts, depth, last = [], 0, 0
    for place, char in enumerate(text):
        depth += char in "<([{"
        depth -= char in ">)]}"
        if char == separator and depth == 0:
            parts.append(text[last:place])
            last = place + 1
    return [*parts, text[last:]]


def template_names(tree):
    """Template parameters are words: vendor headers define single letters as macros."""
    for name in tree.headers():
        code = code_only(tree.text(name))
        for match in re.finditer(r"\btemplate\s*<|\]\s*<(?=\s*(?:class|typename|auto|std::|int|unsigned|bool)\b)", code):
            begin, depth, end = match.end(), 1, match.end()
            while depth and end < len(code):
                depth += {"<": 1, ">": -1}.get(code[end], 0)
                end += 1
            for parameter in split_at_top(code[begin:end - 1]):
                words = re.findall(r"\w+", split_at_top(parameter, "=")[0])
                if len(words) > 1 and len(words[-1]) == 1:
                    number = code.count("\n", 0, match.start()) + 1
                    yield f"{name}:{number}: '{words[-1]}' is not a word; name the template parameter"


def abi_namespace(tree):
    """Whatever a header puts into namespace neuromorph is inside the inline ABI namespace."""
    opening = re.compile(r"namespace neuromorph \{\s*(?!\s*inline namespace NEUROMORPH_ABI\b)")
    for name in tree.headers():
        code = code_only(tree.text(name))
        for match in opening.finditer(code):
            yield (f"{name}:{code.count(chr(10), 0, match.start()) + 1}: "
                   "wants 'inline namespace NEUROMORPH_ABI' next")
        for match in re.finditer(r"namespace neuromorph::", code):
            yield f"{name}:{code.count(chr(10), 0, match.start()) + 1}: open namespace neuromorph, then the ABI namespace"


def umbrella(tree):
    """neuromorph.hpp includes every portable header that does not stand apart, in order, and defines nothing."""
    if not (tree.root / UMBRELLA).exists():
        yield f"{UMBRELLA}: is missing"
        return
    listed = [rest.strip("<>") for _, word, rest, _ in directives(tree, UMBRELLA) if word == "include"]
    wanted = [name.removeprefix("include/") for name in tree.headers()
              if name != UMBRELLA and "/detail/" not in name and tree.portable(name)
              and not any(line.startswith("// apart") for line in tree.markers(name))]
    for name in sorted(set(wanted) - set(listed)):
        yield f"{UMBRELLA}: does not include <{name}>"
    for name in sorted(set(listed) - set(wanted)):
        yield f"{UMBRELLA}: includes <{name}>, which is not one of our portable headers"
    if listed != sorted(listed):
        yield f"{UMBRELLA}: its includes are not in alphabetical order"
    rest = re.sub(r"^\s*#.*$", "", code_only(tree.text(UMBRELLA)), flags=re.MULTILINE).strip()
    if rest:
        yield f"{UMBRELLA}: defines something: {rest.splitlines()[0]}"


def preprocessed_lines(tree, names, flags):
    """How many, and the files that they are of; None, and why not."""
    text = "".join(f"#include <{name}>\n" for name in names)
    with tempfile.NamedTemporaryFile("r") as listed:
        result = subprocess.run([tree.cxx, "-std=c++20", *flags, f"-I{tree.root / 'include'}", "-E", "-P", "-MD",
                                 "-MF", listed.name, "-x", "c++", "-"], input=text, capture_output=True, text=True)
        if result.returncode:
            return None, result.stderr
        return result.stdout.count("\n"), listed.read()


# Counted by themselves and taken off: nobody can do without them where they are allowed at all.
DEAR = {"immintrin.h", "x86intrin.h", "arm_neon.h", "arm_mve.h", "arm_acle.h", "altivec.h"}


def budget(tree):
    """A header costs at most 17 200 preprocessed lines, one of core/ 20 500, the umbrella 28 500 (intrinsics apart)."""
    def measure(name):
        if name.startswith(tuple(f"include/neuromorph/{folder}/" for folder in FOR_HOSTS)):
            return None
        markers = [re.fullmatch(r"// requires: (.*) \((\w+)\)", line) for line in tree.markers(name)]
        markers = [match for match in markers if match]
        if "// arm-only" in tree.markers(name) or (markers and not any(match[2] == "x86" for match in markers)):
            return None  # not for this compiler
        flags = next((match[1].split() for match in markers if match[2] == "x86"), [])
        if flags and os.uname().machine != "x86_64":
            return None
        spelled = name.removeprefix("include/")
        lines, listed = preprocessed_lines(tree, [spelled], flags)
        if lines is None:
            return f"{name}: cannot be preprocessed: {listed}"
        dear = sorted(entry for entry in DEAR if re.search(rf"/{re.escape(entry)}\b(?!\.)", listed)
                      and not re.search(rf"/bits/{re.escape(entry)}\b", listed))
        if dear:
            lines -= preprocessed_lines(tree, dear, flags)[0]
        limit = (LINES_OF_UMBRELLA if name == UMBRELLA else
                 LINES_OF_CORE if name.startswith("include/neuromorph/core/") else LINES_PER_HEADER)
        if lines > limit:
            return f"{name}: {lines} preprocessed lines, {limit} at most"
        return None

    with ThreadPoolExecutor(2) as pool:
        yield from filter(None, pool.map(measure, tree.headers()))


def format(tree):
    """clang-format 14 leaves every C++ file as it is."""
    names = tree.files(*SOURCES)
    if not names:
        return
    result = subprocess.run([tree.clang_format, "--dry-run", "-Werror", "--style=file", *names], cwd=tree.root,
                            capture_output=True, text=True)
    if result.returncode:
        wrong = sorted(set(re.findall(r"^(\S+?):\d+:\d+: error:", result.stderr, re.MULTILINE)))
        for name in wrong:
            yield f"{name}: run 'clang-format -i {name}'"
        if not wrong or result.returncode < 0:
            yield f"{tree.clang_format} ended with {result.returncode}: {result.stderr[-500:].strip()}"


def places(tree):
    """No file names a directory of somebody's machine, or a document or ticket that a reader cannot open."""
    private = re.compile(r"(?<![\w.}/])/(?:home|root|Users|work|tmp)/\w")
    ticket = re.compile(r"\b(?:[Ii]ssue|[Ss]ession|[Tt]ask)s? #?\d+\b(?!\.\d)")
    inside = re.compile(r"(?<![\w/])(?:seeds|shared)/\w")
    page = re.compile(r"(?<![\w/:.<*{$-])((?:[\w-]+/)*[\w-]+\.md)\b")
    every = {Path(name).name: name for name in tree.files(".md")}
    own = ("tests/lint_samples.py", "tests/checks/self_test.py")  # they hold bad samples
    for name in tree.files(*TEXTS):
        for number, line in enumerate(tree.lines(name), 1):
            if name in own:
                continue
            for pattern, what in ((private, "a path of one machine"), (ticket, "a ticket"), (inside, "a place outside")):
                if match := pattern.search(line):
                    yield f"{name}:{number}: names {what}: {match[0]}"
            for match in page.finditer(line):
                target = match[1]
                if not any((base / target).exists() for base in (tree.root, (tree.root / name).parent)) \
                        and every.get(target) is None:
                    yield f"{name}:{number}: there is no {target} in this tree"


def docs(tree):
    """A ```cpp block in the docs is a program (it has int main and is run, with `host-only` on the host alone) or is
    marked ```cpp fragment."""
    for name in pages(tree):
        for number, info, body in code_blocks(tree.text(name)):
            program = re.search(r"\bint main\b", body) is not None
            if info in ("cpp", "cpp host-only") and not program:
                yield f"{name}:{number}: has no int main; write it out, or mark it ```cpp fragment"
            if info == "cpp fragment" and program:
                yield f"{name}:{number}: is a program; mark it ```cpp so that it is compiled and run"
            if info.startswith(("cpp", "c++")) and info not in ("cpp", "cpp host-only", "cpp fragment"):
                yield f"{name}:{number}: write ```cpp, ```cpp host-only or ```cpp fragment, not ```{info}"


def code_blocks(text):
    """(line number, info string, body) of each fenced block."""
    for match in re.finditer(r"^```([^\n`]*)\n(.*?)^```\s*$", text, re.MULTILINE | re.DOTALL):
        yield text.count("\n", 0, match.start()) + 1, match[1].strip(), match[2]


def tables(tree):
    """A table of figures on a page says what file makes or checks it: <!-- name: written by benchmarks/a.py -->."""
    mark = re.compile(r"<!-- \w+: (?:written|printed|checked) by (\S+)(?: as \S+)? -->")
    figure = re.compile(r"[-+]?(?=[\d .,]*\d[ .,]*\d)\d[\d .,]*(?: ?(?:KB|%|ns|ms|cycles|bytes))?")
    for name in pages(tree):
        lines, said = tree.lines(name), -12
        for number, line in enumerate(lines):
            if match := mark.fullmatch(line):
                said = number
                if not (tree.root / match[1]).exists():
                    yield f"{name}:{number + 1}: there is no {match[1]}"
            if not line.startswith("|") or number and lines[number - 1].startswith("|"):
                continue
            rows = itertools.takewhile(lambda row: row.startswith("|"), lines[number + 2:])
            cells = [cell.strip() for row in rows for cell in row.strip("|").split("|")[1:]]
            if sum(figure.fullmatch(cell) is not None for cell in cells) >= 3 and number - said >= 12:
                yield f"{name}:{number + 1}: say above this table, within 12 lines, what file makes or checks its figures"


def pictures(tree):
    """A page's picture is in docs/images, and some test there is compares it with the run that draws it."""
    tests = "".join(tree.text(name) for name in ("tests/cmake/NeuromorphExamples.cmake", "benchmarks/report/cycle_table.py")
                    if (tree.root / name).exists())
    shown = {}
    for name in pages(tree):
        for number, line in enumerate(tree.lines(name), 1):
            for path in re.findall(r"!\[[^]]*\]\(([^)]*)\)", line):
                picture = (tree.root / name).parent / path
                shown[picture.resolve()] = f"{name}:{number}"
                if not picture.exists():
                    yield f"{name}:{number}: there is no {path}"
    for picture in sorted((tree.root / "docs/images").glob("*")):
        if picture.resolve() not in shown:
            yield f"docs/images/{picture.name}: no page shows it"
        if f"docs/images/{picture.name}" not in tests:
            yield f"docs/images/{picture.name}: no test compares it with the run that draws it"


def benchmarks(tree):
    """A benchmark that a header or a page names is measured: it is the beginning of a key in a table of figures."""
    keys = set()
    for name in tree.files(".json"):
        if name.startswith("benchmarks/"):
            keys |= {re.sub(r"^cycles/\w+/", "", key) for key in re.findall(r'"name": "([^"]*)"', tree.text(name))}
    named = re.compile(r"[Bb]enchmarks? `?((?:[\w.*]+/)+(?:[\w*]|\.(?=\w))+)")
    for name in [*pages(tree), *tree.headers()]:
        for number, line in enumerate(tree.lines(name), 1):
            for key in named.findall(line):
                # what stands for any part of a key, or is a file
                pattern = re.escape(re.sub(r"^cycles/\w+/", "", key)).replace(r"\*", r".+")
                if not any(re.match(rf"{pattern}(?:/|$)", known) for known in keys) and not (tree.root / key).exists():
                    yield f"{name}:{number}: no table of figures has {key}"


class Part:
    """A function, or a class whose comment stands for its functions: what its comment says and its code does."""

    def __init__(self, file, line, name, owner, head, body, comment, public):
        self.file, self.line, self.name, self.owner, self.body, self.public = file, line, name, owner, body, public
        self.refuses = re.search(r"\b(Status|Result<[^;=]*>)\s+\w+\s*\(", head) is not None
        self.clause, self.names, self.like, self.is_silent = None, set(), [], not comment
        match = re.search(r"\\errors\s+(.*?)(?=\\[a-z]|\n\s*\n|\Z)", comment, re.DOTALL)
        if match:
            self.read(re.sub(r"\s+", " ", match[1]))

    def read(self, clause):
        self.clause = clause
        self.names = {word for word in re.findall(r"\w+", clause)}
        self.like = re.findall(r"\b(?:as|those of) `?(?:\w+(?:<[^>]*>)?::)?(\w+)", clause)


def parts(name, text):
    """The functions and classes of a header. Bodies of functions are not looked into for further ones."""
    code, lines, found, has_comment = code_only(text), text.splitlines(), [], set()

    def comment_above(at):
        line = code.count("\n", 0, at)
        above = []
        while line > 0 and re.match(r"\s*///(?!<)", lines[line - 1]):
            line -= 1
            above.insert(0, re.sub(r"^\s*///", "", lines[line]))
        return "\n".join(above)

    def closing(at):
        depth = 0
        for match in re.compile(r"[{}]").finditer(code, at):
            depth += 1 if match[0] == "{" else -1
            if depth == 0:
                return match.start()
        return len(code)

    def without_template(head):
        """The head, with blanks for 'template <...>'."""
        match = re.search(r"\btemplate\s*<", head)
        while match:
            depth, at = 1, match.end()
            while depth and at < len(head):
                depth += {"<": 1, ">": -1}.get(head[at], 0)
                at += 1
            head = head[:match.start()] + re.sub(r"[^\n]", " ", head[match.start():at]) + head[at:]
            match = re.search(r"\btemplate\s*<", head)
        return head

    def walk(at, end, owner, public):
        start = at
        while at < end:
            letter = code[at]
            if letter == "#":
                at = code.find("\n", at)
                start = at = end if at < 0 else at
            elif letter in ";}":
                start = at + 1
            elif letter == ":" and re.fullmatch(r"\s*(public|private|protected)\s*", code[start:at]):
                public, start = "public" in code[start:at], at + 1
            elif letter == "{":
                head, last = without_template(code[start:at]), min(closing(at), end)
                first = start + len(code[start:at]) - len(code[start:at].lstrip())
                kind = re.search(r"\b(namespace|class|struct|union|enum)\b(?![^<]*>)[^()=]*$", head)
                call = re.search(r"(?<!\w)(?!requires\b|alignas\b|decltype\b|noexcept\b|sizeof\b)([A-Za-z_]\w*)\s*\(",
                                 re.sub(r"\[\[.*?\]\]", lambda match: " " * len(match[0]), head))
                if re.search(r"([=&|(,!]|\brequires)\s*requires\s*(\([^()]*\))?\s*$", head) or head.count("(") > head.count(")"):
                    pass  # what it asks for, or an argument; the head goes on
                elif kind and kind[1] == "namespace":
                    inner = re.search(r"(\w+)\s*$", head)
                    walk(at + 1, last, owner, bool(public and not (inner and inner[1] == "detail")))
                    start = last + 1
                elif kind:
                    named = re.search(r"\b(?:class|struct|union|enum)\s+(?:alignas\([^)]*\)\s*)?(\w+)", head[kind.start():])
                    inner = named[1] if named else ""
                    if kind[1] != "enum":
                        comment = comment_above(first)
                        if "\\errors" in comment:
                            found.append(Part(name, code.count("\n", 0, first) + 1, inner, None, "", code[at:last], comment, False))
                            has_comment.add(inner)
                        walk(at + 1, last, inner, public and kind[1] != "class")
                    start = last + 1
                elif call and "=" not in head[:call.start()].replace("operator=", ""):
                    found.append(Part(name, code.count("\n", 0, first) + 1, call[1], owner, head, code[at:last],
                                      comment_above(first), public and owner not in has_comment))
                    start = last + 1
                else:
                    start = last + 1
                at = last
            at += 1

    walk(0, len(code), "", True)
    earlier = {}  # an overload without a comment goes with the one before it
    for part in found:
        before = earlier.get((part.owner, part.name))
        if part.is_silent and before is not None:
            part.clause, part.names, part.like = before.clause, before.names, before.like
        earlier[part.owner, part.name] = part
    return found


def errors(tree):
    """What a public comment says behind \\errors is what the function and those that it calls refuse."""
    known = set(re.findall(r"^  (\w+),", tree.text(STATUS).partition("enum class Error")[2].partition("};")[0],
                           re.MULTILINE)) - {"none"} if (tree.root / STATUS).exists() else set()
    everywhere = {}
    files = {name: parts(name, tree.text(name)) for name in tree.headers()}
    for part in itertools.chain(*files.values()):
        everywhere.setdefault(part.name, []).append(part)

    @functools.cache
    def own(part):
        return {word for word in re.findall(r"(?<![!=] )\bError::(\w+)", part.body) if word in known}

    @functools.cache
    def calls(part):
        return re.findall(r"([\w>]+::|[.>])?\b([a-z]\w*)(?=\s*(?:<[^;{}()]*>)?\()", part.body)

    def callees(part, widely):
        """What it calls: in the same class or outside all of the file, or by that name at all."""
        if part.owner is None:  # a class: what its functions answer that say nothing themselves
            return [other for other in files[part.file] if other.owner == part.name and (widely or other.clause is None)]
        return [other for before, called in calls(part) for other in everywhere.get(called, [])
                if widely or ((not before or before == "detail::") and other.file == part.file and other.owner in ("", part.owner))]

    def reached(part, seen):
        """Names in the body and in what it calls nearby."""
        if part in seen:
            return set()
        seen.add(part)
        return (set() if part.owner is None else own(part)).union(*(reached(other, seen) for other in callees(part, False)))

    callers = {}
    for part in itertools.chain(*files.values()):
        for other in callees(part, True):
            callers.setdefault(other, set()).add(part)

    @functools.cache
    def reaching(word):
        """All parts that come to this word by names alone."""
        found = {part for part in itertools.chain(*files.values()) if part.owner is not None and word in own(part)}
        ahead = list(found)
        while ahead:
            for part in callers.get(ahead.pop(), set()) - found:
                found.add(part)
                ahead.append(part)
        return found

    def said(part, seen):
        names = part.names & known
        for like in part.like:
            for other in everywhere.get(like, []):
                if other.clause is not None and other not in seen:
                    seen.add(other)
                    names |= said(other, seen)
        return names

    for part in itertools.chain(*files.values()):
        if part.clause is None:
            if part.public and part.refuses and reached(part, set()):
                yield f"{part.file}:{part.line}: the comment of {part.name} lacks '\\errors'"
            continue
        needed, says = reached(part, set()), said(part, {part})
        for word in sorted(needed - says):
            yield f"{part.file}:{part.line}: '\\errors' of {part.name} lacks {word}"
        for word in sorted(word for word in part.names & known if part not in reaching(word)):
            yield f"{part.file}:{part.line}: '\\errors' of {part.name} says {word}, which it does not answer"


def heads(tree):
    """What a header is about is explained at its head in five lines at most, besides the purpose and the example."""
    for name in tree.headers():
        head = list(itertools.takewhile(lambda line: line.startswith("///"), tree.lines(name)[2:]))
        text = [line[3:] for line in head]
        prose = [line for line in text if line.strip() and not line.startswith("     ")]
        purpose = next((number for number, line in enumerate(text) if not line.strip()), len(text))
        count = sum(1 for line in text[purpose:] if line in prose)
        if count > LINES_OF_HEAD:
            yield f"{name}:3: {count} lines at its head explain it, more than {LINES_OF_HEAD}"


DRAW = re.compile(r"\b(?:random\w*|rng|engine|generator|draw\w*|uniform\w*|normal|poisson)\s*\(|\bevent\(\s*\)|"
                  r"[\w\])](?:\.|->)(?:next|between\w*|below|log_between|one_in)\s*\(|[\w\])](?:\.|->)word\(\s*\)|"
                  r"\b(?:between\w*|below|log_between|one_in)\s*\(|"
                  r"\(\s*(?:random\w*|rng|engine|generator|source)\s*[,)]")
NO_CALL = set("if for while switch return sizeof decltype alignof catch noexcept requires static_assert and or not".split())


def arguments(text):
    """(line number, arguments) of whatever looks like a call; the bodies of lambdas in them are blanked."""
    for match in re.finditer(r"(?<![\w])([A-Za-z_]\w*)(?:<[^<>;(){}]*>)?\s*\(", text):
        if match[1] in NO_CALL:
            continue
        depth, at = 1, match.end()
        while at < len(text) and depth:
            depth += (text[at] in "([{") - (text[at] in ")]}")
            at += 1
        inside = text[match.end():at - 1]
        if ";" in inside or "{" in inside:
            inside = blanked_lambdas(inside)
        if ";" not in inside:
            yield text.count("\n", 0, match.start()) + 1, split_at_top(inside)


def blanked_lambdas(text):
    """The text without the bodies of its lambdas."""
    while match := re.search(r"\[[^\[\]]*\]\s*(?:<[^<>]*>\s*)?(?:\([^()]*\)[^{;,]*)?\{", text):
        depth, at = 1, match.end()
        while at < len(text) and depth:
            depth += (text[at] == "{") - (text[at] == "}")
            at += 1
        text = text[:match.start()] + " " * (at - match.start()) + text[at:]
    return text


def draws(tree):
    """Of the arguments of a call, one at most draws a random number: which comes first is the compiler's."""
    for name in tree.files(*SOURCES):
        for number, given in arguments(code_only(tree.text(name))):
            if sum(1 for argument in given if DRAW.search(argument)) > 1:
                yield f"{name}:{number}: two arguments of one call draw; draw them one after the other"


def quotes(tree):
    """A sentence of the compiler that a page quotes, `neuromorph: ...`, is one that a program in tests/fail expects."""
    expected = [line for name in tree.files(".cpp") if name.startswith("tests/fail/")
                for line in tree.lines(name) if line.startswith("// expect: ")]
    for name in pages(tree):
        for number, line in enumerate(tree.lines(name), 1):
            for quote in re.findall(r"`(neuromorph: [^`]+)`", line):
                if not any(quote in sentence for sentence in expected):
                    yield f"{name}:{number}: no program in tests/fail expects '{quote}'"


def sentences(tree):
    """A sentence of a page or a comment has at most thirty words; code counts as one. What lists in a comment ends at each ; and :."""
    ends = r"(?<=[.!?:])[*)\"]*\s+(?=[A-Z`*\[(])|(?<=[.!?])[*)\"]*\s+"
    for name in [*pages(tree), *tree.files(".hpp", ".cpp")]:
        is_page = name.endswith(".md")
        for number, text in paragraphs(tree.text(name) if is_page else comments(tree.text(name))):
            text = re.sub(r"`[^`]*`", "code", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text))
            for sentence in re.split(ends if is_page else ends + r"|(?<=[:;])\s+", text):
                words = [word for word in sentence.split() if re.search(r"\w", word)]
                if len(words) > WORDS_OF_SENTENCE:
                    yield f"{name}:{number}: a sentence of {len(words)} words: {' '.join(words[:6])} ..."


def comments(text):
    """The comments of a source as a page, line by line; each clause of a comment is a paragraph of its own."""
    lines = []
    for line in text.splitlines():
        said = re.match(r"\s*///? ?(.*)$", line)
        lines.append(re.sub(r"^\\(\w+)", r"* \1", said[1]) if said and not said[1].startswith(("SPDX-", "expect: ", "#")) else "")
    return "\n".join(lines)


def paragraphs(text):
    """(line number, text) of each paragraph, item of a list and cell of a table; none of code, formulas and quotes."""
    fenced = False
    begun, lines = 0, []
    for number, line in enumerate(text.splitlines() + [""], 1):
        fenced = fenced != line.startswith("```")
        is_text = not fenced and line.strip() and not line.startswith(("```", "<!--", "|", ">", "#")) \
            and not (line.startswith("    ") and not lines)
        if lines and (not is_text or re.match(r"\s*([*-]|\d+\.) ", line)):
            yield begun, " ".join(lines)
            lines = []
        if is_text:
            begun = begun if lines else number
            lines.append(line.strip())
        elif not fenced and line.startswith("|"):
            yield from ((number, cell.strip()) for cell in line.strip("|").split("|"))


def pages(tree):
    return [name for name in tree.files(".md") if Path(name).parent.as_posix() == "docs" or name == "README.md"]


RULES = [spdx, guard, purpose, std_includes, own_includes, layers, branches, tests, macros, template_names, abi_namespace,
         umbrella, budget, format, places, docs, tables, pictures, benchmarks,
         errors, heads, quotes, sentences, draws]


# --- self-test --------------------------------------------------------------------------------------------


def findings(files, rules, options):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (Path(folder) / ".clang-format").write_text("BasedOnStyle: LLVM\n")
        tree = Tree(folder, options.cxx, options.clang_format)
        return {rule: list(rule(tree)) for rule in rules}


def self_test(options):
    """Every rule notices each of its bad samples, and none objects to the good ones."""
    from lint_samples import FINE, SAMPLES

    wrong = [f"samples of no rule: {name}" for name in set(SAMPLES) - {rule.__name__ for rule in RULES}]
    for rule in RULES:
        for number, files in enumerate(SAMPLES.get(rule.__name__, []) or [None]):
            if files is None:
                wrong.append(f"rule {rule.__name__} has no bad sample")
            elif not findings(files, [rule], options)[rule]:
                wrong.append(f"rule {rule.__name__} does not notice its bad sample {number + 1}")
    for rule, found in findings(FINE, [rule for rule in RULES if rule is not format], options).items():
        wrong += [f"rule {rule.__name__} objects to a good sample: {line}" for line in found]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", nargs="*", metavar="RULE")
    parser.add_argument("--root", default=Path(__file__).resolve().parents[1])
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--clang-format", default="clang-format-14")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    by_name = {rule.__name__: rule for rule in RULES}
    if options.list:
        print("\n".join(by_name))
        return
    unknown = [name for name in options.rules if name not in by_name]
    if unknown:
        parser.error(f"there is no rule {unknown[0]}; the rules are {', '.join(by_name)}")
    if options.self_test:
        wrong = self_test(options)
    else:
        tree = Tree(options.root, options.cxx, options.clang_format)
        wrong = []
        for name in options.rules or by_name:
            wrong += [f"{line}  [lint.{name}]" for line in by_name[name](tree)]
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
