// SPDX-License-Identifier: BSL-1.0
// Each invariant of the ring of all events is looked at: memory in which one does not hold is not consistent, and what
// is just allowed is. And which times a word has room for, by their definition.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <neuromorph/gc/fifo.hpp>
#include <neuromorph/gc/trace_store.hpp>

#include "tests/support/catch.hpp"

namespace {

using namespace neuromorph;

constexpr std::uint32_t window = 20, neurons = 3, events = 5, places = events + 1;
using Store = TraceStore<std::uint32_t, neurons, gc::Fifo<events>, gc::AgeWindow<window>>;
using Packed = gc::PackedHeader<places, neurons, window>;
static_assert(Packed::fits && std::bit_width(places - 1) == 3 && std::bit_width(neurons - 1) == 2);
constexpr std::uint32_t limit = 3 * (window + Packed::ahead) + 2 * Packed::slack;

/// Where a heap has what, in bytes.
constexpr std::size_t head = 0, tail = 4, marked = 28, marked_at = 32, last = 36, entries = 44;
static_assert(Store::Heap::bytes == entries + places * 8 && sizeof(Store::Heap) == Store::Heap::bytes);
constexpr std::size_t header(std::uint32_t place) { return entries + place * 8; }
constexpr std::uint32_t word(std::uint32_t time, std::uint32_t link, std::uint32_t neuron) {
  return time << 5 | link << 2 | neuron;
}

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

/// At 100: neuron 0 has events at 100 and 101 in places 0 and 4, neuron 1 one at 102 in place 5.
Store made() {
  Store store(100);
  REQUIRE(store.record(0, 100, 1) == gc::Recorded::stored);
  REQUIRE(store.record(1, 102, 2) == gc::Recorded::stored);
  REQUIRE(store.record(0, 101, 3) == gc::Recorded::stored);
  REQUIRE(found<std::uint32_t>(store.heap(), head) == 0);
  REQUIRE(found<std::uint32_t>(store.heap(), tail) == 3);
  REQUIRE(store.is_consistent());
  return store;
}

} // namespace

TEST_CASE("fifo: ends of the ring outside it are no ring", "[gc]") {
  const Store empty(1000);
  CHECK(empty.is_consistent()); // though what stands at its head is old
  // What has come is counted by the tail, so the mark goes with it.
  const auto is_ring = [&](std::uint32_t from, std::uint32_t to) {
    return with(with(with(empty.heap(), head, from), tail, to), marked, 0U - to).is_consistent();
  };
  for (std::uint32_t place = 0; place < places; ++place) CHECK(is_ring(place, place));
  CHECK_FALSE(is_ring(places, places));
  CHECK_FALSE(is_ring(0, places)); // as many events as an empty one has
  CHECK_FALSE(with(made().heap(), tail, std::uint32_t{4}).is_consistent());
}

TEST_CASE("fifo: what stands at the head of an empty ring looks alive until the next look", "[gc]") {
  Store store(80);
  store.advance_to(100); // the next look is slack later
  const std::uint32_t alive = 100 + Packed::slack - 1 - window;
  CHECK(store.is_consistent());
  CHECK(with(store.heap(), header(0), word(alive, 0, 0)).is_consistent());
  CHECK_FALSE(with(store.heap(), header(0), word(alive - 1, 0, 0)).is_consistent());
  // After clear, too.
  for (const std::uint32_t now : {0U, 100U, 5000U, 0x80000000U, 0xFFFFFFF0U}) {
    Store cleared(now);
    for (std::uint32_t step = 0; step < 30; ++step) {
      CHECK(cleared.record(step % neurons, now + step, step) == gc::Recorded::stored);
      if (step % 3 == 2) cleared.clear();
      cleared.advance_to(now + step + 1);
      CHECK(cleared.is_consistent());
    }
    CHECK(cleared.counts().cleared == 30);
  }
}

TEST_CASE("fifo: the mark is young, and not ahead of what has come", "[gc]") {
  const Store store = made();
  const std::uint32_t most = Store::Heap::longest_step + Packed::slack;
  CHECK_FALSE(with(store.heap(), marked_at, 100 - most).is_consistent());
  CHECK(with(store.heap(), marked_at, 100 - most + 1).is_consistent());
  const std::uint32_t stored = store.counts().stored;
  CHECK(with(store.heap(), marked, stored).is_consistent());
  CHECK(with(store.heap(), marked, stored - 0x7FFFFFFF).is_consistent());
  CHECK_FALSE(with(store.heap(), marked, stored - 0x80000000U).is_consistent());
  CHECK_FALSE(with(store.heap(), marked, stored + 1).is_consistent());
}

TEST_CASE("fifo: links that lead elsewhere are found", "[gc]") {
  const Store store = made();
  const auto broken = [&](std::size_t at, auto value) { return !with(store.heap(), at, value).is_consistent(); };
  REQUIRE(found<std::uint16_t>(store.heap(), last) == 4);
  REQUIRE(found<std::uint16_t>(store.heap(), last + 2) == 5);
  // A neuron's last event: outside, another's, an older one; of one that has none, any place will do.
  for (const std::size_t neuron : {0U, 1U, 2U}) CHECK(broken(last + 2 * neuron, std::uint16_t{places}));
  CHECK(broken(last, std::uint16_t{5}));
  CHECK(broken(last, std::uint16_t{0}));
  for (std::uint16_t place = 0; place < places; ++place) CHECK_FALSE(broken(last + 4, place));
  // The event of neuron 1 is its oldest: its link is to any place that is another neuron's.
  for (std::uint32_t link = 0; link < 8; ++link) {
    INFO("link " << link);
    CHECK(broken(header(5), word(102, link, 1)) == (link >= places));
  }
  CHECK(broken(header(5), word(102, 5, 2)));
  // The older one of neuron 0 by its neuron and its time.
  const auto older = found<std::uint32_t>(store.heap(), header(0));
  CHECK(older == word(100, older >> 2 & 7, 0));
  CHECK(broken(header(0), older | 1));
  CHECK(broken(header(0), older | 3));       // no neuron's
  CHECK_FALSE(broken(header(0), older | 2)); // its place is that of neuron 2, which has no other
  CHECK(broken(header(0), word(102, older >> 2 & 7, 0)));
  CHECK_FALSE(broken(header(0), word(101, older >> 2 & 7, 0)));
}

// Else what is behind an older one could be shown before it, or for ever.
TEST_CASE("fifo: links that do not lead towards the head are found", "[gc]") {
  Store store = made();
  REQUIRE(store.record(0, 103, 4) == gc::Recorded::stored); // after those in the places 4 and 0
  REQUIRE(store.is_consistent());
  REQUIRE(found<std::uint32_t>(store.heap(), header(3)) == word(103, 4, 0));
  REQUIRE(found<std::uint32_t>(store.heap(), header(4)) == word(101, 0 ^ 3, 0));
  REQUIRE(found<std::uint32_t>(store.heap(), header(0)) == word(100, 0 ^ 4, 0)); // the oldest leads to itself
  // From 3 to 0, and from there to 4, with times that are in that order.
  const Store::Heap away = with(with(store.heap(), header(3), word(103, 0, 0)), header(0), word(102, 4 ^ 3, 0));
  CHECK_FALSE(with(away, header(4), word(101, 4 ^ 0, 0)).is_consistent());
  CHECK_FALSE(with(away, header(4), word(101, 3 ^ 0, 0)).is_consistent()); // once round
}

TEST_CASE("fifo: no event is so old that it looks young", "[gc]") {
  const Store store = made();
  const std::uint32_t oldest = 100 + Packed::ahead - limit;
  CHECK(with(store.heap(), header(5), word(oldest, 5, 1)).is_consistent());
  CHECK_FALSE(with(store.heap(), header(5), word(oldest - 1, 5, 1)).is_consistent());
}

TEST_CASE("fifo: which times a word has room for, at run time", "[gc]") {
  for (const std::size_t all : {2U, 3U, 8U, 9U, 255U, 256U, 257U, 1451U, 4095U, 4097U, 16385U, 32768U, 65535U})
    for (const std::size_t of : {1U, 2U, 3U, 40U, 128U, 129U, 255U, 256U, 257U, 2048U, 65535U}) {
      unsigned time_bits = 32; // as many as are left by the others
      for (std::size_t numbers = 1; numbers < all; numbers *= 2) --time_bits;
      for (std::size_t numbers = 1; numbers < of; numbers *= 2) --time_bits;
      for (const std::uint32_t ticks : {0U, 20U, 500U, 1U << 20})
        for (unsigned bits = 0; bits < 31; ++bits)
          for (const std::uint32_t span : {ticks, (1U << bits) - 1, 1U << bits, (1U << bits) + 1}) {
            // Four times the window, and what is four ticks ahead, and twice the ticks between two looks, to either side.
            const std::uint64_t half = time_bits <= 32 ? (std::uint64_t{1} << time_bits) / 2 : 0;
            const std::uint64_t slack = std::min<std::uint64_t>(half / 64, 16);
            const bool fits = time_bits >= 9 && time_bits <= 32 && 4 * (std::uint64_t{span} + 4) + 2 * slack <= half;
            INFO(all << " places, " << of << " neurons, " << span << " ticks");
            REQUIRE(gc::packed_header_fits(all, of, span) == fits);
          }
    }
}

TEST_CASE("fifo: an event may be ahead as far as times stay apart, at run time", "[gc]") {
  for (unsigned bits = 9; bits <= 32; ++bits) {
    const std::uint32_t half = 1U << (bits - 1), slack = half / 64 < 16 ? half / 64 : 16;
    CHECK(gc::packed_slack(half) == slack);
    for (const std::uint32_t ticks :
         {0U, 1U, 2U, 5U, half / 16, half / 9, half / 8 - slack / 2 + 1, half / 8, half / 5, half / 4 - 1, half / 4}) {
      if (4 * ticks + 2 * slack > half) continue; // has no room for such a window
      // The largest for which the proof in docs/traces.md holds.
      const auto holds = [&](std::uint64_t ahead) { return 4 * (ticks + ahead) + 2 * slack <= half; };
      std::uint64_t low = 0, high = half;
      while (low != high) {
        const std::uint64_t middle = (low + high + 1) / 2;
        if (holds(middle))
          low = middle;
        else
          high = middle - 1;
      }
      INFO(bits << " bits, " << ticks << " ticks");
      REQUIRE(holds(0));
      CHECK(gc::packed_ahead(half, slack, ticks) == (std::min)(low, std::uint64_t{half / 8}));
    }
  }
}
