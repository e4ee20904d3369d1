// SPDX-License-Identifier: BSL-1.0
#include "devices.hpp"

#include "tests/support/catch.hpp"

#include "semihosting.hpp"
#include "support.hpp"

using neuromorph::cycles::DualTimer;
using neuromorph::cycles::never;
using neuromorph::cycles::SystemControl;

TEST_CASE("devices: dual timer counts down and raises its line every period", "[devices]") {
  DualTimer timer;
  timer.write(0x00, 100, 0);
  timer.write(0x08, 0xe2, 10);
  CHECK(timer.read(0x04, 60) == 50);
  CHECK(timer.next_event() == 110);
  timer.advance(109);
  CHECK_FALSE(timer.interrupt());
  timer.advance(110);
  CHECK(timer.interrupt());
  CHECK(timer.read(0x14, 111) == 1);
  timer.write(0x0c, 1, 111);
  CHECK_FALSE(timer.interrupt());
  CHECK(timer.next_event() == 210);
}

TEST_CASE("devices: dual timer, one shot with prescale by 16", "[devices]") {
  DualTimer timer;
  timer.write(0x20, 10, 0);
  timer.write(0x28, 0xa7, 0);
  CHECK(timer.next_event() == 160);
  timer.advance(1000);
  CHECK(timer.interrupt());
  CHECK(timer.next_event() == never);
  CHECK(timer.read(0x24, 2000) == 0);
}

TEST_CASE("devices: dual timer free running reads as a clock", "[devices]") {
  DualTimer timer;
  timer.write(0x08, 0x82, 0);
  CHECK(timer.read(0x04, 1000) == 0xffffffffU - 1000);
}

TEST_CASE("devices: SysTick period is reload + 1", "[devices]") {
  SystemControl system;
  system.write(0x14, 99, 0);
  system.write(0x18, 0, 0);
  system.write(0x10, 7, 0);
  CHECK(system.next_event() == 100);
  system.advance(100);
  CHECK(system.candidate(256) == std::optional<unsigned>(15));
  CHECK((system.read(0x10, 101) >> 16 & 1) == 1);
  CHECK((system.read(0x10, 101) >> 16 & 1) == 0);
}

TEST_CASE("devices: of two pending interrupts the more urgent wins", "[devices]") {
  SystemControl system;
  system.write(0x100, 0x6, 0);
  system.write(0x200, 0xe, 0); // interrupt 3 is not enabled
  system.write(0x400, 0x40 << 16 | 0x80 << 8, 0);
  CHECK(system.candidate(256) == std::optional<unsigned>(18));
  CHECK(system.candidate(0x40) == std::nullopt);
  system.clear_pending(18);
  CHECK(system.candidate(256) == std::optional<unsigned>(17));
  CHECK(system.candidate(0x80) == std::nullopt);
}

TEST_CASE("devices: semihosting writes, reads its command line and the clock, and ends", "[devices]") {
  auto const program = [](bool thumb) {
    std::string const call = thumb ? " svc 0xab\n" : " svc 0x123456\n";
    return ".syntax unified\n.arm\n.global _start\n_start: ldr sp, =0x00408000\n" +
           std::string(thumb ? " adr r0, 1f + 1\n bx r0\n.thumb\n1:\n" : "") + " movs r0, #4\n ldr r1, =hello\n" +
           call + " movs r0, #3\n ldr r1, =letter\n" + call + " movs r0, #1\n ldr r1, =open\n" + call +
           " ldr r1, =write\n str r0, [r1]\n movs r0, #5\n" + call +
           " ldr r2, =result\n str r0, [r2]\n movs r0, #0x15\n ldr r1, =line\n" + call +
           " movs r0, #4\n ldr r1, =buffer\n" + call + " movs r0, #0x30\n ldr r1, =result + 8\n" + call +
           " movs r0, #0x99\n" + call + " ldr r2, =result\n str r0, [r2, #4]\n movs r0, #0x20\n ldr r1, =end\n" + call +
           " b .\n .ltorg\n.data\n.balign 4\nresult: .word 1, 1, 0, 0\nopen: .word name, 4, 3\n"
           "write: .word 0, hello, 2\nline: .word buffer, 20\nend: .word 0x20026, 3\nbuffer: .space 20\n"
           "hello: .asciz \"hello\"\nletter: .ascii \"!\"\nname: .asciz \":tt\"\n";
  };
  for (bool const thumb : {false, true}) {
    test::cycles::Setup setup;
    setup.command_line = " a b";
    auto const outcome = test::run({.elf = test::assemble("semihosting", test::cycles::Core::arm9e, program(thumb)),
                                    .setup = setup,
                                    .result_words = 4});
    REQUIRE(outcome.failure == "");
    CHECK(outcome.output == "hello!he a b");
    CHECK(outcome.words[0] == 0);
    CHECK(outcome.words[1] == 0xffffffff); // no such call
    CHECK(outcome.words[2] > 10);
    CHECK(outcome.words[2] < outcome.total.cycles);
    CHECK(outcome.status == 3);
  }
}
