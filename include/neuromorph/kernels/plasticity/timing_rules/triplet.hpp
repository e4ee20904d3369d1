// SPDX-License-Identifier: BSL-1.0
/// \file
/// Spike-timing-dependent plasticity of pairs and triplets.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_TRIPLET_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_TRIPLET_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/decay_table.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/kernels/plasticity/timing_rule.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/detail/made_of.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace timing {

/// A post-synaptic event brings the weight up by r1 (A2+ + A3+ o2), a pre-synaptic one down by o1 (A2- + A3- r2): all to all.
/// r1, r2 count pre-synaptic events and decay with tau+, tau_x; o1, o2 post-synaptic ones, with tau-, tau_y. o2 and r2 are
/// without the event itself. With weight::Additive that is the additive rule of two terms.
///
/// \tparam Fast  for tau+ and tau-: DecayTable<ticks> or LongDecayTable<ticks>
/// \tparam Slow  for tau_x and tau_y
/// \source J. Pfister, W. Gerstner, Triplets of spikes in a model of spike timing-dependent plasticity, 2006, equations 3, 4;
///         the constants are those of table 4, hippocampal culture, all to all, full
template <class Fast = DecayTable<480>, class Slow = LongDecayTable<16384>>
struct Triplet {
  using Offers = offer::List<offer::IsSpent>;
  struct RowTrace {
    std::uint32_t r1 = 0; ///< u8.24
    Share r2 = 0;         ///< A2- + A3- r2, or 0 at first
    friend constexpr bool operator==(const RowTrace&, const RowTrace&) noexcept = default;
  };
  struct NeuronTrace {
    std::uint32_t o1 = 0; ///< u8.24
    Share o2 = 0;         ///< A2+ + A3+ o2, before its last event
    friend constexpr bool operator==(const NeuronTrace&, const NeuronTrace&) noexcept = default;
  };

  struct Parameters {
    double tau_plus_ms = 16.8, tau_minus_ms = 33.7, tau_x_ms = 946.0, tau_y_ms = 27.0;
    double a2_plus = 6.1e-3, a3_plus = 6.7e-3, a2_minus = 1.6e-3, a3_minus = 1.4e-3; ///< shares of the range of weights
  };
  /// \errors those of Fast and Slow: tau_plus_ms, tau_minus_ms, tau_x_ms, tau_y_ms; those of share_of: a2_plus, a3_plus,
  ///         a2_minus, a3_minus
  [[nodiscard]] static constexpr Result<Triplet> from(const Parameters& given, double dt_ms) noexcept {
    const auto plus = detail::decay_of<Fast>(given.tau_plus_ms, dt_ms, "tau_plus_ms");
    const auto minus = detail::decay_of<Fast>(given.tau_minus_ms, dt_ms, "tau_minus_ms");
    const auto x = detail::decay_of<Slow>(given.tau_x_ms, dt_ms, "tau_x_ms");
    const auto y = detail::decay_of<Slow>(given.tau_y_ms, dt_ms, "tau_y_ms");
    const auto a2_plus = share_of(given.a2_plus, "a2_plus"), a3_plus = share_of(given.a3_plus, "a3_plus");
    const auto a2_minus = share_of(given.a2_minus, "a2_minus"), a3_minus = share_of(given.a3_minus, "a3_minus");
    return detail::made_of<Triplet>(plus, minus, x, y, a2_plus, a3_plus, a2_minus, a3_minus);
  }

  [[nodiscard]] constexpr RowTrace aged(auto& m, RowTrace row, std::uint32_t ticks) const noexcept {
    return {m.product(row.r1, plus.at(ticks)), m.sum(a2_minus, m.product(without(row.r2, a2_minus), x.at(ticks)))};
  }
  [[nodiscard]] constexpr RowTrace pre_spiked(auto& m, RowTrace row, std::uint32_t ticks) const noexcept {
    const RowTrace before = aged(m, row, ticks);
    return {m.sum(before.r1, one), m.sum(before.r2, a3_minus)};
  }
  [[nodiscard]] constexpr NeuronTrace post_spiked(auto& m, NeuronTrace neuron, std::uint32_t ticks) const noexcept {
    if (neuron.o1 == 0) return {one, a2_plus};
    const Share o2 = m.sum(without(neuron.o2, a2_plus), a3_plus);
    return {m.sum(m.product(neuron.o1, minus.at(ticks)), one), m.sum(a2_plus, m.product(o2, y.at(ticks)))};
  }
  [[nodiscard]] static constexpr bool is_spent(RowTrace row) noexcept { return row.r1 == 0; }

  [[gnu::always_inline]] constexpr void at_post(auto& synapse, RowTrace row, std::uint32_t ticks,
                                                NeuronTrace neuron) const noexcept {
    synapse.up(synapse.times(neuron.o2, synapse.product(row.r1, plus.at(ticks))));
  }
  [[gnu::always_inline]] constexpr void at_pre(auto& synapse, RowTrace row, std::uint32_t ticks, NeuronTrace neuron,
                                               std::uint32_t since) const noexcept {
    const Share amplitude = ticks == 0 ? row.r2 : aged(synapse, row, ticks).r2;
    synapse.down(synapse.times(amplitude, synapse.product(neuron.o1, minus.at(since))));
  }

  Fast plus{}, minus{};
  Slow x{}, y{};
  Share a2_plus = 0, a3_plus = 0, a2_minus = 0, a3_minus = 0;

private:
  [[nodiscard]] static constexpr Share without(Share sum, Share part) noexcept { return sum > part ? sum - part : 0; }
  static constexpr std::uint32_t one = std::uint32_t{1} << 24;
};

} // namespace timing
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
