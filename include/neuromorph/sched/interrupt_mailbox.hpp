// SPDX-License-Identifier: BSL-1.0
/// \file
/// Events that an interrupt only notes with the time, and the scheduler takes later: one for each, or at a least
/// interval. Their deadlines count from the interrupt, however late the scheduler looks.
#ifndef NEUROMORPH_SCHED_INTERRUPT_MAILBOX_HPP
#define NEUROMORPH_SCHED_INTERRUPT_MAILBOX_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/clock.hpp>
#include <neuromorph/sched/event.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace detail {

template <class Source>
inline constexpr bool is_for_loop_alone = false;
template <class Source>
inline constexpr bool is_for_loop_alone<LongClock<Source>> = true;
template <class Source, class Tick, unsigned Shift>
inline constexpr bool is_for_loop_alone<ShiftedClock<Source, Tick, Shift>> = is_for_loop_alone<Source>;

/// Posts and their times. The interrupt writes `posted_`, `unstamped_` and the stamps that are free, the loop the rest.
template <class ClockType, std::size_t Depth, TickCount TickType>
class StampedPosts {
  static_assert(is_complete_clock<ClockType>());
  static_assert(!is_for_loop_alone<ClockType>, "neuromorph: an interrupt cannot read a LongClock; give the mailbox the "
                                               "clock of 32 bits below it; see docs/scheduling.md");
  static_assert(sizeof(TickType) >= sizeof(typename ClockType::Tick),
                "neuromorph: the ticks of the mailbox have fewer bits than its clock's; see docs/scheduling.md");
  static_assert(Depth >= 1 && Depth <= 65536 && (Depth & (Depth - 1)) == 0,
                "neuromorph: the Depth of a mailbox is a power of two, 1 to 65536; see docs/scheduling.md");

public:
  using Tick = TickType;
  using Stamp = typename ClockType::Tick;

  /// A release now.
  void post() noexcept { post(clock_->now()); }
  /// A release at a time that the interrupt knows: not before that of the last post, nor later than now.
  void post(Stamp release) noexcept {
    __atomic_signal_fence(__ATOMIC_RELEASE);
    const std::uint32_t posted = posted_;
    if (posted - taken_ < Depth) [[likely]]
      stamps_[posted % Depth] = release;
    else
      unstamped_ = unstamped_ + 1;
    posted_ = posted + 1;
  }

  /// Posts that were not taken yet.
  [[nodiscard]] std::uint32_t pending() const noexcept { return posted_ - taken_; }
  [[nodiscard]] std::uint32_t posted() const noexcept { return posted_; }
  /// Posts that found `Depth` others waiting. They count as released when the last one before them was that has a
  /// stamp: too early, so what they are late is not less than the truth.
  [[nodiscard]] std::uint32_t unstamped() const noexcept { return unstamped_; }

protected:
  constexpr StampedPosts(ServiceId service, ClockType& clock, Tick deadline) noexcept
      : clock_(&clock), deadline_(deadline < longest_span<Tick> ? deadline : longest_span<Tick>), service_(service) {}

  /// When the next post was released: later than `now` if the interrupt came since. In 32 bits, what has waited for
  /// longer than a quarter of longest_span counts as that old, lest it wrap.
  /// \pre pending() > 0
  [[nodiscard]] Tick release([[maybe_unused]] Tick now) noexcept {
    const Stamp stamp = stamps_[taken_ % Depth]; // of a post without one, that of an earlier post
    if constexpr (sizeof(Stamp) == 8) {          // which does not wrap
      return follows_ && is_before(stamp, last_) ? last_ : stamp;
    } else {
      // Ages are counted from a time that no interrupt has reached, so that all of them are above 0 and none wraps.
      const Stamp ahead = static_cast<Stamp>(now) + margin;
      Stamp age = ahead - stamp;
      if (age > oldest) [[unlikely]] {
        limit_ages(ahead);
        age = oldest;
      }
      if (follows_)
        if (const Stamp last = ahead - last_; last < age) age = last;
      return now + static_cast<Tick>(static_cast<std::make_signed_t<Stamp>>(margin - age));
    }
  }
  /// Its event has been made.
  void take(Event<Tick>& event, Tick release, Tick effective) noexcept {
    __atomic_signal_fence(__ATOMIC_ACQUIRE);
    const std::uint32_t taken = taken_ + 1;
    last_ = static_cast<Stamp>(release);
    follows_ = posted_ != taken;
    taken_ = taken;
    event.deadline = static_cast<Tick>(effective + deadline_);
    event.service = service_; // GCC would copy the whole byte by byte on ARM
  }

private:
  static constexpr Stamp margin = longest_span<Stamp> / 4 + 1;
  static constexpr Stamp oldest = margin + longest_span<Stamp> / 4;

  /// Of posts that wait, which the interrupt does not write, and of the release before them.
  [[gnu::noinline]] void limit_ages(Stamp ahead) noexcept {
    if (static_cast<Stamp>(ahead - last_) > oldest) follows_ = false;
    const std::uint32_t waiting = pending();
    for (std::uint32_t at = 0; at < Depth && at < waiting; ++at) {
      volatile Stamp& stamp = stamps_[(taken_ + at) % Depth];
      if (static_cast<Stamp>(ahead - stamp) > oldest) stamp = ahead - oldest;
    }
  }
  ClockType* clock_;
  std::array<volatile Stamp, Depth> stamps_{}; // of the posts that wait, at their number
  volatile std::uint32_t posted_ = 0, taken_ = 0, unstamped_ = 0;
  Stamp last_ = 0;       // release of the one that was taken last
  bool follows_ = false; // whether another post waited already when it was taken
  Tick deadline_;
  ServiceId service_;
};

} // namespace detail

/// `post` is for the interrupt, everything else for the loop. Each side writes its own words only, so nothing is
/// locked and nothing is lost up to 2^32 - 1 posts that nobody has taken. One interrupt level posts, or several that do
/// not preempt each other. What the interrupt wrote before `post` is seen by the service.
///
/// \tparam ClockType  of the scheduler, if interrupts may read it; for a LongClock, the clock below it
/// \tparam Depth      posts that can wait with their own time each; a power of two
/// \tparam TickType   of the scheduler: std::uint64_t for a LongClock
/// \cost   post: a reading of the clock, 3 loads, 2 stores
/// \source D. R. Lester et al., Streamlining SpiNNaker, 2018, chapter 5: an interrupt merely notes that its event
/// happened
template <class ClockType, std::size_t Depth = 8, TickCount TickType = typename ClockType::Tick>
class InterruptMailbox : public detail::StampedPosts<ClockType, Depth, TickType> {
  using Posts = detail::StampedPosts<ClockType, Depth, TickType>;

public:
  using Tick = TickType;
  using Offers = offer::List<offer::WakeAt, offer::IsDue>;
  /// \param deadline  ticks from the post; at most longest_span, longer ones are taken for that
  constexpr InterruptMailbox(ServiceId service, ClockType& clock, typename Posts::Tick deadline) noexcept
      : Posts(service, clock, deadline) {}

  [[nodiscard]] bool next_event(Event<Tick>& event, Tick now) noexcept {
    if (this->pending() == 0) return false;
    const Tick release = this->release(now);
    this->take(event, release, release);
    return true;
  }
  [[nodiscard]] bool is_due(Tick) const noexcept { return this->pending() != 0; }
  /// At once if there is a post; else the interrupt will wake the core.
  [[nodiscard]] bool wake_at(Tick now, Tick& at) const noexcept {
    at = now;
    return this->pending() != 0;
  }
};

/// The same, with releases at least `interval` ticks apart, as a proof of fit needs: a post that comes earlier counts
/// as released when the interval is over. How late the scheduler looks defers none, and posts whose interrupt gives an
/// earlier time keep the interval, too.
///
/// \tparam Depth  more than deadline / interval
template <class ClockType, std::size_t Depth = 8, TickCount TickType = typename ClockType::Tick>
class Sporadic : public detail::StampedPosts<ClockType, Depth, TickType> {
  using Posts = detail::StampedPosts<ClockType, Depth, TickType>;

public:
  using Tick = TickType;
  using Offers = offer::List<offer::WakeAt, offer::IsDue>;
  /// Both spans are at most longest_span, longer ones are taken for that.
  constexpr Sporadic(ServiceId service, ClockType& clock, typename Posts::Tick deadline,
                     typename Posts::Tick interval) noexcept
      : Posts(service, clock, deadline), interval_(interval < longest_span<Tick> ? interval : longest_span<Tick>) {}

  [[nodiscard]] bool next_event(Event<Tick>& event, Tick now) noexcept {
    if (has_last_) keep_up(now);
    if (this->pending() == 0) return false;
    const Tick release = this->release(now);
    Tick effective = release;
    if (is_too_soon(release)) {
      if (!is_deferred_) ++deferred_, is_deferred_ = true;
      if (is_too_soon(now)) return false;
      effective = allowed();
    }
    from_ = effective - margin;
    span_ = interval_ + margin;
    has_last_ = interval_ != 0;
    is_deferred_ = false;
    this->take(event, release, effective);
    return true;
  }
  [[nodiscard]] bool is_due(Tick now) const noexcept {
    return this->pending() != 0 || (has_last_ && static_cast<Tick>(now - from_) > half);
  }
  [[nodiscard]] bool wake_at(Tick now, Tick& at) noexcept {
    if (this->pending() == 0) return false;
    at = is_too_soon(this->release(now)) && is_too_soon(now) ? allowed() : now;
    return true;
  }
  /// Posts that came before the interval was over.
  [[nodiscard]] std::uint32_t deferred() const noexcept { return deferred_; }

private:
  // No post is taken for older than a quarter of longest_span, nor has one come that much later than `now`. So times
  // from that long before the last release on are told apart for the whole range of the clock.
  static constexpr Tick margin = longest_span<Tick> / 4 + 1;
  static constexpr Tick half = static_cast<Tick>(~Tick{0}) / 2;

  [[nodiscard]] bool is_too_soon(Tick time) const noexcept {
    return has_last_ && static_cast<Tick>(time - from_) < span_;
  }
  /// The earliest release of the next event.
  [[nodiscard]] Tick allowed() const noexcept { return static_cast<Tick>(from_ + span_); }
  /// Forgets the times in which no release can lie any more, so that a long silence is not taken for a long wait.
  void keep_up(Tick now) noexcept {
    const Tick passed = static_cast<Tick>(now - from_);
    if (passed <= 2 * margin) return;
    const Tick gone = passed - 2 * margin;
    has_last_ = gone < span_;
    from_ += gone;
    span_ -= gone;
  }
  Tick interval_;
  Tick from_ = 0, span_ = 0; // what would be released in between comes too soon
  std::uint32_t deferred_ = 0;
  bool has_last_ = false, is_deferred_ = false; // whether there was a release that the next one could be too soon for
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
