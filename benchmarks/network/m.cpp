// SPDX-License-Identifier: BSL-1.0
// Network M: the cortical microcircuit, whole, 1 s.
#include "measure.hpp"
#include "microcircuit.hpp"

int main(int count, char** words) {
  return measured::program({.name = "M",
                            .describe = [] { return microcircuit::describe({}); },
                            .seconds = 1.0,
                            .rates = measured::published(),
                            .settling_ms = 500.0,
                            .goal = 2.3,
                            .repetitions = 2},
                           count, words);
}
