// SPDX-License-Identifier: BSL-1.0
// Checks the outputs of everything that is timed, then runs the benchmarks. Options are Google Benchmark's.
#include <cxxabi.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <typeinfo>

#include <benchmark/benchmark.h>
#include <neuromorph/target/native.hpp>

#include "support.hpp"

namespace {

/// What the operating system calls the processor.
std::string cpu() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return "unknown";
}

std::string compiler() {
#if defined(__clang__)
  return __VERSION__;
#else
  return "GCC " __VERSION__;
#endif
}

/// The last part of its name.
std::string backend() {
  char* const whole = abi::__cxa_demangle(typeid(neuromorph::target::Native).name(), nullptr, nullptr, nullptr);
  const std::string name = whole != nullptr ? whole : "unknown";
  std::free(whole);
  return name.substr(name.rfind(':') + 1);
}

} // namespace

int main(int count, char** words) {
  // A figure of a host says whose it is (goals.py).
  benchmark::AddCustomContext("cpu", cpu());
  benchmark::AddCustomContext("compiler", compiler());
  benchmark::AddCustomContext("backend", backend());
  benchmark::Initialize(&count, words);
  if (benchmark::ReportUnrecognizedArguments(count, words)) return 2;
  bench::register_lif();
  bench::register_neuron();
  bench::register_accuracy();
  bench::register_synapse();
  bench::register_cuba();
  bench::register_poisson();
  bench::register_vectors();
  bench::register_mask();
  bench::register_traces();
  bench::register_scheduler();
  bench::register_stdp();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
