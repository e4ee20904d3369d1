// SPDX-License-Identifier: BSL-1.0
// Random cells, weights and drives from the whole range that parameters take: all neuron models beside integers that
// cannot wrap.
#include <cstdint>
#include <cstdio>
#include <string>

#include <neuromorph/kernels/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/neuron_battery.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

namespace {

class FromSeed : public neuron_battery::Draw {
public:
  FromSeed(std::uint32_t seed, std::uint32_t number) : random_(neuromorph::StreamId{seed, number, 0}) {}
  std::uint32_t word() override { return random_.next(); }

private:
  neuromorph::Sfc32 random_;
};

} // namespace

TEST_CASE("neuron_battery: no word wraps in silence, what saturates is counted, what is recorded is meant",
          "[kernels][lif][packed_lif][compact_lif]") {
  constexpr std::uint32_t cases = sanitized ? 60 : 300; // of each kind
  std::array<neuron_battery::Tally, neuron_battery::kinds> tallies{};
  for (const std::uint32_t seed : Seeds(cases))
    for (std::uint32_t kind = 0; kind < neuron_battery::kinds; ++kind) {
      FromSeed draw(seed, kind);
      const std::string wrong = neuron_battery::run_one(kind, draw, tallies[kind]);
      INFO("seed " << seed << ", kind " << kind);
      REQUIRE(wrong == "");
    }
  for (std::uint32_t kind = 0; kind < neuron_battery::kinds; ++kind) {
    const auto& tally = tallies[kind];
    std::printf("kind %2u: %llu cases, %llu refused, %llu spikes, %llu steps of waiting, %llu saturations\n", kind,
                static_cast<unsigned long long>(tally.accepted), static_cast<unsigned long long>(tally.refused),
                static_cast<unsigned long long>(tally.spikes), static_cast<unsigned long long>(tally.waits),
                static_cast<unsigned long long>(tally.saturations));
    INFO("kind " << kind);
    CHECK(tally.accepted > cases / 8); // else it tests nothing
    CHECK(tally.spikes > 100);
    CHECK(tally.waits > 100);
    CHECK((tally.saturations > 100) == (kind < 11));
  }
}
