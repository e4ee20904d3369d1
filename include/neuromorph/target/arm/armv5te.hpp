// SPDX-License-Identifier: BSL-1.0
/// \file
/// ARMv5TE in ARM state: the loops over rows and blocks in the order that an ARM9E-S pipeline wants.
// requires: -marm -mcpu=arm968e-s (arm)
//
// How to read the schedules: an instruction takes one cycle unless said otherwise. A loaded word is usable after one
// other instruction, a loaded halfword after two, a product after one. LDM and STM take a cycle per word from two words
// on, so two registers copy as fast as eight; a taken branch takes three. Cycles are those of
// benchmarks/cycles_kernels.
//
// A loop is unrolled to spread its four cycles of count and branch. A computed jump enters it in the middle, so that a
// row of any length runs the same code. What a group of events needs of the next word is loaded inside the group
// before, but nothing is loaded or stored out of order on the ring: two events on one element both count by
// construction. No word outside the row is read.
//
// The loops are not inlined: the compiler cannot see how long a repeated block is, and one copy is enough.
#ifndef NEUROMORPH_TARGET_ARM_ARMV5TE_HPP
#define NEUROMORPH_TARGET_ARM_ARMV5TE_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || defined(__thumb__)
#error "neuromorph/target/arm/armv5te.hpp needs ARM state and DSP multiplies: use -marm -mcpu=arm968e-s"
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/arm/armv5te_conductance.hpp>
#include <neuromorph/target/arm/armv5te_driven.hpp>
#include <neuromorph/target/arm/armv5te_izhikevich.hpp>
#include <neuromorph/target/arm/armv5te_neurons.hpp>
#include <neuromorph/target/arm/armv5te_tables.hpp>
#include <neuromorph/target/arm/armv5te_vectors.hpp>
#include <neuromorph/target/arm/common_dsp.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

struct Armv5te : ArmDsp, Armv5teConductance, Armv5teDriven, Armv5teIzhikevich, Armv5teNeurons, Armv5teTables {
  using Offers = offer::List<ArmDsp::Offers, Armv5teConductance::Offers, Armv5teDriven::Offers,
                             Armv5teIzhikevich::Offers, Armv5teNeurons::Offers, Armv5teTables::Offers>;
  template <std::size_t Count>
  using Vectors = std::conditional_t<Count == 1, Armv5teVectors, GenericVectors<Count>>;

  /// LDRD. An ARM9E-S takes interrupts between instructions.
  /// \source ARM9E-S Technical Reference Manual, DDI 0165
  template <class Words>
  [[nodiscard, gnu::always_inline]] static constexpr Words load_at_once(const Words& from) noexcept {
    static_assert(sizeof(Words) == 8 && alignof(Words) == 8, "neuromorph: Words has 8 bytes, aligned to 8; see "
                                                             "docs/target.md");
    if (std::is_constant_evaluated()) return from;
    struct Two {
      std::uint32_t first, second;
    };
    register std::uint32_t first asm("r2"), second asm("r3"); // it wants an even register and the next
    asm volatile("ldrd %0, %1, [%2]" : "=r"(first), "=r"(second) : "r"(&from) : "memory");
    return __builtin_bit_cast(Words, Two{first, second});
  }

  /// Both IRQ and FIQ; may be nested. Privileged modes only.
  class InterruptLock {
  public:
    InterruptLock() noexcept {
      std::uint32_t off;
      asm volatile("mrs %0, cpsr\n\torr %1, %0, #0xC0\n\tmsr cpsr_c, %1" : "=r"(before_), "=&r"(off) : : "memory");
    }
    ~InterruptLock() { asm volatile("msr cpsr_c, %0" : : "r"(before_) : "memory"); }
    InterruptLock(const InterruptLock&) = delete;
    InterruptLock& operator=(const InterruptLock&) = delete;

  private:
    std::uint32_t before_;
  };

  /// Also woken by an interrupt that a lock keeps out.
  static void wait_for_interrupt() noexcept { asm volatile("mcr p15, 0, %0, c7, c0, 4" : : "r"(0) : "memory"); }

  // --- rows --------------------------------------------------------------------------------------------------------

  /// As Generic. 6 cycles an event, 4 more per 64 events; the call about 35 (benchmark synapse/ring32/wrap).
  ///
  ///     ldr value, [at]              event k
  ///     ldr next, [row], #4          word k + 1, in the shadow of the load before
  ///     add value, value, word, lsr #AddressBits
  ///     str value, [at]
  ///     add at, step, next, lsl ..   k + 1: step added, all above the address shifted out
  ///     add at, ring, at, lsr ..     and back down, times 4
  ///
  /// Bound: three accesses, the sum, and two instructions for an address that wraps, as none adds twice: 6. Run: the
  /// second shift in the offset of load and store (7.27, benchmark synapse/ring32/wrap/paper: each costs a cycle more).
  /// Counted: words fetched by LDM (6: still a cycle a word, and more registers to save).
  template <unsigned AddressBits, bool IsSigned>
  [[gnu::noinline]] static constexpr void add_row_wrap(std::int32_t* ring, const std::uint32_t* row, std::size_t count,
                                                       std::uint32_t offset) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_row_wrap<AddressBits, IsSigned>(ring, row, count, offset);
    if (count == 0) return;
    std::uint32_t word = *row++;
    std::uint32_t value = skipped<24, 64>(count - 1);
    std::size_t passes = (count - 1) / 64;
    std::uint32_t next, at;
    asm volatile(".macro neuromorph_event word, next\n\t"
                 "ldr %[value], [%[at]]\n\t"
                 "ldr \\next, [%[row]], #4\n\t"
                 ".if %c[sign]\n\t"
                 "add %[value], %[value], \\word, asr %[bits]\n\t"
                 ".else\n\t"
                 "add %[value], %[value], \\word, lsr %[bits]\n\t"
                 ".endif\n\t"
                 "str %[value], [%[at]]\n\t"
                 "add %[at], %[step], \\next, lsl %[up]\n\t"
                 "add %[at], %[ring], %[at], lsr %[down]\n\t"
                 ".endm\n\t"
                 "add %[at], %[step], %[word], lsl %[up]\n\t"
                 "add %[at], %[ring], %[at], lsr %[down]\n\t"
                 "mov %[next], %[word]\n\t" // where an odd number of events enters in the middle of a pair
                 "add pc, pc, %[value]\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 32\n\t"
                 "neuromorph_event %[word], %[next]\n\t"
                 "neuromorph_event %[next], %[word]\n\t"
                 ".endr\n\t"
                 "subs %[passes], %[passes], #1\n\t"
                 "bpl 1b\n\t"
                 "ldr %[value], [%[at]]\n\t"
                 ".if %c[sign]\n\t"
                 "add %[value], %[value], %[word], asr %[bits]\n\t"
                 ".else\n\t"
                 "add %[value], %[value], %[word], lsr %[bits]\n\t"
                 ".endif\n\t"
                 "str %[value], [%[at]]\n\t"
                 ".purgem neuromorph_event"
                 : [row] "+r"(row), [passes] "+r"(passes), [value] "+r"(value), [word] "+r"(word), [next] "=&r"(next),
                   [at] "=&r"(at)
                 : [ring] "r"(ring), [step] "r"(offset << (32 - AddressBits)), [bits] "n"(AddressBits),
                   [up] "n"(32 - AddressBits), [down] "n"(30 - AddressBits), [sign] "n"(IsSigned)
                 : "cc", "memory");
  }

  /// As Generic. 6 cycles an event, 7 without complement, 4 more per 48 events; the call about 75; an event that is
  /// held about 200, at most 350 (benchmark synapse/ring16sat/wrap).
  ///
  ///     ldrh value, [at]                 event k
  ///     add at', step, next, lsl ..      address of k + 1, in the shadow of the load
  ///     add at', ring, at', lsr ..
  ///     sbcscc value, value, word, lsr.. carry clear: value + weight - 65536, still clear if that is negative
  ///     ldrcc word, [row], #4            word k + 2
  ///     strhcc value, [at]
  ///
  /// Without complement there is `addcc; cmpcc value, #65536` for SBCS. A sum above 65535 sets the carry: from there on
  /// nothing is stored, and the row stands still two words behind, up to the end of the pass. The check is the count's:
  /// `cmpcc row, end; blo`. That event is then done in C++.
  /// Bound: as for 32 bits, 6; the check rides along. Run: passes of 32 (6.20), and the last two events in C++ (6.23).
  /// Counted: a branch per four events (6.25, and the events before it to be done again).
  template <unsigned AddressBits, bool IsComplement>
  [[gnu::noinline, nodiscard]] static constexpr std::uint32_t
  add_row_wrap_saturating(std::uint16_t* ring, const std::uint32_t* row, std::size_t count,
                          std::uint32_t offset) noexcept {
    if (std::is_constant_evaluated())
      return Generic::add_row_wrap_saturating<AddressBits, IsComplement>(ring, row, count, offset);
    std::uint32_t held = 0;
    const std::uint32_t* const end = row + count;
    const std::uint32_t step = offset << (32 - AddressBits);
    for (; end - row > 2; held += add_one_saturating<AddressBits, IsComplement>(ring, *row++, offset)) {
      const std::size_t slots = static_cast<std::size_t>(end - row) - 2;
      std::uint32_t value = skipped<(IsComplement ? 24 : 28), 48>(slots);
      std::uint32_t word = row[slots % 2]; // an odd number of events enters in the middle of a pair
      std::uint32_t next = row[1 - slots % 2];
      std::uint32_t at, at_next = *row;
      row += 2;
      asm volatile(".syntax unified\n\t" // the compiler's own default for inline assembly is the older syntax
                   ".macro neuromorph_sum word, when=cc\n\t"
                   ".if %c[complement]\n\t"
                   "sbcs\\when %[value], %[value], \\word, lsr %[bits]\n\t"
                   ".else\n\t"
                   "add\\when %[value], %[value], \\word, lsr %[bits]\n\t"
                   "cmp\\when %[value], #65536\n\t"
                   ".endif\n\t"
                   ".endm\n\t"
                   ".macro neuromorph_event word, at, next, at_next\n\t"
                   "ldrh %[value], [\\at]\n\t"
                   "add \\at_next, %[step], \\next, lsl %[up]\n\t"
                   "add \\at_next, %[ring], \\at_next, lsr %[down]\n\t"
                   "neuromorph_sum \\word\n\t"
                   "ldrcc \\word, [%[row]], #4\n\t"
                   "strhcc %[value], [\\at]\n\t"
                   ".endm\n\t"
                   "add %[at], %[step], %[at_next], lsl %[up]\n\t"
                   "add %[at], %[ring], %[at], lsr %[down]\n\t"
                   "mov %[at_next], %[at]\n\t"
                   "cmp %[row], %[end]\n\t" // clears the carry
                   "add pc, pc, %[value]\n\t"
                   "nop\n"
                   "1:\n\t"
                   ".rept 24\n\t"
                   "neuromorph_event %[word], %[at], %[next], %[at_next]\n\t"
                   "neuromorph_event %[next], %[at_next], %[word], %[at]\n\t"
                   ".endr\n\t"
                   "cmpcc %[row], %[end]\n\t"
                   "blo 1b\n\t"
                   "cmp %[row], %[end]\n\t"
                   "bne 2f\n\t"                 // an event was held
                   "cmn %[row], #0\n\t"         // clears the carry
                   "ldrh %[value], [%[at]]\n\t" // the last two; the row counts them as if it read on
                   "add %[at_next], %[step], %[next], lsl %[up]\n\t"
                   "add %[at_next], %[ring], %[at_next], lsr %[down]\n\t"
                   "neuromorph_sum %[word], al\n\t"
                   "addcc %[row], %[row], #4\n\t"
                   "strhcc %[value], [%[at]]\n\t"
                   "ldrh %[value], [%[at_next]]\n\t"
                   "neuromorph_sum %[next]\n\t"
                   "addcc %[row], %[row], #4\n\t"
                   "strhcc %[value], [%[at_next]]\n"
                   "2:\n\t"
                   ".purgem neuromorph_event\n\t"
                   ".purgem neuromorph_sum"
                   : [row] "+r"(row), [value] "+r"(value), [word] "+r"(word), [next] "+r"(next), [at] "=&r"(at),
                     [at_next] "+r"(at_next)
                   : [ring] "r"(ring), [end] "r"(end), [step] "r"(step), [bits] "n"(AddressBits),
                     [complement] "n"(IsComplement), [up] "n"(32 - AddressBits), [down] "n"(31 - AddressBits)
                   : "cc", "memory");
      row -= 2;
      if (row == end) return held;
    }
    return held + Generic::add_row_wrap_saturating<AddressBits, IsComplement>(
                      ring, row, static_cast<std::size_t>(end - row), offset);
  }

  /// As Generic. 5 cycles an event, 4 more per 64 events; the call about 35 (benchmark synapse/ring32/rowlet).
  ///
  ///     ldr value, [at]              event k
  ///     ldr next, [row], #4          word k + 1
  ///     smlabb value, word, 1, value the lower half with its sign
  ///     add at', slot, next, lsr #16 in the shadow of the product
  ///     str value, [at]
  ///
  /// Bound: three accesses, sum, address: 5. Counted: the weight in the upper half (6: the address then needs a mask).
  /// Two loads of a halfword each instead of a word and an address (5, and three accesses the more per event to
  /// place in shadows of two cycles).
  [[gnu::noinline]] static constexpr void add_rowlet(std::int32_t* slot, const std::uint32_t* row,
                                                     std::size_t count) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_rowlet(slot, row, count);
    if (count == 0) return;
    std::uint32_t word = *row++;
    std::uint32_t value = skipped<20, 64>(count - 1);
    std::size_t passes = (count - 1) / 64;
    std::uint32_t next, at, at_next;
    asm volatile(".macro neuromorph_event word, at, next, at_next\n\t"
                 "ldr %[value], [\\at]\n\t"
                 "ldr \\next, [%[row]], #4\n\t"
                 "smlabb %[value], \\word, %[one], %[value]\n\t"
                 "add \\at_next, %[slot], \\next, lsr #16\n\t"
                 "str %[value], [\\at]\n\t"
                 ".endm\n\t"
                 "add %[at], %[slot], %[word], lsr #16\n\t"
                 "mov %[next], %[word]\n\t"
                 "mov %[at_next], %[at]\n\t"
                 "add pc, pc, %[value]\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 32\n\t"
                 "neuromorph_event %[word], %[at], %[next], %[at_next]\n\t"
                 "neuromorph_event %[next], %[at_next], %[word], %[at]\n\t"
                 ".endr\n\t"
                 "subs %[passes], %[passes], #1\n\t"
                 "bpl 1b\n\t"
                 "ldr %[value], [%[at]]\n\t"
                 "smlabb %[value], %[word], %[one], %[value]\n\t"
                 "str %[value], [%[at]]\n\t"
                 ".purgem neuromorph_event"
                 : [row] "+r"(row), [passes] "+r"(passes), [value] "+r"(value), [word] "+r"(word), [next] "=&r"(next),
                   [at] "=&r"(at), [at_next] "=&r"(at_next)
                 : [slot] "r"(slot), [one] "r"(1)
                 : "cc", "memory");
  }

  /// As Generic. 5 cycles an event, 4 more per 48 events; the call about 100; an event that is held about 200, at
  /// most 300 (benchmark synapse/ring16sat/rowlet).
  ///
  ///     ldrh value, [at]                      event k
  ///     ldrcc word'', [row], #4               word k + 2: both in the shadow of the load
  ///     smlabb at', word', 1, slot            address of k + 1
  ///     sbcscc value, value, word, lsr #16    as in add_row_wrap_saturating
  ///     strhcc value, [at]
  ///
  /// Three words are alive at once, so the registers change their roles and are back after three events. Only the sign
  /// of the last sum tells whether the row stands three words behind or two.
  /// Bound: 5, as for 32 bits. Counted: two words alive (6: the load or the product is waited for).
  [[gnu::noinline, nodiscard]] static constexpr std::uint32_t
  add_rowlet_saturating(std::uint16_t* slot, const std::uint32_t* row, std::size_t count) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_rowlet_saturating(slot, row, count);
    std::uint32_t held = 0;
    const std::uint32_t* const end = row + count;
    while (end - row >= 5) {
      const std::size_t groups = (static_cast<std::size_t>(end - row) - 2) / 3;
      for (std::size_t odd = static_cast<std::size_t>(end - row) - 2 - 3 * groups; odd != 0; --odd)
        held += Generic::add_rowlet_saturating(slot, row++, 1);
      auto value = static_cast<std::int32_t>(skipped<60, 16>(groups));
      std::uint32_t word0, word1, word2, at0, at1, at2;
      asm volatile(".syntax unified\n\t"
                   ".macro neuromorph_event word, at, next, at_next, third\n\t"
                   "ldrh %[value], [\\at]\n\t"
                   "ldrcc \\third, [%[row]], #4\n\t"
                   "smlabb \\at_next, \\next, %[one], %[slot]\n\t"
                   "sbcscc %[value], %[value], \\word, lsr #16\n\t"
                   "strhcc %[value], [\\at]\n\t"
                   ".endm\n\t"
                   "ldr %[word0], [%[row]], #4\n\t"
                   "ldr %[word1], [%[row]], #4\n\t"
                   "smlabb %[at0], %[word0], %[one], %[slot]\n\t"
                   "cmp %[row], %[end]\n\t" // clears the carry
                   "add pc, pc, %[value]\n\t"
                   "nop\n"
                   "1:\n\t"
                   ".rept 16\n\t"
                   "neuromorph_event %[word0], %[at0], %[word1], %[at1], %[word2]\n\t"
                   "neuromorph_event %[word1], %[at1], %[word2], %[at2], %[word0]\n\t"
                   "neuromorph_event %[word2], %[at2], %[word0], %[at0], %[word1]\n\t"
                   ".endr\n\t"
                   "cmpcc %[row], %[end]\n\t"
                   "blo 1b\n\t"
                   "adds %[value], %[value], #0\n\t" // and no carry
                   "subpl %[row], %[row], #4\n\t"
                   "bpl 2f\n\t"                  // an event was held
                   "ldrh %[value], [%[at0]]\n\t" // the last two; the row counts them as if it read on
                   "smlabb %[at1], %[word1], %[one], %[slot]\n\t"
                   "sbcs %[value], %[value], %[word0], lsr #16\n\t"
                   "addcc %[row], %[row], #4\n\t"
                   "strhcc %[value], [%[at0]]\n\t"
                   "ldrh %[value], [%[at1]]\n\t"
                   "sbcscc %[value], %[value], %[word1], lsr #16\n\t"
                   "addcc %[row], %[row], #4\n\t"
                   "strhcc %[value], [%[at1]]\n"
                   "2:\n\t"
                   ".purgem neuromorph_event"
                   : [row] "+r"(row), [value] "+r"(value), [word0] "=&r"(word0), [word1] "=&r"(word1),
                     [word2] "=&r"(word2), [at0] "=&r"(at0), [at1] "=&r"(at1), [at2] "=&r"(at2)
                   : [slot] "r"(slot), [end] "r"(end), [one] "r"(1)
                   : "cc", "memory");
      row -= 2;
      if (row == end) return held;
      held += Generic::add_rowlet_saturating(slot, row++, 1);
    }
    return held + Generic::add_rowlet_saturating(slot, row, static_cast<std::size_t>(end - row));
  }

  /// As Generic. 9 cycles for two events, 4 more per 64; the call about 30 (benchmark synapse/ring32/packed).
  ///
  ///     ldr value, [slot, upper]
  ///     ldrh lower, [row], #4
  ///     add value, value, weights, asr #16
  ///     str value, [slot, upper]
  ///     ldr value, [slot, lower]
  ///     ldrh upper, [row, #6]            next two events
  ///     smlabb value, weights, 1, value
  ///     ldr weights, [row], #4           next two events, in the shadow of the product
  ///     str value, [slot, lower]
  ///
  /// A register offset that is not shifted is free, so what is loaded as a halfword needs no instruction for its
  /// address. Bound: distance, element, sum, element 4, weight 0.5. Counted: two 16-bit distances in a word, taken
  /// apart by ADD and SMLABB (5: half an access less, an instruction more).
  [[gnu::noinline]] static constexpr void add_pairs(std::int32_t* slot, const std::uint32_t* row,
                                                    std::size_t pairs) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_pairs(slot, row, pairs);
    if (pairs == 0) return;
    std::uint32_t value = skipped<36, 32>(pairs - 1);
    std::size_t passes = (pairs - 1) / 32;
    std::uint32_t weights, upper, lower;
    asm volatile("ldrh %[upper], [%[row], #6]\n\t"
                 "ldr %[weights], [%[row]], #4\n\t"
                 "add pc, pc, %[value]\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 32\n\t"
                 "ldr %[value], [%[slot], %[upper]]\n\t"
                 "ldrh %[lower], [%[row]], #4\n\t"
                 "add %[value], %[value], %[weights], asr #16\n\t"
                 "str %[value], [%[slot], %[upper]]\n\t"
                 "ldr %[value], [%[slot], %[lower]]\n\t"
                 "ldrh %[upper], [%[row], #6]\n\t"
                 "smlabb %[value], %[weights], %[one], %[value]\n\t"
                 "ldr %[weights], [%[row]], #4\n\t"
                 "str %[value], [%[slot], %[lower]]\n\t"
                 ".endr\n\t"
                 "subs %[passes], %[passes], #1\n\t"
                 "bpl 1b\n\t"
                 "ldr %[value], [%[slot], %[upper]]\n\t"
                 "ldrh %[lower], [%[row]]\n\t"
                 "add %[value], %[value], %[weights], asr #16\n\t"
                 "str %[value], [%[slot], %[upper]]\n\t"
                 "ldr %[value], [%[slot], %[lower]]\n\t"
                 "smlabb %[value], %[weights], %[one], %[value]\n\t"
                 "str %[value], [%[slot], %[lower]]"
                 : [row] "+r"(row), [passes] "+r"(passes), [value] "+r"(value), [weights] "=&r"(weights),
                   [upper] "=&r"(upper), [lower] "=&r"(lower)
                 : [slot] "r"(slot), [one] "r"(1)
                 : "cc", "memory");
  }

  /// As Generic. 4 cycles an event, 4 more per 64; the call about 30 (benchmark synapse/ring32/uniform).
  ///
  ///     ldr value, [slot, at]      event k
  ///     ldrh at', [row], #2        distance of k + 1
  ///     add value, value, weight
  ///     str value, [slot, at]
  ///
  /// Bound: three accesses and the sum: 4. Two distances in a word would save half an access for a whole instruction.
  [[gnu::noinline]] static constexpr void add_uniform(std::int32_t* slot, const std::uint32_t* row, std::size_t count,
                                                      std::int32_t weight) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_uniform(slot, row, count, weight);
    if (count == 0) return;
    std::uint32_t value = skipped<16, 64>(count - 1);
    std::size_t passes = (count - 1) / 64;
    std::uint32_t at, at_next;
    asm volatile(".macro neuromorph_event at, at_next\n\t"
                 "ldr %[value], [%[slot], \\at]\n\t"
                 "ldrh \\at_next, [%[row]], #2\n\t"
                 "add %[value], %[value], %[weight]\n\t"
                 "str %[value], [%[slot], \\at]\n\t"
                 ".endm\n\t"
                 "ldrh %[at], [%[row]], #2\n\t"
                 "nop\n\t"
                 "nop\n\t"
                 "mov %[at_next], %[at]\n\t"
                 "add pc, pc, %[value]\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 32\n\t"
                 "neuromorph_event %[at], %[at_next]\n\t"
                 "neuromorph_event %[at_next], %[at]\n\t"
                 ".endr\n\t"
                 "subs %[passes], %[passes], #1\n\t"
                 "bpl 1b\n\t"
                 "ldr %[value], [%[slot], %[at]]\n\t"
                 "add %[value], %[value], %[weight]\n\t"
                 "str %[value], [%[slot], %[at]]\n\t"
                 ".purgem neuromorph_event"
                 : [row] "+r"(row), [passes] "+r"(passes), [value] "+r"(value), [at] "=&r"(at), [at_next] "=&r"(at_next)
                 : [slot] "r"(slot), [weight] "r"(weight)
                 : "cc", "memory");
  }

  /// As Generic. 14 cycles for four elements, 4 more per 64; the call about 40 (benchmark synapse/ring32/dense).
  ///
  ///     ldm weights!, {w0, w1}           2
  ///     ldm slot, {v0, v1, v2, v3}       4
  ///     smlabb v0, w0, 1, v0
  ///     add v1, v1, w0, asr #16
  ///     smlabb v2, w1, 1, v2
  ///     add v3, v3, w1, asr #16
  ///     stm slot!, {v0, v1, v2, v3}      4: reads v2 in its third cycle
  ///
  /// Bound: element in and out, half a word of weight, a sum: 3.5. Counted: 8-bit weights (3.25 by accesses, but three
  /// of four must first be taken out of their word: 4); LDRD and STRD (3.5, with an interlock of its own).
  [[gnu::noinline]] static constexpr void add_dense(std::int32_t* slot, const std::uint32_t* weights,
                                                    std::size_t count) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_dense(slot, weights, count);
    std::uint32_t skip = skipped<28, 16>(count / 4);
    std::size_t passes = count / 64;
    asm volatile("add pc, pc, %[skip]\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 16\n\t"
                 "ldm %[weights]!, {r4, r5}\n\t"
                 "ldm %[slot], {r6, r8, ip, lr}\n\t"
                 "smlabb r6, r4, %[one], r6\n\t"
                 "add r8, r8, r4, asr #16\n\t"
                 "smlabb ip, r5, %[one], ip\n\t"
                 "add lr, lr, r5, asr #16\n\t"
                 "stm %[slot]!, {r6, r8, ip, lr}\n\t"
                 ".endr\n\t"
                 "subs %[passes], %[passes], #1\n\t"
                 "bpl 1b"
                 : [slot] "+r"(slot), [weights] "+r"(weights), [passes] "+r"(passes), [skip] "+r"(skip)
                 : [one] "r"(1)
                 : "r4", "r5", "r6", "r8", "ip", "lr", "cc", "memory");
    Generic::add_dense(slot, weights, count % 4);
  }

  // --- blocks ------------------------------------------------------------------------------------------------------

  /// As Generic. 3 cycles a word, 4 more per 64; the call about 35 (benchmark ring/take). Bound: three accesses.
  [[gnu::noinline]] static constexpr void take_words(std::int32_t* to, std::int32_t* from, std::size_t count) noexcept {
    if (std::is_constant_evaluated()) return Generic::take_words(to, from, count);
    if (count % 2 != 0) Generic::take_words(to++, from++, 1);
    std::uint32_t skip = skipped<12, 32>(count / 2);
    std::size_t passes = count / 64;
    asm volatile("mov ip, #0\n\t"
                 "mov lr, #0\n\t"
                 "add pc, pc, %[skip]\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 32\n\t"
                 "ldm %[from], {r4, r5}\n\t"
                 "stm %[from]!, {ip, lr}\n\t"
                 "stm %[to]!, {r4, r5}\n\t"
                 ".endr\n\t"
                 "subs %[passes], %[passes], #1\n\t"
                 "bpl 1b"
                 : [to] "+r"(to), [from] "+r"(from), [passes] "+r"(passes), [skip] "+r"(skip)
                 :
                 : "r4", "r5", "ip", "lr", "cc", "memory");
  }

  /// As Generic. A cycle a word, 4 more per 64; the call about 25 (benchmark copy/clear). Bound: one access.
  [[gnu::noinline]] static constexpr void clear_words(std::uint32_t* to, std::size_t count) noexcept {
    if (std::is_constant_evaluated()) return Generic::clear_words(to, count);
    std::uint32_t skip = skipped<4, 32>(count / 2);
    if (count % 2 != 0) *to++ = 0;
    std::size_t passes = count / 64;
    asm volatile("mov r3, #0\n\t"
                 "mov ip, #0\n\t"
                 "add pc, pc, %[skip]\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 32\n\t"
                 "stm %[to]!, {r3, ip}\n\t"
                 ".endr\n\t"
                 "subs %[passes], %[passes], #1\n\t"
                 "bpl 1b"
                 : [to] "+r"(to), [passes] "+r"(passes), [skip] "+r"(skip)
                 :
                 : "r3", "ip", "cc", "memory");
  }

  /// As Generic. 2 cycles a word, 4 more per 64; the call about 17 (benchmark copy/words). Two registers that a
  /// function may use without saving them copy as fast as eight that it must save.
  [[gnu::noinline]] static constexpr void copy_words(std::uint32_t* to, const std::uint32_t* from,
                                                     std::size_t count) noexcept {
    if (std::is_constant_evaluated()) return Generic::copy_words(to, from, count);
    asm volatile("movs %[count], %[count], lsr #1\n\t"
                 "ldrcs r3, [%[from]], #4\n\t"
                 "and ip, %[count], #31\n\t"
                 "rsb ip, ip, #32\n\t"
                 "strcs r3, [%[to]], #4\n\t"
                 "mov %[count], %[count], lsr #5\n\t"
                 "add pc, pc, ip, lsl #3\n\t"
                 "nop\n"
                 "1:\n\t"
                 ".rept 32\n\t"
                 "ldm %[from]!, {r3, ip}\n\t"
                 "stm %[to]!, {r3, ip}\n\t"
                 ".endr\n\t"
                 "subs %[count], %[count], #1\n\t"
                 "bpl 1b"
                 : [to] "+r"(to), [from] "+r"(from), [count] "+r"(count)
                 :
                 : "r3", "ip", "cc", "memory");
  }

  /// As Generic. 2 cycles a word and nothing else, for up to 64 words; 17 words are 34, a call and
  /// return 6, two arguments 2 (benchmark copy/block/68_bytes). Bound: one load and one store a word, and the call.
  template <std::size_t Words>
  [[gnu::always_inline]] static constexpr void copy_block(std::uint32_t* to, const std::uint32_t* from) noexcept {
    if (std::is_constant_evaluated()) return Generic::copy_block<Words>(to, from);
    if constexpr (Words > 64) {
      copy_words(to, from, Words);
    } else if constexpr (Words > 3) {
      copy_two(to, from);
      copy_block<Words - 2>(to, from);
    } else if constexpr (Words == 3) { // a single word would cost a cycle more
      asm volatile("ldm %0, {r2, r3, ip}\n\tstm %1, {r2, r3, ip}" : : "r"(from), "r"(to) : "r2", "r3", "ip", "memory");
    } else if constexpr (Words == 2) {
      copy_two(to, from);
    } else {
      Generic::copy_block<Words>(to, from);
    }
  }

private:
  // One statement for each two words, so that the compiler knows how long a block is where it is inlined.
  [[gnu::always_inline]] static void copy_two(std::uint32_t*& to, const std::uint32_t*& from) noexcept {
    asm volatile("ldm %0!, {r3, ip}\n\tstm %1!, {r3, ip}" : "+r"(from), "+r"(to) : : "r3", "ip", "memory");
  }
};
static_assert(VectorBackend<Armv5te>);
static_assert(&Armv5te::load_at_once<TwoWords> != &Generic::load_at_once<TwoWords>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
