// SPDX-License-Identifier: BSL-1.0
/// \file
/// The constant rule: every enabled weight becomes one value.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_RULES_CONSTANT_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_RULES_CONSTANT_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/vector_rule.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// w = value
///
/// \tparam Weights  VectorMemory of std::uint8_t
/// \source Masking and Plasticity Rules, 2.3; here it does nothing but write
template <class Weights>
struct ConstantRule {
  using Offers = offer::List<offer::RuleTarget, offer::VectorsAtOnce>;
  using Target = MemoryTarget<detail::RuleMemory<Weights>>;
  static constexpr std::size_t vectors_at_once = neuromorph::vectors_at_once<detail::RuleMemory<Weights>>;

  detail::RuleMemory<Weights> weights;
  std::uint8_t value = 0;

  [[nodiscard]] constexpr VectorAddress vectors() const noexcept { return weights.vectors(); }
  template <class Lanes>
  [[gnu::always_inline]] constexpr void vector_rule(const Lanes& lanes, VectorAddress address) noexcept {
    write(weights, address, LaneVector<Lanes>(value), lanes);
  }
};
template <class Weights>
ConstantRule(Weights, int) -> ConstantRule<Weights>;

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
