// SPDX-License-Identifier: BSL-1.0
/// \file
/// Numbers that are drawn for a neuron: its parameters, what it begins with.
///
/// A function of the seed, the population, the neuron, what they are for, and how many have been drawn for it. It is the same
/// however the network is split, and on every machine.
// host-only
#ifndef NEUROMORPH_NETWORK_DRAWS_HPP
#define NEUROMORPH_NETWORK_DRAWS_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/network/counter.hpp>
#include <neuromorph/network/distribution.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// The number below which a share of a distribution is, to the last bit of a double where its density allows it.
/// \param chance  above 0, below 1
/// \pre   distribution.check() found nothing
/// \cost  some 60 calls of its distribution function
[[nodiscard]] constexpr double quantile(const Distribution& distribution, double chance) noexcept {
  double low = distribution.lowest(), high = distribution.highest();
  if (low == high) return low;
  constexpr double reach = 1e300;
  if (low < -reach)
    for (low = -1.0; distribution.below(low) > chance && low > -reach;) low *= 2.0;
  if (high > reach)
    for (high = 1.0; distribution.below(high) < chance && high < reach;) high *= 2.0;
  for (int round = 0; round < 64; ++round) {
    const double middle = low / 2.0 + high / 2.0;
    if (!(low < middle && middle < high)) break;
    (distribution.below(middle) < chance ? low : high) = middle;
  }
  return high;
}

/// Draws numbers for one neuron, one after the other.
class NeuronDraws {
public:
  /// \param use  0 for parameters; for words that are drawn, one more than the place
  constexpr NeuronDraws(std::uint64_t seed, std::uint32_t population, std::uint32_t neuron, std::uint32_t use) noexcept
      : counter_(seed, population, Use::neurons), neuron_(neuron), use_(use) {}

  /// From 2^-33 to 1 - 2^-33, in steps of 2^-32.
  [[nodiscard]] constexpr double chance() noexcept {
    const std::uint32_t number = number_++;
    return (counter_.block(neuron_, number / 4, use_)[number % 4] + 0.5) * 0x1p-32;
  }
  /// The next number, of a distribution; 0 of one that makes no sense, which `status` says then.
  [[nodiscard]] constexpr double operator()(const Distribution& distribution) noexcept {
    const double at = chance();
    if (const Status checked = distribution.check("distribution"); !checked) {
      if (status_) status_ = checked;
      return 0.0;
    }
    return quantile(distribution, at);
  }
  /// What is wrong with the first of the distributions with which something is.
  /// \errors as Distribution::check
  [[nodiscard]] constexpr Status status() const noexcept { return status_; }

private:
  Counter counter_;
  std::uint32_t neuron_, use_, number_ = 0;
  Status status_{};
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
