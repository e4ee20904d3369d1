// SPDX-License-Identifier: BSL-1.0
/// \file
/// EIEIO: events between a machine and the outside, many in a datagram, and the commands about them.
///
///     data: count | flags | key prefix | payload prefix | elements        command: number + 0x4000 | body
///
///     const auto events = protocols::EieioData::of(datagram);
///     if (events) for (std::size_t at = 0; at < events.value.count(); ++at) use(events.value[at].key);
/// \source A. Rast et al., the EIEIO protocol; SpiNNMan, messages/eieio
// not in the umbrella: for programs that speak with a machine
#ifndef NEUROMORPH_PROTOCOLS_EIEIO_HPP
#define NEUROMORPH_PROTOCOLS_EIEIO_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/protocols/bytes.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace protocols {

inline constexpr std::size_t eieio_most_bytes = 256; ///< of a message with its head, as SDP carries it

enum class EieioType : std::uint8_t { key16, key16_payload, key32, key32_payload };
/// What is the same for all events of a message.
struct EieioForm {
  EieioType type = EieioType::key32;
  bool has_key_prefix = false;
  bool is_prefix_upper = false; ///< of a key of 16 bits: the upper half of 32
  bool has_payload_prefix = false;
  bool payload_is_time = false;
  std::uint8_t tag = 0; ///< two bits
  std::uint16_t key_prefix = 0;
  std::uint32_t payload_prefix = 0; ///< of 16 bits where keys are

  [[nodiscard]] constexpr bool is_wide() const noexcept {
    return type == EieioType::key32 || type == EieioType::key32_payload;
  }
  [[nodiscard]] constexpr bool has_payloads() const noexcept {
    return type == EieioType::key16_payload || type == EieioType::key32_payload;
  }
  [[nodiscard]] constexpr std::size_t head_bytes() const noexcept {
    return 2U + (has_key_prefix ? 2U : 0U) + (has_payload_prefix ? (is_wide() ? 4U : 2U) : 0U);
  }
  [[nodiscard]] constexpr std::size_t element_bytes() const noexcept {
    return (is_wide() ? 4U : 2U) * (has_payloads() ? 2U : 1U);
  }
  /// Events that fit a message.
  [[nodiscard]] constexpr std::size_t most_events() const noexcept {
    const std::size_t count = (eieio_most_bytes - head_bytes()) / element_bytes();
    return count < 255 ? count : 255;
  }
  friend constexpr bool operator==(const EieioForm&, const EieioForm&) = default;
};
struct EieioEvent {
  std::uint32_t key = 0, payload = 0; ///< with their prefixes
  bool has_payload = false;
  friend constexpr bool operator==(const EieioEvent&, const EieioEvent&) = default;
};

/// Events of a message, in place.
class EieioData {
public:
  /// \errors too_short; too_long: more than eieio_most_bytes; unknown_command: it is a command, and no data; length_differs: there are more
  ///         or fewer bytes than for as many events as it says
  [[nodiscard]] static constexpr Decoded<EieioData> of(std::span<const std::uint8_t> bytes) noexcept {
    if (bytes.size() < 2) return Malformed::too_short;
    if (bytes.size() > eieio_most_bytes) return Malformed::too_long;
    const std::uint8_t flags = bytes[1];
    if ((flags & 0xC0) == 0x40) return Malformed::unknown_command;
    EieioData made;
    EieioForm& form = made.form_;
    form.has_key_prefix = (flags & 0x80) != 0, form.is_prefix_upper = (flags & 0x40) != 0;
    form.has_payload_prefix = (flags & 0x20) != 0, form.payload_is_time = (flags & 0x10) != 0;
    form.type = EieioType(flags >> 2 & 3), form.tag = flags & 3;
    if (bytes.size() < form.head_bytes()) return Malformed::too_short;
    std::size_t at = 2;
    if (form.has_key_prefix) form.key_prefix = half_at(bytes, at), at += 2;
    if (form.has_payload_prefix) form.payload_prefix = form.is_wide() ? word_at(bytes, at) : half_at(bytes, at);
    made.count_ = bytes[0], made.elements_ = bytes.subspan(form.head_bytes());
    if (made.elements_.size() != made.count_ * form.element_bytes()) return Malformed::length_differs;
    return made;
  }
  [[nodiscard]] constexpr const EieioForm& form() const noexcept { return form_; }
  [[nodiscard]] constexpr std::size_t count() const noexcept { return count_; }
  /// \pre at < count()
  [[nodiscard]] constexpr EieioEvent operator[](std::size_t at) const noexcept {
    const std::size_t begin = at * form_.element_bytes();
    EieioEvent made;
    made.key = form_.is_wide() ? word_at(elements_, begin) : half_at(elements_, begin);
    if (form_.has_key_prefix)
      made.key |= form_.is_prefix_upper ? std::uint32_t{form_.key_prefix} << 16 : std::uint32_t{form_.key_prefix};
    made.has_payload = form_.has_payloads() || form_.has_payload_prefix;
    if (form_.has_payloads())
      made.payload = form_.is_wide() ? word_at(elements_, begin + 4) : half_at(elements_, begin + 2);
    if (form_.has_payload_prefix) made.payload |= form_.payload_prefix;
    return made;
  }

private:
  EieioForm form_{};
  std::size_t count_ = 0;
  std::span<const std::uint8_t> elements_{};
};

/// Writes events to a message, as many as fit.
class EieioWriter {
public:
  /// \param to  its first bytes are the head; at most eieio_most_bytes are used
  constexpr EieioWriter(const EieioForm& form, std::span<std::uint8_t> to) noexcept
      : form_(form), to_(to.first(to.size() < eieio_most_bytes ? to.size() : eieio_most_bytes)) {
    if (to_.size() < form_.head_bytes()) return;
    to_[0] = 0;
    to_[1] = static_cast<std::uint8_t>((form_.has_key_prefix ? 0x80 : 0) |
                                       (form_.has_key_prefix && form_.is_prefix_upper ? 0x40 : 0) |
                                       (form_.has_payload_prefix ? 0x20 : 0) | (form_.payload_is_time ? 0x10 : 0) |
                                       int(form_.type) << 2 | (form_.tag & 3));
    used_ = 2;
    if (form_.has_key_prefix) put_half(to_, used_, form_.key_prefix), used_ += 2;
    if (!form_.has_payload_prefix) return;
    if (form_.is_wide())
      put_word(to_, used_, form_.payload_prefix);
    else
      put_half(to_, used_, form_.payload_prefix);
    used_ = form_.head_bytes();
  }
  /// \param key, payload  without their prefixes; of 16 bits where the form says so
  /// \return              whether there was room
  constexpr bool add(std::uint32_t key, std::uint32_t payload = 0) noexcept {
    if (used_ == 0 || to_[0] == 255 || to_.size() - used_ < form_.element_bytes()) return false;
    const auto put = [this](std::uint32_t word) {
      if (form_.is_wide())
        put_word(to_, used_, word), used_ += 4;
      else
        put_half(to_, used_, word), used_ += 2;
    };
    put(key);
    if (form_.has_payloads()) put(payload);
    ++to_[0];
    return true;
  }
  [[nodiscard]] constexpr std::size_t count() const noexcept { return used_ == 0 ? 0 : to_[0]; }
  /// What is sent; empty where not even the head has found room.
  [[nodiscard]] constexpr std::span<const std::uint8_t> bytes() const noexcept { return to_.first(used_); }

private:
  EieioForm form_;
  std::span<std::uint8_t> to_;
  std::size_t used_ = 0;
};

enum class EieioCommand : std::uint16_t {
  database = 1, ///< body: a path, and from a client nothing: it is ready
  padding = 2,
  stop = 3,
  stop_requests = 4,
  start_requests = 5,
  request_buffers = 6,
  sequenced_data = 7,
  request_read = 8,
  host_read = 9,
  stop_pause = 10,
  start_resume = 11,
  read_acknowledged = 12,
};
struct EieioMessage {
  EieioCommand command = EieioCommand::padding;
  std::span<const std::uint8_t> body{};

  /// \errors too_short; too_long; unknown_command: it is data, or has no number of a command
  [[nodiscard]] static constexpr Decoded<EieioMessage> of(std::span<const std::uint8_t> bytes) noexcept {
    if (bytes.size() < 2) return Malformed::too_short;
    const std::uint16_t head = half_at(bytes, 0);
    const std::uint16_t number = head & 0x3FFF;
    if (head >> 14 != 1 || number < 1 || number > 12) return Malformed::unknown_command;
    // The path of a database goes from host to host, and may be as long as a datagram.
    if (bytes.size() > eieio_most_bytes && EieioCommand(number) != EieioCommand::database) return Malformed::too_long;
    return EieioMessage{EieioCommand(number), bytes.subspan(2)};
  }
  /// \return its bytes; 0, with nothing written, where there is too little room
  [[nodiscard]] constexpr std::size_t write(std::span<std::uint8_t> to) const noexcept {
    if (to.size() < 2 + body.size()) return 0;
    put_half(to, 0, 0x4000U | std::uint32_t(command)), put_bytes(to, 2, body);
    return 2 + body.size();
  }
};
/// A core asks for more events for a region, from the number after the last that it has.
struct EieioBufferRequest {
  std::uint8_t x = 0, y = 0, core = 0; ///< cores 0 to 31
  std::uint8_t region = 0;             ///< 0 to 15
  std::uint8_t sequence = 0;
  std::uint32_t space = 0; ///< bytes
  static constexpr std::size_t bytes = 10;
  /// \param body  of a request_buffers
  /// \errors      length_differs; out_of_range: bits that are not used are set
  [[nodiscard]] static constexpr Decoded<EieioBufferRequest> of(std::span<const std::uint8_t> body) noexcept {
    if (body.size() != bytes) return Malformed::length_differs;
    if ((body[2] & 7) != 0 || body[3] != 0 || (body[4] & 0xF0) != 0) return Malformed::out_of_range;
    return EieioBufferRequest{body[1], body[0], static_cast<std::uint8_t>(body[2] >> 3),
                              body[4], body[5], word_at(body, 6)};
  }
  /// \pre to.size() >= bytes
  constexpr void write(std::span<std::uint8_t> to) const noexcept {
    to[0] = y, to[1] = x, to[2] = static_cast<std::uint8_t>(core << 3), to[3] = 0, to[4] = region & 15,
    to[5] = sequence;
    put_word(to, 6, space);
  }
  friend constexpr bool operator==(const EieioBufferRequest&, const EieioBufferRequest&) = default;
};
/// The answer of a host.
struct EieioSequenced {
  std::uint8_t region = 0, sequence = 0;
  EieioData events{};
  /// \param body  of a sequenced_data
  [[nodiscard]] static constexpr Decoded<EieioSequenced> of(std::span<const std::uint8_t> body) noexcept {
    if (body.size() < 2) return Malformed::too_short;
    if (body[0] > 15) return Malformed::out_of_range;
    const auto events = EieioData::of(body.subspan(2));
    if (!events) return events.why;
    return EieioSequenced{body[0], body[1], events.value};
  }
  /// \param events  as EieioWriter has made them
  /// \return        bytes of the body; 0, with nothing written, where there is too little room, or no such region
  [[nodiscard]] static constexpr std::size_t write(std::span<std::uint8_t> to, std::uint8_t region,
                                                   std::uint8_t sequence,
                                                   std::span<const std::uint8_t> events) noexcept {
    if (region > 15 || to.size() < 2 + events.size()) return 0;
    to[0] = region, to[1] = sequence, put_bytes(to, 2, events);
    return 2 + events.size();
  }
};

} // namespace protocols
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
