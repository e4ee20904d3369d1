// SPDX-License-Identifier: BSL-1.0
/// \file
/// Spike-timing-dependent plasticity that waits for dopamine.
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_NEUROMODULATED_HPP
#define NEUROMORPH_KERNELS_PLASTICITY_TIMING_RULES_NEUROMODULATED_HPP

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

/// All pairs move the eligibility c of a synapse, from -1 to 1, by A+ exp(-dt/tau+) or -A- exp(-dt/tau-); it decays with tau_c.
/// Dopamine D reaches a neuron in events (DeferredUpdate::modulate) and decays with tau_d. The weight moves by dw/dt = c D,
/// which is integrated exactly between events.
///
/// An amount of dopamine is a share: by how much of its range it would bring a weight whose eligibility is 1, until both have
/// decayed. That is D / (1 / tau_c + 1 / tau_d) of the equation. It reaches synapses as post-synaptic events do: with a
/// dendritic delay, that much later. What is held of c is counted as a held trace.
///
/// \tparam Fast  for tau+ and tau-: DecayTable<ticks> or LongDecayTable<ticks>
/// \tparam Slow  for tau_c and tau_d
/// \source E. M. Izhikevich, Solving the distal reward problem through linkage of STDP and dopamine signaling, 2007
template <class Fast = DecayTable<480>, class Slow = LongDecayTable<16384>>
struct Neuromodulated {
  using Offers = offer::List<offer::OwnWord, offer::Elapse>;
  static constexpr bool own_word = true; ///< c, with 31 fraction bits
  using RowTrace = Share;                ///< A+ times the count of pre-synaptic events, which decays
  struct NeuronTrace {
    Share o = 0;                ///< A- times the count of post-synaptic events
    std::uint32_t dopamine = 0; ///< a share; the lowest bit says whether the last event was a post-synaptic one
    friend constexpr bool operator==(const NeuronTrace&, const NeuronTrace&) noexcept = default;
  };

  struct Parameters {
    double tau_plus_ms = 20.0, tau_minus_ms = 20.0, tau_c_ms = 1000.0, tau_d_ms = 200.0;
    double a_plus = 0.01, a_minus = 0.015; ///< of an eligibility of 1
  };
  /// \errors those of Fast and Slow: tau_plus_ms, tau_minus_ms, tau_c_ms, tau_d_ms; those of share_of: a_plus, a_minus
  [[nodiscard]] static constexpr Result<Neuromodulated> from(const Parameters& given, double dt_ms) noexcept {
    const auto plus = detail::decay_of<Fast>(given.tau_plus_ms, dt_ms, "tau_plus_ms");
    const auto minus = detail::decay_of<Fast>(given.tau_minus_ms, dt_ms, "tau_minus_ms");
    const auto c = detail::decay_of<Slow>(given.tau_c_ms, dt_ms, "tau_c_ms");
    const auto d = detail::decay_of<Slow>(given.tau_d_ms, dt_ms, "tau_d_ms");
    const auto a_plus = share_of(given.a_plus, "a_plus"), a_minus = share_of(given.a_minus, "a_minus");
    return detail::made_of<Neuromodulated>(plus, minus, c, d, a_plus, a_minus);
  }

  [[nodiscard]] constexpr Share aged(auto& m, Share row, std::uint32_t ticks) const noexcept {
    return m.product(row, plus.at(ticks));
  }
  [[nodiscard]] constexpr Share pre_spiked(auto& m, Share row, std::uint32_t ticks) const noexcept {
    return m.sum(m.product(row, plus.at(ticks)), a_plus);
  }
  [[nodiscard]] constexpr NeuronTrace post_spiked(auto& m, NeuronTrace neuron, std::uint32_t ticks) const noexcept {
    return {m.sum(m.product(neuron.o, minus.at(ticks)), a_minus), m.product(level(neuron), d.at(ticks)) | 1};
  }
  [[nodiscard]] constexpr NeuronTrace modulated(auto& m, NeuronTrace neuron, std::uint32_t ticks,
                                                Share amount) const noexcept {
    return {m.product(neuron.o, minus.at(ticks)), m.sum(m.product(level(neuron), d.at(ticks)), amount) & ~1U};
  }

  constexpr void elapse(auto& synapse, std::uint32_t ticks, NeuronTrace neuron, std::uint32_t since) const noexcept {
    const auto eligibility = static_cast<std::int32_t>(synapse.own_word());
    if (eligibility == 0 || ticks == 0) return;
    const bool is_negative = eligibility < 0;
    const std::uint32_t size = is_negative ? 0 - synapse.own_word() : synapse.own_word();
    const Share dopamine = synapse.product(level(neuron), d.at(since));
    const DecayFactor kept = c.at(ticks);
    if (dopamine != 0) {
      // A factor of 2^31 is 1: what has gone of the product of both.
      const DecayFactor gone = (DecayFactor{1} << 31) - synapse.product(kept, d.at(ticks));
      const Share change = synapse.product(synapse.product(dopamine, size), gone);
      if (is_negative)
        synapse.down(change);
      else
        synapse.up(change);
    }
    const std::uint32_t left = synapse.product(size, kept);
    synapse.set_own_word(is_negative ? 0 - left : left);
  }
  constexpr void at_post(auto& synapse, Share row, std::uint32_t ticks, NeuronTrace neuron) const noexcept {
    if ((neuron.dopamine & 1) != 0) move(synapse, halved(synapse.product(row, plus.at(ticks))));
  }
  constexpr void at_pre(auto& synapse, Share, std::uint32_t, NeuronTrace neuron, std::uint32_t since) const noexcept {
    move(synapse, -halved(synapse.product(neuron.o, minus.at(since))));
  }

  Fast plus{}, minus{};
  Slow c{}, d{};
  Share a_plus = 0, a_minus = 0;

private:
  [[nodiscard]] static constexpr Share level(NeuronTrace neuron) noexcept { return neuron.dopamine & ~1U; }
  [[nodiscard]] static constexpr std::int32_t halved(Share share) noexcept {
    return static_cast<std::int32_t>((share >> 1) + (share & 1 & (share != ~Share{0} ? 1U : 0U)));
  }
  static constexpr void move(auto& synapse, std::int32_t by) noexcept {
    std::int32_t sum = 0;
    if (__builtin_add_overflow(static_cast<std::int32_t>(synapse.own_word()), by, &sum)) {
      sum = by < 0 ? -INT32_MAX : INT32_MAX;
      static_cast<void>(synapse.sum(~Share{0}, 1)); // counts it
    }
    synapse.set_own_word(static_cast<std::uint32_t>(sum));
  }
};

} // namespace timing
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
