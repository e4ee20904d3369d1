// SPDX-License-Identifier: BSL-1.0
// Programs as a host loads, starts, runs, reads and ends them, in each way of loading; life against a plain one; each mistake; what
// programs say; and random datagrams, after which the machine is as it was where all were refused.
#include <neuromorph/machine/applications.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <neuromorph/mapping/boards.hpp>

#include "examples/life/cell.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/scp_host.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
namespace runtime = neuromorph::runtime;
namespace offer = neuromorph::offer;
using machine::CoreState;
using protocols::RunControl;
using protocols::ScpResult;
using protocols::Signal;
using scp_host::Answered;
using scp_host::Bytes;
using scp_host::Client;
using scp_host::Draw;

struct Rule {
  std::uint32_t fail_at, log_at;
  using Fields = runtime::Fields<&Rule::fail_at, &Rule::log_at>;
};
/// Records its ticks, and says what it is told to.
struct Talker {
  using Regions = runtime::Regions<runtime::Region<Rule>>;
  using Offers = offer::List<offer::Tick, offer::Control, offer::Pause, offer::Counters>;
  static constexpr std::size_t counters = 2;
  std::uint32_t ticks = 0, pauses = 0;
  using Fields = runtime::Fields<&Talker::ticks, &Talker::pauses>;
  template <class Core>
  neuromorph::Status start(Core& core) {
    core.log("begins");
    return core.template region<0>().status;
  }
  template <class Core>
  void tick(Core& core, std::uint32_t time) {
    const auto rule = core.template region<0>();
    ++ticks, core.count(0);
    static_cast<void>(core.record(1, std::span(&time, 1)));
    if (time == rule.head->log_at) core.log("a line\nwith an end in it");
    if (time == rule.head->fail_at) core.fail(77);
  }
  template <class Core>
  void control(Core& core, unsigned port, std::span<const std::uint8_t> message) {
    core.count(1, port);
    static_cast<void>(core.message(2, message));
  }
  template <class Core>
  void pause(Core&) {
    ++pauses;
  }
};

constexpr std::uint32_t user0 = machine::address::cores + 0x70;

/// A machine with programs, and a host at its first Ethernet chip.
struct World {
  mapping::Machine of = mapping::machine_of_triads(1, 1, {.wraps_x = true, .wraps_y = true}).value();
  machine::Programs programs{};
  machine::Monitors monitors;
  machine::Applications applications;
  Client client{monitors};
  std::vector<machine::Datagram> sent{};

  explicit World(const machine::MonitorOptions& options = {}, unsigned threads = 1)
      : monitors(of, options), applications(monitors, programs, {.threads = threads}) {
    programs.add<life::Cell>("cell"), programs.add<Talker>("talker");
  }

  void write(unsigned x, unsigned y, std::uint32_t to, std::span<const std::uint8_t> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += 256) {
      const auto piece = bytes.subspan(at, (std::min)(std::size_t{256}, bytes.size() - at));
      REQUIRE(
          client.ask(x, y, protocols::WriteMemory{to + std::uint32_t(at), protocols::AccessUnit::byte, piece}).result ==
          ScpResult::ok);
    }
  }
  Bytes read(unsigned x, unsigned y, std::uint32_t from, std::uint32_t count) {
    Bytes made;
    for (std::uint32_t at = 0; at < count; at += 256) {
      const auto piece =
          client.ask(x, y, protocols::ReadMemory{from + at, (std::min)(256U, count - at), protocols::AccessUnit::byte});
      REQUIRE(piece.result == ScpResult::ok);
      made.insert(made.end(), piece.data.begin(), piece.data.begin() + (std::min)(256U, count - at));
    }
    return made;
  }
  std::uint32_t word(unsigned x, unsigned y, std::uint32_t from) { return protocols::word_at(read(x, y, from, 4), 0); }
  void put_word(unsigned x, unsigned y, std::uint32_t to, std::uint32_t word) {
    Bytes bytes(4);
    protocols::put_word(bytes, 0, word);
    write(x, y, to, bytes);
  }
  std::uint32_t allocate(unsigned x, unsigned y, std::uint32_t bytes, unsigned application = 30) {
    protocols::Allocate of_sdram;
    of_sdram.operation = protocols::Allocate::Operation::sdram, of_sdram.application = std::uint8_t(application),
    of_sdram.first = bytes;
    const auto given = client.ask(x, y, of_sdram);
    REQUIRE((given.result == ScpResult::ok && given.word(0) != 0));
    return given.word(0);
  }
  /// A table with these regions, and channels of so many bytes.
  void give(unsigned x, unsigned y, unsigned core, std::span<const Bytes> regions, std::span<const std::uint32_t> rooms,
            std::size_t counters = 0) {
    protocols::DataRegionTable table;
    const auto put = [&](std::size_t number, const Bytes& bytes) {
      const std::uint32_t to = allocate(x, y, std::uint32_t(bytes.size()));
      write(x, y, to, bytes);
      table.region[number] = {to, protocols::checksum_of(bytes), std::uint32_t(bytes.size() / 4)};
    };
    Bytes system(protocols::SystemRegion::bytes);
    protocols::SystemRegion{1, 1000, 3, 0}.write(system);
    put(0, system);
    std::vector<protocols::RecordingRegion> channels;
    for (const std::uint32_t room : rooms) channels.push_back({room, 0, false, room == 0 ? 0 : allocate(x, y, room)});
    Bytes recordings(protocols::RecordingRegions::bytes(channels.size()));
    protocols::RecordingRegions::write(channels, recordings);
    put(1, recordings);
    put(2, Bytes(protocols::ProvenanceRegion::bytes + 4 * counters));
    for (std::size_t at = 0; at < regions.size(); ++at) put(3 + at, regions[at]);
    Bytes bytes(protocols::DataRegionTable::bytes);
    table.write(bytes);
    const std::uint32_t to = allocate(x, y, std::uint32_t(bytes.size()));
    write(x, y, to, bytes);
    put_word(x, y, user0 + 128 * core, to);
  }
  /// Words of a channel, and whether some are missing.
  std::pair<std::vector<std::uint32_t>, bool> recorded(unsigned x, unsigned y, unsigned core, unsigned channel) {
    const auto table =
        protocols::DataRegionTable::of(read(x, y, word(x, y, user0 + 128 * core), protocols::DataRegionTable::bytes));
    REQUIRE(bool(table));
    const Bytes bytes = read(x, y, table.value.region[1].address, 52);
    const auto one = protocols::RecordingRegions::of(bytes).value[channel];
    REQUIRE(bool(one));
    const Bytes words = read(x, y, one.value.address, one.value.written);
    std::vector<std::uint32_t> made;
    for (std::size_t at = 0; at < words.size(); at += 4) made.push_back(protocols::word_at(words, at));
    return {made, one.value.is_missing};
  }
  std::string log(unsigned x, unsigned y, unsigned core) {
    std::string made;
    for (std::uint32_t block = word(x, y, machine::address::cores + 128 * core + 0x58); block != 0;
         block = word(x, y, block)) {
      const Bytes bytes = read(x, y, block + 16, word(x, y, block + 12));
      made.append(bytes.begin(), bytes.end());
    }
    return made;
  }
  CoreState state(unsigned x, unsigned y, unsigned core) {
    return CoreState(read(x, y, machine::address::cores + 128 * core + 0x2E, 1)[0]);
  }
  ScpResult signal(Signal which, unsigned application = 30) {
    protocols::MulticastSignal signal;
    signal.signal = which, signal.application = std::uint8_t(application);
    return client.ask(0, 0, signal).result;
  }
  std::uint32_t count(CoreState state, unsigned application = 30) {
    std::uint32_t sum = 0;
    for (const auto& [x, y] : {std::pair{0U, 0U}, std::pair{4U, 8U}, std::pair{8U, 4U}})
      sum += client.ask(x, y, protocols::CountCores{std::uint8_t(application), std::uint8_t(state)}).word(0);
    return sum;
  }
  Answered control(unsigned x, unsigned y, unsigned core, const RunControl& what) {
    std::array<std::uint8_t, 4> word{};
    return client.ask(x, y, core, what.request(++client.sequence, word), 3);
  }
  /// Without an answer.
  void tell(unsigned x, unsigned y, unsigned core, unsigned port, std::span<const std::uint8_t> data) {
    Bytes datagram(300);
    protocols::Sdp sdp;
    sdp.flags = protocols::Sdp::no_reply, sdp.data = data;
    sdp.to = {std::uint8_t(x), std::uint8_t(y), std::uint8_t(port), std::uint8_t(core)};
    datagram.resize(protocols::encode_sdp_datagram(sdp, datagram));
    monitors.take(0, client.own, datagram, sent);
  }
  void start_at(unsigned x, unsigned y, std::string_view name, std::uint32_t cores, unsigned flags = 0,
                unsigned application = 30) {
    const Bytes image = machine::image_of(name);
    write(x, y, machine::address::loading, image);
    protocols::ApplicationRun run;
    run.launch = {std::uint8_t(application), std::uint8_t(flags), cores};
    REQUIRE(client.ask(x, y, run).result == ScpResult::ok);
  }
  std::uint32_t run(std::uint32_t ticks) { return applications.advance(ticks, sent); }
};

Bytes rule(std::uint32_t fail_at, std::uint32_t log_at) {
  Bytes made(runtime::Region<Rule>::bytes());
  REQUIRE(runtime::Region<Rule>::write(made, {fail_at, log_at}).ok());
  return made;
}

constexpr std::uint32_t never = 0xFFFFFFFF;

} // namespace

TEST_CASE("applications: life on cells that a host floods, runs in two stretches and reads, is life") {
  constexpr unsigned width = 12, height = 9, per_chip = 9; // a row of chips has 3 of the 12 columns, and 3 rows
  for (const unsigned threads : {1U, 3U})
    for (const bool old : {false, true}) {
      World world({.profile = old ? machine::Profile::scamp_3_4 : machine::Profile::scamp_4_0}, threads);
      std::mt19937 random(5);
      std::vector<unsigned> alive(width * height);
      for (unsigned& one : alive) one = random() & 1U;
      // Cell (x, y) is on chip (x / 3, y / 3), core 1 + its number there; its key is chip and core.
      const auto key = [](unsigned x, unsigned y) { return (x / 3) << 12 | (y / 3) << 8 | (1 + x % 3 + y % 3 * 3); };
      std::map<std::pair<unsigned, unsigned>, std::map<std::uint32_t, std::uint32_t>> tables;
      for (unsigned y = 0; y < height; ++y)
        for (unsigned x = 0; x < width; ++x) {
          Bytes region(life::CellRegion::bytes());
          REQUIRE(life::CellRegion::write(region, {key(x, y), alive[y * width + x]}).ok());
          const std::uint32_t rooms[] = {8};
          world.give(x / 3, y / 3, 1 + x % 3 + y % 3 * 3, std::span(&region, 1), rooms);
          // Ways of a host that is no mapper: along x, then along y, in a rectangle without wraps.
          const unsigned from_x = x / 3, from_y = y / 3;
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
              if (dx == 0 && dy == 0) continue;
              const unsigned to_x = (x + width + unsigned(dx)) % width, to_y = (y + height + unsigned(dy)) % height;
              unsigned at_x = from_x, at_y = from_y;
              const auto route = [&]() -> std::uint32_t& { return tables[{at_x, at_y}][key(x, y)]; };
              while (at_x != to_x / 3) {
                const bool is_east = to_x / 3 > at_x;
                route() |= is_east ? 1U : 8U, at_x += is_east ? 1 : unsigned(-1);
              }
              while (at_y != to_y / 3) {
                const bool is_north = to_y / 3 > at_y;
                route() |= is_north ? 4U : 32U, at_y += is_north ? 1 : unsigned(-1);
              }
              route() |= 64U << (1 + to_x % 3 + to_y % 3 * 3);
            }
        }
      for (const auto& [chip, table] : tables) {
        protocols::Allocate entries;
        entries.operation = protocols::Allocate::Operation::entries, entries.application = 30,
        entries.first = std::uint32_t(table.size());
        const std::uint32_t first = world.client.ask(chip.first, chip.second, entries).word(0);
        REQUIRE(first != 0);
        Bytes bytes;
        for (const auto& [of, route] : table) {
          Bytes entry(16);
          protocols::put_half(entry, 0, std::uint32_t(bytes.size() / 16));
          protocols::put_word(entry, 4, route), protocols::put_word(entry, 8, of),
              protocols::put_word(entry, 12, 0xFFFFFFFF);
          bytes.insert(bytes.end(), entry.begin(), entry.end());
        }
        world.write(chip.first, chip.second, machine::address::loading, bytes);
        protocols::RouterCommand load;
        load.operation = protocols::RouterCommand::Operation::load, load.application = 30;
        load.count = std::uint16_t(table.size()), load.first = machine::address::loading, load.second = first;
        REQUIRE(world.client.ask(chip.first, chip.second, load).result == ScpResult::ok);
      }
      // Two squares of 4 x 4 chips hold them all; only 12 chips are selected.
      const Bytes image = machine::image_of("cell");
      const std::uint32_t cores = ((1U << per_chip) - 1) << 1;
      const auto packet = [&](std::uint32_t key_of, std::uint32_t data) {
        return world.client.ask(0, 0, protocols::NeighbourPacket{key_of, data, 0x3F, 0}).result;
      };
      const std::uint32_t region = 3U << 16 | 0x0777U; // level 3 at (0, 0): 3 x 3 of 4 x 4 chips; then (3, 0) to (3, 2)
      const std::uint32_t blocks = std::uint32_t(image.size() + 255) / 256;
      if (old) {
        REQUIRE(packet(6U << 24 | 2U << 16 | blocks << 8, 3U << 16 | 0x0FFFU) == ScpResult::ok);
      } else {
        REQUIRE(packet(6U << 24 | 2U << 16 | blocks << 8, 0) == ScpResult::ok);
        REQUIRE(packet(7U << 24 | cores, region) == ScpResult::ok);
        REQUIRE(packet(7U << 24 | cores, 3U << 16 | 0x0888U) == ScpResult::ok);
        REQUIRE(packet(7U << 24 | cores, region) == ScpResult::ok); // not ascending: ignored
      }
      for (std::uint32_t block = 0; block < blocks; ++block) {
        const auto piece =
            std::span(image).subspan(block * 256, (std::min)(std::size_t{256}, image.size() - block * 256));
        protocols::FloodFillData data{0x3F, 0x18, 2, std::uint16_t(block), machine::address::loading + block * 256,
                                      piece};
        REQUIRE(world.client.ask(0, 0, data).result == ScpResult::ok);
      }
      REQUIRE(packet(15U << 24 | 2, 30U << 24 | (old ? cores : 0)) == ScpResult::ok);
      CHECK(world.monitors.ignored().selections == (old ? 0 : 1));
      if (old) {
        protocols::CountSignal count;
        count.state = std::uint8_t(CoreState::sync0), count.application = 30;
        CHECK(world.client.ask(0, 0, count).word(0) == width * height);
        count.mode = protocols::CountSignal::Mode::all;
        CHECK(world.client.ask(0, 0, count).word(0) == 1);
        CHECK(world.client.ask(0, 0, protocols::CountCores{30, 8}).result == ScpResult::bad_command);
      } else {
        CHECK(world.count(CoreState::sync0) == width * height);
      }

      std::vector<std::vector<unsigned>> expected{alive}; // [tick]
      for (unsigned tick = 1; tick < 50; ++tick) {
        std::vector<unsigned> next(alive.size());
        for (unsigned y = 0; y < height; ++y)
          for (unsigned x = 0; x < width; ++x) {
            unsigned living = 0;
            for (unsigned dy : {height - 1, 0U, 1U})
              for (unsigned dx : {width - 1, 0U, 1U})
                living += (dx + dy != 0) && expected.back()[(y + dy) % height * width + (x + dx) % width] != 0;
            next[y * width + x] = living == 3 || (living == 2 && expected.back()[y * width + x] != 0);
          }
        expected.push_back(next);
      }
      unsigned from = 0;
      for (const unsigned end : {33U, 50U}) {
        for (unsigned y = 0; y < height; ++y)
          for (unsigned x = 0; x < width; ++x)
            REQUIRE(world.control(x / 3, y / 3, 1 + x % 3 + y % 3 * 3, {RunControl::What::run_for, end, false, from, 0})
                        .result == ScpResult::ok);
        REQUIRE(world.signal(from == 0 ? Signal::sync0 : Signal::sync1) == ScpResult::ok);
        CHECK(world.run(1000) == end - from);
        if (!old) CHECK(world.count(CoreState::paused) == width * height);
        for (unsigned y = 0; y < height; ++y)
          for (unsigned x = 0; x < width; ++x) {
            const auto [words, is_missing] = world.recorded(x / 3, y / 3, 1 + x % 3 + y % 3 * 3, 0);
            REQUIRE((!is_missing && words.size() == (end - from + 31) / 32));
            for (unsigned tick = from; tick < end; ++tick)
              REQUIRE((words[(tick - from) / 32] >> (tick - from) % 32 & 1U) == expected[tick][y * width + x]);
          }
        from = end;
      }
      CHECK(world.applications.account().to_nobody == 0);
      CHECK(world.applications.account().idle == 0);
      REQUIRE(world.signal(Signal::stop) == ScpResult::ok);
      CHECK(world.state(0, 0, 1) == CoreState::idle);
      CHECK(protocols::word_at(world.client.ask(0, 0, protocols::AskChip{}).data, 4) == 123469792 - 8);
      CHECK_FALSE(world.applications.is_running());
    }
}

TEST_CASE("applications: runs begin with their signal, end at their tick, and are paused, told of and left") {
  World world;
  const Bytes region = rule(never, never);
  const std::uint32_t rooms[] = {0, 16};
  world.give(1, 1, 5, std::span(&region, 1), rooms, 2);
  world.give(1, 1, 7, std::span(&region, 1), rooms, 2);
  world.start_at(1, 1, "talker", 1U << 5 | 1U << 7 | 1U << 17, protocols::Launch::wait_flag);
  CHECK((world.state(1, 1, 5) == CoreState::waiting && world.count(CoreState::waiting) == 3));
  CHECK(world.state(1, 1, 6) == CoreState::idle);
  // Nobody listens yet.
  std::array<std::uint8_t, 4> word{};
  Bytes asked(300);
  asked.resize(protocols::encode_request(RunControl{RunControl::What::get_time}.request(1, word), asked));
  world.tell(1, 1, 5, 3, asked);
  CHECK((world.sent.empty() && world.monitors.account().not_for_us == 1));
  CHECK(world.signal(Signal::start, 31) == ScpResult::ok); // of another application
  CHECK(world.count(CoreState::waiting) == 3);
  CHECK(world.signal(Signal::start) == ScpResult::ok);
  CHECK((world.state(1, 1, 5) == CoreState::sync0 && world.state(1, 1, 7) == CoreState::sync0));
  CHECK(world.state(1, 1, 17) == CoreState::run_time_error); // it has no regions, which its program wants
  CHECK(world.log(1, 1, 5) == "begins\n");
  CHECK(world.log(1, 1, 17).find("begins\n") == 0);

  // A run of no ticks: none was asked for.
  CHECK(world.signal(Signal::sync1) == ScpResult::ok);
  CHECK(world.state(1, 1, 5) == CoreState::sync0);
  CHECK(world.signal(Signal::sync0) == ScpResult::ok);
  CHECK((world.run(10) == 0 && world.state(1, 1, 5) == CoreState::paused));

  // Ticks 0 to 2, then two without an end, paused by the host.
  CHECK(world.control(1, 1, 5, {RunControl::What::run_for, 3, false, 0, 0}).result == ScpResult::ok);
  CHECK((world.state(1, 1, 5) == CoreState::sync1 && world.state(1, 1, 7) == CoreState::paused));
  CHECK(world.signal(Signal::sync0) == ScpResult::ok);
  CHECK(world.run(10) == 0);
  CHECK(world.signal(Signal::sync1) == ScpResult::ok);
  CHECK(world.state(1, 1, 5) == CoreState::running);
  CHECK(world.run(10) == 3);
  CHECK(world.state(1, 1, 5) == CoreState::paused);
  CHECK(world.recorded(1, 1, 5, 1) == std::pair(std::vector<std::uint32_t>{0, 1, 2}, false));
  CHECK(world.control(1, 1, 5, {RunControl::What::get_time}).word(0) == 3);
  CHECK(world.control(1, 1, 5, {RunControl::What::run_for, 0, true, 3, 0}).result == ScpResult::ok);
  CHECK(world.recorded(1, 1, 5, 1).first.empty()); // what a host has not read until then, it has not
  CHECK(world.signal(Signal::sync0) == ScpResult::ok);
  CHECK(world.run(6) == 6);
  CHECK(world.state(1, 1, 5) == CoreState::running);
  CHECK(world.control(1, 1, 5, {RunControl::What::pause}).result == ScpResult::ok);
  CHECK(world.state(1, 1, 5) == CoreState::paused);
  CHECK(world.recorded(1, 1, 5, 1) == std::pair(std::vector<std::uint32_t>{3, 4, 5, 6}, true)); // two found no room
  // On from there, by a signal.
  CHECK(world.signal(Signal::go_on) == ScpResult::ok);
  CHECK(world.run(2) == 2);
  CHECK(world.control(1, 1, 5, {RunControl::What::get_time}).word(0) == 11);
  CHECK(world.signal(Signal::pause) == ScpResult::ok);
  CHECK((world.state(1, 1, 5) == CoreState::paused && world.run(5) == 0));

  // What it has counted: 11 ticks, and the numbers of two ports; one is that by which recordings are read.
  world.tell(1, 1, 5, 1, asked), world.tell(1, 1, 5, 6, asked);
  world.tell(1, 1, 5, 2, asked);
  CHECK(world.control(1, 1, 5, {RunControl::What::provenance_and_exit}).result == ScpResult::ok);
  CHECK(world.state(1, 1, 5) == CoreState::exited);
  const auto table = protocols::DataRegionTable::of(
      world.read(1, 1, world.word(1, 1, user0 + 128 * 5), protocols::DataRegionTable::bytes));
  REQUIRE(bool(table));
  const Bytes counted = world.read(1, 1, table.value.region[2].address, 32);
  CHECK((protocols::word_at(counted, 0) == 0 && protocols::word_at(counted, 24) == 11 &&
         protocols::word_at(counted, 28) == 7));
  for (const protocols::DataRegion& one : table.value.region) CHECK((one.words == 0 && one.checksum == 0));
  CHECK(world.control(1, 1, 7, {RunControl::What::clear_log}).result == ScpResult::ok);
  CHECK(world.log(1, 1, 7).empty());
  // Again, with the table as the core has left it.
  world.start_at(1, 1, "talker", 1U << 5);
  CHECK((world.state(1, 1, 5) == CoreState::sync0 && world.log(1, 1, 5) == "begins\n"));
  CHECK(world.control(1, 1, 5, {RunControl::What::run_for, 1, false, 0, 0}).result == ScpResult::ok);
  CHECK(world.signal(Signal::sync0) == ScpResult::ok);
  CHECK((world.run(9) == 1 && world.recorded(1, 1, 5, 1).first == std::vector<std::uint32_t>{0}));
  CHECK(world.signal(Signal::stop) == ScpResult::ok);
  CHECK(world.count(CoreState::idle, 0) != 0);
  CHECK((world.state(1, 1, 5) == CoreState::idle && world.log(1, 1, 5).empty()));
}

TEST_CASE("applications: images come by four ways, and what is no image of a program is said in the log") {
  World world;
  const Bytes region = rule(never, never);
  for (unsigned core = 1; core < 5; ++core) world.give(2, 3, core, std::span(&region, 1), {});
  world.give(3, 3, 1, std::span(&region, 1), {});
  world.start_at(2, 3, "talker", 1U << 1);
  const Bytes image = machine::image_of("talker");
  world.write(2, 3, 0x61000000, image);
  CHECK(world.client.ask(2, 3, protocols::ApplicationStart{0x61000000, {30, 0, 1U << 2}}).result == ScpResult::ok);
  // From the chip to the west; with its checksum, without one, and with a wrong one.
  std::uint32_t sum = protocols::checksum_of(image) & 0x1FFFFFFFU;
  CHECK(world.client.ask(3, 3, protocols::ApplicationCopyRun{3, sum, std::uint32_t(image.size()), {30, 0, 1U << 1}})
            .result == ScpResult::ok);
  CHECK(world.read(3, 3, machine::address::loading, std::uint32_t(image.size())) == image);
  CHECK(world.count(CoreState::sync0) == 3);
  CHECK(world.client.ask(3, 3, protocols::ApplicationCopyRun{3, 0, std::uint32_t(image.size()), {30, 0, 1U << 1}})
            .result == ScpResult::ok);
  const auto wrong =
      world.client.ask(3, 3, protocols::ApplicationCopyRun{3, sum ^ 1U, std::uint32_t(image.size()), {30, 0, 1U << 2}});
  CHECK((wrong.result == ScpResult::bad_checksum && wrong.word(0) == protocols::checksum_of(image)));
  CHECK(world.client.ask(3, 3, protocols::ApplicationCopyRun{3, 0, 6, {30, 0, 2}}).result == ScpResult::bad_argument);
  CHECK(world.client.ask(3, 3, protocols::ApplicationCopyRun{3, 0, 0x40000000, {30, 0, 2}}).result ==
        ScpResult::bad_argument);
  CHECK(world.count(CoreState::sync0) == 3);
  // Cores that there are not start nothing.
  world.start_at(2, 3, "talker", 1U << 17);
  CHECK(world.count(CoreState::sync0) == 3);
  CHECK(world.state(2, 3, 17) == CoreState::run_time_error); // no regions
  CHECK(world.client.ask(2, 3, protocols::ApplicationStart{0x10000000, {30, 0, 2}}).result == ScpResult::bad_argument);

  world.start_at(2, 3, "nobody", 1U << 3);
  CHECK((world.state(2, 3, 3) == CoreState::run_time_error &&
         world.log(2, 3, 3) == "this machine has no program 'nobody'\n"));
  CHECK(world.read(2, 3, machine::address::cores + 128 * 3 + 0x2C, 1)[0] == 16);
  world.write(2, 3, 0x62000000, Bytes(64, 0xFF));
  CHECK(world.client.ask(2, 3, protocols::ApplicationStart{0x62000000, {30, 0, 1U << 4}}).result == ScpResult::ok);
  CHECK(world.log(2, 3, 4) == "the image has no program of this machine\n");

  // A flood of which a block is missing, and blocks of no flood, load nothing.
  const auto packet = [&](std::uint32_t key, std::uint32_t data) {
    return world.client.ask(0, 0, protocols::NeighbourPacket{key, data, 0x3F, 0}).result;
  };
  const std::uint32_t chip = 3U << 16 | 0U << 24 | 1U << 5; // (1, 1)
  world.give(1, 1, 1, std::span(&region, 1), {});
  const auto first = std::span(image).first(64), second = std::span(image).subspan(64);
  const auto block = [&](std::uint8_t id, std::uint16_t number, std::span<const std::uint8_t> bytes) {
    protocols::FloodFillData data{0x3F, 0x18, id, number, machine::address::loading + number * 64U, bytes};
    return world.client.ask(0, 0, data).result;
  };
  CHECK(block(2, 0, first) == ScpResult::ok);
  CHECK(packet(7U << 24 | 2, chip) == ScpResult::ok);
  CHECK(packet(6U << 24 | 2U << 16 | 2U << 8, 0) == ScpResult::ok);
  CHECK(packet(7U << 24 | 2, chip) == ScpResult::ok);
  CHECK((block(2, 0, first) == ScpResult::ok && block(4, 1, second) == ScpResult::ok));
  CHECK(block(2, 2, second) == ScpResult::ok);
  CHECK(packet(15U << 24 | 2, 30U << 24) == ScpResult::ok);
  CHECK(world.state(1, 1, 1) == CoreState::idle);
  CHECK(world.monitors.ignored() == machine::FloodFill::Ignored{1, 3, 1});
  CHECK(block(2, 1, second) == ScpResult::ok);
  CHECK(packet(15U << 24 | 4, 30U << 24) == ScpResult::ok); // of another id
  CHECK(packet(15U << 24 | 2, 30U << 24) == ScpResult::ok);
  CHECK(world.state(1, 1, 1) == CoreState::sync0);
  CHECK(packet(15U << 24 | 2, 30U << 24) == ScpResult::ok); // once is enough
  CHECK(world.monitors.ignored() == machine::FloodFill::Ignored{1, 3, 3});
  // A signal by such a packet.
  CHECK(packet(0x003F0000, 5U << 28 | 2U << 16 | 0xFF00U | 30) == ScpResult::ok);
  CHECK(world.state(1, 1, 1) == CoreState::idle);
}

TEST_CASE("applications: regions are as the protocols say, or the core says what is wrong") {
  for (unsigned mistake = 0; mistake < 9; ++mistake) {
    World world;
    const Bytes region = rule(2, never);
    const std::uint32_t rooms[] = {4, 8};
    world.give(0, 1, 2, std::span(&region, 1), rooms);
    const std::uint32_t at = world.word(0, 1, user0 + 128 * 2);
    const auto table = protocols::DataRegionTable::of(world.read(0, 1, at, protocols::DataRegionTable::bytes)).value;
    const char* expected = "";
    std::uint8_t code = 18;
    switch (mistake) {
    case 0:
      world.put_word(0, 1, user0 + 128 * 2, 0x50000000), expected = "user0 points to no memory\n", code = 17;
      break;
    case 1:
      world.put_word(0, 1, at, 1), expected = "user0 points to no table: the number that marks its kind is another\n",
                                   code = 17;
      break;
    case 2: world.put_word(0, 1, table.region[3].address, 9), expected = "region 3: its checksum is wrong\n"; break;
    case 3:
      world.put_word(0, 1, at + 8 + 12 * 3, 0x50000000), expected = "region 3: there is no memory at its address\n";
      break;
    case 4:
      world.put_word(0, 1, at + 8 + 12 * 3 + 8, 0x7FFFFFFF), expected = "region 3: there is no memory at its address\n";
      break;
    case 5:
      world.put_word(0, 1, at + 8 + 12 * 1 + 4, 0), world.put_word(0, 1, at + 8 + 12 * 1 + 8, 0);
      world.put_word(0, 1, table.region[1].address, 5),
          expected = "region 1: it is not a table of recordings in the chip's memory\n";
      break;
    case 6: {
      world.put_word(0, 1, at + 8 + 12 * 1 + 4, 0), world.put_word(0, 1, at + 8 + 12 * 1 + 8, 0);
      world.put_word(0, 1, table.region[1].address + 24, 0x77FFFFFC),
          expected = "region 1: it is not a table of recordings in the chip's memory\n";
      break;
    }
    case 7:
      world.put_word(0, 1, at + 8 + 12 * 0 + 4, 0), world.put_word(0, 1, at + 8 + 12 * 0 + 8, 2);
      world.put_word(0, 1, table.region[0].address, 0), world.put_word(0, 1, table.region[0].address + 4, 0);
      expected = "region 0: it ends within what must be there\n";
      break;
    default: expected = nullptr; break;
    }
    INFO(mistake);
    world.start_at(0, 1, "talker", 1U << 2);
    if (expected != nullptr) {
      CHECK(world.state(0, 1, 2) == CoreState::run_time_error);
      CHECK(world.log(0, 1, 2) == expected);
      CHECK(world.read(0, 1, machine::address::cores + 128 * 2 + 0x2C, 1)[0] == code);
      CHECK((world.run(10) == 0 && world.signal(Signal::sync0) == ScpResult::ok && world.run(10) == 0));
      continue;
    }
    // It fails at tick 2, with what it has recorded until then.
    CHECK(world.state(0, 1, 2) == CoreState::sync0);
    CHECK(world.control(0, 1, 2, {RunControl::What::run_for, 0, true, 0, 0}).result == ScpResult::ok);
    CHECK(world.signal(Signal::sync0) == ScpResult::ok);
    CHECK(world.run(100) == 3);
    CHECK(world.state(0, 1, 2) == CoreState::run_time_error);
    CHECK(world.read(0, 1, machine::address::cores + 128 * 2 + 0x2C, 1)[0] == 77);
    CHECK(world.log(0, 1, 2) == "begins\nrun-time error 77 at tick 3\n");
    CHECK(world.recorded(0, 1, 2, 1) == std::pair(std::vector<std::uint32_t>{0, 1}, true));
  }
}

TEST_CASE("applications: a log goes on in another block, and ends with the memory of its chip") {
  World world;
  const Bytes region = rule(never, never);
  world.give(0, 0, 1, std::span(&region, 1), {});
  world.put_word(0, 0, machine::address::variables + 0x50, 16); // blocks of 16 bytes
  world.start_at(0, 0, "talker", 1U << 1);
  world.start_at(0, 0, "a program of a long name", 1U << 2);
  CHECK(world.log(0, 0, 2) == "this machine has no program 'a program of a long name'\n");
  CHECK(world.applications.lost_lines() == 0);
  // All that is left.
  const std::uint32_t left = protocols::word_at(world.client.ask(0, 0, protocols::AskChip{}).data, 4);
  world.allocate(0, 0, left);
  for (int turn = 0; turn < 3; ++turn) world.start_at(0, 0, "another program", 1U << 3);
  CHECK(world.applications.lost_lines() != 0);
  CHECK(world.state(0, 0, 3) == CoreState::run_time_error);
}

TEST_CASE("applications: messages go to hosts by tags and come from them by reverse ones") {
  World world;
  const Bytes region = rule(never, never);
  world.give(5, 9, 3, std::span(&region, 1), {}, 2);
  world.start_at(5, 9, "talker", 1U << 3);
  const mapping::Chip board = world.of.chip_at(4, 8);
  const std::uint8_t words[] = {1, 2, 3, 4, 5};
  world.tell(5, 9, 3, 6, words);
  world.run(1);
  CHECK((world.sent.empty() && world.monitors.account().no_tag == 1));
  for (const bool strips : {false, true}) {
    protocols::IpTag tag;
    tag.operation = protocols::IpTag::Operation::set, tag.tag = 2, tag.port = 5555, tag.address = {10, 0, 0, 9};
    tag.flags = strips ? protocols::IpTag::strip_flag : 0;
    Client other{world.monitors, board};
    REQUIRE(other.ask(4, 8, tag).result == ScpResult::ok);
    world.sent.clear();
    world.tell(5, 9, 3, 6, words);
    world.run(1);
    REQUIRE(world.sent.size() == 1);
    CHECK((world.sent[0].from == board && world.sent[0].to == machine::Endpoint{{10, 0, 0, 9}, 5555}));
    if (strips) {
      CHECK(std::ranges::equal(world.sent[0].bytes, words));
      continue;
    }
    const auto sdp = protocols::decode_sdp_datagram(world.sent[0].bytes);
    REQUIRE(bool(sdp));
    CHECK((std::ranges::equal(sdp.value.data, words) && sdp.value.tag == 2 && sdp.value.from.x == 5 &&
           sdp.value.from.y == 9 && sdp.value.from.core == 3 && sdp.value.flags == 7));
  }
  // What comes to port 6000 goes to port 4 of the core; its sender is where the tag leads then.
  protocols::IpTag reverse;
  reverse.operation = protocols::IpTag::Operation::set, reverse.tag = 3, reverse.port = 6000;
  reverse.flags = protocols::IpTag::reverse_flag | protocols::IpTag::strip_flag;
  reverse.to_chip = 5U << 8 | 9, reverse.to_port = 4U << 5 | 3;
  Client other{world.monitors, board};
  REQUIRE(other.ask(4, 8, reverse).result == ScpResult::ok);
  CHECK(world.monitors.reverse_ports(board) == std::vector<std::uint16_t>{6000});
  CHECK(world.monitors.reverse_ports(0).empty());
  world.sent.clear();
  world.monitors.take_reverse(board, 6000, {{10, 0, 0, 1}, 77}, words);
  world.monitors.take_reverse(board, 6001, {{10, 0, 0, 1}, 77}, words);
  world.monitors.take_reverse(board, 6000, {{10, 0, 0, 1}, 77}, Bytes(273));
  world.run(1);
  CHECK((world.sent.size() == 1 && world.monitors.account().no_reverse_tag == 1));
  CHECK(world.monitors.account().malformed[protocols::Malformed::too_long] == 1);
  CHECK(world.control(5, 9, 3, {RunControl::What::stop}).result == ScpResult::ok);
  const std::uint64_t before = world.monitors.account().not_for_us;
  world.monitors.take_reverse(board, 6000, {{10, 0, 0, 1}, 77}, words);
  CHECK(world.monitors.account().not_for_us == before + 1);
}

TEST_CASE("applications: an unbooted machine is silent until an image has come") {
  World world({.is_booted = false});
  Bytes datagram(300);
  protocols::Sdp sdp;
  Bytes scp(300);
  scp.resize(protocols::encode_request(protocols::AskVersion{}.request(1), scp));
  sdp.data = scp, sdp.to = {255, 255, 0, 0};
  datagram.resize(protocols::encode_sdp_datagram(sdp, datagram));
  const auto is_silent = [&] {
    std::vector<machine::Datagram> answers;
    world.monitors.take(0, world.client.own, datagram, answers);
    return answers.empty();
  };
  CHECK(is_silent());
  const auto boot = [&](const protocols::BootPacket& packet) {
    Bytes bytes(1100);
    bytes.resize(protocols::encode_boot(packet, bytes));
    world.monitors.take_boot(bytes);
  };
  const Bytes block(1024, 0x11);
  boot(protocols::BootPacket::end());
  CHECK(is_silent());
  boot(protocols::BootPacket::start(3));
  for (const unsigned number : {0U, 2U}) boot(protocols::BootPacket::block(number, block));
  boot(protocols::BootPacket::end());
  CHECK(is_silent()); // a block is missing
  boot(protocols::BootPacket::block(1, block));
  CHECK(is_silent());
  world.monitors.take_boot(Bytes(5));
  boot(protocols::BootPacket::end());
  CHECK_FALSE(is_silent());
  CHECK(world.monitors.account().not_booted == 4);
  CHECK(world.client.ask(255, 255, protocols::AskVersion{}).result == ScpResult::ok);
}

TEST_CASE("applications: random datagrams leave a machine that answers, and what is refused changes nothing") {
  World world;
  Draw draw{std::mt19937(12)};
  const Bytes region = rule(never, never);
  for (unsigned core = 1; core < 4; ++core) world.give(0, 0, core, std::span(&region, 1), {}, 2);
  world.start_at(0, 0, "talker", 14);
  std::uint64_t refused = 0, accepted = 0;
  for (unsigned turn = 0; turn < 20000; ++turn) {
    Bytes datagram = draw.bytes(draw(8) == 0 ? draw(330) : 26 + draw(40));
    if (datagram.size() >= 26 && draw(16) != 0) { // near to what may be
      datagram[2] = 0x87, datagram[3] = 0xFF, datagram[4] = std::uint8_t(draw(8) == 0 ? draw() : draw(5));
      datagram[6] = std::uint8_t(draw(3)), datagram[7] = std::uint8_t(draw(3));
      datagram[10] = std::uint8_t(draw(34)), datagram[11] = 0;
      for (std::size_t at = 14; at < 26; at += 4) {
        const std::uint32_t value = draw(3) == 0   ? draw(300)
                                    : draw(3) == 0 ? 0x60000000 + draw(1000) * 4
                                    : draw(3) == 0 ? draw(16) << 24 | draw(300)
                                                   : draw();
        protocols::put_word(datagram, at, value);
      }
      if (datagram[10] == 5)
        protocols::put_word(datagram, 22, draw(300)); // no megabytes, which digests would go through
    }
    const std::uint64_t before = turn % 8 == 0 ? world.monitors.digest() : 0;
    std::vector<machine::Datagram> answers;
    world.monitors.take(0, world.client.own, datagram, answers);
    REQUIRE(answers.size() <= 1);
    if (!answers.empty()) {
      const auto reply = protocols::decode_reply(protocols::decode_sdp_datagram(answers[0].bytes).value.data);
      REQUIRE(bool(reply));
      (reply.value.result == ScpResult::ok ? accepted : refused) += 1;
      if (turn % 8 == 0 && reply.value.result != ScpResult::ok && reply.value.result != ScpResult::bad_checksum) {
        INFO("command " << unsigned(datagram.size() > 10 ? datagram[10] : 0) << ", result "
                        << unsigned(reply.value.result));
        REQUIRE(world.monitors.digest() == before);
      }
    }
    if (turn % 64 == 0) world.run(2);
  }
  CHECK((refused > 3000 && accepted > 300));
  CHECK(world.client.ask(255, 255, protocols::AskVersion{}).result == ScpResult::ok);
  CHECK(world.client.ask(1, 0, protocols::AskChip{}).result == ScpResult::ok);
}
