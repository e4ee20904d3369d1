// SPDX-License-Identifier: BSL-1.0
// Keys of partitions: enough for each, no key of two, where a user wants them, refused in words where there are none; counted
// one by one in a small range of keys.
#include <neuromorph/mapping/keys.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/mapping/detail/draw.hpp>

#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph::mapping;
using neuromorph::Error;
using neuromorph::mapping::detail::Draw;

constexpr unsigned low_bits = 12;
constexpr std::uint32_t end_of_keys = 1U << low_bits, nobody = 0xFFFFFFFF;

/// A graph of partitions with so many keys, each of a vertex of its own.
MachineGraph graph_of(const std::vector<std::uint32_t>& keys) {
  MachineGraph graph;
  for (std::uint32_t at = 0; at < keys.size(); ++at) {
    graph.add({});
    graph.connect(at, std::vector<Vertex>{0}, {.keys = keys[at]});
  }
  return graph;
}

/// [key] the partition that has it, or nobody; keys that two have are counted.
struct Owners {
  std::vector<std::uint32_t> of = std::vector<std::uint32_t>(end_of_keys, nobody);
  std::uint32_t doubles = 0;

  void add(const KeyMask& keys, std::uint32_t partition) {
    for (std::uint32_t key = 0; key < end_of_keys; ++key)
      if (keys.matches(key)) {
        doubles += of[key] != nobody && of[key] != partition;
        of[key] = partition;
      }
  }
};

/// Whether blocks of these sizes, as powers of two, fit into the free keys: by halving free blocks.
bool blocks_fit(const std::vector<std::uint32_t>& bits, const Owners& taken) {
  std::vector<std::uint64_t> free(low_bits + 1), wanted(low_bits + 1);
  for (const std::uint32_t one : bits) {
    if (one > low_bits) return false;
    ++wanted[one];
  }
  std::vector<std::uint8_t> is_free(end_of_keys);
  for (std::uint32_t key = 0; key < end_of_keys; ++key) is_free[key] = taken.of[key] == nobody;
  for (unsigned size = low_bits + 1; size-- != 0;)
    for (std::uint32_t key = 0; key < end_of_keys; key += 1U << size)
      if (std::all_of(is_free.begin() + key, is_free.begin() + key + (1 << size), [](auto one) { return one != 0; })) {
        ++free[size];
        std::fill_n(is_free.begin() + key, 1U << size, std::uint8_t{0});
      }
  for (unsigned size = low_bits + 1; size-- != 0;) {
    if (wanted[size] > free[size]) return false;
    if (size != 0) free[size - 1] += 2 * (free[size] - wanted[size]);
  }
  return true;
}

std::uint32_t bits_of(std::uint32_t keys) {
  return keys <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(keys - 1));
}

/// The least block of a power of two that has all of these keys.
KeyMask around(const std::vector<KeyMask>& all) {
  std::uint32_t lowest = 0xFFFFFFFF, highest = 0;
  for (const KeyMask& one : all)
    lowest = (std::min)(lowest, one.key), highest = (std::max)(highest, one.key | ~one.mask);
  const unsigned bits = lowest == highest ? 0U : static_cast<unsigned>(std::bit_width(lowest ^ highest));
  const std::uint32_t mask = bits == 32 ? 0U : ~0U << bits;
  return {lowest & mask, mask};
}

} // namespace

TEST_CASE("keys: of random zones beside fixed keys each is somebody's alone, and refused only where halves of blocks "
          "do not fit") {
  std::uint32_t made = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    Draw draw(seed);
    INFO("seed " << seed);
    const std::uint32_t count = 1 + draw.below(40), zones = 1 + draw.below(8), most_bits = draw.below(9);
    std::vector<std::uint32_t> keys(count);
    for (std::uint32_t& one : keys) one = draw.below((1U << draw.below(most_bits + 1)) + 1);
    const MachineGraph graph = graph_of(keys);
    Zones zone_of(count);
    for (std::uint32_t& one : zone_of) one = 1000 * draw.below(zones);
    // Some fixed ones, with holes in the masks of half of the runs.
    Constraints constraints;
    Owners fixed;
    std::vector<std::uint8_t> is_fixed(count);
    for (std::uint32_t at = 0; at < count; ++at) {
      if (draw.below(8) != 0) continue;
      std::uint32_t mask = ~0U << bits_of(keys[at]);
      if (seed % 2 == 0) {
        mask = ~0U;
        for (std::uint32_t zeros = bits_of(keys[at]); zeros != 0;)
          if (const std::uint32_t bit = 1U << draw.below(low_bits); (mask & bit) != 0) mask ^= bit, --zeros;
      }
      const KeyMask one{draw.below(end_of_keys) & mask, mask};
      Owners with = fixed;
      with.add(one, at);
      if (with.doubles != 0) continue;
      fixed = with, is_fixed[at] = 1;
      constraints.fixed_keys.push_back({at, one});
    }
    for (const KeyMasks masks : {KeyMasks::automatic, KeyMasks::fixed, KeyMasks::flexible, KeyMasks::packed}) {
      const auto answer = make_keys(graph, zone_of, constraints, {.masks = masks, .last = end_of_keys - 1});
      // What must fit: a block for each zone.
      std::vector<std::uint32_t> each(count), number(count), sizes;
      std::uint32_t most_each = 0, most_number = 0;
      std::vector<std::uint32_t> different(zone_of);
      std::sort(different.begin(), different.end());
      different.erase(std::unique(different.begin(), different.end()), different.end());
      const auto sizes_of = [&](KeyMasks how) {
        sizes.clear();
        for (const std::uint32_t zone : different) {
          std::uint32_t most = 0, members = 0, sum = 0;
          for (std::uint32_t at = 0; at < count; ++at)
            if (zone_of[at] == zone && is_fixed[at] == 0)
              most = (std::max)(most, bits_of(keys[at])), ++members, sum += 1U << bits_of(keys[at]);
          if (members == 0) continue;
          most_each = (std::max)(most_each, most), most_number = (std::max)(most_number, bits_of(members));
          sizes.push_back(how == KeyMasks::packed ? bits_of(sum) : most + bits_of(members));
        }
        if (how == KeyMasks::fixed) std::fill(sizes.begin(), sizes.end(), most_each + most_number);
      };
      sizes_of(masks == KeyMasks::automatic ? KeyMasks::packed : masks);
      // Blocks beside scattered keys are the first that are free, which is right for all blocks of one size.
      CHECK(answer.ok() == blocks_fit(sizes, fixed));
      if (!answer) {
        ++refused;
        CHECK(answer.status().error == Error::unmappable);
        continue;
      }
      ++made;
      const Keys& got = answer.value();
      REQUIRE(got.size() == count);
      Owners owners;
      for (std::uint32_t at = 0; at < count; ++at) {
        CHECK((got[at].key & ~got[at].mask) == 0);
        CHECK((got[at].key | ~got[at].mask) < end_of_keys);
        const auto zeros = static_cast<std::uint32_t>(std::popcount(~got[at].mask));
        CHECK((1U << zeros) >= keys[at]);
        if (masks == KeyMasks::packed && is_fixed[at] == 0) CHECK(zeros == bits_of(keys[at]));
        if (masks == KeyMasks::fixed && is_fixed[at] == 0) CHECK(zeros == most_each);
        owners.add(got[at], at);
      }
      CHECK(owners.doubles == 0);
      CHECK(verify(graph, constraints, got).ok());
      for (const FixedKeys& one : constraints.fixed_keys) CHECK(got[one.partition] == one.keys);
      // The block round a zone has keys of nobody else, and its partitions follow each other.
      for (const std::uint32_t zone : different) {
        std::vector<KeyMask> all;
        for (std::uint32_t at = 0; at < count; ++at)
          if (zone_of[at] == zone && is_fixed[at] == 0) all.push_back(got[at]);
        if (all.empty()) continue;
        const KeyMask block = around(all);
        for (std::uint32_t key = 0; key < end_of_keys; ++key)
          if (block.matches(key) && owners.of[key] != nobody)
            CHECK((zone_of[owners.of[key]] == zone && is_fixed[owners.of[key]] == 0));
        if (masks != KeyMasks::packed && masks != KeyMasks::automatic)
          for (std::size_t at = 1; at < all.size(); ++at) {
            CHECK(all[at].mask == all[0].mask);
            CHECK(all[at].key == (all[at - 1].key | ~all[at - 1].mask) + 1);
          }
      }
    }
  }
  CHECK(made > 500);
  CHECK(refused > 100);
}

TEST_CASE("keys: automatic masks are the first that fit") {
  // Zones of 4 x 1 and 1 x 16 keys: fixed masks need 2 x 64, flexible ones 4 + 16.
  const MachineGraph graph = graph_of({1, 1, 1, 1, 16});
  const Zones zones{0, 0, 0, 0, 1};
  const auto with = [&](std::uint32_t last) { return make_keys(graph, zones, {}, {.last = last}).value(); };
  CHECK(with(127)[0] == KeyMask{0, 0xFFFFFFF0});
  CHECK(with(127)[4] == KeyMask{64, 0xFFFFFFF0});
  CHECK(with(126)[4] == KeyMask{0, 0xFFFFFFF0});
  CHECK(with(126)[3] == KeyMask{19, 0xFFFFFFFF});
  const MachineGraph mixed = graph_of({4, 1, 1, 1});
  CHECK(make_keys(mixed, Zones{0, 0, 0, 0}, {}, {.last = 15}).value()[3] == KeyMask{12, 0xFFFFFFFC});
  CHECK(make_keys(mixed, Zones{0, 0, 0, 0}, {}, {.last = 7}).value()[3] == KeyMask{6, 0xFFFFFFFF});
  CHECK(make_keys(mixed, Zones{0, 0, 0, 0}, {}, {.last = 6}).status().error == Error::unmappable);
}

TEST_CASE("keys: all 2^32 can be given") {
  MachineGraph graph;
  for (Vertex at = 0; at < 3; ++at) graph.add({});
  graph.connect(0, std::vector<Vertex>{1}, {.keys = 1U << 31});
  graph.connect(1, std::vector<Vertex>{1}, {.keys = (1U << 30) + 1});
  const auto keys = make_keys(graph, Zones{0, 1});
  REQUIRE(keys.ok());
  CHECK(keys.value()[0] == KeyMask{0, 0x80000000});
  CHECK(keys.value()[1] == KeyMask{0x80000000, 0x80000000});
  graph.connect(2, std::vector<Vertex>{1}, {.keys = 1});
  CHECK(make_keys(graph, Zones{0, 1, 2}).sentence() ==
        "keys: zones of 4294967297 keys in all do not fit between 0x00000000 and 0xffffffff");
  MachineGraph one;
  one.add({});
  one.connect(0, std::vector<Vertex>{0}, {.keys = 0xFFFFFFFF});
  CHECK(make_keys(one, Zones{7}).value()[0] == KeyMask{0, 0});
  CHECK(make_keys(MachineGraph{}, Zones{}).value().empty());
}

TEST_CASE("keys: large zones go round fixed ones, and small ones into the gaps") {
  const MachineGraph graph = graph_of({1, 1U << 10, 1U << 9, 1U << 8, 1});
  Constraints constraints;
  constraints.fixed_keys.push_back({0, {0, 0xFFFFFFFF}});
  const auto keys = make_keys(graph, Zones{0, 1, 2, 3, 4}, constraints, {.masks = KeyMasks::packed, .last = 2047});
  REQUIRE(keys.ok());
  CHECK(keys.value()[1].key == 1024);
  CHECK(keys.value()[2].key == 512);
  CHECK(keys.value()[3].key == 256);
  CHECK(keys.value()[4].key == 1);
}

TEST_CASE("keys: those that share get the same, as many as the greediest needs") {
  MachineGraph graph;
  graph.add({}), graph.add({});
  for (const std::uint32_t keys : {1U, 20U, 3U, 5U})
    graph.connect(keys == 3 ? 1 : 0, std::vector<Vertex>{1}, {.keys = keys});
  Constraints constraints;
  constraints.same_keys = {{3, 0}, {1, 3}};
  for (const KeyMasks masks : {KeyMasks::fixed, KeyMasks::flexible, KeyMasks::packed}) {
    const auto keys = make_keys(graph, Zones{0, 1, 2, 3}, constraints, {.masks = masks});
    REQUIRE(keys.ok());
    CHECK(keys.value()[0].mask == 0xFFFFFFE0);
    CHECK(keys.value()[1] == keys.value()[0]);
    CHECK(keys.value()[3] == keys.value()[0]);
    CHECK(!detail::overlap(keys.value()[2], keys.value()[0]));
    CHECK(verify(graph, constraints, keys.value()).ok());
    CHECK(verify(graph, {}, keys.value()).status.error == Error::keys_overlap);
  }
  constraints.fixed_keys.push_back({3, {0x100, 0xFFFFFF00}});
  const auto keys = make_keys(graph, Zones{0, 1, 2, 3}, constraints).value();
  CHECK(keys[0] == KeyMask{0x100, 0xFFFFFF00});
  CHECK(keys[1] == keys[0]);

  const Joined made = joined(graph, constraints);
  CHECK(made.graph.partitions() == 2);
  CHECK(made.partition_of == std::vector<Partition>{0, 0, 1, 0});
  CHECK(made.graph.options(0).keys == 20);
  CHECK(made.graph.options(0).packets_per_step == 3.0);
  CHECK(made.graph.targets(0).size() == 1);
  CHECK(made.graph.source(1) == 1);
}

TEST_CASE("keys: conflicts are explained") {
  MachineGraph graph;
  graph.add({}, "retina"), graph.add({}, "eye");
  graph.connect(0, std::vector<Vertex>{1}, {.identifier = "on", .keys = 256});
  graph.connect(1, std::vector<Vertex>{1}, {.identifier = "off", .keys = 2});
  const auto why = [&](const Constraints& constraints) {
    const auto answer = make_keys(graph, Zones{0, 0}, constraints);
    return answer.ok() ? std::string("ok") : answer.sentence();
  };
  CHECK(why({.fixed_keys = {{0, {0x1200, 0xFFFFFF00}}, {1, {0x12F0, 0xFFFFFFF0}}}}) ==
        "partition 1, off, of vertex 1, eye: its keys 0x000012f0/0xfffffff0 and 0x00001200/0xffffff00 of partition 0, "
        "on, of "
        "vertex 0, retina have 0x000012f0 in common");
  CHECK(why({.fixed_keys = {{0, {0x1200, 0xFFFFFF80}}}}) ==
        "partition 0, on, of vertex 0, retina: sends 256 keys, and its fixed keys 0x00001200/0xffffff80 are 128");
  CHECK(why({.fixed_keys = {{1, {0x1201, 0xFFFFFFF0}}}}) ==
        "partition 1, off, of vertex 1, eye: its fixed keys 0x00001201/0xfffffff0 have bits outside their mask");
  CHECK(why({.fixed_keys = {{1, {0x1200, 0xFFFFFFF0}}, {1, {0x1300, 0xFFFFFFF0}}}}) ==
        "partition 1, off, of vertex 1, eye: must have the keys 0x00001300/0xfffffff0 and 0x00001200/0xfffffff0");
  CHECK(why({.fixed_keys = {{2, {}}}}) == "fixed_keys: partition 2 is named, and the graph has 2");
  CHECK(why({.same_keys = {{0, 2}}}) == "same_keys: partition 2 is named, and the graph has 2");
  CHECK(why({.same_keys = {{0, 1}}}) == "partition 1, off, of vertex 1, eye: must have the same keys as partition 0, "
                                        "on, of vertex 0, retina, and routers could "
                                        "not tell packets of two sources by them");
  CHECK(why({.fixed_keys = {{0, {0x1200, 0xFFFFFF00}}, {1, {0x12F0, 0xFFFFFFF0}}}}).size() > 2);
  CHECK(make_keys(graph, Zones{0}).status().error == Error::lengths_differ);
  CHECK(make_keys(graph, Zones{0, 0}, {}, {.first = 2, .last = 1}).status().error == Error::parameters_contradict);
  CHECK(make_keys(graph, Zones{0, 0}, {.fixed_keys = {{0, {0, 0}}}}).sentence() ==
        "keys: zones of 2 keys in all do not fit between 0x00000000 and 0xffffffff beside fixed keys");

  graph.connect(0, std::vector<Vertex>{1});
  CHECK(why({.fixed_keys = {{0, {0x1200, 0xFFFFFF00}}, {2, {0x1300, 0xFFFFFF00}}}, .same_keys = {{0, 2}}}) ==
        "keys: there are 2 zones' numbers, and the graph has 3 partitions");
  CHECK(make_keys(graph, Zones{0, 0, 0},
                  {.fixed_keys = {{0, {0x1200, 0xFFFFFF00}}, {2, {0x1300, 0xFFFFFF00}}}, .same_keys = {{0, 2}}})
            .sentence() ==
        "partition 2 of vertex 0, retina: must have the keys 0x00001300/0xffffff00 and 0x00001200/0xffffff00, "
        "those of partition 0, on, of vertex 0, retina");
}

TEST_CASE("keys: given ones are verified") {
  const MachineGraph graph = graph_of({4, 4});
  CHECK(verify(graph, {}, Keys{{0, ~3U}, {4, ~3U}}).ok());
  CHECK(verify(graph, {}, Keys{{0, ~3U}}).status.error == Error::lengths_differ);
  CHECK(verify(graph, {}, Keys{{0, ~3U}, {4, ~1U}}).status.error == Error::unmappable);
  CHECK(verify(graph, {}, Keys{{0, ~3U}, {5, ~3U}}).status.error == Error::key_outside_mask);
  CHECK(verify(graph, {}, Keys{{0, ~3U}, {0, ~7U}}).status.error == Error::keys_overlap);
  CHECK(verify(graph, {.fixed_keys = {{1, {8, ~3U}}}}, Keys{{0, ~3U}, {4, ~3U}}).status.error ==
        Error::parameters_contradict);
}

TEST_CASE("keys: overlaps are found as pair by pair, ranges or not") {
  std::uint32_t found = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Draw draw(seed);
    INFO("seed " << seed);
    std::vector<KeyMask> keys(1 + draw.below(12));
    for (KeyMask& one : keys) {
      one.mask = seed % 2 == 0 ? ~0U << draw.below(33 - 24) : static_cast<std::uint32_t>(draw.bits() | draw.bits());
      if (seed % 5 == 0 && draw.below(50) == 0) one.mask = 0;
      one.key = static_cast<std::uint32_t>(draw.bits()) & one.mask & (seed % 2 == 0 ? 0x1FFFU : 0x00700E7U);
    }
    bool is_there = false;
    for (std::size_t one = 0; one < keys.size(); ++one)
      for (std::size_t other = 0; other < one; ++other)
        is_there = is_there || (keys[one].key & keys[other].mask) == (keys[other].key & keys[one].mask);
    const detail::Overlap two = detail::find_overlap(keys);
    CHECK(two.is_there() == is_there);
    if (!two.is_there()) continue;
    ++found;
    CHECK(two.first < two.second);
    const std::uint32_t common = keys[two.first].key | keys[two.second].key;
    CHECK(keys[two.first].matches(common));
    CHECK(keys[two.second].matches(common));
  }
  CHECK((found > 300 && found < 2700));
}

TEST_CASE("keys: by chips, each chip and each quarter of the machine has a block of its own") {
  for (const auto& [width, height] : {std::pair{8U, 8U}, std::pair{5U, 8U}, std::pair{8U, 3U}, std::pair{1U, 7U}}) {
    Machine machine = Machine::grid<SpiNNaker1>(width, height).value();
    machine.remove_chip(machine.chip_at(0, 2));
    const Chip device = machine.add_device(0, Link::west, "retina").value();
    MachineGraph graph;
    Placements placed;
    Draw draw(width * height);
    for (Chip chip = 0; chip < machine.chips(); ++chip)
      for (std::uint32_t core = machine.has(chip) ? draw.below(6) : 0; core != 0; --core) {
        graph.add({});
        placed.chip.push_back(chip), placed.core.push_back(static_cast<std::uint8_t>(chip == device ? 0 : core));
      }
    for (std::uint32_t at = 0; at < 300; ++at) {
      const Vertex source = draw.below(graph.vertices());
      graph.connect(source, std::vector<Vertex>{0}, {.keys = 1 + draw.below(20)});
    }
    for (const KeyMasks masks : {KeyMasks::fixed, KeyMasks::flexible, KeyMasks::packed}) {
      INFO(width << " x " << height);
      const auto answer = make_keys(graph, machine, placed, {}, {.masks = masks});
      REQUIRE(answer.ok());
      const Keys& keys = answer.value();
      CHECK(verify(graph, {}, keys).ok());
      for (unsigned shift = 0; shift < (masks == KeyMasks::fixed ? 4U : 1U); ++shift) {
        const auto part = [&](Partition partition) {
          const Chip chip = placed.chip[graph.source(partition)];
          return chip == device ? nobody : (machine.x(chip) >> shift) << 16 | machine.y(chip) >> shift;
        };
        for (Partition one = 0; one < graph.partitions(); ++one) {
          std::vector<KeyMask> all;
          for (Partition other = 0; other < graph.partitions(); ++other)
            if (part(other) == part(one)) all.push_back(keys[other]);
          const KeyMask block = around(all);
          for (Partition other = 0; other < graph.partitions(); ++other)
            if (part(other) != part(one)) CHECK(!block.matches(keys[other].key));
        }
      }
      // On a chip in the order of cores.
      if (masks != KeyMasks::packed)
        for (Partition one = 0; one < graph.partitions(); ++one)
          for (Partition other = 0; other < graph.partitions(); ++other) {
            const Vertex from = graph.source(one), to = graph.source(other);
            if (placed.chip[from] == placed.chip[to] && placed.core[from] < placed.core[to])
              CHECK(keys[one].key < keys[other].key);
          }
    }
    CHECK(make_keys(graph, machine, Placements{}).status().error == Error::lengths_differ);
    placed.chip[0] = machine.chips();
    CHECK(make_keys(graph, machine, placed).status().error == Error::index_out_of_range);
  }
}

TEST_CASE("keys: Hilbert's curve goes from neighbour to neighbour") {
  for (unsigned bits = 0; bits <= 5; ++bits) {
    const std::uint32_t side = 1U << bits;
    std::vector<std::pair<int, int>> at(std::size_t{side} * side, {-9, -9});
    for (std::uint32_t y = 0; y < side; ++y)
      for (std::uint32_t x = 0; x < side; ++x) {
        const std::uint32_t along = detail::along_hilbert(bits, x, y);
        REQUIRE(along < at.size());
        at[along] = {static_cast<int>(x), static_cast<int>(y)};
      }
    for (std::size_t one = 1; one < at.size(); ++one)
      CHECK(std::abs(at[one].first - at[one - 1].first) + std::abs(at[one].second - at[one - 1].second) == 1);
  }
}

TEST_CASE("keys: a user's fields stand where they are said to, and tell partitions apart") {
  const MachineGraph graph = graph_of({5, 8, 1, 2});
  // x in the highest bits, then y, then the own keys in the lowest three.
  auto made = lay_out_keys(graph, {{.name = "x", .values = {0, 3, 1, 2}}, {.name = "y", .values = {1, 0, 1, 0}}});
  REQUIRE(made.ok());
  CHECK(made.value().keys == Keys{{0x08, ~7U}, {0x30, ~7U}, {0x18, ~7U}, {0x20, ~7U}});
  CHECK(made.value().fields[0].lowest == 4);
  CHECK(made.value().fields[0].bits == 2);
  CHECK(made.value().fields[2].lowest == 0);
  CHECK(made.value().fields[2].bits == 3);
  // All where they are wanted.
  made = lay_out_keys(graph,
                      {{.name = "x", .bits = 4, .lowest = 8, .values = {0, 3, 1, 2}},
                       {.name = "kind", .bits = 8, .lowest = 24, .values = {7, 7, 7, 7}}},
                      {.name = "neuron", .bits = 4, .lowest = 16});
  REQUIRE(made.ok());
  CHECK(made.value().keys[1] == KeyMask{0x07000300, ~0xF0000U});
  // Fields that no partition has together have the same bits; those that tell two apart must not be left out.
  constexpr std::uint32_t no = KeyField::absent;
  made = lay_out_keys(graph, {{.name = "kind", .values = {0, 0, 1, 1}},
                              {.name = "x", .values = {2, 3, no, no}},
                              {.name = "y", .values = {no, no, 5, 6}}});
  REQUIRE(made.ok());
  CHECK(made.value().fields[1].lowest == 3);
  CHECK(made.value().fields[2].lowest == 3);
  CHECK(made.value().fields[0].lowest == 6);
  const auto refused =
      lay_out_keys(graph, {{.name = "x", .values = {2, 3, no, no}}, {.name = "y", .values = {no, no, 5, 3}}});
  CHECK(refused.sentence() ==
        "partition 3 of vertex 3: its keys 0x00000018/0xfffffff8 and 0x00000018/0xfffffff8 of partition 1 of vertex 1 "
        "have 0x00000018 in common; it has y 3");
  const auto why = [&](std::vector<KeyField> fields, KeyField own = {.name = "own keys"}) {
    return lay_out_keys(graph, std::move(fields), std::move(own)).sentence();
  };
  CHECK(why({{.name = "x", .values = {0}}}) == "field x: has 1 value, and the graph has 4 partitions");
  CHECK(why({{.name = "x", .bits = 1, .values = {0, 1, 2, 3}}}) ==
        "field x: has 1 bit, and partition 3 of vertex 3 has 3 there");
  CHECK(why({}, {.name = "neuron", .bits = 2}) ==
        "field neuron: has 2 bits, and partition 1 of vertex 1 has 8 keys there");
  CHECK(why({{.name = "x", .bits = 30, .values = {0, 1, 2, 3}}}) ==
        "field x: of 30 bits has no room: of 32 bits 3 are those of own keys");
  CHECK(why({{.name = "x", .bits = 4, .lowest = 29, .values = {0, 1, 2, 3}}}) ==
        "field x: is of 4 bits from bit 29, and a key has 32");
  CHECK(why({{.name = "x", .lowest = 8, .values = {0, 1, 2, 3}}, {.name = "y", .lowest = 9, .values = {0, 1, 2, 3}}}) ==
        "field y: has bits of the field x, and there are keys that have both");
  CHECK(why(std::vector<KeyField>(64, KeyField{.name = "x", .values = {0, 0, 0, 0}})) ==
        "field own keys: is one too many: there may be 64 with that of a partition's own keys");
  // Fixed keys go before fields.
  const auto fixed = lay_out_keys(graph, {{.name = "x", .values = {0, 3, 1, 2}}}, {.name = "own keys"},
                                  {.fixed_keys = {{2, {0x1000, ~0xFFU}}}});
  REQUIRE(fixed.ok());
  CHECK(fixed.value().keys[2] == KeyMask{0x1000, ~0xFFU});
}

TEST_CASE("keys: fields of random graphs hold their values, and of places are a chip's and a core's") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Draw draw(seed);
    INFO("seed " << seed);
    std::vector<std::uint32_t> counts(2 + draw.below(30));
    for (auto& one : counts) one = draw.below(200);
    const MachineGraph graph = graph_of(counts);
    std::vector<KeyField> fields{{.name = "number"}};
    for (std::uint32_t at = 0; at < counts.size(); ++at) fields[0].values.push_back(at);
    for (std::uint32_t more = draw.below(4); more != 0; --more) {
      KeyField field{.name = "f" + std::to_string(more)};
      if (draw.below(3) == 0) field.bits = 6;
      for (std::uint32_t at = 0; at < counts.size(); ++at)
        field.values.push_back(draw.below(2) == 0 ? KeyField::absent : draw.below(40));
      fields.push_back(field);
    }
    const auto made = lay_out_keys(graph, fields);
    REQUIRE(made.ok());
    CHECK(verify(graph, {}, made.value().keys).ok());
    for (std::size_t field = 0; field < fields.size(); ++field)
      for (Partition at = 0; at < graph.partitions(); ++at) {
        const KeyField& placed = made.value().fields[field];
        if (fields[field].values[at] == KeyField::absent) continue;
        const std::uint32_t mask = placed.bits == 0 ? 0U : 0xFFFFFFFFU >> (32 - placed.bits);
        CHECK((made.value().keys[at].key >> placed.lowest & mask) == fields[field].values[at]);
        CHECK((made.value().keys[at].mask >> placed.lowest & mask) == mask);
      }
  }
  Machine machine = Machine::grid<SpiNNaker1>(4, 3).value();
  const Chip device = machine.add_device(0, Link::west, "retina").value();
  const MachineGraph graph = graph_of({10, 10, 10});
  const Placements placed{{machine.chip_at(3, 2), machine.chip_at(3, 0), device}, {17, 1, 0}};
  const auto made = lay_out_keys(graph, fields_of_place(graph, machine, placed), {.name = "neuron"});
  REQUIRE(made.ok());
  CHECK(made.value().keys == Keys{{3 << 11 | 2 << 9 | 17 << 4, ~15U}, {3 << 11 | 1 << 4, ~15U}, {3 << 9, ~15U}});
}
