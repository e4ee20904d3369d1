// SPDX-License-Identifier: BSL-1.0
// One step of 4000 LIF neurons, in neuron updates per second. Every variant gets the same input: in each step a weight
// for one neuron in sixteen, four of five excitatory. The input is laid into a ring of sixteen slots, as rows would do,
// outside the measured time; then sixteen steps are timed, which read and clear it.
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <benchmark/benchmark.h>
#include <neuromorph/neuromorph.hpp>

#include "cuba_double.hpp"
#include "network.hpp"
#include "plain_lif.hpp"
#include "support.hpp"

namespace bench {
namespace {

namespace nm = neuromorph;

constexpr std::size_t neurons = 4000;
constexpr std::size_t ring_steps = 16;
constexpr std::size_t slot = 4096; // elements of a ring slot
constexpr std::size_t rounds = 32; // rounds of the ring until the input repeats
constexpr double dt_ms = 0.1;

struct Arrival {
  std::uint32_t neuron;
  bool inhibitory;
};

std::vector<Arrival> const& arrivals() {
  static const auto list = [] {
    std::mt19937 source(1);
    std::vector<Arrival> made(rounds * ring_steps * neurons / 16);
    for (auto& one : made) one = {static_cast<std::uint32_t>(source() % neurons), source() % 5 == 0};
    return made;
  }();
  return list;
}
std::span<const Arrival> arrivals(std::uint32_t step_number) {
  constexpr std::size_t per_step = neurons / 16;
  return std::span{arrivals()}.subspan(step_number % (rounds * ring_steps) * per_step, per_step);
}

/// Initial membranes between reset (0) and threshold (1).
double initial(std::size_t neuron) { return static_cast<double>(neuron * 7919 % neurons) / neurons; }

template <class Model>
constexpr nm::LifCell cell() {
  nm::LifCell made = cuba::cell;
  if constexpr (Model::psp_count == 1) made.tau_inh_ms = made.tau_exc_ms;
  return made;
}

template <class Model>
constexpr bool packed = std::is_same_v<Model, nm::PackedLif>;
template <class Model>
using Element = std::conditional_t<packed<Model>, std::uint16_t, std::int32_t>;
constexpr nm::LifWeightRange weight_range(unsigned bits) {
  return {cuba::excitatory_weight_na, cuba::inhibitory_weight_na, bits};
}

/// Fixed point; `Each`: constants of each neuron by itself.
template <class Model, class Target, bool Each>
class Fixed {
public:
  Fixed() {
    benchmark::DoNotOptimize(count_); // the library must not know it when it is compiled
    for (std::size_t neuron = 0; neuron < neurons; ++neuron)
      membrane_[neuron] = static_cast<std::int32_t>(reset() * (1.0 - initial(neuron))) - 1;
    if constexpr (Each) {
      const auto& constants = parameters_.constants;
      const auto column = [&](std::int32_t value) { return Column(neurons, value); };
      columns_ = {column(constants.membrane_decay),
                  column(constants.psp_decay.front()),
                  column(constants.psp_decay.back()),
                  column(constants.drift),
                  column(constants.reset),
                  column(constants.after_spike)};
    }
    for (const auto receptor : {nm::Receptor::excitatory, nm::Receptor::inhibitory})
      weights_.push_back(
          Model::weight(parameters_, receptor,
                        receptor == nm::Receptor::excitatory ? cuba::excitatory_weight_na : cuba::inhibitory_weight_na)
              .value());
  }
  void fill(std::uint32_t step_number) {
    for (const auto& one : arrivals(step_number)) {
      auto& element = input_[step_number % ring_steps][one.inhibitory][one.neuron];
      element = static_cast<Element<Model>>(element + static_cast<Element<Model>>(weights_[one.inhibitory]));
    }
  }
  std::size_t step(std::uint32_t step_number) {
    auto& arriving = input_[step_number % ring_steps];
    const std::array<Element<Model>*, 2> input{arriving[0].data(), arriving[1].data()};
    typename Model::State state{std::span{membrane_}.first(count_), {}};
    for (std::size_t which = 0; which < Model::psp_count; ++which)
      state.psp[which] = std::span{psp_[which]}.first(count_);
    if constexpr (Each) {
      typename Model::Table table{columns_[0], {}, columns_[3], columns_[4], columns_[5], parameters_.scale};
      for (std::size_t which = 0; which < Model::psp_count; ++which) table.psp_decay[which] = columns_[1 + which];
      return Model::template step<Target>(state, table, input, step_number, spikes_).value().spikes;
    } else {
      return Model::template step<Target>(state, parameters_, input, step_number, spikes_).value().spikes;
    }
  }
  [[nodiscard]] std::uint64_t digest() const {
    nm::Digest digest;
    digest.add(std::span<const std::int32_t>{membrane_});
    for (const auto& words : psp_) digest.add(std::span<const std::int32_t>{words});
    return digest.value();
  }

private:
  using Column = std::vector<std::int32_t>;
  [[nodiscard]] std::int32_t reset() const {
    if constexpr (packed<Model>)
      return parameters_.reset;
    else
      return parameters_.constants.reset;
  }
  std::size_t count_ = neurons;
  typename Model::Parameters parameters_ =
      Model::parameters(packed<Model> ? cuba::cell : cell<Model>(), dt_ms, weight_range(packed<Model> ? 12 : 16))
          .value();
  alignas(64) std::array<std::int32_t, neurons> membrane_{};
  alignas(64) std::array<std::array<std::int32_t, neurons>, Model::psp_count> psp_{};
  alignas(64) std::array<std::array<std::array<Element<Model>, slot>, 2>, ring_steps> input_{};
  std::array<Column, 6> columns_;
  std::vector<std::uint32_t> weights_, spikes_ = std::vector<std::uint32_t>(neurons);
};

/// The same model, plain, in doubles.
class Plain {
public:
  Plain() {
    const reference::Cell cell;
    const reference::Propagators step(cell, dt_ms);
    constants_ = {step.membrane,
                  step.excitatory,
                  step.inhibitory,
                  step.from_excitatory * 1000.0,
                  step.from_inhibitory * 1000.0,
                  cell.v_reset_mv - cell.v_rest_mv,
                  cell.v_threshold_mv - cell.v_rest_mv,
                  static_cast<std::int32_t>(std::lround(cell.t_refract_ms / dt_ms))};
    for (std::size_t neuron = 0; neuron < neurons; ++neuron)
      state_.v[neuron] =
          constants_.threshold + (constants_.reset - constants_.threshold) * (1.0 - initial(neuron)) - 1e-6;
  }
  void fill(std::uint32_t step_number) {
    for (const auto& one : arrivals(step_number))
      input_[step_number % ring_steps][one.inhibitory][one.neuron] +=
          one.inhibitory ? cuba::inhibitory_weight_na : cuba::excitatory_weight_na;
  }
  std::size_t step(std::uint32_t step_number) {
    auto& arriving = input_[step_number % ring_steps];
    return plain_lif_step(state_, constants_, arriving[0].data(), arriving[1].data(), spikes_.data());
  }

private:
  PlainLifConstants constants_{};
  PlainLif state_{std::vector<double>(neurons), std::vector<double>(neurons), std::vector<double>(neurons),
                  std::vector<std::int32_t>(neurons)};
  std::array<std::array<std::array<double, slot>, 2>, ring_steps> input_{};
  std::vector<std::uint32_t> spikes_ = std::vector<std::uint32_t>(neurons);
};

/// Reads and writes the arrays of the fixed-point model and does nothing else; this loop vectorises.
class ReadWrite {
public:
  void fill(std::uint32_t step_number) {
    for (const auto& one : arrivals(step_number)) input_[step_number % ring_steps][one.inhibitory][one.neuron] += 1;
  }
  std::size_t step(std::uint32_t step_number) {
    std::int32_t* __restrict const membrane = membrane_.data();
    std::int32_t* __restrict const excitatory = psp_[0].data();
    std::int32_t* __restrict const inhibitory = psp_[1].data();
    std::int32_t* __restrict const excitatory_input = input_[step_number % ring_steps][0].data();
    std::int32_t* __restrict const inhibitory_input = input_[step_number % ring_steps][1].data();
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      membrane[neuron] ^= 1;
      excitatory[neuron] ^= excitatory_input[neuron];
      inhibitory[neuron] ^= inhibitory_input[neuron];
      excitatory_input[neuron] = 0;
      inhibitory_input[neuron] = 0;
    }
    return 0;
  }

private:
  alignas(64) std::array<std::int32_t, neurons> membrane_{};
  alignas(64) std::array<std::array<std::int32_t, neurons>, 2> psp_{};
  alignas(64) std::array<std::array<std::array<std::int32_t, slot>, 2>, ring_steps> input_{};
};

template <class Population>
void time_population(benchmark::State& state) {
  static Population population;
  static std::uint32_t step_number = 0;
  std::size_t spikes = 0;
  for (auto _ : state) {
    for (std::uint32_t ahead = 1; ahead <= ring_steps; ++ahead) population.fill(step_number + ahead);
    double const start = thread_seconds();
    for (std::size_t step = 0; step < ring_steps; ++step) spikes += population.step(++step_number);
    benchmark::ClobberMemory();
    state.SetIterationTime(thread_seconds() - start);
  }
  const auto updates = static_cast<double>(state.iterations()) * ring_steps * neurons;
  state.SetItemsProcessed(static_cast<std::int64_t>(updates));
  state.counters["rate_hz"] = static_cast<double>(spikes) / updates * 1000.0 / dt_ms;
}

template <class Population>
std::size_t spikes_of_two_seconds(Population& population, std::vector<std::uint64_t>* digests = nullptr) {
  std::size_t spikes = 0;
  for (std::uint32_t step_number = 1; step_number <= 20000; ++step_number) {
    population.fill(step_number);
    spikes += population.step(step_number);
    if constexpr (requires { population.digest(); })
      if (digests != nullptr && step_number % 500 == 0) digests->push_back(population.digest());
  }
  return spikes;
}

template <class Model, bool Each>
void register_pair(std::string const& variant) {
  static Fixed<Model, nm::target::Native, Each> native;
  static Fixed<Model, nm::target::Generic, Each> generic;
  std::vector<std::uint64_t> of_native, of_generic;
  spikes_of_two_seconds(native, &of_native);
  spikes_of_two_seconds(generic, &of_generic);
  expect(of_native == of_generic, "the LIF step differs between the native and the generic backend");
  const auto name = [&](const char* backend) {
    return std::string("lif/").append(variant).append(backend).append(std::to_string(neurons));
  };
  benchmark::RegisterBenchmark(name("/native/").c_str(), time_population<Fixed<Model, nm::target::Native, Each>>)
      ->UseManualTime();
  benchmark::RegisterBenchmark(name("/generic/").c_str(), time_population<Fixed<Model, nm::target::Generic, Each>>)
      ->UseManualTime();
}

} // namespace

void register_lif() {
  static Fixed<nm::Lif<2>, nm::target::Native, false> fixed;
  static Plain plain;
  const auto fixed_spikes = static_cast<double>(spikes_of_two_seconds(fixed));
  const auto plain_spikes = static_cast<double>(spikes_of_two_seconds(plain));
  expect(fixed_spikes > 0.98 * plain_spikes && fixed_spikes < 1.02 * plain_spikes,
         "the LIF step fires at another rate than the plain loop of the same model");
  register_pair<nm::Lif<2>, false>("shared");
  register_pair<nm::PackedLif, false>("packed");
  register_pair<nm::Lif<2>, true>("per_neuron");
  register_pair<nm::Lif<1>, false>("one_time_constant");
  register_pair<nm::Lif<2, nm::rounding::Nearest>, false>("nearest");
  benchmark::RegisterBenchmark("lif/shared/plain_double/4000", time_population<Plain>)->UseManualTime();
  benchmark::RegisterBenchmark("lif/shared/read_write/4000", time_population<ReadWrite>)->UseManualTime();
}

} // namespace bench
