// SPDX-License-Identifier: BSL-1.0
// Whether networks are the same on this machine as on all others.
#include <cinttypes>
#include <cstdio>

#include <tests/support/network_digests.hpp>

int main() {
  int wrong = 0;
  for (const networks::NetworkDigest& one : networks::network_digests())
    if (one.found != one.expected || one.found_in_parts != one.expected) {
      std::printf("%s: digest %016" PRIx64 " and %016" PRIx64 " in parts, not %016" PRIx64 "\n", one.name, one.found,
                  one.found_in_parts, one.expected);
      ++wrong;
    }
  std::puts(wrong == 0 ? "ok" : "failed");
  return wrong == 0 ? 0 : 1;
}
