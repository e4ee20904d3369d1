// SPDX-License-Identifier: BSL-1.0
/// \file
/// Points in time as counters that wrap: which of two is earlier, as long as they are less than half the range apart;
/// and how one is waited for.
#ifndef NEUROMORPH_TICK_HPP
#define NEUROMORPH_TICK_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What counts ticks: std::uint32_t or std::uint64_t.
template <class Tick>
concept TickCount = std::same_as<Tick, std::uint32_t> || std::same_as<Tick, std::uint64_t>;

namespace detail {
/// Ticks as they are asked for; std::uint32_t for what counts none, so that no more is said than that.
template <class Tick>
using RightTick = std::conditional_t<TickCount<Tick>, Tick, std::uint32_t>;
} // namespace detail

/// The half-range rule: in 32 bits, spans up to this long are compared right, across the wrap, too. 2^31 - 1 ticks of
/// 1 us are 35 minutes. 64 bits are compared as signed numbers: right for times and spans up to this, 2^62 - 1, before
/// or after 0. Ticks of 1 ns take 146 years to get there.
template <TickCount Tick>
inline constexpr Tick longest_span = static_cast<Tick>(~Tick{0} >> (sizeof(Tick) == 4 ? 1 : 2));

/// Whether `a` is before `b`.
/// \pre they are at most longest_span apart
template <TickCount Tick>
[[nodiscard]] constexpr bool is_before(Tick a, Tick b) noexcept {
  if constexpr (sizeof(Tick) == 4)
    return static_cast<std::int32_t>(a - b) < 0;
  else // two instructions of 32 bits, where the sign of the difference needs three
    return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
}

/// What `alarm(at)` of a clock does: it says `static constexpr AlarmKind alarm_kind = AlarmKind::wakes_core`, or another.
enum class AlarmKind : std::uint8_t {
  wakes_core, ///< lets an interrupt come at `at`, or at once if that is past, for which the core may wait
  sleeps,     ///< returns at `at`, or earlier: it has slept itself, and the core does not wait
  moves_time, ///< time stands still, and `alarm` moves it to `at`: the core would wait for ever, and does not
  none,       ///< there is no `alarm`
};

namespace offer {
/// `bool wake_at(Tick now, Tick& at)`: whether it knows when to ask it next.
struct WakeAt {
  int wake_at;
  template <class Part>
  static auto find() -> decltype(&Part::wake_at);
};
} // namespace offer

namespace detail {

/// The last argument of a function that is neither overloaded nor a template; void if there is none.
template <class Function>
struct LastArgument {
  using Type = void;
};
template <class Answer, class... Arguments, bool is_noexcept>
requires(sizeof...(Arguments) != 0) struct LastArgument<Answer (*)(Arguments...) noexcept(is_noexcept)> {
  using Type = std::remove_cvref_t<typename decltype((std::type_identity<Arguments>{}, ...))::type>;
};
template <class Answer, class Class, class... Arguments, bool is_noexcept>
struct LastArgument<Answer (Class::*)(Arguments...) noexcept(is_noexcept)>
    : LastArgument<Answer (*)(Arguments...) noexcept(is_noexcept)> {};
template <class Answer, class Class, class... Arguments, bool is_noexcept>
struct LastArgument<Answer (Class::*)(Arguments...) const noexcept(is_noexcept)>
    : LastArgument<Answer (*)(Arguments...) noexcept(is_noexcept)> {};

/// Whether a function whose last argument is a time takes one of the width of `Tick`. Else the compiler would convert
/// it, and all would be right until the narrower of the two wraps.
template <class Function, class Tick>
[[nodiscard]] consteval bool takes_ticks() {
  using Argument = typename LastArgument<Function>::Type;
  if constexpr (std::integral<Argument>)
    return sizeof(Argument) == sizeof(Tick);
  else
    return true;
}
/// Whether the ticks that a part says are not others than `Tick`.
template <class Part, class Tick>
[[nodiscard]] consteval bool is_of_ticks() {
  if constexpr (requires { typename Part::Tick; })
    return std::same_as<typename Part::Tick, Tick>;
  else
    return true;
}

/// 0 in 32 bits.
template <TickCount Tick>
[[nodiscard]] constexpr std::uint32_t high_word(Tick tick) noexcept {
  if constexpr (sizeof(Tick) == 8)
    return static_cast<std::uint32_t>(tick >> 32);
  else
    return 0;
}

/// A point in time in memory that is compared in every turn.
template <TickCount Tick, bool in_words = (sizeof(Tick) > sizeof(void*))>
class StoredTick {
public:
  constexpr StoredTick() noexcept = default;
  constexpr StoredTick& operator=(Tick tick) noexcept {
    tick_ = tick;
    return *this;
  }
  [[nodiscard]] constexpr operator Tick() const noexcept { return tick_; }

private:
  Tick tick_ = 0;
};
/// 64 bits where registers have 32. Words that are not side by side are loaded with one instruction each. Side by side,
/// the compiler takes their address first, as an instruction that loads both (LDRD of ARM) reaches no further than 255
/// bytes: twice the cycles of a turn.
template <TickCount Tick>
class StoredTick<Tick, true> {
public:
  constexpr StoredTick() noexcept = default;
  constexpr StoredTick& operator=(Tick tick) noexcept {
    low_ = static_cast<std::uint32_t>(tick);
    high_ = high_word(tick);
    return *this;
  }
  [[nodiscard]] constexpr operator Tick() const noexcept { return static_cast<Tick>(high_) << 32 | low_; }

private:
  std::uint32_t before_ = 0; // nor at the address of what holds it
  std::uint32_t low_ = 0;
  std::uint32_t between_ = 0;
  std::uint32_t high_ = 0;
};

} // namespace detail

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
