// SPDX-License-Identifier: BSL-1.0
// The balanced network on cores of a simulated SpiNNaker machine: native ones, and emulated ARM968E-S ones that run the image a chip loads.
#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <neuromorph/machine/native.hpp>
#include <neuromorph/machine/run.hpp>
#include <neuromorph/machine/table_walk.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/map.hpp>

#ifdef BALANCED_MACHINE_HAS_EMULATOR
#include <neuromorph/machine/emulated.hpp>
#endif

#include "../balanced_plastic/digests.hpp"
#include "../balanced_plastic/vertex.hpp"
#include "../support/program.hpp"
#include "../support/words.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;

struct Options {
  std::uint32_t seconds = 2, threads = 1;
  std::string image, output;
  bool help = false;
};

constexpr const char* help_text =
    "The balanced network that learns, on cores of a simulated machine: native, and emulated where an image is given.\n"
    "\n"
    "usage: balanced_machine [option...]\n"
    "  --duration SECONDS  of the network, whole ones, 1 to 10             (2)\n"
    "  --image FILE        of form APLX, for emulated cores\n"
    "  --threads NUMBER    1 to 64                                         (1)\n"
    "  --help              this text\n";

std::string parse(int count, char** words, Options& options) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      options.help = true;
      continue;
    }
    if (option != "--duration" && option != "--image" && option != "--threads")
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (++at == count) return std::string(option) + " needs a value";
    if (option == "--image") {
      if (*words[at] == '\0') return support::bad(option, words[at], "a file");
      options.image = words[at];
    } else if (option == "--duration") {
      if (!support::small_number(words[at], 1, 10, options.seconds))
        return support::bad(option, words[at], "whole seconds from 1 to 10");
    } else if (!support::small_number(words[at], 1, 64, options.threads)) {
      return support::bad(option, words[at], "a number from 1 to 64");
    }
  }
  return {};
}

/// Five vertices, each of which hears all.
mapping::MachineGraph graph() {
  mapping::MachineGraph made;
  std::vector<mapping::Vertex> all;
  for (std::uint32_t core = 0; core < balanced::cores; ++core)
    all.push_back(made.add({.dtcm_bytes = 60000, .sdram_bytes = sizeof(balanced::Far)}));
  for (const mapping::Vertex one : all) made.connect(one, all, {.keys = 256});
  return made;
}

/// Runs it on cores of one kind, and says the digests of each second.
/// \return a complaint; empty where they are the known ones
std::string run(const char* kind, machine::CoreModel& of, const mapping::Machine& board, const mapping::Mapping& mapped,
                const Options& options, std::uint64_t& digest) {
  machine::TableWalk network(board, mapped.tables);
  machine::Run run(network, {.threads = options.threads});
  std::array<std::uint32_t, balanced::cores> keys{};
  for (std::uint32_t core = 0; core < balanced::cores; ++core) keys[core] = mapped.keys[core].key;
  for (std::uint32_t core = 0; core < balanced::cores; ++core) {
    for (std::size_t region = 0; region < 2; ++region)
      if (const auto status = of.load(core, region, balanced::region_of(core, keys, region)); !status)
        return neuromorph::sentence(status).text.data();
    of.make_room(core, 0, 5 * std::size_t{options.seconds});
    if (auto refusal = run.attach({mapped.placements.chip[core], mapped.placements.core[core]}, of, core); !refusal)
      return refusal.sentence();
  }
  const auto began = std::chrono::steady_clock::now();
  if (auto started = run.start(); !started) return started.sentence();
  bool agrees = true;
  for (std::uint32_t second = 1; second <= options.seconds; ++second) {
    if (auto ended = run.ticks(balanced::steps_per_second); !ended) return ended.sentence();
    run.pause();
    for (const auto& [at, line] : run.lines()) std::printf("core %u: %s\n", at.core, line.c_str());
    for (std::uint32_t core = 0; core < balanced::cores; ++core) {
      const auto words = of.recorded(core, 0);
      if (words.size() != 5 * second) return "core " + std::to_string(core) + " has failed";
      const balanced::Digests digests = balanced::digests_in(words.last(5));
      std::printf("second %3" PRIu32 " core %" PRIu32 " spikes %016" PRIx64 " weights %016" PRIx64 " fired %" PRIu32
                  "\n",
                  second, core, digests.spikes, digests.weights, words.back());
      agrees = agrees && digests == balanced::expected[second - 1][core];
    }
    std::fflush(stdout);
  }
  digest = run.digest();
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::printf("%s cores: %.2f s, %llu packets, %llu deliveries, digest %016llx\n\n", kind, took,
              static_cast<unsigned long long>(run.account().sent), static_cast<unsigned long long>(run.account().taken),
              static_cast<unsigned long long>(digest));
  return agrees ? "" : "the digests are not those of digests.hpp";
}

support::Ended run_all(const Options& options) {
  const auto board = mapping::board_of_48();
  if (!board) return board.sentence();
  const auto mapped = mapping::map(graph(), board.value());
  if (!mapped) return mapped.sentence();
  std::printf("balanced network, 1250 neurons on five cores\n%s\n", mapped.value().text(board.value()).c_str());
  machine::NativeCores<balanced::Part<neuromorph::target::CopyWords>> native(balanced::cores);
  std::uint64_t digest = 0;
  if (std::string why = run("native", native, board.value(), mapped.value(), options, digest); !why.empty()) return why;
  if (options.image.empty()) return 0;
#ifdef BALANCED_MACHINE_HAS_EMULATOR
  std::ifstream file(options.image, std::ios::binary);
  if (!file) return support::cannot("read", options.image);
  const std::vector<std::uint8_t> image{std::istreambuf_iterator<char>(file), {}};
  const auto emulated = machine::EmulatedCores::make(image, balanced::cores);
  if (!emulated) return emulated.sentence();
  std::uint64_t other = 0;
  if (std::string why = run("emulated", *emulated.value(), board.value(), mapped.value(), options, other); !why.empty())
    return why;
  if (digest != other) return std::string("emulated cores do not have the state of native ones");
  return 0;
#else
  return std::string("this program was built without an emulator: Debian has it in libunicorn-dev");
#endif
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("balanced_machine", count, words, help_text, std::array<const char*, 0>{}, parse,
                                       run_all);
}
