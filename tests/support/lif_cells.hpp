// SPDX-License-Identifier: BSL-1.0
// LIF cells of tests and benchmarks by the numbers that all layouts of their words are made from.
#ifndef TESTS_SUPPORT_LIF_CELLS_HPP
#define TESTS_SUPPORT_LIF_CELLS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/kernels/neurons/models/lif.hpp>

struct LifCell {
  double tau_m_ms = 20.0;
  double tau_exc_ms = 5.0;
  double tau_inh_ms = 5.0;
  double c_m_nf = 0.0; // or r_m_mohm
  double r_m_mohm = 0.0;
  double v_rest_mv = -65.0;
  double v_reset_mv = -65.0;
  double v_threshold_mv = -50.0;
  double t_refract_ms = 2.0;
  double i_offset_na = 0.0;
};
struct LifWeights {
  double excitatory_na = 1.0;
  double inhibitory_na = 1.0;
  unsigned bits = 16;
};

/// Begins at its reset. With one receptor both weights have the unit of the larger.
template <class Model>
constexpr typename Model::Parameters parameters_of(const LifCell& cell, const LifWeights& weights) {
  typename Model::Parameters parameters{};
  parameters.membrane = {.tau_ms = cell.tau_m_ms,
                         .c_nf = cell.c_m_nf,
                         .r_mohm = cell.r_m_mohm,
                         .v_rest_mv = cell.v_rest_mv,
                         .i_offset_na = cell.i_offset_na,
                         .v_initial_mv = cell.v_reset_mv};
  auto& synapses = parameters.synapses;
  if constexpr (requires { synapses.tau_ms[1]; }) {
    synapses.tau_ms[0] = cell.tau_exc_ms;
    if constexpr (Model::receptors == 2) synapses.tau_ms[1] = cell.tau_inh_ms;
  } else {
    synapses.tau_ms = cell.tau_exc_ms;
  }
  const bool is_first = weights.excitatory_na > weights.inhibitory_na;
  const double one = is_first ? weights.excitatory_na : weights.inhibitory_na;
  for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor) {
    synapses.weights[receptor].largest = Model::receptors == 1 ? one
                                         : receptor == 0       ? weights.excitatory_na
                                                               : weights.inhibitory_na;
    synapses.weights[receptor].bits = weights.bits;
  }
  parameters.threshold.v_mv = cell.v_threshold_mv;
  parameters.reset.v_mv = cell.v_reset_mv;
  parameters.refractory.period_ms = cell.t_refract_ms;
  return parameters;
}
template <class Model>
constexpr neuromorph::Result<typename Model::Made> made_of(const LifCell& cell, double dt_ms,
                                                           const LifWeights& weights = {}) {
  return Model::make(parameters_of<Model>(cell, weights), dt_ms);
}

inline constexpr LifCell two_tau_cell{.tau_m_ms = 20.0,
                                      .tau_exc_ms = 5.0,
                                      .tau_inh_ms = 10.0,
                                      .c_m_nf = 0.25,
                                      .v_rest_mv = -65.0,
                                      .v_reset_mv = -70.0,
                                      .v_threshold_mv = -50.0,
                                      .t_refract_ms = 2.0};
/// The same with one time constant of synapses.
inline constexpr LifCell one_tau_cell = [] {
  LifCell cell = two_tau_cell;
  cell.tau_inh_ms = cell.tau_exc_ms;
  return cell;
}();

#endif
