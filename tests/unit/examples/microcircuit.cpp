// SPDX-License-Identifier: BSL-1.0
// The cortical microcircuit at a small scale: the same on any number of threads, as active as it should be; and its judge.
#include "examples/microcircuit/network.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>

#include <neuromorph/network/engine.hpp>
#include <neuromorph/network/recording.hpp>
#include <neuromorph/network/statistics.hpp>

#include "tests/support/catch.hpp"

namespace {

namespace network = neuromorph::network;

network::Engine engine_of(const network::Network& net, unsigned threads) {
  auto made = network::Engine::make(net, {.threads = threads, .parts = threads, .measures = threads == 2});
  INFO(made.sentence());
  REQUIRE(made.ok());
  return std::move(made).value();
}

} // namespace

TEST_CASE("microcircuit: as many neurons and synapses as published") {
  CHECK(std::accumulate(microcircuit::neurons.begin(), microcircuit::neurons.end(), 0U) == 77'169);
  double synapses = 0.0;
  for (std::size_t to = 0; to < microcircuit::populations; ++to)
    for (std::size_t from = 0; from < microcircuit::populations; ++from)
      synapses += microcircuit::synapses_of(to, from);
  CHECK(std::fabs(synapses - 298.9e6) < 0.1e6);
}

TEST_CASE("microcircuit: small ones have the same bits on any number of threads, and broadly the rates of the whole") {
  for (const bool is_reduced : {false, true})
    for (const bool has_current : {false, true}) {
      INFO("reduced " << is_reduced << ", current " << has_current);
      const auto net = microcircuit::describe({0.04, !is_reduced, has_current, 7});
      auto recorder = network::MemoryRecorder::make(net, network::all_spikes(net)).value();
      network::Engine one = engine_of(net, 1), two = engine_of(net, 2);
      REQUIRE(one.record(recorder).ok());
      const std::uint64_t steps = is_reduced ? 6000 : 3000;
      REQUIRE(one.run(steps).ok());
      REQUIRE(one.finish().ok());
      REQUIRE(two.run(steps).ok());
      CHECK(one.digest() == two.digest());
      CHECK(one.phases().update == 0.0);
      CHECK(two.phases().update > 0.0);
      CHECK(two.phases().delivery > 0.0);
      // In-degrees near the number of neurons correlate all of them; without noise from outside few neurons may keep silent.
      if (!is_reduced || has_current) continue;
      const auto all = network::statistics(recorder.recording(), {.begin_ms = 200.0});
      for (std::size_t at = 0; at < microcircuit::populations; ++at) {
        INFO(microcircuit::names[at] << " " << all[at].rate_hz.value_or(-1.0));
        REQUIRE(all[at].rate_hz);
        CHECK(*all[at].rate_hz > 0.2 * microcircuit::rates_hz[at]);
        CHECK(*all[at].rate_hz < 5.0 * microcircuit::rates_hz[at]);
      }
    }
}

TEST_CASE("microcircuit: the current makes up for the mean of what is left out") {
  // By hand: 1600 synapses at 8 Hz, 87.8 pA for 0.5 ms each, are 0.562 nA.
  CHECK(std::fabs(microcircuit::current_of(0, {1.0, true, true, 1}) - 0.56192) < 1e-9);
  CHECK(microcircuit::current_of(0, {0.1, true, false, 1}) == 0.0);
  CHECK(microcircuit::current_of(0, {1.0, false, false, 1}) == 0.0);
  // The less there is, the nearer the current is to the whole mean.
  const double whole = microcircuit::current_of(3, {1e-12, false, false, 1});
  CHECK(std::fabs(microcircuit::current_of(3, {0.25, false, false, 1}) - 0.5 * whole) < 1e-5);
}

TEST_CASE("microcircuit: the judge takes what was published, and says what is not") {
  for (std::size_t at = 0; at < microcircuit::populations; ++at)
    for (const double rate : microcircuit::published_hz[at]) {
      CHECK(microcircuit::fault_of(at, rate, 0.8, 3.0).empty());
      CHECK(microcircuit::fault_of(at, rate, 0.6, 7.99).empty());
      CHECK(microcircuit::fault_of(at, rate, 0.59, 3.0).find(": a CV that") != std::string::npos);
      CHECK(microcircuit::fault_of(at, rate, 1.01, 3.0).find(": a CV that") != std::string::npos);
      CHECK(microcircuit::fault_of(at, rate, 0.8, 8.0).find(": a synchrony") != std::string::npos);
      CHECK(microcircuit::fault_of(at, {}, 0.8, 3.0).find(": too few") != std::string::npos);
      CHECK(microcircuit::fault_of(at, rate, {}, 3.0).find(": too few") != std::string::npos);
    }
  CHECK(microcircuit::fault_of(0, 0.971 * 1.09, 0.8, 3.0).empty());
  CHECK(microcircuit::fault_of(0, 0.971 * 1.11, 0.8, 3.0) ==
        "2/3E: a rate of more than 10 % from each published run, 1.08");
  CHECK(microcircuit::fault_of(0, 0.903 * 0.91, 0.8, 3.0).empty());
  CHECK(!microcircuit::fault_of(0, 0.903 * 0.89, 0.8, 3.0).empty());
}
