// SPDX-License-Identifier: BSL-1.0
#include "tests/support/catch.hpp"

#include <random>

#include "support.hpp"
#include "tests/support/seeds.hpp"

namespace {

using test::cycles::Core;

constexpr char const* program = R"(.syntax unified
.arm
.global _start
.type _start, %function
_start: ldr sp, =0x00408000
 mov r0, #3
 bl climb
 mov r0, #1
 bl leaf
 mov r4, #4
again: nop
inner__begin: add r5, r5, #1
 mul r6, r5, r5
inner__end: subs r4, r4, #1
done: bne again
 mov r0, #0x18
 ldr r1, =0x20026
 svc 0x123456
 .ltorg
.size _start, . - _start
.type climb, %function
climb: push {r4, lr}
 subs r0, r0, #1
 blne climb
 pop {r4, pc}
.size climb, . - climb
.type leaf, %function
leaf: subs r0, r0, #1
 bpl leaf
 bx lr
.size leaf, . - leaf
inner__items = 2
)";

} // namespace

TEST_CASE("measures: functions are inclusive, recursion counts each call", "[measures]") {
  auto const outcome = test::run({.elf = test::assemble("measures", Core::arm9e, program),
                                  .functions = {"climb", "l*f"},
                                  .intervals = {"loop=again,done", "late=_start+4,done"}});
  REQUIRE(outcome.failure == "");
  auto const& climb = outcome["climb"];
  // push 2, subs 1, blne 1 or 3, pop 6; the innermost: 10, each level above 12 more.
  CHECK(climb.count == 3);
  CHECK(climb.min == 10);
  CHECK(climb.max == 10 + 12 + 12);
  CHECK(outcome["leaf"].count == 1);
  // A loop back to the first instruction is no call: taken once, then not, then bx.
  CHECK(outcome["leaf"].min == 4 + 2 + 3);
}

TEST_CASE("measures: regions and intervals, with divisor", "[measures]") {
  auto const outcome = test::run({.elf = test::assemble("measures", Core::arm9e, program),
                                  .intervals = {"loop=again,done", "late=_start+4,done"}});
  REQUIRE(outcome.failure == "");
  CHECK(outcome["inner"].count == 4);
  CHECK(outcome["inner"].min == 3);
  CHECK(outcome["inner"].items == 2);
  CHECK(outcome["inner"].per_item() == Approx(1.5));
  CHECK(outcome["inner"].total.instructions == 8);
  CHECK(outcome["loop"].count == 4);
  CHECK(outcome["loop"].min == 5);
  CHECK(outcome["late"].count == 1);
}

TEST_CASE("measures: a function called directly, with arguments", "[measures]") {
  test::cycles::Setup setup;
  setup.entry = "climb";
  setup.arguments = {2};
  auto const outcome =
      test::run({.elf = test::assemble("measures", Core::arm9e, program), .setup = setup, .functions = {"climb"}});
  REQUIRE(outcome.failure == "");
  CHECK(outcome["climb"].max == 22);
  CHECK(outcome.total.cycles == 22);
}

TEST_CASE("measures: code that is written over is decoded again", "[measures]") {
  auto const outcome = test::run({.elf = test::assemble("rewritten", Core::arm9e, R"(.syntax unified
.arm
.global _start
_start: mov r4, #2
again:
x__begin:
patch: nop
x__end: adr r0, patch
 ldr r1, =0xe0000594
 str r1, [r0]
 subs r4, r4, #1
 bne again
 mov r0, #0x18
 ldr r1, =0x20026
 svc 0x123456
)")});
  REQUIRE(outcome.failure == "");
  // First a NOP, then MUL r0, r4, r5.
  CHECK(outcome["x"].min == 1);
  CHECK(outcome["x"].max == 2);
  CHECK(outcome["x"].count == 2);
  CHECK(outcome["x"].quantile(0.5) == 1);
  CHECK(outcome["x"].quantile(0.51) == 2);
}

TEST_CASE("measures: code that is written over again and again is decoded each time", "[measures]") {
  // Reached by a branch, `jumped` is NOP and MUL r0, r4, r5 in turns; `passed`, reached from above, is MUL and NOP.
  auto const outcome = test::run({.elf = test::assemble("alternating", Core::arm9e, R"(.syntax unified
.arm
.global _start
_start: mov r4, #10
 adr r7, jumped
 adr r6, passed
 ldr r2, =0xe0000594 ^ 0xe1a00000
 b jumped
again:
a__begin:
jumped: .word 0xe1a00000
a__end: nop
b__begin:
passed: .word 0xe0000594
b__end: ldr r1, [r7]
 eor r1, r1, r2
 str r1, [r7]
 ldr r1, [r6]
 eor r1, r1, r2
 str r1, [r6]
 subs r4, r4, #1
 bne again
 mov r0, #0x18
 ldr r1, =0x20026
 svc 0x123456
)")});
  REQUIRE(outcome.failure == "");
  for (auto const* const name : {"a", "b"}) {
    CAPTURE(name);
    CHECK(outcome[name].passes == std::map<std::uint64_t, std::uint64_t>{{1, 5}, {2, 5}});
  }
}

TEST_CASE("measures: without a listing the cycles are the same", "[measures]") {
  // Only for a listing does the counter ask whether an instruction that takes one cycle either way is executed. The
  // program waits for loads, products and QADD in each role, conditionally and not.
  constexpr char const* conditions[] = {"", "eq", "ne", "cs", "lt", "gt", "le", "mi"};
  constexpr char const* shapes[] = {"add{} r%, r%, r%",         "mov{} r%, r%",        "orr{} r%, r%, r%, lsl #3",
                                    "ldr{} r%, [r8]",           "ldrb{} r%, [r8]",     "mul{} r%, r9, r%",
                                    "qadd{} r%, r%, r%",        "str{} r%, [r8]",      "subs{} r%, r%, #1",
                                    "add{} r%, r%, r%, lsr r%", "smulbb{} r%, r%, r%", "cmp{} r%, r%"};
  for (std::uint32_t const seed : Seeds(3)) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::string text = ".syntax unified\n.arm\n.global _start\n_start: ldr r8, =0x00400000\n mov r9, #5\n";
    for (unsigned at = 0; at < 4000; ++at) {
      std::string line = shapes[random() % std::size(shapes)];
      line.replace(line.find("{}"), 2, conditions[random() % std::size(conditions)]);
      for (auto place = line.find('%'); place != std::string::npos; place = line.find('%')) {
        line.replace(place, 1, std::to_string(random() % 4));
      }
      text += line + "\n" + (at % 500 == 499 ? " b 1f\n .ltorg\n1:\n" : "");
    }
    text += " mov r0, #0x18\n ldr r1, =0x20026\n svc 0x123456\n";
    test::Request request{.elf = test::assemble("either_way" + std::to_string(seed), Core::arm9e, text)};
    auto const with = test::run(request);
    request.setup.listing = false;
    auto const without = test::run(request);
    REQUIRE(with.failure == "");
    REQUIRE(without.failure == "");
    CHECK(with.total.stall[static_cast<std::size_t>(test::cycles::Cause::narrow_load)] > 80);
    CHECK(without.total.cycles == with.total.cycles);
    CHECK(without.total.instructions == with.total.instructions);
    CHECK(without.total.stall == with.total.stall);
  }
}

TEST_CASE("measures: the listing shows where the stalls are", "[measures]") {
  auto const outcome = test::run({.elf = test::assemble("listing", Core::arm9e, R"(.syntax unified
.arm
.global _start
_start: ldr r0, =0x400000
 ldr r1, [r0]
 add r2, r1, #1
 cmp r0, r0
 addne r2, r2, #1
 mov r0, #0x18
 ldr r1, =0x20026
 svc 0x123456
)")});
  CHECK_THAT(outcome.listing, Catch::Contains("add r2, r1, #1                       load 1.00\n"));
  CHECK_THAT(outcome.listing, Catch::Contains("addne r2, r2, #1                     failed 1.00\n"));
}

TEST_CASE("measures: patterns", "[measures]") {
  using test::cycles::glob_matches;
  CHECK(glob_matches("*", ""));
  CHECK(glob_matches("a*c?", "abbbcd"));
  CHECK_FALSE(glob_matches("a*c?", "abbbc"));
  CHECK(glob_matches("_ZN*lif*", "_ZN3lif4stepEv"));
  CHECK_FALSE(glob_matches("", "a"));
}
