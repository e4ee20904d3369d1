// SPDX-License-Identifier: BSL-1.0
/// \file
/// Spike-timing-dependent plasticity, all pairs.
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_PAIR_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_PAIR_HPP

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

/// A post-synaptic event brings the weight up by A+ exp(-dt/tau+) for each pre-synaptic one before it. A pre-synaptic event
/// brings it down by A- exp(-dt/tau-) for each post-synaptic one before it and of the same tick.
///
/// \tparam Table  DecayTable<ticks>, or LongDecayTable<ticks> for long time constants in short ticks
/// \source A. Morrison, A. Aertsen, M. Diesmann, Spike-timing-dependent plasticity in balanced random networks, 2007
template <class Table = DecayTable<480>>
struct Pair {
  using Offers = offer::List<offer::IsSpent, offer::LaneTraces>;
  using RowTrace = Share;    ///< by how much an event now would bring weights up
  using NeuronTrace = Share; ///< the same down
  template <class Word>
  using NeuronTraceOf = Word;

  struct Parameters {
    double tau_plus_ms = 20.0, tau_minus_ms = 20.0;
    double a_plus = 0.01, a_minus = 0.012; ///< shares of the range of weights
  };
  /// \errors those of Table: tau_plus_ms, tau_minus_ms; those of share_of: a_plus, a_minus
  [[nodiscard]] static constexpr Result<Pair> from(const Parameters& given, double dt_ms) noexcept {
    const auto plus = detail::decay_of<Table>(given.tau_plus_ms, dt_ms, "tau_plus_ms");
    const auto minus = detail::decay_of<Table>(given.tau_minus_ms, dt_ms, "tau_minus_ms");
    const auto a_plus = share_of(given.a_plus, "a_plus"), a_minus = share_of(given.a_minus, "a_minus");
    return detail::made_of<Pair>(plus, minus, a_plus, a_minus);
  }

  [[nodiscard]] constexpr Share aged(auto& m, Share row, std::uint32_t ticks) const noexcept {
    return m.product(row, plus.at(ticks));
  }
  [[nodiscard]] constexpr Share pre_spiked(auto& m, Share row, std::uint32_t ticks) const noexcept {
    return m.sum(m.product(row, plus.at(ticks)), a_plus);
  }
  [[nodiscard]] constexpr Share post_spiked(auto& m, Share neuron, std::uint32_t ticks) const noexcept {
    return m.sum(m.product(neuron, minus.at(ticks)), a_minus);
  }
  [[nodiscard]] static constexpr bool is_spent(Share row) noexcept { return row == 0; }

  [[gnu::always_inline]] constexpr void at_post(auto& synapse, Share row, auto ticks, auto) const noexcept {
    synapse.up(synapse.product(row, plus.at(ticks)));
  }
  [[gnu::always_inline]] constexpr void at_pre(auto& synapse, Share, std::uint32_t, auto neuron,
                                               auto since) const noexcept {
    synapse.down(synapse.product(neuron, minus.at(since)));
  }

  Table plus{}, minus{};
  Share a_plus = 0, a_minus = 0;
};

} // namespace timing
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
