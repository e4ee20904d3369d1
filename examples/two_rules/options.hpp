// SPDX-License-Identifier: BSL-1.0
// The command line. A word that makes no sense is one sentence.
#ifndef EXAMPLES_TWO_RULES_OPTIONS_HPP
#define EXAMPLES_TWO_RULES_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../support/options.hpp"
#include "array.hpp"

namespace two_rules {

struct Options : support::CommonOptions {
  Options() { digest_every = 10; }
  std::uint32_t steps = 60;
};

inline constexpr const char* help_text =
    "Several plasticity rules side by side on 32 by 32 synapses, some of them defect.\n"
    "STDP and homeostasis on disjoint masks, and a part whose synapses choose their rule by tags as it runs.\n"
    "\n"
    "usage: two_rules [option...]\n"
    "  --steps N            periods of activity and plasticity            (60)\n"
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
  const auto own = [&](std::string_view option, const char* value) -> support::Answer {
    if (option != "--steps") return support::unknown();
    if (support::small_number(value, 1, 1U << 30, options.steps)) return {};
    return {true, support::bad(option, value, "a number of steps from 1")};
  };
  return support::parse_common(count, words, options, "synapse", Array::rows * Array::columns - 1, own);
}

} // namespace two_rules

#endif
