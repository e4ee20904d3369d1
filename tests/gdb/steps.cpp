// SPDX-License-Identifier: BSL-1.0
// Where the decoders say that an instruction goes is where an emulator goes with it: all halfwords of Thumb, and random
// instructions of each kind that can branch, in random states. What the architecture calls unpredictable is left out.
//
// usage: steps [SEED [CASES OF EACH KIND [EVERY [print]]]]
//
// Of all halfwords of Thumb each EVERY-th.
//
// With `print` each case that was compared is a line: core, status, IT state, where it goes, r0 to pc, and what was read as
// address:bytes:value, for a decoder in another language.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <unicorn/unicorn.h>

#include <neuromorph/firmware/gdb/arm_next.hpp>
#include <neuromorph/firmware/gdb/thumb_next.hpp>

/// Unicorn forgets memory of its own when it ends.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libunicorn";
} // NOLINT(bugprone-reserved-identifier)

namespace {

using neuromorph::firmware::gdb::arm_next;
using neuromorph::firmware::gdb::thumb_next;

constexpr std::uint32_t begin = 0x100000, bytes = 0x200000, middle = begin + 0x100000;
std::mt19937 draw;
bool prints = false;
std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(draw() % limit); }

enum class Core { arm, thumb_of_arm, cortex_m };

class Emulator {
public:
  explicit Emulator(Core core) : core_(core), memory_(bytes) {
    const unsigned thumb = core == Core::arm ? 0U : static_cast<unsigned>(UC_MODE_THUMB);
    const unsigned mode = core == Core::cortex_m ? static_cast<unsigned>(UC_MODE_MCLASS) : 0U;
    must(uc_open(UC_ARCH_ARM, static_cast<uc_mode>(mode | thumb), &engine_));
    must(uc_ctl_set_cpu_model(engine_, core == Core::cortex_m ? UC_CPU_ARM_CORTEX_M4 : UC_CPU_ARM_926));
    // Words that are places of code, in either state: a table of branches, a stack, a literal.
    for (std::size_t at = 0; at < bytes; at += 4) {
      const std::uint32_t word = place() | (is_thumb() ? 1U : 0U);
      std::memcpy(&memory_[at], &word, 4);
    }
    must(uc_mem_map_ptr(engine_, begin, bytes, UC_PROT_ALL, memory_.data()));
    uc_hook hook = 0;
    must(uc_hook_add(engine_, &hook, UC_HOOK_CODE, reinterpret_cast<void*>(on_instruction), this, 1, 0));
  }
  Emulator(const Emulator&) = delete;
  Emulator& operator=(const Emulator&) = delete;
  ~Emulator() { uc_close(engine_); }

  /// Whether the instructions, the last of which is looked at, go where they should; counts those that go anywhere.
  bool agrees(const std::vector<std::uint16_t>& halfwords, std::uint32_t it_block) {
    const std::uint32_t code = code_ = middle + (core_ == Core::arm ? 0 : 2 * below(2));
    std::array<std::uint32_t, 16> before{};
    for (auto& one : before)
      one = below(2) == 0 ? place() : below(4) == 0 ? static_cast<std::uint32_t>(draw()) : below(300);
    before[13] &= ~3U;
    before[15] = code;
    std::uint32_t status = below(16) << 28 | (core_ == Core::cortex_m ? 1U << 24 : core_ == Core::arm ? 0xD3U : 0xF3U);
    static constexpr int names[] = {UC_ARM_REG_R0,  UC_ARM_REG_R1,  UC_ARM_REG_R2,  UC_ARM_REG_R3, UC_ARM_REG_R4,
                                    UC_ARM_REG_R5,  UC_ARM_REG_R6,  UC_ARM_REG_R7,  UC_ARM_REG_R8, UC_ARM_REG_R9,
                                    UC_ARM_REG_R10, UC_ARM_REG_R11, UC_ARM_REG_R12, UC_ARM_REG_SP, UC_ARM_REG_LR};
    std::uint32_t at = code;
    std::vector<std::uint8_t> kept(memory_.begin() + (middle - begin), memory_.begin() + (middle - begin) + 64);
    std::size_t instructions = 0, last = 0;
    for (std::size_t half = 0; half < halfwords.size(); ++instructions) {
      last = half;
      half += core_ == Core::arm || halfwords[half] >= 0xE800 ? 2U : 1U;
    }
    std::memcpy(&memory_[at - begin], halfwords.data(), 2 * halfwords.size());
    uc_ctl_remove_cache(engine_, middle, middle + 64);

    if (core_ == Core::cortex_m) {
      must(uc_reg_write(engine_, UC_ARM_REG_XPSR, &status));
    } else {
      must(uc_reg_write(engine_, UC_ARM_REG_CPSR, &status));
      must(uc_reg_write(engine_, UC_ARM_REG_SPSR, &status));
    }
    for (unsigned one = 0; one < 15; ++one) must(uc_reg_write(engine_, names[one], &before[one]));
    is_outside_ = false;
    before[15] = code + 2 * static_cast<std::uint32_t>(last);
    std::vector<std::array<std::uint32_t, 3>> reads;
    const auto read = [&, this](std::uint32_t address, unsigned size) {
      std::uint32_t value = 0;
      if (address < begin || address - begin > bytes - size || address % size != 0)
        is_outside_ = true;
      else
        std::memcpy(&value, &memory_[address - begin], size);
      if (prints) reads.push_back({address, size, value});
      return value;
    };
    const std::uint32_t wanted =
        core_ == Core::arm ? arm_next(before.data(), status, read) : thumb_next(before.data(), status, it_block, read);
    last_ = before[15];
    has_begun_ = has_gone_ = false;
    (void)uc_emu_start(engine_, code | (is_thumb() ? 1U : 0U), 0xFFFF'FFF0, 0, instructions + 1);
    std::uint32_t went = went_, status_after = 0;
    must(uc_reg_read(engine_, core_ == Core::cortex_m ? UC_ARM_REG_XPSR : UC_ARM_REG_CPSR, &status_after));
    if (!has_gone_ || is_outside_ || (last_ != code && wanted >= code && wanted <= last_)) {
      restore(kept);
      return true; // faults, there or where it went; or back into an IT block
    }
    const bool in_thumb = core_ == Core::cortex_m ? (status_after >> 24 & 1) != 0 : (status_after >> 5 & 1) != 0;
    went = (went & ~1U) | (in_thumb ? 1U : 0U);
    ++compared;
    branched += (went & ~1U) != code + 2 * halfwords.size() ? 1U : 0U;
    restore(kept);
    if (prints && went == wanted) {
      std::printf("case %s %08x %02x %08x", core_ == Core::arm ? "arm" : "thumb", status, it_block, wanted);
      for (const std::uint32_t one : before) std::printf(" %08x", one);
      for (const auto& [address, size, value] : reads) std::printf(" %08x:%u:%08x", address, size, value);
      std::printf("\n");
    }
    if (went == wanted) return true;
    std::printf("instruction");
    for (const std::uint16_t half : halfwords) std::printf(" %04x", half);
    std::printf(" with status %08x goes to %08x, not to %08x; registers", status, went, wanted);
    for (const std::uint32_t one : before) std::printf(" %08x", one);
    std::printf("\n");
    return false;
  }

  std::size_t compared = 0, branched = 0;

private:
  [[nodiscard]] bool is_thumb() const { return core_ != Core::arm; }
  /// In the upper half, so that small offsets stay inside.
  [[nodiscard]] static std::uint32_t place() { return begin + 0x20000 + below(bytes - 0x40000) / 4 * 4; }
  static void must(uc_err error) {
    if (error == UC_ERR_OK) return;
    std::printf("unicorn: %s\n", uc_strerror(error));
    std::exit(1);
  }
  void restore(const std::vector<std::uint8_t>& kept) {
    std::copy(kept.begin(), kept.end(), memory_.begin() + (middle - begin));
  }

  /// Before each instruction that is executed, which of an IT block are not all.
  static void on_instruction(uc_engine* engine, std::uint64_t address, std::uint32_t, void* self) {
    auto& emulator = *static_cast<Emulator*>(self);
    const bool is_begin = !emulator.has_begun_, is_before = address >= emulator.code_ && address <= emulator.last_;
    emulator.has_begun_ = true;
    if (is_begin || (emulator.last_ != emulator.code_ && is_before)) return;
    emulator.went_ = static_cast<std::uint32_t>(address);
    emulator.has_gone_ = true;
    uc_emu_stop(engine);
  }

  Core core_;
  std::uint32_t code_ = 0, went_ = 0, last_ = 0;
  bool has_begun_ = false, has_gone_ = false;
  uc_engine* engine_ = nullptr;
  std::vector<std::uint8_t> memory_;
  bool is_outside_ = false;
};

std::uint16_t low(std::uint32_t word) { return static_cast<std::uint16_t>(word); }
std::uint16_t high(std::uint32_t word) { return static_cast<std::uint16_t>(word >> 16); }

/// Not to be tried: what asks for the system, waits, or changes the state of the core.
bool is_of_the_system(std::uint32_t half) {
  return half >> 8 == 0xDF || half >> 8 == 0xDE || half >> 8 == 0xBE || half >> 8 == 0xB6 ||
         half >> 8 == 0xBF; // hints, IT: below
}
/// Whose operands the architecture leaves open.
bool is_unpredictable_thumb(std::uint32_t half) {
  const bool exchanges = (half & 0xFF00) == 0x4700;
  if (exchanges && ((half & 7) != 0 || (half >> 3 & 15) == 15)) return true;
  return (half & 0xFF00) == 0x4500 || (half & 0xFFF8) == 0x44F8 || (half & 0xFF87) == 0x4487 /* pc + ... and sp */;
}

std::uint32_t arm_word(unsigned kind) {
  const std::uint32_t condition = (below(3) == 0 ? below(15) : 14) << 28,
                      any = static_cast<std::uint32_t>(draw()) & 0x0FFF'FFFF;
  switch (kind) {
  case 0:
    return condition | 0x0A00'0000 | (any & 0x01FF'FFFF & ~0x00F8'0000U) | (below(2) == 0 ? 0x00F8'0000U : 0); // B, BL
  case 1: return 0xFA00'0000 | (any & 0x0107'FFFF) | (below(2) == 0 ? 0x00F8'0000U : 0);                       // BLX
  case 2: return condition | (below(2) == 0 ? 0x012F'FF10U : 0x012F'FF30U) | below(16);
  case 3: return condition | (any & 0x03FF'0FFF) | 0x0000'F000; // data processing to pc
  case 4: return condition | 0x0410'F000 | (any & 0x03AF'0FFF); // load word to pc
  case 5: return condition | 0x0810'8000 | (any & 0x01EF'7FFF); // load several
  default: // any, and flags from registers and numbers, which say 15 where others have a destination
    if (below(2) == 0) return condition | any;
    return condition | (below(2) == 0 ? 0x0128'F000U | below(15) : 0x0328'F000U | (any & 0xFFF));
  }
}
bool is_left_out_arm(std::uint32_t word) {
  if ((word & 0x0FFF'F000) == 0x0328'F000 || (word & 0x0FFF'FFF0) == 0x0128'F000) return word >> 28 == 15;
  const std::uint32_t rd = word >> 12 & 15, rn = word >> 16 & 15, rs = word >> 8 & 15, rm = word & 15;
  if (word >> 28 == 15) return (word & 0x0E00'0000) != 0x0A00'0000;
  const std::uint32_t kind = word >> 25 & 7;
  if (kind >= 6) return true; // coprocessors, SWI
  if (kind == 5) return false;
  if (kind == 4) return rn == 15 || (word & 0xFFFF) == 0 || (word & 0x40'0000) != 0;
  if (kind == 2 || kind == 3) {
    if (kind == 3 && ((word & 0x10) != 0 || rm == 15)) return true;
    const bool writes_back = (word & 0x0120'0000) != 0x0100'0000;
    if (rn == 15 && writes_back) return true;
    if (writes_back && (rn == rd || (kind == 3 && rn == rm))) return true;
    return (word & 0x0120'0000) == 0x0020'0000 || (rd == 15 && (word & 0x0050'0000) != 0x0010'0000);
  }
  const bool is_branch_exchange = (word & 0x0FFF'FFD0) == 0x012F'FF10;
  if (is_branch_exchange) return rm == 15;
  if (kind == 0 && (word & 0x90) == 0x90) return true;  // multiplies, halfwords, swaps
  if ((word & 0x0190'0000) == 0x0100'0000) return true; // status registers and what shares their space
  if ((word & 0x0180'0000) == 0x0100'0000 && rd != 0) return true;
  if (kind == 0 && (word & 0x10) != 0 && (rn == 15 || rm == 15 || rs == 15)) return true;
  return false;
}

/// Of 32 bits, first halfword in the upper half.
std::uint32_t thumb_word(unsigned kind) {
  const std::uint32_t any = static_cast<std::uint32_t>(draw());
  const std::uint32_t near = below(2) == 0 ? 0x003F'2800U : 0; // offsets that stay in memory, up and down
  switch (kind) {
  case 0:
    return 0xF000'8000 | (any & 0x03C0'0000) | (any & 0x0003'07FF) | (near == 0 ? 0 : 0x043C'2800U); // conditional
  case 1: return 0xF000'9000 | (any & 0x0007'07FF) | (near == 0 ? 0x2800U : 0x07F8'2800U);           // B
  case 2: return 0xF000'D000 | (any & 0x0007'07FF) | (near == 0 ? 0x2800U : 0x07F8'2800U);           // BL
  case 3: return 0xF850'F000 | (any & 0x008F'0FFF);                                                  // load word
  case 4: return (below(2) == 0 ? 0xE890'8000U : 0xE910'8000U) | (any & 0x002F'5FFF);                // load several
  case 5: return 0xE8D0'F000 | (any & 0x000F'001F);                                                  // tables
  default: return (any & 0x1FFF'FFFF) | (0xE800'0000U + below(3) * 0x0800'0000U);
  }
}
/// What the architecture leaves open, and what is for the system or not of this core.
bool is_left_out_thumb(std::uint32_t word) {
  const std::uint32_t first = word >> 16, second = word & 0xFFFF, rn = first & 15, rm = second & 15;
  if (first >> 8 == 0xEE || first >> 8 == 0xEF || first >> 8 == 0xEC || first >> 8 == 0xED || first >> 8 >= 0xFC)
    return true;
  if ((first & 0xF800) == 0xF000 && (second & 0x8000) != 0)
    return (second & 0x5000) == 0 ? (first & 0x0380) == 0x0380 : (second & 0x5000) == 0x4000;
  if ((first & 0xFE40) == 0xE800) // several registers: some form each, no base among them, not sp
    return (second & 0x2000) != 0 || rn == 15 || (second & (1U << rn)) != 0 || (second & 0xC000) == 0xC000 ||
           __builtin_popcount(second) < 2 || ((first & 0x0010) == 0 && (second & 0x8000) != 0) ||
           (first & 0x0180) == 0 || (first & 0x0180) == 0x0180;
  if ((first & 0xFFF0) == 0xE8D0 && (second & 0xFFE0) == 0xF000) return rn == 13 || rm == 13 || rm == 15;
  if ((first & 0xFE40) == 0xE840) return (second >> 12) == 15 || (second >> 8 & 15) == 15 || rn == 15; // two registers
  if ((first & 0xFE00) == 0xF800) { // single loads and stores
    const bool loads_word = (first & 0x0070) == 0x0050, to_pc = second >> 12 == 15;
    if (to_pc && !loads_word) return true;
    if (rn == 15 && (first & 0x10) == 0) return true;
    if (rn == 15 || (first & 0x80) != 0) return false;
    if ((second & 0x800) == 0) return (second & 0x7C0) != 0 || rm == 13 || rm == 15;
    const bool writes_back = (second & 0x100) != 0;
    return (second & 0x700) == 0x600 || (second & 0x500) == 0 || (writes_back && rn == second >> 12);
  }
  // Whose destination would be pc, or an operand.
  return (second >> 8 & 15) == 15 || (second >> 12 & 15) == 15 || rn == 15 || rm == 15;
}

/// An IT block, and the state in it of its last instruction.
struct ItBlock {
  std::vector<std::uint16_t> halfwords;
  std::uint32_t state;
};
ItBlock it_block(const std::vector<std::uint16_t>& last) {
  const std::uint32_t condition = below(15), length = 1 + below(4);
  std::uint32_t mask = 0; // bits of then and else, then a one
  for (std::uint32_t at = 1; at < length; ++at) {
    const std::uint32_t bit = condition == 14 ? 0 : below(2);
    mask |= ((condition & 1) ^ bit) << (4 - at);
  }
  mask |= 1U << (4 - length);
  ItBlock block{{static_cast<std::uint16_t>(0xBF00 | condition << 4 | mask)}, condition << 4 | mask};
  for (std::uint32_t at = 1; at < length; ++at) {
    static constexpr std::uint16_t fillers[] = {0xBF00, 0x4612}; // nop, mov r2, r2
    if (below(4) == 0)
      block.halfwords.insert(block.halfwords.end(), {0xEA4F, 0x0202}); // mov.w r2, r2
    else
      block.halfwords.push_back(fillers[below(2)]);
    block.state = (block.state & 0xE0) | (block.state << 1 & 0x1F);
  }
  block.halfwords.insert(block.halfwords.end(), last.begin(), last.end());
  return block;
}

int failed(const char* what, std::uint32_t seed) {
  std::printf("%s, seed %u\n", what, seed);
  return 1;
}

} // namespace

int main(int count, char** words) {
  const std::uint32_t seed = count > 1 ? static_cast<std::uint32_t>(std::strtoul(words[1], nullptr, 10)) : 1;
  const std::size_t cases = count > 2 ? std::strtoul(words[2], nullptr, 10) : 5000;
  const std::uint32_t every =
      count > 3 ? static_cast<std::uint32_t>(std::strtoul(words[3], nullptr, 10)) : 1; // halfword
  prints = count > 4;
  draw.seed(seed);

  {
    Emulator arm(Core::arm);
    for (unsigned kind = 0; kind < 7; ++kind) {
      const std::size_t before = arm.branched;
      for (std::size_t at = 0; at < cases; ++at) {
        const std::uint32_t word = arm_word(kind);
        if (is_left_out_arm(word)) continue;
        if (!arm.agrees({low(word), high(word)}, 0)) return failed("ARM", seed);
      }
      std::printf("ARM, kind %u: %zu branch\n", kind, arm.branched - before);
      if (kind < 6 && arm.branched - before < cases / 20) return failed("too few of them branch", seed);
    }
    std::printf("ARM: %zu compared, %zu branch\n", arm.compared, arm.branched);
  }
  for (const Core core : {Core::thumb_of_arm, Core::cortex_m}) {
    Emulator thumb(core);
    const char* const name = core == Core::cortex_m ? "Thumb of the Cortex-M4" : "Thumb of the ARM926";
    for (std::uint32_t half = 0; half < 0xE800; half += every) {
      if (is_of_the_system(half) || is_unpredictable_thumb(half)) continue;
      if (core == Core::thumb_of_arm && half >> 12 == 0xB && (half & 0xF600) != 0xB400 && half >> 8 != 0xB0) continue;
      for (unsigned times = half >> 12 == 0xD || half >> 12 == 0xB || half >> 10 == 0x11 ? 3 : 1; times != 0; --times)
        if (!thumb.agrees({static_cast<std::uint16_t>(half)}, 0)) return failed(name, seed);
    }
    for (std::size_t at = 0; at < cases && core == Core::thumb_of_arm; ++at) { // BL and BLX, of two halves
      const std::uint32_t any = static_cast<std::uint32_t>(draw()), up = below(2) == 0 ? 0x07F8'0000U : 0;
      const std::uint32_t word = (below(2) == 0 ? 0xF000'F800U : 0xF000'E800U) | (any & 0x0007'07FE) | up;
      if (!thumb.agrees({high(word), low(word)}, 0)) return failed(name, seed);
    }
    for (unsigned kind = 0; kind < 7 && core == Core::cortex_m; ++kind) {
      const std::size_t before = thumb.branched;
      for (std::size_t at = 0; at < cases; ++at) {
        const std::uint32_t word = thumb_word(kind);
        if (is_left_out_thumb(word)) continue;
        if (!thumb.agrees({high(word), low(word)}, 0)) return failed(name, seed);
      }
      std::printf("%s, kind %u: %zu branch\n", name, kind, thumb.branched - before);
      if (kind < 6 && thumb.branched - before < cases / 20) return failed("too few of them branch", seed);
    }
    const std::size_t before_blocks = thumb.branched;
    for (std::size_t at = 0; at < cases && core == Core::cortex_m; ++at) {
      static constexpr std::uint16_t branches[] = {0xE012, 0xE7F0, 0x4708, 0x4770, 0xBD01,
                                                   0xBD80, 0x4687, 0x448F, 0xBF00, 0x1C49};
      const unsigned kind = 1 + below(6);
      const std::uint32_t word = thumb_word(kind);
      if (kind == 6 || is_left_out_thumb(word)) continue;
      const ItBlock block = it_block(below(2) == 0 ? std::vector<std::uint16_t>{branches[below(10)]}
                                                   : std::vector<std::uint16_t>{high(word), low(word)});
      if (!thumb.agrees(block.halfwords, block.state)) return failed("in an IT block", seed);
    }
    if (core == Core::cortex_m) {
      std::printf("%s, in IT blocks: %zu branch\n", name, thumb.branched - before_blocks);
      if (thumb.branched - before_blocks < cases / 20) return failed("too few of them branch", seed);
    }
    std::printf("%s: %zu compared, %zu branch\n", name, thumb.compared, thumb.branched);
    if (thumb.branched < 4000 / every) return failed("too few of them branch", seed);
  }
  return 0;
}
