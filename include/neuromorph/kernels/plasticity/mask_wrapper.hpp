// SPDX-License-Identifier: BSL-1.0
/// \file
/// A rule restricted to the lanes of a mask, as one object that is run.
///
///     nm::MaskWrapper potentiation(mask, Increase{weights});
///     nm::TaggedMaskWrapper depression(tags, 7, Decrease{weights}); // the lanes with tag 7
///     if (!potentiation.run() || !depression.run()) ...             // an address outside the array
#ifndef NEUROMORPH_KERNELS_PLASTICITY_MASK_WRAPPER_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_MASK_WRAPPER_HPP

#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/mask.hpp>
#include <neuromorph/kernels/plasticity/tagged_mask.hpp>
#include <neuromorph/kernels/plasticity/vector_rule.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// Owns the rule and refers to the mask, which must outlive it and may change between runs.
///
/// \tparam Rule      VectorRule
/// \tparam MaskType  Mask<...>
/// \source Masking and Plasticity Rules, 2.2.1
template <class Rule, class MaskType>
class MaskWrapper {
  static_assert(detail::is_complete_rule<Rule>());
  static_assert(
      !detail::is_result<MaskType>,
      "neuromorph: the mask is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md");

public:
  static constexpr bool changes_while_running = false; ///< the mask, as tags do

  template <class... Arguments>
  requires std::is_constructible_v<Rule, Arguments...>
  constexpr explicit MaskWrapper(const MaskType& restricted_to, Arguments&&... rule_arguments)
      : mask_(&restricted_to), rule_(std::forward<Arguments>(rule_arguments)...) {}
  /// Refused in words: a mask without a name.
  template <class... Arguments>
  constexpr explicit MaskWrapper(const MaskType&&, Arguments&&... rule_arguments)
      : mask_(nullptr), rule_(std::forward<Arguments>(rule_arguments)...) {
    static_assert(detail::never<Arguments...>,
                  "neuromorph: the wrapper would refer to a mask that is gone: name the mask; see docs/rules.md");
  }

  /// \errors address_out_of_range: address: the highest one of the mask, beyond the vectors of the rule, which has not
  ///         been run; what the rule's own `check` refuses
  constexpr Status run() {
    const Status status = check();
    if constexpr (VectorRule<Rule>)
      if (status) mask_->apply_vector_rule(rule_);
    return status;
  }
  /// What `run` would answer.
  /// \errors as `run`
  /// \cost O(1); O(log n) for a mask with unused room
  [[nodiscard]] constexpr Status check() const noexcept { return detail::check_rule(rule_, mask_->vectors_needed()); }

  [[nodiscard]] constexpr Rule& rule() noexcept { return rule_; }
  [[nodiscard]] constexpr const Rule& rule() const noexcept { return rule_; }
  /// Enabled lanes of one vector, and `visit(address, lanes)` for each.
  [[nodiscard]] constexpr LaneBits lanes(VectorAddress address) const noexcept { return mask_->lanes(address); }
  template <class Visit>
  constexpr void for_each_vector(Visit visit) const {
    mask_->for_each_vector(visit);
  }

private:
  const MaskType* mask_;
  [[no_unique_address]] Rule rule_;
};
template <class MaskType, class Rule>
MaskWrapper(const MaskType&, Rule) -> MaskWrapper<Rule, MaskType>;

/// The same for the lanes of a TaggedMask or CachedTaggedMask that have a tag when the rule is run.
///
/// \tparam Rule    VectorRule
/// \tparam Tagged  TaggedMask<...> or CachedTaggedMask<...>
template <class Rule, class Tagged>
class TaggedMaskWrapper {
  static_assert(detail::is_complete_rule<Rule>());
  static_assert(
      !detail::is_result<Tagged>,
      "neuromorph: the mask is a Result that nobody looked at: ask ok(), then pass value(); see docs/errors.md");

public:
  static constexpr bool changes_while_running = true;

  template <class... Arguments>
  requires std::is_constructible_v<Rule, Arguments...>
  constexpr TaggedMaskWrapper(const Tagged& restricted_to, std::uint8_t with_tag, Arguments&&... rule_arguments)
      : mask_(&restricted_to), rule_(std::forward<Arguments>(rule_arguments)...), tag_(with_tag) {}
  template <class... Arguments>
  constexpr TaggedMaskWrapper(const Tagged&&, std::uint8_t, Arguments&&... rule_arguments)
      : mask_(nullptr), rule_(std::forward<Arguments>(rule_arguments)...), tag_(0) {
    static_assert(detail::never<Arguments...>,
                  "neuromorph: the wrapper would refer to a mask that is gone: name the mask; see docs/rules.md");
  }

  /// As those of MaskWrapper.
  /// \errors as MaskWrapper::run
  constexpr Status run() {
    const Status status = check();
    if constexpr (VectorRule<Rule>)
      if (status) mask_->apply_vector_rule(rule_, tag_);
    return status;
  }
  [[nodiscard]] constexpr Status check() const noexcept { return detail::check_rule(rule_, Tagged::vectors_needed()); }
  [[nodiscard]] constexpr Rule& rule() noexcept { return rule_; }
  [[nodiscard]] constexpr const Rule& rule() const noexcept { return rule_; }
  [[nodiscard]] constexpr LaneBits lanes(VectorAddress address) const noexcept { return mask_->lanes(address, tag_); }
  template <class Visit>
  constexpr void for_each_vector(Visit visit) const {
    mask_->for_each_vector(tag_, visit);
  }

private:
  const Tagged* mask_;
  [[no_unique_address]] Rule rule_;
  std::uint8_t tag_;
};
template <class Tagged, class Rule>
TaggedMaskWrapper(const Tagged&, std::uint8_t, Rule) -> TaggedMaskWrapper<Rule, Tagged>;

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
