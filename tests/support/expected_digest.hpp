// SPDX-License-Identifier: BSL-1.0
// The end of a program whose digest is the same on every machine.
#ifndef TESTS_SUPPORT_EXPECTED_DIGEST_HPP
#define TESTS_SUPPORT_EXPECTED_DIGEST_HPP

#include <cstdint>
#include <cstdio>

#include <neuromorph/digest.hpp>

/// Prints it.
inline bool is_expected(const neuromorph::Digest& digest, std::uint64_t expected) {
  const std::uint64_t found = digest.value();
  const auto upper = static_cast<unsigned long>(found >> 32), lower = static_cast<unsigned long>(found & 0xFFFFFFFF);
  std::printf("digest %08lx%08lx%s\n", upper, lower, found == expected ? "" : ", not that of other machines");
  return found == expected;
}

#endif
