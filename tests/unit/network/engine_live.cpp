// SPDX-License-Identifier: BSL-1.0
// Sources that are fed while a network runs, against lists that say the same; who is told and asked when; refusals; sockets.
#include <neuromorph/network/live.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/network/engine.hpp>
#include <neuromorph/network/recording.hpp>
#include <neuromorph/network/spike_socket.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/networks.hpp>

namespace {

using namespace networks;
using network::Delivery;
using network::Engine;
using network::FunctionInput;
using network::FunctionRecorder;
using network::PopulationId;
using network::SpikeReceiver;
using network::SpikeSender;
using neuromorph::Error;
using neuromorph::Refusal;

constexpr PopulationId from{0}, to{1};
constexpr std::uint32_t sources = 200;

using Fed = std::vector<std::vector<std::uint32_t>>; // [step - 1]

/// Silence, single spikes, bursts of all, the first and the last.
Fed random_spikes(std::mt19937& random, std::size_t steps) {
  Fed fed(steps);
  std::vector<std::uint32_t> all(sources);
  for (std::uint32_t at = 0; at < sources; ++at) all[at] = at;
  for (auto& list : fed) {
    const unsigned kind = random() % 8;
    if (kind < 3) continue;
    std::shuffle(all.begin(), all.end(), random);
    const std::size_t count = kind == 7 ? sources : random() % 5;
    list.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    if (kind == 6) list = {sources - 1, 0};
  }
  return fed;
}
/// \param listed  the source fires by a list; else it has to be fed
network::Network driven(const Fed* listed, double delay_ms = 0.5) {
  network::Network net({.dt_ms = 0.1, .seed = 9});
  if (listed != nullptr) {
    std::vector<network::SpikeTime> times;
    for (std::size_t at = 0; at < listed->size(); ++at)
      for (const std::uint32_t neuron : (*listed)[at]) times.push_back({neuron, 0.1 * static_cast<double>(at + 1)});
    net.add_spikes("from", sources, times);
  } else {
    net.add_source("from", sources);
  }
  net.add<Cells>("to", 300, cell);
  net.add_background(to, {.receptor = 0, .rate_hz = 4000.0, .weight = 0.2});
  net.connect(from, to, network::Pairwise{0.2},
              {.weight = 0.1, .delay_ms = network::uniform(delay_ms, 3.0 * delay_ms)});
  net.connect(to, to, network::Pairwise{0.1}, {.weight = 0.05, .delay_ms = 2.0 * delay_ms});
  return net;
}
Engine engine_of(const network::Network& net, const network::EngineOptions& options = {.threads = 1}) {
  auto made = Engine::make(net, options);
  INFO(made.sentence());
  REQUIRE(made.ok());
  return std::move(made).value();
}
FunctionInput input_of(const Fed& fed, std::uint64_t& asked) {
  return {from, [&fed, &asked](std::uint64_t step, std::vector<std::uint32_t>& neurons) {
            CHECK(step == asked + 1);
            CHECK(neurons.empty());
            asked = step, neurons = fed[step - 1];
          }};
}

} // namespace

TEST_CASE("live: a fed source is one with a list, however the run and the network are split") {
  std::mt19937 random(4);
  for (const double delay_ms : {0.1, 0.5, 9.0}) // 1, 5 and more than 64 steps
    for (const std::uint32_t parts : {1U, 2U, 3U}) {
      const Fed fed = random_spikes(random, 600);
      Engine listed = engine_of(driven(&fed, delay_ms));
      REQUIRE(listed.run(600).ok());
      REQUIRE(listed.counts().events > 1000);
      for (const Delivery delivery : {Delivery::at_once, Delivery::when_due})
        for (const bool in_pieces : {false, true}) {
          Engine engine = engine_of(driven(nullptr, delay_ms), {.threads = 2, .parts = parts, .delivery = delivery});
          std::uint64_t asked = 0;
          FunctionInput input = input_of(fed, asked);
          REQUIRE(engine.feed(input).ok());
          while (engine.time() < 600)
            REQUIRE(engine.run(in_pieces ? std::min<std::uint64_t>(random() % 90 + 1, 600 - engine.time()) : 600).ok());
          CHECK(asked == 600);
          CHECK(engine.digest() == listed.digest());
          CHECK(engine.counts().spikes == listed.counts().spikes);
          CHECK(engine.counts().events == listed.counts().events);
        }
    }
}

TEST_CASE("live: a source that nobody feeds any more is silent") {
  Engine engine = engine_of(driven(nullptr));
  FunctionInput input(from, [](std::uint64_t, std::vector<std::uint32_t>& neurons) { neurons = {1, 2}; });
  REQUIRE(engine.feed(input).ok());
  auto recorder = network::MemoryRecorder::make(driven(nullptr), {.spikes = {from}}).value();
  REQUIRE(engine.record(recorder).ok());
  REQUIRE(engine.run(7).ok());
  REQUIRE(engine.finish().ok());
  auto after = network::MemoryRecorder::make(driven(nullptr), {.spikes = {from}}).value();
  REQUIRE(engine.record(after).ok());
  REQUIRE(engine.run(20).ok());
  CHECK(recorder.recording().populations[0].spikes.size() == 14);
  CHECK(after.recording().populations[0].spikes.empty());
  CHECK(engine.feed(input).ok()); // again
}

TEST_CASE(
    "live: inputs are asked for an interval when recorders know all before it, and recorders hear of each step once") {
  for (const unsigned threads : {1U, 2U}) {
    const auto net = driven(nullptr);
    Engine engine = engine_of(net, {.threads = threads, .parts = 2});
    REQUIRE(engine.interval() == 5);
    std::mt19937 random(7);
    const Fed fed = random_spikes(random, 333);
    std::uint64_t told = 0, told_of_source = 0, spikes = 0;
    FunctionInput input(from, [&](std::uint64_t step, std::vector<std::uint32_t>& neurons) {
      CHECK(told == (step - 1) / 5 * 5); // runs begin at multiples of an interval here
      CHECK(told_of_source == told);
      neurons = fed[step - 1];
    });
    FunctionRecorder cells(to, [&](std::uint64_t step, std::span<const std::uint32_t> neurons) {
      CHECK(step == ++told);
      CHECK(std::is_sorted(neurons.begin(), neurons.end()));
      spikes += neurons.size();
    });
    FunctionRecorder source(from, [&](std::uint64_t step, std::span<const std::uint32_t> neurons) {
      CHECK(step == ++told_of_source);
      auto expected = fed[step - 1];
      std::sort(expected.begin(), expected.end());
      CHECK((std::vector<std::uint32_t>(neurons.begin(), neurons.end()) == expected));
      spikes += neurons.size();
    });
    REQUIRE(engine.feed(input).ok());
    REQUIRE(engine.record(cells).ok());
    REQUIRE(engine.record(source).ok());
    for (const std::uint64_t steps : {5U, 100U, 25U, 203U}) REQUIRE(engine.run(steps).ok());
    CHECK(told == 333);
    CHECK(told_of_source == 333);
    CHECK(spikes == engine.counts().spikes);
    CHECK(spikes > 1000);
  }
}

TEST_CASE("live: what is fed wrongly ends the run before its interval, and the run can go on") {
  enum class Way : std::uint8_t { too_large, twice, throws, refuses };
  struct Refusing final : network::Input {
    Refusing() : Input(from) {}
    Refusal on_steps(std::uint64_t first, std::span<std::vector<std::uint32_t>> neurons) override {
      if (is_wrong && first + neurons.size() > 18) return {{Error::buffer_full, 0, 0, "room"}, "the world", "is away"};
      return {};
    }
    bool is_wrong = true;
  };
  for (const Way way : {Way::too_large, Way::twice, Way::throws, Way::refuses})
    for (const unsigned threads : {1U, 2U}) {
      INFO(int(way) << ", " << threads << " threads");
      Engine engine = engine_of(driven(nullptr), {.threads = threads, .parts = 2});
      bool is_wrong = true;
      FunctionInput function(from, [&](std::uint64_t step, std::vector<std::uint32_t>& neurons) {
        neurons = {static_cast<std::uint32_t>(step % sources)};
        if (!is_wrong || step != 18) return;
        if (way == Way::throws) throw std::runtime_error("away");
        neurons = {3, way == Way::too_large ? sources : 3};
      });
      Refusing refusing;
      network::Input& input =
          way == Way::refuses ? static_cast<network::Input&>(refusing) : static_cast<network::Input&>(function);
      std::uint64_t told = 0;
      FunctionRecorder cells(to, [&](std::uint64_t step, std::span<const std::uint32_t>) { CHECK(step == ++told); });
      REQUIRE(engine.feed(input).ok());
      REQUIRE(engine.record(cells).ok());
      for (int again = 0; again < 2; ++again) {
        if (way == Way::throws) {
          CHECK_THROWS_AS(engine.run(50).ok(), std::runtime_error);
        } else {
          const auto refused = engine.run(50);
          CHECK(refused.sentence() == (way == Way::too_large
                                           ? "population 0, from: in step 18 it was fed neuron 200, and has 200"
                                       : way == Way::twice ? "population 0, from: in step 18 it was fed neuron 3 twice"
                                                           : "the world: is away"));
        }
        CHECK(engine.time() == 15);
        CHECK(told == 15);
      }
      is_wrong = refusing.is_wrong = false;
      REQUIRE(engine.run(35).ok());
      CHECK(told == 50);
      if (way == Way::refuses) continue;
      Engine other = engine_of(driven(nullptr));
      REQUIRE(other.feed(function).ok());
      REQUIRE(other.run(50).ok());
      CHECK(engine.digest() == other.digest());
    }
}

TEST_CASE("live: a recorder that throws ends a fed run, of which the others know all") {
  for (const std::uint64_t at : {1U, 7U, 48U}) {
    Engine engine = engine_of(driven(nullptr), {.threads = 2, .parts = 2});
    std::uint64_t told = 0;
    FunctionInput input(from, [](std::uint64_t, std::vector<std::uint32_t>&) {});
    FunctionRecorder throwing(to, [&](std::uint64_t step, std::span<const std::uint32_t>) {
      if (step == at) throw std::runtime_error("away");
    });
    FunctionRecorder other(to, [&](std::uint64_t step, std::span<const std::uint32_t>) { CHECK(step == ++told); });
    REQUIRE(engine.feed(input).ok());
    REQUIRE(engine.record(throwing).ok());
    REQUIRE(engine.record(other).ok());
    CHECK_THROWS_AS(engine.run(50).ok(), std::runtime_error);
    CHECK(engine.time() == (at + 4) / 5 * 5);
    CHECK(told == engine.time());
  }
}

TEST_CASE("live: only sources without spikes of their own are fed, each by one input") {
  network::Network net({.dt_ms = 0.1, .seed = 9});
  const auto plain = net.add_source("plain", 4), chance = net.add_poisson("chance", 4, 10.0);
  const auto list = net.add_spikes("list", 4, {{0, 1.0}}), cells = net.add<Cells>("cells", 4, cell);
  Engine engine = engine_of(net);
  const auto nothing = [](std::uint64_t, std::vector<std::uint32_t>&) {};
  FunctionInput first(plain, nothing), again(plain, nothing), to_chance(chance, nothing), to_list(list, nothing),
      to_cells(cells, nothing), nowhere(PopulationId{4}, nothing);
  REQUIRE(engine.feed(first).ok());
  CHECK(engine.feed(again).sentence() == "population 0, plain: it is fed by another input");
  CHECK(engine.feed(first).status.error == Error::parameters_contradict);
  CHECK(engine.feed(to_chance).sentence() ==
        "population 1, chance: it fires by chance or by a list; only a source of add_source can be fed");
  CHECK(engine.feed(to_list).status.error == Error::parameters_contradict);
  CHECK(engine.feed(to_cells).sentence() ==
        "population 3, cells: it is of neurons; only a source of add_source can be fed");
  CHECK(engine.feed(nowhere).sentence() == "what is fed: there is no population 4");
  CHECK(engine.run(10).ok());
}

TEST_CASE("live: a source that may be fed counts in the fan-in") {
  network::Network net({.dt_ms = 0.1, .seed = 9});
  const auto many = net.add_source("many", 60'000), one = net.add<Cells>("one", 1, cell);
  net.connect(many, one, network::AllToAll{}, {.weight = 1.0, .delay_ms = 1.0});
  network::Network firing({.dt_ms = 0.1, .seed = 9});
  std::vector<network::SpikeTime> times;
  for (std::uint32_t neuron = 0; neuron < 60'000; ++neuron) times.push_back({neuron, 1.0});
  const auto listed = firing.add_spikes("many", 60'000, times), same = firing.add<Cells>("one", 1, cell);
  firing.connect(listed, same, network::AllToAll{}, {.weight = 1.0, .delay_ms = 1.0});
  const auto refused = Engine::make(firing, {.threads = 1});
  INFO(refused.sentence());
  CHECK(refused.status().error == Error::fan_in_too_large);
  CHECK(Engine::make(net, {.threads = 1}).sentence() == refused.sentence());
}

TEST_CASE("live: spikes through a socket are those that were sent") {
  const auto sending = driven(nullptr);
  network::Network receiving({.dt_ms = 0.1, .seed = 1});
  const auto far = receiving.add_source("far", 250);
  auto receiver = SpikeReceiver::open(receiving, far);
  INFO(receiver.sentence());
  REQUIRE(receiver.ok());
  REQUIRE(receiver.value().port() != 0);
  auto sender = SpikeSender::open(sending, from, {.port = receiver.value().port()});
  INFO(sender.sentence());
  REQUIRE(sender.ok());
  std::mt19937 random(3);
  const Fed fed = random_spikes(random, 100);
  std::uint64_t asked = 0, sent = 0;
  for (const auto& list : fed) sent += list.size();
  FunctionInput input = input_of(fed, asked);
  Engine near = engine_of(sending), other = engine_of(receiving);
  REQUIRE(near.feed(input).ok());
  REQUIRE(near.record(sender.value()).ok());
  REQUIRE(other.feed(receiver.value()).ok());
  auto recorder = network::MemoryRecorder::make(receiving, {.spikes = {far}}).value();
  REQUIRE(other.record(recorder).ok());
  for (int turn = 0; turn < 20; ++turn) { // always ahead of the one that receives
    REQUIRE(near.run(5).ok());
    if (turn > 0) REQUIRE(other.run(5).ok());
  }
  REQUIRE(other.run(5).ok());
  CHECK(sender.value().counts().spikes == sent);
  CHECK(sender.value().counts().lost == 0);
  CHECK(receiver.value().counts().datagrams == sender.value().counts().datagrams);
  CHECK(receiver.value().counts().spikes == sent);
  CHECK(receiver.value().counts().late == 0);
  Fed heard(100);
  recorder.recording().populations[0].spikes.each(
      [&](std::uint64_t step, std::uint32_t neuron) { heard[step - 1].push_back(neuron); });
  for (std::size_t at = 0; at < 100; ++at) {
    auto expected = fed[at];
    std::sort(expected.begin(), expected.end());
    CHECK((heard[at] == expected));
  }
}

TEST_CASE("live: datagrams that are late, early, doubled, malformed or for nobody are counted") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto far = net.add_source("far", 8);
  auto receiver = SpikeReceiver::open(net, far);
  REQUIRE(receiver.ok());
  auto socket = network::detail::UdpSocket::open({.port = receiver.value().port()}, false);
  REQUIRE(socket.ok());
  const auto send = [&](std::uint64_t step, const std::vector<std::uint32_t>& neurons, std::size_t cut = 0) {
    std::vector<unsigned char> bytes;
    network::detail::put_little_endian(bytes, step, 8);
    for (const std::uint32_t neuron : neurons) network::detail::put_little_endian(bytes, neuron, 4);
    bytes.resize(bytes.size() - cut);
    REQUIRE(socket.value().send(bytes));
  };
  const auto asked = [&](std::uint64_t first, std::size_t steps) {
    Fed lists(steps);
    REQUIRE(receiver.value().on_steps(first, lists).ok());
    return lists;
  };
  send(0, {5, 1});    // as soon as may be
  send(12, {2, 3});   // in its step
  send(12, {3});      // doubled
  send(30, {7, 8});   // later; and no neuron
  send(9, {6});       // is over
  send(1, {1, 2}, 1); // malformed, at several lengths
  send(1, {}, 1);
  send(1, {}, 8);
  send(14, {}); // nothing in it
  CHECK((asked(10, 3) == Fed{{1, 5, 6}, {}, {2, 3}}));
  CHECK((asked(13, 2) == Fed{{}, {}}));
  CHECK((asked(15, 16) == Fed{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {7}}));
  send(UINT64_MAX, {4});
  send(29, {0xFFFF'FFFF, 4});
  CHECK((asked(31, 1) == Fed{{4}}));
  send(0, std::vector<std::uint32_t>(16'000, 2)); // of one neuron once
  send(0, std::vector<std::uint32_t>(16'001, 2));
  CHECK((asked(32, 1) == Fed{{2}}));
  const SpikeReceiver::Counts& counts = receiver.value().counts();
  CHECK(counts.datagrams == 13);
  CHECK(counts.malformed == 4);
  CHECK(counts.spikes == 8);
  CHECK(counts.late == 2);
  CHECK(counts.out_of_range == 2);
  CHECK(counts.repeated == 1 + 15'999);
  CHECK(counts.no_room == 0);
}

TEST_CASE("live: a receiver holds a bounded number of spikes of steps to come") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto far = net.add_source("far", 20'000);
  auto receiver = SpikeReceiver::open(net, far);
  auto sender = SpikeSender::open(net, far, {.port = receiver.value().port()});
  REQUIRE(sender.ok());
  std::vector<std::uint32_t> all(16'000);
  for (std::uint32_t at = 0; at < all.size(); ++at) all[at] = at;
  std::uint64_t sent = 0;
  for (std::uint64_t step = 0; step < 70; ++step) {
    REQUIRE(sender.value().on_spikes(1000 + step, far, all).ok());
    sent += all.size();
    Fed lists(1);
    REQUIRE(receiver.value().on_steps(step + 1, lists).ok());
    CHECK(lists[0].empty());
  }
  CHECK(receiver.value().counts().datagrams == 70);
  CHECK(receiver.value().counts().no_room == sent - SpikeReceiver::most_waiting);
  Fed lists(70);
  REQUIRE(receiver.value().on_steps(1000, lists).ok());
  CHECK(receiver.value().counts().spikes == SpikeReceiver::most_waiting);
}

TEST_CASE("live: sockets that cannot be are refused in words") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto far = net.add_source("far", 8);
  CHECK(SpikeReceiver::open(net, far, {.host = "nowhere"}).sentence() ==
        "nowhere, port 0: it is no IPv4 address, such as 127.0.0.1");
  CHECK(SpikeReceiver::open(net, PopulationId{3}).sentence() ==
        "what spikes are received for: there is no population 3");
  CHECK(SpikeSender::open(net, far, {}).sentence() == "127.0.0.1, port 0: nothing can be sent to port 0");
  CHECK(SpikeSender::open(net, PopulationId{3}, {.port = 9}).status().error == Error::index_out_of_range);
  const auto first = SpikeReceiver::open(net, far);
  REQUIRE(first.ok());
  const auto second = SpikeReceiver::open(net, far, {.port = first.value().port()});
  CHECK(second.status().error == Error::file_failed);
  CHECK(second.sentence().find("cannot listen there: ") != std::string::npos);
}

TEST_CASE("live: a pace waits for the clock, and counts what comes behind it") {
  using Clock = network::Pace::Clock;
  network::Pace pace(1.0, 2.0); // half a millisecond a step
  const auto begin = Clock::now();
  pace.wait(7);
  pace.wait(27);
  CHECK(Clock::now() - begin >= std::chrono::milliseconds(10));
  const std::uint64_t late = pace.late();
  while (Clock::now() - begin < std::chrono::milliseconds(30)) {}
  pace.wait(28);
  CHECK(pace.late() == late + 1);
  CHECK(pace.latest_ms() >= 19.0);
}
