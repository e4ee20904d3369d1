// SPDX-License-Identifier: BSL-1.0
// Learning in the engine: against the firmware's cores, spike by spike and weight by weight; against all pairs of spikes in
// double precision; and the same whatever the split.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/mossy_fibre.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/nearest_pair.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/parallel_fibre.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/triplet.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/vogels.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/multiplicative.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/power_law.hpp>
#include <neuromorph/network/engine.hpp>
#include <neuromorph/target/device/copy_engine.hpp>

#include "examples/balanced_plastic/network.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/plasticity_reference.hpp"

namespace {

namespace nm = neuromorph;
namespace network = nm::network;
using nm::place_of;

network::Engine engine_of(const network::Network& net, const network::EngineOptions& options = {.threads = 1}) {
  auto made = network::Engine::make(net, options);
  INFO(made.sentence());
  REQUIRE(made.ok());
  return std::move(made).value();
}

/// Spikes of all populations, as (step, population, neuron).
class Spikes final : public network::Recorder {
public:
  explicit Spikes(std::vector<network::PopulationId> populations) : Recorder({.spikes = std::move(populations)}) {}
  nm::Refusal on_spikes(std::uint64_t step, network::PopulationId population,
                        std::span<const std::uint32_t> neurons) override {
    for (const std::uint32_t neuron : neurons) all.emplace_back(step, std::uint32_t(population), neuron);
    return {};
  }
  nm::Refusal on_words(std::uint64_t, network::PopulationId, std::size_t, std::span<const std::int32_t>) override {
    return {};
  }
  nm::Refusal on_end(std::uint64_t) override { return {}; }
  std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> all;
};

struct OneSynapse {
  std::uint32_t source_population, source, target_population, target, receptor, delay;
  auto operator<=>(const OneSynapse&) const = default;
};
/// Weights in units, as they are now.
std::multimap<OneSynapse, std::int64_t> weights_of(const network::Rows& rows) {
  std::multimap<OneSynapse, std::int64_t> all;
  for (const network::RowSet& set : rows.sets)
    for (std::uint32_t part = 0; part < rows.parts.count(); ++part)
      for (std::uint32_t source = 0; source < rows.sources_of(set); ++source)
        set.each(set.row(source, part), [&](const network::ArrivingSynapse& one) {
          const auto to = rows.parts.neuron(part, one.target);
          all.insert({{set.population, source, to.population, to.neuron, one.receptor, one.delay}, one.weight});
        });
  return all;
}

// --- the yardstick

struct Asked {
  void operator()(std::uint32_t) const noexcept {}
};
using CopyEngine = nm::target::CopyWords;
using Core = balanced::Core<CopyEngine, Asked>;
struct Cored {
  CopyEngine engine;
  Core core{balanced::made, engine, Asked{}, balanced::Rules(balanced::pair, balanced::vogels)};
  balanced::Far far{};
};

constexpr std::uint32_t excitatory_neurons = balanced::excitatory_cores * balanced::neurons_of_core;
/// Population 0 is excitatory, 1 inhibitory.
std::pair<std::uint32_t, std::uint32_t> place_in(std::uint32_t neuron) {
  return neuron < excitatory_neurons ? std::pair{0U, neuron} : std::pair{1U, neuron - excitatory_neurons};
}

/// How many events of input each neuron has in a step, as add_input draws them.
std::uint32_t input_of(std::uint32_t step, std::uint32_t neuron) {
  static constexpr std::array<std::uint32_t, 11> at_most{0x5E2D58D9, 0xBC5AB1B1, 0xEB715E1E, 0xFB239797,
                                                         0xFF1025F6, 0xFFD90F3C, 0xFFFA8B72, 0xFFFF540C,
                                                         0xFFFFED1F, 0xFFFFFE21, 0xFFFFFFD5};
  const std::uint32_t word = balanced::draw(balanced::Use::input, step, neuron / 4)[neuron % 4];
  return static_cast<std::uint32_t>(
      std::count_if(at_most.begin(), at_most.end(), [&](std::uint32_t most) { return word >= most; }));
}

/// The network of examples/balanced_plastic, described; input comes from sources, a step before it arrives.
network::Network balanced_network(std::uint32_t steps) {
  network::Network net({.dt_ms = 1.0, .seed = 1});
  const nm::Lif<2>::Parameters cell{.membrane = {.tau_ms = 20.0, .c_nf = 0.25, .v_rest_mv = -65.0},
                                    .synapses = {.tau_ms = {5.0, 10.0},
                                                 .weights = {{{.largest = 0.045, .rate_hz = 10.0, .fan_in = 200.0},
                                                              {.largest = 0.4, .rate_hz = 20.0, .fan_in = 25.0}}}},
                                    .threshold = {.v_mv = -50.0},
                                    .reset = {.v_mv = -60.0},
                                    .refractory = {.period_ms = 5.0}};
  const std::array cells{net.add<balanced::Model>("excitatory", excitatory_neurons, cell),
                         net.add<balanced::Model>("inhibitory", balanced::neurons - excitatory_neurons, cell)};
  std::vector<network::SpikeTime> times;
  for (std::uint32_t step = 2; step <= steps; ++step)
    for (std::uint32_t neuron = 0; neuron < balanced::neurons; ++neuron)
      for (std::uint32_t event = input_of(step, neuron); event != 0; --event)
        times.push_back({neuron, static_cast<double>(step - 1)});
  const auto input = net.add_spikes("input", balanced::neurons, std::move(times));
  std::array<network::FromList, 4> lists; // [source][target]
  std::array<network::FromList, 2> inputs;
  std::array<std::vector<double>, 2> membranes;
  const auto depth = static_cast<std::uint32_t>(-balanced::made.constants.reset.v);
  for (std::uint32_t neuron = 0; neuron < balanced::neurons; ++neuron) {
    const auto [population, own] = place_in(neuron);
    inputs[population].synapses.push_back({neuron, own, balanced::background, 1.0});
    const std::uint32_t word = balanced::draw(balanced::Use::membranes, neuron, 0)[0];
    membranes[population].push_back(
        balanced::Model::value(balanced::made, place_of<balanced::Model>.membrane.v,
                               -1 - static_cast<std::int32_t>(std::uint64_t{word} * depth >> 32)));
    std::array<std::uint8_t, balanced::neurons_of_core> delays{};
    for (std::uint32_t core = 0; core < balanced::cores; ++core) {
      balanced::draw_synapses(neuron, core, delays);
      for (std::uint32_t at = 0; at < delays.size(); ++at) {
        if (delays[at] == 0) continue;
        const auto [to, target] = place_in(core * balanced::neurons_of_core + at);
        const double weight = to == 0 ? (population == 0 ? balanced::to_excitatory_first : balanced::first_inhibition)
                              : population == 0 ? balanced::to_inhibitory
                                                : balanced::between_inhibitory;
        lists[2 * population + to].synapses.push_back({own, target, weight, static_cast<double>(delays[at])});
      }
    }
  }
  for (std::uint32_t to = 0; to < 2; ++to) {
    net.begin_at(cells[to], place_of<balanced::Model>.membrane.v, membranes[to]);
    net.connect(input, cells[to], inputs[to], {.receptor = 0});
  }
  const auto pair = network::learns<nm::timing::Pair<balanced::Table>>({.a_plus = 0.005, .a_minus = 0.00525},
                                                                       {.highest = balanced::to_excitatory_most});
  const auto vogels = network::learns<nm::timing::Vogels<balanced::Table>>(
      {.eta = 0.005, .alpha = 0.2}, {.highest = balanced::to_excitatory_inhibition});
  net.connect(cells[0], cells[0], lists[0], {.receptor = 0, .plasticity = pair});
  net.connect(cells[0], cells[1], lists[1], {.receptor = 0});
  net.connect(cells[1], cells[0], lists[2], {.receptor = 1, .plasticity = vogels});
  net.connect(cells[1], cells[1], lists[3], {.receptor = 1});
  return net;
}

std::multimap<OneSynapse, std::int64_t> weights_of(std::vector<std::unique_ptr<Cored>>& all) {
  std::multimap<OneSynapse, std::int64_t> weights;
  for (std::uint32_t core = 0; core < balanced::cores; ++core)
    for (std::uint32_t source = 0; source < balanced::neurons; ++source) {
      const auto& first = all[core]->far.first[source / balanced::neurons_of_core];
      const std::uint32_t at = source % balanced::neurons_of_core;
      const auto row = std::span(all[core]->far.words).subspan(first[at], first[at + 1] - first[at]);
      const auto words = balanced::is_excitatory(core) ? balanced::Pair::Row(row).plastic() : row;
      const auto [population, own] = place_in(source);
      for (const std::uint32_t word : words) {
        const nm::Synapse synapse = balanced::Word::decode(word);
        const auto [to, target] = place_in(core * balanced::neurons_of_core + synapse.index);
        weights.insert({{population, own, to, target, synapse.type, synapse.delay}, synapse.weight});
      }
    }
  return weights;
}

} // namespace

TEST_CASE("plasticity: the balanced network has the spikes and weights of the firmware's cores") {
#ifdef NDEBUG
  constexpr std::uint32_t steps = 1500;
#else
  constexpr std::uint32_t steps = 400;
#endif
  std::vector<std::unique_ptr<Cored>> all;
  for (std::uint32_t core = 0; core < balanced::cores; ++core) {
    all.push_back(std::make_unique<Cored>());
    REQUIRE(balanced::build(core, all[core]->far));
    REQUIRE(balanced::load(core, all[core]->far, all[core]->core));
  }
  const network::Network net = balanced_network(steps);
  network::Engine engine = engine_of(net, {.threads = 1, .parts = 3});
  const auto same_at_first = weights_of(engine.rows());
  Spikes spikes({network::PopulationId(0), network::PopulationId(1)});
  REQUIRE(engine.record(spikes).ok());
  std::size_t fired = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> last; // spike of each neuron
  for (std::uint32_t step = 1; step <= steps; ++step) {
    std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> expected;
    std::vector<std::uint32_t> keys;
    for (std::uint32_t core = 0; core < balanced::cores; ++core) {
      if (step != 1) balanced::add_input(core, all[core]->core); // no source has fired before the first step
      all[core]->core.run_step();
      for (const std::uint32_t neuron : all[core]->core.fired()) {
        keys.push_back(balanced::key_of(core, neuron));
        const auto [population, own] = place_in(core * balanced::neurons_of_core + neuron);
        expected.emplace_back(step, population, own);
      }
    }
    for (const auto& of : all) {
      for (const std::uint32_t key : keys) of->core.receive(key);
      of->core.run_spikes();
    }
    REQUIRE(engine.run(1).ok());
    fired += expected.size();
    for (const auto& [when, population, neuron] : expected) last[{population, neuron}] = step;
    if (spikes.all != expected) FAIL("the spikes of step " << step << " differ");
    spikes.all.clear();
  }
  REQUIRE(engine.finish().ok());
  REQUIRE(fired > steps);
  // A core brings a row up to date at its spike, and before its history ends; the engine when the spike arrives, and later.
  const auto expected = weights_of(all), weights = weights_of(engine.rows());
  std::size_t compared = 0, changed = 0, differing = 0;
  for (const auto& [synapse, weight] : expected) {
    const auto found = weights.find(synapse);
    REQUIRE(found != weights.end());
    const auto spike = last.find({synapse.source_population, synapse.source});
    if (spike == last.end() || spike->second + 8 > steps || steps - spike->second >= Core::flush_after) continue;
    ++compared;
    if (found->second != weight) ++differing;
    if (same_at_first.find(synapse)->second != weight) ++changed;
  }
  CHECK(differing == 0);
  CHECK(compared > expected.size() / 2);
  CHECK(changed > expected.size() / 4);
  CHECK(engine.counts().learned.held_traces == 0);
}

// --- all pairs in double precision

namespace {

using LongPair = nm::timing::Pair<nm::DecayTable<400>>;
constexpr LongPair::Parameters stdp{.tau_plus_ms = 17.0, .tau_minus_ms = 27.0, .a_plus = 0.011, .a_minus = 0.008};
constexpr double largest = 0.05;

/// Sources that fire in bursts, at rates of any size, and are silent for long; cells that they drive, and that excite each
/// other. All synapses but those of the drive learn.
network::Network bursting_network(std::uint32_t steps, std::uint64_t seed,
                                  const std::shared_ptr<const network::PlasticityRule>& rule =
                                      network::learns<LongPair>(stdp, {.highest = largest})) {
  network::Network net({.dt_ms = 1.0, .seed = seed});
  std::mt19937_64 random(seed);
  std::vector<network::SpikeTime> times;
  constexpr std::uint32_t sources = 40;
  for (std::uint32_t source = 0; source < sources; ++source)
    for (double at = 1.0; at < steps;) {
      const double mean_ms = std::array{1.5, 10.0, 60.0, 400.0, 4000.0, 15000.0}[random() % 6];
      for (std::uint64_t spikes = 1 + random() % 6; spikes != 0 && at < steps; --spikes) {
        times.push_back({source, std::floor(at)});
        if (random() % 16 == 0) times.push_back({source, std::floor(at)}); // two in a step
        at += -mean_ms * std::log1p(-static_cast<double>(random() >> 11) * 0x1p-53);
      }
    }
  const auto input = net.add_spikes("sources", sources, std::move(times));
  const auto cells =
      net.add<nm::Lif<2>>("cells", 130,
                          {.membrane = {.tau_ms = 20.0, .c_nf = 0.25, .v_rest_mv = -65.0},
                           .synapses = {.tau_ms = {5.0, 10.0},
                                        .weights = {{{.largest = 0.3, .rate_hz = 50.0, .fan_in = 10.0},
                                                     {.largest = 0.3, .rate_hz = 50.0, .fan_in = 10.0}}}},
                           .threshold = {.v_mv = -50.0},
                           .reset = {.v_mv = -60.0},
                           .refractory = {.period_ms = 2.0}});
  net.add_background(cells, {.receptor = 0, .rate_hz = 300.0, .weight = 0.15});
  const network::Synapses learning{
      .weight = network::uniform(0.005, largest), .delay_ms = network::uniform(3.6, 15.4), .plasticity = rule};
  net.connect(input, cells, network::Pairwise{0.2}, learning);
  net.connect(cells, cells, network::FixedIndegree{.degree = 7, .multiple = true}, learning);
  return net;
}

/// A weight as a share of its range, after the events of a synapse of which the engine has heard.
double share_after(double share, std::span<const std::uint64_t> pre, std::span<const std::uint64_t> post,
                   std::uint32_t delay, std::uint64_t steps) {
  // In the time of the synapse an event of its neuron comes a delay later, and the row is told of its spike after a delay.
  std::int64_t up_to_date = 0;
  std::size_t spikes = 0, events = 0;
  const auto d = static_cast<std::int64_t>(delay);
  const auto sum = [](std::span<const std::uint64_t> times, std::int64_t now, double a, double tau_ms) {
    double all = 0.0;
    for (std::size_t at = times.size(); at-- != 0;) {
      const std::int64_t ticks = now - static_cast<std::int64_t>(times[at]);
      if (ticks >= 400) break; // as long as the table
      all += a * std::exp(-static_cast<double>(ticks) / tau_ms);
    }
    return all;
  };
  const auto see = [&](std::int64_t until) {
    for (; events < post.size() && static_cast<std::int64_t>(post[events]) + d <= until; ++events)
      share = (std::min)(1.0, share + sum(pre.first(spikes), static_cast<std::int64_t>(post[events]) + d, stdp.a_plus,
                                          stdp.tau_plus_ms));
    up_to_date = until;
  };
  for (std::uint64_t step = 1; step <= steps; ++step) {
    for (; spikes < pre.size() && pre[spikes] + delay == step;) {
      const auto now = static_cast<std::int64_t>(pre[spikes]);
      see(now);
      share = (std::max)(0.0, share - sum(post.first(events), now - d, stdp.a_minus, stdp.tau_minus_ms));
      ++spikes;
    }
    if (const auto now = static_cast<std::int64_t>(step) - d;
        step % network::Learner::look_every == 0 && now - up_to_date >= network::Learner::flush_after)
      see(now);
  }
  return share;
}

} // namespace

TEST_CASE("plasticity: weights are those of all pairs of spikes, through bursts and silence") {
  constexpr std::uint64_t steps = 25'000;
  const network::Network net = bursting_network(steps, 5);
  network::Engine engine = engine_of(net, {.threads = 2, .parts = 2});
  const auto before = weights_of(engine.rows());
  Spikes spikes({network::PopulationId(0), network::PopulationId(1)});
  REQUIRE(engine.record(spikes).ok());
  REQUIRE(engine.run(steps).ok());
  std::array<std::vector<std::vector<std::uint64_t>>, 2> of;
  of[0].resize(40), of[1].resize(130);
  for (const auto& [step, population, neuron] : spikes.all) of[population][neuron].push_back(step);
  const double units = net[network::PopulationId(1)].units_per_one[0] * largest;
  std::size_t at_end = 0, silent = 0, moved = 0;
  double worst = 0.0;
  const auto after = weights_of(engine.rows());
  REQUIRE(after.size() == before.size());
  std::multimap<OneSynapse, double> expected;
  for (const auto& [synapse, weight] : before) {
    const auto& pre = of[synapse.source_population][synapse.source];
    expected.insert(
        {synapse, share_after(static_cast<double>(weight) / units, pre, of[1][synapse.target], synapse.delay, steps)});
    for (std::size_t at = 1; at < pre.size(); ++at) silent += pre[at] - pre[at - 1] > 12'288;
  }
  // Synapses of one pair and delay come in any order.
  for (auto at = expected.begin(); at != expected.end();) {
    const auto end = expected.upper_bound(at->first);
    std::vector<double> wanted, had;
    for (auto one = at; one != end; ++one) wanted.push_back(one->second);
    for (auto [one, last] = after.equal_range(at->first); one != last; ++one)
      had.push_back(static_cast<double>(one->second) / units);
    std::sort(wanted.begin(), wanted.end()), std::sort(had.begin(), had.end());
    REQUIRE(wanted.size() == had.size());
    for (std::size_t which = 0; which < had.size(); ++which) {
      worst = (std::max)(worst, std::abs(had[which] - wanted[which]));
      at_end += had[which] == 0.0 || had[which] > 1.0 - 1e-4;
      ++moved;
    }
    at = end;
  }
  CAPTURE(worst, at_end, moved, silent, spikes.all.size());
  CHECK(worst < 1.5e-4); // half a unit of a weight, and what roundings of shares add up to
  CHECK(at_end > moved / 50);
  CHECK(silent > 100);
  const auto counts = engine.counts();
  CHECK(counts.learned.held_at_highest > 0);
  CHECK(counts.learned.held_at_lowest > 0);
  REQUIRE(engine.finish().ok());
}

namespace {

/// What of a synapse the engine has heard: of its neuron's events those up to its source's last spike that has arrived, or up
/// to a later look at rows that are silent. A delay is dendritic.
plasticity::Events events_of(std::span<const std::uint64_t> pre, std::span<const std::uint64_t> post,
                             std::uint32_t delay, std::uint64_t steps) {
  plasticity::Events events;
  events.dendritic_delay = delay;
  const auto d = static_cast<std::int64_t>(delay);
  std::int64_t up_to_date = 0;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    while (events.pre.size() < pre.size() && pre[events.pre.size()] + delay == step) {
      up_to_date = static_cast<std::int64_t>(pre[events.pre.size()]);
      events.pre.push_back(up_to_date);
    }
    if (const auto now = static_cast<std::int64_t>(step) - d;
        step % network::Learner::look_every == 0 && now - up_to_date >= network::Learner::flush_after)
      up_to_date = now;
  }
  for (const std::uint64_t one : post)
    if (static_cast<std::int64_t>(one) + d <= up_to_date) events.post.push_back(static_cast<std::int64_t>(one));
  return events;
}

/// Weights that a rule has brought about in a network, against its reference in double precision.
/// \param rule  in shares of the range, and steps of 1 ms
template <class Reference>
void compare_with_reference(const std::shared_ptr<const network::PlasticityRule>& learns, const Reference& rule,
                            double tolerance) {
  constexpr std::uint64_t steps = 20'000;
  const network::Network net = bursting_network(steps, 7, learns);
  network::Engine engine = engine_of(net, {.threads = 2, .parts = 2});
  const auto before = weights_of(engine.rows());
  Spikes spikes({network::PopulationId(0), network::PopulationId(1)});
  REQUIRE(engine.record(spikes).ok());
  REQUIRE(engine.run(steps).ok());
  REQUIRE(engine.finish().ok());
  std::array<std::vector<std::vector<std::uint64_t>>, 2> of;
  of[0].resize(40), of[1].resize(130);
  for (const auto& [step, population, neuron] : spikes.all) of[population][neuron].push_back(step);
  const double units = net[network::PopulationId(1)].units_per_one[0] * largest;
  const auto after = weights_of(engine.rows());
  double worst = 0.0, moved = 0.0, spread = 0.0;
  for (auto at = before.begin(); at != before.end();) {
    const auto end = before.upper_bound(at->first);
    const OneSynapse& synapse = at->first;
    const auto events =
        events_of(of[synapse.source_population][synapse.source], of[1][synapse.target], synapse.delay, steps);
    std::vector<double> wanted, had; // of a pair and delay in any order
    for (; at != end; ++at) {
      const double first = static_cast<double>(at->second) / units;
      wanted.push_back(plasticity::simulate(rule, {.value = first}, events).weight.value);
      moved += std::abs(wanted.back() - first);
    }
    for (auto [one, last] = after.equal_range(synapse); one != last; ++one)
      had.push_back(static_cast<double>(one->second) / units);
    std::sort(wanted.begin(), wanted.end()), std::sort(had.begin(), had.end());
    REQUIRE(wanted.size() == had.size());
    for (std::size_t which = 0; which < had.size(); ++which) {
      worst = (std::max)(worst, std::abs(had[which] - wanted[which]));
      spread = (std::max)(spread, wanted[which]);
    }
  }
  CAPTURE(worst, moved, spread, before.size());
  CHECK(worst < tolerance);
  CHECK(moved > 0.1 * static_cast<double>(before.size()));
}

} // namespace

TEST_CASE("plasticity: weights of other rules are those of their references, event by event") {
  using Table = nm::DecayTable<400>;
  using Pair = nm::timing::Pair<Table>;
  namespace weight = nm::weight;
  constexpr Pair::Parameters pair{.tau_plus_ms = 17.0, .tau_minus_ms = 27.0, .a_plus = 0.02, .a_minus = 0.015};
  const network::WeightRange range{.highest = largest};
  SECTION("triplet") {
    using Triplet = nm::timing::Triplet<>;
    compare_with_reference(
        network::learns<Triplet>({.tau_plus_ms = 16.8,
                                  .tau_minus_ms = 33.7,
                                  .tau_x_ms = 946.0,
                                  .tau_y_ms = 27.0,
                                  .a2_plus = 6e-3,
                                  .a3_plus = 7e-3,
                                  .a2_minus = 1.6e-3,
                                  .a3_minus = 1.4e-3},
                                 range),
        plasticity::Triplet(
            16.8, 33.7, 946.0, 27.0,
            plasticity::AdditiveTwoTerms{.a2_plus = 6e-3, .a3_plus = 7e-3, .a2_minus = 1.6e-3, .a3_minus = 1.4e-3}),
        2e-4);
  }
  SECTION("Vogels") {
    compare_with_reference(
        network::learns<nm::timing::Vogels<Table>>({.tau_ms = 20.0, .eta = 0.02, .alpha = 0.5}, range),
        plasticity::Vogels(20.0, 0.02, 0.5), 2e-4);
  }
  SECTION("pair, multiplicative") {
    compare_with_reference(network::learns<Pair, weight::Multiplicative>(pair, range),
                           plasticity::Pair(17.0, 27.0, plasticity::Multiplicative{.a_plus = 0.02, .a_minus = 0.015}),
                           2e-4);
  }
  SECTION("pair, power law") {
    compare_with_reference(
        network::learns<Pair, weight::PowerLaw>(pair, range),
        plasticity::Pair(17.0, 27.0, plasticity::PowerLaw{.rate = 0.02, .scale = 1.0, .exponent = 0.4, .alpha = 0.75}),
        2e-4);
  }
  SECTION("nearest pair") {
    compare_with_reference(network::learns<nm::timing::NearestPair<Table>>(
                               {.tau_plus_ms = 17.0, .tau_minus_ms = 27.0, .a_plus = 0.02, .a_minus = 0.015}, range),
                           plasticity::NearestPair(17.0, 27.0, plasticity::Additive{.a_plus = 0.02, .a_minus = 0.015}),
                           2e-4);
  }
}

TEST_CASE("plasticity: the same for any parts, threads, deliveries and pieces") {
  constexpr std::uint64_t steps = 12'600; // beyond the first look that finds rows of more than flush_after
  const network::Network net = bursting_network(steps, 6);
  std::uint64_t digest = 0, learned = 0;
  for (const auto& [threads, parts, delivery, piece] :
       {std::tuple{1U, 1U, network::Delivery::at_once, steps},
        std::tuple{2U, 2U, network::Delivery::when_due, std::uint64_t{97}},
        std::tuple{1U, 3U, network::Delivery::at_once, std::uint64_t{4095}},
        std::tuple{2U, 8U, network::Delivery::when_due, std::uint64_t{1001}}}) {
    network::Engine engine = engine_of(net, {.threads = threads, .parts = parts, .delivery = delivery});
    const std::uint64_t at_first = engine.digest();
    while (engine.time() != steps) REQUIRE(engine.run((std::min)(piece, steps - engine.time())).ok());
    const auto counts = engine.counts();
    CAPTURE(threads, parts, piece);
    if (digest == 0) digest = engine.digest(), learned = counts.learned.held_at_highest;
    CHECK(engine.digest() == digest);
    CHECK(engine.digest() != at_first);
    CHECK(counts.learned.held_at_highest == learned);
  }
}

namespace {

using Cell = nm::Lif<2>;
/// One receptor, whose weights have a sign.
using SignedCell = nm::Neuron<nm::membrane::Lif, nm::synapse::Exponential<1>, nm::refractory::InMembrane>;

template <class Model>
typename Model::Parameters driven_cell() {
  typename Model::Parameters cell{.membrane = {.tau_ms = 20.0, .c_nf = 0.25, .v_rest_mv = -65.0},
                                  .threshold = {.v_mv = -50.0},
                                  .reset = {.v_mv = -60.0},
                                  .refractory = {.period_ms = 2.0}};
  for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor) {
    cell.synapses.tau_ms[receptor] = 5.0;
    cell.synapses.weights[receptor] = {.largest = 0.5, .rate_hz = 500.0, .fan_in = 2.0};
  }
  return cell;
}

/// Two cells of one receptor, or of two, and a synapse between them that learns.
template <class Model>
network::Network pair_of_cells(std::shared_ptr<const network::PlasticityRule> rule, network::Distribution weight,
                               const typename Model::Parameters& cell) {
  network::Network net({.dt_ms = 1.0, .seed = 3});
  const auto cells = net.add<Model>("cells", 2, cell);
  net.connect(cells, cells, network::AllToAll{}, {.weight = weight, .delay_ms = 2.0, .plasticity = std::move(rule)});
  return net;
}

nm::Status refused(const network::Network& net) {
  const auto made = network::Engine::make(net, {.threads = 1});
  REQUIRE_FALSE(made.ok());
  return made.refusal().status;
}

} // namespace

TEST_CASE("plasticity: what does not fit is refused by name") {
  const auto made = [](const LongPair::Parameters& parameters, const network::WeightRange& range,
                       network::Distribution weight) {
    return pair_of_cells<Cell>(network::learns<LongPair>(parameters, range), weight, driven_cell<Cell>());
  };
  engine_of(made(stdp, {0.0, 0.1}, 0.05));
  engine_of(made(stdp, {0.0, 0.1}, 0.1)); // at its ends
  engine_of(made(stdp, {0.02, 0.1}, 0.02));
  CHECK(refused(made(stdp, {0.0, 0.1}, 0.2)).error == nm::Error::weight_out_of_range);
  CHECK(refused(made(stdp, {0.02, 0.1}, 0.01)).error == nm::Error::weight_out_of_range);
  CHECK(refused(made(stdp, {0.0, 0.1}, network::uniform(0.0, 0.11))).error == nm::Error::weight_out_of_range);
  CHECK(refused(made(stdp, {-0.1, 0.1}, 0.05)).error == nm::Error::weight_out_of_range); // no receptor with a sign
  CHECK(refused(made(stdp, {0.1, 0.1}, 0.1)).error == nm::Error::parameters_contradict);
  CHECK(refused(made(stdp, {0.2, 0.1}, 0.1)).error == nm::Error::parameters_contradict);
  CHECK(refused(made(stdp, {0.0, 1e-12}, 0.0)).error == nm::Error::weight_vanishes);
  CHECK(refused(made(stdp, {0.0, 1e12}, 0.05)).error == nm::Error::weight_out_of_range);
  CHECK(refused(made(stdp, {0.0, std::nan("")}, 0.05)).error == nm::Error::parameter_out_of_range);
  LongPair::Parameters wrong = stdp;
  wrong.a_plus = 2.0;
  const nm::Status status = refused(made(wrong, {0.0, 0.1}, 0.05));
  CHECK(status.error == LongPair::from(wrong, 1.0).status().error);
  CHECK(std::string(status.parameter) == "a_plus");
}

// --- every rule that a network takes, against the rows of a core

namespace {

template <class Timing, class Weight, class Model = Cell>
void compare_with_core(const typename Timing::Parameters& parameters, const network::WeightRange& range) {
  constexpr std::uint32_t sources = 12, cells = 70, longest_delay = 16, steps = 3000;
  constexpr auto sign = Model::receptors == 1 ? nm::WeightSign::signed_value : nm::WeightSign::magnitude;
  using Word = nm::SynapticWord<8, 0, 4, sign>;
  using Update = nm::DeferredUpdate<Word, Timing, Weight>;
  using Row = typename Update::Row;
  const auto store = std::make_unique<
      nm::TraceStore<typename Timing::NeuronTrace, cells, nm::gc::Fifo<60'000>, nm::gc::AgeWindow<8000>>>();

  network::Network net({.dt_ms = 1.0, .seed = 11});
  std::mt19937_64 random(Model::receptors);
  std::vector<network::SpikeTime> times;
  for (std::uint32_t source = 0; source < sources; ++source)
    for (double at = 1.0; at < steps; at += static_cast<double>(random() % (source % 3 == 0 ? 400 : 40)))
      times.push_back({source, at});
  const auto from = net.add_spikes("sources", sources, std::move(times));
  const auto to = net.add<Model>("cells", cells, driven_cell<Model>());
  net.add_background(to, {.receptor = 0, .rate_hz = 700.0, .weight = 0.4});
  net.connect(from, to, network::Pairwise{0.4},
              {.weight = network::uniform(range.lowest, range.highest),
               .delay_ms = network::uniform(0.6, longest_delay + 0.4),
               .plasticity = network::learns<Timing, Weight>(parameters, range)});
  network::Engine engine = engine_of(net, {.threads = 2, .parts = 2});

  const double units = net[to].units_per_one[0];
  const auto timing = Timing::from(parameters, 1.0);
  const auto made = Update::from({static_cast<std::int32_t>(std::floor(range.lowest * units + 0.5)),
                                  static_cast<std::int32_t>(std::floor(range.highest * units + 0.5))},
                                 timing.value());
  REQUIRE(made.ok());
  Update update = made.value();
  std::array<std::vector<std::uint32_t>, sources> words;
  for (std::uint32_t source = 0; source < sources; ++source) {
    words[source].resize(Row::words(2 * cells, 0));
    auto row = Row::make(words[source], 2 * cells, 0).value();
    for (const auto& [synapse, weight] : weights_of(engine.rows())) // by target; a core wants those of a delay together
      if (synapse.source == source)
        for (const auto state = update.state_of(static_cast<std::int32_t>(weight)); state.ok();) {
          row.append(Word::encode({static_cast<std::int32_t>(weight), synapse.delay, 0, synapse.target}).value(),
                     state.value());
          break;
        }
  }
  Spikes spikes({from, to});
  REQUIRE(engine.record(spikes).ok());
  REQUIRE(engine.run(steps).ok());
  std::array<std::uint64_t, sources> last{};
  auto spike = spikes.all.begin();
  for (std::uint32_t step = 1; step <= steps; ++step) {
    store->advance_to(step);
    std::vector<std::uint32_t> fired;
    for (; spike != spikes.all.end() && std::get<0>(*spike) == step; ++spike) {
      const auto [when, population, neuron] = *spike;
      if (population == std::uint32_t(to))
        update.post_spike(*store, neuron, step);
      else
        fired.push_back(neuron);
    }
    for (const std::uint32_t source : fired) {
      update.pre_spike(words[source], step, *store);
      last[source] = step;
    }
  }
  REQUIRE(engine.finish().ok());
  REQUIRE(update.counts().truncated == 0);
  const auto weights = weights_of(engine.rows());
  std::size_t compared = 0, values = 0;
  std::int64_t before = -1;
  for (std::uint32_t source = 0; source < sources; ++source) {
    if (last[source] + longest_delay > steps) continue; // has not arrived everywhere
    for (const std::uint32_t word : Row(words[source]).plastic()) {
      const nm::Synapse one = Word::decode(word);
      const auto found = weights.find({std::uint32_t(from), source, std::uint32_t(to), one.index, 0, one.delay});
      REQUIRE(found != weights.end());
      if (found->second != one.weight)
        FAIL("source " << source << " to " << one.index << ": " << found->second << ", not " << one.weight);
      ++compared, values += one.weight != before, before = one.weight;
    }
  }
  CHECK(compared > 100);
  CHECK(values > compared / 4);
}

} // namespace

TEST_CASE("plasticity: every rule has the weights of a core's rows") {
  using Table = nm::DecayTable<400>;
  using Additive = nm::weight::Additive;
  using Multiplicative = nm::weight::Multiplicative;
  SECTION("pair") { compare_with_core<nm::timing::Pair<Table>, Additive>({}, {0.0, 0.05}); }
  SECTION("pair, weights with a sign") {
    compare_with_core<nm::timing::Pair<Table>, Additive, SignedCell>({}, {-0.04, 0.05});
  }
  SECTION("pair, multiplicative") { compare_with_core<nm::timing::Pair<Table>, Multiplicative>({}, {0.01, 0.05}); }
  SECTION("nearest pair") { compare_with_core<nm::timing::NearestPair<Table>, Additive>({}, {0.0, 0.05}); }
  SECTION("triplet") { compare_with_core<nm::timing::Triplet<>, Additive>({}, {0.0, 0.05}); }
  SECTION("Vogels") { compare_with_core<nm::timing::Vogels<Table>, Additive>({}, {0.0, 0.05}); }
  SECTION("parallel fibre") {
    compare_with_core<nm::timing::ParallelFibre<512>, Additive>({.a_plus = 0.001, .a_minus = 0.0002}, {0.0, 0.05});
  }
  SECTION("mossy fibre") {
    compare_with_core<nm::timing::MossyFibre<512>, Additive>({.a_plus = 0.002, .a_minus = 0.01}, {0.0, 0.05});
  }
  SECTION("pair, power law") { compare_with_core<nm::timing::Pair<Table>, nm::weight::PowerLaw>({}, {0.0, 0.05}); }
  SECTION("pair, power law, weights with a sign") {
    compare_with_core<nm::timing::Pair<Table>, nm::weight::PowerLaw, SignedCell>({}, {-0.04, 0.05});
  }
}
