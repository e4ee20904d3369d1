// SPDX-License-Identifier: BSL-1.0
/// \file
/// A row whose weights change: plastic and fixed synapses in one stretch of words, fetched and written back as it is.
///
///     numbers | time | trace of the row | plastic words .. room | states .. room | own words .. room | fixed words
///
/// A plastic synapse is a synaptic word, whose weight is what the ring buffer gets, and a state, in which a rule keeps the
/// weight with all its bits. Few rules have a word of their own beside it. What changes stands in front, so that only that
/// need be written back.
#ifndef NEUROMORPH_KERNELS_SYNAPSES_PLASTIC_ROW_HPP
#define NEUROMORPH_KERNELS_SYNAPSES_PLASTIC_ROW_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// A view of a row in memory of the caller's.
///
/// \tparam RowTrace  what a rule keeps with a row: trivially copyable, whole words
/// \tparam OwnWords  words that a rule has besides with each plastic synapse, 0 or 1
/// Bytes: 8 + sizeof(RowTrace) a row, 8 a plastic synapse and a free place, 12 with an own word, 4 a fixed one.
template <class RowTrace, unsigned OwnWords = 0>
class PlasticRow {
  static_assert(std::is_trivially_copyable_v<RowTrace> && sizeof(RowTrace) % 4 == 0,
                "neuromorph: the trace of a row is trivially copyable and has whole words; see docs/synapses.md");
  static_assert(OwnWords <= 1, "neuromorph: a plastic synapse has 0 or 1 own words; see docs/synapses.md");

public:
  static constexpr std::size_t header_words = 2 + sizeof(RowTrace) / 4;
  static constexpr std::uint32_t most_plastic = 0xFFFF;

  /// How many words a row takes.
  /// \param room  plastic synapses that there are places for
  [[nodiscard]] static constexpr std::size_t words(std::size_t room, std::size_t fixed) noexcept {
    return header_words + (2 + OwnWords) * room + fixed;
  }

  /// Writes a row without synapses: no trace, up to date at `time`.
  /// \param to    all words of the row; what `room` does not take is for fixed synapses
  /// \errors parameter_out_of_range: room, above 65535; buffer_full: to (`value`: words needed)
  static constexpr Result<PlasticRow> make(std::span<std::uint32_t> to, std::size_t room, std::uint32_t time) noexcept {
    if (room > most_plastic) return Status{Error::parameter_out_of_range, 0, room, "room"};
    if (to.size() < words(room, 0)) return Status{Error::buffer_full, 0, words(room, 0), "to"};
    for (std::uint32_t& word : to) word = 0;
    to[0] = static_cast<std::uint32_t>(room) << 16;
    to[1] = time;
    return PlasticRow(to);
  }
  /// \errors row_cut_off: fewer words (`where`) than the header and its room take (`value`); parameters_contradict: size
  ///         (`value`), more synapses than there is room for (`where`)
  [[nodiscard]] static constexpr Result<PlasticRow> from(std::span<std::uint32_t> words_of_row) noexcept {
    const PlasticRow row(words_of_row);
    if (row.is_whole()) return row;
    const std::size_t needed = words(words_of_row.empty() ? 0 : row.room(), 0);
    if (words_of_row.size() < needed)
      return Status{Error::row_cut_off, static_cast<std::uint32_t>(words_of_row.size()), needed, "row"};
    return Status{Error::parameters_contradict, row.room(), row.size(), "size"};
  }
  /// \pre is_whole()
  explicit constexpr PlasticRow(std::span<std::uint32_t> words_of_row) noexcept : words_(words_of_row) {}
  constexpr PlasticRow() noexcept = default;

  /// Whether the numbers in the header fit each other and the words that are there.
  [[nodiscard]] constexpr bool is_whole() const noexcept {
    return words_.size() >= header_words && size() <= room() && words(room(), 0) <= words_.size();
  }

  /// Plastic synapses.
  [[nodiscard]] constexpr std::uint32_t size() const noexcept { return words_[0] & 0xFFFF; }
  [[nodiscard]] constexpr std::uint32_t room() const noexcept { return words_[0] >> 16; }
  [[nodiscard]] constexpr std::span<std::uint32_t> plastic() const noexcept {
    return {words_.data() + header_words, size()};
  }
  /// One of each plastic synapse.
  [[nodiscard]] constexpr std::span<std::uint32_t> states() const noexcept {
    return {words_.data() + header_words + room(), size()};
  }
  /// One of each plastic synapse, where a rule has own words.
  [[nodiscard]] constexpr std::span<std::uint32_t> own_words() const noexcept requires(OwnWords == 1) {
    return {words_.data() + header_words + 2 * room(), size()};
  }
  [[nodiscard]] constexpr std::span<std::uint32_t> fixed() const noexcept { return words_.subspan(words(room(), 0)); }
  /// Words from the first on that an update changes.
  [[nodiscard]] constexpr std::size_t changing_words() const noexcept { return words(room(), 0); }

  /// Until when the row has been brought up to date: its last pre-synaptic spike, or a flush since.
  [[nodiscard]] constexpr std::uint32_t time() const noexcept { return words_[1]; }
  [[nodiscard]] constexpr RowTrace trace() const noexcept {
    struct Words {
      std::uint32_t word[sizeof(RowTrace) / 4];
    } stored;
    for (std::size_t at = 0; at < sizeof(RowTrace) / 4; ++at) stored.word[at] = words_[2 + at];
    return std::bit_cast<RowTrace>(stored);
  }
  constexpr void set(std::uint32_t time, const RowTrace& trace) noexcept {
    struct Words {
      std::uint32_t word[sizeof(RowTrace) / 4];
    };
    const auto given = std::bit_cast<Words>(trace);
    words_[1] = time;
    for (std::size_t at = 0; at < sizeof(RowTrace) / 4; ++at) words_[2 + at] = given.word[at];
  }

  /// One more plastic synapse, at the end; its own word is 0. False if there is no place.
  constexpr bool append(std::uint32_t word, std::uint32_t state) noexcept {
    const std::uint32_t at = size();
    if (at == room()) return false;
    ++words_[0];
    plastic()[at] = word;
    states()[at] = state;
    if constexpr (OwnWords == 1) own_words()[at] = 0;
    return true;
  }
  /// Takes a plastic synapse out; the last one comes into its place.
  /// \pre at < size()
  constexpr void remove(std::uint32_t at) noexcept {
    const std::uint32_t last = size() - 1;
    plastic()[at] = plastic()[last];
    states()[at] = states()[last];
    if constexpr (OwnWords == 1) own_words()[at] = own_words()[last];
    --words_[0];
  }

private:
  std::span<std::uint32_t> words_;
};

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
