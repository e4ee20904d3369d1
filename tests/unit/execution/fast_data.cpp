// SPDX-License-Identifier: BSL-1.0
#include <tests/support/catch.hpp>

#include <neuromorph/execution/discovery.hpp>
#include <neuromorph/execution/fast_data.hpp>
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/execution/transceiver.hpp>
#include <neuromorph/execution/udp_link.hpp>
#include <neuromorph/machine/server.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/lossy_link.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/walkers.hpp"

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
using walkers::all_of, walkers::expected, walkers::Machine, walkers::Ring;
using Bytes = std::vector<std::uint8_t>;

namespace {

const Bytes extra_monitor = machine::image_of(machine::extra_monitor_name),
            gatherer = machine::image_of(machine::gatherer_name);
constexpr std::uint8_t application = 30;
constexpr std::uint32_t sdram = 0x61000000;

/// Lengths about the ends of packets and pieces, and any others.
std::size_t draw_length(std::mt19937_64& draw) {
  const std::size_t of[] = {1024, 65 * 4 * 4, 66 * 4 * 4, 65 * 4 * 120, 66 * 4 * 120, 66 * 4 * 240, 65 * 4 * 360};
  if (draw() % 3 != 0) return of[draw() % 7] + 4 * (draw() % 5) - 8;
  return draw() % 60'000;
}

struct Block {
  mapping::Chip chip;
  std::uint32_t address;
  Bytes bytes, read;
};
/// Blocks of a few chips, none on another.
std::vector<Block> draw_blocks(const mapping::Machine& on, std::size_t count, std::mt19937_64& draw) {
  std::vector<Block> made;
  std::map<mapping::Chip, std::uint32_t> end;
  while (made.size() < count) {
    const auto chip = static_cast<mapping::Chip>(draw() % on.grid_chips());
    if (!on.has(chip)) continue;
    std::uint32_t& next = end.try_emplace(chip, sdram).first->second;
    next += static_cast<std::uint32_t>(draw() % 5 == 0 ? draw() % 9 : 4 * (draw() % 9)); // now and then not at a word
    Block one{chip, next, Bytes(draw_length(draw)), {}};
    for (std::uint8_t& byte : one.bytes) byte = static_cast<std::uint8_t>(draw() >> 20);
    one.read.resize(one.bytes.size());
    next += static_cast<std::uint32_t>(one.bytes.size());
    made.push_back(std::move(one));
  }
  return made;
}
/// As it is in memory of the machine.
Bytes on_machine(Machine& machine, const Block& of) {
  const auto place = machine.monitors.chip(of.chip).place(of.address);
  Bytes made(of.bytes.size());
  REQUIRE((place.memory != nullptr && place.memory->read(place.at, made)));
  return made;
}
/// Key, mask and route of each entry of each chip.
std::vector<std::vector<std::uint32_t>> tables_of(Machine& machine) {
  std::vector<std::vector<std::uint32_t>> made(machine.is.grid_chips());
  for (mapping::Chip chip = 0; chip < made.size(); ++chip)
    if (machine.is.has(chip))
      for (std::uint32_t at = 0; at < machine::Router::size; ++at) {
        const mapping::TableEntry entry = machine.monitors.chip(chip).router.entry(at);
        made[chip].insert(made[chip].end(), {entry.keys.key, entry.keys.mask, entry.route});
      }
  return made;
}
/// Tables of an application, which must not lead streams anywhere.
void fill_tables(Machine& machine, std::mt19937_64& draw) {
  for (mapping::Chip chip = 0; chip < machine.is.grid_chips(); ++chip)
    if (machine.is.has(chip))
      for (std::uint32_t at = 1; at < 40; ++at)
        machine.monitors.chip(chip).router.set(at, {{static_cast<std::uint32_t>(draw() % 4096) & ~15U, ~15U},
                                                    static_cast<std::uint32_t>(draw()) & 0x00FFFFFFU,
                                                    0});
}

} // namespace

TEST_CASE("Streams bring any bytes to any chip and back, and leave tables of applications as they were") {
  for (std::uint64_t seed = 0; seed < (sanitized ? 6 : 24); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 draw(seed);
    const double faults = std::array{0.0, 0.05, 0.25, 0.65}[seed % 4]; // of datagrams
    Machine machine(seed % 3 == 0 ? 1 : 3);
    lossy_link::LossyLink link(machine.link, 0.0, seed);
    execution::Transceiver ask(link, {.tries = 400});
    const auto found = execution::discover(ask, {});
    REQUIRE(found);
    execution::FastData fast(ask, found.value(), application);
    fill_tables(machine, draw);
    REQUIRE(fast.load(extra_monitor, gatherer).ok());
    const auto tables = tables_of(machine);
    link.loss = faults;
    for (unsigned round = 0; round < 3; ++round) {
      auto blocks = draw_blocks(found.value().machine, 20, draw);
      for (const Block& one : blocks) fast.write(one.chip, one.address, one.bytes);
      const auto written = fast.finish();
      INFO(written.sentence());
      REQUIRE(written.ok());
      bool are_there = true;
      for (const Block& one : blocks) are_there = are_there && on_machine(machine, one) == one.bytes;
      CHECK(are_there);
      CHECK((tables_of(machine) == tables));
      for (Block& one : blocks) fast.read(one.chip, one.address, one.read);
      const auto read = fast.finish();
      INFO(read.sentence());
      REQUIRE(read.ok());
      bool are_equal = true;
      for (const Block& one : blocks) are_equal = are_equal && one.read == one.bytes;
      CHECK(are_equal);
      // Both at once.
      const auto others = draw_blocks(found.value().machine, 5, draw);
      for (Block& one : blocks) std::fill(one.read.begin(), one.read.end(), std::uint8_t{0xEE});
      for (std::size_t at = 0; at < others.size(); ++at) {
        fast.write(others[at].chip, others[at].address + 0x1000000, others[at].bytes);
        fast.read(blocks[at].chip, blocks[at].address, blocks[at].read);
      }
      REQUIRE(fast.finish().ok());
      for (std::size_t at = 0; at < others.size(); ++at) CHECK((blocks[at].read == blocks[at].bytes));
    }
    const auto& counts = fast.counts();
    CHECK(counts.bytes_in > 100'000);
    CHECK(counts.bytes_out > 100'000);
    CHECK((counts.packets_again != 0) == (faults != 0.0));
    CHECK((counts.begun_again == 0 || faults != 0.0));
    REQUIRE(fast.stop().ok());
  }
}

TEST_CASE("Words that links lose make a stream come again until it is whole, or it is refused") {
  for (const double probability : {1e-5, 1e-4, 1e-3, 0.05}) {
    CAPTURE(probability);
    Machine machine(1);
    execution::Transceiver ask(machine.link, {});
    const auto found = execution::discover(ask, {});
    REQUIRE(found);
    execution::FastData fast(ask, found.value(), application);
    REQUIRE(fast.load(extra_monitor, gatherer).ok());
    std::mt19937_64 draw(7);
    auto blocks = draw_blocks(found.value().machine, sanitized ? 4 : 12, draw);
    for (const Block& one : blocks) fast.write(one.chip, one.address, one.bytes);
    REQUIRE(fast.finish().ok());
    for (mapping::Chip chip = 0; chip < machine.is.grid_chips(); ++chip)
      for (unsigned link = 0; link < mapping::link_count; ++link)
        if (machine.is.has(chip)) machine.monitors.wiring().set_lossy(chip, mapping::Link(link), probability, 3);
    bool is_refused = false;
    for (unsigned round = 0; round < (sanitized ? 1 : 2); ++round)
      for (Block& one : blocks) {
        fast.read(one.chip, one.address, one.read);
        const auto read = fast.finish();
        if (read.ok()) CHECK((one.read == one.bytes));
        is_refused = is_refused || !read.ok();
        if (!read.ok()) CHECK_THAT(read.sentence(), Catch::Contains("stream of memory out"));
        std::fill(one.read.begin(), one.read.end(), std::uint8_t{0xEE});
      }
    CHECK(is_refused == (probability > 0.01));
    if (probability > 1e-4) CHECK((machine.monitors.wiring().lost_on_links() != 0 && fast.counts().begun_again != 0));
  }
}

TEST_CASE("A chip that does not answer is named, and the others go on when they are asked again") {
  Machine machine(1);
  execution::Transceiver ask(machine.link, {.tries = 3});
  const auto found = execution::discover(ask, {});
  REQUIRE(found);
  execution::FastData fast(ask, found.value(), application);
  REQUIRE(fast.load(extra_monitor, gatherer).ok());
  const mapping::Chip chip = machine.is.chip_at(2, 3), other = machine.is.chip_at(1, 1);
  machine.applications.stop({chip, 1}, machine::CoreState::watchdog);
  Bytes bytes(5000, 0x5A), read(5000);
  fast.read(chip, sdram, read);
  CHECK_THAT(fast.finish().sentence(), Catch::Contains("chip 2, 3") && Catch::Contains("no answer to 3 tries"));
  fast.read(other, sdram, read);
  CHECK(fast.finish().ok());
  fast.read(other, 0x30000000, read); // where there is no memory
  CHECK(!fast.finish().ok());
  fast.read(other, sdram, read);
  CHECK(fast.finish().ok());
  // Tables cannot be swapped there, and are as they were elsewhere.
  const auto tables = tables_of(machine);
  fast.write(other, sdram, bytes);
  CHECK(!fast.finish().ok());
  CHECK((tables_of(machine) == tables));
}

TEST_CASE("Programs of the system bear any messages, and stream on behind them") {
  Machine machine(1);
  execution::Transceiver ask(machine.link, {});
  const auto found = execution::discover(ask, {});
  REQUIRE(found);
  execution::FastData fast(ask, found.value(), application);
  REQUIRE(fast.load(extra_monitor, gatherer).ok());
  std::mt19937_64 draw(3);
  const mapping::Chip ethernet = found.value().ethernets[0], chip = machine.is.chip_at(3, 2);
  const std::uint32_t first[] = {100, 200, 1000, 1001, 2000, 2001, 2002, 2003},
                      at[] = {0x60000000, 0xFFFFFFFC, 0, sdram};
  for (unsigned round = 0; round < 20'000; ++round) {
    Bytes bytes(draw() % 281);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(draw() % 3 == 0 ? draw() % 4 : draw());
    if (bytes.size() >= 16) {
      protocols::put_word(bytes, 0, first[draw() % 8]);
      protocols::put_word(bytes, 4, static_cast<std::uint32_t>(draw() % 40));
      protocols::put_word(bytes, 8, draw() % 2 == 0 ? at[draw() % 4] : static_cast<std::uint32_t>(draw() % 300));
      protocols::put_word(bytes, 12, static_cast<std::uint32_t>(draw() % 5 == 0 ? draw() : 4 * (draw() % 200)));
    }
    std::vector<std::uint32_t> words;
    const bool is_gatherer = draw() % 2 == 0;
    static_cast<void>(machine.applications.message(is_gatherer ? ethernet : chip,
                                                   is_gatherer ? execution::FastData::core : 1,
                                                   4 + static_cast<unsigned>(draw() % 4), bytes, words));
    std::vector<machine::Datagram> sent;
    machine.applications.take_sent(sent);
    for (const auto& one : sent) CHECK(one.bytes.size() <= 282);
  }
  REQUIRE(fast.load(extra_monitor, gatherer).ok());
  Bytes bytes(50'000), read(50'000);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(draw());
  fast.write(chip, sdram, bytes);
  REQUIRE(fast.finish().ok());
  fast.read(chip, sdram, read);
  REQUIRE(fast.finish().ok());
  CHECK((read == bytes));
}

TEST_CASE("A simulation in streams records what a plain loop does, in cycles, without an end, and once more") {
  constexpr std::uint32_t count = 40;
  for (const double faults : {0.0, 0.1}) {
    CAPTURE(faults);
    Machine machine(1);
    Ring ring(count);
    for (auto& one : ring.settings) one.step = 3;
    ring.longer = 4000;
    lossy_link::LossyLink link(machine.link, faults, 5);
    execution::Simulation simulation(link, {.transceiver = {.tries = 100},
                                            .most_cycle = 700,
                                            .extraction = std::chrono::milliseconds(200),
                                            .extra_monitor = extra_monitor,
                                            .gatherer = gatherer});
    ring.build(simulation);
    for (unsigned session = 0; session < 2; ++session) {
      const auto refusal = simulation.run(1500);
      INFO(refusal.sentence());
      REQUIRE(refusal.ok());
      CHECK(simulation.cycles() == 3);
      REQUIRE(simulation.begin().ok());
      REQUIRE(simulation.wait(std::chrono::milliseconds(1000)).ok());
      REQUIRE(simulation.end().ok());
      ring.settings[3].step = 9;
      simulation.reload(3);
      const auto before = simulation.time();
      REQUIRE(simulation.run(600).ok());
      const auto right = expected(count, static_cast<std::uint32_t>(simulation.time()),
                                  [&](auto at, auto tick) { return at == 3 && tick >= before ? 9U : 3U; });
      CHECK((all_of(simulation, count) == right));
      CHECK(simulation.anomalies().empty());
      CHECK(simulation.streams().bytes_in > 4000 * count);
      CHECK(simulation.streams().bytes_out > 100'000);
      ring.settings[3].step = 3;
      REQUIRE(simulation.reset().ok());
    }
    // All of it is given back, and another one without extra monitors has their cores.
    for (mapping::Chip chip = 0; chip < machine.is.grid_chips(); ++chip)
      if (machine.is.has(chip)) CHECK(machine.monitors.chip(chip).entry_blocks.largest() == 1023);
    execution::Simulation next(machine.link);
    Ring all(16 * 48);
    all.copies = 3;
    all.build(next);
    REQUIRE(next.run(50).ok());
    CHECK((all_of(next, 16 * 48) == expected(16 * 48, 50)));
    REQUIRE(next.close().ok());
    // Whose regions an extra monitor does not take for its own.
    execution::Simulation last(machine.link, {.extra_monitor = extra_monitor});
    Ring few(30);
    few.build(last);
    const auto refusal = last.run(50);
    INFO(refusal.sentence());
    REQUIRE(refusal.ok());
    CHECK((all_of(last, 30) == expected(30, 50)));
  }
}

TEST_CASE("A gatherer without extra monitors is refused, as is a tag that it has") {
  Machine machine(1);
  Ring ring(5);
  execution::Simulation alone(machine.link, {.gatherer = gatherer});
  ring.build(alone);
  CHECK_THAT(alone.run(1).sentence(), Catch::Contains("no extra monitor"));
  execution::Simulation both(machine.link, {.extra_monitor = extra_monitor, .gatherer = gatherer});
  ring.build(both);
  both.constraints().ip_tags.push_back({.vertex = 0, .tag = execution::FastData::tag});
  CHECK_THAT(both.run(1).sentence(), Catch::Contains("tag"));
}

TEST_CASE("Streams over UDP, on boards beside each other") {
  Machine machine(3);
  auto server = machine::Server::open(machine.monitors, {.port = 0});
  REQUIRE(server);
  std::atomic<bool> is_over{false};
  std::thread serving([&] {
    while (!is_over) server.value().serve(5);
  });
  {
    auto link = execution::UdpLink::open({127, 0, 0, 2}, {.scp = server.value().port()});
    REQUIRE(link);
    execution::Transceiver ask(*link.value(), {});
    const auto found = execution::discover(ask, {});
    REQUIRE(found);
    execution::FastData fast(ask, found.value(), application);
    REQUIRE(fast.load(extra_monitor, gatherer).ok());
    std::mt19937_64 draw(11);
    auto blocks = draw_blocks(found.value().machine, 40, draw);
    for (const Block& one : blocks) fast.write(one.chip, one.address, one.bytes);
    REQUIRE(fast.finish().ok());
    for (Block& one : blocks) fast.read(one.chip, one.address, one.read);
    const auto read = fast.finish();
    INFO(read.sentence());
    REQUIRE(read.ok());
    for (const Block& one : blocks) CHECK((one.read == one.bytes));
  }
  is_over = true;
  serving.join();
}
