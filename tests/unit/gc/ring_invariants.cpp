// SPDX-License-Identifier: BSL-1.0
// Each invariant of circular buffers is looked at: memory in which one does not hold is not consistent. And the smallest.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/trace_store.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"
#include "tests/support/trace_battery.hpp"
#include "tests/support/trace_collectors.hpp"

namespace {

using namespace neuromorph;

constexpr std::uint32_t neurons = 3, each = 3;
using Store = TraceStore<std::uint32_t, neurons, gc::Ring<each>, gc::AgeWindow<20>>;

/// Where a heap has what, in bytes.
constexpr std::size_t stored = 8, extents = 28, entries = 36;
static_assert(Store::Heap::bytes == entries + neurons * each * 8 && sizeof(Store::Heap) == Store::Heap::bytes);
constexpr std::size_t time_at(std::uint32_t neuron, std::uint32_t place) {
  return entries + (neuron * std::size_t{each} + place) * 8;
}
constexpr std::size_t extent_of(std::uint32_t neuron) { return extents + neuron * std::size_t{2}; }
constexpr std::uint16_t extent(std::uint32_t end, std::uint32_t count) {
  return static_cast<std::uint16_t>(count << 8 | end);
}
template <class Value>
Store::Heap with(Store::Heap heap, std::size_t at, Value value) {
  std::memcpy(reinterpret_cast<unsigned char*>(&heap) + at, &value, sizeof value);
  return heap;
}

/// At 100: neuron 0 has an event of 100, neuron 1 those of 100, 101 and 102, neuron 2 those of 101 and 102.
Store::Heap made() {
  Store store(100);
  for (const auto& [neuron, time] : {std::pair{0U, 100U}, {1U, 100U}, {1U, 101U}, {1U, 102U}, {2U, 101U}, {2U, 102U}})
    REQUIRE(store.record(neuron, time, 1) == gc::Recorded::stored);
  return store.heap();
}

} // namespace

TEST_CASE("ring: more events than places, and an end beyond them, are found", "[gc]") {
  const Store::Heap heap = made();
  REQUIRE(heap.is_consistent());
  // Times are in order whichever places are looked at.
  const Store::Heap ordered = with(with(with(heap, time_at(2, 2), 103U), time_at(1, 1), 100U), time_at(1, 2), 100U);
  REQUIRE(ordered.is_consistent());
  CHECK_FALSE(with(ordered, extent_of(2), extent(3, 2)).is_consistent());
  CHECK(with(ordered, extent_of(2), extent(0, 2)).is_consistent());
  CHECK_FALSE(with(with(ordered, extent_of(1), extent(0, 4)), stored, 7U).is_consistent());
  CHECK(with(with(ordered, extent_of(2), extent(0, 3)), stored, 7U).is_consistent());
  // As many as are counted.
  CHECK_FALSE(with(heap, stored, 5U).is_consistent());
  CHECK_FALSE(with(heap, stored, 7U).is_consistent());
  CHECK_FALSE(with(heap, extent_of(2), extent(2, 1)).is_consistent());
  CHECK(with(with(heap, extent_of(2), extent(2, 1)), stored, 5U).is_consistent());
}

TEST_CASE("ring: events out of order are found", "[gc]") {
  const Store::Heap heap = made();
  const auto at_1 = [&](std::uint32_t first, std::uint32_t second, std::uint32_t third) {
    return with(with(with(heap, time_at(1, 0), first), time_at(1, 1), second), time_at(1, 2), third).is_consistent();
  };
  CHECK(at_1(100, 100, 100));
  CHECK(at_1(0U - 5U, 0U - 1U, 3));
  CHECK_FALSE(at_1(102, 101, 103));
  CHECK_FALSE(at_1(100, 103, 102));
  CHECK_FALSE(at_1(101, 100, 100));
  // The oldest may stand at any place.
  CHECK_FALSE(with(heap, extent_of(1), extent(1, 3)).is_consistent());
  CHECK(with(with(with(with(heap, extent_of(1), extent(1, 3)), time_at(1, 0), 102U), time_at(1, 1), 100U),
             time_at(1, 2), 101U)
            .is_consistent());
}

TEMPLATE_TEST_CASE("ring: nothing has been counted at first", "[gc]", gc::Ring<3>,
                   (gc::Ring<3, gc::WhenFull::oldest_gives_way>)) {
  TraceStore<std::uint32_t, neurons, TestType, gc::AgeWindow<20>> store;
  CHECK(store.counts() == gc::Counts{});
}

TEMPLATE_TEST_CASE("ring: one event of a neuron", "[gc]", battery::Ring, battery::RingGivesWay) {
  for (const std::uint32_t seed : Seeds(4))
    CHECK(battery::random_steps<battery::Pair<TestType, std::uint32_t, 3, 1>>(seed, 800, 0U - 300U) == "");
}
