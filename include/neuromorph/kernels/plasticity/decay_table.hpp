// SPDX-License-Identifier: BSL-1.0
/// \file
/// How much of a trace is left after whole ticks, from a table:
///
///     constexpr auto made = DecayTable<400>::from(20.0, 1.0); // tau 20 ms in ticks of 1 ms
///     trace = made.value().decayed(trace, now - then);
///
/// A table of one look costs 4 bytes a tick; one of two looks 8 bytes for each square root of them. docs/plasticity.md
#ifndef NEUROMORPH_KERNELS_PLASTICITY_DECAY_TABLE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_DECAY_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/loops.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace detail {

/// e^-ratio with 60 fraction bits, for any ratio above 0. Error below 2^-55.
[[nodiscard]] constexpr std::int64_t decay_q60(double ratio) noexcept {
  if (ratio > 42) return 0; // below 2^-60
  int squares = 0;
  while (ratio > 0.5) {
    ratio *= 0.5;
    ++squares;
  }
  std::int64_t decay = exp_q60(-to_fixed(ratio, 60));
  for (; squares > 0; --squares) decay = multiply_q60(decay, decay);
  return decay;
}

/// What is left after `ticks` of them.
[[nodiscard]] constexpr bool is_above(std::int64_t decay_q60, std::uint32_t ticks, std::int64_t least_q60) noexcept {
  std::int64_t power = one_q60;
  for (; ticks != 0; ticks >>= 1) {
    if ((ticks & 1) != 0) power = multiply_q60(power, decay_q60);
    decay_q60 = multiply_q60(decay_q60, decay_q60);
  }
  return power > least_q60;
}

/// decay^0, decay^1 and so on, to nearest with `fraction_bits`, less `minus`, and never below 0. Each product drops less than
/// one unit of Q60 and keeps the errors before it: with ticks of 10^-5 of the time constant the sum stays below 2^-42.
constexpr void write_powers(std::span<std::uint32_t> to, std::int64_t decay_q60, unsigned fraction_bits,
                            std::uint32_t minus) noexcept {
  std::int64_t power = one_q60;
  for (std::uint32_t& word : to) {
    const std::int64_t nearest = (power + (one_q60 >> (fraction_bits + 1))) >> (60 - fraction_bits);
    word = nearest > std::int64_t{minus} ? static_cast<std::uint32_t>(nearest - std::int64_t{minus}) : 0;
    power = multiply_q60(power, decay_q60);
  }
}

/// The ratio of a tick to the time constant, or why a table of so many ticks cannot be made.
[[nodiscard]] constexpr Result<double> decay_ratio(double tau_ms, double dt_ms, std::uint32_t ticks) noexcept {
  if (!is_finite(tau_ms)) return Status{Error::parameter_out_of_range, 0, tau_ms, "tau_ms"};
  if (!is_finite(dt_ms)) return Status{Error::parameter_out_of_range, 0, dt_ms, "dt_ms"};
  if (!(tau_ms > 0)) return Status{Error::parameter_not_positive, 0, tau_ms, "tau_ms"};
  if (!(dt_ms > 0)) return Status{Error::parameter_not_positive, 0, dt_ms, "dt_ms"};
  if (tau_ms * 1e-7 > dt_ms) return Status{Error::table_too_short, 0, tau_ms, "tau_ms"}; // no table is so long
  const double ratio = dt_ms > 64 * tau_ms ? 64.0 : dt_ms / tau_ms;
  if (is_above(decay_q60(ratio), ticks, one_q60 >> 20)) return Status{Error::table_too_short, 0, tau_ms, "tau_ms"};
  return ratio;
}

/// value * left / 2^31, to nearest. \cost ARM968E-S: a long product and five instructions
[[nodiscard]] constexpr std::uint32_t times_u1_31(std::uint32_t value, std::uint32_t left) noexcept {
  return static_cast<std::uint32_t>((std::uint64_t{value} * left + (std::uint32_t{1} << 30)) >> 31);
}

/// How many low parts make both tables together shortest.
[[nodiscard]] constexpr std::size_t best_lows(std::size_t ticks) noexcept {
  std::size_t best = 1;
  for (std::size_t count = 1; count <= ticks; count *= 2) {
    if (count + (ticks - 1) / count < best + (ticks - 1) / best) best = count;
  }
  return best;
}

} // namespace detail

/// e^(-n dt / tau) for whole ticks n, one word each.
///
/// \tparam Ticks  entries, 1 to 2^16; a time constant of tau needs 13.87 tau / dt
/// \source Euler's e^x, by integers with 60 fraction bits: the same bits at compile time and at run time, with any flag
template <std::size_t Ticks>
class DecayTable {
  static_assert(Ticks >= 1 && Ticks <= (std::size_t{1} << 16),
                "neuromorph: a DecayTable has 1 to 2^16 ticks, a LongDecayTable up to 2^20; see docs/plasticity.md");

public:
  static constexpr std::size_t ticks = Ticks;

  /// Of no time constant: 1 after 0 ticks, and then 0.
  constexpr DecayTable() noexcept : left_{one} {}

  /// \param tau_ms  time constant
  /// \param dt_ms   length of a tick
  /// \errors parameter_not_positive, parameter_out_of_range (no finite number), table_too_short (after `Ticks` ticks more
  ///         than 2^-20 is left)
  /// \cost two products of 64 bits an entry
  [[nodiscard]] static constexpr Result<DecayTable> from(double tau_ms, double dt_ms) noexcept {
    const Result<double> ratio = detail::decay_ratio(tau_ms, dt_ms, std::uint32_t{Ticks});
    if (!ratio) return ratio.status();
    DecayTable table;
    detail::write_powers(table.left_, detail::decay_q60(ratio.value()), 31, 0);
    table.left_[Ticks] = 0;
    return table;
  }

  /// u1.31, 2^31 is 1: to nearest (at most 0.501 units off), 2^31 at 0, and 0 from `Ticks` on.
  [[nodiscard]] constexpr std::uint32_t at(std::uint32_t ticks_later) const noexcept {
    return left_[ticks_later < Ticks ? ticks_later : Ticks]; // one way for the product that follows
  }
  /// The same of several synapses at once.
  template <class Group>
  [[nodiscard, gnu::always_inline]] constexpr auto at(target::LaneWords<Group> ticks_later) const noexcept {
    return target::LaneWords<Group>::gather(left_, ticks_later.at_most(Ticks));
  }

  /// What is left of a value, in its own unit, to nearest of the product with `at`: less than 1.5 units off.
  /// \param value  of any unsigned fixed-point format
  [[nodiscard]] constexpr std::uint32_t decayed(std::uint32_t value, std::uint32_t ticks_later) const noexcept {
    return detail::times_u1_31(value, at(ticks_later));
  }

private:
  static constexpr std::uint32_t one = std::uint32_t{1} << 31;
  std::uint32_t left_[Ticks + 1];
};

/// As DecayTable, in two looks: n is a high and a low part, and e^(-n dt / tau) the product of both. For long time constants
/// and short ticks: 3132 bytes for tau = 1000 ms and dt = 0.1 ms, which need 138 700 ticks.
///
/// \tparam Ticks  1 to 2^20; a time constant of tau needs 13.87 tau / dt
template <std::size_t Ticks>
class LongDecayTable {
  static_assert(Ticks >= 1 && Ticks <= (std::size_t{1} << 20),
                "neuromorph: a LongDecayTable has 1 to 2^20 ticks; see docs/plasticity.md");

public:
  static constexpr std::size_t ticks = Ticks;

  /// Of no time constant: 1 after 0 ticks, and then 0.
  constexpr LongDecayTable() noexcept : low_{one}, high_{one} {}

  /// \param tau_ms  time constant
  /// \param dt_ms   length of a tick
  /// \errors as DecayTable::from
  /// \cost two products of 64 bits an entry
  [[nodiscard]] static constexpr Result<LongDecayTable> from(double tau_ms, double dt_ms) noexcept {
    const Result<double> ratio = detail::decay_ratio(tau_ms, dt_ms, std::uint32_t{Ticks});
    if (!ratio) return ratio.status();
    LongDecayTable table;
    detail::write_powers(table.low_, detail::decay_q60(ratio.value()), 32, 1);
    detail::write_powers(table.high_, detail::decay_q60(ratio.value() * static_cast<double>(lows)), 32, 1);
    return table;
  }

  /// u1.31, 2^31 is 1: less than one unit off, 2^31 at 0, and 0 from `Ticks` on.
  [[nodiscard]] constexpr std::uint32_t at(std::uint32_t ticks_later) const noexcept {
    if (ticks_later >= Ticks) return 0;
    const std::uint32_t low = low_[ticks_later % lows], high = high_[ticks_later / lows];
    // (low + 1) (high + 1) - 1, which fits.
    const std::uint64_t product = std::uint64_t{low} * high + low + high;
    const auto left = static_cast<std::uint32_t>(product >> 32);
    return (left >> 1) + (left & 1);
  }
  /// The same of several synapses at once.
  template <class Group>
  [[nodiscard, gnu::always_inline]] constexpr auto at(target::LaneWords<Group> ticks_later) const noexcept {
    return select(ticks_later < Ticks,
                  target::LaneWords<Group>::of_two_tables(low_, high_, lows, ticks_later.at_most(Ticks - 1)), 0U);
  }

  /// As DecayTable::decayed: less than two units off.
  /// \param value  of any unsigned fixed-point format
  [[nodiscard]] constexpr std::uint32_t decayed(std::uint32_t value, std::uint32_t ticks_later) const noexcept {
    return detail::times_u1_31(value, at(ticks_later));
  }

private:
  static constexpr std::size_t lows = detail::best_lows(Ticks);
  // Units of 2^-32, and one less than the number, so that 1 fits. Then each is half a unit of 2^-32 off at most, and their
  // product one, which is half a unit of the answer.
  static constexpr std::uint32_t one = 0xFFFFFFFF;
  std::uint32_t low_[lows], high_[(Ticks - 1) / lows + 1];
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
