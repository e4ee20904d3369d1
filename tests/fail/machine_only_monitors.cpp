// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a kind of machine has more cores than monitors; see docs/mapping.md
// One monitor is the default.
#include <neuromorph/mapping/machine.hpp>

struct Right {
  static constexpr neuromorph::mapping::ChipKind kind{.cores = 1, .monitors = 0, .router_entries = 64};
};
struct Wrong {
  static constexpr neuromorph::mapping::ChipKind kind{.cores = 1, .router_entries = 64};
};

#ifdef NEUROMORPH_KO
using Kind = Wrong;
#else
using Kind = Right;
#endif

int main() { return neuromorph::mapping::Machine::grid<Kind>(2, 2).ok() ? 0 : 1; }
