// SPDX-License-Identifier: BSL-1.0
/// \file
/// The synapses of a network at rest: rows by source, cut into runs by delay, in parts that own their target neurons.
///
/// Part k of n has of each population the k-th of n shares of its groups of 64 neurons, numbered through, at most 65536
/// together. A row has the synapses of a source into one part, of all projections of the source's population that share a
/// layout. It has runs, each of synapses that arrive in the same step in the same way. All is in halves of a word.
// host-only
#ifndef NEUROMORPH_NETWORK_ROWS_HPP
#define NEUROMORPH_NETWORK_ROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/network/connectors.hpp>
#include <neuromorph/network/detail/pages.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/plasticity.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// How rows are kept. A run begins with two halves: the number of its synapses less one; its delay in steps times 16, and its
/// arrival. Then come
enum class Layout : std::uint8_t {
  individual, ///< a target and its weight for each synapse: 4 bytes
  one_weight, ///< a target for each: 2 bytes; the weight is the arrival's
  bits,       ///< no runs: a bit for each number of the part, of one delay and one arrival; rows are whole lines of 512
  plastic ///< a PlasticRow, whose words have a target in their lower half and a weight: 8 bytes mostly, and 8 or more a run
};
inline constexpr std::uint32_t neurons_of_line = 512;

/// What a run's synapses have in common besides the delay.
struct Arrival {
  std::uint32_t receptor = 0;
  unsigned input_bits = 32; ///< of the sums to which the weights are added
  bool is_signed = false;   ///< weights in a row are std::int16_t, else std::uint16_t
  unsigned shift = 0;       ///< a weight is times 2^shift in the units of the targets
  std::int32_t weight = 0;  ///< of Layout::one_weight: of all
  friend constexpr bool operator==(const Arrival&, const Arrival&) noexcept = default;
};
inline constexpr std::size_t most_arrivals = 16, most_in_run = 65536, neurons_of_part = 65536;

/// What the synapses of Layout::plastic learn by.
struct Plasticity {
  std::shared_ptr<const PlasticityRule> rule = {};
  PlasticRange range = {}; ///< in units of the rows
  bool is_signed = false;
  PlasticWords words = {};
  friend bool operator==(const Plasticity& a, const Plasticity& b) noexcept {
    return a.rule == b.rule && a.is_signed == b.is_signed && a.range.lowest == b.range.lowest &&
           a.range.highest == b.range.highest;
  }
};

/// Neurons that draw their input together, and lie together in memory: a population is split between groups alone.
inline constexpr std::uint32_t neurons_of_group = 64;

/// Which neurons a part has.
class Parts {
public:
  Parts() = default;
  /// \pre parts is at least 1
  Parts(const std::vector<Population>& populations, std::uint32_t parts) : parts_(parts) {
    bases_.assign(parts + std::size_t{1}, {});
    for (const Population& population : populations) counts_.push_back(population.count);
    for (std::uint32_t part = 0; part < parts; ++part) {
      std::uint32_t base = 0;
      for (std::uint32_t population = 0; population < counts_.size(); ++population) {
        bases_[part].push_back(base);
        if (!populations[population].units_per_one.empty()) // of a source there is nothing to reach
          base += groups(first(population, part + 1) - first(population, part)) * neurons_of_group;
      }
      bases_[part].push_back(base);
    }
  }

  [[nodiscard]] std::uint32_t count() const noexcept { return parts_; }
  /// The first neuron of a population that is in the part; of the part after the last, its number of neurons.
  [[nodiscard]] std::uint32_t first(std::uint32_t population, std::uint32_t part) const noexcept {
    const std::uint64_t group = std::uint64_t{groups(counts_[population])} * part / parts_;
    return (std::min)(static_cast<std::uint32_t>(group) * neurons_of_group, counts_[population]);
  }
  [[nodiscard]] std::uint32_t part_of(std::uint32_t population, std::uint32_t neuron) const noexcept {
    const std::uint64_t group = neuron / neurons_of_group;
    return static_cast<std::uint32_t>(((group + 1) * parts_ - 1) / groups(counts_[population]));
  }
  /// The number in its part of a population's first neuron there, a multiple of 64; of the population after the last, how
  /// many numbers there are.
  [[nodiscard]] std::uint32_t base(std::uint32_t part, std::uint32_t population) const noexcept {
    return bases_[part][population];
  }
  [[nodiscard]] std::uint32_t neurons(std::uint32_t part) const noexcept { return bases_[part].back(); }
  /// A neuron by its number in a part.
  struct Neuron {
    std::uint32_t population, neuron;
  };
  [[nodiscard]] Neuron neuron(std::uint32_t part, std::uint32_t number) const noexcept {
    const auto& bases = bases_[part];
    const auto after = std::upper_bound(bases.begin(), bases.end(), number);
    const auto population = static_cast<std::uint32_t>(after - bases.begin() - 1);
    return {population, first(population, part) + number - bases[population]};
  }
  friend bool operator==(const Parts&, const Parts&) = default;

private:
  [[nodiscard]] static constexpr std::uint32_t groups(std::uint32_t neurons) noexcept {
    return (neurons + neurons_of_group - 1) / neurons_of_group;
  }

  std::uint32_t parts_ = 1;
  std::vector<std::uint32_t> counts_;
  std::vector<std::vector<std::uint32_t>> bases_; // [part][population]
};

/// A synapse of a row, as its target takes it.
struct ArrivingSynapse {
  std::uint32_t target; ///< its number in the part
  std::uint32_t delay;  ///< in steps
  std::uint32_t receptor;
  std::int64_t weight; ///< in units of the target
};

/// The rows of a source population that have one layout.
class RowSet {
public:
  /// Rows of some sources in one part.
  struct Block {
    std::vector<std::uint32_t> first = {}; // [rows + 1], in halves
    detail::Pages<std::uint16_t> halves = {};
  };

  std::uint32_t population = 0; ///< of the sources
  Layout layout = Layout::individual;
  std::vector<Arrival> arrivals = {}; ///< [up to 16]
  std::uint32_t shortest_delay = 1, longest_delay = 1;
  std::uint32_t rows_of_block = 1; ///< sources of each but the last
  Range parts = {0, 1};            ///< that are here
  std::vector<Block> blocks = {};  ///< [block of sources][part that is here]
  Plasticity plasticity = {};      ///< of Layout::plastic

  [[nodiscard]] std::span<const std::uint16_t> row(std::uint32_t source, std::uint32_t part) const noexcept {
    const Block& block = blocks[place(source / rows_of_block, part)];
    const std::uint32_t at = source % rows_of_block;
    return {block.halves.data() + block.first[at], block.first[at + 1] - block.first[at]};
  }
  /// Says that `row` will be asked for it.
  void announce(std::uint32_t source, std::uint32_t part) const noexcept {
    __builtin_prefetch(blocks[place(source / rows_of_block, part)].first.data() + source % rows_of_block);
  }
  /// Where a block is in `blocks`.
  [[nodiscard]] std::size_t place(std::uint32_t block, std::uint32_t part) const noexcept {
    return std::size_t{block} * (parts.end - parts.first) + (part - parts.first);
  }
  /// Calls `visit(ArrivingSynapse)` for each synapse of a row.
  template <class Visit>
  void each(std::span<const std::uint16_t> row, Visit visit) const {
    if (layout == Layout::bits) {
      for (std::uint32_t target = 0; target < 16 * row.size(); ++target)
        if ((row[target / 16] >> target % 16 & 1) != 0)
          visit(ArrivingSynapse{target, shortest_delay, arrivals[0].receptor, arrivals[0].weight});
      return;
    }
    if (layout == Layout::plastic) {
      each_run(row, [&](std::span<const std::uint16_t> run) {
        const Arrival& arrival = arrivals[run[1] & 15];
        const std::size_t synapses = std::size_t{run[0]} + 1;
        for (std::size_t at = 0; at < synapses; ++at) {
          std::uint32_t word;
          std::memcpy(&word, run.data() + 2 + 2 * (plasticity.words.header + at), sizeof word);
          const auto half = static_cast<std::uint16_t>(word >> 16);
          visit(ArrivingSynapse{word & 0xFFFF, std::uint32_t{run[1]} >> 4, arrival.receptor, weight(arrival, half)});
        }
      });
      return;
    }
    const std::size_t width = layout == Layout::individual ? 2 : 1;
    for (std::size_t at = 0; at < row.size();) {
      const std::size_t synapses = std::size_t{row[at]} + 1;
      const std::uint32_t delay = row[at + 1] >> 4;
      const Arrival& arrival = arrivals[row[at + 1] & 15];
      at += 2;
      for (std::size_t end = at + synapses * width; at < end; at += width)
        visit(ArrivingSynapse{row[at], delay, arrival.receptor,
                              weight(arrival, width == 2 ? row[at + 1] : std::uint16_t{0})});
    }
  }
  /// Halves of a run, with its header.
  [[nodiscard, gnu::always_inline]] std::size_t halves_of_run(std::size_t synapses) const noexcept {
    switch (layout) {
    case Layout::individual: return 2 + 2 * synapses;
    case Layout::plastic: return 2 + 2 * (plasticity.words.header + plasticity.words.of_synapse * synapses);
    default: return 2 + synapses;
    }
  }
  /// Calls `visit(run)` for each run of a row.
  /// \pre layout is not bits
  template <class Halves, class Visit>
  void each_run(std::span<Halves> row, Visit visit) const {
    while (!row.empty()) {
      const std::size_t halves = halves_of_run(std::size_t{row[0]} + 1);
      visit(row.first(halves));
      row = row.subspan(halves);
    }
  }
  /// The words of a run of Layout::plastic that change.
  [[nodiscard]] static std::span<std::uint32_t> words_of(std::span<std::uint16_t> run) noexcept {
    return {reinterpret_cast<std::uint32_t*>(run.data() + 2), run.size() / 2 - 1};
  }
  /// A row of Layout::plastic, for who owns the part.
  [[nodiscard]] std::span<std::uint16_t> row_to_change(std::uint32_t source, std::uint32_t part) noexcept {
    const std::span<const std::uint16_t> same = row(source, part);
    return {const_cast<std::uint16_t*>(same.data()), same.size()};
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (const Block& block : blocks)
      sum += sizeof(Block) + block.first.size() * sizeof(std::uint32_t) +
             (block.first.empty() ? 0 : block.first.back() * sizeof(std::uint16_t));
    return sum;
  }

private:
  [[nodiscard]] std::int64_t weight(const Arrival& arrival, std::uint16_t half) const noexcept {
    if (layout == Layout::one_weight) return arrival.weight;
    const std::int64_t weight = arrival.is_signed ? static_cast<std::int16_t>(half) : static_cast<std::int32_t>(half);
    return weight * (std::int64_t{1} << arrival.shift);
  }
};

/// All synapses of a network that go into some of its parts.
struct Rows {
  Parts parts;                    ///< all of them
  Range own = {0, parts.count()}; ///< the parts whose rows are here
  std::vector<RowSet> sets = {};
  std::vector<std::uint64_t> synapses = {}; ///< [projections] how many of each are here

  [[nodiscard]] std::uint64_t total() const noexcept {
    std::uint64_t sum = 0;
    for (const std::uint64_t one : synapses) sum += one;
    return sum;
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (const RowSet& set : sets) sum += set.bytes();
    return sum;
  }
  [[nodiscard]] std::uint32_t shortest_delay() const noexcept {
    std::uint32_t shortest = 0xFFFF;
    for (const RowSet& set : sets) shortest = (std::min)(shortest, set.shortest_delay);
    return shortest;
  }
  /// How many synapses a run of a part has in the mean, by about 64 rows of each set that is not of
  /// bits or plastic. 65536, the most that a run can have, where there is none.
  [[nodiscard]] double run_length(std::uint32_t part) const {
    double weighted = 0.0, runs = 0.0; // as if all rows had been read
    for (const RowSet& set : sets) {
      if (set.layout == Layout::bits || set.layout == Layout::plastic) continue;
      const std::uint32_t sources = sources_of(set), every = (std::max)(1U, sources / 64);
      for (std::uint32_t source = 0; source < sources; source += every)
        set.each_run(set.row(source, part),
                     [&](std::span<const std::uint16_t> run) { weighted += (run[0] + 1.0) * every, runs += every; });
    }
    return runs == 0.0 ? 65536.0 : weighted / runs;
  }
  /// A digest of the synapses in which neither order nor parts nor layouts show: the sum of a hash of each, of its source and
  /// target, receptor, weight in units of the target, and delay. Those of all ranks have the sum as theirs.
  [[nodiscard]] std::uint64_t digest() const {
    std::uint64_t sum = 0;
    for (const RowSet& set : sets)
      for (std::uint32_t part = own.first; part < own.end; ++part)
        for (std::uint32_t source = 0; source < sources_of(set); ++source)
          set.each(set.row(source, part), [&](const ArrivingSynapse& one) {
            const Parts::Neuron target = parts.neuron(part, one.target);
            sum += hash(set.population, source, target.population, target.neuron, one.receptor, one.weight, one.delay);
          });
    return sum;
  }
  [[nodiscard]] std::uint32_t sources_of(const RowSet& set) const noexcept {
    return parts.first(set.population, parts.count());
  }
  [[nodiscard]] static constexpr std::uint64_t hash(std::uint32_t source_population, std::uint32_t source,
                                                    std::uint32_t target_population, std::uint32_t target,
                                                    std::uint32_t receptor, std::int64_t weight,
                                                    std::uint32_t delay) noexcept {
    std::uint64_t value = 0;
    for (const std::uint64_t one :
         {std::uint64_t{source_population} << 32 | source, std::uint64_t{target_population} << 32 | target,
          static_cast<std::uint64_t>(weight), std::uint64_t{receptor} << 32 | delay}) {
      value = (value ^ one) * 0x9E37'79B9'7F4A'7C15U;
      value ^= value >> 29;
      value *= 0xBF58'476D'1CE4'E5B9U;
      value ^= value >> 32;
    }
    return value;
  }
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
