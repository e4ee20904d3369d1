// SPDX-License-Identifier: BSL-1.0
/// \file
/// Runs a network on the threads of a host, and on many processes.
///
///     auto made = network::Engine::make(net, {.threads = 2});
///     if (!made) return std::puts(made.sentence().c_str()), 1;
///     network::Engine& engine = made.value();
///     if (const auto refusal = engine.run(10'000); !refusal) return std::puts(refusal.sentence().c_str()), 1;
///
/// Threads own parts of the network: neurons, and all rows into them. They exchange spikes once per shortest delay, and share
/// nothing in between. What comes out depends neither on threads, nor on processes, nor on how events are delivered.
///
/// With EngineOptions::transport each rank has a run of the parts, and all ranks call make, run, totals, save and load alike.
// host-only
#ifndef NEUROMORPH_NETWORK_ENGINE_HPP
#define NEUROMORPH_NETWORK_ENGINE_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/build.hpp>
#include <neuromorph/network/detail/description.hpp>
#include <neuromorph/network/detail/part.hpp>
#include <neuromorph/network/detail/ranks.hpp>
#include <neuromorph/network/detail/rounds.hpp>
#include <neuromorph/network/live.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/plasticity.hpp>
#include <neuromorph/network/recorder.hpp>
#include <neuromorph/network/rows.hpp>
#include <neuromorph/network/transport.hpp>
#include <neuromorph/status.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

namespace detail {
class Checkpoint;
}

struct EngineOptions {
  unsigned threads = 0;    ///< 0: as many as this machine has; never more than parts
  std::uint32_t parts = 0; ///< as of BuildOptions
  Delivery delivery = Delivery::chosen;
  bool measures = false; ///< the time by phase: some looks at the clock for each part and interval
  /// By which this process has a share of the network; none: all of it. It must live as long as the engine.
  Transport* transport = nullptr;
};

/// What a run took, in seconds, the mean over threads.
struct Phases {
  double update = 0.0;    ///< neurons, sources, background
  double delivery = 0.0;  ///< synaptic events
  double exchange = 0.0;  ///< waiting for other threads and ranks, and packing what they are told
  double recording = 0.0; ///< recorders and inputs
};

class Engine {
public:
  /// Builds the rows of a network, or of this rank's share, and its neurons.
  /// \errors as `build`; of a population: as Model::make and Population::set (`where`: the neuron), receptor, rate and weight of
  ///         its background, spike times (index_out_of_range, parameter_out_of_range); fan_in_too_large: sums of 32 bits that
  ///         all synapses of a neuron and its background together could make in a step leave 30 bits; parameters_contradict: it
  ///         has no model; rank_failed: a rank is gone, refuses, or describes another network
  [[nodiscard]] static Answer<Engine> make(const Network& network, const EngineOptions& options = {}) {
    detail::Ranks ranks(options.transport);
    if (Refusal refusal = compare(network, options, ranks); !refusal) return refusal;
    auto rows = build(
        network, {.threads = options.threads, .parts = options.parts, .rank = ranks.rank(), .ranks = ranks.count()});
    if (!rows) return share(ranks, Answer<Engine>(rows.refusal()));
    return share(ranks, make_own(network, std::move(rows.value()), options));
  }
  /// The same of rows that are built.
  /// \pre    of this network
  /// \errors as above; lengths_differ: they are of other populations or projections, or of another share of the parts
  [[nodiscard]] static Answer<Engine> make(const Network& network, Rows&& rows, const EngineOptions& options = {}) {
    detail::Ranks ranks(options.transport);
    if (Refusal refusal = compare(network, options, ranks); !refusal) return refusal;
    return share(ranks, make_own(network, std::move(rows), options));
  }

  /// Tells a recorder of all steps from the next one on, until `finish`. It must live as long. Each rank may have recorders of
  /// its own, of all of the network: what they write should have other names than on other ranks, or be of one rank alone.
  /// \errors as `check` of recorder.hpp; index_out_of_range: words of a source, a word that there is not; parameters_contradict:
  ///         a recorder that is told already; all stays as it was
  Refusal record(Recorder& recorder) {
    State& state = *state_;
    const Wanted& wanted = recorder.wanted();
    if (Refusal refusal = check(state.network, wanted); !refusal) return refusal;
    if (std::find(state.recorders.begin(), state.recorders.end(), &recorder) != state.recorders.end())
      return {{Error::parameters_contradict, 0, 0, "recorder"}, "what is recorded", "the same recorder twice"};
    for (const WantedWords& one : wanted.words) {
      const auto& model = state.network[one.population].model;
      if (model == nullptr || one.word >= model->word_count())
        return {{Error::index_out_of_range, 0, one.word, "word"},
                state.network.name(one.population),
                "it has no word " + std::to_string(one.word)};
    }
    state.recorders.push_back(&recorder);
    return {};
  }
  /// Asks an input for all that its source fires from the next step on, until `finish`. It must live as long. On one rank: that
  /// two feed a source is refused by `run`.
  /// \errors index_out_of_range: there is no such population; parameters_contradict: it is no source, or fires by chance or by
  ///         a list, or is fed already; all stays as it was
  Refusal feed(Input& input) {
    State& state = *state_;
    const PopulationId id = input.population();
    if (std::size_t(id) >= state.network.populations().size())
      return {{Error::index_out_of_range, 0, std::uint32_t(id), "population"},
              "what is fed",
              "there is no population " + std::to_string(std::uint32_t(id))};
    const auto refuse = [&](const char* why) {
      return Refusal{{Error::parameters_contradict, 0, std::uint32_t(id), "population"}, state.network.name(id), why};
    };
    const Population& population = state.network[id];
    if (population.model != nullptr) return refuse("it is of neurons; only a source of add_source can be fed");
    if (!may_be_fed(population))
      return refuse("it fires by chance or by a list; only a source of add_source can be fed");
    for (const Input* const other : state.inputs)
      if (other->population() == id) return refuse("it is fed by another input");
    state.inputs.push_back(&input);
    return {};
  }
  /// Tells the recorders that the run is over, and forgets them and the inputs. All are told; the first refusal is the answer.
  Refusal finish() {
    Refusal first;
    for (Recorder* const recorder : state_->recorders) {
      Refusal refusal = recorder->on_end(state_->time);
      if (first.ok()) first = std::move(refusal);
    }
    state_->recorders.clear();
    state_->inputs.clear();
    return first;
  }

  /// Goes on for so many steps, on threads that live as long as this call; those that the system gives do it all. Where a recorder
  /// refuses, it ends within two exchanges of the step that is refused, and answers as the recorder did. One that throws ends it
  /// likewise, and its exception leaves. That recorder misses the rest, all others are told of each step up to time(). An input
  /// that refuses or throws, or whose spikes are not of its source, ends the run before the interval that it was asked for.
  ///
  /// All ranks end in the same step: where one refuses, the others answer rank_failed with its sentence, and all may go on.
  /// Where a rank is gone, or a part of the network throws, such as for memory, what is left cannot go on: from then on `run`
  /// refuses with the same sentence.
  Refusal run(std::uint64_t steps) {
    State& state = *state_;
    if (!state.broken || steps == 0) return state.broken;
    if (Refusal refusal = begin_run(steps); !refusal) return refusal;
    const bool are_many = state.ranks.are_many();
    host::Team team(state.threads);
    const unsigned threads = team.threads();
    state.running = threads;
    detail::Rounds rounds(threads, state.parts.size());
    // All threads agree on these at the end of a round; one that comes late sees what is so by then, and finds nothing to do.
    std::atomic<std::uint64_t> last_left{0}; // of the interval that is the last
    std::atomic<bool> goes_on{true};
    // By each part; the last one, while telling. What parts throw while the first thread reads these waits in the other.
    std::vector<std::exception_ptr> thrown(state.parts.size() + 1), thrown_meanwhile(state.parts.size());
    Telling telling(state.recorders.size());
    const std::uint64_t begin = state.time;
    const unsigned begin_turn = state.turn;
    std::uint64_t told = begin; // until which recorders know all
    // What follows is written by the first thread.
    Refusal not_fed, lost, heard;
    std::exception_ptr thrown_by_input;
    std::uint64_t end = begin;
    unsigned end_turn = begin_turn;
    std::vector<Phases> phases(threads);
    const auto seconds = [&] {
      if (!state.measures) return 0.0;
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    const auto own_failure = [&] {
      for (const std::exception_ptr& one : thrown)
        if (one) return thrown_refusal(one);
      if (thrown_by_input) return thrown_refusal(thrown_by_input);
      return not_fed ? telling.refusal() : not_fed;
    };
    const auto tell_until = [&](std::uint64_t time, unsigned turn) {
      if (told != time) told = time, tell(time, turn, telling);
    };
    const auto ask_inputs = [&](std::uint64_t time, unsigned turn, std::uint32_t now) {
      try {
        tell_until(time, turn);
        if (!telling.has_failed()) not_fed = ask(time, now);
      } catch (...) { thrown_by_input = std::current_exception(); }
      if (are_many)
        lost = share_fed(own_failure(), static_cast<std::uint32_t>(time) + 1, now), heard = state.ranks.heard();
      goes_on = own_failure().ok() && lost.ok() && heard.ok();
    };
    const auto work = [&](unsigned thread) {
      Phases& own = phases[thread];
      std::uint64_t time = begin;
      unsigned turn = begin_turn;
      std::uint32_t round = 0;
      double begun = seconds();
      const auto since = [&] {
        const double before = std::exchange(begun, seconds());
        return begun - before;
      };
      const auto in_round = [&](auto first, auto of_part) {
        rounds.run(
            thread, round++,
            [&] {
              own.exchange += since();
              first();
            },
            of_part);
        own.exchange += since();
      };
      const auto nothing = [](auto...) {};
      // The interval that has so many steps left is the last, unless an earlier one is: a late thread comes to the same end.
      const auto end_with = [&](std::uint64_t left) {
        for (std::uint64_t before = last_left; before < left && !last_left.compare_exchange_weak(before, left);) {}
      };
      // `call(part)`, unless the part has thrown; where it throws, the interval is the last that has `left_then`.
      const auto guarded = [&](std::size_t at, std::uint64_t left_then, std::exception_ptr& own_thrown, auto call) {
        if (thrown[at]) return;
        try {
          call(*state.parts[at]);
        } catch (...) {
          own_thrown = std::current_exception();
          end_with(left_then);
        }
      };
      const auto take_own = [&](detail::Part& part, unsigned from) {
        for (const auto& other : state.parts) part.take(other->spikes(from));
        own.delivery += since();
      };
      // What was fired in the last interval is taken by each part before it goes on, so that one round an interval is enough.
      const auto take = [&](detail::Part& part) {
        if (are_many)
          part.take(state.remote), own.delivery += since();
        else
          take_own(part, turn ^ 1);
      };
      bool has_fired = false;
      for (std::uint64_t left = steps; left != 0; turn ^= 1) {
        const auto now = static_cast<std::uint32_t>((std::min)(left, std::uint64_t{state.interval}));
        if (state.is_fed) {
          in_round([&] { ask_inputs(time, turn ^ 1, now), own.recording += since(); }, nothing);
          if (!goes_on) break;
        }
        in_round(
            [&] { // while others go on
              try {
                tell_until(time, turn ^ 1);
              } catch (...) { thrown.back() = std::current_exception(); }
              if (telling.has_failed() || thrown.back()) end_with(left);
              own.recording += since();
            },
            [&](std::size_t at) {
              own.exchange += since();
              guarded(at, left, thrown[at], [&](detail::Part& part) {
                if (has_fired) take(part);
                const double before = part.delivery_seconds();
                part.run(time, now, turn, state.is_fed ? &state.fed : nullptr);
                const double delivered = part.delivery_seconds() - before;
                own.delivery += delivered, own.update += since() - delivered;
              });
            });
        if (are_many) {
          // The spikes of this rank are on their way to the others while they are taken here.
          in_round([&] { lost = begin_exchange(own_failure(), time, turn, now), own.exchange += since(); },
                   [&](std::size_t at) {
                     own.exchange += since();
                     guarded(at, left - now, thrown_meanwhile[at], [&](detail::Part& part) { take_own(part, turn); });
                   });
          in_round(
              [&] {
                for (std::size_t at = 0; at < thrown_meanwhile.size(); ++at)
                  if (thrown_meanwhile[at]) thrown[at] = std::move(thrown_meanwhile[at]);
                if (lost) lost = end_exchange(time, now);
                heard = state.ranks.heard();
                if (!lost || !heard) end_with(left);
              },
              nothing);
        }
        has_fired = true;
        const bool is_last = left <= last_left;
        time += now, left = is_last ? 0 : left - now;
      }
      if (has_fired) in_round(nothing, [&](std::size_t at) { guarded(at, 0, thrown[at], take); });
      if (thread == 0) end = time, end_turn = turn;
    };
    team.run(work);
    state.time = end, state.turn = end_turn;
    for (const Phases& one : phases) {
      state.phases.update += one.update / threads, state.phases.delivery += one.delivery / threads;
      state.phases.exchange += one.exchange / threads, state.phases.recording += one.recording / threads;
    }
    for (const std::exception_ptr& one : thrown)
      if (one) state.broken = thrown_refusal(one);
    if (!lost) state.broken = lost;
    if (state.broken) tell_until(state.time, state.turn ^ 1);
    if (are_many && lost && state.is_told) { // the last steps may have been refused by a recorder
      static_cast<void>(state.ranks.open(detail::Talk::end, own_failure()));
      lost = state.ranks.exchange();
      if (!lost) state.broken = lost;
      if (heard) heard = state.ranks.heard();
    }
    for (const std::exception_ptr& one : thrown)
      if (one) std::rethrow_exception(one);
    if (thrown_by_input) std::rethrow_exception(thrown_by_input);
    if (!not_fed) return not_fed;
    if (Refusal refusal = telling.answer(); !refusal) return refusal;
    return lost ? heard : lost;
  }

  /// Steps since the beginning.
  [[nodiscard]] std::uint64_t time() const noexcept { return state_->time; }
  [[nodiscard]] const Rows& rows() const noexcept { return state_->rows; }
  /// On which the last run was: fewer than were asked for where the system gave no more. Before it, as many as it will ask for.
  [[nodiscard]] unsigned threads() const noexcept { return state_->running; }
  /// Of all runs; nothing where EngineOptions::measures is not set.
  [[nodiscard]] const Phases& phases() const noexcept { return state_->phases; }
  /// Steps between two exchanges.
  [[nodiscard]] std::uint32_t interval() const noexcept { return state_->interval; }

  /// What has happened since the beginning, to the parts of this rank.
  struct Counts {
    std::uint64_t spikes = 0;                 ///< of neurons and sources
    std::uint64_t events = 0;                 ///< synaptic events that have arrived
    std::uint64_t background = 0;             ///< events of Poisson input
    std::uint64_t saturations = 0;            ///< words of neurons that were held at the end of their range
    std::uint64_t input_saturations = 0;      ///< sums of synaptic input that were held at the end of their 16 bits
    std::uint64_t background_saturations = 0; ///< of sums of input, by Poisson input
    LearningCounts learned{};                 ///< of plastic synapses
  };
  /// Of this rank.
  [[nodiscard]] Counts counts() const noexcept {
    Counts sum;
    for (const auto& part : state_->parts) {
      const detail::PartCounts one = part->counts();
      sum.spikes += one.spikes, sum.events += one.delivered.events, sum.background += one.background;
      sum.saturations += one.saturations, sum.input_saturations += one.delivered.held;
      sum.background_saturations += one.background_held;
      sum.learned.held_at_highest += one.learned.held_at_highest;
      sum.learned.held_at_lowest += one.learned.held_at_lowest;
      sum.learned.held_traces += one.learned.held_traces;
    }
    return sum;
  }
  /// A digest of all spikes so far, of all words as they are, and of plastic synapses, in which parts and threads do not show.
  /// Of this rank: those of all ranks have the network's as their sum.
  [[nodiscard]] std::uint64_t digest() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& part : state_->parts) sum += part->digest();
    return sum;
  }
  /// Of all ranks together.
  struct Totals {
    Counts counts{};
    std::uint64_t digest = 0;
    std::uint64_t synapses = 0, bytes = 0; ///< as of rows() and bytes()
  };
  /// \pre    all ranks ask
  /// \errors rank_failed
  [[nodiscard]] Answer<Totals> totals() {
    State& state = *state_;
    Totals sum{counts(), digest(), state.rows.total(), bytes()};
    if (!state.broken) return state.broken;
    const auto each = [](Totals& of, auto visit) {
      Counts& counts = of.counts;
      for (std::uint64_t* const one :
           {&counts.spikes, &counts.events, &counts.background, &counts.saturations, &counts.input_saturations,
            &counts.background_saturations, &counts.learned.held_at_highest, &counts.learned.held_at_lowest,
            &counts.learned.held_traces, &of.digest, &of.synapses, &of.bytes})
        visit(*one);
    };
    auto writer = state.ranks.open(detail::Talk::total);
    each(sum, [&](std::uint64_t one) { writer.wide(one); });
    if (Refusal refusal = exchange(state); !refusal) return refusal;
    sum = {};
    for (unsigned rank = 0; rank < state.ranks.count(); ++rank)
      each(sum, [&](std::uint64_t& one) { one += state.ranks.from(rank).wide(); });
    return sum;
  }
  [[nodiscard]] unsigned rank() const noexcept { return state_->ranks.rank(); }
  [[nodiscard]] unsigned ranks() const noexcept { return state_->ranks.count(); }
  /// Whether a neuron is of this rank.
  /// \pre it is one of the population
  [[nodiscard]] bool has(PopulationId population, std::uint32_t neuron) const noexcept {
    return state_->rows.own.has(state_->rows.parts.part_of(std::uint32_t(population), neuron));
  }
  /// A word of a neuron; `place` as place_of names it.
  /// \pre population has neurons, neuron is one of them and of this rank, place is one of its words
  [[nodiscard]] std::int32_t word(PopulationId population, std::size_t place, std::uint32_t neuron) const {
    const auto of = static_cast<std::uint32_t>(population);
    const Parts& parts = state_->rows.parts;
    const std::uint32_t part = parts.part_of(of, neuron);
    return state_->parts[part - state_->rows.own.first]->neurons(of).words(place)[neuron - parts.first(of, part)];
  }
  /// The same in its physical unit.
  [[nodiscard]] double value(PopulationId population, std::size_t place, std::uint32_t neuron) const {
    return state_->network[population].model->value(place, word(population, place, neuron));
  }
  /// Memory of rows, neurons, and events under way.
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = state_->rows.bytes();
    for (const auto& part : state_->parts) sum += part->bytes();
    return sum;
  }

private:
  friend class detail::Checkpoint; // of checkpoint.hpp

  struct State {
    Network network;
    Rows rows;
    unsigned threads, running;
    std::uint32_t interval;
    detail::Ranks ranks;
    std::vector<std::unique_ptr<detail::Part>> parts = {}; ///< of this rank
    detail::IntervalSpikes remote = {}; ///< what all other ranks fired in the last interval, together
    std::vector<std::vector<std::vector<std::int32_t>>> words =
        {};                                 ///< [rank][probe][step that was due, neuron]: likewise
    std::vector<detail::Probe> probes = {}; ///< of the recorders of all ranks
    bool is_fed = false, is_told = false;   ///< there are inputs, recorders, on any rank
    Refusal broken = {};                    ///< why it cannot go on
    std::vector<Recorder*> recorders = {};
    std::vector<Input*> inputs = {};
    detail::IntervalSpikes fed = {}; ///< what inputs were asked for last
    std::uint64_t time = 0;
    unsigned turn = 0; ///< of the two lists of spikes, which is written next
    bool measures = false;
    Phases phases = {};
  };

  Engine(const Network& network, Rows&& rows, const EngineOptions& options) {
    const std::uint32_t interval = (std::min)(rows.shortest_delay(), detail::Part::longest_interval);
    unsigned threads = options.threads == 0 ? (std::max)(1U, std::thread::hardware_concurrency()) : options.threads;
    threads = (std::min)(threads, rows.parts.count());
    state_ = std::make_unique<State>(
        State{network, std::move(rows), threads, threads, interval, detail::Ranks(options.transport)});
    state_->measures = options.measures;
    if (state_->ranks.are_many()) state_->remote = detail::IntervalSpikes(network.populations().size(), interval);
  }

  /// This rank's share of an engine.
  [[nodiscard]] static Answer<Engine> make_own(const Network& network, Rows&& rows, const EngineOptions& options) {
    const detail::Ranks ranks(options.transport);
    const Range own = parts_of(ranks.rank(), ranks.count(), rows.parts.count());
    const auto refuse = [&](const char* why) {
      return Refusal{{Error::lengths_differ, 0, rows.synapses.size(), "rows"}, "rows", why};
    };
    if (rows.synapses.size() != network.projections().size() ||
        rows.parts != Parts(network.populations(), rows.parts.count()))
      return refuse("they were built of another network: of other populations or projections");
    if (rows.own.first != own.first || rows.own.end != own.end) return refuse("they are those of another rank");
    Engine engine(network, std::move(rows), options);
    State& state = *engine.state_;
    std::vector<Refusal> refusals(own.end - own.first);
    state.parts.resize(refusals.size());
    host::in_parallel(state.threads, refusals.size(), [&](std::size_t part, unsigned) {
      state.parts[part] =
          std::make_unique<detail::Part>(state.network, state.rows, own.first + static_cast<std::uint32_t>(part));
      refusals[part] = state.parts[part]->make(options.delivery);
      if (options.measures) state.parts[part]->measure();
    });
    for (const Refusal& refusal : refusals)
      if (!refusal) return refusal;
    return engine;
  }

  [[nodiscard]] static Refusal exchange(State& state) {
    Refusal refusal = state.ranks.exchange();
    if (!refusal) state.broken = refusal;
    return refusal;
  }
  /// Whether all ranks make the same network in the same parts.
  [[nodiscard]] static Refusal compare(const Network& network, const EngineOptions& options, detail::Ranks& ranks) {
    if (!ranks.are_many()) return {};
    const std::uint32_t threads =
        options.threads == 0 ? (std::max)(1U, std::thread::hardware_concurrency()) : options.threads;
    const std::vector<std::uint64_t> own = detail::digests_of(network, threads);
    auto writer = ranks.open(detail::Talk::describe);
    writer.word(options.parts), writer.word(threads);
    for (const std::uint64_t one : own) writer.wide(one);
    if (Refusal refusal = ranks.exchange(); !refusal) return refusal;
    for (unsigned rank = 0; rank < ranks.count(); ++rank) {
      auto& reader = ranks.from(rank);
      const std::uint32_t parts = reader.word(), its_threads = reader.word();
      if (parts != options.parts)
        return rank_failed(rank, "it asks for " + std::to_string(parts) + " parts, and this one for " +
                                     std::to_string(options.parts));
      if (parts == 0 && threads != its_threads)
        return rank_failed(rank, "it has " + std::to_string(its_threads) + " threads, and this one " +
                                     std::to_string(threads) + ": then the parts must be said");
      for (std::size_t at = 0; at < own.size(); ++at)
        if (reader.wide() != own[at])
          return rank_failed(rank, "it runs another network: " + detail::difference(network, at));
    }
    return {};
  }
  /// What came of the making, on all ranks.
  [[nodiscard]] static Answer<Engine> share(detail::Ranks& ranks, Answer<Engine>&& made) {
    if (!ranks.are_many()) return std::move(made);
    static_cast<void>(ranks.open(detail::Talk::build, made.refusal()));
    const Refusal refusal = ranks.exchange();
    if (!made) return std::move(made);
    if (!refusal) return refusal;
    if (!ranks.heard()) return ranks.heard();
    return std::move(made);
  }
  [[nodiscard]] static Refusal thrown_refusal(const std::exception_ptr& thrown) {
    std::string what = "it was ended by an exception";
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& exception) { what += std::string(": ") + exception.what(); } catch (...) {
    }
    return {{Error::rank_failed}, "", what};
  }

  /// All ranks know what recorders want and what is fed.
  [[nodiscard]] Refusal begin_run(std::uint64_t steps) {
    State& state = *state_;
    std::vector<detail::Probe> own;
    for (const Recorder* const recorder : state.recorders)
      for (const WantedWords& one : recorder->wanted().words)
        own.push_back({std::uint32_t(one.population), one.word, one.neurons, one.every});
    state.probes.clear();
    const auto add = [&](detail::Probe&& probe) {
      if (std::find(state.probes.begin(), state.probes.end(), probe) == state.probes.end())
        state.probes.push_back(std::move(probe));
    };
    state.is_fed = !state.inputs.empty(), state.is_told = !state.recorders.empty();
    if (state.ranks.are_many()) {
      auto writer = state.ranks.open(detail::Talk::run);
      writer.wide(state.time), writer.wide(steps);
      writer.word(static_cast<std::uint32_t>(state.recorders.size()));
      writer.word(static_cast<std::uint32_t>(state.inputs.size()));
      for (const Input* const input : state.inputs) writer.word(std::uint32_t(input->population()));
      writer.word(static_cast<std::uint32_t>(own.size()));
      for (const detail::Probe& one : own) {
        writer.word(one.population), writer.wide(one.place), writer.word(one.every);
        writer.word(static_cast<std::uint32_t>(one.neurons.size()));
        writer.words(one.neurons);
      }
      if (Refusal refusal = exchange(state); !refusal) return refusal;
      std::vector<std::pair<std::uint32_t, unsigned>> fed; // population, rank
      Refusal first;
      for (unsigned rank = 0; rank < state.ranks.count(); ++rank) {
        auto& reader = state.ranks.from(rank);
        const std::uint64_t its_time = reader.wide(), its_steps = reader.wide();
        if (first && (its_time != state.time || its_steps != steps))
          first = rank_failed(rank, "it runs " + std::to_string(its_steps) + " steps from step " +
                                        std::to_string(its_time) + ", and this one " + std::to_string(steps) +
                                        " from step " + std::to_string(state.time));
        if (reader.word() != 0) state.is_told = true;
        for (std::uint32_t inputs = reader.word(); inputs != 0; --inputs) {
          const std::uint32_t population = reader.word();
          state.is_fed = true;
          for (const auto& [other, by] : fed)
            if (first && other == population)
              first = rank_failed(rank, "it feeds " + state.network.name(PopulationId(population)) + ", as rank " +
                                            std::to_string(by) + " does");
          fed.emplace_back(population, rank);
        }
        for (std::uint32_t probes = reader.word(); probes != 0; --probes) {
          detail::Probe probe;
          probe.population = reader.word(), probe.place = static_cast<std::size_t>(reader.wide());
          probe.every = reader.word();
          const auto neurons = reader.words(reader.word());
          probe.neurons.assign(neurons.begin(), neurons.end());
          add(std::move(probe));
        }
      }
      if (!first) return first;
    }
    for (detail::Probe& probe : own) add(std::move(probe));
    for (const auto& part : state.parts) {
      part->drop_probes();
      for (const detail::Probe& probe : state.probes) part->add(probe);
    }
    state.words.assign(state.ranks.count(), std::vector<std::vector<std::int32_t>>(state.probes.size()));
    if (state.is_fed) state.fed = detail::IntervalSpikes(state.network.populations().size(), state.interval);
    return {};
  }
  /// What inputs of any rank have for the next interval is known on all of them.
  [[nodiscard]] Refusal share_fed(const Refusal& own, std::uint32_t first, std::uint32_t steps) noexcept {
    State& state = *state_;
    try {
      auto writer = state.ranks.open(detail::Talk::fed, own);
      if (own)
        write(writer, state.inputs.empty() ? std::span<const detail::IntervalSpikes>() : std::span(&state.fed, 1),
              steps);
      if (Refusal refusal = state.ranks.exchange(); !refusal) return refusal;
      if (!own || !state.ranks.heard()) return {};
      detail::IntervalSpikes others(state.network.populations().size(), state.interval);
      if (state.inputs.empty()) state.fed.begin(first, steps);
      for (unsigned rank = 0; rank < state.ranks.count(); ++rank) {
        if (rank == state.ranks.rank()) continue;
        others.begin(first, steps);
        read(state.ranks.from(rank), others, steps);
        for (std::size_t at = 0; at < state.network.populations().size(); ++at)
          for (std::uint32_t step = 0; step < steps; ++step)
            if (!others.of(at, step).empty()) state.fed.of(at, step) = others.of(at, step);
      }
    } catch (...) { return thrown_refusal(std::current_exception()); }
    return {};
  }
  [[nodiscard]] Refusal begin_exchange(const Refusal& own, std::uint64_t time, unsigned turn,
                                       std::uint32_t steps) noexcept {
    State& state = *state_;
    try {
      auto writer = state.ranks.open(detail::Talk::interval, own);
      for (std::size_t at = 0; at < state.network.populations().size(); ++at)
        for (std::uint32_t step = 0; step < steps; ++step) {
          std::size_t count = 0;
          for (const auto& part : state.parts) count += part->spikes(turn).of(at, step).size();
          writer.word(static_cast<std::uint32_t>(count));
          for (const auto& part : state.parts) writer.words(part->spikes(turn).of(at, step));
        }
      for (std::size_t probe = 0; probe < state.probes.size(); ++probe) {
        const std::uint64_t due = (time + steps) / state.probes[probe].every - time / state.probes[probe].every;
        std::size_t count = 0;
        for (const auto& part : state.parts) count += part->neurons_of_probe(probe);
        writer.word(static_cast<std::uint32_t>(due * count));
        for (std::size_t step = 0; step < due; ++step)
          for (const auto& part : state.parts) {
            const std::size_t own_count = part->neurons_of_probe(probe);
            const auto words = part->probed(probe, turn);
            for (std::size_t one = 0; one < own_count; ++one) // a part that failed has not all of them
              writer.word(static_cast<std::uint32_t>(
                  step * own_count + one < words.size() ? words[step * own_count + one] : 0));
          }
      }
      return state.ranks.begin();
    } catch (...) { return thrown_refusal(std::current_exception()); }
  }
  [[nodiscard]] Refusal end_exchange(std::uint64_t time, std::uint32_t steps) noexcept {
    State& state = *state_;
    try {
      if (Refusal refusal = state.ranks.end(); !refusal) return refusal;
      state.remote.begin(static_cast<std::uint32_t>(time) + 1, steps);
      for (unsigned rank = 0; rank < state.ranks.count(); ++rank) {
        if (rank == state.ranks.rank()) continue;
        auto& reader = state.ranks.from(rank);
        read(reader, state.remote, steps);
        for (auto& words : state.words[rank]) {
          const auto all = reader.words(reader.word());
          words.assign(all.begin(), all.end());
        }
      }
    } catch (...) { return thrown_refusal(std::current_exception()); }
    return {};
  }
  /// Spikes by population and step.
  void write(detail::MessageWriter& writer, std::span<const detail::IntervalSpikes> some, std::uint32_t steps) const {
    for (std::size_t at = 0; at < state_->network.populations().size(); ++at)
      for (std::uint32_t step = 0; step < steps; ++step) {
        std::size_t count = 0;
        for (const auto& one : some) count += one.of(at, step).size();
        writer.word(static_cast<std::uint32_t>(count));
        for (const auto& one : some) writer.words(one.of(at, step));
      }
  }
  /// Adds to what is there.
  void read(detail::MessageReader& reader, detail::IntervalSpikes& spikes, std::uint32_t steps) const {
    for (std::size_t at = 0; at < state_->network.populations().size(); ++at)
      for (std::uint32_t step = 0; step < steps; ++step) {
        const auto list = reader.words(reader.word());
        spikes.of(at, step).insert(spikes.of(at, step).end(), list.begin(), list.end());
      }
  }

  /// What recorders have answered in a run. One that has refused is not called again.
  class Telling {
  public:
    explicit Telling(std::size_t recorders) : has_refused_(recorders, false) {}
    template <class Call>
    void call(std::size_t recorder, Call call) {
      if (has_refused_[recorder]) return;
      const bool is_first = !has_failed();
      try {
        Refusal refusal = call();
        if (refusal) return;
        if (is_first) first_ = std::move(refusal);
      } catch (...) {
        if (is_first) thrown_ = std::current_exception();
      }
      has_refused_[recorder] = true;
    }
    [[nodiscard]] bool has_failed() const noexcept { return thrown_ != nullptr || !first_; }
    Refusal answer() {
      if (thrown_) std::rethrow_exception(thrown_);
      return std::move(first_);
    }
    /// The same for other ranks.
    [[nodiscard]] Refusal refusal() const { return thrown_ ? thrown_refusal(thrown_) : first_; }

  private:
    std::vector<bool> has_refused_;
    Refusal first_ = {};
    std::exception_ptr thrown_ = {};
  };

  /// Asks the inputs for what is fired in steps time + 1 to time + steps.
  Refusal ask(std::uint64_t time, std::uint32_t steps) {
    State& state = *state_;
    state.fed.begin(static_cast<std::uint32_t>(time) + 1, steps);
    for (Input* const input : state.inputs) {
      const PopulationId id = input->population();
      const std::span<std::vector<std::uint32_t>> lists(&state.fed.of(std::size_t(id), 0), steps);
      if (Refusal refusal = input->on_steps(time + 1, lists); !refusal) return refusal;
      for (std::uint32_t at = 0; at < steps; ++at) {
        auto& list = lists[at];
        std::sort(list.begin(), list.end());
        const auto refuse = [&](Error error, std::uint32_t neuron, const std::string& why) {
          return Refusal{{error, 0, neuron, "neuron"},
                         state.network.name(id),
                         "in step " + std::to_string(time + 1 + at) + " it was fed neuron " + std::to_string(neuron) +
                             why};
        };
        const std::uint32_t count = state.network[id].count;
        if (!list.empty() && list.back() >= count)
          return refuse(Error::index_out_of_range, list.back(), ", and has " + std::to_string(count));
        if (const auto twice = std::adjacent_find(list.begin(), list.end()); twice != list.end())
          return refuse(Error::parameters_contradict, *twice, " twice");
      }
    }
    return {};
  }
  /// Tells the recorders of the interval that ended at `time`.
  void tell(std::uint64_t time, unsigned turn, Telling& telling) {
    State& state = *state_;
    if (state.recorders.empty()) return;
    const std::uint32_t steps = state.parts[0]->spikes(turn).steps();
    std::vector<std::uint32_t> neurons;
    std::vector<std::int32_t> words;
    std::vector<std::uint32_t> own_neurons;
    for (std::uint32_t at = 0; at < steps; ++at) {
      const std::uint64_t step = time - steps + 1 + at;
      for (std::size_t number = 0; number < state.recorders.size(); ++number) {
        Recorder* const recorder = state.recorders[number];
        for (const PopulationId population : recorder->wanted().spikes) {
          const auto id = std::size_t(population);
          own_neurons.clear(), neurons.clear();
          for (const auto& part : state.parts) {
            const auto& some = part->spikes(turn).of(id, at);
            own_neurons.insert(own_neurons.end(), some.begin(), some.end());
          }
          if (state.ranks.are_many())
            std::merge(own_neurons.begin(), own_neurons.end(), state.remote.of(id, at).begin(),
                       state.remote.of(id, at).end(), std::back_inserter(neurons));
          else
            std::swap(neurons, own_neurons);
          if (neurons.empty()) continue;
          telling.call(number, [&] { return recorder->on_spikes(step, population, neurons); });
        }
        for (const WantedWords& one : recorder->wanted().words) {
          if (step % one.every != 0) continue;
          const detail::Probe wanted{std::uint32_t(one.population), one.word, one.neurons, one.every};
          const auto probe = static_cast<std::size_t>(std::find(state.probes.begin(), state.probes.end(), wanted) -
                                                      state.probes.begin());
          const std::uint64_t before = (time - steps) / one.every, told = step / one.every - before - 1;
          const std::uint64_t due = time / one.every - before;
          words.clear();
          const auto add = [&](std::span<const std::int32_t> all, std::size_t count) {
            const auto own = all.subspan(told * count, count);
            words.insert(words.end(), own.begin(), own.end());
          };
          for (unsigned rank = 0; rank < state.ranks.count(); ++rank)
            if (rank != state.ranks.rank())
              add(state.words[rank][probe], state.words[rank][probe].size() / due);
            else
              for (const auto& part : state.parts) add(part->probed(probe, turn), part->neurons_of_probe(probe));
          telling.call(number, [&] { return recorder->on_words(step, one.population, one.word, words); });
        }
        telling.call(number, [&] { return recorder->on_step(step); });
      }
    }
  }

  std::unique_ptr<State> state_;
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
