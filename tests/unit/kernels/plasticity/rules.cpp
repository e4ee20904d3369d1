// SPDX-License-Identifier: BSL-1.0
// Each rule against its formula, lane by lane in double precision, under masks of full and partial vectors and under
// tags, with the native backend and with target::Generic.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>
#include <neuromorph/kernels/plasticity/rule_sequence.hpp>
#include <neuromorph/kernels/plasticity/rules/additive.hpp>
#include <neuromorph/kernels/plasticity/rules/constant.hpp>
#include <neuromorph/kernels/plasticity/rules/homeostasis.hpp>
#include <neuromorph/kernels/plasticity/rules/multiplicative.hpp>
#include <neuromorph/kernels/plasticity/rules/random_walk.hpp>
#include <neuromorph/kernels/plasticity/rules/stdp.hpp>
#include <neuromorph/kernels/plasticity/rules/stdp_sampling.hpp>
#include <neuromorph/kernels/plasticity/tagged_mask.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Set = SynapseSet<24, 48>;
constexpr VectorAddress per_row = Set::vectors_per_row;
using Bytes = std::array<std::uint8_t, 16 * Set::vectors>;

/// All memories that the rules read or write, at random.
struct World {
  VectorArray<Set::vectors> weights, causal, acausal;
  VectorArray<Set::vectors, std::int8_t> drive;
  VectorArray<per_row> rates;
  explicit World(Sfc32& random) {
    for (auto& weight : weights.elements) weight = static_cast<std::uint8_t>(random.next() % 80); // some beyond 63
    for (auto* of : {&causal, &acausal})
      for (auto& count : of->elements) count = extreme(random);
    for (auto& value : drive.elements) value = static_cast<std::int8_t>(extreme(random));
    for (auto& rate : rates.elements) rate = extreme(random);
  }
  static std::uint8_t extreme(Sfc32& random) {
    constexpr std::array<std::uint8_t, 6> ends{0, 1, 127, 128, 129, 255};
    const std::uint32_t word = random.next();
    return word % 4 == 0 ? ends[word / 4 % 6] : static_cast<std::uint8_t>(word >> 8);
  }
};

/// What a rule has counted; 0 if it counts nothing.
template <class Rule>
std::uint32_t counted(const Rule& rule) {
  if constexpr (requires { rule.range.saturations; }) return rule.range.saturations.count;
  return 0;
}

/// Runs a rule under a mask, under tags and under kept tags; each must leave the same, and count the same.
/// \param rule_on   (world) makes the rule
/// \param expected  (world, element) changes one element of the world as the formula says; true if it was held
template <class RuleOn, class Expected>
void check(RuleOn rule_on, Expected expected) {
  for (const std::uint32_t seed : Seeds(8)) {
    CAPTURE(seed);
    Sfc32 random(StreamId{seed});
    const World before(random);
    Set set;
    for (auto& lanes : set.words)
      lanes = random.next() % 3 == 0 ? all_lane_bits : static_cast<LaneBits>(random.next() & random.next());
    World right = before;
    std::uint32_t held_weights = 0;
    for (const SynapsePlace place : set)
      held_weights += expected(right, 16 * Set::address(place) + Set::lane(place)) ? 1U : 0U;
    const auto same = [&](const World& world, const auto& rule) {
      if constexpr (requires { rule.range.saturations; }) CHECK(counted(rule) == held_weights);
      CHECK(world.weights.elements == right.weights.elements);
      CHECK(world.causal.elements == right.causal.elements);
      CHECK(world.acausal.elements == right.acausal.elements);
      CHECK(world.drive.elements == right.drive.elements);
      CHECK(world.rates.elements == right.rates.elements);
    };
    World masked = before;
    const auto mask = Mask<Set::vectors, Set::vectors>::from(set).value();
    MaskWrapper wrapper(mask, rule_on(masked));
    REQUIRE(wrapper.run().ok());
    same(masked, wrapper.rule());
    World tagged = before;
    TaggedMask<Set::vectors> tags(3);
    REQUIRE(tags.set(set, 200).ok());
    TaggedMaskWrapper by_tag(tags, 200, rule_on(tagged));
    REQUIRE(by_tag.run().ok());
    same(tagged, by_tag.rule());
    World cached = before;
    CachedTaggedMask<Set::vectors, 2> kept(0);
    REQUIRE(kept.set(set, 1).ok());
    TaggedMaskWrapper by_kept(kept, 1, rule_on(cached));
    REQUIRE(by_kept.run().ok());
    same(cached, by_kept.rule());
  }
}

template <class Target>
using Memory = PlainVectors<std::uint8_t, Target>;
template <class Target>
using SignedMemory = PlainVectors<std::int8_t, Target>;

/// Sets a weight to the nearest value of the range; true if that is another one.
bool hold(std::uint8_t& weight, double exact, WeightRange range) {
  const double held = std::clamp<double>(exact, range.least, range.most);
  weight = static_cast<std::uint8_t>(held);
  return held != exact;
}
constexpr std::array<WeightRange, 6> ranges{{{}, {5, 60}, {0, 255}, {100, 180}, {200, 200}, {0, 0}}};

/// The policies, by their definitions in floating point; std::round takes ties away from zero.
double rounded(rounding::NearestAway, double exact) { return std::round(exact); }
double rounded(rounding::Nearest, double exact) { return std::floor(exact + 0.5); }
double rounded(rounding::Down, double exact) { return std::floor(exact); }

/// -128 counts as -127.
double factor(int number) { return std::max(number, -127); }

} // namespace

TEMPLATE_TEST_CASE("rules: constant", "[kernels][rules]", target::Generic, target::Native) {
  check(
      [](World& world) {
        return ConstantRule{Memory<TestType>(world.weights), 200};
      },
      [](World& world, std::size_t at) {
        world.weights.elements[at] = 200;
        return false;
      });
}

// Every rule once without a counter and once with one, in every rounding.
namespace {

template <class Target, class Rounding>
void check_rounding() {
  const auto with = [](auto range_of, WeightRange range) {
    for (const int eta : {-128, -127, -50, 0, 1, 64, 127}) {
      check(
          [=](World& world) {
            return StdpRule{Memory<Target>(world.weights),
                            Memory<Target>(world.causal),
                            Memory<Target>(world.acausal),
                            static_cast<std::int8_t>(eta),
                            range_of(range),
                            Rounding{}};
          },
          [=](World& world, std::size_t at) {
            auto &causal = world.causal.elements[at], &acausal = world.acausal.elements[at];
            const double change = rounded(Rounding{}, factor(eta) / 256 * (causal - acausal));
            causal = acausal = 0;
            return hold(world.weights.elements[at], world.weights.elements[at] + change, range);
          });
      check(
          [=](World& world) {
            return AdditiveRule{Memory<Target>(world.weights), SignedMemory<Target>(world.drive),
                                static_cast<std::int8_t>(eta), range_of(range), Rounding{}};
          },
          [=](World& world, std::size_t at) {
            const double change = rounded(Rounding{}, factor(eta) / 128 * world.drive.elements[at]);
            return hold(world.weights.elements[at], world.weights.elements[at] + change, range);
          });
      check(
          [=](World& world) {
            return HomeostasisRule<per_row, Memory<Target>, Memory<Target>, decltype(range_of(range)), Rounding>{
                Memory<Target>(world.weights), Memory<Target>(world.rates), static_cast<std::uint8_t>(eta + 128),
                static_cast<std::int8_t>(eta), range_of(range)};
          },
          [=](World& world, std::size_t at) {
            const double rate = world.rates.elements[at % (16 * per_row)];
            const double change = rounded(Rounding{}, factor(eta) / 256 * (eta + 128 - rate));
            return hold(world.weights.elements[at], world.weights.elements[at] + change, range);
          });
    }
  };
  for (const WeightRange range : ranges) {
    with([](WeightRange of) { return of; }, range);
    with([](WeightRange of) { return CountedWeightRange(of.least, of.most); }, range);
  }
}

} // namespace

TEMPLATE_TEST_CASE("rules: STDP, additive and homeostasis are their formulas, rounded once", "[kernels][rules]",
                   target::Generic, target::Native) {
  check_rounding<TestType, rounding::NearestAway>();
  check_rounding<TestType, rounding::Nearest>();
  check_rounding<TestType, rounding::Down>();
}

TEMPLATE_TEST_CASE("rules: a threshold decides about each sample", "[kernels][rules]", target::Generic,
                   target::Native) {
  for (const WeightRange range : ranges)
    for (const unsigned threshold : {0U, 1U, 100U, 254U, 255U})
      for (const auto& steps : {std::pair{1, -1}, std::pair{-128, 127}, std::pair{0, -5}})
        check(
            [=](World& world) {
              return StdpSamplingRule{Memory<TestType>(world.weights),
                                      Memory<TestType>(world.causal),
                                      Memory<TestType>(world.acausal),
                                      static_cast<std::uint8_t>(threshold),
                                      static_cast<std::int8_t>(steps.first),
                                      static_cast<std::int8_t>(steps.second),
                                      CountedWeightRange(range.least, range.most)};
            },
            [=](World& world, std::size_t at) {
              auto &causal = world.causal.elements[at], &acausal = world.acausal.elements[at];
              const int difference = causal - acausal, limit = static_cast<int>(threshold);
              causal = acausal = 0;
              const int change = difference > limit ? steps.first : -difference > limit ? steps.second : 0;
              return hold(world.weights.elements[at], world.weights.elements[at] + change, range);
            });
}

TEMPLATE_TEST_CASE("rules: multiplicative change slows down towards the ends", "[kernels][rules]", target::Generic,
                   target::Native) {
  for (const WeightRange range : ranges)
    check(
        [=](World& world) {
          return MultiplicativeRule{Memory<TestType>(world.weights), SignedMemory<TestType>(world.drive),
                                    CountedWeightRange(range.least, range.most)};
        },
        [=](World& world, std::size_t at) {
          auto& weight = world.weights.elements[at];
          const bool outside = hold(weight, weight, range);
          const double drive = std::max<double>(world.drive.elements[at], -127) / 128;
          const double after = drive > 0 ? weight + std::floor(drive * (range.most - weight))
                                         : weight - std::floor(-drive * (weight - range.least));
          CHECK_FALSE(hold(weight, after, range));
          return outside;
        });
}

// Where causal and acausal counts are equally likely to be above each other, nothing drifts: over all pairs of counts,
// at every rate. Rounded down, the mean change is -0.26 to -0.5 of a unit.
TEMPLATE_TEST_CASE("rules: STDP without a drift, over all pairs of counts and all rates", "[kernels][rules]",
                   target::Generic, target::Native) {
  constexpr std::size_t vectors = 4096;
  static VectorArray<vectors> weights, causal, acausal;
  const auto sum_of_changes = [](std::int8_t eta, auto rounder) {
    for (std::size_t at = 0; at < 65536; ++at) {
      causal.elements[at] = static_cast<std::uint8_t>(at), acausal.elements[at] = static_cast<std::uint8_t>(at >> 8);
      weights.elements[at] = 128;
    }
    StdpRule rule{Memory<TestType>(weights),  Memory<TestType>(causal),
                  Memory<TestType>(acausal),  eta,
                  CountedWeightRange(0, 255), rounder};
    REQUIRE(apply_vector_rule(rule, 0, vectors).ok());
    CHECK(rule.range.saturations.count == 0);
    long sum = 0;
    for (const std::uint8_t weight : weights.elements) sum += weight - 128;
    return sum;
  };
  for (int eta = -128; eta < 128; eta += sanitized ? 17 : 1) {
    CAPTURE(eta);
    CHECK(sum_of_changes(static_cast<std::int8_t>(eta), rounding::NearestAway{}) == 0);
    // a fraction f is up with chance f: the variance is at most 1/4 a lane; five standard deviations
    if (eta % 5 == 0)
      CHECK(std::labs(sum_of_changes(static_cast<std::int8_t>(eta),
                                     Sfc32(StreamId{static_cast<unsigned>(eta + 128)}))) < 5 * 128);
    if (eta % 2 != 0)
      CHECK(sum_of_changes(static_cast<std::int8_t>(eta), rounding::Down{}) < -65536L / 4); // the defect
  }
}
TEMPLATE_TEST_CASE("rules: additive change and homeostasis without a drift", "[kernels][rules]", target::Generic,
                   target::Native) {
  VectorArray<16> weights, rates;
  VectorArray<16, std::int8_t> drive;
  const auto sum_of = [&] {
    long sum = 0;
    for (const std::uint8_t weight : weights.elements) sum += weight - 128;
    return sum;
  };
  for (int factor = -128; factor < 128; ++factor) {
    CAPTURE(factor);
    const auto rate = static_cast<std::int8_t>(factor);
    for (int at = 0; at < 256; ++at) { // 0 twice, so that there are as many above zero as below
      drive.elements[static_cast<std::size_t>(at)] = static_cast<std::int8_t>(at == 128 ? 0 : at);
      rates.elements[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(at == 0 ? 128 : at);
    }
    weights.elements.fill(128);
    AdditiveRule additive{Memory<TestType>(weights), SignedMemory<TestType>(drive), rate, WeightRange{0, 255}};
    REQUIRE(apply_vector_rule(additive, 0, 16).ok());
    CHECK(sum_of() == 0);
    weights.elements.fill(128);
    HomeostasisRule<16, Memory<TestType>, Memory<TestType>> homeostasis{
        Memory<TestType>(weights), Memory<TestType>(rates), 128, rate, WeightRange{0, 255}};
    REQUIRE(apply_vector_rule(homeostasis, 0, 16).ok());
    CHECK(sum_of() == 0);
  }
}

// Each lane's chance to go up, for every fraction: one word in 2^8 is above it.
TEMPLATE_TEST_CASE("rules: stochastic rounding goes up with a chance equal to the fraction", "[kernels][rules]",
                   target::Generic, target::Native) {
  /// The bytes 0 to 255 over and over.
  struct Counting {
    std::uint32_t at = 0;
    constexpr std::uint32_t next() noexcept {
      const std::uint32_t word = at * 0x04040404U + 0x03020100U;
      at = (at + 1) % 64;
      return word;
    }
  };
  VectorArray<16> weights, causal, acausal;
  VectorArray<16, std::int8_t> drive;
  Sfc32 random;
  for (int turn = 0; turn < 300; ++turn) {
    const auto eta = static_cast<std::int8_t>(World::extreme(random));
    const std::uint8_t before = World::extreme(random), after = World::extreme(random);
    weights.elements.fill(128), causal.elements.fill(before), acausal.elements.fill(after);
    CAPTURE(turn, int{eta}, int{before}, int{after});
    StdpRule rule{Memory<TestType>(weights), Memory<TestType>(causal),
                  Memory<TestType>(acausal), eta,
                  WeightRange{0, 255},       Counting{}};
    REQUIRE(apply_vector_rule(rule, 0, 16).ok());
    int sum = 0;
    for (const std::uint8_t weight : weights.elements) sum += weight - 128;
    CHECK(sum == factor(eta) * (before - after)); // 256 lanes, one for each number that can be drawn
    const auto pull = static_cast<std::int8_t>(World::extreme(random));
    weights.elements.fill(128), drive.elements.fill(pull);
    AdditiveRule additive{Memory<TestType>(weights), SignedMemory<TestType>(drive), eta, WeightRange{0, 255},
                          Counting{}};
    REQUIRE(apply_vector_rule(additive, 0, 16).ok());
    sum = 0;
    for (const std::uint8_t weight : weights.elements) sum += weight - 128;
    CHECK(sum == 2 * factor(eta) * pull);
  }
}

TEST_CASE("rules: homeostasis drives a neuron to its target", "[kernels][rules]") {
  // A neuron that fires as its weights add up to; the others of the row are quiet.
  VectorArray<4> weights;
  VectorArray<1> rates;
  constexpr auto mask = make_mask<SynapseSet<4, 16>::all()>();
  MaskWrapper rule(mask, HomeostasisRule<1, PlainVectors<>, PlainVectors<>>{PlainVectors<>(weights),
                                                                            PlainVectors<>(rates), 100, 16});
  for (const int start : {0, 63}) {
    weights.elements.fill(static_cast<std::uint8_t>(start));
    int rate = 0;
    for (int period = 0; period < 200; ++period) {
      rate = 0;
      for (std::size_t row = 0; row < 4; ++row) rate += weights.elements[16 * row + 3];
      rates.elements[3] = static_cast<std::uint8_t>(rate);
      REQUIRE(rule.run().ok());
    }
    CHECK(std::abs(rate - 100) < 128 / 16);
    CHECK(weights.elements[4] == 63); // fires never
  }
  VectorArray<4> too_few_rates_for;
  HomeostasisRule<2, PlainVectors<>, PlainVectors<>> wrong{PlainVectors<>(too_few_rates_for), PlainVectors<>(rates)};
  CHECK(MaskWrapper(mask, wrong).run() == Status{Error::address_out_of_range, 0, 3, "address"});
}

TEMPLATE_TEST_CASE("rules: a random walk has mean zero and the variance that is stated", "[kernels][rules]",
                   target::Generic, target::Native) {
  constexpr std::size_t vectors = 200;
  VectorArray<vectors> weights;
  for (const unsigned amplitude : {0U, 1U, 20U, 100U, 127U}) {
    RandomWalkRule rule{Memory<TestType>(weights), Sfc32(StreamId{amplitude, 3, 4}),
                        static_cast<std::uint8_t>(amplitude), WeightRange{0, 255}};
    const double fraction = amplitude / 128.0;
    double sum = 0, squares = 0, farthest = 0;
    constexpr unsigned runs = 40;
    for (unsigned run = 0; run < runs; ++run) {
      weights.elements.fill(128);
      REQUIRE(apply_vector_rule(rule, 0, vectors).ok());
      for (const std::uint8_t weight : weights.elements) {
        const double step = weight - 128.0;
        sum += step, squares += step * step, farthest = std::max(farthest, std::fabs(step));
      }
    }
    constexpr double count = double{runs} * 16 * vectors;
    // what rounding adds, on average over x: the mean of f (1 - f) over the dropped fractions f
    double variance = 0;
    for (int x = -127; x <= 127; x += 2) {
      const double exact = fraction * x, dropped = exact - std::floor(exact);
      variance += (exact * exact + dropped * (1 - dropped)) / 128;
    }
    CAPTURE(amplitude, sum / count, squares / count, variance);
    CHECK(std::fabs(sum / count) <= 5 * std::sqrt(variance / count));
    CHECK(squares / count == Approx(variance).epsilon(0.02));
    CHECK(farthest <= std::ceil(fraction * 127));
    CHECK(variance <= fraction * fraction * 16383 / 3 + 0.25);
  }
}

TEST_CASE("rules: a random walk refuses steps that are no signed byte, and nothing has changed", "[kernels][rules]") {
  constexpr auto mask = make_mask<Set::all()>();
  TaggedMask<Set::vectors> tags;
  for (unsigned amplitude = 0; amplitude < 256; ++amplitude) {
    VectorArray<Set::vectors> weights;
    weights.elements.fill(30);
    const auto before = weights.elements;
    RandomWalkRule rule{PlainVectors<>(weights), Sfc32(), static_cast<std::uint8_t>(amplitude)};
    const auto source = rule.source;
    MaskWrapper masked(mask, rule);
    TaggedMaskWrapper tagged(tags, 0, rule);
    RuleSequence shared(later_wins, MaskWrapper(mask, ConstantRule{PlainVectors<>(weights), 9}),
                        MaskWrapper(mask, rule));
    CAPTURE(amplitude);
    const bool legal = amplitude <= 127;
    const Status expected = legal ? Status{} : Status{Error::parameter_out_of_range, 0, amplitude, "amplitude"};
    REQUIRE(masked.check() == expected);
    REQUIRE(tagged.check() == expected);
    REQUIRE(shared.check() == (legal ? Status{} : Status{Error::parameter_out_of_range, 1, amplitude, "amplitude"}));
    if (legal) continue;
    REQUIRE(masked.run() == expected);
    REQUIRE(tagged.run() == expected);
    REQUIRE(apply_vector_rule(rule, 0, Set::vectors) == expected);
    REQUIRE(shared.run() == Status{Error::parameter_out_of_range, 1, amplitude, "amplitude"});
    REQUIRE(weights.elements == before);
    REQUIRE((rule.source == source && masked.rule().source == source));
  }
}

TEST_CASE("rules: a random walk stays in its range and takes the same words on every backend", "[kernels][rules]") {
  constexpr auto mask = make_mask<Set::where([](auto row, auto column) { return row % 3 == 0 || column < 7; })>();
  VectorArray<Set::vectors> here, there;
  here.elements.fill(30), there.elements.fill(30);
  MaskWrapper native(mask, RandomWalkRule{PlainVectors<>(here), Sfc32(), 100, CountedWeightRange(10, 50)});
  MaskWrapper generic(mask, RandomWalkRule{Memory<target::Generic>(there), Sfc32(), 100, CountedWeightRange(10, 50)});
  for (int run = 0; run < 30; ++run) {
    REQUIRE(native.run().ok());
    REQUIRE(generic.run().ok());
  }
  CHECK(here.elements == there.elements);
  CHECK(native.rule().source == generic.rule().source);
  CHECK(native.rule().range.saturations == generic.rule().range.saturations);
  CHECK(native.rule().range.saturations.count > 0);
  const auto [least, most] = std::minmax_element(here.elements.begin(), here.elements.end());
  CHECK(*least == 10);
  CHECK(*most == 50);
}

TEST_CASE("rules: of several memories the fewest vectors count, in any order", "[kernels][rules]") {
  const auto fewest = [](auto& first, auto& second, auto& third) {
    return fewest_vectors(PlainVectors<>(first), PlainVectors<>(second), PlainVectors<>(third));
  };
  VectorArray<2> a{};
  VectorArray<5> b{};
  VectorArray<9> c{};
  CHECK(fewest(a, b, c) == 2);
  CHECK(fewest(c, b, a) == 2);
  CHECK(fewest(b, c, a) == 2);
  CHECK(fewest(b, c, b) == 5);
}
