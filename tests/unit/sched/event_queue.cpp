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
template <std::size_t Capacity, bool Drops>
struct Model {
  struct Entry {
    Tick deadline; // relative to a base before all others
    ServiceId service;
  };
  std::vector<Entry> entries;
  unsigned refused = 0, dropped = 0, most = 0;

  bool push(Entry entry) {
    if (entries.size() == Capacity) {
      const auto latest = std::max_element(entries.begin(), entries.end(), // of equal ones the last
                                           [](const Entry& a, const Entry& b) { return a.deadline <= b.deadline; });
      if (!Drops || entry.deadline >= latest->deadline) {
        ++refused;
        return false;
      }
      entries.erase(latest);
      ++dropped;
    }
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

template <class Ticks, std::size_t Capacity, class Full>
void compare(std::uint32_t seed, Ticks base, Tick spread, unsigned operations, Ticks unit = 1) {
  std::mt19937 random(seed);
  EventQueue<Ticks, Capacity, Full> queue;
  Model<Capacity, std::is_same_v<Full, queue_full::DropLatestDeadline>> model;
  ServiceId arrival = 0;
  INFO("capacity " << Capacity << ", seed " << seed << ", base " << base);
  for (unsigned operation = 0; operation < operations; ++operation) {
    if (random() % 5 < 3 || model.entries.empty()) {
      const auto deadline = static_cast<Tick>(random() % spread);
      const bool taken = queue.push({static_cast<Ticks>(base + deadline * unit), arrival});
      REQUIRE(taken == model.push({deadline, arrival}));
      ++arrival;
    } else {
      const auto expected = model.pop();
      REQUIRE(queue.first() == Event<Ticks>{static_cast<Ticks>(base + expected.deadline * unit), expected.service});
      REQUIRE(queue.pop() == Event<Ticks>{static_cast<Ticks>(base + expected.deadline * unit), expected.service});
    }
    REQUIRE(queue.size() == model.entries.size());
    REQUIRE(queue.empty() == model.entries.empty());
    REQUIRE(queue.refused() == model.refused);
    REQUIRE(queue.dropped() == model.dropped);
    REQUIRE(queue.high_water() == model.most);
  }
}

template <std::size_t Capacity>
void compare_sizes() {
  for (const Tick spread : {1U, 3U, 20U, 0x7FFF'FFFFU}) {
    compare<std::uint32_t, Capacity, queue_full::RefuseNewest>(spread, 0, spread, 2000);
    compare<std::uint32_t, Capacity, queue_full::DropLatestDeadline>(spread + 1, 0xFFFF'FFF8U, spread, 2000);
    compare<std::uint32_t, Capacity, queue_full::DropLatestDeadline>(spread + 2, 0x7FFF'FFF8U, spread, 2000);
    compare<std::uint64_t, Capacity, queue_full::RefuseNewest>(spread + 3, 0xFFFF'FFFF'FFFF'FFF8ULL, spread, 2000);
    compare<std::uint64_t, Capacity, queue_full::DropLatestDeadline>(spread + 4, 0xFFFF'FFF8ULL, spread, 2000);
    // Both words differ; and only the upper one.
    compare<std::uint64_t, Capacity, queue_full::DropLatestDeadline>(spread + 5, ~0xFFULL, spread, 2000, 0x4000'0001);
    compare<std::uint64_t, Capacity, queue_full::RefuseNewest>(spread + 6, 1, spread % 8 + 1, 2000, 0x1'0000'0000);
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

TEST_CASE("event_queue: the earliest deadline never gives way", "[sched][event_queue]") {
  EventQueue<Tick, 1, queue_full::DropLatestDeadline> one;
  CHECK(one.push({10, 1}));
  CHECK_FALSE(one.push({10, 2})); // equal: the one that came last is refused
  CHECK_FALSE(one.push({11, 3}));
  CHECK(one.push({9, 4}));
  CHECK(one.refused() == 2);
  CHECK(one.dropped() == 1);
  CHECK(one.pop() == Event<Tick>{9, 4});
}
