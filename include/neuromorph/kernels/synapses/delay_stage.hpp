// SPDX-License-Identifier: BSL-1.0
/// \file
/// Delays beyond the ring buffer's: spikes or rows that wait some steps before they are taken.
///
/// A row whose synapses have longer delays than the ring buffer has slots is taken later, by whole rounds of the ring, and
/// its words have what is left. Rows with an axonal delay, plastic ones too, wait here in the same way. A full stage
/// keeps what it has, and counts what comes.
#ifndef NEUROMORPH_KERNELS_SYNAPSES_DELAY_STAGE_HPP
#define NEUROMORPH_KERNELS_SYNAPSES_DELAY_STAGE_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// A delay as whole rounds of a ring buffer and what is left for a synaptic word.
struct StagedDelay {
  std::uint32_t steps = 0; ///< to wait before the row is taken: rounds of 2^delay_bits
  std::uint32_t delay = 0; ///< of the synaptic word, 1 to 2^delay_bits
  friend constexpr bool operator==(const StagedDelay&, const StagedDelay&) noexcept = default;
};

/// \tparam Format  row format
/// \param  delay   in steps, from 1; of 0 nothing is left, which `encode` refuses
template <class Format>
[[nodiscard]] constexpr StagedDelay staged_delay(std::uint32_t delay) noexcept {
  if (delay == 0) return {};
  const std::uint32_t steps = (delay - 1) >> Format::delay_bits << Format::delay_bits;
  return {steps, delay - steps};
}

/// For the loop, not for an interrupt.
///
/// \tparam Steps     2^n: nothing waits longer than Steps - 1
/// \tparam Capacity  most items that wait at once, up to 65535
/// \tparam Item      what waits: a spike's key, the number of a row, a small struct
/// Size: of an item its own and 2 bytes, of a step 4 bytes.
template <std::size_t Steps, std::size_t Capacity, class Item = std::uint32_t>
class DelayStage {
  static_assert(Steps >= 2 && Steps <= 65536 && (Steps & (Steps - 1)) == 0,
                "neuromorph: a DelayStage has a power of two of steps, 2 to 65536; see docs/synapses.md");
  static_assert(Capacity >= 1 && Capacity <= 65535,
                "neuromorph: a DelayStage has room for 1 to 65535 items; see docs/synapses.md");

public:
  struct Counts {
    std::uint32_t full = 0;       ///< items that found no room
    std::uint32_t too_long = 0;   ///< items that should have waited for longer than a stage keeps them
    std::uint32_t late = 0;       ///< items that were taken after their step
    std::uint32_t high_water = 0; ///< most items that waited at once
  };

  /// \param first_step  the first step number of which `take` will be asked
  constexpr explicit DelayStage(std::uint32_t first_step = 0) noexcept : step_(first_step) {
    for (std::uint16_t& head : heads_) head = none;
    for (std::size_t at = 0; at < Capacity; ++at)
      next_[at] = static_cast<std::uint16_t>(at + 1 < Capacity ? at + 1 : none);
  }

  /// Keeps an item until step `step_number + steps`: whether it is kept.
  /// \param step_number  the step that is under way: that of the last call of `take`, or of the next one
  /// \param steps        0 to Steps - 1, less by those of which `take` has not been asked yet
  /// \cost  O(1). ARM968E-S: benchmark `synapse/delay_stage/put`
  constexpr bool put(std::uint32_t step_number, std::uint32_t steps, const Item& item) noexcept {
    const std::uint32_t ahead = step_number - step_;
    if (ahead >= Steps || steps >= Steps - ahead) [[unlikely]] {
      ++counts_.too_long;
      return false;
    }
    if (free_ == none) [[unlikely]] {
      ++counts_.full;
      return false;
    }
    const std::uint16_t at = free_;
    free_ = next_[at];
    items_[at] = item;
    next_[at] = none;
    const std::size_t slot = (step_number + steps) % Steps;
    if (heads_[slot] == none)
      heads_[slot] = at;
    else
      next_[tails_[slot]] = at;
    tails_[slot] = at;
    if (++waiting_ > counts_.high_water) counts_.high_water = waiting_;
    return true;
  }

  /// The next item of step `step_number`, in the order in which they were put: whether there was one. Call it in each step
  /// until there is none. What steps that were left out should have taken comes first, and counts as late; for a step
  /// before the last one there is nothing.
  /// \cost  O(1), and O(1) for each step left out, at most Steps of them. ARM968E-S: benchmarks `synapse/delay_stage/take`,
  ///        `synapse/delay_stage/take_none`
  [[nodiscard]] constexpr bool take(std::uint32_t step_number, Item& item) noexcept {
    std::uint32_t behind = step_number - step_;
    if (behind >> 31 != 0) return false;
    while (heads_[step_ % Steps] == none) {
      if (behind == 0) return false;
      step_ = waiting_ == 0 ? step_number : step_ + 1;
      behind = step_number - step_;
    }
    std::uint16_t& head = heads_[step_ % Steps];
    const std::uint16_t at = head;
    item = items_[at];
    head = next_[at];
    next_[at] = free_;
    free_ = at;
    --waiting_;
    if (behind != 0) ++counts_.late;
    return true;
  }

  [[nodiscard]] constexpr std::uint32_t waiting() const noexcept { return waiting_; }
  [[nodiscard]] constexpr const Counts& counts() const noexcept { return counts_; }

private:
  static constexpr std::uint16_t none = 0xFFFF;

  std::uint32_t step_; // the step that is taken from: all before it are empty
  std::uint32_t waiting_ = 0;
  Counts counts_{};
  std::uint16_t free_ = 0;
  std::array<std::uint16_t, Steps> heads_{}, tails_{};
  std::array<std::uint16_t, Capacity> next_{};
  std::array<Item, Capacity> items_{};
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
