// SPDX-License-Identifier: BSL-1.0
// The database against the mapping that it is made from, and what does not let it be written.
#include <tests/support/catch.hpp>

#include <unistd.h>

#include <neuromorph/execution/database.hpp>
#include <neuromorph/execution/live.hpp>
#include <neuromorph/machine/applications.hpp>
#include <neuromorph/machine/server.hpp>
#include <neuromorph/mapping/boards.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace execution = neuromorph::execution;
namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace offer = neuromorph::offer;
namespace runtime = neuromorph::runtime;
using Bytes = std::vector<std::uint8_t>;
using execution::Database;

namespace {

struct Quiet {
  using Regions = runtime::Regions<>;
  using Offers = offer::List<>;
  using Fields = runtime::Fields<>;
  neuromorph::Status start(auto&) { return {}; }
};
struct Machine {
  explicit Machine(unsigned boards)
      : is(mapping::machine_of_boards(boards).value()), monitors(is, {}), applications(monitors, programs),
        link(monitors, applications) {
    programs.add<runtime::LivePacketGatherer>("gatherer"), programs.add<runtime::ReverseIpTagMulticastSource>("source");
    programs.add<Quiet>("quiet");
  }
  mapping::Machine is;
  machine::Programs programs{};
  machine::Monitors monitors;
  machine::Applications applications;
  execution::InProcessLink link;
};
/// A file that is gone at the end.
struct File {
  explicit File(std::string name)
      : path(std::filesystem::temp_directory_path() / ("neuromorph_" + std::to_string(::getpid()) + "_" + name)) {
    remove();
  }
  ~File() { remove(); }
  void remove() const { static_cast<void>(std::remove(path.c_str())); }
  [[nodiscard]] bool is_there() const { return static_cast<bool>(std::ifstream(path)); }
  std::string path;
};

} // namespace

TEST_CASE("Keys, tags and labels of random networks are read as they were mapped") {
  const unsigned seed = GENERATE(range(1U, 9U));
  CAPTURE(seed);
  std::mt19937 draw(seed);
  const auto number = [&draw](std::uint32_t below) { return static_cast<std::uint32_t>(draw() % below); };
  Machine on(1 + seed % 3);
  execution::Simulation simulation(on.link);
  const auto quiet = simulation.add_image("quiet", machine::image_of("quiet")),
             gatherer = simulation.add_image("gatherer", machine::image_of("gatherer")),
             source = simulation.add_image("source", machine::image_of("source"));
  // Some names are of one vertex, some of many; one is what another would be called by its number.
  std::vector<std::string> names;
  for (std::uint32_t vertex = 0; vertex < 30; ++vertex) {
    names.push_back(number(3) == 0 ? "alone" + std::to_string(vertex) : number(2) == 0 ? "cell" : "");
    if (vertex == 20) names.back() = "cell_21";
    if (vertex == 21) names.back() = "cell";
    simulation.add(quiet, {.name = names.back(), .resources = {.sdram_bytes = 100}});
  }
  std::vector<mapping::Vertex> outs, ins;
  for (unsigned one = 0; one < 2; ++one)
    outs.push_back(execution::add_live_output(simulation, gatherer, "display" + std::to_string(one),
                                              {.host = "10.0.0." + std::to_string(7 + one),
                                               .port = static_cast<std::uint16_t>(17895 + one),
                                               .strips_header = one == 0}));
  for (unsigned one = 0; one < 3; ++one)
    ins.push_back(execution::add_live_input(simulation, source, "injector" + std::to_string(one),
                                            {.port = static_cast<std::uint16_t>(one == 0 ? 0 : 5000 + one)}));
  std::map<mapping::Vertex, std::vector<mapping::Partition>> of;
  std::map<mapping::Vertex, std::vector<mapping::Vertex>> shown;
  for (unsigned one = 0; one < 50; ++one) {
    const mapping::Vertex from = one < 3 ? ins[one] : number(30);
    std::vector<mapping::Vertex> to;
    for (auto count = number(5); count != 0; --count) to.push_back(number(30));
    for (const mapping::Vertex out : outs)
      if (number(3) == 0) {
        to.push_back(out);
        auto& list = shown[from];
        if (std::find(list.begin(), list.end(), out) == list.end()) list.push_back(out);
      }
    of[from].push_back(simulation.graph().connect(from, to, {.keys = 1 + number(200)}));
  }
  REQUIRE(simulation.run(1).ok());
  const File file("keys.sqlite3");
  for (unsigned turn = 0; turn < 2; ++turn) { // also over one that is there
    const auto written = execution::write_database(file.path, simulation);
    INFO(written.sentence());
    REQUIRE(written.ok());
  }
  auto opened = Database::open(file.path);
  INFO(opened.sentence());
  REQUIRE(opened.ok());
  Database database = std::move(opened).value();
  const auto labels = database.labels().value();
  REQUIRE(labels == execution::labels_of(simulation));
  REQUIRE(labels.size() == 35);
  CHECK(labels[20] == "cell_21");
  CHECK(labels[21] == "cell_21_");
  for (mapping::Vertex vertex = 0; vertex < labels.size(); ++vertex) {
    CAPTURE(vertex, labels[vertex]);
    CHECK(std::count(labels.begin(), labels.end(), labels[vertex]) == 1);
    if (vertex < 30 && names[vertex].rfind("alone", 0) == 0) CHECK(labels[vertex] == names[vertex]);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> expected, is;
    for (const mapping::Partition one : of[vertex])
      for (std::uint32_t atom = 0; atom < simulation.graph().options(one).keys; ++atom)
        expected.emplace_back(atom, simulation.mapping().keys_of(one).key + atom);
    std::sort(expected.begin(), expected.end());
    const auto keys = database.keys_of(labels[vertex]);
    REQUIRE(keys.ok());
    for (const auto& one : keys.value()) is.emplace_back(one.atom, one.key);
    CHECK(is == expected);
    const auto outputs = database.outputs_of(labels[vertex]).value();
    CHECK(outputs.size() == shown[vertex].size());
    for (unsigned one = 0; one < 2; ++one) {
      const auto found = database.outputs_of(labels[vertex], "display" + std::to_string(one)).value();
      const bool is_shown = std::count(shown[vertex].begin(), shown[vertex].end(), outs[one]) != 0;
      REQUIRE(found.size() == (is_shown ? 1U : 0U));
      if (!is_shown) continue;
      CHECK(found[0].host == "10.0.0." + std::to_string(7 + one));
      CHECK(found[0].port == 17895 + one);
      CHECK(found[0].strips_header == (one == 0));
      const mapping::Chip board =
          simulation.mapping().tags.ip[simulation.mapping().tags.ip_of(outs[one])[0].tag].ethernet;
      CHECK(found[0].board == neuromorph::host::text_of(on.monitors.address(board)));
    }
  }
  for (unsigned one = 0; one < 3; ++one) {
    const auto inputs = database.inputs_of("injector" + std::to_string(one)).value();
    REQUIRE(inputs.size() == 1);
    const auto* const tag = execution::input_of(simulation, ins[one]);
    REQUIRE(tag != nullptr);
    CHECK(inputs[0].port == tag->port);
    CHECK((one == 0 || tag->port == 5000 + one));
    CHECK(inputs[0].board == neuromorph::host::text_of(on.monitors.address(tag->ethernet)));
  }
  CHECK(database.keys_of("nobody").value().empty());
  CHECK(database.inputs_of("cell' OR 1 --").value().empty());
}

TEST_CASE("A database that cannot be written or read is refused in words, and leaves no file") {
  Machine on(1);
  execution::Simulation simulation(on.link);
  const auto quiet = simulation.add_image("quiet", machine::image_of("quiet"));
  simulation.add(quiet, {.name = "one"});
  REQUIRE(simulation.run(1).ok());
  const auto refused = execution::write_database("/nowhere/at/all.sqlite3", simulation);
  CHECK(refused.status.error == neuromorph::Error::file_failed);
  CHECK(refused.sentence() == "/nowhere/at/all.sqlite3.new: unable to open database file");
  const File folder("folder");
  std::filesystem::create_directory(folder.path);
  CHECK(execution::write_database(folder.path, simulation).sentence() ==
        folder.path + ": the system does not let it be written there");
  CHECK(!std::ifstream(folder.path + ".new"));
  CHECK(Database::open("/nowhere").status().error == neuromorph::Error::file_failed);
  const File file("none.sqlite3");
  std::ofstream(file.path)
      << "this is no database, however long it may be, and it has more bytes than a head of one has";
  CHECK(Database::open(file.path).sentence() == file.path + ": file is not a database");
  std::ofstream(file.path, std::ios::trunc);
  CHECK_THAT(Database::open(file.path).sentence(), Catch::Contains("no such table"));
}
