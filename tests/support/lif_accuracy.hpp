// SPDX-License-Identifier: BSL-1.0
// How far neuron models come from the exact solution, as users meet it: weights drawn from 0.1 to 1 of the largest,
// rounding of weights included; the usual cell, and cells drawn at random.
#ifndef TESTS_SUPPORT_LIF_ACCURACY_HPP
#define TESTS_SUPPORT_LIF_ACCURACY_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <neuromorph/kernels/neurons/compact_lif.hpp>
#include <neuromorph/kernels/neurons/lif.hpp>

#include "tests/support/lif_cells.hpp"

namespace accuracy {

using namespace neuromorph;

/// Excitation of the usual cell by 0.02 nA and inhibition by 0.05 nA, of others by as many millivolts; times
/// `strength`, and as much more rarely.
inline LifWeightRange usual_weights(const LifCell& cell, unsigned bits, double strength) {
  const double c_m = strength * cell.c_m_nf / 0.25 * 20.0 / cell.tau_m_ms;
  return {0.02 * c_m * 5.0 / cell.tau_exc_ms, 0.05 * c_m * 10.0 / cell.tau_inh_ms, bits};
}
/// What the drive below keeps: six of the largest weights in 2 ms, times `activity`, and no more than both in each
/// step.
inline LifFanIn usual_fan_in(const LifWeightRange& weights, double dt, double activity = 1.0) {
  const double steps = 2.0 / dt, most = std::max(6.0, 2.0 * steps);
  return {std::min(most, 6.0 * std::max(1.0, activity)) * std::max(weights.excitatory_na, weights.inhibitory_na),
          static_cast<std::uint32_t>(steps)};
}

/// Below threshold, time constants of 2 to 60 ms, of `two` synapses or one, and no less than 4.5 steps.
inline LifCell random_cell(std::mt19937& random, double dt, bool two) {
  const auto between = [&](double low, double high) {
    return low * std::pow(high / low, static_cast<double>(random()) / 4294967295.0);
  };
  const double shortest = std::max(2.0, 4.5 * dt);
  LifCell cell = two_tau_cell;
  cell.tau_m_ms = between(std::max(5.0, shortest), 60.0);
  cell.tau_exc_ms = between(shortest, 20.0);
  cell.tau_inh_ms = two ? between(shortest, 20.0) : cell.tau_exc_ms;
  cell.c_m_nf = between(0.05, 1.0);
  cell.v_rest_mv = cell.v_threshold_mv - between(12.0, 25.0);
  cell.v_reset_mv = cell.v_rest_mv;
  return cell;
}

struct Exact {
  long double membrane, rest;
  std::array<long double, 2> decay{}, coupling{};
  Exact(const LifCell& cell, double dt) : membrane(std::exp(-static_cast<long double>(dt) / cell.tau_m_ms)) {
    const long double h = dt, tau_m = cell.tau_m_ms, c = cell.c_m_nf;
    rest = cell.v_rest_mv;
    const std::array<long double, 2> tau{cell.tau_exc_ms, cell.tau_inh_ms};
    for (std::size_t which = 0; which < 2; ++which) {
      decay[which] = std::exp(-h / tau[which]);
      const long double rate = 1 / tau_m - 1 / tau[which];
      coupling[which] = membrane / c * (rate == 0 ? h : std::expm1(rate * h) / rate);
    }
  }
};

/// Largest distance from the exact solution as a share of threshold - rest, of 32 neurons below threshold. `step` takes
/// the sums of weights in nA as [neuron][receptor] and a step, and answers whether the model took it and none fired;
/// `membrane_mv` gives a neuron's membrane. With `at_once` input acts from the begin of its step.
template <class Step, class Membrane, class Weight>
double largest_error(const LifCell& cell, double dt, double seconds, const LifWeightRange& weights, std::uint32_t seed,
                     bool at_once, double activity, Weight weight, Step step, Membrane membrane_mv) {
  constexpr std::size_t count = 32;
  const Exact exact(cell, dt);
  std::vector<long double> v(count, exact.rest);
  std::vector<std::array<long double, 2>> current(count);
  std::vector<std::array<std::int64_t, 2>> units(count);
  std::mt19937 random(seed);
  const std::array<double, 2> rate{0.6 * activity, 0.15 * activity},
      largest{weights.excitatory_na, weights.inhibitory_na};
  double worst = 0.0;
  const auto steps = static_cast<std::uint32_t>(seconds * 1000.0 / dt);
  for (std::uint32_t step_number = 1; step_number <= steps; ++step_number) {
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      std::array<long double, 2> arriving{};
      for (std::size_t which = 0; which < 2; ++which) {
        units[neuron][which] = 0;
        if (static_cast<double>(random()) >= rate[which] * dt * 4294967296.0) continue;
        const double na = largest[which] * (0.1 + 0.9 * static_cast<double>(random()) / 4294967296.0);
        arriving[which] = na;
        units[neuron][which] = weight(static_cast<Receptor>(which), na);
      }
      auto& own = current[neuron];
      for (std::size_t which = 0; at_once && which < 2; ++which) own[which] += arriving[which];
      v[neuron] = exact.rest + (v[neuron] - exact.rest) * exact.membrane + own[0] * exact.coupling[0] -
                  own[1] * exact.coupling[1];
      for (std::size_t which = 0; which < 2; ++which)
        own[which] = own[which] * exact.decay[which] + (at_once ? 0.0L : arriving[which]);
    }
    if (!step(units, step_number)) return 1e9;
    for (std::size_t neuron = 0; neuron < count; ++neuron)
      worst =
          std::max(worst, static_cast<double>(std::fabs(static_cast<long double>(membrane_mv(neuron)) - v[neuron])));
  }
  return worst / (cell.v_threshold_mv - cell.v_rest_mv);
}

inline constexpr double refused = 1e8;
/// Of one of the library's models; more than 1 if it fires or refuses a step.
template <class Model>
double error_of(const LifCell& cell, double dt, double seconds, unsigned bits, std::uint32_t seed = 12,
                double strength = 1.0, bool by_row = false, double activity = 1.0,
                void (*change)(typename Model::Parameters&) = nullptr) {
  constexpr std::size_t count = 32;
  constexpr bool compact = requires { typename Model::PspWord; };
  constexpr bool packed = std::is_same_v<typename decltype(Model::State::psp)::value_type::element_type, std::int16_t>;
  const LifWeightRange weights = usual_weights(cell, bits, strength);
  const auto made = [&] {
    if constexpr (compact)
      return Model::parameters(cell, dt, weights, usual_fan_in(weights, dt, activity / strength));
    else
      return Model::parameters(cell, dt, weights);
  }();
  if (!made.ok()) return refused;
  auto parameters = made.value();
  if (change != nullptr) change(parameters);
  if (!Model::weight(parameters, Receptor::excitatory, 0.1 * weights.excitatory_na).ok() ||
      !Model::weight(parameters, Receptor::inhibitory, 0.1 * weights.inhibitory_na).ok())
    return refused; // the least that is drawn would vanish
  using Element = decltype([] {
    if constexpr (packed)
      return std::int16_t{};
    else if constexpr (
        requires { Model{}.psp_keep; } || requires(typename Model::Parameters p) { p.psp_keep; })
      return std::uint16_t{};
    else
      return std::int32_t{};
  }());
  using Psp = typename decltype(Model::State::psp)::value_type::element_type;
  std::vector<std::int32_t> membrane(count, Model::membrane(parameters, cell.v_rest_mv).value());
  std::array<std::vector<Psp>, Model::psp_count> psp;
  std::array<std::vector<Element>, Model::receptors> input;
  for (auto& words : psp) words.resize(count);
  for (auto& words : input) words.resize(count);
  std::array<Element*, Model::receptors> inputs{};
  for (std::size_t which = 0; which < Model::receptors; ++which) inputs[which] = input[which].data();
  std::vector<std::uint32_t> spikes(count);
  typename Model::State state{};
  state.membrane = membrane;
  for (std::size_t which = 0; which < Model::psp_count; ++which) state.psp[which] = psp[which];
  [[maybe_unused]] std::vector<RefractoryQueue::Entry> entries(count);
  [[maybe_unused]] RefractoryQueue queue;
  [[maybe_unused]] std::vector<std::uint32_t> own(count), periods(count);
  [[maybe_unused]] std::vector<std::int32_t> resets(count);
  if constexpr (compact) {
    queue.entries = entries;
    state.queue = &queue;
    if (!by_row)
      for (std::size_t which = 0; which < Model::psp_count; ++which)
        std::fill(psp[which].begin(), psp[which].end(), Model::psp_at_rest(parameters, 1)[which]);
  }
  if constexpr (requires { Model::row(parameters, cell, dt); })
    if (by_row) {
      const auto row = Model::row(parameters, cell, dt);
      if (!row.ok()) return refused;
      std::fill(own.begin(), own.end(), row.value().step), std::fill(resets.begin(), resets.end(), row.value().reset);
      std::fill(periods.begin(), periods.end(), row.value().refractory);
      std::fill(membrane.begin(), membrane.end(), membrane[0] / (1 << Model::table_shift));
    }
  const auto step = [&](const auto& units, std::uint32_t step_number) {
    for (std::size_t neuron = 0; neuron < count; ++neuron)
      if constexpr (Model::receptors == 2)
        for (std::size_t which = 0; which < 2; ++which)
          input[which][neuron] = static_cast<Element>(units[neuron][which]);
      else
        input[0][neuron] = static_cast<Element>(units[neuron][0] + units[neuron][1]);
    if constexpr (requires { Model::row(parameters, cell, dt); })
      if (by_row) {
        const auto counts =
            Model::step(state, typename Model::Table{own, resets, periods, parameters}, inputs, step_number, spikes);
        return counts.ok() && counts.value().spikes == 0;
      }
    const auto counts = Model::step(state, parameters, inputs, step_number, spikes);
    return counts.ok() && counts.value().spikes == 0 && counts.value().saturations == 0;
  };
  const auto weight = [&](Receptor receptor, double na) -> std::int64_t {
    return Model::weight(parameters, receptor, na).value();
  };
  const auto shown = [&](std::size_t neuron) {
    if constexpr (compact) {
      if constexpr (requires { Model::row(parameters, cell, dt); })
        if (by_row) return Model::membrane_mv(typename Model::Table{own, resets, periods, parameters}, state, neuron);
      return Model::membrane_mv(parameters, state, neuron);
    } else {
      return Model::membrane_mv(parameters, membrane[neuron]);
    }
  };
  return largest_error(cell, dt, seconds, weights, seed, packed, activity / strength, weight, step, shown);
}

template <class Model>
constexpr bool two_time_constants = Model::psp_count == 2 || requires(typename Model::Parameters made) {
  made.psp_keep;
};

/// The worst of 24 random cells with weights of 1 to `strongest` times the usual ones, of those that are not refused.
struct OfRandomCells {
  double worst = 0.0;
  int accepted = 0;
};
template <class Model>
OfRandomCells error_of_random_cells(double dt, double seconds, unsigned bits, double strongest) {
  std::mt19937 random(static_cast<std::uint32_t>(4711 + 10 * dt));
  OfRandomCells result;
  for (std::uint32_t number = 0; number < 24; ++number) {
    const LifCell cell = random_cell(random, dt, two_time_constants<Model>);
    const double strength = 1.0 + (strongest - 1.0) * static_cast<double>(random()) / 4294967295.0;
    const double error = error_of<Model>(cell, dt, seconds, bits, number, strength);
    if (error == refused) continue;
    ++result.accepted;
    result.worst = std::max(result.worst, error);
  }
  return result;
}

} // namespace accuracy

#endif
