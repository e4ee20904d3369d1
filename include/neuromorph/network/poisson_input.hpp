// SPDX-License-Identifier: BSL-1.0
/// \file
/// How many events each of some neurons or sources has in a step, by chance, each by its own.
///
/// 64 neurons draw from a source of their own, which is named by seed, population, use and group: what a neuron gets depends on
/// its number and the step alone, not on who else is drawn for.
// host-only
#ifndef NEUROMORPH_NETWORK_POISSON_INPUT_HPP
#define NEUROMORPH_NETWORK_POISSON_INPUT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/poisson.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/network/rows.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

class PoissonInput {
public:
  static constexpr double highest_rate = 64.0; ///< events a step

  /// Which draws these are.
  struct Stream {
    std::uint64_t seed = 0;
    std::uint32_t population = 0;
    std::uint32_t use = 0; ///< 0: spikes of a source; n: the n-th background of neurons
  };

  /// \param first, groups  of the population
  /// \errors parameter_out_of_range: rate, of events a step
  [[nodiscard]] static Status make(double rate, const Stream& stream, std::uint32_t first, std::uint32_t groups,
                                   PoissonInput& made) {
    if (!(rate <= highest_rate)) return {Error::parameter_out_of_range, 0, rate, "rate"};
    const auto table = PoissonTable::from(rate);
    if (!table) return table.status();
    made.table_ = table.value();
    for (std::uint32_t group = 0; group < groups; ++group)
      made.sources_.emplace_back(
          StreamId{stream.seed ^ std::uint64_t{stream.use + 1} << 32, first + group, stream.population});
    return {};
  }

  using Counts = std::array<std::uint8_t, neurons_of_group>;
  /// The events of a group in its next step.
  void draw(std::uint32_t group, Counts& counts) noexcept {
    std::array<std::uint32_t, neurons_of_group> drawn;
    table_.fill(sources_[group], drawn);
    for (std::size_t at = 0; at < drawn.size(); ++at)
      counts[at] = static_cast<std::uint8_t>(drawn[at] < 255 ? drawn[at] : 255);
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return sources_.size() * sizeof(Sfc32) + sizeof(PoissonTable); }

private:
  PoissonTable table_;
  std::vector<Sfc32> sources_{};
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
