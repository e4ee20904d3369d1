// SPDX-License-Identifier: BSL-1.0
/// \file
/// A network of network.hpp on the cores of a machine: each population is an application vertex, which is cut into slices that fit. Its
/// spikes and counts are those of network::Engine, to the last one.
///
///     using OnCores = execution::NetworkOnCores<Lif<2>>;        // the models of its populations
///     OnCores::add_to(programs);                                // of the machine
///     auto cores = OnCores::make(simulation, net, machine, {.threads = 2});
///     if (!cores) return std::puts(cores.sentence().c_str()), 1;
///     if (auto refusal = simulation.run(10'000); !refusal) ...; // steps
///     network::statistics(cores.value().recording());
///
/// Not on cores: synapses that learn, and sources that are fed while the network runs, which stay silent.
// host-only
#ifndef NEUROMORPH_EXECUTION_ADAPTER_NETWORK_HPP
#define NEUROMORPH_EXECUTION_ADAPTER_NETWORK_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/adapter/network_rows.hpp>
#include <neuromorph/execution/adapter/network_vertices.hpp>
#include <neuromorph/execution/application.hpp>
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/machine/programs.hpp>
#include <neuromorph/mapping/application_graph.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/network/build.hpp>
#include <neuromorph/network/given.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/recording.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

struct NetworkOptions {
  unsigned threads = 1; ///< that draw synapses
  /// Of a population on a core: 16 or 32, or a multiple of 64 up to 256; 0: as many as fit the memory beside a core.
  std::uint32_t neurons_per_core = 0;
  double most_hz =
      1000.0; ///< of a slice's mean rate, for which there is room to record; what is more is lost, and told
};
/// Of all cores, since the start, as of network::Engine; a core counts in 32 bits.
struct NetworkCounts {
  std::uint64_t spikes = 0, events = 0, background = 0;
  std::uint64_t saturations = 0, input_saturations = 0, background_saturations = 0;
  std::uint64_t strange = 0; ///< packets that came to cores to which their neurons have no synapses
};

template <class... Models>
class NetworkOnCores {
public:
  /// The programs of its cores, for a machine.
  static void add_to(machine::Programs& programs) {
    std::size_t at = 0;
    (programs.add<NeuronCore<Models>>(name_of(at++)), ...);
    programs.add<SourceCore>(sources_name);
  }

  /// Puts a network into an empty simulation, of which a tick is a step.
  /// \param net      what is of use of it is copied
  /// \param machine  as add_application
  /// \errors those of network::plan, NeuronModel::make, PoissonInput::check and add_application; parameters_contradict: a model that is none of Models,
  ///         synapses that learn, neurons_per_core that is none; parameter_out_of_range: of neurons that would fit a core there are not 16,
  ///         as delays are too long, or a slice has more than 65 536 synapses with another
  [[nodiscard]] static Answer<NetworkOnCores> make(Simulation& simulation, const network::Network& net,
                                                   const mapping::Machine& machine,
                                                   const NetworkOptions& options = {}) {
    const std::uint32_t wanted = options.neurons_per_core;
    if (wanted != 0 && wanted != 16 && wanted != 32 && (wanted % 64 != 0 || wanted > 256))
      return Refusal{{Error::parameters_contradict, 0, wanted, "neurons_per_core"},
                     "",
                     "neurons_per_core = " + std::to_string(wanted) + ": it is 16, 32, or a multiple of 64 up to 256"};
    const auto state = std::make_shared<State>(net, simulation);
    auto planned = network::plan(state->net, options.threads);
    if (!planned) return planned.refusal();
    state->plans = std::move(planned).value(), state->threads = options.threads;
    state->kinds.reserve(net.populations().size());
    for (std::uint32_t at = 0; at < net.populations().size(); ++at)
      if (Refusal refusal = state->look_at(at, machine.kind().dtcm_bytes, wanted); !refusal) return refusal;
    auto rows = state->draw();
    if (!rows) return rows.refusal();
    state->rows = std::make_shared<NetworkRows>(std::move(rows).value());
    state->synapses = state->rows->synapses();
    for (std::uint32_t at = 0; at < net.populations().size(); ++at)
      if (Refusal refusal = state->check_fan_in(at); !refusal) return refusal;

    std::vector<std::size_t> images;
    for (std::size_t at = 0; at < sizeof...(Models); ++at)
      images.push_back(simulation.add_image(name_of(at), machine::image_of(name_of(at))));
    images.push_back(simulation.add_image(sources_name, machine::image_of(sources_name)));
    mapping::ApplicationGraph graph;
    std::vector<SliceProgram> programs;
    for (std::uint32_t at = 0; at < net.populations().size(); ++at) {
      const network::Population& population = net.populations()[at];
      graph.add({.name = population.name,
                 .atoms = population.count,
                 .resources = [state, at](const mapping::Slice& slice) { return state->resources(at, slice); },
                 .atoms_per_core = state->kinds[at].length});
      const double most = (std::max)(options.most_hz, 2.0 * population.poisson_hz) * net.settings().dt_ms * 1e-3;
      programs.push_back({.image = images[state->kinds[at].model],
                          .regions = [state, at](const SliceOf& of) { return state->regions(at, of); },
                          .recordings = {[state, at, most](std::uint64_t ticks, const mapping::Slice& slice) {
                            // A burst of all of them, the mean, and what a list says.
                            const double spikes = slice.count * (1.0 + most * static_cast<double>(ticks));
                            return 8 * (static_cast<std::uint64_t>(spikes) + state->listed_in(at, slice));
                          }},
                          .counters = std::size_t(NetworkCounter::all)});
    }
    for (std::uint32_t source = 0; source < net.populations().size(); ++source) {
      std::vector<mapping::AppVertex> targets;
      for (const network::Projection& one : net.projections())
        if (std::uint32_t(one.source) == source &&
            std::find(targets.begin(), targets.end(), std::uint32_t(one.target)) == targets.end())
          targets.push_back(std::uint32_t(one.target));
      state->partitions.push_back(targets.empty() ? none : graph.partitions());
      if (targets.empty()) continue;
      const double rate = net.populations()[source].rate_hz * net.settings().dt_ms * 1e-3;
      const auto partition = graph.add_partition(source, {.identifier = "spikes", .packets_per_step = rate});
      for (const mapping::AppVertex target : targets)
        graph.add_edge(partition, target,
                       [state, source, target](const mapping::Slice& from, const mapping::Slice& to) {
                         return state->rows->are_connected(source, from.first / state->kinds[source].length, target,
                                                           to.first / state->kinds[target].length);
                       });
    }
    auto parts = add_application(simulation, graph, programs, machine);
    if (!parts) return parts.refusal();
    state->parts = std::move(parts).value();
    return NetworkOnCores(state);
  }

  [[nodiscard]] const mapping::Partitioned& parts() const noexcept { return *state_->parts; }
  [[nodiscard]] std::uint64_t synapses() const noexcept { return state_->synapses; }
  [[nodiscard]] mapping::Vertex vertex_with(network::PopulationId population, std::uint32_t neuron) const noexcept {
    return parts().vertex_with(std::uint32_t(population), neuron);
  }
  /// The spikes of all populations until now.
  [[nodiscard]] network::Recording recording() const {
    const Simulation& simulation = *state_->simulation;
    network::Recording made{.dt_ms = state_->net.settings().dt_ms, .steps = simulation.time()};
    for (std::uint32_t at = 0; at < state_->net.populations().size(); ++at) {
      const network::Population& population = state_->net.populations()[at];
      std::vector<std::pair<std::uint32_t, std::uint32_t>> spikes; // step, neuron
      for (mapping::Vertex vertex = parts().first[at]; vertex < parts().first[at + 1]; ++vertex) {
        const auto bytes = simulation.recorded(vertex, 0);
        for (std::size_t place = 0; place + 8 <= bytes.size(); place += 8)
          spikes.emplace_back(protocols::word_at(bytes, place), protocols::word_at(bytes, place + 4));
      }
      std::sort(spikes.begin(), spikes.end());
      network::RecordedPopulation& to =
          made.populations.emplace_back(network::RecordedPopulation{population.name, population.count});
      for (const auto& [step, neuron] : spikes) to.spikes.add(step, neuron);
    }
    return made;
  }
  /// Until the end of the last cycle.
  [[nodiscard]] NetworkCounts counts() const {
    NetworkCounts sum;
    for (mapping::Vertex vertex = 0; vertex < parts().slices.size(); ++vertex) {
      const auto& of = state_->simulation->provenance(vertex).counters;
      const auto add = [&of](std::uint64_t& to, NetworkCounter which) {
        if (std::size_t(which) < of.size()) to += of[std::size_t(which)];
      };
      add(sum.spikes, NetworkCounter::spikes), add(sum.events, NetworkCounter::events);
      add(sum.background, NetworkCounter::background), add(sum.saturations, NetworkCounter::saturations);
      add(sum.input_saturations, NetworkCounter::input_saturations);
      add(sum.background_saturations, NetworkCounter::background_saturations);
      add(sum.strange, NetworkCounter::strange);
    }
    return sum;
  }

private:
  static constexpr const char* sources_name = "sources of a network";
  static constexpr std::uint32_t none = UINT32_MAX;
  using Bytes = std::vector<std::uint8_t>;
  [[nodiscard]] static std::string name_of(std::size_t model) {
    return "neurons of a network, model " + std::to_string(model);
  }
  /// How a population is on cores.
  struct Kind {
    std::size_t model = sizeof...(Models); ///< of Models; behind them: sources
    std::uint32_t length = 0, longest_delay = 0, slots = 1, target_bits = 0;
    std::size_t columns = 0; ///< words of a neuron
    std::uint32_t (*dtcm_bytes)(std::uint32_t neurons, std::uint32_t slots) = nullptr;
    void (*write)(const network::NeuronModel& model, const network::Neurons& neurons, Bytes& bytes) = nullptr;
    std::vector<DriveSettings> drives{};
    std::vector<std::size_t>
        listed_before{}; ///< spikes of a list that neurons before this one have; empty: there are none
  };
  struct State {
    State(const network::Network& of, Simulation& in) : net(of), simulation(&in) {}

    network::Network net;
    Simulation* simulation;
    std::vector<Kind> kinds{};
    std::vector<network::ProjectionPlan> plans{};
    unsigned threads = 1;
    std::mutex mutex{};
    std::shared_ptr<NetworkRows> rows{}; ///< by the mutex, once data are made
    std::uint64_t synapses = 0;
    std::vector<mapping::AppPartition> partitions{}; ///< [population]
    std::shared_ptr<const mapping::Partitioned> parts{};

    /// What a population takes, and whether it can be on cores at all.
    [[nodiscard]] Refusal look_at(std::uint32_t at, std::uint32_t dtcm_bytes, std::uint32_t wanted) {
      const network::Population& population = net.populations()[at];
      const auto refuse = [&](Status status, const std::string& why) {
        return Refusal{status, net.name(network::PopulationId(at)), why};
      };
      Kind& kind = kinds.emplace_back();
      kind.dtcm_bytes = [](std::uint32_t neurons, std::uint32_t) { return 2048 + 16 * neurons; };
      std::size_t number = 0;
      if (population.model != nullptr) (look_for<Models>(*population.model, number++, kind), ...);
      if (const Status status = network::check_given(population, net.settings().dt_ms); !status)
        return refuse(status, "");
      if (kind.model == sizeof...(Models) && (population.model != nullptr || !population.units_per_one.empty()))
        return refuse({Error::parameters_contradict, at, 0, "model"},
                      "its model is none of those of this NetworkOnCores");
      for (const network::ProjectionPlan& plan : plans) {
        const network::Projection& projection = net[plan.id()];
        if (std::uint32_t(projection.target) != at) continue;
        if (plan.plasticity() != nullptr)
          return {{Error::parameters_contradict, std::uint32_t(plan.id()), 0, "plasticity"},
                  net.name(plan.id()),
                  "its synapses learn, which they do not do on cores"};
        kind.longest_delay = (std::max)(kind.longest_delay, plan.longest_delay_of());
      }
      kind.slots = std::bit_ceil(kind.longest_delay + 1);
      for (const std::uint32_t length : {256U, 192U, 128U, 64U, 32U, 16U}) // of 256 all to all would have too many rows
        if (kind.length == 0 && (wanted == 0 ? length != 256 : length == wanted) &&
            kind.dtcm_bytes(length, kind.slots) + std::uint32_t{room_for_stack} <= dtcm_bytes)
          kind.length = length;
      if (kind.length == 0)
        return refuse({Error::parameter_out_of_range, at, kind.longest_delay, "delay"},
                      "delays of up to " + std::to_string(kind.longest_delay) + " steps take " +
                          std::to_string(kind.dtcm_bytes(wanted == 0 ? 16 : wanted, kind.slots)) +
                          " bytes beside a core for " + std::to_string(wanted == 0 ? 16 : wanted) +
                          " neurons, and it has " + std::to_string(dtcm_bytes - room_for_stack) + " for them");
      kind.target_bits = static_cast<std::uint32_t>(std::bit_width(kind.length - 1));
      if (!population.spike_times.empty()) kind.listed_before.resize(std::size_t{population.count} + 1);
      for (const network::SpikeTime& one : population.spike_times) ++kind.listed_before[one.neuron + std::size_t{1}];
      std::partial_sum(kind.listed_before.begin(), kind.listed_before.end(), kind.listed_before.begin());
      if (std::uint64_t{kind.slots} << kind.target_bits > 65536)
        return refuse({Error::parameter_out_of_range, at, kind.longest_delay, "delay"},
                      "delays of up to " + std::to_string(kind.longest_delay) + " steps and " +
                          std::to_string(kind.length) + " neurons on a core do not fit a half of a synapse's word");
      for (std::uint32_t which = 0; which < population.background.size(); ++which) {
        const auto units = network::background_units(population, which);
        if (!units) return refuse(units.status(), "");
        if (Refusal refusal = add_drive(at, which + 1, population.background[which].rate_hz); !refusal) return refusal;
        kind.drives.back().receptor = population.background[which].receptor;
        kind.drives.back().weight = units.value();
        kind.drives.back().is_narrow = population.input_bits == 16 ? 1 : 0;
      }
      if (population.model == nullptr && population.poisson_hz != 0.0) return add_drive(at, 0, population.poisson_hz);
      return {};
    }
    [[nodiscard]] Refusal add_drive(std::uint32_t at, std::uint32_t use, double rate_hz) {
      if (const Status status = network::PoissonInput::check(rate_hz, net.settings().dt_ms); !status)
        return {status, net.name(network::PopulationId(at))};
      kinds[at].drives.push_back({.use = use, .rate_hz = TwoWords(rate_hz)});
      return {};
    }
    template <class Model>
    static void look_for(const network::NeuronModel& model, std::size_t number, Kind& kind) {
      if (dynamic_cast<const network::ModelOf<Model>*>(&model) == nullptr) return;
      kind.model = number, kind.columns = NeuronCore<Model>::columns, kind.dtcm_bytes = NeuronCore<Model>::dtcm_bytes;
      kind.write = [](const network::NeuronModel& of, const network::Neurons& neurons, Bytes& bytes) {
        NeuronCore<Model>::write_neurons(static_cast<const network::ModelOf<Model>&>(of).made(),
                                         static_cast<const network::NeuronsOf<Model>&>(neurons), bytes);
      };
    }

    /// Sums of 32 bits are not checked while the network runs.
    [[nodiscard]] Refusal check_fan_in(std::uint32_t at) const {
      const network::Population& population = net.populations()[at];
      if (population.model == nullptr || population.input_bits == 16) return {};
      const std::uint32_t receptors = static_cast<std::uint32_t>(population.units_per_one.size());
      std::vector<std::uint64_t> sums(std::size_t{receptors} * population.count);
      for (std::size_t one = 0; one < net.projections().size(); ++one)
        if (std::uint32_t(net.projections()[one].target) == at) {
          const network::Population& source = net[net.projections()[one].source];
          rows->add_fan_in(one, kinds[at].target_bits,
                           network::most_spikes(source, net.settings().dt_ms, most_by_chance(source.poisson_hz)),
                           population.count, sums);
        }
      for (std::size_t which = 0; which < population.background.size(); ++which) {
        const DriveSettings& drive = kinds[at].drives[which];
        const std::uint64_t most = most_by_chance(population.background[which].rate_hz) *
                                   static_cast<std::uint64_t>(drive.weight < 0 ? -drive.weight : drive.weight);
        for (std::uint32_t neuron = 0; neuron < population.count; ++neuron)
          sums[std::size_t{drive.receptor} * population.count + neuron] += most;
      }
      const auto first = std::find_if(sums.begin(), sums.end(), [](std::uint64_t sum) { return sum >= 1U << 30; });
      if (first == sums.end()) return {};
      const auto neuron = static_cast<std::uint32_t>(static_cast<std::size_t>(first - sums.begin()) % population.count);
      return {{Error::fan_in_too_large, neuron, *first},
              net.name(network::PopulationId(at)) + ", neuron " + std::to_string(neuron)};
    }
    [[nodiscard]] std::uint32_t most_by_chance(double rate_hz) const {
      network::PoissonInput input;
      return rate_hz != 0.0 && network::PoissonInput::make(rate_hz, net.settings().dt_ms, {}, 0, 0, input).ok()
                 ? input.most()
                 : 0;
    }

    [[nodiscard]] Answer<NetworkRows> draw() const {
      std::vector<std::uint32_t> lengths, target_bits;
      for (const Kind& one : kinds) lengths.push_back(one.length), target_bits.push_back(one.target_bits);
      return NetworkRows::make(net, plans, lengths, target_bits, threads);
    }
    /// Those of which the synapses of a slice are here: they are drawn once more if it is loaded once more.
    [[nodiscard]] std::shared_ptr<NetworkRows> rows_with(std::uint32_t at, std::uint32_t slice) {
      const std::lock_guard lock(mutex);
      if (rows->are_taken(at, slice))
        if (auto again = draw()) rows = std::make_shared<NetworkRows>(std::move(again).value());
      return rows;
    }
    [[nodiscard]] mapping::Resources resources(std::uint32_t at, const mapping::Slice& slice) const {
      const Kind& kind = kinds[at];
      std::uint64_t bytes = 1024 + std::uint64_t{slice.count} * 4 * kind.columns;
      if (net.populations()[at].model == nullptr) bytes += SpikesRegion::bytes(listed_in(at, slice));
      for (std::uint32_t place = slice.first / kind.length; place <= (slice.first + slice.count - 1) / kind.length;
           ++place)
        bytes += rows->bytes_into(at, place);
      return {.dtcm_bytes = kind.dtcm_bytes(slice.count, kind.slots),
              .sdram_bytes = static_cast<std::uint32_t>((std::min)(bytes, std::uint64_t{UINT32_MAX}))};
    }
    [[nodiscard]] std::vector<Bytes> regions(std::uint32_t at, const SliceOf& of) {
      const Kind& kind = kinds[at];
      const network::Population& population = net.populations()[at];
      const mapping::Slice& slice = of.slice();
      SliceSettings settings{.population = at,
                             .first = slice.first,
                             .count = slice.count,
                             .slots = kind.slots,
                             .target_bits = kind.target_bits,
                             .seed = TwoWords(net.settings().seed),
                             .dt_ms = TwoWords(net.settings().dt_ms)};
      if (partitions[at] != none)
        if (const mapping::KeyMask keys = of.keys(partitions[at]); keys.mask != 0)
          settings.key = keys.key, settings.has_keys = 1;
      std::vector<Bytes> made(1);
      made[0].resize(SliceRegion::bytes(kind.drives.size()));
      static_cast<void>(SliceRegion::write(made[0], settings, kind.drives).ok()); // there is room in all of them
      if (population.model == nullptr) {
        const auto spikes = listed(population, slice);
        made.emplace_back(SpikesRegion::bytes(spikes.size()));
        static_cast<void>(SpikesRegion::write(made.back(), {}, spikes).ok());
        return made;
      }
      std::unique_ptr<network::Neurons> neurons;
      static_cast<void>(population
                            .model // which was asked for all of them before
                            ->make(net.settings().seed, at, slice.first, slice.count, population.initial, neurons)
                            .ok());
      if (neurons != nullptr) kind.write(*population.model, *neurons, made.emplace_back());
      const std::uint32_t number_of_slice = slice.first / kind.length;
      rows_with(at, number_of_slice)
          ->take_into(
              at, number_of_slice,
              [&](std::uint32_t source, std::uint32_t number) { return of.keys(partitions[source], number); }, made);
      return made;
    }
    [[nodiscard]] std::size_t listed_in(std::uint32_t at, const mapping::Slice& slice) const {
      const auto& before = kinds[at].listed_before;
      return before.empty() ? 0 : before[slice.first + slice.count] - before[slice.first];
    }
    [[nodiscard]] std::vector<ListedSpike> listed(const network::Population& population,
                                                  const mapping::Slice& slice) const {
      std::vector<ListedSpike> all;
      for (const network::DueSpike& one : network::listed_spikes(population, net.settings().dt_ms))
        if (one.neuron >= slice.first && one.neuron - slice.first < slice.count && one.step <= UINT32_MAX)
          all.push_back({static_cast<std::uint32_t>(one.step), one.neuron});
      return all;
    }
  };
  static constexpr std::uint32_t room_for_stack = 4096;

  explicit NetworkOnCores(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
