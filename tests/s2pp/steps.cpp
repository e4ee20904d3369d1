// SPDX-License-Identifier: BSL-1.0
// Where the decoder says that a branch goes is where the emulated processor goes with it. Each case is a return from a
// signal, into a branch among trap instructions; where the next signal comes from is where it went.
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sys/mman.h>
#include <ucontext.h>

#include <neuromorph/firmware/gdb/power_next.hpp>

namespace {

using neuromorph::firmware::gdb::power_next;
using neuromorph::target::PowerRegisters;

constexpr std::uint32_t cases = 40000, bytes = 1 << 17, trap = 0x7FE0'0008;
enum Place : std::size_t { at_pc = 32, at_machine_state = 33, at_counter = 35, at_link = 36, at_condition = 38 };

std::uint32_t* code = nullptr;
std::mt19937 draw(1);
std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(draw() % limit); }

std::uint32_t number = 0, wanted = 0, word = 0, branched = 0;
PowerRegisters registers{};

std::uint32_t place_of_code() {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(code)) + bytes / 4 + 4 * below(bytes / 8);
}
std::uint32_t branch() {
  const std::uint32_t any = static_cast<std::uint32_t>(draw()), condition = any & 0x03FF'0000, link = any & 1;
  switch (below(5)) {
  case 0: return 18U << 26 | (below(2) == 0 ? any & 0x03FF'FFFC : 4 * below(1000)) | link;
  case 1: return 16U << 26 | condition | (any & 0xFFFC) | link;
  case 2: return 19U << 26 | condition | 16U << 1 | link;
  case 3: return 19U << 26 | (condition | 4U << 21) | 528U << 1 | link; // which may not count
  default: return 14U << 26 | (any & 0x0000'FFFF) | 14U << 21;          // addi r14: goes on
  }
}

void next(ucontext_t* context) {
  auto* const general = context->uc_mcontext.uc_regs->gregs;
  do {
    word = branch();
    registers.pc = place_of_code();
    registers.condition = static_cast<std::uint32_t>(draw());
    registers.counter = below(3) == 0 ? below(3) : place_of_code() + below(4);
    registers.link = place_of_code() + below(4);
    if (!power_next(registers, word, wanted)) std::abort();
  } while (wanted == registers.pc); // would go round and round
  code[(registers.pc - static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(code))) / 4] = word;
  branched += wanted != registers.pc + 4 ? 1U : 0U;
  general[at_pc] = registers.pc;
  general[at_condition] = registers.condition;
  general[at_counter] = registers.counter;
  general[at_link] = registers.link;
}
void on_signal(int, siginfo_t*, void* context) {
  auto* const frame = static_cast<ucontext_t*>(context);
  auto* const general = frame->uc_mcontext.uc_regs->gregs;
  const auto begin = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(code));
  if (number != 0) {
    const auto went = static_cast<std::uint32_t>(general[at_pc]);
    if (went != wanted) {
      std::printf("case %u: %08x at %08x goes to %08x, not to %08x\n", unsigned{number}, unsigned(word),
                  unsigned(registers.pc), unsigned(went), unsigned(wanted));
      std::fflush(stdout);
      std::_Exit(1);
    }
    code[(registers.pc - begin) / 4] = trap;
  }
  if (++number > cases) {
    std::printf("%u cases, %u branch\n", unsigned(cases), unsigned(branched));
    std::fflush(stdout);
    std::_Exit(branched < cases / 3 ? 1 : 0);
  }
  next(frame);
}

} // namespace

int main() {
  void* const mapped = mmap(reinterpret_cast<void*>(0x5000'0000), bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return 2;
  code = static_cast<std::uint32_t*>(mapped);
  for (std::uint32_t at = 0; at < bytes / 4; ++at) code[at] = trap;
  std::array<char, 1 << 16>* const stack = new std::array<char, 1 << 16>;
  stack_t other{};
  other.ss_sp = stack->data();
  other.ss_size = stack->size();
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigaction(SIGTRAP, &action, nullptr);
  sigaction(SIGSEGV, &action, nullptr); // where it went there is nothing
  sigaction(SIGILL, &action, nullptr);
  std::raise(SIGTRAP);
  return 3; // never
}
