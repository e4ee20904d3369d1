// SPDX-License-Identifier: BSL-1.0
// The stated probability of saturation beside all outcomes, closed forms and a ring buffer that is run; and units that are
// the finest that hold what is demanded.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/kernels/synapses/synaptic_row.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>
#include <neuromorph/kernels/synapses/weight_plan.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Word = SynapticWord<8, 1, 4>;
using Signed = SynapticWord<8, 1, 4, WeightSign::signed_value>;

/// That single synapses, each with its probability, bring more than `limit`, or less than `lowest`: all outcomes.
struct Single {
  double weight, p;
};
double by_all_outcomes(const std::vector<Single>& synapses, double limit, double lowest) {
  double above = 0;
  for (std::uint32_t outcome = 0; outcome < 1U << synapses.size(); ++outcome) {
    double p = 1, positive = 0, negative = 0;
    for (std::size_t at = 0; at < synapses.size(); ++at) {
      const bool fires = (outcome >> at & 1U) != 0;
      p *= fires ? synapses[at].p : 1 - synapses[at].p;
      (synapses[at].weight < 0 ? negative : positive) += fires ? synapses[at].weight : 0;
    }
    // In the worst order: all of one sign first.
    if (positive > limit) above += p;
    if (negative < lowest) above += p;
  }
  return above;
}

double log_binomial(double n, double k, double p) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) + (n - k) * std::log1p(-p);
}

std::vector<double>& work() {
  static std::vector<double> bins(1 << 16);
  return bins;
}

template <class Format, class Element>
double saturation(std::span<const SynapticInput> inputs, double dt_ms, double unit, std::size_t bins = 1 << 16) {
  return weight_plan_of<Format, Element>(inputs, dt_ms, unit, std::span{work()}.first(bins)).value().saturation;
}

} // namespace

TEST_CASE("weight plan: of few synapses the probability is that of all outcomes", "[weight_plan]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 4 : 20)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<SynapticInput> inputs;
    std::vector<Single> singles;
    const bool has_sign = random() % 2 == 0;
    while (singles.size() < 11) {
      SynapticInput input;
      input.weight = static_cast<double>(1 + random() % (random() % 2 == 0 ? 30000 : 9000));
      if (has_sign && random() % 2 == 0) input.weight = -input.weight;
      input.synapses = static_cast<std::uint32_t>(random() % 4);
      input.rate_hz = random() % 8 == 0 ? 0 : 990 * std::pow(uniform(random), 3);
      inputs.push_back(input);
      for (std::uint32_t one = 0; one < input.synapses; ++one) singles.push_back({input.weight, input.rate_hz / 1000});
    }
    const double exact = has_sign ? by_all_outcomes(singles, 32767, -32768) : by_all_outcomes(singles, 65535, 0);
    const double stated =
        has_sign ? saturation<Signed, std::int16_t>(inputs, 1, 1) : saturation<Word, std::uint16_t>(inputs, 1, 1);
    REQUIRE(stated >= exact * (1 - 1e-12));
    REQUIRE(stated <= exact * (1 + 1e-5) + 3e-18);
    // Rounded up to coarser bins it is more, and 4096 of them are near.
    const double coarse = has_sign ? saturation<Signed, std::int16_t>(inputs, 1, 1, 4096)
                                   : saturation<Word, std::uint16_t>(inputs, 1, 1, 4096);
    REQUIRE(coarse >= stated * (1 - 1e-9));
    const double coarsest =
        has_sign ? saturation<Signed, std::int16_t>(inputs, 1, 1, 2) : saturation<Word, std::uint16_t>(inputs, 1, 1, 2);
    REQUIRE(coarsest >= coarse * (1 - 1e-9));
  }
}

TEST_CASE("weight plan: of many equal synapses it is the tail of a binomial or Poisson law", "[weight_plan]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 3 : 12)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const auto synapses = static_cast<std::uint32_t>(1 + random() % 3000);
    const double rate = 100 * uniform(random), mean = rate / 1000 * synapses, p = rate / 1000;
    const double deviation = std::sqrt(mean) + 1;
    // Whole bins of 4096.
    const double weight = 16 * std::floor(4095 / (mean + 8 * uniform(random) * deviation));
    if (weight < 32) continue;
    const auto fits = static_cast<double>(static_cast<std::uint32_t>(65535 / weight));
    for (const SpikesInStep spikes : {SpikesInStep::one, SpikesInStep::poisson}) {
      double exact = 0, at_most_one_less = 0;
      for (double k = fits; k < fits + 2000 && (spikes == SpikesInStep::poisson || k <= synapses); ++k) {
        const double of_k = std::exp(spikes == SpikesInStep::one ? log_binomial(synapses, k, p)
                                                                 : k * std::log(mean) - mean - std::lgamma(k + 1));
        at_most_one_less += of_k;
        if (k > fits) exact += of_k;
      }
      const std::array input{SynapticInput{weight, synapses, rate, spikes}};
      const double stated = saturation<Word, std::uint16_t>(input, 1, 1, 4096);
      INFO("synapses " << synapses << ", rate " << rate << ", weight " << weight);
      REQUIRE(stated >= exact * (1 - 1e-9));
      REQUIRE(stated <= exact * (1 + 1e-5) + 3e-18);
      // With fewer bins one event less may fit, where a weight has 64 of 1024 and is a 64th too large at most.
      const double coarse = saturation<Word, std::uint16_t>(input, 1, 1, 1024);
      REQUIRE(coarse >= stated * (1 - 1e-9));
      if (weight >= 4096) REQUIRE(coarse <= at_most_one_less * (1 + 1e-5) + 3e-18);
    }
  }
}

TEST_CASE("weight plan: what fits is never held, what cannot is always", "[weight_plan]") {
  const auto narrow = [](SynapticInput input) { return saturation<Word, std::uint16_t>(std::span{&input, 1}, 1, 1); };
  CHECK(narrow({65535, 1, 900}) == 0);
  CHECK(narrow({21845, 3, 900}) == 0);
  CHECK(narrow({21845, 4, 500}) == Approx(0.0625));
  CHECK(narrow({21846, 3, 500}) == Approx(0.125));
  CHECK(narrow({65536, 1, 500}) == Approx(0.5));
  CHECK(narrow({65535, 100, 0}) == 0);
  CHECK(narrow({65535, 0, 500}) == 0);
  CHECK(narrow({0.4, 1000000, 900}) == 0); // vanishes with this unit
  CHECK(narrow({65535, 1, 1000, SpikesInStep::poisson}) == Approx(1 - 2 * std::exp(-1)));
  CHECK(narrow({30000, 2, 500, SpikesInStep::poisson}) == Approx(1 - 2.5 * std::exp(-1)));
  CHECK(narrow({65535, 100, 900}) == 1);
  CHECK(narrow({1, 100000, 1e6, SpikesInStep::poisson}) == 1); // 10^8 events, which are not counted one by one
  // 32-bit elements stay below 2^30.
  const auto wide = [](SynapticInput input) {
    return saturation<Word, std::int32_t>(std::span{&input, 1}, 1, 1, 4096);
  };
  CHECK(wide({524287, 2048, 980}) == 0); // 2^30 less 2048
  CHECK(wide({349867, 3069, 500}) == 0); // 2^30 - 1
  CHECK(wide({524287, 2200, 980}) > 0.9);
  const auto both = [](SynapticInput input) {
    return saturation<Signed, std::int32_t>(std::span{&input, 1}, 1, 1, 4096);
  };
  CHECK(both({-262144, 4095, 980}) == 0);
  CHECK(both({-262144, 4300, 980}) > 0.9);
  CHECK(both({262143, 4300, 980}) > 0.9);
  const std::array balanced{SynapticInput{30000, 2, 500}, SynapticInput{-30000, 2, 500}};
  CHECK(saturation<Signed, std::int16_t>(balanced, 1, 1) == Approx(0.5));
}

TEST_CASE("weight plan: what is not said has its default", "[weight_plan]") {
  const SynapticInput input;
  CHECK((input.weight == 0 && input.synapses == 1 && input.rate_hz == 0 && input.spikes == SpikesInStep::one));
  const WeightDemands demands;
  CHECK((demands.dt_ms == 1 && demands.saturation == 1e-6 && demands.accuracy == 0.05));
  const WeightPlan plan;
  CHECK((plan.unit == 0 && plan.bits == 0 && plan.accuracy == 0 && plan.saturation == 0));
}

TEST_CASE("weight plan: groups, parts and time steps say the same of the same input", "[weight_plan]") {
  const std::array whole{SynapticInput{0.1, 900, 40}, SynapticInput{0.4, 30, 5}};
  const std::array cut{SynapticInput{0.4, 10, 5}, SynapticInput{0.1, 450, 40}, SynapticInput{0.4, 20, 5},
                       SynapticInput{0.1, 450, 40}};
  const double a = saturation<Word, std::uint16_t>(whole, 1, 1.0 / 4096, 4096),
               b = saturation<Word, std::uint16_t>(cut, 1, 1.0 / 4096, 4096);
  CHECK(a > 1e-18);
  CHECK(std::abs(a - b) < 1e-9 * a);
  const std::array faster{SynapticInput{0.1, 900, 400}, SynapticInput{0.4, 30, 50}};
  const double c = saturation<Word, std::uint16_t>(faster, 0.1, 1.0 / 4096, 4096);
  CHECK(std::abs(a - c) < 1e-9 * a);
  // More than a law holds at once: 788 events a step. Weights are 5 bins of 4096.
  const std::array busy{SynapticInput{80, 1250, 630}}, poisson{SynapticInput{80, 1250, 630, SpikesInStep::poisson}};
  double exact = 0, of_poisson = 0;
  for (double k = 65535 / 80 + 1; k < 1250; ++k) {
    exact += std::exp(log_binomial(1250, k, 0.63));
    of_poisson += std::exp(k * std::log(787.5) - 787.5 - std::lgamma(k + 1));
  }
  CHECK(saturation<Word, std::uint16_t>(busy, 1, 1, 4096) == Approx(exact).epsilon(1e-5));
  CHECK(saturation<Word, std::uint16_t>(poisson, 1, 1, 4096) == Approx(of_poisson).epsilon(1e-5));
}

TEST_CASE("weight plan: a ring buffer is held as often as is stated", "[weight_plan]") {
  using Saturating = SaturatingWord<8, 0, 0>;
  static RingBuffer<Saturating, std::uint16_t> ring;
  for (const std::uint32_t seed : Seeds(2)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    const std::array inputs{SynapticInput{0.25, 40, 80 + 10 * uniform(random)},
                            SynapticInput{0.75, 10, 60 + 10 * uniform(random), SpikesInStep::poisson}};
    const double unit = 1.0 / 16384; // 16 of the larger weight fill an element to three times
    const double stated = saturation<Saturating, std::uint16_t>(inputs, 1, unit);
    std::array<std::uint32_t, 2> word{};
    std::array<std::poisson_distribution<int>, 2> poisson{std::poisson_distribution<int>(1),
                                                          std::poisson_distribution<int>(inputs[1].rate_hz / 1000)};
    std::uint32_t held = 0;
    const std::uint32_t steps = sanitized ? 40 : 120;
    for (std::uint32_t step = 0; step < steps; ++step) {
      for (std::uint32_t index = 0; index < 256; ++index) {
        for (std::size_t group = 0; group < 2; ++group) {
          const auto units = static_cast<std::int32_t>(inputs[group].weight / unit);
          word[group] = Saturating::encode({units, 1, 0, index}).value();
        }
        const std::uint32_t before = ring.saturations();
        for (std::uint32_t synapse = 0; synapse < inputs[0].synapses; ++synapse)
          if (uniform(random) < inputs[0].rate_hz / 1000) add_row(ring, std::span{word}.first(1), step);
        for (std::uint32_t synapse = 0; synapse < inputs[1].synapses; ++synapse)
          for (int left = poisson[1](random); left > 0; --left) add_row(ring, std::span{word}.last(1), step);
        held += ring.saturations() != before ? 1U : 0U;
      }
      for (auto& element : ring.elements()) element = 0;
    }
    const double trials = 256.0 * steps, expected = stated * trials;
    INFO("stated " << stated << ", held " << held << " of " << trials);
    CHECK(expected > 20);
    CHECK(std::abs(held - expected) < 6 * std::sqrt(expected));
  }
}

TEST_CASE("weight plan: the unit is the finest that holds what is demanded", "[weight_plan]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 3 : 12)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<SynapticInput> inputs(1 + random() % 4);
    for (auto& input : inputs) {
      input.weight = std::pow(10, 2 * uniform(random) - 3);
      input.synapses = static_cast<std::uint32_t>(1 + random() % 1000);
      input.rate_hz = std::pow(10, 2 * uniform(random));
    }
    const WeightDemands demands{.dt_ms = random() % 2 == 0 ? 1.0 : 0.1,
                                .saturation = std::pow(10, -2 - 10 * uniform(random)),
                                .accuracy = 0.02};
    const auto bins = std::span{work()}.first(4096);
    const auto made = plan_weights<Word, std::uint16_t>(inputs, demands, bins);
    double largest = 0, least = 1e9;
    for (const auto& input : inputs) largest = std::max(largest, input.weight), least = std::min(least, input.weight);
    if (!made) {
      CHECK((made.status().error == Error::weight_inexact || made.status().error == Error::weight_vanishes));
      continue;
    }
    const WeightPlan plan = made.value();
    INFO(sentence(plan).text.data());
    CHECK(plan.saturation <= demands.saturation);
    CHECK(plan.accuracy <= demands.accuracy);
    int exponent = 0;
    CHECK(std::frexp(plan.unit, &exponent) == 0.5);
    double error = 0;
    for (const auto& input : inputs)
      error = std::max(error, std::abs(std::round(input.weight / plan.unit) * plan.unit / input.weight - 1));
    CHECK(plan.accuracy == Approx(error).epsilon(1e-9).margin(1e-15));
    CHECK(plan.bits == static_cast<unsigned>(std::floor(std::log2(std::round(largest / plan.unit)))) + 1);
    CHECK(plan.bits <= Word::weight_bits);
    CHECK((plan.element_bits == 16 && plan.ring_bytes == 16384));
    const bool fits = std::round(2 * largest / plan.unit) <= Word::highest_weight;
    const auto finer = weight_plan_of<Word, std::uint16_t>(inputs, demands.dt_ms, plan.unit / 2, bins).value();
    CHECK((!fits || finer.saturation > demands.saturation));
    // 32-bit elements have no finer unit than the format's weights.
    const WeightPlan wide = plan_weights<Word, std::int32_t>(inputs, demands, bins).value();
    CHECK((wide.unit <= plan.unit && wide.bits == Word::weight_bits && wide.ring_bytes == 32768));
    CHECK(wide.saturation < 1e-15);
  }
}

TEST_CASE("weight plan: weights that would vanish or lose too much are refused", "[weight_plan]") {
  const auto status = [](std::initializer_list<SynapticInput> inputs, WeightDemands demands = {}) {
    const std::span<const SynapticInput> all{inputs.begin(), inputs.size()};
    return plan_weights<Word, std::uint16_t>(all, demands, std::span{work()}.first(1024)).status();
  };
  CHECK(status({{1.0, 10, 5}, {0.01, 10, 5}}).ok());
  CHECK(status({{1.0, 10, 5}, {0, 10, 5}, {1e-6, 10, 5}}) == Status{Error::weight_vanishes, 2, 1e-6, "weight"});
  // The unit is 2^-14, as four of 1 coincide too often: 1e-4 is 1.6 units of that, and 2 are 22 % more.
  CHECK(status({{1.0, 10, 5}, {1e-4, 10, 5}}) == Status{Error::weight_inexact, 1, 1e-4, "weight"});
  CHECK(status({{1.0, 10, 5}, {1e-4, 10, 5}}, {.accuracy = 0.2}).error == Error::weight_inexact);
  CHECK(status({{1.0, 10, 5}, {1e-4, 10, 5}}, {.accuracy = 0.25}).ok());
  CHECK(status({{1.0, 60000, 5}, {0.01, 10, 5}}) == Status{Error::weight_inexact, 1, 0.01, "weight"});
  CHECK(status({{0, 10, 5}}) == Status{Error::parameter_not_positive, 0, 0.0, "weight"});
  CHECK(status({}) == Status{Error::parameter_not_positive, 0, 0.0, "weight"});
  CHECK(status({{1.0, 10, 5}, {-1.0, 10, 5}}) == Status{Error::weight_out_of_range, 1, -1.0, "weight"});
  CHECK(status({{1e-6, 10, 5}, {1.0, 10, 5}}) == Status{Error::weight_vanishes, 0, 1e-6, "weight"});
  CHECK(status({{1e30, 10, 5}}) == Status{Error::parameter_out_of_range, 0, 1e30, "weight"});
  CHECK(status({{1e29, 10, 5}}).ok());
  CHECK(status({{1.0, 10, -0.5}}) == Status{Error::parameter_out_of_range, 0, -0.5, "rate_hz"});
  CHECK(status({{1.0, 10, -5}}) == Status{Error::parameter_out_of_range, 0, -5.0, "rate_hz"});
  CHECK(status({{1.0, 10, 990}}).ok());
  CHECK(status({{1.0, 10, 991}}) == Status{Error::parameter_out_of_range, 0, 991.0, "rate_hz"});
  CHECK(status({{1.0, 10, 991, SpikesInStep::poisson}}).ok());
  CHECK(status({{1.0, 10, 1e7, SpikesInStep::poisson}}) == Status{Error::parameter_out_of_range, 0, 1e7, "rate_hz"});
  const double infinite = std::numeric_limits<double>::infinity(), none = std::nan("");
  CHECK(status({{infinite, 10, 5}}) == Status{Error::parameter_out_of_range, 0, infinite, "weight"});
  CHECK(status({{none, 10, 5}}).error == Error::parameter_out_of_range);
  CHECK(status({{1.0, 10, none}}).error == Error::parameter_out_of_range);
  for (const double dt_ms : {0.0, -1.0, none, infinite})
    CHECK(status({{1.0, 10, 5}}, {.dt_ms = dt_ms}).error == Error::parameter_out_of_range);
  for (const double dt_ms : {0.0, -0.5, 1e6})
    CHECK(status({{1.0, 10, 5}}, {.dt_ms = dt_ms}) == Status{Error::parameter_out_of_range, 0, dt_ms, "dt_ms"});
  CHECK(status({{1.0, 10, 0}}, {.dt_ms = 999'999}).ok());
  CHECK(status({{1.0, 10, 5}}, {.saturation = 1e-18}).error == Error::parameter_out_of_range);
  CHECK(status({{1.0, 10, 5}}, {.saturation = 0.0}) == Status{Error::parameter_out_of_range, 0, 0.0, "saturation"});
  const std::array one{SynapticInput{1.0, 10, 5}};
  CHECK(plan_weights<Word, std::uint16_t>(one, {}, std::span{work()}.first(1)).status() ==
        Status{Error::lengths_differ, 0, 1U, "work"});
  CHECK(weight_plan_of<Word, std::uint16_t>(one, 0, 1, work()).status().error == Error::parameter_out_of_range);
  for (const double unit : {0.0, -0.5, 1e30})
    CHECK(weight_plan_of<Word, std::uint16_t>(one, 1, unit, work()).status() ==
          Status{Error::parameter_out_of_range, 0, unit, "unit"});
  for (const double unit : {0.0, -1.0, none, infinite})
    CHECK(weight_plan_of<Word, std::uint16_t>(one, 1, unit, work()).status().error == Error::parameter_out_of_range);
  // Of a model's own unit all is said, and nothing refused.
  const auto coarse = weight_plan_of<Word, std::uint16_t>(one, 1, 2.5, work()).value();
  CHECK((coarse.accuracy == 1 && coarse.bits == 0 && coarse.saturation == 0));
  const std::array below{SynapticInput{-1.0, 10, 5}};
  CHECK(weight_plan_of<Signed, std::int16_t>(below, 1, 2.5, work()).value().accuracy == 1);
  // An accuracy that is just reached is enough.
  const std::array thirds{SynapticInput{1.0 / 3, 10, 5}};
  const auto reached = plan_weights<Word, std::uint16_t>(thirds, {}, std::span{work()}.first(1024)).value();
  CHECK(reached.accuracy > 0);
  CHECK(plan_weights<Word, std::uint16_t>(thirds, {.accuracy = reached.accuracy}, std::span{work()}.first(1024)).ok());
  const auto odd = weight_plan_of<Word, std::uint16_t>(one, 1, 0.3, work()).value();
  CHECK((odd.accuracy == Approx(0.1) && odd.bits == 2 && odd.unit == 0.3));
}

TEST_CASE("weight plan: it says itself in a sentence", "[weight_plan]") {
  const std::array inputs{SynapticInput{0.4, 100, 10}, SynapticInput{0.1, 1000, 5}};
  const auto plan = plan_weights<Word, std::uint16_t>(inputs, {.saturation = 1e-3}, work()).value();
  CHECK(std::string(sentence(plan).text.data()) ==
        "unit 2^-14, weights of 13 bits to 0.024 %; ring of 16384 bytes, an element of 16 bits is held in 1.7e-6 of "
        "steps at most");
  CHECK(std::string(sentence(WeightPlan{}).text.data()) ==
        "unit 0, weights of 0 bits to 0 %; ring of 0 bytes, an element of 0 bits is held in 0 of steps at most");
  CHECK(std::string(sentence(WeightPlan{.unit = 1.5}).text.data()).substr(0, 9) == "unit 1.5,");
  CHECK(std::string(sentence(WeightPlan{.unit = 1.0}).text.data()).substr(0, 9) == "unit 2^0,");
  CHECK(std::string(sentence(WeightPlan{.unit = 0.3, .accuracy = 1, .saturation = 0.996}).text.data()) ==
        "unit 0.3, weights of 0 bits to 100 %; ring of 0 bytes, an element of 0 bits is held in 1 of steps at most");
}

namespace {
constexpr auto at_compile_time = [] {
  constexpr std::array inputs{SynapticInput{0.4, 100, 10}, SynapticInput{0.1, 1000, 5}};
  std::array<double, 256> work{};
  return plan_weights<Word, std::uint16_t>(inputs, {.dt_ms = 0.1}, work);
}();
static_assert(at_compile_time.value().bits >= 12 && at_compile_time.value().saturation <= 1e-6);
} // namespace
