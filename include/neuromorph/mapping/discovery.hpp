// SPDX-License-Identifier: BSL-1.0
/// \file
/// How large a machine has to be for a graph, which of its resources decides that, and a machine of that size.
///
///     const auto needed = mapping::boards_needed<mapping::SpiNNaker1>(graph, constraints);
///     std::puts(needed.value().text().c_str());
///     auto machine = mapping::discover<mapping::SpiNNaker1>(graph, constraints);
///
/// Vertices are packed into chips, the largest first, by cores and SDRAM together; vertices that must be on one chip are one.
/// Whether routers have entries enough is known only when all is mapped.
/// \source A. G. D. Rowley et al., SpiNNTools, Front. Neurosci. 13:231 (2019), algorithm 1, for machines that are allocated
// host-only
#ifndef NEUROMORPH_MAPPING_DISCOVERY_HPP
#define NEUROMORPH_MAPPING_DISCOVERY_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/constraints.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/tags.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

/// What makes a machine as large as it is.
enum class SizeLimit : std::uint8_t { cores, sdram, cores_and_sdram, tags };
[[nodiscard]] constexpr const char* name(SizeLimit limit) noexcept {
  constexpr const char* names[] = {"cores", "SDRAM", "cores and SDRAM together", "tags"};
  return names[unsigned(limit)];
}

struct MachineNeeded {
  std::uint64_t cores = 0, sdram_bytes = 0, tags = 0; ///< of all vertices
  std::uint32_t chips_for_cores = 0;                  ///< if none of them stayed free
  std::uint32_t chips_for_sdram = 0;                  ///< likewise
  std::uint32_t chips = 0; ///< that are packed; no packing has fewer than each of those above
  std::uint32_t boards = 0;
  std::uint32_t chips_of_board = 48; ///< or 4
  SizeLimit limit = SizeLimit::cores;

  /// "10 cores, 200000000 bytes of SDRAM and 0 tags need 2 chips on 1 board of 4; SDRAM decides."
  [[nodiscard]] std::string text() const {
    const auto counted = [](std::uint64_t count, const char* what) {
      return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    };
    return counted(cores, "core") + ", " + std::to_string(sdram_bytes) + " bytes of SDRAM and " + counted(tags, "tag") +
           " need " + counted(chips, "chip") + " on " + counted(boards, "board") + " of " +
           std::to_string(chips_of_board) + "; " + name(limit) + (limit == SizeLimit::sdram ? " decides." : " decide.");
  }
};

struct DiscoveryOptions {
  bool takes_board_of_4 = true; ///< where it is large enough
};

namespace detail {

/// So many vertices, or groups of vertices on one chip, that take the same.
struct Parcel {
  std::uint64_t size = 0; ///< the larger share of a chip, of cores and SDRAM
  std::uint64_t bytes = 0;
  std::uint32_t cores = 0, count = 0;
};

/// Chips that parcels are packed into: each into the first one that has room.
class Packing {
public:
  /// \param most  chips; none is asked for beyond these
  Packing(std::uint32_t cores, std::uint64_t bytes, std::size_t most, const Parcel& least)
      : least_(least), leaves_(std::bit_ceil((std::max)(most, std::size_t{1}))), left_(2 * leaves_, {bytes, cores}) {}
  void add(const Parcel& parcel) {
    std::size_t chip = first(1, parcel);
    for (std::uint32_t count = parcel.count;;) {
      Left& left = left_[chip];
      std::uint32_t fit = (std::min)(count, left.cores / parcel.cores);
      if (parcel.bytes != 0)
        fit = static_cast<std::uint32_t>((std::min)(std::uint64_t{fit}, left.bytes / parcel.bytes));
      left.bytes -= parcel.bytes * fit, left.cores -= parcel.cores * fit, count -= fit;
      if (left.bytes < least_.bytes || left.cores < least_.cores) left = {0, 0}; // full for all
      used_ = (std::max)(used_, chip - leaves_ + 1);
      for (std::size_t at = chip / 2; at != 0; at /= 2)
        left_[at] = {(std::max)(left_[2 * at].bytes, left_[2 * at + 1].bytes),
                     (std::max)(left_[2 * at].cores, left_[2 * at + 1].cores)};
      if (count == 0) return;
      chip = after(chip, parcel);
    }
  }
  [[nodiscard]] std::uint32_t chips() const noexcept { return static_cast<std::uint32_t>(used_); }

private:
  struct Left {
    std::uint64_t bytes;
    std::uint32_t cores;
  };
  /// The first chip with room below a node, or 0.
  [[nodiscard]] std::size_t first(std::size_t node, const Parcel& parcel) const noexcept {
    if (left_[node].bytes < parcel.bytes || left_[node].cores < parcel.cores) return 0;
    if (node >= leaves_) return node;
    const std::size_t found = first(2 * node, parcel);
    return found != 0 ? found : first(2 * node + 1, parcel);
  }
  /// The first one behind a chip. There is always one: an empty chip, as there are as many as parcels.
  [[nodiscard]] std::size_t after(std::size_t chip, const Parcel& parcel) const noexcept {
    for (std::size_t node = chip;; node /= 2) {
      if (node % 2 != 0) continue;
      const std::size_t found = first(node + 1, parcel);
      if (found != 0) return found;
    }
  }

  Parcel least_; ///< of bytes and of cores that any takes
  std::size_t leaves_, used_ = 0;
  std::vector<Left> left_; ///< a heap: what the chip below with most of each has left
};

/// What is packed, or which vertex is larger than a core or a chip.
/// \param cores  of a chip, for users
[[nodiscard]] inline Answer<std::vector<Parcel>> parcels(const MachineGraph& graph, const Constraints& constraints,
                                                         const ChipKind& kind, std::uint32_t cores) {
  const auto refused = [&](Vertex vertex, const char* parameter, std::uint64_t value, std::string why) {
    return Refusal{{Error::unmappable, vertex, value, parameter}, graph.name(vertex), std::move(why)};
  };
  const auto has_more = [&](Vertex vertex, const char* parameter, std::uint64_t takes, const std::string& of,
                            std::uint64_t has) {
    return refused(vertex, parameter, takes, "takes " + std::to_string(takes) + of + std::to_string(has));
  };
  const auto no_vertex = [&](Vertex vertex) {
    return Refusal{{Error::index_out_of_range, vertex, vertex, "vertex"},
                   "constraints",
                   "vertex " + std::to_string(vertex) + " is named, and the graph has " +
                       std::to_string(graph.vertices())};
  };
  // Trees of vertices that are on one chip; empty where there are none.
  std::vector<Vertex> parent;
  const auto root = [&](Vertex vertex) {
    while (parent[vertex] != vertex) vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
  };
  const auto join = [&](const std::vector<Vertex>& vertices) {
    if (parent.empty()) parent.resize(graph.vertices()), std::iota(parent.begin(), parent.end(), Vertex{0});
    for (const Vertex vertex : vertices) {
      const Vertex a = root(vertices.front()), b = root(vertex);
      parent[(std::max)(a, b)] = (std::min)(a, b);
    }
  };
  std::vector<std::uint8_t> is_device;
  for (const OnChip& one : constraints.devices) {
    if (one.vertex >= graph.vertices()) return no_vertex(one.vertex);
    is_device.resize(graph.vertices(), 0);
    is_device[one.vertex] = 1;
  }
  for (const auto& group : constraints.same_chip)
    for (const Vertex vertex : group)
      if (vertex >= graph.vertices()) return no_vertex(vertex);
  for (const SharedSdram& one : constraints.shared_sdram)
    for (const Vertex vertex : one.vertices)
      if (vertex >= graph.vertices()) return no_vertex(vertex);
  for (const auto& group : constraints.same_chip)
    if (!group.empty()) join(group);
  for (const SharedSdram& one : constraints.shared_sdram)
    if (!one.vertices.empty()) join(one.vertices);

  const std::uint64_t cycles = std::uint64_t{constraints.step_us} * kind.clock_mhz;
  std::vector<Parcel> all, of_root(parent.size());
  const auto add = [&](std::uint64_t bytes, std::uint32_t count_of_cores) {
    if (all.empty() || all.back().bytes != bytes || all.back().cores != count_of_cores)
      all.push_back(
          {(std::max)(bytes * cores, std::uint64_t{count_of_cores} * kind.sdram_bytes), bytes, count_of_cores, 0});
    ++all.back().count;
  };
  for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex) {
    if (!is_device.empty() && is_device[vertex] != 0) continue;
    const Resources& takes = graph.resources(vertex);
    const std::uint64_t recorded = std::uint64_t{constraints.steps} * takes.sdram_per_step;
    const std::uint64_t bytes = recorded > ~std::uint64_t{takes.sdram_bytes} ? recorded : recorded + takes.sdram_bytes;
    if (takes.dtcm_bytes > kind.dtcm_bytes)
      return has_more(vertex, "dtcm_bytes", takes.dtcm_bytes, " bytes of DTCM, and a core has ", kind.dtcm_bytes);
    if (cycles != 0 && takes.cycles_per_step > cycles)
      return has_more(vertex, "cycles_per_step", takes.cycles_per_step, " cycles of a step, and a core has ", cycles);
    if (bytes > kind.sdram_bytes)
      return has_more(vertex, "sdram_bytes", bytes, " bytes of SDRAM, and a chip has ", kind.sdram_bytes);
    if (parent.empty()) {
      add(bytes, 1);
    } else {
      Parcel& whole = of_root[root(vertex)];
      whole.bytes += bytes, ++whole.cores;
    }
  }
  for (const SharedSdram& one : constraints.shared_sdram) {
    if (one.vertices.empty()) continue;
    const std::uint64_t recorded = std::uint64_t{constraints.steps} * one.bytes_per_step;
    if (recorded > kind.sdram_bytes || recorded + one.bytes > kind.sdram_bytes)
      return has_more(one.vertices.front(), "shared_sdram",
                      recorded > kind.sdram_bytes ? recorded : recorded + one.bytes,
                      " bytes of SDRAM with those that share it, and a chip has ", kind.sdram_bytes);
    of_root[root(one.vertices.front())].bytes += recorded + one.bytes;
  }
  for (Vertex vertex = 0; vertex < parent.size(); ++vertex) {
    const Parcel& whole = of_root[vertex];
    if (whole.cores == 0) continue; // no root, or devices alone
    if (whole.cores > cores)
      return has_more(vertex, "same_chip", whole.cores, " cores with those on its chip, and a chip has ", cores);
    if (whole.bytes > kind.sdram_bytes)
      return has_more(vertex, "same_chip", whole.bytes, " bytes of SDRAM with those on its chip, and a chip has ",
                      kind.sdram_bytes);
    add(whole.bytes, whole.cores);
  }
  std::sort(all.begin(), all.end(), [](const Parcel& a, const Parcel& b) {
    return a.size != b.size ? a.size > b.size : a.bytes != b.bytes ? a.bytes > b.bytes : a.cores > b.cores;
  });
  return all;
}

} // namespace detail

/// \tparam Kind  of the machine
/// \errors unmappable: a vertex, or vertices that must be on one chip, take more than there is, or all more than the largest
///         machine has; index_out_of_range: a constraint names no vertex of the graph; parameters_contradict: no core is left
/// \cost   O(vertices), and a sort of those that take different amounts
template <class Kind = SpiNNaker1>
[[nodiscard]] Answer<MachineNeeded> boards_needed(const MachineGraph& graph, const Constraints& constraints = {},
                                                  const DiscoveryOptions& options = {}) {
  constexpr ChipKind kind = detail::kind_of<Kind>();
  std::uint32_t bits = ((1U << kind.cores) - 1) & ~((1U << kind.monitors) - 1);
  for (const ReservedCore& one : constraints.reserved_cores)
    if (one.chip == no_chip && one.core < kind.cores) bits &= ~(1U << one.core);
  const auto cores = static_cast<std::uint32_t>(std::popcount(bits));
  if (cores == 0)
    return Refusal{
        {Error::parameters_contradict, 0, 0, "reserved_cores"}, "machine", "every core of a chip is reserved"};
  auto made = detail::parcels(graph, constraints, kind, cores);
  if (!made) return made.refusal();

  MachineNeeded needed;
  std::size_t most = 0;
  detail::Parcel least{.bytes = ~std::uint64_t{0}, .cores = 1};
  for (const detail::Parcel& one : made.value()) {
    needed.cores += std::uint64_t{one.cores} * one.count, needed.sdram_bytes += one.bytes * one.count;
    most += one.count, least.bytes = (std::min)(least.bytes, one.bytes);
  }
  const auto packed = [&](std::uint32_t cores_of_chip, std::uint64_t bytes_of_chip) {
    detail::Packing packing(cores_of_chip, bytes_of_chip, most, least);
    for (const detail::Parcel& one : made.value()) packing.add(one);
    return packing.chips();
  };
  constexpr std::uint64_t no_limit = ~std::uint64_t{0} >> 1;
  needed.chips = packed(cores, kind.sdram_bytes);
  needed.chips_for_cores = static_cast<std::uint32_t>((needed.cores + cores - 1) / cores);
  if (kind.sdram_bytes != 0)
    needed.chips_for_sdram = static_cast<std::uint32_t>((needed.sdram_bytes + kind.sdram_bytes - 1) / kind.sdram_bytes);
  if (needed.chips != needed.chips_for_cores && needed.chips != packed(cores, no_limit))
    needed.limit = needed.chips == packed(0xFFFFFFFF, kind.sdram_bytes) ? SizeLimit::sdram : SizeLimit::cores_and_sdram;
  needed.tags = different_tags(graph, constraints);
  if (needed.tags != 0 && kind.tags == 0)
    return Refusal{
        {Error::unmappable, 0, needed.tags, "tags"}, "machine", "vertices ask for tags, and this kind has none"};
  const std::uint64_t for_tags = needed.tags == 0 ? 0 : (needed.tags + kind.tags - 1) / kind.tags;
  if (options.takes_board_of_4 && needed.chips <= 4 && for_tags <= 1) {
    needed.boards = 1, needed.chips_of_board = 4;
    return needed;
  }
  const std::uint64_t for_chips = (std::uint64_t{needed.chips} + 47) / 48;
  if (for_tags > (std::max)(for_chips, std::uint64_t{1})) needed.limit = SizeLimit::tags;
  const std::uint64_t boards = (std::max)({for_chips, for_tags, std::uint64_t{1}});
  constexpr std::uint64_t largest = std::uint64_t{3} * most_triads * most_triads;
  if (boards > largest)
    return Refusal{{Error::unmappable, 0, boards, "boards"},
                   "machine",
                   "for " + std::string(name(needed.limit)) + " it would need " + std::to_string(boards) +
                       " boards, and the largest one has " + std::to_string(largest)};
  needed.boards = static_cast<std::uint32_t>(boards);
  return needed;
}

/// The smallest machine that has as many boards as a graph needs.
/// \errors as boards_needed
template <class Kind = SpiNNaker1>
[[nodiscard]] Answer<Machine> discover(const MachineGraph& graph, const Constraints& constraints = {},
                                       const DiscoveryOptions& options = {}) {
  const auto needed = boards_needed<Kind>(graph, constraints, options);
  if (!needed) return needed.refusal();
  return needed.value().chips_of_board == 4 ? board_of_4<Kind>() : machine_of_boards<Kind>(needed.value().boards);
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
