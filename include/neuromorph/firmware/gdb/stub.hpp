// SPDX-License-Identifier: BSL-1.0
/// \file
/// A stub of gdb's remote serial protocol: stock gdb debugs the firmware over any channel of bytes.
///
///     gdb::CortexM machine;
///     gdb::Stub stub(machine, uart, regions);
///     stub.stopped(registers, machine.signal(registers)); // in the handler of faults
///
/// While the program is stopped, its code is as it was written: breakpoints stand in it only while it runs. The debugger
/// reads and writes what the table of regions lists, and nothing else, whatever it sends.
// not in the umbrella: firmware services are included by name
#ifndef NEUROMORPH_FIRMWARE_GDB_STUB_HPP
#define NEUROMORPH_FIRMWARE_GDB_STUB_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/firmware/byte_channel.hpp>
#include <neuromorph/firmware/gdb/description.hpp>
#include <neuromorph/firmware/gdb/machine.hpp>
#include <neuromorph/firmware/gdb/packet.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace firmware {
namespace gdb {

/// What is left out costs neither code nor data; docs/debugging.md has what each costs.
struct StubOptions {
  std::size_t packet_bytes = 512; ///< of the longest packet; all registers in hexadecimal fit
  std::size_t breakpoints = 8;    ///< in memory, at a time
  std::size_t watchpoints = 0;    ///< by stepping, where no unit does it; each is of 8 bytes at most
  bool description = true;      ///< of the registers. Without it gdb takes another set, with another break instruction
  bool single_registers = true; ///< p, P; without them gdb reads and writes all
  bool binary_writes = true;    ///< X; without it `load` takes twice the bytes
  bool memory_map = false;      ///< of the regions; gdb then takes hardware breakpoints where memory is only read
  bool range_steps = false;     ///< `next` over many instructions as one request, which matters on a slow line
};

/// \cost stopped() takes as long as the debugger does. A step costs two exceptions
template <class MachineType, ByteChannel Channel, StubOptions options = StubOptions{}>
class Stub : private Packets<Channel, options.packet_bytes> {
  static_assert(detail::is_complete_machine<MachineType>());
  using Base = Packets<Channel, options.packet_bytes>;

public:
  using Registers = typename MachineType::Registers;

  /// \param regions  what the debugger may reach; what adjoins is one region, or an access over the border is refused
  constexpr Stub(MachineType& machine, Channel& channel, std::span<const Region> regions) noexcept
      : Base(channel, buffer_), machine_(machine), regions_(regions) {}

  /// The program has stopped with these registers. Serves the debugger until it says how to go on; who called restores
  /// the registers then. Waits for a debugger where there is none.
  [[gnu::cold]] void stopped(Registers& registers, Signal signal) noexcept {
    if (is_at_break(registers, false)) signal = Signal::trap; // whatever exception that is here
    lift();
    if (goes_on(registers, signal)) return;
    if (is_asked_ && signal == Signal::trap) signal = Signal::control_c;
    signal_ = signal;
    if (is_attached_ && !is_greeted_) {
      say_why();
      Base::send();
    }
    is_asked_ = false;
    do {
      Base::receive(is_greeted_);
      is_greeted_ = false;
      is_attached_ = true;
    } while (!execute(registers));
  }

  /// Looks what has come while the program runs, in the interrupt of the channel or now and then in a loop: whether the
  /// debugger wants it to stop. Then comes `stopped`, of the interrupt's frame or by `breakpoint()`.
  [[nodiscard, gnu::cold]] bool wants_stop() noexcept {
    if (!is_asked_) {
      const Seen seen = Base::poll();
      is_greeted_ = seen == Seen::begin;
      is_asked_ = seen != Seen::nothing;
    }
    return is_asked_;
  }

private:
  /// The text of the answer, or `written` where it stands in the buffer.
  using Answer = const char*;
  static constexpr Answer written = nullptr, ok = "OK", error = "E01", unknown = "";
  struct Break {
    Place place{};         // of kind 0: not used
    std::uint32_t was = 0; // the instruction there, while the program runs
  };
  struct Watch {
    std::uint32_t address = 0, bytes = 0; // 0: not used
    std::uint64_t was = 0;
  };
  static constexpr bool has_units = neuromorph::detail::offers<MachineType, offer::HardwareStop>;
  static constexpr bool has_hardware_step = neuromorph::detail::offers<MachineType, offer::HardwareStep>;
  static constexpr bool steps_itself = options.watchpoints != 0 || options.range_steps;
  static constexpr std::size_t of_step = options.breakpoints; // behind the debugger's

  static constexpr const auto& counts = detail::counts_of<MachineType>;
  static_assert(
      detail::bytes_of_registers<MachineType>() == sizeof(Registers),
      "neuromorph: the features of a gdb stub's machine are not what its 'Registers' holds; see docs/debugging.md");
  static_assert(options.packet_bytes >= 2 * sizeof(Registers) + 1,
                "neuromorph: 'packet_bytes' of a gdb stub holds all registers in hexadecimal, and one more; see "
                "docs/debugging.md");

  // --- memory ---------------------------------------------------------------------------------------------------

  [[nodiscard, gnu::cold]] bool may(std::uint32_t address, std::uint32_t bytes, Access access) const noexcept {
    for (const Region& region : regions_) {
      const std::uint32_t offset = address - region.begin;
      if (offset < region.bytes && bytes <= region.bytes - offset && region.access >= access) return true;
    }
    return false;
  }
  /// As one access.
  [[nodiscard]] bool may_at_once(std::uint32_t address, unsigned bytes, Access access) const noexcept {
    return (address & (bytes - 1)) == 0 && may(address, bytes, access);
  }
  /// What the decoder asks for: 0 and a note where it may not be read.
  [[nodiscard, gnu::cold]] std::uint32_t read(std::uint32_t address, unsigned bytes) noexcept {
    if (may_at_once(address, bytes, Access::read)) return machine_.load(address, bytes);
    is_refused_ = true;
    return 0;
  }
  [[nodiscard]] static unsigned widest(std::uint32_t address, std::uint32_t bytes) noexcept {
    if ((address & 3) == 0 && bytes >= 4) return 4;
    return (address & 1) == 0 && bytes >= 2 ? 2 : 1;
  }
  /// The n-th byte of a value as memory orders it.
  [[nodiscard]] static unsigned shift_of(unsigned at, unsigned bytes) noexcept {
    return 8 * (std::endian::native == std::endian::big ? bytes - 1 - at : at);
  }

  // --- breakpoints ----------------------------------------------------------------------------------------------

  [[nodiscard, gnu::cold]] bool is_breakable(const Place& place) noexcept {
    const unsigned bytes = machine_.break_instruction(place.kind).bytes;
    return place.kind != 0 && bytes != 0 && may_at_once(place.address, bytes, Access::write);
  }
  [[gnu::cold]] void write_code(const Place& place, std::uint32_t value) noexcept {
    const unsigned bytes = machine_.break_instruction(place.kind).bytes;
    machine_.store(place.address, bytes, value);
    machine_.flush(place.address, bytes);
  }
  [[gnu::cold]] void insert() noexcept {
    for (Break& one : breaks_) {
      if (one.place.kind == 0) continue;
      const BreakInstruction instruction = machine_.break_instruction(one.place.kind);
      one.was = machine_.load(one.place.address, instruction.bytes);
      write_code(one.place, instruction.value);
    }
    is_inserted_ = true;
  }
  /// In the other order, so that of two at one place the first gives back what was there.
  [[gnu::cold]] void lift() noexcept {
    if (!is_inserted_) return;
    is_inserted_ = false;
    for (std::size_t at = breaks_.size(); at-- != 0;)
      if (breaks_[at].place.kind != 0) write_code(breaks_[at].place, breaks_[at].was);
    breaks_[of_step].place.kind = 0;
    if constexpr (has_hardware_step) (void)machine_.hardware_step(false);
  }
  [[gnu::cold, gnu::noinline]] void forget() noexcept {
    for (Break& one : breaks_) one.place.kind = 0;
    if constexpr (has_units) machine_.clear_hardware_stops();
    if constexpr (options.watchpoints != 0)
      for (Watch& one : watches_) one.bytes = 0;
  }
  [[nodiscard, gnu::cold]] Answer set_break(const Place& place, bool insert) noexcept {
    Break* unused = nullptr;
    for (std::size_t at = 0; at < options.breakpoints; ++at) {
      Break& one = breaks_[at];
      if (one.place.kind == 0) {
        unused = &one;
      } else if (one.place.address == place.address) {
        if (!insert) one.place.kind = 0;
        return ok;
      }
    }
    if (!insert) return ok;
    if (unused == nullptr || !is_breakable(place)) return error;
    unused->place = place;
    return ok;
  }
  [[nodiscard]] std::uint64_t watched(const Watch& watch) noexcept {
    std::uint64_t value = 0;
    for (std::uint32_t at = 0; at < watch.bytes;) {
      const unsigned bytes = widest(watch.address + at, watch.bytes - at);
      value = value << 8 * bytes | machine_.load(watch.address + at, bytes);
      at += bytes;
    }
    return value;
  }
  [[nodiscard, gnu::cold]] Answer set_watch(std::uint32_t address, std::uint32_t bytes, bool insert) noexcept {
    Watch* unused = nullptr;
    for (Watch& one : watches_) {
      if (one.bytes == 0) {
        unused = &one;
      } else if (one.address == address && one.bytes == bytes) {
        if (!insert) one.bytes = 0;
        return ok;
      }
    }
    if (!insert) return ok;
    if (unused == nullptr || bytes == 0 || bytes > 8 || !may(address, bytes, Access::read)) return error;
    *unused = {address, bytes, 0};
    unused->was = watched(*unused);
    return ok;
  }
  [[nodiscard]] bool has_watches() const noexcept {
    for (const Watch& one : watches_)
      if (one.bytes != 0) return true;
    return false;
  }

  // --- going on -------------------------------------------------------------------------------------------------

  /// Whether the program stands at a break instruction of its own; behind it, if wanted.
  [[gnu::cold, gnu::noinline]] bool is_at_break(Registers& registers, bool leave) noexcept {
    const Place here = machine_.here(registers);
    const BreakInstruction instruction = machine_.break_instruction(here.kind);
    if (!may_at_once(here.address, instruction.bytes, Access::read) ||
        machine_.load(here.address, instruction.bytes) != instruction.value)
      return false;
    if (leave) machine_.pc(registers) += instruction.bytes;
    return true;
  }
  /// Lets the program stop after one instruction. False if that is not possible.
  [[nodiscard, gnu::cold]] bool plan_step(Registers& registers) noexcept {
    if constexpr (has_hardware_step)
      if (machine_.hardware_step(true)) return true;
    is_refused_ = false;
    const Place place =
        machine_.next(registers, [this](std::uint32_t address, unsigned bytes) { return read(address, bytes); });
    if (is_refused_ || !is_breakable(place)) return false;
    breaks_[of_step].place = place;
    return true;
  }
  [[nodiscard, gnu::cold]] Answer go(Registers& registers, bool step) noexcept {
    if (is_at_break(registers, true) && step) { // which was the step
      signal_ = Signal::trap;
      say_why();
      return written;
    }
    if constexpr (steps_itself) {
      moves_ = !step && has_watches() ? Moves::until_change : moves_;
      step = step || moves_ != Moves::no;
    }
    if (step && !plan_step(registers)) {
      if constexpr (steps_itself) moves_ = Moves::no;
      return error;
    }
    insert(); // so it goes on
    Base::begin();
    return written;
  }
  /// Whether this stop is only of steps that the stub takes by itself, and the next one is under way.
  [[nodiscard, gnu::cold]] bool goes_on(Registers& registers, Signal signal) noexcept {
    if constexpr (!steps_itself) return false;
    changed_ = nullptr;
    for (Watch& one : watches_) {
      if (one.bytes == 0) continue;
      const std::uint64_t now = watched(one);
      if (now != one.was) changed_ = &one;
      one.was = now;
    }
    const Moves moves = moves_;
    moves_ = Moves::no;
    if (moves == Moves::no || signal != Signal::trap || changed_ != nullptr || wants_stop()) return false;
    const Place here = machine_.here(registers);
    if (moves == Moves::in_range && here.address - range_begin_ >= range_bytes_) return false;
    for (std::size_t at = 0; at < options.breakpoints; ++at)
      if (breaks_[at].place.kind != 0 && breaks_[at].place.address == here.address) return false;
    if (is_at_break(registers, false) || !plan_step(registers)) return false;
    moves_ = moves;
    insert();
    return true;
  }

  // --- packets --------------------------------------------------------------------------------------------------

  [[gnu::cold]] void say_why() noexcept {
    Base::begin();
    Base::put('T');
    Base::put_byte(static_cast<std::uint32_t>(signal_));
    if constexpr (options.watchpoints != 0) {
      if (changed_ == nullptr) return;
      Base::put("watch:");
      Base::put_number(changed_->address);
      Base::put(';');
    }
  }
  [[nodiscard, gnu::cold]] bool two_numbers() noexcept {
    return Base::number(first_) && Base::next() == ',' && Base::number(second_);
  }
  [[gnu::cold]] void put_bytes(const std::uint8_t* bytes, std::size_t count) noexcept {
    Base::begin();
    for (std::size_t at = 0; at < count; ++at) Base::put_byte(bytes[at]);
  }
  [[nodiscard, gnu::cold]] Answer take_bytes(std::uint8_t* bytes, std::size_t count) noexcept {
    if (Base::left() != 2 * count) return error;
    for (std::size_t at = 0; at < count; ++at) {
      const int byte = Base::hex_byte();
      if (byte < 0) return error;
      bytes[at] = static_cast<std::uint8_t>(byte);
    }
    return ok;
  }
  /// Where a register lies, by its number in the description.
  [[nodiscard]] static std::size_t place_of(std::uint32_t number, std::size_t& bytes) noexcept {
    std::size_t offset = 0;
    for (std::size_t at = 0; at < counts.size(); ++at) {
      bytes = MachineType::features[at].bits / 8;
      if (number < counts[at]) return offset + number * bytes;
      number -= counts[at];
      offset += counts[at] * bytes;
    }
    return sizeof(Registers);
  }
  [[nodiscard, gnu::cold]] Answer one_register(Registers& registers, bool write) noexcept {
    std::uint32_t number = 0;
    std::size_t bytes = 0;
    if (!Base::number(number) || (write && Base::next() != '=')) return error;
    const std::size_t offset = place_of(number, bytes);
    if (offset == sizeof(Registers)) return error;
    std::uint8_t* const place = reinterpret_cast<std::uint8_t*>(&registers) + offset;
    if (write) return take_bytes(place, bytes);
    put_bytes(place, bytes);
    return written;
  }
  [[nodiscard, gnu::cold]] Answer read_memory() noexcept {
    if (!two_numbers() || !may(first_, second_, Access::read)) return error;
    std::uint32_t address = first_, bytes = second_;
    Base::begin();
    if (bytes > options.packet_bytes / 2) bytes = options.packet_bytes / 2; // gdb asks for the rest
    while (bytes != 0) {
      const unsigned now = widest(address, bytes);
      const std::uint32_t value = machine_.load(address, now);
      for (unsigned at = 0; at < now; ++at) Base::put_byte(value >> shift_of(at, now));
      address += now;
      bytes -= now;
    }
    return written;
  }
  [[nodiscard, gnu::cold]] Answer write_memory(bool is_binary) noexcept {
    if (!two_numbers() || Base::next() != ':' || !may(first_, second_, Access::write) || Base::left() < second_)
      return error;
    const std::uint32_t end = first_ + second_;
    for (std::uint32_t address = first_; address != end;) {
      const unsigned now = widest(address, end - address);
      std::uint32_t value = 0;
      for (unsigned at = 0; at < now; ++at) {
        const int byte = options.binary_writes && is_binary ? Base::binary_byte() : Base::hex_byte();
        if (byte < 0) return error;
        value |= static_cast<std::uint32_t>(byte) << shift_of(at, now);
      }
      machine_.store(address, now, value);
      address += now;
    }
    machine_.flush(first_, second_);
    return Base::left() == 0 ? ok : error;
  }
  [[nodiscard, gnu::cold]] Answer set_stop(bool insert) noexcept {
    const auto stop = static_cast<Stop>(Base::next() - '0');
    if (Base::next() != ',' || !two_numbers()) return error;
    const std::uint32_t address = first_, kind = second_;
    if (stop == Stop::software_break) return set_break({address, static_cast<std::uint8_t>(kind)}, insert);
    if constexpr (has_units)
      if (stop <= Stop::access && machine_.hardware_stop(stop, address, kind, insert)) return ok;
    if constexpr (options.watchpoints != 0)
      if (stop == Stop::write) return set_watch(address, kind, insert);
    // Without units what was asked to be a hardware breakpoint is one in memory, where that is possible.
    if (stop == Stop::hardware_break) return set_break({address, static_cast<std::uint8_t>(kind)}, insert);
    return unknown;
  }
  [[nodiscard, gnu::cold]] Answer resume(Registers& registers, char action) noexcept {
    if constexpr (options.range_steps) {
      if (action == 'r') {
        if (!two_numbers()) return error;
        range_begin_ = first_;
        range_bytes_ = second_ - first_;
        moves_ = Moves::in_range;
        return go(registers, true);
      }
    }
    const char in_lower_case = static_cast<char>(action | 0x20); // C and S name a signal, of which a firmware has none
    return in_lower_case == 'c' || in_lower_case == 's' ? go(registers, in_lower_case == 's') : unknown;
  }

  /// A piece of a long text: the packet says where it begins and how long it may be.
  class Piece {
  public:
    constexpr Piece(Stub& stub, std::uint32_t begin, std::uint32_t bytes) noexcept
        : stub_(stub), begin_(begin), bytes_(bytes) {}
    [[gnu::cold]] void put(char letter) noexcept {
      if (at_++ - begin_ < bytes_) stub_.Base::put(letter);
    }
    [[gnu::cold]] void put(const char* text) noexcept {
      while (*text != '\0') put(*text++);
    }
    void put_number(std::uint32_t value, unsigned base) noexcept {
      if (value >= base) put_number(value / base, base);
      put(digit(value % base));
    }
    [[nodiscard]] bool is_last() const noexcept { return at_ <= begin_ + bytes_; }

  private:
    Stub& stub_;
    std::uint32_t begin_, bytes_, at_ = 0;
  };
  void describe_memory(Piece& text) const noexcept {
    text.put("<memory-map>");
    for (const Region& region : regions_) {
      text.put("<memory type=\"");
      text.put(region.access == Access::write ? "ram" : "rom");
      text.put("\" start=\"0x");
      text.put_number(region.begin, 16);
      text.put("\" length=\"0x");
      text.put_number(region.bytes, 16);
      text.put("\"/>");
    }
    text.put("</memory-map>");
  }
  template <class Describe>
  [[nodiscard]] Answer transfer(Describe describe) noexcept {
    if (!two_numbers()) return error;
    if (second_ > options.packet_bytes - 1) second_ = options.packet_bytes - 1;
    Base::begin();
    Base::put('l');
    Piece text(*this, first_, second_);
    describe(text);
    if (!text.is_last()) Base::replace_first('m');
    return written;
  }
  [[nodiscard]] static constexpr detail::Draft draft_supported() {
    detail::Draft text;
    text.add("PacketSize=").add(static_cast<std::uint32_t>(options.packet_bytes - 1), 16);
    text.add(";QStartNoAckMode+;vContSupported+");
    if (options.description) text.add(";qXfer:features:read+");
    if (options.memory_map) text.add(";qXfer:memory-map:read+");
    return text;
  }
  [[gnu::cold, gnu::noinline]] Answer say(const char* text) noexcept {
    Base::begin();
    Base::put(text);
    return written;
  }
  [[nodiscard, gnu::cold]] Answer query() noexcept {
    if (Base::skip("Supported")) { // how a debugger begins: of one before it nothing is left
      forget();
      if (Base::no_acknowledgement) {
        Base::no_acknowledgement = false;
        Base::acknowledge(true);
      }
      return detail::text_of<draft_supported>.data();
    }
    if (Base::skip("StartNoAckMode")) {
      Base::no_acknowledgement = true;
      return ok;
    }
    if constexpr (options.description)
      if (Base::skip("Xfer:features:read:target.xml:")) return transfer(describe_registers<MachineType, Piece>);
    if constexpr (options.memory_map)
      if (Base::skip("Xfer:memory-map:read::")) return transfer([this](Piece& text) { describe_memory(text); });
    return unknown;
  }

  /// Where a letter stands among those of the commands: a switch over these takes half the code of one over letters.
  [[nodiscard]] static constexpr unsigned index_of(char command) noexcept {
    unsigned at = 0;
    for (const char* letters = "mMGgcsvqQZzDk?XpP"; *letters != '\0' && *letters != command; ++letters) ++at;
    return at;
  }
  [[nodiscard, gnu::cold]] Answer answer(char command, Registers& registers) noexcept {
    switch (index_of(command)) {
    case index_of('D'): // the debugger leaves
      say(ok);
      Base::send();
      [[fallthrough]];
    case index_of('k'):
      forget();
      is_attached_ = false;
      return go(registers, false);
    case index_of('?'): say_why(); return written;
    case index_of('g'): put_bytes(reinterpret_cast<const std::uint8_t*>(&registers), sizeof registers); return written;
    case index_of('G'): return take_bytes(reinterpret_cast<std::uint8_t*>(&registers), sizeof registers);
    case index_of('p'):
    case index_of('P'):
      if constexpr (options.single_registers) return one_register(registers, command == 'P');
      return unknown;
    case index_of('m'): return read_memory();
    case index_of('X'):
      if constexpr (!options.binary_writes) return unknown;
      [[fallthrough]];
    case index_of('M'): return write_memory(command == 'X');
    case index_of('Z'):
    case index_of('z'): return set_stop(command == 'Z');
    case index_of('c'):
    case index_of('s'): return resume(registers, command);
    case index_of('v'):
      if (!Base::skip("Cont")) return unknown;
      if (const char what = Base::next(); what != '?') return what == ';' ? resume(registers, Base::next()) : unknown;
      return options.range_steps ? "vCont;c;C;s;S;r" : "vCont;c;C;s;S";
    case index_of('q'):
    case index_of('Q'): return query();
    default: return unknown;
    }
  }
  /// Whether the program goes on.
  [[nodiscard, gnu::cold]] bool execute(Registers& registers) noexcept {
    const Answer text = answer(Base::next(), registers);
    if (text != written) say(text);
    if (!is_inserted_) Base::send();
    return is_inserted_;
  }

  enum class Moves : std::uint8_t { no, until_change, in_range };

  // What is small comes first: instructions reach it with less.
  Signal signal_ = Signal::trap;
  Moves moves_ = Moves::no;
  bool is_attached_ = false; // a debugger has asked, and has not left
  bool is_asked_ = false;    // to stop
  bool is_greeted_ = false;  // by a debugger that awaits no word of why
  bool is_inserted_ = false;
  bool is_refused_ = false;              // what the decoder has asked for
  std::uint32_t first_ = 0, second_ = 0; // numbers of the packet
  MachineType& machine_;
  std::span<const Region> regions_;
  const Watch* changed_ = nullptr;
  std::uint32_t range_begin_ = 0, range_bytes_ = 0;
  [[no_unique_address]] std::array<Watch, options.watchpoints> watches_{};
  std::array<Break, options.breakpoints + 1> breaks_{}; // and that of a step
  char buffer_[options.packet_bytes] = {};
};

} // namespace gdb
} // namespace firmware
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
