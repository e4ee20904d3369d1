// SPDX-License-Identifier: BSL-1.0
/// \file
/// A network as a graph of NIR, in JSON, of which tools/nir_export makes a file that other tools read.
///
///     const auto graph = network::nir_graph<nir::Lif>(net, input, output); // models of its populations
///     if (!graph) return std::puts(graph.sentence().c_str()), 1;
///     // graph.value() to net.json, then: tools/nir_export net.json net.nir
///
/// By exponential integration, as NIR's tools do it with `--integrator exponential --integrate step`, gains of a step are taken out of
/// weights. Membranes begin at 0 there, so voltages count from where they begin here, and a threshold is a unit lower, as it is exceeded there.
// host-only
#ifndef NEUROMORPH_NETWORK_ADAPTER_NIR_GRAPH_HPP
#define NEUROMORPH_NETWORK_ADAPTER_NIR_GRAPH_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/json.hpp>
#include <neuromorph/kernels/neurons/membranes/integrator.hpp>
#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/membranes/recurrence.hpp>
#include <neuromorph/kernels/neurons/models/nir.hpp>
#include <neuromorph/kernels/neurons/models/trained.hpp>
#include <neuromorph/network/build.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/neurons.hpp>
#include <neuromorph/network/projection_plan.hpp>
#include <neuromorph/network/synapse_generator.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

/// A node of neurons: fields by name, [neuron], and what a weight of 1 of NIR's is worth here.
struct NirNode {
  std::string type = {};
  std::map<std::string, std::vector<double>> fields = {};
  std::vector<double> gain = {};
};

/// A time constant in s by what a step keeps.
[[nodiscard]] inline double tau_of(double kept, double dt_s) { return -dt_s / std::log(kept); }

/// Adds a neuron to a node, by the parameters of its parts.
template <class Model>
class NirNeuron {
public:
  using Parameters = typename Model::Parameters;
  template <class Role, class Part>
  static constexpr bool is = std::is_base_of_v<Part, Role>; // PerNeuron<Part>, too
  using Membrane = typename Model::Membrane;
  using Synapses = typename Model::Synapses;
  using Reset = typename Model::Reset;
  static constexpr bool is_if = is<Membrane, membrane::Integrator>, is_recurrence = is<Membrane, membrane::Recurrence>;
  static constexpr bool acts_before = is<Synapses, synapse::Recurrence<synapse::Acts::before_arrivals>>;
  static constexpr bool is_current_kept = acts_before || is<Synapses, synapse::Recurrence<>>;
  static constexpr bool has_current = is_current_kept || is<Synapses, synapse::Exponential<1>>;
  static constexpr bool is_known =
      (is<Membrane, membrane::Lif> || is_if || is_recurrence) &&
      (has_current || is<Synapses, synapse::Delta<1>> || is<Synapses, synapse::Sums>)&&(
          is<Reset, reset::None> || is<Reset, reset::ToValue> || is<Reset, reset::Subtraction> ||
          is<Reset, reset::LateSubtraction>)&&is<typename Model::Refractory, refractory::None> &&
      is<typename Model::Adaptation, adaptation::None> && is<typename Model::Current, current::None> &&
      (is<typename Model::Threshold, threshold::Fixed> || is<typename Model::Threshold, threshold::None>);
  static_assert(is_known,
                "neuromorph: NIR has nodes for nir::Lif, CubaLif, Li, CubaLi, If, Integrator and trained::Neuron, "
                "without a refractory period; see docs/trained.md");
  static constexpr bool fires = !is<Reset, reset::None>;
  /// As the command line of a reader of NIR says it.
  static constexpr const char* rule = !fires                                     ? ""
                                      : is<Reset, reset::ToValue>                ? "value"
                                      : is<Reset, reset::LateSubtraction>        ? "subtract_late"
                                      : is<Reset, reset::TwiceTestedSubtraction> ? "subtract_twice"
                                                                                 : "subtract";

  /// \return what NIR cannot say, or nothing
  [[nodiscard]] static std::string add(const Parameters& of, double dt_ms, double unit, NirNode& node) {
    const double dt_s = dt_ms / 1000.0, begin = of.membrane.v_initial_mv;
    double kept = 1.0, leak = 0.0, r = 1.0;
    if constexpr (is<Membrane, membrane::Lif>) {
      kept = std::exp(-dt_ms / of.membrane.tau_ms);
      if constexpr (has_current)
        r = of.membrane.r_mohm > 0.0 ? of.membrane.r_mohm : of.membrane.tau_ms / of.membrane.c_nf;
      const double current_r = of.membrane.r_mohm > 0.0 ? of.membrane.r_mohm : of.membrane.tau_ms / of.membrane.c_nf;
      leak =
          of.membrane.v_rest_mv + (of.membrane.i_offset_na == 0.0 ? 0.0 : current_r * of.membrane.i_offset_na) - begin;
    } else if constexpr (is_if) {
      if (of.membrane.i_offset_na != 0.0) return "a constant current to neurons without a leak";
    } else {
      kept = of.membrane.kept;
      if (kept >= 1.0 && of.membrane.drift_mv != 0.0) return "a drift of neurons without a leak";
      // v' = kept v + drift is towards drift / (1 - kept), wherever it begins.
      if (kept < 1.0) leak = of.membrane.drift_mv / (1.0 - kept) - begin;
    }
    if (!(kept > 0.0)) return "a membrane of which a step keeps nothing";
    const bool leaks = kept < 1.0;
    if (has_current && !leaks) return "a current to neurons without a leak";
    double gain = r * (leaks ? 1.0 - kept : 1.0);
    const std::string type = std::string(has_current ? "CubaL" : leaks ? "L" : "") + (fires ? "IF" : "I");
    if (!node.type.empty() && node.type != type) return "neurons with and without a leak in one population";
    node.type = type;
    const auto put = [&](const char* field, double value) { node.fields[field].push_back(value); };
    if constexpr (has_current) {
      double current_kept = 0.0;
      if constexpr (is_current_kept) {
        current_kept = of.synapses.kept;
        if (of.synapses.drift_mv != 0.0) return "a drift of synaptic currents";
      } else {
        current_kept = std::exp(-dt_ms / of.synapses.tau_ms[0]);
        gain = 1.0; // weights are currents
      }
      if (!(current_kept > 0.0 && current_kept < 1.0)) return "a current of which a step keeps nothing or all";
      gain *= 1.0 - current_kept;
      put("tau_syn", tau_of(current_kept, dt_s)), put("tau_mem", tau_of(kept, dt_s));
    } else if (leaks) {
      put("tau", tau_of(kept, dt_s));
    }
    put("r", r);
    if (leaks) put("v_leak", leak);
    if constexpr (fires) {
      const double threshold = of.threshold.v_mv - begin - unit;
      put("v_threshold", threshold);
      if constexpr (is<Reset, reset::ToValue>)
        put("v_reset", of.reset.v_mv - begin);
      else
        put("v_reset", threshold - of.reset.by_mv);
    }
    node.gain.push_back(gain);
    return {};
  }
};

/// What a description has of a population, as a node; nothing where it is of another model.
template <class Model>
[[nodiscard]] bool nir_node(const Network& net, std::uint32_t at, NirNode& node, std::string& why,
                            std::map<std::string, std::set<std::string>>& rules) {
  const Population& population = net.populations()[at];
  const auto* const model = dynamic_cast<const ModelOf<Model>*>(population.model.get());
  if (model == nullptr) return false;
  using Neuron = NirNeuron<Model>;
  if (Neuron::fires) rules["--reset"].insert(Neuron::rule);
  if (Neuron::is_current_kept) rules["--order"].insert(Neuron::acts_before ? "before" : "with");
  const double unit = Model::quantity(model->made(), place_of<Model>.membrane.v).per_unit;
  for (std::uint32_t neuron = 0; neuron < population.count && why.empty(); ++neuron) {
    const auto own = model->parameters(net.settings().seed, at, neuron);
    why = own ? Neuron::add(own.value(), net.settings().dt_ms, unit, node) : own.sentence();
  }
  return true;
}

/// Names of nodes: groups of HDF5, in which '/' and '.' mean something.
class NirNames {
public:
  [[nodiscard]] std::string operator()(std::string wanted) {
    for (char& one : wanted)
      if (one == '/' || one == '.') one = '_';
    if (wanted.empty()) wanted = "population";
    std::string made = wanted;
    for (int at = 2; !taken_.insert(made).second; ++at) made = wanted + "_" + std::to_string(at);
    return made;
  }

private:
  std::set<std::string> taken_{};
};

} // namespace detail

/// \param input   the one population of sources: NIR has one input
/// \param output  whose spikes, or membranes where it never fires, the graph puts out
/// \tparam Models  of all populations that are not sources
/// \errors unmappable: what NIR has no words for, in words; as `plan`
template <class... Models>
[[nodiscard]] Answer<std::string> nir_graph(const Network& net, PopulationId input, PopulationId output) {
  constexpr std::uint64_t most_weights = std::uint64_t{1} << 26;
  const auto refuse = [&](auto id, const std::string& why) {
    return Refusal{
        {Error::unmappable, static_cast<std::uint32_t>(id), 0.0, "nir"}, net.name(id), "NIR has no node for " + why};
  };
  for (const PopulationId one : {input, output})
    if (std::size_t(one) >= net.populations().size())
      return Refusal{
          {Error::index_out_of_range, static_cast<std::uint32_t>(one), static_cast<double>(one), "population"},
          {},
          "there is no population " + std::to_string(std::uint32_t(one))};
  if (net[input].model != nullptr) return refuse(input, "neurons as an input: it is a population of sources");
  auto plans = plan(net);
  if (!plans) return plans.refusal();

  detail::NirNames names;
  std::vector<std::string> name(net.populations().size());
  std::vector<detail::NirNode> nodes(net.populations().size());
  std::map<std::string, std::set<std::string>> rules;
  for (std::uint32_t at = 0; at < net.populations().size(); ++at) {
    const PopulationId id{at};
    const Population& population = net[id];
    name[at] = names(population.name);
    if (id == input) continue;
    if (population.model == nullptr) return refuse(id, "sources besides the input");
    if (!population.initial.empty()) return refuse(id, "words that begin otherwise than the model says");
    if (!population.background.empty()) return refuse(id, "a background");
    std::string why;
    if (!(detail::nir_node<Models>(net, at, nodes[at], why, rules) || ...))
      return refuse(id, "its model, or it is not among those that were named");
    if (!why.empty()) return refuse(id, why);
  }
  for (const auto& [rule, values] : rules)
    if (values.size() > 1)
      return refuse(output, "populations of which one has the rule " + rule + " " + *values.begin() + " and another " +
                                *values.rbegin());

  host::JsonWriter json(3);
  json.begin_object().member("dt", net.settings().dt_ms / 1000.0).name("rules").begin_object();
  for (const auto& [rule, values] : rules) json.member(rule, *values.begin());
  json.end_object().name("nodes").begin_object();
  const auto shape = [&](const std::string& of, const char* type, std::uint32_t count) {
    json.name(of)
        .begin_object()
        .member("type", type)
        .name("shape")
        .begin_array(true)
        .value(count)
        .end_array()
        .end_object();
  };
  const auto list = [&](const std::string& field, const auto& values) {
    json.name(field).begin_array(true);
    for (const double one : values) json.value(one);
    json.end_array();
  };
  using Edge = std::pair<std::string, std::string>;
  std::vector<Edge> edges;
  for (std::uint32_t at = 0; at < nodes.size(); ++at) {
    if (PopulationId{at} == input) {
      shape(name[at], "Input", net.populations()[at].count);
      continue;
    }
    json.name(name[at]).begin_object().member("type", nodes[at].type);
    for (const auto& [field, values] : nodes[at].fields) list(field, values);
    json.end_object();
  }
  const std::string end = names("output");
  shape(end, "Output", net[output].count);
  edges.emplace_back(name[std::size_t(output)], end);

  std::uint64_t weights = 0;
  for (const ProjectionPlan& one : plans.value()) {
    const Projection& projection = net[one.id()];
    if (projection.synapses.plasticity != nullptr) return refuse(one.id(), "synapses that learn");
    if (projection.target == input) return refuse(one.id(), "synapses to an input");
    // One table for each delay, or one for all where it is each source's own.
    struct Synapse {
      std::uint32_t source, target, delay;
      double weight;
    };
    std::vector<Synapse> synapses;
    std::vector<std::uint32_t> own(one.sources(), 0);
    std::set<std::uint32_t> delays;
    bool is_by_source = true;
    SynapseGenerator(one).each({0, one.sources()}, {0, one.targets()}, [&](const DrawnSynapse& drawn) {
      if (own[drawn.source] != 0 && own[drawn.source] != drawn.delay) is_by_source = false;
      own[drawn.source] = drawn.delay, delays.insert(drawn.delay);
      synapses.push_back({drawn.source, drawn.target, drawn.delay, one.weight(drawn.weight_word) * one.unit()});
    });
    if (synapses.empty()) continue;
    const std::size_t tables = is_by_source ? 1 : delays.size();
    weights += std::uint64_t{one.sources()} * one.targets() * tables;
    if (weights > most_weights)
      return refuse(one.id(), "synapses that are few: its tables would have more than " + std::to_string(most_weights) +
                                  " weights");
    const auto& gain = nodes[std::size_t(projection.target)].gain;
    for (const std::uint32_t delay : is_by_source ? std::set<std::uint32_t>{0} : delays) {
      const std::string both = net[projection.source].name + "_" + net[projection.target].name,
                        late = names(both + "_delay"), table = names(both);
      json.name(late).begin_object().member("type", "Delay").name("delay").begin_array(true);
      for (const std::uint32_t steps : own)
        json.value(static_cast<double>(is_by_source ? (steps == 0 ? *delays.begin() : steps) : delay) *
                   net.settings().dt_ms / 1000.0);
      json.end_array().end_object();
      std::vector<std::vector<double>> weight(one.targets(), std::vector<double>(one.sources(), 0.0));
      for (const Synapse& synapse : synapses)
        if (is_by_source || synapse.delay == delay)
          weight[synapse.target][synapse.source] += synapse.weight / gain[synapse.target];
      json.name(table).begin_object().member("type", "Linear").name("weight").begin_array();
      for (const auto& row : weight) {
        json.begin_array(true);
        for (const double value : row) json.value(value);
        json.end_array();
      }
      json.end_array().end_object();
      edges.emplace_back(name[std::size_t(projection.source)], late), edges.emplace_back(late, table);
      edges.emplace_back(table, name[std::size_t(projection.target)]);
    }
  }
  json.end_object().name("edges").begin_array();
  for (const auto& [from, to] : edges) json.begin_array(true).value(from).value(to).end_array();
  return json.end_array().end_object().take();
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
