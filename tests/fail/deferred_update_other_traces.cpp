// SPDX-License-Identifier: BSL-1.0
// expect: neuromorph: the history keeps other traces than the timing rule's NeuronTrace; see docs/plasticity.md
// lines: 14
#include <array>

#include <neuromorph/gc/trace_store.hpp>
#include <neuromorph/kernels/plasticity/deferred_update.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/additive.hpp>

using namespace neuromorph;

#ifdef NEUROMORPH_KO
using Trace = std::int32_t;
#else
using Trace = Share;
#endif

int main() {
  static DeferredUpdate<SynapticWord<8, 1, 4>, timing::Pair<>, weight::Additive> update;
  static TraceStore<Trace, 10> history;
  std::array<std::uint32_t, 3> row{};
  return update.pre_spike(row, 1, history) == RowUpdate::unchanged ? 0 : 1;
}
