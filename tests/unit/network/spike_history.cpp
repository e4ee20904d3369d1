// SPDX-License-Identifier: BSL-1.0
// The history of a part's neurons against a list of all events with times of 64 bits: silence, bursts, leaps, wraps of the clock.
#include <neuromorph/network/detail/spike_history.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include <tests/support/catch.hpp>

namespace {

struct Trace {
  std::uint32_t fast = 0, slow = 0;
  friend bool operator==(const Trace&, const Trace&) = default;
};
using History = neuromorph::network::detail::SpikeHistory<Trace>;

struct Event {
  std::uint64_t time;
  Trace trace;
};
constexpr std::uint64_t surely_kept = std::uint64_t{1} << 29, surely_gone = std::uint64_t{1} << 30;

/// A clock of 64 bits, of which the history sees 32.
class Checker {
public:
  Checker(std::uint32_t neurons, std::uint64_t begin, std::uint32_t window, std::uint32_t seed)
      : history_(neurons), all_(neurons), now_(begin), window_(window), random_(seed) {
    history_.begin_again(bits(begin), bits(begin));
    complete_after_ = begin, begin_ = begin;
  }
  [[nodiscard]] std::uint64_t now() const { return now_; }
  /// Goes on, and forgets what is older than the window, if it is time to, as who runs a network does.
  void advance(std::uint64_t steps) {
    while (steps != 0) {
      const std::uint64_t leap = std::min<std::uint64_t>(steps, (std::uint64_t{1} << 28) - 1);
      now_ += leap, steps -= leap;
      if ((leap > 1000 || random_() % 64 == 0) && now_ - begin_ > window_) {
        complete_after_ = now_ - window_;
        history_.forget(bits(complete_after_));
      }
    }
  }
  void fire(std::uint32_t neuron) {
    auto& list = all_[neuron];
    if (!list.empty() && list.back().time == now_) return;
    const Trace trace{static_cast<std::uint32_t>(random_()), static_cast<std::uint32_t>(random_())};
    history_.update(neuron, bits(now_), [&](const auto& last) {
      const bool may_exist = !list.empty() && now_ - list.back().time < surely_gone;
      const bool must_exist = !list.empty() && now_ - list.back().time < surely_kept;
      if (last.exists ? !may_exist : must_exist) ++wrong;
      if (last.exists && may_exist && (last.time != bits(list.back().time) || last.trace != list.back().trace)) ++wrong;
      return trace;
    });
    list.push_back({now_, trace});
    if (list.size() > 40'000) list.pop_front();
  }
  /// Asks for a window that ends now or earlier.
  void ask(std::uint32_t neuron) {
    const std::uint64_t back = random_() % (window_ + 1), until = now_ - std::min(now_ - begin_, back);
    const std::uint64_t length = random_() % (window_ + window_ / 8 + 2),
                        after = until - std::min(until - begin_, length);
    const bool is_complete = after >= complete_after_;
    const auto past = history_.past(bits(after), bits(until));
    CHECK(past.complete_after() == bits(complete_after_));
    std::vector<Event> expected;
    const Event* before = nullptr;
    const Event* newest = nullptr;
    for (const Event& one : all_[neuron]) {
      if (one.time <= after)
        before = &one;
      else if (one.time <= until)
        expected.push_back(one);
      newest = &one;
    }
    const Event* found_before = nullptr;
    Event seen{};
    std::vector<Event> found;
    const bool answer = past.of(
        neuron,
        [&](std::uint32_t time, const Trace& trace) {
          seen = {time, trace}, found_before = &seen;
        },
        [&](std::uint32_t time, const Trace& trace) {
          found.push_back({time, trace});
        });
    if (answer != is_complete) ++wrong;
    if (is_complete) {
      const bool must = before != nullptr && now_ - before->time < surely_kept;
      if (found_before == nullptr ? must : before == nullptr) ++wrong;
      if (found_before != nullptr && before != nullptr &&
          (bits(found_before->time) != bits(before->time) || !(found_before->trace == before->trace)))
        ++wrong;
      bool is_same = found.size() == expected.size();
      for (std::size_t at = 0; is_same && at < found.size(); ++at)
        is_same = bits(found[at].time) == bits(expected[at].time) && found[at].trace == expected[at].trace;
      if (!is_same) ++wrong;
      shown += found.size();
    }
    // A glance knows the newest event, and says whether that is all after `after`.
    const auto glance = past.glance(neuron);
    const bool is_after = newest != nullptr && newest->time > after;
    if (!is_after) {
      if (!glance.is_all || glance.is_in_window) ++wrong;
      const bool is_known = newest != nullptr && now_ - newest->time < surely_kept;
      if (is_known && !(glance.trace == newest->trace)) ++wrong;
    } else if (newest->time <= until && is_complete) {
      const bool is_only = expected.size() == 1;
      if (glance.is_all != is_only || (is_only && !glance.is_in_window)) ++wrong;
      if (is_only && (glance.ticks != newest->time - after || !(glance.trace == newest->trace))) ++wrong;
      glances += is_only ? 1 : 0;
    } else if (newest->time > until) {
      if (glance.is_all) ++wrong;
    }
  }
  /// As a checkpoint does: what was said goes into another one, which goes on.
  void move_on() {
    History other(static_cast<std::uint32_t>(all_.size()));
    other.begin_again(history_.complete_after(), bits(now_));
    std::vector<std::uint32_t> words;
    for (std::uint32_t neuron = 0; neuron < all_.size(); ++neuron) {
      words.clear();
      history_.events(neuron, words);
      CHECK(words.size() % History::event_words == 0);
      other.add_events(neuron, words);
    }
    history_ = std::move(other);
  }

  std::uint64_t wrong = 0, shown = 0, glances = 0;

private:
  static std::uint32_t bits(std::uint64_t time) { return static_cast<std::uint32_t>(time); }

  History history_;
  std::vector<std::deque<Event>> all_;
  std::uint64_t now_, begin_ = 0, complete_after_ = 0;
  std::uint32_t window_;
  std::mt19937_64 random_;
};

} // namespace

TEST_CASE("spike history: as a list of all events, across the wraps of its clock, in bursts and silence") {
  constexpr std::uint64_t half = std::uint64_t{1} << 31, whole = std::uint64_t{1} << 32;
  std::uint64_t shown = 0, glances = 0;
  for (const std::uint64_t begin : {std::uint64_t{1}, half - 3000, half + 1, whole - 3000, 3 * half - 17})
    for (const std::uint32_t window : {40U, 700U, 20'000U})
      for (const std::uint32_t leap : {1U, 300U, 100'000U, 0x0FFF'FFFFU}) {
        Checker checker(5, begin, window, leap + window);
        std::mt19937 random(window ^ leap);
        for (int round = 0; round < 4000; ++round) {
          // One fires each step, one in bursts, one now and then, one hardly, one never.
          checker.fire(0);
          if (round / 50 % 3 == 0) checker.fire(1);
          if (random() % 20 == 0) checker.fire(2);
          if (random() % 1500 == 0) checker.fire(3);
          for (std::uint32_t neuron = 0; neuron < 5; ++neuron) checker.ask(neuron);
          checker.advance(random() % 200 == 0 ? 1 + random() % leap : 1);
          if (random() % 997 == 0) checker.move_on();
        }
        INFO("from " << begin << ", window " << window << ", leaps to " << leap << ", until " << checker.now());
        CHECK(checker.wrong == 0);
        shown += checker.shown, glances += checker.glances;
      }
  CHECK(shown > 1'000'000);
  CHECK(glances > 10'000);
}

TEST_CASE("spike history: who was silent for all of the clock has not fired again") {
  for (const std::uint64_t silence :
       {std::uint64_t{1} << 28, std::uint64_t{1} << 30, std::uint64_t{1} << 31, (std::uint64_t{1} << 32) - 1,
        std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 5}) {
    Checker checker(2, 1000, 500, 7);
    for (int round = 0; round < 20; ++round) {
      checker.fire(0), checker.ask(0), checker.ask(1);
      checker.advance(silence);
      for (int more = 0; more < 30; ++more) {
        checker.ask(0), checker.ask(1);
        if (more == 11) checker.fire(0);
        checker.advance(1);
      }
    }
    INFO(silence);
    CHECK(checker.wrong == 0);
  }
}
