// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: a timing rule offers 'LaneTraces' and lacks 'template <class Word> using NeuronTraceOf', which of std::uint32_t is NeuronTrace; see docs/plasticity.md
// lines: 14
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>

using namespace neuromorph;

struct Rule {
  using Offers = offer::List<offer::LaneTraces>;
  using RowTrace = Share;
  using NeuronTrace = Share;
#ifdef NEUROMORPH_KO
  template <class Word>
  using NeuronTraceOf = std::array<Word, 2>;
#else
  template <class Word>
  using NeuronTraceOf = Word;
#endif
  static Share aged(auto&, Share row, std::uint32_t) { return row; }
  static Share pre_spiked(auto&, Share row, std::uint32_t) { return row; }
  static Share post_spiked(auto&, Share neuron, std::uint32_t) { return neuron; }
  static void at_post(auto& synapse, Share row, auto, auto) { synapse.up(row); }
  static void at_pre(auto& synapse, Share, std::uint32_t, auto neuron, auto) { synapse.down(neuron); }
};

int main() {
  DeferredUpdate<SynapticWord<8, 1, 4>, Rule, weight::Additive> update;
  return update.counts() == PlasticityCounts{} ? 0 : 1;
}
