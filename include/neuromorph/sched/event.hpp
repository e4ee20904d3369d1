// SPDX-License-Identifier: BSL-1.0
/// \file
/// An event: a service that is to have finished by a deadline; and who makes events.
#ifndef NEUROMORPH_SCHED_EVENT_HPP
#define NEUROMORPH_SCHED_EVENT_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

using ServiceId = std::uint8_t;

template <TickCount TickType>
struct Event {
  using Tick = TickType;
  Tick deadline = 0; ///< by which the service has finished
  ServiceId service = 0;
  friend constexpr bool operator==(const Event&, const Event&) noexcept = default;
};

namespace offer {
/// `bool is_due(Tick now)`: says quickly that there is nothing to ask for.
struct IsDue {
  int is_due;
  template <class Part>
  static auto find() -> decltype(&Part::is_due);
};
/// `static constexpr ServiceId service`: of all its events, for a check at compile time.
struct EventService {
  int service;
  template <class Part>
  static auto find() -> decltype(&Part::service);
};
} // namespace offer

/// `bool next_event(Event<Tick>& event, Tick now)`: whether it has an event, which it then puts into `event`. It is
/// asked again until it has none, or its places in the queue are taken. The deadline counts from the release, not from
/// `now`, or what is late is not seen to be.
///
/// What it has besides, it says in `Offers`: WakeAt, the next time at which to ask it (without it, the scheduler does not
/// sleep for long), IsDue, EventService.
template <class Source, class Tick>
concept EventSource = requires(Source& source, Event<Tick>& event, Tick now) {
  { source.next_event(event, now) } -> std::same_as<bool>;
};

/// When such a source knows the time at which it will next have an event.
template <class Source, class Tick>
concept WakingSource = EventSource<Source, Tick> && detail::offers<Source, offer::WakeAt> &&
    requires(Source& source, Tick now, Tick& at) {
  { source.wake_at(now, at) } -> std::same_as<bool>;
};

namespace detail {

/// Whether the times of a source are of the width of `Tick`, as far as the compiler can tell.
template <class Source, class Tick>
[[nodiscard]] consteval bool is_source_of_ticks() {
  if constexpr (requires { sizeof(decltype(&Source::next_event)); }) // not overloaded
    return is_of_ticks<Source, Tick>() && takes_ticks<decltype(&Source::next_event), Tick>();
  else
    return is_of_ticks<Source, Tick>();
}

/// Says where a source offers something else than it has.
template <class Source, class Tick>
consteval bool offers_what_a_source_has() {
  if constexpr (EventSource<Source, Tick> && is_source_of_ticks<Source, Tick>()) { // else another sentence says it
    static_assert(says_offers<Source>,
                  "neuromorph: a source lacks 'using Offers', an offer::List of what it has of 'WakeAt', 'IsDue' and "
                  "'EventService'; see docs/scheduling.md");
    static_assert(is_said<Source, offer::WakeAt>(),
                  "neuromorph: a source has 'wake_at', and its 'Offers' lacks 'offer::WakeAt'; see docs/scheduling.md");
    static_assert(is_said<Source, offer::IsDue>(),
                  "neuromorph: a source has 'is_due', and its 'Offers' lacks 'offer::IsDue'; see docs/scheduling.md");
    static_assert(is_said<Source, offer::EventService>(), "neuromorph: a source has 'service', and its 'Offers' lacks "
                                                          "'offer::EventService'; see docs/scheduling.md");
    static_assert(!offers<Source, offer::WakeAt> || WakingSource<Source, Tick>,
                  "neuromorph: a source offers 'WakeAt' and lacks 'bool wake_at(Tick now, Tick& at)'; see "
                  "docs/scheduling.md");
    static_assert(
        !offers<Source, offer::IsDue> || requires(Source & source, Tick now) { bool{source.is_due(now)}; },
        "neuromorph: a source offers 'IsDue' and lacks 'bool is_due(Tick now)'; see docs/scheduling.md");
    static_assert(
        !offers<Source, offer::EventService> || requires { std::integral_constant<ServiceId, Source::service>{}; },
        "neuromorph: a source offers 'EventService' and lacks 'static constexpr ServiceId service'; see "
        "docs/scheduling.md");
  }
  return true;
}

} // namespace detail

/// A source whose service the compiler knows: a scheduler without that service refuses it in a sentence.
///
///     ForService<learn, InterruptMailbox<VirtualClock<>>> mailbox(clock, deadline);
template <ServiceId Id, class Source>
class ForService : public Source {
public:
  using Offers = offer::List<typename Source::Offers, offer::EventService>;
  static constexpr ServiceId service = Id;
  /// With the arguments of the source that follow its service.
  template <class... Arguments>
  requires std::constructible_from<Source, ServiceId, Arguments...>
  constexpr explicit ForService(Arguments&&... arguments) noexcept
      : Source(Id, std::forward<Arguments>(arguments)...) {}
  /// Refused in words: a source that has a service already.
  template <class Finished>
  requires std::same_as<Finished, Source> || std::same_as<Finished, Result<Source>>
  constexpr explicit ForService(const Finished&) noexcept {
    static_assert(detail::never<Finished>,
                  "neuromorph: ForService takes the arguments of its source that follow the service, not a finished "
                  "source; a timer is made by constant_timer; see docs/scheduling.md");
  }
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
