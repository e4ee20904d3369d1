// SPDX-License-Identifier: BSL-1.0
/// \file
/// Exponential synaptic currents.
#ifndef NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_EXPONENTIAL_HPP
#define NEUROMORPH_KERNELS_NEURONS_SYNAPSE_TYPES_EXPONENTIAL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// The finest unit of a membrane, in which psps that leave it in its word hold what the weights of a receptor bring.
template <class Membrane>
[[nodiscard]] constexpr Result<int> unit_bits_for(const ReceptorWeights& weights, double tau_ms, const Making& making,
                                                  std::size_t psps) noexcept {
  const auto rate = rate_of(tau_ms, making.dt_ms, "synapses.tau_ms");
  if (!rate) return rate.status();
  if (!(weights.drive_mv >= 0.0 && weights.drive_mv < 1e9))
    return Status{Error::parameter_out_of_range, 0, weights.drive_mv, "synapses.weights.drive_mv"};
  const auto psp =
      psp_of(weights, making.dt_ms, static_cast<double>(exp_q60(-rate.value())) / static_cast<double>(one_q60));
  if (!psp) return psp.status();
  double needed = weights.drive_mv * making.decay; // mV a step
  if (making.holds_weights && weights.drive_mv != 0.0)
    return Status{Error::parameters_contradict, 0, weights.drive_mv, "synapses.weights.drive_mv"};
  const bool is_told = weights.rate_hz > 0.0 && weights.fan_in > 0.0;
  if (making.holds_weights || is_told) {
    const double brought = Membrane::response(making, rate.value()) * weights.largest * (is_told ? psp.value() : 2.0);
    if (brought > needed) needed = brought;
  }
  int bits = making.unit_bits;
  while (bits > 0 && needed > power_of_two(31 - bits) * making.room / (2.0 * static_cast<double>(psps))) --bits;
  return bits;
}

[[nodiscard]] constexpr Status at(Status status, std::uint32_t where) noexcept {
  status.where = where;
  return status;
}
/// The smallest shift for which `psps` at the ends of their range, for ever, leave the membrane in its word.
[[nodiscard]] constexpr std::uint8_t psp_shift(const Making& making, std::size_t psps) noexcept {
  std::uint8_t shift = 0;
  while (static_cast<double>(psps) * power_of_two(-shift) > making.room) ++shift;
  return shift;
}
/// The smallest shift for which the largest weight of a receptor, rounded up, fits into its bits.
/// \errors parameter_not_positive, parameter_out_of_range, weight_out_of_range
[[nodiscard]] constexpr Result<std::uint8_t> input_shift(const ReceptorWeights& weights, double psp_of_one,
                                                         int fraction_bits) noexcept {
  constexpr std::uint8_t most = 30; // of `scale` of a backend's lanes
  if (weights.bits < 1 || weights.bits > 31)
    return Status{Error::parameter_out_of_range, 0, weights.bits, "synapses.weights.bits"};
  if (!is_finite(weights.largest))
    return Status{Error::parameter_out_of_range, 0, weights.largest, "synapses.weights.largest"};
  if (!(weights.largest > 0.0))
    return Status{Error::parameter_not_positive, 0, weights.largest, "synapses.weights.largest"};
  const std::int64_t largest = to_fixed(psp_of_one * weights.largest, fraction_bits);
  std::uint8_t shift = 0;
  if (largest <= INT32_MAX)
    while ((largest >> shift) >= (std::int64_t{1} << weights.bits) - 1) ++shift;
  if (largest > INT32_MAX || shift > most)
    return Status{Error::weight_out_of_range, 0, weights.largest, "synapses.weights.largest"};
  return shift;
}

} // namespace detail

namespace synapse {

/// One psp with a time constant of its own for each receptor: excitation, inhibition, and so on in turn. ReceptorWeights are
/// magnitudes.
template <std::size_t Receptors>
struct Exponential : Part<Role::synapses> {
  static constexpr std::size_t receptors = Receptors;
  static constexpr bool is_receptor_apart = true;
  static constexpr bool input_in_pairs = false;
  template <class Word>
  using Words = std::array<Word, Receptors>;
  template <class Word>
  using Constants = std::array<Word, Receptors>; ///< exp(-dt/tau) - 1, 32 fraction bits
  struct Shared {
    std::uint8_t psp_shift = 0; ///< a psp unit is 2^-psp_shift units of the membrane per step
    std::array<std::uint8_t, Receptors> input_shift{};
  };
  /// Whether psps in the scale of `common` leave a membrane in its word that `own` is the scale for.
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.psp_shift <= common.psp_shift;
  }
  static constexpr int weight_bits(const Shared& shared, std::size_t receptor) noexcept {
    return shared.psp_shift - shared.input_shift[receptor];
  }
  struct Parameters {
    std::array<double, Receptors> tau_ms;
    std::array<ReceptorWeights, Receptors> weights{};
  };
  static constexpr bool is_physical = true;
  static constexpr int lost_halves = Receptors % 2; ///< of the psps' shifts: those of a pair cancel out

  /// The finest unit of the membrane in which psps hold what is brought.
  /// \errors as make: parameter_not_positive, parameter_out_of_range, parameters_contradict
  template <class Membrane>
  static constexpr Result<int> most_unit_bits(const Parameters& given, const Making& making) noexcept {
    int most = making.unit_bits;
    for (std::uint32_t which = 0; which < Receptors; ++which) {
      const auto bits = detail::unit_bits_for<Membrane>(given.weights[which], given.tau_ms[which], making, Receptors);
      if (!bits) return detail::at(bits.status(), which);
      if (bits.value() < most) most = bits.value();
    }
    return most;
  }
  /// \errors as the membrane's for a time constant; parameter_not_positive, parameter_out_of_range, weight_out_of_range for
  ///         a largest weight; `where` is the receptor
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    auto& own = to.own;
    own.shared.psp_shift = detail::psp_shift(making, Receptors);
    for (std::uint32_t which = 0; which < Receptors; ++which) {
      const auto rate = detail::rate_of(given.tau_ms[which], making.dt_ms, "synapses.tau_ms");
      if (!rate) return detail::at(rate.status(), which);
      own[which] = detail::to_decay(detail::exp_q60(-rate.value()));
      const double psp = Membrane::response(making, rate.value());
      const auto shift = detail::input_shift(given.weights[which], psp, making.unit_bits + own.shared.psp_shift);
      if (!shift) return detail::at(shift.status(), which);
      own.shared.input_shift[which] = shift.value();
      to.units[which] = psp * detail::power_of_two(making.unit_bits + own.shared.psp_shift - shift.value());
      to.quantities[which] = {making.weight_unit, detail::power_of_two(-making.unit_bits - own.shared.psp_shift) / psp,
                              0.0};
    }
    return {};
  }

  /// What the psps add to the membrane over the step.
  static constexpr auto onto(auto& m, const auto& psp, const auto& own, auto sum) noexcept {
    if constexpr (Receptors == 2 && std::remove_reference_t<decltype(m)>::fades_psps)
      return m.add(sum, m.scaled_down(m.subtract(psp[0], psp[1]), own.shared.psp_shift)); // rounded once
    detail::each_number<Receptors>([&]<std::size_t which>() {
      const auto drive = m.scaled_down(psp[which], own.shared.psp_shift);
      sum = which % 2 == 0 ? m.add(sum, drive) : m.subtract(sum, drive);
    });
    return sum;
  }
  static constexpr void step(auto& m, auto& psp, const auto& own, const auto& input) noexcept {
    detail::each_number<Receptors>([&]<std::size_t which>() {
      psp[which] = next(m, psp[which], own[which], input[which], own.shared.input_shift[which]);
    });
  }
  /// A receptor's psp after the step.
  static constexpr auto next(auto& m, auto psp, auto decay, auto input, unsigned input_shift) noexcept {
    const auto faded = m.faded(psp, decay);
    return Receptors > 1 ? m.add_magnitudes_held(faded, input, input_shift)
                         : m.add_scaled_held(faded, input, input_shift);
  }
};

/// Excitation and inhibition with one time constant: one psp, excitation minus inhibition.
struct Difference : Part<Role::synapses> {
  static constexpr std::size_t receptors = 2;
  static constexpr bool input_in_pairs = false;
  template <class Word>
  struct Words {
    Word psp;
  };
  template <class Word>
  struct Constants {
    Word decay;
  };
  struct Shared {
    std::uint8_t psp_shift = 0;
    std::uint8_t input_shift = 0;
  };
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.psp_shift <= common.psp_shift;
  }
  static constexpr int weight_bits(const Shared& shared, std::size_t /*receptor*/) noexcept {
    return shared.psp_shift - shared.input_shift;
  }
  struct Parameters {
    double tau_ms = 5.0;
    std::array<ReceptorWeights, 2> weights{}; ///< both get the unit of the larger
  };
  static constexpr bool is_physical = true;
  static constexpr int lost_halves = 1;

  /// \errors parameter_not_positive, parameter_out_of_range, parameters_contradict
  template <class Membrane>
  static constexpr Result<int> most_unit_bits(const Parameters& given, const Making& making) noexcept {
    int most = making.unit_bits;
    for (std::uint32_t which = 0; which < receptors; ++which) {
      const auto bits = detail::unit_bits_for<Membrane>(given.weights[which], given.tau_ms, making, 1);
      if (!bits) return detail::at(bits.status(), which);
      if (bits.value() < most) most = bits.value();
    }
    return most;
  }
  /// \errors parameter_not_positive, parameter_out_of_range, weight_out_of_range
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    auto& own = to.own;
    own.shared.psp_shift = detail::psp_shift(making, 1);
    const auto rate = detail::rate_of(given.tau_ms, making.dt_ms, "synapses.tau_ms");
    if (!rate) return rate.status();
    own.decay = detail::to_decay(detail::exp_q60(-rate.value()));
    const double psp = Membrane::response(making, rate.value());
    for (std::uint32_t which = 0; which < receptors; ++which) {
      const auto shift = detail::input_shift(given.weights[which], psp, making.unit_bits + own.shared.psp_shift);
      if (!shift) return detail::at(shift.status(), which);
      if (shift.value() > own.shared.input_shift) own.shared.input_shift = shift.value();
    }
    to.units[0] = to.units[1] =
        psp * detail::power_of_two(making.unit_bits + own.shared.psp_shift - own.shared.input_shift);
    to.quantities.psp = {"nA", detail::power_of_two(-making.unit_bits - own.shared.psp_shift) / psp, 0.0};
    return {};
  }

  static constexpr auto onto(auto& m, const auto& word, const auto& own, auto sum) noexcept {
    return m.add(sum, m.scaled_down(word.psp, own.shared.psp_shift));
  }
  static constexpr void step(auto& m, auto& word, const auto& own, const auto& input) noexcept {
    word.psp =
        m.add_scaled_held(m.decayed(word.psp, own.decay), m.subtract(input[0], input[1]), own.shared.input_shift);
  }
};

} // namespace synapse
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
