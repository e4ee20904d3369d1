// SPDX-License-Identifier: BSL-1.0
// A cell of Conway's life: the program of a core, on a simulated core of the host and on a chip.
#ifndef EXAMPLES_LIFE_CELL_HPP
#define EXAMPLES_LIFE_CELL_HPP

#include <cstdint>
#include <span>

#include <neuromorph/runtime/vertex.hpp>

namespace life {

namespace runtime = neuromorph::runtime;
namespace offer = neuromorph::offer;

/// What a host gives a cell.
struct Settings {
  std::uint32_t key;      // of what it sends; its neighbours know it as a living one
  std::uint32_t is_alive; // at the beginning
  using Fields = runtime::Fields<&Settings::key, &Settings::is_alive>;
};
using CellRegion = runtime::Region<Settings>;

/// Tells its neighbours whether it lives, and lives on by what they tell. It records 32 steps to a word.
struct Cell {
  using Regions = runtime::Regions<CellRegion>;
  using Offers = offer::List<offer::Tick, offer::Packet, offer::Pause>;

  std::uint32_t key = 0, past = 0;
  std::uint8_t is_alive = 0, living = 0, steps = 0, has_begun = 0;
  using Fields =
      runtime::Fields<&Cell::key, &Cell::past, &Cell::is_alive, &Cell::living, &Cell::steps, &Cell::has_begun>;

  template <class Core>
  neuromorph::Status start(Core& core) {
    const auto settings = core.template region<0>();
    if (!settings.status) return settings.status;
    key = settings.head->key, is_alive = settings.head->is_alive != 0;
    return {};
  }
  template <class Core>
  void tick(Core& core, std::uint32_t) {
    if (has_begun != 0) is_alive = living == 3 || (living == 2 && is_alive != 0);
    has_begun = 1, living = 0;
    past |= std::uint32_t{is_alive} << steps;
    if (++steps == 32) write(core);
    if (is_alive != 0) core.send(key);
  }
  template <class Core>
  void packet(Core&, std::uint32_t) {
    ++living;
  }
  template <class Core>
  void pause(Core& core) {
    if (steps != 0) write(core);
  }

private:
  template <class Core>
  void write(Core& core) {
    static_cast<void>(core.record(0, std::span(&past, 1)));
    past = 0, steps = 0;
  }
};

} // namespace life

#endif
