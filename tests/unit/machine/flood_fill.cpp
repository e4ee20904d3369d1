// SPDX-License-Identifier: BSL-1.0
// Regions against a plain reading of their words, and floods in random order against a model that keeps everything.
#include <neuromorph/machine/flood_fill.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace protocols = neuromorph::protocols;

struct Draw {
  std::mt19937 generator;
  std::uint32_t operator()() { return static_cast<std::uint32_t>(generator()); }
  std::uint32_t operator()(std::uint32_t below) { return (*this)() % below; }
};

/// A region as rig's words are made: the square of a chip at a level, and its bit.
std::uint32_t region_of(std::uint32_t x, std::uint32_t y, std::uint32_t level) {
  const std::uint32_t side = level == 0 ? 64 : level == 1 ? 16 : level == 2 ? 4 : 1;
  const std::uint32_t base_x = x / (4 * side) * (4 * side), base_y = y / (4 * side) * (4 * side);
  return base_x << 24 | base_y << 16 | level << 16 | 1U << ((x - base_x) / side + 4 * ((y - base_y) / side));
}

} // namespace

TEST_CASE("flood_fill: a region has the chips of its square, and no others") {
  Draw draw{std::mt19937(1)};
  for (unsigned round = 0; round < 3000; ++round) {
    const std::uint32_t x = draw(256), y = draw(256), level = draw(4), side = 64U >> 2 * level;
    const std::uint32_t region = region_of(x, y, level);
    CHECK(machine::is_in_region(region, x, y));
    for (unsigned other = 0; other < 20; ++other) {
      const std::uint32_t to_x = draw(2) == 0 ? draw(256) : (x + draw(3) * side) % 256,
                          to_y = y / side * side + draw(2) * draw(256);
      if (to_y > 255) continue;
      CHECK(machine::is_in_region(region, to_x, to_y) == (to_x / side == x / side && to_y / side == y / side));
    }
  }
  CHECK(machine::is_in_region(0x0000FFFF, 255, 0)); // all
  CHECK(machine::is_in_region(0x0000FFFF, 13, 255));
  CHECK_FALSE(machine::is_in_region(0, 0, 0));
}

TEST_CASE("flood_fill: in any order, what is whole is launched as it was told, and what is not is counted") {
  Draw draw{std::mt19937(2)};
  unsigned launched = 0, refused = 0;
  machine::FloodFill flood;
  struct Model {
    bool is_open = false;
    std::uint32_t id = 0, blocks = 0, region = 0;
    std::map<std::uint32_t, std::pair<std::uint32_t, std::vector<std::uint8_t>>> got{};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> selected{};
  } model;
  machine::FloodFill::Ignored ignored;
  for (unsigned step = 0; step < 60000; ++step) {
    const std::uint32_t id = 2 * (1 + draw(2)), x_of = draw(3), y_of = draw(3), region = region_of(x_of, y_of, 3);
    switch (draw(8)) {
    case 0: {
      const std::uint32_t blocks = draw(3);
      flood.start(6U << 24 | id << 16 | blocks << 8, region);
      model = {true, id, blocks, region, {}, {}};
      break;
    }
    case 1:
    case 2: {
      const std::uint32_t cores = draw(1U << 18);
      flood.select(7U << 24 | cores, region);
      const auto place = std::pair(region, cores);
      if (model.is_open && (model.selected.empty() ? region != 0 || cores != 0 : place > model.selected.back()))
        model.selected.push_back(place);
      else
        ++ignored.selections;
      break;
    }
    case 3:
    case 4:
    case 5: {
      protocols::FloodFillData data;
      data.id = static_cast<std::uint8_t>(id), data.block = static_cast<std::uint16_t>(draw(3));
      data.address = 0x60000000 + draw(1000) * 4;
      const std::array<std::uint8_t, 4> bytes{static_cast<std::uint8_t>(draw()), 1, 2, 3};
      data.data = bytes;
      flood.data(data);
      if (model.is_open && data.id == model.id && data.block < model.blocks)
        model.got[data.block] = {data.address, {bytes.begin(), bytes.end()}};
      else
        ++ignored.blocks;
      break;
    }
    default: {
      const bool old = draw(2) == 0;
      const std::uint32_t word = draw();
      const bool is_launched = flood.end(15U << 24 | id, word, old);
      const bool expected = model.is_open && id == model.id && model.got.size() == model.blocks;
      REQUIRE(is_launched == expected);
      ++(expected ? launched : refused);
      if (!expected) {
        ++ignored.ends;
        break;
      }
      model.is_open = false;
      CHECK(flood.launch() == protocols::Launch{static_cast<std::uint8_t>(word >> 24),
                                                static_cast<std::uint8_t>(word >> 18 & 63), word & 0x3FFFE});
      if (old && model.selected.empty()) model.selected.emplace_back(model.region, word & 0x3FFFE);
      for (std::uint32_t x = 0; x < 4; ++x)
        for (std::uint32_t y = 0; y < 4; ++y) {
          std::uint32_t cores = 0;
          for (const auto& [of, which] : model.selected)
            if (machine::is_in_region(of, x, y)) cores |= which & ~1U; // the monitor starts nothing
          REQUIRE(flood.cores(x, y) == cores);
        }
      std::uint32_t block = 0;
      flood.each_block([&](std::uint32_t address, std::span<const std::uint8_t> bytes) {
        CHECK(address == model.got[block].first);
        CHECK(std::equal(bytes.begin(), bytes.end(), model.got[block].second.begin(), model.got[block].second.end()));
        ++block;
      });
      CHECK(block == model.blocks);
      CHECK(flood.address() == (model.blocks == 0 ? 0 : model.got[0].first));
    }
    }
    REQUIRE(flood.ignored() == ignored);
  }
  CHECK((launched > 500 && refused > 500));
}
