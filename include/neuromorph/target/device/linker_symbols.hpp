// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a linker script says of the program: addresses without anything at them.
// not in the umbrella: they want a linker script
#ifndef NEUROMORPH_TARGET_DEVICE_LINKER_SYMBOLS_HPP
#define NEUROMORPH_TARGET_DEVICE_LINKER_SYMBOLS_HPP

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

// Of neuromorph_log.ld. Their names are the linker's, not those of variables.
/// Where the texts of a log begin, which no memory has.
[[gnu::visibility("hidden")]] extern const char log_texts asm("link_with_neuromorph_log_ld");
/// As far behind that as a number says that tells programs apart.
[[gnu::visibility("hidden")]] extern const char log_image asm("neuromorph_image");

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
