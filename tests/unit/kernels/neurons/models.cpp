// SPDX-License-Identifier: BSL-1.0
// The named compositions: each is made, driven by its weights, and steps with the same bits on the native backend and the
// portable one.
#include <algorithm>
#include <array>
#include <cstdint>

#include <neuromorph/kernels/neurons/models/nir.hpp>
#include <neuromorph/kernels/neurons/models/pynn.hpp>
#include <neuromorph/kernels/neurons/population.hpp>

#include "tests/support/catch.hpp"

using namespace neuromorph;

namespace {

/// Spikes of a second in which every neuron gets one weight each 2 ms, of 17 neurons with other weights.
template <class Model>
std::uint32_t spikes_of(const typename Model::Parameters& parameters, double largest) {
  const auto made = Model::make(parameters, 0.1);
  REQUIRE(made.ok());
  constexpr std::size_t count = 17;
  static Population<Model, count> native(made.value()), portable(made.value());
  native = portable = Population<Model, count>(made.value());
  std::array<std::array<std::int32_t, count>, Model::receptors> input{}, same{};
  std::array<std::int32_t*, Model::receptors> sums{}, same_sums{};
  for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor)
    sums[receptor] = input[receptor].data(), same_sums[receptor] = same[receptor].data();
  std::uint32_t spikes = 0;
  for (std::uint32_t step = 0; step < 10000; ++step) {
    for (std::size_t neuron = 0; step % 20 == 0 && neuron < count; ++neuron) {
      const double weight = largest * (0.5 + 0.5 * static_cast<double>(neuron) / count);
      input[0][neuron] = same[0][neuron] = static_cast<std::int32_t>(Model::weight(made.value(), 0, weight).value());
    }
    const auto fired = native.step(sums, step);
    const auto expected = portable.template step<target::Generic>(same_sums, step);
    REQUIRE(std::equal(fired.begin(), fired.end(), expected.begin(), expected.end()));
    spikes += static_cast<std::uint32_t>(fired.size());
  }
  for (std::size_t word = 0; word < Model::word_count; ++word)
    REQUIRE(std::equal(native.words(word).begin(), native.words(word).end(), portable.words(word).begin()));
  CHECK(native.saturations() == 0);
  return spikes;
}

constexpr std::array<ReceptorWeights, 2> nanoamperes{ReceptorWeights{.largest = 0.5}, ReceptorWeights{.largest = 0.5}};
constexpr std::array<ReceptorWeights, 2> millivolts{ReceptorWeights{.largest = 2.0}, ReceptorWeights{.largest = 2.0}};

} // namespace

TEST_CASE("models: cells of PyNN fire", "[kernels][neuron]") {
  CHECK(spikes_of<pynn::IfCurrExp>({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 10.0}, nanoamperes}}, 0.3) > 100);
  CHECK(spikes_of<pynn::IfCurrAlpha>({.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 10.0}, nanoamperes}}, 0.3) > 100);
  CHECK(spikes_of<pynn::IfCurrDelta>({.membrane = {.c_nf = 0.25}, .synapses = {millivolts}}, 2.0) > 100);
  CHECK(spikes_of<pynn::IfCondExp>({.membrane = {.c_nf = 0.25},
                                    .synapses = {{5.0, 10.0}, {{{.largest = 0.01}, {.largest = 0.01}}}},
                                    .input = {.reversal_mv = {0.0, -70.0}}},
                                   0.01) > 100);
  CHECK(spikes_of<pynn::IfCondAlpha>({.membrane = {.c_nf = 0.25},
                                      .synapses = {{5.0, 10.0}, {{{.largest = 0.01}, {.largest = 0.01}}}},
                                      .input = {.reversal_mv = {0.0, -70.0}}},
                                     0.01) > 100);
  CHECK(spikes_of<pynn::Izhikevich>({.membrane = {.i_offset = 5.0}, .synapses = {millivolts}, .threshold = {30.0}},
                                    1.0) > 100);
  CHECK(spikes_of<pynn::EifCondExpIsfaIsta>({.synapses = {{5.0, 10.0}, {{{.largest = 0.02}, {.largest = 0.02}}}},
                                             .input = {.reversal_mv = {0.0, -80.0}},
                                             .threshold = {-40.0},
                                             .reset = {-70.6}},
                                            0.02) > 100);
  CHECK(spikes_of<pynn::EifCondAlphaIsfaIsta>({.synapses = {{5.0, 10.0}, {{{.largest = 0.01}, {.largest = 0.01}}}},
                                               .input = {.reversal_mv = {0.0, -80.0}},
                                               .threshold = {-40.0},
                                               .reset = {-70.6}},
                                              0.01) > 100);
}

TEST_CASE("models: nodes of NIR fire, and read-outs do not", "[kernels][neuron]") {
  CHECK(spikes_of<nir::Lif>({.membrane = {.c_nf = 0.25}, .synapses = {{millivolts[0]}}}, 2.0) > 100);
  CHECK(spikes_of<nir::CubaLif>({.membrane = {.c_nf = 0.25}, .synapses = {{5.0}, {nanoamperes[0]}}}, 0.4) > 100);
  CHECK(spikes_of<nir::If>({.synapses = {{millivolts[0]}}}, 2.0) > 100);
  CHECK(spikes_of<nir::Li>({.membrane = {.c_nf = 0.25}, .synapses = {{millivolts[0]}}}, 2.0) == 0);
  CHECK(spikes_of<nir::CubaLi>({.membrane = {.c_nf = 0.25}, .synapses = {{5.0}, {nanoamperes[0]}}}, 0.4) == 0);
  CHECK(spikes_of<nir::Integrator>({.membrane = {.v_initial_mv = 0.0}, .synapses = {{millivolts[0]}}}, 0.001) == 0);
}
