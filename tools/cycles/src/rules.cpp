// SPDX-License-Identifier: BSL-1.0
#include "rules.hpp"

namespace neuromorph::cycles {
namespace {

using enum Rule::Standing;

constexpr Rule all[] = {
    // ARM9E-S
    {"a9-data", "data processing takes 1 cycle, 2 with a shift by register; its result can be used at once",
     "DDI 0222 table 8.2", documented},
    {"a9-data-pc", "data processing into pc takes 3 cycles; 4 for moves, logical operations and shifted operands",
     "DDI 0222 table 8.2", documented},
    {"a9-failed", "an instruction whose condition fails takes 1 cycle and writes nothing", "DDI 0222", documented},
    {"a9-failed-wait", "it still waits for its operands: interlocks are found in decode, conditions in execute",
     "from the remark on decode in DDI 0165B 8", inferred},
    {"a9-ldr", "LDR and STR take 1 cycle, address register updates included", "DDI 0222 table 8.2", documented},
    {"a9-load-use", "a loaded word used by the next instruction costs 1 cycle more", "DDI 0222 table 8.2", documented},
    {"a9-narrow-use", "a loaded byte or halfword is usable 2 cycles later, in any role", "DDI 0222 table 8.2",
     documented},
    {"a9-load-store", "a loaded word stored by the next instruction costs 1 cycle more: no bypass to the C port",
     "DDI 0165B 8", documented},
    {"a9-load-accumulate", "the same for the accumulator of a multiply", "DDI 0165B 8", documented},
    {"a9-ldr-shifted", "a shifted register offset costs 1 cycle more, for loads and stores", "DDI 0222 table 8.2",
     documented},
    {"a9-ldr-pc", "LDR to pc takes 5 cycles, 6 with a shifted offset", "DDI 0222 table 8.2", documented},
    {"a9-ldrd", "LDRD and STRD take 2 cycles; the second word interlocks like LDR", "DDI 0222 table 8.2", documented},
    {"a9-ldm", "LDM of n words takes n cycles, the last word interlocks like LDR, the others not", "DDI 0222 table 8.2",
     documented},
    {"a9-ldm-one", "LDM of one word takes 2 cycles, with no interlock after", "DDI 0222 table 8.2", documented},
    {"a9-ldm-pc", "LDM with pc in the list takes n + 4 cycles", "DDI 0222 table 8.2", believed},
    {"a9-stm", "STM of n words takes n cycles", "DDI 0222 table 8.2", believed},
    {"a9-stm-one", "STM of one word takes 2 cycles", "DDI 0222 table 8.2", believed},
    {"a9-stm-order", "STM reads its registers one a cycle, so the k-th may be k cycles late",
     "from the second-cycle interlock of DDI 0165B 8", inferred},
    {"a9-mul", "MUL and MLA take 2 cycles", "DDI 0222; GCC arm926ejs description", documented},
    {"a9-muls", "MULS and MLAS take 4 cycles and leave no interlock; Thumb MUL is MULS", "DDI 0222; DDI 0214B 9.9.1",
     documented},
    {"a9-mull", "UMULL, UMLAL, SMULL, SMLAL take 3 cycles", "DDI 0222; GCC arm926ejs description", documented},
    {"a9-mulls", "with flags 5, and no interlock", "DDI 0214B 9.9.1; GCC arm926ejs description", documented},
    {"a9-smla", "SMULxy, SMLAxy, SMULWy, SMLAWy take 1 cycle", "DDI 0222; GCC arm926ejs description", documented},
    {"a9-smlalxy", "SMLALxy takes 2 cycles", "DDI 0222; GCC arm926ejs description", documented},
    {"a9-mul-use", "a product used by the next instruction costs 1 cycle more, either half of a long one", "DDI 0222",
     documented},
    {"a9-mul-store", "a product stored by the next instruction costs 1 cycle more", "DDI 0214B 9.9.1", documented},
    {"a9-mul-accumulate", "not when it is the accumulator of the next multiply", "DDI 0222; Lester et al. 2018, 2.3",
     documented},
    {"a9-qadd-use", "QADD and kin take 1 cycle; their result used next costs 1 more", "DDI 0214B 9.10.1", documented},
    {"a9-qadd-store", "but not when it is stored or accumulated", "DDI 0214B 9.10.1", documented},
    {"a9-branch", "B, BL, BX, BLX take 3 cycles taken and 1 not taken", "DDI 0222; confirmed by the LIF logs",
     believed},
    {"a9-thumb-bl", "BL and BLX to a label in Thumb state are two instructions: 4 cycles", "DDI 0222", believed},
    {"a9-mrs", "MRS takes 2 cycles", "DDI 0214B 9.7 (ARM7EJ-S)", believed},
    {"a9-msr", "MSR takes 3 cycles", "DDI 0222", believed},
    {"a9-msr-flags", "MSR of the flags alone takes 1 cycle", "DDI 0222", believed},
    {"a9-swp", "SWP takes 2 cycles; its result interlocks like LDR, SWPB's like LDRB", "DDI 0222", believed},
    {"a9-clz", "CLZ takes 1 cycle", "DDI 0222 table 8.2", documented},
    {"a9-mrc", "MRC takes 1 cycle and interlocks like LDR; MCR takes 1; no busy waits", "DDI 0222", believed},
    {"a9-itcm-data", "a data access to the instruction memory waits 1 cycle", "no source", inferred},
    {"a9-sdram", "SDRAM waits 20 cycles to read and to fetch, 10 to write; set by --region",
     "100 ns quoted for SpiNNaker; the write figure has no source", inferred},
    {"a9-exception", "entry to an exception takes 3 cycles, before the instruction at the vector", "as a branch does",
     inferred},
    // Cortex-M4
    {"m4-data", "data processing takes 1 cycle", "ARM 100166 table 3-1", documented},
    {"m4-mul", "all multiplies and DSP instructions take 1 cycle", "ARM 100166 table 3-1", documented},
    {"m4-div", "SDIV and UDIV take 2 to 12 cycles by the length of the quotient",
     "ARM 100166 table 3-1; slope inferred", inferred},
    {"m4-branch", "taken branches take 1 + P cycles, not taken 1; P is 2 unless --refill says otherwise",
     "ARM 100166 table 3-1", documented},
    {"m4-ldr", "LDR takes 2 cycles", "ARM 100166 table 3-1", documented},
    {"m4-ldr-ldr", "a load or store right after a load takes 1 cycle less, unless its address was just loaded",
     "ARM 100166 3.3.2", documented},
    {"m4-ldr-pc", "LDR to pc takes 2 + P cycles, never overlapped", "ARM 100166 table 3-1", believed},
    {"m4-str", "STR with an immediate offset takes 1 cycle", "ARM 100166 3.3.2", documented},
    {"m4-str-register", "STR with a register offset takes 2, nothing overlaps with a store before it",
     "ARM 100166 3.3.2", documented},
    {"m4-ldm", "LDM, STM, PUSH, POP of n words take 1 + n cycles, never overlapped", "ARM 100166 table 3-1",
     documented},
    {"m4-pop-pc", "with pc P more", "ARM 100166 table 3-1", documented},
    {"m4-ldrd", "LDRD and STRD take 3 cycles, never overlapped", "ARM 100166 table 3-1", documented},
    {"m4-address", "an address straight from the ALU costs 1 cycle more", "ARM 100166 3.3.2", documented},
    {"m4-tbb", "TBB and TBH take 4 + P cycles", "ARM 100166 3.3.2: at least six", documented},
    {"m4-it", "IT takes 1 cycle (the hardware may fold it); instructions whose condition fails take 1",
     "ARM 100166 table 3-1", inferred},
    {"m4-unaligned", "an unaligned word costs 1 more at an even address, 2 at an odd one, a halfword 1",
     "ARM 100166 3.3.2", believed},
    {"m4-float", "float operations take 1 cycle, fused and chained multiplies 3, VDIV and VSQRT 14, VLDR 2",
     "ARM 100166 table 7-1", believed},
    {"m4-float-use", "a float result used by the next instruction costs 1 cycle more", "ARM 100166 7.2.3", believed},
    {"m4-exception", "exceptions take 12 cycles in and 12 out", "in: ARM 100166 3.9; out: as in", inferred},
    {"m4-tail-chain", "6 from one handler to the next", "ARM 100166 3.9", believed},
};

} // namespace

std::span<Rule const> rules() { return all; }

std::string rules_table() {
  constexpr std::string_view standings[] = {"documented", "believed", "inferred"};
  std::string text = "| rule | what is charged | source | standing |\n|---|---|---|---|\n";
  for (Rule const& rule : all) {
    text += "| " + std::string(rule.id) + " | " + std::string(rule.text) + " | " + std::string(rule.source) + " | " +
            std::string(standings[static_cast<std::size_t>(rule.standing)]) + " |\n";
  }
  return text;
}

} // namespace neuromorph::cycles
