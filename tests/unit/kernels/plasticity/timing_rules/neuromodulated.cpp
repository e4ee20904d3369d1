// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/neuromodulated.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/plasticity_battery.hpp"
#include "tests/support/plasticity_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Rule = timing::Neuromodulated<>;
static_assert(TimingRule<Rule>);
constexpr double tau_c = 1000, tau_d = 200, both = 1 / (1 / tau_c + 1 / tau_d);

auto update_of(double a_plus, double a_minus) {
  const Rule::Parameters parameters{.tau_plus_ms = 16.8,
                                    .tau_minus_ms = 33.7,
                                    .tau_c_ms = tau_c,
                                    .tau_d_ms = tau_d,
                                    .a_plus = a_plus,
                                    .a_minus = a_minus};
  return plasticity::deferred(Rule::from(parameters, 1.0).value(), weight::Additive{});
}
using Row = plasticity::RowOnNeuron<decltype(update_of(0, 0))>;

/// Per tick rather than per second: the product of the rates is all that matters.
plasticity::Neuromodulated reference(double a_plus, double a_minus) {
  return {16.8, 33.7, tau_c, tau_d, a_plus, a_minus, 1.0};
}
Share amount_of(double share) { return static_cast<Share>(std::llround(share * plasticity::whole_share)); }

/// \return the greatest difference, with dopamine that reaches the neuron at these times
double greatest_difference(double a_plus, double a_minus, const plasticity::Events& events, std::uint32_t start,
                           plasticity::Ticks flush_every) {
  const std::vector<std::uint32_t> delays = {1, 16};
  std::vector<plasticity::Outcome> outcomes;
  for (const std::uint32_t delay : delays) {
    plasticity::Events reaching = events;
    reaching.dendritic_delay = delay;
    for (auto& dose : reaching.dopamine) dose.time += delay, dose.amount /= both;
    outcomes.push_back(plasticity::simulate(reference(a_plus, a_minus), {0.5, 0, 1}, reaching));
  }
  struct Event {
    plasticity::Ticks time;
    int kind; // 0 dopamine, 1 post, 2 flush, 3 pre
    double amount;
  };
  std::vector<Event> order;
  for (const auto& dose : events.dopamine) order.push_back({dose.time, 0, dose.amount});
  for (const auto time : events.post) order.push_back({time, 1, 0});
  for (const auto time : events.pre) order.push_back({time, 3, 0});
  const plasticity::Ticks last = events.pre.empty() ? 0 : events.pre.back();
  for (plasticity::Ticks time = flush_every; flush_every != 0 && time < last; time += flush_every)
    order.push_back({time, 2, 0});
  std::stable_sort(order.begin(), order.end(), [](const Event& left, const Event& right) {
    return std::pair(left.time, left.kind) < std::pair(right.time, right.kind);
  });
  Row row(update_of(a_plus, a_minus), delays, 0.5, start);
  double greatest = 0;
  std::size_t spikes = 0;
  for (const Event& event : order) {
    const std::uint32_t now = start + static_cast<std::uint32_t>(event.time);
    if (event.kind == 0) row.modulate(now, amount_of(event.amount));
    if (event.kind == 1) row.post(now);
    if (event.kind == 2) row.flush(now);
    if (event.kind != 3) continue;
    row.pre(now);
    for (std::size_t at = 0; at < delays.size(); ++at)
      greatest = std::fmax(greatest, std::fabs(row.share(at) - outcomes[at].at_spikes[spikes]));
    ++spikes;
  }
  REQUIRE(row.is_complete());
  REQUIRE(row.update().counts().held_traces == 0);
  return greatest;
}

} // namespace

TEST_CASE("neuromodulated: as if applied at once", "[plasticity][neuromodulated]") {
  for (const std::uint32_t seed : Seeds(3)) {
    plasticity::Random random(seed);
    for (auto& [name, events] : plasticity::battery(random, 1.0, sanitized ? 20'000 : 100'000)) {
      INFO("seed " << seed << ": " << name);
      // Doses a second or so apart, up to a tenth, sometimes at the tick of an event.
      for (const auto time : plasticity::poisson_train(random, 1, 1.0, 1, 100'000)) {
        const double amount = 0.001 + 0.1 * static_cast<double>(random() % 1000) / 1000;
        events.dopamine.push_back({time, amount_of(amount) / plasticity::whole_share});
      }
      CHECK(greatest_difference(0.001, 0.0011, events, seed % 2 == 0 ? 0 : 0U - 50'000U, seed % 3 == 0 ? 0 : 333) <
            2e-5);
    }
  }
}

TEST_CASE("neuromodulated: a pair, and dopamine after it, are the closed form", "[plasticity][neuromodulated]") {
  for (const std::uint32_t wait : {0U, 1U, 100U, 900U}) {
    for (const bool is_up : {true, false}) {
      INFO(wait << " ticks after a pair" << (is_up ? " up" : " down"));
      Row row(update_of(0.5, 0.5), {1}, 0.5, 0);
      if (is_up)
        row.pre(1000), row.post(1009);
      else
        row.post(999), row.pre(1010); // an event 10 ticks before
      // Both reach the synapse a tick later.
      row.modulate(1009 + wait, amount_of(0.25));
      row.flush(6000), row.flush(14'000);
      const double c = is_up ? 0.5 * std::exp(-10 / 16.8) : -0.5 * std::exp(-10 / 33.7);
      CHECK(std::fabs(row.share(0) - (0.5 + 0.25 * c * std::exp(-static_cast<double>(wait) / tau_c))) < 2e-8);
    }
  }
  // Without dopamine nothing moves, and without a pair neither.
  Row row(update_of(0.5, 0.5), {1}, 0.5, 0);
  row.pre(1000), row.post(1009), row.pre(1020), row.flush(9000);
  CHECK(row.share(0) == 0.5);
  Row other(update_of(0.5, 0.5), {1}, 0.5, 0);
  other.modulate(1000, amount_of(0.5)), other.pre(1010), other.flush(9000);
  CHECK(other.share(0) == 0.5);
}

TEST_CASE("neuromodulated: eligibility, dopamine and weights are held at their ends, and counted",
          "[plasticity][neuromodulated]") {
  Row up(update_of(1, 1), {1}, 0.9, 0);
  for (std::uint32_t time = 1; time <= 6; time += 2) up.pre(time), up.post(time);
  up.flush(8);
  CHECK(up.update().counts().held_traces >= 3);
  const std::uint32_t before = up.update().counts().held_traces;
  up.modulate(9, amount_of(0.75)), up.modulate(10, amount_of(0.75)); // no more than 1
  CHECK(up.update().counts().held_traces == before + 1);
  up.flush(2000);
  CHECK(up.update().counts().held_at_highest == 1);
  CHECK(up.share(0) > 0.9999999);
  Row down(update_of(1, 1), {1}, 0.1, 0);
  for (std::uint32_t time = 1; time <= 6; time += 2) down.post(time), down.pre(time + 1);
  down.modulate(9, amount_of(0.75)), down.flush(2000);
  CHECK(down.update().counts().held_at_lowest == 1);
  CHECK(down.share(0) == 0);
}

TEST_CASE("neuromodulated: what is refused", "[plasticity][neuromodulated]") {
  CHECK(Rule::from({.tau_plus_ms = 50}, 1.0).status() == Status{Error::table_too_short, 0, 50.0, "tau_plus_ms"});
  CHECK(Rule::from({.tau_minus_ms = 50}, 1.0).status() == Status{Error::table_too_short, 0, 50.0, "tau_minus_ms"});
  CHECK(Rule::from({.tau_c_ms = 2000}, 1.0).status() == Status{Error::table_too_short, 0, 2000.0, "tau_c_ms"});
  CHECK(Rule::from({.tau_d_ms = 2000}, 1.0).status() == Status{Error::table_too_short, 0, 2000.0, "tau_d_ms"});
  CHECK(Rule::from({.a_plus = 2}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 2.0, "a_plus"});
  CHECK(Rule::from({.a_minus = 2}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 2.0, "a_minus"});
}

TEST_CASE("neuromodulated: what is given where nothing is", "[plasticity][neuromodulated]") {
  const auto rule = Rule::from({}, 1.0).value();
  CHECK((rule.plus.at(20) == 790015084 && rule.minus.at(20) == 790015084)); // e^-1
  CHECK(std::fabs(rule.c.at(1000) - 790015084.0) < 1.1);
  CHECK(std::fabs(rule.d.at(200) - 790015084.0) < 1.1);
  CHECK((rule.a_plus == share_of(0.01, "").value() && rule.a_minus == share_of(0.015, "").value()));
  const Rule none;
  CHECK((none.a_plus == 0 && none.a_minus == 0));
  const Rule::NeuronTrace neuron;
  CHECK((neuron.o == 0 && neuron.dopamine == 0));
}

TEST_CASE("neuromodulated: an eligibility beyond 1 is held, and counted once", "[plasticity][neuromodulated]") {
  for (const bool is_up : {true, false}) {
    INFO((is_up ? "up" : "down"));
    // Each pair moves it by 0.85, or by 0.9.
    Row row(is_up ? update_of(0.9, 0) : update_of(0, 0.9), {1}, 0.5, 0);
    for (const std::uint32_t time : {100U, 400U}) {
      if (is_up)
        row.pre(time), row.post(time);
      else
        row.post(time), row.pre(time + 1);
    }
    row.flush(402);
    CHECK(row.update().counts().held_traces == 1);
    row.modulate(401, amount_of(0.25)), row.flush(402), row.flush(9000);
    const double c = std::exp(-1.0 / tau_c); // of 1, a tick later
    CHECK(std::fabs(row.share(0) - (is_up ? 0.5 + 0.25 * c : 0.5 - 0.25 * c)) < 1e-3);
  }
}

namespace {

/// A synapse of which all is seen.
struct OneSynapse {
  std::uint32_t word = 0;
  Share ups = 0, downs = 0;
  ShareArithmetic<> m{};
  void up(Share change) { ups += change; }
  void down(Share change) { downs += change; }
  Share product(Share share, DecayFactor factor) { return m.product(share, factor); }
  Share sum(Share a, Share b) { return m.sum(a, b); }
  [[nodiscard]] std::uint32_t own_word() const { return word; }
  void set_own_word(std::uint32_t eligibility) { word = eligibility; }
};

} // namespace

TEST_CASE("neuromodulated: a negative eligibility takes what a positive one gives", "[plasticity][neuromodulated]") {
  const Rule rule = Rule::from({}, 1.0).value();
  for (const std::uint32_t seed : Seeds(2)) {
    plasticity::Random random(seed);
    for (int turn = 0; turn < 3000; ++turn) {
      const auto eligibility = static_cast<std::uint32_t>(random() >> 1 & 0x7FFF'FFFF) >> random() % 31;
      const auto dopamine = static_cast<std::uint32_t>(random()) >> random() % 32;
      const auto ticks = static_cast<std::uint32_t>(random() % 3000),
                 since = static_cast<std::uint32_t>(random() % 500);
      INFO("seed " << seed << ": " << eligibility << " with " << dopamine << " for " << ticks);
      OneSynapse plus{eligibility}, minus{0 - eligibility};
      rule.elapse(plus, ticks, {0, dopamine}, since);
      rule.elapse(minus, ticks, {0, dopamine}, since);
      REQUIRE(plus.word == 0 - minus.word);
      REQUIRE((plus.ups == minus.downs && plus.downs == 0 && minus.ups == 0));
      REQUIRE(std::fabs(plus.word - eligibility * std::exp(-static_cast<double>(ticks) / tau_c)) < 3);
      const double c = eligibility * 0x1p-31, d = dopamine * std::exp(-static_cast<double>(since) / tau_d);
      REQUIRE(std::fabs(plus.ups + c * d * std::expm1(-static_cast<double>(ticks) / both)) < 6);
    }
  }
  // In the end nothing is left, of either sign, nor moved without dopamine.
  for (const std::uint32_t eligibility : {1U, 0U - 1U, 0x7FFF'FFFFU, 0x8000'0001U}) {
    OneSynapse synapse{eligibility};
    rule.elapse(synapse, 20'000, {}, 0);
    CHECK((synapse.word == 0 && synapse.ups == 0 && synapse.downs == 0));
  }
  OneSynapse all{0x7FFF'FFFF}, least{0x7FFF'FFFF};
  rule.elapse(all, 20'000, {0, 1}, 0); // the bit that tells an event is no dopamine
  CHECK((all.ups == 0 && all.downs == 0));
  rule.elapse(least, 20'000, {0, 2}, 139); // half of the least is left of it: a unit
  CHECK((least.ups == 1 && least.downs == 0));
}

// An eligibility has 31 fraction bits, a trace 32.
TEST_CASE("neuromodulated: a pair moves the eligibility by a half of its trace, to nearest",
          "[plasticity][neuromodulated]") {
  const Rule rule = Rule::from({}, 1.0).value();
  for (const Share trace :
       {0U, 1U, 2U, 3U, 4U, 1000U, 1001U, 0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FFFDU, 0xFFFF'FFFEU, 0xFFFF'FFFFU}) {
    INFO("a trace of " << trace);
    const std::uint32_t expected = trace > 0xFFFF'FFFD ? 0x7FFF'FFFFU : trace / 2 + trace % 2;
    OneSynapse up, down, of_dopamine;
    rule.at_post(up, trace, 0, {0, 1});
    CHECK(up.word == expected);
    rule.at_pre(down, 0, 0, {trace, 1}, 0);
    CHECK(down.word == 0 - expected);
    rule.at_post(of_dopamine, trace, 0, {0, 2}); // no event of the neuron
    CHECK(of_dopamine.word == 0);
    CHECK((up.m.held() == 0 && down.m.held() == 0));
  }
}
