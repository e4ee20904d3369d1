// SPDX-License-Identifier: BSL-1.0
/// \file
/// The last records of many keys, where lanes find those of several keys at once: the newest events of neurons, say.
// not in the umbrella: backends with UnsignedLanes include it
#ifndef NEUROMORPH_TARGET_RECENT_RECORDS_HPP
#define NEUROMORPH_TARGET_RECENT_RECORDS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/lane_words.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// Four records of a key, newest first: the first words of all, then the second ones and so on.
///
/// \tparam Words  of a record
template <std::size_t Words>
struct alignas(32) FourRecords {
  static constexpr std::size_t records = 4;
  std::uint32_t word[Words][records];
};

/// Puts a record before eight of a key.
/// \param rest  the words of the record after its first
template <std::size_t Words, class Rest>
constexpr void push_record(FourRecords<Words>& newer, FourRecords<Words>& older, std::uint32_t first,
                           const Rest& rest) noexcept {
  struct Record {
    std::uint32_t first;
    Rest rest;
  };
  const auto record = std::bit_cast<std::array<std::uint32_t, Words>>(Record{first, rest});
  for (std::size_t word = 0; word < Words; ++word) {
    auto &new_ones = newer.word[word], &old_ones = older.word[word];
    for (std::size_t at = FourRecords<Words>::records - 1; at != 0; --at) old_ones[at] = old_ones[at - 1];
    old_ones[0] = new_ones[FourRecords<Words>::records - 1];
    for (std::size_t at = FourRecords<Words>::records - 1; at != 0; --at) new_ones[at] = new_ones[at - 1];
    new_ones[0] = record[word];
  }
}

/// word[w][r]: word w of record r, of each lane's key.
template <class Lanes, std::size_t Words>
struct RecordsOfLanes {
  typename Lanes::Value word[Words][FourRecords<Words>::records];
};

/// Four records of several keys.
/// \param of  [keys]
template <class Lanes, std::size_t Words>
[[nodiscard, gnu::always_inline]] inline RecordsOfLanes<Lanes, Words>
gather_records(const FourRecords<Words>* of, typename Lanes::Value key) noexcept {
  constexpr std::size_t groups = sizeof(FourRecords<Words>) / 32; // of eight words
  typename Lanes::Value read[groups][8];
  const auto* const words = of[0].word[0];
  const auto first = groups == 1 ? key : Lanes::multiply(key, Lanes::splat(groups));
  for (std::size_t group = 0; group < groups; ++group) Lanes::gather_records(words + 8 * group, first, read[group]);
  RecordsOfLanes<Lanes, Words> found;
  for (std::size_t at = 0; at < Words * FourRecords<Words>::records; ++at)
    found.word[at / FourRecords<Words>::records][at % FourRecords<Words>::records] = read[at / 8][at % 8];
  return found;
}

/// Eight of each key, newest first, all zero at first. The newer half of them stands in one array, the older half, which is
/// seldom asked for, in another.
///
/// \tparam Lanes        UnsignedLanes of a backend
/// \tparam RecordWords  of a record
template <class Lanes, std::size_t Keys, std::size_t RecordWords>
class RecentRecords {
public:
  /// \param rest  the words of a record after its first
  template <class Rest>
  constexpr void push(std::size_t key, std::uint32_t first, const Rest& rest) noexcept {
    push_record(half_[0][key], half_[1][key], first, rest);
    ++pushed_;
  }
  /// Calls function(word) for the first word of each record of a key; it may change it.
  template <class Function>
  constexpr void each_first_word(std::size_t key, Function function) noexcept {
    for (auto& half : half_)
      for (std::uint32_t& word : half[key].word[0]) function(word);
  }
  /// Records of several keys, of one moment: an interrupt that pushes one has it begin anew.
  /// \tparam half  0: the four newest, 1: the four before them
  template <std::size_t half>
  [[nodiscard, gnu::always_inline]] RecordsOfLanes<Lanes, RecordWords> look(typename Lanes::Value key) const noexcept {
    const auto pushed = [this] { return static_cast<const volatile std::uint32_t&>(pushed_); };
    while (true) {
      const std::uint32_t before = pushed();
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      const auto found = gather_records<Lanes>(half_[half].data(), key);
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      if (pushed() == before) return found;
    }
  }

private:
  std::array<FourRecords<RecordWords>, Keys> half_[2]{};
  std::uint32_t pushed_ = 0;
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
