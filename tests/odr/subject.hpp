// SPDX-License-Identifier: BSL-1.0
// A function that differs with the flags, once in the library's ABI namespace and once, as the positive control,
// in a namespace that two units share.
#ifndef NEUROMORPH_TESTS_ODR_SUBJECT_HPP
#define NEUROMORPH_TESTS_ODR_SUBJECT_HPP

#include <neuromorph/config.hpp>

#if defined(__AVX2__)
#define ODR_INSTRUCTION_SET 2
#else
#define ODR_INSTRUCTION_SET 1
#endif

#if defined(ODR_STAND_IN)
namespace stand_in {
#else
namespace neuromorph {
inline namespace NEUROMORPH_ABI {
#endif

/// The flags this very definition was compiled with.
inline int compiled_with() { return 10 * ODR_INSTRUCTION_SET + NEUROMORPH_CHECKS; }

template <int Offset>
int compiled_with_plus() {
  return compiled_with() + Offset;
}

/// Its linker name, which holds the ABI tag.
struct Probe {};

#if defined(ODR_STAND_IN)
} // namespace stand_in
namespace subject = stand_in;
#else
} // namespace NEUROMORPH_ABI
} // namespace neuromorph
namespace subject = neuromorph;
#endif

#endif
