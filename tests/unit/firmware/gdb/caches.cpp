// SPDX-License-Identifier: BSL-1.0
// A core whose instruction cache forgets nothing by itself: it fetches what it has fetched before until it is told that
// code was written. So a flush that is missing, or comes before what is written, is a breakpoint that is not seen, or one that
// is still seen when it is gone.
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <neuromorph/firmware/gdb/cortex_m.hpp>
#include <neuromorph/firmware/gdb/stub.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/gdb_session.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using namespace gdb_session;

namespace {

constexpr std::uint32_t nop = 0xBF00, break_instruction = 0xBE00;

struct CachedMemory : Memory {
  std::map<std::uint32_t, std::uint32_t> cache; // halfwords

  std::uint32_t fetch(std::uint32_t address) { return cache.try_emplace(address, load(address, 2)).first->second; }
  void flush(std::uint32_t address, std::uint32_t bytes) {
    for (std::uint32_t at = address & ~1U; at - (address & ~1U) < bytes + (address & 1); at += 2) cache.erase(at);
  }
};

} // namespace

TEST_CASE("gdb stub: an instruction cache sees each breakpoint, each step and each write, and the end of each",
          "[firmware][gdb]") {
  for (const std::uint32_t seed : Seeds(20)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    gdb::CortexM<CachedMemory> machine;
    Channel channel;
    gdb::Stub<decltype(machine), Channel> stub(machine, channel, regions);
    target::ArmRegisters registers{};
    auto& pc = registers.general[15];
    constexpr std::uint32_t length = 64; // of the program, which goes round in a circle
    std::array<std::uint32_t, length> program;
    program.fill(nop);
    program[length - 1] = 0xE000 | ((0U - 2 * (length - 1) - 4) >> 1 & 0x7FF); // a branch to its begin
    for (std::uint32_t at = 0; at < length; ++at) machine.store(ram + 2 * at, 2, program[at]);
    pc = ram;
    for (std::uint32_t at = 0; at < length; ++at) REQUIRE(machine.fetch(ram + 2 * at) == program[at]); // all is cached
    std::set<std::uint32_t> breaks;
    channel.at_end = packet("c");
    const auto stop = [&](const std::vector<std::string>& asked, const std::string& goes) {
      channel.from_stub.clear();
      for (const std::string& text : asked) channel.say(packet(text));
      channel.say(packet(goes));
      stub.stopped(registers, gdb::Signal::trap);
    };
    stop({"qSupported"}, "s");
    bool steps = true;
    for (unsigned round = 0; round < 100; ++round) {
      std::uint32_t executed = 0, at = (pc - ram) / 2;
      for (;; ++executed) { // by what the core sees
        REQUIRE(executed <= length);
        const std::uint32_t seen = machine.fetch(pc);
        if (seen == break_instruction) break;
        REQUIRE(seen == program[at]); // and nothing else than it should
        pc = at == length - 1 ? ram : pc + 2;
        at = (pc - ram) / 2;
      }
      if (steps) REQUIRE(executed == 1);
      if (!steps) REQUIRE(breaks.count(pc) != 0);
      std::vector<std::string> asked;
      const auto say = [&](const char* pattern, std::uint32_t address) {
        char text[40];
        std::snprintf(text, sizeof text, pattern, address);
        asked.emplace_back(text);
      };
      for (const std::uint32_t place : breaks) say("z0,%x,2", place); // as a debugger does at each stop
      breaks.clear();
      if (below(3) == 0) { // other code, which does the same
        const std::uint32_t place = below(length - 1);
        program[place] = program[place] == nop ? 0x1C00 : nop; // adds r0, r0, #0
        say(program[place] == nop ? "M%x,2:00bf" : "M%x,2:001c", ram + 2 * place);
      }
      steps = below(2) == 0;
      for (unsigned count = 1 + below(4); !steps && count != 0; --count) {
        const std::uint32_t place = ram + 2 * below(length - 1);
        if (place != pc && breaks.insert(place).second) say("Z0,%x,2", place);
      }
      if (breaks.empty()) steps = true;
      stop(asked, steps ? "s" : "c");
      REQUIRE(machine.wrong.empty());
    }
  }
}
