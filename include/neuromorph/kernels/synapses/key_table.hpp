// SPDX-License-Identifier: BSL-1.0
/// \file
/// From the key of a packet to what it means here: a table of keys and masks, searched by one product.
///
/// An entry covers the keys that are its own in the bits of its mask. The bits below are an index, such as the number of
/// a neuron in its population. What an entry leads to is yours. A key of no entry is counted. A directory of bytes says
/// which entry to look at; when the table is made, a multiplier is searched with which that is the right one. Where none
/// is found for all keys, the others take a binary search more.
#ifndef NEUROMORPH_KERNELS_SYNAPSES_KEY_TABLE_HPP
#define NEUROMORPH_KERNELS_SYNAPSES_KEY_TABLE_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// The keys from `key` to `key | ~mask`, and what they lead to.
template <class Payload>
struct KeyEntry {
  std::uint32_t key = 0;
  std::uint32_t mask = 0xFFFFFFFF; ///< ones, then zeros
  Payload payload{};
};

/// Keys that led nowhere.
struct LostKeys {
  std::uint32_t count = 0;
  std::uint32_t last = 0; ///< the key itself
};

/// \tparam Payload   what an entry leads to, a small value
/// \tparam Capacity  most entries, from 1
/// Size: of an entry 8 bytes and its payload; a directory of 8 to 16 bytes an entry, twice as many above 256 entries.
template <class Payload, std::size_t Capacity>
class KeyTable {
  static_assert(Capacity >= 1 && Capacity <= 65536,
                "neuromorph: a KeyTable has room for 1 to 65536 entries; see docs/synapses.md");

public:
  using Entry = KeyEntry<Payload>;

  /// What a key leads to; nothing where `payload` is null.
  struct Found {
    const Payload* payload;
    std::uint32_t index; ///< the bits of the key that are not in the mask
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return payload != nullptr; }
  };

  /// Finds nothing.
  constexpr KeyTable() noexcept = default;

  /// \param entries  [0 to Capacity] in any order
  /// \errors buffer_full: entries (`value`: how many they are); mask_has_holes, key_outside_mask (`where`: which entry,
  ///         `value`: its mask, its key); keys_overlap (`where`: the later one of two in `entries`, `value`: its key)
  /// \cost   O(entries^2), and up to 1024 trials of O(entries + directory) for each size of entries, once
  [[nodiscard]] static constexpr Result<KeyTable> from(std::span<const Entry> entries) noexcept {
    if (entries.size() > Capacity) return Status{Error::buffer_full, 0, entries.size(), "entries"};
    KeyTable table;
    for (std::size_t at = 0; at < entries.size(); ++at) {
      const Entry& entry = entries[at];
      const auto where = static_cast<std::uint32_t>(at);
      const std::uint32_t span = ~entry.mask;
      if ((span & (span + 1)) != 0) return Status{Error::mask_has_holes, where, entry.mask, "mask"};
      if ((entry.key & span) != 0) return Status{Error::key_outside_mask, where, entry.key, "key"};
      std::size_t to = at; // entries before it have greater keys
      while (to != 0 && table.entries_[to - 1].key > entry.key) --to;
      const bool meets_lower = to != 0 && (entry.key & table.entries_[to - 1].mask) == table.entries_[to - 1].key;
      const bool meets_higher = to != at && (table.entries_[to].key & entry.mask) == entry.key;
      if (meets_lower || meets_higher) return Status{Error::keys_overlap, where, entry.key, "key"};
      for (std::size_t moved = at; moved != to; --moved) table.entries_[moved] = table.entries_[moved - 1];
      table.entries_[to] = entry;
    }
    table.size_ = entries.size();
    // Behind the last one are copies of it: a search that ends there is right, too.
    for (std::size_t at = entries.size(); at != 0 && at < Capacity; ++at) table.entries_[at] = table.entries_[at - 1];
    table.make_directory();
    return table;
  }

  /// What a key leads to. An unknown one is counted.
  /// \cost  one look where the table `is_direct`; for unknown keys, and some of the others' where it is not, a binary search more, a load, a comparison
  ///        and an addition for each doubling of Capacity. ARM968E-S: benchmarks `synapse/key_table/64`,
  ///        `synapse/key_table/64/unknown`
  [[nodiscard]] constexpr Found find(std::uint32_t key) noexcept {
    const Entry* entry = &entries_[directory_[slot_of(key, cell_mask_, multiplier_)]];
    if ((key & entry->mask) != entry->key) [[unlikely]] {
      entry = find_otherwise(key);
      if (entry == nullptr) return {nullptr, 0};
    }
    return {&entry->payload, key & ~entry->mask};
  }

  /// The entries by ascending key.
  [[nodiscard]] constexpr std::span<const Entry> entries() const noexcept { return {entries_.data(), size_}; }
  [[nodiscard]] constexpr const LostKeys& unknown() const noexcept { return unknown_; }

  /// Whether all keys of all entries are found at the first look; and how many found ones took a binary search more.
  [[nodiscard]] constexpr bool is_direct() const noexcept { return displaced_ == 0; }
  [[nodiscard]] constexpr std::uint32_t second_looks() const noexcept { return second_looks_; }

private:
  static constexpr unsigned slot_bits = std::bit_width(Capacity - 1) + 3;
  static constexpr std::size_t slots = std::size_t{1} << slot_bits;
  using Number = std::conditional_t<(Capacity > 256), std::uint16_t, std::uint8_t>;

  [[nodiscard]] static constexpr std::uint32_t slot_of(std::uint32_t key, std::uint32_t cell_mask,
                                                       std::uint32_t multiplier) noexcept {
    return (key & cell_mask) * multiplier >> (32 - slot_bits);
  }

  /// Cells of the keys of an entry: what a cell mask does not tell apart.
  [[nodiscard]] static constexpr std::uint64_t cells(const Entry& entry, std::uint32_t cell_mask) noexcept {
    if ((entry.mask & cell_mask) == cell_mask) return 1;
    return (std::uint64_t{~entry.mask} + 1) >> std::bit_width(~cell_mask); // both are powers of two
  }

  /// Looks for cells and a multiplier that lead each cell to a slot of its own: powers of two, which take a field of the
  /// key as it is, then drawn ones.
  constexpr void make_directory() noexcept {
    if (size_ == 0) return;
    displaced_ = UINT32_MAX;
    for (std::size_t at = 0; at < size_; ++at) {
      const std::uint32_t cell_mask = entries_[at].mask;
      bool is_new = true;
      for (std::size_t before = 0; before < at; ++before) is_new = is_new && entries_[before].mask != cell_mask;
      std::uint64_t all = 0;
      for (std::size_t other = 0; other < size_; ++other) all += cells(entries_[other], cell_mask);
      if (!is_new || (all > slots / 2 && all > size_)) continue;
      std::uint32_t multiplier = 1;
      for (std::uint32_t draw = 0; draw < most_draws && displaced_ != 0; ++draw) {
        const std::uint32_t displaced = fill(cell_mask, multiplier, displaced_);
        if (displaced < displaced_) displaced_ = displaced, cell_mask_ = cell_mask, multiplier_ = multiplier;
        multiplier = draw < fields ? multiplier * 2 : multiplier * 0xD9F5'4B15U + 0x9E37'79B9U;
      }
    }
    fill(cell_mask_, multiplier_, UINT32_MAX);
  }
  /// Writes the directory, and says how many cells find another entry's; stops at `enough` of them.
  constexpr std::uint32_t fill(std::uint32_t cell_mask, std::uint32_t multiplier, std::uint32_t enough) noexcept {
    std::array<bool, slots> is_taken{};
    std::uint32_t displaced = 0;
    for (std::size_t at = 0; at < size_; ++at) {
      const Entry& entry = entries_[at];
      const std::uint64_t count = cells(entry, cell_mask);
      for (std::uint64_t cell = 0; cell < count && displaced < enough; ++cell) {
        const std::uint32_t key = entry.key + static_cast<std::uint32_t>(cell * (std::uint64_t{~cell_mask} + 1));
        const std::uint32_t slot = slot_of(key, cell_mask, multiplier);
        if (is_taken[slot] && directory_[slot] != at) {
          ++displaced;
        } else {
          is_taken[slot] = true;
          directory_[slot] = static_cast<Number>(at);
        }
      }
    }
    return displaced;
  }
  [[nodiscard, gnu::noinline, gnu::cold]] constexpr const Entry* find_otherwise(std::uint32_t key) noexcept {
    const Entry* const entry = last_below<Capacity>(entries_.data(), key);
    if ((key & entry->mask) == entry->key) {
      ++second_looks_;
      return entry;
    }
    ++unknown_.count;
    unknown_.last = key;
    return nullptr;
  }

  /// The last of `Left` entries whose key is not above this one, or the first. No branch depends on a key.
  template <std::size_t Left>
  [[nodiscard, gnu::always_inline]] static constexpr const Entry* last_below(const Entry* first,
                                                                             std::uint32_t key) noexcept {
    if constexpr (Left == 1) {
      return first;
    } else {
      const Entry* const middle = first + Left / 2;
      return last_below<Left - Left / 2>(key >= middle->key ? middle : first, key);
    }
  }

  // With a draw in a hundred 64 entries have slots of their own, many more never have.
  static constexpr std::uint32_t fields = 31, most_draws = Capacity <= 128 ? 1024 : 128;
  static constexpr Entry covers_nothing{1, 0, {}};

  std::uint32_t cell_mask_ = 0, multiplier_ = 0;
  LostKeys unknown_;
  std::uint32_t second_looks_ = 0;
  std::uint32_t displaced_ = 0;
  std::size_t size_ = 0;
  std::array<Number, slots> directory_{};
  std::array<Entry, Capacity> entries_ = [] {
    std::array<Entry, Capacity> all{};
    for (Entry& entry : all) entry = covers_nothing;
    return all;
  }();
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
