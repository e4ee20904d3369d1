// SPDX-License-Identifier: BSL-1.0
/// \file
/// Records over bytes that belong to them alone, a UART: each is followed by a CRC, which takes a third of the code of the
/// frames of `firmware/frames.hpp`.
///
/// What is damaged is left out, and the host asks once more. It begins with as many zeros as the longest record has bytes:
/// whatever the reader is in ends there, and no record begins with a zero.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_FRAMED_LINE_HPP
#define NEUROMORPH_FIRMWARE_GDB_FRAMED_LINE_HPP

#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/byte_channel.hpp>
#include <neuromorph/firmware/channel.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// The words of a record and a CRC of 32 bits (ISO 3309) of them, the lowest byte of each first.
/// \tparam Bytes  of which `put` waits for nobody but the line
template <ByteChannel Bytes>
class FramedLine {
public:
  explicit constexpr FramedLine(Bytes& bytes) noexcept : bytes_(bytes) {}

  /// The words of the next record, 0 if none is complete yet.
  /// \param to  the same each time: what has come of a record is kept there. A longer record is left out
  [[nodiscard, gnu::cold]] std::uint32_t read(std::span<std::uint32_t> to) noexcept {
    for (std::uint8_t byte = 0; bytes_.take(byte);) {
      if (size_ == 0) {
        if (byte == 0) continue; // no record begins with it
        sum_ = begin;
      }
      add(byte);
      const std::uint32_t word = size_++ / 4, words = words_of(to[0]) + 1; // which is right from the fourth byte on
      if (word < to.size() && (word == 0 || word < words)) to[word] = to[word] >> 8 | std::uint32_t{byte} << 24;
      if (size_ < 8 || size_ != 4 * (words + 1)) continue;
      size_ = 0;
      if (sum_ == right && words <= to.size()) return words;
    }
    return 0;
  }
  /// Waits until the bytes are gone.
  [[gnu::cold]] bool write(std::span<const std::uint32_t> record) noexcept {
    size_ = 0; // a request that had begun will come once more
    sum_ = begin;
    for (const std::uint32_t word : record) put(word);
    put(~sum_);
    return true;
  }

private:
  static constexpr std::uint32_t begin = ~std::uint32_t{0},
                                 right = 0xDEBB'20E3; ///< of a record with its CRC, whatever the record

  [[gnu::cold, gnu::noinline]] void add(std::uint8_t byte) noexcept {
    sum_ ^= byte;
    for (unsigned bit = 0; bit < 8; ++bit) sum_ = sum_ >> 1 ^ (0xEDB8'8320U & (0U - (sum_ & 1)));
  }
  [[gnu::cold, gnu::noinline]] void put(std::uint32_t word) noexcept {
    for (unsigned byte = 0; byte < 4; ++byte, word >>= 8) {
      add(static_cast<std::uint8_t>(word));
      while (!bytes_.put(static_cast<std::uint8_t>(word))) {}
    }
  }

  Bytes& bytes_;
  std::uint32_t size_ = 0, sum_ = 0; // of the record that is under way, in bytes, and its CRC
};

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
