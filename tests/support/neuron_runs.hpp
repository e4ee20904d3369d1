// SPDX-License-Identifier: BSL-1.0
// Composed neurons beside a reference in floating point: what a run is compared by.
#ifndef TESTS_SUPPORT_NEURON_RUNS_HPP
#define TESTS_SUPPORT_NEURON_RUNS_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <neuromorph/kernels/neurons/neuron.hpp>

#include "tests/support/neuron_columns.hpp"

/// A word in its physical unit.
template <class Model, class Element>
double value_of(const NeuronColumns<Model, Element>& columns, const typename Model::Made& made, std::size_t word,
                std::size_t neuron = 0) {
  const neuromorph::Quantity meaning = Model::quantity(made, word);
  return columns.words[word][neuron] * meaning.per_unit + meaning.origin;
}

/// Uniform numbers and events of one seed.
class NeuronDraw {
public:
  explicit NeuronDraw(std::uint32_t seed) : random_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_() >> 5) / 134217728.0);
  }
  double log_between(double low, double high) { return std::exp(between(std::log(low), std::log(high))); }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  /// How many events come in a step, Poisson.
  int events(double mean) {
    int count = 0;
    for (double product = between(0.0, 1.0), least = std::exp(-mean); product > least; ++count)
      product *= between(0.0, 1.0);
    return count;
  }

private:
  std::mt19937 random_;
};

/// dy/dt by the classical fourth-order method.
template <class State, class Slope>
State runge_kutta(const State& at, double h, const Slope& slope) {
  const auto moved = [&](const State& by, double step) {
    State sum = at;
    for (std::size_t k = 0; k < at.size(); ++k) sum[k] += step * by[k];
    return sum;
  };
  const State a = slope(at), b = slope(moved(a, h / 2)), c = slope(moved(b, h / 2)), d = slope(moved(c, h));
  State sum = at;
  for (std::size_t k = 0; k < at.size(); ++k) sum[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
  return sum;
}

#endif
