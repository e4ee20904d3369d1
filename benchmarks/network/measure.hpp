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

namespace measured {

namespace network = neuromorph::network;

/// A range in which an outcome was found by others; 0: nobody has said.
struct Range {
  double least = 0.0, most = 0.0;
};

struct Measured {
  const char* name; ///< of the program, `network.<name>`, and of its keys, `network/<name>/`
  std::function<network::Network()> describe;
  double seconds;             ///< that are simulated
  Range spikes = {}, cv = {}; ///< in these
  double goal = 0.0;          ///< seconds of a run on one thread
  bool doubles = false;       ///< whether two threads are measured, too
  std::uint32_t repetitions = 5, threads = 1;
  std::function<void(const network::Engine&)> outcome = {}; ///< prints what else came of a run
};

struct Options {
  std::uint32_t repetitions = 5, threads = 1;
  network::Delivery delivery = network::Delivery::chosen;
  std::string json{};
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

/// The same network without its synapses, or its background as well: delays stay, and with them all that depends on them.
inline network::Network without(const network::Network& whole, bool has_background) {
  network::Network net(whole.settings());
  for (network::Population population : whole.populations()) {
    if (!has_background) population.background.clear();
    net.add(std::move(population));
  }
  for (const network::Projection& one : whole.projections())
    net.connect(one.source, one.target, network::FixedTotal{.total = 0}, one.synapses);
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
/// Reads the rows of all spikes of a run, one after another.
inline std::uint64_t read_rows(const network::Rows& rows, const network::Recording& recording) {
  std::uint64_t sum = 0;
  for (const network::RowSet& set : rows.sets)
    recording.populations[set.population].spikes.each([&](std::uint64_t, std::uint32_t neuron) {
      for (std::uint32_t part = 0; part < rows.parts.count(); ++part) sum += read(set.row(neuron, part));
    });
  return sum;
}

/// One more run, whose spikes are recorded: how regular they are, and how long it takes to read their rows alone.
class RecordedRun {
public:
  /// \return why there is none; empty if there is
  std::string make(const network::Network& net, std::uint64_t steps, std::uint32_t repetitions,
                   const std::function<void(const network::Engine&)>& outcome) {
    auto made = network::Engine::make(net, {.threads = 1});
    auto recorder = network::MemoryRecorder::make(net, network::all_spikes(net));
    if (!made) return made.sentence();
    if (!recorder) return recorder.sentence();
    network::Engine& engine = made.value();
    if (const auto refusal = engine.record(recorder.value()); !refusal) return refusal.sentence();
    if (const auto refusal = engine.run(steps); !refusal) return refusal.sentence();
    if (const auto refusal = engine.finish(); !refusal) return refusal.sentence();
    if (outcome) outcome(engine);
    const network::Recording& recording = recorder.value().recording();
    double sum = 0.0, neurons = 0.0;
    for (const network::Statistics& one : network::statistics(recording)) {
      sum += one.cv.value_or(0.0) * one.cv_neurons;
      neurons += one.cv_neurons;
    }
    cv_ = neurons == 0.0 ? 0.0 : sum / neurons;
    for (std::uint32_t repetition = 0; repetition < repetitions; ++repetition) {
      const Seconds begin = now();
      checksum_ = read_rows(engine.rows(), recording);
      rows_.add((now() - begin).thread);
    }
    return {};
  }
  /// Of the intervals of a neuron, the mean over those with three spikes or more.
  [[nodiscard]] double cv() const { return cv_; }
  [[nodiscard]] const Times& rows() const { return rows_; }
  [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

private:
  double cv_ = 0.0;
  Times rows_;
  std::uint64_t checksum_ = 0;
};

// --- What is written

/// An entry of Google Benchmark's form that is no time.
struct Figure {
  std::string name;
  const char* counter;
  double value;
};
inline std::string write(const std::string& path, const std::vector<Figure>& figures) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return "cannot write " + path + ": " + std::strerror(errno);
  std::fputs("{\"benchmarks\": [", file);
  for (std::size_t at = 0; at < figures.size(); ++at)
    std::fprintf(
        file,
        "%s\n {\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", \"iterations\": 1, \"%s\": "
        "%.6g}",
        at == 0 ? "" : ",", figures[at].name.c_str(), figures[at].name.c_str(), figures[at].counter, figures[at].value);
  std::fputs("\n]}\n", file);
  const bool has_failed = std::ferror(file) != 0;
  return std::fclose(file) != 0 || has_failed ? "cannot write all of " + path : "";
}

/// "; others: 216200 to 222000"
inline std::string others(const Range& range) {
  char text[64];
  std::snprintf(text, sizeof text, "; others: %.6g to %.6g", range.least, range.most);
  return range.most == 0.0 ? "" : text;
}

/// \return what is wrong with the words; empty if nothing is
inline std::string parse(int count, char** words, Options& options, bool& wants_help) {
  for (int at = 1; at < count; ++at) {
    const std::string_view option = words[at];
    if (option == "--help" || option == "-h") {
      wants_help = true;
      continue;
    }
    if (option != "--repetitions" && option != "--threads" && option != "--delivery" && option != "--json")
      return "there is no option '" + std::string(option) + "'; --help lists them";
    if (at + 1 == count) return std::string(option) + " needs a value";
    const char* const value = words[++at];
    if (option == "--repetitions" && !support::small_number(value, 1, 1000, options.repetitions))
      return support::bad(option, value, "a number from 1 to 1000");
    if (option == "--threads" && !support::small_number(value, 1, 1024, options.threads))
      return support::bad(option, value, "a number from 1 to 1024");
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
  const network::Network net = measured.describe();
  const auto steps = static_cast<std::uint64_t>(measured.seconds * 1000.0 / net.settings().dt_ms + 0.5);
  std::uint64_t neurons = 0;
  bool has_background = false;
  for (const network::Population& one : net.populations()) {
    neurons += one.count;
    has_background = has_background || !one.background.empty();
  }
  const bool has_synapses = !net.projections().empty();
  const auto updates = static_cast<double>(neurons * steps);

  const network::EngineOptions engine{.threads = options.threads, .delivery = options.delivery};
  Runs whole(net, steps, engine), unconnected(without(net, true), steps, engine),
      silent(without(net, false), steps, engine), two(net, steps, {.threads = 2, .delivery = options.delivery});
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
    if (has_synapses)
      if (std::string why = unconnected.once(); !why.empty()) return why;
    if (has_background)
      if (std::string why = silent.once(); !why.empty()) return why;
    if (measured.doubles)
      if (std::string why = two.once(); !why.empty()) return why;
    const Seconds begin = now();
    sum += draw_background(net, steps);
    const Seconds middle = now();
    sum += touch_state(net, steps, whole.interval());
    generator.add((middle - begin).thread), state.add((now() - middle).thread);
  }

  RecordedRun recorded;
  if (std::string why = recorded.make(net, steps, options.repetitions, measured.outcome); !why.empty()) return why;
  sum += recorded.checksum();

  const network::Engine::Counts& counts = whole.counts();
  const double seconds = whole.runs().best;
  const double without_synapses = has_synapses ? unconnected.runs().best : seconds;
  const double without_background = has_background ? silent.runs().best : without_synapses;
  const double step_ns = without_background / updates * 1e9;
  const double draw_ns = (without_synapses - without_background) / updates * 1e9;
  const auto events = static_cast<double>(counts.events), synapses = static_cast<double>(whole.synapses());
  const double event_ns = has_synapses ? (seconds - without_synapses) / events * 1e9 : 0.0;
  const double bytes_per_synapse = has_synapses ? static_cast<double>(whole.bytes_of_rows()) / synapses : 0.0;
  const double bound = generator.best + state.best + recorded.rows().best;

  std::printf("network %s, %g s of simulation on %" PRIu32 " thread%s, best and worst of %" PRIu32 "\n", measured.name,
              measured.seconds, options.threads, options.threads == 1 ? "" : "s", options.repetitions);
  std::printf("seconds             %.4f, worst %.4f; goal on one thread: %g\n", seconds, whole.runs().worst,
              measured.goal);
  std::printf("build_seconds       %.4f, worst %.4f\n", whole.builds().best, whole.builds().worst);
  std::printf("a neuron's step     %.3f ns, of %.0f\n", step_ns, updates);
  if (has_background)
    std::printf("a neuron's input    %.3f ns, %.3f ns an event, of %" PRIu64 "\n", draw_ns,
                draw_ns * updates / static_cast<double>(counts.background), counts.background);
  if (has_synapses) std::printf("a synaptic event    %.3f ns, of %" PRIu64 "\n", event_ns, counts.events);
  std::printf("spikes              %" PRIu64 ", %.3f Hz%s\n", counts.spikes,
              static_cast<double>(counts.spikes) / static_cast<double>(neurons) / measured.seconds,
              others(measured.spikes).c_str());
  std::printf("CV of intervals     %.3f%s\n", recorded.cv(), others(measured.cv).c_str());
  std::printf("held at an end      %" PRIu64 " words, %" PRIu64 " sums of input\n", counts.saturations,
              counts.input_saturations + counts.background_saturations);
  std::printf("memory              %.1f MB of the engine, %.1f MB of the process at most\n",
              static_cast<double>(whole.bytes()) * 1e-6, peak_bytes * 1e-6);
  if (has_synapses) std::printf("bytes_per_synapse   %.3f, of %" PRIu64 "\n", bytes_per_synapse, whole.synapses());
  std::printf("bound               %.4f s: state read and written %.4f", bound, state.best);
  if (has_background) std::printf(", input drawn %.4f", generator.best);
  if (has_synapses) std::printf(", rows of all spikes read %.4f", recorded.rows().best);
  std::printf("; the run takes %.2f times as long\n", seconds / bound);
  if (measured.doubles)
    std::printf("two threads         %.4f s, worst %.4f, on the wall; one %.4f: %.2f times as long\n", two.walls().best,
                two.walls().worst, whole.walls().best, whole.walls().best / two.walls().best);
  std::printf("(checksum of bounds %" PRIx64 ")\n", sum);
  if (options.json.empty()) return {};

  const std::string key = std::string("network/") + measured.name + "/";
  std::vector<Figure> figures{{key + "seconds", "value", seconds},
                              {key + "per_event_ns", "value",
                               has_synapses     ? event_ns
                               : has_background ? draw_ns
                                                : step_ns},
                              {key + "bytes_per_synapse", "value", bytes_per_synapse},
                              {key + "build_seconds", "value", whole.builds().best}};
  if (measured.doubles) figures.push_back({key + "two_threads", "ratio", whole.walls().best / two.walls().best});
  return write(options.json, figures);
}

/// What main returns.
inline int program(const Measured& measured, int count, char** words) {
  const std::string name = std::string("network.") + measured.name;
  Options options{.repetitions = measured.repetitions, .threads = measured.threads};
  bool wants_help = false;
  std::string why = parse(count, words, options, wants_help);
  if (why.empty() && wants_help) {
    std::printf("Measures network %s.\n\nusage: %s [OPTION...]\n", measured.name, name.c_str());
    std::printf("  --repetitions N    1 to 1000, each with a new engine (%u)\n  --threads N        1 to 1024 (%u)\n",
                measured.repetitions, measured.threads);
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
