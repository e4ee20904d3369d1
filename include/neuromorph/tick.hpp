// SPDX-License-Identifier: BSL-1.0
/// \file
/// Points in time as counters that wrap: which of two is earlier, as long as they are less than half the range apart.
#ifndef NEUROMORPH_TICK_HPP
#define NEUROMORPH_TICK_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What counts ticks: std::uint32_t or std::uint64_t.
template <class Tick>
concept TickCount = std::same_as<Tick, std::uint32_t> || std::same_as<Tick, std::uint64_t>;

/// The half-range rule: spans up to this long are compared right, across the wrap, too. 2^31 - 1 ticks of 1 us are 35
/// minutes.
template <TickCount Tick>
inline constexpr Tick longest_span = static_cast<Tick>(~Tick{0} >> 1);

/// Whether `a` is before `b`. \pre they are at most longest_span apart
template <TickCount Tick>
[[nodiscard]] constexpr bool is_before(Tick a, Tick b) noexcept {
  return static_cast<std::make_signed_t<Tick>>(a - b) < 0;
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
