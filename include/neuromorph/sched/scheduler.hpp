// SPDX-License-Identifier: BSL-1.0
/// \file
/// Runs services by earliest deadline first: asks its sources for events, runs the most urgent one to its end, and
/// sleeps when there is nothing to do until the next source wakes.
///
///     Scheduler<VirtualClock<>, 16> scheduler(clock);
///     scheduler.execute(signaller, services, neurons_timer, learning_timer, packet_mailbox);
///
/// Nothing interrupts a service but interrupts; those only note (interrupt_mailbox.hpp). Whether all deadlines are met
/// can be proved beforehand (feasibility.hpp).
#ifndef NEUROMORPH_SCHED_SCHEDULER_HPP
#define NEUROMORPH_SCHED_SCHEDULER_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/clock.hpp>
#include <neuromorph/sched/event.hpp>
#include <neuromorph/sched/event_queue.hpp>
#include <neuromorph/sched/service.hpp>
#include <neuromorph/sched/service_statistics.hpp>
#include <neuromorph/sched/signaller.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What becomes of events that are queued when the signaller says exit.
namespace leftover {
struct Keep {}; ///< the next `execute` finds them
struct Run {};  ///< run before `execute` returns
struct Drop {}; ///< dropped and counted
} // namespace leftover

/// Nothing is done about a miss.
struct NoMissHook {
  template <class Event, class Tick>
  constexpr void operator()(const Event&, Tick) const noexcept {}
};

/// Execution time that a service is held to, as a constant bandwidth server: a run that takes more than `time` per
/// `period`, or runs that come more often, put off the deadlines of the same service's next events, and not those of
/// the others.
template <TickCount Tick>
struct Budget {
  std::uint32_t time = 0;   ///< ticks, up to 2^30 - 1; 0: no limit
  std::uint32_t period = 0; ///< ticks, 1 to 2^30 - 1
};

/// No service has a budget.
struct NoBudgets {
  template <TickCount Tick, std::size_t Count>
  struct Of {};
  static constexpr bool enabled = false;
};

/// \cost a turn: a test for each of `most_services`, with 32-bit ticks; an event: two multiplications
/// \source L. Abeni and G. Buttazzo, Integrating multimedia applications in hard real-time systems, 1998;
///         differences: a service runs to its end, so what it took too much is charged afterwards; and as long as it
///         keeps to its budget its events have their own deadlines
struct WithBudgets {
  static constexpr bool enabled = true;
  template <TickCount Tick, std::size_t Count>
  class Of {
  public:
    /// From the next event on. \errors parameter_out_of_range; where: 0 time, 1 period, 2 position
    constexpr Status set(std::size_t position, Budget<Tick> budget) noexcept {
      constexpr std::uint32_t most = longest_span<std::uint32_t> / 2;
      if (position >= Count) return {Error::parameter_out_of_range, 2, static_cast<std::int64_t>(position)};
      if (budget.time > most) return {Error::parameter_out_of_range, 0, budget.time};
      if (budget.period > most || (budget.period == 0 && budget.time != 0))
        return {Error::parameter_out_of_range, 1, budget.period};
      servers_[position].budget = budget;
      servers_[position].is_started = false;
      return {};
    }
    /// How often the deadlines of a service were put off by a period.
    [[nodiscard]] constexpr std::uint32_t postponed(std::size_t position) const noexcept {
      return servers_[position].postponed;
    }

  private:
    template <class, std::size_t, class>
    friend class Scheduler;

    /// An event comes.
    constexpr void arrive(std::size_t position, Tick now) noexcept {
      Server& server = servers_[position];
      if (server.waiting++ != 0 && server.is_started) return;
      // What is left may be used until the server's deadline only if that does not exceed its bandwidth.
      if (!server.is_started || !is_before(now, server.deadline) ||
          std::uint64_t{server.left} * server.budget.period >=
              static_cast<std::uint64_t>(server.deadline - now) * server.budget.time) {
        server.left = server.budget.time;
        server.deadline = now + server.budget.period;
        server.is_started = server.is_whole = true;
      }
    }
    /// The deadline of an event that waits.
    [[nodiscard]] constexpr Tick deadline(std::size_t position, Tick own) const noexcept {
      const Server& server = servers_[position];
      if (server.budget.time == 0 || !server.is_started || server.is_whole) return own;
      return is_before(own, server.deadline) ? server.deadline : own;
    }
    /// One is gone, having run or not.
    constexpr void leave(std::size_t position) noexcept {
      if (servers_[position].waiting != 0) --servers_[position].waiting;
    }
    /// \cost O(execution / budget)
    constexpr void charge(std::size_t position, Tick execution, Tick now) noexcept {
      Server& server = servers_[position];
      if (server.budget.time == 0 || !server.is_started || execution == 0) return;
      server.is_whole = false;
      const Tick furthest = now + longest_span<Tick> / 2;
      while (execution >= server.left) { // used up: the next period's budget, and its deadline
        execution -= server.left;
        server.left = server.budget.time;
        server.deadline += server.budget.period;
        if (is_before(furthest, server.deadline)) server.deadline = furthest;
        ++server.postponed;
      }
      server.left -= static_cast<std::uint32_t>(execution);
    }
    /// So that a long silence is not taken for a deadline far ahead.
    constexpr void expire(Tick now) noexcept {
      if constexpr (sizeof(Tick) == 4)
        for (Server& server : servers_)
          if (server.waiting == 0 && server.is_started && !is_before(now, server.deadline)) server.is_started = false;
    }

    struct Server {
      Budget<Tick> budget{};
      std::uint32_t left = 0, postponed = 0, waiting = 0;
      Tick deadline = 0;
      bool is_started = false;
      bool is_whole = false; // nothing of `left` has been used
    };
    std::array<Server, Count> servers_{};
  };
};

/// What happened to all events since the scheduler was made. Events that sources made are the sum of `run`, `unknown`,
/// the queue's refused() and dropped(), `dropped_at_exit`, and what is queued now. Counters wrap, and so does the sum.
struct SchedulerCounts {
  std::uint32_t run = 0;
  std::uint32_t unknown = 0;         ///< named a service that is not there, or was kept for one that is not there now
  std::uint32_t dropped_at_exit = 0; ///< by leftover::Drop
  std::uint32_t sleeps = 0;
};

/// Why `execute` returned.
enum class Finished : std::uint8_t {
  by_finish,
  by_exit,
  refused, ///< of an executive whose `status` is not ok: it has done nothing
};

/// What a scheduler does, with the defaults. Yours inherits from it and hides what differs.
struct SchedulerOptions {
  using Full = queue_full::RefuseNewest; ///< or queue_full::DropLatestDeadline
  using Leftover = leftover::Keep;       ///< or leftover::Run, leftover::Drop
  using Statistics = NoStatistics;       ///< or WithStatistics
  using Budgets = NoBudgets;             ///< or WithBudgets
  using OnMiss = NoMissHook;             ///< called with event and time when a service has finished after its deadline
  using Target = target::Native;         ///< backend, for the interrupt lock and sleep
  static constexpr std::size_t most_services = 16; ///< for statistics and budgets
};

/// \tparam ClockType  Clock; to sleep it must be an AlarmClock
/// \tparam Capacity   of the queue; one per source is enough where none has deadlines beyond its period
/// \tparam Options    SchedulerOptions, or a struct that inherits from it
/// \source P. Spilger, On parameterization and debugging of PPU programs, 2018, chapter 3 (figure 3.1); differences: a
///         deadline is that of the end of a service, not of its start; equal deadlines are served in order; an unknown
///         service is counted; a source is asked once per turn, so that one which always has an event starves nobody;
///         no source is asked for what would be refused
template <class ClockType, std::size_t Capacity, class Options = SchedulerOptions>
class Scheduler {
  static_assert(detail::is_complete_clock<ClockType>());
  using Target = typename Options::Target;
  using Leftover = typename Options::Leftover;
  static_assert(std::same_as<Leftover, leftover::Keep> || std::same_as<Leftover, leftover::Run> ||
                    std::same_as<Leftover, leftover::Drop>,
                "neuromorph: Leftover is leftover::Keep, Run or Drop; see docs/scheduling.md");

public:
  using Tick = typename ClockType::Tick;
  using Queue = EventQueue<Tick, Capacity, typename Options::Full>;

  constexpr explicit Scheduler(ClockType& clock, typename Options::OnMiss on_miss = {}) noexcept
      : clock_(&clock), on_miss_(on_miss) {}

  /// Runs until the signaller says finish or exit.
  ///
  /// \param signaller  Signaller
  /// \param services   Services; statistics and budgets are by position, so the same list each time if there are any
  /// \param sources    EventSource each
  /// \cost  one turn: the clock, the signaller, each source, and one service
  template <class SignallerType, class ServiceSet, class... Sources>
  constexpr Finished execute(SignallerType& signaller, ServiceSet& services, Sources&... sources) {
    static_assert((!detail::is_result<SignallerType> && ... && !detail::is_result<Sources>),
                  "neuromorph: a signaller or a source is a Result that nobody looked at: ask ok(), then pass value(); "
                  "see docs/errors.md");
    static_assert(Signaller<SignallerType, Tick>,
                  "neuromorph: the signaller lacks 'Signal signal(Tick)'; see docs/scheduling.md");
    static_assert((EventSource<Sources, Tick> && ...),
                  "neuromorph: a source lacks 'bool next_event(Event<Tick>&, Tick)'; see docs/scheduling.md");
    static_assert((names_a_service<ServiceSet, Sources>() && ...),
                  "neuromorph: a source names a service that is not there; see docs/scheduling.md");
    static_assert((!Statistics::enabled && !Budgets::enabled) || ServiceSet::count <= Options::most_services,
                  "neuromorph: more services than 'most_services' of the options; see docs/scheduling.md");
    resume_ = queue_.full() ? 1 : 0;
    for (;;) {
      const Tick now = clock_->now();
      const Signal signal = signaller.signal(now);
      if (signal == Signal::exit) [[unlikely]] {
        leave(services);
        return Finished::by_exit;
      }
      if constexpr (Budgets::enabled) budgets_.expire(now);
      bool has_new = false;
      if (signal == Signal::run) [[likely]] {
        if (resume_ == 0) [[likely]] {
          std::size_t place = 0; // a constant at each source
          static_cast<void>(((++place, !ask<ServiceSet>(sources, now) || (has_new = true, has_room(place))) && ...));
        } else {
          has_new = ask_in_turn<ServiceSet>(now, sources...);
        }
      }
      if (!queue_.empty() && signal != Signal::wait) {
        run_first(services);
      } else if (signal == Signal::finish) {
        return Finished::by_finish;
      } else if (!has_new) {
        sleep(signal == Signal::run, signaller, sources...);
      }
    }
  }

  [[nodiscard]] constexpr const Queue& queue() const noexcept { return queue_; }
  [[nodiscard]] constexpr const SchedulerCounts& counts() const noexcept { return counts_; }
  /// Of the service at a position in the list of services.
  [[nodiscard]] constexpr const ServiceRecord<Tick>&
  statistics(std::size_t position) const noexcept requires Options::Statistics::enabled {
    return statistics_.records[position];
  }
  [[nodiscard]] constexpr auto& budgets() noexcept requires Options::Budgets::enabled { return budgets_; }

private:
  using Statistics = typename Options::Statistics;
  using Budgets = typename Options::Budgets;

  template <class ServiceSet, class Source>
  [[nodiscard]] static consteval bool names_a_service() {
    if constexpr (requires { Source::service; })
      return ServiceSet::has(Source::service);
    else
      return true;
  }

  /// Whether the source had an event.
  template <class ServiceSet, class Source>
  [[gnu::always_inline]] constexpr bool ask(Source& source, Tick now) {
    if constexpr (requires { source.is_due(now); })
      if (!source.is_due(now)) [[likely]]
        return false;
    return take<ServiceSet>(source, now);
  }
  template <class ServiceSet, class Source>
  [[gnu::noinline]] constexpr bool take(Source& source, Tick now) {
    Event<Tick> event;
    if (!source.next_event(event, now)) return false;
    const std::size_t position = ServiceSet::position(event.service);
    if (position == ServiceSet::none) [[unlikely]] {
      ++counts_.unknown;
      return true;
    }
    if constexpr (Budgets::enabled) {
      budgets_.arrive(position, now);
      event.deadline = budgets_.deadline(position, event.deadline);
      if (queue_.full()) // one gives way
        forget<ServiceSet>(is_before(event.deadline, queue_.last().deadline) ? queue_.last() : event);
    }
    queue_.push(event);
    return true;
  }
  /// An event that will not run.
  template <class ServiceSet>
  constexpr void forget(const Event<Tick>& event) noexcept {
    if constexpr (Budgets::enabled) {
      const std::size_t position = ServiceSet::position(event.service);
      if (position != ServiceSet::none) budgets_.leave(position);
    }
  }

  /// Whether a source after the one at `place` may be asked. A queue that refuses the newest is not asked to: what does
  /// not fit stays with its source, and those that were not asked come first as soon as an event has been taken out.
  [[nodiscard]] constexpr bool has_room(std::size_t place) noexcept {
    if constexpr (std::same_as<typename Options::Full, queue_full::RefuseNewest>) {
      if (queue_.full()) [[unlikely]] {
        resume_ = place;
        return false;
      }
    }
    return true;
  }
  /// From where it stopped for want of room, and then the others.
  template <class ServiceSet, class... Sources>
  [[gnu::noinline]] constexpr bool ask_in_turn([[maybe_unused]] Tick now, Sources&... sources) {
    const std::size_t from = resume_;
    if (!has_room(from)) return false;
    resume_ = 0;
    bool has_new = false;
    for (const bool is_first_round : {true, false}) {
      std::size_t place = 0;
      if (!((++place, is_first_round != (place > from) || !take<ServiceSet>(sources, now) ||
                          (has_new = true, has_room(place))) &&
            ...))
        break;
    }
    return has_new;
  }

  template <class ServiceSet>
  constexpr void run_first(ServiceSet& services) {
    Event<Tick> event = queue_.pop();
    const std::size_t position = ServiceSet::position(event.service);
    if (position == ServiceSet::none) [[unlikely]] { // kept from a list of services that had it
      ++counts_.unknown;
      return;
    }
    if constexpr (Budgets::enabled) {
      // Its service may have used up its budget since it came.
      event.deadline = budgets_.deadline(position, event.deadline);
      if (!queue_.empty() && is_before(queue_.first().deadline, event.deadline)) {
        queue_.push(event);
        return;
      }
      budgets_.leave(position);
    }
    ++counts_.run;
    if constexpr (timed) {
      const Tick started = clock_->now();
      services.exec(position);
      const Tick finished = clock_->now();
      statistics_.note(position, event.deadline, started, finished);
      if constexpr (Budgets::enabled) budgets_.charge(position, static_cast<Tick>(finished - started), finished);
      if (is_before(event.deadline, finished)) on_miss_(event, finished);
    } else {
      services.exec(position);
    }
  }

  template <class ServiceSet>
  constexpr void leave(ServiceSet& services) {
    if constexpr (std::same_as<Leftover, leftover::Run>) {
      while (!queue_.empty()) run_first(services);
    } else if constexpr (std::same_as<Leftover, leftover::Drop>) {
      for (; !queue_.empty(); ++counts_.dropped_at_exit) forget<ServiceSet>(queue_.pop());
    }
  }

  /// Until the first time at which somebody has something to do, or an interrupt. Without an alarm, or if somebody does
  /// not know his time, not at all; then virtual time moves by a tick.
  template <class SignallerType, class... Sources>
  constexpr void sleep(bool sources_wake, SignallerType& signaller, Sources&... sources) {
    constexpr bool all_know = WakingSignaller<SignallerType, Tick> && (WakingSource<Sources, Tick> && ...);
    if constexpr (AlarmClock<ClockType> && (all_know || VirtualTime<ClockType>)) {
      typename Target::InterruptLock lock;
      const Tick now = clock_->now();
      Tick first = now + longest_span<Tick>;
      bool is_due = false; // since it was asked, or perhaps
      const auto look = [&](auto& waking) {
        Tick at = now;
        if constexpr (requires { waking.wake_at(now, at); })
          if (!waking.wake_at(now, at)) return;
        if (!is_before(now, at))
          is_due = true;
        else if (is_before(at, first))
          first = at;
      };
      look(signaller);
      if (sources_wake) (look(sources), ...);
      if (is_due) {
        if constexpr (VirtualTime<ClockType>) clock_->alarm(now + 1);
        return;
      }
      detail::wait_until<Target>(*clock_, first);
      ++counts_.sleeps;
    }
  }

  static constexpr bool timed =
      Statistics::enabled || Budgets::enabled || !std::same_as<typename Options::OnMiss, NoMissHook>;

  ClockType* clock_;
  Queue queue_{};
  std::size_t resume_ = 0; // how many sources have had their turn when the queue was full; 0: it was not
  SchedulerCounts counts_{};
  [[no_unique_address]] typename Statistics::template Of<Tick, Options::most_services> statistics_{};
  [[no_unique_address]] typename Budgets::template Of<Tick, Options::most_services> budgets_{};
  [[no_unique_address]] typename Options::OnMiss on_miss_;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
