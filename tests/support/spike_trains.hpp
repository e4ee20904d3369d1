// SPDX-License-Identifier: BSL-1.0
// Random spikes of populations, as a plain list, and told to a recorder as a run would.
#ifndef TESTS_SUPPORT_SPIKE_TRAINS_HPP
#define TESTS_SUPPORT_SPIKE_TRAINS_HPP

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/network/recorder.hpp>
#include <tests/support/networks.hpp>

namespace networks {

using Train = std::vector<std::pair<std::uint64_t, std::uint32_t>>; ///< step, neuron; ascending

/// Silence, single spikes, bursts of all neurons at once, in steps that lie close or far apart.
inline Train random_train(std::mt19937& random, std::uint32_t neurons, std::uint64_t steps) {
  Train train;
  std::uint64_t step = 0;
  const std::uint64_t longest_gap = std::uint64_t{1} << random() % 8;
  while ((step += 1 + random() % longest_gap) <= steps) {
    const auto kind = random() % 16;
    for (std::uint32_t neuron = 0; neuron < neurons; ++neuron)
      if (kind == 0 || (kind < 12 && random() % (2 * neurons) == 0)) train.emplace_back(step, neuron);
  }
  return train;
}

/// \param from  first step that is told, so that long runs need no long tests
inline neuromorph::Refusal tell(network::Recorder& recorder, const std::vector<Train>& trains, std::uint64_t from,
                                std::uint64_t steps, bool with_silence = true) {
  std::vector<std::size_t> at(trains.size(), 0);
  for (std::uint64_t step = from; step <= steps; ++step)
    for (std::uint32_t population = 0; population < trains.size(); ++population) {
      std::vector<std::uint32_t> fired;
      for (std::size_t& one = at[population]; one < trains[population].size() && trains[population][one].first == step;
           ++one)
        fired.push_back(trains[population][one].second);
      if (fired.empty() && !with_silence) continue;
      if (auto refusal = recorder.on_spikes(step, network::PopulationId(population), fired); !refusal) return refusal;
    }
  return recorder.on_end(steps);
}

inline Train train_of(const network::Spikes& spikes) {
  Train train;
  spikes.each([&](std::uint64_t step, std::uint32_t neuron) { train.emplace_back(step, neuron); });
  return train;
}

} // namespace networks

#endif
