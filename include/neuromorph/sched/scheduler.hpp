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
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/clock.hpp>
#include <neuromorph/sched/detail/first_wake.hpp>
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
enum class Leftover : std::uint8_t {
  keep, ///< the next `execute` finds them
  run,  ///< run before `execute` returns
  drop, ///< dropped and counted
};

/// What a scheduler does besides; each part costs nothing where it is not asked for.
///
///     Scheduler<ClockType, 16, SchedulerOptions{.statistics = true, .leftover = Leftover::drop}> scheduler(clock);
struct SchedulerOptions {
  bool statistics = false; ///< a ServiceRecord for each service
  bool budgets = false;    ///< for services that have one
  Leftover leftover = Leftover::keep;
  std::size_t most_services = 16; ///< for statistics and budgets
};

/// Nothing is done about a miss.
struct NoMissHook {
  template <class Event, class Tick>
  constexpr void operator()(const Event&, Tick) const noexcept {}
};

/// What a service is held to, as its ServiceTiming says: one run of at most `time` in a `period`. A run that comes
/// sooner, or takes longer, puts off the deadlines of the same service's next events by whole periods, and no others.
template <TickCount Tick>
struct Budget {
  std::uint32_t time = 0;   ///< ticks, up to 2^30 - 1; 0: no limit
  std::uint32_t period = 0; ///< ticks, 1 to 2^30 - 1
};

/// The budgets of `Count` services, by position; none at first.
/// \cost a turn: a test for each service, with 32-bit ticks; an event: a comparison, and O(run / time) after it
/// \source L. Abeni and G. Buttazzo, Integrating multimedia applications in hard real-time systems, 1998 (the constant
///         bandwidth server); differences: a service runs to its end, so each run is charged afterwards, and whole
///         budgets; deadlines are kept apart and not releases, so that an event within the budget has its own
template <TickCount Tick, std::size_t Count>
class ServiceBudgets {
public:
  /// From the next event on.
  /// \errors parameter_out_of_range: time, period, position
  constexpr Status set(std::size_t position, Budget<Tick> budget) noexcept {
    constexpr std::uint32_t most = longest_span<std::uint32_t> / 2;
    if (position >= Count) return {Error::parameter_out_of_range, 0, position, "position"};
    if (budget.time > most) return {Error::parameter_out_of_range, 0, budget.time, "time"};
    if (budget.period > most || (budget.period == 0 && budget.time != 0))
      return {Error::parameter_out_of_range, 0, budget.period, "period"};
    servers_[position].budget = budget;
    servers_[position].is_started = false;
    return {};
  }
  /// How many runs of a service had their deadline put off.
  [[nodiscard]] constexpr std::uint32_t postponed(std::size_t position) const noexcept {
    return servers_[position].postponed;
  }

private:
  template <class, std::size_t, SchedulerOptions, class, class>
  friend class Scheduler;

  /// An event comes.
  constexpr void arrive(std::size_t position) noexcept { ++servers_[position].waiting; }
  /// It is gone.
  constexpr void leave(std::size_t position) noexcept {
    if (servers_[position].waiting != 0) --servers_[position].waiting; // it may have come with other services
  }
  /// The deadline of an event that waits. After a silence its own may be further from the last that was put off than a
  /// comparison can tell: so first on which sides of the present they lie.
  [[nodiscard]] constexpr Tick deadline(std::size_t position, Tick own, Tick now) const noexcept {
    const Server& server = servers_[position];
    if (!server.is_started || (!is_before(now, server.next) && !is_before(own, now))) return own;
    return is_before(own, server.next) ? server.next : own;
  }
  /// \param deadline  by which it ran
  /// \cost  O(execution / time)
  constexpr void charge(std::size_t position, Tick deadline, Tick own, Tick execution, Tick now) noexcept {
    Server& server = servers_[position];
    if (deadline != own) ++server.postponed;
    if (server.budget.time == 0) return;
    const Tick furthest = now + longest_span<Tick> / 2;
    for (;;) {
      deadline += server.budget.period;
      if (!is_before(deadline, furthest)) {
        deadline = furthest;
        break;
      }
      if (execution <= server.budget.time) break;
      execution -= server.budget.time;
    }
    server.next = deadline;
    server.is_started = true;
  }
  /// Once all sources have been asked: what comes from now on has later deadlines. So that a long silence is not
  /// taken for a deadline far ahead.
  constexpr void expire(Tick now, std::size_t count) noexcept {
    if constexpr (sizeof(Tick) == 4)
      for (std::size_t position = 0; position < count; ++position)
        if (Server& server = servers_[position]; server.waiting == 0 && !is_before(now, server.next))
          server.is_started = false;
  }

  struct Server {
    Budget<Tick> budget{};
    std::uint32_t postponed = 0, waiting = 0;
    Tick next = 0; // the earliest deadline that its next event may have
    bool is_started = false;
  };
  std::array<Server, Count> servers_{};
};

namespace detail {

/// In the place of a part that is not asked for.
template <class Part>
struct Without {};

/// Whose an event is that waits: its service, and the position of its source.
struct Origin {
  using Offers = offer::List<>;
  std::uint32_t word = 0;
  constexpr Origin() noexcept = default;
  template <class Tick>
  constexpr Origin(const Event<Tick>& event, std::size_t source) noexcept
      : word(event.service | static_cast<std::uint32_t>(source) << 8) {}
  [[nodiscard]] constexpr ServiceId service() const noexcept { return static_cast<ServiceId>(word); }
  [[nodiscard]] constexpr std::size_t source() const noexcept { return word >> 8; }
  template <class Tick>
  [[nodiscard]] constexpr Tick own_deadline(Tick queued) const noexcept {
    return queued;
  }
};
/// And the deadline with which it came, which a budget may have put off.
template <TickCount Tick>
struct OriginAndDeadline : Origin {
  using Offers = offer::List<offer::GoesBefore>;
  Tick own = 0;
  constexpr OriginAndDeadline() noexcept = default;
  constexpr OriginAndDeadline(const Event<Tick>& event, std::size_t source) noexcept
      : Origin(event, source), own(event.deadline) {}
  [[nodiscard]] constexpr Tick own_deadline(Tick) const noexcept { return own; }
  /// Events that are put off to the same deadline keep their order.
  [[nodiscard]] constexpr bool goes_before(const OriginAndDeadline& other) const noexcept {
    return is_before(own, other.own);
  }
};

} // namespace detail

/// What happened to all events since the scheduler was made. Events that sources made are the sum of `run`, `unknown`,
/// `dropped_at_exit`, and what is queued now. Counters wrap, and so does the sum.
struct SchedulerCounts {
  std::uint32_t run = 0;
  std::uint32_t unknown = 0;         ///< named a service that is not there, or was kept for one that is not there now
  std::uint32_t dropped_at_exit = 0; ///< by Leftover::drop
  std::uint32_t sleeps = 0;
};

/// Why `execute` returned.
enum class Finished : std::uint8_t {
  by_finish,
  by_exit,
  refused, ///< of an executive whose `status` is not ok: it has done nothing
};

/// \tparam ClockType  ClockSource; to sleep it must be an AlarmClock
/// \tparam Capacity   of the queue, shared out evenly: each source has Capacity / sources places of its own. One is
///                    enough for a source that makes its events in the order of their deadlines, as all of ours do
/// \tparam OnMiss     called with event and time when a service has finished after its deadline
/// \tparam Target     backend, for the interrupt lock and sleep
/// \source P. Spilger, On parameterization and debugging of PPU programs, 2018, chapter 3 (figure 3.1); differences: a
///         deadline is that of the end of a service, not of its start; equal deadlines are served in order; an unknown
///         service is counted; a source is asked until its places are taken, so that one which always has an event
///         starves nobody, and nothing is refused
template <class ClockType, std::size_t Capacity, SchedulerOptions Options = SchedulerOptions{},
          class OnMiss = NoMissHook, class Target = target::Native>
class Scheduler {
  static_assert(detail::is_complete_clock<ClockType>());

public:
  using Tick = typename detail::TickOf<ClockType>::Type;
  static_assert(
      requires(OnMiss & on_miss, const Event<Tick>& event, Tick now) { on_miss(event, now); },
      "neuromorph: OnMiss lacks 'void operator()(const Event<Tick>&, Tick)'; see docs/scheduling.md");
  using Queue =
      EventQueue<Tick, Capacity, std::conditional_t<Options.budgets, detail::OriginAndDeadline<Tick>, detail::Origin>>;

  constexpr explicit Scheduler(ClockType& clock, OnMiss on_miss = {}) noexcept : clock_(&clock), on_miss_(on_miss) {}
  /// Refused in words.
  constexpr Scheduler(const Scheduler& other) noexcept : clock_(other.clock_), on_miss_(other.on_miss_) {
    static_assert(detail::never<ClockType>,
                  "neuromorph: a scheduler is not copied: its queue points into itself; pass a reference; see "
                  "docs/scheduling.md");
  }
  Scheduler& operator=(const Scheduler&) = delete;

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
    static_assert(detail::is_signaller_of_ticks<SignallerType, Tick>(),
                  "neuromorph: the signaller takes ticks of another width than the clock's; see docs/scheduling.md");
    static_assert(Signaller<SignallerType, Tick>,
                  "neuromorph: the signaller lacks 'Signal signal(Tick)'; see docs/scheduling.md");
    static_assert((detail::is_source_of_ticks<Sources, Tick>() && ...),
                  "neuromorph: a source takes ticks of another width than the clock's; see docs/scheduling.md");
    static_assert(((EventSource<Sources, Tick> || !detail::is_source_of_ticks<Sources, Tick>()) && ...),
                  "neuromorph: a source lacks 'bool next_event(Event<Tick>&, Tick)'; see docs/scheduling.md");
    static_assert((detail::offers_what_a_signaller_has<SignallerType, Tick>() && ... &&
                   detail::offers_what_a_source_has<Sources, Tick>()));
    static_assert((names_a_service<ServiceSet, Sources>() && ...),
                  "neuromorph: a source names a service that is not there; see docs/scheduling.md");
    static_assert((!Options.statistics && !Options.budgets) || ServiceSet::count <= Options.most_services,
                  "neuromorph: more services than 'most_services' of the options; see docs/scheduling.md");
    static_assert(sizeof...(Sources) <= Capacity,
                  "neuromorph: the scheduler's queue has fewer places than there are sources; see docs/scheduling.md");
    if constexpr (!(Signaller<SignallerType, Tick> && ... && EventSource<Sources, Tick>)) // nothing more is said
      return Finished::refused;
    else
      for (;;) {
        const Tick now = clock_->now();
        const Signal signal = signaller.signal(now);
        if (signal == Signal::exit) [[unlikely]] {
          leave(services);
          return Finished::by_exit;
        }
        bool has_new = false; // even if nothing is queued: events without a service, and perhaps their source has more
        if (signal == Signal::run) [[likely]] {
          std::size_t place = 0; // a constant at each source
          static_cast<void>(((has_new |= ask<ServiceSet, sizeof...(Sources)>(sources, place++, now)), ...));
        }
        if constexpr (Options.budgets) budgets_.expire(now, ServiceSet::count);
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
  [[nodiscard]] constexpr const ServiceRecord<Tick>& statistics(std::size_t position) const noexcept {
    static_assert(Options.statistics, "neuromorph: the scheduler keeps no statistics: its SchedulerOptions lack "
                                      "'.statistics = true'; see docs/scheduling.md");
    if constexpr (Options.statistics)
      return statistics_.records[position];
    else
      __builtin_unreachable();
  }
  [[nodiscard]] constexpr ServiceBudgets<Tick, Options.most_services>& budgets() noexcept {
    static_assert(Options.budgets, "neuromorph: the scheduler keeps no budgets: its SchedulerOptions lack "
                                   "'.budgets = true'; see docs/scheduling.md");
    if constexpr (Options.budgets)
      return budgets_;
    else
      __builtin_unreachable();
  }

private:
  using Statistics = ServiceStatistics<Tick, Options.most_services>;
  using Budgets = ServiceBudgets<Tick, Options.most_services>;

  template <class ServiceSet, class Source>
  [[nodiscard]] static consteval bool names_a_service() {
    if constexpr (detail::offers<Source, offer::EventService>)
      return ServiceSet::has(Source::service);
    else
      return true;
  }

  /// Whether the source had an event.
  template <class ServiceSet, std::size_t count, class Source>
  [[gnu::always_inline]] constexpr bool ask(Source& source, std::size_t place, Tick now) {
    if constexpr (detail::offers<Source, offer::IsDue>)
      if (!source.is_due(now)) [[likely]]
        return false;
    return take<ServiceSet, Capacity / count>(source, place, now);
  }
  /// Its events, until it has no more or they have all its places. What was kept may have others'.
  template <class ServiceSet, std::size_t places, class Source>
  [[gnu::noinline]] constexpr bool take(Source& source, std::size_t place, Tick now) {
    bool has_new = false;
    for (std::size_t used = used_[place]; used < places && !queue_.full(); ++used) {
      Event<Tick> event;
      if (!source.next_event(event, now)) break;
      has_new = true;
      const std::size_t position = ServiceSet::position(event.service);
      if (position == ServiceSet::none) [[unlikely]] {
        ++counts_.unknown;
        continue;
      }
      typename Queue::Entry entry{event.deadline, {event, place}};
      if constexpr (Options.budgets) {
        budgets_.arrive(position);
        entry.deadline = budgets_.deadline(position, event.deadline, now);
      }
      ++used_[place];
      static_cast<void>(queue_.push(entry)); // there is room
    }
    return has_new;
  }
  template <class ServiceSet>
  constexpr void run_first(ServiceSet& services) {
    auto event = queue_.pop();
    std::size_t position = ServiceSet::position(event.rest.service());
    if constexpr (Options.budgets) {
      // Its service may have used up its budget since it came. Each event of a service is put back at most once between
      // two runs of it.
      const Tick now = clock_->now();
      while (position != ServiceSet::none) {
        const Tick queued = event.deadline;
        event.deadline = budgets_.deadline(position, queued, now);
        if (event.deadline == queued || queue_.empty() || detail::goes_first(event, queue_.first())) break;
        static_cast<void>(queue_.push(event)); // into the place it had
        event = queue_.pop();
        position = ServiceSet::position(event.rest.service());
      }
    }
    --used_[event.rest.source()];
    if (position == ServiceSet::none) [[unlikely]] { // kept from a list of services that had it
      ++counts_.unknown;
      return;
    }
    if constexpr (Options.budgets) budgets_.leave(position);
    ++counts_.run;
    if constexpr (timed) {
      const Tick started = clock_->now();
      services.exec(position);
      const Tick finished = clock_->now();
      const Tick own = event.rest.own_deadline(event.deadline);
      if constexpr (Options.statistics) statistics_.note(position, own, started, finished);
      if constexpr (Options.budgets)
        budgets_.charge(position, event.deadline, own, static_cast<Tick>(finished - started), finished);
      if (is_before(own, finished)) on_miss_(Event<Tick>{own, event.rest.service()}, finished);
    } else {
      services.exec(position);
    }
  }

  template <class ServiceSet>
  constexpr void leave(ServiceSet& services) {
    if constexpr (Options.leftover == Leftover::run) {
      while (!queue_.empty()) run_first(services);
    } else if constexpr (Options.leftover == Leftover::drop) {
      for (; !queue_.empty(); ++counts_.dropped_at_exit) {
        const auto event = queue_.pop();
        --used_[event.rest.source()];
        if constexpr (Options.budgets) {
          const std::size_t position = ServiceSet::position(event.rest.service());
          if (position != ServiceSet::none) budgets_.leave(position);
        }
      }
    }
  }

  /// Until the first time at which somebody has something to do, or an interrupt. Without an alarm, or if somebody does
  /// not know his time, not at all; then virtual time moves by a tick.
  template <class SignallerType, class... Sources>
  constexpr void sleep(bool sources_wake, SignallerType& signaller, Sources&... sources) {
    constexpr bool all_know = WakingSignaller<SignallerType, Tick> && (WakingSource<Sources, Tick> && ...);
    if constexpr (AlarmClock<ClockType> && (all_know || VirtualTime<ClockType>)) {
      typename Target::InterruptLock lock;
      // Not as long as the clock can tell: what was ahead when the sources were asked is still told from what is past.
      detail::FirstWake<Tick> first(clock_->now(), false, longest_span<Tick> - longest_span<Tick> / 8);
      first.ask(signaller);
      if (sources_wake) (first.ask(sources), ...);
      if (first.template wait<Target>(*clock_)) ++counts_.sleeps;
    }
  }

  static constexpr bool timed = Options.statistics || Options.budgets || !std::same_as<OnMiss, NoMissHook>;

  ClockType* clock_;
  Queue queue_{};
  std::array<std::uint16_t, Capacity> used_{}; // places, by source
  SchedulerCounts counts_{};
  [[no_unique_address]] std::conditional_t<Options.statistics, Statistics, detail::Without<Statistics>> statistics_{};
  [[no_unique_address]] std::conditional_t<Options.budgets, Budgets, detail::Without<Budgets>> budgets_{};
  [[no_unique_address]] OnMiss on_miss_;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
