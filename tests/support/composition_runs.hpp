// SPDX-License-Identifier: BSL-1.0
// A composition: parameters for whatever parts it has, the same bits on all backends, and its neurons beside the reference
// in double.
#ifndef TESTS_SUPPORT_COMPOSITION_RUNS_HPP
#define TESTS_SUPPORT_COMPOSITION_RUNS_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>

#include <neuromorph/digest.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/kernels/random/uniform.hpp>

#include "tests/support/composition_digests.hpp"
#include "tests/support/composition_parts.hpp"

#if defined(__x86_64__) // other machines have the digests alone
#include <functional>
#include <vector>

#include "tests/support/neuron_reference.hpp"
#include "tests/support/sanitized.hpp"
#endif

namespace compositions {

using namespace neuromorph;

constexpr std::size_t neurons = 19; // no multiple of any vector's length
constexpr std::uint32_t first_neuron = 1000;
constexpr double dt_ms = 0.1;
constexpr current::Amplitude list[]{{100, 50}, {400, -50}, {700, 20}};

template <class Part, class Kind>
concept Is = std::is_base_of_v<Kind, Part>;
template <class Part, template <std::size_t> class Kind>
inline constexpr bool is_kind = Is<Part, Kind<1>> || Is<Part, Kind<2>> || Is<Part, Kind<3>>;
template <class Part>
inline constexpr bool is_izhikevich =
    Is<Part, membrane::Izhikevich> || Is<Part, membrane::IzhikevichBy<method::RungeKutta4>>;
template <class Part>
inline constexpr bool is_driven = Is<Part, synapse::Driven<1, 10>> || Is<Part, synapse::Driven<2, 10>>;
template <class Part>
inline constexpr bool is_rising = is_kind<Part, synapse::Alpha> || Is<Part, synapse::DoubleExponential<2>>;
template <class Part>
inline constexpr bool is_conductance = is_kind<Part, input::Conductance>;
template <class Part>
inline constexpr bool is_delta = Is<Part, synapse::Delta<1>> || Is<Part, synapse::Delta<2>>;
template <class Part>
inline constexpr bool is_noise = Is<Part, current::WhiteNoise<>> || Is<Part, current::WhiteNoise<NoiseOf::population>>;
template <class Part>
inline constexpr bool is_walk =
    Is<Part, current::OrnsteinUhlenbeck<>> || Is<Part, current::OrnsteinUhlenbeck<NoiseOf::population>>;

/// Psps that leave a conductance's membrane in its word need a short time constant.
template <class Model>
inline constexpr bool is_short = Is<typename Model::Membrane, membrane::LifConductance<>> &&
                                 (is_driven<typename Model::Synapses> ||
                                  Is<typename Model::Synapses, synapse::ExponentialPair>);
/// What moves the membrane by some mV in its time constant, in nA.
template <class Model>
inline constexpr double current_scale = is_izhikevich<typename Model::Membrane>              ? 1.0
                                        : Is<typename Model::Membrane, membrane::Integrator> ? 0.1
                                        : is_short<Model>                                    ? 1.0
                                                                                             : 0.05;
template <class Model>
inline constexpr double largest_weight = [] {
  using Membrane = typename Model::Membrane;
  if (is_delta<typename Model::Synapses>) return 2.0;
  if (is_conductance<typename Model::Input>) return is_izhikevich<Membrane> ? 0.03 : 0.01;
  if (Is<typename Model::Input, input::Multiplicative<>>) return 0.2;
  if (is_driven<typename Model::Synapses> && (is_izhikevich<Membrane> || Is<Membrane, membrane::AdEx>))
    return 0.01 * current_scale<Model>; // units of weights are as fine as those of psps
  return (is_short<Model> || is_izhikevich<Membrane> ? 1.0 : 4.0) * current_scale<Model>;
}();

/// Neuron 0 has what the population shares; of PerNeuron the others have something else.
template <class Part>
double other(std::size_t neuron) {
  return Part::is_per_neuron ? static_cast<double>(neuron) / neurons : 0.0;
}

template <class Model>
double threshold_mv() {
  return is_izhikevich<typename Model::Membrane> ? 30.0 : Is<typename Model::Membrane, membrane::AdEx> ? -40.0 : -50.0;
}

/// Whether a membrane that has fired is below the threshold again, however far it was above. If not, it is not driven there.
template <class Model>
inline constexpr bool comes_back =
    !Is<typename Model::Threshold, threshold::None> &&
    (Is<typename Model::Reset, reset::ToValue> ||
     (is_izhikevich<typename Model::Membrane> && !Is<typename Model::Reset, reset::None>));

template <class Part, class Model>
void give_current(auto& given, std::size_t neuron) {
  constexpr double scale = current_scale<Model>;
  const double more = scale * other<Part>(neuron);
  if constexpr (Is<Part, current::Direct>)
    given = {.i_na = scale + more, .first_step = 50, .last_step = 900};
  else if constexpr (Is<Part, current::Steps>)
    given = {.list = list, .unit_na = scale / 50.0};
  else if constexpr (Is<Part, current::Alternating>)
    given = {
        .amplitude_na = scale, .offset_na = 0.4 * scale, .frequency_hz = 40.0, .phase_deg = 30.0, .last_step = 1500};
  else if constexpr (is_noise<Part>)
    given = {.mean_na = 0.4 * scale + more, .stdev_na = scale, .interval_ms = 0.3, .seed = 7, .first_step = 20};
  else if constexpr (is_walk<Part>)
    given = {.tau_ms = 4.0, .mean_na = 0.4 * scale + more, .stdev_na = scale, .seed = 9, .last_step = 1800};
}
template <class... Parts, class Model>
void give_currents(auto& given, std::size_t neuron, std::type_identity<current::All<Parts...>> /*list*/,
                   std::type_identity<Model> /*model*/) {
  current::All<Parts...>::each(
      [&]<std::size_t place, class Part>() { give_current<Part, Model>(at_position<place>(given), neuron); });
}
template <class Part, class Model>
void give_currents(auto& given, std::size_t neuron, std::type_identity<Part> /*part*/,
                   std::type_identity<Model> /*model*/) {
  give_current<Part, Model>(given, neuron);
}

template <class Model>
typename Model::Parameters parameters_of(std::size_t neuron) {
  typename Model::Parameters given;
  using Membrane = typename Model::Membrane;
  using Synapses = typename Model::Synapses;
  using Threshold = typename Model::Threshold;
  using Reset = typename Model::Reset;
  using Adaptation = typename Model::Adaptation;
  // of synapses that carry it, the drift is that of the population
  const double more = is_driven<Synapses> ? 0.0 : other<Membrane>(neuron), threshold = threshold_mv<Model>();
  if constexpr (Is<Membrane, membrane::Integrator>)
    given.membrane = {.c_nf = 2.0, .i_offset_na = 0.15 + 0.1 * more};
  else if constexpr (is_izhikevich<Membrane>)
    given.membrane = {.i_offset = comes_back<Model> ? 6.0 + 4.0 * more : more};
  else if constexpr (Is<Membrane, membrane::AdEx>)
    given.membrane = {.i_offset_na = comes_back<Model> ? 0.6 + 0.3 * more : 0.1 * more};
  else if constexpr (Is<Membrane, membrane::Linear<2, 1, 0, 1>>) // two compartments; the other counts from rest
    given.membrane = {.per_ms = {{{-0.1, 0.05}, {0.05, -0.1}}},
                      .drift_per_ms = {-6.5, 3.25 + 2.0 + 0.2 * more},
                      .largest = {0.0, 300.0},
                      .initial = {-65.0, 0.0},
                      .per_na = 4.0};
  else
    given.membrane = {.tau_ms = is_short<Model> ? 1.0 : 20.0,
                      .c_nf = 0.25,
                      .i_offset_na = (is_short<Model>                                      ? 3.0
                                      : Is<typename Model::Input, input::Multiplicative<>> ? 0.19
                                                                                           : 0.15) *
                                     (1.0 + 0.05 * more)};

  ReceptorWeights weights{.largest = largest_weight<Model>};
  if constexpr (!Is<typename Model::Input, input::Multiplicative<>>) weights.rate_hz = 300.0, weights.fan_in = 1.0;
  constexpr std::array<double, 3> tau{5.0, 10.0, 3.0};
  if constexpr (Is<Synapses, synapse::ExponentialPair>) weights.bits = 12;
  if constexpr (is_driven<Synapses>) weights.bits = 24; // a psp has no finer unit
  given.synapses.weights.fill(weights);
  if constexpr (Is<Synapses, synapse::Difference>) {
    given.synapses.tau_ms = 5.0 + 2.0 * other<Synapses>(neuron);
  } else if constexpr (Is<Synapses, synapse::DoubleExponential<2>>) {
    given.synapses.tau_rise_ms = {1.0, 4.0};
    given.synapses.tau_decay_ms = {5.0, 10.0};
  } else if constexpr (requires { given.synapses.tau_ms; }) {
    for (std::size_t which = 0; which < Synapses::receptors; ++which) given.synapses.tau_ms[which] = tau[which];
    if constexpr (is_kind<Synapses, synapse::Exponential>) given.synapses.tau_ms[0] += 2.0 * other<Synapses>(neuron);
  }
  if constexpr (is_conductance<typename Model::Input>) {
    for (std::size_t which = 0; which < Synapses::receptors; ++which)
      given.input.reversal_mv[which] = which % 2 == 0 ? 0.0 : -80.0 - 5.0 * other<typename Model::Input>(neuron);
  } else if constexpr (Is<typename Model::Input, input::Multiplicative<>>) {
    given.input.gain_per_na = (Is<Membrane, membrane::LifConductance<>> ? 2.0 : 10.0) *
                              (1.0 + 0.05 * other<typename Model::Input>(neuron)) * current_scale<Model>;
  }

  if constexpr (Is<Threshold, threshold::None>)
    given.threshold.origin_mv = threshold;
  else
    given.threshold.v_mv = threshold;
  if constexpr (Is<Threshold, threshold::Adaptive>)
    given.threshold.tau_ms = 30.0, given.threshold.step_mv = 3.0 + other<Threshold>(neuron);
  if constexpr (Is<Threshold, threshold::Stochastic>)
    given.threshold.width_mv = 2.0, given.threshold.tau_ms = 5.0 + 5.0 * other<Threshold>(neuron);
  if constexpr (Is<Reset, reset::ToValue>)
    given.reset.v_mv = (Is<Membrane, membrane::AdEx> ? -70.6 : -65.0) - 5.0 * other<Reset>(neuron);
  else if constexpr (!Is<Reset, reset::None>)
    given.reset.by_mv = (is_izhikevich<Membrane>        ? 95.0
                         : Is<Membrane, membrane::AdEx> ? 30.0
                                                        : 15.0) +
                        5.0 * other<Reset>(neuron);
  if constexpr (!Is<typename Model::Refractory, refractory::None>)
    given.refractory.period_ms = 1.0 + 2.0 * other<typename Model::Refractory>(neuron);
  // where a neuron fires in step after step, or there is little range, less
  const double few = Is<Reset, reset::None> || Is<Membrane, membrane::LifConductance<>> ? 0.1 : 1.0;
  const double rise = few * (2.0 + other<Adaptation>(neuron)) * current_scale<Model>;
  if constexpr (Is<Adaptation, adaptation::SpikeTriggered>)
    given.adaptation = {.tau_ms = 30.0, .rise = rise};
  else if constexpr (Is<Adaptation, adaptation::Calcium>)
    given.adaptation = {.tau_ms = 30.0, .rise = 0.5, .g_na = 2.0 * rise};
  give_currents(given.current, neuron, std::type_identity<typename Model::Current>{}, std::type_identity<Model>{});
  return given;
}

template <class Model>
using ElementOf = std::conditional_t<Model::Synapses::input_in_pairs, std::uint16_t, std::int32_t>;
template <class Model>
using Sums = std::array<std::array<ElementOf<Model>, neurons>, Model::receptors>;

template <class Model>
std::array<ElementOf<Model>*, Model::receptors> pointers_to(Sums<Model>& sums) {
  std::array<ElementOf<Model>*, Model::receptors> pointers{};
  for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor) pointers[receptor] = sums[receptor].data();
  return pointers;
}

/// All neurons of a composition, or nothing: then it has said why.
template <class Model>
bool make_population(int number, Population<Model, neurons>& population) {
  const auto made = Model::make(parameters_of<Model>(0), dt_ms);
  if (!made) {
    std::printf("composition %d: %s refused\n", number, made.status().parameter);
    return false;
  }
  population = Population<Model, neurons>(made.value(), first_neuron);
  if constexpr (Model::constant_count != 0)
    for (std::size_t neuron = 1; neuron < neurons; ++neuron)
      if (const Status status = population.set(neuron, parameters_of<Model>(neuron)); !status) {
        std::printf("composition %d: %s of neuron %lu refused\n", number, status.parameter,
                    static_cast<unsigned long>(neuron));
        return false;
      }
  return true;
}

/// One step of what is wild: words of all sizes now and then, input to the ends of its range.
template <class Model>
void disturb(Sfc32& random, Population<Model, neurons>& population, Sums<Model>& sums) {
  for (std::uint32_t change = 0; change < 5; ++change) {
    const std::size_t word = uniform_below(random, Model::word_count), neuron = uniform_below(random, neurons);
    auto value = static_cast<std::int32_t>(random.next()) >> (random.next() % 32);
    if (random.next() % 4 == 0) value = random.next() % 2 == 0 ? INT32_MAX : INT32_MIN;
    // a neuron that stands in a queue does not fire
    if (Model::Refractory::has_queue && word == 0) continue;
    population.words(word)[neuron] = value;
  }
  for (auto& receptor : sums)
    for (auto& sum : receptor) {
      const std::uint32_t bits = random.next() % 30;
      sum = random.next() % 8 == 0 ? static_cast<ElementOf<Model>>((random.next() & 0x3FFFFFFF) >> bits)
                                   : ElementOf<Model>{};
    }
}

template <class Target, class Model>
std::uint64_t digest_of(Population<Model, neurons>& population) {
  Digest digest;
  Sfc32 random(StreamId{4, 5, 6});
  Sums<Model> sums{};
  for (std::uint32_t step = 0xFFFFFFF8U; step != 100; ++step) {
    disturb<Model>(random, population, sums);
    for (const std::uint32_t neuron : population.template step<Target>(pointers_to<Model>(sums), step))
      digest.add(neuron);
    for (std::size_t word = 0; word < Model::word_count; ++word)
      digest.add(std::span<const std::int32_t>{population.words(word)});
    digest.add(population.saturations());
    for (const auto& receptor : sums)
      for (const auto sum : receptor) digest.add(static_cast<std::uint32_t>(sum)); // are cleared
  }
  return digest.value();
}

template <class... Targets>
struct Backends {};
#if defined(__x86_64__) && defined(NEUROMORPH_TEST_WIDEST_BACKEND) // half the time to compile
using All = Backends<target::Generic, target::Native>;
#elif defined(__x86_64__)
using All = Backends<target::Generic
#if defined(__SSE4_1__)
                     ,
                     target::Sse41
#endif
#if defined(__AVX2__)
                     ,
                     target::Avx2
#endif
#if defined(__AVX512VNNI__)
                     ,
                     target::Avx512
#endif
                     >;
#else
using All = Backends<target::Native>;
#endif

/// Whether all backends of this machine come to the digest that stands for it.
template <class Model, class... Targets>
bool same_bits(int number, Population<Model, neurons>& population, Backends<Targets...> /*backends*/) {
  const auto one = [&]<class Target>(std::type_identity<Target>) {
    return make_population(number, population) ? digest_of<Target>(population) : 0;
  };
  const std::array digests{one(std::type_identity<Targets>{})...};
  const std::uint64_t expected =
      static_cast<std::size_t>(number) < std::size(composition_digests) ? composition_digests[number] : 0;
  bool is_same = true;
  for (const std::uint64_t digest : digests) is_same = is_same && digest == digests[0] && digest == expected;
  const auto upper = static_cast<unsigned long>(digests[0] >> 32),
             lower = static_cast<unsigned long>(digests[0] & 0xFFFFFFFF);
  std::printf("composition %d: digest %08lx%08lx%s\n", number, upper, lower,
              is_same ? "" : ", not that of other machines or backends");
  return is_same;
}

#if defined(__x86_64__)

using neuron_reference::Description;
using neuron_reference::Reference;

template <class Model>
Description description_of(const typename Model::Parameters& given, const typename Model::Made& made) {
  using Membrane = typename Model::Membrane;
  using Synapses = typename Model::Synapses;
  using Threshold = typename Model::Threshold;
  using Adaptation = typename Model::Adaptation;
  Description is;
  is.dt_ms = made.making.dt_ms;
  if constexpr (is_izhikevich<Membrane>) {
    is.membrane =
        Is<Membrane, membrane::Izhikevich> ? Description::Membrane::midpoint : Description::Membrane::runge_kutta;
    is.a = given.membrane.a, is.b = given.membrane.b, is.d = given.membrane.d, is.offset = given.membrane.i_offset;
    is.initial = {given.membrane.v_initial_mv}, is.u = given.membrane.u_initial;
    is.hold_mv = 1073741823.0 * made.quantities.membrane.v.per_unit;
  } else if constexpr (Is<Membrane, membrane::AdEx>) {
    is.membrane = Description::Membrane::adex;
    is.a = given.membrane.a_us, is.d = given.membrane.b_na, is.offset = given.membrane.i_offset_na;
    is.tau_ms = given.membrane.tau_ms, is.rest_mv = given.membrane.v_rest_mv, is.per_na = 1.0 / given.membrane.c_nf;
    is.v_t_mv = given.membrane.v_t_mv, is.delta_t_mv = given.membrane.delta_t_mv, is.tau_w_ms = given.membrane.tau_w_ms;
    is.initial = {given.membrane.v_initial_mv};
  } else if constexpr (Is<Membrane, membrane::Linear<2, 1, 0, 1>>) {
    is.per_ms = {{-0.1, 0.05}, {0.05, -0.1}};
    is.drift_per_ms = {given.membrane.drift_per_ms[0], given.membrane.drift_per_ms[1]};
    is.initial = {-65.0, 0.0};
    is.driven = 1, is.per_na = given.membrane.per_na;
  } else if constexpr (Is<Membrane, membrane::Integrator>) {
    is.per_na = 1.0 / given.membrane.c_nf;
    is.drift_per_ms = {given.membrane.i_offset_na / given.membrane.c_nf};
    is.initial = {given.membrane.v_initial_mv};
  } else {
    is.per_na = 1.0 / given.membrane.c_nf;
    is.tau_ms = given.membrane.tau_ms, is.rest_mv = given.membrane.v_rest_mv, is.offset = given.membrane.i_offset_na;
    is.per_ms = {{-1.0 / is.tau_ms}};
    is.drift_per_ms = {is.rest_mv / is.tau_ms + is.offset * is.per_na};
    is.initial = {given.membrane.v_initial_mv};
    if (Is<Membrane, membrane::LifConductance<>>) is.membrane = Description::Membrane::conductance;
  }
  is.synapses.resize(Synapses::receptors);
  for (std::size_t which = 0; which < Synapses::receptors; ++which) {
    auto& synapse = is.synapses[which];
    using Kind = neuron_reference::Synapse::Kind;
    if constexpr (is_delta<Synapses>) {
      synapse.kind = Kind::delta, synapse.moves = is.per_ms.size() > 1 ? which : 0;
    } else if constexpr (Is<Synapses, synapse::DoubleExponential<2>>) {
      synapse = {Kind::rising, given.synapses.tau_rise_ms[which], given.synapses.tau_decay_ms[which]};
    } else if constexpr (Is<Synapses, synapse::Difference>) {
      synapse.tau_decay_ms = given.synapses.tau_ms;
    } else {
      synapse = {is_rising<Synapses> ? Kind::rising : Kind::exponential, given.synapses.tau_ms[which],
                 given.synapses.tau_ms[which]};
    }
  }
  if constexpr (is_conductance<typename Model::Input>) {
    is.input = Description::Input::conductance;
    is.reversal_mv.assign(given.input.reversal_mv.begin(), given.input.reversal_mv.end());
  } else if constexpr (Is<typename Model::Input, input::Multiplicative<>>) {
    is.input = Description::Input::multiplicative, is.gain = given.input.gain_per_na;
  }
  is.threshold_mv = threshold_mv<Model>();
  if constexpr (Is<Threshold, threshold::None>) is.threshold = Description::Threshold::none;
  if constexpr (Is<Threshold, threshold::Adaptive>) {
    is.threshold = Description::Threshold::adaptive;
    is.level_tau_ms = given.threshold.tau_ms, is.level_step_mv = given.threshold.step_mv;
  }
  if constexpr (Is<Threshold, threshold::Stochastic>) {
    is.threshold = Description::Threshold::stochastic;
    is.width_mv = given.threshold.width_mv, is.escape_tau_ms = given.threshold.tau_ms;
  }
  using Reset = typename Model::Reset;
  if constexpr (Is<Reset, reset::ToValue>)
    is.reset_mv = given.reset.v_mv;
  else if constexpr (!Is<Reset, reset::None>)
    is.by_mv = given.reset.by_mv;
  is.reset = Is<Reset, reset::ToValue>           ? Description::Reset::to_value
             : Is<Reset, reset::Subtraction>     ? Description::Reset::subtraction
             : Is<Reset, reset::LateSubtraction> ? Description::Reset::late
                                                 : Description::Reset::none;
  if constexpr (!Is<typename Model::Refractory, refractory::None>)
    is.refractory_steps = static_cast<int>(std::lround(given.refractory.period_ms / is.dt_ms));
  if constexpr (!Is<Adaptation, adaptation::None>) {
    is.trace_tau_ms = given.adaptation.tau_ms, is.trace_rise_na = given.adaptation.rise;
    if constexpr (Is<Adaptation, adaptation::Calcium>) is.trace_rise_na *= given.adaptation.g_na;
  }
  return is;
}

/// A current in double, step by step; the numbers of noise are the library's.
using Flow = std::function<double(std::uint32_t step)>;
template <class Part>
Flow flow_of(const auto& given, const auto& own, std::uint32_t neuron) {
  if constexpr (Is<Part, current::None>) {
    return [](std::uint32_t) { return 0.0; };
  } else if constexpr (Is<Part, current::Steps>) {
    return [given](std::uint32_t step) {
      double flow = 0.0;
      for (const auto& entry : given.list)
        if (entry.first_step <= step) flow = entry.amplitude * given.unit_na;
      return flow;
    };
  } else {
    const auto is_on = [given](std::uint32_t step) { return given.first_step <= step && step <= given.last_step; };
    const auto normal = [own, neuron](std::uint32_t step) {
      static_cast<void>(neuron); // not of the population's
      auto now = own;
      Part::at_step(now, step);
      constexpr bool is_common = Is<Part, current::WhiteNoise<NoiseOf::population>> ||
                                 Is<Part, current::OrnsteinUhlenbeck<NoiseOf::population>>;
      std::int32_t number = 0;
      if constexpr (is_common)
        number = now.shared.source.common;
      else if constexpr (is_noise<Part> || is_walk<Part>)
        number = now.shared.source.template number<target::Generic::Lanes>(static_cast<std::int32_t>(neuron));
      return number * 0x1p-28;
    };
    if constexpr (Is<Part, current::Direct>)
      return [given, is_on](std::uint32_t step) { return is_on(step) ? given.i_na : 0.0; };
    else if constexpr (Is<Part, current::Alternating>)
      return [given, is_on](std::uint32_t step) {
        constexpr double pi = 3.14159265358979323846;
        const double turns = given.frequency_hz * (step + 0.5) * dt_ms / 1000.0 + given.phase_deg / 360.0;
        return is_on(step) ? given.offset_na + given.amplitude_na * std::sin(2.0 * pi * turns) : 0.0;
      };
    else if constexpr (is_noise<Part>)
      return [given, is_on, normal](std::uint32_t step) {
        return is_on(step) ? given.mean_na + given.stdev_na * normal(step) : 0.0;
      };
    else
      return [given, is_on, normal, deviation = 0.0](std::uint32_t step) mutable {
        const double flow = is_on(step) ? given.mean_na + given.stdev_na * deviation : 0.0;
        const double kept = std::exp(-dt_ms / given.tau_ms);
        deviation = deviation * kept + std::sqrt(1.0 - kept * kept) * normal(step);
        return flow;
      };
  }
}
template <class Part>
void add_flows(std::vector<Flow>& flows, const auto& given, const auto& own, std::uint32_t neuron) {
  if constexpr (detail::is_list<Part>)
    Part::each([&]<std::size_t place, class One>() {
      flows.push_back(flow_of<One>(at_position<place>(given), at_position<place>(own), neuron));
    });
  else
    flows.push_back(flow_of<Part>(given, own, neuron));
}

/// What a composition may be off by, in mV.
template <class Model>
struct Bounds {
  using Membrane = typename Model::Membrane;
  /// An upswing enlarges what went before. There each step begins where the neuron is, and what the membrane moves in it
  /// counts, too.
  static constexpr bool has_upswing = is_izhikevich<Membrane> || Is<Membrane, membrane::AdEx>;
  /// Of others a thousandth of threshold less rest; with psps of 16 bits two, and what an integrator sums up.
  static constexpr double absolute = has_upswing
                                         ? (Is<typename Model::Synapses, synapse::ExponentialPair> ? 1e-3 : 1e-4)
                                     : !Is<typename Model::Synapses, synapse::ExponentialPair> ? 0.015
                                     : Is<Membrane, membrane::Integrator>                      ? 0.1
                                                                                               : 0.03;
  static constexpr double relative = Is<Membrane, membrane::AdEx> ? 1e-3 : 1e-5;
  static constexpr double of(double moved) { return absolute + (has_upswing ? relative * moved : 0.0); }
};

/// Neurons under random input beside the reference, which is told who fires, and asked whether that is right.
template <class Model>
bool agrees(int number, Population<Model, neurons>& population) {
  if (!make_population(number, population)) return false;
  const auto made = Model::make(parameters_of<Model>(0), dt_ms).value();
  std::vector<Reference> references;
  std::vector<std::vector<Flow>> flows(neurons);
  for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
    const auto given = parameters_of<Model>(neuron);
    references.emplace_back(description_of<Model>(given, made));
    add_flows<typename Model::Current>(flows[neuron], given.current, made.constants.current,
                                       first_neuron + static_cast<std::uint32_t>(neuron));
  }
  const auto kind = references[0].is.threshold;
  constexpr bool is_signed = Model::receptors == 1 && !is_conductance<typename Model::Input>;
  Sfc32 random(StreamId{static_cast<std::uint32_t>(number), 1, 2});
  const auto uniform = [&] { return static_cast<double>(random.next() >> 8) / 16777216.0; };
  Sums<Model> sums{};
  double worst = 0.0, chances = 0.0, variance = 0.0;
  std::uint32_t spikes = 0, ties = 0, compared = 0;
  std::vector<bool> is_gone(neurons);
  constexpr std::uint32_t steps = sanitized ? 300 : 2000;
  for (std::uint32_t step = 0; step < steps; ++step) {
    std::vector<std::vector<double>> arriving(neurons, std::vector<double>(Model::receptors));
    for (std::uint32_t which = 0; which < Model::receptors; ++which)
      for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
        if (uniform() >= (which % 2 == 0 ? 0.03 : 0.015)) continue;
        const double weight = largest_weight<Model> * (0.2 + 0.8 * uniform());
        const auto result = Model::weight(made, which, weight);
        if (!result) {
          std::printf("composition %d: a weight of %g is refused, %g units\n", number, weight,
                      made.units[which] * weight);
          return false;
        }
        auto units = static_cast<std::int32_t>(result.value());
        if (is_signed && uniform() < 0.3) units = -units;
        sums[which][neuron] = static_cast<ElementOf<Model>>(units);
        arriving[neuron][which] = units / made.units[which];
        if constexpr (!is_delta<typename Model::Synapses>)
          arriving[neuron][which] *= references[0].effect_of(which) / references[neuron].effect_of(which);
      }
    const auto fired = population.step(pointers_to<Model>(sums), step);
    auto next = fired.begin();
    for (std::size_t neuron = 0; neuron < neurons; ++neuron) {
      const bool has_fired = next != fired.end() && *next == neuron;
      if (has_fired) ++next;
      Reference& reference = references[neuron];
      double current_na = 0.0;
      for (Flow& flow : flows[neuron]) current_na += flow(step);
      if (is_gone[neuron]) continue;
      ++compared;
      const double before = reference.v();
      reference.integrate(arriving[neuron], current_na);
      const double bound = Bounds<Model>::of(std::fabs(reference.v() - before));
      spikes += has_fired ? 1U : 0U;
      bool is_right = true;
      if (kind == Description::Threshold::none) {
        is_right = !has_fired;
      } else if (kind == Description::Threshold::stochastic) {
        const double chance = reference.chance();
        chances += chance, variance += chance * (1.0 - chance);
      } else {
        const bool should = reference.is_active() && reference.above() >= 0.0;
        if (should != has_fired) {
          ++ties;
          is_right = reference.is_active() && std::fabs(reference.above()) < bound;
        }
      }
      const double above = reference.above();
      reference.finish(has_fired);
      const double found = population.value(place_of<Model>.membrane.v, neuron);
      const double error = std::fabs(found - reference.v());
      worst = std::max(worst, error / bound);
      if (!is_right || !(error < bound)) {
        std::printf("composition %d, neuron %zu, step %u: %.6f mV in place of %.6f, %s, %.6f above the threshold; %u "
                    "sums held\n",
                    number, neuron, static_cast<unsigned>(step), found, reference.v(),
                    has_fired ? "fired" : "did not fire", above, static_cast<unsigned>(population.saturations()));
        return false;
      }
      if constexpr (Bounds<Model>::has_upswing) {
        reference.v() = found;
        if constexpr (is_izhikevich<typename Model::Membrane>)
          reference.set_u(population.value(place_of<Model>.membrane.u, neuron));
        else
          reference.set_u(population.value(place_of<Model>.membrane.w, neuron));
        // nothing brings back what ran away; it is held at the end of its word
        is_gone[neuron] = found > reference.is.threshold_mv + 60.0;
      }
    }
  }
  const bool is_expected =
      kind != Description::Threshold::stochastic || std::fabs(spikes - chances) < 5.0 * std::sqrt(variance) + 1.0;
  const bool is_many = spikes > 0 || sanitized || kind == Description::Threshold::none || !comes_back<Model>;
  const bool is_compared = compared > (Bounds<Model>::has_upswing && (!Is<typename Model::Reset, reset::ToValue> ||
                                                                      kind == Description::Threshold::none)
                                           ? 0.05
                                           : 1.0) *
                                              steps * neurons -
                                          1;
  const bool is_held = population.saturations() != 0 && compared == steps * neurons;
  const bool is_right = is_expected && is_many && is_compared && ties * 8 <= spikes + 24 && !is_held;
  std::printf(
      "composition %d: %u spikes, %u a step off; worst error %.2f of %.1e mV; %u sums held; %.0f %% compared%s\n",
      number, static_cast<unsigned>(spikes), static_cast<unsigned>(ties), worst, Bounds<Model>::absolute,
      static_cast<unsigned>(population.saturations()), 100.0 * compared / (steps * neurons), is_right ? "" : ", wrong");
  return is_right;
}
#endif

/// At run time: changes of headers are no constants (tests/mutants).
template <class Model>
typename Model::Made not_made() {
  return {};
}

/// All that is asked of a composition.
template <class Model>
bool run(int number) {
  static Population<Model, neurons> population(not_made<Model>());
  bool is_right = same_bits(number, population, All{});
#if defined(__x86_64__)
  is_right = agrees(number, population) && is_right;
#endif
  return is_right;
}

} // namespace compositions

#endif
