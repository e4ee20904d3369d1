// SPDX-License-Identifier: BSL-1.0
// A composed core: static events all in (spike in, key to row, the engine's request, ring) from rows in SDRAM, by the length of
// rows, as the executive's turns take them; and what looking after the ages of 10 000 plastic rows takes in a step.
//
// The engine is a device that has copied before it is asked, which costs three stores and a load; rows stand in the buffers.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/core/core.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/sched/executive.hpp>
#include <neuromorph/sched/signaller.hpp>

#include "devices.hpp"
#include "measure.hpp"

using namespace neuromorph;

namespace {

#if defined(__thumb__)
#define FAR
#else
#define FAR [[gnu::section(".sdram")]]
#endif

using Engine = InstantEngine;
using Counter = ReadCounter;
struct Send {
  void operator()(std::uint32_t) const noexcept {}
};

constexpr std::uint32_t spikes = 64;
using Word = SynapticWord<8, 1, 3>;
constexpr auto cell =
    Lif<>::make({.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0, 5.0}, .weights = {}}}, 1.0).value();
constexpr CoreSizes sizes{.neurons = 64, .row_words = 100, .buffers = 4, .spikes = 256, .populations = 64};
using Static = Core<sizes, Lif<>, RingBuffer<Word>, Engine, Send>;
Engine engine;
constinit Static core(cell, engine);
FAR std::array<std::uint32_t, 64 * 100> far_words;
FAR std::array<std::uint32_t, 65> far_first;
std::array<Static::Entry, 64> entries;
Counter clock_source;

/// 64 populations, of each of which a neuron fires; their rows of one length are found by that, or by an index in far memory.
template <class AnyCore>
bool load(AnyCore& to, std::uint32_t length, bool by_index) {
  for (std::uint32_t row = 0; row <= 64; ++row) far_first[row] = row * length;
  const auto rows = by_index ? PopulationRows::indexed(far_words, far_first)
                             : PopulationRows::of_length(std::span(far_words).first(64 * length), length);
  if (!rows) return false;
  for (std::uint32_t at = 0; at < 64; ++at) {
    entries[at].key = at << 12;
    entries[at].mask = 0xFFFF'F000;
    entries[at].payload.rows = rows.value();
  }
  return to.load(entries).ok();
}

/// Spikes that come, and turns of the executive until all are applied.
template <class AnyCore, class Executive>
[[gnu::noinline]] void apply(AnyCore& to, Executive& executive) {
  for (std::uint32_t spike = 0; spike < spikes; ++spike) to.receive(spike << 12 | spike);
  auto signaller = TimerSignaller<>::from(0, clock_source.time + 20, clock_source.time + 10'000).value();
  executive.execute(signaller);
}

#if !defined(__thumb__)
using Stdp = DeferredUpdate<Word, timing::Pair<DecayTable<300>>, weight::Additive>;
using Learner = Core<sizes, Lif<>, RingBuffer<Word>, Engine, Send, PlasticRules<Stdp>, CoreHistory<500, gc::Fifo<32>>>;
constexpr auto rule = Stdp::from({.lowest = 0, .highest = 1000}, timing::Pair<DecayTable<300>>{}).value();
constinit Learner learner(cell, engine, Send{}, PlasticRules<Stdp>(rule));
FAR std::array<std::uint16_t, 10'000> ages;

FAR std::array<std::uint32_t, 50'000> plastic_words;

[[gnu::noinline]] void look_at_ages() {
  for (unsigned chunk = 0; chunk < 3; ++chunk) learner.neurons(); // 32 looks, 32, and 16
}
bool load_plastic() {
  const auto rows = PopulationRows::of_length(plastic_words, 5);
  if (!rows) return false;
  std::array<Learner::Entry, 1> entry{};
  entry[0].mask = 0xFFFF'0000;
  entry[0].payload.rows = rows.value();
  entry[0].payload.rule = 1;
  return learner.load(entry, ages).ok();
}
#endif

} // namespace

#define STATIC_ROWS(core, name, length, by_index)                                                                      \
  right = load(core, length, by_index) && right;                                                                       \
  apply(core, executive);                                                                                              \
  before = core.provenance().rows_processed;                                                                           \
  MEASURE("core." name, length * 64, apply(core, executive));                                                          \
  right = core.provenance().rows_processed == before + spikes && right;

bool run() {
  bool right = true;
  std::uint32_t before;
  {
    core.run_step();
    core.run_spikes();
    Executive executive(clock_source, core.tasks(), {.start = 1, .period = 0x1000'0000, .budget = {}});
    STATIC_ROWS(core, "static.rows_of_10", 10, false);
    STATIC_ROWS(core, "static.rows_of_30", 30, false);
    STATIC_ROWS(core, "static.rows_of_100", 100, false);
    STATIC_ROWS(core, "static.rows_of_10.indexed", 10, true);
  }
#if !defined(__thumb__)
  {
    learner.run_step();
    learner.run_spikes();
    Executive executive(clock_source, learner.tasks(),
                        {.start = clock_source.time, .period = 0x1000'0000, .budget = {}});
    STATIC_ROWS(learner, "static_of_learner.rows_of_10", 10, false);
    STATIC_ROWS(learner, "static_of_learner.rows_of_30", 30, false);
    STATIC_ROWS(learner, "static_of_learner.rows_of_100", 100, false);
  }
  right = load_plastic() && right;
  const std::uint32_t until = learner.time() + 10;
  while (learner.time() != until) {
    learner.begin_step(learner.time() + 1);
    MEASURE("core.flush.step_of_10000", 1, look_at_ages());
    while (learner.neurons()) {}
  }
  right = learner.provenance().flushes == 0 && right;
#endif
  return right;
}
