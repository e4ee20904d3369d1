// SPDX-License-Identifier: BSL-1.0
// The command line. A word that makes no sense is one sentence.
#ifndef EXAMPLES_NETWORK_OPTIONS_HPP
#define EXAMPLES_NETWORK_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../support/words.hpp"

namespace networks {

struct Options {
  double duration_s = 1.0, scale = 0.05;
  std::uint32_t threads = 0;
  std::uint64_t seed = 1;
  std::string output; // folder; empty: no file
  bool help = false;
};

inline constexpr const char* help_text =
    "Two networks from the description to the raster: CUBA, and the layers of a cortical microcircuit.\n"
    "\n"
    "usage: network [option...]\n"
    "  --duration SECONDS  simulated time, 0.01 to 1000                  (1)\n"
    "  --scale SHARE       of the microcircuit's neurons, 0.01 to 1      (0.05)\n"
    "  --threads NUMBER    0 to 1024, 0 for all that there are           (0)\n"
    "  --seed NUMBER       of the networks                               (1)\n"
    "  --output FOLDER     write cuba.svg and layers.svg there\n"
    "  --help              this text\n";

/// Empty if all is well.
inline std::string parse(int count, char** words, Options& options) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      options.help = true; // what follows must be right, too
      continue;
    }
    if (option != "--duration" && option != "--scale" && option != "--threads" && option != "--seed" &&
        option != "--output")
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (at + 1 == count) return std::string(option) + " needs a value";
    const char* const value = words[++at];
    if (option == "--duration" && !support::real_number(value, 0.01, 1000.0, options.duration_s))
      return support::bad(option, value, "seconds from 0.01 to 1000");
    if (option == "--scale" && !support::real_number(value, 0.01, 1.0, options.scale))
      return support::bad(option, value, "a share from 0.01 to 1");
    if (option == "--threads" && !support::small_number(value, 0, 1024, options.threads))
      return support::bad(option, value, "a number from 0 to 1024");
    if (option == "--seed" && !support::whole_number(value, UINT64_MAX, options.seed))
      return support::bad(option, value, "a number below 2^64");
    if (option == "--output" && *value == '\0') return support::bad(option, value, "a folder");
    if (option == "--output") options.output = value;
  }
  return {};
}

} // namespace networks

#endif
