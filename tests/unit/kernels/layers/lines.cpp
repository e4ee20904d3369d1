// SPDX-License-Identifier: BSL-1.0
// Delays against the whole past, thresholds, read-outs; a layer that was reset against a new one.
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <neuromorph/kernels/layers/layer.hpp>
#include <neuromorph/kernels/layers/lines.hpp>
#include <neuromorph/kernels/neurons/models/trained.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {
template <std::size_t count, std::size_t longest>
void check_delays(std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::array<std::uint16_t, count> steps{};
  for (auto& one : steps) one = static_cast<std::uint16_t>(draw() % (longest + 1));
  steps[0] = longest, steps[count - 1] = 0;
  layers::SpikeDelay<count, longest> spikes(steps);
  layers::ValueDelay<count, longest> values(steps);
  for (unsigned round = 0; round < 2; ++round) {
    std::vector<std::array<std::int32_t, count>> past;
    for (std::size_t step = 0; step < 60; ++step) {
      std::array<std::int32_t, count> now{};
      std::vector<std::uint32_t> list;
      for (std::uint32_t at = 0; at < count; ++at)
        if (draw() % 3 == 0) now[at] = static_cast<std::int32_t>(draw() | 1), list.push_back(at);
      past.push_back(now);
      std::vector<std::uint32_t> right;
      std::array<std::int32_t, count> late{};
      for (std::uint32_t at = 0; at < count; ++at) {
        if (step >= steps[at]) late[at] = past[step - steps[at]][at];
        if (late[at] != 0) right.push_back(at);
      }
      const auto out = spikes.step(list);
      REQUIRE(std::vector<std::uint32_t>(out.begin(), out.end()) == right);
      const auto valued = values.step(now);
      REQUIRE(std::equal(valued.begin(), valued.end(), late.begin()));
    }
    spikes.reset(), values.reset();
  }
}
} // namespace

TEST_CASE("lines: what goes in comes out after each element's own steps, and nothing after a reset",
          "[kernels][layers]") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    check_delays<1, 0>(seed), check_delays<3, 1>(seed), check_delays<32, 7>(seed), check_delays<70, 20>(seed);
  }
}

TEST_CASE("lines: elements above their thresholds, and what a class is read from", "[kernels][layers]") {
  const std::array<std::int32_t, 5> values{3, -7, 3, 0, 9}, thresholds{3, -8, 2, 0, 8};
  std::array<std::uint32_t, 5> list{};
  const auto above = layers::above(std::span<const std::int32_t, 5>(values), thresholds, list);
  CHECK(std::vector<std::uint32_t>(above.begin(), above.end()) == std::vector<std::uint32_t>{1, 2, 4});
  CHECK(layers::largest(std::span<const std::int32_t, 5>(values)) == 4);
  CHECK(layers::largest(std::span<const std::int32_t, 3>(std::span(values).first<3>())) == 0); // of several the lowest

  layers::Readout<4> readout;
  CHECK((readout.most() == 0 && readout.earliest() == 0 && readout.first(2) == layers::Readout<4>::never));
  const std::vector<std::uint32_t> steps[] = {{}, {2}, {1, 3}, {3}, {3, 1}};
  for (const auto& one : steps) readout.step(one);
  CHECK(readout.counts() == std::array<std::uint32_t, 4>{0, 2, 1, 3});
  CHECK((readout.most() == 3 && readout.earliest() == 2));
  CHECK((readout.first(3) == 2 && readout.first(1) == 2 && readout.first(2) == 1));
  readout.reset();
  readout.step(steps[2]);
  CHECK((readout.first(1) == 0 && readout.earliest() == 1 && readout.most() == 1));
}

TEST_CASE("lines: a layer that was reset is as a new one, and neurons have constants of their own",
          "[kernels][layers]") {
  using Model = Neuron<PerNeuron<membrane::Recurrence>, synapse::Recurrence<>, threshold::Fixed, reset::ToValue,
                       rounding::Nearest>;
  constexpr auto made = Model::make({.membrane = {.kept = 0.5, .fraction_bits = 10},
                                     .synapses = {.kept = 0.25, .fraction_bits = 10},
                                     .threshold = {.v_mv = 1.0},
                                     .reset = {.v_mv = 0.0}},
                                    1.0);
  static_assert(made.ok());
  constexpr std::size_t count = 6;
  using Layer = layers::Layer<Model, count>;
  typename Layer::Columns columns{};
  for (std::size_t at = 0; at < count; ++at) {
    auto own =
        Model::make({.membrane = {.kept = 0.1 + 0.15 * static_cast<double>(at), .drift_mv = 0.01, .fraction_bits = 10},
                     .synapses = {.kept = 0.25, .fraction_bits = 10},
                     .threshold = {.v_mv = 1.0},
                     .reset = {.v_mv = 0.0}},
                    1.0)
            .value();
    Model::each_column(own.constants,
                       [&](std::int32_t& constant, std::size_t column) { columns[column][at] = constant; });
  }
  Layer layer(made.value(), columns);
  const auto run = [&](Layer& of) {
    std::mt19937_64 draw(1);
    std::vector<std::vector<std::uint32_t>> all;
    for (unsigned step = 0; step < 200; ++step) {
      for (auto& one : of.sums()) one = static_cast<std::int32_t>(draw() % 600);
      const auto fired = of.step();
      all.emplace_back(fired.begin(), fired.end());
      CHECK(std::vector<std::uint32_t>(of.fired().begin(), of.fired().end()) == all.back());
      for (const std::int32_t one : of.sums()) CHECK(one == 0);
    }
    return all;
  };
  const auto first = run(layer);
  std::array<std::size_t, count> spikes{};
  for (const auto& one : first)
    for (const std::uint32_t neuron : one) ++spikes[neuron];
  CHECK(spikes[0] < spikes[5]); // what is kept grows
  layer.sums()[2] = 77;
  layer.reset();
  CHECK(layer.fired().empty());
  CHECK(run(layer) == first);
  Layer other(made.value(), columns);
  CHECK(run(other) == first);
}
