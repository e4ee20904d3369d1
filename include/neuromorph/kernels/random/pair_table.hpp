// SPDX-License-Identifier: BSL-1.0
/// \file
/// Discrete values, six per random word, by a table of 1024 pairs with exact escapes.
#ifndef NEUROMORPH_KERNELS_RANDOM_PAIR_TABLE_HPP
#define NEUROMORPH_KERNELS_RANDOM_PAIR_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

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

/// In place of a second value in a list of pairs: it is drawn afresh, because no pair with this first value has a whole
/// cell.
inline constexpr std::uint32_t pair_first_alone = 0x1'0000;

namespace detail {

/// Calls `whole(pair, cells)` for pairs that have whole cells, and `listed(pair, end)` for what the escapes hold,
/// with the end of its part in 2^-64: first what is more than 1/64 of a cell, then the rest, so that a search is
/// short.
template <class Whole, class Listed>
constexpr void visit_pairs(const Cumulative& distribution, Whole whole, Listed listed) noexcept {
  std::uint64_t greatest = 0; // mass of a second value
  for (std::uint32_t k = 0; k < distribution.outcomes && k < 128; ++k)
    if (distribution.mass(k) > greatest) greatest = distribution.mass(k);
  detail::Wide sum{}; // in 2^-128
  std::uint64_t end = 0;
  for (const bool is_large : {true, false}) {
    const auto list = [&](std::uint32_t of_pair, const detail::Wide& part) {
      if (part.high >> 48 != 0 ? !is_large : is_large) return;
      sum += part;
      detail::Wide nearest = sum;
      nearest += {0, 1ULL << 63};
      // What is rounded to nothing is not listed.
      if (nearest.high == end) return;
      end = nearest.high;
      listed(of_pair, end);
    };
    for (std::uint32_t first = 0; first < distribution.outcomes; ++first) {
      if (distribution.is_sure(first)) {
        if (is_large && first < 128) whole(first << 8 | first, 1024);
      } else if (detail::Wide::product(distribution.mass(first), greatest).high >> 54 == 0) {
        list(pair_first_alone | first, {distribution.mass(first), 0});
      } else {
        for (std::uint32_t second = 0; second < distribution.outcomes; ++second) {
          detail::Wide part = detail::Wide::product(distribution.mass(first), distribution.mass(second));
          const auto cells = second < 128 ? static_cast<std::uint32_t>(part.high >> 54) : 0U;
          if (is_large && cells != 0) whole(second << 8 | first, cells);
          part.high -= std::uint64_t{cells} << 54;
          list(second << 8 | first, part);
        }
      }
    }
  }
}

} // namespace detail

/// How the pairs of a distribution fill the cells of a pair table.
struct PairShape {
  std::uint32_t whole_cells = 0; ///< of 1024
  std::uint32_t listed = 0;      ///< pairs, or first values alone, to which the escapes lead

  [[nodiscard]] static constexpr PairShape of(const Cumulative& distribution) noexcept {
    PairShape shape;
    detail::visit_pairs(
        distribution, [&](std::uint32_t, std::uint32_t cells) { shape.whole_cells += cells; },
        [&](std::uint32_t, std::uint64_t) { ++shape.listed; });
    return shape;
  }
};

/// Six values per random word: a cell of 1024 belongs whole to one pair of outcomes, or is an escape.
///
/// The pair (a, b) has floor(1024 P(a) P(b)) cells; what is left of all pairs together fills the escape cells.
///
/// \tparam Outcomes  most outcomes, 1..256
/// \tparam Listed    most entries of the list behind the escapes: PairShape::of(...).listed, and at least 1
/// \tparam Escapes   most escape cells, 1..512
/// \exact  the probability of each pair is within 2^-64 of the product of two probabilities of the word table
/// \cost   2 KB, 8 bytes per outcome, 12 per listed pair, 2 per escape cell; per value 16/3 random bits, and per pair
///         32 more with the chance `escape_cells() / 1024`
/// \source as ByteTable; the pairs are ours
template <std::size_t Outcomes, std::size_t Listed, std::size_t Escapes = 512>
class PairTable {
public:
  static constexpr std::size_t block_values = 6 * discrete_block_words;
  /// Marks an escape in a cell, over the escape's number.
  static constexpr std::uint16_t mark = 0x8000;

  /// Always 0.
  constexpr PairTable() noexcept = default;

  /// \pre suits(shape), at most Outcomes outcomes, Listed listed, and Escapes escape cells
  explicit constexpr PairTable(const Cumulative& distribution) noexcept : words_{distribution} {
    std::uint32_t cell = 1024;
    std::uint64_t before = 0;
    detail::visit_pairs(
        distribution,
        [&](std::uint32_t pair, std::uint32_t cells) {
          for (; cells != 0; --cells) cells_[--cell] = static_cast<std::uint16_t>(pair);
        },
        [&](std::uint32_t pair, std::uint64_t end) {
          if (before != 0) escapes_.append(before);
          listed_[escapes_.last] = pair;
          before = end;
        });
    escape_cells_ = cell;
    for (std::uint32_t escape = 0, at = 0; escape < escape_cells_; ++escape) {
      at = escapes_.position(escape << 22, at);
      cells_[escape] = static_cast<std::uint16_t>(mark | escape);
      starts_[escape] = static_cast<std::uint16_t>(at);
    }
  }

  /// At least half of the cells are whole.
  [[nodiscard]] static constexpr bool suits(const PairShape& shape) noexcept { return shape.whole_cells >= 512; }

  /// \errors as the description's; more outcomes than Outcomes, listed than Listed, escapes than Escapes: buffer_full,
  ///         `value` their number; fewer than 512 whole cells, so that another table is the better choice: buffer_full,
  ///         `where` 0
  template <DiscreteDistribution Description>
  [[nodiscard]] static constexpr Result<PairTable> from(const Description& description) noexcept {
    return detail::table_from<PairTable>(description, Outcomes, [](const Cumulative& distribution) -> Status {
      const PairShape shape = PairShape::of(distribution);
      const std::uint32_t escapes = 1024 - shape.whole_cells;
      if (!suits(shape)) return {Error::buffer_full, 0, distribution.outcomes};
      if (shape.listed > Listed) return {Error::buffer_full, shape.listed, shape.listed};
      if (escapes > Escapes) return {Error::buffer_full, escapes, escapes};
      return {};
    });
  }

  /// First value in the low byte, second in the high byte.
  [[nodiscard]] constexpr const std::array<std::uint16_t, 1024>& cells() const noexcept { return cells_; }
  [[nodiscard]] constexpr std::uint32_t escape_cells() const noexcept { return escape_cells_; }
  /// Bounds of what the escape cells hold, in 2^-64, and the pairs between them, as in a cell. Instead of a second
  /// value there may be pair_first_alone.
  [[nodiscard]] constexpr const Bounds<Listed>& bounds() const noexcept { return escapes_; }
  [[nodiscard]] constexpr const std::array<std::uint32_t, Listed>& listed() const noexcept { return listed_; }
  /// Where the search among the bounds may begin, by the number of the escape: the bounds before are below its keys.
  [[nodiscard]] constexpr const std::array<std::uint16_t, Escapes>& starts() const noexcept { return starts_; }
  [[nodiscard]] constexpr const WordTable<Outcomes>& words() const noexcept { return words_; }

  /// The first value of a pair.
  template <class Source>
  [[nodiscard]] constexpr std::uint32_t draw(Source& source) const noexcept {
    static_assert(detail::is_random_source<Source>());
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

  /// The pair behind an escape, in the form of a cell.
  template <class Source>
  [[nodiscard]] constexpr std::uint32_t resolve(Source& source, std::uint32_t cell) const noexcept {
    const std::uint32_t escape = cell & 0x1FFU;
    const std::uint32_t key = escape << 22 | source.next() >> 10;
    const std::uint32_t pair = listed_[escapes_.resolve(key, escapes_.position(key, starts_[escape]), source)];
    return pair < pair_first_alone ? pair : words_.draw(source) << 8 | (pair & 0xFFU);
  }

  /// Refused in words: what is no source.
  template <class Target, class Source, class Element>
  constexpr void fill_any(Source&, std::span<Element>) const noexcept {
    static_assert(detail::is_random_source<Source>());
  }
  template <class Target, RandomSource Source, class Element>
  constexpr void fill_any(Source& source, std::span<Element> values) const noexcept {
    constexpr bool is_callable = requires(detail::AnyDraws & any, std::uint8_t * bytes) {
      Target::pair_blocks(any, lookup(), values.size(), bytes);
    };
    constexpr bool draws = requires {
      Target::pair_blocks(source, lookup(), values.size(), values.data());
    }; // from this one
    if constexpr (detail::has_loop<Target, offer::PairBlocks, is_callable>() && draws) {
      if (const std::size_t blocks = values.size() / block_values; blocks != 0 && !std::is_constant_evaluated()) {
        Target::pair_blocks(source, lookup(), blocks, values.data());
        values = values.subspan(blocks * block_values);
      }
    }
    detail::fill_in_blocks<block_values>(values, [&](Element* to, std::size_t count) {
      Marked marked;           // NOLINT: written before it is read
      detail::MainWords words; // NOLINT: written before it is read
      detail::draw_words<Target>(source, {words.data(), (count + 5) / 6});
      const std::size_t whole = count / 6;
      std::size_t marks = look_up<Target>(words, whole, to, marked);
      std::array<Element, 2> last{}; // of an odd number of values
      const auto place = [&](std::size_t at) { return at + 1 < count ? to + at : last.data(); };
      if (6 * whole != count) {
        std::uint32_t word = words[whole];
        for (std::size_t at = 6 * whole; at < count; at += 2, word >>= 10) {
          const std::uint32_t pair = cells_[word & 0x3FFU];
          store(place(at), pair);
          if (pair >= mark) marked[marks++] = static_cast<std::uint8_t>(at / 2);
        }
      }
      if (marks != 0) {
        detail::draw_further(source, [&](auto& further) {
          for (std::size_t i = 0; i < marks; ++i) {
            Element* at = place(2 * std::size_t{marked[i]});
            store(at, resolve(further, static_cast<std::uint32_t>(at[1]) << 8 | at[0]));
          }
        });
      }
      if (count % 2 != 0) to[count - 1] = last[0];
    });
  }

  [[nodiscard]] constexpr target::PairLookup lookup() const noexcept {
    const auto& words = words_.bounds();
    return {cells_.data(),  starts_.data(),    escapes_.high.data(), escapes_.low.data(),
            listed_.data(), words.high.data(), words.low.data(),     words.high.data() + words.last};
  }

  template <class Element>
  static constexpr void store(Element* at, std::uint32_t pair) noexcept {
    at[0] = static_cast<Element>(pair & 0xFFU);
    at[1] = static_cast<Element>(pair >> 8);
  }

  /// The cells of whole words, in order; `marked` gets the numbers of pairs that escape, and their number is the
  /// result.
  template <class Target, class Element>
  constexpr std::size_t look_up(const detail::MainWords& words, std::size_t count, Element* to,
                                Marked& marked) const noexcept {
    constexpr bool is_callable = requires(std::uint8_t * bytes) {
      Target::pair_cells(words.data(), count, cells_.data(), bytes, marked.data());
    };
    if constexpr (detail::has_loop<Target, offer::PairCells, is_callable>() && std::is_same_v<Element, std::uint8_t>) {
      if (!std::is_constant_evaluated())
        return Target::pair_cells(words.data(), count, cells_.data(), to, marked.data());
    }
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
  Bounds<Listed> escapes_;
  std::array<std::uint32_t, Listed> listed_{};
  std::array<std::uint16_t, Escapes> starts_{};
  WordTable<Outcomes> words_;
  std::uint32_t escape_cells_ = 0;
};

namespace detail {

template <auto description>
[[nodiscard]] consteval auto make_pair_table() {
  constexpr Cumulative distribution = cumulative_of<description>();
  constexpr PairShape shape = PairShape::of(distribution);
  constexpr auto at_least_one = [](std::uint32_t count) { return count > 0 ? count : 1; };
  using Table = PairTable<distribution.outcomes, at_least_one(shape.listed), at_least_one(1024 - shape.whole_cells)>;
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
