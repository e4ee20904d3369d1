// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: this timing rule reads its neurons as they are, so it takes PostSynapticDelay::none; see docs/plasticity.md
// lines: 14
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/clopath.hpp>
#include <neuromorph/kernels/plasticity/voltage_means.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>

using namespace neuromorph;

using Rule = timing::Clopath<VoltageMeans<4>>;
#ifdef NEUROMORPH_KO
constexpr PostSynapticDelay delay = PostSynapticDelay::dendritic;
#else
constexpr PostSynapticDelay delay = PostSynapticDelay::none;
#endif

int main() {
  DeferredUpdate<SynapticWord<8, 1, 4>, Rule, weight::Additive, delay> update;
  return update.counts() == PlasticityCounts{} ? 0 : 1;
}
