// SPDX-License-Identifier: BSL-1.0
// The same events in trace stores with all collectors: what each keeps in memory, gives back and moves, and whether
// its histories are those of a model that never frees. The same source for the host and for emulated machines: equal
// command lines print equal digests everywhere.
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <neuromorph/neuromorph.hpp>

#include "../support/program.hpp"
#include "collectors.hpp"
#include "figures.hpp"
#include "options.hpp"

namespace {

using namespace trace_heap;

void add(nm::Digest& digest, std::uint64_t words) {
  digest.add(static_cast<std::uint32_t>(words));
  digest.add(static_cast<std::uint32_t>(words >> 32));
}

void print_value(std::uint64_t value) {
  std::printf("digest %08" PRIx32 "%08" PRIx32 "\n", static_cast<std::uint32_t>(value >> 32),
              static_cast<std::uint32_t>(value));
}

void print_state(const Stream& stream, std::uint32_t tick) {
  for (std::uint32_t neuron = 0; neuron < neurons; ++neuron) {
    const auto history = stream.history(neuron, std::int64_t{tick} - window - 1, tick);
    std::printf("state %" PRIu32 " %u %" PRIu32 " %" PRId32 "\n", neuron, unsigned(history.size()),
                history.empty() ? 0 : history.front().tick, stream.dumped()[neuron]);
  }
}

void print_stream(const Stream& stream, double rate_hz) {
  std::uint32_t most = 0, at = 0;
  double later = 0;
  for (std::uint32_t tick = 1; tick <= stream.steps(); ++tick) {
    if (stream.alive(tick) > most) most = stream.alive(tick), at = tick;
    if (tick > 1000) later += stream.alive(tick);
  }
  const auto load = gc::TraceLoad::at_hz(neurons, rate_hz, 1, window);
  std::printf("stream     %u events of %u neurons in %g s, %g Hz after %g Hz for %" PRIu32 " ms; an event has %" PRIu32
              " bytes\n",
              unsigned(stream.all().size()), unsigned(neurons), stream.steps() * 0.001, rate_hz, start_hz, start_ticks,
              event_bytes);
  std::printf("alive      at most %" PRIu32 " events, %.2f KB, at %.3f s; planned for %.1f\n", most,
              most * event_bytes * 0.001, at * 0.001, peak.expected());
  if (stream.steps() > 1000) {
    later /= stream.steps() - 1000;
    std::printf("           on average %.1f events, %.2f KB, from 1 s on; expected %.1f\n", later,
                later * event_bytes * 0.001, load.expected());
  }
  std::printf("overflow   of %u events for all with probability %.1e at the start, %.1e later;\n",
              unsigned(fifo_plan.events), gc::overflow_of_shared(peak, fifo_plan.events),
              gc::overflow_of_shared(load, fifo_plan.events));
  std::printf("           of %u for each neuron %.1e, %.1e\n", unsigned(ring_plan.events),
              gc::overflow_of_buffers(peak, ring_plan.events), gc::overflow_of_buffers(load, ring_plan.events));
}

void print_table(const Stream& stream, const std::vector<Run>& runs) {
  // Of the events for which a memory that all share has room, with the probability that is asked for.
  constexpr double own = fifo_plan.events * event_bytes;
  std::printf("\n                 bytes of memory         events in memory  most given back by  most bytes    moved\n"
              "collector        planned    has  beyond   planned   most   advance    record    in a call       KB  "
              "dropped  queries    wrong\n");
  for (const Run& run : runs)
    std::printf("%-16s %7u %6u %+5.0f %% %9u %6" PRIu32 " %9" PRIu32 " %9" PRIu32 " %12" PRIu32 " %8.1f %8" PRIu32
                " %8" PRIu32 " %8" PRIu32 "\n",
                run.name, unsigned(run.plan.bytes), unsigned(run.bytes),
                100 * (static_cast<double>(run.bytes) / own - 1), unsigned(run.plan.events), run.counts.most_events,
                run.most_in_advance, run.most_in_record, run.most_moved, run.counts.moved_bytes * 0.001, run.dropped(),
                run.queries, run.wrong);
  std::printf("%-16s %7s %6u %7s %9s %6u\n", "never freed", "", unsigned(stream.all().size() * event_bytes), "", "",
              unsigned(stream.all().size()));

  std::printf("beyond: the bytes of %u events\n\nadvances that gave nothing back, of all advances at 1, 0.5, 0.25 and "
              "0.2 kHz\n",
              unsigned(fifo_plan.events));
  for (const Run& run : runs) {
    std::printf("%-16s", run.name);
    for (std::size_t with = 0; with < periods.size(); ++with)
      std::printf(" %5.1f %%", 100.0 * run.idle[with] / std::max<std::uint32_t>(run.advances[with], 1));
    std::printf("\n");
  }
}

/// As docs/traces.md has it.
std::string write_table(const std::string& folder, const Stream& stream, const std::vector<Run>& runs) {
  support::File file(folder + "/table.txt");
  if (!file.is_open()) return file.close();
  constexpr double own = fifo_plan.events * event_bytes;
  std::fprintf(
      file.get(),
      "| | room for | bytes | beyond the events' own %u | most in memory | most given back by an advance, by a "
      "record | most bytes moved in a call | moved in all, KB |\n|---|---|---|---|---|---|---|---|\n",
      unsigned(own));
  for (const Run& run : runs)
    std::fprintf(file.get(),
                 "| `%s` | %u%s | %u | %+.0f %% | %" PRIu32 " | %" PRIu32 ", %" PRIu32 " | %" PRIu32 " | %.0f |\n",
                 run.name, unsigned(run.plan.events), run.is_shared ? "" : " of each neuron", unsigned(run.bytes),
                 100 * (static_cast<double>(run.bytes) / own - 1), run.counts.most_events, run.most_in_advance,
                 run.most_in_record, run.most_moved, run.counts.moved_bytes * 0.001);
  std::fprintf(file.get(), "| never freed | | %u | | %u | | | |\n", unsigned(stream.all().size() * event_bytes),
               unsigned(stream.all().size()));
  return file.close();
}

support::Ended compare(const Options& options) {
  const Stream stream(options, options.steps, options.rate_hz);
  print_stream(stream, options.rate_hz);

  std::vector<std::uint32_t> points;
  for (std::uint32_t tick = options.digest_from; tick <= options.steps; ++tick)
    if (tick % options.digest_every == 0 || tick == options.steps) points.push_back(tick);
  const std::vector<Run> runs = run_all(stream, points);

  bool same = true;
  std::uint64_t living = 0;
  for (std::size_t point = 0; point < points.size(); ++point) {
    // Of all traces, of the living events, and of what each collector has had in memory and moved in every step.
    nm::Digest digest;
    living = digest_of_living(stream, points[point]);
    add(digest, stream.digest(points[point]));
    add(digest, living);
    for (const Run& run : runs) {
      add(digest, run.behaviour[point]);
      if (run.living[point] == living || run.dropped() != 0) continue;
      same = false;
      std::printf("%s has other events than the model at step %" PRIu32 "\n", run.name, points[point]);
    }
    std::printf("step %8" PRIu32 "   %8.4f s   ", points[point], points[point] * 0.001);
    print_value(digest.value());
  }
  if (options.dump_at != 0 && options.dump_at <= options.steps) print_state(stream, options.dump_at);
  print_table(stream, runs);
  unsigned complete = 0;
  for (const Run& run : runs) {
    same = same && (run.wrong == 0 || run.dropped() != 0);
    complete += run.dropped() == 0 ? 1U : 0U;
  }
  std::printf("\nhistories  of %u collectors of %u, which dropped nothing, are %s\n", complete, unsigned(runs.size()),
              same ? "those of a model that never frees" : "WRONG");
  std::printf("           in the end with ");
  print_value(living);
  if (!options.output.empty()) {
    auto complaint = draw(options.output, stream, runs);
    if (complaint.empty()) complaint = write_table(options.output, stream, runs);
    if (!complaint.empty()) return complaint;
    std::printf("written    %s/occupancy.svg, reclaimed.svg, work.svg, table.txt\n", options.output.c_str());
  }
  return same ? 0 : 1;
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("trace_heap", count, words, help_text, output_files, parse, compare);
}
