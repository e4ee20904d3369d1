// SPDX-License-Identifier: BSL-1.0
/// \file
/// Row tests: one line each, a rule, a sequence, its cycles.
#ifndef NEUROMORPH_CYCLES_TESTS_ROWS_HPP
#define NEUROMORPH_CYCLES_TESTS_ROWS_HPP

#include <cstdint>
#include <span>

/// Before each row r0 and r1 point to zeroed data, r2 = 4, r4 = 0, r5 to r9 hold small numbers.
struct Row {
  char const* rule;
  char const* before;   ///< runs unmeasured
  char const* sequence; ///< `1:` may be its last label
  std::uint64_t cycles;
};

std::span<Row const> rows_arm9e();
std::span<Row const> rows_arm9e_thumb();
std::span<Row const> rows_cortex_m4();

#endif
