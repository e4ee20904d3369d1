// SPDX-License-Identifier: BSL-1.0
// What the executive adds to the work: per chunk, per turn that finds nothing, and per plastic row of its pipeline.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/sched/executive.hpp>
#include <neuromorph/sched/row_pipeline.hpp>

#include "devices.hpp"
#include "measure.hpp"

using namespace neuromorph;

namespace {

using Counter = ReadCounter;
struct Engine : InstantEngine {}; // of this program alone, so that calls are seen through
Engine engine;

using Rows = RowPipeline<Engine, 64, 4, 64>;
Rows rows(engine);
std::array<std::uint32_t, 64> far_row[32];

struct Core {
  std::uint32_t chunks = 0, processed = 0;
  bool has_neurons = true;
  static void begin_step(std::uint32_t) { rows.begin_step(); }
  static FarRow row_of(std::uint32_t spike) { return {far_row[spike % 32].data(), 64}; }
  static bool feed_dma() { return rows.feed(row_of); }
  bool synaptic_rows() {
    return rows.process([this](std::uint32_t, std::span<std::uint32_t>) { return ++processed, true; });
  }
  static bool write_back() { return rows.write_back(); }
  bool neurons() {
    if (has_neurons) ++chunks;
    return has_neurons;
  }
  static bool prefetch() { return rows.prefetch(row_of); }
} core;

Counter clock_source;

[[gnu::noinline]] void execute(std::uint32_t turns) {
  using enum ExecutiveTask;
  ExecutiveTasks tasks(core, task<ExecutiveCall::begin_step, &Core::begin_step>(), task<feed_dma, &Core::feed_dma>(),
                       task<synaptic_rows, &Core::synaptic_rows>(), task<write_back, &Core::write_back>(),
                       task<neurons, &Core::neurons>(), task<prefetch, &Core::prefetch>());
  clock_source.time = 0;
  Executive executive(clock_source, tasks, {.start = 1, .period = 0x1000'0000, .budget = {}});
  auto signaller = TimerSignaller<>::from(0, turns, turns).value();
  executive.execute(signaller);
}
[[gnu::noinline]] bool feed() { return Core::feed_dma(); }
[[gnu::noinline]] bool process() { return core.synaptic_rows(); }
[[gnu::noinline]] bool write_back() { return Core::write_back(); }

} // namespace

bool run() {
  // A reading of the clock a turn. Before a chunk of neurons, three tasks are found to have nothing to do.
  MEASURE("sched.executive.chunk", 1000, execute(1000));
  bool right = core.chunks > 990 && core.chunks <= 1000;
  core.has_neurons = false;
  MEASURE("sched.executive.nothing_to_do", 1000, execute(1000));
  for (std::uint32_t spike = 0; spike < 64; ++spike) right = rows.spikes.put(spike) && right;
  bool did = true;
  for (unsigned row = 0; row < 16; ++row) {
    MEASURE("sched.row.feed", 1, did = feed() && did);
    MEASURE("sched.row.process", 1, did = process() && did);
    MEASURE("sched.row.write_back", 1, did = write_back() && did);
  }
  MEASURE("sched.spike.put", 1, did = rows.spikes.put(fresh(5U)) && did);
  return right && did && core.processed == 16 && rows.counts().processed == 16;
}
