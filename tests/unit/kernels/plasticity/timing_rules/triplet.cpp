// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <cstdint>

#include <neuromorph/kernels/plasticity/timing_rules/triplet.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/plasticity_battery.hpp"
#include "tests/support/plasticity_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {
using Rule = timing::Triplet<>;
static_assert(TimingRule<Rule>);
double e(double ticks, double tau) { return std::exp(-ticks / tau); }

Rule rule_of(const plasticity::AdditiveTwoTerms& a, double tau_x_ms, double tau_y_ms) {
  return Rule::from({.tau_plus_ms = 16.8,
                     .tau_minus_ms = 33.7,
                     .tau_x_ms = tau_x_ms,
                     .tau_y_ms = tau_y_ms,
                     .a2_plus = a.a2_plus,
                     .a3_plus = a.a3_plus,
                     .a2_minus = a.a2_minus,
                     .a3_minus = a.a3_minus},
                    1.0)
      .value();
}

void compare(const plasticity::AdditiveTwoTerms& a, double tau_x_ms, double tau_y_ms, std::uint32_t seed) {
  INFO("A " << a.a2_plus << " " << a.a3_plus << " " << a.a2_minus << " " << a.a3_minus);
  plasticity::compare_over_battery(plasticity::deferred(rule_of(a, tau_x_ms, tau_y_ms), weight::Additive{}),
                                   plasticity::Triplet(16.8, 33.7, tau_x_ms, tau_y_ms, a), seed,
                                   sanitized ? 20'000 : 100'000, 5e-5);
}
} // namespace

TEST_CASE("triplet: as if applied at once", "[plasticity][triplet]") {
  for (const std::uint32_t seed : Seeds(2)) {
    compare({6.1e-3, 6.7e-3, 1.6e-3, 1.4e-3}, 946, 27, seed); // hippocampal culture, full
    compare({0, 6.5e-3, 7.1e-3, 0}, 101, 114, seed);          // visual cortex, minimal
  }
}

TEST_CASE("triplet: single pairs and triplets are the closed form", "[plasticity][triplet]") {
  const plasticity::AdditiveTwoTerms a{0.011, 0.023, 0.007, 0.019};
  const auto update = plasticity::deferred(rule_of(a, 101, 125), weight::Additive{});
  for (std::uint32_t first = 0; first < 60; first += 3) {
    for (std::uint32_t second = 1; second < 60; second += 4) {
      INFO("distances " << first << " and " << second);
      const double x = first, y = second, both = x + y;
      // post, pre, post: with a delay of 1, the first event reaches the synapse `first` ticks before the spike.
      plasticity::RowOnNeuron up(update, {1}, 0.5, 1000);
      up.post(1099 - first), up.pre(1100), up.post(1099 + second), up.flush(1300);
      CHECK(std::fabs(up.share(0) -
                      (0.5 - a.a2_minus * e(x, 33.7) + e(y, 16.8) * (a.a2_plus + a.a3_plus * e(both, 125)))) < 5e-9);
      // pre, post, pre
      plasticity::RowOnNeuron down(update, {1}, 0.5, 1000);
      down.pre(1100), down.post(1099 + second), down.pre(1100 + second + first);
      CHECK(std::fabs(down.share(0) -
                      (0.5 + a.a2_plus * e(y, 16.8) - e(x, 33.7) * (a.a2_minus + a.a3_minus * e(both, 101)))) < 5e-9);
    }
  }
}

TEST_CASE("triplet: traces beyond 16 do not wrap, and those beyond 256 are held and counted", "[plasticity][triplet]") {
  // A spike a tick: with tau = 30 the trace goes to 30.5.
  const plasticity::AdditiveTwoTerms a{1e-4, 0, 1e-4, 0};
  const auto fast =
      Rule::from(
          {.tau_plus_ms = 30, .tau_minus_ms = 30, .a2_plus = 1e-4, .a3_plus = 0, .a2_minus = 1e-4, .a3_minus = 0}, 1.0)
          .value();
  plasticity::RowOnNeuron row(plasticity::deferred(fast, weight::Additive{}), {1}, 0.5, 0);
  plasticity::Events events;
  events.dendritic_delay = 1;
  for (plasticity::Ticks time = 1; time <= 400; ++time) {
    const auto now = static_cast<std::uint32_t>(time);
    if (time % 100 == 0) row.post(now), events.post.push_back(time);
    row.pre(now), events.pre.push_back(time);
  }
  const auto outcome =
      plasticity::simulate(plasticity::Triplet(30, 30, 946, 27, a), plasticity::Weight{0.5, 0, 1}, events);
  CHECK(std::fabs(row.share(0) - outcome.at_spikes.back()) < 1e-6);
  CHECK(row.trace().r1 > 29U << 24);
  CHECK(row.update().counts().held_traces == 0);

  using Long = timing::Triplet<LongDecayTable<65536>, LongDecayTable<65536>>;
  const auto slow = Long::from({.tau_plus_ms = 4000, .tau_minus_ms = 4000}, 1.0).value();
  plasticity::RowOnNeuron held(plasticity::deferred(slow, weight::Additive{}), {1}, 0.5, 0);
  std::uint32_t before = 0, most = 0;
  for (std::uint32_t time = 1; time <= 400; ++time) {
    held.pre(time);
    const std::uint32_t trace = held.trace().r1;
    CHECK((trace >= before || before == ~0U)); // none has wrapped
    before = trace, most = trace > most ? trace : most;
  }
  CHECK(most == ~0U);
  CHECK(held.update().counts().held_traces > 100);
  // Held at 256, an event brings the weight to its end, and not beyond.
  held.post(401), held.flush(402);
  CHECK(held.share(0) > 0.99);
  CHECK(held.update().counts().held_at_highest == 1);
}

TEST_CASE("triplet: both ends hold, and are counted", "[plasticity][triplet]") {
  const auto update = plasticity::deferred(rule_of({0.6, 1, 0.6, 1}, 101, 125), weight::Additive{});
  plasticity::RowOnNeuron up(update, {1}, 0.5, 0);
  up.pre(10), up.post(10), up.post(11), up.flush(20);
  CHECK(up.update().counts().held_at_highest == 2);
  CHECK(up.share(0) > 0.9999999);
  plasticity::RowOnNeuron down(update, {1}, 0.5, 0);
  down.post(10), down.pre(11), down.pre(12);
  CHECK(down.update().counts().held_at_lowest == 2);
  CHECK(down.share(0) == 0);
}

TEST_CASE("triplet: what is refused", "[plasticity][triplet]") {
  CHECK(Rule::from({.tau_plus_ms = 50}, 1.0).status() == Status{Error::table_too_short, 0, 50.0, "tau_plus_ms"});
  CHECK(Rule::from({.tau_minus_ms = 50}, 1.0).status() == Status{Error::table_too_short, 0, 50.0, "tau_minus_ms"});
  CHECK(Rule::from({.tau_x_ms = 5000}, 1.0).status() == Status{Error::table_too_short, 0, 5000.0, "tau_x_ms"});
  CHECK(Rule::from({.tau_y_ms = 0}, 1.0).status() == Status{Error::parameter_not_positive, 0, 0.0, "tau_y_ms"});
  CHECK(Rule::from({.a2_plus = 2}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 2.0, "a2_plus"});
  CHECK(Rule::from({.a3_plus = 2}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 2.0, "a3_plus"});
  CHECK(Rule::from({.a2_minus = 2}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 2.0, "a2_minus"});
  CHECK(Rule::from({.a3_minus = 2}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 2.0, "a3_minus"});
}

TEST_CASE("triplet: what is given where nothing is", "[plasticity][triplet]") {
  const auto rule = Rule::from({}, 1.0).value();
  const auto left = [](double ticks, double tau) { return std::exp(-ticks / tau) * 0x1p31; };
  CHECK(std::fabs(rule.plus.at(17) - left(17, 16.8)) < 1);
  CHECK(std::fabs(rule.minus.at(17) - left(17, 33.7)) < 1);
  CHECK(std::fabs(rule.x.at(700) - left(700, 946)) < 1.1);
  CHECK(std::fabs(rule.y.at(17) - left(17, 27)) < 1.1);
  CHECK((rule.a2_plus == share_of(6.1e-3, "").value() && rule.a3_plus == share_of(6.7e-3, "").value()));
  CHECK((rule.a2_minus == share_of(1.6e-3, "").value() && rule.a3_minus == share_of(1.4e-3, "").value()));
  const Rule none;
  CHECK((none.a2_plus == 0 && none.a3_plus == 0 && none.a2_minus == 0 && none.a3_minus == 0));
  CHECK((Rule::is_spent({0, 5}) && !Rule::is_spent({1, 0})));
  const Rule::RowTrace row;
  const Rule::NeuronTrace neuron;
  CHECK((row.r1 == 0 && row.r2 == 0 && neuron.o1 == 0 && neuron.o2 == 0));
}

// In u8.24, of which a trace of one event has 2^24.
TEST_CASE("triplet: each spike and each event adds 1", "[plasticity][triplet]") {
  const Rule rule = rule_of({1e-3, 2e-3, 1e-3, 2e-3}, 101, 125);
  ShareArithmetic<> m;
  Rule::RowTrace row;
  Rule::NeuronTrace neuron;
  for (std::uint32_t count = 1; count <= 255; ++count) { // all in a tick, in which nothing decays
    row = rule.pre_spiked(m, row, 0);
    neuron = rule.post_spiked(m, neuron, 0);
    CHECK(row.r1 == count << 24);
    CHECK(neuron.o1 == count << 24);
  }
  CHECK(m.held() == 0);
}
