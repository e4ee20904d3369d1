// SPDX-License-Identifier: BSL-1.0
/// \file
/// The fewest entries for a few items, proved by trying all orders of entries that can matter.
///
/// From the first entry on, what has been matched is nobody's concern any more; so to have matched more is never worse. An entry
/// that ends its route is taken at once where it can be, since its route needs one more in any case.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_EXACT_COVER_HPP
#define NEUROMORPH_MAPPING_DETAIL_EXACT_COVER_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/ternary_index.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

/// What an exact cover is asked for.
struct CoveredItem {
  KeyMask keys{};
  std::uint32_t group = 0; ///< its route, from 0; items of a group stand together
  bool is_needed = true;
};

/// Items of different groups have no keys in common.
class ExactCover {
public:
  static constexpr std::size_t most_items = 30, most_of_group = 14;
  using Set = std::uint32_t; ///< of items

  /// \param effort  how many states are looked at, at most
  /// \return whether the fewest are known
  /// \pre no more items than are possible
  bool make(std::span<const CoveredItem> items, std::uint64_t effort) {
    items_ = items, effort_ = effort, entries_.clear(), taken_.clear(), least_ = 0;
    count_groups();
    choose();
    Set needed = 0;
    for (std::size_t at = 0; at < items.size(); ++at) needed |= Set{items[at].is_needed} << at;
    needed_ = needed;
    memory_.assign(std::size_t{1} << 12, {});
    for (least_ = unfinished(0); least_ <= items.size(); ++least_) {
      if (look(0, static_cast<unsigned>(least_))) return true;
      if (effort_ == 0) return false; // all of fewer entries were tried
    }
    return false;
  }
  /// Fewer there cannot be.
  [[nodiscard]] std::size_t least() const noexcept { return least_; }
  /// Sets of items that share an entry, first entry first.
  [[nodiscard]] std::span<const Set> entries() const noexcept { return entries_; }

private:
  struct Choice {
    Set items = 0, others = 0; ///< that share an entry; of other groups, which must have been matched
  };

  /// That fewer entries than `past` are not enough when so much is matched.
  struct Tried {
    Set matched = 0;
    unsigned past = 0;
  };

  void count_groups() {
    first_.assign(1, 0);
    for (std::size_t at = 1; at <= items_.size(); ++at)
      if (at == items_.size() || items_[at].group != items_[at - 1].group) first_.push_back(at);
    if (items_.empty()) first_.clear();
  }
  [[nodiscard]] std::size_t groups() const noexcept { return first_.empty() ? 0 : first_.size() - 1; }
  [[nodiscard]] Set of_group(std::size_t group) const noexcept {
    return (Set{1} << first_[group + 1]) - (Set{1} << first_[group]);
  }
  /// All sets of items of a group that are all that there is of the group in one entry.
  void choose() {
    choices_.clear(), first_choice_.assign(1, 0);
    for (std::size_t group = 0; group < groups(); ++group) {
      const std::size_t from = first_[group], count = first_[group + 1] - from;
      for (Set chosen = 1; chosen < Set{1} << count; ++chosen) {
        KeyMask keys = items_[from + static_cast<std::size_t>(std::countr_zero(chosen))].keys;
        for (Set left = chosen; left != 0; left &= left - 1)
          keys = joined(keys, items_[from + static_cast<std::size_t>(std::countr_zero(left))].keys);
        Choice one{chosen << from, 0};
        bool is_whole = true;
        for (std::size_t at = 0; at < items_.size() && is_whole; ++at) {
          const bool is_own = at >= from && at < from + count;
          if (is_own)
            is_whole = (one.items >> at & 1) != 0 || !contains(keys, items_[at].keys);
          else if (overlap(keys, items_[at].keys))
            one.others |= Set{1} << at;
        }
        if (is_whole) choices_.push_back(one);
      }
      // Large ones first.
      std::sort(choices_.begin() + static_cast<std::ptrdiff_t>(first_choice_.back()), choices_.end(),
                [](const Choice& a, const Choice& b) {
                  const int more = std::popcount(a.items) - std::popcount(b.items);
                  return more != 0 ? more > 0 : a.items < b.items;
                });
      first_choice_.push_back(choices_.size());
    }
  }
  [[nodiscard]] std::size_t unfinished(Set matched) const noexcept {
    std::size_t count = 0;
    for (std::size_t group = 0; group < groups(); ++group) count += (of_group(group) & needed_ & ~matched) != 0;
    return count;
  }
  /// Whether all is matched with so many entries more.
  bool look(Set matched, unsigned left) {
    const std::size_t before = entries_.size();
    bool can_end = false;
    for (bool goes_on = true; goes_on;) {
      goes_on = can_end = false;
      for (std::size_t group = 0; group < groups() && !goes_on; ++group) {
        const Set all = of_group(group) & ~matched, open = all & needed_;
        if (open == 0) continue;
        for (std::size_t at = first_choice_[group]; at < first_choice_[group + 1] && !goes_on; ++at) {
          const Choice& one = choices_[at];
          if ((open & ~one.items) != 0 || (one.others & ~matched) != 0) continue;
          can_end = true;
          if ((all & ~one.items) != 0) continue; // it leaves one that another route may want
          if (left == 0) return entries_.resize(before), false;
          entries_.push_back(one.items);
          matched |= one.items, --left, goes_on = true;
        }
      }
    }
    const std::size_t open = unfinished(matched);
    if (open == 0) return true;
    // Where no entry ends a route now, the next one is of a route that needs two, or of none of those that are open.
    Tried& tried = memory_[(matched * 0x9E3779B1U) >> 20];
    if (left < open + (can_end ? 0 : 1) || effort_ == 0 || (tried.matched == matched && tried.past > left))
      return entries_.resize(before), false;
    --effort_;
    for (std::size_t group = 0; group < groups(); ++group) {
      const std::size_t first = taken_.size();
      for (std::size_t at = first_choice_[group]; at < first_choice_[group + 1]; ++at) {
        const Set gained = choices_[at].items & ~matched;
        if (gained == 0 || (choices_[at].others & ~matched) != 0) continue;
        bool is_less = false; // than what was tried
        for (std::size_t other = first; other < taken_.size() && !is_less; ++other)
          is_less = (gained & ~taken_[other]) == 0;
        if (is_less) continue;
        taken_.push_back(gained);
        entries_.push_back(choices_[at].items);
        if (look(matched | gained, left - 1)) return true;
        entries_.pop_back();
      }
      taken_.resize(first);
    }
    if (effort_ != 0) tried = {matched, left + 1};
    return entries_.resize(before), false;
  }

  std::span<const CoveredItem> items_ = {};
  std::uint64_t effort_ = 0;
  std::size_t least_ = 0;
  Set needed_ = 0;
  std::vector<std::size_t> first_ = {}, first_choice_ = {}; ///< [group], and one more
  std::vector<Choice> choices_ = {};
  std::vector<Set> entries_ = {}, taken_ = {};
  std::vector<Tried> memory_ = {};
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
