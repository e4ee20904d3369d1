// SPDX-License-Identifier: BSL-1.0
/// \file
/// What the neurons of a part fired, and their traces, as long as rows may ask: a History of kernels/plasticity/history.hpp
/// without limits on numbers, for hosts.
///
/// The eight newest events of a neuron stand where a glance finds them, and several lanes at once. All events, in their order,
/// in a list of the neuron's, from which `forget` takes the oldest.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_SPIKE_HISTORY_HPP
#define NEUROMORPH_NETWORK_DETAIL_SPIKE_HISTORY_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/network/detail/pages.hpp>
#include <neuromorph/target/native.hpp>
#include <neuromorph/target/recent_records.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// \tparam TraceType  trivially copyable, whole words
///
/// Times are steps, 32 bits wide; they wrap. `forget` is called once in 2^28 of them at least.
template <class TraceType, class Target = target::Native>
class SpikeHistory {
  static_assert(std::is_trivially_copyable_v<TraceType> && sizeof(TraceType) % 4 == 0);

public:
  using Trace = TraceType;
  class Past;

  explicit SpikeHistory(std::uint32_t neurons) : lists_(neurons), newer_(neurons), older_(neurons) {}

  /// Records an event whose trace follows from the last one: trace_of({exists, time, trace}).
  /// \pre time is not before that of the neuron's last event, nor before what `forget` was told
  template <class Function>
  void update(std::uint32_t neuron, std::uint32_t time, Function trace_of) {
    struct Last {
      bool exists;
      std::uint32_t time;
      Trace trace;
    };
    Record& newer = newer_.data()[neuron];
    const std::uint32_t stamp = newer.word[0][0];
    const Trace trace = trace_of(Last{time - (stamp - never) < never, stamp - never, trace_in(newer)});
    target::push_record(newer, older_.data()[neuron], time + never, trace);
    List& list = lists_[neuron];
    if (list.size() == list.capacity()) drop_old(list);
    list.push_back({time, trace});
  }
  [[nodiscard, gnu::always_inline]] Past past(std::uint32_t after, std::uint32_t until) const noexcept {
    return Past(*this, after, until);
  }
  /// Nobody asks for events up to `until` any more, but for the last of them.
  void forget(std::uint32_t until) {
    complete_after_ = until;
    if (until - refreshed_ < never / 4) return;
    refreshed_ = until;
    for (std::size_t neuron = 0; neuron < lists_.size(); ++neuron) {
      drop_old(lists_[neuron]);
      if (List& list = lists_[neuron]; !list.empty() && until - list.back().time >= never / 2 &&
                                       static_cast<std::int32_t>(until - list.back().time) > 0)
        list.clear();
      for (Record* const half : {newer_.data(), older_.data()}) refresh(half[neuron], until);
    }
  }
  /// What a row may still ask for: [events][1 + words of a trace], time and trace.
  static constexpr std::size_t event_words = 1 + sizeof(Trace) / 4;
  void events(std::uint32_t neuron, std::vector<std::uint32_t>& words) const {
    const List& list = lists_[neuron];
    std::size_t first = 0;
    while (first + 1 < list.size() && !is_after(list[first + 1].time, complete_after_)) ++first;
    for (; first < list.size(); ++first) {
      words.push_back(list[first].time);
      for (const std::uint32_t word : std::bit_cast<std::array<std::uint32_t, trace_words>>(list[first].trace))
        words.push_back(word);
    }
  }
  [[nodiscard]] std::uint32_t complete_after() const noexcept { return complete_after_; }
  /// Nobody has fired; events may be added.
  void begin_again(std::uint32_t complete_after, std::uint32_t now) {
    complete_after_ = complete_after, refreshed_ = now;
    for (List& list : lists_) list.clear();
    for (Pages<Record>* const half : {&newer_, &older_})
      for (Record& record : half->all()) {
        record = {};
        for (std::size_t at = 0; at < Record::records; ++at) record.word[0][at] = now; // that is never
      }
  }
  /// Events of a neuron as `events` gave them.
  void add_events(std::uint32_t neuron, std::span<const std::uint32_t> words) {
    for (std::size_t at = 0; at + event_words <= words.size(); at += event_words) {
      std::array<std::uint32_t, trace_words> trace;
      for (std::size_t word = 0; word < trace_words; ++word) trace[word] = words[at + 1 + word];
      const Event event{words[at], std::bit_cast<Trace>(trace)};
      target::push_record(newer_.data()[neuron], older_.data()[neuron], event.time + never, event.trace);
      lists_[neuron].push_back(event);
    }
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = newer_.bytes() + older_.bytes() + lists_.size() * sizeof(List);
    for (const List& list : lists_) sum += list.capacity() * sizeof(Event);
    return sum;
  }

private:
  static constexpr std::size_t trace_words = sizeof(Trace) / 4;
  using Record = target::FourRecords<1 + trace_words>;
  /// How old an event is that never was: all zero is that, where the clock starts at 0.
  static constexpr std::uint32_t never = 1U << 30;
  struct Event {
    std::uint32_t time;
    Trace trace;
  };
  using List = std::vector<Event>; // in the order of time

  [[nodiscard]] static bool is_after(std::uint32_t time, std::uint32_t other) noexcept {
    return static_cast<std::int32_t>(time - other) > 0;
  }
  [[nodiscard, gnu::always_inline]] static Trace trace_in(const Record& record) noexcept {
    std::array<std::uint32_t, trace_words> words;
    for (std::size_t at = 0; at < trace_words; ++at) words[at] = record.word[1 + at][0];
    return std::bit_cast<Trace>(words);
  }
  void drop_old(List& list) {
    std::size_t old = 0;
    while (old < list.size() && !is_after(list[old].time, complete_after_)) ++old;
    if (old > 1) list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(old - 1));
  }
  /// What is half as old as what never was, never was.
  static void refresh(Record& record, std::uint32_t now) noexcept {
    for (std::size_t at = 0; at < Record::records; ++at) {
      const std::uint32_t age = now - (record.word[0][at] - never);
      if (age < never / 2 || static_cast<std::int32_t>(age) < 0) continue;
      for (auto& words : record.word) words[at] = 0;
      record.word[0][at] = now; // so long ago
    }
  }

  std::vector<List> lists_;
  Pages<Record> newer_, older_;
  std::uint32_t complete_after_ = 0U - never / 2, refreshed_ = 0;
};

/// The events of a window, after < time <= until.
template <class TraceType, class Target>
class SpikeHistory<TraceType, Target>::Past {
public:
  using Lanes = typename Target::UnsignedLanes;
  static constexpr bool has_glance = true;

  struct Glance {
    bool is_all, is_in_window;
    std::uint32_t ticks;
    Trace trace;
  };

  Past(const SpikeHistory& of, std::uint32_t after, std::uint32_t until) noexcept
      : of_(&of), after_(after), until_(until) {}

  [[nodiscard]] std::uint32_t complete_after() const noexcept { return of_->complete_after_; }
  template <class Before, class Each>
  bool of(std::uint32_t neuron, Before before, Each each) const {
    const List& list = of_->lists_[neuron];
    std::size_t first = list.size();
    while (first != 0 && is_after(list[first - 1].time, after_)) --first;
    if (first != 0) before(list[first - 1].time, list[first - 1].trace);
    for (; first < list.size() && !is_after(list[first].time, until_); ++first)
      each(list[first].time, list[first].trace);
    return !is_after(of_->complete_after_, after_);
  }
  [[nodiscard, gnu::always_inline]] Glance glance(std::uint32_t neuron) const noexcept {
    const Record& record = of_->newer_.data()[neuron];
    const std::uint32_t begins = look_begins(), since = record.word[0][0] - begins;
    const Trace trace = trace_in(record);
    if (static_cast<std::int32_t>(since) <= 0) return {true, false, since, trace};
    if (since > until_ - after_ || static_cast<std::int32_t>(record.word[0][1] - begins) > 0)
      return {false, false, 0, trace};
    return {true, true, since, trace};
  }

  [[nodiscard]] bool is_shown_by_look(std::uint32_t earlier) const noexcept {
    return !is_after(of_->complete_after_, after_ - earlier);
  }
  struct Recent {
    const SpikeHistory* of;
    template <std::size_t half>
    [[nodiscard, gnu::always_inline]] auto look(typename Lanes::Value neuron) const noexcept {
      return target::gather_records<Lanes>((half == 0 ? of->newer_ : of->older_).data(), neuron);
    }
  };
  [[nodiscard]] Recent recent() const noexcept { return {of_}; }
  [[nodiscard]] std::uint32_t look_begins() const noexcept { return after_ + never; }
  [[nodiscard]] std::uint32_t look_knows_since() const noexcept { return complete_after() + 1 + never; }

private:
  const SpikeHistory* of_;
  std::uint32_t after_, until_;
};

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
