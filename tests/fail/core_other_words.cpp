// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the rules of a Core have the synaptic words of its ring buffer; see docs/core.md
// lines: 14
#include <neuromorph/core/core.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>
#include <neuromorph/target/device/simulated_dma.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
using Word = SynapticWord<8, 1, 4, WeightSign::signed_value>;
#else
using Word = SynapticWord<8, 1, 4>;
#endif
using Stdp = DeferredUpdate<Word, timing::Pair<>, weight::Additive>;
struct Send {
  void operator()(std::uint32_t) const noexcept {}
};

int main() {
  using Ring = RingBuffer<SynapticWord<8, 1, 4>>;
  return Core<CoreSizes{.neurons = 8}, Lif<>, Ring, target::SimulatedDma<>, Send, PlasticRules<Stdp>>::look_every == 125
             ? 0
             : 1;
}
