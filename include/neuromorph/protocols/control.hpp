// SPDX-License-Identifier: BSL-1.0
/// \file
/// What hosts ask of programs and of extra monitors by SDP: runs and their ends, re-injection of dropped packets.
///
///     port 3: runs | port 4: re-injection
/// \source SpiNNFrontEndCommon: simulation.h, extra_monitor_scp_messages
// not in the umbrella: for programs that speak with a machine
#ifndef NEUROMORPH_PROTOCOLS_CONTROL_HPP
#define NEUROMORPH_PROTOCOLS_CONTROL_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/scp.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace protocols {

/// Ports of SDP by what they are for.
enum class SdpPort : std::uint8_t {
  kernel = 0,
  input_buffering = 1,
  output_buffering = 2,
  run_control = 3,
  reinjection = 4,
  data_out = 5,
  data_in = 6,
};

/// To a program, about its run.
struct RunControl {
  enum class What : std::uint16_t {
    stop = 6,
    run_for = 7,
    provenance_and_exit = 8,
    clear_log = 9,
    pause = 10,
    get_time = 11
  };
  What what = What::get_time;
  std::uint32_t time = 0;       ///< of run_for: the tick at which it ends
  bool is_endless = false;      ///< of run_for
  std::uint32_t from = 0;       ///< of run_for: the tick at which it begins
  std::uint32_t sync_steps = 0; ///< of run_for: ticks between drifts of timers; 0 for none

  /// \param data  room for a word of run_for; lives as long as the request
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence, std::span<std::uint8_t, 4> data) const noexcept {
    if (what != What::run_for) return {std::uint16_t(what), sequence, {0, 0, 0}, {}};
    put_word(data, 0, sync_steps);
    return {std::uint16_t(what), sequence, {time, is_endless ? 1U : 0U, from}, data};
  }
  /// \errors unknown_command; out_of_range: neither 0 nor 1; too_short: no word of data
  [[nodiscard]] static constexpr Decoded<RunControl> of(const ScpRequest& request) noexcept {
    if (request.command < 6 || request.command > 11) return Malformed::unknown_command;
    RunControl made;
    made.what = What(request.command);
    if (made.what != What::run_for) return made;
    if (request.arguments[1] > 1) return Malformed::out_of_range;
    if (request.data.size() < 4) return Malformed::too_short;
    made.time = request.arguments[0], made.is_endless = request.arguments[1] != 0, made.from = request.arguments[2];
    made.sync_steps = word_at(request.data, 0);
    return made;
  }
  friend constexpr bool operator==(const RunControl&, const RunControl&) = default;
};

/// To a program that runs, by the port of output buffering. A channel of its recordings goes on in the other half of its room, and the
/// half that it leaves may be read. The first swap makes halves of the room, and comes before anything is recorded in a run.
struct RecordingSwap {
  static constexpr std::uint16_t command = 12;
  std::uint32_t channel = 0,
                number = 1; ///< swaps of a channel in a run are counted from 1; the last one may be asked for again

  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence) const noexcept {
    return {command, sequence, {channel, number, 0}, {}};
  }
  /// \errors unknown_command; out_of_range: number 0
  [[nodiscard]] static constexpr Decoded<RecordingSwap> of(const ScpRequest& request) noexcept {
    if (request.command != command) return Malformed::unknown_command;
    if (request.arguments[1] == 0) return Malformed::out_of_range;
    return RecordingSwap{request.arguments[0], request.arguments[1]};
  }
  friend constexpr bool operator==(const RecordingSwap&, const RecordingSwap&) = default;
};
/// The answer's arguments: where the half is that was left, and how much is in it.
struct SwappedRecording {
  std::uint32_t address = 0, written = 0; ///< bytes
  bool is_missing = false;                ///< some found no room
  [[nodiscard]] constexpr std::uint32_t word() const noexcept { return written | (is_missing ? 0x80000000U : 0U); }
  [[nodiscard]] static constexpr SwappedRecording of(std::uint32_t address, std::uint32_t word) noexcept {
    return {address, word & 0x7FFFFFFFU, word >> 31 != 0};
  }
};

/// A router's wait before it drops a packet, in its cycles, as a byte holds it.
/// \source reinjection_status.py: mantissa and exponent
[[nodiscard]] constexpr std::uint32_t router_wait_of(std::uint8_t byte) noexcept {
  const std::uint32_t mantissa = byte & 15, exponent = byte >> 4;
  if (exponent <= 4) return (mantissa + 16 - (16U >> exponent)) << exponent;
  return (mantissa + 16) << exponent;
}

/// To an extra monitor, about dropped packets.
struct Reinjection {
  enum class What : std::uint16_t { set_wait1, set_wait2, set_types, get_status, reset_counters, exit, clear_queue };
  static constexpr std::uint8_t multicast = 1, point_to_point = 2, nearest_neighbour = 4, fixed_route = 8;
  What what = What::get_status;
  std::uint8_t wait = 0;  ///< of set_wait1 and set_wait2
  std::uint8_t types = 0; ///< of set_types: which are sent again

  /// \param data  room for a byte of set_types; lives as long as the request
  [[nodiscard]] constexpr ScpRequest request(std::uint16_t sequence, std::span<std::uint8_t, 1> data) const noexcept {
    if (what == What::set_wait1 || what == What::set_wait2) return {std::uint16_t(what), sequence, {wait, 0, 0}, {}};
    if (what != What::set_types) return {std::uint16_t(what), sequence, {0, 0, 0}, {}};
    const auto flag = [this](std::uint8_t type) { return (types & type) != 0 ? 1U : 0U; };
    data[0] = static_cast<std::uint8_t>(flag(nearest_neighbour));
    return {std::uint16_t(what), sequence, {flag(multicast), flag(point_to_point), flag(fixed_route)}, data};
  }
  /// \errors unknown_command; out_of_range: a wait of more than a byte, a flag that is neither 0 nor 1; too_short: no fourth flag
  [[nodiscard]] static constexpr Decoded<Reinjection> of(const ScpRequest& request) noexcept {
    if (request.command > 6) return Malformed::unknown_command;
    Reinjection made;
    made.what = What(request.command);
    if (made.what == What::set_wait1 || made.what == What::set_wait2) {
      if (request.arguments[0] > 255) return Malformed::out_of_range;
      made.wait = static_cast<std::uint8_t>(request.arguments[0]);
    } else if (made.what == What::set_types) {
      if (request.data.empty()) return Malformed::too_short;
      constexpr std::uint8_t types[] = {multicast, point_to_point, fixed_route, nearest_neighbour};
      for (unsigned at = 0; at < 4; ++at) {
        const std::uint32_t flag = at < 3 ? request.arguments[at] : request.data[0];
        if (flag > 1) return Malformed::out_of_range;
        if (flag != 0) made.types |= types[at];
      }
    }
    return made;
  }
  friend constexpr bool operator==(const Reinjection&, const Reinjection&) = default;
};
/// What an extra monitor has counted. `missed`: a packet was dropped while the only register still held another.
struct ReinjectionStatus {
  static constexpr std::size_t bytes = 40;
  std::uint32_t wait1 = 0, wait2 = 0;
  std::uint32_t dropped = 0, missed = 0, queue_overflows = 0, reinjected = 0;
  std::uint32_t link_dumped = 0, core_dumped = 0;
  std::uint32_t types = 0;
  std::uint32_t dumped_to = 0; ///< links are bits 0 to 5, core p is bit 6 + p

  [[nodiscard]] static constexpr Decoded<ReinjectionStatus> of(std::span<const std::uint8_t> from) noexcept {
    if (from.size() < bytes) return Malformed::too_short;
    return ReinjectionStatus{word_at(from, 0),  word_at(from, 4),  word_at(from, 8),  word_at(from, 12),
                             word_at(from, 16), word_at(from, 20), word_at(from, 24), word_at(from, 28),
                             word_at(from, 32), word_at(from, 36)};
  }
  /// \pre to.size() >= bytes
  constexpr void write(std::span<std::uint8_t> to) const noexcept {
    const std::uint32_t words[] = {wait1,      wait2,       dropped,     missed, queue_overflows,
                                   reinjected, link_dumped, core_dumped, types,  dumped_to};
    for (std::size_t at = 0; at < 10; ++at) put_word(to, 4 * at, words[at]);
  }
  friend constexpr bool operator==(const ReinjectionStatus&, const ReinjectionStatus&) = default;
};

} // namespace protocols
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
