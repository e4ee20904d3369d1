// SPDX-License-Identifier: BSL-1.0
/// \file
/// SCP: what a host asks of a SpiNNaker machine's monitor, and what it answers. It is the data of an SDP datagram.
///
///     request: command | sequence | three arguments | data       answer: result | sequence | data
///
///     const auto request = protocols::ReadMemory{.address = 0x60000000, .length = 256}.request(sequence);
///     const auto asked = protocols::ReadMemory::of(request); // at the other end
/// \source spinnaker_tools, scamp/scamp-cmd.c, include/spinnaker.h: numbers and fields
// not in the umbrella: for programs that speak with a machine
#ifndef NEUROMORPH_PROTOCOLS_SCP_HPP
#define NEUROMORPH_PROTOCOLS_SCP_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/protocols/bytes.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace protocols {

enum class ScpCommand : std::uint16_t {
  version = 0,
  read = 2,
  write = 3,
  fill = 5,
  count_cores = 15, ///< of SC&MP 4
  remap_core = 16,
  link_read = 17,
  link_write = 18,
  application_run = 19,
  nearest_neighbour_packet = 20,
  application_copy_run = 21,
  signal = 22,
  flood_fill_data = 23,
  application_start = 24,
  led = 25,
  ip_tag = 26,
  allocate = 28,
  router = 29,
  chip_info = 31,
  synchronise = 32,
  bmp_info = 48,
  bmp_power = 57,
};
[[nodiscard]] constexpr bool is_command(std::uint16_t number) noexcept {
  constexpr std::uint64_t known = 0x0201'0001'B7FF'802DU;
  return number < 64 && (known >> number & 1) != 0;
}

enum class ScpResult : std::uint16_t {
  ok = 0x80,
  bad_length = 0x81,
  bad_checksum = 0x82, ///< ask again
  bad_command = 0x83,
  bad_argument = 0x84,
  bad_port = 0x85,
  timeout = 0x86,
  no_route = 0x87,
  bad_core = 0x88,
  core_dead = 0x89,
  no_buffer = 0x8A,
  p2p_no_reply = 0x8B,
  p2p_rejected = 0x8C,
  p2p_busy = 0x8D, ///< ask again
  p2p_timeout = 0x8E,
  packet_not_sent = 0x8F,
};
[[nodiscard]] constexpr bool is_result(std::uint16_t number) noexcept { return number >= 0x80 && number <= 0x8F; }
[[nodiscard]] constexpr const char* describe(ScpResult result) noexcept {
  constexpr const char* sentences[] = {"done",
                                       "the request has a wrong length",
                                       "its checksum is wrong",
                                       "there is no such command",
                                       "an argument is wrong",
                                       "the port is wrong",
                                       "it took too long",
                                       "no route leads to the chip",
                                       "there is no such core",
                                       "the core is dead, or does not answer",
                                       "there is no free buffer",
                                       "no answer came from the other chip",
                                       "the other chip has refused",
                                       "the other chip is busy",
                                       "the other chip took too long",
                                       "a packet could not be sent"};
  return is_result(std::uint16_t(result)) ? sentences[std::uint16_t(result) - 0x80] : "unknown result";
}
/// Whether the same request may be sent again as it is.
[[nodiscard]] constexpr bool is_worth_another_try(ScpResult result) noexcept {
  return result == ScpResult::bad_checksum || result == ScpResult::p2p_busy;
}

inline constexpr std::size_t scp_request_bytes = 16, scp_reply_bytes = 4;
inline constexpr std::size_t scp_most_data = 256; ///< after the arguments; a reader's and a writer's most

struct ScpRequest {
  std::uint16_t command = 0, sequence = 0;
  std::array<std::uint32_t, 3> arguments{};
  std::span<const std::uint8_t> data{};
};
struct ScpReply {
  ScpResult result = ScpResult::ok;
  std::uint16_t sequence = 0; ///< that of the request
  std::span<const std::uint8_t> data{};

  /// \return the n-th argument of the answer; 0 where it has none
  [[nodiscard]] constexpr std::uint32_t argument(std::size_t at) const noexcept {
    return data.size() >= 4 * at + 4 ? word_at(data, 4 * at) : 0;
  }
};

/// \errors too_short: not all arguments; too_long: more than 256 bytes of data
[[nodiscard]] constexpr Decoded<ScpRequest> decode_request(std::span<const std::uint8_t> bytes) noexcept {
  if (bytes.size() < scp_request_bytes) return Malformed::too_short;
  if (bytes.size() > scp_request_bytes + scp_most_data) return Malformed::too_long;
  return ScpRequest{half_at(bytes, 0),
                    half_at(bytes, 2),
                    {word_at(bytes, 4), word_at(bytes, 8), word_at(bytes, 12)},
                    bytes.subspan(scp_request_bytes)};
}
/// \return its bytes; 0, with nothing written, where `to` has too little room or the data are too many
[[nodiscard]] constexpr std::size_t encode_request(const ScpRequest& request, std::span<std::uint8_t> to) noexcept {
  const std::size_t bytes = scp_request_bytes + request.data.size();
  if (request.data.size() > scp_most_data || to.size() < bytes) return 0;
  put_half(to, 0, request.command), put_half(to, 2, request.sequence);
  for (std::size_t at = 0; at < 3; ++at) put_word(to, 4 + 4 * at, request.arguments[at]);
  put_bytes(to, scp_request_bytes, request.data);
  return bytes;
}
/// \errors too_short; too_long; out_of_range: a result that there is none of
[[nodiscard]] constexpr Decoded<ScpReply> decode_reply(std::span<const std::uint8_t> bytes) noexcept {
  if (bytes.size() < scp_reply_bytes) return Malformed::too_short;
  if (bytes.size() > scp_request_bytes + scp_most_data) return Malformed::too_long;
  if (!is_result(half_at(bytes, 0))) return Malformed::out_of_range;
  return ScpReply{ScpResult(half_at(bytes, 0)), half_at(bytes, 2), bytes.subspan(scp_reply_bytes)};
}
/// \return as encode_request
[[nodiscard]] constexpr std::size_t encode_reply(const ScpReply& reply, std::span<std::uint8_t> to) noexcept {
  const std::size_t bytes = scp_reply_bytes + reply.data.size();
  if (bytes > scp_request_bytes + scp_most_data || to.size() < bytes) return 0;
  put_half(to, 0, std::uint16_t(reply.result)), put_half(to, 2, reply.sequence);
  put_bytes(to, scp_reply_bytes, reply.data);
  return bytes;
}

namespace detail {
/// A request with no more than arguments.
[[nodiscard]] constexpr ScpRequest asked(ScpCommand command, std::uint16_t sequence, std::uint32_t first = 0,
                                         std::uint32_t second = 0, std::uint32_t third = 0,
                                         std::span<const std::uint8_t> data = {}) noexcept {
  return {std::uint16_t(command), sequence, {first, second, third}, data};
}
/// Bits `low` to `low + count - 1`.
[[nodiscard]] constexpr std::uint32_t field(std::uint32_t word, unsigned low, unsigned count) noexcept {
  return word >> low & ((std::uint32_t{1} << count) - 1);
}
} // namespace detail

/// Of memory: how much is read or written at once.
enum class AccessUnit : std::uint8_t { byte, half, word };
[[nodiscard]] constexpr bool is_aligned(std::uint32_t address, std::uint32_t length, AccessUnit unit) noexcept {
  return ((address | length) & ((1U << unsigned(unit)) - 1)) == 0;
}
/// The widest one that an address and a length allow.
[[nodiscard]] constexpr AccessUnit unit_of(std::uint32_t address, std::uint32_t length) noexcept {
  return is_aligned(address, length, AccessUnit::word)   ? AccessUnit::word
         : is_aligned(address, length, AccessUnit::half) ? AccessUnit::half
                                                         : AccessUnit::byte;
}

/// Asks who is there.
struct AskVersion {
  static constexpr ScpCommand command = ScpCommand::version;
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence);
  }
  [[nodiscard]] static constexpr Decoded<AskVersion> of(const ScpRequest&) noexcept { return AskVersion{}; }
};
/// The answer. In the old form the version is a number; in the new one 0xFFFF, and it stands in the text behind the name.
struct Version {
  static constexpr std::uint16_t in_text = 0xFFFF;
  static constexpr std::uint16_t not_booted = 0xFFFF;
  std::uint16_t chip = 0; ///< x << 8 | y; not_booted before its place in the machine is known
  std::uint8_t physical_core = 0, virtual_core = 0;
  std::uint16_t version = in_text;        ///< times 100
  std::uint16_t buffer_bytes = 256;       ///< the most data of a command
  std::uint32_t built = 0;                ///< seconds since 1970
  std::span<const char> name{}, number{}; ///< "SC&MP/SpiNNaker", "4.0.0"

  /// \errors too_short; out_of_range: a text without an end
  [[nodiscard]] static constexpr Decoded<Version> of(const ScpReply& reply, std::span<char> letters) noexcept {
    if (reply.data.size() < 12) return Malformed::too_short;
    Version made;
    const std::uint32_t first = reply.argument(0), second = reply.argument(1);
    made.chip = static_cast<std::uint16_t>(first >> 16);
    made.physical_core = static_cast<std::uint8_t>(first >> 8), made.virtual_core = static_cast<std::uint8_t>(first);
    made.version = static_cast<std::uint16_t>(second >> 16), made.buffer_bytes = static_cast<std::uint16_t>(second);
    made.built = reply.argument(2);
    std::size_t used = 0, at = 12;
    const auto text = [&](std::span<const char>& to) {
      const std::size_t begin = used;
      while (at < reply.data.size() && reply.data[at] != 0) {
        if (used == letters.size()) return false;
        letters[used++] = static_cast<char>(reply.data[at++]);
      }
      if (at == reply.data.size()) return false;
      ++at;
      to = letters.subspan(begin, used - begin);
      return true;
    };
    if (!text(made.name)) return Malformed::out_of_range;
    if (made.version == in_text && !text(made.number)) return Malformed::out_of_range;
    return made;
  }
  /// \return bytes of the data of an answer; 0 where there is too little room
  [[nodiscard]] constexpr std::size_t write(std::span<std::uint8_t> to) const noexcept {
    const std::size_t bytes = 12 + name.size() + 1 + (version == in_text ? number.size() + 1 : 0);
    if (to.size() < bytes) return 0;
    put_word(to, 0, std::uint32_t{chip} << 16 | std::uint32_t{physical_core} << 8 | virtual_core);
    put_word(to, 4, std::uint32_t{version} << 16 | buffer_bytes), put_word(to, 8, built);
    std::size_t at = 12;
    for (const char one : name) to[at++] = static_cast<std::uint8_t>(one);
    to[at++] = 0;
    if (version != in_text) return at;
    for (const char one : number) to[at++] = static_cast<std::uint8_t>(one);
    to[at++] = 0;
    return at;
  }
};

/// Memory of the chip, or of a core; the answer's data are what is there.
struct ReadMemory {
  static constexpr ScpCommand command = ScpCommand::read;
  std::uint32_t address = 0, length = 0; ///< at most 256 bytes
  AccessUnit unit = AccessUnit::byte;
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, address, length, std::uint32_t(unit));
  }
  /// \errors out_of_range: the length or the unit; not_aligned
  [[nodiscard]] static constexpr Decoded<ReadMemory> of(const ScpRequest& request) noexcept {
    const auto& given = request.arguments;
    if (given[1] > scp_most_data || given[2] > 2) return Malformed::out_of_range;
    const ReadMemory made{given[0], given[1], AccessUnit(given[2])};
    if (!is_aligned(made.address, made.length, made.unit)) return Malformed::not_aligned;
    return made;
  }
};
struct WriteMemory {
  static constexpr ScpCommand command = ScpCommand::write;
  std::uint32_t address = 0;
  AccessUnit unit = AccessUnit::byte;
  std::span<const std::uint8_t> data{}; ///< at most 256 bytes
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, address, static_cast<std::uint32_t>(data.size()), std::uint32_t(unit),
                         data);
  }
  /// \errors out_of_range: the length or the unit; length_differs: other data than the length says; not_aligned
  [[nodiscard]] static constexpr Decoded<WriteMemory> of(const ScpRequest& request) noexcept {
    const auto& given = request.arguments;
    if (given[1] > scp_most_data || given[2] > 2) return Malformed::out_of_range;
    if (request.data.size() != given[1]) return Malformed::length_differs;
    const WriteMemory made{given[0], AccessUnit(given[2]), request.data};
    if (!is_aligned(made.address, given[1], made.unit)) return Malformed::not_aligned;
    return made;
  }
};
/// With one word, so many bytes of memory.
struct FillMemory {
  static constexpr ScpCommand command = ScpCommand::fill;
  std::uint32_t address = 0, word = 0, length = 0;
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, address, word, length);
  }
  [[nodiscard]] static constexpr Decoded<FillMemory> of(const ScpRequest& request) noexcept {
    const FillMemory made{request.arguments[0], request.arguments[1], request.arguments[2]};
    if (!is_aligned(made.address, made.length, AccessUnit::word)) return Malformed::not_aligned;
    return made;
  }
};
/// Memory of the chip behind a link, in words.
struct LinkRead {
  static constexpr ScpCommand command = ScpCommand::link_read;
  std::uint32_t address = 0, length = 0; ///< at most 256 bytes
  std::uint8_t link = 0;                 ///< 0 to 5
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, address, length, link);
  }
  [[nodiscard]] static constexpr Decoded<LinkRead> of(const ScpRequest& request) noexcept {
    const auto& given = request.arguments;
    if (given[1] > scp_most_data || given[2] > 5) return Malformed::out_of_range;
    if (!is_aligned(given[0], given[1], AccessUnit::word)) return Malformed::not_aligned;
    return LinkRead{given[0], given[1], static_cast<std::uint8_t>(given[2])};
  }
};
struct LinkWrite {
  static constexpr ScpCommand command = ScpCommand::link_write;
  std::uint32_t address = 0;
  std::uint8_t link = 0;
  std::span<const std::uint8_t> data{};
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, address, static_cast<std::uint32_t>(data.size()), link, data);
  }
  [[nodiscard]] static constexpr Decoded<LinkWrite> of(const ScpRequest& request) noexcept {
    const auto& given = request.arguments;
    if (given[1] > scp_most_data || given[2] > 5) return Malformed::out_of_range;
    if (request.data.size() != given[1]) return Malformed::length_differs;
    if (!is_aligned(given[0], given[1], AccessUnit::word)) return Malformed::not_aligned;
    return LinkWrite{given[0], static_cast<std::uint8_t>(given[2]), request.data};
  }
};

/// How many cores of an application are in a state; of this board alone. SC&MP 4; the answer's argument is the number.
struct CountCores {
  static constexpr ScpCommand command = ScpCommand::count_cores;
  std::uint8_t application = 0, state = 0; ///< states 0 to 15
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, application, state);
  }
  [[nodiscard]] static constexpr Decoded<CountCores> of(const ScpRequest& request) noexcept {
    if (request.arguments[0] > 255 || request.arguments[1] > 15) return Malformed::out_of_range;
    return CountCores{static_cast<std::uint8_t>(request.arguments[0]), static_cast<std::uint8_t>(request.arguments[1])};
  }
};
/// Takes a core out of use, until the next boot.
struct RemapCore {
  static constexpr ScpCommand command = ScpCommand::remap_core;
  std::uint8_t core = 0;
  bool is_physical = false; ///< by which of its numbers it is told
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, core, is_physical ? 1 : 0);
  }
  [[nodiscard]] static constexpr Decoded<RemapCore> of(const ScpRequest& request) noexcept {
    if (request.arguments[0] > 17 || request.arguments[1] > 1) return Malformed::out_of_range;
    return RemapCore{static_cast<std::uint8_t>(request.arguments[0]), request.arguments[1] != 0};
  }
};

/// Which cores start what is loaded, as which application.
struct Launch {
  static constexpr std::uint8_t wait_flag = 1; ///< they wait for a signal before main
  std::uint8_t application = 0;
  std::uint8_t flags = 0;      ///< six bits
  std::uint32_t core_mask = 0; ///< bits 1 to 17
  [[nodiscard]] constexpr std::uint32_t word() const noexcept {
    return std::uint32_t{application} << 24 | std::uint32_t{flags} << 18 | core_mask;
  }
  /// \errors out_of_range: the monitor's core
  [[nodiscard]] static constexpr Decoded<Launch> of(std::uint32_t word) noexcept {
    if ((word & 1) != 0) return Malformed::out_of_range;
    return Launch{static_cast<std::uint8_t>(word >> 24), static_cast<std::uint8_t>(detail::field(word, 18, 6)),
                  detail::field(word, 0, 18)};
  }
  friend constexpr bool operator==(const Launch&, const Launch&) = default;
};
/// Starts the APLX image at sv.sdram_sys.
struct ApplicationRun {
  static constexpr ScpCommand command = ScpCommand::application_run;
  Launch launch{};
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, launch.word());
  }
  [[nodiscard]] static constexpr Decoded<ApplicationRun> of(const ScpRequest& request) noexcept {
    const auto launch = Launch::of(request.arguments[0]);
    if (!launch) return launch.why;
    return ApplicationRun{launch.value};
  }
};
/// Starts the APLX image at an address.
struct ApplicationStart {
  static constexpr ScpCommand command = ScpCommand::application_start;
  std::uint32_t address = 0;
  Launch launch{};
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, address, launch.word());
  }
  [[nodiscard]] static constexpr Decoded<ApplicationStart> of(const ScpRequest& request) noexcept {
    const auto launch = Launch::of(request.arguments[1]);
    if (!launch) return launch.why;
    if (request.arguments[0] % 4 != 0) return Malformed::not_aligned;
    return ApplicationStart{request.arguments[0], launch.value};
  }
};
/// Copies the image from the chip behind a link, and starts it.
struct ApplicationCopyRun {
  static constexpr ScpCommand command = ScpCommand::application_copy_run;
  std::uint8_t link = 0;
  std::uint32_t checksum = 0; ///< 29 bits
  std::uint32_t length = 0;   ///< bytes
  Launch launch{};
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, link | checksum << 3, length, launch.word());
  }
  [[nodiscard]] static constexpr Decoded<ApplicationCopyRun> of(const ScpRequest& request) noexcept {
    const auto launch = Launch::of(request.arguments[2]);
    if (!launch) return launch.why;
    const std::uint32_t link = request.arguments[0] & 7;
    if (link > 5) return Malformed::out_of_range;
    return ApplicationCopyRun{static_cast<std::uint8_t>(link), request.arguments[0] >> 3, request.arguments[1],
                              launch.value};
  }
};

/// A nearest-neighbour packet, sent through the machine.
struct NeighbourPacket {
  static constexpr ScpCommand command = ScpCommand::nearest_neighbour_packet;
  std::uint32_t key = 0, data = 0;
  std::uint8_t forward = 0, retry = 0;
  bool makes_id = false; ///< the monitor puts a number of its own into the key
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, key, data,
                         (makes_id ? std::uint32_t{1} << 31 : 0) | std::uint32_t{forward} << 8 | retry);
  }
  [[nodiscard]] static constexpr Decoded<NeighbourPacket> of(const ScpRequest& request) noexcept {
    const std::uint32_t third = request.arguments[2];
    if ((third & 0x7FFF0000U) != 0) return Malformed::out_of_range;
    return NeighbourPacket{request.arguments[0], request.arguments[1], static_cast<std::uint8_t>(third >> 8),
                           static_cast<std::uint8_t>(third), third >> 31 != 0};
  }
};

enum class Signal : std::uint8_t {
  initialise,
  power_down,
  stop,
  start,
  sync0,
  sync1,
  pause,
  go_on,
  exit,
  timer,
  user0,
  user1,
  user2,
  user3
};
/// To all cores of applications `application` as far as the mask has bits. Only the chip at (0, 0) takes it.
struct MulticastSignal {
  static constexpr ScpCommand command = ScpCommand::signal;
  Signal signal = Signal::initialise;
  std::uint8_t mask = 0xFF, application = 0;
  std::uint32_t chips = 0xFFFF; ///< the third argument
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, 0, std::uint32_t(signal) << 16 | std::uint32_t{mask} << 8 | application,
                         chips);
  }
};
/// Counts cores of an application in a state, over a region. Older than SC&MP 4, which refuses it.
struct CountSignal {
  static constexpr ScpCommand command = ScpCommand::signal;
  enum class Mode : std::uint8_t { any, all, count };
  std::uint8_t level = 0; ///< of the region, 0 to 3
  Mode mode = Mode::count;
  std::uint8_t state = 0, application = 0; ///< states 0 to 15
  std::uint32_t region = 0xFFFF;
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, 1,
                         std::uint32_t{level} << 26 | 1U << 22 | std::uint32_t(mode) << 20 |
                             std::uint32_t{state} << 16 | 0xFF00U | application,
                         region);
  }
};
/// Any of the forms of `signal`.
struct AnySignal {
  static constexpr ScpCommand command = ScpCommand::signal;
  enum class By : std::uint8_t { multicast, p2p, nearest_neighbour };
  By by = By::multicast;
  std::uint32_t data = 0, mask = 0;
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, std::uint32_t(by), data, mask);
  }
  [[nodiscard]] static constexpr Decoded<AnySignal> of(const ScpRequest& request) noexcept {
    if (request.arguments[0] > 2) return Malformed::out_of_range;
    return AnySignal{By(request.arguments[0]), request.arguments[1], request.arguments[2]};
  }
  /// \errors out_of_range: it is of another form, or a signal that there is none of
  [[nodiscard]] constexpr Decoded<MulticastSignal> multicast() const noexcept {
    if (by != By::multicast || data >> 16 > std::uint32_t(Signal::user3)) return Malformed::out_of_range;
    return MulticastSignal{Signal(data >> 16), static_cast<std::uint8_t>(data >> 8), static_cast<std::uint8_t>(data),
                           mask};
  }
  [[nodiscard]] constexpr Decoded<CountSignal> count() const noexcept {
    if (by != By::p2p || detail::field(data, 22, 2) != 1 || detail::field(data, 20, 2) == 3 || data >> 28 != 0)
      return Malformed::out_of_range;
    return CountSignal{static_cast<std::uint8_t>(detail::field(data, 26, 2)),
                       CountSignal::Mode(detail::field(data, 20, 2)),
                       static_cast<std::uint8_t>(detail::field(data, 16, 4)), static_cast<std::uint8_t>(data), mask};
  }
};

/// A block of a flood fill: words of an image for all chips.
struct FloodFillData {
  static constexpr ScpCommand command = ScpCommand::flood_fill_data;
  std::uint8_t forward = 0, retry = 0;
  std::uint8_t id = 0; ///< even, 2 to 252
  std::uint16_t block = 0;
  std::uint32_t address = 0;
  std::span<const std::uint8_t> data{}; ///< 1 to 64 words
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    const auto words = static_cast<std::uint32_t>(data.size() / 4);
    return detail::asked(command, sequence, std::uint32_t{forward} << 24 | std::uint32_t{retry} << 16 | id,
                         std::uint32_t{block} << 16 | (words - 1) << 8, address, data);
  }
  [[nodiscard]] static constexpr Decoded<FloodFillData> of(const ScpRequest& request) noexcept {
    const auto& given = request.arguments;
    if ((given[0] & 0xFF00U) != 0 || (given[1] & 0xFFU) != 0) return Malformed::out_of_range;
    const std::uint32_t words = detail::field(given[1], 8, 8) + 1;
    if (words > scp_most_data / 4) return Malformed::out_of_range;
    if (request.data.size() != words * 4) return Malformed::length_differs;
    if (given[2] % 4 != 0) return Malformed::not_aligned;
    return FloodFillData{static_cast<std::uint8_t>(given[0] >> 24),
                         static_cast<std::uint8_t>(given[0] >> 16),
                         static_cast<std::uint8_t>(given[0]),
                         static_cast<std::uint16_t>(given[1] >> 16),
                         given[2],
                         request.data};
  }
};
/// Lights of a board, two bits each.
struct SetLeds {
  static constexpr ScpCommand command = ScpCommand::led;
  enum class Light : std::uint8_t { leave, toggle, off, on };
  std::uint32_t lights = 0;
  [[nodiscard]] constexpr Light light(unsigned number) const noexcept { return Light(lights >> 2 * number & 3); }
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, lights);
  }
  [[nodiscard]] static constexpr Decoded<SetLeds> of(const ScpRequest& request) noexcept {
    return SetLeds{request.arguments[0]};
  }
};

/// An IP tag: where on the net datagrams of this tag go; or a reverse one: to which core a port's go.
struct IpTag {
  static constexpr ScpCommand command = ScpCommand::ip_tag;
  enum class Operation : std::uint8_t { make, set, get, clear, timeout };
  static constexpr std::uint16_t strip_flag = 0x0100;      ///< datagrams have no SDP header on the net
  static constexpr std::uint16_t reverse_flag = 0x0200;    ///< what comes to `port` goes to a core
  static constexpr std::uint16_t use_sender_flag = 0x0400; ///< it is for who asks
  static constexpr std::uint16_t arp_flag = 0x2000, transient_flag = 0x4000, valid_flag = 0x8000; ///< in answers
  Operation operation = Operation::get;
  std::uint8_t tag = 0;
  std::uint16_t flags = 0;               ///< of the four bits 8 to 11
  std::uint8_t timeout = 0;              ///< 0 to 15
  std::uint8_t to_port = 0;              ///< of a reverse tag: port << 5 | core
  std::uint16_t to_chip = 0;             ///< of a reverse tag: x << 8 | y
  std::uint16_t port = 0;                ///< UDP; of `get` the number of tags
  std::array<std::uint8_t, 4> address{}; ///< 0.0.0.0: who asks
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence,
                         std::uint32_t{flags} >> 8 << 28 | std::uint32_t{timeout} << 24 |
                             std::uint32_t(operation) << 16 | std::uint32_t{to_port} << 8 | tag,
                         std::uint32_t{to_chip} << 16 | port, word_at(address, 0));
  }
  [[nodiscard]] static constexpr Decoded<IpTag> of(const ScpRequest& request) noexcept {
    const std::uint32_t first = request.arguments[0], second = request.arguments[1], third = request.arguments[2];
    if (detail::field(first, 16, 8) > 4) return Malformed::out_of_range;
    IpTag made;
    made.operation = Operation(detail::field(first, 16, 8)), made.tag = static_cast<std::uint8_t>(first);
    made.flags = static_cast<std::uint16_t>(first >> 28 << 8),
    made.timeout = static_cast<std::uint8_t>(detail::field(first, 24, 4));
    made.to_port = static_cast<std::uint8_t>(first >> 8);
    made.to_chip = static_cast<std::uint16_t>(second >> 16), made.port = static_cast<std::uint16_t>(second);
    put_word(made.address, 0, third);
    return made;
  }
};
/// A tag as `get` answers it, 32 bytes each.
struct IpTagEntry {
  static constexpr std::size_t bytes = 32;
  std::array<std::uint8_t, 4> address{};
  std::array<std::uint8_t, 6> mac{};
  std::uint16_t port = 0; ///< to which it sends
  std::uint16_t timeout = 0, flags = 0;
  std::uint32_t count = 0;   ///< datagrams
  std::uint16_t rx_port = 0; ///< on which a reverse one hears
  std::uint16_t to_chip = 0;
  std::uint8_t to_port = 0;
  /// \errors too_short
  [[nodiscard]] static constexpr Decoded<IpTagEntry> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < bytes) return Malformed::too_short;
    IpTagEntry made;
    get_bytes(from, 0, made.address), get_bytes(from, 4, made.mac);
    made.port = half_at(from, 10), made.timeout = half_at(from, 12), made.flags = half_at(from, 14);
    made.count = word_at(from, 16), made.rx_port = half_at(from, 20), made.to_chip = half_at(from, 22),
    made.to_port = from[24];
    return made;
  }
  /// \pre to.size() >= bytes
  constexpr void write(std::span<std::uint8_t> to) const noexcept {
    for (std::size_t at = 0; at < bytes; ++at) to[at] = 0;
    put_bytes(to, 0, address), put_bytes(to, 4, mac);
    put_half(to, 10, port), put_half(to, 12, timeout), put_half(to, 14, flags);
    put_word(to, 16, count), put_half(to, 20, rx_port), put_half(to, 22, to_chip), to[24] = to_port;
  }
  friend constexpr bool operator==(const IpTagEntry&, const IpTagEntry&) = default;
};

/// Memory and router entries, given and taken back.
struct Allocate {
  static constexpr ScpCommand command = ScpCommand::allocate;
  enum class Operation : std::uint8_t {
    sdram,           ///< first: bytes; second: tag; the answer: address, or 0
    free_sdram,      ///< first: address
    free_sdram_of,   ///< all of an application
    entries,         ///< first: number; the answer: the first of them, or 0
    free_entries,    ///< first: the first of them; second: whether to clear them
    free_entries_of, ///< all of an application
    sdram_left,      ///< the answer: free bytes, largest block
    sdram_of_tag,    ///< first: tag; the answer: address, or 0
  };
  static constexpr std::uint8_t same_tag_flag = 4; ///< a tag that is there already is answered as it is
  Operation operation = Operation::sdram;
  std::uint8_t application = 0, flags = 0;
  std::uint32_t first = 0, second = 0;
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence,
                         std::uint32_t{flags} << 16 | std::uint32_t{application} << 8 | std::uint32_t(operation), first,
                         second);
  }
  [[nodiscard]] static constexpr Decoded<Allocate> of(const ScpRequest& request) noexcept {
    const std::uint32_t word = request.arguments[0];
    if (detail::field(word, 0, 8) > 7 || word >> 24 != 0) return Malformed::out_of_range;
    return Allocate{Operation(word & 7), static_cast<std::uint8_t>(word >> 8), static_cast<std::uint8_t>(word >> 16),
                    request.arguments[1], request.arguments[2]};
  }
};
/// The router's tables.
struct RouterCommand {
  static constexpr ScpCommand command = ScpCommand::router;
  enum class Operation : std::uint8_t {
    initialise,
    clear,      ///< first: position; count
    load,       ///< first: address of entries; second: position; count
    fixed_route ///< first: the route; bit 31: read it
  };
  static constexpr std::uint32_t read_bit = 0x80000000U;
  Operation operation = Operation::initialise;
  std::uint8_t application = 0;
  std::uint16_t count = 0;
  std::uint32_t first = 0, second = 0;
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence,
                         std::uint32_t{count} << 16 | std::uint32_t{application} << 8 | std::uint32_t(operation), first,
                         second);
  }
  [[nodiscard]] static constexpr Decoded<RouterCommand> of(const ScpRequest& request) noexcept {
    const std::uint32_t word = request.arguments[0];
    if (detail::field(word, 0, 8) > 3) return Malformed::out_of_range;
    return RouterCommand{Operation(word & 3), static_cast<std::uint8_t>(word >> 8),
                         static_cast<std::uint16_t>(word >> 16), request.arguments[1], request.arguments[2]};
  }
};

/// Asks what a chip has.
struct AskChip {
  static constexpr ScpCommand command = ScpCommand::chip_info;
  std::uint32_t what = 0x1F; ///< parts that are wanted; all of them are answered
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, what);
  }
  [[nodiscard]] static constexpr Decoded<AskChip> of(const ScpRequest& request) noexcept {
    return AskChip{request.arguments[0]};
  }
};
struct ChipInfo {
  static constexpr std::size_t bytes = 12 + 18 + 2 + 4, bytes_with_link = bytes + 2;
  std::uint8_t cores = 0;                            ///< that work
  std::uint8_t links = 0;                            ///< a bit for each that works
  std::uint16_t most_entries = 0;                    ///< of the largest free block of the router
  bool has_ethernet = false;                         ///< which is up
  std::uint32_t most_sdram = 0, most_system_ram = 0; ///< bytes of the largest free blocks
  std::array<std::uint8_t, 18> states{};             ///< [virtual core]
  std::uint16_t ethernet_chip = 0;                   ///< x << 8 | y of the nearest
  std::array<std::uint8_t, 4> address{};             ///< of the Ethernet
  std::uint16_t link_to_root = 0;                    ///< SC&MP 4; 0xFFFF where it is not told
  /// \errors too_short
  [[nodiscard]] static constexpr Decoded<ChipInfo> of(const ScpReply& reply) noexcept {
    const auto from = reply.data;
    if (from.size() < bytes) return Malformed::too_short;
    const std::uint32_t first = word_at(from, 0);
    ChipInfo made;
    made.cores = static_cast<std::uint8_t>(detail::field(first, 0, 5)),
    made.links = static_cast<std::uint8_t>(detail::field(first, 8, 6));
    made.most_entries = static_cast<std::uint16_t>(detail::field(first, 14, 11)),
    made.has_ethernet = detail::field(first, 25, 1) != 0;
    made.most_sdram = word_at(from, 4), made.most_system_ram = word_at(from, 8);
    get_bytes(from, 12, made.states);
    made.ethernet_chip = half_at(from, 30);
    get_bytes(from, 32, made.address);
    made.link_to_root = from.size() >= bytes_with_link ? half_at(from, 36) : 0xFFFF;
    return made;
  }
  /// \return bytes of the data of an answer; 0 where there is too little room
  [[nodiscard]] constexpr std::size_t write(std::span<std::uint8_t> to) const noexcept {
    const std::size_t count = link_to_root != 0xFFFF ? bytes_with_link : bytes;
    if (to.size() < count) return 0;
    put_word(to, 0,
             std::uint32_t{cores} | std::uint32_t{links} << 8 | std::uint32_t{most_entries} << 14 |
                 (has_ethernet ? std::uint32_t{1} << 25 : 0));
    put_word(to, 4, most_sdram), put_word(to, 8, most_system_ram);
    put_bytes(to, 12, states);
    put_half(to, 30, ethernet_chip);
    put_bytes(to, 32, address);
    if (count == bytes_with_link) put_half(to, 36, link_to_root);
    return count;
  }
  friend constexpr bool operator==(const ChipInfo&, const ChipInfo&) = default;
};
/// Whether time beacons are sent.
struct Synchronise {
  static constexpr ScpCommand command = ScpCommand::synchronise;
  bool is_on = false;
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, is_on ? 1 : 0);
  }
  [[nodiscard]] static constexpr Decoded<Synchronise> of(const ScpRequest& request) noexcept {
    if (request.arguments[0] > 1) return Malformed::out_of_range;
    return Synchronise{request.arguments[0] != 0};
  }
};
/// Of the processor that looks after boards.
struct BoardPower {
  static constexpr ScpCommand command = ScpCommand::bmp_power;
  std::uint16_t delay_ms = 0;
  bool is_on = false;
  std::uint32_t boards = 0; ///< a bit each
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, std::uint32_t{delay_ms} << 16 | (is_on ? 1 : 0), boards);
  }
  [[nodiscard]] static constexpr Decoded<BoardPower> of(const ScpRequest& request) noexcept {
    if ((request.arguments[0] & 0xFFFFU) > 1) return Malformed::out_of_range;
    return BoardPower{static_cast<std::uint16_t>(request.arguments[0] >> 16), (request.arguments[0] & 1) != 0,
                      request.arguments[1]};
  }
};
struct BoardInfo {
  static constexpr ScpCommand command = ScpCommand::bmp_info;
  enum class What : std::uint8_t { serial = 0, can = 2, sensors = 3, address = 4 };
  What what = What::serial;
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return detail::asked(command, sequence, std::uint32_t(what));
  }
  [[nodiscard]] static constexpr Decoded<BoardInfo> of(const ScpRequest& request) noexcept {
    if (request.arguments[0] > 4 || request.arguments[0] == 1) return Malformed::out_of_range;
    return BoardInfo{What(request.arguments[0])};
  }
};

} // namespace protocols
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
