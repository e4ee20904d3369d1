// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a service is called without arguments; see docs/scheduling.md
// whole: 15
#include <neuromorph/sched/service.hpp>

struct Rule {
  int factor = 0;
#ifdef NEUROMORPH_KO
  void run(int by) { factor = by; }
#else
  void run() { factor = 1; }
#endif
};

int main() {
  Rule rule;
  neuromorph::Services services(neuromorph::service<3>(rule, &Rule::run));
  return static_cast<int>(services.position(3));
}
