// SPDX-License-Identifier: BSL-1.0
/// \file
/// neuromorph-cycles: runs a firmware on a modelled processor and prints where the cycles went.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>

#include "options.hpp"
#include "report.hpp"
#include "rules.hpp"

namespace {

using namespace neuromorph::cycles;

int refuse(std::string const& why) {
  std::cout.flush();
  std::cerr << "neuromorph-cycles: " << why << "\n";
  return 2;
}

bool write(std::string const& path, std::string const& text) {
  if (path == "-") {
    std::cout << text;
    return true;
  }
  std::ofstream file(path);
  file << text;
  file.close();
  return !file.fail();
}

int run(int count, char** words) {
  auto options = parse_options(count, words);
  if (!options) { return refuse(options.why()); }
  if (options->help) {
    std::cout << help_text();
    return 0;
  }
  if (options->rules) {
    std::cout << rules_table();
    return 0;
  }
  auto elf = Elf::read(options->firmware);
  if (!elf) { return refuse(elf.why()); }
  Setup& setup = options->setup;
  setup.core = options->core.value_or(elf->core().value_or(Core::arm9e));
  if (options->core && elf->core() && *options->core != *elf->core()) {
    return refuse("'" + options->firmware + "' is built for the other core: leave out --core");
  }
  setup.map = MemoryMap::standard(setup.core);
  for (auto const& [is_file, text] : options->regions) {
    if (auto failure = is_file ? setup.map.add_file(text) : setup.map.add(text)) { return refuse(failure->text); }
  }
  setup.listing = !options->listing.empty();
  // Where a machine reads our standard output, the firmware's words go beside it.
  bool const aside = options->json == "-" || options->listing == "-";
  setup.output = [aside](std::string_view text) { (aside ? std::cerr : std::cout) << text; };

  Measures measures(options->without_interrupts);
  if (auto failure = measures.add_regions(*elf)) { return refuse(failure->text); }
  for (std::string const& pattern : options->functions) {
    if (measures.add_functions(*elf, pattern) == 0) {
      return refuse("no function in '" + options->firmware + "' matches '" + pattern + "'");
    }
  }
  for (std::string const& text : options->intervals) {
    if (auto failure = measures.add_interval(*elf, text)) { return refuse(failure->text); }
  }
  for (std::string const& text : options->items) {
    if (auto failure = measures.set_items(text)) { return refuse(failure->text); }
  }

  Machine machine(*elf, setup, measures);
  auto const failure = machine.run();
  if (!options->listing.empty() && !write(options->listing, listing(*elf, machine, options->listing_of))) {
    return refuse("cannot write '" + options->listing + "'");
  }
  if (failure) { return refuse(failure->text); }
  if (!options->quiet && !aside) { std::cout << table(measures, machine.total()); }
  if (!options->json.empty() && !write(options->json, json(options->firmware, setup.core, measures, machine.total()))) {
    return refuse("cannot write '" + options->json + "'");
  }
  std::cout.flush();
  if (machine.exit_status() != 0) {
    std::cerr << "neuromorph-cycles: the firmware ended with status " << machine.exit_status() << "\n";
    return 1;
  }
  return 0;
}

} // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (std::exception const& error) { return refuse(error.what()); }
}
