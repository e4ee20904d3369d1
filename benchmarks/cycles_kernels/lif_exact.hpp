// SPDX-License-Identifier: BSL-1.0
// One step of Lif and PackedLif neurons, with the checks, the constants of the step and the list of spikes, of which
// each neuron has one in 1000 steps of 0.1 ms, evenly spread. Per neuron, mean of the 1000 steps. Lif: the 32 neurons
// and 2 ms of refractory period of lif.cpp, and 250 of them; PackedLif: 250 CUBA cells, which wait for 5 ms.
#ifndef BENCHMARKS_CYCLES_KERNELS_LIF_EXACT_HPP
#define BENCHMARKS_CYCLES_KERNELS_LIF_EXACT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/kernels/neurons/lif.hpp>
#include <neuromorph/kernels/neurons/packed_lif.hpp>

#include "cell.hpp"
#include "measure.hpp"
#include "tests/support/lif_cells.hpp"

namespace lif_exact {

using namespace neuromorph;
using target::Generic;
using target::Native;

constexpr std::uint32_t steps = 1000;
/// Without the drive, by which it would fire more often.
constexpr LifCell quiet_cuba_cell = [] {
  LifCell quiet = cuba::cell;
  quiet.v_rest_mv = quiet.v_reset_mv;
  return quiet;
}();

template <class Model, std::size_t neurons, class Element = std::int32_t, bool by_neuron = false>
struct Form {
  static constexpr bool packed = std::is_same_v<Model, PackedLif>;
  static constexpr std::size_t psps = Model::psp_count;
  static constexpr auto made = packed ? Model::parameters(quiet_cuba_cell, 0.1, cuba::weight_range)
                                      : Model::parameters(one_tau_cell, 0.1, {0.5, 0.5, 16});
  static_assert(made.ok());
  using Column = std::array<std::int32_t, neurons>;

  struct Memory {
    Column membrane;
    std::array<Column, psps> psp;
    alignas(8) std::array<std::array<Element, neurons + neurons % 2>, 2> input;
    std::array<std::uint32_t, neurons> spikes;
    typename Model::Parameters parameters;
    std::array<Column, by_neuron ? 6 : 0> own;
  };
  inline static constinit Memory memory{{}, {}, {}, {}, made.value(), {}};

  static auto state() {
    typename Model::State views{};
    views.membrane = memory.membrane;
    for (std::size_t which = 0; which < psps; ++which) views.psp[which] = memory.psp[which];
    return views;
  }
  static decltype(auto) constants() {
    if constexpr (by_neuron) {
      auto& own = memory.own;
      typename Model::Table table{own[0], {}, own[1], own[2], own[3], made.value().scale};
      for (std::size_t which = 0; which < psps; ++which) table.psp_decay[which] = own[4 + which];
      return table;
    } else {
      return (memory.parameters);
    }
  }

  template <class Target>
  [[gnu::noinline]] static std::span<const std::uint32_t> step(std::uint32_t step_number) {
    const std::array input{memory.input[0].data(), memory.input[1].data()};
    const auto counts = Model::template step<Target>(state(), constants(), input, step_number, memory.spikes);
    return std::span{memory.spikes}.first(counts.value().spikes);
  }

  /// 1000 steps; whether each neuron fired once. Input is too weak to matter.
  static bool run(std::span<const std::uint32_t> (*step)(std::uint32_t step_number)) {
    memory.membrane.fill(-(1 << 25));
    for (auto& psp : memory.psp) psp.fill(0);
    if constexpr (by_neuron) {
      const auto& from = made.value().constants;
      memory.own[0].fill(from.membrane_decay), memory.own[1].fill(from.drift), memory.own[2].fill(from.reset);
      memory.own[3].fill(from.after_spike);
      for (std::size_t which = 0; which < psps; ++which) memory.own[4 + which].fill(from.psp_decay[which]);
    }
    std::uint32_t turn = 0, fired = 0;
    for (std::uint32_t step_number = 0; step_number < steps; ++step_number) {
      const std::uint32_t kicked = turn;
      const bool kick = step_number == 3 + turn * (steps - 3) / neurons;
      if (kick) { // enough to cross the threshold in one step
        memory.psp[0][kicked] = packed ? 30000 : 1 << 29;
        memory.membrane[kicked] = -1;
        ++turn;
      }
      for (std::size_t receptor = 0; receptor < 2; ++receptor)
        memory.input[receptor][step_number % neurons] = static_cast<Element>(step_number % 3);
      for (const std::uint32_t neuron : step(step_number)) fired += kick && neuron == kicked ? 1U : 2 * steps;
      if (kick) memory.psp[0][kicked] = 0;
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
#define MEASURE_LIF(key, by_neuron, ...)                                                                               \
  right = MEASURE_FORM(key, 32, Native, __VA_ARGS__, 32, std::int32_t, by_neuron) && right;                            \
  right = MEASURE_FORM(key ".generic", 32, Generic, __VA_ARGS__, 32, std::int32_t, by_neuron) && right;                \
  right = MEASURE_FORM(key ".250", 250, Native, __VA_ARGS__, 250, std::int32_t, by_neuron) && right;                   \
  right = MEASURE_FORM(key ".input16", 32, Native, __VA_ARGS__, 32, std::uint16_t, by_neuron) && right

} // namespace lif_exact

#endif
