// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <type_traits>
#include <vector>

#include <neuromorph/kernels/compact_lif.hpp>
#include <neuromorph/kernels/population.hpp>
#include <neuromorph/kernels/ring_buffer.hpp>
#include <neuromorph/kernels/synaptic_row.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/lif_cells.hpp"

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
  void rest(const typename Model::Parameters& parameters, std::uint32_t tick) {
    for (std::size_t which = 0; which < Model::psp_count; ++which)
      std::fill(psps[which].begin(), psps[which].end(), Model::psp_at_rest(parameters, tick)[which]);
  }
  template <class Source>
  std::uint32_t step(const Source& constants, std::uint32_t tick) {
    const auto counts = Model::step(state(), constants, inputs_at(), tick, spikes);
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

/// Largest distance from the exact solution, as a share of threshold - rest, under random input below threshold.
template <class Model>
double largest_error(const LifCell& cell, double dt, double seconds, bool by_row,
                     unsigned bits = Model::default_weight_bits, bool wandering = true, double activity = 1.0) {
  auto parameters = Model::parameters(cell, dt, {0.02, 0.05, bits}).value();
  if (!wandering) parameters.psp_spread = 0, parameters.psp_offset += 32768; // half a unit that a floor loses
  constexpr std::size_t count = 64;
  Cells<Model> cells(count);
  std::vector<std::uint32_t> own(count);
  std::vector<std::int32_t> resets(count);
  std::vector<std::uint32_t> periods(count);
  typename Model::Parameters shown = parameters;
  const long double c = cell.c_m_nf, tau_m = cell.tau_m_ms, h = dt;
  const std::array<long double, 2> tau{cell.tau_exc_ms, cell.tau_inh_ms};
  const long double decay_m = std::exp(-h / tau_m);
  std::array<long double, 2> decay_s{}, coupling{};
  for (std::size_t which = 0; which < 2; ++which) {
    decay_s[which] = std::exp(-h / tau[which]);
    coupling[which] = tau_m == tau[which] ? h * decay_m / c
                                          : (decay_m - decay_s[which]) * tau_m * tau[which] / (tau_m - tau[which]) / c;
  }
  if constexpr (Model::psp_count == 1 && sizeof(typename Model::PspWord) == 4) {
    if (by_row) {
      const auto row = Model::row(parameters, cell, dt);
      REQUIRE(row.ok());
      std::fill(own.begin(), own.end(), row.value().step);
      std::fill(resets.begin(), resets.end(), row.value().reset);
      std::fill(periods.begin(), periods.end(), row.value().refractory);
      shown.unit_bits -= Model::table_shift;
    }
  }
  if (!by_row) cells.rest(parameters, 1);
  std::fill(cells.membrane.begin(), cells.membrane.end(), Model::membrane(shown, cell.v_rest_mv).value());
  const auto exc = Model::weight(parameters, Receptor::excitatory, 0.02).value();
  const auto inh = Model::weight(parameters, Receptor::inhibitory, 0.05).value();
  // the weights as they are after rounding, which is no error of the step
  const auto na = [&](std::int32_t weight, std::size_t receptor) {
    return weight / std::ldexp(parameters.psp_per_na[receptor], parameters.unit_bits);
  };
  const long double exc_na = na(exc, 0), inh_na = na(inh, Model::receptors - 1);
  constexpr bool at_once = sizeof(typename Model::PspWord) == 2; // input acts from the beginning of its step
  constexpr long double sign = Model::receptors == 2 ? -1 : 1;   // of inhibitory weights
  std::vector<long double> v(count, cell.v_rest_mv);
  std::vector<std::array<long double, 2>> current(count);
  std::mt19937 random(12);
  double worst = 0.0;
  for (std::uint32_t tick = 1; tick <= static_cast<std::uint32_t>(seconds * 1000.0 / dt); ++tick) {
    for (std::size_t neuron = 0; neuron < count; ++neuron) {
      const bool spike_e = static_cast<double>(random()) < 0.6 * activity * dt * 4294967296.0;
      const bool spike_i = static_cast<double>(random()) < 0.15 * activity * dt * 4294967296.0;
      const std::array<long double, 2> arriving{spike_e ? exc_na : 0.0L, spike_i ? sign * inh_na : 0.0L};
      v[neuron] = cell.v_rest_mv + (v[neuron] - cell.v_rest_mv) * decay_m;
      for (std::size_t which = 0; which < 2; ++which) {
        if (at_once) current[neuron][which] += arriving[which];
        v[neuron] += current[neuron][which] * coupling[which];
        current[neuron][which] = current[neuron][which] * decay_s[which] + (at_once ? 0.0L : arriving[which]);
      }
      cells.inputs.front()[neuron] = static_cast<typename Model::PspWord>(spike_e ? exc : 0);
      cells.inputs.back()[neuron] = static_cast<typename Model::PspWord>(
          (spike_i ? inh : 0) + (Model::receptors == 1 ? cells.inputs.front()[neuron] : 0));
    }
    if constexpr (sizeof(typename Model::PspWord) == 4 && Model::psp_count == 1) {
      if (by_row)
        REQUIRE(cells.step(typename Model::Table{own, resets, periods, parameters}, tick) == 0);
      else
        REQUIRE(cells.step(parameters, tick) == 0);
    } else {
      REQUIRE(cells.step(parameters, tick) == 0);
    }
    for (std::size_t neuron = 0; neuron < count; ++neuron)
      worst = std::max(worst,
                       static_cast<double>(std::fabs(Model::membrane_mv(shown, cells.membrane[neuron]) - v[neuron])));
  }
  return worst / (cell.v_threshold_mv - cell.v_rest_mv);
}

} // namespace

TEST_CASE("compact_lif: stays close to the exact solution over 10 s", "[kernels][compact_lif]") {
  LifCell equal = usual;
  equal.tau_m_ms = equal.tau_exc_ms = equal.tau_inh_ms = 10.0;
  for (const double dt : {0.1, 1.0}) {
    const double words = largest_error<CompactLif<>>(usual, dt, 10.0, false);
    const double equal_taus = largest_error<CompactLif<>>(equal, dt, 10.0, false);
    const double halves = largest_error<CompactLif<std::int16_t>>(usual, dt, 10.0, false);
    std::printf("dt %.1f ms: error / (threshold - rest): 32 bits %.2e, equal taus %.2e, 16 bits %.2e\n", dt, words,
                equal_taus, halves);
    LifCell two = usual;
    two.tau_inh_ms = 10.0;
    const double both = largest_error<Two>(two, dt, 10.0, false);
    LifCell equal_two = equal; // of the membrane and of excitation
    equal_two.tau_inh_ms = 5.0;
    const double equal_both = largest_error<Two>(equal_two, dt, 10.0, false);
    std::printf("dt %.1f ms: two time constants %.2e, one of them the membrane's %.2e\n", dt, both, equal_both);
    CHECK(both < 1e-4);
    CHECK(equal_both < 1e-4);
    CHECK(words < 1e-4);
    CHECK(equal_taus < 1e-4);
    CHECK(halves < 1e-3);
  }
  // decays of a row have 16 bits and no dither
  const double rows = largest_error<CompactLif<>>(usual, 0.1, 10.0, true);
  std::printf("dt 0.1 ms: constants by neuron %.2e\n", rows);
  CHECK(rows < 1e-4);
}

TEST_CASE("compact_lif: what 16 bits cost, and what the wandering origin is good for", "[kernels][compact_lif]") {
  using Model = CompactLif<std::int16_t>;
  for (const double dt : {0.1, 1.0}) {
    double coarser = 0.0;
    for (const unsigned bits : {7U, 9U, 11U}) {
      const double error = largest_error<Model>(usual, dt, 3.0, false, bits);
      std::printf("dt %.1f ms, largest weight of %2u bits, room for %3u: %.2e\n", dt, bits, 1U << (15 - bits), error);
      if (coarser != 0.0) CHECK(error < coarser);
      coarser = error;
    }
    CHECK(coarser < 1e-3);
    // quiet neurons, whose psps stay in one place for long
    std::array<double, 2> quiet{};
    for (const double rest : {-65.0, -62.0, -60.0, -70.0})
      for (const bool wandering : {false, true}) {
        LifCell cell = usual;
        cell.v_rest_mv = rest;
        quiet[wandering] = std::max(quiet[wandering], largest_error<Model>(cell, dt, 1.0, false, 11, wandering, 0.1));
      }
    std::printf("dt %.1f ms, 11 bits, a tenth of the input: %.2e, origin at rest %.2e\n", dt, quiet[1], quiet[0]);
    CHECK(quiet[1] < 1e-3);
    CHECK(quiet[0] > (dt < 0.5 ? 4.0 : 1.1) * quiet[1]);
  }
}

TEST_CASE("compact_lif: as many largest weights as promised fit in a packed psp", "[kernels][compact_lif]") {
  using Model = CompactLif<std::int16_t>;
  for (const double dt : {0.1, 1.0})
    for (const unsigned bits : {6U, 8U, 11U, 13U})
      for (const double rest : {-100.0, -65.0, -50.5}) {
        LifCell cell = usual;
        cell.v_rest_mv = rest;
        const auto made = Model::parameters(cell, dt, {0.05, 0.05, bits});
        INFO("dt " << dt << ", " << bits << " bits, rest " << rest);
        REQUIRE(made.ok());
        const std::int32_t largest = Model::weight(made.value(), Receptor::excitatory, 0.05).value();
        CHECK(largest < 1 << bits);
        CHECK(largest > 0);
        for (const int sign : {-1, 1})
          for (std::uint32_t tick = 1; tick < 100; ++tick) {
            const std::int32_t full = Model::psp_at_rest(made.value(), tick)[0] + sign * (largest << (15 - bits));
            CHECK(full == static_cast<std::int16_t>(full));
          }
      }
}

TEST_CASE("compact_lif: a sum that wraps in a packed psp is refused where calls are checked",
          "[kernels][compact_lif]") {
  using Model = CompactLif<std::int16_t>;
  const auto parameters = Model::parameters(usual, 0.1, {0.05, 0.05, 11}).value();
  Cells<Model> cells(4);
  cells.psp[2] = cells.input[2] = 20000;
  const auto before = cells.psp;
  const auto status = Model::step({cells.membrane, {cells.psp}, &cells.queue}, parameters,
                                  std::array{cells.input.data()}, 1, cells.spikes)
                          .status();
  if (NEUROMORPH_CHECKS > 0) {
    CHECK(status == Status{Error::weight_out_of_range, 2, 20000});
    CHECK(cells.psp == before);
    CHECK(cells.input[2] == 20000);
  } else {
    CHECK(status.ok());
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
  const auto made = Model::parameters(cell, 0.1, {0.1, 0.1, narrow ? 11 : 16});
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
  for (std::uint32_t tick = 1; tick < 20000; ++tick) {
    for (const std::uint32_t neuron : compact.step(ring, tick)) found[neuron].push_back(tick);
    for (const std::uint32_t neuron : plain.step(plain_ring, tick)) expected[neuron].push_back(tick);
    for (int event = 0; event < 3; ++event) {
      const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
      const std::uint32_t which = draw(3) == 0 ? 1 : 0, delay = 1 + draw(6), neuron = draw(count);
      const std::int32_t weight = Model::weight(made.value(), receptors[which], 0.05).value();
      const auto word = Word::encode({weight, delay + later, two ? which : 0, neuron});
      const auto same =
          LifWord::encode({static_cast<std::int32_t>(Reference::weight(other.value(), receptors[which], 0.05).value()),
                           delay, which, neuron});
      REQUIRE((word.ok() && same.ok()));
      add_row(ring, std::span{&word.value(), 1}, tick);
      add_row(plain_ring, std::span{&same.value(), 1}, tick);
    }
  }
  CHECK(compact.status().ok());
  std::size_t together = 0, all = 0;
  for (std::size_t neuron = 0; neuron < count; ++neuron) {
    all += expected[neuron].size();
    for (const std::uint32_t tick : expected[neuron])
      together += std::binary_search(found[neuron].begin(), found[neuron].end(), tick) ? 1U : 0U;
    CHECK(std::abs(static_cast<int>(found[neuron].size()) - static_cast<int>(expected[neuron].size())) <= 1);
  }
  std::printf("%zu of %zu spikes in the same step as Lif<%zu>\n", together, all, Model::receptors);
  CHECK(all > 500);
  CHECK(static_cast<double>(together) > (narrow ? 0.7 : 0.97) * static_cast<double>(all));
}

TEST_CASE("compact_lif: a population says why a step is refused, which changes nothing", "[kernels][compact_lif]") {
  LifCell cell = usual;
  cell.tau_m_ms = 300.0, cell.tau_exc_ms = cell.tau_inh_ms = 1000.0; // 16 bits at every step for ever are too much
  const auto parameters = CompactLif<>::parameters(cell, 0.1, {0.05, 0.05, 8}).value();
  REQUIRE(parameters.input_limit < 32768);
  Population<CompactLif<>, 4> population(parameters, -1);
  RingBuffer<SynapticWord<4, 0, 4>, std::int16_t> ring;
  ring.slot(1, 0)[2] = 7;
  CHECK(population.step(ring, 1).empty());
  CHECK(population.status() == Status{Error::parameter_out_of_range, 13, parameters.input_limit});
  CHECK(ring.slot(1, 0)[2] == 7);
  CHECK(population.state().membrane[0] == -1);
}

TEST_CASE("compact_lif: the refractory period lasts exactly what the parameter says", "[kernels][compact_lif]") {
  // 5000 steps are longer than a neuron stays below threshold by itself
  for (const int refractory_steps : {0, 1, 2, 20, 99, 100, 101, 500, 5000}) {
    LifCell cell = usual;
    cell.t_refract_ms = refractory_steps * 0.1;
    cell.i_offset_na = 1.0; // rest becomes 15 mV above threshold
    const auto parameters = CompactLif<>::parameters(cell, 0.1, {0.1, 0.1, 16}).value();
    const double rest = -65.0 + 80.0;
    const int crossing = static_cast<int>(std::ceil(20.0 / 0.1 * std::log((rest + 70.0) / (rest + 50.0))));
    Cells<CompactLif<>> cells(1);
    cells.membrane[0] = parameters.reset;
    cells.psp[0] = parameters.psp_at_rest;
    std::vector<std::uint32_t> times;
    for (std::uint32_t tick = 0xFFFFFF00U; times.size() < 4; ++tick)
      if (cells.step(parameters, tick) == 1) times.push_back(tick);
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
      const auto made = Model::parameters(cell, dt, {0.05, 0.05, Model::default_weight_bits});
      REQUIRE(made.ok());
      for (const int sign : {-1, 1, 0}) { // with two receptors 0 is both
        if (!two && sign == 0) continue;
        Cells<Model> cells(40);
        std::fill(cells.membrane.begin(), cells.membrane.end(), made.value().reset);
        cells.rest(made.value(), 1);
        std::uint32_t last = 0;
        for (std::uint32_t tick = 1; tick < 20000; ++tick) {
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
          const std::uint32_t spikes = cells.step(made.value(), tick);
          INFO("dt " << dt << " rest " << rest << " sign " << sign << " tick " << tick);
          if (sign < 0) REQUIRE(spikes == 0);
          // moves towards its end by less than a tenth of the word, so it cannot have wrapped
          const std::int64_t most = sizeof(Word) == 2 ? 6600 : 430'000'000;
          REQUIRE(std::abs(cells.psps.front()[0] - psp[0]) < most);
          REQUIRE(std::abs(cells.psps.back()[0] - psp[1]) < most);
          REQUIRE(cells.membrane[0] < 0);
          if (spikes != 0 && last != 0) REQUIRE(tick - last > made.value().refractory.steps);
          if (spikes != 0) last = tick;
        }
      }
    }
}

TEST_CASE("compact_lif: a spike acts exactly delay steps later", "[kernels][compact_lif]") {
  const auto parameters = CompactLif<>::parameters(usual, 0.1, {0.05, 0.05, 16}).value();
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
    return CompactLif<>::parameters(cell, dt, range).status();
  };
  CHECK(status(usual, 0.1).ok());
  CHECK(status(usual, 0.0) == Status{Error::parameter_not_positive, 10, 0});
  LifCell cell = usual;
  cell.tau_inh_ms = 10.0; // two time constants
  CHECK(status(cell, 0.1).error == Error::parameters_contradict);
  cell = usual, cell.tau_m_ms = 0.3;
  CHECK(status(cell, 0.1) == Status{Error::parameter_out_of_range, 0, 0});
  cell = usual, cell.tau_exc_ms = cell.tau_inh_ms = 5000.0;
  CHECK(status(cell, 0.1) == Status{Error::time_constant_too_long, 1, 5000});
  cell = usual, cell.tau_m_ms = 100.0; // 1000 steps times 2^7 times 16 bits are more than a word
  CHECK(CompactLif<std::int16_t>::parameters(cell, 0.1, {0.05, 0.05, 11}).status() ==
        Status{Error::time_constant_too_long, 0, 100});

  const auto parameters = CompactLif<>::parameters(usual, 0.1, {0.05, 0.05, 16}).value();
  CHECK(CompactLif<>::weight(parameters, Receptor::inhibitory, 0.05).value() ==
        -CompactLif<>::weight(parameters, Receptor::excitatory, 0.05).value());
  CHECK(CompactLif<>::weight(parameters, Receptor::excitatory, 1e-9).status().error == Error::weight_vanishes);
  CHECK(CompactLif<>::weight(parameters, Receptor::excitatory, 1e9).status().error == Error::weight_out_of_range);
  CHECK(CompactLif<>::weight(parameters, Receptor::excitatory, -0.1).status().error == Error::weight_out_of_range);
  cell = usual, cell.tau_inh_ms = 0.3;
  CHECK(Two::parameters(cell, 0.1, {0.05, 0.05, 16}).status() == Status{Error::parameter_out_of_range, 2, 0});
  cell.tau_inh_ms = 5000.0;
  CHECK(Two::parameters(cell, 0.1, {0.05, 0.05, 16}).status() == Status{Error::time_constant_too_long, 2, 5000});
  CHECK(Two::weight(Two::parameters(usual, 0.1, {0.05, 0.05, 16}).value(), Receptor::inhibitory, 0.05).value() > 0);
  CHECK(CompactLif<std::int16_t>::parameters(usual, 0.1, {0.05, 0.05, 16}).status() ==
        Status{Error::parameter_out_of_range, 13, 16});
  cell = usual, cell.tau_m_ms = 0.4, cell.t_refract_ms = 50.0; // put down every two steps
  CHECK(CompactLif<>::parameters(cell, 0.1, {0.05, 0.05, 16}).ok());
  cell.t_refract_ms = 20000.0;
  CHECK(status(cell, 0.1) == Status{Error::parameter_out_of_range, 8, 200000});
  cell = usual, cell.tau_m_ms = 5.0, cell.v_rest_mv = -52.0, cell.t_refract_ms = 2.5;
  CHECK(CompactLif<>::row(parameters, cell, 0.1).ok());
  cell.t_refract_ms = 2.6; // longer than it stays down, and the others stay longer
  CHECK(CompactLif<>::row(parameters, cell, 0.1).status() == Status{Error::parameter_out_of_range, 8, 3});
  cell = usual, cell.tau_m_ms = 1.0, cell.c_m_nf = 0.25;
  CHECK(CompactLif<>::row(parameters, cell, 0.1).status().error == Error::parameter_out_of_range);

  Cells<CompactLif<>> cells(8);
  const CompactLif<>::State state{cells.membrane, {cells.psp}, &cells.queue};
  CHECK(CompactLif<>::step(state, parameters, std::array{cells.input.data()}, 1, std::span{cells.spikes}.first(7))
            .status() == Status{Error::buffer_full, 0, 7});
  const CompactLif<>::State shorter{cells.membrane, {std::span{cells.psp}.first(3)}, &cells.queue};
  CHECK(CompactLif<>::step(shorter, parameters, std::array{cells.input.data()}, 1, cells.spikes).status() ==
        Status{Error::lengths_differ, 0, 3});
  CHECK(cells.membrane == std::vector<std::int32_t>(8, -1));
}

TEST_CASE("compact_lif: runs at compile time", "[kernels][compact_lif]") {
  constexpr auto fired = [] {
    constexpr auto parameters = CompactLif<>::parameters(usual, 0.1, {0.05, 0.05, 16}).value();
    std::array<std::int32_t, 3> membrane{-1, -100000000, -5}, psp{1 << 20, 0, -100}, input{};
    std::array<std::uint32_t, 3> spikes{99, 99, 99};
    std::array<RefractoryQueue::Entry, 3> entries{};
    RefractoryQueue queue{entries};
    const auto counts = CompactLif<>::step({membrane, {psp}, &queue}, parameters, std::array{input.data()}, 1, spikes);
    return std::array{counts.value().spikes, spikes[0], queue.count};
  }();
  STATIC_REQUIRE(fired == std::array<std::uint32_t, 3>{1, 0, 1});
}
