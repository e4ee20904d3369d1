// SPDX-License-Identifier: BSL-1.0
// Each invariant of variable buffers, and of lists by age, is looked at: memory in which one does not hold is not
// consistent.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/generational.hpp>
#include <neuromorph/gc/trace_store.hpp>

#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph;

constexpr std::uint32_t neurons = 3, places = 12;
using Store = TraceStore<std::uint32_t, neurons, gc::Baker<places, 2, 2, 2, 2>, gc::AgeWindow<20>>;
using ByAge = TraceStore<std::uint32_t, neurons, gc::Generational<places, 2, 2, 2, 2, 8>, gc::AgeWindow<20>>;

/// Where a heap has what, in bytes.
constexpr std::size_t stored = 4, top = 28, owned = 32, dest = 40, fill = 72, phase = 96, scanner = 100, buffers = 104;
constexpr std::size_t base_of_1 = buffers + 8, capacity_of_1 = buffers + 10, first_of_0 = buffers + 4,
                      count_of_0 = buffers + 6, heap_words = buffers + neurons * 8;
static_assert(Store::Heap::bytes == heap_words + places * 8);
constexpr std::size_t lists = scanner + 10, links = lists + 8 * 4;
static_assert(ByAge::Heap::bytes == links + neurons * 2 + neurons * 8 + places * 8);
constexpr std::uint8_t saving = 2, storing = 3;

using Place = std::uint16_t;
using Count = std::uint32_t;
template <class Heap, class Value>
Heap with(Heap heap, std::size_t at, Value value) {
  std::memcpy(reinterpret_cast<unsigned char*>(&heap) + at, &value, sizeof value);
  return heap;
}
template <class Value, class Heap>
Value found(const Heap& heap, std::size_t at) {
  Value value;
  std::memcpy(&value, reinterpret_cast<const unsigned char*>(&heap) + at, sizeof value);
  return value;
}

/// At 100: neuron 0 has events of 100 and 101 in places 0 and 1, neuron 1 one of 102 in place 2; 3 is its own, too.
template <class Any>
Any made() {
  Any store(100);
  for (const std::uint32_t event : {0U, 1U, 2U})
    REQUIRE(store.record(event / 2, 100 + event, event) == gc::Recorded::stored);
  REQUIRE(store.is_consistent());
  return store;
}

} // namespace

TEST_CASE("baker: buffers that overlap or leave their memory are found", "[gc]") {
  const Store::Heap heap = made<Store>().heap();
  REQUIRE(found<Place>(heap, base_of_1) == 2);
  REQUIRE(found<Place>(heap, capacity_of_1) == 2);
  REQUIRE(found<Count>(heap, top) == 4);
  REQUIRE(heap.is_consistent());
  const auto broken = [&](std::size_t at, auto value) { return !with(heap, at, value).is_consistent(); };
  CHECK(broken(first_of_0, Place{1})); // ends behind its capacity
  CHECK(broken(base_of_1, Place{1}));
  CHECK(broken(base_of_1, Place{3})); // ends above the top
  CHECK(broken(base_of_1, Place{2 * places - 1}));
  CHECK(broken(top, Count{3}));
  CHECK(broken(top, places + 1));
  CHECK_FALSE(broken(top, places));
  // As many as are counted.
  CHECK(broken(stored, Count{4}));
  CHECK(broken(stored, Count{2}));
  CHECK(broken(count_of_0, Place{1}));
  CHECK(broken(owned, Count{3}));
  CHECK(broken(owned, Count{5}));
  CHECK(broken(scanner, Count{neurons}));
}

TEST_CASE("baker: buffers in scratch memory out of turn are found", "[gc]") {
  const Store::Heap heap = with(made<Store>().heap(), base_of_1, Place{places});
  CHECK_FALSE(heap.is_consistent()); // nothing is on its way
  const Store::Heap saved = with(heap, phase, saving);
  CHECK_FALSE(saved.is_consistent()); // none has been saved
  CHECK_FALSE(with(saved, fill, Count{1}).is_consistent());
  CHECK(with(saved, fill, Count{2}).is_consistent());
  // Where it goes, nobody else may be, and it is below the top.
  const Store::Heap stores = with(with(heap, phase, storing), fill, Count{2});
  CHECK_FALSE(stores.is_consistent());
  CHECK_FALSE(with(stores, dest, Count{1}).is_consistent());
  CHECK(with(stores, dest, Count{2}).is_consistent());
  CHECK_FALSE(with(stores, dest, Count{3}).is_consistent());
  // All together have no more than there is.
  const Store::Heap large = with(with(with(saved, fill, places), top, places), capacity_of_1, Place{places - 2});
  CHECK(with(large, owned, places).is_consistent());
  CHECK_FALSE(with(with(large, capacity_of_1, Place{places - 1}), owned, places + 1).is_consistent());
}

TEST_CASE("baker: live events out of order are found", "[gc]") {
  const Store::Heap heap = made<Store>().heap();
  const auto ordered = [&](Count first, Count second) {
    return with(with(heap, heap_words, first), heap_words + 8, second).is_consistent();
  };
  CHECK(ordered(100, 100));
  CHECK_FALSE(ordered(101, 100));
  CHECK_FALSE(ordered(100, 60));
  // Before what is alive, the dead may stand in any order.
  CHECK(ordered(70, 60));
  CHECK(ordered(79, 78));
  CHECK_FALSE(ordered(80, 79));
}

TEST_CASE("generational: lists that do not end, and neurons in none or in two, are found", "[gc]") {
  const ByAge::Heap heap = made<ByAge>().heap();
  // A generation spans 8 ticks: both neurons are in the list of 96 to 103. They are numbered from 1; 4 is the end.
  constexpr std::size_t first = lists + 4 * 4, last = first + 2, other_first = first + 4, other_last = first + 6;
  REQUIRE(found<Place>(heap, first) == 1);
  REQUIRE(found<Place>(heap, last) == 2);
  REQUIRE(found<Place>(heap, links) == 2);
  REQUIRE(found<Place>(heap, links + 2) == 4);
  REQUIRE(heap.is_consistent());
  const auto broken = [&](std::size_t at, auto value) { return !with(heap, at, Place(value)).is_consistent(); };
  CHECK(broken(links + 2, 1)); // a circle
  CHECK(broken(links + 2, 2));
  CHECK(broken(links, 5)); // no neuron
  CHECK(broken(last, 1));
  CHECK(broken(links + 4, 4)); // in none, and yet at the end of one
  CHECK(broken(first, 2));
  CHECK(broken(other_first, 2));
  CHECK_FALSE(broken(other_last, 3)); // of an empty list
  // Two lists of one neuron each are as good, and one with a neuron that has no events.
  const ByAge::Heap split = with(with(heap, links, Place{4}), last, Place{1});
  CHECK_FALSE(split.is_consistent());
  CHECK(with(with(split, other_first, Place{2}), other_last, Place{2}).is_consistent());
  CHECK(with(with(with(heap, links + 2, Place{3}), links + 4, Place{4}), last, Place{3}).is_consistent());
  // With events, and in none.
  CHECK_FALSE(with(split, links + 2, Place{0}).is_consistent());
}
