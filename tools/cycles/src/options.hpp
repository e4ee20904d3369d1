// SPDX-License-Identifier: BSL-1.0
/// \file
/// The command line of neuromorph-cycles.
#ifndef NEUROMORPH_CYCLES_OPTIONS_HPP
#define NEUROMORPH_CYCLES_OPTIONS_HPP

#include <string>
#include <vector>

#include "machine.hpp"

namespace neuromorph::cycles {

struct Options {
  bool help = false;
  bool rules = false;
  bool quiet = false;
  bool without_interrupts = false;
  std::string firmware;
  std::string json; ///< file, `-` for standard output
  std::string listing;
  std::string listing_of = "*";
  std::vector<std::string> functions, intervals, items;
  std::optional<Core> core;
  std::vector<std::pair<bool, std::string>> regions; ///< file or not, text
  Setup setup;
};

std::string help_text();

Expected<Options> parse_options(int count, char const* const* words);

} // namespace neuromorph::cycles

#endif
