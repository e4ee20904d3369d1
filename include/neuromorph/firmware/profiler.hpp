// SPDX-License-Identifier: BSL-1.0
/// \file
/// Where the time goes: scopes with a tag, stamped by a clock, as raw records or summarised on the chip.
///
///     using Tags = firmware::ProfileTags<"neurons", "rows">;
///     constinit firmware::SummarisedProfiler profiler(Tags{}, Timer{}, mailbox.writer<"prof">());
///
///     { const auto scope = profiler.scope<"rows">(); ... } // or: since = profiler.enter(); ... profiler.exit<"rows">(since)
///
/// StreamedProfiler and NoProfiler have the same functions. See docs/profiling.md.
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_PROFILER_HPP
#define NEUROMORPH_FIRMWARE_PROFILER_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/channel.hpp>
#include <neuromorph/sched/clock.hpp>
#include <neuromorph/sched/executive_tasks.hpp>
#include <neuromorph/sched/service.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// The name of a tag, 1 to 60 characters.
template <std::size_t Size>
struct ProfileName {
  static constexpr std::size_t characters = Size - 1;
  static_assert(Size >= 2 && characters <= 60,
                "neuromorph: the name of a profiler's tag has 1 to 60 characters; see docs/profiling.md");
  char text[Size];
  consteval ProfileName(const char (&given)[Size]) noexcept : text{} {
    for (std::size_t at = 0; at < Size; ++at) text[at] = given[at];
  }
  template <std::size_t OtherSize>
  [[nodiscard]] consteval bool is(const ProfileName<OtherSize>& other) const noexcept {
    if (Size != OtherSize) return false;
    for (std::size_t at = 0; at < Size; ++at)
      if (text[at] != other.text[at]) return false;
    return true;
  }
};

namespace detail {

/// A name as a record: characters, four to a word, the first in the lowest byte, zeros behind.
template <ProfileName Name>
[[nodiscard]] consteval auto name_record(std::uint32_t kind, std::uint32_t token) noexcept {
  constexpr std::size_t words = (Name.characters + 3) / 4;
  std::array<std::uint32_t, words + 1> made{head(kind, words, token)};
  for (std::size_t at = 0; at < Name.characters; ++at)
    made[1 + at / 4] |= static_cast<std::uint32_t>(static_cast<unsigned char>(Name.text[at])) << 8 * (at % 4);
  return made;
}

} // namespace detail

/// What records of a profiler are. Their times are ticks of the clock, modulo 2^32.
enum class ProfileKind : std::uint8_t {
  scope = 1, ///< token: tag; when it was entered, when it was left. A scope is written when it is left
  step,      ///< number of the step; when it began
  name,      ///< token: tag; its characters, four to a word, filled up with zeros
  costs,     ///< token: number of tags; ticks that an empty scope has, ticks that it takes
  summary,   ///< token: tag; the words of a ProfileSummary. One of each tag since the last, in their order
  counter,   ///< token: tag; when, value
};

/// The tags of a profiler, numbered as they stand here.
template <ProfileName... Names>
struct ProfileTags {
  static constexpr std::uint32_t count = sizeof...(Names);
  static_assert(count >= 1 && count <= 0xFFFE, "neuromorph: a profiler has 1 to 65534 tags; see docs/profiling.md");

  template <ProfileName Name>
  [[nodiscard]] static consteval std::uint32_t number() noexcept {
    static_assert((std::uint32_t{0} + ... + (Names.is(Name) ? 1 : 0)) == 1,
                  "neuromorph: the profiler has no tag of this name, or has it twice; see docs/profiling.md");
    std::uint32_t at = 0;
    static_cast<void>(((Names.is(Name) ? false : (++at, true)) && ...));
    return at;
  }
  /// The names as records; false if one found no room.
  template <class Writer>
  static bool announce(Writer& writer) noexcept {
    bool has_room = true;
    ((has_room &= writer.write(std::span<const std::uint32_t>(record<Names>))), ...);
    return has_room;
  }

private:
  template <ProfileName Name>
  static constexpr auto record = detail::name_record<Name>(static_cast<std::uint32_t>(ProfileKind::name),
                                                           number<Name>());
};

/// Of all scopes of a tag, in ticks. Nothing overflows before `count` wraps, after 2^32 scopes.
struct ProfileSummary {
  std::uint32_t count = 0;
  std::uint32_t sum_low = 0, sum_high = 0;
  std::uint32_t squares_low = 0, squares_middle = 0, squares_high = 0; ///< 96 bits
  std::uint32_t shortest = 0xFFFF'FFFF;                                ///< 2^32 - 1 if there are none
  std::uint32_t longest = 0;
  std::uint32_t last_step = 0; ///< in which the newest was left

  /// \param ticks  any
  /// \cost  one multiplication, no division; high words are touched when low ones wrap
  [[gnu::always_inline]] constexpr void note(std::uint32_t ticks, std::uint32_t step) noexcept {
    ++count;
    if (__builtin_add_overflow(sum_low, ticks, &sum_low)) [[unlikely]]
      carry(sum_high);
    const std::uint64_t square = std::uint64_t{ticks} * ticks;
    auto high = static_cast<std::uint32_t>(square >> 32); // at most 2^32 - 2
    if (__builtin_add_overflow(squares_low, static_cast<std::uint32_t>(square), &squares_low)) ++high;
    if (__builtin_add_overflow(squares_middle, high, &squares_middle)) [[unlikely]]
      carry(squares_high);
    if (ticks < shortest) shortest = ticks;
    if (ticks > longest) longest = ticks;
    last_step = step;
  }
  friend constexpr bool operator==(const ProfileSummary&, const ProfileSummary&) noexcept = default;

private:
  /// Out of the way: without the fence the compiler executes it conditionally, which takes as long each time.
  static constexpr void carry(std::uint32_t& word) noexcept {
    if (!std::is_constant_evaluated()) __atomic_signal_fence(__ATOMIC_SEQ_CST);
    ++word;
  }
};

/// What all profilers have, and in addition to that by the names of their tags: `exit<Name>(since)`, `scope<Name>()`,
/// `counter<Name>(value)`, `tag<Name>`.
template <class Candidate>
concept Profiler = requires(Candidate& profiler, typename Candidate::Since since, std::uint32_t number) {
  requires std::same_as<decltype(Candidate::is_on), const bool>;
  { profiler.enter() } -> std::same_as<typename Candidate::Since>;
  profiler.exit(number, since);
  { profiler.step(number) } -> std::same_as<bool>;
  { profiler.announce() } -> std::same_as<bool>;
  { profiler.report() } -> std::same_as<bool>;
};

namespace detail {

/// What a region costs to measure: see `announce`.
struct ProfileCosts {
  std::uint32_t inside = 0xFFFF'FFFF, whole = 0xFFFF'FFFF;
};
constexpr int profile_trials = 8;

/// Nothing that touches memory moves over it.
[[gnu::always_inline]] inline void profile_fence() noexcept { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

/// What all profilers that measure have in common.
template <class Tags, class Clock, class Writer>
class ProfilerParts {
  static_assert(neuromorph::detail::is_complete_clock<Clock>());
  static_assert(std::same_as<typename neuromorph::detail::TickOf<Clock>::Type, std::uint32_t>,
                "neuromorph: a profiler's clock has 32-bit ticks; see docs/profiling.md");

public:
  constexpr ProfilerParts(Clock clock, Writer writer) noexcept : writer_(writer), clock_(clock) {}

protected:
  [[nodiscard, gnu::always_inline]] inline std::uint32_t now() const noexcept {
    profile_fence();
    Clock clock = clock_;
    const std::uint32_t time = clock.now();
    profile_fence();
    return time;
  }
  template <class... Words>
  [[gnu::always_inline]] inline bool write(ProfileKind kind, std::uint32_t token, Words... words) const noexcept {
    Writer writer = writer_;
    return writer.write(static_cast<std::uint32_t>(kind), token, words...);
  }
  /// Of scopes that `scope()` enters and leaves; the least, as interrupts only add.
  template <class Scope>
  [[nodiscard]] ProfileCosts costs(Scope scope) const noexcept {
    ProfileCosts least;
    for (int trial = 0; trial < profile_trials; ++trial) {
      const std::uint32_t began = now(), ended = now();
      if (ended - began < least.inside) least.inside = ended - began;
    }
    for (int trial = 0; trial < profile_trials; ++trial) {
      const std::uint32_t began = now();
      scope();
      const std::uint32_t ended = now(), whole = ended - began - least.inside;
      if (whole < least.whole) least.whole = whole;
    }
    return least;
  }
  bool announce(ProfileCosts costs) const noexcept {
    Writer writer = writer_;
    const bool has_room = write(ProfileKind::costs, Tags::count, costs.inside, costs.whole);
    return Tags::announce(writer) && has_room;
  }

private:
  Writer writer_;
  [[no_unique_address]] Clock clock_;
};

} // namespace detail

/// Leaves its tag when it ends.
template <Profiler Used>
class [[nodiscard]] ProfileScope {
public:
  [[gnu::always_inline]] inline ProfileScope(Used& used, std::uint32_t tag) noexcept
      : profiler_(&used), tag_(tag), since_(used.enter()) {}
  ProfileScope(const ProfileScope&) = delete;
  ProfileScope& operator=(const ProfileScope&) = delete;
  [[gnu::always_inline]] inline ~ProfileScope() { profiler_->exit(tag_, since_); }

private:
  Used* profiler_;
  std::uint32_t tag_;
  typename Used::Since since_;
};

/// Writes each scope as a record. It has no state but where it writes: a constant, where the mailbox is a variable.
///
/// One at a time uses it: an interrupt has one of its own, with a channel of its own.
/// \tparam Tags    ProfileTags
/// \tparam Clock   ClockSource of 32-bit ticks, which is copied: empty, or a small value that says where it is
/// \tparam Writer  ChannelWriter
template <class Tags, class Clock, class Writer>
class StreamedProfiler : detail::ProfilerParts<Tags, Clock, Writer> {
  using Parts = detail::ProfilerParts<Tags, Clock, Writer>;

public:
  using Since = std::uint32_t;
  static constexpr bool is_on = true;
  template <ProfileName Name>
  static constexpr std::uint32_t tag = Tags::template number<Name>();

  constexpr StreamedProfiler(Tags, Clock clock, Writer writer) noexcept : Parts(clock, writer) {}

  /// The time, which is kept for `exit`.
  [[nodiscard, gnu::always_inline]] inline Since enter() const noexcept { return this->now(); }
  /// Ends what began then. One that finds no room is missed, which its channel counts.
  template <ProfileName Name>
  [[gnu::always_inline]] inline void exit(Since since) const noexcept {
    exit(tag<Name>, since);
  }
  [[gnu::always_inline]] inline void exit(std::uint32_t number, Since since) const noexcept {
    const std::uint32_t ended = this->now();
    static_cast<void>(this->write(ProfileKind::scope, number, since, ended));
  }
  /// From here to the end of the block.
  template <ProfileName Name>
  [[nodiscard, gnu::always_inline]] inline auto scope() const noexcept {
    return ProfileScope<const StreamedProfiler>(*this, tag<Name>);
  }
  /// A step of the simulation begins: by these the host knows how many there were, and times beyond 2^32 ticks.
  bool step(std::uint32_t number) const noexcept { return this->write(ProfileKind::step, 0, number, this->now()); }
  /// The value of something from now on.
  template <ProfileName Name>
  bool counter(std::uint32_t value) const noexcept {
    return this->write(ProfileKind::counter, tag<Name>, this->now(), value);
  }
  /// Measures what a scope costs, and tells the host that and the names. A host that comes late waits for the next time.
  /// \return false if the channel had no room for all
  bool announce() const noexcept {
    return Parts::announce(this->costs([this]() __attribute__((always_inline)) {
      const auto since = enter();
      exit(Tags::count, since); // a tag that the host does not know
    }));
  }
  static constexpr bool report() noexcept { return true; }
};

/// Keeps a ProfileSummary of each tag, 36 bytes, and writes them when it is told to.
///
/// One at a time uses it: an interrupt has one of its own, with a channel of its own.
/// \tparam Tags, Clock, Writer  as for StreamedProfiler
template <class Tags, class Clock, class Writer>
class SummarisedProfiler : detail::ProfilerParts<Tags, Clock, Writer> {
  using Parts = detail::ProfilerParts<Tags, Clock, Writer>;

public:
  using Since = std::uint32_t;
  static constexpr bool is_on = true;
  template <ProfileName Name>
  static constexpr std::uint32_t tag = Tags::template number<Name>();

  constexpr SummarisedProfiler(Tags, Clock clock, Writer writer) noexcept : Parts(clock, writer) {}

  /// These as of StreamedProfiler; no scope is missed.
  [[nodiscard, gnu::always_inline]] inline Since enter() const noexcept { return this->now(); }
  template <ProfileName Name>
  [[gnu::always_inline]] inline void exit(Since since) noexcept {
    exit(tag<Name>, since);
  }
  [[gnu::always_inline]] inline void exit(std::uint32_t number, Since since) noexcept {
    const std::uint32_t ended = this->now();
    summaries_[number].note(ended - since, step_);
  }
  template <ProfileName Name>
  [[nodiscard, gnu::always_inline]] inline auto scope() noexcept {
    return ProfileScope<SummarisedProfiler>(*this, tag<Name>);
  }
  /// \param number  of the step; how many there were is that of the newest less that of the first
  bool step(std::uint32_t number) noexcept {
    if (!has_step_) first_step_ = number, has_step_ = true;
    step_ = number;
    return true;
  }
  /// Written at once.
  template <ProfileName Name>
  bool counter(std::uint32_t value) const noexcept {
    return this->write(ProfileKind::counter, tag<Name>, this->now(), value);
  }
  bool announce() noexcept {
    const auto costs = this->costs([this]() __attribute__((always_inline)) {
      const auto since = enter();
      exit(Tags::count, since);
    });
    return Parts::announce(costs);
  }
  /// All summaries since the beginning, between the first step and the newest: a host that misses one takes the next.
  /// \return false if the channel had no room for all
  bool report() const noexcept {
    const std::uint32_t time = this->now();
    bool has_room = this->write(ProfileKind::step, 1, first_step_, time);
    has_room &= this->write(ProfileKind::step, 0, step_, time);
    for (std::uint32_t number = 0; number < Tags::count; ++number) {
      const ProfileSummary& of = summaries_[number];
      has_room &= this->write(ProfileKind::summary, number, of.count, of.sum_low, of.sum_high, of.squares_low,
                              of.squares_middle, of.squares_high, of.shortest, of.longest, of.last_step);
    }
    return has_room;
  }
  /// \pre number < the number of tags
  [[nodiscard]] constexpr const ProfileSummary& summary(std::uint32_t number) const noexcept {
    return summaries_[number];
  }

private:
  std::uint32_t step_ = 0, first_step_ = 0;
  bool has_step_ = false;
  std::array<ProfileSummary, Tags::count + 1> summaries_{}; // the last is of no tag: what `announce` measures
};

/// In the place of either: no code, no memory.
template <class Tags>
class NoProfiler {
public:
  struct Since {};
  static constexpr bool is_on = false;
  template <ProfileName Name>
  static constexpr std::uint32_t tag = Tags::template number<Name>();

  template <class... Unused>
  constexpr explicit NoProfiler(Tags, const Unused&...) noexcept {}
  [[nodiscard, gnu::always_inline]] static constexpr Since enter() noexcept { return {}; }
  template <ProfileName Name>
  [[gnu::always_inline]] static constexpr void exit(Since) noexcept {
    static_cast<void>(tag<Name>);
  }
  [[gnu::always_inline]] static constexpr void exit(std::uint32_t, Since) noexcept {}
  template <ProfileName Name>
  [[nodiscard, gnu::always_inline]] inline auto scope() const noexcept {
    return ProfileScope<const NoProfiler>(*this, tag<Name>);
  }
  [[gnu::always_inline]] static constexpr bool step(std::uint32_t) noexcept { return true; }
  template <ProfileName Name>
  [[gnu::always_inline]] static constexpr bool counter(std::uint32_t) noexcept {
    static_cast<void>(tag<Name>);
    return true;
  }
  [[gnu::always_inline]] static constexpr bool announce() noexcept { return true; }
  [[gnu::always_inline]] static constexpr bool report() noexcept { return true; }
};

namespace detail {

/// A callable that is a scope. What answers false has found nothing to do: that is none.
template <Profiler Used, std::uint32_t Tag, class Callable>
struct ProfiledCall {
  Used* profiler;
  [[no_unique_address]] Callable call;
  template <class... Arguments>
  requires std::invocable<Callable&, Arguments...>
  constexpr decltype(auto) operator()(Arguments&&... arguments) {
    using Answer = std::invoke_result_t<Callable&, Arguments...>;
    const auto since = profiler->enter();
    if constexpr (std::same_as<Answer, bool>) {
      const bool had_something = call(std::forward<Arguments>(arguments)...);
      if (had_something) profiler->exit(Tag, since);
      return had_something;
    } else {
      call(std::forward<Arguments>(arguments)...);
      profiler->exit(Tag, since);
    }
  }
};

} // namespace detail

/// A service of a scheduler that is a scope each time it runs. With NoProfiler it is what was given.
///
///     Services services(profiled<"neurons">(profiler, service<tick_neurons>([&] { core.step(); })));
template <ProfileName Name, Profiler Used, ServiceId Id, class Callable>
[[nodiscard]] constexpr auto profiled(Used& used, Service<Id, Callable> given) {
  if constexpr (Used::is_on)
    return Service<Id, detail::ProfiledCall<Used, Used::template tag<Name>, Callable>>{{&used, std::move(given.call)}};
  else
    return static_cast<void>(Used::template tag<Name>), given;
}
/// A task of an executive, which is a scope each time it had something to do.
///
///     ExecutiveTasks tasks(core, profiled<"neurons">(profiler, task<neurons, &Core::update>()), ...);
template <ProfileName Name, Profiler Used, auto TaskName, class Callable>
[[nodiscard]] constexpr auto profiled(Used& used, NamedTask<TaskName, Callable> given) {
  if constexpr (Used::is_on)
    return NamedTask<TaskName, detail::ProfiledCall<Used, Used::template tag<Name>, Callable>>{
        {&used, std::move(given.call)}};
  else
    return static_cast<void>(Used::template tag<Name>), given;
}

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
