// SPDX-License-Identifier: BSL-1.0
// Two networks, as they are described.
#ifndef EXAMPLES_NETWORK_NETWORKS_HPP
#define EXAMPLES_NETWORK_NETWORKS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/network/network.hpp>

#include "../microcircuit/network.hpp"

namespace networks {

namespace nm = neuromorph;
using namespace nm::network;

/// CUBA: T. P. Vogels and L. F. Abbott, J. Neurosci. 25, 2005, as benchmark 2 of R. Brette et al., J. Comput. Neurosci. 23, 2007.
inline Network cuba(std::uint64_t seed) {
  using Model = nm::PackedLif;
  constexpr nm::ReceptorWeights excitation{.largest = 0.0162, .bits = 12}, inhibition{.largest = 0.09, .bits = 12};
  constexpr Model::Parameters cell{.membrane = {.tau_ms = 20.0, .c_nf = 0.2, .v_rest_mv = -49.0, .v_initial_mv = -60.0},
                                   .synapses = {.tau_ms = {5.0, 10.0}, .weights = {{excitation, inhibition}}},
                                   .threshold = {.v_mv = -50.0},
                                   .reset = {.v_mv = -60.0},
                                   .refractory = {.period_ms = 5.0}};
  Network net({.dt_ms = 0.1, .seed = seed});
  const auto excitatory = net.add<Model>("excitatory", 3200, cell);
  const auto inhibitory = net.add<Model>("inhibitory", 800, cell);
  for (const auto target : {excitatory, inhibitory}) {
    net.begin_at(target, nm::place_of<Model>.membrane.v, uniform(-60.0, -50.01));
    net.expect_rate(target, 5.5);
    net.connect(excitatory, target, Pairwise{0.02}, {.receptor = 0, .weight = 0.0162, .delay_ms = 0.2});
    net.connect(inhibitory, target, Pairwise{0.02}, {.receptor = 1, .weight = 0.09, .delay_ms = 0.2});
  }
  return net;
}

/// Psps have room for what all synapses of a neuron bring at 8 Hz, those of the background as well.
inline constexpr nm::Lif<2>::Parameters cortical_cell{
    .membrane = {.tau_ms = 10.0, .c_nf = 0.25, .v_rest_mv = -65.0},
    .synapses = {.tau_ms = {0.5, 0.5},
                 .weights = {{{.largest = 0.3, .bits = 16, .rate_hz = 8.0, .fan_in = 7000.0},
                              {.largest = 0.6, .bits = 16, .rate_hz = 8.0, .fan_in = 2000.0}}}},
    .threshold = {.v_mv = -50.0},
    .reset = {.v_mv = -65.0},
    .refractory = {.period_ms = 2.0}};

/// The layers of the cortical microcircuit, whose tables `examples/microcircuit` has: every second population inhibits.
/// \param scale  of the number of neurons; each has as many synapses as in the whole network, so that they share more sources
inline Network layers(double scale, std::uint64_t seed) {
  using namespace microcircuit;
  Network net({.dt_ms = 0.1, .seed = seed});
  std::array<PopulationId, populations> layer{};
  for (std::uint32_t at = 0; at < populations; ++at) {
    layer[at] = net.add<nm::Lif<2>>(names[at], static_cast<std::uint32_t>(neurons[at] * scale), cortical_cell);
    net.begin_at(layer[at], nm::place_of<nm::Lif<2>>.membrane.v, normal(-58.0, 10.0).redrawn(-90.0, -50.01));
    net.add_background(layer[at], {.receptor = 0, .rate_hz = background_hz * background[at], .weight = 0.0878});
    net.expect_rate(layer[at], rates_hz[at]);
  }
  for (std::uint32_t to = 0; to < populations; ++to)
    for (std::uint32_t from = 0; from < populations; ++from) {
      const double weight = weight_of(to, from), delay_ms = from % 2 == 0 ? 1.5 : 0.75;
      const FixedTotal pairs{.total = static_cast<std::uint64_t>(synapses_of(to, from) * scale)};
      net.connect(layer[from], layer[to], pairs,
                  {.receptor = from % 2,
                   .weight = normal(weight, weight / 10.0).redrawn(0.0, 1.0),
                   .delay_ms = normal(delay_ms, delay_ms / 2.0).redrawn(0.1, 10.0)});
    }
  return net;
}

} // namespace networks

#endif
