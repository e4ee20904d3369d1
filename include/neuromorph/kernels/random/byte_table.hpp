// SPDX-License-Identifier: BSL-1.0
/// \file
/// Discrete values, four per random word, by a table of 256 bytes with exact escapes.
#ifndef NEUROMORPH_KERNELS_RANDOM_BYTE_TABLE_HPP
#define NEUROMORPH_KERNELS_RANDOM_BYTE_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/discrete_table.hpp>
#include <neuromorph/kernels/random/distribution.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Four values per random word: a cell of 256 belongs whole to one outcome, or is an escape.
///
/// Outcome k has floor(256 P(k)) cells; what is left of all outcomes together fills the escape cells exactly.
///
/// \tparam Outcomes  most outcomes, 1..256
/// \exact  each probability is that of the word table, to the last of 64 bits
/// \cost   264 bytes, and 9 per outcome; 8 random bits per value, and 32 more with the chance `escape_cells() / 256`
/// \source as WordTable, section 1.5; differences: the paper's table is biased by its granularity, this one is not
template <std::size_t Outcomes>
class ByteTable {
public:
  static constexpr std::size_t block_values = 4 * discrete_block_words;
  /// Marks an escape in a cell, over the escape's number.
  static constexpr std::uint8_t mark = 0x80;

  /// Always 0.
  constexpr ByteTable() noexcept = default;

  /// \pre suits(distribution) and at most Outcomes outcomes
  explicit constexpr ByteTable(const Cumulative& distribution) noexcept {
    std::uint32_t cell = 256;
    std::uint64_t sum = 0;
    for (std::uint32_t k = 0; k < distribution.outcomes; ++k) {
      const std::uint32_t whole = cells_of(distribution, k);
      for (std::uint32_t i = 0; i < whole; ++i) cells_[--cell] = static_cast<std::uint8_t>(k);
      sum += distribution.mass(k) - (std::uint64_t{whole} << 56);
      if (k + 1 < distribution.outcomes) escapes_.append(sum);
    }
    escape_cells_ = cell;
    for (std::uint32_t escape = 0, at = 0; escape < escape_cells_; ++escape) {
      at = escapes_.position(escape << 24, at);
      cells_[escape] = static_cast<std::uint8_t>(mark | escape);
      starts_[escape] = static_cast<std::uint8_t>(at);
    }
  }

  /// Escapes fit their seven bits: at least half of the cells are whole.
  [[nodiscard]] static constexpr bool suits(const Cumulative& distribution) noexcept {
    std::uint32_t whole = 0;
    for (std::uint32_t k = 0; k < distribution.outcomes; ++k) whole += cells_of(distribution, k);
    return whole >= 128;
  }

  /// \errors as the description's; more outcomes than Outcomes: buffer_full, `value` their number; fewer than 128
  ///         whole cells, so that a word table is the better choice: buffer_full, `where` 0
  template <DiscreteDistribution Description>
  [[nodiscard]] static constexpr Result<ByteTable> from(const Description& description) noexcept {
    return detail::table_from<ByteTable>(description, Outcomes, [](const Cumulative& distribution) {
      return suits(distribution) ? Status{} : Status{Error::buffer_full, 0, distribution.outcomes};
    });
  }

  [[nodiscard]] constexpr const std::array<std::uint8_t, 256>& cells() const noexcept { return cells_; }
  /// Bounds of what the escape cells hold, in 2^-64.
  [[nodiscard]] constexpr const Bounds<Outcomes>& bounds() const noexcept { return escapes_; }
  [[nodiscard]] constexpr std::uint32_t escape_cells() const noexcept { return escape_cells_; }
  /// Where the search among the bounds may begin, by the number of the escape: the bounds before are below its keys.
  [[nodiscard]] constexpr std::span<const std::uint8_t> starts() const noexcept {
    return {starts_.data(), escape_cells_};
  }

  template <class Source>
  [[nodiscard]] constexpr std::uint32_t draw(Source& source) const noexcept {
    static_assert(detail::is_random_source<Source>());
    const std::uint32_t cell = cells_[source.next() & 0xFFU];
    return (cell & mark) == 0 ? cell : resolve<target::Native>(source, cell);
  }

  template <class Target = target::Native, class Source>
  constexpr void fill(Source& source, std::span<std::uint8_t> values) const noexcept {
    fill_any<Target>(source, values);
  }
  template <class Target = target::Native, class Source>
  constexpr void fill(Source& source, std::span<std::uint32_t> values) const noexcept {
    fill_any<Target>(source, values);
  }

  friend constexpr bool operator==(const ByteTable&, const ByteTable&) noexcept = default;

private:
  /// Less than a cell of each outcome below 128, and at most half of the cells.
  static constexpr std::size_t most_escapes = Outcomes < 128 ? Outcomes : 128;
  using Marked = std::array<std::uint8_t, block_values + 1>; // one more, written and then left out

  static constexpr std::uint32_t cells_of(const Cumulative& distribution, std::uint32_t k) noexcept {
    return k < mark ? distribution.whole_cells<8>(k) : 0;
  }

  template <class Target, class Source>
  [[nodiscard]] constexpr std::uint32_t resolve(Source& source, std::uint32_t cell) const noexcept {
    const std::uint32_t escape = cell & 0x7FU;
    const std::uint32_t key = escape << 24 | source.next() >> 8;
    // Few steps from the start; but a machine with vectors and a cache also guesses branches, and those on random bits
    // wrongly.
    if constexpr (Target::Lanes::count > 1 && Target::has_cache)
      return escapes_.resolve(key, escapes_.position(key), source);
    else
      return escapes_.resolve(key, escapes_.position(key, starts_[escape]), source);
  }

  /// Refused in words: what is no source.
  template <class Target, class Source, class Element>
  constexpr void fill_any(Source&, std::span<Element>) const noexcept {
    static_assert(detail::is_random_source<Source>());
  }
  template <class Target, RandomSource Source, class Element>
  constexpr void fill_any(Source& source, std::span<Element> values) const noexcept {
    constexpr bool is_callable = requires(detail::AnyDraws & any, std::uint8_t * bytes) {
      Target::byte_blocks(any, lookup(), values.size(), bytes);
    };
    constexpr bool draws = requires {
      Target::byte_blocks(source, lookup(), values.size(), values.data());
    }; // from this one
    if constexpr (detail::has_loop<Target, offer::ByteBlocks, is_callable>() && draws) {
      if (const std::size_t blocks = values.size() / block_values; blocks != 0 && !std::is_constant_evaluated()) {
        Target::byte_blocks(source, lookup(), blocks, values.data());
        values = values.subspan(blocks * block_values);
      }
    }
    detail::fill_in_blocks<block_values>(values, [&](Element* to, std::size_t count) {
      Marked marked;           // NOLINT: written before it is read
      detail::MainWords words; // NOLINT: written before it is read
      detail::draw_words<Target>(source, {words.data(), (count + 3) / 4});
      std::size_t marks = look_up<Target>(words, count / 4, to, marked);
      if (const std::size_t whole = count & ~std::size_t{3}; whole != count) {
        std::uint32_t word = words[whole / 4];
        for (std::size_t at = whole; at < count; ++at, word >>= 8) {
          const std::uint32_t value = cells_[word & 0xFFU];
          to[at] = static_cast<Element>(value);
          if (value >= mark) marked[marks++] = static_cast<std::uint8_t>(at);
        }
      }
      if (marks == 0) return;
      detail::draw_further(source, [&](auto& further) {
        for (std::size_t i = 0; i < marks; ++i) {
          Element& value = to[marked[i]];
          value = static_cast<Element>(resolve<Target>(further, value));
        }
      });
    });
  }

  [[nodiscard]] constexpr target::ByteLookup lookup() const noexcept {
    return {cells_.data(), starts_.data(), escapes_.high.data(), escapes_.low.data()};
  }

  /// The cells of whole words, in order; `marked` gets the positions of escapes, and their number is the result.
  template <class Target, class Element>
  constexpr std::size_t look_up(const detail::MainWords& words, std::size_t count, Element* to,
                                Marked& marked) const noexcept {
    constexpr bool is_callable = requires(std::uint8_t * bytes) {
      Target::byte_cells(words.data(), count, cells_.data(), bytes, marked.data());
    };
    if constexpr (detail::has_loop<Target, offer::ByteCells, is_callable>() && std::is_same_v<Element, std::uint8_t>) {
      if (!std::is_constant_evaluated())
        return Target::byte_cells(words.data(), count, cells_.data(), to, marked.data());
    }
    std::size_t marks = 0;
    const auto note = [&](std::size_t at, std::uint32_t value) {
      marked[marks] = static_cast<std::uint8_t>(at);
      marks += value >> 7;
    };
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t word = words[i];
      const std::uint32_t value0 = cells_[word & 0xFFU], value1 = cells_[word >> 8 & 0xFFU],
                          value2 = cells_[word >> 16 & 0xFFU], value3 = cells_[word >> 24];
      to[4 * i] = static_cast<Element>(value0);
      to[4 * i + 1] = static_cast<Element>(value1);
      to[4 * i + 2] = static_cast<Element>(value2);
      to[4 * i + 3] = static_cast<Element>(value3);
      if (((value0 | value1 | value2 | value3) & mark) != 0) {
        note(4 * i, value0);
        note(4 * i + 1, value1);
        note(4 * i + 2, value2);
        note(4 * i + 3, value3);
      }
    }
    return marks;
  }

  std::array<std::uint8_t, 256> cells_{};
  Bounds<Outcomes> escapes_;
  std::uint32_t escape_cells_ = 0;
  std::array<std::uint8_t, most_escapes> starts_{};
};

namespace detail {

template <auto description>
[[nodiscard]] consteval auto make_byte_table() {
  constexpr Cumulative distribution = cumulative_of<description>();
  using Table = ByteTable<distribution.outcomes>;
  static_assert(Table::suits(distribution),
                "neuromorph: this distribution leaves less than half of a byte table whole; "
                "take word_table; see docs/sources.md");
  return Table(distribution);
}

} // namespace detail

/// The byte table of a distribution that is known at compile time, once in a program however many sources use it:
/// `byte_table<Poisson(1.6)>.fill(source, counts)`.
template <auto description>
inline constexpr auto byte_table = detail::make_byte_table<description>();

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
