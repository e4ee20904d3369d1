// SPDX-License-Identifier: BSL-1.0
/// \file
/// How a SpiNNaker machine is booted: an image in blocks over UDP, big-endian.
///
///     start(blocks) | block(0, 256 words) | block(1, ...) | ... | end
/// \source spinnaker_tools: boot ROM's protocol, version 1
// not in the umbrella: for programs that speak with a machine
#ifndef NEUROMORPH_PROTOCOLS_BOOT_HPP
#define NEUROMORPH_PROTOCOLS_BOOT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/protocols/bytes.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace protocols {

inline constexpr std::uint16_t boot_port = 54321;
inline constexpr std::size_t boot_block_bytes = 1024, boot_most_blocks = 32;
/// Of an image, which the host fills in before it is sent: the first half of the system variables.
inline constexpr std::size_t boot_variables_at = 384, boot_variables_bytes = 128;

struct BootPacket {
  enum class Operation : std::uint8_t { start = 1, block = 3, end = 5 };
  static constexpr std::size_t header_bytes = 18;
  static constexpr std::uint16_t version = 1;

  Operation operation = Operation::start;
  std::uint32_t arguments[3] = {};
  /// Of a block: words as they go over the net, each with its most significant byte first.
  std::span<const std::uint8_t> data{};

  /// \pre 1 <= blocks <= boot_most_blocks
  [[nodiscard]] static constexpr BootPacket start(std::uint32_t blocks) noexcept {
    return {Operation::start, {0, 0, blocks - 1}, {}};
  }
  /// \param words  with their bytes swapped already
  [[nodiscard]] static constexpr BootPacket block(std::uint32_t number, std::span<const std::uint8_t> words) noexcept {
    return {Operation::block, {static_cast<std::uint32_t>(words.size() / 4 - 1) << 8 | number, 0, 0}, words};
  }
  [[nodiscard]] static constexpr BootPacket end() noexcept { return {Operation::end, {1, 0, 0}, {}}; }

  [[nodiscard]] constexpr std::uint32_t blocks() const noexcept { return arguments[2] + 1; }
  [[nodiscard]] constexpr std::uint32_t number() const noexcept { return arguments[0] & 0xFF; }
};

/// \errors too_short; wrong_version; unknown_command; out_of_range: a block's number, or how many there are; length_differs: other
///         data than a block says
[[nodiscard]] constexpr Decoded<BootPacket> decode_boot(std::span<const std::uint8_t> bytes) noexcept {
  if (bytes.size() < BootPacket::header_bytes) return Malformed::too_short;
  const auto big_word = [&bytes](std::size_t at) {
    return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 | std::uint32_t{bytes[at + 2]} << 8 |
           bytes[at + 3];
  };
  if ((bytes[0] << 8 | bytes[1]) != BootPacket::version) return Malformed::wrong_version;
  const std::uint32_t operation = big_word(2);
  if (operation != 1 && operation != 3 && operation != 5) return Malformed::unknown_command;
  BootPacket made{BootPacket::Operation(operation),
                  {big_word(6), big_word(10), big_word(14)},
                  bytes.subspan(BootPacket::header_bytes)};
  if (made.operation == BootPacket::Operation::block) {
    if (made.number() >= boot_most_blocks || made.arguments[0] >> 16 != 0) return Malformed::out_of_range;
    if (made.data.size() != ((made.arguments[0] >> 8) + 1) * 4) return Malformed::length_differs;
  } else {
    if (made.operation == BootPacket::Operation::start && made.arguments[2] >= boot_most_blocks)
      return Malformed::out_of_range;
    if (!made.data.empty()) return Malformed::length_differs;
  }
  return made;
}
/// \return its bytes; 0, with nothing written, where there is too little room
[[nodiscard]] constexpr std::size_t encode_boot(const BootPacket& packet, std::span<std::uint8_t> to) noexcept {
  const std::size_t bytes = BootPacket::header_bytes + packet.data.size();
  if (to.size() < bytes) return 0;
  const auto put_big = [&to](std::size_t at, std::uint32_t word) {
    for (unsigned byte = 0; byte < 4; ++byte) to[at + byte] = static_cast<std::uint8_t>(word >> (24 - 8 * byte));
  };
  to[0] = 0, to[1] = BootPacket::version;
  put_big(2, std::uint32_t(packet.operation));
  for (std::size_t at = 0; at < 3; ++at) put_big(6 + 4 * at, packet.arguments[at]);
  put_bytes(to, BootPacket::header_bytes, packet.data);
  return bytes;
}

/// What a boot ROM knows of an image that comes in blocks, in any order.
class BootReceiver {
public:
  enum class State : std::uint8_t { waiting, receiving, complete };

  /// Anything but what fits where it stands is without effect.
  /// \param image  boot_most_blocks * boot_block_bytes bytes; words come in as a little-endian machine has them
  /// \return       why a packet was of no use
  constexpr Malformed take(const BootPacket& packet, std::span<std::uint8_t> image) noexcept {
    switch (packet.operation) {
    case BootPacket::Operation::start:
      state_ = State::receiving, wanted_ = packet.blocks(), seen_ = 0;
      return Malformed::none;
    case BootPacket::Operation::block: {
      const std::size_t begin = packet.number() * boot_block_bytes;
      if (state_ != State::receiving || packet.number() >= wanted_ || begin + packet.data.size() > image.size())
        return Malformed::out_of_range;
      for (std::size_t at = 0; at < packet.data.size(); ++at) image[begin + (at ^ 3)] = packet.data[at];
      seen_ |= std::uint32_t{1} << packet.number();
      return Malformed::none;
    }
    case BootPacket::Operation::end:
      if (state_ != State::receiving || missing() != 0) return Malformed::out_of_range;
      state_ = State::complete;
      return Malformed::none;
    }
    return Malformed::unknown_command;
  }
  [[nodiscard]] constexpr State state() const noexcept { return state_; }
  /// A bit for each block that has not come.
  [[nodiscard]] constexpr std::uint32_t missing() const noexcept {
    const std::uint32_t all = wanted_ >= 32 ? 0xFFFFFFFFU : (std::uint32_t{1} << wanted_) - 1;
    return all & ~seen_;
  }

private:
  State state_ = State::waiting;
  std::uint32_t wanted_ = 0, seen_ = 0;
};

} // namespace protocols
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
