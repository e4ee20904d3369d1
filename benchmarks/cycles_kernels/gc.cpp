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
  /// An event before each window if that is asked for, and one in it, which cost nothing.
  struct Past {
    std::uint32_t after, until;
    template <class Before, class Each>
    [[gnu::always_inline]] void of(std::uint32_t neuron, Before before, Each each) const {
      if constexpr (!requires { requires Before::only_if_none; }) before(after, static_cast<Trace>(neuron));
      each(until, static_cast<Trace>(neuron));
    }
  };
  [[nodiscard]] static Past past(std::uint32_t after, std::uint32_t until) { return {after, until}; }
};

} // namespace

bool run() {
  bool right = true;
  MEASURE_RECLAIM("gc.none", 0, NoStore)
  MEASURE_LOOKUP("gc.none", NoStore)
  return right;
}
