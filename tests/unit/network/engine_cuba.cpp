// SPDX-License-Identifier: BSL-1.0
// The engine against the CUBA example, which has the same digests on boards: each word after each step.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <neuromorph/network/engine.hpp>

#include "examples/cuba/network.hpp"
#include "examples/cuba/simulation.hpp"
#include "tests/support/catch.hpp"

namespace {

namespace network = neuromorph::network;
using neuromorph::place_of;

constexpr double dt_ms = 0.1;

cuba::Network cuba_of(std::uint32_t neurons, std::uint64_t seed) {
  cuba::Network made;
  made.neurons = neurons;
  REQUIRE(cuba::set_time_step(made, dt_ms).empty());
  REQUIRE(cuba::build_from_seed(made, seed).empty());
  return made;
}

/// The same synapses and membranes, described.
network::Network described(const cuba::Network& given) {
  network::Network net({.dt_ms = dt_ms, .seed = 1});
  const auto cells = net.add<cuba::Model>("cells", given.neurons, cuba::cell);
  network::FromList lists[2];
  for (std::uint32_t source = 0; source < given.neurons; ++source)
    for (const std::uint32_t word : given.rows.row(source)) {
      const auto synapse = cuba::Word::decode(word);
      lists[synapse.type].synapses.push_back(
          {source, synapse.index, synapse.type == 0 ? cuba::excitatory_weight_na : cuba::inhibitory_weight_na,
           cuba::delay_ms});
    }
  net.connect(cells, cells, lists[0], {.receptor = 0});
  net.connect(cells, cells, lists[1], {.receptor = 1});
  std::vector<double> initial_mv;
  for (const std::int32_t word : given.initial)
    initial_mv.push_back(cuba::Model::value(given.made, place_of<cuba::Model>.membrane.v, word));
  net.begin_at(cells, place_of<cuba::Model>.membrane.v, initial_mv);
  return net;
}

network::Engine engine_of(const network::Network& net, const network::EngineOptions& options) {
  auto made = network::Engine::make(net, options);
  INFO(made.sentence());
  REQUIRE(made.ok());
  return std::move(made).value();
}

} // namespace

TEST_CASE("engine: CUBA has the words and spikes of the example, step by step") {
  constexpr std::uint32_t steps = 2000;
  constexpr network::PopulationId cells{0};
  for (const std::uint32_t neurons : {400U, 4000U}) {
    INFO(neurons << " neurons");
    const cuba::Network given = cuba_of(neurons, 1);
    const network::Network net = described(given);
    const auto ring = std::make_unique<cuba::Ring>();
    cuba::Simulation simulation(given, *ring);
    network::Engine engine = engine_of(net, {.threads = 1, .delivery = network::Delivery::at_once});
    REQUIRE(engine.rows().total() == given.words.size());
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      REQUIRE(engine.word(cells, 0, neuron) == given.initial[neuron]);
    std::vector<std::uint32_t> fired, expected;
    for (std::uint32_t step = 1; step <= steps; ++step) {
      std::vector<bool> was_refractory;
      for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
        was_refractory.push_back(engine.word(cells, 0, neuron) > 0);
      const auto spikes = simulation.step();
      expected.assign(spikes.begin(), spikes.end());
      REQUIRE(engine.run(1).ok());
      fired.clear();
      std::uint32_t differs = neurons;
      for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
        const std::int32_t v = engine.word(cells, 0, neuron), psps = engine.word(cells, 1, neuron);
        const auto words = simulation.words(neuron);
        if (v != words[0] || (psps & 0xFFFF) != words[1] || (psps >> 16 & 0xFFFF) != words[2]) differs = neuron;
        if (v > 0 && !was_refractory[neuron]) fired.push_back(neuron);
      }
      INFO("step " << step << ", neuron " << differs);
      REQUIRE(differs == neurons);
      REQUIRE((fired == expected));
      REQUIRE(engine.counts().spikes == simulation.spikes());
    }
    CHECK(engine.counts().saturations + engine.counts().input_saturations == simulation.saturations());
    CHECK(engine.counts().events <= simulation.events()); // those of the last two steps are under way
    CHECK(engine.counts().spikes > (neurons == 4000 ? 4000 : 100));

    for (const network::Delivery delivery :
         {network::Delivery::chosen, network::Delivery::at_once, network::Delivery::when_due})
      for (const std::uint32_t parts : {1U, 3U}) {
        const unsigned threads = neurons == 400 && parts == 3 && delivery == network::Delivery::chosen ? 2 : 1;
        network::Engine other = engine_of(net, {.threads = threads, .parts = parts, .delivery = delivery});
        REQUIRE(other.run(steps).ok());
        CHECK(other.digest() == engine.digest());
        CHECK(other.counts().events == engine.counts().events);
      }
  }
}
