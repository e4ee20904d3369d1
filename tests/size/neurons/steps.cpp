// SPDX-License-Identifier: BSL-1.0
// A step of each named composition: its code is all that its function needs; its state, and what a population has beside
// that and the list of spikes, are the arrays beside it.
#include <cstdint>

#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/models/nir.hpp>
#include <neuromorph/kernels/neurons/models/pynn.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential_pair.hpp>

using namespace neuromorph;

template <class Model>
using ElementOf = std::conditional_t<Model::Synapses::input_in_pairs, std::uint16_t, std::int32_t>;
template <class Model>
constexpr std::size_t state_of = Model::word_count * sizeof(std::int32_t) +
                                 (Model::Refractory::has_queue ? sizeof(RefractoryQueue::Entry) : 0);
template <class Model>
constexpr std::size_t shared_of = sizeof(Population<Model, 64>) - 64 * (state_of<Model> + sizeof(std::uint32_t));

#define NEURON(name, ...)                                                                                              \
  using name = Neuron<__VA_ARGS__>;                                                                                    \
  STEP(name, name)
#define STEP(name, Model)                                                                                              \
  extern "C" [[gnu::used]] std::uint32_t step_##name(const Model::Columns& columns, std::size_t count,                 \
                                                     const Model::Constants& constants,                                \
                                                     const std::array<ElementOf<Model>*, Model::receptors>& input,     \
                                                     std::uint32_t step_number, std::uint32_t* spikes) {               \
    const StepCounts counts = Model::step(columns, count, constants, input, step_number, spikes);                      \
    return counts.spikes + counts.saturations;                                                                         \
  }                                                                                                                    \
  extern "C" {                                                                                                         \
  [[gnu::used]] std::uint8_t state_##name[state_of<Model>];                                                            \
  [[gnu::used]] std::uint8_t shared_##name[shared_of<Model>];                                                          \
  }

NEURON(lif_1, membrane::Lif, synapse::Difference, refractory::InMembrane)
NEURON(lif_2, membrane::Lif, synapse::Exponential<2>, refractory::InMembrane)
NEURON(packed_lif, membrane::Lif, synapse::ExponentialPair, refractory::InMembrane)
NEURON(compact_lif_1, membrane::Lif, synapse::Driven<1>, refractory::InQueue)
NEURON(compact_lif_2, membrane::Lif, synapse::Driven<2, 9>, refractory::InQueue)
STEP(pynn_if_curr_exp, pynn::IfCurrExp)
STEP(pynn_if_curr_alpha, pynn::IfCurrAlpha)
STEP(pynn_if_curr_delta, pynn::IfCurrDelta)
STEP(pynn_if_cond_exp, pynn::IfCondExp)
STEP(pynn_izhikevich, pynn::Izhikevich)
STEP(pynn_eif_cond_exp_isfa_ista, pynn::EifCondExpIsfaIsta)
STEP(nir_lif, nir::Lif)
STEP(nir_cuba_lif, nir::CubaLif)
STEP(nir_li, nir::Li)
STEP(nir_cuba_li, nir::CubaLi)
STEP(nir_if, nir::If)
STEP(nir_integrator, nir::Integrator)
