// SPDX-License-Identifier: BSL-1.0
// A run that is saved and loaded against one that goes on, into other splits; and files that are cut off, changed or foreign.
#include <neuromorph/network/checkpoint.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <neuromorph/kernels/neurons/currents/direct.hpp>
#include <neuromorph/kernels/neurons/models/lif.hpp>
#include <neuromorph/kernels/neurons/refractory/in_queue.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/mossy_fibre.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/nearest_pair.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/parallel_fibre.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/triplet.hpp>
#include <neuromorph/kernels/plasticity/timing_rules/vogels.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/multiplicative.hpp>
#include <neuromorph/kernels/plasticity/weight_rules/power_law.hpp>
#include <neuromorph/network/recording.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/networks.hpp>

#include "examples/neurons/models.hpp"

namespace {

using namespace networks;
using network::Delivery;
using network::Engine;
using network::EngineOptions;
using network::PopulationId;
using neuromorph::DecayTable;
using neuromorph::Error;
using neuromorph::PackedLif;
using neuromorph::place_of;
namespace timing = neuromorph::timing;

/// A file of a test's own.
class File {
public:
  explicit File(const std::string& name)
      : path_((std::filesystem::temp_directory_path() / ("neuromorph_checkpoint_" + name)).string()) {
    remove();
  }
  ~File() { remove(); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

private:
  void remove() const {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + ".part");
  }
  std::string path_;
};

Engine engine_of(const network::Network& net, const EngineOptions& options = {.threads = 1}) {
  auto made = Engine::make(net, options);
  INFO(made.sentence());
  REQUIRE(made.ok());
  return std::move(made).value();
}
void save(const Engine& engine, const File& file) {
  const auto refused = network::save(engine, file.path());
  INFO(refused.sentence());
  REQUIRE(refused.ok());
}
void load(Engine& engine, const File& file) {
  const auto refused = network::load(engine, file.path());
  INFO(refused.sentence());
  REQUIRE(refused.ok());
}

using AllSpikes = std::vector<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>>;
AllSpikes run(Engine& engine, const network::Network& net, std::uint64_t steps) {
  auto recorder = network::MemoryRecorder::make(net, all_spikes(net)).value();
  REQUIRE(engine.record(recorder).ok());
  REQUIRE(engine.run(steps).ok());
  REQUIRE(engine.finish().ok());
  AllSpikes all;
  for (std::uint32_t at = 0; at < net.populations().size(); ++at)
    recorder.recording().populations[at].spikes.each(
        [&](std::uint64_t step, std::uint32_t neuron) { all.emplace_back(step, at, neuron); });
  return all;
}
std::vector<std::uint64_t> counts_of(const Engine& engine) { return networks::numbers_of(engine.counts()); }

constexpr EngineOptions splits[] = {{.threads = 1, .parts = 1, .delivery = Delivery::at_once},
                                    {.threads = 1, .parts = 1, .delivery = Delivery::when_due},
                                    {.threads = 2, .parts = 2, .delivery = Delivery::at_once},
                                    {.threads = 1, .parts = 3, .delivery = Delivery::when_due},
                                    {.threads = 2, .parts = 3, .delivery = Delivery::at_once}};

/// Saved at a step and loaded into all splits, against one that was never saved.
void goes_on(const network::Network& net, std::uint64_t first, std::uint64_t second) {
  Engine whole = engine_of(net);
  REQUIRE(whole.run(first).ok());
  const auto before = whole.digest();
  const auto counts_before = counts_of(whole);
  const AllSpikes rest = run(whole, net, second);
  std::string bytes;
  std::size_t number = 0;
  for (const EngineOptions& from : splits) {
    Engine engine = engine_of(net, from);
    for (std::uint64_t left = first; left != 0;) { // in pieces that are no intervals
      const std::uint64_t now = std::min<std::uint64_t>(left, 17 + 40 * number);
      REQUIRE(engine.run(now).ok());
      left -= now;
    }
    File file("goes_on");
    save(engine, file);
    if (bytes.empty()) bytes = file.bytes();
    CHECK((file.bytes() == bytes)); // parts do not show
    const EngineOptions& to = splits[(number + 2) % std::size(splits)];
    ++number;
    for (const bool has_run : {false, true}) {
      Engine other = engine_of(net, to);
      if (has_run) REQUIRE(other.run(333).ok());
      load(other, file);
      CHECK(other.time() == first);
      CHECK(other.digest() == before);
      CHECK(counts_of(other) == counts_before);
      File again("again");
      save(other, again);
      CHECK((again.bytes() == bytes));
      CHECK((run(other, net, second) == rest));
      CHECK(other.digest() == whole.digest());
      CHECK(counts_of(other) == counts_of(whole));
    }
  }
}

} // namespace

TEST_CASE("checkpoint: a loaded network goes on as the one that was saved, however both are split") {
  const auto check = [](const auto& net) {
    for (const auto& [first, second] : {std::pair{1U, 300U}, std::pair{517U, 500U}, std::pair{1200U, 33U}})
      goes_on(net, first, second);
  };
  SECTION("refractory in the membrane") { check(everything<Cells>(cell, 0.1)); }
  SECTION("refractory in a queue") {
    using Queued = neuromorph::Neuron<neuromorph::membrane::Lif, neuromorph::synapse::Exponential<2>,
                                      neuromorph::refractory::InQueue>;
    check(everything<Queued>({.membrane = {.c_nf = 0.25},
                              .synapses = {.tau_ms = {5.0, 10.0}, .weights = {{nanoampere, nanoampere}}},
                              .refractory = {.period_ms = 3.0}},
                             0.1));
  }
}

TEST_CASE("checkpoint: neurons of all kinds go on") {
  const auto check = []<class... Kinds>(std::tuple<Kinds...>*) {
    const auto one = []<class Kind>(Kind*) {
      INFO(Kind::name);
      goes_on(everything<typename Kind::Model>(Kind::parameters, Kind::weights[0], false), 471, 300);
    };
    (one(static_cast<Kinds*>(nullptr)), ...);
  };
  check(static_cast<neurons::Models*>(nullptr));
}

TEST_CASE("checkpoint: at the beginning there is nothing, which is saved, too") {
  const auto net = everything<Cells>(cell, 0.1);
  Engine whole = engine_of(net), empty = engine_of(net), other = engine_of(net, {.threads = 1, .parts = 2});
  File file("beginning");
  save(empty, file);
  REQUIRE(other.run(100).ok());
  load(other, file);
  CHECK(other.time() == 0);
  CHECK(other.counts().spikes == 0);
  REQUIRE(other.run(200).ok());
  REQUIRE(whole.run(200).ok());
  CHECK(other.digest() == whole.digest());
}

TEST_CASE("checkpoint: rows and histories that were silent for long, and looked at") {
  network::Network net({.dt_ms = 0.1, .seed = 3});
  std::vector<network::SpikeTime> times;
  for (std::uint32_t at = 0; at < 20; ++at) {
    times.push_back({at, 10.0 + at});              // a volley, then silence
    times.push_back({at, 1900.0 + 0.5 * at});      // after some looks
    if (at % 3 == 0) times.push_back({at, 820.0}); // some in between
  }
  const auto list = net.add_spikes("list", 20, times);
  const auto cells = net.add<Cells>("cells", 70, cell);
  net.add_background(cells, {.receptor = 0, .rate_hz = 300.0, .weight = 0.5});
  const auto triplet = network::learns<timing::Triplet<DecayTable<9000>>>(
      {.tau_plus_ms = 20.0, .tau_minus_ms = 30.0, .tau_x_ms = 60.0, .tau_y_ms = 50.0}, {.lowest = 0.0, .highest = 0.5});
  net.connect(list, cells, network::AllToAll{},
              {.weight = 0.25, .delay_ms = network::uniform(0.1, 30.0), .plasticity = triplet});
  for (const std::uint64_t first : {4095U, 4096U, 8191U, 8400U, 12'289U, 16'500U}) {
    Engine whole = engine_of(net), saved = engine_of(net, {.threads = 1, .parts = 2});
    REQUIRE(whole.run(21'000).ok());
    REQUIRE(saved.run(first).ok());
    File file("silent");
    save(saved, file);
    Engine other = engine_of(net);
    load(other, file);
    REQUIRE(other.run(21'000 - first).ok());
    CHECK(other.digest() == whole.digest());
    CHECK(counts_of(other) == counts_of(whole));
    CHECK(whole.counts().spikes > 100);
  }
}

TEST_CASE("checkpoint: what is cut off or changed anywhere is refused, and changes nothing") {
  network::Network net({.dt_ms = 0.1, .seed = 3});
  const auto chance = net.add_poisson("chance", 3, 500.0);
  const auto cells = net.add<Cells>("cells", 4, cell);
  const auto rule = network::learns<timing::Pair<DecayTable<3000>>>({}, {.lowest = 0.0, .highest = 2.0});
  net.connect(chance, cells, network::AllToAll{}, {.weight = 1.0, .delay_ms = 1.0, .plasticity = rule});
  Engine saved = engine_of(net), other = engine_of(net);
  REQUIRE(saved.run(300).ok());
  REQUIRE(other.run(100).ok());
  const auto before = other.digest();
  File file("damaged");
  save(saved, file);
  const std::string bytes = file.bytes();
  REQUIRE(bytes.size() < 4000);
  REQUIRE(saved.counts().spikes > 50);
  const auto is_refused = [&](const std::string& damaged, const std::string& sentence = "") {
    file.write(damaged);
    const auto refused = network::load(other, file.path());
    CHECK(refused.status.error == Error::file_malformed);
    CHECK(refused.sentence().find(file.path() + ": " + sentence) == 0);
    CHECK(other.digest() == before);
    CHECK(other.time() == 100);
  };
  for (std::size_t length = 0; length < bytes.size(); ++length) is_refused(bytes.substr(0, length));
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int flipped : {1, 0x80}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flipped);
      is_refused(damaged);
    }
  is_refused(bytes + '\0');
  is_refused(bytes + bytes.substr(32, 4));
  is_refused("", "it is no checkpoint of a network");
  is_refused("# spikes of a network\n", "it is no checkpoint of a network");
  is_refused(bytes.substr(0, 31), "it ends after 31 bytes of its head");
  std::string newer = bytes;
  newer[8] = 1;
  is_refused(newer, "it is of version 1, and this is 3");
  newer = bytes;
  ++newer[40];
  is_refused(newer, "its words are not those that were written");
  file.write(bytes);
  load(other, file);
  CHECK(other.digest() == saved.digest());
}

TEST_CASE("checkpoint: another network is refused, and what differs is named") {
  using Change = std::function<void(network::Network&, PopulationId, PopulationId)>;
  const auto made = [](const Change& change, network::Settings settings = {.dt_ms = 0.1, .seed = 3},
                       Cells::Parameters own = cell, double weight = 0.2) {
    network::Network net(settings);
    const auto chance = net.add_poisson("chance", 30, 50.0);
    const auto cells = net.add<Cells>("cells", 40, own);
    net.connect(chance, cells, network::Pairwise{0.5}, {.weight = weight, .delay_ms = 1.0});
    if (change) change(net, chance, cells);
    return net;
  };
  const auto net = made({});
  Engine saved = engine_of(net);
  REQUIRE(saved.run(50).ok());
  File file("other");
  save(saved, file);
  const auto is_refused = [&](const network::Network& other, const std::string& why) {
    Engine engine = engine_of(other);
    REQUIRE(engine.run(20).ok());
    const auto before = engine.digest();
    const auto refused = network::load(engine, file.path());
    CHECK(refused.status.error == Error::parameters_contradict);
    CHECK(refused.sentence() == file.path() + ": it is of another network: " + why);
    CHECK(engine.digest() == before);
    CHECK(engine.time() == 20);
  };
  is_refused(made({}, {.dt_ms = 0.2, .seed = 3}), "its time step is another one");
  is_refused(made({}, {.dt_ms = 0.1, .seed = 4}), "its seed is another one");
  is_refused(made([](auto& one, auto, auto) { one.add_source("more", 1); }),
             "it has other numbers of populations or projections");
  is_refused(made([](auto& one, auto chance, auto cells) {
               one.connect(chance, cells, network::AllToAll{}, {.weight = 0.1, .delay_ms = 1.0});
             }),
             "it has other numbers of populations or projections");
  is_refused(made([](auto& one, auto, auto cells) {
               one.add_background(cells, {.receptor = 0, .rate_hz = 10.0, .weight = 0.1});
             }),
             "population 1, cells, is another one there");
  for (int which = 0; which < 5; ++which) {
    Cells::Parameters other = cell;
    if (which == 0) other.membrane.tau_ms += 0.5;
    if (which == 1) other.synapses.tau_ms[1] += 0.5;
    if (which == 2) other.threshold.v_mv += 0.5;
    if (which == 3) other.reset.v_mv += 0.5;
    if (which == 4) other.refractory.period_ms += 0.5;
    INFO(which);
    is_refused(made({}, {.dt_ms = 0.1, .seed = 3}, other), "population 1, cells, is another one there");
  }
  is_refused(made({}, {.dt_ms = 0.1, .seed = 3}, cell, 0.3), "it has other synapses");
  const auto same = made([](auto& one, auto, auto cells) { // words begin otherwise, and are loaded
    one.begin_at(cells, place_of<Cells>.membrane.v, -55.0);
  });
  Engine engine = engine_of(same);
  load(engine, file);
  CHECK(engine.digest() == saved.digest());
}

TEST_CASE("checkpoint: another rule is refused, by its type, each of its parameters and its table") {
  using Table = DecayTable<3000>;
  using Pair = timing::Pair<Table>;
  using Nearest = timing::NearestPair<Table>;
  namespace weight = neuromorph::weight;
  const network::WeightRange range{.lowest = 0.0, .highest = 0.5};
  std::vector<std::shared_ptr<const network::PlasticityRule>> rules{
      network::learns<Pair>({}, range),
      network::learns<Pair>({.tau_plus_ms = 20.0001}, range),
      network::learns<Pair>({.tau_minus_ms = 19.0}, range),
      network::learns<Pair>({.a_plus = 0.010001}, range),
      network::learns<Pair>({.a_minus = 0.0121}, range),
      network::learns<timing::Pair<DecayTable<3001>>>({}, range),
      network::learns<timing::Pair<neuromorph::LongDecayTable<3000>>>({}, range),
      network::learns<Pair>({}, {.lowest = 0.0, .highest = 0.501}),
      network::learns<Pair, weight::Multiplicative>({}, range),
      network::learns<Pair, weight::PowerLaw>({}, range),
      network::learns<Pair, weight::PowerLaw>({}, range, weight::PowerLaw::from(0.41).value()),
      network::learns<Nearest>({}, range),
      network::learns<Nearest, weight::Multiplicative>({}, range),
      network::learns<timing::Vogels<Table>>({}, range),
      network::learns<timing::Vogels<Table>>({.alpha = 0.13}, range),
      network::learns<timing::ParallelFibre<2500>>({}, range),
      network::learns<timing::ParallelFibre<2500>>({.peak_ms = 101.0}, range),
      network::learns<timing::MossyFibre<4000>>({}, range),
      network::learns<timing::MossyFibre<4000>>({.beta = 10.9}, range)};
  for (int which = 0; which < 9; ++which) {
    timing::Triplet<Table, DecayTable<16'000>>::Parameters triplet{.tau_x_ms = 100.0};
    double* const members[]{&triplet.tau_plus_ms, &triplet.tau_minus_ms, &triplet.tau_x_ms, &triplet.tau_y_ms,
                            &triplet.a2_plus,     &triplet.a3_plus,      &triplet.a2_minus, &triplet.a3_minus};
    triplet.tau_minus_ms = 20.0, triplet.tau_plus_ms = 16.0, triplet.tau_y_ms = 19.0;
    if (which < 8) *members[which] *= 1.001;
    rules.push_back(network::learns<timing::Triplet<Table, DecayTable<16'000>>>(triplet, range));
  }
  const auto made = [](std::shared_ptr<const network::PlasticityRule> rule) {
    network::Network net({.dt_ms = 0.1, .seed = 3});
    const auto chance = net.add_poisson("chance", 20, 50.0);
    const auto cells = net.add<Cells>("cells", 30, cell);
    net.connect(chance, cells, network::Pairwise{0.5}, {.weight = 0.2, .plasticity = std::move(rule)});
    return net;
  };
  for (std::size_t from = 0; from < rules.size(); ++from) {
    const auto net = made(rules[from]);
    Engine engine = engine_of(net);
    REQUIRE(engine.run(50).ok());
    File file("rule");
    save(engine, file);
    for (std::size_t to = 0; to < rules.size(); ++to) {
      INFO("rule " << from << " into rule " << to);
      Engine other = engine_of(made(rules[to]));
      const auto refused = network::load(other, file.path());
      CHECK(refused.ok() == (from == to));
      if (from != to)
        CHECK(refused.sentence() ==
              file.path() + ": it is of another network: projection 0, chance to cells, is another one there");
    }
  }
}

TEST_CASE("checkpoint: constants of any neuron, and what begins late, are those of the file") {
  using Own = neuromorph::Neuron<neuromorph::PerNeuron<neuromorph::membrane::Lif>, neuromorph::synapse::Exponential<1>>;
  const auto own = [](std::uint32_t which, double more) {
    network::Network net({.dt_ms = 0.1, .seed = 3});
    (void)net.add<Own>("own", 300,
                       {.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0}, .weights = {{nanoampere}}}},
                       [=](std::uint32_t neuron, network::NeuronDraws& draws, Own::Parameters& one) {
                         one.membrane.tau_ms = draws(network::uniform(19.0, 21.0)) + (neuron == which ? more : 0.0);
                       });
    return net;
  };
  Engine saved = engine_of(own(0, 0.0), {.threads = 1, .parts = 3});
  REQUIRE(saved.run(50).ok());
  File file("own");
  save(saved, file);
  Engine same = engine_of(own(299, 0.0));
  load(same, file);
  for (const std::uint32_t which : {0U, 63U, 64U, 191U, 299U}) {
    Engine other = engine_of(own(which, 0.1));
    CHECK(network::load(other, file.path()).sentence() ==
          file.path() + ": it is of another network: population 0, own, is another one there");
  }

  using Driven =
      neuromorph::Neuron<neuromorph::membrane::Lif, neuromorph::synapse::Exponential<1>, neuromorph::current::Direct>;
  using Queued = neuromorph::Neuron<neuromorph::membrane::Lif, neuromorph::synapse::Exponential<1>,
                                    neuromorph::refractory::InQueue>;
  const auto late = [](std::uint32_t first_step, double refractory_ms) {
    network::Network net({.dt_ms = 0.1, .seed = 3});
    (void)net.add<Driven>("late", 100,
                          {.membrane = {.c_nf = 0.25},
                           .synapses = {.tau_ms = {5.0}},
                           .current = {.i_na = 0.1, .first_step = first_step}});
    (void)net.add<Queued>(
        "waits", 10,
        {.membrane = {.c_nf = 0.25}, .synapses = {.tau_ms = {5.0}}, .refractory = {.period_ms = refractory_ms}});
    return net;
  };
  saved = engine_of(late(20'000, 40.0));
  save(saved, file);
  const auto refused_by = [&](const network::Network& net) {
    Engine other = engine_of(net);
    const std::string sentence = network::load(other, file.path()).sentence();
    return sentence.substr(std::min(sentence.size(), file.path().size() + 2));
  };
  CHECK(refused_by(late(30'000, 40.0)) == "it is of another network: population 0, late, is another one there");
  CHECK(refused_by(late(20'000, 40.1)) == "it is of another network: population 1, waits, is another one there");
  same = engine_of(late(20'000, 40.0));
  load(same, file);
}

TEST_CASE("checkpoint: a disk that is full leaves the older file") {
  const auto net = everything<Cells>(cell, 0.1);
  Engine engine = engine_of(net);
  File file("full");
  save(engine, file);
  const std::string before = file.bytes();
  REQUIRE(engine.run(100).ok());
  if (std::filesystem::exists("/dev/full")) {
    std::filesystem::create_symlink("/dev/full", file.path() + ".part");
    CHECK(network::save(engine, file.path()).sentence() ==
          file.path() + ".part: cannot write all of it: No space left on device");
    CHECK((file.bytes() == before));
    CHECK_FALSE(std::filesystem::exists(std::filesystem::symlink_status(file.path() + ".part")));
  }
  CHECK(network::save(engine, "/no/such/folder/run.nmc").status.error == Error::file_failed);
  CHECK(network::load(engine, "/no/such/folder/run.nmc").sentence() ==
        "/no/such/folder/run.nmc: cannot read it: No such file or directory");
}

TEST_CASE("checkpoint: a network that is saved and loaded goes on across the end of 32 bits of steps") {
  const auto net = everything<Cells>(cell, 0.1, false);
  Engine first = engine_of(net);
  File file("wrap");
  save(first, file);
  std::string bytes = file.bytes();
  const std::uint64_t begin = (std::uint64_t{1} << 32) - 512;
  const std::size_t identity = 8 * (3 + net.populations().size() + net.projections().size() + 1);
  for (std::size_t byte = 0; byte < 8; ++byte) // a time of our own, and the digest of it
    bytes[32 + identity + byte] = static_cast<char>(begin >> 8 * byte & 0xFF);
  bytes.append(4 * std::size_t{200}, '\0'); // no spikes in the steps of the longest delay
  const std::uint64_t words = (bytes.size() - 32) / 4;
  network::detail::WordDigest digest;
  for (std::size_t at = 32; at < bytes.size(); at += 4) {
    std::uint32_t word = 0;
    for (std::size_t byte = 4; byte-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[at + byte]);
    digest.add(word);
  }
  for (std::size_t byte = 0; byte < 8; ++byte) {
    bytes[16 + byte] = static_cast<char>(words >> 8 * byte & 0xFF);
    bytes[24 + byte] = static_cast<char>(digest.value() >> 8 * byte & 0xFF);
  }
  file.write(bytes);
  Engine late = engine_of(net);
  load(late, file);
  CHECK(late.time() == begin);
  Engine split = engine_of(net, {.threads = 1, .parts = 2, .delivery = Delivery::when_due});
  load(split, file);
  REQUIRE(split.run(500).ok());
  File middle("wrap_middle");
  save(split, middle);
  Engine loaded = engine_of(net, {.threads = 1, .parts = 3});
  load(loaded, middle);
  REQUIRE(loaded.run(300).ok());
  const AllSpikes all = run(late, net, 800);
  CHECK(late.digest() == loaded.digest());
  CHECK(counts_of(late) == counts_of(loaded));
  CHECK(all.size() > 1000);
}
