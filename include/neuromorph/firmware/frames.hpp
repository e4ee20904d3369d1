// SPDX-License-Identifier: BSL-1.0
/// \file
/// Records over a line of bytes, a UART or TCP: frames with a CRC, in an order that tells what is lost, between zeros that
/// stand nowhere else.
///
///     firmware::FrameBridge bridge(mailbox, uart); // the mailbox's other side is at the end of the line
///     bridge.poll();                               // in the background
///
/// Who attaches late, or after noise, finds the next zero, and there a frame begins. See docs/mailbox.md.
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_FRAMES_HPP
#define NEUROMORPH_FIRMWARE_FRAMES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/byte_channel.hpp>
#include <neuromorph/firmware/channel.hpp>
#include <neuromorph/firmware/mailbox.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// Of words, the lowest byte of each first.
/// \source ISO 3309, the CRC of 32 bits of HDLC, also of Ethernet
/// \cost   eight steps of a table of 16 words for each word
[[nodiscard]] constexpr std::uint32_t crc_of(std::span<const std::uint32_t> words) noexcept {
  constexpr auto table = [] {
    std::array<std::uint32_t, 16> made{};
    for (std::uint32_t nibble = 0; nibble < 16; ++nibble) {
      made[nibble] = nibble;
      for (int bit = 0; bit < 4; ++bit) made[nibble] = made[nibble] >> 1 ^ ((made[nibble] & 1) != 0 ? 0xEDB88320U : 0);
    }
    return made;
  }();
  std::uint32_t crc = ~std::uint32_t{0};
  for (const std::uint32_t word : words) {
    crc ^= word; // as each nibble is before it counts
    for (int nibble = 0; nibble < 8; ++nibble) crc = crc >> 4 ^ table[crc & 15];
  }
  return ~crc;
}

/// The first word of a frame: 8 bits each for the channel and for how many of its records were missed before the line, 16
/// for which frame it is. Records follow, then the CRC of all of these.
namespace frame {
inline constexpr std::uint32_t layout_channel = 255; ///< of the host: asks for the mailbox's head; of the target: that
[[nodiscard]] constexpr std::uint32_t head(std::uint32_t channel, std::uint32_t missed, std::uint32_t number) noexcept {
  return (channel & 0xFF) | (missed & 0xFF) << 8 | number << 16;
}
[[nodiscard]] constexpr std::uint32_t channel_of(std::uint32_t head) noexcept { return head & 0xFF; }
[[nodiscard]] constexpr std::uint32_t missed_of(std::uint32_t head) noexcept { return head >> 8 & 0xFF; }
[[nodiscard]] constexpr std::uint32_t number_of(std::uint32_t head) noexcept { return head >> 16; }
} // namespace frame

/// Makes frames, and gives their bytes as the line takes them.
/// \tparam MostWords  of a frame, without its head and its CRC
template <std::uint32_t MostWords>
class FrameWriter {
public:
  /// Where what the next frame carries is written. \pre is_done()
  [[nodiscard]] std::span<std::uint32_t> words() noexcept { return std::span(words_).subspan(1, MostWords); }
  /// The first `count` words of those are a frame. \pre is_done(), count <= MostWords
  void start(std::uint32_t channel, std::uint32_t missed, std::uint32_t count) noexcept {
    words_[0] = frame::head(channel, missed, number_++);
    words_[count + 1] = crc_of(std::span(words_).first(count + 1));
    length_ = (count + 2) * 4;
    at_ = left_ = 0;
    stage_ = Stage::length;
  }
  [[nodiscard]] bool is_done() const noexcept { return stage_ == Stage::done; }
  /// Puts bytes until all are gone, or the line takes no more; whether all are.
  template <ByteChannel Bytes>
  bool pump(Bytes& line) noexcept {
    while (stage_ != Stage::done) {
      if (stage_ == Stage::length) { // how far the next zero is, be it of the frame or behind it
        left_ = 0;
        while (left_ < longest_run && at_ + left_ < length_ && byte(at_ + left_) != 0) ++left_;
        if (!line.put(static_cast<std::uint8_t>(left_ + 1))) return false;
        stage_ = Stage::run;
        is_whole_ = left_ == longest_run;
      }
      for (; stage_ == Stage::run && left_ > 0; --left_, ++at_)
        if (!line.put(byte(at_))) return false;
      if (stage_ == Stage::run) {
        if (!is_whole_) ++at_; // the zero
        stage_ = at_ > length_ ? Stage::end : Stage::length;
      }
      if (stage_ == Stage::end) {
        if (!line.put(0)) return false;
        stage_ = Stage::done;
      }
    }
    return true;
  }

private:
  enum class Stage : std::uint8_t { done, length, run, end };
  static constexpr std::uint32_t longest_run = 254;
  [[nodiscard]] std::uint8_t byte(std::uint32_t at) const noexcept {
    return static_cast<std::uint8_t>(words_[at / 4] >> at % 4 * 8);
  }

  std::array<std::uint32_t, MostWords + 2> words_{};
  std::uint32_t number_ = 0, length_ = 0, at_ = 0, left_ = 0;
  Stage stage_ = Stage::done;
  bool is_whole_ = false;
};

/// Finds frames in bytes.
template <std::uint32_t MostWords>
class FrameReader {
public:
  /// The next byte; whether a frame ends with it, which is shown until the next byte.
  bool take(std::uint8_t byte) noexcept {
    if (byte == 0) return end();
    if (left_ == 0) { // a length
      if (follows_zero_) add(0);
      left_ = byte;
      follows_zero_ = byte != 0xFF;
    } else {
      add(byte);
    }
    --left_;
    is_begun_ = true;
    return false;
  }
  [[nodiscard]] std::uint32_t channel() const noexcept { return frame::channel_of(words_[0]); }
  [[nodiscard]] std::uint32_t missed() const noexcept { return frame::missed_of(words_[0]); }
  [[nodiscard]] std::span<const std::uint32_t> words() const noexcept { return std::span(words_).subspan(1, count_); }

  /// Frames whose CRC was wrong, or that were too long; what came before the first zero does not count.
  [[nodiscard]] std::uint32_t damaged() const noexcept { return damaged_; }
  /// Frames that are missing between those that were right.
  [[nodiscard]] std::uint32_t lost() const noexcept { return lost_; }

private:
  void add(std::uint8_t byte) noexcept {
    if (bytes_ >= words_.size() * 4) {
      is_too_long_ = true;
      return;
    }
    std::uint32_t& word = words_[bytes_ / 4];
    if (bytes_ % 4 == 0) word = 0;
    word |= std::uint32_t{byte} << bytes_ % 4 * 8;
    ++bytes_;
  }
  bool end() noexcept {
    const std::uint32_t words = bytes_ / 4;
    const bool is_right = left_ == 0 && !is_too_long_ && bytes_ % 4 == 0 && words >= 2 &&
                          crc_of(std::span(words_).first(words - 1)) == words_[words - 1];
    if (is_begun_ && !is_right && is_found_) ++damaged_;
    if (is_right) {
      const std::uint32_t number = frame::number_of(words_[0]);
      if (has_number_) lost_ += (number - number_) & 0xFFFF;
      number_ = number + 1;
      has_number_ = true;
      count_ = words - 2;
    }
    bytes_ = left_ = 0;
    follows_zero_ = is_too_long_ = is_begun_ = false;
    is_found_ = true;
    return is_right;
  }

  std::array<std::uint32_t, MostWords + 2> words_{};
  std::uint32_t bytes_ = 0, left_ = 0, count_ = 0, number_ = 0, damaged_ = 0, lost_ = 0;
  bool follows_zero_ = false, is_too_long_ = false, is_begun_ = false, is_found_ = false, has_number_ = false;
};

/// The mailbox's other side where that has no window on it: sends what is written to the host, and delivers what comes.
///
/// \tparam Box    a Mailbox that has started
/// \tparam Bytes  a ByteChannel
template <class Box, ByteChannel Bytes>
class FrameBridge {
public:
  FrameBridge(Box& mailbox, Bytes& line) noexcept : region_(mailbox.region()), line_(&line) {
    (void)view_.attach(region_);
  }

  /// Sends until the line takes no more or there is nothing left, and takes up to `most` bytes.
  void poll(std::uint32_t most = 64) noexcept {
    for (std::uint8_t byte = 0; most > 0 && line_->take(byte); --most)
      if (reader_.take(byte)) deliver();
    while (writer_.pump(*line_) && fill()) {}
  }
  /// All that was written is sent.
  [[nodiscard]] bool is_idle() const noexcept {
    if (!writer_.is_done() || says_layout_) return false;
    MailboxView<> view = view_;
    for (std::uint32_t channel = 0; channel < view.channels(); ++channel)
      if (view.direction(channel) == Direction::to_host && view.reader(channel).waiting() != 0) return false;
    return true;
  }
  /// Frames from the host that were damaged or are missing, and records for which a channel had no room.
  [[nodiscard]] std::uint32_t lost() const noexcept { return reader_.damaged() + reader_.lost() + refused_; }

private:
  void deliver() noexcept {
    const std::uint32_t channel = reader_.channel();
    const auto record = reader_.words();
    if (channel == frame::layout_channel)
      says_layout_ = true;
    else if (channel >= view_.channels() || view_.direction(channel) != Direction::to_target || record.empty() ||
             words_of(record[0]) + 1 != record.size() || !view_.writer(channel).write(record))
      ++refused_;
  }
  /// The next frame, of each channel in turn.
  bool fill() noexcept {
    if (view_.has_restarted()) says_layout_ = true; // the host is told at once
    if (says_layout_) {
      says_layout_ = false;
      if (view_.has_restarted()) (void)view_.attach(region_);
      for (std::uint32_t at = 0; at < Box::layout_words; ++at) writer_.words()[at] = region_[at];
      writer_.start(frame::layout_channel, 0, Box::layout_words);
      return true;
    }
    for (std::uint32_t tried = 0; tried < Box::channels; ++tried) {
      next_ = next_ + 1 < Box::channels ? next_ + 1 : 0;
      if (view_.direction(next_) != Direction::to_host) continue;
      auto reader = view_.reader(next_);
      const std::uint32_t count = reader.read(writer_.words());
      missed_[next_] = static_cast<std::uint8_t>(missed_[next_] + reader.missed());
      if (count == 0) continue;
      writer_.start(next_, missed_[next_], count);
      return true;
    }
    return false;
  }

  static constexpr std::uint32_t most_words = Box::longest > Box::layout_words ? Box::longest : Box::layout_words;
  std::span<std::uint32_t> region_;
  Bytes* line_;
  MailboxView<> view_;
  FrameWriter<most_words> writer_;
  FrameReader<Box::longest> reader_;
  std::array<std::uint8_t, Box::channels> missed_{};
  std::uint32_t next_ = 0, refused_ = 0;
  bool says_layout_ = true;
};

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
