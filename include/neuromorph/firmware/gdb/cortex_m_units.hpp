// SPDX-License-Identifier: BSL-1.0
/// \file
/// The debug units of ARMv7-M and ARMv8-M for a gdb stub: breakpoints in flash (FPB), watchpoints (DWT), and steps of the
/// processor's own.
///
///     gdb::WithUnits<gdb::CortexM<>> machine; // the DebugMonitor vector leads to the stub, as that of hard faults does
///     machine.start();
///
/// Without a debugger on the chip's own port, that is: one there takes the units for itself.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_CORTEX_M_UNITS_HPP
#define NEUROMORPH_FIRMWARE_GDB_CORTEX_M_UNITS_HPP

#include <bit>
#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/gdb/machine.hpp>
#include <neuromorph/offer.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// \tparam Base  a Cortex-M, whose `load` and `store` reach the units' registers
/// \source ARM DDI 0403, chapter C1: of the FPB revisions 1 and 2, of the DWT the comparators of ARMv7-M; ARM DDI 0553, FP_COMPn,
///         DWT_FUNCTIONn and DWT_DEVARCH: those of ARMv8-M, which have other functions and a size instead of a mask
template <class Base>
struct WithUnits : Base {
  using Offers = offer::List<typename Base::Offers, offer::HardwareStop, offer::HardwareStep>;

  /// Lets debug events raise the DebugMonitor exception, which must be more urgent than what is debugged.
  void start() noexcept {
    this->store(monitor, 4, this->load(monitor, 4) | trace_enabled | monitor_enabled);
    this->store(patch, 4, patch_key | 1);
  }

  /// \return false where no comparator is left or can do that: a breakpoint at 512 MB or above with revision 1, a watchpoint
  ///         that is no aligned power of two of bytes, on ARMv8-M 1, 2 or 4
  [[nodiscard]] bool hardware_stop(Stop kind, std::uint32_t address, std::uint32_t bytes, bool insert) noexcept {
    if (kind == Stop::software_break) return false;
    return kind == Stop::hardware_break ? set_break(address, insert) : set_watch(kind, address, bytes, insert);
  }
  void clear_hardware_stops() noexcept {
    for (std::uint32_t at = 0; at < code_comparators(); ++at) this->store(patch_first + 4 * at, 4, 0);
    for (std::uint32_t at = 0; at < data_comparators(); ++at) this->store(watch_first + 16 * at + 8, 4, 0);
  }
  /// Only the DebugMonitor exception is left for one instruction.
  [[nodiscard]] bool hardware_step(bool on) noexcept {
    const bool is_in_monitor = (this->load(active, 4) & monitor_active) != 0;
    if (on && !is_in_monitor) return false;
    const std::uint32_t control = this->load(monitor, 4) & ~monitor_step;
    this->store(monitor, 4, control | (on ? monitor_step : 0));
    return on;
  }

private:
  static constexpr std::uint32_t patch = 0xE000'2000, patch_key = 2, patch_first = patch + 8;
  static constexpr std::uint32_t watch = 0xE000'1000, watch_first = watch + 0x20;
  static constexpr std::uint32_t watch_architecture = watch + 0xFBC, architecture_bits = 0x10'FFFF,
                                 of_armv8m = 0x10'1A02, raises_event = 1U << 4U,
                                 function_bits = 0xC3F; ///< size, action and match
  static constexpr std::uint32_t monitor = 0xE000'EDFC, active = 0xE000'ED24;
  static constexpr std::uint32_t monitor_enabled = 1U << 16U, monitor_step = 1U << 18U, trace_enabled = 1U << 24U,
                                 monitor_active = 1U << 8U;

  [[nodiscard]] std::uint32_t code_comparators() noexcept {
    const std::uint32_t control = this->load(patch, 4);
    return (control >> 4U & 15) | (control >> 8U & 0x70);
  }
  [[nodiscard]] std::uint32_t data_comparators() noexcept { return this->load(watch, 4) >> 28U; }
  [[nodiscard]] bool set_break(std::uint32_t address, bool insert) noexcept {
    std::uint32_t wanted = (address & ~1U) | 1;
    if (this->load(patch, 4) >> 28U == 0) { // which half of the word, instead of the address of a halfword
      if (address >= 0x2000'0000) return false;
      wanted = ((address & 2) != 0 ? 2U : 1U) << 30U | (address & ~3U) | 1;
    }
    return set(
        patch_first, 4, code_comparators(), insert, [&](std::uint32_t place) { return this->load(place, 4) == wanted; },
        [&](std::uint32_t place) { return (this->load(place, 4) & 1) == 0; },
        [&](std::uint32_t place) { this->store(place, 4, insert ? wanted : 0); });
  }
  [[nodiscard]] bool set_watch(Stop kind, std::uint32_t address, std::uint32_t bytes, bool insert) noexcept {
    if (!std::has_single_bit(bytes) || (address & (bytes - 1)) != 0) return false;
    const auto size = static_cast<std::uint32_t>(std::countr_zero(bytes));
    const bool has_sizes = (this->load(watch_architecture, 4) & architecture_bits) == of_armv8m;
    if (has_sizes && size > 2) return false;
    const std::uint32_t mask = has_sizes ? 0 : size;
    const std::uint32_t function = has_sizes ? (kind == Stop::read    ? 6U
                                                : kind == Stop::write ? 5U
                                                                      : 4U) |
                                                   raises_event | size << 10U
                                   : kind == Stop::read  ? 5
                                   : kind == Stop::write ? 6
                                                         : 7;
    return set(
        watch_first, 16, data_comparators(), insert,
        [&](std::uint32_t place) {
          return this->load(place, 4) == address && (has_sizes || (this->load(place + 4, 4) & 31) == mask) &&
                 (this->load(place + 8, 4) & function_bits) == function;
        },
        [&](std::uint32_t place) { return (this->load(place + 8, 4) & 15) == 0; },
        [&](std::uint32_t place) {
          this->store(place + 8, 4, 0);
          this->store(place, 4, address);
          if (!has_sizes) this->store(place + 4, 4, mask);
          if (insert) this->store(place + 8, 4, function);
        });
  }
  /// What is there already is not set twice, and what is not there is cleared at once.
  template <class IsIt, class IsUnused, class Write>
  [[nodiscard, gnu::cold]] bool set(std::uint32_t first, std::uint32_t stride, std::uint32_t count, bool insert,
                                    IsIt is_it, IsUnused is_unused, Write write) noexcept {
    const std::uint32_t end = first + stride * count;
    std::uint32_t unused = end;
    for (std::uint32_t place = first; place != end; place += stride) {
      if (is_it(place)) {
        if (!insert) write(place);
        return true;
      }
      if (unused == end && is_unused(place)) unused = place;
    }
    if (!insert) return true;
    if (unused == end) return false;
    write(unused);
    return true;
  }
};

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
