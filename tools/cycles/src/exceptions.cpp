// SPDX-License-Identifier: BSL-1.0
/// \file
/// Interrupts and returns from them, for both cores. Unicorn has the banked registers; what a chip's
/// interrupt logic does is done here.
#include "machine.hpp"

namespace neuromorph::cycles {
namespace {

constexpr std::uint32_t irq_mode = 0x12;
constexpr std::uint32_t irq_off = 0x80;
constexpr std::uint32_t thumb_bit = 0x20;
constexpr unsigned arm_entry_cost = 3; // [a9-exception]
constexpr unsigned m_entry_cost = 12;  // [m4-exception]
constexpr unsigned m_return_cost = 12;
constexpr unsigned m_tail_chain_cost = 6; // [m4-tail-chain]
constexpr unsigned frame_words = 8;

} // namespace

std::uint64_t Machine::next_event() const {
  return setup_.core == Core::arm9e ? timer_.next_event() : system_.next_event();
}

unsigned Machine::execution_priority() const {
  unsigned priority = SystemControl::lowest;
  for (Active const& active : active_) { priority = std::min(priority, active.priority); }
  std::uint32_t const base = get(UC_ARM_REG_BASEPRI) & 0xff;
  if (base != 0) { priority = std::min(priority, base); }
  if ((get(UC_ARM_REG_PRIMASK) & 1) != 0) { priority = 0; }
  return priority;
}

/// True if the instruction at `address` gives way to an interrupt.
bool Machine::take_interrupt(std::uint32_t address) {
  std::uint64_t const now = pipeline_.now();
  if (setup_.core == Core::arm9e) {
    timer_.advance(now);
    // While the line is up, the mask is looked at before every instruction.
    check_at_ = timer_.interrupt() ? 0 : timer_.next_event();
    std::uint32_t const status = get(UC_ARM_REG_CPSR);
    if (!timer_.interrupt() || (status & irq_off) != 0) { return false; }
    enter_arm(0x18, irq_mode, address + 4, address, (status & thumb_bit) != 0);
    return true;
  }
  system_.advance(now);
  if (system_.reset_requested()) {
    done_ = true;
    uc_emu_stop(uc_);
    return true;
  }
  check_at_ = system_.anything_pending() ? 0 : system_.next_event();
  if (in_it_.contains(address)) {
    check_at_ = 0;
    return false;
  }
  auto const exception = system_.candidate(execution_priority());
  if (!exception) { return false; }
  system_.clear_pending(*exception);
  enter_m(*exception, address);
  return true;
}

void Machine::sleep() {
  std::uint64_t const wake = next_event();
  if (setup_.core == Core::arm9e) {
    timer_.advance(pipeline_.now());
    if (timer_.interrupt()) { return; }
  } else {
    system_.advance(pipeline_.now());
    if (system_.anything_pending()) { return; }
  }
  if (wake == never) {
    fail("asleep with no interrupt to come at " + here());
    return;
  }
  if (wake > pipeline_.now()) { pipeline_.charge(Cause::idle, wake - pipeline_.now()); }
  check_at_ = 0;
}

void Machine::enter_arm(std::uint32_t vector, std::uint32_t mode, std::uint32_t link, std::uint32_t resume,
                        bool thumb) {
  std::uint32_t const status = get(UC_ARM_REG_CPSR);
  ++exceptions_taken_;
  measures_.exception_entered(pipeline_.total());
  pipeline_.charge(Cause::exception, arm_entry_cost);
  active_.push_back({0, 0, resume, status & 0x1f, {}});
  set(UC_ARM_REG_CPSR, (status & ~(0x1fU | thumb_bit)) | mode | irq_off);
  set(UC_ARM_REG_SPSR, status | (thumb ? thumb_bit : 0));
  set(UC_ARM_REG_LR, link);
  check_at_ = 0;
  redirect(vector, false);
}

/// The ARM9 has no return instruction of its own: back where it was, in the mode it was in.
void Machine::notice_arm_return(std::uint32_t address) {
  if (setup_.core != Core::arm9e) { return; }
  while (!active_.empty() && active_.back().return_address == address &&
         (get(UC_ARM_REG_CPSR) & 0x1f) == active_.back().mode) {
    active_.pop_back();
    measures_.exception_left(pipeline_.total());
    check_at_ = 0;
  }
}

void Machine::stack_m(std::uint32_t resume, Active& active, std::uint32_t& link) {
  std::uint32_t const control = get(UC_ARM_REG_CONTROL);
  bool const process_stack = active_.empty() && (control & 2) != 0;
  link = !active_.empty() ? 0xfffffff1 : (process_stack ? 0xfffffffd : 0xfffffff9);
  std::uint32_t const before = get(UC_ARM_REG_SP);
  std::uint32_t const stack = (before - 4 * frame_words) & ~7U;
  std::uint32_t const status = get(UC_ARM_REG_XPSR) | ((before & 4) != 0 ? 1U << 9 : 0U);
  std::uint32_t const frame[frame_words] = {get(UC_ARM_REG_R0),
                                            get(UC_ARM_REG_R1),
                                            get(UC_ARM_REG_R2),
                                            get(UC_ARM_REG_R3),
                                            get(UC_ARM_REG_R12),
                                            get(UC_ARM_REG_LR),
                                            resume,
                                            status};
  for (unsigned i = 0; i < frame_words; ++i) { store_word(stack + 4 * i, frame[i]); }
  set(UC_ARM_REG_SP, stack);
  if (process_stack) { set(UC_ARM_REG_CONTROL, control & ~2U); }
  // The volatile float registers are kept beside the frame, not in it: the hardware stacks them lazily.
  for (int i = 0; i < 8; ++i) {
    std::uint64_t value = 0;
    uc_reg_read(uc_, UC_ARM_REG_D0 + i, &value);
    active.floats.push_back(value);
  }
  std::uint32_t float_status = get(UC_ARM_REG_FPSCR);
  active.floats.push_back(float_status);
}

void Machine::enter_m(unsigned exception, std::uint32_t resume) {
  std::uint32_t link = 0;
  Active active{exception, system_.priority_of(exception), ~0U, 0, {}};
  stack_m(resume, active, link);
  ++exceptions_taken_;
  measures_.exception_entered(pipeline_.total());
  pipeline_.charge(Cause::exception, m_entry_cost);
  active_.push_back(std::move(active));
  jump_to_vector(exception, link);
}

void Machine::jump_to_vector(unsigned exception, std::uint32_t link) {
  std::uint32_t const handler = load_word(system_.vector_table() + 4 * exception);
  system_.set_active(exception);
  set(UC_ARM_REG_LR, link);
  check_at_ = 0;
  if ((handler & 1) == 0) {
    fail("exception " + std::to_string(exception) + " has no handler in the vector table, taken at " + here());
    return;
  }
  redirect(handler & ~1U, true);
}

void Machine::return_m(std::uint32_t magic) {
  if (active_.empty()) {
    fail("exception return outside any exception at " + here());
    return;
  }
  // Entry and return costs include their refill.
  if (current_ != nullptr) {
    Line& line = *current_;
    current_ = nullptr;
    pipeline_.finish(line.record, decoder_.results(line.record), cost_, false);
  }
  Active const active = std::move(active_.back());
  active_.pop_back();
  system_.advance(pipeline_.now());
  auto const next = system_.candidate(execution_priority());
  if (next) { // straight into the next handler, the frame stays
    system_.clear_pending(*next);
    pipeline_.charge(Cause::exception, m_tail_chain_cost);
    ++exceptions_taken_;
    measures_.exception_left(pipeline_.total());
    measures_.exception_entered(pipeline_.total());
    active_.push_back({*next, system_.priority_of(*next), ~0U, 0, active.floats});
    jump_to_vector(*next, magic | 1);
    return;
  }
  pipeline_.charge(Cause::exception, m_return_cost);
  measures_.exception_left(pipeline_.total());
  if ((magic & 0xc) == 0xc) { set(UC_ARM_REG_CONTROL, get(UC_ARM_REG_CONTROL) | 2); }
  std::uint32_t const stack = get(UC_ARM_REG_SP);
  std::uint32_t frame[frame_words];
  for (unsigned i = 0; i < frame_words; ++i) { frame[i] = load_word(stack + 4 * i); }
  int const names[6] = {UC_ARM_REG_R0, UC_ARM_REG_R1, UC_ARM_REG_R2, UC_ARM_REG_R3, UC_ARM_REG_R12, UC_ARM_REG_LR};
  for (int i = 0; i < 6; ++i) { set(names[i], frame[i]); }
  set(UC_ARM_REG_SP, stack + 4 * frame_words + ((frame[7] & (1U << 9)) != 0 ? 4 : 0));
  set(UC_ARM_REG_APSR_NZCVQG, frame[7] & 0xf80f0000);
  for (int i = 0; i < 8; ++i) { uc_reg_write(uc_, UC_ARM_REG_D0 + i, &active.floats[static_cast<std::size_t>(i)]); }
  set(UC_ARM_REG_FPSCR, static_cast<std::uint32_t>(active.floats[8]));
  system_.set_active(active_.empty() ? 0 : active_.back().number);
  check_at_ = 0;
  redirect(frame[6] & ~1U, true);
}

} // namespace neuromorph::cycles
