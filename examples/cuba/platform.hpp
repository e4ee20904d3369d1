// SPDX-License-Identifier: BSL-1.0
// The two things that differ between a host and an emulated board: wall time and whether a person is
// watching.
#ifndef EXAMPLES_CUBA_PLATFORM_HPP
#define EXAMPLES_CUBA_PLATFORM_HPP

#if defined(__arm__)

namespace platform {
inline constexpr bool has_wall_time = false; // an emulator's says nothing about the core
inline double seconds() { return 0.0; }
inline bool is_watched() { return false; }
} // namespace platform

#else

#include <unistd.h>

#include <neuromorph/target/device/host_clock.hpp>

namespace platform {
inline constexpr bool has_wall_time = true;
inline double seconds() { return static_cast<double>(neuromorph::target::HostClock::now()) * 1e-9; }
inline bool is_watched() { return isatty(STDERR_FILENO) != 0; } // progress goes there
} // namespace platform

#endif
#endif
