// SPDX-License-Identifier: BSL-1.0
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
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
#include "tests/support/seeds.hpp"

using namespace neuromorph;

TEST_CASE("status: every error has a sentence of its own", "[vocabulary][status]") {
  std::set<std::string> sentences;
  int count = 0;
  for (; std::string(describe(static_cast<Error>(count))) != "unknown error"; ++count)
    CHECK(sentences.insert(describe(static_cast<Error>(count))).second);
  CHECK(count == static_cast<int>(Error::region_cut_off) + 1);
}

TEST_CASE("status: ok only without an error", "[vocabulary][status]") {
  STATIC_REQUIRE(Status{}.ok());
  STATIC_REQUIRE_FALSE(Status{Error::buffer_full, 1, 2});
  STATIC_REQUIRE(Result<int>(3));
  STATIC_REQUIRE(Result<int>(3).value() == 3);
  STATIC_REQUIRE_FALSE(Result<int>(Status{Error::buffer_full}).ok());
  STATIC_REQUIRE(Result<int>(Status{Error::buffer_full, 4, 5}).status() == Status{Error::buffer_full, 4, 5});
}

namespace {

std::string text(const Status& status) { return sentence(status).text.data(); }

} // namespace

TEST_CASE("status: a sentence names the parameter and its value as given, or the item", "[vocabulary][status]") {
  CHECK(text({}) == "no error");
  CHECK(text({Error::parameter_not_positive, 0, -0.3, "tau_exc_ms"}) ==
        "tau_exc_ms = -0.3: a parameter that must be positive is not");
  CHECK(text({Error::weight_out_of_range, 2, 70000, "weight"}) ==
        "weight = 70000 at 2: a weight does not fit this number format");
  CHECK(text({Error::delay_out_of_range, 3, 17}) == "17 at 3: a delay is outside the ring buffer's range of steps");
  STATIC_REQUIRE(sentence({Error::buffer_full, 0, 7, "words"}).text[8] == '7');
  // a name of any length is cut, not written beyond the end
  const std::string name(500, 'x');
  CHECK(text({Error::buffer_full, 0, 1, name.c_str()}) == std::string(191, 'x'));
}

TEST_CASE("status: equal when all is, names by their letters", "[vocabulary][status]") {
  const std::string name = "tau_m_ms";
  const Status status{Error::parameter_not_positive, 1, -2, "tau_m_ms"};
  CHECK(status == Status{Error::parameter_not_positive, 1, -2, name.c_str()});
  CHECK_FALSE(status == Status{Error::parameter_out_of_range, 1, -2, "tau_m_ms"});
  CHECK_FALSE(status == Status{Error::parameter_not_positive, 2, -2, "tau_m_ms"});
  CHECK_FALSE(status == Status{Error::parameter_not_positive, 1, -2.0, "tau_m_ms"}); // of another kind
  CHECK_FALSE(status == Status{Error::parameter_not_positive, 1, -2, "tau_m"});
  CHECK_FALSE(status == Status{Error::parameter_not_positive, 1, -2, "tau_m_ms_"});
  CHECK_FALSE(status == Status{Error::parameter_not_positive, 1, -2});
  CHECK_FALSE(Status{Error::parameter_not_positive, 1, -2} == status);
}

TEST_CASE("status: whole values are written in full", "[vocabulary][status]") {
  for (const std::int64_t value :
       {std::int64_t{0}, std::int64_t{9}, std::int64_t{-10}, std::int64_t{-1},
        (std::numeric_limits<std::int64_t>::max)(), (std::numeric_limits<std::int64_t>::min)()})
    CHECK(text({Error::buffer_full, 0, value, "v"}).starts_with("v = " + std::to_string(value) + ":"));
  CHECK(text({Error::buffer_full, 0, ~std::uint64_t{0}, "v"}).starts_with("v = 9223372036854775807:"));
  CHECK(GivenValue(std::uint8_t{200}).whole() == 200);
  CHECK(GivenValue(7).real() == 7.0);
}

TEST_CASE("status: real values are written to nine digits", "[vocabulary][status]") {
  const auto number = [](double value) {
    const std::string all = text({Error::buffer_full, 0, value, "v"});
    REQUIRE(all.starts_with("v = "));
    return all.substr(4, all.find(':') - 4);
  };
  CHECK(number(std::numeric_limits<double>::infinity()) == "infinity");
  CHECK(number(-std::numeric_limits<double>::infinity()) == "-infinity");
  CHECK(number(std::numeric_limits<double>::quiet_NaN()).ends_with("no number"));
  CHECK(number(0.0) == "0");
  CHECK(number(-0.0) == "-0");
  CHECK(number(0.1f) == "0.100000001");
  CHECK(number(-0.3) == "-0.3");
  CHECK(number(1e10) == "1e10");
  CHECK(number(99999.99999999) == "100000");
  CHECK(number(0.00001) == "0.00001");
  CHECK(number(1.25e-7) == "1.25e-7");
  for (const std::uint32_t seed : Seeds(20'000)) {
    // any bits: all exponents, both signs
    std::uint64_t bits = seed * 0x9E37'79B9'7F4A'7C15U;
    bits ^= bits >> 29;
    const double value = std::bit_cast<double>(bits * 0xBF58'476D'1CE4'E5B9U);
    if (!(value * 0 == 0)) continue; // infinite or no number
    const std::string written = number(value);
    CAPTURE(seed, value, written);
    REQUIRE(std::abs(std::strtod(written.c_str(), nullptr) - value) <= 0.500001e-8 * std::abs(value) + 5e-324);
  }
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
