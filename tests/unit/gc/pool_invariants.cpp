// SPDX-License-Identifier: BSL-1.0
// Each invariant of a pool is looked at: memory in which one does not hold is not consistent.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/trace_store.hpp>

#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph;

constexpr std::uint32_t neurons = 3, events = 6;
using Store = TraceStore<std::uint32_t, neurons, gc::Pool<events, 100>, gc::AgeWindow<20>>;

/// Where a heap has what, in bytes. Places are numbered from 1.
constexpr std::size_t stored = 8, used = 32, free_places = 36, chains = 40, links = 52, entries = 64;
static_assert(Store::Heap::bytes == entries + events * 8 && sizeof(Store::Heap) == Store::Heap::bytes);
constexpr std::size_t first_of(std::uint32_t neuron) { return chains + neuron * 4; }
constexpr std::size_t last_of(std::uint32_t neuron) { return chains + neuron * 4 + 2; }
constexpr std::size_t link_of(std::uint32_t place) { return links + (place - 1) * 2; }
constexpr std::size_t time_of(std::uint32_t place) { return entries + (place - 1) * 8; }

template <class Value>
Store::Heap with(Store::Heap heap, std::size_t at, Value value) {
  std::memcpy(reinterpret_cast<unsigned char*>(&heap) + at, &value, sizeof value);
  return heap;
}
template <class Value>
Value found(const Store::Heap& heap, std::size_t at) {
  Value value;
  std::memcpy(&value, reinterpret_cast<const unsigned char*>(&heap) + at, sizeof value);
  return value;
}
using Place = std::uint16_t;

/// At 100: neuron 0 has places 1, 3 and 4, of 100, 100 and 101; neuron 1 has place 2. No others have been used.
Store made() {
  Store store(100);
  for (const std::uint32_t event : {0U, 1U, 2U, 3U})
    REQUIRE(store.record(event == 1, 100 + event / 3, event) == gc::Recorded::stored);
  return store;
}
/// The same, and place 5 is free.
Store::Heap with_free() { return with(with(made().heap(), used, std::uint32_t{5}), free_places, std::uint32_t{5}); }

} // namespace

TEST_CASE("pool: chains that lead elsewhere are found", "[gc]") {
  const Store store = made();
  const Store::Heap heap = with_free();
  REQUIRE(store.is_consistent());
  REQUIRE(heap.is_consistent());
  REQUIRE(found<Place>(heap, first_of(0)) == 1);
  REQUIRE(found<Place>(heap, link_of(1)) == 3);
  REQUIRE(found<Place>(heap, link_of(3)) == 4);
  REQUIRE(found<Place>(heap, last_of(0)) == 4);
  const auto broken = [&](std::size_t at, auto value) { return !with(heap, at, value).is_consistent(); };
  // One end without the other.
  CHECK(broken(first_of(2), Place{5}));
  CHECK(broken(last_of(2), Place{5}));
  CHECK(broken(first_of(1), Place{0}));
  CHECK(broken(last_of(1), Place{0}));
  // A chain through a place of another, a free one, one never used, in a circle.
  for (const Place place : {Place{1}, Place{2}, Place{5}, Place{6}}) CHECK(broken(link_of(3), place));
  CHECK(broken(first_of(1), Place{4}));
  CHECK(broken(last_of(0), Place{3}));
  CHECK(broken(last_of(0), Place{2}));
  CHECK(broken(link_of(4), Place{5}));
  CHECK(broken(link_of(3), Place{0}));
  // As many events as are counted, as many places as were used.
  CHECK(broken(stored, std::uint32_t{5}));
  CHECK(broken(stored, std::uint32_t{3}));
  CHECK(broken(used, std::uint32_t{4}));
  CHECK(broken(used, std::uint32_t{6}));
  // The free ones: none, one that is taken, one never used, in a circle.
  for (const std::uint32_t place : {0U, 1U, 2U, 4U, 6U}) CHECK(broken(free_places, place));
  CHECK(broken(link_of(5), Place{5}));
  CHECK(broken(link_of(5), Place{1}));
  CHECK(broken(link_of(5), Place{6}));
  // A place in two chains, and a chain that ends before its last, with as many places as there must be.
  CHECK_FALSE(with(with(heap, link_of(3), Place{2}), last_of(0), Place{2}).is_consistent());
  const Store::Heap shorter =
      with(with(with(heap, link_of(3), Place{0}), stored, std::uint32_t{3}), link_of(5), Place{4});
  CHECK_FALSE(shorter.is_consistent());
  CHECK(with(shorter, last_of(0), Place{3}).is_consistent());
  // One more, with the place that was never used.
  const Store::Heap more = with(with(heap, used, std::uint32_t{6}), link_of(5), Place{6});
  CHECK(more.is_consistent());
  CHECK_FALSE(with(more, link_of(6), Place{5}).is_consistent());
}

TEST_CASE("pool: live events out of order are found", "[gc]") {
  const Store::Heap heap = made().heap();
  const auto broken = [&](std::uint32_t place, std::uint32_t time) {
    return !with(heap, time_of(place), time).is_consistent();
  };
  CHECK(broken(1, 102));
  CHECK(broken(1, 101));
  CHECK(broken(3, 102));
  CHECK(broken(3, 99));
  CHECK(broken(4, 99));
  CHECK_FALSE(broken(4, 100));
  CHECK_FALSE(broken(3, 101));
  CHECK_FALSE(broken(1, 90));
  // Before what is alive, the dead may stand in any order.
  const auto ordered = [&](std::uint32_t first, std::uint32_t second) {
    return with(with(heap, time_of(1), first), time_of(3), second).is_consistent();
  };
  CHECK(ordered(70, 60));
  CHECK(ordered(79, 78));
  CHECK(ordered(79, 80));
  CHECK_FALSE(ordered(81, 80));
  CHECK_FALSE(ordered(80, 79));
}
