// SPDX-License-Identifier: BSL-1.0
// The scheduler on a host: its queue, its timers, and whole turns. The baselines are what there is in a standard
// library: std::priority_queue with an arrival number, and services as std::function.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>
#include <neuromorph/neuromorph.hpp>

#include "../scheduler_loop.hpp"
#include "support.hpp"

namespace bench {
namespace {

constexpr std::uint32_t turns = 1000;

template <class Tick>
struct StandardQueue {
  struct Event {
    Tick deadline;
    std::uint32_t arrival, service;
    bool operator<(const Event& other) const { // the greatest comes first
      return deadline != other.deadline ? nm::is_before(other.deadline, deadline)
                                        : nm::is_before(other.arrival, arrival);
    }
  };
  bool push(const nm::QueueEntry<Tick, std::uint32_t>& event) {
    events.push({event.deadline, arrivals++, event.rest});
    return true;
  }
  nm::QueueEntry<Tick, std::uint32_t> pop() {
    const Event first = events.top();
    events.pop();
    return {first.deadline, first.service};
  }
  std::priority_queue<Event> events;
  std::uint32_t arrivals = 0;
};

/// An event popped, and one pushed that is due up to 1000 ticks later, in turn; one less than `entries` are queued.
template <class Tick, class Queue>
struct Held {
  explicit Held(std::size_t entries) {
    for (std::size_t at = 1; at < entries; ++at) push();
  }
  void push() {
    static_cast<void>(queue.push({static_cast<Tick>(now + random.next() % 1000), pushed++ % 200})); // there is room
  }
  nm::QueueEntry<Tick, std::uint32_t> turn() {
    push();
    const auto event = queue.pop();
    now = event.deadline;
    return event;
  }
  Queue queue;
  nm::Sfc32 random;
  Tick now = 0;
  std::uint32_t pushed = 0;
};

template <class Tick, class Queue>
void time_queue(const std::string& name, std::size_t entries) {
  Held<Tick, Queue> tried(entries);
  Held<Tick, StandardQueue<Tick>> wanted(entries);
  for (std::uint32_t turn = 0; turn < turns; ++turn)
    expect(tried.turn() == wanted.turn(), "a queue of events has another order than the baseline");
  benchmark::RegisterBenchmark(name.c_str(), [entries](benchmark::State& state) {
    Held<Tick, Queue> held(entries);
    for (auto _ : state)
      for (std::uint32_t turn = 0; turn < turns; ++turn) benchmark::DoNotOptimize(held.turn());
    state.SetItemsProcessed(state.iterations() * turns);
  });
}

template <std::size_t Entries>
void time_queues() {
  const std::string queue = "sched/queue" + std::to_string(Entries);
  time_queue<std::uint32_t, nm::EventQueue<std::uint32_t, Entries>>(queue, Entries);
  time_queue<std::uint64_t, nm::EventQueue<std::uint64_t, Entries>>(queue + "/wide", Entries);
  time_queue<std::uint32_t, StandardQueue<std::uint32_t>>(queue + "/std", Entries);
}

template <class Tick>
void time_timer(const std::string& name) {
  for (const bool fires : {false, true})
    benchmark::RegisterBenchmark(
        (name + (fires ? "/fires" : "/nothing_due")).c_str(), [fires](benchmark::State& state) {
          auto timer = nm::Timer<Tick>::from({.service = 1, .start = Tick{fires ? 1U : 1U << 30}, .period = 1}).value();
          nm::Event<Tick> event;
          Tick now = 0;
          std::uint32_t events = 0;
          for (auto _ : state)
            for (std::uint32_t turn = 0; turn < turns; ++turn) {
              benchmark::DoNotOptimize(timer);
              events += timer.next_event(event, fires ? ++now : now);
              benchmark::DoNotOptimize(event);
            }
          if (events != (fires ? state.iterations() * turns : 0)) state.SkipWithError("wrong number of events");
          state.SetItemsProcessed(state.iterations() * turns);
        });
}

/// The same loop as most would write it first.
template <std::size_t Count>
struct StandardLoop {
  struct Timer {
    std::uint32_t next, period;
  };
  StandardLoop() {
    for (std::size_t at = 0; at < Count; ++at) services.emplace_back([] { ++runs; });
  }
  void set(std::uint32_t start, std::uint32_t period, std::uint32_t until) {
    clock.time = 0, end = until;
    queue = {};
    timers.clear();
    for (std::size_t at = 0; at < Count; ++at) timers.push_back({static_cast<std::uint32_t>(start + at), period});
  }
  void execute() {
    while (true) {
      const std::uint32_t now = clock.now();
      if (now >= end) return;
      for (std::size_t at = 0; at < timers.size(); ++at)
        if (now >= timers[at].next) {
          timers[at].next += timers[at].period;
          queue.push({timers[at].next, static_cast<nm::ServiceId>(at)});
        }
      if (!queue.events.empty()) services[queue.pop().rest]();
    }
  }
  Counter<std::uint32_t> clock;
  std::uint32_t end = 0;
  std::vector<Timer> timers;
  std::vector<std::function<void()>> services;
  StandardQueue<std::uint32_t> queue;
};

/// Turns in which nothing is due, and turns that each run an empty service.
template <class Loop>
void time_loop(const std::string& name, Loop& loop, std::uint32_t count) {
  for (const bool busy : {false, true})
    benchmark::RegisterBenchmark((name + (busy ? "/runs" : "/nothing_due")).c_str(),
                                 [&loop, count, busy](benchmark::State& state) {
                                   for (auto _ : state) {
                                     loop.set(busy ? 1 : 2 * turns, busy ? count : 2 * turns, turns);
                                     runs = 0;
                                     loop.execute();
                                     if (runs < (busy ? turns - 10 : 0) || runs > (busy ? turns : 0))
                                       state.SkipWithError("services have not run as often as they should");
                                   }
                                   state.SetItemsProcessed(state.iterations() * turns);
                                 });
}
template <std::size_t Count>
void time_loops() {
  static StandardLoop<Count> standard;
  const std::string count = std::to_string(Count);
  time_loop("sched/loop/" + count, loop_of<std::uint32_t>(std::make_index_sequence<Count>{}), Count);
  time_loop("sched/loop/wide/" + count, loop_of<std::uint64_t>(std::make_index_sequence<Count>{}), Count);
  time_loop("sched/loop/std/" + count, standard, Count);
}

} // namespace

void register_scheduler() {
  time_queues<4>();
  time_queues<16>();
  time_queues<64>();
  time_queues<256>();
  time_timer<std::uint32_t>("sched/timer");
  time_timer<std::uint64_t>("sched/timer/wide");
  time_loops<1>();
  time_loops<4>();
  time_loops<16>();
  time_loops<64>();
}

} // namespace bench
