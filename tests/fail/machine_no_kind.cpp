// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a kind of machine needs static constexpr mapping::ChipKind kind; see docs/mapping.md
// A user's own machine says what its chips have.
#include <neuromorph/mapping/machine.hpp>

struct Right {
  static constexpr neuromorph::mapping::ChipKind kind{.cores = 4, .router_entries = 64};
};
struct Wrong {
  static constexpr int cores = 4;
};

#ifdef NEUROMORPH_KO
using Kind = Wrong;
#else
using Kind = Right;
#endif

int main() { return neuromorph::mapping::Machine::grid<Kind>(2, 2).ok() ? 0 : 1; }
