// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a timing rule lacks 'using Offers', an offer::List of what it has of 'IsSpent', 'OwnBits', 'OwnWord', 'Elapse', 'NoDelay' and 'LaneTraces'; see docs/plasticity.md
// lines: 14
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>

using namespace neuromorph;

struct Rule {
#ifndef NEUROMORPH_KO
  using Offers = offer::List<>;
#endif
  using RowTrace = Share;
  using NeuronTrace = Share;
  static Share aged(auto&, Share row, std::uint32_t) { return row; }
  static Share pre_spiked(auto&, Share row, std::uint32_t) { return row; }
  static Share post_spiked(auto&, Share neuron, std::uint32_t) { return neuron; }
  static void at_post(auto& synapse, Share row, std::uint32_t, Share) { synapse.up(row); }
  static void at_pre(auto& synapse, Share, std::uint32_t, Share neuron, std::uint32_t) { synapse.down(neuron); }
};

int main() {
  DeferredUpdate<SynapticWord<8, 1, 4>, Rule, weight::Additive> update;
  return update.counts() == PlasticityCounts{} ? 0 : 1;
}
