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

constexpr Merging all_ways[] = {Merging::none, Merging::in_turn, Merging::searched, Merging::ordered_covering,
                                Merging::exact};

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
  for (std::uint32_t seed = 0; seed < 250; ++seed) {
    std::mt19937 draw(seed);
    const Space space = random_space(draw, 1 + seed % 10);
    const auto entries = static_cast<std::size_t>(draw() % (1 + 3 * space.size() / 4));
    const auto routes = static_cast<unsigned>(1 + draw() % 10);
    const unsigned free = seed % 3 == 0 ? 0 : static_cast<unsigned>(draw() % 100);
    const auto table = random_table(draw, space, entries > 150 ? 150 : entries, routes, free);
    for (const Merging merging : all_ways)
      for (const bool has_defaults : {false, true}) {
        CAPTURE(seed, int(merging), has_defaults, table.size());
        const auto made = compressor.compress(table, {.merging = merging,
                                                      .default_routes = has_defaults,
                                                      .moves = 2000,
                                                      .exact = 2000,
                                                      .bound = seed % 2 * 300,
                                                      .seed = seed});
        REQUIRE(space.wrong(table, made.entries) == 0);
        REQUIRE(made.entries.size() <= table.size());
        REQUIRE(made.bound <= made.entries.size());
      }
  }
}

namespace {

/// The fewest entries that do with the keys 0 to 2^bits what a table does, found from all tables there are: what has been matched
/// by the entries so far is a state, and each set of keys with each route leads on where no key goes wrong.
std::size_t fewest(std::span<const TableEntry> table, unsigned bits) {
  const std::uint32_t keys = 1U << bits;
  std::vector<const TableEntry*> demanded(keys);
  std::vector<Route> routes;
  std::uint32_t needed = 0;
  for (std::uint32_t key = 0; key < keys; ++key) {
    demanded[key] = first_match(table, key);
    if (demanded[key] == nullptr) continue;
    if (!goes_straight_on(*demanded[key])) needed |= 1U << key;
    routes.push_back(demanded[key]->route);
  }
  std::vector<std::uint32_t> now{0}, then;
  std::vector<bool> is_known(std::size_t{1} << keys);
  for (std::size_t entries = 0;; ++entries, now.swap(then), then.clear())
    for (const std::uint32_t matched : now) {
      if ((needed & ~matched) == 0) return entries;
      for (std::uint32_t mask = 0; mask < keys; ++mask)
        for (std::uint32_t value = 0; value < keys; ++value) {
          if ((value & ~mask) != 0) continue;
          std::uint32_t next = matched;
          Route route = 0;
          bool is_right = true;
          for (std::uint32_t key = 0; key < keys; ++key) {
            if ((key & mask) != value || (matched >> key & 1) != 0 || demanded[key] == nullptr) continue;
            is_right = is_right && (route == 0 || route == demanded[key]->route);
            route = demanded[key]->route, next |= 1U << key;
          }
          if (is_right && !is_known[next]) is_known[next] = true, then.push_back(next);
        }
    }
}

} // namespace

TEST_CASE("compression: an exact table has as many entries as the best of all tables, and no bound is above that") {
  mapping::Compressor compressor;
  std::size_t better = 0, proved = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 draw(seed);
    const unsigned bits = seed % 100 == 0 ? 4 : 1 + seed % 3;
    Space space;
    for (unsigned bit = 0; bit < bits; ++bit) space.bits.push_back(bit);
    const auto entries = static_cast<std::size_t>(1 + draw() % space.size());
    const auto routes = static_cast<unsigned>(1 + draw() % 4);
    const auto table = random_table(draw, space, entries, routes, 0);
    const std::size_t least = fewest(table, bits);
    CAPTURE(seed, bits, least);
    const auto exact = compressor.compress(table, {.merging = Merging::exact});
    CHECK(exact.entries.size() == least);
    CHECK(exact.bound == least);
    CHECK(space.wrong(table, exact.entries) == 0);
    for (const Merging merging : all_ways) {
      const auto made = compressor.compress(table, {.merging = merging, .moves = 3000, .bound = 1000});
      CHECK(made.entries.size() >= least);
      CHECK(made.bound <= least);
      better += made.entries.size() > least;
      proved += made.bound == least;
    }
  }
  CHECK(better > 0); // the tables are not all easy
  CHECK(proved > 600);
}

TEST_CASE("compression: bounds of larger tables are below what exact ones need") {
  mapping::Compressor compressor;
  mapping::detail::TableItems items;
  mapping::detail::RouteBound bound;
  std::size_t above_routes = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 draw(seed);
    Space space;
    for (unsigned bit = 0; bit < 5 + seed % 3; ++bit) space.bits.push_back(bit);
    const auto routes = static_cast<unsigned>(2 + draw() % 5);
    const auto table = random_table(draw, space, 22, routes, 0);
    items.read(table, true), items.sort();
    const std::size_t proved = bound.find(items, 1000);
    const auto exact = compressor.compress(table, {.merging = Merging::exact});
    CAPTURE(seed, proved, exact.bound);
    CHECK(proved <= exact.entries.size());
    CHECK(space.wrong(table, exact.entries) == 0);
    above_routes += proved > mapping::detail::RouteBound::routes(items);
  }
  CHECK(above_routes > 50);
}

TEST_CASE("compression: a wrong merge is seen by the test") {
  Space space;
  for (unsigned bit = 0; bit < 6; ++bit) space.bits.push_back(bit);
  std::size_t seen = 0, changed = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    std::mt19937 draw(seed);
    const auto table = random_table(draw, space, 30, 4, 20);
    auto made = mapping::compress(table, {.default_routes = false, .moves = 500}).entries;
    REQUIRE(space.wrong(table, made) == 0);
    if (made.size() < 2) continue;
    ++changed;
    if (seed % 2 == 0) { // one key too many
      made.front().keys.mask &= made.front().keys.mask - 1, made.front().keys.key &= made.front().keys.mask;
      made.front().route ^= 1U << 30;
    } else { // one target too many
      made[draw() % made.size()].route ^= 1U << 30;
    }
    seen += space.wrong(table, made) != 0;
  }
  CHECK(seen == changed);
}

TEST_CASE("compression: the order of a table counts, and that of its entries in what comes out") {
  Space space;
  for (unsigned bit = 0; bit < 4; ++bit) space.bits.push_back(bit);
  const std::uint32_t all = ~0U;
  // One key before all others; the same behind them is hidden.
  const std::vector<TableEntry> first{{{5, all}, 64, 64}, {{0, all << 4}, 128, 64}};
  const std::vector<TableEntry> second{{{0, all << 4}, 128, 64}, {{5, all}, 64, 64}};
  for (const Merging merging : all_ways) {
    const auto kept = mapping::compress(first, {.merging = merging});
    CHECK(kept.entries.size() == 2);
    CHECK(space.wrong(first, kept.entries) == 0);
    const auto hidden = mapping::compress(second, {.merging = merging});
    CHECK(hidden.entries.size() == 1);
    CHECK(space.wrong(second, hidden.entries) == 0);
  }
  // A default entry under an entry that goes elsewhere must stay, as the entry below would take its keys.
  const std::vector<TableEntry> under{{{5, all}, 1, 8}, {{0, all << 4}, 128, 64}};
  for (const Merging merging : all_ways) {
    const auto kept = mapping::compress(under, {.merging = merging});
    CHECK(kept.entries.size() == 2);
    CHECK(space.wrong(under, kept.entries) == 0);
  }
  // Two routes: without an order they would be three entries.
  std::vector<TableEntry> turns;
  for (std::uint32_t key = 0; key < 16; ++key) turns.push_back({{key, all}, key % 4 == 1 ? 64U : 128U, 64});
  for (const Merging merging : {Merging::in_turn, Merging::searched, Merging::ordered_covering, Merging::exact}) {
    const auto kept = mapping::compress(turns, {.merging = merging});
    CHECK(kept.entries.size() == 2);
    CHECK(space.wrong(turns, kept.entries) == 0);
  }
}

TEST_CASE("compression: tables at their ends") {
  mapping::Compressor compressor;
  const std::uint32_t all = ~0U;
  for (const Merging merging : all_ways) {
    CAPTURE(int(merging));
    CHECK(compressor.compress({}, {.merging = merging}).entries.empty());
    const std::vector<TableEntry> one{{{7, all}, 64, 64}};
    CHECK(compressor.compress(one, {.merging = merging}).entries.size() == 1);
    const std::vector<TableEntry> everything{{{0, 0}, 64, 64}, {{7, all}, 128, 64}, {{0, 0}, 1, 8}};
    const auto made = compressor.compress(everything, {.merging = merging});
    REQUIRE(made.entries.size() == 1);
    CHECK(made.entries[0].keys == KeyMask{0, 0});
    CHECK(made.entries[0].route == 64);
    const std::vector<TableEntry> empty{{{all, 0}, all, 0},
                                        {{7, all}, 64, 64}}; // as routers are before they are loaded
    CHECK(compressor.compress(empty, {.merging = merging}).entries.size() == 1);

    for (const std::uint32_t count : {1023U, 1024U}) {
      std::vector<TableEntry> same, different;
      for (std::uint32_t key = 0; key < count; ++key) {
        same.push_back({{key << 7, all}, 64, 64});
        different.push_back({{key << 7, all}, 64 + key, 64});
      }
      if (merging != Merging::none) {
        const auto few = compressor.compress(same, {.merging = merging});
        CHECK(few.entries.size() == 1);
        CHECK(few.bound == 1);
      }
      const auto many = compressor.compress(different, {.merging = merging});
      CHECK(many.entries.size() == count);
      CHECK(many.bound == count);
      const auto fits = compressor.compress(same, {.merging = merging, .target = 1023});
      CHECK((merging == Merging::none ? fits.entries.size() == count : fits.entries.size() <= 1023));
    }
  }
}

TEST_CASE("compression: it ends when the table fits, and the same seed finds the same") {
  std::mt19937 draw(1);
  const Space space = random_space(draw, 12);
  const auto table = random_table(draw, space, 900, 8, 0);
  mapping::Compressor compressor;
  const auto full = compressor.compress(table, {.merging = Merging::in_turn});
  const std::size_t whole = compressor.compress(table, {.merging = Merging::none}).entries.size();
  REQUIRE(full.entries.size() + 20 < whole);
  for (const Merging merging : {Merging::in_turn, Merging::searched, Merging::ordered_covering})
    for (const std::size_t target : {whole - 1, whole - 10}) {
      const auto made = compressor.compress(table, {.merging = merging, .target = target, .moves = 100});
      CHECK(made.entries.size() <= target);
      CHECK(made.entries.size() + 30 > target);
      CHECK(space.wrong(table, made.entries) == 0);
    }
  std::size_t all_searched = 0, all_full = 0;
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    std::mt19937 other(seed);
    const auto small = random_table(other, space, 120, 10, 0);
    const auto moved = compressor.compress(small, {.moves = 20000, .seed = seed});
    CHECK(space.wrong(small, moved.entries) == 0);
    all_searched += moved.entries.size();
    all_full += compressor.compress(small, {.merging = Merging::in_turn}).entries.size();
  }
  CHECK(all_searched < all_full);
  const auto searched = compressor.compress(table, {.moves = 20000, .seed = 5});
  const auto again = mapping::compress(table, {.moves = 20000, .seed = 5});
  REQUIRE(again.entries.size() == searched.entries.size());
  bool is_same = true;
  for (std::size_t at = 0; at < again.entries.size(); ++at)
    is_same = is_same && again.entries[at].keys == searched.entries[at].keys &&
              again.entries[at].route == searched.entries[at].route &&
              again.entries[at].from == searched.entries[at].from;
  CHECK(is_same);
  const auto none = compressor.compress(table, {.moves = ~std::uint64_t{0} / 16, .seconds = 0.0});
  CHECK(none.entries.size() == full.entries.size());
}
