// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a network is: populations and projections, described once for whatever runs it.
///
///     network::Network net({.dt_ms = 0.1, .seed = 1});
///     const auto cells = net.add<Lif<2>>("cells", 1000, cell);
///     net.connect(cells, cells, network::Pairwise{0.1}, {.receptor = 0, .weight = 0.01, .delay_ms = 1.5});
///
/// A description has no error: what is wrong in it is said, by name, by whoever makes something of it.
// host-only
#ifndef NEUROMORPH_NETWORK_NETWORK_HPP
#define NEUROMORPH_NETWORK_NETWORK_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/network/connectors.hpp>
#include <neuromorph/network/distribution.hpp>
#include <neuromorph/network/neurons.hpp>
#include <neuromorph/network/plasticity.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

enum class PopulationId : std::uint32_t {};
enum class ProjectionId : std::uint32_t {};

using Position = std::array<double, 3>;

/// Poisson input of each neuron's own.
struct Background {
  std::uint32_t receptor = 0;
  double rate_hz = 0.0; ///< of events at each neuron: 128 a step at most
  double weight = 0.0;  ///< of an event, as of a synapse
};

/// A spike of a source, in the step that is nearest to it, and not before the first.
struct SpikeTime {
  std::uint32_t neuron = 0;
  double time_ms = 0.0;
};

/// What a population is to those who build, run and report.
struct Population {
  std::string name;
  std::uint32_t count = 0;
  std::vector<double> units_per_one = {}; ///< by receptor: integer of a weight of 1, in nA mostly; none of a source
  bool has_signed_weights = false;        ///< one receptor for both signs
  unsigned input_bits = 32;               ///< of the sum of weights that arrives in a step
  double rate_hz = 0.0;                   ///< expected of a neuron, for reports
  std::vector<Position> positions = {};   ///< [count], or none
  std::shared_ptr<const NeuronModel> model = {}; ///< none: a source
  std::vector<Initial> initial = {};             ///< words that begin otherwise than the model says
  std::vector<Background> background = {};
  double poisson_hz = 0.0;                 ///< of a source: the rate at which each of it fires by chance
  std::vector<SpikeTime> spike_times = {}; ///< of a source, in any order
  Status made = {};                        ///< why its parameters are refused, if they are
};

/// What the synapses of a projection have in common.
struct Synapses {
  std::uint32_t receptor = 0;
  Distribution weight = 0.0;   ///< a magnitude where the receptor has no sign; of a list without meaning
  Distribution delay_ms = 1.0; ///< rounded to whole steps, 1 at least; of a list without meaning
  std::shared_ptr<const PlasticityRule> plasticity = {}; ///< of `learns`; none: weights stay as they are
};

struct Projection {
  PopulationId source{}, target{};
  Connector connector;
  Synapses synapses;
};

struct Settings {
  double dt_ms = 0.1;
  std::uint64_t seed = 1;
};

class Network {
public:
  static constexpr std::uint32_t most_neurons = 1U << 28; ///< of a population

  explicit Network(Settings settings) : settings_(settings) {}

  /// Neurons of any composition.
  /// \param parameters  of all of them
  /// \param each        `void(std::uint32_t neuron, NeuronDraws& draws, Model::Parameters& own)`: what is a neuron's own, of
  ///                    parts that are PerNeuron, given or drawn: `own.membrane.tau_ms = draws(normal(20.0, 2.0))`
  template <class Model>
  PopulationId add(std::string name, std::uint32_t count, const typename Model::Parameters& parameters) {
    return add<Model>(std::move(name), count, parameters, nullptr);
  }
  template <class Model, class Each>
  PopulationId add(std::string name, std::uint32_t count, const typename Model::Parameters& parameters, Each each) {
    static_assert(neuromorph::detail::is_neuron<Model>,
                  "neuromorph: a population of a network is of a Neuron<...>, such as Lif<2>; see docs/networks.md");
    static_assert(
        std::is_null_pointer_v<Each> || Model::constant_count != 0,
        "neuromorph: no part of this neuron is PerNeuron, so all have the same parameters; see docs/networks.md");
    Population population{.name = std::move(name), .count = count};
    const auto made = Model::make(parameters, settings_.dt_ms);
    population.made = made.status();
    if (made) {
      population.units_per_one.assign(made.value().units.begin(), made.value().units.end());
      population.model = std::make_shared<ModelOf<Model>>(made.value(), parameters, std::move(each));
    }
    population.has_signed_weights = Model::receptors == 1;
    population.input_bits = Model::Synapses::input_in_pairs ? 16 : 32;
    return add(std::move(population));
  }
  /// Neurons of which only these numbers are known.
  PopulationId add(Population population) {
    populations_.push_back(std::move(population));
    return PopulationId(static_cast<std::uint32_t>(populations_.size() - 1));
  }
  /// Something that spikes and has no synapses.
  PopulationId add_source(std::string name, std::uint32_t count) {
    return add(Population{.name = std::move(name), .count = count});
  }
  /// Sources that fire by chance, each by its own; more than once in a step, where the rate is that high: 128 times at most.
  PopulationId add_poisson(std::string name, std::uint32_t count, double rate_hz) {
    return add(Population{.name = std::move(name), .count = count, .rate_hz = rate_hz, .poisson_hz = rate_hz});
  }
  /// Sources that fire when they are told.
  PopulationId add_spikes(std::string name, std::uint32_t count, std::vector<SpikeTime> times) {
    return add(Population{.name = std::move(name), .count = count, .spike_times = std::move(times)});
  }

  /// Poisson input of each neuron's own, besides what it has.
  void add_background(PopulationId population, const Background& background) {
    of(population).background.push_back(background);
  }
  /// How a word begins, such as the membrane: `net.begin_at(cells, place_of<Model>.membrane.v, uniform(-60.0, -50.0))`, in its
  /// physical unit, drawn for each neuron; or one value for each.
  void begin_at(PopulationId population, std::size_t place, const Distribution& drawn) {
    of(population).initial.push_back({.place = place, .drawn = drawn});
  }
  void begin_at(PopulationId population, std::size_t place, std::vector<double> values) {
    of(population).initial.push_back({.place = place, .drawn = 0.0, .values = std::move(values)});
  }

  /// The rate that a report expects of each neuron of a population.
  void expect_rate(PopulationId population, double rate_hz) { of(population).rate_hz = rate_hz; }
  /// Where its neurons are; axes that are not used are 0.
  void place(PopulationId population, std::vector<Position> positions) {
    of(population).positions = std::move(positions);
  }

  ProjectionId connect(PopulationId source, PopulationId target, Connector connector, Synapses synapses = {}) {
    projections_.push_back({source, target, std::move(connector), std::move(synapses)});
    return ProjectionId(static_cast<std::uint32_t>(projections_.size() - 1));
  }

  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
  [[nodiscard]] const std::vector<Population>& populations() const noexcept { return populations_; }
  [[nodiscard]] const std::vector<Projection>& projections() const noexcept { return projections_; }
  [[nodiscard]] const Population& operator[](PopulationId id) const { return populations_.at(std::size_t(id)); }
  [[nodiscard]] const Projection& operator[](ProjectionId id) const { return projections_.at(std::size_t(id)); }
  /// "projection 3, inhibitory to excitatory"
  [[nodiscard]] std::string name(ProjectionId id) const {
    const Projection& projection = (*this)[id];
    return "projection " + std::to_string(std::uint32_t(id)) + ", " + name_of(projection.source) + " to " +
           name_of(projection.target);
  }
  [[nodiscard]] std::string name(PopulationId id) const {
    return "population " + std::to_string(std::uint32_t(id)) + ", " + (*this)[id].name;
  }

private:
  [[nodiscard]] Population& of(PopulationId id) { return populations_.at(std::size_t(id)); }
  [[nodiscard]] std::string name_of(PopulationId id) const {
    return std::size_t(id) < populations_.size() ? (*this)[id].name : "nothing";
  }

  Settings settings_;
  std::vector<Population> populations_;
  std::vector<Projection> projections_;
};

/// Positions on a grid whose neuron n is at the place of n on the first axis, then the second, then the third.
[[nodiscard]] inline std::vector<Position> grid(std::array<std::uint32_t, 3> size, double spacing = 1.0) {
  std::vector<Position> positions;
  for (std::uint32_t z = 0; z < size[2]; ++z)
    for (std::uint32_t y = 0; y < size[1]; ++y)
      for (std::uint32_t x = 0; x < size[0]; ++x) positions.push_back({x * spacing, y * spacing, z * spacing});
  return positions;
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
