// SPDX-License-Identifier: BSL-1.0
/// \file
/// The application graph of a network: populations become vertices of so many neurons, projections become edges.
///
///     const auto graph = mapping::application_graph(net, {.slow_down = 10.0});
///     const auto made = mapping::partition(graph.value(), machine);
///
/// Vertices have the numbers of populations. A population that projects has one partition, whose edges lead to all that it reaches.
/// What a core needs is computed from expected rates and from costs, which a user can replace by those of another program.
// host-only
#ifndef NEUROMORPH_MAPPING_ADAPTER_NETWORK_HPP
#define NEUROMORPH_MAPPING_ADAPTER_NETWORK_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/mapping/application_graph.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/network/connectors.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

/// What a program takes, by default that of docs/core.md on an ARM968E-S.
struct NetworkCosts {
  double cycles_per_step = 358;     ///< benchmark `core/quiet250`, a line of the fit in docs/performance.md, Real time
  double cycles_per_neuron = 20.65; ///< benchmark `core/quiet250` less `core/quiet126`; a LIF neuron
  double cycles_per_spike = 635;    ///< benchmark `core/firing250` at 0.1 ms, its refractory period included
  double cycles_per_row = 188;      ///< of a spike that comes in: 145 and an index in SDRAM, 43, docs/core.md
  double cycles_per_event = 7.03;   ///< benchmark `core/rows_of_20` less `core/cuba250`
  double cycles_per_plastic_event = 129; ///< benchmark `stdp/pair/poisson/rows_of_100`
  double cycles_per_draw = 9.81;         ///< benchmark `poisson/1.6/bytes`, 100 values
  double peak = 1.0;                     ///< a step must have room for so many times the spikes of the mean one
  std::uint32_t dtcm_bytes = 8192;       ///< of stack, queues and what else does not depend on the network
  std::uint32_t bytes_per_synapse = 4;   ///< a word, docs/synapses.md
  std::uint32_t bytes_per_row = 4;       ///< of an index, for each neuron that has rows on a core
  std::uint32_t bytes_per_source = 20;   ///< of DTCM: from keys to rows
};
struct DevicePopulation {
  network::PopulationId population{};
  Chip chip = no_chip; ///< virtual
};
struct NetworkOptions {
  NetworkCosts costs = {};
  std::vector<double> neuron_cycles = {}; ///< [population] instead of cycles_per_neuron, where not 0; may be shorter
  double slow_down = 1.0;                 ///< how much longer a step takes than what it stands for
  std::uint32_t steps = 0;                ///< of a run, for what is recorded
  bool records_spikes = false;            ///< a bit of each neuron and step
  std::uint32_t recorded_words = 0;       ///< of each neuron and step, such as its membrane
  bool leaves_out_empty = true;           ///< no edge between slices that no synapse of OneToOne or FromList joins
  std::vector<DevicePopulation> devices = {};
};

namespace detail {

/// Adds up what reaches the neurons of each population.
class NetworkAdapter {
public:
  NetworkAdapter(const network::Network& net, const NetworkOptions& options) : net_(net), options_(options) {}

  [[nodiscard]] Answer<ApplicationGraph> made() {
    const double dt_ms = net_.settings().dt_ms;
    if (!(dt_ms > 0.0 && dt_ms <= 1e6) || !(options_.slow_down > 0.0 && options_.slow_down <= 1e6))
      return Refusal{{Error::parameter_out_of_range, 0, dt_ms, "dt_ms"},
                     "network",
                     "a step and how much slower it is must be more than 0 and at most 10^6"};
    const double step_us = std::ceil(dt_ms * 1000.0 * options_.slow_down * (1.0 - 1e-12));
    if (step_us > 4294967295.0)
      return Refusal{{Error::parameter_out_of_range, 0, options_.slow_down, "slow_down"},
                     "network",
                     "a step takes more than 2^32 us"};
    made_.constraints.step_us = static_cast<std::uint32_t>(step_us);
    made_.constraints.steps = options_.steps;
    if (Refusal refusal = check(); !refusal) return refusal;
    for (std::uint32_t at = 0; at < net_.projections().size(); ++at)
      if (Refusal refusal = add_up(network::ProjectionId(at)); !refusal) return refusal;
    for (std::uint32_t at = 0; at < net_.populations().size(); ++at) add_vertex(at);
    for (const DevicePopulation& one : options_.devices)
      made_.constraints.devices.push_back({.vertex = std::uint32_t(one.population), .chip = one.chip});
    add_partitions();
    return std::move(made_);
  }

private:
  using Populations = std::vector<network::Population>;

  /// What arrives at a population.
  struct Arriving {
    double events = 0.0, plastic_events = 0.0; ///< of a neuron in a step
    double synapse_bytes = 0.0;                ///< of a neuron
    double longest_row = 0.0;                  ///< of a source, in words for each neuron
    std::uint32_t longest_delay = 1;           ///< in steps
    std::vector<std::uint8_t> has_source = {}; ///< [population]
    /// [neuron + 1] synapses of lists to those before; none where there is no list.
    std::vector<std::uint64_t> listed = {};
  };

  [[nodiscard]] Refusal check() {
    const Populations& all = net_.populations();
    for (std::uint32_t at = 0; at < all.size(); ++at) {
      const network::Population& one = all[at];
      if (!one.made) return Refusal{one.made, net_.name(network::PopulationId(at))};
      if (!(one.rate_hz >= 0.0 && one.rate_hz <= 1e6))
        return Refusal{{Error::parameter_out_of_range, at, one.rate_hz, "rate_hz"},
                       net_.name(network::PopulationId(at))};
    }
    for (const DevicePopulation& one : options_.devices)
      if (std::size_t(one.population) >= all.size())
        return Refusal{{Error::index_out_of_range, 0, std::uint32_t(one.population), "devices"},
                       "devices",
                       "population " + std::to_string(std::uint32_t(one.population)) +
                           " is named, and the network has " + std::to_string(all.size())};
    arriving_.resize(all.size());
    for (Arriving& one : arriving_) one.has_source.resize(all.size());
    return {};
  }

  /// Spikes of a neuron in a step.
  [[nodiscard]] double spikes_of(const network::Population& population) const {
    if (!population.spike_times.empty() && population.rate_hz == 0.0 && population.count != 0) {
      // Of the time until its last one.
      double last = net_.settings().dt_ms;
      for (const network::SpikeTime& one : population.spike_times) last = (std::max)(last, one.time_ms);
      return static_cast<double>(population.spike_times.size()) * net_.settings().dt_ms / (last * population.count);
    }
    return population.rate_hz * net_.settings().dt_ms / 1000.0;
  }

  [[nodiscard]] Refusal add_up(network::ProjectionId id) {
    const network::Projection& projection = net_[id];
    const Populations& all = net_.populations();
    const auto number = std::uint32_t(id), from = std::uint32_t(projection.source),
               to = std::uint32_t(projection.target);
    for (const std::uint32_t end : {from, to})
      if (end >= all.size())
        return Refusal{{Error::index_out_of_range, number, end, end == from ? "source" : "target"},
                       net_.name(id),
                       "population " + std::to_string(end) + " is named, and the network has " +
                           std::to_string(all.size())};
    const network::Population &source = all[from], &target = all[to];
    if (target.units_per_one.empty())
      return Refusal{{Error::parameters_contradict, number, to, "target"}, net_.name(id), "its target has no synapses"};
    Arriving& in = arriving_[to];
    in.has_source[from] = 1;
    std::uint32_t longest = 0;
    if (Refusal refusal = longest_delay(id, longest); !refusal) return refusal;
    in.longest_delay = (std::max)(in.longest_delay, longest);
    const double sources = source.count, targets = target.count;
    if (sources == 0 || targets == 0) return {};
    const double synapses = synapses_of(projection, source, target);
    const double spikes = spikes_of(source), each = synapses / targets;
    const bool learns = projection.synapses.plasticity != nullptr;
    (learns ? in.plastic_events : in.events) += each * spikes;
    in.longest_row = (std::max)(in.longest_row, synapses / (sources * targets));
    double bytes = options_.costs.bytes_per_synapse;
    if (learns) {
      const auto words = projection.synapses.plasticity->words();
      bytes = 4.0 * words.of_synapse;
      in.synapse_bytes += 4.0 * words.header * sources / targets;
    }
    if (const auto* list = std::get_if<network::FromList>(&projection.connector)) {
      if (in.listed.empty()) in.listed.resize(std::size_t{target.count} + 1);
      for (const network::Listed& one : list->synapses) {
        if (one.source >= source.count || one.target >= target.count)
          return Refusal{
              {Error::index_out_of_range, number, one.source >= source.count ? one.source : one.target, "synapses"},
              net_.name(id)};
        in.listed[one.target + 1] += static_cast<std::uint64_t>(bytes);
      }
    } else {
      in.synapse_bytes += each * bytes;
    }
    return {};
  }

  /// Expected, of a whole projection.
  [[nodiscard]] static double synapses_of(const network::Projection& projection, const network::Population& source,
                                          const network::Population& target) {
    const double sources = source.count, targets = target.count;
    const auto of = [&](const auto& connector) -> double {
      using Kind = std::remove_cvref_t<decltype(connector)>;
      if constexpr (std::is_same_v<Kind, network::AllToAll>)
        return sources * targets;
      else if constexpr (std::is_same_v<Kind, network::OneToOne>)
        return (std::min)(sources, targets);
      else if constexpr (std::is_same_v<Kind, network::Pairwise>)
        return sources * targets * connector.probability;
      else if constexpr (std::is_same_v<Kind, network::FixedIndegree>)
        return targets * connector.degree;
      else if constexpr (std::is_same_v<Kind, network::FixedOutdegree>)
        return sources * connector.degree;
      else if constexpr (std::is_same_v<Kind, network::FixedTotal>)
        return static_cast<double>(connector.total);
      else if constexpr (std::is_same_v<Kind, network::ByDistance>)
        return sources * targets * mean_probability(connector, source, target);
      else
        return static_cast<double>(connector.synapses.size());
    };
    return std::visit(of, projection.connector);
  }
  /// Of evenly spread pairs, at most 256 of each population.
  [[nodiscard]] static double mean_probability(const network::ByDistance& by, const network::Population& source,
                                               const network::Population& target) {
    if (source.positions.size() != source.count || target.positions.size() != target.count) return by.probability;
    constexpr std::uint32_t most = 256;
    const std::uint32_t ones = (std::min)(source.count, most), others = (std::min)(target.count, most);
    double sum = 0.0;
    for (std::uint32_t one = 0; one < ones; ++one)
      for (std::uint32_t other = 0; other < others; ++other) {
        const auto &from = source.positions[std::uint64_t{one} * source.count / ones],
                   &to = target.positions[std::uint64_t{other} * target.count / others];
        double square = 0.0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          double apart = std::fabs(from[axis] - to[axis]);
          if (by.period[axis] > 0.0) apart = (std::min)(apart, std::fabs(by.period[axis] - apart));
          square += apart * apart;
        }
        const double distance = std::sqrt(square);
        if (distance > by.within) continue;
        const double falls = by.profile == network::Profile::gaussian ? std::exp(-square / (2.0 * by.scale * by.scale))
                             : by.profile == network::Profile::exponential ? std::exp(-distance / by.scale)
                                                                           : 1.0;
        sum += by.probability * falls;
      }
    return sum / (static_cast<double>(ones) * others);
  }

  /// In steps; of a distribution without an end that which one in a million is above.
  [[nodiscard]] Refusal longest_delay(network::ProjectionId id, std::uint32_t& longest) const {
    constexpr std::uint32_t most = 4095;
    const network::Projection& projection = net_[id];
    const double dt_ms = net_.settings().dt_ms;
    double delay_ms = 0.0;
    if (const auto* list = std::get_if<network::FromList>(&projection.connector)) {
      for (const network::Listed& one : list->synapses) delay_ms = (std::max)(delay_ms, one.delay_ms);
    } else {
      if (Status status = projection.synapses.delay_ms.check("delay_ms"); !status) {
        status.where = std::uint32_t(id);
        return Refusal{status, net_.name(id)};
      }
      delay_ms = projection.synapses.delay_ms.highest();
      if (delay_ms > most * dt_ms) {
        std::uint32_t low = 1, high = most + 1;
        while (low < high) {
          const std::uint32_t middle = (low + high) / 2;
          if (projection.synapses.delay_ms.below((middle + 0.5) * dt_ms) >= 1.0 - 1e-6)
            high = middle;
          else
            low = middle + 1;
        }
        if (low <= most) delay_ms = low * dt_ms;
      }
    }
    const double steps = std::floor(delay_ms / dt_ms + 0.5);
    if (!(steps <= most))
      return Refusal{{Error::delay_out_of_range, std::uint32_t(id), delay_ms, "delay_ms"}, net_.name(id)};
    longest = steps < 1.0 ? 1 : static_cast<std::uint32_t>(steps);
    return {};
  }

  /// Fixed, and for each neuron; exact in units of 2^-16, so that slices do not depend on a compiler's rounding of sums.
  struct Line {
    std::uint64_t fixed = 0, each = 0;
    [[nodiscard]] std::uint32_t at(std::uint32_t count) const noexcept {
      const std::uint64_t sum = fixed + each * count;
      return sum < fixed || (sum + 0xFFFF) >> 16 > 0xFFFFFFFF ? 0xFFFFFFFF
                                                              : static_cast<std::uint32_t>((sum + 0xFFFF) >> 16);
    }
    static constexpr double unit = 65536.0;
    [[nodiscard]] static std::uint64_t of(double value) noexcept {
      return value < 0x1p44 ? static_cast<std::uint64_t>(std::floor(value * unit + 0.5)) : std::uint64_t{1} << 60;
    }
  };

  void add_vertex(std::uint32_t at) {
    const network::Population& population = net_.populations()[at];
    const NetworkCosts& costs = options_.costs;
    const Arriving& in = arriving_[at];
    const double spikes = spikes_of(population);
    double cycles = costs.cycles_per_step, cycles_each = costs.cycles_per_spike * spikes * costs.peak;
    double dtcm = costs.dtcm_bytes, dtcm_each = 0.0, sdram = 0.0, sdram_each = in.synapse_bytes;
    for (std::size_t source = 0; source < in.has_source.size(); ++source)
      if (in.has_source[source] != 0) {
        const network::Population& from = net_.populations()[source];
        cycles += from.count * spikes_of(from) * costs.cycles_per_row * costs.peak;
        dtcm += costs.bytes_per_source;
        sdram += static_cast<double>(from.count) * costs.bytes_per_row;
      }
    if (population.units_per_one.empty()) { // a source
      if (population.poisson_hz != 0.0) cycles_each += costs.cycles_per_draw, dtcm_each += 8.0;
      if (population.count != 0)
        sdram_each += 4.0 * static_cast<double>(population.spike_times.size()) / population.count;
    } else {
      const double given = at < options_.neuron_cycles.size() ? options_.neuron_cycles[at] : 0.0;
      cycles_each += given != 0.0 ? given : costs.cycles_per_neuron;
      cycles_each +=
          (in.events * costs.cycles_per_event + in.plastic_events * costs.cycles_per_plastic_event) * costs.peak;
      cycles_each += static_cast<double>(population.background.size()) * costs.cycles_per_draw;
      // Words of state and of its own constants, a ring of inputs for each receptor, two buffers for a row.
      const double words = population.model == nullptr ? 4.0 : static_cast<double>(population.model->word_count());
      const double slots = std::bit_ceil(in.longest_delay + 1);
      dtcm_each +=
          4.0 * words + slots * static_cast<double>(population.units_per_one.size()) * population.input_bits / 8.0;
      dtcm_each += 2.0 * costs.bytes_per_synapse * in.longest_row;
    }
    ApplicationVertex vertex{.name = population.name, .atoms = population.count};
    const bool records_spikes = options_.records_spikes;
    const std::uint32_t recorded = population.units_per_one.empty() ? 0 : options_.recorded_words;
    std::shared_ptr<std::vector<std::uint64_t>> listed;
    if (!in.listed.empty()) {
      listed = std::make_shared<std::vector<std::uint64_t>>(in.listed);
      for (std::size_t neuron = 1; neuron < listed->size(); ++neuron) (*listed)[neuron] += (*listed)[neuron - 1];
    }
    const Line cycle_line{Line::of(cycles), Line::of(cycles_each)}, dtcm_line{Line::of(dtcm), Line::of(dtcm_each)},
        sdram_line{Line::of(sdram), Line::of(sdram_each)};
    vertex.resources = [=](const Slice& slice) {
      constexpr std::uint64_t most = 0xFFFFFFFF;
      std::uint64_t bytes = sdram_line.at(slice.count);
      if (listed != nullptr) bytes += (*listed)[slice.first + slice.count] - (*listed)[slice.first];
      const std::uint64_t per_step =
          (records_spikes ? (std::uint64_t{slice.count} + 31) / 32 * 4 : 0) + std::uint64_t{recorded} * 4 * slice.count;
      return Resources{.dtcm_bytes = dtcm_line.at(slice.count),
                       .sdram_bytes = static_cast<std::uint32_t>((std::min)(bytes, most)),
                       .sdram_per_step = static_cast<std::uint32_t>((std::min)(per_step, most)),
                       .cycles_per_step = cycle_line.at(slice.count)};
    };
    made_.add(std::move(vertex));
  }

  /// Whether slices have a synapse in a projection; empty where nearly all have.
  [[nodiscard]] static EdgeFilter filter_of(const network::Projection& projection) {
    if (std::holds_alternative<network::OneToOne>(projection.connector))
      return [](const Slice& source, const Slice& target) {
        return source.first < target.first + target.count && target.first < source.first + source.count;
      };
    const auto* list = std::get_if<network::FromList>(&projection.connector);
    if (list == nullptr) return {};
    auto pairs = std::make_shared<std::vector<std::uint64_t>>();
    pairs->reserve(list->synapses.size());
    for (const network::Listed& one : list->synapses) pairs->push_back(std::uint64_t{one.source} << 32 | one.target);
    std::sort(pairs->begin(), pairs->end());
    pairs->erase(std::unique(pairs->begin(), pairs->end()), pairs->end());
    return [pairs](const Slice& source, const Slice& target) {
      auto at = std::lower_bound(pairs->begin(), pairs->end(), std::uint64_t{source.first} << 32 | target.first);
      while (at != pairs->end() && (*at >> 32) - source.first < source.count) {
        const auto to = static_cast<std::uint32_t>(*at);
        if (to - target.first < target.count && to >= target.first) return true;
        // On to the next source, or to the range in this one.
        const std::uint64_t next = to < target.first ? *at >> 32 : (*at >> 32) + 1;
        at = std::lower_bound(at, pairs->end(), next << 32 | target.first);
      }
      return false;
    };
  }
  void add_partitions() {
    const auto& projections = net_.projections();
    const std::size_t count = net_.populations().size();
    std::vector<std::vector<std::uint32_t>> outgoing(count);
    for (std::uint32_t at = 0; at < projections.size(); ++at)
      outgoing[std::size_t(projections[at].source)].push_back(at);
    for (std::uint32_t source = 0; source < count; ++source) {
      if (outgoing[source].empty()) continue;
      const AppPartition made = made_.add_partition(
          source, {.identifier = "spikes", .packets_per_step = spikes_of(net_.populations()[source])});
      auto& to = outgoing[source];
      const auto target = [&](std::uint32_t at) { return std::uint32_t(projections[at].target); };
      std::sort(to.begin(), to.end(), [&](std::uint32_t one, std::uint32_t other) {
        return target(one) != target(other) ? target(one) < target(other) : one < other;
      });
      for (std::size_t at = 0; at < to.size();) {
        std::vector<EdgeFilter> filters;
        bool is_dense = !options_.leaves_out_empty;
        const std::uint32_t same = target(to[at]);
        for (; at < to.size() && target(to[at]) == same; ++at) {
          EdgeFilter filter = is_dense ? EdgeFilter{} : filter_of(projections[to[at]]);
          is_dense = is_dense || !filter;
          filters.push_back(std::move(filter));
        }
        if (is_dense)
          made_.add_edge(made, same);
        else
          made_.add_edge(made, same, [filters](const Slice& one, const Slice& other) {
            return std::any_of(filters.begin(), filters.end(), [&](const EdgeFilter& has) { return has(one, other); });
          });
      }
    }
  }

  const network::Network& net_;
  const NetworkOptions& options_;
  ApplicationGraph made_{};
  std::vector<Arriving> arriving_{};
};

} // namespace detail

/// \errors as of its populations; parameter_out_of_range: dt_ms, slow_down, a rate or delay; index_out_of_range: a projection, list or
///         device names what is not there; parameters_contradict: a projection to a source; delay_out_of_range
/// \cost   O(populations^2 + projections + synapses of lists)
[[nodiscard]] inline Answer<ApplicationGraph> application_graph(const network::Network& net,
                                                                const NetworkOptions& options = {}) {
  return detail::NetworkAdapter(net, options).made();
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
