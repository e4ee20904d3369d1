// SPDX-License-Identifier: BSL-1.0
// Spikes that move a membrane at once, membranes without a leak, and neurons that never fire.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <neuromorph/kernels/neurons/membranes/integrator.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/synapse_types/delta.hpp>
#include <neuromorph/kernels/neurons/synapse_types/driven.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/linear_reference.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;
using reference::Draw;

namespace {

template <class Model>
using Inputs = std::array<std::array<std::int32_t, 1>, Model::receptors>;
template <class Model>
bool step(Population<Model, 1>& cell, Inputs<Model>& input, std::uint32_t step_number) {
  std::array<std::int32_t*, Model::receptors> sums{};
  for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor) sums[receptor] = input[receptor].data();
  return !cell.step(sums, step_number).empty();
}

} // namespace

TEST_CASE("delta: a leaky neuron fires as iaf_psc_delta, spike for spike") {
  // Decay, then what arrives, then the threshold; in the refractory period nothing arrives.
  using Model = Neuron<membrane::Lif, synapse::Delta<2>, refractory::InMembrane>;
  double worst = 0;
  int spikes = 0, differing = 0;
  for (const std::uint32_t seed : Seeds(20)) {
    CAPTURE(seed);
    Draw draw(seed);
    const double dt = seed % 2 == 0 ? 0.1 : 1.0, tau = draw.scale(std::max(5.0, 4.5 * dt), 60);
    const std::uint32_t refractory = draw.word() % 30;
    const auto made = Model::make({.membrane{.tau_ms = tau, .c_nf = 0.25},
                                   .synapses{.weights{{{4.0, 12}, {2.0, 16}}}},
                                   .refractory{.period_ms = refractory * dt}},
                                  dt)
                          .value();
    Population<Model, 1> cell(made);
    const long double kept = std::exp(-static_cast<long double>(dt) / tau);
    long double v = -65;
    std::uint32_t left = 0;
    bool is_same = true;
    for (std::uint32_t number = 0; number < 20000; ++number) {
      Inputs<Model> input{};
      long double moved = 0;
      for (std::uint32_t which = 0; which < 2; ++which) {
        if (draw.between(0, 1) >= (which == 0 ? 0.5 : 0.2) * dt) continue;
        input[which][0] =
            static_cast<std::int32_t>(Model::weight(made, which, draw.between(0.2, 1) * (which == 0 ? 4 : 2)).value());
        const long double weight = static_cast<long double>(input[which][0]) / made.units[which];
        moved += which == 0 ? weight : -weight;
      }
      bool fires = false;
      if (left > 0) {
        --left;
        v = -65;
      } else {
        v = -65 + (v + 65) * kept + moved;
        fires = v >= -50;
        if (fires) v = -65, left = refractory;
      }
      const bool fired = step(cell, input, number);
      spikes += fired ? 1 : 0;
      if (fired != fires) {
        is_same = false; // the potentials were next to the threshold
        break;
      }
      worst = std::max(worst, std::fabs(static_cast<double>(cell.value(0, 0) - v)));
    }
    differing += is_same ? 0 : 1;
    REQUIRE(cell.saturations() == 0);
  }
  std::printf("delta: %d spikes, worst %.1e mV, %d of 20 trains part\n", spikes, worst, differing);
  REQUIRE(spikes > 1000);
  REQUIRE(worst < 1.5e-3);
  REQUIRE(differing <= 1);
}

TEST_CASE("delta: a step in 64-bit integers, held at the ends and counted") {
  using Model = Neuron<membrane::Lif, synapse::Delta<3>, threshold::None>;
  std::uint64_t held_in_all = 0;
  for (const std::uint32_t seed : Seeds(100)) {
    CAPTURE(seed);
    Draw draw(seed);
    typename Model::Parameters parameters{};
    parameters.membrane = {.tau_ms = draw.scale(1.5, 1e5), .c_nf = 0.25};
    for (auto& weights : parameters.synapses.weights) weights = {draw.scale(0.01, 200), 8 + draw.word() % 16};
    const auto made = Model::make(parameters, 1.0);
    REQUIRE(made);
    const auto& own = made.value().constants;
    Population<Model, 1> cell(made.value());
    std::int64_t v = cell.words(0)[0];
    for (std::uint32_t number = 0; number < 200; ++number) {
      if (number % 20 == 0) v = cell.words(0)[0] = static_cast<std::int32_t>(draw.word()) / 64 * 63;
      std::uint32_t held = 0;
      const std::int64_t dither = static_cast<std::int64_t>((number * 0x9E3779B9U) >> 16);
      v += ((v * ((own.membrane.decay + dither) >> 16)) >> 16) + own.membrane.drift;
      REQUIRE(std::clamp<std::int64_t>(v, INT32_MIN, INT32_MAX) == v);
      Inputs<Model> input{};
      for (std::size_t which = 0; which < 3; ++which) {
        if (draw.word() % 2 == 0)
          input[which][0] = static_cast<std::int32_t>(draw.word() % (1U << 30) >> draw.word() % 30);
        const std::int64_t moved = input[which][0] * (std::int64_t{1} << own.synapses.shared.input_shift[which]);
        v += which % 2 == 0 ? moved : -moved;
        // once at the end of the word, and once where the membrane's own step has room
        for (const std::int64_t room : {0, 1 << 25}) {
          const std::int64_t within = std::clamp<std::int64_t>(v, INT32_MIN + room, INT32_MAX - room);
          held += within != v ? 1U : 0U;
          v = within;
        }
      }
      const std::uint32_t before = cell.saturations();
      step(cell, input, number);
      CAPTURE(number);
      REQUIRE(cell.words(0)[0] == v);
      REQUIRE(cell.saturations() - before == held);
      held_in_all += held;
    }
  }
  REQUIRE(held_in_all > 1000);
}

TEST_CASE("delta: the unit of a weight and the range of the membrane follow what is brought") {
  using Model = Neuron<membrane::Integrator, synapse::Delta<1>>;
  const auto given = [](double largest, unsigned bits, double rate, double fan_in, double drive) {
    return Model::make({.membrane{}, .synapses{.weights{{{largest, bits, rate, fan_in, drive}}}}}, 1.0);
  };
  const auto made = given(1.0, 8, 0, 0, 0).value();
  REQUIRE(made.making.unit_bits == 22);
  REQUIRE(Model::weight(made, 0, 1.0).value() == 128); // of at most 255 units: a power of two
  REQUIRE(Model::weight(made, 0, 0.001).status() == Status{Error::weight_vanishes, 0, 0.001, "magnitude"});
  REQUIRE(given(1.0, 8, 0, 0, 1000).value().making.unit_bits == 20); // 2048 mV either side
  REQUIRE(given(100.0, 8, 1000, 10, 0).value().making.unit_bits < 20);
  REQUIRE(given(1000.0, 8, 0, 0, 0).status() ==
          Status{Error::weight_out_of_range, 0, 1000.0, "synapses.weights.largest"});
  REQUIRE(given(1.0, 0, 0, 0, 0).status() == Status{Error::parameter_out_of_range, 0, 0U, "synapses.weights.bits"});
  REQUIRE(given(0.0, 8, 0, 0, 0).status() == Status{Error::parameter_not_positive, 0, 0.0, "synapses.weights.largest"});
  REQUIRE(given(1.0, 8, -1, 1, 0).status() ==
          Status{Error::parameter_out_of_range, 0, -1.0, "synapses.weights.rate_hz"});
  REQUIRE(given(1.0, 8, 0, 0, -1).status() ==
          Status{Error::parameter_out_of_range, 0, -1.0, "synapses.weights.drive_mv"});
}

TEST_CASE("integrator: with delta synapses it is NIR's IF, exactly") {
  // v' = r I with I made of spikes: v moves by r w, fires at the threshold, and is put to its reset.
  using Model = Neuron<membrane::Integrator, synapse::Delta<2>>;
  for (const std::uint32_t seed : Seeds(20)) {
    CAPTURE(seed);
    Draw draw(seed);
    const auto made = Model::make({.membrane{.v_initial_mv = 0},
                                   .synapses{.weights{{{2.0, 16}, {1.0, 16}}}},
                                   .threshold{.v_mv = 10},
                                   .reset{.v_mv = 0}},
                                  1.0)
                          .value();
    Population<Model, 1> cell(made);
    std::int64_t v = 0; // in 2^-22 mV
    int spikes = 0;
    for (std::uint32_t number = 0; number < 5000; ++number) {
      Inputs<Model> input{};
      for (std::size_t which = 0; which < 2; ++which) {
        if (draw.word() % 3 != 0) continue;
        input[which][0] = static_cast<std::int32_t>(draw.word() % 30000);
        const auto moved = static_cast<std::int64_t>(input[which][0] / made.units[which] * 0x1p22);
        v += which == 0 ? moved : -moved;
      }
      const bool fires = v >= std::int64_t{10} << 22;
      if (fires) v = 0;
      REQUIRE(step(cell, input, number) == fires);
      REQUIRE(cell.value(0, 0) == static_cast<double>(v) * 0x1p-22);
      spikes += fires ? 1 : 0;
    }
    REQUIRE(spikes > 20);
    REQUIRE(cell.saturations() == 0);
  }
}

TEST_CASE("integrator: a constant current climbs a line; inhibition ends at the end of the range, and counts") {
  using Model = Neuron<membrane::Integrator, synapse::Exponential<2>, refractory::InMembrane>;
  const auto made = Model::make({.membrane{.c_nf = 0.5, .i_offset_na = 0.1, .v_initial_mv = -70},
                                 .synapses{.tau_ms{5, 5}, .weights{{{1.0}, {1.0}}}},
                                 .threshold{.v_mv = -50},
                                 .reset{.v_mv = -70},
                                 .refractory{.period_ms = 2}},
                                0.1)
                        .value();
  Population<Model, 1> cell(made);
  Inputs<Model> input{};
  std::vector<std::uint32_t> fired;
  for (std::uint32_t number = 1; number <= 5000; ++number)
    if (step(cell, input, number)) fired.push_back(number);
  // 0.02 mV a step, less 1e-6 of it: 1001 steps from -70 to -50, then 20 steps of rest each
  REQUIRE(fired.size() == 4);
  for (std::size_t spike = 0; spike < fired.size(); ++spike)
    REQUIRE(std::abs(static_cast<int>(fired[spike]) - static_cast<int>(1001 + spike * 1021)) == 0);
  REQUIRE(cell.saturations() == 0);
  for (std::uint32_t number = 0; number < 5000; ++number) {
    input[1][0] = static_cast<std::int32_t>(Model::weight(made, 1, 1.0).value());
    const double before = cell.value(0, 0);
    REQUIRE_FALSE(step(cell, input, number));
    REQUIRE((cell.value(0, 0) < before + 0.03 || before > -70.0)); // no wrap
  }
  REQUIRE(cell.value(0, 0) == -50.0 - 512.0);
  REQUIRE(cell.saturations() > 1000);
}

TEST_CASE("integrator: without input it stays, with any synapses") {
  const auto stays = []<class Model>(const Model*, const auto& synapses) {
    const auto made = Model::make({.membrane{.v_initial_mv = -60}, .synapses = synapses}, 0.1).value();
    Population<Model, 1> cell(made);
    Inputs<Model> input{};
    for (std::uint32_t number = 0; number < 10000; ++number) step(cell, input, number);
    return cell.value(0, 0) == -60.0;
  };
  using One = Neuron<membrane::Integrator, synapse::Exponential<1>>;
  using Two = Neuron<membrane::Integrator, synapse::Exponential<2>, rounding::Nearest>;
  REQUIRE(stays(static_cast<One*>(nullptr), synapse::Exponential<1>::Parameters{.tau_ms{5}}));
  REQUIRE(stays(static_cast<Two*>(nullptr), synapse::Exponential<2>::Parameters{.tau_ms{5, 10}}));
}

TEST_CASE("integrator: psps that carry the constant drive climb the same line, to 1 in 500") {
  using Model = Neuron<membrane::Integrator, synapse::Driven<2>>;
  const auto made = Model::make({.membrane{.c_nf = 0.5, .i_offset_na = 0.1, .v_initial_mv = -70},
                                 .synapses{.tau_ms{5, 5}, .weights{{{0.1}, {0.1}}}}},
                                0.1)
                        .value();
  Population<Model, 1> cell(made);
  Inputs<Model> input{};
  for (std::uint32_t number = 1; number <= 900; ++number) {
    REQUIRE_FALSE(step(cell, input, number));
    REQUIRE(std::fabs(cell.value(0, 0) - (-70 + 0.02 * number)) < 0.03);
  }
}

TEST_CASE("integrator: what is refused, and by which name") {
  using Model = Neuron<membrane::Integrator, synapse::Delta<1>>;
  const auto made = [](membrane::Integrator::Parameters given) {
    return Model::make({.membrane = given, .synapses{}}, 0.1).status();
  };
  REQUIRE(made({}));
  REQUIRE(made({.c_nf = 0}) == Status{Error::parameter_not_positive, 0, 0.0, "membrane.c_nf"});
  REQUIRE(made({.c_nf = -1}) == Status{Error::parameter_not_positive, 0, -1.0, "membrane.c_nf"});
  REQUIRE(made({.c_nf = HUGE_VAL}) == Status{Error::parameter_out_of_range, 0, HUGE_VAL, "membrane.c_nf"});
  REQUIRE(made({.c_nf = 1e-310}) == Status{Error::parameter_out_of_range, 0, 1e-310, "membrane.c_nf"});
  for (const double bad : {640.0, -640.0, HUGE_VAL, -HUGE_VAL})
    REQUIRE(made({.i_offset_na = bad}) == Status{Error::parameter_out_of_range, 0, bad, "membrane.i_offset_na"});
  REQUIRE(made({.i_offset_na = 639.99}));
  REQUIRE(made({.v_initial_mv = -50}) == Status{Error::parameter_out_of_range, 0, -50.0, "membrane.v_initial_mv"});
}

TEST_CASE("threshold none: a read-out goes to either side and never fires") {
  using Model = Neuron<membrane::Lif, synapse::Exponential<2>, threshold::None>;
  const auto made = Model::make({.membrane{.tau_ms = 20, .c_nf = 0.25, .v_rest_mv = 0, .v_initial_mv = 30},
                                 .synapses{.tau_ms{5, 5}, .weights{{{1.0}, {1.0}}}},
                                 .threshold{.origin_mv = -1}},
                                1.0)
                        .value();
  Population<Model, 1> cell(made);
  REQUIRE(cell.value(0, 0) == 30.0);
  double highest = 0, lowest = 0;
  for (std::uint32_t number = 0; number < 1000; ++number) {
    Inputs<Model> input{};
    input[number < 500 ? 0 : 1][0] = static_cast<std::int32_t>(Model::weight(made, 0, 0.2).value());
    REQUIRE_FALSE(step(cell, input, number));
    highest = std::max(highest, cell.value(0, 0));
    lowest = std::min(lowest, cell.value(0, 0));
  }
  // 0.2 nA a ms, a time constant of 5 ms, 80 MOhm
  const double expected = 80 * 0.2 / (1 - std::exp(-1 / 5.0)) * (1 - std::exp(-1 / 5.0)) * 5;
  REQUIRE(std::fabs(highest - expected) < 0.01 * expected);
  REQUIRE(std::fabs(lowest + expected) < 0.01 * expected);
  REQUIRE(cell.saturations() == 0);
  REQUIRE(cell.set(0, 0, 100.0));
  REQUIRE(cell.value(0, 0) == 100.0);
}

TEST_CASE("leaky membrane: where it may begin, no step goes over the end of its word") {
  // The decay of a long time constant is 0 in most steps; the drift is not.
  using Model = Neuron<membrane::Lif, synapse::Delta<2>>;
  const auto make = [](double initial, double reset) {
    return Model::make({.membrane{.tau_ms = 1e6, .c_nf = 0.25, .v_rest_mv = -80, .v_initial_mv = initial},
                        .synapses{},
                        .reset{.v_mv = reset}},
                       1.0);
  };
  REQUIRE(make(-562, -65).status() == Status{Error::parameter_out_of_range, 0, -562.0, "membrane.v_initial_mv"});
  REQUIRE(make(-65, -562).status() == Status{Error::parameter_out_of_range, 0, -562.0, "reset.v_mv"});
  const double lowest = -50.0 - 512.0 * 63 / 64;
  Population<Model, 1> cell(make(lowest, lowest).value());
  REQUIRE(cell.set(0, 0, lowest - 1).error == Error::parameter_out_of_range);
  REQUIRE(cell.set(0, 0, lowest));
  Inputs<Model> input{};
  for (std::uint32_t number = 0; number < 100000; ++number) {
    const bool fired = step(cell, input, number);
    const double v = cell.value(0, 0);
    if (fired || v > lowest + 100 || v < lowest - 1) FAIL("step " << number << ": " << v);
  }
  REQUIRE(cell.saturations() == 0);
}

TEST_CASE("integrator: its unit, and the constant currents that it takes", "[kernels][neuron]") {
  using Model = Neuron<membrane::Integrator, synapse::Delta<1>>;
  const auto made = [](membrane::Integrator::Parameters given, double dt_ms, double drive_mv = 0.0) {
    given.v_initial_mv = -65.0;
    return Model::make({.membrane = given, .synapses = {{{{.largest = 0.01, .drive_mv = drive_mv}}}}}, dt_ms);
  };
  CHECK(made({}, 1.0).value().making.unit_bits == 22);
  CHECK(made({}, 1.0, 256.0).value().making.unit_bits == 22);
  CHECK(made({}, 1.0, 257.0).value().making.unit_bits == 21);
  // 64 mV in a step are 1/8 of its range, to nearest
  for (const double sign : {-1.0, 1.0}) {
    CHECK(made({.i_offset_na = sign * (64.0 - 0x1p-22)}, 1.0).ok());
    CHECK(made({.i_offset_na = sign * 64.0}, 1.0).status() ==
          Status{Error::parameter_out_of_range, 0, sign * 64.0, "membrane.i_offset_na"});
  }
  CHECK(made({.i_offset_na = std::nan("")}, 1.0).status().error == Error::parameter_out_of_range);
  CHECK(made({.c_nf = 1e-308}, 100.0).status() == Status{Error::parameter_out_of_range, 0, 1e-308, "membrane.c_nf"});
  // What a psp carries of it asks for a coarser unit: 8 mV in a step, of which 0.18 go, below 2^24 units of 2^-8 of the
  // membrane's.
  using Driven = Neuron<membrane::Integrator, synapse::Driven<2>>;
  const auto driven = Driven::make(
      {.membrane = {.i_offset_na = 8.0 - 0x1p-20}, .synapses = {{5.0, 5.0}, {{{.largest = 1e-4}, {.largest = 1e-4}}}}},
      1.0);
  CHECK(driven.value().making.unit_bits == 15);
}
