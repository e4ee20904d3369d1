// SPDX-License-Identifier: BSL-1.0
// The rules of plastic synapses in double precision, one synapse, forward in time: each event is applied when it reaches
// the synapse, with traces that decay from event to event. Nothing is deferred, nothing is taken from the library.
//
// Times are ticks at the synapse: a pre-synaptic spike is there after its axonal delay, a post-synaptic event after its
// dendritic one. Of one tick, the post-synaptic event comes first: the spike sees it, with a distance of 0, and it does not
// see the spike. Dopamine is there first of all.
#ifndef TESTS_SUPPORT_PLASTICITY_REFERENCE_HPP
#define TESTS_SUPPORT_PLASTICITY_REFERENCE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace plasticity {

using Ticks = std::int64_t;
using Train = std::vector<Ticks>; ///< in order

// ---------------------------------------------------------------------------------------------------------- weights

/// A weight between its ends, and how often it was held there.
struct Weight {
  double value = 0, lowest = 0, highest = 1;
  unsigned held_low = 0, held_high = 0;

  void hold() {
    if (value < lowest) value = lowest, ++held_low;
    if (value > highest) value = highest, ++held_high;
  }
};

/// w +- A x, in units of the weight.
struct Additive {
  double a_plus = 0.01, a_minus = 0.01;
  void up(Weight& weight, double x) const { weight.value += a_plus * x, weight.hold(); }
  void down(Weight& weight, double x) const { weight.value -= a_minus * x, weight.hold(); }
};

/// w + A+ x (highest - w), w - A- x (w - lowest).
struct Multiplicative {
  double a_plus = 0.01, a_minus = 0.01;
  void up(Weight& weight, double x) const {
    weight.value += a_plus * x * (weight.highest - weight.value), weight.hold();
  }
  void down(Weight& weight, double x) const {
    weight.value -= a_minus * x * (weight.value - weight.lowest), weight.hold();
  }
};

/// w +- (A2 x + A3 y), of pairs and of triplets.
struct AdditiveTwoTerms {
  double a2_plus = 0.01, a3_plus = 0.01, a2_minus = 0.01, a3_minus = 0.01;
  void up(Weight& weight, double x, double y) const { weight.value += a2_plus * x + a3_plus * y, weight.hold(); }
  void down(Weight& weight, double x, double y) const { weight.value -= a2_minus * x + a3_minus * y, weight.hold(); }
};

/// w + l w0^(1 - mu) w^mu x, w - l alpha w x. A. Morrison, A. Aertsen, M. Diesmann, Spike-timing-dependent plasticity in
/// balanced random networks, 2007, equation 5.
struct PowerLaw {
  double rate = 0.1, scale = 1, exponent = 0.4, alpha = 0.11;
  void up(Weight& weight, double x) const {
    weight.value += rate * std::pow(scale, 1 - exponent) * std::pow(weight.value, exponent) * x, weight.hold();
  }
  void down(Weight& weight, double x) const { weight.value -= rate * alpha * weight.value * x, weight.hold(); }
};

// ----------------------------------------------------------------------------------------------------------- traces

/// Decays by e^(-1 / tau) a tick from what it was when it was last changed; nothing before its first event.
class DecayingTrace {
public:
  explicit DecayingTrace(double tau_ticks) : tau_(tau_ticks) {}
  [[nodiscard]] double at(Ticks now) const {
    return value_ == 0 ? 0 : value_ * std::exp(-static_cast<double>(now - then_) / tau_);
  }
  void add(Ticks now, double amount = 1) { value_ = at(now) + amount, then_ = now; }

private:
  double tau_;
  double value_ = 0;
  Ticks then_ = 0;
};

// ----------------------------------------------------------------------------------------------------- timing rules
// Each has pre(now, weight) and post(now, weight). Time constants are ticks.

/// All pairs. S. Song, K. Miller, L. Abbott, Competitive Hebbian learning through spike-timing-dependent synaptic
/// plasticity, 2000, for any weight dependence of one term.
template <class Dependence>
class Pair {
public:
  Pair(double tau_plus, double tau_minus, const Dependence& dependence)
      : r1_(tau_plus), o1_(tau_minus), dependence_(dependence) {}
  void pre(Ticks now, Weight& weight) {
    dependence_.down(weight, o1_.at(now));
    r1_.add(now);
  }
  void post(Ticks now, Weight& weight) {
    dependence_.up(weight, r1_.at(now));
    o1_.add(now);
  }

private:
  DecayingTrace r1_, o1_;
  Dependence dependence_;
};

/// The first post-synaptic event after a spike potentiates, each spike is depressed by the last event before it.
template <class Dependence>
class NearestPair {
public:
  NearestPair(double tau_plus, double tau_minus, const Dependence& dependence)
      : tau_plus_(tau_plus), tau_minus_(tau_minus), dependence_(dependence) {}
  void pre(Ticks now, Weight& weight) {
    if (post_came_) dependence_.down(weight, std::exp(-static_cast<double>(now - last_post_) / tau_minus_));
    last_pre_ = now, pre_waits_ = true;
  }
  void post(Ticks now, Weight& weight) {
    if (pre_waits_) dependence_.up(weight, std::exp(-static_cast<double>(now - last_pre_) / tau_plus_));
    last_post_ = now, post_came_ = true, pre_waits_ = false;
  }

private:
  double tau_plus_, tau_minus_;
  Dependence dependence_;
  Ticks last_pre_ = 0, last_post_ = 0;
  bool pre_waits_ = false, post_came_ = false;
};

/// J. Pfister, W. Gerstner, Triplets of spikes in a model of spike timing-dependent plasticity, 2006, equations 3 and 4:
/// all to all. The slow traces are those before the event.
class Triplet {
public:
  Triplet(double tau_plus, double tau_minus, double tau_x, double tau_y, const AdditiveTwoTerms& dependence)
      : r1_(tau_plus), r2_(tau_x), o1_(tau_minus), o2_(tau_y), dependence_(dependence) {}
  void pre(Ticks now, Weight& weight) {
    dependence_.down(weight, o1_.at(now), o1_.at(now) * r2_.at(now));
    r1_.add(now), r2_.add(now);
  }
  void post(Ticks now, Weight& weight) {
    dependence_.up(weight, r1_.at(now), r1_.at(now) * o2_.at(now));
    o1_.add(now), o2_.add(now);
  }

private:
  DecayingTrace r1_, r2_, o1_, o2_;
  AdditiveTwoTerms dependence_;
};

/// T. Vogels et al., Inhibitory plasticity balances excitation and inhibition in sensory pathways and memory networks,
/// 2011: eta (o - alpha) at a spike, eta r at a post-synaptic event; both ends hold both.
class Vogels {
public:
  Vogels(double tau, double eta, double alpha) : r_(tau), o_(tau), eta_(eta), alpha_(alpha) {}
  void pre(Ticks now, Weight& weight) {
    weight.value += eta_ * (o_.at(now) - alpha_), weight.hold();
    r_.add(now);
  }
  void post(Ticks now, Weight& weight) {
    weight.value += eta_ * r_.at(now), weight.hold();
    o_.add(now);
  }

private:
  DecayingTrace r_, o_;
  double eta_, alpha_;
};

/// The rule "recurrent, pre-stochastic" of sPyNNaker. A spike or an event opens a window of a random length; one of the
/// other kind within it moves an accumulator by 1 and closes it; one of the same kind within it closes it, too. When the
/// accumulator would reach its limit it begins again, and the weight moves by one unit.
template <class Dependence>
class Recurrent {
public:
  using Draw = std::function<Ticks()>; ///< the length of the next window: events at a distance below it are in it
  Recurrent(Draw pre_window, Draw post_window, int limit, const Dependence& dependence)
      : pre_window_(std::move(pre_window)), post_window_(std::move(post_window)), limit_(limit),
        dependence_(dependence) {}
  void pre(Ticks now, Weight& weight) {
    const bool inside = open_ != Open::none && now - opened_ < window_;
    if (inside && open_ == Open::post && --accumulator_ <= -limit_) accumulator_ = 0, dependence_.down(weight, 1);
    close_or_open(inside, Open::pre, now, pre_window_);
  }
  void post(Ticks now, Weight& weight) {
    // A spike of the same tick would be there later, so that none is at a distance of 0.
    const bool inside = open_ != Open::none && now - opened_ < window_;
    if (inside && open_ == Open::pre && ++accumulator_ >= limit_) accumulator_ = 0, dependence_.up(weight, 1);
    close_or_open(inside, Open::post, now, post_window_);
  }

private:
  enum class Open { none, pre, post };
  void close_or_open(bool inside, Open kind, Ticks now, const Draw& draw) {
    open_ = inside ? Open::none : kind;
    if (!inside) opened_ = now, window_ = draw();
  }
  Draw pre_window_, post_window_;
  int limit_, accumulator_ = 0;
  Dependence dependence_;
  Open open_ = Open::none;
  Ticks opened_ = 0, window_ = 0;
};

/// E. Izhikevich, Solving the distal reward problem through linkage of STDP and dopamine signaling, 2007: pairs move the
/// eligibility c, and dw/dt = c D; between events that is integrated in closed form. dt in seconds or what D is per.
class Neuromodulated {
public:
  Neuromodulated(double tau_plus, double tau_minus, double tau_c, double tau_d, double a_plus, double a_minus,
                 double dt)
      : r1_(tau_plus), o1_(tau_minus), c_(tau_c), d_(tau_d), rate_(1 / tau_c + 1 / tau_d), a_plus_(a_plus),
        a_minus_(a_minus), dt_(dt) {}
  void pre(Ticks now, Weight& weight) {
    move(now, weight);
    c_.add(now, -a_minus_ * o1_.at(now));
    r1_.add(now);
  }
  void post(Ticks now, Weight& weight) {
    move(now, weight);
    c_.add(now, a_plus_ * r1_.at(now));
    o1_.add(now);
  }
  void dopamine(Ticks now, double amount, Weight& weight) {
    move(now, weight);
    d_.add(now, amount);
  }
  void move(Ticks now, Weight& weight) {
    const double ticks = static_cast<double>(now - then_);
    weight.value -= c_.at(then_) * d_.at(then_) * std::expm1(-ticks * rate_) / rate_ * dt_, weight.hold();
    then_ = now;
  }

private:
  DecayingTrace r1_, o1_, c_, d_;
  double rate_, a_plus_, a_minus_, dt_;
  Ticks then_ = 0;
};

/// e^-x sin^20 x up to x = pi, in units of its peak, at x = ticks atan(20) / peak_ticks. N. Luque et al., Adaptive
/// cerebellar spiking model embedded in the control loop, 2011, equation 2; only the first wave, as sPyNNaker has it.
inline double parallel_fibre_kernel(double ticks, double peak_ticks) {
  const double peak = std::atan(20.0), x = ticks * peak / peak_ticks;
  if (x < 0 || x > std::acos(-1.0)) return 0;
  return std::exp(peak - x) * std::pow(std::sin(x) / std::sin(peak), 20);
}

/// e^-(beta x) cos^2 x up to x = pi / 2, at x = ticks / sigma_ticks.
inline double mossy_fibre_kernel(double ticks, double sigma_ticks, double beta) {
  const double x = ticks / sigma_ticks;
  if (x < 0 || x > std::acos(0.0)) return 0;
  return std::exp(-beta * x) * std::cos(x) * std::cos(x);
}

/// A spike potentiates by 1, a post-synaptic event depresses by the sum of a kernel over all spikes before it.
template <class Dependence>
class Cerebellar {
public:
  using Kernel = std::function<double(double ticks)>;
  /// \param reach  a distance at which the kernel has ended
  Cerebellar(Kernel kernel, Ticks reach, const Dependence& dependence)
      : kernel_(std::move(kernel)), reach_(reach), dependence_(dependence) {}
  void pre(Ticks now, Weight& weight) {
    dependence_.up(weight, 1);
    spikes_.push_back(now);
  }
  void post(Ticks now, Weight& weight) {
    double sum = 0;
    for (auto spike = spikes_.rbegin(); spike != spikes_.rend() && now - *spike <= reach_; ++spike)
      sum += kernel_(static_cast<double>(now - *spike));
    dependence_.down(weight, sum);
  }

private:
  Kernel kernel_;
  Ticks reach_;
  Dependence dependence_;
  std::vector<Ticks> spikes_;
};

/// C. Clopath et al., Connectivity reflects coding: a model of voltage-based STDP with homeostasis, 2010, equations 1 to 3.
/// The voltage u of the post-synaptic neuron is one value a tick; u_minus and u_plus are its low-passed past. A spike
/// depresses by A (u_minus - theta_minus)+; each tick potentiates by A x (u - theta_plus)+ (u_plus - theta_minus)+, where
/// the spikes' trace x is that before the tick's spike.
class Clopath {
public:
  struct Constants {
    double tau_x, tau_minus, tau_plus, theta_minus, theta_plus, a_ltd, a_ltp, rest;
  };
  explicit Clopath(const Constants& constants)
      : constants_(constants), x_(constants.tau_x), u_minus_(constants.rest), u_plus_(constants.rest) {}
  void pre(Ticks now, Weight& weight) {
    weight.value -= constants_.a_ltd * (std::max)(0.0, u_minus_ - constants_.theta_minus), weight.hold();
    x_.add(now);
  }
  /// Of each tick, before its spike.
  void voltage(Ticks now, double u, Weight& weight) {
    weight.value += constants_.a_ltp * x_.at(now) * (std::max)(0.0, u - constants_.theta_plus) *
                    (std::max)(0.0, u_plus_ - constants_.theta_minus);
    weight.hold();
    u_minus_ = u + (u_minus_ - u) * std::exp(-1 / constants_.tau_minus);
    u_plus_ = u + (u_plus_ - u) * std::exp(-1 / constants_.tau_plus);
  }
  [[nodiscard]] double u_minus() const { return u_minus_; }
  [[nodiscard]] double u_plus() const { return u_plus_; }

private:
  Constants constants_;
  DecayingTrace x_;
  double u_minus_, u_plus_;
};

// ------------------------------------------------------------------------------------------------------- simulation

struct Dopamine {
  Ticks time;
  double amount;
};

struct Events {
  Train pre, post;                ///< when they happen at the neurons
  std::vector<Dopamine> dopamine; ///< when it reaches the synapse
  Ticks axonal_delay = 0, dendritic_delay = 0;
};

struct Outcome {
  Weight weight;
  std::vector<double> at_spikes; ///< the weight with which each spike went on
};

/// Applies all events in the order in which they reach the synapse.
template <class Rule>
[[nodiscard]] Outcome simulate(Rule rule, Weight weight, const Events& events) {
  struct Event {
    Ticks time;
    int kind; // 0 dopamine, 1 post, 2 pre
    double amount;
  };
  std::vector<Event> order;
  for (const Dopamine& one : events.dopamine) order.push_back({one.time, 0, one.amount});
  for (const Ticks time : events.post) order.push_back({time + events.dendritic_delay, 1, 0});
  for (const Ticks time : events.pre) order.push_back({time + events.axonal_delay, 2, 0});
  std::stable_sort(order.begin(), order.end(), [](const Event& left, const Event& right) {
    return std::pair(left.time, left.kind) < std::pair(right.time, right.kind);
  });
  Outcome outcome{weight, {}};
  for (const Event& event : order) {
    if (event.kind == 2) {
      rule.pre(event.time, outcome.weight);
      outcome.at_spikes.push_back(outcome.weight.value);
    } else if (event.kind == 1) {
      rule.post(event.time, outcome.weight);
    } else if constexpr (requires { rule.dopamine(event.time, event.amount, outcome.weight); }) {
      rule.dopamine(event.time, event.amount, outcome.weight);
    }
  }
  return outcome;
}

// ----------------------------------------------------------------------------------------------------- closed forms

/// What one pair does: the post-synaptic event `distance` ticks after the spike, or before it where that is not above 0.
[[nodiscard]] inline double pair_change(Ticks distance, double tau_plus, double tau_minus, double a_plus,
                                        double a_minus) {
  const auto ticks = static_cast<double>(distance);
  return distance > 0 ? a_plus * std::exp(-ticks / tau_plus) : -a_minus * std::exp(ticks / tau_minus);
}

/// What all pairs of two trains do, without ends.
[[nodiscard]] inline double sum_of_pairs(const Train& pre, const Train& post, double tau_plus, double tau_minus,
                                         double a_plus, double a_minus) {
  double sum = 0;
  for (const Ticks spike : pre) {
    for (const Ticks event : post) sum += pair_change(event - spike, tau_plus, tau_minus, a_plus, a_minus);
  }
  return sum;
}

/// What all pairs and triplets of two trains do, without ends.
[[nodiscard]] inline double sum_of_triplets(const Train& pre, const Train& post, double tau_plus, double tau_minus,
                                            double tau_x, double tau_y, const AdditiveTwoTerms& a) {
  const auto past = [](const Train& train, Ticks before, bool with_same, double tau) {
    double sum = 0;
    for (const Ticks time : train) {
      if (time < before || (with_same && time == before)) sum += std::exp(-static_cast<double>(before - time) / tau);
    }
    return sum;
  };
  double sum = 0;
  for (const Ticks event : post)
    sum += past(pre, event, false, tau_plus) * (a.a2_plus + a.a3_plus * past(post, event, false, tau_y));
  for (const Ticks spike : pre)
    sum -= past(post, spike, true, tau_minus) * (a.a2_minus + a.a3_minus * past(pre, spike, false, tau_x));
  return sum;
}

// ----------------------------------------------------------------------------------------------------------- trains

using Random = std::mt19937_64;

/// One event in a tick at most, each tick with the probability that gives the rate.
[[nodiscard]] inline Train poisson_train(Random& random, double rate_hz, double dt_ms, Ticks from, Ticks until) {
  std::geometric_distribution<Ticks> gap((std::min)(1.0, rate_hz * dt_ms * 1e-3));
  Train train;
  for (Ticks time = from + gap(random); time < until; time += 1 + gap(random)) train.push_back(time);
  return train;
}

[[nodiscard]] inline Train regular_train(Ticks interval, Ticks from, Ticks until) {
  Train train;
  for (Ticks time = from; time < until; time += interval) train.push_back(time);
  return train;
}

/// Bursts of `length` events that are `interval` ticks apart; bursts begin as a Poisson train does.
[[nodiscard]] inline Train burst_train(Random& random, double rate_hz, double dt_ms, Ticks length, Ticks interval,
                                       Ticks from, Ticks until) {
  Train train;
  for (const Ticks first : poisson_train(random, rate_hz, dt_ms, from, until)) {
    if (!train.empty() && first <= train.back()) continue;
    for (Ticks time = first; time < (std::min)(until, first + length * interval); time += interval)
      train.push_back(time);
  }
  return train;
}

struct NamedEvents {
  std::string name;
  Events events;
};

/// The battery of trains: Poisson at all pairs of rates from 1 to 100 Hz, silent on either side, bursts. Besides,
/// regular ones in phase and out of it, and the same ticks on both sides.
[[nodiscard]] inline std::vector<NamedEvents> battery(Random& random, double dt_ms, Ticks until, Ticks axonal_delay = 0,
                                                      Ticks dendritic_delay = 0) {
  std::vector<NamedEvents> all;
  const auto add = [&](std::string name, Train pre, Train post) {
    all.push_back({std::move(name), {std::move(pre), std::move(post), {}, axonal_delay, dendritic_delay}});
  };
  const auto text = [](double rate_hz) { return std::to_string(static_cast<int>(rate_hz)) + " Hz"; };
  const Ticks second = static_cast<Ticks>(std::lround(1000 / dt_ms));
  for (const double pre_hz : {1.0, 10.0, 100.0}) {
    for (const double post_hz : {1.0, 10.0, 100.0}) {
      Train pre = poisson_train(random, pre_hz, dt_ms, 1, until);
      Train post = poisson_train(random, post_hz, dt_ms, 1, until);
      add("Poisson " + text(pre_hz) + " and " + text(post_hz), std::move(pre), std::move(post));
    }
  }
  add("post silent", poisson_train(random, 20, dt_ms, 1, until), {});
  add("pre silent but for a last spike", {until}, poisson_train(random, 20, dt_ms, 1, until));
  {
    Train pre = burst_train(random, 1, dt_ms, 10, (std::max)(Ticks{1}, second / 200), 1, until);
    Train post = burst_train(random, 1, dt_ms, 10, (std::max)(Ticks{1}, second / 200), 1, until);
    add("bursts", pre, post);
    add("bursts and 10 Hz", std::move(pre), poisson_train(random, 10, dt_ms, 1, until));
    add("10 Hz and bursts", poisson_train(random, 10, dt_ms, 1, until), std::move(post));
  }
  add("regular, post after pre", regular_train(second / 20, 10, until), regular_train(second / 20, 15, until));
  add("regular, pre after post", regular_train(second / 20, 15, until), regular_train(second / 20, 10, until));
  add("regular, of other lengths", regular_train(second / 20, 10, until), regular_train(second / 23, 10, until));
  const Train same = poisson_train(random, 10, dt_ms, 1, until);
  add("same ticks", same, same);
  return all;
}

} // namespace plasticity

#endif
