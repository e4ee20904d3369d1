// SPDX-License-Identifier: BSL-1.0
// Circular buffers: what every collector must pass.
#include <tuple>

#include "tests/support/trace_collectors.hpp"

using Collectors = std::tuple<battery::Ring, battery::RingGivesWay>;

#include "tests/support/trace_tests.hpp"
