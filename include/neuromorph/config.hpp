// SPDX-License-Identifier: BSL-1.0
/// \file
/// Version, ABI namespace and check level: the only macros of the library.
#ifndef NEUROMORPH_CONFIG_HPP
#define NEUROMORPH_CONFIG_HPP

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "neuromorph needs C++20: compile with -std=c++20"
#include <neuromorph_needs_cxx20> // there is none: compilers stop here, before thousands of errors that follow
#endif

#define NEUROMORPH_VERSION_MAJOR 0
#define NEUROMORPH_VERSION_MINOR 1
#define NEUROMORPH_VERSION_PATCH 0

/// Checks at run time: 0 none, 1 arguments of every call (for debug builds), 2 also all invariants after every step
/// (for tests: steps take as long as their data is large). Results are the same at each level.
#ifndef NEUROMORPH_CHECKS
#define NEUROMORPH_CHECKS 0
#endif

// The ABI tag holds the version and all that the preprocessor sees and that changes code. Two objects built
// with different flags then share no symbol, and the linker cannot pick one definition for both.
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)
#define NEUROMORPH_ABI_ISA avx512
#elif defined(__AVX2__)
#define NEUROMORPH_ABI_ISA avx2
#elif defined(__SSE4_1__)
#define NEUROMORPH_ABI_ISA sse41
#elif defined(__SSE2__)
#define NEUROMORPH_ABI_ISA sse2
#elif defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE
#define NEUROMORPH_ABI_ISA mve
#elif defined(__ARM_NEON)
#define NEUROMORPH_ABI_ISA neon
#elif defined(__ARM_FEATURE_SIMD32) && __ARM_FEATURE_SIMD32
#define NEUROMORPH_ABI_ISA arm_simd32
#elif defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP
#define NEUROMORPH_ABI_ISA arm_dsp
#elif defined(__S2PP__)
#define NEUROMORPH_ABI_ISA s2pp
#elif defined(__ALTIVEC__)
#define NEUROMORPH_ABI_ISA altivec
#else
#define NEUROMORPH_ABI_ISA generic
#endif
#if defined(__thumb__)
#define NEUROMORPH_ABI_STATE thumb
#else
#define NEUROMORPH_ABI_STATE plain
#endif

#define NEUROMORPH_ABI_JOIN2(a, b, c, d, e, f) v##a##_##b##_##c##_##d##_##e##_checks##f
#define NEUROMORPH_ABI_JOIN(a, b, c, d, e, f) NEUROMORPH_ABI_JOIN2(a, b, c, d, e, f)
#define NEUROMORPH_ABI                                                                                                 \
  NEUROMORPH_ABI_JOIN(NEUROMORPH_VERSION_MAJOR, NEUROMORPH_VERSION_MINOR, NEUROMORPH_VERSION_PATCH,                    \
                      NEUROMORPH_ABI_ISA, NEUROMORPH_ABI_STATE, NEUROMORPH_CHECKS)

namespace neuromorph {
/// Everything of the library lives in here; the name changes with version, instruction set and check level.
inline namespace NEUROMORPH_ABI {}
} // namespace neuromorph

#endif
