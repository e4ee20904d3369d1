// SPDX-License-Identifier: BSL-1.0
// The scheduler beside a plain model of what a user sees: releases at times without wraps, a list of what waits, the
// earliest deadline first. A plan says what the sources do; both follow it, and each run and each count is compared.
#ifndef TESTS_SUPPORT_SCHEDULE_MODEL_HPP
#define TESTS_SUPPORT_SCHEDULE_MODEL_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include <neuromorph/sched/feasibility.hpp>
#include <neuromorph/sched/interrupt_mailbox.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/timer.hpp>

namespace schedule {

using namespace neuromorph;
using Time = std::int64_t; // from the beginning of a plan; does not wrap

enum class Kind { none, catch_up, skip, re_phase, oneshot, mailbox, sporadic, list };
inline constexpr std::array names{"none", "catch_up", "skip", "re_phase", "oneshot", "mailbox", "sporadic", "list"};

struct Source {
  Kind kind = Kind::none;
  unsigned service = 0;
  Time start = 0, period = 1, deadline = 1; // the least interval of a sporadic one
  unsigned count = 0;                       // of a timer's periods; 0: endless
  std::vector<Time> posts{};                // of mailboxes, and releases of a list; in order
  std::vector<Time> deadlines{};            // of a list, after the release
};

inline constexpr std::size_t most_sources = 4;
inline bool is_posted(Kind kind) { return kind == Kind::mailbox || kind == Kind::sporadic; }
inline bool is_timer(Kind kind) { return kind == Kind::catch_up || kind == Kind::skip || kind == Kind::re_phase; }

struct Plan {
  std::array<Source, most_sources> sources{};
  std::array<Time, most_sources> execution{1, 1, 1, 1};     // of the services ...
  std::array<Budget<std::uint32_t>, most_sources> budget{}; // ... and what holds them
  std::array<std::vector<Time>, most_sources> longer{};     // runs that take more, one after the other
  Time end = 0, turn = 0, per_job = 0;                      // what a turn takes, and an event that is found
  std::uint64_t base = 0;                                   // of the scheduler's clock
  [[nodiscard]] Time takes(unsigned service, unsigned run) const {
    return run < longer[service].size() ? longer[service][run] : execution[service];
  }
};

inline std::string text(const Plan& plan) {
  std::ostringstream out;
  out << "base " << plan.base << ", end " << plan.end << ", a turn takes " << plan.turn << ", an event "
      << plan.per_job;
  for (const Source& source : plan.sources) {
    if (source.kind == Kind::none) continue;
    out << "\n  " << names[static_cast<std::size_t>(source.kind)] << " for " << source.service << ": start "
        << source.start << ", period " << source.period << ", deadline " << source.deadline << ", count "
        << source.count << ", execution " << plan.execution[source.service] << ", budget "
        << plan.budget[source.service].time << "/" << plan.budget[source.service].period;
    if (!source.posts.empty()) out << ", posts";
    for (std::size_t post = 0; post < source.posts.size() && post < 40; ++post) {
      out << " " << source.posts[post];
      if (post < source.deadlines.size()) out << "+" << source.deadlines[post];
    }
  }
  return out.str();
}

struct Run {
  unsigned service = 0;
  Time start = 0, deadline = 0, finish = 0; // its own deadline
  bool operator==(const Run&) const = default;
};

struct Outcome {
  std::vector<Run> runs;
  std::array<std::uint32_t, most_sources> missed{}, deferred{}, unstamped{}; // by source
  std::array<std::uint32_t, most_sources> postponed{}, events{};             // by service; by source
};

/// Where the ranges of clocks show: the age of a post, how late a timer catches up, how far ahead a deadline is put
/// off, and how long a sleep is, each at most.
struct Limits {
  Time stamp, late, ahead, sleep;
};

/// \param places  in the queue, for each source
/// \param depth   stamps of a mailbox
class Model {
public:
  Model(const Plan& plan, std::size_t places, std::size_t depth, const Limits& limits)
      : plan_(plan), places_(places), depth_(depth), limits_(limits) {}

  Outcome follow() {
    for (;;) {
      const Time now = time_;
      pass(plan_.turn);
      const bool is_on = now < plan_.end;
      bool has_new = false;
      if (is_on)
        for (std::size_t at = 0; at < most_sources; ++at)
          for (std::size_t used = held(at); used < places_; ++used) {
            const std::optional<Time> deadline = next(at, now);
            if (!deadline) break;
            pass(plan_.per_job);
            ++out_.events[at];
            const unsigned service = plan_.sources[at].service;
            waiting_.push_back({std::max(*deadline, next_[service]), *deadline, arrivals_++, at});
            has_new = true;
          }
      if (!waiting_.empty())
        run();
      else if (!is_on)
        return out_;
      else if (!has_new)
        sleep();
    }
  }

private:
  struct Waiting {
    Time deadline, own;
    std::uint64_t arrival;
    std::size_t source;
  };
  struct State {
    unsigned period = 0; // of a timer, the next
    Time origin = 0;     // of a timer's period 0
    std::size_t posted = 0, taken = 0;
    std::vector<Time> stamps; // one for each post
    Time allowed = -(Time{1} << 62);
    bool is_deferred = false;
  };

  [[nodiscard]] std::size_t held(std::size_t source) const {
    return static_cast<std::size_t>(
        std::count_if(waiting_.begin(), waiting_.end(), [&](const Waiting& event) { return event.source == source; }));
  }
  /// Time passes, and interrupts come in it.
  void pass(Time span) {
    time_ += span;
    for (std::size_t at = 0; at < most_sources; ++at) {
      const Source& source = plan_.sources[at];
      State& state = states_[at];
      if (!is_posted(source.kind)) continue;
      for (; state.posted < source.posts.size() && source.posts[state.posted] <= time_; ++state.posted) {
        const bool has_stamp = state.posted - state.taken < depth_;
        state.stamps.push_back(has_stamp ? source.posts[state.posted] : state.stamps.back());
        out_.unstamped[at] += has_stamp ? 0U : 1U;
      }
    }
  }

  /// The deadline of a source's next event, if it has one at this time.
  std::optional<Time> next(std::size_t at, Time now) {
    const Source& source = plan_.sources[at];
    State& state = states_[at];
    switch (source.kind) {
    case Kind::none: return {};
    case Kind::oneshot:
      if (state.taken != 0 || now < source.start) return {};
      ++state.taken;
      return source.start + source.deadline;
    case Kind::list:
      if (state.taken == source.posts.size() || now < source.posts[state.taken]) return {};
      ++state.taken;
      return source.posts[state.taken - 1] + source.deadlines[state.taken - 1];
    case Kind::catch_up:
    case Kind::skip:
    case Kind::re_phase: {
      const auto release = [&] { return source.start + state.origin + state.period * source.period; };
      const auto is_over = [&] { return source.count != 0 && state.period == source.count; };
      if (is_over() || now < release()) return {};
      if (source.kind != Kind::catch_up || now - release() > limits_.late) {
        bool has_missed = false;
        for (; !is_over() && now - release() >= source.period; ++state.period, ++out_.missed[at]) has_missed = true;
        if (is_over()) return {};
        if (has_missed && source.kind == Kind::re_phase) state.origin += now - release();
      }
      const Time deadline = release() + source.deadline;
      ++state.period;
      return deadline;
    }
    case Kind::mailbox:
    case Kind::sporadic: break;
    }
    if (state.taken == state.posted) return {};
    const Time stamp = std::max(state.stamps[state.taken], now - limits_.stamp);
    Time release = stamp;
    if (source.kind == Kind::sporadic && stamp < state.allowed) {
      if (!state.is_deferred) ++out_.deferred[at];
      state.is_deferred = true;
      if (now < state.allowed) return {};
      release = state.allowed;
    }
    state.is_deferred = false;
    state.allowed = release + source.period;
    ++state.taken;
    return release + source.deadline;
  }

  void run() {
    const auto earliest = [&] {
      return std::min_element(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) {
        return std::tie(a.deadline, a.own, a.arrival) < std::tie(b.deadline, b.own, b.arrival);
      });
    };
    auto first = earliest();
    for (;; first = earliest()) {
      const unsigned service = plan_.sources[first->source].service;
      if (first->deadline >= next_[service]) break;
      first->deadline = next_[service];
      if (std::none_of(waiting_.begin(), waiting_.end(), [&](const Waiting& event) {
            return &event != &*first && std::tie(event.deadline, event.own) <= std::tie(first->deadline, first->own);
          }))
        break;
      first->arrival = arrivals_++;
    }
    const Waiting event = *first;
    waiting_.erase(first);
    const unsigned service = plan_.sources[event.source].service;
    const Time start = time_;
    pass(plan_.takes(service, ran_[service]++));
    out_.runs.push_back({service, start, event.own, time_});
    if (event.deadline != event.own) ++out_.postponed[service];
    if (const auto& budget = plan_.budget[service]; budget.time != 0) {
      const Time took = std::max<Time>(time_ - start, 1);
      next_[service] = std::min(time_ + limits_.ahead,
                                event.deadline + (took + budget.time - 1) / budget.time * Time{budget.period});
    }
  }

  /// Until somebody has something to do; at once if that is now.
  void sleep() {
    Time until = std::min(plan_.end, time_ + limits_.sleep);
    for (std::size_t at = 0; at < most_sources; ++at) {
      const Source& source = plan_.sources[at];
      const State& state = states_[at];
      std::optional<Time> wakes;
      if (source.kind == Kind::oneshot && state.taken == 0) wakes = source.start;
      if (source.kind == Kind::list && state.taken < source.posts.size()) wakes = source.posts[state.taken];
      if (is_timer(source.kind) && (source.count == 0 || state.period < source.count))
        wakes = source.start + state.origin + state.period * source.period;
      if (is_posted(source.kind)) {
        if (state.posted < source.posts.size()) wakes = source.posts[state.posted]; // an interrupt
        if (state.taken != state.posted) {
          const bool waits = source.kind == Kind::sporadic && state.stamps[state.taken] < state.allowed;
          until = std::min(until, waits ? std::max(state.allowed, time_) : time_);
        }
      }
      if (wakes) until = std::min(until, *wakes);
    }
    if (until > time_) pass(until - time_);
  }

  const Plan& plan_;
  std::size_t places_, depth_;
  Limits limits_;
  Time time_ = 0;
  Outcome out_;
  std::vector<Waiting> waiting_;
  std::uint64_t arrivals_ = 0;
  std::array<State, most_sources> states_{};
  std::array<Time, most_sources> next_{-(Time{1} << 62), -(Time{1} << 62), -(Time{1} << 62), -(Time{1} << 62)};
  std::array<unsigned, most_sources> ran_{};
};

/// Time that is moved, in which interrupts come.
template <class TickType>
class SteppedClock {
public:
  using Tick = TickType;
  static constexpr AlarmKind alarm_kind = AlarmKind::sleeps;
  struct Post {
    Time at;
    unsigned source;
  };
  explicit SteppedClock(std::uint64_t base) : base_(base) {}
  [[nodiscard]] Tick now() const noexcept { return static_cast<Tick>(base_ + static_cast<std::uint64_t>(time_)); }
  [[nodiscard]] Time time() const { return time_; }
  void advance(Time span) { move(time_ + span); }
  void alarm(Tick at) {
    const auto ahead = static_cast<Time>(static_cast<std::make_signed_t<Tick>>(at - now()));
    if (ahead <= 0) return;
    move(next_ < posts.size() ? std::min(time_ + ahead, std::max(posts[next_].at, time_)) : time_ + ahead);
  }
  std::vector<Post> posts; // in order
  template <class Handler>
  void on_post(Handler& handler) {
    handler_ = &handler;
    call_ = [](void* object, unsigned source) { (*static_cast<Handler*>(object))(source); };
  }

private:
  void move(Time to) {
    while (next_ < posts.size() && posts[next_].at <= to) {
      time_ = std::max(time_, posts[next_].at);
      call_(handler_, posts[next_++].source);
    }
    time_ = to;
  }
  std::uint64_t base_;
  Time time_ = 0;
  std::size_t next_ = 0;
  void* handler_ = nullptr;
  void (*call_)(void*, unsigned) = nullptr;
};

/// Events of a user's, whose deadlines are in any order.
template <class Tick>
struct List {
  using Offers = offer::List<offer::WakeAt>;
  std::vector<std::pair<Tick, Tick>> events; // release and deadline
  ServiceId service = 0;
  std::size_t taken = 0;
  bool next_event(Event<Tick>& event, Tick now) {
    if (taken == events.size() || is_before(now, events[taken].first)) return false;
    event = {events[taken++].second, service};
    return true;
  }
  bool wake_at(Tick, Tick& at) const {
    if (taken == events.size()) return false;
    at = events[taken].first;
    return true;
  }
};

template <class RawTick, class TickType, std::size_t Depth>
struct AnySource {
  using Offers = offer::List<offer::WakeAt, offer::IsDue>;
  using Raw = SteppedClock<RawTick>;
  using Tick = TickType;
  std::variant<Timer<Tick>, Timer<Tick, Missed::skip>, Timer<Tick, Missed::re_phase>, OneshotTimer<Tick>, List<Tick>>
      own;
  std::optional<InterruptMailbox<Raw, Depth, Tick>> mailbox;
  std::optional<Sporadic<Raw, Depth, Tick>> sporadic;
  Raw* clock;
  Time takes;

  AnySource(const Source& plan, Raw& raw, Tick base, Time per_job) : clock(&raw), takes(per_job) {
    const auto at = [&](Time time) { return static_cast<Tick>(base + static_cast<Tick>(time)); };
    const auto service = static_cast<ServiceId>(plan.service);
    const TimerTiming<Tick> timing{.service = service,
                                   .start = at(plan.start),
                                   .period = static_cast<Tick>(plan.period),
                                   .deadline = static_cast<Tick>(plan.deadline),
                                   .count = plan.count};
    switch (plan.kind) {
    case Kind::none: break;
    case Kind::catch_up: own = Timer<Tick>::from(timing).value(); break;
    case Kind::skip: own = Timer<Tick, Missed::skip>::from(timing).value(); break;
    case Kind::re_phase: own = Timer<Tick, Missed::re_phase>::from(timing).value(); break;
    case Kind::oneshot:
      own = OneshotTimer<Tick>::from(service, at(plan.start), at(plan.start + plan.deadline)).value();
      break;
    case Kind::mailbox: mailbox.emplace(service, raw, static_cast<Tick>(plan.deadline)); break;
    case Kind::sporadic:
      sporadic.emplace(service, raw, static_cast<Tick>(plan.deadline), static_cast<Tick>(plan.period));
      break;
    case Kind::list: {
      List<Tick> list{{}, service};
      for (std::size_t event = 0; event < plan.posts.size(); ++event)
        list.events.push_back({at(plan.posts[event]), at(plan.posts[event] + plan.deadlines[event])});
      own = list;
      break;
    }
    }
  }
  template <class Call>
  auto visit(const Call& call) {
    if (mailbox) return call(*mailbox);
    if (sporadic) return call(*sporadic);
    return std::visit(call, own);
  }
  void post() {
    if (mailbox) mailbox->post();
    if (sporadic) sporadic->post();
  }
  bool next_event(Event<Tick>& event, Tick now) {
    const bool has = visit([&](auto& source) { return source.next_event(event, now); });
    if (has) clock->advance(takes);
    return has;
  }
  bool is_due(Tick now) {
    return visit([&](auto& source) {
      if constexpr (requires { source.is_due(now); })
        return source.is_due(now);
      else
        return true;
    });
  }
  bool wake_at(Tick now, Tick& at) {
    return visit([&](auto& source) { return source.wake_at(now, at); });
  }
  std::uint32_t missed() {
    return visit([&](auto& source) -> std::uint32_t {
      if constexpr (requires { source.missed(); })
        return source.missed();
      else
        return 0;
    });
  }
};

/// Of the deadlines that were missed.
struct MissLog {
  std::vector<std::pair<ServiceId, std::uint64_t>>* missed = nullptr;
  template <class Tick>
  void operator()(const Event<Tick>& event, Tick) const {
    missed->push_back({event.service, event.deadline});
  }
};

/// What a record must have, from the runs.
template <class Record>
std::string compare_record(const Record& record, unsigned service, const std::vector<Run>& runs) {
  Record wanted;
  for (const Run& run : runs) {
    if (run.service != service) continue;
    const Time late = run.finish - run.deadline;
    ++wanted.runs;
    wanted.lateness_sum += late;
    wanted.least_lateness = static_cast<typename Record::Span>(std::min<Time>(wanted.least_lateness, late));
    wanted.greatest_lateness = static_cast<typename Record::Span>(std::max<Time>(wanted.greatest_lateness, late));
    wanted.longest_execution =
        std::max(wanted.longest_execution, static_cast<decltype(wanted.longest_execution)>(run.finish - run.start));
    wanted.execution_sum += static_cast<std::uint64_t>(run.finish - run.start);
    if (late > 0) ++wanted.misses;
    std::size_t bin = 0;
    while (bin < 7 && (Time{1} << bin) <= late) ++bin;
    ++wanted.histogram[bin];
  }
  const auto differs = [&](const char* what, auto found, auto right) {
    std::ostringstream out;
    out << what << " of service " << service << ": " << +found << " for " << +right;
    return out.str();
  };
  if (record.runs != wanted.runs) return differs("runs", record.runs, wanted.runs);
  if (record.misses != wanted.misses) return differs("misses", record.misses, wanted.misses);
  if (record.least_lateness != wanted.least_lateness)
    return differs("least lateness", record.least_lateness, wanted.least_lateness);
  if (record.greatest_lateness != wanted.greatest_lateness)
    return differs("greatest lateness", record.greatest_lateness, wanted.greatest_lateness);
  if (record.lateness_sum != wanted.lateness_sum) return differs("lateness", record.lateness_sum, wanted.lateness_sum);
  if (record.longest_execution != wanted.longest_execution)
    return differs("longest execution", record.longest_execution, wanted.longest_execution);
  if (record.execution_sum != wanted.execution_sum)
    return differs("executions", record.execution_sum, wanted.execution_sum);
  return record.histogram == wanted.histogram ? std::string() : "histogram of service " + std::to_string(service);
}

/// Runs until the end of a plan.
template <class Raw, class Tick>
struct Until {
  using Offers = offer::List<offer::WakeAt>;
  Raw& clock;
  Time end, turn;
  Signal signal(Tick) {
    const bool is_on = clock.time() < end;
    clock.advance(turn);
    return is_on ? Signal::run : Signal::finish;
  }
  bool wake_at(Tick now, Tick& at) const {
    const Time ahead = end - clock.time();
    if (ahead > static_cast<Time>(longest_span<Tick> / 2)) return false;
    at = now + static_cast<Tick>(ahead);
    return true;
  }
};

template <class TickType, bool has_budgets, std::size_t Capacity, class ClockType, class Sources, class Signals>
std::string run_scheduler(const Plan& plan, const Outcome& wanted, ClockType& clock, Sources& sources,
                          Signals& signals) {
  std::vector<Run> runs;
  std::array<unsigned, most_sources> ran{};
  auto& raw = signals.clock;
  const auto job = [&](unsigned service) {
    const Time start = raw.time();
    raw.advance(plan.takes(service, ran[service]++));
    runs.push_back({service, start, 0, raw.time()});
  };
  Services services(service<0>([&] { job(0); }), service<1>([&] { job(1); }), service<2>([&] { job(2); }),
                    service<3>([&] { job(3); }));
  std::vector<std::pair<ServiceId, std::uint64_t>> missed;
  constexpr SchedulerOptions options{.statistics = true, .budgets = has_budgets, .most_services = most_sources};
  Scheduler<ClockType, Capacity, options, MissLog, target::Generic> scheduler(clock, MissLog{&missed});
  if constexpr (has_budgets)
    for (unsigned service = 0; service < most_sources; ++service)
      if (!scheduler.budgets().set(service, {plan.budget[service].time, plan.budget[service].period}).ok())
        return "a budget was refused";
  if (scheduler.execute(signals, services, sources[0], sources[1], sources[2], sources[3]) != Finished::by_finish)
    return "it did not finish";

  std::ostringstream wrong;
  std::size_t late = 0;
  for (std::size_t run = 0; run < wanted.runs.size(); ++run) {
    const Run& right = wanted.runs[run];
    if (run >= runs.size() || runs[run].service != right.service || runs[run].start != right.start) {
      wrong << "run " << run << " is ";
      if (run < runs.size())
        wrong << runs[run].service << " at " << runs[run].start;
      else
        wrong << "none";
      wrong << " for " << right.service << " at " << right.start;
      return wrong.str();
    }
    if (right.finish <= right.deadline) continue;
    const auto deadline = static_cast<TickType>(plan.base + static_cast<std::uint64_t>(right.deadline));
    if (late == missed.size() ||
        missed[late] != std::pair{static_cast<ServiceId>(right.service), std::uint64_t{deadline}})
      return "the hook was not called for run " + std::to_string(run);
    ++late;
  }
  if (runs.size() != wanted.runs.size()) return "there are too many runs";
  if (late != missed.size()) return "the hook was called too often";
  const auto& counts = scheduler.counts();
  if (counts.run != runs.size() || counts.unknown != 0 || counts.dropped_at_exit != 0 || !scheduler.queue().empty())
    return "counts of the scheduler";
  std::uint32_t events = 0;
  for (unsigned at = 0; at < most_sources; ++at) {
    events += wanted.events[at];
    const auto differs = [&](const char* what, std::uint32_t found, std::uint32_t right) {
      if (found == right || !wrong.str().empty()) return;
      wrong << what << " of " << at << ": " << found << " for " << right;
    };
    auto& source = sources[at];
    differs("missed", source.missed(), wanted.missed[at]);
    if (source.sporadic) differs("deferred", source.sporadic->deferred(), wanted.deferred[at]);
    if (source.sporadic) differs("unstamped", source.sporadic->unstamped(), wanted.unstamped[at]);
    if (source.mailbox) differs("unstamped", source.mailbox->unstamped(), wanted.unstamped[at]);
    if (source.mailbox) differs("pending", source.mailbox->posted() - source.mailbox->pending(), wanted.events[at]);
    if constexpr (has_budgets) differs("postponed", scheduler.budgets().postponed(at), wanted.postponed[at]);
    if (wrong.str().empty()) wrong << compare_record(scheduler.statistics(at), at, wanted.runs);
    if (!wrong.str().empty()) return wrong.str();
  }
  return events == counts.run ? std::string() : "events that were made";
}

/// Follows a plan with both; what differs, or nothing. The outcome is the model's.
///
/// \tparam RawTick   of the clock that interrupts read
/// \tparam TickType  of the scheduler; 64 bits over 32 are a LongClock's
template <class RawTick, class TickType, std::size_t Capacity, std::size_t Depth, bool has_budgets>
std::string compare(Plan plan, Outcome& wanted) {
  using Raw = SteppedClock<RawTick>;
  constexpr bool is_long = !std::is_same_v<RawTick, TickType>;
  plan.base = static_cast<RawTick>(plan.base); // where a LongClock begins
  wanted = Model(plan, Capacity / most_sources, Depth,
                 {.stamp = static_cast<Time>(longest_span<RawTick> / 4),
                  .late = static_cast<Time>(longest_span<TickType> / 4),
                  .ahead = static_cast<Time>(longest_span<TickType> / 2),
                  .sleep = static_cast<Time>(longest_span<RawTick> - (is_long ? 0 : longest_span<RawTick> / 8))})
               .follow();

  // What is later than a clock can tell is nobody's promise. Our sources do not let it come so far.
  const bool has_list = std::any_of(plan.sources.begin(), plan.sources.end(),
                                    [](const Source& source) { return source.kind == Kind::list; });
  const auto furthest = static_cast<Time>(longest_span<TickType>);
  for (const Run& run : wanted.runs)
    if (run.finish - run.deadline > (has_list ? furthest / 4 : furthest)) {
      wanted = {};
      return {};
    }

  Raw raw(plan.base);
  for (unsigned at = 0; at < most_sources; ++at)
    if (is_posted(plan.sources[at].kind))
      for (const Time post : plan.sources[at].posts) raw.posts.push_back({post, at});
  std::stable_sort(raw.posts.begin(), raw.posts.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
  const auto source = [&](unsigned at) {
    return AnySource<RawTick, TickType, Depth>(plan.sources[at], raw, static_cast<TickType>(plan.base), plan.per_job);
  };
  std::array<AnySource<RawTick, TickType, Depth>, most_sources> sources{source(0), source(1), source(2), source(3)};
  auto interrupt = [&](unsigned at) { sources[at].post(); };
  raw.on_post(interrupt);
  Until<Raw, TickType> signals{raw, plan.end, plan.turn};
  if constexpr (is_long) {
    LongClock<Raw> clock(raw);
    return run_scheduler<TickType, has_budgets, Capacity>(plan, wanted, clock, sources, signals);
  } else {
    return run_scheduler<TickType, has_budgets, Capacity>(plan, wanted, raw, sources, signals);
  }
}

} // namespace schedule

#endif
