// SPDX-License-Identifier: BSL-1.0
// Devices in a simulation: they send and hear in each tick of a run, on machines whose packets take time and on others, also after a reset.
#include <tests/support/catch.hpp>

#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/device.hpp>
#include <neuromorph/mapping/boards.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace offer = neuromorph::offer;
namespace runtime = neuromorph::runtime;

namespace {

constexpr std::uint32_t pulse_key = 0x4000;

/// Sends the number of the tick, and counts what comes back.
struct Pulse final : machine::Device {
  void at_tick(std::uint32_t time) override { send(pulse_key, time), ++sent; }
  void take(const machine::SentPacket& packet) override { back.push_back(packet.payload); }
  std::uint32_t sent = 0;
  std::vector<std::uint32_t> back{};
};

struct Settings {
  std::uint32_t key;
  using Fields = runtime::Fields<&Settings::key>;
};
using SettingsRegion = runtime::Region<Settings>;
/// Sends back the double of what it hears, and records it.
struct Echo {
  using Regions = runtime::Regions<SettingsRegion>;
  using Offers = offer::List<offer::Payload>;
  std::uint32_t heard = 0;
  using Fields = runtime::Fields<&Echo::heard>;
  neuromorph::Status start(auto& core) { return core.template region<0>().status; }
  void payload(auto& core, std::uint32_t, std::uint32_t value) {
    ++heard;
    static_cast<void>(core.record(0, std::span(&value, 1)));
    core.send(core.template region<0>().head->key, 2 * value);
  }
};

struct On {
  explicit On(bool is_timed) {
    chip = is.add_device(is.chip_at(0, 0), mapping::Link::west, "pulse").value();
    programs.add<Echo>("echo");
    monitors = std::make_unique<machine::Monitors>(is, machine::MonitorOptions{});
    applications = is_timed ? std::make_unique<machine::Applications>(*monitors, programs, machine::TimedCoresOptions{})
                            : std::make_unique<machine::Applications>(*monitors, programs, machine::RunOptions{});
    link = std::make_unique<execution::InProcessLink>(*monitors, *applications);
  }
  mapping::Machine is = mapping::machine_of_boards(1).value();
  mapping::Chip chip{};
  machine::Programs programs{};
  std::unique_ptr<machine::Monitors> monitors{};
  std::unique_ptr<machine::Applications> applications{};
  std::unique_ptr<execution::InProcessLink> link{};
};
void describe(execution::Simulation& simulation, const execution::DevicePlace& place, std::uint32_t echoes) {
  const auto image = simulation.add_image("echo", machine::image_of("echo"));
  std::vector<mapping::Vertex> all;
  mapping::Vertex pulse = 0;
  for (std::uint32_t at = 0; at < echoes; ++at) {
    if (at == echoes / 2) pulse = simulation.add_device(place); // among the others
    const auto number = static_cast<mapping::Partition>(at);
    all.push_back(simulation.add(image, {.name = "echo",
                                         .resources = {.dtcm_bytes = 64, .sdram_bytes = 64},
                                         .regions =
                                             [number](const execution::Mapped& of) {
                                               std::vector<std::uint8_t> bytes(SettingsRegion::bytes());
                                               static_cast<void>(
                                                   SettingsRegion::write(bytes, {of.mapping.keys[number].key}).ok());
                                               return std::vector<std::vector<std::uint8_t>>{bytes};
                                             },
                                         .recordings = {[](std::uint64_t ticks) { return 4 * ticks; }}}));
  }
  for (const mapping::Vertex one : all) simulation.graph().connect(one, std::span(&pulse, 1));
  const mapping::Partition sent = simulation.graph().connect(pulse, all);
  simulation.constraints().fixed_keys.push_back({.partition = sent, .keys = {pulse_key, 0xFFFFFFFF}});
}

} // namespace

TEST_CASE("A device sends and hears in each tick of a run, and in none between runs") {
  const bool is_timed = GENERATE(false, true);
  const std::uint32_t echoes = GENERATE(1U, 2U, 20U);
  CAPTURE(is_timed, echoes);
  On on(is_timed);
  Pulse pulse;
  REQUIRE(on.applications->attach(on.chip, pulse).ok());
  CHECK(!on.applications->attach(on.chip, pulse).ok());
  execution::Simulation simulation(*on.link, {.most_cycle = 6});
  describe(simulation, {"pulse", 0, 0, mapping::Link::west}, echoes);
  std::uint32_t done = 0;
  for (const std::uint32_t ticks : {1U, 3U, 13U}) {
    const auto ended = simulation.run(ticks);
    INFO(ended.sentence());
    REQUIRE(ended.ok());
    on.link->pass_time(std::chrono::milliseconds(50)); // in which nothing runs
    done += ticks;
    CHECK(pulse.sent == done);
    REQUIRE(pulse.back.size() == std::size_t{done} * echoes);
    for (std::size_t at = 0; at < pulse.back.size(); ++at) CHECK(pulse.back[at] == 2 * (at / echoes));
  }
  for (const std::string& one : simulation.anomalies()) FAIL(one);
  for (mapping::Vertex vertex = 0; vertex <= echoes; ++vertex) {
    const bool is_device = vertex == echoes / 2;
    CHECK(simulation.recorded(vertex, 0).size() == (is_device ? 0U : 4 * done));
    CHECK(simulation.provenance(vertex).counters.empty());
  }
  REQUIRE(simulation.reset().ok());
  REQUIRE(simulation.run(4).ok());
  CHECK(pulse.sent == done + 4); // the world goes on
  CHECK(simulation.recorded(echoes, 0).size() == 16U);
  REQUIRE(simulation.close().ok());
}

TEST_CASE("A device that cannot be where it is said to be is refused by its name") {
  On on(false);
  const auto sentence = [&](const execution::DevicePlace& place) {
    execution::Simulation simulation(*on.link);
    describe(simulation, place, 2);
    return simulation.run(1).sentence();
  };
  CHECK(sentence({"pulse", 40, 0, mapping::Link::west}) ==
        "machine discovery: device pulse: the machine has no chip (40, 0)");
  CHECK(sentence({"pulse", 1, 1, mapping::Link::east}).find("machine discovery: device pulse: the link east of ") == 0);
  // Also once more, when another device was attached before it.
  execution::Simulation simulation(*on.link);
  describe(simulation, {"pulse", 0, 0, mapping::Link::west}, 2);
  static_cast<void>(simulation.add_device({"other", 0, 40, mapping::Link::west}));
  for (int run = 0; run < 2; ++run)
    CHECK(simulation.run(1).sentence() == "machine discovery: device other: the machine has no chip (0, 40)");
  CHECK(simulation.constraints().devices.size() == 1);
}
