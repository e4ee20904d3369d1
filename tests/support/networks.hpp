// SPDX-License-Identifier: BSL-1.0
// Small networks for tests of network/, and all synapses of a projection.
#ifndef TESTS_SUPPORT_NETWORKS_HPP
#define TESTS_SUPPORT_NETWORKS_HPP

#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/nearest_pair.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/plasticity.hpp>
#include <neuromorph/network/projection_plan.hpp>
#include <neuromorph/network/synapse_generator.hpp>
#include <tests/support/catch.hpp>

namespace networks {

namespace network = neuromorph::network;

using Cells = neuromorph::Lif<2>;
inline constexpr neuromorph::ReceptorWeights nanoampere{.largest = 1.0, .bits = 16};
inline constexpr Cells::Parameters cell{.membrane = {.c_nf = 0.25},
                                        .synapses = {.tau_ms = {5.0, 10.0}, .weights = {{nanoampere, nanoampere}}}};
using SignedCells = neuromorph::CompactLif<1>;
inline constexpr SignedCells::Parameters signed_cell{.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0}}};

/// The same with little to make: a weight of 1 is 1024 units.
inline network::Population plain(std::string name, std::uint32_t count) {
  return {.name = std::move(name), .count = count, .units_per_one = {1024.0, 1024.0}};
}

inline constexpr neuromorph::PackedLif::Parameters packed_cell{.membrane = {.c_nf = 0.25},
                                                               .synapses = {.tau_ms = {5.0, 10.0}}};

/// Chance, lists, background, sums of 16 and 32 bits, all layouts, delays of 1 to 200 steps, two rules, multiple synapses.
template <class Model>
network::Network everything(const typename Model::Parameters& parameters, double weight, bool learns = true) {
  network::Network net({.dt_ms = 0.1, .seed = 11});
  std::vector<network::SpikeTime> times;
  for (std::uint32_t at = 0; learns && at < 600; ++at) times.push_back({at * 7 % 70, 0.37 * at});
  const auto chance = net.add_poisson("chance", 130, 60.0), list = net.add_spikes("list", 70, times);
  const auto cells = net.add<Cells>("cells", 200, cell),
             narrow = net.add<neuromorph::PackedLif>("narrow", 150, packed_cell);
  const auto others = net.add<Model>("others", 100, parameters);
  net.add_background(cells, {.receptor = 0, .rate_hz = 3000.0, .weight = 0.2});
  net.add_background(cells, {.receptor = 1, .rate_hz = 500.0, .weight = 0.1});
  net.add_background(narrow, {.receptor = 0, .rate_hz = 3000.0, .weight = 0.2});
  net.begin_at(cells, neuromorph::place_of<Cells>.membrane.v, network::uniform(-65.0, -51.0));
  const auto delays = network::uniform(0.1, 20.0);
  net.connect(chance, others, network::Pairwise{0.3}, {.receptor = 0, .weight = weight, .delay_ms = delays});
  net.connect(cells, others, network::Pairwise{0.2}, {.receptor = 0, .weight = weight, .delay_ms = delays});
  net.connect(others, cells, network::Pairwise{0.2}, {.weight = network::uniform(0.01, 0.1), .delay_ms = delays});
  net.connect(list, narrow, network::AllToAll{}, {.weight = 0.05, .delay_ms = 7.0});
  net.connect(narrow, cells, network::Pairwise{0.5}, {.receptor = 1, .weight = 0.02, .delay_ms = 1.5});
  if (!learns) return net;
  const auto pair = network::learns<neuromorph::timing::Pair<neuromorph::DecayTable<3000>>>(
      {.tau_plus_ms = 12.0, .tau_minus_ms = 9.0, .a_plus = 0.02, .a_minus = 0.02}, {.lowest = 0.0, .highest = 0.3});
  const auto nearest = network::learns<neuromorph::timing::NearestPair<neuromorph::DecayTable<3000>>>(
      {.a_plus = 0.05, .a_minus = 0.04}, {.lowest = 0.0, .highest = 0.2});
  net.connect(chance, cells, network::Pairwise{0.2}, {.weight = 0.1, .delay_ms = delays, .plasticity = pair});
  net.connect(cells, cells, network::FixedTotal{9000},
              {.weight = network::uniform(0.0, 0.1), .delay_ms = network::uniform(0.1, 0.8), .plasticity = pair});
  net.connect(cells, narrow, network::Pairwise{0.1}, {.weight = 0.1, .delay_ms = 2.0, .plasticity = nearest});
  return net;
}

/// All that an engine counts.
template <class Counts>
std::vector<std::uint64_t> numbers_of(const Counts& one) {
  return {one.spikes,
          one.events,
          one.background,
          one.saturations,
          one.input_saturations,
          one.background_saturations,
          one.learned.held_at_highest,
          one.learned.held_at_lowest,
          one.learned.held_traces};
}

struct Found {
  std::uint32_t source, target, delay;
  std::int32_t weight;
  friend auto operator<=>(const Found&, const Found&) = default;
};

inline network::ProjectionPlan plan_of(const network::Network& net, std::uint32_t projection = 0) {
  network::OutcomeTables tables;
  auto plan = network::ProjectionPlan::from(net, network::ProjectionId(projection), tables);
  INFO(plan.sentence());
  REQUIRE(plan.ok());
  return std::move(plan).value();
}

/// In the order in which they come.
inline std::vector<Found> synapses_of(const network::ProjectionPlan& plan, network::Range sources,
                                      network::Range targets) {
  std::vector<Found> found;
  network::SynapseGenerator generator(plan);
  generator.each(sources, targets, [&](const network::DrawnSynapse& one) {
    found.push_back({one.source, one.target, one.delay, plan.weight(one.weight_word)});
  });
  return found;
}
inline std::vector<Found> synapses_of(const network::ProjectionPlan& plan) {
  return synapses_of(plan, {0, plan.sources()}, {0, plan.targets()});
}

/// From `sources` neurons to `targets` others, or within one population where there are none.
inline std::vector<Found> connected(const network::Connector& connector, std::uint32_t sources, std::uint32_t targets,
                                    std::uint64_t seed, const network::Synapses& synapses = {}) {
  network::Network net({.dt_ms = 0.1, .seed = seed});
  const auto from = net.add(plain("from", sources));
  const auto to = targets == 0 ? from : net.add(plain("to", targets));
  net.connect(from, to, connector, synapses);
  return synapses_of(plan_of(net));
}

} // namespace networks

#endif
