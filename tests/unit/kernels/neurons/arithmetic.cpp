// SPDX-License-Identifier: BSL-1.0
// The arithmetic of parts, one lane and four, beside integers of 64 bits.
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>

#include <neuromorph/kernels/neurons/arithmetic.hpp>
#include <neuromorph/target/generic.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/compilers_own.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using One = target::Generic::Lanes;
using Four = CompilersOwn::Lanes;

template <class LanesType, class Rounding, bool FadesPsps = false>
struct Case {
  using Lanes = LanesType;
  using Kind = Rounding;
  static constexpr bool fades = FadesPsps;
};
#define CASES                                                                                                          \
  (Case<One, rounding::Down>), (Case<One, rounding::Nearest>), (Case<One, rounding::Stochastic>),                      \
      (Case<One, rounding::Nearest, true>), (Case<Four, rounding::Down>), (Case<Four, rounding::Nearest>),             \
      (Case<Four, rounding::Stochastic>), (Case<Four, rounding::Nearest, true>)

class Numbers {
public:
  explicit Numbers(std::uint32_t seed) : random_(seed) {}
  std::uint32_t bits() { return static_cast<std::uint32_t>(random_()); }
  std::uint32_t below(std::uint32_t bound) { return bits() % bound; }
  /// Of all sizes, now and then an end of a range.
  std::int32_t word() {
    constexpr std::array<std::int32_t, 10> ends{INT32_MIN, INT32_MIN + 1, -65536,        -32768,   -1, 0,
                                                1,         32767,         INT32_MAX - 1, INT32_MAX};
    const std::uint32_t choice = below(4);
    if (choice == 0) return ends[below(ends.size())];
    const auto value = static_cast<std::int32_t>(bits());
    return value >> below(32);
  }

private:
  std::mt19937 random_;
};

constexpr std::int64_t wrapped(std::int64_t value) { return static_cast<std::int32_t>(value); }
constexpr std::int64_t held(std::int64_t value) { return std::clamp<std::int64_t>(value, INT32_MIN, INT32_MAX); }

/// C. Wellons' lowbias32, word by word.
constexpr std::uint32_t lowbias32(std::uint32_t x) {
  x ^= x >> 16;
  x *= 2146121005U;
  x ^= x >> 15;
  x *= 2221713035U;
  x ^= x >> 16;
  return x;
}

template <class Lanes>
struct Group {
  std::array<std::int32_t, Lanes::count> lanes{};
  [[nodiscard]] typename Lanes::Value value() const { return Lanes::load(lanes.data()); }
  static Group of(Numbers& numbers) {
    Group group;
    for (auto& lane : group.lanes) lane = numbers.word();
    return group;
  }
};
/// Whether each lane is what `expected(lane)` says.
template <class Lanes>
bool is(typename Lanes::Value value, auto expected) {
  Group<Lanes> found;
  Lanes::store(found.lanes.data(), value);
  for (std::size_t lane = 0; lane < Lanes::count; ++lane)
    if (found.lanes[lane] != expected(lane)) return false;
  return true;
}
template <class Lanes>
bool is_mask(typename Lanes::Mask mask, auto expected) {
  return is<Lanes>(Lanes::select(mask, Lanes::splat(1), Lanes::splat(0)),
                   [&](std::size_t lane) { return expected(lane) ? 1 : 0; });
}

} // namespace

TEST_CASE("arithmetic: dithers are of the golden ratio, words of a number's own", "[kernels][neuron]") {
  for (const std::uint32_t seed : Seeds(2000)) {
    INFO("seed " << seed);
    Numbers numbers(seed);
    const std::uint32_t step = numbers.bits(), key = numbers.bits();
    const std::uint32_t product = step * 2654435769U;
    REQUIRE(detail::step_dither(step) == static_cast<std::int32_t>(product / 65536));
    REQUIRE(detail::other_dither(step) == static_cast<std::int32_t>(product / 256 % 256));
    REQUIRE(detail::mixed(step) == lowbias32(step));
    const auto number = static_cast<std::int32_t>(numbers.bits());
    // a hash of the number's product with a key: the same mixing
    REQUIRE(static_cast<std::uint32_t>(detail::random_of<One>(number, key)) ==
            lowbias32((static_cast<std::uint32_t>(number) * 2654435761U) ^ key));
  }
}

TEMPLATE_TEST_CASE("arithmetic: each operation is what it says", "[kernels][neuron]", CASES) {
  using Lanes = typename TestType::Lanes;
  using Value = typename Lanes::Value;
  constexpr bool is_down = std::is_same_v<typename TestType::Kind, rounding::Down>,
                 draws = std::is_same_v<typename TestType::Kind, rounding::Stochastic>, is_one = Lanes::count == 1;
  using Math = Arithmetic<Lanes, typename TestType::Kind, TestType::fades>;
  STATIC_REQUIRE(Math::is_exact == is_one);
  STATIC_REQUIRE(Math::draws == draws);
  STATIC_REQUIRE(Math::fades_psps == TestType::fades);
  std::uint32_t overflows = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 300 : 3000)) {
    INFO("seed " << seed);
    Numbers numbers(seed);
    const std::uint32_t step = numbers.bits(), first = numbers.bits();
    const auto a = Group<Lanes>::of(numbers), b = Group<Lanes>::of(numbers), c = Group<Lanes>::of(numbers);
    const Value x = a.value(), y = b.value(), z = c.value();
    const auto A = [&](std::size_t lane) { return std::int64_t{a.lanes[lane]}; };
    const auto B = [&](std::size_t lane) { return std::int64_t{b.lanes[lane]}; };
    std::uint32_t saturations = 0;
    Math m(step, first, saturations);
    const std::int64_t dither = detail::step_dither(step);
    std::uint32_t drawn = 0; // words so far
    const auto word = [&](std::size_t lane) {
      const auto number = first + static_cast<std::uint32_t>(lane);
      const std::uint32_t key = detail::mixed(step * 2654435769U + drawn * 1663821227U);
      return std::int64_t{static_cast<std::uint32_t>(detail::random_of<One>(static_cast<std::int32_t>(number), key))};
    };

    REQUIRE(is<Lanes>(Math::splat(a.lanes[0]), [&](std::size_t) { return A(0); }));
    REQUIRE(is<Lanes>(Math::add(x, y), [&](std::size_t k) { return wrapped(A(k) + B(k)); }));
    REQUIRE(is<Lanes>(Math::subtract(x, y), [&](std::size_t k) { return wrapped(A(k) - B(k)); }));
    REQUIRE(is<Lanes>(Math::add_saturating(x, y), [&](std::size_t k) { return held(A(k) + B(k)); }));
    REQUIRE(is<Lanes>(Math::subtract_saturating(x, y), [&](std::size_t k) { return held(A(k) - B(k)); }));
    REQUIRE(is<Lanes>((Math::min)(x, y), [&](std::size_t k) { return std::min(A(k), B(k)); }));
    REQUIRE(is<Lanes>((Math::max)(x, y), [&](std::size_t k) { return std::max(A(k), B(k)); }));
    REQUIRE(is_mask<Lanes>(Math::is_negative(x), [&](std::size_t k) { return A(k) < 0; }));
    REQUIRE(is_mask<Lanes>(Math::is_less(x, y), [&](std::size_t k) { return A(k) < B(k); }));
    REQUIRE(is<Lanes>(Math::select(Math::is_less(x, y), y, z),
                      [&](std::size_t k) { return A(k) < B(k) ? B(k) : c.lanes[k]; }));
    auto few = a; // steps left, few of them
    for (auto& lane : few.lanes) lane = lane >> 20 == 0 ? lane & 1 : lane;
    auto resets = c; // below zero
    for (auto& lane : resets.lanes) lane |= INT32_MIN;
    REQUIRE(is<Lanes>(Math::count_down(few.value(), y, resets.value()), [&](std::size_t k) -> std::int64_t {
      const std::int64_t left = few.lanes[k];
      return left < 0 ? B(k) : left == 0 ? resets.lanes[k] : left - 1;
    }));

    for (const unsigned amount : {0U, 1U, 30U, 31U, numbers.below(32)}) {
      INFO("amount " << amount);
      const auto whole = std::int64_t{1} << amount;
      REQUIRE(is<Lanes>(Math::scaled_up(x, amount), [&](std::size_t k) { return wrapped(A(k) * whole); }));
      REQUIRE(is<Lanes>(Math::scaled_up_saturating(x, amount), [&](std::size_t k) {
        // below the range it ends at the lowest multiple
        return A(k) * whole < INT32_MIN ? INT32_MIN / whole * whole : held(A(k) * whole);
      }));
      REQUIRE(is<Lanes>(Math::shifted_down(x, amount), [&](std::size_t k) { return A(k) >> amount; }));
      if (amount != 0)
        REQUIRE(is<Lanes>(m.scaled_down(x, amount),
                          [&](std::size_t k) { return is_down ? A(k) >> amount : (A(k) + whole / 2) >> amount; }));
    }
    for (unsigned amount = 0; amount <= 8; ++amount)
      REQUIRE(m.other_dither(amount) == (detail::other_dither(step) << amount) / 256);

    REQUIRE(is<Lanes>(Math::product_down(x, y), [&](std::size_t k) { return (A(k) * B(k)) >> 32; }));
    REQUIRE(is<Lanes>(m.number(), [&](std::size_t k) { return wrapped(std::int64_t{first} + std::int64_t(k)); }));
    // what is drawn differs from call to call
    for (int call = 0; call < 3; ++call, ++drawn)
      REQUIRE(is<Lanes>(m.random(), [&](std::size_t k) { return wrapped(word(k)); }));
    const auto product = [&](std::int64_t one, std::int64_t other, std::size_t lane) {
      return (one * other + (draws ? word(lane) : is_down ? 0 : std::int64_t{1} << 31)) >> 32;
    };
    for (int call = 0; call < 2; ++call, ++drawn)
      REQUIRE(is<Lanes>(m.product(x, y), [&](std::size_t k) { return wrapped(product(A(k), B(k), k)); }));
    REQUIRE(is<Lanes>(m.product_dithered(x, y),
                      [&](std::size_t k) { return draws ? wrapped(product(A(k), B(k), k)) : (A(k) * B(k)) >> 32; }));
    drawn += draws ? 1 : 0;

    // a factor of 16 bits
    auto halves = b;
    for (auto& lane : halves.lanes) lane >>= 16;
    const auto H = [&](std::size_t lane) { return std::int64_t{halves.lanes[lane]}; };
    REQUIRE(is<Lanes>(Math::product_16(x, halves.value()), [&](std::size_t k) { return (A(k) * H(k)) >> 16; }));
    REQUIRE(is<Lanes>(m.dither(x), [&](std::size_t k) {
      return draws ? 0 : wrapped((A(k) >> 1) + ((A(k) * (dither - 32768)) >> 16));
    }));
    const auto upper = [&](std::size_t lane, std::int64_t low, int bits) {
      return wrapped(std::int64_t{b.lanes[lane]} + low) >> bits;
    };
    REQUIRE(is<Lanes>(m.dithered(y, 16), [&](std::size_t k) { return upper(k, dither, 16); }));
    REQUIRE(is<Lanes>(m.dithered(y, 8), [&](std::size_t k) { return upper(k, detail::other_dither(step), 8); }));

    // decays: -0.5 to 0
    auto decays = b;
    for (auto& lane : decays.lanes) lane = lane > 0 ? -lane : lane;
    for (auto& lane : decays.lanes) lane = std::min(lane, -1);
    const auto D = [&](std::size_t lane) { return std::int64_t{decays.lanes[lane]}; };
    const auto half_of_unit = [](bool is_nearest) { return std::int64_t{is_nearest ? 0x8000 : 0}; };
    const auto kept = [&](std::size_t lane, bool is_nearest) {
      return A(lane) + ((A(lane) * ((D(lane) + dither) >> 16) + half_of_unit(is_nearest)) >> 16);
    };
    REQUIRE(is<Lanes>(Math::reduced(x, decays.value()),
                      [&](std::size_t k) { return A(k) + ((A(k) * (D(k) >> 16)) >> 16); }));
    REQUIRE(is<Lanes>(m.decayed(x, decays.value()), [&](std::size_t k) {
      return draws ? wrapped(A(k) + product(A(k), D(k), k)) : wrapped(kept(k, !is_down));
    }));
    drawn += draws ? 1 : 0;
    REQUIRE(is<Lanes>(m.faded(x, decays.value()), [&](std::size_t k) {
      return draws ? wrapped(A(k) + product(A(k), D(k), k)) : wrapped(kept(k, !is_down && !TestType::fades));
    }));
    drawn += draws ? 1 : 0;

    // pairs without a sign
    const std::array<std::uint32_t, 2> keep{numbers.bits() & 0xFFFF0000U, numbers.bits() & 0xFFFF0000U};
    const auto half = [](std::int64_t pair, unsigned which) { return pair >> (16 * which) & 0xFFFF; };
    REQUIRE(is<Lanes>(m.decayed_pairs(x, keep), [&](std::size_t k) {
      std::int64_t both = 0;
      for (const unsigned which : {0U, 1U})
        both |= ((half(A(k), which) * ((keep[which] + dither) >> 16) + dither) >> 16) << (16 * which);
      return wrapped(both);
    }));
    REQUIRE(is<Lanes>(Math::multiply_add_pairs(z, x, y), [&](std::size_t k) {
      std::int64_t sum = c.lanes[k];
      for (const unsigned which : {0U, 1U})
        sum += (half(A(k), which) - 32768) * static_cast<std::int16_t>(half(B(k), which));
      return wrapped(sum);
    }));
    REQUIRE(saturations == 0);
    REQUIRE_FALSE(m.is_again());

    // what is held: one lane ends and counts, of several it is said that one must be done again
    const auto holds = [&](auto call, auto value_of, auto brought_of) {
      std::uint32_t counted = 0;
      Math n(step, first, counted);
      REQUIRE_FALSE(n.is_again());
      std::uint32_t ends = 0, leaves = 0; // the input alone may leave the range
      for (std::size_t lane = 0; lane < Lanes::count; ++lane) {
        const std::int64_t brought = brought_of(lane), exact = value_of(lane) + brought;
        ends += exact != held(exact) ? 1U : 0U;
        leaves += exact != held(exact) || brought != held(brought) ? 1U : 0U;
      }
      const Value sum = call(n);
      REQUIRE(n.is_again() == (!is_one && leaves != 0));
      REQUIRE(counted == (is_one ? ends : 0));
      if (is_one || leaves == 0)
        REQUIRE(is<Lanes>(sum, [&](std::size_t k) { return held(value_of(k) + brought_of(k)); }));
      overflows += leaves;
    };
    const unsigned amount = numbers.below(31);
    const auto scaled = [&](std::size_t k) { return B(k) << amount; };
    holds([&](Math& n) { return n.add_scaled_held(x, y, amount); }, A, scaled);
    holds([&](Math& n) { return n.add_scaled_held(x, y, 0); }, A, B);
    auto p = a, q = b;
    for (auto* group : {&p, &q})
      for (auto& lane : group->lanes) lane &= INT32_MAX;
    holds([&](Math& n) { return n.add_magnitudes_held(p.value(), q.value(), amount); },
          [&](std::size_t k) { return std::int64_t{p.lanes[k]}; },
          [&](std::size_t k) { return std::int64_t{q.lanes[k]} << amount; });
    // just to the ends and one beyond, where the input alone leaves the range, too
    for (const std::int64_t end : {std::int64_t{INT32_MAX}, std::int64_t{INT32_MIN}})
      for (const std::int64_t beyond : {-1, 0, 1}) {
        auto from = b;
        for (auto& lane : from.lanes) lane >>= amount; // an input that fits
        auto to = from;
        for (std::size_t lane = 0; lane < Lanes::count; ++lane)
          to.lanes[lane] = static_cast<std::int32_t>(held(end + beyond - (std::int64_t{from.lanes[lane]} << amount)));
        holds([&](Math& n) { return n.add_scaled_held(to.value(), from.value(), amount); },
              [&](std::size_t k) { return std::int64_t{to.lanes[k]}; },
              [&](std::size_t k) { return std::int64_t{from.lanes[k]} << amount; });
      }

    std::uint32_t counted = 0;
    Math n(step, first, counted);
    auto near = b; // some halves just fill theirs
    if (numbers.below(2) == 0)
      for (std::size_t lane = 0; lane < Lanes::count; ++lane)
        near.lanes[lane] = static_cast<std::int32_t>(~static_cast<std::uint32_t>(a.lanes[lane]) +
                                                     (numbers.below(2) << 16 | numbers.below(2)));
    const auto N = [&](std::size_t lane) { return std::int64_t{near.lanes[lane]}; };
    std::uint32_t full = 0, beyond = 0;
    for (std::size_t lane = 0; lane < Lanes::count; ++lane)
      for (const unsigned which : {0U, 1U}) {
        const std::int64_t sum = half(A(lane), which) + half(N(lane), which);
        full += sum >= 65535 ? 1U : 0U;
        beyond += sum > 65535 ? 1U : 0U;
      }
    REQUIRE(is<Lanes>(n.add_pairs_held(x, near.value()), [&](std::size_t k) {
      std::int64_t both = 0;
      for (const unsigned which : {0U, 1U})
        both |= std::min<std::int64_t>(half(A(k), which) + half(N(k), which), 65535) << (16 * which);
      return wrapped(both);
    }));
    REQUIRE(counted == (is_one ? beyond : 0));
    REQUIRE(n.is_again() == (!is_one && full != 0)); // a pair that is full may have been held
    // once said, it stays
    (void)n.add_pairs_held(Lanes::splat(0), Lanes::splat(0));
    REQUIRE(n.is_again() == (!is_one && full != 0));
    n.count(7);
    REQUIRE(counted == (is_one ? beyond : 0) + 7);
    n.again();
    REQUIRE(n.is_again() == !is_one);
  }
  CHECK(overflows > 100);
}
