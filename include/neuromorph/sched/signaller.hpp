// SPDX-License-Identifier: BSL-1.0
/// \file
/// What starts and ends a scheduler: a word in memory that the outside writes, the time, or any callable.
#ifndef NEUROMORPH_SCHED_SIGNALLER_HPP
#define NEUROMORPH_SCHED_SIGNALLER_HPP

#include <concepts>
#include <cstdint>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// In the order in which they come.
enum class Signal : std::uint8_t {
  wait,   ///< not begun: no source is asked, nothing runs
  run,    ///< sources are asked, services run
  finish, ///< sources are not asked any more; what is queued runs, then the scheduler returns
  exit,   ///< the scheduler returns before the next service
};

namespace offer {
/// `Tick run_ended() const`, asked after a signaller has said run and then something else: when run was over, which may
/// be long before the executive looks.
struct RunEnded {
  int run_ended;
  template <class Part>
  static auto find() -> decltype(&Part::run_ended);
};
} // namespace offer

/// `Signal signal(Tick now)`, asked at every turn. What it has besides, it says in `Offers`: WakeAt, when its answer will
/// change next (without it, the scheduler looks again at every turn and does not sleep), RunEnded.
template <class Candidate, class Tick>
concept Signaller = requires(Candidate& candidate, Tick now) {
  { candidate.signal(now) } -> std::same_as<Signal>;
};

template <class Candidate, class Tick>
concept WakingSignaller = Signaller<Candidate, Tick> && detail::offers<Candidate, offer::WakeAt> &&
    requires(Candidate& candidate, Tick now, Tick& at) {
  { candidate.wake_at(now, at) } -> std::same_as<bool>;
};

namespace detail {

/// Whether the times of a signaller are of the width of `Tick`, as far as the compiler can tell.
template <class Candidate, class Tick>
[[nodiscard]] consteval bool is_signaller_of_ticks() {
  if constexpr (requires { sizeof(decltype(&Candidate::signal)); }) // not overloaded
    return is_of_ticks<Candidate, Tick>() && takes_ticks<decltype(&Candidate::signal), Tick>();
  else
    return is_of_ticks<Candidate, Tick>();
}

/// Says where a signaller offers something else than it has.
template <class Candidate, class Tick>
consteval bool offers_what_a_signaller_has() {
  if constexpr (Signaller<Candidate, Tick> &&
                is_signaller_of_ticks<Candidate, Tick>()) { // else another sentence says it
    static_assert(says_offers<Candidate>,
                  "neuromorph: the signaller lacks 'using Offers', an offer::List of what it has of 'WakeAt' and "
                  "'RunEnded'; see docs/scheduling.md");
    static_assert(is_said<Candidate, offer::WakeAt>(),
                  "neuromorph: the signaller has 'wake_at', and its 'Offers' lacks 'offer::WakeAt'; see "
                  "docs/scheduling.md");
    static_assert(is_said<Candidate, offer::RunEnded>(),
                  "neuromorph: the signaller has 'run_ended', and its 'Offers' lacks 'offer::RunEnded'; see "
                  "docs/scheduling.md");
    static_assert(!offers<Candidate, offer::WakeAt> || WakingSignaller<Candidate, Tick>,
                  "neuromorph: the signaller offers 'WakeAt' and lacks 'bool wake_at(Tick now, Tick& at)'; see "
                  "docs/scheduling.md");
    static_assert(
        !offers<Candidate, offer::RunEnded> ||
            requires(const Candidate& candidate) {
              { candidate.run_ended() } -> std::same_as<Tick>;
            },
        "neuromorph: the signaller offers 'RunEnded' and lacks 'Tick run_ended() const'; see docs/scheduling.md");
  }
  return true;
}

} // namespace detail

/// Signals that another processor writes into memory, as their numbers; others are taken for `exit`.
class MailboxSignaller {
public:
  using Offers = offer::List<offer::WakeAt>;
  /// \param interval  ticks after which a sleep ends to look again; 0: does not sleep. An interrupt ends it, too
  constexpr explicit MailboxSignaller(const volatile std::uint32_t& word, std::uint32_t interval = 0) noexcept
      : word_(&word), interval_(interval) {}
  template <TickCount Tick>
  [[nodiscard]] Signal signal(Tick) const noexcept {
    const std::uint32_t word = *word_;
    return word < static_cast<std::uint32_t>(Signal::exit) ? static_cast<Signal>(word) : Signal::exit;
  }
  template <TickCount Tick>
  [[nodiscard]] constexpr bool wake_at(Tick now, Tick& at) const noexcept {
    at = static_cast<Tick>(now + (interval_ > longest_span<std::uint32_t> ? longest_span<std::uint32_t> : interval_));
    return true;
  }

private:
  const volatile std::uint32_t* word_;
  std::uint32_t interval_;
};

/// Signals at three points in time. What has come stays, however often the clock wraps.
template <class TickType = std::uint32_t>
class TimerSignaller {
  static_assert(TickCount<TickType>,
                "neuromorph: a timer counts ticks as std::uint32_t or std::uint64_t; see docs/scheduling.md");

public:
  using Tick = detail::RightTick<TickType>;
  using Offers = offer::List<offer::WakeAt, offer::RunEnded>;
  /// \errors parameter_out_of_range: they are not in order, or two are more than longest_span apart: finish, exit
  [[nodiscard]] static constexpr Result<TimerSignaller> from(Tick start, Tick finish, Tick exit) noexcept {
    const auto is_out_of_reach = [](Tick from, Tick to) { return static_cast<Tick>(to - from) > longest_span<Tick>; };
    if (is_out_of_reach(start, finish)) return Status{Error::parameter_out_of_range, 0, finish, "finish"};
    if (is_out_of_reach(finish, exit) || is_out_of_reach(start, exit))
      return Status{Error::parameter_out_of_range, 0, exit, "exit"};
    TimerSignaller made;
    made.next_ = start, made.finish_ = finish, made.exit_ = exit;
    made.state_ = Signal::wait;
    return made;
  }
  /// Says exit.
  constexpr TimerSignaller() noexcept = default;

  [[nodiscard]] constexpr Signal signal(Tick now) noexcept {
    if (!is_before<Tick>(now, next_)) [[unlikely]]
      advance(now);
    return state_;
  }
  [[nodiscard]] constexpr bool wake_at(Tick, Tick& at) const noexcept {
    at = next_;
    return state_ != Signal::exit;
  }

  /// The time of finish, at which run is over.
  [[nodiscard]] constexpr Tick run_ended() const noexcept { return finish_; }

private:
  [[gnu::noinline]] constexpr void advance(Tick now) noexcept {
    for (; state_ != Signal::exit && !is_before<Tick>(now, next_);
         state_ = static_cast<Signal>(static_cast<std::uint8_t>(state_) + 1))
      next_ = state_ == Signal::wait ? finish_ : exit_;
  }
  detail::StoredTick<Tick> next_;
  Tick finish_ = 0, exit_ = 0;
  Signal state_ = Signal::exit;
};

/// A callable `Signal(Tick now)`.
template <class Callable>
class CallableSignaller {
public:
  using Offers = offer::List<>;
  constexpr explicit CallableSignaller(Callable call) : call_(std::move(call)) {}
  template <TickCount Tick>
  [[nodiscard]] constexpr Signal signal(Tick now) {
    if constexpr (requires { sizeof(decltype(&Callable::operator())); }) // not overloaded
      static_assert(detail::takes_ticks<decltype(&Callable::operator()), Tick>(),
                    "neuromorph: the signaller takes ticks of another width than the clock's; see docs/scheduling.md");
    else
      static_assert(detail::takes_ticks<Callable, Tick>(),
                    "neuromorph: the signaller takes ticks of another width than the clock's; see docs/scheduling.md");
    return call_(now);
  }

private:
  Callable call_;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
