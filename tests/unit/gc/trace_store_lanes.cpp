// SPDX-License-Identifier: BSL-1.0
// What a store shows of several neurons at once where a machine has lanes, here in plain C++, at all times that there are:
// beside lists of all that was ever stored.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/unsigned_lanes.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

constexpr std::uint32_t neurons = 6, kept = 8; // events of a neuron that lanes see

struct Wide : target::Generic {
  using UnsignedLanes = target::GenericUnsignedLanes<neurons>;
};
static_assert(target::SaysItsLoops<Wide>);

struct Pair {
  std::uint32_t number, mirrored;
  Pair(std::uint32_t of) : number(of), mirrored(~of) {}
};

template <class Trace, class Collector, std::uint32_t Window>
class Watch {
  using Store = TraceStore<Trace, neurons, Collector, gc::AgeWindow<Window>, Wide>;

public:
  Watch(std::uint32_t seed, std::uint32_t start)
      : random_(StreamId{.seed = seed}), store_(start), now_(std::int64_t{1} << 40 | start) {}

  std::string run(unsigned steps) {
    std::string wrong = look(now() - 1, now(), 0); // nothing has been
    std::uint32_t pace = 0;
    for (unsigned step = 0; step < steps && wrong.empty(); ++step) {
      if (step % 40 == 0) pace = below(4);
      const std::uint32_t kind = below(64);
      if (kind < 16)
        advance(pace);
      else if (kind < 48)
        burst();
      else if (kind == 48 && below(4) == 0)
        clear();
      else
        wrong = look_somewhere();
      if (!wrong.empty()) wrong += " at step " + std::to_string(step);
    }
    if (wrong.empty() && (shown_ < steps / 16 || hidden_ == 0 || events_ == 0)) wrong = "nothing has been tried";
    return wrong;
  }

private:
  struct Event {
    std::int64_t time;
    std::uint32_t number;
  };
  std::uint32_t below(std::uint32_t limit) { return random_.next() % limit; }
  std::uint32_t any(std::uint32_t most) {
    const std::uint32_t word = random_.next(), by = below(32);
    return (word >> by) % most;
  }
  std::uint32_t now() const { return static_cast<std::uint32_t>(now_); }
  std::int64_t extended(std::uint32_t time) const { return now_ + static_cast<std::int32_t>(time - now()); }

  void advance(std::uint32_t pace) {
    std::uint32_t by = below(3);
    if (pace == 1) by = below(Window < 100 ? 2 * Window + 2 : 200);
    if (pace == 2 && below(8) == 0) by = any(0x80000000U);
    if (pace == 3) by = (1U << 26) + below(3) - 1; // a range of the clock in 64
    store_.advance_to(now() + by);
    now_ += by;
  }
  void burst() {
    const std::uint32_t neuron = below(neurons);
    for (std::uint32_t times = below(8) == 0 ? below(12) : 1; times != 0; --times) {
      const std::uint32_t time =
          now() + (below(8) == 0 ? any(Store::ahead + 1) : 0) - (below(8) == 0 ? any(Window + 1) : 0);
      if (gc::is_stored(store_.record(neuron, time, Trace(++number_))))
        of_[neuron].push_back({extended(time), number_});
    }
  }
  void clear() {
    store_.clear();
    of_ = {};
  }
  std::uint32_t bound() {
    switch (below(6)) {
    case 0: return random_.next();
    case 1: return now() - Window - 3 + below(6);
    case 2: return now() - any(Window + 3);
    case 3: return now() + any(Store::ahead + 2);
    case 4: return now() - (1U << 29) - 3 + below(6);
    default: return now() - below(6);
    }
  }

  std::string look_somewhere() {
    const std::uint32_t after = bound(), until = below(3) == 0 ? bound() : now();
    return look(after, until, below(2) == 0 ? 0 : any(40));
  }
  std::string look(std::uint32_t after, std::uint32_t until, std::uint32_t earlier) {
    const auto past = store_.past(after, until);
    const bool is_shown = past.is_shown_by_look(earlier);
    const std::int64_t from = extended(after), to = extended(until), complete = extended(past.complete_after());
    is_shown ? ++shown_ : ++hidden_;
    // Of an empty window nothing is missing; but what is before it may be.
    if (is_shown && from < to && from - earlier < complete) return "is shown though events may be gone";
    if (!is_shown && from - earlier >= complete && from < now_ + Store::ahead)
      return "nothing is gone, and it is not shown";
    // No event can be of such times.
    if (!is_shown || from < complete || from > now_ + Store::ahead) return "";

    if (extended(now() + (past.look_knows_since() - past.look_begins())) - now_ != complete + 1 - from)
      return "another time since which the event before is known";
    using Lanes = Wide::UnsignedLanes;
    std::array<std::uint32_t, neurons> keys{};
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) keys[neuron] = neurons - 1 - neuron;
    const auto newer = past.recent().template look<0>(Lanes::load(keys.data()));
    const auto older = past.recent().template look<1>(Lanes::load(keys.data()));
    for (std::size_t lane = 0; lane < neurons; ++lane) {
      const std::vector<Event>& events = of_[keys[lane]];
      const std::size_t last = (std::min)(events.size(), std::size_t{kept});
      for (std::size_t at = 0; at < kept; ++at) {
        const auto& half = at < 4 ? newer : older;
        const auto word = [&](std::size_t of) { return half.word[of][at % 4].lane[lane]; };
        const auto ticks = static_cast<std::int32_t>(word(0) - past.look_begins());
        const bool is_in = at < last && events[events.size() - 1 - at].time > from - earlier;
        if (!is_in && ticks > -static_cast<std::int32_t>(earlier)) return "shows an event that is not there";
        if (!is_in) continue;
        const Event& event = events[events.size() - 1 - at];
        if (ticks != event.time - from || word(1) != event.number) return "shows another event";
        if (sizeof(Trace) == 8 && word(2) != ~event.number) return "shows half of a trace";
        ++events_;
      }
    }
    return "";
  }

  Sfc32 random_;
  Store store_;
  std::int64_t now_;
  std::array<std::vector<Event>, neurons> of_{};
  std::uint32_t number_ = 0, shown_ = 0, hidden_ = 0, events_ = 0;
};

template <class Trace, class Collector, std::uint32_t Window>
void watch(unsigned seeds) {
  for (const std::uint32_t seed : Seeds(sanitized || mutated ? (seeds + 2) / 3 : seeds))
    // The last are those at which memory that is all zero would be an event.
    for (const std::uint32_t start : {0U, 0U - 500U, 0x80000000U - 500U, 0xC0000000U, 0xC0000000U + Window / 2}) {
      INFO("window " << Window << ", start " << start << ", seed " << seed);
      CHECK(Watch<Trace, Collector, Window>(seed, start).run(2000) == "");
    }
}

} // namespace

TEMPLATE_TEST_CASE("trace_store: lanes are shown the last eight events of each neuron", "[gc]", gc::Fifo<60>,
                   (gc::Fifo<60, gc::WhenFull::oldest_gives_way>), gc::Pool<60>,
                   (gc::Ring<9, gc::WhenFull::oldest_gives_way>)) {
  watch<std::uint32_t, TestType, 20>(6);
  watch<Pair, TestType, 500>(3);
  watch<std::uint32_t, TestType, (1U << 29)>(3);
}

// Else the events of a time long past would be those of today, one range of the clock later.
TEST_CASE("trace_store: lanes are shown no event as old as the clock's range, nor what was cleared or forgotten",
          "[gc]") {
  using Store = TraceStore<std::uint32_t, neurons, gc::Pool<99>, gc::AgeWindow<20>, Wide>;
  using Lanes = Wide::UnsignedLanes;
  const auto begin = [](std::uint32_t start) {
    Store store(start);
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      for (std::uint32_t event = 0; event < kept; ++event)
        REQUIRE(store.record(neuron, start, event) == gc::Recorded::stored);
    return store;
  };
  const auto shown = [](Store& store) {
    const auto past = store.past(store.now() - 20, store.now());
    REQUIRE(past.is_shown_by_look(0));
    std::array<std::uint32_t, neurons> keys{};
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) keys[neuron] = neuron;
    unsigned events = 0;
    const auto count = [&](const auto& look) {
      for (const auto& stamps : look.word[0])
        for (const std::uint32_t stamp : stamps.lane)
          events += static_cast<std::int32_t>(stamp - past.look_begins()) > 0;
    };
    count(past.recent().template look<0>(Lanes::load(keys.data())));
    count(past.recent().template look<1>(Lanes::load(keys.data())));
    return events;
  };
  for (const std::uint32_t start : {0U, 77U, 0x80000000U, 0xC0000000U}) {
    INFO("start " << start);
    Store store = begin(start);
    CHECK(shown(store) == neurons * kept);
    Store cleared = store;
    cleared.clear();
    CHECK(shown(cleared) == 0);
    // Once round, in ticks far apart, and in leaps that are just no more than what is forgotten after, or just that.
    for (const std::uint32_t step : {1U << 20, 1U << 26, Store::forgets_after - 1, Store::forgets_after, 0x7FFFFFFFU}) {
      INFO("step " << step);
      Store old = store;
      bool is_shown = false;
      std::uint32_t gone = 0;
      for (; 0U - gone > step + 30; gone += step)
        old.advance_to(start + gone + step), is_shown = is_shown || shown(old) != 0;
      for (std::uint32_t rest = 0U - gone; rest != 0; rest = rest > 30 ? rest - 30 : rest - 1) {
        if (rest > 1000) rest = 1000;
        old.advance_to(start - rest + 1), is_shown = is_shown || shown(old) != 0;
      }
      CHECK_FALSE(is_shown);
    }
  }
}
