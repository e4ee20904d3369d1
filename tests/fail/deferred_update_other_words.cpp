// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the weights of plastic words are magnitudes, or have a sign: SynapticWord; see docs/plasticity.md
// lines: 14
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
using Word = SaturatingWord<8, 1, 4>;
#else
using Word = SynapticWord<8, 1, 4>;
#endif

int main() {
  DeferredUpdate<Word, timing::Pair<>, weight::Additive> update;
  return update.counts() == PlasticityCounts{} ? 0 : 1;
}
