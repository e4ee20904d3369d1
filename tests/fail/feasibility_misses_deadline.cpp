// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: these services can miss a deadline: until some deadline there is more to do than time
// expect: MissesDeadline<0, 4, 7
#include <array>

#include <neuromorph/sched/feasibility.hpp>

#ifdef NEUROMORPH_KO
constexpr unsigned section = 6; // the whole run: it may have begun just before the first service is released
#else
constexpr unsigned section = 3;
#endif

int main() {
  using namespace neuromorph;
  require_fit<std::array{ServiceTiming{10, 4, 2}, ServiceTiming{20, 20, 6, section}}>();
}
