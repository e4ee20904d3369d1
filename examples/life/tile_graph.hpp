// SPDX-License-Identifier: BSL-1.0
// Conway's life as one vertex of an application graph: a board of cells, cut into as many slices as cores need.
#ifndef EXAMPLES_LIFE_TILE_GRAPH_HPP
#define EXAMPLES_LIFE_TILE_GRAPH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <neuromorph/execution/application.hpp>
#include <neuromorph/mapping/application_graph.hpp>
#include <neuromorph/mapping/partitioning.hpp>

#include "tile.hpp"

namespace life {

namespace execution = neuromorph::execution;
namespace mapping = neuromorph::mapping;

/// Where cells are, which have their numbers row by row.
struct Places {
  struct Place {
    std::uint32_t slice = 0, at = 0;
  };
  Places(const mapping::Partitioned& parts, std::uint32_t width, std::size_t count)
      : of_cell(count), cells(parts.slices.size()) {
    for (std::uint32_t slice = 0; slice < parts.slices.size(); ++slice) {
      const mapping::Slice& of = parts.slices[slice];
      const bool is_tile = of.tile.width != 0;
      for (std::uint32_t at = 0; at < of.count; ++at) {
        const std::uint32_t cell =
            is_tile ? (of.y + at / of.tile.width) * width + of.x + at % of.tile.width : of.first + at;
        of_cell[cell] = {slice, at};
        cells[slice].push_back(cell);
      }
    }
  }
  std::vector<Place> of_cell;
  std::vector<std::vector<std::uint32_t>> cells; // [slice]
};

/// \param a_core    cells, at most
/// \param is_tiled  in rectangles; else in rows of cells, one after the other
inline mapping::ApplicationGraph tile_graph(std::uint32_t width, std::uint32_t height, std::uint32_t a_core,
                                            bool is_tiled) {
  mapping::ApplicationGraph made;
  mapping::ApplicationVertex cells{.name = "cells",
                                   .atoms = width * height,
                                   .fixed = {.dtcm_bytes = 1000, .sdram_bytes = 1000},
                                   .per_atom = {.dtcm_bytes = 10, .sdram_bytes = 100}};
  if (is_tiled)
    cells.shape = {width, height}, cells.most_atoms = a_core;
  else
    cells.atoms_per_core = a_core;
  const auto vertex = made.add(cells);
  made.connect(vertex, {vertex}, {.packets_per_step = 0.3});
  return made;
}

/// Its program.
/// \param alive  each cell at the beginning; outlives it
inline execution::SliceProgram tile_program(std::size_t image, std::uint32_t width, std::uint32_t height,
                                            const std::vector<std::uint8_t>& alive) {
  const auto places = std::make_shared<std::unique_ptr<Places>>(); // made once, when it is known how the board is cut
  return {.image = image,
          .regions =
              [=, &alive](const execution::SliceOf& of) {
                if (*places == nullptr) *places = std::make_unique<Places>(of.parts, width, alive.size());
                const auto& own = (*places)->cells[of.vertex];
                std::vector<std::uint32_t> words((own.size() + 31) / 32);
                std::vector<Neighbour> neighbours;
                for (std::uint32_t at = 0; at < own.size(); ++at) {
                  words[at / 32] |= std::uint32_t{alive[own[at]]} << at % 32;
                  const std::uint32_t x = own[at] % width, y = own[at] / width;
                  for (const std::uint32_t down : {0U, 1U, height - 1})
                    for (const std::uint32_t right : {0U, 1U, width - 1}) {
                      if (down == 0 && right == 0) continue;
                      const auto& other = (*places)->of_cell[(y + down) % height * width + (x + right) % width];
                      neighbours.push_back({of.keys(0, other.slice).key + other.at, at});
                    }
                }
                std::sort(neighbours.begin(), neighbours.end(), [](const Neighbour& one, const Neighbour& other) {
                  return std::pair(one.key, one.cell) < std::pair(other.key, other.cell);
                });
                std::vector<std::vector<std::uint8_t>> made(2);
                made[0].resize(TileRegion::bytes(words.size())),
                    made[1].resize(NeighboursRegion::bytes(neighbours.size()));
                const auto cells = static_cast<std::uint32_t>(own.size());
                static_cast<void>(TileRegion::write(made[0], {of.keys(0).key, cells}, words).ok()); // there is room
                static_cast<void>(NeighboursRegion::write(made[1], {}, neighbours).ok());
                return made;
              },
          .recordings = {
              [](std::uint64_t ticks, const mapping::Slice& slice) { return 4 * ticks * ((slice.count + 31) / 32); }}};
}

/// Whether a cell lives at a tick, by what its slice has recorded.
[[nodiscard]] inline bool lives(std::span<const std::uint8_t> recorded, const mapping::Slice& slice, std::uint32_t at,
                                std::uint32_t tick) {
  const std::size_t byte = std::size_t{4} * ((slice.count + 31) / 32) * tick + at / 8;
  return byte < recorded.size() && (recorded[byte] >> at % 8 & 1) != 0;
}

} // namespace life

#endif
