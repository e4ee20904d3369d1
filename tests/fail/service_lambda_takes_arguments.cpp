// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a service is called without arguments; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/service.hpp>

using namespace neuromorph;

int main() {
#ifdef NEUROMORPH_KO
  Services services(service<3>([](int) {}));
#else
  Services services(service<3>([] {}));
#endif
  services.exec(0);
  return static_cast<int>(services.position(3));
}
