// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <neuromorph/kernels/neurons/packed_lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>

#include "tests/reference/cuba_double.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/lif_accuracy.hpp"
#include "tests/support/lif_cells.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

constexpr LifCell usual = two_tau_cell;

struct Cells {
  explicit Cells(std::size_t count)
      : membrane(count, -1), psp(count),
        spikes(count), input{std::vector<std::uint16_t>(count), std::vector<std::uint16_t>(count)} {}
  template <class Target = target::Native>
  StepCounts step(const PackedLif::Parameters& parameters, std::uint32_t step_number) {
    const auto counts = PackedLif::step<Target>({membrane, {psp}}, parameters,
                                                std::array{input[0].data(), input[1].data()}, step_number, spikes);
    REQUIRE(counts.ok());
    return counts.value();
  }
  std::vector<std::int32_t> membrane, psp;
  std::vector<std::uint32_t> spikes;
  std::array<std::vector<std::uint16_t>, 2> input;
};

/// Largest and mean distance from the exact solution as a share of threshold - rest; 64 neurons, subthreshold.
std::array<double, 2> errors(double dt_ms, double seconds) {
  const auto parameters = PackedLif::parameters(usual, dt_ms, {0.02, 0.05, PackedLif::default_weight_bits}).value();
  const reference::Cell cell{20.0, 5.0, 10.0, 250.0, -65.0, -70.0, -50.0, 2.0};
  const reference::Propagators exact(cell, dt_ms);
  constexpr std::size_t count = 64;
  Cells cells(count);
  std::fill(cells.membrane.begin(), cells.membrane.end(), PackedLif::membrane(parameters, -65.0).value());
  const auto weight = [&](Receptor receptor, double na) {
    return static_cast<std::uint16_t>(PackedLif::weight(parameters, receptor, na).value());
  };
  const std::uint16_t excitation = weight(Receptor::excitatory, 0.02), inhibition = weight(Receptor::inhibitory, 0.05);
  std::vector<double> v(count, -65.0), e(count), i(count);
  std::mt19937 random(12);
  double worst = 0.0, sum = 0.0;
  const auto steps = static_cast<std::uint32_t>(seconds * 1000.0 / dt_ms);
  for (std::uint32_t step_number = 1; step_number <= steps; ++step_number) {
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      const bool spike_e = static_cast<double>(random()) < 0.6 * dt_ms * 4294967296.0;
      const bool spike_i = static_cast<double>(random()) < 0.15 * dt_ms * 4294967296.0;
      v[neuron] = -65.0 + (v[neuron] + 65.0) * exact.membrane + e[neuron] * exact.from_excitatory -
                  i[neuron] * exact.from_inhibitory;
      e[neuron] = e[neuron] * exact.excitatory + (spike_e ? 20.0 : 0.0);
      i[neuron] = i[neuron] * exact.inhibitory + (spike_i ? 50.0 : 0.0);
      if (spike_e) cells.input[0][neuron] = excitation;
      if (spike_i) cells.input[1][neuron] = inhibition;
    }
    const auto counts = cells.step(parameters, step_number);
    REQUIRE(counts.spikes == 0);
    REQUIRE(counts.saturations == 0);
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      const double error = PackedLif::membrane_mv(parameters, cells.membrane[neuron]) - v[neuron];
      worst = std::max(worst, std::fabs(error));
      sum += error;
    }
  }
  return {worst / 15.0, sum / static_cast<double>(steps) / static_cast<double>(count) / 15.0};
}

} // namespace

TEST_CASE("packed_lif: stays within 1e-3 of threshold - rest of the exact solution over 10 s, with the largest weights",
          "[kernels][packed_lif]") {
  for (const double dt : {0.1, 1.0}) {
    const auto [worst, mean] = errors(dt, 10.0);
    std::printf("dt %.1f ms: error / (threshold - rest): largest %.2e, mean %.2e\n", dt, worst, mean);
    CHECK(worst < 1e-3);
    CHECK(std::fabs(mean) < 2e-4);
  }
}

TEST_CASE("packed_lif: stays within 2e-3 with weights of 0.1 to 1 of the largest, in random cells",
          "[kernels][packed_lif]") {
  for (const double dt : {0.1, 1.0}) {
    const double error = accuracy::error_of<PackedLif>(usual, dt, 10.0, PackedLif::default_weight_bits);
    const auto some = accuracy::error_of_random_cells<PackedLif>(dt, sanitized ? 0.5 : 3.0, 12, 2.0);
    std::printf("dt %.1f ms, weights of 0.1 to 1 of the largest: %.2e, random cells %.2e\n", dt, error, some.worst);
    CHECK(error < 2e-3);
    CHECK(some.accepted == 24);
    CHECK(some.worst < 2e-3);
    for (const double strength : {0.2, 2.0, 4.0, 6.0}) { // up to 0.3 nA
      const double other =
          accuracy::error_of<PackedLif>(usual, dt, sanitized ? 0.5 : 3.0, PackedLif::default_weight_bits, 12, strength);
      std::printf("dt %.1f ms, weights of up to %.2f nA: %.2e\n", dt, 0.05 * strength, other);
      CHECK(other < 3e-3);
    }
  }
}

TEST_CASE("packed_lif: weights have the bits that were asked for, couplings are whole", "[kernels][packed_lif]") {
  for (const unsigned bits : {10U, 11U, 13U}) {
    const auto parameters = PackedLif::parameters(usual, 0.1, {0.02, 0.05, bits});
    REQUIRE(parameters.ok());
    for (const auto& [receptor, na] : {std::pair{Receptor::excitatory, 0.02}, std::pair{Receptor::inhibitory, 0.05}}) {
      const auto weight = PackedLif::weight(parameters.value(), receptor, na);
      REQUIRE(weight.ok());
      CHECK(weight.value() < 1U << bits);
      CHECK(weight.value() > (1U << bits) * 8 / 10);
    }
  }
}

TEST_CASE("packed_lif: the weights that are taken by default fit cells up to 100 MOhm", "[kernels][packed_lif]") {
  CHECK(PackedLif::parameters({.tau_m_ms = 20.0, .c_m_nf = 0.25, .t_refract_ms = 2.0, .i_offset_na = 0.5}, 0.1).ok());
  for (const std::uint32_t seed : Seeds(2000)) {
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return low * std::pow(high / low, static_cast<double>(random()) / 4294967295.0);
    };
    const double dt = between(0.01, 10.0);
    const LifCell cell{.tau_m_ms = dt * between(1.45, 1000.0),
                       .tau_exc_ms = dt * between(1.45, 10000.0),
                       .tau_inh_ms = dt * between(1.45, 10000.0),
                       .r_m_mohm = between(0.1, 100.0),
                       .v_rest_mv = -50.0 + (random() % 2 == 0 ? -1.0 : 1.0) * between(1e-3, 15.0)};
    INFO("seed " << seed);
    REQUIRE(PackedLif::parameters(cell, dt).ok());
  }
}

TEST_CASE("packed_lif: impossible parameters are refused", "[kernels][packed_lif]") {
  LifCell slow = usual;
  slow.tau_inh_ms = 7000.0;
  CHECK(PackedLif::parameters(slow, 0.1, {0.02, 0.001, 11}).status() ==
        Status{Error::time_constant_too_long, 0, 7000.0, "tau_inh_ms"});
  CHECK(std::string(PackedLif::parameters(usual, 0.1, {0.02, 0.05, 17}).status().parameter) == "bits");
  CHECK(PackedLif::parameters(usual, 0.1, {0.02, 1.0, 8}).status() ==
        Status{Error::weight_out_of_range, 0, 1.0, "inhibitory_na"});
  CHECK(PackedLif::parameters(usual, -0.1).status().error == Error::parameter_not_positive);
  const auto parameters = PackedLif::parameters(usual, 0.1, {0.02, 0.05, 11}).value();
  CHECK(PackedLif::weight(parameters, Receptor::excitatory, 1e-7).status().error == Error::weight_vanishes);
  CHECK(PackedLif::weight(parameters, Receptor::excitatory, -1.0).status().error == Error::weight_out_of_range);
}

TEST_CASE("packed_lif: no input, however large, makes the membrane wrap; each saturation is counted",
          "[kernels][packed_lif]") {
  for (const double dt : {0.1, 1.0})
    for (const double rest : {-100.0, -65.0, -50.5, -40.0}) {
      LifCell cell = usual;
      cell.v_rest_mv = rest;
      const auto parameters = PackedLif::parameters(cell, dt, {0.02, 0.05, 12}).value();
      Cells cells(40);
      std::fill(cells.membrane.begin(), cells.membrane.end(), parameters.reset);
      std::uint64_t saturations = 0;
      for (std::uint32_t step_number = 1; step_number < 20000; ++step_number) {
        std::fill(cells.input[1].begin(), cells.input[1].end(), std::uint16_t{65535});
        const auto counts = cells.step(parameters, step_number);
        saturations += counts.saturations;
        INFO("dt " << dt << " rest " << rest << " step " << step_number);
        REQUIRE(counts.spikes == 0);
        REQUIRE(*std::max_element(cells.membrane.begin(), cells.membrane.end()) < 0);
      }
      CHECK(saturations >= 19998U * 40U); // from the second step on
    }
}

TEST_CASE("packed_lif: the native backend gives the bits of the generic one", "[kernels][packed_lif]") {
  const auto parameters = PackedLif::parameters(usual, 0.1, {0.02, 0.05, 11}).value();
  std::mt19937 random(41);
  const std::array<std::uint32_t, 6> edges{0, 1, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF};
  const auto half = [&] { return random() % 3 == 0 ? edges[random() % edges.size()] : random() & 0xFFFF; };
  for (int turn = 0; turn < 3000; ++turn) {
    const std::size_t count = 1 + random() % 70;
    Cells generic(count);
    for (auto& membrane : generic.membrane)
      membrane = random() % 4 == 0 ? static_cast<std::int32_t>(random() % 3) - 1 : static_cast<std::int32_t>(random());
    for (auto& psp : generic.psp) psp = static_cast<std::int32_t>(half() << 16 | half());
    for (auto& column : generic.input)
      for (auto& input : column) input = static_cast<std::uint16_t>(random() % 2 == 0 ? 0 : half());
    Cells native = generic;
    const auto step_number = static_cast<std::uint32_t>(random());
    const auto expected = generic.step<target::Generic>(parameters, step_number),
               found = native.step(parameters, step_number);
    INFO("turn " << turn << ", " << count << " neurons, step " << step_number);
    REQUIRE(found.spikes == expected.spikes);
    REQUIRE(found.saturations == expected.saturations);
    REQUIRE(native.membrane == generic.membrane);
    REQUIRE(native.psp == generic.psp);
    REQUIRE(native.spikes == generic.spikes);
    REQUIRE(native.input == generic.input);
  }
}

TEST_CASE("packed_lif: spikes, waits and resets as Lif does", "[kernels][packed_lif]") {
  LifCell cell = usual;
  cell.i_offset_na = 1.0;
  const auto packed = PackedLif::parameters(cell, 0.1, {0.02, 0.05, 11}).value();
  const auto full = Lif<2>::parameters(cell, 0.1, {0.02, 0.05, 16}).value();
  CHECK(packed.reset == full.constants.reset);
  Population<PackedLif, 3> packed_cells(packed, packed.reset);
  Population<Lif<2>, 3> full_cells(full, full.constants.reset);
  RingBuffer<SynapticWord<8, 1, 3>, std::uint16_t> ring;
  RingBuffer<SynapticWord<8, 1, 3>> wide_ring;
  std::uint32_t spikes = 0;
  for (std::uint32_t step_number = 1; step_number < 3000; ++step_number) {
    const auto fired = packed_cells.step(ring, step_number), as = full_cells.step(wide_ring, step_number);
    REQUIRE(std::ranges::equal(fired, as));
    spikes += static_cast<std::uint32_t>(fired.size());
  }
  CHECK(spikes > 30);
}
