// SPDX-License-Identifier: BSL-1.0
/// \file
/// Whether sets of keys share one.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_KEY_OVERLAP_HPP
#define NEUROMORPH_MAPPING_DETAIL_KEY_OVERLAP_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// Whether its keys follow each other: ones from the top, then zeros.
[[nodiscard]] constexpr bool is_range(std::uint32_t mask) noexcept { return (~mask & (~mask + 1)) == 0; }

/// Two that share a key, or twice `none`. Keys have no bits that their masks lack.
struct Overlap {
  static constexpr std::size_t none = (std::numeric_limits<std::size_t>::max)();
  std::size_t first = none, second = none; ///< first < second
  [[nodiscard]] bool is_there() const noexcept { return first != none; }
};

/// \cost O(n log n) where masks are ranges; else so much for each pair of different masks
[[nodiscard]] inline Overlap find_overlap(std::span<const KeyMask> keys) {
  const auto of = [](std::size_t one, std::size_t other) {
    return Overlap{(std::min)(one, other), (std::max)(one, other)};
  };
  std::vector<std::pair<std::uint64_t, std::size_t>> order(keys.size());
  if (std::all_of(keys.begin(), keys.end(), [](const KeyMask& one) { return is_range(one.mask); })) {
    for (std::size_t at = 0; at < keys.size(); ++at) order[at] = {keys[at].key, at};
    std::sort(order.begin(), order.end());
    // If each begins behind the one before, none shares a key with any.
    for (std::size_t at = 1; at < order.size(); ++at)
      if (overlap(keys[order[at - 1].second], keys[order[at].second]))
        return of(order[at - 1].second, order[at].second);
    return {};
  }
  // Those of one mask together, then each pair of masks by the bits that both have.
  for (std::size_t at = 0; at < keys.size(); ++at) order[at] = {std::uint64_t{keys[at].mask} << 32 | keys[at].key, at};
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> first; // of each mask
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at != 0 && order[at].first == order[at - 1].first) return of(order[at].second, order[at - 1].second);
    if (at == 0 || order[at].first >> 32 != order[at - 1].first >> 32) first.push_back(at);
  }
  first.push_back(order.size());
  using Parts = std::vector<std::pair<std::uint32_t, std::size_t>>;
  const auto parts_of = [&](std::size_t group, std::uint32_t common, Parts& to) {
    to.clear();
    for (std::size_t at = first[group]; at < first[group + 1]; ++at)
      to.emplace_back(static_cast<std::uint32_t>(order[at].first) & common, order[at].second);
    std::sort(to.begin(), to.end());
  };
  Parts ones, others;
  for (std::size_t one = 0; one + 1 < first.size(); ++one)
    for (std::size_t other = one + 1; other + 1 < first.size(); ++other) {
      const auto common = static_cast<std::uint32_t>(order[first[one]].first >> 32 & order[first[other]].first >> 32);
      parts_of(one, common, ones), parts_of(other, common, others);
      for (std::size_t at = 0, beside = 0; at < ones.size() && beside < others.size();) {
        if (ones[at].first == others[beside].first) return of(ones[at].second, others[beside].second);
        ones[at].first < others[beside].first ? ++at : ++beside;
      }
    }
  return {};
}

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
