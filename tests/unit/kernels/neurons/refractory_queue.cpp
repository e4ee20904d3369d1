// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <neuromorph/kernels/neurons/refractory_queue.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

TEST_CASE("refractory_queue: gives each neuron back at its step, whatever the order they came in",
          "[kernels][refractory_queue]") {
  for (const bool one_length : {true, false}) {
    constexpr std::uint32_t capacity = 37;
    std::vector<RefractoryQueue::Entry> entries(capacity);
    RefractoryQueue queue{entries};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> waiting; // steps to go, neuron
    std::vector<bool> inside(capacity);
    std::mt19937 random(5);
    std::uint32_t released = 0;
    for (std::uint32_t step_number = 0xFFFFF000U; step_number != 0x1000; ++step_number) {
      std::vector<std::uint32_t> expected, found;
      for (auto& [left, neuron] : waiting)
        if (left-- == 0) expected.push_back(neuron);
      std::erase_if(waiting, [](const auto& entry) { return entry.first == 0xFFFFFFFFU; });
      if (queue.count == 0) CHECK_FALSE((step_number != 0xFFFFF000U && queue.is_due(step_number)));
      if (queue.count == 0) queue.look(step_number);
      while (queue.is_due(step_number)) {
        found.push_back(queue.entries[queue.first].neuron);
        CHECK(queue.entries[queue.first].due == step_number);
        queue.take(step_number);
      }
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      INFO("one length " << one_length << ", step " << step_number);
      REQUIRE(found == expected);
      for (const std::uint32_t neuron : found) inside[neuron] = false;
      released += static_cast<std::uint32_t>(found.size());
      for (std::uint32_t neuron = 0; neuron < capacity; ++neuron)
        if (!inside[neuron] && random() % 40 == 0) {
          const std::uint32_t steps = one_length ? 20 : static_cast<std::uint32_t>(random() % 60);
          queue.insert(step_number + 1 + steps, neuron);
          waiting.emplace_back(steps, neuron);
          inside[neuron] = true;
        }
      REQUIRE(queue.count == waiting.size());
    }
    CHECK(released > 1000);
  }
}

TEST_CASE("refractory_queue: is right wherever ticks begin, and after any silence", "[kernels][refractory_queue]") {
  const std::uint32_t seed = 8;
  std::mt19937 random(seed);
  for (std::uint32_t turn = 0; turn < 4000; ++turn) {
    constexpr std::uint32_t capacity = 6;
    std::vector<RefractoryQueue::Entry> entries(capacity);
    RefractoryQueue queue{entries};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> model; // due, neuron
    const std::uint32_t starts[] = {0, 0x40000000U, 0x80000000U, 0xC0000000U};
    auto step_number = static_cast<std::uint32_t>(starts[random() % 4] + random() % 120 - 100);
    for (std::uint32_t step = 0; step < 200; ++step, ++step_number) {
      if (model.empty() && random() % 4 == 0) // a silence of any length: each looks at the queue once in 2^30 steps
        for (auto leaps = random() % 5; leaps != 0; --leaps) {
          step_number += static_cast<std::uint32_t>(random() % 0x3FFFFFFFU);
          if (queue.is_due(step_number)) queue.look(step_number);
        }
      while (queue.is_due(step_number) && queue.count != 0) {
        const auto entry = queue.entries[queue.first];
        INFO("seed " << seed << ", turn " << turn << ", step " << step << ", number " << step_number);
        const auto found = std::find(model.begin(), model.end(), std::pair{entry.due, entry.neuron});
        REQUIRE(found != model.end());
        REQUIRE(entry.due == step_number);
        model.erase(found);
        queue.take(step_number);
      }
      if (queue.count == 0 && queue.is_due(step_number)) queue.look(step_number);
      for (std::uint32_t neuron = 0; neuron < capacity; ++neuron) {
        const bool inside =
            std::any_of(model.begin(), model.end(), [&](const auto& one) { return one.second == neuron; });
        REQUIRE(queue.holds(neuron) == inside);
        if (inside || random() % 5 != 0) continue;
        const auto due = static_cast<std::uint32_t>(step_number + 1 + random() % 30);
        queue.insert(due, neuron);
        model.emplace_back(due, neuron);
      }
      INFO("seed " << seed << ", turn " << turn << ", step " << step << ", number " << step_number);
      REQUIRE(queue.count == model.size());
      for (const auto& [due, neuron] : model) REQUIRE(due - step_number <= 30); // none is left behind
    }
  }
}

TEST_CASE("refractory_queue: writes nothing outside its entries", "[kernels][refractory_queue]") {
  std::vector<RefractoryQueue::Entry> entries(4, {7, 7});
  RefractoryQueue queue{std::span{entries}.subspan(1, 2)};
  for (const std::uint32_t due : {9U, 5U, 6U, 12U}) queue.insert(due, 1);
  CHECK(queue.count == 2);
  CHECK((entries[0].due == 7 && entries[3].due == 7));
  CHECK((queue.entries[queue.first].due == 5 && queue.is_due(5) && !queue.is_due(4)));
}
