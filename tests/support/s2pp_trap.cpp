// SPDX-License-Identifier: BSL-1.0
// Linked to a program for PowerPC Linux, gives its processor the vector unit of s2pp.hpp: what the unit would execute
// is an illegal instruction to a processor without AltiVec, and is executed by the model.
//
// A sequence of instructions must end with `sync`, after which the unit has forgotten everything; so a statement of
// assembly that relies on another, or lets the program touch memory too early, is noticed. A unit of several slices
// (-DS2PP_SLICES=8) forgets nothing: there a kernel is many statements. A program that does not use the unit at all fails.
#include "tests/support/s2pp_trap.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

namespace s2pp {

std::array<Vector, vectors> vector_space{};

namespace {

constexpr bool forgets = S2PP_SLICES == 1;
Slices<S2PP_SLICES> unit;
unsigned long long sequences = 0, executed = 0;

[[noreturn]] void fail(const std::uint32_t* at, const char* sentence) {
  std::printf("vector instruction %08lx at %p: %s\n", static_cast<unsigned long>(*at), static_cast<const void*>(at),
              sentence);
  std::fflush(stdout);
  std::_Exit(1);
}

struct Bus {
  static bool read(std::uint32_t address, Bytes& to) {
    std::memcpy(to.data(), reinterpret_cast<const void*>(address), to.size());
    return true;
  }
  static bool write(std::uint32_t address, const Bytes& from) {
    std::memcpy(reinterpret_cast<void*>(address), from.data(), from.size());
    return true;
  }
  static Bytes* vector(std::uint32_t address, unsigned slice) {
    return address < vectors ? reinterpret_cast<Bytes*>(&vector_space[address][16 * slice]) : nullptr;
  }
};

void on_illegal_instruction(int, siginfo_t*, void* context) {
  constexpr std::uint32_t sync = 0x7C0004AC;
  constexpr std::size_t next_instruction = 32;
  auto* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.uc_regs->gregs;
  auto* at = reinterpret_cast<const std::uint32_t*>(registers[next_instruction]);
  if (!is_vector_word(*at)) {
    std::signal(SIGILL, SIG_DFL); // a mistake of another kind
    return;
  }
  GeneralRegisters general;
  for (std::size_t i = 0; i < general.size(); ++i) general[i] = static_cast<std::uint32_t>(registers[i]);
  if (forgets || sequences == 0) unit.forget();
  Bus bus;
  for (; is_vector_word(*at); ++at, ++executed)
    if (const char* const error = unit.execute(*at, general, bus)) fail(at, error);
  if (forgets && *at != sync) fail(at - 1, "a sequence of vector instructions must end with sync");
  ++sequences;
  registers[next_instruction] = reinterpret_cast<std::uintptr_t>(at);
}

void report() {
  std::printf("%llu vector instructions in %llu sequences\n", executed, sequences);
  std::fflush(stdout);
  if (executed == 0) std::_Exit(1);
}

[[maybe_unused]] const bool installed = [] {
  struct sigaction action {};
  action.sa_sigaction = on_illegal_instruction;
  action.sa_flags = SA_SIGINFO;
  std::atexit(report);
  return sigaction(SIGILL, &action, nullptr) == 0;
}();

} // namespace
} // namespace s2pp
