// SPDX-License-Identifier: BSL-1.0
/// \file
/// Discrete values, six per random word, by a table of 1024 pairs with exact escapes.
#ifndef NEUROMORPH_KERNELS_PAIR_TABLE_HPP
#define NEUROMORPH_KERNELS_PAIR_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/wide_real.hpp>
#include <neuromorph/kernels/discrete_table.hpp>
#include <neuromorph/kernels/distribution.hpp>
#include <neuromorph/kernels/random_source.hpp>
#include <neuromorph/kernels/word_table.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Which rows of a pair table have whole cells, and how many cells are whole.
struct PairShape {
  std::uint32_t first_row = 0;
  std::uint32_t rows = 0; ///< at least 1
  std::uint32_t whole_cells = 0;

  [[nodiscard]] static constexpr PairShape of(const Cumulative& distribution) noexcept {
    PairShape shape;
    std::uint32_t end = 0;
    for (std::uint32_t first = 0; first < distribution.outcomes; ++first) {
      std::uint32_t in_row = 0;
      for (std::uint32_t second = 0; second < distribution.outcomes; ++second)
        in_row += cells_of(distribution, first, second);
      if (in_row == 0) continue;
      if (shape.whole_cells == 0) shape.first_row = first;
      end = first + 1;
      shape.whole_cells += in_row;
    }
    shape.rows = end > shape.first_row ? end - shape.first_row : 1;
    return shape;
  }

  /// floor(1024 P(first) P(second)), 0 where the mark's bit does not leave room for the second value.
  [[nodiscard]] static constexpr std::uint32_t cells_of(const Cumulative& distribution, std::uint32_t first,
                                                        std::uint32_t second) noexcept {
    if (second >= 128) return 0;
    if (distribution.is_sure(first) && distribution.is_sure(second)) return 1024;
    const std::uint64_t one = distribution.mass(first), other = distribution.mass(second);
    if (one >> 54 == 0 || other >> 54 == 0) return 0;
    return static_cast<std::uint32_t>(detail::Wide::product(one, other).high >> 54);
  }
};

/// Six values per random word: a cell of 1024 belongs whole to one pair of outcomes, or is an escape.
///
/// The pair (a, b) has floor(1024 P(a) P(b)) cells; what is left of all pairs together fills the escape cells.
///
/// \tparam Capacity  most outcomes, 1..256
/// \tparam Rows      first values for which there are whole cells: PairShape::of(...).rows
/// \exact  the probability of each pair is within 2^-64 of the product of two probabilities of the word table
/// \cost   2048 bytes, and 8 per outcome and row and twice more; per value 16/3 random bits (a third of a 16-bit half
///         word is not used), and per pair 32 more with the chance `escape_cells() / 1024`
/// \source as ByteTable; the pairs are ours
template <std::size_t Capacity, std::size_t Rows>
class PairTable {
public:
  static constexpr std::size_t block_values = 6 * discrete_block_words;
  /// Marks an escape in a cell, over the escape's number.
  static constexpr std::uint16_t mark = 0x8000;

  /// Always 0.
  constexpr PairTable() noexcept = default;

  /// \pre suits(distribution), at most Capacity outcomes, at most Rows rows
  explicit constexpr PairTable(const Cumulative& distribution) noexcept : words_{distribution} {
    const PairShape shape = PairShape::of(distribution);
    first_row_ = shape.first_row;
    rows_ = shape.rows;
    std::uint32_t cell = 1024;
    detail::Wide sum{}; // of what whole cells leave, in 2^-128
    for (std::uint32_t first = 0; first < distribution.outcomes; ++first) {
      const bool has_row = first - first_row_ < rows_;
      if (!has_row) {
        sum += {distribution.mass(first), 0};
      } else {
        Bounds<Capacity>& row = columns_[first - first_row_];
        for (std::uint32_t second = 0; second < distribution.outcomes; ++second) {
          const std::uint32_t whole = PairShape::cells_of(distribution, first, second);
          for (std::uint32_t i = 0; i < whole; ++i) cells_[--cell] = static_cast<std::uint16_t>(second << 8 | first);
          // A sure outcome's mass and its cells are 2^64, so both vanish.
          sum += detail::Wide::product(distribution.mass(first), distribution.mass(second));
          sum -= {std::uint64_t{whole} << 54, 0};
          if (second + 1 < distribution.outcomes) row.append(nearest(sum));
        }
      }
      if (first + 1 < distribution.outcomes) firsts_.append(nearest(sum));
    }
    escape_cells_ = cell;
    while (cell != 0) {
      --cell;
      cells_[cell] = static_cast<std::uint16_t>(mark | cell);
    }
  }

  /// At least half of the cells are whole.
  [[nodiscard]] static constexpr bool suits(const PairShape& shape) noexcept { return shape.whole_cells >= 512; }

  /// \errors as the description's; more outcomes than Capacity, or more rows than Rows: buffer_full, `value` their
  ///         number; fewer than 512 whole cells, so that another table is the better choice: buffer_full, `where` 0
  template <DiscreteDistribution Description>
  [[nodiscard]] static constexpr Result<PairTable> from(const Description& description) noexcept {
    const Result<Cumulative> distribution = description.cumulative();
    if (!distribution.ok()) return {{}, distribution.status};
    const std::uint32_t outcomes = distribution.value.outcomes;
    if (outcomes > Capacity) return {{}, {Error::buffer_full, outcomes, outcomes}};
    const PairShape shape = PairShape::of(distribution.value);
    if (!suits(shape)) return {{}, {Error::buffer_full, 0, outcomes}};
    if (shape.rows > Rows) return {{}, {Error::buffer_full, shape.rows, shape.rows}};
    return {PairTable(distribution.value), {}};
  }

  /// First value in the low byte, second in the high byte.
  [[nodiscard]] constexpr const std::array<std::uint16_t, 1024>& cells() const noexcept { return cells_; }
  [[nodiscard]] constexpr std::uint32_t escape_cells() const noexcept { return escape_cells_; }
  /// Bounds of what the escape cells hold, in 2^-64, by first value.
  [[nodiscard]] constexpr const Bounds<Capacity>& bounds() const noexcept { return firsts_; }
  /// ... and of what is below a first value's bound, by second value, or null where the second is drawn afresh.
  [[nodiscard]] constexpr const Bounds<Capacity>* bounds(std::uint32_t first) const noexcept {
    return first - first_row_ < rows_ ? &columns_[first - first_row_] : nullptr;
  }
  [[nodiscard]] constexpr const WordTable<Capacity>& words() const noexcept { return words_; }

  /// The first value of a pair.
  template <class Source>
  [[nodiscard]] constexpr std::uint32_t draw(Source& source) const noexcept {
    static_assert(RandomSource<Source>, "neuromorph: Source lacks 'std::uint32_t next()'; see docs/random.md");
    const std::uint32_t cell = cells_[source.next() & 0x3FFU];
    return ((cell & mark) == 0 ? cell : resolve(source, cell)) & 0xFFU;
  }

  template <class Target = target::Native, class Source>
  constexpr void fill(Source& source, std::span<std::uint8_t> values) const noexcept {
    fill_any<Target>(source, values);
  }
  template <class Target = target::Native, class Source>
  constexpr void fill(Source& source, std::span<std::uint32_t> values) const noexcept {
    fill_any<Target>(source, values);
  }

  friend constexpr bool operator==(const PairTable&, const PairTable&) noexcept = default;

private:
  using Marked = std::array<std::uint8_t, block_values / 2 + 1>; // one more, written and then left out

  static constexpr std::uint64_t nearest(detail::Wide sum) noexcept {
    sum += {0, 1ULL << 63};
    return sum.high;
  }

  /// The pair behind an escape, in the form of a cell.
  template <class Source>
  [[nodiscard]] constexpr std::uint32_t resolve(Source& source, std::uint32_t cell) const noexcept {
    LazyWord number{(cell & 0x3FFU) << 22 | source.next() >> 10};
    const std::uint32_t first = firsts_.find(number, source);
    const Bounds<Capacity>* row = bounds(first);
    return (row != nullptr ? row->find(number, source) : words_.draw(source)) << 8 | first;
  }

  template <class Target, class Source, class Element>
  constexpr void fill_any(Source& source, std::span<Element> values) const noexcept {
    detail::fill_in_blocks<block_values>(values, [&](Element* to, std::size_t count) {
      Marked marked; // NOLINT: written before it is read
      const std::size_t words = count / 6;
      std::size_t marks = 0;
      if constexpr (requires { Target::pair_cells(source, cells_.data(), words, to, marked.data()); }) {
        marks = std::is_constant_evaluated() ? look_up(source, words, to, marked)
                                             : Target::pair_cells(source, cells_.data(), words, to, marked.data());
      } else {
        marks = look_up(source, words, to, marked);
      }
      std::array<Element, 2> last{}; // of an odd number of values
      const auto place = [&](std::size_t at) { return at + 1 < count ? to + at : last.data(); };
      if (6 * words != count) {
        std::uint32_t word = source.next();
        for (std::size_t at = 6 * words; at < count; at += 2, word >>= 10) {
          const std::uint32_t pair = cells_[word & 0x3FFU];
          store(place(at), pair);
          if (pair >= mark) marked[marks++] = static_cast<std::uint8_t>(at / 2);
        }
      }
      for (std::size_t i = 0; i < marks; ++i) {
        Element* at = place(2 * std::size_t{marked[i]});
        store(at, resolve(source, static_cast<std::uint32_t>(at[1]) << 8 | at[0]));
      }
      if (count % 2 != 0) to[count - 1] = last[0];
    });
  }

  template <class Element>
  static constexpr void store(Element* at, std::uint32_t pair) noexcept {
    at[0] = static_cast<Element>(pair & 0xFFU);
    at[1] = static_cast<Element>(pair >> 8);
  }

  /// The cells of whole words, in order; `marked` gets the numbers of pairs that escape, and their number is the
  /// result.
  template <class Source, class Element>
  constexpr std::size_t look_up(Source& source, std::size_t count, Element* to, Marked& marked) const noexcept {
    std::array<std::uint32_t, discrete_block_words> words{};
    detail::draw_words(source, std::span(words).first(count));
    std::size_t marks = 0;
    const auto note = [&](std::size_t at, std::uint32_t pair) {
      marked[marks] = static_cast<std::uint8_t>(at);
      marks += pair >> 15;
    };
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t word = words[i];
      const std::uint32_t pair0 = cells_[word & 0x3FFU], pair1 = cells_[word >> 10 & 0x3FFU],
                          pair2 = cells_[word >> 20 & 0x3FFU];
      store(to + 6 * i, pair0);
      store(to + 6 * i + 2, pair1);
      store(to + 6 * i + 4, pair2);
      if (((pair0 | pair1 | pair2) & mark) != 0) {
        note(3 * i, pair0);
        note(3 * i + 1, pair1);
        note(3 * i + 2, pair2);
      }
    }
    return marks;
  }

  std::array<std::uint16_t, 1024> cells_{};
  Bounds<Capacity> firsts_;
  std::array<Bounds<Capacity>, Rows> columns_{};
  WordTable<Capacity> words_;
  std::uint32_t first_row_ = 0;
  std::uint32_t rows_ = 1;
  std::uint32_t escape_cells_ = 0;
};

namespace detail {

template <auto description>
[[nodiscard]] consteval auto make_pair_table() {
  constexpr Cumulative distribution = cumulative_of<description>();
  constexpr PairShape shape = PairShape::of(distribution);
  using Table = PairTable<distribution.outcomes, shape.rows>;
  static_assert(Table::suits(shape), "neuromorph: this distribution leaves less than half of a pair table whole; take "
                                     "byte_table or word_table; see docs/sources.md");
  return Table(distribution);
}

} // namespace detail

/// The pair table of a distribution that is known at compile time, once in a program however many sources use it:
/// `pair_table<Poisson(1.6)>.fill(source, counts)`.
template <auto description>
inline constexpr auto pair_table = detail::make_pair_table<description>();

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
