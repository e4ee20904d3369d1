// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a part that is_physical lacks 'static constexpr Status make(const Parameters&, Making&, auto to)'
// lines: 12
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

using namespace neuromorph;

/// A constant current.
struct Offset : Part<Role::current> {
  template <class Word>
  struct Constants {
    Word flow; // units of the membrane in a step
  };
  struct Parameters {
    double i_na = 0.0;
  };
  static constexpr bool is_physical = true;
#ifdef NEUROMORPH_KO
  template <class Membrane>
#endif
  static constexpr Status make(const Parameters& given, const Making& making, auto to) noexcept {
    to.own.flow = static_cast<std::int32_t>(given.i_na * making.dt_ms);
    return {};
  }
  static constexpr void at_step(auto&, std::uint32_t) noexcept {}
  static constexpr auto onto(auto& m, const auto&, const auto& own, auto sum) noexcept { return m.add(sum, own.flow); }
  static constexpr void step(auto&, auto&, const auto&) noexcept {}
};
using Model = Neuron<membrane::Lif, synapse::Difference, Offset>;
auto made = Model::make({}, 0.1);
