// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a kind of machine has 1 to 26 cores, as a route has bits for so many; see docs/mapping.md
// A route is a word of 32 bits, six of them for links.
#include <neuromorph/mapping/boards.hpp>

struct Right {
  static constexpr neuromorph::mapping::ChipKind kind{.cores = 26, .router_entries = 64};
};
struct Wrong {
  static constexpr neuromorph::mapping::ChipKind kind{.cores = 27, .router_entries = 64};
};

#ifdef NEUROMORPH_KO
using Kind = Wrong;
#else
using Kind = Right;
#endif

int main() { return neuromorph::mapping::board_of_48<Kind>().ok() ? 0 : 1; }
