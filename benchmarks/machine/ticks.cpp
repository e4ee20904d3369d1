// SPDX-License-Identifier: BSL-1.0
// Conway's life, through the tables of its mapping: 50 x 50 cells for 1 000 ticks on native cores and, where there is an emulator, on
// emulated ones; and a cell on each of 979 200 native cores. All are compared with a plain life. `machine.ticks [--json FILE]`.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <neuromorph/machine/native.hpp>
#include <neuromorph/machine/run.hpp>
#include <neuromorph/machine/table_walk.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/map.hpp>

#ifdef LIFE_CELL_IMAGE
#include <fstream>
#include <iterator>

#include <neuromorph/machine/emulated.hpp>
#endif

#include "../figures.hpp"
#include "examples/life/cell.hpp"
#include "examples/mapping/conway.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::vector<bool> next_of(const std::vector<bool>& alive, std::uint32_t width, std::uint32_t height) {
  std::vector<bool> next(alive.size());
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      unsigned living = 0;
      for (const std::uint32_t down : {0U, 1U, height - 1})
        for (const std::uint32_t right : {0U, 1U, width - 1})
          if (down != 0 || right != 0) living += alive[(y + down) % height * width + (x + right) % width];
      next[y * width + x] = living == 3 || (living == 2 && alive[y * width + x]);
    }
  return next;
}

struct Life {
  std::uint32_t width, height, ticks;
  unsigned threads;
};
/// Seconds of a tick, the worst, and whether all was as it should be.
struct Measured {
  double first = 0.0, mean = 0.0, worst = 0.0;
  std::uint64_t digest = 0;
  bool is_right = false;
};

Measured measure(const Life& life, const mapping::Machine& of, const mapping::Mapping& mapped,
                 machine::CoreModel& cells) {
  const std::uint32_t count = life.width * life.height;
  std::mt19937 draw(1);
  std::vector<bool> alive(count);
  for (std::uint32_t cell = 0; cell < count; ++cell) alive[cell] = draw() % 3 == 0;
  machine::TableWalk network(of, mapped.tables);
  machine::Run run(network, {.threads = life.threads});
  for (std::uint32_t cell = 0; cell < count; ++cell) {
    std::uint8_t bytes[life::CellRegion::bytes()];
    if (!life::CellRegion::write(bytes, {mapped.keys[cell].key, alive[cell] ? 1U : 0U})) return {};
    if (!cells.load(cell, 0, bytes)) return {};
    cells.make_room(cell, 0, (life.ticks + 31) / 32);
    if (!run.attach({mapped.placements.chip[cell], mapped.placements.core[cell]}, cells, cell)) return {};
  }
  Measured made;
  if (!run.start()) return made;
  for (std::uint32_t tick = 0; tick < life.ticks; ++tick) {
    const double begin = now();
    if (!run.ticks(1)) return made;
    const double took = now() - begin;
    if (tick == 0) {
      made.first = took; // which looks up all ways
    } else {
      made.mean += took / (life.ticks - 1);
      if (took > made.worst) made.worst = took;
    }
  }
  run.pause();
  made.digest = run.digest();
  made.is_right = true;
  std::vector<std::vector<std::uint32_t>> recorded(count);
  for (std::uint32_t cell = 0; cell < count; ++cell) {
    const auto words = cells.recorded(cell, 0);
    recorded[cell].assign(words.begin(), words.end());
    if (words.size() != (life.ticks + 31) / 32) made.is_right = false;
  }
  for (std::uint32_t tick = 0; made.is_right && tick < life.ticks; ++tick) {
    for (std::uint32_t cell = 0; cell < count; ++cell)
      made.is_right = made.is_right && (recorded[cell][tick / 32] >> tick % 32 & 1U) == (alive[cell] ? 1U : 0U);
    alive = next_of(alive, life.width, life.height);
  }
  return made;
}

#ifdef LIFE_CELL_IMAGE
std::vector<std::uint8_t> read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
#endif

bool print(const char* name, const Life& life, const Measured& of) {
  std::printf(
      "%s: %u x %u cells, %u ticks, %u threads: first %.1f ms, mean %.3f ms, worst %.3f ms, %.1f ticks a second, %s\n",
      name, life.width, life.height, life.ticks, life.threads, of.first * 1e3, of.mean * 1e3, of.worst * 1e3,
      1.0 / of.mean, of.is_right ? "as the plain life" : "NOT as the plain life");
  std::fflush(stdout);
  return of.is_right;
}

} // namespace

int main(int count, char** words) {
  const bool has_json = count == 3 && std::strcmp(words[1], "--json") == 0;
  if (count != 1 && !has_json) return std::fprintf(stderr, "usage: %s [--json FILE]\n", words[0]), 2;
  std::vector<figures::Figure> to;
  bool is_right = true;
  const mapping::Wraps torus{.wraps_x = true, .wraps_y = true};
  {
    const auto boards = mapping::machine_of_triads(2, 1, torus);
    const auto mapped = mapping::map(conway::graph(50, 50), boards.value());
    if (!mapped) return std::fprintf(stderr, "%s\n", mapped.sentence().c_str()), 1;
    const Life life{50, 50, 1000, 1};
    machine::NativeCores<life::Cell> native(50 * 50);
    const Measured of = measure(life, boards.value(), mapped.value(), native);
    is_right = print("conway50_native", life, of) && is_right;
    to.push_back({"machine/conway50_native", "value", of.first + of.mean * (life.ticks - 1)});
#ifdef LIFE_CELL_IMAGE
    const auto emulated = machine::EmulatedCores::make(read(LIFE_CELL_IMAGE), 50 * 50);
    const auto least = machine::EmulatedCores::make(read(LEAST_IMAGE), 1);
    if (!emulated || !least) return std::fprintf(stderr, "%s\n", (emulated ? least : emulated).sentence().c_str()), 1;
    const Measured other = measure(life, boards.value(), mapped.value(), *emulated.value());
    is_right = print("conway50_emulated", life, other) && other.digest == of.digest && is_right;
    to.push_back({"machine/conway50_emulated", "value", other.first + other.mean * (life.ticks - 1)});
    to.push_back({"bytes/runtime/code", "value", double(least.value()->code_bytes())});
    to.push_back({"bytes/runtime/data", "value", double(least.value()->data_bytes())});
    std::printf("runtime: %u bytes of code, %u of data\n", least.value()->code_bytes(), least.value()->data_bytes());
#endif
  }
  const auto large = mapping::machine_of_triads(20, 20, torus);
  const std::vector<mapping::Position> positions = conway::positions(1020, 960);
  mapping::MapOptions how;
  how.placement = {.placer = mapping::Placer::by_position, .positions = positions};
  const auto mapped = mapping::map(conway::graph(1020, 960), large.value(), {}, how);
  if (!mapped) return std::fprintf(stderr, "%s\n", mapped.sentence().c_str()), 1;
  std::uint64_t digest = 0;
  for (const unsigned threads : {1U, 2U}) {
    const Life life{1020, 960, 20, threads};
    machine::NativeCores<life::Cell> cells(1020 * 960);
    const Measured of = measure(life, large.value(), mapped.value(), cells);
    is_right = print("million", life, of) && (threads == 1 || digest == of.digest) && is_right;
    digest = of.digest;
    if (threads == 2) to.push_back({"machine/million_ticks_per_s", "value", 1.0 / of.mean});
  }
  if (has_json)
    if (const std::string why = figures::write(words[2], to); !why.empty())
      return std::fprintf(stderr, "%s\n", why.c_str()), 1;
  return is_right ? 0 : 1;
}
