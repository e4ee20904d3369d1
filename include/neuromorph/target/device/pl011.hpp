// SPDX-License-Identifier: BSL-1.0
/// \file
/// Bytes through ARM's UART PL011, which SpiNNaker-like machines and many boards have.
// not in the umbrella: a device that not every machine has
#ifndef NEUROMORPH_TARGET_DEVICE_PL011_HPP
#define NEUROMORPH_TARGET_DEVICE_PL011_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// A byte channel: neither function waits. Its owner sets the rate.
/// \source ARM, PrimeCell UART (PL011) Technical Reference Manual, 2017, chapter 3
class Pl011 {
public:
  constexpr explicit Pl011(volatile std::uint32_t* registers) noexcept : registers_(registers) {}

  /// Eight bits, FIFOs on, interrupts off.
  void start() noexcept {
    registers_[control] = 0;
    registers_[interrupts] = 0;
    registers_[line] = eight_bits | fifos;
    registers_[control] = enable | transmit | receive;
  }
  /// False if nothing has come.
  [[nodiscard]] bool take(std::uint8_t& byte) noexcept {
    if ((registers_[flags] & nothing_received) != 0) return false;
    byte = static_cast<std::uint8_t>(registers_[data]);
    return true;
  }
  /// False if there is no room.
  [[nodiscard]] bool put(std::uint8_t byte) noexcept {
    if ((registers_[flags] & transmitter_full) != 0) return false;
    registers_[data] = byte;
    return true;
  }

private:
  static constexpr unsigned data = 0x00 / 4, flags = 0x18 / 4, line = 0x2C / 4, control = 0x30 / 4,
                            interrupts = 0x38 / 4;
  static constexpr std::uint32_t nothing_received = 0x10, transmitter_full = 0x20, eight_bits = 0x60, fifos = 0x10,
                                 enable = 0x001, transmit = 0x100, receive = 0x200;
  volatile std::uint32_t* registers_;
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
