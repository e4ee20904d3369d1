// SPDX-License-Identifier: BSL-1.0
/// \file
/// An emulated ARM968E-S with SpiNNaker's memory map and devices, on which cores of one image take turns.
///
/// What a core does goes on until it sleeps, so time does not pass within it. An interrupt that wakes a core is taken at once, also where it
/// is masked. Handlers come before what the sleeper does next, as they do where it unmasks them first. At an address that is no multiple of
/// the size, the bytes there are read, which the chip does not.
// host-only
// needs: unicorn/unicorn.h
#ifndef NEUROMORPH_MACHINE_DETAIL_EMULATED_PROCESSOR_HPP
#define NEUROMORPH_MACHINE_DETAIL_EMULATED_PROCESSOR_HPP

#include <unicorn/unicorn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/memory.hpp>
#include <neuromorph/machine/router.hpp>
#include <neuromorph/protocols/aplx.hpp>
#include <neuromorph/runtime/image_head.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/device/spinnaker.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

namespace detail {

namespace chip = target::spinnaker;

/// An image as it lies in the memories of a core, once its table has been followed.
struct EmulatedImage {
  static constexpr std::uint32_t page = 4096;
  std::vector<std::uint8_t> code = std::vector<std::uint8_t>(chip::code_memory_bytes);
  std::vector<std::uint8_t> data = std::vector<std::uint8_t>(chip::data_memory_bytes);
  std::uint32_t entry = 0, code_bytes = 0;
  runtime::ImageHead head{};
  std::uint32_t data_pages = 0, stack_pages = 0; ///< bytes of variables and of stacks, whole pages

  [[nodiscard]] static neuromorph::Answer<EmulatedImage> of(std::span<const std::uint8_t> file) {
    using Kind = protocols::AplxBlock::Kind;
    EmulatedImage made;
    protocols::AplxReader reader(file);
    for (;;) {
      const auto block = reader.next();
      if (!block) return refused(std::string("its table: ") + describe(block.why));
      if (block.value.kind == Kind::end) return refused("its table ends without a beginning of the program");
      if (block.value.kind == Kind::execute) {
        made.entry = block.value.to;
        break;
      }
      if (block.value.kind == Kind::copy) return refused("its table copies from where nothing is yet");
      const std::uint32_t count = block.value.kind == Kind::fill ? block.value.from : block.value.length;
      const std::span<std::uint8_t> to = made.memory(block.value.to, count);
      if (to.size() != count) return refused("its table writes where a core has no memory of its own");
      if (block.value.kind == Kind::fill)
        for (std::size_t at = 0; at < count; ++at)
          to[at] = static_cast<std::uint8_t>(block.value.length >> 8 * (at % 4));
      else
        std::copy_n(reader.bytes(block.value).begin(), count, to.begin());
      if (block.value.kind == Kind::copy_relative && block.value.to < chip::code_memory_bytes) made.code_bytes += count;
    }
    if (!made.find_head()) return refused("it is no image of a vertex with the runtime of this library");
    return made;
  }

private:
  [[nodiscard]] static Refusal refused(std::string why) {
    return {{Error::file_malformed, 0, 0, "image"}, "the image", std::move(why)};
  }
  [[nodiscard]] std::span<std::uint8_t> memory(std::uint32_t address, std::uint32_t count) {
    if (address < chip::code_memory_bytes && count <= chip::code_memory_bytes - address)
      return std::span(code).subspan(address, count);
    if (address >= chip::data_memory && address - chip::data_memory < chip::data_memory_bytes &&
        count <= chip::data_memory_bytes - (address - chip::data_memory))
      return std::span(data).subspan(address - chip::data_memory, count);
    return {};
  }
  [[nodiscard]] bool find_head() {
    for (std::uint32_t at = 0; at + sizeof head <= 1024; at += 4) {
      std::memcpy(&head, code.data() + at, sizeof head);
      if (head.mark[0] != runtime::ImageHead::first_mark || head.mark[1] != runtime::ImageHead::second_mark) continue;
      const std::uint32_t top = chip::data_memory + chip::data_memory_bytes;
      if (head.data_end < chip::data_memory || head.data_end > head.stack_begin || head.stack_begin > top ||
          head.name[sizeof head.name - 1] != '\0' || head.block < chip::data_memory ||
          head.block > head.data_end - sizeof(runtime::RuntimeBlock) || head.counters > 1024 ||
          head.counts < chip::data_memory || head.counts > head.data_end - 4 * head.counters)
        return false;
      data_pages = (head.data_end - chip::data_memory + page - 1) / page * page;
      stack_pages = (top - head.stack_begin + page - 1) / page * page;
      if (data_pages + stack_pages >= chip::data_memory_bytes)
        data_pages = chip::data_memory_bytes - page, stack_pages = page;
      return true;
    }
    return false;
  }
};

/// A core while it is not on a processor: its memories, its devices, and what its monitor knows.
struct EmulatedCore {
  std::vector<std::uint8_t> data{};    // its variables, and its stacks behind
  std::vector<std::uint8_t> context{}; // registers, as the processor keeps them
  Memory sdram{chip::sdram, 128U << 20}, system_ram{chip::system_ram, 32U << 10};
  std::vector<SentPacket> packets{}; // that have come, the first at `read`
  std::size_t read = 0, presented = 0;
  Router* router = nullptr; // of its chip, if it is told
  // Registers of devices.
  std::uint32_t enabled = 0, is_fast = 0, timer = 0, flags = 0, payload = 0;
  std::uint32_t dma_chip = 0, dma_core = 0;
  bool is_timer_due = false, is_mail_due = false, has_payload = false, is_dma_done = false;
  std::uint32_t answer = 0;  // to the last message of a host: its code, 0 where none has come
  std::uint32_t logged = 0;  // bytes of the log that were told
  bool has_given_up = false; // only the emulator knows why

  /// The words that its monitor and it share.
  [[nodiscard]] static constexpr std::uint32_t in_block(std::size_t offset) noexcept {
    return chip::CoreBlock::base + 128 + static_cast<std::uint32_t>(offset); // of core 1
  }
  [[nodiscard]] std::uint8_t system_byte(std::uint32_t address) const {
    std::uint8_t made = 0;
    static_cast<void>(system_ram.read(address, std::span(&made, 1)));
    return made;
  }
  void put_system_byte(std::uint32_t address, std::uint8_t value) {
    static_cast<void>(system_ram.write(address, std::span(&value, 1)));
  }
};

/// A processor, on which cores of one image take turns.
class EmulatedProcessor {
public:
  static constexpr std::uint32_t own_number = 1; ///< virtual and physical, of each core
  /// Blocks of instructions without a branch that a core runs without sleeping before it is taken for hung.
  static constexpr std::uint64_t most_blocks = 50'000'000;

  static std::unique_ptr<EmulatedProcessor> make(const EmulatedImage& image) {
    std::unique_ptr<EmulatedProcessor> made(new EmulatedProcessor(image));
    return made->begin() ? std::move(made) : nullptr;
  }
  ~EmulatedProcessor() {
    if (engine_ != nullptr) uc_close(engine_);
  }
  EmulatedProcessor(const EmulatedProcessor&) = delete;
  EmulatedProcessor& operator=(const EmulatedProcessor&) = delete;

  /// As a chip does it: the image is in memory, registers are those of a reset.
  void reset(EmulatedCore& core, Outbox& out) {
    core.data.assign(image_.data.begin(), image_.data.begin() + image_.data_pages);
    core.data.resize(image_.data_pages + image_.stack_pages);
    core.context = first_context_;
    core.enabled = core.is_fast = core.timer = core.payload = 0;
    core.flags = 1U << own_number; // it will wait for sync 0
    core.is_timer_due = core.is_mail_due = core.has_payload = core.is_dma_done = false;
    core.packets.clear(), core.read = core.presented = 0, core.logged = 0, core.has_given_up = false;
    enter(core, out);
    set(UC_ARM_REG_CPSR, 0xD3);
    set(UC_ARM_REG_R0, 30); // an application's number; it does not wait for the signal `start`
    go(image_.entry);
    settle();
    leave();
  }
  /// Until it sleeps and nothing wakes it.
  void wake(EmulatedCore& core, Outbox& out) {
    enter(core, out);
    settle();
    leave();
  }
  /// each(number) of the vertex's state; the core stays as it is.
  template <class Each>
  void each_of_state(EmulatedCore& core, Each each) {
    Outbox unused;
    enter(core, unused);
    told_.clear(), is_telling_ = true;
    set(UC_ARM_REG_R0, telling_address);
    set(UC_ARM_REG_LR, trap);
    go(image_.head.state);
    is_telling_ = false;
    for (const std::uint32_t one : told_) each(one);
    core_ = nullptr; // registers and stack are as before
  }

private:
  static constexpr std::uint32_t trap = 0xF6000000;            // the boot ROM, to which no program returns
  static constexpr std::uint32_t telling_address = 0xE6000000; // which nobody writes

  explicit EmulatedProcessor(const EmulatedImage& image) : image_(image) {}

  [[nodiscard]] bool begin() {
    if (uc_open(UC_ARCH_ARM, UC_MODE_ARM, &engine_) != UC_ERR_OK) return false;
    // The ARM946E-S is an ARM9E-S with tightly coupled memories and no address translation, like the ARM968E-S.
    uc_ctl_set_cpu_model(engine_, UC_CPU_ARM_946);
    bool is_right = uc_mem_map(engine_, 0, chip::code_memory_bytes, UC_PROT_READ | UC_PROT_EXEC) == UC_ERR_OK &&
                    uc_mem_write(engine_, 0, image_.code.data(), image_.code.size()) == UC_ERR_OK;
    const auto map = [&](std::uint32_t base, std::uint32_t bytes, auto& memory) {
      memory.reset(static_cast<std::uint8_t*>(std::aligned_alloc(EmulatedImage::page, bytes)));
      return memory != nullptr &&
             uc_mem_map_ptr(engine_, base, bytes, UC_PROT_READ | UC_PROT_WRITE, memory.get()) == UC_ERR_OK;
    };
    is_right = is_right && map(chip::data_memory, image_.data_pages, variables_) &&
               map(chip::data_memory + chip::data_memory_bytes - image_.stack_pages, image_.stack_pages, stacks_);
    // Devices have two names, by one of which writes are buffered on a chip.
    constexpr std::uint32_t page = EmulatedImage::page, names = 0x10000000;
    for (const std::uint32_t name : {0U, names}) {
      is_right = is_right && device<&EmulatedProcessor::communications>(chip::communications::base + name, page);
      is_right = is_right && device<&EmulatedProcessor::timer>(chip::timer::base + name, page);
      is_right = is_right && device<&EmulatedProcessor::interrupt_controller>(chip::interrupts::base + name, page);
      is_right = is_right && device<&EmulatedProcessor::dma>(chip::dma::base + name, page);
      is_right = is_right && device<&EmulatedProcessor::controller>(chip::controller::base - name, page);
      is_right = is_right && device<&EmulatedProcessor::router>(0xF1000000 - name, 0x20000);
      is_right = is_right && map_memory<&EmulatedCore::sdram>(chip::sdram + name, 128U << 20);
      is_right = is_right && map_memory<&EmulatedCore::system_ram>(chip::system_ram + name, 32U << 10);
    }
    is_right = is_right && device<&EmulatedProcessor::telling>(telling_address, page);
    uc_hook hook = 0;
    is_right = is_right &&
               uc_hook_add(engine_, &hook, UC_HOOK_BLOCK, reinterpret_cast<void*>(on_block), this, 1, 0) == UC_ERR_OK;
    is_right = is_right && uc_hook_add(engine_, &hook, UC_HOOK_INTR, reinterpret_cast<void*>(on_exception), this, 1,
                                       0) == UC_ERR_OK;
    if (!is_right) return false;
    first_context_.resize(uc_context_size(engine_));
    uc_context* context = nullptr;
    if (uc_context_alloc(engine_, &context) != UC_ERR_OK) return false;
    context_.reset(context);
    if (uc_context_save(engine_, context) != UC_ERR_OK) return false;
    std::memcpy(first_context_.data(), context, first_context_.size());
    return true;
  }

  // --- turns -------------------------------------------------------------------------------------------------------

  void enter(EmulatedCore& core, Outbox& out) {
    core_ = &core, out_ = &out;
    std::memcpy(variables_.get(), core.data.data(), image_.data_pages);
    std::memcpy(stacks_.get(), core.data.data() + image_.data_pages, image_.stack_pages);
    std::memcpy(static_cast<void*>(context_.get()), core.context.data(), core.context.size());
    uc_context_restore(engine_, context_.get());
  }
  void leave() {
    EmulatedCore& core = *core_;
    uc_context_save(engine_, context_.get());
    std::memcpy(core.context.data(), static_cast<const void*>(context_.get()), core.context.size());
    std::memcpy(core.data.data(), variables_.get(), image_.data_pages);
    std::memcpy(core.data.data() + image_.data_pages, stacks_.get(), image_.stack_pages);
    tell_log();
    core_ = nullptr;
  }
  [[nodiscard]] std::uint32_t get(int reg) const {
    std::uint32_t value = 0;
    uc_reg_read(engine_, reg, &value);
    return value;
  }
  void set(int reg, std::uint32_t value) { uc_reg_write(engine_, reg, &value); }

  /// From an address until it sleeps; a fault leads to its vector, as on the chip.
  void go(std::uint32_t at) {
    if ((get(UC_ARM_REG_CPSR) & 0x20) != 0) at |= 1;
    blocks_ = 0;
    for (unsigned faults = 0;; ++faults) {
      exception_ = 0;
      const uc_err error = uc_emu_start(engine_, at, trap, 0, 0);
      if (blocks_ > most_blocks) return give_up("it does not sleep any more");
      if (error == UC_ERR_OK && exception_ == 0) return;
      if (faults == 2) return give_up("its handler of faults has a fault");
      at = enter_fault(error);
    }
  }
  /// \return its vector
  [[nodiscard]] std::uint32_t enter_fault(uc_err error) {
    const std::uint32_t at = get(UC_ARM_REG_PC), status = get(UC_ARM_REG_CPSR);
    std::uint32_t mode = 0x1B, vector = 0x04; // undefined instruction
    const char* what = "an instruction that this processor does not have";
    if (exception_ == 2) mode = 0x13, vector = 0x08, what = "a supervisor call";
    if (error == UC_ERR_FETCH_UNMAPPED || error == UC_ERR_FETCH_PROT)
      mode = 0x17, vector = 0x0C, what = "a jump to where no code is";
    if (error == UC_ERR_READ_UNMAPPED || error == UC_ERR_WRITE_UNMAPPED || error == UC_ERR_WRITE_PROT ||
        error == UC_ERR_READ_PROT)
      mode = 0x17, vector = 0x10, what = "an access to an address without memory";
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(), "emulated core stopped: %s, at %08x", what, static_cast<unsigned>(at));
    out_->lines.emplace_back(out_->from, text.data());
    set(UC_ARM_REG_CPSR, 0xC0 | mode);
    set(UC_ARM_REG_SPSR, status);
    set(UC_ARM_REG_LR, at + (vector == 0x10 ? 8 : 4));
    return vector;
  }
  void give_up(const char* why) {
    out_->lines.emplace_back(out_->from, std::string("emulated core stopped: ") + why);
    core_->has_given_up = true;
  }

  /// Interrupts that wait are taken, the fast one first, until none is left.
  void settle() {
    EmulatedCore& core = *core_;
    for (unsigned taken = 0; !core.has_given_up; ++taken) {
      const std::uint32_t pending = raw() & core.enabled;
      if (pending == 0) return;
      if (taken == 10'000) return give_up("its handler leaves an interrupt that comes again and again");
      const bool is_fast = (pending & core.is_fast) != 0;
      core.presented = 0; // of what has come, some more may be seen
      const std::uint32_t status = get(UC_ARM_REG_CPSR), at = get(UC_ARM_REG_PC);
      set(UC_ARM_REG_CPSR, is_fast ? 0xD1 : (status & 0x40) | 0x92);
      set(UC_ARM_REG_SPSR, status);
      set(UC_ARM_REG_LR, at + 4);
      go(is_fast ? 0x1C : 0x18);
    }
  }
  [[nodiscard]] std::uint32_t raw() const {
    const EmulatedCore& core = *core_;
    return (core.read < core.packets.size() ? chip::interrupts::of_packets : 0) |
           (core.is_timer_due ? chip::interrupts::of_timer : 0) |
           (core.is_mail_due ? chip::interrupts::of_monitor : 0) | (core.is_dma_done ? chip::interrupts::of_dma : 0);
  }

  // --- devices -----------------------------------------------------------------------------------------------------

  /// `word`: what was read, or what is written.
  using Device = void (EmulatedProcessor::*)(std::uint32_t offset, bool writes, std::uint32_t& word);
  template <Device function>
  [[nodiscard]] bool device(std::uint32_t base, std::uint32_t bytes) {
    const auto read = [](uc_engine*, std::uint64_t offset, unsigned size, void* self) -> std::uint64_t {
      std::uint32_t word = 0;
      (static_cast<EmulatedProcessor*>(self)->*function)(static_cast<std::uint32_t>(offset) & ~3U, false, word);
      word >>= 8 * (offset % 4);
      return size >= 4 ? word : word & ((1U << 8 * size) - 1);
    };
    const auto write = [](uc_engine*, std::uint64_t offset, unsigned, std::uint64_t value, void* self) {
      auto word = static_cast<std::uint32_t>(value);
      (static_cast<EmulatedProcessor*>(self)->*function)(static_cast<std::uint32_t>(offset) & ~3U, true, word);
    };
    return uc_mmio_map(engine_, base, bytes, +read, this, +write, this) == UC_ERR_OK;
  }
  void communications(std::uint32_t offset, bool writes, std::uint32_t& word) {
    EmulatedCore& core = *core_;
    namespace cc = chip::communications;
    // So many come while a handler runs; on a chip others would come later.
    constexpr std::size_t most = 16;
    const bool has = core.read < core.packets.size() && core.presented < most;
    if (writes) {
      if (offset == cc::transmit_data - cc::base) core.payload = word, core.has_payload = true;
      if (offset == cc::transmit_key - cc::base)
        out_->packets.push_back({.key = word,
                                 .payload = core.has_payload ? core.payload : 0,
                                 .from = out_->from,
                                 .has_payload = core.has_payload}),
            core.has_payload = false;
      return;
    }
    const SentPacket& first = has ? core.packets[core.read] : none_;
    switch (cc::base + offset) {
    case cc::transmit_status: word = cc::has_room | 1U << 31; break;
    case cc::receive_status: word = has ? cc::has_packet | (first.has_payload ? cc::has_payload : 0) : 0; break;
    case cc::receive_data: word = first.payload; break;
    case cc::receive_key:
      word = first.key;
      if (has && ++core.presented, has && ++core.read == core.packets.size()) core.packets.clear(), core.read = 0;
      break;
    default: break;
    }
  }
  void timer(std::uint32_t offset, bool writes, std::uint32_t& word) {
    namespace of = chip::timer;
    if (!writes) word = offset == of::control - of::base ? core_->timer : 0;
    if (writes && offset == of::control - of::base) core_->timer = word;
    if (writes && offset == of::clear - of::base) core_->is_timer_due = false;
  }
  void interrupt_controller(std::uint32_t offset, bool writes, std::uint32_t& word) {
    EmulatedCore& core = *core_;
    namespace of = chip::interrupts;
    switch (of::base + offset) {
    case of::status: word = raw() & core.enabled & ~core.is_fast; break;
    case of::fast_status: word = raw() & core.enabled & core.is_fast; break;
    case of::raw: word = raw(); break;
    case of::select: writes ? core.is_fast = word : word = core.is_fast; break;
    case of::enable: writes ? core.enabled |= word : word = core.enabled; break;
    case of::disable: core.enabled &= writes ? ~word : ~0U; break;
    default: break;
    }
  }
  void dma(std::uint32_t offset, bool writes, std::uint32_t& word) {
    EmulatedCore& core = *core_;
    namespace of = chip::dma;
    const std::uint32_t which = of::base + offset;
    if (!writes) {
      word = which == of::status         ? own_number << 24 | (core.is_dma_done ? of::is_done : 0)
             : which == of::chip_address ? core.dma_chip
             : which == of::core_address ? core.dma_core
                                         : 0;
      return;
    }
    if (which == of::chip_address) core.dma_chip = word;
    if (which == of::core_address) core.dma_core = word;
    if (which == of::control && (word & of::clear_done) != 0) core.is_dma_done = false;
    if (which != of::description) return;
    const std::uint32_t bytes = word & 0x1FFFF;
    std::vector<std::uint8_t>& buffer = buffer_;
    buffer.resize(bytes);
    const bool is_sdram = core.dma_chip >> 28 == 6 || core.dma_chip >> 28 == 7;
    const bool is_system = core.dma_chip >> 24 == 0xE5 || core.dma_chip >> 24 == 0xF5;
    Memory* const of_chip = is_sdram ? &core.sdram : &core.system_ram;
    const std::uint32_t there = is_sdram    ? chip::sdram | (core.dma_chip & 0x0FFFFFFFU)
                                : is_system ? chip::system_ram | (core.dma_chip & 0x00FFFFFFU)
                                            : 0;
    const bool is_whole =
        (word & of::to_chip) != 0
            ? uc_mem_read(engine_, core.dma_core, buffer.data(), bytes) == UC_ERR_OK && of_chip->write(there, buffer)
            : of_chip->read(there, buffer) && uc_mem_write(engine_, core.dma_core, buffer.data(), bytes) == UC_ERR_OK;
    if (!is_whole) give_up("its DMA controller was given an address without memory");
    core.is_dma_done = true;
  }
  void controller(std::uint32_t offset, bool writes, std::uint32_t& word) {
    EmulatedCore& core = *core_;
    namespace of = chip::controller;
    const std::uint32_t which = of::base + offset;
    if (!writes) {
      word = which == of::flags ? core.flags : 0; // locks are free: nobody else is there
      return;
    }
    if ((word & 0xFFF00000U) != of::code) return;
    if (which == of::clear_interrupt && (word >> own_number & 1) != 0) core.is_mail_due = false;
    if (which == of::set_interrupt && (word & 1) != 0) read_mailbox();
  }
  /// All cores of a chip have the same, and run on several threads.
  void router(std::uint32_t offset, bool writes, std::uint32_t& word) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    Router* const of = core_->router;
    if (!writes)
      word = of == nullptr ? 0 : of->read(offset);
    else if (of != nullptr)
      static_cast<void>(of->write(offset, word)); // one that can only be read stays
  }
  void telling(std::uint32_t, bool writes, std::uint32_t& word) {
    if (writes && is_telling_) told_.push_back(word);
  }
  template <Memory EmulatedCore::*memory>
  [[nodiscard]] bool map_memory(std::uint32_t base, std::uint32_t bytes) {
    const auto read = [](uc_engine*, std::uint64_t offset, unsigned size, void* self) -> std::uint64_t {
      const Memory& of = static_cast<EmulatedProcessor*>(self)->core_->*memory;
      std::array<std::uint8_t, 8> there{};
      static_cast<void>(of.read(of.base() + static_cast<std::uint32_t>(offset), std::span(there).first(size)));
      std::uint64_t word = 0;
      std::memcpy(&word, there.data(), sizeof word);
      return word;
    };
    const auto write = [](uc_engine*, std::uint64_t offset, unsigned size, std::uint64_t value, void* self) {
      Memory& of = static_cast<EmulatedProcessor*>(self)->core_->*memory;
      std::array<std::uint8_t, 8> there{};
      std::memcpy(there.data(), &value, sizeof value);
      static_cast<void>(of.write(of.base() + static_cast<std::uint32_t>(offset), std::span(there).first(size)));
    };
    return uc_mmio_map(engine_, base, bytes, +read, this, +write, this) == UC_ERR_OK;
  }

  /// As a monitor does when a core has something for it.
  void read_mailbox() {
    EmulatedCore& core = *core_;
    core.system_ram.put_word(chip::variables::mailbox_flags, 0);
    if (core.system_byte(EmulatedCore::in_block(offsetof(chip::CoreBlock, to_monitor))) !=
        std::uint8_t(chip::Mail::message))
      return;
    const std::uint32_t at =
        chip::system_ram |
        (core.system_ram.word(EmulatedCore::in_block(offsetof(chip::CoreBlock, to_monitor_message))) & 0x00FFFFFFU);
    std::array<std::uint8_t, sizeof(chip::Message)> bytes{};
    chip::Message message{};
    if (core.system_ram.read(at, bytes)) {
      std::memcpy(&message, bytes.data(), sizeof message);
      const std::size_t length = (std::min)(std::size_t{message.length} < chip::Message::header_bytes
                                                ? std::size_t{0}
                                                : std::size_t{message.length} - chip::Message::header_bytes,
                                            std::size_t{chip::Message::most_bytes});
      const auto* const begin = bytes.data() + offsetof(chip::Message, command);
      if (message.to_port == 0xFF)
        out_->messages.push_back({out_->from, message.tag, {begin, begin + length}});
      else
        core.answer = message.command;
      core.system_ram.put_word(at, core.system_ram.word(chip::variables::free_messages));
      core.system_ram.put_word(chip::variables::free_messages, at);
    }
    core.put_system_byte(EmulatedCore::in_block(offsetof(chip::CoreBlock, to_monitor)), 0);
  }
  /// Lines of the log that are new.
  void tell_log() {
    EmulatedCore& core = *core_;
    const std::uint32_t block = core.system_ram.word(EmulatedCore::in_block(offsetof(chip::CoreBlock, log)));
    const std::uint32_t used = block == 0 ? 0 : core.sdram.word(block + 12);
    if (used == core.logged) return;
    if (used < core.logged) core.logged = 0; // it was cleared
    std::vector<std::uint8_t> text(used - core.logged);
    if (!core.sdram.read(block + 16 + core.logged, text)) return;
    core.logged = used;
    for (auto begin = text.begin(); begin != text.end();) {
      const auto end = std::find(begin, text.end(), std::uint8_t{'\n'});
      out_->lines.emplace_back(out_->from, std::string(begin, end));
      begin = end == text.end() ? end : end + 1;
    }
  }

  static void on_block(uc_engine* engine, std::uint64_t, std::uint32_t, void* given) {
    auto* const self = static_cast<EmulatedProcessor*>(given);
    if (++self->blocks_ > most_blocks) uc_emu_stop(engine);
  }
  static void on_exception(uc_engine* engine, std::uint32_t number, void* given) {
    static_cast<EmulatedProcessor*>(given)->exception_ = number == 0 ? 1 : number;
    uc_emu_stop(engine);
  }

  struct Free {
    void operator()(std::uint8_t* memory) const noexcept { std::free(memory); }
    void operator()(uc_context* context) const noexcept { uc_context_free(context); }
  };
  const EmulatedImage& image_;
  uc_engine* engine_ = nullptr;
  std::unique_ptr<std::uint8_t[], Free> variables_{}, stacks_{}; // data memory, as far as the image has it
  std::unique_ptr<uc_context, Free> context_{};
  std::vector<std::uint8_t> first_context_{}, buffer_{};
  EmulatedCore* core_ = nullptr; // whose turn it is
  Outbox* out_ = nullptr;
  std::uint64_t blocks_ = 0;
  std::uint32_t exception_ = 0;
  bool is_telling_ = false;
  std::vector<std::uint32_t> told_{};
  SentPacket none_{};
};

} // namespace detail
} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
