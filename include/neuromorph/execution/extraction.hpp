// SPDX-License-Identifier: BSL-1.0
/// \file
/// What vertices have recorded and counted, brought from the memory of a machine: between the cycles of a run, or while it goes on.
///
///     execution::Extraction extraction(ask, fast, found, cores, blocks, data, name);
///     if (auto refusal = extraction.after_cycle(results, anomalies); !refusal) ...; // [vertex], appended
// host-only
#ifndef NEUROMORPH_EXECUTION_EXTRACTION_HPP
#define NEUROMORPH_EXECUTION_EXTRACTION_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/anomalies.hpp>
#include <neuromorph/execution/discovery.hpp>
#include <neuromorph/execution/fast_data.hpp>
#include <neuromorph/execution/loader.hpp>
#include <neuromorph/execution/transceiver.hpp>
#include <neuromorph/execution/vertex_data.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/protocols/bytes.hpp>
#include <neuromorph/protocols/control.hpp>
#include <neuromorph/protocols/data_regions.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/protocols/sdp.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

/// What a core has counted since it was loaded.
struct CoreProvenance {
  protocols::ProvenanceRegion runtime{};
  std::vector<std::uint32_t> counters{};
};
/// Of a vertex.
struct Results {
  std::vector<std::vector<std::uint8_t>> recorded{}; ///< [channel]
  bool is_missing = false;                           ///< some of it found no room
  CoreProvenance provenance{};
};

class Extraction {
public:
  /// \param ask, found           outlive this
  /// \param fast                 streams, or nullptr
  /// \param cores, blocks, data  likewise: vertices that are programs; the others by vertex
  /// \param in_words             in_words(vertex), for sentences
  Extraction(Transceiver& ask, FastData* fast, const Found& found, std::span<const mapping::Vertex> cores,
             std::span<const CoreBlock> blocks, std::span<const VertexData> data,
             std::function<std::string(mapping::Vertex)> in_words)
      : ask_(ask), fast_(fast), found_(found), cores_(cores), blocks_(blocks), data_(data),
        in_words_(std::move(in_words)) {}

  /// Of cores that have paused.
  /// \param to  [vertex]; recordings go behind what is there
  /// \errors rank_failed: a core's table is none any more, or says more than there is room for; those of Transceiver::finish
  [[nodiscard]] Refusal after_cycle(std::vector<Results>& to, Anomalies& anomalies) {
    std::vector<std::vector<std::uint8_t>> tables(data_.size()), counted(data_.size());
    for (const mapping::Vertex vertex : cores_) {
      const std::uint32_t at = blocks_[vertex].address;
      tables[vertex].resize(protocols::RecordingRegions::bytes(channels(vertex)));
      counted[vertex].resize(data_[vertex].recordings_at() - VertexData::provenance_at);
      ask_.read(x(vertex), y(vertex), at + data_[vertex].recordings_at(), tables[vertex]);
      ask_.read(x(vertex), y(vertex), at + VertexData::provenance_at, counted[vertex]);
    }
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    for (const mapping::Vertex vertex : cores_) {
      Results& of = to[vertex];
      const auto before = std::exchange(of.provenance.runtime, protocols::ProvenanceRegion::of(counted[vertex]).value);
      of.provenance.counters.clear();
      for (std::size_t at = protocols::ProvenanceRegion::bytes; at < counted[vertex].size(); at += 4)
        of.provenance.counters.push_back(protocols::word_at(counted[vertex], at));
      anomalies.core(in_words_(vertex), before, of.provenance.runtime);
      of.recorded.resize(channels(vertex));
      const auto table = protocols::RecordingRegions::of(tables[vertex]);
      if (!table || table.value.channels() != channels(vertex)) {
        refuse(vertex, "its table of recordings was written over; a program does so that has more counters than its "
                       "vertex says");
        continue;
      }
      for (std::size_t channel = 0; channel < channels(vertex); ++channel) {
        const auto one = table.value[channel];
        if (one)
          take(vertex, channel, {one.value.address, one.value.written, one.value.is_missing}, of, anomalies);
        else
          refuse(vertex, too_much);
      }
    }
    return finish();
  }
  /// Of cores that go on in the other halves of their rooms.
  /// \param number  of the swap in this run, from 1
  /// \errors as `after_cycle`
  [[nodiscard]] Refusal while_running(std::uint32_t number, std::vector<Results>& to, Anomalies& anomalies) {
    std::vector<std::vector<protocols::SwappedRecording>> left(data_.size());
    for (const mapping::Vertex vertex : cores_) {
      left[vertex].resize(channels(vertex));
      const protocols::SdpEnd port{static_cast<std::uint8_t>(x(vertex)), static_cast<std::uint8_t>(y(vertex)),
                                   std::uint8_t(protocols::SdpPort::output_buffering), blocks_[vertex].at.core};
      for (std::uint32_t channel = 0; channel < channels(vertex); ++channel)
        ask_.ask_by(
            port,
            [channel, number](std::uint16_t sequence) {
              return protocols::RecordingSwap{channel, number}.request(sequence);
            },
            [&one = left[vertex][channel]](const protocols::ScpReply& reply) {
              one = protocols::SwappedRecording::of(reply.argument(0), reply.argument(1));
            });
    }
    if (Refusal refusal = ask_.finish(); !refusal) return refusal;
    for (const mapping::Vertex vertex : cores_) {
      to[vertex].recorded.resize(channels(vertex));
      for (std::size_t channel = 0; channel < channels(vertex); ++channel)
        take(vertex, channel, left[vertex][channel], to[vertex], anomalies);
    }
    return finish();
  }

private:
  static constexpr const char* too_much = "it says to have recorded more than it has room for";
  /// Reads it behind what there is of a channel, by `finish`.
  void take(mapping::Vertex vertex, std::size_t channel, const protocols::SwappedRecording& one, Results& of,
            Anomalies& anomalies) {
    if (one.written > blocks_[vertex].bytes) return refuse(vertex, too_much);
    if (one.is_missing && !std::exchange(of.is_missing, true)) anomalies.missing(in_words_(vertex));
    std::vector<std::uint8_t>& recorded = of.recorded[channel];
    const std::size_t begin = recorded.size();
    recorded.resize(begin + one.written);
    const std::span<std::uint8_t> bytes = std::span(recorded).subspan(begin);
    if (fast_ != nullptr)
      fast_->read(blocks_[vertex].at.chip, one.address, bytes);
    else
      ask_.read(x(vertex), y(vertex), one.address, bytes);
  }
  /// What others have recorded is read, whoever was refused.
  [[nodiscard]] Refusal finish() {
    Refusal refusal = fast_ != nullptr ? fast_->finish() : ask_.finish();
    return refusal_.ok() ? refusal : refusal_;
  }
  void refuse(mapping::Vertex vertex, const char* why) {
    if (refusal_.ok()) refusal_ = {{Error::rank_failed, vertex, 0, "recordings"}, in_words_(vertex), why};
  }
  [[nodiscard]] std::size_t channels(mapping::Vertex vertex) const noexcept {
    return data_[vertex].program().recordings.size();
  }
  [[nodiscard]] unsigned x(mapping::Vertex vertex) const noexcept { return found_.machine.x(blocks_[vertex].at.chip); }
  [[nodiscard]] unsigned y(mapping::Vertex vertex) const noexcept { return found_.machine.y(blocks_[vertex].at.chip); }

  Transceiver& ask_;
  FastData* fast_;
  const Found& found_;
  std::span<const mapping::Vertex> cores_;
  std::span<const CoreBlock> blocks_; // [vertex]
  std::span<const VertexData> data_;  // [vertex]
  std::function<std::string(mapping::Vertex)> in_words_;
  Refusal refusal_{}; // the first
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
