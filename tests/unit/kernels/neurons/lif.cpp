// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <neuromorph/kernels/neurons/lif.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/lif_accuracy.hpp"
#include "tests/support/lif_cells.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

/// Physical values as long doubles and the exact solution over one step; knows nothing of fixed point.
struct Exact {
  long double membrane, from_exc, from_inh, exc, inh, rest, threshold;

  Exact(const LifCell& cell, long double dt) {
    const long double c_nf = cell.c_m_nf != 0.0 ? cell.c_m_nf : cell.tau_m_ms / static_cast<long double>(cell.r_m_mohm);
    membrane = std::exp(-dt / static_cast<long double>(cell.tau_m_ms));
    exc = std::exp(-dt / static_cast<long double>(cell.tau_exc_ms));
    inh = std::exp(-dt / static_cast<long double>(cell.tau_inh_ms));
    from_exc = coupling(static_cast<long double>(cell.tau_m_ms), static_cast<long double>(cell.tau_exc_ms), dt) / c_nf;
    from_inh = coupling(static_cast<long double>(cell.tau_m_ms), static_cast<long double>(cell.tau_inh_ms), dt) / c_nf;
    rest = cell.v_rest_mv + cell.i_offset_na * static_cast<long double>(cell.tau_m_ms) / c_nf;
    threshold = cell.v_threshold_mv;
  }
  static long double coupling(long double tau_m, long double tau_s, long double dt) {
    if (tau_m == tau_s) return dt * std::exp(-dt / tau_m);
    return (std::exp(-dt / tau_m) - std::exp(-dt / tau_s)) * tau_m * tau_s / (tau_m - tau_s);
  }
};

/// A population with memory of its own, for tests.
template <class Model>
struct Cells {
  explicit Cells(std::size_t count)
      : membrane(count, -1), spikes(count), input{std::vector<std::int32_t>(count), std::vector<std::int32_t>(count)} {
    for (auto& column : psp) column.assign(count, 0);
  }
  typename Model::State state() {
    typename Model::State views{};
    views.membrane = membrane;
    for (std::size_t which = 0; which < Model::psp_count; ++which) views.psp[which] = psp[which];
    return views;
  }
  template <class Target = target::Native, class Source>
  StepCounts step(const Source& constants, std::uint32_t step_number) {
    const auto counts = Model::template step<Target>(state(), constants, std::array{input[0].data(), input[1].data()},
                                                     step_number, spikes);
    REQUIRE(counts.ok());
    return counts.value();
  }
  std::vector<std::int32_t> membrane;
  std::array<std::vector<std::int32_t>, Model::psp_count> psp;
  std::vector<std::uint32_t> spikes;
  std::array<std::vector<std::int32_t>, 2> input;
};

constexpr LifCell usual = two_tau_cell;

/// Largest distance from the exact solution over `seconds`, as a share of threshold - rest, for 64 neurons under
/// random excitation and inhibition that stays below threshold.
template <class Model>
double largest_error(const LifCell& cell, double dt_ms, double seconds) {
  const LifWeightRange range{0.02, 0.05, 16};
  const auto parameters = Model::parameters(cell, dt_ms, range).value();
  const Exact exact(cell, static_cast<long double>(dt_ms));
  constexpr std::size_t count = 64;
  Cells<Model> cells(count);
  const std::array<std::uint32_t, 2> weight{Model::weight(parameters, Receptor::excitatory, 0.02).value(),
                                            Model::weight(parameters, Receptor::inhibitory, 0.05).value()};
  std::vector<long double> v(count, static_cast<long double>(cell.v_rest_mv)), e(count), i(count);
  std::fill(cells.membrane.begin(), cells.membrane.end(), Model::membrane(parameters, cell.v_rest_mv).value());
  std::mt19937 random(12);
  const double chance_e = 0.6 * dt_ms, chance_i = 0.15 * dt_ms; // events per step
  double worst = 0.0;
  const auto steps = static_cast<std::uint32_t>(seconds * 1000.0 / dt_ms);
  for (std::uint32_t step_number = 1; step_number <= steps; ++step_number) {
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      const bool spike_e = static_cast<double>(random()) < chance_e * 4294967296.0;
      const bool spike_i = static_cast<double>(random()) < chance_i * 4294967296.0;
      v[neuron] = exact.rest + (v[neuron] - exact.rest) * exact.membrane + e[neuron] * exact.from_exc -
                  i[neuron] * exact.from_inh;
      e[neuron] = e[neuron] * exact.exc + (spike_e ? 0.02L : 0.0L);
      i[neuron] = i[neuron] * exact.inh + (spike_i ? 0.05L : 0.0L);
      if (spike_e) cells.input[0][neuron] = static_cast<std::int32_t>(weight[0]);
      if (spike_i) cells.input[1][neuron] = static_cast<std::int32_t>(weight[1]);
    }
    const auto counts = cells.step(parameters, step_number);
    REQUIRE(counts.spikes == 0);
    REQUIRE(counts.saturations == 0);
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      const long double fixed =
          static_cast<long double>(cells.membrane[neuron]) / (1 << 22) + static_cast<long double>(cell.v_threshold_mv);
      worst = std::max(worst, static_cast<double>(std::fabs(fixed - v[neuron])));
    }
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
        const auto parameters = Lif<2>::parameters(cell, dt, {0.1, 0.1, 16});
        INFO("dt " << dt << " tau_m " << tau_m << " tau_s " << tau_s);
        REQUIRE(parameters.ok());
        const auto& constants = parameters.value().constants;
        const auto q32 = [&](double tau) { return std::expm1(-static_cast<long double>(dt) / tau) * 4294967296.0L; };
        REQUIRE(std::fabs(constants.membrane_decay - q32(tau_m)) <= 0.5L + 1e-6L);
        REQUIRE(std::fabs(constants.psp_decay[0] - q32(tau_s)) <= 0.5L + 1e-6L);
        REQUIRE(std::fabs(constants.psp_decay[1] - q32(10.0)) <= 0.5L + 1e-6L);
        const double rate = 1.0 / tau_m - 1.0 / tau_s;
        const double shape = rate == 0.0 ? dt : std::expm1(rate * dt) / rate;
        const double coupling = std::exp(-dt / tau_m) * shape / cell.c_m_nf;
        REQUIRE(parameters.value().psp_per_na[0] == Approx(coupling).epsilon(1e-12));
        const double drift = -std::expm1(-dt / tau_m) * (cell.v_rest_mv - cell.v_threshold_mv) * 4194304.0;
        REQUIRE(std::fabs(constants.drift - drift) <= 1.0 + 1e-6); // half a unit for the floors, half for rounding
        REQUIRE(constants.reset == -20 * 4194304);
        REQUIRE(constants.after_spike == std::lround(2.0 / dt) - 1);
      }
}

TEST_CASE("lif: equal time constants are a regular case", "[kernels][lif]") {
  LifCell cell = usual;
  cell.tau_exc_ms = cell.tau_m_ms;
  const auto at = Lif<2>::parameters(cell, 0.1).value().psp_per_na[0];
  CHECK(at == Approx(0.1 / 0.25 * std::exp(-0.1 / 20.0)).epsilon(1e-13));
  cell.tau_exc_ms = std::nextafter(20.0, 30.0);
  CHECK(Lif<2>::parameters(cell, 0.1).value().psp_per_na[0] == Approx(at).epsilon(1e-13));
}

TEST_CASE("lif: capacitance and resistance describe the same cell", "[kernels][lif]") {
  LifCell by_resistance = usual;
  by_resistance.c_m_nf = 0.0;
  by_resistance.r_m_mohm = 80.0; // 20 ms / 0.25 nF
  const auto one = Lif<2>::parameters(usual, 0.1).value(), other = Lif<2>::parameters(by_resistance, 0.1).value();
  CHECK(one.constants == other.constants);
  CHECK(one.scale == other.scale);
}

TEST_CASE("lif: parameters are the same at compile time and at run time", "[kernels][lif]") {
  constexpr auto compiled = Lif<2>::parameters(usual, 0.1);
  STATIC_REQUIRE(compiled.ok());
  volatile double dt = 0.1;
  LifCell cell = usual;
  volatile double tau = cell.tau_exc_ms;
  cell.tau_exc_ms = tau;
  const auto computed = Lif<2>::parameters(cell, dt);
  CHECK(compiled.value().constants == computed.value().constants);
  CHECK(compiled.value().psp_per_na == computed.value().psp_per_na);
}

TEST_CASE("lif: constants and weights keep at least 14 significant bits", "[kernels][lif]") {
  for (const double dt : {0.1, 1.0}) {
    const LifWeightRange range{0.0162, 0.09, 16};
    const auto parameters = Lif<2>::parameters(usual, dt, range).value();
    CHECK(-parameters.constants.membrane_decay >= 1 << 14);
    CHECK(-parameters.constants.psp_decay[0] >= 1 << 14);
    // Coupling is an addition; its constant went into the weights, which must keep their bits.
    for (const auto receptor : {Receptor::excitatory, Receptor::inhibitory}) {
      const double largest = receptor == Receptor::excitatory ? range.excitatory_na : range.inhibitory_na;
      const auto weight = Lif<2>::weight(parameters, receptor, largest);
      REQUIRE(weight.ok());
      CHECK(weight.value() >= 1 << 14);
      CHECK(weight.value() < 1 << 16);
    }
  }
}

TEST_CASE("lif: rest and current that are far out of range are refused, even where they cancel out", "[kernels][lif]") {
  const auto status = [](double rest, double current) {
    return Lif<2>::parameters({.r_m_mohm = 80.0, .v_rest_mv = rest, .i_offset_na = current}, 0.1).status();
  };
  CHECK(status(-65.0, 0.5).ok());
  CHECK(status(-800.0, 9.0).ok()); // 750 mV below, 720 mV up
  CHECK(status(3000.0, 100.0) == Status{Error::parameter_out_of_range, 0, 3000.0, "v_rest_mv"});
  CHECK(status(-3000.0, 40.0) == Status{Error::parameter_out_of_range, 0, -3000.0, "v_rest_mv"});
  CHECK(status(-1e300, 1e5) == Status{Error::parameter_out_of_range, 0, -1e300, "v_rest_mv"});
  CHECK(status(-800.0, 100.0) == Status{Error::parameter_out_of_range, 0, 100.0, "i_offset_na"});
  CHECK(status(-65.0, -100.0) == Status{Error::parameter_out_of_range, 0, -100.0, "i_offset_na"});
  CHECK(status(-400.0, 0.0) == Status{Error::parameter_out_of_range, 0, -400.0, "v_rest_mv"});
  CHECK(std::string(status(std::nan(""), 0.0).parameter) == "v_rest_mv");
}

TEST_CASE("lif: a weight unit is a shift that every backend has", "[kernels][lif]") {
  // one bit for a weight of half the word
  const LifCell cell{.tau_m_ms = 20.0, .c_m_nf = 0.25};
  const auto fine = Lif<2>::parameters(cell, 0.1, {0.1, 0.1, 16}).value();
  const double word_na = 2147483648.0 / 4194304.0 / (1 << fine.scale.psp_shift) / fine.psp_per_na[0];
  CHECK(Lif<2>::parameters(cell, 0.1, {0.7 * word_na, 0.1, 2}).ok());
  CHECK(Lif<2>::parameters(cell, 0.1, {0.7 * word_na, 0.1, 1}).status().error == Error::weight_out_of_range);
  CHECK(std::string(Lif<2>::parameters(cell, 0.1, {0.1, 0.7 * word_na, 1}).status().parameter) == "inhibitory_na");
  // a table of cells whose psps differ by 2^22
  const std::array each{Lif<2>::parameters({.tau_m_ms = 0.2, .c_m_nf = 1e-3}, 0.1, {0.1, 0.1, 1}).value(),
                        Lif<2>::parameters({.tau_m_ms = 9e5, .c_m_nf = 1e3}, 0.1, {0.01, 0.01, 1}).value()};
  const LifScale common = Lif<2>::common_scale(each);
  CHECK(each[0].scale.input_shift[0] + common.psp_shift - each[0].scale.psp_shift > 30);
  CHECK(common.input_shift[0] == 30);
}

TEST_CASE("lif: impossible parameters are refused by number and name", "[kernels][lif]") {
  const auto status = [](LifCell cell, double dt, LifWeightRange range = {}) {
    return Lif<2>::parameters(cell, dt, range).status();
  };
  LifCell cell = usual;
  CHECK(status(cell, 0.0) == Status{Error::parameter_not_positive, 0, 0.0, "dt_ms"});
  CHECK(status(cell, std::nan("")) == Status{Error::parameter_out_of_range, 0, std::nan(""), "dt_ms"});
  cell.tau_m_ms = -20.0;
  CHECK(status(cell, 0.1) == Status{Error::parameter_not_positive, 0, -20.0, "tau_m_ms"});
  cell = usual, cell.tau_exc_ms = 0.1;
  CHECK(status(cell, 0.1) == Status{Error::time_constant_too_short, 0, 0.1, "tau_exc_ms"});
  cell = usual, cell.tau_inh_ms = 1e9;
  CHECK(status(cell, 0.1) == Status{Error::time_constant_too_long, 0, 1000000000.0, "tau_inh_ms"});
  cell = usual, cell.r_m_mohm = 80.0; // both given
  CHECK(status(cell, 0.1) == Status{Error::parameters_contradict, 0, 80.0, "r_m_mohm"});
  cell = usual, cell.c_m_nf = 0.0; // neither
  CHECK(status(cell, 0.1) == Status{Error::parameters_contradict, 0, 0.0, "r_m_mohm"});
  cell = usual, cell.c_m_nf = -1.0;
  CHECK(status(cell, 0.1) == Status{Error::parameter_not_positive, 0, -1.0, "c_m_nf"});
  cell = usual, cell.c_m_nf = std::nan("");
  CHECK(std::string(status(cell, 0.1).parameter) == "c_m_nf");
  cell = usual, cell.i_offset_na = std::nan("");
  CHECK(std::string(status(cell, 0.1).parameter) == "i_offset_na");
  CHECK(status(usual, 0.1, {1.0, 1.0, 0}) == Status{Error::parameter_out_of_range, 0, 0, "bits"});
  CHECK(status(usual, 0.1, {1.0, 1.0, 32}) == Status{Error::parameter_out_of_range, 0, 32, "bits"});
  cell = usual, cell.v_reset_mv = -50.0; // not below the threshold
  CHECK(status(cell, 0.1) == Status{Error::parameter_out_of_range, 0, -50.0, "v_reset_mv"});
  cell = usual, cell.v_reset_mv = -600.0;
  CHECK(status(cell, 0.1) == Status{Error::parameter_out_of_range, 0, -600.0, "v_reset_mv"});
  cell = usual, cell.v_rest_mv = -400.0;
  CHECK(status(cell, 0.1) == Status{Error::parameter_out_of_range, 0, -400.0, "v_rest_mv"});
  cell = usual, cell.t_refract_ms = -1.0;
  CHECK(status(cell, 0.1) == Status{Error::parameter_out_of_range, 0, -1.0, "t_refract_ms"});
  CHECK(status(usual, 0.1, {-1.0, 1.0, 16}) == Status{Error::parameter_not_positive, 0, -1.0, "excitatory_na"});
  CHECK(status(usual, 0.1, {1.0, 1000.0, 16}) == Status{Error::weight_out_of_range, 0, 1000.0, "inhibitory_na"});
  CHECK(Lif<1>::parameters(usual, 0.1).status().error == Error::parameters_contradict); // two time constants
}

TEST_CASE("lif: a weight that would vanish or not fit is refused", "[kernels][lif]") {
  const auto parameters = Lif<2>::parameters(usual, 0.1, {0.1, 0.1, 16}).value();
  CHECK(Lif<2>::weight(parameters, Receptor::excitatory, 0.0).value() == 0);
  CHECK(Lif<2>::weight(parameters, Receptor::excitatory, 0.0).ok());
  CHECK(Lif<2>::weight(parameters, Receptor::excitatory, 1e-9).status().error == Error::weight_vanishes);
  CHECK(Lif<2>::weight(parameters, Receptor::inhibitory, -0.1).status().error == Error::weight_out_of_range);
  CHECK(Lif<2>::weight(parameters, Receptor::inhibitory, 1e9).status().error == Error::weight_out_of_range);
}

TEST_CASE("lif: membranes convert to millivolts and back, within range only", "[kernels][lif]") {
  const auto parameters = Lif<2>::parameters(usual, 0.1).value();
  CHECK(Lif<2>::membrane_mv(parameters, Lif<2>::membrane(parameters, -65.25).value()) == -65.25);
  CHECK(Lif<2>::membrane_mv(parameters, 7) == -70.0); // refractory: at reset
  CHECK(Lif<2>::membrane(parameters, -50.0).status().error == Error::parameter_out_of_range);
  CHECK(Lif<2>::membrane(parameters, -562.0).value() == INT32_MIN);
  CHECK(Lif<2>::membrane(parameters, -562.1).status().error == Error::parameter_out_of_range);
}

TEST_CASE("lif: stays within 1e-4 of threshold - rest of the exact solution over 10 s", "[kernels][lif]") {
  LifCell equal = usual;
  equal.tau_m_ms = equal.tau_exc_ms = equal.tau_inh_ms = 10.0;
  equal.c_m_nf = 0.5;
  LifCell paper = usual; // the cell of the paper's section 2.1
  paper.tau_m_ms = 10.0, paper.tau_exc_ms = 2.0, paper.tau_inh_ms = 2.0;
  for (const double dt : {0.1, 1.0}) {
    INFO("dt " << dt);
    // docs/neurons.md states these bounds; the requirement is 1e-3
    const double down = largest_error<Lif<2>>(usual, dt, 10.0);
    const double nearest = largest_error<Lif<2, rounding::Nearest>>(usual, dt, 10.0);
    const double equal_taus = largest_error<Lif<1, rounding::Nearest>>(equal, dt, 10.0);
    const double short_taus = largest_error<Lif<1>>(paper, dt, 10.0);
    std::printf("dt %.1f ms: error / (threshold - rest): down %.2e, nearest %.2e, equal taus %.2e, short taus %.2e\n",
                dt, down, nearest, equal_taus, short_taus);
    CHECK(down < 1e-4);
    CHECK(nearest < 1e-4);
    CHECK(equal_taus < 1e-4);
    CHECK(short_taus < 1e-4);
    // weights of 0.1 to 1 of the largest
    const double seconds = sanitized ? 0.5 : 3.0;
    const auto two = accuracy::error_of_random_cells<Lif<2>>(dt, seconds, 16, 2.0),
               one = accuracy::error_of_random_cells<Lif<1, rounding::Nearest>>(dt, seconds, 16, 2.0);
    std::printf("dt %.1f ms, random cells: %.2e, one time constant %.2e\n", dt, two.worst, one.worst);
    CHECK((two.accepted == 24 && one.accepted == 24));
    CHECK(two.worst < 1e-4);
    CHECK(one.worst < 1e-4);
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
    constexpr bool two = TestType::psp_count == 2;
    const double dt = between(0.01, 1.0), longest = random() % 2 == 0 ? 1e3 : 1e7;
    LifCell cell{.tau_m_ms = dt * between(1.45, longest),
                 .tau_exc_ms = dt * between(1.45, longest),
                 .r_m_mohm = between(1.0, 1000.0),
                 .v_rest_mv = -50.0 - between(0.1, 250.0),
                 .v_reset_mv = -50.0 - between(0.01, 512.0)};
    cell.tau_inh_ms = two ? dt * between(1.45, longest) : cell.tau_exc_ms;
    const auto largest = [&](double tau) { return between(1e-3, 10.0) / cell.r_m_mohm * cell.tau_m_ms / tau; };
    const LifWeightRange range{largest(cell.tau_exc_ms), largest(cell.tau_inh_ms), 16};
    const auto made = TestType::parameters(cell, dt, range);
    if (!made.ok()) continue;
    ++accepted;
    const auto& parameters = made.value();
    const Exact exact(cell, static_cast<long double>(dt));
    // weights are those that were rounded
    std::array<long double, 2> unit{};
    for (std::size_t which = 0; which < 2; ++which)
      unit[which] = std::ldexp(1.0L, parameters.scale.input_shift[which] - 22 - parameters.scale.psp_shift);
    constexpr std::size_t count = 4;
    Cells<TestType> cells(count);
    std::array<long double, count> v{};
    std::array<std::array<long double, 2>, count> psp{};
    std::array<bool, count> over{};
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      const double mv = neuron == 0 ? cell.v_rest_mv : -50.0 - between(0.1, 500.0);
      cells.membrane[neuron] = TestType::membrane(parameters, mv).value();
      v[neuron] = static_cast<long double>(cells.membrane[neuron]) / 4194304;
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
          psp[neuron][which] = psp[neuron][which] * (which == 0 ? exact.exc : exact.inh) + units * unit[which];
        }
      }
      const auto counts = cells.template step<target::Native>(parameters, step_number);
      for (std::uint32_t spike = 0; spike < counts.spikes; ++spike) over[cells.spikes[spike]] = true;
      if (counts.saturations != 0) break;
      for (std::size_t neuron = 0; neuron < count; ++neuron)
        if (!over[neuron])
          worst = std::max(worst, std::fabs(static_cast<long double>(cells.membrane[neuron]) / 4194304 - v[neuron]));
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

TEST_CASE("lif: a decaying psp keeps its time constant although factors have 16 bits", "[kernels][lif]") {
  // exp(-0.1/20) in 16 bits alone would be wrong by up to 1.5e-3 of the time constant
  LifCell cell = usual;
  cell.tau_exc_ms = 20.3;
  const auto parameters = Lif<2, rounding::Nearest>::parameters(cell, 0.1).value();
  Cells<Lif<2, rounding::Nearest>> cells(1);
  cells.psp[0][0] = 1 << 30;
  cells.membrane[0] = INT32_MIN / 2;
  for (std::uint32_t step_number = 1; step_number <= 1000; ++step_number) {
    cells.step(parameters, step_number);
    const double exact = std::exp(-0.1 * step_number / 20.3) * (1 << 30);
    INFO("step " << step_number);
    REQUIRE(std::fabs(cells.psp[0][0] / exact - 1.0) < 4e-5);
  }
}

TEST_CASE("lif: a spike acts exactly delay steps later", "[kernels][lif]") {
  // Input consumed at step n is there from t = n dt on: the psp changes at n, the membrane at n + 1.
  const auto parameters = Lif<2>::parameters(usual, 0.1).value();
  Cells<Lif<2>> with(1), without(1);
  with.membrane[0] = without.membrane[0] = -1000000;
  with.input[0][0] = 1000;
  with.step(parameters, 5), without.step(parameters, 5);
  CHECK(with.membrane[0] == without.membrane[0]);
  CHECK(with.psp[0][0] == 1000 << parameters.scale.input_shift[0]);
  CHECK(with.input[0][0] == 0);
  with.step(parameters, 6), without.step(parameters, 6);
  CHECK(with.membrane[0] - without.membrane[0] ==
        (1000 << parameters.scale.input_shift[0]) >> parameters.scale.psp_shift);
}

TEST_CASE("lif: the refractory period lasts exactly what the parameter says", "[kernels][lif]") {
  for (const int refractory_steps : {0, 1, 2, 3, 20, 500}) {
    LifCell cell = usual;
    cell.t_refract_ms = refractory_steps * 0.1;
    cell.i_offset_na = 1.0; // rest becomes 15 mV above threshold
    const auto parameters = Lif<2>::parameters(cell, 0.1).value();
    // From reset the membrane crosses after the smallest n with rest + (reset - rest) exp(-n dt / tau) >= threshold.
    const double rest = -65.0 + 80.0;
    const int crossing = static_cast<int>(std::ceil(20.0 / 0.1 * std::log((rest + 70.0) / (rest + 50.0))));
    Cells<Lif<2>> cells(1);
    cells.membrane[0] = parameters.constants.reset;
    std::vector<std::uint32_t> times;
    for (std::uint32_t step_number = 1; times.size() < 4; ++step_number)
      if (cells.step(parameters, step_number).spikes == 1) times.push_back(step_number);
    INFO(refractory_steps << " refractory steps, " << crossing << " to cross");
    CHECK(times[0] == static_cast<std::uint32_t>(crossing));
    for (std::size_t spike = 1; spike < times.size(); ++spike)
      CHECK(times[spike] - times[spike - 1] == static_cast<std::uint32_t>(refractory_steps + crossing));
  }
}

TEST_CASE("lif: input during the refractory period is kept in the psp", "[kernels][lif]") {
  const auto parameters = Lif<2>::parameters(usual, 0.1).value();
  Cells<Lif<2>> cells(1);
  cells.membrane[0] = 10;
  cells.input[0][0] = 500;
  cells.step(parameters, 1);
  CHECK(cells.membrane[0] == 9);
  CHECK(cells.psp[0][0] == 500 << parameters.scale.input_shift[0]);
}

TEMPLATE_TEST_CASE("lif: no input, however large, makes the membrane wrap", "[kernels][lif]", Lif<1>, Lif<2>,
                   (Lif<1, rounding::Nearest>), (Lif<2, rounding::Nearest>)) {
  for (const double dt : {0.1, 1.0})
    for (const double rest : {-100.0, -65.0, -50.5, -40.0}) {
      LifCell cell = usual;
      cell.tau_inh_ms = cell.tau_exc_ms;
      cell.v_rest_mv = rest;
      const auto parameters = TestType::parameters(cell, dt).value();
      Cells<TestType> cells(40);
      std::fill(cells.membrane.begin(), cells.membrane.end(), parameters.constants.reset);
      std::uint64_t saturations = 0;
      for (std::uint32_t step_number = 1; step_number < 20000; ++step_number) {
        std::fill(cells.input[1].begin(), cells.input[1].end(), (1 << 30) - 1);
        const auto counts = cells.step(parameters, step_number);
        saturations += counts.saturations;
        INFO("dt " << dt << " rest " << rest << " step " << step_number);
        REQUIRE(counts.spikes == 0);
        REQUIRE(cells.membrane[0] < 0);
        if (step_number > 200) REQUIRE(cells.membrane[0] < parameters.constants.reset);
        REQUIRE(cells.membrane[0] == cells.membrane[39]);
      }
      CHECK(saturations > 19000U * 40U); // every one counted
    }
}

TEST_CASE("lif: a psp is held at its end and counted, not wrapped", "[kernels][lif]") {
  const auto parameters = Lif<2>::parameters(usual, 0.1).value();
  Cells<Lif<2>> cells(33);
  cells.psp[0][31] = INT32_MAX;
  cells.input[0][31] = 1 << 29;
  cells.psp[1][32] = INT32_MAX - 5; // decays by more than what arrives: no saturation
  cells.input[1][32] = 1;
  std::fill(cells.membrane.begin(), cells.membrane.end(), -(1 << 28));
  CHECK(cells.step(parameters, 1).saturations == 1);
  CHECK(cells.psp[0][31] == INT32_MAX);
  CHECK(cells.psp[1][32] < INT32_MAX - 5);
}

TEST_CASE("lif: a list of spikes that is too short is refused and nothing changes", "[kernels][lif]") {
  const auto parameters = Lif<2>::parameters(usual, 0.1).value();
  Cells<Lif<2>> cells(8);
  cells.input[0][0] = 5;
  const std::array input{cells.input[0].data(), cells.input[1].data()};
  const auto result = Lif<2>::step(cells.state(), parameters, input, 1, std::span{cells.spikes}.first(7));
  CHECK(result.status() == Status{Error::buffer_full, 0, 7, "spikes"});
  CHECK(cells.membrane == std::vector<std::int32_t>(8, -1));
  CHECK(cells.input[0][0] == 5);
  auto state = cells.state();
  state.psp[1] = state.psp[1].first(3);
  CHECK(Lif<2>::step(state, parameters, input, 1, cells.spikes).status() == Status{Error::lengths_differ, 0, 3, "psp"});
}

TEST_CASE("lif: a table of another length is refused", "[kernels][lif]") {
  Cells<Lif<2>> cells(8);
  const std::vector<std::int32_t> column(8, -1), short_column(7, -1);
  const Lif<2>::Table table{column, {column, short_column}, column, column, column, {9, {9, 9}}};
  const std::array input{cells.input[0].data(), cells.input[1].data()};
  CHECK(Lif<2>::step(cells.state(), table, input, 1, cells.spikes).status() ==
        Status{Error::lengths_differ, 1, 8, "constants"});
  CHECK(cells.membrane == std::vector<std::int32_t>(8, -1));
}

TEST_CASE("lif: the common scale of several cells takes the weights of each", "[kernels][lif]") {
  std::vector<Lif<2>::Parameters> cells;
  for (const double tau_m : {10.0, 20.0, 40.0, 80.0}) {
    LifCell cell = usual;
    cell.tau_m_ms = tau_m;
    cells.push_back(Lif<2>::parameters(cell, 0.1, {0.02, 0.05, 16}).value());
  }
  const LifScale common = Lif<2>::common_scale(cells);
  for (auto cell : cells) {
    CHECK(common.psp_shift >= cell.scale.psp_shift);
    cell.scale = common;
    for (const auto& [receptor, na] : {std::pair{Receptor::excitatory, 0.02}, std::pair{Receptor::inhibitory, 0.05}}) {
      const auto weight = Lif<2>::weight(cell, receptor, na);
      REQUIRE(weight.ok());
      CHECK(weight.value() < 1U << 16);
      CHECK(weight.value() > 1U << 11);
    }
  }
}

TEST_CASE("lif: runs at compile time", "[kernels][lif]") {
  constexpr auto fired = [] {
    constexpr auto parameters = Lif<2>::parameters(usual, 0.1).value();
    std::array<std::int32_t, 3> membrane{-1, -100000000, 3}, exc{1 << 30, 0, 0}, inh{};
    std::array<std::int32_t, 3> in_exc{}, in_inh{};
    std::array<std::uint32_t, 3> spikes{99, 99, 99};
    const auto counts = Lif<2>::step(Lif<2>::State{membrane, {exc, inh}}, parameters,
                                     std::array{in_exc.data(), in_inh.data()}, 1, spikes);
    return std::array{counts.value().spikes, spikes[0], static_cast<std::uint32_t>(membrane[2])};
  }();
  STATIC_REQUIRE(fired == std::array<std::uint32_t, 3>{1, 0, 2});
}

TEMPLATE_TEST_CASE("lif: the native backend gives the bits of the generic one", "[kernels][lif]", Lif<1>, Lif<2>,
                   (Lif<1, rounding::Nearest>), (Lif<2, rounding::Nearest>)) {
  LifCell cell = usual;
  cell.tau_inh_ms = cell.tau_exc_ms;
  const auto parameters = TestType::parameters(cell, 0.1).value();
  std::mt19937 random(99);
  const std::array<std::int32_t, 8> edges{INT32_MIN, INT32_MIN + 1, -65536, -1, 0, 1, 65535, INT32_MAX};
  const auto word = [&] {
    const auto drawn = static_cast<std::int32_t>(random());
    return random() % 4 == 0 ? edges[random() % edges.size()] : drawn >> (random() % 24);
  };
  for (int turn = 0; turn < 3000; ++turn) {
    const std::size_t count = 1 + random() % 70;
    Cells<TestType> generic(count);
    for (auto& membrane : generic.membrane) membrane = word();
    for (auto& column : generic.psp)
      for (auto& psp : column) psp = word();
    for (auto& column : generic.input)
      for (auto& input : column) input = word() >> 2;
    // Per-neuron constants: those of the population, some disturbed.
    std::vector<std::int32_t> decay(count, parameters.constants.membrane_decay),
        drift(count, parameters.constants.drift);
    std::vector<std::int32_t> reset(count, parameters.constants.reset), after(count, parameters.constants.after_spike);
    std::array<std::vector<std::int32_t>, TestType::psp_count> psp_decay;
    typename TestType::Table table{decay, {}, drift, reset, after, parameters.scale};
    for (std::size_t which = 0; which < TestType::psp_count; ++which) {
      psp_decay[which].assign(count, parameters.constants.psp_decay[which]);
      for (auto& one : psp_decay[which])
        one = random() % 8 == 0 ? 0 : static_cast<std::int32_t>(random() >> 1) - INT32_MAX;
      table.psp_decay[which] = psp_decay[which];
    }
    const bool per_neuron = turn % 2 == 1;
    const auto step_number = static_cast<std::uint32_t>(random());
    Cells<TestType> native = generic;
    const auto expected = per_neuron ? generic.template step<target::Generic>(table, step_number)
                                     : generic.template step<target::Generic>(parameters, step_number);
    const auto found = per_neuron ? native.step(table, step_number) : native.step(parameters, step_number);
    INFO("turn " << turn << ", " << count << " neurons, step " << step_number);
    REQUIRE(found.spikes == expected.spikes);
    REQUIRE(found.saturations == expected.saturations);
    REQUIRE(native.membrane == generic.membrane);
    REQUIRE(native.psp == generic.psp);
    REQUIRE(native.spikes == generic.spikes);
    REQUIRE(native.input == generic.input);
  }
}

TEST_CASE("lif: neurons with constants of their own are each like a population of one", "[kernels][lif]") {
  std::mt19937 random(8);
  constexpr std::size_t count = 37;
  std::vector<typename Lif<2>::Parameters> each;
  std::vector<std::int32_t> decay, exc, inh, drift, reset, after;
  for (std::size_t neuron = 0; neuron < count; ++neuron) {
    LifCell cell = usual;
    cell.tau_m_ms = 10.0 + static_cast<double>(random() % 20);
    cell.c_m_nf = cell.tau_m_ms / 80.0;
    cell.v_reset_mv = -70.0 + static_cast<double>(random() % 10);
    cell.t_refract_ms = static_cast<double>(random() % 5);
    cell.i_offset_na = 0.3;
    auto parameters = Lif<2>::parameters(cell, 0.1).value();
    parameters.scale = {10, {12, 12}};
    each.push_back(parameters);
    const auto& constants = parameters.constants;
    decay.push_back(constants.membrane_decay), drift.push_back(constants.drift), reset.push_back(constants.reset);
    exc.push_back(constants.psp_decay[0]), inh.push_back(constants.psp_decay[1]);
    after.push_back(constants.after_spike);
  }
  const Lif<2>::Table table{decay, {exc, inh}, drift, reset, after, {10, {12, 12}}};
  Cells<Lif<2>> together(count);
  std::vector<Cells<Lif<2>>> alone(count, Cells<Lif<2>>(1));
  std::uint32_t spikes = 0;
  for (std::uint32_t step_number = 1; step_number < 3000; ++step_number) {
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      const auto input = static_cast<std::int32_t>(random() % 10000);
      together.input[0][neuron] = alone[neuron].input[0][0] = input;
      alone[neuron].step(each[neuron], step_number);
    }
    spikes += together.step(table, step_number).spikes;
    for (std::size_t neuron = 0; neuron < count; ++neuron)
      REQUIRE(together.membrane[neuron] == alone[neuron].membrane[0]);
  }
  CHECK(spikes > 100);
}

TEMPLATE_TEST_CASE("lif: takes 16-bit ring buffer elements as it takes 32-bit ones", "[kernels][lif]", std::int16_t,
                   std::uint16_t) {
  const auto parameters = Lif<2>::parameters(usual, 0.1).value();
  std::mt19937 random(15);
  Cells<Lif<2>> wide(50), narrow(50);
  std::array<std::vector<TestType>, 2> input{std::vector<TestType>(50), std::vector<TestType>(50)};
  for (std::uint32_t step_number = 1; step_number < 200; ++step_number) {
    for (std::size_t type = 0; type < 2; ++type)
      for (std::size_t neuron = 0; neuron < 50; ++neuron)
        wide.input[type][neuron] = input[type][neuron] = static_cast<TestType>(random());
    wide.step(parameters, step_number);
    REQUIRE(Lif<2>::step(narrow.state(), parameters, std::array{input[0].data(), input[1].data()}, step_number,
                         narrow.spikes)
                .ok());
    REQUIRE(narrow.membrane == wide.membrane);
    REQUIRE(narrow.psp == wide.psp);
    REQUIRE(input[0] == std::vector<TestType>(50));
  }
}

TEST_CASE("lif: words are of the formats that they name", "[kernels][lif]") {
  constexpr LifCell cell{.c_m_nf = 0.25};
  constexpr auto made = Lif<1>::parameters(cell, 0.1).value();
  const auto decay = LifDecay::from_raw(made.constants.membrane_decay).to_double();
  CHECK(std::fabs(decay - std::expm1(-0.1 / 20.0)) <= LifDecay::resolution().to_double());
  CHECK(LifMembrane::from_raw(made.constants.reset) == LifMembrane::constant(-15.0));
  CHECK(LifMembrane::from_raw(made.constants.drift).to_double() == Approx(-15.0 * -decay).epsilon(1e-4));
}
