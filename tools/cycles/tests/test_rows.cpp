// SPDX-License-Identifier: BSL-1.0
/// \file
/// Every timing rule by itself: short sequences between two labels, all rows of a core in one program.
#include "tests/support/catch.hpp"
#include <algorithm>
#include <set>

#include "rows.hpp"
#include "rules.hpp"
#include "support.hpp"

namespace {

using test::cycles::Core;

std::string program(std::span<Row const> rows, Core core, bool thumb) {
  bool const m = core == Core::cortex_m4;
  std::string text = ".syntax unified\n.text\n.global _start\n.type _start, %function\n";
  text += m ? ".thumb\n.thumb_func\n" : ".arm\n";
  text += "_start:\n";
  if (thumb && !m) { text += " adr r0, rows_begin + 1\n bx r0\n.thumb\n"; }
  text += "rows_begin:\n";
  if (m) { text += " ldr r0, =0xe000ed88\n ldr r1, =0x00f00000\n str r1, [r0]\n"; }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string const name = "row_" + std::to_string(i);
    text += " ldr r0, =first\n ldr r1, =second\n movs r2, #4\n movs r4, #0\n movs r5, #5\n movs r6, #6\n"
            " movs r7, #7\n";
    if (!thumb || m) { text += " mov r8, #8\n mov r9, #9\n"; }
    text += std::string(" ") + rows[i].before + "\n nop\n nop\n nop\n nop\n";
    // Alignment keeps adr of the end label exact in Thumb state; a nop in front keeps it unmeasured.
    text += ".balign 4\n" + name + "__begin:\n " + rows[i].sequence + "\n" + name +
            "__end:\n nop\n nop\n b 9f\n .ltorg\n"
            ".balign 4\n9:\n";
  }
  text += m ? " movs r0, #0x18\n ldr r1, =0x20026\n bkpt 0xab\n"
            : (thumb ? " movs r0, #0x18\n ldr r1, =0x20026\n svc 0xab\n"
                     : " mov r0, #0x18\n ldr r1, =0x20026\n svc 0x123456\n");
  text += ".ltorg\n.balign 8\nscratch: .word 0, 0, 0, 0\n";
  return text + ".data\n.balign 8\nfirst: .space 256\nsecond: .space 256\n";
}

void check(std::string const& name, std::span<Row const> rows, Core core, bool thumb) {
  auto const outcome = test::run({.elf = test::assemble(name, core, program(rows, core, thumb))});
  REQUIRE(outcome.failure == "");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const& measure = outcome["row_" + std::to_string(i)];
    INFO(rows[i].rule << ": " << rows[i].before << " | " << rows[i].sequence);
    REQUIRE(measure.count == 1);
    CHECK(measure.min == rows[i].cycles);
    std::uint64_t sum = measure.total.instructions;
    for (auto const stall : measure.total.stall) { sum += stall; }
    CHECK(sum == measure.total.cycles);
  }
}

} // namespace

TEST_CASE("rows: ARM9E-S, ARM state", "[rows]") { check("rows_arm9e", rows_arm9e(), Core::arm9e, false); }

TEST_CASE("rows: ARM9E-S, Thumb state", "[rows]") { check("rows_thumb", rows_arm9e_thumb(), Core::arm9e, true); }

TEST_CASE("rows: Cortex-M4", "[rows]") { check("rows_m4", rows_cortex_m4(), Core::cortex_m4, true); }

TEST_CASE("rows: every rule has one, every row a rule", "[rows]") {
  // Rules of exceptions need more than a row: test_interrupts.cpp.
  std::set<std::string> tested = {"a9-exception", "m4-exception", "m4-tail-chain"};
  for (auto const rows : {rows_arm9e(), rows_arm9e_thumb(), rows_cortex_m4()}) {
    for (Row const& row : rows) { tested.insert(row.rule); }
  }
  std::set<std::string> known;
  for (auto const& rule : test::cycles::rules()) { known.emplace(rule.id); }
  CHECK(tested == known);
}

TEST_CASE("rows: the documentation page holds the rule table as it is", "[rows]") {
  std::string const page = test::read_file(NEUROMORPH_CYCLES_PAGE);
  CHECK(page.find(test::cycles::rules_table()) != std::string::npos);
}

TEST_CASE("rows: code in SDRAM waits for each word fetched", "[rows]") {
  std::string const text = R"(.syntax unified
.arm
.global _start
_start: ldr pc, =far
 .ltorg
.section .far, "ax"
far:
x__begin: nop
 nop
x__end: nop
 adr r0, 1f + 1
 bx r0
.thumb
1: nop
 nop
y__begin: nop
 nop
 nop
 nop
y__end: nop
 movs r0, #0x18
 ldr r1, =0x20026
 svc 0xab
)";
  auto const outcome =
      test::run({.elf = test::assemble("fetch", Core::arm9e, text, "--section-start=.far=0x60000000")});
  REQUIRE(outcome.failure == "");
  CHECK(outcome["x"].min == 2 * 21);
  // Two Thumb instructions share a word.
  CHECK(outcome["y"].min == 4 + 2 * 20);
}
