// SPDX-License-Identifier: BSL-1.0
// The executive with plastic rows and a simulated DMA engine, spikes and steps by a timer interrupt: real ones on
// boards, SysTick's on a Cortex-M, those of two SP804 on the ARM926; elsewhere spikes come when the clock is read.
// Every spike changes its row once, every neuron is updated once a step, every step is begun or counted.
#include <array>
#include <cstdint>
#include <cstdio>

#include <neuromorph/sched/executive.hpp>
#include <neuromorph/sched/row_pipeline.hpp>
#include <neuromorph/target/native.hpp>
#include <neuromorph/target/simulated_dma.hpp>
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#include <neuromorph/target/systick_clock.hpp>
#elif defined(__arm__)
#include <neuromorph/target/sp804_clock.hpp>
#endif

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

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
using Target = target::Native;
using ClockType = target::SystickClock<>;
ClockType time_source;
constexpr Tick period = 25'000;
void start() { time_source.start(2500); }
void stop() { time_source.stop(); }
#elif defined(__arm__)
using Target = target::Native;
using ClockType = target::Sp804Clock;
volatile std::uint32_t* at(std::uintptr_t address) { return reinterpret_cast<volatile std::uint32_t*>(address); }
ClockType time_source(at(0x101E2000));
constexpr Tick period = 1000;
void start() {
  time_source.start();
  *at(0x101E3000) = 100;  // microseconds
  *at(0x101E3008) = 0xE2; // on, periodic, interrupt, 32 bits
  *at(0x10140010) = 0x30; // both timers' lines of the interrupt controller
  asm volatile("mrs r0, cpsr\n\tbic r0, r0, #0x80\n\tmsr cpsr_c, r0" : : : "r0", "memory");
}
void stop() {
  *at(0x10140014) = 0x30;
  *at(0x101E3008) = 0;
}
#else
unsigned locks, readings;
Tick passed;
void tick() {
  if (++readings % 61 == 0 && locks == 0) interrupt();
}
struct Target : target::Generic {
  struct InterruptLock {
    InterruptLock() noexcept { tick(), ++locks; }
    ~InterruptLock() { --locks, tick(); }
    InterruptLock(const InterruptLock&) = delete;
    InterruptLock& operator=(const InterruptLock&) = delete;
  };
};
struct ClockType {
  using Tick = std::uint32_t;
  Tick now() {
    tick();
    return passed += 3;
  }
  void alarm(Tick when) {
    if (is_before(passed, when)) passed += (when - passed) / 2; // an interrupt comes before it
  }
} time_source;
constexpr Tick period = 1000;
void start() {}
void stop() { ++locks; }
#endif

struct Tasks {
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
  static Signal signal(Tick) { return spikes >= wanted && rows.is_idle() ? Signal::finish : Signal::run; }
  static bool wake_at(Tick, Tick&) { return false; }
};

bool right = true;
void require(bool condition, const char* what) {
  if (!condition) std::printf("wrong: %s\n", what), right = false;
}

} // namespace

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
extern "C" void systick_handler() {
  time_source.on_interrupt();
  interrupt();
}
#elif defined(__arm__)
extern "C" [[gnu::interrupt("IRQ")]] void irq_handler() {
  const std::uint32_t lines = *at(0x10140000);
  if ((lines & 0x10) != 0) time_source.acknowledge();
  if ((lines & 0x20) != 0) {
    *at(0x101E300C) = 0;
    interrupt();
  }
}
#endif

int main() {
  static Tasks tasks;
  start();
  const Tick begin = time_source.now() + period;
  Executive<ClockType, Tasks, overrun::LeaveOut, Target> executive(time_source, tasks,
                                                                   {.start = begin, .period = period, .budget = {}});
  UntilDone signaller;
  const Finished finished = executive.execute(signaller);
  const Tick end = time_source.now();
  stop();

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
  for (const std::uint32_t count : tasks.updates) updates_right = updates_right && count == counts.steps;
  require(updates_right && tasks.unfinished == 0 && tasks.begun == counts.steps, "updates of neurons");
  const std::uint32_t passed_steps = (end - begin) / period + 1;
  require(counts.steps + counts.left_out <= passed_steps && counts.steps + counts.left_out + 1 >= passed_steps,
          "steps");
  return right ? 0 : 1;
}
