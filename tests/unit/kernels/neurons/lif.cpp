// SPDX-License-Identifier: BSL-1.0
// LIF neurons in all layouts of their words: constants and steps beside closed forms.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/lif_cells.hpp"
#include "tests/support/neuron_battery.hpp"
#include "tests/support/neuron_columns.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

/// The exact solution over one step, in long doubles; knows nothing of fixed point.
struct Exact {
  long double membrane, rest, threshold;
  std::array<long double, 2> decay{}, coupling{};
  Exact(const LifCell& cell, long double dt) {
    const long double tau_m = cell.tau_m_ms;
    const long double c_nf = cell.c_m_nf != 0.0 ? cell.c_m_nf : tau_m / static_cast<long double>(cell.r_m_mohm);
    membrane = std::exp(-dt / tau_m);
    rest = cell.v_rest_mv + cell.i_offset_na * tau_m / c_nf;
    threshold = cell.v_threshold_mv;
    const std::array<long double, 2> tau{cell.tau_exc_ms, cell.tau_inh_ms};
    for (std::size_t which = 0; which < 2; ++which) {
      decay[which] = std::exp(-dt / tau[which]);
      coupling[which] =
          tau_m == tau[which] ? dt * membrane : (membrane - decay[which]) * tau_m * tau[which] / (tau_m - tau[which]);
      coupling[which] /= c_nf;
    }
  }
};

template <class Model>
using ElementOf = std::conditional_t<neuron_battery::is_packed<Model>, std::uint16_t, std::int32_t>;
template <class Model>
using Cells = NeuronColumns<Model, ElementOf<Model>>;

constexpr LifCell usual = two_tau_cell;

/// Largest distance from the exact solution over `seconds`, as a share of threshold - rest, for 64 neurons under random
/// excitation and inhibition that stays below threshold.
template <class Model>
double largest_error(LifCell cell, double dt_ms, double seconds, unsigned bits) {
  const std::array<double, 2> largest{0.02, 0.05};
  cell.v_reset_mv = cell.v_rest_mv; // begins there
  const auto made = made_of<Model>(cell, dt_ms, {largest[0], largest[1], bits}).value();
  const Exact exact(cell, static_cast<long double>(dt_ms));
  constexpr std::size_t count = 64;
  Cells<Model> cells(count, made);
  std::vector<long double> v(count, exact.rest);
  std::vector<std::array<long double, 2>> current(count);
  std::mt19937 random(12);
  const std::array<double, 2> chance{0.6 * dt_ms, 0.15 * dt_ms}; // events per step
  double worst = 0.0;
  const auto steps = static_cast<std::uint32_t>(seconds * 1000.0 / dt_ms);
  for (std::uint32_t step_number = 1; step_number <= steps; ++step_number) {
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      auto& own = current[neuron];
      v[neuron] = exact.rest + (v[neuron] - exact.rest) * exact.membrane + own[0] * exact.coupling[0] -
                  own[1] * exact.coupling[1];
      for (std::uint32_t which = 0; which < 2; ++which) {
        own[which] *= exact.decay[which];
        if (static_cast<double>(random()) >= chance[which] * 4294967296.0) continue;
        own[which] += static_cast<long double>(largest[which]);
        const auto units =
            static_cast<std::int32_t>(Model::weight(made, Model::receptors == 2 ? which : 0, largest[which]).value());
        auto& sum = cells.input[Model::receptors == 2 ? which : 0][neuron];
        sum = static_cast<ElementOf<Model>>(sum + (Model::receptors == 1 && which == 1 ? -units : units));
      }
    }
    const auto counts = cells.step(step_number);
    REQUIRE(counts.spikes == 0);
    REQUIRE(counts.saturations == 0);
    for (std::size_t neuron = 0; neuron < count; ++neuron)
      worst =
          std::max(worst, std::fabs(Model::value(made, 0, cells.membrane()[neuron]) - static_cast<double>(v[neuron])));
  }
  return worst / (cell.v_threshold_mv - cell.v_rest_mv);
}

} // namespace

TEST_CASE("lif: integration constants are those of the closed form", "[kernels][lif]") {
  for (const double dt : {0.1, 0.5, 1.0})
    for (const double tau_m : {2.0, 5.0, 10.0, 20.0, 100.0})
      for (const double tau_s : {1.6, 2.0, 4.999999, 5.0, 5.000001, 10.0, 50.0}) {
        LifCell cell = usual;
        cell.tau_m_ms = tau_m;
        cell.tau_exc_ms = tau_s;
        const auto made = made_of<Lif<2>>(cell, dt, {0.1, 0.1, 16});
        INFO("dt " << dt << " tau_m " << tau_m << " tau_s " << tau_s);
        REQUIRE(made.ok());
        const auto& constants = made.value().constants;
        const auto q32 = [&](double tau) { return std::expm1(-static_cast<long double>(dt) / tau) * 4294967296.0L; };
        REQUIRE(std::fabs(constants.membrane.decay - q32(tau_m)) <= 0.5L + 1e-6L);
        REQUIRE(std::fabs(constants.synapses[0] - q32(tau_s)) <= 0.5L + 1e-6L);
        REQUIRE(std::fabs(constants.synapses[1] - q32(10.0)) <= 0.5L + 1e-6L);
        const double rate = 1.0 / tau_m - 1.0 / tau_s;
        const double shape = rate == 0.0 ? dt : std::expm1(rate * dt) / rate;
        const double coupling = std::exp(-dt / tau_m) * shape / cell.c_m_nf;
        const auto& scale = constants.synapses.shared;
        REQUIRE(std::ldexp(made.value().units[0], scale.input_shift[0] - 22 - scale.psp_shift) ==
                Approx(coupling).epsilon(1e-12));
        const double drift = -std::expm1(-dt / tau_m) * (cell.v_rest_mv - cell.v_threshold_mv) * 4194304.0;
        REQUIRE(std::fabs(constants.membrane.drift - drift) <=
                1.0 + 1e-6); // half a unit for the floors, half to nearest
        REQUIRE(constants.reset.v == -20 * 4194304);
        REQUIRE(constants.refractory.after_spike == std::lround(2.0 / dt) - 1);
      }
}

TEST_CASE("lif: equal time constants are a regular case", "[kernels][lif]") {
  LifCell cell = usual;
  cell.tau_exc_ms = cell.tau_m_ms;
  const auto coupling = [&] {
    const auto made = made_of<Lif<2>>(cell, 0.1).value();
    const auto& scale = made.constants.synapses.shared;
    return std::ldexp(made.units[0], scale.input_shift[0] - 22 - scale.psp_shift);
  };
  const double at = coupling();
  CHECK(at == Approx(0.1 / 0.25 * std::exp(-0.1 / 20.0)).epsilon(1e-13));
  cell.tau_exc_ms = std::nextafter(20.0, 30.0);
  CHECK(coupling() == Approx(at).epsilon(1e-13));
}

TEST_CASE("lif: capacitance and resistance describe the same cell", "[kernels][lif]") {
  LifCell by_resistance = usual;
  by_resistance.c_m_nf = 0.0;
  by_resistance.r_m_mohm = 80.0; // 20 ms / 0.25 nF
  const auto one = made_of<Lif<2>>(usual, 0.1).value(), other = made_of<Lif<2>>(by_resistance, 0.1).value();
  CHECK(one.constants.membrane.drift == other.constants.membrane.drift);
  CHECK(one.constants.membrane.decay == other.constants.membrane.decay);
  CHECK(one.constants.synapses.shared.input_shift == other.constants.synapses.shared.input_shift);
  CHECK(one.units == other.units);
}

TEST_CASE("lif: constants are the same at compile time and at run time", "[kernels][lif]") {
  constexpr auto compiled = made_of<Lif<2>>(usual, 0.1);
  STATIC_REQUIRE(compiled.ok());
  volatile double dt = 0.1;
  LifCell cell = usual;
  volatile double tau = cell.tau_exc_ms;
  cell.tau_exc_ms = tau;
  const auto computed = made_of<Lif<2>>(cell, dt);
  const auto &one = compiled.value().constants, &other = computed.value().constants;
  CHECK(one.membrane.decay == other.membrane.decay);
  CHECK(one.membrane.drift == other.membrane.drift);
  CHECK(one.synapses[0] == other.synapses[0]);
  CHECK(one.synapses[1] == other.synapses[1]);
  CHECK(one.reset.v == other.reset.v);
  CHECK(compiled.value().units == computed.value().units);
}

TEST_CASE("lif: constants and weights keep at least 14 significant bits", "[kernels][lif]") {
  for (const double dt : {0.1, 1.0}) {
    const LifWeights weights{0.0162, 0.09, 16};
    const auto made = made_of<Lif<2>>(usual, dt, weights).value();
    CHECK(-made.constants.membrane.decay >= 1 << 14);
    CHECK(-made.constants.synapses[0] >= 1 << 14);
    // Coupling is an addition; its constant went into the weights, which must keep their bits.
    for (const std::uint32_t receptor : {0U, 1U}) {
      const auto weight = Lif<2>::weight(made, receptor, receptor == 0 ? 0.0162 : 0.09);
      REQUIRE(weight.ok());
      CHECK(weight.value() >= 1 << 14);
      CHECK(weight.value() < 1 << 16);
    }
  }
}

TEST_CASE("lif: rest and current that are far out of range are refused, even where they cancel out", "[kernels][lif]") {
  const auto status = [](double rest, double current) {
    return made_of<Lif<2>>({.r_m_mohm = 80.0, .v_rest_mv = rest, .i_offset_na = current}, 0.1).status();
  };
  CHECK(status(-65.0, 0.5).ok());
  CHECK(status(-800.0, 9.0).ok()); // 750 mV below, 720 mV up
  CHECK(status(3000.0, 100.0) == Status{Error::parameter_out_of_range, 0, 3000.0, "membrane.v_rest_mv"});
  CHECK(status(-3000.0, 40.0) == Status{Error::parameter_out_of_range, 0, -3000.0, "membrane.v_rest_mv"});
  CHECK(status(-1e300, 1e5) == Status{Error::parameter_out_of_range, 0, -1e300, "membrane.v_rest_mv"});
  CHECK(status(-800.0, 100.0) == Status{Error::parameter_out_of_range, 0, 100.0, "membrane.i_offset_na"});
  CHECK(status(-65.0, -100.0) == Status{Error::parameter_out_of_range, 0, -100.0, "membrane.i_offset_na"});
  CHECK(status(-400.0, 0.0) == Status{Error::parameter_out_of_range, 0, -400.0, "membrane.v_rest_mv"});
  CHECK(std::string(status(std::nan(""), 0.0).parameter) == "membrane.v_rest_mv");
}

TEST_CASE("lif: a weight unit is a shift that every backend has", "[kernels][lif]") {
  // one bit for a weight of half the word
  const LifCell cell{.tau_m_ms = 20.0, .c_m_nf = 0.25};
  const auto fine = made_of<Lif<2>>(cell, 0.1, {0.1, 0.1, 16}).value();
  const double word_na = 2147483648.0 / std::ldexp(fine.units[0], fine.constants.synapses.shared.input_shift[0]);
  CHECK(made_of<Lif<2>>(cell, 0.1, {0.7 * word_na, 0.1, 2}).ok());
  CHECK(made_of<Lif<2>>(cell, 0.1, {0.7 * word_na, 0.1, 1}).status() ==
        Status{Error::weight_out_of_range, 0, 0.7 * word_na, "synapses.weights.largest"});
  CHECK(made_of<Lif<2>>(cell, 0.1, {0.1, 0.7 * word_na, 1}).status().where == 1);
}

TEST_CASE("lif: impossible parameters are refused by name", "[kernels][lif]") {
  const auto status = [](const LifCell& cell, double dt, LifWeights weights = {}) {
    return made_of<Lif<2>>(cell, dt, weights).status();
  };
  LifCell cell = usual;
  CHECK(status(cell, 0.0) == Status{Error::parameter_not_positive, 0, 0.0, "dt_ms"});
  CHECK(status(cell, std::nan("")) == Status{Error::parameter_out_of_range, 0, std::nan(""), "dt_ms"});
  cell.tau_m_ms = -20.0;
  CHECK(status(cell, 0.1) == Status{Error::parameter_not_positive, 0, -20.0, "membrane.tau_ms"});
  cell = usual, cell.tau_exc_ms = 0.1;
  CHECK(status(cell, 0.1) == Status{Error::time_constant_too_short, 0, 0.1, "synapses.tau_ms"});
  cell = usual, cell.tau_inh_ms = 1e9;
  CHECK(status(cell, 0.1) == Status{Error::time_constant_too_long, 1, 1000000000.0, "synapses.tau_ms"});
  cell = usual, cell.r_m_mohm = 80.0; // both given
  CHECK(status(cell, 0.1) == Status{Error::parameters_contradict, 0, 80.0, "membrane.r_mohm"});
  cell = usual, cell.c_m_nf = 0.0; // neither
  CHECK(status(cell, 0.1) == Status{Error::parameters_contradict, 0, 0.0, "membrane.r_mohm"});
  cell = usual, cell.c_m_nf = -1.0;
  CHECK(status(cell, 0.1) == Status{Error::parameter_not_positive, 0, -1.0, "membrane.c_nf"});
  cell = usual, cell.c_m_nf = std::nan("");
  CHECK(std::string(status(cell, 0.1).parameter) == "membrane.c_nf");
  cell = usual, cell.i_offset_na = std::nan("");
  CHECK(std::string(status(cell, 0.1).parameter) == "membrane.i_offset_na");
  CHECK(status(usual, 0.1, {1.0, 1.0, 0}) == Status{Error::parameter_out_of_range, 0, 0, "synapses.weights.bits"});
  CHECK(status(usual, 0.1, {1.0, 1.0, 32}) == Status{Error::parameter_out_of_range, 0, 32, "synapses.weights.bits"});
  const auto other = [](auto change) {
    auto parameters = parameters_of<Lif<2>>(usual, {});
    change(parameters);
    return Lif<2>::make(parameters, 0.1).status();
  };
  CHECK(other([](auto& of) { of.reset.v_mv = -50.0; }) == // not below the threshold
        Status{Error::parameter_out_of_range, 0, -50.0, "reset.v_mv"});
  CHECK(other([](auto& of) { of.reset.v_mv = -600.0; }) ==
        Status{Error::parameter_out_of_range, 0, -600.0, "reset.v_mv"});
  CHECK(other([](auto& of) { of.membrane.v_initial_mv = -50.0; }) ==
        Status{Error::parameter_out_of_range, 0, -50.0, "membrane.v_initial_mv"});
  CHECK(other([](auto& of) { of.refractory.period_ms = -1.0; }) ==
        Status{Error::parameter_out_of_range, 0, -1.0, "refractory.period_ms"});
  CHECK(status(usual, 0.1, {-1.0, 1.0, 16}) ==
        Status{Error::parameter_not_positive, 0, -1.0, "synapses.weights.largest"});
  CHECK(status(usual, 0.1, {1.0, 1000.0, 16}) ==
        Status{Error::weight_out_of_range, 1, 1000.0, "synapses.weights.largest"});
}

TEST_CASE("lif: a weight that would vanish or not fit is refused", "[kernels][lif]") {
  const auto made = made_of<Lif<2>>(usual, 0.1, {0.1, 0.1, 16}).value();
  CHECK(Lif<2>::weight(made, 0, 0.0).value() == 0);
  CHECK(Lif<2>::weight(made, 0, 0.0).ok());
  CHECK(Lif<2>::weight(made, 0, 1e-9).status() == Status{Error::weight_vanishes, 0, 1e-9, "magnitude"});
  CHECK(Lif<2>::weight(made, 1, -0.1).status() == Status{Error::weight_out_of_range, 1, -0.1, "magnitude"});
  CHECK(Lif<2>::weight(made, 1, 1e9).status() == Status{Error::weight_out_of_range, 1, 1e9, "magnitude"});
}

TEST_CASE("lif: membranes stay near the exact solution over 10 s", "[kernels][lif]") {
  LifCell equal = usual;
  equal.tau_m_ms = equal.tau_exc_ms = equal.tau_inh_ms = 10.0;
  equal.c_m_nf = 0.5;
  LifCell paper = usual; // the cell of the paper's section 2.1
  paper.tau_m_ms = 10.0, paper.tau_exc_ms = 2.0, paper.tau_inh_ms = 2.0;
  const double seconds = sanitized ? 1.0 : 10.0;
  for (const double dt : {0.1, 1.0}) {
    INFO("dt " << dt);
    const double down = largest_error<Lif<2>>(usual, dt, seconds, 16),
                 nearest = largest_error<Lif<2, rounding::Nearest>>(usual, dt, seconds, 16),
                 equal_taus = largest_error<Lif<1, rounding::Nearest>>(equal, dt, seconds, 16),
                 short_taus = largest_error<Lif<1>>(paper, dt, seconds, 16),
                 packed = largest_error<PackedLif>(usual, dt, seconds, 12),
                 compact = largest_error<CompactLif<1>>(one_tau_cell, dt, seconds, 20),
                 compact_two = largest_error<CompactLif<2>>(usual, dt, seconds, 20);
    std::printf("dt %.1f ms: error / (threshold - rest): down %.2e, nearest %.2e, equal taus %.2e, short taus %.2e, "
                "packed %.2e, compact %.2e, of two %.2e\n",
                dt, down, nearest, equal_taus, short_taus, packed, compact, compact_two);
    for (const double exact : {down, nearest, equal_taus, short_taus, compact, compact_two}) CHECK(exact < 1e-4);
    CHECK(packed < 1e-3);
  }
}

TEMPLATE_TEST_CASE("lif: any cell stays as close to the exact solution as its time constants allow", "[kernels][lif]",
                   Lif<1>, Lif<2>, (Lif<1, rounding::Nearest>), (Lif<2, rounding::Nearest>)) {
  double most = 0.0;
  int accepted = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 30 : 300)) {
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return low * std::pow(high / low, static_cast<double>(random()) / 4294967295.0);
    };
    constexpr bool two = TestType::word_count == 3;
    const double dt = between(0.01, 1.0), longest = random() % 2 == 0 ? 1e3 : 1e7;
    LifCell cell{};
    cell.tau_m_ms = dt * between(1.45, longest);
    cell.tau_exc_ms = dt * between(1.45, longest);
    cell.r_m_mohm = between(1.0, 1000.0);
    cell.v_rest_mv = -50.0 - between(0.1, 250.0);
    cell.v_reset_mv = -50.0 - between(0.01, 500.0);
    cell.tau_inh_ms = two ? dt * between(1.45, longest) : cell.tau_exc_ms;
    const auto largest = [&](double tau) { return between(1e-3, 10.0) / cell.r_m_mohm * cell.tau_m_ms / tau; };
    const double excitatory = largest(cell.tau_exc_ms), inhibitory = largest(cell.tau_inh_ms);
    const auto made = made_of<TestType>(cell, dt, {excitatory, inhibitory, 16});
    if (!made.ok()) continue;
    ++accepted;
    const auto& scale = made.value().constants.synapses.shared;
    const Exact exact(cell, static_cast<long double>(dt));
    // weights are those that were rounded
    std::array<long double, 2> unit{};
    for (std::size_t which = 0; which < 2; ++which) {
      int shift = 0;
      if constexpr (two)
        shift = scale.input_shift[which];
      else
        shift = scale.input_shift;
      unit[which] = std::ldexp(1.0L, shift - 22 - scale.psp_shift);
    }
    constexpr std::size_t count = 4;
    Cells<TestType> cells(count, made.value());
    std::array<long double, count> v{};
    std::array<std::array<long double, 2>, count> psp{};
    std::array<bool, count> over{};
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      const double mv = neuron == 0 ? cell.v_rest_mv : -50.0 - between(0.1, 500.0);
      cells.membrane()[neuron] = made.value().making.word_of(mv, "v").value();
      v[neuron] = static_cast<long double>(cells.membrane()[neuron]) / 4194304;
    }
    const double memory = 1.0 / static_cast<double>(1 - exact.membrane);
    const auto steps = static_cast<std::uint32_t>(std::fmin(3.0 * memory, random() % 16 == 0 ? 200000.0 : 2000.0));
    long double far = 0.0L, worst = 0.0L;
    for (std::uint32_t step_number = 1; step_number <= steps; ++step_number) {
      for (std::size_t neuron = 0; neuron < count; ++neuron) {
        if (over[neuron]) continue;
        v[neuron] = exact.rest + 50 + (v[neuron] - exact.rest - 50) * exact.membrane + psp[neuron][0] - psp[neuron][1];
        over[neuron] = v[neuron] >= 0;
        far = std::max(far, std::fabs(v[neuron]));
        for (std::size_t which = 0; which < 2; ++which) {
          const std::uint32_t units = random() % 50 == 0 && neuron != 0 ? random() % 65536 : 0;
          cells.input[which][neuron] = static_cast<std::int32_t>(units);
          psp[neuron][which] = psp[neuron][which] * exact.decay[which] + units * unit[which];
        }
      }
      const auto counts = cells.step(step_number);
      for (std::uint32_t spike = 0; spike < counts.spikes; ++spike) over[cells.spikes[spike]] = true;
      if (counts.saturations != 0) break;
      for (std::size_t neuron = 0; neuron < count; ++neuron)
        if (!over[neuron])
          worst = std::max(worst, std::fabs(static_cast<long double>(cells.membrane()[neuron]) / 4194304 - v[neuron]));
    }
    const double bound = 5e-5 * static_cast<double>(far) + std::ldexp(memory, -21);
    INFO("seed " << seed << ", tau_m " << cell.tau_m_ms / dt << " steps, at most " << static_cast<double>(far)
                 << " mV below the threshold, wrong by " << static_cast<double>(worst) << " mV of " << bound);
    REQUIRE(static_cast<double>(worst) <= bound);
    most = std::max(most, static_cast<double>(worst) / bound);
  }
  std::printf("any cell: %d, at most %.2f of the bound\n", accepted, most);
  CHECK(accepted > (sanitized ? 20 : 200));
}

TEMPLATE_TEST_CASE("lif: a neuron rests as near to the exact potential as its unit allows, however coarse that is",
                   "[kernels][lif]", Lif<1>, Lif<2>, (Lif<2, rounding::Nearest>), CompactLif<1>, CompactLif<2>) {
  double most = 0.0;
  int coarse = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 20 : 200)) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const double dt = random() % 2 == 0 ? 0.1 : 1.0, tau_m = static_cast<double>(5 + random() % 18);
    typename TestType::Parameters given{.membrane = {.tau_ms = tau_m, .c_nf = tau_m / 80.0}};
    given.membrane.i_offset_na = static_cast<double>(random() % 180) / 1024.0;
    constexpr bool is_compact = TestType::Refractory::has_queue;
    ReceptorWeights weights{.largest = static_cast<double>(1 + random() % 64) / 64.0};
    if (is_compact) weights.bits = 14 + static_cast<unsigned>(random() % 8);
    if (random() % 2 == 0) weights.drive_mv = static_cast<double>(1 << random() % 20);
    given.synapses.weights.fill(weights);
    if constexpr (std::is_same_v<TestType, Lif<1>>)
      given.synapses.tau_ms = 5.0;
    else
      given.synapses.tau_ms.fill(5.0);
    const auto made = TestType::make(given, dt);
    if (!made) continue;
    coarse += made.value().making.unit_bits < 16 ? 1 : 0;
    static Population<TestType, 1> population(made.value());
    population = Population<TestType, 1>(made.value());
    std::array<std::int32_t, 2> sums{};
    std::array<std::int32_t*, TestType::receptors> pointers{};
    for (std::size_t which = 0; which < TestType::receptors; ++which) pointers[which] = &sums[which];
    const double exact = -65.0 + 80.0 * given.membrane.i_offset_na;
    const double units = 2.0 / -std::expm1(-dt / tau_m);
    const double bound = 5e-5 * (-50.0 - exact) + std::ldexp(units, -made.value().making.unit_bits);
    for (std::uint32_t step = 0; step < 20 * tau_m / dt; ++step) REQUIRE(population.step(pointers, step).empty());
    for (std::uint32_t step = 0; step < 100; ++step) {
      (void)population.step(pointers, 100000 + step);
      const double off = std::fabs(population.value(place_of<TestType>.membrane.v, 0) - exact);
      REQUIRE(off <= bound);
      most = std::max(most, off / bound);
    }
  }
  std::printf("rest: at most %.2f of the bound, %d in coarse units\n", most, coarse);
  CHECK(coarse > 2);
  CHECK(most > 0.1);
}

TEST_CASE("lif: a decaying psp keeps its time constant although factors have 16 bits", "[kernels][lif]") {
  // exp(-0.1/20) in 16 bits alone would be wrong by up to 1.5e-3 of the time constant
  using Model = Lif<2, rounding::Nearest>;
  LifCell cell = usual;
  cell.tau_exc_ms = 20.3;
  const auto made = made_of<Model>(cell, 0.1).value();
  Cells<Model> cells(1, made);
  cells.psp(0)[0] = 1 << 30;
  cells.membrane()[0] = INT32_MIN / 2;
  for (std::uint32_t step_number = 1; step_number <= 1000; ++step_number) {
    cells.step(step_number);
    const double exact = std::exp(-0.1 * step_number / 20.3) * (1 << 30);
    INFO("step " << step_number);
    REQUIRE(std::fabs(cells.psp(0)[0] / exact - 1.0) < 4e-5);
  }
}

TEST_CASE("lif: a spike acts exactly delay steps later", "[kernels][lif]") {
  // Input consumed at step n is there from t = n dt on: the psp changes at n, the membrane at n + 1.
  const auto made = made_of<Lif<2>>(usual, 0.1).value();
  const auto& scale = made.constants.synapses.shared;
  Cells<Lif<2>> with(1, made), without = with;
  with.membrane()[0] = without.membrane()[0] = -1000000;
  with.input[0][0] = 1000;
  for (auto* cells : {&with, &without}) cells->step(5);
  CHECK(with.membrane()[0] == without.membrane()[0]);
  CHECK(with.psp(0)[0] == 1000 << scale.input_shift[0]);
  CHECK(with.input[0][0] == 0);
  for (auto* cells : {&with, &without}) cells->step(6);
  CHECK(with.membrane()[0] - without.membrane()[0] == (1000 << scale.input_shift[0]) >> scale.psp_shift);
}

TEMPLATE_TEST_CASE("lif: the refractory period lasts exactly what the parameter says", "[kernels][lif]", Lif<1>, Lif<2>,
                   PackedLif, CompactLif<1>, CompactLif<2>) {
  for (const int refractory_steps : {0, 1, 2, 3, 20, 500}) {
    LifCell cell = one_tau_cell;
    cell.t_refract_ms = refractory_steps * 0.1;
    cell.i_offset_na = 1.0; // rest becomes 15 mV above threshold
    const auto made = made_of<TestType>(cell, 0.1, {0.02, 0.02, 12}).value();
    // From reset the membrane crosses after the smallest n with rest + (reset - rest) exp(-n dt / tau) >= threshold.
    const double rest = -65.0 + 80.0;
    const int crossing = static_cast<int>(std::ceil(20.0 / 0.1 * std::log((rest + 70.0) / (rest + 50.0))));
    Population<TestType, 3> population(made);
    std::array<std::array<ElementOf<TestType>, 3>, TestType::receptors> input{};
    std::array<ElementOf<TestType>*, TestType::receptors> sums{};
    for (std::size_t receptor = 0; receptor < TestType::receptors; ++receptor) sums[receptor] = input[receptor].data();
    std::vector<std::uint32_t> times;
    for (std::uint32_t step_number = 1; times.size() < 4; ++step_number) {
      const auto fired = population.step(sums, step_number);
      REQUIRE((fired.empty() || fired.size() == 3));
      if (!fired.empty()) times.push_back(step_number);
      // in its refractory period a neuron shows its reset
      const bool waits = !times.empty() && step_number - times.back() < static_cast<std::uint32_t>(refractory_steps);
      const double shown = population.value(place_of<TestType>.membrane.v, 1);
      if (waits) REQUIRE(shown == Approx(-70.0).margin(1e-5));
      REQUIRE((shown >= -70.0001 && shown < -50.0));
    }
    INFO(refractory_steps << " refractory steps, " << crossing << " to cross");
    CHECK(times[0] == static_cast<std::uint32_t>(crossing));
    for (std::size_t spike = 1; spike < times.size(); ++spike)
      CHECK(times[spike] - times[spike - 1] == static_cast<std::uint32_t>(refractory_steps + crossing));
  }
}

TEST_CASE("lif: input during the refractory period is kept in the psp", "[kernels][lif]") {
  const auto made = made_of<Lif<2>>(usual, 0.1).value();
  Cells<Lif<2>> cells(1, made);
  cells.membrane()[0] = 10;
  cells.input[0][0] = 500;
  cells.step(1);
  CHECK(cells.membrane()[0] == 9);
  CHECK(cells.psp(0)[0] == 500 << made.constants.synapses.shared.input_shift[0]);
}

TEMPLATE_TEST_CASE("lif: no input, however large, makes the membrane wrap", "[kernels][lif]", Lif<1>, Lif<2>,
                   (Lif<1, rounding::Nearest>), (Lif<2, rounding::Nearest>), PackedLif, CompactLif<2>) {
  constexpr std::int32_t most = neuron_battery::is_packed<TestType> ? 65535 : (1 << 30) - 1;
  const std::uint32_t steps = sanitized ? 4000 : 20000;
  for (const double dt : {0.1, 1.0})
    for (const double rest : {-100.0, -65.0, -50.5, -40.0}) {
      LifCell cell = one_tau_cell;
      cell.v_rest_mv = rest;
      const auto made = made_of<TestType>(cell, dt, {0.02, 0.05, 12}).value();
      Cells<TestType> cells(40, made);
      std::uint64_t saturations = 0;
      for (std::uint32_t step_number = 1; step_number < steps; ++step_number) {
        std::fill(cells.input[1].begin(), cells.input[1].end(), static_cast<ElementOf<TestType>>(most));
        const auto counts = cells.step(step_number);
        saturations += counts.saturations;
        INFO("dt " << dt << " rest " << rest << " step " << step_number);
        REQUIRE(counts.spikes == 0);
        REQUIRE(cells.membrane()[0] < 0);
        if (step_number > 200) REQUIRE(cells.membrane()[0] < made.constants.reset.v);
        REQUIRE(cells.membrane()[0] == cells.membrane()[39]);
      }
      CHECK(saturations > (steps - 1000U) * 40U); // every one counted
    }
}

TEST_CASE("lif: a psp is held at its end and counted, not wrapped", "[kernels][lif]") {
  const auto made = made_of<Lif<2>>(usual, 0.1).value();
  Cells<Lif<2>> cells(33, made);
  cells.psp(0)[31] = INT32_MAX;
  cells.input[0][31] = 1 << 29;
  cells.psp(1)[32] = INT32_MAX - 5; // decays by more than what arrives: no saturation
  cells.input[1][32] = 1;
  std::fill(cells.membrane().begin(), cells.membrane().end(), -(1 << 28));
  CHECK(cells.step(1).saturations == 1);
  CHECK(cells.psp(0)[31] == INT32_MAX);
  CHECK(cells.psp(1)[32] < INT32_MAX - 5);
}

TEST_CASE("lif: a neuron with constants of its own shows its own reset while it waits", "[kernels][lif]") {
  using Model =
      Neuron<membrane::Lif, synapse::Exponential<2>, PerNeuron<reset::ToValue>, PerNeuron<refractory::InMembrane>>;
  auto parameters = parameters_of<Model>(usual, {0.1, 0.1, 16});
  parameters.membrane.i_offset_na = 1.0;
  Population<Model, 2> population(Model::make(parameters, 0.1).value());
  parameters.reset.v_mv = -60.0;
  REQUIRE(population.set(1, parameters).ok());
  std::array<std::array<std::int32_t, 2>, 2> input{};
  std::array<bool, 2> fired{};
  for (std::uint32_t step = 1; !fired[0] || !fired[1]; ++step)
    for (const std::uint32_t neuron : population.step(std::array{input[0].data(), input[1].data()}, step)) {
      fired[neuron] = true;
      CHECK(population.value(place_of<Model>.membrane.v, neuron) == Approx(neuron == 0 ? -70.0 : -60.0).margin(1e-5));
      REQUIRE(step < 10000);
    }
}

TEST_CASE("lif: runs at compile time", "[kernels][lif]") {
  constexpr auto fired = [] {
    constexpr auto made = made_of<Lif<2>>(usual, 0.1).value();
    std::array<std::int32_t, 3> membrane{-1, -100000000, 3}, exc{1 << 30, 0, 0}, inh{};
    std::array<std::int32_t, 3> in_exc{}, in_inh{};
    std::array<std::uint32_t, 3> spikes{99, 99, 99};
    Lif<2>::Columns columns{};
    columns.words = {membrane.data(), exc.data(), inh.data()};
    const auto counts =
        Lif<2>::step(columns, 3, made.constants, std::array{in_exc.data(), in_inh.data()}, 1, spikes.data());
    return std::array{counts.spikes, spikes[0], static_cast<std::uint32_t>(membrane[2])};
  }();
  STATIC_REQUIRE(fired == std::array<std::uint32_t, 3>{1, 0, 2});
}

TEMPLATE_TEST_CASE("lif: takes 16-bit ring buffer elements as it takes 32-bit ones", "[kernels][lif]", std::int16_t,
                   std::uint16_t) {
  const auto made = made_of<Lif<2>>(usual, 0.1).value();
  std::mt19937 random(15);
  Cells<Lif<2>> wide(50, made);
  NeuronColumns<Lif<2>, TestType> narrow(50, made);
  for (std::uint32_t step_number = 1; step_number < 200; ++step_number) {
    for (std::size_t type = 0; type < 2; ++type)
      for (std::size_t neuron = 0; neuron < 50; ++neuron)
        wide.input[type][neuron] = narrow.input[type][neuron] = static_cast<TestType>(random());
    wide.step(step_number);
    narrow.step(step_number);
    REQUIRE(narrow.words == wide.words);
    REQUIRE(narrow.input[0] == std::vector<TestType>(50));
  }
}

TEST_CASE("packed_lif: spikes, waits and resets as Lif does", "[kernels][lif]") {
  LifCell cell = usual;
  cell.i_offset_na = 1.0;
  Population<PackedLif, 3> packed(made_of<PackedLif>(cell, 0.1, {0.02, 0.05, 11}).value());
  Population<Lif<2>, 3> full(made_of<Lif<2>>(cell, 0.1, {0.02, 0.05, 16}).value());
  RingBuffer<SynapticWord<8, 1, 3>, std::uint16_t> ring;
  RingBuffer<SynapticWord<8, 1, 3>> wide_ring;
  std::uint32_t spikes = 0;
  for (std::uint32_t step_number = 1; step_number < 3000; ++step_number) {
    const auto fired = packed.step(ring, step_number), as = full.step(wide_ring, step_number);
    REQUIRE(std::ranges::equal(fired, as));
    spikes += static_cast<std::uint32_t>(fired.size());
  }
  CHECK(spikes > 30);
}
