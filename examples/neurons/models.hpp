// SPDX-License-Identifier: BSL-1.0
// The neurons that are shown: what each is made of, its parameters, and what drives it.
#ifndef EXAMPLES_NEURONS_MODELS_HPP
#define EXAMPLES_NEURONS_MODELS_HPP

#include <array>
#include <tuple>

#include <neuromorph/kernels/neurons/adaptation/calcium.hpp>
#include <neuromorph/kernels/neurons/currents/direct.hpp>
#include <neuromorph/kernels/neurons/membranes/linear.hpp>
#include <neuromorph/kernels/neurons/models/nir.hpp>
#include <neuromorph/kernels/neurons/models/pynn.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/thresholds/adaptive.hpp>
#include <neuromorph/kernels/neurons/thresholds/stochastic.hpp>

namespace neurons {

namespace nm = neuromorph;

constexpr double dt_ms = 0.1;
constexpr std::uint32_t steps = 3000, on = 500, off = 2300; // a current flows from `on` to `off`
constexpr double excitation_hz = 2000.0, inhibition_hz = 500.0;

/// A model with one part more.
template <class Model, class More>
struct With;
template <class... Parts, class More>
struct With<nm::Neuron<Parts...>, More> {
  using Type = nm::Neuron<Parts..., More>;
};
template <class Model>
using Stepped = typename With<Model, nm::current::Direct>::Type;

/// Of most models; others say what they have instead.
constexpr double tau_ms = 20.0, c_nf = 0.25, rest_mv = -65.0, threshold_mv = -50.0, refractory_ms = 2.0;
constexpr std::array<double, 2> tau_syn_ms{5.0, 10.0}, reversal_mv{0.0, -80.0};

/// Weights of the events that arrive: of excitation and of inhibition. With their rates they say what psps must hold.
using Weights = std::array<double, 2>;
constexpr std::array<nm::ReceptorWeights, 2> up_to(Weights weights) {
  return {nm::ReceptorWeights{.largest = weights[0], .rate_hz = excitation_hz, .fan_in = 1.0},
          nm::ReceptorWeights{.largest = weights[1], .rate_hz = inhibition_hz, .fan_in = 1.0}};
}

struct CurrExp {
  static constexpr const char* name = "IF_curr_exp";
  static constexpr const char *current_unit = "nA", *weight_unit = "nA";
  using Model = Stepped<nm::pynn::IfCurrExp>;
  static constexpr double step_current = 0.25;
  static constexpr Weights weights{0.035, 0.035};
  static constexpr Model::Parameters parameters{.membrane = {.c_nf = c_nf},
                                                .synapses = {.tau_ms = tau_syn_ms, .weights = up_to(weights)}};
};

struct CurrAlpha {
  static constexpr const char* name = "IF_curr_alpha";
  static constexpr const char *current_unit = "nA", *weight_unit = "nA";
  using Model = Stepped<nm::pynn::IfCurrAlpha>;
  static constexpr double step_current = 0.25;
  static constexpr Weights weights{0.014, 0.014};
  static constexpr Model::Parameters parameters{.membrane = {.c_nf = c_nf},
                                                .synapses = {.tau_ms = tau_syn_ms, .weights = up_to(weights)}};
};

struct CurrDelta {
  static constexpr const char* name = "IF_curr_delta";
  static constexpr const char *current_unit = "nA", *weight_unit = "mV";
  using Model = Stepped<nm::pynn::IfCurrDelta>;
  static constexpr double step_current = 0.25;
  static constexpr Weights weights{0.5, 0.5};
  static constexpr Model::Parameters parameters{.membrane = {.c_nf = c_nf}, .synapses = {.weights = up_to(weights)}};
};

struct CondExp {
  static constexpr const char* name = "IF_cond_exp";
  static constexpr const char *current_unit = "nA", *weight_unit = "uS";
  using Model = Stepped<nm::pynn::IfCondExp>;
  static constexpr double step_current = 0.25;
  static constexpr Weights weights{0.0007, 0.0007};
  static constexpr Model::Parameters parameters{.membrane = {.c_nf = c_nf},
                                                .synapses = {.tau_ms = tau_syn_ms, .weights = up_to(weights)},
                                                .input = {.reversal_mv = reversal_mv}};
};

struct CondAlpha {
  static constexpr const char* name = "IF_cond_alpha";
  static constexpr const char *current_unit = "nA", *weight_unit = "uS";
  using Model = Stepped<nm::pynn::IfCondAlpha>;
  static constexpr double step_current = 0.25;
  static constexpr Weights weights{0.00027, 0.00027};
  static constexpr Model::Parameters parameters{.membrane = {.c_nf = c_nf},
                                                .synapses = {.tau_ms = tau_syn_ms, .weights = up_to(weights)},
                                                .input = {.reversal_mv = reversal_mv}};
};

struct Izhikevich {
  static constexpr const char* name = "Izhikevich";
  static constexpr const char *current_unit = "mV/ms", *weight_unit = "mV";
  using Model = Stepped<nm::pynn::Izhikevich>;
  static constexpr double step_current = 8.0;
  static constexpr Weights weights{2.5, 1.5};
  static constexpr Model::Parameters parameters{.membrane = {.a = 0.02, .b = 0.2, .d = 8.0},
                                                .synapses = {.weights = up_to(weights)},
                                                .threshold = {.v_mv = 30.0},
                                                .reset = {.v_mv = -65.0}};
};

struct AdEx {
  static constexpr const char* name = "EIF_cond_exp_isfa_ista";
  static constexpr const char *current_unit = "nA", *weight_unit = "uS";
  using Model = Stepped<nm::pynn::EifCondExpIsfaIsta>;
  static constexpr double step_current = 0.9;
  static constexpr Weights weights{0.002, 0.002};
  static constexpr Model::Parameters parameters{.synapses = {.tau_ms = tau_syn_ms, .weights = up_to(weights)},
                                                .input = {.reversal_mv = reversal_mv},
                                                .threshold = {.v_mv = -40.0},
                                                .reset = {.v_mv = -70.6},
                                                .refractory = {.period_ms = refractory_ms}};
};

struct AdaptiveThreshold {
  static constexpr const char* name = "LIF, adaptive threshold";
  static constexpr const char *current_unit = "nA", *weight_unit = "nA";
  using Model = nm::Neuron<nm::membrane::Lif, nm::synapse::Exponential<2>, nm::threshold::Adaptive,
                           nm::refractory::Counted, nm::current::Direct>;
  static constexpr double step_current = 0.45;
  static constexpr Weights weights{0.06, 0.06};
  static constexpr Model::Parameters parameters{.membrane = {.c_nf = c_nf},
                                                .synapses = {.tau_ms = tau_syn_ms, .weights = up_to(weights)},
                                                .threshold = {.v_mv = threshold_mv, .tau_ms = 80.0, .step_mv = 4.0},
                                                .refractory = {.period_ms = refractory_ms}};
};

struct CalciumAdaptation {
  static constexpr const char* name = "LIF, calcium adaptation";
  static constexpr const char *current_unit = "nA", *weight_unit = "nA";
  using Model = nm::Neuron<nm::membrane::Lif, nm::synapse::Exponential<2>, nm::refractory::Counted,
                           nm::adaptation::Calcium, nm::current::Direct>;
  static constexpr double step_current = 0.45;
  static constexpr Weights weights{0.06, 0.06};
  static constexpr Model::Parameters parameters{.membrane = {.c_nf = c_nf},
                                                .synapses = {.tau_ms = tau_syn_ms, .weights = up_to(weights)},
                                                .refractory = {.period_ms = refractory_ms},
                                                .adaptation = {.tau_ms = 100.0, .rise = 0.1, .g_na = 0.5}};
};

struct StochasticThreshold {
  static constexpr const char* name = "LIF, stochastic threshold";
  static constexpr const char *current_unit = "nA", *weight_unit = "nA";
  using Model = nm::Neuron<nm::membrane::Lif, nm::synapse::Exponential<2>, nm::threshold::Stochastic,
                           nm::refractory::Counted, nm::current::Direct>;
  static constexpr double step_current = 0.25;
  static constexpr Weights weights{0.035, 0.035};
  static constexpr Model::Parameters parameters{.membrane = {.c_nf = c_nf},
                                                .synapses = {.tau_ms = tau_syn_ms, .weights = up_to(weights)},
                                                .threshold = {.v_mv = threshold_mv, .width_mv = 2.0, .tau_ms = 20.0},
                                                .refractory = {.period_ms = refractory_ms}};
};

struct BySubtraction {
  static constexpr const char* name = "NIR IF, reset by subtraction";
  static constexpr const char *current_unit = "nA", *weight_unit = "mV";
  using Model = Stepped<nm::nir::If>;
  static constexpr double step_current = 0.16;
  static constexpr Weights weights{0.4, 0.4};
  static constexpr Model::Parameters parameters{.membrane = {.c_nf = c_nf},
                                                .synapses = {.weights = {up_to(weights)[0]}},
                                                .reset = {.by_mv = threshold_mv - rest_mv}};
};

struct TwoCompartments {
  static constexpr const char* name = "Two compartments";
  static constexpr const char *current_unit = "nA", *weight_unit = "nA";
  using Model = nm::Neuron<nm::membrane::Linear<2, 1>, nm::synapse::Exponential<2>, nm::refractory::Counted,
                           nm::current::Direct>; // what flows, flows into the dendrite
  static constexpr double step_current = 0.45;
  static constexpr Weights weights{0.06, 0.06};
  static constexpr double leak = 1.0 / tau_ms, to_soma = 0.2, to_dendrite = 0.1; // per ms
  static constexpr Model::Parameters parameters{
      .membrane = {.per_ms = {{{-leak - to_soma, to_soma}, {to_dendrite, -leak - to_dendrite}}},
                   .drift_per_ms = {leak * rest_mv, leak* rest_mv},
                   .largest = {0.0, 200.0},
                   .initial = {rest_mv, rest_mv},
                   .per_na = 1.0 / c_nf},
      .synapses = {.tau_ms = tau_syn_ms, .weights = up_to(weights)},
      .refractory = {.period_ms = refractory_ms}};
};

struct ReadOut {
  static constexpr const char* name = "NIR CubaLI, a read-out";
  static constexpr const char *current_unit = "nA", *weight_unit = "nA";
  using Model = Stepped<nm::nir::CubaLi>;
  static constexpr double step_current = 0.25;
  static constexpr Weights weights{0.035, 0.07};
  static constexpr Model::Parameters parameters{.membrane = {.c_nf = c_nf},
                                                .synapses = {.tau_ms = {5.0}, .weights = {up_to(weights)[1]}}};
};

using Models = std::tuple<CurrExp, CurrAlpha, CurrDelta, CondExp, CondAlpha, Izhikevich, AdEx, AdaptiveThreshold,
                          CalciumAdaptation, StochasticThreshold, BySubtraction, TwoCompartments, ReadOut>;
constexpr std::size_t model_count = std::tuple_size_v<Models>;

} // namespace neurons

#endif
