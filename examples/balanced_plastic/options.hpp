// SPDX-License-Identifier: BSL-1.0
// The command line of the host's program. A word that makes no sense is one sentence.
#ifndef EXAMPLES_BALANCED_PLASTIC_OPTIONS_HPP
#define EXAMPLES_BALANCED_PLASTIC_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../support/words.hpp"

namespace balanced {

struct Options {
  double duration_s = 10.0;
  std::string output, spikes;
  bool help = false;
};

inline constexpr const char* help_text =
    "A balanced network that learns: 1000 excitatory and 250 inhibitory neurons on five composed cores.\n"
    "\n"
    "usage: balanced_plastic [option...]\n"
    "  --duration SECONDS  simulated time, 0.01 to 1000                  (10)\n"
    "  --output FOLDER     write raster.svg, rates.svg and weights.svg there\n"
    "  --spikes PATH       write all spikes there, for the cores that run alone\n"
    "  --help              this text\n";

inline std::string parse(int count, char** words, Options& options) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      options.help = true;
      continue;
    }
    if (option != "--duration" && option != "--output" && option != "--spikes")
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (++at == count) return std::string(option) + " needs a value";
    if (option == "--duration") {
      if (!support::real_number(words[at], 0.01, 1000.0, options.duration_s))
        return support::bad(option, words[at], "seconds from 0.01 to 1000");
    } else if (*words[at] == '\0') {
      return support::bad(option, words[at], option == "--output" ? "a folder" : "a file");
    } else {
      (option == "--output" ? options.output : options.spikes) = words[at];
    }
  }
  return {};
}

} // namespace balanced

#endif
