// SPDX-License-Identifier: BSL-1.0
// What the benchmarks share: the clock, and how a check that fails ends the run.
#ifndef BENCHMARKS_HOST_SUPPORT_HPP
#define BENCHMARKS_HOST_SUPPORT_HPP

#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace bench {

/// Seconds that this thread has had a core: other programs on the machine do not count.
inline double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Outputs are checked before anything is timed; a wrong one ends the run.
inline void expect(bool good, char const* what) {
  if (good) return;
  std::fprintf(stderr, "benchmarks: %s\n", what);
  std::exit(1);
}

void register_lif();
void register_neuron();
void register_accuracy();
void register_synapse();
void register_cuba();
void register_poisson();
void register_vectors();
void register_mask();
void register_traces();
void register_scheduler();
void register_stdp();

} // namespace bench

#endif
