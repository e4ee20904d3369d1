// SPDX-License-Identifier: BSL-1.0
/// \file
/// What generators, tables of discrete values and sums of input hand to a backend: where their parts are.
///
/// The meaning is that of kernels/random/ and kernels/neurons/background.hpp; docs/sources.md says what a backend may do with
/// them.
#ifndef NEUROMORPH_TARGET_DISCRETE_LOOKUP_HPP
#define NEUROMORPH_TARGET_DISCRETE_LOOKUP_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// A value that its main word leaves open.
struct OpenValue {
  std::uint32_t position; ///< in the block
  std::uint32_t key;
};

namespace target {

// Backends load the members in this order, as words.

/// A byte table's: cells, places where the search for an escape begins, bounds.
struct ByteLookup {
  const std::uint8_t* cells;  ///< [256]
  const std::uint8_t* starts; ///< by the number of the escape
  const std::uint32_t* high;  ///< upper halves of the bounds
  const std::uint32_t* low;   ///< lower halves
};

/// A pair table's: the same, then the pairs between the bounds, then the bounds of second values that are drawn alone.
struct PairLookup {
  const std::uint16_t* cells; ///< [1024]
  const std::uint16_t* starts;
  const std::uint32_t* high;
  const std::uint32_t* low;
  const std::uint32_t* listed; ///< by the position among the bounds
  const std::uint32_t* word_high;
  const std::uint32_t* word_low;
  const std::uint32_t*
      word_last; ///< the entry of `word_high` that stands for 2^64; no key of an escape reaches its like
};

/// An alias table's. Each array has an element for each cell.
struct AliasLookup {
  const std::uint16_t* thresholds; ///< the low bits are the cell's own number
  const std::uint16_t* own;        ///< below 256
  const std::uint16_t* alias;      ///< below 256
  std::size_t cells;               ///< 32, 64 or 128
};

/// Sixteen generators of kernels/random/sfc32.hpp, word by word: those of lane n are a[n], b[n], c[n], counter[n].
struct Sfc32Columns {
  static constexpr std::size_t lanes = 16;
  std::uint32_t a[lanes], b[lanes], c[lanes], counter[lanes];
  friend constexpr bool operator==(const Sfc32Columns&, const Sfc32Columns&) noexcept = default;
};

/// What a backend did of a loop that it need not end: elements from the first on.
struct Begun {
  std::size_t done;
  std::size_t found; ///< of these, what the loop looks for
};

/// What a backend did of the blocks of a word table.
struct WordBlocks {
  std::size_t blocks; ///< at least one; all up to the first that has open values
  std::size_t opened; ///< open values of the last of these
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
