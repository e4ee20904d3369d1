// SPDX-License-Identifier: BSL-1.0
// Readers that come and go, of which each neuron has its own number, beside a model that knows for each event who has not
// read it yet.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/sliding.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using gc::AgeWindow, gc::BothDead, gc::EitherDead, gc::ReadCountPerNeuron;

namespace {

static_assert(gc::CountsReaders<ReadCountPerNeuron<>> && !gc::CountsReaders<gc::ReadCount<3>>);
static_assert(gc::CountsReaders<EitherDead<AgeWindow<20>, ReadCountPerNeuron<7>>>);
static_assert(!gc::CountsReaders<EitherDead<AgeWindow<20>, gc::ReadCount<3>>>);
static_assert(sizeof(ReadCountPerNeuron<254>::State) == 1 && sizeof(ReadCountPerNeuron<255>::State) == 2);

/// What age adds: when an event is dead that `left` have to read.
template <class Liveness>
struct Age;
template <std::uint16_t Most>
struct Age<ReadCountPerNeuron<Most>> {
  static bool is_dead(std::uint32_t, bool is_read) { return is_read; }
};
template <std::uint32_t Ticks, std::uint16_t Most>
struct Age<EitherDead<AgeWindow<Ticks>, ReadCountPerNeuron<Most>>> {
  static bool is_dead(std::uint32_t age, bool is_read) { return is_read || (age < 1U << 31 && age > Ticks); }
};
template <std::uint32_t Ticks, std::uint16_t Most>
struct Age<BothDead<AgeWindow<Ticks>, ReadCountPerNeuron<Most>>> {
  static bool is_dead(std::uint32_t age, bool is_read) { return is_read && age < 1U << 31 && age > Ticks; }
};

template <class Liveness>
class Model {
public:
  struct Event {
    std::uint32_t time, trace;
    std::set<unsigned> waits_for;
  };
  struct Reader {
    unsigned name;
    std::uint32_t until;
  };
  struct Neuron {
    std::vector<Event> events; // that are not gone
    std::vector<Reader> readers;
  };
  explicit Model(std::size_t neurons) : of(neurons) {}

  void settle(std::uint32_t now) {
    for (Neuron& neuron : of) {
      const auto is_dead = [&](const Event& event) {
        return Age<Liveness>::is_dead(now - event.time, event.waits_for.empty());
      };
      const auto first = std::find_if_not(neuron.events.begin(), neuron.events.end(), is_dead);
      for (auto event = neuron.events.begin(); event != first; ++event) unread += !event->waits_for.empty();
      neuron.events.erase(neuron.events.begin(), first);
    }
  }
  std::size_t live() const {
    std::size_t count = 0;
    for (const Neuron& neuron : of) count += neuron.events.size();
    return count;
  }
  std::vector<Neuron> of;
  std::size_t unread = 0;
};

template <class Collector, class Liveness>
std::string formation_and_elimination(std::uint32_t seed, std::uint32_t start, unsigned steps) {
  constexpr std::uint32_t neurons = 4, most = Liveness::most_readers;
  TraceStore<std::uint32_t, neurons, Collector, Liveness> store(start);
  Model<Liveness> model(neurons);
  Sfc32 random(StreamId{.seed = seed});
  const auto below = [&](std::uint32_t limit) { return random.next() % limit; };
  unsigned names = 0;
  std::uint32_t traces = 0;
  for (unsigned step = 0; step < steps; ++step) {
    const std::uint32_t now = store.now(), of = below(neurons), kind = below(16);
    auto& neuron = model.of[of];
    const std::string where = " of neuron " + std::to_string(of) + ", step " + std::to_string(step);
    /// All that the reader has not seen.
    const auto read = [&](std::size_t which, std::uint32_t until, bool is_last) -> std::string {
      auto& reader = neuron.readers[which];
      std::vector<std::pair<std::uint32_t, std::uint32_t>> expected, shown;
      for (auto& event : neuron.events)
        if (is_before(reader.until, event.time) && (is_last || !is_before(until, event.time))) {
          expected.push_back({event.time, event.trace});
          event.waits_for.erase(reader.name);
        }
      if (is_last) {
        if (!store.remove_reader(of, reader.until)) return "a reader cannot go";
        neuron.readers.erase(neuron.readers.begin() + static_cast<std::ptrdiff_t>(which));
      } else {
        for (const auto& [time, trace] : store.window(of, reader.until, until)) shown.push_back({time, trace});
        if (shown != expected)
          return "a reader is shown " + std::to_string(shown.size()) + " for " + std::to_string(expected.size());
        reader.until = until;
      }
      return "";
    };
    std::string wrong;
    if (kind < 3) {
      store.advance_to(now + below(kind == 0 ? 30 : 3));
    } else if (kind < 8) {
      const std::uint32_t time = now + (below(4) == 0 ? below(6) : 0);
      for (std::uint32_t times = below(6) == 0 ? 3 : 1; times != 0; --times)
        if (gc::is_stored(store.record(of, time, ++traces))) {
          neuron.events.push_back({time, traces, {}});
          for (const auto& reader : neuron.readers) neuron.events.back().waits_for.insert(reader.name);
        }
    } else if (kind < 10) {
      const std::uint32_t after = now - 1 - below(12);
      const bool may = neuron.readers.size() < most;
      if (store.add_reader(of, after) != may) wrong = "a reader is refused, or not";
      if (may) {
        for (auto& event : neuron.events)
          if (is_before(after, event.time) && !event.waits_for.empty()) event.waits_for.insert(names);
        neuron.readers.push_back({names++, after});
      }
    } else if (neuron.readers.empty()) {
      if (store.remove_reader(of, now)) wrong = "a reader goes that is not there";
    } else {
      const std::size_t which = below(static_cast<std::uint32_t>(neuron.readers.size()));
      // What is recorded later is of now at least: no window ends before all of it has come.
      const std::uint32_t until = now - 1 - below(2);
      if (!is_before(until, neuron.readers[which].until)) wrong = read(which, until, kind == 15);
    }
    model.settle(store.now());
    if (wrong.empty() && store.readers(of) != neuron.readers.size()) wrong = "readers are miscounted";
    if (wrong.empty() && store.events() < model.live()) wrong = "an event is gone that somebody waits for";
    if (wrong.empty() && !store.is_consistent()) wrong = "invariants do not hold";
    if (!wrong.empty()) return wrong + where + ", seed " + std::to_string(seed);
  }
  // When all have read, nothing is left.
  for (std::uint32_t of = 0; of < neurons; ++of)
    for (const auto& reader : model.of[of].readers) (void)store.remove_reader(of, reader.until);
  for (unsigned tick = 0; tick < 400; ++tick) store.advance_to(store.now() + 1);
  const gc::Counts counted = store.counts();
  if (store.events() != 0) return "events are left that nobody waits for, seed " + std::to_string(seed);
  if (counted.reclaimed_unread != model.unread) return "what died unread is miscounted, seed " + std::to_string(seed);
  return "";
}

} // namespace

TEMPLATE_TEST_CASE("readers: each sees every event once, whoever comes and goes", "[gc]", gc::Ring<40>,
                   (gc::Pool<150, 60>), gc::Sliding<150>) {
  const unsigned seeds = mutated ? 2 : sanitized ? 3 : 12;
  for (const std::uint32_t seed : Seeds(seeds))
    for (const std::uint32_t start : {0U, 0U - 300U, 0x80000000U - 300U}) {
      INFO("start " << start);
      CHECK(formation_and_elimination<TestType, ReadCountPerNeuron<5>>(seed, start, 1500) == "");
      CHECK(formation_and_elimination<TestType, ReadCountPerNeuron<>>(seed, start, 1500) == "");
      CHECK(formation_and_elimination<TestType, EitherDead<AgeWindow<20>, ReadCountPerNeuron<5>>>(seed, start, 1500) ==
            "");
      CHECK(formation_and_elimination<TestType, BothDead<AgeWindow<20>, ReadCountPerNeuron<5>>>(seed, start, 1500) ==
            "");
    }
}

TEST_CASE("readers: what a new one may miss, and what goes with the last", "[gc]") {
  TraceStore<std::int32_t, 2, gc::Ring<9>, ReadCountPerNeuron<2>> store(100);
  const auto seen = [&](std::uint32_t after, std::uint32_t until) {
    std::string text;
    for (const auto& [time, trace] : store.window(0, after, until)) text += std::to_string(trace) + " ";
    return text;
  };
  CHECK_FALSE(store.add_reader(2, 100));
  CHECK_FALSE(store.remove_reader(2, 100));
  CHECK_FALSE(store.remove_reader(0, 100));
  CHECK(store.readers(2) == 0);
  // Nobody waits for it.
  REQUIRE(gc::is_stored(store.record(0, 98, 1)));
  CHECK(seen(90, 100) == "");
  CHECK(store.newest(0).trace == 1);
  REQUIRE(store.add_reader(0, 90)); // one that is gone is missed
  REQUIRE(gc::is_stored(store.record(0, 99, 2)));
  REQUIRE(gc::is_stored(store.record(0, 100, 3)));
  CHECK(seen(90, 99) == "2 "); // and is gone
  REQUIRE(store.add_reader(0, 90));
  CHECK_FALSE(store.add_reader(0, 90)); // two at most
  CHECK(store.readers(0) == 2);
  CHECK(seen(90, 100) == "3 "); // the second one
  CHECK(seen(99, 100) == "3 "); // the first one
  CHECK(seen(90, 100) == "");
  REQUIRE(gc::is_stored(store.record(0, 101, 4)));
  CHECK(seen(100, 101) == "4 ");
  REQUIRE(store.remove_reader(0, 100)); // has its last read
  CHECK(seen(100, 101) == "");
  REQUIRE(gc::is_stored(store.record(0, 102, 5)));
  CHECK(seen(101, 102) == "5 ");
  CHECK(seen(101, 102) == "");
  CHECK(store.readers(0) == 1);
  CHECK(store.counts().reclaimed_unread == 0);
}

// As late as an event may be, and a tick later than the clock shows, and so on: none of them is forgotten by who reads.
TEMPLATE_TEST_CASE("readers: events ahead of the clock have a new reader, and the last read of one that goes", "[gc]",
                   gc::Ring<9>, (gc::Pool<9, 99>), gc::Sliding<9>) {
  for (const std::uint32_t start : {0U, 0U - 5U, 0x80000000U - 5U})
    for (const std::uint32_t before : {0U, 1U, 2U, 40U}) {
      TraceStore<std::int32_t, 2, TestType, ReadCountPerNeuron<2>> store(start);
      const std::uint32_t time = start + store.ahead - before;
      INFO("start " << start << ", " << before << " ticks before the latest");
      const auto seen = [&] {
        unsigned events = 0;
        for (const auto& event : store.window(1, start - 1, start + store.ahead)) events += event.time == time;
        return events;
      };
      REQUIRE(store.add_reader(1, start));
      REQUIRE(store.record(1, time, 1) == gc::Recorded::stored);
      REQUIRE(store.add_reader(1, start)); // two wait for it now
      CHECK(seen() == 1);
      CHECK(seen() == 1);
      CHECK(seen() == 0);
      REQUIRE(store.record(1, time, 2) == gc::Recorded::stored);
      CHECK(seen() == 1);
      REQUIRE(store.remove_reader(1, start)); // the other one
      CHECK(seen() == 0);
      for (unsigned tick = 1; tick <= 9; ++tick) store.advance_to(start + tick);
      CHECK(store.events() == 0);
      CHECK(store.counts().reclaimed_unread == 0);
    }
}
