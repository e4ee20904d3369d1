// SPDX-License-Identifier: BSL-1.0
/// \file
/// A ring of records in shared memory, with one writer and one reader: what a mailbox is made of.
///
///     if (std::uint32_t* const at = writer.begin(2)) { // a head and two words; nullptr: no room, and counted
///       at[0] = firmware::head(kind, 2, token), at[1] = neuron, at[2] = time;
///       writer.end(2);
///     }
///
/// A record is never torn: it is there when `end` of the writer says so, which is stored last. It lies in one piece, as
/// the ring has as many words behind its last as the longest record; what begins near the end goes on there.
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_CHANNEL_HPP
#define NEUROMORPH_FIRMWARE_CHANNEL_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/target/device/shared_memory.hpp>
#include <neuromorph/when_full.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// The first word of a record.
/// \param kind   8 bits; what they mean is the channel's affair
/// \param words  that follow, 0..255
/// \param token  16 bits, likewise
[[nodiscard]] constexpr std::uint32_t head(std::uint32_t kind, std::uint32_t words, std::uint32_t token = 0) noexcept {
  return kind | words << 8 | token << 16;
}
[[nodiscard]] constexpr std::uint32_t kind_of(std::uint32_t head) noexcept { return head & 0xFF; }
[[nodiscard]] constexpr std::uint32_t words_of(std::uint32_t head) noexcept { return head >> 8 & 0xFF; }
[[nodiscard]] constexpr std::uint32_t token_of(std::uint32_t head) noexcept { return head >> 16; }

/// The words before a ring; each has one writer. Places in the ring count words since ever, modulo 2^32.
namespace ring {
enum : std::uint32_t {
  // the writer's
  end,      ///< behind the newest record
  oldest,   ///< where the oldest record begins, where the oldest gives way
  refused,  ///< records for which there was no room, since the first start
  gave_way, ///< records that gave way, since the first start
  told = 7, ///< behind the newest record that tells how many were left out
  // the reader's
  begin = 4, ///< where the record begins that it reads next
  number,    ///< how many records came before that one, where the oldest gives way
  noticed,   ///< `refused`, when it was last asked what it missed
  words = 8, ///< of all this; the ring follows
};
} // namespace ring

/// How long a ring is: a value where it is known at run time, as on a host.
struct ChannelShape {
  std::uint32_t capacity = 0; ///< words; a power of two
  std::uint32_t longest = 0;  ///< words that may follow the head of a record, 0..255, fewer than `capacity`
  WhenFull when_full = WhenFull::refuse_newest;
};
/// The same, a constant.
template <std::uint32_t Capacity, std::uint32_t Longest, WhenFull Full>
struct FixedChannelShape {
  static constexpr std::uint32_t capacity = Capacity, longest = Longest;
  static constexpr WhenFull when_full = Full;
};

/// The side that writes. One at a time: an interrupt that writes has a channel of its own.
///
/// \tparam ShapeType  ChannelShape, or a FixedChannelShape: then a record of known length costs a dozen instructions
/// \tparam Memory     target::SharedMemory, or one of the same functions
template <class ShapeType, class Memory = target::SharedMemory>
class ChannelWriter {
public:
  using Shape = ShapeType;
  /// \param state  ring::words words, the ring, and `longest` more
  explicit constexpr ChannelWriter(std::uint32_t* state, Shape shape = {}) noexcept : state_(state), shape_(shape) {}

  /// Room for a record: its head, which is yours to write, and `words` more; nullptr if there is none, which is counted.
  /// `end` makes it one; without that, it was none.
  ///
  /// \param words  0..longest; more are refused
  /// \cost  O(1); where the oldest gives way O(words), as it looks at the records that do
  [[nodiscard, gnu::always_inline]] inline std::uint32_t* begin(std::uint32_t words) noexcept {
    return room(Memory::load(state_[ring::end]), words);
  }
  /// The record that has begun is complete.
  /// \param words  as for `begin`, or fewer
  [[gnu::always_inline]] inline void end(std::uint32_t words) noexcept {
    Memory::order();
    Memory::store(state_[ring::end], Memory::load(state_[ring::end]) + words + 1);
  }

  /// A whole record; false if there was no room.
  template <class... Words>
  [[gnu::always_inline]] inline bool write(std::uint32_t kind, std::uint32_t token, Words... words) noexcept {
    const std::uint32_t end = Memory::load(state_[ring::end]);
    std::uint32_t* const to = room(end, sizeof...(Words));
    if (to == nullptr) return false;
    fill(to, end, kind, token, words...);
    return true;
  }
  /// A record of which its head and what follows are given; false if there was no room.
  /// \pre record.size() = words_of(record[0]) + 1
  bool write(std::span<const std::uint32_t> record) noexcept {
    const auto count = static_cast<std::uint32_t>(record.size()) - 1;
    std::uint32_t* to = begin(count);
    if (to == nullptr) return false;
    for (const std::uint32_t word : record) Memory::store(*to++, word);
    end(count);
    return true;
  }

  /// The same, and where records were left out one of kind `Loss` stands, whose word is how many. Two words of the ring are
  /// kept for it. Where the oldest gives way, it does not tell.
  template <std::uint32_t Loss, class... Words>
  [[gnu::always_inline]] inline bool write_or_tell(std::uint32_t kind, std::uint32_t token, Words... words) noexcept {
    const std::uint32_t end = Memory::load(state_[ring::end]);
    if (!has_room(end, sizeof...(Words), words_of_loss)) [[unlikely]] {
      leave_out<Loss>(state_, shape_);
      return false;
    }
    fill(at(end), end, kind, token, words...);
    return true;
  }
  template <std::uint32_t Loss>
  [[nodiscard]] std::uint32_t* begin_or_tell(std::uint32_t words) noexcept {
    const std::uint32_t end = Memory::load(state_[ring::end]);
    if (has_room(end, words, words_of_loss)) [[likely]]
      return at(end);
    leave_out<Loss>(state_, shape_);
    return nullptr;
  }

  /// Words of records that the reader has not taken.
  [[nodiscard]] std::uint32_t waiting() const noexcept {
    return Memory::load(state_[ring::end]) - Memory::load(state_[ring::begin]);
  }
  /// Records for which there was no room, and those that gave way, since the first start.
  [[nodiscard]] std::uint32_t refused() const noexcept { return Memory::load(state_[ring::refused]); }
  [[nodiscard]] std::uint32_t gave_way() const noexcept { return Memory::load(state_[ring::gave_way]); }
  [[nodiscard]] constexpr Shape shape() const noexcept { return shape_; }

  /// The newest records that are still there, as many as fit, each whole, in their order. Where the oldest gives way these are
  /// read ones, too; else those that the reader has not taken.
  ///
  /// \return words that are written; 0 too where somebody wrote over a head
  /// \cost   O(capacity)
  std::uint32_t newest(std::span<std::uint32_t> to) const noexcept {
    const std::uint32_t end = Memory::load(state_[ring::end]);
    std::uint32_t from = first(), count = 0;
    if (!is_sound(from, end)) return 0;
    while (end - from > to.size()) from += words_of(word(from)) + 1;
    for (; from != end; from += words_of(word(from)) + 1)
      for (std::uint32_t at = 0; at <= words_of(word(from)); ++at)
        Memory::store(to[count++], Memory::load(state_[ring::words + (from & (shape_.capacity - 1)) + at]));
    return count;
  }

  /// After a reset, over what was there before: keeps the records that wait, if they are in order.
  /// \return whether they were; else there are none now
  /// \cost   O(capacity)
  bool resume() noexcept {
    const std::uint32_t end = Memory::load(state_[ring::end]);
    if (is_sound(first(), end)) return true;
    if (shape_.when_full == WhenFull::oldest_gives_way)
      Memory::store(state_[ring::oldest], end);
    else
      Memory::store(state_[ring::end], Memory::load(state_[ring::begin]));
    return false;
  }

private:
  [[nodiscard]] std::uint32_t word(std::uint32_t place) const noexcept {
    return Memory::load(state_[ring::words + (place & (shape_.capacity - 1))]);
  }
  /// Where the oldest record begins that is still there for certain.
  [[nodiscard]] std::uint32_t first() const noexcept {
    return Memory::load(state_[shape_.when_full == WhenFull::oldest_gives_way ? ring::oldest : ring::begin]);
  }
  /// Whether there are records from one place to the other, and nothing else.
  [[nodiscard]] bool is_sound(std::uint32_t from, std::uint32_t end) const noexcept {
    if (end - from > shape_.capacity) return false;
    while (from != end) {
      const std::uint32_t words = words_of(word(from));
      if (words > shape_.longest || words >= end - from) return false;
      from += words + 1;
    }
    return true;
  }
  static void add(std::uint32_t& word, std::uint32_t more) noexcept { Memory::store(word, Memory::load(word) + more); }

  static constexpr std::uint32_t words_of_loss = 2;

  [[nodiscard, gnu::always_inline]] inline std::uint32_t* at(std::uint32_t place) const noexcept {
    return state_ + (place & (shape_.capacity - 1)) + ring::words;
  }
  /// \param kept  words that are left free besides
  [[nodiscard, gnu::always_inline]] inline bool has_room(std::uint32_t end, std::uint32_t words,
                                                         std::uint32_t kept = 0) noexcept {
    return words <= shape_.longest && (shape_.when_full == WhenFull::oldest_gives_way
                                           ? make_room(end, words)
                                           : Memory::load(state_[ring::begin]) + shape_.capacity - end > words + kept);
  }
  [[nodiscard, gnu::always_inline]] inline std::uint32_t* room(std::uint32_t end, std::uint32_t words) noexcept {
    if (has_room(end, words)) [[likely]]
      return at(end);
    add(state_[ring::refused], 1);
    return nullptr;
  }
  template <class... Words>
  [[gnu::always_inline]] inline void fill(std::uint32_t* to, std::uint32_t end, std::uint32_t kind, std::uint32_t token,
                                          Words... words) noexcept {
    Memory::store(*to, head(kind, sizeof...(Words), token));
    (Memory::store(*++to, static_cast<std::uint32_t>(words)), ...);
    Memory::order();
    Memory::store(state_[ring::end], end + static_cast<std::uint32_t>(sizeof...(Words)) + 1);
  }
  /// Counts a record that is left out, in the newest record if that tells of the one before it, too, else in one of its own.
  /// What a reader has copied before is told by `refused` alone.
  template <std::uint32_t Kind>
  [[gnu::noinline, gnu::cold]] static void leave_out(std::uint32_t* state, Shape shape) noexcept {
    ChannelWriter(state, shape).tell_of_one(Kind);
  }
  void tell_of_one(std::uint32_t kind) noexcept {
    add(state_[ring::refused], 1);
    if (shape_.when_full == WhenFull::oldest_gives_way) return;
    const std::uint32_t end = Memory::load(state_[ring::end]), tells = head(kind, words_of_loss - 1);
    std::uint32_t* const newest = at(end - words_of_loss);
    if (Memory::load(state_[ring::told]) == end && Memory::load(state_[ring::begin]) != end &&
        Memory::load(*newest) == tells) {
      add(newest[1], 1);
    } else if (has_room(end, words_of_loss - 1)) {
      fill(at(end), end, kind, 0, std::uint32_t{1});
      Memory::store(state_[ring::told], end + words_of_loss);
    }
  }
  /// Gives up the oldest records until there is room: a reader that is at one of them finds `oldest` beyond it.
  bool make_room(std::uint32_t end, std::uint32_t words) noexcept {
    std::uint32_t oldest = Memory::load(state_[ring::oldest]), given_up = 0;
    while (end - oldest + words >= shape_.capacity) {
      oldest += words_of(word(oldest)) + 1;
      ++given_up;
      if (end - oldest > shape_.capacity) [[unlikely]] // somebody wrote over a head
        oldest = end;
    }
    if (given_up != 0) { // counted first: one too many for a moment rather than one too few for ever
      add(state_[ring::gave_way], given_up);
      Memory::order();
      Memory::store(state_[ring::oldest], oldest);
      Memory::order();
    }
    return true;
  }

  std::uint32_t* state_;
  [[no_unique_address]] Shape shape_;
};

/// The side that reads. It may come late, stop, or be replaced by another: where it was stands in the memory.
template <class ShapeType, class Memory = target::SharedMemory>
class ChannelReader {
public:
  using Shape = ShapeType;
  explicit constexpr ChannelReader(std::uint32_t* state, Shape shape = {}) noexcept : state_(state), shape_(shape) {}

  /// Takes the next record, its head first.
  ///
  /// \param to  longest + 1 words
  /// \return how many words it has, its head included; 0 if there is none, or the writer was faster `tries` times
  /// \cost  O(words)
  [[nodiscard]] std::uint32_t read(std::span<std::uint32_t> to) noexcept {
    const bool gives_way = shape_.when_full == WhenFull::oldest_gives_way;
    for (int attempt = 0; attempt < tries; ++attempt) {
      const std::uint32_t oldest = Memory::load(state_[ring::oldest]);
      Memory::order();
      const std::uint32_t end = Memory::load(state_[ring::end]);
      Memory::order();
      if (gives_way) catch_up(oldest);
      const std::uint32_t begin = Memory::load(state_[ring::begin]), waiting = end - begin;
      if (waiting == 0) return 0;
      if (waiting > shape_.capacity) {
        if (gives_way && Memory::load(state_[ring::oldest]) != oldest) continue;
        return give_up(end);
      }
      const std::uint32_t* const from = state_ + ring::words + (begin & (shape_.capacity - 1));
      const std::uint32_t head = Memory::load(from[0]), count = words_of(head) + 1;
      const bool is_record = count - 1 <= shape_.longest && count <= waiting && count <= to.size();
      if (is_record) {
        to[0] = head;
        for (std::uint32_t word = 1; word < count; ++word) to[word] = Memory::load(from[word]);
      }
      Memory::order();
      if (gives_way && is_behind(begin, Memory::load(state_[ring::oldest]))) continue; // while it was read
      if (!is_record) return give_up(end);
      if (gives_way) Memory::store(state_[ring::number], Memory::load(state_[ring::number]) + 1);
      Memory::store(state_[ring::begin], begin + count);
      return count;
    }
    return 0;
  }
  static constexpr int tries = 8;

  /// Gives up what waits. \pre the newest is refused where there is no room
  void skip() noexcept { Memory::store(state_[ring::begin], Memory::load(state_[ring::end])); }

  /// Words of records that wait, with those that gave way since.
  [[nodiscard]] std::uint32_t waiting() const noexcept {
    return Memory::load(state_[ring::end]) - Memory::load(state_[ring::begin]);
  }
  /// Records that were refused or gave way before they were read, since the reader before this one; modulo 2^32. Of
  /// records that give way while it looks, it may tell too many until the next `read`.
  [[nodiscard]] std::uint32_t missed() noexcept {
    const std::uint32_t refused = Memory::load(state_[ring::refused]);
    missed_ += refused - Memory::load(state_[ring::noticed]);
    Memory::store(state_[ring::noticed], refused);
    return missed_;
  }
  /// How often there was no record where one should begin, and all that waited was given up.
  [[nodiscard]] std::uint32_t damaged() const noexcept { return damaged_; }
  [[nodiscard]] constexpr Shape shape() const noexcept { return shape_; }

private:
  [[nodiscard]] static bool is_behind(std::uint32_t place, std::uint32_t other) noexcept {
    return static_cast<std::int32_t>(place - other) < 0;
  }
  /// Goes on to the oldest record, if it is behind that. Which record that is, the writer has counted.
  void catch_up(std::uint32_t oldest) noexcept {
    const std::uint32_t begin = Memory::load(state_[ring::begin]);
    if (begin != oldest && !is_behind(begin, oldest)) return;
    const std::uint32_t number = Memory::load(state_[ring::gave_way]);
    missed_ += number - Memory::load(state_[ring::number]);
    Memory::store(state_[ring::number], number);
    Memory::store(state_[ring::begin], oldest);
  }
  std::uint32_t give_up(std::uint32_t end) noexcept {
    ++damaged_;
    Memory::store(state_[ring::begin], end);
    return 0;
  }

  std::uint32_t* state_;
  std::uint32_t missed_ = 0, damaged_ = 0;
  [[no_unique_address]] Shape shape_;
};

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
