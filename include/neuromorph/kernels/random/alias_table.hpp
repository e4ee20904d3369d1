// SPDX-License-Identifier: BSL-1.0
/// \file
/// Discrete values of few outcomes, two per random word, by a table small enough for vector registers.
// not in the umbrella: for hosts with vectors
#ifndef NEUROMORPH_KERNELS_RANDOM_ALIAS_TABLE_HPP
#define NEUROMORPH_KERNELS_RANDOM_ALIAS_TABLE_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/discrete_table.hpp>
#include <neuromorph/kernels/random/distribution.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/discrete_lookup.hpp>
#include <neuromorph/target/loops.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Two values per random word: a value's low bits choose one of the cells, which are equally likely. The rest is a number that
/// is compared with the cell's threshold, and gives the cell's own outcome where it is below it, else its alias.
///
/// \tparam Cells  32, 64 or 128: as many outcomes at most, those without a chance left out
/// \exact  each probability is that of the word table, to the last of 64 bits
/// \cost   14 bytes per cell; 16 random bits per value, and 64 more with the chance Cells / 2^16
/// \source A. J. Walker, An efficient method for generating discrete random variables with general distributions, ACM
///         TOMS 3 (1977); M. D. Vose, A linear algorithm for generating random numbers with a given distribution, IEEE
///         TSE 17 (1991); differences: whole numbers without rounding, and thresholds that are compared in two parts
template <std::size_t Cells>
class AliasTable {
  static_assert(Cells == 32 || Cells == 64 || Cells == 128,
                "neuromorph: an alias table has 32, 64 or 128 cells; see docs/sources.md");

public:
  static constexpr std::size_t block_values = 1024;
  static constexpr unsigned cell_bits = static_cast<unsigned>(std::countr_zero(Cells));
  /// Bits of a threshold that a value's first 16 bits leave open.
  static constexpr unsigned open_bits = 48;

  /// Always 0.
  constexpr AliasTable() noexcept {
    for (std::size_t cell = 0; cell < Cells; ++cell) set(cell, 0, 0, 0);
  }

  /// \pre suits(distribution)
  explicit constexpr AliasTable(const Cumulative& distribution) noexcept {
    // What the cells have of their own outcomes; those without one have nothing.
    std::array<std::uint64_t, Cells> mass{};
    std::array<std::uint8_t, Cells> outcome{};
    std::size_t used = 0;
    for (std::uint32_t k = 0; k < distribution.outcomes; ++k) {
      if (distribution.is_sure(k)) { // of a mass that 64 bits do not hold
        for (std::size_t cell = 0; cell < Cells; ++cell) set(cell, 0, k, k);
        return;
      }
      if (distribution.mass(k) == 0) continue;
      mass[used] = distribution.mass(k);
      outcome[used++] = static_cast<std::uint8_t>(k);
    }
    // Two stacks. What a cell lacks is filled up by the last of those that have too much; that one has less then, and
    // may lack something itself. All together have what fills all cells, so that none is left without a giver.
    std::array<std::uint8_t, Cells> lacking{}, rich{};
    std::size_t lack = 0, riches = 0;
    for (std::size_t cell = 0; cell < Cells; ++cell)
      (mass[cell] < cell_mass ? lacking[lack++] : rich[riches++]) = static_cast<std::uint8_t>(cell);
    while (lack != 0) {
      const std::size_t cell = lacking[--lack], giver = rich[riches - 1];
      set(cell, mass[cell], outcome[cell], outcome[giver]);
      mass[giver] -= cell_mass - mass[cell];
      if (mass[giver] < cell_mass) {
        --riches;
        lacking[lack++] = static_cast<std::uint8_t>(giver);
      }
    }
    while (riches != 0) {
      const std::size_t cell = rich[--riches];
      set(cell, 0, outcome[cell], outcome[cell]);
    }
  }

  /// No more outcomes with a chance than cells.
  [[nodiscard]] static constexpr bool suits(const Cumulative& distribution) noexcept {
    return outcomes_of(distribution) <= Cells;
  }

  /// \errors as the description's; more outcomes than cells: buffer_full, `value` their number
  template <DiscreteDistribution Description>
  [[nodiscard]] static constexpr Result<AliasTable> from(const Description& description) noexcept {
    return detail::table_from<AliasTable>(description, Cumulative::most_outcomes, [](const Cumulative& distribution) {
      const std::uint32_t outcomes = outcomes_of(distribution);
      return suits(distribution) ? Status{} : Status{Error::buffer_full, outcomes, outcomes};
    });
  }

  /// A cell's threshold, of 2^(64 - cell_bits).
  [[nodiscard]] constexpr std::uint64_t threshold(std::size_t cell) const noexcept {
    return std::uint64_t{thresholds_[cell]} >> cell_bits << open_bits | rest_[cell];
  }
  [[nodiscard]] constexpr std::uint32_t own(std::size_t cell) const noexcept { return outcomes_[Cells + cell]; }
  [[nodiscard]] constexpr std::uint32_t alias(std::size_t cell) const noexcept { return outcomes_[cell]; }

  /// Outcomes that have a chance.
  [[nodiscard]] static constexpr std::uint32_t outcomes_of(const Cumulative& distribution) noexcept {
    std::uint32_t outcomes = 0;
    for (std::uint32_t k = 0; k < distribution.outcomes; ++k)
      outcomes += distribution.mass(k) != 0 || distribution.is_sure(k) ? 1U : 0U;
    return outcomes;
  }

  template <class Source>
  [[nodiscard]] constexpr std::uint32_t draw(Source& source) const noexcept {
    static_assert(detail::is_random_source<Source>());
    const std::uint32_t half = source.next() & 0xFFFFU;
    const std::size_t cell = half % Cells;
    if (half == thresholds_[cell]) return resolve(source, cell);
    return half < thresholds_[cell] ? own(cell) : alias(cell);
  }

  template <class Target = target::Native, class Source>
  constexpr void fill(Source& source, std::span<std::uint8_t> values) const noexcept {
    fill_any<Target>(source, values);
  }
  template <class Target = target::Native, class Source>
  constexpr void fill(Source& source, std::span<std::uint32_t> values) const noexcept {
    fill_any<Target>(source, values);
  }

  friend constexpr bool operator==(const AliasTable&, const AliasTable&) noexcept = default;

private:
  static constexpr std::uint64_t cell_mass = std::uint64_t{1} << (64 - cell_bits);

  constexpr void set(std::size_t cell, std::uint64_t threshold, std::uint32_t own, std::uint32_t alias) noexcept {
    // With the cell's number below it, a threshold is compared with all 16 bits of a value.
    thresholds_[cell] = static_cast<std::uint16_t>(threshold >> open_bits << cell_bits | cell);
    rest_[cell] = threshold & ((std::uint64_t{1} << open_bits) - 1);
    outcomes_[Cells + cell] = static_cast<std::uint16_t>(own);
    outcomes_[cell] = static_cast<std::uint16_t>(alias);
  }

  template <class Source>
  [[nodiscard]] constexpr std::uint32_t resolve(Source& source, std::size_t cell) const noexcept {
    const std::uint64_t high = source.next();
    const std::uint32_t low = source.next();
    return (high << 32 | low) >> (64 - open_bits) < rest_[cell] ? own(cell) : alias(cell);
  }

  /// Refused in words: what is no source.
  template <class Target, class Source, class Element>
  constexpr void fill_any(Source&, std::span<Element>) const noexcept {
    static_assert(detail::is_random_source<Source>());
  }
  template <class Target, RandomSource Source, class Element>
  constexpr void fill_any(Source& source, std::span<Element> values) const noexcept {
    detail::fill_in_blocks<block_values>(values, [&](Element* to, std::size_t count) {
      std::array<std::uint32_t, block_values / 2> words; // NOLINT: written before it is read
      std::array<std::uint16_t, block_values> open;      // NOLINT: written before it is read
      detail::draw_words<Target>(source, {words.data(), (count + 1) / 2});
      std::size_t opened = 0;
      if constexpr (std::is_same_v<Element, std::uint8_t>) {
        opened = look_up<Target>(words.data(), count, to, open.data());
      } else {
        std::array<std::uint8_t, block_values> bytes; // NOLINT: written before it is read
        opened = look_up<Target>(words.data(), count, bytes.data(), open.data());
        for (std::size_t i = 0; i < count; ++i) to[i] = bytes[i];
      }
      if (opened == 0) return;
      detail::draw_further(source, [&](auto& further) {
        for (std::size_t i = 0; i < opened; ++i) {
          const std::size_t at = open[i], cell = (words[at / 2] >> 16 * (at % 2)) % Cells;
          to[at] = static_cast<Element>(resolve(further, cell));
        }
      });
    });
  }

  /// What the cells give for the halfwords of `words`, the lower one first; `open` gets the positions of those that equal a
  /// threshold, ascending, and their number is the result.
  template <class Target>
  constexpr std::size_t look_up(const std::uint32_t* words, std::size_t count, std::uint8_t* to,
                                std::uint16_t* open) const noexcept {
    std::size_t at = 0, opened = 0;
    const target::AliasLookup lookup{thresholds_.data(), outcomes_.data() + Cells, outcomes_.data(), Cells};
    constexpr bool is_callable = requires { target::Begun{Target::alias_cells(lookup, words, count, to, open)}; };
    if constexpr (detail::has_loop<Target, offer::AliasCells, is_callable>()) {
      if (!std::is_constant_evaluated()) {
        const target::Begun begun = Target::alias_cells(lookup, words, count, to, open);
        at = begun.done, opened = begun.found;
      }
    }
    const auto look = [&](std::uint32_t half, std::size_t position) {
      const std::size_t cell = half % Cells;
      const std::uint32_t threshold = thresholds_[cell], is_below = (half - threshold) >> 31;
      // By an address: of a choice compilers make a branch, which random bits mislead every other time.
      to[position] = static_cast<std::uint8_t>(outcomes_[cell + (is_below << cell_bits)]);
      if (half == threshold) [[unlikely]]
        open[opened++] = static_cast<std::uint16_t>(position);
    };
    for (; at < count; at += 2) { // whole words are done
      const std::uint32_t word = words[at / 2];
      look(word & 0xFFFFU, at);
      if (at + 1 < count) look(word >> 16, at + 1);
    }
    return opened;
  }

  std::array<std::uint64_t, Cells> rest_{};
  std::array<std::uint16_t, Cells> thresholds_{};
  std::array<std::uint16_t, 2 * Cells> outcomes_{}; // aliases, then the cells' own
};

namespace detail {

template <auto description>
[[nodiscard]] consteval auto make_alias_table() {
  constexpr Cumulative distribution = cumulative_of<description>();
  constexpr std::uint32_t outcomes = AliasTable<128>::outcomes_of(distribution);
  static_assert(outcomes <= 128, "neuromorph: this distribution has more than the 128 outcomes of an alias table; take "
                                 "word_table; see docs/sources.md");
  using Table = AliasTable<outcomes <= 32 ? 32 : outcomes <= 64 ? 64 : 128>;
  if constexpr (outcomes <= 128)
    return Table(distribution);
  else
    return Table(); // of which nothing more is said
}

} // namespace detail

/// The alias table of a distribution that is known at compile time, once in a program however many sources use it:
/// `alias_table<Poisson(1.2)>.fill(source, counts)`.
template <auto description>
inline constexpr auto alias_table = detail::make_alias_table<description>();

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
