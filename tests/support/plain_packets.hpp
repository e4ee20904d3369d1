// SPDX-License-Identifier: BSL-1.0
// Packets one by one through tables of routers, plainly; and demands with tables that meet them, made as simply.
#ifndef TESTS_SUPPORT_PLAIN_PACKETS_HPP
#define TESTS_SUPPORT_PLAIN_PACKETS_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <neuromorph/mapping/proof/problem.hpp>

namespace plain {

namespace proof = neuromorph::mapping::proof;

/// Words of an engine that is the same everywhere.
class Random {
public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

private:
  std::mt19937 engine_;
};

/// How often a packet comes to each core, and leaves by each link behind which no chip is.
struct Outcome {
  std::map<std::pair<std::uint32_t, unsigned>, unsigned> count{}; // [chip, direction]; 2 stands for more, too
  bool is_loop = false;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

class Packet {
public:
  Packet(const proof::Machine& machine, const proof::Tables& tables, std::uint32_t key)
      : machine_(machine), tables_(tables), key_(key) {}
  [[nodiscard]] Outcome send(std::uint32_t chip, unsigned from) {
    arrive(chip, from < 6 ? from : 6, 0);
    for (auto& [place, count] : outcome_.count) count = count > 2 ? 2 : count;
    return outcome_;
  }

private:
  void arrive(std::uint32_t chip, unsigned from, std::size_t depth) {
    // longer than all places there are, or more often than any tree splits
    if (depth > machine_.chips() * 7 || ++steps_ > 100'000) outcome_.is_loop = true;
    if (outcome_.is_loop) return;
    std::uint32_t route = from < 6 ? 1U << (from + 3) % 6 : 0;
    for (const proof::Entry& entry : tables_[chip])
      if ((key_ & entry.mask) == entry.key) {
        route = entry.route;
        break;
      }
    for (unsigned direction = 0; direction < 32; ++direction) {
      if ((route >> direction & 1) == 0) continue;
      const std::uint32_t next = direction < 6 ? machine_.neighbours[chip * 6 + direction] : proof::none;
      if (next == proof::none)
        ++outcome_.count[{chip, direction}];
      else
        arrive(next, (direction + 3) % 6, depth + 1);
    }
  }

  const proof::Machine& machine_;
  const proof::Tables& tables_;
  std::uint32_t key_;
  std::size_t steps_ = 0;
  Outcome outcome_{};
};

[[nodiscard]] inline Outcome demanded(const proof::Demand& demand, std::size_t stream) {
  Outcome outcome;
  for (const proof::Sink& sink : demand.sinks_of(stream))
    for (unsigned direction = 0; direction < 32; ++direction)
      if ((sink.route >> direction & 1) != 0) outcome.count[{sink.chip, direction}] = 1;
  return outcome;
}

/// A machine some of whose links and chips are missing.
[[nodiscard]] inline proof::Machine random_machine(Random& random, std::uint32_t most) {
  const std::uint32_t width = 1 + random() % most, height = 1 + random() % most;
  const bool wraps_x = random() % 2 == 0, wraps_y = random() % 2 == 0;
  proof::Machine machine = proof::Machine::grid(width, height, wraps_x, wraps_y);
  for (std::uint32_t chip = 0; chip < machine.chips(); ++chip) {
    for (unsigned link = 0; link < 6; ++link)
      if (random() % 20 == 0) machine.remove_link(chip, link);
    if (machine.chips() > 1 && random() % 20 == 0) machine.remove_chip(chip);
  }
  return machine;
}

struct Problem {
  proof::Machine machine{};
  proof::Demand demand{};
  proof::Tables tables{};
};

/// Streams of 1 to 4 keys below 256 on trees of shortest ways, with an entry on each chip, or none where they go straight on.
/// Entries that need not come after others are in any order; some are of many streams at once, behind those that differ.
[[nodiscard]] inline Problem random_problem(Random& random, std::uint32_t most_chips, unsigned most_streams) {
  Problem made;
  made.machine = random_machine(random, most_chips);
  const std::uint32_t chips = made.machine.chips();
  std::vector<std::uint32_t> there;
  for (std::uint32_t chip = 0; chip < chips; ++chip)
    if (made.machine.is_there[chip] != 0) there.push_back(chip);
  std::vector<std::vector<proof::Entry>> tables(chips);
  const unsigned streams = there.empty() ? 0 : 1 + random() % most_streams;
  for (unsigned number = 0; number < streams; ++number) {
    const std::uint32_t low = random() % 3, mask = ~((1U << low) - 1), key = number * 4 & mask;
    const std::uint32_t source = there[random() % there.size()];
    proof::Stream stream{key, mask, source, 6 + random() % 3};
    for (unsigned link = 0; link < 6 && random() % 4 == 0; ++link) // from a device
      if (made.machine.neighbours[source * 6 + link] == proof::none) stream.from = link;
    // A tree of all that can be reached, and what of it leads to the sinks.
    std::vector<std::uint32_t> from(chips, proof::none), reached{source};
    std::vector<unsigned> by(chips, 6);
    std::vector<bool> is_reached(chips);
    is_reached[source] = true;
    by[source] = stream.from < 6 ? stream.from : 6;
    for (std::size_t at = 0; at < reached.size(); ++at)
      for (unsigned turn = 0, first = random() % 6; turn < 6; ++turn) {
        const unsigned link = (first + turn) % 6;
        const std::uint32_t next = made.machine.neighbours[reached[at] * 6 + link];
        if (next == proof::none || is_reached[next]) continue;
        is_reached[next] = true, from[next] = reached[at], by[next] = (link + 3) % 6;
        reached.push_back(next);
      }
    std::map<std::uint32_t, std::uint32_t> routes;
    std::vector<proof::Sink> sinks;
    for (unsigned count = random() % 5, at = 0; at < count; ++at) {
      const std::uint32_t chip = reached[random() % reached.size()];
      unsigned direction = 6 + random() % 18;
      if (const unsigned link = random() % 6;
          made.machine.neighbours[chip * 6 + link] == proof::none && random() % 2 == 0)
        direction = link;
      sinks.push_back({chip, 1U << direction});
      routes[chip] |= 1U << direction;
      for (std::uint32_t on = chip; on != source; on = from[on]) routes[from[on]] |= 1U << (by[on] + 3) % 6;
    }
    for (const auto& [chip, route] : routes) {
      const bool is_default = by[chip] < 6 && route == 1U << (by[chip] + 3) % 6;
      if (is_default && random() % 3 != 0) continue;
      auto& table = tables[chip];
      table.insert(table.begin() + static_cast<std::ptrdiff_t>(random() % (table.size() + 1)), {key, mask, route});
    }
    if (routes.empty() && stream.from < 6) tables[source].push_back({key, mask, 0}); // not straight on
    made.demand.add(stream, sinks);
  }
  // One entry for the most frequent route of a table, at its end, if it does no harm to streams that go straight on.
  for (std::uint32_t chip = 0; chip < chips; ++chip) {
    auto table = tables[chip];
    if (table.size() > 1 && random() % 2 == 0) {
      const std::uint32_t route = table[random() % table.size()].route;
      std::erase_if(table, [&](const proof::Entry& entry) { return entry.route == route; });
      table.push_back({0, 0xFFFFFF00, route});
      proof::Tables with = {};
      for (std::uint32_t other = 0; other < chips; ++other) {
        const auto& of = other == chip ? table : tables[other];
        with.entries.insert(with.entries.end(), of.begin(), of.end());
        with.end_table();
      }
      bool is_good = true;
      for (std::size_t stream = 0; stream < made.demand.streams.size() && is_good; ++stream) {
        const proof::Stream& of = made.demand.streams[stream];
        is_good = Packet(made.machine, with, of.key).send(of.chip, of.from) == demanded(made.demand, stream);
      }
      if (is_good) tables[chip] = table;
    }
  }
  for (const auto& table : tables) {
    made.tables.entries.insert(made.tables.entries.end(), table.begin(), table.end());
    made.tables.end_table();
  }
  return made;
}

} // namespace plain

#endif
