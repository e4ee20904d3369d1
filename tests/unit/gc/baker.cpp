// SPDX-License-Identifier: BSL-1.0
// Variable buffers that move a few words at a time: what every collector must pass.
#include <tuple>

#include "tests/support/baker_collectors.hpp"

using Collectors = std::tuple<battery::Baker, battery::BakerSlow>;

#include "tests/support/trace_tests.hpp"
