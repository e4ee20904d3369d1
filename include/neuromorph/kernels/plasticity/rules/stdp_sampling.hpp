// SPDX-License-Identifier: BSL-1.0
/// \file
/// STDP in steps of one size: a threshold decides about each sample of the correlation sensors.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_RULES_STDP_SAMPLING_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_RULES_STDP_SAMPLING_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/rules/weight_range.hpp>
#include <neuromorph/kernels/plasticity/vector_rule.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// causal - acausal > threshold: w += potentiation; acausal - causal > threshold: w += depression; held in the range;
/// then causal = acausal = 0
///
/// \tparam Weights, Causal, Acausal  VectorMemory of std::uint8_t, as for StdpRule
/// \tparam Range  as for StdpRule
/// \exact  bit-exact on every backend; nothing is rounded
/// \source Masking and Plasticity Rules, 2.3, which measures the rule without its formula. It says that weights are
///         written, and causal and acausal measurements reset, under the mask. Assumed: one threshold for the
///         difference, as the hardware compares its accumulators, on both sides alike; steps of one size, one for each
///         side; a reset of every sampled synapse, also where the threshold decided that nothing moves
template <class Weights, class Causal = Weights, class Acausal = Causal, class Range = WeightRange>
struct StdpSamplingRule {
  static_assert(detail::is_complete_range<Range>());
  using Offers = offer::List<offer::RuleTarget, offer::VectorsAtOnce>;
  using Target = MemoryTarget<detail::RuleMemory<Weights>>;
  static constexpr std::size_t vectors_at_once =
      neuromorph::vectors_at_once<detail::RuleMemory<Weights>, detail::RuleMemory<Causal>, detail::RuleMemory<Acausal>>;

  detail::RuleMemory<Weights> weights;
  detail::RuleMemory<Causal> causal;
  detail::RuleMemory<Acausal> acausal;
  std::uint8_t threshold = 0;
  std::int8_t potentiation = 1; ///< units of the weight
  std::int8_t depression = -1;
  Range range = {};

  [[nodiscard]] constexpr VectorAddress vectors() const noexcept { return fewest_vectors(weights, causal, acausal); }
  template <class Lanes>
  [[gnu::always_inline]] constexpr void vector_rule(const Lanes& lanes, VectorAddress address) noexcept {
    using Bytes = LaneVector<Lanes>;
    using SignedBytes = LaneVector<Lanes, std::int8_t>;
    const Bytes before = read(causal, address, lanes), after = read(acausal, address, lanes), limit(threshold);
    const auto rises = subtract_saturating(before, after) > limit, falls = subtract_saturating(after, before) > limit;
    const SignedBytes down = select(falls, SignedBytes(depression), SignedBytes(0));
    const Bytes weight = read(weights, address, lanes);
    const auto moved = range.moved(weight, select(rises, SignedBytes(potentiation), down), lanes);
    update(weights, address, weight, moved, lanes);
    clear(causal, address, before, lanes);
    clear(acausal, address, after, lanes);
  }
};
template <class Weights, class Causal, class Acausal, class Range = WeightRange>
StdpSamplingRule(Weights, Causal, Acausal, std::uint8_t = 0, std::int8_t = 0, std::int8_t = 0, Range = {})
    -> StdpSamplingRule<Weights, Causal, Acausal, Range>;

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
