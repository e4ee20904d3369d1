// SPDX-License-Identifier: BSL-1.0
// The balanced network through the whole tool chain, on a simulated SpiNNaker machine: native cores, and emulated ARM968E-S ones that run the
// image a chip loads.
#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/mapping/boards.hpp>

#ifdef BALANCED_MACHINE_HAS_EMULATOR
#include <neuromorph/machine/emulated.hpp>
#endif

#include "../balanced_plastic/digests.hpp"
#include "../balanced_plastic/vertex.hpp"
#include "../support/program.hpp"
#include "../support/words.hpp"

namespace {

namespace execution = neuromorph::execution;
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

/// Runs it on cores of one kind, and says the digests of each second.
/// \param image   that all of them run
/// \param digest  gets that of their state
/// \return a complaint; empty where the digests are the known ones
std::string run(const char* kind, std::vector<std::uint8_t> image, const mapping::Machine& board,
                const machine::Programs& programs, const Options& options, std::uint64_t& digest) {
  machine::Monitors monitors(board, {});
  machine::Applications applications(monitors, programs, {.threads = options.threads});
  execution::InProcessLink link(monitors, applications);
  execution::Simulation simulation(link, {.threads = options.threads, .reads_logs = true});
  const auto loaded = simulation.add_image(kind, std::move(image));
  // Five vertices, each of which hears all.
  std::vector<mapping::Vertex> all;
  for (std::uint32_t core = 0; core < balanced::cores; ++core)
    all.push_back(simulation.add(
        loaded, {.name = "part",
                 .resources = {.dtcm_bytes = 60000, .sdram_bytes = sizeof(balanced::Far)},
                 .regions =
                     [core](const execution::Mapped& of) {
                       std::array<std::uint32_t, balanced::cores> keys{};
                       for (std::uint32_t one = 0; one < balanced::cores; ++one) keys[one] = of.mapping.keys[one].key;
                       std::vector<std::vector<std::uint8_t>> made;
                       for (const std::size_t region : {0U, 1U})
                         made.push_back(balanced::region_of(core, keys, region));
                       return made;
                     },
                 .recordings = {[](std::uint64_t ticks) { return 20 * (ticks / balanced::steps_per_second + 1); }}}));
  for (const mapping::Vertex one : all) simulation.graph().connect(one, all, {.keys = 256});

  const auto began = std::chrono::steady_clock::now();
  bool agrees = true;
  for (std::uint32_t second = 1; second <= options.seconds; ++second) {
    if (auto ended = simulation.run(balanced::steps_per_second); !ended) return ended.sentence();
    for (const std::string& one : simulation.anomalies()) return one;
    for (std::uint32_t core = 0; core < balanced::cores; ++core) {
      const auto bytes = simulation.recorded(core, 0);
      if (bytes.size() != 20 * second) return "core " + std::to_string(core) + " has not recorded each second";
      std::array<std::uint32_t, 5> words{};
      for (std::size_t word = 0; word < 5; ++word)
        words[word] = neuromorph::protocols::word_at(bytes.last(20), 4 * word);
      const balanced::Digests digests = balanced::digests_in(words);
      std::printf("second %3" PRIu32 " core %" PRIu32 " spikes %016" PRIx64 " weights %016" PRIx64 " fired %" PRIu32
                  "\n",
                  second, core, digests.spikes, digests.weights, words.back());
      agrees = agrees && digests == balanced::expected[second - 1][core];
    }
    std::fflush(stdout);
  }
  for (std::uint32_t core = 0; core < balanced::cores; ++core)
    if (!simulation.log(core).empty()) std::printf("core %u: %s", core, simulation.log(core).c_str());
  digest = applications.digest();
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::printf("%s cores: %.2f s, %llu packets, %llu deliveries, digest %016llx\n%s\n", kind, took,
              static_cast<unsigned long long>(applications.account().sent),
              static_cast<unsigned long long>(applications.account().taken), static_cast<unsigned long long>(digest),
              simulation.workflow().text().c_str());
  return agrees ? "" : "the digests are not those of digests.hpp";
}

support::Ended run_all(const Options& options) {
  const auto board = mapping::board_of_48();
  if (!board) return board.sentence();
  std::printf("balanced network, 1250 neurons on five cores\n\n");
  machine::Programs programs;
  programs.add<balanced::Part<neuromorph::target::CopyWords>>("balanced");
  std::uint64_t digest = 0;
  if (std::string why = run("native", machine::image_of("balanced"), board.value(), programs, options, digest);
      !why.empty())
    return why;
  if (options.image.empty()) return 0;
#ifdef BALANCED_MACHINE_HAS_EMULATOR
  std::ifstream file(options.image, std::ios::binary);
  if (!file) return support::cannot("read", options.image);
  std::vector<std::uint8_t> image{std::istreambuf_iterator<char>(file), {}};
  programs.set_maker(machine::Emulator{});
  std::uint64_t other = 0;
  if (std::string why = run("emulated", std::move(image), board.value(), programs, options, other); !why.empty())
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
