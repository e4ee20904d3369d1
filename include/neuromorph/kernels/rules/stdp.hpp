// SPDX-License-Identifier: BSL-1.0
/// \file
/// STDP from what correlation sensors have counted since they were last read.
#ifndef NEUROMORPH_KERNELS_RULES_STDP_HPP
#define NEUROMORPH_KERNELS_RULES_STDP_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/rules/weight_range.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>
#include <neuromorph/vector_rule.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// w += floor(eta / 2^7 (floor(causal / 2) - floor(acausal / 2))), held in the range; then causal = acausal = 0
///
/// Each synapse accumulates, as bytes, the correlation of post-synaptic spikes with earlier pre-synaptic ones (causal)
/// and with later ones (acausal). The rule samples both, moves the weight by the weighted difference, and resets what
/// it has sampled. Lanes that are not enabled keep their weight and go on accumulating.
///
/// \tparam Weights, Causal, Acausal  VectorMemory of std::uint8_t
/// \exact  bit-exact on every backend
/// \source Masking and Plasticity Rules, 2.3, the sampling rule after S. Friedmann, A new approach to learning in
///         neuromorphic hardware, 2013. There a threshold decides about each sample; here eta scales it.
template <VectorMemory Weights, VectorMemory Causal = Weights, VectorMemory Acausal = Causal>
struct StdpRule {
  using Target = MemoryTarget<Weights>;
  static constexpr std::size_t vectors_at_once = neuromorph::vectors_at_once<Weights, Causal, Acausal>;

  Weights weights;
  Causal causal;
  Acausal acausal;
  std::int8_t eta = 64; ///< learning rate, s0.7; negative for anti-Hebbian learning
  WeightRange range = {};

  [[nodiscard]] constexpr VectorAddress vectors() const noexcept { return fewest_vectors(weights, causal, acausal); }
  template <class Lanes>
  [[gnu::always_inline]] constexpr void vector_rule(const Lanes& lanes, VectorAddress address) noexcept {
    using Bytes = LaneVector<Lanes>;
    const Bytes before = read(causal, address, lanes), after = read(acausal, address, lanes);
    const Bytes difference = (before >> 1) - (after >> 1);
    const auto change = multiply_fractional(difference.template as<std::int8_t>(), LaneVector<Lanes, std::int8_t>(eta));
    const Bytes weight = read(weights, address, lanes);
    update(weights, address, weight, range.moved(weight, change), lanes);
    clear(causal, address, before, lanes);
    clear(acausal, address, after, lanes);
  }
};
template <class Weights, class Causal, class Acausal, class... Rest>
StdpRule(Weights, Causal, Acausal, Rest...) -> StdpRule<Weights, Causal, Acausal>;
static_assert(VectorRule<StdpRule<PlainVectors<std::uint8_t, target::Generic>>>);

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
