// SPDX-License-Identifier: BSL-1.0
// Events of hosts go in, and out again: against what was sent, event by event and tick by tick.
#include <tests/support/catch.hpp>

#include <neuromorph/execution/live.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/mapping/boards.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
namespace runtime = neuromorph::runtime;
using Bytes = std::vector<std::uint8_t>;
using Gatherer = runtime::LivePacketGatherer;
using Source = runtime::ReverseIpTagMulticastSource;

namespace {

struct Machine {
  explicit Machine(unsigned boards)
      : is(mapping::machine_of_boards(boards).value()), monitors(is, {}), applications(monitors, programs),
        link(monitors, applications) {
    programs.add<Gatherer>("gatherer"), programs.add<Source>("source");
    link.set_listener([this](const machine::Datagram& one) { heard.push_back(one); });
  }
  mapping::Machine is;
  machine::Programs programs{};
  machine::Monitors monitors;
  machine::Applications applications;
  execution::InProcessLink link;
  std::vector<machine::Datagram> heard{};
};

/// What is sent goes from a source to a gatherer.
struct Loop {
  explicit Loop(Machine& on, execution::LiveOutput output = {.host = "10.1.2.3", .port = 17895},
                std::uint32_t keys = 1024, execution::SimulationOptions options = {})
      : machine(on), simulation(on.link, options) {
    const auto gatherer = simulation.add_image("gatherer", machine::image_of("gatherer"));
    const auto source = simulation.add_image("source", machine::image_of("source"));
    out = execution::add_live_output(simulation, gatherer, "display", output);
    in = execution::add_live_input(simulation, source, "injector", {.port = 12345});
    const mapping::Vertex to[] = {out};
    simulation.graph().connect(in, to, {.keys = keys});
  }
  void begin() {
    const auto begun = simulation.begin();
    INFO(begun.sentence());
    REQUIRE(begun.ok());
    key = simulation.mapping().keys_of(0).key;
    board = execution::input_of(simulation, in)->ethernet;
  }
  void send(const Bytes& message) { machine.link.send_to(board, 12345, message); }
  std::uint32_t counter(mapping::Vertex vertex, unsigned at) { return simulation.provenance(vertex).counters.at(at); }

  Machine& machine;
  execution::Simulation simulation;
  mapping::Vertex out = 0, in = 0;
  std::uint32_t key = 0;
  mapping::Chip board = 0;
};

Bytes message_of(const protocols::EieioForm& form, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& events) {
  Bytes bytes(256);
  protocols::EieioWriter writer(form, bytes);
  for (const auto& [key, payload] : events) REQUIRE(writer.add(key, payload));
  bytes.resize(writer.bytes().size());
  return bytes;
}

} // namespace

TEST_CASE("Events that go in come out, in their order, in every form") {
  const unsigned seed = GENERATE(range(1U, 25U));
  CAPTURE(seed);
  std::mt19937 draw(seed);
  const auto number = [&draw](std::uint32_t below) { return static_cast<std::uint32_t>(draw() % below); };
  Machine on(1 + seed % 3);
  protocols::EieioForm form;
  form.type = protocols::EieioType(seed % 4);
  const bool has_payloads = form.has_payloads(), has_time = seed % 5 == 0;
  if (has_time) form.has_payload_prefix = form.payload_is_time = true;
  // Keys of 16 bits are told without their upper half, which is a prefix.
  const bool is_short = !form.is_wide();
  std::vector<runtime::KeyTranslation> translations;
  execution::LiveOutput output{.host = "10.1.2.3", .port = 17895, .form = form};
  if (is_short) output.translations = {{0, 0, 0}}; // all keys to those below 2^32: none changes
  Loop loop(on, output);
  loop.begin();
  struct Event {
    std::uint32_t key, payload, time;
    bool operator==(const Event&) const = default;
  };
  std::vector<Event> sent, heard;
  std::uint32_t tick = 0;
  const auto hear = [&] {
    for (const machine::Datagram& one : on.heard) {
      CHECK(one.to.address == std::array<std::uint8_t, 4>{10, 1, 2, 3});
      CHECK(one.to.port == 17895);
      const auto data = protocols::EieioData::of(one.bytes);
      REQUIRE(data);
      CHECK(data.value.form().type == form.type);
      for (std::size_t at = 0; at < data.value.count(); ++at) {
        const auto event = data.value[at];
        heard.push_back(
            {event.key, has_payloads && !has_time ? event.payload : 0, has_time && !has_payloads ? event.payload : 0});
      }
    }
    on.heard.clear();
  };
  for (unsigned turn = 0; turn < 60; ++turn) {
    for (std::uint32_t messages = number(4); messages != 0; --messages) {
      const bool with = number(2) == 0;
      protocols::EieioForm in;
      in.type = with ? protocols::EieioType::key32_payload : protocols::EieioType::key32;
      std::vector<std::pair<std::uint32_t, std::uint32_t>> events(
          number(static_cast<std::uint32_t>(in.most_events()) + 1));
      for (auto& [key, payload] : events) {
        key = loop.key + number(1024), payload = with ? static_cast<std::uint32_t>(draw()) : 0;
        const std::uint32_t told = has_payloads && !has_time ? (is_short ? payload & 0xFFFF : payload) : 0;
        // The tick in which they came, of which a form of 16 bits has the lower half.
        sent.push_back(
            {is_short ? key & 0xFFFF : key, told, has_time && !has_payloads ? (tick == 0 ? 0 : tick - 1) : 0});
      }
      loop.send(message_of(in, events));
    }
    const std::uint32_t ticks = number(3);
    REQUIRE(loop.simulation.wait(std::chrono::milliseconds(ticks)).ok());
    tick += ticks;
    hear();
  }
  REQUIRE(loop.simulation.end().ok());
  REQUIRE(loop.simulation.wait(std::chrono::milliseconds(1)).ok());
  hear();
  CHECK(sent.size() > 100);
  REQUIRE(heard.size() == sent.size());
  for (std::size_t at = 0; at < sent.size(); ++at) {
    CAPTURE(at);
    REQUIRE(heard[at].key == sent[at].key);
    REQUIRE(heard[at].payload == sent[at].payload);
    REQUIRE(heard[at].time == sent[at].time);
  }
  CHECK(loop.counter(loop.in, Source::events) == sent.size());
  CHECK(loop.counter(loop.in, Source::other_keys) == 0);
  CHECK(loop.counter(loop.in, Source::malformed) == 0);
  CHECK(loop.counter(loop.out, Gatherer::events) == sent.size());
  CHECK(loop.counter(loop.out, Gatherer::not_taken) == 0);
  CHECK(loop.simulation.anomalies().empty());
}

TEST_CASE("What is not its own is not sent, and is counted, whatever a host sends") {
  Machine on(1);
  Loop loop(on, {.host = "10.1.2.3", .port = 17895}, 16);
  loop.begin();
  std::mt19937 draw(4);
  std::uint64_t events = 0, others = 0, malformed = 0;
  for (unsigned turn = 0; turn < 3000; ++turn) {
    Bytes bytes(draw() % 273);
    for (auto& one : bytes) one = static_cast<std::uint8_t>(draw());
    if (turn % 2 == 0) { // nearly right
      bytes.resize(2 + 4 * (draw() % 64));
      bytes[0] = static_cast<std::uint8_t>(bytes.size() / 4), bytes[1] = 8;
      for (std::size_t at = 2; at + 4 <= bytes.size(); at += 4)
        protocols::put_word(bytes, at, loop.key + static_cast<std::uint32_t>(draw() % 20));
      if (turn % 16 == 0) bytes.push_back(0);
    }
    if (const auto data = protocols::EieioData::of(bytes); data)
      for (std::size_t at = 0; at < data.value.count(); ++at) ++(data.value[at].key - loop.key < 16 ? events : others);
    else
      ++malformed;
    loop.send(bytes);
    if (turn % 50 == 0) REQUIRE(loop.simulation.wait(std::chrono::milliseconds(1)).ok());
  }
  REQUIRE(loop.simulation.end().ok());
  CHECK((events > 10000 && others > 1000 && malformed > 1000));
  CHECK(loop.counter(loop.in, Source::events) == events);
  CHECK(loop.counter(loop.in, Source::other_keys) == others);
  CHECK(loop.counter(loop.in, Source::malformed) == malformed);
  CHECK(loop.counter(loop.out, Gatherer::events) == events);
  std::uint64_t heard = 0;
  REQUIRE(loop.simulation.wait(std::chrono::milliseconds(1)).ok());
  for (const auto& one : on.heard) heard += protocols::EieioData::of(one.bytes).value.count();
  CHECK(heard == events);
}

TEST_CASE("A gatherer tells no more in a tick than it may, and counts the others; keys are translated") {
  Machine on(1);
  Loop loop(on,
            {.host = "10.1.2.3",
             .port = 17895,
             .most_per_tick = 70,
             .translations = {{0xFFFFFFFF, 0xFFFFFFFF, 9}, {0, 0xFFFFFC00, 5000}}},
            1024);
  loop.begin();
  REQUIRE(loop.key == 0); // that of the only partition, which the translation says
  for (const std::uint32_t count : {0U, 1U, 69U, 70U, 71U, 200U}) {
    on.heard.clear();
    for (std::uint32_t left = count; left != 0;) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> events;
      for (; left != 0 && events.size() < 60; --left) events.emplace_back(loop.key + left % 1024, 0);
      loop.send(message_of({}, events));
    }
    REQUIRE(loop.simulation.wait(std::chrono::milliseconds(1)).ok());
    std::uint32_t heard = 0;
    for (const auto& one : on.heard) {
      const auto data = protocols::EieioData::of(one.bytes);
      for (std::size_t at = 0; at < data.value.count(); ++at, ++heard)
        CHECK(data.value[at].key == 5000 + count - heard);
    }
    CHECK(heard == (std::min)(count, 70U));
  }
  REQUIRE(loop.simulation.end().ok());
  CHECK(loop.counter(loop.out, Gatherer::over_limit) == 1 + 130);
  CHECK(loop.counter(loop.out, Gatherer::events) == 1 + 69 + 70 + 70 + 70);
}

TEST_CASE("Tags are where the mapping says, go with their application, and a host that is none is refused in words") {
  Machine on(1);
  {
    Loop loop(on, {.host = "10.1.2.3", .port = 17895, .strips_header = false});
    loop.begin();
    CHECK(on.monitors.reverse_ports(loop.board) == std::vector<std::uint16_t>{12345});
    loop.send(message_of({}, {{loop.key + 3, 0}}));
    REQUIRE(loop.simulation.wait(std::chrono::milliseconds(1)).ok());
    REQUIRE(on.heard.size() == 1);
    const auto sdp = protocols::decode_sdp_datagram(on.heard[0].bytes);
    REQUIRE(sdp);
    CHECK(protocols::EieioData::of(sdp.value.data).value[0].key == loop.key + 3);
    const auto& placed = loop.simulation.mapping().placements;
    CHECK(sdp.value.from.core == placed.core[loop.out]);
    REQUIRE(loop.simulation.end().ok());
    REQUIRE(loop.simulation.close().ok());
    CHECK(on.monitors.reverse_ports(loop.board).empty());
  }
  for (const char* host :
       {"localhost", "1.2.3", "1.2.3.256", "1.2.3.4.5", "1..2.3", "1.2.3.", "1.2.3.4 ", "1.2.3.0004", "-1.2.3.4"}) {
    Loop loop(on, {.host = host});
    const auto refusal = loop.simulation.begin();
    CHECK(refusal.status.error == neuromorph::Error::unmappable);
    CHECK_THAT(refusal.sentence(),
               Catch::Contains("tag 0 of chip 0, 0: '" + std::string(host) + "' is no address of four numbers"));
  }
  // Without a host it is the one that loads the machine.
  Loop loop(on, {.port = 4711});
  loop.begin();
  on.heard.clear();
  loop.send(message_of({}, {{loop.key, 0}}));
  REQUIRE(loop.simulation.wait(std::chrono::milliseconds(1)).ok());
  REQUIRE(on.heard.size() == 1);
  CHECK(on.heard[0].to.address == std::array<std::uint8_t, 4>{127, 0, 0, 1});
  CHECK(on.heard[0].to.port == 4711);
}

TEST_CASE("An input that is connected to nothing sends nothing, and a port that is taken is refused") {
  Machine on(1);
  execution::Simulation simulation(on.link);
  const auto source = simulation.add_image("source", machine::image_of("source"));
  const auto in = execution::add_live_input(simulation, source, "lonely", {.port = 12345});
  REQUIRE(simulation.begin().ok());
  on.link.send_to(0, 12345, message_of({}, {{0, 0}, {1, 0}, {0xFFFFFFFF, 0}}));
  REQUIRE(simulation.end().ok());
  CHECK(simulation.provenance(in).counters == std::vector<std::uint32_t>{0, 3, 0});
  static_cast<void>(execution::add_live_input(simulation, source, "other", {.port = 12345}));
  REQUIRE(simulation.reset().ok());
  const auto refusal = simulation.run(1);
  CHECK(!refusal.ok());
  CHECK_THAT(refusal.sentence(), Catch::Contains("12345"));
}
