// SPDX-License-Identifier: BSL-1.0
// The executive against a plain model that counts time in 64 bits from the beginning and finds steps by division:
// starts at every wrap, steps and chunks of a tick to half the range, silences, overruns, both policies, signals at any
// time. Model and executive work on a copy each of the same world, and must do the same at the same ticks.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include <neuromorph/sched/executive.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Time = std::uint64_t;
constexpr Time origin = Time{1} << 40; // of the model's time, so that there is a past
enum Kind : unsigned { receive, feed, rows, write, neurons, prefetch, randoms, idle, begin_of_step };

struct Entry {
  Kind kind;
  Time at;
  std::uint32_t step; // of a beginning
  bool operator==(const Entry&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Entry& entry) {
  return out << entry.kind << "@" << entry.at << "#" << entry.step;
}

/// How long chunks take, how much there is to do.
struct Load {
  Time longest_chunk;
  Time period;
  std::uint32_t work; // chunks that come altogether, but for neurons
  bool waits_for_engine;
};

/// What there is to do. Chunks take what the seed says, and bring more work.
class World {
public:
  World(const Load& load, std::uint32_t seed) : load_(load), random_(seed), work_(load.work) { bring(); }

  /// The span of a chunk, if there was one.
  std::optional<Time> run(Kind kind) {
    if (kind == neurons) {
      if (neurons_ == 0) return {};
      --neurons_;
    } else {
      if (kind == rows && engine_ != 0) {
        --engine_;
        return {};
      }
      if (pending_[kind] == 0) return {};
      --pending_[kind];
    }
    bring();
    return span();
  }
  void begin() {
    neurons_ = static_cast<std::uint32_t>(random_() % 5);
    bring();
  }
  [[nodiscard]] bool is_idle() const {
    return pending_[receive] == 0 && pending_[feed] == 0 && pending_[rows] == 0 && pending_[write] == 0;
  }

private:
  Time span() {
    switch (random_() % 8) {
    case 0: return 0;
    case 1: return (std::min)(load_.period - random_() % 2, load_.longest_chunk);
    case 2: return random_() % (load_.longest_chunk + 1);
    case 3: return random_() % 4 == 0 ? load_.longest_chunk : 1;
    default: return random_() % (load_.longest_chunk / 50 + 2);
    }
  }
  void bring() {
    for (std::uint64_t more = random_() % 3; more != 0 && work_ != 0; --more, --work_) {
      const auto kind = static_cast<Kind>(std::array{receive, feed, rows, write, prefetch, randoms}[random_() % 6]);
      ++pending_[kind];
      if (kind == rows && load_.waits_for_engine) engine_ += random_() % 7;
    }
  }

  Load load_;
  std::mt19937_64 random_;
  std::uint32_t work_;
  std::uint64_t engine_ = 0;
  std::uint32_t neurons_ = 0;
  std::array<std::uint32_t, 7> pending_{};
};

struct Record {
  std::uint32_t chunks = 0, over_budget = 0;
  Time longest_chunk = 0, longest_step = 0, this_step = 0, total = 0;
};
struct Outcome {
  Finished finished{};
  Time end = 0;
  ExecutiveCounts counts{};
  std::array<Record, 8> records{};
  std::vector<Entry> log{};
  std::uint32_t due = 0; // at the end
};
struct Timing {
  Time begin, start, period; // of all, of the first step
  Time run, finish, exit;    // signals
  std::array<Time, 8> budget;
  bool leaves_out;
  bool says_end; // the signaller, when run was over
};

constexpr std::size_t longest_log = 40'000;

/// By the description, turn by turn.
Outcome by_the_book(const Timing& timing, World world) {
  Outcome outcome;
  ExecutiveCounts& counts = outcome.counts;
  Time now = timing.begin, counted = 0, due = 0, step = 0;
  bool has_begun = false, has_neurons_left = false, is_noted = false, has_run = false;
  const auto count_until = [&](Time time) { // steps that begin at this time or before
    if (time < timing.start) return Time{0};
    const Time all = (std::max)((time - timing.start) / timing.period + 1, counted), more = all - counted;
    counted = all;
    return more;
  };
  const auto close = [&] {
    for (unsigned kind = 0; kind < 8; ++kind) {
      Record& record = outcome.records[kind];
      record.total += record.this_step;
      record.longest_step = (std::max)(record.longest_step, record.this_step);
      record.over_budget += timing.budget[kind] != 0 && record.this_step > timing.budget[kind] ? 1U : 0U;
      record.this_step = 0;
    }
  };
  for (;;) {
    const Time turn = now;
    const Signal signal = now < timing.run      ? Signal::wait
                          : now < timing.finish ? Signal::run
                          : now < timing.exit   ? Signal::finish
                                                : Signal::exit;
    outcome.end = now;
    outcome.finished = signal == Signal::exit ? Finished::by_exit : Finished::by_finish;
    if (signal == Signal::run) due += count_until(now), has_run = true;
    if (signal > Signal::run && has_run) { // the steps that a long chunk hid
      const Time last = count_until(timing.says_end ? timing.finish - 1 : now - 1);
      if (due + last != 0 && has_neurons_left && !is_noted) ++counts.overruns, is_noted = true;
      if (timing.says_end) due += last;
      if (!timing.says_end) counts.left_out += static_cast<std::uint32_t>(last), step += last;
      has_run = false;
    }
    outcome.due = static_cast<std::uint32_t>(due);
    if (signal == Signal::exit) return outcome;
    if (due != 0 && !has_neurons_left) {
      if (has_begun) close();
      for (Record& record : outcome.records) record.this_step = 0;
      counts.furthest_behind = (std::max)(counts.furthest_behind, static_cast<std::uint32_t>(due - 1));
      if (timing.leaves_out) {
        counts.left_out += static_cast<std::uint32_t>(due - 1);
        step += due - 1;
        due = 1;
      }
      --due;
      ++counts.steps;
      has_begun = has_neurons_left = true;
      is_noted = false;
      outcome.log.push_back({begin_of_step, now, static_cast<std::uint32_t>(step++)});
      world.begin();
    } else if (due != 0 && !is_noted) {
      ++counts.overruns;
      is_noted = true;
    }
    Kind ran = idle;
    if (signal != Signal::wait && has_begun)
      for (const Kind kind : {receive, feed, rows, write, neurons, prefetch, randoms}) {
        if (kind == neurons && !has_neurons_left) continue;
        if (kind > neurons && (signal != Signal::run || has_neurons_left || due != 0)) continue;
        const auto took = world.run(kind);
        if (kind == neurons && !took) has_neurons_left = false;
        if (!took) continue;
        outcome.log.push_back({kind, now, 0});
        now += *took;
        ran = kind;
        break;
      }
    if (ran == idle) {
      if (signal == Signal::finish && due == 0 && (!has_begun || world.is_idle())) {
        outcome.due = 0;
        if (has_begun) close();
        return outcome;
      }
      if (due == 0) {
        Time next = now < timing.run ? timing.run : now < timing.finish ? timing.finish : timing.exit;
        if (signal == Signal::run) next = (std::min)(next, timing.start + counted * timing.period);
        now = signal == Signal::wait || !has_begun || world.is_idle() ? next : now + 1;
      }
    }
    Record& record = outcome.records[ran];
    ++record.chunks;
    record.this_step += now - turn;
    record.longest_chunk = (std::max)(record.longest_chunk, now - turn);
    if (outcome.log.size() > longest_log) throw std::logic_error("the case is too long");
  }
}

template <class Tick>
struct Tasks {
  VirtualClock<Tick>& clock;
  World world;
  Tick offset; // of the clock's time to the model's
  std::vector<Entry> log{};

  bool run(Kind kind) {
    const auto took = world.run(kind);
    if (!took) return false;
    note(kind, 0);
    clock.advance(static_cast<Tick>(*took));
    return true;
  }
  void note(Kind kind, std::uint32_t step) {
    log.push_back({kind, static_cast<Tick>(clock.now() - offset), step});
    if (log.size() > longest_log) throw std::runtime_error("does not end");
  }
  void begin_step(std::uint32_t step) {
    note(begin_of_step, step);
    world.begin();
  }
  bool receive_spikes() { return run(receive); }
  bool feed_dma() { return run(feed); }
  bool synaptic_rows() { return run(rows); }
  bool write_back() { return run(write); }
  bool neurons() { return run(Kind::neurons); }
  bool prefetch() { return run(Kind::prefetch); }
  bool random_numbers() { return run(randoms); }
  bool is_idle() const { return world.is_idle(); }
};

struct NeverWaits : target::Generic {
  static void wait_for_interrupt() { throw std::runtime_error("the core waits"); }
};

/// Does not say when run was over.
template <class Tick>
struct Silent {
  using Offers = offer::List<offer::WakeAt>;
  TimerSignaller<Tick> own;
  Signal signal(Tick now) { return own.signal(now); }
  bool wake_at(Tick now, Tick& at) const { return own.wake_at(now, at); }
};

/// All names, as functions of the core, as lambdas, and as lambdas that take it.
template <class Tick>
auto named(Tasks<Tick>& tasks) {
  using enum ExecutiveTask;
  using Own = Tasks<Tick>;
  return ExecutiveTasks(tasks, task<ExecutiveCall::is_idle, &Own::is_idle>(),
                        task<random_numbers>([](Own& own) { return own.random_numbers(); }),
                        task<ExecutiveTask::prefetch, &Own::prefetch>(),
                        task<ExecutiveTask::neurons>([&tasks] { return tasks.neurons(); }),
                        task<write_back, &Own::write_back>(), task<synaptic_rows, &Own::synaptic_rows>(),
                        task<feed_dma, &Own::feed_dma>(), task<receive_spikes, &Own::receive_spikes>(),
                        task<ExecutiveCall::begin_step>([](Own& own, std::uint32_t step) { own.begin_step(step); }));
}

template <class Tick, Overrun Policy>
Outcome execute(const Timing& timing, const World& world, Tick offset) {
  const auto tick = [&](Time time) { return static_cast<Tick>(static_cast<Tick>(time) + offset); };
  VirtualClock<Tick> clock(tick(timing.begin));
  Tasks<Tick> tasks{clock, world, offset};
  ExecutiveTiming<Tick> given{.start = tick(timing.start), .period = static_cast<Tick>(timing.period), .budget = {}};
  for (unsigned kind = 0; kind < 8; ++kind) given.budget[kind] = static_cast<Tick>(timing.budget[kind]);
  Executive<VirtualClock<Tick>, decltype(named(tasks)), Policy, NeverWaits> executive(clock, named(tasks), given);
  auto signaller = TimerSignaller<Tick>::from(tick(timing.run), tick(timing.finish), tick(timing.exit)).value();
  Outcome outcome;
  Silent<Tick> silent{signaller};
  outcome.finished = timing.says_end ? executive.execute(signaller) : executive.execute(silent);
  outcome.due = executive.due();
  outcome.end = static_cast<Tick>(clock.now() - offset);
  outcome.counts = executive.counts();
  outcome.log = tasks.log;
  for (unsigned kind = 0; kind < 8; ++kind) {
    const auto& record = executive.record(static_cast<ExecutiveTask>(kind));
    outcome.records[kind] = {record.chunks,       record.over_budget, record.longest_chunk,
                             record.longest_step, record.this_step,   record.total};
  }
  return outcome;
}

/// \tparam Tick  of the executive's clock, in which the log's times are compared
template <class Tick>
void compare(std::uint32_t seed, unsigned cases) {
  unsigned overruns = 0, left_out = 0, waits = 0, far = 0, never = 0, over = 0, hidden = 0;
  for (unsigned number = 0; number < cases; ++number) {
    std::mt19937_64 random(seed * 1'000'003ULL + number);
    const bool is_wide = random() % 2 == 0; // up to what 32 bits tell, or twice that in 64
    const Time reach = is_wide ? (sizeof(Tick) == 4 ? longest_span<std::uint32_t> : 0x1'FFFF'FFF0ULL) : 3000;
    const auto up_to = [&](Time most) { return random() % (most + 1); };
    Timing timing{};
    timing.begin = origin;
    timing.run = origin + (random() % 3 == 0 ? up_to(reach) : 0);
    timing.finish = timing.run + up_to(reach);
    timing.exit = timing.finish + up_to(timing.run + reach - timing.finish); // at most `reach` after run
    if (random() % 4 == 0) timing.exit = timing.run + reach;
    const Time before = random() % 3 == 0 ? up_to(reach) : up_to(30);
    timing.start = random() % 2 == 0 ? timing.run - before : timing.run + before;
    timing.leaves_out = random() % 2 == 0;
    timing.says_end = random() % 3 != 0;
    const Time fewest = timing.leaves_out && sizeof(Tick) == 4 ? 1 : reach / (timing.leaves_out ? 4'000'000 : 150) + 1;
    timing.period = random() % 4 == 0 ? reach - up_to(3) : fewest + up_to(random() % 2 == 0 ? 300 : reach - fewest);
    timing.period = (std::min)(timing.period, reach);
    if (timing.leaves_out && !is_wide) timing.period = 1 + timing.period % 400;
    for (Time& budget : timing.budget) budget = random() % 2 == 0 ? 0 : 1 + up_to(timing.period / 2);
    Load load{};
    load.longest_chunk = random() % 3 == 0 ? reach : 1 + timing.period / (1 + random() % 9);
    load.longest_chunk = (std::min)(load.longest_chunk, reach);
    load.period = timing.period;
    load.work = static_cast<std::uint32_t>(random() % 200);
    load.waits_for_engine = random() % 2 == 0;
    // The model's time at which the clock has a wrap, or the middle of its range.
    const Time wraps[] = {0, Time{1} << 31, Time{1} << 32, 5 * (Time{1} << 32)};
    const auto offset =
        static_cast<Tick>(wraps[random() % 4] - origin - (random() % 2 == 0 ? up_to(50) : up_to(reach)));

    const World world(load, static_cast<std::uint32_t>(random()));
    INFO("seed " << seed << ", case " << number << ": run " << timing.run - origin << ", finish "
                 << timing.finish - origin << ", exit " << timing.exit - origin << ", first step "
                 << static_cast<std::int64_t>(timing.start - origin) << ", period " << timing.period
                 << ", chunks up to " << load.longest_chunk << ", leaves out " << timing.leaves_out << ", work "
                 << load.work << ", offset " << offset);
    Outcome expected;
    try {
      expected = by_the_book(timing, world);
    } catch (const std::logic_error&) {
      continue; // millions of chunks
    }
    Outcome outcome;
    REQUIRE_NOTHROW(outcome = timing.leaves_out ? execute<Tick, Overrun::leave_out>(timing, world, offset)
                                                : execute<Tick, Overrun::catch_up>(timing, world, offset));
    for (Entry& entry : expected.log) entry.at = static_cast<Tick>(entry.at);
    const auto [theirs, ours] =
        std::mismatch(expected.log.begin(), expected.log.end(), outcome.log.begin(), outcome.log.end());
    INFO("first difference after " << theirs - expected.log.begin() << " entries");
    if (theirs != expected.log.end() && ours != outcome.log.end()) REQUIRE(*ours == *theirs);
    REQUIRE(outcome.log.size() == expected.log.size());
    REQUIRE(outcome.finished == expected.finished);
    REQUIRE(outcome.end == static_cast<Tick>(expected.end));
    REQUIRE(outcome.counts.steps == expected.counts.steps);
    REQUIRE(outcome.counts.overruns == expected.counts.overruns);
    REQUIRE(outcome.due == expected.due);
    if (timing.says_end && outcome.counts.steps != 0) {
      const Time all = timing.finish > timing.start ? (timing.finish - 1 - timing.start) / timing.period + 1 : 0;
      REQUIRE(outcome.counts.steps + outcome.counts.left_out + outcome.due == static_cast<std::uint32_t>(all));
    }
    REQUIRE(outcome.counts.left_out == expected.counts.left_out);
    REQUIRE(outcome.counts.furthest_behind == expected.counts.furthest_behind);
    for (unsigned kind = 0; kind < 8; ++kind) {
      INFO("task " << kind);
      const Record &record = outcome.records[kind], &wanted = expected.records[kind];
      REQUIRE(record.chunks == wanted.chunks);
      REQUIRE(record.over_budget == wanted.over_budget);
      REQUIRE(record.longest_chunk == wanted.longest_chunk);
      REQUIRE(record.longest_step == static_cast<Tick>(wanted.longest_step));
      REQUIRE(record.this_step == static_cast<Tick>(wanted.this_step));
      REQUIRE(record.total == wanted.total);
      over += record.over_budget;
    }
    overruns += expected.counts.overruns;
    hidden += expected.end >= timing.finish + timing.period ? 1 : 0;
    left_out += expected.counts.left_out != 0 ? 1 : 0;
    waits += timing.run != origin ? 1 : 0;
    far += expected.end - origin > 0x7000'0000 ? 1 : 0;
    never += expected.counts.steps == 0 ? 1 : 0;
  }
  INFO("seed " << seed);
  CHECK(overruns > cases / 4);
  CHECK(left_out > cases / 20);
  CHECK(waits > cases / 20);
  CHECK(far > cases / 20);
  CHECK(never > cases / 100);
  CHECK(hidden > cases / 20);
  CHECK(over > cases / 20);
}

} // namespace

TEST_CASE("executive_model: does what the description says at the same ticks, in 32 bits", "[sched][executive]") {
  for (const std::uint32_t seed : Seeds(1)) compare<std::uint32_t>(seed, 2000);
}
TEST_CASE("executive_model: does what the description says at the same ticks, in 64 bits", "[sched][executive]") {
  for (const std::uint32_t seed : Seeds(1)) compare<std::uint64_t>(seed, 2000);
}
