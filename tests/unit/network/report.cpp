// SPDX-License-Identifier: BSL-1.0
// What a report says against a plain count of all synapses, and its chances against closed forms and a simulation.
#include <neuromorph/network/report.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/network/engine.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/networks.hpp>
#include <tests/support/seeds.hpp>

namespace {

using namespace networks;
using neuromorph::Error;
using neuromorph::Status;

network::Report reported(const network::Network& net, const network::BuildOptions& options = {1, 1}) {
  const auto rows = network::build(net, options);
  INFO(rows.sentence());
  REQUIRE(rows.ok());
  auto report = network::report(net, rows.value(), options.threads);
  INFO(report.sentence());
  REQUIRE(report.ok());
  return std::move(report).value();
}
bool are_near(double a, double b, double relative = 1e-9) { return std::abs(a - b) <= relative * std::abs(b); }

/// More than k of n events that each have the chance p.
double binomial_above(std::uint32_t k, std::uint32_t n, double p) {
  double sum = 0.0;
  for (std::uint32_t at = k + 1; at <= n; ++at)
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(at + 1.0) - std::lgamma(n - at + 1.0) + at * std::log(p) +
                    (n - at) * std::log1p(-p));
  return sum;
}
double poisson_above(std::uint32_t k, double mean) {
  double sum = 0.0;
  for (std::uint32_t at = k + 1; at < k + 200; ++at)
    sum += std::exp(at * std::log(mean) - mean - std::lgamma(at + 1.0));
  return sum;
}

/// Neurons with 16-bit inputs.
network::Population narrow(std::uint32_t count) {
  network::Population one = plain("narrow", count);
  one.input_bits = 16;
  return one;
}

} // namespace

TEST_CASE("report: degrees, weights and drives are those of all synapses") {
  for (const std::uint32_t seed : Seeds(40)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t bound) {
      return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
    };
    network::Network net({.dt_ms = 0.1, .seed = seed});
    const std::uint32_t populations = 1 + below(3);
    std::vector<network::PopulationId> ids;
    for (std::uint32_t at = 0; at < populations; ++at) {
      network::Population one = plain("p" + std::to_string(at), 1 + below(200));
      if (below(3) == 0) one.units_per_one.pop_back(), one.has_signed_weights = true;
      if (at != 0 && below(4) == 0) one.units_per_one.clear();
      ids.push_back(net.add(one));
      net.expect_rate(ids.back(), 0.5 * below(50));
    }
    for (std::uint32_t left = below(8); left > 0; --left) {
      const auto from = ids[below(populations)], to = ids[below(populations)];
      const auto receptors = static_cast<std::uint32_t>(net[to].units_per_one.size());
      if (receptors == 0) continue;
      network::Synapses synapses{.receptor = below(receptors), .weight = 0.01 + 0.001 * below(1000)};
      if (below(2) == 0) synapses.weight = receptors == 1 ? network::normal(0.1, 0.3) : network::uniform(0.2, 0.9);
      synapses.delay_ms = network::uniform(0.1, 0.1 + 0.1 * below(40));
      if (below(3) == 0) {
        network::FromList list;
        for (std::uint32_t at = below(60); at > 0; --at) {
          network::Listed one{};
          one.source = below(net[from].count);
          one.target = below(net[to].count);
          one.weight = (receptors == 1 && below(2) == 0 ? -1.0 : 1.0) * (0.01 + 0.0013 * below(700));
          one.delay_ms = 0.1 * (1 + below(20));
          list.synapses.push_back(one);
        }
        net.connect(from, to, list, synapses);
      } else {
        net.connect(from, to, network::Pairwise{0.01 * below(100)}, synapses);
      }
    }
    const auto report = reported(net, {.threads = 1 + below(2), .parts = 1 + below(4)});

    struct Sums {
      std::vector<std::uint64_t> degrees;
      double drive = 0.0;                                // units a second
      std::vector<double> most;                          // of each neuron
      std::vector<std::vector<std::uint64_t>> by_source; // [population][neuron]
    };
    const std::size_t count = net.populations().size();
    std::vector<std::vector<Sums>> sums(count);
    for (std::size_t to = 0; to < count; ++to)
      for (std::size_t receptor = 0; receptor < net.populations()[to].units_per_one.size(); ++receptor) {
        const std::size_t neurons = net.populations()[to].count;
        sums[to].push_back({std::vector<std::uint64_t>(neurons), 0.0, std::vector<double>(neurons),
                            std::vector(count, std::vector<std::uint64_t>(neurons))});
      }
    double bytes = 0.0;
    std::uint64_t synapses = 0;
    for (std::uint32_t at = 0; at < net.projections().size(); ++at) {
      const auto& projection = net.projections()[at];
      const auto plan = plan_of(net, at);
      const auto found = synapses_of(plan);
      Sums& into = sums[std::size_t(projection.target)][projection.synapses.receptor];
      const double rate = net[projection.source].rate_hz;
      double largest = 0.0;
      for (const Found& one : found) {
        const double units = one.weight * static_cast<double>(1U << plan.shift());
        ++into.degrees[one.target], ++into.by_source[std::size_t(projection.source)][one.target];
        into.drive += rate * units, into.most[one.target] += rate * std::abs(units);
        largest = (std::max)(largest, std::abs(one.weight * plan.unit()));
      }
      const auto& said = report.projections[at];
      CHECK(said.name == net.name(network::ProjectionId(at)));
      CHECK(said.synapses == found.size());
      CHECK(said.unit == plan.unit());
      if (std::holds_alternative<network::FromList>(projection.connector))
        CHECK(are_near(said.largest, largest));
      else
        CHECK(said.largest >= largest);
      bytes += said.bytes, synapses += said.synapses;
    }
    CHECK(report.synapses == synapses);
    CHECK(bytes <= 1.000001 * static_cast<double>(report.bytes)); // rows without a synapse belong to nobody
    if (synapses > 2000) CHECK(bytes >= 0.5 * static_cast<double>(report.bytes));
    const auto spread = [](const network::Degrees& said, const std::vector<std::uint64_t>& degrees) {
      double sum = 0.0;
      for (const std::uint64_t degree : degrees) sum += static_cast<double>(degree);
      CHECK(said.least == *std::min_element(degrees.begin(), degrees.end()));
      CHECK(said.most == *std::max_element(degrees.begin(), degrees.end()));
      CHECK(are_near(said.mean, sum / static_cast<double>(degrees.size())));
    };
    for (std::uint32_t at = 0; at < net.projections().size(); ++at) {
      const auto& projection = net.projections()[at];
      spread(
          report.projections[at].in,
          sums[std::size_t(projection.target)][projection.synapses.receptor].by_source[std::size_t(projection.source)]);
    }
    for (std::size_t to = 0; to < count; ++to) {
      const auto& said = report.populations[to];
      const network::Population& population = net.populations()[to];
      CHECK(said.neurons == population.count);
      REQUIRE(said.receptors.size() == population.units_per_one.size());
      for (std::size_t receptor = 0; receptor < said.receptors.size(); ++receptor) {
        const Sums& plain_sums = sums[to][receptor];
        const auto& of = said.receptors[receptor];
        spread(of.in, plain_sums.degrees);
        const double mean = plain_sums.drive / population.count;
        CHECK(std::abs(of.mean_sum - mean * 1e-4) <= 1e-9 * (1.0 + std::abs(mean)));
        CHECK(std::abs(of.drive - mean / population.units_per_one[receptor]) <= 1e-9 * (1.0 + std::abs(mean)));
        CHECK(are_near(of.most_sum, *std::max_element(plain_sums.most.begin(), plain_sums.most.end()) * 1e-4));
        CHECK((of.saturation >= 0.0 && of.saturation <= 1.0));
      }
    }
    const std::string text = report.text();
    CHECK(text.find(std::to_string(report.synapses) + " synapses in ") == 0);
    CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >=
          5 + net.projections().size() + net.populations().size());
    CHECK(text.find("nan") == std::string::npos);
  }
}

TEST_CASE("report: bytes of projections are their share of what there is") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto a = net.add(plain("a", 400));
  const network::Distribution drawn = network::uniform(0.2, 0.5);
  net.connect(a, a, network::FixedOutdegree{100}, {.weight = 0.5});
  net.connect(a, a, network::FixedOutdegree{100}, {.weight = drawn});
  net.connect(a, a, network::FixedOutdegree{10}, {.weight = 0.25});
  net.connect(a, a, network::FixedOutdegree{50}, {.weight = drawn});
  const auto with_bits = reported(net);
  CHECK(with_bits.projections[0].layout == network::Layout::bits);
  CHECK(with_bits.projections[2].layout == network::Layout::one_weight);
  CHECK(with_bits.projections[0].bytes >= 400 * 512 / 8.0);
  CHECK(with_bits.projections[0].bytes < 400 * 512 / 8.0 * 1.2);
  const auto report = reported(net, {.threads = 1, .parts = 1, .bits_from = 2.0});
  CHECK(report.projections[0].layout == network::Layout::one_weight);
  CHECK(report.projections[1].layout == network::Layout::individual);
  CHECK(are_near(report.projections[0].bytes, 10.0 * report.projections[2].bytes));
  CHECK(are_near(report.projections[1].bytes, 2.0 * report.projections[3].bytes));
  CHECK(report.projections[0].bytes > 400 * 100 * 2.0);
  CHECK(report.projections[0].bytes < 400 * 100 * 2.3);
  CHECK(report.projections[1].bytes > 400 * 100 * 4.0);
  CHECK(report.projections[1].bytes < 400 * 100 * 4.3);
  double sum = 0.0;
  for (const auto& one : report.projections) sum += one.bytes;
  CHECK(are_near(sum, static_cast<double>(report.bytes)));
}

TEST_CASE("report: how far weights are rounded") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto a = net.add(plain("a", 50)); // a unit is 1/1024
  net.connect(a, a, network::AllToAll{}, {.weight = 10.3 / 1024});
  net.connect(a, a, network::AllToAll{}, {.weight = network::uniform(40.0 / 1024, 60.0 / 1024)});
  net.connect(a, a,
              network::FromList{{{0, 1, 10.25 / 1024, 1.0}, {0, 2, 39.5 / 1024, 1.0}, {3, 1, 10.25 / 1024, 1.0}}});
  net.connect(a, a, network::AllToAll{}, {.weight = network::uniform(0.0, 64.0)}); // 16 bits: a unit of 1/1023
  const auto report = reported(net);
  CHECK(are_near(report.projections[0].rounding, 0.3 / 10.0));
  CHECK(are_near(report.projections[1].rounding, 0.5 / 50.0, 1e-6));
  CHECK(are_near(report.projections[1].largest, 60.0 / 1024));
  CHECK(are_near(report.projections[2].rounding, 0.5 / 20.0)); // of magnitudes 10, 40, 10
  CHECK(report.projections[3].unit == 2.0 / 1024);
  CHECK(report.projections[3].vanishing > 0.0);
  CHECK(report.projections[0].vanishing == 0.0);
}

TEST_CASE("report: the chance to be held is a binomial's, or Poisson's where sources are no neurons") {
  // Six weights fit 16 bits, seven do not: 10240 units each.
  const auto net_of = [](bool is_source, double rate_hz, std::uint32_t sources) {
    network::Network net({.dt_ms = 1.0, .seed = 1});
    const auto to = net.add(narrow(3));
    const auto from = is_source ? net.add_source("from", sources) : net.add(plain("from", sources));
    net.expect_rate(from, rate_hz);
    net.connect(from, to, network::AllToAll{}, {.weight = 10.0, .delay_ms = 1.0});
    return net;
  };
  for (const double rate : {1.0, 4.0, 20.0}) {
    const auto of_neurons = reported(net_of(false, rate, 300)).populations[0].receptors[0];
    const double expected = binomial_above(6, 300, rate / 1000.0);
    CHECK((of_neurons.saturation >= expected && of_neurons.saturation < expected * 1.001 + 1e-17));
    CHECK(are_near(of_neurons.mean_sum, 300 * rate / 1000.0 * 10240));
    const auto of_source = reported(net_of(true, rate, 300)).populations[0].receptors[0];
    const double poisson = poisson_above(6, 300 * rate / 1000.0);
    CHECK((of_source.saturation >= poisson && of_source.saturation < poisson * 1.001 + 1e-17));
  }
  CHECK(reported(net_of(false, 900.0, 6)).populations[0].receptors[0].saturation == 0.0); // never, by their number
  CHECK(reported(net_of(false, 0.0, 300)).populations[0].receptors[0].saturation == 0.0);
  // More spikes than one a step: as of a source.
  const double many = reported(net_of(false, 2000.0, 4)).populations[0].receptors[0].saturation;
  CHECK(are_near(many, poisson_above(6, 8.0), 0.001));
  // A projection to another receptor is another sum.
  CHECK(reported(net_of(false, 20.0, 300)).populations[0].receptors[1].saturation == 0.0);
}

TEST_CASE("report: the chance of drawn weights is near that of a simulation") {
  network::Network net({.dt_ms = 1.0, .seed = 5});
  const auto to = net.add(narrow(1));
  const auto from = net.add(plain("from", 500)), other = net.add(plain("other", 200));
  net.expect_rate(from, 8.0), net.expect_rate(other, 15.0);
  net.connect(from, to, network::AllToAll{}, {.weight = network::uniform(2.0, 10.0), .delay_ms = 1.0});
  net.connect(other, to, network::AllToAll{},
              {.weight = network::lognormal(1.0, 0.5).redrawn(0.0, 20.0), .delay_ms = 1.0});
  const auto said = reported(net).populations[0].receptors[0];
  std::mt19937 random(6);
  std::uint64_t held = 0;
  constexpr std::uint32_t steps = 400'000;
  std::vector<std::vector<double>> weights(2);
  for (std::uint32_t at = 0; at < 2; ++at) {
    const auto plan = plan_of(net, at);
    for (const Found& one : synapses_of(plan))
      weights[at].push_back(one.weight * static_cast<double>(1U << plan.shift()));
  }
  for (std::uint32_t step = 0; step < steps; ++step) {
    double sum = 0.0;
    for (std::uint32_t at = 0; at < 2; ++at) {
      const auto count = static_cast<std::uint32_t>(weights[at].size());
      const double p = at == 0 ? 0.008 : 0.015;
      std::geometric_distribution<std::uint32_t> gap(p);
      for (std::uint32_t neuron = gap(random); neuron < count; neuron += 1 + gap(random)) sum += weights[at][neuron];
    }
    held += sum > 65535.0;
  }
  const double simulated = static_cast<double>(held) / steps;
  INFO("said " << said.saturation << ", simulated " << simulated);
  REQUIRE(held > 1000);
  CHECK((said.saturation > 0.85 * simulated && said.saturation < 1.25 * simulated));
}

TEST_CASE("report: signs count by themselves") {
  network::Network net({.dt_ms = 1.0, .seed = 1});
  network::Population one = narrow(1);
  one.units_per_one = {1024.0}, one.has_signed_weights = true;
  const auto to = net.add(one);
  const auto up = net.add(plain("up", 100)), down = net.add(plain("down", 100));
  net.expect_rate(up, 5.0), net.expect_rate(down, 10.0);
  net.connect(up, to, network::AllToAll{}, {.weight = 10.0, .delay_ms = 1.0});
  net.connect(down, to, network::AllToAll{}, {.weight = -10.0, .delay_ms = 1.0});
  const auto said = reported(net).populations[0].receptors[0];
  CHECK(are_near(said.drive, -10.0 * 100 * 5.0));
  CHECK(are_near(said.most_sum, 100 * 0.015 * 10240));
  const double expected = binomial_above(3, 100, 0.005) + binomial_above(3, 100, 0.010); // 3 of 10240 fit 15 bits
  CHECK((said.saturation >= expected && said.saturation < 1.001 * expected));
  // Both signs from one population.
  network::Network both({.dt_ms = 1.0, .seed = 1});
  const auto target = both.add(one), source = both.add(plain("source", 100));
  both.expect_rate(source, 5.0);
  for (const double weight : {10.0, -10.0})
    both.connect(source, target, network::AllToAll{}, {.weight = weight, .delay_ms = 1.0});
  const auto of_both = reported(both).populations[0].receptors[0];
  CHECK(of_both.drive == 0.0);
  CHECK(are_near(of_both.saturation, 2.0 * binomial_above(3, 100, 0.005), 0.001));
}

TEST_CASE("report: background is part of the drive, and of the chance to be held") {
  // Six weights fit 16 bits, seven do not.
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto to = net.add(narrow(3)), bare = net.add(narrow(2));
  const auto from = net.add_source("from", 100);
  net.expect_rate(from, 50.0);
  net.connect(from, to, network::AllToAll{}, {.weight = 10.0});
  for (const double hz : {4000.0, 1000.0}) net.add_background(to, {.receptor = 0, .rate_hz = hz, .weight = 10.0});
  net.add_background(bare, {.receptor = 1, .rate_hz = 10'000.0, .weight = 10.0});
  // More than one input of weight_plan_of has, and weights that a coarse bin would round up by three times.
  net.add_background(bare, {.receptor = 0, .rate_hz = 1.2e6, .weight = 5.0 / 1024});
  const auto report = reported(net);
  const auto of = report.populations[0].receptors[0];
  CHECK((of.background_hz == 5000.0 && of.in.most == 100));
  CHECK(are_near(of.drive, 10.0 * (5000.0 + 5000.0)));
  CHECK(are_near(of.mean_sum, 10240.0));
  CHECK(are_near(of.most_sum, 10240.0));
  CHECK(are_near(of.saturation, poisson_above(6, 1.0), 0.001));
  const auto alone = report.populations[1].receptors[1];
  CHECK((alone.background_hz == 10'000.0 && alone.in.most == 0));
  CHECK(are_near(alone.drive, 100'000.0));
  CHECK(are_near(alone.saturation, poisson_above(6, 1.0), 0.001));
  const auto often = report.populations[1].receptors[0];
  CHECK(are_near(often.mean_sum, 600.0));
  CHECK(often.saturation < 1e-12);
  CHECK(report.text().find("background, Hz") != std::string::npos);

  // Weights of 205 units, of which 319 fit: bins of 16 units would let no more than 315 in.
  network::Network fine({.dt_ms = 0.1, .seed = 1});
  fine.add_background(fine.add(narrow(1)), {.receptor = 0, .rate_hz = 2.4e6 / 2, .weight = 205.0 / 1024});
  fine.add_background(network::PopulationId(0), {.receptor = 0, .rate_hz = 1.2e6, .weight = 205.0 / 1024});
  const double said = reported(fine).populations[0].receptors[0].saturation;
  CHECK(are_near(said, poisson_above(319, 240.0), 0.001));

  // Weights with a sign: up to 3 of one sign fit.
  network::Network with_sign({.dt_ms = 0.1, .seed = 1});
  network::Population one = narrow(1);
  one.units_per_one = {1024.0}, one.has_signed_weights = true;
  const auto cells = with_sign.add(one);
  with_sign.add_background(cells, {.receptor = 0, .rate_hz = 3000.0, .weight = 10.0});
  with_sign.add_background(cells, {.receptor = 0, .rate_hz = 5000.0, .weight = -10.0});
  const auto both = reported(with_sign).populations[0].receptors[0];
  CHECK(are_near(both.drive, -20'000.0));
  CHECK(are_near(both.most_sum, 8192.0));
  CHECK(are_near(both.saturation, poisson_above(3, 0.3) + poisson_above(3, 0.5), 0.001));
}

TEST_CASE("report: an engine holds sums as often as the report says") {
  using neuromorph::PackedLif;
  network::Network net({.dt_ms = 0.1, .seed = 3});
  const auto to = net.add<PackedLif>(
      "to", 500, PackedLif::Parameters{.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0, 10.0}}});
  const auto from = net.add_poisson("from", 500, 5000.0);
  net.expect_rate(from, 5000.0);
  const double unit = 1.0 / net[to].units_per_one[0];
  net.connect(from, to, network::OneToOne{}, {.weight = 4000 * unit});
  // 8 of these fit; what the synapse brings is never held by itself, so no sum is counted twice.
  net.add_background(to, {.receptor = 0, .rate_hz = 30'000.0, .weight = 8000 * unit});
  const double said = reported(net).populations[std::size_t(to)].receptors[0].saturation;
  auto made = network::Engine::make(net, {.threads = 1});
  INFO(made.sentence());
  REQUIRE(made.ok());
  network::Engine& engine = made.value();
  constexpr std::uint32_t steps = 4000;
  REQUIRE(engine.run(steps).ok());
  REQUIRE(engine.counts().input_saturations == 0);
  const auto held = static_cast<double>(engine.counts().background_saturations);
  const double of_steps = held / (500.0 * steps);
  INFO("said " << said << ", in the engine " << of_steps);
  CHECK((said > 0.001 && said < 0.1));
  CHECK(std::abs(of_steps - said) < 5.0 * std::sqrt(said / (500.0 * steps)));
}

TEST_CASE("report: what is wrong is refused, and nothing is reported as nothing") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto none = net.add(plain("none", 0)), some = net.add(plain("some", 3));
  net.connect(none, some, network::AllToAll{}, {.weight = 0.1});
  net.connect(some, none, network::AllToAll{}, {.weight = 0.1});
  const auto report = reported(net, {.threads = 2, .parts = 2});
  CHECK((report.projections[0].in.most == 0 && report.projections[1].in.least == 0));
  CHECK(report.populations[0].receptors.empty());
  CHECK(report.text().find("0 synapses in ") == 0);
  const auto rows = network::build(net, {1, 1});
  net.expect_rate(some, -1.0);
  const auto refused = network::report(net, rows.value());
  CHECK(refused.status() == Status{Error::parameter_out_of_range, 1, -1.0, "rate_hz"});
  CHECK(refused.sentence().find("population 1, some: rate_hz = -1: ") == 0);
  network::Network none_of({.dt_ms = 0.1, .seed = 1});
  const auto cells = none_of.add(plain("cells", 3));
  const auto built = network::build(none_of, {1, 1});
  const auto with = [&](const network::Background& one) {
    network::Network changed = none_of;
    changed.add_background(cells, {.receptor = 0, .rate_hz = 10.0, .weight = 1.0});
    changed.add_background(cells, one);
    return network::report(changed, built.value()).sentence();
  };
  CHECK(with({1, -1.0, 1.0}).find("population 0, cells: rate_hz = -1: ") == 0);
  CHECK(with({1, 1.3e6, 1.0}).find("population 0, cells: rate_hz = 1300000: ") == 0);
  CHECK(with({2, 1.0, 1.0}).find("population 0, cells: receptor = 2: ") == 0);
  CHECK(with({1, 1.0, 1e-9}).find("population 0, cells: weight = 1e-9: ") == 0);
  CHECK(reported(network::Network({})).text().find("0 synapses") == 0);
}
