// SPDX-License-Identifier: BSL-1.0
/// \file
/// Numbers by a seed, the same ones with any compiler and library.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_DRAW_HPP
#define NEUROMORPH_MAPPING_DETAIL_DRAW_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// \source G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014: SplitMix
class Draw {
public:
  explicit constexpr Draw(std::uint64_t seed) noexcept : state_(seed) {}

  [[nodiscard]] constexpr std::uint64_t bits() noexcept {
    std::uint64_t drawn = state_ += 0x9E3779B97F4A7C15;
    drawn = (drawn ^ drawn >> 30) * 0xBF58476D1CE4E5B9;
    drawn = (drawn ^ drawn >> 27) * 0x94D049BB133111EB;
    return drawn ^ drawn >> 31;
  }
  /// 0 to before a bound, which is not 0. The chances differ by less than bound / 2^32.
  [[nodiscard]] constexpr std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>((bits() >> 32) * bound >> 32);
  }
  /// In any order, each with the same chance.
  template <class Item>
  constexpr void shuffle(std::vector<Item>& items) noexcept {
    pick(items, items.size());
  }
  /// Moves some of the items, drawn without putting back, to the front.
  template <class Item>
  constexpr void pick(std::vector<Item>& items, std::size_t count) noexcept {
    for (std::size_t at = 0; at < count && at + 1 < items.size(); ++at)
      std::swap(items[at], items[at + below(static_cast<std::uint32_t>(items.size() - at))]);
  }

private:
  std::uint64_t state_;
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
