// SPDX-License-Identifier: BSL-1.0
/// \file
/// Runs a network on the threads of a host.
///
///     auto made = network::Engine::make(net, {.threads = 2});
///     if (!made) return std::puts(made.sentence().c_str()), 1;
///     network::Engine& engine = made.value();
///     if (const auto refusal = engine.run(10'000); !refusal) return std::puts(refusal.sentence().c_str()), 1;
///
/// Threads own parts of the network: neurons, and all rows into them. They exchange spikes once per shortest delay, and share
/// nothing in between. What comes out depends neither on threads nor on how events are delivered.
// host-only
#ifndef NEUROMORPH_NETWORK_ENGINE_HPP
#define NEUROMORPH_NETWORK_ENGINE_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/network/answer.hpp>
#include <neuromorph/network/build.hpp>
#include <neuromorph/network/detail/barrier.hpp>
#include <neuromorph/network/detail/part.hpp>
#include <neuromorph/network/live.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/plasticity.hpp>
#include <neuromorph/network/recorder.hpp>
#include <neuromorph/network/rows.hpp>
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
};

/// What a run took, in seconds, the mean over threads.
struct Phases {
  double update = 0.0;    ///< neurons, sources, background
  double delivery = 0.0;  ///< synaptic events
  double exchange = 0.0;  ///< waiting for the others
  double recording = 0.0; ///< recorders and inputs
};

class Engine {
public:
  /// Builds the rows of a network and its neurons.
  /// \errors as `build`; of a population: as Model::make and Population::set (`where`: the neuron), receptor, rate and weight of
  ///         its background, spike times (index_out_of_range, parameter_out_of_range); fan_in_too_large: sums of 32 bits that
  ///         all synapses of a neuron and its background together could make in a step leave 30 bits; parameters_contradict: it
  ///         has no model
  [[nodiscard]] static Answer<Engine> make(const Network& network, const EngineOptions& options = {}) {
    auto rows = build(network, {.threads = options.threads, .parts = options.parts});
    if (!rows) return rows.refusal();
    return make(network, std::move(rows.value()), options);
  }
  /// The same of rows that are built.
  /// \pre    of this network
  /// \errors as above; lengths_differ: they are of other populations or projections
  [[nodiscard]] static Answer<Engine> make(const Network& network, Rows&& rows, const EngineOptions& options = {}) {
    if (rows.synapses.size() != network.projections().size() ||
        rows.parts != Parts(network.populations(), rows.parts.count()))
      return Refusal{{Error::lengths_differ, 0, rows.synapses.size(), "rows"},
                     "rows",
                     "they were built of another network: of other populations or projections"};
    Engine engine(network, std::move(rows), options);
    State& state = *engine.state_;
    std::vector<Refusal> refusals(state.rows.parts.count());
    state.parts.resize(refusals.size());
    detail::in_parallel(state.threads, refusals.size(), [&](std::size_t part, unsigned) {
      state.parts[part] = std::make_unique<detail::Part>(state.network, state.rows, static_cast<std::uint32_t>(part));
      refusals[part] = state.parts[part]->make(options.delivery);
      if (options.measures) state.parts[part]->measure();
    });
    for (const Refusal& refusal : refusals)
      if (!refusal) return refusal;
    return engine;
  }

  /// Tells a recorder of all steps from the next one on, until `finish`. It must live as long.
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
    for (const WantedWords& one : wanted.words)
      for (const auto& part : state.parts)
        part->add(detail::Probe{std::uint32_t(one.population), one.word, one.neurons, one.every});
    state.recorders.push_back(&recorder);
    return {};
  }
  /// Asks an input for all that its source fires from the next step on, until `finish`. It must live as long.
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
    if (!detail::may_be_fed(population))
      return refuse("it fires by chance or by a list; only a source of add_source can be fed");
    for (const Input* const other : state.inputs)
      if (other->population() == id) return refuse("it is fed by another input");
    if (state.inputs.empty()) state.fed = detail::IntervalSpikes(state.network.populations().size(), state.interval);
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
    for (const auto& part : state_->parts) part->drop_probes();
    return first;
  }

  /// Goes on for so many steps, on threads that live as long as this call; those that the system gives do it all. Where a recorder
  /// refuses, it ends within two exchanges of the step that is refused, and answers as the recorder did; one that throws ends it
  /// likewise, and its exception leaves. That recorder misses the rest, all others are told of each step up to time(). An input
  /// that refuses or throws, or whose spikes are not of its source, ends the run before the interval that it was asked for.
  Refusal run(std::uint64_t steps) {
    if (steps == 0) return {};
    State& state = *state_;
    detail::Team team(state.threads);
    const unsigned threads = team.threads();
    state.running = threads;
    detail::Barrier barrier(threads);
    std::atomic<std::uint64_t> last_left{0}; // of the interval that is the last: all threads agree on it at its end
    std::vector<std::exception_ptr> thrown(threads);
    Telling telling(state.recorders.size());
    std::uint64_t told = state.time; // until which recorders know all
    Refusal not_fed;
    bool is_fed = true; // written while the others wait
    std::vector<Phases> phases(threads);
    const auto seconds = [&] {
      if (!state.measures) return 0.0;
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    const auto work = [&](unsigned thread) {
      Phases& own = phases[thread];
      std::uint64_t time = state.time;
      unsigned turn = state.turn;
      for (std::uint64_t left = steps; left != 0; turn ^= 1) {
        const auto now = static_cast<std::uint32_t>((std::min)(left, std::uint64_t{state.interval}));
        double begun = seconds();
        const auto since = [&] {
          const double before = std::exchange(begun, seconds());
          return begun - before;
        };
        if (!state.inputs.empty()) {
          if (thread == 0) {
            try {
              if (told != time) told = time, tell(time, turn ^ 1, telling);
              if (!telling.has_failed()) not_fed = ask(time, now);
              is_fed = !telling.has_failed() && not_fed;
            } catch (...) {
              thrown[thread] = std::current_exception();
              is_fed = false;
            }
          }
          own.recording += since();
          barrier.wait();
          own.exchange += since();
          if (!is_fed) break;
        }
        try {
          // What was fired in the last interval is told of while the others go on.
          if (thread == 0 && told != time) {
            told = time, tell(time, turn ^ 1, telling);
            if (telling.has_failed()) last_left = left;
          }
          own.recording += since();
          for (std::size_t part = thread; part < state.parts.size(); part += threads) {
            for (const auto& from : state.parts) state.parts[part]->take(from->spikes(turn ^ 1));
            const double before = state.parts[part]->delivery_seconds();
            own.delivery += since();
            state.parts[part]->run(time, now, turn, state.inputs.empty() ? nullptr : &state.fed);
            const double delivered = state.parts[part]->delivery_seconds() - before;
            own.delivery += delivered, own.update += since() - delivered;
          }
        } catch (...) {
          thrown[thread] = std::current_exception();
          last_left = left;
        }
        begun = seconds();
        barrier.wait();
        own.exchange += since();
        const bool is_last = left <= last_left;
        time += now, left = is_last ? 0 : left - now;
      }
      if (thread == 0) state.time = time, state.turn = turn;
    };
    team.run(work);
    for (const Phases& one : phases) {
      state.phases.update += one.update / threads, state.phases.delivery += one.delivery / threads;
      state.phases.exchange += one.exchange / threads, state.phases.recording += one.recording / threads;
    }
    for (const std::exception_ptr& one : thrown)
      if (one) std::rethrow_exception(one);
    if (told != state.time) tell(state.time, state.turn ^ 1, telling);
    return not_fed ? telling.answer() : not_fed;
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

  /// What has happened since the beginning.
  struct Counts {
    std::uint64_t spikes = 0;                 ///< of neurons and sources
    std::uint64_t events = 0;                 ///< synaptic events that have arrived
    std::uint64_t background = 0;             ///< events of Poisson input
    std::uint64_t saturations = 0;            ///< words of neurons that were held at the end of their range
    std::uint64_t input_saturations = 0;      ///< sums of synaptic input that were held at the end of their 16 bits
    std::uint64_t background_saturations = 0; ///< of sums of input, by Poisson input
    LearningCounts learned{};                 ///< of plastic synapses
  };
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
  [[nodiscard]] std::uint64_t digest() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& part : state_->parts) sum += part->digest();
    return sum;
  }
  /// A word of a neuron; `place` as place_of names it.
  /// \pre population has neurons, neuron is one of them, place is one of its words
  [[nodiscard]] std::int32_t word(PopulationId population, std::size_t place, std::uint32_t neuron) const {
    const auto of = static_cast<std::uint32_t>(population);
    const Parts& parts = state_->rows.parts;
    const std::uint32_t part = parts.part_of(of, neuron);
    return state_->parts[part]->neurons(of).words(place)[neuron - parts.first(of, part)];
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
    std::vector<std::unique_ptr<detail::Part>> parts = {};
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
    state_ = std::make_unique<State>(State{network, std::move(rows), threads, threads, interval});
    state_->measures = options.measures;
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
    std::vector<std::size_t> told; // of each probe, how many steps
    for (std::uint32_t at = 0; at < steps; ++at) {
      const std::uint64_t step = time - steps + 1 + at;
      std::size_t probe = 0;
      for (std::size_t number = 0; number < state.recorders.size(); ++number) {
        Recorder* const recorder = state.recorders[number];
        for (const PopulationId population : recorder->wanted().spikes) {
          neurons.clear();
          for (const auto& part : state.parts) {
            const auto& own = part->spikes(turn).of(std::size_t(population), at);
            neurons.insert(neurons.end(), own.begin(), own.end());
          }
          if (neurons.empty()) continue;
          telling.call(number, [&] { return recorder->on_spikes(step, population, neurons); });
        }
        for (const WantedWords& one : recorder->wanted().words) {
          if (told.size() <= probe) told.resize(probe + 1);
          if (step % one.every == 0) {
            words.clear();
            for (const auto& part : state.parts) {
              const std::size_t count = part->neurons_of_probe(probe);
              const auto own = part->probed(probe, turn).subspan(told[probe] * count, count);
              words.insert(words.end(), own.begin(), own.end());
            }
            ++told[probe];
            telling.call(number, [&] { return recorder->on_words(step, one.population, one.word, words); });
          }
          ++probe;
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
