// SPDX-License-Identifier: BSL-1.0
/// \file
/// Tables that turn random words into whole numbers of a given distribution, right to 2^-64.
///
/// | table | random bits per value | for |
/// |---|---|---|
/// | `word_table<d>` | 32 | any distribution; small tables |
/// | `byte_table<d>` | 8, and 32 more in escape cells | values in blocks |
/// | `pair_table<d>` | 16/3, and 32 more per pair in escape cells | many values of few outcomes in blocks |
///
/// A table is a constant without state and serves any number of sources. docs/sources.md says which to take.
///
/// **Order of consumption**, the same on every target. `fill` works in blocks of 48 random words; only the last block
/// of a call is shorter. A block of w words first draws these w words, the main words, for 48 (words), 192 (bytes) or
/// 288 (pairs) values, w being just enough. Then each value or pair that its main word leaves open takes further words,
/// one after the other, in the order of position. `draw` is a `fill` of one value.
/// * words: value i is decided by main word i.
/// * bytes: values 4 i to 4 i + 3 by main word i, lowest byte first.
/// * pairs: values 6 i to 6 i + 5 by main word i: bits 0-9, then 10-19, then 20-29; the top two bits are not used.
/// * Bits of the last word of a call that no value needs are dropped; escapes in them take no further words. Where the
///   number of values is odd, the second value of the last pair is dropped.
/// * Two calls give what one call for all values gives if the first is for a multiple of 48, 192 or 288 values.
///
/// **Which further words.** A number v of 64 bits is compared with bounds of 64 bits: the outcome is the number of
/// bounds that are at most v. The upper half of v, the key, is known first; v's lower half is a further word, and drawn
/// only if the key equals the upper half of one of the bounds.
/// * words: the key is the main word.
/// * bytes: cells 0 to e - 1 of the 256 are escapes. Escape cell n takes one further word f, with the key
///   n * 2^24 + f / 2^8.
/// * pairs: escape cell n takes one further word f, with the key n * 2^22 + f / 2^10, compared first with the bounds of
///   the first value (rows), then, the same v, with those of the second value in its row. Where the row has no bounds
///   of its own, the second value is drawn as from a word table.
#ifndef NEUROMORPH_KERNELS_DISCRETE_TABLE_HPP
#define NEUROMORPH_KERNELS_DISCRETE_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/wide_real.hpp>
#include <neuromorph/kernels/distribution.hpp>
#include <neuromorph/kernels/random_source.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Main words of a block; see the order of consumption.
inline constexpr std::size_t discrete_block_words = 48;

/// A number of 64 bits of which the lower half is drawn only when it matters.
struct LazyWord {
  std::uint32_t key = 0;
  std::uint32_t low = 0;
  bool has_low = false;
};

/// Ascending 64-bit bounds, upper and lower halves apart, since the lower ones are hardly ever read.
///
/// The last entry stands for 2^64, its halves are all ones; a search needs no other end. Entries after it are not used.
template <std::size_t Capacity>
struct Bounds {
  static_assert(Capacity >= 1 && Capacity <= Cumulative::most_outcomes);

  std::array<std::uint32_t, Capacity> high{0xFFFF'FFFFU};
  std::array<std::uint32_t, Capacity> low{0xFFFF'FFFFU};
  std::uint32_t last = 0; ///< index of the last entry: the highest outcome

  constexpr void append(std::uint64_t bound) noexcept {
    high[last] = static_cast<std::uint32_t>(bound >> 32);
    low[last] = static_cast<std::uint32_t>(bound);
    ++last;
    high[last] = low[last] = 0xFFFF'FFFFU;
  }

  /// Number of bounds whose upper half is below the key. Halves the range without a branch on random bits.
  [[nodiscard]] constexpr std::uint32_t position(std::uint32_t key) const noexcept {
    std::uint32_t begin = 0;
    for (std::uint32_t length = last + 1; length > 1; length -= length / 2)
      begin += length / 2 & (0U - std::uint32_t{high[begin + length / 2 - 1] < key});
    return begin;
  }

  /// The same by a linear search from a position that is not behind the result.
  [[nodiscard]] constexpr std::uint32_t position(std::uint32_t key, std::uint32_t begin) const noexcept {
    while (high[begin] < key) ++begin;
    return begin;
  }

  /// Whether the lower half of a number with this key and position decides.
  [[nodiscard]] constexpr bool is_open(std::uint32_t key, std::uint32_t at) const noexcept {
    return high[at] == key && at != last;
  }

  /// The outcome of a number, from the position of its key.
  template <class Source>
  [[nodiscard]] constexpr std::uint32_t resolve(LazyWord& number, std::uint32_t at, Source& source) const noexcept {
    if (!is_open(number.key, at)) return at;
    if (!number.has_low) {
      number.low = source.next();
      number.has_low = true;
    }
    while (is_open(number.key, at) && low[at] <= number.low) ++at;
    return at;
  }

  template <class Source>
  [[nodiscard]] constexpr std::uint32_t find(LazyWord& number, Source& source) const noexcept {
    return resolve(number, position(number.key), source);
  }

  friend constexpr bool operator==(const Bounds&, const Bounds&) noexcept = default;
};

/// A value that its main word leaves open.
struct OpenValue {
  std::uint32_t position; ///< in the block
  std::uint32_t key;
};

namespace detail {

/// Where the search for a key begins, by its upper byte.
struct SearchGuide {
  std::array<std::uint8_t, 256> start{};
  friend constexpr bool operator==(const SearchGuide&, const SearchGuide&) noexcept = default;
};
struct NoSearchGuide {
  friend constexpr bool operator==(const NoSearchGuide&, const NoSearchGuide&) noexcept = default;
};

template <class Source>
constexpr void draw_words(Source& source, std::span<std::uint32_t> words) noexcept {
  static_assert(RandomSource<Source>, "neuromorph: Source lacks 'std::uint32_t next()'; see docs/random.md");
  if constexpr (requires { source.fill(words); }) {
    source.fill(words);
  } else {
    for (std::uint32_t& word : words) word = source.next();
  }
}

/// What `fill` of all tables has in common: cuts the values into blocks.
template <std::size_t BlockValues, class Element, class Block>
constexpr void fill_in_blocks(std::span<Element> values, Block block) noexcept {
  Element* to = values.data();
  std::size_t left = values.size();
  for (; left > BlockValues; left -= BlockValues, to += BlockValues) block(to, BlockValues);
  if (left != 0) block(to, left);
}

} // namespace detail

/// One value per random word, by a search among the bounds.
///
/// A fixed table has just as many outcomes as the distribution: `word_table<Poisson(1.6)>`. A table that is made while
/// loading has the given capacity: `WordTable<64>::from(Poisson(rate))`.
///
/// \tparam Capacity  most outcomes, 1..256
/// \tparam Guided    whether 256 bytes say where the search begins; the values do not depend on it
/// \exact  each probability within 2^-64 of the distribution's; the values are the same on every target
/// \cost   8 bytes per outcome, 256 for the guide; 32 random bits per value, 64 with a chance below outcomes * 2^-32
/// \source D. R. Lester et al., Streamlining SpiNNaker, 2018, sections 1.3 and 1.4; differences: the bounds have 64
///         bits and ascend, the function returns k and not k - 1, ties are continued
template <std::size_t Capacity, bool Guided = (Capacity > 32)>
class WordTable {
public:
  static constexpr std::size_t block_values = discrete_block_words;

  /// Always 0.
  constexpr WordTable() noexcept = default;

  explicit constexpr WordTable(const Cumulative& distribution) noexcept {
    for (std::size_t k = 0; k + 1 < distribution.outcomes; ++k) bounds_.append(distribution.bounds[k]);
    if constexpr (Guided) {
      for (std::uint32_t cell = 0, at = 0; cell < 256; ++cell) {
        at = bounds_.position(cell << 24, at);
        guide_.start[cell] = static_cast<std::uint8_t>(at);
      }
    }
  }

  /// \errors as the description's; more outcomes than Capacity: buffer_full, `value` their number
  template <DiscreteDistribution Description>
  [[nodiscard]] static constexpr Result<WordTable> from(const Description& description) noexcept {
    const Result<Cumulative> distribution = description.cumulative();
    if (!distribution.ok()) return {{}, distribution.status};
    const std::uint32_t outcomes = distribution.value.outcomes;
    if (outcomes > Capacity) return {{}, {Error::buffer_full, outcomes, outcomes}};
    return {WordTable(distribution.value), {}};
  }

  [[nodiscard]] constexpr const Bounds<Capacity>& bounds() const noexcept { return bounds_; }

  template <class Source>
  [[nodiscard]] constexpr std::uint32_t draw(Source& source) const noexcept {
    static_assert(RandomSource<Source>, "neuromorph: Source lacks 'std::uint32_t next()'; see docs/random.md");
    LazyWord number{source.next()};
    return bounds_.resolve(number, position(number.key), source);
  }

  template <class Target = target::Native, class Source>
  constexpr void fill(Source& source, std::span<std::uint8_t> values) const noexcept {
    fill_any<Target>(source, values);
  }
  template <class Target = target::Native, class Source>
  constexpr void fill(Source& source, std::span<std::uint32_t> values) const noexcept {
    fill_any<Target>(source, values);
  }

  friend constexpr bool operator==(const WordTable&, const WordTable&) noexcept = default;

private:
  [[nodiscard]] constexpr std::uint32_t position(std::uint32_t key) const noexcept {
    if constexpr (Guided) {
      return bounds_.position(key, guide_.start[key >> 24]);
    } else {
      return bounds_.position(key, 0);
    }
  }

  template <class Target, class Source, class Element>
  constexpr void fill_any(Source& source, std::span<Element> values) const noexcept {
    detail::fill_in_blocks<block_values>(values, [&](Element* to, std::size_t count) {
      std::array<OpenValue, discrete_block_words> open; // NOLINT: written before it is read
      std::size_t opened = 0;
      if constexpr (requires { Target::word_positions(source, bounds_.high.data(), count, to, open.data()); }) {
        if (!std::is_constant_evaluated()) {
          opened = Target::word_positions(source, bounds_.high.data(), count, to, open.data());
        } else {
          opened = positions<Target>(source, count, to, open);
        }
      } else {
        opened = positions<Target>(source, count, to, open);
      }
      for (std::size_t i = 0; i < opened; ++i) {
        LazyWord number{open[i].key};
        Element& value = to[open[i].position];
        value = static_cast<Element>(bounds_.resolve(number, value, source));
      }
    });
  }

  template <class Target, class Source, class Element>
  constexpr std::size_t positions(Source& source, std::size_t count, Element* to,
                                  std::array<OpenValue, discrete_block_words>& open) const noexcept {
    std::array<std::uint32_t, discrete_block_words> words{};
    detail::draw_words(source, std::span(words).first(count));
    std::size_t opened = 0;
    const auto note = [&](std::size_t i, std::uint32_t at) {
      to[i] = static_cast<Element>(at);
      if (bounds_.is_open(words[i], at)) open[opened++] = {static_cast<std::uint32_t>(i), words[i]};
    };
    if constexpr (!Guided && Target::Lanes::count > 1) {
      // Counting the bounds below all words of the block at once has no branches, and vectorises.
      std::array<std::uint32_t, discrete_block_words> below{};
      for (std::uint32_t k = 0; k < bounds_.last; ++k) {
        const std::uint32_t bound = bounds_.high[k];
        for (std::size_t i = 0; i < discrete_block_words; ++i) below[i] += bound < words[i] ? 1U : 0U;
      }
      for (std::size_t i = 0; i < count; ++i) note(i, below[i]);
    } else {
      for (std::size_t i = 0; i < count; ++i) note(i, position(words[i]));
    }
    return opened;
  }

  Bounds<Capacity> bounds_;
  [[no_unique_address]] std::conditional_t<Guided, detail::SearchGuide, detail::NoSearchGuide> guide_;
};

/// Four values per random word: a cell of 256 belongs whole to one outcome, or is an escape.
///
/// Outcome k has floor(256 P(k)) cells; what is left of all outcomes together fills the escape cells exactly.
///
/// \tparam Capacity  most outcomes, 1..256
/// \exact  each probability is that of the word table, to the last of 64 bits
/// \cost   256 bytes, and 8 per outcome; 8 random bits per value, and 32 more with the chance `escape_cells() / 256`
/// \source as WordTable, section 1.5; differences: the paper's table is biased by its granularity, this one is not
template <std::size_t Capacity>
class ByteTable {
public:
  static constexpr std::size_t block_values = 4 * discrete_block_words;
  /// Marks an escape in a cell, over the escape's number.
  static constexpr std::uint8_t mark = 0x80;

  /// Always 0.
  constexpr ByteTable() noexcept = default;

  /// \pre suits(distribution) and at most Capacity outcomes
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
    while (cell != 0) {
      --cell;
      cells_[cell] = static_cast<std::uint8_t>(mark | cell);
    }
  }

  /// Escapes fit their seven bits: at least half of the cells are whole.
  [[nodiscard]] static constexpr bool suits(const Cumulative& distribution) noexcept {
    std::uint32_t whole = 0;
    for (std::uint32_t k = 0; k < distribution.outcomes; ++k) whole += cells_of(distribution, k);
    return whole >= 128;
  }

  /// \errors as the description's; more outcomes than Capacity: buffer_full, `value` their number; fewer than 128
  ///         whole cells, so that a word table is the better choice: buffer_full, `where` 0
  template <DiscreteDistribution Description>
  [[nodiscard]] static constexpr Result<ByteTable> from(const Description& description) noexcept {
    const Result<Cumulative> distribution = description.cumulative();
    if (!distribution.ok()) return {{}, distribution.status};
    const std::uint32_t outcomes = distribution.value.outcomes;
    if (outcomes > Capacity) return {{}, {Error::buffer_full, outcomes, outcomes}};
    if (!suits(distribution.value)) return {{}, {Error::buffer_full, 0, outcomes}};
    return {ByteTable(distribution.value), {}};
  }

  [[nodiscard]] constexpr const std::array<std::uint8_t, 256>& cells() const noexcept { return cells_; }
  /// Bounds of what the escape cells hold, in 2^-64.
  [[nodiscard]] constexpr const Bounds<Capacity>& bounds() const noexcept { return escapes_; }
  [[nodiscard]] constexpr std::uint32_t escape_cells() const noexcept { return escape_cells_; }

  template <class Source>
  [[nodiscard]] constexpr std::uint32_t draw(Source& source) const noexcept {
    static_assert(RandomSource<Source>, "neuromorph: Source lacks 'std::uint32_t next()'; see docs/random.md");
    const std::uint32_t cell = cells_[source.next() & 0xFFU];
    return (cell & mark) == 0 ? cell : resolve(source, cell);
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
  using Marked = std::array<std::uint8_t, block_values + 1>; // one more, written and then left out

  static constexpr std::uint32_t cells_of(const Cumulative& distribution, std::uint32_t k) noexcept {
    return k < mark ? distribution.whole_cells<8>(k) : 0;
  }

  template <class Source>
  [[nodiscard]] constexpr std::uint32_t resolve(Source& source, std::uint32_t cell) const noexcept {
    LazyWord number{(cell & 0x7FU) << 24 | source.next() >> 8};
    return escapes_.find(number, source);
  }

  template <class Target, class Source, class Element>
  constexpr void fill_any(Source& source, std::span<Element> values) const noexcept {
    detail::fill_in_blocks<block_values>(values, [&](Element* to, std::size_t count) {
      Marked marked; // NOLINT: written before it is read
      std::size_t marks = 0;
      if constexpr (requires { Target::byte_cells(source, cells_.data(), count, to, marked.data()); }) {
        if (!std::is_constant_evaluated()) {
          marks = Target::byte_cells(source, cells_.data(), count, to, marked.data());
        } else {
          marks = look_up(source, count, to, marked);
        }
      } else {
        marks = look_up(source, count, to, marked);
      }
      for (std::size_t i = 0; i < marks; ++i) {
        Element& value = to[marked[i]];
        value = static_cast<Element>(resolve(source, value));
      }
    });
  }

  template <class Source, class Element>
  constexpr std::size_t look_up(Source& source, std::size_t count, Element* to, Marked& marked) const noexcept {
    std::array<std::uint32_t, discrete_block_words> words{};
    detail::draw_words(source, std::span(words).first((count + 3) / 4));
    std::size_t marks = 0;
    const auto note = [&](std::size_t at, std::uint32_t value) {
      marked[marks] = static_cast<std::uint8_t>(at);
      marks += value >> 7;
    };
    const std::size_t whole_words = count / 4, rest = count % 4;
    for (std::size_t i = 0; i < whole_words; ++i) {
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
    for (std::size_t i = 0; i < rest; ++i) {
      const std::uint32_t value = cells_[words[whole_words] >> 8 * i & 0xFFU];
      to[4 * whole_words + i] = static_cast<Element>(value);
      note(4 * whole_words + i, value);
    }
    return marks;
  }

  std::array<std::uint8_t, 256> cells_{};
  Bounds<Capacity> escapes_;
  std::uint32_t escape_cells_ = 0;
};

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
      std::size_t marks = 0;
      std::uint32_t odd = 0; // the last pair of an odd number of values
      if constexpr (requires { Target::pair_cells(source, cells_.data(), count, to, marked.data(), odd); }) {
        if (!std::is_constant_evaluated()) {
          marks = Target::pair_cells(source, cells_.data(), count, to, marked.data(), odd);
        } else {
          marks = look_up(source, count, to, marked, odd);
        }
      } else {
        marks = look_up(source, count, to, marked, odd);
      }
      for (std::size_t i = 0; i < marks; ++i) {
        const std::size_t at = 2 * std::size_t{marked[i]};
        if (at + 1 == count) {
          odd = resolve(source, odd);
        } else {
          const std::uint32_t pair = resolve(source, static_cast<std::uint32_t>(to[at + 1]) << 8 | to[at]);
          to[at] = static_cast<Element>(pair & 0xFFU);
          to[at + 1] = static_cast<Element>(pair >> 8);
        }
      }
      if (count % 2 != 0) to[count - 1] = static_cast<Element>(odd & 0xFFU);
    });
  }

  template <class Source, class Element>
  constexpr std::size_t look_up(Source& source, std::size_t count, Element* to, Marked& marked,
                                std::uint32_t& odd) const noexcept {
    std::array<std::uint32_t, discrete_block_words> words{};
    detail::draw_words(source, std::span(words).first((count + 5) / 6));
    std::size_t marks = 0;
    const auto note = [&](std::size_t at, std::uint32_t pair) {
      marked[marks] = static_cast<std::uint8_t>(at / 2);
      marks += pair >> 15;
    };
    const auto store = [&](std::size_t at, std::uint32_t pair) {
      to[at] = static_cast<Element>(pair & 0xFFU);
      to[at + 1] = static_cast<Element>(pair >> 8);
    };
    const std::size_t whole_words = count / 6, rest = count % 6;
    for (std::size_t i = 0; i < whole_words; ++i) {
      const std::uint32_t word = words[i];
      const std::uint32_t pair0 = cells_[word & 0x3FFU], pair1 = cells_[word >> 10 & 0x3FFU],
                          pair2 = cells_[word >> 20 & 0x3FFU];
      store(6 * i, pair0);
      store(6 * i + 2, pair1);
      store(6 * i + 4, pair2);
      if (((pair0 | pair1 | pair2) & mark) != 0) {
        note(6 * i, pair0);
        note(6 * i + 2, pair1);
        note(6 * i + 4, pair2);
      }
    }
    for (std::size_t i = 0; i < rest; i += 2) {
      const std::uint32_t pair = cells_[words[whole_words] >> 5 * i & 0x3FFU];
      if (i + 1 < rest) {
        store(6 * whole_words + i, pair);
      } else {
        odd = pair;
      }
      note(6 * whole_words + i, pair);
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
[[nodiscard]] consteval auto make_byte_table() {
  constexpr Cumulative distribution = cumulative_of<description>();
  using Table = ByteTable<distribution.outcomes>;
  static_assert(Table::suits(distribution),
                "neuromorph: this distribution leaves less than half of a byte table whole; "
                "take word_table; see docs/sources.md");
  return Table(distribution);
}

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

/// The table of a distribution that is known at compile time, once in a program however many sources use it:
/// `word_table<Poisson(1.6)>.fill(source, counts)`.
template <auto description>
inline constexpr auto word_table = WordTable<cumulative_of<description>().outcomes>(cumulative_of<description>());

template <auto description>
inline constexpr auto byte_table = detail::make_byte_table<description>();

template <auto description>
inline constexpr auto pair_table = detail::make_pair_table<description>();

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
