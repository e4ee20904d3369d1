// SPDX-License-Identifier: BSL-1.0
/// \file
/// Events that an interrupt only notes, and the scheduler takes when it has time: one at a time, or at a least
/// interval.
#ifndef NEUROMORPH_SCHED_INTERRUPT_MAILBOX_HPP
#define NEUROMORPH_SCHED_INTERRUPT_MAILBOX_HPP

#include <atomic>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/event.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// `post` is for the interrupt, everything else for the loop. Each side writes its own counter only, so nothing is
/// locked and nothing is lost up to 2^32 - 1 posts that nobody has taken. One interrupt level posts, or several that do
/// not preempt each other. What the interrupt wrote before `post` is seen by the service.
///
/// \cost post: one load, one addition, one store
/// \source D. R. Lester et al., Streamlining SpiNNaker, 2018, chapter 5: an interrupt merely notes that its event
/// happened
template <TickCount TickType = std::uint32_t>
class InterruptMailbox {
public:
  using Tick = TickType;
  /// \param deadline  ticks from the poll that finds the post; at most longest_span, longer ones are taken for that
  constexpr InterruptMailbox(ServiceId service, Tick deadline) noexcept
      : deadline_(deadline < longest_span<Tick> ? deadline : longest_span<Tick>), service_(service) {}

  void post() noexcept {
    std::atomic_signal_fence(std::memory_order_release);
    posted_ = posted_ + 1;
  }

  [[nodiscard]] bool next_event(Event<Tick>& event, Tick now) noexcept {
    const std::uint32_t taken = taken_;
    if (posted_ == taken) return false;
    std::atomic_signal_fence(std::memory_order_acquire);
    taken_ = taken + 1;
    event.deadline = static_cast<Tick>(now + deadline_);
    event.service = service_; // GCC would copy the whole byte by byte on ARM
    return true;
  }
  [[nodiscard]] bool is_due(Tick) const noexcept { return posted_ != taken_; }
  /// At once if there is a post; else the interrupt will wake the core.
  [[nodiscard]] bool wake_at(Tick now, Tick& at) const noexcept {
    at = now;
    return posted_ != taken_;
  }
  /// Posts that were not taken yet.
  [[nodiscard]] std::uint32_t pending() const noexcept { return posted_ - taken_; }
  [[nodiscard]] std::uint32_t posted() const noexcept { return posted_; }

private:
  volatile std::uint32_t posted_ = 0;
  std::uint32_t taken_ = 0;
  Tick deadline_;
  ServiceId service_;
};

/// The same, with at least `interval` ticks between events, as a proof of fit needs: a post that is early waits, and is
/// counted.
template <TickCount TickType = std::uint32_t>
class Sporadic {
public:
  using Tick = TickType;
  /// Both spans are at most longest_span, longer ones are taken for that.
  constexpr Sporadic(ServiceId service, Tick deadline, Tick interval) noexcept
      : mailbox_(service, deadline), interval_(interval < longest_span<Tick> ? interval : longest_span<Tick>) {}

  void post() noexcept { mailbox_.post(); }

  [[nodiscard]] bool next_event(Event<Tick>& event, Tick now) noexcept {
    if (mailbox_.pending() == 0) {
      // so that a long silence is not taken for a long wait
      if (has_next_ && !is_before(now, next_)) has_next_ = false;
      return false;
    }
    if (has_next_ && is_before(now, next_)) {
      if (!is_deferred_) ++deferred_, is_deferred_ = true;
      return false;
    }
    next_ = now + interval_;
    has_next_ = interval_ != 0;
    is_deferred_ = false;
    return mailbox_.next_event(event, now);
  }
  [[nodiscard]] bool is_due(Tick) const noexcept { return has_next_ || mailbox_.pending() != 0; }
  [[nodiscard]] bool wake_at(Tick now, Tick& at) const noexcept {
    at = has_next_ && is_before(now, next_) ? next_ : now;
    return mailbox_.pending() != 0;
  }
  [[nodiscard]] std::uint32_t pending() const noexcept { return mailbox_.pending(); }
  [[nodiscard]] std::uint32_t posted() const noexcept { return mailbox_.posted(); }
  /// Events that had to wait for the interval.
  [[nodiscard]] std::uint32_t deferred() const noexcept { return deferred_; }

private:
  InterruptMailbox<Tick> mailbox_;
  Tick interval_, next_ = 0;
  std::uint32_t deferred_ = 0;
  bool has_next_ = false, is_deferred_ = false;
};

static_assert(WakingSource<InterruptMailbox<>, std::uint32_t> && WakingSource<Sporadic<>, std::uint32_t>);

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
