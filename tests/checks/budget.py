# SPDX-License-Identifier: BSL-1.0
"""tools/budget on firmware and on numbers: bytes beside those of the linker's own tools, frames beside the compiler's, depth of the stack beside
what a run leaves behind, and what is refused.

    budget.py ARM_CXX [NEUROMORPH_CYCLES]
"""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / one) for one in ("tools/nir", "tools/advisor", "benchmarks/report")]

import chips  # noqa: E402
import core_model  # noqa: E402
import image  # noqa: E402

CORES = {"arm968": ["-marm", "-mcpu=arm968e-s"], "cortex_m4": ["-mthumb", "-mcpu=cortex-m4", "-mfloat-abi=soft"],
         "cortex_m4f": ["-mthumb", "-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]}
KERNELS = ROOT / "benchmarks/cycles_kernels"


def demand(holds, why):
    if not holds:
        print(why)
        sys.exit(1)


def run(*words):
    done = subprocess.run([str(one) for one in words], capture_output=True, text=True)
    demand(done.returncode == 0, f"{' '.join(str(one) for one in words)}: {done.stderr[:2000]}")
    return done.stdout


def told(*words):
    done = subprocess.run([sys.executable, "-B", str(ROOT / "tools/budget"), *(str(one) for one in words)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


# Functions of all kinds of frames; `use` keeps what stands on the stack.
FUNCTIONS = """
extern "C" {
void use(void*);
int leaf(int a) { return a * 3; }
int little(int a) { int x[2] = {a, a}; use(x); return x[1]; }
int large(int a) { int x[300]; x[a & 255] = a; use(x); return x[17]; }
int huge_(int a) { char x[70000]; x[a & 4095] = 1; use(x); return x[19]; }
int shrink(int a) { if (a < 5) return a; int x[20]; use(x); use(x + 1); return x[3]; }
int early(int a) { int x[9]; use(x); if (x[2] == a) { use(x); return 7; } use(x + 1); return x[1] + large(a); }
int variable(int n) { int* x = (int*)__builtin_alloca((unsigned long)n * 4); use(x); return x[0]; }
int many(int a, int b, int c, int d, int e, int f) { int x[4] = {a, b, c, d}; use(x); return x[0] + e + f; }
int calls_many(int a) { return many(a, a, a, a, leaf(a), little(a)) + 1; }
double floats(double a, double b) { double x[6] = {a, b, a * b, a / b, 1, 2}; use(x); return x[3] * x[4] + x[5]; }
int variadic(int a, ...) { __builtin_va_list l; __builtin_va_start(l, a); int s = __builtin_va_arg(l, int); __builtin_va_end(l); use(&s); return s; }
int itself(int n) { int x[5] = {n}; use(x); return n < 2 ? x[0] : itself(n - 1) + itself(n - 2); }
typedef int (*Function)(int);
int pointer(Function f) { int x[3]; use(x); return f(x[0]) + 1; }
int odd(int);
int even(int n) { int x[2] = {n}; use(x); return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { int x[7] = {n}; use(x); return n == 0 ? 0 : even(n - 1); }
void use(void* p) { asm volatile("" : : "r"(p) : "memory"); }
int both(int a) { return early(a) + calls_many(a); }
void firmware_start() { int x = 3; use(&x); both(x); shrink(x); huge_(x); variable(x); floats(x, x); variadic(x, 4); itself(x); pointer(leaf); even(x); }
}
"""


def frames(compiler, folder):
    """Of each function, as -fstack-usage has them."""
    compared = 0
    for core, flags in CORES.items():
        for level in ("-O0", "-Og", "-O1", "-O2", "-O3", "-Os"):
            (folder / "f.cpp").write_text(FUNCTIONS)
            run(compiler, "-std=c++20", level, *flags, "-fno-exceptions", "-fno-inline", "-fno-ipa-cp", "-fno-ipa-sra", "-fno-ipa-icf", "-fno-optimize-sibling-calls",
                "-fstack-usage", "-c", "-o", folder / "f.o", folder / "f.cpp")
            run(compiler, *flags, "-nostartfiles", "--specs=nosys.specs", "-Wl,-e,firmware_start", "-Wl,--no-warn-rwx-segments", "-o", folder / "f.elf", folder / "f.o")
            made = image.Image(folder / "f.elf")
            functions = made.functions()
            for line in (folder / "f.su").read_text().splitlines():
                place, bytes_, kind = line.split("\t")
                name = re.match(r"\w+ (\w+)\(", FUNCTIONS.splitlines()[int(place.split(":")[1]) - 1])[1]
                of = functions[name]
                demand(of.is_variable == ("dynamic" in kind), f"{core} {level}: {name} has a frame that is {kind}, and the tool says otherwise")
                if not of.is_variable:
                    pushed = of.frame - int(bytes_) if name == "variadic" else 0  # arguments, which the compiler leaves to the caller
                    demand(of.frame == int(bytes_) + pushed and pushed in (0, 12, 16), f"{core} {level}: {name} has a frame of {bytes_} bytes, the tool says {of.frame}")
                    compared += 1
            demand(functions["both"].calls >= {"early", "calls_many"} and functions["pointer"].unknown == 1 and functions["itself"].calls_itself,
                   f"{core} {level}: who calls whom is wrong: {functions['both'].calls}, {functions['pointer'].unknown}")
            bytes_, way, notes, root = made.stack()[0]
            demand(root == "firmware_start" and way[1] == "huge_", f"{core} {level}: the deepest is {way}")
            kinds = {(name, what.split(",")[0]) for name, what in notes}
            demand({("pointer", "calls 1 time by pointer"), ("variable", "has a frame of no fixed size"), ("itself", "may call itself"), ("even", "may call itself"),
                    ("odd", "may call itself")} <= kinds, f"{core} {level}: {kinds}")
            more = {one[3]: one[0] for one in made.stack([("pointer", "huge_")])}["firmware_start"]
            demand(more == functions["firmware_start"].frame + functions["pointer"].frame + functions["huge_"].frame + functions["use"].frame, f"{core} {level}: a call by pointer is not counted")
            size = run(compiler.replace("g++", "size"), folder / "f.elf").splitlines()[1].split()
            demand((made.code + made.tables, made.data, made.zeros) == tuple(int(one) for one in size[:3]), f"{core} {level}: bytes are not those of size: {size}")
    return compared


# Paints the stack, calls, and says by its status how deep it was: no call is by pointer or again.
PAINTED = """
#include <cstdint>
#include <neuromorph/target/device/semihosting.hpp>
{functions}
extern "C" [[gnu::naked]] std::uint32_t stack_pointer() {{ asm volatile("mov r0, sp\\n bx lr"); }}
extern "C" [[gnu::noinline]] void work() {{ int x = 3; use(&x); both(x); shrink(99); floats(x, x); many(1, 2, 3, 4, 5, 6); }}
extern "C" void firmware_start() {{
  auto* const top = reinterpret_cast<volatile std::uint32_t*>(stack_pointer());
  for (int at = 16; at < 2000; ++at) top[-at] = 0xA5A5A5A5;
  work();
  int deepest = 1999;
  while (deepest > 16 && top[-deepest] == 0xA5A5A5A5) --deepest;
  neuromorph::target::Semihosting::exit(deepest * 4 > {least} && deepest * 4 <= {most} ? 0 : 1);
}}
"""


def high_water(compiler, counter, folder):
    """How deep a run goes is what the call graph says: not a word more, and at most the words that a function does not write less."""
    functions = "\n".join(line for line in FUNCTIONS.splitlines() if "firmware_start" not in line and line not in ('extern "C" {', "}"))
    for core in ("arm968", "cortex_m4"):
        for level in ("-Og", "-O2"):
            flags = ["-std=c++20", level, *CORES[core], "-fno-exceptions", "-fno-inline", f"-I{ROOT}/include"]

            def linked(least, most):
                (folder / "p.cpp").write_text(PAINTED.format(functions='extern "C" {\n' + functions + "\n}", least=least, most=most))
                run(compiler, *flags, "-nostartfiles", f"-L{KERNELS}", f"-L{ROOT}/cmake/firmware", f"-T{KERNELS}/{core}.ld", "-Wl,--orphan-handling=place",
                    "-Wl,--no-warn-rwx-segments", "-o", folder / "p.elf", folder / "p.cpp", "-lgcc")
                return image.Image(folder / "p.elf")

            made = linked(0, 8000)
            deepest = {one[3]: one for one in made.stack()}["firmware_start"][0] - made.functions()["firmware_start"].frame
            demand(1200 < deepest < 2000, f"{core} {level}: the tool says {deepest}")
            linked(deepest - 40, deepest)  # `use` writes nothing, so the last frame may be clean
            done = subprocess.run([counter, "--quiet", folder / "p.elf"], capture_output=True, text=True)
            demand(done.returncode == 0, f"{core} {level}: a run does not go {deepest - 40} to {deepest} bytes deep: {done.stderr}")


def tasks(compiler, counter, folder):
    """Cycles of tasks are those of the counter, and their sum is the share of time."""
    (folder / "t.cpp").write_text(PAINTED.format(functions="extern \"C\" {\n" + "\n".join(
        line for line in FUNCTIONS.splitlines() if "firmware_start" not in line and line not in ('extern "C" {', "}")) + "\n}", least=0, most=8000))
    run(compiler, "-std=c++20", "-O2", *CORES["cortex_m4"], "-fno-exceptions", "-fno-inline", f"-I{ROOT}/include", "-nostartfiles", f"-L{KERNELS}", f"-L{ROOT}/cmake/firmware",
        f"-T{KERNELS}/cortex_m4.ld", "-Wl,--orphan-handling=place", "-Wl,--no-warn-rwx-segments", "-o", folder / "t.elf", folder / "t.cpp", "-lgcc")
    run(counter, "--quiet", "--json", folder / "t.json", "--function", "work", folder / "t.elf")
    cycles = next(one["mean"] for one in json.loads((folder / "t.json").read_text())["measures"] if one["name"] == "work")
    rate = 0.5 * 64e6 / cycles
    status, shown, said = told(folder / "t.elf", "--task", f"wor?={rate}", "--counter", counter, "--chip", "nrf52840")
    demand(status == 0 and "50.0%" in shown and f"{cycles:.0f}" in shown, f"half of the time: {shown} {said}")
    status, shown, said = told(folder / "t.elf", "--task", f"work={3 * rate}", "--counter", counter, "--chip", "nrf52840")
    demand(status == 1 and "too small: time at 150%" in shown, f"three halves of the time: {shown} {said}")
    for words, sentence in ((["--task", "nobody=5"], "no function of this name"), (["--task", "work"], "how often"), (["--task", "work=-2"], "how often"), (["--task", "work=inf"], "how often"),
                            (["--calls", "work=nobody"], "no function 'nobody'"), (["--task", "huge_=5"], "ran")):
        status, _, said = told(folder / "t.elf", "--counter", counter, *words)
        demand(status == 2 and sentence in said and said.count("\n") == 1, f"{words}: {said}")


def files(folder):
    """What is no firmware, or is cut off, is a sentence."""
    good = (folder / "f.elf").read_bytes()
    for name, bytes_ in [("text", b"\x7fELF" + b"x" * 60), ("wide", good[:4] + b"\2" + good[5:]), ("big", good[:5] + b"\2" + good[6:]), ("object", (folder / "f.o").read_bytes())] + [
            (f"cut{at}", good[:at]) for at in range(4, len(good), max(1, len(good) // 60))]:
        (folder / name).write_bytes(bytes_)
        try:
            image.Image(folder / name).stack()
        except image.Wrong:
            continue
        except Exception as error:
            demand(False, f"{name}: {type(error).__name__}: {error}")
        demand(name.startswith("cut"), f"{name} is taken")
    place = struct.unpack_from("<I", good, 32)[0]
    for at in range(0, 400, 3):  # headers changed
        changed = bytearray(good)
        changed[place + at] ^= 0x5A
        (folder / "changed").write_bytes(changed)
        try:
            image.Image(folder / "changed")
        except image.Wrong:
            pass


def numbers():
    """A core by its numbers: the program that was measured, and not used for the coefficients."""
    entries = core_model.entries_of(KERNELS / "expected.json")
    for core in ("arm968", "cortex_m4"):
        for dt in (0.1, 1.0):
            place = f"cycles/{core}/core/cuba500/step_{dt:g}ms"
            measured = {one["name"].removeprefix(place + "/"): one for one in entries if one["name"].startswith(place + "/")}
            rows, events = measured["rows"]["items"], measured["events"]["items"]
            rate = rows / 4000 / dt * 1000  # each source fires as often
            told_ = core_model.Core(500, 4000, events / 500 / (rate * dt / 1000), rate, dt).cycles(entries, core)
            total = measured["total"]["cycles"]
            demand(abs(told_ / total - 1) < 0.03, f"{core} at {dt} ms: {told_:.0f} cycles, measured {total:.0f}")
    of = core_model.Core(250, 4000, 80, 10, 1.0)
    demand(of.parts()["ring of delays"] == 32 * 256 and of.parts()["rows"] == 80000, f"{of.parts()}")
    status, shown, _ = told("core", "--neurons", 250, "--sources", 4000, "--synapses", 80, "--rate", 10, "--chip", "spinnaker")
    demand(status == 1 and "too small: memory" in shown, shown)
    status, shown, _ = told("core", "--neurons", 250, "--sources", 4000, "--synapses", 80, "--rate", 10, "--rows", "sdram", "--chip", "spinnaker")
    demand(status == 0 and "memory is the first limit" in shown, shown)
    for words in (("--neurons", 0), ("--sources", 0), ("--synapses", 5000), ("--rate", -1), ("--delay-slots", 7)):
        given = {"--neurons": 250, "--sources": 4000, "--synapses": 80, "--rate": 10, **dict([words])}
        status, _, said = told("core", *(one for pair in given.items() for one in pair))
        demand(status == 2 and words[0] in said and said.count("\n") == 1, f"{words}: {said}")
    demand(set(chips.CHIPS) == set(re.findall(r"ChipMemory (\w+)\{", (ROOT / "include/neuromorph/budget.hpp").read_text())), "budget.hpp has other chips than tools/budget")
    for name, memory, flash in re.findall(r"ChipMemory (\w+)\{([^,]+), ([^}]+)\}", (ROOT / "include/neuromorph/budget.hpp").read_text()):
        of = chips.CHIPS[name]
        demand(eval(memory) == of.memory and eval(flash) == (0 if of.code_apart else of.flash), f"budget.hpp has other numbers of {name}")


def main():
    compiler, counter = sys.argv[1], next(iter(sys.argv[2:]), "")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        compared = frames(compiler, folder)
        files(folder)
        if counter:
            high_water(compiler, counter, folder)
            tasks(compiler, counter, folder)
    numbers()
    print(f"{compared} frames are the compiler's, bytes the linker's" + (", and runs go as deep as is said" if counter else ""))


if __name__ == "__main__":
    main()
