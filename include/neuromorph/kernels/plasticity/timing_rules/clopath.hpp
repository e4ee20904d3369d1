// SPDX-License-Identifier: BSL-1.0
/// \file
/// Plasticity that depends on the voltage of the post-synaptic neuron.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_CLOPATH_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_CLOPATH_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/decay_table.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/kernels/plasticity/timing_rule.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/detail/made_of.hpp>
#include <neuromorph/kernels/plasticity/voltage_means.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace timing {

/// A pre-synaptic event brings the weight down by A_LTD (u_minus - theta_minus)+, with the mean of its neuron's voltage. While
/// (u - theta_plus)+ (u_plus - theta_minus)+ is above 0, mostly at spikes, each tick brings it up by A_LTP times that and x. x
/// is the count of pre-synaptic events, which decays with tau_x. Such ticks are the events of the history:
///
///     const Share up = update.timing().potentiation(u, means.plus(neuron)); // of each neuron in each tick
///     if (up != 0) update.modulate(history, neuron, now, up);
///     means.step(neuron, u);
///
/// The depression reads the mean as it is, so use PostSynapticDelay::none, and apply a tick's voltages before its spikes.
///
/// \tparam Means  VoltageMeans<...>, or what has `Voltage minus(neuron)`
/// \tparam Table  DecayTable<ticks> or LongDecayTable<ticks>
/// \source C. Clopath, L. Buesing, E. Vasilaki, W. Gerstner, Connectivity reflects coding: a model of voltage-based STDP with
///         homeostasis, 2010, equations 1 to 3, without homeostasis; x counts events, so A_LTP has the paper's 1 / tau_x in it
template <class Means, class Table = DecayTable<480>>
struct Clopath {
  using Offers = offer::List<offer::IsSpent, offer::NoDelay>;
  static constexpr bool no_delay = true;
  using RowTrace = std::uint32_t; ///< x, u8.24
  using NeuronTrace = Share;      ///< by how much x = 1 brings weights up in this tick

  struct Parameters {
    double tau_x_ms = 15.0;
    double theta_minus_mv = -70.6, theta_plus_mv = -45.3;
    double a_ltd = 14e-5; ///< share of the range of weights for a mV
    double a_ltp = 8e-5;  ///< share for a square mV and a ms
  };
  /// \param means  outlives the rule
  /// \errors those of Table: tau_x_ms; parameter_out_of_range: theta_minus_mv, theta_plus_mv, outside -2048 to 2048; those
  ///         of share_of: a_ltd, a_ltp times dt_ms
  [[nodiscard]] static constexpr Result<Clopath> from(const Parameters& given, double dt_ms,
                                                      const Means& means) noexcept {
    const auto table = detail::decay_of<Table>(given.tau_x_ms, dt_ms, "tau_x_ms");
    if (!table) return table.status();
    if (!(given.theta_minus_mv > -2048 && given.theta_minus_mv < 2048))
      return Status{Error::parameter_out_of_range, 0, given.theta_minus_mv, "theta_minus_mv"};
    if (!(given.theta_plus_mv > -2048 && given.theta_plus_mv < 2048))
      return Status{Error::parameter_out_of_range, 0, given.theta_plus_mv, "theta_plus_mv"};
    const auto down = share_of(given.a_ltd, "a_ltd"), up = share_of(given.a_ltp * dt_ms, "a_ltp");
    if (!down) return down.status();
    if (!up) return Status{up.status().error, 0, given.a_ltp, "a_ltp"};
    return Clopath{
        table.value(), down.value(), up.value(), voltage_of(given.theta_minus_mv), voltage_of(given.theta_plus_mv),
        &means};
  }

  /// What a tick of this voltage is to weights; 0: no event.
  /// \param u       of the tick
  /// \param u_plus  mean before the tick
  [[nodiscard]] constexpr Share potentiation(Voltage u, Voltage u_plus) const noexcept {
    if (u <= theta_plus || u_plus <= theta_minus) return 0;
    const std::uint64_t square = (above(u, theta_plus) * above(u_plus, theta_minus) + (1U << 23)) >> 24;
    const std::uint64_t held = square >> 32 != 0 ? 0xFFFFFFFF : square; // u16.16
    return held_share((held * a_ltp + (1U << 15)) >> 16);
  }

  [[nodiscard]] constexpr RowTrace aged(auto& m, RowTrace row, std::uint32_t ticks) const noexcept {
    return m.product(row, table.at(ticks));
  }
  [[nodiscard]] constexpr RowTrace pre_spiked(auto& m, RowTrace row, std::uint32_t ticks) const noexcept {
    return m.sum(m.product(row, table.at(ticks)), std::uint32_t{1} << 24);
  }
  /// A spike is nothing by itself.
  [[nodiscard]] constexpr NeuronTrace post_spiked(auto&, NeuronTrace, std::uint32_t) const noexcept { return 0; }
  [[nodiscard]] constexpr NeuronTrace modulated(auto&, NeuronTrace, std::uint32_t, Share up) const noexcept {
    return up;
  }
  [[nodiscard]] static constexpr bool is_spent(RowTrace row) noexcept { return row == 0; }

  [[gnu::always_inline]] constexpr void at_post(auto& synapse, RowTrace row, std::uint32_t ticks,
                                                NeuronTrace neuron) const noexcept {
    synapse.up(synapse.times(neuron, synapse.product(row, table.at(ticks))));
  }
  [[gnu::always_inline]] constexpr void at_pre(auto& synapse, RowTrace, std::uint32_t, NeuronTrace,
                                               std::uint32_t) const noexcept {
    const Voltage mean = means->minus(synapse.neuron());
    if (mean > theta_minus) synapse.down(held_share((above(mean, theta_minus) * a_ltd + (1U << 19)) >> 20));
  }

  Table table{};
  Share a_ltd = 0, a_ltp = 0;
  Voltage theta_minus = 0, theta_plus = 0;
  const Means* means = nullptr;

private:
  [[nodiscard]] static constexpr std::uint64_t above(Voltage voltage, Voltage threshold) noexcept {
    return static_cast<std::uint32_t>(voltage) - static_cast<std::uint32_t>(threshold);
  }
  [[nodiscard]] static constexpr Share held_share(std::uint64_t share) noexcept {
    return share >> 32 != 0 ? ~Share{0} : static_cast<Share>(share);
  }
};

} // namespace timing
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
