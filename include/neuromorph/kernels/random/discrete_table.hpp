// SPDX-License-Identifier: BSL-1.0
/// \file
/// What the tables have in common that turn random words into whole numbers of a given distribution, right to 2^-64.
///
/// | table | header | random bits per value | for |
/// |---|---|---|---|
/// | `word_table<d>` | word_table.hpp | 32 | any distribution; small tables |
/// | `byte_table<d>` | byte_table.hpp | 8, and 32 more in escape cells | values in blocks |
/// | `pair_table<d>` | pair_table.hpp | 16/3, and 32 more per pair in escape cells | many values of few outcomes |
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
/// * pairs: escape cell n takes one further word f, with the key n * 2^22 + f / 2^10. The outcome is the place of a
/// pair
///   in the table's list of pairs. Where that has a first value only, the second is drawn as from a word table.
///
/// **Backends.** A backend may look up the main words of a block, 48 at most:
///
///     // 4 * count cells to `to`; positions of marked ones, ascending, to `marked`; their number
///     static std::size_t byte_cells(const std::uint32_t* words, std::size_t count, const std::uint8_t* cells,
///                                   std::uint8_t* to, std::uint8_t* marked);
///     // 6 * count cells' bytes to `to`, low byte first; numbers of marked pairs to `marked`
///     static std::size_t pair_cells(const std::uint32_t* words, std::size_t count, const std::uint16_t* cells,
///                                   std::uint8_t* to, std::uint8_t* marked);
///     // `count` positions in `high` to `to`; places and keys where the key equals the bound at its position to `open`
///     static std::size_t word_positions(const std::uint32_t* words, std::size_t count, const std::uint32_t* high,
///                                       std::uint8_t* to, OpenValue* open);
///
/// `to` has any alignment; `marked` has one element more than there are cells, `words` one more than are looked up. For
/// a source that it knows a backend may do whole blocks, further words included:
///
///     static void byte_blocks(Source&, const target::ByteLookup&, std::size_t blocks, std::uint8_t* to);
///     static void pair_blocks(Source&, const target::PairLookup&, std::size_t blocks, std::uint8_t* to);
///     // up to a block with open values, which are left open
///     static target::WordBlocks word_blocks(Source&, const std::uint32_t* high, std::size_t blocks, std::uint8_t* to,
///                                           OpenValue* open);
#ifndef NEUROMORPH_KERNELS_RANDOM_DISCRETE_TABLE_HPP
#define NEUROMORPH_KERNELS_RANDOM_DISCRETE_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/distribution.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/discrete_lookup.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Main words of a block; see the order of consumption.
inline constexpr std::size_t discrete_block_words = 48;

/// Ascending 64-bit bounds, upper and lower halves apart, since the lower ones are hardly ever read.
///
/// The last entry stands for 2^64, its halves are all ones; a search needs no other end. Entries after it are not used.
template <std::size_t Capacity>
struct Bounds {
  static_assert(Capacity >= 1 && Capacity <= 65536);

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

  /// The outcome of a number, from the position of its key; its lower half is drawn if it decides.
  template <class Source>
  [[nodiscard]] constexpr std::uint32_t resolve(std::uint32_t key, std::uint32_t at, Source& source) const noexcept {
    if (!is_open(key, at)) return at;
    const std::uint32_t number_low = source.next();
    while (is_open(key, at) && low[at] <= number_low) ++at;
    return at;
  }

  friend constexpr bool operator==(const Bounds&, const Bounds&) noexcept = default;
};

namespace detail {

/// One more, so that a loop may load the next word before it knows that there is none.
using MainWords = std::array<std::uint32_t, discrete_block_words + 1>;

template <class Target, class Source>
constexpr void draw_words(Source& source, std::span<std::uint32_t> words) noexcept {
  static_assert(detail::is_random_source<Source>());
  if constexpr (requires { source.template fill<Target>(words); }) {
    source.template fill<Target>(words);
  } else if constexpr (requires { source.fill(words); }) {
    source.fill(words);
  } else {
    for (std::uint32_t& word : words) word = source.next();
  }
}

/// Draws further words from a copy of a small source: the source itself could alias the values, the copy stays in
/// registers.
template <class Source, class Draws>
constexpr void draw_further(Source& source, Draws draws) noexcept {
  if constexpr (std::is_trivially_copyable_v<Source> && std::is_copy_assignable_v<Source> && sizeof(Source) <= 32) {
    Source copy = source;
    draws(copy);
    source = copy;
  } else {
    draws(source);
  }
}

/// What `from` of all tables has in common. `refused(distribution)` is the status of what else a table cannot hold.
template <class Table, DiscreteDistribution Description, class Refused>
[[nodiscard]] constexpr Result<Table> table_from(const Description& description, std::size_t most_outcomes,
                                                 Refused refused) noexcept {
  const Result<Cumulative> distribution = description.cumulative();
  if (!distribution.ok()) return distribution.status();
  const std::uint32_t outcomes = distribution.value().outcomes;
  if (outcomes > most_outcomes) return Status{Error::buffer_full, outcomes, outcomes};
  const Status status = refused(distribution.value());
  if (!status.ok()) return status;
  return Table(distribution.value());
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

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
