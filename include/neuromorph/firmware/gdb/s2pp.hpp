// SPDX-License-Identifier: BSL-1.0
/// \file
/// A plasticity processor as a gdb stub sees it: a PowerPC of 32 bits, with the vectors of S2PP as `$kv0` to `$kv31`.
///
///     (gdb) set $kv0.v16_int8 = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
///
/// Who has caught the exception fills the registers, the vectors among them, and restores them. A step is a trap
/// instruction at the next one.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_S2PP_HPP
#define NEUROMORPH_FIRMWARE_GDB_S2PP_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/gdb/machine.hpp>
#include <neuromorph/firmware/gdb/memory.hpp>
#include <neuromorph/firmware/gdb/power_next.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/target/power/registers.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// \tparam Memory  what is at an address, and what is done where code was written
template <class Memory = OwnMemory<>>
struct S2pp : Memory {
  using Registers = target::S2ppRegisters;
  using Offers = offer::List<>;
  static constexpr const char* architecture = "powerpc:common";
  static constexpr Feature features[] = {
      {"org.gnu.gdb.power.core",
       "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15 r16 r17 r18 r19 r20 r21 r22 r23 r24 r25 r26 r27 r28 r29 "
       "r30 r31 pc msr cr lr ctr xer",
       32},
      {"neuromorph.s2pp",
       "kv0 kv1 kv2 kv3 kv4 kv5 kv6 kv7 kv8 kv9 kv10 kv11 kv12 kv13 kv14 kv15 kv16 kv17 kv18 kv19 kv20 kv21 kv22 kv23 "
       "kv24 kv25 kv26 kv27 kv28 kv29 kv30 kv31",
       128, "kv",
       "<vector id=\"i8\" type=\"int8\" count=\"16\"/><vector id=\"u8\" type=\"uint8\" count=\"16\"/>"
       "<vector id=\"i16\" type=\"int16\" count=\"8\"/><vector id=\"u16\" type=\"uint16\" count=\"8\"/>"
       "<union id=\"kv\"><field name=\"v16_int8\" type=\"i8\"/><field name=\"v16_uint8\" type=\"u8\"/>"
       "<field name=\"v8_int16\" type=\"i16\"/><field name=\"v8_uint16\" type=\"u16\"/></union>",
       "vector"}};

  [[nodiscard]] static std::uint32_t& pc(Registers& registers) noexcept { return registers.pc; }
  [[nodiscard]] static Place here(const Registers& registers) noexcept { return {registers.pc, 4}; }
  [[nodiscard]] static BreakInstruction break_instruction(std::uint8_t kind) noexcept {
    return {0x7FE0'0008, static_cast<std::uint8_t>(kind == 4 ? 4 : 0)};
  }
  template <class Read>
  [[nodiscard]] static Place next(const Registers& registers, Read&& read) {
    std::uint32_t address = 0;
    const bool is_known = power_next(registers, read(registers.pc, 4), address);
    return {address, static_cast<std::uint8_t>(is_known ? 4 : 0)};
  }
};

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
