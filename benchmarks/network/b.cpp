// SPDX-License-Identifier: BSL-1.0
// Network B: P with 10 million synapses that have a weight each, 1 s; on two threads as well.
#include "measure.hpp"
#include "networks.hpp"

int main(int count, char** words) {
  return measured::program({.name = "B",
                            .describe = [] { return measured::b(true); },
                            .seconds = 1.0,
                            .spikes = {216'200, 222'000},
                            .cv = {0.45, 0.46},
                            .goal = 0.25,
                            .doubles = true},
                           count, words);
}
