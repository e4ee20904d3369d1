// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>

#include <neuromorph/kernels/plasticity/timing_rules/recurrent.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/multiplicative.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/plasticity_battery.hpp"
#include "tests/support/plasticity_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

struct Words {
  std::mt19937 generator{1};
  std::uint32_t next() { return static_cast<std::uint32_t>(generator()); }
};
using Rule = timing::Recurrent<Words, DecayTable<480>>;
static_assert(TimingRule<Rule>);

Rule::Parameters parameters(unsigned limit) {
  return {.tau_pre_ms = 16.8, .tau_post_ms = 33.7, .limit = limit, .a_plus = 0.05, .a_minus = 0.04};
}

/// The reference draws a window when it opens, the rule when it is asked whether an event is in it: each once, in turn.
template <class Dependence>
plasticity::Recurrent<Dependence> reference(std::uint32_t seed, int limit, const Dependence& dependence) {
  const auto source = std::make_shared<Words>(Words{std::mt19937{seed}});
  const auto window = [source](double tau) {
    return [source, tau] {
      const double uniform = (source->next() >> 1) * 0x1p-31;
      return uniform == 0 ? plasticity::Ticks{1} << 40
                          : static_cast<plasticity::Ticks>(std::ceil(-tau * std::log(uniform)));
    };
  };
  return {window(16.8), window(33.7), limit, dependence};
}

} // namespace

TEST_CASE("recurrent: as if applied at once", "[plasticity][recurrent]") {
  for (const std::uint32_t seed : Seeds(4)) {
    const unsigned limit = seed % 4 == 0 ? 16 : seed % 4 == 1 ? 6 : seed % 4; // 6, 2, 3, 16
    const Words words{std::mt19937{seed}};
    const auto rule = Rule::from(parameters(limit), 1.0, words).value();
    plasticity::Random random(seed);
    for (const auto& [name, events] : plasticity::battery(random, 1.0, sanitized ? 20'000 : 100'000)) {
      INFO("seed " << seed << ", limit " << limit << ": " << name);
      for (const std::uint32_t delay : {1U, 16U}) {
        CHECK(
            plasticity::greatest_difference(plasticity::deferred(rule, weight::Additive{}),
                                            reference(seed, static_cast<int>(limit), plasticity::Additive{0.05, 0.04}),
                                            0.5, events, 0, 0, {delay}) < 2e-5);
        CHECK(plasticity::greatest_difference(
                  plasticity::deferred(rule, weight::Multiplicative{}),
                  reference(seed, static_cast<int>(limit), plasticity::Multiplicative{0.05, 0.04}), 0.5, events,
                  0U - 50'000U, 333, {delay}) < 2e-5);
      }
    }
  }
}

TEST_CASE("recurrent: windows are as long as an exponential distribution has it", "[plasticity][recurrent]") {
  // A spike, and an event after it: within the window the weight moves, at a limit of 1. What the event opens instead is
  // over before the next spike.
  for (const std::uint32_t seed : Seeds(1)) {
    const auto rule = Rule::from({.tau_pre_ms = 16.8, .tau_post_ms = 1, .limit = 1, .a_plus = 1e-4, .a_minus = 0}, 1.0,
                                 Words{std::mt19937{seed}});
    for (const std::uint32_t distance : {1U, 5U, 17U, 60U}) {
      plasticity::RowOnNeuron row(plasticity::deferred(rule.value(), weight::Additive{}), {1}, 0, 0);
      const int trials = 5000;
      for (std::uint32_t trial = 0; trial < trials; ++trial) {
        row.pre(1000 * trial + 100);
        row.post(1000 * trial + 99 + distance);
        row.flush(1000 * trial + 500); // the window that the event has opened is checked by none
      }
      const double chance = std::exp(-static_cast<double>(distance) / 16.8);
      const double moved = row.share(0) / 1e-4;
      INFO("seed " << seed << ": " << distance << " ticks, moved " << moved);
      CHECK(std::fabs(moved - trials * chance) < 5 * std::sqrt(trials * chance * (1 - chance)) + 0.1);
    }
  }
}

TEST_CASE("recurrent: both ends hold, and are counted", "[plasticity][recurrent]") {
  const auto rule =
      Rule::from({.tau_pre_ms = 30, .tau_post_ms = 30, .limit = 1, .a_plus = 0.4, .a_minus = 0.4}, 1.0, Words{})
          .value();
  plasticity::RowOnNeuron row(plasticity::deferred(rule, weight::Additive{}), {1}, 0.5, 0);
  for (std::uint32_t time = 1000; time < 21'000; time += 1000) row.pre(time), row.post(time);
  row.pre(22'000);
  CHECK(row.update().counts().held_at_highest > 10);
  CHECK(row.share(0) > 0.9999999);
  for (std::uint32_t time = 30'000; time < 50'000; time += 1000) row.post(time - 1), row.pre(time);
  CHECK(row.update().counts().held_at_lowest > 10);
  CHECK(row.share(0) == 0);
}

TEST_CASE("recurrent: what is refused", "[plasticity][recurrent]") {
  const auto status = [](const Rule::Parameters& given) { return Rule::from(given, 1.0, Words{}).status(); };
  CHECK(status({.tau_pre_ms = 50}) == Status{Error::table_too_short, 0, 50.0, "tau_pre_ms"});
  CHECK(status({.tau_post_ms = 50}) == Status{Error::table_too_short, 0, 50.0, "tau_post_ms"});
  CHECK(status({.limit = 0}) == Status{Error::parameter_out_of_range, 0, 0, "limit"});
  CHECK(status({.limit = 17}) == Status{Error::parameter_out_of_range, 0, 17, "limit"});
  CHECK(status({.a_plus = 2}) == Status{Error::parameter_out_of_range, 0, 2.0, "a_plus"});
  CHECK(status({.a_minus = 2}) == Status{Error::parameter_out_of_range, 0, 2.0, "a_minus"});
  CHECK(status({.limit = 16}).ok());
}

TEST_CASE("recurrent: what is given where nothing is", "[plasticity][recurrent]") {
  const auto rule = Rule::from({}, 1.0, Words{}).value();
  CHECK((rule.pre_window.at(20) == 790015084 && rule.post_window.at(20) == 790015084)); // e^-1
  CHECK((rule.a_plus == share_of(0.01, "").value() && rule.a_minus == share_of(0.01, "").value()));
  CHECK(rule.limit == 6);
  const Rule none;
  CHECK((none.a_plus == 0 && none.a_minus == 0 && none.limit == 1));
}

TEST_CASE("recurrent: what is later than a window may last is in none, whatever is drawn", "[plasticity][recurrent]") {
  struct Least {
    static std::uint32_t next() { return 0; } // of the longest windows that there are
  };
  using Longest = timing::Recurrent<Least, DecayTable<480>>;
  const Longest::Parameters given{.tau_pre_ms = 30, .tau_post_ms = 30, .limit = 1, .a_plus = 0.25, .a_minus = 0.25};
  const auto update = plasticity::deferred(Longest::from(given, 1.0, Least{}).value(), weight::Additive{});
  for (const std::uint32_t distance : {1U, 479U, 480U, 481U, 3000U}) {
    INFO(distance << " ticks");
    plasticity::RowOnNeuron up(update, {1}, 0.5, 0);
    up.pre(100), up.post(99 + distance), up.flush(100 + distance);
    CHECK(std::fabs(up.share(0) - (distance < 480 ? 0.75 : 0.5)) < 1e-6);
    plasticity::RowOnNeuron down(update, {1}, 0.5, 0);
    down.post(99), down.pre(100 + distance);
    CHECK(std::fabs(down.share(0) - (distance < 480 ? 0.25 : 0.5)) < 1e-6);
  }
}
