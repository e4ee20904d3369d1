// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a mapped graph does to a machine, in words: occupancy, faults, load of links, length of nets and how full tables are.
///
///     auto made = mapping::report(graph, machine, placements, routes, tables, {.steps = 1000});
///     std::puts(made.value().text().c_str());
///     write("machine.svg", mapping::picture(made.value(), machine)); // of picture.hpp
///
/// A net is the tree of a partition, or of some that share their keys: its length is in links. Links to devices are loaded, too.
// host-only
#ifndef NEUROMORPH_MAPPING_REPORT_HPP
#define NEUROMORPH_MAPPING_REPORT_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/text_table.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

struct ReportOptions {
  std::uint32_t steps = 0;         ///< of what is recorded, for SDRAM
  std::uint32_t longest_nets = 10; ///< that are named
  /// [partition of the graph] where its net is in the routes, as Mapping::partition_of; empty: at its own number
  std::span<const Partition> partition_of = {};
};

/// What a machine lacks of what it would have when nothing were broken.
struct FaultCount {
  std::uint32_t chips = 0, cores = 0; ///< cores: of chips that are there
  std::uint32_t links = 0;            ///< between chips that are there, both directions
  std::uint32_t one_way_links = 0;
};
struct NetReport {
  std::string name = {}; ///< of its source, and the identifier of its packets
  std::uint32_t links = 0, targets = 0;
  double packets_per_step = 0.0;
};

struct MapReport {
  std::uint32_t chips = 0, chips_used = 0, boards = 0, devices = 0; ///< chips: that are there
  std::uint64_t cores = 0, vertices = 0, edges = 0;
  FaultCount faults = {};
  std::vector<std::uint32_t> cores_used = {}; ///< [chip of the rectangle]
  std::vector<std::uint64_t> sdram_used = {}; ///< [chip of the rectangle]
  std::vector<std::uint32_t> entries = {};    ///< [chip of the rectangle], of its table
  std::vector<double> load = {};              ///< [chip of the rectangle][link], packets in a step that leave by it
  std::vector<std::uint32_t> nets = {};       ///< [length], of that length
  std::vector<NetReport> longest = {};
  std::uint64_t net_count = 0, links_of_nets = 0;
  double link_packets = 0.0; ///< of all links, in a step
  Chip fullest_chip = no_chip, fullest_table = no_chip, busiest = no_chip, most_sdram = no_chip;
  Link busiest_link = Link::east;
  std::uint64_t sdram_of_chip = 0; ///< that which has the fullest SDRAM
  std::uint32_t cores_of_chip = 0, entries_of_chip = 0;
  std::string fullest_chip_name = {}, fullest_table_name = {}, busiest_name = {}, most_sdram_name = {};

  [[nodiscard]] double most_load() const noexcept {
    return busiest == no_chip ? 0.0 : load[std::size_t{busiest} * link_count + unsigned(busiest_link)];
  }
  /// Tables to read.
  [[nodiscard]] std::string text() const;
};

namespace detail {

/// A chip that a machine of this shape would have: one of a board, or any where there are no boards.
[[nodiscard]] inline bool is_meant_to_be(const Machine& machine, Chip chip) noexcept {
  return machine.boards() == 0 || machine.board_of(chip) != no_board;
}
/// Whether a link between chips that are there does not work in this direction.
[[nodiscard]] inline bool is_broken(const Machine& machine, Chip chip, Link link) noexcept {
  if (!machine.has(chip) || machine.neighbour(chip, link) != no_chip) return false;
  const Chip other = machine.beside(chip, link);
  if (other == no_chip || !machine.has(other)) return false;
  const Chip back = machine.neighbour(other, opposite(link));
  return back == no_chip || back == chip; // else a device is there
}
[[nodiscard]] inline FaultCount count_faults(const Machine& machine) {
  FaultCount count;
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
    if (!machine.has(chip)) {
      count.chips += is_meant_to_be(machine, chip);
      continue;
    }
    count.cores += machine.kind().cores - machine.kind().monitors - machine.core_count(chip);
    for (unsigned link = 0; link < link_count / 2; ++link) {
      const bool out = is_broken(machine, chip, Link(link));
      const Chip other = machine.beside(chip, Link(link));
      const bool in = other != no_chip && is_broken(machine, other, opposite(Link(link)));
      count.links += out && in, count.one_way_links += out != in;
    }
  }
  return count;
}
[[nodiscard]] inline std::string in_digits(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.4g", value);
  return digits;
}

} // namespace detail

/// \errors lengths_differ: placements, routes or tables of another graph or machine; index_out_of_range: they name a chip that
///         is not of the machine
/// \cost   O(vertices + nodes of routes + chips)
[[nodiscard]] inline Answer<MapReport> report(const MachineGraph& graph, const Machine& machine,
                                              const Placements& placements, const Routes& routes, const Tables& tables,
                                              const ReportOptions& options = {}) {
  const std::uint32_t count = machine.grid_chips();
  const auto differ = [](std::uint64_t has, const char* what, std::uint64_t wanted) {
    return Refusal{{Error::lengths_differ, 0, has, what},
                   "report",
                   std::string(what) + " are of " + std::to_string(has) + ", and there are " + std::to_string(wanted)};
  };
  const auto no_such = [&](std::uint64_t where, Chip chip, const char* what) {
    return Refusal{{Error::index_out_of_range, static_cast<std::uint32_t>(where), chip, what},
                   "report",
                   std::string(what) + " name " + machine.name(chip) + ", which is not of the machine"};
  };
  if (placements.chip.size() != graph.vertices()) return differ(placements.chip.size(), "placements", graph.vertices());
  const bool is_joined = !options.partition_of.empty();
  if (is_joined && options.partition_of.size() != graph.partitions())
    return differ(options.partition_of.size(), "partition_of", graph.partitions());
  if (!is_joined && routes.size() != graph.partitions()) return differ(routes.size(), "routes", graph.partitions());
  if (tables.size() != count) return differ(tables.size(), "tables", count);

  MapReport made;
  made.boards = machine.boards(), made.devices = static_cast<std::uint32_t>(machine.devices().size());
  made.vertices = graph.vertices(), made.edges = graph.edges(), made.net_count = routes.size();
  made.faults = detail::count_faults(machine);
  made.cores_used.assign(count, 0), made.sdram_used.assign(count, 0), made.entries.assign(count, 0);
  made.load.assign(std::size_t{count} * link_count, 0.0);
  for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex) {
    const Chip chip = placements.chip[vertex];
    if (chip >= machine.chips()) return no_such(vertex, chip, "placements");
    if (machine.is_virtual(chip)) continue;
    const Resources& takes = graph.resources(vertex);
    ++made.cores_used[chip];
    made.sdram_used[chip] += takes.sdram_bytes + std::uint64_t{options.steps} * takes.sdram_per_step;
  }

  const auto net_count = static_cast<std::uint32_t>(routes.size());
  std::vector<double> packets(net_count, 0.0);
  std::vector<Partition> first(net_count, graph.partitions()); // of the net
  for (Partition partition = graph.partitions(); partition-- != 0;) {
    const Partition net = is_joined ? options.partition_of[partition] : partition;
    if (net >= net_count)
      return Refusal{{Error::index_out_of_range, partition, net, "partition_of"},
                     "report",
                     "partition " + std::to_string(partition) + " has route " + std::to_string(net) +
                         ", and there are " + std::to_string(net_count)};
    packets[net] += graph.options(partition).packets_per_step;
    first[net] = partition;
  }
  std::vector<std::uint32_t> links_of(net_count, 0);
  for (std::uint32_t net = 0; net < net_count; ++net) {
    for (const RouteNode& node : routes[net]) {
      if (node.chip >= count) return no_such(net, node.chip, "routes");
      const Route links = node.route & ((1U << link_count) - 1);
      links_of[net] += static_cast<std::uint32_t>(std::popcount(links));
      for (Route left = links; left != 0; left &= left - 1)
        made.load[std::size_t{node.chip} * link_count + static_cast<unsigned>(std::countr_zero(left))] += packets[net];
    }
    made.links_of_nets += links_of[net];
    made.link_packets += packets[net] * links_of[net];
    if (made.nets.size() <= links_of[net]) made.nets.resize(links_of[net] + 1, 0);
    ++made.nets[links_of[net]];
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t net = 0; net < net_count; ++net)
    if (first[net] != graph.partitions()) order.push_back(net);
  const std::size_t named = (std::min)(order.size(), std::size_t{options.longest_nets});
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(named), order.end(),
      [&](std::uint32_t a, std::uint32_t b) { return links_of[a] != links_of[b] ? links_of[a] > links_of[b] : a < b; });
  for (std::size_t at = 0; at < named; ++at) {
    const Partition partition = first[order[at]];
    std::string name = graph.name(graph.source(partition));
    if (const std::string& of = graph.options(partition).identifier; !of.empty()) name += ", " + of;
    made.longest.push_back({std::move(name), links_of[order[at]],
                            static_cast<std::uint32_t>(graph.targets(partition).size()), packets[order[at]]});
  }

  for (Chip chip = 0; chip < count; ++chip) {
    made.entries[chip] = static_cast<std::uint32_t>(tables[chip].size());
    made.chips += machine.has(chip), made.cores += machine.core_count(chip);
    made.chips_used += made.cores_used[chip] != 0;
    if (made.cores_used[chip] > made.cores_of_chip)
      made.cores_of_chip = made.cores_used[chip], made.fullest_chip = chip;
    if (made.sdram_used[chip] > made.sdram_of_chip) made.sdram_of_chip = made.sdram_used[chip], made.most_sdram = chip;
    if (made.entries[chip] > made.entries_of_chip) made.entries_of_chip = made.entries[chip], made.fullest_table = chip;
    for (unsigned link = 0; link < link_count; ++link)
      if (made.load[std::size_t{chip} * link_count + link] > made.most_load())
        made.busiest = chip, made.busiest_link = Link(link);
  }
  for (const auto& [chip, name] : {std::pair{made.fullest_chip, &made.fullest_chip_name},
                                   {made.most_sdram, &made.most_sdram_name},
                                   {made.fullest_table, &made.fullest_table_name},
                                   {made.busiest, &made.busiest_name}})
    if (chip != no_chip) *name = machine.name(chip);
  return made;
}

inline std::string MapReport::text() const {
  using detail::in_digits;
  const auto whole = [](std::uint64_t value) { return std::to_string(value); };
  host::TextTable table;
  table.add({"chips", whole(chips) + ", " + whole(chips_used) + " in use"});
  table.add({"boards, devices", whole(boards) + ", " + whole(devices)});
  table.add({"cores", whole(cores) + ", " + whole(vertices) + " vertices"});
  table.add({"missing chips, cores", whole(faults.chips) + ", " + whole(faults.cores)});
  table.add({"broken links, one way", whole(faults.links) + ", " + whole(faults.one_way_links)});
  if (fullest_chip != no_chip) table.add({"most cores", whole(cores_of_chip) + " of " + fullest_chip_name});
  if (most_sdram != no_chip) table.add({"most SDRAM", whole(sdram_of_chip) + " bytes of " + most_sdram_name});
  std::uint64_t all_entries = 0;
  for (const std::uint32_t one : entries) all_entries += one;
  table.add({"entries of tables", whole(all_entries)});
  if (fullest_table != no_chip) table.add({"fullest table", whole(entries_of_chip) + " of " + fullest_table_name});
  table.add({"nets, edges", whole(net_count) + ", " + whole(edges)});
  table.add({"links of nets", whole(links_of_nets)});
  if (net_count != 0)
    table.add({"of a net, mean", in_digits(static_cast<double>(links_of_nets) / static_cast<double>(net_count))});
  table.add({"packets over links", in_digits(link_packets) + " a step"});
  if (busiest != no_chip)
    table.add({"busiest link", in_digits(most_load()) + " a step, " + busiest_name + " to the " + name(busiest_link)});
  std::string text = table.text();
  if (longest.empty()) return text;
  host::TextTable nets_table;
  nets_table.add({"longest nets", "links", "targets", "packets a step"});
  for (const NetReport& net : longest)
    nets_table.add({net.name, whole(net.links), whole(net.targets), in_digits(net.packets_per_step)});
  return text + "\n" + nets_table.text();
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
