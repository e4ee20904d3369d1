// SPDX-License-Identifier: BSL-1.0
// Network M_two: the cortical microcircuit, whole, 1 s on two threads.
#include "measure.hpp"
#include "microcircuit.hpp"

int main(int count, char** words) {
  return measured::program({.name = "M_two",
                            .describe = [] { return microcircuit::describe({}); },
                            .seconds = 1.0,
                            .rates = measured::published(),
                            .settling_ms = 500.0,
                            .goal = 1.3,
                            .repetitions = 2,
                            .threads = 2},
                           count, words);
}
