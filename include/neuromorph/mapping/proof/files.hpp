// SPDX-License-Identifier: BSL-1.0
/// \file
/// Machines, demands and tables from JSON and from dumps of routers, whoever made them, and back.
///
///     auto machine = mapping::proof::machine_from_json(text_of("machine.json"), "machine.json");
///     auto demand = mapping::proof::demand_from_json(text_of("demand.json"), machine.value(), "demand.json");
///     auto tables = mapping::proof::tables_from_json(text_of("routing_tables.json"), machine.value(), "routing_tables.json");
///     auto proof = mapping::proof::prove(machine.value(), demand.value(), tables.value());
///
/// machine.json and routing_tables.json are those of the place and route interchange format; tables may be PACMAN's router.json, too. Both
/// have chips as [x, y], links as "north_east", cores as "core3". demand_from_json() shows the demand's, which nobody else has.
/// What a format does not know is refused with line, column and path. Nothing here opens a file.
// host-only
#ifndef NEUROMORPH_MAPPING_PROOF_FILES_HPP
#define NEUROMORPH_MAPPING_PROOF_FILES_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/json.hpp>
#include <neuromorph/mapping/proof/problem.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace proof {
namespace detail {

inline constexpr const char* direction_names[links] = {"east", "north_east", "north", "west", "south_west", "south"};

/// [x, y] of a chip that is there.
[[nodiscard]] inline std::uint32_t chip_from(host::JsonReading& reading, host::JsonValue value, const Machine& machine,
                                             bool must_be_there = true) {
  const host::JsonValue place = reading.array(value, 2);
  const auto x = reading.whole<std::uint32_t>(place.item(0), 0, machine.width - 1);
  const auto y = reading.whole<std::uint32_t>(place.item(1), 0, machine.height - 1);
  if (!reading.ok() || !place) return none;
  const std::uint32_t chip = y * machine.width + x;
  if (must_be_there && machine.is_there[chip] == 0) reading.refuse(place, machine.name(chip) + " is not there");
  return chip;
}
/// Its number, or 32 where it is refused.
[[nodiscard]] inline unsigned direction_from(host::JsonReading& reading, host::JsonValue value,
                                             bool only_links = false) {
  const std::string_view name = reading.text(value);
  if (!reading.ok()) return 32;
  for (unsigned link = 0; link < links; ++link)
    if (name == direction_names[link]) return link;
  unsigned core = 0;
  const std::string_view digits = name.substr((std::min)(name.size(), std::size_t{4}));
  const bool is_number = !digits.empty() && digits.size() <= 2 && (digits[0] != '0' || digits.size() == 1) &&
                         digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (!only_links && name.substr(0, 4) == "core" && is_number) {
    for (const char digit : digits) core = core * 10 + static_cast<unsigned>(digit - '0');
    if (core < 32 - links) return links + core;
  }
  reading.refuse(value, std::string(only_links ? "a link" : "a link or core0 to core25") + " is wanted, and not " +
                            value.in_a_sentence());
  return 32;
}
/// A route from a list of directions, each once.
[[nodiscard]] inline std::uint32_t route_from(host::JsonReading& reading, host::JsonValue value) {
  std::uint32_t route = 0;
  for (const host::JsonValue item : reading.array(value)) {
    const unsigned direction = direction_from(reading, item);
    if (!reading.ok()) return 0;
    if ((route >> direction & 1) != 0) reading.refuse(item, "this direction is named twice");
    route |= 1U << direction;
  }
  return route;
}
inline void write_chip(host::JsonWriter& writer, const Machine& machine, std::uint32_t chip) {
  writer.begin_array(true).value(chip % machine.width).value(chip / machine.width).end_array();
}
[[nodiscard]] inline std::string direction_as_text(unsigned direction) {
  return direction < links ? direction_names[direction] : "core" + std::to_string(direction - links);
}
inline void write_route(host::JsonWriter& writer, std::uint32_t route) {
  writer.begin_array();
  for (; route != 0; route &= route - 1)
    writer.value(direction_as_text(static_cast<unsigned>(std::countr_zero(route))));
  writer.end_array();
}
/// Tables in the order of chips, from tables in any order.
class Gathering {
public:
  explicit Gathering(std::size_t chips) : begin_(chips, ~std::size_t{0}), count_(chips) {}
  /// \return whether the chip had none before
  [[nodiscard]] bool begin(std::uint32_t chip) {
    if (begin_[chip] != ~std::size_t{0}) return false;
    chip_ = chip, begin_[chip] = entries_.size();
    return true;
  }
  void add(const Entry& entry) { entries_.push_back(entry), ++count_[chip_]; }
  [[nodiscard]] Tables tables() const {
    Tables tables;
    tables.entries.reserve(entries_.size());
    for (std::size_t chip = 0; chip < begin_.size(); ++chip) {
      for (std::size_t at = 0; at < count_[chip]; ++at) tables.entries.push_back(entries_[begin_[chip] + at]);
      tables.end_table();
    }
    return tables;
  }

private:
  std::uint32_t chip_ = 0;
  std::vector<Entry> entries_ = {};
  std::vector<std::size_t> begin_, count_; // [chip]
};

[[nodiscard]] inline std::uint32_t word_at(std::span<const std::uint8_t> bytes, std::size_t at) noexcept {
  return std::uint32_t{bytes[at]} | std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at + 2]} << 16 |
         std::uint32_t{bytes[at + 3]} << 24;
}
[[nodiscard]] inline Refusal malformed(std::string_view name, std::size_t byte, std::string why) {
  return {{Error::file_malformed, static_cast<std::uint32_t>((std::min)(byte, std::size_t{0xFFFFFFFF})), byte, "byte"},
          std::string(name),
          "byte " + std::to_string(byte) + ": " + std::move(why)};
}

} // namespace detail

/// A machine from machine.json: a torus of width x height chips without `dead_chips` and `dead_links`. Of `chip_resources` and its
/// exceptions, "router_entries" is the room for entries, if it is there; others are only looked at for their form.
/// \errors file_malformed
[[nodiscard]] inline Answer<Machine> machine_from_json(std::string text, std::string name = {}) {
  const auto read = host::Json::read(std::move(text), std::move(name));
  if (!read) return read.refusal();
  host::JsonReading reading;
  const host::JsonValue root = read.value().root();
  (void)reading.only(root,
                     {"width", "height", "chip_resources", "chip_resource_exceptions", "dead_chips", "dead_links"});
  const auto width = reading.whole<std::uint32_t>(reading.member(root, "width"), 1, 4096);
  const auto height = reading.whole<std::uint32_t>(reading.member(root, "height"), 1, 4096);
  if (!reading.ok()) return reading.refusal();
  Machine machine = Machine::grid(width, height, true, true);
  const host::JsonValue resources = reading.object(reading.member(root, "chip_resources"));
  for (const auto [what, amount] : resources.members()) {
    const auto count = reading.whole<std::uint32_t>(amount);
    if (what == "router_entries") machine.entries.assign(machine.chips(), count);
  }
  for (const host::JsonValue one : reading.array(reading.optional_member(root, "chip_resource_exceptions"))) {
    const host::JsonValue triple = reading.array(one, 3);
    const auto x = reading.whole<std::uint32_t>(triple.item(0), 0, width - 1);
    const auto y = reading.whole<std::uint32_t>(triple.item(1), 0, height - 1);
    for (const auto [what, amount] : reading.object(triple.item(2)).members()) {
      const auto count = reading.whole<std::uint32_t>(amount);
      if (!resources.find(what)) reading.refuse(amount, "chip_resources has no \"" + std::string(what) + "\"");
      if (reading.ok() && what == "router_entries") machine.entries[std::size_t{y} * width + x] = count;
    }
    if (!reading.ok()) return reading.refusal();
  }
  for (const host::JsonValue one : reading.array(reading.optional_member(root, "dead_links"))) {
    const host::JsonValue triple = reading.array(one, 3);
    const auto x = reading.whole<std::uint32_t>(triple.item(0), 0, width - 1);
    const auto y = reading.whole<std::uint32_t>(triple.item(1), 0, height - 1);
    const unsigned link = detail::direction_from(reading, triple.item(2), true);
    if (!reading.ok()) return reading.refusal();
    machine.remove_link(y * width + x, link);
  }
  for (const host::JsonValue one : reading.array(reading.optional_member(root, "dead_chips"))) {
    const std::uint32_t chip = detail::chip_from(reading, one, machine, false);
    if (!reading.ok()) return reading.refusal();
    machine.is_there[chip] = 0;
  }
  if (!reading.ok()) return reading.refusal();
  for (std::size_t at = 0; at < machine.neighbours.size(); ++at)
    if (std::uint32_t& next = machine.neighbours[at];
        next != none && (machine.is_there[next] == 0 || machine.is_there[at / links] == 0))
      next = none;
  return machine;
}

/// Streams and their sinks; `packets` of a step may be left out, and is 1 then:
///
///     {"streams": [{"key": 256, "mask": 4294967040, "chip": [0, 0], "from": "core3", "packets": 2.5,
///                   "sinks": [{"chip": [2, 1], "directions": ["core1", "core5"]}, {"chip": [3, 1], "directions": ["east"]}]}]}
///
/// A link of a sink is one to a device; "from" is one where a device sends.
/// \errors file_malformed
[[nodiscard]] inline Answer<Demand> demand_from_json(std::string text, const Machine& machine, std::string name = {}) {
  const auto read = host::Json::read(std::move(text), std::move(name));
  if (!read) return read.refusal();
  host::JsonReading reading;
  const host::JsonValue root = read.value().root();
  (void)reading.only(root, {"streams"});
  Demand demand;
  std::vector<Sink> sinks;
  for (const host::JsonValue one : reading.array(reading.member(root, "streams"))) {
    (void)reading.only(one, {"key", "mask", "chip", "from", "packets", "sinks"});
    Stream stream;
    stream.key = reading.whole<std::uint32_t>(reading.member(one, "key"));
    stream.mask = reading.whole<std::uint32_t>(reading.member(one, "mask"));
    stream.chip = detail::chip_from(reading, reading.member(one, "chip"), machine);
    stream.from = detail::direction_from(reading, reading.member(one, "from"));
    if ((stream.key & ~stream.mask) != 0) reading.refuse(one.find("key"), "a key has bits that its mask lacks");
    double packets = 1.0;
    if (const host::JsonValue given = reading.optional_member(one, "packets")) {
      packets = reading.real(given);
      if (packets < 0.0 || packets > 1e9) reading.refuse(given, "0 to 1e9 packets a step are wanted");
    }
    sinks.clear();
    for (const host::JsonValue sink : reading.array(reading.member(one, "sinks"))) {
      (void)reading.only(sink, {"chip", "directions"});
      const std::uint32_t chip = detail::chip_from(reading, reading.member(sink, "chip"), machine);
      const host::JsonValue directions = reading.member(sink, "directions");
      const std::uint32_t route = detail::route_from(reading, directions);
      if (!reading.ok()) return reading.refusal();
      for (unsigned link = 0; link < links; ++link)
        if ((route >> link & 1) != 0 && machine.neighbours[std::size_t{chip} * links + link] != none)
          reading.refuse(directions, "behind link " + direction_name(link) + " a chip is, and not a device");
      sinks.push_back({chip, route});
    }
    if (!reading.ok()) return reading.refusal();
    demand.packets.push_back(packets);
    demand.add(stream, sinks);
  }
  if (!reading.ok()) return reading.refusal();
  return demand;
}

/// routing_tables.json, or PACMAN's router.json. Chips that are not named have no entries.
/// \errors file_malformed
[[nodiscard]] inline Answer<Tables> tables_from_json(std::string text, const Machine& machine, std::string name = {}) {
  const auto read = host::Json::read(std::move(text), std::move(name));
  if (!read) return read.refusal();
  host::JsonReading reading;
  detail::Gathering gathering(machine.chips());
  for (const host::JsonValue table : reading.array(read.value().root())) {
    const bool is_pacmans = static_cast<bool>(table.find("x"));
    std::uint32_t chip = none;
    if (is_pacmans) {
      (void)reading.only(table, {"x", "y", "entries"});
      const auto x = reading.whole<std::uint32_t>(reading.member(table, "x"), 0, machine.width - 1);
      const auto y = reading.whole<std::uint32_t>(reading.member(table, "y"), 0, machine.height - 1);
      chip = y * machine.width + x;
    } else {
      (void)reading.only(table, {"chip", "entries"});
      chip = detail::chip_from(reading, reading.member(table, "chip"), machine, false);
    }
    if (!reading.ok()) return reading.refusal();
    if (!gathering.begin(chip)) reading.refuse(table, machine.name(chip) + " has a table already");
    for (const host::JsonValue one : reading.array(reading.member(table, "entries"))) {
      Entry entry;
      entry.key = reading.whole<std::uint32_t>(reading.member(one, "key"));
      entry.mask = reading.whole<std::uint32_t>(reading.member(one, "mask"));
      if (is_pacmans) {
        (void)reading.only(one, {"key", "mask", "defaultable", "spinnaker_route"});
        (void)reading.truth(reading.member(one, "defaultable"));
        entry.route = reading.whole<std::uint32_t>(reading.member(one, "spinnaker_route"));
      } else {
        (void)reading.only(one, {"key", "mask", "directions"});
        entry.route = detail::route_from(reading, reading.member(one, "directions"));
      }
      if (!reading.ok()) return reading.refusal();
      gathering.add(entry);
    }
  }
  if (!reading.ok()) return reading.refusal();
  return gathering.tables();
}

/// A dump of tables, little-endian: for each chip u8 x, u8 y, u16 n, and n entries of u32 key, mask, source, route.
/// \errors file_malformed
[[nodiscard]] inline Answer<Tables> tables_from_dump(std::span<const std::uint8_t> bytes, const Machine& machine,
                                                     std::string_view name = {}) {
  detail::Gathering gathering(machine.chips());
  for (std::size_t at = 0; at < bytes.size();) {
    if (bytes.size() - at < 4) return detail::malformed(name, at, "the head of a table is cut off");
    const std::uint32_t x = bytes[at], y = bytes[at + 1];
    const std::size_t count = bytes[at + 2] | std::size_t{bytes[at + 3]} << 8;
    if (x >= machine.width || y >= machine.height)
      return detail::malformed(name, at,
                               "a table of chip (" + std::to_string(x) + ", " + std::to_string(y) +
                                   ") of a machine of " + std::to_string(machine.width) + " x " +
                                   std::to_string(machine.height));
    if (!gathering.begin(y * machine.width + x))
      return detail::malformed(name, at, machine.name(y * machine.width + x) + " has a table already");
    if ((bytes.size() - at - 4) / 16 < count)
      return detail::malformed(name, at, "a table of " + std::to_string(count) + " entries is cut off");
    at += 4;
    for (std::size_t entry = 0; entry < count; ++entry, at += 16)
      gathering.add({detail::word_at(bytes, at), detail::word_at(bytes, at + 4), detail::word_at(bytes, at + 12)});
  }
  return gathering.tables();
}

/// The table of one router as it is in memory, or as it is sent to be loaded: entries of u16 next, u16 free, u32 route, key, mask,
/// little-endian. The top byte of a route is an application's, and is taken away; empty entries are left out; one of ones
/// alone ends it.
/// \errors file_malformed
[[nodiscard]] inline Answer<std::vector<Entry>> table_from_router(std::span<const std::uint8_t> bytes,
                                                                  std::string_view name = {}) {
  std::vector<Entry> entries;
  std::size_t at = 0;
  for (; bytes.size() - at >= 16; at += 16) {
    const std::uint32_t links_of = detail::word_at(bytes, at), route = detail::word_at(bytes, at + 4);
    const Entry entry{detail::word_at(bytes, at + 8), detail::word_at(bytes, at + 12), route & 0x00FFFFFF};
    if ((links_of & route & entry.key & entry.mask) == 0xFFFFFFFF) return entries;
    if ((entry.key & ~entry.mask) != 0) continue; // meets nothing: free, as it has key ffffffff and mask 0
    entries.push_back(entry);
  }
  if (at != bytes.size()) return detail::malformed(name, at, "an entry of 16 bytes is cut off");
  return entries;
}

/// As machine_from_json reads it.
[[nodiscard]] inline std::string machine_to_json(const Machine& machine) {
  host::JsonWriter writer(2);
  writer.begin_object().member("width", machine.width).member("height", machine.height);
  const std::uint32_t common = machine.entries.empty() ? 0 : machine.entries.front();
  writer.name("chip_resources").begin_object();
  if (!machine.entries.empty()) writer.member("router_entries", common);
  writer.end_object();
  writer.name("chip_resource_exceptions").begin_array();
  for (std::uint32_t chip = 0; chip < machine.entries.size(); ++chip) {
    if (machine.entries[chip] == common) continue;
    writer.begin_array().value(chip % machine.width).value(chip / machine.width);
    writer.begin_object().member("router_entries", machine.entries[chip]).end_object().end_array();
  }
  writer.end_array().name("dead_chips").begin_array();
  for (std::uint32_t chip = 0; chip < machine.chips(); ++chip)
    if (machine.is_there[chip] == 0) detail::write_chip(writer, machine, chip);
  writer.end_array().name("dead_links").begin_array();
  const Machine whole = Machine::grid(machine.width, machine.height, true, true);
  for (std::uint32_t at = 0; at < machine.neighbours.size(); ++at) {
    const std::uint32_t chip = at / links, next = whole.neighbours[at];
    if (machine.neighbours[at] != none || machine.is_there[chip] == 0 || machine.is_there[next] == 0) continue;
    writer.begin_array().value(chip % machine.width).value(chip / machine.width);
    writer.value(detail::direction_names[at % links]).end_array();
  }
  return writer.end_array().end_object().take();
}
/// As demand_from_json reads it.
[[nodiscard]] inline std::string demand_to_json(const Demand& demand, const Machine& machine) {
  host::JsonWriter writer(2);
  writer.begin_object().name("streams").begin_array();
  for (std::size_t at = 0; at < demand.streams.size(); ++at) {
    const Stream& stream = demand.streams[at];
    writer.begin_object().member("key", stream.key).member("mask", stream.mask).name("chip");
    detail::write_chip(writer, machine, stream.chip);
    writer.member("from", detail::direction_as_text(stream.from));
    writer.member("packets", demand.packets.empty() ? 1.0 : demand.packets[at]).name("sinks").begin_array();
    for (const Sink& sink : demand.sinks_of(at)) {
      writer.begin_object().name("chip");
      detail::write_chip(writer, machine, sink.chip);
      writer.name("directions");
      detail::write_route(writer, sink.route);
      writer.end_object();
    }
    writer.end_array().end_object();
  }
  return writer.end_array().end_object().take();
}
/// routing_tables.json, of chips that have entries.
[[nodiscard]] inline std::string tables_to_json(const Tables& tables, const Machine& machine) {
  host::JsonWriter writer(3);
  writer.begin_array();
  for (std::uint32_t chip = 0; chip < machine.chips(); ++chip) {
    if (tables[chip].empty()) continue;
    writer.begin_object().name("chip");
    detail::write_chip(writer, machine, chip);
    writer.name("entries").begin_array();
    for (const Entry& entry : tables[chip]) {
      writer.begin_object().member("key", entry.key).member("mask", entry.mask).name("directions");
      detail::write_route(writer, entry.route);
      writer.end_object();
    }
    writer.end_array().end_object();
  }
  return writer.end_array().take();
}

} // namespace proof
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
