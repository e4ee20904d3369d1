// SPDX-License-Identifier: BSL-1.0
/// \file
/// How many events each of some neurons or sources has in a step, by chance, each by its own.
///
/// 64 neurons draw from a source of their own, which is named by seed, population, use and group. What a neuron gets depends on
/// its number and the step alone, not on who else is drawn for.
// host-only
#ifndef NEUROMORPH_NETWORK_POISSON_INPUT_HPP
#define NEUROMORPH_NETWORK_POISSON_INPUT_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/random/alias_table.hpp>
#include <neuromorph/kernels/random/distribution.hpp>
#include <neuromorph/kernels/random/random_source.hpp>
#include <neuromorph/kernels/random/sfc32x16.hpp>
#include <neuromorph/network/rows.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

class PoissonInput {
public:
  static constexpr double highest_rate = 128.0; ///< events a step

  /// Which draws these are.
  struct Stream {
    std::uint64_t seed = 0;
    std::uint32_t population = 0;
    std::uint32_t use = 0; ///< 0: spikes of a source; n: the n-th background of neurons
  };

  /// \errors parameter_out_of_range: rate_hz, below 0 or more than highest_rate in a step
  [[nodiscard]] static Status check(double rate_hz, double dt_ms) noexcept {
    const double rate = rate_hz * dt_ms * 1e-3;
    if (!(rate >= 0.0 && rate <= highest_rate)) return {Error::parameter_out_of_range, 0, rate_hz, "rate_hz"};
    return {};
  }
  /// \param first, groups  of the population
  /// \errors as check
  [[nodiscard]] static Status make(double rate_hz, double dt_ms, const Stream& stream, std::uint32_t first,
                                   std::uint32_t groups, PoissonInput& made) {
    if (const Status status = check(rate_hz, dt_ms); !status) return status;
    const double rate = rate_hz * dt_ms * 1e-3;
    made.draws_ = 1;
    if (rate != 0.0) // of which there is no table but the one that always draws 0
      while (!made.make_table(rate / made.draws_)) made.draws_ *= 2;
    for (std::uint32_t group = 0; group < groups; ++group)
      made.sources_.emplace_back(
          StreamId{stream.seed ^ std::uint64_t{stream.use + 1} << 32, first + group, stream.population});
    return {};
  }

  using Counts = std::array<std::uint8_t, neurons_of_group>;
  /// The events of a group in its next step; no neuron has more than 255.
  void draw(std::uint32_t group, Counts& counts) noexcept {
    std::visit([&](const auto& table) { table.fill(sources_[group], std::span<std::uint8_t>(counts)); }, table_);
    for (std::uint32_t more = 1; more < draws_; ++more) [[unlikely]] {
        Counts added;
        std::visit([&](const auto& table) { table.fill(sources_[group], std::span<std::uint8_t>(added)); }, table_);
        for (std::size_t at = 0; at < counts.size(); ++at)
          counts[at] = static_cast<std::uint8_t>((std::min)(counts[at] + added[at], 255));
      }
  }
  /// No neuron has more events in a step.
  [[nodiscard]] std::uint32_t most() const noexcept { return most_; }
  /// [groups], as they are now
  [[nodiscard]] std::span<Sfc32x16> sources() noexcept { return sources_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return sizeof *this + sources_.size() * sizeof(Sfc32x16); }

private:
  /// Whether there is one.
  [[nodiscard]] bool make_table(double rate) {
    const auto take = [&](const auto& made) {
      if (made) table_ = made.value();
      return made.ok();
    };
    const Poisson events(rate);
    if (const auto all = events.cumulative()) most_ = (std::min)((all.value().outcomes - 1) * draws_, 255U);
    return take(AliasTable<32>::from(events)) || take(AliasTable<64>::from(events)) ||
           take(AliasTable<128>::from(events));
  }

  std::variant<AliasTable<32>, AliasTable<64>, AliasTable<128>> table_{};
  std::uint32_t draws_ = 1; ///< of a share of the rate each
  std::uint32_t most_ = 0;
  std::vector<Sfc32x16> sources_{};
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
