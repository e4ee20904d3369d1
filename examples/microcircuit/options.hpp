// SPDX-License-Identifier: BSL-1.0
// The command line. A word that makes no sense is one sentence.
#ifndef EXAMPLES_MICROCIRCUIT_OPTIONS_HPP
#define EXAMPLES_MICROCIRCUIT_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../support/words.hpp"

namespace microcircuit {

struct Options {
  double duration_s = 2.0, scale = 0.0; ///< 0: as large as memory allows
  std::uint32_t threads = 0, ranks = 1;
  std::uint64_t seed = 1;
  bool is_reduced = false, has_current = false, judges = false;
  std::string output; // folder; empty: no file
  bool help = false;
};

inline constexpr const char* help_text =
    "The cortical microcircuit of Potjans and Diesmann: 77 169 neurons, 299 million synapses.\n"
    "\n"
    "usage: microcircuit [option...]\n"
    "  --duration SECONDS  simulated time, 0.1 to 1000                   (2)\n"
    "  --scale SHARE       of the neurons, 0.02 to 1                     (what fits)\n"
    "  --reduced           in-degrees, too, are as the scale, and a current makes up for it\n"
    "  --dc                currents instead of Poisson input\n"
    "  --threads NUMBER    of each process, 0 for all that there are     (0)\n"
    "  --ranks NUMBER      processes that share the network, 1 to 256    (1, or those of mpiexec)\n"
    "  --seed NUMBER       of the network                                (1)\n"
    "  --judge             five networks for 10.5 s each; status 1 where they are not as published\n"
    "  --output FOLDER     write raster.svg and rates.svg there\n"
    "  --help              this text\n";

/// Empty if all is well.
inline std::string parse(int count, char** words, Options& options) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    bool* const flag = option == "--help" || option == "-h" ? &options.help
                       : option == "--reduced"              ? &options.is_reduced
                       : option == "--dc"                   ? &options.has_current
                       : option == "--judge"                ? &options.judges
                                                            : nullptr;
    if (flag != nullptr) {
      *flag = true; // what follows must be right, too
      continue;
    }
    if (option != "--duration" && option != "--scale" && option != "--threads" && option != "--ranks" &&
        option != "--seed" && option != "--output")
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (at + 1 == count) return std::string(option) + " needs a value";
    const char* const value = words[++at];
    if (option == "--duration" && !support::real_number(value, 0.1, 1000.0, options.duration_s))
      return support::bad(option, value, "seconds from 0.1 to 1000");
    if (option == "--scale" && !support::real_number(value, 0.02, 1.0, options.scale))
      return support::bad(option, value, "a share from 0.02 to 1");
    if (option == "--threads" && !support::small_number(value, 0, 1024, options.threads))
      return support::bad(option, value, "a number from 0 to 1024");
    if (option == "--ranks" && !support::small_number(value, 1, 256, options.ranks))
      return support::bad(option, value, "a number from 1 to 256");
    if (option == "--seed" && !support::whole_number(value, UINT64_MAX, options.seed))
      return support::bad(option, value, "a number below 2^64");
    if (option == "--output" && *value == '\0') return support::bad(option, value, "a folder");
    if (option == "--output") options.output = value;
  }
  return {};
}

} // namespace microcircuit

#endif
