// SPDX-License-Identifier: BSL-1.0
/// \file
/// Tasks on threads: who is done takes the next one.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_PARALLEL_HPP
#define NEUROMORPH_NETWORK_DETAIL_PARALLEL_HPP

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// Calls `work(task, thread)` once for each task below `tasks`, in no order; `thread` is below `threads`. What a task throws
/// is thrown here, when all threads have ended.
template <class Work>
void in_parallel(unsigned threads, std::size_t tasks, Work work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr thrown;
  std::mutex guard;
  const auto run = [&](unsigned thread) {
    try {
      for (std::size_t task = next++; task < tasks; task = next++) work(task, thread);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(guard);
      thrown = std::current_exception();
      next = tasks;
    }
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads && thread < tasks; ++thread) others.emplace_back(run, thread);
  run(0);
  for (std::thread& one : others) one.join();
  if (thrown) std::rethrow_exception(thrown);
}

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
