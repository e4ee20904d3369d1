// SPDX-License-Identifier: BSL-1.0
// One stream of events through every collector: the same histories on every machine, and the same from each.
#include <cstdint>
#include <cstdio>

#include <neuromorph/digest.hpp>
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/fifo.hpp>
#include <neuromorph/gc/generational.hpp>
#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/sliding.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/target/device/simulated_dma.hpp>

namespace {

using namespace neuromorph;

constexpr std::uint32_t neurons = 40, ticks = 3000;
constexpr std::uint32_t start = 0U - 1000U;
constexpr std::uint64_t expected = 0x722BA4CF5CA49046;
struct Trace {
  std::uint16_t value;
  std::uint8_t neuron;
};

/// What synapses of random neurons see since they last looked; each collector has room for all that is alive.
template <class Collector>
std::uint64_t histories() {
  static TraceStore<Trace, neurons, Collector, gc::AgeWindow<100>> store(start);
  Sfc32 random;
  Digest digest;
  std::uint32_t offered = 0;
  for (std::uint32_t now = start; now != start + ticks; ++now) {
    store.advance_to(now);
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
      if (random.next() >= 128849019U) continue; // 0.03 a tick
      const auto value = static_cast<std::uint16_t>(random.next());
      if (!gc::is_stored(store.record(neuron, now, {value, static_cast<std::uint8_t>(neuron)}))) {
        std::printf("an event was refused\n");
        return 1;
      }
      ++offered;
    }
    for (unsigned query = 0; query < 4; ++query) {
      const std::uint32_t neuron = random.next() % neurons, after = now - random.next() % 130;
      for (const auto& [time, trace] : store.window(neuron, after, now - random.next() % 3)) {
        if (trace.neuron != neuron) return 2;
        digest.add(time);
        digest.add(trace.value);
      }
    }
  }
  const gc::Counts counted = store.counts();
  if (counted.stored != offered || counted.stored != counted.reclaimed + store.events() || !store.is_consistent()) {
    std::printf("the counters do not add up\n");
    return 3;
  }
  return digest.value();
}

template <class Collector>
bool is_right(const char* name) {
  const std::uint64_t found = histories<Collector>();
  if (found == expected) return true;
  std::printf("%s: 0x%08X%08X\n", name, static_cast<unsigned>(found >> 32), static_cast<unsigned>(found));
  return false;
}

} // namespace

int main() {
  bool right = is_right<gc::Fifo<200>>("Fifo");
  right = is_right<gc::Ring<20>>("Ring") && right;
  right = is_right<gc::Pool<220>>("Pool") && right;
  right = is_right<gc::Sliding<180>>("Sliding") && right;
  using gc::BakerOptions, gc::GenerationalOptions;
  right = is_right<gc::Baker<BakerOptions{.events = 200, .words = 100}>>("Baker") && right;
  right = is_right<gc::Baker<BakerOptions{.events = 200, .initial = 1, .words = 40, .scan = 16, .heap_bytes = 4000}>>(
              "Baker in little memory") &&
          right;
  right = is_right<gc::Generational<GenerationalOptions{.events = 200, .words = 100}>>("Generational") && right;
  return right ? 0 : 1;
}
