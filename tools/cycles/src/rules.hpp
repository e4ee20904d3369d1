// SPDX-License-Identifier: BSL-1.0
/// \file
/// The timing rules as data: what is charged, who says so, how sure it is.
#ifndef NEUROMORPH_CYCLES_RULES_HPP
#define NEUROMORPH_CYCLES_RULES_HPP

#include <span>
#include <string>
#include <string_view>

#include "timing.hpp"

namespace neuromorph::cycles {

struct Rule {
  enum class Standing : std::uint8_t { documented, believed, inferred };
  std::string_view id;
  std::string_view text;
  std::string_view source;
  Standing standing;
};

std::span<Rule const> rules();

/// As a Markdown table; the documentation page holds the same text.
std::string rules_table();

} // namespace neuromorph::cycles

#endif
