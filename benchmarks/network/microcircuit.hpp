// SPDX-License-Identifier: BSL-1.0
// The network of T. C. Potjans and M. Diesmann, The cell-type specific cortical microcircuit, Cereb. Cortex 24, 2014, at any
// scale of its numbers of neurons and synapses.
#ifndef BENCHMARKS_NETWORK_MICROCIRCUIT_HPP
#define BENCHMARKS_NETWORK_MICROCIRCUIT_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/network/network.hpp>

namespace microcircuit {

namespace nm = neuromorph;

inline constexpr std::array names{"2/3E", "2/3I", "4E", "4I", "5E", "5I", "6E", "6I"};
inline constexpr std::array<std::uint32_t, 8> neurons{20683, 5834, 21915, 5479, 4850, 1065, 14395, 2948};
inline constexpr std::array<double, 8> rates_hz{0.97, 2.87, 4.75, 5.40, 8.14, 9.08, 0.99, 7.52};
// [target][source]
inline constexpr std::array<std::array<double, 8>, 8> probabilities{{
    {0.1009, 0.1689, 0.0437, 0.0818, 0.0323, 0, 0.0076, 0},
    {0.1346, 0.1371, 0.0316, 0.0515, 0.0755, 0, 0.0042, 0},
    {0.0077, 0.0059, 0.0497, 0.135, 0.0067, 0.0003, 0.0453, 0},
    {0.0691, 0.0029, 0.0794, 0.1597, 0.0033, 0, 0.1057, 0},
    {0.1004, 0.0622, 0.0505, 0.0057, 0.0831, 0.3726, 0.0204, 0},
    {0.0548, 0.0269, 0.0257, 0.0022, 0.06, 0.3158, 0.0086, 0},
    {0.0156, 0.0066, 0.0211, 0.0166, 0.0572, 0.0197, 0.0396, 0.2252},
    {0.0364, 0.001, 0.0034, 0.0005, 0.0277, 0.008, 0.0658, 0.1443},
}};

using Model = nm::Lif<2>;
inline constexpr nm::ReceptorWeights excitation{.largest = 0.3, .bits = 16, .rate_hz = 40'000.0, .fan_in = 1.0},
    inhibition{.largest = 0.6, .bits = 16, .rate_hz = 10'000.0, .fan_in = 1.0};
inline constexpr Model::Parameters cell{.membrane = {.tau_ms = 10.0, .c_nf = 0.25, .v_rest_mv = -65.0},
                                        .synapses = {.tau_ms = {0.5, 0.5}, .weights = {{excitation, inhibition}}},
                                        .threshold = {.v_mv = -50.0},
                                        .reset = {.v_mv = -65.0},
                                        .refractory = {.period_ms = 2.0}};

/// \param scale  of the number of neurons; synapses are as its square
inline nm::network::Network describe(double scale) {
  using namespace nm::network;
  Network net({.dt_ms = 0.1, .seed = 1});
  std::array<PopulationId, 8> layers{};
  for (std::size_t at = 0; at < 8; ++at) {
    layers[at] = net.add<Model>(names[at], static_cast<std::uint32_t>(neurons[at] * scale), cell);
    net.expect_rate(layers[at], rates_hz[at]);
  }
  for (std::size_t to = 0; to < 8; ++to)
    for (std::size_t from = 0; from < 8; ++from) {
      const double pairs = double(net[layers[from]].count) * net[layers[to]].count, p = probabilities[to][from];
      if (p == 0.0) continue;
      const auto total = static_cast<std::uint64_t>(std::log1p(-p) / std::log1p(-1.0 / pairs));
      const bool excites = from % 2 == 0;
      const double weight = from == 2 && to == 0 ? 0.1756 : excites ? 0.0878 : 0.3512; // nA
      const double delay_ms = excites ? 1.5 : 0.75;
      net.connect(layers[from], layers[to], FixedTotal{.total = total},
                  {.receptor = excites ? 0U : 1U,
                   .weight = normal(weight, weight / 10).redrawn(0.0, 1.0),
                   .delay_ms = normal(delay_ms, delay_ms / 2).redrawn(0.1, 10.0)});
    }
  return net;
}

} // namespace microcircuit

#endif
