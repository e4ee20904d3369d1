// SPDX-License-Identifier: BSL-1.0
// A population that nothing but currents moves, and what a current is refused for.
#ifndef TESTS_SUPPORT_CURRENTS_HPP
#define TESTS_SUPPORT_CURRENTS_HPP

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include <neuromorph/kernels/neurons/membranes/lif.hpp>
#include <neuromorph/kernels/neurons/neuron.hpp>
#include <neuromorph/kernels/neurons/population.hpp>
#include <neuromorph/kernels/neurons/synapse_types/exponential.hpp>
#include <neuromorph/kernels/neurons/thresholds/none.hpp>

#include "tests/support/catch.hpp"

namespace currents {

using namespace neuromorph;

/// A membrane at rest at its origin, which nothing but currents moves.
template <class... Currents>
using Moved = Neuron<membrane::Lif, synapse::Difference, threshold::None, Currents...>;

template <class Model>
constexpr typename Model::Parameters resting(double tau_ms = 20.0, double r_mohm = 40.0) {
  typename Model::Parameters given;
  given.membrane = {.tau_ms = tau_ms, .r_mohm = r_mohm, .v_rest_mv = 0.0, .v_initial_mv = 0.0};
  given.synapses.weights = {ReceptorWeights{.largest = 0.1}, ReceptorWeights{.largest = 0.1}};
  return given;
}

template <class Model, std::size_t neurons>
struct Stepped : Population<Model, neurons> {
  explicit Stepped(const typename Model::Made& made, std::uint32_t first = 0)
      : Population<Model, neurons>(made, first) {}
  void operator()(std::uint32_t step) {
    Population<Model, neurons>::step(std::array{sums[0].data(), sums[1].data()}, step);
  }
  std::array<std::array<std::int32_t, neurons>, 2> sums{};
};

template <class Current, class Model = Moved<Current>>
Status status_of(const typename Current::Parameters& current) {
  auto given = resting<Model>();
  given.current = current;
  return Model::make(given, 0.1).status();
}
template <class Current, class Member, class Value>
void refused(Member member, Value value, Error error, const char* name, typename Current::Parameters given = {}) {
  given.*member = value;
  double named = value; // which of two that share the room is too much
  if (std::string(name) == "current.stdev_na")
    if constexpr (requires { given.stdev_na; }) named = given.stdev_na;
  const Status status = status_of<Current>(given);
  INFO(name << " = " << value);
  CHECK(status == Status{error, 0, named, name});
}
inline const double wrong_numbers[]{std::nan(""), HUGE_VAL, -HUGE_VAL};

} // namespace currents

#endif
