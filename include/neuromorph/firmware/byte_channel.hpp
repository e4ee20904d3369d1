// SPDX-License-Identifier: BSL-1.0
/// \file
/// What carries single bytes between firmware and host: a UART, a channel of a mailbox, a test's own queue.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_BYTE_CHANNEL_HPP
#define NEUROMORPH_FIRMWARE_BYTE_CHANNEL_HPP

#include <concepts>
#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// Neither function waits: `take` is false where nothing has come, `put` where there is no room.
template <class Candidate>
concept ByteChannel = requires(Candidate& channel, std::uint8_t& to, std::uint8_t byte) {
  { channel.take(to) } -> std::same_as<bool>;
  { channel.put(byte) } -> std::same_as<bool>;
};

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
