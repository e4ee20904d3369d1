// SPDX-License-Identifier: BSL-1.0
/// \file
/// Work on threads, and tasks of which a thread that is done takes the next one.
// host-only
#ifndef NEUROMORPH_HOST_PARALLEL_HPP
#define NEUROMORPH_HOST_PARALLEL_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace host {

/// Threads that wait for their work: as many as are wanted, or fewer where the system gives no more. This one is the first.
class Team {
public:
  explicit Team(unsigned wanted) {
    try {
      while (threads() < wanted)
        others_.emplace_back([this, thread = threads()] {
          begun_.wait(false);
          if (work_) work_(thread);
        });
    } catch (const std::exception&) {
      // Those that there are do all of it: what comes out does not depend on their number.
    }
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() { end(); }

  [[nodiscard]] unsigned threads() const noexcept { return static_cast<unsigned>(others_.size()) + 1; }
  /// Calls `work(thread)` on each, which throws nothing, and returns when all have ended. Once.
  void run(std::function<void(unsigned thread)> work) {
    work_ = std::move(work);
    begin();
    work_(0);
    end();
  }

private:
  void begin() noexcept {
    begun_ = true;
    begun_.notify_all();
  }
  void end() noexcept {
    begin();
    for (std::thread& one : others_)
      if (one.joinable()) one.join();
  }

  std::atomic<bool> begun_{false};
  std::function<void(unsigned)> work_{};
  std::vector<std::thread> others_{};
};

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
  Team(static_cast<unsigned>((std::min)(std::size_t{threads}, tasks))).run(run);
  if (thrown) std::rethrow_exception(thrown);
}

} // namespace host
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
