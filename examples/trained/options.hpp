// SPDX-License-Identifier: BSL-1.0
// The command line of the program: what it is told, and what it says of itself.
#ifndef EXAMPLES_TRAINED_OPTIONS_HPP
#define EXAMPLES_TRAINED_OPTIONS_HPP

#include <array>
#include <string>

namespace trained {

struct Options {
  std::string output; // folder; empty: no file
  bool help = false;
};

inline constexpr std::array<const char*, 1> output_files{"trained.svg"};

inline constexpr const char* help_text =
    "A trained network says which way a bar moves, with the same spikes on every machine.\n"
    "\n"
    "usage: trained [OPTION...]\n"
    "  --output FOLDER  draw an inference there, trained.svg\n"
    "  --help           this text\n";

} // namespace trained

#endif
