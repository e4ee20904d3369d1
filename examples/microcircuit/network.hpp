// SPDX-License-Identifier: BSL-1.0
// The network of T. C. Potjans and M. Diesmann, The cell-type specific cortical microcircuit, Cereb. Cortex 24, 2014, whole or
// with fewer neurons; and what was published of its activity.
#ifndef EXAMPLES_MICROCIRCUIT_NETWORK_HPP
#define EXAMPLES_MICROCIRCUIT_NETWORK_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/plasticity.hpp>

namespace microcircuit {

namespace nm = neuromorph;

inline constexpr std::size_t populations = 8; // every second one inhibits
inline constexpr std::array names{"2/3E", "2/3I", "4E", "4I", "5E", "5I", "6E", "6I"};
inline constexpr std::array<std::uint32_t, populations> neurons{20683, 5834, 21915, 5479, 4850, 1065, 14395, 2948};
inline constexpr std::array<double, populations> background{1600, 1500, 2100, 1900, 2000, 1900, 2900, 2100}; // synapses
inline constexpr double background_hz = 8.0;
// [target][source]
inline constexpr std::array<std::array<double, populations>, populations> probabilities{{
    {0.1009, 0.1689, 0.0437, 0.0818, 0.0323, 0, 0.0076, 0},
    {0.1346, 0.1371, 0.0316, 0.0515, 0.0755, 0, 0.0042, 0},
    {0.0077, 0.0059, 0.0497, 0.135, 0.0067, 0.0003, 0.0453, 0},
    {0.0691, 0.0029, 0.0794, 0.1597, 0.0033, 0, 0.1057, 0},
    {0.1004, 0.0622, 0.0505, 0.0057, 0.0831, 0.3726, 0.0204, 0},
    {0.0548, 0.0269, 0.0257, 0.0022, 0.06, 0.3158, 0.0086, 0},
    {0.0156, 0.0066, 0.0211, 0.0166, 0.0572, 0.0197, 0.0396, 0.2252},
    {0.0364, 0.001, 0.0034, 0.0005, 0.0277, 0.008, 0.0658, 0.1443},
}};

/// Mean rates of published runs: two of 10 s, one of 0.4 s.
inline constexpr std::array<std::array<double, 3>, populations> published_hz{{{0.971, 0.903, 0.912},
                                                                              {2.868, 2.965, 2.989},
                                                                              {4.746, 4.414, 4.411},
                                                                              {5.396, 5.876, 5.879},
                                                                              {8.142, 7.569, 7.646},
                                                                              {9.078, 8.633, 8.657},
                                                                              {0.991, 1.105, 1.075},
                                                                              {7.523, 7.829, 7.832}}};
/// Of all populations: of single neurons' intervals, and variance over mean of the counts of 1000 neurons in bins of 3 ms.
inline constexpr double least_cv = 0.6, most_cv = 1.0, synchrony_below = 8.0;
inline constexpr std::array<double, populations> rates_hz{0.97, 2.87, 4.75, 5.40, 8.14, 9.08, 0.99, 7.52};

using Model = nm::Lif<2>;
inline constexpr double tau_syn_ms = 0.5;

struct Description {
  double scale = 1.0; ///< of the number of neurons
  bool keeps_in_degrees =
      true; ///< else they are as the scale, weights grow by its root, and a current makes up for the mean
  bool has_current = false; ///< instead of Poisson input
  std::uint64_t seed = 1;
  std::shared_ptr<const nm::network::PlasticityRule> learning = {}; ///< of synapses between excitatory neurons
};

/// A weight, in nA, before it is scaled; magnitudes.
inline double weight_of(std::size_t target, std::size_t source) {
  return source == 2 && target == 0 ? 0.1756 : source % 2 == 0 ? 0.0878 : 0.3512;
}
/// Synapses of the whole network, drawn with replacement, so that a share of the pairs has one.
inline double synapses_of(std::size_t target, std::size_t source) {
  const double p = probabilities[target][source];
  return p == 0.0 ? 0.0 : std::log1p(-p) / std::log1p(-1.0 / (double(neurons[source]) * neurons[target]));
}

/// The current, in nA, that makes up for a drive that is not there: of the background if that is a current, and of what
/// fewer synapses with greater weights bring less, as their mean goes with the root of the scale.
/// \source S. J. van Albada, M. Helias, M. Diesmann, PLoS Comput. Biol. 11, 2015
inline double current_of(std::size_t target, const Description& of) {
  const double seconds = tau_syn_ms * 1e-3, less = of.keeps_in_degrees ? 0.0 : 1.0 - std::sqrt(of.scale);
  const double from_outside = background[target] * background_hz * 0.0878 * seconds;
  double sum = of.has_current ? from_outside : less * from_outside;
  for (std::size_t source = 0; source < populations; ++source)
    sum += less * (source % 2 == 0 ? 1.0 : -1.0) * synapses_of(target, source) / neurons[target] * rates_hz[source] *
           weight_of(target, source) * seconds;
  return sum;
}

inline nm::network::Network describe(const Description& of) {
  using namespace nm::network;
  Network net({.dt_ms = 0.1, .seed = of.seed});
  const double times = of.keeps_in_degrees ? 1.0 : 1.0 / std::sqrt(of.scale); // of weights
  std::array<PopulationId, populations> layers{};
  for (std::size_t at = 0; at < populations; ++at) {
    const nm::ReceptorWeights excitation{.largest = 0.3 * times, .bits = 16, .rate_hz = 40'000.0, .fan_in = 1.0},
        inhibition{.largest = 0.6 * times, .bits = 16, .rate_hz = 10'000.0, .fan_in = 1.0};
    const Model::Parameters cell{
        .membrane = {.tau_ms = 10.0, .c_nf = 0.25, .v_rest_mv = -65.0, .i_offset_na = current_of(at, of)},
        .synapses = {.tau_ms = {tau_syn_ms, tau_syn_ms}, .weights = {{excitation, inhibition}}},
        .threshold = {.v_mv = -50.0},
        .reset = {.v_mv = -65.0},
        .refractory = {.period_ms = 2.0}};
    layers[at] = net.add<Model>(names[at], static_cast<std::uint32_t>(neurons[at] * of.scale), cell);
    net.begin_at(layers[at], nm::place_of<Model>.membrane.v, normal(-58.0, 10.0).redrawn(-90.0, -50.01));
    if (!of.has_current)
      net.add_background(layers[at],
                         {.receptor = 0,
                          .rate_hz = background_hz * background[at] * (of.keeps_in_degrees ? 1.0 : of.scale),
                          .weight = 0.0878 * times});
    net.expect_rate(layers[at], rates_hz[at]);
  }
  for (std::size_t to = 0; to < populations; ++to)
    for (std::size_t from = 0; from < populations; ++from) {
      if (probabilities[to][from] == 0.0) continue;
      const double share = of.keeps_in_degrees ? of.scale : of.scale * of.scale;
      const bool excites = from % 2 == 0;
      const double weight = times * weight_of(to, from), delay_ms = excites ? 1.5 : 0.75;
      net.connect(layers[from], layers[to],
                  FixedTotal{.total = static_cast<std::uint64_t>(synapses_of(to, from) * share)},
                  {.receptor = excites ? 0U : 1U,
                   .weight = normal(weight, weight / 10).redrawn(0.0, times),
                   .delay_ms = normal(delay_ms, delay_ms / 2).redrawn(0.1, 10.0),
                   .plasticity = excites && to % 2 == 0 ? of.learning : nullptr});
    }
  return net;
}

/// What is wrong with the activity of a population; empty if it is as published: the rate within 10 % of the nearest run, CV
/// 0.6 to 1.0, synchrony below 8.
inline std::string fault_of(std::size_t population, std::optional<double> rate_hz, std::optional<double> cv,
                            std::optional<double> synchrony) {
  const auto with = [&](const char* what, double value) {
    std::array<char, 200> text{};
    std::snprintf(text.data(), text.size(), "%s: %s %.3g", names[population], what, value);
    return std::string(text.data());
  };
  if (!rate_hz || !cv || !synchrony) return std::string(names[population]) + ": too few spikes to tell";
  double nearest = 1e9;
  for (const double one : published_hz[population]) nearest = (std::min)(nearest, std::fabs(*rate_hz - one) / one);
  if (!(nearest <= 0.1)) return with("a rate of more than 10 % from each published run,", *rate_hz);
  if (!(*cv >= least_cv && *cv <= most_cv)) return with("a CV that is not 0.6 to 1.0,", *cv);
  if (!(*synchrony < synchrony_below)) return with("a synchrony of 8 or more,", *synchrony);
  return {};
}

} // namespace microcircuit

#endif
