// SPDX-License-Identifier: BSL-1.0
/// \file
/// Synapses by the numbers of their recurrence, as networks are trained with them. Weights have a sign.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_RECURRENCE_HPP
#define NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_RECURRENCE_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/detail/kept.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {
/// Of sums that have fewer fraction bits than the membrane.
/// \errors parameter_out_of_range
[[nodiscard]] constexpr Result<std::uint8_t> shift_of(int fraction_bits, const Making& making) noexcept {
  const int shift = making.unit_bits - fraction_bits;
  if (shift < 0 || shift > 30) return Status{Error::parameter_out_of_range, 0, fraction_bits, "synapses.fraction_bits"};
  return static_cast<std::uint8_t>(shift);
}
/// One receptor, whose weights are integers in a unit that is given.
struct WithSums : Part<Role::synapses> {
  static constexpr std::size_t receptors = 1;
  static constexpr bool input_in_pairs = false;
  struct Shared {
    std::uint8_t input_shift = 0; ///< sums are in 2^input_shift units of the membrane
  };
  static constexpr bool is_physical = true;
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.input_shift == common.input_shift;
  }
  static constexpr int weight_bits(const Shared& shared, std::size_t) noexcept { return -shared.input_shift; }
  template <class Membrane>
  static constexpr Result<int> most_unit_bits(const auto& /*given*/, const Making& making) noexcept {
    return making.unit_bits;
  }
};
} // namespace detail

namespace synapse {

/// When a current acts on the membrane.
enum class Acts : std::uint8_t {
  with_arrivals,   ///< v' = kept v + I', with what arrives in this step
  before_arrivals, ///< v' = kept v + I
};

/// I' = kept I + drift + arrivals, in units of the membrane: weights are what they do to it in a step. Held, and counted.
/// \cost one product
template <Acts acts = Acts::with_arrivals>
struct Recurrence : detail::WithSums {
  template <class Number>
  struct Words {
    Number psp; ///< what the current does to the membrane in a step
  };
  template <class Number>
  struct Constants {
    Number itself, factor; ///< as membrane::Recurrence has them
    Number drift;          ///< what is added per step, in units of the membrane
  };
  struct Parameters {
    double kept = 0.5;      ///< 0 to 1
    double drift_mv = 0.0;  ///< per step: a bias
    int fraction_bits = 15; ///< of sums of weights, at most those of the membrane
  };

  /// \errors parameter_out_of_range
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    const auto shift = detail::shift_of(given.fraction_bits, making);
    if (!shift) return shift.status();
    const auto kept = detail::kept_of(given.kept, "synapses.kept");
    if (!kept) return kept.status();
    const std::int64_t drift = detail::to_fixed(given.drift_mv, making.unit_bits);
    if (!detail::is_finite(given.drift_mv) || drift > INT32_MAX || drift < INT32_MIN)
      return {Error::parameter_out_of_range, 0, given.drift_mv, "synapses.drift_mv"};
    to.own.shared.input_shift = shift.value();
    to.own.itself = kept.value().itself, to.own.factor = kept.value().factor;
    to.own.drift = static_cast<std::int32_t>(drift);
    to.units[0] = detail::power_of_two(given.fraction_bits);
    to.quantities.psp = {"mV/step", detail::power_of_two(-making.unit_bits), 0.0};
    return {};
  }

  static constexpr auto onto(auto& m, const auto& word, const auto&, auto sum) noexcept {
    return acts == Acts::before_arrivals ? m.add(sum, word.psp) : sum;
  }
  static constexpr void step(auto& m, auto& word, const auto& own, const auto& input) noexcept {
    const auto kept = m.add_scaled_held(detail::kept_of(m, word.psp, own.itself, own.factor), own.drift, 0);
    word.psp = m.add_scaled_held(kept, input[0], own.shared.input_shift);
  }
  template <class Membrane>
  static constexpr void arrive(auto& m, auto& membrane, const auto& word, const auto&, const auto&) noexcept {
    if constexpr (acts == Acts::with_arrivals) membrane.v = m.add_scaled_held(membrane.v, word.psp, 0);
  }
};

/// The sum of what arrives in a step moves the membrane in this step. Held, and counted; no word, no product.
struct Sums : detail::WithSums {
  struct Parameters {
    int fraction_bits = 15; ///< of sums of weights, at most those of the membrane
  };

  /// \errors parameter_out_of_range
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    const auto shift = detail::shift_of(given.fraction_bits, making);
    if (!shift) return shift.status();
    to.own.shared.input_shift = shift.value();
    to.units[0] = detail::power_of_two(given.fraction_bits);
    return {};
  }
  static constexpr auto onto(const auto&, const auto&, const auto&, auto sum) noexcept { return sum; }
  static constexpr void step(const auto&, auto&, const auto&, const auto&) noexcept {}
  template <class Membrane>
  static constexpr void arrive(auto& m, auto& membrane, const auto&, const auto& own, const auto& input) noexcept {
    membrane.v = m.add_scaled_held(membrane.v, input[0], own.shared.input_shift);
  }
};

} // namespace synapse
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
