// SPDX-License-Identifier: BSL-1.0
#include <neuromorph/kernels/plasticity/timing_rule.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

TEST_CASE("timing_rule: a part's complaint comes under the rule's own name for what is wrong", "[plasticity]") {
  const auto named = [](const char* name) { return Status{Error::table_too_short, 3, 5.0, name}; };
  const auto renamed = [&](const char* name) { return detail::renamed(named(name), "tau_ms", "tau_x_ms"); };
  CHECK(renamed("tau_ms") == named("tau_x_ms"));
  for (const char* other : {"dt_ms", "tau_us", "tau_m", "tau_ms_", "xau_ms", "t", "tau_x_ms", ""})
    CHECK(renamed(other) == named(other));
  CHECK(renamed(nullptr) == named(nullptr));
  // Names end where they end, whatever stands behind them.
  const char one[] = "tau_ms\0b", other[] = "tau_ms\0c";
  CHECK(detail::renamed(named(one), other, "tau_x_ms") == named("tau_x_ms"));
  CHECK(detail::renamed(Status{}, "tau_ms", "tau_x_ms") == Status{});
}
