// SPDX-License-Identifier: BSL-1.0
// Fixed buffers: what every collector must pass.
#include <tuple>

#include "tests/support/trace_collectors.hpp"

using Collectors = std::tuple<battery::Fixed, battery::FixedGivesWay>;

#include "tests/support/trace_tests.hpp"
