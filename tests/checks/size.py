# SPDX-License-Identifier: BSL-1.0
"""size.<cpu>.<name>: what a piece of firmware weighs, and that nothing heavy hides in it.

tests/size/<name>.cpp is compiled at -O2, or as its line '// flags: -Os' says, linked with unused sections dropped, and measured. Its figures stand in
tests/size/expected.txt; 2 % more is an error. The program may hold no heap, no C++ run-time library, no static constructor,
no software floating point and no 64-bit division, but for what its line '// allows: the heap, 64-bit division' names. A line
'// at most: 1024 more than NAME on CPU' is a limit of its instructions and constants, beside those of another program. One with a line
'// same bytes with: -DNAME' is compiled with that, too: what it says then has the same instructions and data, to the last byte.

usage: size.py check SETTINGS CPU FILE [EXPECTED]
       size.py page SETTINGS
       size.py update SETTINGS

The tables of docs/debugging.md and docs/mailbox.md are made of these figures: `page` compares them, `update` writes them.
"""

import re
import sys
import tempfile
from pathlib import Path

from common import INCLUDE, ROOT, Failure, Settings, main, run

CPUS = {"arm968e-s": ["-marm", "-mcpu=arm968e-s"], "cortex-m4": ["-mthumb", "-mcpu=cortex-m4"]}
EXPECTED = ROOT / "tests/size/expected.txt"
GROWTH = 0.02
PARTS = ("text", "data", "bss")
HEAD = """\
# Bytes of each firmware in tests/size, arm-none-eabi-g++ {version}, -O2 but for those of the gdb stub, -Os, unused sections dropped.
# Written by 'cmake --build <build> --target update_sizes'; a change here belongs in CHANGELOG.md.
# {columns}
"""

FORBIDDEN = {
    "the heap": r"_*(malloc|calloc|realloc|free|sbrk)(_r)?|_Zn[wa].*|_Zd[la].*",
    "the C++ run-time library": r"__cxa_.*|_Unwind_.*|__gxx_personality.*|_ZSt9terminatev",
    "destruction at exit": r"__aeabi_atexit|atexit|__dso_handle",
    "software floating point": r"__aeabi_(c?[df](add|sub|rsub|mul|div|cmp|rcmp|2|neg).*|u?[il]2[df]|h2f.*|f2h.*)"
                               r"|__(add|sub|mul|div|neg|eq|ne|lt|le|gt|ge|unord)[ds]f[23](vfp)?",
    "64-bit division": r"__aeabi_u?ldivmod|__u?(div|mod|divmod)di[34]",
    "printing": r"_?v?(f|s|sn|i)?printf(_r)?",
}


def build(settings, cpu, source, folder, *more):
    """Compiles and links, with more flags; gives the program."""
    program = Path(folder) / "size.elf"
    flags = re.search(r"^// flags: (.*)$", Path(source).read_text(), re.MULTILINE)
    result = run([settings.arm_cxx, "-std=c++20", *settings.warnings, *CPUS[cpu], flags[1] if flags else "-O2", *more, "-ffreestanding",
                  "-fno-exceptions", "-fno-rtti", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables",
                  "-ffunction-sections", "-fdata-sections", f"-I{INCLUDE}", f"-I{ROOT}", source, "-o", program,
                  "-nostartfiles", "-nodefaultlibs", "-Wl,--gc-sections", "-Wl,--entry=main", "-Wl,--undefined=main",
                  "-Wl,--build-id=none", f"-L{ROOT}/cmake/firmware", "-Wl,-T,neuromorph_log_insert.ld", "-Wl,--start-group", "-lgcc", "-lc", "-Wl,--end-group"])
    if result.returncode:
        raise Failure(f"{source} does not build for {cpu}:\n{result.stdout}")
    return program


def contents(settings, program):
    """What of a program is loaded."""
    raw = program.with_suffix(".bin")
    result = run([tool(settings, "objcopy"), "-O", "binary", program, raw])
    if result.returncode:
        raise Failure(result.stdout)
    return raw.read_bytes()


def tool(settings, name):
    return re.sub(r"(g\+\+|c\+\+|gcc)$", name, settings.arm_cxx)


def measure(settings, program):
    """Bytes of code and constants, initialised data and zeroed data."""
    sizes = dict.fromkeys(PARTS, 0)
    constructors = 0
    for line in run([tool(settings, "readelf"), "-SW", program]).stdout.splitlines():
        match = re.match(r"\s*\[ *\d+\] (\S+) +(\w+) +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) \w\w +([A-Zxop]+) ", line)
        if not match or "A" not in match[4] or match[2] == "ARM_EXIDX":
            continue
        size = int(match[3], 16)
        if match[2] == "INIT_ARRAY" or match[1].startswith((".init_array", ".ctors")):
            constructors += size
        part = "bss" if match[2] == "NOBITS" else "data" if "W" in match[4] else "text"
        sizes[part] += size
    if not sizes["text"]:
        raise Failure("the program is empty; is main there?")
    if constructors:
        raise Failure(f"the program has static constructors ({constructors} bytes of .init_array)")
    return sizes


def forbidden_symbols(settings, program, source=None):
    line = source and re.search(r"^// allows: (.*)$", Path(source).read_text(), re.MULTILINE)
    allowed = line[1].split(", ") if line else []
    if unknown := set(allowed) - set(FORBIDDEN):
        raise Failure(f"{source} allows what is not forbidden: {', '.join(sorted(unknown))}")
    found = []
    for line in run([tool(settings, "nm"), program]).stdout.splitlines():
        name = line.split()[-1]
        for what, pattern in FORBIDDEN.items():
            if what not in allowed and re.fullmatch(pattern, name):
                found.append(f"{name} ({what})")
    return found


def read_expected(path):
    """{(cpu, name): sizes} and the compiler's version."""
    figures, version = {}, None
    if not Path(path).exists():
        return figures, version
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if match := re.match(r"# .*arm-none-eabi-g\+\+ ([\d.]+)", line):
            version = match[1]
        if line.startswith("#") or not line.strip():
            continue
        words = line.split()
        if len(words) != 5 or not all(word.isdigit() for word in words[2:]):
            raise Failure(f"{path}:{number}: wants <cpu> <name> <text> <data> <bss>")
        figures[words[0], words[1]] = dict(zip(PARTS, map(int, words[2:])))
    return figures, version


def line_of(cpu, name, sizes):
    return f"{cpu:<10} {name:<24} " + " ".join(f"{sizes[part]:>7}" for part in PARTS)


def check(settings, cpu, source, expected=EXPECTED):
    name = Path(source).stem
    with tempfile.TemporaryDirectory() as folder:
        program = build(settings, cpu, source, folder)
        if found := forbidden_symbols(settings, program, source):
            raise Failure(f"{name} for {cpu} holds what firmware must not: {', '.join(found)}")
        sizes = measure(settings, program)
        if other := re.search(r"^// same bytes with: (.*)$", Path(source).read_text(), re.MULTILINE):
            wanted = contents(settings, program)
            if contents(settings, build(settings, cpu, source, folder, other[1])) != wanted:
                raise Failure(f"{name} for {cpu} is another program with {other[1]}; its bytes should be the same")
    figures, version = read_expected(expected)
    compiler = run([settings.arm_cxx, "-dumpfullversion"]).stdout.strip()
    if (cpu, name) not in figures:
        raise Failure(f"{expected} has no figure for it; add this line:\n{line_of(cpu, name, sizes)}")
    limit = re.search(r"^// at most: (\d+) more than (\w+) on (\S+)$", Path(source).read_text(), re.MULTILINE)
    if limit and cpu == limit[3]:
        more = sizes["text"] - figures[cpu, limit[2]]["text"]
        if more > int(limit[1]):
            raise Failure(f"{name} for {cpu} is {more} bytes more than {limit[2]}, and promises at most {limit[1]}")
    said = []
    for part in PARTS:
        now, then = sizes[part], figures[cpu, name][part]
        if now > then * (1 + GROWTH):
            text = f"{name} for {cpu}: .{part} grew from {then} to {now} bytes, by more than {GROWTH:.0%}"
            if compiler == version:
                raise Failure(f"{text}; if that is meant, write\n{line_of(cpu, name, sizes)}")
            said.append(f"{text}; no error, as the figures were taken with GCC {version} and this is {compiler}")
        elif now < then * (1 - GROWTH):
            said.append(f"{name} for {cpu}: .{part} shrank from {then} to {now} bytes; update the figure")
    return [line_of(cpu, name, sizes), *said]


# {marker on the page: (page, programs in the order of the table)}
TABLES = {
    "gdb_sizes": ("docs/debugging.md", sorted((path.stem for path in (ROOT / "tests/size").glob("gdb*.cpp")),
                                             key=lambda name: (name == "gdb_entry", name))),  # what is in all of them last
    "service_sizes": ("docs/mailbox.md", ["mailbox", "mailbox_bridge", "log", "log_left_out", "print", "profiler_streamed",
                                          "profiler_summarised", "crash", "crash_with_log", "stack_guard", "newlib"]),
}


def purpose(name):
    """What a program says that it is, in front of its first line of code."""
    said = []
    for line in (ROOT / "tests/size" / f"{name}.cpp").read_text().splitlines()[1:]:
        if not line.startswith("// "):
            break
        if not re.match(r"// (flags|allows|at most|same bytes with): ", line):
            said.append(line.removeprefix("// "))
    return " ".join(said).rstrip(".")


def table_of(names):
    figures, _ = read_expected(EXPECTED)
    lines = ["| | Cortex-M4, code | data | ARM968E-S, code | data |", "|---|---|---|---|---|"]
    for name in names:
        cells = [f"{sizes['text']} | {sizes['data'] + sizes['bss']}" for sizes in
                 (figures["cortex-m4", name], figures["arm968e-s", name])]
        lines.append(f"| {purpose(name)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def pattern_of(marker):
    return re.compile(rf"(<!-- {marker}: .* -->\n)(.*?)(<!-- end of {marker} -->)", re.DOTALL)


def page(_settings):
    for marker, (name, names) in TABLES.items():
        found, wanted = pattern_of(marker).search((ROOT / name).read_text()), table_of(names)
        if not found or found[2] != wanted:
            raise Failure(f"{name} has another table than tests/size/expected.txt; update_sizes writes it:\n{wanted}")


def update(settings):
    sources = sorted((ROOT / "tests/size").glob("*.cpp"))
    columns = f"{'cpu':<8} {'name':<24} " + " ".join(f"{part:>7}" for part in PARTS)
    version = run([settings.arm_cxx, "-dumpfullversion"]).stdout.strip()
    text = HEAD.format(version=version, columns=columns)
    for source in sources:
        for cpu in CPUS:
            with tempfile.TemporaryDirectory() as folder:
                text += line_of(cpu, source.stem, measure(settings, build(settings, cpu, source, folder))) + "\n"
    EXPECTED.write_text(text)
    for marker, (name, names) in TABLES.items():
        text_of_page = (ROOT / name).read_text()
        (ROOT / name).write_text(pattern_of(marker).sub(lambda match: match[1] + table_of(names) + match[3], text_of_page))
    return [text]


if __name__ == "__main__":
    if sys.argv[1] == "update":
        main(update, Settings(sys.argv[2]))
    elif sys.argv[1] == "page":
        main(page, Settings(sys.argv[2]))
    else:
        main(check, Settings(sys.argv[2]), *sys.argv[3:])
