// SPDX-License-Identifier: BSL-1.0
/// \file
/// A run as it was recorded: spikes and words in memory, for statistics and figures.
// host-only
#ifndef NEUROMORPH_NETWORK_RECORDING_HPP
#define NEUROMORPH_NETWORK_RECORDING_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <neuromorph/config.hpp>
#include <neuromorph/host/answer.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/recorder.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace network {

/// Spikes in the order of their steps, in 8 bytes each.
class Spikes {
public:
  /// \pre step is not before the last one
  void add(std::uint64_t step, std::uint32_t neuron) {
    if (blocks_.empty() || blocks_.back().size() == of_block) {
      blocks_.emplace_back();
      blocks_.back().reserve(of_block);
    }
    const std::uint64_t age = step >> 32;
    if (ages_.empty() ? age != 0 : age != ages_.back().high) ages_.push_back({count_, age});
    blocks_.back().push_back({static_cast<std::uint32_t>(step), neuron});
    ++count_;
    last_ = step;
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return count_; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// Of the last spike; 0 if there is none.
  [[nodiscard]] std::uint64_t last_step() const noexcept { return last_; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return blocks_.size() * (of_block * sizeof(Spike) + sizeof(std::vector<Spike>)) + ages_.size() * sizeof(Age);
  }
  /// Calls `visit(std::uint64_t step, std::uint32_t neuron)` for each.
  template <class Visit>
  void each(Visit visit) const {
    std::uint64_t number = 0, high = 0;
    std::size_t next = 0;
    for (const auto& block : blocks_)
      for (const Spike& one : block) {
        if (next < ages_.size() && ages_[next].from == number) high = ages_[next++].high << 32;
        visit(high | one.step, one.neuron);
        ++number;
      }
  }

private:
  struct Spike {
    std::uint32_t step, neuron; ///< the low half of the step
  };
  /// From this spike on steps have this high half: 0 for the first five days at 0.1 ms.
  struct Age {
    std::uint64_t from, high;
  };
  static constexpr std::size_t of_block = 8192; ///< spikes; nothing is moved when there are more

  std::vector<std::vector<Spike>> blocks_;
  std::vector<Age> ages_;
  std::uint64_t count_ = 0, last_ = 0;
};

/// A word of some neurons over time.
struct RecordedWords {
  std::size_t word = 0;
  std::vector<std::uint32_t> neurons = {};
  std::vector<std::uint64_t> steps = {};
  std::vector<std::int32_t> words = {}; ///< [steps][neurons]
};

struct RecordedPopulation {
  std::string name;
  std::uint32_t neurons = 0;
  Spikes spikes = {};
  std::vector<RecordedWords> words = {};
};

struct Recording {
  double dt_ms = 0.1;
  std::uint64_t steps = 0; ///< of the whole run: 1 to this
  std::vector<RecordedPopulation> populations = {};

  [[nodiscard]] double duration_ms() const noexcept { return static_cast<double>(steps) * dt_ms; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (const RecordedPopulation& one : populations) {
      sum += one.spikes.bytes();
      for (const RecordedWords& words : one.words) sum += words.words.size() * 4 + words.steps.size() * 8;
    }
    return sum;
  }
};

/// Records in memory.
class MemoryRecorder final : public Recorder {
public:
  /// \param most_bytes  of what is recorded: a run that needs more ends with a sentence
  /// \errors those of check
  [[nodiscard]] static Answer<MemoryRecorder> make(const Network& net, Wanted wanted,
                                                   std::size_t most_bytes = SIZE_MAX) {
    if (Refusal refusal = check(net, wanted); !refusal) return refusal;
    return MemoryRecorder(net, std::move(wanted), most_bytes);
  }

  /// \errors buffer_full: there are as many bytes as may be; index_out_of_range: nobody asked for that population
  Refusal on_spikes(std::uint64_t step, PopulationId population, std::span<const std::uint32_t> neurons) override {
    const std::size_t at = place_of(population);
    if (at == of_spikes_.size()) return unasked(population);
    if (neurons.size() > (most_bytes_ - bytes_) / 8) return full(of_spikes_[at]);
    bytes_ += neurons.size() * 8;
    Spikes& spikes = recording_.populations[of_spikes_[at]].spikes;
    for (const std::uint32_t neuron : neurons) spikes.add(step, neuron);
    return {};
  }
  /// \errors as on_spikes; lengths_differ: as many words as neurons were asked for
  Refusal on_words(std::uint64_t step, PopulationId population, std::size_t word,
                   std::span<const std::int32_t> words) override {
    const std::size_t at = place_of(population, word);
    if (at == of_words_.size()) return unasked(population);
    const auto [place, number] = of_words_[at];
    RecordedWords& to = recording_.populations[place].words[number];
    if (words.size() != to.neurons.size())
      return {{Error::lengths_differ, 0, words.size(), "words"}, recording_.populations[place].name};
    if (words.size() > (most_bytes_ - bytes_) / 4 || most_bytes_ - bytes_ - words.size() * 4 < 8) return full(place);
    bytes_ += words.size() * 4 + 8;
    to.steps.push_back(step);
    to.words.insert(to.words.end(), words.begin(), words.end());
    return {};
  }
  /// Refused as the first call that was: then this is not all.
  Refusal on_end(std::uint64_t steps) override {
    recording_.steps = steps;
    return was_full_;
  }

  /// What there is, also while the run goes on; `steps` is known at its end.
  [[nodiscard]] const Recording& recording() const noexcept { return recording_; }

private:
  MemoryRecorder(const Network& net, Wanted wanted, std::size_t most_bytes)
      : Recorder(std::move(wanted)), most_bytes_(most_bytes) {
    recording_.dt_ms = net.settings().dt_ms;
    std::vector<std::size_t> places(net.populations().size(), SIZE_MAX);
    const auto place = [&](PopulationId id) {
      std::size_t& at = places[std::size_t(id)];
      if (at == SIZE_MAX) {
        at = recording_.populations.size();
        recording_.populations.push_back({net[id].name, net[id].count});
      }
      return at;
    };
    for (const PopulationId id : this->wanted().spikes) of_spikes_.push_back(place(id));
    for (const WantedWords& one : this->wanted().words) {
      const std::size_t at = place(one.population);
      of_words_.push_back({at, recording_.populations[at].words.size()});
      recording_.populations[at].words.push_back({one.word, one.neurons});
    }
  }
  [[nodiscard]] static Refusal unasked(PopulationId population) {
    return {{Error::index_out_of_range, 0, std::uint32_t(population), "population"},
            "a recorder that did not ask for it"};
  }
  [[nodiscard]] Refusal full(std::size_t place) {
    Refusal refusal{{Error::buffer_full, 0, most_bytes_, "bytes of a recording"}, recording_.populations[place].name};
    if (was_full_) was_full_ = refusal;
    return refusal;
  }

  Recording recording_;
  Refusal was_full_ = {};
  std::size_t most_bytes_, bytes_ = 0;
  std::vector<std::size_t> of_spikes_;                        // as wanted: its population in the recording
  std::vector<std::pair<std::size_t, std::size_t>> of_words_; // and its number there
};

} // namespace network
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
