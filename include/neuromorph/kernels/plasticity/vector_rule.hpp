// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a plasticity rule is: something that changes the enabled lanes of one vector.
///
///     struct Increase {
///       using Offers = nm::offer::List<>;
///       nm::PlainVectors<> weights;
///       nm::VectorAddress vectors() const { return weights.vectors(); }
///       void vector_rule(const nm::MaskVector& mask, nm::VectorAddress address) {
///         weights.write(address, add_saturating(weights.read(address), nm::Vec<std::uint8_t>(3)), mask);
///       }
///     };
///
/// That is enough: what it does to a vector, and how many vectors its memories have, against which masks are checked.
/// docs/rules.md says what a rule may have besides, and lists in its `Offers`.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_VECTOR_RULE_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_VECTOR_RULE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/detail/rule_loops.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace detail {

template <class Rule>
concept HasVectorRule = requires(Rule& rule, const RuleMask<Rule, 1>& mask, VectorAddress address) {
  rule.vector_rule(mask, address);
};
template <class Rule>
concept HasVectors = requires(const Rule& rule) {
  { rule.vectors() } -> std::convertible_to<VectorAddress>;
};

/// Says what a rule lacks.
template <class Rule>
consteval bool is_complete_rule() {
  static_assert(HasVectorRule<Rule>,
                "neuromorph: Rule lacks 'void vector_rule(MaskVector const&, VectorAddress)'; see docs/rules.md");
  static_assert(HasVectors<Rule>, "neuromorph: Rule lacks 'VectorAddress vectors() const', how far a mask may reach "
                                  "('unbounded_vectors': anywhere); see docs/rules.md");
  static_assert(offers_what_a_rule_has<Rule>());
  return true;
}

} // namespace detail

/// \source Masking and Plasticity Rules, 2.2
template <class Rule>
concept VectorRule = detail::HasVectorRule<Rule> && detail::HasVectors<Rule>;

/// The fewest vectors of several memories: what `vectors()` of a rule on all of them answers.
template <VectorSource First, VectorSource... Rest>
[[nodiscard]] constexpr VectorAddress fewest_vectors(const First& first, const Rest&... rest) noexcept {
  VectorAddress fewest = first.vectors();
  ((fewest = rest.vectors() < fewest ? rest.vectors() : fewest), ...);
  return fewest;
}

namespace detail {

/// Whether a rule can be run on so many vectors: its memories have them, and it does not refuse.
template <class Rule>
[[nodiscard]] constexpr Status check_rule(const Rule& rule, VectorAddress needed) noexcept {
  if constexpr (HasCheck<Rule>) {
    if (const Status status = rule.check(); !status) return status;
  }
  if constexpr (HasVectors<Rule>)
    if (needed > rule.vectors()) return {Error::address_out_of_range, 0, std::int64_t{needed} - 1, "address"};
  return {};
}

} // namespace detail

namespace detail {

/// In the place of a memory that is refused, so that no more is said than that.
template <class Element>
struct RefusedMemory : PlainVectors<Element> {
  template <class Given>
  constexpr RefusedMemory(const Given&) noexcept {}
};
template <class Memory, class Element, bool is_written>
[[nodiscard]] consteval bool is_memory_of() {
  if constexpr (is_written ? VectorMemory<Memory> : VectorSource<Memory>)
    return std::same_as<typename VecOf<decltype(std::declval<Memory&>().read(VectorAddress{}))>::Element, Element>;
  else
    return false;
}
/// Says what a memory of a rule is not.
template <class Memory, class Element, bool is_written>
struct RuleMemoryOf {
  static constexpr bool is_right = is_memory_of<Memory, Element, is_written>();
  using Type = std::conditional_t<is_right, Memory, RefusedMemory<Element>>;

  static constexpr bool is_memory = is_written ? VectorMemory<Memory> : VectorSource<Memory>;
  static_assert(!is_result<Memory>, "neuromorph: a memory of a rule is a Result that nobody looked at: ask ok(), then "
                                    "pass value(); see docs/errors.md");
  static_assert(is_memory || is_result<Memory>,
                "neuromorph: a rule works on vector memories: give it PlainVectors(array) of a VectorArray; see "
                "docs/rules.md");
  static_assert(is_right || !is_memory || std::same_as<Element, std::int8_t>,
                "neuromorph: a rule's weights, and what it measures, are std::uint8_t lanes; see docs/rules.md");
  static_assert(is_right || !is_memory || std::same_as<Element, std::uint8_t>,
                "neuromorph: the drive of a rule is std::int8_t lanes; see docs/rules.md");
};
/// What a rule reads and writes, and what it only reads.
template <class Memory, class Element = std::uint8_t>
using RuleMemory = typename RuleMemoryOf<Memory, Element, true>::Type;
template <class Memory, class Element = std::uint8_t>
using RuleSource = typename RuleMemoryOf<Memory, Element, false>::Type;

} // namespace detail

/// Runs a rule on all lanes of `count` vectors from `first` on: no mask at all.
/// \errors address_out_of_range: address: the highest one; what the rule's own `check` refuses
template <class Rule>
[[gnu::noinline, gnu::flatten]] constexpr Status apply_vector_rule(Rule& rule, VectorAddress first,
                                                                   VectorAddress count) {
  static_assert(detail::is_complete_rule<Rule>());
  if (count > ~VectorAddress{0} - first)
    return {Error::address_out_of_range, 0, std::int64_t{first} + count - 1, "address"};
  if (const Status status = detail::check_rule(rule, first + count); !status) return status;
  if constexpr (VectorRule<Rule>) {
    detail::Working working(rule);
    detail::apply_to_all(working.rule(), first, count);
    return {};
  } else {
    return {};
  }
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
