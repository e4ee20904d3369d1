// SPDX-License-Identifier: BSL-1.0
/// \file
/// What gives way when a store or a ring is full, by name.
#ifndef NEUROMORPH_WHEN_FULL_HPP
#define NEUROMORPH_WHEN_FULL_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {

/// What is new is refused, or what came first is given up for it. Either is counted.
enum class WhenFull : std::uint8_t { refuse_newest, oldest_gives_way };

} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
