// SPDX-License-Identifier: BSL-1.0
// Files of other tools: what is written is what the schemas have, comes back as it was, and is refused in words where it is cut off,
// changed or hostile.
#include <neuromorph/mapping/interchange.hpp>

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph;
using namespace neuromorph::mapping;

Machine machine_of(std::uint32_t width, std::uint32_t height, Wraps wraps) {
  auto made = Machine::grid<SpiNNaker1>(width, height, wraps);
  REQUIRE(made.ok());
  return std::move(made).value();
}

/// Three programs and a device on a row of three chips.
struct Small {
  Machine machine = machine_of(3, 1, {});
  NamedGraph named{};
  Constraints constraints{};
  Placements placed{};
  Keys keys{{0x100, 0xFFFFFF00}, {7, 0xFFFFFFFF}, {9, 0xFFFFFFFF}};
  Routes routes{};
  Tables tables{};

  Small() {
    MachineGraph& graph = named.graph;
    const Vertex one = graph.add({.dtcm_bytes = 100, .sdram_bytes = 1000, .cycles_per_step = 5}, "one");
    const Vertex two = graph.add({.sdram_per_step = 3, .ip_tags = 1, .reverse_tags = 1}, "two \"ä\"");
    const Vertex three = graph.add({.dtcm_bytes = 7});
    const Vertex device = graph.add({}, "retina");
    (void)graph.connect(one, std::vector{two, three, device},
                        {.identifier = "spikes", .packets_per_step = 2.5, .keys = 256});
    (void)graph.connect(device, std::vector{three}, {.identifier = "events"});
    (void)graph.connect(two, {}, {});
    named.names = GraphNames::of(graph);
    const auto added = machine.add_device(2, Link::east, named.names.vertices[device]);
    REQUIRE(added.ok());
    constraints.steps = 1000, constraints.step_us = 500;
    constraints.on_chip = {{one, 0}};
    constraints.devices = {{device, added.value()}};
    constraints.on_core = {{two, 1, 3}};
    constraints.on_board = {{three, 0}};
    constraints.near_chip = {{three, 2}};
    constraints.same_chip = {{two, three}};
    constraints.shared_sdram = {{{two, three}, 77, 3}};
    constraints.reserved_cores = {{no_chip, 1}, {2, 17}};
    constraints.fixed_keys = {{0, {0x100, 0xFFFFFF00}}};
    constraints.same_keys = {{1, 2}};
    constraints.ip_tags = {{two, "localhost", 17895, false, 3, 0}};
    constraints.reverse_tags = {{two, 12345, 2}};
    placed.chip = {0, 1, 1, added.value()}, placed.core = {5, 3, 4, 0};
    routes.items = {{0, 1, RouteNode::from_core}, {1, 1U << 9 | 1U << 10 | 1, 3}, {2, 1, 3}};
    routes.end_list();
    routes.items.push_back({2, 8, 0});
    routes.items.push_back({1, 1U << 10, 0});
    routes.end_list();
    routes.end_list();
    tables.items = {{{0x100, 0xFFFFFF00}, 1, 0}};
    tables.end_list();
    tables.end_list();
    tables.items.push_back({{7, 0xFFFFFFFF}, 0x208, 0});
    tables.items.push_back({{9, 0xFFFFFFFF}, 0, 0});
    tables.end_list();
  }
};

/// A file, and a reader that says why it refuses it, or writes it again.
struct File {
  std::string name, text;
  std::function<std::string(const std::string&, std::string& again)> read;
};
std::vector<File> files_of(const Small& small) {
  const MachineGraph& graph = small.named.graph;
  const GraphNames& names = small.named.names;
  const auto result = [](const auto& answer, std::string& again, auto write) {
    if (answer) {
      again = write(answer.value());
      return std::string();
    }
    CHECK(answer.status().error == Error::file_malformed);
    return answer.sentence();
  };
  const std::string placements = placements_to_json(small.placed, names, small.machine),
                    allocations = allocations_to_json(small.placed, names, small.machine),
                    counts = key_counts_to_json(graph, names), graph_text = graph_to_json(graph, names);
  return {
      {"machine", machine_to_json(small.machine),
       [=](const std::string& text, std::string& again) {
         return result(machine_from_json(text, "machine"), again,
                       [](const Machine& made) { return machine_to_json(made); });
       }},
      {"graph", graph_text,
       [=](const std::string& text, std::string& again) {
         return result(graph_from_json(text, "graph", counts, "counts"), again,
                       [](const NamedGraph& made) { return graph_to_json(made.graph, made.names); });
       }},
      {"counts", counts,
       [=](const std::string& text, std::string& again) {
         return result(graph_from_json(graph_text, "graph", text.empty() ? " " : text, "counts"), again,
                       [](const NamedGraph& made) { return key_counts_to_json(made.graph, made.names); });
       }},
      {"constraints", constraints_to_json(small.constraints, names, small.machine),
       [=](const std::string& text, std::string& again) {
         Machine machine = machine_of(3, 1, {});
         return result(constraints_from_json(text, names, machine, "constraints"), again,
                       [&](const Constraints& made) { return constraints_to_json(made, names, machine); });
       }},
      {"placements", placements,
       [=](const std::string& text, std::string& again) {
         return result(placements_from_json(text, allocations, names, small.machine, small.constraints, "placements",
                                            "allocations"),
                       again, [&](const Placements& made) { return placements_to_json(made, names, small.machine); });
       }},
      {"allocations", allocations,
       [=](const std::string& text, std::string& again) {
         return result(placements_from_json(placements, text, names, small.machine, small.constraints, "placements",
                                            "allocations"),
                       again, [&](const Placements& made) { return allocations_to_json(made, names, small.machine); });
       }},
      {"keys", keys_to_json(small.keys, names),
       [=](const std::string& text, std::string& again) {
         return result(keys_from_json(text, names, "keys"), again,
                       [&](const Keys& made) { return keys_to_json(made, names); });
       }},
      {"routes", routes_to_json(small.routes, graph, names, small.placed, small.machine),
       [=](const std::string& text, std::string& again) {
         return result(
             routes_from_json(text, graph, names, small.placed, small.machine, "routes"), again,
             [&](const Routes& made) { return routes_to_json(made, graph, names, small.placed, small.machine); });
       }},
      {"tables", tables_to_json(small.tables, small.machine),
       [=](const std::string& text, std::string& again) {
         return result(tables_from_json(text, small.machine, "tables"), again,
                       [&](const Tables& made) { return tables_to_json(made, small.machine); });
       }},
  };
}

} // namespace

TEST_CASE("interchange: files have the form of the open schemas") {
  const Small small;
  std::vector<File> files = files_of(small);
  const auto text = [&](const char* name) {
    for (const File& file : files)
      if (file.name == name) return file.text;
    return std::string();
  };
  CHECK(
      text("machine") ==
      "{\n  \"width\": 3,\n  \"height\": 1,\n  \"chip_resources\": {\n    \"cores\": 18,\n    \"sdram\": 123469792,\n"
      "    \"router_entries\": 1023,\n    \"monitors\": 1,\n    \"clock_mhz\": 200,\n    \"itcm\": 32768,\n    "
      "\"dtcm\": 65536,\n"
      "    \"tags\": 8,\n    \"core_bits\": 262142\n  },\n  \"chip_resource_exceptions\": [],\n  \"dead_chips\": [],\n"
      "  \"dead_links\": [\n    [0, 0, \"north_east\"],\n    [0, 0, \"north\"],\n    [0, 0, \"west\"],\n"
      "    [0, 0, \"south_west\"],\n    [0, 0, \"south\"],\n    [1, 0, \"north_east\"],\n    [1, 0, \"north\"],\n"
      "    [1, 0, \"south_west\"],\n    [1, 0, \"south\"],\n    [2, 0, \"east\"],\n    [2, 0, \"north_east\"],\n"
      "    [2, 0, \"north\"],\n    [2, 0, \"south_west\"],\n    [2, 0, \"south\"]\n  ]\n}\n");
  CHECK(
      text("graph") ==
      "{\n  \"vertices_resources\": {\n"
      "    \"vertex 0, one\": {\"cores\": 1, \"sdram\": 1000, \"dtcm\": 100, \"cycles_per_step\": 5},\n"
      "    \"vertex 1, two \\\"ä\\\"\": {\"cores\": 1, \"sdram_per_step\": 3, \"ip_tags\": 1, \"reverse_tags\": 1},\n"
      "    \"vertex 2\": {\"cores\": 1, \"dtcm\": 7},\n    \"vertex 3, retina\": {\"cores\": 1}\n  },\n  \"edges\": {\n"
      "    \"edge 0\": {\"source\": \"vertex 0, one\", \"sinks\": [\"vertex 1, two \\\"ä\\\"\", \"vertex 2\", \"vertex "
      "3, retina\"], "
      "\"weight\": 2.5, \"type\": \"spikes\"},\n"
      "    \"edge 1\": {\"source\": \"vertex 3, retina\", \"sinks\": [\"vertex 2\"], \"weight\": 1.0, \"type\": "
      "\"events\"},\n"
      "    \"edge 2\": {\"source\": \"vertex 1, two \\\"ä\\\"\", \"sinks\": [], \"weight\": 1.0, \"type\": \"\"}\n  "
      "}\n}\n");
  CHECK(text("placements") ==
        "{\n  \"vertex 0, one\": [0, 0],\n  \"vertex 1, two \\\"ä\\\"\": [1, 0],\n  \"vertex 2\": [1, 0],\n"
        "  \"vertex 3, retina\": [2, 0]\n}\n");
  CHECK(text("allocations") == "{\n  \"type\": \"cores\",\n  \"allocations\": {\n    \"vertex 0, one\": [5, 6],\n"
                               "    \"vertex 1, two \\\"ä\\\"\": [3, 4],\n    \"vertex 2\": [4, 5]\n  }\n}\n");
  CHECK(
      text("keys") ==
      "{\n  \"edge 0\": [{\"key\": 256, \"mask\": 4294967040}],\n  \"edge 1\": [{\"key\": 7, \"mask\": 4294967295}],\n"
      "  \"edge 2\": [{\"key\": 9, \"mask\": 4294967295}]\n}\n");
  CHECK(text("routes") ==
        "{\n  \"edge 0\": {\"chip\": [0, 0], \"children\": [{\"route\": \"east\", \"next_hop\": {\"chip\": [1, 0], "
        "\"children\": ["
        "{\"route\": \"east\", \"next_hop\": {\"chip\": [2, 0], \"children\": [{\"route\": \"east\", \"next_hop\": "
        "\"vertex 3, retina\"}]}}, {\"route\": \"core3\", \"next_hop\": \"vertex 1, two \\\"ä\\\"\"}, "
        "{\"route\": \"core4\", \"next_hop\": \"vertex 2\"}]}}]},\n"
        "  \"edge 1\": {\"chip\": [2, 0], \"children\": [{\"route\": \"west\", \"next_hop\": {\"chip\": [1, 0], "
        "\"children\": ["
        "{\"route\": \"core4\", \"next_hop\": \"vertex 2\"}]}}]},\n  \"edge 2\": null\n}\n");
  CHECK(text("tables") == "[\n  {\n    \"chip\": [0, 0],\n    \"entries\": [\n      {\"key\": 256, \"mask\": "
                          "4294967040, \"directions\": [\"east\"]}\n"
                          "    ]\n  },\n  {\n    \"chip\": [2, 0],\n    \"entries\": [\n"
                          "      {\"key\": 7, \"mask\": 4294967295, \"directions\": [\"west\", \"core3\"]},\n"
                          "      {\"key\": 9, \"mask\": 4294967295, \"directions\": []}\n    ]\n  }\n]\n");
  CHECK(text("counts").find("{\"pre_vertex_label\": \"vertex 0, one\", \"n_keys\": 256, \"identifier\": \"spikes\"}") !=
        std::string::npos);
  CHECK(text("constraints")
            .find("{\"type\": \"location\", \"vertex\": \"vertex 3, retina\", \"location\": [2, 0]},\n"
                  "  {\"type\": \"route_endpoint\", \"vertex\": \"vertex 3, retina\", \"direction\": \"east\"}") !=
        std::string::npos);
  CHECK(text("constraints")
            .find("{\"type\": \"reserve_resource\", \"resource\": \"cores\", \"reservation\": [1, 2], "
                  "\"location\": null}") != std::string::npos);
}

TEST_CASE("interchange: what is written comes back, and what is cut off or changed is the same or a sentence") {
  const Small small;
  std::mt19937 random(5);
  for (const File& file : files_of(small)) {
    INFO(file.name);
    std::string again;
    CHECK(file.read(file.text, again) == "");
    CHECK(again == file.text);
    for (std::size_t length = 0; length + 1 < file.text.size(); ++length) { // all but the last end of line
      const std::string refusal = file.read(file.text.substr(0, length), again);
      if (refusal.find(": line ") == std::string::npos) FAIL_CHECK("cut off after " << length << ": " << refusal);
    }
    for (unsigned change = 0; change < 400; ++change) {
      std::string other = file.text;
      for (std::size_t times = 1 + random() % 3; times != 0; --times) {
        const std::size_t at = random() % other.size();
        const char* const likely = "{}[],:\"0123456789-.e \\atn";
        other[at] = random() % 4 == 0 ? static_cast<char>(random()) : likely[random() % 25];
      }
      const std::string refusal = file.read(other, again);
      if (!refusal.empty() && refusal.find(": line ") == std::string::npos) FAIL_CHECK(other << ": " << refusal);
      std::string third;
      if (refusal.empty()) CHECK(file.read(std::string(again), third) == ""); // what is taken is written well
      if (refusal.empty()) CHECK(third == again);
    }
  }
}

TEST_CASE("interchange: values come back, not only texts") {
  const Small small;
  const MachineGraph& graph = small.named.graph;
  const GraphNames& names = small.named.names;
  const auto read = graph_from_json(graph_to_json(graph, names), "", key_counts_to_json(graph, names));
  REQUIRE(read.ok());
  const MachineGraph& back = read.value().graph;
  CHECK(read.value().names.vertices == names.vertices);
  CHECK(read.value().names.partitions == names.partitions);
  REQUIRE(back.vertices() == 4);
  for (Vertex vertex = 0; vertex < 4; ++vertex) {
    CHECK(back.name(vertex) == graph.name(vertex));
    CHECK(back.resources(vertex) == graph.resources(vertex));
  }
  REQUIRE(back.partitions() == 3);
  for (Partition at = 0; at < 3; ++at) {
    CHECK(back.source(at) == graph.source(at));
    CHECK(std::vector(back.targets(at).begin(), back.targets(at).end()) ==
          std::vector(graph.targets(at).begin(), graph.targets(at).end()));
    CHECK(back.options(at).identifier == graph.options(at).identifier);
    CHECK(back.options(at).packets_per_step == graph.options(at).packets_per_step);
    CHECK(back.options(at).keys == graph.options(at).keys);
  }
  const auto routes = routes_from_json(routes_to_json(small.routes, graph, names, small.placed, small.machine), graph,
                                       names, small.placed, small.machine);
  REQUIRE(routes.ok());
  CHECK(routes.value().first == small.routes.first);
  for (std::size_t at = 0; at < small.routes.items.size(); ++at) {
    CHECK(routes.value().items[at].chip == small.routes.items[at].chip);
    CHECK(routes.value().items[at].route == small.routes.items[at].route);
    CHECK(unsigned(routes.value().items[at].from) == unsigned(small.routes.items[at].from));
  }
  Machine machine = machine_of(3, 1, {});
  const auto constraints =
      constraints_from_json(constraints_to_json(small.constraints, names, small.machine), names, machine);
  REQUIRE(constraints.ok());
  CHECK(machine == small.machine); // with its device
  CHECK(constraints.value().devices[0].chip == 3);
  CHECK(constraints.value().on_core[0].core == 3);
  CHECK(constraints.value().reserved_cores.size() == 2);
  CHECK(constraints.value().ip_tags[0].port == 17895);
  CHECK(constraints.value().reverse_tags[0].tag == IpTag::any);
  const auto placed = placements_from_json(placements_to_json(small.placed, names, small.machine),
                                           allocations_to_json(small.placed, names, small.machine), names,
                                           small.machine, small.constraints);
  REQUIRE(placed.ok());
  CHECK(placed.value().chip == small.placed.chip);
  CHECK(placed.value().core == small.placed.core);
  const auto tables = tables_from_json(tables_to_json(small.tables, small.machine), small.machine);
  REQUIRE(tables.ok());
  CHECK(tables.value().first == small.tables.first);
  CHECK(tables.value().items[1].route == 0x208);
}

TEST_CASE("interchange: machines of all sizes with any faults come back as they were") {
  std::mt19937 random(3);
  for (unsigned count = 0; count < 100; ++count) {
    const auto width = static_cast<std::uint32_t>(2 + random() % 5),
               height = static_cast<std::uint32_t>(2 + random() % 5);
    const bool wraps_x = random() % 2 == 0, wraps_y = random() % 2 == 0;
    Machine machine = machine_of(width, height, {wraps_x, wraps_y});
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
      if (random() % 12 == 0) machine.remove_chip(chip);
      for (unsigned link = 0; link < link_count; ++link)
        if (random() % 12 == 0) machine.remove_link(chip, Link(link));
      if (!machine.has(chip)) continue;
      if (random() % 5 == 0) machine.remove_core(chip, 1 + static_cast<unsigned>(random() % 17));
      if (random() % 5 == 0) machine.set_sdram_bytes(chip, static_cast<std::uint32_t>(random() % 1000));
      if (random() % 5 == 0) machine.set_router_entries(chip, static_cast<std::uint32_t>(random() % 1000));
    }
    const auto read = machine_from_json(machine_to_json(machine));
    INFO(read.sentence());
    REQUIRE(read.ok());
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
      CHECK(read.value().has(chip) == machine.has(chip));
      CHECK(read.value().cores(chip) == machine.cores(chip));
      CHECK(read.value().sdram_bytes(chip) == machine.sdram_bytes(chip));
      CHECK(read.value().router_entries(chip) == machine.router_entries(chip));
      for (unsigned link = 0; link < link_count; ++link)
        CHECK(read.value().neighbour(chip, Link(link)) == machine.neighbour(chip, Link(link)));
    }
    CHECK(read.value().kind() == machine.kind());
  }
}

TEST_CASE("interchange: files of other tools are read: the format's own example") {
  // The example of the format's page, with its commas mended.
  const auto machine =
      machine_from_json("{\"width\": 12, \"height\": 12, \"chip_resources\": {\"cores\": 18, \"sdram\": 119275520},"
                        "\"dead_chips\": [[1, 0], [2, 4]], \"dead_links\": [[1, 1, \"north\"], [1, 2, \"south\"]],"
                        "\"chip_resource_exceptions\": [[1, 1, {\"cores\": 17}], [3, 4, {\"sdram\": 0}]]}");
  REQUIRE(machine.ok());
  CHECK(machine.value().wraps() == Wraps{true, true});
  CHECK_FALSE(machine.value().has(machine.value().chip_at(2, 4)));
  CHECK(machine.value().core_count(machine.value().chip_at(1, 1)) == 16);
  CHECK(machine.value().core_count(machine.value().chip_at(0, 0)) == 17);
  CHECK(machine.value().sdram_bytes(machine.value().chip_at(3, 4)) == 0);
  CHECK(machine.value().sdram_bytes(machine.value().chip_at(0, 0)) == 119275520);
  CHECK(machine.value().neighbour(machine.value().chip_at(1, 1), Link::north) == no_chip);
  CHECK(machine.value().neighbour(machine.value().chip_at(1, 2), Link::south) == no_chip);
  const auto graph = graph_from_json("{\"vertices_resources\": {\"vertex0\": {\"cores\": 1}, \"vertex1\": {\"cores\": "
                                     "1, \"sdram\": 1024}, \"mydevice\": {}},"
                                     "\"edges\": {\"edge1\": {\"source\": \"vertex1\", \"sinks\": [\"vertex0\", "
                                     "\"mydevice\"], \"weight\": 1, \"type\": \"mc\"}}}");
  REQUIRE(graph.ok());
  CHECK(graph.value().graph.name(1) == "vertex 1, vertex1");
  CHECK(graph.value().graph.resources(1).sdram_bytes == 1024);
  CHECK(graph.value().graph.options(0).keys == 1);
  Machine with_device = machine_of(12, 12, {});
  const auto constraints = constraints_from_json(
      "[{\"type\": \"route_endpoint\", \"vertex\": \"mydevice\", \"direction\": \"west\"},"
      "{\"type\": \"location\", \"vertex\": \"mydevice\", \"location\": [0, 0]},"
      "{\"type\": \"reserve_resource\", \"resource\": \"cores\", \"reservation\": [0, 2]},"
      "{\"type\": \"resource\", \"vertex\": \"vertex1\", \"resource\": \"cores\", \"range\": [3, 4]},"
      "{\"type\": \"location\", \"vertex\": \"vertex1\", \"location\": [1, 1]},"
      "{\"type\": \"same_chip\", \"vertices\": [\"vertex0\", \"vertex1\"]}]",
      graph.value().names, with_device);
  INFO(constraints.sentence());
  REQUIRE(constraints.ok());
  CHECK(constraints.value().devices[0].vertex == 2);
  CHECK(with_device.devices()[0] == Device{0, Link::west, "mydevice"});
  CHECK(constraints.value().reserved_cores.size() == 2);
  CHECK(constraints.value().on_core[0].chip == 13);
  CHECK(constraints.value().on_core[0].core == 3);
  CHECK(constraints.value().on_chip.empty());
}

TEST_CASE("interchange: what is refused is named") {
  const Small small;
  const GraphNames& names = small.named.names;
  const auto machine = [](const char* text) { return machine_from_json(text, "m").sentence(); };
  CHECK(machine("{\"width\": 0, \"height\": 1, \"chip_resources\": {}}") ==
        "m: line 1, column 11, width: it has to be 1 to 4096, and not 0");
  CHECK(machine("{\"width\": 2, \"height\": 1}") == "m: line 1, column 1: \"chip_resources\" is missing");
  CHECK(machine("{\"width\": 2, \"height\": 1, \"chip_resources\": {\"cores\": 27}}") ==
        "m: line 1, column 45, chip_resources: 1 to 26 cores with fewer monitors are wanted, and not 27 with 1");
  CHECK(machine("{\"width\": 2, \"height\": 1, \"chip_resources\": {}, \"dead_chips\": [[2, 0]]}") ==
        "m: line 1, column 65, dead_chips[0][0]: it has to be 0 to 1, and not 2");
  CHECK(machine("{\"width\": 2, \"height\": 1, \"chip_resources\": {}, \"dead_links\": [[1, 0, \"up\"]]}") ==
        "m: line 1, column 71, dead_links[0][2]: a link is wanted, and not \"up\"");
  CHECK(machine("{\"width\": 2, \"height\": 1, \"chip_resources\": {}, \"chip_resource_exceptions\": [[0, 0, "
                "{\"sdram\": 1}]]}") ==
        "m: line 1, column 95, chip_resource_exceptions[0][2].sdram: chip_resources has no \"sdram\"");
  CHECK(machine("{\"width\": 2, \"height\": 1, \"chip_resources\": {}, \"boards\": 1}") ==
        "m: line 1, column 59, boards: \"boards\" is not known here");
  const auto graph = [](const char* text) { return graph_from_json(text, "g").sentence(); };
  CHECK(graph("{\"vertices_resources\": {\"a\": {\"cores\": 2}}, \"edges\": {}}") ==
        "g: line 1, column 40, vertices_resources.a.cores: a vertex has one core, or none where it is a device");
  CHECK(graph("{\"vertices_resources\": {\"a\": {\"flux\": 2}}, \"edges\": {}}") ==
        "g: line 1, column 39, vertices_resources.a.flux: \"flux\" is no resource that is known here");
  CHECK(graph("{\"vertices_resources\": {\"a\": {}}, \"edges\": {\"e\": {\"source\": \"b\", \"sinks\": [], \"weight\": "
              "1, \"type\": "
              "\"\"}}}") == "g: line 1, column 61, edges.e.source: there is no vertex \"b\"");
  CHECK(graph("{\"vertices_resources\": {\"a\": {}}, \"edges\": {\"e\": {\"source\": \"a\", \"sinks\": [], \"weight\": "
              "-1, \"type\": "
              "\"\"}}}") == "g: line 1, column 89, edges.e.weight: a weight is not below 0");
  const auto constraint = [&](const char* text) {
    Machine made = machine_of(3, 1, {});
    return constraints_from_json(text, names, made, "c").sentence();
  };
  CHECK(constraint("[{\"type\": \"share_resources\", \"vertices\": []}]") ==
        "c: line 1, column 11, [0].type: constraints of this type are not kept here");
  CHECK(constraint("[{\"type\": \"levitate\"}]") ==
        "c: line 1, column 11, [0].type: there is no constraint of this type");
  CHECK(
      constraint("[{\"type\": \"resource\", \"vertex\": \"vertex 2\", \"resource\": \"cores\", \"range\": [3, 5]}]") ==
      "c: line 1, column 75, [0].range: a range of one core is wanted, and not of 2");
  CHECK(
      constraint("[{\"type\": \"resource\", \"vertex\": \"vertex 2\", \"resource\": \"cores\", \"range\": [3, 4]}]") ==
      "c: line 1, column 2, [0]: \"vertex 2\" has no location, which this needs");
  CHECK(
      constraint("[{\"type\": \"location\", \"vertex\": \"vertex 2\", \"location\": [0, 0]}, "
                 "{\"type\": \"route_endpoint\", \"vertex\": \"vertex 2\", \"direction\": \"east\"}]") ==
      "c: line 1, column 66, [1]: device vertex 2: the link east of chip 0, 0 is in use: it is connected to chip 1, 0");
  const auto placed = [&](const char* text, const char* cores) {
    return placements_from_json(text, cores, names, small.machine, small.constraints, "p", "a").sentence();
  };
  const char* const good = "{\"vertex 0, one\": [0, 0], \"vertex 1, two \\\"ä\\\"\": [1, 0], \"vertex 2\": [1, 0], "
                           "\"vertex 3, retina\": [2, 0]}";
  CHECK(placed(good, "{\"type\": \"sdram\", \"allocations\": {}}") ==
        "a: line 1, column 10, type: \"cores\" is wanted, and not \"sdram\"");
  CHECK(placed(good, "{\"type\": \"cores\", \"allocations\": {\"vertex 0, one\": [1, 2]}}") ==
        "a: line 1, column 34, allocations: \"vertex 1, two \"ä\"\" is missing");
  CHECK(placed(good, "{\"type\": \"cores\", \"allocations\": {\"vertex 3, retina\": [1, 2]}}") ==
        "a: line 1, column 55, allocations.vertex 3, retina: a device has no core");
  CHECK(placed("{\"vertex 0, one\": [0, 0]}", "{\"type\": \"cores\", \"allocations\": {}}")
            .find("p: line 1, column 1: \"vertex 1") == 0);
  CHECK(placed("{\"vertex 3, retina\": [1, 0]}", "{}") ==
        "p: line 1, column 22, vertex 3, retina: its device is connected to chip 2, 0");
  const auto keys = [&](const char* text) { return keys_from_json(text, names, "k").sentence(); };
  CHECK(keys("{\"edge 0\": [{\"key\": 3, \"mask\": 2}]}") ==
        "k: line 1, column 21, edge 0[0].key: a key has bits that its mask lacks");
  CHECK(keys("{\"edge 0\": []}") == "k: line 1, column 12, edge 0: it has to have 1 items, and not 0");
  CHECK(keys("{}") == "k: line 1, column 1: \"edge 0\" is missing");
  CHECK(keys("{\"edge 9\": []}") == "k: line 1, column 12, edge 9: there is no edge \"edge 9\"");
  const auto routes = [&](const char* tree) {
    const std::string text = "{\"edge 0\": " + std::string(tree) + ", \"edge 1\": null, \"edge 2\": null}";
    return routes_from_json(text, small.named.graph, names, small.placed, small.machine, "r").sentence();
  };
  CHECK(routes("{\"chip\": [1, 0], \"children\": []}") ==
        "r: line 1, column 21, edge 0.chip: its source is on chip 0, 0");
  CHECK(routes("{\"chip\": [0, 0], \"children\": [{\"route\": \"north\", \"next_hop\": {\"chip\": [0, 0], "
               "\"children\": []}}]}") == "r: line 1, column 52, edge 0.children[0].route: this link leads to no chip");
  CHECK(routes("{\"chip\": [0, 0], \"children\": [{\"route\": \"east\", \"next_hop\": {\"chip\": [2, 0], \"children\": "
               "[]}}]}") == "r: line 1, column 81, edge 0.children[0].next_hop.chip: the link leads to chip 1, 0");
  CHECK(routes("{\"chip\": [0, 0], \"children\": [{\"route\": \"core3\", \"next_hop\": \"vertex 2\"}]}") ==
        "r: line 1, column 73, edge 0.children[0].next_hop: it is on chip 1, 0");
  CHECK(routes("{\"chip\": [0, 0], \"children\": [{\"route\": \"core3\", \"next_hop\": \"vertex 0, one\"}]}") ==
        "r: line 1, column 52, edge 0.children[0].route: its vertex is at core5");
  CHECK(routes("{\"chip\": [0, 0], \"children\": [{\"route\": \"east\", \"next_hop\": {\"chip\": [1, 0], \"children\": "
               "[{\"route\": "
               "\"west\", \"next_hop\": {\"chip\": [0, 0], \"children\": []}}]}}]}")
            .find("the route comes to chip 0, 0 twice") != std::string::npos);
  CHECK(routes("null").empty() == false); // "no error"
  CHECK(routes_from_json("{\"edge 0\": null}", small.named.graph, names, small.placed, small.machine, "r").sentence() ==
        "r: line 1, column 1: \"edge 1\" is missing");
  const auto tables = [&](const char* text) { return tables_from_json(text, small.machine, "t").sentence(); };
  CHECK(tables("[{\"chip\": [0, 0], \"entries\": []}, {\"chip\": [0, 0], \"entries\": []}]") ==
        "t: line 1, column 35, [1]: chip 0, 0 has a table already");
  CHECK(tables("[{\"chip\": [0, 0], \"entries\": [{\"key\": 4294967296, \"mask\": 0, \"directions\": []}]}]") ==
        "t: line 1, column 39, [0].entries[0].key: it has to be 0 to 4294967295, and not 4294967296");
  CHECK(tables("[{\"chip\": [0, 0], \"entries\": [{\"key\": 0, \"mask\": 0, \"directions\": [\"core26\"]}]}]") ==
        "t: line 1, column 68, [0].entries[0].directions[0]: a link or core0 to core25 is wanted, and not \"core26\"");
  CHECK(
      tables("[{\"chip\": [0, 0], \"entries\": [{\"key\": 0, \"mask\": 0, \"directions\": [\"west\", \"west\"]}]}]") ==
      "t: line 1, column 76, [0].entries[0].directions[1]: this direction is named twice");
}
