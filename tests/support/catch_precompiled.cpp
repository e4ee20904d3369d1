// SPDX-License-Identifier: BSL-1.0
// Exists so that a target compiles catch.hpp once for all unit tests.
