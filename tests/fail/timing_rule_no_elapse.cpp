// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a timing rule offers 'Elapse' and lacks 'void elapse(auto& synapse, std::uint32_t ticks, NeuronTrace, std::uint32_t since) const'
#include <cstdint>

#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/kernels/synapses/synaptic_word.hpp>

using namespace neuromorph;

struct Rule {
  using Offers = offer::List<offer::Elapse>;
  using RowTrace = Share;
  using NeuronTrace = Share;
  constexpr RowTrace aged(auto&, RowTrace row, std::uint32_t) const { return row; }
  constexpr RowTrace pre_spiked(auto&, RowTrace, std::uint32_t) const { return 1; }
  constexpr NeuronTrace post_spiked(auto&, NeuronTrace, std::uint32_t) const { return 1; }
  constexpr void at_post(auto& synapse, RowTrace row, std::uint32_t, NeuronTrace) const { synapse.up(row); }
  constexpr void at_pre(auto& synapse, RowTrace, std::uint32_t, NeuronTrace neuron, std::uint32_t) const {
    synapse.down(neuron);
  }
#ifdef NEUROMORPH_KO
  constexpr void elapsed(auto&, std::uint32_t, NeuronTrace, std::uint32_t) const {}
#else
  constexpr void elapse(auto&, std::uint32_t, NeuronTrace, std::uint32_t) const {}
#endif
};

DeferredUpdate<SynapticWord<8, 1, 4>, Rule, weight::Additive> update;
