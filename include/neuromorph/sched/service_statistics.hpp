// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a scheduler notes about its services, if it is told to: how often, how late, how long.
#ifndef NEUROMORPH_SCHED_SERVICE_STATISTICS_HPP
#define NEUROMORPH_SCHED_SERVICE_STATISTICS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/sched/event.hpp>
#include <neuromorph/tick.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Of one service. Lateness is the time of finishing less the event's own deadline, whether or not a budget has put it
/// off: negative if there was time left.
template <TickCount Tick>
struct ServiceRecord {
  using Span = std::make_signed_t<Tick>;
  static constexpr std::size_t bins = 8;

  std::uint32_t runs = 0;   ///< wraps, as all counters do: 119 hours of 0.1 ms
  std::uint32_t misses = 0; ///< runs that finished after their deadline
  Span least_lateness = static_cast<Span>(longest_span<Tick>);
  Span greatest_lateness = -static_cast<Span>(longest_span<Tick>) - 1;
  std::int64_t lateness_sum = 0; ///< saturates
  Tick longest_execution = 0;
  std::uint64_t execution_sum = 0; ///< of all runs: over a time, the share of the processor
  /// Runs in time in bin 0; late by 1, 2..3, 4..7, ... ticks in the others, by 64 and more in the last.
  std::array<std::uint32_t, bins> histogram{};

  /// \pre runs > 0, and they have not wrapped.
  /// \cost a 64-bit division: not for a step
  [[nodiscard]] constexpr double mean_lateness() const noexcept { return static_cast<double>(lateness_sum) / runs; }
};

/// A ServiceRecord per service, 80 bytes with 32-bit ticks.
template <TickCount Tick, std::size_t Count>
struct ServiceStatistics {
  std::array<ServiceRecord<Tick>, Count> records{};

  constexpr void note(std::size_t position, Tick deadline, Tick started, Tick finished) noexcept {
    ServiceRecord<Tick>& record = records[position];
    const auto lateness = static_cast<typename ServiceRecord<Tick>::Span>(finished - deadline);
    ++record.runs;
    if (__builtin_add_overflow(record.lateness_sum, lateness, &record.lateness_sum)) // 64-bit ticks only
      record.lateness_sum = lateness < 0 ? INT64_MIN : INT64_MAX;
    if (lateness < record.least_lateness) record.least_lateness = lateness;
    if (lateness > record.greatest_lateness) record.greatest_lateness = lateness;
    const Tick execution = static_cast<Tick>(finished - started);
    if (execution > record.longest_execution) record.longest_execution = execution;
    record.execution_sum += execution;
    std::size_t bin = 0;
    if (lateness > 0) {
      ++record.misses;
      bin = static_cast<std::size_t>(std::bit_width(static_cast<Tick>(lateness)));
      if (bin >= record.histogram.size()) bin = record.histogram.size() - 1;
    }
    ++record.histogram[bin];
  }
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
