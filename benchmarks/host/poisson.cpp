// SPDX-License-Identifier: BSL-1.0
// Poisson values in blocks of 4096 bytes, the generator's time included, in values per second; against what is usual on
// a host. Every variant of the library gives the same values for the same table, whatever the backend.
#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <neuromorph/kernels/random/alias_table.hpp>
#include <neuromorph/kernels/random/sfc32x16.hpp>
#include <neuromorph/neuromorph.hpp>

#include "support.hpp"

namespace bench {
namespace {

namespace nm = neuromorph;

constexpr std::size_t values = 4096;
using Values = std::array<std::uint8_t, values>;

double mean_of(const Values& drawn) {
  double sum = 0;
  for (const std::uint8_t value : drawn) sum += value;
  return sum / values;
}

/// \tparam Table  a pointer to one of the tables: they are constants
template <class Target, class Source, auto Table>
void time_table(const std::string& name, double rate) {
  Source native, generic;
  Values one{}, other{};
  Table->template fill<Target>(native, one);
  Table->template fill<nm::target::Generic>(generic, other);
  expect(one == other && native == generic, "Poisson values depend on the backend");
  expect(mean_of(one) > 0.9 * rate && mean_of(one) < 1.1 * rate, "Poisson values have a wrong mean");
  benchmark::RegisterBenchmark(name.c_str(), [](benchmark::State& state) {
    Source source;
    Values drawn;
    for (auto _ : state) {
      Table->template fill<Target>(source, drawn);
      benchmark::DoNotOptimize(drawn);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values));
  });
}

template <auto Words, auto Bytes, auto Pairs>
void time_rate(const std::string& name, double rate) {
  using Native = nm::target::Native;
  time_table<Native, nm::Sfc32, Bytes>(name + "/native", rate);
  time_table<Native, nm::Sfc32, Pairs>(name + "/native/pairs", rate);
  time_table<Native, nm::Sfc32, Words>(name + "/native/words", rate);
  time_table<Native, nm::Jkiss64, Bytes>(name + "/native/jkiss64", rate);
  time_table<nm::target::Generic, nm::Sfc32, Bytes>(name + "/generic", rate);
  time_table<nm::target::Generic, nm::Sfc32, Pairs>(name + "/generic/pairs", rate);
  time_table<nm::target::Generic, nm::Sfc32, Words>(name + "/generic/words", rate);
  benchmark::RegisterBenchmark((name + "/std_mt19937").c_str(), [rate](benchmark::State& state) {
    std::mt19937 source;
    std::poisson_distribution<int> distribution(rate);
    Values drawn;
    for (auto _ : state) {
      for (std::uint8_t& value : drawn) value = static_cast<std::uint8_t>(distribution(source));
      benchmark::DoNotOptimize(drawn);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values));
  });
}

/// The same, added to sums of input, in neurons per second. Weights take turns with their opposites, so that sums stay where
/// they are.
template <class Target, auto Table, class Element>
void time_input(const std::string& name) {
  nm::Sfc32x16 native, generic;
  std::array<Element, values> one{}, other{};
  static_cast<void>(nm::add_background<Target>(one.data(), values, *Table, native, 9));
  static_cast<void>(nm::add_background<nm::target::Generic>(other.data(), values, *Table, generic, 9));
  expect(one == other && native == generic, "background input depends on the backend");
  benchmark::RegisterBenchmark(name.c_str(), [](benchmark::State& state) {
    nm::Sfc32x16 source;
    std::array<Element, values> sums;
    sums.fill(30'000);
    std::int32_t weight = 9;
    for (auto _ : state) {
      benchmark::DoNotOptimize(nm::add_background<Target>(sums.data(), values, *Table, source, weight));
      benchmark::DoNotOptimize(sums);
      weight = -weight;
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values));
  });
}

template <class Target, auto Table>
void time_lanes(const std::string& name, double rate) {
  time_table<Target, nm::Sfc32x16, Table>(name, rate);
  time_input<Target, Table, std::uint16_t>(name + "/with_input");
  time_input<Target, Table, std::int32_t>(name + "/with_input/int32");
}

} // namespace

void register_poisson() {
  using nm::Poisson;
  time_rate<&nm::word_table<Poisson(1.2)>, &nm::byte_table<Poisson(1.2)>, &nm::pair_table<Poisson(1.2)>>("poisson/1.2",
                                                                                                         1.2);
  time_rate<&nm::word_table<Poisson(1.6)>, &nm::byte_table<Poisson(1.6)>, &nm::pair_table<Poisson(1.6)>>("poisson/1.6",
                                                                                                         1.6);
  time_lanes<nm::target::Native, &nm::alias_table<Poisson(1.2)>>("poisson/1.2/lanes/native", 1.2);
  time_lanes<nm::target::Generic, &nm::alias_table<Poisson(1.2)>>("poisson/1.2/lanes/generic", 1.2);
#if defined(__AVX2__)
  time_lanes<nm::target::Avx2, &nm::alias_table<Poisson(1.2)>>("poisson/1.2/lanes/avx2", 1.2);
#endif
  time_lanes<nm::target::Native, &nm::alias_table<Poisson(5.0)>>("poisson/5/lanes/native", 5);
  time_table<nm::target::Native, nm::Sfc32, &nm::byte_table<Poisson(5.0)>>("poisson/5/native", 5);
}

} // namespace bench
