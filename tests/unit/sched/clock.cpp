// SPDX-License-Identifier: BSL-1.0
// Clocks: shifted, long and split readings; the timers of boards against a model of their registers that moves on with
// every access.
#include <cstdint>
#include <type_traits>
#include <vector>

#include <neuromorph/sched/clock.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>
#include <neuromorph/target/device/host_clock.hpp>
#include <neuromorph/target/device/sp804_clock.hpp>
#include <neuromorph/target/device/systick_clock.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

/// A user's clock has the name that is nearest.
struct Clock {
  using Tick = std::uint32_t;
  Tick ticks = 0;
  static constexpr neuromorph::AlarmKind alarm_kind = neuromorph::AlarmKind::none;
  Tick now() { return ++ticks; }
};

TEST_CASE("clock: one named Clock beside the library's names", "[sched][clock]") {
  static_assert(ClockSource<Clock>);
  Clock clock;
  CallableSignaller until([](std::uint32_t now) { return now < 10 ? Signal::run : Signal::exit; });
  Services services(service<1>([] {}));
  auto timer = Timer<>::from({.service = 1, .period = 5}).value();
  Scheduler<Clock, 4> scheduler(clock);
  CHECK(scheduler.execute(until, services, timer) == Finished::by_exit);
  CHECK(scheduler.counts().run == 2); // at 0 and 5
}

TEST_CASE("clock: shifted and split readings", "[sched][clock]") {
  VirtualClock<std::uint64_t> fine(0x1'2345'6789ULL);
  ShiftedClock<VirtualClock<std::uint64_t>, std::uint32_t, 8> coarse(fine);
  CHECK(coarse.now() == 0x0123'4567U);
  coarse.alarm(0x0123'4569U);
  CHECK(fine.now() == 0x1'2345'6900ULL);
  coarse.alarm(0x0123'4569U - 5); // past
  CHECK(fine.now() == 0x1'2345'6900ULL);

  // A counter that carries between any two reads.
  for (unsigned when = 0; when < 6; ++when) {
    std::uint64_t counter = 0x4'FFFF'FFFFULL;
    unsigned reads = 0;
    const auto step = [&] {
      if (reads++ == when) ++counter;
    };
    const std::uint64_t before = counter;
    const std::uint64_t value = read_halves(
        [&] {
          step();
          return static_cast<std::uint32_t>(counter >> 32);
        },
        [&] {
          step();
          return static_cast<std::uint32_t>(counter);
        });
    CHECK((value == before || value == before + 1));
  }
}

namespace {

/// A time that is to be slept to comes in the clock's own ticks: never past, as far as 63 bits reach.
template <class Tick, unsigned Shift>
void check_alarms() {
  constexpr auto furthest = longest_span<std::uint64_t>;
  for (const std::uint64_t start : {0ULL, 0x1234'5678'9ABC'DEF0ULL, 0x4000'0000'0000'0000ULL - 1}) {
    for (const Tick ahead : {Tick{1}, Tick{1000}, longest_span<Tick>}) {
      VirtualClock<std::uint64_t> fine(start);
      ShiftedClock<VirtualClock<std::uint64_t>, Tick, Shift> coarse(fine);
      INFO("start " << start << ", shift " << Shift << ", ahead " << ahead);
      const Tick at = static_cast<Tick>(coarse.now() + ahead);
      coarse.alarm(at);
      REQUIRE(fine.now() > start);
      if (ahead > furthest >> Shift) continue; // farther than the clock tells
      REQUIRE(coarse.now() == at);
      REQUIRE(fine.now() - start <= std::uint64_t{ahead} << Shift);
    }
  }
}

} // namespace

TEST_CASE("clock: a shifted alarm is ahead for every shift", "[sched][clock]") {
  check_alarms<std::uint32_t, 0>();
  check_alarms<std::uint32_t, 1>();
  check_alarms<std::uint32_t, 31>();
  check_alarms<std::uint32_t, 32>();
  check_alarms<std::uint32_t, 33>();
  check_alarms<std::uint32_t, 62>();
  check_alarms<std::uint32_t, 63>();
  check_alarms<std::uint64_t, 0>();
  check_alarms<std::uint64_t, 8>();
  check_alarms<std::uint64_t, 63>();
}

namespace {

struct Noting {
  using Tick = std::uint64_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::wakes_core;
  std::vector<Tick> alarms{};
  static Tick now() { return 0x1234; }
  void alarm(Tick at) { alarms.push_back(at); }
};

struct Silent {
  using Tick = std::uint32_t;
  static constexpr AlarmKind alarm_kind = AlarmKind::none;
  static Tick now() { return 0; }
};

} // namespace

TEST_CASE("clock: one made of another has its kind of alarm, and passes each on", "[sched][clock]") {
  Noting noting;
  using Coarse = ShiftedClock<Noting, std::uint32_t, 4>;
  static_assert(Coarse::alarm_kind == AlarmKind::wakes_core && !VirtualTime<Coarse>);
  Coarse coarse(noting);
  coarse.alarm(0x125);
  coarse.alarm(0x123);
  coarse.alarm(0x122); // past: at once
  CHECK(noting.alarms == std::vector<std::uint64_t>{0x1250, 0x1230, 0x1234});
  static_assert(LongClock<Silent>::alarm_kind == AlarmKind::none);
  static_assert(ClockSource<LongClock<Silent>> && !AlarmClock<LongClock<Silent>> &&
                VirtualTime<LongClock<VirtualClock<>>>);
}

TEST_CASE("clock: 64 bits from 32 across many wraps", "[sched][clock]") {
  VirtualClock<> narrow(0xFFFF'0000U);
  LongClock<VirtualClock<>> wide(narrow);
  std::uint64_t expected = wide.now();
  CHECK(expected == 0xFFFF'0000U);
  for (const std::uint32_t span : {1U, 0x7FFF'FFFFU, 0xFFFF'FFFFU, 0xFFFF'FFFFU, 12345U, 0x8000'0000U}) {
    narrow.advance(span);
    expected += span;
    REQUIRE(wide.now() == expected);
  }
  wide.alarm(expected + 5);
  CHECK(wide.now() == expected + 5);
  wide.alarm(expected); // past
  CHECK(wide.now() == expected + 5);
  wide.alarm(expected - 0x9000'0000U); // past by more than the half of 32 bits
  CHECK(wide.now() == expected + 5);
  wide.alarm(expected + 5 + 0x1'0000'0000ULL); // farther than 32 bits tell: on the way
  CHECK(wide.now() == expected + 5 + 0x7FFF'FFFFULL);
}

namespace {

/// Counts down by `speed` with each access, as SysTick does: the interrupt is asked for when it arrives at 0, after
/// which it starts from the top. The handler runs after an access, if it may.
struct Model {
  std::uint32_t period = 0, speed = 1;
  std::uint64_t cycles = 0; // since the start
  std::uint64_t handled = 0;
  bool is_locked = false;
  target::SystickClock<std::uint64_t, struct Device>* clock = nullptr;

  void access();
  [[nodiscard]] bool is_pending() const { return cycles / period > handled; }
};
struct Device {
  Model* model;
  void start(std::uint32_t period) { model->period = period; }
  void stop() {}
  std::uint32_t left() {
    const std::uint64_t into = model->cycles % model->period;
    model->access();
    return into == 0 ? 0 : static_cast<std::uint32_t>(model->period - into);
  }
  bool is_pending() {
    const bool pending = model->is_pending();
    model->access();
    return pending;
  }
};
void Model::access() {
  cycles += speed;
  if (!is_locked && is_pending()) {
    ++handled;
    clock->on_interrupt();
  }
}

} // namespace

TEST_CASE("clock: SysTick tells the time of some moment while it is read", "[sched][clock]") {
  for (const bool locked : {false, true})
    for (const std::uint32_t period : {7U, 16U, 1000U})
      for (const std::uint32_t speed : {1U, 2U, 3U}) {
        Model model{.speed = speed};
        target::SystickClock<std::uint64_t, Device> clock(Device{&model});
        model.clock = &clock;
        clock.start(period);
        INFO("period " << period << ", " << speed << " cycles an access, locked " << locked);
        for (unsigned read = 0; read < 5000; ++read) {
          // Locked for less than a period, from any place in it.
          model.is_locked = locked && period > 4 * speed;
          const std::uint64_t before = model.cycles;
          const std::uint64_t time = clock.now();
          REQUIRE(time >= before);
          REQUIRE(time <= model.cycles);
          model.is_locked = false;
          model.speed = 1;
          model.access(); // what was kept out comes in
          model.speed = speed;
        }
      }
}

TEST_CASE("clock: SP804 counts up, and its alarm is one shot after the time that is left", "[sched][clock]") {
  volatile std::uint32_t registers[16] = {};
  target::Sp804Clock clock(registers);
  clock.start();
  CHECK(registers[0] == 0xFFFF'FFFFU);
  CHECK(registers[2] == 0x82); // on, 32 bits, runs free
  CHECK(registers[10] == 0);
  registers[1] = 0xFFFF'FFFFU;
  CHECK(clock.now() == 0);
  registers[1] = 0xFFFF'FFF0U;
  CHECK(clock.now() == 15);
  clock.alarm(20);
  CHECK(registers[8] == 5);
  CHECK(registers[10] == 0xA3); // on, with interrupt, 32 bits, one shot
  clock.alarm(15);
  CHECK(registers[8] == 1);
  clock.alarm(10);
  CHECK(registers[8] == 1);
  registers[1] = 2; // 3 before the wrap
  clock.alarm(4);
  CHECK(registers[8] == 7);
  clock.stop();
  CHECK(registers[2] == 0);
  CHECK(registers[10] == 0);
}

TEST_CASE("clock: a scheduler sleeps by the host's", "[sched][clock]") {
  static_assert(AlarmClock<target::HostClock>);
  target::HostClock clock;
  const std::uint64_t start = clock.now(), millisecond = 1'000'000;
  unsigned runs = 0;
  Services services(service<0>([&] { ++runs; }));
  auto timer = Timer<std::uint64_t, Missed::catch_up>::from(
                   {.service = 0, .start = start + millisecond, .period = millisecond, .count = 5})
                   .value();
  auto signaller =
      TimerSignaller<std::uint64_t>::from(start, start + 7 * millisecond, start + 1000 * millisecond).value();
  Scheduler<target::HostClock, 4, SchedulerOptions{.statistics = true}> scheduler(clock);
  CHECK(scheduler.execute(signaller, services, timer) == Finished::by_finish);
  const std::uint64_t took = clock.now() - start;
  CHECK((runs == 5) == timer.is_stopped()); // fewer if the machine held it up until the end
  CHECK(took >= 7 * millisecond);
  CHECK(scheduler.counts().sleeps >= 1);
  if (runs != 0) CHECK(scheduler.statistics(0).least_lateness >= -static_cast<std::int64_t>(millisecond));
}
