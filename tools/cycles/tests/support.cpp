// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace test {

std::string read_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string fixture(std::string const& name) { return read_file(NEUROMORPH_CYCLES_SOURCE "/tests/fixtures/" + name); }

std::string assemble(std::string const& name, cycles::Core core, std::string const& text,
                     std::string const& link_flags) {
  std::string const base = NEUROMORPH_CYCLES_SCRATCH "/" + name;
  std::ofstream(base + ".s") << text << "\n";
  bool const m = core == cycles::Core::cortex_m4;
  std::string const command = NEUROMORPH_CYCLES_AS +
                              std::string(m ? " -mcpu=cortex-m4 -mfpu=fpv4-sp-d16" : " -march=armv5te") + " -o " +
                              base + ".o " + base + ".s && " NEUROMORPH_CYCLES_LD " -nostdlib -Ttext=0" +
                              std::string(m ? " -Tdata=0x20000000 " : " -Tdata=0x00400000 ") + link_flags + " -o " +
                              base + ".elf " + base + ".o";
  if (std::system(command.c_str()) != 0) { throw std::runtime_error("cannot assemble " + base + ".s"); }
  return base + ".elf";
}

cycles::Measure const& Outcome::operator[](std::string_view name) const {
  for (auto const& measure : measures) {
    if (measure.name == name) { return measure; }
  }
  throw std::runtime_error("nothing measured under the name " + std::string(name));
}

Outcome run(Request request) {
  Outcome outcome;
  auto elf = cycles::Elf::read(request.elf);
  if (!elf) {
    outcome.failure = elf.why();
    return outcome;
  }
  request.setup.core = elf->core().value_or(cycles::Core::arm9e);
  request.setup.map = cycles::MemoryMap::standard(request.setup.core);
  for (auto const& region : request.regions) {
    if (auto failure = request.setup.map.add(region)) { throw std::runtime_error(failure->text); }
  }
  request.setup.output = [&](std::string_view text) { outcome.output += text; };
  cycles::Measures measures(request.without_interrupts);
  if (auto failure = measures.add_regions(*elf)) { throw std::runtime_error(failure->text); }
  for (auto const& name : request.functions) { measures.add_functions(*elf, name); }
  for (auto const& text : request.intervals) {
    if (auto failure = measures.add_interval(*elf, text)) { throw std::runtime_error(failure->text); }
  }
  cycles::Machine machine(*elf, request.setup, measures);
  if (auto failure = machine.run()) { outcome.failure = failure->text; }
  outcome.total = machine.total();
  outcome.status = machine.exit_status();
  outcome.exceptions = machine.exceptions_taken();
  outcome.measures = measures.list();
  outcome.table = cycles::table(measures, machine.total());
  outcome.listing = cycles::listing(*elf, machine, "*");
  if (auto const result = elf->resolve("result"); result && request.result_words != 0) {
    for (unsigned i = 0; i < request.result_words; ++i) { outcome.words.push_back(machine.load_word(*result + 4 * i)); }
  }
  return outcome;
}

Finished shell(std::string const& arguments) {
  std::string const out = NEUROMORPH_CYCLES_SCRATCH "/shell.out";
  std::string const err = NEUROMORPH_CYCLES_SCRATCH "/shell.err";
  int const raw = std::system((NEUROMORPH_CYCLES_TOOL " " + arguments + " >" + out + " 2>" + err).c_str());
  return {WIFEXITED(raw) ? WEXITSTATUS(raw) : -1, read_file(out), read_file(err)};
}

} // namespace test
