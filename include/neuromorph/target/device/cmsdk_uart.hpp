// SPDX-License-Identifier: BSL-1.0
/// \file
/// Bytes through the UART of ARM's Cortex-M System Design Kit, which the MPS2 and MPS3 boards have.
// not in the umbrella: a device that not every machine has
#ifndef NEUROMORPH_TARGET_DEVICE_CMSDK_UART_HPP
#define NEUROMORPH_TARGET_DEVICE_CMSDK_UART_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// A byte channel: neither function waits.
/// \source ARM, Cortex-M System Design Kit Technical Reference Manual, 2017, section 4.3
class CmsdkUart {
public:
  constexpr explicit CmsdkUart(volatile std::uint32_t* registers) noexcept : registers_(registers) {}

  /// \param divisor  cycles of its clock for a bit, at least 16
  void start(std::uint32_t divisor = 16) noexcept {
    registers_[rate] = divisor;
    registers_[control] = transmit | receive;
  }
  /// False if nothing has come.
  [[nodiscard]] bool take(std::uint8_t& byte) noexcept {
    if ((registers_[state] & receiver_full) == 0) return false;
    byte = static_cast<std::uint8_t>(registers_[data]);
    return true;
  }
  /// False if there is no room.
  [[nodiscard]] bool put(std::uint8_t byte) noexcept {
    if ((registers_[state] & transmitter_full) != 0) return false;
    registers_[data] = byte;
    return true;
  }

private:
  static constexpr unsigned data = 0x00 / 4, state = 0x04 / 4, control = 0x08 / 4, rate = 0x10 / 4;
  static constexpr std::uint32_t transmitter_full = 1, receiver_full = 2, transmit = 1, receive = 2;
  volatile std::uint32_t* registers_;
};

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
