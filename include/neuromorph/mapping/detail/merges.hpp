// SPDX-License-Identifier: BSL-1.0
/// \file
/// Which items of a table share an entry, such that there is an order in which each key meets an entry of its route first.
///
/// An entry has the fewest bits fixed that its items have. Each entry of another route with an item in it must come before, unless
/// that item's keys in it are hidden. An item that is left out must be in none. So entries are a graph, and where it
/// has no cycle an order is there. Nothing else is asked: any table of single keys that does the same is one of these.
// host-only
#ifndef NEUROMORPH_MAPPING_DETAIL_MERGES_HPP
#define NEUROMORPH_MAPPING_DETAIL_MERGES_HPP

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/mapping/detail/draw.hpp>
#include <neuromorph/mapping/detail/table_items.hpp>
#include <neuromorph/mapping/detail/ternary_index.hpp>
#include <neuromorph/mapping/mapped.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace detail {

class Merges {
public:
  using Clock = std::chrono::steady_clock;

  /// Each needed item in an entry of its own.
  void make(const TableItems& table) {
    table_ = &table;
    const auto items = table.items();
    // Alone in its route and apart from all others, an item stands first and troubles nobody.
    items_.clear(), group_.clear(), groups_.clear(), alone_.clear();
    for (const TableItems::Group& group : table.groups()) {
      const std::uint32_t needed = group.needed_end - group.first;
      std::uint32_t at = group.first;
      if (needed == 1 && !table.overlaps()) alone_.push_back(at++);
      if (at == group.end) continue;
      const auto first = static_cast<std::uint32_t>(items_.size());
      const std::uint32_t needed_end = first + (group.needed_end > at ? group.needed_end - at : 0);
      for (; at < group.end; ++at) {
        items_.push_back(at);
        group_.push_back(static_cast<std::uint32_t>(groups_.size()));
      }
      groups_.push_back({first, needed_end, static_cast<std::uint32_t>(items_.size())});
    }
    keys_.clear();
    for (const std::uint32_t one : items_) keys_.push_back(items[one].keys);
    index_.make(keys_);
    words_ = index_.words();
    left_out_.assign(words_, 0), waiting_.assign(words_, 0), seen_.assign(words_, 0), found_.assign(words_, 0);
    target_.assign(words_, 0), best_.clear();
    for (const TableItems::Group& group : groups_)
      for (std::uint32_t at = group.needed_end; at < group.end; ++at) insert(left_out_.data(), at);
    separate();
  }
  /// Entries that are loaded.
  [[nodiscard]] std::size_t entries() const noexcept { return alone_.size() + count_; }

  /// Takes routes with few items first, and lets each item take those behind it that it can: what has been covered is nobody's
  /// concern any more.
  /// \param target  ends when there are no more entries than this
  void take_in_turn(std::size_t target) {
    std::vector<std::uint32_t>& order = order_;
    order.clear();
    std::size_t longest = 0;
    for (const TableItems::Group& group : groups_)
      longest = (std::max<std::size_t>)(longest, group.needed_end - group.first);
    std::vector<std::uint32_t>& begin = begin_;
    begin.assign(longest + 2, 0);
    for (const TableItems::Group& group : groups_) ++begin[group.needed_end - group.first + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    order.resize(groups_.size());
    for (std::uint32_t at = 0; at < groups_.size(); ++at)
      order[begin[groups_[at].needed_end - groups_[at].first]++] = at;
    for (const std::uint32_t number : order) {
      const TableItems::Group& group = groups_[number];
      for (std::uint32_t at = group.first; at < group.needed_end; ++at) {
        if (size_[entry_[at]] > 1 || entry_[at] != at) continue;
        std::uint32_t refused = 0;
        for (std::uint32_t other = at + 1; other < group.needed_end && refused < most_refused; ++other) {
          if (entries() <= target) return;
          if (entry_[other] == other && size_[other] == 1) refused += !move(other, at);
        }
      }
    }
  }

  /// Moves items at random between entries of their routes, at times into new ones, ever more seldom as moves, or the time, run out.
  /// \param least  ends when there are no more entries than this
  /// \return how many moves were tried
  std::uint64_t search(std::uint64_t moves, std::uint64_t seed, std::size_t least, Clock::time_point deadline) {
    find_partners();
    if (movable_.empty()) return 0;
    Draw draw(seed);
    best_ = entry_;
    std::size_t fewest = count_;
    std::uint64_t tried = 0;
    const Clock::time_point begin = Clock::now();
    const bool is_timed = deadline != (Clock::time_point::max)();
    std::uint64_t chance = 0;
    for (; tried < moves && alone_.size() + fewest > least; ++tried) {
      if (tried % 256 == 0) {
        double done = static_cast<double>(tried) / static_cast<double>(moves);
        if (is_timed) {
          const Clock::time_point now = Clock::now();
          if (now >= deadline) break;
          done = (std::max)(done, std::chrono::duration<double>(now - begin) / (deadline - begin));
        }
        chance = chance_out(done);
      }
      const std::uint32_t item = movable_[draw.below(static_cast<std::uint32_t>(movable_.size()))];
      if (size_[entry_[item]] > 1 && draw.bits() >> 32 < chance) {
        move_out(item);
        continue;
      }
      const std::uint32_t first = first_partner_[item];
      const std::uint32_t to = entry_[partners_[first + draw.below(first_partner_[item + 1] - first)]];
      if (to != entry_[item] && move(item, to) && count_ < fewest) fewest = count_, best_ = entry_;
    }
    if (count_ > fewest) restore();
    return tried;
  }

  /// What is loaded, in an order that does what the table did.
  void write(std::vector<TableEntry>& entries) {
    const auto items = table_->items();
    entries.clear();
    for (const std::uint32_t one : alone_) entries.push_back({items[one].keys, items[one].route, items[one].from});
    ++look_;
    for (std::uint32_t entry = 0; entry < items_.size(); ++entry) {
      if (head_[entry] == none || looked_[entry] == look_) continue;
      stack_.assign(1, entry);
      while (!stack_.empty()) { // an entry is written when all before it are, and is on the stack until then
        const std::uint32_t one = stack_.back();
        const std::size_t height = stack_.size();
        if (looked_[one] != look_)
          each(before(one), [&](std::uint32_t item) {
            if (looked_[entry_[item]] != look_) stack_.push_back(entry_[item]);
          });
        if (stack_.size() != height) continue;
        stack_.pop_back();
        if (looked_[one] == look_) continue;
        looked_[one] = look_;
        TableEntry written{cube_[one], items[items_[head_[one]]].route, 0};
        for (std::uint32_t at = head_[one]; at != none; at = next_[at]) written.from |= items[items_[at]].from;
        entries.push_back(written);
      }
    }
  }

private:
  static constexpr std::uint32_t most_partners = 128, most_refused = 256; ///< of an item
  /// Of 2^32: from 1 in 56, halved ten times.
  [[nodiscard]] static std::uint64_t chance_out(double done) noexcept {
    const auto part = static_cast<std::uint64_t>(done * 10240.0); // 1024 for a halving
    const std::uint64_t chance = (std::uint64_t{1} << 32) / 56 >> part / 1024;
    return chance - chance * (part % 1024) / 2048;
  }
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  void separate() {
    const auto count = static_cast<std::uint32_t>(items_.size());
    entry_.assign(count, none), next_.assign(count, none), head_.assign(count, none), size_.assign(count, 0);
    cube_.assign(keys_.begin(), keys_.end());
    before_.assign(count * words_, 0);
    free_.clear(), count_ = 0, look_ = 0;
    looked_.assign(count, 0);
    std::fill(waiting_.begin(), waiting_.end(), 0);
    for (std::uint32_t at = 0; at < count; ++at) {
      if (is_in(left_out_.data(), at)) continue;
      entry_[at] = at, head_[at] = at, size_[at] = 1, ++count_;
      if (table_->overlaps()) look(at);
    }
  }
  /// Items of other routes that are in a set of keys, and not hidden there.
  void find(const KeyMask& keys, std::uint32_t group, Bits* found) const {
    index_.find(keys, found);
    erase(found, groups_[group].first, groups_[group].end);
    if (table_->overlaps())
      each(found, [&](std::uint32_t item) {
        if (table_->is_hidden(keys, table_->items()[items_[item]])) erase(found, item);
      });
  }
  template <class Work>
  void each(const Bits* set, const Work& work) const {
    for (std::size_t word = 0; word < words_; ++word)
      for (Bits left = set[word]; left != 0; left &= left - 1)
        work(static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(left)));
  }
  [[nodiscard]] Bits* before(std::uint32_t entry) noexcept { return before_.data() + entry * words_; }
  /// Finds out what an entry is and what must come before it, when its items have changed.
  void look(std::uint32_t entry) {
    const std::uint32_t first = head_[entry];
    KeyMask keys = keys_[first];
    for (std::uint32_t at = next_[first]; at != none; at = next_[at]) keys = joined(keys, keys_[at]);
    cube_[entry] = keys;
    if (next_[first] == none && !table_->overlaps())
      std::fill_n(before(entry), words_, 0);
    else
      find(keys, group_[first], before(entry));
    mark(entry);
  }
  void mark(std::uint32_t entry) {
    const Bits* const set = before(entry);
    bool waits = false;
    for (std::size_t word = 0; word < words_; ++word) waits = waits || set[word] != 0;
    for (std::uint32_t at = head_[entry]; at != none; at = next_[at])
      waits ? insert(waiting_.data(), at) : erase(waiting_.data(), at);
  }
  void unlink(std::uint32_t item, std::uint32_t entry) {
    std::uint32_t* link = &head_[entry];
    while (*link != item) link = &next_[*link];
    *link = next_[item];
    --size_[entry];
  }
  void link(std::uint32_t item, std::uint32_t entry) {
    next_[item] = head_[entry], head_[entry] = item, entry_[item] = entry;
    ++size_[entry];
  }

  /// Moves an item into another entry of its route.
  /// \return whether there is an order then; else nothing has changed
  bool move(std::uint32_t item, std::uint32_t to) {
    const KeyMask keys = joined(cube_[to], keys_[item]);
    const std::uint32_t group = group_[item];
    Bits *const found = found_.data(), *const seen = seen_.data(), *const target = target_.data();
    find(keys, group, found);
    Bits waits = 0;
    for (std::size_t word = 0; word < words_; ++word) {
      if ((found[word] & left_out_[word]) != 0) return false;
      waits |= seen[word] = found[word] & waiting_[word];
    }
    if (waits != 0) {
      insert(target, item);
      for (std::uint32_t at = head_[to]; at != none; at = next_[at]) insert(target, at);
      const bool is_cycle = reaches(seen, target);
      erase(target, item);
      for (std::uint32_t at = head_[to]; at != none; at = next_[at]) erase(target, at);
      if (is_cycle) return false;
    }
    const std::uint32_t from = entry_[item];
    unlink(item, from);
    link(item, to);
    cube_[to] = keys;
    std::copy_n(found, words_, before(to));
    mark(to);
    if (head_[from] == none) {
      free_.push_back(from);
      --count_;
    } else {
      look(from);
    }
    return true;
  }
  /// Whether entries of items, or those that must come before them, must come after the target.
  /// \param seen  the items; afterwards all that were looked at
  [[nodiscard]] bool reaches(Bits* seen, const Bits* target) {
    stack_.clear(), ++look_;
    const auto push = [&](std::size_t word, Bits fresh) {
      for (; fresh != 0; fresh &= fresh - 1)
        stack_.push_back(static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(fresh)));
    };
    for (std::size_t word = 0; word < words_; ++word) push(word, seen[word]);
    while (!stack_.empty()) {
      const std::uint32_t entry = entry_[stack_.back()];
      stack_.pop_back();
      if (looked_[entry] == look_) continue;
      looked_[entry] = look_;
      const Bits* const earlier = before(entry);
      for (std::size_t word = 0; word < words_; ++word)
        if ((earlier[word] & target[word]) != 0) return true;
      for (std::size_t word = 0; word < words_; ++word) {
        const Bits fresh = earlier[word] & waiting_[word] & ~seen[word];
        seen[word] |= fresh;
        push(word, fresh);
      }
    }
    return false;
  }
  /// Gives an item an entry of its own, which is possible always.
  void move_out(std::uint32_t item) {
    const std::uint32_t from = entry_[item], to = free_.back();
    free_.pop_back();
    unlink(item, from);
    link(item, to);
    ++count_;
    look(to), look(from);
  }

  /// Items that an item could share an entry with, were there no others but those left out.
  void find_partners() {
    partners_.clear(), first_partner_.assign(1, 0), movable_.clear();
    for (std::uint32_t item = 0; item < items_.size(); ++item) {
      const TableItems::Group& group = groups_[group_[item]];
      if (item < group.needed_end)
        for (std::uint32_t ahead = 1; ahead < (std::min)(group.needed_end - group.first, most_partners); ++ahead) {
          const std::uint32_t other =
              item + ahead < group.needed_end ? item + ahead : item + ahead - group.needed_end + group.first;
          find(joined(keys_[item], keys_[other]), group_[item], found_.data());
          bool is_possible = true;
          for (std::size_t word = 0; word < words_; ++word)
            is_possible = is_possible && (found_[word] & left_out_[word]) == 0;
          if (is_possible) partners_.push_back(other);
        }
      if (partners_.size() > first_partner_.back()) movable_.push_back(item);
      first_partner_.push_back(static_cast<std::uint32_t>(partners_.size()));
    }
  }
  void restore() {
    const std::vector<std::uint32_t> kept = best_;
    separate();
    for (std::uint32_t item = 0; item < kept.size(); ++item)
      if (kept[item] != none && kept[item] != item) unlink(item, item), --count_;
    for (std::uint32_t item = 0; item < kept.size(); ++item)
      if (kept[item] != none && kept[item] != item) count_ += head_[kept[item]] == none, link(item, kept[item]);
    for (std::uint32_t entry = 0; entry < kept.size(); ++entry)
      if (head_[entry] != none)
        look(entry);
      else if (!is_in(left_out_.data(), entry))
        free_.push_back(entry);
  }

  const TableItems* table_ = nullptr;
  std::vector<std::uint32_t> alone_ = {}; ///< items of the table
  // Items here are numbers of those that are not alone.
  std::vector<std::uint32_t> items_ = {}, group_ = {}; ///< [item]: of the table; of its route
  std::vector<TableItems::Group> groups_ = {};
  std::vector<KeyMask> keys_ = {}; ///< [item]
  TernaryIndex index_ = {};
  std::size_t words_ = 0, count_ = 0;
  std::vector<Bits> left_out_ = {}, waiting_ = {}; ///< [item]: whether its entry has another before it
  std::vector<Bits> seen_ = {}, found_ = {}, target_ = {};
  std::vector<std::uint32_t> entry_ = {}, next_ = {}; ///< [item]: its entry; the next item of its entry
  std::vector<std::uint32_t> head_ = {}, size_ = {};  ///< [entry]: its first item; how many it has
  std::vector<KeyMask> cube_ = {};                    ///< [entry]
  std::vector<Bits> before_ = {};                     ///< [entry][item]: items whose entries must come before it
  std::vector<std::uint32_t> free_ = {}, best_ = {};
  std::vector<std::uint32_t> stack_ = {}, order_ = {}, begin_ = {};
  std::vector<std::uint64_t> looked_ = {}; ///< [entry]: when it was looked at last
  std::uint64_t look_ = 0;
  std::vector<std::uint32_t> partners_ = {}, first_partner_ = {}, movable_ = {};
};

} // namespace detail
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
