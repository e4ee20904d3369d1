// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include <neuromorph/kernels/plasticity/decay_table.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

constexpr std::uint32_t one = std::uint32_t{1} << 31;

/// 2^31 e^(-ticks dt / tau), by the machine's long double: the mantissa has 64 bits on the hosts that run this.
static_assert(std::numeric_limits<long double>::digits >= 64);
long double left(double tau_ms, double dt_ms, std::uint32_t ticks) {
  const long double ratio = static_cast<long double>(dt_ms) / static_cast<long double>(tau_ms);
  return std::exp(-ratio * static_cast<long double>(ticks)) * 0x1p31L;
}

struct Given {
  double tau_ms, dt_ms;
};

/// A time constant and a tick of which `ticks` are enough, over many decades; the shortest decays within a tick.
Given drawn(std::mt19937_64& random, std::size_t ticks) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const double dt_ms = std::pow(10.0, -3 + 5 * uniform(random));
  const double longest = static_cast<double>(ticks) / 13.864; // 20 ln 2 is 13.863
  const double of_longest = uniform(random);
  return {dt_ms * longest * (of_longest < 0.3 ? 1.0 : std::pow(longest * 50, -uniform(random))), dt_ms};
}

template <class Table>
void compare_all(const Table& table, Given given, long double units) {
  REQUIRE(table.at(0) == one);
  long double largest = 0;
  for (std::uint32_t at = 0; at < Table::ticks; ++at) {
    const long double error = std::fabs(static_cast<long double>(table.at(at)) - left(given.tau_ms, given.dt_ms, at));
    if (error > largest) largest = error;
    if (at > 0 && table.at(at) > table.at(at - 1)) REQUIRE(table.at(at) == table.at(at - 1) + 1);
  }
  REQUIRE(largest < units);
  REQUIRE(table.at(Table::ticks) == 0);
  REQUIRE(table.at(0xFFFFFFFF) == 0);
}

template <class Table>
void compare(std::uint32_t seed, unsigned tables, long double units) {
  std::mt19937_64 random(seed);
  for (unsigned turn = 0; turn < tables; ++turn) {
    const Given given = drawn(random, Table::ticks);
    INFO("seed " << seed << ", turn " << turn << ": tau " << given.tau_ms << " ms, dt " << given.dt_ms << " ms");
    const auto made = std::make_unique<Result<Table>>(Table::from(given.tau_ms, given.dt_ms));
    REQUIRE(made->ok());
    compare_all(made->value(), given, units);
  }
}

} // namespace

TEST_CASE("decay table: entries are to nearest, for any time constant", "[plasticity][decay]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 2 : 10)) {
    compare<DecayTable<4096>>(seed, 10, 0.501L);
    compare<DecayTable<300>>(seed, 60, 0.501L);
    compare<DecayTable<14>>(seed, 200, 0.501L);
    compare<DecayTable<1>>(seed, 20, 0.501L);
    if (seed % 5 == 1) compare<DecayTable<(1 << 16)>>(seed, 1, 0.501L);
  }
}

TEST_CASE("decay table: long ones are within one unit, for any time constant", "[plasticity][decay]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 2 : 10)) {
    compare<LongDecayTable<138'700>>(seed, 2, 1.0L);
    compare<LongDecayTable<4001>>(seed, 20, 1.0L);
    compare<LongDecayTable<300>>(seed, 60, 1.0L);
    compare<LongDecayTable<14>>(seed, 200, 1.0L);
    compare<LongDecayTable<1>>(seed, 20, 1.0L);
    if (seed % 5 == 1) compare<LongDecayTable<(1 << 20)>>(seed, 1, 1.0L);
  }
}

// 60 digits by Python's decimal: int((2**31 * (-n * dt / tau).exp()).to_integral_value())
TEST_CASE("decay table: entries that were computed with 60 digits, at compile time and at run time",
          "[plasticity][decay]") {
  static constexpr auto table = DecayTable<431>::from(20.0, 1.0).value();
  STATIC_REQUIRE(table.at(0) == 2147483648);
  STATIC_REQUIRE(table.at(1) == 2042749635);
  STATIC_REQUIRE(table.at(2) == 1943123559);
  STATIC_REQUIRE(table.at(20) == 790015084);
  STATIC_REQUIRE(table.at(100) == 14469631);
  STATIC_REQUIRE(table.at(277) == 2075);
  STATIC_REQUIRE(table.at(399) == 5);
  STATIC_REQUIRE(table.at(430) == 1);
  static constexpr auto long_table = LongDecayTable<138'700>::from(1000.0, 0.1).value();
  STATIC_REQUIRE(sizeof long_table == 3132);
  STATIC_REQUIRE(long_table.at(0) == 2147483648);
  for (const auto& [at, known] :
       {std::pair{1U, 2147268910U}, {99U, 2126328451U}, {9999U, 790094090U}, {100'000U, 97496U}, {138'699U, 2034U}}) {
    INFO("after " << at);
    CHECK(std::abs(static_cast<int>(long_table.at(at) - known)) <= 1);
  }
  volatile double tau_ms = 20.0;
  const auto again = DecayTable<431>::from(tau_ms, 1.0).value();
  tau_ms = 1000.0;
  const auto long_again = LongDecayTable<138'700>::from(tau_ms, 0.1).value();
  for (std::uint32_t at = 0; at < 431; ++at) REQUIRE(again.at(at) == table.at(at));
  for (std::uint32_t at = 0; at < 138'700; ++at) {
    if (long_again.at(at) != long_table.at(at)) REQUIRE(long_again.at(at) == long_table.at(at));
  }
}

TEST_CASE("decay table: values of any format decay to nearest, and the largest fits", "[plasticity][decay]") {
  static constexpr auto table = DecayTable<400>::from(20.0, 1.0).value();
  static constexpr auto long_table = LongDecayTable<400>::from(20.0, 1.0).value();
  STATIC_REQUIRE(table.decayed(0xFFFFFFFF, 0) == 0xFFFFFFFF);
  STATIC_REQUIRE(long_table.decayed(0xFFFFFFFF, 0) == 0xFFFFFFFF);
  STATIC_REQUIRE(table.decayed(0xFFFFFFFF, 400) == 0);
  STATIC_REQUIRE(table.decayed(0, 0) == 0);
  for (const std::uint32_t seed : Seeds(1)) {
    std::mt19937_64 random(seed);
    for (int turn = 0; turn < 100'000; ++turn) {
      const auto bits = static_cast<unsigned>(random() % 32);
      const auto value = static_cast<std::uint32_t>(random()) >> bits;
      const auto at = static_cast<std::uint32_t>(random() % 420);
      const long double exact = at < 400 ? static_cast<long double>(value) * left(20.0, 1.0, at) / 0x1p31L : 0.0L;
      INFO("seed " << seed << ": " << value << " after " << at);
      REQUIRE(std::fabs(static_cast<long double>(table.decayed(value, at)) - exact) < 1.501L);
      REQUIRE(std::fabs(static_cast<long double>(long_table.decayed(value, at)) - exact) < 2.0L);
      REQUIRE(table.decayed(value, at) ==
              std::llroundl(static_cast<long double>(value) * static_cast<long double>(table.at(at)) / 0x1p31L));
    }
  }
}

TEST_CASE("decay table: one that ends too early is refused, and so is what is no time", "[plasticity][decay]") {
  const auto refused = [](double tau_ms, double dt_ms) {
    const Status status = DecayTable<278>::from(tau_ms, dt_ms).status();
    CHECK(LongDecayTable<278>::from(tau_ms, dt_ms).status() == status);
    return status;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(refused(20.0, 1.0) == Status{});
  // 20 ln 2 tau is the tick at which 2^-20 is left.
  const double longest = 278 / (20 * std::log(2.0));
  CHECK(refused(longest * (1 - 1e-9), 1.0) == Status{});
  CHECK(refused(longest * (1 + 1e-9), 1.0) == Status{Error::table_too_short, 0, longest * (1 + 1e-9), "tau_ms"});
  CHECK(refused(2.0, 1.98 / longest) == Status{Error::table_too_short, 0, 2.0, "tau_ms"});
  CHECK(refused(1e300, 1e-300) == Status{Error::table_too_short, 0, 1e300, "tau_ms"});
  CHECK(refused(1e-300, 1e300) == Status{});
  CHECK(refused(1e-310, 1e-3) == Status{});
  CHECK(refused(0.0, 1.0) == Status{Error::parameter_not_positive, 0, 0.0, "tau_ms"});
  CHECK(refused(-1.0, 1.0) == Status{Error::parameter_not_positive, 0, -1.0, "tau_ms"});
  CHECK(refused(20.0, 0.0) == Status{Error::parameter_not_positive, 0, 0.0, "dt_ms"});
  CHECK(refused(20.0, -1.0) == Status{Error::parameter_not_positive, 0, -1.0, "dt_ms"});
  CHECK(refused(infinity, 1.0) == Status{Error::parameter_out_of_range, 0, infinity, "tau_ms"});
  CHECK(refused(20.0, infinity) == Status{Error::parameter_out_of_range, 0, infinity, "dt_ms"});
  CHECK(refused(20.0, std::nan("")).error == Error::parameter_out_of_range);
  CHECK(std::string(sentence(refused(1000.0, 1.0)).text.data()) ==
        "tau_ms = 1000: a table of decay ends while more than 2^-20 is left");
  const DecayTable<7> none;
  const LongDecayTable<7> long_none;
  for (std::uint32_t at = 0; at < 8; ++at) {
    CHECK(none.at(at) == (at == 0 ? one : 0));
    CHECK(long_none.at(at) == (at == 0 ? one : 0));
  }
  // As short as double can say: nothing is left after a tick.
  CHECK(DecayTable<7>::from(1e-300, 1e300).value().at(1) == 0);
  CHECK(DecayTable<7>::from(1.0, 22.2).value().at(1) == 0);
  CHECK(DecayTable<7>::from(1.0, 22.1).value().at(1) == 1);
}
