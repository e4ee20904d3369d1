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

constexpr std::uint32_t neurons = 3, words = 100;
using Store = TraceStore<std::uint32_t, neurons,
                         gc::Baker<gc::BakerOptions{.events = 12, .scan = 2, .heap_bytes = 400}>, gc::AgeWindow<20>>;
using ByAge =
    TraceStore<std::uint32_t, neurons,
               gc::Generational<gc::GenerationalOptions{.events = 12, .scan = 2, .heap_bytes = 400, .generations = 8}>,
               gc::AgeWindow<20>>;

/// Where a heap has what, in bytes.
constexpr std::size_t stored = 4, full_at = 24, head = 28, tail = 32, used = 36, scanner = 44, buffers = 48;
constexpr std::size_t base_of_1 = buffers + 12, capacity_of_1 = base_of_1 + 2, first_of_0 = buffers + 4,
                      count_of_0 = buffers + 6, old_of_0 = buffers + 8, split_of_0 = buffers + 10,
                      heap_words = buffers + neurons * 12;
static_assert(Store::Heap::bytes == heap_words + words * 4);
constexpr std::size_t lists = scanner + 10, links = lists + 8 * 4;
static_assert(ByAge::Heap::bytes == links + neurons * 2 + neurons * 12 + words * 4);

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

/// At 100: neuron 0 has events of 100 and 101 from word 1 on, neuron 1 one of 102 from word 6 on, with room for another.
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
  REQUIRE(found<Place>(heap, base_of_1) == 6);
  REQUIRE(found<Place>(heap, capacity_of_1) == 2);
  REQUIRE(found<Count>(heap, used) == 10);
  REQUIRE(found<Count>(heap, head) == 10);
  REQUIRE(heap.is_consistent());
  const auto broken = [&](std::size_t at, auto value) { return !with(heap, at, value).is_consistent(); };
  CHECK(broken(first_of_0, Place{1})); // ends behind its capacity
  CHECK(broken(base_of_1, Place{5}));
  CHECK(broken(base_of_1, Place{11}));
  CHECK(broken(capacity_of_1, Place{1}));
  CHECK(broken(capacity_of_1, Place{3}));
  // The ring: its words are a chain of buffers from the tail to the head.
  CHECK(broken(head, Count{9}));
  CHECK(broken(used, Count{9}));
  CHECK(broken(used, Count{11}));
  CHECK(broken(used, words + 1));
  CHECK_FALSE(with(with(Store(100).heap(), heap_words, words << 16 | 0xFFFF), used, 2 * words).is_consistent());
  CHECK(broken(tail, words));
  CHECK(broken(tail, Count{5}));
  CHECK(broken(heap_words, Count{0}));
  CHECK(broken(heap_words, Count{5U << 16 | 1}));      // another's
  CHECK(broken(heap_words, Count{5U << 16 | 3}));      // no neuron's
  CHECK(broken(heap_words, Count{5U << 16 | 0xFFFF})); // nobody's
  CHECK(broken(heap_words, Count{4U << 16}));
  CHECK(broken(heap_words, Count{10U << 16}));
  CHECK(broken(heap_words, Count{11U << 16}));
  // As many as are counted.
  CHECK(broken(stored, Count{4}));
  CHECK(broken(stored, Count{2}));
  CHECK(broken(full_at, Count{13}));
  CHECK(broken(count_of_0, Place{1}));
  CHECK(broken(scanner, Count{neurons}));
  // No more than there may be.
  CHECK_FALSE(with(with(heap, full_at, Count{2}), stored, Count{5}).is_consistent());
}

TEST_CASE("baker: moves that do not fit are found", "[gc]") {
  const Store::Heap heap = made<Store>().heap();
  CHECK_FALSE(with(heap, split_of_0, Place{1}).is_consistent()); // from nowhere
  // Event 0 where neuron 1 has its buffer is not neuron 0's.
  CHECK_FALSE(with(with(heap, split_of_0, Place{1}), old_of_0, Place{6}).is_consistent());
  // A neuron moves to another place when it has a third one.
  Store store(100);
  for (std::uint32_t event = 0; event < 3; ++event) REQUIRE(is_stored(store.record(0, 100, event)));
  const Store::Heap moved = store.heap();
  REQUIRE(found<Place>(moved, split_of_0) == 0); // two events are copied at once
  CHECK(store.counts().moved_bytes == 2 * 8);
  REQUIRE(found<Count>(moved, used) == 5 + 9);
  const auto at = [&](Place split, Place old) {
    return with(with(moved, split_of_0, split), old_of_0, old).is_consistent();
  };
  CHECK(at(1, 1));
  CHECK(at(2, 1));
  CHECK_FALSE(at(3, 1)); // ends behind the old place
  CHECK_FALSE(at(2, 3));
  CHECK_FALSE(at(4, 1));
  CHECK_FALSE(at(1, 0));
  CHECK_FALSE(with(with(with(moved, split_of_0, Place{1}), old_of_0, Place{1}), first_of_0, Place{1}).is_consistent());
}

TEST_CASE("baker: what is behind the last word, and a move behind the last event, are found", "[gc]") {
  const Store::Heap none = Store(100).heap();
  const auto chained = [&](Count at, Count size, Count until) {
    const Store::Heap heap = with(with(with(none, tail, at), used, size), head, until);
    return with(heap, heap_words + at * std::size_t{4}, size << 16 | 0xFFFF).is_consistent();
  };
  CHECK(chained(95, 5, 0));
  CHECK(chained(90, 5, 95));
  CHECK_FALSE(chained(95, 10, 105));
  CHECK_FALSE(chained(95, 10, 5));
  Store store(100);
  for (std::uint32_t event = 0; event < 3; ++event) REQUIRE(is_stored(store.record(0, 100, event)));
  const Store::Heap one = with(with(store.heap(), count_of_0, Place{1}), stored, Count{1});
  CHECK(one.is_consistent());
  CHECK(with(with(one, split_of_0, Place{1}), old_of_0, Place{1}).is_consistent());
  CHECK_FALSE(with(with(one, split_of_0, Place{2}), old_of_0, Place{1}).is_consistent());
  // The first of two has been dropped; a move of it alone is none.
  const Store::Heap two = with(with(with(one, count_of_0, Place{2}), stored, Count{2}), first_of_0, Place{1});
  CHECK(two.is_consistent());
  CHECK(with(with(two, split_of_0, Place{2}), old_of_0, Place{1}).is_consistent());
  CHECK_FALSE(with(with(two, split_of_0, Place{1}), old_of_0, Place{1}).is_consistent());
}

TEST_CASE("baker: a buffer whose events have all died is used again where it is", "[gc]") {
  Store store(100);
  for (std::uint32_t event = 0; event < 2; ++event) REQUIRE(is_stored(store.record(2, 100, event)));
  const std::uint32_t words_used = store.heap().used_words();
  store.advance_to(121); // looks at the other two
  REQUIRE(store.events() == 2);
  REQUIRE(is_stored(store.record(2, 121, 7)));
  CHECK(store.events() == 1);
  CHECK(store.heap().used_words() == words_used);
  CHECK(store.counts().moved_bytes == 0);
}

TEMPLATE_TEST_CASE("baker, generational: a clear gives all memory back", "[gc]", Store, ByAge) {
  TestType store(100);
  std::uint32_t most = 0;
  for (const bool again : {false, true}) {
    INFO((again ? "again" : "at first"));
    std::uint32_t event = 0;
    while (is_stored(store.record(event % neurons, 100, event))) ++event;
    CHECK((event == most || !again));
    most = event;
    CHECK(store.heap().used_words() > 12 * 2);
    store.clear();
    CHECK((store.events() == 0 && store.heap().used_words() == 0 && !store.heap().is_compacting()));
    CHECK(store.is_consistent());
  }
  CHECK(most == 12);
}

TEST_CASE("baker: live events out of order are found", "[gc]") {
  const Store::Heap heap = made<Store>().heap();
  const auto ordered = [&](Count first, Count second) {
    return with(with(heap, heap_words + 4, first), heap_words + 12, second).is_consistent();
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

TEST_CASE("baker, generational: nothing has been counted at first", "[gc]") {
  CHECK(Store().counts() == gc::Counts{});
  CHECK(ByAge().counts() == gc::Counts{});
}
