// SPDX-License-Identifier: BSL-1.0
// Masks, tags, sets and all rules over their whole legal range, as tests/support/mask_battery.hpp reads random strings.
#include <cstdint>
#include <string>
#include <vector>

#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/mask_battery.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

TEST_CASE("masks: every rule under every mask is the loop over lanes that its formula says", "[kernels][rules][mask]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 60 : 600)) {
    neuromorph::Sfc32 random(neuromorph::StreamId{seed, 0, 11});
    std::vector<std::uint8_t> bytes(600);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.next() >> 13);
    bytes[0] = static_cast<std::uint8_t>(seed); // each array in its turn
    const std::string wrong = mask_battery::follow(bytes.data(), bytes.size());
    CAPTURE(seed, wrong);
    REQUIRE(wrong.empty());
  }
}
