// SPDX-License-Identifier: BSL-1.0
// Both kinds of queue against a list that is sorted anew each time.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <neuromorph/sched/event_queue.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

using Tick = std::uint32_t;

/// What a queue means: a list in the order of arrival.
template <std::size_t Capacity>
struct Model {
  struct Entry {
    Tick deadline; // relative to a base before all others
    std::uint32_t rest;
  };
  std::vector<Entry> entries;
  unsigned most = 0;

  bool push(Entry entry) {
    if (entries.size() == Capacity) return false;
    entries.push_back(entry);
    most = std::max(most, static_cast<unsigned>(entries.size()));
    return true;
  }
  Entry pop() {
    const auto first = std::min_element(entries.begin(), entries.end(), // of equal ones the first
                                        [](const Entry& a, const Entry& b) { return a.deadline < b.deadline; });
    const Entry entry = *first;
    entries.erase(first);
    return entry;
  }
};

template <class Ticks, std::size_t Capacity>
void compare(std::uint32_t seed, Ticks base, Tick spread, unsigned operations, Ticks unit = 1) {
  std::mt19937 random(seed);
  EventQueue<Ticks, Capacity> queue;
  using Entry = QueueEntry<Ticks, std::uint32_t>;
  Model<Capacity> model;
  std::uint32_t arrival = 0;
  INFO("capacity " << Capacity << ", seed " << seed << ", base " << base);
  REQUIRE(queue.high_water() == 0);
  for (unsigned operation = 0; operation < operations; ++operation) {
    if (random() % 5 < 3 || model.entries.empty()) {
      const auto deadline = static_cast<Tick>(random() % spread);
      const bool taken = queue.push({static_cast<Ticks>(base + deadline * unit), arrival});
      REQUIRE(taken == model.push({deadline, arrival}));
      ++arrival;
    } else {
      const auto expected = model.pop();
      REQUIRE(queue.first() == Entry{static_cast<Ticks>(base + expected.deadline * unit), expected.rest});
      REQUIRE(queue.pop() == Entry{static_cast<Ticks>(base + expected.deadline * unit), expected.rest});
    }
    REQUIRE(queue.size() == model.entries.size());
    REQUIRE(queue.empty() == model.entries.empty());
    REQUIRE(queue.full() == (model.entries.size() == Capacity));
    REQUIRE(queue.high_water() == model.most);
  }
}

template <std::size_t Capacity>
void compare_sizes() {
  for (const Tick spread : {1U, 3U, 20U, 0x7FFF'FFFFU}) {
    compare<std::uint32_t, Capacity>(spread, 0, spread, 2000);
    compare<std::uint32_t, Capacity>(spread + 1, 0xFFFF'FFF8U, spread, 2000);
    compare<std::uint32_t, Capacity>(spread + 2, 0x7FFF'FFF8U, spread, 2000);
    compare<std::uint64_t, Capacity>(spread + 3, 0xFFFF'FFFF'FFFF'FFF8ULL, spread, 2000);
    compare<std::uint64_t, Capacity>(spread + 4, 0xFFFF'FFF8ULL, spread, 2000);
    // Both words differ; and only the upper one.
    compare<std::uint64_t, Capacity>(spread + 5, ~0xFFULL, spread, 2000, 0x4000'0001);
    compare<std::uint64_t, Capacity>(spread + 6, 1, spread % 8 + 1, 2000, 0x1'0000'0000);
  }
}

} // namespace

TEST_CASE("event_queue: order, ties, overflow and counters are those of a sorted list", "[sched][event_queue]") {
  SECTION("1") { compare_sizes<1>(); }
  SECTION("2") { compare_sizes<2>(); }
  SECTION("3") { compare_sizes<3>(); }
  SECTION("4") { compare_sizes<4>(); }
  SECTION("5") { compare_sizes<5>(); }
  SECTION("8") { compare_sizes<8>(); }
  SECTION("9") { compare_sizes<9>(); }
  SECTION("16") { compare_sizes<16>(); }
  SECTION("17") { compare_sizes<17>(); }
  SECTION("64") { compare_sizes<64>(); }
  SECTION("65") { compare_sizes<65>(); }
}

TEST_CASE("event_queue: what an entry has beside its deadline goes with it", "[sched][event_queue]") {
  struct Rest {
    using Offers = offer::List<>;
    std::uint64_t other;
    std::uint32_t number;
  };
  const auto check = [](auto capacity) {
    EventQueue<std::uint64_t, capacity, Rest> queue;
    for (std::uint32_t number = 0; number < capacity; ++number)
      CHECK(queue.push({std::uint64_t{number * 37 % 101} << 30, {~std::uint64_t{number}, number}}));
    CHECK_FALSE(queue.push({0, {0, 0}}));
    std::uint64_t before = 0;
    while (!queue.empty()) {
      const auto [deadline, rest] = queue.pop();
      CHECK(rest.other == ~std::uint64_t{rest.number});
      CHECK(deadline == std::uint64_t{rest.number * 37 % 101} << 30);
      CHECK(before <= deadline);
      before = deadline;
    }
  };
  check(std::integral_constant<std::size_t, 20>{});
  check(std::integral_constant<std::size_t, 100>{});
}
