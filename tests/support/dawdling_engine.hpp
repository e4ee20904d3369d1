// SPDX-License-Identifier: BSL-1.0
// An engine for tests of what waits for one.
#ifndef TESTS_SUPPORT_DAWDLING_ENGINE_HPP
#define TESTS_SUPPORT_DAWDLING_ENGINE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>

/// Copies in order, some words at any time that it is polled; takes so many transfers, or none for a while.
struct DawdlingEngine {
  struct Job {
    std::uint32_t* to;
    const std::uint32_t* from;
    std::size_t words, done;
    std::uint32_t handle;
  };
  std::mt19937& random;
  std::size_t room;
  unsigned stays_away; // of 8
  std::uint32_t last = 0xFFFF'FFF0U;
  std::deque<Job> jobs{};
  std::uint64_t started = 0, refused = 0;

  std::uint32_t start(void* to, const void* from, std::size_t bytes) {
    if (jobs.size() == room || random() % 8 < stays_away) return ++refused, 0;
    if (++last == 0) ++last;
    jobs.push_back({static_cast<std::uint32_t*>(to), static_cast<const std::uint32_t*>(from), bytes / 4, 0, last});
    ++started;
    return last;
  }
  bool is_complete(std::uint32_t handle) const {
    return std::none_of(jobs.begin(), jobs.end(), [&](const Job& job) { return job.handle == handle; });
  }
  void poll() {
    for (std::uint64_t words = random() % 4; words != 0 && !jobs.empty(); --words) {
      Job& job = jobs.front();
      job.to[job.done] = job.from[job.done];
      if (++job.done == job.words) jobs.pop_front();
    }
  }
};

#endif
