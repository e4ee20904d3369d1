// SPDX-License-Identifier: BSL-1.0
// A step: neurons, then the rows of those that fired. Counts everything that happens and digests the whole
// state.
#ifndef EXAMPLES_CUBA_SIMULATION_HPP
#define EXAMPLES_CUBA_SIMULATION_HPP

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <neuromorph/neuromorph.hpp>

#include "network.hpp"

namespace cuba {

/// Inter-spike intervals of one neuron, in steps.
struct Intervals {
  std::uint32_t last = 0; // step of the last spike, 0: none yet
  std::uint32_t spikes = 0;
  std::uint64_t sum = 0, sum_of_squares = 0;
};

class Simulation {
public:
  Simulation(const Network& network, Ring& ring)
      : network_(network), ring_(ring), membrane_(network.initial), psp_(network.neurons), spikes_(network.neurons),
        intervals_(network.neurons) {}

  /// One step; returns the neurons that fired.
  std::span<const std::uint32_t> step() {
    ++step_number_;
    const std::array input{ring_.slot(step_number_, 0).data(), ring_.slot(step_number_, 1).data()};
    const Model::Columns columns{.words = {membrane_.data(), psp_.data()}};
    const auto counts =
        Model::step(columns, membrane_.size(), network_.made.constants, input, step_number_, spikes_.data());
    const auto fired = std::span<const std::uint32_t>{spikes_}.first(counts.spikes);
    saturations_ += counts.saturations;
    total_spikes_ += counts.spikes;
    events_ += nm::add_rows(ring_, network_.rows, fired, step_number_);
    return fired;
  }

  /// What a step leaves behind for statistics and digests; call it after each.
  void observe(std::span<const std::uint32_t> fired) {
    for (const std::uint32_t neuron : fired) {
      note(intervals_[neuron]);
      history_.add(neuron);
    }
    history_.add(static_cast<std::uint32_t>(fired.size()));
    // So that a fault that heals before the next digest is still seen.
    std::uint32_t sum = 0;
    for (const std::int32_t word : membrane_) sum += static_cast<std::uint32_t>(word);
    history_.add(sum);
  }

  /// Digest of all spikes so far, of the sum of membranes at every step, of every state word, of everything
  /// under way in the ring buffer and of the counters.
  [[nodiscard]] std::uint64_t digest() const {
    nm::Digest digest = history_;
    digest.add(std::span<const std::int32_t>{membrane_});
    digest.add(std::span<const std::int32_t>{psp_});
    digest.add(ring_.elements());
    digest.add(static_cast<std::uint32_t>(events_));
    digest.add(static_cast<std::uint32_t>(events_ >> 32));
    digest.add(saturations());
    return digest.value();
  }

  struct Firing {
    double rate_hz = 0.0;
    double cv = 0.0; // mean over neurons with at least three spikes
  };
  [[nodiscard]] Firing firing(std::uint32_t first, std::uint32_t last) const {
    Firing result;
    std::uint64_t spikes = 0;
    std::uint32_t with_cv = 0;
    for (std::uint32_t neuron = first; neuron < last; ++neuron) {
      const Intervals& of = intervals_[neuron];
      spikes += of.spikes;
      if (of.spikes < 3) continue;
      const double count = of.spikes - 1;
      const double mean = static_cast<double>(of.sum) / count;
      const double variance = static_cast<double>(of.sum_of_squares) / count - mean * mean;
      result.cv += std::sqrt(variance > 0.0 ? variance : 0.0) / mean;
      ++with_cv;
    }
    if (with_cv > 0) result.cv /= with_cv;
    if (last > first && step_number_ > 0)
      result.rate_hz = static_cast<double>(spikes) / (last - first) / (step_number_ * network_.dt_ms / 1000.0);
    return result;
  }

  [[nodiscard]] std::uint32_t step_number() const { return step_number_; }
  [[nodiscard]] std::uint64_t spikes() const { return total_spikes_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint32_t saturations() const { return saturations_ + ring_.saturations(); }
  /// Membrane, excitatory and inhibitory psp.
  [[nodiscard]] std::array<std::int32_t, 3> words(std::uint32_t neuron) const {
    return {membrane_[neuron], psp_[neuron] & 0xFFFF,
            static_cast<std::int32_t>(static_cast<std::uint32_t>(psp_[neuron]) >> 16)};
  }
  /// Moves a membrane by 0.25 mV: a fault, to see that a comparison finds it.
  void flip(std::uint32_t neuron) { membrane_[neuron] ^= 1 << 20; }

private:
  void note(Intervals& of) const {
    if (of.last != 0) {
      const std::uint64_t interval = step_number_ - of.last;
      of.sum += interval;
      of.sum_of_squares += interval * interval;
    }
    of.last = step_number_;
    ++of.spikes;
  }

  const Network& network_;
  Ring& ring_;
  std::vector<std::int32_t> membrane_;
  std::vector<std::int32_t> psp_;
  std::vector<std::uint32_t> spikes_;
  std::vector<Intervals> intervals_;
  nm::Digest history_;
  std::uint32_t step_number_ = 0;
  std::uint32_t saturations_ = 0;
  std::uint64_t total_spikes_ = 0, events_ = 0;
};

} // namespace cuba

#endif
