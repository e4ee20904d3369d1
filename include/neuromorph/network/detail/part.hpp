// SPDX-License-Identifier: BSL-1.0
/// \file
/// A part of a network: its neurons and sources, what is on its way to them, and the spikes of the last interval.
// host-only
#ifndef NEUROMORPH_NETWORK_DETAIL_PART_HPP
#define NEUROMORPH_NETWORK_DETAIL_PART_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/kernels/neurons/background.hpp>
#include <neuromorph/network/delivery.hpp>
#include <neuromorph/network/given.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/neurons.hpp>
#include <neuromorph/network/plasticity.hpp>
#include <neuromorph/network/poisson_input.hpp>
#include <neuromorph/network/rows.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {
namespace detail {

struct PartCounts {
  DeliveryCounts delivered{};
  LearningCounts learned{};
  std::uint64_t spikes = 0, background = 0, background_held = 0, saturations = 0;
};

/// Spikes of some steps: of each population, step by step, ascending.
class IntervalSpikes {
public:
  IntervalSpikes() = default;
  IntervalSpikes(std::size_t populations, std::uint32_t steps) : steps_(steps), lists_(populations * steps) {}

  void begin(std::uint32_t first_step, std::uint32_t steps) noexcept {
    first_ = first_step, filled_ = steps;
    for (auto& list : lists_) list.clear();
  }
  [[nodiscard]] std::vector<std::uint32_t>& of(std::size_t population, std::uint32_t at) noexcept {
    return lists_[population * steps_ + at];
  }
  [[nodiscard]] const std::vector<std::uint32_t>& of(std::size_t population, std::uint32_t at) const noexcept {
    return lists_[population * steps_ + at];
  }
  [[nodiscard]] std::uint32_t first() const noexcept { return first_; }
  [[nodiscard]] std::uint32_t steps() const noexcept { return filled_; }

private:
  std::uint32_t steps_ = 0, first_ = 0, filled_ = 0;
  std::vector<std::vector<std::uint32_t>> lists_{};
};

/// Words of chosen neurons that are kept while the network runs.
struct Probe {
  std::uint32_t population = 0;
  std::size_t place = 0;
  std::vector<std::uint32_t> neurons = {}; ///< ascending
  std::uint32_t every = 1;                 ///< steps
  friend bool operator==(const Probe&, const Probe&) = default;
};

/// One of the last steps, kept until all of its synaptic events have arrived.
struct RecentSpike {
  std::uint32_t population, neuron;
  friend auto operator<=>(const RecentSpike&, const RecentSpike&) = default;
};

class Part {
public:
  static constexpr std::uint32_t longest_interval = 64;
  static constexpr std::size_t cached_bytes = std::size_t{256}
                                              << 10; ///< of input that is delivered before neurons step

  /// \param rows  of which plastic ones that are this part's change while it runs
  Part(const Network& network, Rows& rows, std::uint32_t number) : network_(&network), rows_(&rows), number_(number) {}

  /// \errors as Engine::make
  [[nodiscard]] Refusal make(Delivery delivery) {
    const auto& populations = network_->populations();
    const std::uint32_t interval = (std::min)(rows_->shortest_delay(), longest_interval);
    for (IntervalSpikes& one : spikes_) one = IntervalSpikes(populations.size(), interval);
    members_.resize(populations.size());
    PartDelivery::Shape shape{.neurons = rows_->parts.neurons(number_),
                              .sets = static_cast<std::uint32_t>(rows_->sets.size())};
    for (std::uint32_t at = 0; at < populations.size(); ++at) {
      if (populations[at].model == nullptr && !populations[at].units_per_one.empty())
        return {{Error::parameters_contradict, 0, 0, "model"},
                network_->name(PopulationId(at)),
                "only its numbers are known: it has no model to run"};
      if (Status status = make(at); !status) return {status, network_->name(PopulationId(at))};
      if (Status status = make_neurons(at); !status) return {status, name_of(at, status.where)};
      if (members_[at].neurons == nullptr) continue;
      shape.receptors = (std::max)(shape.receptors, static_cast<std::uint32_t>(populations[at].units_per_one.size()));
      (populations[at].input_bits == 16 ? shape.has_narrow : shape.has_wide) = true;
    }
    for (const RowSet& set : rows_->sets) shape.longest_delay = (std::max)(shape.longest_delay, set.longest_delay);
    const std::size_t bytes = std::size_t{shape.neurons} * shape.receptors * (shape.has_wide ? 4 : 2);
    steps_at_once_ = static_cast<std::uint32_t>((std::min)(
        std::size_t{interval}, (std::max)(std::size_t{1}, cached_bytes / (std::max)(bytes, std::size_t{1}))));
    shape.steps_at_once = steps_at_once_;
    longest_delay_ = shape.longest_delay;
    recent_.resize(std::bit_ceil(longest_delay_)); // the remainder of a step that wraps goes on
    std::vector<Learner*> learners = make_learners();
    shape.learns = !learners_.empty();
    shape.run_length = rows_->run_length(number_);
    delivery_ = PartDelivery(shape, delivery);
    delivery_.learn_by(rows_->sets.data(), std::move(learners));
    return check_fan_in();
  }

  /// Keeps words from the next step on.
  void add(const Probe& probe) {
    const Member& member = members_[probe.population];
    OwnProbe& own = probes_.emplace_back();
    own.population = probe.population, own.place = probe.place, own.every = probe.every;
    for (const std::uint32_t neuron : probe.neurons)
      if (neuron >= member.first && neuron < member.first + member.count) own.neurons.push_back(neuron - member.first);
  }
  void drop_probes() { probes_.clear(); }
  /// [steps that were due][neurons of the probe in this part]
  [[nodiscard]] std::span<const std::int32_t> probed(std::size_t probe, unsigned turn) const noexcept {
    return probes_[probe].words[turn];
  }
  [[nodiscard]] std::size_t neurons_of_probe(std::size_t probe) const noexcept { return probes_[probe].neurons.size(); }

  /// Takes what another part, or this one, has fired in its last interval.
  void take(const IntervalSpikes& from) {
    for (std::uint32_t number = 0; number < rows_->sets.size(); ++number) {
      const RowSet& set = rows_->sets[number];
      for (std::uint32_t at = 0; at < from.steps(); ++at)
        if (const auto& sources = from.of(set.population, at); !sources.empty())
          delivery_.take(set, number, number_, sources, from.first() + at);
    }
  }
  /// Steps time + 1 to time + steps, whose input is all taken.
  /// \param fed  what sources are told to fire in them, of all of the network; or none
  void run(std::uint64_t time, std::uint32_t steps, unsigned turn, const IntervalSpikes* fed) {
    const auto first = static_cast<std::uint32_t>(time) + 1;
    IntervalSpikes& spikes = spikes_[turn];
    spikes.begin(first, steps);
    for (std::uint32_t at = 0; at < members_.size(); ++at)
      if (members_[at].is_source) fire(at, time, steps, spikes, fed);
    for (OwnProbe& probe : probes_) probe.words[turn].clear();
    for (std::uint32_t done = 0; done < steps;) {
      std::uint32_t now = (std::min)(steps - done, steps_at_once_);
      for (const OwnProbe& probe : probes_) { // words are read when all neurons are in a step that is due
        const std::uint64_t until = probe.every - (time + done) % probe.every;
        if (until < now) now = static_cast<std::uint32_t>(until);
      }
      const double begun = seconds();
      for (std::uint32_t at = done; at < done + now; ++at) {
        delivery_.deliver(first + at);
        if (!learners_.empty() && (time + at + 1) % Learner::look_every == 0) look_at_rows(first + at);
      }
      delivery_seconds_ += seconds() - begun;
      for (std::uint32_t at = 0; at < members_.size(); ++at)
        if (members_[at].neurons != nullptr) step(at, first, done, done + now, spikes);
      for (std::uint32_t at = done; at < done + now; ++at) delivery_.close(first + at, counts_.delivered);
      done += now;
      for (OwnProbe& probe : probes_) {
        if ((time + done) % probe.every != 0) continue;
        const auto words = members_[probe.population].neurons->words(probe.place);
        for (const std::uint32_t neuron : probe.neurons) probe.words[turn].push_back(words[neuron]);
      }
    }
    for (std::uint32_t step = 0; step < steps; ++step) {
      auto& recent = recent_[(first + step) % recent_.size()];
      recent.clear();
      for (std::uint32_t at = 0; at < members_.size(); ++at)
        for (const std::uint32_t neuron : spikes.of(at, step)) {
          history_ += hash(at, neuron, time + 1 + step);
          recent.push_back({at, neuron});
        }
    }
  }

  /// The spikes of a step. \pre it is one of the last, as many as the longest delay has
  [[nodiscard]] const std::vector<RecentSpike>& recent(std::uint32_t step) const noexcept {
    return recent_[step % recent_.size()];
  }
  /// Nothing is under way, as after a step without spikes.
  void forget_spikes(std::uint32_t step) {
    delivery_.clear();
    for (IntervalSpikes& one : spikes_) one.begin(step, 0);
    for (auto& one : recent_) one.clear();
  }
  /// Takes all spikes of a step again, of which all that arrives up to `time` has been delivered before.
  /// \pre those of steps before it were taken before, and forget_spikes
  void take_again(std::span<const RecentSpike> all, std::uint32_t step, std::uint32_t time) {
    for (const RecentSpike& one : all) {
      for (std::uint32_t number = 0; number < rows_->sets.size(); ++number)
        if (const RowSet& set = rows_->sets[number]; set.population == one.population)
          delivery_.take_rest(set, number, number_, one.neuron, step, time);
      const Member& member = members_[one.population];
      if (one.neuron >= member.first && one.neuron - member.first < member.count)
        recent_[step % recent_.size()].push_back(one);
    }
  }

  [[nodiscard]] const IntervalSpikes& spikes(unsigned turn) const noexcept { return spikes_[turn]; }
  /// From now on `run` looks at the clock.
  void measure() noexcept { is_measured_ = true; }
  /// Of `run`, in the delivery of what is due.
  [[nodiscard]] double delivery_seconds() const noexcept { return delivery_seconds_; }
  [[nodiscard]] PartCounts counts() const noexcept {
    PartCounts all = counts_;
    for (const Learning& one : learners_) {
      const LearningCounts learned = one.learner->counts();
      all.learned.held_at_highest += learned.held_at_highest;
      all.learned.held_at_lowest += learned.held_at_lowest;
      all.learned.held_traces += learned.held_traces;
    }
    return all;
  }
  /// \pre the population is of neurons
  [[nodiscard]] const Neurons& neurons(std::uint32_t population) const noexcept {
    return *members_[population].neurons;
  }
  /// A sum: of spikes, of words, and of all that plastic rows have.
  [[nodiscard]] std::uint64_t digest() const noexcept {
    std::uint64_t sum = history_;
    for (std::uint32_t at = 0; at < members_.size(); ++at) {
      if (members_[at].neurons == nullptr) continue;
      const Neurons& neurons = *members_[at].neurons;
      for (std::size_t place = 0; place < neurons.word_count(); ++place) {
        std::uint32_t neuron = members_[at].first;
        for (const std::int32_t word : neurons.words(place))
          sum += hash(at, neuron++, std::uint64_t{static_cast<std::uint32_t>(word)} << 16 | (place + 1) << 8 | 0xFF);
      }
    }
    for (const RowSet& set : rows_->sets) {
      if (set.layout != Layout::plastic) continue;
      for (std::uint32_t source = 0; source < rows_->sources_of(set); ++source)
        set.each_run(set.row(source, number_),
                     [&](std::span<const std::uint16_t> run) { sum += digest(set, source, run); });
    }
    return sum;
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = delivery_.bytes();
    for (const auto& one : recent_) sum += sizeof(std::vector<RecentSpike>) + one.capacity() * sizeof(RecentSpike);
    for (const Learning& one : learners_) sum += one.learner->bytes();
    for (const Member& member : members_) {
      if (member.neurons != nullptr) sum += member.neurons->bytes();
      for (const Drive& drive : member.drives) sum += drive.input.bytes();
      sum += member.input.bytes() + member.times.size() * sizeof(DueSpike);
    }
    return sum;
  }

private:
  friend class Checkpoint; // of checkpoint.hpp

  /// A rule that synapses of this part learn by.
  struct Learning {
    Plasticity by = {};
    std::unique_ptr<Learner> learner = {};
  };
  struct OwnProbe {
    std::uint32_t population = 0;
    std::size_t place = 0;
    std::uint32_t every = 1;
    std::vector<std::uint32_t> neurons = {}; ///< counted from the member's first
    std::array<std::vector<std::int32_t>, 2> words = {};
  };
  struct Drive {
    PoissonInput input{};
    std::uint32_t receptor = 0;
    std::int32_t weight = 0;
    bool is_narrow = false; ///< added to sums of 16 bits
  };
  /// What of a population is in this part.
  struct Member {
    std::uint32_t first = 0, count = 0;
    std::unique_ptr<Neurons> neurons = {};
    std::vector<Drive> drives = {};
    std::vector<Learner*> learners = {}; // of synapses into it
    bool is_source = false, is_random = false;
    PoissonInput input = {};          // of a source
    std::vector<DueSpike> times = {}; // of a source, ascending
    std::size_t next_time = 0;
  };

  [[nodiscard]] static std::uint32_t groups_of(std::uint32_t neurons) noexcept {
    return (neurons + neurons_of_group - 1) / neurons_of_group;
  }

  [[nodiscard]] Status make(std::uint32_t at) {
    const Population& population = network_->populations()[at];
    const Settings& settings = network_->settings();
    Member& member = members_[at];
    member.first = rows_->parts.first(at, number_);
    member.count = rows_->parts.first(at, number_ + 1) - member.first;
    const std::uint32_t first_group = member.first / neurons_of_group, groups = groups_of(member.count);
    if (const Status status = check_given(population, settings.dt_ms); !status) return status;
    for (std::uint32_t which = 0; which < population.background.size(); ++which)
      if (const Status status = make(population, at, which, member.drives.emplace_back(), first_group, groups); !status)
        return status;
    if (population.model != nullptr) return {};
    member.is_source = true, member.is_random = population.poisson_hz != 0.0;
    if (member.is_random)
      if (const Status status = PoissonInput::make(population.poisson_hz, settings.dt_ms, {settings.seed, at, 0},
                                                   first_group, groups, member.input);
          !status)
        return status;
    for (const DueSpike& one : listed_spikes(population, settings.dt_ms))
      if (one.neuron >= member.first && one.neuron < member.first + member.count) member.times.push_back(one);
    return {};
  }
  [[nodiscard]] Status make(const Population& population, std::uint32_t at, std::uint32_t which, Drive& drive,
                            std::uint32_t first_group, std::uint32_t groups) const {
    const Background& given = population.background[which];
    const auto units = background_units(population, which);
    if (!units) return units.status();
    drive.receptor = given.receptor, drive.weight = units.value();
    drive.is_narrow = population.input_bits == 16;
    const Settings& settings = network_->settings();
    return PoissonInput::make(given.rate_hz, settings.dt_ms, {settings.seed, at, which + 1}, first_group, groups,
                              drive.input);
  }
  /// \errors `where` is the neuron: as NeuronModel::make
  [[nodiscard]] Status make_neurons(std::uint32_t at) {
    const Population& population = network_->populations()[at];
    Member& member = members_[at];
    if (population.model == nullptr) return {};
    return population.model->make(network_->settings().seed, at, member.first, member.count, population.initial,
                                  member.neurons);
  }
  /// One for each rule and range; answers which are those of the sets, and tells populations whose synapses learn.
  [[nodiscard]] std::vector<Learner*> make_learners() {
    std::vector<Learner*> of_sets(rows_->sets.size());
    for (std::size_t number = 0; number < of_sets.size(); ++number) {
      const RowSet& set = rows_->sets[number];
      if (set.layout != Layout::plastic) continue;
      auto found = std::find_if(learners_.begin(), learners_.end(),
                                [&](const Learning& one) { return one.by == set.plasticity; });
      if (found == learners_.end()) {
        found = learners_.insert(found, Learning{set.plasticity});
        found->learner = set.plasticity.rule->make(network_->settings().dt_ms, set.plasticity.range,
                                                   set.plasticity.is_signed, rows_->parts.neurons(number_));
      }
      of_sets[number] = found->learner.get();
    }
    for (const Projection& projection : network_->projections()) {
      if (projection.synapses.plasticity == nullptr) continue;
      auto& of_target = members_[std::size_t(projection.target)].learners;
      for (const Learning& one : learners_)
        if (one.by.rule == projection.synapses.plasticity &&
            std::find(of_target.begin(), of_target.end(), one.learner.get()) == of_target.end())
          of_target.push_back(one.learner.get());
    }
    return of_sets;
  }
  /// Brings rows up to date that had no spike for long. All spikes that arrive up to `step` have come.
  void look_at_rows(std::uint32_t step) {
    for (RowSet& set : rows_->sets) {
      if (set.layout != Layout::plastic) continue;
      Learner& learner = *delivery_.learner_of(set);
      for (std::uint32_t source = 0; source < rows_->sources_of(set); ++source)
        set.each_run(set.row_to_change(source, number_), [&](std::span<std::uint16_t> run) {
          const std::uint32_t delay = run[1] >> 4;
          learner.look_at(RowSet::words_of(run), step - 2 * delay);
        });
    }
    for (const Learning& one : learners_) one.learner->forget(step - 2 * longest_delay_ - Learner::flush_after);
  }
  /// Of a run of plastic synapses: of each its word and state, and what else a rule keeps for it.
  [[nodiscard]] std::uint64_t digest(const RowSet& set, std::uint32_t source,
                                     std::span<const std::uint16_t> run) const noexcept {
    std::uint64_t sum = 0;
    const std::size_t synapses = std::size_t{run[0]} + 1;
    for (std::size_t at = 0; at < synapses; ++at) {
      std::uint64_t value = set.population;
      std::uint32_t target = 0;
      for (std::size_t which = 0; which < set.plasticity.words.of_synapse; ++which) {
        std::uint32_t word;
        std::memcpy(&word, run.data() + 2 + 2 * (set.plasticity.words.header + which * synapses + at), sizeof word);
        if (which == 0) target = word & 0xFFFF, word = word >> 16 | std::uint32_t{run[1]} >> 4 << 16;
        value = hash(source, static_cast<std::uint32_t>(which), value ^ word);
      }
      const Parts::Neuron neuron = rows_->parts.neuron(number_, target);
      sum += hash(neuron.population, neuron.neuron, value);
    }
    return sum;
  }
  /// Sums of 32 bits are not checked while the network runs.
  [[nodiscard]] Refusal check_fan_in() const {
    const auto& populations = network_->populations();
    std::vector<std::uint64_t> sums;
    for (const RowSet& set : rows_->sets) {
      const bool is_wide = std::any_of(set.arrivals.begin(), set.arrivals.end(),
                                       [](const Arrival& one) { return one.input_bits == 32; });
      if (!is_wide) continue;
      sums.resize(rows_->parts.neurons(number_) * std::size_t{receptors_of_all()});
      const std::vector<std::uint32_t> times =
          most_spikes(populations[set.population], network_->settings().dt_ms, members_[set.population].input.most());
      std::int64_t most_learned = 0;
      for (const Arrival& arrival : set.arrivals)
        for (const std::int64_t end : {set.plasticity.range.highest, -set.plasticity.range.lowest})
          most_learned = (std::max)(most_learned, end * (std::int64_t{1} << arrival.shift));
      for (std::uint32_t source = 0; source < rows_->sources_of(set); ++source)
        set.each(set.row(source, number_), [&](const ArrivingSynapse& one) {
          const std::int64_t weight = one.weight < 0 ? -one.weight : one.weight;
          sums[one.target * std::size_t{receptors_of_all()} + one.receptor] +=
              times[source] * static_cast<std::uint64_t>((std::max)(weight, most_learned));
        });
    }
    for (std::uint32_t at = 0; at < populations.size(); ++at)
      for (const Drive& drive : members_[at].drives) {
        if (drive.is_narrow) continue;
        sums.resize(rows_->parts.neurons(number_) * std::size_t{receptors_of_all()});
        const std::uint64_t most =
            drive.input.most() * static_cast<std::uint64_t>(drive.weight < 0 ? -drive.weight : drive.weight);
        for (std::uint32_t neuron = 0; neuron < members_[at].count; ++neuron)
          sums[(rows_->parts.base(number_, at) + neuron) * std::size_t{receptors_of_all()} + drive.receptor] += most;
      }
    for (std::size_t at = 0; at < sums.size(); ++at) {
      if (sums[at] < std::uint64_t{1} << 30) continue;
      const auto neuron = rows_->parts.neuron(number_, static_cast<std::uint32_t>(at / receptors_of_all()));
      if (populations[neuron.population].input_bits == 16) continue;
      return {{Error::fan_in_too_large, neuron.neuron, sums[at]}, name_of(neuron.population, neuron.neuron)};
    }
    return {};
  }
  [[nodiscard]] std::string name_of(std::uint32_t population, std::size_t neuron) const {
    return network_->name(PopulationId(population)) + ", neuron " + std::to_string(neuron);
  }
  [[nodiscard]] std::uint32_t receptors_of_all() const noexcept {
    std::size_t most = 1;
    for (const Population& one : network_->populations()) most = (std::max)(most, one.units_per_one.size());
    return static_cast<std::uint32_t>(most);
  }

  /// What sources fire.
  void fire(std::uint32_t at, std::uint64_t time, std::uint32_t steps, IntervalSpikes& spikes,
            const IntervalSpikes* fed) {
    Member& member = members_[at];
    if (fed != nullptr)
      for (std::uint32_t step = 0; step < steps; ++step) {
        const auto& all = fed->of(at, step);
        const auto begin = std::lower_bound(all.begin(), all.end(), member.first);
        spikes.of(at, step).assign(begin, std::lower_bound(begin, all.end(), member.first + member.count));
      }
    if (member.is_random)
      for (std::uint32_t group = 0; group < groups_of(member.count); ++group) {
        const std::uint32_t first = group * neurons_of_group;
        const std::uint32_t count = (std::min)(neurons_of_group, member.count - first);
        for (std::uint32_t step = 0; step < steps; ++step) {
          PoissonInput::Counts drawn;
          member.input.draw(group, drawn);
          for (std::uint32_t one = 0; one < count; ++one)
            for (std::uint32_t event = 0; event < drawn[one]; ++event)
              spikes.of(at, step).push_back(member.first + first + one);
        }
      }
    for (; member.next_time < member.times.size(); ++member.next_time) {
      const DueSpike& due = member.times[member.next_time];
      if (due.step > time + steps) break;
      auto& list = spikes.of(at, static_cast<std::uint32_t>(due.step - time - 1));
      list.insert(std::upper_bound(list.begin(), list.end(), due.neuron), due.neuron);
    }
    for (std::uint32_t step = 0; step < steps; ++step) counts_.spikes += spikes.of(at, step).size();
  }

  /// Steps a population, block by block, through some steps.
  void step(std::uint32_t at, std::uint32_t first_step, std::uint32_t begin, std::uint32_t end,
            IntervalSpikes& spikes) {
    Member& member = members_[at];
    const std::uint32_t base = rows_->parts.base(number_, at);
    std::array<std::uint32_t, Neurons::block> fired;
    for (std::uint32_t block = 0; block * Neurons::block < member.count; ++block) {
      const std::uint32_t from = block * Neurons::block, count = (std::min)(Neurons::block, member.count - from);
      for (std::uint32_t step = begin; step < end; ++step) {
        const StepInput input = delivery_.input(first_step + step).from(base + from);
        for (Drive& drive : member.drives) add(drive, input, from, count);
        const StepCounts counts = member.neurons->step(block, input, first_step + step, fired.data());
        counts_.saturations += counts.saturations;
        counts_.spikes += counts.spikes;
        for (Learner* const learner : member.learners)
          learner->post_spikes(base + from, std::span(fired).first(counts.spikes), first_step + step);
        auto& list = spikes.of(at, step);
        for (std::uint32_t one = 0; one < counts.spikes; ++one) list.push_back(member.first + from + fired[one]);
      }
    }
  }
  /// Adds the Poisson input of a block for a step.
  void add(Drive& drive, const StepInput& input, std::uint32_t from, std::uint32_t count) noexcept {
    for (std::uint32_t first = 0; first < count; first += neurons_of_group) {
      PoissonInput::Counts drawn;
      drive.input.draw((from + first) / neurons_of_group, drawn);
      const std::uint32_t here = (std::min)(neurons_of_group, count - first);
      const std::span<const std::uint8_t> own(drawn.data(), here);
      const std::size_t at = drive.receptor * input.stride + first;
      counts_.background_held += drive.is_narrow ? add_events(input.narrow + at, own, drive.weight)
                                                 : add_events(input.wide + at, own, drive.weight);
      std::uint32_t events = 0;
      for (const std::uint8_t count_of_one : own) events += count_of_one;
      counts_.background += events;
    }
  }

  [[nodiscard]] static std::uint64_t hash(std::uint32_t population, std::uint32_t neuron, std::uint64_t what) noexcept {
    std::uint64_t value = (std::uint64_t{population} << 32 | neuron) * 0x9E37'79B9'7F4A'7C15U ^ what;
    value *= 0xBF58'476D'1CE4'E5B9U;
    value ^= value >> 31;
    value *= 0x94D0'49BB'1331'11EBU;
    return value ^ value >> 29;
  }

  [[nodiscard]] double seconds() const noexcept {
    if (!is_measured_) return 0.0;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  const Network* network_;
  Rows* rows_;
  std::uint32_t number_;
  std::uint32_t steps_at_once_ = 1, longest_delay_ = 1;
  std::vector<Member> members_{};
  std::vector<Learning> learners_{};
  PartDelivery delivery_{};
  std::vector<OwnProbe> probes_{};
  std::array<IntervalSpikes, 2> spikes_{};
  std::vector<std::vector<RecentSpike>> recent_{}; // by step
  PartCounts counts_{};
  std::uint64_t history_ = 0;
  bool is_measured_ = false;
  double delivery_seconds_ = 0.0;
};

} // namespace detail
} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
