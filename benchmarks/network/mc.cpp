// SPDX-License-Identifier: BSL-1.0
// Network MC: the cortical microcircuit, whole, 1 s; synapses between excitatory neurons learn by pair STDP.
#include "measure.hpp"
#include "microcircuit.hpp"
#include "networks.hpp"

int main(int count, char** words) {
  return measured::program(
      {.name = "MC",
       .describe = [] { return microcircuit::describe({.learning = measured::additive_pair(0.5268)}); },
       .seconds = 1.0,
       .rates = measured::published(),
       .settling_ms = 500.0,
       .goal = 5.0,
       .repetitions = 2},
      count, words);
}
