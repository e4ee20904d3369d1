// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a linker script says of the program: addresses without anything at them.
// not in the umbrella: they want a linker script
#ifndef NEUROMORPH_TARGET_DEVICE_LINKER_SYMBOLS_HPP
#define NEUROMORPH_TARGET_DEVICE_LINKER_SYMBOLS_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

// Of neuromorph_log.ld. Their names are the linker's, not those of variables.
/// Where the texts of a log begin, which no memory has.
[[gnu::visibility("hidden")]] extern const char log_texts asm("link_with_neuromorph_log_ld");
/// As far behind that as a number says that tells programs apart.
[[gnu::visibility("hidden")]] extern const char log_image asm("neuromorph_image");
/// The linker's build id, in words; of a program without one where the texts begin. Weak: else two names are two places.
[[gnu::visibility("hidden"), gnu::weak]] extern const std::uint32_t build_id asm("neuromorph_build_id");

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
