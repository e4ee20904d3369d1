// SPDX-License-Identifier: BSL-1.0
// What a stage of delays takes: a spike put, one taken in its step, and the call that finds no more.
#include <array>
#include <cstdint>

#include <neuromorph/kernels/synapses/delay_stage.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {
DelayStage<64, 256> stage;
} // namespace

bool run() {
  std::uint32_t put = 0, sum = 0;
  for (std::uint32_t step = 0; step < 100; ++step) {
    for (std::uint32_t spike = 0; spike < 3; ++spike) {
      const std::uint32_t item = fresh(step + spike);
      auto* const to = fresh(&stage);
      bool is_kept;
      MEASURE("synapse.delay_stage.put", 1, is_kept = fresh<std::uint32_t>(to->put(step, fresh(7 + spike), item)) != 0);
      put += is_kept ? 1 : 0;
    }
    for (std::uint32_t spike = 0; spike < 3 && step >= 9; ++spike) {
      std::uint32_t item = 0;
      auto* const from = fresh(&stage);
      MEASURE("synapse.delay_stage.take", 1, {
        sum += fresh<std::uint32_t>(from->take(fresh(step), item));
        item = fresh(item);
      });
    }
    std::uint32_t item = 0;
    auto* const from = fresh(&stage);
    while (step < 9 && from->take(step, item)) ++sum;
    MEASURE("synapse.delay_stage.take_none", 1, sum += fresh<std::uint32_t>(from->take(fresh(step), item)));
  }
  return put == 300 && sum + stage.waiting() == 300 && stage.counts().late == 0;
}
