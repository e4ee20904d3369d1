// SPDX-License-Identifier: BSL-1.0
/// \file
/// Where the loop instructions of ARMv8.1-M go: DLS and WLS at the head, LE at the end, and their forms for vectors.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_LOOP_NEXT_HPP
#define NEUROMORPH_FIRMWARE_GDB_LOOP_NEXT_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// Whether the instruction is one of these; if so, where it goes, as `thumb_next` says it.
/// \source ARM DDI 0553, WLS and LE
template <class Read>
[[nodiscard]] constexpr bool loop_next(const std::uint32_t* general, std::uint32_t float_status, Read&& read,
                                       std::uint32_t& address) {
  const std::uint32_t pc = general[15], first = read(pc, 2);
  if ((first & 0xFF80) != 0xF000) return false;
  const std::uint32_t second = read(pc + 2, 2), base = first & 15, after = pc + 4 + 1;
  if ((second & 0xD001) != 0xC001) return false;
  if ((second & 0x2000) != 0) { // DLS, LCTP: only set a count
    address = after;
    return true;
  }
  const std::uint32_t offset = (second & 0x7FE) << 1U | (second & 0x800) >> 10U;
  if (base != 15) { // WLS, WLSTP
    address = general[base] == 0 ? after + offset : after;
    return true;
  }
  const bool is_of_vectors = (first & 0x10) != 0, is_endless = (first & 0x20) != 0;
  const std::uint32_t done = is_of_vectors ? 16U >> (float_status >> 16U & 7) : 1; // of the count, each time round
  address = is_endless || general[14] > done ? after - offset : after;
  return true;
}

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
