// SPDX-License-Identifier: BSL-1.0
// Files of settings, right and wrong; and the three ways to a machine, of which the server that hands it out also lies.
#include <tests/support/catch.hpp>

#include <neuromorph/execution/configuration.hpp>
#include <neuromorph/machine/allocation.hpp>
#include <neuromorph/machine/server.hpp>
#include <neuromorph/mapping/boards.hpp>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace execution = neuromorph::execution;
namespace host = neuromorph::host;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace offer = neuromorph::offer;
namespace runtime = neuromorph::runtime;
using execution::Configuration;
using neuromorph::Error;
using std::chrono::milliseconds;

namespace {

struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / ("neuromorph_configuration_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
  std::filesystem::path path;
};

struct Counter {
  using Regions = runtime::Regions<>;
  using Offers = offer::List<offer::Tick>;
  using Fields = runtime::Fields<>;
  neuromorph::Status start(auto&) { return {}; }
  void tick(auto& core, std::uint32_t time) { static_cast<void>(core.record(0, std::span(&time, 1))); }
};
machine::Programs programs() {
  machine::Programs made;
  made.add<Counter>("counter");
  return made;
}
/// Runs a counter, and says what is wrong.
std::string try_out(execution::ConnectedMachine& on) {
  execution::Simulation simulation(on.link(), on.options());
  const auto image = simulation.add_image("counter", machine::image_of("counter"));
  const auto vertex = simulation.add(image, {.recordings = {[](std::uint64_t ticks) { return 4 * ticks; }}});
  if (const auto refusal = simulation.run(10); !refusal) return refusal.sentence();
  if (simulation.recorded(vertex, 0).size() != 40) return "it has recorded too little";
  if (const auto refusal = simulation.close(); !refusal) return refusal.sentence();
  return {};
}

/// A served machine of some boards with a desk, in a thread.
struct Served {
  explicit Served(unsigned boards)
      : is(mapping::machine_of_boards(boards).value()), monitors(is, {}), applications(monitors, of),
        server(machine::Server::open(monitors, {.port = 0}).value()), lines(machine::LineServer::open(0).value()),
        desk(is, hosts()), thread([this] { serve(); }) {}
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  ~Served() {
    is_over = true;
    thread.join();
  }
  std::vector<std::pair<mapping::Chip, std::string>> hosts() {
    std::vector<std::pair<mapping::Chip, std::string>> made;
    for (const mapping::Chip one : monitors.ethernets())
      made.emplace_back(one, neuromorph::host::text_of(monitors.address(one)));
    return made;
  }
  void serve() {
    const auto begun = std::chrono::steady_clock::now();
    std::vector<machine::Datagram> datagrams;
    while (!is_over) {
      server.serve(1);
      const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
      lines.serve(
          [&](auto client, const std::string& line) {
            ++asked;
            return desk.take(client, line, now);
          },
          [&](auto client) { desk.leave(client); });
      desk.expire(now);
      if (desk.has_new_owner()) applications.power_on();
      owner = desk.owner() ? *desk.owner() : 0;
      applications.advance(1, datagrams);
      datagrams.clear();
    }
  }
  machine::Programs of = programs();
  mapping::Machine is;
  machine::Monitors monitors;
  machine::Applications applications;
  machine::Server server;
  machine::LineServer lines;
  machine::Allocations desk;
  std::atomic<bool> is_over{false};
  std::atomic<unsigned> asked{0}, owner{0};
  std::thread thread;
};

} // namespace

TEST_CASE("Settings are read, over those that are there") {
  const Folder folder;
  Configuration is;
  REQUIRE(
      is.read(folder.write(
                  "one.cfg",
                  "# a comment\n\n[Machine]\n machine_name = 192.168.240.1 ; another\r\nspalloc_port:5\nboards = 3\n"
                  "[ Simulation ]\napplication=254\n[Transceiver]\nwindow\t=\t64\n[Machine]\nthreads = 2"))
          .ok());
  CHECK((is.machine_name == "192.168.240.1" && is.spalloc_port == 5 && is.boards == 3 && is.application == 254));
  CHECK((is.window == 64 && is.threads == 2 && is.port == 17893 && is.machine_time_step == 1000));
  REQUIRE(is.read(folder.write("two.cfg",
                               "[Machine]\nmachine_name = None\nspalloc_server = 10.0.0.1\nspalloc_user = a b\n"))
              .ok());
  CHECK((is.machine_name.empty() && is.spalloc_server == "10.0.0.1" && is.spalloc_user == "a b" && is.boards == 3));
  REQUIRE(is.read(folder.write("empty.cfg", "")).ok());
}

TEST_CASE("A file that is wrong is refused with its line, and nothing of it counts") {
  const Folder folder;
  const std::pair<const char*, const char*> wrong[] = {
      {"boards = 3\n", "line 2: a setting stands in a section, as [Machine]"},
      {"[Machine\n", "line 2: a section ends with ']'"},
      {"[machine]\n", "line 2: there is no section 'machine': it is one of Machine, Simulation, Transceiver"},
      {"[Machine]\nboards\n", "line 3: a setting is 'name = value'"},
      {"[Machine]\nwindow = 3\n", "line 3: section Machine has no setting 'window'"},
      {"[Machine]\nboards = 0\n", "line 3: boards is a whole number from 1 to 900, not '0'"},
      {"[Machine]\nboards = 901\n", "not '901'"},
      {"[Simulation]\napplication = 255\n", "application is a whole number from 1 to 254, not '255'"},
      {"[Machine]\nboards = -1\n", "not '-1'"},
      {"[Machine]\nboards = 1x\n", "not '1x'"},
      {"[Machine]\nboards =\n", "not ''"},
      {"[Machine]\nboards = 4294967299\n", "not '4294967299'"},
      {"[Machine]\nboards = 99999999999999999999\n", "not '99999999999999999999'"},
  };
  for (const auto& [text, why] : wrong) {
    CAPTURE(text);
    Configuration is;
    is.port = 99;
    const std::string path = folder.write("wrong.cfg", std::string("# ok\n") + text);
    const auto refusal = is.read(path);
    CHECK(refusal.status.error == Error::file_malformed);
    CHECK_THAT(refusal.sentence(), Catch::StartsWith(path + ", line ") && Catch::Contains(why));
    CHECK((is.port == 99 && is.boards == 1));
  }
  Configuration is;
  CHECK(is.read((folder.path / "none.cfg").string()).status.error == Error::file_failed);
  CHECK(!is.read(folder.path.string()).ok());
  // Every setting has an end that is taken, and one beyond that is not.
  REQUIRE(is.read(folder.write("ends.cfg", "[Machine]\nspalloc_port=65535\nboards=900\nport=65535\nboot_port="
                                           "1\nthreads=256\nmachine_time_step=1000000\n"
                                           "[Simulation]\napplication=254\nmost_ticks_of_a_cycle=1073741824\npost_run_"
                                           "wait=1\n[Transceiver]\nwindow=1\ntries=1000\n"))
              .ok());
}

TEST_CASE("A user's files count in their order") {
  const Folder home, here;
  const std::string before = std::filesystem::current_path().string();
  const char* const old = std::getenv("HOME");
  const std::string old_home = old == nullptr ? "" : old;
  ::setenv("HOME", home.path.c_str(), 1);
  std::filesystem::create_directories(here.path / "work");
  std::filesystem::current_path(here.path / "work");
  CHECK(Configuration::of_user().value().boards == 1);
  home.write(".neuromorph.cfg", "[Machine]\nboards = 3\nthreads = 2\n");
  std::ofstream(here.path / "work" / "neuromorph.cfg") << "[Machine]\nboards = 6\n";
  CHECK((Configuration::of_user().value().boards == 6 && Configuration::of_user().value().threads == 2));
  home.write(".neuromorph.cfg", "nonsense");
  CHECK(!Configuration::of_user().ok());
  std::filesystem::current_path(before);
  ::setenv("HOME", old_home.c_str(), 1);
}

TEST_CASE("All three ways lead to a machine on which the same script runs") {
  const machine::Programs of = programs();
  Configuration is;
  is.boards = 3, is.machine_time_step = 500, is.most_ticks_of_a_cycle = 4, is.application = 20;
  auto here = execution::connect(is, of);
  REQUIRE(here.ok());
  CHECK((here.value()->monitors() != nullptr && here.value()->allocation() == nullptr));
  CHECK((here.value()->options().tick_us == 500 && here.value()->options().most_cycle == 4 &&
         here.value()->options().application == 20));
  CHECK(try_out(*here.value()).empty());

  Served served(3);
  is.machine_name = "127.0.0.2", is.port = served.server.port();
  auto board = execution::connect(is, of);
  REQUIRE(board.ok());
  CHECK(try_out(*board.value()).empty());

  is.machine_name.clear(), is.spalloc_server = "127.0.0.1", is.spalloc_port = served.lines.port(),
                           is.spalloc_user = "a \"user\"";
  {
    auto given = execution::connect(is, of);
    INFO(given.sentence());
    REQUIRE(given.ok());
    CHECK(try_out(*given.value()).empty());
    REQUIRE(given.value()->allocation() != nullptr);
    CHECK(given.value()->allocation()->boards() == 3);
    CHECK(given.value()->allocation()->is_held());
    for (unsigned turn = 0; turn < 200 && served.owner != 1; ++turn) std::this_thread::sleep_for(milliseconds(10));
    CHECK(served.owner == 1);
    // A second one waits, and gets it when the first has given it back.
    std::thread other([&] {
      std::this_thread::sleep_for(milliseconds(100));
      given.value().reset();
    });
    auto next = execution::connect(is, of);
    other.join();
    REQUIRE(next.ok());
    CHECK(try_out(*next.value()).empty());
  }
  for (unsigned turn = 0; turn < 300 && served.owner != 0; ++turn) std::this_thread::sleep_for(milliseconds(10));
  CHECK(served.owner == 0);
}

TEST_CASE("Boards stay with who says that he is there, and go from who does not") {
  Served served(1);
  execution::AllocationRequest request{.port = served.lines.port(), .owner = "me", .keepalive = milliseconds(1500)};
  auto held = execution::Allocation::open(request);
  REQUIRE(held.ok());
  const unsigned asked = served.asked;
  std::this_thread::sleep_for(milliseconds(2600));
  CHECK(served.asked >= asked + 3);
  CHECK(held.value()->is_held());
  // There is one machine: who does not wait long enough is told.
  request.patience = milliseconds(100);
  const auto late = execution::Allocation::open(request);
  CHECK(late.status().error == Error::unmappable);
  CHECK_THAT(late.sentence(), Catch::EndsWith("it has not given 1 boards within 100 ms"));
  request.boards = 2;
  CHECK_THAT(execution::Allocation::open(request).sentence(),
             Catch::EndsWith("it does not give 2 boards: the machine has 1 boards, and not what was asked for"));
}

TEST_CASE("What leads to no machine is refused in words") {
  const machine::Programs of = programs();
  const auto sentence = [&](const std::function<void(Configuration&)>& change) {
    Configuration is;
    change(is);
    const auto made = execution::connect(is, of);
    CHECK(!made.ok());
    return made.sentence();
  };
  CHECK(sentence([](auto& is) { is.machine_name = "localhost"; }) ==
        "machine_name: 'localhost' is no address of four numbers");
  CHECK(sentence([](auto& is) { is.spalloc_server = "x"; }) == "spalloc_server: 'x' is no address of four numbers");
  CHECK_THAT(sentence([](auto& is) { is.spalloc_server = "127.0.0.1"; }), Catch::EndsWith("spalloc_user is missing"));
  CHECK_THAT(sentence([](auto& is) { is.spalloc_server = "127.0.0.1", is.machine_name = "127.0.0.2"; }),
             Catch::EndsWith("are both set"));
  CHECK_THAT(sentence([](auto& is) { is.boot_image = "/no/such/image"; }),
             Catch::StartsWith("/no/such/image: the boot image cannot be read"));
  CHECK_THAT(sentence([](auto& is) { is.spalloc_server = "127.0.0.1", is.spalloc_user = "me", is.spalloc_port = 1; }),
             Catch::StartsWith("127.0.0.1, port 1: cannot reach it: "));
}

TEST_CASE("A server that lies, is silent or hangs up is told by what it has said") {
  const std::pair<std::vector<std::string>, const char*> lies[] = {
      {{"nonsense\n"}, "it answers 'create_job' with what is no JSON: "},
      {{"{\"exception\": \"you are too late\"}\n"}, "it refuses 'create_job': you are too late"},
      {{"{\"exception\": 5}\n"}, "it refuses 'create_job': without a word"},
      {{"{\"return\": \"one\"}\n"}, "it answers 'create_job' in a way that is not known: "},
      {{"{\"return\": 0}\n"}, "it answers 'create_job' in a way that is not known: "},
      {{""}, "it has not answered within 300 ms"},
      {{"{\"jobs_changed\": [1]}\n"}, "it has not answered within 300 ms"},
      {{"close"}, "it has closed the line"},
      {{"{\"return\": 1}\n", "{\"return\": {\"state\": 9}}\n"},
       "it answers 'get_job_state' in a way that is not known: "},
      {{"{\"return\": 1}\n", "{\"return\": {\"state\": 4, \"reason\": \"no power\"}}\n"},
       "it does not give 1 boards: no power"},
      {{"{\"return\": 1}\n", "{\"return\": {\"state\": 0}}\n"}, "it does not give 1 boards"},
      {{"{\"return\": 1}\n", "{\"return\": {\"state\": 3}}\n",
        "{\"return\": {\"width\": 8, \"height\": 8, \"connections\": []}}\n"},
       "it gives a machine without a board at 0, 0"},
      {{"{\"return\": 1}\n", "{\"return\": {\"state\": 3}}\n",
        "{\"return\": {\"width\": 8, \"height\": 8, \"connections\": [[[0, 0], \"here\"]]}}\n"},
       "it gives a machine without a board at 0, 0"},
      {{"{\"return\": 1}\n", "{\"return\": {\"state\": 3}}\n", "{\"return\": {\"width\": null}}\n"},
       "it answers 'get_job_machine_info' in a way that is not known: "},
  };
  for (const auto& [answers, why] : lies) {
    CAPTURE(why, answers.back());
    auto lines = std::make_unique<machine::LineServer>(machine::LineServer::open(0).value());
    const std::uint16_t port = lines->port();
    std::atomic<bool> is_over{false};
    std::thread liar([&, &answers = answers] {
      std::size_t at = 0;
      while (!is_over) {
        if (lines)
          lines->serve(
              [&](auto, const std::string&) {
                return at < answers.size() && answers[at] != "close" ? answers[at++] : std::string();
              },
              [](auto) {});
        if (lines && answers[0] == "close") {
          std::this_thread::sleep_for(milliseconds(20));
          lines->serve([](auto, const std::string&) { return std::string(); }, [](auto) {});
          lines.reset();
        }
        std::this_thread::sleep_for(milliseconds(1));
      }
    });
    const bool is_silent =
        std::string(why).find("300 ms") != std::string::npos; // another is given the time of a busy machine
    const auto made =
        execution::Allocation::open({.port = port, .owner = "me", .answer = milliseconds(is_silent ? 300 : 1000)});
    CHECK(!made.ok());
    CHECK_THAT(made.sentence(), Catch::Contains(why));
    is_over = true;
    liar.join();
  }
}

TEST_CASE("An answer that comes too late is not taken for that to another question") {
  auto lines = machine::LineServer::open(0).value();
  const std::string none, job = "{\"return\": 1}\n", held_by_me = "{\"return\": {\"state\": 3}}\n",
                          lost = "{\"return\": {\"state\": 4}}\n";
  // To one line after the other; an answer to the fourth and to the fifth is owed until the sixth.
  const std::vector<std::string> answers = {
      job,  held_by_me, "{\"return\": {\"width\": 8, \"height\": 8, \"connections\": [[[0, 0], \"127.0.0.1\"]]}}\n",
      none, none,       "{\"exception\": \"busy\"}\n{\"jobs_changed\": [1]}\n" + lost + held_by_me,
      lost, held_by_me, job};
  std::atomic<bool> is_over{false};
  std::thread server([&] {
    std::size_t at = 0;
    while (!is_over) {
      lines.serve([&](auto, const std::string&) { return at < answers.size() ? answers[at++] : none; }, [](auto) {});
      std::this_thread::sleep_for(milliseconds(1));
    }
  });
  std::vector<bool> held;
  {
    auto made = execution::Allocation::open({.port = lines.port(), .owner = "me", .answer = milliseconds(1000)});
    CHECK(made.ok());
    if (made.ok())
      for (unsigned turn = 0; turn < 5; ++turn) held.push_back(made.value()->is_held());
  }
  CHECK(held == std::vector<bool>{false, false, true, false, true});
  is_over = true;
  server.join();
}
