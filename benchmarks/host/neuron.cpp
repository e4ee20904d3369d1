// SPDX-License-Identifier: BSL-1.0
// One step of each composition that has a name, on each backend of this machine: neuron/<alias>/<backend>/4000. Neurons that
// fire do it at about 10 Hz. Izhikevich's neuron also beside a plain loop over doubles.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <neuromorph/kernels/neurons/membranes/izhikevich.hpp>
#include <neuromorph/kernels/neurons/models/nir.hpp>
#include <neuromorph/kernels/neurons/models/pynn.hpp>
#include <neuromorph/target/native.hpp>

#include "lif_cell.hpp"
#include "neurons.hpp"
#include "plain_neurons.hpp"
#include "support.hpp"

namespace bench {
namespace {

namespace target = nm::target;

void time_population(const std::string& key, auto& population) {
  register_population(key, population)->MinTime(0.03); // of which there are many
}

/// Until the program ends. Aliases may name one composition: each has its own.
template <class Kept>
Kept& kept(auto&... arguments) {
  static std::vector<std::unique_ptr<Kept>> all;
  all.push_back(std::make_unique<Kept>(arguments...));
  return *all.back();
}

template <class Model, class Target, class Element>
Course register_backend(const std::string& key, const typename Model::Made& made, MemoryOf<Model, Element>& memory) {
  auto& population = kept<Composed<Model, Target, Element>>(made, memory);
  const Course course = course_of(population, 0.5);
  expect(population.saturations() == 0, ("a sum saturates: " + key).c_str());
  time_population(key, population);
  return course;
}

/// On each backend, which must give the bits of Generic.
/// \param fires  whether it can
template <class Model, class Element = std::int32_t>
void register_model(const std::string& alias, const typename Model::Made& made, const Weights& weights,
                    bool fires = true) {
  const std::string key = "neuron/" + alias;
  auto& memory = kept<MemoryOf<Model, Element>>();
  memory.weights = weights_of<Model>(made, weights);
  const Course expected = register_backend<Model, target::Generic, Element>(key + "/generic", made, memory);
  const double rate_hz = static_cast<double>(expected.spikes) / neurons / 0.5;
  expect(fires ? rate_hz > 7.0 && rate_hz < 15.0 : expected.spikes == 0, ("does not fire at 10 Hz: " + key).c_str());
  const auto add = [&]<class Target>(const Target*, const char* backend) {
    const Course course = register_backend<Model, Target, Element>(key + "/" + backend, made, memory);
    expect(course.digests == expected.digests, ("a backend differs from target::Generic: " + key).c_str());
  };
#if defined(__SSE4_1__)
  add(static_cast<target::Sse41*>(nullptr), "sse41");
#endif
#if defined(__AVX2__)
  add(static_cast<target::Avx2*>(nullptr), "avx2");
#endif
#if defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__) && defined(__AVX512VNNI__)
  add(static_cast<target::Avx512*>(nullptr), "avx512");
#endif
#if !defined(__SSE4_1__)
  add(static_cast<target::Native*>(nullptr), "native");
#endif
}

// Izhikevich's regular spiking cell.
constexpr nm::membrane::Izhikevich::Parameters regular_spiking{.i_offset = 3.2};
constexpr Weights izhikevich_weights{0.5, 0.5}; // mV/ms
template <class Rounding>
using Izhikevich = nm::Neuron<nm::membrane::Izhikevich, nm::synapse::Exponential<2>, Rounding>;
template <class Rounding>
typename Izhikevich<Rounding>::Made made_izhikevich() {
  return Izhikevich<Rounding>::make(
             {.membrane = regular_spiking,
              .synapses = {{5.0, 10.0},
                           {{{.largest = izhikevich_weights.excitatory}, {.largest = izhikevich_weights.inhibitory}}}},
              .threshold = {30.0},
              .reset = {-65.0}},
             neuron_dt_ms)
      .value();
}

/// The same in doubles.
class PlainPopulation {
public:
  PlainPopulation() {
    const auto mean = [](double tau_ms) { return tau_ms / neuron_dt_ms * -std::expm1(-neuron_dt_ms / tau_ms); };
    constants_ = {regular_spiking.a,
                  regular_spiking.b,
                  -65.0,
                  regular_spiking.d,
                  30.0,
                  regular_spiking.i_offset,
                  neuron_dt_ms,
                  std::exp(-neuron_dt_ms / 5.0),
                  std::exp(-neuron_dt_ms / 10.0),
                  mean(5.0),
                  mean(10.0)};
  }
  void begin() {
    for (std::size_t neuron = 0; neuron < neurons; ++neuron)
      state_.v[neuron] = 30.0 - 95.0 * (1.0 - initial_share(neuron));
  }
  void fill(std::uint32_t ahead) {
    for (const auto& one : arrivals(step_number_ + ahead))
      input_[(step_number_ + ahead) % ring_steps][one.inhibitory][one.neuron] +=
          one.inhibitory ? izhikevich_weights.inhibitory : izhikevich_weights.excitatory;
  }
  std::size_t step() {
    auto& arriving = input_[++step_number_ % ring_steps];
    return plain_izhikevich_step(state_, constants_, arriving[0].data(), arriving[1].data(), spikes_.data());
  }

private:
  PlainIzhikevichConstants constants_{};
  PlainIzhikevich state_{std::vector<double>(neurons), std::vector<double>(neurons, -13.0),
                         std::vector<double>(neurons), std::vector<double>(neurons)};
  std::array<std::array<std::array<double, slot>, 2>, ring_steps> input_{};
  std::vector<std::uint32_t> spikes_ = std::vector<std::uint32_t>(neurons);
  std::uint32_t step_number_ = 0;
};

template <class Model>
typename Model::Made made_of(const typename Model::Parameters& parameters) {
  const auto made = Model::make(parameters, neuron_dt_ms);
  expect(made.ok(), made.ok() ? "" : made.status().parameter);
  return made.value();
}
constexpr nm::ReceptorWeights up_to(double largest) { return {.largest = largest}; }

} // namespace

void register_neuron() {
  const Weights one{0.0150, 0.0900}, two{0.0162, 0.0540}; // nA, of so many time constants
  register_model<nm::Lif<1>>("lif1", made_lif<nm::Lif<1>>(), one);
  register_model<nm::Lif<2>>("lif2", made_lif<nm::Lif<2>>(), two);
  register_model<nm::PackedLif, std::uint16_t>("packed_lif", made_lif<nm::PackedLif>(), two);
  register_model<nm::CompactLif<1>>("compact_lif1", made_lif<nm::CompactLif<1>>(), one);
  register_model<nm::CompactLif<2>>("compact_lif2", made_lif<nm::CompactLif<2>>(), two);

  const nm::membrane::Lif::Parameters leaky{.c_nf = 0.2, .v_rest_mv = -49.0, .v_initial_mv = -60.0};
  const double reset_mv = -60.0, period_ms = 5.0;
  register_model<nm::pynn::IfCurrExp>("if_curr_exp", made_lif<nm::pynn::IfCurrExp>(), two);
  register_model<nm::pynn::IfCurrAlpha>(
      "if_curr_alpha",
      made_of<nm::pynn::IfCurrAlpha>({.membrane = leaky,
                                      .synapses = {{5.0, 10.0}, {up_to(0.1), up_to(0.1)}},
                                      .reset = {reset_mv},
                                      .refractory = {period_ms}}),
      {0.01, 0.03});
  register_model<nm::pynn::IfCurrDelta>(
      "if_curr_delta",
      made_of<nm::pynn::IfCurrDelta>(
          {.membrane = leaky, .synapses = {{up_to(5.0), up_to(5.0)}}, .reset = {reset_mv}, .refractory = {period_ms}}),
      {0.4, 4.5});
  register_model<nm::pynn::IfCondExp>(
      "if_cond_exp",
      made_of<nm::pynn::IfCondExp>({.membrane = {.c_nf = 0.2, .v_rest_mv = -60.0},
                                    .synapses = {{5.0, 10.0}, {up_to(0.01), up_to(0.1)}},
                                    .input = {{0.0, -80.0}},
                                    .reset = {reset_mv},
                                    .refractory = {period_ms}}),
      {0.00125, 0.003});
  register_model<nm::pynn::IfCondAlpha>(
      "if_cond_alpha",
      made_of<nm::pynn::IfCondAlpha>({.membrane = {.c_nf = 0.2, .v_rest_mv = -60.0},
                                      .synapses = {{5.0, 10.0}, {up_to(0.004), up_to(0.04)}},
                                      .input = {{0.0, -80.0}},
                                      .reset = {reset_mv},
                                      .refractory = {period_ms}}),
      {0.00046, 0.0011});
  {
    register_model<Izhikevich<nm::rounding::Nearest>>("izhikevich", made_izhikevich<nm::rounding::Nearest>(),
                                                      izhikevich_weights);
    register_model<Izhikevich<nm::rounding::Stochastic>>(
        "izhikevich_stochastic", made_izhikevich<nm::rounding::Stochastic>(), izhikevich_weights);
    static PlainPopulation plain;
    const double rate_hz = static_cast<double>(course_of(plain, 0.5).spikes) / neurons / 0.5;
    expect(rate_hz > 7.0 && rate_hz < 15.0, "the plain loop of Izhikevich's neuron does not fire at 10 Hz");
    time_population("neuron/izhikevich/plain_double", plain);
  }
  register_model<nm::pynn::Izhikevich>("izhikevich_delta",
                                       made_of<nm::pynn::Izhikevich>({.membrane = regular_spiking,
                                                                      .synapses = {{up_to(10.0), up_to(10.0)}},
                                                                      .threshold = {30.0},
                                                                      .reset = {-65.0}}),
                                       {2.5, 5.0});
  register_model<nm::pynn::EifCondExpIsfaIsta>(
      "eif_cond_exp_isfa_ista",
      made_of<nm::pynn::EifCondExpIsfaIsta>({.membrane = {},
                                             .synapses = {{5.0, 10.0}, {up_to(0.02), up_to(0.02)}},
                                             .input = {{0.0, -80.0}},
                                             .threshold = {-40.0},
                                             .reset = {-70.6},
                                             .refractory = {period_ms}}),
      {0.0052, 0.004});
  register_model<nm::pynn::EifCondAlphaIsfaIsta>(
      "eif_cond_alpha_isfa_ista",
      made_of<nm::pynn::EifCondAlphaIsfaIsta>({.membrane = {},
                                               .synapses = {{5.0, 10.0}, {up_to(0.008), up_to(0.008)}},
                                               .input = {{0.0, -80.0}},
                                               .threshold = {-40.0},
                                               .reset = {-70.6},
                                               .refractory = {period_ms}}),
      {0.0021, 0.0015});

  register_model<nm::nir::Lif>(
      "lif", made_of<nm::nir::Lif>({.membrane = leaky, .synapses = {{up_to(5.0)}}, .reset = {reset_mv}}), {0.4, 4.5});
  register_model<nm::nir::CubaLif>(
      "cubalif", made_of<nm::nir::CubaLif>({.membrane = leaky, .synapses = {{5.0}, {up_to(0.1)}}, .reset = {reset_mv}}),
      one);
  register_model<nm::nir::If>(
      "if", made_of<nm::nir::If>({.membrane = {.c_nf = 0.2, .v_initial_mv = -60.0}, .synapses = {{up_to(5.0)}}}),
      {0.4, 0.5});
  register_model<nm::nir::Li>("li", made_of<nm::nir::Li>({.membrane = leaky, .synapses = {{up_to(5.0)}}}), {0.4, 1.6},
                              false);
  register_model<nm::nir::CubaLi>("cubali",
                                  made_of<nm::nir::CubaLi>({.membrane = leaky, .synapses = {{5.0}, {up_to(0.1)}}}),
                                  {0.0162, 0.0648}, false);
  register_model<nm::nir::Integrator>(
      "i", made_of<nm::nir::Integrator>({.membrane = {.v_initial_mv = 0.0}, .synapses = {{up_to(5.0)}}}), {0.1, 0.4},
      false);
}

} // namespace bench
