// SPDX-License-Identifier: BSL-1.0
// How exact neurons are, beside how quick: accuracy/<alias>/<dt in ms> is the worst error over threshold - rest,
// lag/izhikevich/<cell>/<rounding> the distance of the 650th spike from that in double, in ms. Not times: each is a counter
// `value`, and is found once.
#include <cmath>
#include <string>

#include <benchmark/benchmark.h>
#include <neuromorph/kernels/neurons/models/nir.hpp>
#include <neuromorph/kernels/neurons/models/pynn.hpp>

#include "lif_cell.hpp"
#include "support.hpp"
#include "tests/support/neuron_accuracy.hpp"

namespace bench {
namespace {

void register_value(const std::string& key, double (*find)()) {
  benchmark::RegisterBenchmark(key.c_str(),
                               [=](benchmark::State& state) {
                                 double value = 0.0;
                                 for (auto _ : state) value = find();
                                 state.counters["value"] = value;
                               })
      ->Iterations(1)
      ->Repetitions(1)
      ->Unit(benchmark::kMillisecond);
}

template <class Model>
void register_accuracy(const std::string& alias) {
  register_value("accuracy/" + alias + "/0.1", [] { return accuracy::largest_error<Model>(0.1, 10.0); });
  register_value("accuracy/" + alias + "/1", [] { return accuracy::largest_error<Model>(1.0, 10.0); });
}

template <std::size_t cell>
void register_lag() {
  constexpr const accuracy::IzhikevichCell& of = accuracy::izhikevich_cells[cell];
  const std::string key = std::string("lag/izhikevich/") + of.key;
  register_value(key + "/nearest", [] {
    return std::fabs(accuracy::izhikevich_lag<nm::rounding::Nearest>(of.a, of.d, 1)); // nothing is drawn
  });
  register_value(key + "/stochastic",
                 [] { return std::fabs(accuracy::izhikevich_lag<nm::rounding::Stochastic>(of.a, of.d, 20)); });
}

} // namespace

void register_accuracy() {
  register_accuracy<nm::Lif<1>>("lif1");
  register_accuracy<nm::Lif<2>>("lif2");
  register_accuracy<nm::PackedLif>("packed_lif");
  register_accuracy<nm::CompactLif<1>>("compact_lif1");
  register_accuracy<nm::CompactLif<2>>("compact_lif2");
  register_accuracy<nm::pynn::IfCurrExp>("if_curr_exp");
  register_accuracy<nm::pynn::IfCurrAlpha>("if_curr_alpha");
  register_accuracy<nm::pynn::IfCurrDelta>("if_curr_delta");
  register_accuracy<nm::nir::Lif>("lif");
  register_accuracy<nm::nir::CubaLif>("cubalif");
  register_accuracy<nm::nir::Li>("li");
  register_accuracy<nm::nir::CubaLi>("cubali");
  register_accuracy<nm::nir::If>("if");
  register_accuracy<nm::nir::Integrator>("i");
  register_lag<0>();
  register_lag<1>();
}

} // namespace bench
