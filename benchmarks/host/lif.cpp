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
  using Memory = NeuronMemory<1 + Frozen::psp_count, Receptors, typename Frozen::Element>;
  Baseline(const typename Frozen::Parameters& parameters, Memory& memory, std::int32_t first_psp = 0)
      : parameters_(parameters), memory_(memory), first_psp_(first_psp) {
    state_.membrane = memory.words[0].data();
    for (std::size_t which = 0; which < Frozen::psp_count; ++which) state_.psp[which] = memory.words[1 + which].data();
    if constexpr (requires { state_.queue; }) state_.queue = &memory.queue;
  }
  void begin() {
    std::array<std::int32_t, 1 + Frozen::psp_count> initial{};
    initial[1] = first_psp_;
    memory_.begin(initial, parameters_.reset);
  }
  void fill(std::uint32_t ahead) { memory_.fill(ahead); }
  std::size_t step() {
    const auto input = memory_.next();
    const auto counts = Frozen::template step<nm::target::Native>(state_, memory_.count, parameters_, input,
                                                                  memory_.step_number, memory_.spikes.data());
    saturations_ += counts.saturations; // or the compiler would leave out their count
    benchmark::DoNotOptimize(saturations_);
    return counts.spikes;
  }
  [[nodiscard]] std::uint64_t digest() const { return memory_.digest(); }

private:
  typename Frozen::Parameters parameters_;
  Memory& memory_;
  std::int32_t first_psp_;
  typename Frozen::State state_{};
  std::uint32_t saturations_ = 0;
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
  }
  void begin() {
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

/// Reads and writes the arrays of the fixed-point model and does nothing else; this loop vectorises. Sixteen steps leave
/// membranes as they were.
class ReadWrite {
public:
  explicit ReadWrite(NeuronMemory<3, 2>& memory) : memory_(memory) {}
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
  NeuronMemory<3, 2>& memory_;
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
FrozenPackedLif::Parameters frozen_packed(const nm::PackedLif::Made& made) {
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
template <class Model, class Element>
Course register_composed(const std::string& name, const typename Model::Made& made, MemoryOf<Model, Element>& memory) {
  static Composed<Model, nm::target::Native, Element> native(made, memory);
  static Composed<Model, nm::target::Generic, Element> generic(made, memory);
  memory.weights = weights_of<Model>(made, lif_weights);
  const Course of_generic = course_of(generic, 2.0), course = course_of(native, 2.0);
  expect(course.digests == of_generic.digests, "the LIF step differs between the native and the generic backend");
  expect(native.saturations() == 0, "the LIF step saturates");
  register_population("lif/" + name + "/native", native);
  register_population("lif/" + name + "/generic", generic);
  return course;
}
template <class Model>
void register_alone(const std::string& name) {
  static MemoryOf<Model> memory;
  register_composed<Model, std::int32_t>(name, made_lif<Model>(), memory);
}
/// With a baseline that has the same words; gives the spikes of two seconds.
template <class Model, class Frozen>
std::size_t register_beside(const std::string& name, const typename Model::Made& made,
                            const typename Frozen::Parameters& parameters,
                            MemoryOf<Model, typename Frozen::Element>& memory) {
  static Baseline<Frozen, Model::receptors> frozen(parameters, memory);
  const Course course = register_composed<Model, typename Frozen::Element>(name, made, memory);
  expect(course_of(frozen, 2.0).digests == course.digests, "a composed LIF step differs from its frozen loop");
  register_population("lif/" + name + "/frozen", frozen);
  return course.spikes;
}
/// With a baseline whose psps have 2^-shift of the composition's units.
template <class Model, class Frozen>
void register_compact(const std::string& name, unsigned shift) {
  const auto made = made_lif<Model>();
  static MemoryOf<Model> memory, of_frozen;
  static Baseline<Frozen, Model::receptors> frozen(frozen_compact<Model::receptors>(made, shift), of_frozen,
                                                   made.initial.synapses[0] >> shift);
  const auto spikes = static_cast<double>(register_composed<Model, std::int32_t>(name, made, memory).spikes);
  of_frozen.weights = memory.weights;
  for (std::int64_t& weight : of_frozen.weights) weight = ((weight >> (shift - 1)) + 1) >> 1;
  const auto others = static_cast<double>(course_of(frozen, 2.0).spikes);
  expect(spikes > 0.95 * others && spikes < 1.05 * others,
         "a compact LIF step fires at another rate than its frozen loop");
  register_population("lif/" + name + "/frozen", frozen);
}

} // namespace

void register_lif() {
  {
    static MemoryOf<nm::Lif<2>> memory;
    static Plain plain;
    static ReadWrite read_write(memory);
    const auto made = made_lif<nm::Lif<2>>();
    const auto fixed_spikes =
        static_cast<double>(register_beside<nm::Lif<2>, FrozenLif<2>>("shared", made, frozen_lif<2>(made), memory));
    const auto plain_spikes = static_cast<double>(course_of(plain, 2.0).spikes);
    expect(fixed_spikes > 0.98 * plain_spikes && fixed_spikes < 1.02 * plain_spikes,
           "the LIF step fires at another rate than the plain loop of the same model");
    register_population("lif/shared/plain_double", plain);
    register_population("lif/shared/read_write", read_write);
  }
  {
    static MemoryOf<nm::Lif<1>> memory;
    const auto made = made_lif<nm::Lif<1>>();
    register_beside<nm::Lif<1>, FrozenLif<1>>("one_time_constant", made, frozen_lif<1>(made), memory);
  }
  {
    static MemoryOf<nm::PackedLif, std::uint16_t> memory;
    const auto made = made_lif<nm::PackedLif>();
    register_beside<nm::PackedLif, FrozenPackedLif>("packed", made, frozen_packed(made), memory);
  }
  register_compact<nm::CompactLif<1>, FrozenCompactLif<1>>("compact", 8);
  register_compact<nm::CompactLif<2>, FrozenCompactLif<2>>("compact_two", 9);
  register_alone<nm::Neuron<nm::PerNeuron<nm::membrane::Lif>, nm::PerNeuron<nm::synapse::Exponential<2>>,
                            nm::PerNeuron<nm::reset::ToValue>, nm::PerNeuron<nm::refractory::InMembrane>>>(
      "per_neuron");
  register_alone<
      nm::Neuron<nm::membrane::Lif, nm::synapse::Exponential<2>, nm::refractory::InMembrane, nm::rounding::Nearest>>(
      "nearest");
}

} // namespace bench
