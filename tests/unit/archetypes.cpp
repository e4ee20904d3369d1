// SPDX-License-Identifier: BSL-1.0
// Every template with the minimal types of archetypes.hpp.
#include <array>
#include <cstdint>

#include <neuromorph/neuromorph.hpp>

#include "tests/archetypes.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("archetypes: a minimal model, row format and backend make a working core", "[archetypes]") {
  neuromorph::RingBuffer<archetype::RowFormat> ring;
  neuromorph::Population<archetype::NeuronModel, 5> population({}, 0);
  const auto fired = population.step<archetype::Backend>(ring, 0);
  CHECK(fired.size() == 5);

  std::array<std::uint32_t, 1> words{};
  std::array<std::uint32_t, 2> first{};
  std::array<std::uint32_t, 1> filled{};
  neuromorph::RowBuilder<archetype::RowFormat> builder(first, filled, 5);
  REQUIRE(builder.count(0).ok());
  REQUIRE(builder.place(words).ok());
  REQUIRE(builder.add(0, {7, 1, 0, 3}).ok());
  const auto rows = builder.finish().value;
  CHECK(neuromorph::check_row<archetype::RowFormat>(rows.row(0), 5).ok());
  neuromorph::add_row(ring, rows.row(0), 0);
  CHECK(ring.slot(1, 0)[3] == 7);
}

TEST_CASE("archetypes: a minimal random source feeds every helper", "[archetypes]") {
  archetype::RandomSource source;
  CHECK(neuromorph::uniform_below(source, 10) < 10);
  CHECK(neuromorph::uniform_between(source, -3, -3) == -3);
  CHECK_FALSE(neuromorph::bernoulli(source, neuromorph::Probability::from_threshold(0)));
}

TEST_CASE("archetypes: the LIF neuron needs no more than a backend", "[archetypes]") {
  constexpr neuromorph::LifCell cell{.c_m_nf = 0.2};
  constexpr auto parameters = neuromorph::Lif<>::parameters(cell, 0.1).value;
  neuromorph::Population<neuromorph::Lif<>, 3> population(parameters, -1);
  neuromorph::RingBuffer<neuromorph::SynapticWord<4, 1, 3>> ring;
  CHECK(population.step<archetype::Backend>(ring, 0).empty());
}
