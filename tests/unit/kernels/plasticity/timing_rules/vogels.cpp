// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <cstdint>

#include <neuromorph/kernels/plasticity/timing_rules/vogels.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/plasticity_battery.hpp"
#include "tests/support/plasticity_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {
using Rule = timing::Vogels<>;
static_assert(TimingRule<Rule>);
auto update_of(double eta, double alpha) {
  return plasticity::deferred(Rule::from({.tau_ms = 20, .eta = eta, .alpha = alpha}, 1.0).value(), weight::Additive{});
}
} // namespace

TEST_CASE("vogels: as if applied at once", "[plasticity][vogels]") {
  for (const std::uint32_t seed : Seeds(2)) {
    const plasticity::Ticks ticks = sanitized ? 20'000 : 100'000;
    plasticity::compare_over_battery(update_of(0.003, 0.2), plasticity::Vogels(20, 0.003, 0.2), seed, ticks, 2e-5);
    plasticity::compare_over_battery(update_of(0.01, 0), plasticity::Vogels(20, 0.01, 0), seed, ticks, 2e-5);
    plasticity::compare_over_battery(update_of(0.04, 1.7), plasticity::Vogels(20, 0.04, 1.7), seed, ticks, 2e-5);
  }
}

TEST_CASE("vogels: single pairs are the closed form", "[plasticity][vogels]") {
  const auto update = update_of(0.02, 0.3);
  for (std::uint32_t distance = 0; distance < 80; ++distance) {
    const double up = 0.02 * std::exp(-static_cast<double>(distance) / 20), down = 0.02 * 0.3;
    INFO("distance " << distance);
    plasticity::RowOnNeuron before(update, {1}, 0.5, 1000);
    before.post(1099), before.pre(1100 + distance);
    CHECK(std::fabs(before.share(0) - (0.5 + up - down)) < 2e-9);
    if (distance == 0) continue; // of one tick the event is before the spike
    plasticity::RowOnNeuron after(update, {1}, 0.5, 1000);
    after.pre(1100), after.post(1099 + distance), after.flush(1400);
    CHECK(std::fabs(after.share(0) - (0.5 + up - down)) < 2e-9);
  }
}

TEST_CASE("vogels: steps down end at the lowest weight, and steps up at the highest", "[plasticity][vogels]") {
  const auto update = update_of(0.2, 1);
  plasticity::RowOnNeuron down(update, {1}, 0.5, 0);
  for (std::uint32_t time = 400; time <= 2000; time += 400) down.pre(time);
  CHECK(down.share(0) == 0);
  CHECK(down.update().counts().held_at_lowest == 3); // 0.3, 0.1, and then three times
  CHECK(down.update().counts().held_at_highest == 0);
  plasticity::RowOnNeuron up(update, {1}, 0.5, 0);
  for (std::uint32_t time = 10; time < 20; ++time) up.post(time);
  up.pre(20);
  CHECK(up.share(0) > 0.9999999);
  CHECK(up.update().counts().held_at_highest == 1);
  CHECK(up.update().counts().held_at_lowest == 0);
  CHECK(up.update().counts().held_traces > 0); // 10 events of 0.2 within 10 ms
}

TEST_CASE("vogels: what is refused", "[plasticity][vogels]") {
  CHECK(Rule::from({.tau_ms = 50}, 1.0).status() == Status{Error::table_too_short, 0, 50.0, "tau_ms"});
  CHECK(Rule::from({.eta = -1}, 1.0).status() == Status{Error::parameter_out_of_range, 0, -1.0, "eta"});
  CHECK(Rule::from({.eta = 0.5, .alpha = 3}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 3.0, "alpha"});
  CHECK(Rule::from({.alpha = -0.1}, 1.0).status() == Status{Error::parameter_out_of_range, 0, -0.1, "alpha"});
  CHECK(Rule::from({.eta = 0.001, .alpha = 1e-6}, 1.0).status() ==
        Status{Error::parameter_out_of_range, 0, 1e-6, "alpha"});
}

TEST_CASE("vogels: what is given where nothing is", "[plasticity][vogels]") {
  const auto given = Rule::from({}, 1.0).value();
  CHECK(given.table.at(20) == 790015084); // e^-1
  CHECK(given.eta == share_of(0.005, "").value());
  CHECK(given.eta_alpha == share_of(0.0006, "").value());
  const Rule none;
  CHECK((none.eta == 0 && none.eta_alpha == 0 && none.table.at(1) == 0));
  CHECK((Rule::is_spent(0) && !Rule::is_spent(1)));
}
