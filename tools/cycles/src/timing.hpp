// SPDX-License-Identifier: BSL-1.0
/// \file
/// What the model knows of one instruction: its cost, what it needs when, what it gives when.
#ifndef NEUROMORPH_CYCLES_TIMING_HPP
#define NEUROMORPH_CYCLES_TIMING_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace neuromorph::cycles {

enum class Core : std::uint8_t { arm9e, cortex_m4 };

/// Where a cycle beyond one per instruction went. The sum over all causes plus the number of instructions
/// is the number of cycles, always.
enum class Cause : std::uint8_t {
  load,        ///< waited for a loaded word
  narrow_load, ///< waited for a loaded byte or halfword (one cycle longer: it is rotated into place)
  multiply,    ///< waited for a product
  saturate,    ///< waited for the result of QADD and its kin
  address,     ///< Cortex-M4: the address came straight from the ALU
  issue,       ///< the instruction itself takes more than one cycle
  shift,       ///< shifted register offset of a load or store
  refill,      ///< pipeline refill after control went elsewhere
  read_wait,
  write_wait,
  fetch_wait,
  unaligned, ///< Cortex-M4: an access split in several
  exception, ///< entry and return
  idle,      ///< asleep in wait-for-interrupt
};
inline constexpr std::size_t cause_count = 14;
inline constexpr std::array<std::string_view, cause_count> cause_names{
    "load",   "narrow_load", "multiply",   "saturate",   "address",   "issue",     "shift",
    "refill", "read_wait",   "write_wait", "fetch_wait", "unaligned", "exception", "idle"};
static_assert(static_cast<std::size_t>(Cause::idle) + 1 == cause_count);

/// In which role an instruction reads a register: the bypasses differ.
enum class Need : std::uint8_t { execute, store, accumulate, address };
inline constexpr std::size_t need_count = 4;

/// Registers 0-15 are r0-pc, 16-47 are s0-s31.
inline constexpr std::size_t register_count = 48;

struct Use {
  std::uint8_t reg;
  Need need;
  std::uint8_t slot; ///< cycles after issue at which the value is read (STM reads its list in order)
};

struct Result {
  std::uint8_t reg;
  Cause cause;                              ///< charged to who reads it too early
  std::array<std::uint8_t, need_count> lag; ///< cycles after the end of the instruction, by Need

  std::uint8_t longest() const { return std::max(lag_but_address(), lag[static_cast<std::size_t>(Need::address)]); }
  std::uint8_t lag_but_address() const { return std::max({lag[0], lag[1], lag[2]}); }
};
static_assert(static_cast<std::size_t>(Need::address) == 3);

enum class Kind : std::uint8_t {
  plain,
  load, ///< one register, the only kind the Cortex-M4 overlaps with a following access
  store,
  block,  ///< several words
  divide, ///< cost depends on the operands
  sleep,
  call_host, ///< semihosting
  supervisor,
  exception_number, ///< Cortex-M4: MRS of IPSR, which the machine keeps
  it_block,         ///< IT: the emulator reports only those of its instructions that are executed
};

struct Record {
  std::uint32_t address = 0;
  std::uint8_t size = 0;
  std::uint8_t condition = 14; ///< ARM encoding; 14 = always
  std::uint8_t cost = 1;       ///< cycles, without refill, shift and waits
  std::uint8_t shift = 0;      ///< more for a shifted register offset
  std::uint8_t refill = 0;     ///< more when control leaves the straight line
  std::uint8_t fetch_wait = 0;
  Kind kind = Kind::plain;
  std::uint8_t divide[2] = {0, 0}; ///< registers of dividend and divisor
  bool divide_signed : 1 = false;
  bool thumb : 1 = false;
  bool branches : 1 = false;   ///< may write pc
  bool by_outcome : 1 = false; ///< taken or not is read off the next address, not off the flags
  bool pair : 1 = false;       ///< LDRD, STRD: ARMv5 wants them on multiples of eight
  bool in_it : 1 = false;      ///< inside an IT block
  bool marked : 1 = false;     ///< a measurement begins or ends here
  bool at_once : 1 = false;    ///< computes, always, and touches no memory: over before the next is seen
  bool either_way = false;     ///< the same in one cycle, but conditional: takes it whether the condition holds or not
  bool addresses = false;      ///< one of its uses is an address
  bool lags = false;           ///< one of its results can be waited for
  std::uint8_t use_count = 0, result_count = 0;
  std::uint32_t first_use = 0, first_result = 0;
};
static_assert(sizeof(Record) <= 32, "half a cache line: one is read for each instruction executed");

/// Totals of a run or of a part of it.
struct Account {
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  std::array<std::uint64_t, cause_count> stall{};

  Account& operator+=(Account const& other) {
    cycles += other.cycles;
    instructions += other.instructions;
    for (std::size_t i = 0; i < cause_count; ++i) { stall[i] += other.stall[i]; }
    return *this;
  }
  friend Account operator-(Account left, Account const& right) {
    left.cycles -= right.cycles;
    left.instructions -= right.instructions;
    for (std::size_t i = 0; i < cause_count; ++i) { left.stall[i] -= right.stall[i]; }
    return left;
  }
};

} // namespace neuromorph::cycles

#endif
