// SPDX-License-Identifier: BSL-1.0
// Any sequence of sets, masks, tags and rules beside the model of tests/support/mask_battery.hpp, which says what the
// bytes mean. The same program for a fuzzer and to go through a folder of inputs once more.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/mask_battery.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string wrong = mask_battery::follow(data, size);
  if (!wrong.empty()) {
    std::fprintf(stderr, "array %d: %s\n", size == 0 ? 0 : data[0] % 3, wrong.c_str());
    std::abort();
  }
  return 0;
}
