// SPDX-License-Identifier: BSL-1.0
/// \file
/// Releases of a service: periodically, or once.
///
/// Nothing is lost in silence: `missed()` counts the periods that passed without an event, those at the end included.
/// The policy says what a late poll does.
#ifndef NEUROMORPH_SCHED_TIMER_HPP
#define NEUROMORPH_SCHED_TIMER_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/event.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What a timer does that is asked a period or more too late.
enum class Missed : std::uint8_t {
  /// Makes an event for every period, one after the other, each with its own deadline. What is late by more than a
  /// quarter of longest_span is left to `skip`, lest it wrap.
  catch_up,
  /// Makes the event of the period that runs; counts those before it.
  skip,
  /// Makes an event as if released now, from which new periods begin; counts those that are over.
  re_phase,
};

namespace detail {
/// Says what a timer counts.
template <class Tick>
consteval bool is_tick_of_timer() {
  static_assert(TickCount<Tick>,
                "neuromorph: a timer counts ticks as std::uint32_t or std::uint64_t; see docs/scheduling.md");
  return true;
}
} // namespace detail

template <class Tick>
struct TimerTiming {
  static_assert(detail::is_tick_of_timer<Tick>());
  ServiceId service = 0;
  Tick start = 0;          ///< of the first period, less the phase
  Tick period = 0;         ///< 1 to longest_span
  Tick deadline = 0;       ///< after the release; 0: the end of the period
  std::uint32_t count = 0; ///< of periods; 0: endless
  Tick phase = 0;          ///< of all periods, after `start`; up to longest_span
};

/// \cost   while nothing is due, a load, a subtraction and a branch (64 bits: two, two and one); a late poll by k
///         periods: O(log k), no division
/// \source P. Spilger, On parameterization and debugging of PPU programs, 2018, 3.3.1 (there, the deadline is that of
///         the start, and periods that are missed at the end are not counted)
template <class TickType = std::uint32_t, Missed Policy = Missed::catch_up>
class Timer {
  static_assert(detail::is_tick_of_timer<TickType>());

public:
  using Tick = detail::RightTick<TickType>;

  /// A stopped timer.
  constexpr Timer() noexcept = default;

  using Offers = offer::List<offer::WakeAt, offer::IsDue>;

  /// \errors parameter_out_of_range: period, deadline, phase
  [[nodiscard]] static constexpr Result<Timer> from(const TimerTiming<Tick>& timing) noexcept {
    const Tick deadline = timing.deadline == 0 ? timing.period : timing.deadline;
    if (timing.period == 0 || timing.period > longest_span<Tick>)
      return Status{Error::parameter_out_of_range, 0, timing.period, "period"};
    if (deadline > longest_span<Tick>) return Status{Error::parameter_out_of_range, 0, deadline, "deadline"};
    if (timing.phase > longest_span<Tick>) return Status{Error::parameter_out_of_range, 0, timing.phase, "phase"};
    Timer timer;
    timer.next_ = timing.start + timing.phase;
    timer.period_ = timing.period;
    timer.deadline_ = deadline;
    if (timing.count == 0 && detail::high_word(timing.period) == 0 && detail::high_word(deadline) == 0)
      timer.plain_ = static_cast<std::uint32_t>(timing.period);
    timer.left_ = timing.count;
    timer.service_ = timing.service;
    return timer;
  }

  [[nodiscard]] constexpr bool next_event(Event<Tick>& event, Tick now) noexcept {
    const Tick at = next_;
    const Tick late = now - at;
    if (late > ~Tick{0} >> 1) [[likely]] // before it
      return false;
    if (detail::high_word(late) != 0 || static_cast<std::uint32_t>(late) >= plain_) [[unlikely]]
      return release_counted(event, late);
    next_ = at + plain_;
    event.deadline = at + static_cast<std::uint32_t>(deadline_);
    event.service = service_;
    return true;
  }
  /// Whether next_event has more to do than to say no.
  [[nodiscard]] constexpr bool is_due(Tick now) const noexcept { return !is_before<Tick>(now, next_); }

  [[nodiscard]] constexpr bool wake_at(Tick, Tick& at) const noexcept {
    at = next_;
    return !is_stopped();
  }

  /// Periods that passed without an event.
  [[nodiscard]] constexpr std::uint32_t missed() const noexcept { return missed_; }
  [[nodiscard]] constexpr bool is_stopped() const noexcept { return period_ == 0; }
  constexpr void stop() noexcept { period_ = plain_ = 0; }

private:
  /// What is not plain: a count, a late poll, long spans, or nothing as the timer is stopped.
  [[nodiscard, gnu::noinline]] constexpr bool release_counted(Event<Tick>& event, Tick late) noexcept {
    Tick at = next_;
    if (is_stopped()) {
      next_ = at + late + longest_span<Tick>; // not to be looked at again for long
      return false;
    }
    if ((Policy != Missed::catch_up || late > longest_span<Tick> / 4) && late >= period_) {
      const Tick rest = detail::high_word(late) == 0 ? pass(static_cast<std::uint32_t>(late)) : pass(late);
      if (is_stopped()) return false;
      at += Policy == Missed::re_phase ? late : late - rest;
    }
    next_ = at + period_;
    event.deadline = static_cast<Tick>(at + deadline_);
    event.service = service_;
    if (left_ != 0 && --left_ == 0) stop();
    return true;
  }

  /// Counts the periods that are over, stops if none is left, and returns how much of `late` is not over.
  template <TickCount Word>
  [[nodiscard]] constexpr Word pass(Word late) noexcept {
    const Word most = left_ == 0 ? ~Word{0} : left_;
    auto span = static_cast<Word>(period_); // not longer than `late`
    Word over = 0, step = 1;
    while (span <= late / 2) span *= 2, step *= 2;
    for (; step != 0; span /= 2, step /= 2)
      if (span <= late && step <= most - over) {
        late -= span;
        over += step;
      }
    missed_ += static_cast<std::uint32_t>(over);
    if (left_ != 0 && (left_ -= static_cast<std::uint32_t>(over)) == 0) stop();
    return late;
  }

  detail::StoredTick<Tick> next_;
  std::uint32_t plain_ = 0; // the period; 0 where releases are counted, or a span has more than 32 bits
  std::uint32_t left_ = 0;  // 0: endless
  Tick deadline_ = 0;
  Tick period_ = 0; // 0: stopped
  std::uint32_t missed_ = 0;
  ServiceId service_ = 0;
};

/// One event, at the first poll at or after `earliest`, whether or not its deadline is still ahead then.
/// \source as Timer, 3.3.2 (there, an event whose window is longer than its deadline never came)
template <class TickType = std::uint32_t>
class OneshotTimer {
  static_assert(detail::is_tick_of_timer<TickType>());

public:
  using Tick = detail::RightTick<TickType>;
  using Offers = offer::List<offer::WakeAt, offer::IsDue>;

  /// Done already.
  constexpr OneshotTimer() noexcept = default;
  /// \errors parameter_out_of_range: the deadline is more than longest_span after `earliest`, or before it
  [[nodiscard]] static constexpr Result<OneshotTimer> from(ServiceId service, Tick earliest, Tick deadline) noexcept {
    if (static_cast<Tick>(deadline - earliest) > longest_span<Tick>)
      return Status{Error::parameter_out_of_range, 0, deadline, "deadline"};
    OneshotTimer timer;
    timer.earliest_ = earliest;
    timer.deadline_ = deadline;
    timer.service_ = service;
    timer.is_done_ = false;
    return timer;
  }

  [[nodiscard]] constexpr bool next_event(Event<Tick>& event, Tick now) noexcept {
    if (is_before<Tick>(now, earliest_)) [[likely]]
      return false;
    if (is_done_) {
      earliest_ = now + longest_span<Tick>; // not to be looked at again for long
      return false;
    }
    is_done_ = true;
    is_late_ = is_before(deadline_, now);
    event.deadline = deadline_;
    event.service = service_;
    return true;
  }
  /// Whether next_event has more to do than to say no.
  [[nodiscard]] constexpr bool is_due(Tick now) const noexcept { return !is_before<Tick>(now, earliest_); }
  [[nodiscard]] constexpr bool wake_at(Tick, Tick& at) const noexcept {
    at = earliest_;
    return !is_done_;
  }
  [[nodiscard]] constexpr bool is_done() const noexcept { return is_done_; }
  /// Whether the event came after its deadline.
  [[nodiscard]] constexpr bool is_late() const noexcept { return is_late_; }

private:
  detail::StoredTick<Tick> earliest_;
  Tick deadline_ = 0;
  ServiceId service_ = 0;
  bool is_done_ = true, is_late_ = false;
};

/// A timer of constants: a wrong one is an error of the compiler, and so is a scheduler without its service.
template <ServiceId Id, TickCount Tick, Missed Policy>
class ConstantTimer : public Timer<Tick, Policy> {
public:
  using Offers = offer::List<typename Timer<Tick, Policy>::Offers, offer::EventService>;
  static constexpr ServiceId service = Id;
  constexpr explicit ConstantTimer(const Timer<Tick, Policy>& timer) noexcept : Timer<Tick, Policy>(timer) {}
};

///     auto timer = constant_timer<TimerTiming<std::uint32_t>{.service = step, .period = 1000}>();
template <auto Timing, Missed Policy = Missed::catch_up>
[[nodiscard]] constexpr auto constant_timer() noexcept {
  using Tick = decltype(Timing.period);
  static_assert(Timing.period >= 1 && Timing.period <= longest_span<Tick>,
                "neuromorph: the period of a timer is 1 tick to half the range of the clock; see docs/scheduling.md");
  static_assert(
      Timing.deadline <= longest_span<Tick> && Timing.phase <= longest_span<Tick>,
      "neuromorph: a deadline or a phase is at most half the range of the clock away; see docs/scheduling.md");
  return ConstantTimer<Timing.service, Tick, Policy>(Timer<Tick, Policy>::from(Timing).value());
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
