// SPDX-License-Identifier: BSL-1.0
/// \file
/// The runtime of a core of SpiNNaker: it starts a vertex, and calls it for packets, ticks and messages, as hosts ask by the protocols of
/// SpiNNTools. A program is this, linked with cmake/firmware/start_spinnaker.S by cmake/firmware/spinnaker.ld:
///
///     #include <neuromorph/runtime/spinnaker.hpp>
///     using Runtime = neuromorph::runtime::Spinnaker<Cell>;
///     void runtime_start(std::uint32_t flags) { Runtime::run(flags); }
///     void runtime_interrupt() { Runtime::on_interrupt(); }
///     const Runtime::Head runtime_image_head = Runtime::image_head("cell");
///
/// Packets come by the fast interrupt into a ring of 31 (what finds it full is counted), and go to the vertex before all else. Then ticks,
/// which the timer's interrupt counts; then messages. No part of a vertex runs in an interrupt.
/// \source what hosts see: spinnaker_tools, sark/; SpiNNFrontEndCommon, c_common: simulation.c, recording.c, data_specification.c
// requires: -marm -mcpu=arm968e-s (arm)
#ifndef NEUROMORPH_RUNTIME_SPINNAKER_HPP
#define NEUROMORPH_RUNTIME_SPINNAKER_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/runtime/image_head.hpp>
#include <neuromorph/runtime/region.hpp>
#include <neuromorph/runtime/vertex.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/device/spinnaker.hpp>
#include <neuromorph/target/device/spinnaker_core.hpp>
#include <neuromorph/target/device/spinnaker_dma.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace runtime {
namespace detail {
/// An ImageHead, as the linker fills it in.
struct HeadOnChip {
  std::uint32_t mark[2] = {ImageHead::first_mark, ImageHead::second_mark};
  const std::uint32_t *data_end, *stack_begin;
  void (*state)(volatile std::uint32_t* to);
  const RuntimeBlock* block;
  const std::uint32_t* counts;
  std::uint32_t regions, counters, offers;
  char name[16] = {};
};
static_assert(sizeof(HeadOnChip) == sizeof(ImageHead));
} // namespace detail
} // namespace runtime
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

extern "C" {
/// Where the fast interrupt writes packets: status, payload, key, and a word that is unused. Behind it: where the next one is read, where
/// it is written, and how many found no room. It lies where data memory begins.
struct RuntimeRing {
  std::uint32_t packets[32][4];
  std::uint32_t read, written, lost;
};
[[gnu::section(".ring"), gnu::used]] inline volatile RuntimeRing runtime_ring;
/// This core's block of variables, for the handler of faults, too.
[[gnu::used]] inline neuromorph::target::spinnaker::CoreBlock* runtime_core_block;
/// What a program defines, see above.
[[noreturn]] void runtime_start(std::uint32_t flags);
void runtime_interrupt();
[[gnu::section(".image_head")]] extern const neuromorph::runtime::detail::HeadOnChip runtime_image_head;
[[noreturn]] void runtime_sleep();
/// By the linker's script.
extern std::uint32_t firmware_bss_end[], firmware_stack_begin[];
extern void (*firmware_init_begin[])();
extern void (*firmware_init_end[])();
}

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace runtime {

namespace detail {

namespace chip = target::spinnaker;
using target::spinnaker::word;

/// What of the runtime does not depend on the vertex. There is one on a core.
class SpinnakerServices {
public:
  using Word = std::uint32_t;
  enum State : std::uint8_t { failed = 2, waiting = 5, running = 7, sync0 = 8, sync1 = 9, paused = 10, exited = 11 };
  enum StartError : std::uint8_t { no_table = 17, wrong_region = 18, refused = 19 };

  [[nodiscard]] static chip::CoreBlock& core() noexcept { return *runtime_core_block; }
  [[nodiscard]] State state() const noexcept { return State{core().state}; }
  void set_state(State state) noexcept { core().state = state; }

  /// The core's place, its interrupts, and what is empty.
  void begin(Word flags) noexcept {
    const Word physical = word(chip::dma::status) >> 24;
    number_ = byte(chip::variables::virtual_numbers + physical), interrupt_bit_ = Word{1} << physical;
    runtime_core_block = reinterpret_cast<chip::CoreBlock*>(std::uintptr_t{chip::CoreBlock::base}) + number_;
    chip::CoreBlock& of = core();
    of.application = static_cast<std::uint8_t>(flags), of.physical = static_cast<std::uint8_t>(physical), of.error = 0;
    for (std::size_t at = 0; at < sizeof of.name; ++at) of.name[at] = runtime_image_head.name[at];
    of.user[1] = 0, of.user[2] = 0;
    clear_log();
    word(chip::interrupts::disable) = UINT32_MAX;
    word(chip::interrupts::select) = chip::interrupts::of_packets;
    word(chip::interrupts::enable) =
        chip::interrupts::of_packets | chip::interrupts::of_timer | chip::interrupts::of_monitor;
    target::SpinnakerDma::begin();
  }
  void on_interrupt() noexcept {
    const Word due = word(chip::interrupts::status);
    if ((due & chip::interrupts::of_timer) != 0) {
      word(chip::timer::clear) = 1;
      ++ticks_; // nobody else writes it
    }
    if ((due & chip::interrupts::of_monitor) == 0) return;
    word(chip::controller::clear_interrupt) = chip::controller::code + interrupt_bit_;
    has_mail_ = true;
  }
  /// Until there may be something to do.
  void sleep() noexcept {
    chip::forbid_interrupts(); // what comes from here on ends the sleep
    if (!has_packet() && !has_mail() && !(state() == running && ticks() != done_)) chip::sleep_until_interrupt();
    chip::allow_interrupts();
  }
  [[nodiscard]] static bool has_packet() noexcept { return runtime_ring.read != runtime_ring.written; }
  /// Of what has failed; nothing else happens on this core.
  [[noreturn]] void end(State state, Word error) noexcept {
    core().user[1] = block.error, core().error = static_cast<std::uint8_t>(error);
    chip::forbid_interrupts();
    set_state(state);
    runtime_sleep();
  }

  [[nodiscard]] bool may_send() noexcept {
    for (unsigned looks = 0; looks < 1000; ++looks) // a router drops what waits longer
      if ((word(chip::communications::transmit_status) & chip::communications::has_room) != 0) return true;
    ++full_transmitter_;
    return false;
  }

  // Regions: a table of address, checksum, words for each.
  /// \return whether it is a table
  [[nodiscard]] bool find_regions() noexcept {
    const Word at = core().user[0];
    if (at == 0) return true; // what the vertex needs, it misses itself
    regions_ = reinterpret_cast<volatile Word*>(std::uintptr_t{at});
    return at % 4 == 0 && regions_[0] == 0xAD130AD6U && regions_[1] == 0x00010000U;
  }
  /// The words of one, once they are what the table says; then this is told in the table.
  /// \return whether they are
  [[nodiscard]] bool take_region(unsigned number, std::span<Word>& to) noexcept {
    if (regions_ == nullptr) return true;
    volatile Word* const entry = regions_ + 2 + 3 * number;
    auto* const at = reinterpret_cast<Word*>(std::uintptr_t{entry[0]});
    const Word words = entry[2];
    Word sum = 0;
    for (Word one = 0; at != nullptr && one < words; ++one) sum += at[one];
    if (at == nullptr || sum != entry[1]) return at == nullptr;
    to = {at, words};
    entry[1] = 0;
    entry[2] = 0;
    return true;
  }
  [[nodiscard]] bool take_own_regions() noexcept {
    std::span<Word> system{};
    if (!take_region(0, system) || !take_region(1, recordings_) || !take_region(2, provenance_)) return false;
    if (system.size() >= 4) period_us_ = system[1], control_port_ = system[2];
    return true;
  }

  [[nodiscard]] bool record(unsigned channel, std::span<const Word> words) noexcept {
    const Word count = static_cast<Word>(words.size());
    volatile Word* const entry = recordings_.data() + 1 + 3 * channel; // bytes of room, bytes written, address
    if (channel < channels()) {
      const Word written = entry[1] & 0x7FFFFFFFU;
      if (count <= (entry[0] - written) / 4) {
        auto* to = reinterpret_cast<volatile Word*>(std::uintptr_t{entry[2]} + written);
        for (const Word one : words) *to++ = one;
        entry[1] = entry[1] + 4 * count;
        return true;
      }
      entry[1] = entry[1] | 0x80000000U;
    }
    block.all_lost += count;
    if (channel < recording_channels) block.lost[channel] += count;
    return false;
  }
  void forget_recordings() noexcept {
    for (unsigned channel = 0; channel < channels(); ++channel) {
      Word* const entry = recordings_.data() + 1 + 3 * channel;
      Swaps& swaps = swaps_[channel];
      if ((swaps.number & 1) != 0) entry[2] -= entry[0];
      if (swaps.number != 0) entry[0] *= 2;
      swaps.number = 0, entry[1] = 0, block.lost[channel] = 0;
    }
  }
  /// The channel goes on in the other half of its room; the message tells where the half is that it leaves, and what is in it.
  /// \return whether this is done, now or before
  [[nodiscard]] bool swap(chip::Message* of) noexcept {
    const Word channel = of->argument[0], number = of->argument[1];
    if (channel >= channels()) return false;
    Word* const entry = recordings_.data() + 1 + 3 * channel;
    Swaps& swaps = swaps_[channel];
    if (number == swaps.number + 1) {
      if (swaps.number == 0) entry[0] = entry[0] / 8 * 4;
      swaps = {number, entry[2], entry[1]};
      entry[2] += (number & 1) != 0 ? entry[0] : -entry[0];
      entry[1] = 0;
    }
    of->argument[0] = swaps.address, of->argument[1] = swaps.written;
    return number == swaps.number;
  }

  [[nodiscard]] bool send_message(unsigned tag, std::span<const std::uint8_t> bytes) noexcept {
    if (bytes.size() > most_message_bytes) return false;
    chip::Message* const of = take_message();
    if (of == nullptr) return false;
    of->flags = 0x07, of->tag = static_cast<std::uint8_t>(tag), of->to_port = 0xFF, of->to_chip = 0;
    of->from_port = static_cast<std::uint8_t>(number_);
    auto* to = reinterpret_cast<std::uint8_t*>(&of->command);
    for (const std::uint8_t byte : bytes) *to++ = byte;
    return to_monitor(of, bytes.size());
  }

  /// The log is a block in SDRAM: the next one, two times, bytes in use, bytes.
  void log(const char* line) noexcept {
    const Word room = 4 * word(chip::variables::buffer_words) - 16, used = log_()[3];
    Word length = 0;
    while (line[length] != '\0') ++length;
    if (length >= room - used) { // no part of a line that has no room
      ++lost_lines_;
      return;
    }
    auto* const to = reinterpret_cast<volatile char*>(log_() + 4) + used;
    for (Word at = 0; at < length; ++at) to[at] = line[at];
    to[length] = '\n';
    log_()[3] = used + length + 1;
  }
  /// The sentences of all errors would take half the memory that the runtime has.
  void log_refusal(Word error) noexcept {
    core().user[2] = error;
    char text[] = "the vertex refuses to start: error 00";
    for (; error >= 10; error -= 10) ++text[sizeof text - 3];
    text[sizeof text - 2] = static_cast<char>('0' + error);
    log(text);
  }
  void clear_log() noexcept {
    core().log = word(chip::variables::buffers) + 4 * word(chip::variables::buffer_words) * number_;
    log_()[0] = 0;
    log_()[3] = 0;
  }

  // Runs.
  /// Whether the flag for which it waits has come.
  [[nodiscard]] bool may_go_on() noexcept {
    const bool is_set = (word(chip::controller::flags) >> number_ & 1) != 0;
    return (state() == sync0 && !is_set) || (state() == sync1 && is_set);
  }
  void go_on() noexcept {
    next_sync_ = state() == sync0 ? sync1 : state() == sync1 ? sync0 : next_sync_;
    set_state(running);
    done_ = ticks();
    word(chip::timer::load) = word(chip::variables::clock_mhz) % 65536 * period_us_;
    word(chip::timer::control) =
        chip::timer::runs | chip::timer::is_periodic | chip::timer::interrupts | chip::timer::is_wide;
  }
  void stop_timer() noexcept { word(chip::timer::control) = 0; }
  void wait_for_sync() noexcept { set_state(next_sync_); }
  /// Whether a tick is due; it counts as done.
  [[nodiscard]] bool take_tick() noexcept {
    if (state() != running || ticks() == done_) return false;
    const Word late = ticks() - ++done_;
    late_ticks_ += late != 0 ? 1U : 0U;
    if (late > most_late_) most_late_ = late;
    return true;
  }
  void write_provenance(std::span<const Word> counts) noexcept {
    if (provenance_.size() < 6 + counts.size()) return;
    const Word own[] = {full_transmitter_, runtime_ring.lost, 0, 0, late_ticks_, most_late_};
    Word* to = provenance_.data();
    for (const Word one : own) *to++ = one;
    for (const Word one : counts) *to++ = one;
  }

  // Mail.
  [[nodiscard]] bool has_mail() const noexcept { return *static_cast<const volatile bool*>(&has_mail_); }
  struct Letter {
    chip::Mail what;
    Word content;
  };
  [[nodiscard]] Letter take_mail() noexcept {
    has_mail_ = false;
    const Letter made{chip::Mail{core().to_core}, core().to_core_message};
    core().to_core = std::uint8_t(chip::Mail::none);
    return made;
  }
  [[nodiscard]] unsigned control_port() const noexcept { return control_port_; }
  /// Answers with the same message where an answer is wanted, else gives it back.
  void answer(chip::Message* of, std::uint16_t code, std::size_t bytes) noexcept {
    if ((of->flags & 0x80) == 0) return give_message(of);
    of->flags = 0x07, of->command = code;
    const std::uint8_t port = of->to_port;
    of->to_port = of->from_port, of->from_port = port;
    const std::uint16_t from = of->to_chip;
    of->to_chip = of->from_chip, of->from_chip = from;
    static_cast<void>(to_monitor(of, 4 + bytes));
  }

  RuntimeBlock block{};

private:
  // What interrupts write is read anew.
  [[nodiscard]] Word ticks() const noexcept { return *static_cast<const volatile Word*>(&ticks_); }
  [[nodiscard]] static std::uint8_t byte(Word address) noexcept {
    return *reinterpret_cast<volatile std::uint8_t*>(std::uintptr_t{address});
  }
  [[nodiscard]] static volatile Word* log_() noexcept {
    return reinterpret_cast<volatile Word*>(std::uintptr_t{core().log});
  }
  [[nodiscard]] unsigned channels() const noexcept {
    return recordings_.empty() ? 0 : recordings_[0] < recording_channels ? recordings_[0] : recording_channels;
  }
  // Messages are in a list that all cores of the chip share, under a lock.
  static void lock(Word which) noexcept {
    chip::forbid_interrupts();
    while ((word(chip::controller::take_lock + which) >> 31) != 0) {}
  }
  static void unlock(Word which) noexcept {
    [[maybe_unused]] const Word before = word(chip::controller::give_lock + which); // looking at it does it
    chip::allow_interrupts();
  }
  [[nodiscard]] static chip::Message* take_message() noexcept {
    lock(chip::controller::lock_of_messages);
    auto* const of = reinterpret_cast<chip::Message*>(std::uintptr_t{word(chip::variables::free_messages)});
    if (of != nullptr) {
      word(chip::variables::free_messages) = of->next;
      word(chip::variables::free_messages + 4) = word(chip::variables::free_messages + 4) + 1;
    }
    unlock(chip::controller::lock_of_messages);
    return of;
  }
  static void give_message(chip::Message* of) noexcept {
    lock(chip::controller::lock_of_messages);
    of->next = word(chip::variables::free_messages);
    word(chip::variables::free_messages) = static_cast<Word>(reinterpret_cast<std::uintptr_t>(of));
    word(chip::variables::free_messages + 4) = word(chip::variables::free_messages + 4) - 1;
    unlock(chip::controller::lock_of_messages);
  }
  /// \param bytes  behind the header
  /// \return       whether the monitor has taken it within ten milliseconds
  [[nodiscard]] bool to_monitor(chip::Message* of, std::size_t bytes) noexcept {
    of->length = static_cast<std::uint16_t>(chip::Message::header_bytes + bytes);
    volatile chip::CoreBlock& mine = core();
    mine.to_monitor_message = static_cast<Word>(reinterpret_cast<std::uintptr_t>(of));
    mine.to_monitor = std::uint8_t(chip::Mail::message);
    lock(chip::controller::lock_of_mailboxes);
    const Word before = word(chip::variables::mailbox_flags);
    word(chip::variables::mailbox_flags) = before | Word{1} << number_;
    if (before == 0)
      word(chip::controller::set_interrupt) =
          chip::controller::code + (Word{1} << byte(chip::variables::physical_numbers));
    unlock(chip::controller::lock_of_mailboxes);
    const Word begun = word(chip::variables::milliseconds);
    while (mine.to_monitor != 0)
      if (word(chip::variables::milliseconds) - begun > 10) {
        give_message(of);
        return false;
      }
    return true;
  }

  Word number_ = 0, interrupt_bit_ = 0; // the core's virtual number; its bit by the physical one
  volatile Word* regions_ = nullptr;
  std::span<Word> recordings_{}, provenance_{};
  Word period_us_ = 1000;
  Word ticks_ = 0; // that the timer has counted, in its interrupt
  Word done_ = 0, late_ticks_ = 0, most_late_ = 0, full_transmitter_ = 0, lost_lines_ = 0;
  unsigned control_port_ = 3;
  struct Swaps {
    Word number, address, written; // of a channel in this run; what the last one left
  } swaps_[recording_channels] = {};
  State next_sync_ = sync0;
  bool has_mail_ = false;
};

} // namespace detail

/// In `user1` of a core's block is the code with which a vertex has failed; `error` has its low byte. In `user2` is the Error for which it
/// has refused to start.
template <class Vertex>
class Spinnaker {
  using Services = detail::SpinnakerServices;
  using Word = std::uint32_t;

public:
  using Head = detail::HeadOnChip;
  /// What the vertex has of its core.
  class Core {
  public:
    using Engine = target::SpinnakerDma; ///< a vertex that copies has one of its own

    void send(Word key) noexcept {
      if (self.services.may_send()) detail::word(detail::chip::communications::transmit_key) = key;
    }
    void send(Word key, Word payload) noexcept {
      if (!self.services.may_send()) return;
      detail::word(detail::chip::communications::transmit_data) = payload;
      detail::word(detail::chip::communications::transmit_key) = key;
    }
    template <std::size_t at>
    [[nodiscard]] auto region() const noexcept {
      return RegionOf<at, Vertex>::view(memory<at>());
    }
    template <std::size_t at>
    [[nodiscard]] std::span<Word> memory() const noexcept {
      static_assert(at < region_count, "neuromorph: a vertex has no region of this number; see docs/vertices.md");
      return self.regions[at];
    }
    [[nodiscard]] bool record(unsigned channel, std::span<const Word> words) noexcept {
      return self.services.record(channel, words);
    }
    void count(unsigned counter, Word by = 1) noexcept {
      if (counter >= Calls::counters()) return;
      Word& of = self.counts[counter];
      of = of > UINT32_MAX - by ? UINT32_MAX : of + by;
    }
    [[nodiscard]] bool message(unsigned tag, std::span<const std::uint8_t> bytes) noexcept {
      return self.services.send_message(tag, bytes);
    }
    void log(const char* line) noexcept { self.services.log(line); }
    void fail(Word code) noexcept { self.services.block.error = code == 0 ? 1 : code; }
    void finish() noexcept { self.services.block.has_finished = 1; }
  };

  /// \param flags  as a core has them in r0 at its reset: the application's number, and 256 where it is to wait for the signal `start`
  [[noreturn]] static void run(Word flags) noexcept {
    Services& services = self.services;
    services.begin(flags);
    for (void (**construct)() = firmware_init_begin; construct != firmware_init_end; ++construct) (*construct)();
    services.set_state(Services::waiting);
    if ((flags >> 8 & 1) == 0) start();
    detail::chip::allow_interrupts();
    for (;;) {
      if (services.block.error != 0) services.end(Services::failed, services.block.error);
      if (!work()) services.sleep();
    }
  }
  static void on_interrupt() noexcept { self.services.on_interrupt(); }
  /// What the image says of itself.
  /// \param name  15 letters at most count
  [[nodiscard]] static constexpr Head image_head(const char* name) noexcept {
    const auto offer = [](bool is_there, Taken of) { return is_there ? static_cast<Word>(of) : Word{0}; };
    Head made{.data_end = firmware_bss_end,
              .stack_begin = firmware_stack_begin,
              .state = &tell_state,
              .block = &self.services.block,
              .counts = self.counts,
              .regions = region_count,
              .counters = Calls::counters(),
              .offers = offer(Calls::takes_packets, Taken::packets) | offer(Calls::takes_payloads, Taken::payloads) |
                        offer(Calls::takes_control, Taken::control)};
    for (std::size_t at = 0; at + 1 < sizeof made.name && name[at] != '\0'; ++at) made.name[at] = name[at];
    return made;
  }

private:
  using Calls = runtime::Calls<Vertex, Core>;
  static constexpr std::size_t region_count = Vertex::Regions::count, first_of_vertex = 3;
  static_assert(region_count + first_of_vertex <= 32,
                "neuromorph: a vertex has at most 29 regions; see docs/vertices.md");

  static void tell_state(volatile Word* to) noexcept {
    each_of_state(vertex, [to](Word bits) { *to = bits; });
  }

  static void start() noexcept {
    Services& services = self.services;
    Core core;
    if (!services.find_regions()) services.end(Services::failed, Services::no_table);
    bool is_right = services.take_own_regions();
    for (unsigned at = 0; at < region_count; ++at)
      is_right = is_right && services.take_region(first_of_vertex + at, self.regions[at]);
    if (!is_right) services.end(Services::failed, Services::wrong_region);
    if (const Status status = Calls::start(vertex, core); !status.ok()) {
      services.log_refusal(static_cast<Word>(status.error));
      services.end(Services::failed, Services::refused);
    }
    if (services.block.error == 0) services.wait_for_sync();
  }
  static void pause(Services::State then) noexcept {
    Services& services = self.services;
    Core core;
    if (services.state() == Services::running) services.stop_timer(), Calls::pause(vertex, core);
    services.write_provenance(std::span(self.counts).first(Calls::counters()));
    services.set_state(then);
  }

  /// One thing, the most urgent.
  /// \return whether there was any
  [[nodiscard]] static bool work() noexcept {
    Services& services = self.services;
    Core core;
    if (Services::has_packet()) {
      const volatile Word* const entry = reinterpret_cast<const volatile Word*>(std::uintptr_t{runtime_ring.read});
      const Word status = entry[0], payload = entry[1], key = entry[2];
      runtime_ring.read = (runtime_ring.read + 16) & ~0x200U;
      if ((status & detail::chip::communications::has_payload) != 0)
        Calls::payload(vertex, core, key, payload);
      else
        Calls::packet(vertex, core, key);
      return true;
    }
    if (services.take_tick()) {
      if (services.block.has_finished != 0) {
        self.end = services.block.time;
        pause(Services::paused);
        return true;
      }
      Calls::tick(vertex, core, services.block.time++);
      if (services.block.time == self.end && services.block.error == 0) pause(Services::paused);
      return true;
    }
    if (services.has_mail()) {
      const auto mail = services.take_mail();
      if (mail.what == detail::chip::Mail::signal) take_signal(mail.content);
      if (mail.what == detail::chip::Mail::message)
        take_message(reinterpret_cast<detail::chip::Message*>(std::uintptr_t{mail.content}));
      return true;
    }
    if (!services.may_go_on()) return false;
    if (self.end <= services.block.time)
      services.go_on(), pause(Services::paused);
    else
      services.go_on();
    return true;
  }
  static void take_signal(Word signal) noexcept {
    Services& services = self.services;
    const auto state = services.state();
    if (signal == 3 && state == Services::waiting) start();
    if (signal == 6 && state == Services::running) pause(Services::paused);
    if (signal == 7 && state == Services::paused && services.block.time < self.end) services.go_on();
    if (signal == 8 && state != Services::exited) pause(Services::exited);
  }
  static void take_message(detail::chip::Message* of) noexcept {
    Services& services = self.services;
    const auto state = services.state();
    const unsigned port = of->to_port >> 5;
    const std::size_t bytes = of->length - detail::chip::Message::header_bytes;
    if (state == Services::waiting || state == Services::exited) return services.answer(of, 0x83, 0);
    if (port == 2) return services.answer(of, services.swap(of) ? 0x80 : 0x84, 8);
    if (port != services.control_port()) {
      Core core;
      const bool is_taken =
          Calls::control(vertex, core, port, {reinterpret_cast<const std::uint8_t*>(&of->command), bytes});
      return services.answer(of, is_taken ? 0x80 : 0x85, 0);
    }
    std::uint16_t code = 0x80;
    switch (of->command) {
    case 6:
    case 8: pause(Services::exited); break;
    case 7:
      if (state == Services::running) {
        code = 0x84;
        break;
      }
      self.end = of->argument[1] != 0 ? UINT32_MAX : of->argument[0], services.block.time = of->argument[2];
      services.block.has_finished = 0;
      services.forget_recordings();
      services.wait_for_sync();
      break;
    case 9: services.clear_log(); break;
    case 10:
      if (state == Services::running) pause(Services::paused);
      break;
    case 11: of->argument[0] = services.block.time; break;
    default: code = 0x83;
    }
    services.answer(of, code, of->command == 11 ? 4 : 0);
  }

  struct Self {
    Services services{};
    Word counts[Calls::counters() == 0 ? 1 : Calls::counters()] = {};
    std::span<Word> regions[region_count == 0 ? 1 : region_count] = {};
    Word end = UINT32_MAX; // of the run: its first tick that is not done
  };
  static inline constinit Self self{};
  static inline Vertex vertex{}; // in the image, where the compiler can make it; else `run` makes it
};

} // namespace runtime
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
