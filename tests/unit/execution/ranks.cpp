// SPDX-License-Identifier: BSL-1.0
// Simulations whose machine is in one to four processes, against the same in one alone: what is recorded, counted, logged, refused, late, sent
// to hosts, and the state of all cores, where packets take no time and where they take some.
#include <neuromorph/execution/simulation.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/digest.hpp>
#include <neuromorph/execution/link.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/device.hpp>
#include <neuromorph/machine/extra_monitor.hpp>
#include <neuromorph/machine/fault_player.hpp>
#include <neuromorph/machine/faults.hpp>
#include <neuromorph/machine/gatherer.hpp>
#include <neuromorph/machine/strip.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/protocols/scp.hpp>
#include <neuromorph/protocols/sdp.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/sanitized.hpp"

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace offer = neuromorph::offer;
namespace protocols = neuromorph::protocols;
namespace runtime = neuromorph::runtime;
using Bytes = std::vector<std::uint8_t>;
using namespace std::chrono_literals;

namespace {

struct Settings {
  std::uint32_t key, seed, fails_at;
  using Fields = runtime::Fields<&Settings::key, &Settings::seed, &Settings::fails_at>;
};
using SettingsRegion = runtime::Region<Settings>;

/// Sends in ticks, at its start and end, and what it hears so many times more; tells hosts; fails, and finishes.
struct Talker {
  using Regions = runtime::Regions<SettingsRegion>;
  using Offers = offer::List<offer::Tick, offer::Packet, offer::Payload, offer::Control, offer::Pause, offer::Counters>;
  static constexpr std::size_t counters = 3;
  std::uint32_t sum = 0, heard = 0;
  using Fields = runtime::Fields<&Talker::sum, &Talker::heard>;

  static std::uint32_t key(auto& core) { return core.template region<0>().head->key; }
  neuromorph::Status start(auto& core) {
    if (!core.template region<0>().status) return core.template region<0>().status;
    sum = core.template region<0>().head->seed, heard = 0;
    core.send(key(core), 3);
    return {};
  }
  void tick(auto& core, std::uint32_t time) {
    sum = sum * 1664525 + 1013904223 + time;
    static_cast<void>(core.record(0, std::span(&sum, 1)));
    for (std::uint32_t one = 0; one < (sum >> 8) % 3; ++one) core.send(key(core), (sum >> 12) % 4);
    if ((sum >> 8) % 5 == 0) core.send(key(core));
    if ((sum >> 8) % 64 == 1) core.log("[WARNING] a strange sum");
    if ((sum >> 8) % 16 == 2) say(core);
    if (time == core.template region<0>().head->fails_at) core.fail(7);
    if (sum >> 8 == 3) core.finish();
  }
  void packet(auto& core, std::uint32_t key) { sum = sum * 33 + key, core.count(0); }
  void payload(auto& core, std::uint32_t from, std::uint32_t payload) {
    sum = sum * 35 + from + payload, ++heard, core.count(1);
    if (payload != 0) core.send(key(core), payload - 1);
  }
  void control(auto& core, unsigned port, std::span<const std::uint8_t> message) {
    sum += port, core.count(2);
    for (const std::uint8_t one : message) sum = sum * 31 + one;
    core.send(key(core), 5);
    say(core);
  }
  void pause(auto& core) { core.send(key(core), 1), say(core); }
  void say(auto& core) {
    const std::uint8_t bytes[] = {std::uint8_t(sum), std::uint8_t(sum >> 8), std::uint8_t(sum >> 16)};
    static_cast<void>(core.message(1, bytes));
  }
};

/// Sends what it has heard, in each tick.
class Eye final : public machine::Device {
public:
  void at_tick(std::uint32_t time) override {
    if (time % 2 == 0) send(key, sum % 4);
    sum = sum * 31 + time;
  }
  void take(const machine::SentPacket& packet) override { sum = sum * 33 + packet.key; }
  void state(neuromorph::Digest& digest) const override { digest.add(sum); }
  static constexpr std::uint32_t key = 0xE0000;
  std::uint32_t sum = 1;
};

struct Plan {
  unsigned seed, boards, vertices;
  bool is_timed, has_streams;
  std::uint32_t fails_at = UINT32_MAX; ///< a tick in which one does
  std::string breaks = {};             ///< a script of faults
};
/// All that a host sees.
struct Seen {
  std::vector<std::string> said;
  std::vector<std::vector<Bytes>> recorded; // [run][vertex]
  std::vector<std::vector<std::uint32_t>> counted;
  std::vector<std::pair<mapping::Chip, Bytes>> sent;
  std::vector<std::uint64_t> digests;
  machine::PacketAccount account{};
  std::uint64_t asked = 0, unasked = 0, streamed = 0;
  std::uint64_t begun = 0, ended = 0, lost = 0, doubled = 0, late = 0; ///< faults, and datagrams
  std::uint64_t lost_on_links = 0;                                     ///< where packets take no time
  friend bool operator==(const Seen&, const Seen&) = default;
};

/// What the host does, in rank 0.
Seen host(const Plan& plan, const mapping::Machine& boards, mapping::Chip eye_at, execution::InProcessLink& link) {
  std::mt19937 draw(plan.seed);
  Seen seen;
  link.set_listener([&seen](const machine::Datagram& one) { seen.sent.emplace_back(one.from, one.bytes); });
  execution::SimulationOptions options{.most_cycle = 5, .margin = 20ms, .reads_logs = true, .extraction = 4ms};
  if (plan.has_streams)
    options.extra_monitor = machine::image_of(machine::extra_monitor_name),
    options.gatherer = machine::image_of(machine::gatherer_name);
  execution::Simulation simulation(link, options);
  const auto image = simulation.add_image("talker", machine::image_of("talker"));
  std::vector<mapping::Chip> chips;
  for (mapping::Chip chip = 0; chip < boards.grid_chips(); ++chip)
    if (boards.has(chip)) chips.push_back(chip);
  const std::uint32_t breaks = static_cast<std::uint32_t>(draw()) % plan.vertices;
  for (mapping::Vertex at = 0; at < plan.vertices; ++at) {
    simulation.add(
        image, {.name = "talker",
                .resources = {.dtcm_bytes = 64, .sdram_bytes = 256, .ip_tags = 1, .reverse_tags = at == 0 ? 1U : 0U},
                .regions =
                    [&plan, at, breaks](const execution::Mapped& of) {
                      Bytes bytes(SettingsRegion::bytes());
                      const Settings is{of.mapping.keys[at].key, plan.seed * 1000 + at,
                                        at == breaks ? plan.fails_at : UINT32_MAX};
                      static_cast<void>(SettingsRegion::write(bytes, is).ok());
                      bytes.resize(bytes.size() + (at % 3 == 0 ? 2000 : 0));
                      return std::vector<Bytes>{bytes};
                    },
                .recordings = {[](std::uint64_t ticks) { return 4 * ticks; }},
                .counters = 3});
    simulation.constraints().on_chip.push_back({at, chips[draw() % chips.size()]});
    simulation.constraints().ip_tags.push_back({.vertex = at, .host = "127.0.0.1", .port = 40000, .tag = 1});
  }
  simulation.constraints().reverse_tags.push_back({.vertex = 0, .port = 12345, .sdp_port = 1});
  const mapping::Vertex eye = simulation.add_device({"eye", boards.x(eye_at), boards.y(eye_at), mapping::Link::north});
  for (mapping::Vertex at = 0; at < plan.vertices; ++at) {
    std::vector<mapping::Vertex> to(1 + draw() % 3);
    for (auto& one : to) one = static_cast<mapping::Vertex>(draw() % (plan.vertices + 1));
    simulation.graph().connect(at, to);
  }
  const mapping::Vertex seeing[] = {0, static_cast<mapping::Vertex>(draw() % plan.vertices)};
  simulation.constraints().fixed_keys.push_back({simulation.graph().connect(eye, seeing), {Eye::key, 0xFFFFFFFF}});
  const auto look = [&](const neuromorph::Refusal& refusal) {
    seen.said.push_back(refusal.sentence());
    auto& recorded = seen.recorded.emplace_back();
    for (mapping::Vertex at = 0; at < plan.vertices; ++at) {
      const auto bytes = simulation.recorded(at, 0);
      recorded.emplace_back(bytes.begin(), bytes.end());
      seen.counted.push_back(simulation.provenance(at).counters);
      seen.said.push_back(simulation.log(at));
    }
    seen.said.insert(seen.said.end(), simulation.anomalies().begin(), simulation.anomalies().end());
    seen.digests.push_back(link.ranks().digest());
  };
  const auto first = simulation.run(1);
  const bool is_mapped = first.ok(); // as far as is known
  look(first);
  look(simulation.run(13));
  look(simulation.begin());
  for (unsigned turn = 0; turn < 6; ++turn) {
    Bytes bytes(1 + draw() % 40);
    for (auto& one : bytes) one = static_cast<std::uint8_t>(draw());
    link.send_to(is_mapped ? boards.ethernet_of(simulation.mapping().placements.chip[0]) : 0, 12345, bytes);
    seen.said.push_back(simulation.wait(std::chrono::milliseconds(draw() % 4)).sentence());
  }
  look(simulation.end());
  if (plan.seed % 3 == 0) seen.said.push_back(simulation.reset().sentence());
  look(simulation.run(3));
  seen.account = link.ranks().account(), seen.asked = simulation.counts().asked,
  seen.unasked = simulation.counts().late, seen.streamed = simulation.streams().streams;
  if (plan.seed % 3 != 1) seen.said.push_back(simulation.close().sentence());
  seen.digests.push_back(link.ranks().digest());
  return seen;
}

std::atomic<unsigned> strangers{0}; // programs on chips of other processes, before they are closed

/// \param strip_of  strip_of(machine): that of this process
template <class StripOf>
void have_machine(const Plan& plan, StripOf strip_of, Seen& seen) {
  mapping::Machine boards = mapping::machine_of_boards(plan.boards).value();
  mapping::Chip eye_at = boards.grid_chips() - 1; // the last that has room for it
  while (!boards.has(eye_at) || boards.neighbour(eye_at, mapping::Link::north) != mapping::no_chip) --eye_at;
  const mapping::Chip eye_chip = boards.add_device(eye_at, mapping::Link::north, "eye").value();
  const machine::Strip strip = strip_of(boards);
  machine::Programs programs;
  programs.add<Talker>("talker");
  programs.add_model<machine::ExtraMonitor>(machine::extra_monitor_name);
  programs.add_model<machine::Gatherer>(machine::gatherer_name);
  machine::Monitors monitors(boards, {});
  machine::TimedCoresOptions timed{.period = 40'000, .most_skew = plan.seed % 4 * 10'000};
  timed.fabric.strip = strip;
  const auto applications =
      plan.is_timed ? std::make_unique<machine::Applications>(monitors, programs, timed)
                    : std::make_unique<machine::Applications>(monitors, programs, machine::RunOptions{.strip = strip});
  Eye eye;
  if (!applications->attach(eye_chip, eye).ok()) return;
  execution::InProcessLink link(monitors, *applications);
  machine::FaultPlayer player(machine::FaultScript::read(plan.breaks).value(), monitors, *applications, plan.seed);
  if (!player.check().ok()) return;
  if (!plan.breaks.empty()) link.set_faults(&player);
  if (link.is_host()) {
    seen = host(plan, boards, eye_at, link);
    const auto& counts = player.counts();
    seen.begun = counts.begun, seen.ended = counts.ended;
    seen.lost = counts.lost, seen.doubled = counts.doubled, seen.late = counts.late;
    seen.lost_on_links = monitors.wiring().lost_on_links();
  } else {
    static_cast<void>(link.serve().ok());
  }
  for (mapping::Chip chip = 0; chip < boards.grid_chips(); ++chip)
    if (boards.has(chip) && !strip.has(chip)) strangers += monitors.chip(chip).core[1].application != 0 ? 1U : 0U;
}

Seen seen_alone(const Plan& plan) {
  Seen seen;
  have_machine(
      plan, [](const mapping::Machine&) { return machine::Strip{}; }, seen);
  return seen;
}
Seen seen_by(const Plan& plan, unsigned ranks) {
  tests::Ranks world(ranks);
  Seen seen;
  world.run([&](unsigned rank) {
    have_machine(
        plan, [&](const mapping::Machine& of) { return world.strip(rank, machine::strips_of_boards(of, ranks)); },
        seen);
  });
  return seen;
}
void check_same(const Seen& seen, const Seen& alone) {
  CHECK(seen.said == alone.said);
  CHECK(seen.recorded == alone.recorded);
  CHECK(seen.counted == alone.counted);
  CHECK(seen.sent == alone.sent);
  CHECK(seen.digests == alone.digests);
  CHECK(seen.account == alone.account);
  CHECK((seen.begun == alone.begun && seen.ended == alone.ended));
  CHECK((seen.lost == alone.lost && seen.doubled == alone.doubled && seen.late == alone.late));
  CHECK((seen.asked == alone.asked && seen.unasked == alone.unasked && seen.streamed == alone.streamed));
}

} // namespace

TEST_CASE("ranks: a simulation sees the same of a machine in one to four processes as of one alone") {
  std::uint64_t late = 0, dropped = 0, failed = 0, logged = 0, sent = 0, taken = 0, streamed = 0;
  for (unsigned seed = 1; seed <= (sanitized ? 4U : 12U); ++seed) {
    std::mt19937 draw(seed);
    Plan plan{.seed = seed,
              .boards = 3 + seed % 4,
              .vertices = 8 + static_cast<unsigned>(draw()) % 40,
              .is_timed = seed % 2 == 0,
              .has_streams = seed % 3 == 1};
    if (seed % 4 >= 2) plan.fails_at = 1 + static_cast<std::uint32_t>(draw()) % 20;
    const Seen alone = seen_alone(plan);
    REQUIRE(!alone.said.empty());
    REQUIRE(alone.said[0] == "no error");
    REQUIRE(alone.unasked == 0);
    for (const std::string& one : alone.said) {
      late += one.find(" came late to ") != std::string::npos,
          dropped += one.find(" has dropped ") != std::string::npos;
      failed += one.find("run-time error") != std::string::npos, logged += one.find("strange") != std::string::npos;
    }
    sent += alone.sent.size(), taken += alone.account.taken, streamed += alone.streamed;
    for (const unsigned ranks : {1 + seed % 4, 1 + (seed + 1) % 4}) {
      CAPTURE(seed, ranks);
      check_same(seen_by(plan, ranks), alone);
      CHECK(strangers == 0);
    }
  }
  CHECK((late > 0 && dropped > 0 && failed > 0 && logged > 0 && sent > 100 && taken > 1000 && streamed > 0));
}

namespace {
/// Faults of a few kinds, at any time of what the host does.
std::string faults_of(unsigned seed, const mapping::Machine& boards) {
  std::mt19937 draw(seed);
  std::vector<mapping::Chip> chips, ethernets;
  for (mapping::Chip chip = 0; chip < boards.grid_chips(); ++chip)
    if (boards.has(chip)) {
      chips.push_back(chip);
      if (boards.ethernet_of(chip) == chip) ethernets.push_back(chip);
    }
  std::string script;
  for (unsigned count = 1 + static_cast<unsigned>(draw()) % 6; count != 0; --count) {
    const unsigned kind = static_cast<unsigned>(draw()) % 14;
    const std::vector<mapping::Chip>& of = kind >= 10 ? ethernets : chips;
    const mapping::Chip chip = of[draw() % of.size()];
    const std::string place = std::to_string(boards.x(chip)) + " " + std::to_string(boards.y(chip));
    const std::string length = " for " + std::to_string(1 + draw() % 9000) + "us",
                      core = " " + std::to_string(1 + draw() % 3);
    const char* const links[] = {" E", " NE", " N", " W", " SW", " S"};
    const std::string link = links[draw() % 6], share = " with 0." + std::to_string(1 + draw() % 9);
    script += std::to_string(draw() % 3 == 0 ? 0 : draw() % 40000) + "us ";
    switch (kind) {
    case 0: script += "chip " + place + (draw() % 2 == 0 ? length : ""); break;
    case 1: script += "core " + place + core; break;
    case 2: script += "hang " + place + core; break;
    case 3: script += "error " + place + core; break;
    case 4: script += "link " + place + link + (draw() % 2 == 0 ? " one-way" : "") + length; break;
    case 5: script += "corrupt " + place + " " + std::to_string(0x60000000 + draw() % 4096 * 4); break;
    case 6: script += "router " + place; break;
    case 10: script += "ethernet " + place + length; break;
    case 11: script += "lost " + place + " with 0.0" + std::to_string(1 + draw() % 9) + length; break;
    case 12: script += "doubled " + place + share + length; break;
    case 13: script += "reordered " + place + share + length; break;
    default: script += "lossy " + place + link + share + (draw() % 2 == 0 ? length : ""); break;
    }
    script += "\n";
  }
  return script;
}
} // namespace

TEST_CASE("ranks: what breaks in mid-run breaks alike in any number of processes") {
  std::uint64_t begun = 0, ended = 0, lost = 0, doubled = 0, late = 0, lost_on_links = 0, well = 0, failed = 0;
  for (unsigned seed = 1; seed <= (sanitized ? 6U : 32U); ++seed) {
    std::mt19937 draw(seed + 1000);
    Plan plan{.seed = seed,
              .boards = 1 + seed % 4,
              .vertices = 8 + static_cast<unsigned>(draw()) % 40,
              .is_timed = seed % 2 == 0,
              .has_streams = seed % 5 == 1};
    const mapping::Machine boards = mapping::machine_of_boards(plan.boards).value();
    plan.breaks = faults_of(seed, boards);
    // What the system's programs send is lost in one process alone, what vertices send, in all of them.
    for (mapping::Chip chip = 0; plan.has_streams && chip < boards.grid_chips(); ++chip)
      for (const char* const link : {"E", "NE", "N"})
        if (boards.has(chip))
          plan.breaks += "0ns lossy " + std::to_string(boards.x(chip)) + " " + std::to_string(boards.y(chip)) + " " +
                         link + " with 0.02\n";
    const Seen alone = seen_alone(plan);
    REQUIRE(!alone.said.empty());
    ++(alone.said[0] == "no error" ? well : failed);
    begun += alone.begun, ended += alone.ended, lost += alone.lost, doubled += alone.doubled, late += alone.late;
    lost_on_links += alone.lost_on_links;
    const unsigned ranks = 2 + seed % 3;
    CAPTURE(seed, ranks, plan.breaks);
    check_same(seen_by(plan, ranks), alone);
  }
  CAPTURE(begun, ended, lost, doubled, late, lost_on_links, well, failed);
  CHECK((begun > 20 && ended > 5 && lost_on_links > 0));
  CHECK((sanitized || (lost > 0 && doubled > 0 && late > 0)));
  CHECK((well > 0 && failed > 0));
}

TEST_CASE("ranks: what is away for less than a time-out is there when it is asked again") {
  for (const char* const breaks :
       {"0ns chip 0 0 for 99ms\n", "0ns ethernet 0 0 for 99ms\n", "0ns lost 0 0 with 1 for 99ms\n"}) {
    CAPTURE(breaks);
    Plan plan{.seed = 1, .boards = 1, .vertices = 8, .is_timed = false, .has_streams = false};
    plan.breaks = breaks;
    const Seen seen = seen_alone(plan);
    REQUIRE(!seen.said.empty());
    CHECK(seen.said[0] == "no error");
    CHECK((seen.begun == 1 && seen.ended == 1));
  }
}

namespace {
/// Answers to random requests, of which some are for chips that are not there, or to be asked over a link, in the order in which they come.
std::vector<Bytes> answers_to(unsigned seed, const mapping::Machine& boards, execution::InProcessLink& link) {
  std::mt19937 draw(seed);
  for (mapping::Board board = 1; board < boards.boards(); ++board)
    REQUIRE(link.add({127, 0, 0, static_cast<std::uint8_t>(2 + board)}).ok());
  std::vector<Bytes> answers;
  Bytes received;
  for (std::uint16_t number = 0; number < 300; ++number) {
    std::array<std::uint8_t, 280> scp{}, datagram{};
    const std::uint32_t address = 0x60000000 + static_cast<std::uint32_t>(draw()) % 8 * 4;
    const auto link_of = static_cast<std::uint8_t>(draw() % 7);
    const std::uint8_t word[] = {std::uint8_t(number), std::uint8_t(seed), 1, 2};
    protocols::Sdp sdp;
    sdp.to = {static_cast<std::uint8_t>(draw() % (boards.width() + 1)),
              static_cast<std::uint8_t>(draw() % (boards.height() + 1)), 0, 0};
    std::size_t size = 0;
    switch (draw() % 6) {
    case 0: size = protocols::encode_request(protocols::LinkRead{address, 4, link_of}.request(number), scp); break;
    case 1: size = protocols::encode_request(protocols::LinkWrite{address, link_of, word}.request(number), scp); break;
    case 2: size = protocols::encode_request(protocols::ReadMemory{address, 4}.request(number), scp); break;
    case 3: size = protocols::encode_request(protocols::CountCores{0, 15}.request(number), scp); break;
    case 4: size = draw() % 12; break; // nothing that is a command
    default:
      size = protocols::encode_request(
          protocols::WriteMemory{address, protocols::AccessUnit::word, word}.request(number), scp);
    }
    sdp.data = std::span(scp).first(size);
    const std::size_t count = protocols::encode_sdp_datagram(sdp, datagram);
    link.send(draw() % boards.boards(), std::span(datagram).first(count));
    if (draw() % 8 == 0)
      while (link.receive(received, 0us)) answers.push_back(received);
  }
  while (link.receive(received, 0us)) answers.push_back(received);
  return answers;
}
} // namespace

TEST_CASE("ranks: requests are answered in their order, by who has the chip") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const mapping::Machine boards = mapping::machine_of_boards(2 + seed).value();
    const machine::Programs programs;
    std::vector<Bytes> expected;
    for (unsigned ranks = 0; ranks <= 4; ++ranks) {
      CAPTURE(seed, ranks);
      tests::Ranks world((std::max)(1U, ranks));
      std::vector<Bytes> answers;
      world.run([&](unsigned rank) {
        machine::Monitors monitors(boards, {});
        machine::RunOptions options;
        if (ranks != 0) options.strip = world.strip(rank, machine::strips_of_boards(boards, ranks));
        machine::Applications applications(monitors, programs, options);
        execution::InProcessLink link(monitors, applications);
        if (!link.is_host()) return static_cast<void>(link.serve().ok());
        answers = answers_to(seed, boards, link);
      });
      if (ranks == 0) expected = answers;
      CHECK(answers == expected);
    }
    CHECK(expected.size() > 250);
  }
}

TEST_CASE("ranks: processes that share a board are told so") {
  const mapping::Machine boards = mapping::machine_of_boards(3).value();
  const machine::Programs programs;
  tests::Ranks world(1);
  machine::Monitors monitors(boards, {});
  machine::RunOptions options;
  options.strip = world.strip(0, machine::strips_of_chips(boards, 2));
  machine::Applications applications(monitors, programs, options);
  execution::InProcessLink link(monitors, applications);
  CHECK(link.ranks().lost().sentence() ==
        "chip 9, 8: it is of another rank than the rest of its board; machine::strips_of_boards keeps boards whole");
  execution::Simulation simulation(link, {.transceiver = {.tries = 2}});
  CHECK(!simulation.run(1).ok());
  CHECK(world.exchanges == 0);
}

TEST_CASE("ranks: a host whose others are gone gets no answers, and others are told") {
  const mapping::Machine boards = mapping::machine_of_boards(3).value();
  machine::Programs programs;
  programs.add<Talker>("talker");
  unsigned whole = 0;
  for (unsigned fails_at = 1; whole == 0; ++fails_at) {
    tests::Ranks world(1);
    world.fails_at = fails_at;
    machine::Monitors monitors(boards, {});
    machine::RunOptions options;
    options.strip = world.strip(0, machine::strips_of_boards(boards, 1));
    machine::Applications applications(monitors, programs, options);
    execution::InProcessLink link(monitors, applications);
    execution::Simulation simulation(link, {.transceiver = {.tries = 2}});
    const auto image = simulation.add_image("talker", machine::image_of("talker"));
    for (mapping::Vertex at = 0; at < 5; ++at) {
      simulation.add(image,
                     {.name = "talker",
                      .regions =
                          [at](const execution::Mapped& of) {
                            Bytes bytes(SettingsRegion::bytes());
                            static_cast<void>(SettingsRegion::write(bytes, {of.mapping.keys[at].key, at, 1000}).ok());
                            return std::vector<Bytes>{bytes};
                          },
                      .counters = 3});
      const mapping::Vertex itself[] = {at};
      simulation.graph().connect(at, itself);
    }
    const auto ended = simulation.run(10);
    if (world.exchanges < fails_at) {
      CHECK(ended.sentence() == "no error");
      CHECK(applications.account().idle ==
            10); // what is sent before the first tick and behind the last comes to cores that wait
      ++whole;
      continue;
    }
    CHECK(!ended.ok());
    CHECK(link.ranks().lost().sentence() == "rank 1: it is gone");
    CHECK(world.exchanges == fails_at);
  }
}
