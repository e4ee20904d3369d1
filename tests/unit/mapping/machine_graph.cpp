// SPDX-License-Identifier: BSL-1.0
// Graphs of machine vertices: what is added is there, and a digest tells graphs apart by what is mapped of them.
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/machine_graph.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

namespace mapping = neuromorph::mapping;
using mapping::MachineGraph;
using mapping::Resources;
using mapping::Vertex;

} // namespace

TEST_CASE("machine graph: what was added is there, whatever the order of kinds and options") {
  mapping::detail::Draw draw(17);
  MachineGraph graph;
  std::vector<Resources> resources;
  std::vector<std::string> names;
  std::vector<std::vector<Vertex>> targets;
  std::vector<Vertex> sources;
  std::vector<mapping::PartitionOptions> options;
  for (Vertex vertex = 0; vertex < 500; ++vertex) {
    Resources one;
    one.dtcm_bytes = draw.below(3), one.sdram_bytes = draw.below(3), one.sdram_per_step = draw.below(2);
    one.cycles_per_step = draw.below(2), one.ip_tags = draw.below(2), one.reverse_tags = draw.below(2);
    resources.push_back(one);
    names.push_back(draw.below(3) == 0 ? "cell " + std::to_string(vertex) : "");
    CHECK(graph.add(one, names.back()) == vertex);
  }
  for (mapping::Partition partition = 0; partition < 800; ++partition) {
    sources.push_back(draw.below(500));
    std::vector<Vertex> to(draw.below(5));
    for (Vertex& one : to) one = draw.below(500);
    mapping::PartitionOptions one;
    one.identifier = draw.below(2) == 0 ? "state" : "spikes that are many";
    one.packets_per_step = draw.below(2) == 0 ? 1.0 : 0.5;
    one.keys = draw.below(3);
    CHECK(graph.connect(sources.back(), to, one) == partition);
    targets.push_back(to), options.push_back(one);
  }
  REQUIRE(graph.vertices() == 500);
  REQUIRE(graph.partitions() == 800);
  std::size_t edges = 0;
  for (Vertex vertex = 0; vertex < 500; ++vertex) {
    CHECK(graph.resources(vertex) == resources[vertex]);
    CHECK(graph.kinds()[graph.kind(vertex)] == resources[vertex]);
    CHECK(graph.given_name(vertex) == names[vertex]);
    const std::string number = "vertex " + std::to_string(vertex);
    CHECK(graph.name(vertex) == (names[vertex].empty() ? number : number + ", " + names[vertex]));
  }
  for (mapping::Partition partition = 0; partition < 800; ++partition) {
    CHECK(graph.source(partition) == sources[partition]);
    CHECK(graph.options(partition) == options[partition]);
    CHECK(std::ranges::equal(graph.targets(partition), targets[partition]));
    edges += targets[partition].size();
  }
  CHECK(graph.edges() == edges);
  CHECK(graph.partition_name(0) == "partition 0, " + options[0].identifier + ", of " + graph.name(sources[0]));
}

TEST_CASE("machine graph: kinds that take turns are kept once") {
  MachineGraph graph;
  for (std::uint32_t at = 0; at < 1000; ++at) graph.add({.dtcm_bytes = at % 3});
  CHECK(graph.kinds().size() == 3);
}

TEST_CASE("machine graph: a digest changes with each thing that is mapped, and with no name") {
  const auto make = [](int change) {
    MachineGraph graph;
    Resources one{
        .dtcm_bytes = 1, .sdram_bytes = 2, .sdram_per_step = 3, .cycles_per_step = 4, .ip_tags = 5, .reverse_tags = 6};
    if (change == 1) ++one.dtcm_bytes;
    if (change == 2) ++one.sdram_bytes;
    if (change == 3) ++one.sdram_per_step;
    if (change == 4) ++one.cycles_per_step;
    if (change == 5) ++one.ip_tags;
    if (change == 6) ++one.reverse_tags;
    if (change == 7) std::swap(one.dtcm_bytes, one.sdram_bytes);
    graph.add(one, change == 100 ? "name" : "");
    for (int at = 0; at < (change == 8 ? 8 : 7); ++at) graph.add({.dtcm_bytes = static_cast<std::uint32_t>(at)});
    mapping::PartitionOptions options{.identifier = change == 9 ? "b" : "a", .packets_per_step = 2.0, .keys = 3};
    if (change == 10) options.keys = 4;
    if (change == 11) options.packets_per_step = 2.5;
    std::vector<Vertex> targets{1, 2, 3, 4, 5};
    if (change == 12) targets[4] = 6;
    if (change == 13) std::swap(targets[0], targets[1]);
    if (change == 14) targets.pop_back();
    if (change == 15) targets[2] = 6;
    graph.connect(change == 16 ? 1 : 0, targets, options);
    graph.connect(2, std::vector<Vertex>{1});
    if (change == 17) graph.connect(2, std::vector<Vertex>{});
    if (change == 101) {
      // The same lists, cut elsewhere.
      MachineGraph other;
      for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex) other.add(graph.resources(vertex));
      other.connect(0, std::vector<Vertex>{1, 2, 3, 4}, options);
      other.connect(2, std::vector<Vertex>{5, 1});
      return other.digest();
    }
    return graph.digest();
  };
  std::set<std::uint64_t> digests;
  for (int change = 0; change <= 17; ++change) digests.insert(make(change));
  digests.insert(make(101));
  CHECK(digests.size() == 19);
  CHECK(make(100) == make(0));
}
