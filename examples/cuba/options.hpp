// SPDX-License-Identifier: BSL-1.0
// The command line. A word that makes no sense is one sentence.
#ifndef EXAMPLES_CUBA_OPTIONS_HPP
#define EXAMPLES_CUBA_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../support/options.hpp"
#include "network.hpp"

namespace cuba {

struct Options : support::CommonOptions {
  Options() { digest_every = 0; } // every simulated second
  double duration_s = 2.0;
  double dt_ms = 0.1;
  std::uint32_t neurons = 4000;
  std::string connections; // empty: from the seed
  std::string initial;
};

inline constexpr const char* help_text =
    "The CUBA benchmark network of Vogels and Abbott (Brette et al. 2007, benchmark 2) in fixed point.\n"
    "\n"
    "usage: cuba [option...]\n"
    "  --duration SECONDS  simulated time, 0.001 to 1000                 (2)\n"
    "  --dt MS             time step, 0.001 to 10, divides the delay of 0.2 ms (0.1)\n"
    "  --seed NUMBER       of the network and the initial state          (1)\n"
    "  --neurons NUMBER    5 to 4096, four in five are excitatory        (4000)\n"
    "  --output FOLDER     write spikes.txt, raster.svg and membrane.svg there\n"
    "  --connections FILE  synapses: records of uint32 pre, uint32 post, float32 weight in pA, "
    "little-endian\n"
    "  --initial FILE      membranes: float32 per neuron, 0 = reset, 1 = threshold\n"
    "  --help              this text\n"
    "for comparing machines:\n"
    "  --digest-every N    digest of the whole state every N steps       (every simulated second)\n"
    "  --digest-from N     from step N on                                (1)\n"
    "  --dump STEP         state of every neuron after that step\n"
    "  --flip STEP:NEURON  flip a bit of a membrane after that step: a fault to be found\n";

inline Complaint parse(int count, char** words, Options& options) {
  const auto own = [&](std::string_view option, const char* value) -> support::Answer {
    if (option == "--duration") {
      if (!support::real_number(value, 0.001, 1000.0, options.duration_s))
        return {true, support::bad(option, value, "seconds from 0.001 to 1000")};
    } else if (option == "--dt") {
      if (!support::real_number(value, 0.001, 10.0, options.dt_ms))
        return {true, support::bad(option, value, "milliseconds from 0.001 to 10")};
    } else if (option == "--neurons") {
      if (!support::small_number(value, 5, largest_network, options.neurons))
        return {true, support::bad(option, value, "a number from 5 to 4096")};
    } else if (option == "--connections" || option == "--initial") {
      if (*value == '\0') return {true, support::bad(option, value, "a file")};
      (option == "--initial" ? options.initial : options.connections) = value;
    } else {
      return support::unknown();
    }
    return {};
  };
  if (auto complaint = support::parse_common(count, words, options, "neuron", largest_network - 1, own);
      !complaint.empty())
    return complaint;
  if (options.flip_at != 0 && options.flip_item >= options.neurons)
    return "--flip names neuron " + std::to_string(options.flip_item) + " of " + std::to_string(options.neurons);
  return {};
}

} // namespace cuba

#endif
