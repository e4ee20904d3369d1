// SPDX-License-Identifier: BSL-1.0
// The command line. A word that makes no sense is one sentence.
#ifndef EXAMPLES_CUBA_OPTIONS_HPP
#define EXAMPLES_CUBA_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../support/words.hpp"
#include "network.hpp"

namespace cuba {

struct Options {
  double duration_s = 2.0;
  double dt_ms = 0.1;
  std::uint64_t seed = 1;
  std::uint32_t neurons = 4000;
  std::string output;      // empty: no files
  std::string connections; // empty: from the seed
  std::string initial;
  std::uint32_t digest_every = 0; // steps, 0: every simulated second
  std::uint32_t digest_from = 1;  // first step whose digest is printed
  std::uint32_t dump_at = 0;      // step whose state is printed, 0: none
  std::uint32_t flip_at = 0, flip_neuron = 0;
  bool help = false;
};

inline constexpr const char* help_text =
    "The CUBA benchmark network of Vogels and Abbott (Brette et al. 2007, benchmark 2) in fixed point.\n"
    "\n"
    "usage: cuba [option...]\n"
    "  --duration SECONDS  simulated time, 0.001 to 1000                 (2)\n"
    "  --dt MS             time step, must divide the delay of 0.2 ms    (0.1)\n"
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
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      options.help = true;
      return {};
    }
    constexpr std::string_view known[] = {"--duration",    "--dt",          "--seed",    "--neurons",
                                          "--output",      "--connections", "--initial", "--digest-every",
                                          "--digest-from", "--dump",        "--flip"};
    bool is_known = false;
    for (const auto name : known) is_known = is_known || option == name;
    if (!is_known) return "there is no option '" + std::string(option) + "'; --help lists them";
    if (++at == count) return std::string(option) + " needs a value";
    const char* value = words[at];
    if (option == "--duration") {
      if (!support::real_number(value, 0.001, 1000.0, options.duration_s))
        return support::bad(option, value, "seconds from 0.001 to 1000");
    } else if (option == "--dt") {
      if (!support::real_number(value, 0.001, 10.0, options.dt_ms))
        return support::bad(option, value, "milliseconds from 0.001 to 10");
    } else if (option == "--seed") {
      if (!support::whole_number(value, UINT64_MAX, options.seed)) return support::bad(option, value, "a whole number");
    } else if (option == "--neurons") {
      if (!support::small_number(value, 5, largest_network, options.neurons))
        return support::bad(option, value, "a number from 5 to 4096");
    } else if (option == "--output") {
      options.output = value;
    } else if (option == "--connections") {
      options.connections = value;
    } else if (option == "--initial") {
      options.initial = value;
    } else if (option == "--flip") {
      if (!support::step_and_item(value, largest_network - 1, options.flip_at, options.flip_neuron))
        return support::bad(option, value, "a step and a neuron as STEP:NEURON");
    } else {
      auto& steps = option == "--dump"           ? options.dump_at
                    : option == "--digest-every" ? options.digest_every
                                                 : options.digest_from;
      if (!support::small_number(value, 1, 1U << 30, steps))
        return support::bad(option, value, "a number of steps from 1");
    }
  }
  if (options.flip_at != 0 && options.flip_neuron >= options.neurons)
    return "--flip names neuron " + std::to_string(options.flip_neuron) + " of " + std::to_string(options.neurons);
  return {};
}

} // namespace cuba

#endif
