// SPDX-License-Identifier: BSL-1.0
/// \file
/// The target's part of a debugger in two parts: reads and writes registers and memory, sets breakpoints, lets the program go.
///
///     gdb::CortexM machine;
///     gdb::FramedLine line(uart);
///     gdb::Probe probe(machine, line, regions);
///     probe.stopped(registers, machine.signal()); // in the handler of faults
///
/// tools/gdb is the other part, which speaks with gdb, decodes instructions for steps and describes registers. Breakpoints
/// stand in memory only while the program runs: the request that lets it go brings them.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_PROBE_HPP
#define NEUROMORPH_FIRMWARE_GDB_PROBE_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/channel.hpp>
#include <neuromorph/firmware/gdb/description.hpp>
#include <neuromorph/firmware/gdb/machine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// What the host asks, the kind of a record; each has its token, and one answer of the same token. docs/debugging.md has the
/// words that follow.
enum class Request : std::uint8_t {
  refused = 1, ///< as an answer: it cannot be done, and nothing was
  hello,       ///< what the target is; stops the program
  region,      ///< one that the host may reach
  read,        ///< memory; the registers of the program are in memory, too
  write,       ///< likewise
  go,          ///< with these breakpoints. The answer comes when the program has stopped
  step,        ///< likewise, one instruction by the machine's own means
  stop,        ///< the program, if it runs
  unit,        ///< sets or clears what a unit of the machine stops at
};

/// Records to and from the host. `read` gives the words of the next one, its head first, 0 if none has come, and does not
/// wait. `write` is false, and nothing is done, where there is no room.
template <class Candidate>
concept RecordLine = requires(Candidate& line, std::span<std::uint32_t> to, std::span<const std::uint32_t> record) {
  { line.read(to) } -> std::same_as<std::uint32_t>;
  { line.write(record) } -> std::same_as<bool>;
};

/// Two channels of a mailbox, whose longest records are the probe's.
template <class Reader, class Writer>
struct ChannelLine {
  Reader reader;
  Writer writer;

  [[nodiscard]] std::uint32_t read(std::span<std::uint32_t> to) noexcept { return reader.read(to); }
  bool write(std::span<const std::uint32_t> record) noexcept { return writer.write(record); }
};

struct ProbeOptions {
  std::uint32_t longest = 31;    ///< words behind the head of a record, 19 to 255; the more, the fewer round trips
  std::uint32_t breakpoints = 9; ///< in memory, at a time, with that of a step
};

/// \cost stopped() takes as long as the debugger does
template <class MachineType, RecordLine Line, ProbeOptions options = ProbeOptions{}>
class Probe {
  static_assert(detail::is_complete_machine<MachineType>());

public:
  using Registers = typename MachineType::Registers;
  static_assert(
      detail::bytes_of_registers<MachineType>() == sizeof(Registers),
      "neuromorph: the features of a gdb probe's machine are not what its 'Registers' holds; see docs/debugging.md");
  static_assert(sizeof(Registers) % 4 == 0 && alignof(Registers) == 4,
                "neuromorph: the 'Registers' of a gdb probe's machine are words; see docs/debugging.md");
  static_assert(
      options.longest >= 2 * options.breakpoints + 1 && options.longest <= 255,
      "neuromorph: the longest record of a gdb probe has 2 words for each breakpoint and one more, and 255 at "
      "most; see docs/debugging.md");

  /// \param regions  what the debugger may reach; what adjoins is one region
  constexpr Probe(MachineType& machine, Line& line, std::span<const Region> regions) noexcept
      : machine_(machine), line_(line), regions_(regions) {}

  /// The program has stopped with these registers. Serves the host until it says how to go on; who called restores the
  /// registers then. Waits for a host where there is none.
  [[gnu::cold]] void stopped(Registers& registers, Signal signal) noexcept {
    lift();
    signal_ = static_cast<std::uint32_t>(signal);
    registers_.begin = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&registers));
    std::uint32_t answer = say_why(Request::go); // to what has let it go
    do {
      out_[0] = answer | (out_[0] & 0xFFFF'0000);
      do send();
      while (!next_request());
      is_asked_ = false;
      answer = execute();
    } while (answer != 0);
  }

  /// Looks what has come while the program runs, in the interrupt of the line or now and then in a loop: whether the host
  /// wants it to stop. Then comes `stopped`, of the interrupt's frame or by `breakpoint()`.
  [[nodiscard, gnu::cold]] bool wants_stop() noexcept {
    if (!is_asked_ && line_.read(in_) != 0) is_asked_ = is_new();
    return is_asked_;
  }

private:
  struct Break {
    Place place;
    std::uint32_t was; // the instruction there
  };
  static constexpr bool has_units = neuromorph::detail::offers<MachineType, offer::HardwareStop>;
  static constexpr bool has_hardware_step = neuromorph::detail::offers<MachineType, offer::HardwareStep>;
  static constexpr std::uint32_t version = 1;
  static constexpr std::uint32_t refused = static_cast<std::uint32_t>(Request::refused), goes_on = 0;

  /// One that has come once more gets the same answer once more.
  [[nodiscard]] bool is_new() const noexcept {
    return (in_[0] ^ out_[0]) >> 16 != 0 || kind_of(in_[0]) == static_cast<std::uint32_t>(Request::hello);
  }
  /// Waits for a request; whether it is a new one.
  [[nodiscard, gnu::cold]] bool next_request() noexcept {
    while (!is_asked_ && line_.read(in_) == 0) {}
    return is_asked_ || is_new();
  }
  [[gnu::cold]] void send() noexcept {
    (void)line_.write(std::span<const std::uint32_t>(out_).first(words_of(out_[0]) + 1));
  }
  [[nodiscard]] static constexpr std::uint32_t answer_of(Request request, std::uint32_t words) noexcept {
    return head(static_cast<std::uint32_t>(request), words);
  }
  /// Why the program has stopped, and where its registers are.
  std::uint32_t say_why(Request request, std::uint32_t words = 2) noexcept {
    out_[1] = signal_;
    out_[2] = registers_.begin;
    return answer_of(request, words);
  }

  /// Whether so many units of 1, 2 or 4 bytes, at places of their own, are in a region, or are registers.
  [[nodiscard, gnu::cold, gnu::noinline]] bool may(std::uint32_t address, std::uint32_t width, std::uint32_t count,
                                                   Access access) const noexcept {
    if (width - 1 > 3 || width == 3 || (address & (width - 1)) != 0) return false;
    const Region* region = &registers_;
    for (const Region* next = regions_.data();; region = next++) {
      const std::uint32_t offset = address - region->begin;
      if (offset < region->bytes && width * count <= region->bytes - offset && region->access >= access) return true;
      if (next == regions_.data() + regions_.size()) return false;
    }
  }
  [[gnu::cold]] void write_code(const Place& place, std::uint32_t value) noexcept {
    const unsigned bytes = machine_.break_instruction(place.kind).bytes;
    machine_.store(place.address, bytes, value);
    machine_.flush(place.address, bytes);
  }
  /// In the other order, so that of two at one place the first gives back what was there.
  [[gnu::cold, gnu::noinline]] void lift() noexcept {
    while (breaks_set_ != 0) {
      const Break& last = breaks_[--breaks_set_];
      write_code(last.place, last.was);
    }
    if constexpr (has_hardware_step) (void)machine_.hardware_step(false);
  }
  /// All of them, or none.
  [[nodiscard, gnu::cold]] bool insert() noexcept {
    const std::uint32_t* from = &in_[1];
    for (std::uint32_t left = words_of(in_[0]) / 2; left != 0; --left, from += 2) {
      const Place place{from[0], static_cast<std::uint8_t>(from[1])};
      const BreakInstruction instruction = machine_.break_instruction(place.kind);
      if (breaks_set_ == options.breakpoints || !may(place.address, instruction.bytes, 1, Access::write)) {
        lift();
        return false;
      }
      breaks_[breaks_set_++] = {place, machine_.load(place.address, instruction.bytes)};
      write_code(place, instruction.value);
    }
    return true;
  }
  /// Of memory, unit after unit in a range that is checked as a whole.
  [[nodiscard, gnu::cold]] std::uint32_t transfer(bool writes) noexcept {
    const std::uint32_t width = in_[2], count = writes ? words_of(in_[0]) - 2 : in_[3];
    if (count > options.longest || !may(in_[1], width, count, writes ? Access::write : Access::read)) return refused;
    std::uint32_t address = in_[1];
    for (std::uint32_t at = 0; at != count; ++at, address += width) {
      if (writes)
        machine_.store(address, width, in_[3 + at]);
      else
        out_[1 + at] = machine_.load(address, width);
    }
    if (!writes) return answer_of(Request::read, count);
    machine_.flush(in_[1], width * count);
    return answer_of(Request::write, 0);
  }
  [[nodiscard, gnu::cold]] std::uint32_t describe() noexcept {
    out_[3] = version | options.longest << 8 | options.breakpoints << 16 | std::uint32_t{has_units} << 24 |
              std::uint32_t{has_hardware_step} << 25;
    out_[4] = detail::code_of_machine<MachineType>;
    out_[5] = static_cast<std::uint32_t>(regions_.size());
    if constexpr (has_units) machine_.clear_hardware_stops();
    return say_why(Request::hello, 5);
  }
  [[nodiscard, gnu::cold]] std::uint32_t describe_region() noexcept {
    if (in_[1] >= regions_.size()) return refused;
    const Region& region = regions_[in_[1]];
    out_[1] = region.begin;
    out_[2] = region.bytes;
    out_[3] = static_cast<std::uint32_t>(region.access);
    return answer_of(Request::region, 3);
  }

  /// The head of the answer, without its token, or `goes_on`.
  [[nodiscard, gnu::cold]] std::uint32_t execute() noexcept {
    const auto request = static_cast<Request>(kind_of(in_[0]));
    out_[0] = in_[0]; // known from now on
    switch (request) {
    case Request::hello: return describe();
    case Request::region: return describe_region();
    case Request::read: return transfer(false);
    case Request::write: return transfer(true);
    case Request::stop: return say_why(Request::stop);
    case Request::go: return insert() ? goes_on : refused;
    case Request::step:
      if constexpr (has_hardware_step) {
        if (!insert()) return refused;
        if (machine_.hardware_step(true)) return goes_on;
        lift();
      }
      return refused;
    case Request::unit:
      if constexpr (has_units)
        if (machine_.hardware_stop(static_cast<Stop>(in_[1]), in_[2], in_[3], in_[4] != 0))
          return answer_of(Request::unit, 0);
      return refused;
    default: return refused;
    }
  }

  MachineType& machine_;
  Line& line_;
  std::span<const Region> regions_;
  Region registers_{0, sizeof(Registers)};
  bool is_asked_ = false;
  std::uint32_t signal_ = 0, breaks_set_ = 0;
  std::array<std::uint32_t, options.longest + 1> in_{}, out_{};
  std::array<Break, options.breakpoints> breaks_{};
};

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
