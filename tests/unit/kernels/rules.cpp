// SPDX-License-Identifier: BSL-1.0
// Each rule against its formula, lane by lane in double precision, under masks of full and partial vectors and under
// tags, with the native backend and with target::Generic.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <neuromorph/kernels/rules/additive.hpp>
#include <neuromorph/kernels/rules/constant.hpp>
#include <neuromorph/kernels/rules/homeostasis.hpp>
#include <neuromorph/kernels/rules/multiplicative.hpp>
#include <neuromorph/kernels/rules/random_walk.hpp>
#include <neuromorph/kernels/rules/stdp.hpp>
#include <neuromorph/kernels/sfc32.hpp>
#include <neuromorph/mask_wrapper.hpp>

#include "tests/support/catch.hpp"

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

/// Runs a rule under a mask, under tags and under kept tags; each must leave the same.
/// \param rule_on   (world) makes the rule
/// \param expected  (world, element) changes one element of the world as the formula says
template <class RuleOn, class Expected>
void check(RuleOn rule_on, Expected expected) {
  for (std::uint32_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    Sfc32 random(StreamId{seed});
    const World before(random);
    Set set;
    for (auto& lanes : set.words)
      lanes = random.next() % 3 == 0 ? all_lane_bits : static_cast<LaneBits>(random.next() & random.next());
    World right = before;
    for (const SynapsePlace place : set) expected(right, 16 * Set::address(place) + Set::lane(place));
    const auto same = [&right](const World& world) {
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
    same(masked);
    World tagged = before;
    TaggedMask<Set::vectors> tags(3);
    REQUIRE(tags.set(set, 200).ok());
    TaggedMaskWrapper by_tag(tags, 200, rule_on(tagged));
    REQUIRE(by_tag.run().ok());
    same(tagged);
    World cached = before;
    CachedTaggedMask<Set::vectors, 2> kept(0);
    REQUIRE(kept.set(set, 1).ok());
    TaggedMaskWrapper by_kept(kept, 1, rule_on(cached));
    REQUIRE(by_kept.run().ok());
    same(cached);
  }
}

template <class Target>
using Memory = PlainVectors<std::uint8_t, Target>;
template <class Target>
using SignedMemory = PlainVectors<std::int8_t, Target>;

std::uint8_t held(double weight, WeightRange range) {
  return static_cast<std::uint8_t>(std::clamp<double>(weight, range.least, range.most));
}
constexpr std::array<WeightRange, 4> ranges{{{}, {5, 60}, {0, 255}, {100, 180}}};

} // namespace

TEMPLATE_TEST_CASE("rules: constant", "[kernels][rules]", target::Generic, target::Native) {
  check(
      [](World& world) {
        return ConstantRule{Memory<TestType>(world.weights), 200};
      },
      [](World& world, std::size_t at) { world.weights.elements[at] = 200; });
}

TEMPLATE_TEST_CASE("rules: STDP moves by the sampled difference and resets what it has sampled", "[kernels][rules]",
                   target::Generic, target::Native) {
  for (const WeightRange range : ranges)
    for (const int eta : {-128, -50, 0, 1, 64, 127})
      check(
          [=](World& world) {
            return StdpRule{Memory<TestType>(world.weights), Memory<TestType>(world.causal),
                            Memory<TestType>(world.acausal), static_cast<std::int8_t>(eta), range};
          },
          [=](World& world, std::size_t at) {
            auto &causal = world.causal.elements[at], &acausal = world.acausal.elements[at];
            const double difference = std::floor(causal / 2.0) - std::floor(acausal / 2.0);
            const double weight = world.weights.elements[at] + std::floor(eta / 128.0 * difference);
            world.weights.elements[at] = held(weight, range);
            causal = acausal = 0;
          });
}

TEMPLATE_TEST_CASE("rules: additive change, clamped on both sides", "[kernels][rules]", target::Generic,
                   target::Native) {
  for (const WeightRange range : ranges)
    for (const int amplitude : {-127, 3, 127})
      check(
          [=](World& world) {
            return AdditiveRule{Memory<TestType>(world.weights), SignedMemory<TestType>(world.drive),
                                static_cast<std::int8_t>(amplitude), range};
          },
          [=](World& world, std::size_t at) {
            const double change = std::floor(amplitude / 128.0 * world.drive.elements[at]);
            world.weights.elements[at] = held(world.weights.elements[at] + change, range);
          });
  check(
      [](World& world) {
        return AdditiveRule{Memory<TestType>(world.weights), SameVectors<std::int8_t, TestType>(-9)};
      },
      [](World& world, std::size_t at) {
        world.weights.elements[at] = held(world.weights.elements[at] + std::floor(127 / 128.0 * -9), {});
      });
}

TEMPLATE_TEST_CASE("rules: multiplicative change slows down towards the ends", "[kernels][rules]", target::Generic,
                   target::Native) {
  for (const WeightRange range : ranges)
    check(
        [=](World& world) {
          return MultiplicativeRule{Memory<TestType>(world.weights), SignedMemory<TestType>(world.drive), range};
        },
        [=](World& world, std::size_t at) {
          const double weight = held(world.weights.elements[at], range);
          const double drive = std::max<double>(world.drive.elements[at], -127) / 128;
          const double after = drive > 0 ? weight + std::floor(drive * (range.most - weight))
                                         : weight - std::floor(-drive * (weight - range.least));
          world.weights.elements[at] = held(after, range);
        });
}

TEMPLATE_TEST_CASE("rules: homeostasis follows the rate of the column", "[kernels][rules]", target::Generic,
                   target::Native) {
  for (const WeightRange range : ranges)
    check(
        [=](World& world) {
          return HomeostasisRule<per_row, Memory<TestType>, Memory<TestType>>{
              Memory<TestType>(world.weights), Memory<TestType>(world.rates), 70, 40, range};
        },
        [=](World& world, std::size_t at) {
          const double rate = world.rates.elements[at % (16 * per_row)];
          const double change = std::floor(40 / 128.0 * (35 - std::floor(rate / 2)));
          world.weights.elements[at] = held(world.weights.elements[at] + change, range);
        });
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
    CHECK(std::abs(rate - 100) <= 256 / 16);
    CHECK(weights.elements[4] == 63); // fires never
  }
  VectorArray<4> too_few_rates_for;
  HomeostasisRule<2, PlainVectors<>, PlainVectors<>> wrong{PlainVectors<>(too_few_rates_for), PlainVectors<>(rates)};
  CHECK(MaskWrapper(mask, wrong).run() == Status{Error::address_out_of_range, 0, 3});
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

TEST_CASE("rules: a random walk stays in its range and takes the same words on every backend", "[kernels][rules]") {
  constexpr auto mask = make_mask<Set::where([](auto row, auto column) { return row % 3 == 0 || column < 7; })>();
  VectorArray<Set::vectors> here, there;
  here.elements.fill(30), there.elements.fill(30);
  MaskWrapper native(mask, RandomWalkRule{PlainVectors<>(here), Sfc32(), 100, WeightRange{10, 50}});
  MaskWrapper generic(mask, RandomWalkRule{Memory<target::Generic>(there), Sfc32(), 100, WeightRange{10, 50}});
  for (int run = 0; run < 30; ++run) {
    REQUIRE(native.run().ok());
    REQUIRE(generic.run().ok());
  }
  CHECK(here.elements == there.elements);
  CHECK(native.rule().source == generic.rule().source);
  const auto [least, most] = std::minmax_element(here.elements.begin(), here.elements.end());
  CHECK(*least == 10);
  CHECK(*most == 50);
}
