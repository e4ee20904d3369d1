// SPDX-License-Identifier: BSL-1.0
// The command line.
#ifndef EXAMPLES_TRACE_HEAP_OPTIONS_HPP
#define EXAMPLES_TRACE_HEAP_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../support/options.hpp"
#include "stream.hpp"

namespace trace_heap {

struct Options : support::CommonOptions {
  Options() { digest_every = 500; }
  std::uint32_t steps = 5000;
  double rate_hz = usual_hz;
};

inline constexpr const char* help_text =
    "Histories of 255 neurons in trace stores with different collectors, all fed with the same events.\n"
    "\n"
    "usage: trace_heap [option...]\n"
    "  --duration SECONDS   simulated time, in steps of 1 ms, 0.1 to 60   (5)\n"
    "  --rate HZ            of each neuron, after a start at 10 Hz, 0 to 50 (2.45)\n"
    "  --seed NUMBER        of the events                                 (1)\n"
    "  --output FOLDER      write occupancy.svg, reclaimed.svg, work.svg and table.txt there\n"
    "  --help               this text\n"
    "for comparing machines:\n"
    "  --digest-every N     digest of the whole state every N steps       (500)\n"
    "  --digest-from N      from step N on                                (1)\n"
    "  --dump STEP          history of every neuron after that step\n"
    "  --flip STEP:NEURON   flip a bit of a trace in that step: a fault to be found\n";

/// Empty if all is well.
inline std::string parse(int count, char** words, Options& options) {
  const auto own = [&](std::string_view option, const char* value) -> support::Answer {
    double number = 0;
    if (option == "--duration") {
      if (!support::real_number(value, 0.1, 60.0, number))
        return {true, support::bad(option, value, "seconds from 0.1 to 60")};
      options.steps = static_cast<std::uint32_t>(number * 1000.0 + 0.5);
    } else if (option == "--rate") {
      if (!support::real_number(value, 0.0, 50.0, options.rate_hz))
        return {true, support::bad(option, value, "a rate from 0 to 50 Hz")};
    } else {
      return support::unknown();
    }
    return {};
  };
  return support::parse_common(count, words, options, "neuron", neurons - 1, own);
}

} // namespace trace_heap

#endif
