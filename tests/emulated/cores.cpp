// SPDX-License-Identifier: BSL-1.0
// Emulated cores beside native ones of the same vertex: all that both do, at every step of a random life.
#include <tests/support/catch.hpp>

#include <neuromorph/execution/live.hpp>
#include <neuromorph/execution/simulation.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/emulated.hpp>
#include <neuromorph/machine/native.hpp>
#include <neuromorph/machine/run.hpp>
#include <neuromorph/machine/timed_run.hpp>
#include <neuromorph/mapping/boards.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "examples/balanced_plastic/digests.hpp"
#include "examples/balanced_plastic/vertex.hpp"
#include "examples/life/cell.hpp"
#include "examples/mapping/conway.hpp"
#include "vertices.hpp"

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
namespace runtime = neuromorph::runtime;
using neuromorph::Digest;
using neuromorph::Error;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// From the files that NEUROMORPH_IMAGES lists, separated by colons.
Bytes image_of(const std::string& name) {
  const char* const files = std::getenv("NEUROMORPH_IMAGES");
  std::istringstream list(files == nullptr ? "" : files);
  for (std::string path; std::getline(list, path, ':');)
    if (path.ends_with("/" + name + ".aplx")) {
      std::ifstream file(path, std::ios::binary);
      return {std::istreambuf_iterator<char>(file), {}};
    }
  FAIL("NEUROMORPH_IMAGES lists no file " << name << ".aplx");
  return {};
}
std::unique_ptr<machine::EmulatedCores> emulated(const std::string& name, std::size_t cores) {
  auto made = machine::EmulatedCores::make(image_of(name), cores);
  INFO(made.sentence());
  REQUIRE(made.ok());
  return std::move(made).value();
}

/// What a model of one core says of itself and has left behind.
struct Seen {
  std::uint64_t digest;
  std::vector<std::uint32_t> numbers; // packets, messages, errors, counters, losses
  std::vector<std::string> lines;
};
Seen look(machine::CoreModel& model, machine::Outbox& out) {
  Seen seen{};
  Digest digest;
  model.add_to(digest, 0);
  seen.digest = digest.value();
  auto& to = seen.numbers;
  for (const auto& one : out.packets)
    to.push_back(one.key), to.push_back(one.payload), to.push_back(one.has_payload ? 1U : 0U);
  for (const auto& one : out.messages) {
    to.push_back(one.tag), to.push_back(static_cast<std::uint32_t>(one.bytes.size()));
    to.insert(to.end(), one.bytes.begin(), one.bytes.end());
  }
  for (const auto& [from, line] : out.lines) seen.lines.push_back(line);
  to.push_back(model.error(0));
  for (std::size_t at = 0; at < model.counters(); ++at) to.push_back(model.counter(0, at));
  for (unsigned channel = 0; channel < 5; ++channel) {
    to.push_back(static_cast<std::uint32_t>(model.lost(0, channel)));
    const auto words = model.recorded(0, channel);
    to.insert(to.end(), words.begin(), words.end());
  }
  out = {};
  return seen;
}

Bytes settings(std::uint32_t key, std::int16_t step, std::uint8_t tag, const std::vector<std::uint16_t>& elements) {
  Bytes bytes(vertices::SettingsRegion::bytes(elements.size()));
  REQUIRE(vertices::SettingsRegion::write(bytes, {key, step, tag, 0}, elements).ok());
  return bytes;
}
Bytes words(std::size_t count) {
  std::vector<std::uint32_t> elements(count);
  for (std::size_t at = 0; at < count; ++at) elements[at] = static_cast<std::uint32_t>(at * 0x01010101U);
  Bytes bytes(vertices::WordsRegion::bytes(count));
  REQUIRE(vertices::WordsRegion::write(bytes, {}, elements).ok());
  return bytes;
}

} // namespace

TEST_CASE("A random life is the same on an emulated core as on a native one, to every bit of all that can be seen") {
  const std::uint64_t seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  std::mt19937_64 draw(seed);
  const auto number = [&draw](std::uint64_t below) { return static_cast<std::uint32_t>(draw() % below); };
  machine::NativeCores<vertices::Everything> native(1);
  const auto image = emulated("everything", 1);
  machine::CoreModel* const both[] = {&native, image.get()};
  machine::Outbox out[2];
  const auto same = [&] {
    const Seen one = look(*both[0], out[0]), other = look(*both[1], out[1]);
    const auto differ =
        std::mismatch(one.numbers.begin(), one.numbers.end(), other.numbers.begin(), other.numbers.end());
    CAPTURE(differ.first - one.numbers.begin(), one.numbers.size(), other.numbers.size());
    REQUIRE((one.numbers == other.numbers));
    REQUIRE(one.lines == other.lines);
    REQUIRE(one.digest == other.digest);
  };
  CHECK(both[1]->name() == "everything");
  REQUIRE(both[0]->regions() == both[1]->regions());
  REQUIRE(both[0]->counters() == both[1]->counters());
  unsigned finishes = 0;
  for (unsigned life = 0; life < 4; ++life) {
    const std::uint32_t key = number(~0U), both_of = number(~0U), some = number(6), element = number(1U << 16);
    const Bytes first = settings(key, static_cast<std::int16_t>(both_of), static_cast<std::uint8_t>(both_of >> 16),
                                 std::vector<std::uint16_t>(some, static_cast<std::uint16_t>(element)));
    const Bytes second = words(1 + number(100));
    for (auto* const one : both) {
      REQUIRE(one->load(0, 0, first).ok());
      REQUIRE(one->load(0, 1, second).ok());
      for (unsigned channel = 0; channel < 4; ++channel)
        if (channel != seed % 4) one->make_room(0, channel, channel * 20);
    }
    for (unsigned at = 0; at < 2; ++at) REQUIRE(both[at]->start(0, out[at]).ok());
    same();
    std::uint32_t time = number(2) == 0 ? 0 : number(~0U);
    for (unsigned step = 0; step < 150; ++step) {
      switch (const std::uint32_t what = number(20); what) {
      default: // packets in one instant, up to far more than the ring holds
        for (std::uint32_t count = number(what == 0 ? 100 : 12); count != 0; --count) {
          machine::SentPacket packet{.key = number(~0U), .has_payload = number(2) == 0};
          if (packet.has_payload) packet.payload = number(2) == 0 ? number(1U << 16) : number(~0U);
          if (packet.has_payload && (packet.payload & 15) == 7) packet.payload &= 0x00FFFFFF; // no failure
          REQUIRE(both[0]->packet(0, out[0], packet) == both[1]->packet(0, out[1], packet));
        }
        for (unsigned at = 0; at < 2; ++at) both[at]->catch_up(0, out[at]);
        break;
      case 11:
      case 12:
      case 13:
      case 14:
        for (unsigned at = 0; at < 2; ++at) both[at]->tick(0, out[at], time);
        ++time;
        break;
      case 15:
        for (unsigned at = 0; at < 2; ++at) both[at]->pause(0, out[at]);
        if (number(2) == 0) time = number(~0U);
        for (unsigned at = 0; at < 2; ++at) both[at]->tick(0, out[at], time);
        ++time;
        break;
      case 16: {
        Bytes message(number(270));
        for (auto& one : message) one = static_cast<std::uint8_t>(draw());
        const unsigned port = 1 + number(7) == 3 ? 4 : 5;
        REQUIRE(both[0]->control(0, out[0], port, message) == both[1]->control(0, out[1], port, message));
        break;
      }
      case 17:
        for (auto* const one : both) one->clear(0, step % 4);
        break;
      case 18: {
        const std::size_t more = number(30) == 0 ? 3000 : 7;
        for (auto* const one : both) one->make_room(0, 1 + step % 3, more);
        break;
      }
      }
      CAPTURE(life, step);
      REQUIRE(both[0]->wants_end(0) == both[1]->wants_end(0));
      const bool has_finished = both[0]->take_finish(0);
      REQUIRE(both[1]->take_finish(0) == has_finished);
      if (has_finished)
        for (unsigned at = 0; at < 2; ++at) both[at]->pause(0, out[at]);
      finishes += has_finished ? 1 : 0;
      same();
    }
  }
  CHECK(finishes > 0);
}

TEST_CASE("A core that nobody looks at pauses itself where it has finished, before its next tick, and does not go on") {
  const auto image = emulated("everything", 1);
  REQUIRE(image->load(0, 0, settings(1, 1, 1, {})).ok());
  REQUIRE(image->load(0, 1, words(4)).ok());
  image->make_room(0, 3, 10);
  machine::Outbox out;
  REQUIRE(image->start(0, out).ok());
  image->tick(0, out, 0);
  REQUIRE(image->packet(0, out, {.key = 1, .payload = 0xE0000008, .has_payload = true}));
  image->catch_up(0, out);
  CHECK(image->counter(0, 0) == 1);
  CHECK(image->recorded(0, 3).empty());
  for (std::uint32_t time = 1; time < 4; ++time) {
    image->tick(0, out, time);
    CHECK(image->counter(0, 0) == 1);
    CHECK(image->recorded(0, 3).size() == 1); // by its `pause`
  }
}

TEST_CASE("A core changes the half in which it records, where a host asks it to, once for each number") {
  const auto image = emulated("everything", 1);
  REQUIRE(image->load(0, 0, settings(1, 1, 1, {})).ok());
  REQUIRE(image->load(0, 1, words(100)).ok());
  image->make_room(0, 1, 21); // of which a half has ten words
  machine::Outbox out;
  REQUIRE(image->start(0, out).ok());
  const auto record = [&](std::uint32_t count) { // what % 16 == 2, channel 1
    REQUIRE(image->packet(0, out, {.key = 1, .payload = 2U | 1U << 4 | count << 7, .has_payload = true}));
    image->catch_up(0, out);
  };
  const auto swap = [&](std::uint32_t channel, std::uint32_t number) {
    std::array<std::uint8_t, 32> bytes{};
    const auto size = protocols::encode_request(protocols::RecordingSwap{channel, number}.request(7), bytes);
    return image->control(0, out, 2, std::span(bytes).first(size));
  };
  CHECK(!swap(1, 2)); // the first comes first
  CHECK(!swap(4, 1));
  CHECK(swap(1, 1));
  record(10);
  CHECK(image->lost(0, 1) == 0);
  record(1);
  CHECK(image->lost(0, 1) == 1);
  CHECK(swap(1, 1)); // again: nothing changes
  record(1);
  CHECK(image->lost(0, 1) == 2);
  CHECK(swap(1, 2));
  record(3);
  CHECK(image->lost(0, 1) == 2);
  CHECK(image->recorded(0, 1).size() == 3); // at the beginning of its room again
  CHECK(!swap(1, 1));
  CHECK(!swap(1, 4));
  record(7);
  CHECK(swap(1, 3));
  record(10);
  CHECK(image->lost(0, 1) == 2);
}

TEST_CASE("A vertex that refuses to start, fails at once or later, or finds another layout is the same on both") {
  machine::NativeCores<vertices::Everything> native(1);
  const auto image = emulated("everything", 1);
  machine::CoreModel* const both[] = {&native, image.get()};
  for (auto* const one : both) {
    machine::Outbox out;
    CHECK(one->start(0, out).error == Error::region_cut_off); // nothing is loaded
    REQUIRE(one->load(0, 0, settings(1, 1, 1, {1, 2, 3, 4, 5, 6, 7})).ok());
    REQUIRE(one->load(0, 1, words(4)).ok());
    CHECK(one->start(0, out).error == Error::buffer_full);
    REQUIRE(one->load(0, 0, words(3)).ok());
    CHECK(one->start(0, out).error == Error::layout_differs);
    REQUIRE(one->load(0, 0, settings(1, 1, 1, {4711})).ok());
    CHECK(one->start(0, out).ok()); // it has failed itself
    CHECK(one->error(0) == 4711);
    REQUIRE(one->load(0, 0, settings(1, 1, 1, {})).ok());
    CHECK(one->start(0, out).ok());
    CHECK(one->error(0) == 0);
    out = {};
    CHECK(one->packet(0, out, {.key = 1, .payload = 0xFF000007, .has_payload = true}));
    one->catch_up(0, out);
    CHECK(one->error(0) == 0xFF000007);
    CHECK(one->load(0, 2, words(3)).error == Error::index_out_of_range);
    CHECK(one->load(0, 1, Bytes(3)).error == Error::lengths_differ);
  }
}

TEST_CASE("What a core does not survive ends it, with a line that says what and where, and no other core") {
  const auto cores = emulated("faulty", 2);
  machine::Outbox out;
  REQUIRE(cores->start(1, out).ok());
  struct Fault {
    std::uint32_t key, error;
    const char* line;
  };
  const Fault faults[] = {{0, 258, "an instruction that this processor does not have"},
                          {1, 259, "a supervisor call"},
                          {2, 260, "a jump to where no code is"},
                          {3, 261, "an access to an address without memory"},
                          {4, 261, "an access to an address without memory"},
                          {5, 261, "an access to an address without memory"},
                          {6, 512, "it does not sleep any more"},
                          {7, 512, "its DMA controller was given an address without memory"},
                          {8, 512, "its handler leaves an interrupt that comes again and again"}};
  for (const Fault& fault : faults) {
    CAPTURE(fault.key);
    out = {};
    REQUIRE(cores->start(0, out).ok());
    CHECK(cores->error(0) == 0);
    REQUIRE(cores->packet(0, out, {.key = fault.key}));
    cores->catch_up(0, out);
    CHECK(cores->error(0) == fault.error);
    REQUIRE(out.lines.size() == 1);
    CHECK_THAT(out.lines[0].second, Catch::Contains(fault.line));
    // It takes nothing any more, whatever comes.
    static_cast<void>(cores->packet(0, out, {.key = 9}));
    cores->catch_up(0, out);
    cores->tick(0, out, 0);
    CHECK(cores->error(0) == fault.error);
    CHECK(cores->error(1) == 0);
  }
  // Registers of the router are at their addresses, where there is one.
  machine::Router router;
  REQUIRE(router.write(0, 0x00400A01));
  for (const bool has_router : {false, true}) {
    if (has_router) cores->set_router(0, router);
    REQUIRE(cores->start(0, out).ok());
    for (const std::uint32_t key : {10U, 11U}) {
      REQUIRE(cores->packet(0, out, {.key = key}));
      cores->catch_up(0, out);
    }
    CHECK(router.read(0x84) == (has_router ? 0x00400A02U : 0U)); // with the packet between them
  }
  out = {};
  REQUIRE(cores->start(0, out).ok());
  for (unsigned packet = 0; packet < 40; ++packet) REQUIRE(cores->packet(0, out, {.key = 9}));
  cores->catch_up(0, out);
  CHECK(!cores->packet(0, out, {.key = 9, .has_payload = true}));
  CHECK(!cores->control(0, out, 4, {}));
  Digest digest, expected;
  cores->add_to(digest, 0);
  expected.add(40);
  for (unsigned channel = 0; channel < 4; ++channel) expected.add(0);
  expected.add(0), expected.add(0);
  CHECK(digest.value() == expected.value());
}

TEST_CASE("An image that is none, or is cut off anywhere, is refused in a sentence") {
  const Bytes whole = image_of("life_cell");
  REQUIRE(whole.size() > 1000);
  for (std::size_t size = 0; size < whole.size(); size = size < 100 ? size + 1 : size + 97) {
    const auto made = machine::EmulatedCores::make(std::span(whole).first(size), 1);
    CHECK(!made.ok());
    CHECK(made.sentence().find("the image: ") == 0);
  }
  for (const std::size_t word : {0U, 1U, 2U, 3U, 4U, 5U, 16U, 20U}) {
    Bytes other = whole;
    for (unsigned byte = 0; byte < 4; ++byte) other[4 * word + byte] = 0xEE;
    if (word == 16 || word == 20) continue; // code, which may be anything
    CHECK(!machine::EmulatedCores::make(other, 1).ok());
  }
  const auto named = machine::EmulatedCores::make(machine::image_of("cell"), 1);
  CHECK(named.status().error == Error::file_malformed);
}

TEST_CASE("The runtime takes at most 4 KB of code and 1 KB of data") {
  const auto least = emulated("least", 1);
  CHECK(least->code_bytes() <= 4096);
  CHECK(least->data_bytes() <= 1024);
}

namespace {
/// Each packet of a core goes to all.
struct All {
  std::uint8_t cores;
  void deliveries(mapping::Chip, std::uint32_t, std::vector<machine::CoreAt>& to) const {
    for (std::uint8_t core = 1; core <= cores; ++core) to.push_back({0, core});
  }
};
} // namespace

TEST_CASE("Cores of a run are the same emulated as native, on one thread and on two, mixed, too") {
  All network{12};
  std::uint64_t first = 0;
  const auto image = emulated("everything", 24);
  for (const unsigned kind : {0U, 1U, 2U, 3U}) { // native, emulated, mixed, emulated by two threads
    machine::NativeCores<vertices::Everything> native(12);
    machine::Run run(network, {.threads = kind == 3 ? 2U : 1U});
    for (std::uint8_t core = 1; core <= 12; ++core) {
      const bool is_native = kind == 0 || (kind == 2 && core % 2 == 0);
      machine::CoreModel& of = is_native ? static_cast<machine::CoreModel&>(native) : *image;
      const std::size_t index = is_native ? core - 1U : kind == 3 ? core + 11U : core - 1U;
      REQUIRE(of.load(index, 0, settings(core * 512U, static_cast<std::int16_t>(core - 6), core, {core})).ok());
      REQUIRE(of.load(index, 1, words(5)).ok());
      for (unsigned channel = 0; channel < 4; ++channel) of.clear(index, channel);
      REQUIRE(run.attach({0, core}, of, index).ok());
    }
    REQUIRE(run.start().ok());
    Digest all;
    for (unsigned tick = 0; tick < 40; ++tick) {
      REQUIRE(run.ticks(1).ok());
      const std::uint64_t now = run.digest();
      all.add(static_cast<std::uint32_t>(now)), all.add(static_cast<std::uint32_t>(now >> 32));
    }
    run.pause();
    all.add(static_cast<std::uint32_t>(run.digest()));
    CHECK(run.account().taken > 1000);
    if (kind == 0) first = all.value();
    CHECK(all.value() == first);
  }
}

TEST_CASE("Packets in time come to emulated cores as to native ones, at the same times") {
  constexpr std::uint32_t side = 7;
  const auto board = mapping::machine_of_boards(1);
  REQUIRE(board.ok());
  const auto mapped = mapping::map(conway::graph(side, side), board.value());
  REQUIRE(mapped.ok());
  const auto image = emulated("life_cell", side * side);
  std::vector<std::uint64_t> digests[2];
  for (const bool is_emulated : {false, true}) {
    machine::NativeCores<life::Cell> native(side * side);
    machine::CoreModel& of = is_emulated ? static_cast<machine::CoreModel&>(*image) : native;
    machine::TimedRun run(board.value(), {.most_drift = 100});
    REQUIRE(run.fabric().load(mapped.value().tables));
    for (std::uint32_t cell = 0; cell < side * side; ++cell) {
      Bytes bytes(life::CellRegion::bytes());
      REQUIRE(life::CellRegion::write(bytes, {mapped.value().keys[cell].key, cell % 3 == 0}).ok());
      REQUIRE(of.load(cell, 0, bytes).ok());
      of.make_room(cell, 0, 4);
      REQUIRE(run.attach({mapped.value().placements.chip[cell], mapped.value().placements.core[cell]}, of, cell).ok());
    }
    REQUIRE(run.start().ok());
    for (unsigned tick = 1; tick <= 40; ++tick) {
      run.until(machine::Nanoseconds{tick} * 1'000'000 - 300'000);
      digests[is_emulated].push_back(run.digest());
    }
    run.pause();
    digests[is_emulated].push_back(run.digest());
    CHECK(run.account().taken > 100);
  }
  CHECK((digests[0] == digests[1]));
}

TEST_CASE("A core of the balanced network has the known digests of its first second") {
  // All five are examples/balanced_machine; here two, which hear nobody, beside each other: the first differs from the known ones.
  All network{5};
  machine::NativeCores<balanced::Part<neuromorph::target::CopyWords>> native(5);
  const auto image = emulated("balanced", 5);
  std::uint64_t digests[2] = {};
  for (const bool is_emulated : {false, true}) {
    machine::CoreModel& of = is_emulated ? static_cast<machine::CoreModel&>(*image) : native;
    machine::Run run(network, {.threads = 2});
    const std::uint32_t ticks = is_emulated ? 100 : 1000;
    for (std::uint32_t core = 0; core < 5; ++core) {
      for (std::size_t region = 0; region < 2; ++region)
        REQUIRE(
            of.load(core, region, balanced::region_of(core, {0x1000, 0x1100, 0x1200, 0x1300, 0x1400}, region)).ok());
      of.make_room(core, 0, 100);
      REQUIRE(run.attach({0, static_cast<std::uint8_t>(core + 1)}, of, core).ok());
    }
    REQUIRE(run.start().ok());
    REQUIRE(run.ticks(100).ok());
    run.pause();
    digests[is_emulated] = run.digest();
    if (is_emulated) break;
    REQUIRE(run.ticks(ticks - 100).ok());
    run.pause();
    for (std::uint32_t core = 0; core < 5; ++core)
      CHECK(balanced::digests_in(of.recorded(core, 0).last(5)) == balanced::expected[0][core]);
  }
  CHECK(digests[0] == digests[1]);
}

TEST_CASE("A host loads an image into cores of a machine as into those of a board") {
  const auto board = mapping::machine_of_boards(1);
  REQUIRE(board.ok());
  machine::Programs programs;
  programs.set_maker(machine::Emulator{});
  programs.add<life::Cell>("cell");
  machine::Monitors monitors(board.value(), {});
  machine::Applications applications(monitors, programs);
  machine::ChipParts& chip = monitors.chip(0);
  // Two cells of the same settings, one native, one emulated.
  const Bytes native = machine::image_of("cell"), emulated = image_of("life_cell");
  for (std::uint32_t core : {1U, 2U}) {
    const std::uint32_t table = 0x60001000 + 0x1000 * core;
    protocols::DataRegionTable regions;
    Bytes cell(life::CellRegion::bytes()), recordings(protocols::RecordingRegions::bytes(1));
    REQUIRE(life::CellRegion::write(cell, {0x100 * core, 1}).ok());
    const protocols::RecordingRegion channel{.room = 400, .address = table + 0x800};
    protocols::RecordingRegions::write(std::span(&channel, 1), recordings);
    const auto put = [&](std::size_t at, std::uint32_t address, const Bytes& bytes) {
      regions.region[at] = {address, protocols::checksum_of(bytes), static_cast<std::uint32_t>(bytes.size() / 4)};
      REQUIRE(chip.sdram.write(chip.place(address).at, bytes));
    };
    put(1, table + 0x400, recordings), put(3, table + 0x600, cell);
    Bytes bytes(protocols::DataRegionTable::bytes);
    regions.write(bytes);
    REQUIRE(chip.sdram.write(chip.place(table).at, bytes));
    chip.system_ram.put_word(machine::address::cores + 128 * core + 0x70, table);
    applications.launch(0, {.application = 30, .core_mask = 1U << core}, 1U << core, core == 1 ? native : emulated);
    CHECK(applications.state({0, static_cast<std::uint8_t>(core)}) == machine::CoreState::sync0);
    std::uint8_t word[4], message[20];
    std::vector<std::uint32_t> answer;
    const auto run = protocols::RunControl{.what = protocols::RunControl::What::run_for, .time = 40}.request(1, word);
    REQUIRE(applications.message(0, core, 3, {message, protocols::encode_request(run, message)}, answer));
  }
  Bytes name(4);
  REQUIRE(chip.system_ram.read(machine::address::cores + 256 + 0x48, name));
  CHECK(std::string(name.begin(), name.end()) == "cell");
  applications.signal({.signal = protocols::Signal::sync0, .application = 30});
  std::vector<machine::Datagram> to_hosts;
  CHECK(applications.advance(1000, to_hosts) == 40);
  Bytes recorded[2] = {Bytes(0x100), Bytes(0x100)};
  for (std::uint32_t core : {1U, 2U}) {
    CHECK(applications.state({0, static_cast<std::uint8_t>(core)}) == machine::CoreState::paused);
    REQUIRE(chip.sdram.read(chip.place(0x60001800 + 0x1000 * core).at, recorded[core - 1]));
  }
  CHECK(recorded[0] == recorded[1]);
  CHECK(recorded[0][0] == 1); // alone it lives for a tick
  // An image that is none says so in the core's log.
  Bytes none = emulated;
  std::fill(none.begin() + 64, none.end(), std::uint8_t{0});
  applications.launch(0, {.application = 31, .core_mask = 8}, 8, none);
  CHECK(applications.state({0, 3}) == machine::CoreState::run_time_error);
}

TEST_CASE("A simulation has the same results from an image for the chip's processors as from a native program") {
  constexpr std::uint32_t side = 6, ticks = 96;
  const auto board = mapping::machine_of_boards(1);
  REQUIRE(board.ok());
  std::vector<Bytes> results[2];
  for (const bool is_emulated : {false, true}) {
    machine::Programs programs;
    programs.add<life::Cell>("cell");
    programs.set_maker(machine::Emulator{});
    machine::Monitors monitors(board.value(), {});
    machine::Applications applications(monitors, programs, {.threads = 2});
    neuromorph::execution::InProcessLink link(monitors, applications);
    neuromorph::execution::Simulation simulation(link, {.most_cycle = 64});
    const auto image = simulation.add_image("cell", is_emulated ? image_of("life_cell") : machine::image_of("cell"));
    for (std::uint32_t cell = 0; cell < side * side; ++cell)
      simulation.add(
          image,
          {.name = "cell",
           .resources = {.dtcm_bytes = 1024, .sdram_bytes = 1024},
           .regions = [cell](const neuromorph::execution::Mapped& of) -> std::vector<Bytes> {
             Bytes bytes(life::CellRegion::bytes());
             static_cast<void>(life::CellRegion::write(bytes, {of.mapping.keys[cell].key, cell * 7 % 3 == 0}).ok());
             return {bytes};
           },
           .recordings = {[](std::uint64_t of_ticks) { return (of_ticks + 31) / 32 * 4; }}});
    const mapping::MachineGraph graph = conway::graph(side, side);
    for (mapping::Partition partition = 0; partition < graph.partitions(); ++partition)
      simulation.graph().connect(graph.source(partition), graph.targets(partition));
    const auto refusal = simulation.run(ticks);
    INFO(refusal.sentence());
    REQUIRE(refusal.ok());
    CHECK(simulation.cycles() == 2);
    for (std::uint32_t cell = 0; cell < side * side; ++cell) {
      const auto bytes = simulation.recorded(cell, 0);
      REQUIRE(bytes.size() == ticks / 8);
      results[is_emulated].emplace_back(bytes.begin(), bytes.end());
    }
    CHECK(simulation.close().ok());
  }
  CHECK((results[0] == results[1]));
}

TEST_CASE("Vertices between a machine and a host send the same datagrams on emulated cores as on native ones") {
  const auto board = mapping::machine_of_boards(1);
  REQUIRE(board.ok());
  for (const auto type :
       {protocols::EieioType::key32, protocols::EieioType::key16, protocols::EieioType::key32_payload}) {
    std::vector<Bytes> datagrams[2];
    std::vector<std::uint32_t> counts[2];
    for (const bool is_emulated : {false, true}) {
      std::mt19937 draw(11);
      machine::Programs programs;
      programs.add<runtime::LivePacketGatherer>("gatherer"),
          programs.add<runtime::ReverseIpTagMulticastSource>("source");
      programs.set_maker(machine::Emulator{});
      machine::Monitors monitors(board.value(), {});
      machine::Applications applications(monitors, programs);
      neuromorph::execution::InProcessLink link(monitors, applications);
      link.set_listener([&](const machine::Datagram& one) { datagrams[is_emulated].push_back(one.bytes); });
      neuromorph::execution::Simulation simulation(link);
      const auto added = [&](const char* name) {
        return simulation.add_image(name, is_emulated ? image_of(name) : machine::image_of(name));
      };
      const auto gatherer = added("gatherer"), source = added("source");
      const auto out = neuromorph::execution::add_live_output(
          simulation, gatherer, "out", {.host = "10.0.0.1", .form = {.type = type}, .most_per_tick = 150});
      const auto in = neuromorph::execution::add_live_input(simulation, source, "in", {.port = 4000});
      simulation.graph().connect(in, std::span(&out, 1), {.keys = 100});
      const auto begun = simulation.begin();
      INFO(begun.sentence());
      REQUIRE(begun.ok());
      for (unsigned tick = 0; tick < 40; ++tick) {
        for (auto messages = draw() % 5; messages != 0; --messages) {
          Bytes bytes(256);
          protocols::EieioWriter writer(
              {.type = draw() % 2 == 0 ? protocols::EieioType::key32 : protocols::EieioType::key32_payload}, bytes);
          for (auto events = draw() % 60; events != 0; --events) {
            const auto key = static_cast<std::uint32_t>(draw() % 130);
            static_cast<void>(writer.add(key, static_cast<std::uint32_t>(draw())));
          }
          bytes.resize(writer.bytes().size());
          link.send_to(0, 4000, bytes);
        }
        REQUIRE(simulation.wait(std::chrono::milliseconds(1)).ok());
      }
      REQUIRE(simulation.end().ok());
      REQUIRE(simulation.wait(std::chrono::milliseconds(1)).ok());
      for (const auto vertex : {in, out})
        for (const std::uint32_t one : simulation.provenance(vertex).counters) counts[is_emulated].push_back(one);
      CHECK(simulation.anomalies().empty());
    }
    CHECK(datagrams[0].size() > 20);
    CHECK((datagrams[0] == datagrams[1]));
    CHECK(counts[0] == counts[1]);
    CHECK((counts[0][0] > 1000 && counts[0][1] > 20));
  }
}
