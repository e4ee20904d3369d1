// SPDX-License-Identifier: BSL-1.0
#include <neuromorph/kernels/plasticity/timing_rules/detail/made_of.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {
/// Refuses all, with the name that it is told.
struct Refusing {
  static inline const char* name = nullptr;
  static Result<Refusing> from(double tau_ms, double) { return Status{Error::table_too_short, 3, tau_ms, name}; }
};
} // namespace

TEST_CASE("made_of: a table's complaint of its time constant comes under the rule's own name for it", "[plasticity]") {
  const auto refused_as = [](const char* name, const char* expected) {
    Refusing::name = name;
    return detail::decay_of<Refusing>(5.0, 1.0, "tau_x_ms").status() ==
           Status{Error::table_too_short, 3, 5.0, expected};
  };
  CHECK(refused_as("tau_ms", "tau_x_ms"));
  const char ended[] = "tau_ms\0b";
  CHECK(refused_as(ended, "tau_x_ms")); // names end where they end, whatever stands behind them
  for (const char* other : {"dt_ms", "tau_us", "tau_m", "tau_ms_", "xau_ms", "t", "tau_x_ms", ""})
    CHECK(refused_as(other, other));
  CHECK(refused_as(nullptr, nullptr));
}
