// SPDX-License-Identifier: BSL-1.0
// What an engine tells its recorders, where one of them refuses or throws, or is told twice; and rows of another network.
#include <neuromorph/network/engine.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/kernels/plasticity/timing_rules/pair.hpp>
#include <neuromorph/network/recording.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/networks.hpp>
#include <tests/support/throwing_rule.hpp>

namespace {

using namespace networks;
using network::Engine;
using network::MemoryRecorder;
using network::PopulationId;
using neuromorph::Error;
using neuromorph::Refusal;

constexpr PopulationId cells{0};

/// Some two spikes a step, delays of 7 steps, which are an interval.
network::Network noisy(std::uint32_t neurons = 200) {
  network::Network net({.dt_ms = 0.1, .seed = 5});
  const auto all = net.add<Cells>("cells", neurons, cell);
  net.add_background(all, {.receptor = 0, .rate_hz = 8000.0, .weight = 0.2});
  net.connect(all, all, network::Pairwise{0.1}, {.weight = 0.05, .delay_ms = 0.7});
  return net;
}
Engine engine_of(const network::Network& net, const network::EngineOptions& options) {
  auto made = Engine::make(net, options);
  INFO(made.sentence());
  REQUIRE(made.ok());
  return std::move(made).value();
}
network::Wanted spikes_and_words(const network::Network& net) {
  network::Wanted wanted = all_spikes(net);
  wanted.words = {{.population = cells, .word = 0, .neurons = {0, 64, 199}, .every = 3}};
  return wanted;
}

enum class Way : std::uint8_t { refuses_spikes, refuses_words, throws };

/// Takes nothing from a step on.
class Unwilling final : public network::Recorder {
public:
  Unwilling(network::Wanted wanted, Way way, std::uint64_t from)
      : Recorder(std::move(wanted)), way_(way), from_(from) {}

  Refusal on_spikes(std::uint64_t step, PopulationId, std::span<const std::uint32_t>) override {
    if (step < from_ || way_ == Way::refuses_words) return {};
    ++calls, refused = step;
    if (way_ == Way::throws) throw std::runtime_error("unwilling");
    return refusal();
  }
  Refusal on_words(std::uint64_t step, PopulationId, std::size_t, std::span<const std::int32_t>) override {
    if (step < from_ || way_ != Way::refuses_words) return {};
    ++calls, refused = step;
    return refusal();
  }
  Refusal on_end(std::uint64_t) override { return {}; }

  unsigned calls = 0;
  std::uint64_t refused = 1000; ///< the step that it was told of, if it was

private:
  static Refusal refusal() { return {{Error::buffer_full, 0, 0, "room"}, "unwilling", "no more"}; }

  Way way_;
  std::uint64_t from_;
};

bool same(const network::Recording& one, const network::Recording& other) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> spikes[2];
  one.populations[0].spikes.each([&](std::uint64_t step, std::uint32_t neuron) {
    spikes[0].push_back({step, neuron});
  });
  other.populations[0].spikes.each([&](std::uint64_t step, std::uint32_t neuron) {
    spikes[1].push_back({step, neuron});
  });
  const auto &words = one.populations[0].words[0], &others = other.populations[0].words[0];
  return one.steps == other.steps && spikes[0] == spikes[1] && words.steps == others.steps &&
         words.words == others.words;
}

} // namespace

TEST_CASE("engine: a recorder that refuses or throws ends the run, of which the others are told all") {
  const auto net = noisy();
  for (const Way way : {Way::refuses_spikes, Way::refuses_words, Way::throws})
    for (const std::uint64_t from : {1U, 333U, 995U, 1000U})
      for (const unsigned threads : {1U, 2U}) {
        INFO(int(way) << " from step " << from << ", " << threads << " threads");
        Engine engine = engine_of(net, {.threads = threads, .parts = 2});
        auto before = MemoryRecorder::make(net, spikes_and_words(net)).value();
        auto after = MemoryRecorder::make(net, spikes_and_words(net)).value();
        Unwilling unwilling(spikes_and_words(net), way, from);
        for (network::Recorder* one :
             {static_cast<network::Recorder*>(&before), static_cast<network::Recorder*>(&unwilling),
              static_cast<network::Recorder*>(&after)})
          REQUIRE(engine.record(*one).ok());
        if (way == Way::throws)
          CHECK_THROWS_AS(engine.run(1000).ok(), std::runtime_error);
        else
          CHECK(engine.run(1000).sentence() ==
                (from > 999 && way == Way::refuses_words ? "no error" : "unwilling: no more"));
        CHECK(unwilling.calls == (from > 999 && way == Way::refuses_words ? 0 : 1));
        CHECK(engine.time() >= unwilling.refused);
        CHECK(engine.time() <= std::min<std::uint64_t>(unwilling.refused + 2 * engine.interval(), 1000));
        REQUIRE(engine.finish().ok());

        Engine other = engine_of(net, {.threads = 1});
        auto whole = MemoryRecorder::make(net, spikes_and_words(net)).value();
        REQUIRE(other.record(whole).ok());
        REQUIRE(other.run(engine.time()).ok());
        REQUIRE(other.finish().ok());
        CHECK(whole.recording().populations[0].spikes.size() == engine.counts().spikes);
        CHECK(same(before.recording(), whole.recording()));
        CHECK(same(after.recording(), whole.recording()));
        CHECK(engine.digest() == other.digest());
        // It goes on as if nothing had been.
        REQUIRE(engine.run(50).ok());
        REQUIRE(other.run(50).ok());
        CHECK(engine.digest() == other.digest());
      }
}

TEST_CASE("engine: a recorder is told once, and again after the end") {
  const auto net = noisy();
  Engine engine = engine_of(net, {.threads = 1, .parts = 2});
  auto recorder = MemoryRecorder::make(net, spikes_and_words(net)).value();
  REQUIRE(engine.record(recorder).ok());
  const Refusal twice = engine.record(recorder);
  CHECK(twice.status.error == Error::parameters_contradict);
  CHECK(twice.sentence() == "what is recorded: the same recorder twice");
  REQUIRE(engine.run(500).ok());
  REQUIRE(engine.finish().ok());
  REQUIRE(engine.finish().ok());
  const auto& recording = recorder.recording();
  CHECK((recording.steps == 500 && recording.populations[0].spikes.size() == engine.counts().spikes));
  REQUIRE(engine.run(100).ok());
  const std::uint64_t spikes = engine.counts().spikes;
  CHECK(recording.populations[0].spikes.size() < spikes);
  const std::uint64_t missed = spikes - recording.populations[0].spikes.size();
  REQUIRE(engine.record(recorder).ok());
  REQUIRE(engine.run(400).ok());
  REQUIRE(engine.finish().ok());
  CHECK(recording.steps == 1000);
  CHECK(recording.populations[0].spikes.size() == engine.counts().spikes - missed);
  CHECK(recording.populations[0].words[0].steps.size() == 500 / 3 + 1000 / 3 - 600 / 3);

  Unwilling nobody({.words = {{.population = cells, .word = 9, .neurons = {0}}}}, Way::throws, 0);
  CHECK(engine.record(nobody).sentence() == "population 0, cells: it has no word 9");
}

TEST_CASE("engine: rows of another network are refused") {
  const auto net = noisy();
  const auto refused = [&](const network::Network& other) {
    auto rows = network::build(other, {.threads = 1, .parts = 2});
    REQUIRE(rows.ok());
    const auto made = Engine::make(net, std::move(rows.value()), {.threads = 1});
    REQUIRE(!made.ok());
    CHECK(made.status().error == Error::lengths_differ);
    CHECK(made.sentence() == "rows: they were built of another network: of other populations or projections");
  };
  refused(noisy(264)); // of more groups
  refused(noisy(199));
  auto more = noisy();
  (void)more.add_poisson("noise", 10, 1.0);
  refused(more);
  auto projections = noisy();
  projections.connect(cells, cells, network::OneToOne{}, {.weight = 0.05});
  refused(projections);
  auto rows = network::build(net, {.threads = 1, .parts = 2});
  CHECK(Engine::make(net, std::move(rows.value()), {.threads = 1}).ok());
}

TEST_CASE("engine: a part that throws ends the run for good, after steps of which recorders are told") {
  for (const auto& [threads, parts] : {std::pair{1U, 1U}, std::pair{1U, 3U}, std::pair{2U, 2U}, std::pair{3U, 3U}}) {
    network::Network net = noisy();
    const auto pair = network::learns<neuromorph::timing::Pair<neuromorph::DecayTable<3000>>>({}, {.highest = 0.5});
    net.connect(cells, cells, network::Pairwise{0.1},
                {.weight = 0.05, .delay_ms = 0.7, .plasticity = std::make_shared<ThrowingRule>(pair, 50)});
    Engine engine = engine_of(net, {.threads = threads, .parts = parts});
    MemoryRecorder recorder = MemoryRecorder::make(net, all_spikes(net)).value();
    REQUIRE(engine.record(recorder).ok());
    CHECK_THROWS_WITH(engine.run(1000), "forgetful");
    CHECK(engine.time() % 7 == 0);
    CHECK(engine.time() >= 49);
    CHECK(engine.time() < 140);
    const auto refused = engine.run(1);
    CHECK(refused.status.error == Error::rank_failed);
    CHECK(refused.sentence() == "it was ended by an exception: forgetful");
    CHECK(engine.totals().sentence() == refused.sentence());
    CHECK(engine.finish().ok());
    CHECK(recorder.recording().steps == engine.time());
  }
}
