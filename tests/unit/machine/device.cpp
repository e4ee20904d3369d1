// SPDX-License-Identifier: BSL-1.0
// A closed loop: an eye sees a spot on a ring, cores follow it, a motor turns the eye; through the tables of a mapping, and compared with
// the same loop without a machine.
#include <neuromorph/machine/device.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <neuromorph/machine/native.hpp>
#include <neuromorph/machine/run.hpp>
#include <neuromorph/machine/table_walk.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/map.hpp>

#include "tests/support/catch.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace offer = neuromorph::offer;
namespace runtime = neuromorph::runtime;

constexpr std::uint32_t pixels = 64;

/// A spot that jumps, and an eye that has been turned.
struct World {
  std::uint32_t spot = 5, turned = 0;
  [[nodiscard]] std::uint32_t seen() const { return (spot + pixels - turned) % pixels; }
};
struct Eye final : machine::Device {
  World& world;
  std::uint32_t key;
  Eye(World& of, std::uint32_t first) : world(of), key(first) {}
  void at_tick(std::uint32_t) override {
    world.spot = (world.spot * 5 + 17) % pixels;
    send(key + world.seen());
  }
};
struct Motor final : machine::Device {
  World& world;
  std::uint64_t turns = 0;
  explicit Motor(World& of) : world(of) {}
  void take(const machine::SentPacket& packet) override {
    REQUIRE(packet.has_payload);
    world.turned = (world.turned + packet.payload) % pixels, ++turns;
  }
  void state(neuromorph::Digest& digest) const override { digest.add(world.turned); }
};

struct Keys {
  std::uint32_t eye, own, part; // of a quarter of the pixels
  using Fields = runtime::Fields<&Keys::eye, &Keys::own, &Keys::part>;
};
/// Turns the eye half of the way to what it sees in its quarter.
struct Follower {
  using Regions = runtime::Regions<runtime::Region<Keys>>;
  using Offers = offer::List<offer::Packet>;
  std::uint32_t seen = 0;
  using Fields = runtime::Fields<&Follower::seen>;
  neuromorph::Status start(auto& core) { return core.template region<0>().status; }
  void packet(auto& core, std::uint32_t key) {
    const auto keys = core.template region<0>();
    const std::uint32_t pixel = key - keys.head->eye;
    if (pixel / (pixels / 4) != keys.head->part) return;
    ++seen;
    core.send(keys.head->own, (pixel + 1) / 2);
  }
};

} // namespace

TEST_CASE("device: an eye and a motor at links, with cores between, are a loop as it is without a machine") {
  std::set<std::uint64_t> digests;
  for (const unsigned threads : {1U, 2U}) {
    mapping::Machine of = mapping::board_of_48().value();
    // Two links at the edge that lead nowhere.
    const auto eye_chip = of.add_device(of.chip_at(0, 0), mapping::Link::west, "eye");
    const auto motor_chip = of.add_device(of.chip_at(7, 3), mapping::Link::east, "motor");
    INFO(eye_chip.sentence() << motor_chip.sentence());
    REQUIRE((eye_chip && motor_chip));
    mapping::MachineGraph graph;
    const auto eye_vertex = graph.add({}, "eye"), motor_vertex = graph.add({}, "motor");
    std::vector<mapping::Vertex> followers;
    for (int at = 0; at < 4; ++at) followers.push_back(graph.add({.sdram_bytes = 100}));
    const auto seen = graph.connect(eye_vertex, followers, {.keys = pixels});
    std::vector<mapping::Partition> turns;
    for (const mapping::Vertex one : followers)
      turns.push_back(graph.connect(one, std::vector<mapping::Vertex>{motor_vertex}));
    mapping::Constraints constraints;
    constraints.devices = {{.vertex = eye_vertex, .chip = eye_chip.value()},
                           {.vertex = motor_vertex, .chip = motor_chip.value()}};
    constraints.on_chip = {{.vertex = followers[0], .chip = of.chip_at(2, 5)},
                           {.vertex = followers[1], .chip = of.chip_at(6, 6)}};
    const auto mapped = mapping::map(graph, of, constraints);
    INFO(mapped.sentence());
    REQUIRE(mapped);
    const mapping::Mapping& all = mapped.value();

    World world, plain;
    Eye eye(world, all.keys_of(seen).key);
    Motor motor(world);
    machine::TableWalk walk(of, all.tables);
    machine::NativeCores<Follower> cores(4);
    machine::Run run(walk, {.threads = threads});
    REQUIRE(run.attach({eye_chip.value(), 0}, eye, 0).ok());
    REQUIRE(run.attach({motor_chip.value(), 0}, motor, 0).ok());
    for (std::uint32_t at = 0; at < 4; ++at) {
      std::vector<std::uint8_t> bytes(runtime::Region<Keys>::bytes());
      REQUIRE(runtime::Region<Keys>::write(bytes, {all.keys_of(seen).key, all.keys_of(turns[at]).key, at}).ok());
      REQUIRE(cores.load<0>(at, bytes).ok());
      const mapping::Vertex vertex = followers[at];
      REQUIRE(run.attach({all.placements.chip[vertex], all.placements.core[vertex]}, cores, at).ok());
    }
    REQUIRE(run.start().ok());
    for (std::uint32_t tick = 0; tick < 500; ++tick) {
      REQUIRE(run.ticks(1).ok());
      plain.spot = (plain.spot * 5 + 17) % pixels;
      plain.turned = (plain.turned + (plain.seen() + 1) / 2) % pixels;
      REQUIRE((world.spot == plain.spot && world.turned == plain.turned));
    }
    CHECK(motor.turns == 500);
    CHECK(run.account() == machine::PacketAccount{.sent = 1000, .copies = 2500, .taken = 2500});
    CHECK(walk.account().devices == 4); // ways are looked up once
    digests.insert(run.digest());
  }
  CHECK(digests.size() == 1);
}

TEST_CASE("device: nobody at a link is counted, and a device has no regions") {
  World world;
  Motor motor(world);
  machine::CoreModel& core = motor;
  CHECK(core.load(0, 0, {}).error == neuromorph::Error::index_out_of_range);
  mapping::Machine of = mapping::Machine::grid<mapping::SpiNNaker1>(2, 1).value();
  const auto chip = of.add_device(0, mapping::Link::west, "motor");
  REQUIRE(chip);
  mapping::Tables tables;
  tables.items.push_back({{1, ~0U}, mapping::route_to(mapping::Link::west), 0});
  tables.end_list(), tables.end_list();
  machine::TableWalk walk(of, tables);
  machine::Run run(walk);
  CHECK(run.send(1, {.key = 1}).ok());
  CHECK(run.account().to_nobody == 1);
  CHECK(run.send(0, {.key = 1}).ok());
  CHECK(run.account().idle == 1);
}
