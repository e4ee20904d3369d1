// SPDX-License-Identifier: BSL-1.0
// The entry of a fault, as firmware has it in its vector table.
#ifndef TESTS_SIZE_FAULT_HPP
#define TESTS_SIZE_FAULT_HPP

#if defined(__thumb2__)
#include <neuromorph/target/arm/cortex_m_exception.hpp>
#else
#include <neuromorph/target/arm/armv5te_exception.hpp>
#endif

namespace measured {

/// Of those that an ARM968E-S tells apart by their vectors.
enum class Abort { prefetch, data };

template <auto handler, Abort abort = Abort::prefetch>
[[gnu::naked]] void fault() {
#if defined(__thumb2__)
  neuromorph::target::cortex_m_exception<handler>();
#else
  using neuromorph::target::ArmVector;
  neuromorph::target::armv5te_exception<handler,
                                        abort == Abort::data ? ArmVector::data_abort : ArmVector::prefetch_abort>();
#endif
}
/// In the vector table, as it were.
inline void (*volatile vector)();

} // namespace measured

#endif
