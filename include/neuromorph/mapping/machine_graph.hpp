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

#include <algorithm>
#include <bit>
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
/// What a vertex takes of its chip's memory for a run of so many steps.
[[nodiscard]] constexpr std::uint64_t sdram_of(const Resources& resources, std::uint64_t steps) noexcept {
  return resources.sdram_bytes + resources.sdram_per_step * steps;
}

struct PartitionOptions {
  std::string identifier = {};   ///< of the kind of message
  double packets_per_step = 1.0; ///< expected, for loads of links
  std::uint32_t keys = 1;        ///< how many different ones it sends, such as one for each neuron
  friend bool operator==(const PartitionOptions&, const PartitionOptions&) = default;
};

class MachineGraph {
public:
  Vertex add(const Resources& resources, std::string name = {}) {
    kind_of_.push_back(same_among(kinds_, resources));
    if (!name.empty()) names_.emplace_back(vertices() - 1, std::move(name));
    return vertices() - 1;
  }
  /// An outgoing partition. A target may be the source itself; one that is named twice is one target.
  Partition connect(Vertex source, std::span<const Vertex> targets, const PartitionOptions& options = {}) {
    sources_.push_back(source);
    targets_.insert(targets_.end(), targets.begin(), targets.end());
    first_.push_back(targets_.size());
    options_of_.push_back(same_among(options_, options));
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
  /// Vertices of one kind have the same resources, `kinds()[kind(vertex)]`; not all that have the same are of one kind.
  [[nodiscard]] std::uint32_t kind(Vertex vertex) const noexcept { return kind_of_[vertex]; }
  [[nodiscard]] const std::vector<Resources>& kinds() const noexcept { return kinds_; }
  [[nodiscard]] Vertex source(Partition partition) const noexcept { return sources_[partition]; }
  [[nodiscard]] std::span<const Vertex> targets(Partition partition) const noexcept {
    return std::span(targets_).subspan(first_[partition], first_[partition + 1] - first_[partition]);
  }
  [[nodiscard]] const PartitionOptions& options(Partition partition) const noexcept {
    return options_[options_of_[partition]];
  }
  /// The same for graphs that are the same but for names, another one after any change. What is mapped keeps it.
  /// \cost O(vertices + edges)
  [[nodiscard]] std::uint64_t digest() const noexcept {
    Digest all(vertices());
    for (const std::uint32_t kind : kind_of_) {
      const Resources& one = kinds_[kind];
      all.add(one.dtcm_bytes, one.sdram_bytes), all.add(one.sdram_per_step, one.cycles_per_step);
      all.add(one.ip_tags, one.reverse_tags);
    }
    for (Partition partition = 0; partition < partitions(); ++partition) {
      const PartitionOptions& one = options(partition);
      const auto packets = std::bit_cast<std::uint64_t>(one.packets_per_step);
      all.add(source(partition), one.keys), all.add(packets >> 32, packets);
      all.add(targets(partition).size(), one.identifier.size());
      for (const char letter : one.identifier) all.add(static_cast<unsigned char>(letter), 0);
    }
    for (std::size_t at = 0; at + 1 < targets_.size(); at += 2) all.add(targets_[at], targets_[at + 1]);
    if (targets_.size() % 2 != 0) all.add(targets_.back(), 0);
    return all.end();
  }
  /// "vertex 3, retina", or "vertex 3" where it was given no name.
  [[nodiscard]] std::string name(Vertex vertex) const {
    const auto at = place_of_name(vertex);
    const std::string number = "vertex " + std::to_string(vertex);
    return at == names_.end() ? number : number + ", " + at->second;
  }
  /// What a vertex was named, or nothing.
  [[nodiscard]] std::string given_name(Vertex vertex) const {
    const auto at = place_of_name(vertex);
    return at == names_.end() ? std::string() : at->second;
  }
  /// "partition 5, state, of vertex 3, retina"
  [[nodiscard]] std::string partition_name(Partition partition) const {
    const std::string& identifier = options(partition).identifier;
    return "partition " + std::to_string(partition) + (identifier.empty() ? "" : ", " + identifier + ",") + " of " +
           name(source(partition));
  }

private:
  /// Of pairs of words; two chains of multiplications take turns, so that one does not wait for the other.
  class Digest {
  public:
    explicit Digest(std::uint64_t begin) noexcept : first_(begin) {}
    void add(std::uint64_t one, std::uint64_t other) noexcept {
      const std::uint64_t mixed = (first_ ^ (one << 32 | (other & 0xFFFFFFFF))) * 0x9E3779B97F4A7C15;
      first_ = second_, second_ = mixed ^ mixed >> 32;
    }
    [[nodiscard]] std::uint64_t end() const noexcept {
      const std::uint64_t mixed = (first_ * 0xBF58476D1CE4E5B9 ^ second_) * 0x94D049BB133111EB;
      return mixed ^ mixed >> 31;
    }

  private:
    std::uint64_t first_, second_ = 0x2545F4914F6CDD1D;
  };

  /// The place of one like it among the last ones, or of itself behind them.
  template <class Item>
  [[nodiscard]] static std::uint32_t same_among(std::vector<Item>& items, const Item& item) {
    constexpr std::size_t most = 8;
    for (std::size_t back = 1; back <= items.size() && back <= most; ++back)
      if (items[items.size() - back] == item) return static_cast<std::uint32_t>(items.size() - back);
    items.push_back(item);
    return static_cast<std::uint32_t>(items.size() - 1);
  }

  using Names = std::vector<std::pair<Vertex, std::string>>;
  [[nodiscard]] Names::const_iterator place_of_name(Vertex vertex) const {
    const auto at = std::lower_bound(names_.begin(), names_.end(), vertex,
                                     [](const Names::value_type& one, Vertex wanted) { return one.first < wanted; });
    return at != names_.end() && at->first == vertex ? at : names_.end();
  }

  std::vector<Resources> kinds_; // of equal ones that follow soon one is kept
  std::vector<std::uint32_t> kind_of_;
  Names names_; // ascending
  std::vector<Vertex> sources_, targets_;
  std::vector<std::size_t> first_{0}; // [partition], and one more
  std::vector<PartitionOptions> options_;
  std::vector<std::uint32_t> options_of_;
};

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
