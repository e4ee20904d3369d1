// SPDX-License-Identifier: BSL-1.0
// The minimal legal type for each role. The templates are instantiated with them in unit/archetypes.cpp: what they ask
// beyond their concept does not compile there.
#ifndef TESTS_ARCHETYPES_HPP
#define TESTS_ARCHETYPES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/kernels/neuron_model.hpp>
#include <neuromorph/kernels/random_source.hpp>
#include <neuromorph/kernels/synaptic_word.hpp>
#include <neuromorph/sched/clock.hpp>
#include <neuromorph/sched/event.hpp>
#include <neuromorph/sched/signaller.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/vector_memory.hpp>
#include <neuromorph/vector_rule.hpp>

namespace archetype {

struct RandomSource {
  std::uint32_t state = 1;
  std::uint32_t next() { return state += 0x9E3779B9U; }
};
static_assert(neuromorph::RandomSource<RandomSource>);

struct Clock {
  using Tick = std::uint32_t;
  Tick time = 0;
  Tick now() { return ++time; }
};
static_assert(neuromorph::Clock<Clock>);

/// An event at each second time that it is asked.
struct EventSource {
  unsigned asked = 0;
  bool next_event(neuromorph::Event<std::uint32_t>& event, std::uint32_t now) {
    event = {now, 1};
    return ++asked % 2 == 0;
  }
};
static_assert(neuromorph::EventSource<EventSource, std::uint32_t>);

struct Signaller {
  neuromorph::Signal signal(std::uint32_t now) {
    return now < 100 ? neuromorph::Signal::run : neuromorph::Signal::finish;
  }
};
static_assert(neuromorph::Signaller<Signaller, std::uint32_t>);

/// Neurons alone, in one chunk.
struct Tasks {
  unsigned steps = 0, chunks = 0;
  void begin_step(std::uint32_t) { ++steps; }
  bool neurons() { return chunks != steps && ++chunks == steps; }
};

/// Fires each step, whatever the input.
struct NeuronModel {
  struct Parameters {};
  struct State {
    std::span<std::int32_t> membrane;
    std::array<std::span<std::int32_t>, 1> psp;
  };
  static constexpr std::size_t psp_count = 1;
  static constexpr std::size_t receptors = 1;
  template <class Target = neuromorph::target::Generic, class Element>
  static neuromorph::Result<neuromorph::StepCounts> step(const State& state, const Parameters&,
                                                         const std::array<Element*, 1>&, std::uint32_t,
                                                         std::span<std::uint32_t> spikes) {
    for (std::size_t neuron = 0; neuron < state.membrane.size(); ++neuron)
      spikes[neuron] = static_cast<std::uint32_t>(neuron);
    return {{static_cast<std::uint32_t>(state.membrane.size()), 0}, {}};
  }
};
static_assert(neuromorph::NeuronModel<NeuronModel>);

/// Eight bits of weight, then 16 neurons, no types, 4 slots.
struct RowFormat {
  static constexpr unsigned index_bits = 4, type_bits = 0, delay_bits = 2, address_bits = 6;
  static constexpr std::uint32_t address_mask = 63;
  static neuromorph::Result<std::uint32_t> encode(const neuromorph::Synapse& synapse) {
    if (synapse.index > 15) return {0, {neuromorph::Error::index_out_of_range, 0, synapse.index}};
    return {static_cast<std::uint32_t>(synapse.weight) << 6 | (synapse.delay & 3) << 4 | synapse.index, {}};
  }
  static neuromorph::Synapse decode(std::uint32_t word) { return {weight(word), (word >> 4) & 3, 0, word & 15}; }
  static std::int32_t weight(std::uint32_t word) { return static_cast<std::int32_t>(word >> 6); }
  static std::uint32_t offset(std::uint32_t tick) { return tick << 4; }
  static std::uint32_t address(std::uint32_t word, std::uint32_t tick_offset) { return (word + tick_offset) & 63; }
};
static_assert(neuromorph::RowFormat<RowFormat>);

/// One vector of synapses.
struct VectorMemory {
  std::array<std::uint8_t, 16>* lanes;
  [[nodiscard]] std::uint32_t vectors() const { return 1; }
  [[nodiscard]] neuromorph::Vec<std::uint8_t> read(neuromorph::VectorAddress) const {
    return neuromorph::Vec<std::uint8_t>(*lanes);
  }
  void write(neuromorph::VectorAddress, const neuromorph::Vec<std::uint8_t>& value) const { *lanes = value.array(); }
  void write(neuromorph::VectorAddress address, const neuromorph::Vec<std::uint8_t>& value,
             const neuromorph::MaskVector& mask) const {
    write(address, select(mask, value, read(address)));
  }
};
static_assert(neuromorph::VectorMemory<VectorMemory>);

/// Adds one, and knows of masks no more than it must.
struct VectorRule {
  VectorMemory weights;
  void vector_rule(const neuromorph::MaskVector& mask, neuromorph::VectorAddress address) {
    weights.write(address, weights.read(address) + neuromorph::Vec<std::uint8_t>(1), mask);
  }
};
static_assert(neuromorph::VectorRule<VectorRule>);

/// A backend that adds nothing.
struct Backend : neuromorph::target::Generic {};
static_assert(neuromorph::target::Backend<Backend>);

} // namespace archetype

#endif
