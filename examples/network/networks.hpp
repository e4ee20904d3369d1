// SPDX-License-Identifier: BSL-1.0
// Two networks, as they are described.
#ifndef EXAMPLES_NETWORK_NETWORKS_HPP
#define EXAMPLES_NETWORK_NETWORKS_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/network/network.hpp>

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

/// The cortical microcircuit: T. C. Potjans and M. Diesmann, Cereb. Cortex 24, 2014.
namespace cortex {
inline constexpr std::size_t populations = 8; // every second one inhibits
inline constexpr std::array names{"L2/3E", "L2/3I", "L4E", "L4I", "L5E", "L5I", "L6E", "L6I"};
inline constexpr std::array neurons{20683.0, 5834.0, 21915.0, 5479.0, 4850.0, 1065.0, 14395.0, 2948.0};
inline constexpr std::array background{1600.0, 1500.0, 2100.0, 1900.0,
                                       2000.0, 1900.0, 2900.0, 2100.0}; // synapses, at 8 Hz
inline constexpr std::array rates_hz{0.97, 2.87, 4.75, 5.40, 8.14, 9.08, 0.99, 7.52};
inline constexpr std::array<std::array<double, populations>, populations> probability{{
    // [target][source]
    {0.1009, 0.1689, 0.0437, 0.0818, 0.0323, 0, 0.0076, 0},
    {0.1346, 0.1371, 0.0316, 0.0515, 0.0755, 0, 0.0042, 0},
    {0.0077, 0.0059, 0.0497, 0.135, 0.0067, 0.0003, 0.0453, 0},
    {0.0691, 0.0029, 0.0794, 0.1597, 0.0033, 0, 0.1057, 0},
    {0.1004, 0.0622, 0.0505, 0.0057, 0.0831, 0.3726, 0.0204, 0},
    {0.0548, 0.0269, 0.0257, 0.0022, 0.06, 0.3158, 0.0086, 0},
    {0.0156, 0.0066, 0.0211, 0.0166, 0.0572, 0.0197, 0.0396, 0.2252},
    {0.0364, 0.001, 0.0034, 0.0005, 0.0277, 0.008, 0.0658, 0.1443},
}};
} // namespace cortex

/// \param scale  of the number of neurons; each has as many synapses as in the whole network, so that they share more sources
inline Network layers(double scale, std::uint64_t seed) {
  using Model = nm::Lif<2>;
  // Psps have room for what all synapses of a neuron bring at 8 Hz, those of the background as well.
  constexpr nm::ReceptorWeights excitation{.largest = 0.3, .bits = 16, .rate_hz = 8.0, .fan_in = 7000.0},
      inhibition{.largest = 0.6, .bits = 16, .rate_hz = 8.0, .fan_in = 2000.0};
  constexpr Model::Parameters cell{.membrane = {.tau_ms = 10.0, .c_nf = 0.25, .v_rest_mv = -65.0},
                                   .synapses = {.tau_ms = {0.5, 0.5}, .weights = {{excitation, inhibition}}},
                                   .threshold = {.v_mv = -50.0},
                                   .reset = {.v_mv = -65.0},
                                   .refractory = {.period_ms = 2.0}};
  Network net({.dt_ms = 0.1, .seed = seed});
  std::array<PopulationId, cortex::populations> layer{};
  for (std::size_t at = 0; at < layer.size(); ++at) {
    layer[at] = net.add<Model>(cortex::names[at], static_cast<std::uint32_t>(cortex::neurons[at] * scale), cell);
    net.begin_at(layer[at], nm::place_of<Model>.membrane.v, normal(-58.0, 10.0).redrawn(-90.0, -50.01));
    net.add_background(layer[at], {.receptor = 0, .rate_hz = 8.0 * cortex::background[at], .weight = 0.0878});
    net.expect_rate(layer[at], cortex::rates_hz[at]);
  }
  for (std::size_t to = 0; to < layer.size(); ++to)
    for (std::size_t from = 0; from < layer.size(); ++from) {
      const double pairs = cortex::neurons[from] * cortex::neurons[to], p = cortex::probability[to][from];
      if (p == 0.0) continue;
      const double synapses =
          std::log1p(-p) / std::log1p(-1.0 / pairs); // drawn with replacement: p of the pairs have one
      const bool excites = from % 2 == 0;
      const double weight = from == 2 && to == 0 ? 0.1756 : excites ? 0.0878 : 0.3512, delay_ms = excites ? 1.5 : 0.75;
      net.connect(layer[from], layer[to], FixedTotal{.total = static_cast<std::uint64_t>(synapses * scale)},
                  {.receptor = excites ? 0U : 1U,
                   .weight = normal(weight, weight / 10.0).redrawn(0.0, 1.0),
                   .delay_ms = normal(delay_ms, delay_ms / 2.0).redrawn(0.1, 10.0)});
    }
  return net;
}

} // namespace networks

#endif
