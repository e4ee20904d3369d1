// SPDX-License-Identifier: BSL-1.0
/// \file
/// Memory of a machine in streams of SDP packets that nobody acknowledges one by one: what is missing in the end is asked for again.
///
///     out (port 5): DataOutRequest -> DataOutPacket...; the host sends MissingList, and DataOutClear when it has all
///     in  (port 6): DataInBegin, DataInPacket..., DataInEnd -> MissingList or DataInEnd
///
/// Words are of the data of an SDP message: there is no head of SCP. On the machine, words of a stream out are packets on fixed routes to the
/// gatherer of the board. Those of a stream in are multicast packets from the gatherer to the monitor of a chip; routers have other tables
/// meanwhile.
/// \source SpiNNFrontEndCommon: data_speed_up_packet_gatherer.c, extra_monitor_support.c
// not in the umbrella: for programs that speak with a machine
#ifndef NEUROMORPH_PROTOCOLS_FAST_DATA_HPP
#define NEUROMORPH_PROTOCOLS_FAST_DATA_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/scp.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace protocols {

/// Keys of packets on a board, by which a monitor streams to the gatherer at the Ethernet chip.
enum class FastDataKey : std::uint32_t {
  new_sequence = 0xFFFFFFF9, ///< the payload is the number of what follows
  first_data = 0xFFFFFFF8,
  data = 0xFFFFFFF7,
  end = 0xFFFFFFF6,
  transaction = 0xFFFFFFF5,
};
/// A stream counts as the next one if its number follows that of the last, which its reader has in the word `user1` of its core.
inline constexpr std::uint32_t last_transaction = 0x0FFFFFFF; ///< 0 follows

/// A host asks for a stretch of memory, as a stream of packets.
struct DataOutRequest {
  static constexpr std::uint32_t number = 100;
  std::uint32_t transaction = 0, address = 0, length = 0;
  static constexpr std::size_t bytes = 16;
  [[nodiscard]] static constexpr Decoded<DataOutRequest> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < bytes) return Malformed::too_short;
    if (word_at(from, 0) != number) return Malformed::unknown_command;
    return DataOutRequest{word_at(from, 4), word_at(from, 8), word_at(from, 12)};
  }
  /// \pre to.size() >= bytes
  constexpr void write(std::span<std::uint8_t> to) const noexcept {
    put_word(to, 0, number), put_word(to, 4, transaction), put_word(to, 8, address), put_word(to, 12, length);
  }
  friend constexpr bool operator==(const DataOutRequest&, const DataOutRequest&) = default;
};
/// One packet of the stream: at most 66 words.
struct DataOutPacket {
  static constexpr std::size_t head_bytes = 8, most_data = 66 * 4;
  std::uint32_t sequence = 0; ///< less than 2^31
  bool is_last = false;
  std::uint32_t transaction = 0;
  std::span<const std::uint8_t> data{};
  /// \errors too_short; too_long; not_aligned: no whole words
  [[nodiscard]] static constexpr Decoded<DataOutPacket> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < head_bytes) return Malformed::too_short;
    if (from.size() > head_bytes + most_data) return Malformed::too_long;
    if (from.size() % 4 != 0) return Malformed::not_aligned;
    const std::uint32_t first = word_at(from, 0);
    return DataOutPacket{first & 0x7FFFFFFFU, first >> 31 != 0, word_at(from, 4), from.subspan(head_bytes)};
  }
  /// \return its bytes; 0, with nothing written, where there is too little room, or too much of data
  [[nodiscard]] constexpr std::size_t write(std::span<std::uint8_t> to) const noexcept {
    if (data.size() > most_data || to.size() < head_bytes + data.size()) return 0;
    put_word(to, 0, (sequence & 0x7FFFFFFFU) | (is_last ? 0x80000000U : 0)), put_word(to, 4, transaction);
    put_bytes(to, head_bytes, data);
    return head_bytes + data.size();
  }
};

/// A host has all of a transaction: the monitor forgets it.
struct DataOutClear {
  static constexpr std::uint32_t number = 2000;
  static constexpr std::size_t bytes = 8;
  std::uint32_t transaction = 0;
  [[nodiscard]] static constexpr Decoded<DataOutClear> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < bytes) return Malformed::too_short;
    if (word_at(from, 0) != number) return Malformed::unknown_command;
    return DataOutClear{word_at(from, 4)};
  }
  /// \pre to.size() >= bytes
  constexpr void write(std::span<std::uint8_t> to) const noexcept {
    put_word(to, 0, number), put_word(to, 4, transaction);
  }
  friend constexpr bool operator==(const DataOutClear&, const DataOutClear&) = default;
};
/// Numbers of packets of a stream that did not come. The first list of a stream out says how many lists there are.
struct MissingList {
  enum class Kind : std::uint32_t { out_first = 1000, out_more = 1001, in = 2002 };
  static constexpr std::uint32_t all = 0xFFFFFFFE; ///< of `in`: nothing came
  static constexpr std::size_t most_words = 68;    ///< of the message

  Kind kind = Kind::in;
  std::uint32_t transaction = 0;
  std::uint32_t lists = 0;                 ///< of out_first: with this one
  std::span<const std::uint8_t> numbers{}; ///< words

  [[nodiscard]] constexpr std::size_t size() const noexcept { return numbers.size() / 4; }
  [[nodiscard]] constexpr std::uint32_t operator[](std::size_t at) const noexcept { return word_at(numbers, 4 * at); }
  [[nodiscard]] constexpr std::size_t head_bytes() const noexcept { return kind == Kind::out_first ? 12 : 8; }

  /// \errors too_short; too_long; unknown_command; not_aligned: no whole words
  [[nodiscard]] static constexpr Decoded<MissingList> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < 8) return Malformed::too_short;
    if (from.size() > 4 * most_words) return Malformed::too_long;
    MissingList made;
    made.kind = Kind(word_at(from, 0)), made.transaction = word_at(from, 4);
    if (made.kind != Kind::out_first && made.kind != Kind::out_more && made.kind != Kind::in)
      return Malformed::unknown_command;
    if (from.size() % 4 != 0) return Malformed::not_aligned;
    if (from.size() < made.head_bytes()) return Malformed::too_short;
    if (made.kind == Kind::out_first) made.lists = word_at(from, 8);
    made.numbers = from.subspan(made.head_bytes());
    return made;
  }
  /// \return its bytes; 0, with nothing written, where there is too little room, or too many or no whole numbers
  [[nodiscard]] constexpr std::size_t write(std::span<std::uint8_t> to) const noexcept {
    const std::size_t used = head_bytes() + numbers.size();
    if (numbers.size() % 4 != 0 || used > 4 * most_words || to.size() < used) return 0;
    put_word(to, 0, std::uint32_t(kind)), put_word(to, 4, transaction);
    if (kind == Kind::out_first) put_word(to, 8, lists);
    put_bytes(to, head_bytes(), numbers);
    return used;
  }
};

/// Where a stream goes, and how many packets it has.
struct DataInBegin {
  static constexpr std::uint32_t number = 200;
  static constexpr std::size_t bytes = 20;
  std::uint32_t transaction = 0, address = 0;
  std::uint16_t x = 0, y = 0;
  std::uint32_t last = 0; ///< number of the last packet; the first is 0
  [[nodiscard]] static constexpr Decoded<DataInBegin> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < bytes) return Malformed::too_short;
    if (word_at(from, 0) != number) return Malformed::unknown_command;
    return DataInBegin{word_at(from, 4), word_at(from, 8), half_at(from, 14), half_at(from, 12), word_at(from, 16)};
  }
  /// \pre to.size() >= bytes
  constexpr void write(std::span<std::uint8_t> to) const noexcept {
    put_word(to, 0, number), put_word(to, 4, transaction), put_word(to, 8, address);
    put_half(to, 12, y), put_half(to, 14, x), put_word(to, 16, last);
  }
  friend constexpr bool operator==(const DataInBegin&, const DataInBegin&) = default;
};
/// One packet of the stream: at most 65 words, and all of them but in the last.
struct DataInPacket {
  static constexpr std::uint32_t number = 2000;
  static constexpr std::size_t head_bytes = 12, most_data = 65 * 4;
  std::uint32_t transaction = 0, sequence = 0;
  std::span<const std::uint8_t> data{};
  /// \errors too_short; too_long; unknown_command; not_aligned: no whole words
  [[nodiscard]] static constexpr Decoded<DataInPacket> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < head_bytes) return Malformed::too_short;
    if (from.size() > head_bytes + most_data) return Malformed::too_long;
    if (word_at(from, 0) != number) return Malformed::unknown_command;
    if (from.size() % 4 != 0) return Malformed::not_aligned;
    return DataInPacket{word_at(from, 4), word_at(from, 8), from.subspan(head_bytes)};
  }
  /// \return its bytes; 0, with nothing written, where there is too little room, or too much or no whole words of data
  [[nodiscard]] constexpr std::size_t write(std::span<std::uint8_t> to) const noexcept {
    const std::size_t used = head_bytes + data.size();
    if (data.size() % 4 != 0 || data.size() > most_data || to.size() < used) return 0;
    put_word(to, 0, number), put_word(to, 4, transaction), put_word(to, 8, sequence);
    put_bytes(to, head_bytes, data);
    return used;
  }
};
/// `ask`: the host has sent all, and asks what is missing; `done`: nothing is.
struct DataInEnd {
  enum class What : std::uint32_t { ask = 2001, done = 2003 };
  static constexpr std::size_t bytes = 8;
  What what = What::ask;
  std::uint32_t transaction = 0;
  [[nodiscard]] static constexpr Decoded<DataInEnd> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < bytes) return Malformed::too_short;
    const auto what = What(word_at(from, 0));
    if (what != What::ask && what != What::done) return Malformed::unknown_command;
    return DataInEnd{what, word_at(from, 4)};
  }
  /// \pre to.size() >= bytes
  constexpr void write(std::span<std::uint8_t> to) const noexcept {
    put_word(to, 0, std::uint32_t(what)), put_word(to, 4, transaction);
  }
  friend constexpr bool operator==(const DataInEnd&, const DataInEnd&) = default;
};

/// Which keys lead from the gatherer to the monitor of a chip: each base is an address to write to, the next is a word, the next ends it.
struct DataInKeys {
  static constexpr std::uint32_t address = 0, data = 1, boundary = 2, keys = 4; ///< behind a base, and how many it has
};
/// Of the monitor of a chip, to tables of its router: they are kept, or those of applications or of streams come in.
struct TableSwap {
  enum class What : std::uint16_t { save_application = 6, load_application = 7, load_system = 8 };
  What what = What::save_application;
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return {std::uint16_t(what), sequence, {0, 0, 0}, {}};
  }
  /// \errors unknown_command
  [[nodiscard]] static constexpr Decoded<TableSwap> of(const ScpRequest& request) noexcept {
    if (request.command < 6 || request.command > 8) return Malformed::unknown_command;
    return TableSwap{What(request.command)};
  }
  friend constexpr bool operator==(const TableSwap&, const TableSwap&) = default;
};

/// The region of a gatherer about streams out: by which keys they come, and with which tag they leave.
struct GathererRegion {
  static constexpr std::size_t number = 0, bytes = 24;
  std::uint32_t tag = 0;
  [[nodiscard]] static constexpr Decoded<GathererRegion> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < bytes) return Malformed::too_short;
    constexpr FastDataKey order[] = {FastDataKey::new_sequence, FastDataKey::first_data, FastDataKey::transaction,
                                     FastDataKey::end, FastDataKey::data};
    for (std::size_t at = 0; at < 5; ++at)
      if (word_at(from, 4 * at) != std::uint32_t(order[at])) return Malformed::out_of_range;
    return GathererRegion{word_at(from, 20)};
  }
  /// \pre to.size() >= bytes
  constexpr void write(std::span<std::uint8_t> to) const noexcept {
    put_word(to, 0, std::uint32_t(FastDataKey::new_sequence)), put_word(to, 4, std::uint32_t(FastDataKey::first_data));
    put_word(to, 8, std::uint32_t(FastDataKey::transaction)), put_word(to, 12, std::uint32_t(FastDataKey::end));
    put_word(to, 16, std::uint32_t(FastDataKey::data)), put_word(to, 20, tag);
  }
};
/// And about streams in: the base of keys of each chip, by its place on the board.
struct GathererChips {
  static constexpr std::size_t number = 1, head_bytes = 8, chip_bytes = 12;
  std::span<const std::uint8_t> chips{};
  struct Chip {
    std::uint32_t x = 0, y = 0, base = 0;
  };
  [[nodiscard]] constexpr std::size_t size() const noexcept { return chips.size() / chip_bytes; }
  [[nodiscard]] constexpr Chip operator[](std::size_t at) const noexcept {
    return {word_at(chips, chip_bytes * at), word_at(chips, chip_bytes * at + 4), word_at(chips, chip_bytes * at + 8)};
  }
  /// \errors too_short: fewer chips than it says
  [[nodiscard]] static constexpr Decoded<GathererChips> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < head_bytes) return Malformed::too_short;
    const std::uint32_t count = word_at(from, 0);
    if ((from.size() - head_bytes) / chip_bytes < count) return Malformed::too_short;
    return GathererChips{from.subspan(head_bytes, chip_bytes * std::size_t{count})};
  }
  /// \pre to.size() >= head_bytes + chip_bytes * all.size()
  static constexpr void write(std::span<const Chip> all, std::span<std::uint8_t> to) noexcept {
    put_word(to, 0, static_cast<std::uint32_t>(all.size())), put_word(to, 4, 0); // no keys for re-injection
    for (std::size_t at = 0; at < all.size(); ++at) {
      const std::size_t begin = head_bytes + chip_bytes * at;
      put_word(to, begin, all[at].x), put_word(to, begin + 4, all[at].y), put_word(to, begin + 8, all[at].base);
    }
  }
};
/// The region of a chip's monitor about streams in: its keys, and the entries that its router has meanwhile.
struct DataInRegion {
  static constexpr std::size_t number = 2, head_bytes = 16, entry_bytes = 12;
  std::uint32_t base = 0;
  std::span<const std::uint8_t> entries{};
  struct Entry {
    std::uint32_t key = 0, mask = 0, route = 0;
  };
  [[nodiscard]] constexpr std::size_t size() const noexcept { return entries.size() / entry_bytes; }
  [[nodiscard]] constexpr Entry operator[](std::size_t at) const noexcept {
    return {word_at(entries, entry_bytes * at), word_at(entries, entry_bytes * at + 4),
            word_at(entries, entry_bytes * at + 8)};
  }
  /// \errors too_short: fewer entries than it says; out_of_range: keys that do not follow each other
  [[nodiscard]] static constexpr Decoded<DataInRegion> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < head_bytes) return Malformed::too_short;
    const std::uint32_t base = word_at(from, 0), count = word_at(from, 12);
    if (word_at(from, 4) != base + DataInKeys::data || word_at(from, 8) != base + DataInKeys::boundary)
      return Malformed::out_of_range;
    if ((from.size() - head_bytes) / entry_bytes < count) return Malformed::too_short;
    return DataInRegion{base, from.subspan(head_bytes, entry_bytes * std::size_t{count})};
  }
  /// \pre to.size() >= head_bytes + entry_bytes * all.size()
  static constexpr void write(std::uint32_t base, std::span<const Entry> all, std::span<std::uint8_t> to) noexcept {
    put_word(to, 0, base), put_word(to, 4, base + DataInKeys::data), put_word(to, 8, base + DataInKeys::boundary);
    put_word(to, 12, static_cast<std::uint32_t>(all.size()));
    for (std::size_t at = 0; at < all.size(); ++at) {
      const std::size_t begin = head_bytes + entry_bytes * at;
      put_word(to, begin, all[at].key), put_word(to, begin + 4, all[at].mask), put_word(to, begin + 8, all[at].route);
    }
  }
};

} // namespace protocols
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
