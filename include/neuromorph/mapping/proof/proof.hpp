// SPDX-License-Identifier: BSL-1.0
/// \file
/// Proves that routers with their tables deliver every packet where it is demanded, and nowhere else; or says what they do.
///
///     const auto proof = mapping::proof::prove(machine, demand, tables);
///     if (!proof) return std::puts(proof.sentence().c_str()), 1;
///     std::puts(proof.value().text(machine).c_str()); // "proved: ...", or the first differences, one a line
///
/// For every key of every stream, by splitting sets of keys and not by samples: each sink gets each packet once. None comes
/// to another core, leaves by a link behind which nothing is or no device that wants it, or goes round for ever. A packet without
/// an entry goes straight on, and one from a core is dropped. Keys that nobody sends are looked at if `whole` is asked for.
// host-only
#ifndef NEUROMORPH_MAPPING_PROOF_PROOF_HPP
#define NEUROMORPH_MAPPING_PROOF_PROOF_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/parallel.hpp>
#include <neuromorph/mapping/proof/detail/lookup.hpp>
#include <neuromorph/mapping/proof/detail/walker.hpp>
#include <neuromorph/mapping/proof/problem.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {
namespace proof {

/// How fast packets pass, for the bound. As SpiNNaker 1 has it: 6 million packets of 40 bits a second on a link, and a wait
/// of 240 cycles of a router at 133 MHz before a packet is dropped.
struct LinkModel {
  double step_us = 1000.0;
  double packet_us = 1.0 / 6;       ///< that a packet takes a link, or a core to be taken
  double patience_us = 240 / 133.0; ///< that a packet waits at a router before it is dropped
  unsigned buffer = 1;              ///< packets that have room at the end of a link

  /// So many packets of a link within any `patience_us` are none too many: if no link has more, none is dropped.
  ///
  /// A router has 7 inputs, 6 links and its cores, and serves them in turns. While no link has more than b packets, b no more
  /// than its buffer, those in a buffer have room and leave after 7 b others. Each of these waits for one packet of its
  /// outgoing link at most, which has room at its end, too. So none waits for more than 7 b packet_us. By induction over time, this
  /// holds for all routers if 7 b packet_us is at most patience_us. It asks nothing of routes: they may form circles.
  [[nodiscard]] unsigned packets_at_once() const noexcept {
    const double most = patience_us / (7 * packet_us);
    return most >= double(buffer) ? buffer : static_cast<unsigned>((std::max)(most, 0.0));
  }
  /// In a step, where they are spread so; 0 where even one may be too many.
  [[nodiscard]] double packets_of_step() const noexcept { return packets_at_once() * step_us / patience_us; }
};

struct Options {
  bool whole = false;           ///< also that keys which nobody is to send from a core come to nobody
  std::size_t differences = 10; ///< that are kept; all are counted
  std::size_t parts = 65536;    ///< into which a stream may fall before it is given up, which is a difference
  unsigned threads = 1;
  LinkModel link = {};
};

/// What routers do other than what is demanded.
struct Difference {
  enum class Kind : std::uint8_t {
    delivery,       ///< other directions than those that are expected, or some twice
    loop,           ///< packets go round for ever
    too_many_parts, ///< nothing is proved of these keys
    table_too_long  ///< `expected` is how many entries there is room for, `delivered` how many there are
  };
  static constexpr std::size_t no_stream = ~std::size_t{0};

  Kind kind = Kind::delivery;
  std::size_t stream = no_stream;               ///< of the demand
  std::uint32_t from_chip = none, from = links; ///< where the packets enter
  std::uint32_t key = 0, mask = 0;              ///< which
  std::uint32_t chip = none;                    ///< where
  bool is_reached = false;                      ///< whether they come there
  std::uint32_t entry = none;                   ///< the entry that they meet there, if any
  std::uint32_t expected = 0, delivered = 0;    ///< cores and links to devices
  std::uint32_t twice = 0;                      ///< of the delivered ones, more than once

  [[nodiscard]] std::string sentence(const Machine& machine) const {
    const std::string at = machine.name(chip);
    if (kind == Kind::table_too_long)
      return at + ": its table has " + std::to_string(delivered) + " entries, and there is room for " +
             std::to_string(expected);
    std::string words = (mask == 0xFFFFFFFF ? "key " : "keys ") + in_hex(key);
    if (mask != 0xFFFFFFFF) words += " of mask " + in_hex(mask);
    words += " from " +
             (stream == no_stream ? "a core"
              : from < links      ? "the device at link " + direction_name(from)
                                  : direction_name(from)) +
             " of " + machine.name(from_chip);
    if (stream == no_stream)
      words += ", which nobody is to send";
    else
      words += ", stream " + std::to_string(stream);
    words += ": " + at;
    if (!is_reached)
      words += ", where they do not come";
    else if (entry == none)
      words += kind == Kind::too_many_parts ? "" : ", without an entry";
    else
      words += ", entry " + std::to_string(entry);
    words += ": ";
    if (kind == Kind::loop) return words + "they go round for ever";
    if (kind == Kind::too_many_parts)
      return words + "entries split them into too many parts, and nothing is proved of them";
    words += route_in_words(expected) + " expected, " + route_in_words(delivered) + " delivered";
    if (twice != 0) words += ", more than once " + route_in_words(twice);
    return words;
  }

private:
  [[nodiscard]] static std::string in_hex(std::uint32_t number) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "0x%08x", static_cast<unsigned>(number));
    return text.data();
  }
};

struct Report {
  std::vector<Difference> differences = {}; ///< the first of them, by where packets enter
  std::uint64_t difference_count = 0;
  std::uint64_t streams = 0;
  std::uint64_t parts = 0;     ///< sets of keys that all routers treat alike
  std::uint64_t crossings = 0; ///< of links, by these sets
  std::uint64_t entries = 0;   ///< of all tables
  std::uint32_t longest_table = 0, longest_table_chip = none;
  std::vector<double> loads = {}; ///< [chip][link]: packets of a step, as the tables send them
  double worst_load = 0.0;
  std::uint32_t worst_chip = none, worst_link = 0; ///< the first that has it
  LinkModel link = {};
  bool whole = false;

  [[nodiscard]] bool is_proved() const noexcept { return difference_count == 0; }
  /// Whether the worst link stays below the bound, where its packets are spread over the step.
  [[nodiscard]] bool is_below_bound() const noexcept { return worst_load <= link.packets_of_step(); }
  /// Some lines.
  [[nodiscard]] std::string text(const Machine& machine) const {
    std::string words = is_proved() ? "proved: all keys of " + std::to_string(streams) +
                                          " streams come where they are demanded and nowhere else" +
                                          (whole ? ", and what nobody is to send comes to nobody" : "") + "\n"
                                    : "not so: " + std::to_string(difference_count) + " differences in " +
                                          std::to_string(streams) + " streams\n";
    for (const Difference& one : differences) words += "  " + one.sentence(machine) + "\n";
    if (difference_count > differences.size())
      words += "  and " + std::to_string(difference_count - differences.size()) + " more\n";
    words += std::to_string(entries) + " entries";
    if (longest_table_chip != none)
      words += ", at most " + std::to_string(longest_table) + ", on " + machine.name(longest_table_chip);
    words += "\n";
    if (worst_chip != none)
      words += "the busiest link, " + direction_name(worst_link) + " of " + machine.name(worst_chip) + ", carries " +
               in_digits(worst_load) + " packets a step\n";
    if (link.packets_at_once() != 0)
      words += "no packet is dropped while no link carries more than " + std::to_string(link.packets_at_once()) +
               " in any " + in_digits(link.patience_us) + " us, which is " + in_digits(link.packets_of_step()) +
               " in a step of " + in_digits(link.step_us) + " us\n";
    return words;
  }

private:
  [[nodiscard]] static std::string in_digits(double value) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.4g", value);
    return text.data();
  }
};

namespace detail {

/// Whether what is given is a machine, a demand of it and tables for it.
[[nodiscard]] inline Refusal check(const Machine& machine, const Demand& demand, const Tables& tables) {
  const auto refuse = [](Error error, std::size_t where, std::uint64_t value, const char* parameter, std::string why) {
    return Refusal{{error, static_cast<std::uint32_t>(where), value, parameter}, "proof", std::move(why)};
  };
  const std::size_t chips = machine.is_there.size();
  if (machine.neighbours.size() != chips * links || (!machine.entries.empty() && machine.entries.size() != chips))
    return refuse(Error::lengths_differ, 0, machine.neighbours.size(), "neighbours",
                  "a machine of " + std::to_string(chips) +
                      " chips has not 6 neighbours and one length of table for each");
  if (tables.first.size() != chips + 1 || tables.first.front() != 0 || tables.first.back() != tables.entries.size() ||
      !std::is_sorted(tables.first.begin(), tables.first.end()))
    return refuse(Error::lengths_differ, 0, tables.first.size(), "tables",
                  "there is not one table for each of " + std::to_string(chips) + " chips");
  for (std::size_t at = 0; at < machine.neighbours.size(); ++at) {
    const std::uint32_t next = machine.neighbours[at];
    if (next != none && (next >= chips || machine.is_there[next] == 0 || machine.is_there[at / links] == 0))
      return refuse(Error::parameters_contradict, at / links, next, "neighbours",
                    "link " + direction_name(unsigned(at % links)) + " of " +
                        machine.name(static_cast<std::uint32_t>(at / links)) +
                        " leads from or to a chip that is not there");
  }
  const std::size_t streams = demand.streams.size();
  if (demand.first_sink.size() != streams + 1 || demand.first_sink.front() != 0 ||
      demand.first_sink.back() != demand.sinks.size() ||
      !std::is_sorted(demand.first_sink.begin(), demand.first_sink.end()) ||
      (!demand.packets.empty() && demand.packets.size() != streams))
    return refuse(Error::lengths_differ, 0, demand.first_sink.size(), "demand",
                  "there is not one list of sinks, or number of packets, for each of " + std::to_string(streams) +
                      " streams");
  const auto is_missing = [&](std::uint32_t chip) { return chip >= chips || machine.is_there[chip] == 0; };
  for (std::size_t at = 0; at < streams; ++at) {
    const Stream& stream = demand.streams[at];
    const std::string name = "stream " + std::to_string(at);
    if ((stream.key & ~stream.mask) != 0)
      return refuse(Error::key_outside_mask, at, stream.key, "key", name + ": its key has bits that its mask lacks");
    if (is_missing(stream.chip) || stream.from >= 32)
      return refuse(Error::parameter_out_of_range, at, stream.chip, "chip", name + ": it enters where no chip is");
    if (!demand.packets.empty() && !(demand.packets[at] >= 0.0 && demand.packets[at] <= 1e9))
      return refuse(Error::parameter_out_of_range, at, 0, "packets", name + ": it has not 0 to 1e9 packets a step");
    for (const Sink& sink : demand.sinks_of(at)) {
      if (is_missing(sink.chip))
        return refuse(Error::parameter_out_of_range, at, sink.chip, "sink",
                      name + ": a sink of it is where no chip is");
      for (unsigned link = 0; link < links && (sink.route & link_bits) != 0; ++link)
        if ((sink.route >> link & 1) != 0 && machine.neighbours[std::size_t{sink.chip} * links + link] != none)
          return refuse(Error::parameters_contradict, at, sink.chip, "sink",
                        name + ": a sink of it is a device at link " + direction_name(link) + " of " +
                            machine.name(sink.chip) + ", behind which a chip is");
    }
  }
  return {};
}

/// What a block of walks found.
struct Found {
  std::vector<Difference> differences = {};
  std::uint64_t count = 0;

  void add(const std::vector<Fault>& faults, std::size_t stream, std::uint32_t from_chip, std::uint32_t from,
           std::size_t most) {
    count += faults.size();
    for (const Fault& fault : faults) {
      if (differences.size() >= most) return;
      const auto kind = fault.kind == Fault::Kind::delivery ? Difference::Kind::delivery
                        : fault.kind == Fault::Kind::loop   ? Difference::Kind::loop
                                                            : Difference::Kind::too_many_parts;
      differences.push_back({kind, stream, from_chip, from, fault.keys.key, fault.keys.mask, fault.chip,
                             fault.is_reached, fault.entry, fault.expected, fault.delivered, fault.twice});
    }
  }
};

/// The numbers of streams by the chip where they enter, so that those that meet the same tables come together.
[[nodiscard]] inline std::vector<std::uint32_t> by_chip(const Demand& demand, std::size_t chips) {
  std::vector<std::uint32_t> begin(chips + 1), order(demand.streams.size());
  for (const Stream& stream : demand.streams) ++begin[stream.chip + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (std::size_t at = 0; at < order.size(); ++at)
    order[begin[demand.streams[at].chip]++] = static_cast<std::uint32_t>(at);
  return order;
}

/// What of all keys no stream from a core of the chip has, in cubes without a key in common.
/// \return whether there are no more than `most`
[[nodiscard]] inline bool unsent(const Demand& demand, std::span<const std::uint32_t> of_chip, std::size_t most,
                                 std::vector<Cube>& left) {
  std::vector<Cube> still;
  left.assign(1, Cube{});
  for (const std::uint32_t number : of_chip) {
    const Stream& stream = demand.streams[number];
    if (stream.from < links) continue;
    still.clear();
    const Entry sent{stream.key, stream.mask, 0};
    for (const Cube& one : left)
      if (meet(one, sent))
        subtract(one, sent.key, sent.mask, still);
      else
        still.push_back(one);
    left.swap(still);
    if (left.size() > most) return false;
  }
  return true;
}

} // namespace detail

/// \errors lengths_differ, parameters_contradict, parameter_out_of_range, key_outside_mask: what is given is no demand of the
///         machine, or not a table for each chip; a demand that is not met is no error, but a difference
/// \cost   O(entries + links that packets cross), times the entries of a table where its masks have no bits in common; the same result
///         on any number of threads
[[nodiscard]] inline Answer<Report> prove(const Machine& machine, const Demand& demand, const Tables& tables,
                                          const Options& options = {}) {
  if (Refusal refusal = detail::check(machine, demand, tables); !refusal.ok()) return refusal;
  const std::size_t chips = machine.chips(), streams = demand.streams.size();
  Report report;
  report.link = options.link, report.whole = options.whole, report.streams = streams;
  report.entries = tables.entries.size();

  detail::Found too_long;
  for (std::size_t chip = 0; chip < chips; ++chip) {
    const auto length = static_cast<std::uint32_t>(tables[chip].size());
    if (length > report.longest_table)
      report.longest_table = length, report.longest_table_chip = static_cast<std::uint32_t>(chip);
    if (machine.entries.empty() || length <= machine.entries[chip]) continue;
    if (too_long.count++ < options.differences) {
      Difference difference;
      difference.kind = Difference::Kind::table_too_long, difference.chip = static_cast<std::uint32_t>(chip);
      difference.expected = machine.entries[chip], difference.delivered = length;
      too_long.differences.push_back(difference);
    }
  }

  const detail::Lookup lookup(tables);
  const std::vector<std::uint32_t> order = detail::by_chip(demand, chips);
  constexpr std::size_t block = 4096, chips_of_block = 64;
  const std::size_t blocks = (streams + block - 1) / block;
  const std::size_t blocks_of_chips = options.whole ? (chips + chips_of_block - 1) / chips_of_block : 0;
  std::vector<std::uint32_t> first_of_chip(options.whole ? chips + 1 : 0);
  if (options.whole) {
    for (const Stream& stream : demand.streams) ++first_of_chip[stream.chip + 1];
    std::partial_sum(first_of_chip.begin(), first_of_chip.end(), first_of_chip.begin());
  }
  constexpr double units = 65536.0; // of a packet: sums of whole numbers do not depend on their order

  std::vector<detail::Walker> walkers;
  walkers.reserve((std::max)(options.threads, 1U));
  while (walkers.size() < (std::max)(options.threads, 1U)) walkers.emplace_back(machine, tables, lookup, options.parts);
  std::vector<detail::Found> found(blocks + blocks_of_chips);
  host::in_parallel(options.threads, found.size(), [&](std::size_t task, unsigned thread) {
    detail::Walker& walker = walkers[thread];
    detail::Found& mine = found[task];
    if (task < blocks) {
      for (std::size_t at = task * block; at < (std::min)(streams, (task + 1) * block); ++at) {
        // Streams in any order are far apart in memory: what comes soon is fetched meanwhile.
        if (at + 16 < streams) {
          __builtin_prefetch(&demand.streams[order[at + 16]]);
          __builtin_prefetch(&demand.first_sink[order[at + 16]]);
          __builtin_prefetch(demand.sinks.data() + demand.first_sink[order[at + 8]]);
        }
        const std::size_t number = order[at];
        const Stream& stream = demand.streams[number];
        const double packets = demand.packets.empty() ? 1.0 : demand.packets[number];
        walker.walk({stream.key, stream.mask}, stream.chip, stream.from, demand.sinks_of(number),
                    static_cast<std::uint64_t>(packets * units + 0.5));
        if (!walker.faults().empty()) mine.add(walker.faults(), number, stream.chip, stream.from, options.differences);
      }
      return;
    }
    std::vector<detail::Cube> cubes;
    for (std::size_t chip = (task - blocks) * chips_of_block;
         chip < (std::min)(chips, (task - blocks + 1) * chips_of_block); ++chip) {
      if (machine.is_there[chip] == 0) continue;
      const auto at = static_cast<std::uint32_t>(chip);
      const std::span<const std::uint32_t> of_chip =
          std::span(order).subspan(first_of_chip[chip], first_of_chip[chip + 1] - first_of_chip[chip]);
      if (!detail::unsent(demand, of_chip, options.parts, cubes)) {
        mine.add({{detail::Fault::Kind::too_many_parts, true, at}}, Difference::no_stream, at, links,
                 options.differences);
        continue;
      }
      for (const detail::Cube& cube : cubes) {
        walker.walk(cube, at, links, {}, 0);
        if (!walker.faults().empty()) mine.add(walker.faults(), Difference::no_stream, at, links, options.differences);
      }
    }
  });

  found.insert(found.begin(), std::move(too_long));
  for (const detail::Found& one : found) {
    report.difference_count += one.count;
    for (const Difference& difference : one.differences)
      if (report.differences.size() < options.differences) report.differences.push_back(difference);
  }
  report.loads.assign(chips * links, 0.0);
  for (const detail::Walker& walker : walkers) report.parts += walker.cubes(), report.crossings += walker.crossings();
  std::uint64_t worst = 0;
  for (std::size_t at = 0; at < report.loads.size(); ++at) {
    std::uint64_t load = 0;
    for (const detail::Walker& walker : walkers) load += walker.loads()[at];
    report.loads[at] = static_cast<double>(load) / units;
    if (load > worst)
      worst = load, report.worst_chip = static_cast<std::uint32_t>(at / links),
      report.worst_link = static_cast<std::uint32_t>(at % links);
  }
  report.worst_load = static_cast<double>(worst) / units;
  return report;
}

} // namespace proof
} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
