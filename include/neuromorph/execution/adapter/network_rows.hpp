// SPDX-License-Identifier: BSL-1.0
/// \file
/// The synapses of a network, by slices of their targets: drawn once on threads, then written into the regions of cores.
///
/// A piece has the synapses of one projection from some sources into one slice, in the order of their sources. Which synapses there are
/// depends on the network alone, as with network::build.
// host-only
#ifndef NEUROMORPH_EXECUTION_ADAPTER_NETWORK_ROWS_HPP
#define NEUROMORPH_EXECUTION_ADAPTER_NETWORK_ROWS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/execution/adapter/network_vertices.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/parallel.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/network/connectors.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/projection_plan.hpp>
#include <neuromorph/network/synapse_generator.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace execution {

class NetworkRows {
public:
  using Bytes = std::vector<std::uint8_t>;

  NetworkRows() = default;
  /// \param net          outlives this
  /// \param lengths      [population] neurons of a slice, of all but the last one
  /// \param target_bits  [population] of a synapse's word, for its target in the slice
  /// \errors parameter_out_of_range: more than 65 535 synapses of a projection between two slices, which a half does not number
  [[nodiscard]] static Answer<NetworkRows> make(const network::Network& net,
                                                const std::vector<network::ProjectionPlan>& plans,
                                                std::span<const std::uint32_t> lengths,
                                                std::span<const std::uint32_t> target_bits, unsigned threads) {
    NetworkRows made;
    made.lengths_.assign(lengths.begin(), lengths.end());
    for (std::size_t at = 0; at < lengths.size(); ++at)
      made.slices_.push_back((net.populations()[at].count + lengths[at] - 1) / lengths[at]);
    for (const std::uint32_t one : made.slices_) made.taken_.emplace_back(one);
    struct Task {
      std::size_t projection, chunk;
      network::Range targets;
    };
    std::vector<Task> tasks;
    for (const network::ProjectionPlan& plan : plans) {
      const network::Projection& given = net[plan.id()];
      Projection& of = made.projections_.emplace_back();
      of.source = std::uint32_t(given.source), of.target = std::uint32_t(given.target);
      of.sources = plan.sources();
      of.weight = plan.has_one_weight() ? plan.weight(0) : 0;
      of.kind = IncomingSlice::kind_of(plan.receptor(), plan.has_one_weight() ? 0 : plan.shift()) |
                (plan.is_signed() ? IncomingSlice::signed_flag : 0) |
                (plan.has_one_weight() ? IncomingSlice::one_weight_flag : 0);
      const std::uint32_t slices = made.slices_[of.target], length = lengths[of.source];
      // Of those that come by source many sources are a task, in whole slices; of others a slice of targets.
      const auto pieces = static_cast<std::uint32_t>((std::min)(number_of(plan) / 1e6 + 1.0, 64.0));
      of.chunk = plan.is_by_source() ? ((of.sources + pieces - 1) / pieces + length - 1) / length * length : of.sources;
      of.chunk = (std::max)(of.chunk, 1U);
      const std::size_t chunks = (of.sources + of.chunk - 1) / of.chunk;
      of.pieces.resize(chunks * slices);
      for (std::size_t chunk = 0; chunk < chunks; ++chunk)
        if (plan.is_by_source())
          tasks.push_back({made.projections_.size() - 1, chunk, {0, plan.targets()}});
        else
          for (std::uint32_t slice = 0; slice < slices; ++slice)
            tasks.push_back(
                {made.projections_.size() - 1,
                 chunk,
                 {slice * lengths[of.target], (std::min)((slice + 1) * lengths[of.target], plan.targets())}});
    }
    host::in_parallel(threads, tasks.size(), [&](std::size_t at, unsigned) {
      const Task& task = tasks[at];
      made.draw(plans[task.projection], made.projections_[task.projection], task.chunk, task.targets,
                target_bits[made.projections_[task.projection].target]);
    });
    for (std::size_t at = 0; at < made.projections_.size(); ++at)
      if (const std::uint64_t most = made.longest_slice(made.projections_[at]); most > 65535)
        return Refusal{{Error::parameter_out_of_range, static_cast<std::uint32_t>(at), most, "synapses"},
                       net.name(network::ProjectionId(static_cast<std::uint32_t>(at))),
                       "two slices have " + std::to_string(most) +
                           " synapses, and 65535 are the most: fewer neurons on a core make them fewer"};
    return made;
  }

  [[nodiscard]] std::uint64_t synapses() const noexcept {
    std::uint64_t sum = 0;
    for (const Projection& of : projections_)
      for (const Piece& piece : of.pieces) sum += piece.words.size();
    return sum;
  }
  /// Whether any neuron of one slice has a synapse with one of another.
  [[nodiscard]] bool are_connected(std::uint32_t source, std::uint32_t from, std::uint32_t target,
                                   std::uint32_t to) const noexcept {
    for (const Projection& of : projections_) {
      if (of.source != source || of.target != target) continue;
      const std::uint32_t first = from * lengths_[source], count = (std::min)(lengths_[source], of.sources - first);
      const Piece& piece = of.pieces[first / of.chunk * slices_[target] + to];
      if (number_of(piece, first % of.chunk, count) != 0) return true;
    }
    return false;
  }
  /// Of the regions of incoming slices, starts of rows and synapses of a slice.
  [[nodiscard]] std::uint64_t bytes_into(std::uint32_t target, std::uint32_t slice) const {
    std::uint64_t sum = 64;
    each_incoming(target, slice,
                  [&](const Projection&, std::uint32_t, std::span<const std::uint16_t> counts,
                      std::span<const std::uint32_t> words) {
                    sum += sizeof(IncomingSlice) + 2 * counts.size() + 4 * words.size();
                  });
    return sum;
  }
  /// Whether the synapses of a slice have gone into its regions.
  [[nodiscard]] bool are_taken(std::uint32_t target, std::uint32_t slice) const noexcept {
    return taken_[target][slice] != 0;
  }
  /// Appends these regions, once: the synapses are not here any more. For different slices from different threads.
  /// \param keys_of  keys_of(source population, number of its slice): a mapping::KeyMask
  template <class KeysOf>
  void take_into(std::uint32_t target, std::uint32_t slice, KeysOf keys_of, std::vector<Bytes>& to) {
    std::vector<IncomingSlice> incoming;
    std::vector<std::uint16_t> starts;
    std::vector<std::uint32_t> synapses;
    std::size_t all_starts = 0, all_synapses = 0;
    each_incoming(
        target, slice,
        [&](const Projection&, std::uint32_t, std::span<const std::uint16_t> counts,
            std::span<const std::uint32_t> words) { all_starts += counts.size(), all_synapses += words.size(); });
    starts.reserve(all_starts), synapses.reserve(all_synapses);
    each_incoming(target, slice,
                  [&](const Projection& of, std::uint32_t from, std::span<const std::uint16_t> counts,
                      std::span<const std::uint32_t> words) {
                    const mapping::KeyMask keys = keys_of(of.source, from);
                    incoming.push_back({.key = keys.key,
                                        .mask = keys.mask,
                                        .first = static_cast<std::uint32_t>(synapses.size()),
                                        .words = static_cast<std::uint32_t>(words.size()),
                                        .row = static_cast<std::uint32_t>(starts.size()),
                                        .rows = static_cast<std::uint32_t>(counts.size()),
                                        .weight = of.weight,
                                        .kind = of.kind});
                    std::uint32_t start = 0;
                    for (const std::uint16_t one : counts)
                      starts.push_back(static_cast<std::uint16_t>(start)), start += one;
                    synapses.insert(synapses.end(), words.begin(), words.end());
                  });
    std::stable_sort(incoming.begin(), incoming.end(),
                     [](const IncomingSlice& one, const IncomingSlice& other) { return one.key < other.key; });
    for (Projection& of : projections_)
      if (of.target == target)
        for (std::size_t at = slice; at < of.pieces.size(); at += slices_[target]) of.pieces[at] = {};
    taken_[target][slice] = 1;
    append<IncomingRegion>(incoming, to), append<RowStartsRegion>(starts, to), append<SynapsesRegion>(synapses, to);
  }
  /// Adds the magnitudes of all weights into a population: what a step can bring at most, if each source fires as often as it can.
  /// \param most  [source]
  /// \param sums  [receptor][neuron]
  void add_fan_in(std::size_t projection, unsigned target_bits, std::span<const std::uint32_t> most,
                  std::uint32_t neurons, std::span<std::uint64_t> sums) const {
    const Projection& of = projections_[projection];
    const std::uint32_t targets = (1U << target_bits) - 1;
    const IncomingSlice incoming{.weight = of.weight, .kind = of.kind};
    for (std::size_t at = 0; at < of.pieces.size(); ++at) {
      const Piece& piece = of.pieces[at];
      const std::size_t first = at / slices_[of.target] * of.chunk;
      const std::uint32_t base = static_cast<std::uint32_t>(at % slices_[of.target]) * lengths_[of.target];
      std::size_t word = 0;
      for (std::size_t source = 0; source < piece.counts.size(); ++source)
        for (std::uint32_t one = 0; one < piece.counts[source]; ++one, ++word) {
          const std::int64_t weight = incoming.weight_of(piece.words[word]);
          sums[std::size_t{incoming.receptor()} * neurons + base + (piece.words[word] & targets)] +=
              most[first + source] * static_cast<std::uint64_t>(weight < 0 ? -weight : weight);
        }
    }
  }

private:
  struct Piece {
    std::vector<std::uint16_t> counts{}; ///< [source of its chunk], or none where there are no synapses
    std::vector<std::uint32_t> words{};
    bool is_full = false; ///< a source has more synapses than a half can say
  };
  struct Projection {
    std::uint32_t source = 0, target = 0, sources = 0;
    std::uint32_t chunk = 1; ///< sources of a piece
    std::int32_t weight = 0;
    std::uint32_t kind = 0;
    std::vector<Piece> pieces{}; ///< [chunk of sources][slice of targets]
  };

  /// Of synapses, about.
  [[nodiscard]] static double number_of(const network::ProjectionPlan& plan) {
    if (const auto given = plan.given_number()) return static_cast<double>(*given);
    return plan.distinct_number().value_or(0.0);
  }
  template <class Region, class Element>
  static void append(const std::vector<Element>& elements, std::vector<Bytes>& to) {
    to.emplace_back(Region::bytes(elements.size()));
    static_cast<void>(Region::write(to.back(), {}, std::span<const Element>(elements)).ok()); // there is room
  }
  void draw(const network::ProjectionPlan& plan, Projection& of, std::size_t chunk, network::Range targets,
            std::uint32_t target_bits) const {
    const std::uint32_t slices = slices_[of.target], length = lengths_[of.target],
                        first = static_cast<std::uint32_t>(chunk) * of.chunk,
                        count = (std::min)(of.chunk, of.sources - first);
    Piece* const pieces = of.pieces.data() + chunk * slices;
    const bool is_by_source = plan.is_by_source(), is_one = plan.has_one_weight();
    const double expected =
        number_of(plan) * count / (std::max)(1U, of.sources) / (std::max)(1U, plan.targets()) * length;
    const auto room = static_cast<std::size_t>(expected + 4.0 * std::sqrt(expected));
    std::vector<std::uint32_t> sources; // of words that come in another order
    network::SynapseGenerator generator(plan);
    const std::uint32_t first_slice = targets.first / length;
    std::vector<std::uint32_t> slice_of(targets.end - targets.first);
    for (std::uint32_t at = 0; at < slice_of.size(); ++at) slice_of[at] = (targets.first + at) / length;
    generator.each({first, first + count}, targets, [&](const network::DrawnSynapse& one) {
      const std::uint32_t slice = slice_of[one.target - targets.first];
      Piece& piece = pieces[slice];
      if (piece.counts.empty()) piece.counts.resize(count), piece.words.reserve(room);
      std::uint16_t& number = piece.counts[one.source - first];
      if (++number == 0) piece.is_full = true;
      const auto weight = static_cast<std::uint16_t>(is_one ? 0 : plan.weight(one.weight_word));
      piece.words.push_back(std::uint32_t{weight} << 16 | one.delay << target_bits | (one.target - slice * length));
      if (!is_by_source) sources.push_back(one.source - first);
    });
    if (is_by_source || targets.first >= targets.end) return;
    Piece& piece = pieces[first_slice]; // the only one
    std::vector<std::uint32_t> place(piece.counts.size()), sorted(piece.words.size());
    std::uint32_t start = 0;
    for (std::size_t at = 0; at < place.size(); ++at) place[at] = start, start += piece.counts[at];
    for (std::size_t at = 0; !piece.is_full && at < sorted.size(); ++at) sorted[place[sources[at]]++] = piece.words[at];
    if (!piece.is_full) piece.words = std::move(sorted);
  }
  [[nodiscard]] static std::uint64_t number_of(const Piece& piece, std::size_t first, std::size_t count) noexcept {
    std::uint64_t sum = 0;
    if (!piece.counts.empty())
      for (std::size_t at = first; at < first + count; ++at) sum += piece.counts[at];
    return sum;
  }
  /// Synapses of two slices, at most.
  [[nodiscard]] std::uint64_t longest_slice(const Projection& of) const noexcept {
    std::uint64_t most = 0;
    for (const Piece& piece : of.pieces) {
      if (piece.is_full) return (std::max)(most, std::uint64_t{piece.words.size()});
      for (std::size_t first = 0; first < piece.counts.size(); first += lengths_[of.source])
        most = (std::max)(
            most, number_of(piece, first, (std::min)(std::size_t{lengths_[of.source]}, piece.counts.size() - first)));
    }
    return most;
  }
  /// each(projection, slice of its source, synapses of each source, their words) of those that have any.
  template <class Each>
  void each_incoming(std::uint32_t target, std::uint32_t slice, Each each) const {
    for (const Projection& of : projections_) {
      if (of.target != target) continue;
      for (std::uint32_t first = 0; first < of.sources; first += of.chunk) {
        const Piece& piece = of.pieces[first / of.chunk * slices_[target] + slice];
        std::size_t word = 0;
        for (std::size_t at = 0; at < piece.counts.size(); at += lengths_[of.source]) {
          const std::size_t count = (std::min)(std::size_t{lengths_[of.source]}, piece.counts.size() - at);
          const std::uint64_t words = number_of(piece, at, count);
          if (words == 0) continue;
          each(of, static_cast<std::uint32_t>((first + at) / lengths_[of.source]),
               std::span(piece.counts).subspan(at, count), std::span(piece.words).subspan(word, words));
          word += words;
        }
      }
    }
  }

  std::vector<std::uint32_t> lengths_{}, slices_{}; // [population]
  std::vector<std::vector<std::uint8_t>> taken_{};  // [population][slice]: bytes, so that threads do not share one
  std::vector<Projection> projections_{};
};

} // namespace execution
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
