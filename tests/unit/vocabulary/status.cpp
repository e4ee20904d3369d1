// SPDX-License-Identifier: BSL-1.0
#include <set>
#include <string>
#include <utility>

#ifdef __unix__
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <neuromorph/status.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

TEST_CASE("status: every error has a sentence of its own", "[vocabulary][status]") {
  std::set<std::string> sentences;
  int count = 0;
  for (; std::string(describe(static_cast<Error>(count))) != "unknown error"; ++count)
    CHECK(sentences.insert(describe(static_cast<Error>(count))).second);
  CHECK(count == static_cast<int>(Error::vectors_not_aligned) + 1);
}

TEST_CASE("status: ok only without an error", "[vocabulary][status]") {
  STATIC_REQUIRE(Status{}.ok());
  STATIC_REQUIRE_FALSE(Status{Error::buffer_full, 1, 2});
  STATIC_REQUIRE(Result<int>(3));
  STATIC_REQUIRE(Result<int>(3).value() == 3);
  STATIC_REQUIRE_FALSE(Result<int>(Status{Error::buffer_full}).ok());
  STATIC_REQUIRE(Result<int>(Status{Error::buffer_full, 4, 5}).status() == Status{Error::buffer_full, 4, 5});
}

#ifdef __unix__
namespace {

/// Whether the program ends at `use`, in a process of its own, with anything but success.
template <class Use>
bool ends_at(Use use) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    signal(SIGILL, SIG_DFL); // not Catch2's report
    use();
    _exit(0);
  }
  int how = 0;
  REQUIRE(waitpid(child, &how, 0) == child);
  return !WIFEXITED(how) || WEXITSTATUS(how) != 0;
}

} // namespace

TEST_CASE("status: the value of a refused result ends the program", "[vocabulary][status]") {
  Result<int> good(3), refused(Status{Error::buffer_full});
  volatile int sink = 0;
  CHECK_FALSE(ends_at([&] { sink = good.value(); }));
  CHECK(ends_at([&] { sink = refused.value(); }));
  CHECK(ends_at([&] { refused.value() = 1; }));
  CHECK(ends_at([&] { sink = std::as_const(refused).value(); }));
  CHECK(ends_at([&] { sink = Result<int>(Status{Error::buffer_full}).value(); }));
  CHECK(ends_at([] { static_cast<void>(Result<int>(Status{})); })); // neither a value nor a refusal
}
#endif
