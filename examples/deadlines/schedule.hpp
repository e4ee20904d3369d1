// SPDX-License-Identifier: BSL-1.0
// Three periodic services and a oneshot on one core, in virtual microseconds. Every run is noted.
#ifndef EXAMPLES_DEADLINES_SCHEDULE_HPP
#define EXAMPLES_DEADLINES_SCHEDULE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/neuromorph.hpp>

namespace deadlines {

namespace nm = neuromorph;
using Tick = std::uint32_t;

enum : nm::ServiceId { neurons, rates, learning, snapshot };
inline constexpr std::size_t service_count = 4;
inline constexpr std::array names{"neurons", "rates", "learning", "snapshot"};

// Period, deadline and worst case of a run, as long as nothing is overloaded.
inline constexpr std::array timings{
    nm::ServiceTiming{1000, 1000, 400}, nm::ServiceTiming{2500, 2500, 300},
    nm::ServiceTiming{750, 750, 100},        // a piece of the synapse array each
    nm::ServiceTiming{1'000'000, 6000, 350}, // once, which is not more often than each second
};
inline constexpr Tick learning_starts = 400, snapshot_at = 8300;

/// One run of a service.
struct Run {
  std::uint32_t service;
  Tick release, deadline, start, finish;
  [[nodiscard]] bool is_late() const { return nm::is_before(deadline, finish); }
};
inline constexpr std::size_t most_runs = 16384;

struct Load {
  std::array<std::uint32_t, service_count> percent{100, 100, 100, 100}; // of what a service should take
  bool has_budget = false;                                              // for learning
};

/// The events of a source, noted as they come. Those of one service are run in the order of their deadlines.
template <class Source>
struct Noted {
  using Offers = nm::offer::List<nm::offer::WakeAt>;
  Source source;
  std::array<Tick, 64> deadlines{};
  std::uint32_t made = 0;

  bool next_event(nm::Event<Tick>& event, Tick now) {
    if (!source.next_event(event, now)) return false;
    deadlines[made++ % deadlines.size()] = event.deadline;
    return true;
  }
  bool wake_at(Tick now, Tick& at) { return source.wake_at(now, at); }
};

inline constexpr nm::SchedulerOptions options{
    .statistics = true, .budgets = true, .leftover = nm::Leftover::drop, .most_services = service_count};

class Simulation {
public:
  using Record = nm::ServiceRecord<Tick>;
  // Virtual time has no interrupts, so any target will do.
  using Scheduler = nm::Scheduler<nm::VirtualClock<>, 16, options, nm::NoMissHook, nm::target::Generic>;

  Simulation(std::uint64_t seed, const Load& load) : random_(nm::StreamId{seed, 0, 0}), load_(load) {
    nm::require_fit<timings, nm::SchedulerCost{.per_job = 2, .per_section = 2}>(); // or it does not compile
    if (load.has_budget)
      static_cast<void>(scheduler_.budgets().set(learning, {.time = 100, .period = 750})); // in range
  }

  /// Until `end`: from then on nothing is released, what is queued runs for as long again, and the rest is dropped.
  void run(Tick end) {
    end_ = end;
    nm::Services services(nm::service<neurons>([this] { execute(neurons, neuron_timer_); }),
                          nm::service<rates>([this] { execute(rates, rate_timer_); }),
                          nm::service<learning>([this] { execute(learning, learning_timer_); }),
                          nm::service<snapshot>([this] { execute(snapshot, snapshot_timer_); }));
    auto signaller = nm::TimerSignaller<>::from(0, end, 2 * end).value();
    scheduler_.execute(signaller, services, neuron_timer_, rate_timer_, learning_timer_, snapshot_timer_);
  }

  [[nodiscard]] const Run* begin() const { return runs_.data(); }
  [[nodiscard]] const Run* end() const { return runs_.data() + count_; }
  [[nodiscard]] Run& operator[](std::size_t at) { return runs_[at]; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] const Scheduler& scheduler() const { return scheduler_; }
  [[nodiscard]] Scheduler& scheduler() { return scheduler_; }
  [[nodiscard]] std::uint32_t made(std::uint32_t service) const {
    return std::array{neuron_timer_.made, rate_timer_.made, learning_timer_.made, snapshot_timer_.made}[service];
  }
  [[nodiscard]] std::uint32_t missed(std::uint32_t service) const {
    return std::array{neuron_timer_.source.missed(), rate_timer_.source.missed(), learning_timer_.source.missed(),
                      std::uint32_t{0}}[service];
  }
  [[nodiscard]] std::uint32_t made() const {
    std::uint32_t all = 0;
    for (std::uint32_t service = 0; service < service_count; ++service) all += made(service);
    return all;
  }
  /// By the deadlines with which the events were made; a budget may have put them off.
  struct Lateness {
    std::uint32_t late = 0;
    std::int32_t least = INT32_MAX, most = INT32_MIN;
    std::int64_t sum = 0;
  };
  [[nodiscard]] Lateness lateness(std::uint32_t service) const {
    Lateness found;
    for (const Run& run : *this) {
      if (run.service != service) continue;
      const auto late = static_cast<std::int32_t>(run.finish - run.deadline);
      found.late += late > 0 ? 1U : 0U;
      if (late < found.least) found.least = late;
      if (late > found.most) found.most = late;
      found.sum += late;
    }
    return found;
  }
  /// Of all periods that have begun until the end: those that nobody asked for any more, as too much was to do.
  struct Periods {
    std::uint32_t begun = 0, missed = 0, not_asked = 0;
  };
  [[nodiscard]] Periods periods() const {
    Periods all;
    for (const auto* noted : {&neuron_timer_, &rate_timer_, &learning_timer_}) {
      nm::Timer<> timer = noted->source;
      nm::Event<Tick> event;
      while (timer.next_event(event, end_ - 1)) ++all.not_asked;
      all.not_asked += timer.missed() - noted->source.missed();
      all.missed += noted->source.missed();
    }
    constexpr std::array starts{Tick{0}, Tick{0}, learning_starts};
    for (std::size_t service = 0; service < starts.size(); ++service)
      if (const auto period = static_cast<Tick>(timings[service].period); end_ > starts[service])
        all.begun += (end_ - starts[service] + period - 1) / period;
    return all;
  }
  /// What became of all periods and all events.
  [[nodiscard]] bool adds_up() const {
    const nm::SchedulerCounts& counts = scheduler_.counts();
    std::uint32_t of_records = 0;
    for (std::size_t service = 0; service < service_count; ++service) of_records += scheduler_.statistics(service).runs;
    const Periods all = periods();
    return all.begun == made() - made(snapshot) + all.missed + all.not_asked &&
           made() == counts.run + counts.unknown + counts.dropped_at_exit + scheduler_.queue().size() &&
           counts.run == of_records && counts.run == ran_;
  }
  /// All runs that began before `time`.
  [[nodiscard]] std::uint64_t digest(Tick time) const {
    nm::Digest digest;
    for (const Run& run : *this) {
      if (run.start >= time) break;
      for (const Tick word : {Tick{run.service}, run.release, run.deadline, run.start, run.finish}) digest.add(word);
    }
    return digest.value();
  }

private:
  template <class Source>
  void execute(std::uint32_t service, const Noted<Source>& source) {
    // Between 60 and 100 % of the worst case, times the load.
    const auto worst = static_cast<std::uint32_t>(timings[service].execution);
    const std::uint32_t took =
        (worst * 6 / 10 + nm::uniform_below(random_, worst * 4 / 10 + 1)) * load_.percent[service] / 100;
    const Tick deadline = source.deadlines[executed_[service]++ % source.deadlines.size()];
    const Tick start = clock_.now();
    clock_.advance(took);
    ++ran_;
    if (count_ != most_runs)
      runs_[count_++] = {service, deadline - static_cast<Tick>(timings[service].deadline), deadline, start,
                         clock_.now()};
  }
  template <class Timing>
  static Noted<nm::Timer<>> periodic(const Timing& timing, nm::ServiceId service, Tick start) {
    return {nm::Timer<>::from({.service = service,
                               .start = start,
                               .period = static_cast<Tick>(timing.period),
                               .deadline = static_cast<Tick>(timing.deadline)})
                .value()};
  }

  nm::VirtualClock<> clock_;
  nm::Sfc32 random_;
  Load load_;
  Tick end_ = 0;
  Scheduler scheduler_{clock_};
  Noted<nm::Timer<>> neuron_timer_ = periodic(timings[neurons], neurons, 0),
                     rate_timer_ = periodic(timings[rates], rates, 0),
                     learning_timer_ = periodic(timings[learning], learning, learning_starts);
  Noted<nm::OneshotTimer<>> snapshot_timer_{
      nm::OneshotTimer<>::from(snapshot, snapshot_at, snapshot_at + static_cast<Tick>(timings[snapshot].deadline))
          .value()};
  std::array<std::uint32_t, service_count> executed_{};
  std::uint32_t ran_ = 0;
  std::array<Run, most_runs> runs_{};
  std::size_t count_ = 0;
};

} // namespace deadlines

#endif
