// SPDX-License-Identifier: BSL-1.0
/// \file
/// Little-endian fields of messages, and why a message is none.
///
///     const auto message = protocols::decode_sdp(datagram);
///     if (!message) return counts.add(message.why);
// not in the umbrella: for programs that speak with a machine
#ifndef NEUROMORPH_PROTOCOLS_BYTES_HPP
#define NEUROMORPH_PROTOCOLS_BYTES_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace protocols {

/// Why bytes are no message.
enum class Malformed : std::uint8_t {
  none,
  too_short,       ///< it ends within what must be there
  too_long,        ///< longer than a message of its kind may be
  length_differs,  ///< it has another length than it says
  unknown_command, ///< a number that no command has
  out_of_range,    ///< a field has a value that it may not have
  not_aligned,     ///< an address or a length does not fit the unit of an access
  wrong_version,   ///< of the protocol
  wrong_magic,     ///< a number that marks its kind is another
  wrong_checksum,
};
inline constexpr std::size_t malformed_reasons = 10;
[[nodiscard]] constexpr const char* describe(Malformed why) noexcept {
  switch (why) {
  case Malformed::none: return "well formed";
  case Malformed::too_short: return "it ends within what must be there";
  case Malformed::too_long: return "it is longer than a message of its kind may be";
  case Malformed::length_differs: return "it has another length than it says";
  case Malformed::unknown_command: return "its command is unknown";
  case Malformed::out_of_range: return "a field has a value that it may not have";
  case Malformed::not_aligned: return "an address or a length does not fit the unit of the access";
  case Malformed::wrong_version: return "it is of another version of the protocol";
  case Malformed::wrong_magic: return "the number that marks its kind is another";
  case Malformed::wrong_checksum: return "its checksum is wrong";
  }
  return "unknown";
}

/// A message, or why there is none; its value is as by default then.
template <class Message>
struct [[nodiscard]] Decoded {
  Malformed why = Malformed::none;
  Message value{};

  constexpr Decoded(Malformed reason) noexcept : why(reason) {}
  constexpr Decoded(const Message& message) noexcept : value(message) {}
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return why == Malformed::none; }
};

/// How many were refused, by reason. They end at 2^32 - 1.
class MalformedCounts {
public:
  constexpr void add(Malformed why) noexcept {
    std::uint32_t& of = counts_[std::size_t(why)];
    of += of != UINT32_MAX ? 1 : 0;
  }
  [[nodiscard]] constexpr std::uint32_t operator[](Malformed why) const noexcept { return counts_[std::size_t(why)]; }
  [[nodiscard]] constexpr std::uint64_t all() const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t why = 1; why < malformed_reasons; ++why) sum += counts_[why];
    return sum;
  }

private:
  std::array<std::uint32_t, malformed_reasons> counts_{};
};

/// \pre at + 2 or 4 <= bytes.size()
[[nodiscard]] constexpr std::uint16_t half_at(std::span<const std::uint8_t> bytes, std::size_t at) noexcept {
  return static_cast<std::uint16_t>(bytes[at] | bytes[at + 1] << 8);
}
[[nodiscard]] constexpr std::uint32_t word_at(std::span<const std::uint8_t> bytes, std::size_t at) noexcept {
  return std::uint32_t{half_at(bytes, at)} | std::uint32_t{half_at(bytes, at + 2)} << 16;
}
constexpr void put_half(std::span<std::uint8_t> bytes, std::size_t at, std::uint32_t half) noexcept {
  bytes[at] = static_cast<std::uint8_t>(half), bytes[at + 1] = static_cast<std::uint8_t>(half >> 8);
}
constexpr void put_word(std::span<std::uint8_t> bytes, std::size_t at, std::uint32_t word) noexcept {
  put_half(bytes, at, word), put_half(bytes, at + 2, word >> 16);
}

/// \pre at + from.size() <= to.size()
constexpr void put_bytes(std::span<std::uint8_t> to, std::size_t at, std::span<const std::uint8_t> from) noexcept {
  for (const std::uint8_t one : from) to[at++] = one;
}
/// \pre at + to.size() <= from.size()
constexpr void get_bytes(std::span<const std::uint8_t> from, std::size_t at, std::span<std::uint8_t> to) noexcept {
  for (std::uint8_t& one : to) one = from[at++];
}

} // namespace protocols
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
