// SPDX-License-Identifier: BSL-1.0
// Random cells, weights and drives from the whole range that parameters take: all neuron models beside integers that
// cannot wrap.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include <neuromorph/kernels/sfc32.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/neuron_battery.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

namespace {

class FromSeed : public neuron_battery::Draw {
public:
  FromSeed(std::uint32_t seed, std::uint32_t number) : random_(neuromorph::StreamId{seed, number, 0}) {}
  std::uint32_t word() override { return random_.next(); }

private:
  neuromorph::Sfc32 random_;
};

using namespace neuromorph;

/// How much of a psp one unit of a weight is, in mV per step.
template <std::size_t TimeConstants>
long double unit_mv(const typename Lif<TimeConstants>::Parameters& made, std::size_t which) {
  return std::ldexp(1.0L, made.scale.input_shift[which] - 22 - made.scale.psp_shift);
}
long double unit_mv(const PackedLif::Parameters& made, std::size_t which) {
  return std::ldexp(static_cast<long double>(made.coupling[which]), -22);
}

/// Weights of a range against the exact ones: as many bits as were asked for, to nearest.
template <class Model, class Unit>
void check_weights(std::uint32_t kind, Unit unit) {
  int accepted = 0, middling = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 2000 : 20000)) {
    FromSeed draw(seed, 100 + kind);
    const auto drawn = neuron_battery::draw_case(draw, kind == 1);
    const auto made = Model::parameters(drawn.cell, drawn.dt, drawn.weights);
    if (!made.ok()) continue;
    ++accepted;
    for (const std::uint32_t which : {0U, 1U}) {
      const double largest = which == 0 ? drawn.weights.excitatory_na : drawn.weights.inhibitory_na;
      // the largest; one that is about as likely to vanish as not; any
      const double per_unit = static_cast<double>(unit(made.value(), which)) / made.value().psp_per_na[which];
      for (const double na : {largest, per_unit * draw.between(0.01, 3.0), largest * draw.between(1e-3, 1.0)}) {
        const auto weight = Model::weight(made.value(), static_cast<Receptor>(which), na);
        const long double exact =
            static_cast<long double>(made.value().psp_per_na[which]) * na / unit(made.value(), which);
        INFO("seed " << seed << ", kind " << kind << ", " << na << " nA is " << static_cast<double>(exact) << ", "
                     << neuron_battery::show(drawn.cell, drawn.dt, drawn.weights));
        if (!weight.ok()) {
          REQUIRE(weight.status().error == (exact < 1 ? Error::weight_vanishes : Error::weight_out_of_range));
          if (exact < 1)
            REQUIRE(exact < 0.5000001L);
          else
            REQUIRE(na > largest);
          continue;
        }
        middling += exact > 0.25L && exact < 4 ? 1 : 0;
        REQUIRE(std::fabs(weight.value() - exact) <= 0.5L + 1e-12L * exact);
        if (na <= largest) REQUIRE(weight.value() < std::uint64_t{1} << drawn.weights.bits);
      }
    }
  }
  CHECK(accepted > 300);
  CHECK(middling > 300);
}

} // namespace

TEST_CASE("neuron_battery: weights have the bits that were asked for and are rounded once",
          "[kernels][lif][packed_lif]") {
  check_weights<Lif<1>>(1, [](const auto& made, std::size_t which) { return unit_mv<1>(made, which); });
  check_weights<Lif<2>>(2, [](const auto& made, std::size_t which) { return unit_mv<2>(made, which); });
  check_weights<PackedLif>(3, [](const auto& made, std::size_t which) { return unit_mv(made, which); });
}

TEST_CASE("neuron_battery: no word wraps in silence, what saturates is counted, what is recorded is meant",
          "[kernels][lif][packed_lif][compact_lif]") {
  constexpr std::uint32_t cases = sanitized ? 60 : 300; // of each kind
  std::array<neuron_battery::Tally, neuron_battery::kinds> tallies{};
  for (const std::uint32_t seed : Seeds(cases))
    for (std::uint32_t kind = 0; kind < neuron_battery::kinds; ++kind) {
      FromSeed draw(seed, kind);
      const std::string wrong = neuron_battery::run_one(kind, draw, tallies[kind]);
      INFO("seed " << seed << ", kind " << kind);
      REQUIRE(wrong == "");
    }
  for (std::uint32_t kind = 0; kind < neuron_battery::kinds; ++kind) {
    const auto& tally = tallies[kind];
    std::printf("kind %2u: %llu cases, %llu refused, %llu spikes, %llu steps of waiting, %llu saturations\n", kind,
                static_cast<unsigned long long>(tally.accepted), static_cast<unsigned long long>(tally.refused),
                static_cast<unsigned long long>(tally.spikes), static_cast<unsigned long long>(tally.waits),
                static_cast<unsigned long long>(tally.saturations));
    INFO("kind " << kind);
    CHECK(tally.accepted > cases / 8); // else it tests nothing
    CHECK(tally.spikes > 100);
    CHECK(tally.waits > 100);
    CHECK((tally.saturations > 100) == (kind < 11));
  }
}
