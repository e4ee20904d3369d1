// SPDX-License-Identifier: BSL-1.0
// Whether this is compiled with the address sanitizer, which GCC and Clang say in different ways, or with changed headers.
#ifndef TESTS_SUPPORT_SANITIZED_HPP
#define TESTS_SUPPORT_SANITIZED_HPP

#if defined(TESTS_SANITIZED) // given: `tests/run quick`, where nothing is optimised, is as slow
#elif defined(__SANITIZE_ADDRESS__)
#define TESTS_SANITIZED 1
#elif defined(__has_feature)
#define TESTS_SANITIZED __has_feature(address_sanitizer)
#else
#define TESTS_SANITIZED 0
#endif

/// Programs take five to ten times as long, so what takes long anyway may do less.
constexpr bool sanitized = TESTS_SANITIZED;

/// Compiled by tests/mutants, which runs a test case for each change that it meets, and leaves out what takes too long.
#ifdef NEUROMORPH_TESTS_MUTATION_MUTANTS_HPP
constexpr bool mutated = true;
#else
constexpr bool mutated = false;
#endif

#endif
