// SPDX-License-Identifier: BSL-1.0
// Scripts of faults: read, written, refused; played to a machine and its programs, each kind at its time, and repaired.
#include <neuromorph/machine/faults.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/fault_player.hpp>
#include <neuromorph/machine/ranks.hpp>
#include <neuromorph/mapping/boards.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/scp_host.hpp"

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;

namespace {
machine::FaultScript drawn(std::mt19937_64& random, std::size_t count) {
  machine::FaultScript script;
  for (std::size_t at = 0; at < count; ++at) {
    machine::TimedFault one;
    one.at_ns = static_cast<std::int64_t>(random() % 5);
    one.kind = machine::FaultKind(random() % 12);
    one.x = static_cast<std::uint32_t>(random() % 3), one.y = static_cast<std::uint32_t>(random() % 3);
    if (one.is_of_link())
      one.part = static_cast<std::uint32_t>(random() % 6), one.is_one_way = random() % 2 == 0;
    else if (one.has_part())
      one.part = static_cast<std::uint32_t>(random());
    if (random() % 2 == 0) one.for_ns = static_cast<std::int64_t>(random() >> 1 | 1);
    if (one.has_probability()) one.probability = static_cast<double>(random() >> 11) * 0x1p-53;
    script.faults.push_back(one);
  }
  return script;
}
} // namespace

TEST_CASE("faults: what is written is read as the same, and cut off anywhere it is read or refused with its line") {
  std::mt19937_64 random(1);
  const auto script = drawn(random, 300);
  const auto back = machine::FaultScript::read(script.text());
  REQUIRE(back);
  REQUIRE(back.value().faults == script.faults);
  const std::string text = drawn(random, 20).text();
  for (std::size_t end = 0; end <= text.size(); ++end) {
    const auto cut = machine::FaultScript::read(text.substr(0, end));
    const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    if (cut)
      CHECK(cut.value().faults.size() >= static_cast<std::size_t>(lines));
    else
      CHECK(cut.status().where == static_cast<std::uint32_t>(lines) + 1);
  }
}

TEST_CASE("faults: each mistake is a sentence") {
  for (const auto& [text, words] :
       {std::pair{"\n5 chip 0 0", "faults: line 2: a time with ns, us, ms or s is wanted, and not '5'"},
        {"9223372036854775807s chip 0 0", "a time with"},
        {"-1ns chip 0 0", "a time with"},
        {"5ms chip 0", "the y of a chip is wanted, and not the end of the line"},
        {"5ms link 0 0 X", "E, NE, N, W, SW or S is wanted, and not 'X'"},
        {"5ms lossy 0 0 E with 1.5", "a probability from 0 to 1 is wanted, and not '1.5'"},
        {"5ms lossy 0 0 E with nan", "a probability from 0 to 1"},
        {"5ms core 0 0 1 one-way", "and not 'one-way'"},
        {"5ms chip 0 0 with 0.5", "and not 'with'"},
        {"5ms chip 0 0 for 0ns", "a time above 0"}}) {
    const auto read = machine::FaultScript::read(text);
    REQUIRE(!read);
    INFO(read.sentence());
    CHECK(read.sentence().find(words) != std::string::npos);
  }
}

TEST_CASE("faults: they are due by time, chip, kind, part and number") {
  std::mt19937_64 random(2);
  const auto script = drawn(random, 500);
  const auto order = script.in_order();
  REQUIRE(order.size() == 500);
  for (std::size_t at = 1; at < order.size(); ++at) {
    const auto &a = script.faults[order[at - 1]], &b = script.faults[order[at]];
    CHECK(std::tuple(a.at_ns, a.y, a.x, a.kind, a.part, order[at - 1]) <
          std::tuple(b.at_ns, b.y, b.x, b.kind, b.part, order[at]));
  }
}

TEST_CASE("faults: mapping is given what is dead from the beginning, and nothing else") {
  const auto answer = mapping::board_of_48();
  REQUIRE(answer);
  const mapping::Machine& made = answer.value();
  const auto script = machine::FaultScript::read("0ns chip 1 1\n0ns core 2 2 5\n0ns link 0 0 NE one-way\n"
                                                 "0ns chip 3 3 for 1ms\n1ns chip 4 4\n0ns hang 0 0 3\n");
  REQUIRE(script);
  const auto known = script.value().from_the_beginning(made);
  REQUIRE(known);
  CHECK(known.value() == mapping::Faults{{made.chip_at(1, 1)},
                                         {{made.chip_at(2, 2), 5}},
                                         {{made.chip_at(0, 0), mapping::Link::north_east, true}}});
  CHECK(!machine::FaultScript::read("0ns chip 8 0").value().from_the_beginning(made));
}

TEST_CASE("faults: draws have their share, and each depends on seed, fault and number alone") {
  unsigned count = 0;
  for (std::uint64_t number = 0; number < 100000; ++number) count += machine::strikes(0.05, 7, 3, number) ? 1U : 0U;
  CHECK(count > 4700);
  CHECK(count < 5300);
  CHECK(!machine::strikes(0.0, 1, 2, 3));
  CHECK(machine::strikes(1.0, 1, 2, 3));
}

namespace {
namespace offer = neuromorph::offer;
namespace protocols = neuromorph::protocols;
namespace runtime = neuromorph::runtime;
using machine::CoreState;
using protocols::ScpResult;

/// Sends its key at each tick, and counts what it hears.
struct Ticker {
  using Regions = runtime::Regions<>;
  using Offers = offer::List<offer::Tick, offer::Packet>;
  std::uint32_t ticks = 0, heard = 0;
  using Fields = runtime::Fields<&Ticker::ticks, &Ticker::heard>;
  neuromorph::Status start(auto&) { return {}; }
  void tick(auto& core, std::uint32_t) { ++ticks, core.send(1); }
  void packet(auto&, std::uint32_t) { ++heard; }
};

/// A ticker on core 1 of chip (0, 0), whose packets go east to core 1 of chip (1, 0) and to its own core 2.
struct World {
  mapping::Machine of = mapping::machine_of_boards(3).value();
  machine::Programs programs{};
  machine::Monitors monitors{of, {}};
  machine::Applications applications;
  scp_host::Client client{monitors};
  machine::FaultPlayer player;
  std::vector<machine::Datagram> sent{};
  std::int64_t now = 0;

  explicit World(const std::string& script) : World(script, machine::RunOptions{}) {}
  template <class Options>
  World(const std::string& script, const Options& options)
      : applications(monitors, programs, options),
        player(machine::FaultScript::read(script).value(), monitors, applications, 7) {
    REQUIRE(player.check().ok());
    programs.add<Ticker>("ticker");
    REQUIRE(monitors.chip(0).router.set(1, {{1, ~0U}, 1U | 1U << 8, 0}));
    REQUIRE(monitors.chip(1).router.set(1, {{1, ~0U}, 1U << 7, 0}));
    const auto image = machine::image_of("ticker");
    applications.launch(0, {30, 0, 6}, 6, image), applications.launch(1, {30, 0, 2}, 2, image);
    protocols::RunControl run;
    run.what = protocols::RunControl::What::run_for, run.is_endless = true;
    std::array<std::uint8_t, 4> word{};
    std::array<std::uint8_t, 20> bytes{};
    std::vector<std::uint32_t> arguments;
    REQUIRE(protocols::encode_request(run.request(1, word), bytes) == 20);
    for (const machine::CoreAt& at : {machine::CoreAt{0, 1}, {0, 2}, {1, 1}})
      REQUIRE(applications.message(at.chip, at.core, 3, bytes, arguments));
    applications.signal({.signal = protocols::Signal::sync0, .application = 30});
    player.advance(0);
  }
  /// A millisecond each.
  void ticks(unsigned count) {
    for (; count-- > 0; player.advance(now += 1000000)) applications.advance(1, sent);
  }
  [[nodiscard]] std::uint64_t taken() const { return applications.account().taken; }
  CoreState state(mapping::Chip chip, unsigned core) {
    return applications.state({chip, static_cast<std::uint8_t>(core)});
  }
};
} // namespace

TEST_CASE("faults: links and chips break while cores run, one way or both, for good or until they are repaired") {
  // Each tick: three send, of whom two are on chip 0; those of chip 1 go to its own core alone.
  World plain("");
  plain.ticks(10);
  CHECK(plain.taken() == 10 * (2 * 2 + 1));
  World link("3ms link 0 0 E one-way for 4ms\n");
  link.ticks(10);
  CHECK(link.taken() == 10 * 5 - 4 * 2);
  CHECK((link.player.counts().begun == 1 && link.player.counts().ended == 1));
  World back("3ms link 1 0 W for 4ms\n"); // the same, from the other side
  back.ticks(10);
  CHECK(back.taken() == 10 * 5 - 4 * 2);
  World other("3ms link 1 0 W one-way\n");
  other.ticks(10);
  CHECK(other.taken() == 10 * 5);
  World chip("3ms chip 1 0\n");
  chip.ticks(10);
  CHECK(chip.state(1, 1) == CoreState::watchdog);
  CHECK(chip.taken() == 10 * 5 - 7 * 3);
  CHECK(chip.client.ask(1, 0, 0, protocols::AskVersion{}.request(1)).result == ScpResult::no_route);
  CHECK(chip.client.ask(0, 0, 0, protocols::AskVersion{}.request(1)).result == ScpResult::ok);
  World repaired("2ms chip 1 0 for 1ms\n");
  repaired.ticks(10);
  CHECK(repaired.client.ask(1, 0, 0, protocols::AskVersion{}.request(1)).result == ScpResult::ok);
  CHECK(repaired.state(1, 1) == CoreState::watchdog); // what ran there does not come back
}

TEST_CASE("faults: who has ranks of a machine advance it has all faults in between when they are due") {
  // At times within a tick, too: then they are there before the next.
  for (const char* const script :
       {"3ms link 0 0 E one-way for 4ms\n", "2500us link 0 0 E one-way for 4ms\n", "0ns link 0 0 E for 1ms\n",
        "9999999ns hang 0 0 1\n4000001ns hang 1 0 1\n", "7ms chip 1 0 for 1ms\n7ms error 0 0 2\n", "2s hang 0 0 1\n"})
    for (unsigned step = 1; step <= 13; step += 4) {
      CAPTURE(script, step);
      World plain(script), given(script);
      plain.ticks(13);
      machine::Ranks ranks(given.monitors, given.applications);
      ranks.set_faults(&given.player);
      for (unsigned left = 13; left != 0;) {
        const unsigned some = (std::min)(step, left);
        ranks.advance(some, given.sent), left -= some;
      }
      CHECK(given.taken() == plain.taken());
      CHECK(given.applications.digest() == plain.applications.digest());
      CHECK((given.player.counts().begun == plain.player.counts().begun &&
             given.player.counts().ended == plain.player.counts().ended));
    }
}

TEST_CASE("faults: a lossy link loses its share where packets take time, until it is repaired") {
  const machine::TimedCoresOptions timed{};
  World plain("", timed), lossy("0ns lossy 0 0 E one-way with 0.25 for 1s\n", timed),
      all("0ns lossy 0 0 E one-way with 1 for 5ms\n", timed);
  for (World* const one : {&plain, &lossy, &all}) one->ticks(1000);
  const std::uint64_t whole = plain.taken();
  CHECK(whole >= 4900);
  // Two packets of five go over the link.
  CHECK((lossy.taken() > whole - 580 && lossy.taken() < whole - 420));
  CHECK(all.taken() == whole - 10);
  const std::uint64_t before = lossy.taken();
  lossy.ticks(100);
  CHECK(lossy.taken() == before + 500);
}

TEST_CASE("faults: cores hang, die and fail, words change, routers fill, an Ethernet is gone") {
  World world("2ms hang 0 0 1\n3ms error 0 0 2\n4ms core 1 0 1\n5ms router 2 2\n6ms ethernet 4 8 for 3ms\n7ms corrupt "
              "1 1 1610612752\n");
  const mapping::Chip board = world.of.chip_at(4, 8), second = world.of.chip_at(2, 2), third = world.of.chip_at(1, 1);
  scp_host::Client far{world.monitors, board};
  const auto is_silent = [&] {
    scp_host::Bytes scp(300), datagram(300);
    scp.resize(protocols::encode_request(protocols::AskVersion{}.request(1), scp));
    protocols::Sdp sdp;
    sdp.data = scp, sdp.to = {255, 255, 0, 0};
    datagram.resize(protocols::encode_sdp_datagram(sdp, datagram));
    std::vector<machine::Datagram> answers;
    world.monitors.take(board, far.own, datagram, answers);
    return answers.empty();
  };
  world.ticks(1);
  CHECK((world.state(0, 1) == CoreState::running && world.state(0, 2) == CoreState::running && !is_silent()));
  world.ticks(1);
  CHECK(world.state(0, 1) == CoreState::watchdog);
  // It does not answer, and nothing but another start brings it back.
  std::array<std::uint8_t, 4> room{};
  std::array<std::uint8_t, 20> told{};
  std::vector<std::uint32_t> arguments;
  for (const auto what : {protocols::RunControl::What::run_for, protocols::RunControl::What::get_time}) {
    static_cast<void>(protocols::encode_request(protocols::RunControl{what}.request(1, room), told));
    CHECK_FALSE(world.applications.message(0, 1, 3, told, arguments));
  }
  CHECK(world.state(0, 1) == CoreState::watchdog);
  world.ticks(2);
  CHECK((world.state(0, 2) == CoreState::run_time_error && world.state(1, 1) == CoreState::dead));
  CHECK_FALSE(world.applications.is_running());
  CHECK(world.monitors.chip(second).entry_blocks.largest() == 1023);
  world.player.advance(6000000);
  CHECK(world.monitors.chip(second).entry_blocks.largest() == 0);
  CHECK(is_silent());
  CHECK(world.monitors.account().not_reached == 1);
  CHECK(world.monitors.chip(third).sdram.word(0x70000010) == 0);
  world.player.advance(9000000);
  CHECK_FALSE(is_silent());
  const std::uint32_t word = world.monitors.chip(third).sdram.word(0x70000010);
  CHECK((word != 0 && (word & (word - 1)) == 0));
  // A dead core starts nothing; others of its chip do.
  world.applications.launch(1, {30, 0, 6}, 6, machine::image_of("ticker"));
  CHECK((world.state(1, 1) == CoreState::dead && world.state(1, 2) == CoreState::sync0));
}

TEST_CASE("faults: datagrams are lost, doubled and late as often as is said, by their numbers alone") {
  World world("0ns lost 0 0 with 0.2 for 1s\n0ns doubled 0 0 with 0.1\n0ns reordered 4 8 with 0.5\n"),
      again("0ns lost 0 0 with 0.2\n");
  std::uint64_t lost = 0, doubled = 0, late = 0;
  for (unsigned turn = 0; turn < 10000; ++turn) {
    const auto fate = world.player.fate(0);
    CHECK(fate.is_lost == again.player.fate(0).is_lost);
    lost += fate.is_lost, doubled += fate.is_doubled, late += fate.is_late;
  }
  CHECK((lost > 1850 && lost < 2150 && doubled > 880 && doubled < 1120 && late == 0));
  CHECK(world.player.counts().lost == lost);
  for (unsigned turn = 0; turn < 1000; ++turn) late += world.player.fate(world.of.chip_at(4, 8)).is_late;
  CHECK((late > 430 && late < 570));
  world.player.advance(1000000000);
  for (unsigned turn = 0; turn < 1000; ++turn) CHECK_FALSE(world.player.fate(0).is_lost);
}

TEST_CASE("faults: a way of datagrams loses, doubles, and lets the late one come behind the next") {
  const auto through = [](const std::string& script, mapping::Chip ethernet) {
    World world(script);
    machine::FaultyWay<std::string> way;
    std::string come;
    for (const char* const one : {"a", "b", "c", "d", "e"})
      way.take(&world.player, ethernet, one, [&](std::string&& passed) { come += passed; });
    way.take(nullptr, ethernet, "z", [&](std::string&& passed) { come += passed; });
    return come;
  };
  const mapping::Chip other = mapping::machine_of_boards(3).value().chip_at(4, 8);
  CHECK(through("", 0) == "abcdez");
  CHECK(through("0ns lost 0 0 with 1\n", 0) == "z");
  CHECK(through("0ns lost 0 0 with 1\n", other) == "abcdez");
  CHECK(through("0ns doubled 0 0 with 1\n", 0) == "aabbccddeez");
  CHECK(through("0ns reordered 0 0 with 1\n", 0) == "badcze");
  CHECK(through("0ns reordered 0 0 with 1\n0ns doubled 0 0 with 1\n", 0) == "bbaddcze");
}

namespace {
/// Sends a packet a tick, and counts what it hears.
struct Caller {
  using Regions = neuromorph::runtime::Regions<>;
  using Offers = neuromorph::offer::List<neuromorph::offer::Tick, neuromorph::offer::Packet>;
  std::uint32_t heard = 0;
  using Fields = neuromorph::runtime::Fields<&Caller::heard>;
  neuromorph::Status start(auto&) { return {}; }
  void tick(auto& core, std::uint32_t) { core.send(0x10), core.send(0x20); }
  void packet(auto& core, std::uint32_t) {
    ++heard;
    static_cast<void>(core.record(0, std::span(&heard, 1)));
  }
};
} // namespace

TEST_CASE("faults: a lossy link loses its share of packets, the same ones at any threads, until it is repaired") {
  const mapping::Machine of = mapping::machine_of_boards(1).value();
  std::vector<std::uint32_t> heard[2];
  for (const unsigned threads : {1U, 2U}) {
    machine::Programs programs;
    machine::Monitors monitors(of, {});
    machine::Applications applications(monitors, programs);
    machine::FaultPlayer player(machine::FaultScript::read("0ns lossy 0 0 E one-way with 0.25 for 1s\n").value(),
                                monitors, applications);
    REQUIRE(player.check().ok());
    // Packets with key 0x10 go to the east, to two cores; those with 0x20 to the north.
    REQUIRE(monitors.chip(0).router.set(1, {{0x10, ~0U}, mapping::route_to(mapping::Link::east), 0}));
    REQUIRE(monitors.chip(0).router.set(2, {{0x20, ~0U}, mapping::route_to(mapping::Link::north), 0}));
    for (const mapping::Chip chip : {of.chip_at(1, 0), of.chip_at(0, 1)})
      REQUIRE(monitors.chip(chip).router.set(1, {{0, 0}, mapping::route_to_core(1) | mapping::route_to_core(2), 0}));
    machine::NativeCores<Caller> cores(5);
    machine::Run run(monitors, {.threads = threads});
    const machine::CoreAt places[] = {
        {0, 1}, {of.chip_at(1, 0), 1}, {of.chip_at(1, 0), 2}, {of.chip_at(0, 1), 1}, {of.chip_at(0, 1), 2}};
    for (std::size_t at = 0; at < 5; ++at) REQUIRE(run.attach(places[at], cores, at).ok());
    REQUIRE(run.start().ok());
    for (std::size_t at = 1; at < 5; ++at) run.set_state(places[at], machine::CoreState::running);
    player.advance(0);
    REQUIRE(run.ticks(4000).ok());
    // A copy is lost before it comes to any of the two.
    auto& to = heard[threads - 1];
    for (std::size_t at = 1; at < 5; ++at) to.push_back(cores.vertex(at).heard);
    CHECK(to[0] == to[1]);
    CHECK((to[2] == to[3] && to[2] >= 4000));
    CHECK((monitors.wiring().lost_on_links() > 900 && monitors.wiring().lost_on_links() < 1100));
    const std::uint64_t lost = monitors.wiring().lost_on_links();
    player.advance(1'000'000'000);
    run.forget_routes(); // as Applications does
    REQUIRE(run.ticks(100).ok());
    CHECK(monitors.wiring().lost_on_links() == lost);
  }
  CHECK(heard[0] == heard[1]);
}

TEST_CASE("faults: what cannot happen to a served machine is refused before it begins") {
  const mapping::Machine of = mapping::machine_of_boards(1).value();
  machine::Programs programs;
  machine::Monitors monitors(of, {});
  machine::Applications applications(monitors, programs);
  for (const auto& [text, words] : {std::pair{"0ns chip 0 0\n0ns chip 7 0\n", "fault 2: there is no chip 7, 0"},
                                    {"0ns hang 0 0 0\n", "chip 0, 0 has no core 0 for programs"},
                                    {"0ns core 0 0 18\n", "chip 0, 0 has no core 18 for programs"},
                                    {"0ns lost 1 0\n", "chip 1, 0 has no Ethernet"},
                                    {"0ns corrupt 0 0 16\n", "there is no memory at address 16"},
                                    {"0ns hang 0 0 1 for 1ms\n", "it is for good"}}) {
    INFO(text);
    const auto refusal = machine::FaultPlayer(machine::FaultScript::read(text).value(), monitors, applications).check();
    CHECK(refusal.sentence().find(words) != std::string::npos);
  }
}
