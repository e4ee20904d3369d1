// SPDX-License-Identifier: BSL-1.0
/// \file
/// What is printed: the table, the JSON, the annotated listing.
#ifndef NEUROMORPH_CYCLES_REPORT_HPP
#define NEUROMORPH_CYCLES_REPORT_HPP

#include <string>
#include <string_view>

#include "elf.hpp"
#include "machine.hpp"
#include "measure.hpp"

namespace neuromorph::cycles {

std::string table(Measures const& measures, Account const& total);

std::string json(std::string_view firmware, Core core, Measures const& measures, Account const& total);

/// Executed instructions of the functions that match, with how often, how long and why.
std::string listing(Elf const& elf, Machine const& machine, std::string_view functions);

} // namespace neuromorph::cycles

#endif
