// SPDX-License-Identifier: BSL-1.0
// Graphs of NIR of networks of each model, stepped in double as NIR's nodes are by exponential integration, beside the engine; what is refused.
#include <neuromorph/network/adapter/nir_graph.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <tests/support/catch.hpp>

#include <neuromorph/host/json.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/neurons/models/nir.hpp>
#include <neuromorph/kernels/neurons/models/trained.hpp>
#include <neuromorph/kernels/neurons/part.hpp>
#include <neuromorph/network/engine.hpp>
#include <neuromorph/network/recording.hpp>

using namespace neuromorph;
namespace {

using Vector = std::vector<double>;

/// A graph in which each cycle has a delay of a step or more, in double.
class InDouble {
public:
  explicit InDouble(const std::string& text) : json_(host::Json::read(text).value()) {
    const host::JsonValue root = json_.root();
    dt_ = root.find("dt").real();
    for (const auto& [name, node] : root.find("nodes").members()) {
      Node& made = nodes_[std::string(name)];
      made.type = std::string(node.find("type").text());
      for (const auto& [field, value] : node.members()) {
        if (!value.is(host::JsonKind::array)) continue;
        for (const host::JsonValue one : value) {
          if (!one.is(host::JsonKind::array)) {
            made.fields[std::string(field)].push_back(one.real());
            continue;
          }
          made.weight.emplace_back();
          for (const host::JsonValue number : one) made.weight.back().push_back(number.real());
        }
      }
      std::size_t count = made.weight.size();
      for (const char* field : {"delay", "r"})
        if (made.fields.contains(field)) count = made.fields.at(field).size();
      made.out.assign(count, 0.0), made.v.assign(count, 0.0), made.psp.assign(count, 0.0);
    }
    for (const host::JsonValue edge : root.find("edges"))
      nodes_[std::string(edge.item(1).text())].sources.emplace_back(edge.item(0).text());
  }

  /// \return how near a membrane came to its threshold
  double step(const Vector& given) {
    double margin = std::numeric_limits<double>::infinity();
    for (auto& [name, node] : nodes_) {
      if (node.type == "Input") node.out = given;
      if (node.type != "Delay") continue;
      for (std::size_t at = 0; at < node.out.size(); ++at) { // first: it takes of steps before
        const auto steps = static_cast<std::size_t>(std::lround(node.fields["delay"][at] / dt_));
        REQUIRE(steps >= 1);
        node.out[at] = steps <= node.past.size() ? node.past[steps - 1][at] : 0.0;
      }
    }
    for (auto& [name, node] : nodes_)
      if (node.type == "Linear")
        for (std::size_t target = 0; target < node.out.size(); ++target) {
          node.out[target] = 0.0;
          for (std::size_t source = 0; source < node.weight[target].size(); ++source)
            node.out[target] += node.weight[target][source] * nodes_[node.sources[0]].out[source];
        }
    for (auto& [name, node] : nodes_)
      if (node.fields.contains("r"))
        for (std::size_t at = 0; at < node.out.size(); ++at) margin = (std::min)(margin, neuron(node, at));
    for (auto& [name, node] : nodes_)
      if (node.type == "Delay") {
        node.past.push_front(nodes_[node.sources[0]].out);
        if (node.past.size() > 64) node.past.pop_back();
      }
    return margin;
  }
  [[nodiscard]] const Vector& out(const std::string& name) { return nodes_.at(name).out; }
  [[nodiscard]] const std::string& type(const std::string& name) { return nodes_.at(name).type; }

private:
  struct Node {
    std::string type = {};
    std::map<std::string, Vector> fields = {};
    std::vector<Vector> weight = {};
    std::vector<std::string> sources = {};
    Vector out = {}, v = {}, psp = {};
    std::deque<Vector> past = {};
  };

  double neuron(Node& node, std::size_t at) {
    double arrives = 0.0;
    for (const std::string& one : node.sources) arrives += nodes_[one].out[at];
    const auto of = [&](const char* field) { return node.fields.at(field)[at]; };
    double& v = node.v[at];
    if (node.type == "IF" || node.type == "I") {
      v += of("r") * arrives;
    } else if (node.type == "LIF" || node.type == "LI") {
      const double kept = std::exp(-dt_ / of("tau"));
      v = kept * v + (1.0 - kept) * (of("v_leak") + of("r") * arrives);
    } else {
      const double kept = std::exp(-dt_ / of("tau_mem")), current_kept = std::exp(-dt_ / of("tau_syn"));
      node.psp[at] = current_kept * node.psp[at] + (1.0 - current_kept) * arrives;
      v = kept * v + (1.0 - kept) * (of("v_leak") + of("r") * node.psp[at]);
    }
    if (!node.fields.contains("v_threshold")) {
      node.out[at] = v;
      return std::numeric_limits<double>::infinity();
    }
    const double margin = std::abs(v - of("v_threshold"));
    node.out[at] = v > of("v_threshold") ? 1.0 : 0.0;
    if (node.out[at] != 0.0) v = by_subtraction ? v - (of("v_threshold") - of("v_reset")) : of("v_reset");
    return margin;
  }

  host::Json json_;
  double dt_ = 0.0;
  std::map<std::string, Node> nodes_{};

public:
  bool by_subtraction = false;
};

/// Whether the engine fires as the graph does in double, until a membrane is nearer to its threshold than `near`.
template <class... Models>
std::uint64_t compare(const network::Network& net, network::PopulationId input, network::PopulationId output,
                      const std::vector<network::SpikeTime>& given, double near, bool by_subtraction = false) {
  const auto text = network::nir_graph<Models...>(net, input, output);
  INFO(text.sentence());
  REQUIRE(text);
  InDouble graph(text.value());
  graph.by_subtraction = by_subtraction;
  auto engine = network::Engine::make(net, {.threads = 1});
  INFO(engine.sentence());
  REQUIRE(engine);
  auto recorder = network::MemoryRecorder::make(net, network::all_spikes(net)).value();
  constexpr std::uint64_t steps = 400;
  REQUIRE(engine.value().record(recorder));
  REQUIRE(engine.value().run(steps));
  REQUIRE(engine.value().finish());
  std::map<std::pair<std::string, std::uint64_t>, std::vector<std::uint32_t>> fired;
  for (const auto& one : recorder.recording().populations)
    one.spikes.each([&](std::uint64_t step, std::uint32_t neuron) { fired[{one.name, step}].push_back(neuron); });
  std::uint64_t spikes = 0;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    Vector now(net[input].count, 0.0);
    for (const auto& one : given)
      if (std::llround(one.time_ms / net.settings().dt_ms) == static_cast<long long>(step)) now[one.neuron] = 1.0;
    if (graph.step(now) < near) break;
    for (const auto& population : net.populations()) {
      if (population.model == nullptr || graph.type(population.name).back() != 'F') continue;
      std::vector<std::uint32_t> right;
      for (std::uint32_t neuron = 0; neuron < population.count; ++neuron)
        if (graph.out(population.name)[neuron] != 0.0) right.push_back(neuron);
      INFO(population.name << ", step " << step);
      REQUIRE(fired[{population.name, step}] == right);
      spikes += right.size();
    }
  }
  return spikes;
}

std::vector<network::SpikeTime> drawn_spikes(std::mt19937& draw, std::uint32_t count, double rate) {
  std::vector<network::SpikeTime> made;
  for (int step = 1; step <= 400; ++step)
    for (std::uint32_t at = 0; at < count; ++at)
      if (std::uniform_real_distribution<>()(draw) < rate) made.push_back({at, 0.5 * step});
  return made;
}

} // namespace

TEST_CASE("Networks of NIR's models mean what their graphs mean") {
  std::mt19937 draw(7);
  std::uint64_t of_lif = 0, of_if = 0, of_recurrence = 0;
  for (int round = 0; round < 6; ++round) {
    const auto given = drawn_spikes(draw, 6, 0.2);
    network::Network net({.dt_ms = 0.5, .seed = static_cast<std::uint64_t>(round)});
    const auto input = net.add_spikes("input", 6, given);
    using Own = Neuron<PerNeuron<membrane::Lif>, synapse::Delta<1>>;
    const Own::Parameters cell{
        .membrane = {.tau_ms = 12.0, .c_nf = 0.5, .v_rest_mv = -65.0, .i_offset_na = 0.2, .v_initial_mv = -70.0},
        .synapses = {.weights = {{{.largest = 12.0}}}},
        .threshold = {.v_mv = -50.0},
        .reset = {.v_mv = -68.0}};
    const auto lif = net.add<Own>("lif", 9, cell, [](std::uint32_t, network::NeuronDraws& draws, Own::Parameters& own) {
      own.membrane.tau_ms = draws(network::uniform(6.0, 12.0));
      own.membrane.v_rest_mv = draws(network::uniform(-66.0, -60.0));
    });
    const auto reads =
        net.add<nir::Li>("reads", 2,
                         {.membrane = {.tau_ms = 20.0, .c_nf = 1.0, .v_rest_mv = 0.0, .v_initial_mv = 0.0},
                          .synapses = {.weights = {{{.largest = 4.0}}}}});
    net.connect(input, lif, network::Pairwise{0.8}, {.weight = network::uniform(2.0, 9.0), .delay_ms = 1.0});
    net.connect(lif, lif, network::FixedTotal{60},
                {.weight = network::uniform(-6.0, 6.0), .delay_ms = network::uniform(0.5, 8.0)});
    net.connect(lif, reads, network::AllToAll{}, {.weight = 1.5, .delay_ms = 0.5});
    of_lif += compare<nir::Lif, nir::Li, Own>(net, input, reads, given, 1e-3);

    network::Network integrators({.dt_ms = 0.5, .seed = static_cast<std::uint64_t>(round)});
    const auto source = integrators.add_spikes("input", 6, given);
    const nir::If::Parameters by{.membrane = {.v_initial_mv = 3.0},
                                 .synapses = {.weights = {{{.largest = 4.0}}}},
                                 .threshold = {.v_mv = 10.0},
                                 .reset = {.by_mv = 7.0}};
    const auto sums = integrators.add<nir::If>("sums", 5, by);
    integrators.connect(source, sums, network::Pairwise{0.7}, {.weight = network::uniform(-2.0, 4.0), .delay_ms = 2.0});
    integrators.connect(sums, sums, network::Pairwise{0.3},
                        {.weight = network::uniform(-3.0, 1.0), .delay_ms = network::uniform(0.5, 3.0)});
    of_if += compare<nir::If>(integrators, source, sums, given, 1e-3, true);

    using Cuba = trained::Neuron<synapse::Recurrence<>, reset::Subtraction>;
    network::Network trained_net({.dt_ms = 0.5, .seed = static_cast<std::uint64_t>(round)});
    const auto from = trained_net.add_spikes("input", 6, given);
    const auto cuba =
        trained_net.add<Cuba>("cuba", 5,
                              {.membrane = {.kept = 0.8, .drift_mv = 0.03, .v_initial_mv = 0.1, .fraction_bits = 18},
                               .synapses = {.kept = 0.6, .fraction_bits = 18},
                               .threshold = {.v_mv = 1.0},
                               .reset = {.by_mv = 0.9}});
    trained_net.connect(from, cuba, network::AllToAll{}, {.weight = network::uniform(-0.05, 0.3), .delay_ms = 0.5});
    trained_net.connect(cuba, cuba, network::OneToOne{}, {.weight = -0.2, .delay_ms = 1.5});
    of_recurrence += compare<Cuba, trained::Readout<synapse::Sums>>(trained_net, from, cuba, given, 1e-4, true);
  }
  CHECK(of_lif > 1000);
  CHECK(of_if > 500);
  CHECK(of_recurrence > 500);
}

TEST_CASE("What NIR has no words for is refused by name") {
  using Trained = trained::Neuron<synapse::Sums, reset::ToValue>;
  const Trained::Parameters cell{
      .membrane = {.kept = 0.9}, .synapses = {}, .threshold = {.v_mv = 1.0}, .reset = {.v_mv = 0.0}};
  const auto said = [](const network::Network& net, std::uint32_t input, std::uint32_t output) {
    const auto made =
        network::nir_graph<Trained, nir::CubaLif>(net, network::PopulationId{input}, network::PopulationId{output});
    return made ? std::string() : made.sentence();
  };
  const auto plain = [&] {
    network::Network net({.dt_ms = 1.0});
    const auto from = net.add_source("in", 2);
    net.connect(from, net.add<Trained>("cells", 3, cell), network::AllToAll{}, {.weight = 0.5});
    return net;
  };
  const network::PopulationId in{0}, cells{1};
  const auto has = [](const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
  };
  CHECK(said(plain(), 0, 1).empty());
  CHECK(has(said(plain(), 0, 2), "no population 2"));
  CHECK((has(said(plain(), 1, 1), "cells") && has(said(plain(), 1, 1), "sources")));
  auto net = plain();
  net.add_poisson("noise", 2, 5.0);
  CHECK((has(said(net, 0, 1), "noise") && has(said(net, 0, 1), "besides the input")));
  net = plain();
  net.add<Lif<2>>("others", 2, {.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0, 10.0}}});
  CHECK((has(said(net, 0, 1), "others") && has(said(net, 0, 1), "named")));
  net = plain();
  net.begin_at(cells, place_of<Trained>.membrane.v, {0.1, 0.2, 0.3});
  CHECK(has(said(net, 0, 1), "begin otherwise"));
  net = plain();
  net.add_background(cells, {.rate_hz = 10.0, .weight = 0.1});
  CHECK(has(said(net, 0, 1), "background"));
  net = plain();
  net.connect(cells, in, network::AllToAll{}, {.weight = 0.5});
  CHECK_FALSE(said(net, 0, 1).empty());
  net = plain();
  net.connect(in, cells, network::OneToOne{}, {.weight = 0.5}); // sizes differ
  CHECK(has(said(net, 0, 1), "projection 1"));
  for (const auto& [change, words] : {std::pair{0.0, "keeps nothing"}, std::pair{1.0, "without a leak"}}) {
    network::Network other({.dt_ms = 1.0});
    other.add_source("in", 2);
    auto parameters = cell;
    parameters.membrane.kept = change, parameters.membrane.drift_mv = 0.25;
    other.add<Trained>("cells", 3, parameters);
    CHECK(has(said(other, 0, 1), words));
  }
}
