// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a core has counted: all that it did, and all that was lost, held, late or refused, by name.
// not in the umbrella: a part of core.hpp
#ifndef NEUROMORPH_CORE_PROVENANCE_HPP
#define NEUROMORPH_CORE_PROVENANCE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Since the start. What nothing went wrong in is zero from `spikes_dropped` on to the last but `most_waiting`.
struct Provenance {
  std::uint32_t steps = 0;           ///< that the neurons have made
  std::uint32_t spikes_received = 0; ///< those that were dropped not among them
  std::uint32_t spikes_sent = 0;
  std::uint32_t rows_processed = 0; ///< those that were flushed among them
  std::uint32_t rows_empty = 0;     ///< spikes whose row has no words
  std::uint32_t write_backs = 0;
  std::uint32_t flushes = 0;      ///< rows that were brought up to date without a spike
  std::uint32_t held_up = 0;      ///< spikes that waited for an earlier one of the same row
  std::uint32_t most_waiting = 0; ///< spikes at once

  std::uint32_t spikes_dropped = 0; ///< the queue was full
  std::uint32_t keys_unknown = 0, last_unknown_key = 0;
  std::uint32_t rows_not_found = 0,
                last_key_not_found = 0; ///< beyond the rows of its population, or not inside its words
  std::uint32_t rows_too_long = 0;      ///< for a buffer; left out
  std::uint32_t rows_wrong = 0;         ///< plastic rows that are no whole ones; left out
  std::uint32_t late_spikes = 0;       ///< that were not processed when the next step began, which had to wait for them
  std::uint32_t greatest_lateness = 0; ///< steps between the step of such a spike and the one that waited

  std::uint32_t ring_saturations = 0;   ///< sums of weights that were held
  std::uint32_t neuron_saturations = 0; ///< words of neurons, and their background, that were held
  std::uint32_t weights_held_at_highest = 0, weights_held_at_lowest = 0;
  std::uint32_t traces_held = 0;

  std::uint32_t history_truncated = 0;      ///< synapses for which the history may lack events
  std::uint32_t history_refused = 0;        ///< events for which it had no room, or that gave way to newer ones
  std::uint32_t history_expired_unread = 0; ///< where its liveness counts reads

  std::uint32_t recording_lost = 0; ///< steps that were not recorded, as the memory for it was full

  /// Of the executive.
  std::uint32_t overruns = 0, steps_left_out = 0, furthest_behind = 0;
  std::array<std::uint32_t, 8> over_budget{}; ///< steps, by task

  friend constexpr bool operator==(const Provenance&, const Provenance&) noexcept = default;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
