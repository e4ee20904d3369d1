// SPDX-License-Identifier: BSL-1.0
#include "decoder.hpp"

#include <algorithm>

namespace neuromorph::cycles {
namespace {

constexpr std::uint8_t no_register = 0xff;
constexpr std::uint8_t sp = 13;
constexpr std::uint8_t pc = 15;

std::uint8_t number_of(unsigned reg) {
  if (reg >= ARM_REG_R0 && reg <= ARM_REG_R12) { return static_cast<std::uint8_t>(reg - ARM_REG_R0); }
  if (reg == ARM_REG_SP) { return sp; }
  if (reg == ARM_REG_LR) { return 14; }
  if (reg == ARM_REG_PC) { return pc; }
  if (reg >= ARM_REG_S0 && reg <= ARM_REG_S31) { return static_cast<std::uint8_t>(16 + reg - ARM_REG_S0); }
  if (reg >= ARM_REG_D0 && reg <= ARM_REG_D15) { return static_cast<std::uint8_t>(16 + 2 * (reg - ARM_REG_D0)); }
  return no_register;
}

bool shifts_by_register(arm_shifter type) { return type >= ARM_SFT_ASR_REG; }

using Class = Shape::Class;

bool one_of(unsigned id, std::initializer_list<unsigned> list) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

/// Real block transfers; PUSH or POP of one register may be an STR or LDR in disguise.
bool is_block(unsigned id, std::uint32_t word, bool thumb) {
  if (!one_of(id, {ARM_INS_LDM, ARM_INS_LDMDA, ARM_INS_LDMDB, ARM_INS_LDMIB, ARM_INS_POP, ARM_INS_STM, ARM_INS_STMDA,
                   ARM_INS_STMDB, ARM_INS_STMIB, ARM_INS_PUSH})) {
    return false;
  }
  return thumb || (word & 0x0e000000) == 0x08000000;
}

Class class_of(unsigned id, Shape const& shape) {
  if (is_block(id, shape.word, shape.thumb)) {
    return one_of(id, {ARM_INS_LDM, ARM_INS_LDMDA, ARM_INS_LDMDB, ARM_INS_LDMIB, ARM_INS_POP}) ? Class::load_many
                                                                                               : Class::store_many;
  }
  switch (id) {
  case ARM_INS_ADC:
  case ARM_INS_ADD:
  case ARM_INS_ADR:
  case ARM_INS_AND:
  case ARM_INS_BIC:
  case ARM_INS_CMN:
  case ARM_INS_CMP:
  case ARM_INS_EOR:
  case ARM_INS_MOV:
  case ARM_INS_MVN:
  case ARM_INS_ORR:
  case ARM_INS_ORN:
  case ARM_INS_RSB:
  case ARM_INS_RSC:
  case ARM_INS_SBC:
  case ARM_INS_SUB:
  case ARM_INS_TEQ:
  case ARM_INS_TST:
  case ARM_INS_ASR:
  case ARM_INS_LSL:
  case ARM_INS_LSR:
  case ARM_INS_ROR:
  case ARM_INS_RRX:
  case ARM_INS_ADDW:
  case ARM_INS_SUBW:
  case ARM_INS_MOVW:
  case ARM_INS_MOVT: return Class::data;
  case ARM_INS_MUL:
  case ARM_INS_MLA:
  case ARM_INS_MLS:
  case ARM_INS_SMULL:
  case ARM_INS_UMULL:
  case ARM_INS_SMLAL:
  case ARM_INS_UMLAL:
  case ARM_INS_UMAAL:
  case ARM_INS_SMULBB:
  case ARM_INS_SMULBT:
  case ARM_INS_SMULTB:
  case ARM_INS_SMULTT:
  case ARM_INS_SMULWB:
  case ARM_INS_SMULWT:
  case ARM_INS_SMLABB:
  case ARM_INS_SMLABT:
  case ARM_INS_SMLATB:
  case ARM_INS_SMLATT:
  case ARM_INS_SMLAWB:
  case ARM_INS_SMLAWT:
  case ARM_INS_SMLALBB:
  case ARM_INS_SMLALBT:
  case ARM_INS_SMLALTB:
  case ARM_INS_SMLALTT:
  case ARM_INS_SMLAD:
  case ARM_INS_SMLADX:
  case ARM_INS_SMLSD:
  case ARM_INS_SMLSDX:
  case ARM_INS_SMUAD:
  case ARM_INS_SMUADX:
  case ARM_INS_SMUSD:
  case ARM_INS_SMUSDX:
  case ARM_INS_SMMUL:
  case ARM_INS_SMMULR:
  case ARM_INS_SMMLA:
  case ARM_INS_SMMLAR:
  case ARM_INS_SMMLS:
  case ARM_INS_SMMLSR:
  case ARM_INS_SMLALD:
  case ARM_INS_SMLALDX:
  case ARM_INS_SMLSLD:
  case ARM_INS_SMLSLDX: return Class::multiply;
  case ARM_INS_QADD:
  case ARM_INS_QSUB:
  case ARM_INS_QDADD:
  case ARM_INS_QDSUB: return Class::saturating;
  case ARM_INS_LDRD: return Class::load_pair;
  case ARM_INS_STRD: return Class::store_pair;
  case ARM_INS_LDR:
  case ARM_INS_LDRB:
  case ARM_INS_LDRH:
  case ARM_INS_LDRSB:
  case ARM_INS_LDRSH:
  case ARM_INS_LDRT:
  case ARM_INS_LDRBT:
  case ARM_INS_LDRHT:
  case ARM_INS_LDRSBT:
  case ARM_INS_LDRSHT:
  case ARM_INS_LDREX:
  case ARM_INS_LDREXB:
  case ARM_INS_LDREXH:
  case ARM_INS_POP: return Class::load;
  case ARM_INS_STR:
  case ARM_INS_STRB:
  case ARM_INS_STRH:
  case ARM_INS_STRT:
  case ARM_INS_STRBT:
  case ARM_INS_STRHT:
  case ARM_INS_STREX:
  case ARM_INS_STREXB:
  case ARM_INS_STREXH:
  case ARM_INS_PUSH: return Class::store;
  case ARM_INS_VLDR: return Class::load;
  case ARM_INS_VSTR: return Class::store;
  case ARM_INS_VLDMIA:
  case ARM_INS_VLDMDB:
  case ARM_INS_VPOP: return Class::load_many;
  case ARM_INS_VSTMIA:
  case ARM_INS_VSTMDB:
  case ARM_INS_VPUSH: return Class::store_many;
  case ARM_INS_SWP:
  case ARM_INS_SWPB: return Class::swap;
  case ARM_INS_B:
  case ARM_INS_BL:
  case ARM_INS_BLX:
  case ARM_INS_BX:
  case ARM_INS_BXJ:
  case ARM_INS_CBZ:
  case ARM_INS_CBNZ: return Class::branch;
  case ARM_INS_TBB:
  case ARM_INS_TBH: return Class::table_branch;
  case ARM_INS_MRS: return Class::status_read;
  case ARM_INS_MSR: return Class::status_write;
  case ARM_INS_SDIV:
  case ARM_INS_UDIV: return Class::divide;
  case ARM_INS_MRC:
  case ARM_INS_MRC2:
  case ARM_INS_MRRC: return Class::coprocessor_read;
  default: return Class::other;
  }
}

bool is_float(unsigned id) {
  return one_of(id, {ARM_INS_VMOV,  ARM_INS_VMRS, ARM_INS_VMSR,  ARM_INS_VADD,  ARM_INS_VSUB,  ARM_INS_VMUL,
                     ARM_INS_VMLA,  ARM_INS_VMLS, ARM_INS_VNMLA, ARM_INS_VNMLS, ARM_INS_VNMUL, ARM_INS_VDIV,
                     ARM_INS_VSQRT, ARM_INS_VCMP, ARM_INS_VCMPE, ARM_INS_VCVT,  ARM_INS_VCVTR, ARM_INS_VABS,
                     ARM_INS_VNEG,  ARM_INS_VFMA, ARM_INS_VFMS,  ARM_INS_VFNMA, ARM_INS_VFNMS});
}

} // namespace

Decoder::Decoder(Core core, unsigned refill) : core_(core), refill_(refill) {
  auto const base = core == Core::cortex_m4 ? CS_MODE_THUMB | CS_MODE_MCLASS : CS_MODE_THUMB;
  cs_open(CS_ARCH_ARM, CS_MODE_ARM, &arm_);
  cs_open(CS_ARCH_ARM, static_cast<cs_mode>(base), &thumb_);
  cs_option(arm_, CS_OPT_DETAIL, CS_OPT_ON);
  cs_option(thumb_, CS_OPT_DETAIL, CS_OPT_ON);
  instruction_ = cs_malloc(arm_);
}

Decoder::~Decoder() {
  cs_free(instruction_, 1);
  cs_close(&arm_);
  cs_close(&thumb_);
}

void Decoder::use(std::uint8_t reg, Need need, std::uint8_t slot) {
  if (reg != no_register && reg != pc) { uses_.push_back({reg, need, slot}); }
}

void Decoder::result(std::uint8_t reg, Cause cause, std::array<std::uint8_t, need_count> lag) {
  if (reg != no_register && reg != pc) { results_.push_back({reg, cause, lag}); }
}

/// Base and offset of a load or store; the transferred registers are added by the caller.
void Decoder::transfer_operands(cs_arm const& arm, Shape& shape) {
  bool after_memory = false;
  for (int i = 0; i < arm.op_count; ++i) {
    cs_arm_op const& operand = arm.operands[i];
    if (operand.type == ARM_OP_MEM) {
      shape.base = number_of(static_cast<unsigned>(operand.mem.base));
      use(shape.base, Need::address);
      std::uint8_t const index = number_of(static_cast<unsigned>(operand.mem.index));
      use(index, Need::address);
      shape.register_offset |= index != no_register;
      after_memory = true;
    } else if (after_memory && operand.type == ARM_OP_REG) {
      use(number_of(static_cast<unsigned>(operand.reg)), Need::address);
      shape.register_offset = true;
    }
    bool const is_offset = operand.type == ARM_OP_MEM || after_memory;
    shape.shifted_offset |= is_offset && operand.shift.type != ARM_SFT_INVALID && operand.shift.value != 0;
    shape.shifted_offset |= is_offset && operand.type == ARM_OP_MEM && operand.mem.lshift != 0;
    shape.shifted_offset |= is_offset && operand.shift.type == ARM_SFT_RRX;
  }
  // A post-indexed access: the offset follows the brackets, and the base is always written back.
  shape.writeback = arm.writeback || (after_memory && arm.operands[arm.op_count - 1].type != ARM_OP_MEM);
}

void Decoder::operands(cs_insn const& instruction, Shape& shape, Record& record) {
  cs_arm const& arm = instruction.detail->arm;
  auto const reg = [&](int i) {
    return i < arm.op_count && arm.operands[i].type == ARM_OP_REG
               ? number_of(static_cast<unsigned>(arm.operands[i].reg))
               : no_register;
  };
  auto const use_all = [&](int first) {
    for (int i = first; i < arm.op_count; ++i) {
      use(reg(i));
      if (arm.operands[i].type == ARM_OP_REG && shifts_by_register(arm.operands[i].shift.type)) {
        use(number_of(arm.operands[i].shift.value));
        shape.kind = Class::shifted;
      }
      shape.shifted_operand |= arm.operands[i].shift.type != ARM_SFT_INVALID;
    }
  };
  switch (shape.kind) {
  case Class::data: {
    bool const compares = one_of(shape.id, {ARM_INS_CMP, ARM_INS_CMN, ARM_INS_TST, ARM_INS_TEQ});
    bool const moves = one_of(shape.id, {ARM_INS_MOV, ARM_INS_MVN, ARM_INS_MOVW, ARM_INS_ADR});
    bool const shifts = one_of(shape.id, {ARM_INS_LSL, ARM_INS_LSR, ARM_INS_ASR, ARM_INS_ROR, ARM_INS_RRX});
    shape.arithmetic = one_of(shape.id, {ARM_INS_ADD, ARM_INS_SUB, ARM_INS_RSB, ARM_INS_ADC, ARM_INS_SBC});
    if (!compares) {
      shape.targets.push_back(reg(0));
      shape.to_pc = reg(0) == pc;
    }
    use_all(compares || (arm.op_count == 2 && !moves) ? 0 : 1);
    if (shifts) {
      shape.shifted_operand = true;
      if (reg(arm.op_count - 1) != no_register && (arm.op_count == 3 || shape.thumb) && shape.id != ARM_INS_RRX &&
          arm.operands[arm.op_count - 1].type == ARM_OP_REG) {
        shape.kind = Class::shifted;
      }
    }
    break;
  }
  case Class::multiply: {
    shape.wide_product = one_of(shape.id, {ARM_INS_SMULL, ARM_INS_UMULL, ARM_INS_SMLAL, ARM_INS_UMLAL, ARM_INS_UMAAL,
                                           ARM_INS_SMLALBB, ARM_INS_SMLALBT, ARM_INS_SMLALTB, ARM_INS_SMLALTT,
                                           ARM_INS_SMLALD, ARM_INS_SMLALDX, ARM_INS_SMLSLD, ARM_INS_SMLSLDX});
    shape.half_product = !one_of(shape.id, {ARM_INS_MUL, ARM_INS_MLA, ARM_INS_MLS, ARM_INS_SMULL, ARM_INS_UMULL,
                                            ARM_INS_SMLAL, ARM_INS_UMLAL, ARM_INS_UMAAL});
    shape.targets.push_back(reg(0));
    if (shape.wide_product) {
      shape.targets.push_back(reg(1));
      if (!one_of(shape.id, {ARM_INS_SMULL, ARM_INS_UMULL})) {
        use(reg(0), Need::accumulate);
        use(reg(1), Need::accumulate);
      }
      use(reg(2));
      use(reg(3));
    } else {
      use(arm.op_count == 2 ? reg(0) : reg(2));
      use(reg(1));
      use(reg(3), Need::accumulate);
    }
    break;
  }
  case Class::load:
  case Class::load_pair: {
    bool const pair = shape.kind == Class::load_pair;
    record.pair = pair;
    shape.targets.push_back(reg(0));
    if (pair) { shape.targets.push_back(reg(1)); }
    shape.to_pc = reg(0) == pc;
    shape.narrow = one_of(shape.id, {ARM_INS_LDRB, ARM_INS_LDRH, ARM_INS_LDRSB, ARM_INS_LDRSH, ARM_INS_LDRBT,
                                     ARM_INS_LDRHT, ARM_INS_LDRSBT, ARM_INS_LDRSHT, ARM_INS_LDREXB, ARM_INS_LDREXH});
    transfer_operands(arm, shape);
    if (shape.id == ARM_INS_POP) {
      use(sp, Need::address);
      shape.base = sp;
      shape.writeback = true;
    }
    if (shape.id == ARM_INS_VLDR && arm.operands[0].reg >= ARM_REG_D0 && arm.operands[0].reg <= ARM_REG_D15) {
      shape.words = 2;
      shape.targets.push_back(static_cast<std::uint8_t>(reg(0) + 1));
    }
    break;
  }
  case Class::store:
  case Class::store_pair: {
    bool const exclusive = one_of(shape.id, {ARM_INS_STREX, ARM_INS_STREXB, ARM_INS_STREXH});
    if (exclusive) { shape.targets.push_back(reg(0)); }
    use(reg(exclusive ? 1 : 0), Need::store);
    record.pair = shape.kind == Class::store_pair;
    if (record.pair) { use(reg(1), Need::store, 1); }
    shape.narrow = one_of(shape.id, {ARM_INS_STRB, ARM_INS_STRH, ARM_INS_STRBT, ARM_INS_STRHT});
    transfer_operands(arm, shape);
    if (shape.id == ARM_INS_PUSH) {
      use(sp, Need::address);
      shape.base = sp;
      shape.writeback = true;
    }
    if (shape.id == ARM_INS_VSTR && arm.operands[0].reg >= ARM_REG_D0 && arm.operands[0].reg <= ARM_REG_D15) {
      shape.words = 2;
    }
    break;
  }
  case Class::load_many:
  case Class::store_many: {
    bool const stack = one_of(shape.id, {ARM_INS_PUSH, ARM_INS_POP, ARM_INS_VPUSH, ARM_INS_VPOP});
    shape.base = stack ? sp : reg(0);
    shape.writeback = stack || arm.writeback;
    use(shape.base, Need::address);
    shape.words = 0;
    for (int i = stack ? 0 : 1; i < arm.op_count; ++i) {
      std::uint8_t const moved = reg(i);
      if (moved == no_register) { continue; }
      unsigned const width = arm.operands[i].reg >= ARM_REG_D0 && arm.operands[i].reg <= ARM_REG_D15 ? 2 : 1;
      if (shape.kind == Class::load_many) {
        shape.targets.push_back(moved);
        shape.to_pc |= moved == pc;
      } else {
        use(moved, Need::store, static_cast<std::uint8_t>(shape.words));
      }
      shape.words += width;
    }
    break;
  }
  case Class::swap:
    shape.targets.push_back(reg(0));
    shape.narrow = shape.id == ARM_INS_SWPB;
    use(reg(1), Need::store);
    transfer_operands(arm, shape);
    break;
  case Class::branch:
    record.branches = true;
    shape.split =
        core_ == Core::arm9e && shape.thumb && one_of(shape.id, {ARM_INS_BL, ARM_INS_BLX}) && instruction.size == 4;
    use(reg(0));
    if (shape.id == ARM_INS_BL || shape.id == ARM_INS_BLX) { shape.targets.push_back(14); }
    // Whether B and CBZ went is seen from where they went.
    record.by_outcome =
        one_of(shape.id, {ARM_INS_B, ARM_INS_CBZ, ARM_INS_CBNZ}) && (arm.cc != ARM_CC_AL || shape.id != ARM_INS_B);
    break;
  case Class::table_branch:
    record.branches = true;
    transfer_operands(arm, shape);
    break;
  case Class::divide:
    shape.targets.push_back(reg(0));
    use(reg(1));
    use(reg(2));
    if (arm.op_count == 2) { use(reg(0)); }
    record.divide[0] = arm.op_count == 2 ? reg(0) : reg(1);
    record.divide[1] = arm.op_count == 2 ? reg(1) : reg(2);
    record.divide_signed = shape.id == ARM_INS_SDIV;
    break;
  case Class::coprocessor_read:
    // The first register operand is the destination.
    for (int i = 0; i < arm.op_count && shape.targets.empty(); ++i) {
      if (reg(i) != no_register) { shape.targets.push_back(reg(i)); }
    }
    break;
  default: {
    // What is left reads its operands early and, where it has one, writes its first.
    cs_regs read{};
    cs_regs written{};
    std::uint8_t reads = 0;
    std::uint8_t writes = 0;
    if (cs_regs_access(shape.thumb ? thumb_ : arm_, &instruction, read, &reads, written, &writes) == CS_ERR_OK) {
      for (int i = 0; i < reads; ++i) { use(number_of(read[i])); }
      for (int i = 0; i < writes; ++i) {
        if (number_of(written[i]) != no_register) { shape.targets.push_back(number_of(written[i])); }
      }
    }
    break;
  }
  }
  record.branches |= shape.to_pc;
}

Record Decoder::decode(std::uint32_t address, bool thumb, std::span<std::uint8_t const> bytes) {
  Record record;
  record.address = address;
  record.thumb = thumb;
  std::uint8_t const* code = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t at = address;
  // Conditions inside an IT block come from the block, not from the bytes: the machine knows them.
  if (!cs_disasm_iter(thumb ? thumb_ : arm_, &code, &left, &at, instruction_)) { return record; }
  cs_arm const& arm = instruction_->detail->arm;
  record.size = static_cast<std::uint8_t>(instruction_->size);
  Shape shape;
  shape.id = instruction_->id;
  shape.thumb = thumb;
  for (unsigned i = 0; i < instruction_->size; ++i) { shape.word |= std::uint32_t{instruction_->bytes[i]} << (8 * i); }
  shape.flags = arm.update_flags;
  shape.kind = class_of(shape.id, shape);
  if (is_float(shape.id)) { shape.kind = Class::float_op; }
  if (!thumb && arm.cc >= ARM_CC_EQ && arm.cc <= ARM_CC_LE) {
    record.condition = static_cast<std::uint8_t>(arm.cc - ARM_CC_EQ);
  }
  record.first_use = static_cast<std::uint32_t>(uses_.size());
  record.first_result = static_cast<std::uint32_t>(results_.size());
  operands(*instruction_, shape, record);
  cost(shape, record);
  record.use_count = static_cast<std::uint8_t>(uses_.size() - record.first_use);
  record.result_count = static_cast<std::uint8_t>(results_.size() - record.first_result);
  bool const computes = shape.kind == Class::data || shape.kind == Class::shifted || shape.kind == Class::multiply ||
                        shape.kind == Class::saturating;
  record.at_once = computes && record.condition == 14 && !record.branches;
  for (Use const& use : uses(record)) { record.addresses |= use.need == Need::address; }
  for (Result const& result : results(record)) { record.lags |= result.longest() != 0; }
  record.either_way =
      computes && record.condition < 14 && !record.branches && !record.lags && record.cost == 1 && record.shift == 0;

  std::uint32_t const immediate = arm.op_count > 0 ? static_cast<std::uint32_t>(arm.operands[0].imm) : 0;
  if (shape.id == ARM_INS_SVC) {
    bool const host = core_ == Core::arm9e && immediate == (thumb ? 0xabU : 0x123456U);
    record.kind = host ? Kind::call_host : Kind::supervisor;
  } else if (shape.id == ARM_INS_BKPT && immediate == 0xab && core_ == Core::cortex_m4) {
    record.kind = Kind::call_host;
  } else if (shape.id == ARM_INS_WFI || shape.id == ARM_INS_WFE ||
             (core_ == Core::arm9e && !thumb && (shape.word & 0x0fff0fff) == 0x0e070f90)) {
    record.kind = Kind::sleep;
  } else if (core_ == Core::cortex_m4 && (shape.word & 0xf0ffffffU) == 0x8005f3efU) {
    record.kind = Kind::exception_number;
  } else if (shape.id == ARM_INS_IT) {
    record.kind = Kind::it_block;
  }
  return record;
}

void Decoder::cost(Shape const& shape, Record& record) {
  if (core_ == Core::arm9e) {
    cost_arm9e(shape, record);
  } else {
    cost_cortex_m4(shape, record);
  }
}

std::string Decoder::text(std::uint32_t address, bool thumb, std::span<std::uint8_t const> bytes) const {
  std::uint8_t const* code = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t at = address;
  if (!cs_disasm_iter(thumb ? thumb_ : arm_, &code, &left, &at, instruction_)) { return "?"; }
  return std::string(instruction_->mnemonic) + " " + instruction_->op_str;
}

} // namespace neuromorph::cycles
