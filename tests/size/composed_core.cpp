// SPDX-License-Identifier: BSL-1.0
// A composed core with one rule and its executive, as firmware has it: what the library itself takes.
#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/core/core.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/sched/executive.hpp>
#include <neuromorph/sched/signaller.hpp>

#include "benchmarks/cycles_kernels/devices.hpp"

namespace {
using namespace neuromorph;
using Word = SynapticWord<8, 1, 3>;
using Stdp = DeferredUpdate<Word, timing::Pair<DecayTable<300>>, weight::Additive>;
InstantEngine engine;
struct Clock {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
  std::uint32_t volatile ticks;
  [[nodiscard]] Tick now() const noexcept { return ticks; }
} clock_source;
volatile std::uint32_t packet, sum;
struct Send {
  void operator()(std::uint32_t neuron) const noexcept { packet = neuron; }
};
using TheCore = Core<CoreSizes{.neurons = 250, .row_words = 128, .populations = 16}, Lif<>, RingBuffer<Word>,
                     InstantEngine, Send, PlasticRules<Stdp>>;
constexpr auto cell = Lif<>::make({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 5.0}}}, 1.0).value();
constexpr auto rule =
    Stdp::from({.lowest = 0, .highest = 60'000}, timing::Pair<DecayTable<300>>::from({}, 1.0).value()).value();
constinit TheCore the_core(cell, engine, Send{}, PlasticRules<Stdp>(rule));
std::array<std::uint32_t, 128> rows;
std::array<std::uint16_t, 1> ages;
} // namespace

int main() {
  std::array<TheCore::Entry, 1> entries{};
  entries[0].payload.rows = PopulationRows::of_length(rows, 128).value();
  entries[0].payload.rule = 1;
  if (!the_core.load(entries, ages)) return 1;
  Executive executive(clock_source, the_core.tasks(), {.start = 0, .period = 200'000, .budget = {}});
  the_core.receive(packet);
  auto signaller = TimerSignaller<>::from(0, 20'000'000, 20'000'000).value();
  executive.execute(signaller);
  sum = the_core.provenance(executive).rows_processed;
  return 0;
}
