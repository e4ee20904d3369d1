// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a plasticity rule is: something that changes the enabled lanes of one vector.
///
///     struct Increase {
///       nm::PlainVectors<> weights;
///       void vector_rule(const nm::MaskVector& mask, nm::VectorAddress address) {
///         weights.write(address, add_saturating(weights.read(address), nm::Vec<std::uint8_t>(3)), mask);
///       }
///     };
///
/// That is enough. What a rule may have besides, each by itself:
/// * `VectorAddress vectors() const`, how many vectors its memories have: masks are then checked against it.
/// * `void vector_rule(AllLanes<>, VectorAddress)`, called for vectors of which all lanes are enabled, which are then
/// not
///   masked. Most easily, `vector_rule` is one template for any `Lanes` that calls `read` and `write` of
///   vector_memory.hpp.
/// * `static constexpr std::size_t vectors_at_once`, if that template also takes masks of so many vectors with
/// consecutive
///   addresses. How vectors are grouped must then not matter to it.
/// * `using Target`, the backend whose vectors and masks it uses; target::Native otherwise.
/// docs/rules.md
#ifndef NEUROMORPH_VECTOR_RULE_HPP
#define NEUROMORPH_VECTOR_RULE_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/detail/rule_loops.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// \source Masking and Plasticity Rules, 2.2
template <class Rule>
concept VectorRule = requires(Rule& rule, const detail::RuleMask<Rule, 1>& mask, VectorAddress address) {
  rule.vector_rule(mask, address);
};

/// The fewest vectors of several memories: what `vectors()` of a rule on all of them answers.
template <VectorSource First, VectorSource... Rest>
[[nodiscard]] constexpr VectorAddress fewest_vectors(const First& first, const Rest&... rest) noexcept {
  VectorAddress fewest = first.vectors();
  ((fewest = rest.vectors() < fewest ? rest.vectors() : fewest), ...);
  return fewest;
}

namespace detail {

template <class Rule>
inline constexpr bool is_vector_rule = VectorRule<Rule>;

/// Whether the memories of a rule, if it says, have so many vectors.
template <class Rule>
[[nodiscard]] constexpr Status check_vectors(const Rule& rule, VectorAddress needed) noexcept {
  if constexpr (requires { rule.vectors(); })
    if (needed > rule.vectors()) return {Error::address_out_of_range, 0, std::int64_t{needed} - 1};
  return {};
}

} // namespace detail

/// Runs a rule on all lanes of `count` vectors from `first` on: no mask at all.
/// \errors address_out_of_range: value: the highest address
template <class Rule>
[[gnu::noinline, gnu::flatten]] constexpr Status apply_vector_rule(Rule& rule, VectorAddress first,
                                                                   VectorAddress count) {
  static_assert(VectorRule<Rule>,
                "neuromorph: Rule lacks 'void vector_rule(MaskVector const&, VectorAddress)'; see docs/rules.md");
  if (count > ~VectorAddress{0} - first) return {Error::address_out_of_range, 0, std::int64_t{first} + count - 1};
  if (const Status status = detail::check_vectors(rule, first + count); !status) return status;
  detail::Working working(rule);
  detail::apply_to_all(working.rule(), first, count);
  return {};
}

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
