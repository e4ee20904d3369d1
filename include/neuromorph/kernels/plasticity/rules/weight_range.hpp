// SPDX-License-Identifier: BSL-1.0
/// \file
/// Weights as bytes, held at both ends of a range, and counted where they are if the rule is asked to.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_RULES_WEIGHT_RANGE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_RULES_WEIGHT_RANGE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/overflow.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What a rule's weights stay within: by default the 6 bits of the hardware, at most all of a byte. `least` must not be
/// above `most`. A weight outside is moved to the nearest end when a rule changes it.
struct WeightRange {
  std::uint8_t least = 0;
  std::uint8_t most = 63;

  /// Weights, held in the range.
  template <class Target, std::size_t Count, class Lanes>
  [[nodiscard, gnu::always_inline]] constexpr Vec<std::uint8_t, Target, Count>
  held(const Vec<std::uint8_t, Target, Count>& weights, const Lanes&) const noexcept {
    using Bytes = Vec<std::uint8_t, Target, Count>;
    return clamp(weights, Bytes(least), Bytes(most));
  }
  /// Weights plus signed changes, held in the range.
  template <class Target, std::size_t Count, class Lanes>
  [[nodiscard, gnu::always_inline]] constexpr Vec<std::uint8_t, Target, Count>
  moved(const Vec<std::uint8_t, Target, Count>& weights, const Vec<std::int8_t, Target, Count>& changes,
        const Lanes& lanes) const noexcept {
    return held(sum(weights, changes), lanes);
  }

protected:
  /// Weights less 128 are signed bytes, whose saturating sum with a change ends where the byte does.
  template <class Target, std::size_t Count>
  [[nodiscard, gnu::always_inline]] static constexpr Vec<std::uint8_t, Target, Count>
  sum(const Vec<std::uint8_t, Target, Count>& weights, const Vec<std::int8_t, Target, Count>& changes) noexcept {
    const Vec<std::uint8_t, Target, Count> offset(0x80);
    return add_saturating((weights ^ offset).template as<std::int8_t>(), changes).template as<std::uint8_t>() ^ offset;
  }
};

/// The same, and counts each enabled weight that it held: whose sum with the change, or which itself, was outside.
struct CountedWeightRange : WeightRange {
  overflow::Counter saturations{};

  constexpr CountedWeightRange() noexcept = default;
  constexpr CountedWeightRange(std::uint8_t least_weight, std::uint8_t most_weight) noexcept
      : WeightRange{least_weight, most_weight} {}

  template <class Target, std::size_t Count, class Lanes>
  [[nodiscard, gnu::always_inline]] constexpr Vec<std::uint8_t, Target, Count>
  held(const Vec<std::uint8_t, Target, Count>& weights, const Lanes& lanes) noexcept {
    const auto inside = WeightRange::held(weights, lanes);
    count(lanes & (inside != weights));
    return inside;
  }
  template <class Target, std::size_t Count, class Lanes>
  [[nodiscard, gnu::always_inline]] constexpr Vec<std::uint8_t, Target, Count>
  moved(const Vec<std::uint8_t, Target, Count>& weights, const Vec<std::int8_t, Target, Count>& changes,
        const Lanes& lanes) noexcept {
    const auto whole = sum(weights, changes), inside = WeightRange::held(whole, lanes);
    // A sum that left the byte differs from itself modulo 2^8; one that left the range differs from what was held.
    count(lanes & ((whole != weights + changes.template as<std::uint8_t>()) | (inside != whole)));
    return inside;
  }

private:
  template <class Flags>
  [[gnu::always_inline]] constexpr void count(const Flags& outside) noexcept {
    if (!outside.any()) return;
    for (unsigned left = outside.count(); left != 0; --left) saturations.count_saturation();
  }
};

/// What rules take for their range: a WeightRange, or one of the user's own that counts in another way.
template <class Range>
concept HoldsWeights = requires(Range& range, const Vec<std::uint8_t, target::Generic>& weights,
                                const Vec<std::int8_t, target::Generic>& changes,
                                const LaneFlags<std::uint8_t, target::Generic>& lanes) {
  { range.held(weights, lanes) } -> std::same_as<Vec<std::uint8_t, target::Generic>>;
  { range.moved(weights, changes, lanes) } -> std::same_as<Vec<std::uint8_t, target::Generic>>;
};

namespace detail {
/// Says what the range of a rule lacks.
template <class Range>
consteval bool is_complete_range() {
  static_assert(
      HoldsWeights<Range>,
      "neuromorph: Range lacks 'held(weights, lanes)' or 'moved(weights, changes, lanes)'; see docs/rules.md");
  return true;
}
} // namespace detail

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
