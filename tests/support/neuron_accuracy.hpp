// SPDX-License-Identifier: BSL-1.0
// How far membranes of composed neurons come from the exact solution: the threshold off, weights of 0.1 to 1 of the largest,
// rounding of weights included.
#ifndef TESTS_SUPPORT_NEURON_ACCURACY_HPP
#define TESTS_SUPPORT_NEURON_ACCURACY_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include <neuromorph/kernels/neurons/membranes/integrator.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/alpha.hpp>
#include <neuromorph/kernels/neurons/synapse_types/delta.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>

#include "tests/support/linear_reference.hpp"
#include "tests/support/neuron_runs.hpp"

namespace accuracy {

/// The same membrane and synapses without a threshold.
template <class Model>
using WithoutThreshold = neuromorph::Neuron<typename Model::Membrane, typename Model::Synapses,
                                            neuromorph::threshold::None, typename Model::Rounding>;

template <class Synapses>
inline constexpr bool is_delta = false;
template <std::size_t Receptors>
inline constexpr bool is_delta<neuromorph::synapse::Delta<Receptors>> = true;
template <class Synapses>
inline constexpr bool is_alpha = false;
template <std::size_t Receptors>
inline constexpr bool is_alpha<neuromorph::synapse::Alpha<Receptors>> = true;

/// The usual cell: 20 ms, 0.25 nF, threshold 15 mV above rest; excitation 5 ms, inhibition 10 ms where it has its own.
inline constexpr double threshold_less_rest_mv = 15.0;

/// Largest distance from the exact solution in `seconds`, as a share of threshold - rest, over rates of 10 to 50 000 events/s
/// of each receptor and either sign. Below 0 if constants are refused, a neuron fires, or something saturates.
template <class Named>
double largest_error(double dt_ms, double seconds, std::uint32_t seed = 12) {
  using Model = WithoutThreshold<Named>;
  using Synapses = typename Model::Synapses;
  using Element = std::conditional_t<Synapses::input_in_pairs, std::uint16_t, std::int32_t>;
  constexpr std::size_t neurons = 8;
  constexpr bool leaks = std::is_same_v<typename Model::Membrane, neuromorph::membrane::Lif>;
  constexpr bool is_each = Model::receptors == 2; // excitation and inhibition; else weights have a sign
  const double tau_m = 20.0, c_nf = 0.25;
  double worst = 0.0;
  for (const double rate_hz : {10.0, 1000.0, 50000.0}) {
    // The strongest moves a membrane by 1 mV or so; of many, less. A delta's weight is in mV.
    const double largest = (is_delta<Synapses> ? 1.0 : 0.05) * std::min(1.0, 300.0 / rate_hz);
    typename Model::Parameters given{};
    given.threshold.origin_mv = -50.0;
    given.membrane.c_nf = c_nf;
    if constexpr (leaks) given.membrane.tau_ms = tau_m;
    std::array<double, 2> tau{5.0, 5.0};
    if constexpr (requires { given.synapses.tau_ms[0]; }) {
      if constexpr (is_each) tau[1] = 10.0;
      for (std::size_t which = 0; which < Model::receptors; ++which) given.synapses.tau_ms[which] = tau[which];
    } else if constexpr (requires { given.synapses.tau_ms; }) {
      given.synapses.tau_ms = tau[0];
    }
    for (auto& weights : given.synapses.weights) {
      weights.largest = largest;
      weights.bits = Synapses::input_in_pairs ? 12 : Synapses::takes_drift ? 20 : 16;
      weights.rate_hz = rate_hz * (is_each ? 1.0 : 2.0);
      weights.fan_in = 1.0;
    }
    const auto result = Model::make(given, dt_ms);
    if (!result) return -1.0;
    const auto& made = result.value();
    NeuronColumns<Model, Element> columns(neurons, made);

    // v, two currents, what feeds them, one; in mV, nA and ms
    reference::Matrix<6> per_ms{};
    const long double leak = leaks ? 1 / static_cast<long double>(tau_m) : 0.0L, rest = -65.0L;
    per_ms[0] = {-leak, 1 / static_cast<long double>(c_nf), -1 / static_cast<long double>(c_nf), 0, 0, rest * leak};
    for (std::size_t side = 0; side < 2; ++side) {
      per_ms[1 + side][1 + side] = per_ms[3 + side][3 + side] = -1 / static_cast<long double>(tau[side]);
      per_ms[1 + side][3 + side] = is_alpha<Synapses> ? 1 : 0;
    }
    std::vector<reference::System<6>> exact(neurons, reference::System<6>(per_ms, dt_ms));
    for (auto& one : exact) one.x[0] = rest, one.x[5] = 1;
    std::mt19937 random(seed);
    std::poisson_distribution<int> events(rate_hz * dt_ms / 1000.0);
    const auto steps = static_cast<std::uint32_t>(seconds * 1000.0 / dt_ms);
    for (std::uint32_t step = 1; step <= steps; ++step) {
      for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
        exact[neuron].step();
        for (std::uint32_t side = 0; side < 2; ++side)
          for (int event = events(random); event > 0; --event) {
            const double weight = largest * (0.1 + 0.9 * static_cast<double>(random()) / 4294967296.0);
            const std::uint32_t receptor = is_each ? side : 0;
            const auto units = static_cast<std::int32_t>(Model::weight(made, receptor, weight).value());
            Element& sum = columns.input[receptor][neuron];
            sum = static_cast<Element>(sum + (is_each || side == 0 ? units : -units));
            if constexpr (is_delta<Synapses>)
              exact[neuron].x[0] += static_cast<long double>(side == 0 ? weight : -weight);
            else if constexpr (is_alpha<Synapses>)
              exact[neuron].x[3 + side] += static_cast<long double>(weight) * std::exp(1.0L) / tau[side];
            else
              exact[neuron].x[1 + side] += static_cast<long double>(weight);
          }
      }
      const auto counts = columns.step(step);
      if (counts.spikes != 0 || counts.saturations != 0) return -1.0;
      for (std::size_t neuron = 0; neuron < neurons; ++neuron)
        worst =
            std::max(worst, std::fabs(value_of(columns, made, 0, neuron) - static_cast<double>(exact[neuron].x[0])));
    }
  }
  return worst / threshold_less_rest_mv;
}

/// Milliseconds by which the 650th spike of Izhikevich's neuron comes after that of the same method in double, in the mean of
/// neurons that differ in what they draw; under a drive of 4.775 mV/ms, in steps of 0.1 ms. In double it comes 5.6 ms before
/// that in 40 digits for the regular spiking cell: the method multiplies what is rounded. 1e9 if it does not come.
template <class Rounding>
double izhikevich_lag(double a, double d, std::uint32_t seeds) {
  using namespace neuromorph;
  using Model = Neuron<membrane::Izhikevich, synapse::Exponential<1>, Rounding>;
  const double drive = 4.775, b = 0.2, c = -65.0, dt = 0.1;
  double v = -65.0, u = -13.0;
  std::uint32_t reference = 0;
  for (int spikes = 0; spikes < 650; ++reference) {
    const auto rise = [&](double at, double recovery) { return (0.04 * at + 5) * at + 140 - recovery + drive; };
    const double half = v + dt / 2 * rise(v, u), recovered = u + dt / 2 * a * (b * v - u);
    v += dt * rise(half, recovered);
    u += dt * a * (b * half - recovered);
    if (v < 30.0) continue;
    v = c, u += d, ++spikes;
  }
  const auto made = Model::make({.membrane = {.a = a, .b = b, .d = d, .i_offset = drive},
                                 .synapses = {{5.0}, {}},
                                 .threshold = {30.0},
                                 .reset = {c}},
                                dt)
                        .value();
  NeuronColumns<Model> columns(seeds, made);
  std::vector<int> spikes(seeds);
  double sum = 0.0;
  std::uint32_t done = 0;
  for (std::uint32_t step = 1; done < seeds; ++step) {
    if (step >= 4 * reference) return 1e9;
    const StepCounts counts = columns.step(step);
    for (std::uint32_t at = 0; at < counts.spikes; ++at)
      if (++spikes[columns.spikes[at]] == 650) ++done, sum += dt * (static_cast<double>(step) - reference);
  }
  return sum / seeds;
}

/// Izhikevich's regular spiking cell and the fast spiking one.
struct IzhikevichCell {
  const char* key;
  const char* name;
  double a, d;
};
inline constexpr std::array<IzhikevichCell, 2> izhikevich_cells{
    {{"rs", "regular spiking", 0.02, 8.0}, {"fs", "fast spiking", 0.1, 2.0}}};

} // namespace accuracy

#endif
