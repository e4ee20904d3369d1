// SPDX-License-Identifier: BSL-1.0
// The proof against packets that are sent one by one: all keys of small spaces, any tables, and ten thousand changes of tables
// that are right. What it says, and the bound on loads.
#include <neuromorph/mapping/proof/proof.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/plain_packets.hpp"
#include "tests/support/seeds.hpp"

namespace {

using namespace neuromorph;
namespace proof = neuromorph::mapping::proof;
using proof::Difference;

/// What is wrong with a key at a chip: expected, delivered, twice; for a loop nothing is said of chips.
using Wrong = std::map<std::uint32_t, std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>>;
struct Verdict {
  bool is_loop = false;
  Wrong wrong{};
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

/// Only what is wrong is in it.
using Verdicts = std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t>, Verdict>; // [stream, from chip, key]

Verdict compare(const plain::Outcome& wanted, const plain::Outcome& got) {
  Verdict verdict;
  verdict.is_loop = got.is_loop;
  if (got.is_loop) return verdict;
  std::map<std::uint32_t, std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> all;
  for (const auto& [place, count] : wanted.count) std::get<0>(all[place.first]) |= 1U << place.second;
  for (const auto& [place, count] : got.count) {
    std::get<1>(all[place.first]) |= 1U << place.second;
    if (count > 1) std::get<2>(all[place.first]) |= 1U << place.second;
  }
  for (const auto& [chip, what] : all)
    if (std::get<0>(what) != std::get<1>(what) || std::get<2>(what) != 0) verdict.wrong[chip] = what;
  return verdict;
}

/// By sending each key of each stream; with `whole`, from the cores of each chip all keys of `keys` that no core there sends.
Verdicts by_packets(const plain::Problem& problem, const std::vector<std::uint32_t>& keys, bool whole) {
  Verdicts verdicts;
  const auto add = [&](std::size_t stream, std::uint32_t chip, unsigned from, std::uint32_t key,
                       const plain::Outcome& wanted) {
    const Verdict verdict = compare(wanted, plain::Packet(problem.machine, problem.tables, key).send(chip, from));
    if (!(verdict == Verdict{})) verdicts[{stream, chip, key}] = verdict;
  };
  for (std::size_t at = 0; at < problem.demand.streams.size(); ++at) {
    const proof::Stream& stream = problem.demand.streams[at];
    for (const std::uint32_t key : keys)
      if ((key & stream.mask) == stream.key)
        add(at, stream.chip, stream.from, key, plain::demanded(problem.demand, at));
  }
  for (std::uint32_t chip = 0; whole && chip < problem.machine.chips(); ++chip)
    for (const std::uint32_t key : keys) {
      bool is_sent = problem.machine.is_there[chip] == 0;
      for (const proof::Stream& stream : problem.demand.streams)
        is_sent = is_sent || (stream.chip == chip && stream.from >= 6 && (key & stream.mask) == stream.key);
      if (!is_sent) add(Difference::no_stream, chip, 6, key, {});
    }
  return verdicts;
}
Verdicts by_proof(const plain::Problem& problem, const std::vector<std::uint32_t>& keys, const proof::Report& report) {
  Verdicts verdicts;
  for (const Difference& one : report.differences)
    for (const std::uint32_t key : keys) {
      if ((key & one.mask) != one.key) continue;
      Verdict& verdict = verdicts[{one.stream, one.from_chip, key}];
      REQUIRE((one.kind == Difference::Kind::loop || one.kind == Difference::Kind::delivery));
      if (one.kind == Difference::Kind::loop)
        verdict.is_loop = true;
      else
        verdict.wrong[one.chip] = {one.expected, one.delivered, one.twice};
      if (one.entry != proof::none) {
        CHECK(one.entry < problem.tables[one.chip].size());
        CHECK(one.is_reached);
      }
    }
  return verdicts;
}

/// Streams and tables that have nothing to do with each other, over six bits of keys, and masks of all 32.
plain::Problem any_problem(plain::Random& random) {
  plain::Problem made;
  made.machine = plain::random_machine(random, 4);
  const auto cube = [&](std::uint32_t most_free) {
    std::uint32_t mask = ~0U, key = random() % 64;
    for (std::uint32_t free = random() % (most_free + 1); free != 0; --free) mask &= ~(1U << random() % 6);
    return std::pair(key & mask, mask);
  };
  const bool is_busy = random() % 2 == 0;
  for (std::uint32_t chip = 0; chip < made.machine.chips(); ++chip) {
    for (std::size_t count = random() % (random() % 8 == 0 ? 60 : 6); count != 0; --count) {
      const auto [key, mask] = cube(6);
      std::uint32_t route = random() & random() & 0x00FFFFFF;
      if (!is_busy) route = random() % 3 == 0 ? 0 : 1U << random() % 12;
      made.tables.entries.push_back({key, mask, route});
      if (random() % 20 == 0) made.tables.entries.back().key |= ~mask & random(); // never met
      if (random() % 20 == 0) made.tables.entries.back().mask &= random() | 63;
      if (random() % 40 == 0) made.tables.entries.back() = {0, 0, route};
    }
    made.tables.end_table();
  }
  for (unsigned count = random() % 4; count != 0; --count) {
    const auto [key, mask] = cube(6);
    proof::Stream stream{key, mask, random() % made.machine.chips(), random() % 10};
    if (made.machine.is_there[stream.chip] == 0) continue;
    std::vector<proof::Sink> sinks;
    for (unsigned more = random() % 4; more != 0; --more) {
      proof::Sink sink{random() % made.machine.chips(), 1U << random() % 12};
      if (made.machine.is_there[sink.chip] == 0) continue;
      if (sink.route < 64)
        for (unsigned link = 0; link < 6; ++link)
          if (made.machine.neighbours[sink.chip * 6 + link] != proof::none) sink.route &= ~(1U << link);
      sinks.push_back(sink);
    }
    made.demand.add(stream, sinks);
  }
  return made;
}

proof::Report proved(const plain::Problem& problem, const proof::Options& options = {}) {
  const auto answer = proof::prove(problem.machine, problem.demand, problem.tables, options);
  INFO(answer.sentence());
  REQUIRE(answer.ok());
  return answer.value();
}

/// A row of four chips. Core 3 of chip 0 sends keys 0 and 1 to cores 1 and 2 of chip 2, and to a device behind chip 3.
plain::Problem row() {
  plain::Problem made;
  made.machine = proof::Machine::grid(4, 1, false, false);
  made.demand.add({0x10, 0xFFFFFFFE, 0, 9}, std::vector<proof::Sink>{{2, 0x180}, {3, 1}});
  made.tables.entries = {{0x10, 0xFFFFFFFE, 1}, {0x10, 0xFFFFFFFF, 0x181}, {0x11, 0xFFFFFFFF, 0x181}};
  made.tables.first = {0, 1, 1, 3, 3};
  return made;
}

} // namespace

TEST_CASE("proof: of any tables and any demand it says what packets do, key by key and chip by chip") {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t key = 0; key < 64; ++key) keys.push_back(key);
  std::size_t right = 0, wrong = 0, loops = 0, twice = 0, split = 0;
  for (const std::uint32_t seed : Seeds(600)) {
    INFO("NEUROMORPH_SEED=" << seed);
    plain::Random random(seed);
    const plain::Problem problem = any_problem(random);
    const bool whole = random() % 4 == 0;
    const proof::Report report = proved(problem, {.whole = whole, .differences = ~std::size_t{0}});
    CHECK(report.difference_count == report.differences.size());
    const Verdicts found = by_proof(problem, keys, report), sent = by_packets(problem, keys, whole);
    CHECK(found == sent);
    if (found != sent) break;
    for (const auto& [key, verdict] : sent) {
      ++wrong;
      if (verdict.is_loop) ++loops;
      for (const auto& [chip, what] : verdict.wrong)
        if (std::get<2>(what) != 0) ++twice;
    }
    if (sent.empty()) ++right;
    if (report.parts > report.streams) ++split;
  }
  // so that all that can be is looked at
  CHECK(right > 20);
  CHECK(wrong > 1000);
  CHECK(loops > 100);
  CHECK(twice > 100);
  CHECK(split > 100);
}

TEST_CASE("proof: ten thousand changes of tables that are right: all that change a delivery are caught, and no other") {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t key = 0; key < 256; ++key) keys.push_back(key);
  std::size_t changes = 0, harmful = 0;
  std::map<std::string, std::array<std::size_t, 2>> kinds; // harmless, harmful
  for (std::uint32_t seed = 1; changes < 10'000; ++seed) {
    INFO("seed " << seed);
    plain::Random random(seed);
    const plain::Problem problem = plain::random_problem(random, 5, 12);
    REQUIRE(by_packets(problem, keys, false).empty());
    const proof::Report whole = proved(problem);
    REQUIRE(whole.is_proved());
    if (problem.tables.entries.empty()) continue;
    for (unsigned count = 0; count < 40; ++count, ++changes) {
      std::size_t chip = 0;
      do chip = random() % problem.machine.chips();
      while (problem.tables[chip].empty());
      std::vector<std::vector<proof::Entry>> tables;
      for (std::size_t at = 0; at < problem.machine.chips(); ++at)
        tables.emplace_back(problem.tables[at].begin(), problem.tables[at].end());
      std::vector<proof::Entry>& table = tables[chip];
      const std::size_t which = random() % table.size(), other = random() % table.size();
      const char* kind = "";
      switch (random() % 8) {
      case 0: table[which].key ^= 1U << random() % 32, kind = "key"; break;
      case 1: table[which].key ^= 1U << random() % 6, kind = "low key"; break;
      case 2: table[which].mask ^= 1U << random() % 32, kind = "mask"; break;
      case 3: table[which].mask ^= 1U << random() % 6, kind = "low mask"; break;
      case 4: table[which].route ^= 1U << random() % 24, kind = "route"; break;
      case 5: std::swap(table[which], table[other]), kind = "swap"; break;
      case 6: table.erase(table.begin() + static_cast<std::ptrdiff_t>(which)), kind = "deletion"; break;
      default:
        if (random() % 2 == 0) {
          std::reverse(table.begin(), table.end()), kind = "reversal";
        } else {
          const proof::Entry again{table[which].key, table[which].mask, table[other].route};
          table.insert(table.begin() + static_cast<std::ptrdiff_t>(other), again), kind = "duplicate";
        }
      }
      plain::Problem changed{problem.machine, problem.demand, {}};
      for (const auto& one : tables) {
        changed.tables.entries.insert(changed.tables.entries.end(), one.begin(), one.end());
        changed.tables.end_table();
      }
      const bool is_harmful = !by_packets(changed, keys, false).empty();
      INFO("change " << changes << ", " << kind << " of entry " << which << " of chip " << chip);
      CHECK(proved(changed).is_proved() != is_harmful);
      ++kinds[kind][is_harmful ? 1 : 0];
      if (is_harmful) ++harmful;
    }
  }
  CHECK(harmful > 3000);
  CHECK(harmful < changes - 1000);
  CHECK(kinds.size() == 9);
  for (const auto& [kind, count] : kinds) {
    INFO(kind);
    if (kind != "route") CHECK(count[0] > 10); // which is met by some packet, whatever it is
    CHECK(count[1] > 10);
  }
}

TEST_CASE("proof: what is right is said in words, with the longest table, the busiest link and the bound") {
  plain::Problem problem = row();
  problem.demand.packets = {12.5};
  problem.machine.entries.assign(4, 2);
  const proof::Report report = proved(problem);
  CHECK(report.is_proved());
  CHECK(report.streams == 1);
  CHECK(report.parts == 1); // entries that do the same split nothing
  CHECK(report.crossings == 3);
  CHECK(report.loads[0] == 12.5);
  CHECK(report.loads[1 * 6 + 0] == 12.5);
  CHECK(report.loads[2 * 6 + 0] == 12.5);
  CHECK(report.loads[3 * 6 + 0] == 0.0);
  CHECK(
      report.text(problem.machine) ==
      "proved: all keys of 1 streams come where they are demanded and nowhere else\n"
      "3 entries, at most 2, on chip (2, 0)\n"
      "the busiest link, east of chip (0, 0), carries 12.5 packets a step\n"
      "no packet is dropped while no link carries more than 1 in any 1.805 us, which is 554.2 in a step of 1000 us\n");
  CHECK(report.is_below_bound());
}

TEST_CASE("proof: each kind of difference has its sentence") {
  const auto text = [](const plain::Problem& problem, const proof::Options& options = {}) {
    const proof::Report report = proved(problem, options);
    CHECK_FALSE(report.is_proved());
    std::string words;
    for (const Difference& one : report.differences) words += one.sentence(problem.machine) + "\n";
    return words;
  };
  plain::Problem problem = row();
  problem.tables.entries[1].route = 0x141; // another core, for one of two keys
  CHECK(text(problem) ==
        "key 0x00000010 from core 3 of chip (0, 0), stream 0: chip (2, 0), entry 0: core 1 and core 2 expected, "
        "core 0 and core 2 delivered\n");
  problem = row();
  problem.tables.entries[0].route = 3; // off the machine
  CHECK(text(problem) ==
        "keys 0x00000010 of mask 0xfffffffe from core 3 of chip (0, 0), stream 0: chip (0, 0), entry 0: nothing "
        "expected, north east delivered\n");
  problem = row();
  problem.tables.entries[0].key = 0x12; // never taken up
  CHECK(text(problem) == "keys 0x00000010 of mask 0xfffffffe from core 3 of chip (0, 0), stream 0: chip (2, 0), where "
                         "they do not come: core 1 and "
                         "core 2 expected, nothing delivered\n"
                         "keys 0x00000010 of mask 0xfffffffe from core 3 of chip (0, 0), stream 0: chip (3, 0), where "
                         "they do not come: east "
                         "expected, nothing delivered\n");
  problem = row();
  problem.tables.entries[2].route = 0x188; // back
  CHECK(text(problem) ==
        "key 0x00000011 from core 3 of chip (0, 0), stream 0: chip (0, 0), entry 0: they go round for ever\n");
  problem = row();
  problem.machine = proof::Machine::grid(4, 1, true, false);
  problem.machine.remove_link(3, 0);
  problem.tables.entries = {{0x10, 0xFFFFFFFE, 9}, {0x10, 0xFFFFFFFE, 0x181}}; // from both sides
  problem.tables.first = {0, 1, 1, 2, 2};
  CHECK(text(problem) == "keys 0x00000010 of mask 0xfffffffe from core 3 of chip (0, 0), stream 0: chip (2, 0), entry "
                         "0: core 1 and core 2 expected, "
                         "core 1 and core 2 delivered, more than once core 1 and core 2\n"
                         "keys 0x00000010 of mask 0xfffffffe from core 3 of chip (0, 0), stream 0: chip (3, 0), "
                         "without an entry: east expected, "
                         "east delivered, more than once east\n");
  problem = row();
  problem.machine.entries = {1, 0, 1, 0};
  CHECK(text(problem) == "chip (2, 0): its table has 2 entries, and there is room for 1\n");
  problem = row();
  problem.tables.entries[0].mask = 0xFFFFFFF0;
  CHECK(proved(problem).is_proved());
  CHECK(text(problem, {.whole = true, .differences = 1}) ==
        "keys 0x00000012 of mask 0xfffffff2 from a core of chip (0, 0), which nobody is to send: chip (3, 0), without "
        "an entry: "
        "nothing expected, east delivered\n");
  problem = row();
  problem.demand.streams[0] = {0x10, 0xFFFFFFFE, 0, 3}; // a device to the west, whose packets go straight on
  problem.tables.first = {0, 0, 0, 2, 2}, problem.tables.entries.erase(problem.tables.entries.begin());
  CHECK(proved(problem).is_proved());
  problem.demand.sinks[0].route = 0x80;
  CHECK(text(problem).find(
            "keys 0x00000010 of mask 0xfffffffe from the device at link west of chip (0, 0), stream 0: chip (2, 0), "
            "entry 0: core 1 expected, core 1 and core 2 delivered") == 0);
}

TEST_CASE("proof: what splits into too many parts is not proved, and said to be so") {
  plain::Problem problem;
  problem.machine = proof::Machine::grid(1, 1, false, false);
  problem.demand.add({0, 0, 0, 6}, std::vector<proof::Sink>{{0, 64}});
  for (std::uint32_t bit = 0; bit < 32; ++bit) problem.tables.entries.push_back({1U << bit, 1U << bit, 64U << bit % 2});
  problem.tables.entries.push_back({0, 0, 64});
  problem.tables.end_table();
  const proof::Report report = proved(problem, {.parts = 10});
  REQUIRE(report.difference_count == 1);
  CHECK(report.differences[0].kind == Difference::Kind::too_many_parts);
  CHECK(report.differences[0].sentence(problem.machine) ==
        "keys 0x00000000 of mask 0x00000000 from core 0 of chip (0, 0), stream 0: chip (0, 0): entries split them into "
        "too many "
        "parts, and nothing is proved of them");
  CHECK(proved(problem, {.differences = 100}).difference_count == 16); // the odd bits, after the even ones
}

TEST_CASE("proof: loads are sums over streams, and fall with the keys that take a link") {
  plain::Problem problem = row();
  problem.demand.packets = {8.0};
  problem.tables.entries = {
      {0x10, 0xFFFFFFFF, 1}, {0x11, 0xFFFFFFFF, 1}, {0x10, 0xFFFFFFFE, 0x181}, {0x11, 0xFFFFFFFF, 0}};
  problem.tables.first = {0, 1, 2, 4, 4}; // key 0x11 is dropped where it is sent, as no entry takes it up
  const proof::Report report = proved(problem);
  CHECK_FALSE(report.is_proved());
  CHECK(report.loads[0] == 4.0);
  CHECK(report.worst_load == 4.0);
  CHECK(report.worst_chip == 0);
  CHECK(report.worst_link == 0);
}

TEST_CASE("proof: the bound follows from the link's parameters") {
  proof::LinkModel model;
  CHECK(model.packets_at_once() == 1);
  model.buffer = 3;
  CHECK(model.packets_at_once() == 1); // 7 packets of 1/6 us each, and 1.8 us
  model.packet_us = 0.05;
  CHECK(model.packets_at_once() == 3);
  model.buffer = 100;
  CHECK(model.packets_at_once() == 5);
  model.patience_us = 7 * 0.05 * 5, model.packet_us = 0.0625;
  CHECK(model.packets_at_once() == 4);
  model.packet_us = 1.0;
  CHECK(model.packets_at_once() == 0);
  CHECK(model.packets_of_step() == 0.0);
  CHECK(proof::LinkModel{}.packets_of_step() == Approx(1000.0 / (240 / 133.0)));
}

TEST_CASE("proof: threads and the order of streams change nothing but the order of differences") {
  plain::Random random(7);
  plain::Problem problem;
  problem.machine = proof::Machine::grid(12, 12, true, true);
  for (std::uint32_t chip = 0; chip < 144; ++chip)
    problem.tables.entries.push_back({0, 0, 0x40}), problem.tables.end_table();
  for (std::uint32_t at = 0; at < 10'000; ++at) {
    const std::uint32_t from = random() % 144;
    problem.demand.add({at, ~0U, from, 6}, std::vector<proof::Sink>{{random() % 144, 0x40}});
  }
  const proof::Report one = proved(problem, {.whole = true, .differences = 50}),
                      four = proved(problem, {.whole = true, .differences = 50, .threads = 4});
  CHECK(one.difference_count > 10'000);
  CHECK(one.text(problem.machine) == four.text(problem.machine));
  CHECK(one.loads == four.loads);
  CHECK(one.parts == four.parts);
}

TEST_CASE("proof: what is no machine, no demand or no table is refused in words") {
  const auto refusal = [](auto change) {
    plain::Problem problem = row();
    change(problem);
    const auto answer = proof::prove(problem.machine, problem.demand, problem.tables);
    CHECK_FALSE(answer.ok());
    return std::pair(answer.status().error, answer.sentence());
  };
  using P = plain::Problem;
  CHECK(refusal([](P& it) { it.tables.end_table(); }) ==
        std::pair(Error::lengths_differ, std::string("proof: there is not one table for each of 4 chips")));
  CHECK(refusal([](P& it) { it.tables.first[1] = 9; }).first == Error::lengths_differ);
  CHECK(refusal([](P& it) { it.tables.first.back() = 2; }).first == Error::lengths_differ);
  CHECK(refusal([](P& it) { it.machine.neighbours.pop_back(); }) ==
        std::pair(Error::lengths_differ,
                  std::string("proof: a machine of 4 chips has not 6 neighbours and one length of table for each")));
  CHECK(refusal([](P& it) { it.machine.entries = {1}; }).first == Error::lengths_differ);
  CHECK(refusal([](P& it) { it.machine.is_there[1] = 0; }) ==
        std::pair(Error::parameters_contradict,
                  std::string("proof: link east of chip (0, 0) leads from or to a chip that is not there")));
  CHECK(refusal([](P& it) { it.machine.neighbours[0] = 4; }).first == Error::parameters_contradict);
  CHECK(refusal([](P& it) { it.demand.first_sink.push_back(2); }) ==
        std::pair(Error::lengths_differ,
                  std::string("proof: there is not one list of sinks, or number of packets, for each of 1 streams")));
  CHECK(refusal([](P& it) { it.demand.packets = {1, 2}; }).first == Error::lengths_differ);
  CHECK(refusal([](P& it) { it.demand.packets = {-1}; }) ==
        std::pair(Error::parameter_out_of_range, std::string("proof: stream 0: it has not 0 to 1e9 packets a step")));
  CHECK(refusal([](P& it) { it.demand.packets = {std::nan("")}; }).first == Error::parameter_out_of_range);
  CHECK(refusal([](P& it) { it.demand.streams[0].key = 0x11; }) ==
        std::pair(Error::key_outside_mask, std::string("proof: stream 0: its key has bits that its mask lacks")));
  CHECK(refusal([](P& it) { it.demand.streams[0].chip = 4; }) ==
        std::pair(Error::parameter_out_of_range, std::string("proof: stream 0: it enters where no chip is")));
  CHECK(refusal([](P& it) { it.demand.streams[0].from = 32; }).first == Error::parameter_out_of_range);
  CHECK(refusal([](P& it) { it.demand.sinks[1].chip = 4; }) ==
        std::pair(Error::parameter_out_of_range, std::string("proof: stream 0: a sink of it is where no chip is")));
  CHECK(
      refusal([](P& it) { it.demand.sinks[0].route = 8; }) ==
      std::pair(Error::parameters_contradict,
                std::string(
                    "proof: stream 0: a sink of it is a device at link west of chip (2, 0), behind which a chip is")));
}
