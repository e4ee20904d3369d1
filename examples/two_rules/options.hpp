// SPDX-License-Identifier: BSL-1.0
// The command line. A word that makes no sense is one sentence.
#ifndef EXAMPLES_TWO_RULES_OPTIONS_HPP
#define EXAMPLES_TWO_RULES_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../support/words.hpp"
#include "array.hpp"

namespace two_rules {

struct Options {
  std::uint32_t steps = 60;
  std::uint64_t seed = 1;
  std::string output; // empty: no file
  std::uint32_t digest_every = 10;
  std::uint32_t digest_from = 1;
  std::uint32_t dump_at = 0; // step whose state is printed, 0: none
  std::uint32_t flip_at = 0, flip_synapse = 0;
  bool help = false;
};

inline constexpr const char* help_text =
    "Plasticity of 32 by 32 synapses, some of them defect: STDP and homeostasis on disjoint masks, and a part\n"
    "whose synapses choose their rule by tags while the program runs.\n"
    "\n"
    "usage: two_rules [option...]\n"
    "  --steps NUMBER       periods of activity and plasticity            (60)\n"
    "  --seed NUMBER        of weights, activity and random walk          (1)\n"
    "  --output FOLDER      write weights.svg there\n"
    "  --help               this text\n"
    "for comparing machines:\n"
    "  --digest-every N     digest of the whole state every N steps       (10)\n"
    "  --digest-from N      from step N on                                (1)\n"
    "  --dump STEP          state of every synapse after that step\n"
    "  --flip STEP:SYNAPSE  flip a bit of a weight after that step: a fault to be found\n";

/// Empty if all is well.
inline std::string parse(int count, char** words, Options& options) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      options.help = true;
      return {};
    }
    constexpr std::string_view known[] = {"--steps",       "--seed", "--output", "--digest-every",
                                          "--digest-from", "--dump", "--flip"};
    bool is_known = false;
    for (const auto name : known) is_known = is_known || option == name;
    if (!is_known) return "there is no option '" + std::string(option) + "'; --help lists them";
    if (++at == count) return std::string(option) + " needs a value";
    const char* value = words[at];
    if (option == "--seed") {
      if (!support::whole_number(value, UINT64_MAX, options.seed)) return support::bad(option, value, "a whole number");
    } else if (option == "--output") {
      options.output = value;
    } else if (option == "--flip") {
      if (!support::step_and_item(value, Array::rows * Array::columns - 1, options.flip_at, options.flip_synapse))
        return support::bad(option, value, "a step and a synapse as STEP:SYNAPSE");
    } else {
      auto& steps = option == "--steps"          ? options.steps
                    : option == "--dump"         ? options.dump_at
                    : option == "--digest-every" ? options.digest_every
                                                 : options.digest_from;
      if (!support::small_number(value, 1, 1U << 30, steps))
        return support::bad(option, value, "a number of steps from 1");
    }
  }
  return {};
}

} // namespace two_rules

#endif
