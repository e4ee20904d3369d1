// SPDX-License-Identifier: BSL-1.0
// A firmware that ends in the way that it is told, is reset, finds the report of that, and sends it. `checks/crash.py` is at
// the other end.
//
//   crash undefined|data|fetch|assertion|overflow|watchdog|handler|nested|damaged|two
#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

#include <neuromorph/firmware/crash.hpp>
#include <neuromorph/firmware/image.hpp>
#include <neuromorph/firmware/log.hpp>
#include <neuromorph/firmware/mailbox.hpp>
#include <neuromorph/firmware/stack_guard.hpp>

#include "window.hpp"

#if defined(__thumb__)
#include <neuromorph/target/arm/cortex_m_exception.hpp>
#else
#include <neuromorph/target/arm/armv5te_exception.hpp>
#endif

extern "C" std::uint32_t firmware_stack[];

namespace {

using namespace neuromorph;
using firmware::Cause;

constexpr std::uint32_t stack_words = 2048;
using Out = firmware::Channel<"crsh", 512>;
using Lines = firmware::Channel<"log ", 128, firmware::ChannelOptions{.when_full = WhenFull::oldest_gives_way}>;
using Box = firmware::Mailbox<Out, Lines>;

Box& box() { return *reinterpret_cast<Box*>(window::words("", 0)); }
std::uint32_t ticks = 0;
struct Clock {
  static std::uint32_t now() { return ticks += 1000; }
};
auto make_log() { return firmware::Log(box().writer<"log ">(), Clock{}); }

std::uintptr_t stack_above() { return reinterpret_cast<std::uintptr_t>(firmware_stack); }
firmware::CrashReport<128, 64> report(window::words("", 1), firmware::image(), stack_above() - stack_words * 4,
                                      stack_above());
bool damages, faults_again;

volatile std::uint32_t& at(std::uintptr_t address) { return *reinterpret_cast<volatile std::uint32_t*>(address); }

[[noreturn]] void reset() {
#if defined(__thumb__)
  at(0xE000'ED0C) = 0x05FA'0004; // SYSRESETREQ
#else
  at(0x1000'0020) = 0xA05F; // the board's system controller: unlock, reset
  at(0x1000'0040) = 0x0000'0105;
#endif
  for (;;) {}
}

void provoke_undefined();

/// What every handler does.
void end(target::ArmRegisters& registers, Cause cause) {
  std::array<std::uint32_t, 4> faults{};
#if defined(__thumb__)
  faults = firmware::CortexMFaults::read();
#endif
  if (!report.record(registers, cause, faults, box().writer<"log ">())) reset(); // the second fault
  if (damages) window::words("", 1)[40] ^= 0x100;
#if !defined(__thumb__)
  if (faults_again) provoke_undefined(); // a Cortex-M would lock up, which its watchdog ends
#endif
  reset();
}

} // namespace

#if defined(__thumb__)
namespace {
void on_fault(target::ArmRegisters& registers) noexcept { end(registers, Cause::fault); }
void on_watchdog(target::ArmRegisters& registers) noexcept { end(registers, Cause::watchdog); }
} // namespace
extern "C" [[gnu::naked]] void hard_fault_handler() { target::cortex_m_exception<on_fault>(); }
extern "C" void interrupt_handler() {
  provoke_undefined();
  asm volatile("");
}
extern "C" [[gnu::naked]] void systick_handler() { target::cortex_m_exception<on_watchdog>(); }
#else
namespace {
template <Cause cause>
void on_fault(target::ArmRegisters& registers) noexcept {
  end(registers, cause);
}
} // namespace
using target::ArmVector;
extern "C" [[gnu::naked]] void undefined_handler() {
  target::armv5te_exception<on_fault<Cause::undefined>, ArmVector::undefined>();
}
extern "C" [[gnu::naked]] void prefetch_abort_handler() {
  target::armv5te_exception<on_fault<Cause::prefetch_abort>, ArmVector::prefetch_abort>();
}
extern "C" [[gnu::naked]] void data_abort_handler() {
  target::armv5te_exception<on_fault<Cause::data_abort>, ArmVector::data_abort>();
}
extern "C" [[gnu::naked]] void irq_handler() { target::armv5te_exception<on_fault<Cause::watchdog>, ArmVector::irq>(); }
#endif

namespace {

const firmware::StackGuard guard({reinterpret_cast<std::uint32_t*>(stack_above()) - stack_words, stack_words}, 64);

/// Registers that the report has to have, then the instruction that nobody knows.
[[gnu::noinline]] void provoke_undefined() {
  asm volatile("ldr r5, =0x5A5A0005\n\t"
               "ldr r6, =0x5A5A0006\n\t"
               "ldr r7, =0x5A5A0007\n\t"
               "ldr r8, =0x5A5A0008\n\t"
               "udf #0\n\t"
               :
               :
               : "r5", "r6", "r8", "memory");
}
[[gnu::noinline]] void provoke_data() {
#if !defined(__thumb__)
  std::uint32_t control = 0; // memory is everywhere, but what is not aligned can be refused
  asm volatile("mrc p15, 0, %0, c1, c0, 0\n\torr %0, %0, #2\n\tmcr p15, 0, %0, c1, c0, 0" : "=r"(control));
  static volatile std::uintptr_t place = window::base + 1; // the compiler would write bytes
  at(place) = 1;
#else
  at(__ARM_ARCH >= 8 ? 0x0FFF'FFF0U : 0x9FFF'FFF0U) = 1;
  asm volatile("dsb");
#endif
}
[[gnu::noinline]] void provoke_fetch() {
#if defined(__thumb__)
  reinterpret_cast<void (*)()>(__ARM_ARCH >= 8 ? 0x0FFF'FFF1U : 0x9FFF'FFF1U)();
#else
  target::breakpoint();
#endif
  asm volatile("nop");
}
[[gnu::noinline]] void provoke_assertion() {
  report.announce(Cause::assertion, 4711);
  target::breakpoint();
}
[[gnu::noinline]] std::uint32_t dig(std::uint32_t levels) { // NOLINT(misc-no-recursion)
  volatile std::uint32_t place[40] = {levels};
  if (!guard.is_intact()) {
    report.announce(Cause::stack_overflow, guard.deepest_bytes());
    target::breakpoint();
  }
  return levels == 0 ? 0 : dig(levels - 1) + place[0];
}
[[gnu::noinline]] void wait_for_watchdog() {
#if defined(__thumb__)
  at(0xE000'E014) = 25'000;
  at(0xE000'E018) = 0;
  at(0xE000'E010) = 7;
#else
  at(0x101E'2000) = 1000;
  at(0x101E'2008) = 0xE2;
  at(0x1014'0010) = 0x10;
  asm volatile("mrs r0, cpsr\n\tbic r0, r0, #0x80\n\tmsr cpsr_c, r0" : : : "r0", "memory");
#endif
  for (;;) asm volatile("");
}

#if defined(__thumb__)
[[gnu::noinline]] void wait_for_handler() {
  asm volatile("cpsid i" : : : "memory");
  at(0xE000'E100) = 1; // the first interrupt: on, and pending
  at(0xE000'E200) = 1;
  asm volatile("dsb\n\tcpsie i\n\tb ." : : : "memory");
}
#endif

/// Two functions between main and the end.
[[gnu::noinline]] void inner(const char* what) {
  const auto is = [what](const char* name) { return std::strcmp(what, name) == 0; };
  damages = is("damaged"), faults_again = is("nested");
  if (is("undefined") || is("damaged") || is("nested") || is("two")) provoke_undefined();
  if (is("data")) provoke_data();
  if (is("fetch")) provoke_fetch();
  if (is("assertion")) provoke_assertion();
  if (is("overflow")) dig(100);
  if (is("watchdog")) wait_for_watchdog();
#if defined(__thumb__)
  if (is("handler")) wait_for_handler();
#endif
  asm volatile("");
}
[[gnu::noinline]] void outer(const char* what) {
  inner(what);
  asm volatile("");
}

} // namespace

int main(int count, char** words) {
  if (count < 2) return 64;
  guard.paint();
  const bool is_first = box().start(1'000'000, firmware::image()) == 1;
  const auto log = make_log();
  if (is_first) {
    for (std::uint32_t line = 0; line < 100; ++line) log.info<"line {} of those before the end">(line);
    log.warning<"ends by {}">(static_cast<const char*>(words[1]));
    outer(words[1]);
    return 65; // nothing has happened
  }
  for (std::uint32_t line = 0; line < 100; ++line) log.info<"line {} after the end">(line);
  if (!report.is_there()) return 9;
  if (!report.send(box().writer<"crsh">())) return 10;
  report.clear();
  if (report.is_there()) return 11;
  return static_cast<int>(report.cause());
}
