// SPDX-License-Identifier: BSL-1.0
// Checks the outputs of everything that is timed, then runs the benchmarks. Options are Google Benchmark's.
#include <benchmark/benchmark.h>

#include "support.hpp"

int main(int count, char** words) {
  benchmark::Initialize(&count, words);
  if (benchmark::ReportUnrecognizedArguments(count, words)) return 2;
  bench::register_lif();
  bench::register_synapse();
  bench::register_cuba();
  bench::register_poisson();
  bench::register_vectors();
  bench::register_mask();
  bench::register_traces();
  bench::register_scheduler();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
