// SPDX-License-Identifier: BSL-1.0
/// \file
/// ARMv7E-M: the loops over rows and blocks in the order that a Cortex-M4 pipeline wants.
// requires: -mthumb -mcpu=cortex-m4 (arm)
//
// How to read the schedules: an instruction takes one cycle unless said otherwise; a load takes two, one if a load or
// store stands before it. An address that the instruction before computed costs one more; LDM and STM of n words take
// n + 1; a taken branch takes three. Cycles are those of benchmarks/cycles_kernels.
//
// What a group of events needs of the next word is loaded inside the group before, but nothing is loaded or stored out
// of order on the ring: two events on one element both count by construction. No word outside the row is read. What is
// left of a row after the groups of eight is done in C++. The compiler cannot see how long a repeated block is: the
// loops branch over themselves, and the functions are not inlined.
#ifndef NEUROMORPH_TARGET_ARM_CORTEX_M4_HPP
#define NEUROMORPH_TARGET_ARM_CORTEX_M4_HPP

#if !defined(__ARM_FEATURE_DSP) || !__ARM_FEATURE_DSP || !defined(__thumb2__)
#error "neuromorph/target/arm/cortex_m4.hpp needs Thumb-2 and DSP: use -mcpu=cortex-m4 or target::Generic"
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/target/arm/common_dsp.hpp>
#include <neuromorph/target/arm/common_tables.hpp>
#include <neuromorph/target/arm/cortex_m4_conductance.hpp>
#include <neuromorph/target/arm/cortex_m4_driven.hpp>
#include <neuromorph/target/arm/cortex_m4_izhikevich.hpp>
#include <neuromorph/target/arm/cortex_m4_neurons.hpp>
#include <neuromorph/target/arm/cortex_m4_vectors.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

struct CortexM4 : ArmDsp, CortexM4Conductance, CortexM4Driven, CortexM4Izhikevich, CortexM4Neurons, ArmTables {
  using Offers = offer::List<ArmDsp::Offers, CortexM4Conductance::Offers, CortexM4Driven::Offers,
                             CortexM4Izhikevich::Offers, CortexM4Neurons::Offers, ArmTables::Offers>;
  template <std::size_t Count>
  using Vectors = std::conditional_t<Count == 1, CortexM4Vectors, GenericVectors<Count>>;

  using ArmDsp::multiply_add_high;

  /// One SMMLA.
  [[nodiscard]] static constexpr std::int32_t multiply_add_high(std::int32_t accumulator, std::int32_t value,
                                                                std::int32_t factor) noexcept {
    if (std::is_constant_evaluated()) return Generic::multiply_add_high(accumulator, value, factor);
    std::int32_t result;
    asm("smmla %0, %1, %2, %3" : "=r"(result) : "r"(value), "r"(factor), "r"(accumulator));
    return result;
  }

  struct Lanes : ArmDsp::Lanes {
    /// One SMMUL, which needs a register less than SMULL.
    [[nodiscard]] static constexpr Value multiply_high(Value a, Value b) noexcept {
      if (std::is_constant_evaluated()) return Generic::Lanes::multiply_high(a, b);
      Value result;
      asm("smmul %0, %1, %2" : "=r"(result) : "r"(a), "r"(b));
      return result;
    }
    /// One SMMULR.
    [[nodiscard]] static constexpr Value multiply_high_nearest(Value a, Value b) noexcept {
      if (std::is_constant_evaluated()) return Generic::Lanes::multiply_high_nearest(a, b);
      Value result;
      asm("smmulr %0, %1, %2" : "=r"(result) : "r"(a), "r"(b));
      return result;
    }
    /// One SMMLAR.
    [[nodiscard]] static constexpr Value decay_nearest(Value value, Factor factor) noexcept {
      if (std::is_constant_evaluated()) return ArmDsp::Lanes::decay_nearest(value, factor);
      Value result;
      asm("smmlar %0, %1, %2, %1" : "=r"(result) : "r"(value), "r"(factor));
      return result;
    }
  };

  /// LDRD. What an interrupt breaks off begins again, but for load and store multiple, which go on from where they were.
  /// \source Cortex-M4 Technical Reference Manual, DDI 0439, 3.9.1; ARMv7-M Architecture Reference Manual, DDI 0403
  template <class Words>
  [[nodiscard, gnu::always_inline]] static constexpr Words load_at_once(const Words& from) noexcept {
    static_assert(sizeof(Words) == 8 && alignof(Words) == 8, "neuromorph: Words has 8 bytes, aligned to 8; see "
                                                             "docs/target.md");
    if (std::is_constant_evaluated()) return from;
    struct Two {
      std::uint32_t first, second;
    };
    std::uint32_t first, second; // not the address, which it needs when it begins again
    asm volatile("ldrd %0, %1, [%2]" : "=&r"(first), "=&r"(second) : "r"(&from) : "memory");
    return __builtin_bit_cast(Words, Two{first, second});
  }

  /// All interrupts but NMI and hard fault; may be nested. Privileged mode only.
  class InterruptLock {
  public:
    InterruptLock() noexcept { asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before_) : : "memory"); }
    ~InterruptLock() { asm volatile("msr primask, %0" : : "r"(before_) : "memory"); }
    InterruptLock(const InterruptLock&) = delete;
    InterruptLock& operator=(const InterruptLock&) = delete;

  private:
    std::uint32_t before_;
  };

  /// Also woken by an interrupt that a lock keeps out.
  static void wait_for_interrupt() noexcept { asm volatile("dsb\n\twfi" : : : "memory"); }

  // --- rows --------------------------------------------------------------------------------------------------------

  /// As Generic. 7 cycles an event, 4 more per 8 (benchmark synapse/ring32/wrap).
  ///
  ///     ldr value, [at]              2, event k
  ///     ldr next, [row], #4          1, word k + 1
  ///     add value, value, word, lsr #AddressBits
  ///     add at', step, next, lsl ..
  ///     add at', ring, at', lsr ..
  ///     str value, [at]              keeps the next address from being used at once
  ///
  /// Bound: the loads 3 as the second rides on the first, store, sum, two for the address: 7.
  template <unsigned AddressBits, bool IsSigned>
  [[gnu::noinline]] static constexpr void add_row_wrap(std::int32_t* ring, const std::uint32_t* row, std::size_t count,
                                                       std::uint32_t offset) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_row_wrap<AddressBits, IsSigned>(ring, row, count, offset);
    std::uint32_t value, word, next, at, at_next;
    asm volatile(".macro neuromorph_event word, at, next, at_next\n\t"
                 "ldr %[value], [\\at]\n\t"
                 "ldr \\next, [%[row]], #4\n\t"
                 ".if %c[sign]\n\t"
                 "add %[value], %[value], \\word, asr %[bits]\n\t"
                 ".else\n\t"
                 "add %[value], %[value], \\word, lsr %[bits]\n\t"
                 ".endif\n\t"
                 "add \\at_next, %[step], \\next, lsl %[up]\n\t"
                 "add \\at_next, %[ring], \\at_next, lsr %[down]\n\t"
                 "str %[value], [\\at]\n\t"
                 ".endm\n\t"
                 "subs %[count], %[count], #9\n\t"
                 "bmi.w 2f\n\t"
                 "ldr %[word], [%[row]], #4\n\t"
                 "add %[at], %[step], %[word], lsl %[up]\n\t"
                 "add %[at], %[ring], %[at], lsr %[down]\n"
                 "1:\n\t"
                 ".rept 4\n\t"
                 "neuromorph_event %[word], %[at], %[next], %[at_next]\n\t"
                 "neuromorph_event %[next], %[at_next], %[word], %[at]\n\t"
                 ".endr\n\t"
                 "subs %[count], %[count], #8\n\t"
                 "bpl.w 1b\n\t"
                 "sub %[row], %[row], #4\n"
                 "2:\n\t"
                 "add %[count], %[count], #9\n\t"
                 ".purgem neuromorph_event"
                 : [row] "+r"(row), [count] "+r"(count), [value] "=&r"(value), [word] "=&r"(word), [next] "=&r"(next),
                   [at] "=&r"(at), [at_next] "=&r"(at_next)
                 : [ring] "r"(ring), [step] "r"(offset << (32 - AddressBits)), [bits] "n"(AddressBits),
                   [up] "n"(32 - AddressBits), [down] "n"(30 - AddressBits), [sign] "n"(IsSigned)
                 : "cc", "memory");
    Generic::add_row_wrap<AddressBits, IsSigned>(ring, row, count, offset);
  }

  /// As Generic. 10 cycles an event, held or not, 4 more per 8 (benchmark synapse/ring16sat/wrap): as above, and three
  /// for the end of the range: 65535 - (65535 - weight), what is above bit 15 counts as held, USAT. Without complement
  /// a comparison and its carry. Conditions would cost an IT for every four instructions.
  template <unsigned AddressBits, bool IsComplement>
  [[gnu::noinline, nodiscard]] static constexpr std::uint32_t
  add_row_wrap_saturating(std::uint16_t* ring, const std::uint32_t* row, std::size_t count,
                          std::uint32_t offset) noexcept {
    if (std::is_constant_evaluated())
      return Generic::add_row_wrap_saturating<AddressBits, IsComplement>(ring, row, count, offset);
    std::uint32_t held = 0, value, word, next, at, at_next;
    asm volatile(
        ".macro neuromorph_event word, at, next, at_next\n\t"
        "ldrh %[value], [\\at]\n\t"
        "ldr \\next, [%[row]], #4\n\t"
        ".if %c[complement]\n\t"
        "sub %[value], %[value], \\word, lsr %[bits]\n\t"
        ".else\n\t"
        "add %[value], %[value], \\word, lsr %[bits]\n\t"
        ".endif\n\t"
        "add \\at_next, %[step], \\next, lsl %[up]\n\t"
        ".if %c[complement]\n\t"
        "add %[value], %[value], %[full]\n\t"
        ".else\n\t"
        "cmp %[value], #65536\n\t"
        ".endif\n\t"
        "add \\at_next, %[ring], \\at_next, lsr %[down]\n\t"
        ".if %c[complement]\n\t"
        "add %[held], %[held], %[value], lsr #16\n\t"
        ".else\n\t"
        "adc %[held], %[held], #0\n\t"
        ".endif\n\t"
        "usat %[value], #16, %[value]\n\t"
        "strh %[value], [\\at]\n\t"
        ".endm\n\t"
        "subs %[count], %[count], #9\n\t"
        "bmi.w 2f\n\t"
        "ldr %[word], [%[row]], #4\n\t"
        "add %[at], %[step], %[word], lsl %[up]\n\t"
        "add %[at], %[ring], %[at], lsr %[down]\n\t"
        "1:\n\t"
        ".rept 4\n\t"
        "neuromorph_event %[word], %[at], %[next], %[at_next]\n\t"
        "neuromorph_event %[next], %[at_next], %[word], %[at]\n\t"
        ".endr\n\t"
        "subs %[count], %[count], #8\n\t"
        "bpl.w 1b\n\t"
        "sub %[row], %[row], #4\n\t"
        "2:\n\t"
        "add %[count], %[count], #9\n\t"
        ".purgem neuromorph_event"
        : [row] "+r"(row), [count] "+r"(count), [held] "+r"(held), [value] "=&r"(value), [word] "=&r"(word),
          [next] "=&r"(next), [at] "=&r"(at), [at_next] "=&r"(at_next)
        : [ring] "r"(ring), [step] "r"(offset << (32 - AddressBits)), [bits] "n"(AddressBits),
          [complement] "n"(IsComplement), [up] "n"(32 - AddressBits), [down] "n"(31 - AddressBits), [full] "r"(65535)
        : "cc", "memory");
    return held + Generic::add_row_wrap_saturating<AddressBits, IsComplement>(ring, row, count, offset);
  }

  /// As Generic. 6 cycles an event, 4 more per 8 (benchmark synapse/ring32/rowlet): as above with one instruction for
  /// the address. Bound: the loads 3, store, sum, address: 6.
  [[gnu::noinline]] static constexpr void add_rowlet(std::int32_t* slot, const std::uint32_t* row,
                                                     std::size_t count) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_rowlet(slot, row, count);
    std::uint32_t value, word, next, at, at_next;
    asm volatile(".macro neuromorph_event word, at, next, at_next\n\t"
                 "ldr %[value], [\\at]\n\t"
                 "ldr \\next, [%[row]], #4\n\t"
                 "sxtah %[value], %[value], \\word\n\t"
                 "add \\at_next, %[slot], \\next, lsr #16\n\t"
                 "str %[value], [\\at]\n\t"
                 ".endm\n\t"
                 "subs %[count], %[count], #9\n\t"
                 "bmi.w 2f\n\t"
                 "ldr %[word], [%[row]], #4\n\t"
                 "add %[at], %[slot], %[word], lsr #16\n"
                 "1:\n\t"
                 ".rept 4\n\t"
                 "neuromorph_event %[word], %[at], %[next], %[at_next]\n\t"
                 "neuromorph_event %[next], %[at_next], %[word], %[at]\n\t"
                 ".endr\n\t"
                 "subs %[count], %[count], #8\n\t"
                 "bpl.w 1b\n\t"
                 "sub %[row], %[row], #4\n"
                 "2:\n\t"
                 "add %[count], %[count], #9\n\t"
                 ".purgem neuromorph_event"
                 : [row] "+r"(row), [count] "+r"(count), [value] "=&r"(value), [word] "=&r"(word), [next] "=&r"(next),
                   [at] "=&r"(at), [at_next] "=&r"(at_next)
                 : [slot] "r"(slot)
                 : "cc", "memory");
    Generic::add_rowlet(slot, row, count);
  }

  /// As Generic. 9 cycles an event, held or not, 4 more per 8 (benchmark synapse/ring16sat/rowlet).
  [[gnu::noinline, nodiscard]] static constexpr std::uint32_t
  add_rowlet_saturating(std::uint16_t* slot, const std::uint32_t* row, std::size_t count) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_rowlet_saturating(slot, row, count);
    std::uint32_t held = 0, value, word, next, at, at_next;
    asm volatile(".macro neuromorph_event word, at, next, at_next\n\t"
                 "ldrh %[value], [\\at]\n\t"
                 "ldr \\next, [%[row]], #4\n\t"
                 "sub %[value], %[value], \\word, lsr #16\n\t"
                 "sxtah \\at_next, %[slot], \\next\n\t"
                 "add %[value], %[value], %[full]\n\t"
                 "add %[held], %[held], %[value], lsr #16\n\t"
                 "usat %[value], #16, %[value]\n\t"
                 "strh %[value], [\\at]\n\t"
                 ".endm\n\t"
                 "subs %[count], %[count], #9\n\t"
                 "bmi.w 2f\n\t"
                 "ldr %[word], [%[row]], #4\n\t"
                 "sxtah %[at], %[slot], %[word]\n\t"
                 "1:\n\t"
                 ".rept 4\n\t"
                 "neuromorph_event %[word], %[at], %[next], %[at_next]\n\t"
                 "neuromorph_event %[next], %[at_next], %[word], %[at]\n\t"
                 ".endr\n\t"
                 "subs %[count], %[count], #8\n\t"
                 "bpl.w 1b\n\t"
                 "sub %[row], %[row], #4\n\t"
                 "2:\n\t"
                 "add %[count], %[count], #9\n\t"
                 ".purgem neuromorph_event"
                 : [row] "+r"(row), [count] "+r"(count), [held] "+r"(held), [value] "=&r"(value), [word] "=&r"(word),
                   [next] "=&r"(next), [at] "=&r"(at), [at_next] "=&r"(at_next)
                 : [slot] "r"(slot), [full] "r"(65535)
                 : "cc", "memory");
    return held + Generic::add_rowlet_saturating(slot, row, count);
  }

  /// As Generic. 13 cycles for two events, 4 more per 8 (benchmark synapse/ring32/packed): on this core no faster than
  /// add_rowlet, whose word is loaded in the shadow of its element.
  [[gnu::noinline]] static constexpr void add_pairs(std::int32_t* slot, const std::uint32_t* row,
                                                    std::size_t pairs) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_pairs(slot, row, pairs);
    std::uint32_t value, weights, next, at_upper, lower;
    asm volatile(".macro neuromorph_pair weights, next\n\t"
                 "ldr %[value], [%[at_upper]]\n\t"
                 "ldrh %[lower], [%[row]], #4\n\t"
                 "add %[value], %[value], \\weights, asr #16\n\t"
                 "add %[lower], %[slot], %[lower]\n\t"
                 "str %[value], [%[at_upper]]\n\t"
                 "ldr %[value], [%[lower]]\n\t"
                 "ldrh %[at_upper], [%[row], #6]\n\t"
                 "ldr \\next, [%[row]], #4\n\t"
                 "sxtah %[value], %[value], \\weights\n\t"
                 "add %[at_upper], %[slot], %[at_upper]\n\t"
                 "str %[value], [%[lower]]\n\t"
                 ".endm\n\t"
                 "subs %[pairs], %[pairs], #5\n\t"
                 "bmi.w 2f\n\t"
                 "ldrh %[at_upper], [%[row], #6]\n\t"
                 "ldr %[weights], [%[row]], #4\n\t"
                 "add %[at_upper], %[slot], %[at_upper]\n\t"
                 "1:\n\t"
                 ".rept 2\n\t"
                 "neuromorph_pair %[weights], %[next]\n\t"
                 "neuromorph_pair %[next], %[weights]\n\t"
                 ".endr\n\t"
                 "subs %[pairs], %[pairs], #4\n\t"
                 "bpl.w 1b\n\t"
                 "sub %[row], %[row], #4\n\t"
                 "2:\n\t"
                 "add %[pairs], %[pairs], #5\n\t"
                 ".purgem neuromorph_pair"
                 : [row] "+r"(row), [pairs] "+r"(pairs), [value] "=&r"(value), [weights] "=&r"(weights),
                   [next] "=&r"(next), [at_upper] "=&r"(at_upper), [lower] "=&r"(lower)
                 : [slot] "r"(slot)
                 : "cc", "memory");
    Generic::add_pairs(slot, row, pairs);
  }

  /// As Generic. 6 cycles an event, 4 more per 8 (benchmark synapse/ring32/uniform).
  ///
  ///     ldr value, [at]            2, event k
  ///     ldrh next, [row], #2       1, distance of k + 1
  ///     add value, value, weight
  ///     add at', slot, next        a store with a register offset would take two cycles
  ///     str value, [at]
  ///
  /// Bound: the loads 3, store, sum, address: 6.
  [[gnu::noinline]] static constexpr void add_uniform(std::int32_t* slot, const std::uint32_t* row, std::size_t count,
                                                      std::int32_t weight) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_uniform(slot, row, count, weight);
    std::uint32_t value, at, at_next;
    asm volatile(".macro neuromorph_event at, next\n\t"
                 "ldr %[value], [\\at]\n\t"
                 "ldrh \\next, [%[row]], #2\n\t"
                 "add %[value], %[value], %[weight]\n\t"
                 "add \\next, %[slot], \\next\n\t"
                 "str %[value], [\\at]\n\t"
                 ".endm\n\t"
                 "subs %[count], %[count], #9\n\t"
                 "bmi.w 2f\n\t"
                 "ldrh %[at], [%[row]], #2\n\t"
                 "add %[at], %[slot], %[at]\n"
                 "1:\n\t"
                 ".rept 4\n\t"
                 "neuromorph_event %[at], %[at_next]\n\t"
                 "neuromorph_event %[at_next], %[at]\n\t"
                 ".endr\n\t"
                 "subs %[count], %[count], #8\n\t"
                 "bpl.w 1b\n\t"
                 "sub %[row], %[row], #2\n"
                 "2:\n\t"
                 "add %[count], %[count], #9\n\t"
                 ".purgem neuromorph_event"
                 : [row] "+r"(row), [count] "+r"(count), [value] "=&r"(value), [at] "=&r"(at), [at_next] "=&r"(at_next)
                 : [slot] "r"(slot), [weight] "r"(weight)
                 : "cc", "memory");
    Generic::add_uniform(slot, row, count, weight);
  }

  /// As Generic. 32 cycles for eight elements, 4 more per 16 (benchmark synapse/ring32/dense): elements and weights by
  /// LDM and STM. Bound by what is moved: 2.5 and the sum, 3.5; each LDM and STM adds one. Counted: four elements at a
  /// time (4.25).
  [[gnu::noinline]] static constexpr void add_dense(std::int32_t* slot, const std::uint32_t* weights,
                                                    std::size_t count) noexcept {
    if (std::is_constant_evaluated()) return Generic::add_dense(slot, weights, count);
    asm volatile("subs %[count], %[count], #16\n\t"
                 "bmi.w 2f\n"
                 "1:\n\t"
                 ".rept 2\n\t"
                 "ldm %[slot], {r3, r4, r5, r6, r8, r9, r10, ip}\n\t"
                 "ldm %[weights]!, {r11, lr}\n\t"
                 "sxtah r3, r3, r11\n\t"
                 "add r4, r4, r11, asr #16\n\t"
                 "sxtah r5, r5, lr\n\t"
                 "add r6, r6, lr, asr #16\n\t"
                 "ldm %[weights]!, {r11, lr}\n\t"
                 "sxtah r8, r8, r11\n\t"
                 "add r9, r9, r11, asr #16\n\t"
                 "sxtah r10, r10, lr\n\t"
                 "add ip, ip, lr, asr #16\n\t"
                 "stm %[slot]!, {r3, r4, r5, r6, r8, r9, r10, ip}\n\t"
                 ".endr\n\t"
                 "subs %[count], %[count], #16\n\t"
                 "bpl.w 1b\n"
                 "2:\n\t"
                 "add %[count], %[count], #16"
                 : [slot] "+r"(slot), [weights] "+r"(weights), [count] "+r"(count)
                 :
                 : "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "ip", "lr", "cc", "memory");
    Generic::add_dense(slot, weights, count);
  }

  // --- blocks ------------------------------------------------------------------------------------------------------

  /// As Generic. 15 cycles for four words, 4 more per 16 (benchmark ring/take). Bound: three accesses, 3 a word.
  [[gnu::noinline]] static constexpr void take_words(std::int32_t* to, std::int32_t* from, std::size_t count) noexcept {
    if (std::is_constant_evaluated()) return Generic::take_words(to, from, count);
    asm volatile("subs %[count], %[count], #16\n\t"
                 "bmi.w 2f\n\t"
                 "mov r8, #0\n\t"
                 "mov r9, #0\n\t"
                 "mov ip, #0\n\t"
                 "mov lr, #0\n"
                 "1:\n\t"
                 ".rept 4\n\t"
                 "ldm %[from], {r3, r4, r5, r6}\n\t"
                 "stm %[from]!, {r8, r9, ip, lr}\n\t"
                 "stm %[to]!, {r3, r4, r5, r6}\n\t"
                 ".endr\n\t"
                 "subs %[count], %[count], #16\n\t"
                 "bpl.w 1b\n"
                 "2:\n\t"
                 "add %[count], %[count], #16"
                 : [to] "+r"(to), [from] "+r"(from), [count] "+r"(count)
                 :
                 : "r3", "r4", "r5", "r6", "r8", "r9", "ip", "lr", "cc", "memory");
    Generic::take_words(to, from, count);
  }

  /// As Generic. 18 cycles for eight words, 4 more per 32 (benchmark copy/words). Bound: two accesses, 2 a word.
  [[gnu::noinline]] static constexpr void copy_words(std::uint32_t* to, const std::uint32_t* from,
                                                     std::size_t count) noexcept {
    if (std::is_constant_evaluated()) return Generic::copy_words(to, from, count);
    asm volatile("subs %[count], %[count], #32\n\t"
                 "bmi.w 2f\n"
                 "1:\n\t"
                 ".rept 4\n\t"
                 "ldm %[from]!, {r3, r4, r5, r6, r8, r9, r10, ip}\n\t"
                 "stm %[to]!, {r3, r4, r5, r6, r8, r9, r10, ip}\n\t"
                 ".endr\n\t"
                 "subs %[count], %[count], #32\n\t"
                 "bpl.w 1b\n"
                 "2:\n\t"
                 "adds %[count], %[count], #28\n\t"
                 "bmi.w 4f\n"
                 "3:\n\t"
                 "ldm %[from]!, {r3, r4, r5, r6}\n\t"
                 "stm %[to]!, {r3, r4, r5, r6}\n\t"
                 "subs %[count], %[count], #4\n\t"
                 "bpl.w 3b\n"
                 "4:\n\t"
                 "adds %[count], %[count], #4\n\t"
                 "beq.w 6f\n"
                 "5:\n\t"
                 "ldr r3, [%[from]], #4\n\t"
                 "subs %[count], %[count], #1\n\t"
                 "str r3, [%[to]], #4\n\t"
                 "bne.w 5b\n"
                 "6:"
                 : [to] "+r"(to), [from] "+r"(from), [count] "+r"(count)
                 :
                 : "r3", "r4", "r5", "r6", "r8", "r9", "r10", "ip", "cc", "memory");
  }

  /// As Generic. 10 cycles for four words and nothing else, for up to 64 words (benchmark copy/block/68_bytes).
  template <std::size_t Words>
  [[gnu::always_inline]] static constexpr void copy_block(std::uint32_t* to, const std::uint32_t* from) noexcept {
    if (std::is_constant_evaluated()) return Generic::copy_block<Words>(to, from);
    if constexpr (Words > 64) {
      copy_words(to, from, Words);
    } else if constexpr (Words >= 4) {
      asm volatile("ldm %0!, {r3, r4, r5, ip}\n\tstm %1!, {r3, r4, r5, ip}"
                   : "+r"(from), "+r"(to)
                   :
                   : "r3", "r4", "r5", "ip", "memory");
      copy_block<Words - 4>(to, from);
    } else {
      Generic::copy_block<Words>(to, from);
    }
  }
};
static_assert(VectorBackend<CortexM4>);
static_assert(&CortexM4::load_at_once<TwoWords> != &Generic::load_at_once<TwoWords>);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
