// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: too many deadlines for the compiler to check them all
#include <array>

#include <neuromorph/sched/feasibility.hpp>

#ifdef NEUROMORPH_KO
constexpr unsigned short_run = 50; // half of the processor, and the other half is used, too: hardly any time is idle
#else
constexpr unsigned short_run = 30;
#endif

int main() {
  using namespace neuromorph;
  require_fit<std::array{ServiceTiming{100, 200, short_run}, ServiceTiming{100001, 300003, 50000, 5},
                         ServiceTiming{1000003, 1000003, 1}}>();
}
