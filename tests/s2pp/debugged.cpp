// SPDX-License-Identifier: BSL-1.0
// What tests/s2pp/session.py debugs: a program for PowerPC Linux with the model of S2PP, whose vectors last here. Traps and
// faults lead to a stub on a socket, or with GDB_SUBJECT_PROBE to a probe.
//
//   debugged SOCKET
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <ucontext.h>
#include <unistd.h>

#include <neuromorph/firmware/gdb/framed_line.hpp>
#include <neuromorph/firmware/gdb/probe.hpp>
#include <neuromorph/firmware/gdb/s2pp.hpp>
#include <neuromorph/firmware/gdb/stub.hpp>

#include "tests/support/s2pp.hpp"

extern "C" {
extern char __executable_start, etext, __data_start, end; // of the linker
}

namespace {

using namespace neuromorph::firmware;

int connected = -1;
struct Line {
  static bool take(std::uint8_t& byte) { return read(connected, &byte, 1) == 1; }
  static bool put(std::uint8_t byte) { return write(connected, &byte, 1) == 1; }
};
/// The host's caches see what is written; which places were told is for the session to see.
struct Told {
  static void flush(std::uint32_t address, std::uint32_t bytes) noexcept;
};

Line line;
gdb::S2pp<gdb::OwnMemory<Told>> machine;
std::array<gdb::Region, 3> regions;
#if defined(GDB_SUBJECT_PROBE)
gdb::FramedLine framed(line);
gdb::Probe stub(machine, framed, std::span<const gdb::Region>(regions));
#else
gdb::Stub<decltype(machine), Line, gdb::StubOptions{.packet_bytes = 2048}> stub(machine, line, regions);
#endif
s2pp::Unit unit;
neuromorph::target::S2ppRegisters registers;

struct Bus {
  static bool read(std::uint32_t address, s2pp::Bytes& to) {
    std::memcpy(to.data(), reinterpret_cast<const void*>(address), to.size());
    return true;
  }
  static bool write(std::uint32_t address, const s2pp::Bytes& from) {
    std::memcpy(reinterpret_cast<void*>(address), from.data(), from.size());
    return true;
  }
  static s2pp::Bytes* vector(std::uint32_t) { return nullptr; }
};

enum Place : std::size_t {
  at_pc = 32,
  at_machine_state = 33,
  at_counter = 35,
  at_link = 36,
  at_exceptions = 37,
  at_condition = 38
};

void on_signal(int number, siginfo_t*, void* context) {
  auto* const general = static_cast<ucontext_t*>(context)->uc_mcontext.uc_regs->gregs;
  const auto* const at = reinterpret_cast<const std::uint32_t*>(general[at_pc]);
  if (number == SIGILL && s2pp::is_vector_word(*at)) {
    s2pp::GeneralRegisters words;
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(general[i]);
    Bus bus;
    if (unit.execute(*at, words, bus) == nullptr) {
      general[at_pc] += 4;
      return;
    }
  }
  for (std::size_t i = 0; i < 32; ++i) registers.general[i] = static_cast<std::uint32_t>(general[i]);
  const auto each = [&](auto move) {
    move(registers.pc, general[at_pc]);
    move(registers.condition, general[at_condition]);
    move(registers.link, general[at_link]);
    move(registers.counter, general[at_counter]);
    move(registers.fixed_exceptions, general[at_exceptions]);
  };
  each([](std::uint32_t& to, auto& from) { to = static_cast<std::uint32_t>(from); });
  registers.machine_state = static_cast<std::uint32_t>(general[at_machine_state]);
  std::memcpy(registers.vectors, unit.registers.data(), sizeof registers.vectors);
  stub.stopped(registers, number == SIGTRAP  ? gdb::Signal::trap
                          : number == SIGILL ? gdb::Signal::illegal_instruction
                                             : gdb::Signal::bad_access);
  std::memcpy(unit.registers.data(), registers.vectors, sizeof registers.vectors);
  for (std::size_t i = 0; i < 32; ++i) general[i] = registers.general[i];
  each([](const std::uint32_t& from, auto& to) { to = from; });
}

std::uint32_t number_of(const void* place) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(place));
}

} // namespace

// --- what is debugged ---------------------------------------------------------------------------------------------

extern "C" {
volatile std::uint32_t flushes, flushed_bytes, weights_set;
alignas(16) std::uint8_t lanes[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
volatile int answer, choice = 3;

/// kv2 = lanes + lanes, byte by byte
[[gnu::noinline]] void add_lanes() {
  constexpr std::uint32_t load = 4U << 26 | 1U << 21 | 492U << 2,
                          add = 4U << 26 | 2U << 21 | 1U << 16 | 1U << 11 | 461U << 2;
  asm volatile(".long %c[load] | %[from] << 11\n\t.long %c[add]\n\tsync"
               :
               : [load] "n"(load), [add] "n"(add), [from] "r"(lanes)
               : "memory");
}
/// lanes = kv2
[[gnu::noinline]] void store_lanes() {
  constexpr std::uint32_t store = 4U << 26 | 2U << 21 | 508U << 2;
  asm volatile(".long %c[store] | %[to] << 11\n\tsync" : : [store] "n"(store), [to] "r"(lanes) : "memory");
}
[[gnu::noinline]] int inner(int value) {
  answer = answer + value;
  return value * 2;
}
[[gnu::noinline]] int middle(int value) {
  const int doubled = inner(value + 1);
  return doubled + choice; // middle goes on
}
[[gnu::noinline]] int outer(int value) {
  const int more = middle(value * 3);
  return more - 1;
}
[[gnu::noinline]] int branches(int limit) {
  int sum = 0;
  for (int at = 0; at < limit; ++at) sum += at % 3 == 0 ? inner(at) : at == 4 ? -sum : 1;
  return sum;
}
}

void Told::flush(std::uint32_t address, std::uint32_t bytes) noexcept {
  flushes = flushes + 1;
  flushed_bytes = flushed_bytes + bytes;
  __builtin___clear_cache(reinterpret_cast<char*>(address), reinterpret_cast<char*>(address + bytes));
}

int main(int count, char** words) {
  if (count != 2) return 2;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s", words[1]);
  const int listening = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || listen(listening, 1) != 0)
    return 2;
  connected = accept(listening, nullptr, nullptr);
  if (connected < 0) return 2;

  const std::uint32_t text = number_of(&__executable_start), text_end = number_of(&etext),
                      data = number_of(&__data_start);
  const std::uint32_t stack = number_of(&count);
  if (mprotect(&__executable_start, text_end - text, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return 2;
  regions = {{{text, text_end - text}, {data, number_of(&end) - data}, {stack - (48 << 10), (48 << 10) + 256}}};
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  for (const int number : {SIGTRAP, SIGILL, SIGSEGV}) sigaction(number, &action, nullptr);

  asm volatile("trap"); // as the paper's breakpoint()
  add_lanes();
  store_lanes();
  answer = outer(5); // first
  answer = outer(6); // second
  answer = branches(9);
  std::printf("%d\n", int{answer});
  return 0;
}
