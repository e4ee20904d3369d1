// SPDX-License-Identifier: BSL-1.0
// How many boards a graph needs: against counting by hand, against trying all packings, and what is said of it.
#include <neuromorph/mapping/discovery.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

using neuromorph::Error;
namespace mapping = neuromorph::mapping;
using mapping::boards_needed;
using mapping::Constraints;
using mapping::MachineGraph;
using mapping::no_chip;
using mapping::Resources;
using mapping::SizeLimit;

MachineGraph graph_of(std::uint32_t count, const Resources& resources) {
  MachineGraph graph;
  for (std::uint32_t vertex = 0; vertex < count; ++vertex) graph.add(resources);
  return graph;
}
struct Item {
  std::uint32_t cores, bytes;
};
/// Few of everything, so that all packings can be tried.
struct Tiny {
  static constexpr mapping::ChipKind kind{
      .cores = 5, .monitors = 1, .clock_mhz = 1, .dtcm_bytes = 9, .sdram_bytes = 20, .router_entries = 1, .tags = 2};
};
/// The fewest chips of Tiny by all packings, as any item can be in any chip.
std::uint32_t fewest(const std::vector<Item>& items) {
  std::vector<Item> chips;
  auto best = static_cast<std::uint32_t>(items.size());
  const std::function<void(std::size_t)> put = [&](std::size_t at) {
    if (chips.size() >= best) return;
    if (at == items.size()) return void(best = static_cast<std::uint32_t>(chips.size()));
    for (std::size_t chip = 0; chip < chips.size(); ++chip) {
      if (chips[chip].cores + items[at].cores > 4 || chips[chip].bytes + items[at].bytes > 20) continue;
      chips[chip].cores += items[at].cores, chips[chip].bytes += items[at].bytes;
      put(at + 1);
      chips[chip].cores -= items[at].cores, chips[chip].bytes -= items[at].bytes;
    }
    chips.push_back(items[at]);
    put(at + 1);
    chips.pop_back();
  };
  put(0);
  return best;
}

} // namespace

TEST_CASE("discovery: ten vertices of 20 MB each need two chips, though one has cores enough") {
  const auto graph = graph_of(10, {.sdram_bytes = 20'000'000});
  const auto needed = boards_needed(graph);
  REQUIRE(needed);
  CHECK(needed.value().chips == 2);
  CHECK(needed.value().chips_for_cores == 1);
  CHECK(needed.value().chips_for_sdram == 2);
  CHECK(needed.value().limit == SizeLimit::sdram);
  CHECK(needed.value().boards == 1);
  CHECK(needed.value().text() ==
        "10 cores, 200000000 bytes of SDRAM and 0 tags need 2 chips on 1 board of 4; SDRAM decides.");
  CHECK(mapping::discover(graph).value() == mapping::board_of_4().value());
  CHECK(mapping::discover(graph, {}, {.takes_board_of_4 = false}).value() == mapping::board_of_48().value());
  // Recorded data count, for so many steps.
  const auto recorded = graph_of(10, {.sdram_per_step = 20'000});
  CHECK(boards_needed(recorded).value().chips == 1);
  CHECK(boards_needed(recorded, {.steps = 1000}).value().chips == 2);
}

TEST_CASE("discovery: cores alone take as many chips and boards as they fill") {
  CHECK(boards_needed(graph_of(0, {})).value().boards == 1);
  CHECK(boards_needed(graph_of(0, {})).value().chips == 0);
  for (const std::uint32_t count : {1U, 17U, 18U, 68U, 69U, 816U, 817U, 2500U, 4896U, 50000U}) {
    const auto graph = graph_of(count, {.dtcm_bytes = 65536});
    const auto needed = boards_needed(graph);
    REQUIRE(needed);
    const std::uint32_t chips = (count + 16) / 17;
    INFO(count);
    CHECK(needed.value().chips == chips);
    CHECK(needed.value().limit == SizeLimit::cores);
    CHECK(needed.value().boards == (chips + 47) / 48);
    CHECK(needed.value().chips_of_board == (chips <= 4 ? 4 : 48));
    CHECK(needed.value().text() ==
          std::to_string(count) + (count == 1 ? " core" : " cores") + ", 0 bytes of SDRAM and 0 tags need " +
              std::to_string(chips) + (chips == 1 ? " chip on " : " chips on ") + std::to_string((chips + 47) / 48) +
              (chips <= 48 ? " board of " : " boards of ") + (chips <= 4 ? "4" : "48") + "; cores decide.");
    const auto machine = mapping::discover(graph);
    REQUIRE(machine);
    CHECK(machine.value().boards() == needed.value().boards);
  }
  // A core that is reserved on each chip is not there.
  CHECK(boards_needed(graph_of(17, {}), {.reserved_cores = {{no_chip, 3}}}).value().chips == 2);
  CHECK(boards_needed(graph_of(17, {}), {.reserved_cores = {{5, 3}}}).value().chips == 1);
  // Devices take none.
  Constraints devices;
  devices.devices = {{3, 100}, {4, 101}};
  CHECK(boards_needed(graph_of(19, {}), devices).value().chips == 1);
  CHECK(boards_needed(graph_of(20, {}), devices).value().chips == 2);
}

TEST_CASE("discovery: a packing keeps within what chips have, and is at most a chip more than the best of few") {
  std::minstd_rand draw(Catch::rngSeed() | 1);
  std::uint32_t more = 0;
  bool seen[3] = {};
  for (int turn = 0; turn < 300; ++turn) {
    const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(draw() % bound); };
    MachineGraph graph;
    Constraints constraints;
    std::vector<Item> items;
    const std::uint32_t groups = 1 + below(8), most = 1 + below(20), share = below(2) * 3;
    for (std::uint32_t group = 0; group < groups; ++group) {
      std::vector<mapping::Vertex> together;
      Item item{0, 0};
      for (std::uint32_t left = 1 + below(1 + share); left != 0; --left) {
        const std::uint32_t bytes = below(most + 1);
        if (item.bytes + bytes > 20) break;
        item.bytes += bytes, ++item.cores;
        together.push_back(graph.add({.sdram_bytes = bytes}));
      }
      if (together.size() > 1 && below(2) == 0 && item.bytes < 20) {
        const std::uint32_t shared = 1 + below(20 - item.bytes);
        constraints.shared_sdram.push_back({.vertices = together, .bytes = shared});
        item.bytes += shared;
      } else if (together.size() > 1) {
        constraints.same_chip.push_back(together);
      }
      if (!together.empty()) items.push_back(item);
    }
    INFO("turn " << turn << " of " << Catch::rngSeed());
    const auto needed = boards_needed<Tiny>(graph, constraints);
    REQUIRE(needed);
    const std::uint32_t best = fewest(items);
    CHECK(needed.value().chips >= best);
    CHECK(needed.value().chips <= best + 1);
    CHECK(needed.value().chips_for_cores <= best);
    CHECK(needed.value().chips_for_sdram <= best);
    more += needed.value().chips != best;
    std::uint64_t cores = 0, bytes = 0;
    for (const Item& item : items) cores += item.cores, bytes += item.bytes;
    CHECK(needed.value().cores == cores);
    CHECK(needed.value().sdram_bytes == bytes);
    CHECK(needed.value().chips_for_cores == (cores + 3) / 4);
    CHECK(needed.value().chips_for_sdram == (bytes + 19) / 20);
    seen[unsigned(needed.value().limit)] = true;
  }
  CHECK(more < 15);
  CHECK(seen[0]);
  CHECK(seen[1]);
  CHECK(seen[2]);
}

TEST_CASE("discovery: the largest are packed first, whatever order they come in, and many different ones at once") {
  std::minstd_rand draw(Catch::rngSeed() | 1);
  std::vector<std::uint32_t> bytes;
  for (std::uint32_t at = 0; at < 3000; ++at) bytes.push_back(1 + static_cast<std::uint32_t>(draw() % 60'000'000));
  // By the definition: each into the first chip that has room.
  std::vector<std::uint32_t> sorted = bytes;
  std::sort(sorted.rbegin(), sorted.rend());
  std::vector<std::pair<std::uint64_t, unsigned>> chips;
  const std::uint32_t core_share = 123469792 / 17;
  std::stable_partition(sorted.begin(), sorted.end(), [&](std::uint32_t one) { return one > core_share; });
  for (const std::uint32_t one : sorted) {
    std::size_t at = 0;
    while (at < chips.size() && (chips[at].first + one > 123469792 || chips[at].second == 17)) ++at;
    if (at == chips.size()) chips.push_back({0, 0});
    chips[at].first += one, ++chips[at].second;
  }
  MachineGraph graph, reversed;
  for (const std::uint32_t one : bytes) graph.add({.sdram_bytes = one});
  for (std::size_t at = bytes.size(); at-- != 0;) reversed.add({.sdram_bytes = bytes[at]});
  CHECK(boards_needed(graph).value().chips == chips.size());
  CHECK(boards_needed(reversed).value().chips == chips.size());
  CHECK(boards_needed(graph).value().limit != SizeLimit::cores);
}

TEST_CASE("discovery: tags can need more boards than cores do") {
  const auto plain = graph_of(20, {.ip_tags = 1, .reverse_tags = 1});
  const auto needed = boards_needed(plain);
  REQUIRE(needed);
  CHECK(needed.value().tags == 40);
  CHECK(needed.value().boards == 5);
  CHECK(needed.value().limit == SizeLimit::tags);
  CHECK(needed.value().text() == "20 cores, 0 bytes of SDRAM and 40 tags need 2 chips on 5 boards of 48; tags decide.");
  CHECK(mapping::discover(plain).value().boards() == 5);
  Constraints same;
  for (mapping::Vertex vertex = 0; vertex < 20; ++vertex) same.ip_tags.push_back({.vertex = vertex, .host = "host"});
  CHECK(boards_needed(plain, same).value().tags == 21);
  CHECK(boards_needed(plain, same).value().boards == 3);
  CHECK(boards_needed(graph_of(8, {.ip_tags = 1})).value().chips_of_board == 4);
  CHECK(boards_needed(graph_of(9, {.ip_tags = 1})).value().boards == 2);
}

TEST_CASE("discovery: what fits no machine is refused, and named") {
  const auto sentence = [](const MachineGraph& graph, const Constraints& constraints = {},
                           Error error = Error::unmappable) {
    const auto needed = boards_needed(graph, constraints);
    CHECK(needed.status().error == error);
    CHECK(mapping::discover(graph, constraints).sentence() == needed.sentence());
    return needed.sentence();
  };
  MachineGraph graph;
  graph.add({.dtcm_bytes = 65536, .sdram_bytes = 123469792, .cycles_per_step = 200'000}, "whole");
  CHECK(boards_needed(graph, {.step_us = 1000}).ok());
  CHECK(sentence(graph, {.step_us = 999}) == "vertex 0, whole: takes 200000 cycles of a step, and a core has 199800");
  graph.add({.dtcm_bytes = 65537}, "large");
  CHECK(sentence(graph) == "vertex 1, large: takes 65537 bytes of DTCM, and a core has 65536");
  CHECK(sentence(graph_of(1, {.sdram_bytes = 123469793})) ==
        "vertex 0: takes 123469793 bytes of SDRAM, and a chip has 123469792");
  CHECK(sentence(graph_of(1, {.sdram_bytes = 4, .sdram_per_step = 0xFFFFFFFF}), {.steps = 0xFFFFFFFF}) ==
        "vertex 0: takes 18446744065119617029 bytes of SDRAM, and a chip has 123469792");
  std::vector<mapping::Vertex> all;
  for (mapping::Vertex vertex = 0; vertex < 18; ++vertex) all.push_back(vertex);
  CHECK(sentence(graph_of(18, {}), {.same_chip = {all}}) ==
        "vertex 0: takes 18 cores with those on its chip, and a chip has 17");
  CHECK(sentence(graph_of(18, {.sdram_bytes = 100'000'000}), {.same_chip = {{5, 4}}}) ==
        "vertex 4: takes 200000000 bytes of SDRAM with those on its chip, and a chip has 123469792");
  CHECK(sentence(graph_of(18, {}), {.shared_sdram = {{.vertices = {7, 8}, .bytes = 123469793}}}) ==
        "vertex 7: takes 123469793 bytes of SDRAM with those that share it, and a chip has 123469792");
  CHECK(sentence(graph_of(2, {}), {.same_chip = {{0, 2}}}, Error::index_out_of_range) ==
        "constraints: vertex 2 is named, and the graph has 2");
  CHECK(sentence(graph_of(2, {}), {.devices = {{2, 0}}}, Error::index_out_of_range) ==
        "constraints: vertex 2 is named, and the graph has 2");
  CHECK(sentence(graph_of(2, {}), {.shared_sdram = {{.vertices = {3}}}}, Error::index_out_of_range) ==
        "constraints: vertex 3 is named, and the graph has 2");
  CHECK(sentence(graph_of(1323 * 48 + 1, {.sdram_bytes = 100'000'000})) ==
        "machine: for SDRAM it would need 1324 boards, and the largest one has 1323");
  CHECK(boards_needed(graph_of(1323 * 48, {.sdram_bytes = 100'000'000})).value().boards == 1323);
  Constraints reserved;
  for (std::uint8_t core = 0; core < 18; ++core) reserved.reserved_cores.push_back({no_chip, core});
  CHECK(sentence(graph_of(1, {}), reserved, Error::parameters_contradict) ==
        "machine: every core of a chip is reserved");
}
