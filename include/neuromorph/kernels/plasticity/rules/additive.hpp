// SPDX-License-Identifier: BSL-1.0
/// \file
/// Weights that move by what a memory says, whatever their value: additive plasticity.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_RULES_ADDITIVE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_RULES_ADDITIVE_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/rules/scaled_difference.hpp>
#include <neuromorph/kernels/plasticity/rules/weight_range.hpp>
#include <neuromorph/kernels/plasticity/vector_rule.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// w += amplitude / 2^7 drive, rounded and held at both ends of the range
///
/// \tparam Weights   VectorMemory of std::uint8_t
/// \tparam Drive     VectorSource of std::int8_t, in units of the weight: a memory with one value per synapse, or
///                   SameVectors
/// \tparam Range, Rounding  as for StdpRule
/// \exact  bit-exact on every backend
/// \source the additive weight dependence of S. Song, K. D. Miller, L. F. Abbott, Competitive Hebbian learning through
///         spike-timing-dependent synaptic plasticity, 2000
template <class Weights, class Drive, class Range = WeightRange, class Rounding = rounding::NearestAway>
struct AdditiveRule {
  static_assert(detail::rounds_in_range<Range, Rounding>());
  using Offers = offer::List<offer::RuleTarget, offer::VectorsAtOnce>;
  using Target = MemoryTarget<detail::RuleMemory<Weights>>;
  static constexpr std::size_t vectors_at_once =
      vectors_at_once_rounded<Rounding, detail::RuleMemory<Weights>, detail::RuleSource<Drive, std::int8_t>>;

  detail::RuleMemory<Weights> weights;
  detail::RuleSource<Drive, std::int8_t> drive;
  std::int8_t amplitude = 127; ///< s0.7; -128 counts as -127
  Range range = {};
  [[no_unique_address]] Rounding rounder{};

  [[nodiscard]] constexpr VectorAddress vectors() const noexcept { return fewest_vectors(weights, drive); }
  template <class Lanes>
  [[gnu::always_inline]] constexpr void vector_rule(const Lanes& lanes, VectorAddress address) noexcept {
    using Bytes = LaneVector<Lanes>;
    const Bytes zero(0x80), from_zero = read(drive, address, lanes).template as<std::uint8_t>() ^ zero;
    const auto change = scaled_difference<7>(from_zero, zero, amplitude, rounder);
    const Bytes before = read(weights, address, lanes);
    update(weights, address, before, range.moved(before, change, lanes), lanes);
  }
};
template <class Weights, class Drive, class Range = WeightRange, class Rounding = rounding::NearestAway>
AdditiveRule(Weights, Drive, std::int8_t = 0, Range = {}, Rounding = {})
    -> AdditiveRule<Weights, Drive, Range, Rounding>;

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
