// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <neuromorph/kernels/neurons/compact_lif.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/synapses/ring_buffer.hpp>
#include <neuromorph/kernels/synapses/synaptic_row.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/lif_accuracy.hpp"
#include "tests/support/lif_cells.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seeds.hpp"

using namespace neuromorph;

namespace {

constexpr LifCell usual = one_tau_cell;

template <class Model>
struct Cells {
  using Word = typename Model::PspWord;
  explicit Cells(std::size_t count) : membrane(count, -1), spikes(count), entries(count) {
    for (auto& words : psps) words.resize(count);
    for (auto& words : inputs) words.resize(count);
    queue.entries = entries;
  }
  typename Model::State state() {
    typename Model::State views{membrane, {}, &queue};
    for (std::size_t which = 0; which < Model::psp_count; ++which) views.psp[which] = psps[which];
    return views;
  }
  std::array<Word*, Model::receptors> inputs_at() {
    std::array<Word*, Model::receptors> result{};
    for (std::size_t which = 0; which < Model::receptors; ++which) result[which] = inputs[which].data();
    return result;
  }
  /// As Model starts them.
  void rest(const typename Model::Parameters& parameters, std::uint32_t step_number) {
    for (std::size_t which = 0; which < Model::psp_count; ++which)
      std::fill(psps[which].begin(), psps[which].end(), Model::psp_at_rest(parameters, step_number)[which]);
  }
  template <class Source>
  std::uint32_t step(const Source& constants, std::uint32_t step_number) {
    const auto counts = Model::step(state(), constants, inputs_at(), step_number, spikes);
    REQUIRE(counts.ok());
    return counts.value().spikes;
  }
  std::vector<std::int32_t> membrane;
  std::array<std::vector<Word>, Model::psp_count> psps;
  std::array<std::vector<Word>, Model::receptors> inputs;
  std::vector<Word>& psp = psps.front();
  std::vector<Word>& input = inputs.front();
  std::vector<std::uint32_t> spikes;
  std::vector<RefractoryQueue::Entry> entries;
  RefractoryQueue queue;
};

using Wide = CompactLif<>;
using Two = CompactLif<std::int32_t, 2>;
using Narrow = CompactLif<std::int16_t>;

/// Random cells, weights of any size and bits: against the rounding of psps.
template <class Model>
void check_accuracy(double dt, bool by_row, int least) {
  int accepted = 0, fired = 0;
  double worst = 0.0;
  for (const std::uint32_t seed : Seeds(sanitized ? 12 : 60)) {
    std::mt19937 random(seed);
    LifCell cell = accuracy::random_cell(random, dt, accuracy::two_time_constants<Model>);
    const auto equal = random() % 8;
    if (equal < 2) cell.tau_exc_ms = cell.tau_m_ms;
    if (equal == 0 || !accuracy::two_time_constants<Model>) cell.tau_inh_ms = cell.tau_exc_ms;
    const double strength = std::pow(10.0, -3.0 + 4.7 * static_cast<double>(random()) / 4294967295.0);
    const auto bits = static_cast<unsigned>(std::is_same_v<Model, Narrow> ? 6U + random() % 10U : 8U + random() % 13U);
    const double error = accuracy::error_of<Model>(cell, dt, 0.5, bits, seed, strength, by_row);
    if (error == accuracy::refused) continue;
    if (error > 1.0) { // a weight that makes a neuron fire at once
      ++fired;
      continue;
    }
    ++accepted;
    const auto weights = accuracy::usual_weights(cell, bits, strength);
    const auto made = Model::parameters(cell, dt, weights, accuracy::usual_fan_in(weights, dt, 1.0 / strength)).value();
    const double psp_share = -std::expm1(-dt / std::max(cell.tau_exc_ms, cell.tau_inh_ms)),
                 membrane_share = -std::expm1(-dt / cell.tau_m_ms);
    const double rounding =
        std::ldexp(1.0, -made.unit_bits) / (psp_share * membrane_share) / (cell.v_threshold_mv - cell.v_rest_mv);
    INFO("seed " << seed << ", dt " << dt << ", " << bits << " bits, " << strength << " times the usual weights");
    const double rest = 1e-4 + (by_row ? std::ldexp(1.0, -20) / membrane_share : 0.0);
    REQUIRE(error <= 1.5 * rounding + rest);
    worst = std::max(worst, (error - rest) / rounding);
  }
  std::printf("dt %.1f ms, any weights: %d cells, %d fired, at most %.2f of the rounding\n", dt, accepted, fired,
              worst);
  CHECK(accepted >= (sanitized ? 1 : least));
  CHECK(fired <= accepted / 2);
}

} // namespace

TEST_CASE("compact_lif: stays as close to the exact solution as the page says", "[kernels][compact_lif]") {
  struct Row {
    const char* name;
    double (*error)(double dt, double largest_na, unsigned bits, std::uint32_t seed);
    unsigned bits;
    std::vector<double> steps;
    std::array<double, 3> most; // for largest weights of up to 0.05, 0.2, 0.4 nA
  };
  constexpr double seconds = sanitized ? 0.5 : 3.0;
  // the larger of the two largest weights, which is the inhibitory one
  constexpr auto one = [](double dt, double na, unsigned bits, std::uint32_t seed) {
    return accuracy::error_of<Wide>(usual, dt, seconds, bits, seed, na / 0.1);
  };
  constexpr auto by_neuron = [](double dt, double na, unsigned bits, std::uint32_t seed) {
    return accuracy::error_of<Wide>(usual, dt, seconds, bits, seed, na / 0.1, true);
  };
  constexpr auto two = [](double dt, double na, unsigned bits, std::uint32_t seed) {
    return accuracy::error_of<Two>(two_tau_cell, dt, seconds, bits, seed, na / 0.05);
  };
  constexpr auto narrow = [](double dt, double na, unsigned bits, std::uint32_t seed) {
    return accuracy::error_of<Narrow>(usual, dt, seconds, bits, seed, na / 0.1);
  };
  const std::vector<double> both{0.1, 1.0};
  constexpr double none = accuracy::refused;
  const std::array rows{Row{"one time constant", one, 16, both, {1e-4, 5e-4, 1.2e-3}},
                        Row{"one time constant", one, 20, both, {6e-5, 1e-4, 3e-4}},
                        Row{"constants by neuron", by_neuron, 16, {0.1}, {1.5e-4, 5e-4, 1.2e-3}},
                        Row{"two time constants", two, 18, both, {1e-4, 3e-4, 6e-4}},
                        Row{"16 bits", narrow, 11, {0.1}, {3e-3, none, none}},
                        Row{"16 bits", narrow, 11, {1.0}, {2e-3, 4e-3, 8e-3}},
                        Row{"16 bits", narrow, 9, {1.0}, {4e-3, 8e-3, none}}};
  constexpr std::array columns{0.05, 0.2, 0.4};
  for (const Row& row : rows) {
    std::array<double, 3> worst{};
    for (std::size_t column = 0; column < columns.size(); ++column)
      for (const double share : {0.6, 1.0})
        for (const double dt : row.steps)
          for (const std::uint32_t seed : {12U, 13U}) {
            const double error = row.error(dt, share * columns[column], row.bits, seed);
            INFO(row.name << ", " << row.bits << " bits, " << share * columns[column] << " nA, dt " << dt << ", seed "
                          << seed);
            if (share == 1.0) REQUIRE((error == none) == (row.most[column] == none));
            if (error == none) continue;
            CHECK(error <= row.most[column]);
            worst[column] = std::max(worst[column], error);
          }
    std::printf("%s, %u bits: error / (threshold - rest) at 0.05, 0.2, 0.4 nA: %.1e %.1e %.1e\n", row.name, row.bits,
                worst[0], worst[1], worst[2]);
  }
}

TEST_CASE("compact_lif: whatever the weights, errors are those of rounding to psp units", "[kernels][compact_lif]") {
  for (const double dt : {0.1, 1.0}) {
    check_accuracy<Wide>(dt, false, 40);
    check_accuracy<Two>(dt, false, 40);
    check_accuracy<Narrow>(dt, false, 5);
  }
  check_accuracy<Wide>(0.1, true, 15); // decays of a row have 19 fraction bits and no dither
}

TEST_CASE("compact_lif: what the wandering origin of 16 bits is good for", "[kernels][compact_lif]") {
  for (const double dt : {0.1, 1.0}) {
    // quiet neurons, whose psps stay in one place for long
    std::array<double, 2> quiet{};
    for (const double rest : {-65.0, -62.0, -60.0, -70.0})
      for (const bool wandering : {false, true}) {
        LifCell cell = usual;
        cell.v_rest_mv = rest;
        const auto still = [](Narrow::Parameters& parameters) {
          parameters.psp_spread = 0, parameters.psp_offset += 32768; // half a unit that a floor loses
        };
        quiet[wandering] = std::max(quiet[wandering], accuracy::error_of<Narrow>(cell, dt, 1.0, 11, 12, 1.0, false, 0.1,
                                                                                 wandering ? nullptr : +still));
      }
    std::printf("dt %.1f ms, 11 bits, a tenth of the input: %.2e, origin at rest %.2e\n", dt, quiet[1], quiet[0]);
    CHECK(quiet[1] < 2e-3);
    if (dt < 0.5) CHECK(quiet[0] > 4.0 * quiet[1]); // at 1 ms a psp does not stay in one place
  }
}

TEST_CASE("compact_lif: inhibition alone makes no neuron fire, at any range of weights", "[kernels][compact_lif]") {
  LifCell cell = usual;
  cell.v_reset_mv = cell.v_rest_mv;
  for (const double largest : {0.001, 0.002, 0.003, 0.004, 0.1}) {
    // 50 000 events a second: 5 a step, 100 synapses that each may carry one every 20 steps
    const auto made = Wide::parameters(cell, 0.1, {largest, largest, Wide::default_weight_bits}, {100 * largest, 20});
    REQUIRE(made.ok());
    Cells<Wide> cells(10);
    std::fill(cells.membrane.begin(), cells.membrane.end(), made.value().reset);
    cells.rest(made.value(), 0);
    const std::int32_t weight = Wide::weight(made.value(), Receptor::inhibitory, largest).value();
    std::mt19937 random(3);
    for (std::uint32_t step_number = 0; step_number < 20000; ++step_number) {
      if (step_number % 20 == 0)
        for (std::size_t neuron = 0; neuron < 10; ++neuron)
          for (int event = 0; event < 100; ++event) cells.input[neuron] += random() % 2 == 0 ? weight : 0;
      INFO("largest weight " << largest << " nA, step " << step_number);
      REQUIRE(cells.step(made.value(), step_number) == 0);
    }
  }
}

TEST_CASE("compact_lif: 10 000 events a second of 0.1 nA are refused by 16-bit psps, and counted right by 32 bits",
          "[kernels][compact_lif]") {
  const LifFanIn fan_in{2.0, 20}; // 20 synapses, each every 20 steps
  for (const unsigned bits : {1U, 6U, 11U, 15U})
    CHECK(Narrow::parameters(usual, 0.1, {0.1, 0.1, bits}, fan_in).status() ==
          Status{Error::fan_in_too_large, 0, 2.0, "sum_na"});
  const auto made = Wide::parameters(usual, 0.1, {0.1, 0.1, 16}, fan_in).value();
  const auto other = Lif<1>::parameters(usual, 0.1, {0.1, 0.1, 16}).value();
  Cells<Wide> cells(1);
  cells.membrane[0] = made.reset;
  cells.rest(made, 0);
  std::int32_t membrane = other.constants.reset, psp = 0;
  std::array<std::int32_t, 2> input{};
  std::array<std::uint32_t, 1> spikes{};
  std::uint32_t found = 0, expected = 0;
  for (std::uint32_t step_number = 0; step_number < 20000; ++step_number) {
    cells.input[0] = Wide::weight(made, Receptor::excitatory, 0.1).value();
    input[0] = static_cast<std::int32_t>(Lif<1>::weight(other, Receptor::excitatory, 0.1).value());
    found += cells.step(made, step_number);
    expected += Lif<1>::step({{&membrane, 1}, {std::span{&psp, 1}}}, other, std::array{&input[0], &input[1]},
                             step_number, spikes)
                    .value()
                    .spikes;
  }
  CHECK(expected > 600);
  CHECK(found == expected);
}

TEST_CASE("compact_lif: 16 bits have room for the synapses that the page says", "[kernels][compact_lif]") {
  const auto made = Narrow::parameters(usual, 0.1, {0.05, 0.05, 11}, {0.2, 20}).value();
  std::printf("fan-in of at most %d: %d synapses of 11 bits, %d of 5\n", made.fan_in_limit, made.fan_in_limit / 2047,
              made.fan_in_limit / 31);
  CHECK(made.fan_in_limit / 2047 == 4);
  CHECK(made.fan_in_limit / 31 == 293);
}

TEST_CASE("compact_lif: one neuron of a pair moves the other by no more than parameters say, or is refused",
          "[kernels][compact_lif]") {
  std::uint32_t accepted = 0;
  for (const double largest : {0.005, 0.02, 0.05, 0.1, 0.3, 0.6, 2.0})
    for (const double dt : {0.1, 1.0}) {
      const auto made =
          Narrow::parameters(usual, dt, {largest, largest, 11}, {2.0 * largest, static_cast<std::uint32_t>(2.0 / dt)});
      if (!made.ok()) {
        CHECK(made.status().error == Error::fan_in_too_large);
        continue;
      }
      ++accepted;
      const auto& parameters = made.value();
      CHECK(parameters.pair_leak_mv <= 0.02 * (usual.v_threshold_mv - usual.v_reset_mv));
      double moved = 0.0;
      for (const int sign : {-1, 1}) {
        Cells<Narrow> cells(2), quiet(2);
        for (auto* each : {&cells, &quiet}) {
          std::fill(each->membrane.begin(), each->membrane.end(), parameters.reset);
          each->rest(parameters, 0);
        }
        for (std::uint32_t step_number = 0; step_number < 5000; ++step_number) {
          cells.input[0] = static_cast<std::int16_t>(sign * std::min(parameters.input_limit, 20));
          cells.step(parameters, step_number), quiet.step(parameters, step_number);
          moved = std::max(moved, std::fabs(Narrow::membrane_mv(parameters, cells.state(), 1) -
                                            Narrow::membrane_mv(parameters, quiet.state(), 1)));
        }
      }
      INFO("largest weight " << largest << " nA, dt " << dt);
      CHECK(moved > 0.5 * parameters.pair_leak_mv); // the bound is met
      CHECK(moved <= parameters.pair_leak_mv);
    }
  CHECK(accepted >= 6);
  // 1.2 mV with these
  CHECK(Narrow::parameters(usual, 0.1, {0.6, 0.6, 11}, {0.6, 20}).status() ==
        Status{Error::fan_in_too_large, 0, 0.6, "sum_na"});
}

TEST_CASE("compact_lif: a promise that is broken is refused where calls are checked", "[kernels][compact_lif]") {
  const auto refused = [](auto model, std::size_t neuron, std::int32_t psp, std::int32_t input, std::int64_t value) {
    using Model = decltype(model);
    using Word = typename Model::PspWord;
    const LifFanIn fan_in{sizeof(Word) == 2 ? 0.2 : 2.0, 20};
    const auto parameters = Model::parameters(usual, 0.1, {0.05, 0.05, 11}, fan_in).value();
    Cells<Model> cells(4);
    cells.psps.back()[neuron] = static_cast<Word>(psp);
    cells.inputs.back()[neuron] = static_cast<Word>(input);
    const auto before = cells.psps;
    const auto result = Model::step(cells.state(), parameters, cells.inputs_at(), 1, cells.spikes);
    if (NEUROMORPH_CHECKS > 0) {
      CHECK(result.status() == Status{Error::fan_in_too_large, static_cast<std::uint32_t>(neuron), value});
      CHECK(cells.psps == before);
      CHECK(cells.inputs.back()[neuron] == static_cast<Word>(input));
    } else {
      CHECK(result.ok());
    }
  };
  refused(Narrow{}, 2, 20000, 20000, 20000);
  refused(Narrow{}, 3, -20000, -20000, -20000);
  refused(Wide{}, 1, 0, 0x40000000, 0x40000000);
  refused(Wide{}, 0, 0x20000000, 5, 5);
  refused(Wide{}, 3, -0x20000000, 5, 5);
  refused(Two{}, 2, 0, -1, -1);
  refused(Two{}, 2, 0x20000000, 0, 0);
}

TEMPLATE_TEST_CASE("compact_lif: a neuron in its refractory period is recorded at its reset potential",
                   "[kernels][compact_lif]", Wide, Two, Narrow) {
  using Model = TestType;
  for (const int steps : {0, 1, 20, 500}) {
    LifCell cell = usual;
    cell.i_offset_na = 1.0, cell.t_refract_ms = steps * 0.1;
    const auto parameters = Model::parameters(cell, 0.1, {0.05, 0.05, 11}, {0.2, 20}).value();
    const auto other = Lif<2>::parameters(cell, 0.1).value();
    Cells<Model> cells(2);
    std::fill(cells.membrane.begin(), cells.membrane.end(), Model::membrane(parameters, -60.0).value());
    cells.membrane[1] = Model::membrane(parameters, -52.0).value();
    cells.rest(parameters, 0);
    std::array<std::int32_t, 2> membrane{Lif<2>::membrane(other, -60.0).value(),
                                         Lif<2>::membrane(other, -52.0).value()},
        excitation{}, inhibition{}, no_input{}, no_other{};
    std::array<std::uint32_t, 2> spikes{};
    std::uint32_t all = 0;
    for (std::uint32_t step_number = 0; step_number < 3000; ++step_number) {
      all += cells.step(parameters, step_number);
      REQUIRE(Lif<2>::step({membrane, {excitation, inhibition}}, other, std::array{no_input.data(), no_other.data()},
                           step_number, spikes)
                  .ok());
      for (std::size_t neuron = 0; neuron < 2; ++neuron) {
        INFO(steps << " steps, step " << step_number << ", neuron " << neuron);
        REQUIRE(Model::membrane_mv(parameters, cells.state(), neuron) ==
                Approx(Lif<2>::membrane_mv(other, membrane[neuron])).margin(0.05));
      }
    }
    CHECK(all > 5);
  }
  if constexpr (Model::psp_count == 1 && sizeof(typename Model::PspWord) == 4) { // of a row: its own reset
    const auto shared = Model::parameters(usual, 0.1, {0.05, 0.05, 11}, {0.2, 20}).value();
    LifCell cell = usual;
    cell.v_reset_mv = -58.0;
    const auto row = Model::row(shared, cell, 0.1).value();
    Cells<Model> cells(1);
    cells.membrane[0] = -1, cells.psp[0] = 1 << 20;
    const std::array step{row.step}, refractory{row.refractory};
    const std::array reset{row.reset};
    const typename Model::Table table{step, reset, refractory, shared};
    REQUIRE(cells.step(table, 1) == 1);
    CHECK(Model::membrane_mv(table, cells.state(), 0) == Approx(-58.0).margin(1e-3));
  }
}

TEMPLATE_TEST_CASE("compact_lif: a population fires as one of Lif", "[kernels][compact_lif]", Wide, Two, Narrow) {
  using Model = TestType;
  using Psp = typename Model::PspWord;
  using LifWord = SynapticWord<6, 1, 3>;
  constexpr bool two = Model::receptors == 2, narrow = sizeof(Psp) == 2;
  using Word = std::conditional_t<two, LifWord, SynapticWord<6, 0, 3, WeightSign::signed_value>>;
  using Reference = Lif<Model::receptors>;
  constexpr std::size_t count = 50;
  LifCell cell = usual;
  cell.i_offset_na = 0.15; // rest rises to 3 mV below threshold
  if (two) cell.tau_inh_ms = 10.0;
  const auto made = Model::parameters(cell, 0.1, {0.1, 0.1, narrow ? 11 : 16}, {narrow ? 0.4 : 4.0, 20});
  const auto other = Reference::parameters(cell, 0.1, {0.1, 0.1, 16});
  REQUIRE((made.ok() && other.ok()));
  Population<Model, count> compact(made.value(), Model::membrane(made.value(), -65.0).value(), 1);
  Population<Reference, count> plain(other.value(), Reference::membrane(other.value(), -65.0).value());
  RingBuffer<Word, Psp> ring;
  RingBuffer<LifWord> plain_ring;
  const std::array receptors{Receptor::excitatory, Receptor::inhibitory};
  // 16-bit input acts one step earlier
  const std::uint32_t later = narrow ? 1 : 0;
  std::mt19937 random(7);
  std::vector<std::vector<std::uint32_t>> found(count), expected(count);
  for (std::uint32_t step_number = 1; step_number < 20000; ++step_number) {
    for (const std::uint32_t neuron : compact.step(ring, step_number)) found[neuron].push_back(step_number);
    for (const std::uint32_t neuron : plain.step(plain_ring, step_number)) expected[neuron].push_back(step_number);
    for (int event = 0; event < 3; ++event) {
      const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
      const std::uint32_t which = draw(3) == 0 ? 1 : 0, delay = 1 + draw(6), neuron = draw(count);
      const std::int32_t weight = Model::weight(made.value(), receptors[which], 0.05).value();
      const auto word = Word::encode({weight, delay + later, two ? which : 0, neuron});
      const auto same =
          LifWord::encode({static_cast<std::int32_t>(Reference::weight(other.value(), receptors[which], 0.05).value()),
                           delay, which, neuron});
      REQUIRE((word.ok() && same.ok()));
      add_row(ring, std::span{&word.value(), 1}, step_number);
      add_row(plain_ring, std::span{&same.value(), 1}, step_number);
    }
  }
  CHECK(compact.status().ok());
  std::size_t together = 0, all = 0;
  for (std::size_t neuron = 0; neuron < count; ++neuron) {
    all += expected[neuron].size();
    for (const std::uint32_t step_number : expected[neuron])
      together += std::binary_search(found[neuron].begin(), found[neuron].end(), step_number) ? 1U : 0U;
    CHECK(std::abs(static_cast<int>(found[neuron].size()) - static_cast<int>(expected[neuron].size())) <= 1);
  }
  std::printf("%zu of %zu spikes in the same step as Lif<%zu>\n", together, all, Model::receptors);
  CHECK(all > 500);
  CHECK(static_cast<double>(together) > (narrow ? 0.7 : 0.97) * static_cast<double>(all));
}

TEST_CASE("compact_lif: a population says why a step is refused, which changes nothing", "[kernels][compact_lif]") {
  LifCell cell = usual;
  cell.tau_m_ms = 300.0, cell.tau_exc_ms = cell.tau_inh_ms = 1000.0; // 16 bits at every step for ever are too much
  const auto parameters = CompactLif<>::parameters(cell, 0.1, {0.05, 0.05, 8}, {0.05, 1}).value();
  REQUIRE(parameters.input_limit < 32768);
  Population<CompactLif<>, 4> population(parameters, -1);
  RingBuffer<SynapticWord<4, 0, 4>, std::int16_t> ring;
  ring.slot(1, 0)[2] = 7;
  CHECK(population.step(ring, 1).empty());
  CHECK(population.status() == Status{Error::parameter_out_of_range, 0, parameters.input_limit, "input_limit"});
  CHECK(ring.slot(1, 0)[2] == 7);
  CHECK(population.state().membrane[0] == -1);
}

TEST_CASE("compact_lif: the refractory period lasts exactly what the parameter says", "[kernels][compact_lif]") {
  // 5000 steps are longer than a neuron stays below threshold by itself
  for (const int refractory_steps : {0, 1, 2, 20, 99, 100, 101, 500, 5000}) {
    LifCell cell = usual;
    cell.t_refract_ms = refractory_steps * 0.1;
    cell.i_offset_na = 1.0; // rest becomes 15 mV above threshold
    const auto parameters = CompactLif<>::parameters(cell, 0.1, {0.1, 0.1, 16}, {0.1, 1}).value();
    const double rest = -65.0 + 80.0;
    const int crossing = static_cast<int>(std::ceil(20.0 / 0.1 * std::log((rest + 70.0) / (rest + 50.0))));
    Cells<CompactLif<>> cells(1);
    cells.membrane[0] = parameters.reset;
    cells.psp[0] = parameters.psp_at_rest;
    std::vector<std::uint32_t> times;
    for (std::uint32_t step_number = 0xFFFFFF00U; times.size() < 4; ++step_number)
      if (cells.step(parameters, step_number) == 1) times.push_back(step_number);
    INFO(refractory_steps << " refractory steps, " << crossing << " to cross");
    CHECK(times[0] - 0xFFFFFEFFU == static_cast<std::uint32_t>(crossing));
    for (std::size_t spike = 1; spike < times.size(); ++spike)
      CHECK(times[spike] - times[spike - 1] == static_cast<std::uint32_t>(refractory_steps + crossing));
  }
}

TEMPLATE_TEST_CASE("compact_lif: inputs at their limit for ever do not make a word wrap", "[kernels][compact_lif]",
                   Wide, Two, Narrow) {
  using Model = TestType;
  using Word = typename Model::PspWord;
  constexpr bool two = Model::receptors == 2;
  for (const double dt : {0.1, 1.0})
    for (const double rest : {-100.0, -65.0, -50.5}) {
      LifCell cell = usual;
      cell.v_rest_mv = rest;
      if (two) cell.tau_inh_ms = 10.0;
      const auto made = Model::parameters(cell, dt, {0.05, 0.05, Model::default_weight_bits},
                                          {0.2, static_cast<std::uint32_t>(2.0 / dt)});
      REQUIRE(made.ok());
      for (const int sign : {-1, 1, 0}) { // with two receptors 0 is both
        if (!two && sign == 0) continue;
        Cells<Model> cells(40);
        std::fill(cells.membrane.begin(), cells.membrane.end(), made.value().reset);
        cells.rest(made.value(), 1);
        std::uint32_t last = 0;
        for (std::uint32_t step_number = 1; step_number < 20000; ++step_number) {
          const std::array<std::int64_t, 2> psp{cells.psps.front()[0], cells.psps.back()[0]};
          const auto limit = static_cast<Word>(made.value().input_limit);
          for (std::size_t neuron = 0; neuron < 40; ++neuron) {
            if (two) {
              cells.inputs.front()[neuron] = sign >= 0 ? limit : Word{0};
              cells.inputs.back()[neuron] = sign <= 0 ? limit : Word{0};
            } else {
              cells.input[neuron] = static_cast<Word>(sign * limit);
            }
          }
          const std::uint32_t spikes = cells.step(made.value(), step_number);
          INFO("dt " << dt << " rest " << rest << " sign " << sign << " step " << step_number);
          if (sign < 0) REQUIRE(spikes == 0);
          // moves towards its end by less than a tenth of the word, so it cannot have wrapped
          const std::int64_t most = sizeof(Word) == 2 ? 6600 : 430'000'000;
          REQUIRE(std::abs(cells.psps.front()[0] - psp[0]) < most);
          REQUIRE(std::abs(cells.psps.back()[0] - psp[1]) < most);
          REQUIRE(cells.membrane[0] < 0);
          if (spikes != 0 && last != 0) REQUIRE(step_number - last > made.value().refractory.steps);
          if (spikes != 0) last = step_number;
        }
      }
    }
}

TEMPLATE_TEST_CASE("compact_lif: 16-bit input, signed or not, is taken only where it cannot make a word wrap",
                   "[kernels][compact_lif]", (std::pair<Wide, std::int16_t>), (std::pair<Wide, std::uint16_t>),
                   (std::pair<Two, std::int16_t>), (std::pair<Two, std::uint16_t>)) {
  using Model = typename TestType::first_type;
  using Element = typename TestType::second_type;
  constexpr std::int32_t most = (std::numeric_limits<Element>::max)();
  constexpr bool two = Model::receptors == 2;
  int taken = 0, refused = 0, refused_unsigned = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 100 : 600)) {
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
      return low * std::pow(high / low, static_cast<double>(random()) / 4294967295.0);
    };
    LifCell cell = two ? two_tau_cell : usual;
    cell.tau_m_ms = between(20.0, 300.0);
    cell.v_rest_mv = -50.0 - between(1.0, 100.0);
    const double largest = between(1e-3, 10.0);
    const auto made = Model::parameters(cell, 0.1, {largest, largest, 8 + static_cast<unsigned>(random() % 10)},
                                        {largest * between(1.0, 10.0), 1 + static_cast<std::uint32_t>(random() % 20)});
    if (!made.ok()) continue;
    const auto& parameters = made.value();
    Cells<Model> cells(2);
    std::fill(cells.membrane.begin(), cells.membrane.end(), parameters.reset);
    cells.rest(parameters, 0);
    std::array<std::array<Element, 2>, Model::receptors> words{};
    std::array<Element*, Model::receptors> inputs{};
    for (std::size_t which = 0; which < Model::receptors; ++which) inputs[which] = words[which].data();
    INFO("seed " << seed << ", input limit " << parameters.input_limit);
    const bool safe = parameters.input_limit >= (std::is_signed_v<Element> ? 32768 : 65535);
    for (std::uint32_t step_number = 0; step_number < 4000; ++step_number) {
      // inhibition alone, as much as there can be; excitation where one input has no sign
      for (Element& word : words[Model::receptors - 1])
        word = two || std::is_unsigned_v<Element> ? static_cast<Element>(most) : std::numeric_limits<Element>::min();
      const auto counts = Model::step(cells.state(), parameters, inputs, step_number, cells.spikes);
      REQUIRE(counts.ok() == safe);
      if (!safe) {
        REQUIRE(counts.status() == Status{Error::parameter_out_of_range, 0, parameters.input_limit, "input_limit"});
        break;
      }
      if (two || std::is_signed_v<Element>) REQUIRE(counts.value().spikes == 0);
      for (const std::int32_t psp : cells.psps[Model::receptors - 1])
        REQUIRE(std::abs(std::int64_t{psp}) <= parameters.psp_limit);
    }
    taken += safe ? 1 : 0;
    refused += safe ? 0 : 1;
    refused_unsigned += !safe && parameters.input_limit >= 32768 ? 1 : 0;
  }
  CHECK(taken > (sanitized ? 5 : 50));
  CHECK(refused > (sanitized ? 1 : 10));
  CHECK((refused_unsigned > 0) == std::is_unsigned_v<Element>);
}

TEST_CASE("compact_lif: a spike acts exactly delay steps later", "[kernels][compact_lif]") {
  const auto parameters = CompactLif<>::parameters(usual, 0.1, {0.05, 0.05, 16}, {0.5, 1}).value();
  Cells<CompactLif<>> with(1), without(1);
  with.membrane[0] = without.membrane[0] = -1000000;
  with.input[0] = 1000;
  with.step(parameters, 5), without.step(parameters, 5);
  CHECK(with.membrane[0] == without.membrane[0]);
  CHECK(with.psp[0] - without.psp[0] == 1000);
  CHECK(with.input[0] == 0); // taken
  with.step(parameters, 6), without.step(parameters, 6);
  CHECK(with.membrane[0] - without.membrane[0] == 1000);
}

TEST_CASE("compact_lif: what cannot be safe is refused", "[kernels][compact_lif]") {
  const auto status = [](LifCell cell, double dt, LifWeightRange range = {0.05, 0.05, 16}) {
    return CompactLif<>::parameters(cell, dt, range, {0.5, 1}).status();
  };
  CHECK(status(usual, 0.1).ok());
  CHECK(status(usual, 0.0) == Status{Error::parameter_not_positive, 0, 0.0, "dt_ms"});
  LifCell cell = usual;
  cell.tau_inh_ms = 10.0; // two time constants
  CHECK(status(cell, 0.1).error == Error::parameters_contradict);
  cell = usual, cell.tau_m_ms = 0.3;
  CHECK(status(cell, 0.1) == Status{Error::parameter_out_of_range, 0, 0.3, "tau_m_ms"});
  cell = usual, cell.tau_exc_ms = cell.tau_inh_ms = 5000.0;
  CHECK(status(cell, 0.1) == Status{Error::time_constant_too_long, 0, 5000.0, "tau_exc_ms"});
  cell = usual, cell.tau_m_ms = 100.0; // 1000 steps times 2^7 times 16 bits are more than a word
  CHECK(CompactLif<std::int16_t>::parameters(cell, 0.1, {0.05, 0.05, 11}, {0.2, 20}).status() ==
        Status{Error::time_constant_too_long, 0, 100.0, "tau_m_ms"});

  const auto parameters = CompactLif<>::parameters(usual, 0.1, {0.05, 0.05, 16}, {0.5, 1}).value();
  CHECK(CompactLif<>::weight(parameters, Receptor::inhibitory, 0.05).value() ==
        -CompactLif<>::weight(parameters, Receptor::excitatory, 0.05).value());
  CHECK(CompactLif<>::weight(parameters, Receptor::excitatory, 1e-9).status().error == Error::weight_vanishes);
  CHECK(CompactLif<>::weight(parameters, Receptor::excitatory, 1e9).status().error == Error::weight_out_of_range);
  CHECK(CompactLif<>::weight(parameters, Receptor::excitatory, -0.1).status().error == Error::weight_out_of_range);
  CHECK(CompactLif<>::weight(parameters, Receptor::inhibitory, -1e-9).status().error == Error::weight_out_of_range);
  cell = usual, cell.tau_inh_ms = 0.3;
  CHECK(Two::parameters(cell, 0.1, {0.05, 0.05, 16}, {0.5, 1}).status() ==
        Status{Error::parameter_out_of_range, 0, 0.3, "tau_inh_ms"});
  cell.tau_inh_ms = 5000.0;
  CHECK(Two::parameters(cell, 0.1, {0.05, 0.05, 16}, {0.5, 1}).status() ==
        Status{Error::time_constant_too_long, 0, 5000.0, "tau_inh_ms"});
  CHECK(
      Two::weight(Two::parameters(usual, 0.1, {0.05, 0.05, 16}, {0.5, 1}).value(), Receptor::inhibitory, 0.05).value() >
      0);
  CHECK(CompactLif<std::int16_t>::parameters(usual, 0.1, {0.05, 0.05, 16}, {0.2, 20}).status() ==
        Status{Error::parameter_out_of_range, 0, 16, "bits"});
  cell = usual, cell.tau_m_ms = 0.4, cell.t_refract_ms = 50.0; // put down every two steps
  CHECK(CompactLif<>::parameters(cell, 0.1, {0.05, 0.05, 16}, {0.5, 1}).ok());
  cell.t_refract_ms = 20000.0;
  CHECK(status(cell, 0.1) == Status{Error::parameter_out_of_range, 0, 20000.0, "t_refract_ms"});
  cell = usual, cell.tau_m_ms = 5.0, cell.v_rest_mv = -52.0, cell.t_refract_ms = 2.5;
  CHECK(CompactLif<>::row(parameters, cell, 0.1).ok());
  cell.t_refract_ms = 2.6; // longer than it stays down, and the others stay longer
  CHECK(CompactLif<>::row(parameters, cell, 0.1).status() ==
        Status{Error::parameter_out_of_range, 0, 2.6, "t_refract_ms"});
  cell = usual, cell.tau_m_ms = 1.0, cell.c_m_nf = 0.25;
  CHECK(CompactLif<>::row(parameters, cell, 0.1).status().error == Error::parameter_out_of_range);
  cell = usual, cell.c_m_nf = 0.01; // a row has no weights that could be too large
  CHECK(CompactLif<>::row(parameters, cell, 0.1).ok());
  cell = usual, cell.tau_m_ms = 7.0 * usual.tau_m_ms, cell.c_m_nf = 7.0 * usual.c_m_nf;
  CHECK(CompactLif<>::row(parameters, cell, 0.1).ok());
  cell.tau_m_ms = 8.5 * usual.tau_m_ms, cell.c_m_nf = 8.5 * usual.c_m_nf; // the psps of the others move it too far
  CHECK(CompactLif<>::row(parameters, cell, 0.1).status() ==
        Status{Error::time_constant_too_long, 0, 170.0, "tau_m_ms"});
  const auto fan_in = [&](LifFanIn all) {
    return CompactLif<>::parameters(usual, 0.1, {0.05, 0.05, 16}, all).status();
  };
  CHECK(fan_in({0.049, 1}) == Status{Error::parameter_out_of_range, 0, 0.049, "sum_na"}); // less than one weight
  CHECK(std::string(fan_in({std::nan(""), 1}).parameter) == "sum_na");
  CHECK(std::string(fan_in({1e12, 1}).parameter) == "sum_na");
  CHECK(fan_in({0.5, 0}) == Status{Error::parameter_not_positive, 0, 0U, "interval"});
  CHECK(fan_in({1e8, 20}) ==
        Status{Error::fan_in_too_large, 0, 100000000.0, "sum_na"}); // a weight would vanish beside it

  Cells<CompactLif<>> cells(8);
  const CompactLif<>::State state{cells.membrane, {cells.psp}, &cells.queue};
  CHECK(CompactLif<>::step(state, parameters, std::array{cells.input.data()}, 1, std::span{cells.spikes}.first(7))
            .status() == Status{Error::buffer_full, 0, 7, "spikes"});
  std::array<RefractoryQueue::Entry, 5> few{};
  RefractoryQueue short_queue{few};
  const CompactLif<>::State queued{cells.membrane, {cells.psp}, &short_queue},
      unqueued{cells.membrane, {cells.psp}, {}};
  CHECK(CompactLif<>::step(queued, parameters, std::array{cells.input.data()}, 1, cells.spikes).status() ==
        Status{Error::buffer_full, 0, 5, "queue"});
  CHECK(CompactLif<>::step(unqueued, parameters, std::array{cells.input.data()}, 1, cells.spikes).status() ==
        Status{Error::buffer_full, 0, 0, "queue"});
  const CompactLif<>::State shorter{cells.membrane, {std::span{cells.psp}.first(3)}, &cells.queue};
  CHECK(CompactLif<>::step(shorter, parameters, std::array{cells.input.data()}, 1, cells.spikes).status() ==
        Status{Error::lengths_differ, 0, 3, "psp"});
  const std::vector<std::int32_t> reset(8, parameters.reset);
  const std::vector<std::uint32_t> refractory(8, 1), rows(6, 0);
  const CompactLif<>::Table table{rows, reset, refractory, parameters};
  CHECK(CompactLif<>::step(state, table, std::array{cells.input.data()}, 1, cells.spikes).status() ==
        Status{Error::lengths_differ, 1, 6, "constants"});
  CHECK(cells.membrane == std::vector<std::int32_t>(8, -1));
}

TEST_CASE("compact_lif: runs at compile time", "[kernels][compact_lif]") {
  constexpr auto fired = [] {
    constexpr auto parameters = CompactLif<>::parameters(usual, 0.1, {0.05, 0.05, 16}, {0.5, 1}).value();
    std::array<std::int32_t, 3> membrane{-1, -100000000, -5}, psp{1 << 20, 0, -100}, input{};
    std::array<std::uint32_t, 3> spikes{99, 99, 99};
    std::array<RefractoryQueue::Entry, 3> entries{};
    RefractoryQueue queue{entries};
    const auto counts = CompactLif<>::step({membrane, {psp}, &queue}, parameters, std::array{input.data()}, 1, spikes);
    return std::array{counts.value().spikes, spikes[0], queue.count};
  }();
  STATIC_REQUIRE(fired == std::array<std::uint32_t, 3>{1, 0, 1});
}

TEMPLATE_TEST_CASE("compact_lif: without input every neuron that is accepted comes to rest where it should",
                   "[kernels][compact_lif]", Wide, Two, Narrow) {
  unsigned accepted = 0;
  for (const double tau_m : {4.1, 4.5, 5.0, 10.0, 20.0})
    for (const double tau_s : {4.1, 4.5, 6.0, 10.0})
      for (const double rest : {-52.0, -65.0, -80.0, -120.0})
        for (const double largest : {0.0005, 0.001, 0.05, 0.2})
          for (const unsigned bits : {14U, 16U, 18U, 24U}) {
            LifCell cell = usual;
            cell.tau_m_ms = tau_m, cell.tau_exc_ms = cell.tau_inh_ms = tau_s;
            cell.v_rest_mv = rest, cell.v_reset_mv = -70.0, cell.v_threshold_mv = -50.0, cell.i_offset_na = 0.0;
            const auto made = TestType::parameters(cell, 1.0, {largest, largest, bits}, {100 * largest, 20});
            if (!made) continue;
            ++accepted;
            Cells<TestType> cells(2);
            std::fill(cells.membrane.begin(), cells.membrane.end(), made.value().reset);
            cells.rest(made.value(), 1);
            INFO("tau_m " << tau_m << ", tau_s " << tau_s << ", rest " << rest << ", largest " << largest << ", bits "
                          << bits);
            for (std::uint32_t step_number = 1; step_number <= 400; ++step_number)
              REQUIRE(cells.step(made.value(), step_number) == 0);
            for (std::size_t neuron = 0; neuron < 2; ++neuron)
              REQUIRE(TestType::membrane_mv(made.value(), cells.state(), neuron) == Approx(rest).margin(0.5));
          }
  CHECK(accepted > 50);
}
