// SPDX-License-Identifier: BSL-1.0
/// \file
/// Single bytes over two channels of a mailbox, for a debugger or a console: a ByteChannel.
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_CHANNEL_BYTES_HPP
#define NEUROMORPH_FIRMWARE_CHANNEL_BYTES_HPP

#include <array>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/channel.hpp>
#include <neuromorph/when_full.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// The kind of records of bytes: the token says how many, and they stand four to a word, the lowest first.
inline constexpr std::uint32_t bytes_kind = 1;

/// Collects what is put, and sends it when a record is full, by `flush`, and when nothing has come for `take`: who looks for
/// an answer has said all.
///
/// \tparam Reader, Writer  ChannelReader, whose longest record has at most Words words behind its head, and ChannelWriter
template <class Reader, class Writer, std::uint32_t Words = 15>
class ChannelBytes {
  template <std::uint32_t Capacity, std::uint32_t Longest, WhenFull Full>
  static consteval bool fits(FixedChannelShape<Capacity, Longest, Full>*) noexcept {
    return Longest >= 1 && Longest <= Words;
  }
  static consteval bool fits(ChannelShape*) noexcept { return true; } // known at run time
  static_assert(fits(static_cast<typename Reader::Shape*>(nullptr)),
                "neuromorph: the longest record of a channel of bytes has 1 to Words words behind its head; see "
                "docs/mailbox.md");

public:
  constexpr ChannelBytes(Reader reader, Writer writer) noexcept : reader_(reader), writer_(writer) {}

  [[nodiscard]] bool take(std::uint8_t& byte) noexcept {
    while (taken_ == come_) {
      if (reader_.read(in_) == 0) {
        (void)flush();
        return false;
      }
      const std::uint32_t most = words_of(in_[0]) * 4;
      taken_ = 0;
      come_ = kind_of(in_[0]) != bytes_kind ? 0 : token_of(in_[0]) < most ? token_of(in_[0]) : most;
    }
    byte = static_cast<std::uint8_t>(in_[1 + taken_ / 4] >> taken_ % 4 * 8);
    ++taken_;
    return true;
  }
  /// False, and nothing is done, if there is no room.
  [[nodiscard]] bool put(std::uint8_t byte) noexcept {
    const std::uint32_t longest = writer_.shape().longest < Words ? writer_.shape().longest : Words;
    if (put_ == longest * 4 && !flush()) return false;
    if (put_ % 4 == 0) out_[1 + put_ / 4] = 0;
    out_[1 + put_ / 4] |= std::uint32_t{byte} << put_ % 4 * 8;
    ++put_;
    return true;
  }
  /// Sends what was put; false if there is no room yet.
  bool flush() noexcept {
    if (put_ == 0) return true;
    const std::uint32_t words = (put_ + 3) / 4;
    if (writer_.shape().capacity - writer_.waiting() <= words) return false; // to be tried again, so none is lost
    out_[0] = head(bytes_kind, words, put_);
    if (!writer_.write(std::span<const std::uint32_t>(out_).first(words + 1))) return false;
    put_ = 0;
    return true;
  }

private:
  Reader reader_;
  Writer writer_;
  std::array<std::uint32_t, Words + 1> in_{}, out_{};
  std::uint32_t taken_ = 0, come_ = 0, put_ = 0;
};

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
