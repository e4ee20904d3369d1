// SPDX-License-Identifier: BSL-1.0
// A trace store that never frees: all events of all neurons since the start, in vectors, with 64-bit times that do not
// wrap. It says which outcome an event has while there is room, and what a window shows.
#ifndef TESTS_REFERENCE_TRACE_MODEL_HPP
#define TESTS_REFERENCE_TRACE_MODEL_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <neuromorph/gc/collector.hpp>
#include <neuromorph/gc/liveness.hpp>

namespace reference {

/// What a Liveness policy means, said anew: `age` in ticks, `reads` so far, and how many it waits for.
template <class Liveness>
struct Death;
template <std::uint32_t Ticks>
struct Death<neuromorph::gc::AgeWindow<Ticks>> {
  static constexpr unsigned reads = 0;
  static bool has_come(std::int64_t age, unsigned) { return age > std::int64_t{Ticks}; }
};
template <std::uint16_t Reads>
struct Death<neuromorph::gc::ReadCount<Reads>> {
  static constexpr unsigned reads = Reads;
  static bool has_come(std::int64_t, unsigned so_often) { return so_often >= Reads; }
};
template <class Age, class Use>
struct Death<neuromorph::gc::EitherDead<Age, Use>> {
  static constexpr unsigned reads = Death<Use>::reads;
  static bool has_come(std::int64_t age, unsigned so_often) {
    return Death<Age>::has_come(age, so_often) || Death<Use>::has_come(age, so_often);
  }
};
template <class Age, class Use>
struct Death<neuromorph::gc::BothDead<Age, Use>> {
  static constexpr unsigned reads = Death<Use>::reads;
  static bool has_come(std::int64_t age, unsigned so_often) {
    return Death<Age>::has_come(age, so_often) && Death<Use>::has_come(age, so_often);
  }
};

/// Whom WhenFull::oldest_gives_way takes.
enum class Victim { oldest_of_all, oldest_of_neuron };

template <class Trace, class Liveness>
class TraceModel {
  struct Event {
    std::int64_t time;
    Trace trace;
    std::size_t number; // in the order in which events came
    unsigned reads = 0;
    bool given_up = false;
  };
  struct History {
    std::vector<Event> events;
    std::size_t gone = 0;          // so many of them
    std::size_t gone_by_reads = 0; // since the last tick
    std::size_t forgotten = 0;     // of which none is the newest any more
    std::size_t cleared = 0;
  };

public:
  TraceModel(std::size_t neurons, std::uint32_t start) : now_(start), histories_(neurons) {}

  /// The outcome if there is room.
  neuromorph::gc::Recorded judge(std::uint32_t neuron, std::uint32_t time, std::uint32_t ahead) const {
    using neuromorph::gc::Recorded;
    if (neuron >= histories_.size()) return Recorded::refused_no_such_neuron;
    const std::int64_t full = extended(time);
    if (is_dead(full, 0)) return Recorded::refused_expired;
    if (full > now_ + std::int64_t{ahead}) return Recorded::refused_too_far_ahead;
    const Event* const last = newest(neuron);
    return last != nullptr && last->time > full ? Recorded::refused_out_of_order : Recorded::stored;
  }
  void add(std::uint32_t neuron, std::uint32_t time, const Trace& trace) {
    histories_[neuron].events.push_back({extended(time), trace, owners_.size()});
    owners_.push_back(neuron);
  }
  /// The one that came first, of those that are not gone.
  void give_up(Victim victim, std::uint32_t neuron) {
    Event* first = nullptr;
    for (std::size_t of = 0; of < histories_.size(); ++of) {
      if (victim == Victim::oldest_of_neuron && of != neuron) continue;
      for (std::size_t at = histories_[of].gone; at < histories_[of].events.size(); ++at) {
        Event& event = histories_[of].events[at];
        if (event.given_up) continue;
        if (first == nullptr || event.number < first->number) first = &event;
        break;
      }
    }
    if (first != nullptr) {
      first->given_up = true;
      if (first->time > lost_until_) lost_until_ = first->time;
    }
    settle();
  }
  /// \param forgets_after  ticks by which the clock may not move on, if newest events are to be known
  void advance_to(std::uint32_t now, std::uint32_t forgets_after, std::uint32_t ahead) {
    const std::int64_t full = extended(now);
    if (full - now_ >= std::int64_t{forgets_after}) {
      for (History& history : histories_) history.forgotten = history.events.size();
      forgotten_until_ = now_ + ahead;
    }
    if (full > now_) now_ = full;
    settle();
    for (History& history : histories_) history.gone_by_reads = 0;
  }
  void clear() {
    for (History& history : histories_) history.gone = history.forgotten = history.cleared = history.events.size();
  }

  using Shown = std::vector<std::pair<std::uint32_t, Trace>>;
  Shown window(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) {
    Shown shown;
    if (neuron >= histories_.size()) return shown;
    History& history = histories_[neuron];
    for (std::size_t at = history.gone; at < history.events.size(); ++at) {
      Event& event = history.events[at];
      if (event.given_up || event.time <= extended(after) || event.time > extended(until)) continue;
      shown.push_back({static_cast<std::uint32_t>(event.time), event.trace});
      ++event.reads;
    }
    const std::size_t before = history.gone;
    settle();
    history.gone_by_reads += history.gone - before;
    last_ = shown.empty() ? histories_.size() : neuron;
    return shown;
  }

  struct Newest {
    bool exists = false;
    std::uint32_t time = 0;
    const Trace* trace = nullptr;
  };
  Newest newest_of(std::uint32_t neuron) const {
    const Event* const last = neuron < histories_.size() ? newest(neuron) : nullptr;
    return last == nullptr ? Newest{} : Newest{true, static_cast<std::uint32_t>(last->time), &last->trace};
  }
  /// What is asked of the past, without a read: the event before, if it is known, in front of those of the window.
  struct Past {
    Shown before, events;
    bool may_miss = false; // the neuron has fired twice since the window's beginning, or that is too long ago to tell
  };
  Past past(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) const {
    Past past;
    const History& history = histories_[neuron];
    const Event* const last = newest(neuron);
    const std::int64_t from = extended(after), to = extended(until);
    past.may_miss = last != nullptr ? last->time > from && !is_alone(neuron, from)
                                    : from < now_ - (1 << 29) - 1 || from < forgotten_until_;
    past.may_miss = past.may_miss && from < to;
    for (std::size_t at = history.cleared; at < history.events.size(); ++at) {
      const Event& event = history.events[at];
      if (event.time > from) break;
      past.before.clear();
      if (&event == last || (at >= history.gone && !event.given_up))
        past.before.push_back({static_cast<std::uint32_t>(event.time), event.trace});
    }
    for (std::size_t at = 0; at < history.events.size(); ++at) {
      const Event& event = history.events[at];
      if (event.time <= from || event.time > to) continue;
      if (&event == last || (at >= history.gone && !event.given_up))
        past.events.push_back({static_cast<std::uint32_t>(event.time), event.trace});
    }
    return past;
  }

  /// Whether a window shows all that was recorded in it, as far as events are kept that nobody has read.
  bool is_complete(std::uint32_t neuron, std::uint32_t after, std::uint32_t until) const {
    if (neuron >= histories_.size()) return false;
    const std::int64_t from = extended(after);
    return from >= extended(until) || (!is_dead(from + 1, 0) && from >= lost_until_);
  }
  /// Events that have gone before all had read them.
  std::size_t gone_unread() const { return gone_unread_; }

  std::uint32_t now() const { return static_cast<std::uint32_t>(now_); }
  std::size_t live(std::uint32_t neuron) const {
    std::size_t count = 0;
    const History& history = histories_[neuron];
    for (std::size_t at = history.gone; at < history.events.size(); ++at) count += !history.events[at].given_up;
    return count;
  }
  std::size_t live() const {
    std::size_t count = 0;
    for (std::uint32_t neuron = 0; neuron < histories_.size(); ++neuron) count += live(neuron);
    return count;
  }
  /// All that came since the first of those that are alive, that included.
  std::size_t since_first_live() const {
    std::size_t first = owners_.size();
    for (const History& history : histories_)
      for (std::size_t at = history.gone; at < history.events.size(); ++at)
        if (!history.events[at].given_up && history.events[at].number < first) first = history.events[at].number;
    return owners_.size() - first;
  }
  /// Of the neuron that the last window showed something of: events that reads have made go since the last tick.
  std::size_t gone_under_last_window() const { return last_ < histories_.size() ? histories_[last_].gone_by_reads : 0; }
  /// Ever.
  std::size_t stored() const { return owners_.size(); }
  std::size_t neurons() const { return histories_.size(); }

private:
  /// Of all that were recorded, while it is known.
  const Event* newest(std::uint32_t neuron) const {
    const History& history = histories_[neuron];
    if (history.forgotten == history.events.size() || now_ - history.events.back().time > 1 << 29) return nullptr;
    return &history.events.back();
  }
  /// Whether the newest event is the only one since `from`, and can be told to be: intervals are kept in 16 bits, and
  /// nothing longer than the longest life.
  bool is_alone(std::uint32_t neuron, std::int64_t from) const {
    const History& history = histories_[neuron];
    const std::size_t at = history.events.size() - 1;
    const std::int64_t time = history.events[at].time;
    return now_ - from <= (1 << 29) + 1 && time - from <= 65535 &&
           (at == history.cleared || from >= history.events[at - 1].time);
  }
  std::int64_t extended(std::uint32_t time) const {
    return now_ + static_cast<std::int32_t>(time - static_cast<std::uint32_t>(now_));
  }
  /// Nothing lives for more than 2^29 ticks.
  bool is_dead(std::int64_t time, unsigned reads) const {
    return now_ - time > 1 << 29 || Death<Liveness>::has_come(now_ - time, reads);
  }
  /// Events go in the order of their neuron, and for ever.
  void settle() {
    for (History& history : histories_)
      for (; history.gone < history.events.size(); ++history.gone) {
        const Event& event = history.events[history.gone];
        if (!event.given_up && !is_dead(event.time, event.reads)) break;
        if (!event.given_up && event.reads < Death<Liveness>::reads) ++gone_unread_;
      }
  }

  std::int64_t now_, lost_until_ = std::int64_t{-1} << 40, forgotten_until_ = std::int64_t{-1} << 40;
  std::size_t gone_unread_ = 0;
  std::size_t last_ = static_cast<std::size_t>(-1);
  std::vector<History> histories_;
  std::vector<std::uint32_t> owners_;
};

} // namespace reference

#endif
