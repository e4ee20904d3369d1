// SPDX-License-Identifier: BSL-1.0
// The ring of all events: what every collector must pass.
#include <tuple>

#include "tests/support/trace_collectors.hpp"

using Collectors = std::tuple<battery::Fifo, battery::FifoGivesWay>;

#include "tests/support/trace_tests.hpp"
