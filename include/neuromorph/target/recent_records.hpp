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

/// Eight of each key, newest first, all zero at first. The newer half of them stands in one array, the older half, which is
/// seldom asked for, in another: of four records the first words, then the second ones and so on.
///
/// \tparam Lanes        UnsignedLanes of a backend
/// \tparam RecordWords  of a record
template <class Lanes, std::size_t Keys, std::size_t RecordWords>
class RecentRecords {
public:
  static constexpr std::size_t half_records = 4;
  /// word[w][r]: word w of record r, of each lane's key.
  struct Look {
    typename Lanes::Value word[RecordWords][half_records];
  };

  /// \param rest  the words of a record after its first
  template <class Rest>
  constexpr void push(std::size_t key, std::uint32_t first, const Rest& rest) noexcept {
    struct Words {
      std::uint32_t first;
      Rest rest;
    };
    const auto record = std::bit_cast<std::array<std::uint32_t, RecordWords>>(Words{first, rest});
    for (std::size_t word = 0; word < RecordWords; ++word) {
      auto &newer = half_[0][key].word[word], &older = half_[1][key].word[word];
      for (std::size_t at = half_records - 1; at != 0; --at) older[at] = older[at - 1];
      older[0] = newer[half_records - 1];
      for (std::size_t at = half_records - 1; at != 0; --at) newer[at] = newer[at - 1];
      newer[0] = record[word];
    }
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
  [[nodiscard, gnu::always_inline]] Look look(typename Lanes::Value key) const noexcept {
    typename Lanes::Value read[groups][8];
    const auto pushed = [this] { return static_cast<const volatile std::uint32_t&>(pushed_); };
    std::uint32_t before = 0;
    do {
      before = pushed();
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      const auto* const words = half_[half][0].word[0];
      const auto first = groups == 1 ? key : Lanes::multiply(key, Lanes::splat(groups));
      for (std::size_t group = 0; group < groups; ++group) Lanes::gather_records(words + 8 * group, first, read[group]);
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (pushed() != before);
    Look found;
    for (std::size_t at = 0; at < RecordWords * half_records; ++at)
      found.word[at / half_records][at % half_records] = read[at / 8][at % 8];
    return found;
  }

private:
  struct alignas(32) Half {
    std::uint32_t word[RecordWords][half_records];
  };
  static constexpr std::size_t groups = sizeof(Half) / 32; ///< of eight words
  std::array<Half, Keys> half_[2]{};
  std::uint32_t pushed_ = 0;
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
