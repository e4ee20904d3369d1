// SPDX-License-Identifier: BSL-1.0
// The debug units of ARMv7-M and of ARMv8-M as a model of their registers: what they would stop at is what was asked for, by a plain list.
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include <neuromorph/firmware/gdb/cortex_m.hpp>
#include <neuromorph/firmware/gdb/cortex_m_units.hpp>
#include <neuromorph/firmware/gdb/stub.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/gdb_session.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using namespace gdb_session;

namespace {

/// Registers that keep what may be written there, beside the test's memory.
struct Units : Memory {
  std::map<std::uint32_t, std::uint32_t> words;
  std::uint32_t revision = 0, breaks = 6, watches = 4, minor = 0;
  bool is_active = true; // the DebugMonitor exception
  bool is_armv8m = false;

  static bool is_function(std::uint32_t address) {
    return address >> 8 == 0xE0'0010 && (address & 15) == 8 && address != 0xE000'1008;
  }
  static bool is_unit(std::uint32_t address) { return address >> 16 == 0xE000; }
  std::uint32_t load(std::uint32_t address, unsigned bytes) {
    if (!is_unit(address)) return Memory::load(address, bytes);
    if (address == 0xE000'2000)
      return revision << 28 | (breaks & 0x70) << 8 | (breaks & 15) << 4 | (words[address] & 1);
    if (address == 0xE000'1000) return watches << 28;
    if (address == 0xE000'1FBC) return is_armv8m ? 0x4770'1A02U + (minor << 16) : 0;
    // A comparator says what it can do, and once that it has matched.
    if (is_armv8m && is_function(address)) return words[address] | 0x5900'0000U;
    if (address == 0xE000'ED24) return is_active ? 0x100 : 0;
    return words[address];
  }
  void store(std::uint32_t address, unsigned bytes, std::uint32_t value) {
    if (!is_unit(address)) return Memory::store(address, bytes, value);
    if (address == 0xE000'2000 && (value & 2) == 0) return; // without the key
    if (is_armv8m && address >= 0xE000'1024 && address < 0xE000'1064 && (address & 15) == 4)
      wrong.emplace_back("a mask, which ARMv8-M has not");
    if (address >= 0xE000'2008 && address < 0xE000'2008 + 4 * 16 && (address - 0xE000'2008) / 4 >= breaks) return;
    words[address] = value;
  }
  bool stops_at(std::uint32_t address) {
    if ((words[0xE000'2000] & 1) == 0) return false;
    for (std::uint32_t one = 0; one < breaks; ++one) {
      const std::uint32_t word = words[0xE000'2008 + 4 * one];
      if ((word & 1) == 0) continue;
      if (revision == 1 && (word & ~1U) == address) return true;
      if (revision == 0 && (word & 0x1FFF'FFFC) == (address & ~3U) &&
          (word >> 30 == 3 || word >> 30 == 1 + (address >> 1 & 1)))
        return true;
    }
    return false;
  }
  bool stops_on(std::uint32_t address, bool writes) {
    for (std::uint32_t one = 0; one < watches; ++one) {
      const std::uint32_t base = 0xE000'1020 + 16 * one, function = words[base + 8] & 15;
      if (is_armv8m) {
        const std::uint32_t action = words[base + 8] >> 4 & 3, size = words[base + 8] >> 10 & 3;
        if (action == 1 && size < 3 && address - words[base] < 1U << size &&
            (function == 4 || function == (writes ? 5U : 6U)))
          return true;
        continue;
      }
      const std::uint32_t ignored = (1U << (words[base + 4] & 31)) - 1;
      if (((words[base] ^ address) & ~ignored) == 0 && (function == 7 || function == (writes ? 6U : 5U))) return true;
    }
    return false;
  }
};

} // namespace

TEST_CASE("gdb units: they stop at what was asked for, and at nothing else", "[firmware][gdb]") {
  for (const std::uint32_t seed : Seeds(40)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    gdb::WithUnits<gdb::CortexM<Units>> machine;
    machine.revision = below(2);
    machine.breaks = below(2) == 0 ? 6 : 18;
    machine.is_armv8m = below(2) == 0;
    machine.minor = below(2); // ARMv8.1-M
    if (machine.is_armv8m) machine.revision = 1;
    machine.start();
    CHECK((machine.load(0xE000'EDFC, 4) & 0x0101'0000) == 0x0101'0000);
    std::set<std::uint32_t> breaks;
    std::set<std::tuple<gdb::Stop, std::uint32_t, std::uint32_t>> watches;
    const std::uint32_t base = machine.revision == 1 && below(2) == 0 ? 0x6000'0000 : 0x0800'0000;
    for (unsigned round = 0; round < 300; ++round) {
      const bool insert = below(3) != 0;
      if (below(2) == 0) {
        const std::uint32_t address = base + 2 * below(40);
        const bool done = machine.hardware_stop(gdb::Stop::hardware_break, address, 2, insert);
        const bool fits = !insert || breaks.count(address) != 0 || breaks.size() < machine.breaks;
        REQUIRE(done == fits);
        if (insert && fits) breaks.insert(address);
        if (!insert) breaks.erase(address);
      } else {
        static constexpr gdb::Stop kinds[] = {gdb::Stop::write, gdb::Stop::read, gdb::Stop::access};
        const gdb::Stop kind = kinds[below(3)];
        const std::uint32_t bytes = 1 + below(8), address = 0x2000'0000 + below(32);
        const bool may = (bytes & (bytes - 1)) == 0 && address % bytes == 0 && (!machine.is_armv8m || bytes <= 4);
        const bool there = watches.count({kind, address, bytes}) != 0;
        const bool done = machine.hardware_stop(kind, address, bytes, insert);
        const bool fits = may && (!insert || there || watches.size() < machine.watches);
        REQUIRE(done == fits);
        if (insert && fits) watches.insert({kind, address, bytes});
        if (!insert) watches.erase({kind, address, bytes});
      }
      for (std::uint32_t at = 0; at < 80; at += 2)
        REQUIRE(machine.stops_at(base + at) == (breaks.count(base + at) != 0));
      for (std::uint32_t at = 0; at < 40; ++at)
        for (const bool writes : {false, true}) {
          bool wanted = false;
          for (const auto& [kind, address, bytes] : watches)
            wanted =
                wanted || (0x2000'0000 + at - address < bytes && kind != (writes ? gdb::Stop::read : gdb::Stop::write));
          REQUIRE(machine.stops_on(0x2000'0000 + at, writes) == wanted);
        }
    }
    if (machine.revision == 0) CHECK(!machine.hardware_stop(gdb::Stop::hardware_break, 0x2000'0000, 2, true));
    CHECK(!machine.hardware_stop(gdb::Stop::software_break, base, 2, true));
    CHECK(machine.wrong.empty());
    machine.clear_hardware_stops();
    for (std::uint32_t at = 0; at < 80; ++at) {
      CHECK(!machine.stops_at(base + at));
      CHECK((!machine.stops_on(0x2000'0000 + at, false) && !machine.stops_on(0x2000'0000 + at, true)));
    }
  }
}

TEST_CASE("gdb units: the stub uses them, and steps with them where it may", "[firmware][gdb]") {
  using Machine = gdb::WithUnits<gdb::CortexM<Units>>;
  Machine machine;
  machine.start();
  Channel channel;
  gdb::Stub<Machine, Channel> stub(machine, channel, regions);
  target::ArmRegisters registers{};
  registers.general[15] = ram;
  const auto ask = [&](const std::string& text, const char* then) {
    channel.from_stub.clear();
    channel.at_end = packet(then);
    channel.say(packet("qSupported") + packet(text));
    stub.stopped(registers, gdb::Signal::trap);
    std::vector<std::string> answers;
    for (const std::string& one : packets_of(channel.from_stub))
      if (one != "+") answers.push_back(one);
    return answers.back();
  };
  for (unsigned at = 0; at < ram_bytes; at += 2) machine.store(ram + at, 2, 0xBF00);
  const auto before = machine.in_ram;
  CHECK(ask("Z1,8000010,2", "c") == "OK"); // in flash
  CHECK(machine.stops_at(rom + 0x10));
  CHECK(ask("z1,8000010,2", "c") == "OK");
  CHECK(!machine.stops_at(rom + 0x10));
  CHECK(ask("Z0,8000010,2", "c") == "E01");
  CHECK(ask("Z3,20000010,4", "c") == "OK");
  CHECK(machine.stops_on(ram + 0x13, false));
  CHECK(!machine.stops_on(ram + 0x13, true));
  CHECK(ask("Z4,20000011,4", "c").empty());
  CHECK(!machine.stops_on(ram + 0x13, false)); // of the debugger before that one
  CHECK(ask("?", "s") != "E01");
  CHECK((machine.load(0xE000'EDFC, 4) >> 18 & 1) == 1);
  CHECK(machine.in_ram == before); // no breakpoint for the step
  CHECK(ask("?", "c") != "E01");
  CHECK((machine.load(0xE000'EDFC, 4) >> 18 & 1) == 0);
  machine.is_active = false; // at a hard fault, say
  CHECK(ask("?", "s") != "E01");
  CHECK((machine.load(0xE000'EDFC, 4) >> 18 & 1) == 0);
  CHECK(machine.load(ram + 2, 2) == 0xBE00);
  CHECK(machine.wrong.empty());
}
