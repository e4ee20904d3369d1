// SPDX-License-Identifier: BSL-1.0
/// \file
/// Poisson sources whose rates change while they run: any number of them, at any rates, with one set of tables.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_RANDOM_POISSON_SOURCES_HPP
#define NEUROMORPH_KERNELS_RANDOM_POISSON_SOURCES_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/random/distribution.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/kernels/random/word_table.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Events of a step at any rate, by tables of the rates 2^Lowest, 2^(Lowest + 1), to 2^Highest. The one at or above the rate
/// is drawn from, and each of its events is kept with the chance rate / 2^n. That is again a Poisson distribution.
///
/// A rate is a whole number of 2^-26 events a step: 0.00015 Hz with steps of 0.1 ms. To change it is to write another number;
/// no table is made. Rates below the lowest table's take that one. Between two tables up to half of the events are drawn in
/// vain.
///
/// \tparam Lowest, Highest  -16 to 5; more tables in between cost memory, fewer cost draws
/// \exact  as the word tables, whose probabilities are within 2^-64; a kept event's chance has no error
/// \cost   the word tables, 1.9 KB for -3 to 3, shared with all others of the program; a value takes 32 random bits and a
///         search, and 32 more for each event where the rate is no table's; none at rate 0
template <int Lowest = -3, int Highest = 3>
class PoissonLadder {
  static_assert(Lowest >= -16 && Lowest <= Highest && Highest <= 5,
                "neuromorph: a PoissonLadder has tables of 2^-16 to 2^5 events a step; see docs/sources.md");

public:
  static constexpr int fraction_bits = 26;
  /// The rate of the highest table, which may be asked for.
  static constexpr std::uint32_t highest_rate = std::uint32_t{1} << (fraction_bits + Highest);

  /// Events a step as a rate, to nearest: within 2^-27 of it.
  /// \errors parameter_out_of_range: below 0, above 2^Highest, no number
  [[nodiscard]] static constexpr Result<std::uint32_t> rate(double per_step) noexcept {
    const std::int64_t units = detail::to_fixed(per_step, fraction_bits);
    if (!(per_step >= 0.0) || units > highest_rate) return Status{Error::parameter_out_of_range, 0, per_step, "rate"};
    return static_cast<std::uint32_t>(units);
  }

  /// \param rate  up to highest_rate
  template <class Source>
  [[nodiscard]] static constexpr std::uint32_t draw(Source& source, std::uint32_t rate) noexcept {
    static_assert(detail::is_random_source<Source>());
    if (rate == 0) return 0;
    const int above = static_cast<int>(std::bit_width(rate - 1)) - fraction_bits;
    const int table = above < Lowest ? Lowest : above;
    const std::uint32_t events = draw_from(source, table);
    if (rate >> (fraction_bits + table) != 0) return events;
    const std::uint32_t chance = rate << (32 - fraction_bits - table); // 2^32
    std::uint32_t kept = 0;
    for (std::uint32_t event = 0; event < events; ++event) kept += source.next() < chance ? 1U : 0U;
    return kept;
  }

  /// A value for each rate, in their order.
  template <class Source>
  static constexpr void fill(Source& source, std::span<const std::uint32_t> rates,
                             std::span<std::uint8_t> values) noexcept {
    for (std::size_t at = 0; at < rates.size() && at < values.size(); ++at)
      values[at] = static_cast<std::uint8_t>(draw(source, rates[at]));
  }

private:
  template <int Exponent = Lowest, class Source>
  [[nodiscard]] static constexpr std::uint32_t draw_from(Source& source, int table) noexcept {
    if constexpr (Exponent < Highest)
      if (table != Exponent) return draw_from<Exponent + 1>(source, table);
    return table_of<Exponent>().draw(source);
  }
  template <int Exponent>
  [[nodiscard]] static constexpr const auto& table_of() noexcept {
    return word_table<Poisson(Exponent < 0 ? 1.0 / (1 << (Exponent < 0 ? -Exponent : 0))
                                           : static_cast<double>(1 << (Exponent < 0 ? 0 : Exponent)))>;
  }
};

/// A population of Poisson sources: in each step those that fire, by number, as a Population has it. Rates are set one by one,
/// or follow from a function of source and step.
///
/// \tparam Sources  how many
/// \tparam Most     spikes of a step that there is room for; others are lost, and counted
/// \tparam Ladder   a PoissonLadder
template <std::size_t Sources, std::size_t Most = 2 * Sources, class Ladder = PoissonLadder<>>
class PoissonSources {
public:
  /// Of a source from the next step on, in events a step.
  /// \errors index_out_of_range; as Ladder::rate
  constexpr Status set(std::size_t source, double per_step) noexcept {
    if (source >= Sources) return {Error::index_out_of_range, static_cast<std::uint32_t>(source), source, "source"};
    const auto made = Ladder::rate(per_step);
    if (!made) return {made.status().error, static_cast<std::uint32_t>(source), per_step, "rate"};
    rates_[source] = made.value();
    return {};
  }
  [[nodiscard]] constexpr std::span<const std::uint32_t, Sources> rates() const noexcept { return rates_; }

  /// The sources that fire, ascending; one that fires n times is there n times. Valid until the next step.
  template <class Random>
  constexpr std::span<const std::uint32_t> step(Random& random) noexcept {
    return step(random, [this](std::uint32_t source) { return rates_[source]; });
  }
  /// The same at the rates of a function.
  ///
  /// \param rate_of  rate_of(source), asked for each source in each step: a number as of Ladder::rate. One above
  ///                 highest_rate is held there, and counted in `held`
  template <class Random, class RateOf>
  constexpr std::span<const std::uint32_t> step(Random& random, RateOf rate_of) noexcept {
    std::size_t count = 0;
    for (std::uint32_t source = 0; source < Sources; ++source) {
      std::uint32_t rate = rate_of(source);
      if (rate > Ladder::highest_rate) [[unlikely]]
        rate = Ladder::highest_rate, ++held_;
      for (std::uint32_t events = Ladder::draw(random, rate); events != 0; --events) {
        if (count == Most) [[unlikely]] {
          lost_ += events;
          break;
        }
        spikes_[count++] = source;
      }
    }
    return std::span<const std::uint32_t>{spikes_}.first(count);
  }

  /// Spikes that the list had no room for, since the start.
  [[nodiscard]] constexpr std::uint32_t lost() const noexcept { return lost_; }
  /// Rates that were held at the highest, since the start.
  [[nodiscard]] constexpr std::uint32_t held() const noexcept { return held_; }

private:
  std::array<std::uint32_t, Sources> rates_{};
  std::array<std::uint32_t, Most> spikes_{};
  std::uint32_t lost_ = 0, held_ = 0;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
