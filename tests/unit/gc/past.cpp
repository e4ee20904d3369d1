// SPDX-License-Identifier: BSL-1.0
// What rows are told, as a user reads the promise, at all times that there are: beside lists of all that was ever stored.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <neuromorph/gc/pool.hpp>
#include <neuromorph/gc/ring.hpp>
#include <neuromorph/gc/sliding.hpp>
#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/plasticity/history.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

struct Wide {
  std::uint32_t number, mirrored;
  std::uint64_t squared;
  Wide(std::uint32_t of) : number(of), mirrored(~of), squared(std::uint64_t{of} * of) {}
  operator std::uint32_t() const {
    return mirrored == ~number && squared == std::uint64_t{number} * number ? number : 0;
  }
};

struct Told {
  std::int64_t time;
  std::uint32_t number;
  friend bool operator==(const Told&, const Told&) = default;
};

template <class Trace, std::uint32_t Neurons, class Collector, std::uint32_t Window>
class Attack {
  using Store = TraceStore<Trace, Neurons, Collector, gc::AgeWindow<Window>>;

public:
  explicit Attack(std::uint32_t seed, std::uint32_t start)
      : random_(StreamId{.seed = seed}), store_(start), now_(std::int64_t{1} << 40 | start) {}

  std::string run(unsigned steps) {
    std::string wrong;
    for (unsigned step = 0; step < steps && wrong.empty(); ++step) {
      if (step % 50 == 0) mood_ = below(6);
      const std::uint32_t kind = below(100);
      if (kind < (mood_ == 0 ? 60U : 20U)) {
        wrong = advance(distance());
      } else if (kind < 70) {
        burst();
      } else if (kind == 70 && below(10) == 0) {
        store_.clear();
        cleared();
      } else {
        wrong = ask_several();
      }
      if (!wrong.empty()) wrong += " at step " + std::to_string(step);
    }
    const gc::Counts counted = store_.counts();
    if (wrong.empty() && counted.incomplete_windows != incomplete_) wrong = "incomplete windows are miscounted";
    if (wrong.empty() && (incomplete_ == 0 || complete_ == 0 || (Window < 65535 && alone_ == 0)))
      wrong = "nothing has been tried";
    return wrong;
  }

private:
  std::uint32_t below(std::uint32_t limit) { return random_.next() % limit; }
  /// Up to `most`, short as likely as long.
  std::uint32_t any(std::uint32_t most) {
    const std::uint32_t word = random_.next(), by = below(32);
    return (word >> by) % most;
  }
  std::uint32_t distance() {
    switch (mood_ == 5 ? below(8) : below(40)) {
    case 0: return any(0x80000000U);
    case 1: return Window + below(3);
    case 2: return Store::forgets_after - 2 + below(4);
    case 3: return 65534 + below(4);
    case 4: return 0;
    default: return below(mood_ == 1 ? 40 : 3);
    }
  }
  std::uint32_t now() const { return static_cast<std::uint32_t>(now_); }
  std::int64_t extended(std::uint32_t time) const { return now_ + static_cast<std::int32_t>(time - now()); }

  std::string advance(std::uint32_t by) {
    store_.advance_to(now() + by);
    if (by < 0x80000000U) now_ += by;
    if (by < 0x80000000U && by >= Store::forgets_after)
      for (auto& neuron : of_) neuron.forgotten = neuron.events.size();
    if (by < 0x80000000U && by >= Store::forgets_after) forgotten_until_ = now_ - by + Store::ahead;
    return store_.now() == now() ? "" : "the clock is wrong";
  }
  void burst() {
    const std::uint32_t neuron = below(4) == 0 ? 0 : below(Neurons);
    for (std::uint32_t times = mood_ == 2 ? 1 + below(30) : 1; times != 0; --times) {
      std::uint32_t time = now();
      switch (below(12)) {
      case 0: time += Store::ahead - below(2); break;
      case 1: time += any(Store::ahead + 2); break;
      case 2: time -= any(Window + 2); break;
      case 3: time -= Window + below(2); break;
      default: break;
      }
      const gc::Recorded outcome = store_.record(neuron, time, Trace(++number_));
      if (gc::is_stored(outcome)) of_[neuron].events.push_back({extended(time), number_});
    }
  }
  void cleared() {
    for (auto& neuron : of_) neuron = {};
  }

  /// Bounds that rows have, and any.
  std::uint32_t bound() {
    switch (below(8)) {
    case 0: return random_.next();
    case 1: return now() - Window - 2 + below(4);
    case 2: return now() - any(1U << 30);
    case 3: return now() + any(Store::ahead + 2);
    case 4: {
      const auto& events = of_[below(Neurons)].events;
      if (events.empty()) return now();
      const std::uint32_t at =
          static_cast<std::uint32_t>(events.size()) - 1 - any(static_cast<std::uint32_t>(events.size()));
      return static_cast<std::uint32_t>(events[at].time) - below(3) + 1;
    }
    case 5: return now() - 65537 + below(4);
    default: return now() - below(6);
    }
  }
  /// Rows that ask in turn, with records between.
  std::string ask_several() {
    struct Row {
      std::uint32_t after, until;
      decltype(store_.past(0, 0)) past;
    };
    std::vector<Row> rows;
    for (unsigned row = 0; row < 3; ++row) {
      const std::uint32_t after = bound(), until = below(3) == 0 ? bound() : now();
      rows.push_back({after, until, store_.past(after, until)});
    }
    std::string wrong;
    for (unsigned look = 0; look < 6 && wrong.empty(); ++look) {
      const Row& row = rows[below(3)];
      if (below(6) == 0) burst();
      wrong = ask(row.past, below(Neurons), row.after, row.until);
    }
    return wrong;
  }
  template <class Past>
  std::string ask(const Past& past, std::uint32_t neuron, std::uint32_t after, std::uint32_t until) {
    const auto& known = of_[neuron];
    const std::int64_t from = extended(after), to = extended(until);
    std::vector<Told> expected, before, shown;
    const Told* last = nullptr;
    std::size_t since = 0, at_last = 0;
    for (const Told& event : known.events) {
      if (event.time <= from) last = &event, ++at_last;
      if (event.time > from) ++since;
      if (event.time > from && event.time <= to) expected.push_back(event);
    }
    const auto see_before = [&](std::uint32_t time, const Trace& trace) { before.push_back({extended(time), trace}); };
    const auto see = [&](std::uint32_t time, const Trace& trace) { shown.push_back({extended(time), trace}); };
    const bool if_none = below(2) == 0;
    const bool all = if_none ? past.of(neuron, IfNone{see_before}, see) : past.of(neuron, see_before, see);
    all ? ++complete_ : ++incomplete_;

    // The last of those of the window, all of them if it says so.
    if (all ? shown != expected : shown.size() > expected.size()) return "events are missing or strange";
    for (std::size_t at = 1; at <= shown.size(); ++at)
      if (shown[shown.size() - at] != expected[expected.size() - at]) return "an event is missing in the middle";
    const std::int64_t complete_from = extended(past.complete_after());
    if (!all && from >= complete_from && from < to) return "not complete as early as is said";
    const bool is_known =
        known.events.size() > known.forgotten && now_ - known.events.back().time <= 1 << 29; // the newest
    const bool is_alone =
        is_known && since == 1 && known.events.back().time - from <= 65535 && now_ - from <= (1 << 29) + 1;
    alone_ += is_alone && now_ - from > std::int64_t{Window} + 1;
    const bool is_silent = since == 0 && (is_known || (from >= now_ - (1 << 29) - 1 && from >= forgotten_until_));
    if (!all && (is_silent || is_alone || from >= to)) return "nothing can be missing";
    if (all && !is_alone && since != 0 && from < to && from < now_ && from < complete_from)
      return "that something is missing is not said";
    // The event before: that and no other; if it is alive, or the neuron's newest and known.
    if (before.size() > 1 || (!before.empty() && (last == nullptr || before[0] != *last)))
      return "another event before";
    if (if_none && !before.empty() && !shown.empty()) return "an event before that was not asked for";
    if (last == nullptr || (if_none && !shown.empty())) return "";
    const bool is_newest = since == 0 && at_last > known.forgotten && now_ - last->time <= 1 << 29;
    const bool is_kept = now_ - last->time <= std::int64_t{Window} && last->time > complete_from;
    if ((is_newest || is_kept) && before.empty()) return "no event before";
    return "";
  }

  struct Neuron {
    std::vector<Told> events;
    std::size_t forgotten = 0; // of which none is known as the newest
  };
  Sfc32 random_;
  Store store_;
  std::int64_t now_, forgotten_until_ = 0;
  std::array<Neuron, Neurons> of_{};
  std::uint32_t number_ = 0, mood_ = 0, incomplete_ = 0, complete_ = 0, alone_ = 0;
};

template <class Trace, std::uint32_t Neurons, class Collector, std::uint32_t Window>
void attack(unsigned seeds) {
  for (const std::uint32_t seed : Seeds(mutated ? 1 : sanitized ? (seeds + 3) / 4 : seeds))
    for (const std::uint32_t start : {0U, 0U - 500U, 0x80000000U - 500U}) {
      INFO("window " << Window << ", start " << start << ", seed " << seed);
      CHECK(Attack<Trace, Neurons, Collector, Window>(seed, start).run(mutated ? 2000 : 4000) == "");
    }
}

} // namespace

TEMPLATE_TEST_CASE("past: rows are told all, or that something is missing", "[gc]", (gc::Fifo<40>),
                   (gc::Fifo<40, gc::WhenFull::oldest_gives_way>), (gc::Ring<7>),
                   (gc::Ring<7, gc::WhenFull::oldest_gives_way>), (gc::Pool<40>), (gc::Sliding<40>)) {
  attack<std::uint32_t, 5, TestType, 20>(6);
  attack<std::uint32_t, 3, TestType, 70000>(4);
  attack<Wide, 5, TestType, 500>(4);
  attack<std::uint32_t, 3, TestType, 1U << 27>(2); // no time has room beside a link
}
