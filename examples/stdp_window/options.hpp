// SPDX-License-Identifier: BSL-1.0
// The command line. A word that makes no sense is one sentence.
#ifndef EXAMPLES_STDP_WINDOW_OPTIONS_HPP
#define EXAMPLES_STDP_WINDOW_OPTIONS_HPP

#include <array>
#include <string>
#include <string_view>

#include "../support/options.hpp"

namespace stdp_window {

struct Options {
  bool help = false;
  std::string output;
};

inline constexpr std::array output_files{"windows.svg"};

inline constexpr const char* help_text =
    "The learning window of each rule of plasticity: fixed point beside the formula.\n"
    "\n"
    "usage: stdp_window [option...]\n"
    "  --output FOLDER      write windows.svg there\n"
    "  --help               this text\n";

} // namespace stdp_window

#endif
