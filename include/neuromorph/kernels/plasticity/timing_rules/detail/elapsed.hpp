// SPDX-License-Identifier: BSL-1.0
/// \file
/// How long ago an event was, as a trace: all zero where there was none.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_DETAIL_ELAPSED_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_DETAIL_ELAPSED_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// Ticks since an event, held at 2^32 - 2.
struct Elapsed {
  std::uint32_t one_more = 0; ///< ticks and one; 0: there was no event

  [[nodiscard]] static constexpr Elapsed now() noexcept { return {1}; }
  [[nodiscard]] static constexpr Elapsed longest() noexcept { return {~std::uint32_t{0}}; }

  [[nodiscard]] constexpr bool exists() const noexcept { return one_more != 0; }
  /// 2^32 - 1 where there was no event.
  [[nodiscard]] constexpr std::uint32_t ticks() const noexcept { return one_more - 1; }
  [[nodiscard]] constexpr Elapsed later(std::uint32_t more) const noexcept {
    if (one_more == 0) return {};
    return {one_more > ~more ? ~std::uint32_t{0} : one_more + more};
  }
  /// Whether there was no event since, or none at all.
  [[nodiscard]] constexpr bool is_at_least(std::uint32_t least) const noexcept { return one_more - 1 >= least; }
  friend constexpr bool operator==(const Elapsed&, const Elapsed&) noexcept = default;
};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
