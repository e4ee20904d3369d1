// SPDX-License-Identifier: BSL-1.0
// What an empty range does when arguments are checked: the program stops there.
#undef NEUROMORPH_CHECKS
#define NEUROMORPH_CHECKS 1

#include <neuromorph/kernels/random/uniform.hpp>

#include <neuromorph/kernels/random/sfc32.hpp>

#include <csignal>
#include <cstdint>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

// The signal that ends a child which runs the action, or 0 if it comes to its end.
template <class Action>
int signal_of(Action action) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGILL, SIG_DFL);
    std::signal(SIGTRAP, SIG_DFL);
    action();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

bool is_trap(int signal) { return signal == SIGILL || signal == SIGTRAP; }

} // namespace

TEST_CASE("uniform: an empty range traps when arguments are checked", "[kernels][uniform]") {
  Sfc32 source;
  volatile std::uint32_t keep = 0;
  REQUIRE(is_trap(signal_of([&] { keep = uniform_below(source, 0); })));
  REQUIRE(is_trap(signal_of([&] { keep = static_cast<std::uint32_t>(uniform_between(source, 5, 4)); })));
  REQUIRE(signal_of([&] { keep = uniform_below(source, 1); }) == 0);
  REQUIRE(signal_of([&] { keep = static_cast<std::uint32_t>(uniform_between(source, 5, 5)); }) == 0);
}
