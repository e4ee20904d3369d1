// SPDX-License-Identifier: BSL-1.0
// A cell of Conway's life that a hand may change while it lives.
#ifndef EXAMPLES_LIVE_LIFE_CELL_HPP
#define EXAMPLES_LIVE_LIFE_CELL_HPP

#include <cstdint>
#include <span>

#include <neuromorph/runtime/region.hpp>
#include <neuromorph/runtime/vertex.hpp>
#include <neuromorph/status.hpp>

namespace live_life {

namespace runtime = neuromorph::runtime;
namespace offer = neuromorph::offer;

struct Settings {
  std::uint32_t key;         // of what it sends
  std::uint32_t hand, cells; // the first key of the hand, which has one for each cell
  std::uint32_t number, is_alive;
  using Fields =
      runtime::Fields<&Settings::key, &Settings::hand, &Settings::cells, &Settings::number, &Settings::is_alive>;
};
using CellRegion = runtime::Region<Settings>;

/// Lives by what its neighbours tell, unless the hand turns it over. It records a word at each tick: whether it lives.
struct Cell {
  using Regions = runtime::Regions<CellRegion>;
  using Offers = offer::List<offer::Tick, offer::Packet>;
  std::uint8_t is_alive = 0, living = 0, is_turned = 0, has_begun = 0;
  using Fields = runtime::Fields<&Cell::is_alive, &Cell::living, &Cell::is_turned, &Cell::has_begun>;

  neuromorph::Status start(auto& core) {
    const auto settings = core.template region<0>();
    if (settings.status) is_alive = settings.head->is_alive != 0;
    return settings.status;
  }
  void tick(auto& core, std::uint32_t) {
    if (has_begun != 0) is_alive = living == 3 || (living == 2 && is_alive != 0);
    is_alive ^= is_turned;
    has_begun = 1, living = is_turned = 0;
    const std::uint32_t word = is_alive;
    static_cast<void>(core.record(0, std::span(&word, 1))); // what has no room is counted
    if (is_alive != 0) core.send(core.template region<0>().head->key);
  }
  void packet(auto& core, std::uint32_t key) {
    const Settings& settings = *core.template region<0>().head;
    if (key - settings.hand >= settings.cells)
      ++living;
    else if (key - settings.hand == settings.number)
      is_turned ^= 1;
  }
};

} // namespace live_life

#endif
