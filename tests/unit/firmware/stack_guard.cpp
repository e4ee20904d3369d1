// SPDX-License-Identifier: BSL-1.0
// A guarded stack in an array: every depth that it may have had, every word of the red zone; and what lies below and above the caller.
#include <algorithm>
#include <array>
#include <cstdint>

#include <neuromorph/firmware/stack_guard.hpp>

#include "tests/support/catch.hpp"

using neuromorph::firmware::StackGuard;

TEST_CASE("stack_guard: the high-water mark of every depth") {
  constexpr std::uint32_t words = 40, red_zone = 6;
  for (std::uint32_t painted = 0; painted <= words + 3; ++painted) // more than there is
    for (std::uint32_t lowest = 0; lowest <= words; ++lowest) {    // the word to which it has grown; words: to none
      std::array<std::uint32_t, words + 2> memory{};
      const StackGuard guard({memory.data() + 1, words}, red_zone);
      guard.paint_below(painted);
      if (lowest < words) memory[1 + lowest] = 0;
      const std::uint32_t untouched = std::min({painted, lowest, words});
      INFO("painted " << painted << " lowest " << lowest);
      REQUIRE(guard.is_intact() == (untouched >= red_zone));
      REQUIRE(guard.deepest_bytes() == (words - untouched) * 4);
      REQUIRE(guard.free_bytes() == (untouched < red_zone ? 0 : untouched - red_zone) * 4);
      REQUIRE((memory.front() == 0 && memory.back() == 0));
    }
}

TEST_CASE("stack_guard: a stack that lies all below the caller is painted whole, one above it not at all") {
  // Objects in static memory are below this thread's stack; the boards' tests paint the one that they are on.
  static std::array<std::uint32_t, 100> below{};
  const StackGuard guard(below, 10);
  guard.paint();
  CHECK(guard.is_intact());
  CHECK(guard.free_bytes() == 360);
  CHECK(guard.deepest_bytes() == 0);
  std::array<std::uint32_t, 100> above{};
  StackGuard(above, 10).paint();
  CHECK(above == std::array<std::uint32_t, 100>{});
}
