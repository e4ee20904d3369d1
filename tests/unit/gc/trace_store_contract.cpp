// SPDX-License-Identifier: BSL-1.0
// What the front of a trace store promises its collector (gc/collector.hpp), by one that keeps a list and notes each
// call that it should not have had; by the battery, too, and with checks of level 2.
#undef NEUROMORPH_CHECKS
#define NEUROMORPH_CHECKS 2
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <neuromorph/gc/trace_store.hpp>

#include "tests/reference/trace_model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"
#include "tests/support/trace_battery.hpp"

namespace {

using namespace neuromorph;
using gc::Recorded;

/// Dies of age, without saying so in a window.
struct Mortal {
  using Offers = offer::List<>;
  using State = gc::NoState;
  static constexpr bool in_time_order = true;
  static constexpr void read(State&) noexcept {}
  [[nodiscard]] static constexpr bool is_dead(State, std::uint32_t time, std::uint32_t now) noexcept {
    return is_before(time + 20, now);
  }
};

struct Noted {
  static inline std::string rule; ///< the last one that was not kept
  static inline bool torn = false;
  static void ask(bool kept, const char* which) {
    if (!kept) rule = which;
  }
};

/// \tparam leaps   whether it offers `leap`
/// \tparam fast    whether it offers `record_fast` and `advance_fast`, which do two of three
template <std::size_t Events, bool leaps, bool fast, std::uint32_t longest = 30>
struct Strict {
  template <class Layout>
  class Heap {
    using Trace = typename Layout::Trace;
    struct Event {
      std::uint32_t neuron, time;
      Trace trace;
    };

  public:
    using Offers = offer::List<offer::When<leaps, offer::Leap>, offer::When<fast, offer::RecordFast>,
                               offer::When<fast, offer::AdvanceFast>>;
    static constexpr std::size_t bytes = Events * sizeof(Event);
    static constexpr std::uint32_t ahead = 50, longest_step = longest;
    static constexpr bool keeps_views = false;

    explicit constexpr Heap(std::uint32_t start) noexcept : now_(start) {}
    [[nodiscard]] constexpr std::uint32_t now() const noexcept { return now_; }
    [[nodiscard]] constexpr std::size_t events() const noexcept { return count_; }

    constexpr Recorded record(std::uint32_t neuron, std::uint32_t time, const Trace& trace, bool is_linked) noexcept {
      check_event(neuron, time, "record");
      check_order(neuron, time, is_linked);
      if (count_ == Events) return Recorded::refused_full;
      store(neuron, time, trace);
      return Recorded::stored;
    }
    constexpr bool record_fast(std::uint32_t neuron, std::uint32_t time, const Trace& trace,
                               std::uint32_t now) noexcept requires fast {
      check_event(neuron, time, "record_fast");
      Noted::ask(now == now_, "record_fast has the heap's clock");
      check_order(neuron, time, true);
      if (++asked_ % 3 == 0 || count_ == Events) return false;
      store(neuron, time, trace);
      return true;
    }

    class Cursor {
    public:
      constexpr Cursor(const Heap& heap, std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept
          : heap_(&heap), neuron_(neuron), after_(after), until_(until) {
        find();
      }
      [[nodiscard]] constexpr Cursor before() const noexcept {
        Cursor only(*heap_, neuron_, after_, after_ - 1); // empty
        for (std::size_t at = 0; at < heap_->count_; ++at)
          if (heap_->events_[at].neuron == neuron_ && !is_before(after_, heap_->events_[at].time))
            only.at_ = at, only.until_ = heap_->events_[at].time;
        return only;
      }
      [[nodiscard]] constexpr bool done() const noexcept { return at_ == heap_->count_; }
      [[nodiscard]] constexpr std::uint32_t time() const noexcept { return heap_->events_[at_].time; }
      [[nodiscard]] constexpr const Trace& trace() const noexcept { return heap_->events_[at_].trace; }
      constexpr void advance() noexcept { ++at_, find(); }

    private:
      constexpr void find() noexcept {
        const auto shows = [this](const Event& event) {
          return event.neuron == neuron_ && is_before(after_, event.time) && !is_before(until_, event.time);
        };
        while (!done() && !shows(heap_->events_[at_])) ++at_;
      }
      const Heap* heap_;
      std::uint32_t neuron_, after_, until_;
      std::size_t at_ = 0;
    };
    [[nodiscard]] constexpr Cursor window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
      return look(neuron, after, until);
    }
    [[nodiscard]] constexpr Cursor look(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) noexcept {
      Noted::ask(neuron < Layout::neurons, "a window is of a neuron that exists");
      const std::uint32_t oldest = now_ - Layout::window - 1, most = Layout::window + 1 + ahead;
      Noted::ask(after - oldest <= most && until - oldest <= most, "bounds of a window are within reach");
      return {*this, neuron, after, until};
    }

    constexpr bool advance_to(std::uint32_t now) noexcept {
      Noted::ask(now - now_ <= longest_step, "an advance is not longer than longest_step");
      step_to(now);
      ++steps_;
      return false;
    }
    constexpr bool advance_fast(std::uint32_t now) noexcept requires fast {
      if (++asked_ % 3 == 0 || now - now_ > longest_step) return false;
      return !advance_to(now);
    }
    constexpr void leap(std::uint32_t now) noexcept requires leaps {
      Noted::ask(now - now_ > longest_step && !is_before(now, now_), "a leap is longer than longest_step");
      step_to(now);
      ++leaps_;
    }
    constexpr void clear() noexcept { cleared_ += static_cast<std::uint32_t>(count_), count_ = 0; }
    constexpr void add_to(gc::Counts& counts) const noexcept {
      counts.stored += stored_;
      counts.reclaimed += reclaimed_;
      counts.cleared += cleared_;
      counts.most_events += most_;
    }
    [[nodiscard]] constexpr bool is_consistent() const noexcept { return !is_torn_ && !Noted::torn; }
    [[nodiscard]] constexpr std::uint32_t steps() const noexcept { return steps_; }
    [[nodiscard]] constexpr std::uint32_t leaps_made() const noexcept { return leaps_; }

  private:
    constexpr void check_event(std::uint32_t neuron, std::uint32_t time, const char* where) const noexcept {
      Noted::ask(neuron < Layout::neurons, where);
      Noted::ask(!is_before(now_ + ahead, time), where);
      Noted::ask(!Layout::is_dead({}, time, now_), where);
    }
    constexpr void check_order(std::uint32_t neuron, std::uint32_t time, bool is_linked) const noexcept {
      bool is_ordered = true, is_before_alive = false;
      for (std::size_t at = 0; at < count_; ++at) {
        if (events_[at].neuron != neuron) continue;
        is_ordered = is_ordered && !is_before(time, events_[at].time);
        is_before_alive = is_before_alive || !is_before(events_[at].time, now_ - Layout::window);
      }
      Noted::ask(is_ordered, "no event of the neuron is younger than what is recorded");
      const bool is_said =
          gc::HasWindow<typename Layout::Liveness> ? is_linked == is_before_alive : is_linked || !is_before_alive;
      Noted::ask(is_said, "whether the neuron's last event is not older than the window");
    }
    constexpr void store(std::uint32_t neuron, std::uint32_t time, const Trace& trace) noexcept {
      events_[count_++] = {neuron, time, trace};
      ++stored_;
      if (count_ > most_) most_ = static_cast<std::uint32_t>(count_);
    }
    /// In the middle of it invariants do not hold.
    constexpr void step_to(std::uint32_t now) noexcept {
      is_torn_ = true;
      Layout::Hook::between();
      now_ = now;
      std::size_t kept = 0;
      for (std::size_t at = 0; at < count_; ++at)
        if (!Layout::is_dead({}, events_[at].time, now_)) events_[kept++] = events_[at];
      reclaimed_ += static_cast<std::uint32_t>(count_ - kept);
      count_ = kept;
      is_torn_ = false;
      Layout::Hook::between();
    }

    std::array<Event, Events> events_{};
    std::size_t count_ = 0;
    std::uint32_t now_, asked_ = 0, steps_ = 0, leaps_ = 0, stored_ = 0, reclaimed_ = 0, most_ = 0;
    std::uint32_t cleared_ = 0;
    bool is_torn_ = false;
  };
};

/// For the battery.
template <bool leaps, bool fast>
struct StrictCase {
  template <std::size_t Neurons, std::size_t Events>
  using Collector = Strict<Events, leaps, fast, leaps ? 30 : 1U << 24>; // 2^31 ticks are few steps
  static constexpr bool gives_way = false;
  static constexpr reference::Victim victim = reference::Victim::oldest_of_all;
  template <std::size_t Events, class Model>
  static bool must_fit(const Model& model, std::uint32_t) {
    return model.live() < Events;
  }
};

template <bool leaps, bool fast, class Liveness, std::size_t Neurons>
void run_battery(std::uint32_t seed) {
  using Pair = battery::Pair<StrictCase<leaps, fast>, std::uint32_t, Neurons, 12, Liveness>;
  Noted::rule.clear();
  INFO("leaps " << leaps << ", fast " << fast << ", neurons " << Neurons);
  REQUIRE(battery::random_steps<Pair>(seed, 400, seed % 2 == 0 ? 0U - 300U : 5U) == "");
  REQUIRE(Noted::rule == "");
  REQUIRE(battery::all_times<Pair>(seed, 200) == "");
  REQUIRE(Noted::rule == "");
}

} // namespace

template <>
struct reference::Death<Mortal> {
  static constexpr unsigned reads = 0;
  static bool has_come(std::int64_t age, unsigned) { return age > 20; }
};

TEST_CASE("trace_store: a collector gets no argument that it must not get", "[gc]") {
  for (const std::uint32_t seed : Seeds(30)) {
    run_battery<false, false, gc::AgeWindow<20>, 3>(seed);
    run_battery<true, true, gc::AgeWindow<20>, 1>(seed);
    run_battery<true, true, gc::AgeWindow<20>, 4>(seed);
    run_battery<true, false, Mortal, 2>(seed);
  }
}

TEST_CASE("trace_store: bounds of windows are told apart to the tick", "[gc]") {
  Noted::rule.clear();
  for (const std::uint32_t start : {100U, 0U - 10U, 0x7FFF'FFF0U}) {
    using Store = TraceStore<std::uint32_t, 1, Strict<99, true, true>, gc::AgeWindow<20>>;
    for (int recorded = -20; recorded <= 50; ++recorded) {
      Store store(start);
      const auto at = [&](int offset) { return start + static_cast<std::uint32_t>(offset); };
      REQUIRE(store.record(0, at(recorded), 7) == Recorded::stored);
      for (int bound = -30; bound <= 60; ++bound) {
        INFO("start " << start << ", event " << recorded << ", bound " << bound);
        REQUIRE(store.window(0, at(-21), at(bound)).empty() == (recorded > bound));
        REQUIRE(store.window(0, at(bound), at(60)).empty() == (recorded <= bound));
        REQUIRE(store.window(1, at(-21), at(bound)).empty()); // no such neuron
        REQUIRE(store.window(0, at(bound), at(60)).is_complete() == (bound >= -21));
      }
      REQUIRE(Noted::rule == "");
    }
  }
}

namespace {

/// Two events as far apart as may be, and nothing of it is kept by the time a row asks.
template <std::uint32_t Window>
void far_apart() {
  Noted::rule.clear();
  TraceStore<std::uint32_t, 1, Strict<9, false, true, 1U << 20>, gc::AgeWindow<Window>> store(0U - 100U);
  const std::uint32_t first = 0U - 100U, last = first + Window + store.ahead;
  REQUIRE(store.record(0, first, 1) == Recorded::stored);
  store.advance_to(first + Window);
  REQUIRE(store.record(0, last, 2) == Recorded::stored);
  store.advance_to(last + Window + 1);
  for (const std::uint32_t since : {1U, 2U, 100U, 65534U, 65535U, 65536U}) {
    INFO("window " << Window << ", asked for " << since);
    unsigned before = 0, shown = 0;
    const bool is_complete =
        store.past(last - since, last)
            .of(
                0, [&](std::uint32_t, std::uint32_t) { ++before; },
                [&](std::uint32_t time, std::uint32_t trace) { shown += time == last && trace == 2; });
    // It is the only one since then, and known as the newest: for as long as intervals are told apart.
    const bool is_alone = since <= last - first && since <= 65535;
    CHECK(is_complete == is_alone);
    CHECK(shown == 1);
    CHECK(before == 0);
  }
  CHECK(Noted::rule == "");
}

} // namespace

TEST_CASE("trace_store: a neuron's only event is told where the interval before it is as long as can be told", "[gc]") {
  far_apart<65480>();
  far_apart<65484>();
  far_apart<65485>(); // 65535 with what is ahead
  far_apart<65486>();
  far_apart<65487>();
  far_apart<70000>();
}

TEMPLATE_TEST_CASE("trace_store: an advance is one step, a long one a leap and a step or as many as it takes", "[gc]",
                   (Strict<9, true, true>), (Strict<9, true, false>), (Strict<9, false, true>),
                   (Strict<9, false, false>)) {
  constexpr bool leaps =
      std::is_same_v<TestType, Strict<9, true, true>> || std::is_same_v<TestType, Strict<9, true, false>>;
  Noted::rule.clear();
  TraceStore<std::uint32_t, 2, TestType, gc::AgeWindow<20>> store(0U - 5000U);
  std::uint32_t steps = 0, made = 0;
  for (std::uint32_t by = 0; by <= 200; ++by)
    for (unsigned time = 0; time < 3; ++time) { // with the quick way, and without
      REQUIRE_FALSE(store.advance_to(store.now() + by));
      const bool is_long = by > 30;
      steps += leaps || !is_long ? 1 : (by + 29) / 30;
      made += leaps && is_long;
      INFO("by " << by);
      REQUIRE(store.heap().steps() == steps);
      REQUIRE(store.heap().leaps_made() == made);
      REQUIRE(Noted::rule == "");
    }
}

TEST_CASE("trace_store: invariants are looked at after each step, and not within an advance", "[gc]") {
  using Store = TraceStore<std::uint32_t, 2, Strict<200, true, true>, gc::AgeWindow<20>, battery::Machine<true>,
                           battery::InterruptHook>;
  SECTION("an interrupt that comes within an advance may find them torn") {
    for (const std::uint32_t by : {1U, 30U, 31U, 1000U})
      for (long place = 0; place < 40; ++place) {
        Store store;
        static bool has_come;
        has_come = false;
        for (unsigned time = 0; time < 3; ++time) { // with the quick way, and without
          battery::Interrupt::context = &store;
          battery::Interrupt::handler = [](void* of) {
            has_come = true;
            auto& interrupted = *static_cast<Store*>(of);
            CHECK(interrupted.record(1, interrupted.now() + 10, 1) == Recorded::stored);
          };
          battery::Interrupt::places_left = place;
          store.advance_to(store.now() + by);
          battery::Interrupt::places_left = -1;
          store.record(0, store.now(), 2);
        }
        INFO("by " << by << ", place " << place);
        CHECK(store.counts().broken == 0);
        CHECK((has_come || place > 3));
      }
  }
  SECTION("each step counts one that is broken") {
    Store store;
    std::uint32_t broken = 0;
    for (unsigned turn = 0; turn < 12; ++turn) {
      const auto count = [&](auto step) {
        step();
        REQUIRE(store.counts().broken == broken);
        Noted::torn = true;
        step();
        Noted::torn = false;
        REQUIRE(store.counts().broken == ++broken);
      };
      count([&] { store.record(turn % 2, store.now(), turn); });
      count([&] { store.advance_to(store.now() + 1); });
      count([&] { store.advance_to(store.now() + 99); });
      count([&] { store.clear(); });
    }
  }
}

TEST_CASE("trace_store: each use of a stale view counts", "[gc]") {
  TraceStore<std::uint32_t, 2, Strict<9, true, true>, gc::AgeWindow<20>> store;
  for (std::uint32_t trace = 0; trace < 4; ++trace) REQUIRE(store.record(0, 0, trace) == Recorded::stored);
  const auto view = store.window(0, 0U - 1, 0);
  auto at = view.begin();
  (void)*++at;
  REQUIRE(store.counts().stale_views == 0);
  store.record(1, 0, 9);
  CHECK(at == view.end());
  CHECK(store.counts().stale_views == 0); // to ask whether it is over is no use
  (void)*at;
  CHECK(store.counts().stale_views == 1);
  ++at;
  CHECK(store.counts().stale_views == 2);
  (void)view.begin();
  CHECK(store.counts().stale_views == 3);
  CHECK(view.empty());
  CHECK(store.counts().stale_views == 4);
}
