// SPDX-License-Identifier: BSL-1.0
// The command line. A word that makes no sense is one sentence.
#ifndef EXAMPLES_MAPPING_OPTIONS_HPP
#define EXAMPLES_MAPPING_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../support/words.hpp"

namespace mapped {

struct Options {
  double scale = 1.0;
  std::uint64_t seed = 1;
  std::string output; // folder; empty: no file
  bool million = false;
  bool help = false;
};

inline constexpr const char* help_text =
    "Conway's life and the cortical microcircuit, mapped to a machine through all phases, and proved.\n"
    "\n"
    "usage: mapping [option...]\n"
    "  --million           life on a million cores as well\n"
    "  --scale SHARE       of the microcircuit's neurons, 0.02 to 1      (1)\n"
    "  --seed NUMBER       of the microcircuit                           (1)\n"
    "  --output FOLDER     write life.svg and microcircuit.svg there\n"
    "  --help              this text\n";

/// Empty if all is well.
inline std::string parse(int count, char** words, Options& options) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h" || option == "--million") {
      (option == "--million" ? options.million : options.help) = true; // what follows must be right, too
      continue;
    }
    if (option != "--scale" && option != "--seed" && option != "--output")
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (at + 1 == count) return std::string(option) + " needs a value";
    const char* const value = words[++at];
    if (option == "--scale" && !support::real_number(value, 0.02, 1.0, options.scale))
      return support::bad(option, value, "a share from 0.02 to 1");
    if (option == "--seed" && !support::whole_number(value, UINT64_MAX, options.seed))
      return support::bad(option, value, "a number below 2^64");
    if (option == "--output" && *value == '\0') return support::bad(option, value, "a folder");
    if (option == "--output") options.output = value;
  }
  return {};
}

} // namespace mapped

#endif
