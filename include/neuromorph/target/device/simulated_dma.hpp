// SPDX-License-Identifier: BSL-1.0
/// \file
/// A DMA controller in software: copies word by word as time passes, so that what overlaps with a transfer can be
/// tested on every machine, and what happens when a transfer is slow.
#ifndef NEUROMORPH_TARGET_DEVICE_SIMULATED_DMA_HPP
#define NEUROMORPH_TARGET_DEVICE_SIMULATED_DMA_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/device/copy_engine.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// In cycles of the processor.
/// \source M. Mikaitis, Application-specific real-time garbage collection, 2016, V-B2: 78 instructions to prepare a
/// transfer, 15 ns a word at 200 MHz
struct DmaSpeed {
  std::uint32_t start = 78;   ///< of each transfer, before its first word
  std::uint32_t per_word = 3; ///< a last, incomplete word included
  std::uint32_t per_poll = 16;
};

/// A CopyEngine; here, bytes need not be whole words, nor aligned.
///
/// \tparam Queue   most transfers at once, the one that is under way included; 1 to 255
/// \tparam Target  for its interrupt lock: all may be called by interrupts, too; `advance` copies a word under it
///
/// Time passes in `advance` and `poll` only. What has arrived is in memory at once; what has not is as it was.
template <std::size_t Queue = 4, class Target = Native>
class SimulatedDma {
  static_assert(Queue >= 1 && Queue <= 255, "neuromorph: a SimulatedDma queues 1 to 255 transfers; see docs/target.md");

public:
  /// Called when a transfer is complete, with interrupts as they were when time passed; may start another one.
  using OnComplete = void (*)(void* context, Transfer transfer);
  static constexpr bool is_immediate = false;

  constexpr SimulatedDma() noexcept = default;
  explicit constexpr SimulatedDma(const DmaSpeed& speed) noexcept : speed_(speed) {}
  SimulatedDma(const SimulatedDma&) = delete;
  SimulatedDma& operator=(const SimulatedDma&) = delete;

  /// The memory of both stays as it is until the end. Transfer::none if the queue is full.
  Transfer start(void* to, const void* from, std::size_t bytes) noexcept {
    typename Target::InterruptLock lock;
    if (waiting_ == Queue) return Transfer::none;
    jobs_[(first_ + waiting_) % Queue] = {static_cast<unsigned char*>(to), static_cast<const unsigned char*>(from),
                                          bytes};
    if (waiting_++ == 0) begin();
    // A number that means `none` is left out.
    if (++last_started_ == 0) ++last_started_;
    return Transfer{last_started_};
  }
  /// A transfer is known until 2^31 others have been started after it.
  [[nodiscard]] bool is_complete(Transfer transfer) const noexcept {
    typename Target::InterruptLock lock;
    return static_cast<std::int32_t>(last_completed_ - static_cast<std::uint32_t>(transfer)) >= 0;
  }
  [[nodiscard]] bool is_busy() const noexcept {
    typename Target::InterruptLock lock;
    return waiting_ != 0;
  }
  void call_on_complete(OnComplete function, void* context) noexcept {
    typename Target::InterruptLock lock;
    on_complete_ = function;
    context_ = context;
  }

  /// Lets time pass.
  void advance(std::uint32_t cycles) noexcept {
    while (true) {
      Transfer completed = Transfer::none;
      OnComplete function = nullptr;
      void* context = nullptr;
      {
        typename Target::InterruptLock lock;
        if (waiting_ == 0) return;
        if (until_next_ > cycles) {
          until_next_ -= cycles;
          return;
        }
        cycles -= until_next_;
        until_next_ = speed_.per_word;
        if (!copy_word()) continue;
        first_ = (first_ + 1) % Queue;
        --waiting_;
        begin();
        if (++last_completed_ == 0) ++last_completed_;
        completed = Transfer{last_completed_};
        function = on_complete_;
        context = context_;
      }
      if (function != nullptr) function(context, completed);
    }
  }
  void poll() noexcept { advance(speed_.per_poll); }

private:
  struct Job {
    unsigned char* to;
    const unsigned char* from;
    std::size_t bytes;
  };
  constexpr void begin() noexcept {
    if (waiting_ != 0) until_next_ = speed_.start + (jobs_[first_].bytes == 0 ? 0 : speed_.per_word);
  }
  /// Of the transfer under way; whether that was its last.
  bool copy_word() noexcept {
    Job& job = jobs_[first_];
    for (unsigned byte = 0; byte < 4 && job.bytes != 0; ++byte, --job.bytes) *job.to++ = *job.from++;
    return job.bytes == 0;
  }

  DmaSpeed speed_{};
  std::array<Job, Queue> jobs_{};
  std::size_t first_ = 0, waiting_ = 0;
  std::uint32_t until_next_ = 0; // cycles until a word has arrived
  std::uint32_t last_started_ = 0, last_completed_ = 0;
  OnComplete on_complete_ = nullptr;
  void* context_ = nullptr;
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
