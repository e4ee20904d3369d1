// SPDX-License-Identifier: BSL-1.0
// Chains in a pool: what every collector must pass.
#include <tuple>

#include "tests/support/trace_collectors.hpp"

using Collectors = std::tuple<battery::Pool, battery::SlowPool>;

#include "tests/support/trace_tests.hpp"
