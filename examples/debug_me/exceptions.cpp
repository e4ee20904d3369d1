// SPDX-License-Identifier: BSL-1.0
// The exceptions of the two boards, under the names that their start-up code calls.
#include "board.hpp"

using neuromorph::firmware::Cause;
using neuromorph::target::ArmRegisters;

namespace {
template <Cause cause>
void on_fault(ArmRegisters& registers) noexcept {
  board::stopped(registers, cause);
}
} // namespace

#if defined(__thumb__)

extern "C" [[gnu::naked]] void hard_fault_handler() {
  neuromorph::target::cortex_m_exception<on_fault<Cause::fault>>();
}
extern "C" void systick_handler() { board::clock.on_interrupt(); }

#else

using neuromorph::target::armv5te_exception;
using neuromorph::target::ArmVector;
extern "C" [[gnu::naked]] void undefined_handler() {
  armv5te_exception<on_fault<Cause::undefined>, ArmVector::undefined>();
}
extern "C" [[gnu::naked]] void prefetch_abort_handler() {
  armv5te_exception<on_fault<Cause::prefetch_abort>, ArmVector::prefetch_abort>();
}
extern "C" [[gnu::naked]] void data_abort_handler() {
  armv5te_exception<on_fault<Cause::data_abort>, ArmVector::data_abort>();
}
extern "C" [[gnu::interrupt("IRQ")]] void irq_handler() { board::clock.acknowledge(); }

#endif
