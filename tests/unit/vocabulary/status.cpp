// SPDX-License-Identifier: BSL-1.0
#include <set>
#include <string>

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
  STATIC_REQUIRE(Result<int>{3, {}});
  STATIC_REQUIRE_FALSE(Result<int>{3, {Error::buffer_full}}.ok());
}
