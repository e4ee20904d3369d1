// SPDX-License-Identifier: BSL-1.0
// Compressed tables do with every key what the tables did: all keys of small spaces, tables in and without order.
#include <neuromorph/mapping/compression.hpp>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

namespace mapping = neuromorph::mapping;
using mapping::KeyMask;
using mapping::Merging;
using mapping::Route;
using mapping::TableEntry;

constexpr Merging all_ways[] = {Merging::none, Merging::in_turn, Merging::searched};

const TableEntry* first_match(std::span<const TableEntry> table, std::uint32_t key) {
  for (const TableEntry& one : table)
    if ((key & one.keys.mask) == one.keys.key) return &one;
  return nullptr;
}
/// Where a packet goes that comes from each side in turn that an entry names, without a table that matches it.
bool goes_straight_on(const TableEntry& entry) {
  for (unsigned link = 0; link < 6; ++link)
    if (entry.from == Route{1} << link) return entry.route == Route{1} << ((link + 3) % 6);
  return false;
}
/// Keys of the space `base | spread(0..2^bits)` with which the new table does something else.
struct Space {
  std::uint32_t base = 0;
  std::vector<unsigned> bits;
  [[nodiscard]] std::uint32_t size() const { return 1U << bits.size(); }
  [[nodiscard]] std::uint32_t spread(std::uint32_t number) const {
    std::uint32_t key = 0;
    for (std::size_t bit = 0; bit < bits.size(); ++bit) key |= (number >> bit & 1) << bits[bit];
    return key;
  }
  [[nodiscard]] std::size_t wrong(std::span<const TableEntry> table, std::span<const TableEntry> made) const {
    std::size_t count = 0;
    for (std::uint32_t number = 0; number < size(); ++number) {
      const std::uint32_t key = base | spread(number);
      const TableEntry *const was = first_match(table, key), *const is = first_match(made, key);
      if (was == nullptr) continue;
      if (is == nullptr ? !goes_straight_on(*was) : is->route != was->route) ++count;
    }
    return count;
  }
};
Space random_space(std::mt19937& draw, unsigned bits) {
  Space space;
  std::uint32_t used = 0;
  while (space.bits.size() < bits)
    if (const auto bit = static_cast<unsigned>(draw() % 32); (used >> bit & 1) == 0) {
      used |= 1U << bit;
      space.bits.push_back(bit);
    }
  space.base = static_cast<std::uint32_t>(draw()) & ~used;
  return space;
}
/// \param free  chance of 256 that a bit of an entry is not looked at
std::vector<TableEntry> random_table(std::mt19937& draw, const Space& space, std::size_t entries, unsigned routes,
                                     unsigned free) {
  const Route some[] = {1, 8, 2, 16, 64, 65, 128, 9, 1 << 20, 3 << 10};
  std::vector<TableEntry> table;
  for (std::size_t at = 0; at < entries; ++at) {
    std::uint32_t mask = ~0U;
    for (const unsigned bit : space.bits)
      if (draw() % 256 < free) mask &= ~(1U << bit);
    const auto number = static_cast<std::uint32_t>(draw());
    const Route route = some[draw() % routes];
    const Route sides[] = {1, 8, 2, 16, 64, 9, 0};
    table.push_back({{(space.base | space.spread(number)) & mask, mask}, route, sides[draw() % 7]});
  }
  return table;
}

} // namespace

TEST_CASE("compression: every key of a table goes where it went, whatever the table") {
  mapping::Compressor compressor;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 draw(seed);
    const Space space = random_space(draw, 1 + seed % 10);
    const auto entries = static_cast<std::size_t>(draw() % (1 + 3 * space.size() / 4));
    const auto routes = static_cast<unsigned>(1 + draw() % 10);
    const unsigned free = seed % 3 == 0 ? 0 : static_cast<unsigned>(draw() % 100);
    const auto table = random_table(draw, space, entries > 150 ? 150 : entries, routes, free);
    for (const Merging merging : all_ways)
      for (const bool has_defaults : {false, true}) {
        CAPTURE(seed, int(merging), has_defaults, table.size());
        const auto made = compressor.compress(
            table, {.merging = merging, .default_routes = has_defaults, .moves = 2000, .seed = seed});
        REQUIRE(space.wrong(table, made.entries) == 0);
        REQUIRE(made.entries.size() <= table.size());
        REQUIRE(made.bound <= made.entries.size());
      }
  }
}
