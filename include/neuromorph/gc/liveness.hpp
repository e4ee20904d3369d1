// SPDX-License-Identifier: BSL-1.0
/// \file
/// When a recorded event is dead, that is, of no use to any synapse any more: by age, by reads, or by both.
///
/// Age is not use: a pre-synaptic neuron that was silent for longer than the window loses what happened before it,
/// under AgeWindow alone. ReadCount keeps an event until every synapse has seen it, but no longer than `longest_life`.
/// docs/traces.md says which to take when.
#ifndef NEUROMORPH_GC_LIVENESS_HPP
#define NEUROMORPH_GC_LIVENESS_HPP

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace offer {
/// `static constexpr std::uint32_t window`: what is more than that many ticks old is dead; without a State, nothing else
/// is.
struct Window {
  int window;
  template <class Part>
  static auto find() -> decltype(&Part::window);
};
/// `static bool is_read(State)`: whether all have come whose reads it waits for. Who dies before that is counted.
struct IsRead {
  int is_read;
  template <class Part>
  static auto find() -> decltype(&Part::is_read);
};
/// `static constexpr std::uint32_t most_readers`, `static void expect(State&, std::uint32_t readers)`: how many reads an event
/// waits for that has just been recorded, and `static void add_reader(State&)`: for one more, unless it is dead.
struct Readers {
  int expect;
  template <class Part>
  static auto find() -> decltype(&Part::expect);
};
} // namespace offer

namespace gc {

/// Ticks after which an event is dead, whatever the policy says: much older ones look young, as times have 32 bits.
inline constexpr std::uint32_t longest_life = 1U << 29;

/// A policy has a `State` per event (empty if it needs none) that each read changes, and says who is dead.
/// Who is dead stays dead: reads only add up, the clock only moves on. `in_time_order` is true where no event dies
/// before one that is older, whichever neurons they belong to. What it promises besides, it says in `Offers`: Window,
/// IsRead, Readers.
template <class Policy>
concept LivenessPolicy = std::is_trivially_copyable_v<typename Policy::State> &&
    requires(typename Policy::State& state, std::uint32_t time, std::uint32_t now) {
  { Policy::in_time_order } -> std::convertible_to<bool>;
  Policy::read(state);
  { Policy::is_dead(state, time, now) } -> std::same_as<bool>;
};
template <class Policy>
concept HasWindow = neuromorph::detail::offers<Policy, offer::Window> && requires {
  { Policy::window } -> std::convertible_to<std::uint32_t>;
};
template <class Policy>
concept WaitsForReads = neuromorph::detail::offers<Policy, offer::IsRead> && requires(typename Policy::State state) {
  { Policy::is_read(state) } -> std::same_as<bool>;
};
/// How many reads its events wait for is said by neuron.
template <class Policy>
concept CountsReaders = neuromorph::detail::offers<Policy, offer::Readers> &&
    requires(typename Policy::State& state, std::uint32_t readers) {
  { Policy::most_readers } -> std::convertible_to<std::uint32_t>;
  Policy::expect(state, readers);
  Policy::add_reader(state);
};

namespace liveness {
/// Says where a policy offers something else than it has.
template <class Policy>
consteval bool offers_what_it_has() {
  using neuromorph::detail::is_said;
  using neuromorph::detail::offers;
  static_assert(neuromorph::detail::says_offers<Policy>,
                "neuromorph: Liveness lacks 'using Offers', an offer::List of what it has of 'Window', 'IsRead' and "
                "'Readers'; see docs/traces.md");
  static_assert(is_said<Policy, offer::Window>(),
                "neuromorph: Liveness has 'window', and its 'Offers' lacks 'offer::Window'; see docs/traces.md");
  static_assert(is_said<Policy, offer::IsRead>(),
                "neuromorph: Liveness has 'is_read', and its 'Offers' lacks 'offer::IsRead'; see docs/traces.md");
  static_assert(is_said<Policy, offer::Readers>(),
                "neuromorph: Liveness has 'expect', and its 'Offers' lacks 'offer::Readers'; see docs/traces.md");
  static_assert(
      !offers<Policy, offer::Readers> || CountsReaders<Policy>,
      "neuromorph: Liveness offers 'Readers' and lacks 'static constexpr std::uint32_t most_readers', 'static void "
      "expect(State&, std::uint32_t readers)' or 'static void add_reader(State&)'; see docs/traces.md");
  static_assert(!offers<Policy, offer::Window> || HasWindow<Policy>,
                "neuromorph: Liveness offers 'Window' and lacks 'static constexpr std::uint32_t window'; see "
                "docs/traces.md");
  static_assert(!offers<Policy, offer::IsRead> || WaitsForReads<Policy>,
                "neuromorph: Liveness offers 'IsRead' and lacks 'static bool is_read(State)'; see docs/traces.md");
  return true;
}
} // namespace liveness

struct NoState {
  friend constexpr bool operator==(const NoState&, const NoState&) noexcept = default;
};

/// Dead when more than `Ticks` old.
/// \source M. Mikaitis, Application-specific real-time garbage collection, 2016, III-C2 (500 ms)
template <std::uint32_t Ticks = 500>
struct AgeWindow {
  static_assert(Ticks <= longest_life, "neuromorph: an AgeWindow has at most 2^29 ticks; see docs/traces.md");
  using Offers = offer::List<offer::Window>;
  using State = NoState;
  static constexpr bool in_time_order = true;
  static constexpr std::uint32_t window = Ticks;
  static constexpr void read(State&) noexcept {}
  [[nodiscard]] static constexpr bool is_dead(State, std::uint32_t time, std::uint32_t now) noexcept {
    return is_before(time + Ticks, now);
  }
};

/// Dead when it was read `Reads` times: as often as the neuron has plastic synapses, each of which reads windows that
/// follow on each other and so sees each event once. Such an event does not die while a synapse is silent, for up to
/// `longest_life` ticks.
template <std::uint16_t Reads>
struct ReadCount {
  static_assert(Reads > 0, "neuromorph: ReadCount counts at least one read; see docs/traces.md");
  using Offers = offer::List<offer::IsRead>;
  using State = std::conditional_t<(Reads < 256), std::uint8_t, std::uint16_t>;
  static constexpr bool in_time_order = false;
  static constexpr void read(State& state) noexcept {
    if (state < Reads) ++state;
  }
  [[nodiscard]] static constexpr bool is_read(State state) noexcept { return state >= Reads; }
  [[nodiscard]] static constexpr bool is_dead(State state, std::uint32_t, std::uint32_t) noexcept {
    return is_read(state);
  }
};

/// Dead when each reader of its neuron has read it, of which every neuron has its own number. Where synapses come and go,
/// TraceStore::add_reader and remove_reader change that; at first there are none, and no event is kept. What is recorded in a
/// window after a reader has read it is missed by that reader, and waits for it in vain: EitherDead bounds that.
/// \tparam Most  readers of a neuron, 1 to 65534; up to 254 cost a byte an event, more two. A neuron has two bytes.
template <std::uint16_t Most = 65534>
struct ReadCountPerNeuron {
  static_assert(Most > 0 && Most < 65535,
                "neuromorph: ReadCountPerNeuron counts 1 to 65534 readers; see docs/traces.md");
  using Offers = offer::List<offer::IsRead, offer::Readers>;
  class State {
    friend ReadCountPerNeuron;
    using Count = std::conditional_t<(Most < 255), std::uint8_t, std::uint16_t>;
    static constexpr Count not_known_yet = static_cast<Count>(~0U);
    Count left = not_known_yet; ///< reads
  };
  static constexpr bool in_time_order = false;
  static constexpr std::uint32_t most_readers = Most;
  static constexpr void expect(State& state, std::uint32_t readers) noexcept {
    if (state.left == State::not_known_yet) state.left = static_cast<typename State::Count>(readers);
  }
  static constexpr void add_reader(State& state) noexcept {
    if (state.left != 0 && state.left < Most) ++state.left;
  }
  static constexpr void read(State& state) noexcept {
    if (state.left != 0) --state.left;
  }
  [[nodiscard]] static constexpr bool is_read(State state) noexcept { return state.left == 0; }
  [[nodiscard]] static constexpr bool is_dead(State state, std::uint32_t, std::uint32_t) noexcept {
    return is_read(state);
  }
};

namespace liveness {
template <class Policy>
inline constexpr std::uint32_t window_of = ~0U; ///< of one that promises none
template <HasWindow Policy>
inline constexpr std::uint32_t window_of<Policy> = Policy::window;

template <std::uint32_t Ticks, bool is_promised>
struct Window {
  using WindowOffers = offer::List<offer::Window>;
  static constexpr std::uint32_t window = Ticks;
};
template <std::uint32_t Ticks>
struct Window<Ticks, false> {
  using WindowOffers = offer::List<>;
};

template <class Age, class Use>
struct States {
  [[no_unique_address]] typename Age::State age;
  [[no_unique_address]] typename Use::State use;
};
template <class Policy>
inline constexpr std::uint32_t most_readers_of = 0;
template <CountsReaders Policy>
inline constexpr std::uint32_t most_readers_of<Policy> = Policy::most_readers;
/// The shorter one, if either has one. But of two without a State, the one without a window may end an event earlier
/// than that, which nothing but a read may do.
template <class Age, class Use>
using Shorter =
    Window<(window_of<Age> < window_of<Use> ? window_of<Age> : window_of<Use>),
           std::is_empty_v<States<Age, Use>> ? HasWindow<Age> && HasWindow<Use> : HasWindow<Age> || HasWindow<Use>>;
/// The longer one, if both have one.
template <class Age, class Use>
using Longer =
    Window<(window_of<Age> > window_of<Use> ? window_of<Age> : window_of<Use>), HasWindow<Age> && HasWindow<Use>>;
} // namespace liveness

/// Dead when either policy says so: as soon as all have read it, but after the window at the latest. Where one of them
/// has a `window`, this has it, too, and the shorter one where both have.
template <LivenessPolicy Age, LivenessPolicy Use>
struct EitherDead : liveness::Shorter<Age, Use> {
  using Offers =
      offer::List<typename liveness::Shorter<Age, Use>::WindowOffers, // and what is asked of Use
                  offer::When<WaitsForReads<Use>, offer::IsRead>, offer::When<CountsReaders<Use>, offer::Readers>>;
  using State = liveness::States<Age, Use>;
  static constexpr std::uint32_t most_readers = liveness::most_readers_of<Use>;
  static constexpr void expect(State& state, std::uint32_t readers) noexcept requires CountsReaders<Use> {
    Use::expect(state.use, readers);
  }
  static constexpr void add_reader(State& state) noexcept requires CountsReaders<Use> { Use::add_reader(state.use); }
  static constexpr bool in_time_order = false; // one that has been read may be younger than one that has not
  static constexpr void read(State& state) noexcept { Age::read(state.age), Use::read(state.use); }
  [[nodiscard]] static constexpr bool is_read(State state) noexcept requires WaitsForReads<Use> {
    return Use::is_read(state.use);
  }
  [[nodiscard]] static constexpr bool is_dead(State state, std::uint32_t time, std::uint32_t now) noexcept {
    return Age::is_dead(state.age, time, now) || Use::is_dead(state.use, time, now);
  }
};

/// Dead when both say so: kept for the window in any case, and until all have read it. Has a `window` where both have,
/// the longer one.
template <LivenessPolicy Age, LivenessPolicy Use>
struct BothDead : liveness::Longer<Age, Use> {
  using Offers =
      offer::List<typename liveness::Longer<Age, Use>::WindowOffers, // and what is asked of Use
                  offer::When<WaitsForReads<Use>, offer::IsRead>, offer::When<CountsReaders<Use>, offer::Readers>>;
  using State = liveness::States<Age, Use>;
  static constexpr std::uint32_t most_readers = liveness::most_readers_of<Use>;
  static constexpr void expect(State& state, std::uint32_t readers) noexcept requires CountsReaders<Use> {
    Use::expect(state.use, readers);
  }
  static constexpr void add_reader(State& state) noexcept requires CountsReaders<Use> { Use::add_reader(state.use); }
  static constexpr bool in_time_order = Age::in_time_order && Use::in_time_order;
  static constexpr void read(State& state) noexcept { Age::read(state.age), Use::read(state.use); }
  [[nodiscard]] static constexpr bool is_read(State state) noexcept requires WaitsForReads<Use> {
    return Use::is_read(state.use);
  }
  [[nodiscard]] static constexpr bool is_dead(State state, std::uint32_t time, std::uint32_t now) noexcept {
    return Age::is_dead(state.age, time, now) && Use::is_dead(state.use, time, now);
  }
};

} // namespace gc
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
