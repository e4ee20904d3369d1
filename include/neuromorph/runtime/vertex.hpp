// SPDX-License-Identifier: BSL-1.0
/// \file
/// The program of a core, written once: on a simulated core, an emulated one and a chip it meets the same functions of its core.
///
///     struct Sum {
///       using Regions = runtime::Regions<runtime::Region<Settings>>;
///       using Offers = offer::List<offer::Tick, offer::Packet>;
///       std::uint32_t heard = 0; // all state is in its Fields
///       using Fields = runtime::Fields<&Sum::heard>;
///       neuromorph::Status start(auto& core) { return core.template region<0>().status; }
///       void tick(auto& core, std::uint32_t) { core.send(7); }
///       void packet(auto&, std::uint32_t key) { heard += key; }
///     };
// not in the umbrella: for programs that others load
#ifndef NEUROMORPH_RUNTIME_VERTEX_HPP
#define NEUROMORPH_RUNTIME_VERTEX_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/runtime/region.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace offer {
/// `void tick(Core& core, std::uint32_t time)`: at each tick of the timer, the first of a run at time 0.
struct Tick {
  int tick;
  template <class Part>
  static auto find() -> decltype(&Part::tick);
};
/// `void packet(Core& core, std::uint32_t key)`: for each packet without a payload.
struct Packet {
  int packet;
  template <class Part>
  static auto find() -> decltype(&Part::packet);
};
/// `void payload(Core& core, std::uint32_t key, std::uint32_t payload)`: for each packet with one.
struct Payload {
  int payload;
  template <class Part>
  static auto find() -> decltype(&Part::payload);
};
/// `void control(Core& core, unsigned port, std::span<const std::uint8_t> message)`: for each message to ports 1 and 4 to 7;
/// 2 and 3 are those of recordings and runs.
struct Control {
  int control;
  template <class Part>
  static auto find() -> decltype(&Part::control);
};
/// `void pause(Core& core)`: after the last tick of a run, when all that is recorded must be whole.
struct Pause {
  int pause;
  template <class Part>
  static auto find() -> decltype(&Part::pause);
};
/// `static constexpr std::size_t counters`: of its own, that the host reads.
struct Counters {
  int counters;
  template <class Part>
  static auto find() -> decltype(&Part::counters);
};
} // namespace offer

namespace runtime {

/// What a core is to a vertex. Besides, `core.template region<n>()` is a view of the n-th of its `Regions`, and `core.template memory<n>()`
/// all of its words, which may be written. `Core::Engine` is a type of target::CopyEngine that copies between these and variables.
/// * `send`: a multicast packet, with a payload or without. Nothing waits.
/// * `record`: appends words to a channel. Whether there was room for all; if not, none is kept, and the core counts it.
/// * `count`: adds to one of the vertex's counters, which end at 2^32 - 1.
/// * `message`: to the host to which a tag belongs, at most `most_message_bytes`; whether it was taken.
/// * `log`: a line, without its end, for who looks after the machine.
/// * `fail`: ends the core with a run-time error of this code.
/// * `finish`: ends the run of this core before its next tick, as though it had come to its end. Not before a run, in `start`.
template <class Core>
concept CoreOfVertex = requires(Core& core, std::uint32_t word, std::span<const std::uint32_t> words,
                                unsigned small_number, std::span<const std::uint8_t> bytes, const char* line) {
  core.send(word);
  core.send(word, word);
  { core.record(small_number, words) } -> std::same_as<bool>;
  core.count(small_number, word);
  { core.message(small_number, bytes) } -> std::same_as<bool>;
  core.log(line);
  core.fail(word);
  core.finish();
};

namespace detail {

template <class Type>
inline constexpr bool is_regions = false;
template <class... Each>
inline constexpr bool is_regions<Regions<Each...>> = true;

template <class Vertex>
concept HasRegions = is_regions<typename Vertex::Regions>;

/// The n-th of a vertex's regions.
template <std::size_t index, class List>
struct RegionAt;
template <std::size_t index, class First, class... Rest>
struct RegionAt<index, Regions<First, Rest...>> : RegionAt<index - 1, Regions<Rest...>> {};
template <class First, class... Rest>
struct RegionAt<0, Regions<First, Rest...>> {
  using type = First;
};

} // namespace detail

template <std::size_t index, class Vertex>
using RegionOf = typename detail::RegionAt<index, typename Vertex::Regions>::type;

/// Calls each(std::uint32_t) for all numbers of a vertex's state: those of its Fields, or those that its `void state(Each each) const` tells
/// where it is made of parts that have none.
template <class Vertex, class Each>
constexpr void each_of_state(const Vertex& vertex, Each each) {
  if constexpr (requires { vertex.state(each); })
    vertex.state(each);
  else
    each_number(vertex, each);
}

/// How a core calls its vertex: what this offers, and no more.
template <class Vertex, class Core>
class Calls {
  template <class Name>
  static constexpr bool has = neuromorph::detail::offers<Vertex, Name>;
  template <class Name>
  static constexpr bool said = neuromorph::detail::is_said<Vertex, Name>();

  static_assert(CoreOfVertex<Core>,
                "neuromorph: a core lacks a function of runtime::CoreOfVertex; see docs/vertices.md");
  static_assert(neuromorph::detail::says_offers<Vertex>,
                "neuromorph: a vertex lacks 'using Offers'; see docs/vertices.md");
  static_assert(
      detail::HasRegions<Vertex>,
      "neuromorph: a vertex lacks 'using Regions = runtime::Regions<...>', which may be empty; see docs/vertices.md");
  static_assert(
      requires(Vertex & vertex, Core& core) {
        { vertex.start(core) } -> std::same_as<Status>;
      },
      "neuromorph: a vertex lacks 'Status start(Core& core)'; see docs/vertices.md");
  static_assert(
      !has<offer::Tick> || requires(Vertex & vertex, Core& core) { vertex.tick(core, std::uint32_t{}); },
      "neuromorph: a vertex offers 'Tick' and lacks 'void tick(Core& core, std::uint32_t time)'; see docs/vertices.md");
  static_assert(
      !has<offer::Packet> || requires(Vertex & vertex, Core& core) { vertex.packet(core, std::uint32_t{}); },
      "neuromorph: a vertex offers 'Packet' and lacks 'void packet(Core& core, std::uint32_t key)'; see "
      "docs/vertices.md");
  static_assert(
      !has<offer::Payload> ||
          requires(Vertex & vertex, Core& core) { vertex.payload(core, std::uint32_t{}, std::uint32_t{}); },
      "neuromorph: a vertex offers 'Payload' and lacks 'void payload(Core& core, std::uint32_t key, std::uint32_t "
      "payload)'; see docs/vertices.md");
  static_assert(
      !has<offer::Control> ||
          requires(Vertex & vertex, Core& core) { vertex.control(core, 1U, std::span<const std::uint8_t>{}); },
      "neuromorph: a vertex offers 'Control' and lacks 'void control(Core& core, unsigned port, std::span<const "
      "std::uint8_t> message)'; see docs/vertices.md");
  static_assert(
      !has<offer::Pause> || requires(Vertex & vertex, Core& core) { vertex.pause(core); },
      "neuromorph: a vertex offers 'Pause' and lacks 'void pause(Core& core)'; see docs/vertices.md");
  static_assert(
      !has<offer::Counters> || requires { std::size_t{Vertex::counters}; },
      "neuromorph: a vertex offers 'Counters' and lacks 'static constexpr std::size_t counters'; see docs/vertices.md");
  static_assert(said<offer::Tick>,
                "neuromorph: a vertex has 'tick', and its 'Offers' lacks 'offer::Tick'; see docs/vertices.md");
  static_assert(said<offer::Packet>,
                "neuromorph: a vertex has 'packet', and its 'Offers' lacks 'offer::Packet'; see docs/vertices.md");
  static_assert(said<offer::Payload>,
                "neuromorph: a vertex has 'payload', and its 'Offers' lacks 'offer::Payload'; see docs/vertices.md");
  static_assert(said<offer::Control>,
                "neuromorph: a vertex has 'control', and its 'Offers' lacks 'offer::Control'; see docs/vertices.md");
  static_assert(said<offer::Pause>,
                "neuromorph: a vertex has 'pause', and its 'Offers' lacks 'offer::Pause'; see docs/vertices.md");
  static_assert(said<offer::Counters>,
                "neuromorph: a vertex has 'counters', and its 'Offers' lacks 'offer::Counters'; see docs/vertices.md");

public:
  static constexpr bool takes_packets = has<offer::Packet>, takes_payloads = has<offer::Payload>,
                        takes_control = has<offer::Control>;
  /// Of the vertex's own.
  [[nodiscard]] static constexpr std::size_t counters() noexcept {
    if constexpr (has<offer::Counters>)
      return Vertex::counters;
    else
      return 0;
  }

  [[nodiscard]] static Status start(Vertex& vertex, Core& core) { return vertex.start(core); }
  static void tick(Vertex& vertex, Core& core, std::uint32_t time) {
    if constexpr (has<offer::Tick>) vertex.tick(core, time);
  }
  /// \return whether the vertex takes such packets
  static bool packet(Vertex& vertex, Core& core, std::uint32_t key) {
    if constexpr (has<offer::Packet>) vertex.packet(core, key);
    return has<offer::Packet>;
  }
  static bool payload(Vertex& vertex, Core& core, std::uint32_t key, std::uint32_t payload) {
    if constexpr (has<offer::Payload>) vertex.payload(core, key, payload);
    return has<offer::Payload>;
  }
  static bool control(Vertex& vertex, Core& core, unsigned port, std::span<const std::uint8_t> message) {
    if constexpr (has<offer::Control>) vertex.control(core, port, message);
    return has<offer::Control>;
  }
  static void pause(Vertex& vertex, Core& core) {
    if constexpr (has<offer::Pause>) vertex.pause(core);
  }
};

} // namespace runtime
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
