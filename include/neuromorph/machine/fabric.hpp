// SPDX-License-Identifier: BSL-1.0
/// \file
/// Packets on their way through a machine, which takes time. There are routers with an input of each link and of their cores, links that carry
/// one packet after the other, waits, drops. Of each packet it is known what became of it.
///
///     machine::Fabric fabric(of);
///     fabric.load(tables);
///     fabric.send({chip, 1}, {.key = 7}, 0);
///     fabric.run_until(1'000'000, [](const machine::CoreAt& at, const machine::Packet& packet, machine::Nanoseconds time) { ... });
///
/// At any time and for each key: injected + copied == delivered + dropped + in_flight. Emergency routing is off.
// host-only
#ifndef NEUROMORPH_MACHINE_FABRIC_HPP
#define NEUROMORPH_MACHINE_FABRIC_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/events.hpp>
#include <neuromorph/machine/router.hpp>
#include <neuromorph/machine/strip.hpp>
#include <neuromorph/mapping/faults.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/protocols/control.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

/// As SpiNNaker 1 has it: 6 million packets of 40 bits a second on a link, routers at 133 MHz; SC&MP's figures for a hop.
struct FabricTiming {
  Nanoseconds packet = 167, packet_with_payload = 300; ///< on a link, or into a core, from one to the next
  Nanoseconds chip = 500,
              board = 900;           ///< from a router to that of the next chip, within a board and beyond, at least 1
  std::uint32_t router_khz = 133000; ///< of whose cycles waits are told
  std::uint32_t buffer = 1;          ///< packets that have room at the end of a link within a board
  std::uint32_t board_buffer = 2;    ///< and beyond, where news of room takes as long as a packet
};
/// Software at each router that takes packets from the register of a dropped one, and sends them again where they could not go.
struct Reinjecting {
  Nanoseconds reaction = 1000; ///< from the drop until the register is free again
  Nanoseconds period = 10000;  ///< from one packet that is sent again to the next
  std::uint32_t queue = 4096;  ///< packets that wait for it
};
struct FabricOptions {
  FabricTiming timing = {};
  std::optional<Reinjecting> reinjecting = {}; ///< at all routers, always
  Reinjecting by_monitors = {};                ///< at routers whose extra monitor does it
  std::uint64_t seed = 1;                      ///< of what lossy links lose
  Strip strip = {};                            ///< by default all there is; strips are of whole boards
};
/// What happens beyond a strip: a packet that comes to a chip, or room at the end of a link that leaves it.
struct Crossing {
  static constexpr std::size_t words = 8;
  Nanoseconds time = 0;
  mapping::Chip chip = 0;
  std::uint32_t link = 0; ///< of the chip
  bool is_room = false;
  Packet packet{};

  void write(std::vector<std::uint32_t>& to) const {
    for (const std::uint32_t word :
         {static_cast<std::uint32_t>(time), static_cast<std::uint32_t>(time >> 32), std::uint32_t{chip},
          link | (is_room ? 0x100U : 0U) | (packet.has_payload ? 0x200U : 0U), packet.key, packet.payload, packet.sent,
          std::uint32_t(packet.kind) | std::uint32_t{packet.route} << 8})
      to.push_back(word);
  }
  /// \pre as many words as one has
  [[nodiscard]] static Crossing of(std::span<const std::uint32_t> from) {
    Crossing made;
    made.time = static_cast<Nanoseconds>(std::uint64_t{from[1]} << 32 | from[0]), made.chip = from[2];
    made.link = from[3] & 0xFFU, made.is_room = (from[3] & 0x100U) != 0;
    made.packet.has_payload = (from[3] & 0x200U) != 0, made.packet.key = from[4], made.packet.payload = from[5];
    made.packet.sent = from[6], made.packet.kind = PacketKind(from[7] & 0xFFU);
    made.packet.route = static_cast<std::uint8_t>(from[7] >> 8);
    return made;
  }
};

/// Of one key, or of all: injected + copied == delivered + dropped + in_flight; of strips, their sums.
struct FabricAccount {
  std::uint64_t injected = 0;  ///< by cores, devices, and from outside
  std::uint64_t copied = 0;    ///< where ways part: one less than there are ways
  std::uint64_t delivered = 0; ///< to cores and devices
  std::uint64_t dropped = 0;   ///< for good
  std::uint64_t in_flight = 0; ///< on links, at routers, and waiting to be sent again
  [[nodiscard]] constexpr bool is_balanced() const noexcept {
    return injected + copied == delivered + dropped + in_flight;
  }
  friend constexpr bool operator==(const FabricAccount&, const FabricAccount&) = default;
};
/// Why packets were dropped, and what was done about it.
struct DropCauses {
  std::uint64_t waited =
      0; ///< an output was not free in time, and another drop is still in the register, or nobody reads it
  std::uint64_t unrouted = 0; ///< no entry where they were sent
  std::uint64_t lost = 0;     ///< on lossy links
  std::uint64_t overflow = 0; ///< the queue of those that are sent again was full
  std::uint64_t reinjected = 0;
  friend constexpr bool operator==(const DropCauses&, const DropCauses&) = default;
};

class Fabric {
public:
  /// \param of  outlives it
  explicit Fabric(const mapping::Machine& of, const FabricOptions& options = {})
      : machine_(of), options_(options), nodes_(of.grid_chips()) {}
  /// With the routers of another.
  /// \param router_of  outlives it; it is asked once for a chip, until `forget_routers`
  Fabric(const mapping::Machine& of, const FabricOptions& options, std::function<Router&(mapping::Chip)> router_of)
      : machine_(of), options_(options), nodes_(of.grid_chips()), router_of_(std::move(router_of)) {}

  [[nodiscard]] Router& router(mapping::Chip chip) {
    Node& node = nodes_[chip];
    if (node.router == nullptr && router_of_) node.router = &router_of_(chip);
    if (node.router == nullptr) node.own = std::make_unique<Router>(), node.router = node.own.get();
    return *node.router;
  }
  /// Those of another are others now.
  void forget_routers() {
    if (router_of_)
      for (Node& node : nodes_) node.router = nullptr;
  }
  /// \return whether all of them have room
  bool load(const mapping::Tables& tables) {
    bool has_room = true;
    for (mapping::Chip chip = 0; chip < nodes_.size(); ++chip) has_room = router(chip).load(tables[chip]) && has_room;
    return has_room;
  }
  /// From now on a link carries nothing in this direction, or does again. What is on it arrives.
  void set_link(mapping::Chip chip, mapping::Link link, bool works) {
    nodes_[chip].is_broken[unsigned(link)] = !works;
    if (works) push(now_, chip, {.what = What::serve});
  }
  /// From now on a packet is lost on it with this probability; which ones does not depend on anything but their numbers.
  void set_lossy(mapping::Chip chip, mapping::Link link, double probability) {
    nodes_[chip].loss[unsigned(link)] = probability;
  }

  /// From a core, or from the device of a virtual chip.
  /// \param at  not before now()
  void send(const CoreAt& from, const Packet& packet, Nanoseconds at) {
    FabricAccount& of = account_of(packet.key);
    ++of.injected, ++of.in_flight, ++all_.injected, ++all_.in_flight;
    const bool is_device = machine_.is_virtual(from.chip);
    const mapping::Chip chip = is_device ? machine_.device(from.chip).chip : from.chip;
    const unsigned input = is_device ? unsigned(machine_.device(from.chip).link) : from_core;
    push((std::max)(at, now_), chip, {.what = What::arrive, .input = input, .packet = packet});
  }
  /// All that happens before a time; deliver(CoreAt, Packet, Nanoseconds) may send.
  template <class Deliver>
  void run_until(Nanoseconds end, Deliver deliver) {
    while (!events_.empty() && events_.front().order.time < end) {
      auto event = events_.pop();
      now_ = event.order.time;
      handle(event.order.chip, event.value, deliver);
    }
    now_ = (std::max)(now_, end);
  }
  [[nodiscard]] Nanoseconds now() const noexcept { return now_; }

  /// For this time, nothing that happens in one strip is seen in another.
  [[nodiscard]] Nanoseconds lookahead() const noexcept { return (std::max)(Nanoseconds{1}, options_.timing.board); }
  /// When something happens next, or a time that never comes.
  [[nodiscard]] Nanoseconds next() const noexcept {
    return events_.empty() ? (std::numeric_limits<Nanoseconds>::max)() : events_.front().order.time;
  }
  /// What has left this strip since the last call.
  [[nodiscard]] std::vector<Crossing> take_crossings() { return std::exchange(crossings_, {}); }
  /// What has come into it.
  /// \pre it is not earlier than now()
  void put(const Crossing& one) {
    if (!one.is_room) {
      FabricAccount& of = account_of(one.packet.key);
      ++of.in_flight, ++all_.in_flight;
    }
    push(one.time, one.chip,
         {.what = one.is_room ? What::room : What::arrive, .input = one.link, .packet = one.packet});
  }
  [[nodiscard]] bool is_idle() const noexcept { return all_.in_flight == 0; }

  [[nodiscard]] const FabricAccount& account() const noexcept { return all_; }
  [[nodiscard]] FabricAccount account(std::uint32_t key) const {
    const auto found = of_keys_.find(key);
    return found == of_keys_.end() ? FabricAccount{} : found->second;
  }
  /// By key.
  [[nodiscard]] const std::map<std::uint32_t, FabricAccount>& accounts() const noexcept { return of_keys_; }
  [[nodiscard]] const DropCauses& causes() const noexcept { return causes_; }
  /// Packets that a link has carried.
  [[nodiscard]] std::uint64_t carried(mapping::Chip chip, mapping::Link link) const noexcept {
    return nodes_[chip].carried[unsigned(link)];
  }
  [[nodiscard]] std::uint64_t digest() const {
    Digest digest;
    for (const auto& [key, one] : of_keys_) {
      digest.add(key);
      for (const std::uint64_t count : {one.injected, one.copied, one.delivered, one.dropped, one.in_flight})
        digest.add(static_cast<std::uint32_t>(count)), digest.add(static_cast<std::uint32_t>(count >> 32));
    }
    return digest.value();
  }

private:
  static constexpr unsigned inputs = mapping::link_count + 1, outputs = mapping::link_count + mapping::most_cores;
  static constexpr mapping::Route every_output = ~mapping::Route{0} >> (32 - outputs);
  enum class What : std::uint8_t { arrive, room, serve, patience, read_drop, send_again };
  struct Event {
    What what = What::serve;
    unsigned input = 0;       ///< of arrive and patience; of room: the link that leads to it
    std::uint64_t number = 0; ///< of patience: which head
    mapping::Route only = 0;  ///< of arrive: where it is to go, if it is sent again; 0: as the router says
    Packet packet{};
  };
  struct Waiting {
    Packet packet{};
    mapping::Route only = 0;
  };
  struct Input {
    std::deque<Waiting> queue{};
    mapping::Route pending = 0; ///< where the first of them has still to go
    std::uint64_t number = 0;   ///< of the first
    bool has_head = false;
  };
  struct Node {
    Router* router = nullptr;
    std::unique_ptr<Router> own{};
    std::array<Input, inputs> input{};
    std::array<std::deque<std::uint8_t>, outputs> asked{}; ///< inputs whose first packets wait for it, in their order
    std::array<Nanoseconds, outputs> free_at{};
    std::array<std::uint32_t, mapping::link_count> ahead{}; ///< packets on a link and in the buffer at its end
    std::array<bool, mapping::link_count> is_broken{};
    std::array<double, mapping::link_count> loss{};
    std::array<std::uint64_t, mapping::link_count> carried{};
    std::optional<std::pair<Packet, mapping::Route>> dropped{}; ///< in the register, where it is read
    std::deque<std::pair<Packet, mapping::Route>> again{};
    bool sends_again = false;
  };

  [[nodiscard]] FabricAccount& account_of(std::uint32_t key) { return of_keys_[key]; }
  void push(Nanoseconds time, mapping::Chip chip, Event event) {
    // By number come only those in order that the chip itself has made: what comes from others does so in any order.
    const std::uint32_t source = static_cast<std::uint32_t>(event.what) << 8 | event.input;
    events_.push({.time = time, .chip = chip, .source = source, .number = number_++}, std::move(event));
  }
  [[nodiscard]] Nanoseconds length(const Packet& packet) const noexcept {
    return packet.has_payload ? options_.timing.packet_with_payload : options_.timing.packet;
  }

  template <class Deliver>
  void handle(mapping::Chip chip, Event& event, Deliver& deliver) {
    Node& node = nodes_[chip];
    switch (event.what) {
    case What::arrive:
      node.input[event.input].queue.push_back({event.packet, event.only});
      if (node.input[event.input].queue.size() == 1) begin(chip, event.input, deliver);
      break;
    case What::room: --node.ahead[event.input]; [[fallthrough]];
    case What::serve: serve(chip, deliver); break;
    case What::patience: {
      Input& of = node.input[event.input];
      if (!of.has_head || of.number != event.number) break;
      for (unsigned output = 0; output < outputs; ++output)
        if ((of.pending >> output & 1U) != 0) std::erase(node.asked[output], static_cast<std::uint8_t>(event.input));
      drop(chip, event.input, std::exchange(of.pending, 0));
      leave(chip, event.input, deliver);
      break;
    }
    case What::read_drop: read_drop(chip); break;
    case What::send_again: send_again(chip); break;
    }
  }
  /// The first packet of an input finds out where it has to go; those that go nowhere are gone.
  template <class Deliver>
  void begin(mapping::Chip chip, unsigned input, Deliver& deliver) {
    Node& node = nodes_[chip];
    Input& of = node.input[input];
    for (;; pop(chip, input)) {
      if (of.queue.empty()) return;
      const Waiting& first = of.queue.front();
      of.pending = first.only != 0 ? first.only : router(chip).route(first.packet, input) & every_output;
      if (of.pending != 0) break;
      ++causes_.unrouted;
      router(chip).dump(first.packet, input, 0);
      if (is_read(chip) && !node.dropped) static_cast<void>(router(chip).read(router_register::dump_status));
      router(chip).count(first.packet, input, false, 0);
      lose(first.packet.key);
    }
    const Waiting& first = of.queue.front();
    of.has_head = true, of.number = ++heads_;
    const auto ways = static_cast<std::uint64_t>(std::popcount(of.pending));
    FabricAccount& account = account_of(first.packet.key);
    account.copied += ways - 1, account.in_flight += ways - 1;
    all_.copied += ways - 1, all_.in_flight += ways - 1;
    if (first.only == 0)
      router(chip).count(first.packet, input, router(chip).is_by_default(first.packet, input), of.pending);
    for (unsigned output = 0; output < outputs; ++output)
      if ((of.pending >> output & 1U) != 0) node.asked[output].push_back(static_cast<std::uint8_t>(input));
    push(now_ + wait(chip), chip, {.what = What::patience, .input = input, .number = of.number});
    serve(chip, deliver);
  }
  /// In nanoseconds, at least one.
  [[nodiscard]] Nanoseconds wait(mapping::Chip chip) {
    return (std::max)(Nanoseconds{1},
                      Nanoseconds{router(chip).wait_before_drop()} * 1000000 / options_.timing.router_khz);
  }
  /// Sends what can go.
  template <class Deliver>
  void serve(mapping::Chip chip, Deliver& deliver) {
    Node& node = nodes_[chip];
    for (unsigned output = 0; output < outputs; ++output) {
      while (!node.asked[output].empty() && is_free(chip, output)) {
        const unsigned input = node.asked[output].front();
        node.asked[output].pop_front();
        Input& of = node.input[input];
        const Packet packet = of.queue.front().packet;
        of.pending &= ~(mapping::Route{1} << output);
        go(chip, output, packet, deliver);
        if (of.pending == 0) leave(chip, input, deliver);
      }
    }
  }
  [[nodiscard]] bool is_free(mapping::Chip chip, unsigned output) const {
    const Node& node = nodes_[chip];
    if (now_ < node.free_at[output]) return false;
    if (output >= mapping::link_count) return true;
    const mapping::Chip next = machine_.neighbour(chip, mapping::Link(output));
    return next != mapping::no_chip && !node.is_broken[output] &&
           node.ahead[output] < (is_same_board(chip, next) ? options_.timing.buffer : options_.timing.board_buffer);
  }
  template <class Deliver>
  void go(mapping::Chip chip, unsigned output, const Packet& packet, Deliver& deliver) {
    Node& node = nodes_[chip];
    node.free_at[output] = now_ + length(packet);
    push(node.free_at[output], chip, {.what = What::serve});
    if (output >= mapping::link_count) {
      arrive({chip, static_cast<std::uint8_t>(output - mapping::link_count)}, packet, deliver);
      return;
    }
    const std::uint64_t number = node.carried[output]++;
    using mapping::detail::mixed;
    const std::uint64_t draw = mixed(mixed(mixed(options_.seed) ^ (std::uint64_t{chip} << 3 | output)) ^ number);
    if (node.loss[output] > 0.0 && static_cast<double>(draw >> 11) * 0x1p-53 < node.loss[output]) {
      ++causes_.lost;
      return lose(packet.key);
    }
    const auto link = mapping::Link(output);
    const mapping::Chip next = machine_.neighbour(chip, link);
    if (machine_.is_virtual(next)) return arrive({next, 0}, packet, deliver);
    ++node.ahead[output];
    const Nanoseconds then = now_ + (is_same_board(chip, next) ? options_.timing.chip : lookahead());
    const unsigned input = unsigned(mapping::opposite(link));
    if (options_.strip.has(next)) return push(then, next, {.what = What::arrive, .input = input, .packet = packet});
    FabricAccount& of = account_of(packet.key);
    --of.in_flight, --all_.in_flight;
    crossings_.push_back({.time = then, .chip = next, .link = input, .packet = packet});
  }
  [[nodiscard]] bool is_same_board(mapping::Chip one, mapping::Chip other) const {
    return machine_.board_of(one) == machine_.board_of(other);
  }
  template <class Deliver>
  void arrive(const CoreAt& at, const Packet& packet, Deliver& deliver) {
    FabricAccount& of = account_of(packet.key);
    ++of.delivered, --of.in_flight, ++all_.delivered, --all_.in_flight;
    deliver(at, packet, now_);
  }
  void lose(std::uint32_t key) {
    FabricAccount& of = account_of(key);
    ++of.dropped, --of.in_flight, ++all_.dropped, --all_.in_flight;
  }
  /// The first packet of an input is gone, and the next is the first.
  template <class Deliver>
  void leave(mapping::Chip chip, unsigned input, Deliver& deliver) {
    pop(chip, input);
    begin(chip, input, deliver);
  }
  /// There is room for one more at the end of the link.
  void pop(mapping::Chip chip, unsigned input) {
    Input& of = nodes_[chip].input[input];
    of.queue.pop_front(), of.has_head = false;
    if (input >= mapping::link_count) return;
    const mapping::Chip before = machine_.sender(chip, mapping::Link(input));
    const unsigned link = unsigned(mapping::opposite(mapping::Link(input)));
    if (before == mapping::no_chip || machine_.is_virtual(before)) return;
    const Nanoseconds then = is_same_board(chip, before) ? now_ : now_ + lookahead();
    if (options_.strip.has(before)) return push(then, before, {.what = What::room, .input = link});
    crossings_.push_back({.time = then, .chip = before, .link = link, .is_room = true});
  }

  void drop(mapping::Chip chip, unsigned input, mapping::Route to) {
    Node& node = nodes_[chip];
    const Packet& packet = node.input[input].queue.front().packet;
    const bool is_kept = is_read(chip) && !node.dropped;
    router(chip).dump(packet, input, to);
    router(chip).count(packet, input, false, 0);
    // Copies that were to go to several outputs are in one register, and are one again until they are sent.
    const auto ways = static_cast<std::uint64_t>(std::popcount(to));
    FabricAccount& of = account_of(packet.key);
    if (is_kept) {
      of.copied -= ways - 1, of.in_flight -= ways - 1, all_.copied -= ways - 1, all_.in_flight -= ways - 1;
      node.dropped.emplace(packet, to);
      push(now_ + reinjecting().reaction, chip, {.what = What::read_drop});
      return;
    }
    causes_.waited += ways;
    of.dropped += ways, of.in_flight -= ways, all_.dropped += ways, all_.in_flight -= ways;
  }
  void read_drop(mapping::Chip chip) {
    Node& node = nodes_[chip];
    Reinjector& of = router(chip).reinjector();
    const std::uint32_t status = router(chip).read(router_register::dump_status); // which frees it
    const auto taken = std::exchange(node.dropped, std::nullopt);
    constexpr mapping::Route links = (mapping::Route{1} << mapping::link_count) - 1;
    ++of.dropped, of.missed += (status & Router::is_overflown) != 0 ? 1U : 0U;
    of.link_dumped += static_cast<std::uint32_t>(std::popcount(taken->second & links));
    of.core_dumped += static_cast<std::uint32_t>(std::popcount(taken->second & ~links)), of.dumped_to |= taken->second;
    if (node.again.size() >= reinjecting().queue) {
      ++causes_.overflow, ++of.overflow;
      return lose(taken->first.key);
    }
    node.again.push_back(*taken);
    if (std::exchange(node.sends_again, true)) return;
    push(now_ + reinjecting().period, chip, {.what = What::send_again});
  }
  void send_again(mapping::Chip chip) {
    Node& node = nodes_[chip];
    if (std::exchange(router(chip).reinjector().is_cleared, false)) {
      for (const auto& [packet, to] : node.again) lose(packet.key);
      node.again.clear(), node.sends_again = false;
      return;
    }
    const auto [packet, to] = node.again.front();
    node.again.pop_front();
    ++causes_.reinjected, ++router(chip).reinjector().reinjected;
    push(now_, chip, {.what = What::arrive, .input = from_core, .only = to, .packet = packet});
    node.sends_again = !node.again.empty();
    if (node.sends_again) push(now_ + reinjecting().period, chip, {.what = What::send_again});
  }

  /// Whether software reads the register of what was dropped.
  [[nodiscard]] bool is_read(mapping::Chip chip) {
    return options_.reinjecting || (router(chip).reinjector().types & protocols::Reinjection::multicast) != 0;
  }
  [[nodiscard]] Reinjecting reinjecting() const noexcept { return options_.reinjecting.value_or(options_.by_monitors); }

  const mapping::Machine& machine_;
  FabricOptions options_;
  std::vector<Node> nodes_; // [chip]
  std::function<Router&(mapping::Chip)> router_of_{};
  EventQueue<Event> events_{};
  Nanoseconds now_ = 0;
  std::uint64_t number_ = 0, heads_ = 0;
  FabricAccount all_{};
  std::map<std::uint32_t, FabricAccount> of_keys_{};
  DropCauses causes_{};
  std::vector<Crossing> crossings_{};
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
