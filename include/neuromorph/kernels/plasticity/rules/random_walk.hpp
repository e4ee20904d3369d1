// SPDX-License-Identifier: BSL-1.0
/// \file
/// Random walk of weights, in steps smaller than the unit of a weight.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_RULES_RANDOM_WALK_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_RULES_RANDOM_WALK_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/rules/weight_range.hpp>
#include <neuromorph/kernels/plasticity/vector_rule.hpp>
#include <neuromorph/rounding.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// w += amplitude / 2^7 x, rounded up with a chance equal to the fraction and down otherwise, held in the range.
/// x is uniform over the odd numbers from -127 to 127
///
/// The mean of a step is exactly zero before it is held, its variance (amplitude / 2^7)^2 (2^14 - 1) / 3 and what
/// rounding adds, at most 1/4. Each vector that the mask visits takes eight words of the source, however many of its
/// lanes are enabled. So results depend on the mask only through the order in which vectors are visited.
///
/// \tparam Weights  VectorMemory of std::uint8_t
/// \tparam Source   random source with `std::uint32_t next()`; part of the rule, so it must be copied freely
/// \tparam Range    as for StdpRule
/// \exact  bit-exact on every backend
/// \source stochastic rounding as in M. Hopkins, M. Mikaitis, D. R. Lester, S. Furber, Stochastic rounding and
///         reduced-precision fixed-point arithmetic for solving neural ordinary differential equations, 2020
template <class Weights, class Source, class Range = WeightRange>
struct RandomWalkRule {
  static_assert(detail::is_complete_range<Range>());
  using Offers = offer::List<offer::RuleTarget, offer::RuleCheck>;
  static_assert(
      !detail::is_result<Source>,
      "neuromorph: the source is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md");
  static_assert(rounding::BitSource<Source> || detail::is_result<Source>,
                "neuromorph: Source lacks 'std::uint32_t next()'; see docs/random.md");
  using Target = MemoryTarget<detail::RuleMemory<Weights>>;

  detail::RuleMemory<Weights> weights;
  Source source;
  std::uint8_t amplitude = 1; ///< 0 to 127: the farthest step in units of the weight, nearly; more are refused
  Range range = {};

  [[nodiscard]] constexpr VectorAddress vectors() const noexcept { return weights.vectors(); }
  /// A step of more than 127 is no signed byte.
  /// \errors parameter_out_of_range: amplitude
  [[nodiscard]] constexpr Status check() const noexcept {
    if (amplitude > 127) return {Error::parameter_out_of_range, 0, amplitude, "amplitude"};
    return {};
  }
  template <class Lanes>
  [[gnu::always_inline]] constexpr void vector_rule(const Lanes& lanes, VectorAddress address) noexcept {
    using Bytes = LaneVector<Lanes>;
    using Halves = LaneVector<Lanes, std::int16_t>;
    const auto odd = (Bytes::random(source) | Bytes(1)).template as<std::int8_t>();
    const Bytes chance = Bytes::random(source);
    const Halves scale(amplitude);
    const auto low = shift_right_stochastic(unpack_low(odd) * scale, 7, unpack_low(chance).template as<std::int16_t>());
    const auto high =
        shift_right_stochastic(unpack_high(odd) * scale, 7, unpack_high(chance).template as<std::int16_t>());
    const auto change = pack<std::int8_t>(low, high);
    const auto before = read(weights, address, lanes);
    update(weights, address, before, range.moved(before, change, lanes), lanes);
  }
};
template <class Weights, class Source, class Range = WeightRange>
RandomWalkRule(Weights, Source, std::uint8_t = 0, Range = {}) -> RandomWalkRule<Weights, Source, Range>;

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
