// SPDX-License-Identifier: BSL-1.0
#include <tests/support/catch.hpp>

#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/execution/udp_link.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/server.hpp>
#include <neuromorph/mapping/boards.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/forwarding_link.hpp"
#include "tests/support/lossy_link.hpp"
#include "tests/support/walkers.hpp"

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace offer = neuromorph::offer;
namespace protocols = neuromorph::protocols;
namespace runtime = neuromorph::runtime;
using neuromorph::Error;
using Bytes = std::vector<std::uint8_t>;

using walkers::all_of, walkers::expected, walkers::Machine, walkers::Ring, walkers::Settings, walkers::SettingsRegion;

TEST_CASE("Recordings of a run are those of a plain loop, however it is cut into cycles and calls") {
  constexpr std::uint32_t count = 60, ticks = 10'000;
  const auto right = expected(count, ticks);
  for (const std::uint64_t cuts : {1U, 2U, 3U, 7U, 20U}) {
    for (const bool by_cycles : {false, true}) {
      CAPTURE(cuts, by_cycles);
      Machine machine(1);
      Ring ring(count);
      execution::Simulation simulation(machine.link, {.most_cycle = by_cycles ? (ticks + cuts - 1) / cuts : 1U << 20});
      ring.build(simulation);
      if (by_cycles) {
        REQUIRE(simulation.run(ticks).ok());
      } else {
        for (std::uint64_t cut = 0; cut < cuts; ++cut) {
          const auto refusal = simulation.run(ticks * (cut + 1) / cuts - ticks * cut / cuts);
          INFO(refusal.sentence());
          REQUIRE(refusal.ok());
        }
      }
      CHECK(simulation.cycles() == cuts);
      CHECK(simulation.time() == ticks);
      CHECK((all_of(simulation, count) == right));
      CHECK(simulation.anomalies().empty());
      for (std::uint32_t at = 0; at < count; ++at) {
        CHECK(simulation.provenance(at).counters == std::vector<std::uint32_t>{ticks, 0});
        CHECK(!simulation.is_missing(at));
      }
      CHECK(simulation.close().ok());
    }
  }
}

TEST_CASE("Results do not depend on the net, on the monitor, or on how many boards there are") {
  constexpr std::uint32_t count = 100, ticks = 200;
  const auto right = expected(count, ticks);
  for (const auto profile : {machine::Profile::scamp_4_0, machine::Profile::scamp_3_4})
    for (const double faults : {0.0, 0.05, 0.25})
      for (const unsigned boards : {1U, 3U}) {
        CAPTURE(unsigned(profile), faults, boards);
        Machine machine(boards, profile);
        lossy_link::LossyLink link(machine.link, faults, 5);
        Ring ring(count);
        execution::Simulation simulation(link, {.transceiver = {.tries = 60}});
        ring.build(simulation);
        const auto refusal = simulation.run(ticks);
        INFO(refusal.sentence());
        REQUIRE(refusal.ok());
        CHECK((all_of(simulation, count) == right));
        CHECK((simulation.counts().asked_again != 0) == (faults != 0.0));
      }
}

TEST_CASE("Parameters that have changed are loaded without a reset, and others stay") {
  constexpr std::uint32_t count = 40, calls = 12;
  for (const auto profile : {machine::Profile::scamp_4_0, machine::Profile::scamp_3_4})
    for (const double faults : {0.0, 0.2}) {
      CAPTURE(unsigned(profile), faults);
      Machine machine(1, profile);
      lossy_link::LossyLink link(machine.link, faults, 3);
      Ring ring(count);
      execution::Simulation simulation(link, {.transceiver = {.tries = 60}});
      ring.build(simulation);
      // In each call other vertices change, some of them are told to be reloaded, and some of those have not changed.
      std::vector<std::vector<std::uint32_t>> step(calls, std::vector<std::uint32_t>(count));
      std::vector<std::uint32_t> begins(calls + 1), taken(count);
      std::uint32_t random = 12345;
      const auto draw = [&random](std::uint32_t below) {
        return (random = random * 1103515245 + 12345) / 65536 % below;
      };
      for (std::uint32_t call = 0; call < calls; ++call) {
        const bool is_first = call == 0;
        for (std::uint32_t at = 0; at < count; ++at) {
          if (draw(3) == 0) ring.settings[at].step = draw(1000);
          if (is_first || draw(2) == 0) simulation.reload(at), taken[at] = ring.settings[at].step;
        }
        step[call] = taken;
        const std::uint32_t ticks = 1 + draw(30);
        begins[call + 1] = begins[call] + ticks;
        const auto refusal = simulation.run(ticks);
        INFO(refusal.sentence());
        REQUIRE(refusal.ok());
      }
      const auto right = expected(count, begins[calls], [&](std::uint32_t at, std::uint32_t tick) {
        std::uint32_t call = 0;
        while (tick >= begins[call + 1]) ++call;
        return step[call][at];
      });
      CHECK((all_of(simulation, count) == right));
      CHECK(simulation.anomalies().empty());
    }
}

TEST_CASE("A reload that would change a length is refused, and the run goes on without it or after a reset") {
  Machine machine(1);
  Ring ring(6);
  execution::Simulation simulation(machine.link);
  ring.build(simulation);
  REQUIRE(simulation.run(5).ok());
  ring.settings[2].step = 77; // of a vertex that fits; nothing of it is loaded
  ring.longer = 4;
  simulation.reload(2), simulation.reload(4);
  CHECK(simulation.run(5).sentence().find(
            "vertex 2, walker, on core 3 of chip 0, 0: its region 0 has 36 bytes, and 32 when it was loaded: "
            "reset comes before it runs again") != std::string::npos);
  ring.longer = 2;
  CHECK(simulation.run(5).sentence().find("a region has whole words, and this one 34 bytes") != std::string::npos);
  ring.longer = 0, ring.copies = 2;
  CHECK(simulation.run(5).sentence().find("it has 2 regions, and 1 when it was loaded") != std::string::npos);
  CHECK(simulation.time() == 5);
  ring.copies = 1; // as it was: what was asked for comes now
  REQUIRE(simulation.run(5).ok());
  CHECK((all_of(simulation, 6) ==
         expected(6, 10, [](std::uint32_t at, std::uint32_t tick) { return at == 2 && tick >= 5 ? 77U : 0U; })));
  ring.copies = 3;
  simulation.reload(1);
  REQUIRE(!simulation.run(1).ok());
  REQUIRE(simulation.reset().ok());
  REQUIRE(simulation.run(5).ok());
  CHECK((all_of(simulation, 6) == expected(6, 5, [](std::uint32_t at, std::uint32_t) { return at == 2 ? 77U : 0U; })));
  // What was asked for before the end of a session is no wish for the next one.
  simulation.reload(3);
  REQUIRE(simulation.reset().ok());
  REQUIRE(simulation.run(5).ok());
  ring.settings[3].step = 5;
  REQUIRE(simulation.run(5).ok());
  CHECK((all_of(simulation, 6) == expected(6, 10, [](std::uint32_t at, std::uint32_t) { return at == 2 ? 77U : 0U; })));
}

TEST_CASE("Where there is little memory a run has more cycles, and where there is too little it is refused") {
  constexpr std::uint32_t count = 34, ticks = 1000; // two chips of cores, or more where memory is scarce
  const auto right = expected(count, ticks);
  for (const std::uint32_t left : {400'000U, 330'000U, 250'000U, 40'000U, 15'000U}) {
    CAPTURE(left);
    Machine machine(1);
    for (mapping::Chip chip = 0; chip < machine.is.grid_chips(); ++chip)
      if (machine.is.has(chip)) {
        auto& heap = machine.monitors.chip(chip).sdram_heap;
        REQUIRE(heap.take(3, 123469792 - left, 0, false) != 0);
      }
    Ring ring(count);
    execution::Simulation simulation(machine.link);
    ring.build(simulation);
    const auto refusal = simulation.run(ticks);
    INFO(refusal.sentence());
    if (left == 15'000) { // which a core's log takes
      CHECK(refusal.status.error == Error::unmappable);
      continue;
    }
    REQUIRE(refusal.ok());
    CHECK(simulation.cycles() == (ticks + simulation.ticks_of_a_cycle() - 1) / simulation.ticks_of_a_cycle());
    CHECK(simulation.cycles() > 1);
    CHECK((all_of(simulation, count) == right));
    // What it had is given back.
    REQUIRE(simulation.close().ok());
    for (mapping::Chip chip = 0; chip < machine.is.grid_chips(); ++chip)
      if (machine.is.has(chip)) CHECK(machine.monitors.chip(chip).entry_blocks.largest() == 1023);
  }
}

TEST_CASE("A graph that has changed is refused until it is reset; then all begins anew") {
  constexpr std::uint32_t count = 20, ticks = 100;
  Machine machine(1);
  Ring ring(count);
  execution::Simulation simulation(machine.link);
  ring.build(simulation);
  REQUIRE(simulation.run(ticks).ok());
  const auto first = all_of(simulation, count);
  REQUIRE(simulation.reset().ok());
  CHECK(simulation.time() == 0);
  CHECK(simulation.recorded(0, 0).empty());
  REQUIRE(simulation.run(ticks).ok());
  CHECK((all_of(simulation, count) == first));
  const std::uint32_t to[] = {3};
  simulation.graph().connect(2, to);
  CHECK(simulation.run(1).sentence() == "the graph has changed since it was loaded: reset comes before it runs again");
  REQUIRE(simulation.reset().ok());
  REQUIRE(simulation.run(ticks).ok());
  CHECK((all_of(simulation, count) == first)); // nobody sends on it
  REQUIRE(simulation.close().ok());
  REQUIRE(simulation.close().ok());
}

TEST_CASE("A run without an end goes on until it is told, and others go on from there") {
  constexpr std::uint32_t count = 20;
  Machine machine(1);
  Ring ring(count);
  execution::Simulation simulation(machine.link);
  ring.build(simulation);
  CHECK_THAT(simulation.end().sentence(), Catch::Contains("there is no run to end"));
  REQUIRE(simulation.run(30).ok());
  REQUIRE(simulation.begin().ok());
  CHECK_THAT(simulation.run(1).sentence(), Catch::Contains("`end` comes before"));
  CHECK_THAT(simulation.begin().sentence(), Catch::Contains("`end` comes before"));
  REQUIRE(simulation.wait(std::chrono::milliseconds(25)).ok());
  REQUIRE(simulation.wait(std::chrono::milliseconds(25)).ok());
  const auto ended = simulation.end();
  INFO(ended.sentence());
  REQUIRE(ended.ok());
  CHECK(simulation.time() == 80);
  REQUIRE(simulation.run(20).ok());
  CHECK((all_of(simulation, count) == expected(count, 100)));
  REQUIRE(simulation.begin().ok());
  REQUIRE(simulation.reset().ok());
  REQUIRE(simulation.run(10).ok());
  CHECK((all_of(simulation, count) == expected(count, 10)));
}

TEST_CASE("What is recorded while a run goes on without an end is read meanwhile, byte for byte") {
  const auto profile = GENERATE(machine::Profile::scamp_3_4, machine::Profile::scamp_4_0);
  const unsigned seed = GENERATE(range(1U, 5U));
  CAPTURE(seed);
  std::mt19937 draw(seed);
  Machine on(1, profile);
  lossy_link::LossyLink net(on.link, seed % 2 == 0 ? 0.0 : 0.25, seed);
  execution::SimulationOptions options;
  options.transceiver.timeout = std::chrono::microseconds(2000), options.transceiver.tries = 60;
  options.most_cycle = 24 + draw() % 40; // so little room that it is used many times over
  options.extraction = std::chrono::milliseconds(1 + draw() % (options.most_cycle / 2));
  Ring ring(20);
  execution::Simulation simulation(net, options);
  ring.build(simulation);
  std::uint32_t ticks = 0;
  for (unsigned run = 0; run < 4; ++run) {
    CAPTURE(run);
    if (run == 2) { // one with an end between them has all of the room
      REQUIRE(simulation.run(100).ok());
      ticks += 100;
    } else {
      const auto begun = simulation.begin();
      INFO(begun.sentence());
      REQUIRE(begun.ok());
      for (auto waits = draw() % 30; waits != 0; --waits) {
        const auto ms = static_cast<std::uint32_t>(draw() % 60);
        const auto waited = simulation.wait(std::chrono::milliseconds(ms));
        INFO(waited.sentence());
        REQUIRE(waited.ok());
        ticks += ms;
      }
      REQUIRE(simulation.end().ok());
    }
    REQUIRE(simulation.time() == ticks);
    REQUIRE((all_of(simulation, 20) == expected(20, ticks)));
  }
  CHECK(ticks > 300);
  CHECK(simulation.anomalies().empty());
}

TEST_CASE("Where it is read too seldom, what found no room is told; what a failed core has is told by what it says") {
  Machine on(1);
  Ring ring(12);
  execution::SimulationOptions options{.most_cycle = 20, .extraction = std::chrono::milliseconds(15)};
  SECTION("too seldom") {
    execution::Simulation simulation(on.link, options);
    ring.build(simulation);
    REQUIRE(simulation.begin().ok());
    REQUIRE(simulation.wait(std::chrono::milliseconds(45)).ok());
    REQUIRE(simulation.end().ok());
    CHECK(simulation.is_missing(3));
    CHECK(simulation.recorded(3, 0).size() == 3 * 4 * 10); // a half of the room each time
    CHECK(simulation.provenance(3).counters[1] >= 3 * 5);
    // A run with an end has all of its room again.
    REQUIRE(simulation.run(20).ok());
    CHECK(simulation.recorded(3, 0).size() == 3 * 4 * 10 + 4 * 20);
  }
  SECTION("a core that fails") {
    ring.settings[5].fails_at = 33;
    execution::Simulation simulation(on.link, options);
    ring.build(simulation);
    REQUIRE(simulation.begin().ok());
    const auto refusal = simulation.wait(std::chrono::milliseconds(100));
    CHECK(refusal.status.error == Error::rank_failed);
    CHECK_THAT(refusal.sentence(), Catch::StartsWith("vertex 5, walker, on core"));
    CHECK_THAT(refusal.sentence(), Catch::Contains("does not give what it has recorded: run-time error, code 77"));
    CHECK(!simulation.end().ok());
    CHECK(!simulation.run(1).ok());
    ring.settings[5].fails_at = 0;
    REQUIRE(simulation.reset().ok());
    REQUIRE(simulation.run(10).ok());
    CHECK((all_of(simulation, 12) == expected(12, 10)));
  }
  SECTION("until vertices finish") {
    options.extraction = std::chrono::milliseconds(7);
    ring.settings[4].finishes_at = 200;
    execution::Simulation simulation(on.link, options);
    ring.build(simulation);
    REQUIRE(simulation.run_until_finished(std::chrono::milliseconds(1000)).ok());
    CHECK(simulation.recorded(4, 0).size() == 4 * 200);
    CHECK(!simulation.is_missing(4));
  }
}

TEST_CASE("A run until vertices finish ends when they have, and goes on from there") {
  // What one that has finished would have sent is missing in the others: compared with a plain loop that knows when each sends.
  const std::uint32_t count = 30;
  const unsigned seed = GENERATE(range(1U, 7U));
  CAPTURE(seed);
  std::mt19937 draw(seed);
  Machine on(1);
  Ring ring(count);
  std::vector<std::uint32_t> ends(count, UINT32_MAX);
  std::uint32_t last = 0;
  for (unsigned one = 0; one < 1 + seed; ++one) {
    const auto at = static_cast<std::uint32_t>(draw() % count), when = static_cast<std::uint32_t>(1 + draw() % 60);
    ring.settings[at].finishes_at = ends[at] = when;
  }
  for (const std::uint32_t one : ends) last = one == UINT32_MAX ? last : (std::max)(last, one);
  execution::Simulation simulation(on.link, {.look = std::chrono::milliseconds(1)});
  ring.build(simulation);
  const auto ended = simulation.run_until_finished(std::chrono::milliseconds(1000));
  INFO(ended.sentence());
  REQUIRE(ended.ok());
  CHECK(simulation.time() == last);
  std::vector<std::uint32_t> sum(count), heard(count);
  for (std::uint32_t at = 0; at < count; ++at) sum[at] = 7 * at + 1;
  std::vector<std::uint32_t> ticks(count);
  std::vector<Bytes> made(count);
  const auto loop = [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t tick = from; tick < to; ++tick) {
      std::vector<std::uint32_t> next(count);
      for (std::uint32_t at = 0; at < count; ++at) {
        if (tick >= ends[at]) continue;
        sum[at] = sum[at] * 1664525 + heard[at] + tick, ++ticks[at], heard[at] = 0;
        for (unsigned byte = 0; byte < 4; ++byte) made[at].push_back(static_cast<std::uint8_t>(sum[at] >> 8 * byte));
        next[(at + 1) % count] += sum[at], next[(at + 5) % count] += sum[at];
      }
      // It takes packets of its last tick, and none while it is paused.
      for (std::uint32_t at = 0; at < count; ++at)
        if (tick < ends[at]) heard[at] += next[at];
    }
  };
  loop(0, last);
  const auto compare = [&] {
    for (std::uint32_t at = 0; at < count; ++at) {
      CAPTURE(at);
      const auto is = simulation.recorded(at, 0);
      CHECK((Bytes(is.begin(), is.end()) == made[at]));
      CHECK(simulation.provenance(at).counters[0] == ticks[at]);
    }
  };
  compare();
  // All take part in the next run.
  REQUIRE(simulation.run(20).ok());
  std::fill(ends.begin(), ends.end(), UINT32_MAX);
  loop(last, last + 20);
  compare();
  CHECK(simulation.anomalies().empty());
}

TEST_CASE("A run until vertices finish that do not is refused in words, and one that fails says so") {
  Machine on(1);
  Ring ring(12);
  execution::Simulation simulation(on.link);
  SECTION("none says that it finishes") {
    ring.build(simulation);
    const auto refusal = simulation.run_until_finished(std::chrono::milliseconds(10));
    CHECK(refusal.status.error == Error::parameters_contradict);
    CHECK(refusal.sentence() == "no vertex says that it finishes, so this would never end");
    CHECK(simulation.run(3).ok());
  }
  SECTION("one takes longer than the time that it has") {
    ring.settings[3].finishes_at = 5, ring.settings[7].finishes_at = 500;
    ring.build(simulation);
    const auto refusal = simulation.run_until_finished(std::chrono::milliseconds(50));
    CHECK(refusal.status.error == Error::rank_failed);
    CHECK_THAT(refusal.sentence(), Catch::StartsWith("vertex 7, walker, on core"));
    CHECK_THAT(refusal.sentence(), Catch::EndsWith("it has not finished within 50 ms"));
    CHECK(simulation.time() == 50);
    CHECK(simulation.recorded(0, 0).size() == 4 * 50);
    CHECK(simulation.recorded(3, 0).size() == 4 * 5);
    REQUIRE(simulation.run(10).ok());
    CHECK(simulation.recorded(3, 0).size() == 4 * 15);
  }
  SECTION("one that is not asked for does so first, and does not count") {
    ring.settings[3].finishes_at = 20;
    ring.build(simulation);
    ring.settings[5].finishes_at = 2;
    REQUIRE(simulation.run_until_finished(std::chrono::milliseconds(500)).ok());
    CHECK(simulation.recorded(3, 0).size() == 4 * 20);
    CHECK(simulation.recorded(5, 0).size() == 4 * 2);
  }
  SECTION("one fails meanwhile") {
    ring.settings[3].finishes_at = 20, ring.settings[4].fails_at = 7;
    ring.build(simulation);
    const auto refusal = simulation.run_until_finished(std::chrono::milliseconds(500));
    CHECK(refusal.status.error == Error::rank_failed);
    CHECK_THAT(refusal.sentence(), Catch::StartsWith("vertex 4, walker, on core"));
    CHECK_THAT(refusal.sentence(), Catch::Contains("run-time error, code 77"));
    CHECK(simulation.recorded(0, 0).size() < 4 * 50); // nobody waits for the others
  }
}

namespace {
struct Spike {
  std::uint32_t tick, neuron;
  using Fields = runtime::Fields<&Spike::tick, &Spike::neuron>;
};
struct FirstKey {
  std::uint32_t key;
  using Fields = runtime::Fields<&FirstKey::key>;
};
using SpikesRegion = runtime::Region<FirstKey, Spike>;
/// Plays the spikes of its buffer, which are in the order of ticks.
struct Player {
  using Regions = runtime::Regions<SettingsRegion, SpikesRegion>;
  using Offers = offer::List<offer::Tick, offer::Counters>;
  static constexpr std::size_t counters = 1;
  using Fields = runtime::Fields<>;
  neuromorph::Status start(auto& core) {
    const auto settings = core.template region<0>();
    return settings.status ? core.template region<1>().status : settings.status;
  }
  void tick(auto& core, std::uint32_t time) {
    const auto spikes = core.template region<1>();
    for (const Spike& one : spikes.elements)
      if (one.tick == time)
        core.send(spikes.head->key + one.neuron, core.template region<0>().head->step), core.count(0);
  }
};
/// Records what it hears.
struct Listener {
  using Regions = runtime::Regions<>;
  using Offers = offer::List<offer::Tick, offer::Payload>;
  std::uint32_t now = 0;
  using Fields = runtime::Fields<&Listener::now>;
  neuromorph::Status start(auto&) { return {}; }
  void tick(auto&, std::uint32_t time) { now = time; }
  void payload(auto& core, std::uint32_t key, std::uint32_t payload) {
    const std::uint32_t words[] = {now, key, payload};
    static_cast<void>(core.record(0, words));
  }
};
} // namespace

TEST_CASE("A vertex that says to have fewer counters than its program has is told of it") {
  Machine on(1);
  on.programs.add<Player>("player");
  execution::Simulation simulation(on.link);
  simulation.add(simulation.add_image("player", machine::image_of("player")),
                 {.name = "player", .regions = [](const execution::Mapped&) {
                    Bytes settings(SettingsRegion::bytes()), spikes(SpikesRegion::bytes(1));
                    static_cast<void>(SettingsRegion::write(settings, {}).ok());
                    static_cast<void>(SpikesRegion::write(spikes, {}, std::vector<Spike>(1)).ok());
                    return std::vector<Bytes>{settings, spikes};
                  }});
  CHECK(simulation.run(3).sentence() ==
        "vertex 0, player, on core 1 of chip 0, 0: its table of recordings was written over; a program does so "
        "that has more counters than its vertex says");
}

TEST_CASE("Whose recordings cannot be told does not keep those of others from being read") {
  constexpr std::uint32_t count = 30, ticks = 600; // which go in streams, where there are some
  const auto right = expected(count, ticks);
  for (const bool is_fast : {false, true})
    for (const std::uint32_t miscounted : {0U, 13U, count - 1}) {
      CAPTURE(is_fast, miscounted);
      Machine on(1);
      Ring ring(count);
      ring.miscounted = miscounted;
      execution::SimulationOptions options;
      if (is_fast)
        options.extra_monitor = machine::image_of(machine::extra_monitor_name),
        options.gatherer = machine::image_of(machine::gatherer_name);
      execution::Simulation simulation(on.link, options);
      ring.build(simulation);
      CHECK_THAT(simulation.run(ticks).sentence(),
                 Catch::StartsWith("vertex " + std::to_string(miscounted) + ", walker"));
      for (std::uint32_t at = 0; at < count; ++at)
        for (std::size_t channel = 0; channel < 2; ++channel) {
          const auto is = simulation.recorded(at, channel);
          const Bytes bytes(is.begin(), is.end());
          CHECK((bytes == (at == miscounted ? Bytes{} : right[2 * at + channel])));
        }
      CHECK(simulation.counts().asked == simulation.counts().answered); // nothing waits for another run
      REQUIRE(simulation.reset().ok());
      CHECK(!simulation.run(1).ok());
    }
}

TEST_CASE("Buffers are loaded for each cycle: spikes that are played are those of one long list") {
  const unsigned seed = GENERATE(range(1U, 7U));
  CAPTURE(seed);
  std::mt19937 draw(seed);
  Machine on(1, seed % 2 == 0 ? machine::Profile::scamp_3_4 : machine::Profile::scamp_4_0);
  on.programs.add<Player>("player"), on.programs.add<Listener>("listener");
  lossy_link::LossyLink net(on.link, seed % 3 == 0 ? 0.2 : 0.0, seed);
  constexpr std::uint32_t neurons = 16, most = 400;
  std::vector<std::vector<std::uint32_t>> spikes(most); // [tick]
  for (auto& one : spikes)
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      if (draw() % 9 == 0) one.push_back(neuron);
  execution::SimulationOptions options;
  options.transceiver.timeout = std::chrono::microseconds(2000), options.transceiver.tries = 60;
  options.most_cycle = 5 + draw() % 30;
  execution::Simulation simulation(net, options);
  const auto player = simulation.add_image("player", machine::image_of("player")),
             listener = simulation.add_image("listener", machine::image_of("listener"));
  std::uint32_t step = 7;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> asked;
  std::size_t longer = 0;
  const auto plays =
      simulation.add(player, {.name = "player",
                              .resources = {.sdram_bytes = 100},
                              .regions = [&](const execution::Mapped&) -> std::vector<Bytes> {
                                Bytes bytes(SettingsRegion::bytes());
                                static_cast<void>(SettingsRegion::write(bytes, {0, 0, 0, 0, step, 0}).ok());
                                return {bytes};
                              },
                              .buffer =
                                  [&](const execution::Mapped& of, std::uint64_t from, std::uint64_t ticks) {
                                    asked.emplace_back(from, ticks);
                                    std::vector<Spike> all;
                                    for (std::uint64_t tick = from; tick < from + ticks && tick < most; ++tick)
                                      for (const std::uint32_t neuron : spikes[tick])
                                        all.push_back({static_cast<std::uint32_t>(tick), neuron});
                                    Bytes bytes(SpikesRegion::bytes(all.size()));
                                    REQUIRE(SpikesRegion::write(bytes, {of.mapping.keys[0].key}, all).ok());
                                    bytes.resize(bytes.size() + longer);
                                    return bytes;
                                  },
                              .buffer_bytes = [](std::uint64_t ticks) { return SpikesRegion::bytes(neurons * ticks); },
                              .counters = 1});
  const auto hears =
      simulation.add(listener, {.name = "listener",
                                .resources = {.sdram_bytes = 100},
                                .recordings = {[](std::uint64_t ticks) { return 12 * neurons * ticks; }}});
  const mapping::Vertex to[] = {hears};
  simulation.graph().connect(plays, to, {.keys = neurons});
  std::uint64_t time = 0;
  Bytes expected;
  const auto put = [&expected](std::uint32_t word) {
    for (unsigned byte = 0; byte < 4; ++byte) expected.push_back(static_cast<std::uint8_t>(word >> 8 * byte));
  };
  for (unsigned run = 0; run < 6; ++run) {
    const std::uint64_t ticks = 1 + draw() % 60;
    const auto ran = simulation.run(ticks);
    INFO(ran.sentence());
    REQUIRE(ran.ok());
    for (std::uint64_t tick = time; tick < time + ticks; ++tick)
      for (const std::uint32_t neuron : spikes[tick])
        put(static_cast<std::uint32_t>(tick)), put(simulation.mapping().keys_of(0).key + neuron), put(step);
    time += ticks;
    const auto is = simulation.recorded(hears, 0);
    REQUIRE((Bytes(is.begin(), is.end()) == expected));
    if (run % 2 == 1) ++step, simulation.reload(plays); // beside it
  }
  // Each cycle was asked for once, one behind the other.
  std::uint64_t next = 0;
  for (const auto& [from, ticks] : asked) {
    CHECK(from == next);
    next = from + ticks;
  }
  CHECK(next == time);
  CHECK(asked.size() == simulation.cycles() + 1);
  // One that is too long is refused, and all is as it was.
  longer = 1U << 20;
  CHECK_THAT(simulation.run(3).sentence(),
             Catch::StartsWith("vertex 0, player, on core") && Catch::Contains("its buffer for 3 ticks has "));
  longer = 2;
  CHECK_THAT(simulation.run(3).sentence(), Catch::EndsWith("in whole words"));
  longer = 0;
  CHECK(simulation.time() == time);
  REQUIRE(simulation.run(3).ok());
  CHECK(simulation.anomalies().empty());
}

namespace {
/// Says of the counts of runtimes, which are read with those of two counters, what a test wants.
class CountingLink final : public tests::ForwardingLink {
public:
  using ForwardingLink::ForwardingLink;
  void send(std::size_t ethernet, std::span<const std::uint8_t> datagram) override {
    const auto scp = protocols::decode_request(protocols::decode_sdp_datagram(datagram).value.data);
    const auto read = protocols::ReadMemory::of(scp.value);
    is_of_counts_[scp.value.sequence] = scp.value.command == std::uint16_t(protocols::ScpCommand::read) && read &&
                                        read.value.length == protocols::ProvenanceRegion::bytes + 8;
    ForwardingLink::send(ethernet, datagram);
  }
  [[nodiscard]] bool receive(std::vector<std::uint8_t>& datagram, std::chrono::microseconds wait) override {
    if (!ForwardingLink::receive(datagram, wait)) return false;
    const auto scp = protocols::decode_reply(protocols::decode_sdp_datagram(datagram).value.data);
    if (scp && is_of_counts_[scp.value.sequence]) counts.write(std::span(datagram).last(scp.value.data.size()));
    return true;
  }
  protocols::ProvenanceRegion counts{};

private:
  std::vector<std::uint8_t> is_of_counts_ = std::vector<std::uint8_t>(65536);
};
} // namespace

TEST_CASE("What runtimes count from their start is told once, and forgotten by a reset") {
  Machine on(1);
  CountingLink link(on.link);
  Ring ring(1);
  execution::Simulation simulation(link, {.most_cycle = 5});
  ring.build(simulation);
  link.counts.late_ticks = 2;
  REQUIRE(simulation.run(20).ok());
  link.counts.late_ticks = 5, link.counts.full_transmitter = 1, link.counts.full_callbacks = 3,
  link.counts.full_dma = 4, link.counts.full_user_events = 6, link.counts.most_delayed = 9;
  REQUIRE(simulation.run(20).ok());
  const std::string name = "vertex 0, walker, on core 1 of chip 0, 0: ";
  CHECK(simulation.anomalies() ==
        std::vector<std::string>{
            name + "2 ticks began late", name + "1 packets were not sent: the router did not take them",
            name + "3 packets were lost: it did not take them in time", name + "4 transfers were refused",
            name + "6 user events were refused", name + "3 ticks began late"});
  CHECK(simulation.provenance(0).runtime == link.counts);
  REQUIRE(simulation.reset().ok());
  CHECK(simulation.anomalies().empty());
  link.counts = {.late_ticks = 1};
  REQUIRE(simulation.run(20).ok());
  CHECK(simulation.anomalies() == std::vector<std::string>{name + "1 ticks began late"});
}

TEST_CASE("Ticks of any length pass in the time that they take") {
  constexpr std::uint32_t count = 10, ticks = 12'345;
  const auto right = expected(count, ticks);
  for (const std::uint32_t tick_us : {1U, 100U, 333U, 999U, 1000U, 1001U, 50'000U}) {
    CAPTURE(tick_us);
    Machine on(1);
    Ring ring(count);
    execution::Simulation simulation(on.link, {.tick_us = tick_us, .margin = std::chrono::milliseconds(1)});
    ring.build(simulation);
    const auto ran = simulation.run(ticks);
    INFO(ran.sentence());
    REQUIRE(ran.ok());
    CHECK((all_of(simulation, count) == right));
    // Without an end as many pass as fit the time that is waited.
    REQUIRE(simulation.begin().ok());
    REQUIRE(simulation.wait(std::chrono::milliseconds(40)).ok());
    REQUIRE(simulation.end().ok());
    const std::uint64_t passed = simulation.time() - ticks;
    CHECK((passed >= 40'000 / tick_us && passed <= 40'000 / tick_us + 1));
  }
}

TEST_CASE("Vertices come to as many chips as have memory for all that they take") {
  constexpr std::uint32_t count = 40, ticks = 3, left = 100'000; // bytes of each chip
  Machine on(1);
  execution::Transceiver ask(on.link);
  const auto found = execution::discover(ask);
  REQUIRE(found.ok());
  const mapping::Machine& is = found.value().machine;
  for (mapping::Chip chip = 0; chip < is.grid_chips(); ++chip)
    if (is.has(chip)) {
      using protocols::Allocate;
      ask.ask(execution::Transceiver::monitor_of(is.x(chip), is.y(chip)),
              Allocate{.operation = Allocate::Operation::sdram,
                       .application = 40,
                       .first = static_cast<std::uint32_t>(is.sdram_bytes(chip)) - left},
              [](const protocols::ScpReply& reply) { CHECK(reply.argument(0) != 0); });
    }
  REQUIRE(ask.finish().ok());
  Ring ring(count); // 1 kB each, but for their logs
  execution::Simulation simulation(on.link);
  ring.build(simulation);
  const auto ran = simulation.run(ticks);
  INFO(ran.sentence());
  REQUIRE(ran.ok());
  CHECK((all_of(simulation, count) == expected(count, ticks)));
}

TEST_CASE("Options that no machine can have are refused") {
  Machine on(1);
  for (const auto& [options, why] : std::vector<std::pair<execution::SimulationOptions, std::string>>{
           {{.application = 0}, "application is 1 to 254, not 0"},
           {{.application = 255}, "application is 1 to 254, not 255"},
           {{.tick_us = 0}, "tick_us is above 0, not 0"}}) {
    Ring ring(10);
    execution::Simulation simulation(on.link, options);
    ring.build(simulation);
    const auto refusal = simulation.run(1);
    CHECK(refusal.status.error == Error::parameter_out_of_range);
    CHECK(refusal.sentence() == "the options of a simulation: " + why);
  }
}

TEST_CASE("What was closed keeps its results, and runs again once it is reset") {
  Machine on(1);
  Ring ring(10);
  execution::Simulation simulation(on.link);
  ring.build(simulation);
  REQUIRE(simulation.close().ok()); // there is nothing to close
  REQUIRE(simulation.run(5).ok());
  REQUIRE(simulation.begin().ok());
  REQUIRE(simulation.wait(std::chrono::milliseconds(3)).ok());
  REQUIRE(simulation.close().ok());
  REQUIRE(simulation.close().ok());
  for (unsigned turn = 0; turn < 2; ++turn) {
    CHECK(simulation.run(5).sentence() == "it was closed: reset comes before it runs again");
    CHECK(simulation.begin().sentence() == "it was closed: reset comes before it runs again");
  }
  CHECK((all_of(simulation, 10) == expected(10, 5)));
  REQUIRE(simulation.reset().ok());
  REQUIRE(simulation.run(7).ok());
  CHECK((all_of(simulation, 10) == expected(10, 7)));
}

TEST_CASE("More ticks than cores can count are refused") {
  Machine on(1);
  Ring ring(10);
  execution::Simulation simulation(on.link);
  ring.build(simulation);
  REQUIRE(simulation.run(5).ok());
  for (const std::uint64_t ticks : {(std::uint64_t{1} << 32) - 5, std::uint64_t{1} << 32, ~std::uint64_t{0}})
    CHECK(simulation.run(ticks).sentence() ==
          "cores count ticks in 32 bits: 4294967295 are the most until it is reset");
  CHECK(simulation.time() == 5);
  REQUIRE(simulation.run(5).ok());
  CHECK((all_of(simulation, 10) == expected(10, 10)));
}

TEST_CASE("A buffer that is refused does not keep those of others from being loaded by the next run") {
  Machine on(1);
  on.programs.add<Player>("player"), on.programs.add<Listener>("listener");
  execution::Simulation simulation(on.link, {.most_cycle = 4});
  const auto player = simulation.add_image("player", machine::image_of("player")),
             listener = simulation.add_image("listener", machine::image_of("listener"));
  constexpr std::uint32_t players = 3, ticks = 12;
  std::uint32_t refuses = players; // none
  for (std::uint32_t at = 0; at < players; ++at)
    simulation.add(player, {.name = "player",
                            .resources = {.sdram_bytes = 100},
                            .regions = [](const execution::Mapped&) -> std::vector<Bytes> {
                              Bytes bytes(SettingsRegion::bytes());
                              static_cast<void>(SettingsRegion::write(bytes, {}).ok());
                              return {bytes};
                            },
                            .buffer =
                                [&refuses, at](const execution::Mapped& of, std::uint64_t from, std::uint64_t count) {
                                  if (at == refuses) return Bytes(1U << 20);
                                  std::vector<Spike> all;
                                  for (std::uint64_t tick = from; tick < from + count; ++tick)
                                    all.push_back({static_cast<std::uint32_t>(tick), at});
                                  Bytes bytes(SpikesRegion::bytes(all.size()));
                                  static_cast<void>(SpikesRegion::write(bytes, {of.mapping.keys[at].key}, all).ok());
                                  return bytes;
                                },
                            .buffer_bytes = [](std::uint64_t most) { return SpikesRegion::bytes(most); },
                            .counters = 1});
  const mapping::Vertex hears[] = {simulation.add(
      listener, {.name = "listener", .resources = {.sdram_bytes = 100}, .recordings = {[](std::uint64_t most) {
                                                                          return 12 * players * most;
                                                                        }}})};
  for (std::uint32_t at = 0; at < players; ++at) simulation.graph().connect(at, hears, {.keys = 16});
  REQUIRE(simulation.run(ticks / 3).ok());
  for (refuses = 0; refuses < players; ++refuses) CHECK(!simulation.run(ticks / 3).ok());
  REQUIRE(simulation.run(ticks / 3).ok());
  for (refuses = 0; refuses < players; ++refuses) CHECK(!simulation.run(ticks / 3).ok());
  REQUIRE(simulation.run(ticks / 3).ok());
  for (std::uint32_t at = 0; at < players; ++at)
    CHECK(simulation.provenance(at).counters == std::vector<std::uint32_t>{ticks});
  CHECK(simulation.recorded(hears[0], 0).size() == std::size_t{12} * players * ticks);
}

namespace {
/// Says much.
struct Talker {
  using Regions = runtime::Regions<>;
  using Offers = offer::List<offer::Tick>;
  std::uint32_t ticks = 0;
  using Fields = runtime::Fields<&Talker::ticks>;
  neuromorph::Status start(auto& core) {
    core.log("it begins");
    return {};
  }
  void tick(auto& core, std::uint32_t time) {
    ++ticks;
    char line[] = "a line of some length, of tick 00000";
    for (std::size_t at = sizeof line - 2; time != 0; time /= 10) line[at--] = static_cast<char>('0' + time % 10);
    core.log(line);
    if (ticks == 777) core.log("[WARNING] it has gone on for long");
  }
};
} // namespace

TEST_CASE("Logs are read after each cycle, whole, and what warns is told") {
  Machine on(1);
  on.programs.add<Talker>("talker");
  execution::Simulation simulation(on.link, {.most_cycle = 100, .reads_logs = true});
  const auto talker = simulation.add_image("talker", machine::image_of("talker"));
  for (unsigned one = 0; one < 5; ++one)
    simulation.add(talker, {.name = "talker", .resources = {.sdram_bytes = 10}, .recordings = {[](std::uint64_t ticks) {
                                                                                  return ticks;
                                                                                }}});
  REQUIRE(simulation.run(950).ok());
  REQUIRE(simulation.run(51).ok());
  std::string expected = "it begins\n";
  for (unsigned tick = 0; tick < 1001; ++tick) {
    std::string number = std::to_string(tick);
    expected += "a line of some length, of tick " + std::string(5 - number.size(), '0') + number + "\n";
    if (tick == 776) expected += "[WARNING] it has gone on for long\n";
  }
  for (mapping::Vertex vertex = 0; vertex < 5; ++vertex) CHECK(simulation.log(vertex) == expected);
  REQUIRE(simulation.anomalies().size() == 5);
  CHECK_THAT(simulation.anomalies()[3], Catch::StartsWith("vertex 3, talker, on core") &&
                                            Catch::EndsWith(": its log says '[WARNING] it has gone on for long'"));
  CHECK(on.applications.lost_lines() == 0);
}

TEST_CASE("What should be 0 and is not is told, once") {
  constexpr std::uint32_t count = 20;
  Machine machine(1);
  Ring ring(count);
  execution::Simulation simulation(machine.link);
  ring.build(simulation);
  REQUIRE(simulation.run(10).ok());
  CHECK(simulation.anomalies().empty());
  const mapping::Chip chip = simulation.mapping().placements.chip[0];
  for (unsigned packet = 0; packet < 3; ++packet) machine.monitors.chip(chip).router.count({}, 0, true, 0);
  REQUIRE(simulation.run(10).ok());
  REQUIRE(simulation.run(10).ok());
  REQUIRE(simulation.anomalies().size() == 1);
  CHECK_THAT(simulation.anomalies()[0],
             Catch::StartsWith("the router of chip ") && Catch::Contains(" has dropped 3 packets"));
}

TEST_CASE("Graphs that are empty, and vertices that are next to nothing, run") {
  Machine machine(1);
  execution::Simulation empty(machine.link);
  REQUIRE(empty.run(0).ok());
  REQUIRE(empty.run(10).ok());
  CHECK(empty.time() == 10);
  execution::Simulation one(machine.link);
  const auto image = one.add_image("walker", machine::image_of("walker"));
  one.add(image, {});
  CHECK_THAT(one.run(1).sentence(),
             Catch::Contains("vertex 0, on core ") && Catch::Contains("run-time error")); // it wants its region
  execution::Simulation odd(machine.link);
  odd.add(odd.add_image("walker", machine::image_of("walker")),
          {.name = "odd", .regions = [](const execution::Mapped&) { return std::vector<Bytes>{Bytes(5)}; }});
  CHECK_THAT(odd.run(1).sentence(), Catch::StartsWith("data generation: ") && Catch::Contains("whole words"));
  execution::Simulation many(machine.link);
  many.add(many.add_image("walker", machine::image_of("walker")),
           {.name = "many", .regions = [](const execution::Mapped&) { return std::vector<Bytes>(30); }});
  CHECK_THAT(many.run(1).sentence(), Catch::Contains("at most 29 regions"));
}

TEST_CASE("What fails says which core, in which state, and what its log ends with; what the others have is kept") {
  constexpr std::uint32_t count = 20, ticks = 100;
  {
    Machine machine(1);
    Ring ring(count);
    ring.settings[7].fails_at = 50;
    execution::Simulation simulation(machine.link);
    ring.build(simulation);
    const auto refusal = simulation.run(ticks);
    CHECK_THAT(
        refusal.sentence(),
        Catch::StartsWith("vertex 7, walker, on core ") &&
            Catch::Contains(" does not end its run: run-time error, code 77; its log ends with 'this is the tick'"));
    CHECK_THAT(simulation.log(7), Catch::Contains("this is the tick"));
    CHECK(simulation.recorded(7, 0).size() == 4 * 51);
    CHECK(simulation.recorded(8, 0).size() >= 4 * 51);
    CHECK_THAT(simulation.run(1).sentence(), Catch::Contains("reset comes before"));
    ring.settings[7].fails_at = 0;
    REQUIRE(simulation.reset().ok());
    REQUIRE(simulation.run(ticks).ok());
    CHECK((all_of(simulation, count) == expected(count, ticks)));
  }
  {
    Machine machine(1);
    Ring ring(count);
    ring.settings[3].is_refused = 1;
    execution::Simulation simulation(machine.link);
    ring.build(simulation);
    CHECK_THAT(simulation.run(ticks).sentence(), Catch::StartsWith("start of cores: vertex 3, walker, on core ") &&
                                                     Catch::Contains("run-time error, code 19"));
    ring.settings[3].is_refused = 0;
    const auto again = simulation.run(ticks); // nothing of it is in the way
    INFO(again.sentence());
    REQUIRE(again.ok());
  }
  {
    Machine machine(1);
    Ring ring(count);
    execution::Simulation simulation(machine.link);
    ring.build(simulation, "runner");
    CHECK_THAT(simulation.run(ticks).sentence(),
               Catch::Contains("this machine has no program 'runner'") && Catch::Contains("so do not 19 more"));
  }
  { // It dies between two runs.
    Machine machine(1);
    Ring ring(count);
    execution::Simulation simulation(machine.link, {.margin = std::chrono::milliseconds(20)});
    ring.build(simulation);
    REQUIRE(simulation.run(10).ok());
    const auto& placed = simulation.mapping().placements;
    machine.applications.stop({placed.chip[4], placed.core[4]}, machine::CoreState::dead);
    CHECK(!simulation.run(10).ok());
  }
}

TEST_CASE("A user's algorithm takes the place of the library's") {
  constexpr std::uint32_t count = 30, ticks = 50;
  Machine machine(1);
  Ring ring(count);
  execution::Simulation simulation(machine.link);
  ring.build(simulation);
  bool was_asked = false;
  simulation.workflow().add({.name = "mapping",
                             .phase = "mine",
                             .needs = {"machine"},
                             .makes = {"mapping"},
                             .run = [&](execution::Values& values) {
                               was_asked = true;
                               // A core a chip.
                               mapping::Machine thin = *values.get<mapping::Machine>("machine");
                               for (mapping::Chip chip = 0; chip < thin.grid_chips(); ++chip)
                                 if (thin.has(chip)) thin.set_cores(chip, 4);
                               auto mapped = mapping::map(simulation.graph(), thin);
                               if (!mapped) return mapped.refusal();
                               values.set("mapping", std::move(mapped).value());
                               return neuromorph::Refusal{};
                             }});
  REQUIRE(simulation.run(ticks).ok());
  CHECK(was_asked);
  for (std::uint32_t at = 0; at < count; ++at) CHECK(simulation.mapping().placements.core[at] == 2);
  CHECK((all_of(simulation, count) == expected(count, ticks)));
  CHECK_THAT(simulation.workflow().text(), Catch::Contains("mine\n  mapping"));
}

TEST_CASE("Over UDP it is the same as in the process") {
  constexpr std::uint32_t count = 50, ticks = 60;
  Machine machine(3);
  auto server = machine::Server::open(machine.monitors, {.port = 0});
  REQUIRE(server.ok());
  std::atomic<bool> is_over = false;
  std::thread serving([&] {
    std::vector<machine::Datagram> to_hosts;
    while (!is_over) {
      server.value().serve(machine.applications.is_running() ? 0 : 1);
      machine.applications.advance(10, to_hosts);
    }
  });
  {
    auto link = execution::UdpLink::open({127, 0, 0, 2}, {.scp = server.value().port()});
    REQUIRE(link.ok());
    Ring ring(count);
    execution::Simulation simulation(*link.value(), {});
    ring.build(simulation);
    const auto refusal = simulation.run(ticks);
    INFO(refusal.sentence());
    CHECK(refusal.ok());
    CHECK((all_of(simulation, count) == expected(count, ticks)));
    CHECK(simulation.close().ok());
  }
  is_over = true;
  serving.join();
}
