// SPDX-License-Identifier: BSL-1.0
// Several plasticity rules side by side on one synapse array. The same source for the host and for emulated machines:
// equal command lines print equal digests everywhere.
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>

#include <neuromorph/neuromorph.hpp>

#include "../support/program.hpp"
#include "array.hpp"
#include "figure.hpp"
#include "options.hpp"

namespace {

using namespace two_rules;

void print_digest(const Simulation& simulation) {
  const std::uint64_t digest = simulation.digest();
  std::printf("step %8" PRIu32 "   %8.4f s   digest %08" PRIx32 "%08" PRIx32 "\n", simulation.step_number(),
              simulation.step_number() * 0.1, static_cast<std::uint32_t>(digest >> 32),
              static_cast<std::uint32_t>(digest));
}

void print_state() {
  for (std::uint32_t synapse = 0; synapse < Array::rows * Array::columns; ++synapse)
    std::printf("state %" PRIu32 " %d %d %d\n", synapse, weights.elements[synapse], causal.elements[synapse],
                acausal.elements[synapse]);
}

/// A line of text per row: the weights before and after.
void print_maps(const Weights& before) {
  const auto shade = [](std::uint8_t weight) { return " .:-=+*#%@"[std::min(weight / 6, 9)]; };
  std::printf("\n     %-34s %s\n", "before", "after");
  for (std::uint32_t row = 0; row < Array::rows; ++row) {
    std::string line(row == tagged_row ? "tags" : row == 0 ? "mask" : is_defect(row) ? "   x" : "    ");
    for (const Weights* of : {&before, static_cast<const Weights*>(&weights)}) {
      line += " |";
      for (std::uint32_t column = 0; column < Array::columns; ++column) line += shade(at(*of, row, column));
      line += '|';
    }
    std::printf("%s\n", line.c_str());
  }
}

void print_summary(const Weights& before, std::uint8_t least_before, std::uint8_t most_before) {
  std::uint32_t correlated = 0, correlated_sum = 0, other = 0, other_sum = 0, defect_changes = 0;
  std::uint32_t counts[6] = {};
  for (const nm::SynapsePlace place : Array::all()) {
    const std::uint8_t weight = at(weights, place.row, place.column);
    const std::uint32_t kind = kind_of(place);
    ++counts[kind];
    if (kind == 0) defect_changes += weight != at(before, place.row, place.column) ? 1U : 0U;
    if (kind != 1) continue;
    (is_correlated(place.row, place.column) ? correlated : other) += 1;
    (is_correlated(place.row, place.column) ? correlated_sum : other_sum) += weight;
  }
  const auto [least, most] = std::minmax_element(rates.elements.begin() + 14, rates.elements.end());
  std::printf("\nSTDP         %" PRIu32 " synapses; mean weight %.1f where correlated, %.1f elsewhere\n", counts[1],
              static_cast<double>(correlated_sum) / correlated, static_cast<double>(other_sum) / other);
  std::printf("homeostasis  %" PRIu32 " synapses; rates %d..%d before, %d..%d after, target 100\n", counts[2],
              least_before, most_before, *least, *most);
  std::printf("tags         %" PRIu32 " wander, %" PRIu32 " have chosen to rise, %" PRIu32 " to fall\n", counts[3],
              counts[4], counts[5]);
  std::printf("defect       %" PRIu32 " synapses, %" PRIu32 " changed\n", counts[0], defect_changes);
}

support::Ended run(const Options& options) {
  std::printf("two rules    32 by 32 synapses; masks of %u and %u bytes, tags of %u bytes\n",
              unsigned(sizeof stdp_mask), unsigned(sizeof homeostasis_mask), unsigned(sizeof tags));
  Simulation simulation(options.seed);
  const Weights before = weights;
  const auto [least, most] = std::minmax_element(rates.elements.begin() + 14, rates.elements.end());
  const std::uint8_t least_before = *least, most_before = *most;
  for (std::uint32_t step = 1; step <= options.steps; ++step) {
    if (const nm::Status status = simulation.step(); !status) return std::string(nm::sentence(status).text.data());
    if (step == options.flip_at) Simulation::flip(options.flip_item);
    const bool due = step % options.digest_every == 0 || step == options.steps;
    if (due && step >= options.digest_from) print_digest(simulation);
    if (step == options.dump_at) print_state();
  }
  print_maps(before);
  print_summary(before, least_before, most_before);
  if (!options.output.empty()) {
    const std::string path = options.output + "/" + output_files[0];
    if (auto complaint = draw(path, before, options.steps); !complaint.empty()) return complaint;
    std::printf("written      %s\n", path.c_str());
  }
  return 0;
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("two_rules", count, words, help_text, output_files, parse, run);
}
