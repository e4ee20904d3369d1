// SPDX-License-Identifier: BSL-1.0
// A user's program, the same for each way of getting at the library.
#if defined(USE_SINGLE_HEADER)
#include "neuromorph.hpp"
#else
#include <neuromorph/neuromorph.hpp>
#endif

int main() {
  constexpr neuromorph::Status good{};
  static_assert(good.ok());
  const neuromorph::Status bad{neuromorph::Error::index_out_of_range, 3, 300};
  return bad.ok() ? 1 : 0;
}
