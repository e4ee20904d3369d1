// SPDX-License-Identifier: BSL-1.0
// Measures a network: how long its run takes, and of that each kind of event; its memory; what it fires; and beside these the
// bounds that the machine sets, in the same run.
#ifndef BENCHMARKS_NETWORK_MEASURE_HPP
#define BENCHMARKS_NETWORK_MEASURE_HPP

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <time.h>

#include <neuromorph/network/engine.hpp>
#include <neuromorph/network/poisson_input.hpp>
#include <neuromorph/network/recording.hpp>
#include <neuromorph/network/statistics.hpp>

#include "../../examples/support/words.hpp"
#include "../figures.hpp"

namespace measured {

using figures::Figure;

namespace network = neuromorph::network;

/// A range in which an outcome was found by others; 0: nobody has said.
struct Range {
  double least = 0.0, most = 0.0;
};

/// The same network with the synapses of a file, and how its neurons begin by another.
using FromFiles =
    std::function<neuromorph::Answer<network::Network>(const std::string& connections, const std::string& initial)>;

struct Measured {
  const char* name; ///< of the program, `network.<name>`, and of its keys, `network/<name>/`
  std::function<network::Network()> describe;
  double seconds;                ///< that are simulated
  Range spikes = {}, cv = {};    ///< in these
  std::vector<Range> rates = {}; ///< the same of each population, in Hz
  double settling_ms = 0.0;      ///< before rates are counted
  double goal = 0.0;             ///< seconds of a run on `threads` threads
  bool doubles = false;          ///< whether two threads are measured, too
  std::uint32_t repetitions = 5, threads = 1;
  std::function<void(const network::Network&, const network::Engine&)> outcome = {}; ///< prints what else came of a run
  FromFiles from_files = {}; ///< of which `spikes` and `cv` are then
};

struct Options {
  std::uint32_t repetitions = 5, threads = 1, seed = 1;
  network::Delivery delivery = network::Delivery::chosen;
  std::string json{}, connections{}, initial{};
};

/// Seconds on the wall, and of these what this thread has computed.
struct Seconds {
  double wall = 0.0, thread = 0.0;
  friend Seconds operator-(const Seconds& a, const Seconds& b) { return {a.wall - b.wall, a.thread - b.thread}; }
};
inline Seconds now() {
  const auto read = [](clockid_t clock) {
    struct timespec time {};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  return {read(CLOCK_MONOTONIC), read(CLOCK_THREAD_CPUTIME_ID)};
}

/// Of several runs, in seconds.
struct Times {
  double best = HUGE_VAL, worst = 0.0;
  void add(double seconds) { best = (std::min)(best, seconds), worst = (std::max)(worst, seconds); }
};

/// The same network without its synapses and what they learn by, or its background as well: delays stay, and with them all that
/// depends on them.
inline network::Network without(const network::Network& whole, bool has_background) {
  network::Network net(whole.settings());
  for (network::Population population : whole.populations()) {
    if (!has_background) population.background.clear();
    net.add(std::move(population));
  }
  for (network::Projection one : whole.projections()) {
    one.synapses.plasticity = nullptr;
    net.connect(one.source, one.target, network::FixedTotal{.total = 0}, one.synapses);
  }
  return net;
}

/// The same description, of which another network is drawn.
inline network::Network drawn_anew(const network::Network& whole, std::uint64_t seed) {
  network::Network net({.dt_ms = whole.settings().dt_ms, .seed = seed});
  for (const network::Population& population : whole.populations()) net.add(population);
  for (const network::Projection& one : whole.projections())
    net.connect(one.source, one.target, one.connector, one.synapses);
  return net;
}

/// The same network, whose synapses stay as they begin. Where they all begin with one weight, they have a word each as those
/// that learn have: weights that differ by 1 % at most.
inline network::Network without_learning(const network::Network& whole) {
  network::Network net(whole.settings());
  for (const network::Population& population : whole.populations()) net.add(population);
  for (network::Projection one : whole.projections()) {
    if (one.synapses.plasticity != nullptr && one.synapses.weight.is_fixed()) {
      const double weight = one.synapses.weight.fixed();
      one.synapses.weight = network::uniform(0.99 * weight, 1.01 * weight);
    }
    one.synapses.plasticity = nullptr;
    net.connect(one.source, one.target, one.connector, one.synapses);
  }
  return net;
}

/// Fresh engines, one for each run.
class Runs {
public:
  Runs(network::Network net, std::uint64_t steps, const network::EngineOptions& options)
      : net_(std::move(net)), steps_(steps), options_(options) {}

  /// \return why the network is refused; empty if it is not
  std::string once() {
    const Seconds begin = now();
    auto made = network::Engine::make(net_, options_);
    if (!made) return made.sentence();
    network::Engine& engine = made.value();
    builds_.add(counted(now() - begin));
    const Seconds start = now();
    const auto refusal = engine.run(steps_);
    if (!refusal) return refusal.sentence();
    const Seconds taken = now() - start;
    runs_.add(counted(taken)), walls_.add(taken.wall);
    counts_ = engine.counts(), bytes_ = engine.bytes(), interval_ = engine.interval();
    synapses_ = engine.rows().total(), bytes_of_rows_ = engine.rows().bytes();
    return {};
  }
  [[nodiscard]] const network::Network& net() const { return net_; }
  /// Time of the thread where there is one, so that what else the machine does is left out; else on the wall.
  [[nodiscard]] const Times& builds() const { return builds_; }
  [[nodiscard]] const Times& runs() const { return runs_; }
  [[nodiscard]] const Times& walls() const { return walls_; }
  [[nodiscard]] const network::Engine::Counts& counts() const { return counts_; }
  [[nodiscard]] std::uint64_t synapses() const { return synapses_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t bytes_of_rows() const { return bytes_of_rows_; }
  [[nodiscard]] std::uint32_t interval() const { return interval_; }

private:
  [[nodiscard]] double counted(const Seconds& seconds) const {
    return options_.threads == 1 ? seconds.thread : seconds.wall;
  }

  network::Network net_;
  std::uint64_t steps_;
  network::EngineOptions options_;
  Times builds_, runs_, walls_;
  network::Engine::Counts counts_{};
  std::size_t bytes_ = 0, bytes_of_rows_ = 0;
  std::uint64_t synapses_ = 0;
  std::uint32_t interval_ = 1;
};

// --- Bounds, each of one thread. What they compute ends in a sum that is printed, so that no compiler leaves it out.

/// Draws what the background draws, and leaves it.
inline std::uint64_t draw_background(const network::Network& net, std::uint64_t steps) {
  std::uint64_t sum = 0;
  const auto& populations = net.populations();
  for (std::uint32_t at = 0; at < populations.size(); ++at)
    for (std::uint32_t which = 0; which < populations[at].background.size(); ++which) {
      const std::uint32_t groups = (populations[at].count + network::neurons_of_group - 1) / network::neurons_of_group;
      const double rate_hz = populations[at].background[which].rate_hz, dt_ms = net.settings().dt_ms;
      network::PoissonInput input;
      if (!network::PoissonInput::make(rate_hz, dt_ms, {net.settings().seed, at, which + 1}, 0, groups, input))
        return 0;
      for (std::uint32_t group = 0; group < groups; ++group)
        for (std::uint64_t step = 0; step < steps; ++step) {
          network::PoissonInput::Counts drawn;
          input.draw(group, drawn);
          sum += drawn[step % drawn.size()];
        }
    }
  return sum;
}

/// Adds to each word of memory, which the caller's compiler cannot see through.
[[gnu::noinline]] inline void read_and_write(std::uint32_t* words, std::size_t count) {
  for (std::size_t at = 0; at < count; ++at) words[at] += 0x0101'0101U;
}
/// Words and sums of input of all neurons, block by block for as many steps as spikes are exchanged for.
inline std::uint64_t touch_state(const network::Network& net, std::uint64_t steps, std::uint32_t interval) {
  std::vector<std::vector<std::uint32_t>> blocks;
  for (const network::Population& one : net.populations()) {
    if (one.model == nullptr) continue;
    const std::size_t bytes = 4 * one.model->word_count() + one.input_bits / 8 * one.units_per_one.size();
    for (std::uint32_t from = 0; from < one.count; from += network::Neurons::block)
      blocks.emplace_back((std::min)(network::Neurons::block, one.count - from) * bytes / 4);
  }
  for (std::uint64_t step = 0; step < steps; step += interval)
    for (auto& block : blocks)
      for (std::uint64_t at = step; at < (std::min)(step + interval, steps); ++at)
        read_and_write(block.data(), block.size());
  std::uint64_t sum = 0;
  for (const auto& block : blocks) sum += block.front();
  return sum;
}

/// The sum of all bytes of a row, eight at a time.
[[gnu::noinline]] inline std::uint64_t read(std::span<const std::uint16_t> row) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(row.data());
  std::uint64_t sum = 0;
  std::size_t at = 0;
  for (; at + 8 <= row.size_bytes(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + at, sizeof word);
    sum += word;
  }
  for (; at < row.size_bytes(); ++at) sum += bytes[at];
  return sum;
}
/// Reads the rows of all spikes of a run that do not learn, one after another.
inline std::uint64_t read_rows(const network::Rows& rows, const network::Recording& recording) {
  std::uint64_t sum = 0;
  for (const network::RowSet& set : rows.sets)
    if (set.layout != network::Layout::plastic)
      recording.populations[set.population].spikes.each([&](std::uint64_t, std::uint32_t neuron) {
        for (std::uint32_t part = 0; part < rows.parts.count(); ++part) sum += read(set.row(neuron, part));
      });
  return sum;
}

/// What learning cannot do without, of `Sum` an input: of each synapse its word and its state, three words of its neuron, and
/// its weight added to a sum.
template <class Sum>
class Gathers {
public:
  /// Goes through the rows of all spikes of a run that learn, one after another.
  std::uint64_t read_rows(const network::Rows& rows, const network::Recording& recording) {
    std::uint64_t sum = 0;
    synapses_ = 0;
    for (const network::RowSet& set : rows.sets)
      if (set.layout == network::Layout::plastic)
        recording.populations[set.population].spikes.each([&](std::uint64_t, std::uint32_t neuron) {
          for (std::uint32_t part = 0; part < rows.parts.count(); ++part)
            set.each_run(set.row(neuron, part), [&](std::span<const std::uint16_t> run) {
              const std::size_t count = std::size_t{run[0]} + 1;
              sum += read(run.data() + 2 + 2 * std::size_t{set.plasticity.words.header}, count);
              synapses_ += count;
            });
        });
    return sum + sums_[0];
  }
  [[nodiscard]] std::uint64_t synapses() const { return synapses_; }

private:
  [[gnu::noinline]] std::uint64_t read(const std::uint16_t* words, std::size_t count) {
    std::uint32_t sum = 0;
    for (std::size_t at = 0; at < count; ++at) {
      std::uint32_t word = 0, state = 0;
      std::memcpy(&word, words + 2 * at, sizeof word);
      std::memcpy(&state, words + 2 * (count + at), sizeof state);
      const std::uint32_t target = word & 0xFFFF;
      sum += state + (one_[target] ^ two_[target] ^ three_[target]);
      sums_[target] = static_cast<Sum>(sums_[target] + (word >> 16));
    }
    return sum;
  }
  std::vector<std::uint32_t> one_ = std::vector<std::uint32_t>(1 << 16, 1), two_ = one_, three_ = one_;
  std::vector<Sum> sums_ = std::vector<Sum>(1 << 16);
  std::uint64_t synapses_ = 0;
};

/// One more run, whose spikes are recorded: how regular they are, and how long it takes to read their rows alone.
class RecordedRun {
public:
  /// \return why there is none; empty if there is
  std::string make(const network::Network& net, std::uint64_t steps, std::uint32_t repetitions,
                   const Measured& measured) {
    auto made = network::Engine::make(net, {.threads = 1});
    auto recorder = network::MemoryRecorder::make(net, network::all_spikes(net));
    if (!made) return made.sentence();
    if (!recorder) return recorder.sentence();
    network::Engine& engine = made.value();
    if (const auto refusal = engine.record(recorder.value()); !refusal) return refusal.sentence();
    if (const auto refusal = engine.run(steps); !refusal) return refusal.sentence();
    if (const auto refusal = engine.finish(); !refusal) return refusal.sentence();
    if (measured.outcome) measured.outcome(net, engine);
    const network::Recording& recording = recorder.value().recording();
    double sum = 0.0, neurons = 0.0;
    for (const network::Statistics& one : network::statistics(recording, {.begin_ms = measured.settling_ms})) {
      sum += one.cv.value_or(0.0) * one.cv_neurons;
      neurons += one.cv_neurons;
      rates_.push_back(one.rate_hz.value_or(0.0));
    }
    cv_ = neurons == 0.0 ? 0.0 : sum / neurons;
    bool is_narrow = false;
    for (const network::Projection& one : net.projections())
      is_narrow = is_narrow || (one.synapses.plasticity != nullptr && net[one.target].input_bits == 16);
    is_narrow ? time_rows<std::uint16_t>(engine.rows(), recording, repetitions)
              : time_rows<std::uint32_t>(engine.rows(), recording, repetitions);
    return {};
  }
  /// Of the intervals of a neuron, the mean over those with three spikes or more.
  [[nodiscard]] double cv() const { return cv_; }
  /// Of each population, in Hz, after it has settled.
  [[nodiscard]] const std::vector<double>& rates() const { return rates_; }
  [[nodiscard]] const Times& rows() const { return rows_; }
  /// Of rows that learn.
  [[nodiscard]] const Times& gathers() const { return gathers_; }
  [[nodiscard]] std::uint64_t plastic_events() const { return plastic_events_; }
  [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

private:
  template <class Sum>
  void time_rows(const network::Rows& rows, const network::Recording& recording, std::uint32_t repetitions) {
    Gathers<Sum> gathers;
    for (std::uint32_t repetition = 0; repetition < repetitions; ++repetition) {
      const Seconds begin = now();
      checksum_ += read_rows(rows, recording);
      const Seconds middle = now();
      checksum_ += gathers.read_rows(rows, recording);
      rows_.add((middle - begin).thread), gathers_.add((now() - middle).thread);
    }
    plastic_events_ = gathers.synapses();
  }

  double cv_ = 0.0;
  std::vector<double> rates_;
  Times rows_, gathers_;
  std::uint64_t plastic_events_ = 0, checksum_ = 0;
};

// --- What is written

/// "; others: 216200 to 222000", and whether the value is outside
inline std::string others(const Range& range, double value) {
  char text[64];
  std::snprintf(text, sizeof text, "; others: %.6g to %.6g", range.least, range.most);
  if (range.most == 0.0) return "";
  return std::string(text) + (value >= range.least && value <= range.most ? "" : ", OUTSIDE");
}

/// \return what is wrong with the words; empty if nothing is
inline std::string parse(int count, char** words, bool has_files, Options& options, bool& wants_help) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      wants_help = true;
      continue;
    }
    if (option != "--repetitions" && option != "--threads" && option != "--seed" && option != "--delivery" &&
        option != "--json" && !(option == "--file" && has_files))
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (option == "--file") {
      if (count - at < 3) return "--file needs two files";
      options.connections = words[++at], options.initial = words[++at];
      continue;
    }
    if (at + 1 == count) return std::string(option) + " needs a value";
    const char* const value = words[++at];
    if (option == "--repetitions" && !support::small_number(value, 1, 1000, options.repetitions))
      return support::bad(option, value, "a number from 1 to 1000");
    if (option == "--threads" && !support::small_number(value, 1, 1024, options.threads))
      return support::bad(option, value, "a number from 1 to 1024");
    if (option == "--seed" && !support::small_number(value, 1, 1'000'000, options.seed))
      return support::bad(option, value, "a number from 1 to 1000000");
    if (option == "--json") options.json = value;
    if (option == "--delivery") {
      const std::string_view way = value;
      if (way != "ring" && way != "when_due") return support::bad(option, value, "ring or when_due");
      options.delivery = way == "ring" ? network::Delivery::at_once : network::Delivery::when_due;
    }
  }
  return {};
}

inline std::string run(const Measured& measured, const Options& options) {
  neuromorph::Answer<network::Network> described = options.connections.empty()
                                                       ? neuromorph::Answer<network::Network>(measured.describe())
                                                       : measured.from_files(options.connections, options.initial);
  if (!described) return described.sentence();
  if (options.seed != described.value().settings().seed) described = drawn_anew(described.value(), options.seed);
  const network::Network& net = described.value();
  const auto steps = static_cast<std::uint64_t>(measured.seconds * 1000.0 / net.settings().dt_ms + 0.5);
  std::uint64_t neurons = 0;
  bool has_background = false;
  for (const network::Population& one : net.populations()) {
    neurons += one.count;
    has_background = has_background || !one.background.empty();
  }
  const bool has_synapses = !net.projections().empty();
  const bool learns = std::any_of(net.projections().begin(), net.projections().end(),
                                  [](const network::Projection& one) { return one.synapses.plasticity != nullptr; });
  const auto updates = static_cast<double>(neurons * steps);

  const network::EngineOptions engine{.threads = options.threads, .delivery = options.delivery};
  Runs whole(net, steps, engine), unconnected(without(net, true), steps, engine),
      silent(without(net, false), steps, engine), frozen(without_learning(net), steps, engine),
      two(net, steps, {.threads = 2, .delivery = options.delivery});
  double peak_bytes = 0.0;
  Times generator, state;
  std::uint64_t sum = 0;
  for (std::uint32_t repetition = 0; repetition < options.repetitions; ++repetition) {
    if (std::string why = whole.once(); !why.empty()) return why;
    if (repetition == 0) {
      struct rusage usage {};
      getrusage(RUSAGE_SELF, &usage);
      peak_bytes = static_cast<double>(usage.ru_maxrss) * 1024.0;
    }
    for (std::uint32_t more = 0; more < 3; ++more) { // they are short, and differences show what disturbs them
      if (has_synapses)
        if (std::string why = unconnected.once(); !why.empty()) return why;
      if (has_background)
        if (std::string why = silent.once(); !why.empty()) return why;
    }
    if (learns)
      if (std::string why = frozen.once(); !why.empty()) return why;
    if (measured.doubles)
      if (std::string why = two.once(); !why.empty()) return why;
    const Seconds begin = now();
    sum += draw_background(net, steps);
    const Seconds middle = now();
    sum += touch_state(net, steps, whole.interval());
    generator.add((middle - begin).thread), state.add((now() - middle).thread);
  }

  RecordedRun recorded;
  if (std::string why = recorded.make(net, steps, options.repetitions, measured); !why.empty()) return why;
  sum += recorded.checksum();

  const network::Engine::Counts& counts = whole.counts();
  const bool is_theirs = !measured.from_files || !options.connections.empty(); // the network that others ran
  const double seconds = whole.runs().best;
  const double without_synapses = has_synapses ? unconnected.runs().best : seconds;
  const double without_background = has_background ? silent.runs().best : without_synapses;
  const double step_ns = without_background / updates * 1e9;
  const double draw_ns = (without_synapses - without_background) / updates * 1e9;
  const auto events = static_cast<double>(counts.events), synapses = static_cast<double>(whole.synapses());
  const double event_ns = has_synapses ? (seconds - without_synapses) / events * 1e9 : 0.0;
  const double static_ns =
      learns ? (frozen.runs().best - without_synapses) / static_cast<double>(frozen.counts().events) * 1e9 : event_ns;
  const auto plastic = static_cast<double>(recorded.plastic_events());
  const double plastic_ns = learns ? (event_ns * events - static_ns * (events - plastic)) / plastic : 0.0;
  const double bytes_per_synapse = has_synapses ? static_cast<double>(whole.bytes_of_rows()) / synapses : 0.0;
  const double bound = generator.best + state.best + recorded.rows().best + recorded.gathers().best;

  std::printf("network %s, %g s of simulation on %" PRIu32 " thread%s, best and worst of %" PRIu32 "\n", measured.name,
              measured.seconds, options.threads, options.threads == 1 ? "" : "s", options.repetitions);
  std::printf("seconds             %.4f, worst %.4f; goal on %" PRIu32 " thread%s: %g\n", seconds, whole.runs().worst,
              measured.threads, measured.threads == 1 ? "" : "s", measured.goal);
  std::printf("build_seconds       %.4f, worst %.4f\n", whole.builds().best, whole.builds().worst);
  std::printf("a neuron's step     %.3f ns, of %.0f\n", step_ns, updates);
  if (has_background)
    std::printf("a neuron's input    %.3f ns, %.3f ns an event, of %" PRIu64 "\n", draw_ns,
                draw_ns * updates / static_cast<double>(counts.background), counts.background);
  if (has_synapses) std::printf("a synaptic event    %.3f ns, of %" PRIu64 "\n", event_ns, counts.events);
  if (learns)
    std::printf("  one that learns   %.3f ns, of %.0f; three words gathered and a sum each: %.3f ns\n"
                "  one that does not %.3f ns, by a run of %.4f s in which none learns\n",
                plastic_ns, plastic, recorded.gathers().best / plastic * 1e9, static_ns, frozen.runs().best);
  std::printf("spikes              %" PRIu64 ", %.3f Hz%s\n", counts.spikes,
              static_cast<double>(counts.spikes) / static_cast<double>(neurons) / measured.seconds,
              is_theirs ? others(measured.spikes, static_cast<double>(counts.spikes)).c_str() : "; drawn here");
  std::printf("CV of intervals     %.3f%s\n", recorded.cv(),
              is_theirs ? others(measured.cv, recorded.cv()).c_str() : "");
  for (std::size_t at = 0; at < measured.rates.size(); ++at)
    std::printf("%-19s %.3f Hz after %g ms%s\n", net.populations()[at].name.c_str(), recorded.rates()[at],
                measured.settling_ms, others(measured.rates[at], recorded.rates()[at]).c_str());
  std::printf("held at an end      %" PRIu64 " words, %" PRIu64 " sums of input\n", counts.saturations,
              counts.input_saturations + counts.background_saturations);
  std::printf("memory              %.1f MB of the engine, %.1f MB of the process at most\n",
              static_cast<double>(whole.bytes()) * 1e-6, peak_bytes * 1e-6);
  if (has_synapses) std::printf("bytes_per_synapse   %.3f, of %" PRIu64 "\n", bytes_per_synapse, whole.synapses());
  std::printf("bound               %.4f s: state read and written %.4f", bound, state.best);
  if (has_background) std::printf(", input drawn %.4f", generator.best);
  if (has_synapses) std::printf(", rows of all spikes read %.4f", recorded.rows().best);
  if (learns) std::printf(", those that learn gathered %.4f", recorded.gathers().best);
  std::printf("; the run takes %.2f times as long\n", seconds / bound);
  if (measured.doubles)
    std::printf("two threads         %.4f s, worst %.4f, on the wall; one %.4f: %.2f times as long\n", two.walls().best,
                two.walls().worst, whole.walls().best, whole.walls().best / two.walls().best);
  std::printf("(checksum of bounds %" PRIx64 ")\n", sum);
  if (options.json.empty()) return {};

  const std::string key = std::string("network/") + measured.name + "/";
  std::vector<Figure> figures{{key + "seconds", "value", seconds},
                              {key + "per_event_ns", "value",
                               learns           ? plastic_ns
                               : has_synapses   ? event_ns
                               : has_background ? draw_ns
                                                : step_ns},
                              {key + "bytes_per_synapse", "value", bytes_per_synapse},
                              {key + "build_seconds", "value", whole.builds().best}};
  if (learns) figures.push_back({key + "static_event_ns", "value", static_ns});
  if (measured.doubles) figures.push_back({key + "two_threads", "ratio", whole.walls().best / two.walls().best});
  return figures::write(options.json, figures);
}

/// What main returns.
inline int program(const Measured& measured, int count, char** words) {
  const std::string name = std::string("network.") + measured.name;
  Options options{.repetitions = measured.repetitions, .threads = measured.threads};
  bool wants_help = false;
  std::string why = parse(count, words, measured.from_files != nullptr, options, wants_help);
  if (why.empty() && wants_help) {
    std::printf("Measures network %s.\n\nusage: %s [OPTION...]\n", measured.name, name.c_str());
    std::printf("  --repetitions N    1 to 1000, each with a new engine (%u)\n  --threads N        1 to 1024 (%u)\n",
                measured.repetitions, measured.threads);
    if (measured.from_files)
      std::puts(
          "  --file CONNECTIONS INITIAL\n"
          "                     records of uint32 pre, uint32 post, float32 weight in pA; float32 of each neuron\'s\n"
          "                     membrane, 0 = reset, 1 = threshold; instead of drawing both");
    std::puts("  --seed N           1 to 1000000, of the network that is drawn (1)");
    std::puts("  --delivery WAY     ring or when_due, instead of what the engine chooses\n"
              "  --json FILE        figures in Google Benchmark's form\n"
              "  --help             this text");
    return 0;
  }
  const bool is_usage = !why.empty();
  if (why.empty()) why = run(measured, options);
  if (why.empty()) return 0;
  std::fprintf(stderr, "%s: %s\n", name.c_str(), why.c_str());
  return is_usage ? 2 : 1;
}

} // namespace measured

#endif
