// SPDX-License-Identifier: BSL-1.0
/// \file
/// The loops that run a rule over the vectors of a mask.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_DETAIL_RULE_LOOPS_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_DETAIL_RULE_LOOPS_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/vec.hpp>
#include <neuromorph/vector_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

namespace offer {
/// `using Target`, of a rule: the backend whose vectors and masks it uses; target::Native otherwise.
struct RuleTarget {
  int Target;
  template <class Part>
  static auto find() -> decltype(&Part::Target);
};
/// `Status check() const`, of a rule: asked before each run, which it can refuse.
struct RuleCheck {
  int check;
  template <class Part>
  static auto find() -> decltype(&Part::check);
};
} // namespace offer

namespace detail {

/// The backend whose masks a rule takes: its member type `Target`, else the native one.
template <class Rule>
struct TargetOfRule {
  using Type = target::Native;
};
template <class Rule>
concept HasTarget = requires {
  typename Rule::Target;
};
template <class Rule>
requires(offers<Rule, offer::RuleTarget>&& HasTarget<Rule>) struct TargetOfRule<Rule> {
  using Type = typename Rule::Target;
};
template <class Rule>
using RuleTarget = typename TargetOfRule<Rule>::Type;

template <class Rule>
concept SaysVectorsAtOnce = requires {
  std::integral_constant<std::size_t, Rule::vectors_at_once>{};
};
/// How many vectors a rule takes at once where their addresses are consecutive: what it says, else one.
template <class Rule>
inline constexpr std::size_t at_once = 1;
template <class Rule>
requires(offers<Rule, offer::VectorsAtOnce>&& SaysVectorsAtOnce<Rule>) inline constexpr std::size_t at_once<Rule> =
    Rule::vectors_at_once;

template <class Rule>
concept HasCheck = offers<Rule, offer::RuleCheck> && requires(const Rule& rule) {
  { rule.check() } -> std::same_as<Status>;
};
/// Says where a rule offers something else than it has.
template <class Rule>
consteval bool offers_what_a_rule_has() {
  static_assert(says_offers<Rule>, "neuromorph: Rule lacks 'using Offers', an offer::List of what it has of "
                                   "'RuleTarget', 'RuleCheck' and 'VectorsAtOnce'; see docs/rules.md");
  static_assert(is_said<Rule, offer::RuleTarget>(),
                "neuromorph: Rule has 'Target', and its 'Offers' lacks 'offer::RuleTarget'; see docs/rules.md");
  static_assert(is_said<Rule, offer::RuleCheck>(),
                "neuromorph: Rule has 'check', and its 'Offers' lacks 'offer::RuleCheck'; see docs/rules.md");
  static_assert(is_said<Rule, offer::VectorsAtOnce>(),
                "neuromorph: Rule has 'vectors_at_once', and its 'Offers' lacks 'offer::VectorsAtOnce'; see "
                "docs/rules.md");
  static_assert(!offers<Rule, offer::RuleTarget> || HasTarget<Rule>,
                "neuromorph: Rule offers 'RuleTarget' and lacks 'using Target', a backend; see docs/rules.md");
  static_assert(!offers<Rule, offer::RuleCheck> || HasCheck<Rule>,
                "neuromorph: Rule offers 'RuleCheck' and lacks 'Status check() const'; see docs/rules.md");
  static_assert(!offers<Rule, offer::VectorsAtOnce> || SaysVectorsAtOnce<Rule>,
                "neuromorph: Rule offers 'VectorsAtOnce' and lacks 'static constexpr std::size_t vectors_at_once'; see "
                "docs/rules.md");
  return true;
}

template <class Rule, std::size_t Count>
using RuleMask = LaneFlags<std::uint8_t, RuleTarget<Rule>, Count>;
template <class Rule, std::size_t Count>
using RuleBytes = Vec<std::uint8_t, RuleTarget<Rule>, Count>;

/// A copy of a rule, put back at the end: one that stays in registers, since stores to the bytes of a vector could
/// change any object that others can see. A rule that cannot be copied trivially is used itself.
template <class Rule>
class Working {
public:
  constexpr explicit Working(Rule& original) noexcept : original_(original), copy_(original) {}
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;
  constexpr ~Working() { original_ = copy_; }
  [[nodiscard]] constexpr Rule& rule() noexcept { return copy_; }

private:
  Rule& original_;
  Rule copy_;
};
template <class Rule>
requires(!std::is_trivially_copyable_v<Rule>) class Working<Rule> {
public:
  constexpr explicit Working(Rule& original) noexcept : original_(original) {}
  [[nodiscard]] constexpr Rule& rule() noexcept { return original_; }

private:
  Rule& original_;
};

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

/// Whether the first so many addresses are consecutive.
template <class Address>
[[nodiscard]] constexpr bool reaches(const Address* list, std::size_t length) noexcept {
  return VectorAddress{list[length - 1]} - list[0] == length - 1;
}
/// The longest stretch of consecutive addresses from `list[0]` on, found in steps; the list ascends.
template <class Address>
[[nodiscard]] constexpr std::size_t consecutive(const Address* list, std::size_t length) noexcept {
  if (length == 1 || !reaches(list, 2)) return 1;
  if (reaches(list, length)) return length;
  std::size_t found = 2;
  for (std::size_t step = 16; step != 0; step /= 4)
    while (found + step <= length && reaches(list, found + step)) found += step;
  return found;
}

/// Tells the compiler that an address never wraps, so that it may go through memory with a pointer.
[[nodiscard, gnu::always_inline]] constexpr VectorAddress address_at(std::size_t at) noexcept {
  const auto address = static_cast<VectorAddress>(at);
  if (address != at) __builtin_unreachable();
  return address;
}

/// Vectors with consecutive addresses from `first` on, as many at once as the rule takes.
/// \param lanes_of  `lanes_of.operator()<Count>(at)` gives the mask of `Count` vectors from the `at`th on
template <class Rule, class LanesOf>
[[gnu::always_inline]] constexpr void apply_in_row(Rule& rule, VectorAddress first, VectorAddress count,
                                                   LanesOf lanes_of) {
  constexpr VectorAddress many{at_once<Rule>};
  std::size_t at = 0;
  if constexpr (many > 1)
    for (VectorAddress blocks = count / many; blocks != 0; --blocks, at += many)
      rule.vector_rule(lanes_of.template operator()<many>(at), address_at(first + at));
  for (VectorAddress left = many > 1 ? count % many : count; left != 0; --left, ++at)
    rule.vector_rule(lanes_of.template operator()<1>(at), address_at(first + at));
}

template <class Rule>
struct EveryLane {
  template <std::size_t Count>
  [[nodiscard, gnu::always_inline]] constexpr auto operator()(std::size_t) const noexcept {
    return AllLanes<RuleTarget<Rule>, Count>{};
  }
};
/// All lanes of `count` vectors from `first` on.
template <class Rule>
[[gnu::always_inline]] constexpr void apply_to_all(Rule& rule, VectorAddress first, VectorAddress count) {
  apply_in_row(rule, first, count, EveryLane<Rule>{});
}

template <class Rule, class Address>
[[gnu::always_inline]] constexpr void apply_full(Rule& rule, const Address* list, std::size_t length) {
  for (std::size_t at = 0; at != length;) {
    const std::size_t count = consecutive(list + at, length - at);
    apply_to_all(rule, list[at], static_cast<VectorAddress>(count));
    at += count;
  }
}

/// The masks in `words`, a bit for each lane.
template <class Rule>
struct BitLanes {
  const std::uint16_t* words;
  template <std::size_t Count>
  [[nodiscard, gnu::always_inline]] constexpr auto operator()(std::size_t at) const noexcept {
    std::uint64_t bits = 0;
    for (std::size_t which = 0; which < Count; ++which) bits |= std::uint64_t{words[at + which]} << 16 * which;
    return RuleMask<Rule, Count>::from_bits(bits);
  }
};
/// The masks in `bytes`, 16 of them for a vector, each 0xFF or 0.
template <class Rule>
struct KeptLanes {
  const std::uint8_t* bytes;
  template <std::size_t Count>
  [[nodiscard, gnu::always_inline]] constexpr auto operator()(std::size_t at) const noexcept {
    return RuleMask<Rule, Count>::from_lanes(RuleBytes<Rule, Count>::load(bytes + 16 * at));
  }
};

/// \tparam Storage  how a mask keeps the lanes of a vector: MaskBytes or MaskBits
/// \param  kept     one for each vector of the list
template <class Storage, class Rule, class Address>
[[gnu::always_inline]] constexpr void apply_partial(Rule& rule, const Address* list, std::size_t length,
                                                    const typename Storage::Lanes* kept) {
  for (std::size_t at = 0; at != length;) {
    const std::size_t count = consecutive(list + at, length - at);
    apply_in_row(rule, list[at], static_cast<VectorAddress>(count), Storage::template of_rule<Rule>(kept + at));
    at += count;
  }
}

/// As `apply_in_row`, without vectors that have no lane enabled, but for those beside others where several are taken at
/// once: four groups share a test, or two of more than two vectors. It costs as much as a rule of a few operations.
template <class Rule, class LanesOf>
[[gnu::always_inline]] constexpr void apply_where_any(Rule& rule, VectorAddress first, VectorAddress count,
                                                      LanesOf lanes_of) {
  constexpr VectorAddress many{at_once<Rule>};
  constexpr VectorAddress step = many > 2 ? 2 * many : many > 1 ? 4 * many : 1;
  std::size_t at = 0;
  if constexpr (many > 1)
    for (VectorAddress blocks = count / step; blocks != 0; --blocks, at += step) {
      const auto group = [&](std::size_t which) { return lanes_of.template operator()<many>(at + which * many); };
      const auto apply = [&](const auto& lanes, std::size_t which) {
        rule.vector_rule(lanes, address_at(first + at + which * many));
      };
      const auto lanes = group(0), next = group(1);
      if constexpr (step == 2 * many) {
        if (!(lanes | next).any()) continue;
        apply(lanes, 0), apply(next, 1);
      } else {
        const auto third = group(2), fourth = group(3);
        if (!((lanes | next) | (third | fourth)).any()) continue;
        apply(lanes, 0), apply(next, 1), apply(third, 2), apply(fourth, 3);
      }
    }
  for (VectorAddress left = count % step + (step == 1 ? count : 0); left != 0; --left, ++at)
    if (const auto lanes = lanes_of.template operator()<1>(at); lanes.any())
      rule.vector_rule(lanes, address_at(first + at));
}

/// The lanes whose byte of `tags` is `tag`.
template <class Rule>
struct TaggedLanes {
  const std::uint8_t* tags;
  std::uint8_t tag;
  template <std::size_t Count>
  [[nodiscard, gnu::always_inline]] constexpr auto operator()(std::size_t at) const noexcept {
    return RuleBytes<Rule, Count>::load(tags + 16 * at) == RuleBytes<Rule, Count>(tag);
  }
};

} // namespace detail
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
