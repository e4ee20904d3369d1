// SPDX-License-Identifier: BSL-1.0
/// \file
/// Cuts the vertices of an application graph into slices that fit cores: a machine graph, and which slice each vertex of it is.
///
///     auto made = mapping::partition(graph, machine);
///     if (!made) return std::puts(made.sentence().c_str()), 1;
///     std::puts(made.value().text().c_str()); // how many cores each needs, and what decides that
///
/// A slice is as long as a core's memory, cycles and tags and its chip's memory allow, or as a user says. Cycles are those of
/// `Constraints::step_us`, recordings those of `Constraints::steps`.
// host-only
#ifndef NEUROMORPH_MAPPING_PARTITIONING_HPP
#define NEUROMORPH_MAPPING_PARTITIONING_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/text_table.hpp>
#include <neuromorph/mapping/application_graph.hpp>
#include <neuromorph/mapping/constraints.hpp>
#include <neuromorph/mapping/detail/key_overlap.hpp>
#include <neuromorph/mapping/keys.hpp>
#include <neuromorph/mapping/machine.hpp>
#include <neuromorph/mapping/machine_graph.hpp>
#include <neuromorph/mapping/mapped.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace mapping {

inline constexpr Partition no_partition = 0xFFFFFFFF;

/// What keeps a slice from being longer.
enum class Limit : std::uint8_t { none, dtcm, sdram, cycles, tags, most_atoms, atoms_per_core, tile, device };

/// How a vertex was cut.
struct Cut {
  std::uint32_t cores = 0;
  std::uint32_t most_atoms = 0; ///< of its slices
  Tile tile = {};               ///< of most of them, where there are tiles
  Limit limit = Limit::none;
  std::uint32_t chips = 0;    ///< that it needs at least, by cores and by SDRAM
  bool sdram_decides = false; ///< of the number of chips
  std::string why = {};       ///< "257 atoms would need 200 100 cycles a step of 200 000"
};

struct Partitioned {
  MachineGraph graph = {};
  Constraints constraints = {};
  std::vector<Vertex> first = {};              ///< [application vertex] its first slice; and one more
  std::vector<Slice> slices = {};              ///< [vertex]
  std::vector<AppVertex> vertex_of = {};       ///< [vertex] the application vertex
  std::vector<AppPartition> partition_of = {}; ///< [partition] the application partition; also the zones of `make_keys`
  Lists<Partition> partitions = {};    ///< [application partition][slice of its source]; no_partition: it has no target
  std::vector<Cut> cuts = {};          ///< [application vertex]
  std::vector<std::string> names = {}; ///< [application vertex]
  std::uint32_t cores = 0, chips = 0;  ///< that are needed; chips at least

  [[nodiscard]] Vertex vertex(AppVertex of, std::uint32_t slice) const noexcept { return first[of] + slice; }
  [[nodiscard]] std::uint32_t slice_count(AppVertex of) const noexcept { return first[of + 1] - first[of]; }
  /// The machine vertex that has an atom.
  /// \pre atom < atoms of the vertex
  [[nodiscard]] Vertex vertex_with(AppVertex of, std::uint32_t atom) const noexcept {
    const auto begin = slices.begin() + first[of], end = slices.begin() + first[of + 1];
    const auto behind =
        std::upper_bound(begin, end, atom, [](std::uint32_t one, const Slice& slice) { return one < slice.first; });
    return static_cast<Vertex>(behind - slices.begin() - 1);
  }
  /// A table of the vertices, and the sum.
  [[nodiscard]] std::string text() const;
};

struct CutOptions {
  bool is_balanced = false; ///< slices of one length, as far as these are as many
};

namespace detail {

/// Cuts one vertex after the other.
class Cutter {
public:
  Cutter(const ApplicationGraph& graph, const Machine& machine, bool is_balanced)
      : graph_(graph), steps_(graph.constraints.steps), tags_(machine.kind().tags), dtcm_(machine.kind().dtcm_bytes),
        step_us_(graph.constraints.step_us), cycles_(std::uint64_t{machine.kind().clock_mhz} * step_us_),
        is_balanced_(is_balanced) {
    std::uint32_t everywhere = 0;
    for (const ReservedCore& one : graph.constraints.reserved_cores)
      if (one.chip == no_chip && one.core < 32) everywhere |= 1U << one.core;
    for (Chip chip = 0; chip < machine.grid_chips(); ++chip) {
      if (!machine.has(chip)) continue;
      sdram_ = (std::max)(sdram_, std::uint64_t{machine.sdram_bytes(chip)});
      const auto cores = static_cast<unsigned>(std::popcount(machine.cores(chip) & ~everywhere));
      most_cores_ = (std::max)(most_cores_, cores);
    }
  }

  /// \param slices  its slices are added
  [[nodiscard]] Refusal cut(AppVertex at, bool is_device, std::vector<Slice>& slices, Cut& made) {
    at_ = at, vertex_ = &graph_.vertex(at);
    const std::size_t begin = slices.size();
    const ApplicationVertex& of = *vertex_;
    if (is_device) {
      slices.push_back({0, of.atoms, 0, 0, of.shape});
      made = {.cores = 0, .most_atoms = of.atoms, .limit = Limit::device};
      return {};
    }
    const bool has_shape = of.shape.width != 0 || of.shape.height != 0;
    if (has_shape && std::uint64_t{of.shape.width} * of.shape.height != of.atoms)
      return refused(Error::parameters_contradict, of.atoms, "shape",
                     "has " + counted(of.atoms, "atom", "atoms") + ", and its shape is of " + in_words(of.shape));
    if (of.atoms_per_core > of.most_atoms)
      return refused(Error::parameters_contradict, of.atoms_per_core, "atoms_per_core",
                     "must have " + std::to_string(of.atoms_per_core) + " atoms on each core, and at most " +
                         std::to_string(of.most_atoms));
    if (of.most_atoms == 0)
      return refused(Error::parameter_not_positive, 0, "most_atoms", "may have no atom on a core");
    if (!has_shape && (of.tile.width != 0 || of.tile.height != 0))
      return refused(Error::parameters_contradict, of.tile.width, "tile", "has a tile and no shape");
    Refusal refusal = has_shape                ? cut_in_tiles(slices, made)
                      : of.atoms_per_core != 0 ? cut_as_said(slices, made)
                                               : cut_by_resources(slices, made);
    if (!refusal) return refusal;
    std::uint64_t sdram = 0;
    for (std::size_t slice = begin; slice < slices.size(); ++slice) {
      made.most_atoms = (std::max)(made.most_atoms, slices[slice].count);
      sdram += sdram_of(resources_of(of, slices[slice]), steps_);
    }
    made.cores = static_cast<std::uint32_t>(slices.size() - begin);
    const std::uint64_t by_cores = most_cores_ == 0 ? 0 : (made.cores + std::uint64_t{most_cores_} - 1) / most_cores_;
    const std::uint64_t by_sdram = sdram_ == 0 ? 0 : (sdram + sdram_ - 1) / sdram_;
    made.chips = static_cast<std::uint32_t>((std::max)(by_cores, by_sdram));
    made.sdram_decides = by_sdram > by_cores;
    return {};
  }

private:
  [[nodiscard]] Refusal refused(Error error, GivenValue value, const char* parameter, std::string why) const {
    return {{error, at_, value, parameter}, graph_.name(at_), std::move(why)};
  }
  [[nodiscard]] static std::string in_words(Tile tile) {
    return std::to_string(tile.width) + " x " + std::to_string(tile.height);
  }
  /// What a slice has too much of.
  [[nodiscard]] Limit limit_of(const Slice& slice) const {
    const Resources of = resources_of(*vertex_, slice);
    if (of.dtcm_bytes > dtcm_) return Limit::dtcm;
    if (step_us_ != 0 && of.cycles_per_step > cycles_) return Limit::cycles;
    if (sdram_of(of, steps_) > sdram_) return Limit::sdram;
    if (std::uint64_t{of.ip_tags} + of.reverse_tags > tags_) return Limit::tags;
    return Limit::none;
  }
  [[nodiscard]] std::string what(const Slice& slice, Limit limit) const {
    const Resources of = resources_of(*vertex_, slice);
    switch (limit) {
    case Limit::dtcm: return std::to_string(of.dtcm_bytes) + " bytes of DTCM, and a core has " + std::to_string(dtcm_);
    case Limit::cycles:
      return std::to_string(of.cycles_per_step) + " cycles a step, and a core has " + std::to_string(cycles_) + " in " +
             std::to_string(step_us_) + " us";
    case Limit::sdram:
      return std::to_string(sdram_of(of, steps_)) + " bytes of SDRAM, and a chip has " + std::to_string(sdram_);
    default:
      return counted(std::uint64_t{of.ip_tags} + of.reverse_tags, "tag", "tags") + ", and a board has " +
             std::to_string(tags_);
    }
  }
  /// "256 atoms from 0 on", "atom 17", "the tile of 16 x 16 atoms at 0, 16".
  [[nodiscard]] static std::string in_words(const Slice& slice) {
    if (slice.tile.width != 0)
      return "the tile of " + in_words(slice.tile) + " atoms at " + std::to_string(slice.x) + ", " +
             std::to_string(slice.y);
    if (slice.count == 1) return "atom " + std::to_string(slice.first) + " alone";
    return std::to_string(slice.count) + " atoms from " + std::to_string(slice.first) + " on";
  }
  [[nodiscard]] Refusal does_not_fit(const Slice& slice, Limit limit) const {
    return refused(Error::unmappable, slice.first, "atoms",
                   in_words(slice) + (slice.count == 1 || slice.tile.width != 0 ? " needs " : " need ") +
                       what(slice, limit));
  }

  /// The longest that begins there, at least one atom.
  [[nodiscard]] std::uint32_t longest(std::uint32_t first, std::uint32_t guess, Limit& limit) const {
    const std::uint32_t left = vertex_->atoms - first, most = (std::min)(vertex_->most_atoms, left);
    const auto fits = [&](std::uint32_t count) {
      const Limit found = limit_of({first, count});
      if (found != Limit::none) limit = found;
      return found == Limit::none;
    };
    std::uint32_t low = 0, high = most; // it fits; it may fit
    if (guess != 0 && guess < most) {
      if (!fits(guess))
        high = guess - 1;
      else if (low = guess; !fits(guess + 1))
        high = guess;
    }
    if (low < high && high == most && fits(most)) {
      limit = most == left ? Limit::none : Limit::most_atoms;
      return most;
    }
    if (high == most && low < high) --high;
    while (low < high) {
      const std::uint32_t middle = high - (high - low) / 2;
      if (fits(middle))
        low = middle;
      else
        high = middle - 1;
    }
    if (low == most) limit = most == left ? Limit::none : Limit::most_atoms;
    return low;
  }
  [[nodiscard]] Refusal cut_by_resources(std::vector<Slice>& slices, Cut& made) const {
    const std::size_t begin = slices.size();
    std::uint32_t guess = 0;
    for (std::uint32_t first = 0; first < vertex_->atoms;) {
      Limit limit = Limit::none;
      const std::uint32_t count = longest(first, guess, limit);
      if (count == 0) return does_not_fit({first, 1}, limit_of({first, 1}));
      if (first == 0) {
        if (count < (std::min)(vertex_->most_atoms, vertex_->atoms)) limit = limit_of({0, count + 1});
        made.limit = limit;
        if (limit == Limit::most_atoms)
          made.why = "a core can have " + std::to_string(vertex_->most_atoms) + " atoms";
        else if (limit != Limit::none)
          made.why = counted(count + 1, "atom", "atoms") + " would need " + what({0, count + 1}, limit);
      }
      slices.push_back({first, count});
      first += count, guess = count;
    }
    if (!is_balanced_) return {};
    const auto count = static_cast<std::uint32_t>(slices.size() - begin);
    std::vector<Slice> even;
    for (std::uint32_t slice = 0, first = 0; slice < count; ++slice) {
      even.push_back({first, vertex_->atoms / count + (slice < vertex_->atoms % count)});
      if (limit_of(even.back()) != Limit::none) return {};
      first += even.back().count;
    }
    std::copy(even.begin(), even.end(), slices.begin() + static_cast<std::ptrdiff_t>(begin));
    return {};
  }
  [[nodiscard]] Refusal cut_as_said(std::vector<Slice>& slices, Cut& made) const {
    made.limit = Limit::atoms_per_core;
    made.why = "a core must have " + std::to_string(vertex_->atoms_per_core) + " atoms";
    for (std::uint32_t first = 0; first < vertex_->atoms;) {
      const Slice slice{first, (std::min)(vertex_->atoms_per_core, vertex_->atoms - first)};
      if (const Limit limit = limit_of(slice); limit != Limit::none) return does_not_fit(slice, limit);
      slices.push_back(slice);
      first += slice.count;
    }
    return {};
  }

  /// Calls for each tile in turn, until one is refused.
  template <class Visit>
  bool each_tile(Tile tile, Visit visit) const {
    const Tile shape = vertex_->shape;
    std::uint32_t first = 0;
    for (std::uint32_t y = 0; y < shape.height; y += (std::min)(tile.height, shape.height - y))
      for (std::uint32_t x = 0; x < shape.width; x += (std::min)(tile.width, shape.width - x)) {
        const Tile here{(std::min)(tile.width, shape.width - x), (std::min)(tile.height, shape.height - y)};
        const Slice slice{first, here.width * here.height, x, y, here};
        if (!visit(slice)) return false;
        first += slice.count;
      }
    return true;
  }
  [[nodiscard]] bool fits(Tile tile) const {
    if (std::uint64_t{tile.width} * tile.height > vertex_->most_atoms) return false;
    const auto is_good = [&](const Slice& slice) { return limit_of(slice) == Limit::none; };
    // Those at the edges are smaller; where a slice's place counts, all are looked at.
    if (!vertex_->resources) return is_good({0, tile.width * tile.height, 0, 0, tile});
    return each_tile(tile, is_good);
  }
  [[nodiscard]] static std::uint64_t count_of(Tile shape, Tile tile) noexcept {
    return ((std::uint64_t{shape.width} + tile.width - 1) / tile.width) *
           ((std::uint64_t{shape.height} + tile.height - 1) / tile.height);
  }
  /// Of those that fit the one of which the fewest cover the shape, of these the one nearest to a square.
  [[nodiscard]] Tile best_tile() const {
    const Tile shape = vertex_->shape;
    Tile best{};
    std::uint64_t fewest = (std::numeric_limits<std::uint64_t>::max)();
    for (std::uint32_t width = 1; width <= shape.width; ++width) {
      std::uint32_t low = 0, high = shape.height;
      while (low < high) {
        const std::uint32_t middle = high - (high - low) / 2;
        if (fits({width, middle}))
          low = middle;
        else
          high = middle - 1;
      }
      if (low == 0) {
        if (!vertex_->resources) break; // wider ones do not, either
        continue;
      }
      // The least height of as many rows.
      const std::uint32_t rows = (shape.height - 1) / low + 1;
      Tile tile{width, (shape.height - 1) / rows + 1};
      if (!fits(tile)) tile.height = low;
      const std::uint64_t count = count_of(shape, tile);
      const auto edge = [](Tile of) { return std::uint64_t{of.width} + of.height; };
      if (count < fewest || (count == fewest && edge(tile) < edge(best))) best = tile, fewest = count;
    }
    return best;
  }
  [[nodiscard]] Refusal cut_in_tiles(std::vector<Slice>& slices, Cut& made) const {
    Tile tile = vertex_->tile;
    const Tile shape = vertex_->shape;
    if (vertex_->atoms == 0) return {};
    if (vertex_->atoms_per_core != 0)
      return refused(Error::parameters_contradict, vertex_->atoms_per_core, "atoms_per_core",
                     "has a shape, so that its cores have tiles, and not a number of atoms");
    if ((tile.width == 0) != (tile.height == 0))
      return refused(Error::parameter_not_positive, 0, "tile", "has tiles of " + in_words(tile) + " atoms");
    if (tile.width == 0) {
      tile = best_tile();
      if (tile.width == 0) {
        Refusal refusal{};
        each_tile({1, 1}, [&](const Slice& slice) {
          const Limit limit = limit_of(slice);
          if (limit != Limit::none) refusal = does_not_fit(slice, limit);
          return limit == Limit::none;
        });
        return refusal;
      }
      describe_limit(tile, made);
    } else {
      tile = {(std::min)(tile.width, shape.width), (std::min)(tile.height, shape.height)};
      if (std::uint64_t{tile.width} * tile.height > vertex_->most_atoms)
        return refused(Error::parameters_contradict, vertex_->most_atoms, "most_atoms",
                       "must have tiles of " + in_words(tile) + " atoms, and at most " +
                           std::to_string(vertex_->most_atoms) + " on a core");
      made.limit = Limit::tile;
      made.why = "a core must have a tile of " + in_words(tile) + " atoms";
    }
    made.tile = tile;
    Refusal refusal{};
    each_tile(tile, [&](const Slice& slice) {
      const Limit limit = limit_of(slice);
      if (limit != Limit::none) refusal = does_not_fit(slice, limit);
      slices.push_back(slice);
      return limit == Limit::none;
    });
    return refusal;
  }
  /// What keeps a tile from being one atom longer on its shorter side.
  void describe_limit(Tile tile, Cut& made) const {
    const Tile shape = vertex_->shape;
    if (tile == shape) return;
    const bool is_wider = tile.height == shape.height || (tile.width < shape.width && tile.width <= tile.height);
    const Tile more{tile.width + (is_wider ? 1U : 0U), tile.height + (is_wider ? 0U : 1U)};
    const Slice slice{0, more.width * more.height, 0, 0, more};
    made.limit = slice.count > vertex_->most_atoms ? Limit::most_atoms : limit_of(slice);
    if (made.limit == Limit::most_atoms)
      made.why = "a core can have " + std::to_string(vertex_->most_atoms) + " atoms";
    else if (made.limit != Limit::none)
      made.why = "a tile of " + in_words(more) + " would need " + what(slice, made.limit);
    else
      made.limit = Limit::tile, made.why = "fewer tiles would not cover " + in_words(shape) + " atoms";
  }

  const ApplicationGraph& graph_;
  const ApplicationVertex* vertex_ = nullptr;
  AppVertex at_ = 0;
  std::uint32_t steps_, tags_;
  std::uint64_t dtcm_, step_us_, cycles_, sdram_ = 0;
  unsigned most_cores_ = 0;
  bool is_balanced_;
};

} // namespace detail

namespace detail {

/// Makes the machine graph of slices.
class Partitioner {
public:
  Partitioner(const ApplicationGraph& graph, const Machine& machine, const CutOptions& options)
      : graph_(graph), machine_(machine), options_(options) {}

  [[nodiscard]] Answer<Partitioned> made() {
    for (const auto step : {&Partitioner::check_numbers, &Partitioner::cut, &Partitioner::connect,
                            &Partitioner::carry_over, &Partitioner::fix_keys})
      if (Refusal refusal = (this->*step)(); !refusal) return refusal;
    return std::move(made_);
  }

private:
  [[nodiscard]] Refusal check_numbers() {
    const Constraints& given = graph_.constraints;
    const auto none_such = [](const char* parameter, std::uint32_t number, std::uint32_t end, const char* what) {
      return Refusal{{Error::index_out_of_range, number, number, parameter},
                     parameter,
                     std::string(what) + " " + std::to_string(number) + " is named, and the graph has " +
                         std::to_string(end)};
    };
    const AppVertex end = graph_.vertices();
    Refusal refusal{};
    const auto look = [&](const char* parameter, AppVertex vertex) {
      if (vertex >= end && refusal) refusal = none_such(parameter, vertex, end, "application vertex");
    };
    for (const OnChip& one : given.on_chip) look("on_chip", one.vertex);
    for (const OnChip& one : given.devices) look("devices", one.vertex);
    for (const OnCore& one : given.on_core) look("on_core", one.vertex);
    for (const OnBoard& one : given.on_board) look("on_board", one.vertex);
    for (const NearChip& one : given.near_chip) look("near_chip", one.vertex);
    for (const auto& group : given.same_chip)
      for (const AppVertex one : group) look("same_chip", one);
    for (const SharedSdram& group : given.shared_sdram)
      for (const AppVertex one : group.vertices) look("shared_sdram", one);
    for (const IpTag& one : given.ip_tags) look("ip_tags", one.vertex);
    for (const ReverseTag& one : given.reverse_tags) look("reverse_tags", one.vertex);
    const auto look_at_partition = [&](const char* parameter, AppPartition partition) {
      if (partition >= graph_.partitions() && refusal)
        refusal = none_such(parameter, partition, graph_.partitions(), "partition");
    };
    for (const FixedKeys& one : given.fixed_keys) look_at_partition("fixed_keys", one.partition);
    for (const auto& group : given.same_keys)
      for (const AppPartition one : group) look_at_partition("same_keys", one);
    for (AppPartition partition = 0; partition < graph_.partitions() && refusal; ++partition) {
      look("source", graph_.source(partition));
      for (const AppEdge& edge : graph_.edges(partition)) look("target", edge.target);
    }
    return refusal;
  }

  [[nodiscard]] Refusal cut() {
    std::vector<std::uint8_t> is_device(graph_.vertices());
    for (const OnChip& one : graph_.constraints.devices) is_device[one.vertex] = 1;
    Cutter cutter(graph_, machine_, options_.is_balanced);
    made_.cuts.resize(graph_.vertices()), made_.names.resize(graph_.vertices());
    made_.first.push_back(0);
    for (AppVertex at = 0; at < graph_.vertices(); ++at) {
      const ApplicationVertex& of = graph_.vertex(at);
      const std::size_t begin = made_.slices.size();
      if (Refusal refusal = cutter.cut(at, is_device[at] != 0, made_.slices, made_.cuts[at]); !refusal) return refusal;
      if (made_.slices.size() >= no_partition)
        return Refusal{{Error::unmappable, at, made_.slices.size(), "atoms"},
                       graph_.name(at),
                       "needs more slices than there are numbers for"};
      for (std::size_t slice = begin; slice < made_.slices.size(); ++slice) {
        const Slice& one = made_.slices[slice];
        std::string name = of.name;
        if (made_.slices.size() - begin > 1)
          name += (name.empty() ? "" : ", ") + std::to_string(one.first) + " to " +
                  std::to_string(one.first + one.count - 1);
        made_.graph.add(is_device[at] != 0 ? Resources{} : resources_of(of, one), std::move(name));
        made_.vertex_of.push_back(at);
      }
      made_.first.push_back(made_.graph.vertices());
      made_.names[at] = of.name.empty() ? "application vertex " + std::to_string(at) : of.name;
      made_.cores += made_.cuts[at].cores;
      sdram_ += sum_of_sdram(at, is_device[at] != 0);
    }
    count_chips();
    return {};
  }
  [[nodiscard]] std::uint64_t sum_of_sdram(AppVertex at, bool is_device) const {
    std::uint64_t sum = 0;
    for (Vertex vertex = made_.first[at]; vertex < made_.graph.vertices() && !is_device; ++vertex)
      sum += sdram_of(made_.graph.resources(vertex), graph_.constraints.steps);
    return sum;
  }
  /// At least: as if memory and cores could be divided at will.
  void count_chips() {
    std::uint64_t most_cores = 0, most_sdram = 0;
    for (Chip chip = 0; chip < machine_.grid_chips(); ++chip) {
      most_cores = (std::max)(most_cores, std::uint64_t{machine_.core_count(chip)});
      if (machine_.has(chip)) most_sdram = (std::max)(most_sdram, std::uint64_t{machine_.sdram_bytes(chip)});
    }
    const auto by = [](std::uint64_t all, std::uint64_t each) { return each == 0 ? 0 : (all + each - 1) / each; };
    made_.chips = static_cast<std::uint32_t>((std::max)(by(made_.cores, most_cores), by(sdram_, most_sdram)));
  }

  [[nodiscard]] Refusal connect() {
    std::vector<Vertex> all, targets;
    std::size_t edges = 0, partitions = 0;
    for (AppPartition partition = 0; partition < graph_.partitions(); ++partition) {
      std::size_t count = 0;
      for (const AppEdge& edge : graph_.edges(partition)) count += made_.slice_count(edge.target);
      edges += count * made_.slice_count(graph_.source(partition)),
          partitions += made_.slice_count(graph_.source(partition));
    }
    made_.graph.reserve(0, partitions, edges);
    for (AppPartition partition = 0; partition < graph_.partitions(); ++partition) {
      const AppPartitionOptions& given = graph_.options(partition);
      const AppVertex source = graph_.source(partition);
      bool has_filter = false;
      all.clear();
      for (const AppEdge& edge : graph_.edges(partition)) {
        has_filter = has_filter || edge.is_connected;
        for (Vertex vertex = made_.first[edge.target]; vertex < made_.first[edge.target + 1]; ++vertex)
          all.push_back(vertex);
      }
      PartitionOptions options{.identifier = given.identifier};
      for (Vertex vertex = made_.first[source]; vertex < made_.first[source + 1]; ++vertex) {
        const Slice& slice = made_.slices[vertex];
        if (has_filter) {
          targets.clear();
          for (const AppEdge& edge : graph_.edges(partition))
            for (Vertex to = made_.first[edge.target]; to < made_.first[edge.target + 1]; ++to)
              if (!edge.is_connected || edge.is_connected(slice, made_.slices[to])) targets.push_back(to);
        }
        const auto& reached = has_filter ? targets : all;
        if (reached.empty()) {
          made_.partitions.items.push_back(no_partition);
          continue;
        }
        const std::uint64_t keys = std::uint64_t{given.keys} * slice.count;
        if (keys >> 32 != 0)
          return {{Error::unmappable, partition, keys, "keys"},
                  graph_.partition_name(partition),
                  "sends " + std::to_string(keys) + " keys from one core, and there are 2^32 in all"};
        options.keys = static_cast<std::uint32_t>(keys);
        options.packets_per_step = given.packets_per_step * slice.count;
        made_.partitions.items.push_back(made_.graph.connect(vertex, reached, options));
        made_.partition_of.push_back(partition);
      }
      made_.partitions.end_list();
    }
    return {};
  }

  /// Calls for each machine vertex of an application vertex.
  template <class Visit>
  void each(AppVertex at, Visit visit) const {
    for (Vertex vertex = made_.first[at]; vertex < made_.first[at + 1]; ++vertex) visit(vertex);
  }
  [[nodiscard]] Refusal carry_over() {
    const Constraints& given = graph_.constraints;
    Constraints& to = made_.constraints;
    to.steps = given.steps, to.step_us = given.step_us, to.reserved_cores = given.reserved_cores;
    const auto copy = [&](const auto& from, auto& list) {
      for (auto one : from) each(one.vertex, [&](Vertex vertex) { one.vertex = vertex, list.push_back(one); });
    };
    copy(given.on_chip, to.on_chip), copy(given.devices, to.devices), copy(given.on_core, to.on_core);
    copy(given.on_board, to.on_board), copy(given.near_chip, to.near_chip);
    copy(given.ip_tags, to.ip_tags), copy(given.reverse_tags, to.reverse_tags);
    const auto members = [&](const std::vector<AppVertex>& group) {
      std::vector<Vertex> all;
      for (const AppVertex one : group) each(one, [&](Vertex vertex) { all.push_back(vertex); });
      return all;
    };
    for (const auto& group : given.same_chip) to.same_chip.push_back(members(group));
    for (const SharedSdram& one : given.shared_sdram)
      to.shared_sdram.push_back({members(one.vertices), one.bytes, one.bytes_per_step});
    for (const auto& group : given.same_keys) {
      if (group.empty()) continue;
      for (const AppPartition one : group)
        if (graph_.source(one) != graph_.source(group.front()))
          return {{Error::parameters_contradict, one, graph_.source(one), "same_keys"},
                  graph_.partition_name(one),
                  "must have the same keys as " + graph_.partition_name(group.front()) +
                      ", and routers could not tell packets of two sources by them"};
      for (std::uint32_t slice = 0; slice < made_.slice_count(graph_.source(group.front())); ++slice) {
        std::vector<Partition> of_slice;
        for (const AppPartition one : group)
          if (const Partition made = made_.partitions[one][slice]; made != no_partition) of_slice.push_back(made);
        if (of_slice.size() > 1) to.same_keys.push_back(std::move(of_slice));
      }
    }
    return {};
  }
  /// Fixed keys of a partition are shared out among its slices, one range of the same length after the other.
  [[nodiscard]] Refusal fix_keys() {
    for (const FixedKeys& one : graph_.constraints.fixed_keys) {
      const auto of = made_.partitions[one.partition];
      if (of.size() <= 1) {
        if (of.size() == 1 && of[0] != no_partition) made_.constraints.fixed_keys.push_back({of[0], one.keys});
        continue;
      }
      const auto refused = [&](std::string why) {
        return Refusal{{Error::unmappable, one.partition, one.keys.key, "fixed_keys"},
                       graph_.partition_name(one.partition),
                       std::move(why)};
      };
      if (!is_range(one.keys.mask))
        return refused("is on " + std::to_string(of.size()) + " cores, and its fixed keys " +
                       detail::in_words(one.keys) + " do not follow each other, so they cannot be shared out");
      unsigned each = 0;
      for (const Partition made : of)
        if (made != no_partition) each = (std::max)(each, bits_for(made_.graph.options(made).keys));
      const auto bits = static_cast<unsigned>(std::popcount(~one.keys.mask));
      if (each + bits_for(of.size()) > bits)
        return refused("is on " + std::to_string(of.size()) + " cores with up to " +
                       std::to_string(std::uint64_t{1} << each) + " keys each, and its fixed keys " +
                       detail::in_words(one.keys) + " are " + std::to_string(std::uint64_t{1} << bits));
      for (std::uint32_t slice = 0; slice < of.size(); ++slice)
        if (of[slice] != no_partition)
          made_.constraints.fixed_keys.push_back({of[slice], {one.keys.key + (slice << each), mask_of(each)}});
    }
    return {};
  }

  const ApplicationGraph& graph_;
  const Machine& machine_;
  const CutOptions& options_;
  Partitioned made_{};
  std::uint64_t sdram_ = 0;
};

[[nodiscard]] inline const char* in_words(Limit limit) noexcept {
  switch (limit) {
  case Limit::none: return "all fit one core";
  case Limit::dtcm: return "DTCM";
  case Limit::sdram: return "SDRAM";
  case Limit::cycles: return "cycles";
  case Limit::tags: return "tags";
  case Limit::most_atoms: return "most atoms";
  case Limit::atoms_per_core: return "atoms per core";
  case Limit::tile: return "tile";
  case Limit::device: return "a device";
  }
  return "";
}

} // namespace detail

/// \param machine  whose chips slices must fit; they need not all be there at once
/// \errors index_out_of_range: an edge or a constraint names what is not there; parameters_contradict, parameter_not_positive: of
///         a vertex, or of keys; unmappable: an atom, or what a user has said, needs more than a core or chip has; fixed keys are too few
/// \cost   for each slice some calls of its vertex's resources, by the logarithm of its atoms; each edge once
[[nodiscard]] inline Answer<Partitioned> partition(const ApplicationGraph& graph, const Machine& machine,
                                                   const CutOptions& options = {}) {
  return detail::Partitioner(graph, machine, options).made();
}
/// Keys with a zone for each application partition.
/// \errors as make_keys of zones
[[nodiscard]] inline Answer<Keys> make_keys(const Partitioned& of, const KeyOptions& options = {}) {
  return make_keys(of.graph, of.partition_of, of.constraints, options);
}

inline std::string Partitioned::text() const {
  host::TextTable table;
  table.add({"vertex", "cores", "atoms", "on a core", "chips, at least", "decided by", ""});
  for (AppVertex at = 0; at < cuts.size(); ++at) {
    const Cut& cut = cuts[at];
    const std::uint32_t last = first[at + 1];
    const std::uint64_t atoms = last == first[at] ? 0 : std::uint64_t{slices[last - 1].first} + slices[last - 1].count;
    std::string most = std::to_string(cut.most_atoms);
    if (cut.tile.width != 0) most = std::to_string(cut.tile.width) + " x " + std::to_string(cut.tile.height);
    table.add({names[at], std::to_string(cut.cores), std::to_string(atoms), most,
               std::to_string(cut.chips) + (cut.sdram_decides ? " by SDRAM" : ""), detail::in_words(cut.limit),
               cut.why});
  }
  table.add({"all", std::to_string(cores), "", "", std::to_string(chips)});
  return table.text();
}

} // namespace mapping
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
