// SPDX-License-Identifier: BSL-1.0
// Conway's life as a graph: a cell on each core, which tells its eight neighbours on a torus whether it lives.
#ifndef EXAMPLES_MAPPING_CONWAY_HPP
#define EXAMPLES_MAPPING_CONWAY_HPP

#include <array>
#include <cstdint>
#include <vector>

#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/placement.hpp>

namespace conway {

namespace mapping = neuromorph::mapping;

/// \pre both are 3 or more
inline mapping::MachineGraph graph(std::uint32_t width, std::uint32_t height) {
  mapping::MachineGraph made;
  const std::size_t cells = std::size_t{width} * height;
  made.reserve(cells, cells, 8 * cells);
  // A state a step is recorded, a bit of a word.
  for (std::uint32_t cell = 0; cell < cells; ++cell)
    made.add({.dtcm_bytes = 1024, .sdram_bytes = 1024, .sdram_per_step = 4});
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      std::array<mapping::Vertex, 8> neighbours{};
      std::size_t count = 0;
      for (const std::uint32_t down : {height - 1, 0U, 1U})
        for (const std::uint32_t right : {width - 1, 0U, 1U})
          if (down != 0 || right != 0) neighbours[count++] = (y + down) % height * width + (x + right) % width;
      made.connect(y * width + x, neighbours);
    }
  return made;
}

/// Where its cells are, for Placer::by_position.
inline std::vector<mapping::Position> positions(std::uint32_t width, std::uint32_t height) {
  std::vector<mapping::Position> made;
  made.reserve(std::size_t{width} * height);
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) made.push_back({static_cast<double>(x), static_cast<double>(y)});
  return made;
}

} // namespace conway

#endif
