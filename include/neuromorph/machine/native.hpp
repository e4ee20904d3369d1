// SPDX-License-Identifier: BSL-1.0
/// \file
/// Vertices compiled for the host as cores of a machine: one object after the other, hundreds of bytes each.
///
///     machine::NativeCores<Cell> cells(2500);
///     cells.load<0>(at, bytes);            // a region, as `runtime::Region` writes it
///     cells.make_room(at, 0, 1000);        // words of a recording
///     ...                                  // attached to `machine::Run`
///     cells.recorded(at, 0), cells.vertex(at);
// host-only
#ifndef NEUROMORPH_MACHINE_NATIVE_HPP
#define NEUROMORPH_MACHINE_NATIVE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/digest.hpp>
#include <neuromorph/machine/core_model.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/runtime/image_head.hpp>
#include <neuromorph/runtime/vertex.hpp>
#include <neuromorph/status.hpp>
#include <neuromorph/target/device/copy_engine.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace machine {

/// \tparam Vertex  of which all state is in its `Fields`, or told by `state`: it is what a digest is made of
template <class Vertex>
class NativeCores final : public CoreModel {
  static_assert(std::is_default_constructible_v<Vertex> &&
                    (
                        requires { typename Vertex::Fields; } ||
                        requires(const Vertex& vertex) { vertex.state([](std::uint32_t) {}); }),
                "neuromorph: a vertex has its state in 'using Fields = runtime::Fields<...>', or tells it by 'void "
                "state(each) const', and is made "
                "without arguments; see docs/vertices.md");

public:
  /// What a vertex has of its core.
  class Core {
  public:
    Core(NativeCores& cores, std::size_t index, Outbox& out) noexcept : cores_(cores), index_(index), out_(out) {}

    void send(std::uint32_t key) { out_.packets.push_back({.key = key, .from = out_.from}); }
    void send(std::uint32_t key, std::uint32_t payload) {
      out_.packets.push_back({.key = key, .payload = payload, .from = out_.from, .has_payload = true});
    }
    using Engine = target::CopyWords; ///< a vertex that copies has one of its own
    template <std::size_t at>
    [[nodiscard]] auto region() const noexcept {
      return runtime::RegionOf<at, Vertex>::view(memory<at>());
    }
    template <std::size_t at>
    [[nodiscard]] std::span<std::uint32_t> memory() const noexcept {
      static_assert(at < region_count, "neuromorph: a vertex has no region of this number; see docs/vertices.md");
      return cores_.region(index_, at);
    }
    [[nodiscard]] bool record(unsigned channel, std::span<const std::uint32_t> words) {
      return cores_.record(index_, channel, words);
    }
    void count(unsigned counter, std::uint32_t by = 1) noexcept { cores_.count(index_, counter, by); }
    [[nodiscard]] bool message(unsigned tag, std::span<const std::uint8_t> bytes) {
      if (bytes.size() > runtime::most_message_bytes) return false;
      out_.messages.push_back({out_.from, tag, {bytes.begin(), bytes.end()}});
      return true;
    }
    void log(const char* line) { out_.lines.emplace_back(out_.from, line); }
    void fail(std::uint32_t code) noexcept {
      cores_.error_[index_] = code == 0 ? 1 : code, cores_.ends_[index_] |= has_failed;
    }
    void finish() noexcept { cores_.ends_[index_] |= has_finished; }

  private:
    NativeCores& cores_;
    std::size_t index_;
    Outbox& out_;
  };
  static constexpr std::size_t channels = recording_channels;

  explicit NativeCores(std::size_t cores)
      : vertices_(cores), error_(cores), ends_(cores), regions_(cores * region_count),
        counts_(cores * Calls::counters()) {}

  [[nodiscard]] std::size_t cores() const noexcept override { return vertices_.size(); }
  [[nodiscard]] const Vertex& vertex(std::size_t index) const noexcept { return vertices_[index]; }

  /// \errors lengths_differ, and index_out_of_range never
  template <std::size_t at>
  Status load(std::size_t index, std::span<const std::uint8_t> bytes) {
    static_assert(at < region_count, "neuromorph: a vertex has no region of this number; see docs/vertices.md");
    return load(index, at, bytes);
  }
  /// \errors index_out_of_range, lengths_differ
  Status load(std::size_t index, std::size_t at, std::span<const std::uint8_t> bytes) override {
    if (at >= region_count) return {Error::index_out_of_range, 0, at, "region"};
    if (bytes.size() % 4 != 0) return {Error::lengths_differ, 0, bytes.size(), "bytes"};
    std::span<std::uint32_t>& to = regions_[index * region_count + at];
    const std::size_t count = bytes.size() / 4;
    to = to.size() < count ? take(count) : to.first(count);
    for (std::size_t word = 0; word < count; ++word) to[word] = protocols::word_at(bytes, 4 * word);
    return {};
  }
  [[nodiscard]] std::size_t regions() const noexcept override { return region_count; }
  void make_room(std::size_t index, unsigned channel, std::size_t words) override {
    if (recordings_.empty()) recordings_.resize(cores() * channels);
    Recorded& of = recordings_[index * channels + channel];
    of.room += words;
  }
  void set_room(std::size_t index, unsigned channel, std::size_t words) override {
    if (recordings_.empty()) recordings_.resize(cores() * channels);
    Recorded& of = recordings_[index * channels + channel];
    of.room = words - (std::min)(words, of.words.size());
  }
  [[nodiscard]] std::span<const std::uint32_t> recorded(std::size_t index, unsigned channel) const noexcept override {
    if (recordings_.empty() || channel >= channels) return {};
    return recordings_[index * channels + channel].words;
  }
  [[nodiscard]] std::uint64_t lost(std::size_t index, unsigned channel) const noexcept override {
    return recordings_.empty() || channel >= channels ? 0 : recordings_[index * channels + channel].lost;
  }
  void clear(std::size_t index, unsigned channel) noexcept override {
    if (recordings_.empty() || channel >= channels) return;
    Recorded& of = recordings_[index * channels + channel];
    of.room += of.words.size(), of.words.clear(), of.lost = 0;
  }
  /// Words that were refused since the beginning, as there was no room.
  [[nodiscard]] std::uint64_t lost(std::size_t index) const noexcept { return lost_[index]; }
  [[nodiscard]] std::size_t counters() const noexcept override { return Calls::counters(); }
  [[nodiscard]] std::uint32_t counter(std::size_t index, std::size_t at) const noexcept override {
    return at < Calls::counters() ? counts_[index * Calls::counters() + at] : 0;
  }
  [[nodiscard]] std::uint32_t error(std::size_t index) const noexcept override { return error_[index]; }
  [[nodiscard]] bool wants_end(std::size_t index) const noexcept override { return ends_[index] != 0; }
  [[nodiscard]] bool take_finish(std::size_t index) override {
    const bool has = (ends_[index] & has_finished) != 0;
    ends_[index] &= has_failed;
    return has;
  }

  [[nodiscard]] Status start(std::size_t index, Outbox& out) override {
    // In its place: one that is made of parts may know where it is.
    std::destroy_at(&vertices_[index]), std::construct_at(&vertices_[index]);
    error_[index] = 0, ends_[index] = 0, lost_[index] = 0;
    for (std::size_t at = 0; at < Calls::counters(); ++at) counts_[index * Calls::counters() + at] = 0;
    if (!recordings_.empty())
      for (std::size_t channel = 0; channel < channels; ++channel) recordings_[index * channels + channel].lost = 0;
    Core core(*this, index, out);
    const Status status = Calls::start(vertices_[index], core);
    ends_[index] &= has_failed; // there is no run yet
    return status;
  }
  void tick(std::size_t index, Outbox& out, std::uint32_t time) override {
    Core core(*this, index, out);
    Calls::tick(vertices_[index], core, time);
  }
  [[nodiscard]] bool packet(std::size_t index, Outbox& out, const SentPacket& packet) override {
    Core core(*this, index, out);
    return packet.has_payload ? Calls::payload(vertices_[index], core, packet.key, packet.payload)
                              : Calls::packet(vertices_[index], core, packet.key);
  }
  [[nodiscard]] bool control(std::size_t index, Outbox& out, unsigned port,
                             std::span<const std::uint8_t> message) override {
    Core core(*this, index, out);
    return Calls::control(vertices_[index], core, port, message);
  }
  void pause(std::size_t index, Outbox& out) override {
    Core core(*this, index, out);
    Calls::pause(vertices_[index], core);
  }
  void add_to(Digest& digest, std::size_t index) const override {
    runtime::each_of_state(vertices_[index], [&digest](std::uint32_t bits) { digest.add(bits); });
    for (std::size_t at = 0; at < counters(); ++at) digest.add(counter(index, at));
    for (unsigned channel = 0; channel < channels; ++channel) {
      const auto words = recorded(index, channel);
      digest.add(static_cast<std::uint32_t>(words.size()));
      digest.add(words);
    }
    digest.add(static_cast<std::uint32_t>(lost(index))), digest.add(error_[index]);
  }

private:
  using Calls = runtime::Calls<Vertex, Core>;
  static constexpr std::size_t region_count = Vertex::Regions::count;

  struct Recorded {
    std::vector<std::uint32_t> words = {};
    std::size_t room = 0; ///< that is left
    std::uint64_t lost = 0;
  };

  [[nodiscard]] std::span<std::uint32_t> region(std::size_t index, std::size_t at) const noexcept {
    return regions_[index * region_count + at];
  }
  /// Words that stay where they are, from blocks of many.
  [[nodiscard]] std::span<std::uint32_t> take(std::size_t count) {
    if (count > left_.size()) {
      const std::size_t more = (std::max)(count, (std::min)(std::size_t{65536}, 16 * cores()));
      memory_.push_back(std::make_unique_for_overwrite<std::uint32_t[]>(more));
      left_ = {memory_.back().get(), more};
    }
    const auto made = left_.first(count);
    left_ = left_.subspan(count);
    return made;
  }
  [[nodiscard]] bool record(std::size_t index, unsigned channel, std::span<const std::uint32_t> words) {
    Recorded* const of =
        recordings_.empty() || channel >= channels ? nullptr : &recordings_[index * channels + channel];
    if (of == nullptr || words.size() > of->room) {
      lost_[index] += words.size();
      if (of != nullptr) of->lost += words.size();
      return false;
    }
    of->words.insert(of->words.end(), words.begin(), words.end()), of->room -= words.size();
    return true;
  }
  void count(std::size_t index, unsigned counter, std::uint32_t by) noexcept {
    if (counter >= Calls::counters()) return;
    std::uint32_t& of = counts_[index * Calls::counters() + counter];
    of = of > UINT32_MAX - by ? UINT32_MAX : of + by;
  }

  std::vector<Vertex> vertices_;
  static constexpr std::uint8_t has_failed = 1, has_finished = 2;
  std::vector<std::uint32_t> error_;
  std::vector<std::uint8_t> ends_;                         // [core]: of both
  std::vector<std::span<std::uint32_t>> regions_;          // [core][region]
  std::vector<std::uint32_t> counts_;                      // [core][counter]
  std::vector<std::unique_ptr<std::uint32_t[]>> memory_{}; // of all regions
  std::span<std::uint32_t> left_{};                        // of the last block of it
  std::vector<Recorded> recordings_{};                     // [core][channel], once one has room
  std::vector<std::uint64_t> lost_ = std::vector<std::uint64_t>(vertices_.size());
};

} // namespace machine
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
