// SPDX-License-Identifier: BSL-1.0
/// \file
/// What stands between layers that is no row: delays, thresholds, and what reads a network out.
///
///     static layers::SpikeDelay<40, 3> delay{{1, 3, ...}};
///     const auto late = delay.step(spikes);
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_LAYERS_LINES_HPP
#define NEUROMORPH_KERNELS_LAYERS_LINES_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace layers {

/// Spikes come out again after a number of steps of each element's own, 0 to Longest (Delay).
/// Size: a bit for each element and step, a number for each element, and the list of spikes.
template <std::size_t Count, std::size_t Longest>
class SpikeDelay {
public:
  /// \param steps  [element], each at most Longest
  constexpr explicit SpikeDelay(const std::array<std::uint16_t, Count>& steps) noexcept : steps_(steps) {}
  /// \return elements that come out in this step, ascending, until the next one
  constexpr std::span<const std::uint32_t> step(std::span<const std::uint32_t> spikes) noexcept {
    for (const std::uint32_t one : spikes) {
      std::size_t slot = now_ + steps_[one];
      if (slot > Longest) slot -= Longest + 1;
      waiting_[slot][one / 32] |= std::uint32_t{1} << one % 32;
    }
    std::size_t count = 0;
    for (std::uint32_t word = 0; word < words; ++word) {
      for (std::uint32_t bits = waiting_[now_][word]; bits != 0; bits &= bits - 1)
        spikes_[count++] = 32 * word + static_cast<std::uint32_t>(std::countr_zero(bits));
      waiting_[now_][word] = 0;
    }
    now_ = now_ == Longest ? 0 : now_ + 1;
    return std::span<const std::uint32_t>(spikes_).first(count);
  }
  constexpr void reset() noexcept { waiting_ = {}, now_ = 0; }

private:
  static constexpr std::uint32_t words = (Count + 31) / 32;
  std::array<std::uint16_t, Count> steps_;
  std::array<std::array<std::uint32_t, words>, Longest + 1> waiting_{};
  std::array<std::uint32_t, Count> spikes_{};
  std::size_t now_ = 0;
};

/// The same of values, which are 0 before the first one comes out.
template <std::size_t Count, std::size_t Longest>
class ValueDelay {
public:
  constexpr explicit ValueDelay(const std::array<std::uint16_t, Count>& steps) noexcept : steps_(steps) {}
  constexpr std::span<const std::int32_t, Count> step(std::span<const std::int32_t, Count> values) noexcept {
    for (std::size_t at = 0; at < Count; ++at) past_[now_][at] = values[at];
    for (std::size_t at = 0; at < Count; ++at) {
      const std::size_t back = steps_[at];
      out_[at] = past_[now_ >= back ? now_ - back : now_ + Longest + 1 - back][at];
    }
    now_ = now_ == Longest ? 0 : now_ + 1;
    return out_;
  }
  constexpr void reset() noexcept { past_ = {}, now_ = 0; }

private:
  std::array<std::uint16_t, Count> steps_;
  std::array<std::array<std::int32_t, Count>, Longest + 1> past_{};
  std::array<std::int32_t, Count> out_{};
  std::size_t now_ = 0;
};

/// Elements whose value exceeds their threshold (Threshold).
/// \param list  [values] gets them
template <std::size_t Count>
constexpr std::span<const std::uint32_t> above(std::span<const std::int32_t, Count> values,
                                               const std::array<std::int32_t, Count>& thresholds,
                                               std::array<std::uint32_t, Count>& list) noexcept {
  std::size_t count = 0;
  for (std::uint32_t at = 0; at < Count; ++at)
    if (values[at] > thresholds[at]) list[count++] = at;
  return std::span<const std::uint32_t>(list).first(count);
}

/// Spikes of each element since the last reset, and the step of its first one: what a class is read from.
template <std::size_t Count>
class Readout {
public:
  static constexpr std::uint32_t never = 0xFFFFFFFF;
  constexpr void step(std::span<const std::uint32_t> spikes) noexcept {
    for (const std::uint32_t one : spikes) {
      if (counts_[one]++ == 0) firsts_[one] = steps_;
    }
    ++steps_;
  }
  constexpr void reset() noexcept { *this = {}; }
  [[nodiscard]] constexpr const std::array<std::uint32_t, Count>& counts() const noexcept { return counts_; }
  [[nodiscard]] constexpr std::uint32_t first(std::size_t of) const noexcept {
    return counts_[of] == 0 ? never : firsts_[of];
  }
  /// The element with the most spikes, of several the lowest.
  [[nodiscard]] constexpr std::size_t most() const noexcept {
    std::size_t best = 0;
    for (std::size_t at = 1; at < Count; ++at)
      if (counts_[at] > counts_[best]) best = at;
    return best;
  }
  /// The element that fired first, of several the one with the most spikes, of these the lowest; 0 if none did.
  [[nodiscard]] constexpr std::size_t earliest() const noexcept {
    std::size_t best = 0;
    for (std::size_t at = 1; at < Count; ++at)
      if (first(at) < first(best) || (first(at) == first(best) && counts_[at] > counts_[best])) best = at;
    return best;
  }

private:
  std::array<std::uint32_t, Count> counts_{}, firsts_{};
  std::uint32_t steps_ = 0;
};
/// The element with the largest value, of several the lowest: of membranes that only read out.
template <std::size_t Count>
[[nodiscard]] constexpr std::size_t largest(std::span<const std::int32_t, Count> values) noexcept {
  std::size_t best = 0;
  for (std::size_t at = 1; at < Count; ++at)
    if (values[at] > values[best]) best = at;
  return best;
}

} // namespace layers
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
