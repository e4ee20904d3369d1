// SPDX-License-Identifier: BSL-1.0
// A network as one would write it down: a list of all synapses, a list of what is under way, sums of 64 bits, one neuron at a
// time. It knows nothing of rows, parts, blocks and threads.
#ifndef TESTS_SUPPORT_PLAIN_NETWORK_HPP
#define TESTS_SUPPORT_PLAIN_NETWORK_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/network/network.hpp>
#include <neuromorph/network/poisson_input.hpp>
#include <neuromorph/target/generic.hpp>
#include <tests/support/networks.hpp>

namespace networks {

/// The neurons of a population.
class PlainNeurons {
public:
  struct Stepped {
    bool has_fired = false;
    std::uint64_t saturations = 0;
  };

  PlainNeurons() = default;
  PlainNeurons(const PlainNeurons&) = delete;
  PlainNeurons& operator=(const PlainNeurons&) = delete;
  virtual ~PlainNeurons() = default;

  /// \param sums  that arrive, by receptor
  virtual Stepped step(std::uint32_t neuron, std::span<const std::int64_t> sums, std::uint32_t step_number) = 0;
  [[nodiscard]] virtual std::span<std::int32_t> words(std::uint32_t neuron) = 0;
};

template <class Model>
class PlainNeuronsOf final : public PlainNeurons {
public:
  using Made = typename Model::Made;

  PlainNeuronsOf(const Made& made, std::uint32_t count) : constants_(made.constants), all_(count) {
    for (One& one : all_) {
      Model::words_of(made.initial, one.words);
      if constexpr (Model::Refractory::has_queue) one.queue.entries = one.entry;
      set(one, made);
    }
  }
  /// Constants of a neuron's own.
  void set(std::uint32_t neuron, const Made& own) { set(all_[neuron], own); }

  Stepped step(std::uint32_t neuron, std::span<const std::int64_t> sums, std::uint32_t step_number) override {
    using Element = std::conditional_t<Model::Synapses::input_in_pairs, std::uint16_t, std::int32_t>;
    One& one = all_[neuron];
    std::array<Element, Model::receptors> values{};
    std::array<Element*, Model::receptors> input{};
    for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor) {
      values[receptor] = static_cast<Element>(sums[receptor]);
      if (values[receptor] != sums[receptor]) FAIL("a sum of " << sums[receptor]);
      input[receptor] = &values[receptor];
    }
    typename Model::Columns columns{};
    for (std::size_t at = 0; at < Model::word_count; ++at) columns.words[at] = &one.words[at];
    for (std::size_t at = 0; at < Model::constant_count; ++at) columns.constants[at] = &one.constants[at];
    if constexpr (Model::Refractory::has_queue) columns.queue = &one.queue;
    std::uint32_t spike = 0;
    const auto counts =
        Model::template step<neuromorph::target::Generic>(columns, 1, constants_, input, step_number, &spike, neuron);
    return {counts.spikes == 1, counts.saturations};
  }
  [[nodiscard]] std::span<std::int32_t> words(std::uint32_t neuron) override { return all_[neuron].words; }

private:
  struct One {
    std::array<std::int32_t, Model::word_count> words{};
    std::array<std::int32_t, Model::constant_count + 1> constants{};
    std::array<neuromorph::RefractoryQueue::Entry, 1> entry{};
    neuromorph::RefractoryQueue queue{};
  };
  static void set(One& one, const Made& own) {
    auto constants = own.constants;
    Model::each_column(constants, [&](std::int32_t& constant, std::size_t at) { one.constants[at] = constant; });
  }

  typename Model::Constants constants_;
  std::vector<One> all_;
};

/// Runs a network whose neurons are given.
class PlainNetwork {
public:
  /// As Engine::counts.
  struct Counts {
    std::uint64_t spikes = 0, events = 0, background = 0, saturations = 0, input_saturations = 0,
                  background_saturations = 0;
  };

  /// \param neurons  of each population; none: it is of sources
  PlainNetwork(const network::Network& net, std::vector<std::unique_ptr<PlainNeurons>> neurons)
      : net_(net), neurons_(std::move(neurons)), under_way_(slots), synapses_(net_.populations().size()) {
    for (std::uint32_t at = 0; at < populations().size(); ++at) synapses_[at].resize(populations()[at].count);
    for (std::uint32_t at = 0; at < net_.projections().size(); ++at) {
      const network::Projection& projection = net_.projections()[at];
      const auto plan = plan_of(net_, at);
      for (const Found& one : synapses_of(plan))
        synapses_[std::uint32_t(projection.source)][one.source].push_back(
            {std::uint32_t(projection.target), one.target, projection.synapses.receptor,
             std::int64_t{one.weight} * (std::int64_t{1} << plan.shift()), one.delay});
    }
    for (std::uint32_t at = 0; at < populations().size(); ++at) {
      const network::Population& population = populations()[at];
      inputs_.emplace_back();
      if (population.poisson_hz != 0.0) inputs_[at].push_back(input(at, 0, population.poisson_hz));
      for (std::uint32_t which = 0; which < population.background.size(); ++which)
        inputs_[at].push_back(input(at, which + 1, population.background[which].rate_hz));
    }
  }

  void step() {
    ++time_;
    std::vector<Synapse>& now = under_way_[time_ % slots];
    std::vector<std::vector<std::array<std::int64_t, 2>>> sums; // [population][neuron][receptor]
    for (const network::Population& one : populations()) sums.emplace_back(one.count);
    for (const Synapse& one : now) sums[one.population][one.target][one.receptor] += one.weight;
    counts_.events += now.size();
    now.clear();
    fired_.clear();
    for (std::uint32_t at = 0; at < sums.size(); ++at) {
      if (neurons_[at] == nullptr)
        fire(at);
      else
        step(at, sums[at]);
    }
    for (const auto& [population, neuron] : fired_) {
      history_ += hash(population, neuron, time_);
      for (const Synapse& one : synapses_[population][neuron]) under_way_[(time_ + one.delay) % slots].push_back(one);
    }
    counts_.spikes += fired_.size();
  }

  /// Of the last step: population and neuron, those of a population ascending.
  [[nodiscard]] const std::vector<std::pair<std::uint32_t, std::uint32_t>>& fired() const { return fired_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] PlainNeurons& neurons(std::uint32_t population) { return *neurons_[population]; }
  /// As Engine::digest.
  [[nodiscard]] std::uint64_t digest() const {
    std::uint64_t sum = history_;
    for (std::uint32_t at = 0; at < populations().size(); ++at)
      for (std::uint32_t neuron = 0; neurons_[at] != nullptr && neuron < populations()[at].count; ++neuron) {
        std::uint64_t place = 0;
        for (const std::int32_t word : neurons_[at]->words(neuron))
          sum += hash(at, neuron, std::uint64_t{static_cast<std::uint32_t>(word)} << 16 | ++place << 8 | 0xFF);
      }
    return sum;
  }

private:
  static constexpr std::uint32_t slots = 4096; // delays are shorter
  struct Synapse {
    std::uint32_t population, target, receptor;
    std::int64_t weight;
    std::uint32_t delay;
  };
  using Input = network::PoissonInput;

  [[nodiscard]] const std::vector<network::Population>& populations() const { return net_.populations(); }

  [[nodiscard]] Input input(std::uint32_t population, std::uint32_t use, double rate_hz) const {
    Input made;
    const std::uint32_t groups = (populations()[population].count + 63) / 64;
    REQUIRE(Input::make(rate_hz, net_.settings().dt_ms, {net_.settings().seed, population, use}, 0, groups, made).ok());
    return made;
  }
  /// What all neurons of a population get in a step.
  [[nodiscard]] std::vector<std::uint32_t> draw(Input& input, std::uint32_t population) const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t group = 0; group < (populations()[population].count + 63) / 64; ++group) {
      Input::Counts counts{};
      input.draw(group, counts);
      all.insert(all.end(), counts.begin(), counts.end());
    }
    all.resize(populations()[population].count);
    return all;
  }
  void fire(std::uint32_t at) {
    const network::Population& population = populations()[at];
    std::vector<std::uint32_t> times(population.count);
    for (Input& one : inputs_[at]) times = draw(one, at);
    for (const network::SpikeTime& one : population.spike_times) {
      const double step = one.time_ms / net_.settings().dt_ms + 0.5;
      if ((std::max)(std::uint64_t{1}, static_cast<std::uint64_t>(step)) == time_) ++times[one.neuron];
    }
    for (std::uint32_t neuron = 0; neuron < population.count; ++neuron)
      for (std::uint32_t time = 0; time < times[neuron]; ++time) fired_.emplace_back(at, neuron);
  }
  void step(std::uint32_t at, std::vector<std::array<std::int64_t, 2>>& sums) {
    const network::Population& population = populations()[at];
    const bool is_narrow = population.input_bits == 16;
    const auto hold = [&](std::int64_t& sum, std::uint64_t& counter) {
      if (!is_narrow || sum <= 0xFFFF) return;
      sum = 0xFFFF, ++counter;
    };
    for (auto& both : sums)
      for (std::int64_t& sum : both) hold(sum, counts_.input_saturations);
    for (std::size_t which = 0; which < population.background.size(); ++which) {
      const network::Background& given = population.background[which];
      const double units = given.weight * population.units_per_one[given.receptor];
      const auto weight = static_cast<std::int64_t>(units < 0.0 ? units - 0.5 : units + 0.5);
      const auto drawn = draw(inputs_[at][which], at);
      for (std::uint32_t neuron = 0; neuron < population.count; ++neuron) {
        counts_.background += drawn[neuron];
        sums[neuron][given.receptor] += drawn[neuron] * weight;
        hold(sums[neuron][given.receptor], counts_.background_saturations);
      }
    }
    for (std::uint32_t neuron = 0; neuron < population.count; ++neuron) {
      const auto stepped = neurons_[at]->step(neuron, sums[neuron], static_cast<std::uint32_t>(time_));
      if (stepped.has_fired) fired_.emplace_back(at, neuron);
      counts_.saturations += stepped.saturations;
    }
  }
  /// As Engine::digest has it.
  [[nodiscard]] static std::uint64_t hash(std::uint32_t population, std::uint32_t neuron, std::uint64_t what) {
    std::uint64_t value = (std::uint64_t{population} << 32 | neuron) * 0x9E37'79B9'7F4A'7C15U ^ what;
    value *= 0xBF58'476D'1CE4'E5B9U;
    value ^= value >> 31;
    value *= 0x94D0'49BB'1331'11EBU;
    return value ^ value >> 29;
  }

  network::Network net_;
  std::vector<std::unique_ptr<PlainNeurons>> neurons_;
  std::vector<std::vector<Synapse>> under_way_;             // [step % slots]
  std::vector<std::vector<std::vector<Synapse>>> synapses_; // [population][source]
  std::vector<std::vector<Input>> inputs_;                  // [population][background]; of a source one or none
  std::vector<std::pair<std::uint32_t, std::uint32_t>> fired_;
  std::uint64_t time_ = 0, history_ = 0;
  Counts counts_{};
};

} // namespace networks

#endif
