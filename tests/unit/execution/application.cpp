// SPDX-License-Identifier: BSL-1.0
// Application graphs in a simulation: Conway's life with many cells on a core, however it is cut, against a plain life.
#include <tests/support/catch.hpp>

#include <neuromorph/execution/application.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/mapping/boards.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "examples/life/plain.hpp"
#include "examples/life/tile_graph.hpp"

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
using neuromorph::Error;
using Bytes = std::vector<std::uint8_t>;

namespace {

struct Machine {
  explicit Machine(unsigned boards)
      : is(mapping::machine_of_boards(boards).value()), monitors(is, {}), applications(monitors, programs),
        link(monitors, applications) {
    programs.add<life::TileOfCells>("tile");
  }
  mapping::Machine is;
  machine::Programs programs{};
  machine::Monitors monitors;
  machine::Applications applications;
  execution::InProcessLink link;
};

/// The whole board as one vertex.
struct Life {
  Life(std::uint32_t of_width, std::uint32_t of_height, unsigned seed)
      : width(of_width), height(of_height), alive(width * height) {
    std::mt19937 draw(seed);
    for (auto& one : alive) one = draw() % 3 == 0;
  }
  [[nodiscard]] mapping::ApplicationGraph graph(std::uint32_t a_core, bool is_tiled) const {
    return life::tile_graph(width, height, a_core, is_tiled);
  }
  [[nodiscard]] std::vector<execution::SliceProgram> programs(std::size_t image) const {
    return {life::tile_program(image, width, height, alive)};
  }
  std::uint32_t width, height;
  std::vector<std::uint8_t> alive;
};

} // namespace

TEST_CASE("Life with many cells on a core is the plain one, however the board is cut") {
  const unsigned seed = GENERATE(range(1U, 13U));
  std::mt19937 draw(seed);
  const auto width = static_cast<std::uint32_t>(3 + draw() % 40), height = static_cast<std::uint32_t>(3 + draw() % 30);
  const auto a_core = static_cast<std::uint32_t>((std::max)(4UL, 1 + draw() % life::most_cells));
  const bool is_tiled = seed % 2 == 0;
  CAPTURE(seed, width, height, a_core, is_tiled);
  Machine on(1 + seed % 2 * 2);
  const Life board(width, height, seed);
  execution::Simulation simulation(on.link, {.most_cycle = 13});
  const auto image = simulation.add_image("tile", machine::image_of("tile"));
  const auto parts =
      execution::add_application(simulation, board.graph(a_core, is_tiled), board.programs(image), on.is);
  INFO(parts.sentence());
  REQUIRE(parts.ok());
  constexpr std::uint32_t ticks = 40;
  const auto ran = simulation.run(ticks);
  INFO(ran.sentence());
  REQUIRE(ran.ok());
  const life::Places places(*parts.value(), width, width * height);
  auto alive = board.alive;
  for (std::uint32_t tick = 0; tick < ticks; ++tick) {
    for (std::uint32_t cell = 0; cell < width * height; ++cell) {
      const auto& [slice, at] = places.of_cell[cell];
      const auto bytes = simulation.recorded(slice, 0);
      REQUIRE(bytes.size() == 4 * ((parts.value()->slices[slice].count + 31) / 32) * ticks);
      if (life::lives(bytes, parts.value()->slices[slice], at, tick) != (alive[cell] != 0))
        FAIL("cell " << cell << " of tick " << tick);
    }
    alive = life::next_of(alive, width, height);
  }
  CHECK(simulation.anomalies().empty());
  CHECK(simulation.cycles() == 4);
}

TEST_CASE("An application graph that does not fit a simulation is refused in words") {
  Machine on(1);
  const Life board(20, 20, 1);
  {
    execution::Simulation simulation(on.link);
    const auto image = simulation.add_image("tile", machine::image_of("tile"));
    CHECK(execution::add_application(simulation, board.graph(50, false), {}, on.is).sentence() ==
          "0 programs are given for 1 vertices");
    simulation.add(image, {.name = "one"});
    CHECK(execution::add_application(simulation, board.graph(50, false), board.programs(image), on.is).sentence() ==
          "an application graph comes into an empty simulation, and this one has 1 vertices");
  }
  execution::Simulation simulation(on.link);
  const auto image = simulation.add_image("tile", machine::image_of("tile"));
  auto graph = board.graph(50, false);
  graph.vertex(0).per_atom.dtcm_bytes = 1U << 20;
  const auto refusal = execution::add_application(simulation, graph, board.programs(image), on.is);
  CHECK(!refusal.ok());
  CHECK_THAT(refusal.sentence(), Catch::Contains("cells"));
  CHECK(simulation.graph().vertices() == 0);
  // What is added behind it is mapped with it.
  REQUIRE(execution::add_application(simulation, board.graph(50, false), board.programs(image), on.is).ok());
  simulation.add(image,
                 {.name = "another", .resources = {.sdram_bytes = 100}, .regions = [](const execution::Mapped&) {
                    std::vector<Bytes> made{Bytes(life::TileRegion::bytes(0)), Bytes(life::NeighboursRegion::bytes(0))};
                    REQUIRE(life::TileRegion::write(made[0], {0, 0}, std::vector<std::uint32_t>{}).ok());
                    REQUIRE(life::NeighboursRegion::write(made[1], {}, std::vector<life::Neighbour>{}).ok());
                    return made;
                  }});
  const auto ran = simulation.run(5);
  INFO(ran.sentence());
  CHECK(ran.ok());
}
