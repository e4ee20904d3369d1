// SPDX-License-Identifier: BSL-1.0
// Random cells, weights and drives from the whole range that parameters take: all neuron models beside integers that
// cannot wrap. NEUROMORPH_SEED and NEUROMORPH_MINUTES run it elsewhere and longer.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <neuromorph/kernels/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/neuron_battery.hpp"
#include "tests/support/sanitized.hpp"

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
  const char* const given = std::getenv("NEUROMORPH_SEED");
  const auto seed = static_cast<std::uint32_t>(given != nullptr ? std::strtoul(given, nullptr, 0) : 1);
  const char* const minutes = std::getenv("NEUROMORPH_MINUTES");
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::seconds(minutes != nullptr ? std::strtol(minutes, nullptr, 0) * 60 : 0);
  const std::uint32_t at_least = neuron_battery::kinds * (sanitized ? 60 : 300);
  std::array<neuron_battery::Tally, neuron_battery::kinds> tallies{};
  for (std::uint32_t number = 0; number < at_least || std::chrono::steady_clock::now() < until; ++number) {
    FromSeed draw(seed, number);
    const std::string wrong = neuron_battery::run_one(number, draw, tallies[number % neuron_battery::kinds]);
    INFO("NEUROMORPH_SEED=" << seed << ", case " << number << ", kind " << number % neuron_battery::kinds);
    REQUIRE(wrong == "");
  }
  for (std::uint32_t kind = 0; kind < neuron_battery::kinds; ++kind) {
    const auto& tally = tallies[kind];
    std::printf("kind %2u: %llu cases, %llu refused, %llu spikes, %llu steps of waiting, %llu saturations\n", kind,
                static_cast<unsigned long long>(tally.accepted), static_cast<unsigned long long>(tally.refused),
                static_cast<unsigned long long>(tally.spikes), static_cast<unsigned long long>(tally.waits),
                static_cast<unsigned long long>(tally.saturations));
    INFO("kind " << kind);
    CHECK(tally.accepted > at_least / neuron_battery::kinds / 8); // else it tests nothing
    CHECK(tally.spikes > 100);
    CHECK(tally.waits > 100);
    CHECK((tally.saturations > 100) == (kind < 11));
  }
}
