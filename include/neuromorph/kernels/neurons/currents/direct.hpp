// SPDX-License-Identifier: BSL-1.0
/// \file
/// A constant current.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_CURRENTS_DIRECT_HPP
#define NEUROMORPH_KERNELS_NEURONS_CURRENTS_DIRECT_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/exponential.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// The steps in which a current flows, both ends included.
struct Window {
  std::uint32_t first_step = 0, last_step = UINT32_MAX;
  [[nodiscard]] constexpr bool contains(std::uint32_t step_number) const noexcept {
    return first_step <= step_number && step_number <= last_step;
  }
  constexpr bool operator==(const Window&) const = default;
};

/// What a current adds to the membrane in a step, in its units.
/// \errors parameter_out_of_range
template <class Membrane>
[[nodiscard]] constexpr Result<std::int32_t> flow_of(double na, const Making& making, const char* name) noexcept {
  const std::int64_t units = to_fixed(Membrane::response(making, 0) * na, making.unit_bits);
  if (units >= 1 << 30 || units <= -(1 << 30)) return Status{Error::parameter_out_of_range, 0, na, name};
  return static_cast<std::int32_t>(units);
}
[[nodiscard]] constexpr std::int64_t magnitude(std::int64_t value) noexcept { return value < 0 ? -value : value; }

} // namespace detail

namespace current {

/// A constant current, from a first step to a last one. With membrane::Lif it is integrated exactly, but for the rounding to
/// half a unit of the membrane in a step. What flows in all steps has no cost as `i_offset_na` of the membrane.
/// \cost one sum
struct Direct : Part<Role::current> {
  template <class Value>
  struct Constants {
    Value flow; ///< units of the membrane in a step
  };
  struct Shared {
    detail::Window window;
    bool is_on = true;
  };
  static constexpr bool is_covered(const Shared& own, const Shared& common) noexcept {
    return own.window == common.window;
  }
  struct Parameters {
    double i_na = 0.0;                                    ///< mV/ms with membrane::Izhikevich
    std::uint32_t first_step = 0, last_step = UINT32_MAX; ///< numbers of steps
  };
  static constexpr bool is_physical = true;
  /// \errors parameter_out_of_range for what the membrane's range has no room for
  static constexpr Status make(const Parameters& given, Making& making, auto to) noexcept {
    using Membrane = typename decltype(to)::Membrane;
    const auto flow = detail::flow_of<Membrane>(given.i_na, making, "current.i_na");
    if (!flow) return flow.status();
    if (!making.take(detail::magnitude(flow.value())))
      return {Error::parameter_out_of_range, 0, given.i_na, "current.i_na"};
    to.own.flow = flow.value();
    to.own.shared = {{given.first_step, given.last_step}, true};
    return {};
  }
  static constexpr void at_step(auto& own, std::uint32_t step_number) noexcept {
    own.shared.is_on = own.shared.window.contains(step_number);
  }
  static constexpr auto onto(const auto& m, const auto&, const auto& own, auto sum) noexcept {
    return own.shared.is_on ? m.add(sum, own.flow) : sum;
  }
  static constexpr void step(auto&, auto&, const auto&) noexcept {}
};

} // namespace current
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
