// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: two services have the same ID; see docs/scheduling.md
#include <neuromorph/sched/service.hpp>

#ifdef NEUROMORPH_KO
constexpr neuromorph::ServiceId learn = 3;
#else
constexpr neuromorph::ServiceId learn = 4;
#endif

int main() {
  neuromorph::Services services(neuromorph::service<3>([] {}), neuromorph::service<learn>([] {}));
  services.exec(0);
}
