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

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
namespace {

/// Where the frame begins of a function that is called from the same place as this one.
[[gnu::noinline]] std::uintptr_t frame_of_callee() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

} // namespace

TEST_CASE("stack_guard: the stack that the caller is on is painted up to 256 bytes below what it calls") {
  for (std::uint32_t shift = 0; shift < 8; ++shift) {
    const std::uintptr_t here = frame_of_callee();
    const std::uintptr_t lowest = ((here - 4096) & ~std::uintptr_t{15}) + 4 * shift;
    const StackGuard guard({reinterpret_cast<std::uint32_t*>(lowest), 1024}, 10);
    guard.paint();
    const std::uint32_t deepest = guard.deepest_bytes(); // before anything else is called
    INFO("from " << lowest << " to " << here);
    REQUIRE(deepest == 4096 - (here - 256 - lowest) / 4 * 4);

    const std::uintptr_t near = (here & ~std::uintptr_t{15}) - 224 + 4 * shift; // all of it is nearer than that
    const StackGuard within({reinterpret_cast<std::uint32_t*>(near), 8}, 2);
    within.paint();
    REQUIRE(within.deepest_bytes() == 32);
  }
}
#endif
