// SPDX-License-Identifier: BSL-1.0
/// \file
/// A graph whose vertices are programs that fit a core, and whose partitions are messages of one kind to many of them.
///
///     mapping::MachineGraph graph;
///     const auto cell = graph.add({.dtcm_bytes = 4096, .sdram_bytes = 1024}, "cell 0");
///     const auto state = graph.connect(cell, neighbours, {.identifier = "state"});
///
/// Vertices and partitions are numbers from 0 in the order in which they were added.
// host-only
#ifndef NEUROMORPH_MAPPING_MACHINE_GRAPH_HPP
#define NEUROMORPH_MAPPING_MACHINE_GRAPH_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

using Vertex = std::uint32_t;
using Partition = std::uint32_t;

/// What a vertex takes of its core, and of its chip.
struct Resources {
  std::uint32_t dtcm_bytes = 0;      ///< of its core
  std::uint32_t sdram_bytes = 0;     ///< of its chip, whatever the length of a run
  std::uint32_t sdram_per_step = 0;  ///< of its chip, in bytes, for what is recorded
  std::uint32_t cycles_per_step = 0; ///< of its core
  std::uint32_t ip_tags = 0, reverse_tags = 0;
  friend bool operator==(const Resources&, const Resources&) = default;
};

struct PartitionOptions {
  std::string identifier = {};   ///< of the kind of message
  double packets_per_step = 1.0; ///< expected, for loads of links
  std::uint32_t keys = 1;        ///< how many different ones it sends, such as one for each neuron
};

class MachineGraph {
public:
  Vertex add(const Resources& resources, std::string name = {}) {
    if (kinds_.empty() || !(kinds_.back() == resources)) kinds_.push_back(resources);
    kind_of_.push_back(static_cast<std::uint32_t>(kinds_.size() - 1));
    if (!name.empty()) names_.emplace_back(vertices() - 1, std::move(name));
    return vertices() - 1;
  }
  /// An outgoing partition. A target may be the source itself; one that is named twice is one target.
  Partition connect(Vertex source, std::span<const Vertex> targets, const PartitionOptions& options = {}) {
    sources_.push_back(source);
    targets_.insert(targets_.end(), targets.begin(), targets.end());
    first_.push_back(targets_.size());
    if (options_.empty() || !is_alike(options_.back(), options)) options_.push_back(options);
    options_of_.push_back(static_cast<std::uint32_t>(options_.size() - 1));
    return partitions() - 1;
  }
  void reserve(std::size_t vertices, std::size_t partitions, std::size_t targets) {
    kind_of_.reserve(vertices), sources_.reserve(partitions), options_of_.reserve(partitions);
    first_.reserve(partitions + 1), targets_.reserve(targets);
  }

  [[nodiscard]] std::uint32_t vertices() const noexcept { return static_cast<std::uint32_t>(kind_of_.size()); }
  [[nodiscard]] std::uint32_t partitions() const noexcept { return static_cast<std::uint32_t>(sources_.size()); }
  [[nodiscard]] std::size_t edges() const noexcept { return targets_.size(); }
  [[nodiscard]] const Resources& resources(Vertex vertex) const noexcept { return kinds_[kind_of_[vertex]]; }
  [[nodiscard]] Vertex source(Partition partition) const noexcept { return sources_[partition]; }
  [[nodiscard]] std::span<const Vertex> targets(Partition partition) const noexcept {
    return std::span(targets_).subspan(first_[partition], first_[partition + 1] - first_[partition]);
  }
  [[nodiscard]] const PartitionOptions& options(Partition partition) const noexcept {
    return options_[options_of_[partition]];
  }
  /// "vertex 3, retina", or "vertex 3" where it was given no name.
  [[nodiscard]] std::string name(Vertex vertex) const {
    std::size_t low = 0, high = names_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (names_[middle].first < vertex)
        low = middle + 1;
      else
        high = middle;
    }
    const std::string number = "vertex " + std::to_string(vertex);
    return low < names_.size() && names_[low].first == vertex ? number + ", " + names_[low].second : number;
  }

private:
  [[nodiscard]] static bool is_alike(const PartitionOptions& a, const PartitionOptions& b) noexcept {
    return a.identifier == b.identifier && a.packets_per_step == b.packets_per_step && a.keys == b.keys;
  }

  std::vector<Resources> kinds_; // runs of equal ones are kept once
  std::vector<std::uint32_t> kind_of_;
  std::vector<std::pair<Vertex, std::string>> names_; // ascending
  std::vector<Vertex> sources_, targets_;
  std::vector<std::size_t> first_{0}; // [partition], and one more
  std::vector<PartitionOptions> options_;
  std::vector<std::uint32_t> options_of_;
};

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
