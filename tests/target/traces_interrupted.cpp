// SPDX-License-Identifier: BSL-1.0
// A spike interrupt records while the main program ticks and looks: nothing is lost, views stay whole, and afterwards
// memory holds what a log of all events says. On the Cortex-M4 the interrupt is SysTick's; elsewhere it comes at each
// seventh place between two changes of state, four times a tick.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/fifo.hpp>
#include <neuromorph/gc/generational.hpp>
#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/sliding.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/target/device/simulated_dma.hpp>
#include <neuromorph/target/native.hpp>

namespace {

using namespace neuromorph;

constexpr std::uint32_t neurons = 13, window = 40;
constexpr std::size_t wanted = 1500; // interrupts of each store

/// All that the interrupt has offered, in order. A trace says whose it is and which one.
struct Offered {
  std::uint32_t time;
  std::uint16_t number;
  std::uint8_t neuron;
  bool stored;
};
std::array<Offered, wanted> all;
volatile std::size_t count;
volatile std::uint32_t clock; // the main program's, for the interrupt
std::array<std::uint16_t, neurons> numbers;
bool (*volatile record)(std::uint32_t neuron, std::uint32_t time, std::uint32_t trace);

std::uint32_t neuron_of(std::size_t at) { return static_cast<std::uint32_t>(at % 64 < 8 ? 5 : at % neurons); }
/// The interrupt: bursts of one neuron, and all in turn.
void spike() {
  const std::size_t at = count;
  if (record == nullptr || at == wanted) return;
  const auto neuron = static_cast<std::uint8_t>(neuron_of(at));
  const std::uint16_t number = ++numbers[neuron];
  const bool stored = record(neuron, clock, std::uint32_t{neuron} << 16 | number);
  all[at] = {clock, number, neuron, stored};
  count = at + 1;
}

#if defined(__ARM_ARCH_7EM__)
using Hook = gc::NoHook;
using Target = target::Native;
/// SysTick each `cycles` processor cycles.
void start_interrupts(std::uint32_t cycles) {
  auto* const systick = reinterpret_cast<volatile std::uint32_t*>(0xE000E010);
  if ((systick[0] & 1) != 0) return;
  systick[1] = cycles - 1;
  systick[2] = 0;
  systick[0] = 7; // processor clock, interrupt, on
}
void stop_interrupts() { *reinterpret_cast<volatile std::uint32_t*>(0xE000E010) = 0; }
#else
unsigned locks, places;
std::size_t last; // that may come until the next tick
void place() {
  if (locks != 0 || count >= last || ++places % 7 != 0) return;
  ++locks; // an interrupt is not interrupted
  spike();
  --locks;
}
struct Hook : gc::NoHook {
  static void between() noexcept { place(); }
};
struct Target : target::Generic {
  struct InterruptLock {
    InterruptLock() noexcept { place(), ++locks; }
    ~InterruptLock() { --locks, place(); }
    InterruptLock(const InterruptLock&) = delete;
    InterruptLock& operator=(const InterruptLock&) = delete;
  };
};
void start_interrupts(std::uint32_t) { last = count + 4; }
void stop_interrupts() { last = 0; }
#endif

template <class Collector>
struct Run {
  using Store = TraceStore<std::uint32_t, neurons, Collector, gc::AgeWindow<window>, Target, Hook>;
  inline static Store store;

  static bool record_one(std::uint32_t neuron, std::uint32_t time, std::uint32_t trace) {
    return gc::is_stored(store.record(neuron, time, trace));
  }
  /// Events of one neuron follow on each other, whatever comes meanwhile.
  static bool is_whole(std::uint32_t neuron, std::uint32_t now) {
    std::uint32_t before = 0;
    const auto look = [&] {
      for (const auto& [time, trace] : store.window(neuron, now - window - 1, now)) {
        if (trace >> 16 != neuron || (before != 0 && trace <= before) || now - time > window) return false;
        before = trace;
      }
      return true;
    };
    if constexpr (Store::keeps_views) {
      return look();
    } else {
      typename Target::InterruptLock lock;
      return look();
    }
  }
  /// A glance that says to tell all tells what the log has after one of the events that came meanwhile, or before them.
  static bool is_seen_right(std::uint32_t neuron, std::uint32_t after, std::uint32_t now) {
    const auto past = store.past(after, now);
    const std::size_t first = count;
    const auto seen = past.glance(neuron);
    const std::size_t beyond = count;
    if (!seen.is_all) return true;
    glances += seen.is_in_window;
    for (std::size_t came = first; came <= beyond; ++came) {
      std::size_t at = came;
      const auto older = [&] {
        while (at != 0 && !(all[at - 1].neuron == neuron && all[at - 1].stored)) --at;
        return at == 0 ? nullptr : &all[--at];
      };
      const Offered* const newest = older();
      if (newest == nullptr) {
        if (seen.trace == 0 && !seen.is_in_window) return true;
        continue;
      }
      const bool is_in_window = static_cast<std::int32_t>(newest->time - after) > 0;
      const Offered* const before = older();
      if (is_in_window && before != nullptr && static_cast<std::int32_t>(before->time - after) > 0) continue;
      if (seen.is_in_window == is_in_window && seen.ticks == newest->time - after &&
          seen.trace == (neuron << 16 | newest->number))
        return true;
    }
    return false;
  }
  /// The neuron whose event comes next, in a window that its last two begin: an interrupt makes them three.
  static bool is_next_seen_right(std::uint32_t now) {
    const std::size_t came = count;
    const std::uint32_t neuron = neuron_of(came);
    std::uint32_t events = 0, after = now - 1;
    for (std::size_t at = came; at != 0 && events != 2; --at)
      if (all[at - 1].neuron == neuron && all[at - 1].stored) ++events, after = all[at - 1].time - 1;
    return is_seen_right(neuron, after, now);
  }
  inline static std::uint32_t glances; // at one event of a window
  /// What is shown is what the log has, alive and stored.
  static bool is_as_logged(std::uint32_t now) {
    typename Target::InterruptLock lock;
    if (!store.is_consistent()) return false;
    const std::size_t offered = count;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
      std::size_t at = 0;
      const auto next = [&] {
        while (at < offered && (all[at].neuron != neuron || !all[at].stored || now - all[at].time > window)) ++at;
        return at < offered;
      };
      for (const auto& [time, trace] : store.window(neuron, now - window - 1, now)) {
        if (!next() || all[at].time != time || all[at].number != (trace & 0xFFFF)) return false;
        ++at;
      }
      if (next()) return false;
    }
    std::uint32_t stored = 0;
    for (std::size_t at = 0; at < offered; ++at) stored += all[at].stored;
    const gc::Counts counted = store.counts();
    return counted.stored == stored && counted.stored + counted.refused_full == offered &&
           counted.stored == counted.reclaimed + store.events();
  }
  static bool is_right(const char* name, bool has_room) {
    count = 0;
    numbers = {};
    clock = 0;
    record = record_one;
    std::uint32_t now = 0;
    bool right = true;
    while (count < wanted && right) {
      ++now;
      clock = now;
      store.advance_to(now);
      start_interrupts(2000);
      // The clock is slow enough for a few interrupts a tick on any machine.
      for (const std::size_t due = count + 4; count < due && count < wanted && right;)
        for (std::uint32_t neuron = 0; neuron < neurons && right; ++neuron)
          right = is_seen_right(neuron, now - 1 - (now + neuron) % 8, now) && is_next_seen_right(now) &&
                  is_whole(neuron, now);
      if (!right) std::printf("%s: a view is not whole, or a glance\n", name);
      if (right && now % 16 == 0 && !is_as_logged(now)) right = false, std::printf("%s: not as logged\n", name);
    }
    stop_interrupts();
    record = nullptr;
    const gc::Counts counted = store.counts();
    std::printf("%s: %u events, %u refused, %u reclaimed, %u ticks\n", name, static_cast<unsigned>(counted.stored),
                static_cast<unsigned>(counted.refused_full), static_cast<unsigned>(counted.reclaimed),
                static_cast<unsigned>(now));
    return right && glances > 200 && counted.reclaimed > 200 && (counted.refused_full == 0) == has_room;
  }
};

} // namespace

extern "C" void systick_handler() { spike(); }

int main() {
  bool right = Run<gc::Fifo<60>>::is_right("Fifo", false);
  right = Run<gc::Fifo<1000>>::is_right("Fifo with room", true) && right;
  right = Run<gc::Ring<9, gc::WhenFull::refuse_newest>>::is_right("Ring", false) && right;
  right = Run<gc::Pool<60>>::is_right("Pool", false) && right;
  right = Run<gc::Pool<1000>>::is_right("Pool with room", true) && right;
  right = Run<gc::Sliding<60>>::is_right("Sliding", false) && right;
  right = Run<gc::Sliding<1000>>::is_right("Sliding with room", true) && right;
  using gc::BakerOptions, gc::GenerationalOptions;
  right = Run<gc::Baker<BakerOptions{.events = 60, .words = 100}>>::is_right("Baker", false) && right;
  right =
      Run<gc::Baker<BakerOptions{.events = 300, .words = 40, .heap_bytes = 4800}>>::is_right("Baker with room", true) &&
      right;
  right =
      Run<gc::Generational<GenerationalOptions{.events = 60, .words = 100}>>::is_right("Generational", false) && right;
  right = Run<gc::Generational<GenerationalOptions{.events = 300, .words = 40, .heap_bytes = 4800}>>::is_right(
              "Generational with room", true) &&
          right;
  return right ? 0 : 1;
}
