// SPDX-License-Identifier: BSL-1.0
// Virtual time, which nobody moves but who looks at it: a scheduler and an executive end at the right tick, whoever
// does not know his time, and never execute the core's wait. A loop that would not end throws.
#include <array>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include <neuromorph/sched/executive.hpp>
#include <neuromorph/sched/interrupt_mailbox.hpp>
#include <neuromorph/sched/row_pipeline.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>
#include <neuromorph/target/device/simulated_dma.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

/// A core that nothing would wake.
struct Asleep : target::Generic {
  static void wait_for_interrupt() { throw std::runtime_error("the core waits for an interrupt"); }
};

constexpr std::uint32_t most_turns = 200'000;

/// Any signaller, asked so often at most.
template <class Signals, bool Knows>
struct Guarded {
  using Offers = offer::List<offer::When<Knows, offer::WakeAt>>;
  Signals signals;
  std::uint32_t turns = 0;
  template <class Tick>
  Signal signal(Tick now) {
    if (++turns > most_turns) throw std::runtime_error("does not end");
    return signals.signal(now);
  }
  template <class Tick>
  bool wake_at(Tick now, Tick& at) requires Knows {
    return signals.wake_at(now, at);
  }
};

/// Hides when a source has something.
template <class Source>
struct Forgetful {
  using Offers = offer::List<>;
  Source& source;
  template <class Tick>
  bool next_event(Event<Tick>& event, Tick now) {
    return source.next_event(event, now);
  }
};

template <TickCount Result>
struct Plain {
  using ClockType = VirtualClock<Result>;
  ClockType clock;
  explicit Plain(std::uint64_t start) : clock(static_cast<Result>(start)) {}
};
struct Shifted {
  using ClockType = ShiftedClock<VirtualClock<std::uint64_t>, std::uint32_t, 7>;
  VirtualClock<std::uint64_t> fine;
  ClockType clock{fine};
  explicit Shifted(std::uint64_t start) : fine((start << 7) + 77) {}
};
struct Long {
  using ClockType = LongClock<VirtualClock<>>;
  VirtualClock<> narrow;
  ClockType clock{narrow};
  explicit Long(std::uint64_t start) : narrow(static_cast<std::uint32_t>(start)) {}
};

template <class Clocks>
struct Case {
  using ClockType = typename Clocks::ClockType;
  using Tick = typename ClockType::Tick;

  Tick begin, phase, period, end; // the last three after `begin`
  std::uint32_t count() const { return end <= phase ? 0 : static_cast<std::uint32_t>((end - phase - 1) / period + 1); }

  /// Whatever anybody knows, all releases before the end come at their tick, and it ends at its own.
  template <bool SignallerKnows, bool SourceKnows>
  void check() const {
    INFO("begin " << begin << ", phase " << phase << ", period " << period << ", end " << end << ", signaller knows "
                  << SignallerKnows << ", source knows " << SourceKnows);
    Clocks clocks(begin);
    ClockType& clock = clocks.clock;
    const Tick start = clock.now();
    std::uint32_t runs = 0, wrong = 0;
    Services services(service<0>([&] { wrong += clock.now() != start + phase + runs++ * period ? 1U : 0U; }));
    auto timer = Timer<Tick>::from({.service = 0, .start = start, .period = period, .phase = phase}).value();
    Forgetful<Timer<Tick>> forgetful{timer};
    Guarded<TimerSignaller<Tick>, SignallerKnows> signaller{
        TimerSignaller<Tick>::from(start, start + end, start + end).value()};
    Scheduler<ClockType, 2, SchedulerOptions{}, NoMissHook, Asleep> scheduler(clock);
    Finished finished{};
    if constexpr (SourceKnows)
      REQUIRE_NOTHROW(finished = scheduler.execute(signaller, services, timer));
    else
      REQUIRE_NOTHROW(finished = scheduler.execute(signaller, services, forgetful));
    CHECK(finished == Finished::by_exit); // at the same time as the end
    CHECK(clock.now() == static_cast<Tick>(start + end));
    CHECK(runs == count());
    CHECK(wrong == 0);
    CHECK(timer.missed() == 0);
    if constexpr (SignallerKnows && SourceKnows) // nothing is looked at for nothing
      CHECK(signaller.turns <= 2 * count() + 4);
  }
};

template <class Clocks>
void check_clock(std::uint32_t seed) {
  using Tick = typename Clocks::ClockType::Tick;
  std::mt19937_64 random(seed);
  INFO("seed " << seed);
  const auto begin = [&] {
    const std::uint64_t wraps[] = {0, 0xFFFF'FFFF, 0x7FFF'FFFF, 0x1234'5678};
    return static_cast<Tick>(wraps[random() % 4] - random() % 300);
  };
  for (unsigned round = 0; round < 40; ++round) {
    const Case<Clocks> near{begin(), static_cast<Tick>(random() % 200), static_cast<Tick>(1 + random() % 99),
                            static_cast<Tick>(random() % 2000)};
    near.template check<true, true>();
    near.template check<false, true>();
    near.template check<true, false>();
    near.template check<false, false>();
    // As far as 32 bits tell.
    const auto far = static_cast<Tick>(longest_span<std::uint32_t> - random() % 1000);
    Case<Clocks>{begin(), static_cast<Tick>(random() % far), static_cast<Tick>(far / (1 + random() % 9)), far}
        .template check<true, true>();
  }
}

} // namespace

TEST_CASE("virtual_time: a scheduler ends at the right tick, whoever does not know his time", "[sched][virtual_time]") {
  for (const std::uint32_t seed : Seeds(1)) {
    check_clock<Plain<std::uint32_t>>(seed);
    check_clock<Plain<std::uint64_t>>(seed);
    check_clock<Shifted>(seed);
    check_clock<Long>(seed);
  }
}

TEST_CASE("virtual_time: signals in memory are looked at, at each tick or at an interval", "[sched][virtual_time]") {
  for (const std::uint32_t interval : {0U, 1U, 30U, 0xFFFF'FFFFU}) {
    INFO("interval " << interval);
    VirtualClock<> clock(0xFFFF'FFF0U);
    volatile std::uint32_t word = static_cast<std::uint32_t>(Signal::run);
    unsigned runs = 0;
    Services services(service<0>([&] {
      if (++runs == 5) word = static_cast<std::uint32_t>(Signal::finish);
    }));
    auto timer = Timer<>::from({.service = 0, .start = 0xFFFF'FFFFU, .period = 100}).value();
    Guarded<MailboxSignaller, true> signaller{MailboxSignaller(word, interval)};
    Scheduler<VirtualClock<>, 2, SchedulerOptions{}, NoMissHook, Asleep> scheduler(clock);
    Finished finished{};
    REQUIRE_NOTHROW(finished = scheduler.execute(signaller, services, timer));
    CHECK(finished == Finished::by_finish);
    CHECK(clock.now() == 399);
  }
}

TEST_CASE("virtual_time: a source that always seems to be due lets time go on", "[sched][virtual_time]") {
  struct Due {
    using Offers = offer::List<offer::WakeAt>;
    bool next_event(Event<std::uint32_t>&, std::uint32_t) { return false; }
    bool wake_at(std::uint32_t now, std::uint32_t& at) {
      at = now;
      return true;
    }
  } due;
  VirtualClock<> clock;
  Services services(service<0>([] {}));
  Guarded<TimerSignaller<>, true> signaller{TimerSignaller<>::from(10, 500, 500).value()};
  Scheduler<VirtualClock<>, 2, SchedulerOptions{}, NoMissHook, Asleep> scheduler(clock);
  REQUIRE_NOTHROW(scheduler.execute(signaller, services, due));
  CHECK(clock.now() == 500);
  CHECK(scheduler.counts().sleeps == 1); // to the start
}

namespace {

/// Neurons in chunks of `cost`, rows if there are any, and a count of what was asked before the first step.
struct Tasks {
  VirtualClock<>& clock;
  target::SimulatedDma<2, target::Generic> dma{};
  RowPipeline<target::SimulatedDma<2, target::Generic>, 8, 2, 4> rows{dma};
  std::array<std::uint32_t, 4> far{};
  std::uint32_t cost = 10, chunks = 2, left = 0, too_early = 0;
  std::vector<std::uint32_t> begun{};

  void begin_step(std::uint32_t) {
    begun.push_back(clock.now());
    left = chunks;
    rows.begin_step();
  }
  bool feed_dma() {
    too_early += begun.empty() ? 1U : 0U;
    return rows.feed([this](std::uint32_t) { return FarRow{far.data(), 4}; });
  }
  bool synaptic_rows() {
    return rows.process([](std::uint32_t, std::span<std::uint32_t> row) {
      ++row[0];
      return true;
    });
  }
  bool write_back() { return rows.write_back(); }
  bool neurons() {
    if (left == 0) return false;
    --left;
    clock.advance(cost);
    return true;
  }
  bool is_idle() const { return rows.is_idle(); }
};
auto named(Tasks& tasks) {
  using enum ExecutiveTask;
  return ExecutiveTasks(tasks, task<ExecutiveCall::begin_step, &Tasks::begin_step>(),
                        task<feed_dma, &Tasks::feed_dma>(), task<synaptic_rows, &Tasks::synaptic_rows>(),
                        task<write_back, &Tasks::write_back>(), task<neurons, &Tasks::neurons>(),
                        task<ExecutiveCall::is_idle, &Tasks::is_idle>());
}
template <Overrun Policy = Overrun::catch_up>
using Steps = Executive<VirtualClock<>, decltype(named(std::declval<Tasks&>())), Policy, Asleep>;

template <bool Knows>
void check_steps() {
  for (const std::uint32_t begin : {0U, 0xFFFF'FF00U, 0x7FFF'FF80U})
    for (const std::uint32_t spikes : {0U, 5U})
      for (const std::uint32_t ahead : {0U, 300U}) {
        INFO("begin " << begin << ", " << spikes << " spikes, first step " << ahead << " later, signaller knows "
                      << Knows);
        VirtualClock<> clock(begin);
        Tasks tasks{clock};
        for (std::uint32_t spike = 0; spike < spikes; ++spike) tasks.rows.spikes.put(spike);
        Steps<> executive(clock, named(tasks), {.start = begin + ahead, .period = 100, .budget = {}});
        Guarded<TimerSignaller<>, Knows> signaller{
            TimerSignaller<>::from(begin, begin + 1000, begin + 2'000'000).value()};
        Finished finished{};
        REQUIRE_NOTHROW(finished = executive.execute(signaller));
        CHECK(finished == Finished::by_finish);
        CHECK(clock.now() - begin == 1000);
        CHECK(tasks.begun.size() == 10 - ahead / 100);
        for (std::size_t step = 0; step < tasks.begun.size(); ++step)
          CHECK(tasks.begun[step] - begin == ahead + 100 * step);
        CHECK(tasks.far[0] == spikes);
        CHECK(tasks.too_early == 0);
        CHECK(executive.counts().overruns == 0);
        CHECK(executive.counts().furthest_behind == 0);
      }
}

} // namespace

TEST_CASE("virtual_time: an executive begins its steps at their tick, and ends", "[sched][virtual_time]") {
  check_steps<true>();
  check_steps<false>();
}

TEST_CASE("virtual_time: an executive whose first step never comes ends, with work waiting", "[sched][virtual_time]") {
  for (const std::uint32_t period : {0U, 0x8000'0000U, 50U})
    for (const bool finishes : {true, false}) {
      INFO("period " << period << ", finishes " << finishes);
      VirtualClock<> clock(0xFFFF'FFF0U);
      const std::uint32_t begin = clock.now(), end = begin + 1000;
      Tasks tasks{clock};
      tasks.rows.spikes.put(1);
      Steps<> executive(clock, named(tasks), {.start = begin + 2000, .period = period, .budget = {}});
      Guarded<TimerSignaller<>, true> signaller{
          TimerSignaller<>::from(begin, end, finishes ? end + 100'000'000 : end).value()};
      Finished finished{};
      REQUIRE_NOTHROW(finished = executive.execute(signaller));
      const bool is_in_range = period == 50;
      CHECK(executive.status().ok() == is_in_range);
      CHECK(finished == (!is_in_range ? Finished::refused : finishes ? Finished::by_finish : Finished::by_exit));
      CHECK(clock.now() == (is_in_range ? end : begin));
      CHECK(executive.counts().steps == 0);
      CHECK(tasks.rows.spikes.size() == 1);
      CHECK(executive.record(ExecutiveTask::idle).total == 0); // of no step
    }
}

TEST_CASE("virtual_time: an executive that is told to wait amid steps that are due begins none",
          "[sched][virtual_time]") {
  VirtualClock<> clock;
  Tasks tasks{clock};
  tasks.cost = 1000; // ten steps' worth
  tasks.chunks = 3;  // the last of the first step after the wait
  Steps<> executive(clock, named(tasks), {.start = 0, .period = 100, .budget = {}});
  // Waits from within the first step until 5000, by ticks, and then catches up.
  CallableSignaller by_time([](std::uint32_t now) {
    return now < 1500 || (now >= 5000 && now < 6000) ? Signal::run : now < 5000 ? Signal::wait : Signal::finish;
  });
  Guarded<decltype(by_time), false> signaller{by_time};
  REQUIRE_NOTHROW(executive.execute(signaller));
  REQUIRE(tasks.begun.size() == 51); // all that had begun until 5000
  CHECK(tasks.begun[0] == 0);
  CHECK(tasks.begun[1] == 6000);
  CHECK(executive.counts().overruns == 50);
  CHECK(executive.counts().furthest_behind == 49);
  CHECK(executive.record(ExecutiveTask::idle).longest_step == 3000);
}

TEST_CASE("virtual_time: an executive that is told to wait between two steps begins none", "[sched][virtual_time]") {
  VirtualClock<> clock(250);
  Tasks tasks{clock};
  tasks.chunks = 0;
  Steps<> executive(clock, named(tasks), {.start = 0, .period = 100, .budget = {}});
  // Three steps are due at once. Waits from the second turn on, for ten, and never looks at the time.
  unsigned turns = 0;
  std::size_t begun = 0;
  CallableSignaller by_turn([&](std::uint32_t) {
    ++turns;
    if (turns == 3) begun = tasks.begun.size();
    if (turns == 12) CHECK(tasks.begun.size() == begun);
    return turns >= 2 && turns < 12 ? Signal::wait : turns < 30 ? Signal::run : Signal::finish;
  });
  Guarded<decltype(by_turn), false> signaller{by_turn};
  REQUIRE_NOTHROW(executive.execute(signaller));
  CHECK(begun == 1);
  CHECK(tasks.begun.size() == 3);
  CHECK(tasks.begun[1] > 250); // time went on
}

namespace {

/// Runs until so many steps have begun, and never knows when.
struct UntilBegun {
  using Offers = offer::List<offer::WakeAt>;
  const std::vector<std::uint32_t>& begun;
  Signal signal(std::uint32_t) const { return begun.size() < 10 ? Signal::run : Signal::finish; }
  bool wake_at(std::uint32_t, std::uint32_t&) const { return false; }
};

/// A board's clock: the alarm notes when, and the core's wait brings the time on, with nobody else to do it.
struct Board : target::Generic {
  static inline std::uint32_t time, alarm_at, alarms, waits;
  static void wait_for_interrupt() noexcept { ++waits, time = alarm_at; }
};
struct BoardClock {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::wakes_core;
  static Tick now() { return Board::time; }
  static void alarm(Tick at) { ++Board::alarms, Board::alarm_at = at; }
};

} // namespace

TEST_CASE("virtual_time: who does not know when lets others sleep", "[sched][virtual_time]") {
  VirtualClock<> clock(0xFFFF'FF00U);
  Tasks tasks{clock};
  Steps<> executive(clock, named(tasks), {.start = 0xFFFF'FFFFU, .period = 1'000'000, .budget = {}});
  Guarded<UntilBegun, true> signaller{{tasks.begun}};
  REQUIRE_NOTHROW(executive.execute(signaller));
  CHECK(tasks.begun.back() == 8'999'999);
  CHECK(signaller.turns <= 60); // four a step
}

TEST_CASE("virtual_time: where an alarm wakes the core, the core waits for it", "[sched][virtual_time]") {
  BoardClock clock;
  const auto begin = [] {
    Board::time = 0xFFFF'FFF0U;
    Board::alarms = Board::waits = 0;
    return TimerSignaller<>::from(0xFFFF'FFF8U, 1000, 1000).value();
  };
  auto timer = Timer<>::from({.service = 0, .start = 0xFFFF'FFFFU, .period = 100}).value();
  unsigned runs = 0;
  Services services(service<0>([&] { ++runs; }));
  Guarded<TimerSignaller<>, true> signaller{begin()};
  Scheduler<BoardClock, 2, SchedulerOptions{}, NoMissHook, Board> scheduler(clock);
  REQUIRE_NOTHROW(scheduler.execute(signaller, services, timer));
  CHECK(runs == 11);
  CHECK(Board::waits == 13); // the start, the releases, the end
  CHECK(Board::alarms == 13);
  CHECK(scheduler.counts().sleeps == 13);

  unsigned steps = 0;
  ExecutiveTasks tasks(task<ExecutiveCall::begin_step>([&](std::uint32_t) { ++steps; }),
                       task<ExecutiveTask::neurons>([] { return false; }),
                       task<ExecutiveCall::is_idle>([] { return true; }));
  Executive<BoardClock, decltype(tasks), Overrun::catch_up, Board> executive(
      clock, tasks, {.start = 0xFFFF'FFFFU, .period = 100, .budget = {}});
  signaller = {begin()};
  REQUIRE_NOTHROW(executive.execute(signaller));
  CHECK(steps == 11);
  CHECK(Board::waits == 13);
  CHECK(Board::alarms == 13);
}
