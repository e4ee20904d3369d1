// SPDX-License-Identifier: BSL-1.0
// Network C: B with additive pair STDP on the synapses between excitatory neurons, 1 s.
#include <cmath>
#include <cstdio>

#include "measure.hpp"
#include "networks.hpp"

namespace {

/// Mean and standard deviation of the weights that learn, in pA.
void print_weights(const measured::network::Engine& engine) {
  const auto& rows = engine.rows();
  double count = 0.0, sum = 0.0, squares = 0.0;
  for (const auto& set : rows.sets) {
    if (set.layout != measured::network::Layout::plastic) continue;
    const double unit = 3000.0 * measured::excitatory_na / static_cast<double>(set.plasticity.range.highest);
    for (std::uint32_t part = 0; part < rows.parts.count(); ++part)
      for (std::uint32_t source = 0; source < rows.sources_of(set); ++source)
        set.each_run(set.row(source, part), [&](std::span<const std::uint16_t> run) {
          const std::size_t first = 2 + 2 * std::size_t{set.plasticity.words.header};
          for (std::size_t at = 0; at <= run[0]; ++at) {
            std::uint32_t word = 0;
            std::memcpy(&word, run.data() + first + 2 * at, sizeof word);
            const double weight = (word >> 16) * unit - 1000.0 * measured::excitatory_na;
            count += 1.0, sum += weight, squares += weight * weight;
          }
        });
  }
  const double mean = sum / count;
  std::printf("plastic weights     %.4f pA, SD %.4f, of %.0f; others: 16.131 to 16.133, SD 0.036 to 0.040\n",
              mean + 1000.0 * measured::excitatory_na, std::sqrt(squares / count - mean * mean), count);
}

} // namespace

int main(int count, char** words) {
  return measured::program({.name = "C",
                            .describe = measured::c,
                            .seconds = 1.0,
                            .spikes = {215'000, 219'700},
                            .goal = 0.75,
                            .outcome = print_weights},
                           count, words);
}
