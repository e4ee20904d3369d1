# SPDX-License-Identifier: BSL-1.0
"""What the compile-only checks share: the configuration, the compilers, the markers of a header."""

import json
import re
import shlex
import subprocess
import sys
import types
from importlib.machinery import SourceFileLoader
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"

# A target is a compiler and the flags that name its machine. `arm926` is compiled for ARM968E-S, the core it
# stands in for.
ARM_MACHINES = {
    "arm926": ["-marm", "-mcpu=arm968e-s"],
    "cortex-m4": ["-mthumb", "-mcpu=cortex-m4"],
    "cortex-m55": ["-mthumb", "-mcpu=cortex-m55", "-mfloat-abi=hard"],
}
# Other Linux systems, each the name of its architecture.
LINUX_MACHINES = {
    "aarch64": ["-march=armv8-a"],
    "powerpc": [],
}
ARM_FREESTANDING = ["-ffreestanding", "-fno-exceptions", "-fno-rtti"]

MARKER_LINES = 16  # markers stand within the first lines of a file
DIAGNOSTICS_WITHOUT_SOURCE = {"GNU": "-fno-diagnostics-show-caret", "Clang": "-fno-caret-diagnostics"}


class Failure(Exception):
    """A check that did not hold; its text is what the user reads."""


class Settings:
    """The compilers and flags of one build directory, written by tests/CMakeLists.txt."""

    def __init__(self, path):
        values = json.loads(Path(path).read_text())
        self.cxx = values["cxx"]
        self.cxx_id = values["cxx_id"]
        self.arm_cxx = values["arm_cxx"]
        self.linux_cxx = {name: values[f"{name}_cxx"] for name in LINUX_MACHINES}
        self.x86 = values["x86"]
        self.warnings = values["warnings"]
        self.build = Path(values["build"])
        self.precompiled_umbrella = Path(values["precompiled_umbrella"]) if values["precompiled_umbrella"] else None

    @property
    def is_older(self):
        """GCC 11 or Clang 13: older than the docs ask for, and in tests/run compilers."""
        return re.search(r"/(g\+\+-11|clang\+\+-13)$", self.cxx) is not None

    @property
    def without_source_lines(self):
        return [DIAGNOSTICS_WITHOUT_SOURCE["Clang" if "Clang" in self.cxx_id else "GNU"]]

    @property
    def with_umbrella(self):
        """Flags that give a program the umbrella without parsing it, if it was precompiled since a header changed."""
        umbrella = self.precompiled_umbrella
        if umbrella is None or not umbrella.exists():
            return []
        newest = max(header.stat().st_mtime_ns for header in headers())
        return ["-include-pch", umbrella] if umbrella.stat().st_mtime_ns > newest else []

    def command(self, target, machine=None):
        """Compiler and flags for `host` or another machine; `machine` takes the place of its own -m flags."""
        common = ["-std=c++20", *self.warnings, f"-I{INCLUDE}"]
        if target == "host":
            return [self.cxx, *common, *(machine or [])]
        if target in LINUX_MACHINES:
            return [self.linux_cxx[target], *common, *(machine or LINUX_MACHINES[target])]
        return [self.arm_cxx, *common, *ARM_FREESTANDING, *(machine or ARM_MACHINES[target])]


class Markers:
    """The comment lines near the top of a header that say where it can be used (tests/README.md)."""

    def __init__(self, path):
        head = Path(path).read_text().splitlines()[:MARKER_LINES]
        self.host_only = "// host-only" in head
        self.arm_only = "// arm-only" in head
        self.not_in_umbrella = any(line.startswith("// not in the umbrella") for line in head)
        self.needs = next((line.removeprefix("// needs: ") for line in head if line.startswith("// needs: ")), "")
        self.requires = []  # (architecture, flags), each one enough by itself
        for line in head:
            if not line.startswith("// requires:"):
                continue
            match = re.fullmatch(r"// requires: (-.*\S) \((\w+)\)", line)
            if not match:
                raise Failure(f"{path}: write '// requires: <flags> (<architecture>)', not '{line}'")
            self.requires.append((match[2], shlex.split(match[1])))

    def uses(self, target):
        """False when the header says that it is not for this target at all."""
        return not (self.host_only and target != "host") and not (self.arm_only and target not in ARM_MACHINES)


def architecture(settings, target):
    if target in LINUX_MACHINES:
        return target
    if target != "host":
        return "arm"
    return "x86" if settings.x86 else "host"


def headers():
    return sorted(INCLUDE.glob("neuromorph/**/*.hpp"))


def spelled(header):
    """The name by which a program includes a header."""
    return Path(header).relative_to(INCLUDE).as_posix()


def run(command, **options):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, **options)


def tool(name):
    """A script of tools/ as a module."""
    path = str(ROOT / "tools" / name)
    module = types.ModuleType(name.removesuffix(".py"))
    module.__file__ = path
    SourceFileLoader(module.__name__, path).exec_module(module)
    return module


def compile_text(command, text, extra=()):
    """Compiles `text` as a C++ file; gives (succeeded, diagnostics)."""
    result = run([*command, *extra, "-x", "c++", "-"], input=text)
    return result.returncode == 0, result.stdout


def must_compile(command, text, what, extra=("-fsyntax-only",)):
    succeeded, output = compile_text(command, text, extra)
    if not succeeded:
        raise Failure(f"{what} does not compile with\n  {shlex.join(map(str, command))}\n{output}")


def main(check, *arguments):
    """Runs a check; a Failure becomes its text and exit status 1."""
    try:
        for line in check(*arguments) or []:
            print(line)
    except Failure as failure:
        print(failure)
        sys.exit(1)
