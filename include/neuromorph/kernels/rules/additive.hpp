// SPDX-License-Identifier: BSL-1.0
/// \file
/// Weights that move by what a memory says, whatever their value: additive plasticity.
#ifndef NEUROMORPH_KERNELS_RULES_ADDITIVE_HPP
#define NEUROMORPH_KERNELS_RULES_ADDITIVE_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/rules/weight_range.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>
#include <neuromorph/vector_rule.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// w += floor(amplitude / 2^7 drive), held at both ends of the range
///
/// \tparam Weights  VectorMemory of std::uint8_t
/// \tparam Drive    VectorSource of std::int8_t, in units of the weight: a memory with one value per synapse, or
///                  SameVectors
/// \exact  bit-exact on every backend
/// \source the additive weight dependence of S. Song, K. D. Miller, L. F. Abbott, Competitive Hebbian learning through
///         spike-timing-dependent synaptic plasticity, 2000
template <VectorMemory Weights, VectorSource Drive>
struct AdditiveRule {
  using Target = MemoryTarget<Weights>;
  static constexpr std::size_t vectors_at_once = neuromorph::vectors_at_once<Weights, Drive>;

  Weights weights;
  Drive drive;
  std::int8_t amplitude = 127; ///< s0.7
  WeightRange range = {};

  [[nodiscard]] constexpr VectorAddress vectors() const noexcept { return fewest_vectors(weights, drive); }
  template <class Lanes>
  [[gnu::always_inline]] constexpr void vector_rule(const Lanes& lanes, VectorAddress address) noexcept {
    const auto change = multiply_fractional(read(drive, address, lanes), LaneVector<Lanes, std::int8_t>(amplitude));
    const auto before = read(weights, address, lanes);
    update(weights, address, before, range.moved(before, change), lanes);
  }
};
template <class Weights, class Drive, class... Rest>
AdditiveRule(Weights, Drive, Rest...) -> AdditiveRule<Weights, Drive>;
static_assert(
    VectorRule<AdditiveRule<PlainVectors<std::uint8_t, target::Generic>, SameVectors<std::int8_t, target::Generic>>>);

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
