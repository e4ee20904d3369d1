// SPDX-License-Identifier: BSL-1.0
/// \file
/// Cores whose program is an image for the ARM968E-S, the file that a chip loads, on emulated processors. In a run they stand where native
/// ones do, and have the same bits.
///
///     auto cells = machine::EmulatedCores::make(image, 2500); // the bytes of a file of form APLX
///     if (!cells) return std::puts(cells.sentence().c_str()), 1;
///     cells.value()->load(at, 0, bytes);
///
/// Each has SDRAM and system RAM of its own, with a monitor that reads its mailbox. A tick is an interrupt of its timer, a message comes by
/// the mailbox, packets by the communications controller. Emulation is Unicorn's: link with -lunicorn (Debian: libunicorn-dev).
// host-only
// needs: unicorn/unicorn.h
#ifndef NEUROMORPH_MACHINE_EMULATED_HPP
#define NEUROMORPH_MACHINE_EMULATED_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/machine/detail/emulated_processor.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/control.hpp>
#include <neuromorph/protocols/data_regions.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/runtime/image_head.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/device/spinnaker.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

namespace detail {
/// An image, and processors for it: as many as there are threads that use them at once.
class EmulatedProgram {
public:
  [[nodiscard]] static neuromorph::Answer<std::shared_ptr<EmulatedProgram>> make(std::span<const std::uint8_t> image) {
    auto read = EmulatedImage::of(image);
    if (!read) return read.refusal();
    std::shared_ptr<EmulatedProgram> made(new EmulatedProgram(std::move(read).value()));
    made->free_.push_back(EmulatedProcessor::make(made->image));
    if (made->free_.back() == nullptr)
      return Refusal{{Error::file_failed, 0, 0, "emulator"}, "", "Unicorn has no ARM946E-S here, or too little memory"};
    return made;
  }
  /// use(processor)
  /// \return whether there is one
  template <class Use>
  bool with_processor(Use use) {
    std::unique_ptr<EmulatedProcessor> one;
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) one = std::move(free_.back()), free_.pop_back();
    }
    if (one == nullptr) one = EmulatedProcessor::make(image);
    if (one == nullptr) return false;
    use(*one);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(one));
    return true;
  }

  const EmulatedImage image;

private:
  explicit EmulatedProgram(EmulatedImage of) : image(std::move(of)) {}
  std::mutex mutex_{};
  std::vector<std::unique_ptr<EmulatedProcessor>> free_{};
};
} // namespace detail

class EmulatedCores final : public CoreModel {
public:
  /// \errors file_malformed: the image is none of form APLX, or of no vertex of this library; the sentence says why; file_failed: no
  ///         emulator
  [[nodiscard]] static neuromorph::Answer<std::unique_ptr<EmulatedCores>> make(std::span<const std::uint8_t> image,
                                                                               std::size_t cores) {
    auto program = detail::EmulatedProgram::make(image);
    if (!program) return program.refusal();
    return std::unique_ptr<EmulatedCores>(new EmulatedCores(std::move(program).value(), cores));
  }

  [[nodiscard]] std::size_t cores() const noexcept override { return cores_.size(); }
  /// Bytes of instructions and constants, and of variables, as the image has them.
  [[nodiscard]] std::uint32_t code_bytes() const noexcept { return image_.code_bytes; }
  [[nodiscard]] std::uint32_t data_bytes() const noexcept { return image_.head.data_end - detail::chip::data_memory; }
  [[nodiscard]] std::string name() const override { return image_.head.name; }
  [[nodiscard]] std::size_t regions() const noexcept override { return image_.head.regions; }
  [[nodiscard]] std::size_t counters() const noexcept override { return image_.head.counters; }
  /// \errors index_out_of_range: there is no such region; lengths_differ: no whole words
  Status load(std::size_t index, std::size_t at, std::span<const std::uint8_t> bytes) override {
    if (at >= regions()) return {Error::index_out_of_range, 0, at, "region"};
    if (bytes.size() % 4 != 0) return {Error::lengths_differ, 0, bytes.size(), "bytes"};
    Kept& of = cores_[index];
    Place& to = of.regions[at];
    const auto size = static_cast<std::uint32_t>(bytes.size());
    if (to.room < size || to.address == 0) to.address = take(of, size), to.room = size;
    to.bytes = size;
    static_cast<void>(of.core.sdram.write(to.address, bytes));
    write_table(of);
    return {};
  }
  void set_router(std::size_t index, Router& router) override { cores_[index].core.router = &router; }
  void make_room(std::size_t index, unsigned channel, std::size_t words) override {
    if (channel >= recording_channels) return;
    Kept& of = cores_[index];
    Place& to = of.recordings[channel];
    const std::uint32_t more = static_cast<std::uint32_t>(words) * 4;
    if (to.address != 0 && to.address + to.room == of.free) {
      of.free += more; // it grows
    } else {
      const std::uint32_t before = to.address;
      to.address = take(of, to.room + more);
      std::vector<std::uint8_t> kept(written(of, channel));
      if (before != 0 && of.core.sdram.read(before, kept)) static_cast<void>(of.core.sdram.write(to.address, kept));
    }
    to.room += more;
    of.core.sdram.put_word(entry(channel), to.room), of.core.sdram.put_word(entry(channel) + 8, to.address);
  }
  void set_room(std::size_t index, unsigned channel, std::size_t words) override {
    if (channel < recording_channels)
      cores_[index].core.sdram.put_word(entry(channel), static_cast<std::uint32_t>(4 * words));
  }
  [[nodiscard]] std::span<const std::uint32_t> recorded(std::size_t index, unsigned channel) const noexcept override {
    if (channel >= recording_channels) return {};
    const Kept& of = cores_[index];
    auto& words = of.recorded[channel];
    words.resize(written(of, channel) / 4);
    for (std::size_t at = 0; at < words.size(); ++at)
      words[at] = of.core.sdram.word(of.recordings[channel].address + 4 * static_cast<std::uint32_t>(at));
    return words;
  }
  [[nodiscard]] std::uint64_t lost(std::size_t index, unsigned channel) const noexcept override {
    return channel < recording_channels ? block(cores_[index]).lost[channel] : 0;
  }
  void clear(std::size_t index, unsigned channel) noexcept override {
    if (channel >= recording_channels) return;
    Kept& of = cores_[index];
    of.core.sdram.put_word(entry(channel) + 4, 0);
    runtime::RuntimeBlock now = block(of);
    now.lost[channel] = 0;
    put_block(of, now);
  }
  [[nodiscard]] std::uint64_t lost(std::size_t index) const noexcept { return block(cores_[index]).all_lost; }
  [[nodiscard]] std::uint32_t counter(std::size_t index, std::size_t at) const noexcept override {
    return at < counters() ? word_of(cores_[index], image_.head.counts + 4 * static_cast<std::uint32_t>(at)) : 0;
  }
  /// The vertex's code, or 256 and what the runtime says: 2 to 5 faults, 17 no table of regions, 18 a wrong region, 19 a refused start; or
  /// 512: the emulator gave it up.
  [[nodiscard]] std::uint32_t error(std::size_t index) const noexcept override {
    const Kept& of = cores_[index];
    if (of.core.has_given_up) return 512;
    const std::uint32_t own = of.core.system_ram.word(in_block(offsetof(detail::chip::CoreBlock, user)) + 4);
    const std::uint8_t state = state_of(of),
                       code = of.core.system_byte(in_block(offsetof(detail::chip::CoreBlock, error)));
    return own != 0 ? own : state == std::uint8_t(CoreState::run_time_error) ? 256U + code : block(of).error;
  }

  /// \errors region_cut_off: the emulator gave it up, or a region is not what its table says; those of the vertex, without place and value
  [[nodiscard]] Status start(std::size_t index, Outbox& out) override {
    Kept& of = cores_[index];
    write_table(of);
    with_processor(of, [&](auto& processor) { processor.reset(of.core, out); });
    if (of.core.has_given_up) return {Error::region_cut_off, 0, 0, "core"};
    if (state_of(of) == std::uint8_t(CoreState::run_time_error) && block(of).error == 0) {
      const std::uint32_t refused = of.core.system_ram.word(in_block(offsetof(detail::chip::CoreBlock, user)) + 8);
      return {refused == 0 ? Error::region_cut_off : Error(refused), 0, 0, "region"};
    }
    if (runtime::RuntimeBlock now = block(of); now.has_finished != 0) now.has_finished = 0, put_block(of, now);
    go_on(of, out, 0);
    return {};
  }
  [[nodiscard]] bool wants_end(std::size_t index) const noexcept override {
    return error(index) != 0 || block(cores_[index]).has_finished != 0;
  }
  [[nodiscard]] bool take_finish(std::size_t index) override {
    Kept& of = cores_[index];
    runtime::RuntimeBlock now = block(of);
    const bool has = std::exchange(now.has_finished, 0U) != 0;
    if (has) put_block(of, now);
    return has;
  }
  void tick(std::size_t index, Outbox& out, std::uint32_t time) override {
    Kept& of = cores_[index];
    go_on(of, out, time);
    const std::uint32_t ms = of.core.system_ram.word(detail::chip::variables::milliseconds);
    of.core.system_ram.put_word(detail::chip::variables::milliseconds, ms + 1);
    if ((of.core.timer & (detail::chip::timer::runs | detail::chip::timer::interrupts)) ==
        (detail::chip::timer::runs | detail::chip::timer::interrupts))
      of.core.is_timer_due = true;
    wake(of, out);
  }
  [[nodiscard]] bool packet(std::size_t index, Outbox& out, const SentPacket& packet) override {
    const auto needed =
        static_cast<std::uint32_t>(packet.has_payload ? runtime::Taken::payloads : runtime::Taken::packets);
    if ((image_.head.offers & needed) == 0) return false;
    Kept& of = cores_[index];
    of.core.packets.push_back(packet);
    if (of.core.packets.size() - of.core.read >= 16) catch_up(index, out);
    return true;
  }
  [[nodiscard]] bool packets_wait() const noexcept override { return true; }
  void catch_up(std::size_t index, Outbox& out) override {
    if (Kept& of = cores_[index]; !of.core.packets.empty()) wake(of, out);
  }
  [[nodiscard]] bool control(std::size_t index, Outbox& out, unsigned port,
                             std::span<const std::uint8_t> message) override {
    if ((image_.head.offers & static_cast<std::uint32_t>(runtime::Taken::control)) == 0) return false;
    return send(cores_[index], out, port, message) == 0x80;
  }
  void pause(std::size_t index, Outbox& out) override {
    Kept& of = cores_[index];
    go_on(of, out, block(of).time); // one that is paused twice is told twice
    command(of, out, {.what = protocols::RunControl::What::pause});
  }
  void add_to(Digest& digest, std::size_t index) const override {
    Kept& of = cores_[index];
    with_processor(of, [&](auto& processor) {
      processor.each_of_state(of.core, [&digest](std::uint32_t bits) { digest.add(bits); });
    });
    for (std::size_t at = 0; at < counters(); ++at) digest.add(counter(index, at));
    for (unsigned channel = 0; channel < recording_channels; ++channel) {
      const auto words = recorded(index, channel);
      digest.add(static_cast<std::uint32_t>(words.size()));
      digest.add(words);
    }
    digest.add(static_cast<std::uint32_t>(lost(index))), digest.add(error(index));
  }

private:
  struct Place {
    std::uint32_t address = 0, bytes = 0, room = 0;
  };
  struct Kept {
    detail::EmulatedCore core{};
    std::vector<Place> regions{}; // of the vertex
    std::array<Place, recording_channels> recordings{};
    std::uint32_t free = first_free; // in SDRAM
    mutable std::array<std::vector<std::uint32_t>, recording_channels> recorded{};
  };
  // What lies where in SDRAM: the log, tables of regions and of recordings, the runtime's own region, then those of the vertex.
  static constexpr std::uint32_t log_at = detail::chip::sdram + 0x8000, log_bytes = 0x4000,
                                 table = detail::chip::sdram + 0x10000, recordings_at = table + 0x200,
                                 system_at = table + 0x280, first_free = table + 0x300;

  friend class Emulator;
  EmulatedCores(std::shared_ptr<detail::EmulatedProgram> program, std::size_t cores)
      : program_(std::move(program)), cores_(cores) {
    for (Kept& of : cores_) begin(of);
  }
  /// The words that its monitor has for it.
  void begin(Kept& of) {
    namespace is = detail::chip::variables;
    Memory& ram = of.core.system_ram;
    of.core.put_system_byte(is::virtual_numbers + 1, 1), of.core.put_system_byte(is::physical_numbers + 1, 1);
    ram.put_word(is::clock_mhz, 200);
    ram.put_word(is::buffers, log_at - log_bytes), ram.put_word(is::buffer_words, log_bytes / 4);
    constexpr std::uint32_t messages = 8, first = detail::chip::system_ram + 0x100;
    for (std::uint32_t at = 0; at < messages; ++at)
      ram.put_word(first + at * std::uint32_t{sizeof(detail::chip::Message)},
                   at + 1 == messages ? 0 : first + (at + 1) * std::uint32_t{sizeof(detail::chip::Message)});
    ram.put_word(is::free_messages, first);
    of.regions.resize(regions());
    of.core.data.resize(image_.data_pages + image_.stack_pages);
    ram.put_word(in_block(offsetof(detail::chip::CoreBlock, user)), table);
    of.core.sdram.put_word(recordings_at, recording_channels);
    write_table(of);
  }
  [[nodiscard]] static std::uint32_t take(Kept& of, std::uint32_t bytes) {
    const std::uint32_t at = of.free;
    of.free += (bytes + 31) / 32 * 32;
    return at;
  }
  [[nodiscard]] static std::uint32_t in_block(std::size_t offset) noexcept {
    return detail::EmulatedCore::in_block(offset);
  }
  [[nodiscard]] static constexpr std::uint32_t entry(unsigned channel) noexcept {
    return recordings_at + 4 + 12 * channel;
  }
  [[nodiscard]] static std::uint32_t written(const Kept& of, unsigned channel) {
    return of.core.sdram.word(entry(channel) + 4) & 0x7FFFFFFFU;
  }
  /// All regions with their checksums, as a host writes them before a start.
  void write_table(Kept& of) {
    protocols::DataRegionTable made;
    std::array<std::uint8_t, protocols::SystemRegion::bytes> system{};
    protocols::SystemRegion{.period_us = 1000, .control_port = control_port}.write(system);
    static_cast<void>(of.core.sdram.write(system_at, system));
    const auto put = [&](std::size_t at, std::uint32_t address, std::uint32_t bytes) {
      std::vector<std::uint8_t> there(bytes);
      static_cast<void>(of.core.sdram.read(address, there));
      made.region[at] = {address, protocols::checksum_of(there), bytes / 4};
    };
    put(0, system_at, protocols::SystemRegion::bytes);
    put(1, recordings_at, protocols::RecordingRegions::bytes(recording_channels));
    for (std::size_t at = 0; at < of.regions.size(); ++at)
      if (of.regions[at].address != 0) put(3 + at, of.regions[at].address, of.regions[at].bytes);
    std::array<std::uint8_t, protocols::DataRegionTable::bytes> bytes{};
    made.write(bytes);
    static_cast<void>(of.core.sdram.write(table, bytes));
  }

  // Variables of a core that is not on a processor.
  [[nodiscard]] std::uint32_t word_of(const Kept& of, std::uint32_t address) const noexcept {
    std::uint32_t word = 0;
    std::memcpy(&word, of.core.data.data() + (address - detail::chip::data_memory), sizeof word);
    return word;
  }
  [[nodiscard]] runtime::RuntimeBlock block(const Kept& of) const noexcept {
    runtime::RuntimeBlock made{};
    std::memcpy(&made, of.core.data.data() + (image_.head.block - detail::chip::data_memory), sizeof made);
    return made;
  }
  void put_block(Kept& of, const runtime::RuntimeBlock& block) const noexcept {
    std::memcpy(of.core.data.data() + (image_.head.block - detail::chip::data_memory), &block, sizeof block);
  }
  [[nodiscard]] static std::uint8_t state_of(const Kept& of) {
    return of.core.system_byte(in_block(offsetof(detail::chip::CoreBlock, state)));
  }

  /// A core that waits for a run, or is paused, runs from this tick on.
  void go_on(Kept& of, Outbox& out, std::uint32_t time) {
    if (runtime::RuntimeBlock now = block(of); now.time != time) now.time = time, put_block(of, now);
    if (const auto now = CoreState(state_of(of)); now == CoreState::paused) {
      signal(of, out, protocols::Signal::go_on);
    } else if (now == CoreState::sync0 || now == CoreState::sync1) {
      of.core.flags = now == CoreState::sync0 ? 0 : 1U << detail::EmulatedProcessor::own_number;
      of.core.is_mail_due = true;
      wake(of, out);
    }
  }
  void signal(Kept& of, Outbox& out, protocols::Signal signal) {
    mail(of, detail::chip::Mail::signal, std::uint32_t(signal));
    wake(of, out);
  }
  void command(Kept& of, Outbox& out, const protocols::RunControl& what) {
    std::array<std::uint8_t, 4> word{};
    std::array<std::uint8_t, 32> bytes{};
    const std::size_t length = protocols::encode_request(what.request(1, word), bytes);
    static_cast<void>(send(of, out, control_port, std::span(bytes).first(length)));
  }
  static void mail(Kept& of, detail::chip::Mail what, std::uint32_t content) {
    of.core.system_ram.put_word(in_block(offsetof(detail::chip::CoreBlock, to_core_message)), content);
    of.core.put_system_byte(in_block(offsetof(detail::chip::CoreBlock, to_core)), std::uint8_t(what));
    of.core.is_mail_due = true;
  }
  /// A message of a host, as the monitor hands it on.
  /// \return the code of the answer; 0: there was none
  [[nodiscard]] std::uint32_t send(Kept& of, Outbox& out, unsigned port, std::span<const std::uint8_t> bytes) {
    Memory& ram = of.core.system_ram;
    const std::uint32_t at = ram.word(detail::chip::variables::free_messages);
    if (at == 0 || bytes.size() > detail::chip::Message::most_bytes) return 0;
    ram.put_word(detail::chip::variables::free_messages, ram.word(at));
    detail::chip::Message message{};
    message.length = static_cast<std::uint16_t>(detail::chip::Message::header_bytes + bytes.size());
    message.flags = 0x87, message.to_port = static_cast<std::uint8_t>(port << 5 | 1);
    std::array<std::uint8_t, sizeof message> raw{};
    std::memcpy(raw.data(), &message, sizeof message);
    std::copy(bytes.begin(), bytes.end(), raw.begin() + offsetof(detail::chip::Message, command));
    static_cast<void>(ram.write(at, raw));
    of.core.answer = 0;
    mail(of, detail::chip::Mail::message, at);
    wake(of, out);
    return of.core.answer;
  }

  void wake(Kept& of, Outbox& out) {
    if (of.core.has_given_up || of.core.context.empty()) return;
    with_processor(of, [&](auto& processor) { processor.wake(of.core, out); });
  }
  template <class Use>
  void with_processor(Kept& of, Use use) const {
    if (!program_->with_processor(use)) of.core.has_given_up = true; // there is no memory for another one
  }

  static constexpr unsigned control_port = 3;
  std::shared_ptr<detail::EmulatedProgram> program_;
  const detail::EmulatedImage& image_ = program_->image;
  mutable std::vector<Kept> cores_; // looking at a state takes a processor
};

/// Makes cores of images, a processor for each image and thread; what Programs take for images that have no name of a native program.
class Emulator {
public:
  /// One core; nothing where the image is none, and why.
  [[nodiscard]] std::unique_ptr<CoreModel> operator()(std::span<const std::uint8_t> image, std::string& why) {
    auto made = detail::EmulatedImage::of(image);
    if (!made) return why = made.sentence(), nullptr;
    Digest digest;
    for (const auto& memory : {std::span(made.value().code), std::span(made.value().data)})
      for (std::size_t at = 0; at < memory.size(); at += 4) digest.add(protocols::word_at(memory, at));
    std::shared_ptr<detail::EmulatedProgram>& of = programs_[digest.value()];
    if (of == nullptr) {
      auto program = detail::EmulatedProgram::make(image);
      if (!program) return why = program.sentence(), nullptr;
      of = std::move(program).value();
    }
    return std::unique_ptr<CoreModel>(new EmulatedCores(of, 1));
  }

private:
  std::map<std::uint64_t, std::shared_ptr<detail::EmulatedProgram>> programs_{}; // by their contents
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
