// SPDX-License-Identifier: BSL-1.0
/// \file
/// Builds the rows of a network: counts each row's runs, then writes each synapse where it belongs, on threads.
///
/// Threads take blocks of sources and share nothing. What is drawn depends on neither threads nor parts, and the order in a
/// run is that in which its projections and synapses are drawn. So a row is the same for any number of threads.
// host-only
#ifndef NEUROMORPH_NETWORK_BUILD_HPP
#define NEUROMORPH_NETWORK_BUILD_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/host/parallel.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/plasticity.hpp>
#include <neuromorph/network/projection_plan.hpp>
#include <neuromorph/network/rows.hpp>
#include <neuromorph/network/synapse_generator.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

inline constexpr std::uint32_t most_parts = 65535; ///< of all ranks

struct BuildOptions {
  unsigned threads = 0; ///< 0: as many as this machine has
  /// 0: the fewest that have at most 65536 neurons each, a multiple of the threads of all ranks
  std::uint32_t parts = 0;
  /// Share of the neurons that a source must reach, with one weight and delay, for rows of bits; above 1: none have them.
  double bits_from = 1.0 / 16.0;
  /// Of several processes that have the parts together, which this is: it builds its own share alone.
  unsigned rank = 0, ranks = 1;
};

/// The parts of a rank.
[[nodiscard]] constexpr Range parts_of(unsigned rank, unsigned ranks, std::uint32_t parts) noexcept {
  const auto first = [&](std::uint64_t of) { return static_cast<std::uint32_t>(of * parts / ranks); };
  return {first(rank), first(rank + std::uint64_t{1})};
}

/// The plans of all projections, or the first mistake of a network.
/// \errors as ProjectionPlan::from; as Neuron::make, of a population; parameter_out_of_range: more than 2^28 neurons, a step
///         that is not above 0 or is 10^6 ms and more
[[nodiscard]] inline Answer<std::vector<ProjectionPlan>> plan(const Network& network, unsigned threads = 1) {
  for (std::uint32_t at = 0; at < network.populations().size(); ++at) {
    const Population& population = network.populations()[at];
    Status status = population.made;
    if (population.count > Network::most_neurons)
      status = {Error::parameter_out_of_range, 0, population.count, "count"};
    if (!status) {
      status.where = at;
      return Refusal{status, network.name(PopulationId(at))};
    }
  }
  if (const double dt_ms = network.settings().dt_ms; !(dt_ms > 0.0 && dt_ms < 1e6))
    return Refusal{{Error::parameter_out_of_range, 0, dt_ms, "dt_ms"}, "settings"};
  std::vector<std::optional<Answer<ProjectionPlan>>> made(network.projections().size());
  OutcomeTables tables;
  host::in_parallel(threads, made.size(), [&](std::size_t at, unsigned) {
    made[at].emplace(ProjectionPlan::from(network, ProjectionId(static_cast<std::uint32_t>(at)), tables));
  });
  std::vector<ProjectionPlan> plans;
  plans.reserve(made.size());
  for (auto& one : made) {
    if (!*one) return one->refusal();
    plans.push_back(std::move(one->value()));
  }
  return plans;
}

namespace detail {

/// A set of rows and the projections of which it is made: all of them come by source, or none.
struct PlannedSet {
  struct Member {
    const ProjectionPlan* plan;
    std::uint32_t target, arrival;
  };
  RowSet set;
  std::vector<Member> members = {};
  bool is_by_source = true;
  std::uint32_t sources = 0;
  std::shared_ptr<const Learner> learner = {}; ///< of Layout::plastic: makes rows

  [[nodiscard]] std::size_t arrivals() const noexcept { return set.arrivals.size(); }
  /// Kinds of runs.
  [[nodiscard]] std::size_t kinds() const noexcept {
    return (set.longest_delay - set.shortest_delay + std::size_t{1}) * arrivals();
  }
};

/// What synapses of a projection have in common.
[[nodiscard]] inline Arrival arrival_of(const Network& network, const ProjectionPlan& plan) {
  const bool is_one = plan.has_one_weight();
  return {.receptor = plan.receptor(),
          .input_bits = network[network[plan.id()].target].input_bits,
          .is_signed = plan.is_signed(),
          .shift = is_one ? 0 : plan.shift(),
          .weight = is_one ? plan.weight(0) : 0};
}

/// How the synapses of a projection learn, if they do.
[[nodiscard]] inline Plasticity plasticity_of(const Network& network, const ProjectionPlan& plan) {
  if (plan.plasticity() == nullptr) return {};
  return {.rule = network[plan.id()].synapses.plasticity,
          .range = plan.plastic_range(),
          .is_signed = plan.is_signed(),
          .words = plan.plasticity()->words()};
}

/// The projections that may stand in rows of bits together: each pair at most once, of one weight and delay, and many.
[[nodiscard]] inline std::vector<PlannedSet>
dense_sets_of(const Network& network, const std::vector<ProjectionPlan>& plans, const Parts& parts, double bits_from) {
  std::vector<PlannedSet> sets;
  for (const ProjectionPlan& plan : plans) {
    const Projection& projection = network[plan.id()];
    const auto source = std::uint32_t(projection.source), target = std::uint32_t(projection.target);
    if (!plan.has_one_weight() || plan.shortest_delay() != plan.longest_delay_of() || !plan.distinct_number()) continue;
    const Arrival arrival = arrival_of(network, plan);
    auto found = std::find_if(sets.begin(), sets.end(), [&](const PlannedSet& one) {
      return one.set.population == source && one.set.shortest_delay == plan.shortest_delay() &&
             one.set.arrivals[0] == arrival && one.is_by_source == plan.is_by_source() &&
             std::none_of(one.members.begin(), one.members.end(),
                          [&](const PlannedSet::Member& member) { return member.target == target; });
    });
    if (found == sets.end()) {
      found = sets.insert(found, PlannedSet{});
      RowSet& set = found->set;
      set.population = source, set.layout = Layout::bits, set.arrivals = {arrival};
      set.shortest_delay = set.longest_delay = plan.shortest_delay();
      found->sources = plan.sources(), found->is_by_source = plan.is_by_source();
    }
    found->members.push_back({&plan, target, 0});
  }
  std::uint64_t neurons = 0;
  for (std::uint32_t part = 0; part < parts.count(); ++part)
    neurons += (parts.neurons(part) + neurons_of_line - 1) / neurons_of_line * neurons_of_line;
  std::erase_if(sets, [&](const PlannedSet& one) {
    double synapses = 0.0;
    for (const PlannedSet::Member& member : one.members) synapses += *member.plan->distinct_number();
    return !(synapses >= bits_from * one.sources * static_cast<double>(neurons)) || synapses == 0.0;
  });
  return sets;
}

/// Puts each projection into a set.
[[nodiscard]] inline std::vector<PlannedSet> sets_of(const Network& network, const std::vector<ProjectionPlan>& plans,
                                                     const Parts& parts, double bits_from) {
  std::vector<PlannedSet> sets = dense_sets_of(network, plans, parts, bits_from);
  std::vector<bool> is_placed(plans.size());
  for (const PlannedSet& set : sets)
    for (const PlannedSet::Member& member : set.members) is_placed[std::size_t(member.plan->id())] = true;
  for (const ProjectionPlan& plan : plans) {
    if (is_placed[std::size_t(plan.id())]) continue;
    const Projection& projection = network[plan.id()];
    const auto source = std::uint32_t(projection.source);
    const Layout layout = plan.plasticity() != nullptr ? Layout::plastic
                          : plan.has_one_weight()      ? Layout::one_weight
                                                       : Layout::individual;
    const Plasticity plasticity = plasticity_of(network, plan);
    const Arrival arrival = arrival_of(network, plan);
    const auto has_room = [&](const PlannedSet& one) {
      const auto& arrivals = one.set.arrivals;
      return one.set.population == source && one.set.layout == layout && one.set.plasticity == plasticity &&
             one.is_by_source == plan.is_by_source() &&
             (arrivals.size() < most_arrivals ||
              std::find(arrivals.begin(), arrivals.end(), arrival) != arrivals.end());
    };
    auto found = std::find_if(sets.begin(), sets.end(), has_room);
    if (found == sets.end()) {
      sets.push_back({});
      found = sets.end() - 1;
      found->set.population = source, found->set.layout = layout;
      if (layout == Layout::plastic) {
        found->set.plasticity = plasticity;
        found->learner = plasticity.rule->make(network.settings().dt_ms, plasticity.range, plasticity.is_signed, 0);
      }
      found->set.shortest_delay = plan.shortest_delay(), found->set.longest_delay = plan.longest_delay_of();
      found->sources = plan.sources(), found->is_by_source = plan.is_by_source();
    }
    RowSet& set = found->set;
    set.shortest_delay = (std::min)(set.shortest_delay, plan.shortest_delay());
    set.longest_delay = (std::max)(set.longest_delay, plan.longest_delay_of());
    auto at = std::find(set.arrivals.begin(), set.arrivals.end(), arrival);
    if (at == set.arrivals.end()) at = set.arrivals.insert(at, arrival);
    found->members.push_back(
        {&plan, std::uint32_t(projection.target), static_cast<std::uint32_t>(at - set.arrivals.begin())});
  }
  return sets;
}

/// A synapse that is counted or written.
struct OnTheWay {
  std::uint32_t* run = nullptr;    ///< its size, or where its next synapse goes
  std::uint16_t* halves = nullptr; ///< of the part; none while it is counted
  std::uint16_t target = 0, weight = 0;
};

/// Lets synapses wait until what they touch is in the caches; they leave in the order in which they came.
class Queue {
public:
  template <class Act>
  [[gnu::always_inline]] void push(OnTheWay it, Act act) {
    __builtin_prefetch(it.run, 1);
    std::swap(it, waiting_[next_++ % waiting_.size()]);
    if (const OnTheWay& half_way = waiting_[(next_ + waiting_.size() / 2) % waiting_.size()];
        half_way.halves != nullptr)
      __builtin_prefetch(half_way.halves + *half_way.run, 1);
    if (it.run != nullptr) act(it);
  }
  template <class Act>
  void flush(Act act) {
    for (std::size_t at = 0; at < waiting_.size(); ++at)
      if (OnTheWay& it = waiting_[next_++ % waiting_.size()]; it.run != nullptr) act(std::exchange(it, {}));
  }

private:
  std::array<OnTheWay, 32> waiting_{};
  std::size_t next_ = 0;
};

/// Draws and places the rows of blocks of sources; has memory of work for one thread.
class BlockBuilder {
public:
  /// \param places  of each target population, of its neurons that are here: part << 16 | number in the part
  BlockBuilder(const Rows& rows, const std::vector<std::vector<std::uint32_t>>& places, std::size_t projections)
      : of_parts_(&rows.parts), own_(rows.own), places_(&places), synapses_(projections) {}

  /// [projections] how many it has placed.
  [[nodiscard]] const std::vector<std::uint64_t>& synapses() const noexcept { return synapses_; }

  /// Writes a block of sources into some parts: of the set, with all that is here of them.
  /// \errors parameter_out_of_range: more than 65536 synapses in a run (`value`: how many), or 2^32 halves in a block
  Status build(PlannedSet& planned, std::uint32_t block, Range into) {
    RowSet& set = planned.set;
    if (set.layout == Layout::bits) return build_bits(planned, block, into);
    const std::uint32_t first = block * set.rows_of_block,
                        rows = (std::min)(planned.sources - first, set.rows_of_block), parts = into.end - into.first;
    const std::size_t kinds = planned.kinds(), arrivals = planned.arrivals();
    const bool is_plastic = set.layout == Layout::plastic;
    const std::size_t width = set.layout == Layout::one_weight ? 1 : 2; // halves from a synapse to the next
    const std::uint64_t most = is_plastic ? 0xFFFF : most_in_run;
    const auto first_synapse = 2 + (is_plastic ? 2 * set.plasticity.words.header : 0);
    runs_.assign(std::size_t{rows} * parts * kinds, 0);
    const auto run_of = [&](const DrawnSynapse& one, std::uint32_t part, std::uint32_t arrival) -> std::uint32_t& {
      return runs_[(std::size_t{one.source - first} * parts + (part - into.first)) * kinds +
                   (one.delay - set.shortest_delay) * arrivals + arrival];
    };
    // Synapses that do not come by source go to rows that are far apart.
    const bool is_by_source = planned.is_by_source;
    Queue queue;
    each(planned, {first, first + rows}, into, [&](const PlannedSet::Member& member, std::uint64_t&) {
      return [&, places = (*places_)[member.target].data(), before = before_of(member.target),
              arrival = member.arrival](const DrawnSynapse& one) {
        const auto count_it = [](const OnTheWay& it) { ++*it.run; };
        const OnTheWay it{&run_of(one, places[one.target - before] >> 16, arrival), nullptr, 0, 0};
        is_by_source ? count_it(it) : queue.push(it, count_it);
      };
    });
    queue.flush([](const OnTheWay& it) { ++*it.run; });

    // From here on a run is where its next synapse goes.
    halves_.assign(parts, nullptr);
    for (std::uint32_t part = 0; part < parts; ++part) {
      RowSet::Block& made = set.blocks[set.place(block, into.first + part)];
      made.first.resize(rows + std::size_t{1});
      std::uint64_t size = 0;
      for (std::uint32_t row = 0; row < rows; ++row) {
        made.first[row] = static_cast<std::uint32_t>(size);
        for (std::uint32_t& run : runs(row, part, parts, kinds)) {
          if (run > most) return {Error::parameter_out_of_range, 0, run, "synapses of a run"};
          if (run != 0) size += set.halves_of_run(run);
        }
      }
      if (size > 0xFFFF'FFFFU) return {Error::parameter_out_of_range, 0, size, "halves of a block"};
      made.first[rows] = static_cast<std::uint32_t>(size);
      made.halves = Pages<std::uint16_t>::for_overwrite(static_cast<std::size_t>(size));
      halves_[part] = made.halves.data();
      for (std::uint32_t row = 0; row < rows; ++row) {
        std::uint32_t at = made.first[row], kind = 0;
        for (std::uint32_t& run : runs(row, part, parts, kinds)) {
          const auto delay = static_cast<std::uint32_t>(kind / arrivals) + set.shortest_delay;
          const auto arrival = static_cast<std::uint32_t>(kind % arrivals);
          ++kind;
          if (run == 0) continue;
          halves_[part][at] = static_cast<std::uint16_t>(run - 1);
          halves_[part][at + 1] = static_cast<std::uint16_t>(delay << 4 | arrival);
          const auto end = static_cast<std::uint32_t>(at + set.halves_of_run(run));
          run = at + first_synapse, at = end;
        }
      }
    }

    const auto write = [width, is_plastic](const OnTheWay& it) {
      std::uint16_t* const to = it.halves + *it.run;
      if (is_plastic) {
        const std::uint32_t word = std::uint32_t{it.weight} << 16 | it.target;
        std::memcpy(to, &word, sizeof word);
      } else {
        to[0] = it.target;
        if (width == 2) to[1] = it.weight;
      }
      *it.run += static_cast<std::uint32_t>(width);
    };
    each(planned, {first, first + rows}, into, [&](const PlannedSet::Member& member, std::uint64_t& count) {
      return [&, places = (*places_)[member.target].data(), before = before_of(member.target), plan = member.plan,
              arrival = member.arrival](const DrawnSynapse& one) {
        const std::uint32_t place = places[one.target - before];
        const OnTheWay it{&run_of(one, place >> 16, arrival), halves_[(place >> 16) - into.first],
                          static_cast<std::uint16_t>(place),
                          static_cast<std::uint16_t>(width == 2 ? plan->weight(one.weight_word) : 0)};
        is_by_source ? write(it) : queue.push(it, write);
        ++count;
      };
    });
    queue.flush(write);
    if (is_plastic)
      for (std::uint32_t part = into.first; part < into.end; ++part)
        for (std::uint32_t row = first; row < first + rows; ++row)
          set.each_run(set.row_to_change(row, part), [&](std::span<std::uint16_t> run) {
            const std::uint32_t delay = run[1] >> 4;
            planned.learner->begin_row(RowSet::words_of(run), 0U - delay);
          });
    return {};
  }

private:
  /// The same of rows of bits, which are drawn once.
  Status build_bits(PlannedSet& planned, std::uint32_t block, Range into) {
    RowSet& set = planned.set;
    const std::uint32_t first = block * set.rows_of_block,
                        rows = (std::min)(planned.sources - first, set.rows_of_block), parts = into.end - into.first;
    halves_.assign(parts, nullptr);
    std::vector<std::uint32_t> halves_of_row(parts);
    for (std::uint32_t part = 0; part < parts; ++part) {
      RowSet::Block& made = set.blocks[set.place(block, into.first + part)];
      const std::uint32_t lines = (of_parts_->neurons(into.first + part) + neurons_of_line - 1) / neurons_of_line;
      halves_of_row[part] = lines * (neurons_of_line / 16);
      const std::uint64_t size = std::uint64_t{rows} * halves_of_row[part];
      if (size > 0xFFFF'FFFFU) return {Error::parameter_out_of_range, 0, size, "halves of a block"};
      for (std::uint32_t row = 0; row <= rows; ++row) made.first.push_back(row * halves_of_row[part]);
      made.halves = Pages<std::uint16_t>(static_cast<std::size_t>(size));
      halves_[part] = made.halves.data();
    }
    each(planned, {first, first + rows}, into, [&](const PlannedSet::Member& member, std::uint64_t& count) {
      return
          [&, places = (*places_)[member.target].data(), before = before_of(member.target)](const DrawnSynapse& one) {
            const std::uint32_t part = (places[one.target - before] >> 16) - into.first,
                                number = places[one.target - before] & 0xFFFF;
            std::uint16_t& half = halves_[part][std::size_t{one.source - first} * halves_of_row[part] + number / 16];
            half = static_cast<std::uint16_t>(half | 1U << number % 16);
            ++count;
          };
    });
    return {};
  }
  /// How many neurons of a population come before those that are here.
  [[nodiscard]] std::uint32_t before_of(std::uint32_t target) const noexcept {
    return of_parts_->first(target, own_.first);
  }
  [[nodiscard]] std::span<std::uint32_t> runs(std::uint32_t row, std::uint32_t part, std::uint32_t parts,
                                              std::size_t kinds) noexcept {
    return std::span(runs_).subspan((std::size_t{row} * parts + part) * kinds, kinds);
  }
  /// Draws all synapses of the sources into the parts, some rows at a time, so that these stay in the caches while all
  /// projections come.
  template <class VisitorOf>
  void each(const PlannedSet& planned, Range sources, Range into, VisitorOf visitor_of) {
    constexpr std::uint32_t rows_at_a_time = 32;
    std::vector<SynapseGenerator> generators;
    std::vector<std::uint64_t> counts(planned.members.size());
    for (const auto& member : planned.members) generators.emplace_back(*member.plan);
    const std::uint32_t stride = planned.is_by_source ? rows_at_a_time : sources.end - sources.first;
    for (std::uint32_t first = sources.first; first < sources.end; first += stride)
      for (std::size_t at = 0; at < generators.size(); ++at) {
        const auto& member = planned.members[at];
        generators[at].each({first, (std::min)(first + stride, sources.end)},
                            {of_parts_->first(member.target, into.first), of_parts_->first(member.target, into.end)},
                            visitor_of(member, counts[at]));
      }
    for (std::size_t at = 0; at < generators.size(); ++at)
      synapses_[std::size_t(planned.members[at].plan->id())] += counts[at];
  }

  const Parts* of_parts_;
  Range own_;
  const std::vector<std::vector<std::uint32_t>>* places_;
  std::vector<std::uint64_t> synapses_;
  std::vector<std::uint32_t> runs_; // [row][part][kind] how many, then where
  std::vector<std::uint16_t*> halves_;
};

/// How many sources a task takes.
[[nodiscard]] inline std::uint32_t rows_of_block(const PlannedSet& planned, unsigned threads) noexcept {
  const std::size_t bytes_of_run = sizeof(std::uint32_t), parts = planned.set.parts.end - planned.set.parts.first;
  const auto rows_of = [&](std::uint64_t most_bytes, std::uint64_t bytes_of_row, std::uint64_t shares) {
    return static_cast<std::uint32_t>((std::min)(most_bytes / bytes_of_row + 1, planned.sources / shares + 1));
  };
  if (planned.is_by_source)
    return rows_of(std::size_t{1} << 20, parts * planned.kinds() * bytes_of_run, std::size_t{8} * threads);
  // A task has one part, and draws all that goes into it for each block of sources. So there are as few blocks as a byte of
  // runs a synapse, on all threads together, allows.
  std::uint64_t synapses = 0;
  for (const PlannedSet::Member& member : planned.members) synapses += member.plan->given_number().value_or(0);
  return rows_of((std::max)(synapses / threads, std::uint64_t{1} << 20), planned.kinds() * bytes_of_run,
                 (threads + parts - 1) / parts);
}

} // namespace detail

/// All synapses of a network, as rows.
/// \errors as `plan`; parameter_out_of_range: more than 65535 parts, or threads that each have one; a part of more than 65536 neurons; a source with
///         more than 65536 synapses of one delay and kind in a part, of plastic ones 65535
[[nodiscard]] inline Answer<Rows> build(const Network& network, const BuildOptions& given = {}) {
  BuildOptions options = given;
  if (options.threads == 0) options.threads = (std::max)(1U, std::thread::hardware_concurrency());
  if (options.parts == 0 && options.threads > most_parts)
    return Refusal{{Error::parameter_out_of_range, 0, options.threads, "threads"},
                   "",
                   "threads = " + std::to_string(options.threads) + ": they are " + std::to_string(most_parts) +
                       " at most where each has a part"};
  const auto planned = plan(network, options.threads);
  if (!planned) return planned.refusal();
  const std::vector<ProjectionPlan>& plans = planned.value();
  const auto& populations = network.populations();

  const auto neurons_in = [&](const Parts& parts) { // of the largest
    std::uint32_t most = 0;
    for (std::uint32_t part = 0; part < parts.count(); ++part) most = (std::max)(most, parts.neurons(part));
    return most;
  };
  const bool is_chosen = options.parts != 0;
  if (options.ranks == 0 || options.rank >= options.ranks)
    return Refusal{{Error::parameter_out_of_range, 0, options.rank, "rank"}};
  const std::uint32_t multiple = options.threads * options.ranks;
  if (!is_chosen) options.parts = multiple;
  if (options.parts < options.ranks) // each rank has one
    return Refusal{{Error::parameter_out_of_range, 0, options.parts, "parts"},
                   "",
                   std::to_string(options.parts) + " parts are fewer than the " + std::to_string(options.ranks) +
                       " ranks"};
  Parts parts(populations, options.parts);
  while (!is_chosen && neurons_in(parts) > neurons_of_part) parts = Parts(populations, options.parts += multiple);
  if (options.parts > most_parts)
    return Refusal{{Error::parameter_out_of_range, 0, options.parts, "parts"},
                   "",
                   "parts = " + std::to_string(options.parts) +
                       (is_chosen ? "" : ", so that each thread of each rank has as many") + ": they are " +
                       std::to_string(most_parts) + " at most"};
  if (const std::uint32_t most = neurons_in(parts); most > neurons_of_part)
    return Refusal{{Error::parameter_out_of_range, 0, most, "neurons of a part"},
                   "",
                   "neurons of a part = " + std::to_string(most) + ": they are " + std::to_string(neurons_of_part) +
                       " at most, so more parts are needed"};
  Rows rows{.parts = std::move(parts), .own = parts_of(options.rank, options.ranks, options.parts)};

  std::vector<detail::PlannedSet> sets = detail::sets_of(network, plans, rows.parts, options.bits_from);
  std::vector<std::vector<std::uint32_t>> places(populations.size());
  for (const detail::PlannedSet& set : sets)
    for (const auto& member : set.members)
      if (auto& of = places[member.target]; of.empty())
        for (std::uint32_t neuron = rows.parts.first(member.target, rows.own.first);
             neuron < rows.parts.first(member.target, rows.own.end); ++neuron) {
          const std::uint32_t part = rows.parts.part_of(member.target, neuron);
          of.push_back(part << 16 |
                       (rows.parts.base(part, member.target) + neuron - rows.parts.first(member.target, part)));
        }

  struct Task {
    std::size_t set;
    std::uint32_t block;
    Range into; // parts
  };
  std::vector<Task> tasks;
  for (std::size_t at = 0; at < sets.size(); ++at) {
    RowSet& set = sets[at].set;
    set.parts = rows.own;
    set.rows_of_block = detail::rows_of_block(sets[at], options.threads);
    const std::uint32_t blocks = (sets[at].sources + set.rows_of_block - 1) / set.rows_of_block;
    set.blocks.resize(set.place(blocks, rows.own.first));
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const std::uint32_t step = sets[at].is_by_source ? rows.own.end - rows.own.first : 1;
      for (std::uint32_t part = rows.own.first; part < rows.own.end; part += step)
        tasks.push_back({at, block, {part, part + step}});
    }
  }
  std::vector<detail::BlockBuilder> builders(options.threads, detail::BlockBuilder(rows, places, plans.size()));
  std::vector<Status> answers(tasks.size());
  host::in_parallel(options.threads, tasks.size(), [&](std::size_t task, unsigned thread) {
    answers[task] = builders[thread].build(sets[tasks[task].set], tasks[task].block, tasks[task].into);
  });
  for (std::size_t task = 0; task < tasks.size(); ++task)
    if (!answers[task]) return Refusal{answers[task], network.name(PopulationId(sets[tasks[task].set].set.population))};
  for (detail::PlannedSet& set : sets) rows.sets.push_back(std::move(set.set));
  rows.synapses.resize(plans.size());
  for (const detail::BlockBuilder& builder : builders)
    for (std::size_t at = 0; at < plans.size(); ++at) rows.synapses[at] += builder.synapses()[at];
  return rows;
}

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
