// SPDX-License-Identifier: BSL-1.0
// Tasks by name: whatever they are made of and in whichever order, each name calls its own function and no other.
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include <neuromorph/sched/executive.hpp>
#include <neuromorph/sched/executive_tasks.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;
using enum ExecutiveTask;
using enum ExecutiveCall;

namespace {

struct Base {
  std::uint32_t steps = 0;
  void begin(std::uint32_t step) { steps = 10 * steps + step; }
};
struct Core : Base {
  int updated = 0, fed = 0;
  static inline int written = 0;
  bool update() noexcept { return ++updated < 3; }
  bool feed() const { return fed == 7; }
  static bool write() { return ++written == 1; }
};

} // namespace

TEST_CASE("executive_tasks: functions of the core take its address and nothing else", "[sched][executive_tasks]") {
  Core core;
  const ExecutiveTasks tasks(core, task<begin_step, &Core::begin>(), task<neurons, &Core::update>(),
                             task<write_back, &Core::write>(), task<synaptic_rows>([] { return false; }));
  static_assert(sizeof(tasks) == sizeof(void*));
}

TEST_CASE("executive_tasks: each name calls its function", "[sched][executive_tasks]") {
  Core core;
  Core::written = 0;
  int rows = 0;
  ExecutiveTasks tasks(core, task<write_back, &Core::write>(),
                       task<is_idle>([](const Core& own) { return own.updated == 2; }),
                       task<synaptic_rows>([&rows, left = 2]() mutable { return ++rows, left-- != 0; }),
                       task<begin_step, &Core::begin>(), task<feed_dma, &Core::feed>(), task<neurons, &Core::update>(),
                       task<prefetch>([kept = std::make_shared<int>(5)] { return *kept == 5; }));
  tasks.call<begin_step>(std::uint32_t{4});
  tasks.call<begin_step>(std::uint32_t{2});
  CHECK(core.steps == 42);
  CHECK(tasks.call<neurons>());
  CHECK_FALSE(tasks.call<is_idle>());
  CHECK(tasks.call<neurons>());
  CHECK(tasks.call<is_idle>());
  CHECK_FALSE(tasks.call<neurons>());
  CHECK_FALSE(tasks.call<feed_dma>());
  core.fed = 7;
  CHECK(tasks.call<feed_dma>());
  CHECK(tasks.call<write_back>());
  CHECK_FALSE(tasks.call<write_back>());
  CHECK(tasks.call<prefetch>());
  CHECK(tasks.call<synaptic_rows>());
  auto copy = tasks; // with what lambdas have captured
  CHECK(copy.call<synaptic_rows>());
  CHECK_FALSE(copy.call<synaptic_rows>());
  CHECK(tasks.call<synaptic_rows>());
  CHECK(rows == 4);
}

TEST_CASE("executive_tasks: an executive calls those that are named, by priority and not by place",
          "[sched][executive_tasks]") {
  std::array<int, 4> left{2, 2, 2, 2};
  std::uint32_t order = 0;
  const auto takes = [&](std::uint32_t number) {
    return [&left, &order, number] {
      if (left[number] == 0) return false;
      --left[number];
      order = 10 * order + number;
      return true;
    };
  };
  VirtualClock<> clock;
  ExecutiveTasks tasks(task<random_numbers>(takes(3)), task<neurons>(takes(2)), task<receive_spikes>(takes(0)),
                       task<is_idle>([] { return true; }), task<begin_step>([](std::uint32_t) {}),
                       task<write_back>(takes(1)));
  Executive executive(clock, tasks, {.start = 0, .period = 100});
  auto signaller = TimerSignaller<>::from(0, 100, 200).value();
  CHECK(executive.execute(signaller) == Finished::by_finish);
  CHECK(order == 112233); // 0 goes first
  CHECK(executive.record(receive_spikes).chunks == 2);
  CHECK(executive.record(write_back).chunks == 2);
  CHECK(executive.record(neurons).chunks == 2);
  CHECK(executive.record(random_numbers).chunks == 2);
  CHECK(executive.record(feed_dma).chunks == 0);
}
