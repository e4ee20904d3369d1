// SPDX-License-Identifier: BSL-1.0
// The break against a model that knows every 16 bytes as its own thing: places, bounds, and what is refused.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>

#include <neuromorph/firmware/program_break.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using neuromorph::firmware::ProgramBreak;
using Refused = ProgramBreak::Refused;

namespace {

/// Signed and wide, one block at a time.
struct Model {
  std::int64_t begin, end, blocks = 0;
  [[nodiscard]] std::int64_t first() const {
    std::int64_t place = begin;
    while (place % 16 != 0) ++place;
    return place;
  }
  Refused move(std::int64_t stack, std::int64_t bytes) {
    if (bytes < 0) {
      if (-bytes / 16 > blocks) return Refused::below_heap;
      blocks -= -bytes / 16;
      return Refused::no;
    }
    if (bytes == 0) return Refused::no;
    const std::int64_t more = (bytes + 15) / 16, behind = first() + 16 * (blocks + more);
    if (behind > end || behind > stack) return Refused::no_memory;
    blocks += more;
    return Refused::no;
  }
};

} // namespace

TEST_CASE("program_break: what a model of blocks gives, at any bounds and any stack") {
  unsigned refusals = 0, below = 0, by_stack = 0;
  for (const std::uint32_t seed : Seeds(2000)) {
    std::mt19937 random(seed);
    const auto begin = static_cast<std::int64_t>(0x2000'0000 + random() % 64);
    const auto end = begin + static_cast<std::int64_t>(random() % 400);
    Model model{begin, end};
    ProgramBreak program_break;
    for (int call = 0; call < 60; ++call) {
      const auto stack = begin - 8 + static_cast<std::int64_t>(random() % 1600);
      const auto bytes = static_cast<std::int64_t>(random() % 161) - 70;
      INFO("seed " << seed << " begin " << begin << " end " << end << " stack " << stack << " bytes " << bytes
                   << " call " << call);
      const std::int64_t before = model.first() + 16 * model.blocks;
      const Refused expected = model.move(stack, bytes);
      const auto answer = program_break.move(static_cast<std::uintptr_t>(begin), static_cast<std::uintptr_t>(end),
                                             static_cast<std::uintptr_t>(stack), static_cast<std::ptrdiff_t>(bytes));
      REQUIRE(answer.refused == expected);
      if (expected == Refused::no) REQUIRE(answer.before == static_cast<std::uintptr_t>(before));
      REQUIRE(answer.before % 16 == 0);
      refusals += expected == Refused::no_memory ? 1 : 0;
      below += expected == Refused::below_heap ? 1 : 0;
      by_stack += expected == Refused::no_memory && stack < end ? 1 : 0;
    }
  }
  CHECK(refusals > 1000);
  CHECK(below > 1000);
  CHECK(by_stack > 1000);
}

TEST_CASE("program_break: the ends of the numbers") {
  constexpr auto most = std::numeric_limits<std::ptrdiff_t>::max(), least = std::numeric_limits<std::ptrdiff_t>::min();
  constexpr std::uintptr_t top = ~std::uintptr_t{0};
  ProgramBreak program_break;
  CHECK(program_break.move(64, 1024, top, most).refused == Refused::no_memory);
  CHECK(program_break.move(64, 1024, top, least).refused == Refused::below_heap);
  CHECK(program_break.move(top - 3, top, top, 0).refused == Refused::no); // asks only where it is
  CHECK(program_break.move(top - 3, top, top, 1).refused == Refused::no_memory);
  CHECK(program_break.move(1024, 64, top, 16).refused == Refused::no_memory);
  CHECK(program_break.move(64, 1024, top, 960).refused == Refused::no);
  CHECK(program_break.move(64, 1024, top, 1).refused == Refused::no_memory);
  CHECK(program_break.move(64, 1024, top, -960).before == 1024);
  CHECK(program_break.move(64, 1024, top, 0).before == 64);
}
