// SPDX-License-Identifier: BSL-1.0
// Each connector against its definition: degrees and pairs by enumeration where they are given, by chi-square where they are
// drawn; and any part of a projection against the whole.
#include <neuromorph/network/synapse_generator.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <tests/support/catch.hpp>
#include <tests/support/networks.hpp>
#include <tests/support/randomness.hpp>
#include <tests/support/seeds.hpp>

namespace {

using namespace networks;

bool is_fine(double p) { return p > 1e-4 && p < 1.0 - 1e-4; }

std::vector<std::uint64_t> degrees(const std::vector<Found>& found, std::uint32_t Found::*end, std::uint32_t count) {
  std::vector<std::uint64_t> degrees(count);
  for (const Found& one : found) ++degrees[one.*end];
  return degrees;
}
bool are_all(const std::vector<std::uint64_t>& degrees, std::uint64_t degree) {
  return std::all_of(degrees.begin(), degrees.end(), [&](std::uint64_t one) { return one == degree; });
}
bool are_distinct(const std::vector<Found>& found) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Found& one : found) pairs.push_back({one.source, one.target});
  std::sort(pairs.begin(), pairs.end());
  return std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end();
}
bool has_self(const std::vector<Found>& found) {
  return std::any_of(found.begin(), found.end(), [](const Found& one) { return one.source == one.target; });
}
/// How often each pair of different seeds is connected.
std::vector<std::uint64_t> pairs_over_seeds(const network::Connector& connector, std::uint32_t sources,
                                            std::uint32_t targets, std::uint32_t seeds) {
  const std::uint32_t columns = targets == 0 ? sources : targets;
  std::vector<std::uint64_t> counts(std::size_t{sources} * columns);
  for (std::uint32_t seed = 0; seed < seeds; ++seed)
    for (const Found& one : connected(connector, sources, targets, seed))
      ++counts[std::size_t{one.source} * columns + one.target];
  return counts;
}
double binomial(std::uint32_t n, std::uint32_t k, double p) {
  return std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) + k * std::log(p) +
                  (n - k) * std::log1p(-p));
}
/// Whether degrees have a distribution: chance(k) for each k up to `most`; of more than are seen, all together.
template <class Chance>
double degree_test(const std::vector<std::uint64_t>& degrees, std::uint32_t most, Chance chance) {
  const std::uint64_t seen = *std::max_element(degrees.begin(), degrees.end());
  if (seen > most) return 0.0;
  std::vector<std::uint64_t> counts(seen + 1);
  for (const std::uint64_t degree : degrees) ++counts[degree];
  randomness::Classes classes(10);
  double left = 1.0;
  for (std::uint32_t k = 0; k <= seen; ++k) {
    const double share = chance(k);
    classes.add(counts[k], share * static_cast<double>(degrees.size()));
    left -= share;
  }
  classes.add(0, left * static_cast<double>(degrees.size()));
  return classes.chi_square();
}
/// Whether all subsets of pairs are alike: those that occur, of so many.
double subset_test(const network::Connector& connector, std::uint32_t sources, std::uint32_t targets,
                   std::size_t subsets, std::uint32_t seeds) {
  std::map<std::set<std::pair<std::uint32_t, std::uint32_t>>, std::uint64_t> counts;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const Found& one : connected(connector, sources, targets, seed)) pairs.insert({one.source, one.target});
    ++counts[pairs];
  }
  REQUIRE(counts.size() <= subsets);
  std::vector<std::uint64_t> all;
  for (const auto& one : counts) all.push_back(one.second);
  all.resize(subsets);
  return randomness::chi_square_uniform(all);
}

} // namespace

TEST_CASE("synapse_generator: all to all and one to one are each pair, and each pair of one number") {
  for (const bool self : {true, false}) {
    const auto all = connected(network::AllToAll{self}, 7, 0, 1);
    CHECK(all.size() == (self ? 49 : 42));
    CHECK(are_distinct(all));
    CHECK(has_self(all) == self);
    // of another population there is no self
    CHECK(connected(network::AllToAll{self}, 7, 5, 1).size() == 35);
  }
  const auto one = connected(network::OneToOne{}, 9, 9, 1);
  REQUIRE(one.size() == 9);
  for (std::uint32_t at = 0; at < 9; ++at) CHECK((one[at].source == at && one[at].target == at));
}

TEST_CASE("synapse_generator: pairs with a probability are independent of each other") {
  for (const double p : {0.003, 0.1, 0.5, 0.97}) {
    const std::uint32_t sources = 3000, targets = 1000;
    const auto found = connected(network::Pairwise{p}, sources, targets, 7);
    CHECK(are_distinct(found));
    CHECK(is_fine(degree_test(degrees(found, &Found::source, sources), targets,
                              [&](std::uint32_t k) { return binomial(targets, k, p); })));
    CHECK(is_fine(degree_test(degrees(found, &Found::target, targets), sources,
                              [&](std::uint32_t k) { return binomial(sources, k, p); })));
  }
  // Each pair of a few, the first and the last of a row included, and each subset of them.
  CHECK(is_fine(randomness::chi_square_uniform(pairs_over_seeds(network::Pairwise{0.3}, 3, 5, 20'000))));
  CHECK(is_fine(subset_test(network::Pairwise{0.5}, 2, 4, 256, 20'000)));
  CHECK(connected(network::Pairwise{0.0}, 50, 50, 1).empty());
  CHECK(connected(network::Pairwise{1.0}, 50, 50, 1).size() == 2500);
  CHECK(connected(network::Pairwise{1.0, false}, 50, 0, 1).size() == 2450);
  CHECK(connected(network::Pairwise{0x1p-33}, 50, 50, 1).empty());
  const auto without_self = pairs_over_seeds(network::Pairwise{0.4, false}, 4, 0, 10'000);
  std::vector<std::uint64_t> others;
  for (std::uint32_t at = 0; at < 16; ++at)
    if (at % 5 != 0)
      others.push_back(without_self[at]);
    else
      CHECK(without_self[at] == 0);
  CHECK(is_fine(randomness::chi_square_uniform(others)));
}

TEST_CASE("synapse_generator: gaps go on where the table and a stretch of targets end") {
  // Rows of several stretches of 4096; with 1 in 20 000 most gaps are longer than the table has outcomes.
  for (const double p : {1.0 / 20'000, 1.0 / 2'000}) {
    const std::uint32_t targets = 50'000, sources = 4'000, bins = 500;
    const auto found = connected(network::Pairwise{p}, sources, targets, 3);
    CHECK(is_fine(degree_test(degrees(found, &Found::source, sources), 200,
                              [&](std::uint32_t k) { return binomial(targets, k, p); })));
    std::vector<std::uint64_t> of_bin(bins), after_stretch(64);
    for (const Found& one : found) {
      ++of_bin[one.target / (targets / bins)];
      ++after_stretch[one.target % 4096 / 64];
    }
    CHECK(is_fine(randomness::chi_square_uniform(of_bin)));
    std::vector<double> expected(64);
    for (std::uint32_t target = 0; target < targets; ++target) expected[target % 4096 / 64] += p * sources;
    CHECK(is_fine(randomness::chi_square(after_stretch, expected)));
  }
}

TEST_CASE("synapse_generator: fixed in-degrees and out-degrees") {
  using network::FixedIndegree;
  using network::FixedOutdegree;
  const auto check = [](const auto& connector, std::uint32_t Found::*fixed, std::uint32_t Found::*drawn,
                        std::uint32_t others) {
    for (const std::uint32_t within : {0U, 1U}) {
      const std::uint32_t fixed_count = within ? others : 600;
      const bool is_indegree = fixed == &Found::target;
      const auto found = connected(connector, is_indegree ? others : fixed_count,
                                   within ? 0 : (is_indegree ? fixed_count : others), 11);
      const std::uint32_t possible = others - (within && !connector.self ? 1 : 0);
      REQUIRE(are_all(degrees(found, fixed, fixed_count), connector.degree));
      CHECK((connector.multiple || are_distinct(found)));
      if (within && !connector.self) CHECK(!has_self(found));
      // The other degrees are binomial: of each fixed end so many of the others, each with the same chance.
      const auto free = degrees(found, drawn, others);
      const std::uint32_t picks = fixed_count - (within && !connector.self ? 1 : 0);
      const double share = static_cast<double>(connector.degree) / possible;
      if (connector.multiple)
        CHECK(is_fine(degree_test(free, picks * connector.degree, [&](std::uint32_t k) {
          return binomial(picks * connector.degree, k, 1.0 / possible);
        })));
      else if (share < 1.0)
        CHECK(is_fine(degree_test(free, picks, [&](std::uint32_t k) { return binomial(picks, k, share); })));
    }
  };
  for (const bool multiple : {false, true})
    for (const bool self : {false, true})
      for (const std::uint32_t degree : {1U, 30U, 360U}) {
        check(FixedIndegree{degree, multiple, self}, &Found::target, &Found::source, 400);
        check(FixedOutdegree{degree, multiple, self}, &Found::source, &Found::target, 400);
      }
  // Each subset of two of five, and of four of five.
  CHECK(is_fine(subset_test(FixedOutdegree{2}, 1, 5, 10, 20'000)));
  CHECK(is_fine(subset_test(FixedOutdegree{4}, 1, 5, 5, 20'000)));
  CHECK(is_fine(subset_test(FixedIndegree{2}, 5, 1, 10, 20'000)));
  // All of them, and all but itself.
  CHECK(connected(FixedIndegree{64}, 64, 64, 1).size() == 64 * 64);
  CHECK(!has_self(connected(FixedIndegree{63, false, false}, 64, 0, 1)));
  // With replacement each pair of draws is alike: two draws of three are 9 outcomes.
  std::vector<std::uint64_t> both(9);
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    const auto found = connected(FixedOutdegree{2, true}, 1, 3, seed);
    ++both[3 * found[0].target + found[1].target];
  }
  CHECK(is_fine(randomness::chi_square_uniform(both)));
}

TEST_CASE("synapse_generator: a fixed total number of pairs, with and without multiple connections") {
  using network::FixedTotal;
  const auto many = connected(FixedTotal{90'000}, 3000, 1000, 5);
  CHECK(many.size() == 90'000);
  CHECK(!are_distinct(many)); // 1349 pairs are expected twice
  CHECK(is_fine(degree_test(degrees(many, &Found::source, 3000), 200,
                            [&](std::uint32_t k) { return binomial(90'000, k, 1.0 / 3000); })));
  CHECK(is_fine(degree_test(degrees(many, &Found::target, 1000), 300,
                            [&](std::uint32_t k) { return binomial(90'000, k, 1.0 / 1000); })));
  // Without multiple connections degrees are hypergeometric: of a tenth, a half and nine tenths of all pairs.
  for (const std::uint32_t total : {48'000U, 240'000U, 432'000U}) {
    const std::uint32_t sources = 800, targets = 600;
    const auto found = connected(FixedTotal{total, false}, sources, targets, 6);
    CHECK(found.size() == total);
    CHECK(are_distinct(found));
    const double all = static_cast<double>(sources) * targets;
    const auto log_choose = [](double n, double k) {
      return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
    };
    const auto hypergeometric = [&](std::uint32_t row) {
      return [&, row](std::uint32_t k) {
        if (k > row || total - k > all - row) return 0.0;
        return std::exp(log_choose(row, k) + log_choose(all - row, total - k) - log_choose(all, total));
      };
    };
    CHECK(is_fine(degree_test(degrees(found, &Found::source, sources), targets, hypergeometric(targets))));
    CHECK(is_fine(degree_test(degrees(found, &Found::target, targets), sources, hypergeometric(sources))));
  }
  // Each of C(6, 2) and C(6, 4) subsets, of C(6, 3) within a population without self.
  CHECK(is_fine(subset_test(FixedTotal{2, false}, 2, 3, 15, 30'000)));
  CHECK(is_fine(subset_test(FixedTotal{4, false}, 3, 2, 15, 30'000)));
  CHECK(is_fine(subset_test(FixedTotal{3, false, false}, 3, 0, 20, 30'000)));
  // Two draws with replacement: 36 outcomes, in the order of sources; of equal sources in the order of draws.
  std::map<std::vector<std::uint32_t>, std::uint64_t> twice;
  for (std::uint32_t seed = 0; seed < 30'000; ++seed) {
    std::vector<std::uint32_t> pairs;
    for (const Found& one : connected(FixedTotal{2}, 2, 3, seed)) pairs.push_back(one.source * 3 + one.target);
    std::sort(pairs.begin(), pairs.end());
    ++twice[pairs];
  }
  std::vector<std::uint64_t> counts;
  std::vector<double> expected;
  for (const auto& [pairs, count] : twice) {
    counts.push_back(count);
    expected.push_back(30'000.0 * (pairs[0] == pairs[1] ? 1 : 2) / 36);
  }
  CHECK(counts.size() == 21);
  CHECK(is_fine(randomness::chi_square(counts, expected)));
  CHECK(!has_self(connected(FixedTotal{500, true, false}, 20, 0, 1)));
  CHECK(connected(FixedTotal{20 * 19, false, false}, 20, 0, 1).size() == 380);
  CHECK(connected(FixedTotal{0, false}, 20, 0, 1).empty());
}

TEST_CASE("synapse_generator: probability falls with distance") {
  using network::ByDistance;
  using network::Position;
  using network::Profile;
  const std::vector<Position> from{{0, 0, 0}, {9.5, 0.25, 3}, {4, 4, 4}},
      to{{1, 0, 0}, {9, 9, 9}, {0.5, -0.5, 2.5}, {4, 4, 4}, {23, 5, 1}};
  const auto distance = [](const Position& a, const Position& b, const std::array<double, 3>& period) {
    double square = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double apart = std::abs(a[axis] - b[axis]);
      if (period[axis] > 0) apart = std::abs(std::remainder(apart, period[axis]));
      square += apart * apart;
    }
    return std::sqrt(square);
  };
  std::vector<ByDistance> kinds{
      {.probability = 0.9, .profile = Profile::gaussian, .scale = 4.0},
      {.probability = 0.8, .profile = Profile::exponential, .scale = 6.0},
      {.probability = 0.5, .within = 6.0},
      {.probability = 0.9, .profile = Profile::exponential, .scale = 3.0, .within = 5.0, .period = {10.0, 0.0, 4.0}},
      {.probability = 0.7, .profile = Profile::gaussian, .scale = 2.0, .period = {10.0, 10.0, 10.0}}};
  for (const ByDistance& kind : kinds) {
    network::Network net({.dt_ms = 0.1, .seed = 1});
    constexpr std::uint32_t seeds = 20'000;
    std::vector<std::uint64_t> counts(15);
    for (std::uint32_t seed = 0; seed < seeds; ++seed) {
      network::Network one({.dt_ms = 0.1, .seed = seed});
      const auto a = one.add(plain("a", 3)), b = one.add(plain("b", 5));
      one.place(a, from), one.place(b, to);
      one.connect(a, b, kind);
      for (const Found& found : synapses_of(plan_of(one))) ++counts[found.source * 5 + found.target];
    }
    for (std::size_t pair = 0; pair < 15; ++pair) {
      const double d = distance(from[pair / 5], to[pair % 5], kind.period);
      const double p =
          d > kind.within ? 0.0
          : kind.profile == Profile::constant
              ? kind.probability
              : kind.probability * (kind.profile == Profile::gaussian ? std::exp(-d * d / (2 * kind.scale * kind.scale))
                                                                      : std::exp(-d / kind.scale));
      INFO("pair " << pair << ", distance " << d << ", probability " << p);
      const double sigma = std::sqrt(p * (1 - p) * seeds);
      CHECK(std::abs(static_cast<double>(counts[pair]) - p * seeds) <= 4.5 * sigma);
    }
  }
  // A disc on a torus has as many neighbours everywhere.
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto sheet = net.add(plain("sheet", 20 * 15));
  net.place(sheet, network::grid({20, 15, 1}));
  net.connect(sheet, sheet, ByDistance{.within = 2.0, .period = {20.0, 15.0, 0.0}, .self = false});
  CHECK(are_all(degrees(synapses_of(plan_of(net)), &Found::source, 300), 12));
}

TEST_CASE("synapse_generator: near pairs are found, however positions lie") {
  using network::ByDistance;
  using network::Position;
  using network::Profile;
  std::uint64_t connected_pairs = 0, undecided = 0;
  for (const std::uint32_t seed : Seeds(150)) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t bound) {
      return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
    };
    const std::uint32_t dimensions = 1 + below(3);
    ByDistance kind{.probability = 0.01 * (1 + below(100)), .profile = Profile(below(3)), .self = below(2) == 0};
    kind.scale = 0.05 * (1 + below(40));
    if (kind.profile == Profile::constant || below(2) == 0) kind.within = below(8) == 0 ? 0.0 : 0.125 * below(40);
    for (std::size_t axis = 0; axis < dimensions; ++axis)
      if (below(2) == 0) kind.period[axis] = 1.0 + 0.5 * below(40);
    // On a lattice, so that some lie on each other, or anywhere; sources also beyond all targets.
    const bool is_lattice = below(2) == 0;
    const auto places = [&](std::uint32_t count, double extent) {
      std::vector<Position> positions(count, Position{});
      for (Position& position : positions)
        for (std::size_t axis = 0; axis < dimensions; ++axis)
          position[axis] = extent * (is_lattice ? 0.125 * below(9) : below(1'000'000) * 1e-6) - 0.3 * extent;
      return positions;
    };
    network::Network net({.dt_ms = 0.1, .seed = seed});
    const bool within = below(3) == 0;
    const auto a = net.add(plain("a", 1 + below(100)));
    const auto b = within ? a : net.add(plain("b", 1 + below(300)));
    net.place(a, places(net[a].count, 30.0));
    if (!within) net.place(b, places(net[b].count, 20.0));
    net.connect(a, b, kind);
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;
    const auto plan = plan_of(net);
    for (const Found& one : synapses_of(plan))
      if (!found.insert({one.source, one.target}).second) FAIL("seed " << seed << ": a pair twice");
    const network::Counter counter(seed, 0, network::Use::partners);
    for (std::uint32_t source = 0; source < net[a].count; ++source)
      for (std::uint32_t target = 0; target < net[b].count; ++target) {
        double square = 0.0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          double apart = net[a].positions[source][axis] - net[b].positions[target][axis];
          if (kind.period[axis] > 0) apart = std::remainder(apart, kind.period[axis]);
          square += apart * apart;
        }
        const double d = std::sqrt(square);
        double words = 4294967296.0 * kind.probability;
        if (kind.profile == Profile::gaussian) words *= std::exp(-square / (2 * kind.scale * kind.scale));
        if (kind.profile == Profile::exponential) words *= std::exp(-d / kind.scale);
        if (d > kind.within) words = 0.0;
        const double word = counter.block(source, target / 4)[target % 4];
        // Distances have 26 bits: pairs that these decide are left to chance.
        const bool is_close =
            std::abs(word - words) < 1.0 + 1e-5 * words || (d != kind.within && std::abs(d - kind.within) < 1e-5);
        undecided += is_close;
        const bool expected = word < words && (kind.self || !within || source != target);
        connected_pairs += expected;
        if (!is_close && expected != found.contains({source, target}))
          FAIL("seed " << seed << ", pair " << source << " to " << target << " at " << d);
      }
  }
  CHECK(connected_pairs > 10'000);
  CHECK(undecided < connected_pairs / 100);
}

TEST_CASE("synapse_generator: a distance that is just within is, also where it is no sum of powers of two") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto line = net.add(plain("line", 200));
  net.place(line, network::grid({200, 1, 1}, 0.1));
  net.connect(line, line, network::ByDistance{.within = 0.3, .period = {20.0, 0.0, 0.0}, .self = false});
  CHECK(are_all(degrees(synapses_of(plan_of(net)), &Found::source, 200), 6));
}

TEST_CASE("synapse_generator: a list is what it is") {
  network::Network net({.dt_ms = 0.5, .seed = 1});
  const auto a = net.add(plain("a", 10)), b = net.add(plain("b", 20));
  net.connect(a, b, network::FromList{{{3, 19, 0.5, 1.0}, {0, 0, 1.0, 0.5}, {3, 19, 0.25, 2047.5}, {9, 7, 0.0, 3.3}}});
  const auto found = synapses_of(plan_of(net));
  REQUIRE(found.size() == 4);
  const auto unit = static_cast<std::int32_t>(net[a].units_per_one[0] + 0.5);
  CHECK(found[0] == Found{3, 19, 2, (unit + 1) / 2});
  CHECK(found[1] == Found{0, 0, 1, unit});
  CHECK(found[2] == Found{3, 19, 4095, (unit + 2) / 4});
  CHECK(found[3] == Found{9, 7, 7, 0});
  CHECK(synapses_of(plan_of(net), {3, 4}, {0, 20}).size() == 2);
  CHECK(synapses_of(plan_of(net), {0, 10}, {0, 19}).size() == 2);
  CHECK(!plan_of(net).is_by_source());
  // One that is sorted by source, its sources' gaps and ends included.
  network::Network sorted({.dt_ms = 0.5, .seed = 1});
  const auto c = sorted.add(plain("c", 10));
  sorted.connect(c, c, network::FromList{{{1, 5, 0.5, 1.0}, {1, 2, 0.5, 1.0}, {4, 0, 0.5, 1.0}, {9, 9, 0.5, 1.0}}});
  const auto by_source = plan_of(sorted);
  CHECK(by_source.is_by_source());
  const std::vector<std::size_t> up_to{0, 0, 2, 2, 2, 3, 3, 3, 3, 3, 4};
  for (std::uint32_t first = 0; first <= 10; ++first)
    for (std::uint32_t end = first; end <= 10; ++end)
      CHECK(synapses_of(by_source, {first, end}, {0, 10}).size() == up_to[end] - up_to[first]);
}

TEST_CASE("synapse_generator: weights and delays of a list are as large as may be") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto to = net.add({.name = "to", .count = 1, .units_per_one = {1e6}, .has_signed_weights = true});
  // The largest decides of the unit, which has a sign here: 500 000 are 16 times 31 250.
  net.connect(to, to, network::FromList{{{0, 0, -0.5, 409.5}, {0, 0, 0.25, 409.5}}});
  const auto plan = plan_of(net);
  CHECK((plan.shift() == 4 && plan.weight(0) == -31250 && plan.weight(1) == 15625));
  CHECK((plan.shortest_delay() == 4095 && plan.longest_delay_of() == 4095));
  net.connect(to, to, network::FromList{});
  const auto none = plan_of(net, 1);
  CHECK((none.shortest_delay() == 1 && none.longest_delay_of() == 1 && none.is_by_source()));
  // One weight for all: 2^30 units.
  network::Network one({.dt_ms = 0.1, .seed = 1});
  const auto cells = one.add({.name = "cells", .count = 1, .units_per_one = {1.0}, .has_signed_weights = true});
  one.connect(cells, cells, network::AllToAll{}, {.weight = 0x1p30});
  one.connect(cells, cells, network::AllToAll{}, {.weight = -0x1p30});
  one.connect(cells, cells, network::AllToAll{}, {.weight = 0x1p30 + 1.0});
  one.connect(cells, cells, network::AllToAll{}, {.weight = -0x1p30 - 1.0});
  CHECK((plan_of(one, 0).weight(0) == 1 << 30 && plan_of(one, 1).weight(0) == -(1 << 30)));
  network::OutcomeTables tables;
  for (const std::uint32_t projection : {2U, 3U})
    CHECK(network::ProjectionPlan::from(one, network::ProjectionId(projection), tables).status().error ==
          neuromorph::Error::weight_out_of_range);
}

TEST_CASE("synapse_generator: what comes by source, and how many there are") {
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto a = net.add(plain("a", 10)), b = net.add(plain("b", 10));
  net.place(a, network::grid({10, 1, 1}));
  const auto plan_for = [&](const network::Connector& connector, bool within = false) {
    network::Network own = net;
    own.connect(a, within ? a : b, connector, {.weight = 0.1});
    const auto plan = plan_of(own);
    return std::tuple(plan.is_by_source(), plan.given_number(), plan.distinct_number());
  };
  using Plan = std::tuple<bool, std::optional<std::uint64_t>, std::optional<double>>;
  CHECK((plan_for(network::AllToAll{}) == Plan{true, 100, 100.0}));
  CHECK((plan_for(network::AllToAll{false}, true) == Plan{true, 90, 90.0}));
  CHECK((plan_for(network::OneToOne{}) == Plan{true, 10, 10.0}));
  CHECK((plan_for(network::Pairwise{0.25}) == Plan{true, {}, 25.0}));
  CHECK((plan_for(network::Pairwise{0.5, false}, true) == Plan{true, {}, 45.0}));
  CHECK((plan_for(network::FixedIndegree{3, true}) == Plan{false, 30, {}}));
  CHECK((plan_for(network::FixedIndegree{3, false}) == Plan{false, 30, 30.0}));
  CHECK((plan_for(network::FixedOutdegree{4, true}) == Plan{true, 40, {}}));
  CHECK((plan_for(network::FixedOutdegree{4, false}) == Plan{true, 40, 40.0}));
  CHECK((plan_for(network::FixedTotal{17, true}) == Plan{true, 17, {}}));
  CHECK((plan_for(network::FixedTotal{17, false}) == Plan{true, 17, 17.0}));
  CHECK((plan_for(network::ByDistance{}, true) == Plan{true, {}, {}}));
  CHECK((plan_for(network::FromList{{{0, 0, 0.1, 1.0}}}) == Plan{true, 1, {}}));
}

TEST_CASE("synapse_generator: degrees of as many partners as there are, at the ends of words of marks") {
  for (const std::uint32_t others : {1U, 63U, 64U, 65U, 128U, 129U})
    for (const std::uint32_t degree : {1U, others / 2, others - 1, others}) {
      INFO(degree << " of " << others);
      for (const Found& one : connected(network::FixedOutdegree{degree, false}, 3, others, 1))
        REQUIRE(one.target < others);
      const auto found = connected(network::FixedOutdegree{degree, false}, 3, others, 1);
      CHECK(found.size() == 3 * degree);
      CHECK(are_distinct(found));
    }
}

TEST_CASE("synapse_generator: weights and delays have their distributions, and know nothing of each other") {
  const network::Synapses drawn{.weight = network::normal(0.5, 0.05).redrawn(0.0, 1.0),
                                .delay_ms = network::normal(1.5, 0.75).redrawn(0.1, 3.0)};
  for (const network::Connector& connector :
       {network::Connector(network::Pairwise{0.3}), network::Connector(network::FixedTotal{60'000}),
        network::Connector(network::FixedIndegree{120, true}), network::Connector(network::FixedIndegree{120}),
        network::Connector(network::AllToAll{})}) {
    network::Network net({.dt_ms = 0.1, .seed = 12});
    const auto a = net.add(plain("a", 400)), b = net.add(plain("b", 500));
    net.connect(a, b, connector, drawn);
    const auto plan = plan_of(net);
    const auto found = synapses_of(plan);
    const auto test = [&](const network::OutcomeTable& table, auto value_of) {
      std::vector<std::uint64_t> counts(static_cast<std::size_t>(table.highest() - table.lowest() + 1));
      for (const Found& one : found) ++counts[static_cast<std::size_t>(value_of(one) - table.lowest())];
      randomness::Classes classes(20);
      for (std::size_t at = 0; at < counts.size(); ++at)
        classes.add(counts[at],
                    static_cast<double>(found.size()) / 4294967296.0 *
                        static_cast<double>(table.words_of(table.lowest() + static_cast<std::int32_t>(at))));
      return classes.chi_square();
    };
    CHECK(is_fine(test(plan.weights(), [](const Found& one) { return one.weight; })));
    CHECK(is_fine(test(plan.delays(), [](const Found& one) { return static_cast<std::int32_t>(one.delay); })));
    // Weight against delay, against target, and against the synapse before it: no correlation beyond 4.5 deviations.
    const auto correlation = [&](auto left, auto right) {
      double l = 0, r = 0, ll = 0, rr = 0, lr = 0;
      const auto count = static_cast<double>(found.size() - 1);
      for (std::size_t at = 1; at < found.size(); ++at) {
        const double x = left(at), y = right(at);
        l += x, r += y, ll += x * x, rr += y * y, lr += x * y;
      }
      return (lr - l * r / count) / std::sqrt((ll - l * l / count) * (rr - r * r / count)) * std::sqrt(count);
    };
    const auto weight = [&](std::size_t at) { return double(found[at].weight); };
    CHECK(std::abs(correlation(weight, [&](std::size_t at) { return double(found[at].delay); })) < 4.5);
    CHECK(std::abs(correlation(weight, [&](std::size_t at) { return double(found[at].target); })) < 4.5);
    CHECK(std::abs(correlation(weight, [&](std::size_t at) { return double(found[at - 1].weight); })) < 4.5);
    CHECK(std::abs(correlation(weight, [&](std::size_t at) { return double(found[at - 1].delay); })) < 4.5);
  }
}

TEST_CASE("synapse_generator: any part of a projection is that part of the whole") {
  for (const std::uint32_t seed : Seeds(60)) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t bound) {
      return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random);
    };
    const bool within = below(2) == 0, self = below(2) == 0, multiple = below(2) == 0;
    const std::uint32_t sources = 2 + below(90), targets = within ? sources : 2 + below(seed % 7 == 1 ? 9000 : 500);
    network::Network net({.dt_ms = 0.1, .seed = seed});
    const auto a = net.add(plain("a", sources));
    const auto b = within ? a : net.add(plain("b", targets));
    net.place(a, network::grid({sources, 1, 1}));
    net.place(b, network::grid({targets, 1, 1}));
    const std::uint64_t pairs = std::uint64_t{sources} * (targets - 1);
    const std::uint32_t indegree = below(sources), outdegree = below(targets);
    std::vector<network::Listed> list;
    for (std::uint32_t at = below(300); at > 0; --at) {
      network::Listed one{.weight = 0.25, .delay_ms = 1.0};
      one.source = below(sources);
      one.target = below(targets);
      list.push_back(one);
    }
    if (multiple) std::sort(list.begin(), list.end(), [](const auto& x, const auto& y) { return x.source < y.source; });
    const double p = 0.001 * below(1001);
    const auto total = std::uniform_int_distribution<std::uint64_t>(0, pairs)(random);
    const std::vector<network::Connector> connectors{
        network::AllToAll{self},
        network::Pairwise{p, self},
        network::FixedIndegree{indegree, multiple, self},
        network::FixedOutdegree{outdegree, multiple, self},
        network::FixedTotal{total, multiple, self},
        network::ByDistance{.probability = p, .profile = network::Profile::exponential, .scale = 30.0, .self = self},
        network::FromList{list}};
    const network::Connector& connector = connectors[seed % connectors.size()];
    const bool is_drawn = below(4) != 0;
    net.connect(a, b, connector,
                {.weight = is_drawn ? network::normal(0.5, 0.1).redrawn(0.0, 1.0) : network::Distribution(0.5),
                 .delay_ms = is_drawn ? network::uniform(0.1, 5.0) : network::Distribution(1.5)});
    const auto plan = plan_of(net);
    auto whole = synapses_of(plan);
    std::vector<Found> together;
    bool is_inside = true;
    const std::uint32_t source_cut = below(sources + 1), first_cut = below(targets + 1);
    const std::uint32_t second_cut = first_cut + below(targets - first_cut + 1);
    for (const network::Range rows : {network::Range{0, source_cut}, network::Range{source_cut, sources}})
      for (const network::Range columns :
           {network::Range{0, first_cut}, network::Range{first_cut, second_cut}, network::Range{second_cut, targets}})
        for (const Found& one : synapses_of(plan, rows, columns)) {
          is_inside = is_inside && rows.has(one.source) && columns.has(one.target);
          together.push_back(one);
        }
    std::sort(whole.begin(), whole.end());
    std::sort(together.begin(), together.end());
    INFO("seed " << seed << ", connector " << connector.index());
    REQUIRE(is_inside);
    REQUIRE((whole == together)); // in brackets: none is printed
  }
}

TEST_CASE("synapse_generator: other seeds and other projections have other synapses") {
  const auto first = connected(network::Pairwise{0.5}, 30, 30, 1),
             second = connected(network::Pairwise{0.5}, 30, 30, 2);
  CHECK(first != second);
  network::Network net({.dt_ms = 0.1, .seed = 1});
  const auto a = net.add(plain("a", 100)), b = net.add(plain("b", 100));
  for (int n = 0; n < 2; ++n) net.connect(a, b, network::Pairwise{0.5});
  const auto one = synapses_of(plan_of(net, 0)), other = synapses_of(plan_of(net, 1));
  std::vector<Found> both;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(both));
  CHECK(std::abs(static_cast<double>(both.size()) - 2500.0) < 4.5 * std::sqrt(10'000 * 0.25 * 0.75));
}
