// SPDX-License-Identifier: BSL-1.0
/// \file
/// Where a core of SpiNNaker finds its devices, and what their registers mean: what firmware writes and what an emulated chip answers.
///
///     target::spinnaker::word(spinnaker::communications::transmit_key) = key; // on a core
/// \source spinnaker_tools, include/spinnaker.h, sark.h, and what sark/ and spin1_api/ do with them
// not in the umbrella: for programs that others load
#ifndef NEUROMORPH_TARGET_DEVICE_SPINNAKER_HPP
#define NEUROMORPH_TARGET_DEVICE_SPINNAKER_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {
namespace spinnaker {

/// A register, or a word of memory.
/// \pre on a core of the chip
[[nodiscard]] inline volatile std::uint32_t& word(std::uint32_t address) noexcept {
  return *reinterpret_cast<volatile std::uint32_t*>(static_cast<std::uintptr_t>(address));
}

// Memories of a core, and those that all cores of a chip share.
inline constexpr std::uint32_t code_memory = 0, code_memory_bytes = 32U << 10;
inline constexpr std::uint32_t data_memory = 0x00400000, data_memory_bytes = 64U << 10;
inline constexpr std::uint32_t sdram = 0x60000000, system_ram = 0xE5000000;

/// Packets of this core.
namespace communications {
inline constexpr std::uint32_t base = 0x10000000;
inline constexpr std::uint32_t transmit_status = base + 0x00, transmit_data = base + 0x04, transmit_key = base + 0x08;
/// The receiver's status, payload and key stand side by side; reading the key takes the packet.
inline constexpr std::uint32_t receive_status = base + 0x0C, receive_data = base + 0x10, receive_key = base + 0x14;
inline constexpr std::uint32_t has_room = 1U << 28;    ///< of the transmitter's status
inline constexpr std::uint32_t has_packet = 1U << 31;  ///< of the receiver's
inline constexpr std::uint32_t has_payload = 1U << 17; ///< of the receiver's
} // namespace communications

/// Two counters; this is the first.
namespace timer {
inline constexpr std::uint32_t base = 0x11000000;
inline constexpr std::uint32_t load = base + 0x00, control = base + 0x08, clear = base + 0x0C;
inline constexpr std::uint32_t runs = 0x80, is_periodic = 0x40, interrupts = 0x20, is_wide = 0x02;
} // namespace timer

/// The vectored interrupt controller.
namespace interrupts {
inline constexpr std::uint32_t base = 0x1F000000;
inline constexpr std::uint32_t status = base + 0x00, fast_status = base + 0x04, raw = base + 0x08, select = base + 0x0C;
inline constexpr std::uint32_t enable = base + 0x10, disable = base + 0x14, set = base + 0x18, reset = base + 0x1C;
/// Sources, as bits.
inline constexpr std::uint32_t of_timer = 1U << 4, of_packets = 1U << 6, of_dma = 1U << 12, of_monitor = 1U << 18;
} // namespace interrupts

/// Copies between memory of the core and of the chip, whole words.
namespace dma {
inline constexpr std::uint32_t base = 0x30000000;
inline constexpr std::uint32_t chip_address = base + 0x04, core_address = base + 0x08, description = base + 0x0C;
inline constexpr std::uint32_t control = base + 0x10, status = base + 0x14, interrupts = base + 0x18;
/// Double words, bursts of 16; the length in bytes is added, and `to_chip`.
inline constexpr std::uint32_t in_bursts = 1U << 24 | 4U << 21, to_chip = 1U << 19;
inline constexpr std::uint32_t most_bytes = 0xFFFC; ///< of a transfer
inline constexpr std::uint32_t is_done = 1U << 10,
                               is_busy = 1U << 0; ///< of the status, whose highest byte is the core's number
inline constexpr std::uint32_t clear_done = 1U << 3;
} // namespace dma

/// What all cores of a chip share beside memory.
namespace controller {
inline constexpr std::uint32_t base = 0xF2000000;
inline constexpr std::uint32_t code = 0x5EC00000; ///< added to what is written
inline constexpr std::uint32_t set_interrupt = base + 0x08, clear_interrupt = base + 0x0C;
/// Those of cores that wait for sync 0 are set, and clear for sync 1.
inline constexpr std::uint32_t flags = base + 0x58, clear_flags = base + 0x5C;
/// Locks: reading the first takes one, whose highest bit says whether another has it; reading the second gives it back.
inline constexpr std::uint32_t take_lock = base + 0x100, give_lock = base + 0x180;
inline constexpr std::uint32_t lock_of_messages = 0, lock_of_mailboxes = 4; ///< from there on
} // namespace controller

/// Words that the monitor of a chip has for its cores.
namespace variables {
inline constexpr std::uint32_t base = 0xE5007F00;
inline constexpr std::uint32_t milliseconds = base + 0x10, clock_mhz = base + 0x24;
inline constexpr std::uint32_t buffers = base + 0x54, buffer_words = base + 0x58; ///< in SDRAM, one of each core
inline constexpr std::uint32_t free_messages = base + 0x68;                       ///< the first of a list
inline constexpr std::uint32_t virtual_numbers = base + 0x94, physical_numbers = base + 0xA8; ///< of cores, bytes
inline constexpr std::uint32_t mailbox_flags = base + 0xEC; ///< of cores that have something for the monitor
} // namespace variables

/// The block of a core, by its virtual number.
struct CoreBlock {
  std::uint32_t registers[8];
  std::uint32_t status, stack, link;
  std::uint8_t error, physical, state, application;
  std::uint32_t to_core_message, to_monitor_message;
  std::uint8_t to_core, to_monitor; ///< commands
  std::uint16_t software_errors;
  std::uint32_t file, line, time;
  char name[16];
  std::uint32_t log;
  std::uint32_t version, unused[4];
  std::uint32_t user[4];
  static constexpr std::uint32_t base = 0xE5007000;
};
static_assert(sizeof(CoreBlock) == 128);
/// Commands in mailboxes.
enum class Mail : std::uint8_t { none = 0, message = 1, signal = 3 };

/// A message between a core and its monitor.
struct Message {
  std::uint32_t next;                          ///< while it is free
  std::uint16_t length, checksum;              ///< of all that follows, 8 at least
  std::uint8_t flags, tag, to_port, from_port; ///< ports are 3 bits above 5 of the core
  std::uint16_t to_chip, from_chip;
  std::uint16_t command, sequence;
  std::uint32_t argument[3];
  std::uint8_t data[256];
  std::uint32_t unused;
  static constexpr std::uint32_t header_bytes = 8, most_bytes = 16 + 256; ///< of what follows the header
};
static_assert(sizeof(Message) == 292);

} // namespace spinnaker
} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
