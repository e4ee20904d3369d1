// SPDX-License-Identifier: BSL-1.0
/// \file
/// The frames of gdb's remote serial protocol, `$text#sum`: what has come is read, and the answer written, in one buffer.
///
/// A packet whose sum is wrong is asked for once more, an answer that the other side did not understand is sent once more.
/// Who has left out acknowledgements (`QStartNoAckMode`) gets none.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_PACKET_HPP
#define NEUROMORPH_FIRMWARE_GDB_PACKET_HPP

#include <cstddef>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/byte_channel.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// The value of a hexadecimal digit, or 16.
[[nodiscard]] constexpr unsigned digit_of(char letter) noexcept {
  const unsigned decimal = static_cast<unsigned char>(letter) - unsigned{'0'};
  if (decimal < 10) return decimal;
  const unsigned later = (static_cast<unsigned char>(letter) | 0x20U) - unsigned{'a'};
  return later < 6 ? later + 10 : 16;
}
[[nodiscard]] constexpr char digit(unsigned value) noexcept {
  return static_cast<char>((value & 15) + ((value & 15) < 10 ? '0' : 'a' - 10));
}

/// What has come while the program runs.
enum class Seen : std::uint8_t {
  nothing,
  begin,     ///< of a packet: somebody wants to talk
  control_c, ///< the user wants it to stop
};

/// \tparam capacity  bytes of the longest answer; of a packet, one less
template <ByteChannel Channel, std::size_t capacity>
class Packets {
public:
  /// \param buffer  of `capacity` bytes; stands elsewhere, where it puts nothing else far away
  constexpr Packets(Channel& channel, char* buffer) noexcept : channel_(channel), buffer_(buffer) {}

  /// Takes what has come until something is to be told. What begins a packet is `receive`'s to go on with.
  [[gnu::cold]] Seen poll() noexcept {
    for (std::uint8_t byte = 0; channel_.take(byte);) {
      if (byte == '$') return Seen::begin;
      if (byte == 3) return Seen::control_c;
    }
    return Seen::nothing;
  }
  /// Waits for a packet and takes it.
  /// \param has_begun  `poll` has seen that it has
  [[gnu::cold]] void receive(bool has_begun) noexcept {
    for (;; has_begun = false) {
      char letter = '$';
      while (!has_begun && (letter = get()) != '$')
        if (letter == '-' && !no_acknowledgement) send();
      std::uint8_t sum = 0;
      do {
        if (letter == '$') { // never in a packet: what went before is lost
          begin();
          sum = 0;
        } else {
          sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(letter));
          put(letter);
        }
      } while ((letter = get()) != '#');
      const unsigned high = digit_of(get()), low = digit_of(get());
      const bool is_right = (high << 4U | low) == sum && low < 16;
      acknowledge(is_right);
      if (!is_right) size_ = 0;
      if (is_right) break;
    }
    if (size_ == capacity) size_ = 0; // one that does not fit is one that nobody knows
  }

  // Reading the packet. At its end there is nothing but zeros.
  [[nodiscard]] char peek() const noexcept { return at_ < size_ ? buffer_[at_] : '\0'; }
  char next() noexcept { return at_ < size_ ? buffer_[at_++] : '\0'; }
  [[nodiscard]] std::size_t left() const noexcept { return size_ - at_; }
  /// Whether the packet goes on with this text, which is then behind.
  [[nodiscard, gnu::cold]] bool skip(const char* text) noexcept {
    std::size_t at = at_;
    for (; *text != '\0'; ++text, ++at)
      if (at == size_ || buffer_[at] != *text) return false;
    at_ = at;
    return true;
  }
  /// A hexadecimal number. False where there is none, or one of more than 32 bits.
  [[nodiscard, gnu::cold]] bool number(std::uint32_t& value) noexcept {
    value = 0;
    const std::size_t begin = at_;
    for (unsigned next_digit; (next_digit = digit_of(peek())) < 16; ++at_) {
      if (value >> 28U != 0) return false;
      value = value << 4U | next_digit;
    }
    return at_ != begin;
  }
  /// A byte of two digits, or -1.
  [[nodiscard, gnu::cold]] int hex_byte() noexcept {
    const unsigned high = digit_of(next()), low = digit_of(next());
    return (high | low) < 16 ? static_cast<int>(high << 4U | low) : -1;
  }
  /// A byte as it is, of those that the protocol needs with a `}` before it; or -1.
  [[nodiscard, gnu::cold]] int binary_byte() noexcept {
    if (left() == 0) return -1;
    const char letter = next();
    if (letter != '}') return static_cast<unsigned char>(letter);
    return left() == 0 ? -1 : static_cast<unsigned char>(next()) ^ 0x20;
  }

  // Writing the answer, which takes the packet's place. What does not fit is left out.
  void begin() noexcept { size_ = at_ = 0; }
  void put(char letter) noexcept {
    if (size_ < capacity) buffer_[size_++] = letter;
  }
  [[gnu::cold]] void put(const char* text) noexcept {
    while (*text != '\0') put(*text++);
  }
  void replace_first(char letter) noexcept { buffer_[0] = letter; }
  [[gnu::cold]] void put_byte(std::uint32_t value) noexcept {
    put(digit(value >> 4U));
    put(digit(value));
  }
  void put_number(std::uint32_t value) noexcept {
    for (unsigned shift = 32; shift != 0;) put(digit(value >> (shift -= 4)));
  }
  /// Sends the answer; waits where the channel has no room.
  [[gnu::cold]] void send() noexcept {
    std::uint8_t sum = 0;
    write('$');
    for (std::size_t at = 0; at < size_; ++at) {
      sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(buffer_[at]));
      write(buffer_[at]);
    }
    write('#');
    write(digit(sum >> 4U));
    write(digit(sum));
  }
  /// A sign of its own, outside of packets.
  void acknowledge(bool right) noexcept {
    if (!no_acknowledgement) write(right ? '+' : '-');
  }

private:
  [[nodiscard]] char get() noexcept {
    std::uint8_t byte = 0;
    while (!channel_.take(byte)) {}
    return static_cast<char>(byte);
  }
  void write(char letter) noexcept {
    while (!channel_.put(static_cast<std::uint8_t>(letter))) {}
  }

public:
  bool no_acknowledgement = false;

private:
  Channel& channel_;
  char* buffer_;
  std::size_t size_ = 0, at_ = 0;
};

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
