// SPDX-License-Identifier: BSL-1.0
// What one spike and one event do to a weight, by how far they are apart: by the library's rules, deferred, on a row, and by
// the formula of each rule in double precision.
#ifndef EXAMPLES_STDP_WINDOW_WINDOWS_HPP
#define EXAMPLES_STDP_WINDOW_WINDOWS_HPP

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <neuromorph/kernels/plasticity/timing_rules/clopath.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/mossy_fibre.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/nearest_pair.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/neuromodulated.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/parallel_fibre.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/recurrent.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/triplet.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/vogels.hpp>
#include <neuromorph/kernels/plasticity/voltage_means.hpp>
#include <neuromorph/neuromorph.hpp>

namespace stdp_window {

namespace nm = neuromorph;

inline constexpr int farthest = 200; // ms, and ticks
inline constexpr double whole = 4294967296.0;

struct Window {
  std::string name, about;
  std::vector<double> fixed, closed; // changes as shares of the range, from -farthest to farthest: event less spike
  double tolerance;
};

/// The change of a weight in the middle of its range by a spike and an event `apart` ticks later. The row is flushed long
/// after. each_tick(update, history, now, is_event) does what a neuron does, in each tick or only in that of its event.
template <bool in_each_tick = true, class Timing, class EachTick>
[[nodiscard]] double change(const Timing& timing, int apart, EachTick each_tick) {
  using Word = nm::SynapticWord<8, 1, 4>;
  using Update = nm::DeferredUpdate<Word, Timing, nm::weight::Additive, nm::PostSynapticDelay::none>;
  using Row = typename Update::Row;
  using Trace = typename Update::NeuronTrace;
  constexpr std::uint32_t spike = 1000, end = 1990;
  constexpr nm::Share middle = 0x8000'0000;
  auto update = Update::from({.lowest = 0, .highest = 10000}, timing).value();
  nm::TraceStore<Trace, 1, nm::gc::Fifo<16>, nm::gc::AgeWindow<1100>> history;
  std::array<std::uint32_t, Row::words(1, 0)> words{};
  auto row = Row::make(words, 1, 0).value();
  row.append(Word::encode({.weight = 5000, .delay = 1, .type = 0, .index = 0}).value(), middle);
  const std::uint32_t event = spike + static_cast<std::uint32_t>(apart);
  for (std::uint32_t now = 1; now <= end; ++now) {
    if (!in_each_tick && now != event && now != spike) continue;
    history.advance_to(now);
    each_tick(update, history, now, now == event);
    if (now == spike) update.pre_spike(words, now, history);
  }
  history.advance_to(end);
  update.flush(words, end, history);
  return (static_cast<double>(row.states()[0]) - whole / 2) / whole;
}
template <class Timing>
[[nodiscard]] double change(const Timing& timing, int apart) {
  return change<false>(timing, apart, [](auto& update, auto& history, std::uint32_t now, bool is_event) {
    if (is_event) update.post_spike(history, 0, now);
  });
}

template <class Change, class Closed>
[[nodiscard]] Window window_of(const char* name, const char* about, double tolerance, Change fixed, Closed closed) {
  Window made{name, about, {}, {}, tolerance};
  for (int apart = -farthest; apart <= farthest; ++apart) {
    made.fixed.push_back(fixed(apart));
    made.closed.push_back(closed(apart));
  }
  return made;
}
template <class Timing, class Closed>
[[nodiscard]] Window window(const char* name, const char* about, const Timing& timing, double tolerance,
                            Closed closed) {
  return window_of(
      name, about, tolerance, [&](int apart) { return change(timing, apart); }, closed);
}

/// Dopamine of 0.5 comes 250 ms after the row's spike.
inline double dopamine_change(int apart) {
  const auto rule = nm::timing::Neuromodulated<>::from({}, 1.0).value();
  return change(rule, apart, [](auto& update, auto& history, std::uint32_t now, bool is_event) {
    if (is_event) update.post_spike(history, 0, now);
    if (now == 1250) update.modulate(history, 0, now, 0x8000'0000);
  });
}
inline double dopamine_formula(double ms) {
  const double pair = ms > 0 ? 0.01 * std::exp(-ms / 20) : -0.015 * std::exp(ms / 20), since = 250 - std::fmax(ms, 0);
  const double rate = 1.0 / 1000 + 1.0 / 200; // of both decays
  return 0.5 * pair * std::exp(-since / 1000) * (1 - std::exp(-740 * rate));
}

/// The voltage of a neuron with an event at tick 0: 2 ms above threshold, then 40 ms on its way back to -66 mV.
inline double voltage_mv(double tick) {
  return tick == 0 ? 20 : tick == 1 ? -20 : tick < 0 ? -66 : -66 + 10 * std::exp(-tick / 40);
}
inline double voltage_change(int apart) {
  auto means = nm::VoltageMeans<1>::from({.rest_mv = -66}, 1.0).value();
  const auto rule = nm::timing::Clopath<nm::VoltageMeans<1>>::from({}, 1.0, means).value();
  return change(rule, apart, [&](auto& update, auto& history, std::uint32_t now, bool) {
    const nm::Voltage u = nm::voltage_of(voltage_mv(static_cast<double>(now) - 1000 - apart));
    const nm::Share up = update.timing().potentiation(u, means.plus(0));
    if (up != 0) update.modulate(history, 0, now, up);
    means.step(0, u);
  });
}
inline double voltage_formula(int apart) {
  double minus = -66, plus = -66, dw = 0, x = 0;
  for (int now = 1; now <= 1990; ++now) {
    const double u = voltage_mv(now - 1000 - apart), high = std::fmax(u + 45.3, 0) * std::fmax(plus + 70.6, 0);
    x *= std::exp(-1.0 / 15);
    dw += 8e-5 * high * x;
    minus += (u - minus) * (1 - std::exp(-1.0 / 10));
    plus += (u - plus) * (1 - std::exp(-1.0 / 7));
    if (now == 1000) {
      dw -= 14e-5 * std::fmax(minus + 70.6, 0);
      x += 1;
    }
  }
  return dw;
}

/// All of them. Events of a spike's own tick come before it.
[[nodiscard]] inline std::vector<Window> windows() {
  const auto decay = [](double ms, double tau_ms) { return std::exp(-std::fabs(ms) / tau_ms); };
  std::vector<Window> all;
  const auto pair = nm::timing::Pair<>::from({.a_plus = 0.01, .a_minus = 0.012}, 1.0).value();
  all.push_back(window("Pair", "all pairs", pair, 1e-8,
                       [&](double ms) { return ms > 0 ? 0.01 * decay(ms, 20) : -0.012 * decay(ms, 20); }));
  const auto nearest = nm::timing::NearestPair<>::from({.a_plus = 0.01, .a_minus = 0.012}, 1.0).value();
  all.push_back(window("NearestPair", "nearest pairs", nearest, 1e-8,
                       [&](double ms) { return ms > 0 ? 0.01 * decay(ms, 20) : -0.012 * decay(ms, 20); }));
  const auto triplet = nm::timing::Triplet<>::from({}, 1.0).value();
  all.push_back(window("Triplet", "pairs of it; hippocampal culture", triplet, 1e-8,
                       [&](double ms) { return ms > 0 ? 6.1e-3 * decay(ms, 16.8) : -1.6e-3 * decay(ms, 33.7); }));
  const auto vogels = nm::timing::Vogels<>::from({}, 1.0).value();
  all.push_back(window("Vogels", "either order up; each spike takes eta alpha", vogels, 1e-8,
                       [&](double ms) { return 0.005 * (decay(ms, 20) - 0.12); }));
  const auto parallel = nm::timing::ParallelFibre<>::from({}, 1.0).value();
  all.push_back(window("ParallelFibre", "exp(-x) sin^20 x; each spike brings A+", parallel, 1e-7, [&](double ms) {
    const double x = ms / 100 * std::atan(20.0), peak = std::atan(20.0);
    const double kernel = std::exp(peak - x) * std::pow(std::sin(x) / std::sin(peak), 20);
    return 0.01 - (ms > 0 && x < 3.14159265358979 ? 0.05 * kernel : 0.0);
  }));
  const auto mossy = nm::timing::MossyFibre<>::from({}, 1.0).value();
  all.push_back(window("MossyFibre", "exp(-11 x) cos^2 x; each spike brings A+", mossy, 1e-7, [&](double ms) {
    const double x = ms / 200;
    return 0.01 - (ms > 0 && x < 1.5707963267949 ? 0.05 * std::exp(-11 * x) * std::cos(x) * std::cos(x) : 0.0);
  }));
  // A coincidence moves by A with a probability: the mean of many.
  using Recurrent = nm::timing::Recurrent<nm::Sfc32>;
  constexpr int draws = 400;
  Window random{"Recurrent", "mean of 400 draws, limit 1", {}, {}, 0.0015};
  for (int apart = -farthest; apart <= farthest; ++apart) {
    double sum = 0;
    for (int draw = 0; draw < draws; ++draw) {
      const nm::StreamId stream{1, static_cast<std::uint32_t>(apart + farthest), static_cast<std::uint32_t>(draw)};
      sum += change(Recurrent::from({.limit = 1}, 1.0, nm::Sfc32(stream)).value(), apart);
    }
    random.fixed.push_back(sum / draws);
    random.closed.push_back((apart > 0 ? 0.01 : -0.01) * decay(apart, 20));
  }
  all.push_back(random);
  all.push_back(
      window_of("Neuromodulated", "dopamine comes 250 ms after the spike", 1e-6, dopamine_change, dopamine_formula));
  all.push_back(
      window_of("Clopath", "voltage of an event of 2 ms, 40 ms back to -66 mV", 1e-6, voltage_change, voltage_formula));
  return all;
}

} // namespace stdp_window

#endif
