// SPDX-License-Identifier: BSL-1.0
// A leaky membrane with synaptic currents and a spike-triggered one, each in closed form over a step, in long double and in
// physical units. It is told which neuron fires, and says what the membrane was.
#ifndef TESTS_SUPPORT_LIF_REFERENCE_HPP
#define TESTS_SUPPORT_LIF_REFERENCE_HPP

#include <array>
#include <cmath>

struct LifReference {
  using Real = long double;
  Real dt_ms, tau_ms, r_mohm, rest_mv;
  std::array<Real, 2> tau_synapse_ms{5, 5};
  Real tau_trace_ms = 100;
  Real v = rest_mv, trace = 0; // mV, nA
  std::array<Real, 2> psp{};   // nA

  /// What 1 nA that decays with a time constant adds to the membrane in a step, in mV.
  [[nodiscard]] Real response(Real tau_current_ms) const {
    const Real kept = std::exp(-dt_ms / tau_ms), ratio = tau_ms / tau_current_ms;
    if (std::fabs(ratio - 1) < 1e-9L) return r_mohm * dt_ms / tau_ms * kept;
    return r_mohm * (std::exp(-dt_ms / tau_current_ms) - kept) / (1 - ratio);
  }
  /// One step with a current that is constant in it; returns the membrane before any reset.
  Real step(Real held_na) {
    const Real far = rest_mv + r_mohm * held_na;
    v = far + (v - far) * std::exp(-dt_ms / tau_ms) + response(tau_synapse_ms[0]) * psp[0] -
        response(tau_synapse_ms[1]) * psp[1] - response(tau_trace_ms) * trace;
    for (int which = 0; which < 2; ++which) psp[which] *= std::exp(-dt_ms / tau_synapse_ms[which]);
    trace *= std::exp(-dt_ms / tau_trace_ms);
    return v;
  }
};

#endif
