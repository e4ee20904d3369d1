// SPDX-License-Identifier: BSL-1.0
// What tests/gdb/session.py debugs: a stub on the board's second UART, and functions with something for each command. With
// GDB_SUBJECT_PROBE it is a probe on that UART, with GDB_SUBJECT_MAILBOX one on a mailbox in the board's window.
#include <array>
#include <cstdint>

#if defined(GDB_SUBJECT_MAILBOX)
#include <new>

#include <neuromorph/firmware/gdb/probe.hpp>
#include <neuromorph/firmware/mailbox.hpp>

#include "tests/firmware/window.hpp"
#elif defined(GDB_SUBJECT_PROBE)
#include <neuromorph/firmware/gdb/framed_line.hpp>
#include <neuromorph/firmware/gdb/probe.hpp>
#else
#include <neuromorph/firmware/gdb/stub.hpp>
#endif

#include "tests/support/board_uart.hpp"

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#include <neuromorph/firmware/gdb/cortex_m.hpp>
#include <neuromorph/target/arm/cortex_m_exception.hpp>
#if __ARM_ARCH >= 8
#include <neuromorph/target/arm/helium_exception.hpp>
#endif
#else
#include <neuromorph/firmware/gdb/armv5te.hpp>
#include <neuromorph/target/arm/armv5te_exception.hpp>
#endif

namespace {

using namespace neuromorph;
using namespace neuromorph::firmware;

board_uart::Uart uart;

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#if __ARM_ARCH >= 8
using Machine = gdb::CortexM55<>;
constexpr std::array<gdb::Region, 3> regions = {{{0, 512 << 10}, {0x2100'0000, 4 << 20}, {0x6000'0000, 16 << 20}}};
constexpr bool has_interrupts = false; // further up than the vector table goes
#else
using Machine = gdb::CortexM<>;
constexpr std::array<gdb::Region, 3> regions = {{{0, 4 << 20}, {0x2000'0000, 4 << 20}, {0x2100'0000, 16 << 20}}};
constexpr bool has_interrupts = true;
#endif
#else
using Machine = gdb::Armv5te<>;
constexpr std::array<gdb::Region, 1> regions = {{{0, 128 << 20}}};
constexpr bool has_interrupts = true;
#endif

#if defined(GDB_SUBJECT_MAILBOX)
constexpr bool is_polled = true;
#else
constexpr bool is_polled = !has_interrupts;
#endif

constinit Machine machine;
#if defined(GDB_SUBJECT_MAILBOX)
using Asked =
    Channel<"gdb<", 64, ChannelOptions{.direction = Direction::to_target, .longest = gdb::ProbeOptions{}.longest}>;
using Answered = Channel<"gdb>", 64, ChannelOptions{.longest = gdb::ProbeOptions{}.longest}>;
using Box = Mailbox<Asked, Answered>;
Box& box = *new (window::words("", 0)) Box;
gdb::ChannelLine line{box.reader<"gdb<">(), box.writer<"gdb>">()};
gdb::Probe stub(machine, line, std::span<const gdb::Region>(regions));
#elif defined(GDB_SUBJECT_PROBE)
constinit gdb::FramedLine line(uart);
constinit gdb::Probe stub(machine, line, std::span<const gdb::Region>(regions));
#else
constexpr gdb::StubOptions options{.watchpoints = 2, .range_steps = true};
constinit gdb::Stub<Machine, board_uart::Uart, options> stub(machine, uart, regions);
#endif

/// A byte of the debugger's while the program runs.
void on_uart(Machine::Registers& registers) noexcept {
  uart.acknowledge();
  if (stub.wants_stop()) stub.stopped(registers, gdb::Signal::trap);
}

} // namespace

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
namespace {
/// No board has memory there.
volatile int* forbidden() { return reinterpret_cast<volatile int*>(__ARM_ARCH >= 8 ? 0x0FFF'FFF0U : 0x9FFF'FFF0U); }
void on_fault(Machine::Registers& registers) noexcept { stub.stopped(registers, machine.signal()); }
} // namespace
#if __ARM_ARCH >= 8
extern "C" [[gnu::naked]] void hard_fault_handler() { target::helium_exception<on_fault>(); }
extern "C" [[gnu::naked]] void interrupt_handler() { target::helium_exception<on_uart>(); }
#else
extern "C" [[gnu::naked]] void hard_fault_handler() { target::cortex_m_exception<on_fault>(); }
extern "C" [[gnu::naked]] void interrupt_handler() { target::cortex_m_exception<on_uart>(); }
#endif
#else
extern "C" volatile int total;
namespace {
/// The emulated board has memory everywhere, but its processor can be told to refuse what is not aligned.
volatile int* forbidden() {
  std::uint32_t control = 0;
  asm volatile("mrc p15, 0, %0, c1, c0, 0\n\torr %0, %0, #2\n\tmcr p15, 0, %0, c1, c0, 0" : "=r"(control));
  return reinterpret_cast<volatile int*>(reinterpret_cast<std::uintptr_t>(&total) + 1);
}
template <gdb::Signal signal>
void on_fault(target::ArmRegisters& registers) noexcept {
  stub.stopped(registers, signal);
}
} // namespace
using target::ArmVector;
extern "C" [[gnu::naked]] void undefined_handler() {
  target::armv5te_exception<on_fault<gdb::Signal::illegal_instruction>, ArmVector::undefined>();
}
extern "C" [[gnu::naked]] void prefetch_abort_handler() {
  target::armv5te_exception<on_fault<gdb::Signal::bad_access>, ArmVector::prefetch_abort>();
}
extern "C" [[gnu::naked]] void data_abort_handler() {
  target::armv5te_exception<on_fault<gdb::Signal::bad_access>, ArmVector::data_abort>();
}
extern "C" [[gnu::naked]] void irq_handler() { target::armv5te_exception<on_uart, ArmVector::irq>(); }
#endif

// --- what is debugged ---------------------------------------------------------------------------------------------

struct Point {
  int x, y;
};
extern "C" {
Point point = {3, 4};
std::array<int, 5> numbers = {1, 2, 3, 5, 8};
volatile int total, counter, go_on, spins, alone, answer;

volatile int* volatile nowhere;

[[gnu::noinline]] int inner(int value) {
  total = total + value;
  return value * 2; // inner returns
}
[[gnu::noinline]] int middle(int value) {
  const int doubled = inner(value + 1);
  return doubled + 1; // middle goes on
}
[[gnu::noinline]] int outer(int value) {
  const int more = middle(value * 3);
  return more - point.x; // outer goes on
}

[[gnu::noinline]] void count() {
  for (int at = 0; at < 12; ++at) {
    if (at % 4 == 3) counter = counter + at; // changes it
    spins = spins + 1;
  }
  spins = 0; // after the loop
}

/// Branches of all kinds that the compiler makes: loops, tables, calls through pointers, recursion, conditions.
[[gnu::noinline]] int add(int first, int second) { return first + second; }
[[gnu::noinline]] int subtract(int first, int second) { return first - second; }
[[gnu::noinline]] int fibonacci(int value) { return value < 2 ? value : fibonacci(value - 1) + fibonacci(value - 2); }
int (*volatile operations[])(int, int) = {add, subtract};
[[gnu::noinline]] int choose(int which) {
  switch (which) {
  case 0: return total + 7;
  case 1: return counter * 3;
  case 2: return spins - 1;
  case 3: return point.y ^ 5;
  case 4: return numbers[2] << 2;
  case 5: return numbers[3] & 6;
  case 6: return go_on + 40;
  default: return -1;
  }
}
[[gnu::noinline]] int branches(int limit) {
  int result = 0;
  for (int at = 0; at < limit; ++at) {
    result = operations[at & 1](result, choose(at));
    if (result > 20 && (at & 2) != 0)
      result -= 11;
    else if (result < -3)
      result = -result;
    result += static_cast<int>(static_cast<unsigned>(result) / 3U) > at ? 1 : 2;
  }
  return result + fibonacci(3);
}

#if defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE
std::uint32_t lanes[4] = {11, 22, 33, 44};
std::uint32_t rounds;
[[gnu::noinline]] void vectors() {
  asm volatile("vldrw.u32 q3, [%0]\n\tvadd.i32 q6, q3, q3" : : "r"(lanes) : "memory", "q3", "q6");
  asm volatile("vadd.i32 q3, q3, q6\n\tvstrw.u32 q3, [%0]" : : "r"(lanes) : "memory", "q3"); // vectors are seen
  std::uint32_t count = 0;
  asm volatile("movs r2, #5\n\twls lr, r2, 2f\n1:\tadds %0, %0, #1\n\tle lr, 1b\n2:"
               : "+l"(count)
               :
               : "r2", "lr", "cc");
  asm volatile("movs r2, #0\n\twls lr, r2, 2f\n1:\tadds %0, %0, #9\n\tle lr, 1b\n2:"
               : "+l"(count)
               :
               : "r2", "lr", "cc");
  asm volatile("movs r2, #9\n\tdlstp.32 lr, r2\n1:\tadds %0, %0, #7\n\tletp lr, 1b" : "+l"(count) : : "r2", "lr", "cc");
  rounds = count; // after the loops
}
#endif

[[gnu::noinline]] void wait_for_the_user() {
  while (go_on == 0) {
    spins = spins + 1;
    if (is_polled && stub.wants_stop()) target::breakpoint();
  }
}
[[gnu::noinline]] int read_from(volatile int* place) {
  return *place; // faults
}
}

int main() {
  uart.start(has_interrupts);
#if defined(GDB_SUBJECT_MAILBOX)
  box.start(0, 0);
#endif
  if (alone == 0) target::breakpoint();
  answer = outer(5); // first
  answer = outer(6); // second
  count();
  answer = branches(7);
#if defined(__ARM_FEATURE_MVE) && __ARM_FEATURE_MVE
  vectors();
#endif
  wait_for_the_user();
  nowhere = forbidden();
  answer = read_from(nowhere);
  __builtin_trap(); // an undefined instruction
}
