// SPDX-License-Identifier: BSL-1.0
/// \file
/// The run-time executive of a core that simulates neurons in steps: eight tasks by priority, in chunks that run to
/// their end, polled. A record of what each took of the step.
///
///     ExecutiveTasks tasks(core, task<begin_step, &Core::begin>(), task<neurons, &Core::update>());
///     Executive executive(clock, tasks, {.start = now, .period = 20'000}); // cycles of 0.1 ms
///     executive.execute(signaller);
///
/// After each chunk the most important task that has something to do goes on. A chunk of a few hundred cycles, a
/// percent of the step, keeps the answer to a spike short without interrupting anything.
#ifndef NEUROMORPH_SCHED_EXECUTIVE_HPP
#define NEUROMORPH_SCHED_EXECUTIVE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/clock.hpp>
#include <neuromorph/sched/detail/first_wake.hpp>
#include <neuromorph/sched/executive_tasks.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/signaller.hpp>
#include <neuromorph/sched/timer.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What becomes of steps that should have begun while an earlier one was not finished.
enum class Overrun : std::uint8_t {
  catch_up,  ///< each is done, late, one after the other
  leave_out, ///< they are left out and counted; step numbers keep to the time
};

/// \tparam Tick  of the clock
template <TickCount Tick>
struct TaskRecord {
  std::uint32_t chunks = 0;
  std::uint32_t over_budget = 0; ///< steps in which it took more than its budget
  Tick longest_chunk = 0;
  Tick longest_step = 0;   ///< the most it took of a step
  Tick this_step = 0;      ///< since the step has begun
  std::uint64_t total = 0; ///< of all steps that are over
};

struct ExecutiveCounts {
  std::uint32_t steps = 0;           ///< begun
  std::uint32_t overruns = 0;        ///< steps whose neurons were not done when the next one should have begun
  std::uint32_t left_out = 0;        ///< steps, by Overrun::leave_out, or because the end was seen before them
  std::uint32_t furthest_behind = 0; ///< the most periods that had passed when a step was begun at last, less one
};

template <TickCount Tick>
struct ExecutiveTiming {
  Tick start = 0;               ///< of the first step
  Tick period = 0;              ///< of a step, 1 to longest_span
  std::array<Tick, 8> budget{}; ///< of each task in a step; 0: none. What it took more is counted, not prevented
};

/// \tparam Tasks  ExecutiveTasks. Without `is_idle` among them the executive polls and does not sleep
/// \cost   a turn: the clock, the signaller, and the polls until a task has something to do; all of it counts as that
///         task's
/// \source D. R. Lester et al., Streamlining SpiNNaker, 2018, chapter 5
template <class ClockType, class Tasks, Overrun Policy = Overrun::catch_up, class Target = target::Native>
class Executive {
  static_assert(detail::is_complete_clock<ClockType>());
  static_assert(detail::is_complete_tasks<Tasks>());
  using Executed = detail::ExecutableTasks<Tasks>;
  template <auto Name>
  static constexpr bool has = Executed::template count<Name> != 0;
  static constexpr bool knows_idle = has<ExecutiveCall::is_idle>;
  static_assert(knows_idle || !VirtualTime<ClockType>,
                "neuromorph: without a task 'is_idle' an executive polls, and virtual time stands still; see "
                "docs/scheduling.md");

public:
  using Tick = typename detail::TickOf<ClockType>::Type;

  /// With a period that is out of range nothing is executed; `status` says so.
  constexpr Executive(ClockType& clock, Tasks tasks, const ExecutiveTiming<Tick>& timing) noexcept
      : clock_(&clock), tasks_(std::move(tasks)), timer_(timer_of(timing)), period_(timing.period),
        budget_(timing.budget) {}

  /// \errors parameter_out_of_range: the period of a step
  [[nodiscard]] constexpr Status status() const noexcept { return Periods::from({.period = period_}).status(); }

  /// Runs until the signaller says exit. After it has said finish, it runs until the steps that were due before it are done
  /// and no task of the last one has anything to do. A signaller that does not say when run was over has none more to
  /// be done: those due until finish is seen are left out and counted.
  template <class SignallerType>
  constexpr Finished execute(SignallerType& signaller) {
    static_assert(!detail::is_result<SignallerType>,
                  "neuromorph: a signaller is a Result that nobody looked at: ask ok(), then pass value(); see "
                  "docs/errors.md");
    static_assert(detail::is_signaller_of_ticks<SignallerType, Tick>(),
                  "neuromorph: the signaller takes ticks of another width than the clock's; see docs/scheduling.md");
    static_assert(Signaller<SignallerType, Tick>,
                  "neuromorph: the signaller lacks 'Signal signal(Tick)'; see docs/scheduling.md");
    static_assert(detail::offers_what_a_signaller_has<SignallerType, Tick>());
    if (timer_.is_stopped()) return Finished::refused;
    ExecutiveTask task = ExecutiveTask::idle;
    bool has_run = false; // and steps that were due then are not all counted
    for (Tick now = clock_->now();; now = charge(task, now)) {
      task = ExecutiveTask::idle;
      const Signal signal = signal_of(signaller, now);
      if (signal == Signal::run) [[likely]] {
        has_run = true;
        count_steps(now);
      } else if (has_run && signal != Signal::wait) [[unlikely]] {
        count_last_steps(signaller, now);
        has_run = false;
      }
      if (signal == Signal::exit) return Finished::by_exit;
      if (due_ != 0 && signal != Signal::wait) {
        if (is_done_)
          begin_step();
        else
          note_overrun();
      }
      if (signal != Signal::wait && has_begun_) task = run_first(signal == Signal::run);
      if (task != ExecutiveTask::idle) continue;
      if (signal == Signal::finish && due_ == 0 && (!has_begun_ || is_idle())) {
        if (has_begun_) close_step();
        return Finished::by_finish;
      }
      if (due_ == 0 || signal == Signal::wait) sleep(signaller, signal);
    }
  }

  [[nodiscard]] constexpr const ExecutiveCounts& counts() const noexcept { return counts_; }
  /// Steps that should have begun and have not: what an exit leaves to the next `execute`. With counts().steps and
  /// counts().left_out, all that were due before the end.
  [[nodiscard]] constexpr std::uint32_t due() const noexcept { return due_; }
  [[nodiscard]] constexpr const TaskRecord<Tick>& record(ExecutiveTask task) const noexcept {
    return records_[static_cast<std::size_t>(task)];
  }

private:
  using Periods = Timer<Tick, Missed::skip>; // counts those that it has missed, at once

  [[nodiscard]] static constexpr Periods timer_of(const ExecutiveTiming<Tick>& timing) noexcept {
    const auto timer = Periods::from({.service = 0, .start = timing.start, .period = timing.period});
    return timer ? timer.value() : Periods();
  }

  template <class SignallerType>
  [[gnu::always_inline]] static constexpr Signal signal_of(SignallerType& signaller, Tick now) {
    if constexpr (Signaller<SignallerType, Tick>)
      return signaller.signal(now);
    else
      return Signal::exit; // nothing more is said
  }
  [[nodiscard]] constexpr bool is_idle() {
    if constexpr (knows_idle)
      return tasks_.template call<ExecutiveCall::is_idle>();
    else
      return true;
  }
  constexpr void count_steps(Tick now) noexcept {
    Event<Tick> event;
    const std::uint32_t missed = timer_.missed();
    if (timer_.next_event(event, now)) due_ += timer_.missed() - missed + 1;
  }
  /// Those due before the end, of which a long chunk may have kept us from looking.
  template <class SignallerType>
  [[gnu::noinline]] constexpr void count_last_steps(const SignallerType& signaller, Tick now) noexcept {
    if constexpr (detail::offers<SignallerType, offer::RunEnded>) {
      count_steps(static_cast<Tick>(signaller.run_ended() - 1));
      if (due_ != 0 && !is_done_) note_overrun();
    } else {
      const std::uint32_t due = due_;
      count_steps(static_cast<Tick>(now - 1));
      if (due_ != 0 && !is_done_) note_overrun();
      counts_.left_out += due_ - due;
      step_ += due_ - due;
      due_ = due;
    }
  }
  constexpr void note_overrun() noexcept {
    if (!is_overrun_) ++counts_.overruns;
    is_overrun_ = true;
  }
  constexpr void begin_step() {
    if (has_begun_)
      close_step();
    else
      for (TaskRecord<Tick>& record : records_) record.this_step = 0; // sleep until now
    has_begun_ = true;
    if (due_ - 1 > counts_.furthest_behind) counts_.furthest_behind = due_ - 1;
    if constexpr (Policy == Overrun::leave_out) {
      counts_.left_out += due_ - 1;
      step_ += due_ - 1;
      due_ = 1;
    }
    --due_;
    ++counts_.steps;
    is_done_ = is_overrun_ = false;
    tasks_.template call<ExecutiveCall::begin_step>(step_++);
  }
  constexpr void close_step() noexcept {
    for (std::size_t task = 0; task < records_.size(); ++task) {
      TaskRecord<Tick>& record = records_[task];
      if (record.this_step > record.longest_step) record.longest_step = record.this_step;
      if (budget_[task] != 0 && record.this_step > budget_[task]) ++record.over_budget;
      record.total += record.this_step;
      record.this_step = 0;
    }
  }
  /// A turn, to the task that has run in it; returns when the next one begins.
  constexpr Tick charge(ExecutiveTask task, Tick since) noexcept {
    TaskRecord<Tick>& record = records_[static_cast<std::size_t>(task)];
    const Tick now = clock_->now();
    const Tick took = static_cast<Tick>(now - since);
    ++record.chunks;
    record.this_step += took;
    if (took > record.longest_chunk) record.longest_chunk = took;
    return now;
  }
  /// The first task that had something to do; idle if none had.
  constexpr ExecutiveTask run_first(bool is_running) {
    using enum ExecutiveTask;
    ExecutiveTask task = receive_spikes;
    const auto is_busy = [&]<ExecutiveTask name>(std::integral_constant<ExecutiveTask, name>) {
      task = name;
      if constexpr (has<name>)
        return tasks_.template call<name>();
      else
        return false;
    };
    const auto update_neurons = [&] {
      task = neurons;
      if (is_done_) return false;
      const bool was_busy = tasks_.template call<neurons>();
      is_done_ = !was_busy;
      return was_busy;
    };
    const bool did = is_busy(std::integral_constant<ExecutiveTask, receive_spikes>{}) ||
                     is_busy(std::integral_constant<ExecutiveTask, feed_dma>{}) ||
                     is_busy(std::integral_constant<ExecutiveTask, synaptic_rows>{}) ||
                     is_busy(std::integral_constant<ExecutiveTask, write_back>{}) || update_neurons() ||
                     // What is for later steps, if one comes and none waits; the neurons are done.
                     (is_running && due_ == 0 &&
                      (is_busy(std::integral_constant<ExecutiveTask, prefetch>{}) ||
                       is_busy(std::integral_constant<ExecutiveTask, random_numbers>{})));
    return did ? task : ExecutiveTask::idle;
  }
  /// Until a step should begin, the signaller changes, or an interrupt comes; not at all if there is work, or if
  /// somebody does not know his time. Virtual time then moves by a tick.
  template <class SignallerType>
  constexpr void sleep(SignallerType& signaller, Signal signal) {
    constexpr bool all_know = knows_idle && WakingSignaller<SignallerType, Tick>;
    if constexpr (AlarmClock<ClockType> && (all_know || VirtualTime<ClockType>)) {
      typename Target::InterruptLock lock;
      detail::FirstWake<Tick> first(clock_->now(), signal != Signal::wait && has_begun_ && !is_idle(),
                                    longest_span<Tick>);
      first.ask(signaller);
      if (signal == Signal::run) first.ask(timer_);
      first.template wait<Target>(*clock_);
    }
  }

  ClockType* clock_;
  Executed tasks_;
  Periods timer_;
  Tick period_;
  std::array<Tick, 8> budget_;
  std::array<TaskRecord<Tick>, 8> records_{};
  ExecutiveCounts counts_{};
  std::uint32_t due_ = 0, step_ = 0; // steps that should have begun; number of the next one
  bool has_begun_ = false, is_done_ = true, is_overrun_ = false;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
