// SPDX-License-Identifier: BSL-1.0
// One step of 32 CompactLif neurons, which each spike once in 1000 steps of 0.1 ms, evenly spread, with a refractory
// period of 2 ms: the activity of the paper's 12.98 cycles. Per neuron, mean of the 1000 steps, input known by its
// place.
#include <array>
#include <cstdint>
#include <utility>

#include <neuromorph/kernels/neurons/compact_lif.hpp>

#include "measure.hpp"
#include "tests/support/lif_cells.hpp"

using namespace neuromorph;
using target::Generic;
using target::Native;

namespace {

/// The multiplication that C++ has no expression for, and no loop in assembly.
struct Plain : Generic {
  using Generic::multiply_add_high;
  [[nodiscard]] static constexpr std::int32_t multiply_add_high(std::int32_t accumulator, std::int32_t value,
                                                                std::int16_t factor) noexcept {
    return Native::multiply_add_high(accumulator, value, factor);
  }
};

constexpr std::uint32_t steps = 1000;

/// A population in static memory: one address to load.
template <class Psp, class Element, bool by_neuron, std::size_t TimeConstants = 1, std::size_t neurons = 32>
struct Form {
  using Model = CompactLif<Psp, TimeConstants>;
  using Factors = typename Model::Factors;
  static constexpr auto made =
      Model::parameters(one_tau_cell, 0.1, {0.05, 0.05, sizeof(Psp) == 2 ? 11 : 15}, {0.2, 20});
  static constexpr auto row = CompactLif<>::row(
      CompactLif<>::parameters(one_tau_cell, 0.1, {0.05, 0.05, 15}, {0.2, 20}).value(), one_tau_cell, 0.1);
  static_assert(made.ok() && row.ok());

  struct Memory {
    std::array<std::int32_t, neurons> membrane;
    std::array<std::array<Psp, neurons>, TimeConstants> psp;
    std::array<std::array<Element, neurons>, TimeConstants> input;
    std::array<std::uint32_t, neurons> spikes;
    RefractoryQueue queue;
    typename Model::Parameters parameters;
    std::array<RefractoryQueue::Entry, neurons> entries;
    std::array<std::uint32_t, neurons> own;
    std::array<std::int32_t, neurons> reset;
    std::array<std::uint32_t, neurons> refractory;
  };
  inline static constinit Memory memory{{}, {}, {}, {}, {}, made.value(), {}, {}, {}, {}};
  inline static constinit const typename Model::State state = [] {
    if constexpr (TimeConstants == 1)
      return typename Model::State{memory.membrane, {memory.psp.front()}, &memory.queue};
    else
      return typename Model::State{memory.membrane, {memory.psp.front(), memory.psp.back()}, &memory.queue};
  }();
  /// The input of all receptors, known by its place.
  template <class Word>
  [[gnu::always_inline]] static std::array<Word*, TimeConstants> input(Word* first) {
    if constexpr (TimeConstants == 1)
      return {first};
    else
      return {first, first + neurons};
  }
  inline static constinit const typename Model::Table table{memory.own, memory.reset, memory.refractory, made.value()};
  static constexpr const auto& constants() {
    if constexpr (by_neuron)
      return table;
    else
      return memory.parameters;
  }

  [[gnu::always_inline]] static Factors prepare(std::uint32_t step_number) {
    return Model::template prepare<!by_neuron>(memory.parameters, step_number);
  }
  template <class Target>
  [[gnu::always_inline]] static std::uint32_t* advance(const Factors& factors, std::uint32_t step_number) {
    return Model::template advance<Target>(state, constants(), factors,
                                           input(std::as_const(memory).input.front().data()), step_number,
                                           memory.spikes.data());
  }
  /// As the paper calls its loop.
  template <class Target>
  [[gnu::noinline]] static std::uint32_t* call(const Factors& factors, std::uint32_t step_number, const Element* first,
                                               std::uint32_t* spikes) {
    return Model::template advance<Target>(state, constants(), factors, input(first), step_number, spikes);
  }
  [[gnu::always_inline]] static std::uint32_t* step(std::uint32_t step_number) {
    const auto counts = Model::step(state, constants(), input(memory.input.front().data()), step_number, memory.spikes);
    return memory.spikes.data() + counts.value().spikes;
  }

  /// 1000 steps; whether each neuron fired once.
  [[gnu::noipa]] static bool run(std::uint32_t* (*step)(std::uint32_t step_number)) {
    const auto rest = [](std::uint32_t step_number) {
      return by_neuron ? Psp{0} : Model::psp_at_rest(made.value(), step_number)[0];
    };
    memory.queue = {};
    memory.queue.entries = memory.entries;
    memory.psp = {};
    memory.psp.front().fill(rest(0));
    memory.membrane.fill(by_neuron ? -(1 << 22) : -(1 << 25));
    memory.own.fill(row.value().step), memory.reset.fill(row.value().reset);
    memory.refractory.fill(row.value().refractory);
    std::uint32_t turn = 0, at = 3, fired = 0;
    for (std::uint32_t step_number = 0; step_number < steps; ++step_number) {
      std::uint32_t kicked = neurons;
      if (step_number == at && turn < neurons) { // enough to cross the threshold in one step
        kicked = turn++;
        at = turn * (steps / neurons);
        memory.psp[0][kicked] = static_cast<Psp>(sizeof(Psp) == 2 ? 32000 : by_neuron ? 1 << 27 : 1 << 26);
        memory.membrane[kicked] = -1000;
      }
      for (const std::uint32_t *spike = memory.spikes.data(), *const end = step(step_number); spike != end; ++spike)
        fired += *spike == kicked ? 1U : neurons + 1;
      if (kicked < neurons) memory.psp[0][kicked] = rest(step_number + 1);
    }
    return fired == neurons;
  }
};

/// mean: `advance`, the count known, the constants of the step ready: its loop is a function that saves no registers.
/// function: `advance` in a function that saves them, as the paper's. with_constants: as mean, and the constants of
/// the step computed. The input is only read.
#define MEASURE_CALLED(key, Target, ...)                                                                               \
  __VA_ARGS__::run([](std::uint32_t step_number) {                                                                     \
    const auto ready = __VA_ARGS__::prepare(step_number);                                                              \
    std::uint32_t* end;                                                                                                \
    MEASURE(key ".mean", 32, end = fresh(__VA_ARGS__::advance<Target>(ready, step_number)));                           \
    return end;                                                                                                        \
  })
#define MEASURE_FUNCTION(key, Target, ...)                                                                             \
  __VA_ARGS__::run([](std::uint32_t step_number) {                                                                     \
    const auto ready = __VA_ARGS__::prepare(step_number);                                                              \
    auto& memory = __VA_ARGS__::memory;                                                                                \
    std::uint32_t* end;                                                                                                \
    MEASURE(key ".function", 32,                                                                                       \
            end = fresh(                                                                                               \
                __VA_ARGS__::call<Target>(ready, step_number, memory.input.front().data(), memory.spikes.data())));    \
    return end;                                                                                                        \
  })
#define MEASURE_WITH_CONSTANTS(key, Target, ...)                                                                       \
  __VA_ARGS__::run([](std::uint32_t step_number) {                                                                     \
    std::uint32_t* end;                                                                                                \
    MEASURE(key ".with_constants", 32,                                                                                 \
            end = fresh(__VA_ARGS__::advance<Target>(__VA_ARGS__::prepare(step_number), step_number)));                \
    return end;                                                                                                        \
  })

#define MEASURE_STEP(key, items, ...)                                                                                  \
  __VA_ARGS__::run([](std::uint32_t step_number) {                                                                     \
    std::uint32_t* end;                                                                                                \
    MEASURE(key, items, end = fresh(__VA_ARGS__::step(step_number)));                                                  \
    return end;                                                                                                        \
  })

using Shared = Form<std::int32_t, std::int32_t, false>;
using Packed = Form<std::int16_t, std::int16_t, false>;
template <std::size_t neurons>
using Two = Form<std::int32_t, std::int32_t, false, 2, neurons>;
using ByNeuron = Form<std::int32_t, std::int32_t, true>;

} // namespace

bool run() {
  bool right = true;
#define MEASURE_FORM(key, ...)                                                                                         \
  right = MEASURE_CALLED(key, Native, __VA_ARGS__) && right;                                                           \
  right = MEASURE_FUNCTION(key, Native, __VA_ARGS__) && right;                                                         \
  right = MEASURE_WITH_CONSTANTS(key, Native, __VA_ARGS__) && right
  MEASURE_FORM("lif.shared", Shared);
  MEASURE_FORM("lif.shared.input16", Form<std::int32_t, std::int16_t, false>);
  MEASURE_FORM("lif.shared.packed16", Packed);
  MEASURE_FORM("lif.per_neuron", ByNeuron);
  MEASURE_FORM("lif.shared.two", Two<32>);
  right = MEASURE_STEP("lif.shared.step", 32, Shared) && right;
  right = MEASURE_STEP("lif.shared.step.250", 250, Form<std::int32_t, std::int32_t, false, 1, 250>) && right;
  right = MEASURE_STEP("lif.shared.two.step", 32, Two<32>) && right;
  right = MEASURE_STEP("lif.shared.two.step.250", 250, Two<250>) && right;
  right = MEASURE_CALLED("lif.shared.generic_cpp", Plain, Shared) && right;
  right = MEASURE_FUNCTION("lif.shared.generic_cpp", Plain, Shared) && right;
  right = MEASURE_CALLED("lif.shared.generic", Generic, Shared) && right;
  right = MEASURE_CALLED("lif.shared.two.generic", Generic, Two<32>) && right;
  right = MEASURE_CALLED("lif.shared.packed16.generic", Generic, Packed) && right;
  right = MEASURE_CALLED("lif.per_neuron.generic", Generic, ByNeuron) && right;
  return right;
}
