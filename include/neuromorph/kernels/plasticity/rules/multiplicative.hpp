// SPDX-License-Identifier: BSL-1.0
/// \file
/// Weights that move by a fraction of the way that is left to the end of their range: multiplicative plasticity.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_RULES_MULTIPLICATIVE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_RULES_MULTIPLICATIVE_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/rules/weight_range.hpp>
#include <neuromorph/kernels/plasticity/vector_rule.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// drive > 0: w += floor(drive / 2^7 (most - w)); otherwise: w -= floor(-drive / 2^7 (w - least)); held at both ends of
/// the range
///
/// Changes are rounded towards zero, so a small drive does not move a weight that is close to the end.
///
/// \tparam Weights  VectorMemory of std::uint8_t
/// \tparam Drive    VectorSource of std::int8_t, s0.7 (-128 counts as -127): a memory with one value per synapse, or
///                  SameVectors
/// \tparam Range    as for StdpRule; only a weight that is found outside can be held
/// \exact  bit-exact on every backend
/// \source the multiplicative weight dependence of J. Rubin, D. D. Lee, H. Sompolinsky, Equilibrium properties of
///         temporally asymmetric Hebbian plasticity, 2001
template <class Weights, class Drive, class Range = WeightRange>
struct MultiplicativeRule {
  static_assert(detail::is_complete_range<Range>());
  using Offers = offer::List<offer::RuleTarget, offer::VectorsAtOnce>;
  using Target = MemoryTarget<detail::RuleMemory<Weights>>;
  static constexpr std::size_t vectors_at_once =
      neuromorph::vectors_at_once<detail::RuleMemory<Weights>, detail::RuleSource<Drive, std::int8_t>>;

  detail::RuleMemory<Weights> weights;
  detail::RuleSource<Drive, std::int8_t> drive;
  Range range = {};

  [[nodiscard]] constexpr VectorAddress vectors() const noexcept { return fewest_vectors(weights, drive); }
  template <class Lanes>
  [[gnu::always_inline]] constexpr void vector_rule(const Lanes& lanes, VectorAddress address) noexcept {
    using Bytes = LaneVector<Lanes>;
    using SignedBytes = LaneVector<Lanes, std::int8_t>;
    const Bytes least(range.least), most(range.most);
    const Bytes found = read(weights, address, lanes), before = range.held(found, lanes);
    const SignedBytes pull = read(drive, address, lanes);
    // floor(x / 2^7 y) of a fraction x below 1 and any byte y is the upper half of 2 x y
    const Bytes up = (max)(pull, SignedBytes(0)).template as<std::uint8_t>() << 1;
    const Bytes down = (max)(subtract_saturating(SignedBytes(0), pull), SignedBytes(0)).template as<std::uint8_t>()
                       << 1;
    // at most one of the two is not zero
    const Bytes after = before + multiply_high(up, most - before) - multiply_high(down, before - least);
    update(weights, address, found, after, lanes);
  }
};
template <class Weights, class Drive, class Range = WeightRange>
MultiplicativeRule(Weights, Drive, Range = {}) -> MultiplicativeRule<Weights, Drive, Range>;

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
