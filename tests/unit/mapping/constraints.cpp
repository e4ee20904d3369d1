// SPDX-License-Identifier: BSL-1.0
// Constraints one by one and together: what is refused, in which words, and whether that is so by trying all placements.
#include <neuromorph/mapping/constraints.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/mapping/detail/draw.hpp>

#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph::mapping;
using neuromorph::Error;
using neuromorph::mapping::detail::Draw;

/// Small enough to try everything: two cores for users, 100 bytes.
struct Tiny {
  static constexpr ChipKind kind{.cores = 3,
                                 .monitors = 1,
                                 .clock_mhz = 1,
                                 .itcm_bytes = 10,
                                 .dtcm_bytes = 50,
                                 .sdram_bytes = 100,
                                 .router_entries = 10,
                                 .tags = 2};
};

Machine machine_of(std::uint32_t width, std::uint32_t height) {
  Machine machine = Machine::grid<SpiNNaker1>(width, height).value();
  // Boards of two columns.
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
    machine.set_ethernet_of(chip, machine.chip_at(machine.x(chip) & ~1U, 0));
  return machine;
}
MachineGraph graph_of(std::uint32_t vertices, const Resources& each = {}) {
  MachineGraph graph;
  for (std::uint32_t at = 0; at < vertices; ++at) graph.add(each, at == 1 ? "retina" : "");
  return graph;
}
std::string why(const MachineGraph& graph, const Machine& machine, const Constraints& constraints) {
  return check(graph, machine, constraints).sentence();
}

/// Whether any placement keeps all constraints, by trying all.
bool is_possible(const MachineGraph& graph, const Machine& machine, const Constraints& constraints) {
  Placements placed{std::vector<Chip>(graph.vertices()), std::vector<std::uint8_t>(graph.vertices())};
  const auto keeps = [&] {
    const auto chip = [&](Vertex vertex) { return placed.chip[vertex]; };
    for (const OnChip& one : constraints.on_chip)
      if (chip(one.vertex) != one.chip) return false;
    for (const OnChip& one : constraints.devices)
      if (chip(one.vertex) != one.chip) return false;
    for (const OnCore& one : constraints.on_core)
      if (chip(one.vertex) != one.chip || placed.core[one.vertex] != one.core) return false;
    for (const OnBoard& one : constraints.on_board)
      if (machine.ethernet_of(chip(one.vertex)) != one.ethernet) return false;
    for (const auto& group : constraints.same_chip)
      for (const Vertex vertex : group)
        if (chip(vertex) != chip(group[0])) return false;
    std::vector<std::uint64_t> bytes(machine.chips());
    for (const SharedSdram& group : constraints.shared_sdram) {
      for (const Vertex vertex : group.vertices)
        if (chip(vertex) != chip(group.vertices[0])) return false;
      if (!group.vertices.empty())
        bytes[chip(group.vertices[0])] += group.bytes + std::uint64_t{group.bytes_per_step} * constraints.steps;
    }
    for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex)
      bytes[chip(vertex)] += graph.resources(vertex).sdram_bytes +
                             std::uint64_t{graph.resources(vertex).sdram_per_step} * constraints.steps;
    for (Chip at = 0; at < machine.grid_chips(); ++at)
      if (bytes[at] > machine.sdram_bytes(at)) return false;
    return true;
  };
  const std::function<bool(Vertex)> try_from = [&](Vertex vertex) {
    if (vertex == graph.vertices()) return keeps();
    const bool is_device = std::any_of(constraints.devices.begin(), constraints.devices.end(),
                                       [&](const OnChip& one) { return one.vertex == vertex; });
    for (Chip at = 0; at < machine.chips(); ++at) {
      if (!machine.has(at) || machine.is_virtual(at) != is_device) continue;
      placed.chip[vertex] = at;
      for (std::uint8_t core = 0; core < 3; ++core) {
        placed.core[vertex] = core;
        if (is_device) {
          if (core == 0 && try_from(vertex + 1)) return true;
          continue;
        }
        if ((machine.cores(at) >> core & 1) == 0) continue;
        if (std::any_of(
                constraints.reserved_cores.begin(), constraints.reserved_cores.end(),
                [&](const ReservedCore& one) { return one.core == core && (one.chip == no_chip || one.chip == at); }))
          continue;
        bool is_free = true;
        for (Vertex other = 0; other < vertex; ++other)
          is_free = is_free && !(placed.chip[other] == at && placed.core[other] == core);
        if (is_free && try_from(vertex + 1)) return true;
      }
    }
    return false;
  };
  return try_from(0);
}

} // namespace

TEST_CASE("constraints: each alone is met or refused in words") {
  Machine machine = machine_of(4, 4);
  machine.remove_chip(machine.chip_at(3, 3));
  const Chip device = machine.add_device(machine.chip_at(0, 0), Link::west, "camera").value();
  const Chip origin = machine.chip_at(0, 0), other = machine.chip_at(2, 1), missing = machine.chip_at(3, 3);
  const MachineGraph graph = graph_of(4);
  const auto of = [&](const Constraints& constraints) { return why(graph, machine, constraints); };
  CHECK(of({}) == "no error");

  CHECK(of({.on_chip = {{1, other}}}) == "no error");
  CHECK(of({.on_chip = {{1, missing}}}) == "vertex 1, retina: must be on chip 3, 3, which is missing");
  CHECK(of({.on_chip = {{0, 999}}}) == "vertex 0: must be on chip number 999, and the machine is of 4 x 4 chips");
  CHECK(of({.on_chip = {{0, device}}}) == "vertex 0: must be on device 0, camera, where only the device is");
  CHECK(of({.on_chip = {{4, other}}}) == "on_chip: vertex 4 is named, and the graph has 4");
  CHECK(of({.on_chip = {{0, other}, {0, other}}}) == "no error");
  CHECK(of({.on_chip = {{0, other}, {0, origin}}}) == "vertex 0: must be on chip 0, 0 and on chip 2, 1");

  CHECK(of({.devices = {{0, device}, {2, device}}}) == "no error");
  CHECK(of({.devices = {{0, origin}}}) == "vertex 0: is a device and must be on chip 0, 0, which stands for no device");
  CHECK(of({.devices = {{4, device}}}) == "devices: vertex 4 is named, and the graph has 4");
  CHECK(of({.on_chip = {{0, origin}}, .devices = {{0, device}}}) ==
        "vertex 0: must be on chip 0, 0 and on device 0, camera");
  CHECK(of({.devices = {{0, device}}, .same_chip = {{0, 3}}}) ==
        "vertex 3: must be on the same chip as vertex 0, which is a device");

  CHECK(of({.on_core = {{0, other, 1}, {1, other, 2}}}) == "no error");
  CHECK(of({.on_core = {{0, other, 0}}}) ==
        "vertex 0: must be on core 0 of chip 2, 1, where vertices may have cores 1, 2, 3, 4, 5, 6, 7, "
        "8, 9, 10, 11, 12, 13, 14, 15, 16 and 17");
  CHECK(of({.on_core = {{0, other, 18}}}).starts_with("vertex 0: must be on core 18 of chip 2, 1, where"));
  CHECK(of({.on_core = {{0, other, 255}}}).starts_with("vertex 0: must be on core 255 of chip 2, 1, where"));
  CHECK(of({.on_core = {{0, missing, 1}}}) == "vertex 0: must be on chip 3, 3, which is missing");
  CHECK(of({.on_core = {{9, other, 1}}}) == "on_core: vertex 9 is named, and the graph has 4");
  CHECK(of({.on_core = {{0, other, 5}, {1, other, 5}}}) ==
        "vertex 1, retina: must be on core 5 of chip 2, 1, which vertex 0 has");
  CHECK(of({.on_core = {{1, other, 5}, {0, origin, 5}}}) == "no error");
  CHECK(of({.on_core = {{0, other, 5}, {0, other, 5}}}) == "no error");
  CHECK(of({.on_core = {{0, other, 5}, {0, other, 6}}}) == "vertex 0: must be on core 6 and on core 5 of chip 2, 1");
  CHECK(of({.on_chip = {{0, origin}}, .on_core = {{0, other, 5}}}) ==
        "vertex 0: must be on chip 2, 1 and on chip 0, 0");

  CHECK(of({.on_board = {{0, machine.chip_at(2, 0)}}}) == "no error");
  CHECK(of({.on_board = {{0, other}}}) == "vertex 0: must be on the board of chip 2, 1, which is no Ethernet chip");
  CHECK(of({.on_board = {{0, device}}}) ==
        "vertex 0: must be on the board of device 0, camera, which is no Ethernet chip");
  CHECK(of({.on_board = {{4, 0}}}) == "on_board: vertex 4 is named, and the graph has 4");
  CHECK(of({.on_chip = {{0, other}}, .on_board = {{0, origin}}}) ==
        "vertex 0: must be on the board of chip 0, 0, and on chip 2, 1, which is not on that board");
  CHECK(of({.on_chip = {{0, other}}, .on_board = {{0, machine.chip_at(2, 0)}}}) == "no error");
  CHECK(of({.on_board = {{0, 0}, {0, 2}}}) == "vertex 0: must be on the board of chip 2, 0 and on that of chip 0, 0");

  CHECK(of({.near_chip = {{0, other}, {0, origin}, {1, missing}}}) == "no error");
  CHECK(of({.near_chip = {{0, device}}}) == "vertex 0: must be near device 0, camera, where only the device is");
  CHECK(of({.near_chip = {{8, 0}}}) == "near_chip: vertex 8 is named, and the graph has 4");

  CHECK(of({.same_chip = {{0, 1}, {}, {3}}}) == "no error");
  CHECK(of({.same_chip = {{0, 4}}}) == "same_chip: vertex 4 is named, and the graph has 4");
  CHECK(of({.on_chip = {{0, origin}, {3, other}}, .same_chip = {{1, 0}, {1, 3}}}) ==
        "vertex 3: must be on chip 2, 1 and on the same chip as vertex 0, which must be on chip 0, 0");
  CHECK(of({.on_board = {{0, 0}, {1, 2}}, .same_chip = {{0, 1}}}) ==
        "vertex 1, retina: must be on the board of chip 2, 0 and on the same chip as vertex 0, which must be on that "
        "of chip 0, 0");
  CHECK(of({.on_chip = {{0, origin}}, .on_board = {{1, 2}}, .same_chip = {{0, 1}}}) ==
        "vertex 1, retina: must be on the board of chip 2, 0, and with vertex 0 on chip 0, 0, which is not on that "
        "board");

  CHECK(of({.reserved_cores = {{no_chip, 1}, {other, 17}}}) == "no error");
  CHECK(of({.reserved_cores = {{missing, 1}}}) == "reserved_cores: core 1 of chip 3, 3 is reserved and not there");
  CHECK(of({.reserved_cores = {{no_chip, 32}}}) == "reserved_cores: core 32 of every chip is reserved and not there");
  CHECK(of({.on_core = {{0, other, 17}}, .reserved_cores = {{other, 17}}})
            .starts_with("vertex 0: must be on core 17 of chip 2, 1, where"));
  CHECK(of({.on_core = {{0, origin, 17}}, .reserved_cores = {{other, 17}}}) == "no error");
  CHECK(of({.on_core = {{0, origin, 17}}, .reserved_cores = {{no_chip, 17}}})
            .starts_with("vertex 0: must be on core 17"));

  CHECK(of({.shared_sdram = {{{0, 4}, 1, 0}}}) == "shared_sdram: vertex 4 is named, and the graph has 4");
  CHECK(of({.fixed_keys = {{0, {}}}}) == "fixed_keys: partition 0 is named, and the graph has 0");
  CHECK(of({.same_keys = {{0}}}) == "same_keys: partition 0 is named, and the graph has 0");
}

TEST_CASE("constraints: what a core, a chip, a board and the machine cannot give") {
  const Machine machine = machine_of(4, 1); // 17 cores, 123469792 bytes a chip; boards of two chips
  CHECK(why(graph_of(2, {.dtcm_bytes = 65536}), machine, {}) == "no error");
  CHECK(why(graph_of(2, {.dtcm_bytes = 65537}), machine, {}) ==
        "vertex 0: needs 65537 bytes of DTCM, and a core has 65536");
  CHECK(why(graph_of(2, {.cycles_per_step = 200000}), machine, {.step_us = 1000}) == "no error");
  CHECK(why(graph_of(2, {.cycles_per_step = 200001}), machine, {.step_us = 1000}) ==
        "vertex 0: needs 200001 cycles a step, and a core has 200000 in 1000 us");
  CHECK(why(graph_of(2, {.cycles_per_step = 200001}), machine, {}) == "no error");
  CHECK(why(graph_of(4 * 17), machine, {}) == "no error");
  CHECK(why(graph_of(4 * 17 + 1), machine, {}) == "graph: needs 69 cores, and the machine has 68");
  CHECK(why(graph_of(4 * 17), machine, {.reserved_cores = {{2, 1}}}) ==
        "graph: needs 68 cores, and the machine has 67");
  CHECK(why(graph_of(4 * 16 + 1), machine, {.reserved_cores = {{no_chip, 1}}}) ==
        "graph: needs 65 cores, and the machine has 64");
  CHECK(why(graph_of(1, {.sdram_bytes = 123469793}), machine, {}) ==
        "vertex 0: needs 1 core and 123469793 bytes of SDRAM of one chip, and the most that a chip with so many cores "
        "has left is 123469792 bytes");
  CHECK(why(graph_of(1, {.sdram_bytes = 23469792, .sdram_per_step = 1000}), machine, {.steps = 100000}) == "no error");
  CHECK(why(graph_of(1, {.sdram_bytes = 23469792, .sdram_per_step = 1000}), machine, {.steps = 100001})
            .starts_with("vertex 0: needs 1 core and 123470792 bytes"));
  CHECK(why(graph_of(5, {.sdram_bytes = 100000000}), machine, {}) ==
        "graph: needs 500000000 bytes of SDRAM, and the machine has 493879168");

  std::vector<Vertex> all(18);
  for (Vertex at = 0; at < 18; ++at) all[at] = at;
  CHECK(why(graph_of(20), machine, {.same_chip = {{all.begin(), all.end() - 1}}}) == "no error");
  CHECK(
      why(graph_of(20), machine, {.same_chip = {all}}) ==
      "vertex 0: with 17 more needs 18 cores and 0 bytes of SDRAM of one chip, and the most that a chip has left is 17 "
      "cores");
  CHECK(why(graph_of(20, {.sdram_bytes = 100000000}), machine, {.same_chip = {{0, 1}}}) ==
        "vertex 0: with vertex 1, retina, needs 2 cores and 200000000 bytes of SDRAM of one chip, and the most that a "
        "chip with so many cores has left is "
        "123469792 bytes");
  CHECK(why(graph_of(2), machine, {.on_chip = {{0, 0}}, .shared_sdram = {{{0, 1}, 123469792, 0}}}) == "no error");
  CHECK(why(graph_of(2), machine, {.on_chip = {{0, 0}}, .shared_sdram = {{{0, 1}, 123469793, 0}}}) ==
        "vertex 0: with vertex 1, retina, must be on chip 0, 0 and needs 123469793 bytes of its SDRAM, of which "
        "123469792 "
        "of 123469792 are left");
  CHECK(why(graph_of(2), machine, {.steps = 1000, .shared_sdram = {{{0, 1}, 0, 123470}}})
            .starts_with("vertex 0: with vertex 1, retina, needs 2 cores and 123470000 bytes"));
  // Each block counts once, and those of two groups that are together both.
  CHECK(why(graph_of(3), machine, {.shared_sdram = {{{0, 1}, 60000000, 0}, {{1, 2}, 60000000, 0}}}) == "no error");
  CHECK(why(graph_of(3), machine, {.shared_sdram = {{{0, 1}, 60000000, 0}, {{1, 2}, 70000000, 0}}})
            .starts_with("vertex 0: with 2 more needs 3 cores and 130000000 bytes"));

  Constraints full;
  for (Vertex at = 0; at < 17; ++at) full.on_chip.push_back({at, 1});
  CHECK(why(graph_of(20), machine, full) == "no error");
  full.on_chip.push_back({17, 1});
  CHECK(why(graph_of(20), machine, full) ==
        "vertex 17: must be on chip 1, 0 and needs 1 core there, of which 0 of 17 are left");

  Constraints board;
  for (Vertex at = 0; at < 34; ++at) board.on_board.push_back({at, 2});
  CHECK(why(graph_of(40), machine, board) == "no error");
  board.on_board.push_back({34, 2});
  CHECK(why(graph_of(40), machine, board) ==
        "vertex 34: must be on the board of chip 2, 0 and needs 1 core, and others leave 0 of that board");
  CHECK(why(graph_of(40, {.sdram_bytes = 5000000}), machine,
            {.on_board = {{0, 0}},
             .same_chip = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
             .shared_sdram = {{{0, 1}, 100000000, 0}}})
            .starts_with("vertex 0: with 12 more must be on the board of chip 0, 0 and needs 13 cores and 165000000 "
                         "bytes of SDRAM of one chip, and"));
}

TEST_CASE("constraints: tags are those that resources count, of boards that there are") {
  const Machine machine = machine_of(4, 1);
  const MachineGraph graph = graph_of(2, {.ip_tags = 1, .reverse_tags = 1});
  const auto of = [&](const Constraints& constraints) { return why(graph, machine, constraints); };
  CHECK(of({.ip_tags = {{.vertex = 1, .host = "localhost", .port = 17}}, .reverse_tags = {{.vertex = 1, .port = 9}}}) ==
        "no error");
  CHECK(of({.ip_tags = {{.vertex = 1}, {.vertex = 0}, {.vertex = 1}}}) ==
        "vertex 1, retina: has constraints for 2 IP tags, and its resources count 1");
  CHECK(of({.reverse_tags = {{.vertex = 1}, {.vertex = 1}}}) ==
        "vertex 1, retina: has constraints for 2 reverse tags, and its resources count 1");
  CHECK(of({.ip_tags = {{.vertex = 2}}}) == "ip_tags: vertex 2 is named, and the graph has 2");
  CHECK(of({.ip_tags = {{.vertex = 0, .tag = 7}}}) == "no error");
  CHECK(of({.ip_tags = {{.vertex = 0, .tag = 8}}}) == "vertex 0: must have tag 8, and a board has tags 0 to 7");
  CHECK(of({.ip_tags = {{.vertex = 0, .ethernet = 1}}}) ==
        "vertex 0: must have an IP tag of the board of chip 1, 0, which is no Ethernet chip");
  CHECK(of({.reverse_tags = {{.vertex = 0, .ethernet = 2}}}) == "no error");
}

TEST_CASE(
    "constraints: together they are refused only where no placement keeps them, and placements are judged alike") {
  std::uint32_t impossible = 0, seen = 0, possible = 0, verified = 0, faulty = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    Draw draw(seed);
    INFO("seed " << seed);
    Machine machine = Machine::grid<Tiny>(2, 1 + draw.below(2)).value();
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip) machine.set_ethernet_of(chip, chip & ~1U);
    if (draw.below(4) == 0) {
      const Chip broken = draw.below(machine.grid_chips());
      machine.remove_core(broken, 1 + draw.below(2));
    }
    if (draw.below(6) == 0) machine.remove_chip(draw.below(machine.grid_chips()));
    Chip device = no_chip;
    if (draw.below(3) == 0 && machine.has(0)) device = machine.add_device(0, Link::west, "d").value();
    MachineGraph graph;
    const std::uint32_t count = 1 + draw.below(5);
    for (std::uint32_t at = 0; at < count; ++at)
      graph.add({.sdram_bytes = draw.below(3) * 20, .sdram_per_step = draw.below(2)});
    Constraints constraints{.steps = draw.below(3) * 10};
    const auto vertex = [&] { return draw.below(count); };
    const auto chip = [&] { return draw.below(machine.grid_chips()); };
    const auto add = [&](auto& list, auto make) {
      for (std::uint32_t more = draw.below(3) == 0 ? 1 + draw.below(2) : 0; more != 0; --more) list.push_back(make());
    };
    add(constraints.on_chip, [&] {
      OnChip one;
      one.vertex = vertex(), one.chip = chip();
      return one;
    });
    add(constraints.on_core, [&] {
      OnCore one;
      one.vertex = vertex(), one.chip = chip(), one.core = static_cast<std::uint8_t>(1 + draw.below(2));
      return one;
    });
    add(constraints.on_board, [&] {
      OnBoard one;
      one.vertex = vertex(), one.ethernet = chip() & ~1U;
      return one;
    });
    add(constraints.same_chip, [&] {
      std::vector<Vertex> group(draw.below(4));
      for (auto& one : group) one = vertex();
      return group;
    });
    add(constraints.shared_sdram, [&] {
      SharedSdram one;
      one.vertices.resize(draw.below(3));
      for (auto& to : one.vertices) to = vertex();
      one.bytes = draw.below(60), one.bytes_per_step = draw.below(2);
      return one;
    });
    add(constraints.near_chip, [&] {
      NearChip one;
      one.vertex = vertex(), one.chip = chip();
      return one;
    });
    if (device != no_chip)
      add(constraints.devices, [&] {
        OnChip one;
        one.vertex = vertex(), one.chip = device;
        return one;
      });
    if (draw.below(5) == 0)
      constraints.reserved_cores.push_back(
          {machine.has(1) && draw.below(2) == 0 ? Chip{1} : no_chip, static_cast<std::uint8_t>(draw.below(3))});

    // Blocks of devices' groups count nowhere; vertices that are devices take nothing.
    const auto gathered = gather(graph, machine, constraints);
    MachineGraph as_tried;
    for (Vertex at = 0; at < count; ++at)
      as_tried.add(std::any_of(constraints.devices.begin(), constraints.devices.end(),
                               [&](const OnChip& one) { return one.vertex == at; })
                       ? Resources{}
                       : graph.resources(at));
    const bool is_there = is_possible(as_tried, machine, constraints);
    if (!gathered) CHECK_FALSE(is_there);
    impossible += !is_there, seen += !gathered.ok(), possible += is_there;
    if (!gathered) continue;

    // Random placements: verify says what the list of all would.
    const Groups& groups = gathered.value();
    for (std::uint32_t round = 0; round < 20; ++round) {
      Placements placed;
      for (Vertex at = 0; at < count; ++at) {
        const std::uint32_t group = groups.of(at);
        Chip to = chip();
        if (group != Groups::none && groups.groups[group].chip != no_chip && draw.below(8) != 0)
          to = groups.groups[group].chip;
        if (group != Groups::none && groups.vertices[group][0] != at && draw.below(8) != 0)
          to = placed.chip[groups.vertices[group][0]];
        placed.chip.push_back(to);
        placed.core.push_back(static_cast<std::uint8_t>(machine.is_virtual(to) ? 0 : draw.below(3)));
      }
      // Fixed to exactly this by constraints, it is possible if and only if it is right.
      Constraints exactly = constraints;
      bool is_right = true;
      for (Vertex at = 0; at < count && is_right; ++at) {
        const bool is_device = groups.of(at) != Groups::none && groups.groups[groups.of(at)].is_device;
        if (is_device != machine.is_virtual(placed.chip[at])) is_right = false;
        if (is_device)
          exactly.devices.push_back({at, placed.chip[at]});
        else
          exactly.on_core.push_back({at, placed.chip[at], placed.core[at]});
      }
      is_right = is_right && is_possible(as_tried, machine, exactly);
      const auto judged = verify(graph, machine, constraints, placed);
      CHECK(judged.ok() == is_right);
      verified += is_right, faulty += !is_right;
    }
  }
  INFO(possible << " possible, " << impossible << " impossible, " << seen << " of these seen");
  CHECK(possible > 300);
  CHECK(impossible > 300);
  CHECK(seen * 10 > impossible * 9);
  CHECK(verified > 500);
  CHECK(faulty > 500);
}

TEST_CASE("constraints: groups are in the order of their first vertices, with all that is said of them") {
  Machine machine = machine_of(4, 4);
  const MachineGraph graph = graph_of(10, {.sdram_bytes = 10});
  CHECK(gather(graph, machine).value().group_of.empty());
  CHECK(gather(graph, machine).value().of(3) == Groups::none);
  CHECK(gather(graph, machine).value().cores[5] == machine.cores(5));
  const auto made = gather(graph, machine,
                           {.on_core = {{6, 5, 9}},
                            .on_board = {{2, 2}},
                            .near_chip = {{8, 7}, {8, 3}},
                            .same_chip = {{9, 4}, {4, 6}, {6, 9}},
                            .shared_sdram = {{{2, 1}, 100, 0}},
                            .reserved_cores = {{no_chip, 4}, {5, 3}}});
  REQUIRE(made.ok());
  const Groups& groups = made.value();
  REQUIRE(groups.groups.size() == 3);
  CHECK(std::ranges::equal(groups.vertices[0], std::vector<Vertex>{1, 2}));
  CHECK(std::ranges::equal(groups.vertices[1], std::vector<Vertex>{4, 6, 9}));
  CHECK(std::ranges::equal(groups.vertices[2], std::vector<Vertex>{8}));
  CHECK(groups.core == std::vector<std::uint8_t>{Groups::any_core, Groups::any_core, Groups::any_core, 9,
                                                 Groups::any_core, Groups::any_core});
  CHECK(groups.groups[0].board == machine.board_of(2));
  CHECK(groups.groups[0].sdram_bytes == 120);
  CHECK(groups.groups[0].cores == 2);
  CHECK(groups.groups[1].chip == 5);
  CHECK(groups.groups[1].sdram_bytes == 30);
  CHECK(groups.groups[2].near_to == 7);
  CHECK(groups.of(0) == Groups::none);
  CHECK(groups.of(9) == 1);
  CHECK(groups.cores[5] == (machine.cores(5) & ~0x18U));
  CHECK(groups.cores[6] == (machine.cores(6) & ~0x10U));
}

TEST_CASE("constraints: placements that are wrong are named") {
  const Machine machine = Machine::grid<SpiNNaker1>(2, 2).value();
  const MachineGraph graph = graph_of(3, {.sdram_bytes = 50000000});
  const auto of = [&](const Placements& placed, const Constraints& constraints = {}) {
    return verify(graph, machine, constraints, placed).sentence();
  };
  CHECK(of({{0, 1, 2}, {1, 1, 1}}) == "no error");
  CHECK(of({{0, 1}, {1, 1}}) == "placements: are of 2 chips and 2 cores, and the graph has 3 vertices");
  CHECK(of({{0, 1, 4}, {1, 1, 1}}) == "vertex 2: is on chip number 4, which is not there");
  CHECK(of({{0, 1, 1}, {1, 5, 5}}) == "vertex 2: is on core 5 of chip 1, 0, and another vertex is, too");
  CHECK(of({{0, 1, 1}, {1, 5, 0}})
            .starts_with("vertex 2: is on core 0 of chip 1, 0, where vertices may have cores 1, 2"));
  CHECK(of({{1, 1, 1}, {1, 5, 6}}) == "chip 1, 0: its vertices need 150000000 bytes of SDRAM, and it has 123469792");
  CHECK(of({{0, 1, 2}, {1, 1, 1}}, {.same_chip = {{0, 1}}}) ==
        "vertex 1, retina: is on core 1 of chip 1, 0, and must be on the same chip as vertex 0, chip 0, 0");
  CHECK(of({{0, 1, 2}, {1, 1, 1}}, {.on_chip = {{2, 3}}}) ==
        "vertex 2: is on core 1 of chip 0, 1, and must be on chip 1, 1");
  CHECK(of({{0, 1, 2}, {1, 1, 1}}, {.on_core = {{2, 2, 3}}}) ==
        "vertex 2: is on core 1 of chip 0, 1, and must be on core 3");
}
