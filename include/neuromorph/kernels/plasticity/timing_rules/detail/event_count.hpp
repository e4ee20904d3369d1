// SPDX-License-Identifier: BSL-1.0
/// \file
/// Traces that count events, in u8.24: up to 256, where they are held.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_DETAIL_EVENT_COUNT_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_DETAIL_EVENT_COUNT_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

inline constexpr std::uint32_t one_event = std::uint32_t{1} << 24;

/// A share times a count in u8.24, held at the whole.
[[nodiscard, gnu::always_inline]] constexpr Share times_count(auto& m, Share share, std::uint32_t count) noexcept {
  const std::uint64_t whole = std::uint64_t{share} * (count >> 24);
  const Share held = whole >> 32 != 0 ? ~Share{0} : static_cast<Share>(whole);
  return m.sum(held, m.part(share, count << 8));
}

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
