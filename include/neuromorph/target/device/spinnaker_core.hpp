// SPDX-License-Identifier: BSL-1.0
/// \file
/// What firmware on a core of SpiNNaker does to its processor: in system mode, with interrupts or without, or asleep.
// requires: -marm -mcpu=arm968e-s (arm)
#ifndef NEUROMORPH_TARGET_DEVICE_SPINNAKER_CORE_HPP
#define NEUROMORPH_TARGET_DEVICE_SPINNAKER_CORE_HPP

#if !defined(__arm__) || defined(__thumb__)
#error "neuromorph/target/device/spinnaker_core.hpp needs ARM state: use -marm -mcpu=arm968e-s"
#endif

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {
namespace spinnaker {

inline void allow_interrupts() noexcept { asm volatile("msr cpsr_c, #0x1F" : : : "memory"); }
/// The fast one, too.
inline void forbid_interrupts() noexcept { asm volatile("msr cpsr_c, #0xDF" : : : "memory"); }
/// Also woken by an interrupt that is forbidden.
inline void sleep_until_interrupt() noexcept { asm volatile("mcr p15, 0, %0, c7, c0, 4" : : "r"(0) : "memory"); }

} // namespace spinnaker
} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
