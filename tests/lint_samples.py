# SPDX-License-Identifier: BSL-1.0
"""What the rules of lint.py must object to, and what they must not: `lint.py --self-test`."""

from lint import LINES_PER_HEADER, STATUS, UMBRELLA, guard_of

GOOD = """// SPDX-License-Identifier: BSL-1.0
/// \\file
/// {purpose}
#ifndef {guard}
#define {guard}

{includes}
namespace neuromorph {{
inline namespace NEUROMORPH_ABI {{
{body}
}} // namespace NEUROMORPH_ABI
}} // namespace neuromorph

#endif
"""


def header(name, body="", includes="", purpose="A sample."):
    return GOOD.format(guard=guard_of(f"include/neuromorph/{name}"), includes=includes + "\n" if includes else "",
                       body=body, purpose=purpose)


def umbrella_of(*names):
    text = "".join(f"#include <neuromorph/{name}>\n" for name in names)
    word = guard_of(UMBRELLA)
    return (f"// SPDX-License-Identifier: BSL-1.0\n/// \\file\n/// All.\n#ifndef {word}\n#define {word}\n\n{text}\n"
            "#endif\n")


H = "include/neuromorph/"
GENERIC_LAMBDA = "constexpr auto f = []<class Value>(Value v) { return v < 'a' ? v : Value{}; };"
FIGURES = "| a | b | c |\n|---|---|---|\n| x | 10 | 2.5 |\n| y | 1 | 30 KB |\n"
PICTURE_TESTS = "tests/cmake/NeuromorphExamples.cmake"
ERRORS = "enum class Error {\n  none,\n  too_long,\n  too_late,\n};"


def refusing(comment, body="", more=""):
    """A header with a class that answers what can be wrong, and the header of all that can."""
    return {STATUS: header("status.hpp", ERRORS),
            H + "c.hpp": header("c.hpp", f"class Thing {{\npublic:\n{comment}"
                                f"  constexpr Status run(int by = {{1}}) noexcept requires(true) {{ {body} }}\n{more}}};")}


TOO_LONG = "if (by > 1) return {Error::too_long, 0, by};"
SAMPLES = {  # by the name of a rule: files that break it, each set by itself
    "spdx": [{"a.cpp": "int x;\n"}, {"cmake/a.cmake": "set(x 1)\n"}],
    "guard": [{H + "a.hpp": "// SPDX-License-Identifier: BSL-1.0\n#pragma once\n"},
              {H + "kernels/a.hpp": header("a.hpp")}],
    "purpose": [{H + "a.hpp": header("a.hpp").replace("/// A sample.\n", "")}],
    "std_includes": [{H + "a.hpp": header("a.hpp", includes="#include <vector>")},
                     {H + "sched/a.hpp": header("sched/a.hpp", includes="#include <atomic>")},
                     {H + "a.hpp": header("a.hpp", includes="#  include <string.h>")},
                     {H + "a.hpp": header("a.hpp", includes="#include <neuromorph_needs_cxx20>")}],
    "own_includes": [{H + "a.hpp": header("a.hpp"), H + "b.hpp": header("b.hpp", includes='#include "a.hpp"')},
                     {H + "a.hpp": header("a.hpp"),
                      H + "b.hpp": header("b.hpp", includes="#if 1\n#include <neuromorph/a.hpp>\n#endif")},
                     {H + "b.hpp": header("b.hpp", includes="#include <neuromorph/none.hpp>")}],
    "layers": [{H + "gc/a.hpp": header("gc/a.hpp"),
                H + "sched/b.hpp": header("sched/b.hpp", includes="#include <neuromorph/gc/a.hpp>")},
               {H + "gc/a.hpp": header("gc/a.hpp"), H + "b.hpp": header("b.hpp", includes="#include <neuromorph/gc/a.hpp>")},
               {H + "attic/a.hpp": header("attic/a.hpp")},
               {H + "network/a.hpp": header("network/a.hpp")},
               {H + "gc/detail/a.hpp": header("gc/detail/a.hpp"),
                H + "sched/b.hpp": header("sched/b.hpp", includes="#include <neuromorph/gc/detail/a.hpp>")},
               {H + "target/detail/a.hpp": header("target/detail/a.hpp"),
                H + "gc/b.hpp": header("gc/b.hpp", includes="#include <neuromorph/target/detail/a.hpp>")},
               {H + "target/power/a.hpp": header("target/power/a.hpp"),
                H + "target/b.hpp": header("target/b.hpp", includes="#include <neuromorph/target/power/a.hpp>")}],
    "branches": [{H + "kernels/random/a.hpp": header("kernels/random/a.hpp", "#ifdef __arm__\n#endif")},
                 {H + "a.hpp": header("a.hpp", "#ifdef __arm__\n#endif")},
                 {H + "detail/a.hpp": header("detail/a.hpp", "#ifdef __arm__\n#endif")},
                 {H + "sched/a.hpp": header("sched/a.hpp", "inline void f() { asm(\"nop\"); }")}],
    "tests": [{"tests/unit/gc/a.cpp": "#include <neuromorph/tick.hpp>\n"},
              {"tests/unit/gc/a.cpp": '#include <tests/a.hpp>\n', "tests/a.hpp": "#include <neuromorph/gcx/a.hpp>\n"}],
    "macros": [{H + "a.hpp": header("a.hpp", "#define NEUROMORPH_X 1")},
               {H + "config.hpp": header("config.hpp", "#define LIMIT 1")}],
    "template_names": [{H + "a.hpp": header("a.hpp", "template <class Rule, int N>\nstruct Thing {};")},
                       {H + "a.hpp": header("a.hpp", "template <std::array<int, (3 > 2)> T = {}>\nstruct Thing {};")},
                       {H + "a.hpp": header("a.hpp", "inline auto f = []<typename ...T>(T...) {};")},
                       {H + "a.hpp": header("a.hpp", "template <template <class> class R>\nstruct Thing {};")}],
    "abi_namespace": [{H + "a.hpp": header("a.hpp").replace("inline namespace NEUROMORPH_ABI {", "namespace deep {")},
                      {H + "a.hpp": header("a.hpp") + "namespace neuromorph::target {}\n"}],
    "umbrella": [{UMBRELLA: umbrella_of(), H + "a.hpp": header("a.hpp")},
                 {UMBRELLA: umbrella_of("b.hpp", "a.hpp"), H + "a.hpp": header("a.hpp"), H + "b.hpp": header("b.hpp")},
                 {UMBRELLA: umbrella_of("a.hpp") + "int x;\n", H + "a.hpp": header("a.hpp")},
                 {UMBRELLA: umbrella_of("a.hpp"), H + "a.hpp": header("a.hpp").replace("#ifndef", "// host-only\n#ifndef")},
                 {}],
    "budget": [{H + "a.hpp": header("a.hpp", "\n".join(f"inline int x{n};" for n in range(LINES_PER_HEADER)))}],
    "format": [{"a.cpp": "int   main( ) { }\n"}],
    "places": [{"a.md": "see /ho" + "me/me/x\n"}, {"a.cpp": "// iss" + "ue 12\n"}, {"a.py": "# see NOWHERE" + ".md\n"},
               {"a.txt": "from see" + "ds/004\n"}],
    "docs": [{"docs/a.md": "```cpp\nint x;\n```\n"}, {"docs/a.md": "```cpp fragment\nint main() {}\n```\n"},
             {"docs/a.md": "```cpp host-only\nint x;\n```\n"}, {"docs/a.md": "```cpp host\nint main() {}\n```\n"},
             {"README.md": "```c++\nint main() {}\n```\n"}],
    "tables": [{"docs/a.md": FIGURES}, {"README.md": "<!-- a: written by none.py -->\n"},
               {"docs/a.md": "<!-- a: written by docs/a.md -->\n" + 12 * "\n" + FIGURES}],
    "benchmarks": [{"docs/a.md": "benchmark `a/b/c`\n", "benchmarks/a.json": '"name": "a/b"\n'},
                   {H + "a.hpp": "/// (benchmark a/b)\n", "benchmarks/a.json": '"name": "cycles/core/a/bb"\n'},
                   {H + "a.hpp": "/// benchmarks vector/*/sse2\n", "benchmarks/a.json": '"name": "vector/sum/sse41"\n'}],
    "errors": [refusing("  /// Runs.\n", TOO_LONG),
               refusing("  /// \\errors too_late\n", TOO_LONG + "return {Error::too_late};"),
               refusing("  /// \\errors too_long; too_late, sometimes\n", TOO_LONG),
               refusing("  /// \\errors none\n", "return check(by);",
                        "private:\n  Status check(int by) { " + TOO_LONG + " return {}; }\n"),
               refusing("  /// \\errors as `check`\n", TOO_LONG,
                        "  /// \\errors too_late\n  Status check() { return {Error::too_late}; }\n")],
    "draws": [{"a.cpp": "int x = f(random(), random());\n"},
              {"a.cpp": "double x = std::ldexp(draw.between(0, 1),\n                      -int(draw.word() % 3));\n"},
              {"a.cpp": "auto x = g(of[below(4)], [] { return 1; }, random_value(format, random));\n"}],
    "heads": [{H + "a.hpp": header("a.hpp", purpose="A sample.\n///\n" + 6 * "/// It explains itself.\n" + "///")},
              {H + "a.hpp": header("a.hpp", purpose="A sample.\n///\n" + 3 * "/// * One.\n///     int example;\n/// Two.\n")}],
    "quotes": [{"docs/a.md": "| a | `neuromorph: it lacks 'b'` |\n"},
               {"docs/a.md": "`neuromorph: it lacks 'b'`\n", "tests/unit/a.cpp": "// expect: neuromorph: it lacks 'b'\n"},
               {"docs/a.md": "`neuromorph: it lacks 'b'`\n", "tests/fail/a.cpp": "// expect: neuromorph: it lacks\n"}],
    "sentences": [{"docs/a.md": "# A\n" + 31 * "word " + "\n"}, {"README.md": "One.\n\n* " + 20 * "word " + "\n" + 11 * "  word " + "\n"},
                  {"docs/a.md": "| a | " + 31 * "word " + "|\n"}, {"a.hpp": "/// One.\n" + 31 * "  /// word\n"},
                  {"a.cpp": "int a;\n// \\errors " + 20 * "word " + "\n//         " + 11 * "word " + "\n"}],
    "pictures": [{"docs/a.md": "![b](images/b.svg)\n"}, {"docs/images/b.svg": "", PICTURE_TESTS: "docs/images/b.svg"},
                 {"docs/a.md": "![b](images/b.svg)\n", "docs/images/b.svg": "", PICTURE_TESTS: "docs/images/bb.svg"}],
}
FINE = {  # breaks no rule
    **refusing("  /// \\errors too_long: by; as `other`, or the thing's own\n  /// \\cost O(1)\n", TOO_LONG + "return check();",
               "  /// \\errors too_late\n  Status other() { return check(); }\n"
               "private:\n  static Status check() { return {Error::too_late}; }\n"),
    UMBRELLA: umbrella_of("a.hpp", "c.hpp", "config.hpp", "kernels/random/b.hpp", "status.hpp", "target/native.hpp"),
    H + "a.hpp": header("a.hpp", GENERIC_LAMBDA + "\ntemplate <class Rule, int FanOut = (3 > 2)>\nstruct Thing {};",
                        "#include <cstdint>"),
    H + "config.hpp": header("config.hpp", includes="#if 0\n#include <neuromorph_needs_cxx20>\n#endif").replace("#ifndef", "// #if asm template <class T>\n#ifndef"),
    H + "kernels/random/b.hpp": header("kernels/random/b.hpp", "// no asm, no #if", "#include <neuromorph/a.hpp>",
                                       "A sample,\n/// of two lines.\n///\n" + 9 * "///     int example;\n" + "///\n"
                                       + 5 * "/// It explains itself.\n" + "///"),
    H + "target/native.hpp": header("target/native.hpp", "", "#if defined(X)\n#include <neuromorph/a.hpp>\n#endif"),
    H + "target/fast.hpp": header("target/fast.hpp", "", "#include <immintrin.h>").replace(
        "#ifndef", "// requires: -mavx2 (x86)\n#ifndef"),
    "docs/a.md": "[b](a.md)\n```cpp\nint main() {}\n```\n```cpp host-only\nint main() {}\n```\n```cpp fragment\nint x;\n```\n```sh\nls\n```\n"
                 "<!-- a: printed by docs/a.md -->\n\nText.\n\n" + FIGURES + "\n| a | b |\n|---|---|\n| 1 | 2 |\n| 10 | 3 |\n"
                 "\n![b](images/b.svg)\n",
    "docs/b.md": "Benchmarks `a/1.6/c/...`, benchmark cycles/core/a/1.6; benchmarks a/*/c and others\n",
    "benchmarks/a.json": '{"name": "cycles/core/a/1.6/c/d"}\n',
    "docs/c.md": "begins with `neuromorph:`; `neuromorph: it lacks 'b'`\n",
    "tests/fail/a.cpp": "// SPDX-License-Identifier: BSL-1.0\n// expect: neuromorph: it lacks 'b'; see docs/a.md\n",
    "tests/b.cpp": "// SPDX-License-Identifier: BSL-1.0\nint f(int random, int draw);\n"
                   "auto a = g(random() % 3, 4), b = g(7, random());\nauto c = h(S{random(), random()}, 1);\n"
                   "auto d = h([&] { return random(); }, [&](int by) { return random() % by; }, random());\n"
                   "void run() { for (int e = random(), f = random(); e < f; ++e) {} }\n",
    "docs/images/b.svg": "",
    PICTURE_TESTS: "# SPDX-License-Identifier: BSL-1.0\n# docs/images/b.svg\n",
}
