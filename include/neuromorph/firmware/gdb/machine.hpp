// SPDX-License-Identifier: BSL-1.0
/// \file
/// What the stub asks of a machine: registers, memory, where a step leads, what a breakpoint is.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_MACHINE_HPP
#define NEUROMORPH_FIRMWARE_GDB_MACHINE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <neuromorph/config.hpp>
#include <neuromorph/offer.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// Why a program has stopped, in gdb's numbers.
enum class Signal : std::uint8_t {
  control_c = 2,
  illegal_instruction = 4,
  trap = 5,
  abort = 6,
  arithmetic = 8,
  bus_error = 10,
  bad_access = 11,
};

enum class Access : std::uint8_t {
  read,  ///< flash: breakpoints there are for hardware
  write, ///< read and written, also by breakpoints
};
/// Memory that the debugger may touch, and what stands in no table it may not. It is read in words where it can be.
struct Region {
  std::uint32_t begin, bytes;
  Access access = Access::write;
};

/// Registers of a kind, as gdb's target descriptions name them.
struct Feature {
  const char* name;       ///< org.gnu.gdb.arm.core
  const char* registers;  ///< their names, a space between two
  unsigned bits;          ///< of each, a multiple of 8
  const char* type = "";  ///< of each, or nothing
  const char* types = ""; ///< XML that declares it, or nothing
  const char* group = ""; ///< of registers in gdb, as in `info vector`, or nothing
};

/// A place of code. `kind` is gdb's: 2 and 3 are Thumb, 4 is ARM.
struct Place {
  std::uint32_t address;
  std::uint8_t kind;
};
/// The instruction that stops the program, as memory holds it; no bytes where there is no such kind.
struct BreakInstruction {
  std::uint32_t value;
  std::uint8_t bytes;
};

/// gdb's numbers behind Z and z.
enum class Stop : std::uint8_t { software_break, hardware_break, write, read, access };

namespace detail {
struct AnyRead {
  std::uint32_t operator()(std::uint32_t address, unsigned bytes) const noexcept;
};
} // namespace detail

/// `Registers` lies in memory as gdb reads it, in the order of `features`. `load` and `store` reach memory of the regions, at
/// addresses aligned to the bytes, 1, 2 or 4, as the machine orders them. `flush` is told each place where code was written.
///
/// What it has besides, it says in `Offers`: HardwareStop, HardwareStep.
template <class Candidate>
concept Machine = requires(Candidate& machine, typename Candidate::Registers& registers, Place place,
                           std::uint32_t address, unsigned bytes, std::uint32_t value, detail::AnyRead read) {
  requires std::is_trivially_copyable_v<typename Candidate::Registers>;
  { Candidate::architecture } -> std::convertible_to<const char*>;
  { Candidate::features[0] } -> std::convertible_to<const Feature&>;
  { machine.pc(registers) } -> std::same_as<std::uint32_t&>;
  { machine.here(registers) } -> std::same_as<Place>;
  { machine.next(registers, read) } -> std::same_as<Place>;
  { machine.break_instruction(place.kind) } -> std::same_as<BreakInstruction>;
  { machine.load(address, bytes) } -> std::same_as<std::uint32_t>;
  machine.store(address, bytes, value);
  machine.flush(address, bytes);
};

} // namespace gdb
} // namespace firmware

namespace offer {
/// `bool hardware_stop(gdb::Stop kind, std::uint32_t address, std::uint32_t bytes, bool insert)`: whether a unit does so;
/// `void clear_hardware_stops()`: none is left.
struct HardwareStop {
  int hardware_stop;
  template <class Part>
  static auto find() -> decltype(&Part::hardware_stop);
};
/// `bool hardware_step(bool on)`: whether the machine stops by itself after the next instruction.
struct HardwareStep {
  int hardware_step;
  template <class Part>
  static auto find() -> decltype(&Part::hardware_step);
};
} // namespace offer

namespace firmware {
namespace gdb {
namespace detail {

/// Says where a machine offers something else than it has.
template <class Candidate>
consteval bool is_complete_machine() {
  using neuromorph::detail::is_said;
  using neuromorph::detail::offers;
  static_assert(Machine<Candidate>,
                "neuromorph: the machine of a gdb stub lacks something of the concept gdb::Machine; see "
                "docs/debugging.md");
  if constexpr (Machine<Candidate>) { // else another sentence says it
    static_assert(neuromorph::detail::says_offers<Candidate>,
                  "neuromorph: a machine lacks 'using Offers', an offer::List of what it has of 'HardwareStop' and "
                  "'HardwareStep'; see docs/debugging.md");
    static_assert(is_said<Candidate, offer::HardwareStop>(),
                  "neuromorph: a machine has 'hardware_stop', and its 'Offers' lacks 'offer::HardwareStop'; see "
                  "docs/debugging.md");
    static_assert(is_said<Candidate, offer::HardwareStep>(),
                  "neuromorph: a machine has 'hardware_step', and its 'Offers' lacks 'offer::HardwareStep'; see "
                  "docs/debugging.md");
    static_assert(
        !offers<Candidate, offer::HardwareStop> ||
            requires(Candidate & machine, Stop kind, std::uint32_t word) {
              bool{machine.hardware_stop(kind, word, word, true)};
              machine.clear_hardware_stops();
            },
        "neuromorph: a machine offers 'HardwareStop' and lacks 'bool hardware_stop(Stop kind, std::uint32_t address, "
        "std::uint32_t bytes, bool insert)' or 'void clear_hardware_stops()'; see docs/debugging.md");
    static_assert(
        !offers<Candidate, offer::HardwareStep> || requires(Candidate & machine) { bool{machine.hardware_step(true)}; },
        "neuromorph: a machine offers 'HardwareStep' and lacks 'bool hardware_step(bool on)'; see docs/debugging.md");
  }
  return true;
}

} // namespace detail
} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
