# SPDX-License-Identifier: BSL-1.0
"""self_test.<check>: each check notices what it is there to notice.

usage: self_test.py SETTINGS fail|header|hostile|standard|without|size|single|docs|mutants|coverage
       self_test.py SETTINGS cppcheck|clang_tidy PROGRAM
"""

import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

import analyse
import common
import docs
import fail
import header
import pages
import size
import standard
from common import Failure, Settings

sys.path[:0] = [str(common.ROOT / "tools"), str(common.ROOT / "tests" / "mutation")]
import rewriter  # noqa: E402
import single_header  # noqa: E402

settings = None


def program(name):
    """A program of tests/ that has no ending, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(common.ROOT / "tests" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = Path(self.folder.name) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def refused(self, text, function, *arguments):
        with self.assertRaises(Failure) as caught:
            function(*arguments)
        self.assertIn(text, str(caught.exception))


class Fail(Case):
    ASSERT = '#ifdef NEUROMORPH_KO\nstatic_assert(sizeof(int) == 1, "{}");\n#endif\n'

    def check(self, text):
        return fail.check(settings, self.file("case.cpp", text))

    def test_accepts_the_promised_sentence(self):
        self.assertIn("refused as promised", self.check("// expect: int is small\n" + self.ASSERT.format("int is small"))[0])

    def test_notices_that_it_compiles(self):
        self.refused("but it does", self.check, "// expect: anything\n")

    def test_notices_that_the_good_half_does_not_compile(self):
        self.refused("without NEUROMORPH_KO", self.check, '// expect: never\nstatic_assert(false, "never");\n')

    def test_notices_another_sentence(self):
        self.refused("do not say", self.check, "// expect: int is small\n" + self.ASSERT.format("int is wide"))

    def test_does_not_take_a_quoted_source_line_for_the_answer(self):
        self.refused("do not say", self.check,
                     "// expect: int is small\n#ifdef NEUROMORPH_KO\nint f() { return missing; /* int is small */ }\n#endif\n")

    def test_notices_that_it_comes_too_late(self):
        errors = "".join(f"static_assert(sizeof(int) == 1, \"number {n}\");\n" for n in range(8))
        text = f"// expect: number 7\n// lines: 3\n#ifdef NEUROMORPH_KO\n{errors}#endif\n"
        self.refused("first 3 lines", self.check, text)
        self.check(text.replace("lines: 3", "lines: 30"))

    def test_notices_that_the_answer_goes_on(self):
        errors = "".join(f"static_assert(sizeof(int) == 1, \"number {n}\");\n" for n in range(8))
        text = f"// expect: number 0\n// whole: 3\n#ifdef NEUROMORPH_KO\n{errors}#endif\n"
        self.refused("more than 3", self.check, text)
        self.check(text.replace("whole: 3", "whole: 30"))

    def test_wants_every_expected_sentence(self):
        self.refused("wide", self.check, "// expect: small\n// expect: wide\n" + self.ASSERT.format("int is small"))

    def test_wants_a_sentence(self):
        self.refused("no line", self.check, self.ASSERT.format("int is small"))


class HeaderCase(Case):
    GUARDED = "{}\n#ifndef G_HPP\n#define G_HPP\n{}\n#endif\n"
    NEEDS = "#if !defined(__AVX2__)\n#error \"g.hpp needs AVX2\"\n#endif\n"

    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, header, "spelled", header.spelled)
        header.spelled = lambda path: Path(path).name  # these samples do not live under include/
        self.addCleanup(setattr, common, "INCLUDE", common.INCLUDE)
        common.INCLUDE = Path(self.folder.name)


class Header(HeaderCase):
    def alone(self, marker, text, target="host"):
        return header.alone(settings, self.file("g.hpp", self.GUARDED.format(marker, text)), target)

    def test_notices_a_missing_include(self):
        self.alone("", "#include <cstdint>\ninline std::uint8_t x = 1;")
        self.refused("does not compile", self.alone, "", "inline std::uint8_t x = 1;")

    def test_notices_a_missing_guard(self):
        path = self.file("g.hpp", "struct Twice {};\n")
        self.refused("does not compile", header.alone, settings, path, "host")

    def test_notices_a_warning(self):
        self.refused("does not compile", self.alone, "", "inline short f(int x) { return x; }")

    def test_notices_exceptions_on_arm(self):
        if settings.arm_cxx:
            self.refused("does not compile", self.alone, "", "inline void f() { throw 1; }", "cortex-m4")

    def test_needs_flags_and_says_so(self):
        if settings.x86:
            self.alone("// requires: -mavx2 (x86)", self.NEEDS)
        if settings.arm_cxx:
            self.alone("// requires: -mavx2 (x86)", self.NEEDS, "arm926")

    def test_notices_that_the_flags_are_not_needed(self):
        self.refused("without the flags", self.alone, "// requires: -mavx2 (x86)", "#if 0\n#error \"never\"\n#endif")

    def test_notices_that_the_flags_are_not_enough(self):
        if settings.x86:
            self.refused("with its flags", self.alone, "// requires: -msse4.1 (x86)", self.NEEDS)

    def test_notices_another_answer_than_its_own(self):
        self.refused("must say first", self.alone, "// requires: -mavx2 (x86)",
                     "#include <missing.hpp>\n" + self.NEEDS)

    def test_wants_an_error_sentence(self):
        self.refused("#error", self.alone, "// requires: -mavx2 (x86)", "int x = missing;")

    def test_refuses_a_marker_it_cannot_read(self):
        self.refused("// requires:", self.alone, "// requires: avx2", self.NEEDS)

    def test_leaves_out_what_is_not_meant(self):
        self.assertIn("not meant", self.alone("// host-only", "#error \"host\"", "arm926")[0])
        self.assertIn("not meant", self.alone("// arm-only", "#error \"arm\"", "host")[0])


class Without(HeaderCase):
    NEEDS, READS = "// needs: other.h", "#include <other.h>"
    BOTH = f"{NEEDS}\n{READS}"

    def without(self, texts):
        return header.without(settings, "other.h", [self.file(f"{name}.hpp", f"#ifndef G_{name}\n#define G_{name}\n{text}\n#endif\n")
                                                    for name, text in texts.items()])

    def test_counts_those_that_need_it(self):
        self.assertIn("2 headers without other.h, 1 with it", self.without(
            {"needs": self.BOTH, "one": "inline int one = 1;", "two": '#include "one.hpp"'})[0])

    def test_notices_who_reads_it_and_does_not_say_so(self):
        self.refused("what does not need other.h does not compile", self.without,
                     {"needs": self.BOTH, "one": self.READS})

    def test_notices_who_reads_it_by_another(self):
        self.refused("what does not need other.h does not compile", self.without,
                     {"needs": self.BOTH, "one": '#include "needs.hpp"'})

    def test_notices_who_does_not_read_it(self):
        self.refused("does not read it", self.without, {"needs": self.NEEDS})
        self.refused("no header says", self.without, {"one": "inline int one = 1;"})


class Hostile(HeaderCase):
    def hostile(self, text):
        return header.hostile(settings, [self.file("g.hpp", self.GUARDED.format("", text))], ["host"])

    def test_accepts_words(self):
        self.hostile("template <class Rule, int FanOut> struct Thing {};\n#include <limits>\n"
                     "inline int most = (std::numeric_limits<int>::max)();")

    def test_notices_each_kind_of_name(self):
        for text in ("template <class T> struct Thing {};", "template <int N> struct Thing {};",
                     "inline int min(int low, int high) { return low < high ? low : high; }",
                     "struct Thing { int RESERVED; };", "inline int small = 1;", "enum class Way { IN, OUT };",
                     "#include <limits>\ninline int most = std::numeric_limits<int>::max();"):
            self.refused("after vendor macros", self.hostile, text)


class Standard(Case):
    GUARD = "#if __cplusplus < 202002L\n{}\n#endif\n{}\n"
    ERROR = f'#error "{standard.SENTENCE}"'

    def refuses(self, text, name="c++17"):
        path = self.file("g.hpp", text)
        standard.refuses([settings.cxx, *settings.without_source_lines, f"-I{path.parent}"], path.name, name)

    def test_accepts_one_sentence(self):
        self.refuses(self.GUARD.format(self.ERROR, ""))

    def test_accepts_a_compiler_whose_own_standard_is_new_enough(self):
        self.refuses("", None)

    def test_notices_that_it_compiles(self):
        self.refused("compiles with -std=c++17", self.refuses, "")

    def test_notices_another_sentence(self):
        self.refused("must say first", self.refuses, self.GUARD.format("#error too old", ""))

    def test_notices_an_earlier_error(self):
        self.refused("must say first", self.refuses, "#error other\n" + self.GUARD.format(self.ERROR, ""))

    def test_notices_that_more_follows(self):
        self.refused("must say first", self.refuses, self.GUARD.format(self.ERROR, "unknown x;\n" * 10))


class Size(Case):
    def check(self, text, figures=None, cpu="cortex-m4"):
        source = self.file("case.cpp", text)
        version = common.run([settings.arm_cxx, "-dumpfullversion"]).stdout.strip()
        lines = f"# arm-none-eabi-g++ {version}\n"
        if figures is None:
            with tempfile.TemporaryDirectory() as folder:
                sizes = size.measure(settings, size.build(settings, cpu, source, folder))
            lines += size.line_of(cpu, "case", sizes)
        else:
            lines += f"{cpu} case {figures}\n"
        return size.check(settings, cpu, source, self.file("expected.txt", lines))

    PLAIN = "volatile int a = 1;\nvolatile int b;\nint main() { b = a; return b; }\n"

    def test_accepts_the_figure(self):
        for cpu in size.CPUS:
            self.check(self.PLAIN, None, cpu)

    def test_notices_growth_of_each_part(self):
        self.refused(".text grew", self.check, self.PLAIN, "4 4 4")
        self.refused(".data grew", self.check, self.PLAIN, "1000 0 4")
        self.refused(".bss grew", self.check, self.PLAIN, "1000 4 0")

    def test_says_that_it_shrank(self):
        self.assertIn("update the figure", " ".join(self.check(self.PLAIN, "1000 4 4")))

    def test_wants_a_figure(self):
        self.refused("add this line", size.check, settings, "cortex-m4", self.file("case.cpp", self.PLAIN),
                     self.file("expected.txt", ""))

    def test_notices_what_firmware_must_not_hold(self):
        for what, text in {
            "the heap": "void* operator new(unsigned int);\nextern \"C\" void* malloc(unsigned int);\n"
                        "extern \"C\" void* _sbrk(int) { return nullptr; }\nint main() { return malloc(4) != nullptr; }",
            "destruction at exit": "struct Late { ~Late(); };\nvolatile int gone;\nLate::~Late() { gone = 1; }\n"
                                   "extern \"C\" int __aeabi_atexit(void*, void (*)(void*), void*) { return 0; }\n"
                                   "void* __dso_handle;\nLate late;\nint main() { return 0; }",
            "software floating point": "volatile double a = 1;\nint main() { a = a * a; return 0; }",
            "64-bit division": "volatile long long a = 1;\nint main() { a = a / a; return 0; }",
        }.items():
            self.refused(what, self.check, text, "9999 9999 9999", "arm968e-s")
        self.refused("software floating point", self.check, "volatile float a = 1;\nvolatile int b;\n"
                     "int main() { b = static_cast<int>(a + 1.0f); return 0; }", "9999 9999 9999")

    def test_notices_static_constructors(self):
        self.refused("static constructors", self.check, "volatile int a = 1;\nint b = a;\nint main() { return b; }",
                     "9999 9999 9999")


class Single(Case):
    GUARDED = "// SPDX-License-Identifier: BSL-1.0\n/// \\file\n/// {0}\n#ifndef {0}_HPP\n#define {0}_HPP\n{1}\n#endif\n"

    def tree(self, **files):
        files.setdefault("config", "#define NEUROMORPH_VERSION_MAJOR 1\n#define NEUROMORPH_VERSION_MINOR 2\n"
                                   "#define NEUROMORPH_VERSION_PATCH 3")
        for name, text in files.items():
            includes = text.replace("@", "#include <neuromorph/")
            self.file(f"neuromorph/{name}.hpp", self.GUARDED.format(name.upper(), includes))
        return single_header.single_header(self.folder.name)

    def values(self, text, *flags):
        result = common.run([settings.cxx, "-std=c++20", *flags, "-E", "-P", "-x", "c++", "-"], input=text)
        self.assertEqual(result.returncode, 0, result.stdout)
        return [line for line in result.stdout.splitlines() if line.startswith("own ")]

    def test_each_file_once(self):
        text = self.tree(neuromorph="@config.hpp>\n@a.hpp>\n@b.hpp>", a="@config.hpp>\nown a", b="@a.hpp>\nown b")
        self.assertEqual(self.values(text), ["own a", "own b"])
        self.assertEqual(text.count("own a"), 1)
        self.assertIn("neuromorph 1.2.3", text)
        self.assertEqual(text.count("SPDX"), 1)

    def test_branches_are_expanded_each(self):
        text = self.tree(neuromorph="@config.hpp>\n@native.hpp>\n@after.hpp>",
                         native="#if defined(FAST)\n@fast.hpp>\n#elif defined(FASTER)\n@faster.hpp>\n#else\n@base.hpp>\n#endif",
                         fast="#ifndef FAST\n#error no\n#endif\n@base.hpp>\nown fast", faster="@fast_base.hpp>\nown faster",
                         fast_base="@base.hpp>\nown fast_base", base="own base", after="@base.hpp>\nown after")
        self.assertEqual(self.values(text), ["own base", "own after"])
        self.assertEqual(self.values(text, "-DFAST"), ["own base", "own fast", "own after"])
        self.assertEqual(self.values(text, "-DFASTER"), ["own base", "own fast_base", "own faster", "own after"])

    def test_what_branches_share_stands_once(self):
        text = self.tree(neuromorph="@config.hpp>\n@native.hpp>",
                         native="#if defined(A)\n@a.hpp>\n#elif defined(B)\n@b.hpp>\n#elif defined(C)\n@c.hpp>\n#endif",
                         a="@x.hpp>\n@y.hpp>\nown a", b="own b", c="@x.hpp>\n@y.hpp>\nown c", x="own x", y="own y")
        self.assertEqual([text.count(f"own {name}") for name in "abcxy"], [1] * 5)
        for flags, wanted in ((["-DA", "-DC"], "xya"), (["-DB", "-DC"], "b"), (["-DC"], "xyc"), ([], "")):
            self.assertEqual(self.values(text, *flags), [f"own {name}" for name in wanted])

    def test_refuses_orders_that_contradict_each_other(self):
        with self.assertRaises(SystemExit):
            self.tree(neuromorph="@config.hpp>\n@native.hpp>",
                      native="#if defined(A)\n@x.hpp>\n@y.hpp>\n#else\n@y.hpp>\n@x.hpp>\n#endif", x="own x", y="own y")

    def test_what_came_before_a_branch_is_not_repeated_in_it(self):
        text = self.tree(neuromorph="@config.hpp>\n@base.hpp>\n@native.hpp>",
                         native="#if defined(FAST)\n@base.hpp>\nown fast\n#endif", base="own base")
        self.assertEqual(text.count("own base"), 1)
        self.assertEqual(self.values(text, "-DFAST"), ["own base", "own fast"])

    def test_std_headers_once_unless_in_a_branch(self):
        text = self.tree(neuromorph="@config.hpp>\n#include <cstdint>\n@a.hpp>",
                         a="#include <cstdint> // words\n#if defined(FAST)\n#include <immintrin.h>\n#endif")
        self.assertEqual(text.count("#include <cstdint>"), 1)
        self.assertLess(text.index("#if defined(FAST)"), text.index("immintrin"))

    def test_refuses_what_it_cannot_expand(self):
        for files in ({"neuromorph": "@gone.hpp>"}, {"neuromorph": "#include \"a.hpp\""},
                      {"neuromorph": "@a.hpp>", "a": "@neuromorph.hpp>"}):
            with self.assertRaises(SystemExit):
                self.tree(**files)


class Docs(Case):
    PAGE = "# Page\n```cpp fragment\nint x;\n```\n```cpp\nint main() { return x; }\n```\n```sh\nint main\n```\n" \
           "```cpp host-only\nint main() { return 0; }\n```\n```cpp\nint main() { return 1; }\n```\n"

    def extract(self, machine):
        return docs.extract(machine, Path(self.folder.name) / "out", [self.file("page.md", self.PAGE)])

    def text(self, name):
        return Path(self.folder.name, "out", f"{name}.cpp")

    def test_takes_programs_only_and_names_their_lines(self):
        self.assertEqual(self.extract("host"), ["page_1", "page_2", "page_3"])
        self.assertEqual(self.text("page_1").read_text(), '#line 6 "page.md"\nint main() { return x; }\n')
        self.assertEqual(self.text("page_2").read_text(), '#line 12 "page.md"\nint main() { return 0; }\n')

    def test_leaves_to_the_host_what_is_marked_and_keeps_the_numbers(self):
        self.assertEqual(self.extract("board"), ["page_1", "page_3"])
        self.assertIn("return 1", self.text("page_3").read_text())

    def test_leaves_unchanged_programs_alone(self):
        self.extract("host")
        before = self.text("page_1").stat().st_mtime_ns
        self.extract("host")
        self.assertEqual(self.text("page_1").stat().st_mtime_ns, before)


class Pages(Case):
    TABLE = "| a | b |\n|---|---|\n| 1 | 2.5 |"

    def test_finds_tables(self):
        self.assertEqual(pages.tables(f"text\n{self.TABLE}\n\n{self.TABLE}\nmore | bars"), [self.TABLE, self.TABLE])

    def test_notices_another_figure_a_row_more_or_less_and_no_table(self):
        page = f"# Page\n\n{self.TABLE}\n\nText.\n"
        self.assertEqual(pages.differences(page, f"said before\n\n{self.TABLE}\n"), [])
        for printed in (self.TABLE.replace("2.5", "2.6"), f"{self.TABLE}\n| 3 | 4 |", self.TABLE.rsplit("\n", 1)[0]):
            self.assertEqual(len(pages.differences(page, printed)), 1)
        self.assertEqual(len(pages.differences(page, "nothing")), 1)
        self.assertEqual(len(pages.differences("", f"{self.TABLE}\n\n{self.TABLE}")), 2)


class Mutants(Case):
    """What tests/mutants writes, compiled and run with each change."""

    def outcomes(self, code, main):
        """{change: exit status} of a header and a program that calls it; "" is none."""
        header = rewriter.Header("case.hpp", code)
        mutants = header.find()
        for number, mutant in enumerate(mutants, 1):
            mutant.number = number
        self.file("case.hpp", header.written())
        source = self.file("main.cpp", '#include "case.hpp"\n' + main)
        program = Path(self.folder.name) / "program"
        built = common.run([settings.cxx, "-std=c++20", "-O1", "-w", "-Wno-narrowing", "-include",
                            common.ROOT / "tests/mutation/mutants.hpp", f"-I{self.folder.name}", source, "-o", program])
        self.assertEqual(built.returncode, 0, built.stdout)
        statuses = {"": 0, **{mutant.change: mutant.number for mutant in mutants}}
        return {change: common.run(["env", f"NEUROMORPH_MUTANT={number}", "NEUROMORPH_MUTANT_MS=500", program]).returncode
                for change, number in statuses.items()}

    def test_each_change_is_the_one_that_its_name_says(self):
        outcomes = self.outcomes(
            "constexpr int limit = 7;\n"
            "inline int sum;\n"
            "inline bool leaves(int a) {\n  if (a > limit) return true;\n  sum += 2 * a;\n  return false;\n}\n"
            "inline bool both(bool a, bool b) { return a && !b; }\n",
            "int main() { return !leaves(8) || leaves(7) || leaves(7) || sum != 28 || !both(true, false) ||\n"
            "both(false, false) || both(true, true) ? 1 : 0; }\n")
        self.assertEqual(outcomes.pop(""), 0)
        self.assertEqual(set(outcomes.values()), {1}, outcomes)
        self.assertEqual(set(outcomes), {
            "never 'a > limit'", "'>' to '>='", "'>' to '<='", "'limit' to 'limit + 1'", "'limit' to 'limit - 1'",
            "without 'sum += 2 * a'", "'+=' to '-='", "'2' to '2 + 1'", "'2' to '2 - 1'", "'*' to '+'",
            "without 'a'", "without '!b'", "'&&' to '||'", "'!b' the other way round"})

    def test_leaves_constants_alone(self):
        header = rewriter.Header("case.hpp", """
template <int A = 1 + 2>
class Thing {
  static constexpr int most = A * 3 + 1;
  static_assert(most > 2 && A < 5);
  using Other = Array<int, (A > 1 ? A : 1)>;
  enum class Kind { one = 1, two = 2 };

public:
  explicit constexpr Thing(int a) noexcept requires(A > 2) : a_{} {}
  void run() {
    if constexpr (sizeof(int[A + 1]) > 2) return;
    constexpr auto table = make<A + 1>(3);
    if (std::is_constant_evaluated()) return (void)(a_ + 1);
    if (std::is_constant_evaluated()) {
      if (a_ > 1) a_ += 2;
    }
  }
  static consteval int never() { return 1 + 2; }
  static constexpr int all = [] {
    int sum = 0;
    for (int i = 0; i < A; ++i) sum += i;
    return sum;
  }();
  int a_;
};
template <class Type>
concept Good = requires(Type value) {
  { value + 1 } -> Same<int>;
} && sizeof(Type) < 9;
""")
        self.assertEqual([str(mutant) for mutant in header.find()], [])

    def test_a_lambda_that_is_kept_is_not_called_for_its_constant(self):
        outcomes = self.outcomes("constexpr auto next = [](int a) {\n  return a + 1;\n};\n",
                                 "int main(int words, char**) { return next(words) != 2; }\n")
        self.assertEqual(outcomes.pop(""), 0)
        self.assertEqual(set(outcomes), {"'+' to '-'", "'1' to '1 + 1'", "'1' to '1 - 1'"})

    def test_a_constant_ends_with_its_function_and_a_called_lambda_is_no_statement(self):
        outcomes = self.outcomes(
            "constexpr int most = 5;\n"
            "inline int half(int limit) {\n  return limit / 2;\n}\n"
            "inline int f(int a) {\n  constexpr int limit = 3;\n"
            "  const int b = [&] {\n    return a < most ? a : limit;\n  }();\n  return b;\n}\n",
            "int main() { return half(8) != 4 || f(4) != 4 || f(5) != 3; }\n")
        self.assertEqual(outcomes.pop(""), 0)
        self.assertEqual(set(outcomes), {
            "'/' to '*'", "'2' to '2 + 1'", "'2' to '2 - 1'", "'<' to '<='", "'<' to '>='", "'most' to 'most + 1'",
            "'most' to 'most - 1'", "'limit' to 'limit + 1'", "'limit' to 'limit - 1'"})
        self.assertEqual(set(outcomes.values()), {1}, outcomes)

    def test_keeps_lines_and_text(self):
        code = "inline int f(int a) {\n  int b = 0; // 'one\n  if (a < 1 || a == '1') b = a << 2;\n  return b;\n}\n"
        header = rewriter.Header("case.hpp", code)
        mutants = header.find()
        for number, mutant in enumerate(mutants, 1):
            mutant.number = number
        self.assertEqual(header.written(set(mutants)), code)
        self.assertEqual(header.written().count("\n"), code.count("\n"))
        self.assertEqual({mutant.line for mutant in mutants}, {2, 3})

    def test_each_number_is_one_change(self):
        """Two changes at once can cancel."""
        outcomes = self.outcomes("inline bool f(int a) { return a != 0; }\ninline int g(int a) { return a - 1 + a; }\n",
                                 "int main() { return !f(0) && f(1) && f(2) && g(5) == 9 ? 0 : 1; }\n")
        self.assertEqual(outcomes.pop(""), 0)
        self.assertEqual(set(outcomes.values()), {1}, outcomes)
        self.assertEqual(len(outcomes), 7)

    def test_an_endless_loop_ends(self):
        outcomes = self.outcomes("inline int f(int a) { int n = 0; while (a != 0) { a = 0; ++n; } return n; }\n",
                                 "int main() { return f(3) == 1 ? 0 : 1; }\n")
        self.assertEqual(outcomes[""], 0)
        self.assertNotIn(outcomes["without 'a = 0'"], (0, 1))

    def test_original_in_constants(self):
        outcomes = self.outcomes("constexpr int f(int a) { return a + 1; }\n",
                                 "constexpr int always = f(1);\nint main() { return always == 2 ? 0 : 1; }\n")
        self.assertEqual(set(outcomes.values()), {0})


    def test_interval_of_a_sample(self):
        low, high = program("mutants").wilson(36, 40)  # by hand, from Wilson's formula
        self.assertAlmostEqual(low, 0.7695, 3)
        self.assertAlmostEqual(high, 0.9604, 3)

    def test_reads_explanations_and_wants_them_whole(self):
        mutants = program("mutants")
        path = self.file("explained.txt", "# words\na/b.hpp: if (a  <  b) return;\n  '<' to '<=' => they never meet\n")
        self.assertEqual(mutants.explanations(path), {("a/b.hpp", "if (a < b) return;", "'<' to '<='"): "they never meet"})
        for wrong in ("a/b.hpp: code\n  no reason\n", "  '<' to '<=' => no code\n", "no header\n"):
            with self.assertRaises(SystemExit):
                mutants.explanations(self.file("explained.txt", wrong))

    def test_a_change_that_one_program_lacks_another_may_notice(self):
        mutants = program("mutants")
        change = rewriter.Mutant("case.hpp", 1, 1, "change", "code")
        change.number = 5

        def fate(*statuses, meets=True):
            cases = [mutants.Case("program", []) for _ in statuses]
            for case, status in zip(cases, statuses):
                case.meets = frozenset([5] if meets else [4])
                case.run = lambda number, ms, status=status: (status, 1)
            return mutants.fate(change, cases)

        self.assertEqual([fate(0, 0), fate(77, 0), fate(0, 77)], ["survived", "void", "void"])
        self.assertEqual([fate(77, 1), fate(0, -14), fate(1, meets=False)], ["killed", "killed", "not reached"])

    def test_each_input_of_a_fuzz_test_is_a_case(self):
        inputs = sorted((common.ROOT / "tests/fuzz/masks").iterdir())
        cases = program("mutants").cases_of("fuzz/masks", Path("program"))
        self.assertEqual([case.arguments for case in cases], [[str(path)] for path in inputs])

    def test_drops_the_lines_the_compiler_complains_of(self):
        mutants = program("mutants")
        header = rewriter.Header("case.hpp", "inline int f(int a) {\n  a = a + 1;\n  return a + 2;\n}\n")
        header.find()
        build = mutants.Build.__new__(mutants.Build)
        build.headers, build.folder = {"case.hpp": header}, Path("/x/mutants")
        for where in ("/x/mutants/include/neuromorph/case.hpp:2:7: error: words",
                      "mutants/include/neuromorph/case.hpp:2:7:   required from here\n/x/mutants.hpp:9:1: error: words"):
            self.assertEqual({mutant.line for mutant in build.complained_of(where)}, {2})


class Coverage(Case):
    def line(self, number, count, *ways):
        branches = [{"count": way, "throw": False} for way in ways] + [{"count": 0, "throw": True}] * bool(ways)
        return {"line_number": number, "count": count, "branches": branches}

    def test_adds_up_instances(self):
        places = program("coverage").Places()
        for line in (self.line(1, 0), self.line(1, 2), self.line(2, 0), self.line(3, 4, 4, 0), self.line(3, 1, 0, 1),
                     self.line(4, 4, 4, 0), self.line(4, 2, 1, 1, 0), self.line(5, 1, 1, 0), self.line(5, 1, 1, 1, 1)):
            places.add(line)
        self.assertEqual(places.missing(), {2: "line", 4: "branch"})
        self.assertEqual(places.ways(), (2 + 3 + 3, 2 + 2 + 3))
        for line in (self.line(6, 1, 1, 0), self.line(7, 1, 1, 0, 0)):
            places.add({**line, "never": 1})
        self.assertEqual(places.missing(), {2: "line", 4: "branch", 7: "branch"})
        self.assertEqual(places.ways(), (8 + 1 + 2, 7 + 1 + 1))

    def test_reads_what_gcov_says(self):
        coverage = program("coverage")
        coverage.INCLUDE = Path(self.folder.name).resolve()
        self.file("case.hpp", "template <int A>\nint f(int a) {\n  if (a > A)\n    return 1;\n  return 0;\n}\n")
        source = self.file("main.cpp", '#include "case.hpp"\nint main() { return f<1>(0) + f<2>(1); }\n')
        common.run(["g++", "-std=c++20", "-O0", "--coverage", "-fprofile-abs-path", "-c", source, "-o",
                    Path(self.folder.name) / "main.o"])
        common.run(["g++", "--coverage", Path(self.folder.name) / "main.o", "-o", Path(self.folder.name) / "main"])
        self.assertEqual(common.run([Path(self.folder.name) / "main"]).returncode, 0)
        places = {}
        coverage.read(Path(self.folder.name) / "main.gcda", {"case.hpp"}, places)
        self.assertEqual(places["case.hpp"].missing(), {3: "branch", 4: "line"})

    def test_leaves_out_what_no_program_decides(self):
        coverage = program("coverage")
        coverage.INCLUDE = Path(self.folder.name).resolve()
        self.file("case.hpp", "#include <type_traits>\nstruct Case {\n  int a, b;\n"
                              "  friend bool operator==(const Case&, const Case&) = default;\n};\n"
                              "constexpr int f(int a) {\n  if (std::is_constant_evaluated()) return 1;\n"
                              "  if (a > 0 && !std::is_constant_evaluated()) return 2;\n  return 0;\n}\n")
        source = self.file("main.cpp", '#include "case.hpp"\n'
                                       "int main() { return Case{1, 2} == Case{1, 2} ? f(1) - 2 : 1; }\n")
        objects = Path(self.folder.name) / "main"
        common.run(["g++", "-std=c++20", "-O0", "--coverage", "-fprofile-abs-path", "-c", source, "-o", f"{objects}.o"])
        common.run(["g++", "--coverage", f"{objects}.o", "-o", objects])
        self.assertEqual(common.run([objects]).returncode, 0)
        places = {}
        coverage.read(Path(f"{objects}.gcda"), {"case.hpp"}, places)
        # Of line 8, in which a > 0 is never false, constant evaluation excuses one way alone.
        self.assertEqual(places["case.hpp"].missing(), {8: "branch", 9: "line"})

    def test_reads_generic_lambdas(self):
        coverage = program("coverage")
        coverage.INCLUDE = Path(self.folder.name).resolve()
        self.file("case.hpp", "template <class A>\nint f(A a) {\n  int n = 0;\n  const auto g = [&](auto b) {\n"
                              "    if (b > 0)\n      ++n;\n    if (b > 1)\n      ++n;\n  };\n"
                              "  g(a);\n  g(short(a));\n  return n;\n}\n")
        source = self.file("main.cpp", '#include "case.hpp"\nint main() { return f(0) + f(1u) - 2; }\n')
        objects = Path(self.folder.name) / "main"
        common.run(["g++", "-std=c++20", "-O0", "--coverage", "-fprofile-abs-path", "-c", source, "-o", f"{objects}.o"])
        common.run(["g++", "--coverage", f"{objects}.o", "-o", objects])
        self.assertEqual(common.run([objects]).returncode, 0)
        places = {}
        coverage.read(Path(f"{objects}.gcda"), {"case.hpp"}, places)
        self.assertEqual(places["case.hpp"].missing(), {7: "branch", 8: "line"})

    def test_finds_reasons(self):
        coverage = program("coverage")
        coverage.EXPLAINED = self.file("explained.txt", "# words\na.hpp: if (a)  return; => never\n"
                                                        "a.hpp: if (in_lanes()) ... => elsewhere\n")
        reasons = coverage.explanations()
        whole, start = ("a.hpp", "if (a) return;"), ("a.hpp", "if (in_lanes()) ...")
        self.assertEqual(reasons, {whole: "never", start: "elsewhere"})
        for header, code, entry in (("a.hpp", "if (a) return;", whole), ("a.hpp", "if (a) return; else", None),
                                    ("b.hpp", "if (a) return;", None), ("a.hpp", "if (in_lanes()) return 1;", start),
                                    ("a.hpp", "if (in_lanes())", start), ("a.hpp", "if (in", None)):
            self.assertEqual(coverage.reason_for(reasons, header, code), entry)


class Cppcheck(Case):
    def test_notices_a_defect_in_its_line(self):
        path = self.file("case.hpp", "struct Case {\n  [[nodiscard]] int get() const { return 1 / (a - a); }\n  int a;\n"
                                     "  int at() const {\n    int two[2] = {a, a};\n    return two[2];\n  }\n};\n")
        self.refused("case.hpp:6: error: Array 'two[2]' accessed at index 2", analyse.cppcheck, sys.argv[3], [path])

    def test_accepts_attributes(self):
        path = self.file("case.hpp", "inline int f(int a) {\n  if (a > 3) [[unlikely]]\n    for (; a > 3; --a) {}\n"
                                     "  return a;\n}\n")
        analyse.cppcheck(sys.argv[3], [path])


class ClangTidy(Case):
    def test_notices_a_defect(self):
        path = self.file("case.hpp", "inline int f(const int* p) {\n  if (p == nullptr) return *p;\n  return 0;\n}\n")
        self.refused("case.hpp:2:28: error: Dereference of null pointer", analyse.clang_tidy, sys.argv[3], [path])


if __name__ == "__main__":
    settings = Settings(sys.argv[1])
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(globals()[sys.argv[2].title().replace("_", "")])
    sys.exit(0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1)
