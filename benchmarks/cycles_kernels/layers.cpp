// SPDX-License-Identifier: BSL-1.0
// Rows and neurons of trained networks: cycles of a spike's row, of values, of what finishes sums, and of a layer's step. Each is
// measured for two sizes: the cost of an element and that of a call can be told apart. tools/budget has them.
#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include <neuromorph/kernels/layers/layer.hpp>
#include <neuromorph/kernels/layers/rows.hpp>
#include <neuromorph/kernels/neurons/models/trained.hpp>

#include "measure.hpp"

using namespace neuromorph;

namespace {

constexpr std::array<std::uint32_t, 16> spikes{0, 1, 2, 3, 1, 2, 0, 3,
                                               0, 1, 2, 3, 1, 2, 0, 3}; // the first four of them, or all
std::array<std::int32_t, 4096> sums, values;
std::uint32_t held = 0;

// As in a network that is written for one: all of it stands at addresses that are known.
template <const auto& rows>
using RowsOf = std::remove_cvref_t<decltype(rows)>;
template <const auto& rows>
[[gnu::noinline]] void add(const std::uint32_t* of, std::size_t count) {
  constexpr std::size_t targets = RowsOf<rows>::targets;
  layers::add(rows, std::span(of, count), std::span<std::int32_t, targets>(sums.data(), targets));
}
template <const auto& rows>
[[gnu::noinline]] void add_counts() {
  constexpr std::size_t targets = RowsOf<rows>::targets, sources = RowsOf<rows>::sources;
  layers::add_counts(rows, std::span<const std::int32_t, sources>(values.data(), sources),
                     std::span<std::int32_t, targets>(sums.data(), targets));
}
template <const auto& rows>
[[gnu::noinline]] void add_values() {
  constexpr std::size_t targets = RowsOf<rows>::targets, sources = RowsOf<rows>::sources;
  layers::add(rows, std::span<const std::int32_t, sources>(values.data(), sources), 12,
              std::span<std::int32_t, targets>(sums.data(), targets), held);
}

template <unsigned bits, std::size_t targets>
constexpr layers::Dense<bits, 4, targets> dense{};
template <std::size_t targets>
constexpr layers::Sparse<8, 4, 64, 4 * targets> sparse = [] {
  layers::Sparse<8, 4, 64, 4 * targets> made{};
  for (std::uint32_t at = 0; at < 4 * targets; ++at)
    made.target[at] = static_cast<std::uint16_t>(at % targets * (64 / targets)), made.weights.words[at] = 1;
  for (std::uint32_t source = 0; source <= 4; ++source) made.first[source] = source * targets;
  return made;
}();
template <std::size_t count>
constexpr std::array<layers::Channel, count> channels = [] {
  std::array<layers::Channel, count> made{};
  for (layers::Channel& one : made) one = {1 << 30, 5};
  return made;
}();

template <std::size_t count>
[[gnu::noinline]] void finish() {
  layers::finish<25>(std::span<std::int32_t, count>(sums.data(), count), channels<count>, held);
}
template <class Model>
constexpr auto made = [] {
  typename Model::Parameters given{};
  given.membrane = {.kept = 0.9, .fraction_bits = 15};
  if constexpr (requires { given.synapses.kept; }) given.synapses.kept = 0.8;
  given.synapses.fraction_bits = 15;
  if constexpr (requires { given.threshold.v_mv; }) given.threshold.v_mv = 1.0;
  if constexpr (requires { given.reset.v_mv; }) given.reset.v_mv = 0.0;
  if constexpr (requires { given.reset.by_mv; }) given.reset.by_mv = 1.0;
  return Model::make(given, 1.0).value();
}();
template <class Model, std::size_t count>
constinit layers::Layer<Model, count> layer{made<Model>};
template <class Model, std::size_t count>
[[gnu::noinline]] void step() {
  layer<Model, count>.step();
}

using Convolution = layers::Convolution<
    8, 2, 8, layers::Window{.in_height = 8, .in_width = 8, .height = 3, .width = 3, .padding_y = 1, .padding_x = 1}>;
using Wide = layers::Convolution<
    8, 2, 32, layers::Window{.in_height = 8, .in_width = 8, .height = 3, .width = 3, .padding_y = 1, .padding_x = 1}>;
constexpr Convolution convolution{};
constexpr Wide wide{};
constexpr layers::Pooling<
    2, layers::Window{.in_height = 8, .in_width = 8, .height = 2, .width = 2, .stride_y = 2, .stride_x = 2}>
    pooling{};
constexpr std::array<std::uint32_t, 4> inside{27, 28, 35, 36}; // pixels away from the edges

} // namespace

#define DENSE(bits)                                                                                                    \
  MEASURE("layers.dense" #bits ".7", 1, add<dense<bits, 7>>(fresh(spikes.data()), fresh(4U)));                         \
  MEASURE("layers.dense" #bits ".16", 1, add<dense<bits, 16>>(fresh(spikes.data()), fresh(4U)));                       \
  MEASURE("layers.dense" #bits ".64", 1, add<dense<bits, 64>>(fresh(spikes.data()), fresh(4U)));                       \
  MEASURE("layers.dense" #bits ".64.many", 1, add<dense<bits, 64>>(fresh(spikes.data()), fresh(16U)))
#define LAYER(name, ...)                                                                                               \
  MEASURE("layers." name ".16", 1, step<__VA_ARGS__, 16>());                                                           \
  MEASURE("layers." name ".64", 1, step<__VA_ARGS__, 64>())

bool run() {
  MEASURE("layers.dense8.none.7", 1, add<dense<8, 7>>(fresh(spikes.data()), fresh(0U)));
  MEASURE("layers.dense8.none.16", 1, add<dense<8, 16>>(fresh(spikes.data()), fresh(0U)));
  DENSE(4);
  DENSE(8);
  DENSE(16);
  DENSE(32);
  MEASURE("layers.sparse.8", 1, add<sparse<8>>(fresh(spikes.data()), fresh(4U)));
  MEASURE("layers.sparse.32", 1, add<sparse<32>>(fresh(spikes.data()), fresh(4U)));
  MEASURE("layers.convolution.8", 1, add<convolution>(fresh(inside.data()), fresh(4U)));
  MEASURE("layers.convolution.32", 1, add<wide>(fresh(inside.data()), fresh(4U)));
  MEASURE("layers.pooling", 1, add<pooling>(fresh(inside.data()), fresh(4U)));
  values.fill(0), sums.fill(0);
  MEASURE("layers.counts.none", 1, add_counts<convolution>());
  values[27] = values[28] = values[35] = values[36] = 3;
  MEASURE("layers.counts.4", 1, add_counts<convolution>());
  MEASURE("layers.values.16", 1, add_values<dense<32, 16>>());
  MEASURE("layers.values.64", 1, add_values<dense<32, 64>>());
  MEASURE("layers.finish.16", 1, finish<16>());
  MEASURE("layers.finish.64", 1, finish<64>());
  using trained::Neuron, trained::Readout;
  LAYER("cubalif.own", neuromorph::Neuron<PerNeuron<membrane::Recurrence>, PerNeuron<synapse::Recurrence<>>,
                                          threshold::Fixed, reset::ToValue, rounding::Nearest>);
  // All neurons of a layer fire.
  const auto fire = [](auto& of) {
    for (std::int32_t& one : of.sums()) one = 1 << 20;
  };
#define FIRED(name, ...)                                                                                               \
  fire(layer<__VA_ARGS__, 16>);                                                                                        \
  MEASURE("layers." name ".fired.16", 1, step<__VA_ARGS__, 16>())
  LAYER("lif", Neuron<synapse::Sums, reset::ToValue>);
  LAYER("cubalif", Neuron<synapse::Recurrence<>, reset::ToValue>);
  LAYER("cubalif_twice", Neuron<synapse::Recurrence<>, reset::TwiceTestedSubtraction>);
  LAYER("li", Readout<synapse::Sums>);
  LAYER("cubali", Readout<synapse::Recurrence<>>);
  FIRED("lif", Neuron<synapse::Sums, reset::ToValue>);
  FIRED("cubalif", Neuron<synapse::Recurrence<>, reset::ToValue>);
  FIRED("cubalif_twice", Neuron<synapse::Recurrence<>, reset::TwiceTestedSubtraction>);
  return held == 0;
}
