// SPDX-License-Identifier: BSL-1.0
// Recordings of random plans against a list of what each step should leave, and the steps until it is full against counting.
#include <array>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <neuromorph/core/recording.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

TEST_CASE("recording: holds what was planned of each step, and knows how long it lasts") {
  constexpr std::uint32_t neurons = 70;
  std::uint64_t recorded = 0, lost = 0, without_end = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 40 : 400)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
    std::array<std::array<std::int32_t, neurons>, 3> words{};
    std::vector<std::uint8_t> places;
    for (std::uint32_t left = draw(3); left != 0; --left) places.push_back(static_cast<std::uint8_t>(draw(3)));
    std::vector<std::uint32_t> one(draw(5)), other(draw(5));
    const std::array<std::span<const std::uint32_t>, 2> stretches{one, other};
    RecordingPlan plan;
    plan.spikes = draw(2) == 0;
    plan.words = places;
    plan.words_every = draw(9);
    plan.weights = std::span(stretches).first(draw(3));
    plan.weights_every = 1 + draw(12);
    std::vector<std::uint32_t> to(draw(2500)), expected;
    Recording<neurons> recording(to, plan);
    std::uint32_t expected_lost = 0, until_full = recording.steps_until_full(1);
    bool is_full = false;
    const std::uint32_t first = 1 + draw(1000);
    until_full = recording.steps_until_full(first);
    for (std::uint32_t step = first; step != first + 60; ++step) {
      for (auto& of : words)
        for (auto& word : of) word = static_cast<std::int32_t>(random());
      for (auto& word : one) word = static_cast<std::uint32_t>(random());
      for (auto& word : other) word = static_cast<std::uint32_t>(random());
      std::vector<std::uint32_t> fired;
      for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
        if (draw(10) == 0) fired.push_back(neuron);
      std::vector<std::uint32_t> now;
      if (plan.spikes) {
        now.resize(3);
        for (const std::uint32_t neuron : fired) now[neuron / 32] |= 1U << (neuron % 32);
      }
      if (plan.words_every <= 1 || step % plan.words_every == 0)
        for (const std::uint8_t place : places)
          for (const std::int32_t word : words[place]) now.push_back(static_cast<std::uint32_t>(word));
      if (step % plan.weights_every == 0)
        for (const auto& stretch : plan.weights) now.insert(now.end(), stretch.begin(), stretch.end());
      if (!now.empty()) now.insert(now.begin(), step);

      const bool fits = expected.size() + now.size() <= to.size();
      if (!is_full) REQUIRE(recording.steps_until_full(step) + (step - first) == until_full);
      if (!is_full) REQUIRE(fits == (step - first < until_full));
      is_full = is_full || !fits;
      REQUIRE(recording.record(step, fired,
                               [&](std::size_t place) { return std::span<const std::int32_t>(words[place]); }) == fits);
      if (fits) expected.insert(expected.end(), now.begin(), now.end());
      expected_lost += fits ? 0U : 1U;
      REQUIRE(std::vector<std::uint32_t>(recording.recorded().begin(), recording.recorded().end()) == expected);
      REQUIRE(recording.lost() == expected_lost);
      if (until_full >> 31 != 0) until_full = recording.steps_until_full(step + 1) + (step + 1 - first), ++without_end;
      if (is_full && draw(20) == 0) {
        recording.restart();
        expected.clear();
      }
    }
    recorded += expected.size();
    lost += expected_lost;
  }
  CHECK(recorded > 1000);
  CHECK(lost > 100);
  CHECK(without_end > 100);
  CHECK(Recording<neurons>().steps_until_full(5) == 1U << 31);
}

TEST_CASE("recording: what is given where nothing is: each step, without spikes") {
  constexpr std::size_t neurons = 5;
  const std::array<std::uint32_t, 2> weights{7, 8};
  const std::array<std::span<const std::uint32_t>, 1> stretches{weights};
  const std::array<std::uint8_t, 1> places{0};
  const std::array<std::int32_t, neurons> words{};
  RecordingPlan plan;
  plan.words = places;
  plan.weights = stretches;
  std::vector<std::uint32_t> to(3 * (1 + neurons + 2));
  Recording<neurons> recording(to, plan);
  for (std::uint32_t step = 1; step <= 3; ++step) {
    CHECK(recording.steps_until_full(step) == 4 - step);
    CHECK(recording.record(step, std::span(weights).first(1), [&](std::size_t) { return std::span(words); }));
    CHECK(recording.recorded().size() == step * (1 + neurons + 2));
    CHECK(recording.recorded()[(step - 1) * (1 + neurons + 2)] == step);
    CHECK(recording.recorded().back() == 8);
  }
  CHECK(recording.steps_until_full(4) == 0);
}
