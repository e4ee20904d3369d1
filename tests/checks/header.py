# SPDX-License-Identifier: BSL-1.0
"""header.<name> and hostile.<name>: a header compiles alone, after a vendor's macros or a user's variables, and without what
another needs.

usage: header.py alone SETTINGS HEADER TARGET...
       header.py hostile SETTINGS HEADER[,HEADER...] TARGET...
       header.py variables SETTINGS TARGET...
       header.py without SETTINGS NEEDED
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

from common import ARM_MACHINES, INCLUDE, LINUX_MACHINES, ROOT, Failure, Markers, Settings, architecture
from common import compile_text, main, must_compile, run, spelled


def own_error(header):
    """The sentence of the first #error: the header's, or that of a backend that it includes and that requires something."""
    for path in [Path(header), *(INCLUDE / name for name in re.findall(r"#include <(neuromorph/target/\S+)>", Path(header).read_text()))]:
        match = re.search(r'^#\s*error\s+"([^"]+)"', path.read_text(), re.MULTILINE) if Markers(path).requires else None
        if match:
            return match[1]
    raise Failure(f"{header}: a header with '// requires:' answers a missing instruction set with #error, itself or in a backend")


def enough(settings, target, flags):
    """True when the target's own flags already hold all that a header asks for."""
    return target != "host" and set(flags) <= set({**ARM_MACHINES, **LINUX_MACHINES}[target])


def flags_of(needed):
    """The flags of a library that one header needs and others do without; None where it is not installed."""
    if needed in ("sqlite3.h", "unicorn/unicorn.h"):
        return [] if any((Path(folder) / needed).exists() for folder in ("/usr/include", "/usr/local/include")) else None
    if needed != "mpi.h":
        raise Failure(f"say in flags_of of header.py where {needed} is from")
    if not shutil.which("mpicxx"):
        return None
    return [flag.replace("-I", "-isystem", 1) for flag in run(["mpicxx", "--showme:compile"]).stdout.split()]


def alone(settings, header, target):
    markers = Markers(header)
    if not markers.uses(target):
        return [f"{spelled(header)} is not meant for {target}"]
    if settings.is_older and str(header).endswith("target/template.hpp"):
        return ["GCC 11 compares no functions while it compiles"]
    twice = f"#include <{spelled(header)}>\n" * 2
    if markers.needs:
        others = flags_of(markers.needs)
        if others is not None:
            must_compile(settings.command(target, others), twice, f"{spelled(header)} with the flags of {markers.needs}")
        return [f"needs {markers.needs}, " + ("which is not here" if others is None else "and was given it")]
    here = [flags for name, flags in markers.requires if name == architecture(settings, target)]

    if not markers.requires or any(enough(settings, target, flags) for flags in here):
        must_compile(settings.command(target), twice, spelled(header))
        return []

    sentence = own_error(header)
    succeeded, output = compile_text(settings.command(target), twice, ["-fsyntax-only"])
    if succeeded:
        raise Failure(f"{spelled(header)} compiles for {target} without the flags it says it requires")
    first = next((line for line in output.splitlines() if "error:" in line), "")
    if sentence not in first:
        raise Failure(f"{spelled(header)} without its flags must say first\n  {sentence}\nbut the compiler says\n{output}")
    for flags in here:
        must_compile(settings.command(target, flags), twice, f"{spelled(header)} with its flags")
    return []


def outside_includes(header, seen=None):
    """Every header of others that this one reaches, in any branch."""
    seen = set() if seen is None else seen
    if header in seen or not header.exists():
        return []
    seen.add(header)
    found = []
    for name in re.findall(r"^\s*#\s*include\s*<([^>]+)>", header.read_text(), re.MULTILINE):
        if name.startswith("neuromorph/"):
            found += outside_includes(INCLUDE / name, seen)
        else:
            found.append(name)
    return found


def hostile(settings, headers, targets):
    """Standard headers come first: what they do under such macros is not ours to answer for. Several headers have the markers
    of the first."""
    markers = Markers(headers[0])
    seen = set()
    others = flags_of(markers.needs) if markers.needs else []
    if others is None:
        return [f"needs {markers.needs}, which is not here"]
    text = "".join(f"#if __has_include(<{name}>) && !{intrinsics(name)}\n#include <{name}>\n#endif\n"
                   for name in dict.fromkeys(name for header in headers for name in outside_includes(header, seen)))
    text += f'#include "{ROOT}/tests/hostile/macros.hpp"\n'
    if "<vector>" in text:  # who uses std::vector cannot have that macro
        text += "#undef vector\n"
    text += "".join(f"#include <{spelled(header)}>\n" for header in headers)
    what = spelled(headers[0]) if len(headers) == 1 else f"{len(headers)} headers"
    done = 0
    for target in targets:
        if not markers.uses(target):
            continue
        machines = [others or None]
        if markers.requires:
            machines = [flags for name, flags in markers.requires if name == architecture(settings, target)]
        for flags in machines:
            must_compile(settings.command(target, flags), text, f"{what} after vendor macros, for {target},")
            done += 1
    return [f"compiled {done} times"]


# Friends of Vec, which the library's own rules find by their arguments alone.
FRIENDS = {"add_saturating", "multiply_fractional", "shift_right_stochastic"}


def without_comments(text):
    return re.sub(r'//[^\n]*|"(?:\\.|[^"\\])*"', "", text)


def variables(settings, targets, user=ROOT / "tests/hostile/variables.cpp"):
    """All headers after a variable for each of their words, but for those that other headers have. That GCC finds variables
    shadowed by parameters is no error: README.md says how to include us."""
    gnu = settings.cxx_id == "GNU"
    paths = sorted(INCLUDE.rglob("*.hpp"))
    words = {word for path in paths for word in re.findall(r"\b[A-Za-z]\w*\b", without_comments(path.read_text()))}
    words = {word for word in words if not word.lower().startswith("neuromorph")} - FRIENDS
    for target in targets:
        headers = [path for path in paths if Markers(path).uses(target) and not Markers(path).requires and not Markers(path).needs]
        others = dict.fromkeys(name for path in headers for name in outside_includes(path))
        before = "".join(f"#if __has_include(<{name}>) && !{intrinsics(name)}\n#include <{name}>\n#endif\n" for name in others)
        command, kept, refused = settings.command(target), sorted(words), {""}
        while refused:
            kept = [word for word in kept if word not in refused]
            declared = before + "".join(f'#line 1 "{word}"\nextern int {word};\n' for word in kept)
            _, output = compile_text(command, declared, ["-fsyntax-only", "-fmax-errors=0" if gnu else "-ferror-limit=0"])
            refused = set(re.findall(r"^(\w+):1:\d+: error", output, re.MULTILINE))
        ours = "".join(f"#include <{spelled(path)}>\n" for path in headers)
        must_compile(command, f'{declared}#line 1 "{user.name}"\n{ours}{user.read_text()}',
                     f"what is included after {len(kept)} variables, for {target},",
                     ["-fsyntax-only", *(["-Wno-shadow"] if gnu else [])])
        yield f"{target}: after {len(kept)} variables"


def without(settings, needed, paths=None):
    """All headers for the host but those that need another compile where that one is an error; these do not, as they read it."""
    paths = [path for path in paths or sorted(INCLUDE.rglob("*.hpp"))
             if Markers(path).uses("host") and not Markers(path).requires]
    need_it = [path for path in paths if Markers(path).needs == needed]
    others = [path for path in paths if not Markers(path).needs]
    if not need_it:
        raise Failure(f"no header says '// needs: {needed}'")
    sentence = f"{needed} is not for this program"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / needed).write_text(f'#error "{sentence}"\n')
        command = [*settings.command("host"), f"-I{folder}"]
        must_compile(command, "".join(f"#include <{spelled(path)}>\n" for path in others), f"what does not need {needed}")
        for path in need_it:
            succeeded, output = compile_text(command, f"#include <{spelled(path)}>\n", ["-fsyntax-only"])
            if succeeded or sentence not in output:
                raise Failure(f"{spelled(path)} says that it needs {needed}, and does not read it:\n{output}")
    return [f"{len(others)} headers without {needed}, {len(need_it)} with it"]


def intrinsics(name):
    """A preprocessor condition that is true where a vendor's intrinsics header would stop the compiler."""
    if name in ("immintrin.h", "x86intrin.h"):
        return "(!defined(__x86_64__) && !defined(__i386__))"
    if name == "arm_neon.h":
        return "!defined(__ARM_NEON)"
    if name == "arm_acle.h":
        return "!defined(__ARM_ACLE)"
    if name == "arm_mve.h":
        return "!defined(__ARM_FEATURE_MVE)"
    if name == "altivec.h":
        return "!defined(__ALTIVEC__)"
    return "0"


if __name__ == "__main__":
    mode, settings, *arguments = sys.argv[1:]
    settings = Settings(settings)
    if mode == "variables":
        main(variables, settings, arguments)
        sys.exit()
    if mode == "without":
        main(without, settings, *arguments)
        sys.exit()
    headers, *targets = arguments
    headers = [Path(header).resolve() for header in headers.split(",")]
    if mode == "alone":
        main(lambda: [said for target in targets for said in [target, *alone(settings, headers[0], target)]])
    else:
        main(hostile, settings, headers, targets)
