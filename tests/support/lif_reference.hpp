// SPDX-License-Identifier: BSL-1.0
// A leaky membrane with synaptic currents and a spike-triggered one, each in closed form over a step, in long double and in
// physical units. It is told which neuron fires, and says what the membrane was.
#ifndef TESTS_SUPPORT_LIF_REFERENCE_HPP
#define TESTS_SUPPORT_LIF_REFERENCE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>

#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>

#include "tests/support/catch.hpp"

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
    for (std::size_t which = 0; which < 2; ++which) psp[which] *= std::exp(-dt_ms / tau_synapse_ms[which]);
    trace *= std::exp(-dt_ms / tau_trace_ms);
    return v;
  }
};

/// A cell at random over what a user may ask for: a time constant of 2 to 512 steps, a constant current that brings it to
/// `far_mv`, synapses that move it by some mV.
struct DrawnCell {
  explicit DrawnCell(std::uint32_t seed) : random(seed) {
    const double steps[]{0.1, 0.25, 1.0};
    dt_ms = steps[random() % 3];
    membrane.tau_ms = dt_ms * between_powers(1, 9);
    membrane.r_mohm = between_powers(0, 8);
    membrane.v_rest_mv = membrane.v_initial_mv = between(-80, -60);
    threshold_mv = membrane.v_rest_mv + between(5, 25);
    reset_mv = membrane.v_rest_mv - between(0, 5);
    far_mv = threshold_mv + between(-2, 15);
    membrane.i_offset_na = (far_mv - membrane.v_rest_mv) / membrane.r_mohm;
    for (auto& tau : tau_synapse_ms) tau = dt_ms * between_powers(1, 7);
    for (auto& weight : weights) weight = {.largest = 4.0 / membrane.r_mohm, .bits = 12, .drive_mv = 40.0};
    refractory_steps = static_cast<std::uint32_t>(random() % 6);
  }
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  double between_powers(double low, double high) { return std::exp2(between(low, high)); }
  [[nodiscard]] LifReference reference() const {
    LifReference made{dt_ms, membrane.tau_ms, membrane.r_mohm, membrane.v_rest_mv};
    for (std::size_t which = 0; which < 2; ++which) made.tau_synapse_ms[which] = tau_synapse_ms[which];
    return made;
  }

  std::mt19937 random;
  double dt_ms = 1, threshold_mv = 0, reset_mv = 0, far_mv = 0;
  neuromorph::membrane::Lif::Parameters membrane;
  std::array<double, 2> tau_synapse_ms{};
  std::array<neuromorph::ReceptorWeights, 2> weights{};
  std::uint32_t refractory_steps = 0;
};

/// Steps a population of one beside a reference. What fires is as the model says, unless the reference is farther from the
/// threshold than `tolerance` mV; then, and where the membrane is farther from its own, the test fails. Ends where a sum was
/// held.
///
/// \param threshold(reference)  in mV, for this step; called after the membrane's step
/// \param spiked(reference)     what a spike does to it
struct Followed {
  double worst_mv = 0;
  std::uint32_t spikes = 0;
};
template <class Model, class Threshold, class Spiked, class Each>
Followed follow(const typename Model::Made& made, neuromorph::Population<Model, 1>& one, LifReference& reference,
                DrawnCell& cell, std::uint32_t steps, double tolerance, Threshold threshold, Spiked spiked, Each each) {
  Followed followed;
  std::uint32_t left = 0;
  std::array<std::int32_t, 2> sums{};
  for (std::uint32_t step = 1; step <= steps; ++step) {
    std::array<LifReference::Real, 2> brought{};
    for (std::size_t receptor = 0; receptor < 2; ++receptor) {
      if (cell.random() % 8 != 0) continue;
      sums[receptor] = static_cast<std::int32_t>(Model::weight(made, static_cast<std::uint32_t>(receptor),
                                                               cell.between(0.1, 1) * cell.weights[receptor].largest)
                                                     .value());
      brought[receptor] = static_cast<LifReference::Real>(sums[receptor]) / made.units[receptor];
    }
    const bool fired = one.step(std::array{&sums[0], &sums[1]}, step).size() == 1;
    const auto before = reference.v;
    reference.step(cell.membrane.i_offset_na);
    for (std::size_t receptor = 0; receptor < 2; ++receptor) reference.psp[receptor] += brought[receptor];
    const LifReference::Real level = threshold(reference); // which may change the membrane
    const auto distance = static_cast<double>(reference.v - level);
    INFO("step " << step);
    if (left > 0) {
      REQUIRE(!fired);
      reference.v = before;
      --left;
    } else {
      if (fired != (distance >= 0)) REQUIRE(std::fabs(distance) < tolerance);
      if (fired) {
        spiked(reference);
        left = cell.refractory_steps;
        ++followed.spikes;
      }
    }
    const double off =
        std::fabs(one.value(neuromorph::place_of<Model>.membrane.v, 0) - static_cast<double>(reference.v));
    followed.worst_mv = std::max(followed.worst_mv, off);
    REQUIRE(off < tolerance);
    each(reference);
  }
  return followed;
}

#endif
