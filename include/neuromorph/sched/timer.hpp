// SPDX-License-Identifier: BSL-1.0
/// \file
/// Releases of a service: periodically, or once.
///
/// What was not asked for in time is never lost in silence: `missed()` counts the periods that passed without an event,
/// those at the end included. The policy says what a late poll does.
#ifndef NEUROMORPH_SCHED_TIMER_HPP
#define NEUROMORPH_SCHED_TIMER_HPP

#include <concepts>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/event.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What a timer does that is asked a period or more too late.
namespace missed {
/// Makes the event of the period that runs; counts those before it.
struct Skip {};
/// Makes an event for every period, one after the other, each with its own deadline. Misses none, however late.
struct CatchUp {};
/// Makes an event as if released now, from which new periods begin; counts those that are over.
struct RePhase {};
} // namespace missed

template <class Policy>
concept MissedPolicy = std::same_as<Policy, missed::Skip> || std::same_as<Policy, missed::CatchUp> ||
    std::same_as<Policy, missed::RePhase>;

template <TickCount Tick>
struct TimerTiming {
  ServiceId service = 0;
  Tick start = 0;          ///< of the first period, less the phase
  Tick period = 0;         ///< 1 to longest_span
  Tick deadline = 0;       ///< after the release; 0: the end of the period
  std::uint32_t count = 0; ///< of periods; 0: endless
  Tick phase = 0;          ///< of all periods, after `start`; up to longest_span
};

/// \cost one load, a subtraction and a branch while nothing is due; a late poll by k periods: O(log k), no division
/// \source P. Spilger, On parameterization and debugging of PPU programs, 2018, 3.3.1 (there, the deadline is that of
/// the
///         start, and periods that are missed at the end are not counted)
template <TickCount TickType = std::uint32_t, MissedPolicy Missed = missed::Skip>
class Timer {
public:
  using Tick = TickType;

  /// A stopped timer.
  constexpr Timer() noexcept = default;

  /// \errors parameter_out_of_range; where: 0 period, 1 deadline, 2 phase
  [[nodiscard]] static constexpr Result<Timer> from(const TimerTiming<Tick>& timing) noexcept {
    const Tick deadline = timing.deadline == 0 ? timing.period : timing.deadline;
    if (timing.period == 0 || timing.period > longest_span<Tick>)
      return {{}, {Error::parameter_out_of_range, 0, static_cast<std::int64_t>(timing.period)}};
    if (deadline > longest_span<Tick>)
      return {{}, {Error::parameter_out_of_range, 1, static_cast<std::int64_t>(deadline)}};
    if (timing.phase > longest_span<Tick>)
      return {{}, {Error::parameter_out_of_range, 2, static_cast<std::int64_t>(timing.phase)}};
    Timer timer;
    timer.next_ = timing.start + timing.phase;
    timer.period_ = timing.period;
    timer.plain_ = timing.count == 0 ? timing.period : 0;
    timer.deadline_ = deadline;
    timer.left_ = timing.count;
    timer.service_ = timing.service;
    return {timer, {}};
  }

  [[nodiscard]] constexpr bool next_event(Event<Tick>& event, Tick now) noexcept {
    const Tick at = next_;
    if (is_before(now, at)) [[likely]]
      return false;
    if (now - at >= plain_) [[unlikely]]
      return release_counted(event, now);
    next_ = at + period_;
    event.deadline = static_cast<Tick>(at + deadline_);
    event.service = service_;
    return true;
  }
  /// Whether next_event has more to do than to say no.
  [[nodiscard]] constexpr bool is_due(Tick now) const noexcept { return !is_before(now, next_); }

  [[nodiscard]] constexpr bool wake_at(Tick, Tick& at) const noexcept {
    at = next_;
    return !is_stopped();
  }

  /// Periods that passed without an event.
  [[nodiscard]] constexpr std::uint32_t missed() const noexcept { return missed_; }
  [[nodiscard]] constexpr bool is_stopped() const noexcept { return period_ == 0; }
  constexpr void stop() noexcept { period_ = plain_ = 0; }

private:
  /// What is not plain: a count, a late poll, or nothing as the timer is stopped.
  [[nodiscard, gnu::noinline]] constexpr bool release_counted(Event<Tick>& event, Tick now) noexcept {
    if (is_stopped()) {
      next_ = now + longest_span<Tick>; // not to be looked at again for long
      return false;
    }
    Tick at = next_;
    if (!std::same_as<Missed, missed::CatchUp> && now - at >= period_) {
      const std::uint32_t over = pass(at, now); // periods that ended before `now`
      missed_ += over;
      if (left_ != 0 && over == left_) { // all that were left
        stop();
        return false;
      }
      if (left_ != 0) left_ -= over;
      if constexpr (std::same_as<Missed, missed::RePhase>) at = now;
    }
    next_ = at + period_;
    event = {static_cast<Tick>(at + deadline_), service_};
    if (left_ != 0 && --left_ == 0) stop();
    return true;
  }

  /// Moves `at` on to the last period that has begun, or to the end of the last one; returns by how many.
  [[nodiscard]] constexpr std::uint32_t pass(Tick& at, Tick now) const noexcept {
    const std::uint32_t most = left_ == 0 ? 0xFFFF'FFFFU : left_;
    Tick late = now - at, span = period_;
    std::uint32_t over = 0, step = 1;
    while (span <= late / 2 && step < 0x8000'0000U) span *= 2, step *= 2;
    for (; step != 0; span /= 2, step /= 2)
      if (span <= late && step <= most - over) {
        late -= span;
        over += step;
      }
    at = now - late;
    return over;
  }

  Tick next_ = 0, deadline_ = 0;
  Tick period_ = 0; // 0: stopped
  Tick plain_ = 0;  // how late a poll must be to be more than a release: a period, or 0 where releases are counted
  std::uint32_t left_ = 0, missed_ = 0; // 0 left: endless
  ServiceId service_ = 0;
};

/// One event, at the first poll at or after `earliest`, whether or not its deadline is still ahead then.
/// \source as Timer, 3.3.2 (there, an event whose window is longer than its deadline never came)
template <TickCount TickType = std::uint32_t>
class OneshotTimer {
public:
  using Tick = TickType;

  /// Done already.
  constexpr OneshotTimer() noexcept = default;
  /// \errors parameter_out_of_range: the deadline is more than longest_span after `earliest`, or before it
  [[nodiscard]] static constexpr Result<OneshotTimer> from(ServiceId service, Tick earliest, Tick deadline) noexcept {
    if (is_before(deadline, earliest))
      return {{}, {Error::parameter_out_of_range, 0, static_cast<std::int64_t>(deadline)}};
    OneshotTimer timer;
    timer.earliest_ = earliest;
    timer.deadline_ = deadline;
    timer.service_ = service;
    timer.is_done_ = false;
    return {timer, {}};
  }

  [[nodiscard]] constexpr bool next_event(Event<Tick>& event, Tick now) noexcept {
    if (is_done_ || is_before(now, earliest_)) [[likely]]
      return false;
    is_done_ = true;
    is_late_ = is_before(deadline_, now);
    event.deadline = deadline_;
    event.service = service_;
    return true;
  }
  [[nodiscard]] constexpr bool wake_at(Tick, Tick& at) const noexcept {
    at = earliest_;
    return !is_done_;
  }
  [[nodiscard]] constexpr bool is_due(Tick now) const noexcept { return !is_done_ && !is_before(now, earliest_); }
  [[nodiscard]] constexpr bool is_done() const noexcept { return is_done_; }
  /// Whether the event came after its deadline.
  [[nodiscard]] constexpr bool is_late() const noexcept { return is_late_; }

private:
  Tick earliest_ = 0, deadline_ = 0;
  ServiceId service_ = 0;
  bool is_done_ = true, is_late_ = false;
};

/// A timer of constants: a wrong one is an error of the compiler, and so is a scheduler without its service.
template <ServiceId Id, TickCount Tick, MissedPolicy Missed>
class ConstantTimer : public Timer<Tick, Missed> {
public:
  static constexpr ServiceId service = Id;
  constexpr explicit ConstantTimer(const Timer<Tick, Missed>& timer) noexcept : Timer<Tick, Missed>(timer) {}
};

///     auto timer = constant_timer<TimerTiming<std::uint32_t>{.service = step, .period = 1000}>();
template <auto Timing, MissedPolicy Missed = missed::Skip>
[[nodiscard]] constexpr auto constant_timer() noexcept {
  using Tick = decltype(Timing.period);
  static_assert(Timing.period >= 1 && Timing.period <= longest_span<Tick>,
                "neuromorph: the period of a timer is 1 tick to half the range of the clock; see docs/scheduling.md");
  static_assert(
      Timing.deadline <= longest_span<Tick> && Timing.phase <= longest_span<Tick>,
      "neuromorph: a deadline or a phase is at most half the range of the clock away; see docs/scheduling.md");
  return ConstantTimer<Timing.service, Tick, Missed>(Timer<Tick, Missed>::from(Timing).value);
}

static_assert(WakingSource<Timer<>, std::uint32_t> && WakingSource<OneshotTimer<>, std::uint32_t>);

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
