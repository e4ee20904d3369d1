# SPDX-License-Identifier: BSL-1.0
"""self_test.<check>: each check notices what it is there to notice.

usage: self_test.py SETTINGS fail|header|hostile|standard|size|single|docs
"""

import sys
import tempfile
import unittest
from pathlib import Path

import common
import docs
import fail
import header
import pages
import size
import standard
from common import Failure, Settings

sys.path.insert(0, str(common.ROOT / "tools"))
import single_header  # noqa: E402

settings = None


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


class Hostile(HeaderCase):
    def hostile(self, text):
        return header.hostile(settings, self.file("g.hpp", self.GUARDED.format("", text)), ["host"])

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


if __name__ == "__main__":
    settings = Settings(sys.argv[1])
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(globals()[sys.argv[2].title()])
    sys.exit(0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1)
