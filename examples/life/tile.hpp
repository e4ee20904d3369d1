// SPDX-License-Identifier: BSL-1.0
// A tile of Conway's life: many cells on a core. A packet's key says which cell lives, and a list which of this tile's cells are its neighbours.
#ifndef EXAMPLES_LIFE_TILE_HPP
#define EXAMPLES_LIFE_TILE_HPP

#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/runtime/region.hpp>
#include <neuromorph/runtime/vertex.hpp>
#include <neuromorph/status.hpp>

namespace life {

namespace runtime = neuromorph::runtime;
namespace offer = neuromorph::offer;

inline constexpr std::uint32_t most_cells = 256; // of a tile

struct TileSettings {
  std::uint32_t key, cells; // of its first cell; the others' follow
  using Fields = runtime::Fields<&TileSettings::key, &TileSettings::cells>;
};
/// Whether each cell lives at the beginning, 32 to a word.
using TileRegion = runtime::Region<TileSettings, std::uint32_t>;
/// A cell that hears of another.
struct Neighbour {
  std::uint32_t key, cell;
  using Fields = runtime::Fields<&Neighbour::key, &Neighbour::cell>;
};
/// In the order of keys.
using NeighboursRegion = runtime::Region<runtime::Nothing, Neighbour>;

/// Records a bit for each cell at each tick, 32 to a word.
struct TileOfCells {
  using Regions = runtime::Regions<TileRegion, NeighboursRegion>;
  using Offers = offer::List<offer::Tick, offer::Packet>;
  std::array<std::uint32_t, most_cells / 32> alive{};
  std::array<std::uint8_t, most_cells> living{};
  std::uint32_t has_begun = 0;
  using Fields = runtime::Fields<&TileOfCells::alive, &TileOfCells::living, &TileOfCells::has_begun>;

  neuromorph::Status start(auto& core) {
    const auto settings = core.template region<0>();
    if (!settings.status) return settings.status;
    if (settings.head->cells > most_cells || settings.elements.size() != (settings.head->cells + 31) / 32)
      return {neuromorph::Error::lengths_differ, 0, settings.head->cells, "cells"};
    for (std::size_t word = 0; word < settings.elements.size(); ++word) alive[word] = settings.elements[word];
    return core.template region<1>().status;
  }
  void tick(auto& core, std::uint32_t) {
    const TileSettings& settings = *core.template region<0>().head;
    for (std::uint32_t cell = 0; cell < settings.cells; ++cell) {
      std::uint32_t& word = alive[cell / 32];
      const std::uint32_t bit = std::uint32_t{1} << cell % 32;
      if (has_begun != 0 && !(living[cell] == 3 || (living[cell] == 2 && (word & bit) != 0)))
        word &= ~bit;
      else if (has_begun != 0)
        word |= bit;
      living[cell] = 0;
      if ((word & bit) != 0) core.send(settings.key + cell);
    }
    has_begun = 1;
    static_cast<void>(core.record(0, std::span(alive).first((settings.cells + 31) / 32))); // what has no room is told
  }
  void packet(auto& core, std::uint32_t key) {
    const auto neighbours = core.template region<1>().elements;
    std::size_t first = 0, end = neighbours.size();
    while (first < end) {
      const std::size_t middle = (first + end) / 2;
      if (neighbours[middle].key < key)
        first = middle + 1;
      else
        end = middle;
    }
    for (; first < neighbours.size() && neighbours[first].key == key; ++first) ++living[neighbours[first].cell];
  }
};

} // namespace life

#endif
