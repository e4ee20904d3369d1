// SPDX-License-Identifier: BSL-1.0
// A store's records, scans and compactions as scopes, with each collector and random streams: how many there are and how
// they nest against what the store's counters say of each call; that they are written with interrupts kept out; and that the
// store is the same with them as without.
#include <array>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include <neuromorph/core/core.hpp>
#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/profiled_traces.hpp>
#include <neuromorph/gc/baker.hpp>
#include <neuromorph/gc/generational.hpp>
#include <neuromorph/neuromorph.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

unsigned locks = 0;
struct Locking : target::Generic {
  struct InterruptLock {
    InterruptLock() noexcept { ++locks; }
    ~InterruptLock() { --locks; }
    InterruptLock(const InterruptLock&) = delete;
    InterruptLock& operator=(const InterruptLock&) = delete;
  };
};

/// Notes each scope when it ends, and what it is in.
struct Noted {
  std::uint32_t tag, began, ended;
};
using Tags = firmware::ProfileTags<"record", "scan", "compaction">;
enum Tag : std::uint32_t { record, scan, compaction };
struct Notes {
  using Since = std::uint32_t;
  static constexpr bool is_on = true;
  template <firmware::ProfileName Name>
  static constexpr std::uint32_t tag = Tags::number<Name>();
  std::vector<Noted> scopes{};
  std::uint32_t now = 0, unlocked = 0;
  Since enter() { return ++now; }
  void exit(std::uint32_t tag_of, Since since) {
    unlocked += locks == 0 ? 1 : 0;
    scopes.push_back({tag_of, since, ++now});
  }
  static bool step(std::uint32_t) { return true; }
  static bool announce() { return true; }
  static bool report() { return true; }

  /// Of a tag; and those of them that are in one of another.
  [[nodiscard]] std::size_t count(std::uint32_t of) const {
    std::size_t found = 0;
    for (const Noted& scope : scopes) found += scope.tag == of ? 1 : 0;
    return found;
  }
  [[nodiscard]] std::size_t count_in(std::uint32_t of, std::uint32_t outer) const {
    std::size_t found = 0;
    for (const Noted& scope : scopes)
      for (const Noted& around : scopes)
        found += scope.tag == of && around.tag == outer && around.began < scope.began && scope.ended < around.ended;
    return found;
  }
};
static_assert(firmware::Profiler<Notes>);
Notes notes;
using Hook = firmware::ProfiledTraces<notes, "record", "scan", "compaction", Locking>;

/// What of an advance, and of a record, is a scope; `moved` bytes are what a compaction has copied.
struct Fifo {
  using Collector = gc::Fifo<30>;
  static constexpr bool compacts = false, scans_always = false, scans_in_records = false;
};
struct Ring {
  using Collector = gc::Ring<3>;
  static constexpr bool compacts = false, scans_always = true, scans_in_records = false;
};
struct Pool {
  using Collector = gc::Pool<25, 4>;
  static constexpr std::size_t room = 25;
  static constexpr bool compacts = false, scans_always = true, scans_in_records = true;
};
struct Sliding {
  using Collector = gc::Sliding<25>;
  static constexpr bool compacts = true, scans_always = true, scans_in_records = false;
};
struct Baker {
  using Collector = gc::Baker<gc::BakerOptions{.events = 30, .words = 40, .heap_bytes = 500}>;
  static constexpr std::size_t room = 30;
  static constexpr bool compacts = true, scans_always = true, scans_in_records = true;
};
struct Generational {
  using Collector = gc::Generational<gc::GenerationalOptions{.events = 30, .words = 40, .heap_bytes = 500}>;
  static constexpr std::size_t room = 30;
  static constexpr bool compacts = true, scans_always = true, scans_in_records = true;
};

constexpr std::uint32_t neurons = 8;
template <class Case, class WithHook>
using Store = TraceStore<std::uint32_t, neurons, typename Case::Collector, gc::AgeWindow<40>, Locking, WithHook>;

template <class Case>
constexpr bool has_buffers = requires(Store<Case, Hook>& store) {
  store.heap().is_compacting();
};

} // namespace

TEMPLATE_TEST_CASE("profiled traces: scopes are what the store does", "[firmware][profiler]", Fifo, Ring, Pool, Sliding,
                   Baker, Generational) {
  std::size_t compactions = 0, scans = 0, record_scans = 0, quiet_advances = 0, records = 0;
  for (const std::uint32_t seed : Seeds(60)) {
    std::mt19937 engine(seed);
    const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
    const std::uint32_t start = random();
    Store<TestType, Hook> profiled(start);
    Store<TestType, gc::NoHook> plain(start);
    std::uint32_t now = start;
    const std::uint32_t rate = 1 + random() % 12;
    for (int tick = 0; tick < 400; ++tick) {
      now += random() % 50 == 0 ? random() % 100 : 1;
      notes.scopes.clear(), notes.unlocked = 0;
      std::uint32_t moved = profiled.counts().moved_bytes, reclaimed = profiled.counts().reclaimed;
      bool was_compacting = false;
      if constexpr (has_buffers<TestType>) was_compacting = profiled.heap().is_compacting();
      const bool more = profiled.advance_to(now);
      REQUIRE(more == plain.advance_to(now));
      bool has_moved = profiled.counts().moved_bytes != moved;
      bool is_right = notes.count(record) == 0 && notes.unlocked == 0;
      is_right &= TestType::scans_always ? notes.count(scan) == 1 : notes.count(scan) <= 1;
      // What an advance gives back is found by a scan, or dropped by a compaction.
      if (profiled.counts().reclaimed != reclaimed) is_right &= notes.count(scan) + notes.count(compaction) != 0;
      if constexpr (has_buffers<TestType>)
        is_right &= (!has_moved || notes.count(compaction) == 1) && (was_compacting || notes.count(compaction) == 0);
      else
        is_right &=
            has_moved == (notes.count(compaction) != 0) && notes.count_in(compaction, scan) == notes.count(compaction);
      if (!is_right) FAIL("seed " << seed << ", advance at " << tick);
      compactions += notes.count(compaction), scans += notes.count(scan),
          quiet_advances += notes.scopes.empty() ? 1U : 0U;

      for (std::uint32_t event = random() % rate; event != 0; --event) {
        notes.scopes.clear(), notes.unlocked = 0;
        moved = profiled.counts().moved_bytes;
        const std::uint32_t neuron = random() % (neurons + 1), trace = random();
        const std::uint32_t time = now - (random() % 20 == 0 ? random() % 60 : 0);
        const std::size_t in_memory = profiled.events();
        const gc::Recorded outcome = profiled.record(neuron, time, trace);
        REQUIRE(outcome == plain.record(neuron, time, trace));
        has_moved = profiled.counts().moved_bytes != moved;
        is_right = notes.count(record) == 1 && notes.unlocked == 0 && notes.scopes.back().tag == record;
        is_right &= notes.count_in(scan, record) == notes.count(scan) && notes.count(scan) <= 1;
        is_right &= notes.count_in(compaction, record) == notes.count(compaction);
        // A record looks for dead events where there is no room, unless it is refused before.
        if constexpr (TestType::scans_in_records)
          is_right &=
              in_memory == TestType::room ? notes.count(scan) == 1 || !gc::is_stored(outcome) : notes.count(scan) == 0;
        else
          is_right &= notes.count(scan) == 0;
        if constexpr (!has_buffers<TestType>) is_right &= has_moved == (notes.count(compaction) != 0);
        if (!is_right) FAIL("seed " << seed << ", record at " << tick);
        ++records, record_scans += notes.count(scan), compactions += notes.count(compaction);
      }
      if (tick % 16 == 0) // what is shown is the same
        for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
          std::vector<std::uint32_t> first, second;
          for (const auto& event : profiled.window(neuron, now - 41, now)) first.push_back(event.trace);
          for (const auto& event : plain.window(neuron, now - 41, now)) second.push_back(event.trace);
          if (first != second) FAIL("seed " << seed << ", window at " << tick);
        }
    }
    REQUIRE(profiled.counts() == plain.counts());
    REQUIRE(locks == 0);
  }
  CHECK(records > 10000);
  CHECK(scans > 500);
  CHECK((compactions > 200) == TestType::compacts);
  CHECK((record_scans > 100) == TestType::scans_in_records);
  CHECK((quiet_advances > 1000) == !TestType::scans_always); // the clock alone is no scan
}

namespace {

struct Clock {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
  static Tick now() noexcept { return time; }
  static inline Tick time = 0;
};
firmware::Mailbox<firmware::Channel<"prof", 256>> mailbox;
constinit firmware::SummarisedProfiler summarised(Tags{}, Clock{}, mailbox.writer<"prof">());
constexpr firmware::NoProfiler off(Tags{});
template <auto& profiler>
using Named = firmware::ProfiledTraces<profiler, "record", "scan", "compaction">;

} // namespace

TEST_CASE("profiled traces: in a core's history, and off", "[firmware][profiler]") {
  mailbox.start(1000, 1);
  using History = CoreHistory<500, gc::Ring<4>, Named<summarised>>;
  typename History::Store<std::uint32_t, 10> store;
  for (std::uint32_t now = 1; now <= 100; ++now) {
    store.advance_to(now);
    store.record(now % 11, now, now); // neuron 10 is refused
  }
  CHECK(summarised.summary(record).count == 100);
  CHECK(summarised.summary(scan).count == 100);
  CHECK(summarised.summary(compaction).count == 0);

  STATIC_REQUIRE(std::is_same_v<Named<off>, gc::NoHook>);
}
