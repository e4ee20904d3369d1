// SPDX-License-Identifier: BSL-1.0
/// \file
/// Where a core's regions are: the table to which its word user0 points, and in one of them the table of what it records.
///
///     table: magic | version | 32 of { address, checksum, words }
///     recording: number | that many of { bytes, bytes written and whether some are missing, address }
/// \source SpiNNFrontEndCommon, c_common/front_end_common_lib: data_specification.h, recording.h
// not in the umbrella: for programs that speak with a machine
#ifndef NEUROMORPH_PROTOCOLS_DATA_REGIONS_HPP
#define NEUROMORPH_PROTOCOLS_DATA_REGIONS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/protocols/bytes.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace protocols {

/// The sum of words, as in tables of regions.
[[nodiscard]] constexpr std::uint32_t checksum_of(std::span<const std::uint8_t> words) noexcept {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at + 4 <= words.size(); at += 4) sum += word_at(words, at);
  return sum;
}

struct DataRegion {
  std::uint32_t address = 0;             ///< 0: there is none
  std::uint32_t checksum = 0, words = 0; ///< both 0 once a core has looked at it
  static constexpr std::size_t bytes = 12;
  /// \pre to.size() >= bytes
  constexpr void write(std::span<std::uint8_t> to) const noexcept {
    put_word(to, 0, address), put_word(to, 4, checksum), put_word(to, 8, words);
  }
  friend constexpr bool operator==(const DataRegion&, const DataRegion&) = default;
};
struct DataRegionTable {
  static constexpr std::uint32_t magic = 0xAD130AD6, version = 0x00010000;
  static constexpr std::size_t regions = 32, bytes = 8 + DataRegion::bytes * regions;
  /// Where the entry of a region begins.
  [[nodiscard]] static constexpr std::size_t entry_at(std::size_t number) noexcept {
    return 8 + DataRegion::bytes * number;
  }
  std::array<DataRegion, regions> region{};

  /// \errors too_short; wrong_magic; wrong_version; not_aligned: a region at no word
  [[nodiscard]] static constexpr Decoded<DataRegionTable> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < bytes) return Malformed::too_short;
    if (word_at(from, 0) != magic) return Malformed::wrong_magic;
    if (word_at(from, 4) != version) return Malformed::wrong_version;
    DataRegionTable made;
    for (std::size_t at = 0; at < regions; ++at) {
      made.region[at] = {word_at(from, 8 + 12 * at), word_at(from, 12 + 12 * at), word_at(from, 16 + 12 * at)};
      if (made.region[at].address % 4 != 0) return Malformed::not_aligned;
    }
    return made;
  }
  /// \pre to.size() >= bytes
  constexpr void write(std::span<std::uint8_t> to) const noexcept {
    put_word(to, 0, magic), put_word(to, 4, version);
    for (std::size_t at = 0; at < regions; ++at) region[at].write(to.subspan(entry_at(at)));
  }
  /// Whether what is in a region is what its entry says; one that a core has looked at is taken as it is.
  /// \errors too_short: fewer words than the entry says; wrong_checksum
  [[nodiscard]] static constexpr Malformed check(const DataRegion& entry,
                                                 std::span<const std::uint8_t> words) noexcept {
    if (entry.words == 0 && entry.checksum == 0) return Malformed::none;
    if (words.size() / 4 < entry.words) return Malformed::too_short;
    return checksum_of(words.first(std::size_t{entry.words} * 4)) == entry.checksum ? Malformed::none
                                                                                    : Malformed::wrong_checksum;
  }
};

/// The first region of a core: what runs in it, and how.
struct SystemRegion {
  std::uint32_t application =
      0; ///< the first eight hexadecimal digits of the MD5 of the binary's name without its suffix
  std::uint32_t period_us = 0; ///< of the timer
  std::uint32_t control_port = 0;
  std::uint32_t timing_words = 0;
  static constexpr std::size_t bytes = 16;
  [[nodiscard]] static constexpr Decoded<SystemRegion> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < bytes) return Malformed::too_short;
    if (word_at(from, 8) > 7) return Malformed::out_of_range;
    return SystemRegion{word_at(from, 0), word_at(from, 4), word_at(from, 8), word_at(from, 12)};
  }
  /// \pre to.size() >= bytes
  constexpr void write(std::span<std::uint8_t> to) const noexcept {
    put_word(to, 0, application), put_word(to, 4, period_us), put_word(to, 8, control_port),
        put_word(to, 12, timing_words);
  }
};

/// What a core has counted at its end; a program's own counters follow.
struct ProvenanceRegion {
  std::uint32_t full_transmitter = 0; ///< packets that found no room in the communications controller
  std::uint32_t full_callbacks = 0;   ///< events that found no room in the queue of callbacks
  std::uint32_t full_dma = 0;         ///< transfers that found none
  std::uint32_t full_user_events = 0;
  std::uint32_t late_ticks = 0;   ///< ticks that began while the one before was worked on
  std::uint32_t most_delayed = 0; ///< the most ticks that one was late
  static constexpr std::size_t bytes = 24;
  [[nodiscard]] static constexpr Decoded<ProvenanceRegion> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < bytes) return Malformed::too_short;
    return ProvenanceRegion{word_at(from, 0),  word_at(from, 4),  word_at(from, 8),
                            word_at(from, 12), word_at(from, 16), word_at(from, 20)};
  }
  /// \pre to.size() >= bytes
  constexpr void write(std::span<std::uint8_t> to) const noexcept {
    put_word(to, 0, full_transmitter), put_word(to, 4, full_callbacks), put_word(to, 8, full_dma);
    put_word(to, 12, full_user_events), put_word(to, 16, late_ticks), put_word(to, 20, most_delayed);
  }
  friend constexpr bool operator==(const ProvenanceRegion&, const ProvenanceRegion&) = default;
};

/// One channel of a recording.
struct RecordingRegion {
  std::uint32_t room = 0;    ///< bytes
  std::uint32_t written = 0; ///< bytes, less than 2^31
  bool is_missing = false;   ///< some found no room
  std::uint32_t address = 0;
  friend constexpr bool operator==(const RecordingRegion&, const RecordingRegion&) = default;
};
/// Reads and writes the table of recordings in place.
class RecordingRegions {
public:
  static constexpr std::size_t entry_bytes = 12;
  [[nodiscard]] static constexpr std::size_t bytes(std::size_t channels) noexcept { return 4 + entry_bytes * channels; }

  /// \errors too_short: it ends before its last channel
  [[nodiscard]] static constexpr Decoded<RecordingRegions> of(std::span<const std::uint8_t> table) noexcept {
    if (table.size() < 4) return Malformed::too_short;
    if (word_at(table, 0) > (table.size() - 4) / entry_bytes) return Malformed::too_short;
    RecordingRegions made;
    made.table_ = table.first(bytes(word_at(table, 0)));
    return made;
  }
  [[nodiscard]] constexpr std::size_t channels() const noexcept { return table_.empty() ? 0 : word_at(table_, 0); }
  /// \pre    channel < channels()
  /// \errors out_of_range: more was written than there is room
  [[nodiscard]] constexpr Decoded<RecordingRegion> operator[](std::size_t channel) const noexcept {
    const std::size_t at = bytes(channel);
    const std::uint32_t second = word_at(table_, at + 4);
    const RecordingRegion made{word_at(table_, at), second & 0x7FFFFFFFU, second >> 31 != 0, word_at(table_, at + 8)};
    if (made.written > made.room) return Malformed::out_of_range;
    return made;
  }
  /// \pre to.size() >= bytes(number of regions)
  static constexpr void write(std::span<const RecordingRegion> regions, std::span<std::uint8_t> to) noexcept {
    put_word(to, 0, static_cast<std::uint32_t>(regions.size()));
    for (std::size_t channel = 0; channel < regions.size(); ++channel) {
      const RecordingRegion& one = regions[channel];
      const std::size_t at = bytes(channel);
      put_word(to, at, one.room),
          put_word(to, at + 4, (one.written & 0x7FFFFFFFU) | (one.is_missing ? 0x80000000U : 0));
      put_word(to, at + 8, one.address);
    }
  }

private:
  std::span<const std::uint8_t> table_{};
};

} // namespace protocols
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
