// SPDX-License-Identifier: BSL-1.0
// Neuron models made of parts: models.hpp says of which. The same source for the host and for emulated machines: equal
// command lines print equal digests everywhere.
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <tuple>
#include <vector>

#include "../support/program.hpp"
#include "figure.hpp"
#include "models.hpp"
#include "options.hpp"
#include "reference.hpp"
#include "response.hpp"

namespace {

using namespace neurons;

template <class Cells>
struct ResponsesOf;
template <class... Cells>
struct ResponsesOf<std::tuple<Cells...>> {
  std::tuple<Response<Cells>...> all;
  /// visit(cell, response, number) for each model
  void each(auto visit) {
    std::uint32_t number = 0;
    std::apply([&](auto&... response) { (visit(Cells{}, response, number++), ...); }, all);
  }
};
constinit ResponsesOf<Models> responses;

void print_digest(std::uint32_t step_number) {
  nm::Digest digest;
  responses.each([&](auto, auto& response, std::uint32_t) { response.add_to(digest); });
  std::printf("step %8" PRIu32 "   %8.4f s   digest %08" PRIx32 "%08" PRIx32 "\n", step_number,
              step_number * dt_ms / 1000.0, static_cast<std::uint32_t>(digest.value() >> 32),
              static_cast<std::uint32_t>(digest.value()));
}

void print_state() {
  responses.each([](auto, auto& response, std::uint32_t number) {
    for (std::uint32_t neuron = 0; neuron < cells_of_a_model; ++neuron)
      std::printf("state %u %" PRId32 " %" PRId32 " %" PRId32 "\n",
                  static_cast<unsigned>(number * cells_of_a_model + neuron), response.word(0, neuron),
                  response.word(1, neuron), response.word(2, neuron));
  });
}

void print_summary() {
  std::printf("\n%-30s %8s %14s %14s %12s\n", "", "words", "spikes, step", "Hz, Poisson", "saturations");
  responses.each([](auto cell, auto& response, std::uint32_t) {
    using Response = std::remove_reference_t<decltype(response)>;
    std::printf("%-30s %8u %14u %14.1f %12u\n", cell.name, static_cast<unsigned>(Response::Model::word_count),
                static_cast<unsigned>(response.stepped_spikes()),
                response.noisy_spikes() * 1000.0 / (steps * dt_ms * Response::noisy_neurons),
                static_cast<unsigned>(response.saturations()));
  });
}

std::vector<Row> rows_of(const std::vector<std::array<Trace, 2>>& traces) {
  std::vector<Row> rows;
  responses.each([&]<class Cell>(Cell cell, auto&, std::uint32_t number) {
    const auto& fixed = traces[number];
    const std::array reference{integrate<Cell>(fixed[0], cell.step_current), integrate<Cell>(fixed[1], 0.0)};
    const std::string current = support::number(cell.step_current) + " " + cell.current_unit;
    const std::string events = support::number(cell.weights[0]) + " and " + support::number(cell.weights[1]) + " " +
                               cell.weight_unit + " an event";
    rows.push_back({cell.name, current, events, fixed, reference});
  });
  return rows;
}

/// How many spikes fall on the same step in fixed point and in double.
void print_same(const std::vector<Row>& rows) {
  std::printf("\n");
  for (const Row& row : rows) {
    std::size_t spikes = 0, same = 0;
    for (std::size_t column = 0; column < 2; ++column) {
      const auto &ours = row.fixed[column].spikes, &others = row.reference[column].spikes;
      spikes += std::max(ours.size(), others.size());
      for (const auto spike : ours) same += std::binary_search(others.begin(), others.end(), spike) ? 1U : 0U;
    }
    std::printf("%-30s %u of %u spikes fall on the step of the double reference\n", row.name.c_str(),
                static_cast<unsigned>(same), static_cast<unsigned>(spikes));
  }
}

support::Ended run(const Options& options) {
  responses.each([&](auto, auto& response, std::uint32_t number) { response.draw_from({options.seed, 0, number}); });
  const bool draws = !options.output.empty();
  std::vector<std::array<Trace, 2>> traces(draws ? model_count : 0);
  for (std::uint32_t step_number = 1; step_number <= steps; ++step_number) {
    responses.each([&](auto, auto& response, std::uint32_t number) {
      response.step(step_number, draws ? &traces[number] : nullptr);
      if (step_number == options.flip_at && options.flip_item / cells_of_a_model == number)
        response.flip(options.flip_item % cells_of_a_model);
    });
    const bool due = step_number % options.digest_every == 0 || step_number == steps;
    if (due && step_number >= options.digest_from) print_digest(step_number);
    if (step_number == options.dump_at) print_state();
  }
  print_summary();
  if (!draws) return 0;
  const auto rows = rows_of(traces);
  const std::string path = options.output + "/" + output_files[0];
  if (auto complaint = draw(path, rows); !complaint.empty()) return complaint;
  print_same(rows);
  std::printf("written %s\n", path.c_str());
  return 0;
}

} // namespace

int main(int count, char** words) {
  return support::run_program<Options>("neurons", count, words, help_text, output_files, parse, run);
}
