// SPDX-License-Identifier: BSL-1.0
// The step of one core of the CUBA network: it steps its neurons, sends their spikes and adds the rows of the spikes
// that came in. 250 of 4000 neurons and of their 80 synapses each, as far as they are fed by 1000 of the 4000, which is
// what data memory has room for; input is that of all 4000. Per step, mean of many steps.
//
// cuba250: what a core of the network does. The others give the parts of the cost (realtime.py), or check them: neurons
// that nothing reaches, half as many, neurons that fire by their own drive, longer rows, ten times the input, twice the
// neurons.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/neuromorph.hpp>

#include "cell.hpp"
#include "measure.hpp"

using namespace neuromorph;
using cuba::Model;
using target::Native;

namespace {

constexpr std::size_t synapses = 5000; // one in four of 80 * 250, and of 10 * 500 from 500 neurons
constexpr std::size_t most_neurons = 512, most_sources = 1000, most_steps = 250, most_incoming = 700;
using Word = cuba::WordOf<9>;

// What realtime.py takes for granted of data memory: bytes of a neuron in the ring, in state and list of spikes.
static_assert(sizeof(cuba::RingOf<9>) == 32 * 512 + 64); // with a counter, aligned
static_assert(sizeof(std::int32_t) * (Model::word_count + 1) == 12);

cuba::RingOf<9> ring;
std::array<std::int32_t, most_neurons> membrane, psp;
std::array<std::uint32_t, most_neurons> spikes;
std::array<std::uint32_t, synapses> near_words;
#if !defined(__thumb__)
[[gnu::section(".sdram")]] std::array<std::uint32_t, synapses> far_words;
std::array<std::uint32_t, 64> fetched;
#endif
std::array<std::uint32_t, most_sources + 1> first;
std::array<std::uint32_t, most_incoming> incoming;
std::array<std::uint16_t, most_steps> arrivals;
Model::Made made;
SynapticRows rows;
std::uint32_t neurons, saturations;
std::uint32_t volatile packet; // what hands a spike to the network

struct Scenario {
  double dt_ms;
  std::uint32_t neurons, steps, sources, rows_per_step;
  double weights = 1.0; // of the network's
  bool far = false;
};

[[gnu::noinline]] std::span<const std::uint32_t> step_neurons(std::uint32_t step_number) {
  const std::array input{ring.slot(step_number, 0).data(), ring.slot(step_number, 1).data()};
  const Model::Columns columns{.words = {membrane.data(), psp.data()}};
  const auto counts = Model::step(columns, neurons, made.constants, input, step_number, spikes.data());
  saturations += counts.saturations;
  return std::span<const std::uint32_t>{spikes}.first(counts.spikes);
}

[[gnu::noinline]] std::size_t add_near(std::span<const std::uint32_t> sources, std::uint32_t step_number) {
  return add_rows(ring, rows, sources, step_number);
}

#if !defined(__thumb__)
/// Rows that the core itself copies to its data memory.
[[gnu::noinline]] std::size_t add_far(std::span<const std::uint32_t> sources, std::uint32_t step_number) {
  std::size_t events = 0;
  for (const std::uint32_t source : sources) {
    const auto row = rows.row(source);
    Native::copy_words(fetched.data(), row.data(), row.size());
    add_row(ring, std::span<const std::uint32_t>{fetched}.first(row.size()), step_number);
    events += row.size();
  }
  return events;
}
#endif

/// 5000 synapses, each between a random source and a random neuron.
bool build(const Scenario& scenario) {
  std::span<std::uint32_t> words = near_words;
#if !defined(__thumb__)
  if (scenario.far) words = far_words;
#endif
  const auto result = Model::make(cuba::cell, scenario.dt_ms);
  made = result.value();
  neurons = scenario.neurons;
  const std::uint32_t delay = scenario.dt_ms < cuba::delay_ms ? 2 : 1;
  static std::array<std::uint32_t, most_sources> filled;
  const auto row_starts = std::span{first}.first(scenario.sources + 1);
  auto builder = RowBuilder<Word>::from(row_starts, std::span{filled}.first(scenario.sources), neurons).value();
  auto excitation = cuba::synapse(made, delay, cuba::excitatory_weight_na * scenario.weights, 0);
  auto inhibition = cuba::synapse(made, delay, -cuba::inhibitory_weight_na * scenario.weights, 0);
  bool right = result.ok() && excitation.ok() && inhibition.ok();
  for (const bool place : {false, true}) {
    Sfc32 random;
    for (std::size_t at = 0; at < synapses; ++at) {
      const std::uint32_t source = uniform_below(random, scenario.sources), post = uniform_below(random, neurons);
      auto& synapse = source < cuba::excitatory_count(scenario.sources) ? excitation.value() : inhibition.value();
      synapse.index = post;
      right = (place ? builder.add(source, synapse) : builder.count(source)).ok() && right;
    }
    if (!place) right = builder.place(words).ok() && right;
  }
  rows = builder.finish().value();
  for (std::size_t at = 0; at < most_steps; ++at) arrivals[at] = 0;
  Sfc32 random;
  for (std::uint32_t row = 0; row < scenario.rows_per_step * scenario.steps; ++row)
    ++arrivals[uniform_below(random, scenario.steps)];
  for (auto& element : ring.elements()) element = 0;
  psp.fill(0);
  return right;
}

/// Runs a scenario; how many events there were. Every source fires equally often, at random steps.
std::size_t simulate(const Scenario& scenario,
                     std::size_t (*step)(std::uint32_t step_number, std::span<const std::uint32_t> sources)) {
  std::size_t events = 0;
  std::uint32_t source = 0;
  for (std::uint32_t step_number = 1; step_number <= scenario.steps; ++step_number) {
    const std::size_t count = arrivals[step_number - 1];
    for (std::size_t at = 0; at < count; ++at) {
      incoming[at] = source;
      source = (source + 617) % scenario.sources; // all of them, in an order that says nothing
    }
    events += step(step_number, std::span<const std::uint32_t>{incoming}.first(count));
  }
  return events;
}

/// Membranes as after a long run: at every place between reset and threshold.
void spread() {
  for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
    membrane[neuron] = made.constants.reset.v / 512 * static_cast<std::int32_t>(1 + neuron * 499 % 509);
}
void at_reset() { membrane.fill(made.constants.reset.v); }

std::uint64_t digest() {
  Digest digest;
  digest.add(std::span<const std::int32_t>{membrane}.first(neurons));
  digest.add(std::span<const std::int32_t>{psp}.first(neurons));
  return digest.value();
}

bool nothing_saturated() { return saturations == 0 && ring.saturations() == 0; }

#define MEASURE_NEURONS(key, count)                                                                                    \
  std::span<const std::uint32_t> fired;                                                                                \
  MEASURE(key ".neurons", count, fired = step_neurons(step_number));                                                   \
  for (const std::uint32_t neuron : fired) MEASURE(key ".spikes", 1, packet = neuron)

/// A whole step: neurons, spikes, and the rows, counted per row and per event.
#define MEASURE_STEP(key, count, rows_per_step, events_per_step, add)                                                  \
  [](std::uint32_t step_number, [[maybe_unused]] std::span<const std::uint32_t> sources) {                             \
    std::size_t events;                                                                                                \
    MEASURE(key ".total", 1, MEASURE_NEURONS(key, count);                                                              \
            MEASURE(key ".rows", rows_per_step,                                                                        \
                    MEASURE(key ".events", events_per_step, events = add(sources, step_number))));                     \
    return events;                                                                                                     \
  }

} // namespace

bool run() {
  bool right = true;
  const auto simulated = [&](const Scenario& scenario, std::size_t events, auto step) {
    right = build(scenario) && right;
    spread();
    right = simulate(scenario, step) == events && nothing_saturated() && right;
  };
  const auto quiet = [&](const Scenario& scenario, void (*initial)(), auto step) {
    right = build(scenario) && right;
    initial();
    simulate(scenario, step);
    right = nothing_saturated() && right;
  };
#define ONLY_NEURONS(key, count)                                                                                       \
  [](std::uint32_t step_number, std::span<const std::uint32_t>) {                                                      \
    MEASURE_NEURONS(key, count);                                                                                       \
    return std::size_t{0};                                                                                             \
  }

  // The parts. From reset to threshold the drive takes 48 ms.
  quiet({0.1, 250, 100, 1000, 0}, at_reset, ONLY_NEURONS("core.quiet250.step_0..1ms", 250));
  quiet({0.1, 126, 100, 1000, 0}, at_reset, ONLY_NEURONS("core.quiet126.step_0..1ms", 126));
  quiet({0.1, 250, 250, 1000, 0}, spread, ONLY_NEURONS("core.firing250.step_0..1ms", 250));
  quiet({1.0, 250, 40, 1000, 0}, at_reset, ONLY_NEURONS("core.quiet250.step_1ms", 250));
  quiet({1.0, 126, 40, 1000, 0}, at_reset, ONLY_NEURONS("core.quiet126.step_1ms", 126));
  quiet({1.0, 250, 106, 1000, 0}, spread, ONLY_NEURONS("core.firing250.step_1ms", 250));
  simulated({0.1, 250, 250, 250, 4, 0.25}, 20000, MEASURE_STEP("core.rows_of_20.step_0..1ms", 250, 4, 80, add_near));

  // 10 Hz: 4 and 40 spikes a step.
  simulated({0.1, 250, 250, 1000, 4}, 5000, MEASURE_STEP("core.cuba250.step_0..1ms", 250, 4, 20, add_near));
  [[maybe_unused]] const auto near_0_1_ms = digest();
  simulated({1.0, 250, 100, 1000, 40}, 20000, MEASURE_STEP("core.cuba250.step_1ms", 250, 40, 200, add_near));
  [[maybe_unused]] const auto near_1_ms = digest();
#if !defined(__thumb__)
  simulated({0.1, 250, 250, 1000, 4, 1.0, true}, 5000,
            MEASURE_STEP("core.cuba250.step_0..1ms.sdram", 250, 4, 20, add_far));
  right = digest() == near_0_1_ms && right;
  simulated({1.0, 250, 100, 1000, 40, 1.0, true}, 20000,
            MEASURE_STEP("core.cuba250.step_1ms.sdram", 250, 40, 200, add_far));
  right = digest() == near_1_ms && right;
  simulated({0.1, 250, 250, 250, 4, 0.25, true}, 20000,
            MEASURE_STEP("core.rows_of_20.step_0..1ms.sdram", 250, 4, 80, add_far));
  simulated({0.1, 250, 100, 1000, 40, 0.1, true}, 20000,
            MEASURE_STEP("core.busy250.step_0..1ms.sdram", 250, 40, 200, add_far));
#endif

  // To check them. Ten times the input, with a tenth of the weights; and twice the neurons.
  simulated({0.1, 250, 250, 1000, 40, 0.1}, 50000, MEASURE_STEP("core.busy250.step_0..1ms", 250, 40, 200, add_near));
  simulated({1.0, 250, 50, 1000, 400, 0.1}, 100000, MEASURE_STEP("core.busy250.step_1ms", 250, 400, 2000, add_near));
  simulated({0.1, 500, 250, 500, 4}, 10000, MEASURE_STEP("core.cuba500.step_0..1ms", 500, 4, 40, add_near));
  simulated({1.0, 500, 100, 500, 40}, 40000, MEASURE_STEP("core.cuba500.step_1ms", 500, 40, 400, add_near));
  return right;
}
