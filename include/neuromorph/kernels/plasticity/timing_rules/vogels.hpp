// SPDX-License-Identifier: BSL-1.0
/// \file
/// Plasticity of inhibitory synapses that brings their neurons to a rate.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_VOGELS_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_VOGELS_HPP

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

/// A pre-synaptic event moves the weight by eta (o - alpha), up or down; a post-synaptic one brings it up by eta r. r and o
/// count events before, and decay with tau. In the mean nothing changes where post-synaptic neurons have the rate
/// alpha / (2 tau). Both ends of the range hold both directions.
///
/// \tparam Table  DecayTable<ticks>, or LongDecayTable<ticks> for long time constants in short ticks
/// \source T. P. Vogels, H. Sprekeler, F. Zenke, C. Clopath, W. Gerstner, Inhibitory plasticity balances excitation and
///         inhibition in sensory pathways and memory networks, 2011
template <class Table = DecayTable<480>>
struct Vogels {
  using Offers = offer::List<offer::IsSpent, offer::LaneTraces>;
  using RowTrace = Share;    ///< eta r
  using NeuronTrace = Share; ///< eta o
  template <class Word>
  using NeuronTraceOf = Word;

  struct Parameters {
    double tau_ms = 20.0;
    double eta = 0.005;  ///< share of the range of weights
    double alpha = 0.12; ///< 2 tau times the rate to which neurons are brought
  };
  /// \errors those of Table: tau_ms; those of share_of: eta; parameter_out_of_range: alpha, where eta alpha is no share
  [[nodiscard]] static constexpr Result<Vogels> from(const Parameters& given, double dt_ms) noexcept {
    const auto table = Table::from(given.tau_ms, dt_ms);
    const auto eta = share_of(given.eta, "eta"), eta_alpha = share_of(given.eta * given.alpha, "alpha");
    if (table && eta && !eta_alpha) return Status{eta_alpha.status().error, 0, given.alpha, "alpha"};
    return detail::made_of<Vogels>(table, eta, eta_alpha);
  }

  [[nodiscard]] constexpr Share aged(auto& m, Share row, std::uint32_t ticks) const noexcept {
    return m.product(row, table.at(ticks));
  }
  [[nodiscard]] constexpr Share pre_spiked(auto& m, Share row, std::uint32_t ticks) const noexcept {
    return m.sum(m.product(row, table.at(ticks)), eta);
  }
  [[nodiscard]] constexpr Share post_spiked(auto& m, Share neuron, std::uint32_t ticks) const noexcept {
    return m.sum(m.product(neuron, table.at(ticks)), eta);
  }
  [[nodiscard]] static constexpr bool is_spent(Share row) noexcept { return row == 0; }

  [[gnu::always_inline]] constexpr void at_post(auto& synapse, Share row, auto ticks, auto) const noexcept {
    synapse.up(synapse.product(row, table.at(ticks)));
  }
  [[gnu::always_inline]] constexpr void at_pre(auto& synapse, Share, std::uint32_t, auto neuron,
                                               auto since) const noexcept {
    const auto up = synapse.product(neuron, table.at(since));
    synapse.when(
        up >= eta_alpha, [&] { synapse.up(up - eta_alpha); }, [&] { synapse.down(eta_alpha - up); });
  }

  Table table{};
  Share eta = 0, eta_alpha = 0;
};

} // namespace timing
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
