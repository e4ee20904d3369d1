// SPDX-License-Identifier: BSL-1.0
// Each invariant of sliding runs is looked at: memory in which one does not hold is not consistent.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <neuromorph/gc/sliding.hpp>
#include <neuromorph/gc/trace_store.hpp>

#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph;

constexpr std::uint32_t neurons = 3, events = 6;
using Store = TraceStore<std::uint32_t, neurons, gc::Sliding<events>, gc::AgeWindow<20>>;
using LongStore = TraceStore<std::uint32_t, neurons, gc::Sliding<events>, gc::AgeWindow<20000>>; // times of 32 bits

/// Where a heap has what, in bytes.
constexpr std::size_t stored = 4, runs = 44, entries = 52;
static_assert(Store::Heap::bytes == entries + events * 6 && sizeof(Store::Heap) == Store::Heap::bytes);
static_assert(LongStore::Heap::bytes == entries + events * 8 && sizeof(LongStore::Heap) == LongStore::Heap::bytes);
constexpr std::size_t start_of(std::uint32_t neuron) { return runs + neuron * 2; }
constexpr std::size_t end_of(std::uint32_t neuron) { return runs + neuron * 2 + 1; }

template <class Heap, class Value>
Heap with(Heap heap, std::size_t at, Value value) {
  std::memcpy(reinterpret_cast<unsigned char*>(&heap) + at, &value, sizeof value);
  return heap;
}
using Place = std::uint8_t;
template <class Heap>
Place found(const Heap& heap, std::size_t at) {
  return reinterpret_cast<const unsigned char*>(&heap)[at];
}

/// At 100: neuron 0 has an event of 100, neuron 1 events of 100 and 101, neuron 2 one of 102; somewhere.
template <class Any>
Any made() {
  Any store(100);
  REQUIRE(store.record(0, 100, 1) == gc::Recorded::stored);
  REQUIRE(store.record(1, 100, 2) == gc::Recorded::stored);
  REQUIRE(store.record(1, 101, 3) == gc::Recorded::stored);
  REQUIRE(store.record(2, 102, 4) == gc::Recorded::stored);
  REQUIRE(store.is_consistent());
  return store;
}

} // namespace

TEST_CASE("sliding: runs that overlap, leave memory or end before their start are found", "[gc]") {
  const Store::Heap heap = made<Store>().heap();
  REQUIRE(heap.is_consistent());
  for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
    const Place start = found(heap, start_of(neuron)), end = found(heap, end_of(neuron));
    REQUIRE(end - start == (neuron == 1 ? 2 : 1));
    CAPTURE(neuron, start, end);
    if (neuron != 0)
      CHECK_FALSE(with(heap, start_of(neuron), Place(found(heap, end_of(neuron - 1)) - 1)).is_consistent());
    CHECK_FALSE(with(heap, end_of(neuron), Place(start - 1)).is_consistent());
    if (neuron != 0) { // an empty run inside another, or before it
      const Store::Heap fewer = with(heap, stored, std::uint32_t(4 - (end - start)));
      const auto inside = Place(found(heap, end_of(neuron - 1)) - 1);
      CHECK_FALSE(with(with(fewer, start_of(neuron), inside), end_of(neuron), inside).is_consistent());
    }
    const std::uint32_t ceiling = neuron + 1 == neurons ? events : found(heap, start_of(neuron + 1));
    CHECK_FALSE(with(heap, end_of(neuron), Place(ceiling + 1)).is_consistent());
    // As many events as are counted.
    CHECK_FALSE(with(heap, end_of(neuron), start).is_consistent());
    CHECK(with(with(heap, end_of(neuron), start), stored, std::uint32_t(4 - (end - start))).is_consistent());
  }
  CHECK_FALSE(with(heap, stored, std::uint32_t{3}).is_consistent());
  CHECK_FALSE(with(heap, stored, std::uint32_t{5}).is_consistent());
}

TEST_CASE("sliding: events out of order, or further ahead than time can tell, are found", "[gc]") {
  const Store::Heap heap = made<Store>().heap();
  const std::size_t newest = entries + (found(heap, end_of(1)) - std::size_t{1}) * 2;
  CHECK(with(heap, newest, std::uint16_t{100}).is_consistent());
  CHECK_FALSE(with(heap, newest, std::uint16_t{99}).is_consistent());

  const LongStore::Heap wide = made<LongStore>().heap();
  const std::size_t last = entries + (found(wide, end_of(1)) - std::size_t{1}) * 8; // each before its trace
  CHECK(with(wide, last, std::uint32_t{100}).is_consistent());
  CHECK_FALSE(with(wide, last, std::uint32_t{99}).is_consistent());
  CHECK(with(wide, last, 100 + gc::LongTime::ahead).is_consistent());
  CHECK_FALSE(with(wide, last, 101 + gc::LongTime::ahead).is_consistent());
}

TEST_CASE("sliding: nothing has been counted at first", "[gc]") {
  CHECK(Store().counts() == gc::Counts{});
  CHECK(LongStore().counts() == gc::Counts{});
}
