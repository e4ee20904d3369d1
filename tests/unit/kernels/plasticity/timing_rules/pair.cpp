// SPDX-License-Identifier: BSL-1.0
// All pairs, over trains of 100 s, with each weight rule. What a deferred update does besides is in deferred_update.cpp.
#include <cmath>
#include <cstdint>

#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/multiplicative.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/power_law.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/plasticity_battery.hpp"
#include "tests/support/plasticity_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {
using Rule = timing::Pair<DecayTable<480>>;
constexpr auto rule_of(double a_plus, double a_minus) {
  return Rule::from({.tau_plus_ms = 16.8, .tau_minus_ms = 33.7, .a_plus = a_plus, .a_minus = a_minus}, 1.0).value();
}
constexpr plasticity::Ticks ticks = sanitized ? 20'000 : 100'000;
} // namespace

TEST_CASE("pair: as if applied at once, additive", "[plasticity][pair]") {
  for (const std::uint32_t seed : Seeds(2))
    plasticity::compare_over_battery(plasticity::deferred(rule_of(0.0103, 0.0051), weight::Additive{}),
                                     plasticity::Pair(16.8, 33.7, plasticity::Additive{0.0103, 0.0051}), seed, ticks,
                                     2e-5);
}

TEST_CASE("pair: as if applied at once, multiplicative", "[plasticity][pair]") {
  for (const std::uint32_t seed : Seeds(2))
    plasticity::compare_over_battery(plasticity::deferred(rule_of(0.0103, 0.0051), weight::Multiplicative{}),
                                     plasticity::Pair(16.8, 33.7, plasticity::Multiplicative{0.0103, 0.0051}), seed,
                                     ticks, 2e-5);
}

TEST_CASE("pair: as if applied at once, with a power of the weight", "[plasticity][pair]") {
  // With w0 a tenth of the range: x is l (w0 / range)^(1 - mu) up, and l alpha down.
  const plasticity::PowerLaw law{0.1, 0.1, 0.4, 0.11};
  const double up = law.rate * std::pow(law.scale, 1 - law.exponent), down = law.rate * law.alpha;
  for (const std::uint32_t seed : Seeds(2))
    plasticity::compare_over_battery(plasticity::deferred(rule_of(up, down), weight::PowerLaw{}),
                                     plasticity::Pair(16.8, 33.7, law), seed, ticks, 1e-4);
}

TEST_CASE("pair: single pairs are the closed form", "[plasticity][pair]") {
  const auto update = plasticity::deferred(rule_of(0.0103, 0.0051), weight::Additive{});
  for (plasticity::Ticks distance = -80; distance <= 80; ++distance) {
    INFO("post " << distance << " after pre");
    plasticity::RowOnNeuron row(update, {1}, 0.5, 1000);
    const auto event = static_cast<std::uint32_t>(1099 + distance);
    if (distance <= 0) row.post(event);
    row.pre(1100);
    if (distance > 0) row.post(event);
    row.flush(1300);
    CHECK(std::fabs(row.share(0) - (0.5 + plasticity::pair_change(distance, 16.8, 33.7, 0.0103, 0.0051))) < 2e-9);
  }
}

TEST_CASE("pair: traces end at the whole range, and are counted", "[plasticity][pair]") {
  const auto update = plasticity::deferred(rule_of(0.3, 0.3), weight::Additive{});
  plasticity::RowOnNeuron row(update, {1}, 0.5, 0);
  std::uint32_t held = 0;
  for (std::uint32_t time = 1; time <= 40; ++time) {
    const Share before = row.trace();
    row.pre(time);
    const std::uint32_t counted = row.update().counts().held_traces;
    CHECK((row.trace() > before || before > 4'200'000'000U || counted > held)); // none has wrapped
    if (row.trace() == ~Share{0}) CHECK(counted == held + 1);
    held = counted;
  }
  CHECK(held > 30);
  row.post(40), row.pre(41);
  CHECK(row.update().counts().held_at_highest == 1);
  CHECK(row.share(0) > 0.69); // at its end, and then down by one event
}

TEST_CASE("pair: what is refused, the first of it by its name", "[plasticity][pair]") {
  CHECK(Rule::from({.tau_plus_ms = 50, .tau_minus_ms = -1, .a_plus = 2, .a_minus = 2}, 1.0).status() ==
        Status{Error::table_too_short, 0, 50.0, "tau_plus_ms"});
  CHECK(Rule::from({.tau_minus_ms = -1, .a_plus = 2, .a_minus = 2}, 1.0).status() ==
        Status{Error::parameter_not_positive, 0, -1.0, "tau_minus_ms"});
  CHECK(Rule::from({.a_plus = 1.5, .a_minus = 2}, 1.0).status() ==
        Status{Error::parameter_out_of_range, 0, 1.5, "a_plus"});
  CHECK(Rule::from({.a_minus = 1e-9}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 1e-9, "a_minus"});
  CHECK(Rule::from({}, 0.0).status() == Status{Error::parameter_not_positive, 0, 0.0, "dt_ms"});
}

TEST_CASE("pair: what is given where nothing is", "[plasticity][pair]") {
  const auto given = Rule::from({}, 1.0).value();
  CHECK((given.plus.at(20) == 790015084 && given.minus.at(20) == 790015084)); // e^-1
  CHECK((given.a_plus == share_of(0.01, "").value() && given.a_minus == share_of(0.012, "").value()));
  const Rule none;
  CHECK((none.a_plus == 0 && none.a_minus == 0 && none.plus.at(1) == 0 && none.minus.at(1) == 0));
  CHECK((Rule::is_spent(0) && !Rule::is_spent(1)));
}
