// SPDX-License-Identifier: BSL-1.0
/// \file
/// Which program a firmware is: one number, which its tools find in the ELF, too.
///
///     mailbox.start(clock_hz, firmware::image());
///
/// Link with neuromorph_log.ld, and with -Wl,--build-id=sha1. See docs/mailbox.md.
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_IMAGE_HPP
#define NEUROMORPH_FIRMWARE_IMAGE_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/target/device/linker_symbols.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// The first word of the linker's build id; without one a number that is made from the sizes of sections, which programs of
/// equal sizes share. What `Mailbox::start` and `CrashReport` are told, and tools compare with their ELF.
[[nodiscard]] inline std::uint32_t image() noexcept {
  // Distances, because a program that can be loaded anywhere has no address 0.
  const auto begin = reinterpret_cast<std::uintptr_t>(&target::log_texts);
  if (reinterpret_cast<std::uintptr_t>(&target::build_id) != begin) return target::build_id;
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&target::log_image) - begin);
}

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
