// SPDX-License-Identifier: BSL-1.0
/// \file
/// `target::Native`: the best backend that the compiler's flags allow, the default of every kernel.
#ifndef NEUROMORPH_TARGET_NATIVE_HPP
#define NEUROMORPH_TARGET_NATIVE_HPP

#include <neuromorph/config.hpp>
#include <neuromorph/target/compiler_lanes.hpp>
#include <neuromorph/target/discrete_lookup.hpp>
#include <neuromorph/target/generic.hpp>
#include <neuromorph/target/generic_vectors.hpp>

#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)
#include <neuromorph/target/x86/avx512.hpp>
namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {
using Native = Avx512;
}
} // namespace NEUROMORPH_ABI
} // namespace neuromorph
#elif defined(__AVX2__)
#include <neuromorph/target/x86/avx2.hpp>
namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {
using Native = Avx2;
}
} // namespace NEUROMORPH_ABI
} // namespace neuromorph
#elif defined(__SSE4_1__)
#include <neuromorph/target/x86/sse41.hpp>
namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {
using Native = Sse41;
}
} // namespace NEUROMORPH_ABI
} // namespace neuromorph
#elif defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#include <neuromorph/target/arm/neon.hpp>
namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {
using Native = Neon;
}
} // namespace NEUROMORPH_ABI
} // namespace neuromorph
#elif defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE && !defined(__ARM_BIG_ENDIAN)
#include <neuromorph/target/arm/helium.hpp>
namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {
using Native = Helium;
}
} // namespace NEUROMORPH_ABI
} // namespace neuromorph
#elif defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP && defined(__thumb2__) && !defined(__ARM_BIG_ENDIAN)
#include <neuromorph/target/arm/cortex_m4.hpp>
namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {
using Native = CortexM4;
}
} // namespace NEUROMORPH_ABI
} // namespace neuromorph
#elif defined(__ARM_FEATURE_DSP) && __ARM_FEATURE_DSP && !defined(__thumb__) && !defined(__ARM_BIG_ENDIAN)
#include <neuromorph/target/arm/armv5te.hpp>
namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {
using Native = Armv5te;
}
} // namespace NEUROMORPH_ABI
} // namespace neuromorph
#elif defined(__S2PP__) && defined(__PPC__) && defined(__BIG_ENDIAN__)
#include <neuromorph/target/power/s2pp.hpp>
namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {
using Native = S2pp;
}
} // namespace NEUROMORPH_ABI
} // namespace neuromorph
#elif defined(__ALTIVEC__) && defined(__BIG_ENDIAN__)
#include <neuromorph/target/power/altivec.hpp>
namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {
using Native = AltiVec;
}
} // namespace NEUROMORPH_ABI
} // namespace neuromorph
#else
namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {
using Native = Generic;
}
} // namespace NEUROMORPH_ABI
} // namespace neuromorph
#endif

#endif
