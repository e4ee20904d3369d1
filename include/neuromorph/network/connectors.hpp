// SPDX-License-Identifier: BSL-1.0
/// \file
/// The ways to connect two populations; docs/networks.md has their definitions, and what they are called elsewhere.
// host-only
#ifndef NEUROMORPH_NETWORK_CONNECTORS_HPP
#define NEUROMORPH_NETWORK_CONNECTORS_HPP

#include <array>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include <neuromorph/config.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// Neurons of a population from `first` on, up to and without `end`.
struct Range {
  std::uint32_t first = 0, end = 0;
  [[nodiscard]] constexpr bool has(std::uint32_t neuron) const noexcept { return neuron - first < end - first; }
};

// `self`: whether a neuron may be connected to itself, where both populations are the same.
// `multiple`: whether a pair may be connected more than once. What is drawn then is drawn with replacement.

/// Each pair once.
struct AllToAll {
  bool self = true;
};
/// Neuron n to neuron n, of populations of one size.
struct OneToOne {};
/// Each pair, independently of all others, with a probability.
struct Pairwise {
  double probability = 0.0;
  bool self = true;
};
/// Each target has so many synapses, from sources that are drawn for it.
struct FixedIndegree {
  std::uint32_t degree = 0;
  bool multiple = false, self = true;
};
/// Each source has so many synapses, to targets that are drawn for it.
struct FixedOutdegree {
  std::uint32_t degree = 0;
  bool multiple = false, self = true;
};
/// So many pairs, drawn from all of them.
struct FixedTotal {
  std::uint64_t total = 0; ///< below 2^32
  bool multiple = true, self = true;
};

/// How a probability falls with the distance d.
enum class Profile : std::uint8_t {
  constant,
  gaussian,   ///< exp(-d^2 / (2 scale^2))
  exponential ///< exp(-d / scale)
};
/// Each pair, independently of all others, with a probability that falls with their distance. Both populations have positions.
struct ByDistance {
  double probability = 1.0; ///< at distance 0
  Profile profile = Profile::constant;
  double scale = 1.0;
  double within = std::numeric_limits<double>::infinity(); ///< beyond it none
  std::array<double, 3> period{};                          ///< of an axis that closes on itself; 0: one that does not
  bool self = true;
};

/// A synapse of a list.
struct Listed {
  std::uint32_t source = 0, target = 0;
  double weight = 0.0, delay_ms = 0.0;
  friend constexpr bool operator==(const Listed&, const Listed&) noexcept = default;
};
/// These synapses; their weights and delays stand in the list.
struct FromList {
  std::vector<Listed> synapses;
};

using Connector =
    std::variant<AllToAll, OneToOne, Pairwise, FixedIndegree, FixedOutdegree, FixedTotal, ByDistance, FromList>;

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
