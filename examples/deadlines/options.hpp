// SPDX-License-Identifier: BSL-1.0
// The command line. A word that makes no sense is one sentence.
#ifndef EXAMPLES_DEADLINES_OPTIONS_HPP
#define EXAMPLES_DEADLINES_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../support/options.hpp"
#include "schedule.hpp"

namespace deadlines {

struct Arguments : support::CommonOptions {
  Arguments() { digest_every = 20; }
  std::uint32_t steps = 100;
  Load load;
};

inline constexpr const char* help_text =
    "Three services of different periods and a oneshot, earliest deadline first, in virtual time.\n"
    "\n"
    "usage: deadlines [option...]\n"
    "  --steps NUMBER       milliseconds, 1 to 5000                            (100)\n"
    "  --seed NUMBER        of what each run takes                             (1)\n"
    "  --overload PERCENT   what all services take of what they should, 1 to 1000 (100)\n"
    "  --hog PERCENT        what learning takes of what it should, 1 to 1000   (100)\n"
    "  --budget             holds learning to what it should take: what it takes more puts off its own deadlines\n"
    "  --output FOLDER      write gantt.svg there\n"
    "  --help               this text\n"
    "for comparing machines:\n"
    "  --digest-every N     digest of all runs until then, every N steps       (20)\n"
    "  --digest-from N      from step N on                                     (1)\n"
    "  --dump STEP          the runs until that step\n"
    "  --flip STEP:RUN      flip a bit of a run from that step on: a fault to be found\n";

/// Empty if all is well.
inline std::string parse(int count, char** words, Arguments& arguments) {
  const auto own = [&](std::string_view option, const char* value) -> support::Answer {
    if (option == "--steps") {
      if (!support::small_number(value, 1, 5000, arguments.steps))
        return {true, support::bad(option, value, "a number of steps, 1 to 5000")};
    } else if (option == "--overload" || option == "--hog") {
      std::uint32_t percent = 0;
      if (!support::small_number(value, 1, 1000, percent))
        return {true, support::bad(option, value, "a percentage, 1 to 1000")};
      if (option == "--hog")
        arguments.load.percent[learning] = percent;
      else
        arguments.load.percent.fill(percent);
    } else {
      return support::unknown();
    }
    return {};
  };
  return support::parse_common(count, words, arguments, "run", most_runs - 1, own,
                               {"--budget", &arguments.load.has_budget});
}

} // namespace deadlines

#endif
