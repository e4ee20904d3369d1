# SPDX-License-Identifier: BSL-1.0
"""odr.flags: two units compiled with different flags, linked in both orders, each behave as compiled.
odr.symbols: the library's inline functions compiled with different flags share no symbol.

usage: odr.py flags|symbols SETTINGS
"""

import re
import sys
import tempfile
from pathlib import Path

from common import INCLUDE, ROOT, Failure, Settings, main, run

ODR = ROOT / "tests/odr"


def cpu_has_avx2():
    flags = Path("/proc/cpuinfo")
    return flags.exists() and re.search(r"\bavx2\b", flags.read_text()) is not None


def pairs(settings):
    """Pairs of flags that must not meet in one function."""
    found = [(["-DNEUROMORPH_CHECKS=0"], ["-DNEUROMORPH_CHECKS=1"])]
    if settings.x86:
        found.append(([], ["-mavx2"]))
    return found


def pairs_to_compile(settings):
    """More pairs, for what need not run."""
    avx512 = [f"-mavx512{part}" for part in ("f", "bw", "dq", "vl", "vnni")]
    return pairs(settings) + ([([], avx512), (["-mavx2"], avx512)] if settings.x86 else [])


def compile_object(settings, source, flags, output):
    result = run([settings.cxx, "-std=c++20", "-O0", *settings.warnings, f"-I{INCLUDE}", *flags, "-c", source, "-o", output])
    if result.returncode:
        raise Failure(f"{source} with {flags}:\n{result.stdout}")
    return output


def outcomes(settings, folder, first, second, extra):
    """Exit status and output for both link orders."""
    def unit(name, flags):
        names = [f"-DODR_UNIT_{part.upper()}={name}_{part}" for part in ("here", "inline", "template", "name")]
        return compile_object(settings, ODR / "unit.cpp", [*names, *flags, *extra], folder / f"{name}.o")

    objects = [unit("first", first), unit("second", second)]
    program = compile_object(settings, ODR / "main.cpp", [], folder / "main.o")
    for order in (objects, objects[::-1]):
        linked = run([settings.cxx, program, *order, "-o", folder / "program"])
        if linked.returncode:
            raise Failure(f"linking failed:\n{linked.stdout}")
        result = run([folder / "program"])
        yield [path.stem for path in order], result.returncode, result.stdout


def flags(settings):
    said = []
    for first, second in pairs(settings):
        what = f"'{' '.join(first)}' and '{' '.join(second)}'"
        if "-mavx2" in second and not cpu_has_avx2():
            said.append(f"{what}: not run, this processor has no AVX2 (odr.symbols covers it)")
            continue
        with tempfile.TemporaryDirectory() as folder:
            for order, status, output in outcomes(settings, Path(folder), first, second, []):
                if status:
                    raise Failure(f"units with {what}, linked as {order}:\n{output}")
            for order, status, output in outcomes(settings, Path(folder), first, second, ["-DODR_STAND_IN"]):
                if not status:
                    raise Failure(f"this test would not notice a clash: units with {what} that share a namespace, "
                                  f"linked as {order}, went unnoticed:\n{output}")
        said.append(f"{what}: each unit behaves as compiled; the control without the ABI namespace is noticed")
    return said


def library_symbols(settings, flags, folder):
    source = folder / "all.cpp"
    source.write_text("#include <neuromorph/neuromorph.hpp>\n"
                      "const char* odr_use(neuromorph::Error error) { return neuromorph::describe(error); }\n")
    keep = [] if "Clang" in settings.cxx_id else ["-fkeep-inline-functions"]
    result = compile_object(settings, source, ["-w", *keep, *flags], folder / "all.o")
    names = {line.split()[-1] for line in run(["nm", result]).stdout.splitlines() if re.search(r" [WVBDRTu] ", line)}
    return {name for name in names if "10neuromorph" in name}


def symbols(settings):
    said, known = [], {}
    for first, second in pairs_to_compile(settings):
        for flags in map(tuple, (first, second)):
            if flags not in known:
                with tempfile.TemporaryDirectory() as folder:
                    known[flags] = library_symbols(settings, flags, Path(folder))
        one, other = known[tuple(first)], known[tuple(second)]
        if not one or not other:
            raise Failure("no symbol of the library was found; this test looks at nothing")
        if shared := sorted(one & other):
            names = run(["c++filt"], input="\n".join(shared)).stdout
            raise Failure(f"compiled with {first} and with {second} these have the same symbol; are they in the ABI "
                          f"namespace?\n{names}")
        said.append(f"'{' '.join(first)}' and '{' '.join(second)}': {len(one)} and {len(other)} symbols, none shared")
    return said


if __name__ == "__main__":
    main({"flags": flags, "symbols": symbols}[sys.argv[1]], Settings(sys.argv[2]))
