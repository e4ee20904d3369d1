// SPDX-License-Identifier: BSL-1.0
/// \file
/// Machines, graphs, constraints and what mapping makes of them as JSON, for other tools and from them.
///
///     auto graph = mapping::graph_from_json(text_of("graph.json"), "graph.json");
///     if (!graph) return std::puts(graph.sentence().c_str()), 1; // graph.json: line 7, column 12, edges.e1.source: ...
///     const mapping::GraphNames& names = graph.value().names;
///     ... // place
///     save("placements.json", mapping::placements_to_json(placements, names, machine));
///
/// The files are those of the "Place & Route Data Interchange Format", which PACMAN has in its file_format_schemas, too; each
/// function says where it has more than that. What a file does not say is as a default; what it should not say is refused by line,
/// column and path. Boards are in none of them.
/// \source J. Heathcote, place-and-route-interchange-format, 2015; SpiNNakerManchester/PACMAN, file_format_schemas
// host-only
#ifndef NEUROMORPH_MAPPING_INTERCHANGE_HPP
#define NEUROMORPH_MAPPING_INTERCHANGE_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/json.hpp>
#include <neuromorph/mapping/constraints.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

/// What files call vertices and partitions, each another name.
struct GraphNames {
  std::vector<std::string> vertices = {}, partitions = {};

  /// "vertex 3, retina", and "edge 5".
  [[nodiscard]] static GraphNames of(const MachineGraph& graph) {
    GraphNames names;
    for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex) names.vertices.push_back(graph.name(vertex));
    for (Partition at = 0; at < graph.partitions(); ++at) names.partitions.push_back("edge " + std::to_string(at));
    return names;
  }
};
struct NamedGraph {
  MachineGraph graph = {};
  GraphNames names = {};
};

namespace detail {

inline constexpr const char* link_words[link_count] = {"east", "north_east", "north", "west", "south_west", "south"};

/// Numbers of names.
class NameIndex {
public:
  NameIndex() = default;
  explicit NameIndex(const std::vector<std::string>& names) {
    for (std::uint32_t at = 0; at < names.size(); ++at) sorted_.emplace_back(names[at], at);
    std::sort(sorted_.begin(), sorted_.end());
  }
  /// Refused where there is none.
  [[nodiscard]] std::uint32_t find(host::JsonReading& reading, host::JsonValue value, std::string_view name,
                                   const char* kind) const {
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), name,
                                     [](const auto& one, std::string_view wanted) { return one.first < wanted; });
    if (at != sorted_.end() && at->first == name) return at->second;
    reading.refuse(value, "there is no " + std::string(kind) + " \"" + std::string(name) + "\"");
    return 0;
  }
  [[nodiscard]] std::uint32_t read(host::JsonReading& reading, host::JsonValue value, const char* kind) const {
    const std::string_view name = reading.text(value);
    return reading.ok() ? find(reading, value, name, kind) : 0;
  }

private:
  std::vector<std::pair<std::string_view, std::uint32_t>> sorted_ = {};
};

[[nodiscard]] inline Chip read_chip(host::JsonReading& reading, host::JsonValue value, const Machine& machine) {
  const host::JsonValue place = reading.array(value, 2);
  const auto x = reading.whole<std::uint32_t>(place.item(0), 0, machine.width() - 1);
  const auto y = reading.whole<std::uint32_t>(place.item(1), 0, machine.height() - 1);
  return reading.ok() && place ? machine.chip_at(x, y) : no_chip;
}
/// Its number, 0 to 5 for links and 6 + p for core p, or 0 where it is refused.
[[nodiscard]] inline unsigned read_direction(host::JsonReading& reading, host::JsonValue value,
                                             bool only_links = false) {
  const std::string_view name = reading.text(value);
  if (!reading.ok()) return 0;
  for (unsigned link = 0; link < link_count; ++link)
    if (name == link_words[link]) return link;
  for (unsigned core = 0; core < most_cores && !only_links; ++core)
    if (name == "core" + std::to_string(core)) return link_count + core;
  reading.refuse(value, std::string(only_links ? "a link" : "a link or core0 to core25") + " is wanted, and not " +
                            value.in_a_sentence());
  return 0;
}
[[nodiscard]] inline std::string direction_word(unsigned direction) {
  return direction < link_count ? link_words[direction] : "core" + std::to_string(direction - link_count);
}
/// [from, to) of cores that is one of them.
[[nodiscard]] inline std::uint8_t read_core(host::JsonReading& reading, host::JsonValue value) {
  const host::JsonValue range = reading.array(value, 2);
  const auto core = reading.whole<std::uint8_t>(range.item(0), 0, most_cores - 1);
  const auto end = reading.whole<std::uint8_t>(range.item(1), 0, most_cores);
  if (reading.ok() && end != core + 1)
    reading.refuse(range, "a range of one core is wanted, and not of " + std::to_string(end - core));
  return core;
}
/// The chip of the rectangle where a vertex is, or its device is connected.
[[nodiscard]] inline Chip real_chip(const Machine& machine, Chip chip) noexcept {
  return machine.is_virtual(chip) ? machine.device(chip).chip : chip;
}
inline void write_chip(host::JsonWriter& writer, const Machine& machine, Chip chip) {
  chip = real_chip(machine, chip);
  writer.begin_array(true).value(machine.x(chip)).value(machine.y(chip)).end_array();
}

/// Resources of chips that files of ours have; only the first two are known to all tools.
struct KindMember {
  const char* name;
  std::uint32_t ChipKind::*member;
};
inline constexpr KindMember kind_members[] = {{"cores", &ChipKind::cores},
                                              {"sdram", &ChipKind::sdram_bytes},
                                              {"router_entries", &ChipKind::router_entries},
                                              {"monitors", &ChipKind::monitors},
                                              {"clock_mhz", &ChipKind::clock_mhz},
                                              {"itcm", &ChipKind::itcm_bytes},
                                              {"dtcm", &ChipKind::dtcm_bytes},
                                              {"tags", &ChipKind::tags}};
struct ResourceMember {
  const char* name;
  std::uint32_t Resources::*member;
};
inline constexpr ResourceMember resource_members[] = {
    {"sdram", &Resources::sdram_bytes}, {"sdram_per_step", &Resources::sdram_per_step},
    {"dtcm", &Resources::dtcm_bytes},   {"cycles_per_step", &Resources::cycles_per_step},
    {"ip_tags", &Resources::ip_tags},   {"reverse_tags", &Resources::reverse_tags}};

[[nodiscard]] inline std::uint32_t users_cores(const ChipKind& kind) noexcept {
  return ((1U << kind.cores) - 1) & ~((1U << kind.monitors) - 1);
}

} // namespace detail

/// machine.json. A machine is a torus without its `dead_links`, so a link beyond an edge is one of them. "core_bits" says which
/// cores there are, bit p for core p; "cores" counts them, with monitors. Devices are in constraints.json.
[[nodiscard]] inline std::string machine_to_json(const Machine& machine) {
  const ChipKind& kind = machine.kind();
  host::JsonWriter writer(2);
  writer.begin_object().member("width", machine.width()).member("height", machine.height());
  writer.name("chip_resources").begin_object();
  for (const auto& [name, member] : detail::kind_members) writer.member(name, kind.*member);
  writer.member("core_bits", detail::users_cores(kind)).end_object();
  writer.name("chip_resource_exceptions").begin_array();
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
    const bool has_cores = machine.cores(chip) == detail::users_cores(kind);
    if (!machine.has(chip) || (has_cores && machine.sdram_bytes(chip) == kind.sdram_bytes &&
                               machine.router_entries(chip) == kind.router_entries))
      continue;
    writer.begin_array().value(machine.x(chip)).value(machine.y(chip)).begin_object();
    if (!has_cores) {
      writer.member("cores", static_cast<unsigned>(std::popcount(machine.cores(chip))) + kind.monitors);
      writer.member("core_bits", machine.cores(chip));
    }
    if (machine.sdram_bytes(chip) != kind.sdram_bytes) writer.member("sdram", machine.sdram_bytes(chip));
    if (machine.router_entries(chip) != kind.router_entries)
      writer.member("router_entries", machine.router_entries(chip));
    writer.end_object().end_array();
  }
  writer.end_array().name("dead_chips").begin_array();
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
    if (!machine.has(chip)) detail::write_chip(writer, machine, chip);
  writer.end_array().name("dead_links").begin_array();
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
    for (unsigned link = 0; link < link_count && machine.has(chip); ++link) {
      const Chip next = machine.neighbour(chip, Link(link)), beside = machine.beside(chip, Link(link));
      if ((next != no_chip && !machine.is_virtual(next)) || (beside != no_chip && !machine.has(beside))) continue;
      writer.begin_array().value(machine.x(chip)).value(machine.y(chip)).value(detail::link_words[link]).end_array();
    }
  return writer.end_array().end_object().take();
}

/// A machine whose edge no link crosses has no wraps there. Resources of unknown names are only looked at for their form.
/// \param  kind  what the file does not say of chips
/// \errors file_malformed; those of Machine::grid
[[nodiscard]] inline Answer<Machine> machine_from_json(std::string text, std::string name = {},
                                                       ChipKind kind = SpiNNaker1::kind) {
  const auto read = host::Json::read(std::move(text), std::move(name));
  if (!read) return read.refusal();
  host::JsonReading reading;
  const host::JsonValue root = read.value().root();
  (void)reading.only(root, {"width", "height", "chip_resources", "chip_resource_exceptions", "dead_chips", "dead_links",
                            "ip_addresses"});
  const auto width = reading.whole<std::uint32_t>(reading.member(root, "width"), 1, 4096);
  const auto height = reading.whole<std::uint32_t>(reading.member(root, "height"), 1, 4096);
  const host::JsonValue resources = reading.object(reading.member(root, "chip_resources"));
  std::uint32_t core_bits = 0;
  bool has_bits = false;
  for (const auto [what, amount] : resources.members()) {
    const auto count = reading.whole<std::uint32_t>(amount);
    for (const auto& [known, member] : detail::kind_members)
      if (what == known) kind.*member = count;
    if (what == "core_bits") core_bits = count, has_bits = true;
  }
  if (reading.ok() && (kind.cores < 1 || kind.cores > most_cores || kind.monitors >= kind.cores))
    reading.refuse(resources, "1 to 26 cores with fewer monitors are wanted, and not " + std::to_string(kind.cores) +
                                  " with " + std::to_string(kind.monitors));
  if (!reading.ok()) return reading.refusal();

  // Which links are missing tells of wraps.
  std::vector<std::uint8_t> is_dead(std::size_t{width} * height), is_cut(is_dead.size() * link_count);
  for (const host::JsonValue one : reading.array(reading.optional_member(root, "dead_chips"))) {
    const host::JsonValue place = reading.array(one, 2);
    const auto x = reading.whole<std::uint32_t>(place.item(0), 0, width - 1);
    const auto y = reading.whole<std::uint32_t>(place.item(1), 0, height - 1);
    if (!reading.ok()) return reading.refusal();
    is_dead[std::size_t{y} * width + x] = 1;
  }
  for (const host::JsonValue one : reading.array(reading.optional_member(root, "dead_links"))) {
    const host::JsonValue triple = reading.array(one, 3);
    const auto x = reading.whole<std::uint32_t>(triple.item(0), 0, width - 1);
    const auto y = reading.whole<std::uint32_t>(triple.item(1), 0, height - 1);
    const unsigned link = detail::read_direction(reading, triple.item(2), true);
    if (!reading.ok()) return reading.refusal();
    is_cut[(std::size_t{y} * width + x) * link_count + link] = 1;
  }
  Wraps wraps;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x)
      for (unsigned link = 0; link < link_count; ++link) {
        const std::int64_t to_x = std::int64_t{x} + link_x[link], to_y = std::int64_t{y} + link_y[link];
        const bool leaves_x = to_x < 0 || to_x >= width, leaves_y = to_y < 0 || to_y >= height;
        const std::size_t from = std::size_t{y} * width + x;
        const std::size_t to = static_cast<std::size_t>((to_y + height) % height * width + (to_x + width) % width);
        if ((!leaves_x && !leaves_y) || is_cut[from * link_count + link] != 0 || is_dead[from] != 0 || is_dead[to] != 0)
          continue;
        wraps.wraps_x = wraps.wraps_x || leaves_x, wraps.wraps_y = wraps.wraps_y || leaves_y;
      }
  auto made = Machine::grid(kind, width, height, wraps);
  if (!made) return made.refusal();
  Machine machine = std::move(made).value();
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
    if (is_dead[chip] != 0)
      machine.remove_chip(chip);
    else if (has_bits)
      machine.set_cores(chip, core_bits);
    for (unsigned link = 0; link < link_count; ++link)
      if (is_cut[std::size_t{chip} * link_count + link] != 0) machine.remove_link(chip, Link(link));
  }
  for (const host::JsonValue one : reading.array(reading.optional_member(root, "chip_resource_exceptions"))) {
    const host::JsonValue triple = reading.array(one, 3);
    const auto x = reading.whole<std::uint32_t>(triple.item(0), 0, width - 1);
    const auto y = reading.whole<std::uint32_t>(triple.item(1), 0, height - 1);
    const host::JsonValue amounts = reading.object(triple.item(2));
    const Chip chip = reading.ok() ? machine.chip_at(x, y) : 0;
    for (const auto [what, amount] : amounts.members()) {
      const auto count = reading.whole<std::uint32_t>(amount);
      if (!resources.find(what)) reading.refuse(amount, "chip_resources has no \"" + std::string(what) + "\"");
      if (!reading.ok() || !machine.has(chip)) continue;
      if (what == "sdram") machine.set_sdram_bytes(chip, count);
      if (what == "router_entries") machine.set_router_entries(chip, count);
      if (what == "core_bits") machine.set_cores(chip, count & ((1U << most_cores) - 1));
      if (what == "cores" && !amounts.find("core_bits")) {
        if (count > most_cores)
          reading.refuse(amount, "at most 26 cores are wanted");
        else
          machine.set_cores(chip, ((1U << count) - 1) & ~((1U << kind.monitors) - 1));
      }
    }
    if (!reading.ok()) return reading.refusal();
  }
  for (const host::JsonValue one : reading.array(reading.optional_member(root, "ip_addresses"))) {
    const host::JsonValue triple = reading.array(one, 3);
    (void)reading.whole<std::uint32_t>(triple.item(0), 0, width - 1);
    (void)reading.whole<std::uint32_t>(triple.item(1), 0, height - 1);
    (void)reading.text(triple.item(2));
    if (!reading.ok()) break;
  }
  if (!reading.ok()) return reading.refusal();
  return machine;
}

/// graph.json: an edge is a partition, its `weight` packets of a step, its `type` the identifier. How many keys a partition sends is
/// in none of the schemas: key_counts_to_json().
[[nodiscard]] inline std::string graph_to_json(const MachineGraph& graph, const GraphNames& names) {
  host::JsonWriter writer(2);
  writer.begin_object().name("vertices_resources").begin_object();
  for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex) {
    writer.name(names.vertices[vertex]).begin_object().member("cores", 1);
    for (const auto& [name, member] : detail::resource_members)
      if (graph.resources(vertex).*member != 0) writer.member(name, graph.resources(vertex).*member);
    writer.end_object();
  }
  writer.end_object().name("edges").begin_object();
  for (Partition at = 0; at < graph.partitions(); ++at) {
    const PartitionOptions& options = graph.options(at);
    writer.name(names.partitions[at]).begin_object().member("source", names.vertices[graph.source(at)]);
    writer.name("sinks").begin_array();
    for (const Vertex target : graph.targets(at)) writer.value(names.vertices[target]);
    writer.end_array().member("weight", options.packets_per_step).member("type", options.identifier).end_object();
  }
  return writer.end_object().end_object().take();
}
/// PACMAN's n_keys_map.json, with the name of the edge as well, as a vertex may have two of a kind.
[[nodiscard]] inline std::string key_counts_to_json(const MachineGraph& graph, const GraphNames& names) {
  host::JsonWriter writer(1);
  writer.begin_array();
  for (Partition at = 0; at < graph.partitions(); ++at)
    writer.begin_object()
        .member("pre_vertex_label", names.vertices[graph.source(at)])
        .member("n_keys", graph.options(at).keys)
        .member("identifier", graph.options(at).identifier)
        .end_object();
  return writer.end_array().take();
}

/// Vertices and partitions are numbered as the file has them.
/// \param  key_counts  n_keys_map.json, or nothing: one key each
/// \errors file_malformed
[[nodiscard]] inline Answer<NamedGraph> graph_from_json(std::string text, std::string name = {},
                                                        std::string key_counts = {},
                                                        std::string name_of_key_counts = {}) {
  const auto read = host::Json::read(std::move(text), std::move(name));
  if (!read) return read.refusal();
  host::JsonReading reading;
  NamedGraph made;
  const host::JsonValue root = read.value().root();
  (void)reading.only(root, {"vertices_resources", "edges"});
  for (const auto [label, amounts] : reading.object(reading.member(root, "vertices_resources")).members()) {
    Resources resources;
    for (const auto [what, amount] : reading.object(amounts).members()) {
      const auto count = reading.whole<std::uint32_t>(amount);
      bool is_known = what == "cores";
      if (is_known && count > 1) reading.refuse(amount, "a vertex has one core, or none where it is a device");
      for (const auto& [known, member] : detail::resource_members)
        if (what == known) resources.*member = count, is_known = true;
      if (!is_known) reading.refuse(amount, "\"" + std::string(what) + "\" is no resource that is known here");
    }
    if (!reading.ok()) return reading.refusal();
    const std::string number = "vertex " + std::to_string(made.graph.vertices());
    std::string given(label); // what a graph adds to names is not added twice
    if (given == number) given.clear();
    if (given.rfind(number + ", ", 0) == 0) given.erase(0, number.size() + 2);
    (void)made.graph.add(resources, std::move(given));
    made.names.vertices.emplace_back(label);
  }
  const detail::NameIndex vertices(made.names.vertices);

  std::vector<std::uint32_t> counts; // [partition], in the order of the file
  const auto counted = key_counts.empty() ? Answer<host::Json>(Refusal{{Error::file_malformed}})
                                          : host::Json::read(std::move(key_counts), std::move(name_of_key_counts));
  const host::JsonValue edges = reading.object(reading.member(root, "edges"));
  if (counted) {
    const host::JsonValue list = reading.array(counted.value().root(), edges.size());
    auto edge = edges.members().begin();
    for (const host::JsonValue one : list) {
      (void)reading.only(one, {"pre_vertex_label", "n_keys", "identifier"});
      const host::JsonValue label = reading.member(one, "pre_vertex_label"), kind = reading.member(one, "identifier");
      const auto of = (*edge).value.find("source"), type = (*edge).value.find("type");
      if (reading.text(label) != (of.is(host::JsonKind::text) ? of.text() : std::string_view{}))
        reading.refuse(label, "the edge at this place begins at another vertex");
      if (reading.text(kind) != (type.is(host::JsonKind::text) ? type.text() : std::string_view{}))
        reading.refuse(kind, "the edge at this place is of another type");
      counts.push_back(reading.whole<std::uint32_t>(reading.member(one, "n_keys"), 1));
      if (!reading.ok()) return reading.refusal();
      ++edge;
    }
  } else if (!counted.refusal().of.empty() || !counted.refusal().why.empty()) {
    return counted.refusal();
  }

  std::vector<Vertex> sinks;
  for (const auto [label, edge] : edges.members()) {
    (void)reading.only(edge, {"source", "sinks", "weight", "type"});
    const Vertex source = vertices.read(reading, reading.member(edge, "source"), "vertex");
    sinks.clear();
    for (const host::JsonValue sink : reading.array(reading.member(edge, "sinks")))
      sinks.push_back(vertices.read(reading, sink, "vertex"));
    const host::JsonValue weight = reading.member(edge, "weight");
    PartitionOptions options;
    options.packets_per_step = reading.real(weight);
    if (options.packets_per_step < 0.0) reading.refuse(weight, "a weight is not below 0");
    options.identifier = reading.text(reading.member(edge, "type"));
    if (made.graph.partitions() < counts.size()) options.keys = counts[made.graph.partitions()];
    if (!reading.ok()) return reading.refusal();
    made.names.partitions.emplace_back(label);
    (void)made.graph.connect(source, sinks, options);
  }
  if (!reading.ok()) return reading.refusal();
  return made;
}

/// placements.json: a device is at the chip that it is connected to.
[[nodiscard]] inline std::string placements_to_json(const Placements& placed, const GraphNames& names,
                                                    const Machine& machine) {
  host::JsonWriter writer(1);
  writer.begin_object();
  for (std::size_t vertex = 0; vertex < placed.chip.size(); ++vertex) {
    writer.name(names.vertices[vertex]);
    detail::write_chip(writer, machine, placed.chip[vertex]);
  }
  return writer.end_object().take();
}
/// allocations_cores.json: devices have none.
[[nodiscard]] inline std::string allocations_to_json(const Placements& placed, const GraphNames& names,
                                                     const Machine& machine) {
  host::JsonWriter writer(2);
  writer.begin_object().member("type", "cores").name("allocations").begin_object();
  for (std::size_t vertex = 0; vertex < placed.chip.size(); ++vertex) {
    if (machine.is_virtual(placed.chip[vertex])) continue;
    writer.name(names.vertices[vertex])
        .begin_array()
        .value(placed.core[vertex])
        .value(placed.core[vertex] + 1)
        .end_array();
  }
  return writer.end_object().end_object().take();
}
/// Placements from both files. Every vertex has to be in the first, and all but devices in the second.
/// \param  constraints  which vertices are devices
/// \errors file_malformed
[[nodiscard]] inline Answer<Placements> placements_from_json(std::string text, std::string allocations,
                                                             const GraphNames& names, const Machine& machine,
                                                             const Constraints& constraints = {}, std::string name = {},
                                                             std::string name_of_allocations = {}) {
  const auto read = host::Json::read(std::move(text), std::move(name));
  if (!read) return read.refusal();
  const auto allocated = host::Json::read(std::move(allocations), std::move(name_of_allocations));
  if (!allocated) return allocated.refusal();
  host::JsonReading reading;
  const detail::NameIndex vertices(names.vertices);
  Placements placed;
  placed.chip.assign(names.vertices.size(), no_chip), placed.core.assign(names.vertices.size(), 0xFF);
  std::vector<Chip> device(names.vertices.size(), no_chip);
  for (const OnChip& one : constraints.devices)
    if (one.vertex < device.size() && one.chip < machine.chips() && machine.is_virtual(one.chip))
      device[one.vertex] = one.chip;
  for (const auto [label, place] : reading.object(read.value().root()).members()) {
    const Vertex vertex = vertices.find(reading, place, label, "vertex");
    const Chip chip = detail::read_chip(reading, place, machine);
    if (!reading.ok()) return reading.refusal();
    if (!machine.has(chip)) reading.refuse(place, machine.name(chip) + " is not there");
    if (device[vertex] != no_chip && machine.device(device[vertex]).chip != chip)
      reading.refuse(place, "its device is connected to " + machine.name(machine.device(device[vertex]).chip));
    placed.chip[vertex] = device[vertex] == no_chip ? chip : device[vertex];
    if (device[vertex] != no_chip) placed.core[vertex] = 0;
  }
  const host::JsonValue root = allocated.value().root();
  (void)reading.only(root, {"type", "allocations"});
  const host::JsonValue type = reading.member(root, "type");
  if (reading.text(type) != "cores")
    reading.refuse(type, "\"cores\" is wanted, and not " + (type ? type.in_a_sentence() : ""));
  const host::JsonValue ranges = reading.object(reading.member(root, "allocations"));
  for (const auto [label, range] : ranges.members()) {
    const Vertex vertex = vertices.find(reading, range, label, "vertex");
    const std::uint8_t core = detail::read_core(reading, range);
    if (!reading.ok()) return reading.refusal();
    if (device[vertex] != no_chip) reading.refuse(range, "a device has no core");
    placed.core[vertex] = core;
  }
  for (std::size_t vertex = 0; vertex < names.vertices.size() && reading.ok(); ++vertex)
    if (placed.chip[vertex] == no_chip)
      reading.refuse(read.value().root(), "\"" + names.vertices[vertex] + "\" is missing");
  for (std::size_t vertex = 0; vertex < names.vertices.size() && reading.ok(); ++vertex)
    if (placed.core[vertex] == 0xFF) reading.refuse(ranges, "\"" + names.vertices[vertex] + "\" is missing");
  if (!reading.ok()) return reading.refusal();
  return placed;
}

/// routing_keys.json.
[[nodiscard]] inline std::string keys_to_json(const Keys& keys, const GraphNames& names) {
  host::JsonWriter writer(1);
  writer.begin_object();
  for (std::size_t at = 0; at < keys.size(); ++at)
    writer.name(names.partitions[at])
        .begin_array()
        .begin_object()
        .member("key", keys[at].key)
        .member("mask", keys[at].mask)
        .end_object()
        .end_array();
  return writer.end_object().take();
}
/// One key and mask for each partition, in any order.
/// \errors file_malformed
[[nodiscard]] inline Answer<Keys> keys_from_json(std::string text, const GraphNames& names, std::string name = {}) {
  const auto read = host::Json::read(std::move(text), std::move(name));
  if (!read) return read.refusal();
  host::JsonReading reading;
  const detail::NameIndex partitions(names.partitions);
  Keys keys(names.partitions.size());
  std::vector<std::uint8_t> is_read(keys.size());
  for (const auto [label, list] : reading.object(read.value().root()).members()) {
    const Partition at = partitions.find(reading, list, label, "edge");
    const host::JsonValue one = reading.array(list, 1).item(0);
    (void)reading.only(one, {"key", "mask"});
    const host::JsonValue key = reading.member(one, "key");
    const KeyMask given{reading.whole<std::uint32_t>(key), reading.whole<std::uint32_t>(reading.member(one, "mask"))};
    if ((given.key & ~given.mask) != 0) reading.refuse(key, "a key has bits that its mask lacks");
    if (!reading.ok()) return reading.refusal();
    keys[at] = given, is_read[at] = 1;
  }
  for (std::size_t at = 0; at < keys.size() && reading.ok(); ++at)
    if (is_read[at] == 0) reading.refuse(read.value().root(), "\"" + names.partitions[at] + "\" is missing");
  if (!reading.ok()) return reading.refusal();
  return keys;
}

/// routing_tables.json, of chips that have entries. From where packets come is not in it.
[[nodiscard]] inline std::string tables_to_json(const Tables& tables, const Machine& machine) {
  host::JsonWriter writer(3);
  writer.begin_array();
  for (std::size_t chip = 0; chip < tables.size(); ++chip) {
    if (tables[chip].empty()) continue;
    writer.begin_object().name("chip");
    detail::write_chip(writer, machine, static_cast<Chip>(chip));
    writer.name("entries").begin_array();
    for (const TableEntry& entry : tables[chip]) {
      writer.begin_object()
          .member("key", entry.keys.key)
          .member("mask", entry.keys.mask)
          .name("directions")
          .begin_array();
      for (Route left = entry.route; left != 0; left &= left - 1)
        writer.value(detail::direction_word(static_cast<unsigned>(std::countr_zero(left))));
      writer.end_array().end_object();
    }
    writer.end_array().end_object();
  }
  return writer.end_array().take();
}
/// \errors file_malformed
[[nodiscard]] inline Answer<Tables> tables_from_json(std::string text, const Machine& machine, std::string name = {}) {
  const auto read = host::Json::read(std::move(text), std::move(name));
  if (!read) return read.refusal();
  host::JsonReading reading;
  std::vector<host::JsonValue> of_chip(machine.grid_chips());
  for (const host::JsonValue table : reading.array(read.value().root())) {
    (void)reading.only(table, {"chip", "entries"});
    const Chip chip = detail::read_chip(reading, reading.member(table, "chip"), machine);
    if (!reading.ok()) return reading.refusal();
    if (of_chip[chip]) reading.refuse(table, machine.name(chip) + " has a table already");
    of_chip[chip] = reading.array(reading.member(table, "entries"));
  }
  Tables tables;
  for (const host::JsonValue entries : of_chip) {
    for (const host::JsonValue one : entries) {
      (void)reading.only(one, {"key", "mask", "directions"});
      TableEntry entry;
      entry.keys.key = reading.whole<std::uint32_t>(reading.member(one, "key"));
      entry.keys.mask = reading.whole<std::uint32_t>(reading.member(one, "mask"));
      for (const host::JsonValue direction : reading.array(reading.member(one, "directions"))) {
        const Route bit_of = Route{1} << detail::read_direction(reading, direction);
        if ((entry.route & bit_of) != 0) reading.refuse(direction, "this direction is named twice");
        entry.route |= bit_of;
      }
      if (!reading.ok()) return reading.refusal();
      tables.items.push_back(entry);
    }
    tables.end_list();
  }
  if (!reading.ok()) return reading.refusal();
  return tables;
}

/// routes.json: trees of chips, each edge's. Leaves name the vertices that the route delivers to.
[[nodiscard]] inline std::string routes_to_json(const Routes& routes, const MachineGraph& graph,
                                                const GraphNames& names, const Placements& placed,
                                                const Machine& machine) {
  host::JsonWriter writer(1);
  writer.begin_object();
  std::vector<std::uint32_t> node_of(machine.grid_chips());
  for (Partition at = 0; at < routes.size(); ++at) {
    const auto nodes = routes[at];
    writer.name(names.partitions[at]);
    std::vector<std::pair<std::uint64_t, Vertex>> leaves; // by chip and direction
    for (const Vertex target : graph.targets(at)) {
      const Chip chip = placed.chip[target];
      const unsigned direction =
          machine.is_virtual(chip) ? unsigned(machine.device(chip).link) : link_count + placed.core[target];
      leaves.emplace_back(std::uint64_t{detail::real_chip(machine, chip)} * 32 + direction, target);
    }
    std::sort(leaves.begin(), leaves.end());
    leaves.erase(std::unique(leaves.begin(), leaves.end()), leaves.end());
    for (std::uint32_t node = 0; node < nodes.size(); ++node) node_of[nodes[node].chip] = node;
    struct Open {
      std::uint32_t node;
      Route left;
    };
    std::vector<Open> path;
    const auto open = [&](std::uint32_t node) {
      writer.begin_object().name("chip");
      detail::write_chip(writer, machine, nodes[node].chip);
      writer.name("children").begin_array();
      path.push_back({node, nodes[node].route});
    };
    if (nodes.empty())
      writer.null();
    else
      open(0);
    while (!path.empty()) {
      Open& here = path.back();
      if (here.left == 0) {
        writer.end_array().end_object();
        path.pop_back();
        if (!path.empty()) writer.end_object(); // of the child that led here
        continue;
      }
      const auto direction = static_cast<unsigned>(std::countr_zero(here.left));
      here.left &= here.left - 1;
      const Chip chip = nodes[here.node].chip;
      const Chip next = direction < link_count ? machine.neighbour(chip, Link(direction)) : no_chip;
      if (next != no_chip && !machine.is_virtual(next)) {
        writer.begin_object().member("route", detail::direction_word(direction)).name("next_hop");
        open(node_of[next]);
        continue;
      }
      const std::uint64_t place = std::uint64_t{chip} * 32 + direction;
      for (auto leaf = std::lower_bound(leaves.begin(), leaves.end(), std::pair(place, Vertex{0}));
           leaf != leaves.end() && leaf->first == place; ++leaf)
        writer.begin_object()
            .member("route", detail::direction_word(direction))
            .member("next_hop", names.vertices[leaf->second])
            .end_object();
    }
  }
  return writer.end_object().take();
}

/// Trees of all partitions, on links that there are, to where vertices are placed; null for one that leads nowhere. Whether all
/// targets are reached is not asked.
/// \errors file_malformed
[[nodiscard]] inline Answer<Routes> routes_from_json(std::string text, const MachineGraph& graph,
                                                     const GraphNames& names, const Placements& placed,
                                                     const Machine& machine, std::string name = {}) {
  const auto read = host::Json::read(std::move(text), std::move(name), {.depth = std::size_t{1} << 16});
  if (!read) return read.refusal();
  host::JsonReading reading;
  const detail::NameIndex vertices(names.vertices), partitions(names.partitions);
  std::vector<host::JsonValue> of(names.partitions.size());
  const host::JsonValue root = reading.object(read.value().root());
  for (const auto [label, tree] : root.members()) {
    const Partition at = partitions.find(reading, tree, label, "edge");
    if (!reading.ok()) return reading.refusal();
    of[at] = tree;
  }
  Routes routes;
  std::vector<Partition> met(machine.grid_chips(), 0xFFFFFFFF);
  struct Coming {
    host::JsonValue tree;
    Chip chip; // that the link leads to, or no_chip at the source
    std::uint8_t from;
  };
  std::vector<Coming> coming;
  for (Partition at = 0; at < of.size(); ++at) {
    if (!of[at]) {
      reading.refuse(root, "\"" + names.partitions[at] + "\" is missing");
      return reading.refusal();
    }
    const Chip source = placed.chip[graph.source(at)];
    const bool is_device = machine.is_virtual(source);
    coming.clear();
    if (!of[at].is(host::JsonKind::null))
      coming.push_back({of[at], detail::real_chip(machine, source),
                        is_device ? static_cast<std::uint8_t>(machine.device(source).link) : RouteNode::from_core});
    while (!coming.empty()) {
      const Coming here = coming.back();
      coming.pop_back();
      (void)reading.only(here.tree, {"chip", "children"});
      const host::JsonValue place = reading.member(here.tree, "chip");
      const Chip chip = detail::read_chip(reading, place, machine);
      if (reading.ok() && chip != here.chip)
        reading.refuse(place, here.tree.path() == of[at].path() ? "its source is on " + machine.name(here.chip)
                                                                : "the link leads to " + machine.name(here.chip));
      if (!reading.ok()) return reading.refusal();
      if (met[chip] == at) reading.refuse(place, "the route comes to " + machine.name(chip) + " twice");
      met[chip] = at;
      RouteNode node{chip, 0, here.from};
      const std::size_t first = coming.size();
      for (const host::JsonValue child : reading.array(reading.member(here.tree, "children"))) {
        (void)reading.only(child, {"route", "next_hop"});
        const host::JsonValue route = reading.member(child, "route"), next = reading.member(child, "next_hop");
        if (!reading.ok()) return reading.refusal();
        if (next.is(host::JsonKind::object)) {
          const unsigned link = detail::read_direction(reading, route, true);
          const Chip to = reading.ok() ? machine.neighbour(chip, Link(link)) : no_chip;
          if (to == no_chip || machine.is_virtual(to)) reading.refuse(route, "this link leads to no chip");
          if ((node.route >> link & 1) != 0) reading.refuse(route, "this link is taken twice");
          node.route |= Route{1} << link;
          coming.push_back({next, to, static_cast<std::uint8_t>(opposite(Link(link)))});
        } else {
          const Vertex vertex = vertices.read(reading, next, "vertex");
          if (!reading.ok()) return reading.refusal();
          const Chip at_chip = placed.chip[vertex];
          const unsigned wanted =
              machine.is_virtual(at_chip) ? unsigned(machine.device(at_chip).link) : link_count + placed.core[vertex];
          if (detail::real_chip(machine, at_chip) != chip)
            reading.refuse(next, "it is on " + machine.name(detail::real_chip(machine, at_chip)));
          if (!route.is(host::JsonKind::null) && detail::read_direction(reading, route) != wanted)
            reading.refuse(route, "its vertex is at " + detail::direction_word(wanted));
          node.route |= Route{1} << wanted;
        }
        if (!reading.ok()) return reading.refusal();
      }
      std::reverse(coming.begin() + static_cast<std::ptrdiff_t>(first), coming.end());
      routes.items.push_back(node);
      if (!reading.ok()) return reading.refusal();
    }
    routes.end_list();
  }
  if (!reading.ok()) return reading.refusal();
  return routes;
}

namespace detail {

/// Writes and reads constraints.json.
class ConstraintFile {
public:
  [[nodiscard]] static std::string written(const Constraints& all, const GraphNames& names, const Machine& machine) {
    host::JsonWriter writer(1);
    const auto begin = [&](const char* type) -> host::JsonWriter& {
      return writer.begin_object().member("type", type);
    };
    const auto at = [&](Chip chip) {
      writer.name("location");
      write_chip(writer, machine, chip);
    };
    const auto vertices = [&](const std::vector<Vertex>& of) {
      writer.name("vertices").begin_array();
      for (const Vertex vertex : of) writer.value(names.vertices[vertex]);
      writer.end_array();
    };
    writer.begin_array();
    if (all.steps != 0 || all.step_us != 0)
      begin("run").member("steps", all.steps).member("step_us", all.step_us).end_object();
    for (const OnChip& one : all.on_chip) {
      begin("location").member("vertex", names.vertices[one.vertex]);
      at(one.chip), writer.end_object();
    }
    for (const OnChip& one : all.devices) {
      begin("location").member("vertex", names.vertices[one.vertex]);
      at(one.chip), writer.end_object();
      begin("route_endpoint")
          .member("vertex", names.vertices[one.vertex])
          .member("direction", link_words[unsigned(machine.device(one.chip).link)])
          .end_object();
    }
    for (const OnCore& one : all.on_core) {
      begin("location").member("vertex", names.vertices[one.vertex]);
      at(one.chip), writer.end_object();
      begin("resource").member("vertex", names.vertices[one.vertex]).member("resource", "cores").name("range");
      writer.begin_array().value(one.core).value(one.core + 1).end_array().end_object();
    }
    for (const OnBoard& one : all.on_board) {
      begin("board").member("vertex", names.vertices[one.vertex]);
      at(one.ethernet), writer.end_object();
    }
    for (const NearChip& one : all.near_chip) {
      begin("near").member("vertex", names.vertices[one.vertex]);
      at(one.chip), writer.end_object();
    }
    for (const auto& group : all.same_chip) {
      begin("same_chip");
      vertices(group), writer.end_object();
    }
    for (const SharedSdram& one : all.shared_sdram) {
      begin("shared_sdram");
      vertices(one.vertices);
      writer.member("bytes", one.bytes).member("bytes_per_step", one.bytes_per_step).end_object();
    }
    for (const ReservedCore& one : all.reserved_cores) {
      begin("reserve_resource").member("resource", "cores").name("reservation");
      writer.begin_array().value(one.core).value(one.core + 1).end_array();
      if (one.chip == no_chip)
        writer.name("location").null();
      else
        at(one.chip);
      writer.end_object();
    }
    for (const FixedKeys& one : all.fixed_keys)
      begin("keys")
          .member("edge", names.partitions[one.partition])
          .member("key", one.keys.key)
          .member("mask", one.keys.mask)
          .end_object();
    for (const auto& group : all.same_keys) {
      begin("same_keys").name("edges").begin_array();
      for (const Partition one : group) writer.value(names.partitions[one]);
      writer.end_array().end_object();
    }
    const auto tag = [&](std::uint8_t number, Chip ethernet) {
      if (number != IpTag::any) writer.member("tag", number);
      if (ethernet != no_chip) at(ethernet);
      writer.end_object();
    };
    for (const IpTag& one : all.ip_tags) {
      begin("ip_tag")
          .member("vertex", names.vertices[one.vertex])
          .member("host", one.host)
          .member("port", one.port)
          .member("strips_header", one.strips_header);
      tag(one.tag, one.ethernet);
    }
    for (const ReverseTag& one : all.reverse_tags) {
      begin("reverse_tag")
          .member("vertex", names.vertices[one.vertex])
          .member("port", one.port)
          .member("sdp_port", one.sdp_port);
      tag(one.tag, one.ethernet);
    }
    return writer.end_array().take();
  }

  ConstraintFile(const GraphNames& names, Machine& machine)
      : names_(names), machine_(machine), vertices_(names.vertices), partitions_(names.partitions) {}
  [[nodiscard]] Answer<Constraints> read(const host::Json& json) {
    for (const host::JsonValue one : reading_.array(json.root())) {
      const host::JsonValue type = reading_.member(one, "type");
      const std::string_view kind = reading_.text(type);
      if (!reading_.ok()) break;
      read_one(one, type, kind);
      if (!reading_.ok()) break;
    }
    // A core, and a device, need the place that another constraint gives.
    for (const Located& one : located_)
      if (one.use == Use::chip)
        made_.on_chip.push_back({one.vertex, one.chip});
      else if (one.use == Use::core)
        made_.on_core.push_back({one.vertex, one.chip, one.core});
      else if (reading_.ok())
        add_device(one);
    for (const auto& [vertex, value] : unplaced_)
      reading_.refuse(value, "\"" + names_.vertices[vertex] + "\" has no location, which this needs");
    if (!reading_.ok()) return reading_.refusal();
    return std::move(made_);
  }

private:
  enum class Use : std::uint8_t { chip, core, device };
  struct Located {
    Vertex vertex;
    Chip chip;
    host::JsonValue value;
    Use use = Use::chip;
    std::uint8_t core = 0;
    Link link = Link::east;
  };

  [[nodiscard]] Vertex vertex_of(host::JsonValue one) {
    return vertices_.read(reading_, reading_.member(one, "vertex"), "vertex");
  }
  [[nodiscard]] std::vector<Vertex> vertices_of(host::JsonValue one) {
    std::vector<Vertex> made;
    for (const host::JsonValue item : reading_.array(reading_.member(one, "vertices")))
      made.push_back(vertices_.read(reading_, item, "vertex"));
    return made;
  }
  [[nodiscard]] Chip location_of(host::JsonValue one) {
    return read_chip(reading_, reading_.member(one, "location"), machine_);
  }
  [[nodiscard]] Chip ethernet_of(host::JsonValue one) {
    const host::JsonValue place = reading_.optional_member(one, "location");
    return place ? read_chip(reading_, place, machine_) : no_chip;
  }
  [[nodiscard]] std::uint8_t tag_of(host::JsonValue one) {
    const host::JsonValue tag = reading_.optional_member(one, "tag");
    return tag ? reading_.whole<std::uint8_t>(tag, 0, IpTag::any - 1) : IpTag::any;
  }
  /// The location of a vertex that has none of this use yet.
  [[nodiscard]] Located* located(Vertex vertex) {
    for (auto one = located_.rbegin(); one != located_.rend(); ++one)
      if (one->vertex == vertex && one->use == Use::chip) return &*one;
    return nullptr;
  }
  void demand_cores(host::JsonValue one) {
    const host::JsonValue resource = reading_.member(one, "resource");
    if (reading_.text(resource) != "cores") reading_.refuse(resource, "only \"cores\" can be asked for here");
  }
  /// What belongs to a location, which may come later.
  void use(Vertex vertex, host::JsonValue value, Use use, std::uint8_t core, Link link) {
    if (!reading_.ok()) return;
    if (Located* const one = located(vertex); one != nullptr)
      one->use = use, one->core = core, one->link = link, one->value = value;
    else
      unplaced_.emplace_back(vertex, value), waiting_.push_back({vertex, no_chip, value, use, core, link});
  }
  void read_one(host::JsonValue one, host::JsonValue type, std::string_view kind) {
    if (kind == "run") {
      (void)reading_.only(one, {"type", "steps", "step_us"});
      made_.steps = reading_.whole<std::uint32_t>(reading_.member(one, "steps"));
      made_.step_us = reading_.whole<std::uint32_t>(reading_.member(one, "step_us"));
    } else if (kind == "location") {
      (void)reading_.only(one, {"type", "vertex", "location"});
      Located made{vertex_of(one), location_of(one), one};
      for (std::size_t at = 0; at < waiting_.size(); ++at)
        if (waiting_[at].vertex == made.vertex) {
          const Chip chip = made.chip;
          made = waiting_[at], made.chip = chip;
          waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(at));
          unplaced_.erase(unplaced_.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        }
      located_.push_back(made);
    } else if (kind == "resource") {
      (void)reading_.only(one, {"type", "vertex", "resource", "range"});
      demand_cores(one);
      const std::uint8_t core = read_core(reading_, reading_.member(one, "range"));
      use(vertex_of(one), one, Use::core, core, Link::east);
    } else if (kind == "route_endpoint") {
      (void)reading_.only(one, {"type", "vertex", "direction"});
      const auto link = Link(read_direction(reading_, reading_.member(one, "direction"), true));
      use(vertex_of(one), one, Use::device, 0, link);
    } else if (kind == "reserve_resource") {
      (void)reading_.only(one, {"type", "resource", "reservation", "location"});
      demand_cores(one);
      const host::JsonValue range = reading_.array(reading_.member(one, "reservation"), 2);
      const auto from = reading_.whole<std::uint8_t>(range.item(0), 0, most_cores),
                 to = reading_.whole<std::uint8_t>(range.item(1), 0, most_cores);
      const host::JsonValue place = reading_.optional_member(one, "location");
      const Chip chip = !place || place.is(host::JsonKind::null) ? no_chip : read_chip(reading_, place, machine_);
      if (!reading_.ok()) return;
      for (std::uint8_t core = from; core < to; ++core) made_.reserved_cores.push_back({chip, core});
    } else if (kind == "same_chip") {
      (void)reading_.only(one, {"type", "vertices"});
      made_.same_chip.push_back(vertices_of(one));
    } else if (kind == "board") {
      (void)reading_.only(one, {"type", "vertex", "location"});
      const Vertex vertex = vertex_of(one);
      made_.on_board.push_back({vertex, location_of(one)});
    } else if (kind == "near") {
      (void)reading_.only(one, {"type", "vertex", "location"});
      const Vertex vertex = vertex_of(one);
      made_.near_chip.push_back({vertex, location_of(one)});
    } else if (kind == "shared_sdram") {
      (void)reading_.only(one, {"type", "vertices", "bytes", "bytes_per_step"});
      SharedSdram made{vertices_of(one)};
      made.bytes = reading_.whole<std::uint32_t>(reading_.member(one, "bytes"));
      made.bytes_per_step = reading_.whole<std::uint32_t>(reading_.member(one, "bytes_per_step"));
      made_.shared_sdram.push_back(std::move(made));
    } else if (kind == "keys") {
      (void)reading_.only(one, {"type", "edge", "key", "mask"});
      FixedKeys made{partitions_.read(reading_, reading_.member(one, "edge"), "edge")};
      made.keys.key = reading_.whole<std::uint32_t>(reading_.member(one, "key"));
      made.keys.mask = reading_.whole<std::uint32_t>(reading_.member(one, "mask"));
      made_.fixed_keys.push_back(made);
    } else if (kind == "same_keys") {
      (void)reading_.only(one, {"type", "edges"});
      made_.same_keys.emplace_back();
      for (const host::JsonValue item : reading_.array(reading_.member(one, "edges")))
        made_.same_keys.back().push_back(partitions_.read(reading_, item, "edge"));
    } else if (kind == "ip_tag") {
      (void)reading_.only(one, {"type", "vertex", "host", "port", "strips_header", "tag", "location"});
      IpTag made{vertex_of(one)};
      made.host = reading_.text(reading_.member(one, "host"));
      made.port = reading_.whole<std::uint16_t>(reading_.member(one, "port"));
      made.strips_header = reading_.truth(reading_.member(one, "strips_header"));
      made.tag = tag_of(one), made.ethernet = ethernet_of(one);
      made_.ip_tags.push_back(std::move(made));
    } else if (kind == "reverse_tag") {
      (void)reading_.only(one, {"type", "vertex", "port", "sdp_port", "tag", "location"});
      ReverseTag made{vertex_of(one)};
      made.port = reading_.whole<std::uint16_t>(reading_.member(one, "port"));
      made.sdp_port = reading_.whole<std::uint8_t>(reading_.member(one, "sdp_port"));
      made.tag = tag_of(one), made.ethernet = ethernet_of(one);
      made_.reverse_tags.push_back(made);
    } else if (kind == "share_resources" || kind == "disjoint_routes") {
      reading_.refuse(type, "constraints of this type are not kept here");
    } else {
      reading_.refuse(type, "there is no constraint of this type");
    }
  }
  void add_device(const Located& one) {
    for (std::size_t at = 0; at < machine_.devices().size(); ++at)
      if (machine_.devices()[at].chip == one.chip && machine_.devices()[at].link == one.link) {
        made_.devices.push_back({one.vertex, machine_.grid_chips() + static_cast<Chip>(at)});
        return;
      }
    const auto added = machine_.add_device(one.chip, one.link, names_.vertices[one.vertex]);
    if (!added) return reading_.refuse(one.value, added.refusal().sentence());
    made_.devices.push_back({one.vertex, added.value()});
  }

  const GraphNames& names_;
  Machine& machine_;
  NameIndex vertices_, partitions_;
  host::JsonReading reading_ = {};
  Constraints made_ = {};
  std::vector<Located> located_ = {}, waiting_ = {}; // in the order of the file; before their location came
  std::vector<std::pair<Vertex, host::JsonValue>> unplaced_ = {}; // beside waiting_
};

} // namespace detail

/// constraints.json: "location", "resource" and "reserve_resource" of cores, "route_endpoint" of devices, "same_chip", and what only
/// this library has: "run", "board", "near", "shared_sdram", "keys", "same_keys", "ip_tag" and "reverse_tag".
[[nodiscard]] inline std::string constraints_to_json(const Constraints& constraints, const GraphNames& names,
                                                     const Machine& machine) {
  return detail::ConstraintFile::written(constraints, names, machine);
}
/// \param  machine  gets the devices that vertices with a location and a "route_endpoint" are
/// \errors file_malformed, a device at a link that is in use among others
[[nodiscard]] inline Answer<Constraints> constraints_from_json(std::string text, const GraphNames& names,
                                                               Machine& machine, std::string name = {}) {
  const auto read = host::Json::read(std::move(text), std::move(name));
  if (!read) return read.refusal();
  return detail::ConstraintFile(names, machine).read(read.value());
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
