// SPDX-License-Identifier: BSL-1.0
// The executive with plastic rows and a simulated DMA engine, spikes and steps by a timer interrupt: real ones on
// boards, SysTick's on a Cortex-M, those of two SP804 on the ARM926; elsewhere spikes come when the clock is read.
// Every spike changes its row once, every neuron is updated once a step, every step is begun or counted.
#include <array>
#include <cstdint>
#include <cstdio>

#include <neuromorph/sched/executive.hpp>
#include <neuromorph/sched/row_pipeline.hpp>
#include <neuromorph/target/device/simulated_dma.hpp>
#include <neuromorph/target/native.hpp>

#include "tests/support/board_timer.hpp"

namespace {

using namespace neuromorph;
using Tick = std::uint32_t;

constexpr std::uint32_t sources = 50, row_words = 17, size = 256, wanted = 20'000; // spikes
using Dma = target::SimulatedDma<4>;
Dma dma;
RowPipeline<Dma, 64, 4, row_words> rows(dma);
std::array<std::array<std::uint32_t, row_words>, sources> far_rows;
std::array<volatile std::uint32_t, sources> spikes_of;
volatile std::uint32_t spikes;

/// A timer interrupt brings up to three spikes.
void interrupt() {
  for (std::uint32_t which = 0; which < 1 + spikes % 3 && spikes < wanted; ++which) {
    const std::uint32_t source = spikes * 7 % 64; // some have no row
    if (rows.spikes.put(source) && source < sources) spikes_of[source] = spikes_of[source] + 1;
    spikes = spikes + 1;
  }
}

using ClockType = board_timer::Clock;
using board_timer::time_source;
constexpr Tick period = 1000 * board_timer::unit;

struct Core {
  std::array<std::uint32_t, size> updates{};
  std::uint32_t at = size, begun = 0, unfinished = 0, randoms = 0;

  static FarRow row_of(std::uint32_t spike) {
    if (spike >= sources) return {};
    return {far_rows[spike].data(), row_words};
  }
  void begin_step(std::uint32_t) {
    unfinished += at == size ? 0 : 1;
    at = 0;
    ++begun;
    rows.begin_step();
  }
  static bool feed_dma() { return rows.feed(row_of); }
  static bool synaptic_rows() {
    return rows.process([](std::uint32_t, std::span<std::uint32_t> row) {
      for (auto& word : row) ++word;
      return true;
    });
  }
  static bool write_back() { return rows.write_back(); }
  bool neurons() {
    if (at == size) return false;
    for (const std::uint32_t end = at + 32; at < end; ++at) ++updates[at];
    return true;
  }
  bool random_numbers() { return randoms % 64 != 63 ? ++randoms, true : (randoms += begun % 2, false); }
  static bool is_idle() { return rows.is_idle(); }
};

/// Until all spikes have come and all rows are where they belong.
struct UntilDone {
  using Offers = offer::List<offer::WakeAt>;
  static Signal signal(Tick) { return spikes >= wanted && rows.is_idle() ? Signal::finish : Signal::run; }
  static bool wake_at(Tick, Tick&) { return false; }
};

bool right = true;
void require(bool condition, const char* what) {
  if (!condition) std::printf("wrong: %s\n", what), right = false;
}

} // namespace

void board_timer::on_interrupt() { interrupt(); }

int main() {
  using enum ExecutiveTask;
  static Core core;
  ExecutiveTasks tasks(core, task<ExecutiveCall::begin_step, &Core::begin_step>(), task<feed_dma, &Core::feed_dma>(),
                       task<synaptic_rows, &Core::synaptic_rows>(), task<write_back, &Core::write_back>(),
                       task<neurons, &Core::neurons>(), task<random_numbers, &Core::random_numbers>(),
                       task<ExecutiveCall::is_idle, &Core::is_idle>());
  board_timer::start(200);
  const Tick begin = time_source.now() + period;
  Executive<ClockType, decltype(tasks), Overrun::leave_out, board_timer::Target> executive(
      time_source, tasks, {.start = begin, .period = period, .budget = {}});
  UntilDone signaller;
  const Finished finished = executive.execute(signaller);
  const Tick end = time_source.now();
  board_timer::stop();

  const ExecutiveCounts& counts = executive.counts();
  const auto& row_counts = rows.counts();
  const auto total = [&](ExecutiveTask task) { return static_cast<unsigned>(executive.record(task).total); };
  std::printf("%u spikes, %u dropped, %u rows, %u written back, %u held up; %u steps, %u left out, %u overruns\n",
              static_cast<unsigned>(spikes), static_cast<unsigned>(rows.spikes.dropped()),
              static_cast<unsigned>(row_counts.processed), static_cast<unsigned>(row_counts.written),
              static_cast<unsigned>(row_counts.held_up), static_cast<unsigned>(counts.steps),
              static_cast<unsigned>(counts.left_out), static_cast<unsigned>(counts.overruns));
  std::printf("ticks: feeding %u, rows %u, writing back %u, neurons %u, random numbers %u, idle %u of %u\n",
              total(ExecutiveTask::feed_dma), total(ExecutiveTask::synaptic_rows), total(ExecutiveTask::write_back),
              total(ExecutiveTask::neurons), total(ExecutiveTask::random_numbers), total(ExecutiveTask::idle),
              static_cast<unsigned>(end - begin));
  require(finished == Finished::by_finish, "end");
  require(rows.spikes.put_count() + rows.spikes.dropped() == wanted, "spikes");
  require(row_counts.processed + row_counts.without_row == rows.spikes.put_count(), "rows");
  require(row_counts.processed == row_counts.written && row_counts.without_row > 0, "rows written back");
  bool rows_right = true;
  for (std::uint32_t source = 0; source < sources; ++source)
    for (const std::uint32_t word : far_rows[source]) rows_right = rows_right && word == spikes_of[source];
  require(rows_right, "contents of rows");
  bool updates_right = true;
  for (const std::uint32_t count : core.updates) updates_right = updates_right && count == counts.steps;
  require(updates_right && core.unfinished == 0 && core.begun == counts.steps, "updates of neurons");
  const std::uint32_t passed_steps = (end - begin) / period + 1;
  require(counts.steps + counts.left_out <= passed_steps && counts.steps + counts.left_out + 1 >= passed_steps,
          "steps");
  return right ? 0 : 1;
}
