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
#include <neuromorph/network/network.hpp>
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
