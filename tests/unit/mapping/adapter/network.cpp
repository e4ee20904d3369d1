// SPDX-License-Identifier: BSL-1.0
// Application graphs of networks: what a slice takes against counts of rows that were built, edges against synapses, and the whole
// cortical microcircuit.
#include <neuromorph/mapping/adapter/network.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/partitioning.hpp>

#include "examples/microcircuit/network.hpp"
#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph::mapping;
namespace network = neuromorph::network;
using neuromorph::Error;
using neuromorph::mapping::detail::Draw;

/// Neurons of which only these are known.
network::Population plain(std::string name, std::uint32_t count, double rate_hz = 0.0) {
  return {.name = std::move(name), .count = count, .units_per_one = {1.0, 1.0}, .input_bits = 16, .rate_hz = rate_hz};
}
const Machine& machine() {
  static const Machine made = Machine::grid<SpiNNaker1>(48, 48, {.wraps_x = true, .wraps_y = true}).value();
  return made;
}
Resources of(const ApplicationGraph& graph, AppVertex vertex, std::uint32_t first, std::uint32_t count) {
  return resources_of(graph.vertex(vertex), {first, count});
}

} // namespace

TEST_CASE("adapter of networks: a slice takes what its rates and synapses say") {
  network::Network net({.dt_ms = 1.0, .seed = 1});
  const auto from = net.add(plain("from", 1000, 10.0)), to = net.add(plain("to", 500, 5.0)),
             rain = net.add_poisson("rain", 200, 40.0);
  net.connect(from, to, network::Pairwise{0.1}, {.receptor = 0, .weight = 1.0, .delay_ms = 3.0});
  net.connect(rain, to, network::FixedIndegree{20}, {.receptor = 1, .weight = 1.0, .delay_ms = 7.0});
  net.add_background(to, {.receptor = 0, .rate_hz = 100.0, .weight = 1.0});
  const NetworkCosts costs{.cycles_per_step = 1000,
                           .cycles_per_neuron = 20,
                           .cycles_per_spike = 80,
                           .cycles_per_row = 100,
                           .cycles_per_event = 8,
                           .cycles_per_draw = 10,
                           .dtcm_bytes = 5000,
                           .bytes_per_source = 16};
  const auto made = application_graph(
      net, {.costs = costs, .slow_down = 2.0, .steps = 9, .records_spikes = true, .recorded_words = 3});
  REQUIRE(made.ok());
  const ApplicationGraph& graph = made.value();
  REQUIRE(graph.vertices() == 3);
  CHECK(graph.vertex(1).name == "to");
  CHECK(graph.vertex(1).atoms == 500);
  CHECK(graph.constraints.step_us == 2000);
  CHECK(graph.constraints.steps == 9);
  const Resources a = of(graph, 1, 0, 100);
  // One more each, as 2^-16 are rounded up: 1000 * 0.01 + 200 * 0.04 rows, and for each neuron itself, 0.005 spikes, 100 * 0.01 + 20 * 0.04 events and one draw.
  CHECK(a.cycles_per_step - 1 ==
        1000 + 18 * 100 + static_cast<std::uint32_t>(std::ceil(100 * (20 + 0.4 + 1.8 * 8 + 10) - 1e-6)));
  // 4 words, 8 slots of 2 receptors in 16 bits, two row buffers of 0.1 words for a neuron.
  CHECK(a.dtcm_bytes - 1 ==
        5000 + 2 * 16 + 100 * 16 + 100 * 32 + static_cast<std::uint32_t>(std::ceil(100 * 2 * 4 * 0.1)));
  CHECK(a.sdram_bytes == 1200 * 4 + 100 * (100 + 20) * 4);
  CHECK(a.sdram_per_step == 16 + 100 * 12);
  const Resources source = of(graph, 2, 50, 100);
  CHECK(source.cycles_per_step == 1000 + 100 * 10 + 320);
  CHECK(source.sdram_per_step == 16);
  CHECK(graph.partitions() == 2);
  CHECK(graph.source(1) == 2);
  CHECK(graph.options(0).packets_per_step == 0.01);
  CHECK(graph.edges(0).size() == 1);
  CHECK(graph.edges(0)[0].target == 1);
  // Twice the peak: twice of what spikes take.
  NetworkCosts peak = costs;
  peak.peak = 2.0;
  CHECK(of(application_graph(net, {.costs = peak}).value(), 1, 0, 100).cycles_per_step - a.cycles_per_step ==
        1800 + 40 + 1440);
  CHECK(of(application_graph(net, {.costs = costs, .neuron_cycles = {0, 50}}).value(), 1, 0, 100).cycles_per_step -
            a.cycles_per_step ==
        3000);
  // Delays without an end: as far as one in a million.
  network::Network normal({.dt_ms = 1.0, .seed = 1});
  const auto cells = normal.add(plain("cells", 100));
  normal.connect(cells, cells, network::Pairwise{0.0},
                 {.delay_ms = network::normal(30.0, 6.0)}); // 4.75 deviations: 58.5
  CHECK(
      of(application_graph(normal, {.costs = {.dtcm_bytes = 0, .bytes_per_source = 0}}).value(), 0, 0, 1).dtcm_bytes ==
      16 + 64 * 4);
}

TEST_CASE("adapter of networks: each connector has its number of synapses, a list those of the slice") {
  const auto bytes = [](network::Connector connector, std::uint32_t sources, std::uint32_t first, std::uint32_t count) {
    network::Network net({.dt_ms = 1.0, .seed = 1});
    const auto from = net.add(plain("from", sources)), to = net.add(plain("to", 40));
    net.connect(from, to, std::move(connector), {.delay_ms = 1.0});
    return of(application_graph(net, {.costs = {.bytes_per_row = 0}}).value(), 1, first, count).sdram_bytes;
  };
  CHECK(bytes(network::AllToAll{}, 30, 0, 10) == 4 * 300);
  CHECK(bytes(network::OneToOne{}, 40, 0, 10) == 4 * 10);
  CHECK(bytes(network::Pairwise{0.5}, 30, 0, 10) == 4 * 150);
  CHECK(bytes(network::FixedIndegree{7}, 30, 0, 10) == 4 * 70);
  CHECK(bytes(network::FixedOutdegree{8}, 30, 0, 10) == 4 * 60);
  CHECK(bytes(network::FixedTotal{400}, 30, 0, 10) == 4 * 100);
  CHECK(bytes(network::ByDistance{.probability = 0.25}, 30, 0, 10) == 4 * 75);
  network::FromList list;
  Draw draw(5);
  for (int at = 0; at < 200; ++at) {
    network::Listed one;
    one.source = draw.below(30), one.target = draw.below(40), one.weight = 1.0, one.delay_ms = 1.0;
    list.synapses.push_back(one);
  }
  for (std::uint32_t first = 0; first < 40; first += 7)
    for (std::uint32_t count = 1; first + count <= 40; ++count)
      CHECK(bytes(list, 30, first, count) ==
            4 * std::count_if(list.synapses.begin(), list.synapses.end(), [&](const network::Listed& one) {
              return one.target >= first && one.target < first + count;
            }));
}

TEST_CASE("adapter of networks: slices without a synapse are not joined, those with one are") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Draw draw(seed);
    INFO("seed " << seed);
    const std::uint32_t size = 1 + draw.below(200);
    network::Network net({.dt_ms = 1.0, .seed = 1});
    const auto a = net.add(plain("a", size)), b = net.add(plain("b", size));
    network::FromList list;
    for (std::uint32_t at = draw.below(30); at != 0; --at) {
      network::Listed one;
      one.source = draw.below(size), one.target = draw.below(size), one.weight = 1.0, one.delay_ms = 1.0;
      list.synapses.push_back(one);
    }
    net.connect(a, b, list, {});
    const bool has_both = seed % 2 == 0, is_dense = seed % 5 == 0;
    if (has_both) net.connect(a, b, network::OneToOne{}, {.delay_ms = 1.0});
    if (is_dense) net.connect(a, b, network::Pairwise{0.1}, {.delay_ms = 1.0});
    for (const bool leaves_out : {true, false}) {
      auto graph = application_graph(net, {.leaves_out_empty = leaves_out});
      REQUIRE(graph.ok());
      graph.value().vertex(0).most_atoms = 1 + draw.below(40);
      graph.value().vertex(1).most_atoms = 1 + draw.below(40);
      const auto made = partition(graph.value(), machine());
      REQUIRE(made.ok());
      const Partitioned& of = made.value();
      for (std::uint32_t from = 0; from < of.slice_count(0); ++from)
        for (std::uint32_t to = 0; to < of.slice_count(1); ++to) {
          const Slice one = of.slices[of.vertex(0, from)], other = of.slices[of.vertex(1, to)];
          bool wanted = is_dense || !leaves_out;
          for (const network::Listed& synapse : list.synapses)
            wanted = wanted || (synapse.source - one.first < one.count && synapse.target - other.first < other.count);
          for (std::uint32_t neuron = 0; neuron < size && has_both; ++neuron)
            wanted = wanted || (neuron - one.first < one.count && neuron - other.first < other.count);
          const Partition partition = of.partitions[0][from];
          const bool is_there =
              partition != no_partition && std::ranges::count(of.graph.targets(partition), of.vertex(1, to)) == 1;
          CHECK(is_there == wanted);
        }
    }
  }
}

TEST_CASE("adapter of networks: the whole microcircuit fits cores, with all its edges") {
  const auto net = microcircuit::describe({});
  const auto graph = application_graph(net, {.slow_down = 10.0});
  REQUIRE(graph.ok());
  const auto answer = partition(graph.value(), machine());
  REQUIRE(answer.ok());
  const Partitioned& made = answer.value();
  CHECK(graph.value().vertices() == 8);
  CHECK(graph.value().partitions() == 8);
  std::size_t edges = 0;
  for (std::size_t to = 0; to < 8; ++to)
    for (std::size_t from = 0; from < 8; ++from)
      if (microcircuit::probabilities[to][from] != 0.0)
        edges +=
            std::size_t{made.slice_count(static_cast<AppVertex>(to))} * made.slice_count(static_cast<AppVertex>(from));
  CHECK(made.graph.edges() == edges);
  std::uint64_t neurons = 0, bytes = 0;
  for (const Slice& one : made.slices) neurons += one.count;
  CHECK(neurons == 77169);
  for (Vertex vertex = 0; vertex < made.graph.vertices(); ++vertex) {
    const Resources& one = made.graph.resources(vertex);
    bytes += one.sdram_bytes;
    CHECK((one.dtcm_bytes <= 65536 && one.cycles_per_step <= 200'000));
  }
  // Its 298 880 971 or so synapses of 4 bytes, and an index of each row of each core.
  double synapses = 0.0;
  for (std::size_t to = 0; to < 8; ++to)
    for (std::size_t from = 0; from < 8; ++from) synapses += std::floor(microcircuit::synapses_of(to, from));
  double index = 0.0;
  for (std::size_t to = 0; to < 8; ++to)
    for (std::size_t from = 0; from < 8; ++from)
      if (microcircuit::probabilities[to][from] != 0.0)
        index += 4.0 * made.slice_count(static_cast<AppVertex>(to)) * microcircuit::neurons[from];
  CHECK(static_cast<double>(bytes) / (4.0 * synapses + index) == Approx(1.0).epsilon(1e-4));
  CHECK(check(made.graph, machine(), made.constraints).ok());
  const auto keys = make_keys(made);
  REQUIRE(keys.ok());
  CHECK(verify(made.graph, made.constraints, keys.value()).ok());
  for (const Cut& one : made.cuts) CHECK(one.limit == Limit::dtcm);
}

TEST_CASE("adapter of networks: what is wrong is said by name") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto cells = net.add(plain("cells", 100, 10.0)), eye = net.add_source("eye", 100);
  const auto why = [&](auto change, const NetworkOptions& options = {}) {
    network::Network other = net;
    change(other);
    return application_graph(other, options).sentence();
  };
  const auto nothing = [](auto&) {};
  CHECK(why(nothing) == "no error");
  CHECK(why([&](auto& one) { one.expect_rate(cells, -1.0); }) ==
        "population 0, cells: rate_hz = -1: a parameter is outside the range of its number format");
  CHECK(why([&](auto& one) {
          one.expect_rate(cells, std::numeric_limits<double>::quiet_NaN());
        }).starts_with("population 0, cells: rate_hz"));
  CHECK(why([&](auto& one) { one.connect(cells, eye, network::AllToAll{}); }) ==
        "projection 0, cells to eye: its target has no synapses");
  CHECK(why([&](auto& one) { one.connect(network::PopulationId(2), cells, network::AllToAll{}); }) ==
        "projection 0, nothing to cells: population 2 is named, and the network has 2");
  CHECK(why([&](auto& one) {
          one.connect(eye, cells, network::AllToAll{}, {.delay_ms = 1000.0});
        }).starts_with("projection 0, eye to cells: delay_ms = 1000"));
  CHECK(why([&](auto& one) {
          one.connect(eye, cells, network::FromList{{{100, 0, 1.0, 1.0}}});
        }).starts_with("projection 0, eye to cells: synapses = 100"));
  CHECK(why(nothing, {.slow_down = 0.0}) ==
        "network: a step and how much slower it is must be more than 0 and at most 10^6");
  CHECK(why(nothing, {.devices = {{network::PopulationId(2), 1}}}) ==
        "devices: population 2 is named, and the network has 2");

  Machine with_device = Machine::grid<SpiNNaker1>(2, 2).value();
  const Chip chip = with_device.add_device(0, Link::west, "eye").value();
  net.connect(eye, cells, network::OneToOne{}, {.delay_ms = 1.0});
  const auto made = partition(application_graph(net, {.devices = {{eye, chip}}}).value(), with_device);
  REQUIRE(made.ok());
  CHECK(made.value().slice_count(1) == 1);
  CHECK(check(made.value().graph, with_device, made.value().constraints).ok());
  CHECK(gather(made.value().graph, with_device, made.value().constraints).value().groups[0].is_device);
}
