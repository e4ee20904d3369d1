// SPDX-License-Identifier: BSL-1.0
/// \file
/// How long routes are beside what no trees can be shorter than, and how many packets links have.
///
///     std::puts(mapping::routing_report(graph, machine, routes.value()).value().text().c_str());
///
/// Links to devices are loaded as others are, but not counted in lengths.
// host-only
#ifndef NEUROMORPH_MAPPING_ROUTING_REPORT_HPP
#define NEUROMORPH_MAPPING_ROUTING_REPORT_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/text_table.hpp>
#include <neuromorph/mapping/detail/cut_bound.hpp>
#include <neuromorph/mapping/detail/steiner_bound.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

struct TreeReport {
  std::uint32_t links = 0;
  std::uint32_t bound = 0;    ///< links that any tree has at least
  std::uint32_t farthest = 0; ///< links on the longest way from the source
  std::uint32_t chips = 0;    ///< that something is delivered on
};

struct RoutingReport {
  std::vector<TreeReport> trees{};          ///< [partition]
  std::vector<double> loads{};              ///< [chip][link], packets in a step
  std::uint64_t links = 0, bound = 0;       ///< of all trees
  std::uint64_t chips = 0;                  ///< that are delivered on, of all trees
  std::uint32_t shortest = 0, farthest = 0; ///< trees that are as long as their bound; links on the longest way
  std::uint64_t links_used = 0, links_present = 0;
  double mean_load = 0.0; ///< of links that are used
  double most_load = 0.0;
  Chip most_at = no_chip; ///< it leaves this chip, by this link
  Link most_by = Link::east;
  std::string most_at_name{};

  [[nodiscard]] std::string text() const {
    const auto number = [](double value) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%.6g", value);
      return std::string(digits);
    };
    host::TextTable table;
    table.add({"trees", std::to_string(trees.size())});
    table.add({"chips delivered on", std::to_string(chips)});
    table.add({"links of all trees", std::to_string(links)});
    table.add({"at least, by bounds", std::to_string(bound)});
    if (bound != 0) table.add({"links over bounds", number(static_cast<double>(links) / static_cast<double>(bound))});
    table.add({"trees proved shortest", std::to_string(shortest)});
    table.add({"longest way, in links", std::to_string(farthest)});
    table.add({"links used", std::to_string(links_used) + " of " + std::to_string(links_present)});
    if (most_at != no_chip) {
      table.add({"packets of a step, mean", number(mean_load)});
      table.add({"packets of a step, most", number(most_load)});
    }
    std::string text = table.text();
    if (most_at != no_chip) text += "the most leave " + most_at_name + " by its link " + name(most_by) + "\n";
    return text;
  }
};

/// \param  routes  of the graph on the machine, right ones
/// \errors Error::lengths_differ: there is not a tree for each partition
/// \cost   O(nodes), and a millisecond or two for a tree whose targets are far apart. Bounds are weaker once 2^31 steps have been
///         spent on exact trees of up to six chips, or 2^27 on cuts of others
[[nodiscard]] inline Answer<RoutingReport> routing_report(const MachineGraph& graph, const Machine& machine,
                                                          const Routes& routes) {
  if (routes.size() != graph.partitions())
    return Refusal{{Error::lengths_differ, 0, routes.size(), "routes"},
                   "routes",
                   std::to_string(routes.size()) + " trees are given for " + std::to_string(graph.partitions()) +
                       " partitions"};
  RoutingReport report;
  report.trees.resize(routes.size());
  report.loads.resize(std::size_t{machine.chips()} * link_count);
  detail::SteinerBound bounds(machine);
  std::optional<detail::CutBound> cuts;
  std::vector<std::uint32_t> depth(machine.chips());
  std::vector<Chip> ends;
  for (Partition partition = 0; partition < graph.partitions(); ++partition) {
    TreeReport& tree = report.trees[partition];
    const auto nodes = routes[partition];
    if (nodes.empty()) continue;
    ends.clear();
    ends.push_back(nodes[0].chip);
    for (const RouteNode& node : nodes) {
      const bool is_first = &node == nodes.data();
      std::uint32_t& deep = depth[node.chip];
      deep = is_first ? 0 : depth[machine.beside(node.chip, Link(node.from))] + 1;
      tree.farthest = (std::max)(tree.farthest, deep);
      bool delivers = node.route >> link_count != 0;
      for (Route links = node.route & ((1U << link_count) - 1); links != 0; links &= links - 1) {
        const auto link = static_cast<unsigned>(std::countr_zero(links));
        report.loads[std::size_t{node.chip} * link_count + link] += graph.options(partition).packets_per_step;
        const Chip other = machine.neighbour(node.chip, Link(link));
        delivers = delivers || (other != no_chip && machine.is_virtual(other));
      }
      if (!delivers) continue;
      ++tree.chips;
      if (!is_first) ends.push_back(node.chip);
    }
    tree.links = static_cast<std::uint32_t>(nodes.size()) - 1;
    const auto plain = bounds.of(ends, tree.links);
    tree.bound = plain.links;
    if (tree.bound < tree.links) {
      if (!cuts) cuts.emplace(machine);
      if (!plain.is_exact || cuts->has_faults())
        tree.bound = (std::max)(tree.bound, cuts->of(ends[0], std::span(ends).subspan(1), tree.links));
    }
    report.links += tree.links, report.bound += tree.bound, report.chips += tree.chips;
    report.farthest = (std::max)(report.farthest, tree.farthest);
    if (tree.links == tree.bound) ++report.shortest;
  }
  double sum = 0.0;
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
    for (unsigned link = 0; link < link_count; ++link) {
      const double load = report.loads[std::size_t{chip} * link_count + link];
      if (machine.neighbour(chip, Link(link)) != no_chip) ++report.links_present;
      if (load > 0.0) ++report.links_used, sum += load;
      if (load > report.most_load) report.most_load = load, report.most_at = chip, report.most_by = Link(link);
    }
  if (report.links_used != 0) report.mean_load = sum / static_cast<double>(report.links_used);
  if (report.most_at != no_chip) report.most_at_name = machine.name(report.most_at);
  return report;
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
