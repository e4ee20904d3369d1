// SPDX-License-Identifier: BSL-1.0
// Rows against a plain list of all synapses, for any number of parts and threads; and what building refuses.
#include <neuromorph/network/build.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/network_digests.hpp>
#include <tests/support/networks.hpp>
#include <tests/support/seeds.hpp>

namespace {

using namespace networks;
using neuromorph::Error;
using neuromorph::Status;

/// Source population and neuron, target population and neuron, receptor, weight in the target's units, delay.
using Plain =
    std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::int64_t, std::uint32_t>;

std::vector<Plain> all_of(const network::Network& net) {
  std::vector<Plain> all;
  for (std::uint32_t at = 0; at < net.projections().size(); ++at) {
    const auto plan = plan_of(net, at);
    const network::Projection& projection = net.projections()[at];
    for (const Found& one : synapses_of(plan))
      all.emplace_back(std::uint32_t(projection.source), one.source, std::uint32_t(projection.target), one.target,
                       projection.synapses.receptor, std::int64_t{one.weight} << plan.shift(), one.delay);
  }
  std::sort(all.begin(), all.end());
  return all;
}
std::vector<Plain> all_of(const network::Rows& rows) {
  std::vector<Plain> all;
  for (const network::RowSet& set : rows.sets)
    for (std::uint32_t part = 0; part < rows.parts.count(); ++part)
      for (std::uint32_t source = 0; source < rows.sources_of(set); ++source)
        set.each(set.row(source, part), [&](const network::ArrivingSynapse& one) {
          const auto target = rows.parts.neuron(part, one.target);
          all.emplace_back(set.population, source, target.population, target.neuron, one.receptor, one.weight,
                           one.delay);
        });
  std::sort(all.begin(), all.end());
  return all;
}
/// All rows, half by half.
std::vector<std::uint16_t> halves_of(const network::Rows& rows) {
  std::vector<std::uint16_t> halves;
  for (const network::RowSet& set : rows.sets)
    for (std::uint32_t source = 0; source < rows.sources_of(set); ++source)
      for (std::uint32_t part = 0; part < rows.parts.count(); ++part) {
        const auto row = set.row(source, part);
        halves.insert(halves.end(), row.begin(), row.end());
      }
  return halves;
}
network::Rows built(const network::Network& net, const network::BuildOptions& options) {
  auto rows = network::build(net, options);
  INFO(rows.sentence());
  REQUIRE(rows.ok());
  return std::move(rows).value();
}
std::string refused(const network::Network& net, const Status& status, const network::BuildOptions& options = {1, 1}) {
  const auto rows = network::build(net, options);
  REQUIRE(!rows.ok());
  CHECK(rows.status() == status);
  return rows.sentence();
}

/// Several populations, sources among them, with projections of all kinds.
network::Network random_network(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t bound) {
    return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
  };
  network::Network net({.dt_ms = 0.1, .seed = seed});
  std::vector<network::PopulationId> ids;
  const std::uint32_t populations = 1 + below(4);
  for (std::uint32_t at = 0; at < populations; ++at) {
    const std::uint32_t count = 1 + below(120);
    switch (below(4)) {
    case 0: {
      network::Population one = plain("signed", count);
      one.units_per_one.pop_back();
      one.has_signed_weights = true;
      ids.push_back(net.add(one));
      break;
    }
    case 1: ids.push_back(net.add_source("noise", count)); break;
    default: ids.push_back(net.add(plain("cells", count))); break;
    }
    net.place(ids.back(), network::grid({count, 1, 1}));
  }
  const std::uint32_t projections = below(14);
  for (std::uint32_t at = 0; at < projections; ++at) {
    const auto from = ids[below(populations)];
    const auto to = ids[below(populations)];
    const auto receptors = static_cast<std::uint32_t>(net[to].units_per_one.size());
    if (receptors == 0) continue;
    network::Synapses synapses{.receptor = below(receptors)};
    const bool is_signed = receptors == 1;
    const double sign = is_signed && below(2) == 0 ? -1.0 : 1.0;
    if (below(2) == 0)
      synapses.weight = sign * (0.01 + 0.001 * below(500));
    else if (is_signed)
      synapses.weight = network::normal(sign * 0.1, 0.2);
    else
      synapses.weight = network::lognormal(-2.0, 0.3).redrawn(0.0, 0.9);
    if (below(3) == 0)
      synapses.delay_ms = network::uniform(0.1, 0.2 + 0.1 * below(40));
    else
      synapses.delay_ms = 0.1 * (1 + below(30));
    const std::uint32_t sources = net[from].count, targets = net[to].count;
    const bool multiple = below(2) == 0;
    const std::uint32_t degree = below((sources < targets ? sources : targets) + 1);
    std::vector<network::Listed> list;
    for (std::uint32_t left = below(50); left > 0; --left) {
      network::Listed one{};
      one.source = below(sources);
      one.target = below(targets);
      one.weight = sign * (0.1 + 0.001 * below(800));
      one.delay_ms = 0.1 * (1 + below(99));
      list.push_back(one);
    }
    switch (below(7)) {
    case 0: net.connect(from, to, network::AllToAll{below(2) == 0}, synapses); break;
    case 5: net.connect(from, to, network::ByDistance{.probability = 0.9, .within = 0.5 * below(60)}, synapses); break;
    case 1: net.connect(from, to, network::Pairwise{0.01 * below(101)}, synapses); break;
    case 2: net.connect(from, to, network::FixedIndegree{degree, multiple}, synapses); break;
    case 3: net.connect(from, to, network::FixedOutdegree{degree, multiple}, synapses); break;
    case 4:
      net.connect(from, to, network::FixedTotal{std::uint64_t{degree} * 7 % (sources * targets)}, synapses);
      break;
    default: net.connect(from, to, network::FromList{std::move(list)}, synapses); break;
    }
  }
  return net;
}

} // namespace

TEST_CASE("build: rows have all synapses, in any parts, and are the same for any threads") {
  for (const std::uint32_t seed : Seeds(12)) {
    INFO("seed " << seed);
    const network::Network net = random_network(seed);
    const auto all = all_of(net);
    const network::Rows one = built(net, {.threads = 1, .parts = 1});
    REQUIRE(one.total() == all.size());
    REQUIRE((all_of(one) == all));
    for (const std::uint32_t parts : {1U, 2U, 3U, 5U, 8U}) {
      const network::Rows some = built(net, {.threads = 1, .parts = parts});
      REQUIRE((all_of(some) == all));
      REQUIRE((all_of(built(net, {.threads = 2, .parts = parts, .bits_from = parts % 2 == 0 ? 0.0 : 2.0})) == all));
      REQUIRE(some.digest() == one.digest());
      REQUIRE(some.synapses == one.synapses);
      for (const unsigned threads : {2U, 5U}) {
        const network::Rows other = built(net, {.threads = threads, .parts = parts});
        REQUIRE((halves_of(other) == halves_of(some)));
        REQUIRE(other.synapses == one.synapses);
      }
    }
  }
}

TEST_CASE("build: digests of 1 to 8 parts, which no other network has") {
  const auto net_of = [](std::uint64_t seed) {
    network::Network net({.dt_ms = 0.1, .seed = seed});
    const auto e = net.add<Cells>("e", 800, cell), i = net.add<Cells>("i", 200, cell);
    const network::Distribution delay_ms = network::normal(1.5, 0.75).redrawn(0.1, 10.0);
    net.connect(e, e, network::FixedTotal{20'000}, {.weight = network::normal(0.1, 0.01), .delay_ms = delay_ms});
    net.connect(e, i, network::Pairwise{0.1}, {.weight = 0.1, .delay_ms = delay_ms});
    net.connect(i, e, network::FixedIndegree{20, true}, {.receptor = 1, .weight = 0.4, .delay_ms = 0.8});
    return net;
  };
  const auto net = net_of(1);
  const std::uint64_t digest = built(net, {.threads = 1, .parts = 1}).digest();
  CHECK(digest == 0xEBC8'0DC2'3A02'7F74); // with any compiler, for any machine
  for (std::uint32_t parts = 2; parts <= 8; ++parts)
    CHECK(built(net, {.threads = parts, .parts = parts}).digest() == digest);
  CHECK(built(net_of(2), {.threads = 1, .parts = 1}).digest() != digest);
  // A plain sum over the list, of the hash as it is documented.
  std::uint64_t sum = 0;
  for (const auto& [from, source, to, target, receptor, weight, delay] : all_of(net))
    sum += network::Rows::hash(from, source, to, target, receptor, weight, delay);
  CHECK(sum == digest);
}

TEST_CASE("build: a digest for each connector and each distribution, with any compiler") {
  const auto digests = network_digests(); // on machines that run no unit tests, network/digests.cpp
  CHECK(digests.size() == 17);
  for (const NetworkDigest& one : digests) {
    INFO(one.name);
    CHECK(one.found == one.expected);
    CHECK(one.found_in_parts == one.expected);
  }
}

TEST_CASE("build: what synapses take at rest") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto a = net.add<Cells>("a", 1000, cell), b = net.add<Cells>("b", 1000, cell);
  net.connect(a, b, network::FixedOutdegree{500}, {.weight = 0.5, .delay_ms = 1.5});
  const auto one_weight = built(net, {.threads = 1, .parts = 1, .bits_from = 2.0});
  REQUIRE(one_weight.sets.size() == 1);
  CHECK(one_weight.sets[0].layout == network::Layout::one_weight);
  // 500 targets of 2 bytes, 4 bytes for the run, 4 for where the row is, and little for blocks
  CHECK(one_weight.bytes() >= 1000 * (1000 + 8));
  CHECK(one_weight.bytes() < 1000 * (1000 + 8) + 2000);
  CHECK(one_weight.shortest_delay() == 15);
  const auto bits = built(net, {.threads = 1, .parts = 1});
  REQUIRE(bits.sets.size() == 1);
  CHECK(bits.sets[0].layout == network::Layout::bits);
  // 2000 neurons of the part are 64 + 2000 numbers at most, in whole lines of 64 bytes
  CHECK(bits.bytes() >= 1000 * (2048 / 8 + 4));
  CHECK(bits.bytes() < 1000 * (2560 / 8 + 4) + 2000);
  CHECK(bits.digest() == one_weight.digest());

  network::Network drawn({.dt_ms = 0.1, .seed = 1});
  const auto c = drawn.add<Cells>("c", 1000, cell);
  drawn.connect(c, c, network::FixedOutdegree{500}, {.weight = network::normal(0.5, 0.05), .delay_ms = 1.5});
  const auto individual = built(drawn, {.threads = 1, .parts = 1});
  CHECK(individual.sets[0].layout == network::Layout::individual);
  CHECK(individual.bytes() >= 1000 * (2000 + 8));
  CHECK(individual.bytes() < 1000 * (2000 + 8) + 2000);
}

TEST_CASE("build: a unit of its own for each projection") {
  // A weight of 1 has 2^20 units: too many for 16 bits, and fine enough for weights of a millionth.
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto a = net.add({.name = "a", .count = 100, .units_per_one = {1048576.0}});
  net.connect(a, a, network::AllToAll{}, {.weight = network::uniform(0.5, 0.9)});
  net.connect(a, a, network::AllToAll{}, {.weight = network::uniform(0.0001, 0.0002)});
  net.connect(a, a, network::OneToOne{}, {.weight = 0.7});
  CHECK(plan_of(net, 0).shift() == 4);
  CHECK(plan_of(net, 1).shift() == 0);
  CHECK(plan_of(net, 0).unit() == 0x1p-16);
  CHECK(plan_of(net, 2).weight(0) == 734003); // one weight has all of its bits
  const auto rows = built(net, {.threads = 1, .parts = 3});
  CHECK((all_of(rows) == all_of(net)));
  for (const Found& one : synapses_of(plan_of(net, 0))) {
    const double weight = one.weight * plan_of(net, 0).unit();
    if (weight < 0.4999 || weight > 0.9001) FAIL("a weight of " << weight);
    break;
  }
}

TEST_CASE("build: more kinds of synapses than a set of rows has") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto a = net.add<Cells>("a", 20, cell);
  for (std::uint32_t at = 0; at < 50; ++at)
    net.connect(a, a, network::Pairwise{0.5},
                {.receptor = at % 2, .weight = 0.01 * (1 + at % 37), .delay_ms = 0.1 * (1 + at)});
  const auto rows = built(net, {.threads = 2, .parts = 2});
  CHECK(rows.sets.size() == 4); // 16, 16, 16 and 2 arrivals
  CHECK((all_of(rows) == all_of(net)));
  // What arrives as others do stands with them, also where there is no room for more.
  for (std::uint32_t at = 0; at < 48; ++at)
    net.connect(a, a, network::Pairwise{0.5}, {.receptor = at % 2, .weight = 0.01 * (1 + at % 37), .delay_ms = 0.1});
  CHECK(built(net, {.threads = 1, .parts = 1}).sets.size() == 4);
}

TEST_CASE("build: runs of all delays and arrivals, which are more than a task takes") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto from = net.add_source("from", 7);
  const auto to = net.add(plain("to", 200));
  for (std::uint32_t at = 0; at < 16; ++at)
    net.connect(from, to, network::FixedTotal{300},
                {.receptor = at % 2, .weight = 0.01 * (1 + at), .delay_ms = network::uniform(0.1, 409.5)});
  const auto all = all_of(net);
  for (const std::uint32_t parts : {1U, 3U, 4U, 5U})
    CHECK((all_of(built(net, {.threads = 2, .parts = parts, .bits_from = 2.0})) == all));
}

TEST_CASE("build: rows of bits of two populations that send the same are two") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto a = net.add(plain("a", 70)), b = net.add(plain("b", 90));
  net.connect(a, a, network::AllToAll{}, {.weight = 0.5});
  net.connect(b, b, network::AllToAll{}, {.weight = 0.5});
  net.connect(a, b, network::AllToAll{}, {.weight = 0.5});
  const auto rows = built(net, {.threads = 1, .parts = 1, .bits_from = 0.0});
  REQUIRE(rows.sets.size() == 2); // those of a stand together
  for (const network::RowSet& set : rows.sets) CHECK(set.layout == network::Layout::bits);
  CHECK((all_of(rows) == all_of(net)));
}

TEST_CASE("build: rows of bits begin at a share of the neurons") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto from = net.add_source("from", 1);
  net.connect(from, net.add(plain("to", 512)), network::FixedOutdegree{32, false}, {.weight = 0.5});
  const auto layout_from = [&](double synapses) {
    return built(net, {.threads = 1, .parts = 1, .bits_from = synapses / 512.0}).sets[0].layout;
  };
  CHECK(layout_from(32.0) == network::Layout::bits);
  CHECK(layout_from(32.5) == network::Layout::one_weight);
}

TEST_CASE("build: a run has 65536 synapses at most, a part as many neurons") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto from = net.add_source("from", 1);
  const auto to = net.add(plain("to", 65536));
  net.connect(from, to, network::AllToAll{}, {.weight = 0.5});
  const network::BuildOptions runs{.threads = 1, .parts = 1, .bits_from = 2.0};
  const auto rows = built(net, runs);
  CHECK((all_of(rows) == all_of(net)));
  net.connect(from, to, network::FromList{{{0, 7, 0.25, 1.0}}}); // another arrival
  CHECK((all_of(built(net, runs)) == all_of(net)));
  net.connect(from, to, network::FixedTotal{1}, {.weight = 0.5});
  CHECK((all_of(built(net, {.threads = 1, .parts = 1})) == all_of(net))); // not of bits
  CHECK(
      refused(net, {Error::parameter_out_of_range, 0, 65537, "synapses of a run"}, runs).find("population 0, from: ") ==
      0);
  CHECK((all_of(built(net, {.threads = 1, .parts = 2})) == all_of(net)));

  network::Network large({.dt_ms = 0.1, .seed = 1});
  const auto many = large.add(plain("many", 65537)), few = large.add(plain("few", 1));
  large.connect(few, many, network::Pairwise{0.01}, {.weight = 0.5});
  const std::string words = refused(large, {Error::parameter_out_of_range, 0, 65664, "neurons of a part"});
  CHECK(words == "neurons of a part = 65664: they are 65536 at most, so more parts are needed");
  const auto chosen = built(large, {.threads = 2});
  CHECK(chosen.parts.count() == 2);
  CHECK((all_of(chosen) == all_of(large)));
  CHECK(built(large, {.threads = 1}).parts.count() == 2);
  // Sources take no room of a part.
  network::Network sources({.dt_ms = 0.1, .seed = 1});
  const auto noise = sources.add_source("noise", 100'000);
  const auto cells = sources.add(plain("cells", 65536));
  sources.connect(noise, cells, network::FixedTotal{1000}, {.weight = 0.5});
  CHECK(built(sources, {.threads = 1}).parts.count() == 1);
}

TEST_CASE("build: how many synapses a run has in the mean") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto few = net.add(plain("few", 10)), many = net.add(plain("many", 1000)), to = net.add(plain("to", 128));
  CHECK(built(net, {1, 1}).run_length(0) == 65536.0);
  net.connect(few, to, network::AllToAll{}, {.weight = 0.5});
  CHECK(built(net, {1, 1, 0.0}).run_length(0) == 65536.0); // of bits
  CHECK(built(net, {1, 1, 2.0}).run_length(0) == 128.0);
  CHECK(built(net, {1, 2, 2.0}).run_length(1) == 64.0);
  // 1000 rows of 2 runs of a synapse each, 10 of a run of 128.
  for (const double delay : {1.0, 2.0})
    net.connect(many, to, network::FixedOutdegree{1}, {.weight = 0.5, .delay_ms = delay});
  const double expected = (2000.0 + 10 * 128.0) / 2010.0;
  CHECK(std::abs(built(net, {1, 1, 2.0}).run_length(0) / expected - 1.0) < 0.07);
}

TEST_CASE("build: each neuron is in one part, and parts know which") {
  std::mt19937 random(1);
  for (int run = 0; run < 50; ++run) {
    std::vector<network::Population> populations;
    for (int at = 0; at < 5; ++at) {
      network::Population one =
          plain("", std::uniform_int_distribution<std::uint32_t>(0, run % 2 == 0 ? 40 : 4000)(random));
      if (random() % 3 == 0) one.units_per_one.clear();
      populations.push_back(one);
    }
    const std::uint32_t count = 1 + static_cast<std::uint32_t>(random() % 50);
    const network::Parts parts(populations, count);
    for (std::uint32_t population = 0; population < 5; ++population)
      for (std::uint32_t neuron = 0; neuron < populations[population].count; ++neuron) {
        const std::uint32_t part = parts.part_of(population, neuron);
        REQUIRE((parts.first(population, part) <= neuron && neuron < parts.first(population, part + 1)));
        if (populations[population].units_per_one.empty()) continue;
        REQUIRE((neuron % network::neurons_of_group == 0 || part == parts.part_of(population, neuron - 1)));
        const auto back = parts.neuron(part, parts.base(part, population) + neuron - parts.first(population, part));
        REQUIRE((back.population == population && back.neuron == neuron));
      }
    // Shares differ by one group at most, and bases by whole groups.
    for (std::uint32_t population = 0; population < 5; ++population) {
      std::uint32_t neurons = 0, least = 0xFFFF'FFFF, most = 0;
      for (std::uint32_t part = 0; part < count; ++part) {
        const std::uint32_t share = parts.first(population, part + 1) - parts.first(population, part);
        const std::uint32_t groups = (share + network::neurons_of_group - 1) / network::neurons_of_group;
        neurons += share, least = (std::min)(least, groups), most = (std::max)(most, groups);
        REQUIRE(parts.base(part, population + 1) - parts.base(part, population) ==
                (populations[population].units_per_one.empty() ? 0 : groups * network::neurons_of_group));
      }
      REQUIRE((neurons == populations[population].count && most - least <= 1));
    }
  }
}

TEST_CASE("build: what is refused, in words") {
  const auto with = [](const network::Connector& connector, const network::Synapses& synapses, bool within = false) {
    network::Network net({.dt_ms = 0.1, .seed = 1});
    const auto e = net.add<Cells>("excitatory", 80, cell), i = net.add<Cells>("inhibitory", 20, cell);
    net.connect(e, i, network::OneToOne{}, {}); // which is refused, too, but for its place below
    network::Network only({.dt_ms = 0.1, .seed = 1});
    const auto a = only.add<Cells>("excitatory", 80, cell), b = only.add<Cells>("inhibitory", 20, cell);
    only.connect(b, b, network::OneToOne{}, {.weight = 0.1});
    only.connect(a, within ? a : b, connector, synapses);
    return only;
  };
  const network::Synapses fine{.weight = 0.1};
  const auto of = [&](const network::Connector& connector, const network::Synapses& synapses, const Status& status,
                      bool within = false) {
    const std::string sentence = refused(with(connector, synapses, within), status);
    CHECK(sentence.find(within ? "projection 1, excitatory to excitatory: "
                               : "projection 1, excitatory to inhibitory: ") == 0);
    return sentence;
  };
  CHECK(of(network::AllToAll{}, {.weight = 1e-9}, {Error::weight_vanishes, 1, 1e-9, "weight"}) ==
        "projection 1, excitatory to inhibitory: weight = 1e-9: a weight that is not zero would become zero in this "
        "number format");
  const std::string begin = "projection 1, excitatory to inhibitory: ";
  CHECK(of(network::AllToAll{}, {.weight = -0.1}, {Error::weight_out_of_range, 1, -0.1, "weight"}) ==
        begin + "weight = -0.1: weights of this receptor are magnitudes, without a sign");
  of(network::AllToAll{}, {.weight = 1e9}, {Error::weight_out_of_range, 1, 1e9, "weight"});
  of(network::AllToAll{}, {.receptor = 2, .weight = 0.1}, {Error::type_out_of_range, 1, 2, "receptor"});
  of(network::AllToAll{}, {.weight = 0.1, .delay_ms = 0.04}, {Error::delay_out_of_range, 1, 0.04, "delay_ms"});
  CHECK(
      of(network::AllToAll{}, {.weight = 0.1, .delay_ms = 409.6}, {Error::delay_out_of_range, 1, 409.6, "delay_ms"}) ==
      begin + "delay_ms = 409.6: delays are from 1 to 4095 steps, here from 0.05 to 409.5 ms");
  of(network::AllToAll{}, {.weight = 0.1, .delay_ms = network::uniform(0.0, 1.0)},
     {Error::delay_out_of_range, 1, 0.0, "delay_ms"});
  of(network::AllToAll{}, {.weight = 0.1, .delay_ms = network::normal(1.0, -1.0)},
     {Error::parameter_out_of_range, 1, -1.0, "delay_ms"});
  CHECK(plan_of(with(network::AllToAll{}, {.weight = 0.1, .delay_ms = 409.5}), 1).longest_delay_of() == 4095);
  CHECK(of(network::OneToOne{}, fine, {Error::lengths_differ, 1, 20, "one to one"}) ==
        begin + "one to one from 80 sources to 20 targets");
  of(network::Pairwise{1.5}, fine, {Error::parameter_out_of_range, 1, 1.5, "probability"});
  of(network::Pairwise{-0.1}, fine, {Error::parameter_out_of_range, 1, -0.1, "probability"});
  CHECK(of(network::FixedIndegree{81}, fine, {Error::parameters_contradict, 1, 81, "degree"}) ==
        begin + "degree = 81 of 80 sources");
  CHECK(of(network::FixedIndegree{80, false, false}, fine, {Error::parameters_contradict, 1, 80, "degree"}, true) ==
        "projection 1, excitatory to excitatory: degree = 80 of 79 sources, as no neuron is connected to itself");
  CHECK(of(network::FixedOutdegree{21}, fine, {Error::parameters_contradict, 1, 21, "degree"}) ==
        begin + "degree = 21 of 20 targets");
  of(network::FixedOutdegree{0xFFFF'FFFF, true}, fine, {Error::parameter_out_of_range, 1, 0xFFFF'FFFF, "degree"});
  CHECK(of(network::FixedTotal{1601, false}, fine, {Error::parameters_contradict, 1, 1601, "total"}) ==
        begin + "total = 1601 of 1600 pairs");
  CHECK(of(network::FixedTotal{6321, false, false}, fine, {Error::parameters_contradict, 1, 6321, "total"}, true) ==
        "projection 1, excitatory to excitatory: total = 6321 of 6320 pairs, as no neuron is connected to itself");
  CHECK(of(network::FixedTotal{std::uint64_t{1} << 32}, fine,
           {Error::parameter_out_of_range, 1, std::int64_t{1} << 32, "total"}) ==
        begin + "total = 4294967296: it is 4294967295 at most");
  of(network::ByDistance{}, fine, {Error::lengths_differ, 1, 0, "positions"});
  of(network::ByDistance{.scale = 0.0}, fine, {Error::parameter_out_of_range, 1, 0.0, "scale"});
  of(network::ByDistance{.within = -1.0}, fine, {Error::parameter_out_of_range, 1, -1.0, "within"});
  of(network::ByDistance{.period = {1.0, -2.0, 0.0}}, fine, {Error::parameter_out_of_range, 1, -2.0, "period"});
  of(network::FromList{{{0, 0, 0.1, 1.0}, {80, 0, 0.1, 1.0}}}, fine, {Error::row_out_of_range, 1, 80, "source"});
  of(network::FromList{{{0, 20, 0.1, 1.0}}}, fine, {Error::index_out_of_range, 1, 20, "target"});
  of(network::FromList{{{0, 0, -0.1, 1.0}}}, fine, {Error::weight_out_of_range, 1, -0.1, "weight"});
  of(network::AllToAll{}, {.weight = network::normal(0.1, -0.1)}, {Error::parameter_out_of_range, 1, -0.1, "weight"});
  of(network::FixedOutdegree{0x8000'0000, true}, fine, {Error::parameter_out_of_range, 1, 0x8000'0000, "degree"});
  CHECK(plan_of(with(network::FixedOutdegree{0x7FFF'FFFF, true}, fine), 1).given_number() == 80 * 0x7FFF'FFFFULL);
  for (const double far : {1e100, -1e100, 1e300, static_cast<double>(INFINITY)}) {
    network::Network net({.dt_ms = 0.1, .seed = 1});
    const auto cells = net.add<Cells>("cells", 1, cell);
    net.place(cells, {{0.0, far, 0.0}});
    net.connect(cells, cells, network::ByDistance{}, fine);
    refused(net, {Error::parameter_out_of_range, 0, far, "positions"});
  }
  of(network::FromList{{{0, 0, 0.1, 0.0}}}, fine, {Error::delay_out_of_range, 1, 0.0, "delay_ms"});

  const auto far = [&](double latest) {
    return of(network::AllToAll{}, {.weight = 0.1, .delay_ms = network::uniform(1.0, latest)},
              {Error::delay_out_of_range, 1, latest, "delay_ms"});
  };
  far(500.0);    // steps of which there is a table
  far(100000.0); // and none
  const double fine_units = with(network::AllToAll{}, fine).populations()[1].units_per_one[0];
  // A drawn weight that is sometimes negative, and one of which more than 1 % would become zero.
  const auto negative = network::build(with(network::AllToAll{}, {.weight = network::normal(0.1, 0.1)}), {1, 1});
  CHECK(negative.status().error == Error::weight_out_of_range);
  CHECK(negative.status().value.real() < 0.0);
  const auto vanishing =
      network::build(with(network::AllToAll{}, {.weight = network::lognormal(-11.0, 1.0).redrawn(0.0, 1.0)}), {1, 1});
  CHECK(vanishing.status().error == Error::weight_vanishes);
  CHECK(vanishing.status().value.real() * fine_units == Approx(0.5)); // what is less than half a unit

  network::Network wrong({.dt_ms = 0.1, .seed = 1});
  (void)wrong.add<Cells>("fine", 10, cell);
  auto parameters = cell;
  parameters.membrane.tau_ms = -1.0;
  (void)wrong.add<Cells>("wrong", 10, parameters);
  const auto answer = network::build(wrong);
  REQUIRE(!answer.ok());
  CHECK(answer.status().where == 1);
  CHECK(answer.sentence() == "population 1, wrong: membrane.tau_ms = -1: a parameter that must be positive is not");
  const network::Network nobody({.dt_ms = 0.1, .seed = 1});
  CHECK(built(nobody, {.threads = 1, .parts = 65535}).parts.count() == 65535);
  CHECK(network::build(nobody, {.threads = 1, .parts = 65536}).status() ==
        Status{Error::parameter_out_of_range, 0, 65536, "parts"});
  const auto said = [&](const network::BuildOptions& options) { return network::build(nobody, options).sentence(); };
  CHECK(said({.threads = 1, .parts = 65536}) == "parts = 65536: they are 65535 at most");
  CHECK(said({.threads = 100'000}) == "threads = 100000: they are 65535 at most where each has a part");
  CHECK(said({.threads = 40'000, .ranks = 2}) ==
        "parts = 80000, so that each thread of each rank has as many: they are 65535 at most");
  network::Network crowd({.dt_ms = 0.1, .seed = 1});
  (void)crowd.add_source("crowd", (1U << 28) + 1);
  CHECK(network::build(crowd).status() == Status{Error::parameter_out_of_range, 0, (1 << 28) + 1, "count"});
  network::Network nowhere({.dt_ms = 0.1, .seed = 1});
  const auto a = nowhere.add<Cells>("a", 10, cell);
  nowhere.connect(a, network::PopulationId(7), network::AllToAll{});
  CHECK(network::build(nowhere).sentence().find("projection 0, a to nothing: target = 7") == 0);
}

TEST_CASE("build: what a model says of its weights") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto two = net.add<Cells>("two", 3, cell), one = net.add<SignedCells>("one", 3, signed_cell);
  CHECK((!net[two].has_signed_weights && net[one].has_signed_weights));
  net.connect(two, two, network::OneToOne{}, {.receptor = 1, .weight = 0.7});
  net.connect(two, one, network::OneToOne{}, {.weight = -0.7});
  const auto made = Cells::make(cell, 0.1).value();
  const auto signed_made = SignedCells::make(signed_cell, 0.1).value();
  CHECK(plan_of(net, 0).weight(0) == static_cast<std::int32_t>(Cells::weight(made, 1, 0.7).value()));
  CHECK(plan_of(net, 1).weight(0) == -static_cast<std::int32_t>(SignedCells::weight(signed_made, 0, 0.7).value()));
  CHECK(network::Network({}).add<neuromorph::PackedLif>("p", 1, {}) == network::PopulationId(0));
}

TEST_CASE("build: networks of nothing") {
  const network::Network empty({.dt_ms = 0.1, .seed = 1});
  CHECK(built(empty, {.threads = 2}).total() == 0);
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto none = net.add<Cells>("none", 0, cell), some = net.add<Cells>("some", 5, cell);
  net.connect(none, some, network::AllToAll{}, {.weight = 0.1});
  net.connect(some, none, network::Pairwise{0.5}, {.weight = 0.1});
  net.connect(some, none, network::FixedTotal{0}, {.weight = 0.1});
  CHECK(built(net, {.threads = 2, .parts = 3}).total() == 0);
}
