// SPDX-License-Identifier: BSL-1.0
// The engine against a plain model of the same network: random networks, in any parts, on any threads, however events are
// delivered and in whatever pieces a run comes.
#include <neuromorph/network/engine.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include <tests/support/catch.hpp>
#include <tests/support/networks.hpp>
#include <tests/support/plain_network.hpp>
#include <tests/support/random_network.hpp>
#include <tests/support/sanitized.hpp>
#include <tests/support/seeds.hpp>

namespace {

using namespace networks;
using network::Delivery;
using network::Engine;

Engine engine_of(const network::Network& net, const network::EngineOptions& options) {
  auto made = Engine::make(net, options);
  INFO(made.sentence());
  REQUIRE(made.ok());
  return std::move(made).value();
}

/// The first word that differs, in words.
std::string difference(const Engine& engine, const network::Network& net, PlainNetwork& plain) {
  for (std::uint32_t at = 0; at < net.populations().size(); ++at) {
    const network::Population& population = net.populations()[at];
    if (population.model == nullptr) continue;
    for (std::uint32_t neuron = 0; neuron < population.count; ++neuron) {
      const auto words = plain.neurons(at).words(neuron);
      for (std::size_t place = 0; place < words.size(); ++place)
        if (engine.word(network::PopulationId(at), place, neuron) != words[place])
          return population.name + ", neuron " + std::to_string(neuron) + ", word " + std::to_string(place);
    }
  }
  return {};
}
void check_counts(const Engine::Counts& counts, const PlainNetwork::Counts& expected) {
  REQUIRE(counts.spikes == expected.spikes);
  REQUIRE(counts.events == expected.events);
  REQUIRE(counts.background == expected.background);
  REQUIRE(counts.input_saturations == expected.input_saturations);
  REQUIRE(counts.background_saturations == expected.background_saturations);
  REQUIRE(counts.saturations == expected.saturations);
}
std::string description_of(const network::Network& net) {
  std::string text;
  for (const network::Population& one : net.populations()) text += one.name + " " + std::to_string(one.count) + ", ";
  return text;
}

} // namespace

TEST_CASE("engine: as a plain model, in any parts, delivered in any way, in any pieces") {
  std::uint64_t spikes = 0, saturated = 0;
  std::uint32_t number = 0;
  for (const std::uint32_t seed : Seeds(mutated ? 20 : sanitized ? 30 : 60)) {
    const bool is_large = ++number % 8 == 0;
    Described made = RandomNetwork(seed, is_large).take();
    INFO("seed " << seed << ": " << description_of(made.net));
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t bound) {
      return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
    };
    const std::uint32_t steps = is_large ? 150 : below(12) == 0 ? 4500 : 50 + below(700);
    PlainNetwork plain(made.net, std::move(made.neurons));
    for (std::uint32_t step = 0; step < steps; ++step) plain.step();
    spikes += plain.counts().spikes;
    saturated += plain.counts().saturations;
    for (int run = 0; run < (sanitized || is_large ? 3 : 6); ++run) {
      network::EngineOptions options{.threads = 1};
      options.parts = run == 0 ? 1 : 1 + below(8);
      options.delivery = run < 3 ? Delivery(run) : Delivery(below(3));
      INFO(options.parts << " parts, delivery " << int(options.delivery) << ", " << steps << " steps");
      Engine engine = engine_of(made.net, options);
      const bool in_pieces = below(3) != 0;
      while (engine.time() < steps)
        REQUIRE(
            engine
                .run(std::min<std::uint64_t>(in_pieces ? below(below(2) == 0 ? 3 : 200) : steps, steps - engine.time()))
                .ok());
      const std::string differs = difference(engine, made.net, plain);
      REQUIRE(differs == "");
      check_counts(engine.counts(), plain.counts());
      REQUIRE(engine.digest() == plain.digest());
    }
  }
  CHECK(spikes > 1000 * number);
  CHECK(saturated > 0);
}

TEST_CASE("engine: random networks have one digest on 1, 2, 3 and 8 threads, in any parts, delivered in any way") {
  std::uint64_t spikes = 0;
  for (const std::uint32_t seed : Seeds(mutated ? 2 : sanitized ? 3 : 8)) {
    const Described made = RandomNetwork(2000 + seed, seed % 4 == 0).take(); // others than above
    INFO("seed " << seed << ": " << description_of(made.net));
    std::mt19937 random(seed);
    const std::uint32_t steps = 300 + static_cast<std::uint32_t>(random() % 200);
    Engine one = engine_of(made.net, {.threads = 1, .parts = 1, .delivery = Delivery::at_once});
    REQUIRE(one.run(steps).ok());
    spikes += one.counts().spikes;
    for (const auto& [threads, parts] : {std::pair{1U, 8U}, std::pair{2U, 2U}, std::pair{2U, 3U}, std::pair{3U, 3U},
                                         std::pair{3U, 8U}, std::pair{8U, 8U}}) {
      network::EngineOptions options{.threads = threads, .parts = parts};
      options.delivery = Delivery(random() % 3);
      INFO(threads << " threads, " << parts << " parts, delivery " << int(options.delivery));
      Engine engine = engine_of(made.net, options);
      REQUIRE(engine.threads() == threads);
      REQUIRE(engine.rows().digest() == one.rows().digest());
      const std::uint32_t first = static_cast<std::uint32_t>(random() % steps);
      REQUIRE((engine.run(first).ok() && engine.run(steps - first).ok()));
      REQUIRE(engine.digest() == one.digest());
      const auto counts = engine.counts(), expected = one.counts();
      REQUIRE((counts.spikes == expected.spikes && counts.events == expected.events));
      REQUIRE((counts.background == expected.background && counts.saturations == expected.saturations));
      REQUIRE(counts.input_saturations == expected.input_saturations);
      REQUIRE(counts.background_saturations == expected.background_saturations);
    }
  }
  CHECK(spikes > 1000);
}

TEST_CASE("engine: as on one thread on two to four, exchanged once per shortest delay") {
  Described made;
  made.net = network::Network({.dt_ms = 0.1, .seed = 5});
  const auto packed =
      made.add<neuromorph::PackedLif>("packed", 200, parameters_of<neuromorph::PackedLif>(restless, packed_weights));
  const auto own = made.add<OwnLif>("own", 330, parameters_of<OwnLif>(restless, {0.5, 1.0, 16}));
  const auto noise = made.add_source(made.net.add_poisson("noise", 100, 300.0));
  for (const auto from : {packed, own, noise})
    for (const auto to : {packed, own})
      made.net.connect(from, to, network::Pairwise{0.1},
                       {.receptor = std::uint32_t(from) % 2,
                        .weight = network::uniform(0.001, 0.02),
                        .delay_ms = network::uniform(1.5, 4.0)});
  made.net.add_background(own, {.receptor = 0, .rate_hz = 2000.0, .weight = 0.01});
  constexpr std::uint32_t pieces[]{0, 1, 7, 15, 16, 0, 200, 61};
  std::uint64_t steps = 0;
  for (const std::uint32_t piece : pieces) steps += piece;
  PlainNetwork plain(made.net, std::move(made.neurons));
  for (std::uint64_t step = 0; step < steps; ++step) plain.step();
  for (const unsigned threads : {2U, 3U, 4U})
    for (const Delivery delivery : {Delivery::at_once, Delivery::when_due}) {
      Engine engine = engine_of(made.net, {.threads = threads, .parts = threads + 2, .delivery = delivery});
      CHECK(engine.threads() == threads);
      CHECK(engine.interval() == 15);
      for (const std::uint32_t piece : pieces) REQUIRE(engine.run(piece).ok());
      CHECK(engine.time() == steps);
      check_counts(engine.counts(), plain.counts());
      CHECK(engine.digest() == plain.digest());
    }
  CHECK(plain.counts().spikes > 1000);
}
