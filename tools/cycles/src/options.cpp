// SPDX-License-Identifier: BSL-1.0
#include "options.hpp"

namespace neuromorph::cycles {

std::string help_text() {
  return R"(neuromorph-cycles: counts the cycles a firmware takes on an ARM968E-S or a Cortex-M4

usage: neuromorph-cycles [options] firmware.elf

What to measure (regions between the labels NAME__begin and NAME__end are always measured)
  --function PATTERN        functions whose name matches, entry to return; * and ? allowed; repeatable
  --interval NAME=FROM,TO   from one place to another: symbol, symbol+offset or address; repeatable
  --items NAME=N            divide by N: neurons, synapses or values per pass; repeatable
  --exclude-interrupts      leave out the time spent in exceptions

What to print
  --json FILE               results as JSON; - for standard output
  --listing FILE            executed instructions with count, cycles and stalls; - for standard output
  --listing-of PATTERN      only these functions
  --quiet                   no table
  --rules                   the timing rules with their sources, as a table, and nothing else

How to run
  --core NAME               arm968e-s or cortex-m4; default: as the file says
  --region NAME,BASE,SIZE[,READ[,WRITE[,FETCH]]]
                            a memory and the cycles an access waits; a known name is replaced, NAME,none removed
  --map FILE                the same, one per line
  --entry PLACE             start at this function; the run ends when it returns
  --arg VALUE               r0 to r3 for it, in order; repeatable
  --stack ADDRESS           initial stack pointer; default: vector table, else the top of the data memory
  --timer ADDRESS           page of the dual timer (arm968e-s); default 0x21000000
  --refill N                cycles of a pipeline refill (cortex-m4), 1 to 3; default 2
  --clock HZ                for the semihosting clock; default 200000000
  --cmdline TEXT            for the semihosting command line
  --limit N                 stop after N instructions, as an error; default 2000000000
  --help

Status: 0 done, 1 the firmware reported failure, 2 it could not be run; then one sentence says why and where.
)";
}

Expected<Options> parse_options(int count, char const* const* words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    std::string const name = words[i];
    if (!name.starts_with("--")) {
      if (!options.firmware.empty()) { return Failure{"one firmware at a time: '" + name + "' is a second"}; }
      options.firmware = name;
      continue;
    }
    if (name == "--help") {
      options.help = true;
      return options;
    }
    if (name == "--rules") {
      options.rules = true;
      return options;
    }
    if (name == "--quiet") {
      options.quiet = true;
      continue;
    }
    if (name == "--exclude-interrupts") {
      options.without_interrupts = true;
      continue;
    }
    auto const known = [&](std::initializer_list<std::string_view> names) {
      for (std::string_view each : names) {
        if (each == name) { return true; }
      }
      return false;
    };
    bool const number_wanted = known({"--arg", "--stack", "--timer", "--refill", "--clock", "--limit"});
    if (!number_wanted && !known({"--function", "--interval", "--items", "--json", "--listing", "--listing-of",
                                  "--core", "--region", "--map", "--entry", "--cmdline"})) {
      return Failure{"there is no option '" + name + "'; --help lists them"};
    }
    if (i + 1 == count) { return Failure{"option " + name + " wants a value"}; }
    std::string const value = words[++i];
    std::uint64_t number = 0;
    if (number_wanted) {
      auto const parsed = parse_number(value);
      if (!parsed) { return Failure{"option " + name + " wants a number, not '" + value + "'"}; }
      number = *parsed;
    }
    auto const word = static_cast<std::uint32_t>(number);
    if (name == "--function") { options.functions.push_back(value); }
    if (name == "--interval") { options.intervals.push_back(value); }
    if (name == "--items") { options.items.push_back(value); }
    if (name == "--json") { options.json = value; }
    if (name == "--listing") { options.listing = value; }
    if (name == "--listing-of") { options.listing_of = value; }
    if (name == "--region") { options.regions.emplace_back(false, value); }
    if (name == "--map") { options.regions.emplace_back(true, value); }
    if (name == "--entry") { options.setup.entry = value; }
    if (name == "--cmdline") { options.setup.command_line = value; }
    if (name == "--arg") { options.setup.arguments.push_back(word); }
    if (name == "--stack") { options.setup.stack = word; }
    if (name == "--timer") { options.setup.timer_base = word & ~0xfffU; }
    if (name == "--limit") { options.setup.limit = number; }
    if (name == "--clock") {
      if (number < 100) { return Failure{"option --clock wants at least 100 Hz"}; }
      options.setup.clock_hz = number;
    }
    if (name == "--refill") {
      if (number < 1 || number > 3) { return Failure{"option --refill wants 1 to 3 cycles"}; }
      options.setup.refill = word;
    }
    if (name == "--core") {
      if (value == "arm968e-s" || value == "arm9e") {
        options.core = Core::arm9e;
      } else if (value == "cortex-m4") {
        options.core = Core::cortex_m4;
      } else {
        return Failure{"there is no core '" + value + "': arm968e-s or cortex-m4"};
      }
    }
  }
  if (options.firmware.empty()) { return Failure{"which firmware? --help shows the usage"}; }
  return options;
}

} // namespace neuromorph::cycles
