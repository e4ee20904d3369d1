// SPDX-License-Identifier: BSL-1.0
/// \file
/// The delay line of a core: for each coming step, receptor type and neuron, the sum of the weights that
/// arrive then.
///
/// A power-of-two number of slots, one per step of delay. The slot of a step is read and cleared when that
/// step's neurons are stepped, and is then the one for the longest delay. 32-bit elements are added without a check;
/// check_fan_in (synaptic_row.hpp) proves at load time that they need none. 16-bit elements take half the memory, stop
/// at the end of their range, and every such event is counted.
#ifndef NEUROMORPH_KERNELS_SYNAPSES_RING_BUFFER_HPP
#define NEUROMORPH_KERNELS_SYNAPSES_RING_BUFFER_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>
#include <neuromorph/overflow.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Elements of a ring buffer: int32_t, or saturating 16-bit ones, signed or not.
template <class Element>
concept RingElement =
    std::same_as<Element, std::int32_t> || std::same_as<Element, std::int16_t> || std::same_as<Element, std::uint16_t>;

/// \tparam Format   row format, which fixes the numbers of slots, types and neurons
/// \tparam Element  int32_t, int16_t or uint16_t
/// Size: 2^Format::address_bits elements.
template <class Format, class Element = std::int32_t>
class RingBuffer {
  static_assert(detail::HasRowFields<Format>, "neuromorph: Format is no row format; see docs/synapses.md");
  static_assert(detail::HasRowFunctions<Format> || !detail::HasRowFields<Format>,
                "neuromorph: Format is no row format; see docs/synapses.md");
  // In the place of a format that is refused another one, so that no more is said than that.
  using Row = std::conditional_t<RowFormat<Format>, Format, SynapticWord<8, 1, 4>>;
  static_assert(RingElement<Element>, "neuromorph: a ring buffer's Element is std::int32_t, std::int16_t or "
                                      "std::uint16_t; see docs/synapses.md");

public:
  static constexpr std::size_t slots = std::size_t{1} << Row::delay_bits;
  static constexpr std::size_t types = std::size_t{1} << Row::type_bits;
  static constexpr std::size_t neurons = std::size_t{1} << Row::index_bits;

  /// What arrives at `step_number` for one receptor type: one element per neuron. Whoever consumes it sets it to
  /// zero.
  [[nodiscard]] constexpr std::span<Element, neurons> slot(std::uint32_t step_number, std::size_t type) noexcept {
    const std::size_t first = (step_number & (slots - 1)) * types + (type & (types - 1));
    return std::span<Element, neurons>{elements_.data() + first * neurons, neurons};
  }

  /// Adds one weight at an address that the format computed; addresses wrap, so none is outside.
  constexpr void add(std::uint32_t address, std::int32_t weight) noexcept {
    Element& cell = elements_[address & Row::address_mask];
    if constexpr (sizeof(Element) == 4) {
      cell = static_cast<Element>(static_cast<std::uint32_t>(cell) + static_cast<std::uint32_t>(weight));
    } else {
      constexpr std::int32_t lowest = overflow::lowest<Element>;
      constexpr std::int32_t highest = overflow::highest<Element>;
      std::int32_t sum = cell + weight;
      if (sum < lowest || sum > highest) [[unlikely]] {
        sum = sum < lowest ? lowest : highest;
        ++saturations_;
      }
      cell = static_cast<Element>(sum);
    }
  }

  /// Events since the start whose sum was held at the end of the element's range (32-bit elements: always 0).
  [[nodiscard]] constexpr std::uint32_t saturations() const noexcept { return saturations_; }

  /// For whoever adds to the elements without `add`.
  constexpr void count_saturations(std::uint32_t events) noexcept { saturations_ += events; }

  [[nodiscard]] constexpr std::span<const Element> elements() const noexcept { return elements_; }
  [[nodiscard]] constexpr std::span<Element> elements() noexcept { return elements_; }

private:
  alignas(64) std::array<Element, std::size_t{1} << Row::address_bits> elements_{};
  std::uint32_t saturations_ = 0;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
