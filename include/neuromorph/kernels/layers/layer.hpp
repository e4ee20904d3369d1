// SPDX-License-Identifier: BSL-1.0
/// \file
/// A layer of neurons: the sums of weights that come to it in a step, its neurons, and who fired.
///
///     static layers::Layer<Model, 40> lif1(made);
///     layers::add(fc1, spikes, lif1.sums()), layers::add(recurrent, lif1.fired(), lif1.sums()); // of the last step
///     const auto fired = lif1.step();
// apart: not in neuromorph.hpp
#ifndef NEUROMORPH_KERNELS_LAYERS_LAYER_HPP
#define NEUROMORPH_KERNELS_LAYERS_LAYER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <neuromorph/config.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/target/native.hpp>

namespace neuromorph {
inline namespace NEUROMORPH_ABI {
namespace layers {

/// \tparam Of  a Neuron with one receptor, as models/trained.hpp has them
template <class Of, std::size_t Neurons>
class Layer {
public:
  using Model = Of;
  static constexpr std::size_t count = Neurons;
  static_assert(Model::receptors == 1, "neuromorph: neurons of a Layer have one receptor; see docs/trained.md");
  using Columns = std::array<std::array<std::int32_t, Neurons>, Model::constant_count>;

  constexpr explicit Layer(const typename Model::Made& made_by_model) noexcept : population_(made_by_model) {
    std::array<std::int32_t, Model::word_count + 1> initial{};
    Model::words_of(made_by_model.initial, initial);
    for (std::size_t word = 0; word < Model::word_count; ++word) initial_[word] = initial[word];
  }
  /// With constants of each neuron's own, in the order of Model::each_column.
  constexpr Layer(const typename Model::Made& made_by_model, const Columns& columns) noexcept : Layer(made_by_model) {
    for (std::size_t column = 0; column < Model::constant_count; ++column)
      for (std::size_t at = 0; at < Neurons; ++at) population_.column(column)[at] = columns[column][at];
  }
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  /// What comes in the next step is added here; it takes all of it.
  [[nodiscard]] constexpr std::span<std::int32_t, Neurons> sums() noexcept { return sums_; }
  /// \return those that fired, ascending, until the next step
  template <class Target = target::Native>
  constexpr std::span<const std::uint32_t> step() noexcept {
    fired_ = population_.template step<Target>(std::array<std::int32_t*, 1>{sums_.data()}, ++time_);
    return fired_;
  }
  /// Those of the last step.
  [[nodiscard]] constexpr std::span<const std::uint32_t> fired() const noexcept { return fired_; }
  /// Membranes as integers, relative to the threshold; of neurons that only read out, from 0.
  [[nodiscard]] constexpr std::span<const std::int32_t, Neurons> membranes() noexcept {
    return population_.words(place_of<Model>.membrane.v);
  }
  [[nodiscard]] constexpr Population<Model, Neurons>& population() noexcept { return population_; }
  /// As before the first step; counts go on.
  constexpr void reset() noexcept {
    for (std::size_t word = 0; word < Model::word_count; ++word)
      for (std::int32_t& one : population_.words(word)) one = initial_[word];
    sums_.fill(0), fired_ = {}, time_ = 0;
  }
  [[nodiscard]] constexpr std::uint32_t saturations() const noexcept { return population_.saturations(); }

private:
  Population<Model, Neurons> population_;
  alignas(16) std::array<std::int32_t, Neurons> sums_{};
  std::array<std::int32_t, Model::word_count> initial_{};
  std::span<const std::uint32_t> fired_{};
  std::uint32_t time_ = 0;
};

} // namespace layers
} // namespace NEUROMORPH_ABI
} // namespace neuromorph

#endif
