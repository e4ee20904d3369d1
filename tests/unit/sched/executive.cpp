// SPDX-License-Identifier: BSL-1.0
// The executive on a simulated core in virtual time: spikes come by interrupt, a DMA engine copies while chunks run,
// rows are plastic. Every spike changes its row exactly once, every neuron is updated once a step, every cycle is in a
// record.
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include <neuromorph/sched/executive.hpp>
#include <neuromorph/sched/row_pipeline.hpp>
#include <neuromorph/target/device/simulated_dma.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;
using Tick = std::uint32_t;

namespace {

constexpr unsigned sources = 12, row_words = 9, neurons = 64, chunk = 16;

struct Arrival {
  std::uint64_t time;
  std::uint32_t spike;
};

/// What the tasks work on. Time passes in `work` only, and brings transfers and spikes.
template <std::size_t Buffers>
struct Core {
  struct Dma : target::SimulatedDma<2, target::Generic> {
    static void poll() noexcept {} // time passes in `work`
  };
  std::uint64_t time = 0; // of the simulation; the core sees it with an offset
  Tick offset = 0;
  Dma dma{};
  RowPipeline<Dma, 16, Buffers, row_words> rows{dma};
  std::deque<Arrival> arrivals;
  std::array<std::array<std::uint32_t, row_words>, sources> far{};
  std::array<std::uint32_t, sources> spikes_of{};
  std::uint32_t dropped = 0;

  unsigned cost_of_neurons = 100, cost_of_row = 60;
  bool is_plastic = true;
  std::array<std::uint32_t, neurons> updates{};
  unsigned at = neurons;
  std::vector<std::uint32_t> steps;
  std::vector<std::uint64_t> begun;
  unsigned randoms = 0, most_randoms = 1000;
  std::vector<std::uint32_t> to_prefetch;
  std::uint64_t busy = 0, wanted = 0; // cycles in which the engine worked; in which it had something to do
  bool order_is_right = true;

  void work(std::uint64_t cycles) {
    for (; cycles != 0; --cycles) {
      ++time;
      if (rows.spikes.size() != 0) ++wanted, busy += dma.is_busy() ? 1U : 0U;
      dma.advance(1);
      for (; !arrivals.empty() && arrivals.front().time <= time; arrivals.pop_front()) {
        const std::uint32_t spike = arrivals.front().spike;
        if (rows.spikes.put(spike)) ++(spike < sources ? spikes_of[spike] : dropped);
      }
    }
  }
  FarRow row_of(std::uint32_t spike) {
    if (spike >= sources) return {};
    return {far[spike].data(), row_words - spike % 3};
  }

  // --- tasks
  void begin_step(std::uint32_t step) {
    order_is_right = order_is_right && at == neurons;
    at = 0;
    steps.push_back(step);
    begun.push_back(time);
    rows.begin_step();
    for (const std::uint32_t spike : to_prefetch)
      if (rows.next_spikes.put(spike)) ++spikes_of[spike];
  }
  bool feed_dma() {
    const bool did = rows.feed([&](std::uint32_t spike) { return row_of(spike); });
    if (did) work(10);
    return did;
  }
  bool synaptic_rows() {
    return rows.process([&](std::uint32_t spike, std::span<std::uint32_t> row) {
      if (row.size() != row_words - spike % 3) order_is_right = false;
      for (auto& word : row) word += is_plastic ? 1 : 0;
      work(cost_of_row);
      return is_plastic;
    });
  }
  bool write_back() {
    const bool did = rows.write_back();
    if (did) work(10);
    return did;
  }
  bool neurons_chunk() {
    if (at == neurons) return false;
    for (unsigned end = at + chunk; at < end; ++at) ++updates[at];
    work(cost_of_neurons);
    return true;
  }
  bool prefetch() {
    order_is_right = order_is_right && at == neurons;
    const bool did = rows.prefetch([&](std::uint32_t spike) { return row_of(spike); });
    if (did) work(10);
    return did;
  }
  bool random_numbers() {
    order_is_right = order_is_right && at == neurons;
    if (randoms == most_randoms) return false;
    ++randoms;
    work(20);
    return true;
  }
};

template <std::size_t Buffers>
struct Tasks {
  Core<Buffers>& core;
  void begin_step(std::uint32_t step) { core.begin_step(step); }
  bool feed_dma() { return core.feed_dma(); }
  bool synaptic_rows() { return core.synaptic_rows(); }
  bool write_back() { return core.write_back(); }
  bool neurons() { return core.neurons_chunk(); }
  bool prefetch() { return core.prefetch(); }
  bool random_numbers() { return core.random_numbers(); }
  bool is_idle() const { return core.rows.is_idle(); }
};
template <std::size_t Buffers>
auto named(Tasks<Buffers>& tasks) {
  using enum ExecutiveTask;
  using Own = Tasks<Buffers>;
  return ExecutiveTasks(tasks, task<ExecutiveCall::begin_step, &Own::begin_step>(), task<feed_dma, &Own::feed_dma>(),
                        task<synaptic_rows, &Own::synaptic_rows>(), task<write_back, &Own::write_back>(),
                        task<ExecutiveTask::neurons, &Own::neurons>(), task<prefetch, &Own::prefetch>(),
                        task<random_numbers, &Own::random_numbers>(), task<ExecutiveCall::is_idle, &Own::is_idle>());
}
template <std::size_t Buffers>
using Named = decltype(named(std::declval<Tasks<Buffers>&>()));

template <std::size_t Buffers>
struct SimulatedClock {
  using Tick = ::Tick;
  static constexpr AlarmKind alarm_kind = AlarmKind::sleeps;
  Core<Buffers>& core;
  Tick now() { return static_cast<Tick>(core.time + core.offset); }
  /// Sleep: until then, or until a spike comes. A step of the engine when there is nothing to sleep for.
  void alarm(Tick at) {
    while (is_before(now(), at)) {
      const bool comes = !core.arrivals.empty() && core.arrivals.front().time <= core.time + 1;
      core.work(1);
      if (comes) return;
    }
  }
};

struct Outcome {
  ExecutiveCounts counts;
  std::array<TaskRecord<Tick>, 8> records;
};

template <Overrun Policy, std::size_t Buffers>
Outcome simulate(Core<Buffers>& core, Tick period, std::uint64_t end, std::array<Tick, 8> budget = {}) {
  SimulatedClock<Buffers> clock{core};
  Tasks<Buffers> tasks{core};
  Executive<SimulatedClock<Buffers>, Named<Buffers>, Policy, target::Generic> executive(
      clock, named(tasks), {.start = core.offset, .period = period, .budget = budget});
  std::uint64_t polls = 0;
  struct Until {
    using Offers [[maybe_unused]] = offer::List<offer::WakeAt>;
    Core<Buffers>& core;
    std::uint64_t end;
    std::uint64_t& polls;
    Signal signal(Tick) {
      // A poll that finds nothing takes time, too, so that transfers go on.
      ++polls;
      return core.time < end ? Signal::run : Signal::finish;
    }
    bool wake_at(Tick, Tick& at) {
      at = static_cast<Tick>(end + core.offset);
      if (!core.rows.is_idle()) core.work(1);
      return true;
    }
  } signaller{core, end, polls};
  CHECK(executive.execute(signaller) == Finished::by_finish);
  Outcome outcome{executive.counts(), {}};
  for (std::size_t task = 0; task < 8; ++task)
    outcome.records[task] = executive.record(static_cast<ExecutiveTask>(task));
  return outcome;
}

void spikes_at_random(std::deque<Arrival>& arrivals, std::uint32_t seed, std::uint64_t end, unsigned mean,
                      bool unknown) {
  std::mt19937 random(seed);
  for (std::uint64_t time = 1; time < end; time += 1 + random() % (2 * mean))
    arrivals.push_back({time, static_cast<std::uint32_t>(random() % (sources + (unknown ? 1 : 0)))});
}

template <std::size_t Buffers>
void check_all(const Core<Buffers>& core, const Outcome& outcome) {
  const auto& counts = core.rows.counts();
  CHECK(core.order_is_right);
  CHECK(core.rows.spikes.size() + core.rows.next_spikes.size() == 0);
  CHECK(counts.processed + counts.without_row == core.rows.spikes.put_count() + core.rows.next_spikes.put_count());
  CHECK(counts.written == counts.processed);
  CHECK(counts.without_row == core.dropped);
  for (unsigned source = 0; source < sources; ++source)
    for (unsigned word = 0; word < row_words - source % 3; ++word)
      CHECK(core.far[source][word] == core.spikes_of[source]);
  for (const std::uint32_t count : core.updates) CHECK(count == outcome.counts.steps);
  CHECK(core.steps.size() == outcome.counts.steps);
  // Each cycle has been somebody's.
  std::uint64_t all = core.begun.front();
  for (const auto& record : outcome.records) all += record.total;
  CHECK(all == core.time);
}

} // namespace

TEST_CASE("executive: a timing of which nothing is said has no period", "[sched][executive]") {
  const ExecutiveTiming<std::uint32_t> nothing;
  CHECK(nothing.start == 0);
  CHECK(nothing.period == 0);
}

TEST_CASE("executive: within its budget, each spike and each neuron once, on time", "[sched][executive]") {
  const auto check = [](auto buffers) {
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
      Core<buffers> core;
      core.offset = seed % 2 == 0 ? 0xFFFF'F000U : 0; // wraps in the middle
      constexpr std::uint64_t end = 40'000;
      spikes_at_random(core.arrivals, seed, end - 500, 300, true);
      const Outcome outcome = simulate<Overrun::catch_up>(core, 2000, end);
      INFO(buffers << " buffers, seed " << seed);
      check_all(core, outcome);
      CHECK(outcome.counts.overruns == 0);
      CHECK(outcome.counts.steps == 20);
      for (std::size_t step = 0; step < core.begun.size(); ++step) {
        REQUIRE(core.steps[step] == step);
        REQUIRE(core.begun[step] >= 2000 * step);
        REQUIRE(core.begun[step] <= 2000 * step + 100); // the longest chunk later
      }
      CHECK(core.rows.spikes.dropped() == 0);
      CHECK(outcome.records[static_cast<std::size_t>(ExecutiveTask::neurons)].longest_step == 400);
      CHECK(outcome.records[static_cast<std::size_t>(ExecutiveTask::neurons)].longest_chunk == 100);
      CHECK(core.randoms > 0);
    }
  };
  check(std::integral_constant<std::size_t, 1>{});
  check(std::integral_constant<std::size_t, 2>{});
  check(std::integral_constant<std::size_t, 4>{});
}

TEST_CASE("executive: the engine is kept busy as long as spikes wait", "[sched][executive]") {
  Core<4> core;
  core.is_plastic = false;
  core.cost_of_row = 20; // less than a transfer takes
  for (unsigned spike = 0; spike < 400; ++spike) core.arrivals.push_back({100 + 80 * spike, spike % sources});
  const Outcome outcome = simulate<Overrun::catch_up>(core, 20'000, 60'000);
  CHECK(core.rows.counts().processed + core.rows.spikes.dropped() == 400);
  CHECK(outcome.counts.overruns == 0);
  CHECK(core.wanted > 1000);
  CHECK(core.busy * 100 >= core.wanted * 95);
}

TEST_CASE("executive: rows of the next step are fetched ahead and processed in it", "[sched][executive]") {
  Core<4> core;
  core.to_prefetch = {1, 5, 7, 7};
  const Outcome outcome = simulate<Overrun::catch_up>(core, 3000, 30'000);
  // The last step's are never due.
  const auto& counts = core.rows.counts();
  CHECK(outcome.counts.steps == 10);
  CHECK(counts.prefetched > 9 * 2);
  CHECK(counts.processed >= 9 * 4);
  CHECK(counts.held_up >= 9);
  CHECK(core.far[1][0] >= 9);
  CHECK(core.far[7][0] >= 18);
}

TEST_CASE("row_pipeline: a row that was fetched ahead goes to a spike of this step", "[sched][row_pipeline]") {
  for (const unsigned variant : {0U, 1U, 2U, 3U}) {
    const bool is_plastic = variant % 2 == 1, fetches_ahead_again = variant >= 2;
    target::SimulatedDma<4, target::Generic> dma;
    RowPipeline<target::SimulatedDma<4, target::Generic>, 16, 3, 4> rows(dma);
    std::array<std::uint32_t, 4> far[2]{};
    std::vector<std::uint32_t> handled;
    const auto row_of = [&](std::uint32_t spike) { return FarRow{far[spike % 2].data(), 4}; };
    const auto turn = [&] {
      dma.advance(200);
      rows.feed(row_of);
      rows.process([&](std::uint32_t spike, std::span<std::uint32_t> row) {
        handled.push_back(spike);
        for (auto& word : row) word += is_plastic ? 1 : 0;
        return is_plastic;
      });
      rows.write_back();
      if (fetches_ahead_again) rows.prefetch(row_of);
    };
    rows.begin_step();
    rows.next_spikes.put(0);
    REQUIRE(rows.prefetch(row_of));
    rows.spikes.put(2); // the same row, in this step
    rows.spikes.put(1);
    rows.spikes.put(4);
    for (unsigned turns = 0; turns < 20; ++turns) turn();
    INFO("plastic " << is_plastic << ", fetches ahead again " << fetches_ahead_again);
    CHECK(handled == std::vector<std::uint32_t>{2, 1, 4});
    CHECK(rows.is_idle());
    rows.begin_step();
    for (unsigned turns = 0; turns < 20; ++turns) turn();
    CHECK(handled == std::vector<std::uint32_t>{2, 1, 4, 0});
    CHECK(rows.is_idle());
    CHECK(rows.counts().processed == 4);
    CHECK(rows.counts().prefetched == (fetches_ahead_again ? 1U : 0U));
    CHECK(rows.counts().written == (is_plastic ? 4U : 0U));
    CHECK(far[0][3] == (is_plastic ? 3U : 0U));
    CHECK(far[1][3] == (is_plastic ? 1U : 0U));
  }
}

TEST_CASE("executive: an overrun is counted; steps are late, or left out", "[sched][executive]") {
  constexpr std::uint64_t end = 30'000;
  SECTION("late") {
    Core<2> core;
    core.cost_of_neurons = 300; // 1200 a step of 1000
    const Outcome outcome = simulate<Overrun::catch_up>(core, 1000, end);
    check_all(core, outcome);
    CHECK(outcome.counts.overruns >= 24);
    CHECK(outcome.counts.left_out == 0);
    CHECK(outcome.counts.steps == 30); // all of them, the last ones after the end
    CHECK(outcome.counts.furthest_behind >= 4);
    CHECK(core.time > end + 5000);
  }
  SECTION("left out") {
    Core<2> core;
    core.cost_of_neurons = 300;
    const Outcome outcome = simulate<Overrun::leave_out>(core, 1000, end);
    check_all(core, outcome);
    CHECK(outcome.counts.overruns >= 24);
    CHECK(outcome.counts.steps + outcome.counts.left_out == 30);
    CHECK(outcome.counts.left_out >= 4);
    for (std::size_t step = 0; step < core.steps.size(); ++step) // numbers keep to the time
      CHECK(core.begun[step] / 1000 >= core.steps[step]);
    CHECK(core.steps.back() >= 28);
  }
  SECTION("caught up after a burst") {
    Core<2> core;
    for (unsigned spike = 0; spike < 14; ++spike) core.arrivals.push_back({5000, spike % sources});
    core.cost_of_row = 200;
    const Outcome outcome = simulate<Overrun::catch_up>(core, 1000, end);
    check_all(core, outcome);
    CHECK(outcome.counts.overruns > 0);
    CHECK(outcome.counts.steps == 30);
    CHECK(core.begun.back() < 29'100); // on time again
  }
}

TEST_CASE("executive: the steps that an overrun hides until after the end are done or counted", "[sched][executive]") {
  struct Slow {
    VirtualClock<>& clock;
    std::vector<std::uint32_t> steps{};
    bool is_done = true;
    void begin_step(std::uint32_t step) { steps.push_back(step), is_done = false; }
    bool neurons() {
      if (is_done) return false;
      is_done = true;
      clock.advance(steps.back() == 7 ? 500 : 10);
      return true;
    }
    bool is_idle() const { return true; }
  };
  struct Silent { // does not say when run was over
    using Offers = offer::List<offer::WakeAt>;
    Signal signal(Tick now) const { return now < 1000 ? Signal::run : Signal::finish; }
    static bool wake_at(Tick, Tick& at) {
      at = 1000;
      return true;
    }
  };
  using Steps = std::vector<std::uint32_t>;
  const auto check = []<Overrun Policy>(std::integral_constant<Overrun, Policy>, auto signaller, Finished end,
                                        const Steps& steps, std::uint32_t overruns, std::uint32_t left_out,
                                        std::uint32_t due) {
    VirtualClock<> clock;
    Slow core{clock};
    ExecutiveTasks tasks(core, task<ExecutiveCall::begin_step, &Slow::begin_step>(),
                         task<ExecutiveTask::neurons, &Slow::neurons>(),
                         task<ExecutiveCall::is_idle, &Slow::is_idle>());
    Executive<VirtualClock<>, decltype(tasks), Policy> executive(clock, tasks, {.start = 0, .period = 100});
    CHECK(executive.execute(signaller) == end);
    CHECK(core.steps == steps);
    CHECK(executive.counts().overruns == overruns);
    CHECK(executive.counts().left_out == left_out);
    CHECK(executive.due() == due);
    CHECK(executive.execute(signaller) == end); // nothing is counted twice
    CHECK(core.steps == steps);
    CHECK(executive.counts().left_out == left_out);
    CHECK(executive.due() == due);
  };
  constexpr std::integral_constant<Overrun, Overrun::catch_up> catch_up;
  constexpr std::integral_constant<Overrun, Overrun::leave_out> leave_out;
  const Steps all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, until_slow{0, 1, 2, 3, 4, 5, 6, 7};
  const auto timed = TimerSignaller<>::from(0, 1000, 5000).value(),
             exits = TimerSignaller<>::from(0, 1000, 1100).value();
  check(catch_up, timed, Finished::by_finish, all, 2, 0, 0); // 7, and 8 that is late for it
  check(leave_out, timed, Finished::by_finish, {0, 1, 2, 3, 4, 5, 6, 7, 9}, 1, 1, 0);
  check(catch_up, exits, Finished::by_exit, until_slow, 1, 0, 2);
  check(catch_up, Silent{}, Finished::by_finish, until_slow, 1, 4, 0); // at 800 to 1100; seen at 1200
}

TEST_CASE("executive: steps that went by in a long wait are counted at once", "[sched][executive]") {
  std::uint32_t begun = 0, last = 0;
  ExecutiveTasks tasks(task<ExecutiveCall::begin_step>([&](std::uint32_t step) { ++begun, last = step; }),
                       task<ExecutiveTask::neurons>([] { return false; }),
                       task<ExecutiveCall::is_idle>([] { return true; }));
  VirtualClock<> clock;
  clock.advance(0x7000'0000);
  Executive<VirtualClock<>, decltype(tasks), Overrun::leave_out, target::Generic> executive(clock, tasks,
                                                                                            {.period = 1});
  unsigned turns = 0;
  CallableSignaller signaller([&](Tick) { return ++turns == 2 ? Signal::exit : Signal::run; });
  CHECK(executive.execute(signaller) == Finished::by_exit);
  CHECK(begun == 1);
  CHECK(last == 0x7000'0000);
  CHECK(executive.counts().left_out == 0x7000'0000);
  CHECK(executive.counts().furthest_behind == 0x7000'0000);
}

TEST_CASE("executive: a period that is out of range is said, and no step begins", "[sched][executive]") {
  for (const Tick period : {0U, 1U, 0x7FFF'FFFFU, 0x8000'0000U}) {
    Core<2> core;
    SimulatedClock<2> clock{core};
    Tasks<2> tasks{core};
    Executive<SimulatedClock<2>, Named<2>, Overrun::leave_out, target::Generic> executive(
        clock, named(tasks), {.start = 0, .period = period, .budget = {}});
    const bool is_in_range = period != 0 && period <= longest_span<Tick>;
    INFO("period " << period);
    CHECK(executive.status() == (is_in_range ? Status{} : Status{Error::parameter_out_of_range, 0, period, "period"}));
    auto signaller = TimerSignaller<>::from(0, 1000, 2000).value();
    CHECK(executive.execute(signaller) == (is_in_range ? Finished::by_finish : Finished::refused));
    CHECK((executive.counts().steps != 0) == is_in_range);
  }
}

TEST_CASE("executive: what a task took more than its budget is counted", "[sched][executive]") {
  Core<4> core;
  spikes_at_random(core.arrivals, 9, 39'000, 150, false);
  const Outcome generous = simulate<Overrun::catch_up>(core, 2000, 40'000, {0, 2000, 2000, 2000, 400});
  for (const auto& record : generous.records) CHECK(record.over_budget == 0);
  Core<4> again;
  spikes_at_random(again.arrivals, 9, 39'000, 150, false);
  const Outcome mean = simulate<Overrun::catch_up>(again, 2000, 40'000, {0, 0, 600, 0, 399});
  const auto& rows = mean.records[static_cast<std::size_t>(ExecutiveTask::synaptic_rows)];
  CHECK(mean.records[static_cast<std::size_t>(ExecutiveTask::neurons)].over_budget == mean.counts.steps);
  CHECK(rows.over_budget > 0);
  CHECK(rows.over_budget < mean.counts.steps);
  CHECK(rows.longest_step > 600);
}

namespace {

struct Ticking { // time passes whenever somebody looks, and in between
  using Tick = ::Tick;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
  Tick time = 0;
  Tick now() { return time += 3; }
};

} // namespace

TEST_CASE("executive: every tick of a step is in a record, however short", "[sched][executive]") {
  Ticking clock;
  struct Tasks {
    Ticking& clock;
    Tick turn = 0, begun = 0;
    unsigned steps = 0, left = 0;
    void begin_step(std::uint32_t) {
      if (steps++ == 0) begun = turn;
      left = 4;
    }
    bool feed_dma() {
      clock.time += 2;
      return left == 2 && clock.time % 5 == 0;
    }
    bool neurons() {
      clock.time += 7;
      return left != 0 && left-- != 0;
    }
    bool random_numbers() { return clock.time % 3 == 0; }
  } tasks{clock};
  struct Signals {
    using Offers = offer::List<>;
    Tasks& tasks;
    Signal signal(Tick now) {
      tasks.turn = now;
      return now < 20'000 ? Signal::run : Signal::finish;
    }
  } signaller{tasks};
  ExecutiveTasks named(
      tasks, task<ExecutiveCall::begin_step, &Tasks::begin_step>(), task<ExecutiveTask::feed_dma, &Tasks::feed_dma>(),
      task<ExecutiveTask::neurons, &Tasks::neurons>(), task<ExecutiveTask::random_numbers, &Tasks::random_numbers>());
  Executive<Ticking, decltype(named), Overrun::catch_up, target::Generic> executive(
      clock, named, {.start = 500, .period = 100, .budget = {}});
  CHECK(executive.execute(signaller) == Finished::by_finish);
  std::uint64_t all = 0;
  for (std::size_t task = 0; task < 8; ++task) all += executive.record(static_cast<ExecutiveTask>(task)).total;
  CHECK(tasks.steps == 195);
  CHECK(tasks.turn - tasks.begun > 19'000);
  CHECK(all == tasks.turn - tasks.begun);
}
