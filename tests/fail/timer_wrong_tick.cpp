// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a timer counts ticks as std::uint32_t or std::uint64_t; see docs/scheduling.md
// whole: 15
#include <cstdint>

#include <neuromorph/sched/timer.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
using Tick = int;
#else
using Tick = std::uint32_t;
#endif

int main() {
  const auto timer = Timer<Tick>::from({.service = 1, .period = 10});
  return timer.ok() ? 0 : 1;
}
