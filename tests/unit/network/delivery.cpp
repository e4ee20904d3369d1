// SPDX-License-Identifier: BSL-1.0
// Spikes on their way against sums of 64 bits of a list of all synapses, where step numbers wrap and elsewhere.
#include <neuromorph/network/delivery.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/network/build.hpp>
#include <tests/support/catch.hpp>
#include <tests/support/networks.hpp>
#include <tests/support/sanitized.hpp>
#include <tests/support/seeds.hpp>

namespace {

using namespace networks;
using network::Delivery;
using network::PartDelivery;
using network::PopulationId;

/// Which of a population fired in a step, ascending; some more than once.
using Fired = std::vector<std::vector<std::uint32_t>>;

/// Numbers of neurons, and synapses of all layouts, receptors, widths and delays between them.
class RandomSynapses {
public:
  explicit RandomSynapses(std::uint32_t seed) : random_(seed), net_({.dt_ms = 1.0, .seed = seed}) {
    const std::uint32_t populations = 1 + below(3);
    (void)net_.add_source("source", count());
    for (std::uint32_t at = 0; at < populations; ++at) {
      network::Population one{.name = "cells", .count = count()};
      const std::uint32_t kind = below(4) % 3; // of 16 bits, of 32, of 32 with a sign
      if (kind == 0) one.input_bits = 16;
      one.has_signed_weights = kind == 2;
      one.units_per_one.assign(kind == 2 ? 1 : 1 + below(2), kind == 0 ? 65535.0 : 1e6);
      (void)net_.add(one);
    }
    const std::uint32_t longest = std::array{1U, 2U, 16U, 17U, 33U, 64U, 100U, 150U, 4095U}[below(9)];
    const std::uint32_t least = below(2) == 0 ? 1 : 1 + below(longest);
    for (std::uint32_t left = 1 + below(6); left > 0; --left) connect(least, longest, populations);
  }
  [[nodiscard]] const network::Network& net() const { return net_; }

  [[nodiscard]] std::uint32_t below(std::uint32_t bound) {
    return std::uniform_int_distribution<std::uint32_t>(0, bound - 1)(random_);
  }
  /// Silence, a few, or all of a population; a few of them twice or thrice.
  [[nodiscard]] Fired fired() {
    Fired all;
    for (const network::Population& one : net_.populations()) {
      auto& own = all.emplace_back();
      const std::uint32_t share = std::array{0U, 0U, 1U, 3U, 100U}[below(5)];
      for (std::uint32_t neuron = 0; neuron < one.count; ++neuron)
        if (below(100) < share) own.insert(own.end(), below(20) == 0 ? 2 + below(2) : 1, neuron);
    }
    return all;
  }

private:
  [[nodiscard]] std::uint32_t count() { return std::array{1U, 3U, 63U, 64U, 65U, 150U, 530U}[below(7)]; }
  void connect(std::uint32_t least, std::uint32_t longest, std::uint32_t populations) {
    const PopulationId from{below(populations + 1)}, to{1 + below(populations)};
    const network::Population &source = net_[from], &target = net_[to];
    network::Synapses synapses{.receptor = below(static_cast<std::uint32_t>(target.units_per_one.size()))};
    const double sign = target.has_signed_weights && below(2) == 0 ? -1.0 : 1.0;
    switch (below(4)) {
    case 0: synapses.weight = network::uniform(0.01, 0.2); break;
    case 1:
      synapses.weight = target.has_signed_weights ? network::uniform(-0.1, 0.2) : network::uniform(0.01, 2.0);
      break;
    case 2: synapses.weight = sign * (below(3) == 0 ? 1.2 : 1.0); break; // of 16 bits, more than there are, or all
    default: synapses.weight = sign * 0.0002 * (1 + below(50));
    }
    if (below(2) == 0 && longest != least)
      synapses.delay_ms = network::uniform(least, longest);
    else
      synapses.delay_ms = below(2) == 0 ? least : longest;
    if (below(3) == 0 && source.count * target.count < 40'000)
      net_.connect(from, to, network::AllToAll{}, synapses);
    else if (below(2) == 0)
      net_.connect(from, to, network::Pairwise{0.1}, synapses);
    else
      net_.connect(from, to, network::FixedTotal{below(3000)}, synapses);
  }

  std::mt19937 random_;
  network::Network net_;
};

/// What of a part arrives when, in a list of synapses.
class Plain {
public:
  struct Arrived {
    std::vector<std::array<std::int64_t, 2>> sums; // [number in the part][receptor]
    std::uint64_t events = 0, held = 0;
  };

  Plain(const network::Network& net, const network::Parts& parts, std::uint32_t part)
      : net_(&net), parts_(&parts), part_(part) {
    for (const network::Population& one : net.populations()) of_.emplace_back(one.count);
    for (std::uint32_t at = 0; at < net.projections().size(); ++at) {
      const network::Projection& projection = net.projections()[at];
      const auto to = std::uint32_t(projection.target);
      const auto plan = plan_of(net, at);
      for (const Found& one : synapses_of(plan))
        if (one.target >= parts.first(to, part) && one.target < parts.first(to, part + 1))
          of_[std::uint32_t(projection.source)][one.source].push_back(
              {parts.base(part, to) + one.target - parts.first(to, part), plan.receptor(), one.delay,
               one.weight * (std::int64_t{1} << plan.shift())});
    }
  }
  void take(const Fired& fired, std::uint64_t step) {
    for (std::size_t at = 0; at < fired.size(); ++at)
      for (const std::uint32_t source : fired[at])
        for (const Synapse& one : of_[at][source]) due_[step + one.delay].push_back(one);
  }
  [[nodiscard]] Arrived arrived(std::uint64_t step) {
    Arrived made{.sums = std::vector<std::array<std::int64_t, 2>>(parts_->neurons(part_))};
    for (const Synapse& one : due_[step]) made.sums[one.target][one.receptor] += one.weight, ++made.events;
    due_.erase(step);
    for (std::uint32_t number = 0; number < made.sums.size(); ++number)
      for (std::int64_t& sum : made.sums[number])
        if (sum > 0xFFFF && is_narrow(number)) sum = 0xFFFF, ++made.held;
    return made;
  }
  [[nodiscard]] bool is_narrow(std::uint32_t number) const {
    return net_->populations()[parts_->neuron(part_, number).population].input_bits == 16;
  }

private:
  struct Synapse {
    std::uint32_t target, receptor, delay;
    std::int64_t weight;
  };
  const network::Network* net_;
  const network::Parts* parts_;
  std::uint32_t part_;
  std::vector<std::vector<std::vector<Synapse>>> of_{}; // [population][source]
  std::map<std::uint64_t, std::vector<Synapse>> due_{};
};

network::Rows rows_of(const network::Network& net, std::uint32_t parts, double bits_from) {
  auto made = network::build(net, {.threads = 1, .parts = parts, .bits_from = bits_from});
  INFO(made.sentence());
  REQUIRE(made.ok());
  return std::move(made).value();
}
PartDelivery::Shape shape_of(const network::Network& net, const network::Rows& rows, std::uint32_t part) {
  PartDelivery::Shape shape{.neurons = rows.parts.neurons(part), .sets = static_cast<std::uint32_t>(rows.sets.size())};
  for (const network::Population& one : net.populations()) {
    if (one.units_per_one.empty()) continue;
    shape.receptors = std::max(shape.receptors, static_cast<std::uint32_t>(one.units_per_one.size()));
    (one.input_bits == 16 ? shape.has_narrow : shape.has_wide) = true;
  }
  for (const network::RowSet& set : rows.sets) shape.longest_delay = std::max(shape.longest_delay, set.longest_delay);
  return shape;
}
/// The first neuron and receptor whose sums are not those; all are zero then, as neurons leave them.
std::string difference(const PartDelivery::Shape& shape, const network::StepInput& input, const Plain& plain,
                       const Plain::Arrived& expected) {
  std::string found;
  for (std::uint32_t number = 0; number < shape.neurons; ++number)
    for (std::uint32_t receptor = 0; receptor < shape.receptors; ++receptor) {
      const std::size_t at = receptor * input.stride + number;
      const std::int64_t narrow = input.narrow != nullptr ? input.narrow[at] : 0;
      const std::int64_t wide = input.wide != nullptr ? input.wide[at] : 0;
      if (input.narrow != nullptr) input.narrow[at] = 0;
      if (input.wide != nullptr) input.wide[at] = 0;
      const std::int64_t sum = expected.sums[number][receptor];
      const bool is_narrow = plain.is_narrow(number);
      if ((narrow != (is_narrow ? sum : 0) || wide != (is_narrow ? 0 : sum)) && found.empty())
        found = "number " + std::to_string(number) + ", receptor " + std::to_string(receptor) + ": " +
                std::to_string(narrow) + " and " + std::to_string(wide) + " for " + std::to_string(sum);
    }
  return found;
}

/// What came by, of all runs.
struct Seen {
  std::uint64_t held = 0, events = 0, wrapped = 0;
  std::array<std::array<std::uint64_t, 2>, 3> sets{}; ///< arrivals by layout, and whether they are of 16 bits
};

/// A network's spikes from a step on, taken and delivered as a part does.
void run(std::uint32_t seed, std::uint32_t begin, Delivery delivery, Seen& seen) {
  RandomSynapses drawn(seed);
  const network::Network& net = drawn.net();
  const std::uint32_t parts = 1 + drawn.below(2), part = drawn.below(parts);
  const network::Rows rows = rows_of(net, parts, drawn.below(2) == 0 ? 0.0 : 0.0625);
  for (const network::RowSet& set : rows.sets)
    for (const network::Arrival& arrival : set.arrivals) ++seen.sets[std::size_t(set.layout)][arrival.input_bits == 16];
  PartDelivery::Shape shape = shape_of(net, rows, part);
  const std::uint32_t interval = std::min(rows.shortest_delay(), 1 + drawn.below(64));
  shape.steps_at_once = 1 + drawn.below(interval);
  PartDelivery tested(shape, delivery);
  CHECK((delivery == Delivery::chosen || tested.is_ring() == (delivery == Delivery::at_once)));
  Plain plain(net, rows.parts, part);

  std::vector<std::pair<std::uint64_t, Fired>> last; // of the last interval
  network::DeliveryCounts counts;
  // Numbers of the plain model do not wrap.
  const std::uint64_t end = std::uint64_t{begin} + 60 + shape.longest_delay + interval;
  for (std::uint64_t step = begin; step < end;) {
    // Spikes of an interval arrive after its end, so they are taken there.
    for (const auto& [fired_in, fired] : last) {
      for (std::uint32_t number = 0; number < rows.sets.size(); ++number) {
        const network::RowSet& set = rows.sets[number];
        tested.take(set, number, part, fired[set.population], static_cast<std::uint32_t>(fired_in));
      }
      plain.take(fired, fired_in);
    }
    last.clear();
    for (std::uint32_t done = 0; done < interval;) {
      const std::uint32_t now = std::min(interval - done, shape.steps_at_once);
      for (std::uint32_t at = 0; at < now; ++at) tested.deliver(static_cast<std::uint32_t>(step + at));
      for (std::uint32_t at = 0; at < now; ++at, ++step) {
        const auto number = static_cast<std::uint32_t>(step);
        const auto arrived = plain.arrived(step);
        const std::string differs = difference(shape, tested.input(number), plain, arrived);
        INFO("seed " << seed << ", delivery " << int(delivery) << ", from step " << begin << ": step " << step);
        REQUIRE(differs == "");
        const network::DeliveryCounts before = counts;
        tested.close(number, counts);
        REQUIRE(counts.events - before.events == arrived.events);
        REQUIRE(counts.held - before.held == arrived.held);
        if (step - begin < 60 || step + shape.longest_delay - 0x1'0000'0000 < 60)
          last.emplace_back(step, drawn.fired());
        if (step > 0xFFFF'FFFF) seen.wrapped += arrived.events;
      }
      done += now;
    }
  }
  seen.held += counts.held, seen.events += counts.events;
}

} // namespace

TEST_CASE("delivery: both ways have the sums of a list of synapses, where step numbers wrap, too") {
  Seen seen;
  std::uint32_t runs = 0;
  for (const std::uint32_t seed : Seeds(mutated ? 25 : sanitized ? 20 : 100)) {
    // So that some wrap with all that is under way, and others do in between.
    const std::uint32_t before = std::array{1U, 20U, 60U, 100U, 4000U, 0x8000'0000U}[++runs % 6];
    for (const Delivery delivery : {Delivery::at_once, Delivery::when_due}) run(seed, 0U - before, delivery, seen);
  }
  CHECK(seen.held > 100 * runs);
  CHECK(seen.events > 10'000 * runs);
  CHECK(seen.wrapped > 1'000 * runs);
  for (const auto& of_layout : seen.sets)
    for (const std::uint64_t sets : of_layout) CHECK(sets > runs / 8);
}

TEST_CASE("delivery: a ring is chosen where it stays in the cache") {
  const auto is_ring = [](PartDelivery::Shape shape) { return PartDelivery(shape, Delivery::chosen).is_ring(); };
  static_assert(PartDelivery::ring_bytes == 512 * 1024);
  // Slots are a power of two: 64 of 1024 neurons, two receptors and four bytes are half a mebibyte.
  CHECK(is_ring({.neurons = 1024, .receptors = 2, .has_wide = true, .longest_delay = 64}));
  CHECK(is_ring({.neurons = 1024, .receptors = 2, .has_wide = true, .longest_delay = 33}));
  CHECK_FALSE(is_ring({.neurons = 1024, .receptors = 2, .has_wide = true, .longest_delay = 65}));
  CHECK_FALSE(is_ring({.neurons = 1088, .receptors = 2, .has_wide = true, .longest_delay = 64}));
  CHECK_FALSE(is_ring({.neurons = 1024, .receptors = 3, .has_wide = true, .longest_delay = 64}));
  CHECK(is_ring({.neurons = 2048, .receptors = 2, .has_narrow = true, .longest_delay = 64}));
  CHECK_FALSE(is_ring({.neurons = 2112, .receptors = 2, .has_narrow = true, .longest_delay = 64}));
  CHECK(is_ring({.neurons = 640, .receptors = 2, .has_narrow = true, .has_wide = true, .longest_delay = 64}));
  CHECK_FALSE(is_ring({.neurons = 704, .receptors = 2, .has_narrow = true, .has_wide = true, .longest_delay = 64}));
  // Of short runs a ring takes less, also one that is in no near cache.
  const PartDelivery::Shape large{.neurons = 65536, .receptors = 2, .has_wide = true, .longest_delay = 64};
  for (const auto& [run_length, is_short] : {std::pair{7.9, true}, std::pair{8.0, false}}) {
    PartDelivery::Shape shape = large;
    shape.run_length = run_length;
    CHECK(is_ring(shape) == is_short);
    shape.longest_delay = 65;
    CHECK_FALSE(is_ring(shape));
    shape.neurons = 1024, shape.longest_delay = 64;
    CHECK(is_ring(shape));
  }
}

TEST_CASE("delivery: memory is that of sums, as many slots as steps are open, and of what waits") {
  PartDelivery::Shape shape{
      .neurons = 1024, .receptors = 2, .has_narrow = true, .has_wide = true, .steps_at_once = 3, .longest_delay = 17};
  CHECK(PartDelivery(shape, Delivery::at_once).bytes() == 32 * 1024 * 2 * (2 + 4));
  CHECK(PartDelivery(shape, Delivery::when_due).bytes() == 4 * 1024 * 2 * (2 + 4));
  shape.has_wide = false;
  CHECK(PartDelivery(shape, Delivery::at_once).bytes() == 32 * 1024 * 2 * 2);
}
