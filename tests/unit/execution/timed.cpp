// SPDX-License-Identifier: BSL-1.0
// Simulations on a machine whose packets take time: the same as where they take none, unless they are late or dropped, which is told; and
// re-injection of what was dropped.
#include <tests/support/catch.hpp>

#include <neuromorph/execution/extra_monitors.hpp>
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/extra_monitor.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <tests/support/sanitized.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace offer = neuromorph::offer;
namespace protocols = neuromorph::protocols;
namespace runtime = neuromorph::runtime;

namespace {

struct Settings {
  std::uint32_t key, burst, ticks;
  using Fields = runtime::Fields<&Settings::key, &Settings::burst, &Settings::ticks>;
};
using SettingsRegion = runtime::Region<Settings>;

/// Sends so many packets in each of its first ticks, and records in each what it has heard until then.
struct Burst {
  using Regions = runtime::Regions<SettingsRegion>;
  using Offers = offer::List<offer::Tick, offer::Packet, offer::Counters>;
  static constexpr std::size_t counters = 1;
  std::uint32_t heard = 0;
  using Fields = runtime::Fields<&Burst::heard>;
  neuromorph::Status start(auto& core) { return core.template region<0>().status; }
  void tick(auto& core, std::uint32_t time) {
    static_cast<void>(core.record(0, std::span(&heard, 1)));
    const Settings& of = *core.template region<0>().head;
    for (std::uint32_t at = 0; time < of.ticks && at < of.burst; ++at) core.send(of.key);
  }
  void packet(auto& core, std::uint32_t) { ++heard, core.count(0); }
};

struct Plan {
  std::vector<std::uint32_t> bursts;                 ///< [vertex]
  std::vector<std::vector<mapping::Vertex>> targets; ///< [vertex]
  std::uint32_t ticks = 3;                           ///< in which they send
};
/// \param hot  of which each hears most of the others; 0: all hear some
Plan random_plan(std::mt19937& draw, std::uint32_t vertices, std::uint32_t most, std::uint32_t hot = 0) {
  Plan plan;
  for (std::uint32_t at = 0; at < vertices; ++at) {
    plan.bursts.push_back(static_cast<std::uint32_t>(draw() % (most + 1)));
    auto& to = plan.targets.emplace_back();
    for (mapping::Vertex other = 0; other < vertices; ++other)
      if (hot == 0 ? draw() % 4 == 0 : other < hot && draw() % 8 != 0) to.push_back(other);
    if (to.empty()) to.push_back(at);
  }
  return plan;
}

struct On {
  template <class Options>
  On(unsigned boards, const Options& options)
      : is(mapping::machine_of_boards(boards).value()), monitors(is, {}), applications(monitors, programs, options),
        link(monitors, applications) {
    programs.add<Burst>("burst");
    programs.add_model<machine::ExtraMonitor>(machine::extra_monitor_name);
  }
  mapping::Machine is;
  machine::Programs programs{};
  machine::Monitors monitors;
  machine::Applications applications;
  execution::InProcessLink link;
};
void describe(execution::Simulation& simulation, const Plan& plan) {
  const auto image = simulation.add_image("burst", machine::image_of("burst"));
  for (mapping::Vertex at = 0; at < plan.bursts.size(); ++at)
    simulation.add(
        image, {.name = "burst",
                .resources = {.dtcm_bytes = 64, .sdram_bytes = 64},
                .regions =
                    [at, &plan](const execution::Mapped& of) {
                      std::vector<std::uint8_t> bytes(SettingsRegion::bytes());
                      static_cast<void>(
                          SettingsRegion::write(bytes, {of.mapping.keys[at].key, plan.bursts[at], plan.ticks}).ok());
                      return std::vector<std::vector<std::uint8_t>>{bytes};
                    },
                .recordings = {[](std::uint64_t ticks) { return 4 * ticks; }},
                .counters = 1});
  for (mapping::Vertex at = 0; at < plan.bursts.size(); ++at) simulation.graph().connect(at, plan.targets[at]);
}
std::vector<std::vector<std::uint8_t>> recorded(const execution::Simulation& simulation, std::size_t vertices) {
  std::vector<std::vector<std::uint8_t>> made;
  for (mapping::Vertex at = 0; at < vertices; ++at) {
    const auto bytes = simulation.recorded(at, 0);
    made.emplace_back(bytes.begin(), bytes.end());
  }
  return made;
}
std::uint64_t heard(const execution::Simulation& simulation, std::size_t vertices) {
  std::uint64_t sum = 0;
  for (mapping::Vertex at = 0; at < vertices; ++at) sum += simulation.provenance(at).counters[0];
  return sum;
}
std::uint64_t meant(const Plan& plan) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < plan.bursts.size(); ++at)
    sum += std::uint64_t{plan.bursts[at]} * plan.targets[at].size() * plan.ticks;
  return sum;
}

/// Of a chip without memory, from which nothing goes anywhere.
class Services final : public machine::SystemServices {
public:
  explicit Services(machine::Router& router) : router_(router) {}
  bool read(std::uint32_t, std::span<std::uint8_t>) override { return false; }
  bool write(std::uint32_t, std::span<const std::uint8_t>) override { return false; }
  void send(machine::PacketKind, std::uint32_t, std::uint32_t) override {}
  void message(unsigned, std::span<const std::uint8_t>) override {}
  void set_user1(std::uint32_t) override {}
  machine::Router& router() override { return router_; }
  void has_changed_routes() override {}

private:
  machine::Router& router_;
};

} // namespace

TEST_CASE(
    "Where packets take time and all arrive, what is heard in the end is that of a machine where they take none") {
  const unsigned seed = GENERATE(range(1U, 13U));
  std::mt19937 draw(seed);
  const Plan plan = random_plan(draw, 8 + seed * 3, 2); // few enough for the links
  On plain(1 + seed % 2 * 2, machine::RunOptions{}),
      timed(1 + seed % 2 * 2,
            machine::TimedCoresOptions{.most_skew = static_cast<machine::Nanoseconds>(draw() % 900'000 + 1)});
  std::vector<std::vector<std::vector<std::uint8_t>>> all;
  for (On* const on : {&plain, &timed}) {
    execution::Simulation simulation(on->link, {.most_cycle = 4});
    describe(simulation, plan);
    for (const unsigned ticks : {3U, 1U, 7U}) {
      const auto ended = simulation.run(ticks);
      INFO(ended.sentence());
      REQUIRE(ended.ok());
    }
    CHECK(heard(simulation, plan.bursts.size()) == meant(plan));
    for (const std::string& one : simulation.anomalies()) FAIL(one);
    all.push_back(recorded(simulation, plan.bursts.size()));
    REQUIRE(simulation.close().ok());
  }
  // Not in each tick: chips that tick late have heard some before it.
  for (std::size_t at = 0; at < all[0].size(); ++at) {
    const std::span<const std::uint8_t> one(all[0][at]), other(all[1][at]);
    CHECK(std::equal(one.last(4).begin(), one.last(4).end(), other.last(4).begin()));
  }
}

TEST_CASE("Without a skew, recordings are the same in each tick") {
  const unsigned seed = GENERATE(range(1U, 13U));
  std::mt19937 draw(seed);
  const Plan plan = random_plan(draw, 8 + seed * 3, 2);
  On plain(3, machine::RunOptions{}), timed(3, machine::TimedCoresOptions{.most_skew = 0});
  std::vector<std::vector<std::vector<std::uint8_t>>> all;
  for (On* const on : {&plain, &timed}) {
    execution::Simulation simulation(on->link, {.most_cycle = 1 + seed % 4});
    describe(simulation, plan);
    REQUIRE(simulation.run(9).ok());
    CHECK(simulation.anomalies().empty());
    all.push_back(recorded(simulation, plan.bursts.size()));
  }
  CHECK(all[0] == all[1]);
}

TEST_CASE("Dropped packets are told by their router; with extra monitors none is lost while none is missed, and those "
          "that are, are counted") {
  unsigned dropped_for_good = 0, saved = 0, missed = 0;
  for (unsigned seed = 1; seed <= (sanitized ? 8U : 24U); ++seed) {
    std::mt19937 draw(seed);
    const Plan plan = random_plan(draw, 40 + 16 * seed, seed % 2 == 0 ? 1 : 10, 1 + seed % 3);
    CAPTURE(seed);
    machine::TimedCoresOptions options;
    options.period = 10'000'000; // so that what is sent again comes in time
    if (seed % 2 == 0) options.fabric.by_monitors.reaction = 5, options.most_skew = 1'000 * seed;
    if (seed % 5 == 0) options.fabric.by_monitors.queue = 3;
    std::uint64_t without = 0;
    {
      On on(1, options);
      execution::Simulation simulation(on.link);
      describe(simulation, plan);
      REQUIRE(simulation.run(12).ok());
      without = heard(simulation, plan.bursts.size());
      REQUIRE(without <= meant(plan));
      if (without < meant(plan)) {
        ++dropped_for_good;
        REQUIRE(!simulation.anomalies().empty());
        CHECK(simulation.anomalies()[0].find("the router of ") == 0);
        CHECK(simulation.anomalies()[0].find(" has dropped ") != std::string::npos);
        // They are not those of whoever runs there next.
        REQUIRE(simulation.close().ok());
        execution::Simulation next(on.link);
        const Plan quiet{.bursts = {1}, .targets = {{0}}, .ticks = 1};
        describe(next, quiet);
        REQUIRE(next.run(3).ok());
        CHECK(next.anomalies().empty());
      }
      CHECK(simulation.reinjection().empty());
    }
    On on(1, options);
    execution::Simulation simulation(on.link, {.extra_monitor = machine::image_of(machine::extra_monitor_name)});
    describe(simulation, plan);
    REQUIRE(simulation.run(12).ok());
    REQUIRE(simulation.run(400).ok()); // all that waits is sent
    protocols::ReinjectionStatus sum;
    for (const auto& one : simulation.reinjection()) {
      sum.dropped += one.dropped, sum.missed += one.missed, sum.reinjected += one.reinjected;
      sum.queue_overflows += one.queue_overflows;
      CHECK(one.dropped <= one.link_dumped + one.core_dumped);
      CHECK((one.dropped == 0) == (one.dumped_to == 0));
    }
    CHECK(sum.dropped == sum.reinjected + sum.queue_overflows);
    const std::uint64_t with = heard(simulation, plan.bursts.size());
    if (sum.missed == 0 && sum.queue_overflows == 0) {
      CHECK(with == meant(plan));
      saved += without < meant(plan) ? 1U : 0U;
      for (const std::string& one : simulation.anomalies()) CHECK(one.find(" came late to ") != std::string::npos);
    } else {
      ++missed;
      CHECK(with > without);
      CHECK(with < meant(plan));
      CHECK(with + sum.queue_overflows + sum.missed <= meant(plan)); // of those that were missed only times are known
      CHECK(std::any_of(simulation.anomalies().begin(), simulation.anomalies().end(), [&sum](const std::string& one) {
        return one.find(sum.missed != 0 ? "as another was dropped before the one before was read"
                                        : "the queue of those that are sent again was full") != std::string::npos;
      }));
    }
    // Without its cores a reset loads all anew, and counts from 0.
    if (seed % 8 == 0) {
      REQUIRE(simulation.reset().ok());
      REQUIRE(simulation.run(412).ok());
      CHECK(heard(simulation, plan.bursts.size()) == with);
    }
    REQUIRE(simulation.close().ok());
  }
  CHECK(dropped_for_good > (sanitized ? 2 : 5));
  CHECK(saved > 0);
  CHECK(missed > 0);
}

TEST_CASE("Packets that come after the next tick has begun are told by the edge that they took") {
  Plan plan;
  plan.bursts = {40, 0, 0}, plan.targets = {{1}, {2}, {0}}, plan.ticks = 1;
  On on(1, machine::TimedCoresOptions{.period = 5'000}); // 25 packets of 200 ns
  execution::Simulation simulation(on.link);
  describe(simulation, plan);
  REQUIRE(simulation.run(4).ok());
  CHECK(heard(simulation, 3) == 40);
  REQUIRE(simulation.anomalies().size() == 1);
  const std::string& one = simulation.anomalies()[0];
  CHECK(one.find(" packets of vertex 0, burst, on core ") != std::string::npos);
  CHECK(one.find(" came late to vertex 1, burst, on core ") != std::string::npos);
  CHECK(one.find(", by 1 ticks at most") != std::string::npos);
}

TEST_CASE("A link that breaks while it runs carries nothing, where packets take time as where they take none") {
  Plan plan;
  plan.bursts = {3, 0}, plan.targets = {{1}, {1}}, plan.ticks = 100;
  for (const bool is_timed : {false, true}) {
    const machine::TimedCoresOptions options{};
    On plain(1, machine::RunOptions{}), timed(1, options);
    On& on = is_timed ? timed : plain;
    execution::Simulation simulation(on.link);
    describe(simulation, plan);
    simulation.constraints().on_chip.push_back({.vertex = 0, .chip = on.is.chip_at(0, 0)});
    simulation.constraints().on_chip.push_back({.vertex = 1, .chip = on.is.chip_at(1, 0)});
    REQUIRE(simulation.run(2).ok());
    CHECK(heard(simulation, 2) == 6);
    on.monitors.wiring().set_link(on.is.chip_at(0, 0), mapping::Link::east, false);
    REQUIRE(simulation.run(2).ok());
    CHECK(heard(simulation, 2) == 6);
    CHECK(simulation.anomalies().empty() != is_timed); // a router that waits for a link drops
    on.monitors.wiring().set_link(on.is.chip_at(0, 0), mapping::Link::east, true);
    REQUIRE(simulation.run(2).ok());
    CHECK(heard(simulation, 2) == 12);
  }
}

TEST_CASE("An extra monitor takes its requests, and refuses others") {
  using protocols::Reinjection;
  machine::Router router;
  machine::ExtraMonitor monitor;
  std::vector<std::uint32_t> words;
  const auto ask = [&](const Reinjection& of, unsigned port = 4) {
    std::array<std::uint8_t, 1> byte{};
    std::vector<std::uint8_t> bytes(300);
    bytes.resize(protocols::encode_request(of.request(1, byte), bytes));
    words.clear();
    return monitor.answer(0, port, bytes, words);
  };
  Services services(router);
  monitor.set_services(services);
  CHECK(ask({.what = Reinjection::What::set_types, .types = Reinjection::multicast}));
  CHECK(router.reinjector().types == Reinjection::multicast);
  CHECK(ask({.what = Reinjection::What::set_wait1, .wait = 0x14}));
  CHECK(router.wait_before_drop() == protocols::router_wait_of(0x14));
  CHECK(!ask({}, 5));
  CHECK(!ask({}, 6));
  CHECK(!ask({}, 7));
  router.reinjector().dropped = 7, router.reinjector().missed = 2, router.reinjector().dumped_to = 0x41;
  REQUIRE(ask({}));
  REQUIRE(words.size() == 10);
  CHECK((words[0] == 0x14 && words[2] == 7 && words[3] == 2 && words[8] == Reinjection::multicast && words[9] == 0x41));
  CHECK(ask({.what = Reinjection::What::reset_counters}));
  CHECK((router.reinjector().dropped == 0 && router.reinjector().types == Reinjection::multicast));
  CHECK(ask({.what = Reinjection::What::exit}));
  CHECK(router.reinjector().types == 0);
  // Tables that are kept are those of applications, though they be kept once more.
  router.set(5, {{0x40, 0xFFFFFFC0}, 0x80, 0});
  using protocols::TableSwap;
  using What = TableSwap::What;
  for (const What what : {What::load_application, What::save_application, What::load_system, What::save_application,
                          What::load_system, What::load_application, What::load_application}) {
    std::vector<std::uint8_t> bytes(300);
    bytes.resize(protocols::encode_request(TableSwap{what}.request(1), bytes));
    CHECK(monitor.answer(0, 6, bytes, words));
    if (what == What::load_system) CHECK(router.find(0x41) == machine::Router::size);
  }
  CHECK(router.find(0x41) == 5);
  std::mt19937 draw(1);
  for (unsigned round = 0; round < 20'000; ++round) {
    std::vector<std::uint8_t> bytes(draw() % 40);
    for (auto& one : bytes) one = static_cast<std::uint8_t>(draw() % (round % 2 == 0 ? 256 : 3));
    words.clear();
    static_cast<void>(monitor.answer(0, static_cast<unsigned>(draw() % 8), bytes, words));
    CHECK(words.size() <= 10);
  }
  CHECK(execution::ExtraMonitors::ways(0x41) == "east, core 0");
}
