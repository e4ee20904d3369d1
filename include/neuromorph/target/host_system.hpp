// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a host's system can be asked for, where it has it: all of it makes programs faster, and none of it changes what they do.
// host-only
#ifndef NEUROMORPH_TARGET_HOST_SYSTEM_HPP
#define NEUROMORPH_TARGET_HOST_SYSTEM_HPP

#include <cstddef>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

/// Memory that is read in no order, in few pages.
/// \param memory  aligned to huge_page_bytes, of a multiple of these
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  static_cast<void>(madvise(memory, bytes, MADV_HUGEPAGE));
#endif
}

/// In a loop that waits for another thread: leaves the core to who shares it.
inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
