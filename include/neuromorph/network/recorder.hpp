// SPDX-License-Identifier: BSL-1.0
/// \file
/// What a run tells those who record it: spikes and words of chosen neurons, step by step.
///
/// Whoever runs a network asks a recorder what it wants, then calls it from one thread, in the order of steps. A recorder that
/// refuses ends the run with its sentence.
// host-only
#ifndef NEUROMORPH_NETWORK_RECORDER_HPP
#define NEUROMORPH_NETWORK_RECORDER_HPP

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/network.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// A word of chosen neurons, in the steps whose number is a multiple of `every`.
struct WantedWords {
  PopulationId population{};
  std::size_t word = 0;                    ///< its place in a neuron's state
  std::vector<std::uint32_t> neurons = {}; ///< ascending
  std::uint32_t every = 1;                 ///< steps, from 1
};

/// What a recorder wants to be told. A population stands once in `spikes`, a word of it once in `words`.
struct Wanted {
  std::vector<PopulationId> spikes = {};
  std::vector<WantedWords> words = {};
};

/// The spikes of all populations.
[[nodiscard]] inline Wanted all_spikes(const Network& net) {
  Wanted wanted;
  for (std::uint32_t at = 0; at < net.populations().size(); ++at) wanted.spikes.push_back(PopulationId(at));
  return wanted;
}

/// Whether a network has what is wanted.
/// \errors index_out_of_range: a population or a neuron that there is not; parameters_contradict: what stands there twice, or
///         neurons that do not ascend; parameter_out_of_range: `every` is 0, or there are no neurons
[[nodiscard]] inline Refusal check(const Network& net, const Wanted& wanted) {
  std::set<std::uint32_t> spikes;
  for (const PopulationId id : wanted.spikes) {
    if (std::size_t(id) >= net.populations().size())
      return {{Error::index_out_of_range, 0, std::uint32_t(id), "population"},
              "what is recorded",
              "there is no population " + std::to_string(std::uint32_t(id))};
    if (!spikes.insert(std::uint32_t(id)).second)
      return {{Error::parameters_contradict, 0, std::uint32_t(id), "population"}, net.name(id), "it is recorded twice"};
  }
  std::set<std::pair<std::uint32_t, std::size_t>> words;
  for (const WantedWords& one : wanted.words) {
    if (std::size_t(one.population) >= net.populations().size())
      return {{Error::index_out_of_range, 0, std::uint32_t(one.population), "population"},
              "what is recorded",
              "there is no population " + std::to_string(std::uint32_t(one.population))};
    const std::string name = net.name(one.population);
    if (!words.insert({std::uint32_t(one.population), one.word}).second)
      return {{Error::parameters_contradict, 0, one.word, "word"},
              name,
              "its word " + std::to_string(one.word) + " is recorded twice"};
    if (one.every == 0)
      return {{Error::parameter_out_of_range, 0, 0, "every"}, name, "words are recorded every 0 steps; 1 is each step"};
    if (one.neurons.empty())
      return {{Error::parameter_out_of_range, 0, 0, "neurons"}, name, "words are recorded of no neurons"};
    for (std::size_t at = 0; at < one.neurons.size(); ++at) {
      if (at != 0 && one.neurons[at] <= one.neurons[at - 1])
        return {{Error::parameters_contradict, 0, one.neurons[at], "neurons"},
                name,
                "the neurons whose words are recorded do not ascend at " + std::to_string(one.neurons[at])};
      if (one.neurons[at] >= net[one.population].count)
        return {{Error::index_out_of_range, 0, one.neurons[at], "neurons"},
                name,
                "it has no neuron " + std::to_string(one.neurons[at])};
    }
  }
  return {};
}

/// Steps are counted from 1: step n ends n time steps after the beginning.
class Recorder {
public:
  virtual ~Recorder() = default;
  [[nodiscard]] const Wanted& wanted() const noexcept { return wanted_; }

  /// The neurons of a population that fired in a step, ascending. May be left out where there are none.
  virtual Refusal on_spikes(std::uint64_t step, PopulationId population, std::span<const std::uint32_t> neurons) = 0;
  /// A word of the wanted neurons, as it is after a step.
  virtual Refusal on_words(std::uint64_t step, PopulationId population, std::size_t word,
                           std::span<const std::int32_t> words) = 0;
  /// All of a step is told, of each step, also where nothing fired.
  virtual Refusal on_step(std::uint64_t /*step*/) { return {}; }
  /// The run is over: it had so many steps. What is in files is whole if this is not refused.
  virtual Refusal on_end(std::uint64_t steps) = 0;

protected:
  explicit Recorder(Wanted wanted) : wanted_(std::move(wanted)) {}
  Recorder(const Recorder&) = default;
  Recorder(Recorder&&) = default;
  Recorder& operator=(const Recorder&) = default;
  Recorder& operator=(Recorder&&) = default;

  /// Where in `wanted().spikes` a population stands; its size where it does not.
  [[nodiscard]] std::size_t place_of(PopulationId population) const noexcept {
    std::size_t at = 0;
    while (at < wanted_.spikes.size() && wanted_.spikes[at] != population) ++at;
    return at;
  }
  [[nodiscard]] std::size_t place_of(PopulationId population, std::size_t word) const noexcept {
    std::size_t at = 0;
    while (at < wanted_.words.size() && (wanted_.words[at].population != population || wanted_.words[at].word != word))
      ++at;
    return at;
  }

private:
  Wanted wanted_;
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
