// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: these services need more than the whole processor; see docs/scheduling.md
#include <array>

#include <neuromorph/sched/feasibility.hpp>

#ifdef NEUROMORPH_KO
constexpr unsigned cost = 1; // of the executive, for each release
#else
constexpr unsigned cost = 0;
#endif

int main() {
  using namespace neuromorph;
  require_fit<std::array{ServiceTiming{2, 4, 1}, ServiceTiming{4, 8, 2, 1}}, SchedulerCost{cost, 0, 0}>();
}
