// SPDX-License-Identifier: BSL-1.0
/// \file
/// A rule of its parts, each of which may have been refused.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_DETAIL_MADE_OF_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_DETAIL_MADE_OF_HPP

#include <neuromorph/config.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// A table of decay. What is wrong with its time constant is said with that one's name.
template <class Table>
[[nodiscard]] constexpr Result<Table> decay_of(double tau_ms, double dt_ms, const char* parameter) noexcept {
  const Result<Table> table = Table::from(tau_ms, dt_ms);
  if (table) return table;
  Status status = table.status();
  const char *named = status.parameter, *tau = "tau_ms";
  if (named == nullptr) return status;
  for (; *named != 0 && *named == *tau; ++named) ++tau;
  if (*named == *tau) status.parameter = parameter;
  return status;
}

/// What the first of the parts was refused for, else the rule.
template <class Rule, class... Parts>
[[nodiscard]] constexpr Result<Rule> made_of(const Result<Parts>&... parts) noexcept {
  Status refused;
  if ((... || !(refused = parts.status()).ok())) return refused;
  return Rule{parts.value()...};
}

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
