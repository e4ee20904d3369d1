// SPDX-License-Identifier: BSL-1.0
// Conway's life, a cell a core: mapped to boards, proved, run on native cores through the tables, or loaded and run by UDP on a machine that is
// served, compared with a plain life, and drawn.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <neuromorph/execution/application.hpp>
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/execution/udp_link.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/monitor.hpp>
#include <neuromorph/machine/native.hpp>
#include <neuromorph/machine/programs.hpp>
#include <neuromorph/machine/run.hpp>
#include <neuromorph/machine/table_walk.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/map.hpp>

#include "../mapping/conway.hpp"
#include "../support/program.hpp"
#include "../support/ranks.hpp"
#include "../support/words.hpp"
#include "cell.hpp"
#include "plain.hpp"
#include "tile_graph.hpp"

namespace {

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace network = neuromorph::network;
using life::Cells, life::next_of;

struct Options {
  std::uint32_t width = 50, height = 50, ticks = 200, threads = 1, ranks = 1, tile = 1, seed = 1, port = 17893;
  std::string output; // folder; empty: no file
  std::string board;  // address; empty: cores in this process
  bool help = false;
};

constexpr const char* help_text =
    "Conway's life, a cell a core: mapped to boards, run on simulated cores, compared with a plain life, and drawn.\n"
    "\n"
    "usage: life [option...]\n"
    "  --width NUMBER      of cells, 3 to 1020                           (50)\n"
    "  --height NUMBER     3 to 960                                      (50)\n"
    "  --ticks NUMBER      1 to 100000                                   (200)\n"
    "  --threads NUMBER    1 to 64                                       (1)\n"
    "  --ranks NUMBER      of processes, 1 to 64, each with a strip of the machine; an mpiexec says so, too   (1)\n"
    "  --tile NUMBER       of cells, at most, in a rectangle on each core, 1 to 256; 1: each has a core   (1)\n"
    "  --board ADDRESS     of a machine that takes datagrams, such as 127.0.0.2 of tools/spinnaker_machine\n"
    "  --port NUMBER       of it                                         (17893)\n"
    "  --seed NUMBER       of the cells that live at the beginning       (1)\n"
    "  --output FOLDER     write life.svg there: the first 100 ticks, in motion\n"
    "  --help              this text\n";
constexpr std::array output_files{"life.svg"};

std::string parse(int count, char** words, Options& options) {
  struct Number {
    std::string_view option;
    std::uint32_t least, most;
    std::uint32_t* value;
  };
  const Number numbers[] = {{"--width", 3, 1020, &options.width},   {"--height", 3, 960, &options.height},
                            {"--ticks", 1, 100000, &options.ticks}, {"--threads", 1, 64, &options.threads},
                            {"--ranks", 1, 64, &options.ranks},     {"--tile", 1, 256, &options.tile},
                            {"--port", 1, 65535, &options.port},    {"--seed", 0, 4294967295U, &options.seed}};
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      options.help = true;
      continue;
    }
    const Number* found = nullptr;
    for (const Number& one : numbers)
      if (one.option == option) found = &one;
    if (found == nullptr && option != "--output" && option != "--board")
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (at + 1 == count) return std::string(option) + " needs a value";
    const char* const value = words[++at];
    if (found != nullptr && !support::small_number(value, found->least, found->most, *found->value))
      return support::bad(option, value,
                          "a number from " + std::to_string(found->least) + " to " + std::to_string(found->most));
    if (found != nullptr) continue;
    if (*value == '\0') return support::bad(option, value, option == "--board" ? "an address" : "a folder");
    (option == "--board" ? options.board : options.output) = value;
  }
  return {};
}

/// A frame for each tick, of which one is seen at a time, ten a second.
std::string picture(const std::vector<Cells>& frames, std::uint32_t width, std::uint32_t height) {
  const std::uint32_t size = width > height ? width : height;
  const double scale = size > 600 ? 1.0 : 600.0 / size;
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %u %u\">\n",
                width * scale, height * scale, width, height);
  std::string svg = text.data();
  svg += "<title>Conway's life on simulated cores</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#f7f7f4\"/>\n";
  const double count = static_cast<double>(frames.size());
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    svg += frame == 0 ? "<path fill=\"#1d3557\" d=\"" : "<path fill=\"#1d3557\" visibility=\"hidden\" d=\"";
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x) {
        if (frames[frame][y * width + x] == 0) continue;
        std::uint32_t right = x + 1;
        while (right < width && frames[frame][y * width + right] != 0) ++right;
        std::snprintf(text.data(), text.size(), "M%u %uh%uv1h-%uz", x, y, right - x, right - x);
        svg += text.data();
        x = right;
      }
    svg += "\">";
    if (frames.size() > 1) {
      const double begin = static_cast<double>(frame) / count, end = static_cast<double>(frame + 1) / count;
      if (frame == 0)
        std::snprintf(text.data(), text.size(), "values=\"visible;hidden\" keyTimes=\"0;%.5f\"", end);
      else if (frame + 1 == frames.size())
        std::snprintf(text.data(), text.size(), "values=\"hidden;visible\" keyTimes=\"0;%.5f\"", begin);
      else
        std::snprintf(text.data(), text.size(), "values=\"hidden;visible;hidden\" keyTimes=\"0;%.5f;%.5f\"", begin,
                      end);
      svg += "<animate attributeName=\"visibility\" calcMode=\"discrete\" repeatCount=\"indefinite\" " +
             std::string(text.data());
      std::snprintf(text.data(), text.size(), " dur=\"%.1fs\"/>", 0.1 * count);
      svg += text.data();
    }
    svg += "</path>\n";
  }
  return svg + "</svg>\n";
}

/// Boards that have a core for each cell; more than one of them as a torus, as they are wired.
neuromorph::Answer<mapping::Machine> machine_for(std::uint32_t cells) {
  if (cells <= 48 * 17) return mapping::board_of_48();
  for (std::uint32_t side = 1;; ++side) {
    if (cells <= 144 * 17 * side * side)
      return mapping::machine_of_triads(side, side, {.wraps_x = true, .wraps_y = true});
    if (cells <= 144 * 17 * (side + 1) * side)
      return mapping::machine_of_triads(side + 1, side, {.wraps_x = true, .wraps_y = true});
  }
}

/// What each cell has recorded, 32 ticks to a word, the digest of all where there is one, and a line about it.
struct Lived {
  std::string complaint = {}, line = {};
  std::vector<std::vector<std::uint32_t>> past = {}; // [cell]
};

Lived live_here(const Options& options, const Cells& alive, network::Transport* world) {
  Lived lived;
  const std::uint32_t count = options.width * options.height;
  const auto refuse = [&lived](std::string why) {
    lived.complaint = std::move(why);
    return lived;
  };
  const auto boards = machine_for(count);
  if (!boards) return refuse(boards.sentence());
  const std::vector<mapping::Position> positions = conway::positions(options.width, options.height);
  mapping::MapOptions how;
  how.placement = {.placer = mapping::Placer::by_position, .positions = positions};
  const auto mapped = mapping::map(conway::graph(options.width, options.height), boards.value(), {}, how);
  if (!mapped) return refuse(mapped.sentence());
  if (world == nullptr || world->rank() == 0)
    std::printf("%u x %u cells on %u x %u chips\n%s\n", options.width, options.height, boards.value().width(),
                boards.value().height(), mapped.value().text(boards.value()).c_str());
  machine::NativeCores<life::Cell> cells(count);
  machine::TableWalk walk(boards.value(), mapped.value().tables);
  machine::RunOptions run_options{.threads = options.threads};
  if (world != nullptr) {
    run_options.strip = machine::strip_of(*world, machine::strips_of_chips(boards.value(), world->ranks()));
  }
  const auto is_own = [&](std::uint32_t cell) { return run_options.strip.has(mapped.value().placements.chip[cell]); };
  machine::Run run(walk, run_options);
  for (std::uint32_t cell = 0; cell < count; ++cell) {
    std::array<std::uint8_t, life::CellRegion::bytes()> bytes{};
    if (const auto status = life::CellRegion::write(bytes, {mapped.value().keys[cell].key, alive[cell]}); !status)
      return refuse(neuromorph::sentence(status).text.data());
    if (const auto status = cells.load<0>(cell, bytes); !status)
      return refuse(neuromorph::sentence(status).text.data());
    cells.make_room(cell, 0, (options.ticks + 31) / 32);
    const auto& placed = mapped.value().placements;
    if (!is_own(cell)) continue;
    if (auto refusal = run.attach({placed.chip[cell], placed.core[cell]}, cells, cell); !refusal)
      return refuse(refusal.sentence());
  }
  if (auto started = run.start(); !started) return refuse(started.sentence());
  const auto begun = std::chrono::steady_clock::now();
  if (auto ended = run.ticks(options.ticks); !ended) return refuse(ended.sentence());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  run.pause();
  machine::PacketAccount account = run.account();
  lived.past.resize(count);
  std::vector<std::uint32_t> own{static_cast<std::uint32_t>(account.sent), static_cast<std::uint32_t>(account.taken),
                                 static_cast<std::uint32_t>(account.copies)};
  for (std::uint32_t cell = 0; cell < count; ++cell) {
    const auto words = cells.recorded(cell, 0);
    lived.past[cell].assign(words.begin(), words.end());
    if (is_own(cell)) own.push_back(cell), own.insert(own.end(), words.begin(), words.end());
  }
  const std::uint64_t digest = run.digest();
  if (world != nullptr) {
    account = {};
    const auto told = run_options.strip.exchange(own, [&](unsigned, std::span<const std::uint32_t> words) {
      account.sent += words[0], account.taken += words[1], account.copies += words[2];
      const std::size_t each = 1 + (options.ticks + 31) / 32;
      for (std::size_t at = 3; at + each <= words.size(); at += each)
        lived.past[words[at]].assign(words.begin() + static_cast<std::ptrdiff_t>(at + 1),
                                     words.begin() + static_cast<std::ptrdiff_t>(at + each));
    });
    if (!told) return refuse(told.sentence());
  }
  if (account.taken != 8 * account.sent || account.copies != account.taken)
    return refuse("a packet has not come to eight cells");
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(),
                "%u ticks in %.1f ms, %llu packets, %llu deliveries, none lost; digest %016llx", options.ticks,
                took.count() * 1e3, static_cast<unsigned long long>(account.sent),
                static_cast<unsigned long long>(account.taken), static_cast<unsigned long long>(digest));
  lived.line = text.data();
  return lived;
}

Lived live_on_board(const Options& options, const Cells& alive) {
  Lived lived;
  const auto refuse = [&lived](std::string why) {
    lived.complaint = std::move(why);
    return lived;
  };
  std::array<std::uint8_t, 4> address{};
  if (::inet_pton(AF_INET, options.board.c_str(), address.data()) != 1)
    return refuse(support::bad("--board", options.board.c_str(), "an address such as 127.0.0.2"));
  auto link = execution::UdpLink::open(address, {.scp = static_cast<std::uint16_t>(options.port)});
  if (!link) return refuse(link.sentence());
  execution::Simulation simulation(*link.value());
  const auto image = simulation.add_image("cell", machine::image_of("cell"));
  for (std::uint32_t cell = 0; cell < alive.size(); ++cell)
    simulation.add(image,
                   {.name = "cell",
                    .resources = {.dtcm_bytes = 1024, .sdram_bytes = 1024},
                    .regions = [cell, &alive](const execution::Mapped& of) -> std::vector<std::vector<std::uint8_t>> {
                      std::vector<std::uint8_t> bytes(life::CellRegion::bytes());
                      static_cast<void>(life::CellRegion::write(bytes, {of.mapping.keys[cell].key, alive[cell]}).ok());
                      return {bytes};
                    },
                    .recordings = {[](std::uint64_t ticks) { return (ticks + 31) / 32 * 4; }}});
  const mapping::MachineGraph graph = conway::graph(options.width, options.height);
  for (mapping::Partition partition = 0; partition < graph.partitions(); ++partition)
    simulation.graph().connect(graph.source(partition), graph.targets(partition));
  if (auto refusal = simulation.run(options.ticks); !refusal) return refuse(refusal.sentence());
  std::printf("%s\n%s\n", simulation.found().monitor.c_str(), simulation.workflow().text().c_str());
  for (const std::string& one : simulation.anomalies()) std::printf("%s\n", one.c_str()); // why cells may differ
  for (std::uint32_t cell = 0; cell < alive.size(); ++cell) {
    const auto bytes = simulation.recorded(cell, 0);
    lived.past.emplace_back(bytes.size() / 4);
    for (std::size_t at = 0; at < bytes.size(); ++at)
      lived.past.back()[at / 4] |= std::uint32_t{bytes[at]} << 8 * (at % 4);
  }
  lived.line = std::to_string(simulation.counts().answered) + " answers, " +
               std::to_string(simulation.counts().asked_again) + " requests asked again";
  if (auto refusal = simulation.close(); !refusal) return refuse(refusal.sentence());
  return lived;
}

/// Many cells on a core: the board is one vertex of an application graph.
Lived live_in_tiles(const Options& options, const Cells& alive, network::Transport* world) {
  Lived lived;
  const auto refuse = [&lived](std::string why) {
    lived.complaint = std::move(why);
    return lived;
  };
  const auto boards = machine_for(options.width * options.height / options.tile + 48);
  if (!boards) return refuse(boards.sentence());
  machine::Programs programs;
  programs.add<life::TileOfCells>("tile");
  machine::Monitors monitors(boards.value(), {});
  machine::RunOptions run_options{.threads = options.threads};
  if (world != nullptr)
    run_options.strip = machine::strip_of(*world, machine::strips_of_boards(boards.value(), world->ranks()));
  machine::Applications applications(monitors, programs, run_options);
  execution::InProcessLink link(monitors, applications);
  if (!link.is_host()) { // its boards are what it is for
    const auto served = link.serve();
    return served.ok() ? lived : refuse(served.sentence());
  }
  execution::Simulation simulation(link);
  const auto image = simulation.add_image("tile", machine::image_of("tile"));
  const execution::SliceProgram tiles[] = {life::tile_program(image, options.width, options.height, alive)};
  const auto parts = execution::add_application(
      simulation, life::tile_graph(options.width, options.height, options.tile, true), tiles, boards.value());
  if (!parts) return refuse(parts.sentence());
  std::printf("%u x %u cells on %zu cores\n", options.width, options.height, parts.value()->slices.size());
  if (auto refusal = simulation.run(options.ticks); !refusal) return refuse(refusal.sentence());
  std::size_t entries = 0;
  for (mapping::Chip chip = 0; chip < simulation.mapping().tables.size(); ++chip)
    entries += simulation.mapping().tables[chip].size();
  std::printf("%s\n", simulation.workflow().text().c_str());
  std::array<char, 100> text{};
  std::snprintf(text.data(), text.size(), "%zu entries in tables; digest %016llx", entries,
                static_cast<unsigned long long>(link.ranks().digest()));
  lived.line = text.data();
  const life::Places places(*parts.value(), options.width, alive.size());
  for (std::uint32_t cell = 0; cell < alive.size(); ++cell) {
    const auto& [slice, at] = places.of_cell[cell];
    lived.past.emplace_back((options.ticks + 31) / 32);
    for (std::uint32_t tick = 0; tick < options.ticks; ++tick)
      lived.past.back()[tick / 32] |=
          std::uint32_t{life::lives(simulation.recorded(slice, 0), parts.value()->slices[slice], at, tick)}
          << tick % 32;
  }
  return lived;
}

support::Ended run(const Options& options) {
  const std::uint32_t width = options.width, height = options.height, count = width * height;
  std::mt19937 draw(options.seed);
  Cells alive(count);
  for (std::uint8_t& cell : alive) cell = draw() % 3 == 0;
  if (options.tile > 1 && !options.board.empty()) return std::string("--tile stands without --board");
  int no_words = 0;
  char** none = nullptr;
  const auto world = support::ranks_of(no_words, none, options.board.empty() ? options.ranks : 1);
  if (!world) return world.sentence();
  const bool is_first = world.value() == nullptr || world.value()->rank() == 0;
  const Lived lived = options.tile > 1        ? live_in_tiles(options, alive, world.value().get())
                      : options.board.empty() ? live_here(options, alive, world.value().get())
                                              : live_on_board(options, alive);
  if (!lived.complaint.empty()) return lived.complaint;
  if (!is_first && options.tile > 1) return 0; // the host has seen them

  std::vector<Cells> frames;
  std::uint64_t living = 0;
  for (std::uint32_t tick = 0; tick < options.ticks; ++tick) {
    living = 0;
    for (std::uint32_t cell = 0; cell < count; ++cell) {
      const auto& past = lived.past[cell];
      if (past.size() <= tick / 32) return "cell " + std::to_string(cell) + " has recorded too little";
      const bool is_alive = (past[tick / 32] >> tick % 32 & 1U) != 0;
      living += is_alive;
      if (is_alive != (alive[cell] != 0))
        return "cell " + std::to_string(cell) + " of tick " + std::to_string(tick) + " is not as in the plain life";
    }
    if (tick < 100 && !options.output.empty()) frames.push_back(alive);
    alive = next_of(alive, width, height);
  }
  if (!is_first) return 0;
  std::printf("%s\n%llu cells live\nall ticks are those of the plain life\n", lived.line.c_str(),
              static_cast<unsigned long long>(living));
  if (options.output.empty()) return 0;
  const std::string path = options.output + "/" + output_files[0], svg = picture(frames, width, height);
  std::FILE* const to = std::fopen(path.c_str(), "w");
  const bool is_open = to != nullptr;
  const bool is_whole = is_open && std::fwrite(svg.data(), 1, svg.size(), to) == svg.size();
  const bool is_closed = is_open && std::fclose(to) == 0;
  if (!is_whole || !is_closed) return "cannot write all of " + path;
  std::printf("written %s\n", path.c_str());
  return 0;
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("life", count, words, help_text, output_files, parse, run);
}
