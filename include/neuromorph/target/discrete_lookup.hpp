// SPDX-License-Identifier: BSL-1.0
/// \file
/// What the tables of discrete values hand to a backend: where their parts are.
///
/// The meaning is that of kernels/random/discrete_table.hpp, which also says what a backend may do with them.
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

/// What a backend did of the blocks of a word table.
struct WordBlocks {
  std::size_t blocks; ///< at least one; all up to the first that has open values
  std::size_t opened; ///< open values of the last of these
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
