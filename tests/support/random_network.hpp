// SPDX-License-Identifier: BSL-1.0
// Random networks of all kinds of neurons, sources, connectors, weights and delays, as a description and as plain neurons.
#ifndef TESTS_SUPPORT_RANDOM_NETWORK_HPP
#define TESTS_SUPPORT_RANDOM_NETWORK_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/neurons/models/pynn.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <tests/support/lif_cells.hpp>
#include <tests/support/networks.hpp>
#include <tests/support/plain_network.hpp>

namespace networks {

/// A network, and the plain neurons of each population.
struct Described {
  network::Network net{{.dt_ms = 0.1, .seed = 1}};
  std::vector<std::unique_ptr<PlainNeurons>> neurons = {};

  template <class Model>
  network::PopulationId add(const std::string& name, std::uint32_t count,
                            const typename Model::Parameters& parameters) {
    const auto made = Model::make(parameters, net.settings().dt_ms);
    INFO(name << ": " << neuromorph::describe(made.status().error));
    REQUIRE(made.ok());
    neurons.push_back(std::make_unique<PlainNeuronsOf<Model>>(made.value(), count));
    return net.add<Model>(name, count, parameters);
  }
  network::PopulationId add_source(const network::PopulationId id) {
    neurons.push_back(nullptr);
    return id;
  }
  /// Membranes that begin at these words, by the values that they mean.
  template <class Model>
  void begin_at(network::PopulationId id, const typename Model::Parameters& parameters, std::mt19937& random) {
    const auto made = Model::make(parameters, net.settings().dt_ms).value();
    constexpr std::size_t v = neuromorph::place_of<Model>.membrane.v;
    std::vector<double> values;
    for (std::uint32_t neuron = 0; neuron < net[id].count; ++neuron) {
      const std::int32_t word = std::uniform_int_distribution<std::int32_t>(made.constants.reset.v, -1)(random);
      neurons[std::size_t(id)]->words(neuron)[v] = word;
      values.push_back(Model::value(made, v, word));
    }
    net.begin_at(id, v, std::move(values));
  }
};

/// Leaky neurons with a membrane of their own.
using OwnLif = neuromorph::Neuron<neuromorph::PerNeuron<neuromorph::membrane::Lif>, neuromorph::synapse::Exponential<2>,
                                  neuromorph::refractory::InMembrane>;

/// Cells that fire by themselves, such as those of CUBA.
inline constexpr LifCell restless{.tau_m_ms = 20.0,
                                  .tau_exc_ms = 5.0,
                                  .tau_inh_ms = 5.0,
                                  .c_m_nf = 0.2,
                                  .v_rest_mv = -48.5,
                                  .v_reset_mv = -60.0,
                                  .v_threshold_mv = -50.0,
                                  .t_refract_ms = 2.0};
inline constexpr LifWeights packed_weights{.excitatory_na = 0.1, .inhibitory_na = 0.3, .bits = 12};

class RandomNetwork {
public:
  /// \param is_large    whether populations may have a thousand neurons
  /// \param most_steps  of delays
  RandomNetwork(std::uint32_t seed, bool is_large, std::uint32_t most_steps = 4095)
      : random_(seed), most_steps_(most_steps) {
    made_.net = network::Network({.dt_ms = 0.1, .seed = seed});
    const std::uint32_t populations = 2 + below(4);
    for (std::uint32_t at = 0; at < populations; ++at) add_population(is_large);
    for (std::uint32_t left = 1 + below(8); left > 0; --left) connect();
  }
  [[nodiscard]] Described take() && { return std::move(made_); }

private:
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) {
    return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random_);
  }
  [[nodiscard]] double share() { return std::uniform_real_distribution<double>(0.0, 1.0)(random_); }

  [[nodiscard]] std::uint32_t count(bool is_large) {
    constexpr std::array<std::uint32_t, 8> small{0, 1, 2, 63, 64, 65, 128, 200};
    constexpr std::array<std::uint32_t, 4> large{1023, 1024, 1025, 1100};
    return is_large && below(3) == 0 ? large[below(4)] : small[below(8)];
  }
  template <class Model>
  void add_cells(const char* name, std::uint32_t count, const LifCell& lif, const LifWeights& weights) {
    const auto parameters = parameters_of<Model>(lif, weights);
    const auto id = made_.add<Model>(name, count, parameters);
    if (below(2) == 0) made_.begin_at<Model>(id, parameters, random_);
    largest_.push_back({weights.excitatory_na, Model::receptors == 2 ? weights.inhibitory_na : 0.0});
    add_background(id);
  }
  void add_background(network::PopulationId id) {
    const auto receptors = static_cast<std::uint32_t>(made_.net[id].units_per_one.size());
    for (std::uint32_t left = below(3); left > 0; --left) {
      network::Background one;
      one.receptor = below(receptors);
      one.rate_hz = below(8) == 0 ? 0.0 : std::pow(10.0, 5.0 * share());
      one.weight = largest_.back()[one.receptor] * share() * share();
      if (receptors == 1 && below(2) == 0) one.weight = -one.weight;
      made_.net.add_background(id, one);
    }
  }
  void add_population(bool is_large) {
    using namespace neuromorph;
    const std::uint32_t neurons = count(is_large), kind = below(10);
    LifCell lif = restless;
    lif.t_refract_ms = 0.1 * below(40);
    lif.tau_inh_ms = below(2) == 0 ? 5.0 : 10.0;
    if (below(3) == 0) lif.v_rest_mv = -60.0;
    LifCell one_tau = lif;
    one_tau.tau_inh_ms = one_tau.tau_exc_ms;
    const LifWeights weights{.excitatory_na = 0.5, .inhibitory_na = 1.0, .bits = 16};
    switch (kind) {
    case 0: add_cells<PackedLif>("packed", neurons, lif, packed_weights); break;
    case 1: add_cells<Lif<2>>("lif", neurons, lif, weights); break;
    case 2: add_cells<Lif<1>>("difference", neurons, one_tau, weights); break;
    case 3: add_cells<CompactLif<1>>("compact", neurons, one_tau, weights); break;
    case 4: add_cells<CompactLif<2>>("compact pair", neurons, lif, weights); break;
    case 5: add_cells<OwnLif>("own", neurons, lif, weights); break;
    case 6:
      largest_.push_back({2.0, 2.0});
      add_background(made_.add<pynn::Izhikevich>(
          "izhikevich", neurons,
          {.membrane = {.i_offset = 5.0}, .synapses = {{{{.largest = 2.0}, {.largest = 2.0}}}}, .threshold = {30.0}}));
      break;
    case 7:
      largest_.push_back({0.01, 0.01});
      add_background(made_.add<pynn::IfCondExp>("conductance", neurons,
                                                {.membrane = {.c_nf = 0.25, .v_rest_mv = -48.0},
                                                 .synapses = {{5.0, 10.0}, {{{.largest = 0.01}, {.largest = 0.01}}}},
                                                 .input = {.reversal_mv = {0.0, -70.0}}}));
      break;
    case 8:
      largest_.push_back({});
      (void)made_.add_source(made_.net.add_poisson("poisson", neurons, std::pow(10.0, 4.5 * share())));
      break;
    default:
      largest_.push_back({});
      std::vector<network::SpikeTime> times;
      for (std::uint32_t left = neurons == 0 ? 0 : below(400); left > 0; --left) {
        network::SpikeTime one;
        one.neuron = below(neurons);
        one.time_ms = 0.1 * below(below(2) == 0 ? 40 : 6000) + 0.04 * share();
        times.push_back(one);
        if (below(10) == 0) times.push_back(one);
      }
      (void)made_.add_source(made_.net.add_spikes("listed", neurons, std::move(times)));
    }
    const auto id = network::PopulationId(static_cast<std::uint32_t>(made_.neurons.size() - 1));
    made_.net.place(id, network::grid({neurons, 1, 1}));
  }
  void connect() {
    const auto populations = static_cast<std::uint32_t>(made_.neurons.size());
    const network::PopulationId from{below(populations)}, to{below(populations)};
    const network::Population &source = made_.net[from], &target = made_.net[to];
    const auto receptors = static_cast<std::uint32_t>(target.units_per_one.size());
    if (receptors == 0) return;
    network::Synapses synapses{.receptor = below(receptors)};
    const double largest = largest_[std::size_t(to)][synapses.receptor];
    const double sign = receptors == 1 && below(2) == 0 ? -1.0 : 1.0;
    switch (below(6)) {
    case 0: synapses.weight = 0.0; break;
    case 1: synapses.weight = sign * largest; break;
    case 2: synapses.weight = network::uniform(sign < 0.0 ? -largest : 0.01 * largest, largest); break;
    case 3: synapses.weight = network::normal(0.3 * largest, 0.1 * largest).redrawn(0.05 * largest, largest); break;
    default: synapses.weight = sign * largest * (0.01 + 0.2 * share()); break;
    }
    const double longest_ms = (std::min)(std::pow(10.0, -1.0 + 3.6 * share()), 0.1 * most_steps_);
    switch (below(5)) {
    case 0: synapses.delay_ms = network::uniform(0.1, longest_ms); break;
    case 1: synapses.delay_ms = network::normal(1.5, 0.75).redrawn(0.1, (std::min)(5.0, 0.1 * most_steps_)); break;
    case 2: synapses.delay_ms = 0.1 * most_steps_; break;
    default: synapses.delay_ms = below(2) == 0 ? longest_ms : 0.1 * (1 + below(20)); break;
    }
    if (source.count * std::uint64_t{target.count} > 100'000) { // few synapses each
      made_.net.connect(from, to, network::FixedTotal{below(30'000)}, synapses);
      return;
    }
    const std::uint32_t fewer = (std::min)((std::min)(source.count, target.count), 20U);
    const std::uint32_t degree = fewer == 0 ? 0 : below(fewer);
    const bool multiple = below(2) == 0, self = below(2) == 0;
    switch (below(8)) {
    case 0: made_.net.connect(from, to, network::AllToAll{self}, synapses); break;
    case 1:
      if (source.count != target.count) break;
      made_.net.connect(from, to, network::OneToOne{}, synapses);
      break;
    case 2: made_.net.connect(from, to, network::Pairwise{share() * share(), self}, synapses); break;
    case 3: made_.net.connect(from, to, network::FixedIndegree{degree, multiple, self || multiple}, synapses); break;
    case 4: made_.net.connect(from, to, network::FixedOutdegree{degree, multiple, self || multiple}, synapses); break;
    case 5: made_.net.connect(from, to, network::FixedTotal{std::uint64_t{degree} * degree / 2}, synapses); break;
    case 6:
      made_.net.connect(from, to, network::ByDistance{.probability = 0.9, .within = 30.0 * share(), .self = self},
                        synapses);
      break;
    default:
      network::FromList list;
      for (std::uint32_t left = source.count == 0 || target.count == 0 ? 0 : below(200); left > 0; --left) {
        network::Listed one;
        one.source = below(source.count);
        one.target = below(target.count);
        one.weight = sign * largest * (0.01 + 0.99 * share());
        one.delay_ms = 0.1 * (1 + below(below(2) == 0 ? (std::min)(20U, most_steps_) : most_steps_));
        list.synapses.push_back(one);
      }
      made_.net.connect(from, to, std::move(list), synapses);
    }
  }

  std::mt19937 random_;
  std::uint32_t most_steps_;
  Described made_{};
  std::vector<std::array<double, 2>> largest_{}; // weight, by population and receptor
};

} // namespace networks

#endif
