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

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
