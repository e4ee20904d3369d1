// SPDX-License-Identifier: BSL-1.0
// One neuron of any composition in double: the equations of docs/neurons.md, in the order of its step, and nothing of the
// library. What is linear goes by the matrix exponential of all that is linear at once; other membranes by their methods.
#ifndef TESTS_SUPPORT_NEURON_REFERENCE_HPP
#define TESTS_SUPPORT_NEURON_REFERENCE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace neuron_reference {

using Matrix = std::vector<std::vector<double>>;

[[nodiscard]] inline Matrix product(const Matrix& a, const Matrix& b) {
  Matrix sum(a.size(), std::vector<double>(a.size()));
  for (std::size_t row = 0; row < a.size(); ++row)
    for (std::size_t inner = 0; inner < a.size(); ++inner)
      for (std::size_t column = 0; column < a.size(); ++column) sum[row][column] += a[row][inner] * b[inner][column];
  return sum;
}
/// By 2^-12 of the exponent, a series, and squares.
[[nodiscard]] inline Matrix exponential(Matrix exponent) {
  const std::size_t size = exponent.size();
  for (auto& row : exponent)
    for (double& entry : row) entry /= 4096.0;
  Matrix sum(size, std::vector<double>(size)), term = sum;
  for (std::size_t one = 0; one < size; ++one) sum[one][one] = term[one][one] = 1.0;
  for (int order = 1; order < 12; ++order) {
    term = product(term, exponent);
    for (std::size_t row = 0; row < size; ++row)
      for (std::size_t column = 0; column < size; ++column) sum[row][column] += term[row][column] /= order;
  }
  for (int doubling = 0; doubling < 12; ++doubling) sum = product(sum, sum);
  return sum;
}
/// (exp(x) - 1) / x
[[nodiscard]] inline double phi1(double x) { return std::fabs(x) < 1e-12 ? 1.0 : std::expm1(x) / x; }

struct Synapse {
  enum class Kind { exponential, rising, delta } kind = Kind::exponential;
  double tau_rise_ms = 5.0, tau_decay_ms = 5.0; ///< equal: an alpha function
  std::size_t moves = 0;                        ///< with delta, the state of a linear membrane
};

struct Description {
  double dt_ms = 0.1;
  enum class Membrane { linear, conductance, midpoint, runge_kutta, adex } membrane = Membrane::linear;
  // linear: x' = per_ms x + drift, current drives one state
  Matrix per_ms{{0.0}};
  std::vector<double> drift_per_ms{0.0}, initial{-65.0};
  std::size_t driven = 0;
  double per_na = 1.0; ///< of all: what 1 nA adds in a ms; with Izhikevich 1
  // others
  double tau_ms = 20.0, rest_mv = -65.0, offset = 0.0;
  double a = 0.0, b = 0.0, d = 0.0, hold_mv = 0.0; ///< Izhikevich; how far above the threshold half a step goes
  double v_t_mv = 0.0, delta_t_mv = 1.0, tau_w_ms = 1.0, u = 0.0; ///< AdEx, w in nA

  std::vector<Synapse> synapses;
  enum class Input { current, conductance, multiplicative } input = Input::current;
  std::vector<double> reversal_mv;
  double gain = 1.0;

  enum class Threshold { fixed, adaptive, stochastic, none } threshold = Threshold::fixed;
  double threshold_mv = -50.0, level_tau_ms = 1.0, level_step_mv = 0.0, width_mv = 1.0, escape_tau_ms = 1.0;
  enum class Reset { to_value, subtraction, late, none } reset = Reset::to_value;
  double reset_mv = -65.0, by_mv = 15.0;
  int refractory_steps = 0;
  double trace_tau_ms = 1.0, trace_rise_na = 0.0; ///< adaptation
};

class Reference {
public:
  explicit Reference(const Description& description) : is(description), state_(is.initial), u_(is.u) {
    const std::size_t states = is_linear() ? is.per_ms.size() : 0;
    // The states; by receptor psp, feed, and mean; trace and its mean; current; one.
    size_ = states + 3 * is.synapses.size() + 4;
    Matrix exponent(size_, std::vector<double>(size_));
    first_ = states;
    const std::size_t trace = size_ - 4, current = size_ - 2, one = size_ - 1;
    const double h = is.dt_ms;
    for (std::size_t row = 0; row < states; ++row) {
      for (std::size_t column = 0; column < states; ++column) exponent[row][column] = h * is.per_ms[row][column];
      exponent[row][one] = h * is.drift_per_ms[row];
    }
    for (std::size_t which = 0; which < is.synapses.size(); ++which) {
      const Synapse& synapse = is.synapses[which];
      const std::size_t psp = first_ + 3 * which, feed = psp + 1, mean = psp + 2;
      exponent[psp][psp] = -h / synapse.tau_decay_ms;
      exponent[feed][feed] = -h / synapse.tau_rise_ms;
      if (synapse.kind == Synapse::Kind::rising) exponent[psp][feed] = h;
      exponent[mean][psp] = 1.0;
      if (is_linear() && is.input == Description::Input::current)
        exponent[is.driven][psp] = h * is.per_na * sign(which);
    }
    exponent[trace][trace] = -h / is.trace_tau_ms;
    exponent[trace + 1][trace] = 1.0;
    if (is_linear()) exponent[is.driven][trace] = -h * is.per_na, exponent[is.driven][current] = h * is.per_na;
    step_ = exponential(exponent);
    rest_.assign(size_, 0.0);
    rest_[one] = 1.0;
  }

  /// A step up to the question whether it fires.
  /// \param arriving    by receptor, in weights
  /// \param current_na  of currents, constant over the step
  void integrate(const std::vector<double>& arriving, double current_na) {
    const double before = v();
    // the linear part
    std::vector<double> x = rest_;
    std::copy(state_.begin(), state_.begin() + static_cast<std::ptrdiff_t>(first_), x.begin());
    std::vector<double> mean(is.synapses.size());
    const auto advance = [&](double current) {
      x[size_ - 2] = current;
      std::vector<double> next(size_);
      for (std::size_t row = 0; row < size_; ++row)
        for (std::size_t column = 0; column < size_; ++column) next[row] += step_[row][column] * x[column];
      return next;
    };
    std::vector<double> next = advance(current_na);
    for (std::size_t which = 0; which < mean.size(); ++which) mean[which] = next[first_ + 3 * which + 2];
    if (is.input == Description::Input::multiplicative) {
      current_na += is.gain * std::max(mean[0], 0.0) * std::max(mean[1], 0.0);
      next = advance(current_na);
    }
    if (is_linear()) {
      std::copy(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(first_), state_.begin());
    } else {
      const auto flow = [&](double at) { // in nA
        double sum = current_na - next[size_ - 3];
        for (std::size_t which = 0; which < mean.size(); ++which)
          if (is.input == Description::Input::current)
            sum += sign(which) * mean[which];
          else if (is.input == Description::Input::conductance)
            sum += mean[which] * (is.reversal_mv[which] - at);
        return sum * is.per_na;
      };
      double rate = 0.0;
      if (is.input == Description::Input::conductance)
        for (const double one : mean) rate += is.dt_ms * is.per_na * one;
      if (is.membrane == Description::Membrane::conductance)
        conductance(flow, rate);
      else if (is.membrane == Description::Membrane::adex)
        adex(flow);
      else
        izhikevich(flow);
    }
    if (is_due_ && left_ == 0) v() -= is.by_mv, is_due_ = false;
    // what arrives
    for (std::size_t at = first_; at < size_ - 2; ++at) rest_[at] = next[at];
    for (std::size_t which = 0; which < is.synapses.size(); ++which) {
      rest_[first_ + 3 * which + 2] = 0.0;
      const Synapse& synapse = is.synapses[which];
      if (synapse.kind == Synapse::Kind::exponential)
        rest_[first_ + 3 * which] += arriving[which];
      else if (synapse.kind == Synapse::Kind::rising)
        rest_[first_ + 3 * which + 1] += arriving[which] * feed_for_peak(synapse);
      else
        state_[is_linear() ? synapse.moves : 0] += sign(which) * arriving[which];
    }
    rest_[size_ - 3] = 0.0;
    level_ *= std::exp(-is.dt_ms / is.level_tau_ms);
    is_active_ = left_ == 0;
    asked_ = v();
    if (!is_active_) v() = before, --left_;
  }
  [[nodiscard]] bool is_active() const { return is_active_; }
  /// Distance from what makes it fire, in mV.
  [[nodiscard]] double above() const { return asked_ - is.threshold_mv - level_; }
  /// Of firing, by a stochastic threshold.
  [[nodiscard]] double chance() const {
    const double rate = std::exp(std::min(above() / is.width_mv, 60.0)) / is.escape_tau_ms;
    return is_active_ ? -std::expm1(-is.dt_ms * rate) : 0.0;
  }
  /// The rest of the step.
  void finish(bool fired) {
    if (!fired) return;
    if (is.reset == Description::Reset::to_value) v() = is.reset_mv;
    if (is.reset == Description::Reset::subtraction) v() -= is.by_mv;
    is_due_ = is.reset == Description::Reset::late;
    left_ = is.refractory_steps;
    u_ += is.d;
    level_ += is.level_step_mv;
    rest_[size_ - 4] += is.trace_rise_na;
  }
  [[nodiscard]] double& v() { return state_[0]; }
  [[nodiscard]] double u() const { return u_; }
  void set_u(double u) { u_ = u; }
  /// mV that an event of a weight of 1 adds to a state that is driven, in the step after it arrives; of the conductance's or
  /// the product's mean where that is not linear.
  [[nodiscard]] double effect_of(std::size_t which) const {
    const double unit = is.synapses[which].kind == Synapse::Kind::rising ? feed_for_peak(is.synapses[which]) : 1.0;
    const std::size_t from = first_ + 3 * which + (is.synapses[which].kind == Synapse::Kind::rising ? 1 : 0);
    const bool to_membrane = is_linear() && is.input == Description::Input::current;
    return unit * step_[to_membrane ? is.driven : first_ + 3 * which + 2][from];
  }

  Description is;

private:
  [[nodiscard]] bool is_linear() const { return is.membrane == Description::Membrane::linear; }
  [[nodiscard]] static double sign(std::size_t which) { return which % 2 == 0 ? 1.0 : -1.0; }
  /// A weight's current has its peak there.
  [[nodiscard]] static double feed_for_peak(const Synapse& synapse) {
    const double rise = synapse.tau_rise_ms, decay = synapse.tau_decay_ms;
    if (rise == decay) return std::exp(1.0) / rise;
    const double at = std::log(decay / rise) * rise * decay / (decay - rise);
    return (1.0 / rise - 1.0 / decay) / (std::exp(-at / decay) - std::exp(-at / rise));
  }

  void conductance(const auto& flow, double rate) {
    rate += is.dt_ms / is.tau_ms;
    const double change = is.dt_ms * ((is.rest_mv - v()) / is.tau_ms + is.offset * is.per_na) + is.dt_ms * flow(v());
    v() += change * phi1(-rate);
  }
  void izhikevich(const auto& flow) {
    const double h = is.dt_ms, v0 = v(), u0 = u_;
    const auto rise = [&](double at, double by) {
      return h * ((0.04 * at + 5.0) * at + 140.0 - by + is.offset + flow(at));
    };
    const auto recovery = [&](double at, double by) { return h * is.a * (is.b * at - by); };
    if (is.membrane == Description::Membrane::midpoint) {
      const double half = std::min(v0 + rise(v0, u0) / 2, is.threshold_mv + is.hold_mv);
      const double u_half = u0 + recovery(v0, u0) / 2;
      u_ = u0 + recovery(half, u_half);
      v() = v0 + rise(half, u_half);
      return;
    }
    const auto at = [&](double change) { return std::min(v0 + change, is.threshold_mv); };
    const double v1 = rise(v0, u0), u1 = recovery(v0, u0);
    const double v2 = rise(at(v1 / 2), u0 + u1 / 2), u2 = recovery(at(v1 / 2), u0 + u1 / 2);
    const double v3 = rise(at(v2 / 2), u0 + u2 / 2), u3 = recovery(at(v2 / 2), u0 + u2 / 2);
    const double v4 = rise(at(v3), u0 + u3), u4 = recovery(at(v3), u0 + u3);
    v() = v0 + (v1 + 2 * v2 + 2 * v3 + v4) / 6;
    u_ = u0 + (u1 + 2 * u2 + 2 * u3 + u4) / 6;
  }
  void adex(const auto& flow) {
    const double h = is.dt_ms, v0 = v(), w0 = u_, width = is.delta_t_mv;
    const double chance = std::min(h / (2 * is.tau_ms) * std::exp((v0 - is.v_t_mv) / width), 2.0);
    const auto slope = [&](double at, double w) {
      return h * ((is.rest_mv - at) / is.tau_ms + is.offset * is.per_na - w * is.per_na + flow(at));
    };
    const auto upswing = [&](double change, double share) {
      const double rest = 1.0 - share * phi1(std::clamp(change / width, -2.0, 2.0));
      return rest < 0x1p-15 ? 256.0 : -width * std::log(rest);
    };
    const auto recovered = [&](double at, double w) { return h / is.tau_w_ms * (is.a * (at - is.rest_mv) - w); };
    const double first = slope(v0, w0);
    const double half = std::min(v0 + first / 2 + upswing(first / 2, chance), is.threshold_mv);
    const double second = slope(half, w0 + recovered(v0, w0) / 2);
    u_ = w0 + recovered(half, w0 + recovered(v0, w0) / 2);
    v() = v0 + second + upswing(second, 2 * chance);
  }

  std::vector<double> state_, rest_;
  double u_ = 0.0, level_ = 0.0, asked_ = 0.0;
  std::size_t first_ = 0, size_ = 0;
  Matrix step_;
  int left_ = 0;
  bool is_active_ = true, is_due_ = false;
};

} // namespace neuron_reference

#endif
