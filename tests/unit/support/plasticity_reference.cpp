// SPDX-License-Identifier: BSL-1.0
// The reference of plastic rules against closed forms and against sums over all pairs and triplets.
#include "tests/support/plasticity_reference.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace plasticity;

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

template <class Rule>
double change(const Rule& rule, const Train& pre, const Train& post, Ticks dendritic_delay = 0,
              Ticks axonal_delay = 0) {
  const Events events{pre, post, {}, axonal_delay, dendritic_delay};
  return simulate(rule, Weight{0, -endless, endless}, events).weight.value;
}

bool is_close(double left, double right) { return std::fabs(left - right) <= 1e-12 * (1 + std::fabs(right)); }

} // namespace

TEST_CASE("plasticity reference: single pairs are the closed form, with both delays", "[plasticity][reference]") {
  const Pair rule(20.0, 33.7, Additive{0.013, 0.0101});
  const NearestPair nearest(20.0, 33.7, Additive{0.013, 0.0101});
  for (Ticks distance = -80; distance <= 80; ++distance) {
    INFO("post " << distance << " after pre");
    const double closed = distance > 0 ? 0.013 * std::exp(-static_cast<double>(distance) / 20.0)
                                       : -0.0101 * std::exp(static_cast<double>(distance) / 33.7);
    REQUIRE(is_close(pair_change(distance, 20.0, 33.7, 0.013, 0.0101), closed));
    REQUIRE(is_close(change(rule, {1000}, {1000 + distance}), closed));
    REQUIRE(is_close(change(nearest, {1000}, {1000 + distance}), closed));
    REQUIRE(is_close(change(rule, {1000}, {1000 + distance - 3}, 3), closed));
    REQUIRE(is_close(change(rule, {1000 - 5}, {1000 + distance - 3}, 3, 5), closed));
  }
  CHECK(change(rule, {1000}, {}) == 0);
  CHECK(change(rule, {}, {1000}) == 0);
}

TEST_CASE("plasticity reference: three pairs by hand, additive and multiplicative", "[plasticity][reference]") {
  // Spikes at 1010 and 1050, events at 1014, 1032, 1053, 3 ticks of dendritic delay, time constants of 20, 0.01 of the range.
  const Events events{{1010, 1050}, {1014, 1032, 1053}, {}, 0, 3};
  const auto e = [](double ticks) { return std::exp(-ticks / 20); };
  // Up at 1017 and 1035 by the first spike; down at 1050 by the events of 1017 and 1035; up at 1056 by both spikes.
  const double up_1 = e(7), up_2 = e(25), down = e(33) + e(15), up_3 = e(46) + e(6);
  const auto additive = simulate(Pair(20.0, 20.0, Additive{0.05, 0.05}), Weight{2.5, 0, 5}, events);
  CHECK(is_close(additive.weight.value, 2.5 + 0.05 * (up_1 + up_2 - down + up_3)));
  REQUIRE(additive.at_spikes.size() == 2);
  CHECK(additive.at_spikes[0] == 2.5);
  CHECK(is_close(additive.at_spikes[1], 2.5 + 0.05 * (up_1 + up_2 - down)));
  const auto multiplicative = simulate(Pair(20.0, 20.0, Multiplicative{0.01, 0.01}), Weight{2.5, 0, 5}, events);
  double left = 2.5;
  left -= 0.01 * up_1 * left; // what is left up to 5
  left -= 0.01 * up_2 * left;
  double weight = 5 - left;
  weight *= 1 - 0.01 * down;
  weight += (5 - weight) * 0.01 * up_3;
  CHECK(is_close(multiplicative.weight.value, weight));
}

TEST_CASE("plasticity reference: pairs are the sum over all pairs", "[plasticity][reference]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 2 : 5)) {
    Random random(seed);
    for (const auto& [name, events] : battery(random, 1.0, 10'000)) {
      INFO("seed " << seed << ": " << name);
      const double sum = sum_of_pairs(events.pre, events.post, 16.8, 33.7, 0.0103, 0.0051);
      REQUIRE(is_close(change(Pair(16.8, 33.7, Additive{0.0103, 0.0051}), events.pre, events.post), sum));
      // A common shift moves nothing; a dendritic delay moves the post-synaptic train alone.
      REQUIRE(is_close(change(Pair(16.8, 33.7, Additive{0.0103, 0.0051}), events.pre, events.post, 7, 7), sum));
      Train later = events.post;
      for (Ticks& time : later) time += 4;
      REQUIRE(change(Pair(16.8, 33.7, Additive{0.0103, 0.0051}), events.pre, events.post, 4) ==
              change(Pair(16.8, 33.7, Additive{0.0103, 0.0051}), events.pre, later));
    }
  }
}

TEST_CASE("plasticity reference: triplets are the sum over all of them", "[plasticity][reference]") {
  const AdditiveTwoTerms a{0.0046, 0.0091, 0.003, 7.5e-4};
  const Triplet rule(16.8, 33.7, 48.0, 40.0, a);
  const auto e = [](double ticks, double tau) { return std::exp(-ticks / tau); };
  // pre, post, pre and post, pre, post.
  CHECK(is_close(change(rule, {100, 115}, {105}),
                 a.a2_plus * e(5, 16.8) - e(10, 33.7) * (a.a2_minus + a.a3_minus * e(15, 48))));
  CHECK(is_close(change(rule, {110}, {100, 115}),
                 -a.a2_minus * e(10, 33.7) + e(5, 16.8) * (a.a2_plus + a.a3_plus * e(15, 40))));
  // Same ticks: the slow traces do not see the event itself.
  CHECK(is_close(change(rule, {100}, {100}), -a.a2_minus));
  for (const std::uint32_t seed : Seeds(sanitized ? 2 : 5)) {
    Random random(seed);
    for (const auto& [name, events] : battery(random, 1.0, 10'000)) {
      INFO("seed " << seed << ": " << name);
      const double sum = sum_of_triplets(events.pre, events.post, 16.8, 33.7, 48.0, 40.0, a);
      REQUIRE(is_close(change(rule, events.pre, events.post), sum));
    }
  }
}

TEST_CASE("plasticity reference: only nearest events pair", "[plasticity][reference]") {
  const NearestPair rule(20.0, 30.0, Additive{1, 1});
  const auto e = [](double ticks, double tau) { return std::exp(-ticks / tau); };
  // The second event after a spike does nothing; the spike is paired with the last one.
  CHECK(is_close(change(rule, {100}, {105, 110}), e(5, 20)));
  CHECK(is_close(change(rule, {100, 103}, {105}), e(2, 20)));
  CHECK(is_close(change(rule, {110}, {100, 105}), -e(5, 30)));
  CHECK(is_close(change(rule, {110, 112}, {105}), -e(5, 30) - e(7, 30)));
  CHECK(is_close(change(rule, {110, 112}, {105, 110, 113}), -1 - e(2, 30) + e(1, 20)));
}

TEST_CASE("plasticity reference: Vogels is symmetric and rests at its rate", "[plasticity][reference]") {
  const Vogels rule(20.0, 0.01, 0.12);
  for (Ticks distance = -50; distance <= 50; ++distance)
    REQUIRE(is_close(change(rule, {100}, {100 + distance}),
                     0.01 * (std::exp(-std::fabs(static_cast<double>(distance)) / 20) - 0.12)));
  // alpha is 2 rho tau: with a post-synaptic rate of rho the mean change is 0 whatever the spikes' rate is.
  for (const std::uint32_t seed : Seeds(1)) {
    Random random(seed);
    const Train pre = poisson_train(random, 10, 1.0, 1, 1'000'000);
    const Train post = poisson_train(random, 3, 1.0, 1, 1'000'000); // 0.12 / 2 / 20 ms
    INFO("seed " << seed);
    CHECK(std::fabs(change(rule, pre, post) / static_cast<double>(pre.size())) < 0.0001);
  }
}

TEST_CASE("plasticity reference: dopamine turns eligibility into weight", "[plasticity][reference]") {
  // One pair makes c = 0.1 e^(-10 / 20) at 110; dopamine of 0.5 comes at 610; integrated to a spike at 5000 in small steps.
  const double tau_c = 1000, tau_d = 200;
  const Neuromodulated rule(20, 20, tau_c, tau_d, 0.1, 0.15, 1e-3);
  const Events events{{100, 5000}, {110}, {{610, 0.5}}, 0, 0};
  const double change = simulate(rule, Weight{0, -endless, endless}, events).weight.value;
  double sum = 0;
  const double c = 0.1 * std::exp(-10 / 20.0);
  const int parts = 200'000;
  for (int part = 0; part < parts; ++part) {
    const double time = 610 + (5000.0 - 610) * (part + 0.5) / parts;
    sum += c * std::exp(-(time - 110) / tau_c) * 0.5 * std::exp(-(time - 610) / tau_d);
  }
  CHECK(std::fabs(change - sum * (5000.0 - 610) / parts * 1e-3) < 1e-9);
  CHECK(simulate(rule, Weight{0, -endless, endless}, Events{{100, 5000}, {110}, {}, 0, 0}).weight.value == 0);
  // Depression, and dopamine that came before.
  const double down =
      simulate(rule, Weight{0, -endless, endless}, Events{{110, 9000}, {100}, {{60, 1}}, 0, 0}).weight.value;
  CHECK(std::fabs(down + 0.15 * std::exp(-10 / 20.0) * std::exp(-50 / tau_d) / (1 / tau_c + 1 / tau_d) * 1e-3) < 1e-6);
}

TEST_CASE("plasticity reference: windows that open and close", "[plasticity][reference]") {
  const auto fixed = [](Ticks length) { return [length] { return length; }; };
  const auto run = [&](const Train& pre, const Train& post, int limit) {
    const Recurrent rule(fixed(10), fixed(20), limit, Additive{1, 1});
    return change(rule, pre, post);
  };
  CHECK(run({100}, {109}, 1) == 1);
  CHECK(run({100}, {110}, 1) == 0); // at its end the window is closed
  CHECK(run({119}, {100}, 1) == -1);
  CHECK(run({120}, {100}, 1) == 0);
  CHECK(run({100}, {100}, 1) == -1);     // the event comes first
  CHECK(run({100, 105}, {109}, 1) == 0); // the second spike closes the first one's window
  CHECK(run({100, 111}, {119}, 1) == 1); // or opens another, when that is over
  CHECK(run({100, 108}, {105}, 1) == 1); // closed by its event, so the next spike opens one
  CHECK(run({100, 108}, {105, 109}, 1) == 2);
  CHECK(run({100, 108}, {105, 109}, 2) == 1);
  CHECK(run({100, 108, 130}, {105, 121}, 2) == 0); // up, then down
}

TEST_CASE("plasticity reference: kernels of the cerebellum have their peak and their end", "[plasticity][reference]") {
  CHECK(is_close(parallel_fibre_kernel(100, 100), 1));
  CHECK(parallel_fibre_kernel(0, 100) == 0);
  CHECK(parallel_fibre_kernel(99, 100) < 1);
  CHECK(parallel_fibre_kernel(101, 100) < 1);
  CHECK(parallel_fibre_kernel(207, 100) == 0); // pi / atan(20) is 2.066
  const double x = std::atan(20.0) * 0.9;
  CHECK(is_close(parallel_fibre_kernel(90, 100),
                 std::exp(-x) * std::pow(std::sin(x), 20) / (std::exp(-x / 0.9) * std::pow(std::sin(x / 0.9), 20))));
  CHECK(mossy_fibre_kernel(0, 200, 11) == 1);
  CHECK(is_close(mossy_fibre_kernel(50, 200, 11), std::exp(-11 * 0.25) * std::pow(std::cos(0.25), 2)));
  CHECK(mossy_fibre_kernel(315, 200, 11) == 0);
  const Cerebellar rule([](double ticks) { return parallel_fibre_kernel(ticks, 100); }, 1000, Additive{0.01, 0.2});
  CHECK(is_close(change(rule, {100, 110, 400}, {200}), 0.03 - 0.2 * (1 + parallel_fibre_kernel(90, 100))));
}

TEST_CASE("plasticity reference: a power of the weight, and both ends", "[plasticity][reference]") {
  const PowerLaw law{0.1, 2.0, 0.4, 0.11};
  Weight weight{3, 0, 10};
  law.up(weight, 0.5);
  CHECK(is_close(weight.value, 3 + 0.1 * std::pow(2.0, 0.6) * std::pow(3.0, 0.4) * 0.5));
  weight = {3, 0, 10};
  law.down(weight, 0.5);
  CHECK(is_close(weight.value, 3 - 0.1 * 0.11 * 3 * 0.5));
  weight = {0.5, 0, 1};
  const Additive steps{0.4, 0.3};
  steps.up(weight, 1), steps.up(weight, 1), steps.up(weight, 1);
  CHECK((weight.value == 1 && weight.held_high == 2 && weight.held_low == 0));
  steps.down(weight, 3), steps.down(weight, 1), steps.down(weight, 1);
  CHECK((weight.value == 0 && weight.held_high == 2 && weight.held_low == 2));
  // Below its lower end a weight of Vogels is held there.
  const auto held = simulate(Vogels(20, 0.5, 1), Weight{0.2, 0, 1}, Events{{1, 500}, {}, {}, 0, 0});
  CHECK((held.weight.value == 0 && held.weight.held_low == 2));
}

TEST_CASE("plasticity reference: voltages depress at a spike and potentiate while they are high",
          "[plasticity][reference]") {
  // A voltage that is constant from the beginning: both means have reached it.
  const Clopath::Constants constants{15, 10, 7, -70.6, -45.3, 1.4e-4, 8e-5, -60};
  Clopath rule(constants);
  Weight weight{0, -endless, endless};
  rule.pre(0, weight);
  CHECK(is_close(weight.value, -1.4e-4 * 10.6));
  double expected = weight.value;
  rule.voltage(3, -40, weight);
  expected += 8e-5 * std::exp(-3 / 15.0) * 5.3 * 10.6;
  CHECK(is_close(weight.value, expected));
  CHECK(is_close(rule.u_minus(), -40 - 20 * std::exp(-0.1)));
  CHECK(is_close(rule.u_plus(), -40 - 20 * std::exp(-1 / 7.0)));
  rule.voltage(4, -45.4, weight); // below the threshold of potentiation
  CHECK(is_close(weight.value, expected));
}

TEST_CASE("plasticity reference: trains have their rates", "[plasticity][reference]") {
  for (const std::uint32_t seed : Seeds(1)) {
    Random random(seed);
    INFO("seed " << seed);
    for (const double rate_hz : {1.0, 10.0, 100.0}) {
      const auto events = static_cast<double>(poisson_train(random, rate_hz, 0.1, 1, 10'000'000).size());
      CHECK(std::fabs(events - 1000 * rate_hz) < 5 * std::sqrt(1000 * rate_hz));
    }
    for (const auto& [name, events] : battery(random, 1.0, 100'000)) {
      INFO(name);
      CHECK(std::is_sorted(events.pre.begin(), events.pre.end()));
      CHECK(std::adjacent_find(events.pre.begin(), events.pre.end()) == events.pre.end());
      CHECK(std::adjacent_find(events.post.begin(), events.post.end()) == events.post.end());
    }
  }
}
