// SPDX-License-Identifier: BSL-1.0
/// \file
/// Tasks that are done once in each round, by whichever thread comes first.
///
/// A thread does its own tasks, then those that others have not begun. One that the system has taken its core from holds up
/// nobody, unless in the middle of a task. When it comes back it finds its tasks done, and follows.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_ROUNDS_HPP
#define NEUROMORPH_NETWORK_DETAIL_ROUNDS_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/target/host_system.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// For rounds of a few microseconds, which sleeping at once would take longer for than they last.
class Rounds {
public:
  /// \param tasks  at least 1, not counting those of `first`
  Rounds(unsigned threads, std::size_t tasks)
      : threads_(threads), claims_(tasks), missing_(static_cast<std::uint32_t>(tasks) + 1) {}

  /// Does what is left of a round, and returns when all of it is done; what each task wrote before is seen then.
  ///
  /// \param round  0, 1, ... one after the other, on each thread
  /// \param first  called once by thread 0, before its tasks
  /// \param work   called with each task once, on any thread; throws nothing
  template <class First, class Work>
  void run(unsigned thread, std::uint32_t round, First first, Work work) {
    if (thread == 0) first(), end(round);
    for (std::size_t task = thread; task < claims_.size(); task += threads_) claim(task, round, work);
    if (threads_ == 1) return;
    for (std::size_t task = 0; task < claims_.size(); ++task) claim(task, round, work);
    wait(round);
  }

private:
  struct alignas(64) Claim {
    std::atomic<std::uint32_t> rounds{0}; // that were begun
  };

  template <class Work>
  void claim(std::size_t task, std::uint32_t round, Work& work) {
    std::atomic<std::uint32_t>& rounds = claims_[task].rounds;
    std::uint32_t before = round; // a late thread finds more, and never takes a task
    if (rounds.load(std::memory_order_relaxed) != before ||
        !rounds.compare_exchange_strong(before, round + 1, std::memory_order_relaxed))
      return;
    work(task);
    end(round);
  }
  /// Of a task.
  void end(std::uint32_t round) noexcept {
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    missing_.store(static_cast<std::uint32_t>(claims_.size()) + 1, std::memory_order_relaxed);
    ended_.store(round + 1);
    ended_.notify_all();
  }
  void wait(std::uint32_t round) const noexcept {
    for (int look = 0; look < looks; ++look) {
      if (is_over(ended_.load(std::memory_order_acquire), round)) return;
      target::relax();
    }
    for (std::uint32_t ended = ended_.load(); !is_over(ended, round); ended = ended_.load()) ended_.wait(ended);
  }
  /// Other threads may be some rounds ahead.
  [[nodiscard]] static bool is_over(std::uint32_t ended, std::uint32_t round) noexcept {
    return ended - round - 1 < 0x80000000U;
  }

  static constexpr int looks = 2000; // some 50 microseconds

  const unsigned threads_;
  std::vector<Claim> claims_;
  alignas(64) std::atomic<std::uint32_t> missing_;
  alignas(64) std::atomic<std::uint32_t> ended_{0};
};

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
