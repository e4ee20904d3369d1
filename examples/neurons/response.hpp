// SPDX-License-Identifier: BSL-1.0
// A model in two populations: one neuron gets a current step, 32 get Poisson input. As firmware has it: constants come from
// the compiler, memory is static.
#ifndef EXAMPLES_NEURONS_RESPONSE_HPP
#define EXAMPLES_NEURONS_RESPONSE_HPP

#include <array>
#include <cstdint>
#include <vector>

#include <neuromorph/kernels/random/byte_table.hpp>
#include <neuromorph/kernels/random/sfc32.hpp>
#include <neuromorph/neuromorph.hpp>

#include "models.hpp"

namespace neurons {

/// What a figure needs of one neuron, step by step.
struct Trace {
  std::vector<double> mv;
  std::vector<std::uint32_t> spikes;           // steps
  std::vector<std::array<double, 2>> arriving; // weights, of excitation and of inhibition
};

template <class Cell>
class Response {
public:
  using Model = typename Cell::Model;
  static constexpr std::uint32_t noisy_neurons = 32, neurons = 1 + noisy_neurons;

  /// Before the first step.
  void draw_from(nm::StreamId stream) { source_ = nm::Sfc32(stream); }

  /// \param traces  of the neuron with the current, and of the first one with Poisson input; null: none
  void step(std::uint32_t step_number, std::array<Trace, 2>* traces) {
    const auto by_current = stepped_.step(ring_, step_number); // nothing has arrived
    stepped_spikes_ += static_cast<std::uint32_t>(by_current.size());
    if (traces != nullptr) record(stepped_, by_current, step_number, {}, (*traces)[0]);

    noisy_.add_background(ring_, step_number, 0, excitation, source_, weight(0));
    if constexpr (Model::receptors == 2)
      noisy_.add_background(ring_, step_number, 1, inhibition, source_, weight(1));
    else
      noisy_.add_background(ring_, step_number, 0, inhibition, source_, -weight(1));
    std::array<double, 2> arriving{};
    if (traces != nullptr)
      for (std::size_t receptor = 0; receptor < Model::receptors; ++receptor)
        arriving[receptor] = ring_.slot(step_number, receptor)[0] / without.units[receptor];
    const auto by_noise = noisy_.step(ring_, step_number);
    noisy_spikes_ += static_cast<std::uint32_t>(by_noise.size());
    if (traces != nullptr) record(noisy_, by_noise, step_number, arriving, (*traces)[1]);

    history_.add(by_current);
    history_.add(by_noise);
    std::uint32_t sum = 0; // so that a fault that heals before the next digest is still seen
    for (const std::int32_t word : noisy_.words(0)) sum += static_cast<std::uint32_t>(word);
    history_.add(sum + static_cast<std::uint32_t>(stepped_.words(0)[0]));
  }

  /// Of all words, of the spikes of all steps, and of what was held.
  void add_to(nm::Digest& digest) {
    for (std::size_t word = 0; word < Model::word_count; ++word) {
      digest.add(std::span<const std::int32_t>{stepped_.words(word)});
      digest.add(std::span<const std::int32_t>{noisy_.words(word)});
    }
    digest.add(static_cast<std::uint32_t>(history_.value()));
    digest.add(static_cast<std::uint32_t>(history_.value() >> 32));
    digest.add(saturations());
  }
  /// A word of a neuron, of which 0 has the current; 0 where there is none.
  std::int32_t word(std::size_t which, std::uint32_t neuron) {
    if (which >= Model::word_count) return 0;
    return neuron == 0 ? stepped_.words(which)[0] : noisy_.words(which)[neuron - 1];
  }
  /// Changes a bit of a membrane: a fault, to see that a comparison finds it.
  void flip(std::uint32_t neuron) { (neuron == 0 ? stepped_.words(0)[0] : noisy_.words(0)[neuron - 1]) ^= 1 << 12; }

  [[nodiscard]] std::uint32_t saturations() const {
    return stepped_.saturations() + noisy_.saturations() + noisy_.input_saturations();
  }
  [[nodiscard]] std::uint32_t stepped_spikes() const { return stepped_spikes_; }
  [[nodiscard]] std::uint32_t noisy_spikes() const { return noisy_spikes_; }

private:
  static constexpr typename Model::Made made_with(double i_na) {
    auto parameters = Cell::parameters;
    parameters.current = {.i_na = i_na, .first_step = on, .last_step = off - 1};
    return Model::make(parameters, dt_ms).value(); // a parameter that cannot be does not compile
  }
  static constexpr auto with_current = made_with(Cell::step_current), without = made_with(0.0);
  static constexpr std::int32_t weight(std::uint32_t of) {
    const std::uint32_t receptor = Model::receptors == 2 ? of : 0;
    return static_cast<std::int32_t>(Model::weight(without, receptor, Cell::weights[of]).value());
  }
  // one table each for all neurons of all models
  static constexpr const auto& excitation = nm::byte_table<nm::Poisson(excitation_hz* dt_ms / 1000.0)>;
  static constexpr const auto& inhibition = nm::byte_table<nm::Poisson(inhibition_hz* dt_ms / 1000.0)>;

  template <class Population>
  static void record(const Population& population, std::span<const std::uint32_t> fired, std::uint32_t step_number,
                     std::array<double, 2> arriving, Trace& trace) {
    trace.mv.push_back(population.value(nm::place_of<Model>.membrane.v, 0));
    trace.arriving.push_back(arriving);
    if (!fired.empty() && fired[0] == 0) trace.spikes.push_back(step_number);
  }

  nm::Population<Model, 1> stepped_{with_current};
  nm::Population<Model, noisy_neurons> noisy_{without, /* first number */ 1};
  nm::RingBuffer<nm::SynapticWord<6, 1, 1>> ring_;
  nm::Sfc32 source_;
  nm::Digest history_;
  std::uint32_t stepped_spikes_ = 0, noisy_spikes_ = 0;
};

} // namespace neurons

#endif
