// SPDX-License-Identifier: BSL-1.0
// What every collector of trace stores must pass: a store beside the model that never frees, compared after each step.
// Nothing in here is a test by itself; each function answers "" or what went wrong, so that faulty collectors can be
// shown to fail. Functions are kept apart, for the compiler's sake: a test has many kinds of stores.
#ifndef TESTS_SUPPORT_TRACE_BATTERY_HPP
#define TESTS_SUPPORT_TRACE_BATTERY_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/plasticity/history.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>

#include "tests/reference/trace_model.hpp"
#include "tests/support/sanitized.hpp"

namespace battery {

using neuromorph::gc::Recorded;

/// A trace whose every byte follows from a number.
template <class Trace>
Trace trace_of(std::uint32_t number) {
  std::array<unsigned char, sizeof(Trace)> bytes{};
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    number = number * 0x9E3779B1U + 0x7F4A7C15U;
    bytes[at] = static_cast<unsigned char>(number >> 24);
  }
  return std::bit_cast<Trace>(bytes);
}
template <class Trace>
std::array<unsigned char, sizeof(Trace)> bytes_of(const Trace& trace) {
  return std::bit_cast<std::array<unsigned char, sizeof(Trace)>>(trace);
}

// --- interrupts --------------------------------------------------------------------------------------------------

/// An interrupt that comes at the n-th place where one can.
struct Interrupt {
  static inline unsigned locks = 0;
  static inline long places_left = -1; // negative: none is to come
  static inline void (*handler)(void*) = nullptr;
  static inline void* context = nullptr;

  static void place() {
    if (locks != 0 || places_left < 0) return;
    if (places_left-- == 0) handler(context);
  }
};
struct InterruptHook : neuromorph::gc::NoHook {
  static constexpr void between() noexcept {
    if (!std::is_constant_evaluated()) Interrupt::place();
  }
};
/// A machine on which interrupts come, and whose locks keep them out, or fail to.
template <bool keeps_out>
struct Machine : neuromorph::target::Generic {
  class InterruptLock {
  public:
    InterruptLock() noexcept {
      Interrupt::place();
      if (keeps_out) ++Interrupt::locks;
    }
    ~InterruptLock() {
      if (keeps_out) --Interrupt::locks;
      Interrupt::place();
    }
    InterruptLock(const InterruptLock&) = delete;
    InterruptLock& operator=(const InterruptLock&) = delete;
  };
};

// --- a store and its model ---------------------------------------------------------------------------------------

/// \tparam Case  a line of trace_collectors.hpp
template <class Case, class TraceType, std::size_t NeuronCount, std::size_t EventCount,
          class LivenessType = neuromorph::gc::AgeWindow<20>, class Target = neuromorph::target::Generic,
          class Hook = neuromorph::gc::NoHook>
class Pair {
public:
  using Trace = TraceType;
  using Liveness = LivenessType;
  using Store = neuromorph::TraceStore<Trace, NeuronCount, typename Case::template Collector<NeuronCount, EventCount>,
                                       Liveness, Target, Hook>;
  using Model = reference::TraceModel<Trace, Liveness>;
  static constexpr std::size_t neurons = NeuronCount, events = EventCount;

  explicit Pair(std::uint32_t start) : store(start), model(NeuronCount, start) {}

  [[gnu::noinline]] std::string record(std::uint32_t neuron, std::uint32_t time) {
    const Trace trace = trace_of<Trace>(++number);
    bool room = fits(neuron);
    if constexpr (requires { Case::must_fit_in(store); }) room = room || Case::must_fit_in(store);
    return settle_record(neuron, time, trace, store.record(neuron, time, trace), room) + check();
  }
  bool fits(std::uint32_t neuron) const {
    return neuron < NeuronCount && Case::template must_fit<EventCount>(model, neuron);
  }
  /// The model's side of a record, of which the store has said what became of it.
  [[gnu::noinline]] std::string settle_record(std::uint32_t neuron, std::uint32_t time, const Trace& trace,
                                              Recorded found, bool fits) {
    const Recorded expected = model.judge(neuron, time, Store::ahead);
    ++outcomes[static_cast<std::size_t>(found)];
    if (found != expected) {
      const bool full = expected == Recorded::stored &&
                        found == (Case::gives_way ? Recorded::stored_oldest_gave_way : Recorded::refused_full);
      if (!full) return said("outcome", found, expected);
      if (fits) return said("no room though there must be", found, expected);
    }
    if (!neuromorph::gc::is_stored(found)) return "";
    if (found == Recorded::stored_oldest_gave_way) model.give_up(Case::victim, neuron);
    model.add(neuron, time, trace);
    return "";
  }
  [[gnu::noinline]] std::string advance_to(std::uint32_t now) {
    store.advance_to(now);
    model.advance_to(now, Store::forgets_after, Store::ahead);
    if (store.now() != model.now()) return "the clock shows " + std::to_string(store.now()) + "; ";
    return check();
  }
  [[gnu::noinline]] std::string clear() {
    cleared += static_cast<std::uint32_t>(store.events());
    store.clear();
    model.clear();
    return check();
  }
  [[gnu::noinline]] std::string window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) {
    const bool complete = model.is_complete(neuron, after, until);
    const auto view = store.window(neuron, after, until);
    if (!complete) ++incomplete;
    if (view.is_complete() != complete)
      return complete ? "nothing is missing; " : "nobody says that events are missing; ";
    return compare(view, model.window(neuron, after, until), neuron) + check();
  }
  /// What a row of synapses is told of one neuron, and its newest event.
  [[gnu::noinline]] std::string past(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) {
    const auto asked = store.past(after, until);
    const auto expected = model.past(neuron, after, until);
    const bool complete = !expected.may_miss || model.is_complete(neuron, after, until);
    if (!complete) ++incomplete;
    if (!complete && !neuromorph::is_before(after, asked.complete_after())) return "not complete as early as is said; ";
    typename Model::Shown before, shown;
    const auto see_before = [&](std::uint32_t time, const Trace& trace) { before.push_back({time, trace}); };
    const auto see = [&](std::uint32_t time, const Trace& trace) { shown.push_back({time, trace}); };
    const bool found = asked.of(neuron, see_before, see);
    const std::string of = "neuron " + std::to_string(neuron) + " ";
    if (found != complete) return of + "is wrong about whether events are missing; ";
    if (!same(before, expected.before))
      return of + "has " + told(before) + "before a window, not " + told(expected.before) + std::to_string(after) +
             " to " + std::to_string(until) + " at " + std::to_string(store.now()) + "; ";
    if (!same(shown, expected.events))
      return of + "has " + told(shown) + "in a window, not " + told(expected.events) + std::to_string(after) + " to " +
             std::to_string(until) + " at " + std::to_string(store.now()) + "; ";
    // Of a rule that needs the event before in an empty window only.
    before.clear();
    shown.clear();
    if (!complete) ++incomplete;
    if (asked.of(neuron, neuromorph::IfNone{see_before}, see) != complete || !same(shown, expected.events) ||
        !same(before, shown.empty() ? expected.before : typename Model::Shown{}))
      return of + "has " + told(before) + "before and " + told(shown) +
             "in a window for a rule that needs one of them; ";
    const auto newest = store.newest(neuron);
    const auto last = model.newest_of(neuron);
    const auto seen = asked.glance(neuron);
    // Times that no event can have are not told.
    const std::uint32_t oldest = store.now() - neuromorph::gc::longest_life - 1;
    if (after - oldest <= store.now() + Store::ahead - oldest && !is_told(seen, expected, after, store.now()))
      return of + "is seen at a glance as it is not; ";
    if (seen.is_all && !complete) return of + "is seen at a glance, though events may be missing; ";
    if (!seen.is_all && complete && !(last.exists && neuromorph::is_before(after, last.time)))
      return of + "has no event of a window, and a glance does not tell; ";
    const std::uint32_t kept = store.now() - Store::Layout::window - 1;
    const bool is_only = complete && !expected.may_miss && shown.size() == 1 && last.exists &&
                         neuromorph::is_before(after, last.time) && !neuromorph::is_before(until, last.time);
    if (!seen.is_all && is_only && after - kept <= store.now() + Store::ahead - kept)
      return of + "has one event since a window begins, and a glance does not tell; ";
    if (newest.exists != last.exists) return of + "is wrong about whether it has a newest event; ";
    if (last.exists && (newest.time != last.time || bytes_of<Trace>(newest.trace) != bytes_of<Trace>(*last.trace)))
      return of + "has another newest event; ";
    return check();
  }
  /// Whether a glance that says to tell all does.
  template <class Glance, class Past>
  static bool is_told(const Glance& seen, const Past& expected, std::uint32_t after, std::uint32_t now) {
    if (!seen.is_all) return true;
    const typename Model::Shown event{{after + seen.ticks, seen.trace}};
    if (seen.is_in_window) return same(event, expected.events);
    if (!expected.events.empty()) return false;
    if (expected.before.empty()) // there was none, or nobody knows it any more
      return bytes_of<Trace>(seen.trace) == bytes_of<Trace>(neuromorph::gc::no_trace<Trace>()) ||
             now - (after + seen.ticks) > neuromorph::gc::longest_life;
    return same(event, expected.before);
  }
  template <class Events>
  static bool same(const Events& one, const Events& other) {
    bool is_same = one.size() == other.size();
    for (std::size_t at = 0; is_same && at < one.size(); ++at)
      is_same =
          one[at].first == other[at].first && bytes_of<Trace>(one[at].second) == bytes_of<Trace>(other[at].second);
    return is_same;
  }
  template <class Events>
  static std::string told(const Events& shown) {
    std::string all = std::to_string(shown.size()) + " (";
    for (const auto& event : shown) all += std::to_string(event.first) + " ";
    return all + ") ";
  }
  template <class View>
  [[gnu::noinline]] static std::string compare(const View& view, const typename Model::Shown& expected,
                                               std::uint32_t neuron) {
    std::size_t at = 0;
    for (const auto& [time, trace] : view) {
      if (at == expected.size()) return "neuron " + std::to_string(neuron) + " shows more than there is; ";
      if (time != expected[at].first)
        return "neuron " + std::to_string(neuron) + " shows time " + std::to_string(time) + " for " +
               std::to_string(expected[at].first) + "; ";
      if (bytes_of<Trace>(trace) != bytes_of<Trace>(expected[at].second)) return "a trace has changed; ";
      ++at;
    }
    if (at != expected.size())
      return "neuron " + std::to_string(neuron) + " shows " + std::to_string(at) + " for " +
             std::to_string(expected.size()) + "; ";
    return "";
  }
  /// All that is alive, of all neurons, without changing either.
  [[gnu::noinline]] std::string compare_all() const {
    Pair copy = *this;
    std::string wrong;
    for (std::uint32_t neuron = 0; neuron < NeuronCount && wrong.empty(); ++neuron) {
      const std::uint32_t after = copy.store.now() - (1U << 30), until = copy.store.now() + (1U << 30);
      const auto view = copy.store.window(neuron, after, until);
      wrong = compare(view, copy.model.window(neuron, after, until), neuron);
    }
    // Of rows that were last asked so long ago, up to now.
    Pair rows = *this;
    const std::uint32_t now = rows.store.now();
    for (std::uint32_t neuron = 0; neuron < NeuronCount && wrong.empty(); ++neuron)
      for (const std::uint32_t ago : {1U, 21U, 0U, 3U, 20U, 1000U, 1U << 30}) {
        if (sanitized && ago == 0) break; // two are enough there
        if (wrong.empty()) wrong = rows.past(neuron, now - ago, ago == 3 ? now - 1 : now);
      }
    return wrong;
  }
  /// Invariants and counters.
  [[gnu::noinline]] std::string check() {
    if (!store.is_consistent()) return "invariants do not hold; ";
    const neuromorph::gc::Counts counted = store.counts();
    const auto count = [&](Recorded outcome) { return outcomes[static_cast<std::size_t>(outcome)]; };
    if (store.events() > most) most = store.events();
    if (counted.stored != count(Recorded::stored) + count(Recorded::stored_oldest_gave_way) ||
        counted.gave_way != count(Recorded::stored_oldest_gave_way) ||
        counted.refused_full != count(Recorded::refused_full) ||
        counted.refused_out_of_order != count(Recorded::refused_out_of_order) ||
        counted.refused_expired != count(Recorded::refused_expired) ||
        counted.refused_too_far_ahead != count(Recorded::refused_too_far_ahead) ||
        counted.refused_no_such_neuron != count(Recorded::refused_no_such_neuron))
      return "counters are not those of the outcomes; ";
    if (counted.stored != counted.reclaimed + counted.gave_way + counted.cleared + store.events())
      return "stored is not reclaimed, given way, cleared and in memory; ";
    if (counted.cleared != cleared) return "what was cleared is not counted; ";
    if (counted.most_events < most || counted.most_events > counted.stored) return "high water is wrong; ";
    if (counted.incomplete_windows != incomplete) return "windows that are not complete are not counted; ";
    const std::size_t live = model.live();
    if (store.events() < live) return "fewer events in memory than are alive; ";
    if (counted.reclaimed_unread > model.gone_unread() ||
        model.gone_unread() - counted.reclaimed_unread > store.events() - live + counted.cleared)
      return "what died unread is not counted; ";
    return "";
  }

  Store store;
  Model model;
  std::uint32_t number = 0;
  std::array<std::uint32_t, 8> outcomes{};
  std::uint32_t incomplete = 0, cleared = 0;
  std::size_t most = 0;

private:
  static std::string said(const char* what, Recorded found, Recorded expected) {
    return std::string(what) + ": '" + describe(found) + "' for '" + describe(expected) + "'; ";
  }
};

// --- streams -----------------------------------------------------------------------------------------------------

/// Random steps: bursts, silence, jitter, jumps of the clock, windows of any place and length.
template <class PairType>
std::string random_steps(std::uint32_t seed, unsigned steps, std::uint32_t start) {
  PairType pair(start);
  neuromorph::Sfc32 random(neuromorph::StreamId{.seed = seed});
  const auto below = [&](std::uint32_t limit) { return random.next() % limit; };
  std::uint32_t quiet = 2;
  for (unsigned step = 0; step < steps; ++step) {
    std::string wrong;
    const std::uint32_t now = pair.store.now();
    if (step % 64 == 0) quiet = 1 + below(8);
    switch (below(16)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      const std::uint32_t jump = below(64);
      const std::uint32_t by = jump == 0   ? below(3000)
                               : jump == 1 ? below(1U << 20)
                               : jump == 2 ? 0x7FFFFFFFU - below(100)
                               : jump == 3 ? 0U - below(5)
                               : jump == 4 ? 21
                                           : below(quiet);
      wrong = pair.advance_to(now + by);
      break;
    }
    case 4: {
      const std::uint32_t after = now - below(40), until = after + below(50), neuron = below(PairType::neurons + 1);
      const std::uint32_t end = below(8) == 0 ? after - below(10) : until;
      wrong = pair.window(neuron, after, end);
      if (wrong.empty() && neuron != PairType::neurons) wrong = pair.past(neuron, after, end);
      break;
    }
    case 5: wrong = pair.window(below(PairType::neurons), now - 200, now + 200); break;
    case 6: wrong = below(200) == 0 ? pair.clear() : pair.compare_all(); break;
    default: {
      const std::uint32_t neuron = below(3) == 0 ? 0 : below(PairType::neurons + (below(50) == 0));
      const std::uint32_t time = below(4) != 0 ? now : below(100) == 0 ? random.next() : now + 4 - below(12);
      for (std::uint32_t times = below(8) == 0 ? below(12) : 1; times != 0 && wrong.empty(); --times)
        wrong = pair.record(neuron, time);
      break;
    }
    }
    if (!wrong.empty()) return wrong + "step " + std::to_string(step) + ", seed " + std::to_string(seed);
  }
  return pair.compare_all();
}

/// Random steps at all times that there are. Ticks come 0 to 2^31 - 1 apart, in each phase from another range; events
/// are as old and as far ahead as they may be, and just beyond; bursts fill memory; the clock begins before any wrap.
template <class PairType>
std::string all_times(std::uint32_t seed, unsigned steps) {
  using Store = typename PairType::Store;
  constexpr std::uint32_t window = Store::Layout::window, ahead = Store::ahead, longest = Store::Heap::longest_step;
  constexpr auto neurons = static_cast<std::uint32_t>(PairType::neurons);
  constexpr std::uint32_t of[] = {0, neurons / 2, neurons - 1, neurons / 3};
  neuromorph::Sfc32 random(neuromorph::StreamId{.seed = seed});
  const auto below = [&](std::uint32_t limit) { return random.next() % limit; };
  // Short ones as likely as long ones.
  const auto any = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random.next() >> below(32)) % most; };
  const auto near = [&](std::uint32_t span) { return span + below(3) - 1; };
  const std::uint32_t wraps[] = {0, 1U << 31, 1U << 8, 1U << 13, 1U << 16};
  const std::uint32_t spans[] = {1,       16,       window,  window + ahead, longest, 2 * window + ahead,
                                 1U << 9, 1U << 13, 1U << 16};
  const auto distance = [&](std::uint32_t kind) -> std::uint32_t {
    switch (kind) {
    case 0: return below(3);
    case 1: return 1 + any(window + ahead);
    case 2: return near(spans[below(std::size(spans))]);
    case 3: return (window + ahead) / (1 + below(4)) - below(2);
    default: return any(0x80000000U);
    }
  };
  const auto place = [&](std::uint32_t now) -> std::uint32_t {
    switch (below(8)) {
    case 0: return now + ahead + below(2);
    case 1: return now - window - below(2);
    case 2: return now - window - 1 + below(window + ahead + 2);
    case 3: return now - any(window + 2);
    case 4: return now + any(ahead + 2);
    case 5: return below(20) == 0 ? random.next() : now;
    default: return now;
    }
  };

  PairType pair(wraps[below(std::size(wraps))] - below(3 * window + 3 * ahead));
  std::uint32_t pace = 0, ticks_in_16 = 4;
  for (unsigned step = 0; step < steps; ++step) {
    std::string wrong;
    const std::uint32_t now = pair.store.now();
    if (step % 32 == 0) pace = below(5), ticks_in_16 = 1 + below(8);
    if (below(16) < ticks_in_16) {
      wrong = pair.advance_to(now + distance(below(8) == 0 ? below(5) : pace));
    } else if (below(8) == 0) {
      const std::uint32_t after = place(now) - (below(4) == 0 ? any(1U << 30) : 0), until = place(now);
      wrong = below(2) == 0 ? pair.window(of[below(4)], after, until) : pair.past(of[below(4)], after, until);
    } else {
      const std::uint32_t neuron = of[below(4)], time = place(now);
      const bool same = below(2) == 0;
      for (std::uint32_t times = below(8) == 0 ? below(PairType::events < 60 ? PairType::events + 3 : 60) : 1;
           times != 0 && wrong.empty(); --times) {
        const std::uint32_t other = same ? neuron : of[below(4)];
        wrong = pair.record(other, below(8) == 0 ? place(now) : time);
      }
    }
    if (wrong.empty() && Store::Layout::counts_reads) wrong = pair.compare_all();
    if constexpr (!Store::Layout::counts_reads)
      for (const std::uint32_t neuron : of)
        if (wrong.empty()) wrong = pair.window(neuron, pair.store.now() - window - 1, pair.store.now() + ahead);
    if (!wrong.empty()) return wrong + "step " + std::to_string(step) + ", seed " + std::to_string(seed);
  }
  return pair.compare_all();
}

/// Streams that are to be hard: all neurons burst at once, memory exactly full, what comes is out of order, everything
/// dies at once; by all neurons and by one; with the wrap of time in the middle.
template <class PairType>
std::string adversarial_steps(std::uint32_t window) {
  const auto rounds = [&](std::uint32_t start, auto neuron_of) {
    PairType pair(start);
    std::string wrong;
    for (unsigned round = 0; round < 4 && wrong.empty(); ++round) {
      std::uint32_t now = pair.store.now();
      // Twice what there is room for, at once; then more when all of it is about to die, and when it just has.
      for (std::uint32_t event = 0; event < 2 * PairType::events && wrong.empty(); ++event)
        wrong = pair.record(neuron_of(event), now);
      for (std::uint32_t event = 0; event < 3 && wrong.empty(); ++event) wrong = pair.record(neuron_of(event), now - 1);
      if (wrong.empty() && pair.outcomes[static_cast<std::size_t>(Recorded::refused_out_of_order)] == 0 && window != 0)
        wrong = "what is out of order is not refused; ";
      if (wrong.empty()) wrong = pair.compare_all();
      if (wrong.empty()) wrong = pair.advance_to(now += window);
      for (std::uint32_t event = 0; event < 3 && wrong.empty(); ++event) wrong = pair.record(neuron_of(event), now);
      if (wrong.empty()) wrong = pair.compare_all();
      if (wrong.empty()) wrong = pair.advance_to(++now);
      for (std::uint32_t event = 0; event < PairType::events && wrong.empty(); ++event)
        wrong = pair.record(neuron_of(event), now);
      if (wrong.empty()) wrong = pair.compare_all();
      for (unsigned silent = 0; silent < 2 * PairType::events && wrong.empty(); ++silent)
        wrong = pair.advance_to(++now);
      if (wrong.empty() && round == 2) wrong = pair.advance_to(now += 1U << 30);
    }
    return wrong;
  };
  std::string wrong;
  for (const std::uint32_t start : {0U, 0U - window - 3U, 0U - 1U})
    for (const bool one : {false, true})
      if (wrong.empty())
        wrong = rounds(start, [&](std::uint32_t event) { return one ? 1U : event % std::uint32_t{PairType::neurons}; });
  return wrong;
}

/// Every sequence of `length` steps from a small alphabet, the same with an interrupt's record at every place.
template <class PairType>
class Exhaustive {
public:
  static constexpr unsigned letters = 7, letters_to_interrupt = 13; // from `letters` on they change nothing

  /// \param interrupts  how many there may be in a sequence
  std::string run(std::uint32_t start, unsigned length, unsigned interrupts) {
    PairType pair(start);
    return follow(pair, length, interrupts);
  }
  std::size_t sequences = 0, interrupted = 0;

private:
  [[gnu::noinline]] static std::string step(PairType& pair, unsigned letter) {
    const std::uint32_t now = pair.store.now();
    switch (letter) {
    case 0: return pair.record(0, now);
    case 1: return pair.record(1, now);
    case 2: return pair.record(0, now - 1);
    case 3: return pair.record(1, now + 1);
    case 4: return pair.advance_to(now + 1);
    case 5: return pair.advance_to(now + 3);
    case 6: return pair.window(0, now - 2, now);
    case 7:
    case 9:
    case 11: return pair.past(0, now - 2, now);
    default: return pair.past(0, now - 2, now - 1);
    }
  }

  [[gnu::noinline]] std::string follow(const PairType& pair, unsigned length, unsigned interrupts) {
    for (unsigned letter = 0; letter < (interrupts == 0 ? letters : letters_to_interrupt); ++letter) {
      PairType next = pair;
      std::string wrong = step(next, letter);
      if (wrong.empty() && letter < letters) wrong = next.compare_all();
      ++sequences;
      if (wrong.empty() && length > 1 && letter < letters) wrong = follow(next, length - 1, interrupts);
      if (!wrong.empty()) return wrong + "then " + std::to_string(letter) + ", ";
      if (interrupts == 0) continue;
      for (std::uint32_t neuron = 0; neuron < 2; ++neuron) {
        for (long place = 0;; ++place) {
          PairType broken_into = pair;
          bool came = false;
          std::vector<PairType> orders;
          wrong = interrupted_step(broken_into, letter, neuron, place, came, orders);
          if (!came) break;
          ++interrupted;
          // Where both orders agree so far, what follows tells.
          for (const PairType& order : orders) {
            wrong = length > 1 ? follow(order, length - 1, interrupts - 1) : "";
            if (wrong.empty()) break;
          }
          if (!wrong.empty())
            return wrong + "interrupt of neuron " + std::to_string(neuron) + " at place " + std::to_string(place) +
                   " of " + std::to_string(letter) + ", ";
        }
      }
    }
    return "";
  }

  struct Handler {
    PairType* pair;
    std::uint32_t neuron;
    typename PairType::Trace trace;
    std::uint32_t time = 0;
    Recorded outcome = Recorded::stored;
    bool came = false;
  };
  /// The step and the interrupt's record must be as one after the other, in either order.
  [[gnu::noinline]] static std::string interrupted_step(PairType& pair, unsigned letter, std::uint32_t neuron,
                                                        long place, bool& came, std::vector<PairType>& orders) {
    PairType before = pair;
    const std::uint32_t now = pair.store.now();
    Handler handler{&pair, neuron,           trace_of<typename PairType::Trace>(1000000 + pair.number),
                    0,     Recorded::stored, false};
    Interrupt::handler = [](void* context) {
      auto& of = *static_cast<Handler*>(context);
      of.came = true;
      of.time = of.pair->store.now();
      of.outcome = of.pair->store.record(of.neuron, of.time, of.trace);
    };
    Interrupt::context = &handler;
    Interrupt::places_left = place;
    // Only the store's side of the step; the model follows below.
    const typename PairType::Trace trace = trace_of<typename PairType::Trace>(before.number + 1);
    Recorded outcome = Recorded::stored;
    typename PairType::Model::Shown shown;
    typename PairType::Model::Past past;
    typename PairType::Store::Past::Glance seen{false, false, 0,
                                                neuromorph::gc::no_trace<typename PairType::Store::Trace>()};
    bool complete = true;
    std::uint32_t time = now, of = 0;
    switch (letter) {
    case 0: break;
    case 1: of = 1; break;
    case 2: time = now - 1; break;
    case 3: time = now + 1, of = 1; break;
    default: break;
    }
    if (letter < 4) {
      outcome = pair.store.record(of, time, trace);
    } else if (letter < 6) {
      pair.store.advance_to(letter == 4 ? now + 1 : now + 3);
    } else if (letter >= 11) {
      seen = pair.store.past(now - 2, letter % 2 == 1 ? now : now - 1).glance(0);
    } else if (letter >= 7) {
      const auto asked = pair.store.past(now - 2, letter % 2 == 1 ? now : now - 1);
      const auto see_before = [&](std::uint32_t at, const auto& what) { past.before.push_back({at, what}); };
      const auto see = [&](std::uint32_t at, const auto& what) { past.events.push_back({at, what}); };
      complete = letter < 9 ? asked.of(0, see_before, see) : asked.of(0, neuromorph::IfNone{see_before}, see);
    } else {
      const auto view = pair.store.window(0, now - 2, now);
      complete = view.is_complete();
      const bool goes_on = PairType::Store::keeps_views;
      if (!goes_on) Interrupt::places_left = -1;
      for (auto at = view.begin();; ++at) {
        Interrupt::place();
        if (at == view.end()) break;
        const auto event = *at;
        Interrupt::place();
        shown.push_back({event.time, event.trace});
      }
    }
    Interrupt::places_left = -1;
    came = handler.came;
    if (!came) return "";
    if (!pair.store.is_consistent()) return "invariants do not hold; ";

    std::string wrong;
    for (const bool interrupt_first : {true, false}) {
      PairType order = before;
      order.store = pair.store;
      std::string with_this;
      const auto interrupt = [&] {
        with_this += order.settle_record(neuron, handler.time, handler.trace, handler.outcome, order.fits(neuron));
      };
      if (interrupt_first) interrupt();
      if (letter < 4) {
        ++order.number;
        with_this += order.settle_record(of, time, trace, outcome, order.fits(of));
      } else if (letter < 6) {
        order.model.advance_to(letter == 4 ? now + 1 : now + 3, PairType::Store::forgets_after, PairType::Store::ahead);
      } else if (letter >= 11) {
        const auto expected = order.model.past(0, now - 2, letter % 2 == 1 ? now : now - 1);
        if (!PairType::is_told(seen, expected, now - 2, now))
          with_this += "a glance tells neither what was there before nor what is after; ";
      } else if (letter >= 7) {
        const std::uint32_t until = letter % 2 == 1 ? now : now - 1;
        auto expected = order.model.past(0, now - 2, until);
        if (letter >= 9 && !expected.events.empty()) expected.before.clear();
        if ((!expected.may_miss || order.model.is_complete(0, now - 2, until)) != complete)
          with_this += "a row is wrong about what is missing; ";
        if (!complete) ++order.incomplete;
        if (!PairType::same(past.before, expected.before) || !PairType::same(past.events, expected.events))
          with_this += "a row sees neither what was there before nor what is after; ";
      } else {
        if (order.model.is_complete(0, now - 2, now) != complete)
          with_this += "a view is wrong about what is missing; ";
        if (!complete) ++order.incomplete;
        if (order.model.window(0, now - 2, now) != shown && PairType::Store::keeps_views)
          with_this += "a view shows neither what was there before nor what is after; ";
      }
      if (!interrupt_first) interrupt();
      if (with_this.empty()) with_this = order.check();
      if (with_this.empty()) with_this = order.compare_all();
      if (with_this.empty()) orders.push_back(order);
      wrong += with_this;
    }
    return orders.empty() ? wrong : "";
  }
};

} // namespace battery

#endif
