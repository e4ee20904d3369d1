// SPDX-License-Identifier: BSL-1.0
/// \file
/// The neurons of a population that are in their refractory period, by the step at which it ends.
#ifndef NEUROMORPH_KERNELS_NEURONS_REFRACTORY_QUEUE_HPP
#define NEUROMORPH_KERNELS_NEURONS_REFRACTORY_QUEUE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Neurons in their refractory period, the one that is first to leave it first. One entry per neuron is always enough.
struct RefractoryQueue {
  struct Entry {
    std::uint32_t due;    ///< step at whose beginning the neuron is reset, or put down again
    std::uint32_t neuron; ///< index in the population; in the upper half how often it is put down again before
  };
  std::span<Entry> entries;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  // Negated, because the sign of a sum is one instruction, that of a difference two.
  std::uint32_t minus_next_due = 0; ///< of the first entry; if there is none, far from any step to come
  std::uint32_t minus_last_due = 0; ///< of the last entry

  [[nodiscard]] constexpr bool holds(std::uint32_t neuron) const noexcept {
    for (std::uint32_t place = 0; place < count; ++place)
      if ((entries[wrapped(first + place)].neuron & 0xFFFF) == neuron) return true;
    return false;
  }

  [[nodiscard]] constexpr bool is_due(std::uint32_t step_number) const noexcept {
    return !is_negative(step_number + minus_next_due);
  }

  /// A full queue takes none, which can only happen where a model lets a neuron fire that is in it.
  constexpr void insert(std::uint32_t due, std::uint32_t neuron) noexcept {
    if (count >= entries.size()) [[unlikely]]
      return;
    // Periods of one length arrive in order.
    if (is_negative(due + minus_last_due)) [[unlikely]]
      return insert_before(due, neuron);
    Entry& entry = entries[wrapped(first + count)];
    entry.due = due;
    entry.neuron = neuron;
    minus_last_due = 0 - due;
    if (count == 0) minus_next_due = minus_last_due;
    ++count;
  }
  /// Takes the first entry away.
  constexpr void take(std::uint32_t step_number) noexcept {
    first = wrapped(first + 1);
    --count;
    look(step_number);
  }
  /// Takes a neuron out, wherever it stands, so that it waits no more.
  /// \cost a search through the queue: for what is set from outside, not in a step
  constexpr void remove(std::uint32_t neuron) noexcept {
    for (std::uint32_t place = 0; place < count; ++place) {
      const Entry found = entries[wrapped(first + place)];
      if ((found.neuron & 0xFFFF) != neuron) continue;
      --count;
      for (std::uint32_t later = place; later < count; ++later)
        entries[wrapped(first + later)] = entries[wrapped(first + later + 1)];
      if (count != 0) minus_last_due = 0 - entries[wrapped(first + count - 1)].due;
      minus_next_due = 0 - (count != 0 ? entries[first].due : found.due + (1U << 30));
      return;
    }
  }
  /// Finds out what is due next. An empty queue is looked at once in 2^30 steps.
  constexpr void look(std::uint32_t step_number) noexcept {
    minus_next_due = 0 - (count != 0 ? entries[first].due : step_number + (1U << 30));
  }

private:
  /// Steps wrap at 2^32.
  [[nodiscard]] static constexpr bool is_negative(std::uint32_t difference) noexcept {
    return static_cast<std::int32_t>(difference) < 0;
  }
  /// A shorter period than those before it, which it passes; or the first after a silence of half the range of steps.
  [[gnu::noinline]] constexpr void insert_before(std::uint32_t due, std::uint32_t neuron) noexcept {
    std::uint32_t place = wrapped(first + count++);
    const std::uint32_t last = place;
    while (place != first) {
      const std::uint32_t before = place == 0 ? static_cast<std::uint32_t>(entries.size()) - 1 : place - 1;
      if (!is_negative(due - entries[before].due)) break;
      entries[place] = entries[before];
      place = before;
    }
    entries[place] = {due, neuron};
    if (place == last) minus_last_due = 0 - due;
    minus_next_due = 0 - entries[first].due;
  }
  [[nodiscard]] constexpr std::uint32_t wrapped(std::uint32_t place) const noexcept {
    return place < entries.size() ? place : place - static_cast<std::uint32_t>(entries.size());
  }
};

/// A refractory period as a RefractoryQueue takes it.
struct RefractoryPeriod {
  std::uint32_t steps = 0; ///< until the neuron is reset, or put down again
  std::uint32_t again = 0; ///< 2^16 times how often it is put down again
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
