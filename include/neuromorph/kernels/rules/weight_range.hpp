// SPDX-License-Identifier: BSL-1.0
/// \file
/// Weights as bytes, held at both ends of a range.
#ifndef NEUROMORPH_KERNELS_RULES_WEIGHT_RANGE_HPP
#define NEUROMORPH_KERNELS_RULES_WEIGHT_RANGE_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What a rule's weights stay within: by default the 6 bits of the hardware, at most all of a byte. `least` must not be
/// above `most`. A weight outside is moved to the nearest end when a rule changes it.
struct WeightRange {
  std::uint8_t least = 0;
  std::uint8_t most = 63;

  /// Weights plus signed changes, held in the range.
  template <class Target, std::size_t Count>
  [[nodiscard]] constexpr Vec<std::uint8_t, Target, Count>
  moved(const Vec<std::uint8_t, Target, Count>& weights,
        const Vec<std::int8_t, Target, Count>& changes) const noexcept {
    using Bytes = Vec<std::uint8_t, Target, Count>;
    // Weights less 128 are signed bytes, whose saturating sum with a change ends where the byte does.
    const Bytes offset(0x80);
    const auto sum = add_saturating((weights ^ offset).template as<std::int8_t>(), changes);
    return clamp(sum.template as<std::uint8_t>() ^ offset, Bytes(least), Bytes(most));
  }
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
