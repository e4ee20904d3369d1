// SPDX-License-Identifier: BSL-1.0
// The scheduler's parts: a queue that holds fifteen events while one is pushed and popped, and sources of events in
// all their cases.
#include <cstddef>
#include <cstdint>

#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/sched/event_queue.hpp>
#include <neuromorph/sched/interrupt_mailbox.hpp>
#include <neuromorph/sched/timer.hpp>

#include "../scheduler_loop.hpp"

#include "measure.hpp"

using namespace neuromorph;
using Narrow = std::uint32_t;
using Wide = std::uint64_t;

namespace {

bool right = true;

template <class Queue>
Queue queue;
template <class Tick>
Event<Tick> event;

template <class Queue, class Tick>
[[gnu::noinline]] void push(Queue& into, std::uint32_t service, Tick deadline) {
  if (!into.insert({deadline, service})) right = false;
}
template <class Queue, class Tick>
[[gnu::noinline]] void pop(Queue& from, Event<Tick>& to) {
  const auto event = from.take_first();
  to.deadline = event.deadline, to.service = static_cast<ServiceId>(event.rest); // the whole would go byte by byte
}
template <class Tick, std::size_t Capacity>
[[gnu::noinline]] void push(EventQueue<Tick, Capacity>& into, std::uint32_t service, Tick deadline) {
  if (!into.push({deadline, service})) right = false;
}
template <class Tick, std::size_t Capacity>
[[gnu::noinline]] void pop(EventQueue<Tick, Capacity>& from, Event<Tick>& to) {
  const auto event = from.pop();
  to.deadline = event.deadline, to.service = static_cast<ServiceId>(event.rest);
}

/// Events that are pushed and popped in turn, the queue one below `size`: an event is due up to 1000 ticks after the
/// one that was popped. Then one that is due before all others, and one after. Call and return are part of it.
#define MEASURE_QUEUE(key, Tick, entries, ...)                                                                         \
  do {                                                                                                                 \
    using Queue = __VA_ARGS__;                                                                                         \
    auto& held = queue<Queue>;                                                                                         \
    Sfc32 random;                                                                                                      \
    auto now = static_cast<Tick>(~Tick{0} - 10000); /* wraps under way */                                              \
    for (std::uint32_t count = 1; count < entries; ++count)                                                            \
      push(held, 1U, static_cast<Tick>(now + random.next() % 1000));                                                   \
    for (std::uint32_t turn = 0; turn < 500; ++turn) {                                                                 \
      const auto deadline = fresh(static_cast<Tick>(now + random.next() % 1000)); /* not within */                     \
      MEASURE(key ".push", 1, push(*fresh(&held), fresh(turn), fresh(deadline)));                                      \
      MEASURE(key ".pop", 1, pop(*fresh(&held), *fresh(&event<Tick>)));                                                \
      right = right && !is_before(event<Tick>.deadline, now) && held.size() == entries - 1;                            \
      now = event<Tick>.deadline;                                                                                      \
    }                                                                                                                  \
    MEASURE(key ".push.earliest", 1, push(*fresh(&held), fresh(1U), fresh(now)));                                      \
    pop(held, event<Tick>);                                                                                            \
    right = right && event<Tick>.deadline == now;                                                                      \
    now += 1000;                                                                                                       \
    MEASURE(key ".push.latest", 1, push(*fresh(&held), fresh(1U), fresh(now)));                                        \
    while (held.size() != 0) pop(held, event<Tick>);                                                                   \
    right = right && event<Tick>.deadline == now;                                                                      \
  } while (false)

void queues() {
  MEASURE_QUEUE("sched.queue16", Narrow, 16, EventQueue<Narrow, 16>);
  MEASURE_QUEUE("sched.queue16.wide", Wide, 16, EventQueue<Wide, 16>);
  // Where the two kinds cross.
  MEASURE_QUEUE("sched.list.4", Narrow, 4, detail::ListOfEvents<Narrow, 4>);
  MEASURE_QUEUE("sched.list.8", Narrow, 8, detail::ListOfEvents<Narrow, 8>);
  MEASURE_QUEUE("sched.list.16", Narrow, 16, detail::ListOfEvents<Narrow, 16>);
  MEASURE_QUEUE("sched.list.32", Narrow, 32, detail::ListOfEvents<Narrow, 32>);
  MEASURE_QUEUE("sched.list.64", Narrow, 64, detail::ListOfEvents<Narrow, 64>);
  MEASURE_QUEUE("sched.list.128", Narrow, 128, detail::ListOfEvents<Narrow, 128>);
  MEASURE_QUEUE("sched.heap.4", Narrow, 4, detail::HeapOfEvents<Narrow, 4>);
  MEASURE_QUEUE("sched.heap.16", Narrow, 16, detail::HeapOfEvents<Narrow, 16>);
  MEASURE_QUEUE("sched.heap.32", Narrow, 32, detail::HeapOfEvents<Narrow, 32>);
  MEASURE_QUEUE("sched.heap.64", Narrow, 64, detail::HeapOfEvents<Narrow, 64>);
  MEASURE_QUEUE("sched.heap.128", Narrow, 128, detail::HeapOfEvents<Narrow, 128>);
}

template <class Source, class Tick>
[[gnu::noinline]] bool next_event(Source& source, Event<Tick>& to, Tick now) {
  return source.next_event(to, now);
}
template <class Source>
Source source;

/// `next_event` as a called function.
#define MEASURE_NEXT(key, from, Tick, time, comes)                                                                     \
  do {                                                                                                                 \
    bool found = false;                                                                                                \
    MEASURE(key, 1, found = next_event(*fresh(&from), *fresh(&event<Tick>), fresh(static_cast<Tick>(time))));          \
    right = right && found == comes;                                                                                   \
  } while (false)

#define MEASURE_SOURCES(key, Tick)                                                                                     \
  do {                                                                                                                 \
    auto& timer = source<Timer<Tick>>;                                                                                 \
    timer = Timer<Tick>::from({.service = 1, .start = 1000, .period = 100}).value();                                   \
    MEASURE_NEXT("sched.timer" key ".nothing_due", timer, Tick, 999, false);                                           \
    MEASURE_NEXT("sched.timer" key ".fires", timer, Tick, 1000, true);                                                 \
    MEASURE_NEXT("sched.timer" key ".catches_up", timer, Tick, 1210, true);                                            \
    auto& skips = source<Timer<Tick, Missed::skip>>;                                                                   \
    skips = Timer<Tick, Missed::skip>::from({.service = 1, .start = 1100, .period = 100}).value();                     \
    MEASURE_NEXT("sched.timer" key ".one_missed", skips, Tick, 1210, true);                                            \
    MEASURE_NEXT("sched.timer" key ".1000_missed", skips, Tick, 101310, true);                                         \
    right = right && timer.missed() == 0 && skips.missed() == 1001;                                                    \
    timer = Timer<Tick>::from({.service = 1, .start = 0, .period = 100, .count = 1}).value();                          \
    MEASURE_NEXT("sched.timer" key ".last", timer, Tick, 0, true);                                                     \
    MEASURE_NEXT("sched.timer" key ".over", timer, Tick, 100, false);                                                  \
    auto& once = source<OneshotTimer<Tick>>;                                                                           \
    once = OneshotTimer<Tick>::from(1, 1000, 2000).value();                                                            \
    MEASURE_NEXT("sched.oneshot" key ".nothing_due", once, Tick, 999, false);                                          \
    MEASURE_NEXT("sched.oneshot" key ".fires", once, Tick, 1000, true);                                                \
    MEASURE_NEXT("sched.oneshot" key ".over", once, Tick, 1001, false);                                                \
    static bench::Counter<Tick> clock;                                                                                 \
    static InterruptMailbox mailbox(1, clock, 500);                                                                    \
    MEASURE_NEXT("sched.mailbox" key ".nothing_due", mailbox, Tick, 1, false);                                         \
    MEASURE("sched.mailbox" key ".post", 1, (*fresh(&mailbox)).post());                                                \
    MEASURE_NEXT("sched.mailbox" key ".fires", mailbox, Tick, 2, true);                                                \
    static Sporadic sporadic(1, clock, 500, 100);                                                                      \
    MEASURE_NEXT("sched.sporadic" key ".nothing_due", sporadic, Tick, 1, false);                                       \
    sporadic.post();                                                                                                   \
    MEASURE_NEXT("sched.sporadic" key ".fires", sporadic, Tick, 3, true);                                              \
  } while (false)

} // namespace

bool run() {
  queues();
  MEASURE_SOURCES("", Narrow);
  MEASURE_SOURCES(".wide", Wide);
  return right;
}
