// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a timing rule offers 'Elapse', which asks for all events, and 'IsSpent', which leaves some out; see docs/plasticity.md
#include <cstdint>

#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

using namespace neuromorph;

struct Rule {
  using RowTrace = Share;
  using NeuronTrace = Share;
#ifdef NEUROMORPH_KO
  using Offers = offer::List<offer::Elapse, offer::IsSpent>;
  static constexpr bool is_spent(RowTrace row) { return row == 0; }
#else
  using Offers = offer::List<offer::Elapse>;
#endif
  constexpr RowTrace aged(auto&, RowTrace row, std::uint32_t) const { return row; }
  constexpr RowTrace pre_spiked(auto&, RowTrace, std::uint32_t) const { return 1; }
  constexpr NeuronTrace post_spiked(auto&, NeuronTrace, std::uint32_t) const { return 1; }
  constexpr void at_post(auto& synapse, RowTrace row, std::uint32_t, NeuronTrace) const { synapse.up(row); }
  constexpr void at_pre(auto& synapse, RowTrace, std::uint32_t, NeuronTrace neuron, std::uint32_t) const {
    synapse.down(neuron);
  }
  constexpr void elapse(auto&, std::uint32_t, NeuronTrace, std::uint32_t) const {}
};

DeferredUpdate<SynapticWord<8, 1, 4>, Rule, weight::Additive> update;
