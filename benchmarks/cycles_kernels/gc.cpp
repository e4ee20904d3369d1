// SPDX-License-Identifier: BSL-1.0
// The loop of gc.hpp, with nothing to store.
#include "gc.hpp"

namespace {

using namespace neuromorph;
using trace_cycles::Trace;

/// A mutator with nothing to store.
struct NoStore {
  explicit NoStore(std::uint32_t) {}
  static bool advance_to(std::uint32_t now) {
    asm volatile("" : : "r"(now) : "memory");
    return false;
  }
  [[nodiscard]] static gc::Counts counts() { return {}; }
  static gc::Recorded record(std::uint32_t neuron, std::uint32_t time, Trace trace) {
    asm volatile("" : : "r"(neuron), "r"(time), "r"(trace) : "memory");
    return gc::Recorded::stored;
  }
};

} // namespace

bool run() {
  bool right = true;
  MEASURE_RECLAIM("gc.none", 0, NoStore)
  return right;
}
