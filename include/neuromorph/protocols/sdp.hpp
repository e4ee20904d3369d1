// SPDX-License-Identifier: BSL-1.0
/// \file
/// SDP: datagrams between hosts and cores of a SpiNNaker machine.
///
///     UDP: two bytes of 0 | flags | tag | to: port and core | from: port and core | to: y, x | from: y, x | data
///
/// Within the machine it is the same without the two bytes.
/// \source S. Temple, AppNote 4: SpiNNaker datagram protocol (SDP) specification; spinnaker_tools, include/sark.h
// not in the umbrella: for programs that speak with a machine
#ifndef NEUROMORPH_PROTOCOLS_SDP_HPP
#define NEUROMORPH_PROTOCOLS_SDP_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/protocols/bytes.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace protocols {

/// One end of a datagram.
struct SdpEnd {
  std::uint8_t x = 0, y = 0;
  std::uint8_t port = 0; ///< 0 to 7; 0 is the kernel's
  std::uint8_t core = 0; ///< 0 to 31, by its virtual number

  friend constexpr bool operator==(const SdpEnd&, const SdpEnd&) = default;
};
/// A host, as one end: port 7 and core 31 of chip (0, 0), which the machine knows by the tag.
inline constexpr SdpEnd sdp_host{.port = 7, .core = 31};

struct Sdp {
  static constexpr std::uint8_t reply_wanted = 0x87, no_reply = 0x07; ///< what flags mostly are
  static constexpr std::uint8_t reply_bit = 0x80;                     ///< the sender waits for an answer
  static constexpr std::uint8_t checksum_bit = 0x40;  ///< never set by those that there are, and not checked
  static constexpr std::uint8_t direct_bit = 0x20;    ///< not to be routed from chip to chip
  static constexpr std::uint8_t transient_tag = 0xFF; ///< of a host: answer to where this came from

  std::uint8_t flags = reply_wanted;
  std::uint8_t tag = transient_tag; ///< of the Ethernet chip, for what goes to a host
  SdpEnd to = {}, from = sdp_host;
  std::span<const std::uint8_t> data = {};

  [[nodiscard]] constexpr bool wants_reply() const noexcept { return (flags & reply_bit) != 0; }
  /// Its ends change places; it wants no reply itself; the tag stays.
  [[nodiscard]] constexpr Sdp reply(std::span<const std::uint8_t> with) const noexcept {
    return {static_cast<std::uint8_t>(flags & ~reply_bit), tag, from, to, with};
  }
};
inline constexpr std::size_t sdp_header_bytes = 8, sdp_padding_bytes = 2;
/// Of data: an SCP header with its arguments, 16 bytes, and 256 more.
inline constexpr std::size_t sdp_most_data = 272;

/// As it is within a machine.
/// \errors too_short: less than a header; too_long: more data than sdp_most_data
[[nodiscard]] constexpr Decoded<Sdp> decode_sdp(std::span<const std::uint8_t> bytes) noexcept {
  if (bytes.size() < sdp_header_bytes) return Malformed::too_short;
  if (bytes.size() - sdp_header_bytes > sdp_most_data) return Malformed::too_long;
  const auto end = [&bytes](std::size_t port, std::size_t y) {
    return SdpEnd{bytes[y + 1], bytes[y], static_cast<std::uint8_t>(bytes[port] >> 5),
                  static_cast<std::uint8_t>(bytes[port] & 31)};
  };
  return Sdp{bytes[0], bytes[1], end(2, 4), end(3, 6), bytes.subspan(sdp_header_bytes)};
}
/// As it is in a UDP datagram. What its first two bytes are does not matter.
/// \errors as decode_sdp
[[nodiscard]] constexpr Decoded<Sdp> decode_sdp_datagram(std::span<const std::uint8_t> bytes) noexcept {
  if (bytes.size() < sdp_padding_bytes) return Malformed::too_short;
  return decode_sdp(bytes.subspan(sdp_padding_bytes));
}

/// \return the bytes of it; 0, with nothing written, where `to` has too little room or the data are too many
/// \pre    ports are at most 7, cores at most 31: more bits are cut off
[[nodiscard]] constexpr std::size_t encode_sdp(const Sdp& sdp, std::span<std::uint8_t> to) noexcept {
  if (sdp.data.size() > sdp_most_data || to.size() < sdp_header_bytes + sdp.data.size()) return 0;
  const auto byte_of = [](const SdpEnd& end) { return static_cast<std::uint8_t>(end.port << 5 | (end.core & 31)); };
  to[0] = sdp.flags, to[1] = sdp.tag;
  to[2] = byte_of(sdp.to), to[3] = byte_of(sdp.from);
  to[4] = sdp.to.y, to[5] = sdp.to.x, to[6] = sdp.from.y, to[7] = sdp.from.x;
  put_bytes(to, sdp_header_bytes, sdp.data);
  return sdp_header_bytes + sdp.data.size();
}
[[nodiscard]] constexpr std::size_t encode_sdp_datagram(const Sdp& sdp, std::span<std::uint8_t> to) noexcept {
  if (to.size() < sdp_padding_bytes) return 0;
  const std::size_t bytes = encode_sdp(sdp, to.subspan(sdp_padding_bytes));
  if (bytes == 0) return 0;
  to[0] = 0, to[1] = 0;
  return sdp_padding_bytes + bytes;
}

} // namespace protocols
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
