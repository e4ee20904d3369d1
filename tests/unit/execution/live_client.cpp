// SPDX-License-Identifier: BSL-1.0
// Programs beside a simulation: told of it, late, silent, or twice; and events by UDP both ways.
#include <tests/support/catch.hpp>

#include <neuromorph/execution/live.hpp>
#include <neuromorph/execution/live_client.hpp>
#include <neuromorph/execution/notification.hpp>
#include <neuromorph/execution/udp_link.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/server.hpp>
#include <neuromorph/mapping/boards.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace execution = neuromorph::execution;
namespace host = neuromorph::host;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace protocols = neuromorph::protocols;
namespace runtime = neuromorph::runtime;
using execution::News;
using std::chrono::milliseconds;

namespace {

struct Machine {
  Machine()
      : is(mapping::machine_of_boards(1).value()), monitors(is, {}), applications(monitors, programs),
        link(monitors, applications) {
    programs.add<runtime::LivePacketGatherer>("gatherer"), programs.add<runtime::ReverseIpTagMulticastSource>("source");
  }
  mapping::Machine is;
  machine::Programs programs{};
  machine::Monitors monitors;
  machine::Applications applications;
  execution::InProcessLink link;
};
struct Loop {
  explicit Loop(execution::Link& link) : simulation(link) {
    const auto gatherer = simulation.add_image("gatherer", machine::image_of("gatherer"));
    const auto source = simulation.add_image("source", machine::image_of("source"));
    out = execution::add_live_output(simulation, gatherer, "display", {.host = "127.0.0.1", .port = 17895});
    in = execution::add_live_input(simulation, source, "injector", {});
    const mapping::Vertex to[] = {out};
    simulation.graph().connect(in, to, {.keys = 1024});
  }
  execution::Simulation simulation;
  mapping::Vertex out = 0, in = 0;
};
constexpr host::Address here{127, 0, 0, 1};

/// A program in a thread: what it has heard, while it answers as many times as it is told.
struct Program {
  explicit Program(unsigned answers)
      : news(execution::NewsReceiver::open(0).value()), left(answers), thread([this] {
          while (!is_over)
            if (const auto one = news.next(milliseconds(5))) {
              heard += one->what == News::What::database ? 'd' : one->what == News::What::started ? 's' : 'p';
              if (one->what == News::What::database) path = one->path;
              for (; one->what == News::What::database && left != 0; --left) news.answer();
              ++count;
            }
        }) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { end(); }
  void end() {
    is_over = true;
    if (thread.joinable()) thread.join();
  }
  /// Until it has heard so many, and a little longer, for what should not come.
  void wait_for(unsigned many) const {
    for (unsigned turn = 0; turn < 1000 && count < many; ++turn) std::this_thread::sleep_for(milliseconds(10));
    std::this_thread::sleep_for(milliseconds(50));
  }
  [[nodiscard]] host::UdpEnd at() const { return {here, news.port()}; }
  execution::NewsReceiver news;
  std::string heard{}, path{};
  std::atomic<unsigned> left, count{0};
  std::atomic<bool> is_over{false};
  std::thread thread;
};

} // namespace

TEST_CASE("Programs are told of the database, of each start, and of each pause") {
  Machine on;
  Loop loop(on.link);
  unsigned written = 0;
  auto notifier = execution::Notifier::open("/a/path", [&](const std::string& path, const execution::Simulation& of) {
                    CHECK((path == "/a/path" && &of == &loop.simulation));
                    ++written;
                    return neuromorph::Refusal{};
                  }).value();
  loop.simulation.set_observer(notifier.get());
  {
    Program one(1), other(1);
    notifier->add(one.at()), notifier->add(other.at()), notifier->add(one.at());
    REQUIRE(loop.simulation.run(5).ok());
    REQUIRE(loop.simulation.run(5).ok());
    CHECK(written == 1);
    one.wait_for(5), other.wait_for(5);
    notifier->remove(other.at());
    REQUIRE(loop.simulation.begin().ok());
    REQUIRE(loop.simulation.end().ok());
    one.wait_for(7);
    one.end(), other.end();
    CHECK(one.heard == "dspspsp");
    CHECK(other.heard == "dspsp");
    CHECK((one.path == "/a/path" && other.path == "/a/path"));
    CHECK(notifier->counts().answers == 2);
    CHECK(notifier->counts().strange == 0);
    notifier->remove(one.at());
  }
  // What is loaded anew has a database of its own.
  Program again(1);
  notifier->add(again.at());
  REQUIRE(loop.simulation.reset().ok());
  REQUIRE(loop.simulation.run(1).ok());
  CHECK(written == 2);
  loop.simulation.set_observer(nullptr);
  REQUIRE(loop.simulation.run(1).ok());
  again.wait_for(3);
  again.end();
  CHECK(again.heard == "dsp");
}

TEST_CASE("A silent program keeps a run from its start, in words; one that is late, or answers twice, does not") {
  Machine on;
  Loop loop(on.link);
  auto notifier =
      execution::Notifier::open("x", {}, {.patience = milliseconds(1500), .again = milliseconds(20)}).value();
  loop.simulation.set_observer(notifier.get());
  Program fast(3), silent(0);
  notifier->add(fast.at()), notifier->add(silent.at());
  const auto refusal = loop.simulation.run(5);
  CHECK(refusal.status.error == neuromorph::Error::rank_failed);
  CHECK(refusal.sentence() == "127.0.0.1, port " + std::to_string(silent.news.port()) +
                                  ": it has not answered within 1500 ms that it has read the database");
  CHECK(loop.simulation.time() == 0);
  CHECK(notifier->counts().answers == 1);
  CHECK(notifier->counts().again == 2);
  CHECK(notifier->counts().sent >= 3); // it was told again and again
  silent.end();
  CHECK(silent.heard.find('s') == std::string::npos);
  // Strangers and nonsense do not count.
  auto stranger = host::UdpSocket::open().value();
  REQUIRE(!loop.simulation.run(5).ok());
  // It answers late, after the run was refused: the next one starts.
  silent.news.answer();
  REQUIRE(loop.simulation.run(5).ok());
  CHECK(loop.simulation.time() == 5);
  CHECK(notifier->counts().answers == 2);
}

TEST_CASE("An answer to what was told of the database before is none to the new one") {
  Machine on;
  Loop loop(on.link);
  auto notifier =
      execution::Notifier::open("x", {}, {.patience = milliseconds(1000), .again = milliseconds(5000)}).value();
  loop.simulation.set_observer(notifier.get());
  auto program = host::UdpSocket::open().value();
  notifier->add({here, program.port()});
  constexpr std::array<std::uint8_t, 2> answer{1, 0x40};
  std::vector<std::uint8_t> bytes;
  host::UdpEnd from;
  const auto read = [&] { return program.receive(bytes, from, milliseconds(5000)); };
  std::thread first([&] { static_cast<void>(read() && program.send(from, answer)); });
  CHECK(loop.simulation.run(1).ok());
  first.join();
  program.send(from, answer);            // late, as if it had been told twice
  REQUIRE(loop.simulation.reset().ok()); // and nobody answers what is told now
  CHECK(loop.simulation.run(1).status.error == neuromorph::Error::rank_failed);
  CHECK((notifier->counts().answers == 1 && notifier->counts().again == 1));
  CHECK((read() && read() && read())); // start and pause of the first run, and the new database
  CHECK(bytes.size() == 3);
  program.send(from, answer);
  REQUIRE(loop.simulation.run(1).ok());
  CHECK((notifier->counts().answers == 2 && notifier->counts().again == 1));
}

TEST_CASE("What is no answer does not count as one") {
  Machine on;
  Loop loop(on.link);
  auto notifier =
      execution::Notifier::open("x", {}, {.patience = milliseconds(1000), .again = milliseconds(20)}).value();
  loop.simulation.set_observer(notifier.get());
  auto program = host::UdpSocket::open().value();
  notifier->add({here, program.port()});
  std::thread liar([&] {
    std::vector<std::uint8_t> bytes;
    host::UdpEnd from;
    if (!program.receive(bytes, from, milliseconds(5000))) return;
    auto stranger = host::UdpSocket::open().value();
    const std::uint8_t right[] = {1, 0x40}, wrong[] = {2, 0x40}, data[] = {0, 8}, one[] = {1};
    for (unsigned turn = 0; turn < 3; ++turn) {
      stranger.send(from, right);
      program.send(from, wrong), program.send(from, data), program.send(from, one), program.send(from, {});
    }
  });
  const auto refusal = loop.simulation.run(5);
  liar.join();
  CHECK(refusal.status.error == neuromorph::Error::rank_failed);
  CHECK(notifier->counts().strange == 15);
  CHECK(notifier->counts().answers == 0);
}

TEST_CASE("What a database refuses, the run refuses, and tries again") {
  Machine on;
  Loop loop(on.link);
  unsigned tries = 0;
  auto notifier = execution::Notifier::open("x", [&](const std::string&, const execution::Simulation&) {
                    if (++tries < 3)
                      return neuromorph::Refusal{{neuromorph::Error::file_failed, 0, 0, "x"}, "x", "the disk is full"};
                    return neuromorph::Refusal{};
                  }).value();
  loop.simulation.set_observer(notifier.get());
  CHECK(loop.simulation.run(5).sentence() == "x: the disk is full");
  CHECK(loop.simulation.run(5).sentence() == "x: the disk is full");
  CHECK(loop.simulation.run(5).ok());
  CHECK(loop.simulation.run(5).ok());
  CHECK(tries == 3);
  CHECK(loop.simulation.time() == 10);
}

TEST_CASE("Events by UDP go in and come out, each of them, in their order") {
  Machine on;
  auto server = machine::Server::open(on.monitors, {.port = 0});
  REQUIRE(server.ok());
  auto receiver = execution::EventReceiver::open(0).value();
  std::atomic<bool> is_over{false};
  struct Joined { // also where something is required in vain
    std::atomic<bool>& is_over;
    std::thread thread;
    ~Joined() { is_over = true, thread.join(); }
  } const serving{is_over, std::thread([&] {
                    std::vector<machine::Datagram> datagrams;
                    while (!is_over) {
                      server.value().serve(1);
                      datagrams.clear();
                      on.applications.advance(1, datagrams);
                      for (const auto& one : datagrams) server.value().send(one);
                    }
                  })};
  {
    auto link = execution::UdpLink::open({127, 0, 0, 2}, {.scp = server.value().port()});
    REQUIRE(link.ok());
    execution::Simulation simulation(*link.value());
    const auto gatherer = simulation.add_image("gatherer", machine::image_of("gatherer"));
    const auto source = simulation.add_image("source", machine::image_of("source"));
    const bool has_header = GENERATE(false, true);
    auto headed = execution::EventReceiver::open(0, true).value();
    auto& to = has_header ? headed : receiver;
    const auto out = execution::add_live_output(simulation, gatherer, "display",
                                                {.host = "127.0.0.1",
                                                 .port = to.port(),
                                                 .strips_header = !has_header,
                                                 .form = {.type = protocols::EieioType::key32_payload}});
    const auto in = execution::add_live_input(simulation, source, "injector", {});
    const mapping::Vertex targets[] = {out};
    simulation.graph().connect(in, targets, {.keys = 1024});
    const auto begun = simulation.begin();
    INFO(begun.sentence());
    REQUIRE(begun.ok());
    const auto* const input = execution::input_of(simulation, in);
    REQUIRE(input != nullptr);
    auto sender = execution::EventSender::open({{127, 0, 0, 2}, input->port}).value();
    const std::uint32_t key = simulation.mapping().keys_of(0).key;
    std::mt19937 draw(3);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> sent, given;
    std::vector<std::uint32_t> keys;
    std::vector<protocols::EieioEvent> heard;
    for (unsigned turn = 0; turn < 120; ++turn) {
      given.clear(), keys.clear();
      // A few datagrams: who serves them may have to wait for a processor.
      for (auto count = draw() % 64; count != 0; --count) {
        const auto atom = static_cast<std::uint32_t>(draw() % 1024);
        if (turn % 2 == 0)
          given.emplace_back(key + atom, static_cast<std::uint32_t>(draw())), sent.push_back(given.back());
        else
          keys.push_back(key + atom), sent.emplace_back(key + atom, 0);
      }
      CHECK(sender.send(given) == 0);
      CHECK(sender.send(keys) == 0);
      // No more than this turn's is under way: what finds a socket full is lost by the system.
      for (unsigned look = 0; look < 1000 && heard.size() < sent.size(); ++look) to.receive(heard, milliseconds(10));
      INFO("turn " << turn);
      REQUIRE(heard.size() == sent.size());
    }
    for (std::size_t at = 0; at < sent.size(); ++at)
      REQUIRE((heard[at].key == sent[at].first && heard[at].payload == sent[at].second));
    CHECK(to.malformed() == 0);
    REQUIRE(simulation.end().ok());
    REQUIRE(simulation.close().ok());
  }
}
