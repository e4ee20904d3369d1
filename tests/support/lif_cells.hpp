// SPDX-License-Identifier: BSL-1.0
// The cells of tests and benchmarks of single neurons.
#ifndef TESTS_SUPPORT_LIF_CELLS_HPP
#define TESTS_SUPPORT_LIF_CELLS_HPP

#include <neuromorph/kernels/neurons/lif.hpp>

inline constexpr neuromorph::LifCell two_tau_cell{.tau_m_ms = 20.0,
                                                  .tau_exc_ms = 5.0,
                                                  .tau_inh_ms = 10.0,
                                                  .c_m_nf = 0.25,
                                                  .v_rest_mv = -65.0,
                                                  .v_reset_mv = -70.0,
                                                  .v_threshold_mv = -50.0,
                                                  .t_refract_ms = 2.0};
/// The same with one time constant of synapses.
inline constexpr neuromorph::LifCell one_tau_cell = [] {
  neuromorph::LifCell cell = two_tau_cell;
  cell.tau_inh_ms = cell.tau_exc_ms;
  return cell;
}();

#endif
