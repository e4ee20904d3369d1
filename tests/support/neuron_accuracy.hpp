// SPDX-License-Identifier: BSL-1.0
// How far membranes of composed neurons come from the exact solution: the threshold off, weights of 0.1 to 1 of the largest,
// rounding of weights included. How late spikes of Izhikevich's neuron come in the mean.
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

#include <neuromorph/kernels/neurons/inputs/conductance.hpp>
#include <neuromorph/kernels/neurons/membranes/adex.hpp>
#include <neuromorph/kernels/neurons/membranes/integrator.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/membranes/lif_conductance.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/alpha.hpp>
#include <neuromorph/kernels/neurons/synapse_types/delta.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>

#include "tests/support/linear_reference.hpp"
#include "tests/support/neuron_reference.hpp"
#include "tests/support/neuron_runs.hpp"

namespace accuracy {

/// The same membrane and synapses without a threshold.
template <class Model>
using WithoutThreshold = neuromorph::Neuron<typename Model::Membrane, typename Model::Synapses, typename Model::Input,
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

struct Errors {
  double rounding = 0.0;   ///< from the same method in double
  double integrator = 0.0; ///< of the same method in double, from itself in steps of a hundredth
};
constexpr Errors no_errors{-1.0, -1.0};

/// Largest distances in `seconds`, as shares of threshold - rest, of a membrane that is not linear; over rates of 10 to 50 000
/// events/s of each receptor. The integrator's is that of one of eight neurons in a fifth of the time. All below 0 if constants
/// are refused, something saturates, or a membrane comes to where it runs away.
template <class Named>
Errors errors_of_method(double dt_ms, double seconds, std::uint32_t seed = 12) {
  namespace nm = neuromorph;
  using Model = WithoutThreshold<Named>;
  using Synapses = typename Model::Synapses;
  using Is = neuron_reference::Description;
  static_assert(Model::receptors == 2);
  constexpr std::size_t neurons = 8, parts = 100;
  constexpr bool is_izhikevich = std::is_same_v<typename Model::Membrane, nm::membrane::Izhikevich>,
                 is_adex = std::is_same_v<typename Model::Membrane, nm::membrane::AdEx>,
                 has_conductances = std::is_same_v<typename Model::Input, nm::input::Conductance<2>>;
  Errors worst;
  for (const double rate_hz : {10.0, 1000.0, 50000.0}) {
    // The strongest moves a membrane by 1 mV or so; of many, less.
    const double moves_mv = std::min(1.0, 300.0 / rate_hz);
    const double largest = moves_mv * (is_delta<Synapses>   ? 1.0
                                       : !has_conductances  ? 0.2
                                       : is_alpha<Synapses> ? 0.0003
                                                            : 0.0008); // mV, mV/ms, uS
    typename Model::Parameters given{};
    Is is;
    is.dt_ms = dt_ms;
    if constexpr (is_izhikevich) {
      // at rest: v = b v = -70 and -14; from -50 mV on it runs away
      given.membrane.v_initial_mv = -70.0, given.membrane.u_initial = -14.0;
      is.membrane = Is::Membrane::midpoint;
      is.a = given.membrane.a, is.b = given.membrane.b, is.u = -14.0, is.hold_mv = 256.0;
      is.rest_mv = -70.0, is.threshold_mv = 30.0;
    } else {
      if constexpr (!is_adex) given.membrane.tau_ms = 20.0, given.membrane.c_nf = 0.25;
      is.membrane = is_adex ? Is::Membrane::adex : Is::Membrane::conductance;
      is.per_na = 1.0 / given.membrane.c_nf;
      is.tau_ms = given.membrane.tau_ms, is.rest_mv = given.membrane.v_rest_mv;
      is.threshold_mv = is_adex ? -40.0 : -50.0;
      if constexpr (is_adex) {
        is.a = given.membrane.a_us, is.v_t_mv = given.membrane.v_t_mv;
        is.delta_t_mv = given.membrane.delta_t_mv, is.tau_w_ms = given.membrane.tau_w_ms;
      }
    }
    const double onset_mv = is_adex ? is.v_t_mv : -50.0, share = 1.0 / (onset_mv - is.rest_mv);
    given.threshold.origin_mv = is.threshold_mv;
    is.initial = {is.rest_mv};
    is.threshold = Is::Threshold::none, is.reset = Is::Reset::none;
    const std::array<double, 2> tau{5.0, 10.0};
    if constexpr (requires { given.synapses.tau_ms[0]; }) given.synapses.tau_ms = tau;
    if constexpr (has_conductances) {
      given.input.reversal_mv = {0.0, -80.0};
      is.input = Is::Input::conductance, is.reversal_mv = {0.0, -80.0};
    }
    for (const double one : tau)
      is.synapses.push_back({is_delta<Synapses>   ? neuron_reference::Synapse::Kind::delta
                             : is_alpha<Synapses> ? neuron_reference::Synapse::Kind::rising
                                                  : neuron_reference::Synapse::Kind::exponential,
                             one, one, 0});
    for (auto& weights : given.synapses.weights)
      weights = {.largest = largest, .bits = 16, .rate_hz = rate_hz, .fan_in = 1.0};
    const auto result = Model::make(given, dt_ms);
    if (!result) return no_errors;
    const auto& made = result.value();
    NeuronColumns<Model> columns(neurons, made);
    std::vector<neuron_reference::Reference> method(neurons, neuron_reference::Reference(is));
    is.dt_ms = dt_ms / static_cast<double>(parts);
    neuron_reference::Reference exact(is);

    std::mt19937 random(seed);
    std::poisson_distribution<int> events(rate_hz * dt_ms / 1000.0);
    const auto steps = static_cast<std::uint32_t>(seconds * 1000.0 / dt_ms);
    const std::vector<double> nothing(2);
    for (std::uint32_t step = 1; step <= steps; ++step) {
      for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
        std::vector<double> arriving(2);
        for (std::uint32_t side = 0; side < 2; ++side)
          for (int event = events(random); event > 0; --event) {
            const double weight = largest * (0.1 + 0.9 * static_cast<double>(random()) / 4294967296.0);
            columns.input[side][neuron] += static_cast<std::int32_t>(Model::weight(made, side, weight).value());
            arriving[side] += weight;
          }
        method[neuron].integrate(arriving, 0.0);
        if (!(method[neuron].v() < onset_mv)) return no_errors;
        if (neuron != 0 || step > steps / 5) continue;
        for (std::size_t part = 1; part < parts; ++part) exact.integrate(nothing, 0.0);
        exact.integrate(arriving, 0.0);
        worst.integrator = std::max(worst.integrator, share * std::fabs(method[0].v() - exact.v()));
      }
      const auto counts = columns.step(step);
      if (counts.spikes != 0 || counts.saturations != 0) return no_errors;
      for (std::size_t neuron = 0; neuron < neurons; ++neuron)
        worst.rounding =
            std::max(worst.rounding, share * std::fabs(value_of(columns, made, 0, neuron) - method[neuron].v()));
    }
  }
  return worst;
}

/// Izhikevich's regular spiking cell and the fast spiking one, under a drive of 4.775 mV/ms in steps of 0.1 ms.
struct IzhikevichCell {
  const char* key;
  const char* name;
  double a, d;
  double b = 0.2, c = -65.0, drive = 4.775, dt = 0.1;
};
inline constexpr std::array<IzhikevichCell, 2> izhikevich_cells{
    {{"rs", "regular spiking", 0.02, 8.0}, {"fs", "fast spiking", 0.1, 2.0}}};

inline constexpr int late_spike = 650;
inline constexpr double beginnings_apart_mv = 0x1p-10;

/// The steps of the 650th spike by the midpoint in double, of neurons that begin 2^-10 mV apart. An error may grow from spike to
/// spike, since spikes fall on steps: after 50 of them two references part that differ in their last bit, in how a compiler fuses
/// a product with a sum, say. So there are several, and each fuses wherever it may, which leaves compilers no choice.
inline std::vector<std::uint32_t> late_spikes_in_double(const IzhikevichCell& cell, std::uint32_t neurons) {
  std::vector<std::uint32_t> at;
  for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
    double v = -65.0 + beginnings_apart_mv * neuron, u = -13.0;
    std::uint32_t step = 0;
    for (int spikes = 0; spikes < late_spike; ++step) {
      const auto rise = [&](double from, double taken) {
        return std::fma(std::fma(0.04, from, 5.0), from, 140.0) - taken + cell.drive;
      };
      const double half = std::fma(cell.dt / 2, rise(v, u), v),
                   recovered = std::fma(cell.dt / 2 * cell.a, std::fma(cell.b, v, -u), u);
      v = std::fma(cell.dt, rise(half, recovered), v);
      u = std::fma(cell.dt * cell.a, std::fma(cell.b, half, -recovered), u);
      if (v >= 30.0) v = cell.c, u += cell.d, ++spikes;
    }
    at.push_back(step);
  }
  return at;
}

struct Lag {
  double mean_ms = 0.0;         ///< after the mean of those in double
  double deviation_ms = 0.0;    ///< of one neuron
  double of_reference_ms = 0.0; ///< of one in double
};

/// Of as many neurons from the same beginnings. 1e9 if a spike does not come.
template <class Rounding>
Lag izhikevich_lag(const IzhikevichCell& cell, const std::vector<std::uint32_t>& exact) {
  using namespace neuromorph;
  using Model = Neuron<membrane::Izhikevich, synapse::Exponential<1>, Rounding>;
  const auto made = Model::make({.membrane = {.a = cell.a, .b = cell.b, .d = cell.d, .i_offset = cell.drive},
                                 .synapses = {{5.0}, {}},
                                 .threshold = {30.0},
                                 .reset = {cell.c}},
                                cell.dt)
                        .value();
  NeuronColumns<Model> columns(exact.size(), made);
  for (std::size_t neuron = 0; neuron < exact.size(); ++neuron)
    columns.words[0][neuron] += static_cast<std::int32_t>(
        std::lround(beginnings_apart_mv * static_cast<double>(neuron) / made.quantities.membrane.v.per_unit));
  std::vector<int> spikes(exact.size());
  std::vector<std::uint32_t> found(exact.size());
  std::size_t done = 0;
  for (std::uint32_t step = 1; done < exact.size(); ++step) {
    if (step >= 4 * exact[0]) return {1e9, 1e9, 1e9};
    const StepCounts counts = columns.step(step);
    for (std::uint32_t at = 0; at < counts.spikes; ++at)
      if (++spikes[columns.spikes[at]] == late_spike) found[columns.spikes[at]] = step, ++done;
  }
  const auto mean = [](const std::vector<std::uint32_t>& all) {
    double sum = 0.0; // of whole numbers
    for (const std::uint32_t one : all) sum += one;
    return sum / static_cast<double>(all.size());
  };
  const auto deviation = [&](const std::vector<std::uint32_t>& all) {
    const double middle = mean(all);
    double sum = 0.0;
    for (const std::uint32_t one : all) sum += (one - middle) * (one - middle);
    return std::sqrt(sum / static_cast<double>(all.size() - 1));
  };
  return {cell.dt * (mean(found) - mean(exact)), cell.dt * deviation(found), cell.dt * deviation(exact)};
}

} // namespace accuracy

#endif
