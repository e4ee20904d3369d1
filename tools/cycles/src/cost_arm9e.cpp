// SPDX-License-Identifier: BSL-1.0
/// \file
/// Costs and latencies of the ARM9E-S. The rules, their sources and their tests are listed in rules.cpp; the
/// numbers in brackets name them.
#include "decoder.hpp"

namespace neuromorph::cycles {
namespace {

using Lag = std::array<std::uint8_t, need_count>; // execute, store, accumulate, address
constexpr Lag at_once{0, 0, 0, 0};
constexpr Lag loaded{1, 1, 1, 1};        // [a9-load-use, a9-load-store, a9-load-accumulate]
constexpr Lag loaded_narrow{2, 2, 2, 2}; // [a9-narrow-use]
constexpr Lag product{1, 1, 0, 1};       // [a9-mul-use, a9-mul-accumulate, a9-mul-store]
constexpr Lag saturated{1, 0, 0, 1};     // [a9-qadd-use, a9-qadd-store]

} // namespace

void Decoder::cost_arm9e(Shape const& shape, Record& record) {
  using Class = Shape::Class;
  auto const give = [&](Cause cause, Lag lag) {
    for (std::uint8_t target : shape.targets) { result(target, cause, lag); }
  };
  switch (shape.kind) {
  case Class::data: // [a9-data, a9-data-pc]
  case Class::shifted:
    record.cost = shape.kind == Class::shifted ? 2 : 1;
    record.refill = shape.arithmetic && !shape.shifted_operand ? 2 : 3;
    give(Cause::issue, at_once);
    break;
  case Class::multiply: // [a9-mul, a9-muls, a9-mull, a9-mulls, a9-smla, a9-smlalxy]
    if (shape.half_product) {
      record.cost = shape.wide_product ? 2 : 1;
    } else {
      record.cost = shape.wide_product ? 3 : 2;
      if (shape.flags) { record.cost = static_cast<std::uint8_t>(record.cost + 2); }
    }
    give(Cause::multiply, shape.flags && !shape.half_product ? at_once : product);
    break;
  case Class::saturating: give(Cause::saturate, saturated); break;
  case Class::load: // [a9-ldr, a9-ldr-shifted, a9-ldr-pc]
    record.kind = Kind::load;
    record.shift = shape.shifted_offset ? 1 : 0;
    record.refill = 4;
    give(shape.narrow ? Cause::narrow_load : Cause::load, shape.narrow ? loaded_narrow : loaded);
    if (shape.writeback) { result(shape.base, Cause::load, at_once); }
    break;
  case Class::store:
    record.kind = Kind::store;
    record.shift = shape.shifted_offset ? 1 : 0;
    if (shape.writeback) { result(shape.base, Cause::load, at_once); }
    break;
  case Class::load_pair:
  case Class::load_many: { // [a9-ldrd, a9-ldm, a9-ldm-one, a9-ldm-pc, a9-ldm-last]
    record.kind = Kind::block;
    unsigned const words = shape.kind == Class::load_pair ? 2 : shape.words;
    record.cost = static_cast<std::uint8_t>(words == 1 && !shape.to_pc ? 2 : words);
    record.refill = 4;
    for (std::size_t i = 0; i < shape.targets.size(); ++i) {
      bool const late = words > 1 && i + 1 == shape.targets.size();
      result(shape.targets[i], Cause::load, late ? loaded : at_once);
    }
    if (shape.writeback) { result(shape.base, Cause::load, at_once); }
    break;
  }
  case Class::store_pair:
  case Class::store_many: { // [a9-strd, a9-stm, a9-stm-one]
    record.kind = Kind::block;
    unsigned const words = shape.kind == Class::store_pair ? 2 : shape.words;
    record.cost = static_cast<std::uint8_t>(words == 1 ? 2 : words);
    if (shape.writeback) { result(shape.base, Cause::load, at_once); }
    break;
  }
  case Class::swap: // [a9-swp]
    record.kind = Kind::block;
    record.cost = 2;
    give(shape.narrow ? Cause::narrow_load : Cause::load, shape.narrow ? loaded_narrow : loaded);
    break;
  case Class::branch: // [a9-branch, a9-thumb-bl]
    record.cost = shape.split ? 2 : 1;
    record.refill = 2;
    give(Cause::issue, at_once);
    break;
  case Class::status_read: // [a9-mrs]
    record.cost = 2;
    give(Cause::issue, at_once);
    break;
  case Class::status_write: // [a9-msr, a9-msr-flags]: bits 19-16 choose the fields
    record.cost = ((shape.word >> 16) & 15) == 8 ? 1 : 3;
    break;
  case Class::coprocessor_read: // [a9-mrc]
    give(Cause::load, loaded);
    break;
  default:
    record.refill = 2;
    give(Cause::issue, at_once);
    break;
  }
}

} // namespace neuromorph::cycles
