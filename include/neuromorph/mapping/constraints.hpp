// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a user demands of vertices and partitions besides that they work: where they run, with whom, and which keys they have.
///
///     mapping::Constraints constraints;
///     constraints.on_core.push_back({.vertex = 7, .chip = machine.chip_at(0, 0), .core = 3});
///     constraints.same_chip.push_back({8, 9, 10});
///     if (const auto fits = mapping::check(graph, machine, constraints); !fits) std::puts(fits.sentence().c_str());
///
/// `gather` joins all of them by vertex, for those who place; `verify` says whether placements keep them. No two vertices share a
/// core. A device takes no core and none of the memory of its chip.
// host-only
#ifndef NEUROMORPH_MAPPING_CONSTRAINTS_HPP
#define NEUROMORPH_MAPPING_CONSTRAINTS_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

struct OnChip {
  Vertex vertex = 0;
  Chip chip = no_chip;
};
struct OnCore {
  Vertex vertex = 0;
  Chip chip = no_chip;
  std::uint8_t core = 0;
};
struct OnBoard {
  Vertex vertex = 0;
  Chip ethernet = no_chip; ///< the chip of the board that has its Ethernet
};
/// As near to a chip as there is room; no demand that could fail.
struct NearChip {
  Vertex vertex = 0;
  Chip chip = no_chip;
};
/// A core that no vertex gets.
struct ReservedCore {
  Chip chip = no_chip; ///< no_chip: of every chip
  std::uint8_t core = 0;
};
/// A block of SDRAM that these vertices share, which are on one chip for that. It is not in their resources.
struct SharedSdram {
  std::vector<Vertex> vertices = {};
  std::uint32_t bytes = 0, bytes_per_step = 0;
};
struct FixedKeys {
  Partition partition = 0;
  KeyMask keys = {};
};
/// Where messages by an IP tag of a vertex go. It is one of those that its resources count.
struct IpTag {
  static constexpr std::uint8_t any = 0xFF;
  Vertex vertex = 0;
  std::string host = {}; ///< an address or a name; not looked up here
  std::uint16_t port = 0;
  bool strips_header = true;
  std::uint8_t tag = any;
  Chip ethernet = no_chip; ///< no_chip: of the board that the vertex is on
};
/// What a vertex gets that is sent to a port of a board. It is one of those that its resources count.
struct ReverseTag {
  Vertex vertex = 0;
  std::uint16_t port = 0; ///< 0: any that is free
  std::uint8_t sdp_port = 1;
  std::uint8_t tag = IpTag::any;
  Chip ethernet = no_chip; ///< no_chip: of the board that the vertex is on
};

struct Constraints {
  std::uint32_t steps = 0;   ///< for which what is recorded must fit, Resources::sdram_per_step
  std::uint32_t step_us = 0; ///< length of a step, for the cycles of a core; 0: they are not looked at
  std::vector<OnChip> on_chip = {};
  std::vector<OnChip> devices = {}; ///< a vertex that is a device, and its virtual chip
  std::vector<OnCore> on_core = {};
  std::vector<OnBoard> on_board = {};
  std::vector<NearChip> near_chip = {};
  std::vector<std::vector<Vertex>> same_chip = {};
  std::vector<SharedSdram> shared_sdram = {};
  std::vector<ReservedCore> reserved_cores = {};
  std::vector<FixedKeys> fixed_keys = {};
  std::vector<std::vector<Partition>> same_keys = {}; ///< partitions that send the same keys
  std::vector<IpTag> ip_tags = {};
  std::vector<ReverseTag> reverse_tags = {};
};

/// Vertices that are together, or one that is not free.
struct Group {
  Chip chip = no_chip;           ///< the only one that it may be on
  Board board = no_board;        ///< that it must be on
  Chip near_to = no_chip;        ///< where there is room
  bool is_device = false;        ///< its chip is virtual, and gives nothing
  std::uint32_t cores = 0;       ///< that it takes of its chip
  std::uint64_t sdram_bytes = 0; ///< that it takes of its chip; what its vertices share counts once
};
/// Constraints by vertex. Groups are in the order of their first vertices, vertices of a group ascend.
struct Groups {
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  static constexpr std::uint8_t any_core = 0xFF;

  std::vector<Group> groups = {};
  Lists<Vertex> vertices = {};              ///< [group]
  std::vector<std::uint8_t> core = {};      ///< beside vertices.items: a core, or any_core
  std::vector<std::uint32_t> group_of = {}; ///< [vertex]; empty where there is no group
  std::vector<std::uint32_t> cores = {};    ///< [chip] a bit for each core that is not reserved

  /// The group of a vertex, or none where it is free.
  [[nodiscard]] std::uint32_t of(Vertex vertex) const noexcept { return group_of.empty() ? none : group_of[vertex]; }
};

namespace detail {

/// "cores 1, 2 and 4", "no core".
[[nodiscard]] inline std::string cores_in_words(std::uint32_t bits) {
  if (bits == 0) return "no core";
  std::string words = std::has_single_bit(bits) ? "core" : "cores";
  for (std::uint32_t left = bits; left != 0; left &= left - 1)
    words += (left == bits ? " " : std::has_single_bit(left) ? " and " : ", ") + std::to_string(std::countr_zero(left));
  return words;
}
[[nodiscard]] inline std::string counted(std::uint64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

/// Joins constraints by vertex, and says where they contradict each other or the machine.
class Gatherer {
public:
  Gatherer(const MachineGraph& graph, const Machine& machine, const Constraints& constraints)
      : graph_(graph), machine_(machine), constraints_(constraints) {}

  [[nodiscard]] Answer<Groups> gathered() {
    for (const auto step : {&Gatherer::check_names, &Gatherer::check_vertices, &Gatherer::reserve, &Gatherer::join,
                            &Gatherer::place_chips, &Gatherer::place_cores, &Gatherer::place_boards, &Gatherer::fit,
                            &Gatherer::check_tags, &Gatherer::check_keys})
      if (Refusal refusal = (this->*step)(); !refusal) return refusal;
    return std::move(groups_);
  }

private:
  [[nodiscard]] Refusal refused(Vertex vertex, const char* parameter, GivenValue value, std::string why,
                                Error error = Error::unmappable) const {
    return {{error, vertex, value, parameter}, graph_.name(vertex), std::move(why)};
  }
  [[nodiscard]] Refusal no_vertex(const char* parameter, Vertex vertex) const {
    return {{Error::index_out_of_range, vertex, vertex, parameter},
            parameter,
            "vertex " + std::to_string(vertex) + " is named, and the graph has " + std::to_string(graph_.vertices())};
  }
  [[nodiscard]] bool is_real(Chip chip) const noexcept { return machine_.has(chip) && !machine_.is_virtual(chip); }
  /// Why a vertex cannot be on a chip of the rectangle.
  [[nodiscard]] std::string missing(Chip chip) const {
    if (chip < machine_.grid_chips()) return machine_.name(chip) + ", which is missing";
    if (chip < machine_.chips()) return machine_.name(chip) + ", where only the device is";
    return machine_.name(chip) + ", and the machine is of " + std::to_string(machine_.width()) + " x " +
           std::to_string(machine_.height()) + " chips";
  }

  /// That all vertices, partitions, chips and cores exist.
  [[nodiscard]] Refusal check_names() {
    const Vertex end = graph_.vertices();
    for (const OnChip& one : constraints_.on_chip) {
      if (one.vertex >= end) return no_vertex("on_chip", one.vertex);
      if (!is_real(one.chip)) return refused(one.vertex, "on_chip", one.chip, "must be on " + missing(one.chip));
    }
    for (const OnChip& one : constraints_.devices) {
      if (one.vertex >= end) return no_vertex("devices", one.vertex);
      if (!machine_.has(one.chip) || !machine_.is_virtual(one.chip))
        return refused(one.vertex, "devices", one.chip,
                       "is a device and must be on " + machine_.name(one.chip) + ", which stands for no device");
    }
    for (const OnCore& one : constraints_.on_core) {
      if (one.vertex >= end) return no_vertex("on_core", one.vertex);
      if (!is_real(one.chip)) return refused(one.vertex, "on_core", one.chip, "must be on " + missing(one.chip));
    }
    for (const OnBoard& one : constraints_.on_board) {
      if (one.vertex >= end) return no_vertex("on_board", one.vertex);
      if (!is_ethernet(one.ethernet))
        return refused(one.vertex, "on_board", one.ethernet,
                       "must be on the board of " + machine_.name(one.ethernet) + ", which is no Ethernet chip");
    }
    for (const NearChip& one : constraints_.near_chip) {
      if (one.vertex >= end) return no_vertex("near_chip", one.vertex);
      if (one.chip >= machine_.grid_chips())
        return refused(one.vertex, "near_chip", one.chip, "must be near " + missing(one.chip));
    }
    for (const auto& group : constraints_.same_chip)
      for (const Vertex vertex : group)
        if (vertex >= end) return no_vertex("same_chip", vertex);
    for (const SharedSdram& one : constraints_.shared_sdram)
      for (const Vertex vertex : one.vertices)
        if (vertex >= end) return no_vertex("shared_sdram", vertex);
    for (const ReservedCore& one : constraints_.reserved_cores)
      if ((one.chip != no_chip && !is_real(one.chip)) || one.core >= 32)
        return {{Error::index_out_of_range, one.core, one.chip, "reserved_cores"},
                "reserved_cores",
                "core " + std::to_string(one.core) + " of " +
                    (one.chip == no_chip ? "every chip" : machine_.name(one.chip)) + " is reserved and not there"};
    return {};
  }
  [[nodiscard]] bool is_ethernet(Chip chip) const noexcept {
    return chip < machine_.grid_chips() && machine_.ethernet_of(chip) == chip;
  }

  /// That each fits a core of its own.
  [[nodiscard]] Refusal check_vertices() {
    const ChipKind& chip = machine_.kind();
    const std::uint64_t cycles = std::uint64_t{chip.clock_mhz} * constraints_.step_us;
    std::vector<std::uint8_t> is_bad(graph_.kinds().size());
    bool are_all_good = true;
    for (std::size_t kind = 0; kind < is_bad.size(); ++kind) {
      const Resources& of = graph_.kinds()[kind];
      is_bad[kind] = of.dtcm_bytes > chip.dtcm_bytes || (constraints_.step_us != 0 && of.cycles_per_step > cycles);
      are_all_good = are_all_good && is_bad[kind] == 0;
    }
    if (are_all_good) return {};
    std::vector<Vertex> devices;
    for (const OnChip& one : constraints_.devices) devices.push_back(one.vertex);
    std::sort(devices.begin(), devices.end());
    for (Vertex vertex = 0; vertex < graph_.vertices(); ++vertex) {
      if (is_bad[graph_.kind(vertex)] == 0 || std::binary_search(devices.begin(), devices.end(), vertex)) continue;
      const Resources& of = graph_.resources(vertex);
      if (of.dtcm_bytes > chip.dtcm_bytes)
        return refused(vertex, "dtcm_bytes", of.dtcm_bytes,
                       "needs " + std::to_string(of.dtcm_bytes) + " bytes of DTCM, and a core has " +
                           std::to_string(chip.dtcm_bytes));
      return refused(vertex, "cycles_per_step", of.cycles_per_step,
                     "needs " + std::to_string(of.cycles_per_step) + " cycles a step, and a core has " +
                         std::to_string(cycles) + " in " + std::to_string(constraints_.step_us) + " us");
    }
    return {};
  }

  [[nodiscard]] Refusal reserve() {
    groups_.cores.resize(machine_.chips());
    std::uint32_t everywhere = 0;
    for (const ReservedCore& one : constraints_.reserved_cores)
      if (one.chip == no_chip) everywhere |= 1U << one.core;
    for (Chip chip = 0; chip < machine_.chips(); ++chip) groups_.cores[chip] = machine_.cores(chip) & ~everywhere;
    for (const ReservedCore& one : constraints_.reserved_cores)
      if (one.chip != no_chip) groups_.cores[one.chip] &= ~(1U << one.core);
    return {};
  }

  /// Makes groups of vertices that are named.
  [[nodiscard]] Refusal join() {
    std::vector<Vertex> named;
    for (const auto* list : {&constraints_.on_chip, &constraints_.devices})
      for (const OnChip& one : *list) named.push_back(one.vertex);
    for (const OnCore& one : constraints_.on_core) named.push_back(one.vertex);
    for (const OnBoard& one : constraints_.on_board) named.push_back(one.vertex);
    for (const NearChip& one : constraints_.near_chip) named.push_back(one.vertex);
    for (const auto& group : constraints_.same_chip) named.insert(named.end(), group.begin(), group.end());
    for (const SharedSdram& one : constraints_.shared_sdram)
      named.insert(named.end(), one.vertices.begin(), one.vertices.end());
    if (named.empty()) return {};
    std::sort(named.begin(), named.end());
    named.erase(std::unique(named.begin(), named.end()), named.end());

    std::vector<Vertex> parent(graph_.vertices()); // the least of each is its root
    std::iota(parent.begin(), parent.end(), Vertex{0});
    const auto root = [&parent](Vertex vertex) {
      while (parent[vertex] != vertex) vertex = parent[vertex] = parent[parent[vertex]];
      return vertex;
    };
    const auto unite = [&](const std::vector<Vertex>& group) {
      for (const Vertex vertex : group) {
        const Vertex one = root(vertex), other = root(group.front());
        parent[(std::max)(one, other)] = (std::min)(one, other);
      }
    };
    for (const auto& group : constraints_.same_chip) unite(group);
    for (const SharedSdram& one : constraints_.shared_sdram) unite(one.vertices);

    groups_.group_of.assign(graph_.vertices(), Groups::none);
    std::vector<std::size_t> sizes;
    for (const Vertex vertex : named) {
      const Vertex of = root(vertex);
      if (groups_.group_of[of] == Groups::none) {
        groups_.group_of[of] = static_cast<std::uint32_t>(groups_.groups.size());
        groups_.groups.emplace_back(), sizes.push_back(0);
      }
      groups_.group_of[vertex] = groups_.group_of[of];
      ++sizes[groups_.group_of[vertex]];
    }
    for (const std::size_t size : sizes) groups_.vertices.first.push_back(groups_.vertices.first.back() + size);
    groups_.vertices.items.resize(named.size());
    groups_.core.assign(named.size(), Groups::any_core);
    place_.assign(groups_.vertices.first.begin(), groups_.vertices.first.end() - 1);
    for (const Vertex vertex : named) groups_.vertices.items[place_[groups_.group_of[vertex]]++] = vertex;
    chip_by_.resize(sizes.size()), board_by_.resize(sizes.size());
    return {};
  }
  [[nodiscard]] Group& group(Vertex vertex) noexcept { return groups_.groups[groups_.group_of[vertex]]; }
  [[nodiscard]] std::uint8_t& core(Vertex vertex) noexcept {
    const std::size_t first = groups_.vertices.first[groups_.group_of[vertex]];
    const auto members = groups_.vertices[groups_.group_of[vertex]];
    const auto at = std::lower_bound(members.begin(), members.end(), vertex) - members.begin();
    return groups_.core[first + static_cast<std::size_t>(at)];
  }
  /// Behind the name of the first: "with vertex 9, ", "with 16 more ", or nothing where it is alone.
  [[nodiscard]] std::string with_others(std::uint32_t group) const {
    const auto of = groups_.vertices[group];
    if (of.size() == 1) return {};
    return "with " + (of.size() == 2 ? graph_.name(of[1]) + ", " : std::to_string(of.size() - 1) + " more ");
  }

  [[nodiscard]] Refusal place_chip(Vertex vertex, Chip chip, const char* parameter) {
    Group& of = group(vertex);
    const Vertex by = chip_by_[groups_.group_of[vertex]];
    if (of.chip != no_chip && of.chip != chip)
      return refused(
          vertex, parameter, chip,
          "must be on " + machine_.name(chip) +
              (by == vertex ? " and on " : " and on the same chip as " + graph_.name(by) + ", which must be on ") +
              machine_.name(of.chip),
          Error::parameters_contradict);
    if (of.chip == no_chip) of.chip = chip, chip_by_[groups_.group_of[vertex]] = vertex;
    return {};
  }
  [[nodiscard]] Refusal place_chips() {
    for (const OnChip& one : constraints_.devices) {
      if (Refusal refusal = place_chip(one.vertex, one.chip, "devices"); !refusal) return refusal;
      group(one.vertex).is_device = true;
    }
    for (const OnChip& one : constraints_.on_chip)
      if (Refusal refusal = place_chip(one.vertex, one.chip, "on_chip"); !refusal) return refusal;
    for (const OnCore& one : constraints_.on_core)
      if (Refusal refusal = place_chip(one.vertex, one.chip, "on_core"); !refusal) return refusal;
    for (const NearChip& one : constraints_.near_chip)
      if (Group& of = group(one.vertex); of.near_to == no_chip) of.near_to = one.chip;
    // All of a device's group are it: others would be on a chip that has no core.
    for (std::uint32_t at = 0; at < groups_.groups.size(); ++at)
      if (groups_.groups[at].is_device) is_device_.resize(graph_.vertices());
    for (const OnChip& one : constraints_.devices) is_device_[one.vertex] = 1;
    for (std::uint32_t at = 0; at < groups_.groups.size(); ++at)
      if (groups_.groups[at].is_device)
        for (const Vertex vertex : groups_.vertices[at])
          if (is_device_[vertex] == 0)
            return refused(vertex, "same_chip", groups_.groups[at].chip,
                           "must be on the same chip as " + graph_.name(chip_by_[at]) + ", which is a device",
                           Error::parameters_contradict);
    return {};
  }
  [[nodiscard]] Refusal place_cores() {
    std::vector<std::pair<std::uint64_t, Vertex>> taken;
    for (const OnCore& one : constraints_.on_core) {
      std::uint8_t& at = core(one.vertex);
      if (at != Groups::any_core && at != one.core)
        return refused(one.vertex, "on_core", one.core,
                       "must be on core " + std::to_string(one.core) + " and on core " + std::to_string(at) + " of " +
                           machine_.name(one.chip),
                       Error::parameters_contradict);
      if (one.core >= 32 || (groups_.cores[one.chip] >> one.core & 1) == 0)
        return refused(one.vertex, "on_core", one.core,
                       "must be on core " + std::to_string(one.core) + " of " + machine_.name(one.chip) +
                           ", where vertices may have " + cores_in_words(groups_.cores[one.chip]));
      if (at == Groups::any_core) taken.emplace_back(std::uint64_t{one.chip} << 8 | one.core, one.vertex);
      at = one.core;
    }
    std::sort(taken.begin(), taken.end());
    for (std::size_t at = 1; at < taken.size(); ++at)
      if (taken[at].first == taken[at - 1].first)
        return refused(taken[at].second, "on_core", taken[at].first & 0xFF,
                       "must be on core " + std::to_string(taken[at].first & 0xFF) + " of " +
                           machine_.name(static_cast<Chip>(taken[at].first >> 8)) + ", which " +
                           graph_.name(taken[at - 1].second) + " has",
                       Error::parameters_contradict);
    return {};
  }
  [[nodiscard]] Refusal place_boards() {
    for (const OnBoard& one : constraints_.on_board) {
      Group& of = group(one.vertex);
      const Board board = machine_.board_of(one.ethernet);
      const auto here = "must be on the board of " + machine_.name(one.ethernet);
      const Vertex by = board_by_[groups_.group_of[one.vertex]], chip_by = chip_by_[groups_.group_of[one.vertex]];
      if (of.chip != no_chip && machine_.board_of(of.chip) != board)
        return refused(one.vertex, "on_board", one.ethernet,
                       here + ", and " + (chip_by == one.vertex ? "on " : "with " + graph_.name(chip_by) + " on ") +
                           machine_.name(of.chip) + ", which is not on that board",
                       Error::parameters_contradict);
      if (of.board != no_board && of.board != board)
        return refused(one.vertex, "on_board", one.ethernet,
                       here +
                           (by == one.vertex
                                ? " and on that of "
                                : " and on the same chip as " + graph_.name(by) + ", which must be on that of ") +
                           machine_.name(machine_.ethernet(of.board)),
                       Error::parameters_contradict);
      if (of.board == no_board) of.board = board, board_by_[groups_.group_of[one.vertex]] = one.vertex;
    }
    return {};
  }

  /// What is left of chips, the best for each number of cores.
  struct Best {
    std::array<std::uint64_t, 33> sdram{}; ///< [cores] one more than what a chip has with so many at least; 0: none has
    void add(unsigned cores, std::uint64_t bytes) noexcept {
      for (unsigned at = 0; at <= cores; ++at) sdram[at] = (std::max)(sdram[at], bytes + 1);
    }
    [[nodiscard]] bool fits(std::uint64_t cores, std::uint64_t bytes) const noexcept {
      return cores < sdram.size() && sdram[cores] > bytes;
    }
    [[nodiscard]] unsigned most_cores() const noexcept {
      unsigned most = 0;
      while (most + 1 < sdram.size() && sdram[most + 1] != 0) ++most;
      return most;
    }
    /// Why it does not fit.
    [[nodiscard]] std::string why(std::uint64_t cores, std::uint64_t bytes) const {
      const std::string needs = "needs " + counted(cores, "core", "cores") + " and " + std::to_string(bytes) +
                                " bytes of SDRAM of one chip, and ";
      if (sdram[0] == 0) return needs + "no chip is there";
      if (cores > most_cores())
        return needs + "the most that a chip has left is " + counted(most_cores(), "core", "cores");
      return needs + "the most that a chip with so many cores has left is " + std::to_string(sdram[cores] - 1) +
             " bytes";
    }
  };

  [[nodiscard]] Refusal fit() {
    sum_groups();
    std::vector<std::uint32_t> cores(machine_.grid_chips());
    std::vector<std::uint64_t> sdram(machine_.grid_chips());
    std::uint64_t all_cores = 0, all_sdram = 0, used_cores = 0, used_sdram = 0;
    for (Chip chip = 0; chip < machine_.grid_chips(); ++chip) {
      cores[chip] = static_cast<std::uint32_t>(std::popcount(groups_.cores[chip]));
      if (machine_.has(chip)) sdram[chip] = machine_.sdram_bytes(chip);
      all_cores += cores[chip], all_sdram += sdram[chip];
    }
    // Those that must be on one chip.
    for (std::uint32_t at = 0; at < groups_.groups.size(); ++at) {
      const Group& of = groups_.groups[at];
      if (of.is_device) continue;
      used_cores += of.cores, used_sdram += of.sdram_bytes;
      if (of.chip == no_chip) continue;
      const std::string must = with_others(at) + "must be on " + machine_.name(of.chip) + " and needs ";
      if (of.cores > cores[of.chip])
        return refused(groups_.vertices[at][0], "chip", of.chip,
                       must + counted(of.cores, "core", "cores") + " there, of which " +
                           std::to_string(cores[of.chip]) + " of " +
                           std::to_string(std::popcount(groups_.cores[of.chip])) + " are left");
      if (of.sdram_bytes > sdram[of.chip])
        return refused(groups_.vertices[at][0], "chip", of.chip,
                       must + std::to_string(of.sdram_bytes) + " bytes of its SDRAM, of which " +
                           std::to_string(sdram[of.chip]) + " of " + std::to_string(machine_.sdram_bytes(of.chip)) +
                           " are left");
      cores[of.chip] -= of.cores, sdram[of.chip] -= of.sdram_bytes;
    }
    Best everywhere;
    std::vector<Best> by_board(constraints_.on_board.empty() ? 0 : machine_.boards());
    std::vector<std::uint64_t> board_cores(by_board.size()), board_sdram(by_board.size());
    for (Chip chip = 0; chip < machine_.grid_chips(); ++chip) {
      if (!machine_.has(chip)) continue;
      everywhere.add(cores[chip], sdram[chip]);
      const Board board = by_board.empty() ? no_board : machine_.board_of(chip);
      if (board == no_board) continue;
      by_board[board].add(cores[chip], sdram[chip]);
      board_cores[board] += cores[chip], board_sdram[board] += sdram[chip];
    }
    // Those that may be on several.
    for (std::uint32_t at = 0; at < groups_.groups.size(); ++at) {
      const Group& of = groups_.groups[at];
      if (of.chip != no_chip) continue;
      const Vertex first = groups_.vertices[at][0];
      if (of.board == no_board) {
        if (everywhere.fits(of.cores, of.sdram_bytes)) continue;
        return refused(first, "same_chip", of.cores, with_others(at) + everywhere.why(of.cores, of.sdram_bytes));
      }
      const Chip ethernet = machine_.ethernet(of.board);
      const std::string must = with_others(at) + "must be on the board of " + machine_.name(ethernet) + " and ";
      if (!by_board[of.board].fits(of.cores, of.sdram_bytes))
        return refused(first, "on_board", ethernet, must + by_board[of.board].why(of.cores, of.sdram_bytes));
      if (of.cores > board_cores[of.board])
        return refused(first, "on_board", ethernet,
                       must + "needs " + counted(of.cores, "core", "cores") + ", and others leave " +
                           std::to_string(board_cores[of.board]) + " of that board");
      if (of.sdram_bytes > board_sdram[of.board])
        return refused(first, "on_board", ethernet,
                       must + "needs " + std::to_string(of.sdram_bytes) + " bytes of SDRAM, and others leave " +
                           std::to_string(board_sdram[of.board]) + " of that board");
      board_cores[of.board] -= of.cores, board_sdram[of.board] -= of.sdram_bytes;
    }
    std::vector<std::uint8_t> fits(graph_.kinds().size());
    for (std::size_t kind = 0; kind < fits.size(); ++kind)
      fits[kind] = everywhere.fits(1, sdram_of(graph_.kinds()[kind], constraints_.steps));
    for (Vertex vertex = 0; vertex < graph_.vertices(); ++vertex) {
      if (groups_.of(vertex) != Groups::none) continue;
      const std::uint64_t bytes = sdram_of(graph_.resources(vertex), constraints_.steps);
      if (fits[graph_.kind(vertex)] == 0) return refused(vertex, "sdram_bytes", bytes, everywhere.why(1, bytes));
      ++used_cores, used_sdram += bytes;
    }
    const auto too_many = [&](std::uint64_t needed, std::uint64_t there, const char* of) {
      return Refusal{{Error::unmappable, 0, needed, of},
                     "graph",
                     "needs " + std::to_string(needed) + " " + of + ", and the machine has " + std::to_string(there)};
    };
    if (used_cores > all_cores) return too_many(used_cores, all_cores, "cores");
    if (used_sdram > all_sdram) return too_many(used_sdram, all_sdram, "bytes of SDRAM");
    return {};
  }
  void sum_groups() {
    for (std::uint32_t at = 0; at < groups_.groups.size(); ++at) {
      Group& of = groups_.groups[at];
      if (of.is_device) continue;
      of.cores = static_cast<std::uint32_t>(groups_.vertices[at].size());
      for (const Vertex vertex : groups_.vertices[at])
        of.sdram_bytes += sdram_of(graph_.resources(vertex), constraints_.steps);
    }
    for (const SharedSdram& one : constraints_.shared_sdram)
      if (!one.vertices.empty() && !group(one.vertices.front()).is_device)
        group(one.vertices.front()).sdram_bytes += one.bytes + std::uint64_t{one.bytes_per_step} * constraints_.steps;
  }
  [[nodiscard]] Refusal check_tags() {
    std::vector<std::uint32_t> named;
    const auto check = [&](const auto& list, const char* parameter, const char* kind, auto counted_in) -> Refusal {
      named.assign(list.empty() ? 0 : graph_.vertices(), 0);
      for (const auto& one : list) {
        if (one.vertex >= graph_.vertices()) return no_vertex(parameter, one.vertex);
        if (++named[one.vertex] > graph_.resources(one.vertex).*counted_in)
          return refused(one.vertex, parameter, named[one.vertex],
                         "has constraints for " + std::to_string(named[one.vertex]) + " " + kind +
                             "s, and its resources count " + std::to_string(graph_.resources(one.vertex).*counted_in),
                         Error::parameters_contradict);
        if (one.ethernet != no_chip && !is_ethernet(one.ethernet))
          return refused(one.vertex, parameter, one.ethernet,
                         "must have " + article(kind) + " of the board of " + machine_.name(one.ethernet) +
                             ", which is no Ethernet chip");
        if (one.tag != IpTag::any && one.tag >= machine_.kind().tags)
          return refused(one.vertex, parameter, one.tag,
                         "must have tag " + std::to_string(one.tag) + ", and a board has tags 0 to " +
                             std::to_string(machine_.kind().tags - 1));
      }
      return {};
    };
    if (Refusal refusal = check(constraints_.ip_tags, "ip_tags", "IP tag", &Resources::ip_tags); !refusal)
      return refusal;
    return check(constraints_.reverse_tags, "reverse_tags", "reverse tag", &Resources::reverse_tags);
  }
  [[nodiscard]] static std::string article(const char* kind) {
    return (kind[0] == 'I' ? "an " : "a ") + std::string(kind);
  }

  [[nodiscard]] Refusal check_keys() {
    const auto no_partition = [&](const char* parameter, Partition partition) {
      return Refusal{{Error::index_out_of_range, partition, partition, parameter},
                     parameter,
                     "partition " + std::to_string(partition) + " is named, and the graph has " +
                         std::to_string(graph_.partitions())};
    };
    for (const FixedKeys& one : constraints_.fixed_keys)
      if (one.partition >= graph_.partitions()) return no_partition("fixed_keys", one.partition);
    for (const auto& group : constraints_.same_keys)
      for (const Partition partition : group)
        if (partition >= graph_.partitions()) return no_partition("same_keys", partition);
    return {};
  }

  const MachineGraph& graph_;
  const Machine& machine_;
  const Constraints& constraints_;
  Groups groups_ = {};
  std::vector<std::size_t> place_ = {};
  std::vector<Vertex> chip_by_ = {}, board_by_ = {}; // [group] who said so
  std::vector<std::uint8_t> is_device_ = {};         // [vertex], where there is one
};

} // namespace detail

/// Constraints by vertex, once it is sure that they do not contradict each other, the graph, or the machine. What is found can
/// still fail where memory must be packed: this looks at each chip and board, and at all together.
/// \errors index_out_of_range: a vertex, partition or reserved core that is not there; parameters_contradict: two constraints;
///         unmappable: a vertex, a group, or all of them need what the machine does not have
/// \cost   O(vertices + chips + constraints log constraints)
[[nodiscard]] inline Answer<Groups> gather(const MachineGraph& graph, const Machine& machine,
                                           const Constraints& constraints = {}) {
  return detail::Gatherer(graph, machine, constraints).gathered();
}
/// Why they cannot be met; ok if nothing is known against it.
/// \errors as `gather`
[[nodiscard]] inline Refusal check(const MachineGraph& graph, const Machine& machine,
                                   const Constraints& constraints = {}) {
  return gather(graph, machine, constraints).refusal();
}

/// Whether placements keep all constraints, and every chip and core has what is on it.
/// \errors lengths_differ; index_out_of_range: a vertex or partition that is not there; unmappable: what is not kept
/// \cost   O(vertices + chips)
[[nodiscard]] inline Refusal verify(const MachineGraph& graph, const Machine& machine, const Constraints& constraints,
                                    const Placements& placed) {
  const auto gathered = gather(graph, machine, constraints);
  if (!gathered) return gathered.refusal();
  const Groups& groups = gathered.value();
  if (placed.chip.size() != graph.vertices() || placed.core.size() != graph.vertices())
    return {{Error::lengths_differ, 0, placed.chip.size(), "chip"},
            "placements",
            "are of " + std::to_string(placed.chip.size()) + " chips and " + std::to_string(placed.core.size()) +
                " cores, and the graph has " + std::to_string(graph.vertices()) + " vertices"};
  const auto refused = [&](Vertex vertex, std::string why) {
    return Refusal{{Error::unmappable, vertex, placed.chip[vertex], "chip"}, graph.name(vertex), std::move(why)};
  };
  const auto place = [&](Vertex vertex) {
    return "is on core " + std::to_string(placed.core[vertex]) + " of " + machine.name(placed.chip[vertex]);
  };
  std::vector<std::uint32_t> cores(machine.chips());
  std::vector<std::uint64_t> sdram(machine.chips());
  for (Vertex vertex = 0; vertex < graph.vertices(); ++vertex) {
    const Chip chip = placed.chip[vertex];
    if (!machine.has(chip)) return refused(vertex, "is on " + machine.name(chip) + ", which is not there");
    const std::uint32_t group = groups.of(vertex);
    if (group != Groups::none && groups.groups[group].is_device) continue;
    const unsigned core = placed.core[vertex];
    if (core >= 32 || (groups.cores[chip] >> core & 1) == 0)
      return refused(vertex, place(vertex) + ", where vertices may have " + detail::cores_in_words(groups.cores[chip]));
    if ((cores[chip] >> core & 1) != 0) return refused(vertex, place(vertex) + ", and another vertex is, too");
    cores[chip] |= 1U << core;
    if (group == Groups::none) sdram[chip] += sdram_of(graph.resources(vertex), constraints.steps);
  }
  for (std::uint32_t at = 0; at < groups.groups.size(); ++at) {
    const Group& of = groups.groups[at];
    const auto members = groups.vertices[at];
    const Chip chip = placed.chip[members[0]];
    for (std::size_t member = 0; member < members.size(); ++member) {
      const Vertex vertex = members[member];
      const std::uint8_t core = groups.core[groups.vertices.first[at] + member];
      if (placed.chip[vertex] != chip)
        return refused(vertex, place(vertex) + ", and must be on the same chip as " + graph.name(members[0]) + ", " +
                                   machine.name(chip));
      if (of.chip != no_chip && chip != of.chip)
        return refused(vertex, place(vertex) + ", and must be on " + machine.name(of.chip));
      if (core != Groups::any_core && placed.core[vertex] != core)
        return refused(vertex, place(vertex) + ", and must be on core " + std::to_string(core));
      if (of.board != no_board && machine.board_of(chip) != of.board)
        return refused(vertex,
                       place(vertex) + ", and must be on the board of " + machine.name(machine.ethernet(of.board)));
    }
    if (!of.is_device) sdram[chip] += of.sdram_bytes;
  }
  for (Chip chip = 0; chip < machine.grid_chips(); ++chip)
    if (sdram[chip] > machine.sdram_bytes(chip))
      return {{Error::unmappable, chip, sdram[chip], "sdram_bytes"},
              machine.name(chip),
              "its vertices need " + std::to_string(sdram[chip]) + " bytes of SDRAM, and it has " +
                  std::to_string(machine.sdram_bytes(chip))};
  return {};
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
