// SPDX-License-Identifier: BSL-1.0
/// \file
/// The arithmetic that the parts of a Neuron are written in: lanes of a target, with the rounding of products, and with
/// what saturates counted.
#ifndef NEUROMORPH_KERNELS_NEURONS_ARITHMETIC_HPP
#define NEUROMORPH_KERNELS_NEURONS_ARITHMETIC_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/target/generic.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace detail {

/// 16 bits that are spread evenly over any run of steps (golden-ratio sequence).
[[nodiscard]] constexpr std::int32_t step_dither(std::uint32_t step_number) noexcept {
  return static_cast<std::int32_t>((step_number * 0x9E3779B9U) >> 16);
}

/// \source the mixing function of C. Wellons, Prospecting for Hash Functions, 2018 (lowbias32)
[[nodiscard]] constexpr std::uint32_t mixed(std::uint32_t x) noexcept {
  x = (x ^ x >> 16) * 0x7FEB352DU;
  x = (x ^ x >> 15) * 0x846CA68BU;
  return x ^ x >> 16;
}
/// 32 uniform bits of a neuron's number and a key.
template <class Lanes>
[[nodiscard]] constexpr typename Lanes::Value random_of(typename Lanes::Value number, std::uint32_t key) noexcept {
  const auto word = [](std::uint32_t bits) { return Lanes::splat(static_cast<std::int32_t>(bits)); };
  auto x = Lanes::bit_xor(Lanes::multiply(number, word(0x9E3779B1U)), word(key));
  x = Lanes::bit_xor(x, Lanes::shift_right_unsigned(x, Lanes::shift(16)));
  x = Lanes::multiply(x, word(0x7FEB352DU));
  x = Lanes::bit_xor(x, Lanes::shift_right_unsigned(x, Lanes::shift(15)));
  x = Lanes::multiply(x, word(0x846CA68BU));
  return Lanes::bit_xor(x, Lanes::shift_right_unsigned(x, Lanes::shift(16)));
}

/// 8 bits, the next ones of the same product.
[[nodiscard]] constexpr std::int32_t other_dither(std::uint32_t step_number) noexcept {
  return static_cast<std::int32_t>((step_number * 0x9E3779B9U) >> 8 & 0xFF);
}

} // namespace detail

/// Of one step of one group of lanes. Sums wrap modulo 2^32 unless they are called held.
///
/// With one lane a held sum stops at the end of the range and is counted. With more it only says that some lane left the
/// range; the loop then does the group again, one lane at a time.
///
/// \tparam FadesPsps  as the membrane says, see Part
template <class LanesType, class Rounding, bool FadesPsps = false>
class Arithmetic {
public:
  using Lanes = LanesType;
  using Value = typename Lanes::Value;
  using Mask = typename Lanes::Mask;
  static constexpr bool is_exact = Lanes::count == 1;
  static constexpr bool fades_psps = FadesPsps;
  static constexpr bool draws = std::is_same_v<Rounding, rounding::Stochastic>;

  /// \param first  number of the first lane's neuron, for random bits
  constexpr Arithmetic(std::uint32_t step_number, std::uint32_t first, std::uint32_t& saturations) noexcept
      : dither_(Lanes::splat(detail::step_dither(step_number))), step_number_(step_number), first_(first),
        saturations_(&saturations) {}

  [[nodiscard]] static constexpr Value splat(std::int32_t value) noexcept { return Lanes::splat(value); }
  [[nodiscard]] static constexpr Value add(Value a, Value b) noexcept { return Lanes::add(a, b); }
  [[nodiscard]] static constexpr Value subtract(Value a, Value b) noexcept { return Lanes::subtract(a, b); }
  [[nodiscard]] static constexpr Mask is_negative(Value a) noexcept { return Lanes::is_negative(a); }
  [[nodiscard]] static constexpr Value select(Mask mask, Value when_true, Value when_false) noexcept {
    return Lanes::select(mask, when_true, when_false);
  }

  /// `integrated` where `left` is below zero; else one less than `left`, or `reset`, which is below zero, where nothing is
  /// left.
  [[nodiscard]] static constexpr Value count_down(Value left, Value integrated, Value reset) noexcept {
    if constexpr (requires { Lanes::count_down(left, integrated, reset); }) {
      return Lanes::count_down(left, integrated, reset);
    } else {
      const Value counted = Lanes::subtract(left, splat(1));
      return select(is_negative(left), integrated, select(is_negative(counted), reset, counted));
    }
  }

  [[nodiscard]] static constexpr Value(min)(Value a, Value b) noexcept { return (Lanes::min)(a, b); }
  [[nodiscard]] static constexpr Value(max)(Value a, Value b) noexcept { return (Lanes::max)(a, b); }
  [[nodiscard]] static constexpr Mask is_less(Value a, Value b) noexcept { return Lanes::less(a, b); }
  /// Where a stays below b, in effect: a sum at the end of its range, which is not counted.
  [[nodiscard]] static constexpr Value add_saturating(Value a, Value b) noexcept { return Lanes::add_saturating(a, b); }
  [[nodiscard]] static constexpr Value subtract_saturating(Value a, Value b) noexcept {
    return Lanes::subtract_saturating(a, b);
  }
  /// value * 2^amount modulo 2^32, amount 0 to 31 and the same for all lanes.
  [[nodiscard]] static constexpr Value scaled_up(Value value, unsigned amount) noexcept {
    return Lanes::shift_left(value, Lanes::shift(amount));
  }

  /// value * 2^amount, held at the ends of the 32-bit range and not counted; amount 0 to 31 and the same for all lanes.
  [[nodiscard]] static constexpr Value scaled_up_saturating(Value value, unsigned amount) noexcept {
    const Value most = splat(INT32_MAX >> amount), least = splat(INT32_MIN >> amount);
    const Value scaled = scaled_up((max)(value, least), amount);
    return select(is_less(most, value), splat(INT32_MAX), scaled);
  }

  /// floor(value / 2^amount), whatever the neuron's Rounding; amount 0 to 31 and the same for all lanes.
  [[nodiscard]] static constexpr Value shifted_down(Value value, unsigned amount) noexcept {
    return Lanes::shift_right(value, Lanes::shift(amount));
  }
  /// floor(a * b / 2^32), whatever the neuron's Rounding: of polynomials.
  [[nodiscard]] static constexpr Value product_down(Value a, Value b) noexcept { return Lanes::multiply_high(a, b); }
  /// value + floor(value * by), by the upper 16 bits of `by`, with 32 fraction bits, -0.5 to 0: of polynomials.
  [[nodiscard]] static constexpr Value reduced(Value value, Value by) noexcept {
    return Lanes::decay(value, Lanes::factor(Lanes::shift_right(by, Lanes::shift(16))));
  }

  /// a * b / 2^32, rounded as the neuron's Rounding says.
  [[nodiscard]] constexpr Value product(Value a, Value b) noexcept {
    if constexpr (rounds_down)
      return Lanes::multiply_high(a, b);
    else if constexpr (rounds_nearest)
      return Lanes::multiply_high_nearest(a, b);
    else
      return Lanes::multiply_high_offset(a, b, random());
  }

  /// a * b / 2^32 where a has a `dither` of 2^32 / b: the mean over steps is exact. With rounding::Stochastic it is drawn.
  [[nodiscard]] constexpr Value product_dithered(Value a, Value b) noexcept {
    if constexpr (draws)
      return product(a, b);
    else
      return Lanes::multiply_high(a, b);
  }
  /// From 0 to `spread`, by a sequence of steps; 0 with rounding::Stochastic.
  [[nodiscard]] constexpr Value dither(Value spread) const noexcept {
    if constexpr (draws) return splat(0);
    const Value centred = Lanes::subtract(dither_, splat(1 << 15));
    return Lanes::add(shifted_down(spread, 1), product_16(spread, centred));
  }
  /// 0 to 2^amount - 1, by another sequence of steps.
  [[nodiscard]] constexpr std::int32_t other_dither(unsigned amount) const noexcept {
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(detail::other_dither(step_number_)) << amount) >> 8);
  }

  /// Of each lane's neuron.
  [[nodiscard]] constexpr Value number() const noexcept {
    return Lanes::add(Lanes::index(), splat(static_cast<std::int32_t>(first_)));
  }
  /// 32 uniform bits: of this neuron, step and call, whatever else is stepped with it.
  [[nodiscard]] constexpr Value random() noexcept {
    return detail::random_of<Lanes>(number(), detail::mixed(step_number_ * 0x9E3779B9U + draws_++ * 0x632BE5ABU));
  }

  /// value + value * decay, where decay has 32 fraction bits and is between -0.5 and 0: by its upper 16 bits, dithered step by step.
  /// With rounding::Stochastic by all 32.
  [[nodiscard]] constexpr Value decayed(Value value, Value decay) noexcept {
    if constexpr (!rounds_down && !rounds_nearest) return Lanes::add(value, product(value, decay));
    const auto factor = Lanes::factor(Lanes::shift_right(Lanes::add(decay, dither_), Lanes::shift(16)));
    if constexpr (rounds_down)
      return Lanes::decay(value, factor);
    else
      return Lanes::decay_nearest(value, factor);
  }
  /// The same of a psp that is not negative: where psps fade, it is rounded down to nearest, too.
  [[nodiscard]] constexpr Value faded(Value value, Value decay) noexcept {
    if constexpr (draws || !FadesPsps) return decayed(value, decay);
    return Lanes::decay(value, Lanes::factor(Lanes::shift_right(Lanes::add(decay, dither_), Lanes::shift(16))));
  }
  /// The upper bits of a constant, without the `amount` lower ones (8 or 16), dithered step by step: 16 bits by the sequence
  /// of `decayed`, 8 by another.
  [[nodiscard]] constexpr Value dithered(Value constant, unsigned amount) const noexcept {
    const Value dither = amount == 16 ? dither_ : splat(detail::other_dither(step_number_));
    return Lanes::shift_right(Lanes::add(constant, dither), Lanes::shift(amount));
  }
  /// floor(value * factor / 2^16), factor from -2^15 to 2^15 - 1.
  [[nodiscard]] static constexpr Value product_16(Value value, Value factor) noexcept {
    return Lanes::multiply_high(value, Lanes::shift_left(factor, Lanes::shift(16)));
  }
  /// value / 2^amount, amount 1 to 31 and the same for all lanes.
  [[nodiscard]] constexpr Value scaled_down(Value value, unsigned amount) const noexcept {
    if constexpr (rounds_down)
      return Lanes::shift_right(value, Lanes::shift(amount));
    else // the rounding of a sum of many is not drawn
      return Lanes::shift_right_nearest(value, Lanes::shift(amount));
  }

  /// value + input * 2^amount, held; amount 0 to 30.
  [[nodiscard]] constexpr Value add_scaled_held(Value value, Value input, unsigned amount) noexcept {
    if constexpr (is_exact) return sum_of(value, input, amount);
    is_collecting_ = true;
    return Lanes::add_scaled(value, input, Lanes::scale(amount), overflow_);
  }
  /// The same where value and input are not negative; a machine may be quicker.
  [[nodiscard]] constexpr Value add_magnitudes_held(Value value, Value input, unsigned amount) noexcept {
    if constexpr (is_exact) return sum_of(value, input, amount);
    is_collecting_ = true;
    return Lanes::add_scaled_magnitudes(value, input, Lanes::scale(amount), overflow_);
  }
  /// Pairs of unsigned 16-bit numbers in a word. Each times its factor of 2^32, by the upper 16 bits: factor and product
  /// are dithered.
  [[nodiscard]] constexpr Value decayed_pairs(Value pairs, const std::array<std::uint32_t, 2>& keep) const noexcept {
    const auto pair = [](std::uint32_t low, std::uint32_t high) {
      return Lanes::splat(static_cast<std::int32_t>(high << 16 | (low & 0xFFFF)));
    };
    const std::uint32_t dither = static_cast<std::uint32_t>(detail::step_dither(step_number_));
    return Lanes::multiply_high_pairs(pairs, pair((keep[0] + dither) >> 16, (keep[1] + dither) >> 16),
                                      pair(dither, dither));
  }
  /// Sums of the halves, held.
  [[nodiscard]] constexpr Value add_pairs_held(Value a, Value b) noexcept {
    const Value sums = Lanes::add_saturating_pairs(a, b);
    if constexpr (is_exact) {
      const auto x = static_cast<std::uint32_t>(a), y = static_cast<std::uint32_t>(b);
      *saturations_ += ((x & 0xFFFF) + (y & 0xFFFF) > 0xFFFF ? 1U : 0U) + ((x >> 16) + (y >> 16) > 0xFFFF ? 1U : 0U);
    } else {
      again_ = again_ || Lanes::any_full_pair(sums);
    }
    return sums;
  }
  /// sum + (low - 2^15) * factors' low half + (high - 2^15) * factors' high half
  [[nodiscard]] static constexpr Value multiply_add_pairs(Value sum, Value pairs, Value factors) noexcept {
    return Lanes::multiply_add_pairs(sum, pairs, factors);
  }

  /// Counts `events` more sums that were held, where there is one lane.
  constexpr void count(std::uint32_t events) noexcept { *saturations_ += events; }
  /// With more than one: the group is done again.
  constexpr void again() noexcept { again_ = true; }

  [[nodiscard]] constexpr bool is_again() const noexcept {
    if constexpr (is_exact)
      return false;
    else
      return again_ || (is_collecting_ && Lanes::any_overflow(overflow_));
  }

private:
  static constexpr bool rounds_down = std::is_same_v<Rounding, rounding::Down>;
  static constexpr bool rounds_nearest = std::is_same_v<Rounding, rounding::Nearest>;

  [[nodiscard, gnu::always_inline]] constexpr std::int32_t sum_of(std::int32_t value, std::int32_t input,
                                                                  unsigned amount) noexcept {
    const auto scaled = static_cast<std::int32_t>(static_cast<std::uint32_t>(input) << amount);
    std::int32_t sum = 0;
    const bool is_lost = (scaled >> amount) != input;
    if (__builtin_add_overflow(value, scaled, &sum) || is_lost) [[unlikely]]
      return held(value, input, amount);
    return sum;
  }
  [[nodiscard, gnu::noinline, gnu::cold]] constexpr std::int32_t held(std::int32_t value, std::int32_t input,
                                                                      unsigned amount) noexcept {
    const std::int64_t sum = value + (std::int64_t{input} << amount);
    const std::int64_t word = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    *saturations_ += word != sum ? 1U : 0U; // the input alone may have left the range
    return static_cast<std::int32_t>(word);
  }

  Value dither_;
  std::uint32_t step_number_, first_, draws_ = 0;
  std::uint32_t* saturations_;
  typename Lanes::Overflow overflow_{};
  bool again_ = false, is_collecting_ = false; // known to the compiler, which leaves the test out
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
