// SPDX-License-Identifier: BSL-1.0
// Network C: B with additive pair STDP on the synapses between excitatory neurons, 1 s.
#include <cmath>
#include <cstdio>

#include "measure.hpp"
#include "networks.hpp"

namespace {

/// Mean and standard deviation of the weights that learn, in pA, in the unit that `write_weights` writes them in.
void print_weights(const measured::network::Network& net, const measured::network::Engine& engine) {
  constexpr double begin = 1000.0 * measured::excitatory_na;
  const auto& rows = engine.rows();
  double count = 0.0, sum = 0.0, squares = 0.0;
  for (const auto& set : rows.sets) {
    if (set.layout != measured::network::Layout::plastic) continue;
    for (std::uint32_t part = 0; part < rows.parts.count(); ++part)
      for (std::uint32_t source = 0; source < rows.sources_of(set); ++source)
        set.each(set.row(source, part), [&](const measured::network::ArrivingSynapse& one) {
          const auto& target = net.populations()[rows.parts.neuron(part, one.target).population];
          const double change = 1000.0 * static_cast<double>(one.weight) / target.units_per_one[one.receptor] - begin;
          count += 1.0, sum += change, squares += change * change;
        });
  }
  const double mean = sum / count, deviation = std::sqrt(squares / count - mean * mean);
  std::printf("weights that learn  %.4f pA%s; SD %.4f%s\n", begin + mean,
              measured::others({16.131, 16.133}, begin + mean).c_str(), deviation,
              measured::others({0.036, 0.040}, deviation).c_str());
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
