// SPDX-License-Identifier: BSL-1.0
// The guard of a stack: painted, looked at, and how deep it has been.
#include <cstdint>
#include <span>

#include <neuromorph/firmware/stack_guard.hpp>

namespace {
std::uint32_t words[64];
constinit neuromorph::firmware::StackGuard guard(words, 8);
volatile std::uint32_t depth;
} // namespace

int main() {
  guard.paint();
  depth = guard.deepest_bytes();
  return guard.is_intact() ? 0 : 1;
}
