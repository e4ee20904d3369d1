// SPDX-License-Identifier: BSL-1.0
/// \file
/// The router of a chip: where copies of a packet go, and the registers by which software sets and watches it.
///
///     machine::Router router;
///     router.set(1, {{0x1000, 0xFFFFF000}, mapping::route_to_core(4)});
///     const mapping::Route route = router.route({.key = 0x1234}, unsigned(mapping::Link::west));
///
/// Registers of errors read as 0: packets are never corrupt here. Emergency routing is off.
// host-only
#ifndef NEUROMORPH_MACHINE_ROUTER_HPP
#define NEUROMORPH_MACHINE_ROUTER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/protocols/control.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

enum class PacketKind : std::uint8_t { multicast, point_to_point, nearest_neighbour, fixed_route };

struct Packet {
  std::uint32_t key = 0; ///< point to point: the chip's address, x << 8 | y, in the low half
  std::uint32_t payload = 0;
  PacketKind kind = PacketKind::multicast;
  bool has_payload = false;
  std::uint8_t route = 0; ///< nearest neighbour: the link, 6 for all, 7 for the monitor
  std::uint32_t sent = 0; ///< in which tick: of who simulates it, no wire carries it
  friend bool operator==(const Packet&, const Packet&) = default;
};

/// Where a packet comes from that comes by no link.
inline constexpr unsigned from_core = mapping::link_count;

/// Offsets of registers from the router's address.
/// \source spinnaker_tools, include/spinnaker.h
namespace router_register {
inline constexpr std::uint32_t control = 0x00, status = 0x04, dump_header = 0x18, dump_key = 0x1C, dump_payload = 0x20,
                               dump_outputs = 0x24, dump_status = 0x28, counters_enable = 0x2C, fixed_route = 0x84,
                               filters = 0x200, counters = 0x300, routes = 0x4000, keys = 0x8000, masks = 0xC000,
                               point_to_point_table = 0x10000, end = 0x18000;
} // namespace router_register

/// What software at a router does with packets that it drops, and has counted, as an extra monitor tells it.
struct Reinjector {
  std::uint8_t types = 0;     ///< of protocols::Reinjection that are sent again; 0: nobody reads the register
  std::uint32_t dropped = 0;  ///< packets that were read
  std::uint32_t missed = 0;   ///< packets read before which another was dropped: how many these were nobody knows
  std::uint32_t overflow = 0; ///< that found the queue full
  std::uint32_t reinjected = 0;
  std::uint32_t link_dumped = 0, core_dumped = 0; ///< ways that packets could not go
  mapping::Route dumped_to = 0;                   ///< which these were
  bool is_cleared = false;                        ///< what waits is not sent again, and lost
};

class Router {
public:
  static constexpr std::uint32_t size = 1024, counters = 16;
  /// No key matches it.
  static constexpr mapping::TableEntry empty{{0xFFFFFFFF, 0}, 0, 0};
  static constexpr std::uint32_t is_dumped = 1U << 31, is_overflown = 1U << 30; ///< in dump_status
  static constexpr unsigned no_route = 6, to_monitor = 7;                       ///< in the point-to-point table

  /// \return false: there is no such entry
  bool set(std::uint32_t at, const mapping::TableEntry& entry) {
    if (at >= size) return false;
    if (at >= entries_.size()) entries_.resize(at + 1, empty);
    entries_[at] = entry, change();
    return true;
  }
  /// All entries at once, and no others.
  /// \return false: there are too many, and nothing has changed
  bool load(std::span<const mapping::TableEntry> entries) {
    if (entries.size() > size) return false;
    entries_.assign(entries.begin(), entries.end()), change();
    return true;
  }
  [[nodiscard]] mapping::TableEntry entry(std::uint32_t at) const noexcept {
    return at < entries_.size() ? entries_[at] : empty;
  }
  /// Entries that are not empty, the state of registers, and what was counted.
  void add_to(Digest& digest) const {
    for (std::uint32_t at = 0; at < entries_.size(); ++at)
      if (entries_[at].keys != empty.keys || entries_[at].route != empty.route)
        digest.add(at), digest.add(entries_[at].keys.key), digest.add(entries_[at].keys.mask),
            digest.add(entries_[at].route);
    digest.add(control_), digest.add(fixed_route_), digest.add(enabled_), digest.add(dump_status_);
    for (const std::uint32_t one : dump_) digest.add(one);
    for (unsigned at = 0; at < counters; ++at) digest.add(filters_[at]), digest.add(counts_[at]);
  }
  /// The first entry that matches, or size.
  /// \cost O(masks before it); after a change, once O(entries)
  [[nodiscard]] std::uint32_t find(std::uint32_t key) {
    std::uint32_t bits = 0;
    return find(key, bits);
  }
  /// \param bits  gets those of the key that were looked at: a key that differs in others alone finds the same
  [[nodiscard]] std::uint32_t find(std::uint32_t key, std::uint32_t& bits) {
    if (!is_indexed_) make_index();
    std::uint32_t best = size;
    for (const Mask& one : masks_) {
      if (one.first >= best) break;
      bits |= one.mask;
      for (std::size_t slot = slot_of(key & one.mask, one.mask); slots_[slot] != size; slot = (slot + 1) % slots) {
        const mapping::KeyMask& keys = entries_[slots_[slot]].keys;
        if (keys.mask != one.mask || keys.key != (key & one.mask)) continue;
        if (slots_[slot] < best) best = slots_[slot];
        break;
      }
    }
    return best;
  }
  /// The same, entry by entry.
  [[nodiscard]] std::uint32_t find_linearly(std::uint32_t key) const noexcept {
    for (std::uint32_t at = 0; at < entries_.size(); ++at)
      if (entries_[at].keys.matches(key)) return at;
    return size;
  }

  /// \param address  x << 8 | y
  /// \param to       a link, no_route or to_monitor
  void set_point_to_point(std::uint16_t address, unsigned to) {
    std::uint32_t& word = point_to_point_word(address / 8U);
    const unsigned shift = address % 8U * 3;
    word = (word & ~(7U << shift)) | (to & 7U) << shift, ++version_;
  }
  [[nodiscard]] unsigned point_to_point(std::uint16_t address) const noexcept {
    return point_to_point_.empty() ? no_route : point_to_point_[address / 8U] >> address % 8U * 3 & 7U;
  }

  /// \param from  a link of this chip, or from_core
  /// \return      0: the packet is dropped
  [[nodiscard]] mapping::Route route(const Packet& packet, unsigned from) {
    switch (packet.kind) {
    case PacketKind::multicast: {
      if (const std::uint32_t at = find(packet.key); at != size) return entries_[at].route;
      return from == from_core ? 0 : mapping::route_to(mapping::opposite(mapping::Link(from)));
    }
    case PacketKind::point_to_point: return route_by(point_to_point(static_cast<std::uint16_t>(packet.key)));
    case PacketKind::nearest_neighbour:
      if (from != from_core) return monitor();
      return packet.route == 6 ? (1U << mapping::link_count) - 1 : route_by(packet.route);
    case PacketKind::fixed_route: return fixed_route_;
    }
    return 0;
  }
  /// Whether no entry says where it goes, and it goes straight on.
  [[nodiscard]] bool is_by_default(const Packet& packet, unsigned from) {
    return packet.kind == PacketKind::multicast && from != from_core && find(packet.key) == size;
  }

  [[nodiscard]] std::uint32_t wait_before_drop() const noexcept {
    return protocols::router_wait_of(static_cast<std::uint8_t>(control_ >> 16));
  }
  [[nodiscard]] std::uint64_t missed() const noexcept { return missed_; } ///< drops while the register was full
  [[nodiscard]] Reinjector& reinjector() noexcept { return reinjector_; }
  [[nodiscard]] const Reinjector& reinjector() const noexcept { return reinjector_; }
  void set_wait_before_drop(std::uint8_t byte) noexcept {
    control_ = (control_ & ~0xFF0000U) | std::uint32_t{byte} << 16;
  }
  /// Changes with all that says where packets go.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }

  /// Keeps the packet if the register is free.
  /// \param outputs  to which it could not go
  void dump(const Packet& packet, unsigned from, mapping::Route outputs) noexcept {
    if ((dump_status_ & is_dumped) != 0) {
      dump_status_ |= is_overflown, ++missed_;
      return;
    }
    const std::uint32_t control = std::uint32_t(packet.kind) << 6 | std::uint32_t{packet.has_payload} << 1;
    dump_ = {from << 24 | control << 16, packet.key, packet.payload, outputs}, dump_status_ |= is_dumped;
  }
  /// Counts it where filters match.
  /// \param outputs  to which it has gone; 0: it was dropped
  void count(const Packet& packet, unsigned from, bool is_by_default, mapping::Route outputs) noexcept {
    const mapping::Route cores = outputs >> mapping::link_count << mapping::link_count;
    const std::uint32_t to = std::uint32_t{outputs == 0} | std::uint32_t{(cores & ~monitor()) != 0} << 1 |
                             std::uint32_t{(cores & monitor()) != 0} << 2 | (outputs & 63U) << 3;
    const std::uint32_t is = 1U << unsigned(packet.kind) | 1U << 4 | (is_by_default ? 1U << 10 : 1U << 11) |
                             (packet.has_payload ? 1U << 12 : 1U << 13) | (from == from_core ? 1U << 14 : 1U << 15);
    for (unsigned at = 0; at < counters; ++at)
      if ((enabled_ >> at & 1U) != 0 && (filters_[at] & is) == is && (filters_[at] >> 16 & to) != 0) ++counts_[at];
  }
  [[nodiscard]] std::uint32_t counter(unsigned at) const noexcept { return counts_[at % counters]; }

  /// \param offset  a multiple of 4
  /// \return        0 where there is no register. The status of a dump is free again once it was read.
  [[nodiscard]] std::uint32_t read(std::uint32_t offset) noexcept {
    using namespace router_register;
    switch (offset) {
    case control: return control_;
    case dump_header: return dump_[0];
    case dump_key: return dump_[1];
    case dump_payload: return dump_[2];
    case dump_outputs: return dump_[3];
    case dump_status: {
      const std::uint32_t was = dump_status_;
      dump_status_ = 0;
      return was;
    }
    case counters_enable: return enabled_;
    case fixed_route: return fixed_route_;
    default: break;
    }
    const std::uint32_t at = offset / 4;
    if (offset >= point_to_point_table)
      return offset >= end ? 0 : point_to_point_.empty() ? no_routes : point_to_point_[at - point_to_point_table / 4];
    if (offset >= routes) {
      const mapping::TableEntry of = entry(at % (routes / 4));
      return at % (routes / 4) >= size ? 0 : offset >= masks ? of.keys.mask : offset >= keys ? of.keys.key : of.route;
    }
    if (offset >= filters && offset < filters + 4 * Router::counters) return filters_[at - filters / 4];
    if (offset >= router_register::counters && offset < router_register::counters + 4 * Router::counters)
      return counts_[at - router_register::counters / 4];
    return 0;
  }
  /// Whether there is a register that can be written.
  /// \param offset  a multiple of 4
  [[nodiscard]] static constexpr bool can_write(std::uint32_t offset) noexcept {
    using namespace router_register;
    return offset == control || offset == counters_enable || offset == fixed_route ||
           (offset >= filters && offset < filters + 4 * Router::counters) ||
           (offset >= routes && offset < point_to_point_table && offset / 4 % (routes / 4) < size) ||
           (offset >= point_to_point_table && offset < end);
  }
  /// \param offset  a multiple of 4
  /// \return        false: there is no such register, or it can only be read
  bool write(std::uint32_t offset, std::uint32_t value) {
    using namespace router_register;
    const std::uint32_t at = offset / 4;
    if (offset == control) {
      control_ = value, ++version_;
    } else if (offset == counters_enable) {
      enabled_ = value & 0xFFFFU;
      for (unsigned one = 0; one < Router::counters; ++one)
        if ((value >> (16 + one) & 1U) != 0) counts_[one] = 0;
    } else if (offset == fixed_route) {
      fixed_route_ = value, ++version_;
    } else if (offset >= point_to_point_table && offset < end) {
      point_to_point_word(at - point_to_point_table / 4) = value & 0xFFFFFFU, ++version_;
    } else if (offset >= routes && offset < end && at % (routes / 4) < size) {
      mapping::TableEntry of = entry(at % (routes / 4));
      (offset >= masks ? of.keys.mask : offset >= keys ? of.keys.key : of.route) = value;
      set(at % (routes / 4), of);
    } else if (offset >= filters && offset < filters + 4 * Router::counters) {
      filters_[at - filters / 4] = value;
    } else {
      return false;
    }
    return true;
  }

private:
  static constexpr std::uint32_t no_routes = 066666666, slots = 2048;
  struct Mask {
    std::uint32_t mask, first; ///< the first entry that has it
  };

  void change() noexcept { is_indexed_ = false, ++version_; }
  [[nodiscard]] mapping::Route monitor() const noexcept {
    const std::uint32_t core = control_ >> 8 & 31U;
    return core < mapping::most_cores ? mapping::route_to_core(core) : 0;
  }
  [[nodiscard]] mapping::Route route_by(unsigned to) const noexcept {
    return to < mapping::link_count ? mapping::route_to(mapping::Link(to)) : to == to_monitor ? monitor() : 0;
  }
  [[nodiscard]] std::uint32_t& point_to_point_word(std::size_t at) {
    if (point_to_point_.empty()) point_to_point_.assign(0x10000 / 8, no_routes);
    return point_to_point_[at];
  }
  [[nodiscard]] static std::size_t slot_of(std::uint32_t key, std::uint32_t mask) noexcept {
    return (std::uint64_t{key} << 32 ^ mask) * 0x9E3779B97F4A7C15 >> 53; // of 2048
  }
  void make_index() {
    slots_.assign(slots, static_cast<std::uint16_t>(size)), masks_.clear();
    for (std::uint32_t at = 0; at < entries_.size(); ++at) {
      const mapping::KeyMask& keys = entries_[at].keys;
      if ((keys.key & ~keys.mask) != 0) continue; // matches nothing
      std::size_t slot = slot_of(keys.key, keys.mask);
      while (slots_[slot] != size && !(entries_[slots_[slot]].keys == keys)) slot = (slot + 1) % slots;
      if (slots_[slot] != size) continue; // one before it has the same
      slots_[slot] = static_cast<std::uint16_t>(at);
      bool is_known = false;
      for (const Mask& one : masks_) is_known = is_known || one.mask == keys.mask;
      if (!is_known) masks_.push_back({keys.mask, at});
    }
    is_indexed_ = true;
  }

  std::vector<mapping::TableEntry> entries_{}; // up to the last that was set
  std::vector<std::uint16_t> slots_{};         // an entry, or size
  std::vector<Mask> masks_{};                  // ascending by their first entry
  bool is_indexed_ = false;
  std::vector<std::uint32_t> point_to_point_{}; // [address / 8], or nothing: no routes
  std::uint32_t control_ = 0x00400001, fixed_route_ = 0, enabled_ = 0xFFFF, dump_status_ = 0;
  std::array<std::uint32_t, 4> dump_{}; // header, key, payload, outputs
  // As the monitor sets them: by kind, of cores and of links, then what was dropped. Source: spinnaker_tools, sark_hw.c.
  std::array<std::uint32_t, counters> filters_{0x01FE7CF1, 0x01FEBCF1, 0x01FE7CF2, 0x01FEBCF2, 0x01FE7CF4, 0x01FEBCF4,
                                               0x01FE7CF8, 0x01FEBCF8, 0x0001FCF1, 0x0001FCF2, 0x0001FCF4, 0x0001FCF8};
  std::array<std::uint32_t, counters> counts_{};
  Reinjector reinjector_{};
  std::uint64_t missed_ = 0, version_ = 0;
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
