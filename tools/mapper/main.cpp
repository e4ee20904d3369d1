// SPDX-License-Identifier: BSL-1.0
// Maps a graph to a machine, both as JSON, proves the tables, and writes all that came of it.
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/discovery.hpp>
#include <neuromorph/mapping/interchange.hpp>
#include <neuromorph/mapping/map.hpp>
#include <neuromorph/mapping/picture.hpp>
#include <neuromorph/mapping/proof/files.hpp>
#include <neuromorph/mapping/report.hpp>

#include "examples/support/program.hpp"
#include "examples/support/words.hpp"

namespace {

namespace nm = neuromorph;
namespace mapping = nm::mapping;

struct Options {
  std::string graph, key_counts, machine, constraints, output, demand, tables;
  std::uint32_t boards = 0, steps = 0, threads = 1;
  mapping::Placer placer = mapping::Placer::multilevel;
  bool spreads = false, whole = false, is_proved = true, help = false;
};

constexpr const char* help_text =
    "Maps a graph to a machine, proves the tables, and says what came of it.\n"
    "\n"
    "usage: tools/map --graph FILE [option...]\n"
    "       tools/map --demand FILE --tables FILE --machine FILE [option...]   judges tables of any tool\n"
    "  --graph FILE         graph.json: vertices and edges\n"
    "  --key-counts FILE    n_keys_map.json; without it each edge has one key\n"
    "  --constraints FILE   constraints.json, with devices\n"
    "  --machine FILE       machine.json; without it as many boards of 48 chips as the graph needs\n"
    "  --boards NUMBER      1 to 1323 of them, instead\n"
    "  --steps NUMBER       for which what is recorded must fit            (0)\n"
    "  --placer NAME        hilbert, breadth_first, reverse_cuthill_mckee, radial, annealing, multilevel (multilevel)\n"
    "  --spread             move trees away from the fullest links\n"
    "  --threads NUMBER     1 to 1024                                      (1)\n"
    "  --whole              prove as well that keys which nobody sends come to nobody\n"
    "  --unproved           do not prove\n"
    "  --output FOLDER      write machine, placements, allocations_cores, routes, routing_keys, routing_tables .json, "
    "and machine.svg\n"
    "  --demand FILE        who sends which keys to whom, as JSON\n"
    "  --tables FILE        routing tables, as JSON, or as a dump where its name ends in .bin\n"
    "  --help               this text\n"
    "The files are those of the Place & Route Data Interchange Format, as docs/mapping.md says.\n";

constexpr std::array output_files{"machine.json", "placements.json",   "allocations_cores.json",
                                  "routes.json",  "routing_keys.json", "routing_tables.json",
                                  "demand.json",  "machine.svg"};

std::string parse(int count, char** words, Options& options) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h" || option == "--whole" || option == "--unproved" || option == "--spread") {
      if (option == "--spread") options.spreads = true;
      if (option == "--whole") options.whole = true;
      if (option == "--unproved") options.is_proved = false;
      if (option == "--help" || option == "-h") options.help = true;
      continue;
    }
    std::string* const file = option == "--graph"         ? &options.graph
                              : option == "--key-counts"  ? &options.key_counts
                              : option == "--constraints" ? &options.constraints
                              : option == "--machine"     ? &options.machine
                              : option == "--output"      ? &options.output
                              : option == "--demand"      ? &options.demand
                              : option == "--tables"      ? &options.tables
                                                          : nullptr;
    if (file == nullptr && option != "--boards" && option != "--steps" && option != "--placer" && option != "--threads")
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (at + 1 == count) return std::string(option) + " needs a value";
    const char* const value = words[++at];
    if (file != nullptr) {
      if (*value == '\0') return support::bad(option, value, option == "--output" ? "a folder" : "a file");
      *file = value;
    }
    if (option == "--boards" && !support::small_number(value, 1, 1323, options.boards))
      return support::bad(option, value, "a number from 1 to 1323");
    if (option == "--steps" && !support::small_number(value, 0, 4294967295U, options.steps))
      return support::bad(option, value, "a number of steps");
    if (option == "--threads" && !support::small_number(value, 1, 1024, options.threads))
      return support::bad(option, value, "a number from 1 to 1024");
    if (option == "--placer") {
      bool is_known = false;
      for (const auto placer :
           {mapping::Placer::hilbert, mapping::Placer::breadth_first, mapping::Placer::reverse_cuthill_mckee,
            mapping::Placer::radial, mapping::Placer::annealing, mapping::Placer::multilevel})
        if (std::string_view(value) == mapping::name(placer)) options.placer = placer, is_known = true;
      if (!is_known) return support::bad(option, value, "a name that --help lists");
    }
  }
  if (options.help) return {};
  if (options.demand.empty() != options.tables.empty()) return "--demand and --tables belong together";
  if (!options.demand.empty() && (options.machine.empty() || !options.graph.empty()))
    return "--demand and --tables are of a --machine FILE, and there is no --graph then";
  if (options.graph.empty() && options.demand.empty()) return "--graph FILE is missing; --help lists all options";
  if (!options.machine.empty() && options.boards != 0)
    return "--machine and --boards both name a machine; give one of them";
  return {};
}

/// \return why not; empty if it is read
std::string read(const std::string& path, std::string& to) {
  if (path.empty()) return {};
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return "cannot read " + path + ": " + std::strerror(errno);
  std::array<char, 65536> some{};
  std::size_t count = 0;
  while ((count = std::fread(some.data(), 1, some.size(), file)) != 0) to.append(some.data(), count);
  const bool has_failed = std::ferror(file) != 0;
  const int why = errno;
  std::fclose(file);
  return has_failed ? "cannot read " + path + ": " + std::strerror(why) : std::string();
}
std::string write(const std::string& folder, const char* name, const std::string& text) {
  const std::string path = folder + "/" + name;
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return "cannot write " + path + ": " + std::strerror(errno);
  const bool is_whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && is_whole ? std::string() : "cannot write all of " + path;
}

nm::Answer<mapping::Machine> machine_of(const Options& options, std::string text, const mapping::MachineGraph& graph) {
  if (!options.machine.empty()) return mapping::machine_from_json(std::move(text), options.machine);
  if (options.boards != 0) return mapping::machine_of_boards(options.boards);
  const mapping::Constraints constraints{.steps = options.steps};
  const auto needed = mapping::boards_needed<mapping::SpiNNaker1>(graph, constraints);
  if (!needed) return needed.refusal();
  std::printf("%s\n", needed.value().text().c_str());
  return mapping::discover<mapping::SpiNNaker1>(graph, constraints);
}

/// Proves tables, whoever made them.
support::Ended judge(const Options& options) {
  namespace proof = mapping::proof;
  std::string machine_text, demand_text, tables_text;
  for (const auto& [path, text] : {std::pair{&options.machine, &machine_text}, std::pair{&options.demand, &demand_text},
                                   std::pair{&options.tables, &tables_text}})
    if (std::string why = read(*path, *text); !why.empty()) return why;
  const auto machine = proof::machine_from_json(std::move(machine_text), options.machine);
  if (!machine) return machine.sentence();
  const auto demand = proof::demand_from_json(std::move(demand_text), machine.value(), options.demand);
  if (!demand) return demand.sentence();
  const bool is_dump = options.tables.ends_with(".bin");
  const std::vector<std::uint8_t> bytes(tables_text.begin(), is_dump ? tables_text.end() : tables_text.begin());
  const auto tables = is_dump ? proof::tables_from_dump(bytes, machine.value(), options.tables)
                              : proof::tables_from_json(std::move(tables_text), machine.value(), options.tables);
  if (!tables) return tables.sentence();
  const auto report = proof::prove(machine.value(), demand.value(), tables.value(),
                                   {.whole = options.whole, .threads = options.threads});
  if (!report) return report.sentence();
  std::fputs(report.value().text(machine.value()).c_str(), stdout);
  return report.value().is_proved() ? 0 : 1;
}

/// On a terminal, a line that says what is being done; it is gone in the end.
class PhaseLine {
public:
  PhaseLine() = default;
  PhaseLine(const PhaseLine&) = delete;
  PhaseLine& operator=(const PhaseLine&) = delete;
  ~PhaseLine() {
    if (is_drawn_) std::fputs("\r\033[K", stderr);
  }
  void show(const char* phase, double seconds) {
    if (!is_terminal_ || seconds < next_) return;
    next_ = seconds + 0.1, is_drawn_ = true;
    std::fprintf(stderr, "\r%s, %.1f s\033[K", phase, seconds);
    std::fflush(stderr);
  }

private:
  bool is_terminal_ = isatty(STDERR_FILENO) != 0, is_drawn_ = false;
  double next_ = 0.2; // what is done sooner says nothing
};

support::Ended run(const Options& options) {
  if (!options.demand.empty()) return judge(options);
  std::string graph_text, counts_text, machine_text, constraints_text;
  for (const auto& [path, text] :
       {std::pair{&options.graph, &graph_text}, std::pair{&options.key_counts, &counts_text},
        std::pair{&options.machine, &machine_text}, std::pair{&options.constraints, &constraints_text}})
    if (std::string why = read(*path, *text); !why.empty()) return why;
  const auto named =
      mapping::graph_from_json(std::move(graph_text), options.graph, std::move(counts_text), options.key_counts);
  if (!named) return named.sentence();
  const mapping::MachineGraph& graph = named.value().graph;
  auto made = machine_of(options, std::move(machine_text), graph);
  if (!made) return made.sentence();
  mapping::Machine& machine = made.value();
  mapping::Constraints constraints;
  if (!options.constraints.empty()) {
    auto given =
        mapping::constraints_from_json(std::move(constraints_text), named.value().names, machine, options.constraints);
    if (!given) return given.sentence();
    constraints = std::move(given).value();
  }
  if (options.steps != 0) constraints.steps = options.steps;

  mapping::MapOptions how{.placement = {.placer = options.placer},
                          .routing = {.threads = options.threads},
                          .proof = {.whole = options.whole, .threads = options.threads},
                          .is_proved = options.is_proved};
  if (options.spreads) how.spreading.emplace();
  const auto mapped = [&] {
    PhaseLine line;
    how.progress = [&](const char* phase, double seconds) { line.show(phase, seconds); };
    return mapping::map(graph, machine, constraints, how);
  }();
  if (!mapped) return mapped.sentence();
  const mapping::Mapping& all = mapped.value();
  const auto report = mapping::report(graph, machine, all.placements, all.routes, all.tables,
                                      {.steps = constraints.steps, .partition_of = all.partition_of});
  if (!report) return report.sentence();
  std::printf("%s%s", all.text(machine).c_str(), report.value().text().c_str());
  if (options.output.empty()) return 0;

  const mapping::GraphNames& names = named.value().names;
  mapping::Keys keys;
  for (mapping::Partition at = 0; at < graph.partitions(); ++at) keys.push_back(all.keys_of(at));
  mapping::Routes routes; // [partition of the graph]
  for (mapping::Partition at = 0; at < graph.partitions(); ++at) {
    const auto nodes = all.routes[all.partition_of.empty() ? at : all.partition_of[at]];
    routes.items.insert(routes.items.end(), nodes.begin(), nodes.end());
    routes.end_list();
  }
  const std::array texts{mapping::machine_to_json(machine),
                         mapping::placements_to_json(all.placements, names, machine),
                         mapping::allocations_to_json(all.placements, names, machine),
                         mapping::routes_to_json(routes, graph, names, all.placements, machine),
                         mapping::keys_to_json(keys, names),
                         mapping::tables_to_json(all.tables, machine),
                         mapping::proof::demand_to_json(mapping::demand_of(graph, machine, all.placements, keys),
                                                        mapping::detail::machine_of_proof(machine)),
                         mapping::picture(report.value(), machine)};
  static_assert(texts.size() == output_files.size());
  for (std::size_t at = 0; at < texts.size(); ++at)
    if (std::string why = write(options.output, output_files[at], texts[at]); !why.empty()) return why;
  return 0;
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("map", count, words, help_text, output_files, parse, run);
}
