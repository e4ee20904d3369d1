// SPDX-License-Identifier: BSL-1.0
/// \file
/// Compositions by the names that they have in PyNN.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_NEURONS_MODELS_PYNN_HPP
#define NEUROMORPH_KERNELS_NEURONS_MODELS_PYNN_HPP

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/inputs/conductance.hpp>
#include <neuromorph/kernels/neurons/membranes/adex.hpp>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/membranes/lif_conductance.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/refractory/counted.hpp>
#include <neuromorph/kernels/neurons/synapse_types/alpha.hpp>
#include <neuromorph/kernels/neurons/synapse_types/delta.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Standard cells of PyNN: receptor 0 is excitatory, receptor 1 inhibitory, weights are magnitudes. PyNN's parameters stand
/// with the parts: tau_m is membrane.tau_ms, cm membrane.c_nf, e_rev_E input.reversal_mv[0].
namespace pynn {
/// IF_curr_exp
using IfCurrExp = Neuron<membrane::Lif, synapse::Exponential<2>, refractory::InMembrane>;
/// IF_curr_alpha
using IfCurrAlpha = Neuron<membrane::Lif, synapse::Alpha<2>, refractory::InMembrane>;
/// IF_curr_delta
using IfCurrDelta = Neuron<membrane::Lif, synapse::Delta<2>, refractory::Counted>;
/// IF_cond_exp
using IfCondExp =
    Neuron<membrane::LifConductance<>, synapse::Exponential<2>, input::Conductance<2>, refractory::Counted>;
/// IF_cond_alpha: a weight is the conductance's peak, in uS. At steps of 0.1 ms its spikes fall on the steps of a reference
/// at a hundredth of the step. At 1 ms 1 in 1000 is more or less (unit.kernels.neurons.conductance).
using IfCondAlpha = Neuron<membrane::LifConductance<>, synapse::Alpha<2>, input::Conductance<2>, refractory::Counted,
                           rounding::Nearest>;
/// Izhikevich: weights in mV; its peak is threshold.v_mv = 30, c is reset.v_mv.
using Izhikevich = Neuron<membrane::Izhikevich, synapse::Delta<2>, rounding::Nearest>;
/// EIF_cond_exp_isfa_ista: v_spike is threshold.v_mv, v_thresh is membrane.v_t_mv.
using EifCondExpIsfaIsta =
    Neuron<membrane::AdEx, synapse::Exponential<2>, input::Conductance<2>, refractory::Counted, rounding::Nearest>;
/// EIF_cond_alpha_isfa_ista
using EifCondAlphaIsfaIsta =
    Neuron<membrane::AdEx, synapse::Alpha<2>, input::Conductance<2>, refractory::Counted, rounding::Nearest>;
} // namespace pynn

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
