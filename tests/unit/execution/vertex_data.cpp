// SPDX-License-Identifier: BSL-1.0
// The data of vertices, read back by their tables; and how memory is divided, against every number of ticks.
#include <tests/support/catch.hpp>

#include <neuromorph/execution/vertex_data.hpp>
#include <neuromorph/mapping/boards.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace execution = neuromorph::execution;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
using execution::VertexData;
using neuromorph::Error;
using Bytes = std::vector<std::uint8_t>;

namespace {
struct World {
  mapping::MachineGraph graph{};
  mapping::Machine machine = mapping::machine_of_boards(1).value();
  mapping::Mapping mapping{};
  [[nodiscard]] execution::Mapped mapped() const { return {graph, machine, mapping}; }
};
Bytes drawn(std::mt19937& draw, std::size_t words) {
  Bytes made(4 * words);
  for (auto& one : made) one = static_cast<std::uint8_t>(draw());
  return made;
}
} // namespace

TEST_CASE("What was made is found by its tables, each region with its checksum, and nothing overlaps") {
  const World world;
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    std::mt19937 draw(seed);
    std::vector<Bytes> regions;
    for (auto count = draw() % 29; count != 0; --count) regions.push_back(drawn(draw, draw() % 20));
    const bool has_buffer = draw() % 2 == 0;
    const std::size_t channels = draw() % 5;
    const std::uint64_t a_tick = 1 + draw() % 9, cycle = 1 + draw() % 50, buffer_a_tick = draw() % 11;
    Bytes buffer;
    execution::VertexProgram program{.regions = [&](const execution::Mapped&) { return regions; },
                                     .counters = draw() % 4};
    for (std::size_t channel = 0; channel < channels; ++channel)
      program.recordings.emplace_back([=](std::uint64_t ticks) { return ticks * (a_tick + channel); });
    if (has_buffer)
      program.buffer = [&](const execution::Mapped&, std::uint64_t, std::uint64_t) { return buffer; },
      program.buffer_bytes = [=](std::uint64_t ticks) { return ticks * buffer_a_tick; };
    VertexData data(program);
    REQUIRE(data.make(world.mapped(), 500, 3).ok());
    REQUIRE(data.make_room(world.mapped(), cycle).ok());
    buffer = drawn(draw, draw() % (cycle * buffer_a_tick / 4 + 1));
    if (has_buffer) REQUIRE(data.make_buffer(world.mapped(), 7, cycle).ok());
    constexpr std::uint32_t address = 0x60001000;
    data.finish(address, cycle);
    REQUIRE(data.regions() == regions.size());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> places; // begins and ends
    const auto at = [&](std::uint64_t begin, std::uint64_t bytes) {
      places.emplace_back(begin, begin + bytes);
      REQUIRE((begin >= address && begin % 4 == 0 && begin + bytes <= address + data.size(cycle)));
      return static_cast<std::size_t>(begin - address);
    };
    const auto table = protocols::DataRegionTable::of(data.bytes());
    REQUIRE(table);
    at(address, protocols::DataRegionTable::bytes);
    const auto region = [&](std::size_t number) {
      const protocols::DataRegion& one = table.value.region[number];
      const auto is = data.bytes().subspan(at(one.address, std::uint64_t{4} * one.words), std::size_t{4} * one.words);
      REQUIRE(protocols::DataRegionTable::check(one, is) == protocols::Malformed::none);
      return Bytes(is.begin(), is.end());
    };
    const auto system = protocols::SystemRegion::of(region(0));
    CHECK((system && system.value.period_us == 500 && system.value.control_port == 3));
    CHECK(region(2).size() == protocols::ProvenanceRegion::bytes + 4 * program.counters);
    for (std::size_t one = 0; one < regions.size(); ++one) CHECK((region(3 + one) == regions[one]));
    if (has_buffer) {
      const auto is = region(3 + regions.size());
      REQUIRE(is.size() == (cycle * buffer_a_tick + 3) / 4 * 4);
      Bytes expected = buffer;
      expected.resize(is.size());
      CHECK((is == expected));
    }
    for (std::size_t one = 3 + regions.size() + has_buffer; one < table.value.region.size(); ++one)
      CHECK(table.value.region[one].address == 0);
    const auto recordings_bytes = region(1);
    const auto recordings = protocols::RecordingRegions::of(recordings_bytes);
    REQUIRE((recordings && recordings.value.channels() == channels));
    for (std::size_t channel = 0; channel < channels; ++channel) {
      const auto one = recordings.value[channel];
      REQUIRE(one);
      CHECK((one.value.room == (cycle * (a_tick + channel) + 7) / 8 * 8 && one.value.written == 0));
      at(one.value.address, one.value.room);
    }
    std::sort(places.begin(), places.end());
    for (std::size_t one = 1; one < places.size(); ++one) CHECK(places[one - 1].second <= places[one].first);
    CHECK(places.back().second == address + data.size(cycle));
  }
}

TEST_CASE("A cycle has as many ticks as fit where there is least room, and not one more") {
  World world;
  for (unsigned seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    std::mt19937 draw(seed);
    const mapping::Chip chips = 3;
    for (mapping::Chip chip = 0; chip < chips; ++chip)
      world.machine.set_sdram_bytes(chip, static_cast<std::uint32_t>(draw() % 400000));
    std::vector<VertexData> all;
    std::vector<mapping::Chip> at;
    const std::uint64_t most = 1 + draw() % 2000;
    for (auto count = 1 + draw() % 8; count != 0; --count) {
      const std::size_t words = draw() % 20000;
      const std::uint64_t a_tick = draw() % 60, buffer = draw() % 3 == 0 ? draw() % 30 : 0;
      execution::VertexProgram program{
          .regions = [words](const execution::Mapped&) { return std::vector<Bytes>{Bytes(4 * words)}; }};
      if (a_tick != 0) program.recordings.emplace_back([a_tick](std::uint64_t ticks) { return a_tick * ticks; });
      if (buffer != 0)
        program.buffer = [](const execution::Mapped&, std::uint64_t, std::uint64_t) { return Bytes(); },
        program.buffer_bytes = [buffer](std::uint64_t ticks) { return buffer * ticks; };
      all.emplace_back(std::move(program));
      REQUIRE(all.back().make(world.mapped(), 1000, 3).ok());
      at.push_back(static_cast<mapping::Chip>(draw() % chips));
    }
    // Of each chip: what is in use with logs and for a tick, and a share of what is left for each that needs room.
    std::map<mapping::Chip, std::uint64_t> used, sharing;
    for (std::size_t one = 0; one < all.size(); ++one)
      used[at[one]] += all[one].bytes().size() + 64 + 16400 + all[one].room_for(1),
          sharing[at[one]] += all[one].needs_room() ? 1U : 0U;
    const auto fits = [&](std::uint64_t ticks) {
      for (std::size_t one = 0; one < all.size(); ++one) {
        const std::uint64_t has = world.machine.sdram_bytes(at[one]);
        if (!all[one].needs_room()) continue;
        if (has < used[at[one]] ||
            all[one].room_for(ticks) - all[one].room_for(1) > (has - used[at[one]]) / sharing[at[one]])
          return false;
      }
      return true;
    };
    std::uint64_t expected = 0;
    for (std::uint64_t ticks = 1; ticks <= most && fits(ticks); ++ticks) expected = ticks;
    std::pair<mapping::Vertex, std::uint64_t> tight{};
    CHECK(execution::cycle_of(all, at, world.machine, most, tight) == expected);
    if (expected == 0) CHECK(all[tight.first].room_for(1) > tight.second);
  }
}

TEST_CASE("Data that cannot be is refused, with what it has") {
  const World world;
  std::size_t count = 0, bytes = 4, buffer = 0;
  execution::VertexProgram program{
      .regions = [&](const execution::Mapped&) { return std::vector<Bytes>(count, Bytes(bytes)); }};
  const auto made = [&] {
    VertexData data(program);
    if (auto refusal = data.make(world.mapped(), 1000, 3); !refusal) return refusal.sentence();
    return data.make_room(world.mapped(), 10).sentence();
  };
  const std::string fine = made();
  CHECK(fine == neuromorph::Refusal{}.sentence());
  count = 29;
  CHECK(made() == fine);
  count = 30;
  CHECK(made() == "a vertex has at most 29 regions");
  program.buffer = [&](const execution::Mapped&, std::uint64_t, std::uint64_t) { return Bytes(buffer); };
  program.buffer_bytes = [](std::uint64_t ticks) { return ticks; };
  count = 29;
  CHECK(made() == "a vertex has at most 29 regions");
  count = 28;
  CHECK(made() == fine);
  bytes = 6;
  CHECK(made() == "a region has whole words, and this one 6 bytes");
  bytes = 4, buffer = 12; // ten bytes for ten ticks are three words
  CHECK(made() == fine);
  buffer = 16;
  CHECK(made() == "its buffer for 0 ticks has 16 bytes, and has room for 12, in whole words");
  buffer = 3;
  CHECK(made() == "its buffer for 0 ticks has 3 bytes, and has room for 12, in whole words");
}

TEST_CASE("A region that changes and changes back is told from what it was, before and after its bytes are forgotten") {
  const World world;
  std::mt19937 draw(1);
  const Bytes first = drawn(draw, 9), second = drawn(draw, 9), other = drawn(draw, 4);
  for (const bool is_forgotten : {false, true}) {
    CAPTURE(is_forgotten);
    VertexData data({.regions = [&](const execution::Mapped&) { return std::vector<Bytes>{other, first}; }});
    REQUIRE(data.make(world.mapped(), 1000, 3).ok());
    data.finish(0x6000'0000, 10);
    if (is_forgotten) data.forget();
    for (const auto& [now, then] : {std::pair{&second, &first}, std::pair{&first, &second}}) {
      CHECK(data.has(1, *then));
      CHECK_FALSE(data.has(1, *now));
      data.set_region(1, *now);
      CHECK(data.has(1, *now));
      CHECK_FALSE(data.has(1, *then));
      CHECK(data.has(0, other));
    }
  }
}
