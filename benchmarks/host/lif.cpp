// SPDX-License-Identifier: BSL-1.0
// One step of LIF neurons, composed, beside the loops of the classes that composed neurons replaced, a plain loop over
// doubles, and a loop that only reads and writes. All get the same input, of the CUBA network's cell and weights.
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <benchmark/benchmark.h>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential_pair.hpp>
#include <neuromorph/target/native.hpp>

#include "cuba_double.hpp"
#include "frozen_lif.hpp"
#include "lif_cell.hpp"
#include "neurons.hpp"
#include "plain_neurons.hpp"
#include "support.hpp"

namespace bench {
namespace {

/// The loop of a class that is no more.
template <class Frozen, std::size_t Receptors>
class Baseline {
public:
  Baseline(const typename Frozen::Parameters& parameters, std::array<std::int64_t, 2> weights,
           std::array<std::int32_t, Frozen::psp_count> psp = {})
      : parameters_(parameters) {
    memory_.weights = weights;
    memory_.begin_at(parameters.reset);
    state_.membrane = memory_.words[0].data();
    for (std::size_t which = 0; which < Frozen::psp_count; ++which) {
      memory_.words[1 + which].fill(psp[which]);
      state_.psp[which] = memory_.words[1 + which].data();
    }
    if constexpr (requires { state_.queue; }) state_.queue = &memory_.queue;
  }
  void fill(std::uint32_t ahead) { memory_.fill(ahead); }
  std::size_t step() {
    const auto input = memory_.next();
    return Frozen::template step<nm::target::Native>(state_, memory_.count, parameters_, input, memory_.step_number,
                                                     memory_.spikes.data())
        .spikes;
  }
  [[nodiscard]] std::uint64_t digest() const { return memory_.digest(); }

private:
  typename Frozen::Parameters parameters_;
  NeuronMemory<1 + Frozen::psp_count, Receptors, typename Frozen::Element> memory_;
  typename Frozen::State state_{};
};

/// The same model, plain, in doubles.
class Plain {
public:
  Plain() {
    const reference::Cell cell;
    const reference::Propagators step(cell, neuron_dt_ms);
    constants_ = {step.membrane,
                  step.excitatory,
                  step.inhibitory,
                  step.from_excitatory * 1000.0,
                  step.from_inhibitory * 1000.0,
                  cell.v_reset_mv - cell.v_rest_mv,
                  cell.v_threshold_mv - cell.v_rest_mv,
                  static_cast<std::int32_t>(std::lround(cell.t_refract_ms / neuron_dt_ms))};
    for (std::size_t neuron = 0; neuron < neurons; ++neuron)
      state_.v[neuron] =
          constants_.threshold + (constants_.reset - constants_.threshold) * (1.0 - initial_share(neuron)) - 1e-6;
  }
  void fill(std::uint32_t ahead) {
    for (const auto& one : arrivals(step_number_ + ahead))
      input_[(step_number_ + ahead) % ring_steps][one.inhibitory][one.neuron] +=
          one.inhibitory ? lif_weights.inhibitory : lif_weights.excitatory;
  }
  std::size_t step() {
    auto& arriving = input_[++step_number_ % ring_steps];
    return plain_lif_step(state_, constants_, arriving[0].data(), arriving[1].data(), spikes_.data());
  }

private:
  PlainLifConstants constants_{};
  PlainLif state_{std::vector<double>(neurons), std::vector<double>(neurons), std::vector<double>(neurons),
                  std::vector<std::int32_t>(neurons)};
  std::array<std::array<std::array<double, slot>, 2>, ring_steps> input_{};
  std::vector<std::uint32_t> spikes_ = std::vector<std::uint32_t>(neurons);
  std::uint32_t step_number_ = 0;
};

/// Reads and writes the arrays of the fixed-point model and does nothing else; this loop vectorises.
class ReadWrite {
public:
  ReadWrite() { memory_.weights = {1, 1}; }
  void fill(std::uint32_t ahead) { memory_.fill(ahead); }
  std::size_t step() {
    const auto input = memory_.next();
    std::int32_t* __restrict const membrane = memory_.words[0].data();
    std::int32_t* __restrict const excitatory = memory_.words[1].data();
    std::int32_t* __restrict const inhibitory = memory_.words[2].data();
    std::int32_t* __restrict const excitatory_input = input[0];
    std::int32_t* __restrict const inhibitory_input = input[1];
    for (std::size_t neuron = 0; neuron < memory_.count; ++neuron) {
      membrane[neuron] ^= 1;
      excitatory[neuron] ^= excitatory_input[neuron];
      inhibitory[neuron] ^= inhibitory_input[neuron];
      excitatory_input[neuron] = 0;
      inhibitory_input[neuron] = 0;
    }
    return 0;
  }

private:
  NeuronMemory<3, 2> memory_;
};

/// Of the composition's constants.
template <std::size_t TimeConstants, class Made>
typename FrozenLif<TimeConstants>::Parameters frozen_lif(const Made& made) {
  const auto& own = made.constants;
  typename FrozenLif<TimeConstants>::Parameters to{};
  to.membrane_decay = own.membrane.decay;
  to.drift = own.membrane.drift;
  to.reset = own.reset.v;
  to.after_spike = own.refractory.after_spike;
  to.psp_shift = own.synapses.shared.psp_shift;
  if constexpr (TimeConstants == 2) {
    to.psp_decay = {own.synapses[0], own.synapses[1]};
    to.input_shift = own.synapses.shared.input_shift;
  } else {
    to.psp_decay = {own.synapses.decay};
    to.input_shift.fill(own.synapses.shared.input_shift);
  }
  return to;
}
FrozenPackedLif::Parameters frozen_packed(const PackedLif::Made& made) {
  const auto& own = made.constants;
  return {own.membrane.decay,
          own.synapses.shared.keep,
          {own.synapses.coupling & 0xFFFF, -(own.synapses.coupling >> 16)},
          own.membrane.drift,
          own.reset.v,
          own.refractory.after_spike};
}
/// Its psps have the membrane's unit.
template <std::size_t TimeConstants, class Made>
typename FrozenCompactLif<TimeConstants>::Parameters frozen_compact(const Made& made, unsigned coupling_shift) {
  const auto& own = made.constants;
  typename FrozenCompactLif<TimeConstants>::Parameters to{};
  to.membrane_decay = own.membrane.decay;
  for (std::size_t which = 0; which < TimeConstants; ++which) to.psp_factor[which] = own.synapses[2 * which];
  to.psp_offset = ((own.synapses[1] - 128) >> coupling_shift) + 128;
  to.reset = own.reset.v;
  to.refractory = static_cast<std::uint32_t>(own.refractory.steps);
  return to;
}

/// Native and Generic, which must give the same bits; `name` is a variant's.
template <class Model, class Element = std::int32_t>
Course register_composed(const std::string& name, const typename Model::Made& made, const Weights& weights) {
  static Composed<Model, nm::target::Native, Element> native(made, weights_of<Model>(made, weights));
  static Composed<Model, nm::target::Generic, Element> generic(made, weights_of<Model>(made, weights));
  const Course course = course_of(native, 2.0);
  expect(course.digests == course_of(generic, 2.0).digests,
         "the LIF step differs between the native and the generic backend");
  expect(native.saturations() == 0, "the LIF step saturates");
  register_population("lif/" + name + "/native", native);
  register_population("lif/" + name + "/generic", generic);
  return course;
}
/// A baseline that has the same words.
template <class Frozen, std::size_t Receptors>
void register_frozen(const std::string& name, Baseline<Frozen, Receptors>& baseline, const Course& course) {
  expect(course_of(baseline, 2.0).digests == course.digests, "a composed LIF step differs from its frozen loop");
  register_population("lif/" + name + "/frozen", baseline);
}

} // namespace

void register_lif() {
  {
    const auto made = made_lif<Lif2>();
    static Baseline<FrozenLif<2>, 2> frozen(frozen_lif<2>(made), weights_of<Lif2>(made, lif_weights));
    static Plain plain;
    const Course course = register_composed<Lif2>("shared", made, lif_weights);
    register_frozen("shared", frozen, course);
    const auto fixed_spikes = static_cast<double>(course.spikes);
    const auto plain_spikes = static_cast<double>(course_of(plain, 2.0).spikes);
    expect(fixed_spikes > 0.98 * plain_spikes && fixed_spikes < 1.02 * plain_spikes,
           "the LIF step fires at another rate than the plain loop of the same model");
    register_population("lif/shared/plain_double", plain);
    static ReadWrite read_write;
    register_population("lif/shared/read_write", read_write);
  }
  {
    const auto made = made_lif<Lif1>();
    static Baseline<FrozenLif<1>, 2> frozen(frozen_lif<1>(made), weights_of<Lif1>(made, lif_weights));
    register_frozen("one_time_constant", frozen, register_composed<Lif1>("one_time_constant", made, lif_weights));
  }
  {
    const auto made = made_lif<PackedLif>();
    static Baseline<FrozenPackedLif, 2> frozen(frozen_packed(made), weights_of<PackedLif>(made, lif_weights));
    register_frozen("packed", frozen, register_composed<PackedLif, std::uint16_t>("packed", made, lif_weights));
  }
  const auto coarser = [](std::array<std::int64_t, 2> weights, unsigned shift) {
    for (std::int64_t& weight : weights) weight = ((weight >> (shift - 1)) + 1) >> 1;
    return weights;
  };
  const auto fires_alike = [](std::size_t spikes, std::size_t other) {
    const auto a = static_cast<double>(spikes), b = static_cast<double>(other);
    expect(a > 0.95 * b && a < 1.05 * b, "a compact LIF step fires at another rate than its frozen loop");
  };
  {
    const auto made = made_lif<CompactLif1>();
    static Baseline<FrozenCompactLif<1>, 1> frozen(frozen_compact<1>(made, 8),
                                                   coarser(weights_of<CompactLif1>(made, lif_weights), 8),
                                                   {made.initial.synapses[0] >> 8});
    const Course course = register_composed<CompactLif1>("compact", made, lif_weights);
    fires_alike(course.spikes, course_of(frozen, 2.0).spikes);
    register_population("lif/compact/frozen", frozen);
  }
  {
    const auto made = made_lif<CompactLif2>();
    static Baseline<FrozenCompactLif<2>, 2> frozen(frozen_compact<2>(made, 9),
                                                   coarser(weights_of<CompactLif2>(made, lif_weights), 9),
                                                   {made.initial.synapses[0] >> 9, 0});
    const Course course = register_composed<CompactLif2>("compact_two", made, lif_weights);
    fires_alike(course.spikes, course_of(frozen, 2.0).spikes);
    register_population("lif/compact_two/frozen", frozen);
  }
  using Each = nm::Neuron<nm::PerNeuron<nm::membrane::Lif>, nm::PerNeuron<nm::synapse::Exponential<2>>,
                          nm::PerNeuron<nm::reset::ToValue>, nm::PerNeuron<nm::refractory::InMembrane>>;
  register_composed<Each>("per_neuron", made_lif<Each>(), lif_weights);
  using Nearest =
      nm::Neuron<nm::membrane::Lif, nm::synapse::Exponential<2>, nm::refractory::InMembrane, nm::rounding::Nearest>;
  register_composed<Nearest>("nearest", made_lif<Nearest>(), lif_weights);
}

} // namespace bench
