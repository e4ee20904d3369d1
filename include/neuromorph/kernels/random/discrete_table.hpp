// SPDX-License-Identifier: BSL-1.0
/// \file
/// What the tables have in common that turn random words into whole numbers of a given distribution, right to 2^-64.
///
/// `word_table` (word_table.hpp) is for any distribution, `byte_table` (byte_table.hpp) for values in blocks, and
/// `pair_table` (pair_table.hpp) for many values of few outcomes. A table is a constant without state and serves any
/// number of sources. docs/sources.md says which to take, defines the order in which random words are consumed, to the
/// bit, and declares what a backend may do by itself.
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

/// Not defined: a source that lets any loop draw inside it. What a backend's loop over whole blocks is called with to see
/// whether it can be.
struct AnyDraws {
  std::uint32_t next() noexcept;
  template <class Loop>
  target::WordBlocks draw_inside(Loop loop) noexcept;
};

/// One more, so that a loop may load the next word before it knows that there is none.
using MainWords = std::array<std::uint32_t, discrete_block_words + 1>;

template <class Target, class Source>
constexpr void draw_words(Source& source, std::span<std::uint32_t> words) noexcept {
  static_assert(detail::is_random_source<Source>());
  static_assert(offers_what_a_random_source_has<Source, Target>());
  if constexpr (offers<Source, offer::Fill> && FillsWith<Source, Target>) {
    source.template fill<Target>(words);
  } else if constexpr (offers<Source, offer::Fill> && Fills<Source>) {
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
