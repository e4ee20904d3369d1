// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a vertex has in the memory of its chip, as a host makes it. That is the table of its regions, the runtime's own, its own, its buffer, and room
/// for what it records.
///
///     execution::VertexData data(program);
///     data.make(mapped, 1000, 3);                // its regions
///     data.make_room(mapped, cycle);             // its buffer, and what it records in so many ticks
///     data.finish(address, cycle);               // once it is known where it is
///     loader.write(block, data.bytes());
// host-only
#ifndef NEUROMORPH_EXECUTION_VERTEX_DATA_HPP
#define NEUROMORPH_EXECUTION_VERTEX_DATA_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/map.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/data_regions.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

/// What the data of a vertex may be made from.
struct Mapped {
  const mapping::MachineGraph& graph;
  const mapping::Machine& machine;
  const mapping::Mapping& mapping;
};
/// A vertex, as it is described.
struct VertexProgram {
  std::string name = {}; ///< in sentences
  mapping::Resources resources = {};
  /// Its regions, whole words each, once it is known where all are and which keys they have.
  std::function<std::vector<std::vector<std::uint8_t>>(const Mapped& of)> regions = {};
  /// Of each channel that it records: the bytes that so many ticks need, at most. It grows with the ticks.
  std::vector<std::function<std::uint64_t(std::uint64_t ticks)>> recordings = {};
  /// A region behind the others, whole words, that is made anew before each cycle for its ticks alone, such as spikes that it plays; for 0
  /// ticks where it is only loaded. A run without an end has that of one cycle.
  std::function<std::vector<std::uint8_t>(const Mapped& of, std::uint64_t from, std::uint64_t ticks)> buffer = {};
  /// The bytes that it has for so many ticks, at most. It grows with the ticks.
  std::function<std::uint64_t(std::uint64_t ticks)> buffer_bytes = {};
  std::size_t counters = 0; ///< of its own
  bool finishes = false;    ///< for `run_until_finished`: it calls `finish`
};

/// Refusals have no name: who has the vertex knows it.
class VertexData {
public:
  using Regions = std::vector<std::vector<std::uint8_t>>;
  static constexpr std::size_t first_region = 3; ///< of a vertex's own, in its table
  /// Bytes of the chip's memory beside its own: of a block of memory, at most, and for the core's log.
  static constexpr std::uint32_t overhead = 64 + 16400;
  static constexpr std::size_t most_regions = protocols::DataRegionTable::regions - first_region;

  explicit VertexData(VertexProgram program) : program_(std::move(program)) {}
  [[nodiscard]] const VertexProgram& program() const noexcept { return program_; }

  /// Bytes for what it records in so many ticks, and for its buffer.
  [[nodiscard]] std::uint64_t room_for(std::uint64_t ticks) const {
    std::uint64_t sum = buffer_room(ticks);
    for (const auto& one : program_.recordings) sum += recording_room(one, ticks);
    return sum;
  }
  /// Whether that is anything.
  [[nodiscard]] bool needs_room() const noexcept {
    return !program_.recordings.empty() || static_cast<bool>(program_.buffer);
  }
  /// \errors index_out_of_range: more than 29 regions; lengths_differ: not whole words in one
  [[nodiscard]] neuromorph::Answer<Regions> make_regions(const Mapped& of) const {
    Regions made = program_.regions ? program_.regions(of) : Regions{};
    if (made.size() + (program_.buffer ? 1U : 0U) > most_regions)
      return Refusal{{Error::index_out_of_range, 0, made.size(), "regions"}, "", "a vertex has at most 29 regions"};
    for (const auto& one : made)
      if (one.size() % 4 != 0)
        return Refusal{{Error::lengths_differ, 0, one.size(), "bytes"},
                       "",
                       "a region has whole words, and this one " + std::to_string(one.size()) + " bytes"};
    return made;
  }
  /// All but the buffer.
  /// \errors as make_regions
  [[nodiscard]] Refusal make(const Mapped& of, std::uint32_t tick_us, std::uint32_t control_port) {
    const auto regions = make_regions(of);
    if (!regions) return regions.refusal();
    std::size_t size = regions_at();
    for (const auto& one : regions.value()) size += one.size();
    bytes_.reserve(size);
    bytes_.assign(regions_at(), 0), begins_.clear(), sums_.clear();
    protocols::SystemRegion{.period_us = tick_us, .control_port = control_port}.write(
        std::span(bytes_).subspan(system_at));
    for (const auto& one : regions.value()) {
      begins_.push_back(static_cast<std::uint32_t>(bytes_.size()));
      bytes_.insert(bytes_.end(), one.begin(), one.end());
      sums_.push_back(Sums::of(one)); // here, where vertices are made in parallel and their bytes are in the cache
    }
    return {};
  }
  /// A buffer of the ticks of a cycle, for none yet.
  /// \errors lengths_differ: as make_buffer
  [[nodiscard]] Refusal make_room(const Mapped& of, std::uint64_t cycle) {
    if (!program_.buffer) return {};
    begins_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    bytes_.resize(bytes_.size() + buffer_room(cycle));
    return make_buffer(of, 0, 0);
  }
  /// \pre    it has one, and its room was made
  /// \errors lengths_differ: it is longer than its room, or has not whole words
  [[nodiscard]] Refusal make_buffer(const Mapped& of, std::uint64_t from, std::uint64_t ticks) {
    const auto made = program_.buffer(of, from, ticks);
    const std::size_t begin = begins_.back(), room = bytes_.size() - begin;
    if (made.size() % 4 != 0 || made.size() > room)
      return {{Error::lengths_differ, 0, made.size(), "bytes"},
              "",
              "its buffer for " + std::to_string(ticks) + " ticks has " + std::to_string(made.size()) +
                  " bytes, and has room for " + std::to_string(room) + ", in whole words"};
    std::fill(std::copy(made.begin(), made.end(), bytes_.begin() + std::ptrdiff_t(begin)), bytes_.end(),
              std::uint8_t{0});
    return {};
  }
  /// Bytes of memory, with room for what it records.
  [[nodiscard]] std::uint64_t size(std::uint64_t cycle) const {
    return all_bytes() + room_for(cycle) - buffer_room(cycle);
  }
  /// Tables, with addresses, and what stands in memory behind them.
  void finish(std::uint32_t address, std::uint64_t cycle) {
    std::vector<protocols::RecordingRegion> channels;
    auto free = address + static_cast<std::uint32_t>(bytes_.size());
    for (const auto& one : program_.recordings) {
      channels.push_back({.room = static_cast<std::uint32_t>(recording_room(one, cycle)), .address = free});
      free += channels.back().room;
    }
    protocols::RecordingRegions::write(channels, std::span(bytes_).subspan(recordings_at()));
    protocols::DataRegionTable table;
    const auto put = [&](std::size_t at, std::size_t begin, std::size_t end) {
      table.region[at] = entry_of(address + static_cast<std::uint32_t>(begin),
                                  std::span<const std::uint8_t>(bytes_).subspan(begin, end - begin));
    };
    put(0, system_at, provenance_at), put(1, recordings_at(), regions_at()), put(2, provenance_at, recordings_at());
    for (std::size_t at = 0; at < sums_.size(); ++at)
      table.region[first_region + at] = {address + begins_[at], sums_[at].checksum,
                                         static_cast<std::uint32_t>(region_bytes(at) / 4)};
    if (program_.buffer) put(first_region + regions(), begins_.back(), bytes_.size());
    table.write(bytes_);
  }

  /// Once all is on the machine: of regions it is only known how long they are, and a digest. A buffer stays.
  void forget() {
    if (program_.buffer) return;
    size_ = bytes_.size();
    bytes_ = {};
  }
  /// All but the room for what it records.
  /// \pre it was not forgotten
  [[nodiscard]] std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }
  /// Of its own, without its buffer.
  [[nodiscard]] std::size_t regions() const noexcept { return begins_.size() - (program_.buffer ? 1U : 0U); }
  /// \param at  below regions(); regions() is its buffer
  /// \pre       it was not forgotten
  [[nodiscard]] std::span<const std::uint8_t> region(std::size_t at) const noexcept {
    return std::span<const std::uint8_t>(bytes_).subspan(begins_[at], region_bytes(at));
  }
  [[nodiscard]] std::size_t region_bytes(std::size_t at) const noexcept {
    return (at + 1 < begins_.size() ? begins_[at + 1] : all_bytes()) - begins_[at];
  }
  /// Whether a region has these bytes; of those that were forgotten their digest says so, which is wrong once in 2^64.
  [[nodiscard]] bool has(std::size_t at, std::span<const std::uint8_t> bytes) const {
    if (bytes.size() != region_bytes(at)) return false;
    if (bytes_.empty()) return Sums::of(bytes).digest == sums_[at].digest;
    const auto own = region(at);
    return std::equal(own.begin(), own.end(), bytes.begin());
  }
  /// From the beginning of its memory.
  [[nodiscard]] std::uint32_t region_begin(std::size_t at) const noexcept { return begins_[at]; }
  /// \pre as many bytes as it has
  void set_region(std::size_t at, std::span<const std::uint8_t> bytes) {
    sums_[at] = Sums::of(bytes);
    if (!bytes_.empty()) std::copy(bytes.begin(), bytes.end(), bytes_.begin() + std::ptrdiff_t(begins_[at]));
  }
  /// Of a table.
  [[nodiscard]] static protocols::DataRegion entry_of(std::uint32_t address, std::span<const std::uint8_t> bytes) {
    return {address, protocols::checksum_of(bytes), static_cast<std::uint32_t>(bytes.size() / 4)};
  }
  /// Where the tables of recordings and of counts are, and how long, from the beginning of its memory.
  [[nodiscard]] std::uint32_t recordings_at() const noexcept {
    return provenance_at + static_cast<std::uint32_t>(protocols::ProvenanceRegion::bytes + 4 * program_.counters);
  }
  static constexpr std::uint32_t system_at = protocols::DataRegionTable::bytes,
                                 provenance_at = system_at + protocols::SystemRegion::bytes;

private:
  [[nodiscard]] std::uint32_t regions_at() const noexcept {
    return recordings_at() + static_cast<std::uint32_t>(protocols::RecordingRegions::bytes(program_.recordings.size()));
  }
  [[nodiscard]] std::uint64_t buffer_room(std::uint64_t ticks) const {
    return program_.buffer ? (program_.buffer_bytes(ticks) + 3) / 4 * 4 : 0;
  }
  /// Two halves of whole words.
  template <class Bytes>
  [[nodiscard]] static std::uint64_t recording_room(const Bytes& of, std::uint64_t ticks) {
    return (of(ticks) + 7) / 8 * 8;
  }

  [[nodiscard]] std::size_t all_bytes() const noexcept { return bytes_.empty() ? size_ : bytes_.size(); }
  /// Of whole words: what the table says of them, and what tells whether others are the same.
  struct Sums {
    std::uint32_t checksum;
    std::uint64_t digest;
    [[nodiscard]] static Sums of(std::span<const std::uint8_t> bytes) noexcept {
      std::uint64_t digest = bytes.size();
      for (std::size_t at = 0; at < bytes.size(); at += 4)
        digest = std::rotl((digest ^ protocols::word_at(bytes, at)) * 0x9E37'79B9'7F4A'7C15U, 29);
      return {protocols::checksum_of(bytes), digest};
    }
  };

  VertexProgram program_;
  std::vector<std::uint8_t> bytes_{};
  std::size_t size_ = 0;                // of them, once they are forgotten
  std::vector<Sums> sums_{};            // of its own regions
  std::vector<std::uint32_t> begins_{}; // of these, and of its buffer
};

/// The ticks of a cycle. Each vertex that needs room has that of a tick; what its chip has left then is divided equally among them. The
/// smallest share says it.
/// \param all    what was made
/// \param chips  of each
/// \param most   ticks
/// \param tight  the vertex that says it, and its share
/// \return       0: the share of one is not enough for a tick
/// \source A. Rowley et al., Front. Neurosci. 13:231 (2019), figure 7
[[nodiscard]] inline std::uint64_t cycle_of(std::span<const VertexData> all, std::span<const mapping::Chip> chips,
                                            const mapping::Machine& machine, std::uint64_t most,
                                            std::pair<mapping::Vertex, std::uint64_t>& tight) {
  struct OnChip {
    std::uint64_t used = 0, sharing = 0, a_tick = 0; ///< bytes, vertices that need room, bytes for a tick of these
  };
  std::map<mapping::Chip, OnChip> of_chip;
  for (std::size_t at = 0; at < all.size(); ++at) {
    OnChip& of = of_chip[chips[at]];
    of.used += all[at].bytes().size() + VertexData::overhead;
    if (all[at].needs_room()) ++of.sharing, of.a_tick += all[at].room_for(1);
  }
  for (std::size_t at = 0; at < all.size() && most != 0; ++at) {
    if (!all[at].needs_room()) continue;
    const OnChip& of = of_chip[chips[at]];
    const std::uint64_t has = machine.sdram_bytes(chips[at]), left = has > of.used ? has - of.used : 0;
    const std::uint64_t share =
        left < of.a_tick ? left / of.sharing : all[at].room_for(1) + (left - of.a_tick) / of.sharing;
    std::uint64_t least = 0; // room_for(least) <= share
    while (least < most) {
      const std::uint64_t middle = least + (most - least + 1) / 2;
      if (all[at].room_for(middle) <= share)
        least = middle;
      else
        most = middle - 1;
    }
    tight = {static_cast<mapping::Vertex>(at), share};
  }
  return most;
}

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
