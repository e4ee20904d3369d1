// SPDX-License-Identifier: BSL-1.0
// Buffers that move a few words at a time: no call copies more, and every record finds room while the premises of the
// schedule hold. What is refused beyond them is counted. Interrupts may come at every place of a move.
#include <cstddef>
#include <cstdint>
#include <string>

#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/baker_collectors.hpp"
#include "tests/support/compaction_round.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

namespace {

using namespace neuromorph;
using namespace battery;

constexpr std::uint32_t window = 30;

/// What a stream of records did to a store.
struct Done {
  std::uint32_t refused_with_room = 0, late = 0, most_copied = 0, most_used = 0, words_copied = 0, full = 0;
  bool counts_agree = true;
};

/// Records of which the store is to have as much work as there can be: memory kept full, of neurons that grow together, in
/// turn, alone, or at random; silence now and then.
template <class Options, std::uint32_t Neurons>
Done stress(std::uint32_t seed, unsigned steps) {
  using Store = TraceStore<std::uint32_t, Neurons, Options, gc::AgeWindow<window>>;
  Store store(0U - 50U);
  Sfc32 random(StreamId{.seed = seed});
  Done done;
  std::uint32_t now = 0U - 50U, turn = 0, way = 0, before = 0;
  const auto after_call = [&] {
    const std::uint32_t moved = store.counts().moved_bytes;
    if (moved - before > done.most_copied) done.most_copied = moved - before;
    done.words_copied += (moved - before) / 4;
    before = moved;
    if (store.heap().used_words() > done.most_used) done.most_used = store.heap().used_words();
  };
  for (unsigned step = 0; step < steps; ++step) {
    if (step % 200 == 0) way = random.next() % 6;
    const std::uint32_t draw = random.next();
    const bool is_tick = way == 5 ? draw % 4 == 0 : draw % 128 == 0;
    if (is_tick) {
      now += (draw >> 8) % 64 == 0 ? window + 1 : 1;
      store.advance_to(now);
      after_call();
    }
    std::uint32_t neuron = (draw >> 16) % Neurons;
    if (way == 1) neuron = turn++ % Neurons;
    if (way == 2) neuron = turn++ / 4 % Neurons;
    if (way == 3) neuron = 1 % Neurons;
    if (way == 4) neuron = neuron * neuron / Neurons;
    const std::size_t in_memory = store.events();
    const std::uint32_t late = store.heap().came_too_late();
    const gc::Recorded outcome = store.record(neuron, now, step);
    after_call();
    if (outcome == gc::Recorded::stored) continue;
    ++done.full;
    const bool came_late = store.heap().came_too_late() != late;
    if (in_memory < store.heap().limit) ++done.refused_with_room;
    if (came_late) ++done.late;
    done.counts_agree = done.counts_agree && outcome == gc::Recorded::refused_full &&
                        came_late == (store.events() < store.heap().limit) && store.counts().refused_full == done.full;
  }
  done.counts_agree = done.counts_agree && store.is_consistent() && store.heap().came_too_late() == done.late;
  return done;
}

template <std::size_t Events, std::size_t Words, std::size_t Initial, std::size_t Extension, std::size_t HeapBytes = 0>
using Sized = gc::Baker<gc::BakerOptions{
    .events = Events, .initial = Initial, .extension = Extension, .words = Words, .scan = 3, .heap_bytes = HeapBytes}>;
template <std::size_t Events, std::size_t Words>
using ByAge = gc::Generational<gc::GenerationalOptions{.events = Events, .words = Words, .scan = 2}>;

} // namespace

TEMPLATE_TEST_CASE("baker: under the schedule the copier never comes too late", "[gc][baker]", (Sized<12, 64, 2, 1>),
                   (Sized<60, 64, 2, 1>), (Sized<60, 90, 1, 1>), (Sized<100, 128, 3, 4>), (Sized<200, 128, 2, 1>),
                   (ByAge<60, 80>)) {
  std::uint32_t copied = 0, full = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 3 : 40)) {
    const Done few = stress<TestType, 5>(seed, 6000), many = stress<TestType, 16>(seed, 6000);
    for (const Done& done : {few, many}) {
      CHECK(done.refused_with_room == 0);
      CHECK(done.late == 0);
      CHECK(done.most_copied <= 4 * TestType::numbers.words);
      CHECK(done.counts_agree);
      copied += done.words_copied;
      full += done.full;
    }
  }
  CHECK(copied > (sanitized ? 75 : 1000)); // else nothing was asked
  CHECK(full > (sanitized ? 7 : 100));
}

TEMPLATE_TEST_CASE("baker: what is refused beyond the schedule is counted", "[gc][baker]", (Sized<60, 64, 2, 1, 900>),
                   (Sized<200, 40, 2, 1, 2200>)) {
  std::uint32_t late = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 3 : 40)) {
    const Done done = stress<TestType, 16>(seed, 6000);
    CHECK(done.counts_agree);
    CHECK(done.most_copied <= 4 * TestType::numbers.words);
    late += done.late;
  }
  CHECK(late > 0);
}

TEMPLATE_TEST_CASE("baker: records may interrupt a move at every place", "[gc][baker]", BakerSlow, GenerationalSlow) {
  CompactionRound<TestType> one;
  CHECK(one.run(false) == "");
  CHECK(one.overlapped > 50);
  CompactionRound<TestType> two;
  CHECK(two.run(!sanitized) == "");
  CHECK(two.overlapped > (sanitized ? 100 : 1000));
}

TEMPLATE_TEST_CASE("baker: reads are counted while buffers move", "[gc][baker]", BakerSlow, BakerTight) {
  using namespace neuromorph::gc;
  for (const std::uint32_t seed : Seeds(sanitized ? 5 : 20)) {
    CHECK(random_steps<Pair<TestType, std::uint8_t, 5, 30, ReadCount<2>>>(seed, 1500, 0) == "");
    CHECK(random_steps<Pair<TestType, std::uint16_t, 3, 60, BothDead<AgeWindow<20>, ReadCount<2>>>>(seed, 1500, 0) ==
          "");
  }
}
