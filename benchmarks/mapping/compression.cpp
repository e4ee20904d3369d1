// SPDX-License-Identifier: BSL-1.0
// Measures how far and how fast tables are compressed: 144 tables of a machine of 12 x 12 chips whose cores reach others the more
// rarely the further away they are. Reads published tables where it is given a file of them; see --help.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <time.h>

#include <neuromorph/mapping/compression.hpp>
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/routing.hpp>
#include <neuromorph/mapping/tables.hpp>

#include "../../examples/support/words.hpp"

namespace {

namespace mapping = neuromorph::mapping;
using mapping::Merging;
using mapping::TableEntry;
using Table = std::vector<TableEntry>;

struct Options {
  std::string file = {}, json = {};
  double search_seconds = 10.0;
  std::uint32_t repetitions = 5, bound = 2000;
};

double thread_seconds() {
  struct timespec time {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// As the published ones: 17 cores of each of 12 x 12 chips send one key each, of x, y and core, to some 120 cores on 60 chips.
std::string generate(std::vector<Table>& tables) {
  constexpr std::uint32_t side = 12, cores = 17;
  // Of 1000, at a distance in links from 0.
  constexpr std::uint32_t chance[] = {500, 250, 120, 70, 45, 25, 15};
  auto machine = mapping::Machine::grid<mapping::SpiNNaker1>(side, side, {.wraps_x = true, .wraps_y = true});
  if (!machine) return machine.sentence();
  mapping::MachineGraph graph;
  mapping::Placements placements;
  mapping::Keys keys;
  for (std::uint32_t chip = 0; chip < side * side; ++chip)
    for (std::uint32_t core = 1; core <= cores; ++core) {
      graph.add({});
      placements.chip.push_back(chip), placements.core.push_back(static_cast<std::uint8_t>(core));
      keys.push_back({chip % side << 24 | chip / side << 16 | core << 11, 0xFFFFF800});
    }
  mapping::detail::Draw draw(1);
  std::vector<mapping::Vertex> targets;
  for (mapping::Vertex source = 0; source < graph.vertices(); ++source) {
    targets.clear();
    for (mapping::Vertex target = 0; target < graph.vertices(); ++target) {
      const auto along = [](std::uint32_t from, std::uint32_t to) {
        const auto steps = static_cast<int>((to + side - from) % side);
        return steps > static_cast<int>(side / 2) ? steps - static_cast<int>(side) : steps;
      };
      const int x = along(placements.chip[source] % side, placements.chip[target] % side),
                y = along(placements.chip[source] / side, placements.chip[target] / side);
      const int distance = x * y > 0 ? (std::max)(std::abs(x), std::abs(y)) : std::abs(x) + std::abs(y);
      const std::uint32_t drawn = draw.below(1000);
      if (distance < static_cast<int>(std::size(chance)) && drawn < chance[distance]) targets.push_back(target);
    }
    graph.connect(source, targets);
  }
  const auto routes = mapping::route(graph, machine.value(), placements);
  if (!routes) return routes.sentence();
  // Whole tables, which need not fit.
  tables.assign(side * side, {});
  for (std::size_t at = 0; at < keys.size(); ++at)
    for (const mapping::RouteNode& node : routes.value()[at])
      tables[node.chip].push_back(
          {keys[at], node.route,
           node.from < mapping::link_count ? mapping::route_to(mapping::Link(node.from)) : mapping::from_cores});
  return {};
}

/// For each chip x, y and a count of two bytes, then entries of key, mask, sides and route; the least byte first.
std::string read(const std::string& path, std::vector<Table>& tables) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return "cannot read " + path + ": " + std::strerror(errno);
  unsigned char head[4], bytes[16];
  const auto word = [&](int at) {
    return std::uint32_t{bytes[at]} | std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at + 2]} << 16 |
           std::uint32_t{bytes[at + 3]} << 24;
  };
  bool is_whole = true;
  for (std::size_t count; is_whole && (count = std::fread(head, 1, 4, file)) != 0;) {
    is_whole = count == 4;
    tables.emplace_back();
    for (unsigned left = is_whole ? head[2] | head[3] << 8U : 0U; left != 0 && is_whole; --left) {
      is_whole = std::fread(bytes, 1, 16, file) == 16;
      if (is_whole) tables.back().push_back({{word(0), word(4)}, word(12), word(8)});
    }
  }
  std::fclose(file);
  return is_whole && !tables.empty() ? "" : path + " ends within a table; it must not be packed";
}

/// Keys of entries that do not go where they went; entries of these tables have one place in them.
std::size_t wrong(const Table& table, const Table& made) {
  std::size_t count = 0;
  for (const TableEntry& one : table) {
    const auto match = std::find_if(made.begin(), made.end(),
                                    [&](const TableEntry& other) { return other.keys.matches(one.keys.key); });
    count += match == made.end() ? !mapping::is_default(one) : match->route != one.route;
  }
  return count;
}

struct Outcome {
  double seconds = 0.0;
  std::size_t entries = 0, worst = 0, fitting = 0, bound = 0, wrong = 0;
};
Outcome measure(const std::vector<Table>& tables, const mapping::CompressionOptions& options,
                std::uint32_t repetitions) {
  Outcome best;
  for (std::uint32_t repetition = 0; repetition < repetitions; ++repetition) {
    Outcome now;
    mapping::Compressor compressor;
    std::vector<mapping::Compressed> made;
    made.reserve(tables.size());
    const double begin = thread_seconds();
    for (const Table& table : tables) made.push_back(compressor.compress(table, options));
    now.seconds = thread_seconds() - begin;
    for (std::size_t at = 0; at < tables.size(); ++at) {
      const std::size_t entries = made[at].entries.size();
      now.entries += entries, now.worst = (std::max)(now.worst, entries), now.fitting += entries <= 1023;
      now.bound += made[at].bound, now.wrong += wrong(tables[at], made[at].entries);
    }
    if (repetition == 0 || now.seconds < best.seconds) best = now;
  }
  return best;
}

std::string run(const Options& options) {
  std::vector<Table> tables;
  const std::string why = options.file.empty() ? generate(tables) : read(options.file, tables);
  if (!why.empty()) return why;
  std::size_t entries = 0, worst = 0, fitting = 0, bad = 0;
  for (const Table& one : tables)
    entries += one.size(), worst = (std::max)(worst, one.size()), fitting += one.size() <= 1023;
  std::printf("%zu tables, %s\n", tables.size(), options.file.empty() ? "generated" : options.file.c_str());
  std::printf("%-28s %8s %6s %8s %9s\n", "", "entries", "most", "<= 1023", "seconds");
  std::printf("%-28s %8zu %6zu %8zu\n", "raw", entries, worst, fitting);
  const auto row = [&](const char* name, const mapping::CompressionOptions& how, std::uint32_t repetitions) {
    const Outcome made = measure(tables, how, repetitions);
    std::printf("%-28s %8zu %6zu %8zu %9.4f\n", name, made.entries, made.worst, made.fitting, made.seconds);
    std::fflush(stdout);
    bad += made.wrong;
    return made;
  };
  const std::uint32_t often = options.repetitions;
  row("default routes left out", {.merging = Merging::none, .target = 1}, often);
  row("until 1023 are left", {.merging = Merging::in_turn, .target = 1023}, often);
  const Outcome fast = row("merged in turn", {.merging = Merging::in_turn}, often);
  row("ordered covering", {.merging = Merging::ordered_covering}, 1);
  row("searched, 30000 moves each", {.merging = Merging::searched}, 1);
  Outcome best = fast;
  if (options.search_seconds > 0.0) {
    const double each = options.search_seconds / static_cast<double>(tables.size());
    best = row("searched, in all that time",
               {.merging = Merging::searched, .moves = std::uint64_t{1} << 50, .seconds = each}, 1);
  }
  const double begin = thread_seconds();
  const Outcome proved = measure(tables, {.merging = Merging::in_turn, .bound = options.bound}, 1);
  std::printf("bound: %zu routes, %zu proved in %.2f s; the best is %.1f %% above it\n", fast.bound, proved.bound,
              thread_seconds() - begin,
              100.0 * (static_cast<double>(best.entries) / static_cast<double>(proved.bound) - 1.0));
  bad += proved.wrong;
  if (bad != 0) return std::to_string(bad) + " keys do not go where they went";
  if (options.json.empty()) return {};

  std::FILE* const file = std::fopen(options.json.c_str(), "w");
  if (file == nullptr) return "cannot write " + options.json + ": " + std::strerror(errno);
  const struct {
    const char* name;
    double value;
  } figures[] = {{"seconds", fast.seconds},
                 {"entries", static_cast<double>(fast.entries)},
                 {"worst", static_cast<double>(fast.worst)}};
  std::fputs("{\"benchmarks\": [", file);
  for (const auto& figure : figures)
    std::fprintf(file,
                 "%s\n {\"name\": \"map/gaussian/%s\", \"run_name\": \"map/gaussian/%s\", \"run_type\": \"iteration\", "
                 "\"iterations\": 1, \"value\": %.6g}",
                 &figure == figures ? "" : ",", figure.name, figure.name, figure.value);
  std::fputs("\n]}\n", file);
  const bool has_failed = std::ferror(file) != 0;
  return std::fclose(file) != 0 || has_failed ? "cannot write all of " + options.json : "";
}

std::string parse(int count, char** words, Options& options, bool& wants_help) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      wants_help = true;
      continue;
    }
    if (option != "--tables" && option != "--json" && option != "--search" && option != "--repetitions" &&
        option != "--bound")
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (at + 1 == count) return std::string(option) + " needs a value";
    const char* const value = words[++at];
    if (option == "--tables") options.file = value;
    if (option == "--json") options.json = value;
    if (option == "--search" && !support::real_number(value, 0.0, 1e5, options.search_seconds))
      return support::bad(option, value, "seconds from 0 to 100000");
    if (option == "--repetitions" && !support::small_number(value, 1, 1000, options.repetitions))
      return support::bad(option, value, "a number from 1 to 1000");
    if (option == "--bound" && !support::small_number(value, 0, 1000000, options.bound))
      return support::bad(option, value, "a number from 0 to 1000000");
  }
  return {};
}

} // namespace

int main(int count, char** words) {
  Options options;
  bool wants_help = false;
  std::string why = parse(count, words, options, wants_help);
  if (why.empty() && wants_help) {
    std::puts("Measures how far and how fast tables of routers are compressed, on one thread.\n\n"
              "usage: mapping.compression [OPTION...]\n"
              "  --tables FILE      of 144 tables, not packed, instead of those that it makes\n"
              "  --search SECONDS   of the longest search, for all tables together (10)\n"
              "  --bound STATES     looked at for each part of the proof of a bound, at most (2000)\n"
              "  --repetitions N    1 to 1000, of what is fast (5)\n"
              "  --json FILE        figures in Google Benchmark's form\n"
              "  --help             this text");
    return 0;
  }
  const bool is_usage = !why.empty();
  if (why.empty()) why = run(options);
  if (why.empty()) return 0;
  std::fprintf(stderr, "mapping.compression: %s\n", why.c_str());
  return is_usage ? 2 : 1;
}
