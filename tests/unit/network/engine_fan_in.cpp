// SPDX-License-Identifier: BSL-1.0
// Sums of 32 bits that all synapses and the background of a neuron could make together: what is refused, exactly, and that what
// is not refused has none that leaves 30 bits.
#include <neuromorph/network/engine.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/sanitized.hpp>
#include <tests/support/seeds.hpp>

namespace {

namespace network = neuromorph::network;
using network::Engine;
using network::PopulationId;
using neuromorph::Error;
using neuromorph::Status;

constexpr std::int64_t bound = std::int64_t{1} << 30;

/// Neurons that fire in each step or never, and whose only word is the largest magnitude that came to them.
class Witnesses final : public network::Neurons {
public:
  Witnesses(std::uint32_t count, std::uint32_t receptors, bool fires)
      : largest_(count), receptors_(receptors), fires_(fires) {}

  neuromorph::StepCounts step(std::uint32_t at, const network::StepInput& input, std::uint32_t,
                              std::uint32_t* spikes) noexcept override {
    const std::uint32_t from = at * block, here = (std::min)(block, count() - from);
    for (std::uint32_t one = 0; one < here; ++one) {
      for (std::size_t receptor = 0; receptor < receptors_; ++receptor) {
        std::int32_t& sum = input.wide[receptor * input.stride + one];
        largest_[from + one] = (std::max)(largest_[from + one], sum < 0 ? -sum : sum);
        sum = 0;
      }
      spikes[one] = one;
    }
    neuromorph::StepCounts counts{};
    counts.spikes = fires_ ? here : 0;
    return counts;
  }
  [[nodiscard]] std::uint32_t count() const noexcept override { return static_cast<std::uint32_t>(largest_.size()); }
  [[nodiscard]] std::span<const std::int32_t> words(std::size_t) const noexcept override { return largest_; }
  [[nodiscard]] std::span<std::int32_t> words_to_change(std::size_t) noexcept override { return {}; }
  void waiting(std::vector<Waiting>&) const override {}
  void set_waiting(std::uint32_t, std::span<const Waiting>) override {}
  [[nodiscard]] std::size_t word_count() const noexcept override { return 1; }
  [[nodiscard]] std::uint64_t digest_of_constants() const noexcept override { return 0; }
  [[nodiscard]] std::size_t bytes() const noexcept override { return largest_.size() * sizeof(std::int32_t); }

private:
  std::vector<std::int32_t> largest_;
  std::uint32_t receptors_;
  bool fires_;
};

class Witness final : public network::NeuronModel {
public:
  Witness(std::uint32_t receptors, bool fires) : receptors_(receptors), fires_(fires) {}
  Status make(std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t count, const std::vector<network::Initial>&,
              std::unique_ptr<network::Neurons>& made) const override {
    made = std::make_unique<Witnesses>(count, receptors_, fires_);
    return {};
  }
  [[nodiscard]] double value(std::size_t, std::int32_t word) const noexcept override { return word; }
  [[nodiscard]] std::size_t word_count() const noexcept override { return 1; }
  [[nodiscard]] bool differs_by_neuron() const noexcept override { return false; }
  [[nodiscard]] std::uint64_t digest() const noexcept override { return 2 * receptors_ + (fires_ ? 1 : 0); }

private:
  std::uint32_t receptors_;
  bool fires_;
};

/// A weight of 1 is one unit.
PopulationId add(network::Network& net, const char* name, std::uint32_t count, std::uint32_t receptors, bool fires) {
  return net.add({.name = name,
                  .count = count,
                  .units_per_one = std::vector<double>(receptors, 1.0),
                  .has_signed_weights = receptors == 1,
                  .model = std::make_shared<Witness>(receptors, fires)});
}
std::uint32_t most_of(double events_of_step) {
  network::PoissonInput input;
  REQUIRE(network::PoissonInput::make(events_of_step * 1e3, 1.0, {}, 0, 1, input).ok());
  return input.most();
}
Engine engine_of(const network::Network& net, const network::EngineOptions& options) {
  auto made = Engine::make(net, options);
  INFO(made.sentence());
  REQUIRE(made.ok());
  return std::move(made).value();
}
/// One synapse more, of one unit.
network::Network with_one_more(const network::Network& net, PopulationId from, PopulationId to, std::uint32_t neuron,
                               std::uint32_t receptor) {
  network::Network more = net;
  network::FromList list;
  list.synapses.push_back({0, neuron, 1.0, 3.0});
  more.connect(from, to, std::move(list), {.receptor = receptor});
  return more;
}

} // namespace

TEST_CASE("engine: fan-in is refused from 2^30 on, with sources that fire more than once and background") {
  std::int64_t largest = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 10 : 30)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t end) {
      return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
    };
    const auto weight_of = [&](std::int64_t most) { // up to an eighth of what there is
      return 1 + std::int64_t{below(static_cast<std::uint32_t>(bound / 8 / most))};
    };
    network::Network net({.dt_ms = 0.1, .seed = seed});
    const std::uint32_t receptors = 1 + below(2), receptor = below(receptors), neurons = 66 + below(200);
    const double sign = receptors == 1 ? -1.0 : 1.0;
    // Five fire once in a step, but for the second, which fires two to four times, and once as often as not.
    const std::uint32_t times = 2 + below(3);
    std::vector<network::SpikeTime> spikes{{0, 1.0}, {2, 1.0}, {3, 2.0}, {4, 2.0}, {1, 1.9}};
    for (std::uint32_t time = 0; time < times; ++time) spikes.push_back({1, time % 2 == 0 ? 0.98 : 1.0});
    const auto listed = net.add_spikes("listed", 5, spikes);
    const double noisy = 0.01 * (1 + below(400)), background = 0.01 * (1 + below(9000));
    const auto noise = net.add_poisson("noise", 3, noisy * 1e4);
    const auto cells = add(net, "cells", 6, 2, true), one = add(net, "one", 1, 2, true);
    const auto to = add(net, "to", neurons, receptors, false);
    std::int64_t sum = 0;
    const auto connect = [&](PopulationId from, std::int64_t most, std::int64_t weight, double of_sign) {
      net.connect(
          from, to, network::AllToAll{},
          {.receptor = receptor, .weight = of_sign * static_cast<double>(weight), .delay_ms = 0.5 + 0.1 * below(20)});
      sum += most * weight;
    };
    connect(listed, 4 + times, weight_of(4 + times), 1.0);
    connect(noise, 3 * std::int64_t{most_of(noisy)}, weight_of(3 * std::int64_t{most_of(noisy)}), sign);
    connect(cells, 6, weight_of(6), 1.0);
    connect(cells, 6, weight_of(6), sign);
    const std::int64_t most = most_of(background), weight = weight_of(most);
    net.add_background(to, {.receptor = receptor, .rate_hz = background * 1e4, .weight = sign * double(weight)});
    sum += most * weight;
    connect(one, 1, bound - 1 - sum, 1.0);
    REQUIRE(sum == bound - 1);
    if (receptors == 2) // which is another sum
      net.connect(one, to, network::AllToAll{}, {.receptor = 1 - receptor, .weight = double(bound - 1)});

    const std::uint32_t neuron = below(neurons), parts = 1 + below(3);
    const auto refused = Engine::make(with_one_more(net, one, to, neuron, receptor), {.threads = 1, .parts = parts});
    REQUIRE(!refused.ok());
    CHECK(refused.status() == Status{Error::fan_in_too_large, neuron, bound, nullptr});
    CHECK(refused.sentence().find("population 4, to, neuron " + std::to_string(neuron)) == 0);

    network::EngineOptions options{.threads = 1, .parts = parts};
    options.delivery = network::Delivery(below(3));
    Engine engine = engine_of(net, options);
    REQUIRE(engine.run(300).ok());
    CHECK(engine.counts().background_saturations == 0);
    for (std::uint32_t at = 0; at < neurons; ++at) {
      REQUIRE(engine.word(to, 0, at) < bound);
      REQUIRE(engine.word(to, 0, at) >= 0);
      largest = (std::max)(largest, std::int64_t{engine.word(to, 0, at)});
    }
  }
  CHECK(largest > bound / 2);
}

TEST_CASE("engine: what could arrive at once does, to the last unit") {
  for (const bool is_signed : {false, true}) {
    network::Network net({.dt_ms = 0.1, .seed = 1});
    const auto listed = net.add_spikes("listed", 3, {{0, 1.0}, {0, 1.0}, {0, 1.0}, {1, 1.0}, {2, 1.0}, {2, 1.0}});
    const auto cells = add(net, "cells", 7, 1, true);
    const auto to = add(net, "to", 100, is_signed ? 1 : 2, false);
    const std::int64_t weight = 123'456'789, other = 11'111'111, last = bound - 1 - 6 * weight - 7 * other;
    REQUIRE(last > 0);
    const double sign = is_signed ? -1.0 : 1.0;
    const auto receptor = is_signed ? 0U : 1U;
    net.connect(listed, to, network::AllToAll{},
                {.receptor = receptor, .weight = sign * double(weight), .delay_ms = 1.0});
    net.connect(cells, to, network::AllToAll{},
                {.receptor = receptor, .weight = sign * double(other), .delay_ms = 0.5});
    const auto one = add(net, "one", 1, 1, true);
    net.connect(one, to, network::AllToAll{}, {.receptor = receptor, .weight = sign * double(last), .delay_ms = 0.2});
    for (const std::uint32_t parts : {1U, 2U})
      for (const network::Delivery delivery : {network::Delivery::at_once, network::Delivery::when_due}) {
        Engine engine = engine_of(net, {.threads = 1, .parts = parts, .delivery = delivery});
        REQUIRE(engine.run(30).ok());
        for (std::uint32_t at = 0; at < 100; ++at) CHECK(engine.word(to, 0, at) == bound - 1);
      }
    CHECK(Engine::make(with_one_more(net, one, to, 99, receptor)).status().where == 99);
  }
}

TEST_CASE("engine: no source has more events in a step than it says") {
  for (const double rate : {0.001, 0.3, 1.0, 7.0, 31.0, 64.0, 65.0, 100.0, 128.0}) {
    INFO("rate " << rate);
    network::PoissonInput input;
    REQUIRE(network::PoissonInput::make(rate * 1e3, 1.0, {.seed = 3}, 0, 4, input).ok());
    std::uint32_t largest = 0;
    for (std::uint32_t step = 0; step < (sanitized ? 400 : 2000); ++step)
      for (std::uint32_t group = 0; group < 4; ++group) {
        network::PoissonInput::Counts counts{};
        input.draw(group, counts);
        for (const std::uint32_t one : counts) largest = (std::max)(largest, one);
      }
    CHECK(largest <= input.most());
    CHECK(input.most() <= 255);
    CHECK(largest > rate); // of 10^5 draws
    CHECK((rate > 31.0 || input.most() < rate + 12.0 * std::sqrt(rate) + 12.0));
  }
}
