// SPDX-License-Identifier: BSL-1.0
// Variable buffers with compaction: what every collector must pass, copies by the processor.
#include <tuple>

#include "tests/support/baker_collectors.hpp"

using Collectors = std::tuple<battery::Baker>;

#include "tests/support/trace_tests.hpp"
