// SPDX-License-Identifier: BSL-1.0
// Vector table and reset for Cortex-M. An exception that nobody handles stops the firmware with a sentence.
#include <cstdint>

extern "C" {
[[noreturn]] void firmware_start();
[[noreturn]] void firmware_stop(const char* text);
extern std::uint32_t firmware_stack[];

static void unexpected() { firmware_stop("firmware stopped: exception without a handler\n"); }
// A firmware that wants to see its faults defines its own.
[[gnu::weak]] void hard_fault_handler() { firmware_stop("firmware stopped: hard fault\n"); }

// The first instruction of floating point or Helium would fault before the access to it is granted, and firmware_start
// may be compiled into such.
[[gnu::naked, gnu::used, noreturn]] void firmware_reset() {
#if defined(__ARM_FP) || (defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE)
  asm volatile("movw r0, #0xED88\n\t" // CPACR: full access to CP10 and CP11
               "movt r0, #0xE000\n\t"
               "ldr r1, [r0]\n\t"
               "orr r1, r1, #0x00F00000\n\t"
               "str r1, [r0]\n\t"
               "dsb\n\t"
               "isb");
#endif
  asm volatile("b firmware_start");
}
// A firmware with a timer interrupt defines its own.
[[gnu::weak]] void systick_handler() { unexpected(); }
// Or one with an interrupt of the board, of which it asks which one that is.
[[gnu::weak]] void interrupt_handler() { unexpected(); }
}

namespace {
struct VectorTable {
  std::uint32_t* stack;
  void (*handlers[47])();
};
} // namespace

// NMI, faults and supervisor calls, then SysTick at position 15, then 32 interrupts of the board.
[[gnu::section(".vectors"), gnu::used]] static const VectorTable vector_table = {
    firmware_stack, {firmware_reset,     unexpected,        hard_fault_handler, hard_fault_handler, hard_fault_handler,
                     hard_fault_handler, unexpected,        unexpected,         unexpected,         unexpected,
                     unexpected,         unexpected,        unexpected,         unexpected,         systick_handler,
                     interrupt_handler,  interrupt_handler, interrupt_handler,  interrupt_handler,  interrupt_handler,
                     interrupt_handler,  interrupt_handler, interrupt_handler,  interrupt_handler,  interrupt_handler,
                     interrupt_handler,  interrupt_handler, interrupt_handler,  interrupt_handler,  interrupt_handler,
                     interrupt_handler,  interrupt_handler, interrupt_handler,  interrupt_handler,  interrupt_handler,
                     interrupt_handler,  interrupt_handler, interrupt_handler,  interrupt_handler,  interrupt_handler,
                     interrupt_handler,  interrupt_handler, interrupt_handler,  interrupt_handler,  interrupt_handler,
                     interrupt_handler,  interrupt_handler}};
