// SPDX-License-Identifier: BSL-1.0
/// \file
/// Runs a firmware: Unicorn executes, the pipeline counts, the devices interrupt.
#ifndef NEUROMORPH_CYCLES_MACHINE_HPP
#define NEUROMORPH_CYCLES_MACHINE_HPP

#include <unicorn/unicorn.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "decoder.hpp"
#include "devices.hpp"
#include "elf.hpp"
#include "measure.hpp"
#include "memory_map.hpp"
#include "pipeline.hpp"
#include "semihosting.hpp"
#include "status.hpp"

namespace neuromorph::cycles {

struct Setup {
  Core core = Core::arm9e;
  MemoryMap map = MemoryMap::standard(Core::arm9e);
  unsigned refill = 2;                   ///< Cortex-M4: cycles of a pipeline refill, P of the manual
  std::uint64_t limit = 2'000'000'000;   ///< instructions
  std::string entry;                     ///< symbol or address; empty: as the ELF says
  std::vector<std::uint32_t> arguments;  ///< r0-r3
  std::optional<std::uint32_t> stack;    ///< else the top of the data memory
  std::uint32_t timer_base = 0x21000000; ///< ARM9
  bool listing = true;                   ///< somebody reads `lines`: say how often conditions failed
  std::string command_line;
  std::uint64_t clock_hz = 200'000'000;
  std::function<void(std::string_view)> output = [](std::string_view) {};
};

/// One instruction that was executed, with what it took so far.
struct alignas(64) Line {
  Record record;
  Line* behind = nullptr;    ///< what follows it in memory, once that was executed next
  Line* elsewhere = nullptr; ///< what was executed next when it last went elsewhere
  Tally tally;
};

class Machine {
public:
  Machine(Elf const& elf, Setup setup, Measures& measures);
  ~Machine();
  Machine(Machine const&) = delete;
  Machine& operator=(Machine const&) = delete;

  /// Runs to the end of the firmware; a failure is one sentence with the place.
  std::optional<Failure> run();

  Account const& total() const { return pipeline_.total(); }
  std::uint32_t exit_status() const { return host_.exit_status(); }
  std::deque<Line> const& lines() const { return lines_; }
  std::string disassembly(Record const& record) const;
  std::uint64_t exceptions_taken() const { return exceptions_taken_; }

  std::uint32_t get(int reg) const;
  void set(int reg, std::uint32_t value);
  std::uint32_t load_word(std::uint32_t address) const;
  void store_word(std::uint32_t address, std::uint32_t value);

private:
  struct Hooks;
  struct Page {
    Line* line[2048] = {}; ///< by halfword
  };
  struct Active { ///< an exception that has not returned
    unsigned number = 0;
    unsigned priority = 0;
    std::uint32_t return_address = 0; ///< ARM9
    std::uint32_t mode = 0;
    std::vector<std::uint64_t> floats;
  };

  std::optional<Failure> prepare();
  std::optional<Failure> map_memory();
  std::optional<Failure> load_image();
  std::uint32_t start_address();

  void on_code(std::uint32_t address);
  void on_access(uc_mem_type type, std::uint32_t address, unsigned size);
  void on_exception(std::uint32_t number);
  bool on_invalid(uc_mem_type type, std::uint32_t address);

  Line& line_at(std::uint32_t address);
  Line& next_line(std::uint32_t address);
  void forget(std::uint32_t address, unsigned size);
  void note_it_block(Line const& line);
  void retire(std::uint32_t next);
  void skip_failed_in_it(std::uint32_t from, std::uint32_t next);
  bool condition_holds(std::uint8_t condition) const;
  unsigned divide_cost(Record const& record) const;
  void execute_special(Line& line);

  void fail(std::string text);
  void fail_at_limit(std::uint32_t address);
  void redirect(std::uint32_t address, bool thumb);
  std::string here() const { return elf_.place(executing_); }

  bool take_interrupt(std::uint32_t address);
  void sleep();
  void enter_arm(std::uint32_t vector, std::uint32_t mode, std::uint32_t link, std::uint32_t resume, bool thumb);
  void notice_arm_return(std::uint32_t address);
  void enter_m(unsigned exception, std::uint32_t resume);
  void stack_m(std::uint32_t resume, Active& active, std::uint32_t& link);
  void jump_to_vector(unsigned exception, std::uint32_t link);
  void return_m(std::uint32_t magic);
  unsigned execution_priority() const;
  std::uint64_t next_event() const;

  Elf const& elf_;
  Setup setup_;
  Measures& measures_;
  Pipeline pipeline_;
  Decoder decoder_;
  Semihosting host_;
  DualTimer timer_;
  SystemControl system_;
  CycleCounter counter_;
  HostAccess host_access_;
  uc_engine* uc_ = nullptr;

  std::unordered_map<std::uint32_t, std::unique_ptr<Page>> pages_;
  std::uint32_t last_page_number_ = ~0U;
  Page* last_page_ = nullptr;
  std::deque<Line> lines_;
  std::unordered_set<std::uint32_t> in_it_;

  std::uint32_t lowest_line_ = ~0U; ///< addresses of all lines
  std::uint32_t highest_line_ = 0;

  Line* current_ = nullptr;
  Line none_;           ///< before the first
  Line* last_ = &none_; ///< executed last
  bool passed_ = true;
  unsigned cost_ = 1;
  unsigned accesses_ = 0;
  std::uint32_t executing_ = 0;
  std::uint64_t check_at_ = 0; ///< cycle at which interrupts are looked at next
  std::vector<Active> active_;
  std::uint64_t exceptions_taken_ = 0;

  std::uint32_t trap_ = 0; ///< returning here ends the run
  std::optional<std::uint32_t> redirect_;
  bool done_ = false;
  std::string error_;
};

} // namespace neuromorph::cycles

#endif
