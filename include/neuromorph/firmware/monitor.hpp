// SPDX-License-Identifier: BSL-1.0
/// \file
/// How a core is doing, told to a host now and then: its counters, its services, who spikes how often.
///
///     firmware::Monitor monitor(clock, mailbox.writer<"mon ">());
///     monitor.announce(services, spikes);                               // names, once
///     monitor.report(core.provenance(executive), scheduler, spikes);    // in a service, once a second
///
/// `tools/monitor` shows it. See docs/monitor.md.
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_MONITOR_HPP
#define NEUROMORPH_FIRMWARE_MONITOR_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/core/provenance.hpp>
#include <neuromorph/firmware/channel.hpp>
#include <neuromorph/firmware/profiler.hpp>
#include <neuromorph/sched/clock.hpp>
#include <neuromorph/sched/executive.hpp>
#include <neuromorph/sched/scheduler.hpp>
#include <neuromorph/sched/service.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// What records of a monitor are. All counters are since the start, modulo 2^32; what has 64 bits has its low word first.
enum class MonitorKind : std::uint8_t {
  report = 1,   ///< token: its number; time in ticks since the start (64 bits). What came since the last one is of it
  service_name, ///< token: position; characters, four to a word, filled up with zeros
  population_name, ///< token: number; likewise
  core,            ///< token: place of the first word; words of a Provenance
  scheduler,       ///< events run, of unknown services, dropped at exit; sleeps
  service, ///< token: position; runs, misses, least and greatest lateness, their sum (64), longest run, sum of runs (64)
  executive, ///< steps, overruns, steps left out, furthest behind, due
  task,      ///< token: task; chunks, steps over budget, longest chunk, most of a step, all (64)
  spikes,    ///< token: population; how many
};

/// Spikes of populations, by name.
template <ProfileName... Names>
class SpikeCounts {
public:
  static constexpr std::uint32_t count = sizeof...(Names);
  using Tags = ProfileTags<Names...>;

  /// \param ends  behind the last neuron of each population, ascending: for `note`
  explicit constexpr SpikeCounts(const std::array<std::uint32_t, count>& ends = {}) noexcept : ends_(ends) {}

  /// A spike of a neuron; of one behind all populations it counts for the last.
  /// \cost O(populations)
  constexpr void note(std::uint32_t neuron) noexcept {
    std::uint32_t at = 0;
    while (at + 1 < count && neuron >= ends_[at]) ++at;
    ++counts_[at];
  }
  /// Spikes of a population.
  template <ProfileName Name>
  constexpr void add(std::uint32_t more) noexcept {
    counts_[Tags::template number<Name>()] += more;
  }
  /// \pre population < count
  [[nodiscard]] constexpr std::uint32_t of(std::uint32_t population) const noexcept { return counts_[population]; }

private:
  std::array<std::uint32_t, count> ends_, counts_{};
};

namespace detail {

template <ProfileName Name, class Callable>
struct NamedCall {
  [[no_unique_address]] Callable call;
  constexpr void operator()() { call(); }
};

/// The record of a service's name, if it has one.
template <class Given>
struct ServiceNameOf {
  template <class Writer>
  static bool tell(Writer&, std::uint32_t) noexcept {
    return true;
  }
};
template <ServiceId Id, ProfileName Name, class Callable>
struct ServiceNameOf<Service<Id, NamedCall<Name, Callable>>> {
  template <class Writer>
  static bool tell(Writer& writer, std::uint32_t position) noexcept {
    auto record = name_record<Name>(static_cast<std::uint32_t>(MonitorKind::service_name), 0);
    record[0] |= position << 16;
    return writer.write(std::span<const std::uint32_t>(record));
  }
};

template <class Signed>
[[nodiscard]] constexpr std::uint32_t clipped(Signed value) noexcept {
  if constexpr (sizeof(Signed) > 4) {
    using Narrow = std::conditional_t<std::is_signed_v<Signed>, std::int32_t, std::uint32_t>;
    constexpr Signed highest = std::is_signed_v<Signed> ? 0x7FFF'FFFF : 0xFFFF'FFFF;
    if (value > highest) return static_cast<std::uint32_t>(static_cast<Narrow>(highest));
    if (std::is_signed_v<Signed> && value < static_cast<Signed>(~highest)) return 0x8000'0000;
  }
  return static_cast<std::uint32_t>(value);
}

} // namespace detail

/// A service with a name that a monitor announces; else it is known by its position. The program is the same.
///
///     Services services(named<"neurons">(service<step>([&] { core.step(); })), ...);
template <ProfileName Name, ServiceId Id, class Callable>
[[nodiscard]] constexpr auto named(Service<Id, Callable> given) {
  return Service<Id, detail::NamedCall<Name, Callable>>{{std::move(given.call)}};
}

/// Writes reports. It only reads what it reports of, and keeps no figures but the time.
///
/// \tparam Clock   ClockSource, which is copied: empty, or a small value that says where it is
/// \tparam Writer  ChannelWriter, of a channel whose longest record has 15 words or more
template <class Clock, class Writer>
class Monitor {
  static_assert(neuromorph::detail::is_complete_clock<Clock>());

public:
  constexpr Monitor(Clock clock, Writer writer) noexcept : writer_(writer), clock_(clock) {}

  /// The names of Services and of SpikeCounts, in any order. A host that comes late waits for the next time.
  /// \return false if the channel had no room for all
  template <class... Named>
  bool announce(const Named&... given) noexcept {
    bool has_room = true;
    ((has_room &= announce_one(given)), ...);
    return has_room;
  }

  /// Each of a Provenance, a Scheduler, an Executive and SpikeCounts, in any order, then the time. Of a scheduler with
  /// statistics, each service that has run; of ticks of 64 bits, lateness and the longest run are held to 32.
  ///
  /// \return false if the channel had no room for all; what is missing is in the next one
  /// \cost   O(words): 41 of a Provenance, 5 of a scheduler and 10 of each service, 62 of an executive, 2 of each population
  template <class... Subjects>
  bool report(const Subjects&... subjects) noexcept {
    bool has_room = true;
    ((has_room &= tell(subjects)), ...);
    const std::uint64_t now = time();
    return write(MonitorKind::report, number_++ & 0xFFFF, now, now >> 32) && has_room;
  }

  /// Ticks since the start of the clock. With ticks of 32 bits it wants to be asked, or to report, once before they wrap.
  std::uint64_t time() noexcept {
    const auto now = clock_.now();
    if constexpr (sizeof(now) == 8)
      time_ = now;
    else
      time_ += static_cast<std::uint32_t>(now - static_cast<std::uint32_t>(time_));
    return time_;
  }

private:
  template <class... Words>
  bool write(MonitorKind kind, std::uint32_t token, Words... words) noexcept {
    return writer_.write(static_cast<std::uint32_t>(kind), token, words...);
  }

  template <class... Each>
  bool announce_one(const Services<Each...>&) noexcept {
    std::uint32_t position = 0;
    bool has_room = true;
    ((has_room &= detail::ServiceNameOf<Each>::tell(writer_, position++)), ...);
    return has_room;
  }
  template <ProfileName... Names>
  bool announce_one(const SpikeCounts<Names...>&) noexcept {
    std::uint32_t number = 0;
    bool has_room = true;
    const auto tell_name = [&](auto record) {
      record[0] |= number++ << 16;
      has_room &= writer_.write(std::span<const std::uint32_t>(record));
    };
    (tell_name(detail::name_record<Names>(static_cast<std::uint32_t>(MonitorKind::population_name), 0)), ...);
    return has_room;
  }
  template <class Other>
  bool announce_one(const Other&) noexcept {
    static_assert(neuromorph::detail::never<Other>,
                  "neuromorph: a monitor announces the names of Services and of SpikeCounts; see docs/monitor.md");
    return false;
  }

  bool tell(const Provenance& counts) noexcept {
    // tools/firmware/monitor.py has their names, in this order.
    const auto words = std::bit_cast<std::array<std::uint32_t, sizeof(Provenance) / 4>>(counts);
    constexpr std::uint32_t most = 15;
    bool has_room = true;
    for (std::uint32_t at = 0; at < words.size(); at += most) {
      const auto left = static_cast<std::uint32_t>(words.size()) - at, here = left < most ? left : most;
      std::uint32_t* to = writer_.begin(here);
      if (to == nullptr) {
        has_room = false;
        continue;
      }
      *to = head(static_cast<std::uint32_t>(MonitorKind::core), here, at);
      for (std::uint32_t word = 0; word < here; ++word) *++to = words[at + word];
      writer_.end(here);
    }
    return has_room;
  }
  template <class ClockType, std::size_t Capacity, SchedulerOptions Options, class OnMiss, class Target>
  bool tell(const Scheduler<ClockType, Capacity, Options, OnMiss, Target>& of) noexcept {
    const SchedulerCounts& counts = of.counts();
    bool has_room = write(MonitorKind::scheduler, 0, counts.run, counts.unknown, counts.dropped_at_exit, counts.sleeps);
    if constexpr (Options.statistics)
      for (std::uint32_t position = 0; position < Options.most_services; ++position)
        if (const auto& record = of.statistics(position); record.runs != 0) {
          const auto late = static_cast<std::uint64_t>(record.lateness_sum);
          has_room &=
              write(MonitorKind::service, position, record.runs, record.misses, detail::clipped(record.least_lateness),
                    detail::clipped(record.greatest_lateness), late, late >> 32,
                    detail::clipped(record.longest_execution), record.execution_sum, record.execution_sum >> 32);
        }
    return has_room;
  }
  template <class ClockType, class Tasks, Overrun Policy, class Target>
  bool tell(const Executive<ClockType, Tasks, Policy, Target>& of) noexcept {
    const ExecutiveCounts& counts = of.counts();
    bool has_room = write(MonitorKind::executive, 0, counts.steps, counts.overruns, counts.left_out,
                          counts.furthest_behind, of.due());
    for (std::uint32_t task = 0; task < 8; ++task) {
      const auto& record = of.record(static_cast<ExecutiveTask>(task));
      has_room &=
          write(MonitorKind::task, task, record.chunks, record.over_budget, detail::clipped(record.longest_chunk),
                detail::clipped(record.longest_step), record.total, record.total >> 32);
    }
    return has_room;
  }
  template <ProfileName... Names>
  bool tell(const SpikeCounts<Names...>& counts) noexcept {
    bool has_room = true;
    for (std::uint32_t population = 0; population < sizeof...(Names); ++population)
      has_room &= write(MonitorKind::spikes, population, counts.of(population));
    return has_room;
  }
  template <class Other>
  bool tell(const Other&) noexcept {
    static_assert(neuromorph::detail::never<Other>, "neuromorph: a monitor reports a Provenance, a Scheduler, an "
                                                    "Executive or SpikeCounts; see docs/monitor.md");
    return false;
  }

  Writer writer_;
  std::uint32_t number_ = 0;
  std::uint64_t time_ = 0;
  [[no_unique_address]] Clock clock_;
};

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
