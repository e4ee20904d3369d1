// SPDX-License-Identifier: BSL-1.0
// Chi-square tests of 10^9 values of each kind of table: prints a p-value for each and fails when they are too far out.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include <neuromorph/kernels/random/alias_table.hpp>
#include <neuromorph/kernels/random/sfc32x16.hpp>
#include <neuromorph/neuromorph.hpp>

#include "tests/support/randomness.hpp"

namespace {

using namespace neuromorph;

constexpr std::uint64_t draws = 1'000'000'000;
randomness::PValues p_values;

template <class Source, class Table>
void test(const char* name, const Table& table, const Cumulative& distribution) {
  Source source(StreamId{20, 18, 7});
  std::array<std::uint8_t, 100'000> values;
  // Four counters each, so that equal neighbours do not wait for each other.
  std::array<std::array<std::uint64_t, 256>, 4> found{};
  for (std::uint64_t done = 0; done < draws; done += values.size()) {
    table.fill(source, std::span(values));
    for (std::size_t i = 0; i < values.size(); i += 4)
      for (std::size_t j = 0; j < 4; ++j) ++found[j][values[i + j]];
  }
  randomness::Classes classes;
  for (std::size_t k = 0; k < 256; ++k) {
    std::uint64_t count = 0;
    for (const auto& one : found) count += one[k];
    classes.add(count, static_cast<double>(distribution.mass(k)) * 0x1p-64 * static_cast<double>(draws));
  }
  p_values.push_back(classes.chi_square());
  std::printf("%-28s %zu classes, p %.4f\n", name, classes.size(), p_values.back());
  std::fflush(stdout);
}

template <auto description>
void test_rate(const char* name) {
  std::printf("%s\n", name);
  constexpr Cumulative distribution = cumulative_of<description>();
  test<Sfc32>("words, Sfc32", word_table<description>, distribution);
  test<Sfc32>("bytes, Sfc32", byte_table<description>, distribution);
  test<Jkiss64>("bytes, Jkiss64", byte_table<description>, distribution);
  test<Sfc32>("pairs, Sfc32", pair_table<description>, distribution);
  test<Jkiss64>("pairs, Jkiss64", pair_table<description>, distribution);
  test<Sfc32x16>("alias, Sfc32x16", alias_table<description>, distribution);
}

} // namespace

int main() {
  test_rate<Poisson(1.2)>("Poisson, rate 1.2");
  test_rate<Poisson(1.6)>("Poisson, rate 1.6");
  test_rate<Poisson(10)>("Poisson, rate 10");
  test_rate<Binomial(40, 0.7)>("binomial, 40 trials at 0.7");
  const double verdict = randomness::verdict(p_values);
  std::printf("verdict %.4f: %s\n", verdict, verdict > 0.01 ? "good" : "bad");
  return verdict > 0.01 ? 0 : 1;
}
