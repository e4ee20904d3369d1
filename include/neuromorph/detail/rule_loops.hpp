// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loops that run a rule over the vectors of a mask.
#ifndef NEUROMORPH_DETAIL_RULE_LOOPS_HPP
#define NEUROMORPH_DETAIL_RULE_LOOPS_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace detail {

/// The backend whose masks a rule takes: its member type `Target`, else the native one.
template <class Rule>
struct TargetOfRule {
  using Type = target::Native;
};
template <class Rule>
requires requires { typename Rule::Target; }
struct TargetOfRule<Rule> {
  using Type = typename Rule::Target;
};
template <class Rule>
using RuleTarget = typename TargetOfRule<Rule>::Type;

/// How many vectors a rule takes at once where their addresses are consecutive: what it says, else one.
template <class Rule>
inline constexpr std::size_t at_once = 1;
template <class Rule>
requires requires { Rule::vectors_at_once; }
inline constexpr std::size_t at_once<Rule> = Rule::vectors_at_once;

template <class Rule, std::size_t Count>
using RuleMask = LaneFlags<std::uint8_t, RuleTarget<Rule>, Count>;
template <class Rule, std::size_t Count>
using RuleBytes = Vec<std::uint8_t, RuleTarget<Rule>, Count>;

/// Runs `body` with a copy of the rule where that is possible: a rule in registers, since stores to the bytes of a
/// vector could change any object that others can see.
template <class Rule, class Body>
[[gnu::always_inline]] constexpr void with_copy(Rule& rule, Body body) {
  if constexpr (std::is_trivially_copyable_v<Rule>) {
    Rule working = rule;
    body(working);
    rule = working;
  } else {
    body(rule);
  }
}

/// Position of the first entry that is not below `address`, in a list that ascends.
template <class Address>
[[nodiscard]] constexpr std::size_t position(const Address* list, std::size_t length, VectorAddress address) noexcept {
  std::size_t begin = 0, end = length;
  while (begin < end) {
    const std::size_t middle = begin + (end - begin) / 2;
    if (list[middle] < address) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}
/// How many entries are in use.
template <class Address>
[[nodiscard]] constexpr std::size_t used(const Address* list, std::size_t capacity, Address unused) noexcept {
  if (capacity == 0 || list[capacity - 1] != unused) return capacity;
  return position(list, capacity, unused);
}

/// The longest stretch of consecutive addresses from `list[0]` on, found in steps; the list ascends.
template <class Address>
[[nodiscard]] constexpr std::size_t consecutive(const Address* list, std::size_t length) noexcept {
  const auto reaches = [list](std::size_t reached) {
    return VectorAddress{list[reached - 1]} - list[0] == reached - 1;
  };
  if (reaches(length)) return length;
  std::size_t found = 1;
  for (std::size_t step = 16; step != 0; step /= 4)
    while (found + step <= length && reaches(found + step)) found += step;
  return found;
}

/// All lanes of `count` vectors from `address` on.
template <class Rule>
[[gnu::always_inline]] constexpr void apply_to_all(Rule& rule, VectorAddress address, std::size_t count) {
  using Target = RuleTarget<Rule>;
  constexpr std::size_t many = at_once<Rule>;
  const VectorAddress end = address + static_cast<VectorAddress>(count);
  if constexpr (many > 1)
    for (; end - address >= many; address += many) rule.vector_rule(AllLanes<Target, many>{}, address);
  for (; address != end; ++address) rule.vector_rule(AllLanes<Target, 1>{}, address);
}

template <class Rule, class Address>
[[gnu::always_inline]] constexpr void apply_full(Rule& rule, const Address* list, std::size_t length) {
  for (std::size_t at = 0; at != length;) {
    const std::size_t count = consecutive(list + at, length - at);
    apply_to_all(rule, list[at], count);
    at += count;
  }
}

/// \param bytes_of  gives the 16 mask bytes of a position, 0xFF or 0 each; those of consecutive positions are adjacent
template <class Rule, class Address, class BytesOf>
[[gnu::always_inline]] constexpr void apply_partial(Rule& rule, const Address* list, std::size_t length,
                                                    BytesOf bytes_of) {
  constexpr std::size_t many = at_once<Rule>;
  std::size_t at = 0;
  const auto one = [&] {
    rule.vector_rule(RuleMask<Rule, 1>::from_lanes(RuleBytes<Rule, 1>::load(bytes_of(at))), VectorAddress{list[at]});
    ++at;
  };
  if constexpr (many > 1)
    while (at + many <= length) {
      if (VectorAddress{list[at + many - 1]} - list[at] == many - 1) {
        rule.vector_rule(RuleMask<Rule, many>::from_lanes(RuleBytes<Rule, many>::load(bytes_of(at))),
                         VectorAddress{list[at]});
        at += many;
      } else {
        one();
      }
    }
  while (at != length) one();
}

/// Vectors with consecutive addresses; `flags_of.operator()<Count>(at)` gives the masks of so many of them. Vectors
/// without a lane are left out.
template <VectorAddress First, class Rule, class FlagsOf>
[[gnu::always_inline]] constexpr void apply_where_any(Rule& rule, VectorAddress count, FlagsOf flags_of) {
  constexpr VectorAddress many = at_once<Rule>;
  VectorAddress at = 0;
  if constexpr (many > 1)
    for (; at + many <= count; at += many)
      if (const auto flags = flags_of.template operator()<many>(at); flags.any()) rule.vector_rule(flags, First + at);
  for (; at != count; ++at)
    if (const auto flags = flags_of.template operator()<1>(at); flags.any()) rule.vector_rule(flags, First + at);
}
/// Lanes whose byte of `tags` is `tag`.
template <VectorAddress First, class Rule>
[[gnu::always_inline]] constexpr void apply_tagged(Rule& rule, const std::uint8_t* tags, VectorAddress count,
                                                   std::uint8_t tag) {
  apply_where_any<First>(rule, count, [tags, tag]<std::size_t Count>(VectorAddress visited) {
    using Bytes = RuleBytes<Rule, Count>;
    return Bytes::load(tags + std::size_t{16} * visited) == Bytes(tag);
  });
}
/// Lanes whose byte of `masks` is 0xFF; the others are 0.
template <VectorAddress First, class Rule>
[[gnu::always_inline]] constexpr void apply_cached(Rule& rule, const std::uint8_t* masks, VectorAddress count) {
  apply_where_any<First>(rule, count, [masks]<std::size_t Count>(VectorAddress visited) {
    return RuleMask<Rule, Count>::from_lanes(RuleBytes<Rule, Count>::load(masks + std::size_t{16} * visited));
  });
}

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
