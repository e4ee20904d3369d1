// SPDX-License-Identifier: BSL-1.0
/// \file
/// Spikes from an interrupt to the loop: the interrupt frees the network at once, the loop handles them when it has
/// time.
#ifndef NEUROMORPH_SCHED_SPIKE_BUFFER_HPP
#define NEUROMORPH_SCHED_SPIKE_BUFFER_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// One interrupt level puts, the loop takes; each side writes its own counter only. A full buffer keeps what it has,
/// and counts what comes.
///
/// \tparam Size  a power of two
template <std::size_t Size>
class SpikeBuffer {
  static_assert(Size >= 1 && Size <= 65536 && (Size & (Size - 1)) == 0,
                "neuromorph: a SpikeBuffer has room for a power of two of spikes, up to 65536; see docs/scheduling.md");

public:
  /// For the interrupt: whether there was room.
  bool put(std::uint32_t spike) noexcept {
    const std::uint32_t put = put_;
    const std::uint32_t waiting = put - taken_;
    if (waiting == Size) {
      dropped_ = dropped_ + 1;
      return false;
    }
    spikes_[put % Size] = spike;
    __atomic_signal_fence(__ATOMIC_RELEASE);
    put_ = put + 1;
    if (waiting >= most_) most_ = waiting + 1;
    return true;
  }
  /// For the loop: whether there was one.
  [[nodiscard]] bool take(std::uint32_t& spike) noexcept {
    const std::uint32_t taken = taken_;
    if (put_ == taken) return false;
    __atomic_signal_fence(__ATOMIC_ACQUIRE);
    spike = spikes_[taken % Size];
    __atomic_signal_fence(__ATOMIC_RELEASE);
    taken_ = taken + 1;
    return true;
  }
  /// For the loop: spike `number` of all that were put, which is not taken yet; and takes all before `number`.
  [[nodiscard]] std::uint32_t look_at(std::uint32_t number) const noexcept { return spikes_[number % Size]; }
  void take_until(std::uint32_t number) noexcept {
    __atomic_signal_fence(__ATOMIC_RELEASE);
    taken_ = number;
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return put_ - taken_; }
  /// Spikes that were put, those that were dropped not among them; and those.
  [[nodiscard]] std::uint32_t put_count() const noexcept { return put_; }
  [[nodiscard]] std::uint32_t taken_count() const noexcept { return taken_; }
  [[nodiscard]] std::uint32_t dropped() const noexcept { return dropped_; }
  /// The most that were in it at once.
  [[nodiscard]] std::uint32_t high_water() const noexcept { return most_; }

private:
  std::array<std::uint32_t, Size> spikes_{};
  volatile std::uint32_t put_ = 0, taken_ = 0, dropped_ = 0, most_ = 0;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
