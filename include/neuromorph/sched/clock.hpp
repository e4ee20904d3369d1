// SPDX-License-Identifier: BSL-1.0
/// \file
/// What tells the time: any object with `now()`, in 32- or 64-bit ticks, and the kind of its alarm, which may be none.
#ifndef NEUROMORPH_SCHED_CLOCK_HPP
#define NEUROMORPH_SCHED_CLOCK_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// `Tick now()`, which never goes back but may wrap.
template <class Source>
concept ClockSource = TickCount<typename Source::Tick> && requires(Source& clock) {
  { clock.now() } -> std::same_as<typename Source::Tick>;
};

namespace detail {
template <class Source>
concept SaysAlarmKind = requires {
  std::integral_constant<AlarmKind, Source::alarm_kind>{};
};
template <class Source, AlarmKind Kind>
inline constexpr bool is_of_kind = false;
template <SaysAlarmKind Source, AlarmKind Kind>
inline constexpr bool is_of_kind<Source, Kind> = Source::alarm_kind == Kind;
} // namespace detail

/// A clock by which somebody can sleep: `alarm(at)`, and `alarm_kind`, an AlarmKind, which says how.
template <class Source>
concept AlarmClock =
    ClockSource<Source> && detail::SaysAlarmKind<Source> && !detail::is_of_kind<Source, AlarmKind::none> &&
    requires(Source & clock, typename Source::Tick at) {
  clock.alarm(at);
};

/// A clock that stands still until somebody moves it. A turn of a scheduler or of an executive in which nothing is done
/// moves it. It goes to the first time at which there will be something, or by a tick where that is not known.
template <class Source>
concept VirtualTime = AlarmClock<Source> && detail::is_of_kind<Source, AlarmKind::moves_time>;

namespace detail {

template <class Source>
concept HasTick = TickCount<typename Source::Tick>;
/// The ticks of a clock; std::uint32_t where it has none, so that no more is said than that.
template <class Source>
struct TickOf {
  using Type = std::uint32_t;
};
template <HasTick Source>
struct TickOf<Source> {
  using Type = typename Source::Tick;
};

/// Says what a clock lacks.
template <class Source>
consteval bool is_complete_clock() {
  static_assert(HasTick<Source>, "neuromorph: the clock lacks 'using Tick', std::uint32_t or std::uint64_t; see "
                                 "docs/scheduling.md");
  static_assert(ClockSource<Source> || !HasTick<Source>,
                "neuromorph: the clock lacks 'Tick now()'; see docs/scheduling.md");
  using Tick = typename TickOf<Source>::Type;
  constexpr bool has_alarm = requires(Source & clock, Tick at) { clock.alarm(at); };
  constexpr bool has_none = is_of_kind<Source, AlarmKind::none>;
  static_assert(SaysAlarmKind<Source>,
                "neuromorph: the clock lacks 'static constexpr AlarmKind alarm_kind', 'AlarmKind::none' without an "
                "alarm; see docs/scheduling.md");
  static_assert(!SaysAlarmKind<Source> || has_none || has_alarm,
                "neuromorph: the clock says 'alarm_kind' and lacks 'void alarm(Tick at)'; see docs/scheduling.md");
  static_assert(!has_none || (!has_alarm && !requires { &Source::alarm; }),
                "neuromorph: the clock has 'alarm' and says 'AlarmKind::none'; see docs/scheduling.md");
  return true;
}

/// Until `at`, or until an interrupt comes by which the clock, or another, wakes the core.
/// \pre interrupts are locked, so that one which comes after the last look ends the wait at once
template <class Target, AlarmClock Source>
constexpr void wait_until(Source& clock, typename Source::Tick at) {
  clock.alarm(at);
  if constexpr (Source::alarm_kind == AlarmKind::wakes_core) Target::wait_for_interrupt();
}

} // namespace detail

/// The ticks of `Source` in units of 2^Shift, as 32 or 64 bits: a longer time until the wrap for a coarser resolution.
///
/// \tparam Source  with `std::uint64_t now()`, whose 64 bits do not wrap
/// \source P. Spilger, On parameterization and debugging of PPU programs, 2018, equation 3.1
template <class Source, TickCount Result, unsigned Shift>
requires ClockSource<Source> && std::same_as<typename Source::Tick, std::uint64_t>
class ShiftedClock {
  static_assert(detail::is_complete_clock<Source>());
  static_assert(Shift < 64, "neuromorph: a ShiftedClock shifts by 0 to 63 bits; see docs/scheduling.md");

public:
  using Tick = Result;
  static constexpr AlarmKind alarm_kind = Source::alarm_kind;
  constexpr explicit ShiftedClock(Source& source) noexcept : source_(&source) {}
  [[nodiscard]] constexpr Tick now() noexcept { return static_cast<Tick>(source_->now() >> Shift); }
  constexpr void alarm(Tick at) noexcept requires AlarmClock<Source> {
    const std::uint64_t fine = source_->now();
    const Tick ahead = static_cast<Tick>(at - static_cast<Tick>(fine >> Shift));
    if (ahead > longest_span<Tick>)
      source_->alarm(fine);
    else if (ahead > (longest_span<std::uint64_t> >> Shift)) // later than the source can tell
      source_->alarm(fine + longest_span<std::uint64_t>);
    else
      source_->alarm(((fine >> Shift) + ahead) << Shift);
  }

private:
  Source* source_;
};

/// 64 bits from a clock of 32, which is asked at least once until it wraps. For the loop alone, not for interrupts.
template <class Source>
requires ClockSource<Source> && std::same_as<typename Source::Tick, std::uint32_t>
class LongClock {
  static_assert(detail::is_complete_clock<Source>());

public:
  using Tick = std::uint64_t;
  static constexpr AlarmKind alarm_kind = Source::alarm_kind;
  constexpr explicit LongClock(Source& source) noexcept : source_(&source) {}
  [[nodiscard]] constexpr Tick now() noexcept {
    const std::uint32_t low = source_->now();
    now_ += static_cast<std::uint32_t>(low - static_cast<std::uint32_t>(now_));
    return now_;
  }
  /// Later than the source can tell: at the end of what it can.
  constexpr void alarm(Tick at) noexcept requires AlarmClock<Source> {
    const Tick time = now();
    Tick ahead = is_before(time, at) ? at - time : 0;
    if (ahead > longest_span<std::uint32_t>) ahead = longest_span<std::uint32_t>;
    source_->alarm(static_cast<std::uint32_t>(time + ahead));
  }

private:
  Source* source_;
  Tick now_ = 0;
};

/// Time that stands still until somebody moves it, or sleeps: for tests, and for simulations that run as fast as they
/// can.
template <TickCount Result = std::uint32_t>
class VirtualClock {
public:
  using Tick = Result;
  static constexpr AlarmKind alarm_kind = AlarmKind::moves_time;
  constexpr explicit VirtualClock(Tick start = 0) noexcept : now_(start) {}
  [[nodiscard]] constexpr Tick now() const noexcept { return now_; }
  constexpr void advance(Tick span) noexcept { now_ += span; }
  constexpr void alarm(Tick at) noexcept {
    if (is_before(now_, at)) now_ = at;
  }

private:
  Tick now_;
};

/// A 64-bit counter that a machine shows in two halves, each by a function, without tearing: the upper half is read
/// again until it did not change.
/// \cost 3 reads, and 2 more where a carry falls between them
template <class High, class Low>
[[nodiscard]] constexpr std::uint64_t read_halves(High high, Low low) {
  std::uint32_t before = high();
  for (;;) {
    const std::uint32_t lower = low();
    const std::uint32_t after = high();
    if (after == before) return std::uint64_t{after} << 32 | lower;
    before = after;
  }
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
