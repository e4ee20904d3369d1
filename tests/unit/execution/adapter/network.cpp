// SPDX-License-Identifier: BSL-1.0
// Networks on cores of a machine against the host's engine: random ones of all kinds of neurons, sources, connectors, weights and delays.
#include <tests/support/catch.hpp>

#include <neuromorph/execution/adapter/network.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/native.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/network/engine.hpp>
#include <neuromorph/network/recording.hpp>

#include <tests/support/random_network.hpp>
#include <tests/support/sanitized.hpp>
#include <tests/support/seeds.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace network = neuromorph::network;
using neuromorph::Error;
using neuromorph::Lif;

namespace {

using OnCores = execution::NetworkOnCores<neuromorph::PackedLif, Lif<2>, Lif<1>, neuromorph::CompactLif<1>,
                                          neuromorph::CompactLif<2>, networks::OwnLif, neuromorph::pynn::Izhikevich,
                                          neuromorph::pynn::IfCondExp>;

struct Machine {
  explicit Machine(unsigned boards, unsigned threads = 1)
      : is(mapping::machine_of_boards(boards).value()), monitors(is, {}),
        applications(monitors, programs, {.threads = threads}), link(monitors, applications) {
    OnCores::add_to(programs);
  }
  mapping::Machine is;
  machine::Programs programs{};
  machine::Monitors monitors;
  machine::Applications applications;
  execution::InProcessLink link;
};

using Spikes = std::vector<std::pair<std::uint64_t, std::uint32_t>>;
std::vector<Spikes> spikes_of(const network::Recording& of) {
  std::vector<Spikes> made;
  for (const auto& one : of.populations) {
    Spikes& to = made.emplace_back();
    one.spikes.each([&to](std::uint64_t step, std::uint32_t neuron) { to.emplace_back(step, neuron); });
  }
  return made;
}
/// Where they differ first; empty where they do not.
std::string difference(const std::vector<Spikes>& is, const std::vector<Spikes>& wanted) {
  for (std::size_t at = 0; at < wanted.size(); ++at) {
    const auto [one, other] = std::mismatch(is[at].begin(), is[at].end(), wanted[at].begin(), wanted[at].end());
    if (one == is[at].end() && other == wanted[at].end()) continue;
    const auto words = [](const Spikes& of, Spikes::const_iterator place) {
      return place == of.end() ? std::string("nothing")
                               : "step " + std::to_string(place->first) + " neuron " + std::to_string(place->second);
    };
    return "population " + std::to_string(at) + ": " + words(is[at], one) + ", not " + words(wanted[at], other);
  }
  return is.size() == wanted.size() ? "" : "another number of populations";
}
struct OnHost {
  std::vector<Spikes> spikes;
  network::Engine::Counts counts;
};
OnHost on_host(const network::Network& net, std::uint64_t steps) {
  auto engine = network::Engine::make(net, {.threads = 1});
  INFO(engine.sentence());
  REQUIRE(engine.ok());
  auto recorder = network::MemoryRecorder::make(net, network::all_spikes(net));
  REQUIRE(recorder.ok());
  REQUIRE(engine.value().record(recorder.value()).ok());
  REQUIRE(engine.value().run(steps).ok());
  return {spikes_of(recorder.value().recording()), engine.value().counts()};
}
void check_counts(const execution::NetworkCounts& is, const network::Engine::Counts& wanted) {
  CHECK(is.spikes == wanted.spikes);
  CHECK(is.events == wanted.events);
  CHECK(is.background == wanted.background);
  CHECK(is.saturations == wanted.saturations);
  CHECK(is.input_saturations == wanted.input_saturations);
  CHECK(is.background_saturations == wanted.background_saturations);
}

} // namespace

TEST_CASE("A network on cores fires as it does on the host, however it is cut, on any threads, in any pieces") {
  std::uint64_t fired = 0;
  unsigned ran = 0, refused = 0;
  for (const std::uint32_t seed : Seeds(sanitized ? 40 : 150)) {
    const networks::Described made = networks::RandomNetwork(seed, seed % 16 == 0, seed % 4 == 0 ? 127 : 31).take();
    std::mt19937 draw(seed);
    constexpr std::uint32_t lengths[] = {0, 16, 32, 64, 128, 192, 256};
    const execution::NetworkOptions options{
        .threads = 1 + seed % 3, .neurons_per_core = lengths[draw() % 7], .most_hz = 10'000.0};
    const auto steps = static_cast<std::uint32_t>(60 + draw() % 300);
    INFO("seed " << seed << ", " << options.neurons_per_core << " on a core, " << steps << " steps");
    Machine on(3, 1 + seed % 2);
    execution::Simulation simulation(on.link, {.threads = 1 + seed % 2, .most_cycle = 7 + draw() % 400});
    auto cores = OnCores::make(simulation, made.net, on.is, options);
    if (!cores) {
      INFO(cores.sentence());
      REQUIRE((cores.refusal().status.error == Error::parameter_out_of_range ||
               cores.refusal().status.error == Error::fan_in_too_large));
      ++refused;
      continue;
    }
    for (std::uint64_t left = steps; left != 0;) {
      const std::uint64_t now = 1 + draw() % left;
      const auto ended = simulation.run(now);
      INFO(ended.sentence());
      REQUIRE(ended.ok());
      left -= now;
    }
    for (const std::string& one : simulation.anomalies()) FAIL(one);
    const OnHost wanted = on_host(made.net, steps);
    REQUIRE(difference(spikes_of(cores.value().recording()), wanted.spikes) == "");
    check_counts(cores.value().counts(), wanted.counts);
    CHECK(cores.value().counts().strange == 0);
    fired += wanted.counts.spikes;
    ++ran;
    if (seed % 10 != 0) continue;
    // Once more from the beginning: synapses are drawn again.
    REQUIRE(simulation.reset().ok());
    REQUIRE(simulation.run(steps).ok());
    REQUIRE(difference(spikes_of(cores.value().recording()), wanted.spikes) == "");
  }
  CHECK(ran > 2 * refused);
  CHECK(fired > 500 * ran);
}

TEST_CASE("Sums that are held at the end of 16 bits are those of the host, each counted once") {
  using Cells = neuromorph::PackedLif; // which sum in 16 bits
  const auto cell = parameters_of<Cells>(networks::restless, networks::packed_weights);
  const unsigned seed = GENERATE(range(1U, 7U));
  network::Network net({.dt_ms = 1.0, .seed = seed});
  const auto cells = net.add<Cells>("cells", 150, cell);
  const auto noise = net.add_poisson("noise", 90, 300.0);
  std::vector<network::SpikeTime> volley;
  for (std::uint32_t neuron = 0; neuron < 80; ++neuron)
    for (const double time : {3.0, 3.0, 9.0, 11.0}) volley.push_back({neuron, time});
  const auto listed = net.add_spikes("volley", 80, volley);
  net.add_background(cells, {.receptor = 1, .rate_hz = 20000.0, .weight = seed % 2 == 0 ? 0.3 : 0.02});
  net.connect(listed, cells, network::AllToAll{},
              {.receptor = 0, .weight = 0.1, .delay_ms = network::uniform(1.0, 3.0)});
  net.connect(noise, cells, network::Pairwise{0.3},
              {.receptor = 1, .weight = network::uniform(0.01, 0.3), .delay_ms = 2.0});
  net.connect(noise, cells, network::FixedIndegree{40, true, true}, {.receptor = 0, .weight = 0.09, .delay_ms = 5.0});
  Machine on(1);
  execution::Simulation simulation(on.link);
  auto cores = OnCores::make(simulation, net, on.is, {.neurons_per_core = seed % 3 == 0 ? 16U : 64U});
  INFO(cores.sentence());
  REQUIRE(cores.ok());
  REQUIRE(simulation.run(60).ok());
  const OnHost wanted = on_host(net, 60);
  CHECK(wanted.counts.input_saturations > 100);
  CHECK((seed % 2 != 0 || wanted.counts.background_saturations > 100));
  CHECK(difference(spikes_of(cores.value().recording()), wanted.spikes) == "");
  check_counts(cores.value().counts(), wanted.counts);
}

TEST_CASE("Synapses that have gone into the regions of a slice are not kept beside them") {
  std::uint64_t all = 0;
  for (const std::uint32_t seed : Seeds(20)) {
    const networks::Described made = networks::RandomNetwork(seed, false, 31).take();
    const auto plans = network::plan(made.net, 1);
    REQUIRE(plans.ok());
    const std::size_t populations = made.net.populations().size();
    const std::vector<std::uint32_t> lengths(populations, 64), target_bits(populations, 6);
    auto rows = execution::NetworkRows::make(made.net, plans.value(), lengths, target_bits, 1);
    if (!rows) continue;
    std::uint64_t left = rows.value().synapses();
    all += left;
    for (std::uint32_t target = 0; target < populations; ++target)
      for (std::uint32_t slice = 0; 64 * slice < made.net.populations()[target].count; ++slice) {
        CHECK(!rows.value().are_taken(target, slice));
        std::vector<std::vector<std::uint8_t>> regions;
        rows.value().take_into(
            target, slice, [](std::uint32_t, std::uint32_t) { return mapping::KeyMask{}; }, regions);
        CHECK(rows.value().are_taken(target, slice));
        REQUIRE(regions.size() == 3);
        left -= (regions[2].size() - execution::SynapsesRegion::bytes(0)) / 4;
        CHECK(rows.value().synapses() == left);
      }
    CHECK(left == 0);
  }
  CHECK(all > 10'000);
}

TEST_CASE("Lists of spikes are memory that a source takes: what it plays, and what it may record") {
  constexpr std::uint32_t slices = 10, of_a_slice = 3'000;
  network::Network net({.dt_ms = 1.0, .seed = 1});
  std::vector<network::SpikeTime> spikes;
  for (std::uint32_t slice = 0; slice < slices; ++slice)
    for (std::uint32_t spike = 0; spike < of_a_slice + slice; ++spike)
      spikes.push_back({16 * slice + spike % 16, spike / 16 + 1.0});
  const auto listed = net.add_spikes("listed", 16 * slices, spikes);
  Machine on(1);
  execution::Simulation simulation(on.link);
  auto cores = OnCores::make(simulation, net, on.is, {.neurons_per_core = 16});
  REQUIRE(cores.ok());
  REQUIRE(simulation.run(1).ok());
  for (std::uint32_t slice = 0; slice < slices; ++slice) {
    const mapping::Vertex vertex = cores.value().vertex_with(listed, 16 * slice);
    const std::size_t list = 8 * (of_a_slice + slice), takes = simulation.graph().resources(vertex).sdram_bytes;
    CHECK(takes > 2 * list + execution::VertexData::overhead);
    CHECK(takes < 2 * list + execution::VertexData::overhead + 4096);
  }
}

TEST_CASE("A network that cores cannot have is refused with its name, and the simulation stays empty") {
  using network::Network;
  constexpr Lif<2>::Parameters cell{
      .membrane = {.tau_ms = 20.0, .c_nf = 0.25},
      .synapses = {.tau_ms = {5.0, 10.0}, .weights = {{{.largest = 1.5}, {.largest = 1.5}}}}};
  Machine on(1);
  execution::Simulation simulation(on.link);
  const auto refused = [&](const Network& net, const std::string& sentence,
                           const execution::NetworkOptions& options = {}) {
    const auto cores = OnCores::make(simulation, net, on.is, options);
    REQUIRE(!cores.ok());
    CHECK(cores.sentence() == sentence);
    CHECK(simulation.graph().vertices() == 0);
  };
  Network net({.dt_ms = 0.1, .seed = 1});
  const auto cells = net.add<Lif<2>>("cells", 300, cell);
  for (const std::uint32_t length : {1U, 15U, 48U, 65U, 320U})
    refused(net, "neurons_per_core = " + std::to_string(length) + ": it is 16, 32, or a multiple of 64 up to 256",
            {.neurons_per_core = length});
  {
    Network other = net;
    other.add<neuromorph::pynn::IfCurrAlpha>(
        "others", 3, {.membrane = {.c_nf = 0.25}, .synapses = {{5.0, 10.0}, {{{.largest = 0.01}, {.largest = 0.01}}}}});
    refused(other, "population 1, others: its model is none of those of this NetworkOnCores");
  }
  {
    Network other = net;
    const auto pair =
        network::learns<neuromorph::timing::Pair<neuromorph::DecayTable<3000>>>({}, {.lowest = 0.0, .highest = 0.5});
    other.connect(cells, cells, network::OneToOne{}, {.weight = 0.1, .plasticity = pair});
    refused(other, "projection 0, cells to cells: its synapses learn, which they do not do on cores");
  }
  {
    Network other = net;
    const auto noise = other.add_poisson("noise", 300, 5e5); // none of it fires more than so often in a step
    other.connect(noise, cells, network::AllToAll{}, {.weight = 1.5});
    refused(other, network::Engine::make(other, {.threads = 1}).sentence());
  }
  {
    Network other = net;
    other.connect(cells, cells, network::OneToOne{}, {.weight = 0.1, .delay_ms = 100.0});
    refused(other, "population 0, cells: delays of up to 1000 steps take 533696 bytes beside a core for 16 neurons, "
                   "and it has 61440 for them");
  }
  {
    Network other = net;
    other.connect(cells, cells, network::OneToOne{}, {.weight = 0.1, .delay_ms = 10.0});
    refused(other,
            "population 0, cells: delays of up to 100 steps take 267264 bytes beside a core for 256 neurons, and it "
            "has 61440 for them",
            {.neurons_per_core = 256});
  }
  {
    Network other = net;
    other.connect(cells, cells, network::FixedTotal{.total = 200000}, {.weight = 0.1});
    refused(other,
            "projection 0, cells to cells: two slices have 145562 synapses, and 65535 are the most: fewer neurons on a "
            "core make them fewer",
            {.neurons_per_core = 256});
  }
  {
    Network other = net;
    other.add_spikes("late", 3, {{7, 1.0}});
    refused(other, "population 1, late: neuron = 7: a synapse names a neuron outside the population");
  }
  {
    Network other = net;
    other.add_poisson("fast", 3, 1e9);
    refused(other, "population 1, fast: rate_hz = 1000000000: a parameter is outside the range of its number format");
  }
}

TEST_CASE("A core of a network refuses regions that lead nowhere, and takes any key") {
  using Model = Lif<2>;
  using Core = execution::NeuronCore<Model>;
  constexpr Model::Parameters cell{
      .membrane = {.tau_ms = 20.0, .c_nf = 0.25},
      .synapses = {.tau_ms = {5.0, 10.0}, .weights = {{{.largest = 1.5}, {.largest = 1.5}}}}};
  const auto made = Model::make(cell, 1.0).value();
  constexpr std::uint32_t count = 40, slots = 8, bits = 6;
  using Bytes = std::vector<std::uint8_t>;
  std::mt19937 draw(3);
  const auto region = [](auto of, const auto& head, const auto& elements) {
    using Region = decltype(of);
    Bytes bytes(Region::bytes(elements.size()));
    REQUIRE(Region::write(bytes, head, elements).ok());
    return bytes;
  };
  std::vector<execution::IncomingSlice> incoming;
  std::vector<std::uint16_t> starts;
  std::vector<std::uint32_t> synapses;
  for (std::uint32_t slice = 0; slice < 3; ++slice) {
    execution::IncomingSlice one{.key = 0x1000 + 0x40 * slice, .mask = ~std::uint32_t{0x3F}};
    one.first = static_cast<std::uint32_t>(synapses.size()), one.row = static_cast<std::uint32_t>(starts.size());
    one.rows = 30 + slice, one.kind = execution::IncomingSlice::kind_of(slice % 2, slice);
    for (std::uint32_t row = 0; row < one.rows; ++row) {
      starts.push_back(static_cast<std::uint16_t>(synapses.size() - one.first));
      for (auto left = draw() % 5; left != 0; --left)
        synapses.push_back(static_cast<std::uint32_t>(draw() << 16 | (1 + draw() % 7) << bits | draw() % count));
    }
    one.words = static_cast<std::uint32_t>(synapses.size()) - one.first;
    incoming.push_back(one);
  }
  std::vector<Bytes> whole;
  execution::SliceSettings settings{.key = 0x5000, .has_keys = 1, .count = count, .slots = slots, .target_bits = bits};
  settings.dt_ms = execution::TwoWords(1.0);
  const std::vector<execution::DriveSettings> drives{{.weight = 100, .use = 1, .rate_hz = execution::TwoWords(500.0)}};
  whole.push_back(region(execution::SliceRegion{}, settings, drives));
  const network::NeuronsOf<Model> neurons(made, 0, count);
  Core::write_neurons(made, neurons, whole.emplace_back());
  const neuromorph::runtime::Nothing nothing;
  whole.push_back(region(execution::IncomingRegion{}, nothing, incoming));
  whole.push_back(region(execution::RowStartsRegion{}, nothing, starts));
  whole.push_back(region(execution::SynapsesRegion{}, nothing, synapses));

  std::array<unsigned, 5> refused{}, taken{};
  for (unsigned round = 0; round < (sanitized ? 3'000U : 20'000U); ++round) {
    std::vector<Bytes> bytes = whole;
    const std::size_t which = round == 0 ? 5 : draw() % 5; // the first is whole
    if (which < 5) {
      Bytes& of = bytes[which];
      const std::size_t word = draw() % (of.size() / 4);
      switch (which == 1 ? 0 : draw() % 4) { // constants and words of neurons are as they are
      case 0: of.resize(of.size() - 4 * (1 + draw() % (of.size() / 4))); break;
      case 1: of[4 * word + draw() % 4] ^= static_cast<std::uint8_t>(1U << draw() % 8); break;
      default:
        neuromorph::protocols::put_word(of, 4 * word,
                                        draw() % 2 == 0 ? 0xFFFFFFFF : static_cast<std::uint32_t>(draw()));
      }
    }
    machine::NativeCores<Core> core(1);
    for (std::size_t at = 0; at < 5; ++at) REQUIRE(core.load(0, at, bytes[at]).ok());
    machine::Outbox out;
    if (!core.start(0, out)) {
      REQUIRE(which < 5);
      ++refused[which];
      continue;
    }
    if (which < 5) ++taken[which];
    for (std::uint32_t time = 0; time < 12; ++time) {
      core.tick(0, out, time);
      for (unsigned packets = 0; packets < 10; ++packets)
        static_cast<void>(core.packet(0, out,
                                      {.key = draw() % 4 == 0 ? static_cast<std::uint32_t>(draw())
                                                              : 0x1000 + static_cast<std::uint32_t>(draw() % 0x100)}));
    }
    if (which == 5) CHECK(core.counter(0, unsigned(execution::NetworkCounter::events)) > 10);
  }
  for (std::size_t which = 0; which < 5; ++which) CHECK(refused[which] > 10);
  CHECK(taken[4] > 100); // a weight may be any
}
