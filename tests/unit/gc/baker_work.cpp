// SPDX-License-Identifier: BSL-1.0
// What a call of variable buffers does, to the word: whom it looks at, what it copies, what it leaves behind, and what
// memory it takes.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/trace_store.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

/// Events of two words; first buffers of two events, and so of five words. While more than three quarters of memory are
/// in use, calls copy.
template <std::uint32_t Neurons, std::size_t Words, std::size_t HeapWords>
using InTurn =
    TraceStore<std::uint32_t, Neurons,
               gc::Baker<gc::BakerOptions{.events = 200, .words = Words, .scan = 1, .heap_bytes = HeapWords * 4}>,
               gc::AgeWindow<20>>;

} // namespace

TEST_CASE("baker: an advance finds the dead of as many neurons as its words pay for", "[gc][baker]") {
  const auto found_with = [](auto words) {
    constexpr std::uint32_t neurons = 9;
    TraceStore<std::uint32_t, neurons,
               gc::Baker<gc::BakerOptions{.events = 200, .words = words(), .scan = 8, .heap_bytes = 1600}>,
               gc::AgeWindow<20>>
        store;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) REQUIRE(is_stored(store.record(neuron, 0, 1)));
    store.advance_to(21);
    return neurons - store.events();
  };
  // 20 words each; the last may take more than there are.
  CHECK(found_with(std::integral_constant<std::size_t, 39>{}) == 2);
  CHECK(found_with(std::integral_constant<std::size_t, 40>{}) == 2);
  CHECK(found_with(std::integral_constant<std::size_t, 41>{}) == 3);
  CHECK(found_with(std::integral_constant<std::size_t, 140>{}) == 7);
  CHECK(found_with(std::integral_constant<std::size_t, 1000>{}) == 8); // as many as `scan`
}

TEST_CASE("baker: a record that finds all places taken looks at its own neuron and at `scan` others", "[gc][baker]") {
  constexpr std::uint32_t neurons = 6;
  using Store =
      TraceStore<std::uint32_t, neurons, gc::Baker<gc::BakerOptions{.events = neurons, .scan = 2, .heap_bytes = 800}>,
                 gc::ReadCount<1>>;
  for (std::uint32_t dead = 0; dead < neurons; ++dead) {
    INFO("dead: " << dead);
    Store store;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) REQUIRE(is_stored(store.record(neuron, 0, 1)));
    (void)store.window(dead, 0U - 1U, 0);
    constexpr std::uint32_t own = 3;
    for (std::uint32_t looked = 0; dead != own && looked + 2 <= dead; looked += 2)
      CHECK(store.record(own, 0, 2) == gc::Recorded::refused_full);
    CHECK(store.record(own, 0, 2) == gc::Recorded::stored);
  }
}

TEST_CASE("baker: calls copy while more than three quarters of memory are in use", "[gc][baker]") {
  using Store = InTurn<16, 44, 100>;
  static_assert(!Store::Heap::never_too_late);
  Store store, more;
  for (std::uint32_t neuron = 0; neuron < 15; ++neuron) REQUIRE(is_stored(store.record(neuron, 0, 1)));
  CHECK(store.heap().used_words() == 75);
  CHECK_FALSE(store.heap().is_compacting());
  CHECK_FALSE(store.advance_to(1));
  CHECK(store.counts().moved_bytes == 0);
  // Four more that have a place of nine words, and one of five that is nobody's.
  for (const std::uint32_t neuron : {4U, 5U, 6U, 7U, 0U, 1U, 2U, 3U}) REQUIRE(is_stored(more.record(neuron, 0, 1)));
  for (const std::uint32_t neuron : {0U, 1U, 2U, 3U})
    for (unsigned times = 0; times < 2; ++times) REQUIRE(is_stored(more.record(neuron, 0, 1)));
  CHECK(more.heap().used_words() == 76);
  CHECK(more.heap().is_compacting());
  CHECK(more.advance_to(1));
}

TEST_CASE("baker: a record pays for its move, for what it copies and for what it leaves behind", "[gc][baker]") {
  using Store = InTurn<24, 36, 400>;
  static_assert(!Store::Heap::never_too_late);
  Store store;
  for (std::uint32_t event = 0; event < 2 * 24; ++event) REQUIRE(is_stored(store.record(event / 2, 0, event)));
  CHECK(store.heap().used_words() == 24 * 5);
  for (std::uint32_t neuron = 0; neuron < 20; ++neuron) REQUIRE(is_stored(store.record(neuron, 0, 1)));
  CHECK(store.heap().used_words() == 300); // 20 buffers of nine words more, and as many are nobody's
  REQUIRE(is_stored(store.record(0, 0, 1)));
  CHECK(store.heap().used_words() == 300);
  CHECK(store.counts().moved_bytes == 20 * 2 * 8);
  REQUIRE(is_stored(store.record(0, 0, 1))); // to 13 words: 12 for that, 8 copied, and 16 for two old buffers
  CHECK(store.counts().moved_bytes == 20 * 2 * 8 + 4 * 8);
  CHECK(store.heap().used_words() == 300 + 13 - 2 * 5);
  CHECK(store.is_consistent());
}

TEST_CASE("baker: what a call leaves over is for the next, but no more than it takes to begin a move", "[gc][baker]") {
  using Store = InTurn<61, 30, 400>;
  Store store;
  for (std::uint32_t neuron = 0; neuron < 61; ++neuron) REQUIRE(is_stored(store.record(neuron, 0, 1)));
  REQUIRE(store.heap().used_words() == 305);
  for (std::uint32_t calls = 1; calls <= 20; ++calls) {
    CHECK(store.advance_to(0)); // there is more to do
    const std::uint32_t moves = store.counts().moved_bytes / 8;
    CHECK(moves * (8 + 32 + 2) <= calls * 30 + 32);
    CHECK(moves >= calls / 3);
    // From 5 words to 7 each; of the last one, nothing may be copied yet.
    const std::uint32_t used = store.heap().used_words() - moves * 2;
    CHECK((used == 305 || used == 305 + 7));
  }
}

TEST_CASE("baker: a buffer may end with the last word of memory, and memory with a buffer", "[gc][baker]") {
  // As the copier frees the buffer of a dead event, each record takes five words behind the last.
  using Store = InTurn<16, 60, 100>;
  Store store;
  for (std::uint32_t neuron = 0; neuron < 15; ++neuron) REQUIRE(is_stored(store.record(neuron, 0, 1)));
  for (std::uint32_t now = 21; now < 21 + 30; ++now) store.advance_to(now);
  REQUIRE(store.events() == 0);
  for (std::uint32_t turn = 0; turn < 60; ++turn) {
    const std::uint32_t now = 51 + turn * 22, neuron = (turn + 15) % 16;
    REQUIRE(is_stored(store.record(neuron, now, 1)));
    CHECK(store.heap().used_words() == 75);
    for (std::uint32_t tick = 1; tick <= 22; ++tick) store.advance_to(now + tick);
    while (store.events() != 0) store.advance_to(now + 22);
    CHECK(store.is_consistent());
  }
  // A sixteenth of memory is left to the copier, and no more.
  TraceStore<std::uint32_t, 3,
             gc::Baker<gc::BakerOptions{.events = 46, .initial = 23, .words = 44, .scan = 1, .heap_bytes = 400}>,
             gc::AgeWindow<20>>
      two;
  REQUIRE(is_stored(two.record(0, 0, 1)));
  REQUIRE(is_stored(two.record(1, 0, 1)));
  CHECK(two.heap().came_too_late() == 0);
}
