// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a step of a recurrence keeps of a word: any part of it, by one product.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_DETAIL_KEPT_HPP
#define NEUROMORPH_KERNELS_NEURONS_DETAIL_KEPT_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// What a step keeps of a word: itself where `itself` is negative, and `factor`, with 32 fraction bits, times it.
struct Kept {
  std::int32_t itself, factor;
};
/// \param kept  0 to 1
/// \errors parameter_out_of_range
[[nodiscard]] constexpr Result<Kept> kept_of(double kept, const char* name) noexcept {
  if (!(kept >= 0.0 && kept <= 1.0)) return Status{Error::parameter_out_of_range, 0, kept, name};
  const bool is_itself = kept >= 0.5;
  std::int64_t factor = to_fixed(is_itself ? kept - 1.0 : kept, 32);
  if (factor > INT32_MAX) factor = INT32_MAX; // next to a half
  return Kept{is_itself ? -1 : 0, static_cast<std::int32_t>(factor)};
}
/// What a step keeps: one product, rounded as the neuron's Rounding says.
[[nodiscard]] constexpr auto kept_of(auto& m, auto word, auto itself, auto factor) noexcept {
  return m.add(m.select(m.is_negative(itself), word, m.splat(0)), m.product(word, factor));
}

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
