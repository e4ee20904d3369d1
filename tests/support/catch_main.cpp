// SPDX-License-Identifier: BSL-1.0
// Catch2's own code, compiled once for all unit tests.
#define CATCH_CONFIG_MAIN
#include "catch.hpp"
