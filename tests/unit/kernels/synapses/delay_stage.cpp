// SPDX-License-Identifier: BSL-1.0
// A stage beside a list of what waits; and a ring with a stage beside a ring long enough for all delays.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <neuromorph/kernels/synapses/delay_stage.hpp>
#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/kernels/synapses/synaptic_row.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

template <std::size_t Steps, std::size_t Capacity>
void run_drawn(std::uint32_t seed) {
  INFO("seed " << seed << ", " << Steps << " steps, room for " << Capacity);
  std::mt19937 random(seed);
  static constexpr std::uint32_t starts[] = {0, 0x7FFFFFF0U, 0xFFFFFFE8U};
  std::uint32_t now = starts[random() % 3];
  DelayStage<Steps, Capacity> stage(now);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> waiting; // due, counted from the start; item
  typename DelayStage<Steps, Capacity>::Counts counts;
  std::uint64_t time = 0, taken_until = 0; // the stage's step, which moves to what it is asked for
  const bool leaves_out = random() % 2 == 0;
  const auto rate = static_cast<std::uint32_t>(1 + random() % (Capacity + 2));
  std::uint32_t item = 0;
  for (unsigned step = 0; step < (sanitized ? 60U : 200U); ++step) {
    const auto puts = [&] {
      for (auto left = random() % rate; left != 0; --left) {
        const auto steps = static_cast<std::uint32_t>(random() % 8 == 0 ? random() : random() % (Steps + 1));
        const bool fits = time - taken_until < Steps && steps < Steps - (time - taken_until);
        const bool has_room = waiting.size() < Capacity;
        REQUIRE(stage.put(now, steps, ++item) == (fits && has_room));
        if (!fits)
          ++counts.too_long;
        else if (!has_room)
          ++counts.full;
        else
          waiting.emplace_back(time + steps, item);
        counts.high_water = std::max(counts.high_water, static_cast<std::uint32_t>(waiting.size()));
        REQUIRE(stage.waiting() == waiting.size());
      }
    };
    if (random() % 2 == 0) puts(); // before what is due is taken
    if (random() % 8 == 0) {
      std::uint32_t none = 77;
      REQUIRE_FALSE(stage.take(now - 1 - static_cast<std::uint32_t>(time - taken_until), none));
      REQUIRE(none == 77);
    }
    for (;;) {
      // the earliest that is due, the first put of those
      auto next = waiting.end();
      for (auto one = waiting.begin(); one != waiting.end(); ++one)
        if (one->first <= time && (next == waiting.end() || one->first < next->first)) next = one;
      std::uint32_t got = 0;
      const bool is_there = stage.take(now, got);
      REQUIRE(is_there == (next != waiting.end()));
      if (!is_there) break;
      REQUIRE(got == next->second);
      counts.late += next->first < time ? 1U : 0U;
      waiting.erase(next);
    }
    taken_until = time;
    puts();
    REQUIRE(stage.counts().full == counts.full);
    REQUIRE(stage.counts().too_long == counts.too_long);
    REQUIRE(stage.counts().late == counts.late);
    REQUIRE(stage.counts().high_water == counts.high_water);
    const auto forward = static_cast<std::uint32_t>(leaves_out && random() % 4 == 0 ? random() % (2 * Steps) : 1);
    now += forward, time += forward;
  }
}

} // namespace

TEST_CASE("staged_delay: rounds and what is left are the delay", "[delay_stage]") {
  using Word = SynapticWord<8, 0, 4>;
  CHECK(staged_delay<Word>(0) == StagedDelay{0, 0});
  CHECK(staged_delay<Word>(1) == StagedDelay{0, 1});
  CHECK(staged_delay<Word>(16) == StagedDelay{0, 16});
  CHECK(staged_delay<Word>(17) == StagedDelay{16, 1});
  for (std::uint32_t delay = 1; delay < 1000; ++delay) {
    const auto staged = staged_delay<Word>(delay);
    REQUIRE(staged.steps + staged.delay == delay);
    REQUIRE(staged.steps % 16 == 0);
    REQUIRE((staged.delay >= 1 && staged.delay <= 16));
  }
  CHECK(staged_delay<Word>(0xFFFFFFFF) == StagedDelay{0xFFFFFFF0, 15});
}

TEST_CASE("DelayStage: takes what a list says, in its order", "[delay_stage]") {
  for (const std::uint32_t seed : Seeds(sanitized ? 10 : 60)) {
    run_drawn<2, 1>(seed);
    run_drawn<2, 5>(seed);
    run_drawn<16, 1>(seed);
    run_drawn<16, 20>(seed);
    run_drawn<64, 100>(seed);
  }
}

TEST_CASE("DelayStage: a full one keeps what it has and counts what comes", "[delay_stage]") {
  DelayStage<8, 2> stage;
  CHECK((stage.counts().full == 0 && stage.counts().too_long == 0 && stage.counts().high_water == 0));
  CHECK(stage.put(0, 3, 10));
  CHECK(stage.put(0, 3, 11));
  CHECK_FALSE(stage.put(0, 3, 12));
  CHECK(stage.counts().full == 1);
  CHECK_FALSE(stage.put(0, 8, 13)); // for no step of it, however much room there is
  CHECK_FALSE(stage.put(8, 0, 14));
  CHECK_FALSE(stage.put(0xFFFFFFFF, 1, 15));
  CHECK((stage.counts().full == 1 && stage.counts().too_long == 3 && stage.counts().high_water == 2));
  std::uint32_t item = 0;
  CHECK_FALSE(stage.take(2, item));
  CHECK((stage.take(3, item) && item == 10));
  CHECK((stage.put(3, 7, 16)));
  CHECK((stage.take(3, item) && item == 11));
  CHECK_FALSE(stage.take(3, item));
  CHECK_FALSE(stage.take(9, item));
  CHECK((stage.take(10, item) && item == 16));
  CHECK((stage.waiting() == 0 && stage.counts().late == 0));
}

TEST_CASE("DelayStage: an empty one goes to any later step at once", "[delay_stage]") {
  DelayStage<4, 2> stage;
  std::uint32_t item = 0;
  for (const std::uint32_t step : {0x7FFFFFFFU, 0xFFFFFFFEU, 0x60000000U}) {
    CHECK_FALSE(stage.take(step, item));
    REQUIRE(stage.put(step, 3, step));
    CHECK_FALSE(stage.take(step + 2, item));
    CHECK((stage.take(step + 3, item) && item == step));
  }
  CHECK(stage.counts().late == 0);
}

TEST_CASE("DelayStage: with its rounds each slot has the sum of one ring long enough", "[delay_stage]") {
  using Short = SynapticWord<4, 1, 3>;
  using Long = SynapticWord<4, 1, 7>;
  constexpr std::uint32_t rounds = 16, neurons = 16, pre = 20;
  for (const std::uint32_t seed : Seeds(sanitized ? 4 : 30)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random() % bound); };
    // Row (neuron, round) has the synapses of this round; an axonal delay of the neuron comes on top.
    std::vector<std::uint32_t> rows[pre][rounds], whole[pre];
    std::uint32_t axonal[pre];
    for (std::uint32_t neuron = 0; neuron < pre; ++neuron) {
      axonal[neuron] = below(3) == 0 ? below(20) : 0;
      for (std::uint32_t left = below(30); left != 0; --left) {
        Synapse synapse;
        synapse.weight = static_cast<std::int32_t>(below(100));
        synapse.delay = 1 + below(128 - axonal[neuron]);
        synapse.type = below(2);
        synapse.index = below(neurons);
        const StagedDelay staged = staged_delay<Short>(synapse.delay);
        const Synapse part{synapse.weight, staged.delay, synapse.type, synapse.index};
        rows[neuron][staged.steps / 8].push_back(Short::encode(part).value());
        const Synapse all{synapse.weight, synapse.delay + axonal[neuron], synapse.type, synapse.index};
        whole[neuron].push_back(Long::encode(all).value());
      }
    }
    static RingBuffer<Short> ring;
    static RingBuffer<Long> expected;
    ring = {}, expected = {};
    std::uint32_t now = below(2) == 0 ? 0 : 0xFFFFFFC0U;
    DelayStage<256, 4096> stage(now);
    for (unsigned step = 0; step < 400; ++step, ++now) {
      std::size_t wrong = 0;
      for (std::size_t type = 0; type < 2; ++type)
        for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
          wrong += ring.slot(now, type)[neuron] == expected.slot(now, type)[neuron] ? 0U : 1U;
          ring.slot(now, type)[neuron] = 0, expected.slot(now, type)[neuron] = 0;
        }
      REQUIRE(wrong == 0);
      if (step < 250)
        for (std::uint32_t neuron = 0; neuron < pre; ++neuron)
          if (below(6) == 0) {
            add_row(expected, whole[neuron], now);
            for (std::uint32_t round = 0; round < rounds; ++round)
              if (!rows[neuron][round].empty())
                REQUIRE(stage.put(now, 8 * round + axonal[neuron], neuron * rounds + round));
          }
      for (std::uint32_t item; stage.take(now, item);) add_row(ring, rows[item / rounds][item % rounds], now);
    }
    REQUIRE(stage.waiting() == 0);
    for (const auto element : expected.elements()) REQUIRE(element == 0);
    REQUIRE((stage.counts().late == 0 && stage.counts().full == 0 && stage.counts().too_long == 0));
  }
}
