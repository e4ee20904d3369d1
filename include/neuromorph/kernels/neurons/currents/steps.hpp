// SPDX-License-Identifier: BSL-1.0
/// \file
/// A current from a list.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_CURRENTS_STEPS_HPP
#define NEUROMORPH_KERNELS_NEURONS_CURRENTS_STEPS_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/currents/direct.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace current {

/// From a step on, this amplitude flows, in the unit of the list.
struct Amplitude {
  std::uint32_t first_step = 0;
  std::int32_t amplitude = 0;
};

/// The same current for all neurons of a population: nothing before the first entry, then what the latest entry says. PyNN's
/// StepCurrentSource and NEST's step_current_generator mean the same with times in ms.
///
/// The list is used where it stands, for instance in flash memory, and must stay there. An amplitude is rounded to half a
/// unit of the membrane in a step.
/// \cost one sum; for the population, a search of O(log entries) and a product of 64 bits a step
struct Steps : Part<Role::current> {
  struct Shared {
    std::span<const Amplitude> list;
    std::int32_t coupling = 0; ///< of an amplitude of 1, 2^shift units of the membrane in a step
    std::uint8_t shift = 1;
    std::int32_t now = 0;
  };
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.list.data() == common.list.data() && own.list.size() == common.list.size() &&
           own.coupling == common.coupling && own.shift == common.shift;
  }
  struct Parameters {
    std::span<const Amplitude> list{}; ///< ascending
    double unit_na = 0.001;            ///< of an amplitude of 1; mV/ms with membrane::Izhikevich
  };
  static constexpr bool is_physical = true;
  /// \errors parameter_not_positive, parameter_out_of_range; for an entry that is not later than the one before or has no
  ///         room in the membrane's range, `where` is its place
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    if (!detail::is_finite(given.unit_na)) return {Error::parameter_out_of_range, 0, given.unit_na, "current.unit_na"};
    if (!(given.unit_na > 0.0)) return {Error::parameter_not_positive, 0, given.unit_na, "current.unit_na"};
    auto& shared = to.own.shared;
    const double drive = Membrane::response(making, 0) * given.unit_na;
    int shift = 32;
    while (shift > 1 && detail::to_fixed(drive, making.unit_bits + shift) > INT32_MAX) --shift;
    const std::int64_t coupling = detail::to_fixed(drive, making.unit_bits + shift);
    if (coupling > INT32_MAX || coupling == 0)
      return {Error::parameter_out_of_range, 0, given.unit_na, "current.unit_na"};
    shared.list = given.list;
    shared.shift = static_cast<std::uint8_t>(shift);
    shared.coupling = static_cast<std::int32_t>(coupling);
    std::int64_t most = 0;
    for (std::size_t entry = 0; entry < given.list.size(); ++entry) {
      if (entry != 0 && given.list[entry].first_step <= given.list[entry - 1].first_step)
        return {Error::parameter_out_of_range, static_cast<std::uint32_t>(entry), given.list[entry].first_step,
                "current.list"};
      const std::int64_t flow = detail::magnitude(flow_of(shared, given.list[entry].amplitude));
      most = flow > most ? flow : most;
      if (Making left = making; !left.take(flow))
        return {Error::parameter_out_of_range, static_cast<std::uint32_t>(entry), given.list[entry].amplitude,
                "current.list"};
    }
    return making.take(most) ? Status{} : Status{Error::parameter_out_of_range, 0, given.unit_na, "current.unit_na"};
  }
  static constexpr void at_step(auto& own, std::uint32_t step_number) noexcept {
    const auto& list = own.shared.list;
    std::size_t begin = 0; // of what may be later than the step
    for (std::size_t end = list.size(); begin < end;) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (list[middle].first_step <= step_number)
        begin = middle + 1;
      else
        end = middle;
    }
    own.shared.now = begin == 0 ? 0 : static_cast<std::int32_t>(flow_of(own.shared, list[begin - 1].amplitude));
  }
  static constexpr auto onto(const auto& m, const auto&, const auto& own, auto sum) noexcept {
    return m.add(sum, m.splat(own.shared.now));
  }
  static constexpr void step(auto&, auto&, const auto&) noexcept {}

private:
  [[nodiscard]] static constexpr std::int64_t flow_of(const Shared& shared, std::int32_t amplitude) noexcept {
    const std::int64_t product = std::int64_t{amplitude} * shared.coupling;
    return ((product >> (shared.shift - 1)) + 1) >> 1;
  }
};

} // namespace current
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
