// SPDX-License-Identifier: BSL-1.0
// The one place that knows where the installed Catch2 keeps its header (version 2 or 3).
#ifndef NEUROMORPH_TESTS_SUPPORT_CATCH_HPP
#define NEUROMORPH_TESTS_SUPPORT_CATCH_HPP

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#endif
