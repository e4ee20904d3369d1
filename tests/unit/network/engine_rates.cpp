// SPDX-License-Identifier: BSL-1.0
// Networks that are drawn, run and looked at by the library against the same synapses in double precision, over several seeds:
// rates and regularity, which do not depend on single spikes.
#include <neuromorph/network/engine.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/network/recording.hpp>
#include <neuromorph/network/statistics.hpp>
#include <tests/reference/cuba_double.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/lif_cells.hpp>
#include <tests/support/networks.hpp>
#include <tests/support/sanitized.hpp>

namespace {

using namespace networks;

// As of Vogels and Abbott, with fewer neurons, and as many synapses of each: 64 and 16 on the average.
constexpr std::uint32_t excitatory = 800, inhibitory = 200, delay_steps = 2;
constexpr double dt_ms = 0.1, probability = 0.08, excitatory_pa = 16.2, inhibitory_pa = 90.0;
constexpr LifCell cell_of_both{.tau_m_ms = 20.0,
                               .tau_exc_ms = 5.0,
                               .tau_inh_ms = 10.0,
                               .c_m_nf = 0.2,
                               .v_rest_mv = -49.0,
                               .v_reset_mv = -60.0,
                               .v_threshold_mv = -50.0,
                               .t_refract_ms = 5.0};

struct Outcome {
  double rate_hz = 0.0, cv = 0.0;
};
Outcome outcome_of(const network::Recording& recording) {
  const auto made = network::statistics(recording, {.begin_ms = 100.0});
  double rate = 0.0, cv = 0.0, neurons = 0.0, with_cv = 0.0;
  for (const network::Statistics& one : made) {
    REQUIRE(one.rate_hz.has_value());
    rate += *one.rate_hz * one.neurons, neurons += one.neurons;
    cv += one.cv.value_or(0.0) * one.cv_neurons, with_cv += one.cv_neurons;
  }
  return {rate / neurons, cv / with_cv};
}

/// The same of spikes of the reference, the long way.
Outcome outcome_of(const std::vector<std::vector<double>>& times_ms, double begin_ms, double end_ms) {
  double spikes = 0.0, cv = 0.0, with_cv = 0.0;
  for (const std::vector<double>& all : times_ms) {
    std::vector<double> times;
    for (const double time : all)
      if (time > begin_ms) times.push_back(time);
    spikes += static_cast<double>(times.size());
    if (times.size() < 3) continue;
    const double count = static_cast<double>(times.size() - 1), mean = (times.back() - times.front()) / count;
    double squares = 0.0;
    for (std::size_t at = 1; at < times.size(); ++at) squares += std::pow(times[at] - times[at - 1] - mean, 2);
    cv += std::sqrt(squares / count) / mean;
    ++with_cv;
  }
  return {spikes * 1000.0 / (end_ms - begin_ms) / static_cast<double>(times_ms.size()), cv / with_cv};
}

template <class Model>
std::pair<Outcome, Outcome> run(std::uint64_t seed, std::uint32_t steps) {
  const auto parameters =
      parameters_of<Model>(cell_of_both, {.excitatory_na = 0.0162, .inhibitory_na = 0.09, .bits = 12});
  network::Network net({.dt_ms = dt_ms, .seed = seed});
  const auto e = net.add<Model>("excitatory", excitatory, parameters),
             i = net.add<Model>("inhibitory", inhibitory, parameters);
  for (const auto one : {e, i})
    net.begin_at(one, neuromorph::place_of<Model>.membrane.v, network::uniform(-60.0, -50.1));
  for (const auto from : {e, i})
    for (const auto to : {e, i})
      net.connect(from, to, network::Pairwise{probability, false},
                  {.receptor = from == e ? 0U : 1U,
                   .weight = (from == e ? excitatory_pa : inhibitory_pa) / 1000.0,
                   .delay_ms = delay_steps * dt_ms});
  auto made = network::Engine::make(net, {.threads = 1});
  INFO(made.sentence());
  REQUIRE(made.ok());
  network::Engine& engine = made.value();

  std::vector<double> initial_mv;
  for (const auto one : {e, i})
    for (std::uint32_t neuron = 0; neuron < net[one].count; ++neuron)
      initial_mv.push_back(engine.value(one, neuromorph::place_of<Model>.membrane.v, neuron));
  std::vector<std::vector<reference::Cuba::Synapse>> synapses(excitatory + inhibitory);
  for (std::uint32_t at = 0; at < net.projections().size(); ++at) {
    const network::Projection& projection = net.projections()[at];
    for (const Found& one : synapses_of(plan_of(net, at)))
      synapses[(projection.source == e ? 0 : excitatory) + one.source].push_back(
          {(projection.target == e ? 0 : excitatory) + one.target,
           projection.source == e ? excitatory_pa : -inhibitory_pa});
  }
  reference::Cuba exact({}, dt_ms, delay_steps, std::move(synapses), initial_mv);
  std::vector<std::vector<double>> times_ms(excitatory + inhibitory);
  for (std::uint32_t step = 1; step <= steps; ++step)
    for (const std::uint32_t neuron : exact.step()) times_ms[neuron].push_back(step * dt_ms);

  auto recorder = network::MemoryRecorder::make(net, all_spikes(net));
  REQUIRE(recorder.ok());
  REQUIRE(engine.record(recorder.value()).ok());
  REQUIRE(engine.run(steps).ok());
  REQUIRE(engine.finish().ok());
  CHECK(engine.counts().input_saturations + engine.counts().saturations == 0);
  return {outcome_of(recorder.value().recording()), outcome_of(times_ms, 100.0, steps * dt_ms)};
}

} // namespace

TEST_CASE("engine: rates and regularity are those of double precision, over several seeds") {
  // Of a run of a second, rates differ by 3 % and CVs by 5 %, by chance: the networks are chaotic.
  constexpr std::uint32_t steps = sanitized ? 6'000 : 11'000;
  constexpr std::uint64_t seeds = sanitized ? 4 : 12;
  constexpr double margin = sanitized ? 0.1 : 0.05;
  Outcome ours, exact;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto [fixed, doubles] =
        seed % 2 == 1 ? run<neuromorph::PackedLif>(seed, steps) : run<neuromorph::Lif<2>>(seed, steps);
    std::printf("seed %u: rate %.3f Hz, in doubles %.3f Hz; CV %.4f, in doubles %.4f\n", unsigned(seed), fixed.rate_hz,
                doubles.rate_hz, fixed.cv, doubles.cv);
    ours.rate_hz += fixed.rate_hz / seeds, ours.cv += fixed.cv / seeds;
    exact.rate_hz += doubles.rate_hz / seeds, exact.cv += doubles.cv / seeds;
  }
  CHECK(exact.rate_hz > 3.0);
  CHECK(ours.rate_hz == Approx(exact.rate_hz).epsilon(margin));
  CHECK(ours.cv == Approx(exact.cv).epsilon(margin));
}
