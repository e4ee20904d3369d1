// SPDX-License-Identifier: BSL-1.0
// The target's part of a split debugger: random requests beside a plain model of memory, registers and breakpoints, requests
// that come twice or not whole, and its frames with every bit wrong.
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <span>
#include <vector>

#include <neuromorph/firmware/channel.hpp>
#include <neuromorph/firmware/frames.hpp>
#include <neuromorph/firmware/gdb/armv5te.hpp>
#include <neuromorph/firmware/gdb/cortex_m.hpp>
#include <neuromorph/firmware/gdb/cortex_m_units.hpp>
#include <neuromorph/firmware/gdb/framed_line.hpp>
#include <neuromorph/firmware/gdb/probe.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/gdb_session.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using namespace gdb_session;

namespace {

using Words = std::vector<std::uint32_t>;
using gdb::Request;

/// Registers stand in the memory of the test's machine, too.
struct WholeMemory : Memory {
  target::ArmRegisters registers{};
  std::vector<std::uint32_t> order; // addresses that were written and flushed, as they came

  [[nodiscard]] std::uint32_t place() const {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&registers));
  }
  std::uint8_t* own(std::uint32_t address, unsigned bytes) {
    const std::uint32_t offset = address - place();
    return offset < sizeof registers && bytes <= sizeof registers - offset
               ? reinterpret_cast<std::uint8_t*>(&registers) + offset
               : nullptr;
  }
  std::uint32_t load(std::uint32_t address, unsigned bytes) {
    std::uint32_t value = 0;
    if (own(address, bytes) == nullptr) return Memory::load(address, bytes);
    std::memcpy(&value, own(address, bytes), bytes);
    return value;
  }
  void store(std::uint32_t address, unsigned bytes, std::uint32_t value) {
    order.push_back(address);
    if (own(address, bytes) == nullptr)
      Memory::store(address, bytes, value);
    else
      std::memcpy(own(address, bytes), &value, bytes);
  }
  void flush(std::uint32_t address, std::uint32_t bytes) {
    order.push_back(~address);
    Memory::flush(address, bytes);
  }
};

/// Records; at their end one that lets the program go, so that the probe returns.
struct Line {
  std::deque<Words> asked;
  std::vector<Words> said;
  std::uint32_t token = 1;
  bool ends = true;

  std::uint32_t read(std::span<std::uint32_t> to) {
    if (asked.empty() && !ends) return 0;
    if (asked.empty()) ask(Request::go, {});
    const Words next = asked.front();
    asked.pop_front();
    for (std::size_t at = 0; at < next.size(); ++at) to[at] = next[at];
    return static_cast<std::uint32_t>(next.size());
  }
  bool write(std::span<const std::uint32_t> record) {
    said.emplace_back(record.begin(), record.end());
    return true;
  }
  std::uint32_t ask(Request request, const Words& words) {
    asked.push_back({firmware::head(static_cast<std::uint32_t>(request), static_cast<std::uint32_t>(words.size()),
                                    ++token & 0xFFFF)});
    asked.back().insert(asked.back().end(), words.begin(), words.end());
    return token & 0xFFFF;
  }
};

template <class MachineType = gdb::CortexM<WholeMemory>>
struct Session {
  MachineType machine;
  Line line;
  gdb::Probe<MachineType, Line> probe{machine, line, regions};

  Session() {
    machine.registers.general[15] = ram;
    for (unsigned at = 0; at < ram_bytes; at += 2) machine.Memory::store(ram + at, 2, 0xBF00);
  }
  /// Lets the program stop, and the probe serve what waits.
  std::vector<Words> stop(gdb::Signal signal = gdb::Signal::trap) {
    line.said.clear();
    probe.stopped(machine.registers, signal);
    return line.said;
  }
  /// Behind the head of the answer to one request; `refused` if it was.
  Words one(Request request, const Words& words) {
    const std::uint32_t token = line.ask(request, words);
    for (const Words& answer : stop())
      if (firmware::token_of(answer[0]) == token) {
        if (firmware::kind_of(answer[0]) == static_cast<std::uint32_t>(Request::refused)) {
          CHECK(answer.size() == 1);
          return refused;
        }
        CHECK(firmware::kind_of(answer[0]) == static_cast<std::uint32_t>(request));
        CHECK(answer.size() == firmware::words_of(answer[0]) + 1);
        return {answer.begin() + 1, answer.end()};
      }
    return {0xDEAD, 0xBEEF};
  }
  inline static const Words refused = {0x0BAD, 0x0BAD, 0x0BAD, 0x0BAD};
};

} // namespace

TEST_CASE("gdb probe: what it says of itself, and what it may touch", "[firmware][gdb]") {
  Session<> session;
  const auto hello = session.one(Request::hello, {});
  REQUIRE(hello.size() == 5);
  CHECK(hello[0] == 5);
  CHECK(hello[1] == session.machine.place());
  CHECK(hello[2] == (1 | 31 << 8 | 9 << 16));
  CHECK(hello[3] == gdb::detail::code_of_machine<gdb::CortexM<WholeMemory>>);
  CHECK(hello[3] != gdb::detail::code_of_machine<gdb::Armv5te<WholeMemory>>);
  CHECK(hello[4] == 2);
  CHECK(session.one(Request::region, {0}) == Words{rom, rom_bytes, 0});
  CHECK(session.one(Request::region, {1}) == Words{ram, ram_bytes, 1});
  CHECK(session.one(Request::region, {2}) == session.refused);
  CHECK(session.one(Request::region, {~0U}) == session.refused);
  CHECK(session.one(Request::stop, {}) == Words{5, session.machine.place()});
  CHECK(session.one(Request::step, {}) == session.refused); // no means of its own
  CHECK(session.one(Request::unit, {1, ram, 2, 1}) == session.refused);
  for (const std::uint32_t kind : {0U, 1U, 11U, 255U})
    CHECK(session.one(static_cast<Request>(kind), {}) == session.refused);
  session.machine.registers.general[3] = 0x1234'5678;
  CHECK(session.one(Request::read, {hello[1] + 12, 4, 1}) == Words{0x1234'5678});
  CHECK(session.one(Request::read, {hello[1] + 64, 4, 2}) == session.refused); // one behind the last
  CHECK(session.one(Request::write, {hello[1] + 64, 4, 0x2100'0000}) == Words{});
  CHECK(session.machine.registers.status == 0x2100'0000);
  CHECK(session.one(Request::write, {ram, 4}) == Words{});
  CHECK(session.one(Request::write, {ram}) == session.refused);
  CHECK(session.one(Request::write, {}) == session.refused);
  CHECK(session.machine.wrong.empty());
}

TEST_CASE("gdb probe: random requests beside a plain model", "[firmware][gdb]") {
  for (const std::uint32_t seed : Seeds(40)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto any = [&] { return static_cast<std::uint32_t>(random()); };
    const auto below = [&](std::uint32_t limit) { return any() % limit; };
    Session<> session;
    auto& memory = session.machine;
    for (auto& byte : memory.in_rom) byte = static_cast<std::uint8_t>(random());
    std::map<std::uint32_t, std::uint8_t> model;
    for (std::uint32_t at = 0; at < rom_bytes; ++at) model[rom + at] = memory.in_rom[at];
    for (std::uint32_t at = 0; at < ram_bytes; ++at) model[ram + at] = memory.in_ram[at];
    const auto in = [&](std::uint32_t address, std::uint64_t bytes, bool writes) {
      const auto inside = [&](std::uint32_t begin, std::uint32_t size) {
        return address >= begin && address < begin + size && address + bytes <= std::uint64_t{begin} + size;
      };
      return inside(ram, ram_bytes) || (!writes && inside(rom, rom_bytes));
    };
    for (unsigned round = 0; round < 30; ++round) {
      std::vector<Words> wanted; // without heads
      std::vector<std::uint32_t> tokens;
      for (unsigned count = below(20); count != 0; --count) {
        static constexpr std::uint32_t bases[] = {ram, ram + ram_bytes - 16, rom, rom + rom_bytes - 8, 0, ~7U};
        const std::uint32_t address = bases[below(6)] + below(24) - below(8);
        const std::uint32_t width = below(8) == 0 ? any() : below(6), units = below(40);
        const bool writes = below(2) == 0;
        const bool may = (width == 1 || width == 2 || width == 4) && address % width == 0 &&
                         units <= (writes ? 29U : 31U) && in(address, std::uint64_t{width} * units, writes);
        Words words = {address, width}, answer;
        if (!writes) words.push_back(units);
        for (std::uint32_t at = 0; at < units && at < 29; ++at) {
          const std::uint32_t value = any();
          if (writes) words.push_back(value);
          for (unsigned byte = 0; writes && may && byte < width; ++byte)
            model[address + at * width + byte] = static_cast<std::uint8_t>(value >> 8 * byte);
        }
        if (writes && units > 29) continue; // no record holds them
        for (std::uint32_t at = 0; !writes && may && at < units; ++at) {
          std::uint32_t value = 0;
          for (unsigned byte = 0; byte < width; ++byte)
            value |= std::uint32_t{model[address + at * width + byte]} << 8 * byte;
          answer.push_back(value);
        }
        tokens.push_back(session.line.ask(writes ? Request::write : Request::read, words));
        answer.insert(answer.begin(), firmware::head(static_cast<std::uint32_t>(!may     ? Request::refused
                                                                                : writes ? Request::write
                                                                                         : Request::read),
                                                     static_cast<std::uint32_t>(answer.size()), tokens.back()));
        wanted.push_back(answer);
        if (below(4) == 0) { // the answer was lost: it is asked once more, and not done twice
          session.line.asked.push_back(session.line.asked.back());
          wanted.push_back(answer);
        }
      }
      const auto said = session.stop();
      REQUIRE(std::vector<Words>(said.begin() + 1, said.end()) == wanted);
      REQUIRE(memory.wrong.empty());
      for (std::uint32_t at = 0; at < ram_bytes; ++at) REQUIRE(memory.in_ram[at] == model[ram + at]);
    }
  }
}

TEST_CASE("gdb probe: breakpoints come with what lets the program go, and are gone when it stops", "[firmware][gdb]") {
  Session<> session;
  auto& memory = session.machine;
  const auto before = memory.in_ram;
  session.stop();
  memory.order.clear();
  session.line.ask(Request::go, {ram + 0x10, 2, ram + 0x12, 3, ram + 0x10, 2}); // one twice
  session.stop();
  const auto flushed = [](std::uint32_t address) { return ~address; };
  CHECK(memory.order == std::vector<std::uint32_t>{ram + 0x10, flushed(ram + 0x10), ram + 0x12, flushed(ram + 0x12),
                                                   ram + 0x10, flushed(ram + 0x10)});
  CHECK(memory.load(ram + 0x10, 4) == 0xBE00'BE00);
  CHECK(memory.load(ram + 0x14, 4) == 0xBF00'BF00);
  const std::uint32_t token = session.line.token & 0xFFFF;
  memory.order.clear();
  const auto said = session.stop(gdb::Signal::bad_access);
  CHECK(said.front() ==
        Words{firmware::head(static_cast<std::uint32_t>(Request::go), 2, token), 11, session.machine.place()});
  CHECK(memory.in_ram == before);
  CHECK(memory.order == std::vector<std::uint32_t>{ram + 0x10, flushed(ram + 0x10), ram + 0x12, flushed(ram + 0x12),
                                                   ram + 0x10, flushed(ram + 0x10)}); // the last first
  // All or none.
  for (const Words& wrong : {Words{ram, 2, ram + 1, 2}, Words{ram, 2, rom, 2}, Words{ram, 2, ram + ram_bytes, 2},
                             Words{ram, 2, ram - 2, 2}, Words{ram, 2, ~1U, 2}}) {
    CHECK(session.one(Request::go, wrong) == session.refused);
    CHECK(memory.in_ram == before);
  }
  Words many;
  for (std::uint32_t at = 0; at < 9; ++at) many.insert(many.end(), {ram + 0x80 + 2 * at, 2});
  session.line.ask(Request::go, many);
  session.stop();
  CHECK(memory.in_ram != before);
  CHECK(session.stop().size() == 1);
  CHECK(memory.in_ram == before);
  many.insert(many.end(), {ram + 0x100, 2});
  CHECK(session.one(Request::go, many) == session.refused);
  CHECK(memory.in_ram == before);
  CHECK(memory.wrong.empty());

  Session<gdb::Armv5te<WholeMemory>> old;
  CHECK(old.one(Request::go, {ram, 5}) == old.refused);
  CHECK(old.one(Request::go, {ram, 0}) == old.refused);
  CHECK(old.one(Request::go, {ram + 2, 4}) == old.refused);
  old.line.ask(Request::go, {ram, 4, ram + 4, 2});
  old.stop();
  CHECK(old.machine.load(ram, 4) == 0xE120'0070);
  CHECK(old.machine.load(ram + 4, 4) == 0xBF00'BE00);
}

TEST_CASE("gdb probe: who wants the program to stop, and what is said twice", "[firmware][gdb]") {
  Session<> session;
  auto& line = session.line;
  line.ends = false;
  CHECK(!session.probe.wants_stop());
  const std::uint32_t go = line.ask(Request::go, {});
  session.stop();
  const Words again = {firmware::head(static_cast<std::uint32_t>(Request::go), 0, go)};
  line.asked.push_back(again);
  CHECK(!session.probe.wants_stop()); // it does not stop what it has let go
  const std::uint32_t stop = line.ask(Request::stop, {});
  CHECK(session.probe.wants_stop());
  CHECK(session.probe.wants_stop());
  line.ends = true;
  auto said = session.stop(gdb::Signal::control_c);
  REQUIRE(said.size() == 2);
  CHECK(said[0] == Words{firmware::head(static_cast<std::uint32_t>(Request::go), 2, go), 2, session.machine.place()});
  CHECK(said[1] ==
        Words{firmware::head(static_cast<std::uint32_t>(Request::stop), 2, stop), 2, session.machine.place()});
  // The word that it has stopped was lost: who asks once more hears it, and the program does not go on.
  line.asked.push_back({firmware::head(static_cast<std::uint32_t>(Request::go), 0, line.token & 0xFFFF)});
  said = session.stop();
  REQUIRE(said.size() == 2);
  CHECK(said[0] == said[1]);
  // Another host may begin with any token.
  const std::uint32_t last = line.token & 0xFFFF;
  line.ends = false;
  line.asked.push_back({firmware::head(static_cast<std::uint32_t>(Request::hello), 0, last)});
  CHECK(session.probe.wants_stop());
  line.ends = true;
  said = session.stop();
  REQUIRE(said.size() == 2);
  CHECK(said[1].size() == 6);
}

namespace {

struct Wire {
  std::deque<std::uint8_t> come;
  std::vector<std::uint8_t> gone;
  bool take(std::uint8_t& byte) {
    if (come.empty()) return false;
    byte = come.front();
    come.pop_front();
    return true;
  }
  bool put(std::uint8_t byte) {
    gone.push_back(byte);
    return true;
  }
};

std::vector<std::uint8_t> bytes_of(const Words& record) {
  std::vector<std::uint8_t> bytes;
  Words all = record;
  all.push_back(firmware::crc_of(record)); // which is another CRC's code
  for (const std::uint32_t word : all)
    for (unsigned byte = 0; byte < 4; ++byte) bytes.push_back(static_cast<std::uint8_t>(word >> 8 * byte));
  return bytes;
}

} // namespace

TEST_CASE("gdb probe: frames of a line of its own", "[firmware][gdb]") {
  for (const std::uint32_t seed : Seeds(30)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto any = [&] { return static_cast<std::uint32_t>(random()); };
    const auto below = [&](std::uint32_t limit) { return any() % limit; };
    Wire wire;
    gdb::FramedLine line(wire);
    std::array<std::uint32_t, 32> to{};
    const auto draw = [&](std::uint32_t words) {
      const std::uint32_t kind = 1 + below(9);
      Words record = {firmware::head(kind, words, any() & 0xFFFF)};
      while (record.size() <= words) record.push_back(below(3) == 0 ? 0 : any());
      return record;
    };
    for (unsigned round = 0; round < 200; ++round) {
      const Words record = draw(below(32));
      auto bytes = bytes_of(record);
      REQUIRE(line.write(record));
      REQUIRE(wire.gone == bytes);
      wire.gone.clear();
      const std::uint32_t harm = below(6);
      bool is_right = harm >= 3;
      if (harm == 0) bytes[below(static_cast<std::uint32_t>(bytes.size()))] ^= static_cast<std::uint8_t>(1 << below(8));
      if (harm == 1) bytes.erase(bytes.begin() + below(static_cast<std::uint32_t>(bytes.size())));
      if (harm == 2) bytes.insert(bytes.begin() + 1 + below(static_cast<std::uint32_t>(bytes.size()) - 2), 0x55);
      std::uint32_t read = 0;
      while (!bytes.empty()) { // it comes in pieces
        const auto piece = std::min<std::size_t>(1 + below(20), bytes.size());
        wire.come.insert(wire.come.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(piece));
        bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(piece));
        const std::uint32_t now = line.read(to);
        REQUIRE((now == 0 || bytes.empty()));
        read = now;
      }
      REQUIRE(read == (is_right ? record.size() : 0));
      if (is_right)
        REQUIRE(std::equal(record.begin(), record.end(), to.begin()));
      else // what the host does when nothing is answered
        wire.come.insert(wire.come.end(), 4 * 257, 0);
    }
    const Words longer = draw(32), fits = draw(31); // a record that nobody has room for is left out
    for (const Words& record : {longer, fits})
      for (const std::uint8_t byte : bytes_of(record)) wire.come.push_back(byte);
    CHECK(line.read(to) == 32);
    CHECK(to[0] == fits[0]);
  }
}

TEST_CASE("gdb probe: any bytes on its line: nothing outside of the regions, and all code as it was",
          "[firmware][gdb]") {
  for (const std::uint32_t seed : Seeds(60)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto any = [&] { return static_cast<std::uint32_t>(random()); };
    const auto below = [&](std::uint32_t limit) { return any() % limit; };
    gdb::CortexM<WholeMemory> machine;
    Wire wire;
    gdb::FramedLine line(wire);
    gdb::Probe probe(machine, line, std::span<const gdb::Region>(regions));
    std::uint32_t token = 0;
    const auto add = [&](const Words& record) {
      for (const std::uint8_t byte : bytes_of(record)) wire.come.push_back(byte);
    };
    for (unsigned stops = 0; stops < 30; ++stops) {
      for (unsigned count = below(30); count != 0; --count) {
        Words record = {0};
        static constexpr std::uint32_t values[] = {0, 1, 2, 3, 4, 8, 31, ram, ram + 8, rom, ram + ram_bytes - 4, ~0U};
        for (std::uint32_t words = below(12); words != 0; --words)
          record.push_back(below(8) == 0 ? any() : values[below(12)] + below(3));
        const std::uint32_t kind = 1 + below(10), number = below(5) == 0 ? token : ++token & 0xFFFF;
        record[0] = firmware::head(kind, static_cast<std::uint32_t>(record.size()) - 1, number);
        if (below(20) == 0)
          wire.come.push_back(static_cast<std::uint8_t>(random())), wire.come.insert(wire.come.end(), 1028, 0);
        add(record);
      }
      wire.come.insert(wire.come.end(), 1028, 0);
      for (unsigned go = 0; go < 3; ++go)
        add({firmware::head(static_cast<std::uint32_t>(Request::go), 0, ++token & 0xFFFF)});
      const auto before = machine.in_rom;
      probe.stopped(machine.registers, gdb::Signal::trap);
      REQUIRE(machine.wrong.empty());
      REQUIRE(machine.in_rom == before);
      if (below(3) == 0) (void)probe.wants_stop();
    }
  }
}

TEST_CASE("gdb probe: units of the machine, if it has them", "[firmware][gdb]") {
  struct Units : gdb::CortexM<WholeMemory> {
    using Offers = offer::List<offer::HardwareStop, offer::HardwareStep>;
    std::vector<Words> asked;
    unsigned cleared = 0;
    bool steps = false, may_step = true;
    bool hardware_stop(gdb::Stop kind, std::uint32_t address, std::uint32_t bytes, bool insert) {
      asked.push_back({static_cast<std::uint32_t>(kind), address, bytes, insert ? 1U : 0U});
      return address % 2 == 0;
    }
    void clear_hardware_stops() { ++cleared; }
    bool hardware_step(bool on) {
      steps = on && may_step;
      return steps;
    }
  };
  Session<Units> session;
  const auto before = session.machine.in_ram;
  CHECK(session.one(Request::hello, {})[2] >> 24 == 3);
  CHECK(session.machine.cleared == 1); // of a debugger before this one nothing is left
  CHECK(session.one(Request::unit, {2, ram, 4, 1}) == Words{});
  CHECK(session.one(Request::unit, {2, ram + 1, 4, 0}) == session.refused);
  CHECK(session.machine.asked == std::vector<Words>{{2, ram, 4, 1}, {2, ram + 1, 4, 0}});
  session.line.ask(Request::step, {ram + 8, 2});
  session.stop();
  CHECK(session.machine.steps);
  CHECK(session.machine.load(ram + 8, 2) == 0xBE00);
  session.stop();
  CHECK(!session.machine.steps);
  session.machine.may_step = false;
  CHECK(session.one(Request::step, {ram + 8, 2}) == session.refused);
  CHECK(session.machine.in_ram == before);
}
