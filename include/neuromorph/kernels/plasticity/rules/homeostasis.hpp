// SPDX-License-Identifier: BSL-1.0
/// \file
/// Homeostasis: all weights onto a neuron rise while it fires too little, and fall while it fires too much.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_RULES_HOMEOSTASIS_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_RULES_HOMEOSTASIS_HPP

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

/// w += eta / 2^8 (target - rate), rounded and held in the range
///
/// The rate is that of the synapse's column, its post-synaptic neuron; each neuron counts its spikes as a byte, which
/// the program sets to zero when a new period begins. Rounded to nearest, weights move as long as |target - rate| is at
/// least 2^7 / eta.
///
/// \tparam VectorsPerRow  of the synapse array; the rates are a row of so many vectors
/// \tparam Weights        VectorMemory of std::uint8_t
/// \tparam Rates          VectorSource of std::uint8_t, spikes of the neuron in the period
/// \tparam Range, Rounding  as for StdpRule
/// \exact  bit-exact on every backend
/// \source G. G. Turrigiano, S. B. Nelson, Homeostatic plasticity in the developing nervous system, 2004; additive, not
///         scaling, since a weight of 6 bits cannot keep a ratio
template <VectorAddress VectorsPerRow, class Weights, class Rates, class Range = WeightRange,
          class Rounding = rounding::NearestAway>
class HomeostasisRule {
  static_assert(detail::rounds_in_range<Range, Rounding>());
  static_assert(VectorsPerRow >= 1, "neuromorph: a row of the synapse array has at least one vector");

public:
  using Offers = offer::List<offer::RuleTarget>;
  using Target = MemoryTarget<detail::RuleMemory<Weights>>;

  detail::RuleMemory<Weights> weights;
  detail::RuleSource<Rates> rates;
  std::uint8_t rate_target = 0; ///< spikes per period
  std::int8_t eta = 16;         ///< s0.7 of half the distance; -128 counts as -127
  Range range = {};
  [[no_unique_address]] Rounding rounder{};

  /// 0 if there are fewer rates than columns.
  [[nodiscard]] constexpr VectorAddress vectors() const noexcept {
    return rates.vectors() < VectorsPerRow ? 0 : weights.vectors();
  }
  template <class Lanes>
  [[gnu::always_inline]] constexpr void vector_rule(const Lanes& lanes, VectorAddress address) noexcept {
    const LaneVector<Lanes> rate = read(rates, address % VectorsPerRow, lanes);
    const auto change = scaled_difference<8>(LaneVector<Lanes>(rate_target), rate, eta, rounder);
    const auto before = read(weights, address, lanes);
    update(weights, address, before, range.moved(before, change, lanes), lanes);
  }
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
