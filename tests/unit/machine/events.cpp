// SPDX-License-Identifier: BSL-1.0
// Events come out in their order, whatever the order in which they were put in.
#include <neuromorph/machine/events.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;

TEST_CASE("events: they come sorted by time, chip, source and number, however they were put in") {
  constexpr std::uint32_t seed = 1;
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::vector<machine::EventOrder> orders;
  for (std::uint64_t number = 0; number < 2000; ++number) {
    machine::EventOrder order;
    order.time = static_cast<std::int64_t>(random() % 20) - 10;
    order.chip = static_cast<mapping::Chip>(random() % 3);
    order.source = static_cast<std::uint32_t>(random() % 3);
    order.number = number;
    orders.push_back(order);
  }
  std::vector<machine::EventOrder> sorted = orders;
  std::sort(sorted.begin(), sorted.end(), [](const auto& one, const auto& other) {
    if (one.time != other.time) return one.time < other.time;
    if (one.chip != other.chip) return one.chip < other.chip;
    return one.source != other.source ? one.source < other.source : one.number < other.number;
  });
  for (int turn = 0; turn < 3; ++turn) {
    std::shuffle(orders.begin(), orders.end(), random);
    machine::EventQueue<std::uint64_t> queue;
    for (const auto& order : orders) queue.push(order, order.number);
    CHECK(queue.size() == orders.size());
    for (const auto& expected : sorted) {
      CHECK(queue.front().order == expected);
      CHECK(queue.pop().value == expected.number);
    }
    CHECK(queue.empty());
  }
}

} // namespace
