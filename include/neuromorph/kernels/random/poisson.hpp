// SPDX-License-Identifier: BSL-1.0
/// \file
/// Poisson sources whose rate is known only while loading, of any size, and the waiting times of rare events.
///
/// For a rate that is known at compile time take `byte_table<Poisson(1.6)>` of byte_table.hpp or one of its relatives.
#ifndef NEUROMORPH_KERNELS_RANDOM_POISSON_HPP
#define NEUROMORPH_KERNELS_RANDOM_POISSON_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/detail/wide_real.hpp>
#include <neuromorph/kernels/random/discrete_table.hpp>
#include <neuromorph/kernels/random/distribution.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/kernels/random/word_table.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// How many events happen in a step, for a rate from 0 to 2^20 that is known while loading.
///
/// Rates up to 64 have a table, computed by the same integers as at compile time: a step is the same whether its rate
/// was known early or late. A higher rate is the sum of 2^j draws at rate / 2^j, the greatest that is at most 64.
///
/// \exact  up to 64 each probability is within 2^-64 of the distribution's; above, the sum of exact draws
/// \cost   1480 bytes; per value 2^j times that of a word table: 32 random bits and a guided search
class PoissonTable {
public:
  static constexpr double highest_rate = 1048576;
  static constexpr std::size_t block_values = discrete_block_words;

  /// Of rate 0: always 0.
  constexpr PoissonTable() noexcept = default;

  /// Not for use in a step: some 10^5 integer operations, among them divisions of 64 bits.
  ///
  /// \errors rate not in 0..2^20: parameter_out_of_range
  [[nodiscard]] static constexpr Result<PoissonTable> from(double rate) noexcept {
    std::uint64_t bits = detail::ordered_bits(rate);
    if (bits > detail::bits_of(highest_rate))
      return detail::refuse_double(Error::parameter_out_of_range, 0, bits, "rate");
    Result<PoissonTable> made{PoissonTable()};
    if (bits == 0) return made;
    while (bits > detail::bits_of(Poisson::highest_rate)) {
      bits -= std::uint64_t{1} << 52; // halves it
      made.value().draws_ *= 2;
    }
    made.value().table_ = Table(Poisson(detail::double_of(bits)).cumulative().value());
    return made;
  }

  /// How many draws are added up, 2^j.
  [[nodiscard]] constexpr std::uint32_t draws_per_value() const noexcept { return draws_; }

  /// The sum of as many draws from the table. One word or more, also at rate 0.
  template <class Source>
  [[nodiscard]] constexpr std::uint32_t draw(Source& source) const noexcept {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < draws_; ++i) sum += table_.draw(source);
    return sum;
  }

  /// For each block of 48 values: as many blocks of the table, one after the other, added up.
  template <class Target = target::Native, class Source>
  constexpr void fill(Source& source, std::span<std::uint32_t> values) const noexcept {
    detail::fill_in_blocks<block_values>(values, [&](std::uint32_t* to, std::size_t count) {
      table_.template fill<Target>(source, std::span(to, count));
      for (std::uint32_t i = 1; i < draws_; ++i) {
        std::array<std::uint32_t, block_values> more{};
        table_.template fill<Target>(source, std::span(more).first(count));
        for (std::size_t k = 0; k < count; ++k) to[k] += more[k];
      }
    });
  }

  friend constexpr bool operator==(const PoissonTable&, const PoissonTable&) noexcept = default;

private:
  using Table = WordTable<152, true>; // rate 64 has 151 outcomes

  Table table_;
  std::uint32_t draws_ = 1;
};

/// How many steps pass without an event before the next step that has one, at any rate; in 64 bits, with saturation.
///
/// Takes the place of a draw in every step where events are rare: draw a waiting time, count it down, and when it is
/// over draw the number of events from `PositivePoisson`.
///
/// The number of empty steps g has the probability (1 - q) q^g with q = e^-rate. Since q^g is a product over the binary
/// digits of g, the digits are independent: digit i is 1 with probability 1 / (1 + e^(rate 2^i)). Each is drawn from a
/// table, without a logarithm and without a limit to the rate. Waiting times of 2^64 - 1 steps and more are `never`,
/// which has the chance e^(-rate 2^64).
///
/// \exact  the probability of each digit, and that of `never`, is within 2^-64
/// \cost   528 bytes; 8 random bits per digit that can be 1, about log2(45 / rate), at most 65; and 32 more with a
///         chance of 1/256 each. Bounded; no multiplication, no division
class PoissonIntervals {
public:
  /// No event, however long one waits.
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  /// Of rate 0: always `never`.
  constexpr PoissonIntervals() noexcept = default;

  /// Not for use in a step: some 10^5 integer operations.
  ///
  /// \param  rate  events per step; 0 and any finite number above
  /// \errors negative, infinite or no number: parameter_out_of_range
  [[nodiscard]] static constexpr Result<PoissonIntervals> from(double rate) noexcept {
    const std::uint64_t bits = detail::ordered_bits(rate);
    if (bits >= detail::infinity_bits) return detail::refuse_double(Error::parameter_out_of_range, 0, bits, "rate");
    PoissonIntervals made;
    if (bits == 0) return made;
    const auto one = detail::WideReal::from(1);
    const auto step = detail::WideReal::from_bits_of_double(bits);
    auto power = one; // e^(rate 2^digit)
    for (unsigned digit = 0; digit <= 64; ++digit) {
      const auto exponent = step.scaled(static_cast<int>(digit));
      if (exponent.exponent() > 7) break; // e^-64 and less is 0
      power = digit != 0 && exponent.exponent() > -7 ? power * power : exponential(exponent);
      if (digit < 64) {
        const std::uint64_t chance = (one + power).reciprocal().fraction().bits;
        if (chance == 0) break;
        made.chance_[digit] = chance;
        made.digits_ = digit + 1;
      } else {
        const auto chance = power.reciprocal().fraction();
        if (chance.whole) return PoissonIntervals();
        made.chance_of_never_ = chance.bits;
      }
    }
    made.is_never_ = false;
    return made;
  }

  /// Steps without an event before the next step with one; 0 if the next step has one.
  ///
  /// Order of consumption: a word gives four bytes, lowest first, one for each decision: whether it is `never`, where
  /// that has a chance, and then digit after digit, lowest first. A byte that equals the upper byte of its chance takes
  /// a further word, and if that equals the next 32 bits another one, before the decision that follows.
  template <class Source>
  [[nodiscard]] constexpr std::uint64_t draw(Source& source) const noexcept {
    static_assert(detail::is_random_source<Source>());
    if (is_never_) return never;
    std::uint32_t word = 0, bytes = 0;
    const auto decide = [&](std::uint64_t chance) {
      if (bytes == 0) {
        word = source.next();
        bytes = 4;
      }
      const std::uint32_t byte = word & 0xFFU;
      word >>= 8;
      --bytes;
      const auto upper = static_cast<std::uint32_t>(chance >> 56);
      if (byte != upper) return byte < upper;
      const std::uint32_t next = source.next();
      const auto middle = static_cast<std::uint32_t>(chance >> 24);
      if (next != middle) return next < middle;
      return source.next() >> 8 < (static_cast<std::uint32_t>(chance) & 0xFF'FFFFU);
    };
    if (chance_of_never_ != 0 && decide(chance_of_never_)) return never;
    std::uint64_t steps = 0;
    for (unsigned digit = 0; digit < digits_; ++digit)
      if (decide(chance_[digit])) steps |= std::uint64_t{1} << digit;
    return steps;
  }

  /// Chance that a digit is 1, times 2^64; 0 for digits that are never 1.
  [[nodiscard]] constexpr std::uint64_t digit_chance(unsigned digit) const noexcept { return chance_[digit]; }
  /// Chance of 2^64 steps or more, times 2^64.
  [[nodiscard]] constexpr std::uint64_t never_chance() const noexcept { return chance_of_never_; }
  [[nodiscard]] constexpr bool is_never() const noexcept { return is_never_; }

  friend constexpr bool operator==(const PoissonIntervals&, const PoissonIntervals&) noexcept = default;

private:
  static constexpr detail::WideReal exponential(const detail::WideReal& x) noexcept {
    const int halvings = x.exponent() > -7 ? x.exponent() + 7 : 0;
    auto power = detail::exponential_of_small(x.scaled(-halvings));
    for (int i = 0; i < halvings; ++i) power = power * power;
    return power;
  }

  std::array<std::uint64_t, 64> chance_{};
  std::uint64_t chance_of_never_ = 0;
  std::uint32_t digits_ = 0; ///< digits from here on are 0
  bool is_never_ = true;
};

/// Called for a constant rate that is negative, infinite or not a number: not constexpr, so that this is an error.
inline void rate_is_negative_or_not_finite() noexcept {}

/// Waiting times for a rate that is known at compile time.
[[nodiscard]] consteval PoissonIntervals poisson_intervals(double rate) noexcept {
  const Result<PoissonIntervals> made = PoissonIntervals::from(rate);
  if (!made.ok()) rate_is_negative_or_not_finite();
  return made.value();
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
