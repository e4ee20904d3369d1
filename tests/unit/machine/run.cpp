// SPDX-License-Identifier: BSL-1.0
// Runs of native cores against plain models: Conway's life through the tables that mapping makes, and cores that answer packets
// with packets; any number of threads and of ranks.
#include <neuromorph/machine/run.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/machine/native.hpp>
#include <neuromorph/mapping/boards.hpp>
#include <neuromorph/mapping/map.hpp>

#include "examples/life/cell.hpp"
#include "examples/mapping/conway.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/sanitized.hpp"

namespace {

namespace machine = neuromorph::machine;
namespace mapping = neuromorph::mapping;
namespace runtime = neuromorph::runtime;
namespace offer = neuromorph::offer;
using neuromorph::Error;

/// Walks tables entry by entry, as they stand.
struct PlainWalk {
  const mapping::Machine& of;
  const mapping::Tables& tables;
  void deliveries(mapping::Chip from, std::uint32_t key, std::vector<machine::CoreAt>& to) const {
    struct Step {
      mapping::Chip chip;
      int came;
    };
    std::vector<Step> todo{{from, -1}};
    while (!todo.empty()) {
      const Step at = todo.back();
      todo.pop_back();
      std::uint32_t route = at.came < 0 ? 0 : 1U << (at.came + 3) % 6;
      for (const mapping::TableEntry& entry : tables[at.chip])
        if ((key & entry.keys.mask) == entry.keys.key) {
          route = entry.route;
          break;
        }
      for (unsigned core = 0; core < 26; ++core)
        if ((route >> (6 + core) & 1U) != 0) to.push_back({at.chip, static_cast<std::uint8_t>(core)});
      for (unsigned link = 0; link < 6; ++link)
        if ((route >> link & 1U) != 0)
          if (const mapping::Chip next = of.neighbour(at.chip, mapping::Link(link)); next != mapping::no_chip)
            todo.push_back({next, static_cast<int>((link + 3) % 6)});
    }
  }
};

/// The bits of a cell, of so many steps.
std::vector<std::vector<bool>> plain_life(std::vector<bool> alive, std::uint32_t width, std::uint32_t height,
                                          unsigned steps) {
  std::vector<std::vector<bool>> all;
  for (unsigned step = 0; step < steps; ++step) {
    all.push_back(alive);
    std::vector<bool> next(alive.size());
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x) {
        unsigned living = 0;
        for (const std::uint32_t down : {0U, 1U, height - 1})
          for (const std::uint32_t right : {0U, 1U, width - 1})
            if (down != 0 || right != 0) living += alive[(y + down) % height * width + (x + right) % width];
        next[y * width + x] = living == 3 || (living == 2 && alive[y * width + x]);
      }
    alive = next;
  }
  return all;
}

} // namespace

TEST_CASE("run: Conway's life through the tables of its mapping is the plain one, on any number of threads") {
  constexpr std::uint32_t width = 72, height = 60; // more cores than one thread would be left alone with
  constexpr unsigned steps = sanitized ? 45 : 77;  // behind a word of what is recorded, and behind a pause
  const mapping::MachineGraph graph = conway::graph(width, height);
  const mapping::Machine boards = mapping::machine_of_triads(2, 1, {.wraps_x = true, .wraps_y = true}).value();
  const auto mapped = mapping::map(graph, boards);
  INFO(mapped.sentence());
  REQUIRE(mapped.ok());
  std::mt19937 draw(5);
  std::vector<bool> alive(width * height);
  for (std::size_t cell = 0; cell < alive.size(); ++cell) alive[cell] = draw() % 3 == 0;
  const auto expected = plain_life(alive, width, height, steps);
  std::set<std::uint64_t> digests;
  for (const unsigned threads : {1U, 2U, 3U, sanitized ? 20U : 500U}) {
    INFO(threads << " threads");
    machine::NativeCores<life::Cell> cells(width * height);
    PlainWalk network{boards, mapped.value().tables};
    machine::Run run(network, {.threads = threads});
    for (std::uint32_t cell = 0; cell < width * height; ++cell) {
      std::uint8_t bytes[life::CellRegion::bytes()];
      REQUIRE(life::CellRegion::write(bytes, {mapped.value().keys[cell].key, alive[cell] ? 1U : 0U}).ok());
      REQUIRE(cells.load<0>(cell, bytes).ok());
      cells.make_room(cell, 0, (steps + 31) / 32);
      REQUIRE(
          run.attach({mapped.value().placements.chip[cell], mapped.value().placements.core[cell]}, cells, cell).ok());
    }
    REQUIRE(run.start().ok());
    REQUIRE(run.ticks(40).ok());
    REQUIRE(run.ticks(steps - 40).ok());
    run.pause();
    std::uint64_t living = 0;
    for (std::uint32_t cell = 0; cell < width * height; ++cell) {
      const auto words = cells.recorded(cell, 0);
      REQUIRE(words.size() == (steps + 31) / 32);
      for (unsigned step = 0; step < steps; ++step) {
        const bool is_alive = (words[step / 32] >> step % 32 & 1U) != 0;
        living += is_alive;
        if (is_alive != expected[step][cell]) FAIL("cell " << cell << ", step " << step);
      }
      CHECK(cells.lost(cell) == 0);
    }
    const machine::PacketAccount& account = run.account();
    CHECK(account == machine::PacketAccount{.sent = living, .copies = 8 * living, .taken = 8 * living});
    CHECK(run.time() == steps);
    digests.insert(run.digest());
  }
  CHECK(digests.size() == 1);
}

namespace {

/// Sends on what it hears, changed, so many times; counts in its own way; fails at a key, and finishes at another.
struct Relay {
  using Regions = runtime::Regions<>;
  using Offers = offer::List<offer::Tick, offer::Packet, offer::Payload, offer::Counters>;
  static constexpr std::size_t counters = 2;
  std::uint32_t sum = 0, number = 0;
  using Fields = runtime::Fields<&Relay::sum, &Relay::number>;

  neuromorph::Status start(auto&) { return {}; }
  void tick(auto& core, std::uint32_t time) {
    sum = sum * 31 + time;
    for (std::uint32_t one = 0; one < sum % 3; ++one) core.send((sum + one) % 32, sum & 0xFF);
    if (sum % 128 == 5) core.finish();
  }
  void packet(auto& core, std::uint32_t key) {
    sum = sum * 33 + key, core.count(0);
    if (key == 31 && sum % 4 == 0) core.fail(sum);
    if (key == 30 && sum % 4 == 1) core.finish();
    const std::uint32_t words[] = {key, sum};
    if (sum % 5 == 0 && !core.record(1, words)) core.count(1, 0x40000000);
  }
  void payload(auto& core, std::uint32_t key, std::uint32_t payload) {
    sum = sum * 35 + payload, ++number;
    if (payload > 0x40)
      core.send((key + 7) % 32, payload - 0x40);
    else if (payload > 0x20)
      core.send((key + sum) % 32);
    if (sum % 64 == 0) {
      const std::uint8_t bytes[] = {std::uint8_t(sum >> 8)};
      static_cast<void>(core.message(3, bytes));
    }
  }
};

struct Table {
  std::map<std::pair<mapping::Chip, std::uint32_t>, std::vector<machine::CoreAt>> to;
  mutable unsigned asked = 0;
  void deliveries(mapping::Chip from, std::uint32_t key, std::vector<machine::CoreAt>& of) const {
    ++asked;
    if (const auto found = to.find({from, key}); found != to.end())
      of.insert(of.end(), found->second.begin(), found->second.end());
  }
};

/// The same rules, one packet after the other, with maps.
struct PlainRun {
  struct One {
    std::uint32_t sum = 0, number = 0, count[2] = {}, error = 0, room = 6;
    std::vector<std::uint32_t> recorded;
    std::uint64_t lost = 0;
    bool has_finished = false, is_paused = false;
  };
  struct Sent {
    machine::CoreAt from;
    std::uint32_t key, payload;
    bool has_payload;
  };
  const Table& table;
  std::map<std::pair<mapping::Chip, unsigned>, One> cores{};
  std::vector<std::pair<mapping::Chip, unsigned>> messages{};
  machine::PacketAccount account{};

  void take(std::pair<mapping::Chip, unsigned> at, One& one, const Sent& packet, std::vector<Sent>& next) {
    const machine::CoreAt from{at.first, static_cast<std::uint8_t>(at.second)};
    if (packet.has_payload) {
      one.sum = one.sum * 35 + packet.payload, ++one.number;
      if (packet.payload > 0x40)
        next.push_back({from, (packet.key + 7) % 32, packet.payload - 0x40, true});
      else if (packet.payload > 0x20)
        next.push_back({from, (packet.key + one.sum) % 32, 0, false});
      if (one.sum % 64 == 0) messages.push_back(at);
      return;
    }
    one.sum = one.sum * 33 + packet.key, ++one.count[0];
    if (packet.key == 31 && one.sum % 4 == 0) one.error = one.sum == 0 ? 1 : one.sum;
    if (packet.key == 30 && one.sum % 4 == 1) one.has_finished = true;
    if (one.sum % 5 != 0) return;
    if (one.room >= 2)
      one.room -= 2, one.recorded.push_back(packet.key), one.recorded.push_back(one.sum);
    else
      one.lost += 2, one.count[1] = one.count[1] > 0xBFFFFFFF ? 0xFFFFFFFF : one.count[1] + 0x40000000;
  }
  void tick(std::uint32_t time) {
    std::vector<Sent> now;
    for (auto& [at, one] : cores) {
      if (one.error != 0 || one.is_paused) continue;
      one.sum = one.sum * 31 + time;
      if (one.sum % 128 == 5) one.has_finished = true;
      for (std::uint32_t index = 0; index < one.sum % 3; ++index)
        now.push_back({{at.first, static_cast<std::uint8_t>(at.second)}, (one.sum + index) % 32, one.sum & 0xFF, true});
    }
    while (!now.empty()) {
      account.sent += now.size();
      std::map<std::pair<mapping::Chip, unsigned>, std::vector<Sent>> by_sender;
      const std::size_t first_message = messages.size();
      for (const Sent& packet : now) {
        std::vector<machine::CoreAt> to;
        table.deliveries(packet.from.chip, packet.key, to);
        if (to.empty()) ++account.to_nobody;
        for (const machine::CoreAt& target : to) {
          ++account.copies;
          const auto found = cores.find({target.chip, target.core});
          if (found == cores.end() || found->second.error != 0 || found->second.is_paused) {
            ++account.idle;
            continue;
          }
          ++account.taken;
          take(found->first, found->second, packet, by_sender[found->first]);
        }
      }
      std::stable_sort(messages.begin() + static_cast<std::ptrdiff_t>(first_message), messages.end());
      now.clear();
      for (auto& [at, sent] : by_sender) now.insert(now.end(), sent.begin(), sent.end());
    }
    for (auto& [at, one] : cores) one.is_paused = one.has_finished && one.error == 0;
  }
};

} // namespace

TEST_CASE("run: cores that answer packets with packets, record, count, finish and fail are as in a plain model") {
  unsigned finished = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 draw(seed);
    Table table;
    std::vector<machine::CoreAt> all;
    for (mapping::Chip chip = 0; chip < 7; ++chip)
      for (unsigned core = 1; core < 6; ++core)
        if (draw() % 4 != 0) all.push_back({chip, static_cast<std::uint8_t>(core)});
    for (mapping::Chip chip = 0; chip < 7; ++chip)
      for (std::uint32_t key = 0; key < 32; ++key)
        for (unsigned count = draw() % 4; count-- > 0;)
          table.to[{chip, key}].push_back(
              {static_cast<mapping::Chip>(draw() % 7), static_cast<std::uint8_t>(1 + draw() % 5)});
    for (auto& [from, to] : table.to) { // a router delivers once
      std::sort(to.begin(), to.end(), [](const auto& one, const auto& other) {
        return std::pair(one.chip, one.core) < std::pair(other.chip, other.core);
      });
      to.erase(std::unique(to.begin(), to.end()), to.end());
    }
    std::shuffle(all.begin(), all.end(), draw);
    PlainRun plain{table};
    for (const machine::CoreAt& at : all) plain.cores[{at.chip, at.core}] = {};
    for (std::uint32_t time = 0; time < 40; ++time) plain.tick(time);
    std::set<std::uint64_t> digests;
    for (const unsigned threads : {1U, 2U, 5U}) {
      INFO("seed " << seed << ", " << threads << " threads");
      machine::NativeCores<Relay> cores(all.size());
      machine::Run run(table, {.threads = threads});
      for (std::size_t at = 0; at < all.size(); ++at) {
        cores.make_room(at, 1, 6);
        REQUIRE(run.attach(all[at], cores, at).ok());
      }
      REQUIRE(run.start().ok());
      REQUIRE(run.ticks(40).ok());
      CHECK(run.account() == plain.account);
      CHECK(run.account().copies == run.account().taken + run.account().refused + run.account().idle);
      std::vector<std::pair<mapping::Chip, unsigned>> messages;
      for (const auto& [from, message] : run.messages()) {
        messages.emplace_back(from.chip, from.core);
        CHECK(message.tag == 3);
      }
      CHECK(messages == plain.messages);
      CHECK(run.messages().empty());
      for (std::size_t at = 0; at < all.size(); ++at) {
        const PlainRun::One& one = plain.cores[{all[at].chip, all[at].core}];
        CHECK(cores.vertex(at).sum == one.sum);
        CHECK(cores.vertex(at).number == one.number);
        CHECK(cores.counter(at, 0) == one.count[0]);
        CHECK(cores.counter(at, 1) == one.count[1]);
        CHECK(cores.counter(at, 2) == 0);
        CHECK(cores.error(at) == one.error);
        CHECK(cores.lost(at) == one.lost);
        CHECK((run.state(all[at]) == machine::CoreState::run_time_error) == (one.error != 0));
        CHECK((run.state(all[at]) == machine::CoreState::paused) == one.is_paused);
        finished += one.is_paused;
        const auto words = cores.recorded(at, 1);
        CHECK(std::vector<std::uint32_t>(words.begin(), words.end()) == one.recorded);
      }
      digests.insert(run.digest());
    }
    CHECK(digests.size() == 1);
  }
  CHECK(finished > 0);
}

namespace {
machine::PacketAccount sum(const std::vector<machine::PacketAccount>& all) {
  machine::PacketAccount made;
  for (const auto& one : all)
    made.sent += one.sent, made.copies += one.copies, made.taken += one.taken, made.refused += one.refused,
        made.idle += one.idle, made.to_nobody += one.to_nobody;
  return made;
}
} // namespace

TEST_CASE("run: in one to four processes, each with a strip of chips, it is the same to every bit") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    std::mt19937 draw(seed);
    Table table;
    std::vector<machine::CoreAt> all;
    for (mapping::Chip chip = 0; chip < 8; ++chip)
      for (unsigned core = 1; core < 6; ++core)
        if (draw() % 4 != 0) all.push_back({chip, static_cast<std::uint8_t>(core)});
    for (mapping::Chip chip = 0; chip < 8; ++chip)
      for (std::uint32_t key = 0; key < 32; ++key) {
        std::set<std::pair<mapping::Chip, unsigned>> to; // a router delivers once
        for (unsigned count = draw() % 4; count-- > 0;) {
          const auto where = static_cast<mapping::Chip>(draw() % 8);
          to.insert({where, 1 + draw() % 5});
        }
        for (const auto& [where, core] : to) table.to[{chip, key}].push_back({where, static_cast<std::uint8_t>(core)});
      }
    const auto owners = [seed](unsigned ranks) { // strips, or chips as they come
      std::mt19937 own(seed * ranks);
      std::vector<std::uint16_t> made(8);
      for (unsigned chip = 0; chip < 8; ++chip)
        made[chip] = static_cast<std::uint16_t>(seed % 2 == 0 ? chip * ranks / 8 : own() % ranks);
      return made;
    };
    std::vector<std::uint64_t> expected;
    machine::PacketAccount account;
    for (const unsigned ranks : {0U, 1U, 2U, 3U, 4U}) { // 0: in one process, as always
      INFO("seed " << seed << ", " << ranks << " ranks");
      const unsigned count = (std::max)(1U, ranks);
      tests::Ranks world(count);
      std::vector<std::vector<std::uint64_t>> digests(count);
      std::vector<machine::PacketAccount> accounts(count);
      world.run([&](unsigned rank) {
        machine::RunOptions options;
        if (ranks != 0) options.strip = world.strip(rank, owners(ranks));
        machine::NativeCores<Relay> cores(all.size());
        Table own = table; // which counts what it is asked
        machine::Run run(own, options);
        for (std::size_t at = 0; at < all.size(); ++at) {
          cores.make_room(at, 1, 6);
          if (options.strip.has(all[at].chip) != run.attach(all[at], cores, at).ok()) return;
        }
        bool is_right = run.start().ok();
        for (unsigned turn = 0; turn < 5 && is_right; ++turn) {
          is_right = run.ticks(8).ok() && run.send(turn, {.key = 3 + turn, .payload = 0x30, .has_payload = true}).ok();
          digests[rank].push_back(run.digest());
        }
        run.pause();
        digests[rank].push_back(run.digest());
        accounts[rank] = run.account();
      });
      for (unsigned rank = 0; rank < count; ++rank) {
        if (ranks == 0) expected = digests[rank], account = accounts[rank];
        CHECK(digests[rank].size() == 6);
        CHECK(digests[rank] == expected);
      }
      CHECK(sum(accounts) == account);
    }
    CHECK(account.taken > 100);
    CHECK(account.copies == account.taken + account.refused + account.idle);
  }
}

TEST_CASE("run: processes that lose each other are told so") {
  Table table;
  table.to[{0, 5}] = {{1, 1}}, table.to[{1, 5}] = {{0, 1}};
  tests::Ranks world(1);
  world.fails_at = 7;
  machine::NativeCores<Relay> cores(1);
  machine::Run run(table, {.strip = world.strip(0, {0, 0, 0, 0, 1, 1})});
  CHECK(run.attach({4, 1}, cores, 0).sentence() == "chip 4: it is not of the strip of this process");
  REQUIRE(run.attach({0, 1}, cores, 0).ok());
  REQUIRE(run.start().ok());
  neuromorph::Refusal refusal;
  unsigned ticks = 0;
  for (; ticks < 100 && refusal.ok(); ++ticks) refusal = run.ticks(1);
  CHECK(refusal.sentence() == "rank 1: it is gone");
  CHECK(ticks < 10);
  CHECK(run.ticks(1).sentence() == "rank 1: it is gone");
}

namespace {
struct Echo {
  using Regions = runtime::Regions<>;
  using Offers = offer::List<offer::Packet>;
  using Fields = runtime::Fields<>;
  neuromorph::Status start(auto&) { return {}; }
  void packet(auto& core, std::uint32_t key) { core.send(key); }
};
struct Quiet {
  using Regions = runtime::Regions<runtime::Region<life::Settings>>;
  using Offers = offer::List<>;
  using Fields = runtime::Fields<>;
  neuromorph::Status start(auto& core) { return core.template region<0>().status; }
};
} // namespace

TEST_CASE("run: what cannot be is said in words") {
  Table table;
  table.to[{0, 5}] = {{0, 1}};
  machine::NativeCores<Echo> echo(1);
  machine::NativeCores<Quiet> quiet(2);
  machine::Run run(table, {.most_rounds = 10});
  REQUIRE(run.attach({0, 1}, echo, 0).ok());
  CHECK(run.attach({0, 1}, quiet, 0).sentence() == "core 1 of chip 0: something is in it already");
  CHECK(run.attach({0, 2}, echo, 1).sentence() == "core 2 of chip 0: the model has only 1 cores");
  REQUIRE(run.attach({4, 2}, quiet, 0).ok());
  CHECK(run.state({9, 9}) == machine::CoreState::idle);
  CHECK(run.state({4, 2}) == machine::CoreState::waiting);
  // A region that is not there.
  const auto started = run.start();
  CHECK(started.status.error == Error::region_cut_off);
  CHECK(started.sentence().find("core 2 of chip 4: ") == 0);
  CHECK(run.state({4, 2}) == machine::CoreState::run_time_error);
  CHECK(run.state({0, 1}) == machine::CoreState::running);
  // Packets without an end.
  const auto endless = run.send(0, {.key = 5});
  CHECK(endless.status.error == Error::unmappable);
  CHECK(endless.sentence() == "tick 0: packets lead to packets without an end: 1 of them are forgotten");
  CHECK(run.account() == machine::PacketAccount{.sent = 11, .copies = 10, .taken = 10, .to_nobody = 1});
  CHECK(run.ticks(1).ok());
  // To nobody, to what takes no such packet.
  CHECK(run.send(0, {.key = 6}).ok());
  CHECK(run.account().to_nobody == 2);
  CHECK(run.send(0, {.key = 5, .payload = 1, .has_payload = true}).ok());
  CHECK(run.account().refused == 1);
  // Routes that change.
  const unsigned asked = table.asked;
  CHECK(run.send(0, {.key = 6}).ok());
  CHECK(table.asked == asked);
  table.to[{0, 6}] = {{4, 2}, {4, 3}};
  run.forget_routes();
  CHECK(run.send(0, {.key = 6}).ok());
  CHECK(run.account().idle == 2);
}
