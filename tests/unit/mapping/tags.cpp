// SPDX-License-Identifier: BSL-1.0
// IP tags and reverse tags over boards: each request is met, and as many as there is room for.
#include <neuromorph/mapping/tags.hpp>

#include <neuromorph/mapping/boards.hpp>

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

using neuromorph::Error;
namespace mapping = neuromorph::mapping;
using mapping::Board;
using mapping::Chip;
using mapping::Constraints;
using mapping::Machine;
using mapping::MachineGraph;
using mapping::no_chip;
using mapping::Placements;
using mapping::Tags;
using mapping::Vertex;

/// A graph and where its vertices are.
struct Placed {
  MachineGraph graph = {};
  Placements placements = {};
  Constraints constraints = {};

  Vertex add(Chip chip, std::uint32_t ip_tags, std::uint32_t reverse_tags, std::string name = {}) {
    placements.chip.push_back(chip);
    placements.core.push_back(static_cast<std::uint8_t>(1 + graph.vertices() % 17));
    return graph.add({.ip_tags = ip_tags, .reverse_tags = reverse_tags}, std::move(name));
  }
  /// A vertex with one IP tag.
  Vertex add_ip(Chip chip, std::string host, std::uint16_t port, Chip ethernet = no_chip,
                std::uint8_t tag = mapping::IpTag::any) {
    const Vertex vertex = add(chip, 1, 0);
    constraints.ip_tags.push_back(
        {.vertex = vertex, .host = std::move(host), .port = port, .tag = tag, .ethernet = ethernet});
    return vertex;
  }
  Vertex add_reverse(Chip chip, std::uint16_t port, Chip ethernet = no_chip, std::uint8_t tag = mapping::IpTag::any) {
    const Vertex vertex = add(chip, 0, 1);
    constraints.reverse_tags.push_back({.vertex = vertex, .port = port, .tag = tag, .ethernet = ethernet});
    return vertex;
  }
  [[nodiscard]] auto assigned(const Machine& machine, const mapping::TagOptions& options = {}) const {
    return mapping::assign_tags(graph, machine, placements, constraints, options);
  }
};

/// All that must hold of tags, whatever chose them.
void check(const Machine& machine, const Placed& placed, const Tags& tags) {
  std::set<std::pair<Chip, unsigned>> numbers;
  std::set<std::pair<Chip, unsigned>> ports;
  std::map<Chip, unsigned> count;
  for (const auto& one : tags.ip) {
    CHECK(machine.has(one.ethernet));
    CHECK(machine.ethernet_of(one.ethernet) == one.ethernet);
    CHECK(one.number < machine.kind().tags);
    CHECK(numbers.insert({one.ethernet, one.number}).second);
    ++count[one.ethernet];
  }
  for (const auto& one : tags.reverse) {
    CHECK(machine.has(one.ethernet));
    CHECK(machine.ethernet_of(one.ethernet) == one.ethernet);
    CHECK(one.number < machine.kind().tags);
    CHECK(numbers.insert({one.ethernet, one.number}).second);
    CHECK(ports.insert({one.ethernet, one.port}).second);
    CHECK(one.port != 0);
    CHECK(one.chip == placed.placements.chip[one.vertex]);
    CHECK(one.core == placed.placements.core[one.vertex]);
    ++count[one.ethernet];
  }
  std::vector<unsigned> uses_of(tags.ip.size(), 0);
  std::size_t ip = 0, reverse = 0;
  for (Vertex vertex = 0; vertex < placed.graph.vertices(); ++vertex) {
    INFO(placed.graph.name(vertex));
    REQUIRE(tags.ip_of(vertex).size() == placed.graph.resources(vertex).ip_tags);
    REQUIRE(tags.reverse_of(vertex).size() == placed.graph.resources(vertex).reverse_tags);
    ip += tags.ip_of(vertex).size(), reverse += tags.reverse_of(vertex).size();
    const Chip own = machine.ethernet_of(placed.placements.chip[vertex]);
    for (const auto& use : tags.ip_of(vertex)) {
      const auto& tag = tags.ip[use.tag];
      ++uses_of[use.tag];
      if (use.request == mapping::TagUse::unasked) {
        CHECK(tag.host.empty());
        CHECK(tag.port == 0);
      } else {
        const auto& asked = placed.constraints.ip_tags[use.request];
        CHECK(asked.vertex == vertex);
        CHECK(asked.host == tag.host);
        CHECK(asked.port == tag.port);
        CHECK(asked.strips_header == tag.strips_header);
        CHECK((asked.tag == mapping::IpTag::any || asked.tag == tag.number));
        CHECK((asked.ethernet == no_chip || asked.ethernet == tag.ethernet));
        if (asked.tag == mapping::IpTag::any && asked.ethernet == no_chip && tag.ethernet != own && machine.has(own))
          CHECK(count[own] == machine.kind().tags);
      }
      if (use.request == mapping::TagUse::unasked && tag.ethernet != own && machine.has(own))
        CHECK(count[own] == machine.kind().tags);
    }
    for (const auto& use : tags.reverse_of(vertex)) {
      const auto& tag = tags.reverse[use.tag];
      CHECK(tag.vertex == vertex);
      if (use.request == mapping::TagUse::unasked) continue;
      const auto& asked = placed.constraints.reverse_tags[use.request];
      CHECK(asked.vertex == vertex);
      CHECK((asked.port == 0 || asked.port == tag.port));
      CHECK(asked.sdp_port == tag.sdp_port);
      CHECK((asked.tag == mapping::IpTag::any || asked.tag == tag.number));
      CHECK((asked.ethernet == no_chip || asked.ethernet == tag.ethernet));
    }
  }
  CHECK(ip == tags.ip_uses.size());
  CHECK(reverse == tags.reverse_uses.size());
  CHECK(reverse == tags.reverse.size());
  for (const unsigned uses : uses_of) CHECK(uses != 0);
  for (std::size_t at = 0; at < tags.ip.size(); ++at)
    if (tags.ip[at].host.empty()) CHECK(uses_of[at] == 1); // of which nothing is known is shared with nobody
}

} // namespace

TEST_CASE("tags: the same host, port and header on one board are one tag, another of either is another") {
  const Machine machine = mapping::machine_of_boards(3).value();
  Placed placed;
  for (Board board = 0; board < 2; ++board)
    for (int turn = 0; turn < 5; ++turn) placed.add_ip(machine.ethernet(board), "10.0.0.1", 17895);
  placed.add_ip(0, "10.0.0.1", 17896);
  placed.add_ip(0, "10.0.0.2", 17895);
  placed.add_ip(0, "10.0.0.1", 17895);
  placed.constraints.ip_tags.back().strips_header = false;
  placed.add(0, 2, 0, "quiet");
  const auto made = placed.assigned(machine);
  REQUIRE(made);
  const Tags& tags = made.value();
  check(machine, placed, tags);
  REQUIRE(tags.ip.size() == 7);
  CHECK(mapping::different_tags(placed.graph, placed.constraints) == 6);
  for (Vertex vertex = 0; vertex < 10; ++vertex) {
    CHECK(tags.ip_of(vertex)[0].tag == tags.ip_of(vertex < 5 ? 0 : 5)[0].tag);
    CHECK(tags.ip[tags.ip_of(vertex)[0].tag].ethernet == machine.ethernet(vertex / 5));
  }
  CHECK(placed.assigned(machine).value().ip_uses.size() == tags.ip_uses.size());
}

TEST_CASE("tags: a board that is full gives over to the nearest one, and shared ones yield to single ones") {
  const Machine machine = mapping::machine_of_triads(2, 2, {true, true}).value();
  Placed placed;
  for (std::uint16_t port = 1; port <= 12; ++port) placed.add_ip(machine.chip_at(1, 1), "host", port);
  const auto made = placed.assigned(machine);
  REQUIRE(made);
  check(machine, placed, made.value());
  unsigned own = 0, next = 0;
  for (const auto& one : made.value().ip) {
    own += one.ethernet == 0;
    next += one.ethernet == machine.chip_at(4, 8);
  }
  CHECK(own == 8);
  CHECK(next == 4); // 7 links away, as is 8, 4, which has a higher number

  // One group that has members everywhere takes a place of each board as long as nobody else needs it.
  Placed crowded;
  for (Board board = 0; board < machine.boards(); ++board) crowded.add_ip(machine.ethernet(board), "all", 1);
  for (unsigned turn = 0; turn < 12 * 8 - 1; ++turn) crowded.add(0, 1, 0);
  const auto full = crowded.assigned(machine);
  REQUIRE(full);
  check(machine, crowded, full.value());
  CHECK(full.value().ip.size() == 12 * 8);
  crowded.add(0, 0, 1, "late");
  const auto refused = crowded.assigned(machine);
  CHECK(refused.status().error == Error::unmappable);
  CHECK(refused.status().where == 107);
  CHECK(refused.sentence() == "vertex 107, late: reverse tag: of 12 boards with Ethernet, 12 have all 8 tags in use");
}

TEST_CASE("tags: demands for boards, numbers and ports are met or explained") {
  const Machine machine = mapping::machine_of_boards(3).value();
  const Chip first = machine.ethernet(0), second = machine.ethernet(1), third = machine.ethernet(2);
  {
    Placed placed;
    for (int turn = 0; turn < 7; ++turn) placed.add(first, 1, 0);
    placed.add_ip(first, "host", 1, no_chip, 3);
    placed.add_ip(first, "host", 2, no_chip, 3); // goes to another board for its number
    placed.add_ip(third, "host", 3, second, 0);
    placed.add_reverse(first, 500);
    placed.add_reverse(first, 500); // and this one for its port
    placed.add_reverse(first, 0, second);
    placed.add_reverse(second, 12288);
    const auto made = placed.assigned(machine);
    REQUIRE(made);
    check(machine, placed, made.value());
    CHECK(made.value().ip[made.value().ip_of(7)[0].tag].ethernet == first);
    CHECK(made.value().ip[made.value().ip_of(8)[0].tag].ethernet != first);
    CHECK(made.value().reverse[made.value().reverse_of(12)[0].tag].port == 12289);
    CHECK(placed.assigned(machine, {.first_port = 700}).value().reverse[made.value().reverse_of(12)[0].tag].port ==
          700);
  }
  const auto sentence = [&](const Placed& placed, Error error) {
    const auto made = placed.assigned(machine);
    CHECK(made.status().error == error);
    return made.sentence();
  };
  {
    Placed placed;
    placed.add_ip(first, "host", 1, first, 3);
    placed.add_ip(second, "host", 2, first, 3);
    CHECK(sentence(placed, Error::unmappable) ==
          "vertex 1: IP tag to host, port 2: number 3 of board 0, 0 belongs to vertex 0");
  }
  {
    Placed placed;
    for (std::uint16_t port = 1; port < 10; ++port) placed.add_ip(second, "host", port, first);
    CHECK(sentence(placed, Error::unmappable) ==
          "vertex 8: IP tag to host, port 9: all 8 tags of board 0, 0 are in use");
  }
  {
    Placed placed;
    placed.add_reverse(first, 500, second);
    placed.add_reverse(first, 500, second);
    CHECK(sentence(placed, Error::unmappable) == "vertex 1: reverse tag of port 500: this port of board " +
                                                     std::to_string(machine.x(second)) + ", " +
                                                     std::to_string(machine.y(second)) + " is in use");
  }
  {
    Placed placed;
    for (int turn = 0; turn < 4; ++turn) placed.add_reverse(first, 500);
    CHECK(sentence(placed, Error::unmappable) == "vertex 3: reverse tag of port 500: of 3 boards with Ethernet, 0 have "
                                                 "all 8 tags in use, and the others have this port in use");
  }
  {
    Placed placed;
    for (std::uint16_t port = 0; port < 4; ++port) placed.add_ip(first, "host", port, no_chip, 2);
    CHECK(sentence(placed, Error::unmappable) == "vertex 3: IP tag to host, port 3: of 3 boards with Ethernet, 0 have "
                                                 "all 8 tags in use, and the others their number 2");
  }
  {
    Placed placed;
    placed.add_ip(first, "host", 1, no_chip, 8);
    CHECK(sentence(placed, Error::index_out_of_range) ==
          "vertex 0: IP tag to host, port 1: there is no number 8: a board has 8");
  }
  {
    Placed placed;
    placed.add_ip(first, "host", 1, machine.chip_at(1, 0));
    CHECK(sentence(placed, Error::index_out_of_range) == "vertex 0: IP tag to host, port 1: chip 1, 0 has no Ethernet");
    placed.constraints.ip_tags[0].ethernet = 100000;
    CHECK(sentence(placed, Error::index_out_of_range) ==
          "vertex 0: IP tag to host, port 1: chip number 100000 has no Ethernet");
  }
  {
    Placed placed;
    placed.add_ip(first, "host", 1);
    placed.constraints.ip_tags.push_back(placed.constraints.ip_tags[0]);
    CHECK(sentence(placed, Error::parameters_contradict) ==
          "vertex 0: IP tag to host, port 1: this is number 2, and its resources count 1");
    placed.constraints.ip_tags[1].vertex = 1;
    CHECK(sentence(placed, Error::index_out_of_range) == "tags: vertex 1 asks for one, and the graph has 1");
    placed.constraints.ip_tags.pop_back();
    placed.placements.core.pop_back();
    placed.placements.chip.pop_back();
    CHECK(sentence(placed, Error::lengths_differ) == "tags: 0 vertices are placed, and the graph has 1");
  }
  {
    Machine one = mapping::board_of_48().value();
    const Chip device = one.add_device(0, mapping::Link::west, "retina").value();
    Placed placed;
    placed.add(device, 0, 1);
    CHECK(placed.assigned(one).sentence() ==
          "vertex 0: reverse tag: its vertex is a device, which sends and gets no datagrams");
    placed.placements.chip[0] = 7;
    CHECK(placed.assigned(one).sentence() == "vertex 0: reverse tag: its vertex is on chip 7, 0, which is missing");
    placed.placements.chip[0] = 1;
    CHECK(placed.assigned(Machine::grid<mapping::SpiNNaker1>(3, 3).value()).sentence() ==
          "vertex 0: reverse tag: the machine has no chip with Ethernet");
    one.remove_chip(0);
    CHECK(placed.assigned(one).sentence() ==
          "vertex 0: reverse tag: of 0 boards with Ethernet, 0 have all 8 tags in use");
    placed.constraints.reverse_tags.push_back({.vertex = 0, .port = 9, .ethernet = 0});
    CHECK(placed.assigned(one).sentence() == "vertex 0: reverse tag of port 9: board 0, 0 has lost its Ethernet chip");
  }
}

TEST_CASE("tags: whatever is asked for without boards, numbers and ports finds room, as long as different ones fit") {
  std::minstd_rand draw(Catch::rngSeed() | 1);
  unsigned refused = 0;
  for (int turn = 0; turn < 400; ++turn) {
    const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(draw() % bound); };
    const std::uint32_t boards = 1 + below(6);
    Machine machine = mapping::machine_of_boards(boards).value();
    std::uint32_t working = boards;
    if (boards > 1 && below(3) == 0) machine.remove_chip(machine.ethernet(below(boards))), --working;
    std::vector<Chip> chips;
    for (Chip chip = 0; chip < machine.chips(); ++chip)
      if (machine.has(chip)) chips.push_back(chip);
    Placed placed;
    const std::uint32_t vertices = below(60), hosts = 1 + below(12), plain = below(4);
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
      const Chip chip = chips[below(static_cast<std::uint32_t>(chips.size()))];
      const std::uint32_t kind = below(8);
      if (kind >= 5 - plain) {
        placed.add(chip, 0, 0);
      } else if (kind == 0) {
        const std::uint32_t ip = below(2);
        placed.add(chip, ip, below(2));
      } else {
        placed.add_ip(chip, "host", static_cast<std::uint16_t>(1 + below(hosts)));
        placed.constraints.ip_tags.back().strips_header = below(4) != 0;
      }
    }
    INFO("turn " << turn << " of " << Catch::rngSeed());
    const auto made = placed.assigned(machine);
    const bool fits = mapping::different_tags(placed.graph, placed.constraints) <= working * 8;
    REQUIRE(made.ok() == fits);
    refused += !fits;
    if (made) check(machine, placed, made.value());
  }
  CHECK(refused > 4);
}

TEST_CASE("tags: demands for boards and numbers in any mix are met wherever tags are given at all") {
  std::minstd_rand draw(Catch::rngSeed() | 1);
  unsigned made_count = 0;
  for (int turn = 0; turn < 400; ++turn) {
    const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(draw() % bound); };
    const Machine machine = mapping::machine_of_boards(1 + below(4)).value();
    Placed placed;
    for (std::uint32_t vertices = below(16); vertices != 0; --vertices) {
      const Chip chip = machine.ethernet(below(machine.boards()));
      const Chip wanted = below(3) == 0 ? machine.ethernet(below(machine.boards())) : no_chip;
      const auto number = static_cast<std::uint8_t>(below(4) == 0 ? below(8) : mapping::IpTag::any);
      const auto port = static_cast<std::uint16_t>(below(6));
      if (below(3) == 0)
        placed.add_reverse(chip, port, wanted, number);
      else
        placed.add_ip(chip, "host", port, wanted, number);
    }
    INFO("turn " << turn << " of " << Catch::rngSeed());
    const auto made = placed.assigned(machine);
    made_count += made.ok();
    if (made)
      for (const auto& use : made.value().ip_uses) {
        const auto& tag = made.value().ip[use.tag];
        const auto& asked = placed.constraints.ip_tags[use.request];
        CHECK((asked.tag == mapping::IpTag::any || asked.tag == tag.number));
        CHECK((asked.ethernet == no_chip || asked.ethernet == tag.ethernet));
        CHECK(asked.port == tag.port);
      }
    if (made) {
      std::set<std::pair<Chip, unsigned>> numbers, ports;
      for (const auto& one : made.value().ip) CHECK(numbers.insert({one.ethernet, one.number}).second);
      for (const auto& one : made.value().reverse) {
        CHECK(numbers.insert({one.ethernet, one.number}).second);
        CHECK(ports.insert({one.ethernet, one.port}).second);
      }
    }
  }
  CHECK(made_count > 150);
}
