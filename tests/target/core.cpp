// SPDX-License-Identifier: BSL-1.0
// A composed core with two rules, rows that wait for a simulated engine, spikes in an order that the engine's speed changes: the
// digest of neurons, ring, rows and counters is the same on every machine and at every speed.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

#include <neuromorph/core/core.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/vogels.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>
#include <neuromorph/target/device/simulated_dma.hpp>

#include "tests/support/expected_digest.hpp"

namespace {

using namespace neuromorph;

constexpr std::uint32_t neurons = 60, sources = 40, places = 20, row_words = 3 + 2 * places + 4, steps = 600;
using Word = SynapticWord<6, 1, 3>;
using Pairs = DeferredUpdate<Word, timing::Pair<DecayTable<300>>, weight::Additive>;
using Balance = DeferredUpdate<Word, timing::Vogels<DecayTable<300>>, weight::Additive>;
using Dma = target::SimulatedDma<>;
struct Send {
  void operator()(std::uint32_t) const noexcept {}
};
using TestCore =
    Core<CoreSizes{.neurons = neurons, .row_words = row_words, .buffers = 3, .spikes = 64, .populations = 3}, Lif<>,
         RingBuffer<Word>, Dma, Send, PlasticRules<Pairs, Balance>, CoreHistory<200, gc::Fifo<1000>>>;

constexpr auto cell =
    Lif<>::make({.membrane = {.c_nf = 0.25, .i_offset_na = 0.18}, .synapses = {.tau_ms = {5.0, 5.0}, .weights = {}}},
                1.0)
        .value();
constexpr auto pairs =
    Pairs::from({.lowest = 0, .highest = 10'000}, timing::Pair<DecayTable<300>>::from({.a_plus = 0.03}, 1.0).value())
        .value();
constexpr auto balance =
    Balance::from({.lowest = 0, .highest = 10'000}, timing::Vogels<DecayTable<300>>::from({.eta = 0.02}, 1.0).value())
        .value();

std::array<std::array<std::uint32_t, sources * row_words>, 3> far_rows;
std::array<std::uint16_t, 2 * sources> ages;

bool build() {
  Sfc32 random;
  bool right = true;
  for (std::size_t population = 0; population < 3; ++population)
    for (std::size_t source = 0; source < sources; ++source) {
      const auto words = std::span(far_rows[population]).subspan(source * row_words, row_words);
      const auto word = [&] {
        const std::uint32_t delay = 1 + uniform_below(random, 8), index = uniform_below(random, neurons);
        return Word::encode({2'000, delay, population == 2 ? 1U : 0U, index}).value();
      };
      if (population == 0) {
        for (std::uint32_t& synapse : words) synapse = word();
        continue;
      }
      auto row = Pairs::Row::make(words, places, 0).value();
      const std::uint32_t state = population == 1 ? pairs.state_of(2'000).value() : balance.state_of(2'000).value();
      for (std::uint32_t left = uniform_below(random, places + 1); left != 0; --left)
        right = row.append(word(), state) && right;
      for (std::uint32_t& synapse : row.fixed()) synapse = word();
    }
  return right;
}

bool run(TestCore& core, Digest& digest) {
  bool right = build();
  std::array<TestCore::Entry, 3> entries{};
  for (std::uint32_t population = 0; population < 3; ++population) {
    entries[population].key = population << 8;
    entries[population].mask = 0xFFFF'FF00;
    entries[population].payload.rows = PopulationRows::of_length(far_rows[population], row_words).value();
    entries[population].payload.rule = population;
  }
  right = core.load(entries, ages).ok() && right;
  Sfc32 random;
  for (std::uint32_t step = 1; step <= steps; ++step) {
    core.run_step();
    for (const std::uint32_t neuron : core.fired()) digest.add(step), digest.add(neuron);
    for (std::uint32_t left = uniform_below(random, 6); left != 0; --left) {
      const std::uint32_t population = uniform_below(random, 3), source = uniform_below(random, sources);
      right = core.receive(population << 8 | source) && right;
      static_cast<void>(core.feed_dma() || core.synaptic_rows());
    }
    if (step % 3 == 0) core.run_spikes();
  }
  core.run_spikes();
  for (const auto& rows : far_rows) digest.add(std::span<const std::uint32_t>(rows));
  digest.add(core.ring().elements());
  const Provenance counts = core.provenance();
  digest.add(counts.flushes), digest.add(counts.weights_held_at_highest), digest.add(counts.weights_held_at_lowest);
  std::printf("%lu spikes out, %lu rows, %lu flushed, %lu held up\n", static_cast<unsigned long>(counts.spikes_sent),
              static_cast<unsigned long>(counts.rows_processed), static_cast<unsigned long>(counts.flushes),
              static_cast<unsigned long>(counts.held_up));
  return right && counts.spikes_sent > 100 && counts.flushes > 10 && counts.history_truncated == 0 &&
         counts.history_refused == 0;
}

Dma fast({.start = 0, .per_word = 1, .per_poll = 1000}), slow;
constinit TestCore core_of_fast(cell, fast, Send{}, PlasticRules<Pairs, Balance>(pairs, balance));
constinit TestCore core_of_slow(cell, slow, Send{}, PlasticRules<Pairs, Balance>(pairs, balance));

} // namespace

int main() {
  Digest of_fast, of_slow;
  bool right = run(core_of_fast, of_fast);
  right = run(core_of_slow, of_slow) && right;
  constexpr std::uint64_t expected = 0xC880C7D53A2CD5FE;
  right = is_expected(of_fast, expected) && right;
  return is_expected(of_slow, expected) && right ? 0 : 1;
}
