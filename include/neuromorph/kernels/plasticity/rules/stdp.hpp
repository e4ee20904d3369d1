// SPDX-License-Identifier: BSL-1.0
/// \file
/// STDP from what correlation sensors have counted since they were last read.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_RULES_STDP_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_RULES_STDP_HPP

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

/// w += eta / 2^8 (causal - acausal), rounded once and held in the range; then causal = acausal = 0
///
/// Each synapse accumulates, as bytes, the correlation of post-synaptic spikes with earlier pre-synaptic ones (causal)
/// and with later ones (acausal). The rule samples both, moves the weight by the weighted difference, and resets what
/// it has sampled. Lanes that are not enabled keep their weight and go on accumulating.
///
/// \tparam Weights, Causal, Acausal  VectorMemory of std::uint8_t
/// \tparam Range     WeightRange, or CountedWeightRange, which counts the weights that it holds
/// \tparam Rounding  rounding::NearestAway, Nearest, Down, or a random source: stochastic, with four of its words for
///                   each vector that the mask visits
/// \exact  bit-exact on every backend. No drift but what `Nearest` (ties) and `Down` (half a unit) have: where the
///         difference is as often positive as negative, the mean change is zero
/// \source a linear rule on the counters of Masking and Plasticity Rules, 2.3; the rule there is StdpSamplingRule
template <class Weights, class Causal = Weights, class Acausal = Causal, class Range = WeightRange,
          class Rounding = rounding::NearestAway>
struct StdpRule {
  static_assert(detail::rounds_in_range<Range, Rounding>());
  using Offers = offer::List<offer::RuleTarget, offer::VectorsAtOnce>;
  using Target = MemoryTarget<detail::RuleMemory<Weights>>;
  static constexpr std::size_t vectors_at_once =
      vectors_at_once_rounded<Rounding, detail::RuleMemory<Weights>, detail::RuleMemory<Causal>,
                              detail::RuleMemory<Acausal>>;

  detail::RuleMemory<Weights> weights;
  detail::RuleMemory<Causal> causal;
  detail::RuleMemory<Acausal> acausal;
  std::int8_t eta = 64; ///< learning rate, s0.7 of half the difference; negative for anti-Hebbian learning
  Range range = {};
  [[no_unique_address]] Rounding rounder{};

  [[nodiscard]] constexpr VectorAddress vectors() const noexcept { return fewest_vectors(weights, causal, acausal); }
  template <class Lanes>
  [[gnu::always_inline]] constexpr void vector_rule(const Lanes& lanes, VectorAddress address) noexcept {
    using Bytes = LaneVector<Lanes>;
    const Bytes before = read(causal, address, lanes), after = read(acausal, address, lanes);
    const auto change = scaled_difference<8>(before, after, eta, rounder);
    const Bytes weight = read(weights, address, lanes);
    update(weights, address, weight, range.moved(weight, change, lanes), lanes);
    clear(causal, address, before, lanes);
    clear(acausal, address, after, lanes);
  }
};
template <class Weights, class Causal, class Acausal, class Range = WeightRange, class Rounding = rounding::NearestAway>
StdpRule(Weights, Causal, Acausal, std::int8_t = 0, Range = {}, Rounding = {})
    -> StdpRule<Weights, Causal, Acausal, Range, Rounding>;

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
