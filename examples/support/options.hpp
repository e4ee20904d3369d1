// SPDX-License-Identifier: BSL-1.0
// The command line of an example whose runs are compared between machines: what all of these have, and what each adds.
// A word that makes no sense is one sentence.
#ifndef EXAMPLES_SUPPORT_OPTIONS_HPP
#define EXAMPLES_SUPPORT_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <string_view>

#include "words.hpp"

namespace support {

struct CommonOptions {
  std::uint64_t seed = 1;
  std::string output;            // folder; empty: no file
  std::uint32_t digest_every;    // steps
  std::uint32_t digest_from = 1; // first step whose digest is printed
  std::uint32_t dump_at = 0;     // step whose state is printed, 0: none
  std::uint32_t flip_at = 0, flip_item = 0;
  bool help = false;
};

/// An option's value is good, bad, or not for the one who was asked.
struct Answer {
  bool is_known = true;
  std::string complaint{};
};
inline Answer unknown() { return {false}; }

/// An option without a value.
struct Flag {
  std::string_view name;
  bool* is_given = nullptr;
};

/// \param own   what the program adds: Answer(option, value)
/// \param item  what --flip names
/// \return empty if all is well
template <class Own>
std::string parse_common(int count, char** words, CommonOptions& options, const char* item, std::uint32_t highest_item,
                         Own own, Flag flag = {}) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      options.help = true; // what follows must be right, too
      continue;
    }
    if (flag.is_given != nullptr && option == flag.name) {
      *flag.is_given = true;
      continue;
    }
    const bool is_last = at + 1 == count;
    const char* value = is_last ? "" : words[++at];
    Answer answer;
    std::uint32_t* const steps = option == "--dump"           ? &options.dump_at
                                 : option == "--digest-every" ? &options.digest_every
                                 : option == "--digest-from"  ? &options.digest_from
                                                              : nullptr;
    if (option == "--seed") {
      if (!whole_number(value, UINT64_MAX, options.seed)) answer.complaint = bad(option, value, "a whole number");
    } else if (option == "--output") {
      if (*value == '\0') answer.complaint = bad(option, value, "a folder");
      options.output = value;
    } else if (option == "--flip") {
      if (!step_and_item(value, highest_item, options.flip_at, options.flip_item))
        answer.complaint = bad(option, value, std::string("a step and a ") + item + " as STEP:NUMBER");
    } else if (steps != nullptr) {
      if (!small_number(value, 1, 1U << 30, *steps)) answer.complaint = bad(option, value, "a number of steps from 1");
    } else {
      answer = own(option, value);
    }
    if (!answer.is_known) return "there is no option '" + std::string(option) + "'; --help lists them";
    if (is_last) return std::string(option) + " needs a value";
    if (!answer.complaint.empty()) return answer.complaint;
  }
  return {};
}

} // namespace support

#endif
