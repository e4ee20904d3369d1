// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a firmware was at when it ended: cause, registers, a piece of the stack and the last lines of its log, in memory that
/// a reset leaves alone.
///
///     void on_fault(target::ArmRegisters& registers) noexcept { report.record(registers, Cause::fault); reset(); }
///     ... // after the reset, in main:
///     if (report.is_there() && report.send(mailbox.writer<"crsh">())) report.clear();
// not in the umbrella: a service of firmware
#ifndef NEUROMORPH_FIRMWARE_CRASH_HPP
#define NEUROMORPH_FIRMWARE_CRASH_HPP

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/channel.hpp>
#include <neuromorph/firmware/frames.hpp>
#include <neuromorph/target/arm/registers.hpp>
#include <neuromorph/target/device/shared_memory.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {

/// Why a program ended. tools/firmware/crash.py has the same.
enum class Cause : std::uint32_t {
  fault = 1,      ///< a Cortex-M's hard fault, or those that it can be told apart by: `CortexMFaults`
  undefined,      ///< instruction
  prefetch_abort, ///< no instruction could be fetched; a break instruction of ARMv5TE
  data_abort,     ///< no such address, or not aligned
  assertion,      ///< the argument is yours: a line, or the address of a text
  stack_overflow, ///< StackGuard
  watchdog        ///< its interrupt; the registers say where the program was
};

/// What a Cortex-M knows of a fault: CFSR, HFSR, and the addresses of memory and bus faults.
struct CortexMFaults {
  [[nodiscard]] static std::array<std::uint32_t, 4> read() noexcept {
    return {at(0xE000'ED28), at(0xE000'ED2C), at(0xE000'ED34), at(0xE000'ED38)};
  }

private:
  static std::uint32_t at(std::uintptr_t address) noexcept {
    return *reinterpret_cast<const volatile std::uint32_t*>(address); // fixed by the architecture
  }
};

/// A firmware without a log.
struct NoLog {};

namespace crash {
inline constexpr std::uint32_t magic = 0x4853'5243, version = 2;
/// Word by word; behind the stack the log, and then a CRC of all before it.
enum : std::uint32_t {
  at_magic,
  at_version,
  at_words, ///< all, with the CRC
  at_image,
  at_cause,
  at_argument,
  at_registers,                        ///< r0 to r15, and the status
  at_faults = at_registers + 17,       ///< four words of a Cortex-M
  at_stack_place = at_faults + 4,      ///< address of the first word that was copied
  at_stack_words = at_stack_place + 1, ///< how many were
  at_log_place = at_stack_words + 1,   ///< at which word of the report the records of the log begin
  at_log_words = at_log_place + 1,     ///< how many there are
  at_stack = at_log_words + 1
};
/// The kind of the records that carry a report; the token is the place of the first word.
inline constexpr std::uint32_t kind = 1;
} // namespace crash

/// \tparam StackWords  that are copied, from the stack pointer up
/// \tparam LogWords    that are kept for the newest records of the log
template <std::uint32_t StackWords = 128, std::uint32_t LogWords = 0, class Memory = target::SharedMemory>
class CrashReport {
public:
  static constexpr std::uint32_t words = crash::at_stack + StackWords + LogWords + 1;
  static_assert(
      StackWords < 1 << 15 && LogWords < 1 << 15,
      "neuromorph: a CrashReport keeps fewer than 2^15 words of the stack, and of the log; see docs/crash.md");
  /// \param place  `words` words, which start-up code does not clear and no cache holds back
  /// \param image  which program this is, as in the mailbox's head: `firmware::image()`
  /// \param lowest, above  the stack: nothing else is copied, whatever the stack pointer is
  constexpr CrashReport(std::uint32_t* place, std::uint32_t image, std::uintptr_t lowest, std::uintptr_t above) noexcept
      : place_(place), image_(image), lowest_(lowest), above_(above) {}

  /// What the break instruction that follows means: `report.announce(Cause::assertion, __LINE__); target::breakpoint();`
  void announce(Cause cause, std::uint32_t argument) noexcept {
    announced_ = true;
    cause_ = cause;
    argument_ = argument;
  }

  /// Writes all of it, over what was there. Only the first call does: a fault in here comes back to the handler.
  ///
  /// \param log  the writer of the log's channel, whose newest records go into the report
  /// \return false: it is in the middle of a report, and this one is left out; go on to the reset
  /// \cost  O(words), most of it the CRC; of a log O(its capacity), too
  template <class Log = NoLog>
  bool record(const target::ArmRegisters& registers, Cause cause, const std::array<std::uint32_t, 4>& faults = {},
              [[maybe_unused]] const Log& log = {}) noexcept {
    static_assert(LogWords != 0 || std::is_same_v<Log, NoLog>,
                  "neuromorph: a CrashReport that is given a log says how many of its words it keeps: "
                  "CrashReport<128, 64>; see docs/crash.md");
    if (is_busy_) return false;
    is_busy_ = true;
    Memory::store(place_[crash::at_magic], 0); // a reset in between leaves none
    Memory::order();
    Memory::store(place_[crash::at_version], crash::version);
    Memory::store(place_[crash::at_words], words);
    Memory::store(place_[crash::at_image], image_);
    Memory::store(place_[crash::at_cause], static_cast<std::uint32_t>(announced_ ? cause_ : cause));
    Memory::store(place_[crash::at_argument], announced_ ? argument_ : 0);
    for (std::uint32_t at = 0; at < 16; ++at) Memory::store(place_[crash::at_registers + at], registers.general[at]);
    Memory::store(place_[crash::at_registers + 16], registers.status);
    for (std::uint32_t at = 0; at < 4; ++at) Memory::store(place_[crash::at_faults + at], faults[at]);
    store_stack(registers.general[13]);
    store_log(log);
    Memory::store(place_[crash::at_magic], crash::magic);
    Memory::store(place_[words - 1], crc_of({place_, words - 1}));
    Memory::order();
    return true;
  }

  /// Whether a whole report of this layout is there. \cost as `record`
  [[nodiscard]] bool is_there() const noexcept {
    return Memory::load(place_[crash::at_magic]) == crash::magic &&
           Memory::load(place_[crash::at_version]) == crash::version &&
           Memory::load(place_[crash::at_words]) == words &&
           Memory::load(place_[words - 1]) == crc_of({place_, words - 1});
  }
  [[nodiscard]] Cause cause() const noexcept { return static_cast<Cause>(Memory::load(place_[crash::at_cause])); }
  [[nodiscard]] std::span<const std::uint32_t> all() const noexcept { return {place_, words}; }
  void clear() noexcept { Memory::store(place_[crash::at_magic], 0); }

  /// To the host, in records as long as the channel allows; false, and perhaps a part of it, if there was no room.
  template <class Writer>
  bool send(Writer writer) const noexcept {
    using Shape = typename Writer::Shape;
    if constexpr (!std::is_same_v<Shape, ChannelShape>) // known at compile time
      static_assert(Shape::longest != 0 && words + (words - 1) / Shape::longest + 1 <= Shape::capacity,
                    "neuromorph: the channel has no room for this CrashReport, whose words and a head for each of its "
                    "records fit into the Capacity; see docs/crash.md");
    const std::uint32_t most = writer.shape().longest;
    if (most == 0) return false;
    for (std::uint32_t at = 0; at < words; at += most) {
      const std::uint32_t count = words - at < most ? words - at : most;
      std::uint32_t* to = writer.begin(count);
      if (to == nullptr) return false;
      Memory::store(*to, head(crash::kind, count, at));
      for (std::uint32_t word = 0; word < count; ++word) Memory::store(*++to, Memory::load(place_[at + word]));
      writer.end(count);
    }
    return true;
  }

private:
  void store_stack(std::uint32_t pointer) noexcept {
    const std::uintptr_t from = pointer & ~std::uint32_t{3};
    const bool is_inside = from >= lowest_ && from <= above_;
    const std::uintptr_t there = is_inside ? (above_ - from) / 4 : 0;
    const auto copied = static_cast<std::uint32_t>(there < StackWords ? there : StackWords);
    Memory::store(place_[crash::at_stack_place], static_cast<std::uint32_t>(from));
    Memory::store(place_[crash::at_stack_words], copied);
    for (std::uint32_t at = 0; at < StackWords; ++at)
      Memory::store(place_[crash::at_stack + at], at < copied ? Memory::load(*word_at(from + at * 4)) : 0);
  }
  template <class Log>
  void store_log([[maybe_unused]] const Log& log) noexcept {
    constexpr std::uint32_t place = crash::at_stack + StackWords;
    std::uint32_t count = 0;
    if constexpr (!std::is_same_v<Log, NoLog>) count = log.newest({place_ + place, LogWords});
    Memory::store(place_[crash::at_log_place], place);
    Memory::store(place_[crash::at_log_words], count);
    for (std::uint32_t at = count; at < LogWords; ++at) Memory::store(place_[place + at], 0);
  }
  static const std::uint32_t* word_at(std::uintptr_t address) noexcept {
    return reinterpret_cast<const std::uint32_t*>(address);
  }
  std::uint32_t* place_;
  std::uint32_t image_;
  std::uintptr_t lowest_, above_;
  Cause cause_ = Cause::fault;
  std::uint32_t argument_ = 0;
  bool announced_ = false;
  volatile bool is_busy_ = false;
};

} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
