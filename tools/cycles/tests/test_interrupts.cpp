// SPDX-License-Identifier: BSL-1.0
/// \file
/// Timers and exceptions: firmware runs as on a chip, and what they cost is in the account.
#include "tests/support/catch.hpp"

#include "support.hpp"

namespace {

using test::cycles::Cause;
using test::cycles::Core;

std::uint64_t spent(test::Outcome const& outcome, Cause cause) {
  return outcome.total.stall[static_cast<std::size_t>(cause)];
}

// [a9-exception]
constexpr char const* arm_timer = R"(.syntax unified
.arm
.global _start
_start: b reset
 b .
 b .
 b .
 b .
 nop
 b tick
 b .
.type reset, %function
reset: msr cpsr_c, #0xd2
 ldr sp, =0x00401000
 msr cpsr_c, #0xd3
 ldr r0, =0x21000000
 ldr r1, =1000
 str r1, [r0]
 mov r1, #0xe2
 str r1, [r0, #8]
 ldr r4, =result
 msr cpsr_c, #0x53
WAIT
 ldr r0, [r4]
 cmp r0, #5
 blt wait
 msr cpsr_c, #0xd3
 mrs r5, cpsr
 str r5, [r4, #4]
 str sp, [r4, #8]
 mov r0, #0x18
 ldr r1, =0x20026
 svc 0x123456
 .ltorg
.type tick, %function
tick: push {r0, r1}
 ldr r0, =0x21000000
 str r0, [r0, #0x0c]
 ldr r0, =result
 ldr r1, [r0]
 add r1, r1, #1
 str r1, [r0]
 pop {r0, r1}
 subs pc, lr, #4
.size tick, . - tick
 .ltorg
.data
result: .word 0, 0, 0
)";

std::string with_wait(std::string text, std::string const& wait) {
  text.replace(text.find("WAIT"), 4, wait);
  return text;
}

} // namespace

TEST_CASE("interrupts: ARM9 timer, IRQ at 0x18, banked registers", "[interrupts]") {
  test::cycles::Setup setup;
  setup.stack = 0x00408000;
  auto const outcome = test::run({.elf = test::assemble("arm_timer", Core::arm9e, with_wait(arm_timer, "wait: nop")),
                                  .setup = setup,
                                  .functions = {"tick"},
                                  .result_words = 3});
  REQUIRE(outcome.failure == "");
  CHECK(outcome.words[0] == 5);
  CHECK((outcome.words[1] & 0x1f) == 0x13);
  CHECK(outcome.words[2] == 0x00408000);
  CHECK(outcome.exceptions == 5);
  CHECK(spent(outcome, Cause::exception) == 5 * 3);
  // Five periods and the way to the end.
  CHECK(outcome.total.cycles > 5000);
  CHECK(outcome.total.cycles < 5100);
  // push 2, mov 1, str 1, ldr of a literal in the instruction memory 2, ldr 1 behind it 2; add behind that 2, str 1,
  // pop 2, subs pc 3.
  CHECK(outcome["tick"].count == 5);
  CHECK(outcome["tick"].min == outcome["tick"].max);
  CHECK(outcome["tick"].min == 2 + 1 + 1 + 2 + 2 + 2 + 1 + 2 + 3);
}

TEST_CASE("interrupts: ARM9 sleeps until the timer", "[interrupts]") {
  auto const elf = test::assemble("arm_sleep", Core::arm9e, with_wait(arm_timer, "wait: mcr p15, 0, r0, c7, c0, 4"));
  auto const outcome = test::run({.elf = elf, .result_words = 1});
  REQUIRE(outcome.failure == "");
  CHECK(outcome.words[0] == 5);
  CHECK(spent(outcome, Cause::idle) > 4700);
  CHECK(outcome.total.cycles < 5100);
  // The same to the last cycle on every run.
  CHECK(test::run({.elf = elf}).total.cycles == outcome.total.cycles);
}

TEST_CASE("interrupts: Thumb code is interrupted by an ARM handler and goes on in Thumb state", "[interrupts]") {
  std::string const wait =
      "wait: adr r6, 2f + 1\n bx r6\n.thumb\n2: movs r7, #200\n3: subs r7, #1\n bne 3b\n adr r6, 4f\n bx r6\n"
      ".balign 4\n.arm\n4:";
  auto const outcome =
      test::run({.elf = test::assemble("thumb_timer", Core::arm9e, with_wait(arm_timer, wait)), .result_words = 2});
  REQUIRE(outcome.failure == "");
  CHECK(outcome.words[0] == 5);
  CHECK((outcome.words[1] & 0x3f) == 0x13);
  CHECK(outcome.total.cycles < 6000);
}

TEST_CASE("interrupts: a measured stretch can leave exceptions out", "[interrupts]") {
  std::string const wait = "wait: ldr r6, =1500\nloop__begin: nop\n1: subs r6, r6, #1\n bne 1b\nloop__end: nop";
  auto const elf = test::assemble("arm_exclude", Core::arm9e, with_wait(arm_timer, wait));
  auto const with = test::run({.elf = elf});
  auto const without = test::run({.elf = elf, .without_interrupts = true});
  REQUIRE(with.failure == "");
  CHECK(with["loop"].min > without["loop"].min);
  CHECK(without["loop"].min == without["loop"].max);
}

TEST_CASE("interrupts: ARM9 supervisor call that is not semihosting", "[interrupts]") {
  auto const outcome = test::run({.elf = test::assemble("arm_svc", Core::arm9e, R"(.syntax unified
.arm
.global _start
_start: b reset
 b .
 b handler
reset: ldr sp, =0x00408000
 msr cpsr_c, #0x5f
 ldr sp, =0x00407000
 mov r0, #7
 svc 0x42
 ldr r1, =result
 str r0, [r1]
 mov r0, #0x18
 ldr r1, =0x20026
 svc 0x123456
handler: ldr r1, [lr, #-4]
 bic r1, r1, #0xff000000
 add r0, r0, r1
 movs pc, lr
.data
result: .word 0
)"),
                                  .result_words = 1});
  REQUIRE(outcome.failure == "");
  CHECK(outcome.words[0] == 0x49);
}

namespace {

// [m4-exception, m4-tail-chain]
constexpr char const* m4_timer = R"(.syntax unified
.thumb
.cpu cortex-m4
.global _start
vectors: .word 0x20010000, _start + 1
 .rept 9
 .word 0
 .endr
 .word service + 1, 0, 0, pend + 1, tick + 1
.thumb_func
.type _start, %function
_start: ldr r0, =0xe000e010
 ldr r1, =999
 str r1, [r0, #4]
 movs r1, #0
 str r1, [r0, #8]
 movs r1, #7
 str r1, [r0]
 ldr r4, =result
1: wfi
 ldr r5, [r4]
 cmp r5, #4
 blt 1b
 cpsid i
 movs r0, #5
 cpsie i
 svc 1
 str r0, [r4, #8]
 movs r0, #0x18
 ldr r1, =0x20026
 bkpt 0xab
 .ltorg
.thumb_func
.type tick, %function
tick: ldr r0, =result
 ldr r1, [r0]
 adds r1, #1
 str r1, [r0]
 PEND
 bx lr
.size tick, . - tick
.thumb_func
.type pend, %function
pend: push {r4, lr}
 ldr r0, =result
 ldr r1, [r0, #4]
 adds r1, #1
 str r1, [r0, #4]
 pop {r4, pc}
.size pend, . - pend
.thumb_func
.type service, %function
service: ldr r0, [sp]
 mrs r1, ipsr
 adds r0, #26
 add r0, r1
 str r0, [sp]
 bx lr
 .ltorg
.data
result: .word 0, 0, 0
)";

std::string m4_program(std::string const& pend) {
  std::string text = m4_timer;
  text.replace(text.find("PEND"), 4, pend);
  return text;
}

} // namespace

TEST_CASE("interrupts: Cortex-M4 SysTick, stacking, supervisor call", "[interrupts]") {
  auto const outcome = test::run({.elf = test::assemble("m4_timer", Core::cortex_m4, m4_program("nop")),
                                  .functions = {"tick"},
                                  .result_words = 3});
  REQUIRE(outcome.failure == "");
  CHECK(outcome.words[0] == 4);
  CHECK(outcome.words[2] == 42);
  CHECK(outcome.exceptions == 5);
  CHECK(spent(outcome, Cause::exception) == 5 * 24);
  CHECK(outcome["tick"].count == 4);
  CHECK(outcome.total.cycles > 4000);
  CHECK(outcome.total.cycles < 4200);
}

TEST_CASE("interrupts: Cortex-M4 goes straight from one handler to the next", "[interrupts]") {
  auto const outcome =
      test::run({.elf = test::assemble("m4_chain", Core::cortex_m4,
                                       m4_program("ldr r2, =0xe000ed04\n ldr r3, =0x10000000\n str r3, [r2]")),
                 .result_words = 3});
  REQUIRE(outcome.failure == "");
  CHECK(outcome.words[0] == 4);
  CHECK(outcome.words[1] == 4);
  CHECK(outcome.exceptions == 9);
  CHECK(spent(outcome, Cause::exception) == 4 * (12 + 6 + 12) + 24);
}

TEST_CASE("interrupts: Cortex-M4 code on the process stack, floats kept", "[interrupts]") {
  std::string text = m4_program("vmov.f32 s0, #1.0");
  auto const replace = [&](std::string const& from, std::string const& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("1: wfi\n", " ldr r1, =0xe000ed88\n ldr r2, =0x00f00000\n str r2, [r1]\n ldr r1, =0x20008000\n msr psp, r1\n"
                      " movs r1, #2\n msr control, r1\n isb\n vmov.f32 s0, #2.0\n1: wfi\n");
  replace(" str r0, [r4, #8]\n", " vmov r0, s0\n str r0, [r4, #8]\n str sp, [r4, #4]\n");
  auto const outcome = test::run({.elf = test::assemble("m4_process", Core::cortex_m4, text), .result_words = 3});
  REQUIRE(outcome.failure == "");
  CHECK(outcome.words[0] == 4);
  CHECK(outcome.words[1] == 0x20008000);
  CHECK(outcome.words[2] == 0x40000000);
}
