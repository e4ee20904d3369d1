// SPDX-License-Identifier: BSL-1.0
/// \file
/// Where threads wait for each other: a short while on their cores, then asleep.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_BARRIER_HPP
#define NEUROMORPH_NETWORK_DETAIL_BARRIER_HPP

#include <atomic>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/host_system.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// For exchanges every few microseconds, which a barrier that sleeps at once would take longer for than they last.
class Barrier {
public:
  explicit Barrier(unsigned threads) noexcept : threads_(threads), missing_(threads) {}

  /// Returns when all threads have called it; what each wrote before is seen by all.
  void wait() noexcept {
    if (threads_ == 1) return;
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      missing_.store(threads_, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    for (int look = 0; look < looks; ++look) {
      if (round_.load(std::memory_order_acquire) != round) return;
      target::relax();
    }
    while (round_.load(std::memory_order_acquire) == round) round_.wait(round, std::memory_order_acquire);
  }

private:
  static constexpr int looks = 2000; // some 50 microseconds

  const unsigned threads_;
  alignas(64) std::atomic<std::uint32_t> missing_;
  alignas(64) std::atomic<std::uint32_t> round_{0};
};

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
