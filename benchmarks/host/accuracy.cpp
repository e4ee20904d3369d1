// SPDX-License-Identifier: BSL-1.0
// How exact neurons are, beside how quick. accuracy/<alias>/<dt in ms> is the worst error over threshold - rest: of linear
// membranes from the exact solution; of others from the same method in double, and as the counter `integrator` of that method
// from itself in steps of a hundredth. lag/izhikevich/<cell>/<rounding> is the mean distance of the 650th spike from that in
// double, in ms, and by counters how far one neuron deviates, and one in double. Not times: each is a counter `value`, and is
// found once.
#include <cmath>
#include <string>
#include <utility>

#include <benchmark/benchmark.h>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/models/nir.hpp>
#include <neuromorph/kernels/neurons/models/pynn.hpp>

#include "lif_cell.hpp"
#include "support.hpp"
#include "tests/support/neuron_accuracy.hpp"

namespace bench {
namespace {

/// \param find  sets the counters
void register_counters(const std::string& key, auto find) {
  benchmark::RegisterBenchmark(key.c_str(),
                               [=](benchmark::State& state) {
                                 for (auto _ : state) find(state.counters);
                               })
      ->Iterations(1)
      ->Repetitions(1)
      ->Unit(benchmark::kMillisecond);
}

template <class Model>
void register_linear(const std::string& alias) {
  for (const auto& [name, dt_ms] : {std::pair{"/0.1", 0.1}, std::pair{"/1", 1.0}})
    register_counters("accuracy/" + alias + name, [dt = dt_ms](benchmark::UserCounters& counters) {
      counters["value"] = accuracy::largest_error<Model>(dt, 10.0);
    });
}
template <class Model>
void register_method(const std::string& alias) {
  for (const auto& [name, dt_ms] : {std::pair{"/0.1", 0.1}, std::pair{"/1", 1.0}})
    register_counters("accuracy/" + alias + name, [dt = dt_ms](benchmark::UserCounters& counters) {
      const accuracy::Errors errors = accuracy::errors_of_method<Model>(dt, 10.0);
      counters["value"] = errors.rounding;
      counters["integrator"] = errors.integrator;
    });
}

template <class Rounding>
void register_lag(const accuracy::IzhikevichCell& cell, const char* rounding) {
  register_counters(
      std::string("lag/izhikevich/") + cell.key + "/" + rounding, [&cell](benchmark::UserCounters& counters) {
        const accuracy::Lag lag = accuracy::izhikevich_lag<Rounding>(cell, accuracy::late_spikes_in_double(cell, 64));
        counters["value"] = std::fabs(lag.mean_ms);
        counters["deviation"] = lag.deviation_ms;
        counters["of_reference"] = lag.of_reference_ms;
      });
}
template <class Rounding>
using Izhikevich = nm::Neuron<nm::membrane::Izhikevich, nm::synapse::Exponential<2>, Rounding>;

} // namespace

void register_accuracy() {
  register_linear<nm::Lif<1>>("lif1");
  register_linear<nm::Lif<2>>("lif2");
  register_linear<nm::PackedLif>("packed_lif");
  register_linear<nm::CompactLif<1>>("compact_lif1");
  register_linear<nm::CompactLif<2>>("compact_lif2");
  register_linear<nm::pynn::IfCurrExp>("if_curr_exp");
  register_linear<nm::pynn::IfCurrAlpha>("if_curr_alpha");
  register_linear<nm::pynn::IfCurrDelta>("if_curr_delta");
  register_linear<nm::nir::Lif>("lif");
  register_linear<nm::nir::CubaLif>("cubalif");
  register_linear<nm::nir::Li>("li");
  register_linear<nm::nir::CubaLi>("cubali");
  register_linear<nm::nir::If>("if");
  register_linear<nm::nir::Integrator>("i");
  register_method<nm::pynn::IfCondExp>("if_cond_exp");
  register_method<nm::pynn::IfCondAlpha>("if_cond_alpha");
  register_method<Izhikevich<nm::rounding::Nearest>>("izhikevich");
  register_method<Izhikevich<nm::rounding::Stochastic>>("izhikevich_stochastic");
  register_method<nm::pynn::Izhikevich>("izhikevich_delta");
  register_method<nm::pynn::EifCondExpIsfaIsta>("eif_cond_exp_isfa_ista");
  register_method<nm::pynn::EifCondAlphaIsfaIsta>("eif_cond_alpha_isfa_ista");
  for (const auto& cell : accuracy::izhikevich_cells) {
    register_lag<nm::rounding::Nearest>(cell, "nearest");
    register_lag<nm::rounding::Stochastic>(cell, "stochastic");
  }
}

} // namespace bench
