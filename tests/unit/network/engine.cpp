// SPDX-License-Identifier: BSL-1.0
// The engine against a plain model of the same network: random networks, in any parts, on any threads, however events are
// delivered and in whatever pieces a run comes.
#include <neuromorph/network/engine.hpp>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <utility>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

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
/// While it lives, the system has address space for the stacks of so many new threads, and half of one more.
class FewThreads {
public:
  explicit FewThreads(unsigned threads) {
    constexpr std::size_t stack = std::size_t{256} << 20;
    REQUIRE(pthread_getattr_default_np(&attributes_) == 0);
    pthread_attr_t large = attributes_;
    REQUIRE(pthread_attr_setstacksize(&large, stack) == 0);
    REQUIRE(pthread_setattr_default_np(&large) == 0);
    std::size_t pages = 0;
    REQUIRE((std::ifstream("/proc/self/statm") >> pages));
    REQUIRE(getrlimit(RLIMIT_AS, &space_) == 0);
    rlimit less = space_;
    less.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + threads * stack + stack / 2;
    REQUIRE(setrlimit(RLIMIT_AS, &less) == 0);
  }
  FewThreads(const FewThreads&) = delete;
  FewThreads& operator=(const FewThreads&) = delete;
  ~FewThreads() {
    setrlimit(RLIMIT_AS, &space_);
    pthread_setattr_default_np(&attributes_);
  }

private:
  pthread_attr_t attributes_{};
  rlimit space_{};
};

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

TEST_CASE("engine: goes on with those threads that the system gives") {
  Described made;
  made.net = network::Network({.dt_ms = 0.1, .seed = 6});
  const auto cells = made.add<OwnLif>("cells", 500, parameters_of<OwnLif>(restless, {0.5, 1.0, 16}));
  made.net.connect(cells, cells, network::Pairwise{0.1},
                   {.weight = network::uniform(0.001, 0.02), .delay_ms = network::uniform(0.5, 4.0)});
  made.net.add_background(cells, {.rate_hz = 4000.0, .weight = 0.04});
  PlainNetwork plain(made.net, std::move(made.neurons));
  for (int step = 0; step < 300; ++step) plain.step();
  const network::EngineOptions options{.threads = 4, .parts = 6};
  for (unsigned others = 0; others < 4; ++others) {
    INFO(others << " threads besides the first");
    Engine engine = engine_of(made.net, options);
    CHECK(engine.threads() == 4);
    REQUIRE(engine.run(100).ok());
    CHECK(engine.threads() == 4);
    {
      const FewThreads few(others);
      CHECK(engine_of(made.net, options).rows().digest() == engine.rows().digest());
      REQUIRE(engine.run(123).ok());
    }
    CHECK(engine.threads() == others + 1);
    REQUIRE(engine.run(77).ok());
    CHECK(engine.threads() == 4);
    check_counts(engine.counts(), plain.counts());
    CHECK(engine.digest() == plain.digest());
  }
  CHECK(plain.counts().spikes > 1000);
}

TEST_CASE("engine: psps that reach the end of their range without being held are not counted, in any parts") {
  using Model = neuromorph::CompactLif<1>;
  constexpr Model::Parameters parameters{
      .membrane = {.c_nf = 0.25},
      .synapses = {.tau_ms = {1600.0}, .weights = {{{.largest = 1.0, .bits = 20}}}}}; // a step takes 2^-14 of a psp
  constexpr std::uint32_t neurons = 600;
  constexpr std::size_t psp = neuromorph::place_of<Model>.synapses[0];
  constexpr std::int64_t most = INT32_MAX, first = 1 << 19, weight = first + 1; // what is left of a psp is even
  const auto made = Model::make(parameters, 0.1).value();
  // The word that becomes `most` in the second step, in which the weight arrives.
  PlainNeuronsOf<Model> one(made, 1);
  const auto two_steps = [&](std::int64_t word, std::int64_t arriving) {
    one.words(0)[psp] = static_cast<std::int32_t>(word);
    const std::int64_t nothing = 0;
    (void)one.step(0, {&nothing, 1}, 1);
    return one.step(0, {&arriving, 1}, 2).saturations != 0 ? most + 1 : std::int64_t{one.words(0)[psp]};
  };
  std::int64_t reaches = most;
  while (two_steps(reaches, weight) > most) --reaches;
  REQUIRE(two_steps(reaches, weight) == most);

  for (const std::uint32_t seed : Seeds(sanitized ? 3 : 20)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    Described described;
    described.net = network::Network({.dt_ms = 0.1, .seed = seed});
    const auto cells = described.add<Model>("cells", neurons, parameters);
    const auto source = described.add_source(described.net.add_spikes("source", 1, {{0, 0.1}}));
    const double unit = 1.0 / described.net[cells].units_per_one[0];
    described.net.connect(source, cells, network::AllToAll{}, {.weight = first * unit, .delay_ms = 0.1});
    described.net.connect(source, cells, network::AllToAll{}, {.weight = unit, .delay_ms = 0.1});
    std::vector<double> values;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
      const auto word =
          static_cast<std::int32_t>(reaches + 4 - static_cast<std::int64_t>(random() % (seed % 2 == 0 ? 8 : 400)));
      described.neurons[std::size_t(cells)]->words(neuron)[psp] = word;
      values.push_back(Model::value(made, psp, word));
    }
    described.net.begin_at(cells, psp, std::move(values));
    PlainNetwork plain(described.net, std::move(described.neurons));
    plain.step(), plain.step();
    std::uint64_t at_end = 0;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      at_end += plain.neurons(std::uint32_t(cells)).words(neuron)[psp] == most;
    REQUIRE((plain.counts().saturations > 0 && plain.counts().saturations < at_end));
    for (std::uint32_t parts = 1; parts <= 8; ++parts) {
      Engine engine = engine_of(described.net, {.threads = 1, .parts = parts});
      REQUIRE(engine.run(2).ok());
      INFO(parts << " parts, " << at_end << " at the end");
      REQUIRE(engine.counts().saturations == plain.counts().saturations);
      REQUIRE(engine.digest() == plain.digest());
    }
  }
}
