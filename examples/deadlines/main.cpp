// SPDX-License-Identifier: BSL-1.0
// Three services of different periods and a oneshot under earliest deadline first: which deadlines are met, and which
// give way when there is too much to do. The same source for the host and for emulated machines: equal command lines
// print equal digests everywhere.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

#include <neuromorph/neuromorph.hpp>

#include "../support/program.hpp"
#include "figure.hpp"
#include "options.hpp"
#include "schedule.hpp"

namespace {

using namespace deadlines;

void print_digests(Simulation& simulation, const Arguments& arguments) {
  for (std::uint32_t step = 1; step <= arguments.steps; ++step) {
    if (step == arguments.flip_at && arguments.flip_item < simulation.size())
      simulation[arguments.flip_item].finish ^= 1;
    const bool due = step % arguments.digest_every == 0 || step == arguments.steps;
    if (due && step >= arguments.digest_from) {
      const std::uint64_t digest = simulation.digest(step * 1000);
      std::printf("step %8" PRIu32 "   %8.4f s   digest %08" PRIx32 "%08" PRIx32 "\n", step, step * 0.001,
                  static_cast<std::uint32_t>(digest >> 32), static_cast<std::uint32_t>(digest));
    }
    if (step == arguments.dump_at)
      for (std::size_t at = 0; at < simulation.size() && simulation[at].start < step * 1000; ++at)
        std::printf("state %u %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", static_cast<unsigned>(at), simulation[at].service,
                    simulation[at].start, simulation[at].finish);
  }
}

/// A line a service, a character for a quarter of a millisecond: = finishes in time, X late.
void print_chart(const Simulation& simulation) {
  constexpr Tick column = 250, columns = 96;
  std::printf("\n%-9s  %-20s%-20s%-20s%-20s%s\n", "ms", "0", "5", "10", "15", "20");
  for (std::uint32_t service = 0; service < service_count; ++service) {
    std::string line(columns, '.');
    for (const Run& run : simulation)
      if (run.service == service)
        for (Tick at = run.start / column; at < columns && at * column < run.finish; ++at)
          line[at] = run.is_late() ? 'X' : '=';
    std::printf("%-9s  %s\n", names[service], line.c_str());
  }
}

void print_table(Simulation& simulation) {
  std::printf("\n%-9s %7s %7s %7s %7s %8s %26s %8s\n", "service", "events", "runs", "late", "skipped", "longest",
              "lateness: least/mean/most", "put off");
  std::printf("%-9s %7s %7s %7s %7s %8s %26s\n", "", "", "", "", "periods", "us", "us");
  for (std::uint32_t service = 0; service < service_count; ++service) {
    const auto& record = simulation.scheduler().statistics(service);
    const Simulation::Lateness late = simulation.lateness(service);
    std::printf("%-9s %7" PRIu32 " %7" PRIu32 " %7" PRIu32 " %7" PRIu32 " %8" PRIu32, names[service],
                simulation.made(service), record.runs, late.late, simulation.missed(service), record.longest_execution);
    if (record.runs != 0)
      std::printf(" %8" PRId32 " %8.1f %8" PRId32, late.least, static_cast<double>(late.sum) / record.runs, late.most);
    else
      std::printf(" %26s", "");
    std::printf(" %8" PRIu32 "\n", simulation.scheduler().budgets().postponed(service));
  }
  const auto periods = simulation.periods();
  std::printf("\n%" PRIu32 " periods = %" PRIu32 " events + %" PRIu32 " skipped + %" PRIu32 " at the end; %" PRIu32
              " event of the oneshot\n",
              periods.begun, simulation.made() - simulation.made(snapshot), periods.missed, periods.not_asked,
              simulation.made(snapshot));
  const auto& counts = simulation.scheduler().counts();
  const auto& queue = simulation.scheduler().queue();
  std::printf("%" PRIu32 " events = %" PRIu32 " run + %" PRIu32 " dropped at the end; at most %" PRIu32 " queued\n",
              simulation.made(), counts.run, counts.dropped_at_exit, queue.high_water());
}

support::Ended run(const Arguments& arguments) {
  std::printf(
      "deadlines    earliest first; that they are met was proved when this was compiled, up to a load of 100 %%\n");
  static Simulation simulation(arguments.seed, arguments.load);
  simulation.run(arguments.steps * 1000);
  const auto& percent = arguments.load.percent;
  std::string title =
      "Earliest deadline first: all services take " + std::to_string(percent[neurons]) + " % of their time";
  if (percent[learning] != percent[neurons]) title += ", learning " + std::to_string(percent[learning]) + " %";
  if (arguments.load.has_budget) title += ", held to its budget";
  const bool adds_up = simulation.adds_up();
  std::printf("%s\n", title.c_str());
  if (!arguments.output.empty()) {
    const std::string path = arguments.output + "/" + output_files[0];
    if (auto complaint = draw(path, simulation, 25'000, title); !complaint.empty()) return complaint;
    std::printf("written      %s\n", path.c_str());
  }
  print_chart(simulation);
  print_table(simulation);
  print_digests(simulation, arguments);
  if (!adds_up) return std::fputs("deadlines: the counts do not add up\n", stderr), 1;
  return 0;
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Arguments>("deadlines", count, words, help_text, output_files, parse, run);
}
