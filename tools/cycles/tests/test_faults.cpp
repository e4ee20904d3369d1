// SPDX-License-Identifier: BSL-1.0
/// \file
/// Bad input is answered by one sentence with the place.
#include "tests/support/catch.hpp"
#include <fstream>

#include "support.hpp"

namespace {

using Catch::Contains;
using test::cycles::Core;

std::string failure_of(std::string const& name, std::string const& body, Core core = Core::arm9e,
                       test::cycles::Setup setup = {}) {
  std::string const head = core == Core::arm9e ? ".syntax unified\n.arm\n.global _start\n.type _start, %function\n"
                                               : ".syntax unified\n.thumb\n.global _start\n.thumb_func\n";
  std::string const text = head + "_start: nop\n nop\n" + body + "\n b .\n .ltorg\n.size _start, . - _start\n";
  auto const outcome = test::run({.elf = test::assemble(name, core, text), .setup = setup});
  CHECK(outcome.failure.find('\n') == std::string::npos);
  return outcome.failure;
}

} // namespace

TEST_CASE("faults: another architecture", "[faults]") {
  auto const elf = test::cycles::Elf::read(NEUROMORPH_CYCLES_TOOL);
  REQUIRE_FALSE(elf);
  CHECK_THAT(elf.why(), Contains("a 32-bit little-endian ARM executable"));
}

TEST_CASE("faults: no ELF, no file, an object file", "[faults]") {
  CHECK_THAT(test::cycles::Elf::read(NEUROMORPH_CYCLES_SOURCE "/CMakeLists.txt").why(), Contains("is not an ELF file"));
  CHECK_THAT(test::cycles::Elf::read("/nowhere/at.all").why(), Contains("cannot read"));
  test::assemble("whole", Core::arm9e, ".global _start\n_start: b .");
  CHECK_THAT(test::cycles::Elf::read(NEUROMORPH_CYCLES_SCRATCH "/whole.o").why(), Contains("link it first"));
}

TEST_CASE("faults: a truncated ELF, cut anywhere", "[faults]") {
  std::string const path = test::assemble("whole", Core::arm9e, ".global _start\n_start: b .\n.data\n.word 1");
  std::string const whole = test::read_file(path);
  std::string const cut = NEUROMORPH_CYCLES_SCRATCH "/cut.elf";
  // Behind the section headers nothing follows, so every shorter file lacks something.
  for (std::size_t length = 0; length < whole.size(); length += length < 300 ? 1 : 37) {
    std::ofstream(cut, std::ios::binary) << whole.substr(0, length);
    auto const elf = test::cycles::Elf::read(cut);
    INFO(length << " of " << whole.size() << " bytes");
    REQUIRE_FALSE(elf);
    REQUIRE_FALSE(elf.why().empty());
  }
  std::ofstream(cut, std::ios::binary) << whole.substr(0, whole.size() - 20);
  CHECK_THAT(test::cycles::Elf::read(cut).why(), Contains("is truncated"));
}

TEST_CASE("faults: damaged headers are survived", "[faults]") {
  std::string const whole = test::read_file(test::assemble("whole", Core::arm9e, ".global _start\n_start: b .\n"));
  std::string const path = NEUROMORPH_CYCLES_SCRATCH "/damaged.elf";
  std::uint32_t state = 1;
  for (int round = 0; round < 400; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 4; ++i) {
      state = state * 1664525 + 1013904223;
      bytes[16 + (state >> 8) % (bytes.size() - 16)] = static_cast<char>(state >> 24);
    }
    std::ofstream(path, std::ios::binary) << bytes;
    test::cycles::Setup setup;
    setup.limit = 1000;
    auto const outcome = test::run({.elf = path, .setup = setup});
    INFO("round " << round);
    REQUIRE_FALSE(outcome.failure.empty());
  }
}

TEST_CASE("faults: undefined instructions", "[faults]") {
  CHECK(failure_of("undefined", " udf #3") == "undefined instruction 0xe7f000f3 at 0x00000008 in _start+0x8");
  // ARMv7 code on an ARMv5 core.
  CHECK_THAT(failure_of("newer", " .word 0xe3004000"), Contains("undefined instruction 0xe3004000 at 0x00000008"));
  CHECK_THAT(failure_of("undefined_m4", " udf #3", Core::cortex_m4), Contains("undefined instruction"));
}

TEST_CASE("faults: unaligned accesses, which ARMv5 rotates", "[faults]") {
  CHECK(failure_of("unaligned", " ldr r0, =0x400002\n ldr r1, [r0]") ==
        "unaligned read of 0x00400002 at 0x0000000c in _start+0xc");
  CHECK_THAT(failure_of("unaligned_half", " ldr r0, =0x400001\n strh r1, [r0]"),
             Contains("unaligned write to 0x00400001"));
  CHECK_THAT(failure_of("unaligned_pair", " ldr r0, =0x400004\n ldrd r2, r3, [r0]"), Contains("unaligned read"));
  CHECK_THAT(failure_of("unaligned_ldm_m4", " ldr r0, =0x20000002\n ldmia r0, {r1, r2}", Core::cortex_m4),
             Contains("unaligned read of 0x20000002"));
  // The paper's 32-bit loop as printed.
  auto const printed =
      test::run({.elf = test::assemble("synapse_as_printed", Core::arm9e, test::fixture("synapse_as_printed.s"))});
  CHECK_THAT(printed.failure, Contains("unaligned read of 0x00400002") && Contains("in process+0x4"));
}

TEST_CASE("faults: a run past its limit", "[faults]") {
  test::cycles::Setup setup;
  setup.limit = 1000;
  CHECK(failure_of("endless", "", Core::arm9e, setup) ==
        "the limit of 1000 instructions is reached at 0x00000008 in _start+0x8");
}

TEST_CASE("faults: where there is no memory", "[faults]") {
  CHECK(failure_of("read_nowhere", " ldr r0, =0x30000000\n ldr r1, [r0]") ==
        "read of 0x30000000, where there is no memory, at 0x0000000c in _start+0xc");
  CHECK_THAT(failure_of("write_nowhere", " ldr r0, =0x30000000\n str r1, [r0]"), Contains("write to 0x30000000"));
  CHECK_THAT(failure_of("jump_nowhere", " ldr r0, =0x30000000\n bx r0"),
             Contains("jump to 0x30000000, where there is no memory, from 0x0000000c in _start+0xc"));
  auto const outcome = test::run(
      {.elf = test::assemble("load_nowhere", Core::arm9e, ".global _start\n_start: b .", "-Ttext=0x30000000")});
  CHECK_THAT(outcome.failure, Contains("lies outside every memory region"));
}

TEST_CASE("faults: asleep for ever", "[faults]") {
  CHECK_THAT(failure_of("asleep", " mcr p15, 0, r0, c7, c0, 4"), Contains("asleep with no interrupt to come"));
  CHECK_THAT(failure_of("asleep_m4", " wfi", Core::cortex_m4), Contains("asleep with no interrupt to come"));
}

TEST_CASE("faults: memory map lines", "[faults]") {
  using test::cycles::MemoryMap;
  auto const why = [](char const* line) {
    auto map = MemoryMap::standard(Core::arm9e);
    auto const failure = map.add(line);
    return failure ? failure->text : std::string();
  };
  CHECK(why("extra,0x70000000,64K,3,5,7") == "");
  CHECK(why("# nothing") == "");
  CHECK(why("dtcm,none") == "");
  CHECK_THAT(why("extra"), Contains("is not name,base,size"));
  CHECK_THAT(why("extra,0x7000zz00,4K"), Contains("is no number"));
  CHECK_THAT(why("extra,0x70000100,4K"), Contains("multiples of 4 KB"));
  CHECK_THAT(why("extra,0x60001000,4K"), Contains("overlap"));
  CHECK_THAT(why("extra,0xfffff000,8K"), Contains("below 4 GB"));
  CHECK_THAT(why("extra,0x70000000,4K,300"), Contains("more than 255"));
  auto map = MemoryMap::standard(Core::arm9e);
  REQUIRE_FALSE(map.add("sdram 0x60000000 1M 80 40"));
  REQUIRE(map.find(0x600fffff) != nullptr);
  CHECK(map.find(0x600fffff)->read_wait == 80);
  CHECK(map.find(0x600fffff)->fetch_wait == 80);
  CHECK(map.find(0x60100000) == nullptr);
}
