// SPDX-License-Identifier: BSL-1.0
// Vector table and reset for Cortex-M. An exception that nobody handles stops the firmware with a sentence.
#include <cstdint>

extern "C" {
[[noreturn]] void firmware_start();
[[noreturn]] void firmware_stop(const char* text);
extern std::uint32_t firmware_stack[];

static void unexpected() { firmware_stop("firmware stopped: exception without a handler\n"); }
static void hard_fault() { firmware_stop("firmware stopped: hard fault\n"); }
// A firmware with a timer interrupt defines its own.
[[gnu::weak]] void systick_handler() { unexpected(); }
}

namespace {
struct VectorTable {
  std::uint32_t* stack;
  void (*handlers[47])();
};
} // namespace

// NMI, faults and supervisor calls, then SysTick at position 15, then 32 interrupts of the board.
[[gnu::section(".vectors"), gnu::used]] static const VectorTable vector_table = {
    firmware_stack,
    {firmware_start, unexpected, hard_fault, hard_fault, hard_fault, hard_fault, unexpected,      unexpected,
     unexpected,     unexpected, unexpected, unexpected, unexpected, unexpected, systick_handler, unexpected,
     unexpected,     unexpected, unexpected, unexpected, unexpected, unexpected, unexpected,      unexpected,
     unexpected,     unexpected, unexpected, unexpected, unexpected, unexpected, unexpected,      unexpected,
     unexpected,     unexpected, unexpected, unexpected, unexpected, unexpected, unexpected,      unexpected,
     unexpected,     unexpected, unexpected, unexpected, unexpected, unexpected, unexpected}};
