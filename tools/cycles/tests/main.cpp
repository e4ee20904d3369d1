// SPDX-License-Identifier: BSL-1.0
#define CATCH_CONFIG_MAIN
#include "tests/support/catch.hpp"
