// SPDX-License-Identifier: BSL-1.0
// The report of a mapped graph: counted by hand, and by walking; its picture shows what it counts.
#include <neuromorph/mapping/picture.hpp>
#include <neuromorph/mapping/report.hpp>

#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/faults.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

using neuromorph::Error;
namespace mapping = neuromorph::mapping;
using mapping::Chip;
using mapping::Link;
using mapping::link_count;
using mapping::Machine;
using mapping::MachineGraph;
using mapping::no_chip;
using mapping::Partition;
using mapping::Placements;
using mapping::Route;
using mapping::Routes;
using mapping::Tables;
using mapping::Vertex;

struct Mapped {
  Machine machine = mapping::board_of_48().value();
  MachineGraph graph = {};
  Placements placements = {};
  Routes routes = {};
  Tables tables = {};

  [[nodiscard]] auto report(const mapping::ReportOptions& options = {}) const {
    return mapping::report(graph, machine, placements, routes, tables, options);
  }
};
/// Three vertices on 0, 0 and one on 2, 1; the first one sends there, the last one back and to a device.
Mapped small() {
  Mapped made;
  const Chip device = made.machine.add_device(0, Link::west, "motor").value();
  for (int turn = 0; turn < 3; ++turn) made.graph.add({.sdram_bytes = 100, .sdram_per_step = 3}, "near");
  made.graph.add({.sdram_bytes = 1000}, "far");
  made.graph.add({}, "motor");
  const Chip far = made.machine.chip_at(2, 1);
  made.placements.chip = {0, 0, 0, far, device};
  made.placements.core = {1, 2, 3, 1, 0};
  const std::vector<Vertex> there{3}, back{0, 1, 4};
  made.graph.connect(0, there, {.identifier = "spikes", .packets_per_step = 2.5});
  made.graph.connect(3, back, {.packets_per_step = 4});
  using mapping::route_to;
  using mapping::route_to_core;
  const Chip corner = made.machine.chip_at(1, 1), low = made.machine.chip_at(1, 0);
  made.routes.items = {{0, route_to(Link::north_east)}, {corner, route_to(Link::east), 4}, {far, route_to_core(1), 3}};
  made.routes.end_list();
  made.routes.items.push_back({far, route_to(Link::south_west)});
  made.routes.items.push_back({low, route_to(Link::west), 1});
  made.routes.items.push_back({0, route_to_core(1) | route_to_core(2) | route_to(Link::west), 0});
  made.routes.end_list();
  for (Chip chip = 0; chip < 64; ++chip) {
    if (chip == far) made.tables.items.resize(made.tables.items.size() + 2);
    if (chip == 0) made.tables.items.resize(made.tables.items.size() + 1);
    made.tables.end_list();
  }
  return made;
}
std::size_t count_of(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
  return count;
}
/// Figures of the paths that have this in their heads: how many begin in each.
std::size_t begun(const std::string& svg, const std::string& head) {
  std::size_t count = 0;
  for (std::size_t at = svg.find("<path"); at != std::string::npos; at = svg.find("<path", at + 1)) {
    const std::string path = svg.substr(at, svg.find("/>", at) - at), before = path.substr(0, path.find(" d="));
    if (before.find(head) != std::string::npos) count += count_of(path.substr(before.size()), "M");
  }
  return count;
}
/// Whether each element that is opened is closed, in order, and no number is none.
bool is_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = svg.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos || count_of(tag, "\"") % 2 != 0) return false;
    if (tag.back() == '/') continue;
    if (tag.front() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
      continue;
    }
    if (open.empty() || "/" + open.back() != tag) return false;
    open.pop_back();
  }
  return open.empty() && svg.find("nan") == std::string::npos && svg.find("inf") == std::string::npos;
}

} // namespace

TEST_CASE("report: a small mapping is counted as by hand") {
  const Mapped mapped = small();
  const auto made = mapped.report({.steps = 10, .longest_nets = 5});
  REQUIRE(made);
  const mapping::MapReport& report = made.value();
  const Chip far = mapped.machine.chip_at(2, 1), corner = mapped.machine.chip_at(1, 1),
             low = mapped.machine.chip_at(1, 0);
  CHECK(report.chips == 48);
  CHECK(report.chips_used == 2);
  CHECK(report.cores_used[0] == 3);
  CHECK(report.cores_used[far] == 1);
  CHECK(report.sdram_used[0] == 390);
  CHECK(report.sdram_used[far] == 1000);
  CHECK(report.entries[far] == 2);
  const auto load = [&](Chip chip, Link link) { return report.load[chip * link_count + unsigned(link)]; };
  CHECK(load(0, Link::north_east) == 2.5);
  CHECK(load(corner, Link::east) == 2.5);
  CHECK(load(far, Link::south_west) == 4);
  CHECK(load(low, Link::west) == 4);
  CHECK(load(0, Link::west) == 4); // to the device
  double sum = 0;
  for (const double one : report.load) sum += one;
  CHECK(sum == 17);
  CHECK(report.link_packets == 17);
  CHECK(report.links_of_nets == 5);
  CHECK(report.nets == std::vector<std::uint32_t>{0, 0, 1, 1});
  CHECK(report.most_load() == 4);
  REQUIRE(report.longest.size() == 2);
  CHECK(report.longest[0].name == "vertex 3, far");
  CHECK(report.longest[1].name == "vertex 0, near, spikes");
  CHECK(report.text() == "chips                                     48, 2 in use\n"
                         "boards, devices                                   1, 1\n"
                         "cores                                  816, 5 vertices\n"
                         "missing chips, cores                              0, 0\n"
                         "broken links, one way                             0, 0\n"
                         "most cores                              3 of chip 0, 0\n"
                         "most SDRAM                     1000 bytes of chip 2, 1\n"
                         "entries of tables                                    3\n"
                         "fullest table                           2 of chip 2, 1\n"
                         "nets, edges                                       2, 4\n"
                         "links of nets                                        5\n"
                         "of a net, mean                                     2.5\n"
                         "packets over links                           17 a step\n"
                         "busiest link           4 a step, chip 0, 0 to the west\n"
                         "\n"
                         "longest nets            links  targets  packets a step\n"
                         "vertex 3, far               3        3               4\n"
                         "vertex 0, near, spikes      2        1             2.5\n");
  // Both share a tree: the packets of both are on it.
  Mapped joined = small();
  joined.routes.first.pop_back();
  joined.routes.items.resize(3);
  const std::vector<Partition> same{0, 0};
  const auto shared = joined.report({.partition_of = same});
  REQUIRE(shared);
  CHECK(shared.value().net_count == 1);
  CHECK(shared.value().links_of_nets == 2);
  CHECK(shared.value().most_load() == 6.5);
  CHECK(shared.value().link_packets == 13);
}

TEST_CASE("report: lists of another graph or machine are refused") {
  const auto sentence = [](const Mapped& mapped, Error error, const mapping::ReportOptions& options = {}) {
    const auto made = mapped.report(options);
    CHECK(made.status().error == error);
    return made.sentence();
  };
  Mapped mapped = small();
  mapped.graph.add({});
  CHECK(sentence(mapped, Error::lengths_differ) == "report: placements are of 5, and there are 6");
  mapped = small();
  mapped.routes.end_list();
  CHECK(sentence(mapped, Error::lengths_differ) == "report: routes are of 3, and there are 2");
  const std::vector<Partition> short_list{0}, outside{0, 3};
  CHECK(sentence(mapped, Error::lengths_differ, {.partition_of = short_list}) ==
        "report: partition_of are of 1, and there are 2");
  CHECK(sentence(mapped, Error::index_out_of_range, {.partition_of = outside}) ==
        "report: partition 1 has route 3, and there are 3");
  mapped = small();
  mapped.tables.end_list();
  CHECK(sentence(mapped, Error::lengths_differ) == "report: tables are of 65, and there are 64");
  mapped = small();
  mapped.placements.chip[2] = 65;
  CHECK(sentence(mapped, Error::index_out_of_range) ==
        "report: placements name chip number 65, which is not of the machine");
  mapped = small();
  mapped.routes.items[4].chip = 64;
  CHECK(sentence(mapped, Error::index_out_of_range) ==
        "report: routes name device 0, motor, which is not of the machine");
}

TEST_CASE("report: faults are counted as they were made, and each is in the picture") {
  std::minstd_rand draw(Catch::rngSeed() | 1);
  for (int turn = 0; turn < 24; ++turn) {
    const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(draw() % bound); };
    const std::uint32_t boards = 1 + below(5);
    Machine machine = turn % 3 == 0   ? mapping::machine_of_boards(boards).value()
                      : turn % 3 == 1 ? mapping::machine_of_triads(1, 1, {true, true}).value()
                                      : Machine::grid<mapping::SpiNNaker1>(1 + below(12), 9).value();
    std::uint32_t chips = 0;
    for (Chip chip = 0; chip < machine.chips(); ++chip) chips += machine.has(chip);
    const double share = below(5) * 0.02;
    const auto faults =
        mapping::draw_faults(machine, {.chips = share, .cores = share / 2, .links = share * 2, .one_way = 0.4},
                             1 + draw())
            .value();
    REQUIRE(mapping::add_faults(machine, faults));
    INFO("turn " << turn << " of " << Catch::rngSeed());
    Mapped mapped;
    mapped.machine = machine;
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip) mapped.tables.end_list();
    const auto made = mapped.report();
    REQUIRE(made);
    std::size_t one_way = 0;
    for (const auto& one : faults.links) one_way += one.is_one_way;
    const mapping::FaultCount& counted = made.value().faults;
    CHECK(counted.chips == faults.chips.size());
    CHECK(counted.cores == faults.cores.size());
    CHECK(counted.one_way_links == one_way);
    CHECK(counted.links == faults.links.size() - one_way);
    CHECK(made.value().chips == chips - faults.chips.size());

    const std::string svg = mapping::picture(made.value(), machine);
    CHECK(svg == mapping::picture(made.value(), machine));
    CHECK(is_well_formed(svg));
    CHECK(begun(svg, "stroke-dasharray") == 3 * counted.chips);
    CHECK(begun(svg, "stroke=\"#d62728\"") == 3 * counted.chips + 2 * counted.links + counted.one_way_links);
    std::size_t links = 0, dead = 0;
    for (Chip chip = 0; chip < machine.chips(); ++chip) {
      for (unsigned link = 0; link < link_count; ++link) links += machine.neighbour(chip, Link(link)) != no_chip;
      dead += machine.has(chip) && machine.core_count(chip) != 17;
    }
    CHECK(begun(svg, "stroke=\"#d9d9d9\"") == links);
    CHECK(begun(svg, " fill=\"#d62728\"") == 1 + 2 * dead); // the key's, and on two maps
    CHECK(begun(svg, " fill=\"#f4f4f4\"") == made.value().chips);
  }
}

TEST_CASE("report: pictures of the smallest and the largest machines are of a size that can be looked at") {
  for (const auto& machine :
       {Machine::grid<mapping::SpiNNaker1>(1, 1).value(), Machine::grid<mapping::SpiNNaker1>(256, 1).value(),
        Machine::grid<mapping::SpiNNaker1>(1, 256).value(), mapping::board_of_4().value(),
        mapping::machine_of_size(256, 256).value()}) {
    Mapped mapped;
    mapped.machine = machine;
    std::uint32_t entries = 0;
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
      if (machine.has(chip)) mapped.tables.items.resize(mapped.tables.items.size() + ++entries % 50);
      mapped.tables.end_list();
    }
    const auto made = mapped.report();
    REQUIRE(made);
    const std::string svg = mapping::picture(made.value(), machine);
    CHECK(is_well_formed(svg));
    CHECK(svg.size() < 4'000'000);
    const std::size_t at = svg.find("viewBox=\"0 0 ") + 13;
    CHECK(std::stod(svg.substr(at)) < 1400);
    CHECK(std::stod(svg.substr(svg.find(' ', at))) < 1400);
    CHECK(mapped.report().value().text().find("longest") == std::string::npos);
  }
}
