// SPDX-License-Identifier: BSL-1.0
// Distributions and their tables against closed forms from the standard library, and against numbers that are drawn one by
// one, cut off and rounded.
#include <neuromorph/network/outcome_table.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/randomness.hpp>

namespace {

namespace network = neuromorph::network;
using network::Distribution;
using network::OutcomeTable;
using neuromorph::Error;
using neuromorph::Status;

double normal_reference(double x, double mean, double deviation) {
  return 0.5 * std::erfc((mean - x) / deviation / std::sqrt(2.0));
}

OutcomeTable table_of(const Distribution& distribution, double units_per_one) {
  REQUIRE(distribution.check("x").ok());
  const auto made = OutcomeTable::from(distribution, units_per_one, "x");
  REQUIRE(made.ok());
  return made.value();
}

/// The share of words of each outcome is `below` of the edges, to 2^-32; together they are all words.
template <class Below>
void compare(const OutcomeTable& table, double units_per_one, Below below) {
  std::uint64_t sum = 0;
  for (std::int32_t at = table.lowest(); at <= table.highest(); ++at) {
    const double expected = below((at + 0.5) / units_per_one) - below((at - 0.5) / units_per_one);
    const double off = std::abs(static_cast<double>(table.words_of(at)) - expected * 4294967296.0);
    if (off > 1.05) FAIL("outcome " << at << " has " << off << " words too many or too few");
    sum += table.words_of(at);
  }
  CHECK(sum == std::uint64_t{1} << 32);
  CHECK(below((table.lowest() - 0.5) / units_per_one) < 0x1p-31);
  CHECK(below((table.highest() + 0.5) / units_per_one) > 1.0 - 0x1p-31);
}

/// All words at the ends of outcomes, and random ones, lead where their shares say.
void look_up(const OutcomeTable& table) {
  std::uint64_t begin = 0;
  for (std::int32_t at = table.lowest(); at <= table.highest(); ++at) {
    if (table.words_of(at) == 0) continue;
    const std::uint64_t end = begin + table.words_of(at);
    if (table(static_cast<std::uint32_t>(begin)) != at || table(static_cast<std::uint32_t>(end - 1)) != at)
      FAIL("words from " << begin << " to " << end - 1 << " do not lead to " << at);
    begin = end;
  }
  REQUIRE(begin == std::uint64_t{1} << 32);
}

/// Drawn by the standard library, drawn again or held, rounded: the same distribution.
template <class Draw>
double drawn_like(const OutcomeTable& table, double units_per_one, Draw draw) {
  constexpr int draws = 200'000;
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(table.highest() - table.lowest() + 1));
  for (int n = 0; n < draws; ++n) {
    const auto outcome = static_cast<std::int64_t>(std::floor(draw() * units_per_one + 0.5));
    if (outcome < table.lowest() || outcome > table.highest()) FAIL("the table has no " << outcome);
    ++counts[static_cast<std::size_t>(outcome - table.lowest())];
  }
  randomness::Classes classes(20);
  for (std::int32_t at = table.lowest(); at <= table.highest(); ++at)
    classes.add(counts[static_cast<std::size_t>(at - table.lowest())],
                static_cast<double>(table.words_of(at)) / 4294967296.0 * draws);
  return classes.chi_square();
}

} // namespace

TEST_CASE("distribution: the normal distribution function is right to 1e-14") {
  for (double z = -9.0; z <= 9.0; z += 0.0073)
    REQUIRE(std::abs(network::detail::normal_below(z) - normal_reference(z, 0.0, 1.0)) < 1e-14);
  for (double x = 1e-290; x < 1e290; x *= 3.7) REQUIRE(std::abs(network::detail::log_of(x) - std::log(x)) < 0x1p-37);
  for (double x = 0.0; x < 64.0; x += 0.0117) REQUIRE(std::abs(network::detail::exp_of(x) / std::exp(x) - 1.0) < 1e-13);
  static_assert(network::detail::normal_below(0.0) == 0.5);
}

TEST_CASE("outcome_table: shares are those of the rounded distribution") {
  for (const double units : {0.5, 10.0, 333.25}) {
    compare(table_of(network::normal(-1.5, 3.25), units), units,
            [](double x) { return normal_reference(x, -1.5, 3.25); });
    compare(table_of(network::uniform(-2.1, 7.9), units), units,
            [](double x) { return std::clamp((x + 2.1) / 10.0, 0.0, 1.0); });
    compare(table_of(network::lognormal(0.3, 0.5), units), units,
            [](double x) { return x <= 0.0 ? 0.0 : normal_reference(std::log(x), 0.3, 0.5); });
    compare(table_of(network::normal(1.5, 0.75).redrawn(0.1, 3.0), units), units, [](double x) {
      const auto inside = [](double y) { return normal_reference(std::clamp(y, 0.1, 3.0), 1.5, 0.75); };
      return (inside(x) - inside(0.0)) / (inside(9.0) - inside(0.0));
    });
    compare(table_of(network::normal(1.5, 0.75).clipped(0.1, 3.0), units), units, [](double x) {
      return x <= 0.1 ? 0.0 : x > 3.0 ? 1.0 : normal_reference(x, 1.5, 0.75);
    });
  }
}

TEST_CASE("outcome_table: a word leads to the outcome that has it") {
  look_up(table_of(network::normal(0.0, 1.0), 4.0));
  look_up(table_of(network::normal(0.0878, 0.00878), 200000.0)); // thousands of outcomes
  look_up(table_of(network::lognormal(0.0, 1.0).redrawn(0.0, 100.0), 300.0));
  look_up(table_of(network::uniform(0.0, 65535.0), 1.0));
  look_up(table_of(3.75, 100.0));
  look_up(OutcomeTable(-3, {0, 0, 5, 0xFFFF'FFFE, 0xFFFF'FFFF}));
  CHECK(table_of(3.75, 100.0).is_fixed());
  CHECK(table_of(3.75, 100.0)(12345) == 375);
  CHECK(OutcomeTable()(0xFFFF'FFFF) == 0);
}

TEST_CASE("outcome_table: a cut in closed form is what drawing again and clipping do") {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(1.5, 0.75);
  std::lognormal_distribution<double> lognormal(-0.5, 0.8);
  const auto again = [&](auto& law, double lowest, double highest) {
    double value = law(random);
    while (value < lowest || value > highest) value = law(random);
    return value;
  };
  const auto redrawn = table_of(network::normal(1.5, 0.75).redrawn(0.1, 2.0), 10.0);
  const double of_redrawn = drawn_like(redrawn, 10.0, [&] { return again(normal, 0.1, 2.0); });
  const auto clipped = table_of(network::normal(1.5, 0.75).clipped(0.1, 2.0), 10.0);
  const double of_clipped = drawn_like(clipped, 10.0, [&] { return std::clamp(normal(random), 0.1, 2.0); });
  const auto log_redrawn = table_of(network::lognormal(-0.5, 0.8).redrawn(0.2, 4.0), 20.0);
  const double of_log = drawn_like(log_redrawn, 20.0, [&] { return again(lognormal, 0.2, 4.0); });
  CHECK(of_redrawn > 1e-4);
  CHECK(of_clipped > 1e-4);
  CHECK(of_log > 1e-4);
  // and what was cut at one end is not what was cut at the other
  CHECK(drawn_like(redrawn, 10.0, [&] { return std::clamp(normal(random), 0.1, 2.0); }) < 1e-9);
}

TEST_CASE("outcome_table: mean and mean square are those of the shares") {
  const auto table = table_of(network::normal(100.25, 12.0), 1.0);
  CHECK(std::abs(table.mean() - 100.25) < 1e-4);
  CHECK(std::abs(table.mean_square() - table.mean() * table.mean() - 144.0 - 1.0 / 12.0) < 1e-3); // Sheppard
  const auto only = table_of(3.75, 100.0);
  CHECK((only.mean() == 375.0 && only.mean_square() == 375.0 * 375.0));
}

TEST_CASE("distribution: what is wrong with one is said") {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(Distribution(infinity).check("weight") == Status{Error::parameter_out_of_range, 0, infinity, "weight"});
  CHECK(network::normal(nan, 1.0).check("x").error == Error::parameter_out_of_range);
  CHECK(network::normal(0.0, -1.0).check("x") == Status{Error::parameter_out_of_range, 0, -1.0, "x"});
  CHECK(network::uniform(1.0, 0.5).check("x") == Status{Error::parameters_contradict, 0, 0.5, "x"});
  CHECK(network::normal(0.0, 1.0).redrawn(2.0, 1.0).check("x") == Status{Error::parameters_contradict, 0, 1.0, "x"});
  CHECK(network::normal(0.0, 1.0).clipped(nan, 1.0).check("x").error == Error::parameters_contradict);
  CHECK(network::normal(0.0, 1.0).redrawn(9.0, 10.0).check("x") == Status{Error::parameter_out_of_range, 0, 9.0, "x"});
  CHECK(Distribution(3.0).redrawn(0.0, 1.0).check("x") == Status{Error::parameters_contradict, 0, 3.0, "x"});
  CHECK(network::lognormal(400.0, 1.0).check("x").error == Error::parameter_out_of_range);
  CHECK(network::normal(5.0, 0.0).check("x").ok());
  CHECK(table_of(network::normal(5.0, 0.0), 10.0)(7) == 50);
  CHECK(table_of(network::uniform(5.0, 5.0), 10.0)(7) == 50);
  CHECK(table_of(network::lognormal(0.0, 0.0), 10.0)(7) == 10);
  CHECK(table_of(Distribution(5.0).clipped(0.0, 2.0), 10.0)(7) == 20);
  CHECK(OutcomeTable::from(network::uniform(0.0, 70000.0), 1.0, "x").status() ==
        Status{Error::parameter_out_of_range, 0, 70000, "x"});
  CHECK(OutcomeTable::from(3e9, 1.0, "x").status().error == Error::parameter_out_of_range);
  CHECK(table_of(network::uniform(0.0, 65535.0), 1.0).highest() == 65535);
  CHECK(OutcomeTable::from(network::uniform(0.0, 65536.0), 1.0, "x").status() ==
        Status{Error::parameter_out_of_range, 0, 65536, "x"});
  // The last that are whole numbers of 31 bits, and the first that are not.
  CHECK(table_of(0x1p30, 1.0).lowest() == 1 << 30);
  CHECK(table_of(-0x1p30 + 1.0, 1.0).lowest() == -(1 << 30) + 1);
  for (const double beyond : {0x1p30 + 1.0, -0x1p30})
    CHECK(OutcomeTable::from(beyond, 1.0, "x").status() == Status{Error::parameter_out_of_range, 0, 1 << 30, "x"});
}

TEST_CASE("outcome_table: projections have a table in common where distribution and unit are the same") {
  network::OutcomeTables tables;
  const auto get = [&](const Distribution& distribution, double units) {
    return tables.get(distribution, units, "x").value();
  };
  const auto first = get(network::normal(1.0, 0.1), 100.0);
  CHECK(first == get(network::normal(1.0, 0.1), 100.0));
  CHECK(first != get(network::normal(1.0, 0.1), 200.0));
  CHECK(first != get(network::normal(1.0, 0.2), 100.0));
  CHECK(get(network::normal(1.0, 0.2), 100.0)->highest() > first->highest());
}

TEST_CASE("distribution: ends are those of what there is") {
  CHECK(network::normal(0.0, 1.0).redrawn(-1.0, 2.0).lowest() == -1.0);
  CHECK(network::normal(0.0, 1.0).clipped(-1.0, 2.0).highest() == 2.0);
  CHECK(network::uniform(0.0, 1.0).redrawn(-1.0, 0.5).lowest() == 0.0);
  CHECK(network::uniform(0.0, 1.0).redrawn(-1.0, 0.5).highest() == 0.5);
  CHECK(network::uniform(0.0, 1.0).clipped(0.25, 5.0).lowest() == 0.25);
  CHECK(Distribution(3.0).clipped(4.0, 5.0).lowest() == 4.0);
  CHECK(network::lognormal(0.0, 1.0).lowest() == 0.0);
}
