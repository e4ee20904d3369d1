// SPDX-License-Identifier: BSL-1.0
// Machines, demands and tables from JSON and dumps: they come back as they were, and what is cut off or changed is a sentence.
#include <neuromorph/mapping/proof/files.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/plain_packets.hpp"

namespace {

using namespace neuromorph;
namespace proof = neuromorph::mapping::proof;

std::vector<std::uint8_t> dump_of(const plain::Problem& problem) {
  std::vector<std::uint8_t> bytes;
  const auto put = [&](std::uint32_t value, unsigned count) {
    for (unsigned at = 0; at < count; ++at) bytes.push_back(static_cast<std::uint8_t>(value >> 8 * at));
  };
  for (std::uint32_t chip = problem.machine.chips(); chip-- != 0;) { // in another order
    put(chip % problem.machine.width, 1), put(chip / problem.machine.width, 1);
    put(static_cast<std::uint32_t>(problem.tables[chip].size()), 2);
    for (const proof::Entry& entry : problem.tables[chip])
      put(entry.key, 4), put(entry.mask, 4), put(8, 4), put(entry.route, 4);
  }
  return bytes;
}

} // namespace

TEST_CASE("files: random machines, demands and tables come back from JSON and from dumps") {
  for (std::uint32_t seed = 1; seed <= 100; ++seed) {
    INFO("seed " << seed);
    plain::Random random(seed);
    plain::Problem problem = plain::random_problem(random, 5, 10);
    if (seed % 2 == 0)
      problem.machine.entries.assign(problem.machine.chips(), 1023), problem.machine.entries.back() = 7;
    const auto machine = proof::machine_from_json(proof::machine_to_json(problem.machine), "machine");
    INFO(machine.sentence());
    REQUIRE(machine.ok());
    CHECK(machine.value().neighbours == problem.machine.neighbours);
    CHECK(machine.value().is_there == problem.machine.is_there);
    CHECK(machine.value().entries == problem.machine.entries);
    const auto demand =
        proof::demand_from_json(proof::demand_to_json(problem.demand, problem.machine), problem.machine, "demand");
    INFO(demand.sentence());
    REQUIRE(demand.ok());
    CHECK(demand.value().first_sink == problem.demand.first_sink);
    CHECK(demand.value().packets == std::vector<double>(problem.demand.streams.size(), 1.0));
    for (std::size_t at = 0; at < problem.demand.streams.size(); ++at) {
      const proof::Stream &one = demand.value().streams[at], &other = problem.demand.streams[at];
      CHECK((one.key == other.key && one.mask == other.mask && one.chip == other.chip && one.from == other.from));
    }
    for (std::size_t at = 0; at < problem.demand.sinks.size(); ++at) {
      CHECK(demand.value().sinks[at].chip == problem.demand.sinks[at].chip);
      CHECK(demand.value().sinks[at].route == problem.demand.sinks[at].route);
    }
    for (const auto& tables :
         {proof::tables_from_json(proof::tables_to_json(problem.tables, problem.machine), problem.machine, "tables"),
          proof::tables_from_dump(dump_of(problem), problem.machine, "dump")}) {
      INFO(tables.sentence());
      REQUIRE(tables.ok());
      CHECK(tables.value().first == problem.tables.first);
      CHECK(tables.value().entries == problem.tables.entries);
    }
  }
}

TEST_CASE("files: tables in the form of PACMAN are read") {
  const proof::Machine machine = proof::Machine::grid(2, 2, true, true);
  const auto tables =
      proof::tables_from_json("[{\"x\": 1, \"y\": 0, \"entries\": [{\"key\": 5, \"mask\": 4294967295, \"defaultable\": "
                              "false, \"spinnaker_route\": 131}]}]",
                              machine);
  REQUIRE(tables.ok());
  CHECK(tables.value().first == std::vector<std::size_t>{0, 0, 1, 1, 1});
  CHECK(tables.value().entries[0] == proof::Entry{5, 0xFFFFFFFF, 131});
}

TEST_CASE("files: the table of a router is read without what is empty, to its end") {
  std::vector<std::uint8_t> bytes;
  const auto put = [&](std::uint32_t links, std::uint32_t route, std::uint32_t key, std::uint32_t mask) {
    for (const std::uint32_t word : {links, route, key, mask})
      for (unsigned at = 0; at < 4; ++at) bytes.push_back(static_cast<std::uint8_t>(word >> 8 * at));
  };
  put(1, 0x1E000041, 0x10, 0xFFFFFFF0);
  put(2, 0xFF000000, 0xFFFFFFFF, 0);
  put(0xFFFF0003, 0x00000008, 0, 0);
  const auto read = [&] { return proof::table_from_router(bytes, "router"); };
  REQUIRE(read().ok());
  const std::vector<proof::Entry> wanted{{0x10, 0xFFFFFFF0, 0x41}, {0, 0, 8}};
  CHECK(read().value() == wanted);
  put(0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF);
  put(5, 1, 2, 0xFFFFFFFF); // behind the end
  CHECK(read().value() == wanted);
  bytes.resize(16 * 3 + 5);
  CHECK(read().sentence() == "router: byte 48: an entry of 16 bytes is cut off");
}

TEST_CASE("files: what is cut off or changed is taken or a sentence, and never more") {
  plain::Random random(11);
  plain::Problem problem = plain::random_problem(random, 4, 6);
  while (problem.tables.entries.size() < 5) problem = plain::random_problem(random, 4, 6);
  const std::string machine = proof::machine_to_json(problem.machine),
                    demand = proof::demand_to_json(problem.demand, problem.machine),
                    tables = proof::tables_to_json(problem.tables, problem.machine);
  const auto judge = [&](const std::string& text, unsigned which) {
    const auto sentence = [](const auto& answer) {
      CHECK((answer.ok() || answer.status().error == Error::file_malformed));
      return answer.ok() ? std::string() : answer.sentence();
    };
    return which == 0   ? sentence(proof::machine_from_json(text, "it"))
           : which == 1 ? sentence(proof::demand_from_json(text, problem.machine, "it"))
                        : sentence(proof::tables_from_json(text, problem.machine, "it"));
  };
  for (unsigned which = 0; which < 3; ++which) {
    const std::string& whole = which == 0 ? machine : which == 1 ? demand : tables;
    for (std::size_t length = 0; length + 1 < whole.size(); ++length)
      if (judge(whole.substr(0, length), which).rfind("it: line ", 0) != 0) FAIL_CHECK("cut off after " << length);
    for (unsigned change = 0; change < 500; ++change) {
      std::string other = whole;
      for (unsigned times = 1 + random() % 3; times != 0; --times) {
        const std::size_t at = random() % other.size();
        other[at] = random() % 2 == 0 ? "{}[],:\"0123456789-.e \\atn"[random() % 25] : static_cast<char>(random());
      }
      const std::string refusal = judge(other, which);
      if (!refusal.empty() && refusal.rfind("it: line ", 0) != 0) FAIL_CHECK(other);
    }
  }
  const std::vector<std::uint8_t> dump = dump_of(problem);
  std::size_t taken = 0;
  for (std::size_t length = 0; length < dump.size(); ++length) {
    const auto read = proof::tables_from_dump(std::span(dump).first(length), problem.machine, "it");
    if (read.ok())
      ++taken; // between two tables
    else if (read.sentence().rfind("it: byte ", 0) != 0)
      FAIL_CHECK("cut off after " << length);
  }
  CHECK(taken == problem.machine.chips());
}

TEST_CASE("files: what is refused is named") {
  const proof::Machine machine = proof::Machine::grid(2, 2, false, false);
  const auto demand = [&](const std::string& stream) {
    return proof::demand_from_json("{\"streams\": [" + stream + "]}", machine, "d").sentence();
  };
  CHECK(demand("{}") == "d: line 1, column 14, streams[0]: \"key\" is missing");
  CHECK(demand("{\"key\": 3, \"mask\": 2, \"chip\": [0, 0], \"from\": \"core1\", \"sinks\": []}") ==
        "d: line 1, column 22, streams[0].key: a key has bits that its mask lacks");
  CHECK(demand("{\"key\": 2, \"mask\": 2, \"chip\": [0, 2], \"from\": \"core1\", \"sinks\": []}") ==
        "d: line 1, column 48, streams[0].chip[1]: it has to be 0 to 1, and not 2");
  CHECK(demand("{\"key\": 2, \"mask\": 2, \"chip\": [0, 0], \"from\": \"core01\", \"sinks\": []}") ==
        "d: line 1, column 60, streams[0].from: a link or core0 to core25 is wanted, and not \"core01\"");
  CHECK(demand("{\"key\": 2, \"mask\": 2, \"chip\": [0, 0], \"from\": \"core1\", \"sinks\": [{\"chip\": [0, 0], "
               "\"directions\": "
               "[\"east\"]}]}") ==
        "d: line 1, column 110, streams[0].sinks[0].directions: behind link east a chip is, and not a device");
  CHECK(demand("{\"key\": 2, \"mask\": 2, \"chip\": [0, 0], \"from\": \"core1\", \"packets\": -1, \"sinks\": []}")
            .find("streams[0].packets: 0 to 1e9 packets a step are wanted") != std::string::npos);
  const std::vector<std::uint8_t> outside{2, 0, 0, 0}, twice{0, 1, 0, 0, 0, 1, 0, 0}, cut{0, 0, 1, 0, 1, 2, 3};
  CHECK(proof::tables_from_dump(outside, machine, "t").sentence() ==
        "t: byte 0: a table of chip (2, 0) of a machine of 2 x 2");
  CHECK(proof::tables_from_dump(twice, machine, "t").sentence() == "t: byte 4: chip (0, 1) has a table already");
  CHECK(proof::tables_from_dump(cut, machine, "t").sentence() == "t: byte 0: a table of 1 entries is cut off");
  CHECK(proof::tables_from_dump(std::span(cut).first(3), machine, "t").sentence() ==
        "t: byte 0: the head of a table is cut off");
}
