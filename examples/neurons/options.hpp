// SPDX-License-Identifier: BSL-1.0
// The command line. A word that makes no sense is one sentence.
#ifndef EXAMPLES_NEURONS_OPTIONS_HPP
#define EXAMPLES_NEURONS_OPTIONS_HPP

#include <array>
#include <string>
#include <string_view>

#include "../support/options.hpp"
#include "models.hpp"

namespace neurons {

struct Options : support::CommonOptions {
  Options() { digest_every = 500; }
};

inline constexpr std::uint32_t cells_of_a_model = 33; // neuron 0 has the current
inline constexpr std::array output_files{"responses.svg"};

inline constexpr const char* help_text =
    "Thirteen neuron models made of parts: their responses to a current step and to Poisson input.\n"
    "\n"
    "usage: neurons [option...]\n"
    "  --seed NUMBER        of the Poisson input                          (1)\n"
    "  --output FOLDER      write responses.svg there\n"
    "  --help               this text\n"
    "for comparing machines:\n"
    "  --digest-every N     digest of the whole state every N steps       (500)\n"
    "  --digest-from N      from step N on                                (1)\n"
    "  --dump STEP          state of every cell after that step\n"
    "  --flip STEP:CELL     flip a bit of a membrane after that step: a fault to be found; a model has 33\n";

/// Empty if all is well.
inline std::string parse(int count, char** words, Options& options) {
  return support::parse_common(count, words, options, "cell", model_count * cells_of_a_model - 1,
                               [](std::string_view, const char*) { return support::unknown(); });
}

} // namespace neurons

#endif
