// SPDX-License-Identifier: BSL-1.0
/// \file
/// The instruction words of S2PP, the vector unit of the BrainScaleS plasticity processor.
// not in the umbrella: for target/power/s2pp.hpp, and to write sequences of one's own
#ifndef NEUROMORPH_TARGET_POWER_S2PP_INSTRUCTIONS_HPP
#define NEUROMORPH_TARGET_POWER_S2PP_INSTRUCTIONS_HPP

#include <cstdint>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace target {

/// The extended opcodes, by the assembler's mnemonics without `fxv`: b bytes, h halfwords; m modulo, fs fractional and
/// saturating; ma multiply and add, mul multiply; tac to the accumulator, ac of the accumulator.
enum class S2ppOperation : std::uint32_t {
  mahm = 12,
  mabm = 13,
  mtacb = 14,
  mtach = 15,
  mahfs = 28,
  mabfs = 29,
  mtacbf = 30,
  mtachf = 31,
  matachm = 44,
  matacbm = 45,
  matachfs = 60,
  matacbfs = 61,
  mulhm = 76,
  mulbm = 77,
  mulhfs = 92,
  mulbfs = 93,
  multachm = 108,
  multacbm = 109,
  multachfs = 124,
  multacbfs = 125,
  inx = 236,
  pckbu = 239,
  outx = 252,
  pckbl = 255,
  splath = 268,
  splatb = 269,
  upckbr = 271,
  upckbl = 287,
  cmph = 300,
  cmpb = 301,
  shh = 316,
  shb = 317,
  sel = 319,
  subhm = 332,
  subbm = 333,
  subhfs = 348,
  subbfs = 349,
  addactachm = 364,
  addactacbm = 365,
  addactachf = 380,
  addactacbf = 381,
  addachm = 396,
  addacbm = 397,
  addachfs = 412,
  addacbfs = 413,
  addtach = 428,
  addtacb = 429,
  addhm = 460,
  addbm = 461,
  addhfs = 476,
  addbfs = 477,
  lax = 492,
  stax = 508,
};

/// Where the last comparison with 0 found this; packing instructions have the number of dropped bits in its place.
enum class S2ppCondition : std::uint32_t { always = 0, greater = 1, less = 2, equal = 3 };

/// \param rt  register that is written or stored, 0 to 31
/// \param ra  first operand, or base address; the only operand of comparisons, splats and moves to the accumulator
/// \param rb  second operand, or index; of shifts the amount, -16 to 15, to the left
[[nodiscard]] constexpr std::uint32_t s2pp_word(S2ppOperation operation, int rt, int ra, int rb = 0,
                                                S2ppCondition condition = S2ppCondition::always) noexcept {
  const auto field = [](int number, unsigned place) { return (static_cast<std::uint32_t>(number) & 31U) << place; };
  return 4U << 26 | field(rt, 21) | field(ra, 16) | field(rb, 11) | static_cast<std::uint32_t>(operation) << 2 |
         static_cast<std::uint32_t>(condition);
}

// words of the vendor's assembler
static_assert(s2pp_word(S2ppOperation::addbfs, 4, 4, 3) == 0x10841F74);
static_assert(s2pp_word(S2ppOperation::cmpb, 0, 4) == 0x100404B4);
static_assert(s2pp_word(S2ppOperation::sel, 4, 4, 5, S2ppCondition::less) == 0x10842CFE);
static_assert(s2pp_word(S2ppOperation::shb, 4, 4, -1) == 0x1084FCF4);
static_assert(s2pp_word(S2ppOperation::outx, 4, 9, 10, S2ppCondition::greater) == 0x108953F1);

} // namespace target
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
