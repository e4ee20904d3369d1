// SPDX-License-Identifier: BSL-1.0
// Application graphs cut into slices: the longest that fit, against trying each length; what decides; edges, keys and
// constraints of the machine graph.
#include <neuromorph/mapping/partitioning.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/mapping/detail/draw.hpp>

#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph::mapping;
using neuromorph::Error;
using neuromorph::mapping::detail::Draw;

const Machine& machine() {
  static const Machine made = Machine::grid<SpiNNaker1>(8, 8).value();
  return made;
}
/// Whether a core and a chip of SpiNNaker 1 have what a slice takes.
bool fits(const ApplicationVertex& vertex, const Slice& slice, const Constraints& constraints) {
  const Resources of = resources_of(vertex, slice);
  return slice.count <= vertex.most_atoms && of.dtcm_bytes <= 65536 &&
         of.sdram_bytes + std::uint64_t{of.sdram_per_step} * constraints.steps <= 123469792 &&
         (constraints.step_us == 0 || of.cycles_per_step <= 200 * constraints.step_us) &&
         of.ip_tags + of.reverse_tags <= 8;
}
std::vector<Slice> slices_of(const Partitioned& made, AppVertex of) {
  return {made.slices.begin() + made.first[of], made.slices.begin() + made.first[of + 1]};
}
/// With one space for many.
std::string squeezed(std::string text) {
  const auto both = [](char one, char other) { return one == ' ' && other == ' '; };
  text.erase(std::unique(text.begin(), text.end(), both), text.end());
  return text;
}
std::string why(ApplicationVertex vertex, Constraints constraints = {}) {
  ApplicationGraph graph;
  graph.add(std::move(vertex));
  graph.constraints = std::move(constraints);
  return partition(graph, machine()).sentence();
}

} // namespace

TEST_CASE("partitioning: each slice is the longest that fits, as trying all lengths finds, and the limit is what one "
          "more atom breaks") {
  std::set<Limit> limits;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Draw draw(seed);
    INFO("seed " << seed);
    ApplicationGraph graph;
    graph.constraints.steps = draw.below(2) * 1000;
    graph.constraints.step_us = draw.below(3) * 500;
    for (std::uint32_t count = 1 + draw.below(4); count != 0; --count) {
      ApplicationVertex vertex{.name = "v" + std::to_string(count), .atoms = draw.below(1500)};
      vertex.fixed.dtcm_bytes = draw.below(30000), vertex.fixed.sdram_bytes = draw.below(1000000);
      vertex.fixed.cycles_per_step = draw.below(20000);
      vertex.per_atom.dtcm_bytes = draw.below(400);
      if (draw.below(2) == 0) vertex.per_atom.sdram_bytes = draw.below(1000000);
      if (draw.below(2) == 0) vertex.per_atom.sdram_per_step = draw.below(500);
      if (draw.below(2) == 0) vertex.per_atom.cycles_per_step = draw.below(2000);
      if (draw.below(8) == 0) vertex.per_atom.ip_tags = draw.below(2), vertex.per_atom.reverse_tags = draw.below(2);
      if (draw.below(3) == 0) vertex.most_atoms = 1 + draw.below(300);
      if (draw.below(3) == 0) {
        // Each atom has its own weight.
        auto sums = std::make_shared<std::vector<std::uint32_t>>(1, 0);
        for (std::uint32_t at = 0; at < vertex.atoms; ++at) sums->push_back(sums->back() + draw.below(1000));
        vertex.resources = [sums](const Slice& slice) {
          return Resources{.dtcm_bytes = (*sums)[slice.first + slice.count] - (*sums)[slice.first]};
        };
      }
      graph.add(vertex);
    }
    const auto answer = partition(graph, machine());
    bool is_possible = true;
    std::vector<std::vector<Slice>> expected;
    for (AppVertex at = 0; at < graph.vertices(); ++at) {
      const ApplicationVertex& vertex = graph.vertex(at);
      expected.emplace_back();
      for (std::uint32_t first = 0; first < vertex.atoms && is_possible;) {
        std::uint32_t count = 0;
        while (first + count < vertex.atoms && fits(vertex, {first, count + 1}, graph.constraints)) ++count;
        is_possible = count != 0;
        expected.back().push_back({first, count});
        first += count;
      }
    }
    REQUIRE(answer.ok() == is_possible);
    if (!is_possible) {
      CHECK(answer.status().error == Error::unmappable);
      continue;
    }
    const Partitioned& made = answer.value();
    std::uint32_t cores = 0;
    for (AppVertex at = 0; at < graph.vertices(); ++at) {
      const auto slices = slices_of(made, at);
      CHECK(slices == expected[at]);
      cores += made.cuts[at].cores;
      CHECK(made.cuts[at].cores == slices.size());
      if (slices.empty()) continue;
      const Limit limit = made.cuts[at].limit;
      limits.insert(limit);
      CHECK((limit == Limit::none) == (slices.size() == 1));
      if (limit == Limit::none) continue;
      const Resources more = resources_of(graph.vertex(at), {0, slices[0].count + 1});
      if (limit == Limit::most_atoms) CHECK(slices[0].count == graph.vertex(at).most_atoms);
      if (limit == Limit::dtcm) CHECK(more.dtcm_bytes > 65536);
      if (limit == Limit::cycles) CHECK(more.cycles_per_step > 200 * graph.constraints.step_us);
      if (limit == Limit::sdram) CHECK(sdram_of(more, graph.constraints.steps) > 123469792);
      if (limit == Limit::tags) CHECK(more.ip_tags + more.reverse_tags > 8);
      for (std::uint32_t atom = 0; atom < graph.vertex(at).atoms; ++atom) {
        const Slice& with = made.slices[made.vertex_with(at, atom)];
        if (!(atom - with.first < with.count)) FAIL("atom " << atom);
      }
    }
    CHECK(made.cores == cores);
    for (Vertex vertex = 0; vertex < made.graph.vertices(); ++vertex) {
      const AppVertex of = made.vertex_of[vertex];
      CHECK((vertex >= made.first[of] && vertex < made.first[of + 1]));
      CHECK(made.graph.resources(vertex) == resources_of(graph.vertex(of), made.slices[vertex]));
    }
    // Balanced: as many, all atoms, lengths that differ by one where all have that much room.
    const auto balanced = partition(graph, machine(), {.is_balanced = true});
    REQUIRE(balanced.ok());
    for (AppVertex at = 0; at < graph.vertices(); ++at) {
      const auto slices = slices_of(balanced.value(), at);
      CHECK(slices.size() == expected[at].size());
      std::uint32_t next = 0, least = 0xFFFFFFFF, most = 0;
      for (const Slice& one : slices) {
        CHECK(one.first == next);
        CHECK(fits(graph.vertex(at), one, graph.constraints));
        next += one.count, least = (std::min)(least, one.count), most = (std::max)(most, one.count);
      }
      CHECK(next == graph.vertex(at).atoms);
      if (!graph.vertex(at).resources && !slices.empty()) CHECK(most - least <= 1);
    }
  }
  CHECK(limits ==
        std::set<Limit>{Limit::none, Limit::dtcm, Limit::sdram, Limit::cycles, Limit::tags, Limit::most_atoms});
}

TEST_CASE("partitioning: the limit is in words, and so is an atom that does not fit") {
  ApplicationGraph graph;
  graph.constraints.step_us = 1000;
  graph.add(
      {.name = "cells", .atoms = 1000, .fixed = {.cycles_per_step = 20000}, .per_atom = {.cycles_per_step = 1000}});
  graph.add({.name = "maps", .atoms = 4, .per_atom = {.sdram_bytes = 60000000}});
  graph.add({.name = "few", .atoms = 3});
  graph.add({.name = "as said", .atoms = 100, .atoms_per_core = 30});
  graph.add({.name = "at most", .atoms = 100, .most_atoms = 50});
  const auto made = partition(graph, machine());
  REQUIRE(made.ok());
  CHECK(squeezed(made.value().text()) ==
        "vertex cores atoms on a core chips, at least decided by\n"
        "cells 6 1000 180 1 cycles 181 atoms would need 201000 cycles a step, and a core has 200000 in 1000 us\n"
        "maps 2 4 2 2 by SDRAM SDRAM 3 atoms would need 180000000 bytes of SDRAM, and a chip has 123469792\n"
        "few 1 3 3 1 all fit one core\n"
        "as said 4 100 30 1 atoms per core a core must have 30 atoms\n"
        "at most 2 100 50 1 most atoms a core can have 50 atoms\n"
        "all 15 2\n");
  CHECK(why({.name = "cells", .atoms = 5, .fixed = {.dtcm_bytes = 65000}, .per_atom = {.dtcm_bytes = 600}}) ==
        "application vertex 0, cells: atom 0 alone needs 65600 bytes of DTCM, and a core has 65536");
  CHECK(why({.name = "cells", .atoms = 5, .per_atom = {.cycles_per_step = 300}}, {.step_us = 1}) ==
        "application vertex 0, cells: atom 0 alone needs 300 cycles a step, and a core has 200 in 1 us");
  CHECK(why({.name = "cells", .atoms = 5, .fixed = {.sdram_bytes = 123469793}}) ==
        "application vertex 0, cells: atom 0 alone needs 123469793 bytes of SDRAM, and a chip has 123469792");
  CHECK(why({.atoms = 5, .fixed = {.ip_tags = 5, .reverse_tags = 4}}) ==
        "application vertex 0: atom 0 alone needs 9 tags, and a board has 8");
  CHECK(why({.atoms = 90, .per_atom = {.dtcm_bytes = 2000}, .atoms_per_core = 33}) ==
        "application vertex 0: 33 atoms from 0 on need 66000 bytes of DTCM, and a core has 65536");
  CHECK(why({.atoms = 90, .most_atoms = 10, .atoms_per_core = 33}) ==
        "application vertex 0: must have 33 atoms on each core, and at most 10");
  CHECK(why({.atoms = 90, .most_atoms = 0}) == "application vertex 0: may have no atom on a core");
  CHECK(why({.atoms = 90, .tile = {3, 3}}) == "application vertex 0: has a tile and no shape");
  CHECK(why({.atoms = 90, .shape = {9, 9}}) == "application vertex 0: has 90 atoms, and its shape is of 9 x 9");
  CHECK(why({.atoms = 81, .shape = {9, 9}, .tile = {9, 0}}) == "application vertex 0: has tiles of 9 x 0 atoms");
  CHECK(why({.atoms = 81, .atoms_per_core = 9, .shape = {9, 9}}) ==
        "application vertex 0: has a shape, so that its cores have tiles, and not a number of atoms");
  CHECK(why({.atoms = 81, .most_atoms = 8, .shape = {9, 9}, .tile = {3, 3}}) ==
        "application vertex 0: must have tiles of 3 x 3 atoms, and at most 8 on a core");
  CHECK(why({.atoms = 81, .per_atom = {.dtcm_bytes = 9000}, .shape = {9, 9}, .tile = {3, 3}}) ==
        "application vertex 0: the tile of 3 x 3 atoms at 0, 0 needs 81000 bytes of DTCM, and a core has 65536");
  CHECK(why({.atoms = 81, .per_atom = {.dtcm_bytes = 90000}, .shape = {9, 9}}) ==
        "application vertex 0: the tile of 1 x 1 atoms at 0, 0 needs 90000 bytes of DTCM, and a core has 65536");
}

TEST_CASE("partitioning: tiles cover each place once, are as said, or as few as any tiles that fit") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Draw draw(seed);
    INFO("seed " << seed);
    ApplicationVertex vertex;
    vertex.shape = {1 + draw.below(40), 1 + draw.below(40)};
    vertex.atoms = vertex.shape.width * vertex.shape.height;
    vertex.per_atom.dtcm_bytes = draw.below(4000), vertex.fixed.dtcm_bytes = draw.below(20000);
    if (draw.below(3) == 0) vertex.most_atoms = 1 + draw.below(100);
    const bool is_said = draw.below(2) == 0;
    if (is_said) vertex.tile = {1 + draw.below(12), 1 + draw.below(12)};
    ApplicationGraph graph;
    graph.add(vertex);
    const auto answer = partition(graph, machine());
    // The fewest tiles of any size, by trying all.
    const auto count_of = [&](Tile tile) {
      return ((vertex.shape.width + tile.width - 1) / tile.width) *
             ((vertex.shape.height + tile.height - 1) / tile.height);
    };
    std::uint32_t fewest = 0xFFFFFFFF, least_edge = 0;
    for (std::uint32_t width = 1; width <= vertex.shape.width; ++width)
      for (std::uint32_t height = 1; height <= vertex.shape.height; ++height) {
        if (!fits(vertex, {0, width * height}, {})) continue;
        const std::uint32_t count = count_of({width, height}), edge = width + height;
        if (count < fewest || (count == fewest && edge < least_edge)) fewest = count, least_edge = edge;
      }
    const Tile said{(std::min)(vertex.tile.width, vertex.shape.width),
                    (std::min)(vertex.tile.height, vertex.shape.height)};
    const bool is_possible = is_said ? fits(vertex, {0, said.width * said.height}, {}) : fewest != 0xFFFFFFFF;
    REQUIRE(answer.ok() == is_possible);
    if (!is_possible) continue;
    const Partitioned& made = answer.value();
    std::vector<std::uint8_t> covered(vertex.atoms);
    std::uint32_t next = 0;
    for (const Slice& one : slices_of(made, 0)) {
      CHECK(one.first == next);
      CHECK(one.count == one.tile.width * one.tile.height);
      next += one.count;
      for (std::uint32_t y = one.y; y < one.y + one.tile.height; ++y)
        for (std::uint32_t x = one.x; x < one.x + one.tile.width; ++x) {
          REQUIRE((x < vertex.shape.width && y < vertex.shape.height));
          ++covered[y * vertex.shape.width + x];
        }
    }
    CHECK(std::all_of(covered.begin(), covered.end(), [](auto one) { return one == 1; }));
    if (is_said) {
      CHECK(made.cuts[0].tile == said);
      CHECK(made.cuts[0].limit == Limit::tile);
    } else {
      CHECK(made.cuts[0].cores == fewest);
      CHECK(made.cuts[0].tile.width + made.cuts[0].tile.height == least_edge);
    }
    CHECK(made.cuts[0].cores == count_of(made.cuts[0].tile));
  }
}

TEST_CASE(
    "partitioning: every slice of a source sends to every slice of its targets, or to those that a filter names") {
  ApplicationGraph graph;
  const AppVertex a = graph.add({.name = "a", .atoms = 100, .most_atoms = 30}),
                  b = graph.add({.name = "b", .atoms = 70, .most_atoms = 40}),
                  none = graph.add({.name = "none", .atoms = 0}),
                  machine_vertex = graph.add_machine_vertex({.dtcm_bytes = 17}, "whole");
  const AppPartition all =
      graph.connect(a, {b, machine_vertex, none}, {.identifier = "spikes", .packets_per_step = 0.5, .keys = 2});
  const AppPartition some = graph.add_partition(a, {.identifier = "near"});
  graph.add_edge(some, b, [](const Slice& from, const Slice& to) { return from.first == 0 && to.first == 40; });
  graph.add_edge(some, a, [](const Slice& from, const Slice& to) { return from == to && from.first == 30; });
  graph.connect(none, {a});
  const AppPartition out = graph.connect(machine_vertex, {a}, {.packets_per_step = 3.0, .keys = 5});
  const auto answer = partition(graph, machine());
  REQUIRE(answer.ok());
  const Partitioned& made = answer.value();
  const MachineGraph& of = made.graph;
  REQUIRE(of.vertices() == 4 + 2 + 0 + 1);
  CHECK(of.given_name(1) == "a, 30 to 59");
  CHECK(of.given_name(3) == "a, 90 to 99");
  CHECK(of.given_name(6) == "whole");
  CHECK(of.resources(6).dtcm_bytes == 17);
  REQUIRE(of.partitions() == 4 + 2 + 0 + 1);
  for (std::uint32_t slice = 0; slice < 4; ++slice) {
    const Partition partition = made.partitions[all][slice];
    CHECK(of.source(partition) == slice);
    CHECK(std::ranges::equal(of.targets(partition), std::vector<Vertex>{4, 5, 6}));
    CHECK(of.options(partition).identifier == "spikes");
    CHECK(of.options(partition).keys == (slice == 3 ? 20 : 60));
    CHECK(of.options(partition).packets_per_step == (slice == 3 ? 5.0 : 15.0));
    CHECK(made.partition_of[partition] == all);
  }
  CHECK(std::ranges::equal(of.targets(made.partitions[some][0]), std::vector<Vertex>{5}));
  CHECK(std::ranges::equal(of.targets(made.partitions[some][1]), std::vector<Vertex>{1}));
  CHECK(made.partitions[some][2] == no_partition);
  CHECK(std::ranges::equal(of.targets(made.partitions[out][0]), std::vector<Vertex>{0, 1, 2, 3}));
  CHECK(of.options(made.partitions[out][0]).keys == 5);

  const auto keys = make_keys(made);
  REQUIRE(keys.ok());
  CHECK(verify(of, made.constraints, keys.value()).ok());
  // A zone for each partition: four slices of 64 keys in a block of 256.
  for (std::uint32_t slice = 0; slice < 4; ++slice)
    CHECK((keys.value()[made.partitions[all][slice]].key & ~0xFFU) ==
          (keys.value()[made.partitions[all][0]].key & ~0xFFU));
}

TEST_CASE("partitioning: a machine graph in an application graph stays as it is") {
  Draw draw(3);
  MachineGraph given;
  for (Vertex at = 0; at < 50; ++at) given.add({.dtcm_bytes = draw.below(3)}, at % 2 == 0 ? "n" : "");
  for (std::uint32_t at = 0; at < 80; ++at) {
    std::vector<Vertex> targets(draw.below(4) + 1);
    for (Vertex& one : targets) one = draw.below(50);
    const Vertex source = draw.below(50);
    given.connect(source, targets, {.identifier = "x", .packets_per_step = 0.25, .keys = 1 + draw.below(9)});
  }
  ApplicationGraph graph;
  CHECK(graph.add(given) == 0);
  const auto made = partition(graph, machine());
  REQUIRE(made.ok());
  CHECK(made.value().graph.digest() == given.digest());
  CHECK(made.value().cores == 50);
  CHECK(graph.add(given) == 50);
  CHECK(graph.source(80) == 50 + given.source(0));
}

TEST_CASE("partitioning: constraints hold for all slices") {
  Machine with_device = Machine::grid<SpiNNaker1>(8, 8).value();
  const Chip device = with_device.add_device(0, Link::west, "camera").value();
  ApplicationGraph graph;
  const AppVertex a = graph.add(
                      {.name = "a", .atoms = 100, .fixed = {.ip_tags = 1, .reverse_tags = 1}, .most_atoms = 40}),
                  b = graph.add({.name = "b", .atoms = 70, .most_atoms = 40}),
                  camera = graph.add_device(device, 1000, "camera");
  const AppPartition ab = graph.connect(a, {b}), aa = graph.connect(a, {a}), pixels = graph.connect(camera, {a});
  Constraints& to = graph.constraints;
  to.steps = 7, to.step_us = 9;
  to.on_chip = {{a, 3}}, to.on_board = {{b, 0}}, to.near_chip = {{b, 5}}, to.same_chip = {{a, b}};
  to.on_core = {{b, 3, 4}};
  to.shared_sdram = {{{b}, 1000, 2}};
  to.reserved_cores = {{no_chip, 17}};
  to.ip_tags = {{.vertex = a, .host = "h", .port = 5}}, to.reverse_tags = {{.vertex = a, .port = 6}};
  to.same_keys = {{ab, aa}};
  to.fixed_keys = {{pixels, {0xFF000000, 0xFF000000}}, {ab, {0x1000, 0xFFFFFF00}}};
  const auto answer = partition(graph, with_device);
  REQUIRE(answer.ok());
  const Constraints& made = answer.value().constraints;
  CHECK(made.steps == 7);
  CHECK(made.step_us == 9);
  const auto vertices = [](const auto& list) {
    std::vector<Vertex> all;
    for (const auto& one : list) all.push_back(one.vertex);
    return all;
  };
  CHECK(vertices(made.on_chip) == std::vector<Vertex>{0, 1, 2});
  CHECK(made.on_chip[2].chip == 3);
  CHECK(vertices(made.on_board) == std::vector<Vertex>{3, 4});
  CHECK(vertices(made.near_chip) == std::vector<Vertex>{3, 4});
  CHECK(vertices(made.on_core) == std::vector<Vertex>{3, 4});
  CHECK(vertices(made.devices) == std::vector<Vertex>{5});
  CHECK(vertices(made.ip_tags) == std::vector<Vertex>{0, 1, 2});
  CHECK(made.ip_tags[1].host == "h");
  CHECK(vertices(made.reverse_tags) == std::vector<Vertex>{0, 1, 2});
  CHECK(made.same_chip == std::vector<std::vector<Vertex>>{{0, 1, 2, 3, 4}});
  REQUIRE(made.shared_sdram.size() == 1);
  CHECK(made.shared_sdram[0].vertices == std::vector<Vertex>{3, 4});
  CHECK(made.shared_sdram[0].bytes == 1000);
  CHECK(made.shared_sdram[0].bytes_per_step == 2);
  CHECK(made.reserved_cores.size() == 1);
  CHECK(answer.value().cuts[camera].cores == 0);
  CHECK(answer.value().cuts[camera].limit == Limit::device);
  CHECK(answer.value().cores == 5);
  const auto keys = make_keys(answer.value());
  REQUIRE(keys.ok());
  for (std::uint32_t slice = 0; slice < 3; ++slice) {
    CHECK(keys.value()[answer.value().partitions[ab][slice]] == KeyMask{0x1000 + 64 * slice, 0xFFFFFFC0});
    CHECK(keys.value()[answer.value().partitions[aa][slice]] == KeyMask{0x1000 + 64 * slice, 0xFFFFFFC0});
  }
  CHECK(keys.value()[answer.value().partitions[pixels][0]] == KeyMask{0xFF000000, 0xFF000000});

  const auto refused = [&](auto change) {
    ApplicationGraph other = graph;
    change(other);
    return partition(other, with_device).sentence();
  };
  CHECK(refused([&](auto& one) {
          one.constraints.fixed_keys = {{ab, {0x1000, 0xFFFFFF80}}};
        }) == "partition 0 of application vertex 0, a: is on 3 cores with up to 64 keys each, and its fixed keys "
              "0x00001000/0xffffff80 are 128");
  CHECK(refused([&](auto& one) {
          one.constraints.fixed_keys = {{ab, {0x1000, 0xFFF0F000}}};
        }) == "partition 0 of application vertex 0, a: is on 3 cores, and its fixed keys 0x00001000/0xfff0f000 do not "
              "follow each other, so "
              "they cannot be shared out");
  CHECK(refused([&](auto& one) {
          one.constraints.same_keys = {{ab, pixels}};
        }) == "partition 2 of application vertex 2, camera: must have the same keys as partition 0 of application "
              "vertex 0, a, and routers could "
              "not tell packets of two sources by them");
  CHECK(refused([&](auto& one) {
          one.constraints.on_chip = {{9, 1}};
        }) == "on_chip: application vertex 9 is named, and the graph has 3");
  CHECK(refused([&](auto& one) {
          one.constraints.same_chip = {{0, 3}};
        }) == "same_chip: application vertex 3 is named, and the graph has 3");
  CHECK(refused([&](auto& one) {
          one.constraints.fixed_keys = {{3, {}}};
        }) == "fixed_keys: partition 3 is named, and the graph has 3");
  CHECK(refused([&](auto& one) { one.add_edge(ab, 3); }) ==
        "target: application vertex 3 is named, and the graph has 3");
  CHECK(refused([&](auto& one) { one.add_partition(4); }) ==
        "source: application vertex 4 is named, and the graph has 3");
  CHECK(refused([&](auto& one) { one.connect(camera, {a}, {.identifier = "all", .keys = 4294968}); }) ==
        "partition 3, all, of application vertex 2, camera: sends 4294968000 keys from one core, and there are 2^32 in "
        "all");
}
