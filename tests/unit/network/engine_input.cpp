// SPDX-License-Identifier: BSL-1.0
// What an engine is given besides synapses: spike times, Poisson input, first words, parameters of each neuron; and what it
// refuses.
#include <neuromorph/network/engine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/networks.hpp>

namespace {

using namespace networks;
using network::Delivery;
using network::Engine;
using network::PopulationId;
using neuromorph::Error;
using neuromorph::PackedLif;
using neuromorph::place_of;
using neuromorph::Status;

using OwnLif = neuromorph::Neuron<neuromorph::PerNeuron<neuromorph::membrane::Lif>, neuromorph::synapse::Exponential<2>,
                                  neuromorph::refractory::InMembrane>;
constexpr OwnLif::Parameters own{.membrane = {.c_nf = 0.25},
                                 .synapses = {.tau_ms = {5.0, 10.0}, .weights = {{nanoampere, nanoampere}}}};

Engine engine_of(const network::Network& net, const network::EngineOptions& options = {.threads = 1}) {
  auto made = Engine::make(net, options);
  INFO(made.sentence());
  REQUIRE(made.ok());
  return std::move(made).value();
}
void refused(const network::Network& net, Error error, const std::string& sentence) {
  for (const std::uint32_t parts : {1U, 3U}) {
    const auto made = Engine::make(net, {.threads = 1, .parts = parts});
    REQUIRE(!made.ok());
    CHECK(made.status().error == error);
    CHECK(made.sentence().substr(0, sentence.size()) == sentence);
  }
}

} // namespace

TEST_CASE("engine: spike times fall into the nearest step, the first at least") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const std::vector<network::SpikeTime> times{{7, 2.0}, {3, 0.0},  {3, 0.1},  {3, 0.7},   {69, 1.1}, {0, 1.1},
                                              {7, 2.0}, {5, 1.14}, {5, 1.16}, {5, 100.0}, {8, 10.0}};
  const auto from = net.add_spikes("from", 70, times);
  const auto to = net.add<Cells>("to", 70, cell);
  net.connect(from, to, network::OneToOne{}, {.weight = 0.1, .delay_ms = 0.3});
  for (const std::uint32_t parts : {1U, 2U})
    for (const Delivery delivery : {Delivery::at_once, Delivery::when_due}) {
      Engine engine = engine_of(net, {.threads = 1, .parts = parts, .delivery = delivery});
      std::uint64_t spikes = 0;
      std::vector<std::uint64_t> in_step;
      for (int step = 1; step <= 120; ++step) {
        REQUIRE(engine.run(1).ok());
        in_step.push_back(engine.counts().spikes - spikes);
        spikes = engine.counts().spikes;
      }
      std::vector<std::uint64_t> expected(120);
      expected[0] = 2; // at 0 and at 0.1 ms
      expected[6] = 1, expected[10] = 3, expected[11] = 1, expected[19] = 2, expected[99] = 1;
      CHECK((in_step == expected));
      CHECK(engine.counts().events == 10); // each of the ten has one synapse
    }
}

TEST_CASE("engine: a spike arrives after its delay, as often as it was fired") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto once = net.add_spikes("once", 1, {{0, 1.0}}), twice = net.add_spikes("twice", 1, {{0, 1.0}, {0, 1.0}});
  const auto a = net.add<Cells>("a", 1, cell), b = net.add<Cells>("b", 1, cell);
  net.connect(once, a, network::AllToAll{}, {.weight = 0.2, .delay_ms = 0.7});
  net.connect(twice, b, network::AllToAll{}, {.weight = 0.1, .delay_ms = 0.7});
  Engine engine = engine_of(net);
  constexpr std::size_t psp = 1;
  REQUIRE(engine.run(16).ok()); // fired in step 10, arrives in step 17
  CHECK((engine.word(a, psp, 0) == 0 && engine.word(b, psp, 0) == 0));
  REQUIRE(engine.run(1).ok());
  CHECK(engine.word(a, psp, 0) != 0);
  // Two of 0.1 are 0.2 but for the rounding of a weight.
  CHECK(engine.word(b, psp, 0) == Approx(engine.word(a, psp, 0)).epsilon(1e-4));
  CHECK(engine.counts().events == 3);
}

TEST_CASE("engine: Poisson sources and input have the mean and the variance of their rate, each its own") {
  constexpr std::uint32_t steps = 2000, neurons = 300;
  for (const double rate : {0.02, 1.2, 7.0, 40.0, 100.0}) { // events a step
    INFO("rate " << rate);
    network::Network net({.dt_ms = 0.1, .seed = 7});
    (void)net.add_poisson("sources", neurons, rate * 1e4);
    const auto cells = net.add<Cells>("cells", neurons, cell);
    net.add_background(cells, {.receptor = 0, .rate_hz = rate * 1e4, .weight = 0.0001});
    Engine engine = engine_of(net, {.threads = 1, .parts = 2});
    double sum = 0.0, squares = 0.0, sum_background = 0.0, squares_background = 0.0;
    network::Engine::Counts before{};
    for (std::uint32_t step = 0; step < steps; ++step) {
      REQUIRE(engine.run(1).ok());
      const auto now = engine.counts();
      const auto fired = static_cast<double>(now.spikes - before.spikes);
      const auto arrived = static_cast<double>(now.background - before.background);
      sum += fired, squares += fired * fired, sum_background += arrived, squares_background += arrived * arrived;
      before = now;
    }
    // The sum over neurons has the same variance as its mean only where they are independent of each other. Four deviations.
    const double mean = rate * neurons, deviation = std::sqrt(mean / steps);
    CHECK(sum / steps == Approx(mean).margin(4.0 * deviation));
    CHECK(sum_background / steps == Approx(mean).margin(4.0 * deviation));
    const double of_variance = mean * std::sqrt(2.0 / steps + 1.0 / (steps * mean));
    CHECK(squares / steps - std::pow(sum / steps, 2) == Approx(mean).margin(4.5 * of_variance));
    CHECK(squares_background / steps - std::pow(sum_background / steps, 2) == Approx(mean).margin(4.5 * of_variance));
  }
  network::Network silent({.dt_ms = 0.1, .seed = 7});
  (void)silent.add_poisson("sources", 10, 0.0);
  const auto cells = silent.add<Cells>("cells", 10, cell);
  silent.add_background(cells, {.receptor = 1, .rate_hz = 0.0, .weight = 0.1});
  Engine engine = engine_of(silent);
  REQUIRE(engine.run(1000).ok());
  CHECK((engine.counts().spikes == 0 && engine.counts().background == 0));
}

TEST_CASE("engine: largest weights at once are held at 16 bits, and counted once for each neuron, receptor and step") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  std::vector<network::SpikeTime> times;
  for (std::uint32_t source = 0; source < 700; ++source)
    for (const double at : {1.0, 1.1, 5.0}) times.push_back({source, at});
  const auto from = net.add_spikes("from", 700, times);
  const auto to = net.add<PackedLif>("to", 130, packed_cell);
  (void)net.add<Cells>("wide", 10, cell);
  net.connect(from, to, network::AllToAll{}, {.receptor = 0, .weight = 0.25, .delay_ms = 0.5});
  net.connect(from, to, network::AllToAll{}, {.receptor = 1, .weight = network::uniform(0.2, 0.25), .delay_ms = 0.5});
  net.connect(from, to, network::FixedIndegree{100, true}, {.receptor = 1, .weight = 0.25, .delay_ms = 0.5});
  std::optional<std::uint64_t> digest;
  for (const std::uint32_t parts : {1U, 2U, 3U})
    for (const Delivery delivery : {Delivery::chosen, Delivery::at_once, Delivery::when_due}) {
      Engine engine = engine_of(net, {.threads = 1, .parts = parts, .delivery = delivery});
      REQUIRE(engine.run(100).ok());
      CHECK(engine.counts().input_saturations == 130 * 2 * 3);
      CHECK(engine.counts().events == 3 * 130 * (700 + 700 + 100));
      CHECK(digest.value_or(engine.digest()) == engine.digest());
      digest = engine.digest();
    }
}

TEST_CASE("engine: what is refused, in words") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [](auto change) {
    network::Network net({.dt_ms = 0.1, .seed = 1});
    const auto cells = net.add<Cells>("cells", 200, cell);
    change(net, cells);
    return net;
  };
  const auto spikes = [&](std::vector<network::SpikeTime> times) {
    return with([&](network::Network& net, PopulationId) { (void)net.add_spikes("from", 10, times); });
  };
  refused(spikes({{10, 1.0}}), Error::index_out_of_range, "population 1, from: neuron = 10");
  refused(spikes({{9, 1.0}, {3, -0.1}}), Error::parameter_out_of_range, "population 1, from: time_ms = -0.1");
  refused(spikes({{9, nan}}), Error::parameter_out_of_range, "population 1, from: time_ms = ");
  refused(spikes({{9, 1e300}}), Error::parameter_out_of_range, "population 1, from: time_ms = ");
  for (const double rate : {-1.0, nan, 1.3e6})
    refused(with([&](network::Network& net, PopulationId) { (void)net.add_poisson("noise", 10, rate); }),
            Error::parameter_out_of_range,
            std::string("population 1, noise: rate_hz = ") + (rate == 1.3e6 ? "1300000: "
                                                              : rate < 0.0  ? "-1: "
                                                                            : ""));

  const auto background = [&](const network::Background& one) {
    return with([&](network::Network& net, PopulationId cells) { net.add_background(cells, one); });
  };
  CHECK(Engine::make(background({1, 1.28e6, 0.1})).ok());
  refused(background({2, 1.0, 0.1}), Error::type_out_of_range, "population 0, cells: receptor = 2");
  refused(background({1, -1.0, 0.1}), Error::parameter_out_of_range, "population 0, cells: rate_hz = -1: ");
  refused(background({1, 1.3e6, 0.1}), Error::parameter_out_of_range, "population 0, cells: rate_hz = 1300000: ");
  refused(background({1, 1.0, -0.1}), Error::weight_out_of_range, "population 0, cells: weight = -0.1");
  refused(background({1, 1.0, nan}), Error::weight_out_of_range, "population 0, cells: weight = ");
  refused(background({1, 1.0, 1e9}), Error::weight_out_of_range, "population 0, cells: weight = ");
  refused(background({1, 1.0, 1e-9}), Error::weight_vanishes, "population 0, cells: weight = 1e-9");
  refused(with([](network::Network& net, PopulationId) {
            net.add_background(net.add_source("noise", 10), {0, 1.0, 0.1});
          }),
          Error::type_out_of_range, "population 1, noise: receptor = 0");

  constexpr std::size_t v = place_of<Cells>.membrane.v;
  const auto begin = [&](std::size_t place, auto what) {
    return with([&](network::Network& net, PopulationId cells) { net.begin_at(cells, place, what); });
  };
  refused(begin(3, network::Distribution(-60.0)), Error::index_out_of_range, "population 0, cells: place = 3");
  refused(begin(v, std::vector<double>(199, -60.0)), Error::lengths_differ, "population 0, cells: values = 199");
  refused(begin(v, std::vector<double>{}), Error::lengths_differ, "population 0, cells: values = 0");
  refused(begin(v, network::normal(-60.0, -1.0)), Error::parameter_out_of_range, "population 0, cells: initial = -1");
  std::vector<double> values(200, -60.0);
  values[150] = -40.0;
  refused(begin(v, values), Error::parameter_out_of_range, "population 0, cells, neuron 150: value = -40");
  refused(with([](network::Network& net, PopulationId) { net.begin_at(net.add_source("noise", 10), 0, -60.0); }),
          Error::index_out_of_range, "population 1, noise: place = 0");
  for (const double dt_ms : {0.0, -0.1, 1e6, std::numeric_limits<double>::infinity(), nan}) {
    network::Network net({.dt_ms = dt_ms, .seed = 1}); // of sources, which no model looks at
    (void)net.add_poisson("noise", 10, 0.0);
    (void)net.add_spikes("from", 10, {{1, 0.0}});
    refused(net, Error::parameter_out_of_range, "settings: dt_ms = ");
  }
  // Only numbers are known of it: there is nothing to run.
  refused(with([](network::Network& net, PopulationId) { (void)net.add(plain("planned", 10)); }),
          Error::parameters_contradict, "population 1, planned: ");
}

TEST_CASE("engine: parameters of each neuron, given and drawn, and which neuron is refused") {
  const auto net_of = [](double wrong) {
    network::Network net({.dt_ms = 0.1, .seed = 3});
    (void)net.add<OwnLif>("cells", 300, own,
                          [wrong](std::uint32_t neuron, network::NeuronDraws& draws, OwnLif::Parameters& one) {
                            one.membrane.tau_ms = draws(network::normal(20.0, 1.0).redrawn(15.0, 25.0));
                            one.membrane.v_rest_mv = neuron % 2 == 0 ? -65.0 : -49.0;
                            if (neuron == 170 && wrong != 0.0) one.membrane.tau_ms = wrong;
                          });
    return net;
  };
  const auto net = net_of(0.0);
  Engine engine = engine_of(net);
  Engine split = engine_of(net, {.threads = 1, .parts = 4});
  REQUIRE(engine.run(1000).ok());
  REQUIRE(split.run(1000).ok());
  CHECK(engine.digest() == split.digest());
  // Those that rest where they begin stay there; of the others, whose rest is above the threshold, each fires.
  std::uint32_t moved = 0;
  for (std::uint32_t neuron = 0; neuron < 300; ++neuron)
    if (neuron % 2 == 0)
      CHECK(engine.value(PopulationId(0), 0, neuron) == Approx(-65.0).margin(0.01));
    else
      ++moved;
  CHECK(engine.counts().spikes >= moved);
  refused(net_of(-1.0), Error::parameter_not_positive, "population 0, cells, neuron 170: membrane.tau_ms = -1");
  // What is drawn of what makes no sense.
  const auto drawn_of = [](const network::Distribution& distribution) {
    network::Network drawn({.dt_ms = 0.1, .seed = 3});
    (void)drawn.add<OwnLif>("cells", 300, own,
                            [=](std::uint32_t neuron, network::NeuronDraws& draws, OwnLif::Parameters& one) {
                              if (neuron >= 130) one.membrane.tau_ms += draws(distribution) * 1e-6;
                              if (neuron >= 131) one.membrane.tau_ms += draws(network::normal(0.0, -7.0));
                            });
    return drawn;
  };
  for (const auto& [distribution, error, value] :
       {std::tuple{network::uniform(9.0, 1.0), Error::parameters_contradict, "1"},
        std::tuple{network::normal(20.0, 1.0).clipped(30.0, 10.0), Error::parameters_contradict, "10"},
        std::tuple{network::normal(20.0, -2.0), Error::parameter_out_of_range, "-2"},
        std::tuple{network::lognormal(1e9, 1.0), Error::parameter_out_of_range, "1000000000"},
        std::tuple{network::normal(20.0, 1.0).redrawn(60.0, 61.0), Error::parameter_out_of_range, "60"}})
    refused(drawn_of(distribution), error,
            std::string("population 0, cells, neuron 130: distribution = ") + value + ": ");
}

TEST_CASE("engine: first words follow their distribution, whatever the parts") {
  network::Network net({.dt_ms = 0.1, .seed = 11});
  constexpr std::uint32_t neurons = 4000;
  const auto a = net.add<Cells>("a", neurons, cell), b = net.add<Cells>("b", neurons, cell);
  const auto drawn = network::normal(-60.0, 4.0).redrawn(-75.0, -50.1);
  net.begin_at(a, place_of<Cells>.membrane.v, drawn);
  net.begin_at(b, place_of<Cells>.membrane.v, network::uniform(-65.0, -51.0));
  const Engine one = engine_of(net), split = engine_of(net, {.threads = 2, .parts = 7});
  CHECK(one.digest() == split.digest());
  for (const auto& [id, of] :
       {std::pair{a, network::Distribution(drawn)}, std::pair{b, network::uniform(-65.0, -51.0)}}) {
    std::vector<double> values;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) values.push_back(one.value(id, 0, neuron));
    std::sort(values.begin(), values.end());
    double furthest = 0.0; // Kolmogorov and Smirnov
    for (std::uint32_t at = 0; at < neurons; ++at) {
      const double share = of.below(values[at]);
      furthest = std::max({furthest, (at + 1.0) / neurons - share, share - double(at) / neurons});
    }
    CHECK(furthest < 1.95 / std::sqrt(neurons)); // a chance of 0.001
    CHECK(furthest > 0.2 / std::sqrt(neurons));
  }
  CHECK(one.word(a, 0, 5) != one.word(b, 0, 5));
}

TEST_CASE("engine: outlives its network, and may be moved") {
  std::optional<Engine> moved;
  {
    network::Network net({.dt_ms = 0.1, .seed = 1});
    const auto cells = net.add<Cells>("cells", 100, cell);
    net.connect(cells, cells, network::Pairwise{0.1}, {.weight = 0.1});
    net.add_background(cells, {.receptor = 0, .rate_hz = 8000.0, .weight = 0.05});
    Engine engine = engine_of(net);
    REQUIRE(engine.run(100).ok());
    moved.emplace(std::move(engine));
  }
  REQUIRE(moved->run(0).ok());
  CHECK(moved->time() == 100);
  const auto digest = moved->digest();
  REQUIRE(moved->run(100).ok());
  CHECK((moved->time() == 200 && moved->digest() != digest && moved->counts().spikes > 0));
}
