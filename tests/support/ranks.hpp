// SPDX-License-Identifier: BSL-1.0
// Threads that are processes to each other: the ranks of a machine.
#ifndef TESTS_SUPPORT_RANKS_HPP
#define TESTS_SUPPORT_RANKS_HPP

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/strip.hpp>
#include <neuromorph/status.hpp>

namespace tests {

class Ranks {
public:
  explicit Ranks(unsigned count) : given_(count) {}

  /// \param owner  [chip]
  [[nodiscard]] neuromorph::machine::Strip strip(unsigned rank, std::vector<std::uint16_t> owner) {
    using neuromorph::machine::Strip;
    Strip made{.rank = rank, .ranks = static_cast<unsigned>(given_.size()), .owner = std::move(owner)};
    made.exchange = [this, rank](const std::vector<std::uint32_t>& own, const Strip::Take& take) {
      given_[rank] = own, ++exchanges;
      wait_for_all();
      if (exchanges == fails_at)
        return neuromorph::Refusal{{neuromorph::Error::rank_failed, 0, 1, "rank"}, "rank 1", "it is gone"};
      for (unsigned one = 0; one < given_.size(); ++one) take(one, given_[one]);
      wait_for_all();
      return neuromorph::Refusal{};
    };
    return made;
  }
  /// Calls do(rank) in a thread for each, and waits for all.
  template <class Do>
  void run(Do each) {
    std::vector<std::thread> threads;
    for (unsigned rank = 0; rank < given_.size(); ++rank) threads.emplace_back([&each, rank] { each(rank); });
    for (auto& one : threads) one.join();
  }

  std::atomic<unsigned> exchanges{0}; ///< of all ranks
  unsigned fails_at = 0;              ///< the exchange from which ranks lose each other; 0: they do not

private:
  /// std::barrier yields before it sleeps, which takes milliseconds where other programs are at work.
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    const std::uint64_t turn = turns_;
    if (++arrived_ == given_.size()) {
      arrived_ = 0, ++turns_;
      all_are_here_.notify_all();
      return;
    }
    all_are_here_.wait(lock, [&] { return turns_ != turn; });
  }

  std::vector<std::vector<std::uint32_t>> given_;
  std::mutex mutex_;
  std::condition_variable all_are_here_;
  std::size_t arrived_ = 0;
  std::uint64_t turns_ = 0;
};

} // namespace tests

#endif
