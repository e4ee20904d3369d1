// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <cstdint>

#include <neuromorph/kernels/plasticity/timing_rules/nearest_pair.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/multiplicative.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/plasticity_battery.hpp"
#include "tests/support/plasticity_reference.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {
using Rule = timing::NearestPair<DecayTable<480>>;
constexpr Rule rule =
    Rule::from({.tau_plus_ms = 16.8, .tau_minus_ms = 33.7, .a_plus = 0.0103, .a_minus = 0.0051}, 1.0).value();
static_assert(TimingRule<Rule>);
} // namespace

TEST_CASE("nearest_pair: as if applied at once", "[plasticity][nearest_pair]") {
  const plasticity::NearestPair additive(16.8, 33.7, plasticity::Additive{0.0103, 0.0051});
  const plasticity::NearestPair multiplicative(16.8, 33.7, plasticity::Multiplicative{0.0103, 0.0051});
  for (const std::uint32_t seed : Seeds(2)) {
    const plasticity::Ticks ticks = sanitized ? 20'000 : 100'000;
    plasticity::compare_over_battery(plasticity::deferred(rule, weight::Additive{}), additive, seed, ticks, 2e-5);
    plasticity::compare_over_battery(plasticity::deferred(rule, weight::Multiplicative{}), multiplicative, seed, ticks,
                                     2e-5);
  }
}

TEST_CASE("nearest_pair: single pairs are the closed form", "[plasticity][nearest_pair]") {
  for (std::uint32_t distance = 0; distance < 80; ++distance) {
    INFO("distance " << distance);
    plasticity::RowOnNeuron up(plasticity::deferred(rule, weight::Additive{}), {1}, 0.5, 1000);
    up.pre(1100), up.post(1100 + distance), up.post(1101 + distance), up.pre(2000);
    // The delay of 1 makes distances greater by that.
    const double by_post = 0.0103 * std::exp(-(distance + 1.0) / 16.8);
    const double by_pre = 0.0051 * std::exp(-(898.0 - distance) / 33.7);
    CHECK(std::fabs(up.share(0) - (0.5 + by_post - by_pre)) < 2e-9);
    plasticity::RowOnNeuron down(plasticity::deferred(rule, weight::Additive{}), {1}, 0.5, 1000);
    down.post(1050), down.post(1099), down.pre(1100 + distance);
    CHECK(std::fabs(down.share(0) - (0.5 - 0.0051 * std::exp(-static_cast<double>(distance) / 33.7))) < 2e-9);
  }
}

TEST_CASE("nearest_pair: both ends hold, and are counted", "[plasticity][nearest_pair]") {
  constexpr auto strong =
      Rule::from({.tau_plus_ms = 20, .tau_minus_ms = 20, .a_plus = 0.4, .a_minus = 0.4}, 1.0).value();
  plasticity::RowOnNeuron row(plasticity::deferred(strong, weight::Additive{}), {1}, 0.5, 0);
  for (std::uint32_t time = 100; time < 300; time += 100) row.pre(time), row.post(time);
  row.pre(400); // two steps of 0.38, and one down of 0.003 and less
  CHECK(row.update().counts().held_at_highest == 1);
  CHECK((row.share(0) < 1 && row.share(0) > 0.99));
  for (std::uint32_t time = 500; time < 900; time += 100) row.post(time - 1), row.pre(time);
  CHECK(row.update().counts().held_at_lowest == 2);
  CHECK(row.share(0) == 0);
  CHECK(row.update().counts().held_traces == 0);
}

TEST_CASE("nearest_pair: what is refused", "[plasticity][nearest_pair]") {
  CHECK(Rule::from({.tau_plus_ms = 50}, 1.0).status() == Status{Error::table_too_short, 0, 50.0, "tau_plus_ms"});
  CHECK(Rule::from({.tau_minus_ms = -1}, 1.0).status() ==
        Status{Error::parameter_not_positive, 0, -1.0, "tau_minus_ms"});
  CHECK(Rule::from({.a_plus = 1.5}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 1.5, "a_plus"});
  CHECK(Rule::from({.a_minus = 1e-9}, 1.0).status() == Status{Error::parameter_out_of_range, 0, 1e-9, "a_minus"});
}

TEST_CASE("nearest_pair: what is given where nothing is", "[plasticity][nearest_pair]") {
  const auto given = Rule::from({}, 1.0).value();
  CHECK((given.plus.at(20) == 790015084 && given.minus.at(20) == 790015084)); // e^-1
  CHECK((given.a_plus == share_of(0.01, "").value() && given.a_minus == share_of(0.012, "").value()));
  const Rule none;
  CHECK((none.a_plus == 0 && none.a_minus == 0));
  using Elapsed = neuromorph::detail::Elapsed;
  STATIC_REQUIRE((Rule::is_spent(Elapsed{}) && !Rule::is_spent(Elapsed::now())));
  STATIC_REQUIRE((!Rule::is_spent(Elapsed::now().later(479)) && Rule::is_spent(Elapsed::now().later(480))));
}

TEST_CASE("elapsed: ticks since an event add up and are held at their end", "[plasticity][nearest_pair]") {
  using Elapsed = neuromorph::detail::Elapsed;
  STATIC_REQUIRE((!Elapsed{}.exists() && !Elapsed{}.later(7).exists()));
  STATIC_REQUIRE((Elapsed::now().ticks() == 0 && Elapsed::now().later(7).later(5).ticks() == 12));
  STATIC_REQUIRE(Elapsed::now().later(0xFFFF'FFFD).ticks() == 0xFFFF'FFFD);
  STATIC_REQUIRE(Elapsed::now().later(0xFFFF'FFFE) == Elapsed::longest());
  STATIC_REQUIRE(Elapsed::now().later(0xFFFF'FFFF) == Elapsed::longest());
  STATIC_REQUIRE(Elapsed::longest().later(1) == Elapsed::longest());
  STATIC_REQUIRE((Elapsed::now().later(3).is_at_least(3) && !Elapsed::now().later(3).is_at_least(4)));
  STATIC_REQUIRE(Elapsed{}.is_at_least(0xFFFF'FFFF)); // none at all
  // Of two spikes an event apart: at run time, too.
  volatile std::uint32_t ticks = 0xFFFF'FFFF;
  const std::uint32_t longest = ticks;
  CHECK(Elapsed::now().later(longest) == Elapsed::longest());
  CHECK(Elapsed::now().later(longest - 1) == Elapsed::longest());
  CHECK(Elapsed::now().later(longest - 2).ticks() == longest - 2);
  CHECK(!Elapsed{}.later(longest).exists());
  CHECK(Elapsed{}.is_at_least(longest));
}
