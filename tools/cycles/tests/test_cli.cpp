// SPDX-License-Identifier: BSL-1.0
#include "tests/support/catch.hpp"
#include <fstream>

#include "support.hpp"

namespace {

using Catch::Contains;
using test::cycles::Core;

std::string firmware() { return test::assemble("cli", Core::arm9e, test::fixture("lif.s")); }

} // namespace

TEST_CASE("cli: help and rules", "[cli]") {
  auto const help = test::shell("--help");
  CHECK(help.status == 0);
  CHECK_THAT(help.out, Contains("usage: neuromorph-cycles"));
  auto const rules = test::shell("--rules");
  CHECK(rules.status == 0);
  CHECK_THAT(rules.out, Contains("| a9-load-use |"));
}

TEST_CASE("cli: a table with cycles per item", "[cli]") {
  auto const result = test::shell("--function update --items update=32 " + firmware());
  CHECK(result.status == 0);
  CHECK(result.err == "");
  CHECK_THAT(result.out, Contains("lif ") && Contains("12.983") && Contains("update"));
}

TEST_CASE("cli: JSON and listing, to files and to standard output", "[cli]") {
  std::string const json = NEUROMORPH_CYCLES_SCRATCH "/cli.json";
  std::string const listing = NEUROMORPH_CYCLES_SCRATCH "/cli.lst";
  auto const result =
      test::shell("--quiet --json " + json + " --listing " + listing + " --listing-of update " + firmware());
  CHECK(result.status == 0);
  CHECK(result.out == "");
  CHECK_THAT(test::read_file(json), Contains("\"core\": \"arm968e-s\"") && Contains("\"per_item\": 12.983500"));
  CHECK_THAT(test::read_file(listing), Contains("update:") && Contains("smlawt") && !Contains("special:"));
  auto const standard = test::shell("--json - " + firmware());
  CHECK(standard.out.substr(0, 1) == "{");
  // The same to the last byte on every run.
  CHECK(standard.out == test::shell("--json - " + firmware()).out);
}

TEST_CASE("cli: mistakes are answered by one sentence and status 2", "[cli]") {
  auto const wrong = [](std::string const& arguments) {
    auto const result = test::shell(arguments);
    CHECK(result.status == 2);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK(result.err.substr(0, 19) == "neuromorph-cycles: ");
    return result.err;
  };
  CHECK_THAT(wrong(""), Contains("which firmware?"));
  CHECK_THAT(wrong("--frobnicate x"), Contains("no option '--frobnicate'"));
  CHECK_THAT(wrong("--limit"), Contains("wants a value"));
  CHECK_THAT(wrong("--limit many x.elf"), Contains("wants a number"));
  CHECK_THAT(wrong("--core z80 x.elf"), Contains("no core 'z80'"));
  CHECK_THAT(wrong("a.elf b.elf"), Contains("one firmware at a time"));
  CHECK_THAT(wrong("nowhere.elf"), Contains("cannot read 'nowhere.elf'"));
  CHECK_THAT(wrong("--core cortex-m4 " + firmware()), Contains("built for the other core"));
  CHECK_THAT(wrong("--function nothing " + firmware()), Contains("matches 'nothing'"));
  CHECK_THAT(wrong("--interval x=a,b " + firmware()), Contains("there is no symbol 'a'"));
  CHECK_THAT(wrong("--items x=4 " + firmware()), Contains("nothing named 'x'"));
  CHECK_THAT(wrong("--entry nothing " + firmware()), Contains("no symbol 'nothing' to start at"));
  CHECK_THAT(wrong("--map nowhere.map " + firmware()), Contains("cannot read the memory map"));
  CHECK_THAT(wrong("--limit 100 " + firmware()),
             Contains("limit of 100 instructions is reached at") && Contains(" in "));
  CHECK_THAT(wrong("--json /nowhere/x.json " + firmware()), Contains("cannot write"));
}

TEST_CASE("cli: a map file changes what memory costs", "[cli]") {
  std::string const map = NEUROMORPH_CYCLES_SCRATCH "/slow.map";
  std::ofstream(map) << "# data memory with one wait\ndtcm 0x00400000 64K 1 1\n";
  auto const result = test::shell("--map " + map + " " + firmware());
  CHECK(result.status == 0);
  CHECK_THAT(result.out, Contains("read_wait") && Contains("write_wait"));
}

TEST_CASE("cli: the firmware's own failure is status 1", "[cli]") {
  auto const elf = test::assemble("fails", Core::arm9e,
                                  ".global _start\n_start: mov r0, #0x20\n adr r1, block\n svc 0x123456\n"
                                  "block: .word 0x20026, 7\n");
  auto const result = test::shell(elf);
  CHECK(result.status == 1);
  CHECK_THAT(result.err, Contains("ended with status 7"));
}
