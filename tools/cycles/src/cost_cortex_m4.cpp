// SPDX-License-Identifier: BSL-1.0
/// \file
/// Costs and latencies of the Cortex-M4. The rules, their sources and their tests are listed in rules.cpp; the
/// numbers in brackets name them.
#include "decoder.hpp"

namespace neuromorph::cycles {
namespace {

using Lag = std::array<std::uint8_t, need_count>; // execute, store, accumulate, address
constexpr Lag at_once{0, 0, 0, 0};
constexpr Lag computed{0, 0, 0, 1}; // [m4-address]
constexpr Lag floating{1, 1, 1, 1}; // [m4-float-use]

std::uint8_t float_cost(unsigned id) {
  switch (id) {
  case ARM_INS_VMLA:
  case ARM_INS_VMLS:
  case ARM_INS_VNMLA:
  case ARM_INS_VNMLS:
  case ARM_INS_VFMA:
  case ARM_INS_VFMS:
  case ARM_INS_VFNMA:
  case ARM_INS_VFNMS: return 3;
  case ARM_INS_VDIV:
  case ARM_INS_VSQRT: return 14;
  default: return 1;
  }
}

bool float_is_arithmetic(unsigned id) {
  switch (id) {
  case ARM_INS_VMOV:
  case ARM_INS_VMRS:
  case ARM_INS_VMSR:
  case ARM_INS_VCMP:
  case ARM_INS_VCMPE:
  case ARM_INS_VABS:
  case ARM_INS_VNEG: return false;
  default: return true;
  }
}

} // namespace

void Decoder::cost_cortex_m4(Shape const& shape, Record& record) {
  using Class = Shape::Class;
  auto const refill = static_cast<std::uint8_t>(refill_);
  auto const give = [&](Cause cause, Lag lag) {
    for (std::uint8_t target : shape.targets) { result(target, cause, lag); }
  };
  record.refill = refill;
  switch (shape.kind) {
  case Class::load: // [m4-ldr, m4-ldr-ldr, m4-ldr-pc]
    record.kind = shape.words == 1 && !shape.to_pc ? Kind::load : Kind::block;
    record.cost = static_cast<std::uint8_t>(1 + shape.words);
    give(Cause::load, at_once);
    if (shape.writeback) { result(shape.base, Cause::address, at_once); }
    break;
  case Class::store: // [m4-str, m4-str-register]
    record.kind = shape.words == 1 ? Kind::store : Kind::block;
    record.cost = static_cast<std::uint8_t>(shape.words + (shape.register_offset || shape.id == ARM_INS_VSTR));
    if (shape.id == ARM_INS_STREX || shape.id == ARM_INS_STREXB || shape.id == ARM_INS_STREXH) { record.cost = 2; }
    give(Cause::load, at_once);
    if (shape.writeback) { result(shape.base, Cause::address, at_once); }
    break;
  case Class::load_pair:
  case Class::store_pair:
  case Class::load_many:
  case Class::store_many: { // [m4-ldm, m4-stm, m4-ldrd, m4-pop-pc]
    record.kind = Kind::block;
    bool const pair = shape.kind == Class::load_pair || shape.kind == Class::store_pair;
    record.cost = static_cast<std::uint8_t>(1 + (pair ? 2 : shape.words));
    give(Cause::load, at_once);
    if (shape.writeback) { result(shape.base, Cause::address, at_once); }
    break;
  }
  case Class::table_branch: // [m4-tbb]: two for the load, one for the addition, then a branch
    record.cost = 4;
    break;
  case Class::divide: // [m4-div]: the machine replaces the cost
    record.kind = Kind::divide;
    record.cost = 2;
    give(Cause::address, computed);
    break;
  case Class::float_op:
    record.cost = float_cost(shape.id);
    give(Cause::multiply, float_is_arithmetic(shape.id) ? floating : at_once);
    break;
  case Class::branch: give(Cause::issue, at_once); break;
  default: // [m4-data, m4-mul]
    give(Cause::address, computed);
    break;
  }
}

} // namespace neuromorph::cycles
