// SPDX-License-Identifier: BSL-1.0
/// \file
/// Several rules, each with its mask, run one after another as one object.
///
///     nm::RuleSequence plasticity(nm::MaskWrapper(left, Increase{weights}),
///                                 nm::MaskWrapper(right, Decrease{weights}));
///     if (!plasticity.run()) ... // masks that share a synapse, or reach outside the array
#ifndef NEUROMORPH_KERNELS_PLASTICITY_RULE_SEQUENCE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_RULE_SEQUENCE_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/mask_wrapper.hpp>
#include <neuromorph/kernels/plasticity/synapse_set.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Says that masks of a sequence may share synapses: what the later rule leaves there counts.
struct LaterWins {};
inline constexpr LaterWins later_wins;

namespace detail {

// Not `constexpr`: the compiler names it where it makes a sequence whose masks overlap.
inline void masks_of_one_sequence_share_a_synapse_say_later_wins_or_mend_them() noexcept {}

template <std::size_t Position, class Wrapped>
struct RuleSlot {
  Wrapped wrapped;
};
template <std::size_t Position, class Wrapped>
[[nodiscard]] constexpr Wrapped& rule_at(RuleSlot<Position, Wrapped>& slot) noexcept {
  return slot.wrapped;
}
template <std::size_t Position, class Wrapped>
[[nodiscard]] constexpr const Wrapped& rule_at(const RuleSlot<Position, Wrapped>& slot) noexcept {
  return slot.wrapped;
}
template <class Positions, class... Wrapped>
struct RuleSlots;
template <std::size_t... Position, class... Wrapped>
struct RuleSlots<std::index_sequence<Position...>, Wrapped...> : RuleSlot<Position, Wrapped>... {};
template <std::size_t Position, class... Wrapped>
using WrappedAt = std::remove_cvref_t<decltype(rule_at<Position>(
    std::declval<RuleSlots<std::index_sequence_for<Wrapped...>, Wrapped...>&>()))>;

} // namespace detail

/// The first vector of which both enable a lane, in the order in which the one visits its own.
struct MaskOverlap {
  bool found = false;
  VectorAddress address = 0; ///< 0 if none is found
};
/// \param one, other  MaskWrapper, TaggedMaskWrapper or Mask
/// \cost O(n log n) in the vectors of the masks
template <class One, class Other>
[[nodiscard]] constexpr MaskOverlap find_overlap(const One& one, const Other& other) {
  MaskOverlap overlap;
  one.for_each_vector([&](VectorAddress visited, LaneBits visited_lanes) {
    if (!overlap.found && (visited_lanes & other.lanes(visited)) != 0) overlap = {true, visited};
  });
  return overlap;
}
/// Whether no synapse is in both.
template <std::size_t Full, std::size_t Partial, class Address, class Storage, std::size_t OtherFull,
          std::size_t OtherPartial, class OtherAddress, class OtherStorage>
[[nodiscard]] constexpr bool disjoint(const Mask<Full, Partial, Address, Storage>& a,
                                      const Mask<OtherFull, OtherPartial, OtherAddress, OtherStorage>& b) {
  return !find_overlap(a, b).found;
}

/// \tparam Wrapped  MaskWrapper and TaggedMaskWrapper, in the order in which they are run
///
/// Masks must not overlap, unless the first argument is `later_wins`. They are compared when the sequence is made; one
/// that is made by the compiler (`constinit`) is refused by it, but for tags, which are compared at its first run.
/// After changing tags, `check_overlap` tells whether all is still well.
template <class... Wrapped>
class RuleSequence {
  using Positions = std::index_sequence_for<Wrapped...>;

public:
  constexpr explicit RuleSequence(Wrapped... wrapped) : rules_{{std::move(wrapped)}...} {
    if (std::is_constant_evaluated()) {
      if (!overlap_of_each<true>(Positions{}))
        detail::masks_of_one_sequence_share_a_synapse_say_later_wins_or_mend_them();
      compared_ = !(Wrapped::changes_while_running || ...);
    } else {
      overlap_ = check_overlap();
    }
  }
  constexpr explicit RuleSequence(LaterWins, Wrapped... wrapped) : rules_{{std::move(wrapped)}...} {}

  /// Runs all rules, or none of them.
  /// \errors masks_overlap, as `check_overlap` found them when the sequence was made, or at the first run of one made
  ///         by the compiler; address_out_of_range: address: the highest one of a mask; where: the position of its rule
  constexpr Status run() {
    if (!compared_) overlap_ = check_overlap(), compared_ = true;
    const Status status = check();
    if (status) run_each(Positions{});
    return status;
  }
  /// What `run` would answer.
  /// \errors as `run`
  [[nodiscard]] constexpr Status check() const {
    const Status overlap = compared_ ? overlap_ : check_overlap();
    return overlap ? check_each(Positions{}) : overlap;
  }
  /// Compares all masks as they are now.
  /// \errors masks_overlap: address: of a vector of which an earlier rule enables a lane, too; where: the position of
  ///         the later rule
  [[nodiscard]] constexpr Status check_overlap() const { return overlap_of_each<false>(Positions{}); }

  template <std::size_t Position>
  [[nodiscard]] constexpr auto& get() noexcept {
    return detail::rule_at<Position>(rules_);
  }
  template <std::size_t Position>
  [[nodiscard]] constexpr const auto& get() const noexcept {
    return detail::rule_at<Position>(rules_);
  }

private:
  template <std::size_t... Position>
  constexpr void run_each(std::index_sequence<Position...>) {
    ((void)detail::rule_at<Position>(rules_).run(), ...);
  }
  template <std::size_t... Position>
  [[nodiscard]] constexpr Status check_each(std::index_sequence<Position...>) const noexcept {
    Status status;
    (check_one<Position>(status), ...);
    return status;
  }
  template <std::size_t Position>
  constexpr void check_one(Status& status) const noexcept {
    if (!status) return;
    status = detail::rule_at<Position>(rules_).check();
    if (!status) status.where = Position;
  }
  template <bool FixedOnly, std::size_t... Later>
  [[nodiscard]] constexpr Status overlap_of_each(std::index_sequence<Later...>) const {
    Status status;
    (overlap_with_earlier<FixedOnly, Later>(status, std::make_index_sequence<Later>{}), ...);
    return status;
  }
  template <bool FixedOnly, std::size_t Later, std::size_t... Earlier>
  constexpr void overlap_with_earlier(Status& status, std::index_sequence<Earlier...>) const {
    (overlap_of_two<FixedOnly, Later, Earlier>(status), ...);
  }
  template <bool FixedOnly, std::size_t Later, std::size_t Earlier>
  constexpr void overlap_of_two(Status& status) const {
    using One = detail::WrappedAt<Later, Wrapped...>;
    using Other = detail::WrappedAt<Earlier, Wrapped...>;
    if constexpr (!FixedOnly || !(One::changes_while_running || Other::changes_while_running)) {
      if (!status) return;
      const MaskOverlap overlap = find_overlap(detail::rule_at<Later>(rules_), detail::rule_at<Earlier>(rules_));
      if (overlap.found) status = {Error::masks_overlap, static_cast<std::uint32_t>(Later), overlap.address, "address"};
    }
  }

  detail::RuleSlots<Positions, Wrapped...> rules_;
  Status overlap_;
  bool compared_ = true; // false: made by the compiler, with masks that it does not know
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
