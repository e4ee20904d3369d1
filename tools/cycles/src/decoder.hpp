// SPDX-License-Identifier: BSL-1.0
/// \file
/// Turns an instruction word into a timing record: Capstone says what it is, the core's table what it costs.
#ifndef NEUROMORPH_CYCLES_DECODER_HPP
#define NEUROMORPH_CYCLES_DECODER_HPP

#include <capstone/capstone.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "timing.hpp"

namespace neuromorph::cycles {

/// What both cores need to know of an instruction before they give it a cost.
struct Shape {
  enum class Class : std::uint8_t {
    data,    ///< data processing
    shifted, ///< ... shifted by a register
    multiply,
    saturating,
    load,
    store,
    load_pair,
    store_pair,
    load_many,
    store_many,
    swap,
    branch,
    table_branch,
    status_read,
    status_write,
    divide,
    coprocessor_read,
    float_op,
    other,
  };
  Class kind = Class::other;
  unsigned id = 0; ///< Capstone's name of the instruction
  std::uint32_t word = 0;
  bool thumb = false;
  bool flags = false; ///< sets the flags
  bool to_pc = false;
  bool narrow = false; ///< byte or halfword
  bool shifted_offset = false;
  bool register_offset = false;
  bool arithmetic = false; ///< ADD, SUB and kin, as against logical operations and moves
  bool shifted_operand = false;
  bool wide_product = false; ///< 64-bit result
  bool half_product = false; ///< 16-bit operand: one pass of the multiplier
  bool split = false;        ///< Thumb BL of ARMv5: two instructions
  unsigned words = 1;
  bool writeback = false;
  std::uint8_t base = 0;
  std::vector<std::uint8_t> targets; ///< registers written, in order
};

class Decoder {
public:
  Decoder(Core core, unsigned refill);
  ~Decoder();
  Decoder(Decoder const&) = delete;
  Decoder& operator=(Decoder const&) = delete;

  /// A record with size 0 if the bytes are no instruction.
  Record decode(std::uint32_t address, bool thumb, std::span<std::uint8_t const> bytes);
  std::string text(std::uint32_t address, bool thumb, std::span<std::uint8_t const> bytes) const;

  std::span<Use const> uses(Record const& record) const { return {uses_.data() + record.first_use, record.use_count}; }
  std::span<Result const> results(Record const& record) const {
    return {results_.data() + record.first_result, record.result_count};
  }

private:
  void operands(cs_insn const& instruction, Shape& shape, Record& record);
  void transfer_operands(cs_arm const& arm, Shape& shape);
  void use(std::uint8_t reg, Need need = Need::execute, std::uint8_t slot = 0);
  void cost(Shape const& shape, Record& record);
  void cost_arm9e(Shape const& shape, Record& record);
  void cost_cortex_m4(Shape const& shape, Record& record);
  void result(std::uint8_t reg, Cause cause, std::array<std::uint8_t, need_count> lag);

  Core core_;
  unsigned refill_;
  csh arm_ = 0;
  csh thumb_ = 0;
  cs_insn* instruction_ = nullptr;
  std::vector<Use> uses_;
  std::vector<Result> results_;
};

} // namespace neuromorph::cycles

#endif
