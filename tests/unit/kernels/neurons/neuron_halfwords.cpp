// SPDX-License-Identifier: BSL-1.0
// Neurons with 16-bit psps: their constants, their weights, their units.
#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/neuron_battery.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

using Pair = PackedLif;

class FromSeed : public neuron_battery::Draw {
public:
  explicit FromSeed(std::uint32_t seed) : random_(seed) {}
  std::uint32_t word() override { return static_cast<std::uint32_t>(random_()); }
  std::mt19937 random_;
};

} // namespace

TEST_CASE("neuron: constants of 16-bit psps stay what they are", "[kernels][neuron]") {
  struct Frozen {
    membrane::Lif::Parameters membrane;
    std::array<double, 2> tau_ms;
    std::array<ReceptorWeights, 2> weights;
    double reset_mv, period_ms, dt_ms;
    std::array<std::int32_t, 4> words; ///< decay, drift, reset, after_spike
    std::array<std::uint32_t, 2> keep;
    std::array<std::int32_t, 2> coupling;
    std::array<std::uint32_t, 2> weight; ///< of 0.7 of the largest, and of the largest
  };
  static constexpr std::array table{
      Frozen{{.c_nf = 0.25},
             {5.0, 5.0},
             {{{.largest = 0.25, .bits = 12}, {.largest = 0.25, .bits = 12}}},
             -65.0,
             2.0,
             0.1,
             {-21421239, -313787, -62914560, 19},
             {0xfaee4cdd, 0xfaee4cdd},
             {102, 102},
             {2843, 4061}},
      Frozen{{.c_nf = 0.25},
             {5.0, 10.0},
             {{{.largest = 0.02, .bits = 11}, {.largest = 0.05, .bits = 11}}},
             -70.0,
             2.0,
             0.1,
             {-21421239, -313787, -83886080, 19},
             {0xfaee4cdd, 0xfd73e7e9},
             {17, 41},
             {1365, 2031}},
      Frozen{{.tau_ms = 2.0, .r_mohm = 40.0, .v_rest_mv = -65.0, .i_offset_na = 0.3, .v_initial_mv = -70.0},
             {0.3, 200.0},
             {{{.largest = 1.5, .bits = 14}, {.largest = 0.01, .bits = 14}}},
             -70.0,
             0.0,
             0.2,
             {-408720177, -1197422, -83886080, -83886080},
             {0x836f4de7, 0xffbe7f2b},
             {1062, 10},
             {11458, 15958}},
      Frozen{{.tau_ms = 100.0, .r_mohm = 100.0, .v_rest_mv = -52.0, .v_initial_mv = -52.0},
             {1.0, 3000.0},
             {{{.largest = 0.03, .bits = 13}, {.largest = 0.001, .bits = 13}}},
             -51.0,
             1.26,
             0.1,
             {-4292821, -8384, -4194304, 12},
             {0xe7a36ccf, 0xfffdd0c5},
             {2, 1},
             {4189, 419}},
      Frozen{{.tau_ms = 10.0, .c_nf = 1.0, .v_rest_mv = -90.0, .i_offset_na = -2.0, .v_initial_mv = -300.0},
             {10.0, 10.0},
             {{{.largest = 4.0, .bits = 16}, {.largest = 8.0, .bits = 16}}},
             -310.0,
             12.0,
             1.0,
             {-408720177, -23948447, -1090519040, 11},
             {0xe7a36ccf, 0xe7a36ccf},
             {232, 464},
             {45804, 65434}},
  };
  for (const Frozen& one : table) {
    INFO("row " << &one - table.data());
    const auto made = Pair::make({.membrane = one.membrane,
                                  .synapses = {one.tau_ms, one.weights},
                                  .reset = {one.reset_mv},
                                  .refractory = {one.period_ms}},
                                 one.dt_ms);
    REQUIRE(made.status() == Status{});
    const auto& [membrane, synapses, input, threshold, reset, refractory, adaptation, current] = made.value().constants;
    CHECK(std::array{membrane.decay, membrane.drift, reset.v, refractory.after_spike} == one.words);
    CHECK(synapses.shared.keep == one.keep);
    CHECK((synapses.coupling & 0xFFFF) == one.coupling[0]);
    CHECK(synapses.coupling >> 16 == -one.coupling[1]);
    CHECK(synapses.centre == 32768 * (one.coupling[0] - one.coupling[1]));
    CHECK(Pair::weight(made.value(), 0, 0.7 * one.weights[0].largest).value() == one.weight[0]);
    CHECK(Pair::weight(made.value(), 1, one.weights[1].largest).value() == one.weight[1]);
  }
}

TEST_CASE("neuron: 16-bit psps hold what weights bring, in a coarser unit of the membrane where they must",
          "[kernels][neuron]") {
  std::uint32_t coarser = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 30 : 300)) {
    INFO("seed " << seed);
    FromSeed draw(seed);
    const double dt = draw.between(0.05, 1.0), tau_m = dt * draw.between(5.0, 1000.0);
    Pair::Parameters given{.membrane = {.tau_ms = tau_m, .r_mohm = draw.between(1.0, 100.0)},
                           .synapses = {.tau_ms = {dt * draw.between(2.0, 300.0), dt * draw.between(2.0, 300.0)}}};
    const bool is_by_rate = draw.one_in(2);
    for (ReceptorWeights& weights : given.synapses.weights) {
      weights = {.largest = draw.between(0.01, 1.0), .bits = 8};
      if (is_by_rate)
        weights.rate_hz = draw.between(1.0, 100.0), weights.fan_in = draw.between(1.0, 1000.0);
      else
        weights.drive_mv = draw.between(1.0, 2000.0);
    }
    const auto made = Pair::make(given, dt);
    REQUIRE(made.status() == Status{});
    coarser += made.value().making.unit_bits < 22 ? 1U : 0U;
    const double mv = std::ldexp(1.0, -made.value().making.unit_bits); // of a unit
    for (std::uint32_t which = 0; which < 2; ++which) {
      const std::int32_t coupling = which == 0 ? made.value().constants.synapses.coupling & 0xFFFF
                                               : -(made.value().constants.synapses.coupling >> 16);
      const ReceptorWeights& weights = given.synapses.weights[which];
      CHECK(Pair::weight(made.value(), which, weights.largest).value() < 256U);
      const double full = 65535.0 * coupling * mv; // mV a step
      if (weights.drive_mv != 0.0) CHECK(full >= weights.drive_mv * -std::expm1(-dt / tau_m) * 0.999);
      if (weights.rate_hz != 0.0) { // the mean, in units of the weight
        const double events = weights.rate_hz * weights.fan_in * dt / 1000.0,
                     mean = events / -std::expm1(-dt / given.synapses.tau_ms[which]);
        const double units = made.value().units[which] * weights.largest;
        CHECK(65535.0 > (mean + 8.0) * units * 0.999);
      }
    }
    // Full psps, for ever, leave the membrane in its word: inhibition never lets it jump up.
    Population<Pair, 1> population(made.value());
    for (const std::size_t receptor : {std::size_t{1}, std::size_t{0}}) {
      std::int32_t before = population.words(0)[0];
      bool jumps = false;
      for (std::uint32_t step = 0; step < 3000; ++step) {
        std::array<std::uint16_t, 2> sums{};
        sums[receptor] = 65535;
        const auto fired = population.step(std::array{&sums[0], &sums[1]}, step);
        const std::int32_t now = population.words(0)[0];
        jumps = jumps || !fired.empty() || now >= 0 || (step > 2 && now > before + 65536); // but for the dither
        before = now;
      }
      CHECK((receptor == 0 || !jumps));
    }
    CHECK(population.saturations() > 0);
  }
  CHECK(coarser > 5);
}

TEST_CASE("neuron: 16-bit psps are read in nA, each by itself", "[kernels][neuron]") {
  const auto made = Pair::make({.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0, 10.0}}}, 0.1).value();
  Population<Pair, 3> population(made);
  const std::array na{0.2, 0.05};
  std::array<std::array<std::uint16_t, 3>, 2> sums{};
  for (std::uint32_t which = 0; which < 2; ++which)
    sums[which][1] = static_cast<std::uint16_t>(Pair::weight(made, which, na[which]).value());
  for (std::uint32_t step = 0; step <= 50; ++step) {
    (void)population.step(std::array{sums[0].data(), sums[1].data()}, step);
    for (std::size_t neuron = 0; neuron < 3; ++neuron)
      for (std::uint32_t which = 0; which < 2; ++which) {
        const std::int32_t word = population.words(place_of<Pair>.synapses.psps)[neuron];
        const double psp = Pair::Synapses::psp_na(made, word, which);
        const double tau = which == 0 ? 5.0 : 10.0, right = neuron == 1 ? na[which] * std::exp(-0.1 * step / tau) : 0.0;
        CHECK(std::fabs(psp - right) < 3.0 / made.units[which]); // units, of the weight and the decays
      }
  }
}

TEST_CASE("neuron: of 16-bit psps impossible parameters are refused", "[kernels][neuron]") {
  const auto refused = [](std::array<double, 2> tau_ms, std::array<ReceptorWeights, 2> weights) {
    return Pair::make({.membrane = {.c_nf = 0.25}, .synapses = {tau_ms, weights}}, 0.1).status();
  };
  const ReceptorWeights usual{.largest = 0.02, .bits = 12};
  CHECK(refused({5.0, 10.0}, {{usual, usual}}) == Status{});
  CHECK(refused({5.0, 7000.0}, {{usual, usual}}) ==
        Status{Error::time_constant_too_long, 1, 7000.0, "synapses.tau_ms"});
  CHECK(refused({0.1, 10.0}, {{usual, usual}}) == Status{Error::time_constant_too_short, 0, 0.1, "synapses.tau_ms"});
  CHECK(refused({5.0, 10.0}, {{usual, {.largest = 0.02, .bits = 17}}}) ==
        Status{Error::parameter_out_of_range, 1, 17, "synapses.weights.bits"});
  CHECK(refused({5.0, 10.0}, {{{.largest = 0.0, .bits = 12}, usual}}) ==
        Status{Error::parameter_not_positive, 0, 0.0, "synapses.weights.largest"});
  CHECK(refused({5.0, 10.0}, {{usual, {.largest = 1.0, .bits = 8}}}) ==
        Status{Error::weight_out_of_range, 1, 1.0, "synapses.weights.largest"});
  CHECK(refused({5.0, 10.0}, {{usual, {.largest = 1e9, .bits = 8, .drive_mv = 1.0}}}).error ==
        Error::weight_out_of_range);
  CHECK(refused({5.0, 10.0}, {{usual, {.largest = 0.1, .bits = 8, .drive_mv = -1.0}}}).error ==
        Error::parameter_out_of_range);
  const auto made = Pair::make({.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0, 10.0}}}, 0.1).value();
  CHECK(Pair::weight(made, 0, 0.25).value() < 4096U);
  CHECK(Pair::weight(made, 0, 0.25).value() > 3900U);
  CHECK(Pair::weight(made, 1, 4.5).status() == Status{Error::weight_out_of_range, 1, 4.5, "magnitude"});
  CHECK(Pair::weight(made, 1, 1e-6).status().error == Error::weight_vanishes);
}

TEST_CASE("neuron: a weight is rounded to nearest, up to the largest of a synaptic word", "[kernels][neuron]") {
  const auto made = Pair::make({.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0, 10.0}}}, 0.1).value();
  for (std::uint32_t receptor = 0; receptor < 2; ++receptor) {
    const double unit = 1.0 / made.units[receptor];
    CHECK(Pair::weight(made, receptor, 65535.4 * unit).value() == 65535);
    CHECK(Pair::weight(made, receptor, 65535.6 * unit).status() ==
          Status{Error::weight_out_of_range, receptor, 65535.6 * unit, "magnitude"});
    CHECK(Pair::weight(made, receptor, 0.0).value() == 0);
    CHECK(Pair::weight(made, receptor, 0.51 * unit).value() == 1);
    CHECK(Pair::weight(made, receptor, 0.49 * unit).status() ==
          Status{Error::weight_vanishes, receptor, 0.49 * unit, "magnitude"});
    for (const double wrong : {-unit, -1e-30, -1e9})
      CHECK(Pair::weight(made, receptor, wrong).status() ==
            Status{Error::weight_out_of_range, receptor, wrong, "magnitude"});
  }
}
