// SPDX-License-Identifier: BSL-1.0
/// \file
/// Spike-timing-dependent plasticity, nearest pairs.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_NEAREST_PAIR_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_NEAREST_PAIR_HPP

#include <cstdint>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/plasticity/decay_table.hpp>
#include <neuromorph/kernels/plasticity/share.hpp>
#include <neuromorph/kernels/plasticity/timing_rule.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/detail/elapsed.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/detail/made_of.hpp>
#include <neuromorph/offer.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace timing {

/// The first post-synaptic event after a pre-synaptic one brings the weight up by A+ exp(-dt/tau+), later ones do nothing
/// until the next pre-synaptic one. A pre-synaptic event brings it down by A- exp(-dt/tau-) for the last post-synaptic one
/// before it or of the same tick.
///
/// \tparam Table  DecayTable<ticks>, or LongDecayTable<ticks> for long time constants in short ticks
/// \source as sPyNNaker's rule of nearest pairs: the potentiation is of immediate pairs, the depression of each spike's
///         nearest event. A. Morrison, M. Diesmann, W. Gerstner, Phenomenological models of synaptic plasticity based on
///         spike timing, 2008, section 4.1.2, has both kinds
template <class Table = DecayTable<480>>
struct NearestPair {
  using Offers = offer::List<offer::IsSpent>;
  using RowTrace = detail::Elapsed;    ///< since the last pre-synaptic event
  using NeuronTrace = detail::Elapsed; ///< from the event before the last one to that

  struct Parameters {
    double tau_plus_ms = 20.0, tau_minus_ms = 20.0;
    double a_plus = 0.01, a_minus = 0.012; ///< shares of the range of weights
  };
  /// \errors those of Table: tau_plus_ms, tau_minus_ms; those of share_of: a_plus, a_minus
  [[nodiscard]] static constexpr Result<NearestPair> from(const Parameters& given, double dt_ms) noexcept {
    const auto plus = detail::decay_of<Table>(given.tau_plus_ms, dt_ms, "tau_plus_ms");
    const auto minus = detail::decay_of<Table>(given.tau_minus_ms, dt_ms, "tau_minus_ms");
    const auto a_plus = share_of(given.a_plus, "a_plus"), a_minus = share_of(given.a_minus, "a_minus");
    return detail::made_of<NearestPair>(plus, minus, a_plus, a_minus);
  }

  [[nodiscard]] constexpr RowTrace aged(auto&, RowTrace row, std::uint32_t ticks) const noexcept {
    return row.later(ticks);
  }
  [[nodiscard]] constexpr RowTrace pre_spiked(auto&, RowTrace, std::uint32_t) const noexcept { return RowTrace::now(); }
  [[nodiscard]] constexpr NeuronTrace post_spiked(auto&, NeuronTrace neuron, std::uint32_t ticks) const noexcept {
    return neuron.exists() ? NeuronTrace::now().later(ticks) : NeuronTrace::longest();
  }
  [[nodiscard]] static constexpr bool is_spent(RowTrace row) noexcept { return row.is_at_least(Table::ticks); }

  [[gnu::always_inline]] constexpr void at_post(auto& synapse, RowTrace row, std::uint32_t ticks,
                                                NeuronTrace neuron) const noexcept {
    const RowTrace since = row.later(ticks);
    // Of one tick the post-synaptic event is before the other: the one before this one may be as old as the spike. Where
    // there was no spike, none is as old.
    if (neuron.is_at_least(since.ticks())) synapse.up(synapse.product(a_plus, plus.at(since.ticks())));
  }
  [[gnu::always_inline]] constexpr void at_pre(auto& synapse, RowTrace, std::uint32_t, NeuronTrace neuron,
                                               std::uint32_t since) const noexcept {
    if (neuron.exists()) synapse.down(synapse.product(a_minus, minus.at(since)));
  }

  Table plus{}, minus{};
  Share a_plus = 0, a_minus = 0;
};

} // namespace timing
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
