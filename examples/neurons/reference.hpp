// SPDX-License-Identifier: BSL-1.0
// The equations of the models in double, integrated by many short steps: what the fixed-point traces are drawn over. Shares
// the parameters with them, and no code.
#ifndef EXAMPLES_NEURONS_REFERENCE_HPP
#define EXAMPLES_NEURONS_REFERENCE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "models.hpp"
#include "response.hpp"

namespace neurons {

/// The membrane; currents or conductances of two receptors; what feeds them; what adapts, or a second compartment.
struct State {
  double v = rest_mv;
  std::array<double, 2> syn{}, feed{};
  double slow = 0.0;
  [[nodiscard]] State moved(const State& slope, double by) const {
    State to = *this;
    to.v += by * slope.v, to.slow += by * slope.slow;
    for (std::size_t which = 0; which < 2; ++which)
      to.syn[which] += by * slope.syn[which], to.feed[which] += by * slope.feed[which];
    return to;
  }
};

/// Integrate and fire with a leak: IF_curr_exp. Other models say what they do instead.
struct Equations {
  virtual ~Equations() = default;
  double threshold = threshold_mv, reset = rest_mv, tau = tau_ms, refractory = refractory_ms;
  bool is_alpha = false; // synapses rise and decay

  /// What the synapses let flow.
  [[nodiscard]] virtual double flow(const State& x) const { return x.syn[0] - x.syn[1]; }
  [[nodiscard]] virtual State slope(const State& x, double i_na) const {
    State change = of_synapses(x);
    change.v = (rest_mv - x.v) / tau + (flow(x) + i_na) / c_nf;
    return change;
  }
  /// An event's weight, which has a sign where there is one receptor.
  virtual void arrive(State& x, std::size_t which, double weight) const {
    (is_alpha ? x.feed : x.syn)[which] += weight * (is_alpha ? std::exp(1.0) / tau_syn_ms[which] : 1.0);
  }
  [[nodiscard]] virtual bool fires(const State& x) const { return x.v >= threshold; }
  virtual void spike(State& x) const { x.v = reset; }

protected:
  [[nodiscard]] static State of_synapses(const State& x) {
    State change;
    change.v = change.slow = 0.0;
    for (std::size_t which = 0; which < 2; ++which) {
      change.syn[which] = x.feed[which] - x.syn[which] / tau_syn_ms[which];
      change.feed[which] = -x.feed[which] / tau_syn_ms[which];
    }
    return change;
  }
};

/// Spikes move the membrane.
struct Jumping : Equations {
  void arrive(State& x, std::size_t which, double weight) const override { x.v += which == 0 ? weight : -weight; }
};

struct WithConductances : Equations {
  [[nodiscard]] double flow(const State& x) const override {
    return x.syn[0] * (reversal_mv[0] - x.v) + x.syn[1] * (reversal_mv[1] - x.v);
  }
};

struct Quadratic : Jumping {
  Quadratic() { threshold = 30.0, refractory = 0.0; }
  [[nodiscard]] State slope(const State& x, double i) const override {
    State change = of_synapses(x);
    change.v = 0.04 * x.v * x.v + 5.0 * x.v + 140.0 - x.slow + i;
    change.slow = 0.02 * (0.2 * x.v - x.slow);
    return change;
  }
  void spike(State& x) const override { x.v = reset, x.slow += 8.0; }
};

struct AdaptiveExponential : WithConductances {
  AdaptiveExponential() { threshold = -40.0, reset = -70.6; }
  [[nodiscard]] State slope(const State& x, double i_na) const override {
    constexpr auto& given = AdEx::parameters.membrane;
    const double v = std::min(x.v, threshold); // what is above fires
    State at = x;
    at.v = v;
    State change = of_synapses(x);
    change.v =
        (given.v_rest_mv - v + given.delta_t_mv * std::exp((v - given.v_t_mv) / given.delta_t_mv)) / given.tau_ms +
        (flow(at) + i_na - x.slow) / given.c_nf;
    change.slow = (given.a_us * (v - given.v_rest_mv) - x.slow) / given.tau_w_ms;
    return change;
  }
  void spike(State& x) const override { x.v = reset, x.slow += AdEx::parameters.membrane.b_na; }
};

/// A threshold that rises with each spike.
struct Rising : Equations {
  [[nodiscard]] State slope(const State& x, double i_na) const override {
    State change = Equations::slope(x, i_na);
    change.slow = -x.slow / AdaptiveThreshold::parameters.threshold.tau_ms;
    return change;
  }
  [[nodiscard]] bool fires(const State& x) const override { return x.v >= threshold + x.slow; }
  void spike(State& x) const override { x.v = reset, x.slow += AdaptiveThreshold::parameters.threshold.step_mv; }
};

/// Spikes let calcium in, which lets a current out.
struct Calcium : Equations {
  static constexpr auto& given = CalciumAdaptation::parameters.adaptation;
  [[nodiscard]] double flow(const State& x) const override { return Equations::flow(x) - given.g_na * x.slow; }
  [[nodiscard]] State slope(const State& x, double i_na) const override {
    State change = Equations::slope(x, i_na);
    change.slow = -x.slow / given.tau_ms;
    return change;
  }
  void spike(State& x) const override { x.v = reset, x.slow += given.rise; }
};

struct Perfect : Jumping {
  Perfect() { refractory = 0.0; }
  [[nodiscard]] State slope(const State& x, double i_na) const override {
    State change = of_synapses(x);
    change.v = i_na / c_nf;
    return change;
  }
  void spike(State& x) const override { x.v -= threshold_mv - rest_mv; }
};

/// A dendrite, into which everything flows, and the soma.
struct Dendrite : Equations {
  [[nodiscard]] State slope(const State& x, double i_na) const override {
    using Cell = TwoCompartments;
    State change = of_synapses(x);
    change.v = Cell::leak * (rest_mv - x.v) + Cell::to_soma * (x.slow - x.v);
    change.slow = Cell::leak * (rest_mv - x.slow) + Cell::to_dendrite * (x.v - x.slow) + (flow(x) + i_na) / c_nf;
    return change;
  }
};

struct Silent : Equations {
  [[nodiscard]] bool fires(const State&) const override { return false; }
};

/// The equations of a model, and where it begins.
inline auto equations_of(const CurrExp&) { return Equations(); }
inline auto equations_of(const StochasticThreshold&) { return Equations(); }
inline auto equations_of(const CurrDelta&) { return Jumping(); }
inline auto equations_of(const CondExp&) { return WithConductances(); }
inline auto equations_of(const Izhikevich&) { return Quadratic(); }
inline auto equations_of(const AdEx&) { return AdaptiveExponential(); }
inline auto equations_of(const AdaptiveThreshold&) { return Rising(); }
inline auto equations_of(const CalciumAdaptation&) { return Calcium(); }
inline auto equations_of(const BySubtraction&) { return Perfect(); }
inline auto equations_of(const TwoCompartments&) { return Dendrite(); }
inline auto equations_of(const ReadOut&) { return Silent(); }
inline auto equations_of(const CurrAlpha&) {
  Equations made;
  made.is_alpha = true;
  return made;
}
inline auto equations_of(const CondAlpha&) {
  WithConductances made;
  made.is_alpha = true;
  return made;
}

/// The same drive as `fixed` had, by Runge-Kutta steps of a tenth. A stochastic neuron fires when the other did.
template <class Cell>
Trace integrate(const Trace& fixed, double i_na) {
  const auto equations = equations_of(Cell{});
  State x;
  if constexpr (std::is_same_v<Cell, Izhikevich>) x.slow = -13.0;
  if constexpr (std::is_same_v<Cell, AdEx>) x.v = -70.6;
  if constexpr (std::is_same_v<Cell, TwoCompartments>) x.slow = rest_mv;
  Trace trace;
  std::uint32_t left = 0; // refractory steps
  for (std::uint32_t step = 1; step <= fixed.mv.size(); ++step) {
    const double i = step >= on && step < off ? i_na : 0.0, held = x.v;
    constexpr int parts = 10;
    const auto slope = [&](const State& at) { return equations.slope(at, i); };
    for (int part = 0; part < parts; ++part) {
      const double h = dt_ms / parts;
      const State a = slope(x), b = slope(x.moved(a, h / 2)), c = slope(x.moved(b, h / 2)), d = slope(x.moved(c, h));
      x = x.moved(a, h / 6).moved(b, h / 3).moved(c, h / 3).moved(d, h / 6);
    }
    for (std::size_t which = 0; which < 2; ++which) equations.arrive(x, which, fixed.arriving[step - 1][which]);
    bool fires = equations.fires(x);
    if constexpr (std::is_same_v<Cell, StochasticThreshold>)
      fires = std::binary_search(fixed.spikes.begin(), fixed.spikes.end(), step);
    if (left != 0) {
      --left, x.v = held; // put back at the end of the step
    } else if (fires) {
      equations.spike(x);
      left = static_cast<std::uint32_t>(std::lround(equations.refractory / dt_ms));
      trace.spikes.push_back(step);
    }
    trace.mv.push_back(x.v);
  }
  return trace;
}

} // namespace neurons

#endif
