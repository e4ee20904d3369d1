// SPDX-License-Identifier: BSL-1.0
#include "machine.hpp"

#include <array>
#include <bit>

namespace neuromorph::cycles {

/// Unicorn's callbacks, which are plain functions.
struct Machine::Hooks {
  static void code(uc_engine*, std::uint64_t address, std::uint32_t, void* machine) {
    static_cast<Machine*>(machine)->on_code(static_cast<std::uint32_t>(address));
  }
  static void access(uc_engine*, uc_mem_type type, std::uint64_t address, int size, std::int64_t, void* machine) {
    static_cast<Machine*>(machine)->on_access(type, static_cast<std::uint32_t>(address), static_cast<unsigned>(size));
  }
  static void exception(uc_engine*, std::uint32_t number, void* machine) {
    static_cast<Machine*>(machine)->on_exception(number);
  }
  static bool invalid(uc_engine*, uc_mem_type type, std::uint64_t address, int, std::int64_t, void* machine) {
    return static_cast<Machine*>(machine)->on_invalid(type, static_cast<std::uint32_t>(address));
  }

  template <class Which, Which Machine::*device>
  static std::uint64_t read(uc_engine*, std::uint64_t offset, unsigned size, void* machine) {
    auto* const self = static_cast<Machine*>(machine);
    std::uint32_t const word = (self->*device).read(static_cast<std::uint32_t>(offset & ~3ULL), self->pipeline_.now());
    std::uint32_t const shifted = word >> (8 * (offset & 3));
    return size >= 4 ? shifted : shifted & ((1U << (8 * size)) - 1);
  }
  template <class Which, Which Machine::*device>
  static void write(uc_engine*, std::uint64_t offset, unsigned size, std::uint64_t value, void* machine) {
    auto* const self = static_cast<Machine*>(machine);
    auto const at = static_cast<std::uint32_t>(offset & ~3ULL);
    auto word = static_cast<std::uint32_t>(value);
    if (size < 4) { // priority registers are written by the byte
      std::uint32_t const mask = ((1U << (8 * size)) - 1) << (8 * (offset & 3));
      word = ((self->*device).read(at, self->pipeline_.now()) & ~mask) | ((word << (8 * (offset & 3))) & mask);
    }
    (self->*device).write(at, word, self->pipeline_.now());
    self->check_at_ = 0;
  }
  template <class Which, Which Machine::*device>
  static bool map(Machine& machine, std::uint32_t base) {
    return uc_mmio_map(machine.uc_, base, 4096, read<Which, device>, &machine, write<Which, device>, &machine) ==
           UC_ERR_OK;
  }
  template <class Function>
  static void add(Machine& machine, int type, Function function) {
    uc_hook handle = 0;
    uc_hook_add(machine.uc_, &handle, type, reinterpret_cast<void*>(function), &machine, 1, 0);
  }
};

Machine::Machine(Elf const& elf, Setup setup, Measures& measures)
    : elf_(elf), setup_(std::move(setup)), measures_(measures), pipeline_(setup_.core),
      decoder_(setup_.core, setup_.refill) {
  host_.output = setup_.output;
  host_.command_line = setup_.command_line;
  host_.clock_hz = setup_.clock_hz;
  host_access_ = {[this](std::uint32_t at) { return load_word(at); },
                  [this](std::uint32_t at) {
                    std::uint8_t byte = 0;
                    uc_mem_read(uc_, at, &byte, 1);
                    return byte;
                  },
                  [this](std::uint32_t at, std::uint32_t value) { store_word(at, value); },
                  [this](std::uint32_t at, std::uint8_t value) { uc_mem_write(uc_, at, &value, 1); }};
}

Machine::~Machine() {
  if (uc_ != nullptr) { uc_close(uc_); }
}

std::uint32_t Machine::get(int reg) const {
  std::uint32_t value = 0;
  uc_reg_read(uc_, reg, &value);
  return value;
}

void Machine::set(int reg, std::uint32_t value) { uc_reg_write(uc_, reg, &value); }

std::uint32_t Machine::load_word(std::uint32_t address) const {
  std::uint8_t bytes[4] = {};
  uc_mem_read(uc_, address, bytes, 4);
  return bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24;
}

void Machine::store_word(std::uint32_t address, std::uint32_t value) {
  std::uint8_t const bytes[4] = {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
                                 static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 24)};
  uc_mem_write(uc_, address, bytes, 4);
}

std::string Machine::disassembly(Record const& record) const {
  std::uint8_t bytes[4] = {};
  uc_mem_read(uc_, record.address, bytes, record.size);
  return decoder_.text(record.address, record.thumb, {bytes, record.size});
}

void Machine::fail(std::string text) {
  if (error_.empty()) { error_ = std::move(text); }
  uc_emu_stop(uc_);
}

void Machine::redirect(std::uint32_t address, bool thumb) {
  redirect_ = address | (thumb ? 1U : 0U);
  uc_emu_stop(uc_);
}

std::optional<Failure> Machine::map_memory() {
  for (Region const& region : setup_.map.regions()) {
    if (uc_mem_map(uc_, region.base, region.size, UC_PROT_ALL) != UC_ERR_OK) {
      return Failure{"memory region '" + region.name + "' cannot be mapped"};
    }
  }
  bool mapped = true;
  if (setup_.core == Core::arm9e) {
    mapped = Hooks::map<DualTimer, &Machine::timer_>(*this, setup_.timer_base);
  } else {
    mapped = Hooks::map<SystemControl, &Machine::system_>(*this, SystemControl::base) &&
             Hooks::map<CycleCounter, &Machine::counter_>(*this, CycleCounter::base);
  }
  if (!mapped) { return Failure{"a memory region overlaps the timer's page"}; }
  // A page nobody else uses, below what a Cortex-M may not execute.
  for (trap_ = 0x9ffff000; setup_.map.find(trap_) != nullptr; trap_ -= 4096) {}
  uc_mem_map(uc_, trap_, 4096, UC_PROT_ALL);
  return std::nullopt;
}

std::optional<Failure> Machine::load_image() {
  for (Segment const& segment : elf_.segments()) {
    Region const* const first = setup_.map.find(segment.address);
    std::uint32_t const last = segment.address + std::max<std::uint32_t>(segment.memory_size, 1) - 1;
    Region const* const end =
        setup_.map.find(segment.bytes.empty() ? segment.address
                                              : segment.address + static_cast<std::uint32_t>(segment.bytes.size()) - 1);
    if (first == nullptr || end == nullptr) {
      return Failure{"the segment at " + hex(segment.address) + " to " + hex(last) +
                     " lies outside every memory region"};
    }
    if (!segment.bytes.empty()) { uc_mem_write(uc_, segment.address, segment.bytes.data(), segment.bytes.size()); }
  }
  return std::nullopt;
}

/// As reset does: a Cortex-M takes stack and entry from its vector table, if the image has one.
std::uint32_t Machine::start_address() {
  auto const& regions = setup_.map.regions();
  std::uint32_t const data_top = regions.size() > 1 ? static_cast<std::uint32_t>(regions[1].base + regions[1].size)
                                                    : static_cast<std::uint32_t>(regions[0].base + regions[0].size);
  std::uint32_t stack = setup_.stack.value_or(data_top);
  std::uint32_t entry = elf_.entry();
  Symbol const* const symbol = elf_.at(entry & ~1U);
  if (setup_.core == Core::cortex_m4) {
    std::uint32_t const table = elf_.segments().front().address;
    std::uint32_t const reset = load_word(table + 4);
    bool const plausible = (reset & 1) != 0 && setup_.map.find(reset) != nullptr && reset != 0 &&
                           (load_word(table) & 3) == 0 && setup_.map.find(load_word(table) - 4) != nullptr;
    system_.set_vector_table(table);
    if (plausible) {
      if (!setup_.stack) { stack = load_word(table); }
      if ((reset & ~1U) == (entry & ~1U) || symbol == nullptr) { entry = reset; }
    }
    entry |= 1;
  }
  if (!setup_.entry.empty()) {
    auto const address = elf_.resolve(setup_.entry);
    if (!address) {
      error_ = "there is no symbol '" + setup_.entry + "' to start at";
      return 0;
    }
    Symbol const* const named = elf_.named(setup_.entry);
    entry = *address | (setup_.core == Core::cortex_m4 || (named != nullptr && named->thumb) ? 1U : 0U);
  }
  host_.stack_base = stack;
  host_.heap_limit = stack - std::min<std::uint32_t>(stack, 0x2000);
  host_.stack_limit = host_.heap_limit;
  Symbol const* heap = elf_.named("end");
  if (heap == nullptr) { heap = elf_.named("_end"); }
  host_.heap_base = heap != nullptr ? (heap->address + 7) & ~7U : 0;
  if (Region const* const region = setup_.map.find(host_.heap_base); region != nullptr && host_.heap_base != 0) {
    host_.heap_limit = std::min(host_.heap_limit, static_cast<std::uint32_t>(region->base + region->size - 8));
  }
  set(UC_ARM_REG_SP, stack);
  set(UC_ARM_REG_LR, trap_ | (setup_.core == Core::cortex_m4 ? 1U : 0U));
  return entry;
}

std::optional<Failure> Machine::prepare() {
  bool const m = setup_.core == Core::cortex_m4;
  auto const mode = static_cast<uc_mode>(m ? UC_MODE_THUMB | UC_MODE_MCLASS : UC_MODE_ARM);
  if (uc_open(UC_ARCH_ARM, mode, &uc_) != UC_ERR_OK) { return Failure{"Unicorn cannot emulate ARM here"}; }
  // The ARM946E-S is an ARM9E-S with tightly coupled memories and no address translation, like the ARM968E-S.
  uc_ctl_set_cpu_model(uc_, m ? UC_CPU_ARM_CORTEX_M4 : UC_CPU_ARM_946);
  if (auto failure = map_memory()) { return failure; }
  if (auto failure = load_image()) { return failure; }
  Hooks::add(*this, UC_HOOK_CODE, &Hooks::code);
  Hooks::add(*this, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, &Hooks::access);
  Hooks::add(*this, UC_HOOK_INTR, &Hooks::exception);
  Hooks::add(*this, UC_HOOK_MEM_INVALID, &Hooks::invalid);
  if (!m) { set(UC_ARM_REG_CPSR, 0xd3); } // supervisor mode, interrupts off, as after reset
  return std::nullopt;
}

std::optional<Failure> Machine::run() {
  if (auto failure = prepare()) { return failure; }
  std::uint32_t at = start_address();
  if (!error_.empty()) { return Failure{error_}; }
  for (std::size_t i = 0; i < setup_.arguments.size() && i < 4; ++i) {
    set(UC_ARM_REG_R0 + static_cast<int>(i), setup_.arguments[i]);
  }
  executing_ = at & ~1U;
  while (!done_) {
    redirect_.reset();
    uc_err const result = uc_emu_start(uc_, at, 0xffffffffffffULL, 0, 0);
    if (!error_.empty()) { return Failure{error_}; }
    if (done_) { break; }
    if (redirect_) {
      at = *redirect_;
      continue;
    }
    if (result == UC_ERR_INSN_INVALID || result == UC_ERR_EXCEPTION) {
      return Failure{"undefined instruction " + hex(load_word(executing_)) + " at " + here()};
    }
    if (result != UC_ERR_OK) { return Failure{"execution stopped at " + here() + ": " + uc_strerror(result)}; }
    return Failure{"execution stopped without a reason at " + here()};
  }
  return std::nullopt;
}

bool Machine::on_invalid(uc_mem_type type, std::uint32_t address) {
  bool const fetch = type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT;
  bool const write = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
  if (fetch) {
    fail("jump to " + hex(address) + ", where there is no memory, from " + here());
  } else {
    fail(std::string(write ? "write to " : "read of ") + hex(address) + ", where there is no memory, at " + here());
  }
  return false;
}

void Machine::on_exception(std::uint32_t number) {
  constexpr std::uint32_t exception_return = 8;
  constexpr std::uint32_t no_coprocessor = 17;
  if (number == exception_return) {
    return_m(get(UC_ARM_REG_PC));
  } else if (number == no_coprocessor) {
    fail("floating-point or coprocessor instruction while its unit is off, at " + here());
  } else if (number == 7) {
    fail("breakpoint at " + here());
  } else {
    fail("undefined instruction " + hex(load_word(executing_)) + " at " + here());
  }
}

void Machine::on_access(uc_mem_type type, std::uint32_t address, unsigned size) {
  bool const write = type == UC_MEM_WRITE;
  if (current_ == nullptr) { return; }
  bool const odd = (address & (std::min(size, 4U) - 1)) != 0 ||
                   (setup_.core == Core::arm9e && current_->record.pair && accesses_ == 0 && (address & 7) != 0);
  ++accesses_;
  if (odd) {
    if (setup_.core == Core::arm9e || current_->record.kind == Kind::block) {
      fail("unaligned " + std::string(write ? "write to " : "read of ") + hex(address) + " at " + here());
      return;
    }
    pipeline_.charge(Cause::unaligned, size == 4 && (address & 1) != 0 ? 2 : 1); // [m4-unaligned]
  }
  if (Region const* const region = setup_.map.find(address)) {
    unsigned const words = size > 4 ? 2 : 1;
    if (write) {
      pipeline_.charge(Cause::write_wait, std::uint64_t{region->write_wait} * words);
      forget(address, size);
    } else {
      pipeline_.charge(Cause::read_wait, std::uint64_t{region->read_wait} * words);
    }
  }
}

/// Code was written over: what was known of it is void.
void Machine::forget(std::uint32_t address, unsigned size) {
  if (address > highest_line_ + 3 || address + size <= lowest_line_) { return; }
  std::uint32_t const number = address >> 12;
  auto const page = pages_.find(number);
  if (page == pages_.end()) { return; }
  std::uint32_t const first = (address & 0xfff) / 2;
  bool known = false;
  for (std::uint32_t at = first == 0 ? 0 : first - 1; at < std::min((address & 0xfff) + size, 4096U);) {
    if (at * 2 >= (address & 0xfff) + size) { break; }
    known |= page->second->line[at] != nullptr;
    page->second->line[at++] = nullptr;
  }
  if (!known) { return; }
  none_.behind = none_.elsewhere = nullptr;
  for (Line& line : lines_) { line.behind = line.elsewhere = nullptr; }
}

/// The line at `address`, which is executed behind the last one: nearly always where it went before.
Line& Machine::next_line(std::uint32_t address) {
  Line*& guess = address == last_->record.address + last_->record.size ? last_->behind : last_->elsewhere;
  if (guess == nullptr || guess->record.address != address) { guess = &line_at(address); }
  last_ = guess;
  return *last_;
}

Line& Machine::line_at(std::uint32_t address) {
  std::uint32_t const number = address >> 12;
  if (number != last_page_number_) {
    auto& page = pages_[number];
    if (!page) { page = std::make_unique<Page>(); }
    last_page_ = page.get();
    last_page_number_ = number;
  }
  Line*& known = last_page_->line[(address & 0xfff) / 2];
  if (known == nullptr) {
    std::uint8_t bytes[4] = {};
    if (uc_mem_read(uc_, address, bytes, 4) != UC_ERR_OK) { uc_mem_read(uc_, address, bytes, 2); }
    bool const thumb = setup_.core == Core::cortex_m4 || (get(UC_ARM_REG_CPSR) & 0x20) != 0;
    Line& line = lines_.emplace_back();
    line.record = decoder_.decode(address, thumb, bytes);
    if (line.record.size == 0) {
      // Unicorn will say whether it is one; if Capstone alone does not know it, count one cycle.
      line.record.size = thumb ? 2 : 4;
    }
    if (Region const* const region = setup_.map.find(address)) {
      line.record.fetch_wait = static_cast<std::uint8_t>(region->fetch_wait);
    }
    line.record.marked = measures_.begins_or_ends_at(address);
    line.record.in_it = in_it_.contains(address);
    line.record.at_once &= !line.record.in_it;
    known = &line;
    lowest_line_ = std::min(lowest_line_, address);
    highest_line_ = std::max(highest_line_, address);
    if (line.record.kind == Kind::it_block) { note_it_block(line); }
  }
  return *known;
}

/// Unicorn jumps over the instructions of an IT block whose condition fails, without a word; to charge them,
/// their addresses are kept.
void Machine::note_it_block(Line const& line) {
  std::uint32_t const mask = load_word(line.record.address) & 15;
  unsigned const count = 4 - static_cast<unsigned>(std::countr_zero(mask | 16U));
  std::uint32_t address = line.record.address + line.record.size;
  for (unsigned i = 0; i < count; ++i) {
    in_it_.insert(address);
    std::uint8_t bytes[4] = {};
    uc_mem_read(uc_, address, bytes, 4);
    address += (bytes[1] >> 3) >= 0x1d ? 4 : 2;
  }
}

void Machine::skip_failed_in_it(std::uint32_t from, std::uint32_t next) {
  while (from != next) {
    Line& line = line_at(from);
    if (!line.record.in_it) { return; }
    pipeline_.begin(line.record, {}, line.tally);
    pipeline_.finish_failed();
    from += line.record.size;
  }
}

void Machine::retire(std::uint32_t next) {
  Line& line = *current_;
  Record const& record = line.record;
  current_ = nullptr;
  if (!passed_) {
    pipeline_.finish_failed();
    return;
  }
  std::uint32_t const behind = record.address + record.size;
  bool const taken = record.branches && (!record.by_outcome || next != behind);
  pipeline_.finish(record, decoder_.results(record), cost_, taken);
  if (!taken && next != behind && (record.in_it || record.kind == Kind::it_block)) { skip_failed_in_it(behind, next); }
}

namespace {

/// Whether the even conditions hold, a bit for each value of the flags N, Z, C, V.
constexpr std::array<std::uint16_t, 8> holds = [] {
  std::array<std::uint16_t, 8> bits{};
  for (unsigned flags = 0; flags < 16; ++flags) {
    bool const n = (flags & 8) != 0;
    bool const z = (flags & 4) != 0;
    bool const c = (flags & 2) != 0;
    bool const v = (flags & 1) != 0;
    bool const even[8] = {z, c, n, v, c && !z, n == v, !z && n == v, true};
    for (std::size_t i = 0; i < 8; ++i) { bits[i] = static_cast<std::uint16_t>(bits[i] | unsigned{even[i]} << flags); }
  }
  return bits;
}();

} // namespace

bool Machine::condition_holds(std::uint8_t condition) const {
  std::uint32_t const flags = get(UC_ARM_REG_CPSR) >> 28;
  return (holds[condition >> 1] >> flags & 1) != (condition & 1U);
}

/// [m4-div] Early termination by the lengths of the operands; 2 to 12 is documented, the slope inferred.
unsigned Machine::divide_cost(Record const& record) const {
  auto const value = [&](int which) {
    std::uint8_t const reg = record.divide[which];
    int const name = reg == 13 ? UC_ARM_REG_SP : reg == 14 ? UC_ARM_REG_LR : UC_ARM_REG_R0 + reg;
    std::uint32_t const bits = get(name);
    return record.divide_signed && (bits >> 31) != 0 ? 0 - bits : bits;
  };
  std::uint32_t const dividend = value(0);
  std::uint32_t const divisor = value(1);
  if (divisor == 0 || dividend < divisor) { return 2; }
  unsigned const quotient_bits = static_cast<unsigned>(std::countl_zero(divisor) - std::countl_zero(dividend)) + 1U;
  return std::min(12U, 2 + (quotient_bits + 3) / 4 + (quotient_bits > 16 ? 2U : 0U));
}

[[gnu::noinline, gnu::cold]] void Machine::fail_at_limit(std::uint32_t address) {
  fail("the limit of " + std::to_string(setup_.limit) + " instructions is reached at " + elf_.place(address));
}

void Machine::on_code(std::uint32_t address) {
  if (!error_.empty() || done_) {
    uc_emu_stop(uc_);
    return;
  }
  if (current_ != nullptr) { retire(address); }
  if (address == trap_) {
    measures_.returned(address, get(UC_ARM_REG_SP), pipeline_.total());
    done_ = true;
    uc_emu_stop(uc_);
    return;
  }
  if (!active_.empty() && active_.back().return_address == address) { notice_arm_return(address); }
  if (pipeline_.now() >= check_at_ && take_interrupt(address)) { return; }
  if (pipeline_.total().instructions >= setup_.limit) {
    fail_at_limit(address);
    return;
  }
  executing_ = address;
  Line& line = next_line(address);
  Record const& record = line.record;
  if (measures_.may_return_to(address)) { measures_.returned(address, get(UC_ARM_REG_SP), pipeline_.total()); }
  if (record.marked) { measures_.arrive(address, get(UC_ARM_REG_SP), get(UC_ARM_REG_LR), pipeline_.total()); }
  if (record.at_once || (record.either_way && !setup_.listing && pipeline_.is_settled())) {
    pipeline_.begin(record, decoder_.uses(record), line.tally);
    pipeline_.finish(record, decoder_.results(record), record.cost, false);
    return;
  }
  accesses_ = 0;
  cost_ = record.kind == Kind::divide ? divide_cost(record) : record.cost;
  passed_ = record.condition >= 14 || record.by_outcome || condition_holds(record.condition);
  pipeline_.begin(record, decoder_.uses(record), line.tally);
  current_ = &line;
  if (passed_ && record.kind >= Kind::sleep && record.kind <= Kind::exception_number) { execute_special(line); }
}

/// What the machine does itself, in Unicorn's place.
void Machine::execute_special(Line& line) {
  Record const& record = line.record;
  std::uint32_t const behind = record.address + record.size;
  retire(behind);
  if (record.kind == Kind::sleep) {
    sleep();
    if (error_.empty()) { redirect(behind, record.thumb); }
    return;
  }
  if (record.kind == Kind::exception_number) {
    unsigned const target = load_word(record.address) >> 24 & 15;
    set(target == 14 ? UC_ARM_REG_LR : UC_ARM_REG_R0 + static_cast<int>(target),
        active_.empty() ? 0 : active_.back().number);
    redirect(behind, true);
    return;
  }
  if (record.kind == Kind::supervisor) {
    if (setup_.core == Core::arm9e) {
      enter_arm(0x08, 0x13, behind, behind, record.thumb);
    } else {
      enter_m(SystemControl::svcall, behind);
    }
    return;
  }
  std::uint32_t const reason = get(UC_ARM_REG_R0);
  set(UC_ARM_REG_R0, host_.call(reason, get(UC_ARM_REG_R1), pipeline_.now(), host_access_));
  if (host_.ended()) {
    done_ = true;
    uc_emu_stop(uc_);
    return;
  }
  redirect(behind, record.thumb);
}

} // namespace neuromorph::cycles
