// SPDX-License-Identifier: BSL-1.0
// Tables from trees and keys: what each router does with each key that comes to it, and with how few entries.
#include <neuromorph/mapping/tables.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

namespace mapping = neuromorph::mapping;
using mapping::Chip;
using mapping::KeyMask;
using mapping::Link;
using mapping::Route;
using mapping::RouteNode;
using mapping::TableEntry;
using neuromorph::Error;

mapping::Machine grid(std::uint32_t width, std::uint32_t height) {
  return mapping::Machine::grid<mapping::SpiNNaker1>(width, height).value();
}

/// Where a router sends a packet that came by a link, or from a core where there is none; written from the paper alone.
Route sent(std::span<const TableEntry> table, std::uint32_t key, unsigned from) {
  for (const TableEntry& one : table)
    if ((key & one.keys.mask) == one.keys.key) return one.route;
  return from < 6 ? Route{1} << ((from + 3) % 6) : 0;
}

struct Given {
  mapping::Routes routes;
  mapping::Keys keys;
  void add(KeyMask key, std::vector<RouteNode> nodes) {
    keys.push_back(key);
    routes.items.insert(routes.items.end(), nodes.begin(), nodes.end());
    routes.end_list();
  }
};

/// What is wrong with the tables: nodes whose packets do not go where their tree leads.
std::size_t wrong(const Given& given, const mapping::Tables& tables) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < given.keys.size(); ++at)
    for (const RouteNode& node : given.routes[at]) {
      std::uint32_t free = ~given.keys[at].mask, part = 0;
      do { // all subsets of the free bits
        if (sent(tables[node.chip], given.keys[at].key | part, node.from) != node.route) ++count;
        part = (part - free) & free;
      } while (part != 0);
    }
  return count;
}

/// Trees with a few routes, so that neighbours have the same one often; keys in blocks of 1 to 4 in 2^bits of them.
Given random_trees(std::mt19937& draw, std::uint32_t chips, unsigned bits, bool in_order) {
  std::vector<KeyMask> keys;
  for (std::uint32_t key = 0; key < 1U << bits;) {
    const std::uint32_t size = 1U << draw() % 3;
    if (key % size == 0 && draw() % 3 != 0)
      keys.push_back({0xABC00000 | key, ~(size - 1)}), key += size;
    else
      ++key;
  }
  if (!in_order)
    for (std::size_t at = keys.size(); at > 1; --at) std::swap(keys[at - 1], keys[draw() % at]);
  const Route routes[] = {1, 8, 9, 64, 2};
  const auto kinds = 1 + draw() % 5;
  Given given;
  for (const KeyMask& key : keys) {
    std::vector<RouteNode> nodes;
    for (Chip chip = 0; chip < chips; ++chip)
      if (draw() % 4 != 0) {
        const Route route = routes[draw() % kinds];
        nodes.push_back({chip, route, static_cast<std::uint8_t>(draw() % 7)});
      }
    given.add(key, nodes);
  }
  return given;
}

/// The fewest aligned blocks for the entries of a chip, found by trying all partitions of their sequence.
std::size_t fewest(const Given& given, Chip chip, bool has_defaults) {
  struct One {
    std::uint32_t low, high;
    Route route;
    bool needs_one;
  };
  std::vector<One> all;
  for (std::size_t at = 0; at < given.keys.size(); ++at)
    for (const RouteNode& node : given.routes[at])
      if (node.chip == chip)
        all.push_back({given.keys[at].key, given.keys[at].key | ~given.keys[at].mask, node.route,
                       !has_defaults || node.from == 6 || node.route != Route{1} << ((node.from + 3) % 6)});
  std::sort(all.begin(), all.end(), [](const One& a, const One& b) { return a.low < b.low; });
  std::vector<std::size_t> least(all.size() + 1, 0);
  for (std::size_t end = 1; end <= all.size(); ++end) {
    least[end] = all[end - 1].needs_one ? SIZE_MAX : least[end - 1];
    for (std::size_t from = 0; from < end; ++from) {
      std::uint32_t size = 1;
      while (all[from].low / size != all[end - 1].high / size) size *= 2;
      const std::uint32_t low = all[from].low / size * size, high = low + (size - 1);
      bool fits = true;
      for (const One& other : all)
        if (other.low <= high && other.high >= low && other.route != all[from].route) fits = false;
      if (fits) least[end] = (std::min)(least[end], least[from] + 1);
    }
  }
  return least.back();
}

} // namespace

TEST_CASE("tables: each packet goes where its tree leads, with as few aligned blocks as there can be") {
  const mapping::Machine machine = grid(3, 2);
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 draw(seed);
    const Given given = random_trees(draw, machine.grid_chips(), 1 + seed % 7, seed % 3 != 0);
    CAPTURE(seed, given.keys.size());
    for (const bool merges : {false, true})
      for (const bool has_defaults : {false, true}) {
        const auto made =
            mapping::make_tables(machine, given.routes, given.keys, {.merge = merges, .default_routes = has_defaults});
        REQUIRE(made.ok());
        REQUIRE(made.value().size() == machine.grid_chips());
        REQUIRE(wrong(given, made.value()) == 0);
        if (merges)
          for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
            REQUIRE(made.value()[chip].size() == fewest(given, chip, has_defaults));
      }
  }
}

TEST_CASE("tables: an entry is left out where its packets come by one link and leave by the opposite one alone") {
  const mapping::Machine machine = grid(2, 1);
  for (std::uint8_t from = 0; from < 7; ++from)
    for (unsigned to = 0; to < 7; ++to)
      for (const Route also : {Route{0}, Route{1} << 9}) {
        Given given;
        given.add({16, 0xFFFFFFF0}, {{1, Route{1} << to | also, from}});
        const auto made = mapping::make_tables(machine, given.routes, given.keys);
        REQUIRE(made.ok());
        const bool is_left_out = from < 6 && also == 0 && to == (from + 3U) % 6;
        CHECK(made.value()[1].size() == (is_left_out ? 0 : 1));
        CHECK(made.value()[0].empty());
        CHECK(mapping::make_tables(machine, given.routes, given.keys, {.default_routes = false}).value()[1].size() ==
              1);
      }
}

TEST_CASE("tables: what is left out keeps others from being merged over it") {
  const mapping::Machine machine = grid(1, 1);
  Given given; // keys 0 and 3 go north; key 1 comes from the west and goes on east
  given.add({0, ~0U}, {{0, 4, 6}});
  given.add({1, ~0U}, {{0, 1, 3}});
  given.add({3, ~0U}, {{0, 4, 6}});
  const auto made = mapping::make_tables(machine, given.routes, given.keys);
  REQUIRE(made.ok());
  CHECK(made.value()[0].size() == 2);
  CHECK(wrong(given, made.value()) == 0);
}

TEST_CASE("tables: masks with holes are left as they are") {
  const mapping::Machine machine = grid(1, 1);
  Given given;
  given.add({0, 0xFFFFFFF5}, {{0, 4, 6}}); // 0, 2, 8, 10
  given.add({1, 0xFFFFFFFF}, {{0, 1, 6}});
  given.add({4, 0xFFFFFFFF}, {{0, 4, 6}});
  given.add({5, 0xFFFFFFFF}, {{0, 4, 6}});
  const auto made = mapping::make_tables(machine, given.routes, given.keys);
  REQUIRE(made.ok());
  CHECK(made.value()[0].size() == 4);
  CHECK(wrong(given, made.value()) == 0);
}

TEST_CASE("tables: partitions that share their keys share entries") {
  const mapping::Machine machine = grid(2, 1);
  Given given; // both from chip 0: north and to core 3 there, the second east to chip 1, too
  given.add({0x100, ~0U}, {{0, 4, 6}});
  given.add({0x100, ~0U}, {{0, 1 | 512, 6}, {1, 64, 3}});
  const auto made = mapping::make_tables(machine, given.routes, given.keys);
  REQUIRE(made.ok());
  REQUIRE(made.value()[0].size() == 1);
  CHECK(made.value()[0][0].route == (1 | 4 | 512));
  CHECK(made.value()[1][0].route == 64);

  Given meeting; // from two sides, to the same targets: not from one link alone, so that it cannot be left out
  meeting.add({0x100, ~0U}, {{0, 1, 3}});
  meeting.add({0x100, ~0U}, {{0, 1, 2}});
  const auto met = mapping::make_tables(machine, meeting.routes, meeting.keys);
  REQUIRE(met.ok());
  REQUIRE(met.value()[0].size() == 1);
  CHECK(met.value()[0][0].from == (8 | 4));
}

TEST_CASE("tables: what cannot be is refused in words") {
  const mapping::Machine machine = grid(3, 2);
  Given given;
  given.add({0x100, ~0U}, {{4, 4, 6}});
  given.keys.push_back({});
  auto made = mapping::make_tables(machine, given.routes, given.keys);
  REQUIRE(!made);
  CHECK(made.status().error == Error::lengths_differ);
  CHECK(made.sentence() == "tables: there are 1 trees and 2 keys");

  given.keys = {{0x101, 0xFFFFFF00}};
  made = mapping::make_tables(machine, given.routes, given.keys);
  REQUIRE(!made);
  CHECK(made.status().error == Error::key_outside_mask);
  CHECK(made.sentence() == "partition 0: its keys 0x00000101/0xffffff00 have bits outside their mask");

  given.keys = {{0x100, ~0U}};
  given.add({0x200, ~0U}, {{0, 1, 6}, {6, 1, 3}});
  made = mapping::make_tables(machine, given.routes, given.keys);
  REQUIRE(!made);
  CHECK(made.status().error == Error::index_out_of_range);
  CHECK(made.sentence() == "partition 1: its tree has a node on chip 6, and the machine has 6");

  Given meeting;
  meeting.add({0x100, ~0U}, {{4, 4, 3}});
  meeting.add({0x100, ~0U}, {{4, 1, 6}});
  made = mapping::make_tables(machine, meeting.routes, meeting.keys);
  REQUIRE(!made);
  CHECK(made.status().error == Error::parameters_contradict);
  CHECK(made.sentence() == "chip (1, 1): packets of two partitions with the keys 0x00000100/0xffffffff come to it from "
                           "different sides and go on to different targets");

  for (const KeyMask other : {KeyMask{0x100, 0xFFFFFF00}, KeyMask{0x1F0, 0xFFFFFFF0}}) {
    Given overlapping;
    overlapping.add(other, {{4, 4, 3}});
    overlapping.add({other.key | 3, 0xFFFFFFFF}, {{4, 4, 3}});
    made = mapping::make_tables(machine, overlapping.routes, overlapping.keys);
    REQUIRE(!made);
    CHECK(made.status().error == Error::keys_overlap);
  }
  CHECK(made.sentence() == "chip (1, 1): partitions that meet there have the keys 0x000001f0/0xfffffff0 and "
                           "0x000001f3/0xffffffff, some of which are the same");
}

TEST_CASE("tables: one that is too long is compressed until it fits, and refused in words where it never does") {
  const mapping::Machine machine = grid(2, 1);
  const auto many = [](std::uint32_t shared) {
    Given given; // 1100 keys; those that differ in a bit have the same route
    for (std::uint32_t key = 0; key < 1100; ++key)
      given.add({key << 4, 0xFFFFFFF0}, {{1, Route{1 + (key & ~shared)} << 6, 6}});
    return given;
  };
  const Given some = many(2);
  const auto made = mapping::make_tables(machine, some.routes, some.keys);
  REQUIRE(made.ok());
  CHECK(made.value()[1].size() <= 1023);
  CHECK(wrong(some, made.value()) == 0);
  CHECK(made.value()[0].empty());

  const Given all = many(0);
  const auto refused = mapping::make_tables(machine, all.routes, all.keys);
  REQUIRE(!refused);
  CHECK(refused.status().error == Error::unmappable);
  CHECK(refused.sentence() ==
        "chip (1, 0): its router needs 1100 entries, compressed from 1100, and has room for 1023");

  for (const std::uint32_t entries : {1023U, 1024U}) { // all that fits is loaded as it is
    Given full;
    for (std::uint32_t key = 0; key < entries; ++key) full.add({key << 4, ~0U}, {{1, Route{1 + key} << 6, 6}});
    CHECK(mapping::make_tables(machine, full.routes, full.keys).ok() == (entries == 1023));
  }
}
