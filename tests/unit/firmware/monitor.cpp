// SPDX-License-Identifier: BSL-1.0
// What a monitor writes against what a scheduler, an executive and a core count, word by word; the time over wraps; what
// does not fit into the channel.
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/monitor.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using namespace neuromorph::firmware;

namespace {

using Record = std::vector<std::uint32_t>;
using Box = Mailbox<Channel<"mon ", 1024>>;

Record record_of(MonitorKind kind, std::uint32_t token, Record words) {
  words.insert(words.begin(), head(static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(words.size()), token));
  return words;
}
std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

template <class TickType>
struct TestClock {
  using Tick = TickType;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
  TickType* time;
  Tick now() noexcept { return *time; }
};

template <class TickType = std::uint32_t>
struct Board {
  Board() { box.start(1000, 1); }
  auto monitor() { return Monitor(TestClock<TickType>{&time}, box.template writer<"mon ">()); }
  std::vector<Record> written() {
    MailboxView<> view;
    REQUIRE(view.attach(box.region()));
    auto reader = view.reader(0);
    std::array<std::uint32_t, 16> to{};
    std::vector<Record> all;
    while (const std::uint32_t words = reader.read(to)) all.emplace_back(to.begin(), to.begin() + words);
    return all;
  }
  Box box{};
  TickType time = 0;
};

} // namespace

TEST_CASE("monitor: a provenance goes word by word, in three records", "[firmware][monitor]") {
  Board board;
  auto monitor = board.monitor();
  board.time = 77;
  Provenance counts;
  std::array<std::uint32_t, sizeof(Provenance) / 4> words{};
  for (std::uint32_t at = 0; at < words.size(); ++at) words[at] = at * 0x9E3779B9U;
  counts = std::bit_cast<Provenance>(words);
  REQUIRE(monitor.report(counts));
  REQUIRE(monitor.report());
  const auto part = [&](std::size_t from, std::size_t count) {
    return record_of(MonitorKind::core, static_cast<std::uint32_t>(from),
                     Record(words.begin() + std::ptrdiff_t(from), words.begin() + std::ptrdiff_t(from + count)));
  };
  CHECK(board.written() == std::vector<Record>{part(0, 15), part(15, 15), part(30, words.size() - 30),
                                               record_of(MonitorKind::report, 0, {77, 0}),
                                               record_of(MonitorKind::report, 1, {77, 0})});
}

TEST_CASE("monitor: time does not wrap, if it is asked for before the clock does twice", "[firmware][monitor]") {
  for (const std::uint32_t seed : Seeds(20)) {
    std::mt19937_64 random(seed);
    Board board;
    Board<std::uint64_t> wide;
    auto monitor = board.monitor();
    auto other = wide.monitor();
    std::uint64_t time = low(random());
    for (unsigned turn = 0; turn < 50; ++turn) {
      board.time = low(time), wide.time = time;
      REQUIRE(monitor.time() == time);
      REQUIRE(monitor.report());
      REQUIRE(other.report());
      REQUIRE(board.written() == std::vector<Record>{record_of(MonitorKind::report, turn, {low(time), high(time)})});
      REQUIRE(wide.written() == std::vector<Record>{record_of(MonitorKind::report, turn, {low(time), high(time)})});
      time += low(random()) >> random() % 32;
    }
  }
}

namespace {

/// A scheduler whose services take what is drawn, and what its records must be.
template <class Tick>
void compare_scheduler(std::uint32_t seed) {
  std::mt19937_64 random(seed);
  Board<Tick> board;
  auto monitor = board.monitor();
  VirtualClock<Tick> clock(static_cast<Tick>(sizeof(Tick) == 8 ? random() >> 4 : random())); // 64 bits do not wrap
  Scheduler<VirtualClock<Tick>, 6, SchedulerOptions{.statistics = true, .most_services = 5}> scheduler(clock);
  const std::uint64_t scale = sizeof(Tick) == 8 ? std::uint64_t{1} << 36 : 1; // lateness beyond 32 bits
  const auto pass = [&] { clock.advance(static_cast<Tick>(random() % 400 * (random() % 8 == 0 ? scale : 1))); };
  Services services(named<"one">(service<7>([&] { pass(); })), service<3>([&] { pass(); }),
                    service<4>([&] { pass(); }));
  const Tick start = clock.now();
  auto first = Timer<Tick>::from({.service = 7, .start = start, .period = 500, .count = 20}).value();
  auto second = Timer<Tick>::from({.service = 3, .start = start, .period = 700, .deadline = 300, .count = 9}).value();
  auto unknown = Timer<Tick>::from({.service = 9, .start = start, .period = 900, .count = 3}).value();
  auto signaller =
      TimerSignaller<Tick>::from(start, static_cast<Tick>(start + 20'000), static_cast<Tick>(start + 90'000)).value();
  scheduler.execute(signaller, services, first, second, unknown);
  REQUIRE(monitor.report(scheduler));
  const auto& counts = scheduler.counts();
  std::vector<Record> wanted{
      record_of(MonitorKind::scheduler, 0, {counts.run, counts.unknown, counts.dropped_at_exit, counts.sleeps})};
  const auto held = [](std::int64_t value) {
    const std::int64_t most = INT32_MAX;
    return low(static_cast<std::uint64_t>(value > most ? most : value < -most - 1 ? -most - 1 : value));
  };
  for (std::uint32_t position = 0; position < 5; ++position) {
    const auto& of = scheduler.statistics(position);
    if (of.runs == 0) continue;
    const auto late = static_cast<std::uint64_t>(of.lateness_sum);
    const std::uint64_t longest = of.longest_execution > UINT32_MAX ? UINT32_MAX : std::uint64_t{of.longest_execution};
    wanted.push_back(record_of(MonitorKind::service, position,
                               {of.runs, of.misses, held(of.least_lateness), held(of.greatest_lateness), low(late),
                                high(late), low(longest), low(of.execution_sum), high(of.execution_sum)}));
  }
  REQUIRE(wanted.size() >= 2); // position 2 never runs
  wanted.push_back(record_of(MonitorKind::report, 0, {0, 0}));
  if (board.written() != wanted) FAIL("seed " << seed << ", " << sizeof(Tick) * 8 << " bits");
}

} // namespace

TEST_CASE("monitor: services are what the scheduler notes, held to 32 bits where ticks have 64",
          "[firmware][monitor]") {
  for (const std::uint32_t seed : Seeds(100)) {
    compare_scheduler<std::uint32_t>(seed);
    compare_scheduler<std::uint64_t>(seed);
  }
}

TEST_CASE("monitor: what has 64 bits is held at the ends of 32", "[firmware][monitor]") {
  using firmware::detail::clipped;
  STATIC_REQUIRE(clipped(std::int64_t{INT32_MAX}) == 0x7FFF'FFFF);
  STATIC_REQUIRE(clipped(std::int64_t{INT32_MAX} + 1) == 0x7FFF'FFFF);
  STATIC_REQUIRE(clipped(std::int64_t{INT32_MIN}) == 0x8000'0000);
  STATIC_REQUIRE(clipped(std::int64_t{INT32_MIN} - 1) == 0x8000'0000);
  STATIC_REQUIRE(clipped(std::int64_t{-1}) == 0xFFFF'FFFF);
  STATIC_REQUIRE(clipped(std::uint64_t{UINT32_MAX}) == 0xFFFF'FFFF);
  STATIC_REQUIRE(clipped(std::uint64_t{UINT32_MAX} + 1) == 0xFFFF'FFFF);
  STATIC_REQUIRE(clipped(std::int32_t{-5}) == 0xFFFF'FFFB);
  STATIC_REQUIRE(clipped(std::uint32_t{0x8765'4321}) == 0x8765'4321);
}

TEST_CASE("monitor: a scheduler without statistics tells its counts alone", "[firmware][monitor]") {
  Board board;
  auto monitor = board.monitor();
  VirtualClock<> clock;
  Scheduler<VirtualClock<>, 2> scheduler(clock);
  REQUIRE(monitor.report(scheduler));
  CHECK(board.written() == std::vector<Record>{record_of(MonitorKind::scheduler, 0, {0, 0, 0, 0}),
                                               record_of(MonitorKind::report, 0, {0, 0})});
}

TEST_CASE("monitor: tasks are what the executive notes", "[firmware][monitor]") {
  using enum ExecutiveTask;
  using enum ExecutiveCall;
  for (const std::uint32_t seed : Seeds(50)) {
    std::mt19937 random(seed);
    Board board;
    auto monitor = board.monitor();
    VirtualClock<> clock(static_cast<std::uint32_t>(random()));
    unsigned left = 0;
    ExecutiveTasks tasks(
        task<begin_step>([&](std::uint32_t) { left = static_cast<unsigned>(random() % 5); }), task<neurons>([&] {
          if (left == 0) return false;
          clock.advance(static_cast<std::uint32_t>(random() % 300));
          return --left != 0;
        }),
        task<synaptic_rows>(
            [&] { return random() % 4 == 0 && (clock.advance(static_cast<std::uint32_t>(random() % 100)), true); }),
        task<is_idle>([] { return true; }));
    const std::uint32_t start = clock.now();
    Executive executive(clock, tasks, {.start = start, .period = 500, .budget = {0, 0, 60, 0, 400}});
    auto signaller = TimerSignaller<>::from(start, start + 20'000, start + 40'000).value();
    executive.execute(signaller);
    REQUIRE(monitor.report(executive));
    const auto& counts = executive.counts();
    std::vector<Record> wanted{
        record_of(MonitorKind::executive, 0,
                  {counts.steps, counts.overruns, counts.left_out, counts.furthest_behind, executive.due()})};
    for (std::uint32_t number = 0; number < 8; ++number) {
      const auto& of = executive.record(static_cast<ExecutiveTask>(number));
      wanted.push_back(
          record_of(MonitorKind::task, number,
                    {of.chunks, of.over_budget, of.longest_chunk, of.longest_step, low(of.total), high(of.total)}));
    }
    REQUIRE(counts.steps > 30);
    wanted.push_back(record_of(MonitorKind::report, 0, {0, 0}));
    REQUIRE(board.written() == wanted);
  }
}

TEST_CASE("monitor: spikes are counted by population, and announced by name", "[firmware][monitor]") {
  for (const std::uint32_t seed : Seeds(50)) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    const std::uint32_t first = below(50), second = first + below(50), third = second + below(50);
    SpikeCounts<"a", "the second", "four"> spikes({first, second, third});
    std::array<std::uint32_t, 3> wanted{};
    for (unsigned spike = 0; spike < 300; ++spike) {
      const std::uint32_t neuron = below(200);
      spikes.note(neuron);
      ++wanted[neuron < first ? 0 : neuron < second ? 1 : 2];
    }
    spikes.add<"the second">(5);
    wanted[1] += 5;
    Board board;
    auto monitor = board.monitor();
    REQUIRE(monitor.report(spikes));
    CHECK(board.written() == std::vector<Record>{record_of(MonitorKind::spikes, 0, {wanted[0]}),
                                                 record_of(MonitorKind::spikes, 1, {wanted[1]}),
                                                 record_of(MonitorKind::spikes, 2, {wanted[2]}),
                                                 record_of(MonitorKind::report, 0, {0, 0})});
  }
  Board board;
  auto monitor = board.monitor();
  Services services(service<1>([] {}), named<"neurons">(service<9>([] {})), named<"x">(service<0>([] {})));
  REQUIRE(monitor.announce(SpikeCounts<"a", "the second">(), services));
  CHECK(board.written() ==
        std::vector<Record>{record_of(MonitorKind::population_name, 0, {0x61}),
                            record_of(MonitorKind::population_name, 1, {0x20656874, 0x6F636573, 0x646E}),
                            record_of(MonitorKind::service_name, 1, {0x7275656E, 0x736E6F}),
                            record_of(MonitorKind::service_name, 2, {0x78})});
}

TEST_CASE("monitor: a named service does what it did", "[firmware][monitor]") {
  unsigned runs = 0;
  Services services(named<"neurons">(service<5>([&] { ++runs; })));
  services.exec(services.position(5));
  CHECK(runs == 1);
  const auto lambda = [&] { ++runs; };
  STATIC_REQUIRE(sizeof(named<"a">(service<1>(lambda))) == sizeof(service<1>(lambda)));
}

TEST_CASE("monitor: what finds no room is said, and the next report is whole", "[firmware][monitor]") {
  Mailbox<Channel<"mon ", 32>> box{};
  box.start(1, 1);
  std::uint32_t time = 0;
  Monitor monitor(TestClock<std::uint32_t>{&time}, box.writer<"mon ">());
  CHECK_FALSE(monitor.report(Provenance{}));
  CHECK_FALSE(monitor.report());
  MailboxView<> view;
  REQUIRE(view.attach(box.region()));
  view.reader(0).skip();
  CHECK(monitor.report());
  SpikeCounts<"a name that is longer than the ring has room for, it is", "b", "c"> spikes;
  CHECK_FALSE((monitor.announce(spikes) && monitor.announce(spikes) && monitor.announce(spikes)));
  CHECK(box.writer<"mon ">().refused() > 0);
}
