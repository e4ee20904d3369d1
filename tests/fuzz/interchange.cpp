// SPDX-License-Identifier: BSL-1.0
// Any bytes as the files of mapping: the first is a digit that says which; what is read and written is read again, and written the
// same; a refusal is a sentence. The inputs beside are what the writers made of a small graph on a machine of 3 x 2 chips.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include <neuromorph/mapping/interchange.hpp>

namespace {

namespace mapping = neuromorph::mapping;

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// Four vertices, of which the last is a device, and three partitions.
struct World {
  mapping::MachineGraph graph{};
  mapping::GraphNames names{};
  mapping::Machine machine = mapping::Machine::grid<mapping::SpiNNaker1>(3, 2, {.wraps_x = true}).value();
  mapping::Placements placed{};

  World() {
    for (int vertex = 0; vertex < 4; ++vertex) graph.add({.dtcm_bytes = 100, .sdram_bytes = 1000, .sdram_per_step = 4});
    const mapping::Vertex first[] = {1, 2, 3}, second[] = {0}, third[] = {2};
    graph.connect(0, first), graph.connect(1, second, {.packets_per_step = 0.5}), graph.connect(3, third);
    names = mapping::GraphNames::of(graph);
    const mapping::Chip eye = machine.add_device(4, mapping::Link::north, "eye").value();
    placed.chip = {0, 1, 5, eye}, placed.core = {1, 2, 3, 0};
  }
};

/// \param write  from what was read to text
/// \param read   again
template <class Value, class Write, class Read>
void go_round(const neuromorph::Answer<Value>& given, Write write, Read read) {
  if (!given) {
    demand(!given.sentence().empty() && given.sentence().find('\0') == std::string::npos, "a refusal is no sentence");
    return;
  }
  const std::string text = write(given.value());
  const auto again = read(text);
  if (!again) std::fprintf(stderr, "%s\n%s\n", text.c_str(), again.sentence().c_str());
  demand(again.ok(), "what was written is refused");
  demand(write(again.value()) == text, "what was written is read as something else");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const World world;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
  case '0': {
    const auto read = [](std::string of) { return mapping::machine_from_json(std::move(of)); };
    go_round(
        read(text), [](const mapping::Machine& of) { return mapping::machine_to_json(of); }, read);
    break;
  }
  case '1': {
    const auto read = [](std::string of) { return mapping::graph_from_json(std::move(of)); };
    go_round(
        read(text), [](const mapping::NamedGraph& of) { return mapping::graph_to_json(of.graph, of.names); }, read);
    break;
  }
  case '2': { // both files, a line of its own between them
    const std::size_t end = text.find("\n---\n");
    const std::string other = end == std::string::npos ? "{}" : text.substr(end + 5);
    const auto placements = mapping::placements_from_json(text.substr(0, end), other, world.names, world.machine);
    if (!placements) break;
    const std::string first = mapping::placements_to_json(placements.value(), world.names, world.machine);
    const std::string second = mapping::allocations_to_json(placements.value(), world.names, world.machine);
    const auto again = mapping::placements_from_json(first, second, world.names, world.machine);
    demand(again.ok(), "placements that were written are refused");
    demand(again.value().chip == placements.value().chip && again.value().core == placements.value().core,
           "placements are read as others");
    break;
  }
  case '3': {
    const auto read = [&](std::string of) { return mapping::keys_from_json(std::move(of), world.names); };
    go_round(
        read(text), [&](const mapping::Keys& of) { return mapping::keys_to_json(of, world.names); }, read);
    break;
  }
  case '4': {
    const auto read = [&](std::string of) { return mapping::tables_from_json(std::move(of), world.machine); };
    go_round(
        read(text), [&](const mapping::Tables& of) { return mapping::tables_to_json(of, world.machine); }, read);
    break;
  }
  case '5': {
    const auto read = [&](std::string of) {
      return mapping::routes_from_json(std::move(of), world.graph, world.names, world.placed, world.machine);
    };
    go_round(
        read(text),
        [&](const mapping::Routes& of) {
          return mapping::routes_to_json(of, world.graph, world.names, world.placed, world.machine);
        },
        read);
    break;
  }
  case '6': {
    mapping::Machine machine = world.machine;
    const auto read = [&](std::string of) {
      machine = world.machine; // to which devices are added
      return mapping::constraints_from_json(std::move(of), world.names, machine);
    };
    go_round(
        read(text),
        [&](const mapping::Constraints& of) { return mapping::constraints_to_json(of, world.names, machine); }, read);
    break;
  }
  default: break;
  }
  return 0;
}
