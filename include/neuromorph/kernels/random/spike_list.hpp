// SPDX-License-Identifier: BSL-1.0
/// \file
/// Sources that fire at given steps.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_RANDOM_SPIKE_LIST_HPP
#define NEUROMORPH_KERNELS_RANDOM_SPIKE_LIST_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// When sources fire. Source s has steps[first[s]] to steps[first[s + 1] - 1], ascending. Used where it stands, for instance in
/// flash memory, and must stay there.
struct SpikeSteps {
  std::span<const std::uint32_t> steps;
  std::span<const std::uint32_t> first; ///< one more than there are sources
};

/// Plays SpikeSteps: in each step the sources that fire, by number, as a Population has it. PyNN's SpikeSourceArray.
///
/// A heap has the sources by their next spike, so that a step in which none fires is one comparison.
/// \tparam Sources  the most of them
/// Size: three words a source.
/// \cost O(log Sources) a spike; O(1) where there is none
template <std::size_t Sources>
class SpikeList {
public:
  /// Silent.
  constexpr SpikeList() noexcept = default;

  /// Begins to play. What was played before is forgotten, but not what was late. A list that is refused changes nothing.
  /// \errors lengths_differ: no `first`, or it does not end with the number of steps; buffer_full: more sources than Sources;
  ///         index_out_of_range: `first` descends or lies outside, `where` is the source; parameter_out_of_range: steps of
  ///         a source do not ascend, `where` is the place of the second one
  constexpr Status play(const SpikeSteps& given) noexcept {
    if (given.first.empty() || given.first.back() != given.steps.size())
      return {Error::lengths_differ, static_cast<std::uint32_t>(given.first.size()), given.steps.size(), "first"};
    const std::size_t sources = given.first.size() - 1;
    if (sources > Sources) return {Error::buffer_full, static_cast<std::uint32_t>(Sources), sources, "first"};
    for (std::uint32_t source = 0; source < sources; ++source) {
      const std::uint32_t begin = given.first[source], end = given.first[source + 1];
      if (begin > end || end > given.steps.size()) return {Error::index_out_of_range, source, begin, "first"};
      for (std::uint32_t at = begin + 1; at < end; ++at)
        if (given.steps[at] <= given.steps[at - 1])
          return {Error::parameter_out_of_range, at, given.steps[at], "steps"};
    }
    given_ = given;
    waiting_ = 0;
    for (std::uint32_t source = 0; source < sources; ++source) {
      at_[source] = given.first[source];
      if (at_[source] != given.first[source + 1]) rise(waiting_++, source);
    }
    return {};
  }

  /// The sources that fire in a step, ascending; valid until the next. Steps are asked for in their order; spikes of those that
  /// were left out are lost, and counted.
  constexpr std::span<const std::uint32_t> step(std::uint32_t step_number) noexcept {
    std::size_t count = 0;
    while (waiting_ != 0 && next_of(heap_[0]) <= step_number) {
      const std::uint32_t source = heap_[0];
      if (next_of(source) == step_number)
        spikes_[count++] = source; // once at most: its steps ascend
      else
        ++late_;
      if (++at_[source] != given_.first[source + 1])
        sink(source);
      else
        sink(heap_[--waiting_]);
    }
    return std::span<const std::uint32_t>{spikes_}.first(count);
  }

  /// Whether all has been played.
  [[nodiscard]] constexpr bool is_over() const noexcept { return waiting_ == 0; }
  /// Spikes whose step was not asked for, since the start.
  [[nodiscard]] constexpr std::uint32_t late() const noexcept { return late_; }

private:
  [[nodiscard]] constexpr std::uint32_t next_of(std::uint32_t source) const noexcept {
    return given_.steps[at_[source]];
  }
  /// Those of one step in the order of their numbers.
  [[nodiscard]] constexpr bool is_before(std::uint32_t one, std::uint32_t other) const noexcept {
    return next_of(one) != next_of(other) ? next_of(one) < next_of(other) : one < other;
  }
  /// Puts a source into the heap's last place, or above it.
  constexpr void rise(std::size_t place, std::uint32_t source) noexcept {
    for (; place != 0; place = (place - 1) / 2) {
      const std::uint32_t parent = heap_[(place - 1) / 2];
      if (is_before(parent, source)) break;
      heap_[place] = parent;
    }
    heap_[place] = source;
  }
  /// Puts a source into the heap's first place, or below it.
  constexpr void sink(std::uint32_t source) noexcept {
    std::size_t place = 0;
    for (;;) {
      std::size_t child = 2 * place + 1;
      if (child >= waiting_) break;
      if (child + 1 < waiting_ && is_before(heap_[child + 1], heap_[child])) ++child;
      if (is_before(source, heap_[child])) break;
      heap_[place] = heap_[child];
      place = child;
    }
    heap_[place] = source;
  }

  SpikeSteps given_{};
  std::array<std::uint32_t, Sources> at_{}, heap_{}, spikes_{};
  std::size_t waiting_ = 0; ///< sources that have spikes left: in the heap
  std::uint32_t late_ = 0;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
