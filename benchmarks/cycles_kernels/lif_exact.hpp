// SPDX-License-Identifier: BSL-1.0
// One step of Lif and PackedLif neurons, with the checks, the constants of the step and the list of spikes. Each
// neuron has a spike in 1000 steps of 0.1 ms, and these are evenly spread. Per neuron, mean of the 1000 steps. Lif:
// the 32 neurons and 2 ms of refractory period of lif.cpp, and 250 of them; PackedLif: 250 CUBA cells, which wait for
// 5 ms.
#ifndef BENCHMARKS_CYCLES_KERNELS_LIF_EXACT_HPP
#define BENCHMARKS_CYCLES_KERNELS_LIF_EXACT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/kernels/neurons/models/lif.hpp>

#include "cell.hpp"
#include "measure.hpp"
#include "tests/support/lif_cells.hpp"

namespace lif_exact {

using namespace neuromorph;
using target::Generic;
using target::Native;

constexpr std::uint32_t steps = 1000;
/// Lif with constants of each neuron.
template <std::size_t TimeConstants>
using LifByNeuron = Neuron<PerNeuron<membrane::Lif>, PerNeuron<typename Lif<TimeConstants>::Synapses>,
                           PerNeuron<reset::ToValue>, PerNeuron<refractory::InMembrane>>;

template <class Model, std::size_t neurons, class Element = std::int32_t>
struct Form {
  static constexpr bool packed = std::is_same_v<Model, PackedLif>;
  static constexpr auto made = [] {
    if constexpr (packed) {
      PackedLif::Parameters quiet = cuba::cell; // without the drive, by which it would fire more often
      quiet.membrane.v_rest_mv = quiet.reset.v_mv;
      return PackedLif::make(quiet, 0.1);
    } else {
      return made_of<Model>(one_tau_cell, 0.1, {0.5, 0.5, 16});
    }
  }();
  static_assert(made.ok());
  using Column = std::array<std::int32_t, neurons>;

  struct Memory {
    std::array<Column, Model::word_count> words;
    alignas(8) std::array<std::array<Element, neurons + neurons % 2>, 2> input;
    std::array<std::uint32_t, neurons> spikes;
    typename Model::Constants constants;
    std::array<Column, Model::constant_count> own;
  };
  inline static constinit Memory memory{{}, {}, {}, made.value().constants, {}};

  template <class Target>
  [[gnu::noinline]] static std::span<const std::uint32_t> step(std::uint32_t step_number) {
    const std::array input{memory.input[0].data(), memory.input[1].data()};
    typename Model::Columns columns{};
    for (std::size_t word = 0; word < Model::word_count; ++word) columns.words[word] = memory.words[word].data();
    for (std::size_t own = 0; own < Model::constant_count; ++own) columns.constants[own] = memory.own[own].data();
    const auto counts =
        Model::template step<Target>(columns, neurons, memory.constants, input, step_number, memory.spikes.data());
    return std::span{memory.spikes}.first(counts.spikes);
  }

  /// 1000 steps; whether each neuron fired once. Input is too weak to matter.
  static bool run(std::span<const std::uint32_t> (*step)(std::uint32_t step_number)) {
    for (Column& column : memory.words) column.fill(0);
    memory.words[0].fill(-(1 << 25));
    auto constants = memory.constants;
    Model::each_column(constants, [&](std::int32_t& constant, std::size_t own) { memory.own[own].fill(constant); });
    std::uint32_t turn = 0, fired = 0;
    for (std::uint32_t step_number = 0; step_number < steps; ++step_number) {
      const std::uint32_t kicked = turn;
      const bool kick = step_number == 3 + turn * (steps - 3) / neurons;
      if (kick) { // enough to cross the threshold in one step
        memory.words[1][kicked] = packed ? 30000 : 1 << 29;
        memory.words[0][kicked] = -1;
        ++turn;
      }
      for (std::size_t receptor = 0; receptor < 2; ++receptor)
        memory.input[receptor][step_number % neurons] = static_cast<Element>(step_number % 3);
      for (const std::uint32_t neuron : step(step_number)) fired += kick && neuron == kicked ? 1U : 2 * steps;
      if (kick) memory.words[1][kicked] = 0;
    }
    return fired == neurons && turn == neurons;
  }
};

#define MEASURE_FORM(key, neurons, Target, ...)                                                                        \
  lif_exact::Form<__VA_ARGS__>::run([](std::uint32_t step_number) {                                                    \
    std::span<const std::uint32_t> fired;                                                                              \
    MEASURE(key, neurons, fired = lif_exact::Form<__VA_ARGS__>::step<Target>(step_number));                            \
    return fired;                                                                                                      \
  })

/// The keys of one form of Lif, for the variable `right` of a program.
#define MEASURE_LIF(key, ...)                                                                                          \
  right = MEASURE_FORM(key, 32, Native, __VA_ARGS__, 32, std::int32_t) && right;                                       \
  right = MEASURE_FORM(key ".generic", 32, Generic, __VA_ARGS__, 32, std::int32_t) && right;                           \
  right = MEASURE_FORM(key ".250", 250, Native, __VA_ARGS__, 250, std::int32_t) && right;                              \
  right = MEASURE_FORM(key ".input16", 32, Native, __VA_ARGS__, 32, std::uint16_t) && right

} // namespace lif_exact

#endif
