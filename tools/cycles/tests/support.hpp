// SPDX-License-Identifier: BSL-1.0
/// \file
/// Assembles, links, runs and measures a few lines of assembly.
#ifndef NEUROMORPH_CYCLES_TESTS_SUPPORT_HPP
#define NEUROMORPH_CYCLES_TESTS_SUPPORT_HPP

#include <functional>
#include <string>
#include <vector>

#include "machine.hpp"
#include "report.hpp"

namespace test {

namespace cycles = neuromorph::cycles;

/// The path of a linked executable; the text is assembled once per process.
std::string assemble(std::string const& name, cycles::Core core, std::string const& text,
                     std::string const& link_flags = "");
std::string read_file(std::string const& path);
std::string fixture(std::string const& name); ///< text of tests/fixtures/name

struct Outcome {
  std::string failure;
  std::string output;
  std::string listing;
  std::string table;
  std::uint32_t status = 0;
  std::uint64_t exceptions = 0;
  cycles::Account total;
  std::vector<cycles::Measure> measures;
  std::vector<std::uint32_t> words; ///< from the symbol `result`, as many as asked for

  cycles::Measure const& operator[](std::string_view name) const;
};

struct Request {
  std::string elf;
  cycles::Setup setup = {};
  std::vector<std::string> functions = {};
  std::vector<std::string> intervals = {};
  std::vector<std::string> regions = {};
  bool without_interrupts = false;
  unsigned result_words = 0;
};

Outcome run(Request request);

struct Finished {
  int status = -1;
  std::string out, err;
};
Finished shell(std::string const& arguments); ///< runs the program itself

} // namespace test

#endif
