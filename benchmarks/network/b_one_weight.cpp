// SPDX-License-Identifier: BSL-1.0
// Network B with one weight for all synapses of a kind.
#include "measure.hpp"
#include "networks.hpp"

int main(int count, char** words) {
  return measured::program({.name = "B_one_weight",
                            .describe = [] { return measured::b(false); },
                            .seconds = 1.0,
                            .spikes = {216'200, 222'000},
                            .cv = {0.45, 0.46},
                            .goal = 0.13},
                           count, words);
}
