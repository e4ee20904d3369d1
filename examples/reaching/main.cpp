// SPDX-License-Identifier: BSL-1.0
// A hand reaches for a target: an eye and a hand are devices at links of a simulated machine, and neurons on a core are between them.
// All of it is compared with a plain loop.
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/device.hpp>
#include <neuromorph/mapping/boards.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace offer = neuromorph::offer;
namespace runtime = neuromorph::runtime;

namespace {

constexpr std::uint32_t side = 20, fibres = 2 * side, eye_keys = 0x10000; // the first twenty see, and pull, to the left
constexpr std::uint32_t ticks = 3000;

/// Neurons that add up what an eye sends, and forget.
class Muscles {
public:
  void hear(std::uint32_t fibre) { input_[fibre] += 30; }
  /// Calls fire(fibre) for those that do.
  template <class Fire>
  void step(Fire fire) {
    for (std::uint32_t at = 0; at < fibres; ++at) {
      level_[at] += input_[at] - level_[at] / 16, input_[at] = 0;
      if (level_[at] >= 50) level_[at] = 0, fire(at);
    }
  }
  std::array<std::int32_t, fibres> level_{}, input_{};
};

/// The world between a hand and an eye: a fibre fires when 1 is reached.
struct World {
  double hand = 0.0, target = 0.0, error = 0.0, distance = 0.0;
  std::array<double, fibres> drive{};

  template <class Fire>
  void see(std::uint32_t time, Fire fire) {
    if (time == 0)
      for (std::uint32_t at = 0; at < fibres; ++at) drive[at] = at % side / double(side);
    error += std::fabs(target - hand), distance += std::fabs(target);
    target = std::sin(0.006 * double(time)); // once to and fro in a second
    for (std::uint32_t at = 0; at < fibres; ++at)
      if ((drive[at] += std::clamp(0.3 * (at < side ? hand - target : target - hand), 0.0, 0.2)) >= 1.0)
        drive[at] -= 1.0, fire(at);
  }
  void pull(std::uint32_t fibre) { hand += fibre < side ? -0.01 : 0.01; }
};

struct Eye final : machine::Device {
  explicit Eye(World& in) : world(in) {}
  void at_tick(std::uint32_t time) override {
    world.see(time, [this](std::uint32_t fibre) { send(eye_keys + fibre); });
  }
  World& world;
};
struct Hand final : machine::Device {
  explicit Hand(World& in) : world(in) {}
  void take(const machine::SentPacket& packet) override { world.pull(packet.key & 63U); }
  World& world;
};

struct Settings {
  std::uint32_t key;
  using Fields = runtime::Fields<&Settings::key>;
};
using SettingsRegion = runtime::Region<Settings>;
struct Fibres {
  using Regions = runtime::Regions<SettingsRegion>;
  using Offers = offer::List<offer::Tick, offer::Packet>;
  neuromorph::Status start(auto& core) { return core.template region<0>().status; }
  void tick(auto& core, std::uint32_t) {
    std::array<std::uint32_t, 2> fired{};
    muscles.step([&](std::uint32_t at) {
      fired[at / 32] |= 1U << at % 32;
      core.send(core.template region<0>().head->key + at);
    });
    static_cast<void>(core.record(0, fired));
  }
  void packet(auto&, std::uint32_t key) { muscles.hear(key & 63U); }
  void state(auto each) const {
    for (const std::int32_t one : muscles.level_) each(static_cast<std::uint32_t>(one));
  }
  Muscles muscles{};
};

int fails(const char* why) {
  std::fprintf(stderr, "reaching: %s\n", why);
  return 1;
}

} // namespace

int main() {
  // Links on the edge of a board are free: what is attached there is behind virtual chips.
  auto board = mapping::machine_of_boards(1);
  if (!board) return fails(board.sentence().c_str());
  const execution::DevicePlace eye_place{"eye", 0, 0, mapping::Link::west},
      hand_place{"hand", 0, 0, mapping::Link::south};
  World world;
  Eye eye(world);
  Hand hand(world);
  std::array<mapping::Chip, 2> chips{};
  for (const std::size_t at : {0U, 1U}) {
    const execution::DevicePlace& place = at == 0 ? eye_place : hand_place;
    const auto chip = board.value().add_device(board.value().chip_at(place.x, place.y), place.link, place.name);
    if (!chip) return fails(chip.sentence().c_str());
    chips[at] = chip.value();
  }
  machine::Programs programs;
  programs.add<Fibres>("muscles");
  machine::Monitors monitors(board.value(), {});
  machine::Applications applications(monitors, programs);
  if (const auto refusal = applications.attach(chips[0], eye); !refusal) return fails(refusal.sentence().c_str());
  if (const auto refusal = applications.attach(chips[1], hand); !refusal) return fails(refusal.sentence().c_str());
  execution::InProcessLink link(monitors, applications);

  execution::Simulation simulation(link);
  const auto image = simulation.add_image("muscles", machine::image_of("muscles"));
  const mapping::Vertex sees = simulation.add_device(eye_place), pulls = simulation.add_device(hand_place);
  const mapping::Vertex muscles = simulation.add(
      image, {.name = "muscles",
              .resources = {.dtcm_bytes = sizeof(Fibres), .sdram_bytes = 64},
              .regions =
                  [](const execution::Mapped& of) {
                    std::vector<std::uint8_t> bytes(SettingsRegion::bytes());
                    static_cast<void>(SettingsRegion::write(bytes, {of.mapping.keys[1].key}).ok()); // there is room
                    return std::vector<std::vector<std::uint8_t>>{bytes};
                  },
              .recordings = {[](std::uint64_t count) { return 8 * count; }}});
  const mapping::Partition seen = simulation.graph().connect(sees, std::span(&muscles, 1), {.keys = 64});
  simulation.graph().connect(muscles, std::span(&pulls, 1), {.keys = 64});
  // An eye sends the keys that it was built with.
  simulation.constraints().fixed_keys.push_back({.partition = seen, .keys = {eye_keys, ~std::uint32_t{63}}});

  World plain;
  Muscles plain_muscles;
  std::vector<std::uint32_t> fired;
  std::uint32_t done = 0;
  for (const std::uint32_t some : {1U, 499U, 1000U, ticks - 1500U}) {
    if (const auto refusal = simulation.run(some); !refusal) return fails(refusal.sentence().c_str());
    for (std::uint32_t time = done; time < done + some; ++time) {
      std::array<std::uint32_t, 2> words{};
      std::vector<std::uint32_t> heard, pulled;
      plain_muscles.step([&](std::uint32_t at) { words[at / 32] |= 1U << at % 32, pulled.push_back(at); });
      plain.see(time, [&](std::uint32_t at) { heard.push_back(at); });
      for (const std::uint32_t at : heard) plain_muscles.hear(at);
      for (const std::uint32_t at : pulled) plain.pull(at);
      fired.insert(fired.end(), words.begin(), words.end());
    }
    done += some;
    std::printf("%5.2f s  target %6.3f  hand %6.3f\n", 1e-3 * double(done), world.target, world.hand);
    if (std::bit_cast<std::uint64_t>(world.hand) != std::bit_cast<std::uint64_t>(plain.hand))
      return fails("the hand is not where that of the plain loop is");
  }
  for (const std::string& one : simulation.anomalies()) return fails(one.c_str());
  const auto recorded = simulation.recorded(muscles, 0);
  bool is_same = recorded.size() == 4 * fired.size();
  for (std::size_t at = 0; is_same && at < fired.size(); ++at)
    is_same = neuromorph::protocols::word_at(recorded, 4 * at) == fired[at];
  if (!is_same) return fails("the muscles have not fired as those of the plain loop");
  std::printf("\n%u ticks are those of a plain loop; mean distance %.3f, of a hand at rest %.3f\n", done,
              world.error / done, world.distance / done);
  if (world.error > 0.5 * world.distance) return fails("the hand does not follow");
  return std::fflush(stdout) == 0 ? 0 : 1; // a full disk, too, is a failure
}
