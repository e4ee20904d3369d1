// SPDX-License-Identifier: BSL-1.0
// A program that is asked by words: reads them, shows its help, prepares the folder of its files, runs, and says on one
// line what it cannot do.
#ifndef EXAMPLES_SUPPORT_PROGRAM_HPP
#define EXAMPLES_SUPPORT_PROGRAM_HPP

#include <cstdio>
#include <string>
#include <utility>

#include "output.hpp"
#include "words.hpp"

namespace support {

/// How a run ended: with a status, or with a sentence that says why it could not; an empty one: it could.
struct Ended {
  int status = 0;
  std::string complaint{};
  Ended(int with) : status(with) {}
  Ended(std::string why) : status(why.empty() ? 0 : 2), complaint(std::move(why)) {}
};

/// Of a program that is told nothing but where its files go. Empty if all is well.
template <class Options>
std::string parse_output(int count, char** words, Options& options) {
  for (int at = 1; at < count; ++at) {
    const std::string option = words[at];
    if (option == "--help" || option == "-h") {
      options.help = true;
    } else if (option != "--output") {
      return "there is no option '" + option + "'; --help lists them";
    } else if (++at == count) {
      return "--output needs a value";
    } else {
      options.output = words[at];
      if (options.output.empty()) return bad("--output", "", "a folder");
    }
  }
  return {};
}

/// \tparam Options  with `help` and `output`
/// \param parse     parse(count, words, options); empty if all is well
/// \param run       run(options), an Ended
/// \return what main returns
template <class Options, class Names, class Parse, class Run>
int run_program(const char* name, int count, char** words, const char* help_text, const Names& output_files,
                Parse parse, Run run) {
  Options options;
  const auto ended = [&]() -> Ended {
    if (std::string complaint = parse(count, words, options); !complaint.empty()) return complaint;
    if (options.help) return std::fputs(help_text, stdout), 0;
    if (std::string complaint = prepare(options.output, output_files); !complaint.empty()) return complaint;
    return run(options);
  }();
  if (!ended.complaint.empty()) std::fprintf(stderr, "%s: %s\n", name, ended.complaint.c_str());
  return finish(name, ended.status);
}

} // namespace support

#endif
