// SPDX-License-Identifier: BSL-1.0
// Steps of populations of NIR's nodes, as neuron.hpp says.
#include <neuromorph/kernels/neurons/models/nir.hpp>

#include "neuron.hpp"

namespace {
constexpr ReceptorWeights up_to(double largest) { return {.largest = largest}; }
constexpr membrane::Lif::Parameters leaky{.c_nf = 0.25, .i_offset_na = 0.15};
} // namespace

bool run() {
  bool right = true;
  static constinit auto lif = nir::Lif::make({.membrane = leaky, .synapses = {{{up_to(5.0)}}}}, 0.1).value();
  NEURON_SIZES_BY_EVENTS("neuron.lif", nir::Lif, *fresh(&lif), 40000);
  static constinit auto cuba =
      nir::CubaLif::make({.membrane = leaky, .synapses = {{5.0}, {{up_to(0.5)}}}}, 0.1).value();
  NEURON_SIZES_BY_EVENTS("neuron.cubalif", nir::CubaLif, *fresh(&cuba), 20000);
  static constinit auto li = nir::Li::make({.membrane = leaky, .synapses = {{{up_to(5.0)}}}}, 0.1).value();
  NEURON_SIZES_BY_EVENTS("neuron.li", nir::Li, *fresh(&li), 100);
  static constinit auto cuba_li =
      nir::CubaLi::make({.membrane = leaky, .synapses = {{5.0}, {{up_to(0.5)}}}}, 0.1).value();
  NEURON_SIZES_BY_EVENTS("neuron.cubali", nir::CubaLi, *fresh(&cuba_li), 100);
  static constinit auto integrate =
      nir::If::make({.membrane = {.c_nf = 0.2, .v_initial_mv = -60.0}, .synapses = {{{up_to(5.0)}}}}, 0.1).value();
  NEURON_SIZES_BY_EVENTS("neuron.if", nir::If, *fresh(&integrate), 40000);
  static constinit auto sum =
      nir::Integrator::make({.membrane = {.v_initial_mv = 0.0}, .synapses = {{{up_to(5.0)}}}}, 0.1).value();
  NEURON_SIZES_BY_EVENTS("neuron.i", nir::Integrator, *fresh(&sum), 100);
  return right;
}
