// SPDX-License-Identifier: BSL-1.0
// The command line. A word that makes no sense is one sentence.
#ifndef EXAMPLES_DEADLINES_OPTIONS_HPP
#define EXAMPLES_DEADLINES_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "../support/words.hpp"
#include "schedule.hpp"

namespace deadlines {

struct Arguments {
  std::uint32_t steps = 100;
  std::uint64_t seed = 1;
  Load load;
  std::string output; // empty: no file
  std::uint32_t digest_every = 20;
  std::uint32_t digest_from = 1;
  std::uint32_t dump_at = 0; // step whose runs are printed, 0: none
  std::uint32_t flip_at = 0, flip_run = 0;
  bool help = false;
};

inline constexpr const char* help_text =
    "Three services of different periods and a oneshot, earliest deadline first, in virtual time.\n"
    "\n"
    "usage: deadlines [option...]\n"
    "  --steps NUMBER       milliseconds                                       (100)\n"
    "  --seed NUMBER        of what each run takes                             (1)\n"
    "  --overload PERCENT   what all services take of what they should         (100)\n"
    "  --hog PERCENT        what learning takes of what it should              (100)\n"
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
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      arguments.help = true;
      return {};
    }
    if (option == "--budget") {
      arguments.load.has_budget = true;
      continue;
    }
    constexpr std::string_view known[] = {"--steps",        "--seed",        "--overload", "--hog", "--output",
                                          "--digest-every", "--digest-from", "--dump",     "--flip"};
    bool is_known = false;
    for (const auto name : known) is_known = is_known || option == name;
    if (!is_known) return "there is no option '" + std::string(option) + "'; --help lists them";
    if (++at == count) return std::string(option) + " needs a value";
    const char* value = words[at];
    if (option == "--seed") {
      if (!support::whole_number(value, UINT64_MAX, arguments.seed))
        return support::bad(option, value, "a whole number");
    } else if (option == "--output") {
      arguments.output = value;
    } else if (option == "--overload" || option == "--hog") {
      std::uint32_t percent = 0;
      if (!support::small_number(value, 1, 1000, percent))
        return support::bad(option, value, "a percentage, 1 to 1000");
      if (option == "--hog")
        arguments.load.percent[learning] = percent;
      else
        arguments.load.percent.fill(percent);
    } else if (option == "--flip") {
      if (!support::step_and_item(value, most_runs - 1, arguments.flip_at, arguments.flip_run))
        return support::bad(option, value, "a step and a run as STEP:RUN");
    } else {
      auto& steps = option == "--steps"          ? arguments.steps
                    : option == "--dump"         ? arguments.dump_at
                    : option == "--digest-every" ? arguments.digest_every
                                                 : arguments.digest_from;
      if (!support::small_number(value, 1, 5000, steps))
        return support::bad(option, value, "a number of steps, 1 to 5000");
    }
  }
  return {};
}

} // namespace deadlines

#endif
